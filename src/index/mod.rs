//! The SQLite file: built from a schema, searched, read.
//!
//! [`build::build`] writes one, [`Index::open`] opens it, [`Index::search`] and
//! [`Index::symbols`] answer from it. A [`Cache`] keeps those that `--schema`
//! needs.

mod build;
mod cache;
mod file;
mod graph;
mod mentions;
mod parsed;
mod search;
mod symbols;
mod temporary;
mod text;
mod vectors;
mod words;

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

pub use build::{Order, Progress, Report, build};
pub use cache::Cache;
pub use file::{FILE_VERSION, IndexError, IndexFile, Meta};
pub use graph::Root;
pub use search::{Explanation, Features, Table, Vocabulary};

use lru::LruCache;

use crate::{
    discovery::{SearchRequest, SearchResponse},
    embedding::ModelIdentity,
};
pub(crate) use graph::{Graph, Node, Position};
use parsed::Parsed;
use search::{Lexicon, Names};
pub(crate) use search::{
    Question, Survey, Word, imperative, is_reading_word, is_stop_word, words_of,
};
use vectors::Vectors;
pub(crate) use words::split;

/// Answers that are remembered; about 10 KB each.
const ANSWERS: NonZeroUsize = NonZeroUsize::new(128).unwrap();

/// An opened index: the file, and what of it is kept in memory.
pub struct Index {
    file: IndexFile,
    graph: Graph,
    lexicon: Lexicon,
    names: Names,
    vectors: Vectors,
    vocabulary: Arc<Vocabulary>,
    answers: Mutex<LruCache<SearchRequest, SearchResponse>>,
    parsed: Parsed,
}

impl Index {
    /// Opens an index file; takes some tens of milliseconds for thousands of
    /// types.
    ///
    /// # Errors
    /// As [`IndexFile::open`].
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let file = IndexFile::open(path)?;
        let graph = file.read(|connection| Graph::load(connection, &file.meta().roots))?;
        let names = Names::of(&graph);
        let (dimensions, definitions) = (file.meta().dimensions, graph.definitions().len());
        let vectors = file.read(|connection| Vectors::load(connection, dimensions, definitions))?;
        Ok(Self {
            file,
            lexicon: Lexicon::new(definitions),
            graph,
            names,
            vectors,
            vocabulary: Vocabulary::bundled(),
            answers: Mutex::new(LruCache::new(ANSWERS)),
            parsed: Parsed::default(),
        })
    }

    /// Refuses a model that did not make this index.
    ///
    /// # Errors
    /// [`IndexError::OtherModel`].
    pub fn check_model(&self, model: &ModelIdentity) -> Result<(), IndexError> {
        self.file.check_model(model)
    }

    /// What the file says of itself.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        self.file.meta()
    }

    /// Where the file lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Replaces the near words that questions are read with.
    #[must_use]
    pub fn with_vocabulary(self, vocabulary: Arc<Vocabulary>) -> Self {
        Self { vocabulary, ..self }
    }

    /// Is the answer to this search remembered?
    #[must_use]
    pub fn remembers(&self, request: &SearchRequest) -> bool {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).contains(request)
    }

    /// Every element's place in the type graph.
    pub(crate) const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The types, with their positions.
    fn types(&self) -> impl Iterator<Item = (Position, &Node)> {
        self.graph.definitions().iter().enumerate().filter(|(_, node)| node.kind.is_type())
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Is the schema empty?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
