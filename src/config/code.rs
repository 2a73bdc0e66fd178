//! Flags of `sextant code`.

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::FalseyValueParser};

use super::CacheArguments;
use crate::{
    code::{GraphQuery, RelationKind, SearchQuery},
    index::Cache,
};

/// A task about code.
#[derive(Debug)]
pub enum CodeCommand {
    /// Bring the graph of a tree up to date.
    Index {
        /// The tree.
        root: PathBuf,
        /// Where its graph is kept.
        cache: Cache,
    },
    /// Find where a text stands.
    Search {
        /// The tree.
        root: PathBuf,
        /// The tool's request.
        query: SearchQuery,
        /// Print the tool's JSON rather than a page for people.
        json: bool,
    },
    /// Follow a symbol's relations.
    Graph {
        /// The tree.
        root: PathBuf,
        /// Where its graph is kept.
        cache: Cache,
        /// The tool's request.
        query: GraphQuery,
        /// Print the tool's JSON rather than a page for people.
        json: bool,
    },
}

/// Code to serve.
#[derive(Debug)]
pub struct CodeTarget {
    /// The tree.
    pub root: PathBuf,
    /// Where its graph is kept.
    pub cache: Cache,
}

#[derive(Debug, Subcommand)]
pub enum CodeSubcommands {
    /// Read definitions, calls and references into the graph's file
    Index(CodeIndexArguments),
    /// Rank the lines in which a text or a pattern stands
    Search(CodeSearchArguments),
    /// Say who calls a symbol, what it calls, where it is defined, who refers to it
    Graph(CodeGraphArguments),
}

#[derive(Debug, Args)]
pub struct CodeIndexArguments {
    /// The folder of code
    #[arg(env = "SEXTANT_CODE", value_name = "DIR", default_value = ".")]
    code: PathBuf,
    #[command(flatten)]
    cache: CacheArguments,
}

#[derive(Debug, Args)]
pub struct CodeSearchArguments {
    /// The text, or with --regex the regular expression
    pattern: String,
    /// Take the pattern as a regular expression
    #[arg(long, env = "SEXTANT_REGEX", value_parser = FalseyValueParser::new())]
    regex: bool,
    /// Only files whose path matches, for example 'src/**/*.rs'
    #[arg(long, env = "SEXTANT_GLOB", value_name = "GLOB")]
    glob: Option<String>,
    /// Only files of this language, for example rust
    #[arg(long, env = "SEXTANT_LANGUAGE", value_name = "NAME")]
    language: Option<String>,
    /// How many hits, 1 to 1000 [default: 50]
    #[arg(long, env = "SEXTANT_LIMIT", value_name = "N")]
    limit: Option<u32>,
    /// Print what the MCP tool answers
    #[arg(long, env = "SEXTANT_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    #[command(flatten)]
    tree: TreeArguments,
}

#[derive(Debug, Args)]
pub struct CodeGraphArguments {
    /// A name, a qualified name, a place such as src/main.rs:71, or a schema coordinate
    target: String,
    /// Which relation to follow
    #[arg(long, env = "SEXTANT_KIND", value_name = "KIND")]
    kind: RelationKind,
    /// How many hops to go, 1 to 10 [default: 1]
    #[arg(long, env = "SEXTANT_HOPS", value_name = "N")]
    hops: Option<u32>,
    /// Print what the MCP tool answers
    #[arg(long, env = "SEXTANT_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    #[command(flatten)]
    tree: TreeArguments,
    #[command(flatten)]
    cache: CacheArguments,
}

#[derive(Debug, Args)]
struct TreeArguments {
    /// The folder of code
    #[arg(long, env = "SEXTANT_CODE", value_name = "DIR", default_value = ".")]
    code: PathBuf,
}

impl CodeSubcommands {
    pub fn checked(self) -> Result<CodeCommand, clap::Error> {
        Ok(match self {
            Self::Index(CodeIndexArguments { code, cache }) => {
                CodeCommand::Index { root: code, cache: cache.checked()? }
            }
            Self::Search(CodeSearchArguments {
                pattern,
                regex,
                glob,
                language,
                limit,
                json,
                tree,
            }) => {
                let query =
                    SearchQuery { pattern, is_regex: regex, path_glob: glob, language, limit };
                CodeCommand::Search { root: tree.code, query, json }
            }
            Self::Graph(CodeGraphArguments { target, kind, hops, json, tree, cache }) => {
                let query = GraphQuery { target, kind, max_hops: hops };
                CodeCommand::Graph { root: tree.code, cache: cache.checked()?, query, json }
            }
        })
    }
}
