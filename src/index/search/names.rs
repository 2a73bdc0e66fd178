//! Names by their words: which names a question says, and how much of them.

use std::collections::{HashMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};

use super::{
    question::{Question, Word},
    vocabulary::Vocabulary,
};
use crate::index::{
    graph::{Graph, Position},
    words::split,
};

/// The names of all definitions, by stem.
pub struct Names {
    with_stem: HashMap<String, Vec<Position>>,
    /// How many distinct stems each name has, at least 1.
    lengths: Vec<f32>,
}

/// How names and a question cover each other; [`super::evidence::Evidence`]
/// says what the figures mean.
pub struct Coverage {
    pub named: Vec<f32>,
    pub nearly_named: Vec<f32>,
    pub name_covered: Vec<f32>,
}

impl Names {
    /// Splits and stems every name of a graph.
    pub fn of(graph: &Graph) -> Self {
        let stems = Stemmer::create(Algorithm::English);
        let mut known: HashMap<&str, HashSet<String>> = HashMap::new();
        let mut with_stem: HashMap<String, Vec<Position>> = HashMap::new();
        let mut lengths = Vec::with_capacity(graph.definitions().len());
        for (position, node) in graph.definitions().iter().enumerate() {
            let parts = known.entry(&node.name).or_insert_with(|| {
                split(&node.name).split(' ').map(|word| stems.stem(word).into_owned()).collect()
            });
            lengths.push(count(parts.len().max(1)));
            for stem in parts.iter() {
                match with_stem.get_mut(stem) {
                    Some(positions) => positions.push(position),
                    None => {
                        with_stem.insert(stem.clone(), vec![position]);
                    }
                }
            }
        }
        Self { with_stem, lengths }
    }

    /// Compares every name with a question, whose words stand in `frequencies`
    /// of `total` definitions each.
    pub fn coverage(
        &self,
        question: &Question,
        vocabulary: &Vocabulary,
        frequencies: &[usize],
        total: usize,
    ) -> Coverage {
        let mut coverage = Coverage {
            named: vec![0.0; total],
            nearly_named: vec![0.0; total],
            name_covered: vec![0.0; total],
        };
        // How well the best word of the question matches each stem.
        let mut said: HashMap<&str, f32> = HashMap::new();
        for (word, share) in question.words.iter().zip(shares(frequencies, total)) {
            let own = self.positions(&word.stem);
            for &position in own {
                add(&mut coverage.named, position, share);
            }
            said.insert(&word.stem, 1.0);
            for (near, nearness) in vocabulary.near(word) {
                let said = said.entry(&near.stem).or_default();
                *said = said.max(*nearness);
            }
            for (position, nearness) in self.nearness(word, vocabulary) {
                add(&mut coverage.nearly_named, position, share * nearness);
            }
        }
        for (stem, nearness) in said {
            self.credit(&mut coverage.name_covered, (stem, nearness), |_| true);
        }
        coverage
    }

    /// The names that have a word, 1, or one near to it, for less.
    pub fn nearness(&self, word: &Word, vocabulary: &Vocabulary) -> HashMap<Position, f32> {
        let own = self.positions(&word.stem).iter();
        let mut best: HashMap<Position, f32> = own.map(|&position| (position, 1.0)).collect();
        for (near, nearness) in vocabulary.near(word) {
            for &position in self.positions(&near.stem) {
                let best = best.entry(position).or_default();
                *best = best.max(*nearness);
            }
        }
        best
    }

    /// Adds to each name that has a stem `weight` over the number of its stems.
    /// `counts` says which names take part.
    pub fn credit(
        &self,
        figures: &mut [f32],
        (stem, weight): (&str, f32),
        counts: impl Fn(Position) -> bool,
    ) {
        for &position in self.positions(stem).iter().filter(|&&position| counts(position)) {
            let length = self.lengths.get(position).copied().unwrap_or(1.0);
            add(figures, position, weight / length);
        }
    }

    /// Does a name have a stem?
    pub fn has(&self, position: Position, stem: &str) -> bool {
        // Names were read in the order of their positions.
        self.positions(stem).binary_search(&position).is_ok()
    }

    fn positions(&self, stem: &str) -> &[Position] {
        self.with_stem.get(stem).map_or(&[], Vec::as_slice)
    }
}

/// The share of a question's weight that each of its words has: a rare word
/// weighs more (`ln(1 + N/(1 + n))`). The shares sum to 1.
pub fn shares(frequencies: &[usize], total: usize) -> Vec<f32> {
    let weights: Vec<f32> =
        frequencies.iter().map(|&n| (1.0 + count(total) / (1.0 + count(n))).ln()).collect();
    let sum: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Shares add up to 1 but for rounding.
fn add(figures: &mut [f32], position: Position, share: f32) {
    if let Some(figure) = figures.get_mut(position) {
        *figure = (*figure + share).min(1.0);
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of elements are far below 2^24")]
fn count(number: usize) -> f32 {
    number as f32
}
