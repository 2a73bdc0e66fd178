//! The four lines that decide: is a leaf selected, is a hop taken, which root,
//! which tree. Each is a sum of features times weights; `weights.json` holds
//! the weights.
//!
//! They were fitted, as `scripts/planner/fit.py` fits them, on 652 open pairs of
//! a prompt and an operation (the GraphQL AI working group's benchmark, and
//! documented operations; 20 schemas): leaves and hops by logistic regression, an
//! example being a field of a selected type, roots and trees by a softmax over the
//! candidates. Of many more features these remain; with all of them, schemas that
//! were held out fared worse.

use std::{fs, io, path::Path, sync::LazyLock};

use serde::Deserialize;

/// Defines what a line judges by, and, in [`Weights`], what each of it counts.
macro_rules! line {
    ($(#[$about:meta])* $line:ident { $($(#[$doc:meta])* $feature:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields)]
        pub struct $line { $($(#[$doc])* pub $feature: f32,)* }

        impl $line {
            /// What the features are called, in their order.
            pub const NAMES: &[&str] = &[$(stringify!($feature)),*];

            /// The features, in the order of [`Self::NAMES`].
            pub fn values(&self) -> Vec<f32> {
                vec![$(self.$feature),*]
            }

            /// The sum of the features, each times its weight.
            pub fn times(&self, weights: &Self) -> f32 {
                [$(self.$feature * weights.$feature),*].iter().sum()
            }
        }
    };
}

line! {
    /// What a leaf is judged by. The sum is the logit of its being selected where
    /// its owner is.
    Leaf {
        /// 1, for the intercept.
        one,
        /// Its leaf line less the best leaf's, at least −12, over 3.
        line,
        /// Its cosine times 5.
        meaning,
        /// What the prompt says of its name beyond the owner's.
        novelty,
        /// The owner's line over 4.
        owner_line,
        /// The prompt's length, at most 30 words, over 10.
        length,
        /// Is the operation a mutation? Known only where the tree grows.
        mutation,
        /// ln(1 + the leaves of its owner).
        siblings,
        /// Is its owner a connection?
        in_connection,
        /// Is it `id`?
        id,
        /// The same where the prompt asks.
        id_asked,
        /// The same where the prompt is keywords.
        id_among_keywords,
        /// Does its name end in "id" otherwise?
        foreign_id,
        /// Is it a name or a title?
        name,
        /// Is it what people tell such things apart by: a slug, a number, an email?
        key,
        /// Is it its owner's label, and the prompt keywords?
        label_among_keywords,
        /// The greatest novelty among its siblings, for a label or `id`.
        label_of_said,
        /// Is it the message, field or code of an error?
        error_message,
        /// Is it a state or status?
        status,
        /// Is it a total, and does the prompt ask how many?
        count_asked,
        /// Does it lead elsewhere: a URL, a path?
        url,
        /// Is it a cursor or the like?
        cursor,
        /// Is it a yes or no?
        boolean,
        /// Is it never null?
        non_null,
        /// Is it deprecated?
        deprecated,
    }
}

line! {
    /// What a hop, a field that returns an object, interface or union, is judged
    /// by. The sum is the logit of its being taken where its owner is selected.
    Hop {
        /// 1, for the intercept.
        one,
        /// Its cosine less the best sibling hop's, times 5.
        above_siblings,
        /// The same where the prompt asks.
        above_siblings_asked,
        /// What the prompt says of its name beyond the owner's.
        novelty,
        /// The same where the owner is what the root returns; known only where the
        /// tree grows.
        novelty_first,
        /// Novelty times `siblings`.
        novelty_siblings,
        /// Novelty in a mutation; known only where the tree grows.
        novelty_mutation,
        /// Its topic line less the best sibling hop's, at least −12, over 3.
        topic_line,
        /// The same for a connection.
        topic_line_connection,
        /// How well the best leaf of what it leads to answers, 0 to 1.
        leaves_there,
        /// Is it a list, and does the prompt say its name in the plural?
        plural_list,
        /// Is it no list though the prompt says its name in the plural?
        plural_single,
        /// Is it no list, and does the prompt say its name in the singular?
        singular_single,
        /// Does it return a list?
        list,
        /// The same in a mutation; known only where the tree grows.
        list_mutation,
        /// Does it return a connection?
        connection,
        /// Is it `pageInfo`?
        page_info,
        /// ln(1 + the leaves of its owner).
        siblings,
        /// Is its owner returned by mutations only?
        of_payload,
        /// Does it lead to a root, or to what a root returns anyway?
        to_root,
        /// How many arguments must be given, at most 2.
        required_arguments,
        /// Does the prompt ask?
        asked,
        /// Is it deprecated?
        deprecated,
    }
}

line! {
    /// What a root field is judged by, among those of its kind.
    RootLine {
        /// Its name's cosine times 3.
        name_meaning,
        /// The share of its name that the prompt says in the very words.
        name_said,
        /// Of a mutation: the same, near words included.
        name_covered_mutation,
        /// The share of the prompt that its name or its entity's has, times 3.
        covered,
        /// Of a mutation: what its arguments' names add to that, times 3.
        arguments_cover_mutation,
        /// Of a mutation whose verb is of the prompt's class: the share of its
        /// nouns that the prompt says.
        noun_and_verb_mutation,
        /// Is it a list, and does the prompt say its name in the plural?
        plural_list,
        /// Is it no list though the prompt says its name in the plural?
        plural_single,
        /// Is it a list of a query though the prompt speaks of one?
        single_list_query,
        /// Of a query: the best type that its entity leads to, 0 to 1.
        reached_line_query,
        /// The best leaf that its entity leads to, 0 to 1.
        reached_leaves,
        /// The best leaf of its entity, 0 to 1.
        leaves_there,
        /// The share of its entity's name that the prompt has.
        entity_covered,
        /// Of a query that is no list: ln(1 + the lists of its entity).
        lists_there_query,
        /// Does it return the caller, and does the prompt speak of the caller?
        of_caller,
        /// How many arguments it has, at most 8, over 5.
        arguments,
        /// Does a query require a key though the prompt names none?
        key_required_query,
        /// ln of how many fields share its name.
        namesakes,
        /// Is it Relay's `node` or `nodes`?
        node,
    }
}

line! {
    /// What a grown tree is judged by.
    TreeLine {
        /// The root's log-probability.
        root,
        /// The share of the prompt that the names in it have, times 3.
        covered,
        /// ln(1 + its distinct leaves).
        leaves,
    }
}

/// Where growth stops and how much is offered. Chosen on the same pairs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// The logit that a leaf must pass.
    pub leaf: f32,
    /// The logit that a hop must pass.
    pub hop: f32,
    /// How much of the log-probability of the path to a field adds to its logit.
    pub path: f32,
    /// How many roots are grown.
    pub roots: usize,
    /// How far below the best tree the second may be to be offered too: a third
    /// of all prompts get two, which is worth four points of `covered`.
    pub margin: f32,
}

/// The fitted weights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Of leaves.
    pub leaf: Leaf,
    /// Of hops.
    pub hop: Hop,
    /// Of root fields.
    pub root: RootLine,
    /// Of whole trees.
    pub tree: TreeLine,
    /// Where growth stops.
    pub thresholds: Thresholds,
}

impl Weights {
    /// The weights that come with the program.
    pub fn bundled() -> &'static Self {
        static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
            // The file is part of the program, and a test reads it.
            serde_json::from_str(include_str!("weights.json")).unwrap_or_else(|error| {
                unreachable!("weights.json is not what it should be: {error}")
            })
        });
        &WEIGHTS
    }

    /// Reads other weights, in the form of `weights.json`.
    ///
    /// # Errors
    /// Where the file cannot be read, or a weight is missing, unknown or no number.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }
}

/// 1 for yes.
pub const fn flag(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_readable() {
        let weights = Weights::bundled();
        assert!(weights.leaf.deprecated < 0.0 && weights.hop.deprecated < 0.0);
        assert!(weights.thresholds.roots > 1);
        let of_one = Hop { one: 1.0, list: 2.0, ..Hop::default() }.times(&weights.hop);
        assert!((of_one - (weights.hop.one + 2.0 * weights.hop.list)).abs() < 1e-6);
    }
}
