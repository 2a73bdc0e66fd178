//! An operation in words: what it does, and what tells it from another.

use std::collections::BTreeSet;

use super::{
    arguments::Place,
    operation::{Operation, find, is_plumbing},
    plan::{Plan, Selection},
};
use crate::{
    discovery::OperationType,
    index::{imperative, split},
    schema::{FieldDef, Schema},
};

/// How many selected things a description lists.
pub(super) const LISTED: usize = 6;
/// How many it lists of a thing that is itself listed.
const LISTED_INSIDE: usize = 4;
/// How many fields are named that only one of two readings selects.
const TELLING: usize = 3;
/// What the name of a field begins with that only reads.
const PREFIXES: [&str; 8] = ["get ", "list ", "fetch ", "find ", "all ", "read ", "show ", "load "];

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
pub(super) fn listed(mut items: Vec<String>, most: usize) -> String {
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
            _ => format!("; this reading selects {}", listed(more, TELLING)),
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
