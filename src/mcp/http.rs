//! MCP over streamable HTTP: one endpoint, `/mcp`, for clients of 2026-07-28,
//! which keep no session, and for those before, which begin with `initialize`.
//! Neither leaves anything behind in this process, so there is nothing to fill
//! up, and any process can answer any request.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::{HeaderValue, Method, header::WWW_AUTHENTICATE, request::Parts},
    middleware,
    routing::get,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::{
    McpError, Server,
    gate::{self, Gate},
    oauth::{METADATA_PATH, OAuth, ResourceServer},
    origin::AllowList,
};
use crate::discovery::Discovery;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// The largest message in bytes. The largest request that the tools take, 1,000
/// coordinates, is some 100 kB.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// How long a client may take to send a request's head, and how long it may leave
/// a connection unused: longer than the minute for which proxies keep theirs, so
/// that none sends a request into a connection that is being closed.
const HEAD_PATIENCE: Duration = Duration::from_secs(75);

/// How long requests that are under way may go on once the server is told to
/// stop: a little less than the 30 seconds after which Kubernetes kills.
const GRACE: Duration = Duration::from_secs(25);

/// How long a browser may remember that it may call.
const CORS_MEMORY: Duration = Duration::from_hours(1);

/// Who may call.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// By which host, and from which web pages.
    pub allowed: AllowList,
    /// With which tokens; without any where there is none.
    pub oauth: Option<OAuth>,
}

/// Serves MCP over HTTP until the process is told to stop, by SIGTERM or Ctrl-C.
///
/// # Errors
/// [`McpError::Listen`] where the address is not to be had, and
/// [`McpError::Session`] where the server breaks.
pub async fn serve_http<D: Discovery>(
    server: Server<D>,
    address: SocketAddr,
    access: Access,
) -> Result<(), McpError> {
    // Those who watch over a process call it by its address, which the gate would turn
    // away, and learn nothing here. MCP answers as soon as it listens: a tool says
    // itself that the index is still building.
    let router = router(server, access)?
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(async || "ready\n"));
    let refused = |error: io::Error| McpError::Listen { address, reason: error.to_string() };
    let listener = TcpListener::bind(address).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let handle = axum_server::Handle::new();
    let mut server = axum_server::from_tcp(listener).map_err(refused)?.handle(handle.clone());
    server.http_builder().http1().header_read_timeout(HEAD_PATIENCE);
    let stop = stop_signal().map_err(|error| McpError::Start(error.to_string()))?;
    tokio::spawn(async move {
        stop.await;
        tracing::info!("the server stops; requests that are under way are finished first");
        handle.graceful_shutdown(Some(GRACE));
    });
    tracing::info!(url = %format_args!("http://{address}{PATH}"), "MCP is served over HTTP");
    let end = server.serve(router.into_make_service()).await;
    end.map_err(|error| McpError::Session(error.to_string()))
}

/// The endpoint at [`PATH`], and the metadata at its well-known paths where
/// there is a resource server, to serve alone or beside others.
///
/// # Errors
/// [`McpError::Start`] where tokens could never be checked.
pub fn router<D: Discovery>(server: Server<D>, access: Access) -> Result<Router, McpError> {
    let Access { allowed, oauth } = access;
    let resource_server = oauth.map(ResourceServer::new).transpose().map_err(McpError::Start)?;
    let gate = Arc::new(Gate { allowed, resource_server });
    // The gate checks hosts and origins, before it looks at a token.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let sessions = Arc::new(NeverSessionManager::default());
    let endpoint = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let mut router = Router::new()
        .route_service(PATH, endpoint)
        .route_layer(middleware::from_fn_with_state(Arc::clone(&gate), gate::pass))
        .route_layer(DefaultBodyLimit::max(MAX_MESSAGE_BYTES));
    if let Some(resource_server) = &gate.resource_server {
        let metadata = resource_server.metadata();
        let document = get(async move || Json(metadata));
        // A proxy may show the endpoint at another path than it has here.
        let of_path = format!("{METADATA_PATH}/{{*resource}}");
        router = router.route(METADATA_PATH, document.clone()).route(&of_path, document);
    }
    Ok(router.layer(cors(gate)))
}

/// Web pages of the allowed origins may call, and read what they need to get on.
fn cors(gate: Arc<Gate>) -> CorsLayer {
    let is_allowed =
        move |origin: &HeaderValue, _: &Parts| gate.allowed.allows_origin(origin.as_bytes());
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
        .allow_methods([Method::GET, Method::POST])
        // Clients of 2026-07-28 send headers named after a tool's arguments.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([WWW_AUTHENTICATE])
        .max_age(CORS_MEMORY)
}

/// Resolves when the process is told to stop. From the call on, a signal does
/// not end the process by itself.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Resolves when the process is told to stop.
#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
