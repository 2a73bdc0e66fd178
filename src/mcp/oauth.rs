//! An OAuth 2.1 resource server, as MCP's authorization asks: bearer tokens of
//! one issuer are checked, what a token must allow depends on the method, and
//! metadata (RFC 9728) says where to get one. Tokens go no further than here.

use std::fmt::Write as _;

use axum::{
    Json,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use jsonwebtoken::{Validation, errors::ErrorKind};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};

use super::keys::{Key, Keys, KeysUnavailable};

/// Where the metadata of a resource is found (RFC 9728, section 3).
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// How far the issuer's clock may be off, in seconds; what RFC 7519 calls "a few
/// minutes" at most.
const CLOCK_SKEW: u64 = 60;

/// The longest token in bytes. Tokens that list a user's groups reach some kB.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// When a client may try again while the issuer's keys are missing, in seconds.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("5");

/// Whose tokens are taken, and what they must say.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// The issuer, exactly as its tokens name it (`iss`).
    pub issuer: String,
    /// Where its public keys are.
    pub jwks_url: Url,
    /// The audience that a token must be for (`aud`).
    pub audience: String,
    /// The URL by which clients know the endpoint.
    pub resource: Url,
    /// What a token must allow.
    pub scopes: Scopes,
}

/// The scopes that a token must have, all of those of the method in question;
/// where there are none, any valid token will do.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    /// For `initialize` and `server/discover`, and for all that is named nowhere.
    pub initialize: Vec<String>,
    /// For `tools/list`.
    pub tools_list: Vec<String>,
    /// For `tools/call`, whichever tool it is.
    pub tools_call: Vec<String>,
}

/// Checks the tokens of requests.
pub struct ResourceServer {
    oauth: OAuth,
    keys: Keys,
    metadata_url: Url,
}

/// Why a request goes no further.
#[derive(Debug)]
enum Refusal {
    NoToken,
    BadToken(&'static str),
    MissingScope { granted: Vec<String> },
    NoKeys,
}

/// What is read of a token besides what every token has. Issuers differ: `scope`
/// is a list in one string (RFC 9068), `scp` that or an array.
#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    scope: Option<ScopeClaim>,
    #[serde(default)]
    scp: Option<ScopeClaim>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ScopeClaim {
    Line(String),
    List(Vec<String>),
}

impl Scopes {
    /// Whether any valid token will do for everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// What a method needs. A message without one that can be read needs all
    /// there is: whatever it is taken for later, it may do.
    fn needed(&self, method: Option<&str>) -> Vec<&str> {
        let all = [&self.initialize, &self.tools_list, &self.tools_call];
        let lists = match method {
            Some("tools/list") => vec![&self.tools_list],
            Some("tools/call") => vec![&self.tools_call],
            Some(_) => vec![&self.initialize],
            None => all.into(),
        };
        distinct(lists.into_iter().flatten().map(String::as_str))
    }

    fn all(&self) -> Vec<&str> {
        self.needed(None)
    }
}

impl ResourceServer {
    /// A resource server, which fetches the issuer's keys when it first needs
    /// them.
    ///
    /// # Errors
    /// A sentence where no keys can be fetched from this machine at all.
    pub fn new(oauth: OAuth) -> Result<Self, String> {
        let keys = Keys::new(oauth.jwks_url.clone())?;
        let mut metadata_url = oauth.resource.clone();
        let path = oauth.resource.path().trim_end_matches('/');
        metadata_url.set_path(&format!("{METADATA_PATH}{path}"));
        Ok(Self { oauth, keys, metadata_url })
    }

    /// The metadata of the resource (RFC 9728, section 2).
    #[must_use]
    pub fn metadata(&self) -> Value {
        let OAuth { issuer, resource, scopes, .. } = &self.oauth;
        let mut metadata = json!({
            // As MCP writes it, without a slash at its end.
            "resource": resource.as_str().trim_end_matches('/'),
            "resource_name": "Sextant",
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
        });
        if let (Some(metadata), scopes @ [_, ..]) = (metadata.as_object_mut(), &*scopes.all()) {
            metadata.insert("scopes_supported".to_owned(), json!(scopes));
        }
        metadata
    }

    /// Checks that a request's token allows a method; none where the method
    /// cannot be read.
    ///
    /// # Errors
    /// The response that refuses: 401 and 403 say in `WWW-Authenticate` where
    /// the metadata is and which scopes are needed (RFC 6750, section 3), 503
    /// that the issuer's keys are missing.
    pub async fn admit(&self, headers: &HeaderMap, method: Option<&str>) -> Result<(), Response> {
        let needed = self.oauth.scopes.needed(method);
        self.check(headers, &needed).await.map_err(|refusal| {
            tracing::info!(reason = refusal.reason(), "a request is refused");
            self.response(&refusal, &needed)
        })
    }

    async fn check(&self, headers: &HeaderMap, needed: &[&str]) -> Result<(), Refusal> {
        let token = bearer_token(headers)?;
        let header = jsonwebtoken::decode_header(token)
            .map_err(|_| Refusal::BadToken("the token is no signed JWT that can be read"))?;
        let key = match self.keys.find(header.kid.as_deref(), header.alg).await {
            Ok(Some(key)) => key,
            Ok(None) => return Err(Refusal::BadToken("the issuer has no such key")),
            Err(KeysUnavailable) => return Err(Refusal::NoKeys),
        };
        let granted = self.verify(token, &key)?;
        if needed.iter().all(|scope| granted.iter().any(|granted| granted == scope)) {
            Ok(())
        } else {
            Err(Refusal::MissingScope { granted })
        }
    }

    /// The scopes of a token that is genuine, for us, and valid now.
    fn verify(&self, token: &str, key: &Key) -> Result<Vec<String>, Refusal> {
        let mut validation = Validation::new(key.algorithm);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&[&self.oauth.issuer]);
        validation.set_audience(&[&self.oauth.audience]);
        validation.validate_nbf = true;
        validation.leeway = CLOCK_SKEW;
        let claims = jsonwebtoken::decode::<Claims>(token, &key.decoding, &validation)
            .map_err(|error| Refusal::BadToken(flaw(error.kind())))?
            .claims;
        Ok([claims.scope, claims.scp].into_iter().flatten().flat_map(ScopeClaim::scopes).collect())
    }

    fn response(&self, refusal: &Refusal, needed: &[&str]) -> Response {
        let reason = refusal.reason();
        let body = |error| Json(json!({ "error": error, "error_description": reason }));
        let (status, error, scopes) = match refusal {
            Refusal::NoKeys => {
                let retry = [(RETRY_AFTER, RETRY_SECONDS)];
                let body = body("temporarily_unavailable");
                return (StatusCode::SERVICE_UNAVAILABLE, retry, body).into_response();
            }
            // A request without credentials gets no error code (RFC 6750, section 3.1).
            Refusal::NoToken => (StatusCode::UNAUTHORIZED, None, needed.to_vec()),
            Refusal::BadToken(_) => {
                (StatusCode::UNAUTHORIZED, Some("invalid_token"), needed.to_vec())
            }
            // With what the token already has, so that the next one does not lack that.
            Refusal::MissingScope { granted } => {
                let known = self.oauth.scopes.all();
                let kept = known.into_iter().filter(|scope| granted.iter().any(|has| has == scope));
                let scopes = distinct(needed.iter().copied().chain(kept));
                (StatusCode::FORBIDDEN, Some("insufficient_scope"), scopes)
            }
        };
        let mut challenge = format!("Bearer resource_metadata=\"{}\"", self.metadata_url);
        if !scopes.is_empty() {
            let _ = write!(challenge, ", scope=\"{}\"", scopes.join(" "));
        }
        if let Some(error) = error {
            let _ = write!(challenge, ", error=\"{error}\", error_description=\"{reason}\"");
        }
        let mut response = (status, body(error.unwrap_or("unauthorized"))).into_response();
        // Scopes are checked to be of the characters that may stand here.
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl Refusal {
    /// It goes to the caller and into the log, so it repeats nothing of the token.
    fn reason(&self) -> &'static str {
        match self {
            Self::NoToken => "a bearer token is needed",
            Self::BadToken(flaw) => flaw,
            Self::MissingScope { .. } => "the token lacks a scope that this needs",
            Self::NoKeys => {
                "tokens cannot be checked now, since the issuer's keys cannot be fetched"
            }
        }
    }
}

impl ScopeClaim {
    fn scopes(self) -> Vec<String> {
        match self {
            Self::Line(line) => line.split_ascii_whitespace().map(str::to_owned).collect(),
            Self::List(list) => list,
        }
    }
}

/// The token of the one `Authorization` header.
fn bearer_token(headers: &HeaderMap) -> Result<&str, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(Refusal::NoToken)?;
    if values.next().is_some() {
        return Err(Refusal::BadToken("there is more than one Authorization header"));
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or(Refusal::NoToken)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::NoToken);
    }
    let token = token.trim();
    if token.len() > MAX_TOKEN_BYTES {
        return Err(Refusal::BadToken("the token is too long"));
    }
    Ok(token)
}

/// What is wrong with a token, in words that repeat nothing of it.
fn flaw(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidIssuer => "the token is of another issuer",
        ErrorKind::InvalidAudience => "the token is for another audience",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks exp, iss or aud",
        ErrorKind::InvalidSignature => "the token's signature is wrong",
        _ => "the token is no signed JWT that can be read",
    }
}

/// Each scope once, in the order of its first mention.
fn distinct<'a>(scopes: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for scope in scopes {
        if !distinct.contains(&scope) {
            distinct.push(scope);
        }
    }
    distinct
}
