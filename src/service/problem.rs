//! What a caller is told when something is refused: a problem document of
//! RFC 9457, with a `code` that stays the same when its words change.

use std::time::Duration;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{GraphName, State};
use crate::discovery::DiscoveryError;

/// What a problem document's media type is.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// Which problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request is wrong; `detail` says what to change.
    RequestNotValid,
    /// What was uploaded is no schema; `detail` says where it is wrong.
    SchemaNotValid,
    /// The token is missing, wrong, expired, or for another graph.
    TokenRefused,
    /// The token is good, and allows only reading.
    ScopeTooSmall,
    /// There is no such graph.
    GraphUnknown,
    /// There is nothing at this path.
    NotFound,
    /// The path takes other methods.
    MethodNotAllowed,
    /// The body has a type or an encoding that is not read here.
    MediaType,
    /// The body is larger than the limit.
    TooLarge,
    /// The first build of the index is in flight.
    Building,
    /// The index was dropped, as nobody used it. Upload the schema again.
    Expired,
    /// The service starts or stops.
    Unready,
    /// The index could not be built or read; `detail` says why.
    Failed,
    /// There are as many graphs as there may be.
    TooManyGraphs,
    /// Too many builds are waiting.
    QueueFull,
    /// Too many requests are in flight.
    Overloaded,
    /// The request took too long.
    TimedOut,
    /// Something broke that should not; the service's log says what.
    Internal,
}

/// How long a caller had best wait before the next try, in seconds: a request
/// takes milliseconds, a start or a first build seconds, a queue of builds more.
const SOON: u64 = 1;
const SHORTLY: u64 = 2;
const LATER: u64 = 10;

impl Code {
    /// The status that goes with it. An index that is not there yet, or no more,
    /// is a state of the resource that the caller can do something about: 409.
    /// What only the service can mend is 5xx.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::RequestNotValid => StatusCode::BAD_REQUEST,
            Self::SchemaNotValid => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TokenRefused => StatusCode::UNAUTHORIZED,
            Self::ScopeTooSmall => StatusCode::FORBIDDEN,
            Self::GraphUnknown | Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Building | Self::Expired | Self::Failed | Self::TooManyGraphs => {
                StatusCode::CONFLICT
            }
            Self::QueueFull => StatusCode::TOO_MANY_REQUESTS,
            Self::Unready | Self::Overloaded | Self::TimedOut => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The code as it stands in a problem document.
    #[must_use]
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }

    /// When to try again, in seconds; none where that helps nobody.
    #[must_use]
    pub const fn retry_after(self) -> Option<u64> {
        match self {
            Self::Overloaded => Some(SOON),
            Self::Building | Self::Expired | Self::Unready | Self::TimedOut => Some(SHORTLY),
            Self::QueueFull => Some(LATER),
            _ => None,
        }
    }

    /// One line that says the problem, the same every time.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::RequestNotValid => "The request is not valid.",
            Self::SchemaNotValid => "The schema is not valid.",
            Self::TokenRefused => "The request carries no token that is good here.",
            Self::ScopeTooSmall => "The token does not allow this.",
            Self::GraphUnknown => "There is no such graph.",
            Self::NotFound => "There is nothing here.",
            Self::MethodNotAllowed => "The method is not allowed here.",
            Self::MediaType => "The body is of a kind that is not read here.",
            Self::TooLarge => "The body is too large.",
            Self::Building => "The schema index is still building.",
            Self::Expired => "The schema index expired.",
            Self::Unready => "The schema index is not ready.",
            Self::Failed => "The schema index cannot serve.",
            Self::TooManyGraphs => "There are as many graphs as there may be.",
            Self::QueueFull => "Too many builds are waiting.",
            Self::Overloaded => "Too many requests are in flight.",
            Self::TimedOut => "The request took too long.",
            Self::Internal => "The service failed.",
        }
    }
}

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Problem {
    /// `urn:sextant:problem:` and the code.
    pub r#type: String,
    /// One line that says the problem, the same every time.
    pub title: String,
    /// The HTTP status.
    #[schemars(range(min = 400, max = 599))]
    pub status: u16,
    /// What went wrong this time, and what to do next.
    pub detail: String,
    /// Which problem it is.
    pub code: Code,
}

impl Problem {
    /// The problem of this kind, in these words.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            r#type: format!("urn:sextant:problem:{}", code.name()),
            title: code.title().to_owned(),
            status: code.status().as_u16(),
            detail: detail.into(),
            code,
        }
    }

    /// What is wrong with a request that cannot be answered in this state of its
    /// graph; `reason` is that of a build that failed.
    #[must_use]
    pub fn of_state(state: State, reason: Option<&str>) -> Self {
        match state {
            State::Building => Self::new(
                Code::Building,
                "The first build of the index is in flight; ask again in a few seconds.",
            ),
            State::Expired => Self::new(
                Code::Expired,
                "Nobody used the index for long, and it was dropped; upload the schema again.",
            ),
            State::Failed => Self::new(Code::Failed, reason.unwrap_or("The log says why.")),
            State::Unready | State::Ready => {
                Self::new(Code::Unready, "The service starts or stops; ask again in a few seconds.")
            }
        }
    }

    /// There is no graph of this name.
    #[must_use]
    pub fn unknown(name: &GraphName) -> Self {
        Self::new(
            Code::GraphUnknown,
            format!(
                "There is no graph `{name}`; upload its schema with PUT /v1/graphs/{name}/schema."
            ),
        )
    }

    /// The request took longer than this.
    #[must_use]
    pub fn timed_out(limit: Duration) -> Self {
        Self::new(Code::TimedOut, format!("The request took longer than {limit:?}."))
    }

    /// What broke is in the log, and not for the caller.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Code::Internal, "The service's log says what went wrong.")
    }
}

impl From<DiscoveryError> for Problem {
    fn from(error: DiscoveryError) -> Self {
        match error {
            DiscoveryError::Building => Self::of_state(State::Building, None),
            DiscoveryError::Expired => Self::of_state(State::Expired, None),
            DiscoveryError::NotReady => Self::of_state(State::Unready, None),
            DiscoveryError::Invalid(reason) => Self::new(Code::RequestNotValid, reason),
            DiscoveryError::Failed(reason) => Self::new(Code::Failed, reason),
            // The adapter's errors; an index in this process has none of them.
            DiscoveryError::Misconfigured | DiscoveryError::Unreachable => Self::internal(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let code = self.code;
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (code.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(seconds) = code.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if code == Code::TokenRefused {
            let challenge = HeaderValue::from_static("Bearer realm=\"sextant\"");
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
