//! Several asks in one prompt: "List the employees. Also show the countries."
//!
//! Most sentences that follow go on about the same thing ("show its title"), so
//! a part of a prompt is an ask of its own only where the operation for the whole
//! prompt leaves out what it names, and an operation of its own does not.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};

use super::plan::{Plan, Selection};
use crate::{
    index::{imperative, is_reading_word, is_stop_word, split, words_of},
    schema::Schema,
};

/// The most asks that are answered one by one; what follows goes with the last.
const MOST: usize = 4;

/// Words that point back to what was named before.
const BACK: &str = "it itself they them theirs those these each such same him he she both there respective \
     former latter result results above one ones none";
/// Words that do where nothing stands before them that they could point to.
const POSSESSIVE: &str = "its their his her";
/// Words before a sentence's verb that carry no meaning.
const LEAD: &str = "also and then please additionally separately next finally besides plus moreover furthermore \
     secondly lastly i we want need would like to me us";
/// Verbs that a further ask may begin with, beyond those that read or change.
const FURTHER: &str = "give watch subscribe stream notify bring";

/// Where a prompt may be cut: the end of a sentence, a new line, and a conjunction.
static JOINT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"[.?!;]\s+|\s*\n\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?|,?\s+(?:and|then|plus)\s+";
    // The pattern is part of the program, and a test compiles it.
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("{error}"))
});

/// The parts of a prompt that may be asks of their own, in order: one where it is
/// one ask. Each begins with a verb or a question and points back to nothing.
pub fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for joint in JOINT.find_iter(text) {
        let before = text.get(..joint.start()).unwrap_or_default();
        let line = before.lines().last().unwrap_or_default().trim();
        if line.chars().all(|letter| letter.is_ascii_digit()) {
            // The number of a list's first item.
            continue;
        }
        let after = text.get(joint.end()..).unwrap_or_default();
        let ends = JOINT
            .find_iter(after)
            .find(|next| !is_conjunction(next.as_str()))
            .map_or(after.len(), |next| next.start());
        let sentence = after.get(..ends).unwrap_or_default();
        let is_sentence = !is_conjunction(joint.as_str());
        if parts.len() + 1 < MOST && begins_an_ask(sentence, is_sentence) {
            let mark = joint.as_str().starts_with(['.', '?', '!']);
            parts.extend(text.get(begin..joint.start() + usize::from(mark)));
            begin = joint.end();
        }
    }
    parts.extend(text.get(begin..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Is a part an ask of its own? `whole` is planned for the whole prompt, `own` for
/// the part alone.
pub fn stands_apart(schema: &Schema, part: &str, own: &Plan, whole: &Plan) -> bool {
    if own.root == whole.root && own.selection.field == whole.selection.field {
        return false;
    }
    let stems = Stemmer::create(Algorithm::English);
    let named: HashSet<String> = words_of(part)
        .iter()
        .filter(|word| !is_stop_word(word) && !is_verb(word))
        .map(|word| stems.stem(word).into_owned())
        .collect();
    let in_own = names(schema, &stems, &own.selection);
    let in_whole = names(schema, &stems, &whole.selection);
    let root: HashSet<String> =
        words_of(&own.selection.field).iter().map(|word| stems.stem(word).into_owned()).collect();
    // What it is about must be new, not only one more property.
    let is_about = named.iter().any(|stem| root.contains(stem) && !in_whole.contains(stem));
    is_about && named.intersection(&in_own).count() > named.intersection(&in_whole).count()
}

/// The stems of the names of all that a plan selects, and of its types.
fn names(schema: &Schema, stems: &Stemmer, selection: &Selection) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut open = vec![selection];
    while let Some(selection) = open.pop() {
        let owner = schema.get(&selection.owner);
        let field = owner.and_then(|ty| super::operation::find(ty, &selection.field));
        let target = field.map_or("", |field| field.type_ref.named());
        for word in split(&selection.field).split(' ').chain(split(target).split(' ')) {
            names.insert(stems.stem(word).into_owned());
        }
        open.extend(&selection.selections);
    }
    names
}

/// "and", "then": a conjunction joins more often than it parts.
fn is_conjunction(joint: &str) -> bool {
    joint.ends_with(char::is_whitespace) && joint.contains(char::is_alphabetic)
}

fn begins_an_ask(sentence: &str, is_sentence: bool) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && !"'-".contains(letter))
        .filter(|word| !word.is_empty())
        .skip_while(|word| contains(LEAD, word))
        .collect();
    let Some(first) = words.first() else {
        return false;
    };
    let asks = is_verb(first) || imperative(&words.join(" ")) > if is_sentence { 0.4 } else { 0.9 };
    let points_back = |(at, word): (usize, &&str)| {
        let before = words.get(1..at).unwrap_or_default();
        contains(BACK, word)
            || (contains(POSSESSIVE, word) && before.iter().all(|word| is_stop_word(word)))
    };
    // A verb and its object at the least.
    asks && words.len() > 1 && !words.iter().enumerate().any(points_back)
}

fn is_verb(word: &str) -> bool {
    is_reading_word(word) || contains(FURTHER, word)
}

fn contains(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{index::Root, schema::parse_sdl};

    #[test]
    fn a_prompt_is_cut_where_another_ask_may_begin() {
        for (prompt, expected) in [
            (
                "List the employees. Also show the countries.",
                vec!["List the employees.", "Also show the countries."],
            ),
            (
                "Show the viewer's login and list the licenses",
                vec!["Show the viewer's login", "list the licenses"],
            ),
            ("1. list employees\n2. list products", vec!["1. list employees", "list products"]),
            (
                "What is the forecast for the north, and how many taxis are available?",
                vec!["What is the forecast for the north", "how many taxis are available?"],
            ),
            (
                "Create an issue; then delete the branch",
                vec!["Create an issue", "then delete the branch"],
            ),
            (
                "List the employees; show the offices with their desks",
                vec!["List the employees", "show the offices with their desks"],
            ),
            // It goes on about the same thing.
            (
                "List the employees. Show their moods.",
                vec!["List the employees. Show their moods."],
            ),
            ("Open an issue and return its id.", vec!["Open an issue and return its id."]),
            ("Show employees and teams", vec!["Show employees and teams"]),
            (
                "Show pull request Nr. 1 with its author. Thanks!",
                vec!["Show pull request Nr. 1 with its author. Thanks!"],
            ),
            ("", vec![]),
        ] {
            assert_eq!(parts(prompt), expected, "{prompt}");
        }
        assert_eq!(parts(&"list the x. ".repeat(50)).len(), MOST);
    }

    #[test]
    fn a_part_is_an_ask_of_its_own_where_the_whole_leaves_it_out() {
        let schema = parse_sdl(
            "type Query { orders: [Order!] countries: [Country!] }
             type Order { total: Int country: Country }
             type Country { code: String }",
        )
        .unwrap();
        let select = |owner: &str, field: &str, selections: Vec<Selection>| Selection {
            owner: owner.to_owned(),
            field: field.to_owned(),
            selections,
        };
        let plan = |selection: Selection| Plan { root: Root::Query, selection, score: 0.0 };
        let total = select("Order", "total", vec![]);
        let code = || select("Country", "code", vec![]);
        let orders = plan(select("Query", "orders", vec![total.clone()]));
        let through = select("Order", "country", vec![code()]);
        let with_countries = plan(select("Query", "orders", vec![total, through]));
        let countries = plan(select("Query", "countries", vec![code()]));
        let part = "show the countries";
        assert!(stands_apart(&schema, part, &countries, &orders));
        assert!(!stands_apart(&schema, part, &countries, &with_countries));
        assert!(!stands_apart(&schema, part, &orders, &orders));
        assert!(!stands_apart(&schema, "show the total", &countries, &with_countries));
    }
}
