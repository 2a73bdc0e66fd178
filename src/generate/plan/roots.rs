//! Which root field an operation begins with.

use super::{
    facts::{FieldFacts, StemId},
    lines::{RootLine, flag},
    signals::{Signals, at, of_entity},
    style::count,
    verbs::{RootWords, class},
};
use crate::index::{Position, Root};

/// What a word counts that the name of an argument has, 1 being what it counts in
/// the name of the field. Chosen on open pairs of a prompt and an operation.
const IN_ARGUMENT: f32 = 0.8;
/// Arguments beyond which more make no difference.
const MOST_ARGUMENTS: usize = 8;

/// A root field, and the logarithm of its probability to be the one.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub field: &'a FieldFacts,
    pub root: Root,
    pub log_probability: f32,
}

/// Every root field, the most probable first: the probability of its kind times
/// its share among those of its kind.
pub fn candidates<'a>(signals: &Signals<'a>, weights: &RootLine) -> Vec<Candidate<'a>> {
    let mut candidates: Vec<Candidate<'a>> = judged(signals)
        .map(|(field, root, features)| Candidate {
            field,
            root,
            log_probability: features.times(weights),
        })
        .collect();
    share_by_kind(&mut candidates, |root| signals.prompt.kinds.of(root));
    candidates.sort_by(|a, b| b.log_probability.total_cmp(&a.log_probability));
    candidates
}

/// Every root field, and what it is judged by.
pub fn judged<'a>(signals: &Signals<'a>) -> impl Iterator<Item = (&'a FieldFacts, Root, RootLine)> {
    let facts = signals.facts;
    let verbs = signals.prompt.first_word().map_or(0, |verb| class(&verb));
    let stems: Vec<Option<StemId>> =
        signals.survey.words.iter().map(|word| facts.stems.find(&word.stem)).collect();
    facts.roots.iter().filter_map(move |(id, words)| {
        let field = facts.fields.get(*id)?;
        let root = field.root?;
        Some((field, root, features(signals, (field, root, words), &stems, verbs)))
    })
}

fn features(
    signals: &Signals<'_>,
    (field, root, words): (&FieldFacts, Root, &RootWords),
    stems: &[Option<StemId>],
    verbs: u16,
) -> RootLine {
    let Signals { facts, survey, prompt, .. } = signals;
    let surveyed = |figures: &[f32]| at(figures, field.position);
    let (queries, mutates) = (flag(root == Root::Query), flag(root == Root::Mutation));
    let (plural, _) = signals.number(field);
    let entity = field.entity.and_then(|entity| facts.types.get(entity));
    let entity_position = entity.map_or(Position::MAX, |entity| entity.position);

    let (mut covered, mut with_arguments) = (0.0, 0.0);
    for (word, stem) in survey.words.iter().zip(stems) {
        let near = |position| word.names.get(&position).copied().unwrap_or(0.0);
        let by_name = near(field.position).max(near(entity_position));
        let said = stem.is_some_and(|stem| words.arguments.binary_search(&stem).is_ok());
        covered += word.share * by_name;
        with_arguments += word.share * by_name.max(IN_ARGUMENT * flag(said));
    }
    let nouns_said = words.nouns.iter().filter(|noun| stems.contains(&Some(**noun))).count();
    let nouns = count(nouns_said) / count(words.nouns.len().max(1));
    RootLine {
        name_meaning: surveyed(&survey.name_meaning) * 3.0,
        name_said: surveyed(&survey.name_said),
        name_covered_mutation: surveyed(&survey.name_covered) * mutates,
        covered: covered * 3.0,
        arguments_cover_mutation: (with_arguments - covered) * 3.0 * mutates,
        noun_and_verb_mutation: nouns * mutates * flag(words.verbs & verbs != 0),
        plural_list: flag(plural && field.listy),
        plural_single: flag(plural && !field.listy),
        single_list_query: queries * flag(field.listy && prompt.single),
        reached_line_query: queries * of_entity(&signals.reached_likeness, field),
        reached_leaves: of_entity(&signals.reached_leaf, field),
        leaves_there: of_entity(&signals.best_leaf, field),
        entity_covered: signals.surveyed_entity(&survey.name_covered, field),
        lists_there_query: queries
            * flag(!field.listy)
            * entity.map_or(0.0, |entity| entity.lists.ln_1p()),
        of_caller: queries * flag(words.is_caller && prompt.of_caller),
        arguments: count(words.count.min(MOST_ARGUMENTS)) / 5.0,
        key_required_query: queries * flag(words.requires_key && !prompt.literal),
        namesakes: field.namesakes,
        node: flag(matches!(field.name.as_str(), "node" | "nodes")),
    }
}

/// Lines into the logarithms of shares of their kind's probability. Kinds that
/// have no root do not take part.
fn share_by_kind(candidates: &mut [Candidate<'_>], probability: impl Fn(Root) -> f32) {
    let kinds = [Root::Query, Root::Mutation, Root::Subscription];
    let has = |root: &Root| candidates.iter().any(|candidate| candidate.root == *root);
    let present: Vec<Root> = kinds.into_iter().filter(has).collect();
    let all: f32 = present.iter().map(|root| probability(*root)).sum();
    for root in present {
        let lines = || candidates.iter().filter(|candidate| candidate.root == root);
        let best = lines().map(|line| line.log_probability).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = lines().map(|line| (line.log_probability - best).exp()).sum();
        let of_kind = (probability(root) / all).max(f32::MIN_POSITIVE).ln();
        for candidate in candidates.iter_mut().filter(|candidate| candidate.root == root) {
            candidate.log_probability += of_kind - best - sum.ln();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate::plan::Facts, schema::parse_sdl};

    #[test]
    fn kinds_without_a_root_leave_their_share_to_the_others() {
        let schema = parse_sdl("type Query { a: Int b: Int } type Mutation { c: Int }").unwrap();
        let facts = Facts::with_places(&schema, |_| None);
        let candidate = |name: &str| {
            let field = facts.fields.iter().find(|field| field.name == name).unwrap();
            Candidate { field, root: field.root.unwrap(), log_probability: 1.0 }
        };
        let mut candidates = ["a", "b", "c"].map(candidate);
        share_by_kind(&mut candidates, |root| match root {
            Root::Query => 0.6,
            Root::Mutation | Root::Subscription => 0.2,
        });
        let shares = candidates.map(|candidate| candidate.log_probability.exp());
        for (share, expected) in shares.into_iter().zip([0.375, 0.375, 0.25]) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
    }
}
