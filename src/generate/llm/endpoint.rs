//! Asks an OpenAI-compatible chat endpoint, over HTTP.
//!
//! Whatever answers there is not trusted: an answer has a size and a time, its
//! text is never logged, and one that repeats the key is thrown away.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use reqwest::{
    Client, StatusCode,
    header::{AUTHORIZATION, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::place::{Endpoint, is_loopback};

/// How long an endpoint has to take a connection. One that is there does so at
/// once, however long its model thinks.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest answer that is read. An operation has some hundred bytes; a model
/// that thinks aloud writes some ten thousand before it.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    role: &'static str,
    content: String,
}

impl Message {
    /// Tells the model what it is for.
    pub const fn system(content: String) -> Self {
        Self { role: "system", content }
    }

    /// Asks the model.
    pub const fn user(content: String) -> Self {
        Self { role: "user", content }
    }

    /// What the model said.
    pub const fn assistant(content: String) -> Self {
        Self { role: "assistant", content }
    }
}

/// Why an endpoint gave no answer. No message holds anything that the endpoint
/// said: it may repeat the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no client can be made for it: the system has no usable certificates")]
    NoClient,
    #[error("it cannot be connected to")]
    Unreachable,
    #[error("its answer broke off")]
    BrokeOff,
    #[error("it answers {0}")]
    Status(StatusCode),
    #[error("its answer is larger than {} KiB", MAX_ANSWER_BYTES >> 10)]
    TooLarge,
    #[error("its answer is not that of a chat endpoint")]
    NoAnswer,
    #[error("its answer repeats the key")]
    RepeatsKey,
}

/// Asks one model at an endpoint.
pub struct Asker {
    endpoint: Endpoint,
    model: String,
    client: Client,
    /// Does the model take no temperature?
    warm: AtomicBool,
}

impl Asker {
    /// Makes the client; sends nothing.
    ///
    /// # Errors
    /// [`Failure::NoClient`] where the system has no certificates to check a
    /// server's with.
    pub fn new(endpoint: Endpoint, model: String) -> Result<Self, Failure> {
        // Fails where the process has one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("sextant/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect would carry the key to another host.
            .redirect(Policy::none());
        if endpoint.url.scheme() == "http" {
            // Nothing is encrypted, so no certificates are needed.
            client = client.tls_certs_only([]);
        }
        if is_loopback(&endpoint.url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|_| Failure::NoClient)?;
        Ok(Self { endpoint, model, client, warm: AtomicBool::new(false) })
    }

    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// What the model says. Whoever drops the future closes the connection.
    pub async fn ask(&self, messages: &[Message]) -> Result<String, Failure> {
        // One prompt is to get one answer.
        let temperature = (!self.warm.load(Ordering::Relaxed)).then_some(0);
        let (mut status, mut bytes) = self.post(messages, temperature).await?;
        // Models that reason take no temperature but their own.
        let refused = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
        if refused && temperature.is_some() {
            (status, bytes) = self.post(messages, None).await?;
            self.warm.store(status.is_success(), Ordering::Relaxed);
        }
        if !status.is_success() {
            return Err(Failure::Status(status));
        }
        let completion: Completion =
            serde_json::from_slice(&bytes).map_err(|_| Failure::NoAnswer)?;
        let text = completion.text().ok_or(Failure::NoAnswer)?;
        let key = self.endpoint.key.as_ref().map(SecretString::expose_secret);
        if key.is_some_and(|key| text.contains(key)) {
            return Err(Failure::RepeatsKey);
        }
        Ok(text)
    }

    async fn post(
        &self,
        messages: &[Message],
        temperature: Option<u8>,
    ) -> Result<(StatusCode, Vec<u8>), Failure> {
        let model = &self.model;
        let body = Request { model, messages, stream: false, temperature };
        let mut request = self.client.post(self.endpoint.url.clone()).json(&body);
        if let Some(key) = &self.endpoint.key {
            request = request.header(AUTHORIZATION, bearer(key).ok_or(Failure::NoClient)?);
        }
        let mut response = request.send().await.map_err(|error| failure(&error))?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(Failure::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok((status, bytes))
    }
}

fn bearer(key: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The error's own text holds the URL, and with it the query.
fn failure(error: &reqwest::Error) -> Failure {
    if error.is_connect() { Failure::Unreachable } else { Failure::BrokeOff }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Message],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
}

/// What of an answer is read; servers add much else.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

impl Completion {
    fn text(self) -> Option<String> {
        match self.choices.into_iter().next()?.message.content? {
            Content::Text(text) => Some(text),
            Content::Parts(parts) => Some(parts.into_iter().map(|part| part.text).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_text_or_parts_of_it() {
        let text = |json: &str| serde_json::from_str::<Completion>(json).ok()?.text();
        let said = |content: &str| {
            text(&format!(r#"{{"choices": [{{"message": {{"content": {content}}}}}], "id": 1}}"#))
        };
        assert_eq!(said(r#""a""#).as_deref(), Some("a"));
        let parts = r#"[{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}]"#;
        assert_eq!(said(parts).as_deref(), Some("ab"));
        assert_eq!(said("null"), None);
        assert_eq!(text(r#"{"choices": []}"#), None);
        assert_eq!(text(r#"{"error": "no"}"#), None);
    }
}
