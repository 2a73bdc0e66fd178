//! What stands before every request: tokens, limits, and the log.

use std::{sync::Arc, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    Service,
    contract::GraphName,
    problem::{Code, Problem},
    token::{Access, Refusal, Scope},
};

/// What the caller's token allows. Only the log says why one is refused.
///
/// # Errors
/// [`Code::TokenRefused`].
pub fn access(service: &Service, headers: &HeaderMap) -> Result<Access, Problem> {
    let Some(keys) = &service.keys else {
        return Ok(Access::EVERYTHING);
    };
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    keys.verify(authorization).map_err(refused)
}

/// Lets the holder of a token come to a graph.
///
/// # Errors
/// [`Code::TokenRefused`] and [`Code::ScopeTooSmall`].
pub fn admit(access: &Access, graph: &GraphName, scope: Scope) -> Result<(), Problem> {
    if !access.graphs.include(graph) {
        return Err(refused(Refusal::OtherGraph));
    }
    if access.scope < scope {
        return Err(Problem::new(
            Code::ScopeTooSmall,
            "The token is for reading; a change takes one of scope `write`.",
        ));
    }
    Ok(())
}

fn refused(reason: Refusal) -> Problem {
    tracing::warn!(%reason, "a request is refused");
    Problem::new(
        Code::TokenRefused,
        "Send `Authorization: Bearer TOKEN` with a token for this graph; `sextant token` makes one.",
    )
}

/// Bounds how many requests are in flight, and how long each may take. What a
/// request began goes on to its end in any case, and counts until then.
pub async fn limit(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let Ok(permit) = Arc::clone(&service.requests).try_acquire_owned() else {
        let detail =
            format!("{} requests are in flight, the most that may be.", service.limits.requests);
        return Problem::new(Code::Overloaded, detail).into_response();
    };
    let work = tokio::spawn(async move {
        let response = next.run(request).await;
        drop(permit);
        response
    });
    match tokio::time::timeout(service.limits.time, work).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            tracing::error!(%error, "a request broke off");
            Problem::internal().into_response()
        }
        Err(_) => Problem::timed_out(service.limits.time).into_response(),
    }
}

/// Counts and logs a request, without anything that its caller chose.
pub async fn observe(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let method = known(request.method());
    let response = next.run(request).await;
    let route = matched.as_ref().map_or("none", MatchedPath::as_str);
    let (status, time) = (response.status().as_u16(), started.elapsed());
    service.metrics.answered(route, method, status, time);
    tracing::debug!(route, method, status, seconds = time.as_secs_f32(), "a request is answered");
    response
}

/// Methods are free words; those that mean something here are few.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
