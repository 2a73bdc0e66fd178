//! The words of root fields, and the verbs among them by class: who asks to
//! "remove" something is served by `deleteSomething`.

use std::{collections::HashMap, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};

use super::facts::{StemId, Stems};
use crate::{
    index::{is_stop_word, words_of},
    schema::{FieldDef, InputValue, Schema},
};

/// Classes of verbs. Some verbs are of two. Written on open prompts.
const CLASSES: &[&str] = &[
    "create add new make open register issue post provision",
    "update change edit set modify rename bump adjust put switch alter extend restrict",
    "delete remove destroy drop clear discard",
    "enable activate turn unlock resume start unarchive restore reopen",
    "disable deactivate lock pause stop cancel void archive close",
    "send request invite ask mail resend",
    "generate rotate regenerate reset refresh",
    "apply place assign attach link give grant move",
    "unassign detach unlink revoke",
    "complete confirm finish checkout submit place",
    "login log sign authenticate obtain token",
    "save upsert store rate vote score like mark toggle",
];

/// An input object with more fields than this is not looked into further.
const SMALL_INPUT: usize = 3;

/// What the words of a root field say.
#[derive(Debug, Default)]
pub struct RootWords {
    /// The classes of the verbs in its name, a bit a class.
    pub verbs: u16,
    /// The other words of its name.
    pub nouns: Vec<StemId>,
    /// The words of its arguments and of the fields of their input objects.
    pub arguments: Vec<StemId>,
    /// How many arguments it has.
    pub count: usize,
    /// Must a key of something be given?
    pub requires_key: bool,
    /// Does it return the caller: `viewer`, `me`, `currentUser`?
    pub is_caller: bool,
}

impl RootWords {
    /// Reads the words of a root field.
    pub fn of(schema: &Schema, field: &FieldDef, stems: &mut Stems) -> Self {
        let required = field.args.iter().filter(|argument| argument.is_required());
        let mut words = Self {
            count: field.args.len(),
            requires_key: required.clone().any(|argument| is_key(&argument.name)),
            is_caller: required.count() == 0 && is_caller(&field.name),
            ..Self::default()
        };
        for word in words_of(&field.name) {
            let stem = stems.of_word(&word);
            let class = class(&word);
            words.verbs |= class;
            if class == 0 && !is_stop_word(&word) {
                words.nouns.push(stem);
            }
        }
        for argument in &field.args {
            words.arguments.extend(stems.of_identifier(&argument.name));
            let fields = input_fields(schema, argument);
            for field in fields {
                words.arguments.extend(stems.of_identifier(&field.name));
                if fields.len() <= SMALL_INPUT {
                    for inner in input_fields(schema, field) {
                        words.arguments.extend(stems.of_identifier(&inner.name));
                    }
                }
            }
        }
        for stems in [&mut words.nouns, &mut words.arguments] {
            stems.sort_unstable();
            stems.dedup();
        }
        words
    }
}

/// The classes of a verb, a bit a class; 0 for what is none.
pub fn class(word: &str) -> u16 {
    static BY_STEM: LazyLock<HashMap<String, u16>> = LazyLock::new(|| {
        let stems = Stemmer::create(Algorithm::English);
        let mut classes: HashMap<String, u16> = HashMap::new();
        for (verbs, class) in CLASSES.iter().zip(0_u16..) {
            for verb in verbs.split(' ') {
                *classes.entry(stems.stem(verb).into_owned()).or_default() |= 1 << class;
            }
        }
        classes
    });
    let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
    BY_STEM.get(&stem).copied().unwrap_or(0)
}

fn input_fields<'a>(schema: &'a Schema, input: &InputValue) -> &'a [InputValue] {
    schema.get(input.type_ref.named()).map_or(&[], |ty| &ty.input_fields)
}

fn is_key(argument: &str) -> bool {
    let name = argument.to_lowercase();
    let parts = [
        "slug", "key", "number", "name", "path", "login", "handle", "owner", "url", "code", "token",
    ];
    name.ends_with("id") || name.ends_with("ids") || parts.iter().any(|part| name.contains(part))
}

fn is_caller(field: &str) -> bool {
    let prefixed = |prefix| {
        field.strip_prefix(prefix).is_some_and(|rest: &str| rest.starts_with(char::is_uppercase))
    };
    matches!(field, "viewer" | "me") || ["my", "current", "active"].into_iter().any(prefixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_of_a_class_meet() {
        assert_eq!(class("removes"), class("delete"));
        assert_ne!(class("place") & class("assign"), 0);
        assert_ne!(class("place") & class("checkout"), 0);
        assert_eq!(class("repository"), 0);
    }

    #[test]
    fn fields_of_the_caller_are_told_by_name() {
        assert!(is_caller("viewer") && is_caller("currentUser") && is_caller("myOrders"));
        assert!(!is_caller("mystery") && !is_caller("activities"));
    }
}
