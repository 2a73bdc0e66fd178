//! Which operation answers a prompt, planned without a language model.
//!
//! The wording tells the kind of operation, a line over its root fields the ten
//! that are likeliest. Below each a tree grows, top down: at every type the
//! leaves and hops whose logits pass a threshold. A last line over whole trees
//! picks the best, and a second where it is nearly as good.
//!
//! [`Facts`] holds what no prompt changes, [`Signals`] what one says; [`Odds`],
//! [`roots`] and [`grow`] decide. [`fit_row`] tells what they decided by, for the
//! fit of the [`Weights`].

mod facts;
mod fit;
mod grow;
mod lines;
mod odds;
mod roots;
mod signals;
mod structure;
mod style;
mod verbs;

use std::{
    collections::HashSet,
    num::NonZeroUsize,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use lru::LruCache;

use super::prompt::Prompt;
use crate::{
    embedding::Embedder,
    index::{Graph, Index, IndexError, Root},
    schema::Schema,
};
use facts::{Facts, FieldId};
pub use fit::fit_row;
use grow::{Grown, Tree, grow};
use lines::TreeLine;
pub use lines::Weights;
use odds::Odds;
use roots::{Candidate, candidates};
use signals::Signals;

/// Schemas whose facts are kept: 20 ms and some megabytes each for thousands of
/// types. A server has one schema; a few more serve who compares.
const KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// An operation to write: what is selected, from the root down.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The root operation type.
    pub root: Root,
    /// The root field and what is selected of it.
    pub selection: Selection,
    /// How well it answers the prompt; greater is better, and only differences
    /// between plans for one prompt mean anything.
    pub score: f32,
}

/// A selected field. `owner` is the type it is a member of; where that is not
/// the type its parent returns, it stands in an inline fragment on `owner`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The type that the field is a member of.
    pub owner: String,
    /// The field's name.
    pub field: String,
    /// What is selected of what it returns; empty for a leaf, and where nothing
    /// can be selected.
    pub selections: Vec<Selection>,
}

/// The best plan for a prompt, and the second where it is nearly as good, best
/// first; none where the schema has no root field.
///
/// # Errors
/// [`IndexError`] where the file cannot be read or the model fails.
pub fn plan(
    index: &Index,
    schema: &Schema,
    prompt: &Prompt,
    embedder: &Embedder,
) -> Result<Vec<Plan>, IndexError> {
    let facts = known_facts(schema, index.graph());
    let survey = index.survey(&prompt.text, embedder)?;
    Ok(best(&Signals::of(&facts, &survey, prompt), Weights::bundled()))
}

/// The best of the grown trees, and the second where it is nearly as good.
#[tracing::instrument(name = "planning", level = "debug", skip_all)]
fn best(signals: &Signals<'_>, weights: &Weights) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    for (candidate, tree) in grown(signals, weights) {
        let features = tree_features(signals, &tree, candidate.log_probability);
        plans.extend(selection(signals.facts, &tree.root).map(|selection| Plan {
            root: candidate.root,
            selection,
            score: features.times(&weights.tree),
        }));
    }
    plans.sort_by(|a, b| b.score.total_cmp(&a.score));
    let bar = plans.first().map_or(0.0, |best| best.score - weights.thresholds.margin);
    let offered = plans.iter().take(2).take_while(|plan| plan.score > bar).count();
    plans.truncate(offered);
    plans
}

/// The facts of a schema, gathered on the first plan for it.
fn known_facts(schema: &Schema, graph: &Graph) -> Arc<Facts> {
    static KNOWN: LazyLock<Mutex<LruCache<String, Arc<Facts>>>> =
        LazyLock::new(|| Mutex::new(LruCache::new(KEPT)));
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(facts) = known().get(&schema.hash) {
        return Arc::clone(facts);
    }
    let facts = Arc::new(Facts::of(schema, graph));
    known().put(schema.hash.clone(), Arc::clone(&facts));
    facts
}

/// The trees below the likeliest roots, the likeliest first.
fn grown<'a>(signals: &Signals<'a>, weights: &Weights) -> Vec<(Candidate<'a>, Tree)> {
    let mut odds_of_kinds: Vec<(Root, Odds)> = Vec::new();
    let mut trees = Vec::new();
    let candidates = candidates(signals, &weights.root);
    for candidate in candidates.into_iter().take(weights.thresholds.roots) {
        let known = odds_of_kinds.iter().position(|(root, _)| *root == candidate.root);
        let known = known.unwrap_or_else(|| {
            let odds = Odds::of(signals, candidate.root, weights);
            odds_of_kinds.push((candidate.root, odds));
            odds_of_kinds.len() - 1
        });
        if let Some((_, odds)) = odds_of_kinds.get(known) {
            let evidence = (signals.facts, odds, signals.likeness.as_slice());
            trees.push((candidate, grow(evidence, &weights.thresholds, candidate.field)));
        }
    }
    trees
}

fn tree_features(signals: &Signals<'_>, tree: &Tree, root: f32) -> TreeLine {
    let mut fields: HashSet<FieldId> = HashSet::new();
    collect(&tree.root, &mut fields);
    let facts = signals.facts;
    let known = || fields.iter().filter_map(|id| facts.fields.get(*id));
    let positions: Vec<_> = known()
        .map(|field| field.position)
        .chain(tree.types.iter().filter_map(|id| facts.types.get(*id)).map(|ty| ty.position))
        .collect();
    let covered: f32 = (signals.survey.words.iter())
        .map(|word| {
            let names = positions.iter().filter_map(|position| word.names.get(position));
            word.share * names.copied().fold(0.0, f32::max)
        })
        .sum();
    let leaves =
        known().filter(|field| field.target.is_none() && field.id != tree.root.field).count();
    TreeLine { root, covered: covered * 3.0, leaves: style::count(leaves).ln_1p() }
}

fn collect(grown: &Grown, fields: &mut HashSet<FieldId>) {
    fields.insert(grown.field);
    for below in &grown.below {
        collect(below, fields);
    }
}

fn selection(facts: &Facts, grown: &Grown) -> Option<Selection> {
    let field = facts.fields.get(grown.field)?;
    Some(Selection {
        owner: facts.types.get(field.owner)?.name.clone(),
        field: field.name.clone(),
        selections: grown.below.iter().filter_map(|below| selection(facts, below)).collect(),
    })
}
