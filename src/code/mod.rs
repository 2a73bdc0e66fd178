//! The code behind a graph: where a text stands in a working tree, and how its
//! symbols relate.
//!
//! [`search`] answers `search_code`: ripgrep's own crates read the tree, and
//! what they find is ranked. [`graph`] answers `query_graph`: tree-sitter reads
//! definitions, references and calls into one `SQLite` file, which is asked.
//! [`Code`] is both, for a server.
//! The requests and responses here are the contract of both tools.

mod error;
pub mod graph;
pub mod search;
mod tree;

pub use error::CodeError;
pub use tree::Code;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many hits a search returns where the query does not say.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most hits that one search returns.
pub const MAX_LIMIT: u32 = 1_000;
/// The longest pattern, in characters.
pub const MAX_PATTERN_CHARS: usize = 1_000;
/// How many hops from the target a graph goes where the query does not say.
pub const DEFAULT_HOPS: u32 = 1;
/// The most hops from the target that a graph goes.
pub const MAX_HOPS: u32 = 10;

/// What `search_code` takes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// The text to look for, or a regular expression where `is_regex` is true.
    pub pattern: String,
    /// Whether `pattern` is a regular expression. No by default.
    #[serde(default)]
    pub is_regex: bool,
    /// Only files whose path matches this glob, for example `src/**/*.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path_glob: Option<String>,
    /// Only files of this language, for example `rust` or `python`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub language: Option<String>,
    /// The most hits to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1000), extend("default" = DEFAULT_LIMIT))]
    pub limit: Option<u32>,
}

/// What `search_code` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct SearchResult {
    /// The lines found, best first.
    pub hits: Vec<SearchHit>,
    /// Whether a hit was left out.
    pub truncated: bool,
}

/// One line found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct SearchHit {
    /// The file, relative to the root of the tree, with `/`.
    pub path: String,
    /// The line's number, from 1.
    pub line: u64,
    /// The line, trimmed to 300 characters around the match.
    pub snippet: String,
}

/// What `query_graph` takes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphQuery {
    /// A symbol, bare or qualified (`RecursiveEngine::run`, `Class.method`), a
    /// place (`src/main.rs:71`), or a schema coordinate
    /// (`field:Employee.details`), which stands for its resolvers.
    pub target: String,
    /// Which relation to follow.
    pub kind: RelationKind,
    /// How many hops to go from the target, 1 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 10), extend("default" = DEFAULT_HOPS))]
    pub max_hops: Option<u32>,
}

/// A relation between symbols that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum RelationKind {
    /// Who calls it.
    Callers,
    /// What it calls.
    Callees,
    /// Where it is defined.
    Defines,
    /// Where it is referred to.
    References,
}
