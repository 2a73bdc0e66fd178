//! A working tree and both ways to ask it, for servers.

use std::{path::Path, sync::Arc};

use super::{
    CodeError, GraphQuery, SearchQuery, SearchResult,
    graph::{CodeGraph, GraphResult},
    search::CodeSearch,
};

/// A working tree that answers both tools, off the threads of an async runtime.
#[derive(Clone)]
pub struct Code {
    search: Arc<CodeSearch>,
    graph: Arc<CodeGraph>,
}

impl Code {
    /// Opens the tree below `root`, whose graph is kept in the file
    /// `graph_file`, and begins to bring the graph up to date in the background,
    /// now and whenever the tree changes.
    ///
    /// # Errors
    /// [`CodeError::Failed`] where `root` is no folder, or the file cannot be
    /// opened or made.
    pub fn follow(root: &Path, graph_file: &Path) -> Result<Self, CodeError> {
        let search = Arc::new(CodeSearch::open(root)?);
        let graph = Arc::new(CodeGraph::open(search.root(), graph_file)?);
        graph.follow();
        Ok(Self { search, graph })
    }

    /// Answers `search_code`, as [`CodeSearch::search`].
    ///
    /// # Errors
    /// As there.
    pub async fn search(&self, query: SearchQuery) -> Result<SearchResult, CodeError> {
        let search = Arc::clone(&self.search);
        ask(move || search.search(&query)).await
    }

    /// Answers `query_graph`, as [`CodeGraph::query`].
    ///
    /// # Errors
    /// As there.
    pub async fn query(&self, query: GraphQuery) -> Result<GraphResult, CodeError> {
        let graph = Arc::clone(&self.graph);
        ask(move || graph.query(&query)).await
    }
}

async fn ask<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, CodeError> + Send + 'static,
) -> Result<T, CodeError> {
    tokio::task::spawn_blocking(question).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a question about code broke off");
        Err(CodeError::Failed("The question broke off; see the log.".to_owned()))
    })
}
