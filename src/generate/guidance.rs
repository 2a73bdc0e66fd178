//! What to do with operations, as an agent is told.

use serde_json::{Map, Value};

use super::{
    arguments::Place,
    describe::{LISTED, listed},
    operation::Operation,
    prompt::Prompt,
    variables,
};
use crate::{
    discovery::{GenerateResponse, Guidance, OperationType},
    schema::Schema,
};

/// How an operation is sent.
const SENDING: &str = "send `document` as `query`, with `operationName` and `variables`";

/// What to do with the operations, those of each ask together; none where there
/// are none.
pub fn guidance(
    schema: &Schema,
    answers: &[(&Prompt, &[&Operation<'_>])],
    endpoint: Option<&str>,
) -> Option<Guidance> {
    let place = endpoint.map_or_else(
        || "your GraphQL endpoint".to_owned(),
        |endpoint| format!("the endpoint {endpoint}"),
    );
    let firsts: Vec<_> = answers
        .iter()
        .filter_map(|(prompt, operations)| Some((*prompt, *operations.first()?)))
        .collect();
    let mut steps: Vec<String> = Vec::new();
    match firsts.as_slice() {
        [] => return None,
        [(prompt, operation)] => {
            steps.push(match operation.kind {
                OperationType::Query => format!("Run the operation against {place}: {SENDING}."),
                OperationType::Mutation => format!(
                    "Run the operation against {place} when its change is wanted: {SENDING}."
                ),
                OperationType::Subscription => format!(
                    "Subscribe at {place} over a connection that stays open (WebSocket or server-sent events): {SENDING}."
                ),
            });
            steps.push(example(schema, prompt, operation));
        }
        several => {
            steps.push(format!(
                "Each operation answers a part of the prompt, in its order. Run each that you want against {place}: {SENDING}."
            ));
            let examples = several.iter().map(|(prompt, operation)| {
                format!("{}: {}", operation.name, example(schema, prompt, operation))
            });
            steps.extend(examples);
        }
    }
    for other in answers.iter().filter_map(|(_, operations)| operations.get(1)) {
        steps.push(format!(
            "{} is another reading of the prompt; the descriptions tell the two apart.",
            other.name
        ));
    }
    let coordinates: Vec<String> = firsts
        .iter()
        .map(|(_, operation)| format!("`field:{}`", root_coordinate(schema, operation)))
        .collect();
    steps.push(format!(
        "To select something else, describe it in other words; get_symbols with {} tells all arguments.",
        listed(coordinates, LISTED)
    ));
    Some(Guidance { endpoint: endpoint.map(str::to_owned), next_steps: steps })
}

/// Says to those who wrote GraphQL what to write instead.
pub fn advise(response: &mut GenerateResponse, words: &str) {
    let advice = format!(
        "`prompt` was GraphQL, and only its names were read, not its values. Next time describe the data in your own words instead, for example: {words}"
    );
    match &mut response.guidance {
        Some(guidance) => guidance.next_steps.insert(0, advice),
        None => response.unsatisfied.push(advice),
    }
}

fn example(schema: &Schema, prompt: &Prompt, operation: &Operation<'_>) -> String {
    if operation.variables.is_empty() {
        return "It takes no variables.".to_owned();
    }
    let values: Map<String, Value> = operation
        .variables
        .iter()
        .filter_map(|variable| {
            let count = prompt.limit.filter(|_| is_outermost(operation, &variable.name));
            Some((variable.name.clone(), variables::example(variable, schema, count)?))
        })
        .collect();
    let left_out: Vec<String> = operation
        .variables
        .iter()
        .filter(|variable| !values.contains_key(&variable.name))
        .map(|variable| format!("`{}`", variable.name))
        .collect();
    let optional = match left_out.len() {
        0 => String::new(),
        _ => format!(" {} may be left out.", listed(left_out, LISTED)),
    };
    format!("Give the variables your values, for example {}.{optional}", Value::from(values))
}

/// The count of a prompt is meant for the first list.
fn is_outermost(operation: &Operation<'_>, variable: &str) -> bool {
    let mut counts = operation.variables.iter().filter(|it| it.place == Place::Count);
    counts.next().is_some_and(|first| first.name == variable)
}

fn root_coordinate(schema: &Schema, operation: &Operation<'_>) -> String {
    let root = match operation.kind {
        OperationType::Query => &schema.roots.query,
        OperationType::Mutation => &schema.roots.mutation,
        OperationType::Subscription => &schema.roots.subscription,
    };
    format!("{}.{}", root.as_deref().unwrap_or_default(), operation.field.name)
}
