//! An operation in words: what it does, what tells it from another, what to do
//! next, and what of the prompt the schema cannot answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    arguments::Place,
    operation::{Operation, find, is_plumbing},
    plan::{Plan, Selection},
    prompt::Prompt,
    variables,
};
use crate::{
    discovery::{Guidance, OperationType, SearchRequest},
    embedding::Embedder,
    index::{Index, IndexError, Question, Word, imperative, is_reading_word, is_stop_word, split},
    schema::{FieldDef, Schema},
};

/// How many selected things a description lists.
const LISTED: usize = 6;
/// How many it lists of a thing that is itself listed.
const LISTED_INSIDE: usize = 4;
/// How many close things a reason names.
const CLOSE: u32 = 3;
/// How many words a response says to be missing; more are noise.
const MISSING: usize = 2;
/// The shortest word that is said to be missing, in letters.
const MISSING_LETTERS: usize = 4;

/// What stands before a word that asks for data.
const ASKING: &str = "with and their its his her whose of including plus also";
/// Endings of words that qualify rather than name.
const QUALIFYING: [&str; 11] =
    ["ly", "ing", "ed", "able", "ible", "ive", "ous", "ful", "ical", "est", "less"];
/// Words that ask in general.
const GENERAL: &str = "data information info details detail everything overview report summary result results \
     record records entry entries value values content contents field fields attribute attributes property properties \
     item items object objects kind kinds sort sorts type types basic full complete whole main key respective \
     corresponding associated relevant related current various other others same first last next previous \
     every each plus whether half both either two three four five six seven eight nine ten \
     twenty hundred someone somebody anyone everyone people person system graph schema query mutation operation request please today yesterday tomorrow week month year";
/// What the name of a field begins with that only reads.
const PREFIXES: [&str; 8] = ["get ", "list ", "fetch ", "find ", "all ", "read ", "show ", "load "];

// ---- what it does -------------------------------------------------------------

/// A line for each operation. Of several, each says what the others are not.
pub fn descriptions(schema: &Schema, operations: &[(Plan, Operation<'_>)]) -> Vec<String> {
    let mut lines: Vec<String> = operations
        .iter()
        .map(|(plan, operation)| description(schema, &plan.selection, operation))
        .collect();
    if let ([(first, a), (second, b)], [one, other]) = (operations, lines.as_mut_slice()) {
        let (says_one, says_other) = difference((&first.selection, a), (&second.selection, b));
        one.push_str(&says_one);
        other.push_str(&says_other);
    }
    lines.into_iter().map(|line| format!("{line}.")).collect()
}

fn description(schema: &Schema, selection: &Selection, operation: &Operation<'_>) -> String {
    let field = operation.field;
    let many = is_many(schema, field);
    let mut line = match operation.kind {
        OperationType::Query => reads(field, many, operation),
        OperationType::Mutation => changes(&split(&field.name)),
        OperationType::Subscription => format!("Streams {} events", split(&field.name)),
    };
    let items: Vec<String> =
        members(schema, selection).map(|it| item(schema, it, many, LISTED_INSIDE)).collect();
    if !items.is_empty() {
        line.push_str(match (operation.kind, many) {
            (OperationType::Mutation, _) => "; returns ",
            (_, true) => " with their ",
            (_, false) => " with ",
        });
        line.push_str(&listed(items, LISTED));
    }
    let has = |place: Place| operation.variables.iter().any(|variable| variable.place == place);
    let notes = [
        (Place::Filter, "filtered"),
        (Place::Order, "in an order that you choose"),
        (Place::Page, "a page at a time"),
    ];
    for (_, note) in notes.into_iter().filter(|(place, _)| has(*place)) {
        line.push_str(", ");
        line.push_str(note);
    }
    line
}

/// "Lists employees", "Reads one employee by id".
fn reads(field: &FieldDef, many: bool, operation: &Operation<'_>) -> String {
    let words = split(&field.name);
    let mut noun = words.as_str();
    for prefix in PREFIXES {
        noun = noun.strip_prefix(prefix).unwrap_or(noun);
    }
    let noun = noun.split(" by ").next().unwrap_or(noun);
    let noun = noun.strip_suffix(" by").unwrap_or(noun);
    let noun = noun.strip_suffix(" connection").unwrap_or(noun);
    let keys: Vec<String> = operation
        .variables
        .iter()
        .filter(|variable| variable.at_root && variable.place == Place::Key)
        .map(|variable| split(&variable.argument.name))
        .collect();
    let by =
        if keys.is_empty() { String::new() } else { format!(" by {}", listed(keys.clone(), 3)) };
    match (many, keys.is_empty()) {
        _ if noun == "me" => "Reads the caller".to_owned(),
        (true, _) => format!("Lists {}{by}", plural(noun)),
        (false, false) => format!("Reads one {noun}{by}"),
        (false, true) => format!("Reads the {noun}"),
    }
}

/// "Deletes branch" of `deleteBranch`, "Creates checkout" of `checkoutCreate`.
fn changes(words: &str) -> String {
    // Before a word that is no article, a word that is as often a noun counts half.
    let sureness = |word: &str| imperative(&format!("{word} it's"));
    let all: Vec<&str> = words.split(' ').collect();
    let (first, last) =
        (all.first().copied().unwrap_or(words), all.last().copied().unwrap_or(words));
    let is_first = sureness(first) >= sureness(last);
    let (verb, rest) = match all.as_slice() {
        [_, rest @ ..] if is_first && sureness(first) > 0.0 => (first, rest),
        [rest @ .., _] if sureness(last) > 0.0 => (last, rest),
        _ => return format!("Runs {words}"),
    };
    let verb = third_person(verb);
    let mut letters = verb.chars();
    let head: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{head}{} {}", letters.as_str(), rest.join(" ")).trim_end().to_owned()
}

/// What is selected, seen through what is on the way and without pages' ends.
fn members<'a>(
    schema: &'a Schema,
    selection: &'a Selection,
) -> Box<dyn Iterator<Item = &'a Selection> + 'a> {
    let data = selection.selections.iter().filter(|inner| inner.field != "pageInfo");
    Box::new(data.flat_map(move |inner| {
        let is_plumbing = ["edges", "node", "nodes"].contains(&inner.field.as_str())
            && field_of(schema, inner).is_some_and(|field| is_plumbing(schema, field));
        if is_plumbing { members(schema, inner) } else { Box::new(std::iter::once(inner)) }
    }))
}

/// A selected thing: "current moods", "whether available", "departments (code, name)".
fn item(schema: &Schema, selection: &Selection, of_many: bool, inside: usize) -> String {
    let words = split(&selection.field);
    let words = words.strip_suffix(" connection").unwrap_or(&words);
    let field = field_of(schema, selection);
    if selection.selections.is_empty() {
        if field.is_some_and(|field| field.type_ref.named() == "Boolean") {
            return whether(words, of_many);
        }
        let is_list = field.is_some_and(|field| field.type_ref.is_list());
        return if of_many && !is_list { plural(words) } else { words.to_owned() };
    }
    let many = of_many || field.is_some_and(|field| is_many(schema, field));
    let name = if many { plural(words) } else { words.to_owned() };
    let inner: Vec<String> = members(schema, selection).map(|it| split(&it.field)).collect();
    if inner.is_empty() {
        return name;
    }
    let more = inner.len().saturating_sub(inside);
    let mut shown: Vec<String> = inner.into_iter().take(inside).collect();
    if more > 0 {
        shown.push("…".to_owned());
    }
    format!("{name} ({})", shown.join(", "))
}

fn whether(words: &str, of_many: bool) -> String {
    let (have, they) = if of_many { ("have", "they") } else { ("has", "it") };
    match words.split_once(' ') {
        Some(("is", rest)) => format!("whether {rest}"),
        Some(("has", rest)) => format!("whether {they} {have} {rest}"),
        Some(("can", rest)) => format!("whether {they} can {rest}"),
        _ => format!("whether {words}"),
    }
}

fn field_of<'s>(schema: &'s Schema, selection: &Selection) -> Option<&'s FieldDef> {
    find(schema.get(&selection.owner)?, &selection.field)
}

/// Does it answer with several, all at once or a page at a time?
fn is_many(schema: &Schema, field: &FieldDef) -> bool {
    let is_page = || {
        schema
            .get(field.type_ref.named())
            .is_some_and(|ty| ["edges", "nodes"].iter().any(|name| find(ty, name).is_some()))
    };
    field.type_ref.is_list() || is_page()
}

/// "a, b and c", or "a, b and 4 more".
fn listed(mut items: Vec<String>, most: usize) -> String {
    if items.len() > most {
        let more = items.len() - most + 1;
        items.truncate(most - 1);
        items.push(format!("{more} more"));
    }
    match items.pop() {
        Some(last) if !items.is_empty() => format!("{} and {last}", items.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn plural(words: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|end| words.ends_with(end));
    match words.strip_suffix('y') {
        _ if ends(&[" at", " on", " by", " to", " in", " from", " for"]) => words.to_owned(),
        _ if ends(&["ss", "x", "ch", "sh"]) => format!("{words}es"),
        _ if ends(&["s", "people", "children", "data", "media", "information", "off"]) => {
            words.to_owned()
        }
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{words}s"),
    }
}

fn third_person(verb: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|end| verb.ends_with(end));
    match verb.strip_suffix('y') {
        _ if ends(&["s", "x", "ch", "sh", "o", "z"]) => format!("{verb}es"),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{verb}s"),
    }
}

/// What tells two readings apart: the root field, else what only one selects.
fn difference(
    (first, a): (&Selection, &Operation<'_>),
    (second, b): (&Selection, &Operation<'_>),
) -> (String, String) {
    if first.field != second.field || a.kind != b.kind {
        let starts = |operation: &Operation<'_>| {
            let deprecated = operation.field.deprecation_reason.is_some();
            let note = if deprecated { ", which is deprecated" } else { "" };
            format!(", by the {} `{}`{note}", operation.kind.keyword(), operation.field.name)
        };
        return (starts(a), starts(b));
    }
    let (in_first, in_second) = (coordinates(first), coordinates(second));
    let only = |mine: &BTreeSet<String>, theirs: &BTreeSet<String>| {
        let more: Vec<String> =
            mine.difference(theirs).map(|coordinate| format!("`{coordinate}`")).collect();
        match more.len() {
            0 => "; the shorter of two readings".to_owned(),
            _ => format!("; this reading selects {}", listed(more, CLOSE as usize)),
        }
    };
    (only(&in_first, &in_second), only(&in_second, &in_first))
}

fn coordinates(selection: &Selection) -> BTreeSet<String> {
    let mut all = BTreeSet::from([format!("{}.{}", selection.owner, selection.field)]);
    for inner in &selection.selections {
        all.extend(coordinates(inner));
    }
    all
}

// ---- what to do next ----------------------------------------------------------

/// What to do with the first operation; none where there is none.
pub fn guidance(
    schema: &Schema,
    prompt: &Prompt,
    operations: &[&Operation<'_>],
    endpoint: Option<&str>,
) -> Option<Guidance> {
    let operation = operations.first()?;
    let place = endpoint.map_or_else(
        || "your GraphQL endpoint".to_owned(),
        |endpoint| format!("the endpoint {endpoint}"),
    );
    let mut steps = vec![match operation.kind {
        OperationType::Query => format!(
            "Run the operation against {place}: send `document` as `query`, with `operationName` and `variables`."
        ),
        OperationType::Mutation => format!(
            "Run the operation against {place} when its change is wanted: send `document` as `query`, with `operationName` and `variables`."
        ),
        OperationType::Subscription => format!(
            "Subscribe at {place} over a connection that stays open (WebSocket or server-sent events): send `document` as `query`, with `operationName` and `variables`."
        ),
    }];
    steps.push(example(schema, prompt, operation));
    if let Some(other) = operations.get(1) {
        steps.push(format!(
            "{} is another reading of the prompt; the descriptions tell the two apart.",
            other.name
        ));
    }
    steps.push(format!(
        "To select something else, describe it in other words; get_symbols with `field:{}` tells all arguments.",
        root_coordinate(schema, operation)
    ));
    Some(Guidance { endpoint: endpoint.map(str::to_owned), next_steps: steps })
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

// ---- what is missing ----------------------------------------------------------

/// The words of a prompt that the schema does not know.
#[derive(Debug, Default)]
pub struct Missing {
    /// Those that ask for data, in order.
    words: Vec<String>,
    /// Is no word known at all?
    all: bool,
}

impl Missing {
    /// Is there nothing of the prompt that the schema knows?
    pub const fn is_all(&self) -> bool {
        self.all
    }
}

/// Looks each word of a prompt up, in names and descriptions, and near words of
/// it too. Only a plain noun where data is asked for counts as missing: a word
/// that qualifies, a name or a value says nothing about the schema.
pub fn missing(index: &Index, prompt: &Prompt) -> Result<Missing, IndexError> {
    let question = Question::read(&prompt.text);
    let mut missing = Missing { words: Vec::new(), all: true };
    for word in &question.words {
        if is_reading_word(&word.text) || is_general(&word.text) {
            continue;
        }
        if index.mentions(&word.text)? || index.mentions_near(word)? {
            missing.all = false;
        } else if asks_for(prompt, word) {
            missing.words.push(word.text.clone());
        }
    }
    // A prompt of general words only may still be a reading of the whole.
    missing.all &= question.words.iter().any(|word| !is_general(&word.text));
    Ok(missing)
}

fn is_general(word: &str) -> bool {
    GENERAL.split_whitespace().any(|general| general == word)
}

fn asks_for(prompt: &Prompt, word: &Word) -> bool {
    let text = word.text.as_str();
    if text.chars().count() < MISSING_LETTERS
        || !text.chars().all(char::is_alphabetic)
        || QUALIFYING.iter().any(|ending| text.ends_with(ending))
        || prompt.quoted.iter().any(|quoted| quoted.to_lowercase().contains(text))
    {
        return false;
    }
    // As it was typed: a capital begins a name.
    let typed: Vec<&str> = prompt.text.split_whitespace().collect();
    let is_word =
        |typed: &str| typed.trim_matches(|letter: char| !letter.is_alphanumeric()) == text;
    let Some(at) = typed.iter().position(|typed| is_word(typed)) else {
        return false;
    };
    // "mutual followers": before another word it qualifies.
    let ends = typed.get(at).is_some_and(|typed| !typed.ends_with(char::is_alphanumeric));
    let after = typed.get(at + 1).map(|after| after.to_lowercase());
    if !ends && after.is_some_and(|after| !is_stop_word(&after)) {
        return false;
    }
    let before = at.checked_sub(1).and_then(|before| typed.get(before));
    before.is_none_or(|before| {
        before.ends_with(',') || ASKING.split(' ').any(|asking| asking == before.to_lowercase())
    })
}

/// Reasons in plain words, with the closest things that the schema has.
pub fn unsatisfied(
    index: &Index,
    embedder: &Embedder,
    prompt: &Prompt,
    missing: &Missing,
    is_empty: bool,
) -> Result<Vec<String>, IndexError> {
    if is_empty {
        let closest = closest(index, embedder, &prompt.text)?;
        return Ok(vec![format!("The schema has nothing that answers the prompt{closest}")]);
    }
    let mut reasons = Vec::new();
    for word in missing.words.iter().take(MISSING) {
        let closest = closest(index, embedder, word)?;
        reasons.push(format!("The schema knows no \"{word}\"{closest}"));
    }
    Ok(reasons)
}

/// "; the closest that it has are `Employee.notes` and `Details.pets`."
fn closest(index: &Index, embedder: &Embedder, topic: &str) -> Result<String, IndexError> {
    let request = SearchRequest {
        kinds: Some(vec!["field".into(), "object".into()]),
        limit: Some(CLOSE),
        ..SearchRequest::new(topic)
    };
    let hits = index.search(&request, embedder)?.hits;
    let names: Vec<String> = hits
        .iter()
        .map(|hit| format!("`{}`", hit.coordinate.split_once(':').map_or("", |(_, path)| path)))
        .collect();
    Ok(match names.len() {
        0 => ".".to_owned(),
        1 => format!("; the closest that it has is {}.", listed(names, 1)),
        _ => format!("; the closest that it has are {}.", listed(names, CLOSE as usize)),
    })
}
