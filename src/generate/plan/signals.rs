//! What a prompt says for each type and field beyond the survey: what lies
//! behind a type, which fields it names in which number.

use rust_stemmers::{Algorithm, Stemmer};

use super::facts::{Facts, FieldFacts, TypeId};
use crate::{
    generate::prompt::Prompt,
    index::{Position, Survey},
};

/// What is left of the evidence of what lies behind a hop; all of it behind a hop
/// through a connection. This and the next four were chosen on open pairs of a
/// prompt and an operation.
const REACH_PER_HOP: f32 = 0.7;
/// What is left of it where it is only of one possible type.
const REACH_PER_POSSIBLE: f32 = 0.95;
/// How many hops the evidence of types travels.
const LINE_HOPS: usize = 4;
/// How many hops the evidence of leaves travels.
const LEAF_HOPS: usize = 3;
/// How far below the best leaf another can fall, as evidence.
const LOWEST_LEAF: f32 = -8.0;
/// Words before a singular that make it mean many: "each market".
const DISTRIBUTIVES: &[&str] = &["each", "every", "per", "any", "all", "multiple", "several"];
/// How many words before a noun are looked at for those.
const BEFORE_NOUN: usize = 3;

/// The evidence of a prompt, by type and by field.
pub struct Signals<'a> {
    pub facts: &'a Facts,
    pub survey: &'a Survey,
    pub prompt: &'a Prompt,
    /// How well each type answers, 0 to 1, the best 1: exp(line/2).
    pub likeness: Vec<f32>,
    /// How well the best leaf of each type answers, 0 to 1, the best 1.
    pub best_leaf: Vec<f32>,
    /// The best likeness of what each type leads to.
    pub reached_likeness: Vec<f32>,
    /// The best leaf of what each type leads to.
    pub reached_leaf: Vec<f32>,
    /// The line of the best leaf of all.
    pub best_line: f32,
    /// Does the prompt say each field's name in the plural?
    pub plural: Vec<bool>,
    /// Does it in the singular?
    pub singular: Vec<bool>,
}

impl<'a> Signals<'a> {
    /// Reads the signals.
    pub fn of(facts: &'a Facts, survey: &'a Survey, prompt: &'a Prompt) -> Self {
        let types = facts.types.iter();
        let likeness: Vec<f32> =
            types.clone().map(|ty| (at(&survey.type_lines, ty.position) / 2.0).exp()).collect();
        let line = |field: &FieldFacts| at(&survey.leaf_lines, field.position);
        let is_leaf = |field: &&FieldFacts| field.target.is_none() && field.root.is_none();
        let best_line = greatest(facts.fields.iter().filter(is_leaf).map(line));
        let best_leaf: Vec<f32> = (0..facts.types.len())
            .map(|ty| greatest(facts.fields_of(ty).iter().filter(is_leaf).map(line)))
            .map(|line| ((line - best_line) / 2.0).clamp(LOWEST_LEAF, 0.0).exp())
            .collect();
        let no_roots: Vec<f32> = types
            .zip(&likeness)
            .map(|(ty, likeness)| if ty.root.is_some() { 0.0 } else { *likeness })
            .collect();
        let (plural, singular) = numbers(facts, &prompt.text);
        Self {
            facts,
            survey,
            prompt,
            reached_likeness: reach(facts, no_roots, LINE_HOPS),
            reached_leaf: reach(facts, best_leaf.clone(), LEAF_HOPS),
            likeness,
            best_leaf,
            best_line,
            plural,
            singular,
        }
    }

    /// The figure of what a field leads to, where the survey has it.
    pub fn surveyed_entity(&self, figures: &[f32], field: &FieldFacts) -> f32 {
        let entity = field.entity.and_then(|entity| self.facts.types.get(entity));
        entity.map_or(0.0, |entity| at(figures, entity.position))
    }

    /// Does the prompt say a field's name in the plural, in the singular?
    pub fn number(&self, field: &FieldFacts) -> (bool, bool) {
        let of = |figures: &[bool]| figures.get(field.id).copied().unwrap_or(false);
        (of(&self.plural), of(&self.singular))
    }
}

/// The figure of what a field leads to; 0 where that is a built-in scalar.
pub fn of_entity(figures: &[f32], field: &FieldFacts) -> f32 {
    field.entity.map_or(0.0, |entity| at(figures, entity))
}

/// A figure of a list; 0 beyond its end.
pub fn at(figures: &[f32], position: Position) -> f32 {
    figures.get(position).copied().unwrap_or(0.0)
}

/// The greatest of some figures.
pub fn greatest(figures: impl Iterator<Item = f32>) -> f32 {
    figures.fold(f32::NEG_INFINITY, f32::max)
}

/// The best figure among what each type leads to within some hops.
fn reach(facts: &Facts, mut reached: Vec<f32>, hops: usize) -> Vec<f32> {
    for _ in 0..hops {
        let before = reached.clone();
        let mut raise = |ty: TypeId, to: f32| {
            if let Some(figure) = reached.get_mut(ty) {
                *figure = figure.max(to);
            }
        };
        for field in &facts.fields {
            if let Some(target) = field.target {
                let kept = if field.plumbing { 1.0 } else { REACH_PER_HOP };
                raise(field.owner, kept * at(&before, target));
            }
        }
        for (id, ty) in facts.types.iter().enumerate() {
            for &possible in &ty.possible {
                raise(id, REACH_PER_POSSIBLE * at(&before, possible));
            }
        }
    }
    reached
}

/// Which fields a prompt names in the plural, and which in the singular.
fn numbers(facts: &Facts, text: &str) -> (Vec<bool>, Vec<bool>) {
    let stemmer = Stemmer::create(Algorithm::English);
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_ascii_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let mut plural = vec![false; facts.fields.len()];
    let mut singular = plural.clone();
    for (place, word) in words.iter().enumerate() {
        let stem = facts.stems.find(&stemmer.stem(word));
        let Some(fields) = stem.and_then(|stem| facts.with_last_stem.get(&stem)) else {
            continue;
        };
        let ends_as_plural = word.ends_with('s') && !word.ends_with("ss");
        let before = words.get(place.saturating_sub(BEFORE_NOUN)..place).unwrap_or_default();
        let means_many = ends_as_plural || before.iter().any(|word| DISTRIBUTIVES.contains(word));
        for &field in fields {
            if let Some(said) = plural.get_mut(field) {
                *said |= means_many;
            }
            if let Some(said) = singular.get_mut(field) {
                *said |= !ends_as_plural;
            }
        }
    }
    (plural, singular)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    fn facts() -> Facts {
        let schema = parse_sdl(
            "type Query { markets: [Market!] market: Market }
             type Market { region: Region products: [Product] }
             type Region { name: String }
             type Product { title: String }",
        );
        Facts::with_places(&schema.unwrap(), |_| None)
    }

    #[test]
    fn number_is_of_the_last_word_and_each_means_many() {
        let facts = facts();
        let said = |text: &str, name: &str| {
            let (plural, singular) = numbers(&facts, text);
            let id = facts.fields.iter().position(|field| field.name == name).unwrap();
            (plural[id], singular[id])
        };
        assert_eq!(said("the products of a market", "products"), (true, false));
        assert_eq!(said("the products of a market", "market"), (false, true));
        assert_eq!(said("the region of each market", "markets"), (true, true));
        assert_eq!(said("regions", "title"), (false, false));
    }

    #[test]
    fn evidence_travels_back_along_hops() {
        let facts = facts();
        let id = |name: &str| facts.types.iter().position(|ty| ty.name == name).unwrap();
        let mut figures = vec![0.0; facts.types.len()];
        figures[id("Product")] = 1.0;
        let one = reach(&facts, figures.clone(), 1);
        assert!((one[id("Market")] - 0.7).abs() < 1e-6 && one[id("Query")].abs() < 1e-6);
        let two = reach(&facts, figures, 2);
        assert!((two[id("Query")] - 0.49).abs() < 1e-6);
    }
}
