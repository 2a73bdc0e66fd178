//! What holds of every answer, on random schemas and for random prompts.

mod sketch;

use std::{cell::Cell, collections::HashSet};

use apollo_compiler::{
    ExecutableDocument,
    ast::Value as Literal,
    executable::{Selection, SelectionSet},
};
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};

use super::{check, generate};
use crate::{
    discovery::{GenerateRequest, GeneratedQuery},
    embedding::{Embedder, ModelSource},
    index::{Index, Order, build},
    schema::parse_sdl,
};
use sketch::{Dice, prompt, schema};

/// Random schemas. Building the index of one takes most of the time.
const SCHEMAS: u32 = 12;
/// Random prompts on each.
const PROMPTS: usize = 16;
/// Numbers that a schema is made of, and a prompt; more are never used.
const OF_SCHEMA: usize = 400;
const OF_PROMPT: usize = 60;
/// Tries to make a failing case simpler; each builds an index.
const SHRINKS: u32 = 200;

#[test]
fn whatever_is_returned_is_valid_and_without_the_prompts_values() {
    let embedder = Embedder::load(&ModelSource::Bundled).unwrap();
    let config = Config {
        cases: SCHEMAS,
        max_shrink_iters: SHRINKS,
        failure_persistence: None,
        ..Config::default()
    };
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let cases =
        (vec(any::<u8>(), 0..OF_SCHEMA), vec(vec(any::<u8>(), 0..OF_PROMPT), PROMPTS..=PROMPTS))
            .prop_map(|(numbers, prompts)| {
                let prompts: Vec<_> =
                    prompts.iter().map(|numbers| prompt(&mut Dice::new(numbers))).collect();
                (schema(&mut Dice::new(&numbers)), prompts)
            });
    let tried = Cell::new(0);
    TestRunner::new_with_rng(config, seed)
        .run(&cases, |(sdl, prompts)| {
            tried.set(tried.get() + try_schema(&embedder, &sdl, &prompts)?);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tried.get() > SCHEMAS as usize * PROMPTS / 4, "only {} operations", tried.get());
}

fn fail(reason: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(reason.to_string())
}

/// Tries prompts on a schema; returns how many operations they got.
fn try_schema(
    embedder: &Embedder,
    sdl: &str,
    prompts: &[(String, Vec<&'static str>)],
) -> Result<usize, TestCaseError> {
    let schema = parse_sdl(sdl).map_err(|error| fail(format!("{error}: {sdl}")))?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    let order = Order { schema: &schema, source: "random", embedder, previous: None, path: &path };
    build(order, |_| {}).map_err(fail)?;
    let index = Index::open(&path).map_err(fail)?;
    let mut tried = 0;
    for (prompt, values) in prompts {
        let request = GenerateRequest::new(prompt);
        if check(&request).is_err() {
            continue;
        }
        let answer = generate(&index, embedder, &request, None).map_err(fail)?;
        tried += answer.queries.len();
        for query in &answer.queries {
            try_query(&index, query, values)
                .map_err(|reason| fail(format!("{reason}\nprompt: {prompt}\n{query:#?}\n{sdl}")))?;
        }
        if answer.queries.is_empty() && answer.unsatisfied.is_empty() {
            return Err(fail(format!("no operation and no reason for `{prompt}` on {sdl}")));
        }
    }
    Ok(tried)
}

fn try_query(index: &Index, query: &GeneratedQuery, values: &[&str]) -> Result<(), String> {
    let judge = index.judge().map_err(|error| error.to_string())?;
    // A second opinion on the syntax; the judge is the one that proved it before.
    graphql_parser::parse_query::<String>(&query.document).map_err(|error| error.to_string())?;
    let document = ExecutableDocument::parse_and_validate(judge, &query.document, "a.graphql")
        .map_err(|refused| refused.errors.to_string())?;
    let operation = document.operations.get(None).map_err(|error| error.message().to_string())?;
    let declared: HashSet<&str> = operation.variables.iter().map(|it| it.name.as_str()).collect();
    let used = variables(&operation.selection_set)?;
    if declared != used {
        return Err(format!("declared {declared:?}, used {used:?}"));
    }
    for value in values {
        if query.document.contains(value) {
            return Err(format!("`{value}` is in the document"));
        }
    }
    let schema = Value::Object(query.variables_schema.clone());
    jsonschema::meta::validate(&schema).map_err(|error| error.to_string())?;
    let properties = query.variables_schema.get("properties").and_then(Value::as_object);
    let described: HashSet<&str> =
        properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    if declared != described {
        return Err(format!("declared {declared:?}, described {described:?}"));
    }
    let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
    let instance = instance(&schema, &schema);
    validator.validate(&instance).map_err(|error| format!("{error} in {instance}"))
}

/// The variables that a selection set uses; an error where an argument is given
/// anything else.
fn variables(set: &SelectionSet) -> Result<HashSet<&str>, String> {
    let mut used = HashSet::new();
    let mut open = vec![set];
    while let Some(set) = open.pop() {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    for argument in &field.arguments {
                        let Literal::Variable(name) = &*argument.value else {
                            return Err(format!("`{}` is given no variable", argument.name));
                        };
                        used.insert(name.as_str());
                    }
                    open.push(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                Selection::FragmentSpread(spread) => {
                    return Err(format!("`{}` is spread", spread.fragment_name));
                }
            }
        }
    }
    Ok(used)
}

/// An instance of a JSON Schema: every default, and of what is required and has
/// none the simplest value.
fn instance(schema: &Value, whole: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = whole.pointer(reference.trim_start_matches('#')).unwrap();
        return instance(target, whole);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    let ty = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap();
    match ty {
        "object" => {
            let none = Map::new();
            let properties = schema["properties"].as_object().unwrap_or(&none);
            let is_required = |name: &str| {
                let required = schema["required"].as_array();
                required.is_some_and(|required| required.iter().any(|it| it == name))
            };
            // Of a `@oneOf` that is the first, which leads to no other.
            let only = schema["maxProperties"].as_u64().map(|_| properties.keys().next().unwrap());
            let chosen = properties.iter().filter(|(name, property)| match only {
                Some(only) => *name == only,
                None => is_required(name) || property.get("default").is_some(),
            });
            chosen.map(|(name, it)| (name.clone(), instance(it, whole))).collect()
        }
        "array" => json!([]),
        "integer" => json!(1),
        "number" => json!(1.5),
        "boolean" => json!(true),
        _ => json!("text"),
    }
}
