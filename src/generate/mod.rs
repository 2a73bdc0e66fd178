//! From a prompt to operations that are valid and take variables, without a
//! language model.
//!
//! [`generate`] goes in stages, a file each:
//!
//! 1. `prompt` reads the wording: kind of operation, values, counts, order;
//! 2. `plan` surveys the index, chooses root fields and grows a tree of
//!    selections under each, by weights that were fitted on open prompts;
//!    `twin` moves a plan to the root field that takes a count or an order, where
//!    the prompt asks for one;
//! 3. `operation` writes a plan down as a document: `arguments` says which
//!    arguments it gives, each as a variable of the schema's type; no value of
//!    the prompt ever stands in the document;
//! 4. `proof` has apollo-compiler judge the document; what it refuses does not
//!    leave;
//! 5. `variables` describes the variables as JSON Schema, and `describe` says in
//!    words what the operation does, what to do with it, and what of the prompt
//!    the schema cannot answer.
//!
//! Everything is deterministic: one prompt on one index gives one answer.

mod arguments;
mod describe;
mod operation;
mod plan;
mod prompt;
mod proof;
#[cfg(test)]
mod tests;
mod twin;
mod variables;

use std::collections::HashSet;

use crate::{
    discovery::{DiscoveryError, GenerateRequest, GenerateResponse, GeneratedQuery},
    embedding::Embedder,
    index::{Index, IndexError, is_stop_word, words_of},
    schema::Schema,
};
use arguments::Asked;
use operation::Operation;
use plan::Plan;
use prompt::Prompt;

/// Words of a prompt that is polite and asks for nothing.
const SMALL_TALK: &str = "hello hi hey hallo greetings good morning afternoon evening day thanks thank you u please help \
     ok okay yes no test testing ping there dear bye goodbye cheers welcome sorry i im we am can could would will \
     do does did be been want need like something anything nothing stuff thing things";

/// Reads a request before any index is asked.
///
/// # Errors
/// [`DiscoveryError::Invalid`] for a prompt that is empty or too long, asks for
/// no data, or is GraphQL.
pub fn check(request: &GenerateRequest) -> Result<(), DiscoveryError> {
    request.check()?;
    let invalid = |reason: &str| Err(DiscoveryError::Invalid(reason.to_owned()));
    if is_graphql(&request.prompt) {
        return invalid(
            "`prompt` is GraphQL; describe the data in your own words instead, for example \"employees with their ids and current moods\".",
        );
    }
    let is_idle = |word: &String| {
        is_stop_word(word) || SMALL_TALK.split_whitespace().any(|idle| idle == word)
    };
    if words_of(&request.prompt).iter().all(is_idle) {
        return invalid(
            "`prompt` asks for no data; name the entities and the fields that you want, for example \"employees with their ids and current moods\".",
        );
    }
    Ok(())
}

/// Writes the operations that a prompt asks for: the best reading first, and a
/// second where another is close. `endpoint` is where they are run, if that is
/// known. The request is taken as checked.
///
/// # Errors
/// [`IndexError`] where the file cannot be read or the model fails.
pub fn generate(
    index: &Index,
    embedder: &Embedder,
    request: &GenerateRequest,
    endpoint: Option<&str>,
) -> Result<GenerateResponse, IndexError> {
    let schema = index.schema()?;
    let prompt = Prompt::read(&request.prompt);
    let missing = describe::missing(index, &prompt)?;
    let plans =
        if missing.is_all() { Vec::new() } else { plan::plan(index, schema, &prompt, embedder)? };
    let asked = Asked::of(&prompt);
    let mut proved: Vec<(Plan, Operation<'_>)> = Vec::new();
    for plan in plans {
        let plan = twin::moved(plan, schema, &asked);
        if let Some(operation) = proved_operation(index, schema, &plan, &asked)? {
            let is_new = proved.iter().all(|(_, other)| other.document != operation.document);
            if is_new {
                proved.push((plan, operation));
            }
        }
    }
    name_apart(&mut proved);
    respond(index, embedder, (schema, &prompt, endpoint), &proved, &missing)
}

/// An operation that the judge accepts, or none.
fn proved_operation<'s>(
    index: &Index,
    schema: &'s Schema,
    plan: &Plan,
    asked: &Asked,
) -> Result<Option<Operation<'s>>, IndexError> {
    let judge = index.judge()?;
    // A schema's defaults may not fit its types; the server knows them anyway.
    for with_defaults in [true, false] {
        let Some(operation) = operation::write(plan, schema, asked, with_defaults) else {
            tracing::warn!(root = plan.selection.field, "a plan does not fit the schema");
            return Ok(None);
        };
        match proof::prove(judge, &operation.document) {
            Ok(()) => return Ok(Some(operation)),
            Err(refused) => {
                tracing::warn!(document = operation.document, %refused, "an operation is not valid and stays here");
            }
        }
    }
    Ok(None)
}

/// Two operations in one client need two names.
fn name_apart(proved: &mut [(Plan, Operation<'_>)]) {
    let mut names: HashSet<String> = HashSet::new();
    for (_, operation) in proved {
        let mut name = operation.name.clone();
        let mut number = 2;
        while !names.insert(name.clone()) {
            name = format!("{}{number}", operation.name);
            number += 1;
        }
        if name != operation.name {
            operation.document = operation.document.replacen(&operation.name, &name, 1);
            operation.name = name;
        }
    }
}

fn respond(
    index: &Index,
    embedder: &Embedder,
    (schema, prompt, endpoint): (&Schema, &Prompt, Option<&str>),
    proved: &[(Plan, Operation<'_>)],
    missing: &describe::Missing,
) -> Result<GenerateResponse, IndexError> {
    let descriptions = describe::descriptions(schema, proved);
    let mut truncated = false;
    let queries = proved
        .iter()
        .zip(descriptions)
        .map(|((_, operation), description)| {
            let variables = variables::of(&operation.variables, schema);
            truncated |= variables.truncated;
            GeneratedQuery {
                description,
                document: operation.document.clone(),
                operation_name: operation.name.clone(),
                operation_type: operation.kind,
                variables_schema: variables.schema,
            }
        })
        .collect();
    let operations: Vec<&Operation<'_>> = proved.iter().map(|(_, operation)| operation).collect();
    Ok(GenerateResponse {
        queries,
        unsatisfied: describe::unsatisfied(
            index,
            embedder,
            prompt,
            missing,
            operations.is_empty(),
        )?,
        truncated,
        guidance: describe::guidance(schema, prompt, &operations, endpoint),
    })
}

/// Is it an operation, a fragment, or the beginning of one?
fn is_graphql(prompt: &str) -> bool {
    let text = prompt.trim();
    if !text.contains('{') {
        return false;
    }
    let begins = |keyword: &str| {
        text.strip_prefix(keyword).is_some_and(|rest| {
            let rest = rest.trim_start();
            let head = rest.split(['{', '(']).next().unwrap_or_default().trim();
            // An operation has at most a name, a fragment its type condition too.
            head.split_whitespace().count() <= if keyword == "fragment" { 3 } else { 1 }
        })
    };
    text.starts_with('{')
        || ["query", "mutation", "subscription", "fragment"].into_iter().any(begins)
}
