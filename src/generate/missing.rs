//! What of a prompt the schema cannot answer, and what it has instead.

use super::{describe::listed, prompt::Prompt};
use crate::{
    discovery::SearchRequest,
    embedding::Embedder,
    index::{Index, IndexError, Question, Word, is_reading_word, is_stop_word},
};

/// How many close things a reason names.
const CLOSE: u32 = 3;
/// How many words a response says to be missing; more are noise.
const MISSING: usize = 2;
/// How much of a part of a prompt is quoted, in characters.
const QUOTED: usize = 80;
/// The shortest word that is said to be missing, in letters.
const MISSING_LETTERS: usize = 4;

/// What stands before a word that asks for data.
const ASKING: &str = "with and their its his her whose of including plus also";
/// Endings of words that qualify rather than name.
const QUALIFYING: [&str; 11] =
    ["ly", "ing", "ed", "able", "ible", "ive", "ous", "ful", "ical", "est", "less"];
/// Words that ask in general.
const GENERAL: &str = "data information info details detail everything overview report summary result results \
     record records entry entries value values content contents field fields attribute attributes property properties \
     item items object objects kind kinds sort sorts type types basic full complete whole main key respective \
     corresponding associated relevant related current various other others same first last next previous \
     every each plus whether half both either two three four five six seven eight nine ten \
     twenty hundred someone somebody anyone everyone people person system graph schema query mutation operation request please today yesterday tomorrow week month year";

/// The words of a prompt that the schema does not know.
#[derive(Debug, Default)]
pub struct Missing {
    /// Those that ask for data, in order.
    words: Vec<String>,
    /// Is no word known at all?
    all: bool,
}

impl Missing {
    /// Is there nothing of the prompt that the schema knows?
    pub const fn is_all(&self) -> bool {
        self.all
    }
}

/// Looks each word of a prompt up, in names and descriptions, and near words of
/// it too. Only a plain noun where data is asked for counts as missing: a word
/// that qualifies, a name or a value says nothing about the schema.
pub fn missing(index: &Index, prompt: &Prompt) -> Result<Missing, IndexError> {
    let question = Question::read(&prompt.text);
    let mut missing = Missing { words: Vec::new(), all: true };
    for word in &question.words {
        if is_reading_word(&word.text) || is_general(&word.text) {
            continue;
        }
        if index.mentions(&word.text)? || index.mentions_near(word)? {
            missing.all = false;
        } else if asks_for(prompt, word) {
            missing.words.push(word.text.clone());
        }
    }
    // A prompt of general words only may still be a reading of the whole.
    missing.all &= question.words.iter().any(|word| !is_general(&word.text));
    Ok(missing)
}

fn is_general(word: &str) -> bool {
    GENERAL.split_whitespace().any(|general| general == word)
}

fn asks_for(prompt: &Prompt, word: &Word) -> bool {
    let text = word.text.as_str();
    if text.chars().count() < MISSING_LETTERS
        || !text.chars().all(char::is_alphabetic)
        || QUALIFYING.iter().any(|ending| text.ends_with(ending))
        || prompt.quoted.iter().any(|quoted| quoted.to_lowercase().contains(text))
    {
        return false;
    }
    // As it was typed: a capital begins a name.
    let typed: Vec<&str> = prompt.text.split_whitespace().collect();
    let is_word =
        |typed: &str| typed.trim_matches(|letter: char| !letter.is_alphanumeric()) == text;
    let Some(at) = typed.iter().position(|typed| is_word(typed)) else {
        return false;
    };
    // "mutual followers": before another word it qualifies.
    let ends = typed.get(at).is_some_and(|typed| !typed.ends_with(char::is_alphanumeric));
    let after = typed.get(at + 1).map(|after| after.to_lowercase());
    if !ends && after.is_some_and(|after| !is_stop_word(&after)) {
        return false;
    }
    let before = at.checked_sub(1).and_then(|before| typed.get(before));
    before.is_none_or(|before| {
        before.ends_with(',') || ASKING.split(' ').any(|asking| asking == before.to_lowercase())
    })
}

/// Reasons in plain words, with the closest things that the schema has. A prompt
/// that is a part of another is quoted.
pub fn unsatisfied(
    index: &Index,
    embedder: &Embedder,
    (prompt, is_part): (&Prompt, bool),
    missing: &Missing,
    is_empty: bool,
) -> Result<Vec<String>, IndexError> {
    if is_empty {
        let closest = closest(index, embedder, &prompt.text)?;
        let what = if is_part {
            format!("\"{}\"", clipped(&prompt.text))
        } else {
            "the prompt".to_owned()
        };
        return Ok(vec![format!("The schema has nothing that answers {what}{closest}")]);
    }
    let mut reasons = Vec::new();
    for word in missing.words.iter().take(MISSING) {
        let closest = closest(index, embedder, word)?;
        reasons.push(format!("The schema knows no \"{word}\"{closest}"));
    }
    Ok(reasons)
}

/// "; the closest that it has are `Employee.notes` and `Details.pets`."
fn closest(index: &Index, embedder: &Embedder, topic: &str) -> Result<String, IndexError> {
    let request = SearchRequest {
        kinds: Some(vec!["field".into(), "object".into()]),
        limit: Some(CLOSE),
        ..SearchRequest::new(topic)
    };
    let hits = index.search(&request, embedder)?.hits;
    let names: Vec<String> = hits
        .iter()
        .map(|hit| format!("`{}`", hit.coordinate.split_once(':').map_or("", |(_, path)| path)))
        .collect();
    Ok(match names.len() {
        0 => ".".to_owned(),
        1 => format!("; the closest that it has is {}.", listed(names, 1)),
        _ => format!("; the closest that it has are {}.", listed(names, CLOSE as usize)),
    })
}

/// A quotation that stays one line.
fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
