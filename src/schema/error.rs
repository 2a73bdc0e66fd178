//! What can go wrong between a source and a schema.

use std::io;

use super::{model::TypeKind, source::MAX_SOURCE_BYTES};

/// Why a source did not become a schema. Each message names the input and, where
/// there is one, the next step; none holds a header's value or a URL's query.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The file, folder or standard input cannot be read.
    #[error("cannot read `{input}`: {reason}")]
    Read {
        /// The path, or what stands for it.
        input: String,
        /// The operating system's reason.
        reason: io::Error,
    },
    /// The input is larger than [`MAX_SOURCE_BYTES`].
    #[error("`{input}` is larger than {} MiB, the most that a schema may have; give the schema alone", MAX_SOURCE_BYTES >> 20)]
    TooLarge {
        /// The input.
        input: String,
    },
    /// The folder holds no SDL file.
    #[error("the folder `{input}` holds no SDL file (`.graphql`, `.graphqls`, `.gql` or `.sdl`)")]
    EmptyFolder {
        /// The folder.
        input: String,
    },
    /// The text is not UTF-8.
    #[error("`{input}` is not valid UTF-8 at byte {offset}; save it as UTF-8")]
    NotUtf8 {
        /// The input.
        input: String,
        /// The offset of the first byte that is not, from 0.
        offset: usize,
    },
    /// The SDL has a syntax error, or goes over a limit on depth or names.
    #[error(
        "`{input}` has a syntax error at line {line}, column {column}: {reason}\n  {line} | {excerpt}"
    )]
    Syntax {
        /// The input.
        input: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
        /// The line, shortened.
        excerpt: String,
    },
    /// The JSON is neither an introspection result nor an execution config.
    #[error("`{input}` is JSON but no schema: {reason}")]
    NotASchema {
        /// The input.
        input: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The input defines no types.
    #[error(
        "`{input}` holds no types; give SDL type definitions, an introspection result or an execution config"
    )]
    NoTypes {
        /// The input.
        input: String,
    },
    /// Something refers to a type that is defined nowhere.
    #[error("`{input}` refers to {count} missing {}: {examples}; define them, or give the folder that does", if *count == 1 { "type" } else { "types" })]
    MissingTypes {
        /// The input.
        input: String,
        /// How many types are missing.
        count: usize,
        /// The first few of them, and where each is referred to.
        examples: String,
    },
    /// One name is defined as two kinds of type.
    #[error("`{input}` defines `{name}` both as `{}` and as `{}`; rename one", .first.keyword(), .second.keyword())]
    Conflict {
        /// The input.
        input: String,
        /// The name.
        name: String,
        /// One kind.
        first: TypeKind,
        /// The other.
        second: TypeKind,
    },
    /// A root operation type is not an object type.
    #[error(
        "`{input}` names `{name}` as a root, which is no object type; correct its `schema` definition"
    )]
    BadRoot {
        /// The input.
        input: String,
        /// The root's name.
        name: String,
    },
    /// The schema has more types and members than an index can hold.
    #[error("`{input}` defines {count} types, fields and values; the most is {limit}")]
    TooManyElements {
        /// The input.
        input: String,
        /// How many it defines.
        count: usize,
        /// How many it may.
        limit: usize,
    },
    /// A `--header` is not `Name: value`.
    #[error(
        "header {position} is not of the form `Name: value` (its value is a secret and not shown)"
    )]
    BadHeader {
        /// Which of the headers, from 1.
        position: usize,
    },
    /// The endpoint's URL cannot be used.
    #[error("the endpoint's URL cannot be used: {reason}")]
    BadUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The endpoint does not answer, or not with a schema.
    #[error("the endpoint `{endpoint}` gave no schema: {reason}")]
    Endpoint {
        /// The URL, without its query.
        endpoint: String,
        /// What went wrong.
        reason: String,
    },
}
