//! Which arguments an operation gives: all that it must, and those that the
//! prompt speaks of. A value of the prompt decides that there is a variable,
//! and never what stands in the document.
//!
//! The rules are counts over the operations of public documentation and of a
//! benchmark (1,049 fields with arguments): `first` stands on 496 of 518
//! connections, `after` and its like on 9 of 1,049 fields, a filter on 30 of 335
//! fields that have one, but on 15 of 21 where the prompt says its name, an order
//! on 12 of 378, but on 5 of 7.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};

use super::{plan::Selection, prompt::Prompt};
use crate::{
    discovery::OperationType,
    index::split,
    schema::{FieldDef, InputValue, Schema, TypeDef, TypeKind},
};

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// It names the one thing that is meant.
    Key,
    /// How many there shall be.
    Count,
    /// Where a page begins.
    Page,
    /// Which there shall be.
    Filter,
    /// In which order.
    Order,
    /// Whatever the operation is about.
    Other,
}

/// Names of counts, the most telling first.
const COUNTS: [&str; 7] =
    ["first", "limit", "take", "perpage", "pagesize", "itemsperpage", "count"];
const PAGES: [&str; 6] = ["after", "page", "offset", "skip", "cursor", "pagenumber"];
/// What names one thing, the most telling first.
const KEYS: [&str; 10] =
    ["id", "slug", "key", "number", "name", "login", "handle", "uuid", "code", "username"];
const FILTERS: [&str; 7] =
    ["filter", "filters", "where", "query", "search", "filterby", "condition"];
const ORDERS: [&str; 9] = [
    "orderby",
    "sort",
    "sortby",
    "order",
    "sortkey",
    "sorting",
    "ordering",
    "orderdirection",
    "reverse",
];
/// Fields that answer for whoever asks.
const OF_CALLER: [&str; 5] = ["viewer", "me", "self", "currentuser", "whoami"];
/// Words in the name of an argument that a prompt does not repeat.
const SILENT: [&str; 13] = [
    "is",
    "has",
    "by",
    "only",
    "include",
    "including",
    "with",
    "the",
    "of",
    "in",
    "for",
    "to",
    "input",
];
/// Enum values that say nothing by themselves.
const SILENT_VALUES: [&str; 10] =
    ["all", "any", "none", "default", "other", "unknown", "id", "name", "title", "and"];
/// The shortest enum value that counts as named, in letters.
const VALUE_LETTERS: usize = 3;

/// Wording that says which things are meant, beyond the kind of thing.
static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:whose|where|that (?:are|is|were|was|have|has)|which (?:are|is|were|was|have|has)|with an? \w+ of)\b",
        r"|\b(?:last|past|this|next|previous) (?:hour|day|week|month|quarter|year)s?\b",
        r"|\b(?:last|past|next) \w+ (?:hour|day|week|month|year)s\b",
        r"|\b(?:since|before|after|until|between|greater than|less than|more than|at least|at most|containing|matching|starting with|older than|newer than)\b",
        r"|\b(?:today|yesterday|tomorrow)\b|\b\d{4}-\d{2}(?:-\d{2})?\b|\S@\S+\.\S",
    ))
    .ok()
});

/// What a prompt says about arguments.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its words, stemmed, with a blank around each.
    stems: String,
    /// What it asks about a list: how many, by pages, in which order, and which.
    about_lists: HashSet<Place>,
    from_the_end: bool,
    of_caller: bool,
    /// Does it hold a value?
    literal: bool,
}

impl Asked {
    pub fn of(prompt: &Prompt) -> Self {
        let lower = prompt.text.to_lowercase();
        let condition = CONDITION.as_ref();
        let about_lists = [
            (prompt.limit.is_some(), Place::Count),
            (prompt.pages, Place::Page),
            (prompt.ordered, Place::Order),
            (condition.is_some_and(|condition| condition.is_match(&lower)), Place::Filter),
        ];
        Self {
            stems: format!(" {} ", stemmed(&prompt.words.join(" "))),
            about_lists: about_lists
                .into_iter()
                .filter(|(asks, _)| *asks)
                .map(|(_, place)| place)
                .collect(),
            from_the_end: prompt.from_the_end,
            of_caller: prompt.of_caller,
            literal: prompt.literal,
        }
    }

    /// The arguments to give, in the schema's order, and what each is for.
    /// `root` is set for a root field; `given` tells what was given further up.
    pub fn arguments<'s>(
        &self,
        schema: &Schema,
        root: Option<OperationType>,
        field: &'s FieldDef,
        selections: &[Selection],
        given: &HashSet<Place>,
    ) -> Vec<(&'s InputValue, Place)> {
        let shape = Shape::of(schema, field);
        let required = field.args.iter().any(InputValue::is_required);
        let key = self.key(root, field, shape, required);
        let count = if shape == Shape::One { None } else { self.count(field) };
        let mut chosen: Vec<(&InputValue, Place)> = Vec::new();
        for argument in &field.args {
            let name = plain(&argument.name);
            let is = |one: Option<&InputValue>| one.is_some_and(|it| it.name == argument.name);
            let names_one = is(key) || argument.is_required() && !is_input(schema, argument);
            let place = place(&name, names_one, is(count));
            let wanted = argument.is_required()
                || argument.deprecation_reason.is_none()
                    && match place {
                        Place::Key => is(key),
                        Place::Count => is(count),
                        Place::Page => self.asks(place) && shape != Shape::One,
                        Place::Filter => {
                            self.says(&argument.name)
                                || !given.contains(&Place::Filter)
                                    && self.filters(schema, argument, selections, given)
                        }
                        Place::Order => {
                            !given.contains(&Place::Order)
                                && shape != Shape::One
                                && (self.asks(place) || self.says(&argument.name))
                        }
                        Place::Other => {
                            self.speaks_of(schema, argument, selections)
                                || root == Some(OperationType::Mutation)
                                    && !required
                                    && is_input(schema, argument)
                        }
                    };
            if wanted {
                chosen.push((argument, place));
            }
        }
        chosen
    }

    /// Does it ask this about a list?
    pub fn asks(&self, about: Place) -> bool {
        self.about_lists.contains(&about)
    }

    /// How much of what is asked about a list the field has arguments for: a
    /// count, a page, an order, a filter.
    pub fn met_by(&self, field: &FieldDef) -> usize {
        let names: [(Place, &[&str]); 4] = [
            (Place::Count, &COUNTS),
            (Place::Page, &PAGES),
            (Place::Order, &ORDERS),
            (Place::Filter, &FILTERS),
        ];
        let is_met = |names: &[&str]| named(field, names).is_some();
        names.into_iter().filter(|(place, names)| self.asks(*place) && is_met(names)).count()
    }

    /// The optional argument that names one thing, where nothing else would.
    fn key<'s>(
        &self,
        root: Option<OperationType>,
        field: &'s FieldDef,
        shape: Shape,
        required: bool,
    ) -> Option<&'s InputValue> {
        let of_caller = self.of_caller || OF_CALLER.contains(&plain(&field.name).as_str());
        if root.is_none() || required || of_caller || shape != Shape::One {
            return named(field, &KEYS).filter(|key| key.is_required());
        }
        named(field, &KEYS)
            .or_else(|| field.args.iter().find(|argument| argument.name.ends_with("Id")))
    }

    /// The argument that says how many.
    fn count<'s>(&self, field: &'s FieldDef) -> Option<&'s InputValue> {
        let first = named(field, &COUNTS);
        let last = named(field, &["last"]).filter(|_| self.from_the_end);
        let first_and_only = field.args.iter().all(|argument| argument.name != "first");
        last.filter(|_| first_and_only).or(first)
    }

    /// Is a condition read that this filter could hold?
    fn filters(
        &self,
        schema: &Schema,
        filter: &InputValue,
        selections: &[Selection],
        given: &HashSet<Place>,
    ) -> bool {
        // A value may be what names the one thing at the root.
        if self.asks(Place::Filter) || self.literal && !given.contains(&Place::Key) {
            return true;
        }
        let Some(input) = schema.get(filter.type_ref.named()) else {
            return false;
        };
        input.input_fields.iter().any(|member| {
            let is_selected = selections.iter().any(|it| it.field == member.name);
            let is_flag = member.type_ref.named() == "Boolean";
            !is_selected && (is_flag && self.says(&member.name) || self.names_value(schema, member))
        })
    }

    /// Does the prompt say the whole name, or one of the values? What it says
    /// may also be meant for a field of that name.
    fn speaks_of(&self, schema: &Schema, argument: &InputValue, selections: &[Selection]) -> bool {
        let is_selected = selections.iter().any(|it| it.field == argument.name);
        !is_selected && self.says(&argument.name) || self.names_value(schema, argument)
    }

    /// Are all telling words of a name in the prompt?
    fn says(&self, name: &str) -> bool {
        let words = split(name);
        let mut telling = words.split(' ').filter(|word| !SILENT.contains(word)).peekable();
        telling.peek().is_some() && telling.all(|word| self.has(&stemmed(word)))
    }

    /// Is a value of the argument's enum in the prompt?
    fn names_value(&self, schema: &Schema, argument: &InputValue) -> bool {
        let Some(ty) = schema.get(argument.type_ref.named()) else {
            return false;
        };
        ty.kind == TypeKind::Enum
            && ty.values.iter().any(|value| {
                let words = split(&value.name);
                words.len() >= VALUE_LETTERS
                    && !SILENT_VALUES.contains(&words.as_str())
                    && self.has(&stemmed(&words))
            })
    }

    fn has(&self, stems: &str) -> bool {
        self.stems.contains(&format!(" {stems} "))
    }
}

/// How many things a field answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    One,
    List,
    /// A page of them: a connection, or what is like one.
    Page,
}

impl Shape {
    fn of(schema: &Schema, field: &FieldDef) -> Self {
        let has_page = |ty: &TypeDef| ty.fields.iter().any(|it| plain(&it.name) == "pageinfo");
        match schema.get(field.type_ref.named()) {
            _ if field.type_ref.is_list() => Self::List,
            Some(ty) if has_page(ty) => Self::Page,
            _ => Self::One,
        }
    }
}

/// What an argument is for, as far as its name and its type tell.
pub fn purpose(schema: &Schema, argument: &InputValue) -> Place {
    let name = plain(&argument.name);
    let names_one =
        KEYS.contains(&name.as_str()) || argument.is_required() && !is_input(schema, argument);
    match place(&name, false, false) {
        Place::Other if names_one => Place::Key,
        known => known,
    }
}

fn place(name: &str, is_key: bool, is_count: bool) -> Place {
    let is = |names: &[&str]| names.contains(&name);
    match () {
        () if is_key => Place::Key,
        () if is_count => Place::Count,
        () if is(&COUNTS) || name == "last" => Place::Count,
        () if is(&PAGES) || name == "before" => Place::Page,
        () if is(&FILTERS) => Place::Filter,
        () if is(&ORDERS) => Place::Order,
        () => Place::Other,
    }
}

/// The first of these arguments that the field has.
fn named<'s>(field: &'s FieldDef, names: &[&str]) -> Option<&'s InputValue> {
    names.iter().find_map(|name| field.args.iter().find(|argument| plain(&argument.name) == *name))
}

fn is_input(schema: &Schema, argument: &InputValue) -> bool {
    schema.get(argument.type_ref.named()).is_some_and(|ty| ty.kind == TypeKind::Input)
}

/// `perPage` and `per_page` are the same name.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

fn stemmed(words: &str) -> String {
    let stems = Stemmer::create(Algorithm::English);
    words.split(' ').map(|word| stems.stem(word)).collect::<Vec<_>>().join(" ")
}
