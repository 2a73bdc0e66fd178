//! `query_graph`: how the symbols of a working tree relate.
//!
//! [`CodeGraph`] keeps one `SQLite` file. [`CodeGraph::update`] reads each file
//! that changed, alone, with tree-sitter ([`languages`], `extract`), and writes
//! what it defines, imports and refers to. What a reference means is found out
//! when it is asked (`resolve`), so that a changed file costs only itself.
//!
//! ```no_run
//! # use sextant::code::{GraphQuery, RelationKind, graph::CodeGraph};
//! # use std::path::Path;
//! let graph = CodeGraph::open(Path::new("."), Path::new("code.sqlite"))?;
//! graph.update(|_| {})?;
//! let answer = graph.query(&GraphQuery {
//!     target: "CodeGraph::query".into(),
//!     kind: RelationKind::Callers,
//!     max_hops: Some(2),
//! })?;
//! # Ok::<(), sextant::code::CodeError>(())
//! ```

mod common;
mod coordinates;
mod expression;
mod extract;
mod follow;
pub mod languages;
mod lookup;
mod resolve;
mod store;
mod target;
#[cfg(test)]
mod tests;
mod update;
mod walk;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{CodeError, DEFAULT_HOPS, GraphQuery, MAX_HOPS};
use lookup::Lookup;
use resolve::Resolver;
use store::Store;

pub use resolve::Resolution;
pub use update::{MAX_FILE_BYTES, Progress, Report};
pub use walk::{GraphEdge, GraphNode, GraphResult, MAX_EDGES, MAX_NODES};

/// The time after which a question is answered with what was found: an agent waits
/// that long for a tool without harm, and can then ask more narrowly.
pub const MAX_QUERY_TIME: Duration = Duration::from_secs(2);

/// The graph of a working tree.
pub struct CodeGraph {
    root: PathBuf,
    store: Store,
    /// One update at a time: two would read the same files.
    updating: Mutex<()>,
}

impl CodeGraph {
    /// Opens or creates the graph's `SQLite` file `file` for the working tree
    /// `root`. Indexes nothing. A corrupt file, or one of another version, is
    /// remade.
    ///
    /// # Errors
    /// [`CodeError::Invalid`] where `root` is no folder, [`CodeError::Failed`]
    /// where the file cannot be made.
    pub fn open(root: &Path, file: &Path) -> Result<Self, CodeError> {
        let root = root.canonicalize().ok().filter(|root| root.is_dir()).ok_or_else(|| {
            CodeError::Invalid(format!(
                "`{}` is no folder; name the root of the code.",
                root.display()
            ))
        })?;
        Ok(Self { root, store: Store::open(file)?, updating: Mutex::new(()) })
    }

    /// The root of the working tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Brings it up to date with the tree, by size and time and then by content,
    /// reporting progress; queries go on meanwhile.
    ///
    /// # Errors
    /// [`CodeError::Failed`] where the tree cannot be listed or the file not
    /// written.
    pub fn update(&self, progress: impl FnMut(Progress)) -> Result<Report, CodeError> {
        let _alone = self.updating.lock().unwrap_or_else(PoisonError::into_inner);
        update::update(&self.root, &self.store, progress)
    }

    /// Updates in a background thread now, and again whenever the tree changes.
    /// The thread lives as long as the process.
    pub fn follow(self: &Arc<Self>) {
        follow::follow(self);
    }

    /// The symbols that a target names and those it relates to. Empty where
    /// nothing is indexed; truncated where it takes longer than
    /// [`MAX_QUERY_TIME`].
    ///
    /// # Errors
    /// [`CodeError::Invalid`] where the target names nothing, with what is close,
    /// or `max_hops` is out of range; [`CodeError::Failed`] where the file cannot
    /// be read.
    pub fn query(&self, query: &GraphQuery) -> Result<GraphResult, CodeError> {
        let start = Instant::now();
        self.query_until(query, &|| start.elapsed() >= MAX_QUERY_TIME)
    }

    /// Answers a query; once `is_late` says so, it says so ever after, and what was
    /// found is the answer.
    fn query_until(
        &self,
        query: &GraphQuery,
        is_late: &dyn Fn() -> bool,
    ) -> Result<GraphResult, CodeError> {
        if self.is_empty()? {
            return Ok(GraphResult::default());
        }
        let hops = query.max_hops.unwrap_or(DEFAULT_HOPS);
        if !(1..=MAX_HOPS).contains(&hops) {
            return Err(CodeError::Invalid(format!(
                "`max_hops` is {hops}: give a number from 1 to {MAX_HOPS}."
            )));
        }
        self.store.read(|connection| {
            let lookup = Lookup::new(connection);
            let resolver = Resolver::new(&lookup, is_late);
            let targets = target::find(&self.store, &lookup, &resolver, &query.target)?;
            walk::walk(&lookup, &resolver, targets, query.kind, hops)
                .map_err(|error| self.store.failed(&error))
        })
    }

    /// Whether nothing is indexed.
    ///
    /// # Errors
    /// [`CodeError::Failed`] where the file cannot be read.
    pub fn is_empty(&self) -> Result<bool, CodeError> {
        self.store.read(|connection| {
            connection
                .query_row("SELECT NOT EXISTS (SELECT 1 FROM file)", [], |row| row.get(0))
                .map_err(|error| self.store.failed(&error))
        })
    }
}
