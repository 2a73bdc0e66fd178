//! The tools as they are listed: names, descriptions for a model, schemas
//! derived from the contract's types, and annotations.

use std::sync::LazyLock;

use rmcp::{
    handler::server::common::{schema_for_input, schema_for_output},
    model::{Tool, ToolAnnotations},
};
use schemars::JsonSchema;

use crate::discovery::{
    GenerateRequest, GenerateResponse, SearchRequest, SearchResponse, SymbolsRequest,
    SymbolsResponse,
};

pub const SEARCH_SCHEMA: &str = "search_schema";
pub const GET_SYMBOLS: &str = "get_symbols";
pub const GENERATE_QUERY: &str = "generate_query";

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
