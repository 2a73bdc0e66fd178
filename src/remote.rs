//! [`Discovery`] by a service elsewhere, which is given the schema whenever it
//! does not have it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use tokio::runtime::Handle;

use crate::{
    discovery::{
        Discovery, DiscoveryError, GenerateRequest, GenerateResponse, OnProgress, SearchRequest,
        SearchResponse, SymbolsRequest, SymbolsResponse,
    },
    generate,
    schema::{self, Schema, Source},
    service::{
        answers::as_error,
        client::{Client, ClientError},
        contract::{GraphStatus, State},
        problem::Code,
    },
    watch::changes,
};

/// How long the next try of an upload that failed is put off, at first and at
/// most. It doubles in between.
const PUT_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The service elsewhere. Uploads the schema at the start, on every change, and
/// when the service says that it expired.
pub struct RemoteDiscovery {
    client: Client,
    endpoint: Option<String>,
    /// Wakes the thread that uploads.
    wake: Mutex<mpsc::Sender<()>>,
    /// Is it woken already?
    is_woken: AtomicBool,
    /// Why the service does not have the schema, where that is known.
    refused: Mutex<Option<DiscoveryError>>,
}

impl RemoteDiscovery {
    /// Begins to bring the schema to the service in the background, and returns
    /// at once. The background thread lives as long as the process, and does its
    /// requests on the runtime. `endpoint` is where those who ask are told to run
    /// an operation.
    #[must_use]
    pub fn start(
        client: Client,
        source: Source,
        endpoint: Option<String>,
        runtime: Handle,
    ) -> Arc<Self> {
        // The watch begins before the first read, so that no change is missed.
        let (wake, woken) = mpsc::channel();
        let watcher = changes(&source, wake.clone());
        let discovery = Arc::new(Self {
            client,
            endpoint,
            wake: Mutex::new(wake),
            is_woken: AtomicBool::new(false),
            refused: Mutex::new(None),
        });
        let background = Arc::clone(&discovery);
        thread::spawn(move || {
            if let Err(error) = &watcher {
                tracing::warn!(%source, %error, "the schema is not watched; restart to see a change");
            }
            background.follow(&source, &woken, &runtime);
        });
        discovery
    }

    /// Brings the schema, and every later state of it.
    fn follow(&self, source: &Source, woken: &mpsc::Receiver<()>, runtime: &Handle) {
        let mut put_off = PUT_OFF.0;
        loop {
            self.is_woken.store(false, Ordering::Release);
            let brought = runtime.block_on(self.bring(source));
            let is_woken = if brought {
                put_off = PUT_OFF.0;
                woken.recv().is_ok()
            } else {
                // Those who ask meanwhile do not make it more urgent.
                thread::sleep(put_off.min(PUT_OFF.0));
                let rest = put_off.saturating_sub(PUT_OFF.0);
                put_off = (put_off * 2).min(PUT_OFF.1);
                woken.recv_timeout(rest) != Err(mpsc::RecvTimeoutError::Disconnected)
            };
            if !is_woken {
                return;
            }
            // What was said while it was busy, the next round hears all at once.
            while woken.try_recv().is_ok() {}
        }
    }

    /// Brings the schema to the service; says whether there is nothing to try
    /// again.
    async fn bring(&self, source: &Source) -> bool {
        let schema = match schema::load(source) {
            Ok(schema) => schema,
            Err(error) => {
                tracing::error!(%error, "the schema cannot be read; what the service has goes on serving");
                self.refuse(Some(DiscoveryError::failed(&error)));
                // A file is watched; an endpoint is asked again.
                return source.watch_paths().is_some();
            }
        };
        match self.ensure(&schema).await {
            Ok(()) => {
                self.refuse(None);
                true
            }
            Err(error) => {
                tracing::error!(%error, "the service does not take the schema");
                let is_final = matches!(&error, ClientError::Refused(problem) if matches!(
                    problem.code,
                    Code::SchemaNotValid | Code::TooLarge
                ));
                self.refuse(Some(explained(&error)));
                is_final
            }
        }
    }

    /// Uploads the schema unless the service has it.
    async fn ensure(&self, schema: &Schema) -> Result<(), ClientError> {
        let has = |status: GraphStatus| {
            let is_lost = matches!(status.state, State::Expired | State::Failed);
            status.schema_hash == schema.hash && status.reason.is_none() && !is_lost
        };
        if self.client.status().await?.is_some_and(has) {
            tracing::info!("the service has the schema");
            return Ok(());
        }
        let status = self.client.upload(schema).await?;
        tracing::info!(graph = %status.graph, state = status.state.as_str(), "the schema is uploaded");
        Ok(())
    }

    fn refuse(&self, reason: Option<DiscoveryError>) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    async fn ask<Answer: DeserializeOwned>(
        &self,
        tail: &str,
        option: Option<(&str, &str)>,
        question: &impl Serialize,
    ) -> Result<Answer, DiscoveryError> {
        match self.client.ask(tail, option, question).await {
            Ok(answer) => Ok(answer),
            Err(error) => {
                tracing::warn!(%error, "a question got no answer");
                Err(self.told(&error))
            }
        }
    }

    /// What an agent is told, after what can be done about it is begun.
    fn told(&self, error: &ClientError) -> DiscoveryError {
        let is_lost = matches!(error, ClientError::Refused(problem) if matches!(
            problem.code,
            Code::Expired | Code::GraphUnknown
        ));
        if !is_lost {
            return explained(error);
        }
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            // Nobody listens any more only when the process ends.
            let _ = self.wake.lock().unwrap_or_else(PoisonError::into_inner).send(());
        }
        // An index whose schema the service cannot have is not on its way.
        match self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(refused @ (DiscoveryError::Failed(_) | DiscoveryError::Misconfigured)) => refused,
            _ => explained(error),
        }
    }
}

/// The sentence for an agent.
fn explained(error: &ClientError) -> DiscoveryError {
    match error {
        ClientError::Refused(problem) => as_error(problem),
        ClientError::Unreached(_) | ClientError::Strange(_) => DiscoveryError::Unreachable,
        ClientError::Token { .. } => DiscoveryError::Misconfigured,
    }
}

impl Discovery for RemoteDiscovery {
    async fn search(&self, request: SearchRequest) -> Result<SearchResponse, DiscoveryError> {
        request.check()?;
        self.ask("/search", None, &request).await
    }

    async fn symbols(&self, request: SymbolsRequest) -> Result<SymbolsResponse, DiscoveryError> {
        request.check()?;
        self.ask("/symbols", None, &request).await
    }

    async fn generate(
        &self,
        request: GenerateRequest,
        _progress: &OnProgress,
    ) -> Result<GenerateResponse, DiscoveryError> {
        generate::check(&request)?;
        let endpoint = self.endpoint.as_deref().map(|url| ("endpoint", url));
        self.ask("/generate", endpoint, &request).await
    }
}
