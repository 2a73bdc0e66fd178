//! Asks a live endpoint for its schema, over HTTP.

use std::{fmt, io::Read, time::Duration};

use serde_json::json;
use ureq::{
    Agent,
    http::{HeaderName, HeaderValue, StatusCode, Uri, header::LOCATION},
};

use super::{
    definitions::Definitions,
    error::SchemaError,
    introspection,
    source::{Headers, MAX_SOURCE_BYTES},
};

/// How long an endpoint has to take the request; and to send its whole answer,
/// which for the largest graphs is computed for tens of seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TOTAL_TIMEOUT: Duration = Duration::from_mins(2);

/// How much of an endpoint's own message an error shows, in characters.
const MESSAGE: usize = 300;

/// Everything that introspection tells, by the September 2025 specification.
const FULL_QUERY: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType } directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } } fragment FullType on __Type { kind name description specifiedByURL isOneOf fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields(includeDeprecated: true) { ...InputValue } interfaces { name } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } } fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason } fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }";

/// What servers of the October 2016 specification understand.
const REDUCED_QUERY: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType } directives { name description locations args { ...InputValue } } } } fragment FullType on __Type { kind name description fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields { ...InputValue } interfaces { name } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } } fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue } fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }";

/// The URL of a GraphQL endpoint, shown without its query, which may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(String);

impl Url {
    /// Takes an absolute `http` or `https` URL.
    pub(super) fn parse(text: &str) -> Result<Self, SchemaError> {
        let bad = |reason: &str| SchemaError::BadUrl { reason: reason.to_owned() };
        // `http::Uri` has no fragments, and servers never see them.
        let text = text.split('#').next().unwrap_or_default();
        let uri: Uri = text.parse().map_err(|_| bad("it is malformed"))?;
        let authority = uri.authority().ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad(
                "it holds a user name or a password; give `--header 'Authorization: …'` in its place",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.split('?').next().unwrap_or_default())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

/// Introspects the endpoint: in full, or else as older servers understand it.
pub(super) fn introspect(url: &Url, headers: &Headers) -> Result<Definitions, SchemaError> {
    match ask(url, headers, FULL_QUERY) {
        Err(Refusal::OfQuery(reason)) => {
            tracing::info!(endpoint = %url, reason, "the full introspection query is refused; asking for less");
            ask(url, headers, REDUCED_QUERY)
        }
        answered => answered,
    }
    .map_err(|refusal| match refusal {
        Refusal::OfQuery(reason) | Refusal::OfRequest(reason) => {
            SchemaError::Endpoint { endpoint: url.to_string(), reason }
        }
        Refusal::Schema(error) => error,
    })
}

/// Why one request gave no schema.
enum Refusal {
    /// The endpoint speaks GraphQL but does not answer this query.
    OfQuery(String),
    /// The endpoint cannot be reached or does not let us in.
    OfRequest(String),
    /// The answer is no schema.
    Schema(SchemaError),
}

fn ask(url: &Url, headers: &Headers, query: &str) -> Result<Definitions, Refusal> {
    let (status, body) = post(url, headers, query).map_err(Refusal::OfRequest)?;
    let text = String::from_utf8(body).map_err(|_| {
        Refusal::OfRequest(format!("it answers {status} with something that is not UTF-8"))
    })?;
    match introspection::definitions(&url.to_string(), &text) {
        Ok(definitions) => Ok(definitions),
        // Servers answer a query with unknown fields with 200, 400 or 422, and
        // errors in place of data.
        Err(SchemaError::NotASchema { reason, .. }) if introspection::is_json(&text) => {
            let reason: String = reason.chars().take(MESSAGE).collect();
            let reason = format!("it answers {status}: {reason}");
            match status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Refusal::OfRequest(reason)),
                _ => Err(Refusal::OfQuery(reason)),
            }
        }
        Err(SchemaError::NotASchema { .. }) => {
            Err(Refusal::OfRequest(format!("it answers {status}, and not with JSON")))
        }
        Err(other) => Err(Refusal::Schema(other)),
    }
}

/// Posts the query and returns status and body. Errors are made here, word by
/// word, so that neither header values nor the URL's query can be in them.
fn post(url: &Url, headers: &Headers, query: &str) -> Result<(StatusCode, Vec<u8>), String> {
    let agent: Agent = Agent::config_builder()
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(TOTAL_TIMEOUT))
        .http_status_as_error(false)
        // A redirect would carry the headers, secrets among them, to another host.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("sextant/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut request = agent
        .post(&url.0)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json");
    for (name, value) in headers.iter() {
        request = request.header(name, value);
    }
    let body = json!({ "operationName": "IntrospectionQuery", "query": query }).to_string();
    let mut response = request.send(body).map_err(|error| explained(&error))?;
    let status = response.status();
    if status.is_redirection() {
        let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = target.and_then(|target| target.split('?').next()).unwrap_or("elsewhere");
        return Err(format!("it redirects to `{target}`; give that URL"));
    }
    let mut bytes = Vec::new();
    let mut body = response.body_mut().as_reader().take(MAX_SOURCE_BYTES + 1);
    body.read_to_end(&mut bytes)
        .map_err(|error| format!("its answer broke off ({})", error.kind()))?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(format!("its answer is larger than {} MiB", MAX_SOURCE_BYTES >> 20));
    }
    Ok((status, bytes))
}

fn explained(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "its host is not found".to_owned(),
        ureq::Error::ConnectionFailed => "it cannot be connected to".to_owned(),
        ureq::Error::Timeout(_) => "it does not answer in time".to_owned(),
        ureq::Error::Io(error) => format!("it cannot be reached ({})", error.kind()),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            "no secure connection can be made to it".to_owned()
        }
        _ => "the request fails".to_owned(),
    }
}

/// A header that may be sent, from `Name: value`. The value is marked sensitive.
pub(super) fn header(text: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':')?;
    let name = HeaderName::try_from(name.trim()).ok()?;
    let mut value = HeaderValue::from_str(value.trim()).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Write},
        net::TcpListener,
        thread,
    };

    use super::*;
    use crate::schema::{Source, load};

    /// Serves one answer a request and returns the URL, and what was asked.
    fn serve(
        answers: Vec<(&'static str, &'static str)>,
    ) -> (String, thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/graphql?key=hidden", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let mut asked = Vec::new();
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    reader.read_line(&mut head).unwrap();
                }
                let length: usize = head
                    .to_ascii_lowercase()
                    .split("content-length: ")
                    .nth(1)
                    .and_then(|rest| rest.lines().next()?.parse().ok())
                    .unwrap();
                let mut request = vec![0; length];
                reader.read_exact(&mut request).unwrap();
                asked.push(head + &String::from_utf8(request).unwrap());
                write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nLocation: http://b.example/x?key=1\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                )
                .unwrap();
            }
            asked
        });
        (url, server)
    }

    const SCHEMA: &str = r#"{"data": {"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q",
        "fields": [{"name": "a", "args": [], "type": {"kind": "SCALAR", "name": "Int"}}]}]}}}"#;

    fn source(url: &str) -> Source {
        Source::parse(url, &["Authorization: Bearer s3cret".to_owned()]).unwrap()
    }

    #[test]
    fn an_endpoint_is_introspected_with_headers() {
        let (url, server) = serve(vec![("200 OK", SCHEMA)]);
        let schema = load(&source(&url)).unwrap();
        assert_eq!(schema.sdl, "schema {\n  query: Q\n}\n\ntype Q {\n  a: Int\n}\n");
        let asked = server.join().unwrap().remove(0);
        assert!(asked.starts_with("POST /graphql?key=hidden "), "{asked}");
        assert!(asked.contains("Bearer s3cret") && asked.contains("isOneOf"), "{asked}");
    }

    #[test]
    fn an_old_server_is_asked_for_less() {
        let refusal =
            r#"{"errors": [{"message": "Cannot query field \"isOneOf\" on type \"__Type\"."}]}"#;
        let (url, server) = serve(vec![("400 Bad Request", refusal), ("200 OK", SCHEMA)]);
        assert!(load(&source(&url)).is_ok());
        let asked = server.join().unwrap();
        assert!(
            !asked[1].contains("isOneOf") && !asked[1].contains("args(includeDeprecated"),
            "{}",
            asked[1]
        );
    }

    #[test]
    fn refusals_are_explained_without_secrets() {
        let denied = r#"{"errors": [{"message": "who are you?"}]}"#;
        for (status, body, expected) in [
            (
                "401 Unauthorized",
                denied,
                "401 Unauthorized: it holds errors in place of one: who are you?",
            ),
            ("500 Internal Server Error", "<html>", "500 Internal Server Error, and not with JSON"),
            ("302 Found", "", "it redirects to `http://b.example/x`; give that URL"),
        ] {
            let (url, server) = serve(vec![(status, body)]);
            let source = source(&url);
            let error = load(&source).unwrap_err();
            let all = format!("{error} {error:?} {source} {source:?}");
            assert!(error.to_string().contains(expected), "{error}");
            assert!(!all.contains("s3cret") && !all.contains("hidden"), "{all}");
            server.join().unwrap();
        }
    }

    #[test]
    fn urls_with_credentials_or_no_host_are_refused() {
        assert!(Url::parse("http://u:p@a.example/").unwrap_err().to_string().contains("--header"));
        assert!(Url::parse("http://").is_err());
        assert_eq!(
            Url::parse("https://a.example/g?key=1#x").unwrap().to_string(),
            "https://a.example/g"
        );
    }
}
