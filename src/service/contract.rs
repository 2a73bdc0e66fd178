//! What the service says of a graph, over HTTP and to the adapter alike.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The longest name of a graph: with the names of the files below it, every
/// file system takes it.
const MAX_NAME: usize = 63;

/// The name of a graph: 1 to 63 lower-case letters, digits, `-`, `_` and `.`,
/// the first of them a letter or a digit. It is also the name of a folder, so
/// nothing else is let through.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct GraphName(String);

/// Why a text names no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a graph's name has 1 to {MAX_NAME} lower-case letters, digits, `-`, `_` and `.`, and begins with a letter or a digit"
)]
pub struct BadGraphName;

impl FromStr for GraphName {
    type Err = BadGraphName;

    fn from_str(text: &str) -> Result<Self, BadGraphName> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = text.len() <= MAX_NAME
            && text.starts_with(plain)
            && text.chars().all(|c| plain(c) || matches!(c, '-' | '_' | '.'));
        fits.then(|| Self(text.to_owned())).ok_or(BadGraphName)
    }
}

impl TryFrom<String> for GraphName {
    type Error = BadGraphName;

    fn try_from(text: String) -> Result<Self, BadGraphName> {
        text.parse()
    }
}

impl From<GraphName> for String {
    fn from(name: GraphName) -> Self {
        name.0
    }
}

impl GraphName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GraphName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for GraphName {
    fn schema_name() -> Cow<'static, str> {
        "GraphName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "The name of a graph.",
            "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$",
        })
    }
}

/// Where the index of a graph is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The first build is queued or in flight.
    Building,
    /// It answers.
    Ready,
    /// It was not used for long, and its file is dropped. Upload the schema again.
    Expired,
    /// It is there and cannot answer now: the service starts or stops.
    Unready,
    /// It could not be built; `reason` says why.
    Failed,
}

impl State {
    /// All of them, for a metric that lists each.
    pub const ALL: [Self; 5] =
        [Self::Building, Self::Ready, Self::Expired, Self::Unready, Self::Failed];

    /// The word for it on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Expired => "expired",
            Self::Unready => "unready",
            Self::Failed => "failed",
        }
    }
}

/// A graph, and how its index is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphStatus {
    /// The graph.
    pub graph: GraphName,
    /// Can it answer?
    pub state: State,
    /// The hash of the latest schema that the graph was given.
    pub schema_hash: String,
    /// The hash of the schema that answers come from, while a newer one is built
    /// or could not be; absent where it is the latest, or where none answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub serving_hash: Option<String>,
    /// Is a build queued or in flight?
    pub building: bool,
    /// How many elements the index holds; absent where none answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub elements: Option<u64>,
    /// Why the latest schema could not be indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
}

/// The graphs that the caller's token is for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct GraphList {
    /// By name.
    pub graphs: Vec<GraphStatus>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_and_nothing_else() {
        for good in ["a", "0", "my-graph", "acme_prod.v2", &"x".repeat(63)] {
            assert_eq!(good.parse::<GraphName>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            ".",
            "..",
            ".a",
            "-a",
            "A",
            "a/b",
            "a\\b",
            "a b",
            "a\0",
            "ä",
            "a%2f",
            &"x".repeat(64),
        ] {
            assert_eq!(bad.parse::<GraphName>(), Err(BadGraphName), "{bad}");
        }
        assert!(serde_json::from_str::<GraphName>("\"../etc\"").is_err());
    }
}
