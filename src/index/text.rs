//! What is embedded of each element, and what words it is found by.
//!
//! Lengths and parts were chosen by measuring recall on two schemas that the
//! encoder was not tuned on (`README.md`, "How it ranks"): the owner's name is
//! indispensable, a common scalar as type says nothing, and descriptions help
//! within their first sentence or two.

use serde_json::Value;

use super::words::{indexed, split};
use crate::schema::{Element, Kind, TypeRef};

/// Characters of a member's description that are embedded.
const MEMBER_DESCRIPTION: usize = 150;
/// Characters of a type's description that are embedded.
const TYPE_DESCRIPTION: usize = 300;
/// Members of a type that are embedded by name.
const MEMBERS: usize = 20;
/// Characters of a description that are indexed as words; the longest of real
/// schemas are some thousand, so this bounds hostile input only.
const INDEXED_DESCRIPTION: usize = 20_000;
/// Types that say nothing about what a member means.
const COMMON_SCALARS: [&str; 5] = ["String", "Int", "Float", "Boolean", "ID"];

/// A row of the word index, in the order of its columns.
#[derive(Debug, PartialEq, Eq)]
pub struct WordColumns {
    pub name: String,
    pub owner: String,
    pub r#type: String,
    pub description: String,
    pub arguments: String,
    pub members: String,
}

/// The text that stands for an element's meaning.
pub fn embedded(element: &Element) -> String {
    let name = split(&element.name);
    let description = element.description.as_deref().unwrap_or_default();
    match element.kind {
        Kind::Field | Kind::InputField => {
            let target = target(element).filter(|name| !COMMON_SCALARS.contains(name));
            let target = target.map(|name| format!(": {}", split(name))).unwrap_or_default();
            let owner = split(owner(element).unwrap_or_default());
            format!("{owner} {name}{target}. {}", start(description, MEMBER_DESCRIPTION))
        }
        Kind::Path => {
            let hops = route(element).map(split).collect::<Vec<_>>().join(" ");
            format!("{hops}: {}", split(target(element).unwrap_or_default()))
        }
        _ => {
            let members: Vec<String> = members(element).take(MEMBERS).map(split).collect();
            format!("{name}. {} {}", start(description, TYPE_DESCRIPTION), members.join(" "))
        }
    }
    .trim_end()
    .to_owned()
}

/// The words that an element is found by.
pub fn word_columns(element: &Element) -> WordColumns {
    let joined =
        |names: &mut dyn Iterator<Item = &str>| names.map(indexed).collect::<Vec<_>>().join(" ");
    let name = match element.kind {
        Kind::Path => joined(&mut route(element)),
        _ => indexed(&element.name),
    };
    WordColumns {
        name,
        owner: owner(element).map(indexed).unwrap_or_default(),
        r#type: target(element).map(indexed).unwrap_or_default(),
        description: start(element.description.as_deref().unwrap_or_default(), INDEXED_DESCRIPTION)
            .to_owned(),
        arguments: joined(&mut names(&element.record, "Args")),
        members: joined(&mut members(element)),
    }
}

/// The name of the type that holds a member.
pub fn owner(element: &Element) -> Option<&str> {
    element.parent.as_deref().and_then(|parent| parent.split_once(':')).map(|(_, name)| name)
}

/// The named type that a member is of, or that a path leads to.
pub fn target(element: &Element) -> Option<&str> {
    element.type_ref.as_deref().map(TypeRef::named_in)
}

/// The field names of a path, `employee` and `details` of
/// `path:Query.employee.details`.
fn route(element: &Element) -> impl Iterator<Item = &str> {
    element.coordinate.split('.').skip(1).map(|hop| hop.split('[').next().unwrap_or(hop))
}

/// The names of a type's fields, values or possible types.
fn members(element: &Element) -> impl Iterator<Item = &str> {
    let possible = element.record.get("PossibleTypes").and_then(Value::as_array);
    names(&element.record, "Fields")
        .chain(names(&element.record, "Values"))
        .chain(possible.into_iter().flatten().filter_map(Value::as_str))
}

fn names<'a>(record: &'a Value, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let list = record.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|member| member.get("Name")?.as_str())
}

/// The first `chars` characters of a text.
fn start(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}
