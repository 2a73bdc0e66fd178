//! From a prompt to operations that are valid and take variables, without a
//! language model.
//!
//! [`generate`] goes in stages, a file each:
//!
//! 1. `asks` parts a prompt that asks for several unrelated things, `graphql` puts
//!    one that is GraphQL into words, and `prompt` reads the wording: kind of
//!    operation, values, counts, order;
//! 2. `plan` surveys the index, chooses root fields and grows a tree of
//!    selections under each, by weights that were fitted on open prompts;
//!    `twin` moves a plan to the root field that takes a count or an order, where
//!    the prompt asks for one;
//! 3. `operation` writes a plan down as a document: `arguments` says which
//!    arguments it gives, each as a variable of the schema's type; no value of
//!    the prompt ever stands in the document;
//! 4. `proof` has apollo-compiler judge the document; what it refuses does not
//!    leave;
//! 5. `variables` describes the variables as JSON Schema, `describe` says in words
//!    what the operation does, `guidance` what to do with it, and `missing` what of
//!    the prompt the schema cannot answer.
//!
//! Everything is deterministic: one prompt on one index gives one answer. Where
//! a language model is configured, [`llm`] lets it write the operation instead,
//! with what is made here as its draft and as the answer where it fails.

mod arguments;
mod asks;
mod describe;
mod graphql;
mod guidance;
pub mod llm;
mod missing;
mod operation;
mod plan;
mod prompt;
mod proof;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod twin;
mod variables;

use std::collections::HashSet;

use apollo_compiler::{Schema as Judge, validation::Valid};

use crate::{
    discovery::{DiscoveryError, GenerateRequest, GenerateResponse, GeneratedQuery},
    embedding::Embedder,
    index::{Index, IndexError, is_stop_word, words_of},
    schema::Schema,
};
use arguments::Asked;
use missing::Missing;
use operation::Operation;
use plan::Plan;
pub(crate) use plan::{Weights, fit_row};
use prompt::Prompt;

/// Words of a prompt that is polite and asks for nothing.
const SMALL_TALK: &str = "hello hi hey hallo greetings good morning afternoon evening day thanks thank you u please help \
     ok okay yes no test testing ping there dear bye goodbye cheers welcome sorry i im we am can could would will \
     do does did be been want need like something anything nothing stuff thing things";

/// Reads a request before any index is asked.
///
/// # Errors
/// [`DiscoveryError::Invalid`] for a prompt that is empty or too long, asks for
/// no data, or is GraphQL that does not parse.
pub fn check(request: &GenerateRequest) -> Result<(), DiscoveryError> {
    request.check()?;
    let invalid = |reason: &str| Err(DiscoveryError::Invalid(reason.to_owned()));
    if graphql::is_graphql(&request.prompt) && graphql::in_words(&request.prompt).is_none() {
        return invalid(
            "`prompt` is GraphQL that does not parse; describe the data in your own words instead, for example \"employees with their ids and current moods\".",
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
    Draft::of(index, embedder, request)?.respond(index, embedder, endpoint)
}

/// What is planned for a prompt, proved and not yet described.
struct Draft<'s> {
    schema: &'s Schema,
    /// The prompt; where that is GraphQL, what it says in words.
    text: String,
    was_graphql: bool,
    answers: Vec<Answer<'s>>,
}

impl<'s> Draft<'s> {
    fn of(
        index: &'s Index,
        embedder: &Embedder,
        request: &GenerateRequest,
    ) -> Result<Self, IndexError> {
        let (schema, judge) = index.parsed()?;
        let is_graphql = graphql::is_graphql(&request.prompt);
        let words = is_graphql.then(|| graphql::in_words(&request.prompt)).flatten();
        let was_graphql = words.is_some();
        let text = words.unwrap_or_else(|| request.prompt.clone());
        let mut answers: Vec<Answer<'_>> = readings(index, schema, embedder, &text)?
            .into_iter()
            .map(|reading| Answer::to(reading, schema, judge))
            .collect();
        name_apart(answers.iter_mut().flat_map(|answer| &mut answer.proved));
        Ok(Self { schema, text, was_graphql, answers })
    }

    /// The plans and their operations.
    fn proved(&self) -> impl Iterator<Item = &(Plan, Operation<'s>)> {
        self.answers.iter().flat_map(|answer| &answer.proved)
    }

    fn respond(
        &self,
        index: &Index,
        embedder: &Embedder,
        endpoint: Option<&str>,
    ) -> Result<GenerateResponse, IndexError> {
        let mut response = respond(index, embedder, (self.schema, endpoint), &self.answers)?;
        if self.was_graphql {
            guidance::advise(&mut response, &self.text);
        }
        Ok(response)
    }
}

/// An ask, read and planned.
struct Reading {
    prompt: Prompt,
    missing: Missing,
    /// The best first.
    plans: Vec<Plan>,
}

impl Reading {
    fn of(
        text: &str,
        index: &Index,
        schema: &Schema,
        embedder: &Embedder,
    ) -> Result<Self, IndexError> {
        let prompt = Prompt::read(text);
        let missing = missing::missing(index, &prompt)?;
        let plans = if missing.is_all() {
            Vec::new()
        } else {
            plan::plan(index, schema, &prompt, embedder)?
        };
        Ok(Self { prompt, missing, plans })
    }
}

/// The asks of a prompt, read: one, unless parts of it have nothing to do with
/// each other. Of several, each has its best plan only.
fn readings(
    index: &Index,
    schema: &Schema,
    embedder: &Embedder,
    text: &str,
) -> Result<Vec<Reading>, IndexError> {
    let read = |text: &str| Reading::of(text, index, schema, embedder);
    let mut parts = asks::parts(text).into_iter();
    let (Some(first), Some(second)) = (parts.next(), parts.next()) else {
        return Ok(vec![read(text)?]);
    };
    let mut last = read(first)?;
    let mut apart: Vec<Reading> = Vec::new();
    for part in std::iter::once(second).chain(parts) {
        let own = read(part)?;
        let joint = read(&format!("{}. {part}", last.prompt.text))?;
        let are_apart = match (last.plans.first(), own.plans.first(), joint.plans.first()) {
            (Some(before), Some(after), Some(joint)) => {
                asks::stands_apart(schema, part, after, joint)
                    || asks::stands_apart(schema, &last.prompt.text, before, joint)
            }
            // What the schema knows nothing of is told apart from what it does.
            (before, after, _) => before.is_some() != after.is_some(),
        };
        if are_apart {
            apart.push(std::mem::replace(&mut last, own));
        } else {
            last = joint;
        }
    }
    if apart.is_empty() {
        return Ok(vec![read(text)?]);
    }
    apart.push(last);
    for reading in &mut apart {
        reading.plans.truncate(1);
    }
    Ok(apart)
}

/// A reading, and the operations that answer it.
struct Answer<'s> {
    prompt: Prompt,
    missing: Missing,
    proved: Vec<(Plan, Operation<'s>)>,
}

impl<'s> Answer<'s> {
    fn to(reading: Reading, schema: &'s Schema, judge: &Valid<Judge>) -> Self {
        let asked = Asked::of(&reading.prompt);
        let mut proved: Vec<(Plan, Operation<'s>)> = Vec::new();
        for plan in reading.plans {
            let plan = twin::moved(plan, schema, &asked);
            if let Some(operation) = proved_operation(schema, judge, &plan, &asked) {
                let is_new = proved.iter().all(|(_, other)| other.document != operation.document);
                if is_new {
                    proved.push((plan, operation));
                }
            }
        }
        Self { prompt: reading.prompt, missing: reading.missing, proved }
    }
}

/// An operation that the judge accepts, or none.
fn proved_operation<'s>(
    schema: &'s Schema,
    judge: &Valid<Judge>,
    plan: &Plan,
    asked: &Asked,
) -> Option<Operation<'s>> {
    // A schema's defaults may not fit its types; the server knows them anyway.
    for with_defaults in [true, false] {
        let Some(operation) = operation::write(plan, schema, asked, with_defaults) else {
            tracing::warn!(root = plan.selection.field, "a plan does not fit the schema");
            return None;
        };
        match proof::prove(judge, &operation.document) {
            Ok(()) => return Some(operation),
            Err(refused) => {
                tracing::warn!(document = operation.document, %refused, "an operation is not valid and stays here");
            }
        }
    }
    None
}

/// Two operations in one client need two names.
fn name_apart<'a, 's: 'a>(proved: impl Iterator<Item = &'a mut (Plan, Operation<'s>)>) {
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
    (schema, endpoint): (&Schema, Option<&str>),
    answers: &[Answer<'_>],
) -> Result<GenerateResponse, IndexError> {
    let mut response = GenerateResponse::default();
    for answer in answers {
        let descriptions = describe::descriptions(schema, &answer.proved);
        for ((_, operation), description) in answer.proved.iter().zip(descriptions) {
            let variables = variables::of(&operation.variables, schema);
            response.truncated |= variables.truncated;
            response.queries.push(GeneratedQuery {
                description,
                document: operation.document.clone(),
                operation_name: operation.name.clone(),
                operation_type: operation.kind,
                variables_schema: variables.schema,
            });
        }
        let is_part = answers.len() > 1;
        response.unsatisfied.extend(missing::unsatisfied(
            index,
            embedder,
            (&answer.prompt, is_part),
            &answer.missing,
            answer.proved.is_empty(),
        )?);
    }
    let operations: Vec<Vec<&Operation<'_>>> = answers
        .iter()
        .map(|answer| answer.proved.iter().map(|(_, operation)| operation).collect())
        .collect();
    let answered: Vec<(&Prompt, &[&Operation<'_>])> = answers
        .iter()
        .zip(&operations)
        .filter(|(_, operations)| !operations.is_empty())
        .map(|(answer, operations)| (&answer.prompt, operations.as_slice()))
        .collect();
    response.guidance = guidance::guidance(schema, &answered, endpoint);
    Ok(response)
}
