//! The logits of leaves and hops: how probable it is that a field is selected
//! where its owner is.

use super::{
    facts::{Facts, FieldFacts, FieldId, TypeId},
    lines::{Hop, Leaf, Weights, flag},
    signals::{Signals, at, greatest, of_entity},
    style::count,
};
use crate::index::Root;

/// The logit of what is never selected of itself: the fields of a root, met
/// further down.
const NEVER: f32 = -20.0;
/// The lowest line, as evidence.
const LOWEST_LINE: f32 = -12.0;
/// Words of a prompt beyond which more make no difference.
const LONGEST_PROMPT: usize = 30;

/// Logits by field. A hop has another one where its owner is what the root
/// returns.
#[derive(Clone, Debug)]
pub struct Odds {
    pub leaves: Vec<f32>,
    pub hops: Vec<f32>,
    pub first_hops: Vec<f32>,
}

impl Odds {
    /// The logits of every field in an operation of a kind.
    pub fn of(signals: &Signals<'_>, root: Root, weights: &Weights) -> Self {
        let facts = signals.facts;
        let mut odds = Self {
            leaves: vec![NEVER; facts.fields.len()],
            hops: vec![NEVER; facts.fields.len()],
            first_hops: vec![NEVER; facts.fields.len()],
        };
        for (id, _) in facts.types.iter().enumerate().filter(|(_, ty)| ty.root.is_none()) {
            for (field, features) in leaves_of(signals, id, root) {
                set(&mut odds.leaves, field.id, features.times(&weights.leaf));
            }
            for (field, features) in hops_of(signals, id, root) {
                set(&mut odds.hops, field.id, features.times(&weights.hop));
                set(&mut odds.first_hops, field.id, features.first().times(&weights.hop));
            }
        }
        odds
    }

    /// A leaf's logit.
    pub fn leaf(&self, field: &FieldFacts) -> f32 {
        self.leaves.get(field.id).copied().unwrap_or(NEVER)
    }

    /// A hop's logit, from what the root returns (`depth` 1) or from further down.
    pub fn hop(&self, field: &FieldFacts, depth: usize) -> f32 {
        let logits = if depth <= 1 { &self.first_hops } else { &self.hops };
        logits.get(field.id).copied().unwrap_or(NEVER)
    }
}

impl Hop {
    /// The same hop from what the root returns.
    pub const fn first(self) -> Self {
        Self { novelty_first: self.novelty, ..self }
    }
}

/// The leaves of a type, and what each is judged by in an operation of a kind.
pub fn leaves_of<'a>(
    signals: &Signals<'a>,
    owner: TypeId,
    root: Root,
) -> impl Iterator<Item = (&'a FieldFacts, Leaf)> {
    let Signals { facts, survey, prompt, best_line, .. } = *signals;
    let leaves = move || facts.fields_of(owner).iter().filter(|field| field.target.is_none());
    let most_novel = greatest(leaves().map(|field| at(&survey.novelty, field.position)));
    let owner_line = owner_figure(facts, owner, &survey.type_lines);
    let (asks, keywords) = (flag(prompt.asks), flag(prompt.keywords));
    leaves().map(move |field| {
        let line = at(&survey.leaf_lines, field.position) - best_line;
        let still = &field.as_leaf;
        let features = Leaf {
            line: line.max(LOWEST_LINE) / 3.0,
            meaning: at(&survey.meaning, field.position) * 5.0,
            novelty: at(&survey.novelty, field.position),
            owner_line: owner_line / 4.0,
            length: count(prompt.length.min(LONGEST_PROMPT)) / 10.0,
            mutation: flag(root == Root::Mutation),
            id_asked: still.id * asks,
            id_among_keywords: still.id * keywords,
            label_among_keywords: flag(field.label) * keywords,
            label_of_said: most_novel * still.id.max(flag(field.label)),
            count_asked: still.count_asked * flag(prompt.counts),
            ..*still
        };
        (field, features)
    })
}

/// The hops of a type, and what each is judged by in an operation of a kind,
/// further down than what the root returns; [`Hop::first`] is for that.
pub fn hops_of<'a>(
    signals: &Signals<'a>,
    owner: TypeId,
    root: Root,
) -> impl Iterator<Item = (&'a FieldFacts, Hop)> {
    let Signals { facts, survey, prompt, .. } = *signals;
    let hops = move || facts.fields_of(owner).iter().filter(|field| field.is_hop());
    let best = |figures: &[f32]| greatest(hops().map(|field| at(figures, field.position)));
    let (best_meaning, best_topic) = (best(&survey.meaning), best(&survey.topic_lines));
    let (asks, mutates) = (flag(prompt.asks), flag(root == Root::Mutation));
    let is_meant = move |field: &&FieldFacts| {
        let (plural, singular) = signals.number(field);
        singular || !plural || !is_one_of_a_list(field, hops())
    };
    hops().filter(is_meant).map(move |field| {
        let (plural, singular) = signals.number(field);
        let above_siblings = (at(&survey.meaning, field.position) - best_meaning) * 5.0;
        let novelty = at(&survey.novelty, field.position);
        let topic_line = at(&survey.topic_lines, field.position) - best_topic;
        let topic_line = topic_line.max(LOWEST_LINE) / 3.0;
        let still = &field.as_hop;
        let features = Hop {
            above_siblings,
            above_siblings_asked: above_siblings * asks,
            novelty,
            novelty_siblings: novelty * still.siblings,
            novelty_mutation: novelty * mutates,
            topic_line,
            topic_line_connection: topic_line * still.connection,
            leaves_there: of_entity(&signals.best_leaf, field),
            plural_list: flag(plural && field.listy),
            plural_single: flag(plural && !field.listy),
            singular_single: flag(singular && !field.listy),
            list_mutation: still.list * mutates,
            asked: asks,
            ..*still
        };
        (field, features)
    })
}

/// Does it need a key to find one of what a field beside it lists without any?
/// Where the prompt speaks of many, the key would be asked for in vain.
fn is_one_of_a_list<'a>(
    field: &FieldFacts,
    mut siblings: impl Iterator<Item = &'a FieldFacts>,
) -> bool {
    field.required_arguments > 0
        && !field.listy
        && siblings.any(|sibling| {
            sibling.listy && sibling.required_arguments == 0 && sibling.entity == field.entity
        })
}

fn owner_figure(facts: &Facts, owner: TypeId, figures: &[f32]) -> f32 {
    facts.types.get(owner).map_or(0.0, |ty| at(figures, ty.position))
}

fn set(figures: &mut [f32], field: FieldId, to: f32) {
    if let Some(figure) = figures.get_mut(field) {
        *figure = to;
    }
}
