//! Whether what a language model wrote may leave, and the response made of it.

use std::{collections::HashSet, sync::Arc};

use apollo_compiler::{
    Schema as Judge,
    ast::{self, Definition, OperationDefinition},
    validation::Valid,
};

use super::{
    answer::{self, Answer},
    lift::{Fragments, Lifted, lift},
    slice::root,
};
use crate::{
    discovery::{GenerateResponse, GeneratedQuery, OperationType},
    embedding::Embedder,
    generate::{
        describe, guidance,
        missing::{self, Missing},
        operation::Operation,
        plan::Plan,
        prompt::Prompt,
        proof, variables,
    },
    index::{Index, IndexError},
    schema::Schema,
};

/// The most operations of an answer; a prompt asks for one thing, or for two.
const MAX_OPERATIONS: usize = 4;

/// What an answer may do: nothing that the prompt was not read to ask for.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The kinds of operation that the plan reads from the prompt.
    pub kinds: Vec<OperationType>,
    /// The mutations that the model was shown. It may choose among these, and
    /// make no other change that the schema knows.
    pub mutations: HashSet<String>,
}

/// What becomes of an answer.
pub enum Verdict {
    /// It may leave.
    Accepted(GenerateResponse),
    /// The model finds nothing in the schema that answers.
    Nothing,
    /// It may not leave; the reason is for the model.
    Refused(String),
}

/// What an answer is judged by.
pub struct Case {
    pub index: Arc<Index>,
    pub embedder: Arc<Embedder>,
    pub prompt: Prompt,
    /// Was it GraphQL, now in words?
    pub was_graphql: bool,
    pub missing: Missing,
    pub scope: Scope,
    /// Where operations are run.
    pub endpoint: Option<String>,
}

/// Judges an answer: it must be a document with operations that are in scope
/// and that apollo-compiler accepts once their values are variables.
///
/// # Errors
/// [`IndexError`] where the file cannot be read or the model fails.
pub fn judge(case: &Case, text: &str) -> Result<Verdict, IndexError> {
    let document = match answer::read(text) {
        Answer::Document(document) => document,
        Answer::Nothing => return Ok(Verdict::Nothing),
        Answer::Unreadable(reason) => return Ok(Verdict::Refused(reason)),
    };
    let (schema, judge) = (case.index.schema()?, case.index.judge()?);
    match accepted(&document, (schema, judge), &case.scope) {
        Ok(operations) => respond(case, schema, &operations).map(Verdict::Accepted),
        Err(reason) => Ok(Verdict::Refused(reason)),
    }
}

fn accepted<'s>(
    document: &ast::Document,
    (schema, judge): (&'s Schema, &Valid<Judge>),
    scope: &Scope,
) -> Result<Vec<Lifted<'s>>, String> {
    let mut operations: Vec<&OperationDefinition> = Vec::new();
    let mut fragments = Fragments::new();
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => operations.push(operation),
            Definition::FragmentDefinition(fragment) => {
                fragments.insert(fragment.name.as_str(), fragment);
            }
            _ => return Err("it defines types; write operations only".to_owned()),
        }
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(format!("it holds more than {MAX_OPERATIONS} operations; write one"));
    }
    let mut taken = HashSet::new();
    let mut accepted = Vec::new();
    for operation in operations {
        let lifted = proved(operation, &fragments, (schema, judge), &taken)?;
        in_scope(schema, &lifted, scope)?;
        taken.insert(lifted.operation.name.clone());
        accepted.push(lifted);
    }
    Ok(accepted)
}

fn proved<'s>(
    operation: &OperationDefinition,
    fragments: &Fragments<'_>,
    (schema, judge): (&'s Schema, &Valid<Judge>),
    taken: &HashSet<String>,
) -> Result<Lifted<'s>, String> {
    let mut reason = String::new();
    // As for our own: a schema's defaults may not fit its types.
    for with_defaults in [true, false] {
        let lifted = lift(schema, operation, fragments, with_defaults, taken)?;
        match proof::prove(judge, &lifted.operation.document) {
            Ok(()) => return Ok(lifted),
            Err(refused) => reason = refused.to_string(),
        }
    }
    Err(reason)
}

fn in_scope(schema: &Schema, lifted: &Lifted<'_>, scope: &Scope) -> Result<(), String> {
    let kind = lifted.operation.kind;
    if !scope.kinds.contains(&kind) {
        let asked: Vec<&str> = scope.kinds.iter().map(|kind| kind.keyword()).collect();
        let (is, asked) = (kind.keyword(), asked.join(" or "));
        return Err(format!("it is a {is}, and the request asks for a {asked}"));
    }
    if kind == OperationType::Mutation {
        let [(plan, _)] = lifted.parts.as_slice() else {
            return Err("a mutation must have one root field".to_owned());
        };
        let (field, owner) = (&plan.selection.field, root(schema, kind).unwrap_or_default());
        if !scope.mutations.contains(field) {
            return Err(format!("`{owner}.{field}` is not in the excerpt of the schema"));
        }
    }
    Ok(())
}

fn respond(
    case: &Case,
    schema: &Schema,
    operations: &[Lifted<'_>],
) -> Result<GenerateResponse, IndexError> {
    let mut truncated = false;
    let queries = operations
        .iter()
        .map(|Lifted { operation, parts }| {
            let variables = variables::of(&operation.variables, schema);
            truncated |= variables.truncated;
            GeneratedQuery {
                description: description(schema, parts),
                document: operation.document.clone(),
                operation_name: operation.name.clone(),
                operation_type: operation.kind,
                variables_schema: variables.schema,
            }
        })
        .collect();
    // Where the plan knew no word of the prompt, the model knew better.
    let unsatisfied = if case.missing.is_all() {
        Vec::new()
    } else {
        let prompt = (&case.prompt, false);
        missing::unsatisfied(&case.index, &case.embedder, prompt, &case.missing, false)?
    };
    // The operations are parts of one answer, not readings to choose from.
    let first: Vec<&Operation<'_>> = operations.iter().take(1).map(|it| &it.operation).collect();
    let guidance = guidance::guidance(schema, &[(&case.prompt, &first)], case.endpoint.as_deref());
    let mut response = GenerateResponse { queries, unsatisfied, truncated, guidance };
    if case.was_graphql {
        guidance::advise(&mut response, &case.prompt.text);
    }
    Ok(response)
}

/// A sentence for each root field.
fn description(schema: &Schema, parts: &[(Plan, Operation<'_>)]) -> String {
    let mut sentences: Vec<String> =
        parts.chunks(1).flat_map(|part| describe::descriptions(schema, part)).collect();
    sentences.dedup();
    sentences.join(" ")
}
