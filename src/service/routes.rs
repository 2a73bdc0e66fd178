//! The paths of the service, and what each does.

use std::{io::Read as _, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, State},
    http::{HeaderMap, StatusCode, Uri, header, request::Parts},
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Service,
    answers::GraphDiscovery,
    contract::{BadGraphName, GraphList, GraphName, GraphStatus, State as Life},
    guard, metrics, openapi,
    problem::{Code, Problem},
    token::{Access, Scope},
};
use crate::{
    discovery::{
        Discovery as _, DiscoveryError, GenerateRequest, SearchRequest, SymbolsRequest, request_of,
    },
    schema::{self, Source},
};

/// The largest request of a tool in bytes. The longest prompt has 40 kB, and a
/// thousand coordinates have some 100 kB.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// The longest URL of an endpoint that is told on.
const MAX_ENDPOINT_BYTES: usize = 2048;

type Shared = State<Arc<Service>>;

/// Everything under `/v1`, and what says how the service is.
pub fn router(service: &Arc<Service>) -> Router {
    let max_schema = service.limits.schema_bytes;
    let graphs = Router::new()
        .route("/v1/graphs", get(list))
        .route("/v1/graphs/{graph}", get(status).delete(delete))
        .route("/v1/graphs/{graph}/search", post(search))
        .route("/v1/graphs/{graph}/symbols", post(symbols))
        .route("/v1/graphs/{graph}/generate", post(generate))
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        .route("/v1/graphs/{graph}/schema", put(upload).layer(DefaultBodyLimit::max(max_schema)))
        .layer(middleware::from_fn_with_state(Arc::clone(service), guard::limit));
    // Those who watch over a service carry no token, and learn no names here.
    Router::new()
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/metrics", get(count))
        .route("/openapi.json", get(description))
        .merge(graphs)
        .fallback(async || Problem::new(Code::NotFound, "The API is described in /openapi.json."))
        .method_not_allowed_fallback(async || {
            Problem::new(Code::MethodNotAllowed, "The API is described in /openapi.json.")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(service), guard::observe))
        .with_state(Arc::clone(service))
}

/// A graph that the caller may ask.
struct Reading(GraphName);

/// A graph that the caller may change.
struct Writing(GraphName);

impl FromRequestParts<Arc<Service>> for Reading {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        service: &Arc<Service>,
    ) -> Result<Self, Problem> {
        graph_of(parts, service, Scope::Read).await.map(Self)
    }
}

impl FromRequestParts<Arc<Service>> for Writing {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        service: &Arc<Service>,
    ) -> Result<Self, Problem> {
        graph_of(parts, service, Scope::Write).await.map(Self)
    }
}

async fn graph_of(
    parts: &mut Parts,
    service: &Arc<Service>,
    scope: Scope,
) -> Result<GraphName, Problem> {
    let access = guard::access(service, &parts.headers)?;
    let Path(name) = Path::<String>::from_request_parts(parts, service)
        .await
        .map_err(|error| Problem::new(Code::RequestNotValid, error.body_text()))?;
    let graph: GraphName = name
        .parse()
        .map_err(|error| Problem::from(DiscoveryError::invalid(BadGraphName::to_string(&error))))?;
    guard::admit(&access, &graph, scope)?;
    Ok(graph)
}

/// The request of a tool, read from a JSON body.
struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<Service>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Problem> {
        let media_type = text(request.headers(), &header::CONTENT_TYPE).to_ascii_lowercase();
        let is_json =
            media_type.split(';').next().is_some_and(|it| it.trim() == "application/json");
        if !is_json {
            return Err(Problem::new(
                Code::MediaType,
                "Send the request as JSON, with `Content-Type: application/json`.",
            ));
        }
        let bytes = bytes_of(request, service, MAX_REQUEST_BYTES).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::new(Code::RequestNotValid, format!("The body is no JSON: {error}."))
        })?;
        Ok(Self(request_of(value)?))
    }
}

async fn bytes_of(
    request: Request,
    service: &Arc<Service>,
    limit: usize,
) -> Result<Bytes, Problem> {
    // A body that never ends would hold its place for ever: the guard answers its
    // caller and lets go of nothing.
    let body = tokio::time::timeout(service.limits.time, Bytes::from_request(request, service));
    let body = body.await.map_err(|_| Problem::timed_out(service.limits.time))?;
    body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(limit),
        _ => Problem::new(Code::RequestNotValid, "The body broke off."),
    })
}

async fn list(State(service): Shared, headers: HeaderMap) -> Result<Json<GraphList>, Problem> {
    let Access { graphs, .. } = guard::access(&service, &headers)?;
    let all = service.catalog.list();
    let shown = all.into_iter().filter(|it| graphs.include(&it.graph)).collect();
    Ok(Json(GraphList { graphs: shown }))
}

async fn status(
    State(service): Shared,
    Reading(graph): Reading,
) -> Result<Json<GraphStatus>, Problem> {
    service.catalog.status(&graph).map(Json).ok_or_else(|| Problem::unknown(&graph))
}

async fn search(
    State(service): Shared,
    Reading(graph): Reading,
    Body(request): Body<SearchRequest>,
) -> Result<Response, Problem> {
    answer(discovery(&service, graph, None)?.search(request).await)
}

async fn symbols(
    State(service): Shared,
    Reading(graph): Reading,
    Body(request): Body<SymbolsRequest>,
) -> Result<Response, Problem> {
    answer(discovery(&service, graph, None)?.symbols(request).await)
}

async fn generate(
    State(service): Shared,
    Reading(graph): Reading,
    uri: Uri,
    Body(request): Body<GenerateRequest>,
) -> Result<Response, Problem> {
    let endpoint = endpoint(&uri)?;
    answer(discovery(&service, graph, endpoint)?.generate(request, &|_| {}).await)
}

/// What else a generation takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GenerateOptions {
    endpoint: Option<String>,
}

/// The URL that the guidance of an operation names: the caller's, as one service
/// answers for many graphs.
fn endpoint(uri: &Uri) -> Result<Option<String>, Problem> {
    let invalid = |reason: &str| Problem::new(Code::RequestNotValid, reason);
    let axum::extract::Query(options) = axum::extract::Query::<GenerateOptions>::try_from_uri(uri)
        .map_err(|error| invalid(&error.body_text()))?;
    match &options.endpoint {
        Some(url) if url.len() > MAX_ENDPOINT_BYTES => Err(invalid("`endpoint` is too long.")),
        Some(url) if !matches!(Source::parse(url, &[]), Ok(Source::Endpoint { .. })) => {
            Err(invalid("`endpoint` is no URL that begins with http:// or https://."))
        }
        _ => Ok(options.endpoint),
    }
}

/// The graph, if there is one.
fn discovery(
    service: &Service,
    graph: GraphName,
    endpoint: Option<String>,
) -> Result<GraphDiscovery, Problem> {
    // Which also says more of a graph that cannot answer than an error of a tool.
    service.catalog.engine(&graph)?;
    Ok(GraphDiscovery::new(Arc::clone(&service.catalog), graph, endpoint))
}

fn answer<T: Serialize>(answer: Result<T, DiscoveryError>) -> Result<Response, Problem> {
    Ok(Json(answer?).into_response())
}

async fn upload(
    State(service): Shared,
    Writing(graph): Writing,
    request: Request,
) -> Result<(StatusCode, Json<GraphStatus>), Problem> {
    let gzip = match text(request.headers(), &header::CONTENT_ENCODING) {
        "" | "identity" => false,
        "gzip" => true,
        _ => return Err(Problem::new(Code::MediaType, "Send the schema as it is, or by gzip.")),
    };
    // Each upload holds its schema several times over, so few are read at once.
    let permit =
        Arc::clone(&service.uploads).acquire_owned().await.map_err(|_| Problem::internal())?;
    let limit = service.limits.schema_bytes;
    let bytes = bytes_of(request, &service, limit).await?;
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let sdl = if gzip { unpacked(&bytes, limit)? } else { bytes.into() };
        let invalid = |reason: String| Problem::new(Code::SchemaNotValid, reason);
        let sdl = String::from_utf8(sdl).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            invalid(format!("The schema is not valid UTF-8 at byte {at}; send it as UTF-8."))
        })?;
        let schema = schema::parse_sdl(&sdl).map_err(|error| invalid(error.to_string()))?;
        service.catalog.put(&graph, &schema)
    });
    let upload = work.await.map_err(|error| {
        tracing::error!(%error, "an upload broke off");
        Problem::internal()
    })??;
    let status = if upload.is_current { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(upload.status)))
}

/// Unpacks to the limit and no further: a few bytes may stand for gigabytes.
fn unpacked(bytes: &[u8], limit: usize) -> Result<Vec<u8>, Problem> {
    let mut sdl = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(bytes).take(most).read_to_end(&mut sdl).map_err(|_| {
        Problem::new(Code::RequestNotValid, "The body is said to be gzip and is not.")
    })?;
    if sdl.len() > limit { Err(too_large(limit)) } else { Ok(sdl) }
}

fn too_large(limit: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("The body may have {limit} bytes and has more."))
}

async fn delete(State(service): Shared, Writing(graph): Writing) -> Result<StatusCode, Problem> {
    let work = tokio::task::spawn_blocking(move || service.catalog.remove(&graph));
    work.await.map_err(|_| Problem::internal())??;
    Ok(StatusCode::NO_CONTENT)
}

/// The process is there and answers.
async fn health() -> &'static str {
    "ok\n"
}

/// Requests can be sent here.
async fn readiness(State(service): Shared) -> Result<&'static str, Problem> {
    if service.catalog.is_ready() {
        Ok("ready\n")
    } else {
        Err(Problem::of_state(Life::Unready, None))
    }
}

async fn count(State(service): Shared) -> Result<Response, Problem> {
    let states: Vec<_> = service.catalog.list().iter().map(|graph| graph.state).collect();
    let text =
        service.metrics.text(&states, service.catalog.queued()).map_err(|_| Problem::internal())?;
    Ok(([(header::CONTENT_TYPE, metrics::MEDIA_TYPE)], text).into_response())
}

async fn description() -> Json<&'static serde_json::Value> {
    Json(openapi::document())
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim()
}
