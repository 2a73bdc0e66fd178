//! The tools as they are listed: names, descriptions for a model, schemas
//! derived from the contract's types, and annotations.

use std::sync::LazyLock;

use rmcp::{
    handler::server::common::{schema_for_input, schema_for_output},
    model::{Tool, ToolAnnotations},
};
use schemars::JsonSchema;

use crate::{
    code::{GraphQuery, SearchQuery, SearchResult, graph::GraphResult},
    discovery::{
        GenerateRequest, GenerateResponse, SearchRequest, SearchResponse, SymbolsRequest,
        SymbolsResponse,
    },
};

pub const SEARCH_SCHEMA: &str = "search_schema";
pub const GET_SYMBOLS: &str = "get_symbols";
pub const GENERATE_QUERY: &str = "generate_query";
pub const SEARCH_CODE: &str = "search_code";
pub const QUERY_GRAPH: &str = "query_graph";

/// What a tool is about, which the server must have been given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Schema,
    Code,
}

pub fn subject(name: &str) -> Subject {
    match name {
        SEARCH_CODE | QUERY_GRAPH => Subject::Code,
        _ => Subject::Schema,
    }
}

const SEARCH_DESCRIPTION: &str = "\
Ranks the elements of the GraphQL schema against a topic and returns their coordinates and records, best first. \
Use it first, when you know what you want but not what the schema calls it: a topic (\"delete a branch\"), \
the data of an entity (\"pull requests with their reviews\"), or a name. \
Narrow it with `kinds` (`field` for what can be selected, `object` for entities, `input` for arguments), \
`parent` (`object:Query` lists entry points) and `paginated`. \
A `path` hit is a route from a root to a type, with a ready skeleton operation. \
Keep `limit` low, records are large. \
Example: {\"query\": \"how an employee feels today\", \"kinds\": [\"field\"], \"limit\": 5}";

const SYMBOLS_DESCRIPTION: &str = "\
Reads the full record of each coordinate: type, arguments, fields, enum values, interfaces, deprecation. \
Use it when you know exactly what you want: for a type that a `search_schema` record refers to, \
or to check arguments before you write an operation. \
Copy coordinates from search results, or write them as `kind:Type` or `field:Type.fieldName`; \
one that does not exist is left out of the answer. Ask for many at once rather than one by one. \
Example: {\"coordinates\": [\"field:Employee.details\", \"enum:Mood\"]}";

const GENERATE_DESCRIPTION: &str = "\
Writes a GraphQL operation that is valid against the schema, from a description of the data in your own words. \
Use it when you know what data you want, or what to change, and want the operation ready to run. \
Write the entities and their fields, the conditions and the order: \
\"open pull requests of a repository with title, author and reviews, newest first\". \
Write no GraphQL, and guess no type names. \
A value in the prompt becomes a variable, never a literal, so one operation serves many inputs: \
`variablesSchema` is the JSON Schema of its variables. \
Two operations come back where the prompt can be read in two ways, the better first; each description tells them apart. \
No operation and a reason in `unsatisfied` means that the schema cannot answer: \
that is no error, and `search_schema` shows what there is instead. \
Nothing is run. \
Example: {\"prompt\": \"employees with their ids and current moods\"}";

const SEARCH_CODE_DESCRIPTION: &str = "\
Use this when you need to find where a symbol, string, or pattern occurs in the working tree. \
Faster and more focused than Grep when you want results ranked by relevance \
and scoped to a path glob or language. Returns line-level hits with snippets. \
Definitions come first, then uses, then comments, tests, generated and vendored files. \
Ignored and binary files are left out. `pattern` is plain text and case counts; \
with `is_regex` it is a regular expression of one line, where `(?i)` ignores case. \
`path_glob` is relative to the root of the tree; `!tests/**` leaves out. \
`truncated` says that there is more: narrow it, or raise `limit` (50 by default, 1000 at most). \
Examples: {\"pattern\": \"fn main\", \"is_regex\": false, \"limit\": 20}, \
{\"pattern\": \"^impl .* for .*Backend$\", \"is_regex\": true, \"path_glob\": \"crates/**/*.rs\", \"language\": \"rust\"}";

const QUERY_GRAPH_DESCRIPTION: &str = "\
Use this when you need to know how a symbol relates to other code: \
who calls it, what it calls, where it's defined, or where it's referenced. \
Returns a graph of nodes and edges rather than raw text matches. \
Prefer this over Grep for call-chain reasoning. \
`target` is a name (`search`), a qualified name (`RecursiveEngine::run`, `Class.method`), \
a place (`src/main.rs:71`, the innermost definition around it), \
or a coordinate of a GraphQL schema (`field:Employee.details`, the functions that resolve it). \
`kind` is `callers`, `callees`, `defines` or `references`. \
`max_hops` goes further along callers and callees (1 by default, 10 at most). \
An ambiguous name answers for all of its definitions; `resolution` on an edge says how sure it is. \
Empty lists mean that the code is not indexed yet. \
Examples: {\"target\": \"RecursiveEngine::run\", \"kind\": \"callers\"}, \
{\"target\": \"crates/muninn/src/main.rs:71\", \"kind\": \"defines\", \"max_hops\": 1}";

/// The tools, in the order in which an agent needs them.
pub fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        vec![
            tool::<SearchRequest, SearchResponse>(
                SEARCH_SCHEMA,
                "Search the schema",
                SEARCH_DESCRIPTION,
            ),
            tool::<SymbolsRequest, SymbolsResponse>(
                GET_SYMBOLS,
                "Look up schema symbols",
                SYMBOLS_DESCRIPTION,
            ),
            tool::<GenerateRequest, GenerateResponse>(
                GENERATE_QUERY,
                "Generate an operation",
                GENERATE_DESCRIPTION,
            ),
            tool::<SearchQuery, SearchResult>(
                SEARCH_CODE,
                "Search the code",
                SEARCH_CODE_DESCRIPTION,
            ),
            tool::<GraphQuery, GraphResult>(
                QUERY_GRAPH,
                "Ask the code's graph",
                QUERY_GRAPH_DESCRIPTION,
            ),
        ]
    });
    &TOOLS
}

fn tool<Input: JsonSchema + 'static, Output: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
) -> Tool {
    // Derived object types always have the root type `object`, which is all that can fail.
    let input = schema_for_input::<Input>().unwrap_or_default();
    let annotations = ToolAnnotations::with_title(title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(name, description, input)
        .with_title(title)
        .with_raw_output_schema(schema_for_output::<Output>())
        .with_annotations(annotations)
}
