//! [`Discovery`] by an index in this process, which may still be on its way.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    discovery::{
        Discovery, DiscoveryError, GenerateRequest, GenerateResponse, OnProgress, SearchRequest,
        SearchResponse, SymbolsRequest, SymbolsResponse,
    },
    embedding::{Embedder, ModelSource},
    engine::Engine,
    generate::{
        self,
        llm::{Commission, LanguageModel},
    },
    index::{Cache, Index, IndexError, Vocabulary},
    schema::{self, Source},
    watch::changes,
};

/// How long a call waits for an index that is about to be ready, before it says
/// that it is still building. Opening an index takes less; building one, more.
const START_UP_PATIENCE: Duration = Duration::from_secs(2);

/// How questions are read.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The model that says what they mean.
    pub model: ModelSource,
    /// The near words of theirs.
    pub vocabulary: Arc<Vocabulary>,
}

/// What is asked: an index file as it is, or a schema by way of the cache.
#[derive(Clone, Debug)]
pub enum Target {
    /// An index file.
    Index(PathBuf),
    /// A schema, indexed on demand.
    Schema {
        /// The schema.
        source: Source,
        /// Where its index is kept.
        cache: Cache,
    },
}

/// The index in this process. Answers at once that it is still building until
/// it is ready; swaps in a new index when the schema changes.
pub struct LocalDiscovery {
    state: watch::Sender<State>,
    endpoint: Option<String>,
    language_model: Option<LanguageModel>,
}

#[derive(Clone)]
enum State {
    Building,
    Ready(Engine),
    Failed(DiscoveryError),
}

impl LocalDiscovery {
    /// Begins to load model and index in the background, and returns at once.
    /// The background thread lives as long as the process. `endpoint` is where
    /// those who ask are told to run an operation; `language_model` writes it where
    /// there is one.
    #[must_use]
    pub fn start(
        target: Target,
        reader: Reader,
        endpoint: Option<String>,
        language_model: Option<LanguageModel>,
    ) -> Arc<Self> {
        let state = watch::Sender::new(State::Building);
        let discovery = Arc::new(Self { state, endpoint, language_model });
        let background = Arc::clone(&discovery);
        thread::spawn(move || background.prepare(target, &reader));
        discovery
    }

    fn prepare(&self, target: Target, reader: &Reader) {
        match target {
            Target::Index(path) => match open(&path, reader) {
                Ok(ready) => self.serve(ready),
                Err(error) => self.fail(&error),
            },
            Target::Schema { source, cache } => match Embedder::load(&reader.model) {
                Ok(embedder) => {
                    self.follow(&source, &cache, &Arc::new(embedder), &reader.vocabulary);
                }
                Err(error) => self.fail(&error),
            },
        }
    }

    /// Serves a schema's index, and that of every later state of the schema.
    fn follow(
        &self,
        source: &Source,
        cache: &Cache,
        embedder: &Arc<Embedder>,
        vocabulary: &Arc<Vocabulary>,
    ) {
        // The watch begins before the first read, so that no change is missed.
        let (sender, changed) = mpsc::channel();
        let watcher = changes(source, sender);
        if let Err(error) = &watcher {
            tracing::warn!(%source, %error, "the schema is not watched; restart to see a change");
        }
        self.update(source, cache, embedder, vocabulary);
        while changed.recv().is_ok() {
            self.update(source, cache, embedder, vocabulary);
        }
    }

    fn update(
        &self,
        source: &Source,
        cache: &Cache,
        embedder: &Arc<Embedder>,
        vocabulary: &Arc<Vocabulary>,
    ) {
        let schema = match schema::load(source) {
            Ok(schema) => schema,
            Err(error) => return self.fail(&error),
        };
        let current = match &*self.state.borrow() {
            State::Ready(ready) => Some(Arc::clone(&ready.index)),
            _ => None,
        };
        if current.is_some_and(|index| index.meta().schema_hash == schema.hash) {
            return;
        }
        let built = cache.open_or_build(&schema, &source.to_string(), embedder, |_| {});
        match built {
            Ok((index, report)) => {
                if let Some(report) = report {
                    tracing::info!(
                        embedded = report.embedded,
                        reused = report.reused,
                        seconds = report.time.as_secs_f32(),
                        "the index is built"
                    );
                }
                let index = index.with_vocabulary(Arc::clone(vocabulary));
                self.serve(Engine::new(index, Arc::clone(embedder)));
            }
            Err(error) => self.fail(&error),
        }
    }

    fn serve(&self, ready: Engine) {
        let index = &ready.index;
        tracing::info!(path = %index.path().display(), elements = index.len(), "the index is ready");
        self.state.send_replace(State::Ready(ready));
    }

    /// An index that serves goes on serving; without one, calls get the reason.
    fn fail(&self, error: &impl std::error::Error) {
        let serving = matches!(*self.state.borrow(), State::Ready(_));
        if serving {
            tracing::error!(%error, "the schema changed and cannot be indexed; the old index goes on serving");
        } else {
            tracing::error!(%error, "there is no index");
            self.state.send_replace(State::Failed(DiscoveryError::failed(error)));
        }
    }

    async fn ready(&self) -> Result<Engine, DiscoveryError> {
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, State::Building));
        match tokio::time::timeout(START_UP_PATIENCE, settled).await {
            Ok(Ok(state)) => match &*state {
                State::Ready(ready) => Ok(ready.clone()),
                State::Failed(error) => Err(error.clone()),
                State::Building => Err(DiscoveryError::Building),
            },
            Ok(Err(_)) | Err(_) => Err(DiscoveryError::Building),
        }
    }
}

impl Discovery for LocalDiscovery {
    async fn search(&self, request: SearchRequest) -> Result<SearchResponse, DiscoveryError> {
        request.check()?;
        self.ready().await?.ask(move |ready| ready.index.search(&request, &ready.embedder)).await
    }

    async fn symbols(&self, request: SymbolsRequest) -> Result<SymbolsResponse, DiscoveryError> {
        request.check()?;
        let symbols =
            self.ready().await?.ask(move |ready| ready.index.symbols(&request.coordinates)).await?;
        Ok(SymbolsResponse { symbols })
    }

    async fn generate(
        &self,
        request: GenerateRequest,
        progress: &OnProgress,
    ) -> Result<GenerateResponse, DiscoveryError> {
        generate::check(&request)?;
        let endpoint = self.endpoint.clone();
        let Some(model) = &self.language_model else {
            return self
                .ready()
                .await?
                .ask(move |ready| {
                    generate::generate(&ready.index, &ready.embedder, &request, endpoint.as_deref())
                })
                .await;
        };
        let tokens = model.tokens();
        let commission = self
            .ready()
            .await?
            .ask(move |ready| {
                Commission::of((&ready.index, &ready.embedder), &request, endpoint, tokens)
            })
            .await?;
        Ok(model.write(commission, progress).await)
    }
}

/// Opens an index while its model loads.
fn open(path: &Path, reader: &Reader) -> Result<Engine, IndexError> {
    thread::scope(|scope| {
        let opening = scope.spawn(|| Index::open(path));
        let embedder = Embedder::load(&reader.model)?;
        let index = opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        index.check_model(embedder.identity())?;
        let index = index.with_vocabulary(Arc::clone(&reader.vocabulary));
        Ok(Engine::new(index, Arc::new(embedder)))
    })
}
