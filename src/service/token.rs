//! Bearer tokens: signed with a key that the service holds, good for one graph
//! or for all, for a while, to read or to write.
//!
//! A token is a JSON Web Token signed by HMAC with SHA-256. The first key signs;
//! all verify, so that a new key is put first and the old one stays until its
//! tokens are gone.

use std::{fs, path::Path, str::FromStr, time::Duration};

use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode, errors::ErrorKind,
    get_current_timestamp,
};
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::contract::GraphName;

/// The shortest key in bytes: as long as the hash, as RFC 7518 asks.
const MIN_KEY_BYTES: usize = 32;

/// The most keys: each costs a hash for a token that none of them signed.
const MAX_KEYS: usize = 8;

/// The longest token in bytes; ours have about 200.
const MAX_TOKEN_BYTES: usize = 4096;

/// Who signs, and for whom: a token of another program under the same key is
/// not taken.
const ISSUER: &str = "sextant";

/// The graph of a token that is good for all.
const EVERY_GRAPH: &str = "*";

/// What a token allows. The order is that of what it takes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To ask.
    Read,
    /// To ask, to upload a schema, and to delete the graph.
    Write,
}

/// Which graphs a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Graphs {
    /// All, those to come as well.
    Every,
    /// One.
    Only(GraphName),
}

impl Graphs {
    /// Is this graph among them?
    #[must_use]
    pub fn include(&self, graph: &GraphName) -> bool {
        match self {
            Self::Every => true,
            Self::Only(only) => only == graph,
        }
    }
}

impl FromStr for Graphs {
    type Err = super::contract::BadGraphName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == EVERY_GRAPH { Ok(Self::Every) } else { text.parse().map(Self::Only) }
    }
}

/// What a token says.
#[derive(Debug, Deserialize, Serialize)]
struct Claims {
    iss: String,
    graph: String,
    scope: Scope,
    iat: u64,
    exp: u64,
}

/// Why a request is not let in. The log tells them apart; the caller is not
/// told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no `Authorization: Bearer …`.
    #[error("the token is missing")]
    Missing,
    /// None of the keys signed it, or it is no token.
    #[error("the token is wrong")]
    Wrong,
    /// Its time is over.
    #[error("the token expired")]
    Expired,
    /// It is for another graph.
    #[error("the token is for another graph")]
    OtherGraph,
}

/// Why there are no keys, or no token.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the token keys in `{path}`: {reason}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        reason: std::io::Error,
    },
    /// There is none.
    #[error("there are no token keys; give one a line, for example of `openssl rand -hex 32`")]
    None,
    /// One is too short.
    #[error(
        "token key {position} is shorter than {MIN_KEY_BYTES} characters; make one with `openssl rand -hex 32`"
    )]
    Short {
        /// Which, from 1.
        position: usize,
    },
    /// There are too many.
    #[error(
        "there are {0} token keys, and {MAX_KEYS} is the most; drop those whose tokens expired"
    )]
    TooMany(usize),
    /// The token cannot be signed.
    #[error("the token cannot be signed")]
    Sign,
}

/// The keys, which are never shown.
pub struct Keys(Vec<SecretString>);

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({} secret)", self.0.len())
    }
}

impl Keys {
    /// Reads keys from a file, one a line; lines that are empty or begin with
    /// `#` are none.
    ///
    /// # Errors
    /// Any [`KeyError`] but [`KeyError::Sign`].
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text = fs::read_to_string(path)
            .map_err(|reason| KeyError::Read { path: path.display().to_string(), reason })?;
        Self::parse(&SecretString::from(text))
    }

    /// Takes keys as they stand in a file.
    ///
    /// # Errors
    /// As [`Keys::read`].
    pub fn parse(text: &SecretString) -> Result<Self, KeyError> {
        let lines = text.expose_secret().lines().map(str::trim);
        let keys: Vec<SecretString> = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(SecretString::from)
            .collect();
        if keys.is_empty() {
            return Err(KeyError::None);
        }
        if keys.len() > MAX_KEYS {
            return Err(KeyError::TooMany(keys.len()));
        }
        match keys.iter().position(|key| key.expose_secret().len() < MIN_KEY_BYTES) {
            Some(at) => Err(KeyError::Short { position: at + 1 }),
            None => Ok(Self(keys)),
        }
    }

    /// Signs a token with the first key.
    ///
    /// # Errors
    /// [`KeyError::Sign`].
    pub fn sign(
        &self,
        graphs: &Graphs,
        scope: Scope,
        ttl: Duration,
    ) -> Result<SecretString, KeyError> {
        let key = self.0.first().ok_or(KeyError::None)?;
        let graph = match graphs {
            Graphs::Every => EVERY_GRAPH.to_owned(),
            Graphs::Only(graph) => graph.to_string(),
        };
        let iat = get_current_timestamp();
        let exp = iat.saturating_add(ttl.as_secs());
        let claims = Claims { iss: ISSUER.to_owned(), graph, scope, iat, exp };
        let key =
            EncodingKey::from_secret(key.expose_secret().as_bytes()).map_err(|_| KeyError::Sign)?;
        let token =
            encode(&Header::new(Algorithm::HS256), &claims, &key).map_err(|_| KeyError::Sign)?;
        Ok(SecretString::from(token))
    }

    /// What the `Authorization` header of a request allows. Signatures are
    /// compared in constant time.
    ///
    /// # Errors
    /// Any [`Refusal`] but [`Refusal::OtherGraph`].
    pub fn verify(&self, authorization: Option<&str>) -> Result<Access, Refusal> {
        let token = authorization.and_then(bearer).ok_or(Refusal::Missing)?;
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Refusal::Wrong);
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_required_spec_claims(&["exp", "iss"]);
        validation.set_issuer(&[ISSUER]);
        validation.leeway = 0;
        let mut refusal = Refusal::Wrong;
        for key in &self.0 {
            let Ok(key) = DecodingKey::from_secret(key.expose_secret().as_bytes()) else {
                continue;
            };
            match decode::<Claims>(token, &key, &validation) {
                // The crate lets a token live through the second in which it expires.
                Ok(found) if found.claims.exp <= get_current_timestamp() => {
                    refusal = Refusal::Expired;
                }
                Ok(found) => {
                    let graphs = found.claims.graph.parse().map_err(|_| Refusal::Wrong)?;
                    return Ok(Access { graphs, scope: found.claims.scope });
                }
                Err(error) if matches!(error.kind(), ErrorKind::ExpiredSignature) => {
                    refusal = Refusal::Expired;
                }
                Err(_) => {}
            }
        }
        Err(refusal)
    }
}

/// What a token allows, and for which graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// For which graphs.
    pub graphs: Graphs,
    /// What.
    pub scope: Scope,
}

impl Access {
    /// All there is, for a service that asks for no token.
    pub const EVERYTHING: Self = Self { graphs: Graphs::Every, scope: Scope::Write };
}

/// The token of `Bearer TOKEN`; schemes have no case.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = "an-old-key-of-more-than-32-characters";
    const NEW: &str = "a-new-key--of-more-than-32-characters";

    fn keys(text: &str) -> Keys {
        Keys::parse(&SecretString::from(text)).unwrap()
    }

    fn header(keys: &Keys, graphs: &str, ttl: u64) -> String {
        let graphs = graphs.parse().unwrap();
        let token = keys.sign(&graphs, Scope::Read, Duration::from_secs(ttl)).unwrap();
        format!("Bearer {}", token.expose_secret())
    }

    #[test]
    fn a_token_is_good_for_what_it_says() {
        let keys = keys(NEW);
        let access = keys.verify(Some(&header(&keys, "a", 60))).unwrap();
        assert_eq!(access.scope, Scope::Read);
        assert!(access.graphs.include(&"a".parse().unwrap()));
        assert!(!access.graphs.include(&"b".parse().unwrap()));
        let access = keys.verify(Some(&header(&keys, "*", 60))).unwrap();
        assert_eq!(access.graphs, Graphs::Every);
    }

    #[test]
    fn refusals_are_told_apart() {
        let (old, new) = (keys(OLD), keys(NEW));
        assert_eq!(new.verify(None), Err(Refusal::Missing));
        for missing in ["", "Bearer", "Bearer  ", "Basic YTpi", "token"] {
            assert_eq!(new.verify(Some(missing)), Err(Refusal::Missing), "{missing}");
        }
        assert_eq!(new.verify(Some("Bearer a.b.c")), Err(Refusal::Wrong));
        assert_eq!(new.verify(Some(&header(&old, "a", 60))), Err(Refusal::Wrong));
        assert_eq!(new.verify(Some(&header(&new, "a", 0))), Err(Refusal::Expired));
        let unsigned = "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJzZXh0YW50IiwiZXhwIjo5OTk5OTk5OTk5LCJncmFwaCI6IioiLCJzY29wZSI6IndyaXRlIn0.";
        assert_eq!(new.verify(Some(unsigned)), Err(Refusal::Wrong));
    }

    #[test]
    fn an_old_key_verifies_beside_a_new_one() {
        let both = keys(&format!("# new\n{NEW}\n\n{OLD}\n"));
        assert!(both.verify(Some(&header(&keys(OLD), "a", 60))).is_ok());
        assert!(keys(NEW).verify(Some(&header(&both, "a", 60))).is_ok(), "the first one signs");
        assert!(keys(OLD).verify(Some(&header(&both, "a", 60))).is_err());
    }

    #[test]
    fn weak_keys_are_refused_and_none_is_shown() {
        let error = |text: &str| Keys::parse(&SecretString::from(text)).unwrap_err().to_string();
        assert!(error(" \n#x\n").contains("there are no token keys"));
        let short = error(&format!("{NEW}\nshort-secret"));
        assert!(short.contains("token key 2") && !short.contains("short-secret"), "{short}");
        assert!(error(&format!("{NEW}\n").repeat(9)).contains("there are 9 token keys"));
        assert_eq!(format!("{:?}", keys(NEW)), "Keys(1 secret)");
    }

    proptest! {
        #[test]
        fn no_text_is_let_in(text in "\\PC{0,120}") {
            assert!(keys(NEW).verify(Some(&text)).is_err());
            assert!(keys(NEW).verify(Some(&format!("Bearer {text}"))).is_err());
        }

        #[test]
        fn no_changed_token_is_let_in(at in 0_usize..200, letter in "[A-Za-z0-9_.-]") {
            let keys = keys(NEW);
            let good = header(&keys, "a", 600);
            let mut changed = good.clone();
            let at = "Bearer ".len() + at % (good.len() - "Bearer ".len());
            changed.replace_range(at..=at, &letter);
            // The last letter of a part may carry bits that are not read.
            let same_bits = |it: &str| keys.verify(Some(it)).is_ok_and(|access| access == Access {
                graphs: Graphs::Only("a".parse().unwrap()),
                scope: Scope::Read,
            });
            assert!(changed == good || keys.verify(Some(&changed)).is_err() || same_bits(&changed));
        }
    }
}
