//! The public keys of an issuer of tokens: fetched when they are first needed,
//! kept for a while, and fetched again when a token names one that is new.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use reqwest::{Client, StatusCode, Url, redirect};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

/// How long a set of keys is used before it is fetched again: the longest that
/// a key which its issuer withdrew is still accepted.
const FRESH_FOR: Duration = Duration::from_mins(10);

/// How long an old set goes on serving while the issuer cannot be reached.
const KEPT_FOR: Duration = Duration::from_hours(1);

/// Between two fetches for the sake of keys that nobody has heard of: tokens
/// cost nothing to invent.
const SEARCH_PAUSE: Duration = Duration::from_secs(30);

/// After a fetch that failed, before the next one.
const FAILURE_PAUSE: Duration = Duration::from_secs(5);

/// How long a fetch may take; a request waits for it.
const FETCH_TIME: Duration = Duration::from_secs(5);

/// The largest set of keys in bytes. An issuer publishes a handful of keys of 1
/// to 2 kB, ten times that with certificate chains.
const MAX_BYTES: usize = 256 * 1024;

/// The most keys that are read of a set.
const MAX_KEYS: usize = 100;

/// The shortest RSA modulus in bytes: 2,048 bits (RFC 7518, section 3.3).
const MIN_RSA_BYTES: usize = 256;

/// The keys behind a JWKS URL (RFC 7517).
pub struct Keys {
    url: Url,
    client: Client,
    held: RwLock<Option<Arc<KeySet>>>,
    attempts: Mutex<Attempts>,
}

/// A public key, and the one algorithm that it may be used with.
pub struct Key {
    id: Option<String>,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The key, as signatures are checked with it.
    pub decoding: DecodingKey,
}

struct KeySet {
    keys: Vec<Arc<Key>>,
    at: Instant,
}

/// When what was last tried; whoever holds it is the only one to fetch.
#[derive(Default)]
struct Attempts {
    failed: Option<Instant>,
    searched: Option<Instant>,
}

/// Why a set of keys was not fetched.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("the answer has the status {0}")]
    Status(StatusCode),
    #[error("the answer is larger than {MAX_BYTES} bytes")]
    Large,
    #[error("the answer is no JSON Web Key Set: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the set holds no public key for signatures that can be used")]
    Empty,
}

/// The issuer's keys are not at hand.
#[derive(Debug, thiserror::Error)]
#[error("the issuer's keys cannot be fetched")]
pub struct KeysUnavailable;

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

impl Keys {
    /// Keys that will be fetched from a URL.
    ///
    /// # Errors
    /// A sentence where this machine has no trust store.
    pub fn new(url: Url) -> Result<Self, String> {
        // Whoever is first installs it; all install the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .timeout(FETCH_TIME)
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| format!("keys cannot be fetched from here: {error}"))?;
        let (held, attempts) = (RwLock::new(None), Mutex::default());
        Ok(Self { url, client, held, attempts })
    }

    /// The key for a token's header; none where the issuer has no such key.
    ///
    /// # Errors
    /// [`KeysUnavailable`] where no keys are at hand, so that nobody can tell.
    pub async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<Arc<Key>>, KeysUnavailable> {
        let asked = Instant::now();
        let set = self.current().await?;
        let found = set.find(id, algorithm);
        // A set that came after the question would not know more by now.
        if found.is_some() || set.at >= asked {
            return Ok(found);
        }
        Ok(self.search(&set).await.find(id, algorithm))
    }

    /// The set at hand, or a new one where that is too old.
    async fn current(&self) -> Result<Arc<KeySet>, KeysUnavailable> {
        if let Some(set) = self.held(FRESH_FOR) {
            return Ok(set);
        }
        let mut attempts = self.attempts.lock().await;
        // Another request may have fetched it meanwhile.
        if let Some(set) = self.held(FRESH_FOR) {
            return Ok(set);
        }
        let is_paused = attempts.failed.is_some_and(|at| at.elapsed() < FAILURE_PAUSE);
        if !is_paused && let Some(set) = self.fetch(&mut attempts).await {
            return Ok(set);
        }
        self.held(KEPT_FOR).ok_or(KeysUnavailable)
    }

    /// A newer set than one that lacks a key, or the same where it is too early
    /// to ask again.
    async fn search(&self, lacking: &Arc<KeySet>) -> Arc<KeySet> {
        let mut attempts = self.attempts.lock().await;
        if let Some(newer) = self.held(FRESH_FOR).filter(|set| set.at > lacking.at) {
            return newer;
        }
        if attempts.searched.is_some_and(|at| at.elapsed() < SEARCH_PAUSE) {
            return Arc::clone(lacking);
        }
        attempts.searched = Some(Instant::now());
        self.fetch(&mut attempts).await.unwrap_or_else(|| Arc::clone(lacking))
    }

    fn held(&self, at_most: Duration) -> Option<Arc<KeySet>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().filter(|set| set.at.elapsed() < at_most).cloned()
    }

    async fn fetch(&self, attempts: &mut Attempts) -> Option<Arc<KeySet>> {
        match self.download().await {
            Ok(keys) => {
                tracing::debug!(url = %self.url, keys = keys.len(), "the issuer's keys are fetched");
                let set = Arc::new(KeySet { keys, at: Instant::now() });
                *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&set));
                attempts.failed = None;
                Some(set)
            }
            Err(error) => {
                tracing::error!(url = %self.url, %error, "the issuer's keys cannot be fetched");
                attempts.failed = Some(Instant::now());
                None
            }
        }
    }

    async fn download(&self) -> Result<Vec<Arc<Key>>, FetchError> {
        let request = self.client.get(self.url.clone());
        let mut response = request.send().await.map_err(reqwest::Error::without_url)?;
        if !response.status().is_success() {
            return Err(FetchError::Status(response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
            if bytes.len() + chunk.len() > MAX_BYTES {
                return Err(FetchError::Large);
            }
            bytes.extend_from_slice(&chunk);
        }
        let Document { keys } = serde_json::from_slice(&bytes)?;
        let keys: Vec<_> =
            keys.into_iter().take(MAX_KEYS).filter_map(usable).map(Arc::new).collect();
        if keys.is_empty() { Err(FetchError::Empty) } else { Ok(keys) }
    }
}

impl KeySet {
    /// A token that names no key can only mean the one key of its algorithm.
    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<Arc<Key>> {
        let mut found = self
            .keys
            .iter()
            .filter(|key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id));
        let first = found.next()?;
        found.next().is_none().then(|| Arc::clone(first))
    }
}

/// A key of a set, where it is public, for signatures, and of a kind that is
/// known. Sets hold other keys too, which are none of our business.
fn usable(jwk: Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(jwk).ok()?;
    let common = &jwk.common;
    let is_for_signatures =
        common.public_key_use.as_ref().is_none_or(|used| *used == PublicKeyUse::Signature)
            && common
                .key_operations
                .as_ref()
                .is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    let named = common.key_algorithm;
    let algorithm = match (&jwk.algorithm, named.map(Algorithm::try_from).transpose().ok()?) {
        (AlgorithmParameters::RSA(_), Some(algorithm)) => algorithm,
        // What a key without `alg` signs with everywhere, Entra ID among others.
        (AlgorithmParameters::RSA(_), None) => Algorithm::RS256,
        (AlgorithmParameters::EllipticCurve(key), named) => {
            let of_curve = match key.curve {
                EllipticCurve::P256 => Algorithm::ES256,
                EllipticCurve::P384 => Algorithm::ES384,
                _ => return None,
            };
            named.is_none_or(|named| named == of_curve).then_some(of_curve)?
        }
        (AlgorithmParameters::OctetKeyPair(key), None | Some(Algorithm::EdDSA))
            if key.curve == EllipticCurve::Ed25519 =>
        {
            Algorithm::EdDSA
        }
        // A shared secret among public keys would let its reader sign.
        _ => return None,
    };
    let decoding = DecodingKey::from_jwk(&jwk).ok()?;
    let is_strong = match decoding.kind() {
        DecodingKeyKind::RsaModulusExponent { n, .. } => n.len() >= MIN_RSA_BYTES,
        DecodingKeyKind::SecretOrDer(_) => true,
    };
    let fits = decoding.family() == algorithm.family();
    (is_for_signatures && is_strong && fits).then(|| Key {
        id: common.key_id.clone(),
        algorithm,
        decoding,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rsa(bytes: usize) -> String {
        // Base64url of a modulus of that length, all ones; the last letter holds the
        // 2 or 4 bits that are left.
        let bits = bytes * 8;
        "_".repeat(bits / 6) + if bits % 6 == 2 { "w" } else { "8" }
    }

    fn algorithm(key: Value) -> Option<Algorithm> {
        usable(key).map(|key| key.algorithm)
    }

    #[test]
    fn a_key_is_for_one_algorithm() {
        let (n, x) = (rsa(256), "_".repeat(42) + "8");
        let key = json!({ "kty": "RSA", "n": n, "e": "AQAB" });
        assert_eq!(algorithm(key), Some(Algorithm::RS256));
        let key = json!({ "kty": "RSA", "n": n, "e": "AQAB", "alg": "PS384", "use": "sig" });
        assert_eq!(algorithm(key), Some(Algorithm::PS384));
        let key = json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x });
        assert_eq!(algorithm(key), Some(Algorithm::ES256));
        let key = json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "key_ops": ["verify"] });
        assert_eq!(algorithm(key), Some(Algorithm::EdDSA));
    }

    #[test]
    fn keys_for_something_else_are_left_alone() {
        let (n, x) = (rsa(256), "_".repeat(42) + "8");
        for key in [
            json!({ "kty": "oct", "k": "c2VjcmV0", "alg": "HS256" }),
            json!({ "kty": "RSA", "n": n, "e": "AQAB", "alg": "HS256" }),
            json!({ "kty": "RSA", "n": n, "e": "AQAB", "alg": "ES256" }),
            json!({ "kty": "RSA", "n": n, "e": "AQAB", "alg": "RSA-OAEP" }),
            json!({ "kty": "RSA", "n": n, "e": "AQAB", "use": "enc" }),
            json!({ "kty": "RSA", "n": n, "e": "AQAB", "key_ops": ["encrypt"] }),
            json!({ "kty": "RSA", "n": rsa(128), "e": "AQAB" }),
            json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x, "alg": "RS256" }),
            json!({ "kty": "EC", "crv": "P-384", "x": x, "y": x, "alg": "ES256" }),
            json!({ "kty": "EC", "crv": "secp256k1", "x": x, "y": x }),
            json!({ "kty": "OKP", "crv": "X25519", "x": x }),
            json!({ "kty": "new" }),
            json!("no key"),
        ] {
            assert_eq!(algorithm(key.clone()), None, "{key}");
        }
    }
}
