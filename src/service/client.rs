//! The service as a program elsewhere asks it.

use std::{
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use backon::{ExponentialBuilder, Retryable as _};
use flate2::{Compression, write::GzEncoder};
use reqwest::{
    Certificate, Method, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    contract::{GraphName, GraphStatus},
    problem::{Code, Problem},
};
use crate::schema::Schema;

/// How long the service has to take a connection.
const CONNECT: Duration = Duration::from_secs(3);

/// How long it has for a question, which takes it milliseconds.
const QUESTION: Duration = Duration::from_secs(10);

/// How long it has for an operation, and for taking a schema. By the contract of
/// the tools an operation takes up to half a minute.
const WORK: Duration = Duration::from_mins(1);

/// How often a request that may pass the next time is repeated, and the least
/// and the most that is waited between; an agent waits meanwhile.
const REPEATS: usize = 2;
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// The largest answer that is read, in bytes: a thousand records have a few
/// megabytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Where a service is, and how it is asked.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its URL; the paths of the API go below it.
    pub url: ServiceUrl,
    /// The graph that is asked.
    pub graph: GraphName,
    /// The file that holds the token.
    pub token_file: Option<PathBuf>,
    /// A file of certificates, PEM, that are trusted besides the system's.
    pub authorities: Option<PathBuf>,
}

/// The URL of a service. It holds no credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceUrl(Url);

impl ServiceUrl {
    /// Takes a URL that begins with `http://` or `https://`.
    ///
    /// # Errors
    /// Says what is wrong with it, without repeating it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url: Url = text.parse().map_err(|error| format!("the URL is malformed: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("the URL must begin with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the URL holds a user name or a password; give --token-file".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(
                "the URL has a query or a fragment; give the place of the service".to_owned()
            );
        }
        Ok(Self(url))
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// Why the service gave no answer. No message holds a token.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It refused.
    #[error("the service refuses: {} {}", .0.title, .0.detail)]
    Refused(Problem),
    /// It cannot be reached.
    #[error("the service is not reached: {0}")]
    Unreached(String),
    /// What answers is no discovery service of this release.
    #[error("what answers is no discovery service of this release: {0}")]
    Strange(String),
    /// The file of the token cannot be read, or holds no token.
    #[error("cannot read a token from `{}`: {reason}", .file.display())]
    Token {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl ClientError {
    /// May the same request pass in a moment?
    fn passes(&self) -> bool {
        match self {
            Self::Unreached(_) => true,
            Self::Refused(problem) => matches!(problem.code, Code::Overloaded | Code::Unready),
            Self::Strange(_) | Self::Token { .. } => false,
        }
    }
}

/// Asks one graph of a service, over connections that are kept.
pub struct Client {
    http: reqwest::Client,
    place: Place,
}

impl Client {
    /// Prepares to ask; connects when the first request is sent.
    ///
    /// # Errors
    /// Where the certificates cannot be read, in words.
    pub fn new(place: Place) -> Result<Self, String> {
        crate::tls::install();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            // A redirect would carry the token to another place.
            .redirect(Policy::none())
            .user_agent(concat!("sextant/", env!("CARGO_PKG_VERSION")));
        if place.url.0.scheme() == "http" {
            // Nothing is encrypted, and a small container may hold no certificates.
            builder = builder.tls_certs_only([]);
        } else if let Some(file) = &place.authorities {
            builder = builder.tls_certs_merge(authorities(file)?);
        }
        let http = builder.build().map_err(|error| chain(&error))?;
        Ok(Self { http, place })
    }

    /// How the graph is; none where the service does not know it.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub async fn status(&self) -> Result<Option<GraphStatus>, ClientError> {
        match self
            .send(&Request {
                method: Method::GET,
                tail: "",
                option: None,
                body: Body::None,
                time: QUESTION,
            })
            .await
        {
            Ok(status) => Ok(Some(status)),
            Err(ClientError::Refused(problem)) if problem.code == Code::GraphUnknown => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the graph its schema.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub async fn upload(&self, schema: &Schema) -> Result<GraphStatus, ClientError> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = packed
            .write_all(schema.sdl.as_bytes())
            .and_then(|()| packed.finish())
            .map_err(|error| ClientError::Strange(error.to_string()))?;
        let body = Body::Packed(packed);
        let (method, tail) = (Method::PUT, "/schema");
        self.send(&Request { method, tail, option: None, body, time: WORK }).await
    }

    /// Asks a question; all of them are safe to repeat. `tail` is the tool's, such
    /// as `/search`; an option goes into the query.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub async fn ask<Answer: DeserializeOwned>(
        &self,
        tail: &str,
        option: Option<(&str, &str)>,
        question: &impl Serialize,
    ) -> Result<Answer, ClientError> {
        let body = serde_json::to_vec(question)
            .map_err(|error| ClientError::Strange(error.to_string()))?;
        let time = if tail == "/generate" { WORK } else { QUESTION };
        let body = Body::Json(body);
        self.send(&Request { method: Method::POST, tail, option, body, time }).await
    }

    async fn send<Answer: DeserializeOwned>(
        &self,
        request: &Request<'_>,
    ) -> Result<Answer, ClientError> {
        let policy = ExponentialBuilder::default()
            .with_min_delay(PAUSES.0)
            .with_max_delay(PAUSES.1)
            .with_max_times(REPEATS)
            .with_jitter();
        (|| self.send_once(request)).retry(policy).when(ClientError::passes).await
    }

    async fn send_once<Answer: DeserializeOwned>(
        &self,
        request: &Request<'_>,
    ) -> Result<Answer, ClientError> {
        let mut url = self.place.url.0.clone();
        let base = url.path().trim_end_matches('/');
        url.set_path(&format!("{base}/v1/graphs/{}{}", self.place.graph, request.tail));
        if let Some((name, value)) = request.option {
            url.query_pairs_mut().append_pair(name, value);
        }
        let mut call = self.http.request(request.method.clone(), url).timeout(request.time);
        if let Some(file) = &self.place.token_file {
            call = call.header(AUTHORIZATION, bearer(file)?);
        }
        call = match &request.body {
            Body::None => call,
            Body::Json(body) => call.header(CONTENT_TYPE, "application/json").body(body.clone()),
            Body::Packed(body) => call
                .header(CONTENT_TYPE, "application/graphql")
                .header(CONTENT_ENCODING, "gzip")
                .body(body.clone()),
        };
        let unreached = |error: reqwest::Error| ClientError::Unreached(chain(&error.without_url()));
        let mut response = call.send().await.map_err(unreached)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(unreached)? {
            if body.len() + part.len() > MAX_ANSWER_BYTES {
                return Err(ClientError::Strange(format!(
                    "it sends over {MAX_ANSWER_BYTES} bytes"
                )));
            }
            body.extend_from_slice(&part);
        }
        read(status, &body)
    }
}

struct Request<'a> {
    method: Method,
    /// What follows the graph's name in the path.
    tail: &'a str,
    option: Option<(&'a str, &'a str)>,
    body: Body,
    time: Duration,
}

enum Body {
    None,
    Json(Vec<u8>),
    Packed(Vec<u8>),
}

fn read<Answer: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<Answer, ClientError> {
    let strange = |reason: serde_json::Error| {
        ClientError::Strange(format!("it answers {status}, and {reason}"))
    };
    if status.is_success() {
        return serde_json::from_slice(body).map_err(strange);
    }
    Err(ClientError::Refused(serde_json::from_slice(body).map_err(strange)?))
}

/// The header of the token, read anew each time: whoever rotates tokens replaces
/// the file.
fn bearer(file: &Path) -> Result<HeaderValue, ClientError> {
    let failed = |reason: String| ClientError::Token { file: shown(file), reason };
    let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let token = SecretString::from(text.trim());
    if token.expose_secret().is_empty() {
        return Err(failed("it is empty".to_owned()));
    }
    let mut header = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()))
        .map_err(|_| failed("it holds something that is no token".to_owned()))?;
    header.set_sensitive(true);
    Ok(header)
}

/// Whoever gives the token in place of its file must not find it in the log.
fn shown(file: &Path) -> PathBuf {
    let text = file.to_string_lossy();
    let is_token = text.starts_with("eyJ") && text.matches('.').count() == 2;
    if is_token { PathBuf::from("eyJ…") } else { file.to_owned() }
}

fn authorities(file: &Path) -> Result<Vec<Certificate>, String> {
    let failed = |reason: &dyn fmt::Display| {
        format!("cannot read certificates from `{}`: {reason}", file.display())
    };
    let pem = fs::read(file).map_err(|error| failed(&error))?;
    Certificate::from_pem_bundle(&pem).map_err(|error| failed(&error))
}

/// An error with its causes: reqwest's own words say little.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_holds_no_credentials() {
        for good in ["http://localhost:7343", "https://discovery.example/sextant/"] {
            assert!(ServiceUrl::parse(good).is_ok(), "{good}");
        }
        for bad in ["localhost:7343", "ftp://a", "http://", "http://a?token=b", "/path", ""] {
            assert!(ServiceUrl::parse(bad).is_err(), "{bad}");
        }
        let error = ServiceUrl::parse("http://me:s3cret@a").unwrap_err();
        assert!(error.contains("--token-file") && !error.contains("s3cret"), "{error}");
    }

    #[test]
    fn a_token_in_place_of_its_file_is_not_shown() {
        let error = bearer(Path::new("eyJhbGciOi.eyJpc3MiOi.c2lnbmF0dXJl")).unwrap_err();
        assert!(!error.to_string().contains("c2lnbmF0dXJl"), "{error}");
        assert!(bearer(Path::new("nowhere")).unwrap_err().to_string().contains("`nowhere`"));
    }
}
