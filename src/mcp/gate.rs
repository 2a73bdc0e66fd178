//! What an HTTP request passes before it is dispatched: it comes from an allowed
//! place, its message is of a bounded size and can be read, and its token
//! allows the method that the message names.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{FromRequest as _, Request, State},
    http::{Method, StatusCode, header::AUTHORIZATION},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use rmcp::model::ErrorCode;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, json};
use tokio::time;

use super::{
    oauth::ResourceServer,
    origin::{AllowList, Stranger},
};

/// How long a client may take to send its message, so that none can hold a
/// connection for nothing.
const MESSAGE_PATIENCE: Duration = Duration::from_secs(30);

/// The checks of every request to the endpoint.
pub struct Gate {
    /// Where requests may come from.
    pub allowed: AllowList,
    /// Who checks tokens, where any are needed.
    pub resource_server: Option<ResourceServer>,
}

/// All that is read of a message here. A key that stands twice is an error: two
/// readers might disagree on which of them counts.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    method: Cow<'a, str>,
}

/// What is wrong with a message as a whole.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("the body is not valid JSON: {0}")]
    Json(serde_json::Error),
    #[error("the body is no request or notification of JSON-RPC 2.0; send one message a request")]
    Shape,
}

/// Lets a request through, or answers in its place.
pub async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match gate.check(request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal,
    }
}

impl Gate {
    /// The request to dispatch, without its token, which nobody needs any more.
    async fn check(&self, request: Request) -> Result<Request, Response> {
        self.allowed.check(request.uri(), request.headers()).map_err(|stranger| {
            tracing::warn!(reason = %stranger, "a request is turned away");
            let status = match stranger {
                Stranger::Nameless => StatusCode::BAD_REQUEST,
                Stranger::Host(_) | Stranger::Origin => StatusCode::FORBIDDEN,
            };
            (status, stranger.to_string()).into_response()
        })?;
        let (mut parts, body) = request.into_parts();
        let message = read(Request::from_parts(parts.clone(), body)).await?;
        let method = match parts.method {
            Method::POST => method_of(&message),
            // Nothing is asked by other means than POST; whoever tries needs a token too.
            _ => Ok(Cow::Borrowed(parts.method.as_str())),
        };
        if let Some(resource_server) = &self.resource_server {
            resource_server.admit(&parts.headers, method.as_deref().ok()).await?;
        }
        method.map_err(|problem| problem.response())?;
        parts.headers.remove(AUTHORIZATION);
        Ok(Request::from_parts(parts, Body::from(message)))
    }
}

/// The whole message, within the limits of size and time.
async fn read(request: Request) -> Result<Bytes, Response> {
    match time::timeout(MESSAGE_PATIENCE, Bytes::from_request(request, &())).await {
        Ok(Ok(message)) => Ok(message),
        Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(error(
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::INVALID_REQUEST,
            "the message is too large",
        )),
        Ok(Err(rejection)) => Err(rejection.into_response()),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT.into_response()),
    }
}

/// The method that a message names.
fn method_of(message: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    // An array of two texts would pass for an envelope.
    if !message.trim_ascii_start().starts_with(b"{") {
        let syntax = serde_json::from_slice::<IgnoredAny>(message);
        return Err(syntax.map_or_else(Unreadable::Json, |_| Unreadable::Shape));
    }
    match serde_json::from_slice::<Envelope>(message) {
        Ok(envelope) if envelope.jsonrpc == "2.0" => Ok(envelope.method),
        Ok(_) => Err(Unreadable::Shape),
        Err(error) if error.is_data() => Err(Unreadable::Shape),
        Err(error) => Err(Unreadable::Json(error)),
    }
}

impl Unreadable {
    fn response(&self) -> Response {
        let code = match self {
            Self::Json(_) => ErrorCode::PARSE_ERROR,
            Self::Shape => ErrorCode::INVALID_REQUEST,
        };
        error(StatusCode::BAD_REQUEST, code, &self.to_string())
    }
}

/// An error of JSON-RPC, for a message whose `id` is not known.
fn error(status: StatusCode, code: ErrorCode, message: &str) -> Response {
    let error = json!({ "code": code, "message": message });
    (status, Json(json!({ "jsonrpc": "2.0", "id": Value::Null, "error": error }))).into_response()
}
