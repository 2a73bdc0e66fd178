//! What the lines judge by on a prompt whose operation is known: what
//! `scripts/planner/fit.py` fits the weights on.
//!
//! A row says nothing of what is right: it names candidates by coordinate, and
//! the script knows which of them the operation has.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::{
    Facts, FieldId, Signals, Weights, collect,
    facts::{FieldFacts, TypeId},
    grown, known_facts,
    lines::{Hop, Leaf, RootLine, TreeLine},
    odds::{hops_of, leaves_of},
    roots::judged,
    tree_features,
};
use crate::{
    embedding::Embedder,
    generate::prompt::Prompt,
    index::{Index, IndexError, Root},
};

/// What everything is judged by that a prompt makes a candidate.
#[derive(Debug, Serialize)]
pub struct FitRow {
    /// Every root field.
    pub roots: Judged,
    /// The leaves of every type that the operation selects of.
    pub leaves: Judged,
    /// The hops of every type that the operation selects of.
    pub hops: Judged,
    /// The trees grown below the likeliest roots, the likeliest first, by the
    /// coordinates of those roots.
    pub trees: Judged,
    /// What each tree selects.
    pub selected: Vec<BTreeSet<String>>,
}

/// Candidates of one line.
#[derive(Debug, Default, Serialize)]
pub struct Judged {
    /// What the features are called.
    pub names: Vec<&'static str>,
    /// The candidates, `Type.field` each.
    pub coordinates: Vec<String>,
    /// A row a candidate, a feature a name.
    pub rows: Vec<Vec<f32>>,
}

impl Judged {
    fn by(names: &[&'static str]) -> Self {
        Self { names: names.to_vec(), ..Self::default() }
    }

    fn add(&mut self, coordinate: String, features: Vec<f32>) {
        self.coordinates.push(coordinate);
        self.rows.push(features);
    }
}

/// What a prompt's candidates are judged by, where its operation has the fields
/// `used` (`Type.field` each). Trees are grown by the given weights.
///
/// # Errors
/// [`IndexError`] where the file cannot be read or the model fails.
pub fn fit_row(
    index: &Index,
    embedder: &Embedder,
    (prompt, used): (&str, &BTreeSet<&str>),
    weights: &Weights,
) -> Result<FitRow, IndexError> {
    let facts = known_facts(index.schema()?, index.graph());
    let prompt = Prompt::read(prompt);
    let survey = index.survey(&prompt.text, embedder)?;
    let signals = Signals::of(&facts, &survey, &prompt);
    let mut row = FitRow {
        roots: Judged::by(RootLine::NAMES),
        leaves: Judged::by(Leaf::NAMES),
        hops: Judged::by(Hop::NAMES),
        trees: Judged::by(TreeLine::NAMES),
        selected: Vec::new(),
    };
    for (field, _, features) in judged(&signals) {
        row.roots.add(coordinate(&facts, field), features.values());
    }
    row.add_members(&signals, used);
    for (candidate, tree) in grown(&signals, weights) {
        let features = tree_features(&signals, &tree, candidate.log_probability);
        row.trees.add(coordinate(&facts, candidate.field), features.values());
        let mut selected: HashSet<FieldId> = HashSet::new();
        collect(&tree.root, &mut selected);
        let selected = selected.into_iter().filter_map(|id| facts.fields.get(id));
        row.selected.push(selected.map(|field| coordinate(&facts, field)).collect());
    }
    Ok(row)
}

impl FitRow {
    /// Adds the leaves and hops of every type with a field that is used.
    fn add_members(&mut self, signals: &Signals<'_>, used: &BTreeSet<&str>) {
        let facts = signals.facts;
        let is_used = |field: &&FieldFacts| used.contains(coordinate(facts, field).as_str());
        let mut owners: Vec<TypeId> = Vec::new();
        // What the root field returns, and lists where that is a connection.
        let mut firsts: HashSet<TypeId> = HashSet::new();
        let mut kind = Root::Query;
        for (id, ty) in facts.types.iter().enumerate() {
            let mut of_type = facts.fields_of(id).iter().filter(is_used);
            match ty.root {
                None => owners.extend(of_type.next().map(|_| id)),
                Some(root) => {
                    for field in of_type {
                        kind = root;
                        firsts.extend(field.entity);
                        let returned = field.target.and_then(|target| facts.types.get(target));
                        let edge = returned.and_then(|ty| ty.connection?.edge);
                        firsts.extend(field.target.into_iter().chain(edge.map(|edge| edge.of)));
                    }
                }
            }
        }
        for owner in owners {
            for (leaf, features) in leaves_of(signals, owner, kind) {
                if leaf.is_plain_leaf() {
                    self.leaves.add(coordinate(facts, leaf), features.values());
                }
            }
            for (hop, features) in hops_of(signals, owner, kind) {
                let features = if firsts.contains(&owner) { features.first() } else { features };
                self.hops.add(coordinate(facts, hop), features.values());
            }
        }
    }
}

fn coordinate(facts: &Facts, field: &FieldFacts) -> String {
    let owner = facts.types.get(field.owner).map_or("", |owner| owner.name.as_str());
    format!("{owner}.{}", field.name)
}
