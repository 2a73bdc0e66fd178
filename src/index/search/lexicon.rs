//! The word index: BM25 of a question's words and of words near to them.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use lru::LruCache;
use rusqlite::Connection;

use super::{question::Question, vocabulary::Vocabulary};
use crate::index::graph::{Position, id_at, position_of};

/// The weights of the word index's columns: name, owner, type, description,
/// arguments, members.
const BM25: &str = "bm25(element_words, 4.0, 2.0, 1.0, 1.0, 0.5, 0.5)";

/// Words whose matches are remembered. Near words recur from question to
/// question; the matches of a common one take 10 KB.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();

/// A definition that has a word, and its BM25 score for it.
type Match = (Position, f32);

/// BM25 of each definition.
pub struct WordScores {
    /// By the question's own words.
    pub literal: Vec<f32>,
    /// By them or, for less, by words near to them, whichever scores more.
    pub near: Vec<f32>,
    /// How many definitions have each word of the question.
    pub frequencies: Vec<usize>,
}

/// The words of one index.
pub struct Lexicon {
    definitions: usize,
    matches: Mutex<LruCache<String, Arc<[Match]>>>,
}

impl Lexicon {
    /// The words of the first `definitions` elements of a file.
    pub fn new(definitions: usize) -> Self {
        Self { definitions, matches: Mutex::new(LruCache::new(REMEMBERED)) }
    }

    /// Scores every definition. BM25 is a sum over words, so each is asked for
    /// alone, which gives every near word a weight of its own.
    pub fn scores(
        &self,
        question: &Question,
        vocabulary: &Vocabulary,
        connection: &Connection,
    ) -> rusqlite::Result<WordScores> {
        let mut scores = WordScores {
            literal: vec![0.0; self.definitions],
            near: vec![0.0; self.definitions],
            frequencies: Vec::new(),
        };
        for word in &question.words {
            let own = self.matches(&word.text, connection)?;
            scores.frequencies.push(own.len());
            let mut best: HashMap<Position, f32> = own.iter().copied().collect();
            add(&mut scores.literal, own.iter().copied());
            for (near, weight) in vocabulary.near(word) {
                for &(position, score) in self.matches(&near.text, connection)?.iter() {
                    let best = best.entry(position).or_default();
                    *best = best.max(weight * score);
                }
            }
            add(&mut scores.near, best);
        }
        Ok(scores)
    }

    fn matches(&self, word: &str, connection: &Connection) -> rusqlite::Result<Arc<[Match]>> {
        let remembered = || self.matches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(matches) = remembered().get(word) {
            return Ok(Arc::clone(matches));
        }
        let mut statement = connection.prepare_cached(&format!(
            "SELECT rowid, -{BM25} FROM element_words WHERE element_words MATCH ?1 AND rowid <= ?2"
        ))?;
        // Words are letters and digits; the quotes keep `and` and `near` words.
        let last = id_at(self.definitions).saturating_sub(1);
        let rows = statement.query_map((format!("\"{word}\""), last), |row| {
            Ok((position_of(row.get(0)?), row.get(1)?))
        })?;
        let matches: Arc<[Match]> = rows.collect::<Result<_, _>>()?;
        remembered().put(word.to_owned(), Arc::clone(&matches));
        Ok(matches)
    }
}

fn add(sums: &mut [f32], scores: impl IntoIterator<Item = Match>) {
    for (position, score) in scores {
        if let Some(sum) = sums.get_mut(position) {
            *sum += score;
        }
    }
}
