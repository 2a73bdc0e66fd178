//! The contract: what can be asked of a schema, and what comes back.
//!
//! One set of types serves MCP, the command line's `--json` and HTTP, so that
//! the wire and the engine cannot drift apart. [`Discovery`] is what answers;
//! the adapters above it know of nothing else.

use std::future::Future;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::schema::Kind;

/// How many hits a search returns where the request does not say.
pub const DEFAULT_LIMIT: u32 = 10;
/// The most hits that one search returns.
pub const MAX_LIMIT: u32 = 200;
/// The most coordinates that one look-up takes.
pub const MAX_COORDINATES: usize = 1_000;
/// The longest topic, in characters. A model reads the first few hundred words
/// of it; a longer one is a mistake that is better told than silently cut.
pub const MAX_QUERY_CHARS: usize = 10_000;

/// The longest prompt, in characters. As [`MAX_QUERY_CHARS`].
pub const MAX_PROMPT_CHARS: usize = 10_000;

/// The record of an element: JSON with `PascalCase` keys, a key absent where it
/// would be empty.
pub type Record = Map<String, Value>;

/// Answers questions about one schema.
pub trait Discovery: Send + Sync + 'static {
    /// Ranks elements against a topic, best first.
    ///
    /// # Errors
    /// [`DiscoveryError::Invalid`] where the request is wrong; the other
    /// variants where the index cannot answer now.
    fn search(
        &self,
        request: SearchRequest,
    ) -> impl Future<Output = Result<SearchResponse, DiscoveryError>> + Send;

    /// Reads the record of each coordinate, in the order of the request.
    ///
    /// # Errors
    /// As [`Discovery::search`].
    fn symbols(
        &self,
        request: SymbolsRequest,
    ) -> impl Future<Output = Result<SymbolsResponse, DiscoveryError>> + Send;

    /// Writes the operations that a prompt asks for, the best reading first.
    /// `progress` is told what goes on where that takes longer than a moment;
    /// whoever drops the future stops the work.
    ///
    /// # Errors
    /// As [`Discovery::search`]. A schema that cannot answer is no error: the
    /// response says so.
    fn generate(
        &self,
        request: GenerateRequest,
        progress: &OnProgress,
    ) -> impl Future<Output = Result<GenerateResponse, DiscoveryError>> + Send;
}

/// Told what goes on while an answer is on its way.
pub type OnProgress = dyn Fn(Progress) + Send + Sync;

/// What goes on, in a sentence for whoever waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The sentence, for example "Asking the language model `qwen3`."
    pub message: String,
}

impl Progress {
    /// Says this.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What `search_schema` takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The topic, in your own words; or a type, a field or a coordinate.
    pub query: String,
    /// Restrict to these kinds. All kinds where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Kind>")]
    pub kinds: Option<Vec<String>>,
    /// The number of hits to return. Records are large: use a low limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 200), extend("default" = DEFAULT_LIMIT))]
    pub limit: Option<u32>,
    /// Restrict to the members of one coordinate, for example `object:Query`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub parent: Option<String>,
    /// `true` keeps only Relay connection fields, `false` removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub paginated: Option<bool>,
}

impl SearchRequest {
    /// A search over everything, with the default limit.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), kinds: None, limit: None, parent: None, paginated: None }
    }

    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// [`DiscoveryError::Invalid`] for an empty or overlong query, and for a
    /// limit outside 1 to 200.
    pub fn check(&self) -> Result<(), DiscoveryError> {
        let invalid = |reason: String| Err(DiscoveryError::Invalid(reason));
        if self.query.trim().is_empty() {
            return invalid("`query` is empty; say in a few words what you look for.".into());
        }
        let chars = self.query.chars().count();
        if chars > MAX_QUERY_CHARS {
            return invalid(format!(
                "`query` has {chars} characters, and {MAX_QUERY_CHARS} is the most; say it shorter."
            ));
        }
        match self.limit {
            Some(limit) if limit == 0 || limit > MAX_LIMIT => {
                invalid(format!("`limit` is {limit}, and must be from 1 to {MAX_LIMIT}."))
            }
            _ => Ok(()),
        }
    }
}

/// What `search_schema` answers.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// The elements found, best first; empty when nothing matches.
    pub hits: Vec<Hit>,
}

/// One element found.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Hit {
    /// The canonical `kind:Type.field` path.
    pub coordinate: String,
    /// The relevance rank; higher is better, comparable within one answer only.
    pub score: f64,
    /// The full record of the element.
    pub record: Record,
}

/// What `get_symbols` takes.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SymbolsRequest {
    /// The coordinates to read, copied from a `search_schema` result, for
    /// example `field:Employee.details` or `enum:Mood`. At least one.
    #[schemars(length(min = 1, max = 1000))]
    pub coordinates: Vec<String>,
}

impl SymbolsRequest {
    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// [`DiscoveryError::Invalid`] for no coordinates, and for over 1,000.
    pub fn check(&self) -> Result<(), DiscoveryError> {
        match self.coordinates.len() {
            0 => Err(DiscoveryError::Invalid(
                "`coordinates` is empty; give at least one, for example `object:Query`.".into(),
            )),
            count if count > MAX_COORDINATES => Err(DiscoveryError::Invalid(format!(
                "`coordinates` holds {count}, and {MAX_COORDINATES} is the most; split the look-up."
            ))),
            _ => Ok(()),
        }
    }
}

/// What `get_symbols` answers.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct SymbolsResponse {
    /// The records, in the order of the request; a coordinate that the index
    /// does not hold is left out.
    pub symbols: Vec<Symbol>,
}

/// One element read.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Symbol {
    /// The coordinate as it was asked for.
    pub coordinate: String,
    /// The full record of the element.
    pub record: Record,
}

/// What `generate_query` takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateRequest {
    /// A description of the data that you want, in your own words: the entities
    /// and fields, the conditions and the order. No GraphQL.
    pub prompt: String,
}

impl GenerateRequest {
    /// Asks for what a prompt describes.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into() }
    }

    /// Checks the prompt's length; [`crate::generate::check`] reads it.
    ///
    /// # Errors
    /// [`DiscoveryError::Invalid`] for an empty or overlong prompt.
    pub fn check(&self) -> Result<(), DiscoveryError> {
        if self.prompt.trim().is_empty() {
            return Err(DiscoveryError::Invalid(
                "`prompt` is empty; describe the data that you want.".into(),
            ));
        }
        match self.prompt.chars().count() {
            chars if chars > MAX_PROMPT_CHARS => Err(DiscoveryError::Invalid(format!(
                "`prompt` has {chars} characters, and {MAX_PROMPT_CHARS} is the most; ask for less at once."
            ))),
            _ => Ok(()),
        }
    }
}

/// What `generate_query` answers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct GenerateResponse {
    /// The operations, best first; empty where the schema cannot answer.
    pub queries: Vec<GeneratedQuery>,
    /// What the schema cannot answer, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsatisfied: Vec<String>,
    /// `true` where the answer would be larger than the budget allows and is
    /// not all there is to say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What to do with the operation. Absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Guidance")]
    pub guidance: Option<Guidance>,
}

/// One operation, valid against the schema.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeneratedQuery {
    /// One line that says what the operation does.
    pub description: String,
    /// The operation's text. It is valid against the schema, and holds no value
    /// of the prompt: those are variables.
    pub document: String,
    /// The name to send with the request.
    pub operation_name: String,
    /// What kind of operation it is.
    pub operation_type: OperationType,
    /// A JSON Schema for the variables.
    pub variables_schema: Map<String, Value>,
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperationType {
    /// It reads.
    Query,
    /// It changes something.
    Mutation,
    /// It tells of events.
    Subscription,
}

impl OperationType {
    /// The word that begins such an operation.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
            Self::Subscription => "subscription",
        }
    }
}

/// What to do with an operation.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Guidance {
    /// Where to run it. Absent where the server was not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub endpoint: Option<String>,
    /// What to do next, in order, with an example of the variables.
    pub next_steps: Vec<String>,
}

/// Why a question got no answer. Each message is one that an agent can read and
/// act on; adapters pass it on as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiscoveryError {
    /// The first build of the index is in flight.
    #[error("The schema index is still building. Retry in a few seconds.")]
    Building,
    /// The service dropped an unused index, and is given its schema again.
    #[error("The schema index expired. It is being rebuilt. Retry in a few seconds.")]
    Expired,
    /// The service is there and cannot serve yet, or has too much to do.
    #[error("The schema index is not ready. Retry in a few seconds.")]
    NotReady,
    /// The token is missing, wrong or expired; which of them, the log says.
    #[error("Schema discovery is not configured correctly. Contact the router operator.")]
    Misconfigured,
    /// The request itself is wrong; the reason says what to change.
    #[error("The request is not valid. {0}")]
    Invalid(String),
    /// The service cannot be reached, or what answers is no such service.
    #[error("The schema discovery service is unreachable.")]
    Unreachable,
    /// The schema cannot be indexed or the index cannot be read; the reason is
    /// for the operator.
    #[error("The schema index cannot serve. {0}")]
    Failed(String),
}

impl DiscoveryError {
    /// The request is wrong for this reason, which becomes a sentence.
    #[must_use]
    pub fn invalid(reason: impl AsRef<str>) -> Self {
        Self::Invalid(sentence(reason.as_ref()))
    }

    /// The index cannot serve for this reason, which becomes a sentence.
    #[must_use]
    pub fn failed(reason: &impl std::fmt::Display) -> Self {
        Self::Failed(sentence(&reason.to_string()))
    }
}

/// Reads a request. One that does not fit is for its author to mend.
///
/// # Errors
/// [`DiscoveryError::Invalid`], which names the part that does not fit.
pub fn request_of<T: DeserializeOwned>(request: Value) -> Result<T, DiscoveryError> {
    serde_path_to_error::deserialize(request).map_err(|error| {
        let reason = error.inner().to_string().replace("u32", "a whole number");
        DiscoveryError::invalid(match error.path().to_string().as_str() {
            "." => reason,
            path => format!("`{path}`: {reason}"),
        })
    })
}

/// Errors begin in lower case and end without a full stop, as they may stand
/// anywhere; after another sentence they need both.
fn sentence(reason: &str) -> String {
    let mut letters = reason.trim_end_matches('.').chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_request_panics(text in "[\\[\\]{}\",:a-z0-9. -]{0,80}", query in "\\PC{0,80}", limit in 0_i64..400) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                drop(request_of::<SearchRequest>(value.clone()));
                drop(request_of::<SymbolsRequest>(value.clone()));
                drop(request_of::<GenerateRequest>(value));
            }
            let request = serde_json::json!({ "query": query, "limit": limit });
            let checked = request_of::<SearchRequest>(request).and_then(|it| it.check());
            let is_good = !query.trim().is_empty() && (1..=200).contains(&limit);
            assert_eq!(checked.is_ok(), is_good);
        }
    }
}
