//! What answers: an opened index, and the model that reads its questions.

use std::sync::Arc;

use crate::{
    discovery::DiscoveryError,
    embedding::Embedder,
    index::{Index, IndexError},
};

/// An index, and the model that reads its questions. A clone is as cheap as two
/// counters, and keeps the index open while it answers.
#[derive(Clone)]
pub struct Engine {
    /// The index.
    pub index: Arc<Index>,
    /// The model that made it.
    pub embedder: Arc<Embedder>,
}

impl Engine {
    /// Puts an index and its model together.
    #[must_use]
    pub fn new(index: Index, embedder: Arc<Embedder>) -> Self {
        Self { index: Arc::new(index), embedder }
    }

    /// Runs a question off the async threads: it holds a core for milliseconds.
    ///
    /// # Errors
    /// [`DiscoveryError::Failed`] where the index cannot be read, the model
    /// fails, or the question breaks off.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Self) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, DiscoveryError> {
        let engine = self.clone();
        let answer = tokio::task::spawn_blocking(move || question(&engine)).await;
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                tracing::error!(%error, "a question got no answer");
                Err(DiscoveryError::failed(&error))
            }
            Err(error) => {
                tracing::error!(%error, "a question broke off");
                Err(DiscoveryError::failed(&"the question broke off; see the log"))
            }
        }
    }
}
