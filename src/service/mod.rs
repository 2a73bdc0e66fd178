//! The discovery service: many graphs behind HTTP, each with its index.
//!
//! - [`contract`]: names, states, and what is said of a graph;
//! - [`problem`]: what is said when something is refused;
//! - [`token`]: who may ask what;
//! - `store`, `shelf`, [`catalog`], `build`: the graphs on disk, in memory, and becoming
//!   one from the other;
//! - [`answers`]: [`crate::discovery::Discovery`] by one of the graphs;
//! - [`client`]: all of it from elsewhere;
//! - `guard`, `routes`, [`openapi`], [`metrics`]: HTTP.
//!
//! [`serve`] puts them together. A router that a caller brings, such as MCP's,
//! is served beside the API on the same address.

pub mod answers;
mod build;
pub mod catalog;
pub mod client;
pub mod contract;
mod guard;
pub mod metrics;
pub mod openapi;
pub mod problem;
mod routes;
mod shelf;
mod store;
pub mod token;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use axum_server::{Handle, tls_rustls::RustlsConfig};
use tokio::sync::Semaphore;

use crate::{embedding::EmbeddingError, local::Reader};
use catalog::{Catalog, CatalogError, Room};
use metrics::Metrics;
use token::Keys;

/// Uploads that are read and parsed at once: a schema of 100 MiB takes some ten
/// times as much while it is.
const UPLOADS: usize = 2;

/// How long a new connection may take to send the head of its first request.
const FIRST_REQUEST: Duration = Duration::from_secs(30);

/// How often unused indexes are looked for, at least and at most: a quarter of
/// the time that they may go unused lies between.
const SWEEPS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_mins(1));

/// What a service is started with.
#[derive(Debug)]
pub struct Options {
    /// Where graphs are kept.
    pub data: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// The keys of tokens; none where everyone may do everything.
    pub keys: Option<Keys>,
    /// The certificate chain and its key, PEM files both.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// How much is taken on.
    pub limits: Limits,
    /// How long an index may go unused.
    pub index_ttl: Duration,
    /// How long requests in flight have when the service stops.
    pub grace: Duration,
    /// How questions are read.
    pub reader: Reader,
}

/// How much a service takes on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest schema in bytes, unpacked.
    pub schema_bytes: usize,
    /// The most requests in flight.
    pub requests: usize,
    /// The longest that a request may take.
    pub time: Duration,
    /// How many graphs there may be, and how many builds may wait.
    pub room: Room,
    /// Builds at a time.
    pub builds: usize,
}

/// Why a service does not start, or stops by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The graphs cannot be kept.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The model does not load.
    #[error(transparent)]
    Embedding(#[from] EmbeddingError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        reason: io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot use the certificate `{certificate}` with the key `{key}`: {reason}")]
    Tls {
        /// The file of the certificate chain.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong.
        reason: io::Error,
    },
    /// The server broke.
    #[error("the server stopped: {0}")]
    Server(#[from] io::Error),
}

/// What the routes share.
pub struct Service {
    catalog: Arc<Catalog>,
    keys: Option<Keys>,
    limits: Limits,
    metrics: Arc<Metrics>,
    /// A permit for each request that may be in flight.
    requests: Arc<Semaphore>,
    /// A permit for each upload that may be read.
    uploads: Arc<Semaphore>,
}

/// Serves until the process is told to stop (SIGTERM or Ctrl-C), then lets
/// requests in flight end within the grace. `beside` is given the catalog and
/// returns what is served beside the API.
///
/// # Errors
/// Any [`ServiceError`].
pub async fn serve(
    options: Options,
    beside: impl FnOnce(&Arc<Catalog>) -> Router,
) -> Result<(), ServiceError> {
    let Options { data, listen, keys, tls, limits, index_ttl, grace, reader } = options;
    let metrics = Arc::new(Metrics::new());
    let vocabulary = Arc::clone(&reader.vocabulary);
    let catalog = Arc::new(Catalog::open(&data, limits.room, vocabulary, Arc::clone(&metrics))?);
    let service = Arc::new(Service {
        catalog: Arc::clone(&catalog),
        keys,
        limits,
        metrics,
        requests: Arc::new(Semaphore::new(limits.requests)),
        uploads: Arc::new(Semaphore::new(UPLOADS)),
    });
    let app = routes::router(&service).merge(beside(&catalog));

    let unheard = |reason| ServiceError::Listen { address: listen, reason };
    let listener = TcpListener::bind(listen).map_err(unheard)?;
    listener.set_nonblocking(true).map_err(unheard)?;
    let address = listener.local_addr().map_err(unheard)?;
    let tls = match tls {
        None => None,
        Some((certificate, key)) => {
            Some(certified(&certificate, &key).await.map_err(|reason| ServiceError::Tls {
                certificate,
                key,
                reason,
            })?)
        }
    };
    let scheme = if tls.is_some() { "https" } else { "http" };
    tracing::info!("listening on {scheme}://{address}");

    let handle = Handle::new();
    let served = {
        let handle = handle.clone();
        let app = app.into_make_service();
        tokio::spawn(async move {
            if let Some(tls) = tls {
                let server = axum_server::from_tcp_rustls(listener, tls)?;
                server.handle(handle).first_request_timeout(FIRST_REQUEST).serve(app).await
            } else {
                let server = axum_server::from_tcp(listener)?;
                server.handle(handle).first_request_timeout(FIRST_REQUEST).serve(app).await
            }
        })
    };
    let loaded = {
        let catalog = Arc::clone(&catalog);
        tokio::task::spawn_blocking(move || catalog.load(&reader))
    };
    build::start(&catalog, limits.builds);
    let sweeping = tokio::spawn(sweep(Arc::clone(&catalog), index_ttl));

    let failure = tokio::select! {
        failure = failed(loaded) => Some(ServiceError::Embedding(failure)),
        () = told_to_stop() => None,
    };
    tracing::info!("stopping; requests in flight have {grace:?}");
    sweeping.abort();
    catalog.drain();
    handle.graceful_shutdown(Some(grace));
    let ended = served.await.map_err(io::Error::other)?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(ended?),
    }
}

/// Ends where the model does not load, and never where it does.
async fn failed(loaded: tokio::task::JoinHandle<Result<(), EmbeddingError>>) -> EmbeddingError {
    match loaded.await {
        Ok(Ok(())) => std::future::pending().await,
        Ok(Err(error)) => error,
        Err(error) => EmbeddingError::Runtime(error.to_string()),
    }
}

async fn sweep(catalog: Arc<Catalog>, ttl: Duration) {
    let pause = (ttl / 4).clamp(SWEEPS.0, SWEEPS.1);
    loop {
        tokio::time::sleep(pause).await;
        let catalog = Arc::clone(&catalog);
        if let Err(error) = tokio::task::spawn_blocking(move || catalog.expire(ttl)).await {
            tracing::error!(%error, "unused indexes were not looked for");
        }
    }
}

async fn certified(certificate: &Path, key: &Path) -> io::Result<RustlsConfig> {
    crate::tls::install();
    RustlsConfig::from_pem_file(certificate, key).await
}

async fn told_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler for it, the signal ends the process in the usual way.
    if interrupt.await.is_err() {
        std::future::pending::<()>().await;
    }
}
