//! How evidence adds up: linear models, whose weights are data.
//!
//! Two kinds of question pull apart. A long prompt asks for the leaf fields of
//! an entity, a short topic for the one field that does it; a line fitted to
//! one ruins the other. So there are two lines for members, each a softmax over
//! the candidates, and a gate that reads the question's form says how much of
//! each to believe: `p = g · p(prompt) + (1 − g) · p(topic)`, a mixture of
//! experts (Jacobs, Jordan, Nowlan and Hinton, 1991). Types have one line,
//! which the members' lines take as evidence of their owner.
//!
//! `ranking.json` holds the weights; `scripts/ranking/fit.py` fits them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{
    evidence::{Evidence, at},
    question::{Form, Question},
};
use crate::index::graph::{Graph, Node, Position, Role, Root};
use crate::schema::Kind;

/// How far below the best type another can fall, as evidence of its members.
const LOWEST_LINE: f32 = -8.0;
/// Fields between a root and an owner beyond which more make no difference.
const DEEPEST: u32 = 8;

/// What a type is judged by, and, in [`Weights`], what each counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypeFeatures {
    /// [`Evidence::meaning`].
    pub meaning: f32,
    /// [`Evidence::best_member`].
    pub best_member: f32,
    /// [`Evidence::best_returning`].
    pub best_returning: f32,
    /// [`Evidence::returning_rank`].
    pub returning_rank: f32,
    /// [`Evidence::name_covered`].
    pub name_covered: f32,
    /// Is it a connection or an edge?
    pub plumbing: f32,
    /// Do only mutations return it?
    pub payload: f32,
    /// Is it a root?
    pub root: f32,
    /// Is it an input?
    pub input: f32,
}

/// What a member is judged by, and, in [`Weights`], what each counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemberFeatures {
    /// [`Evidence::meaning`].
    pub meaning: f32,
    /// [`Evidence::name_meaning`].
    pub name_meaning: f32,
    /// [`Evidence::words`].
    pub words: f32,
    /// [`Evidence::near_words`].
    pub near_words: f32,
    /// [`Evidence::named`].
    pub named: f32,
    /// [`Evidence::nearly_named`].
    pub nearly_named: f32,
    /// [`Evidence::name_covered`].
    pub name_covered: f32,
    /// Its meaning less that of the best member of the same type, at most 0.
    pub above_siblings: f32,
    /// The owner's line less that of the best type, −8 to 0.
    pub owner_line: f32,
    /// The owner's [`Evidence::best_returning`].
    pub owner_best_returning: f32,
    /// [`Evidence::meaning`] of what it returns, connections unwrapped.
    pub entity_meaning: f32,
    /// [`Evidence::name_covered`] of the same.
    pub entity_covered: f32,
    /// Fields between a root and the owner, at most 8, and 8 without a route.
    pub depth: f32,
    /// Is it a field of the query root?
    pub query_root: f32,
    /// ln(1 + the number of its arguments).
    pub arguments: f32,
    /// Does it return an object, interface or union?
    pub composite: f32,
    /// Is its owner returned by mutations only?
    pub payload: f32,
    /// How surely the question is an imperative, for a mutation.
    pub imperative_mutation: f32,
    /// Does the question speak of events, for a subscription?
    pub event_subscription: f32,
    /// Is it deprecated?
    pub deprecated: f32,
    /// ln of how many fields share the name.
    pub namesakes: f32,
    /// Is it an identifier that people do not ask for?
    pub identifier: f32,
    /// Is it a yes or no?
    pub boolean: f32,
}

/// The fitted weights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    types: TypeFeatures,
    prompt: MemberFeatures,
    topic: MemberFeatures,
    gate: Form,
}

/// The features of a type.
pub fn type_features((position, node): (Position, &Node), evidence: &Evidence) -> TypeFeatures {
    TypeFeatures {
        meaning: at(&evidence.meaning, position),
        best_member: at(&evidence.best_member, position),
        best_returning: at(&evidence.best_returning, position),
        returning_rank: at(&evidence.returning_rank, position),
        name_covered: at(&evidence.name_covered, position),
        plumbing: flag(node.role == Role::Plumbing),
        payload: flag(node.role == Role::Payload),
        root: flag(node.root.is_some()),
        input: flag(node.kind == Kind::Input),
    }
}

/// The features of a member; `lines` are the types' lines, by position.
pub fn member_features(
    (position, node): (Position, &Node),
    graph: &Graph,
    question: &Question,
    evidence: &Evidence,
    lines: &[f32],
) -> MemberFeatures {
    let owner = |figures: &[f32]| node.owner.map_or(0.0, |owner| at(figures, owner));
    let entity = |figures: &[f32]| node.entity.map_or(0.0, |entity| at(figures, entity));
    let composite = node
        .target
        .and_then(|target| graph.get(target))
        .is_some_and(|target| matches!(target.kind, Kind::Object | Kind::Interface | Kind::Union));
    let owner_is_payload = node
        .owner
        .and_then(|owner| graph.get(owner))
        .is_some_and(|owner| owner.role == Role::Payload);
    MemberFeatures {
        meaning: at(&evidence.meaning, position),
        name_meaning: at(&evidence.name_meaning, position),
        words: at(&evidence.words, position),
        near_words: at(&evidence.near_words, position),
        named: at(&evidence.named, position),
        nearly_named: at(&evidence.nearly_named, position),
        name_covered: at(&evidence.name_covered, position),
        above_siblings: at(&evidence.meaning, position) - owner(&evidence.best_member),
        owner_line: node.owner.map_or(LOWEST_LINE, |owner| at(lines, owner)),
        owner_best_returning: owner(&evidence.best_returning),
        entity_meaning: entity(&evidence.meaning),
        entity_covered: entity(&evidence.name_covered),
        depth: count(node.depth.unwrap_or(DEEPEST).min(DEEPEST)),
        query_root: flag(node.root == Some(Root::Query)),
        arguments: count(node.arguments).ln_1p(),
        composite: flag(composite),
        payload: flag(owner_is_payload),
        imperative_mutation: flag(node.root == Some(Root::Mutation)) * question.imperative,
        event_subscription: flag(node.root == Some(Root::Subscription) && question.of_events),
        deprecated: flag(node.deprecated),
        namesakes: count(node.namesakes).ln(),
        identifier: flag(node.identifier),
        boolean: flag(node.type_name.as_deref() == Some("Boolean")),
    }
}

/// How well each type answers, less the best; −8 at the lowest, and for what is
/// no type.
pub fn type_lines(graph: &Graph, evidence: &Evidence) -> Vec<f32> {
    let weights = &weights().types;
    let mut lines: Vec<f32> = graph
        .definitions()
        .iter()
        .enumerate()
        .map(|(position, node)| {
            if node.kind.is_type() {
                type_features((position, node), evidence).times(weights)
            } else {
                f32::NEG_INFINITY
            }
        })
        .collect();
    let best = lines.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for line in &mut lines {
        *line = (*line - best).max(LOWEST_LINE);
    }
    lines
}

/// How well a member answers as one leaf of what a long prompt asks for, and as
/// the one member that a short topic asks for. Only differences between members
/// mean anything.
pub fn member_lines(features: &MemberFeatures) -> (f32, f32) {
    let Weights { prompt, topic, .. } = weights();
    (features.times(prompt), features.times(topic))
}

/// The logarithm of each candidate's probability to be what is asked for.
pub fn member_log_probabilities(question: &Question, candidates: &[MemberFeatures]) -> Vec<f32> {
    let Weights { prompt, topic, .. } = weights();
    let gate = prompt_share(question);
    let line = |weights: &MemberFeatures| {
        log_softmax(candidates.iter().map(|features| features.times(weights)).collect())
    };
    let mixed = line(prompt).into_iter().zip(line(topic));
    mixed
        .map(|(prompt, topic)| {
            log_sum(
                gate.max(f32::MIN_POSITIVE).ln() + prompt,
                (1.0 - gate).max(f32::MIN_POSITIVE).ln() + topic,
            )
        })
        .collect()
}

/// How much a question is taken for a long prompt rather than a short topic, 0
/// to 1.
pub fn prompt_share(question: &Question) -> f32 {
    1.0 / (1.0 + (-question.form.times(&weights().gate)).exp())
}

/// What counts for types.
pub fn type_weights() -> TypeFeatures {
    weights().types
}

/// What counts for members, of the line that is believed more.
pub fn member_weights(prompt_share: f32) -> MemberFeatures {
    if prompt_share > 0.5 { weights().prompt } else { weights().topic }
}

/// The logarithms of `exp(x)/Σ exp(x)`.
pub fn log_softmax(mut scores: Vec<f32>) -> Vec<f32> {
    let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - greatest).exp()).sum();
    for score in &mut scores {
        *score -= greatest + sum.ln();
    }
    scores
}

fn log_sum(a: f32, b: f32) -> f32 {
    let (greater, less) = if a > b { (a, b) } else { (b, a) };
    greater + (less - greater).exp().ln_1p()
}

fn weights() -> &'static Weights {
    static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
        // The file is part of the program, and a test reads it.
        serde_json::from_str(include_str!("ranking.json"))
            .unwrap_or_else(|error| unreachable!("ranking.json is not what it should be: {error}"))
    });
    &WEIGHTS
}

const fn flag(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of members are far below 2^24")]
const fn count(number: u32) -> f32 {
    number as f32
}

impl TypeFeatures {
    fn times(&self, weights: &Self) -> f32 {
        self.meaning * weights.meaning
            + self.best_member * weights.best_member
            + self.best_returning * weights.best_returning
            + self.returning_rank * weights.returning_rank
            + self.name_covered * weights.name_covered
            + self.plumbing * weights.plumbing
            + self.payload * weights.payload
            + self.root * weights.root
            + self.input * weights.input
    }
}

impl MemberFeatures {
    fn times(&self, weights: &Self) -> f32 {
        self.meaning * weights.meaning
            + self.name_meaning * weights.name_meaning
            + self.words * weights.words
            + self.near_words * weights.near_words
            + self.named * weights.named
            + self.nearly_named * weights.nearly_named
            + self.name_covered * weights.name_covered
            + self.above_siblings * weights.above_siblings
            + self.owner_line * weights.owner_line
            + self.owner_best_returning * weights.owner_best_returning
            + self.entity_meaning * weights.entity_meaning
            + self.entity_covered * weights.entity_covered
            + self.depth * weights.depth
            + self.query_root * weights.query_root
            + self.arguments * weights.arguments
            + self.composite * weights.composite
            + self.payload * weights.payload
            + self.imperative_mutation * weights.imperative_mutation
            + self.event_subscription * weights.event_subscription
            + self.deprecated * weights.deprecated
            + self.namesakes * weights.namesakes
            + self.identifier * weights.identifier
            + self.boolean * weights.boolean
    }
}

impl Form {
    fn times(&self, weights: &Self) -> f32 {
        self.one * weights.one
            + self.length * weights.length
            + self.stop_words * weights.stop_words
            + self.imperative * weights.imperative
            + self.sentence * weights.sentence
            + self.of_or_by * weights.of_or_by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_readable() {
        assert!(weights().topic.deprecated < 0.0);
        assert!(weights().prompt.deprecated < 0.0);
    }

    #[test]
    fn a_softmax_sums_to_one_and_keeps_the_order() {
        let logs = log_softmax(vec![1.0, 3.0, 2.0]);
        let sum: f32 = logs.iter().map(|log| log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        assert!(logs[1] > logs[2] && logs[2] > logs[0]);
        assert!(log_softmax(Vec::new()).is_empty());
    }

    #[test]
    fn of_two_equal_members_the_deprecated_one_is_less_probable() {
        let question = Question::read("delete a branch");
        let current = MemberFeatures { meaning: 0.5, ..MemberFeatures::default() };
        let deprecated = MemberFeatures { deprecated: 1.0, ..current };
        let logs = member_log_probabilities(&question, &[deprecated, current]);
        assert!(logs[0] < logs[1]);
    }
}
