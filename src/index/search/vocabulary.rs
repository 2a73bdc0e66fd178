//! Near words: a topic in a user's own words finds a schema's.
//!
//! `vocabulary.txt` says what its lines mean. Expansion by a fixed vocabulary
//! is the classical thesaurus expansion of retrieval (Voorhees, 1994), weighted
//! below the very word.

use std::{
    collections::HashMap,
    fs, io,
    path::Path,
    sync::{Arc, LazyLock},
};

use rust_stemmers::{Algorithm, Stemmer};

use super::question::Word;

/// What a near word counts, the very word counting 1. Chosen on open judgments;
/// between 0.4 and 0.8 the figures hardly move.
const GROUP_WEIGHT: f32 = 0.6;
/// What a word counts that is near in one direction only.
const ONE_WAY_WEIGHT: f32 = 0.5;

/// The bundled near words.
const BUNDLED: &str = include_str!("vocabulary.txt");

/// Near words by the stem of a question's word.
#[derive(Debug, Default)]
pub struct Vocabulary {
    near: HashMap<String, Vec<(Word, f32)>>,
}

impl Vocabulary {
    /// The near words that come with the program.
    #[must_use]
    pub fn bundled() -> Arc<Self> {
        static VOCABULARY: LazyLock<Arc<Vocabulary>> = LazyLock::new(|| {
            let mut vocabulary = Vocabulary::default();
            vocabulary.add(BUNDLED);
            Arc::new(vocabulary)
        });
        Arc::clone(&VOCABULARY)
    }

    /// Those, and the ones in a user's file.
    ///
    /// # Errors
    /// Where the file cannot be read as text.
    pub fn with_file(path: &Path) -> io::Result<Arc<Self>> {
        let mut vocabulary = Self::default();
        vocabulary.add(BUNDLED);
        vocabulary.add(&fs::read_to_string(path)?);
        Ok(Arc::new(vocabulary))
    }

    /// Adds the near words of a text of the same form.
    pub fn add(&mut self, text: &str) {
        let stems = Stemmer::create(Algorithm::English);
        let words = |list: &str| -> Vec<Word> {
            let lower = list.to_lowercase();
            let words = lower.split_whitespace();
            words
                .map(|word| Word { stem: stems.stem(word).into_owned(), text: word.to_owned() })
                .collect()
        };
        let lines =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let (from, to, weight) = match line.split_once("->") {
                Some((from, to)) => (words(from), words(to), ONE_WAY_WEIGHT),
                None => (words(line), words(line), GROUP_WEIGHT),
            };
            for word in from {
                for other in to.iter().filter(|other| other.stem != word.stem) {
                    self.pair(&word, other, weight);
                }
            }
        }
    }

    /// The words near to this one, each with what it counts, 0 to 1.
    pub fn near(&self, word: &Word) -> &[(Word, f32)] {
        self.near.get(&word.stem).map_or(&[], Vec::as_slice)
    }

    fn pair(&mut self, word: &Word, other: &Word, weight: f32) {
        let near = self.near.entry(word.stem.clone()).or_default();
        match near.iter_mut().find(|(known, _)| known.stem == other.stem) {
            Some((_, known)) => *known = known.max(weight),
            None => near.push((other.clone(), weight)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(vocabulary: &Vocabulary, text: &str) -> Vec<(String, f32)> {
        let stem = Stemmer::create(Algorithm::English).stem(text).into_owned();
        let word = Word { text: text.to_owned(), stem };
        vocabulary.near(&word).iter().map(|(word, weight)| (word.text.clone(), *weight)).collect()
    }

    #[test]
    fn groups_go_both_ways_and_arrows_one() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add("# feelings\nmood feeling\n\nsalary -> amount\n");
        assert_eq!(near(&vocabulary, "feelings"), [("mood".to_owned(), GROUP_WEIGHT)]);
        assert_eq!(near(&vocabulary, "mood"), [("feeling".to_owned(), GROUP_WEIGHT)]);
        assert_eq!(near(&vocabulary, "salaries"), [("amount".to_owned(), ONE_WAY_WEIGHT)]);
        assert_eq!(near(&vocabulary, "amount"), []);
    }

    #[test]
    fn the_bundled_words_know_a_synonym() {
        let near = near(&Vocabulary::bundled(), "remove");
        assert!(near.iter().any(|(word, _)| word == "delete"), "{near:?}");
    }
}
