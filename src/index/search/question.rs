//! Reads a topic: its content words, and what kind of thing it asks for.

use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};

use crate::index::words::split;

/// Words that say nothing about what is asked for.
const STOP_WORDS: &str = "the a an of in on for to and or with by from their its each list show get find all me my \
     what which is are that how many it as at";

/// Verbs that change something. An imperative asks for a mutation 85 times in
/// 100 (`README.md`, "How it ranks").
const VERBS: &str = "create add update delete remove set change make cancel archive close open merge reopen rename \
     move assign unassign enable disable send submit mark approve reject publish unpublish star unstar \
     follow unfollow lock unlock pin unpin transfer convert link unlink activate deactivate register \
     request resolve save upload invite reset refresh rotate revoke generate apply place log login sign \
     toggle dismiss edit post put push start stop run trigger rebuild retry unsubscribe vote bump \
     duplicate import complete confirm adjust capture refund void fulfil fulfill issue like turn give \
     attach detach replace clear schedule restore launch destroy extend allocate deploy prepare block \
     unblock grant write leave join use ask restrict pause resume reorder sort release repeat redo hide \
     unhide minimize report ban mute unmute comment reply react rate favourite favorite bookmark buy pay \
     purchase checkout charge drop erase kick promote demote switch swap split combine copy clone fork \
     authorize authorise deny decline accept logout signup rerun abort insert upsert modify alter connect \
     disconnect bind unbind subscribe suspend unsuspend verify validate process ship return exchange \
     recover";

/// Verbs that are as often nouns: they count in full only before an article or
/// a particle ("open a ticket", not "open tickets").
const AMBIGUOUS_VERBS: &str = "open issue release tag star fork request start stop pin lock order post run trigger \
     import link place complete change sign refresh vote block report sort comment reply return ship \
     split copy like rate process exchange use void schedule subscribe pay buy checkout purchase push \
     bookmark favorite favourite log clear capture present switch drop transfer";

/// What follows a verb that is meant as one.
const ARTICLES_AND_PARTICLES: &str = "a an the this that my all every its two three one each our some up in out off on from to as it";

/// First words of a question that reads and never changes.
const READING_WORDS: &str = "show list get find fetch look see view read search display retrieve return count tell \
     check compare lookup query filter what which who how when where is are does do whose why can has \
     have did was were";

/// Words that point to a subscription.
const EVENT_WORDS: &str = "subscribe subscribes subscribed subscription subscriptions stream streams streaming live \
     realtime notify notified event events watch watching watched listen listening whenever change \
     changes";

/// A topic, read.
#[derive(Debug)]
pub struct Question {
    /// The distinct content words, in order.
    pub words: Vec<Word>,
    /// How surely it is an imperative: 0, ½ or 1.
    pub imperative: f32,
    /// Does it speak of events as they happen?
    pub of_events: bool,
    /// What the kind of question is told by.
    pub form: Form,
}

/// A word, and its stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// In lower case.
    pub text: String,
    /// Without its endings.
    pub stem: String,
}

/// The form of a topic: what tells a long prompt, which asks for the data of an
/// entity, from a short topic, which asks for the one field that does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Form {
    /// 1, for the intercept.
    pub one: f32,
    /// Content words, at most 12, over 6.
    pub length: f32,
    /// The share of words that are stop words.
    pub stop_words: f32,
    /// [`Question::imperative`].
    pub imperative: f32,
    /// Does it end like a sentence?
    pub sentence: f32,
    /// Does it say "of" or "by"?
    pub of_or_by: f32,
}

impl Question {
    /// Reads a topic. Identifiers inside it count as their words.
    pub fn read(text: &str) -> Self {
        let stems = Stemmer::create(Algorithm::English);
        let all = words_of(text);
        let is_stop_word = set(STOP_WORDS);
        let mut content: Vec<&String> =
            all.iter().filter(|word| !is_stop_word.contains(word.as_str())).collect();
        let stop_words = share(all.len() - content.len(), all.len());
        if content.is_empty() {
            content = all.iter().collect();
        }
        let mut seen = HashSet::new();
        let words: Vec<Word> = content
            .into_iter()
            .map(|word| Word { text: word.clone(), stem: stems.stem(word).into_owned() })
            .filter(|word| seen.insert(word.stem.clone()))
            .collect();
        let lower = text.to_lowercase();
        let imperative = imperative(&lower);
        let yes = |condition: bool| if condition { 1.0 } else { 0.0 };
        let form = Form {
            one: 1.0,
            length: share(words.len().min(12), 6),
            stop_words,
            imperative,
            sentence: yes(lower.trim_end().ends_with(['.', '?'])),
            of_or_by: yes(lower.contains(" of ") || lower.contains(" by ")),
        };
        let events = set(EVENT_WORDS);
        let of_events = lower.contains("real-time")
            || lower
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|word| events.contains(word));
        Self { words, imperative, of_events, form }
    }
}

/// The words of a text, identifiers split.
pub fn words_of(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .flat_map(|word| split(word).split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .collect()
}

/// How surely a topic, in lower case, tells to do something: its first word is
/// a verb of change.
pub fn imperative(lower: &str) -> f32 {
    let mut words = lower
        .split(|letter: char| !letter.is_alphanumeric() && !"'#-".contains(letter))
        .filter(|word| !word.is_empty());
    let (Some(first), second) = (words.next(), words.next().unwrap_or_default()) else {
        return 0.0;
    };
    let (verbs, ambiguous) = (set(VERBS), set(AMBIGUOUS_VERBS));
    if is_reading_word(first) {
        return 0.0;
    }
    if verbs.contains(first) {
        let meant = !ambiguous.contains(first) || set(ARTICLES_AND_PARTICLES).contains(second);
        return if meant { 1.0 } else { 0.5 };
    }
    let again = first.strip_prefix("re").or_else(|| first.strip_prefix("un"));
    if again.is_some_and(|verb| verbs.contains(verb.trim_start_matches('-'))) {
        return 1.0;
    }
    // "escalate the ticket": an unknown verb before an article.
    let article = ["a", "an", "the", "this", "my"].contains(&second);
    let noun = first.ends_with('s') || first.ends_with("ing") || first.ends_with("ed");
    let preposition = set("under within after before during without about into over per only both");
    let function_word = set(STOP_WORDS).contains(first) || preposition.contains(first);
    if article && !noun && !function_word { 1.0 } else { 0.0 }
}

/// Does a question that begins with this word read and never change?
pub fn is_reading_word(word: &str) -> bool {
    READING_WORDS.split_whitespace().any(|reading| reading == word)
}

/// Does a word say nothing about what is asked for?
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_whitespace().any(|stop| stop == word)
}

fn set(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_are_stemmed_and_distinct() {
        let question =
            Question::read("pull requests with their reviews, and the pullRequest's author");
        let stems: Vec<&str> = question.words.iter().map(|word| word.stem.as_str()).collect();
        assert_eq!(stems, ["pull", "request", "review", "s", "author"]);
    }

    #[test]
    fn a_question_of_stop_words_only_keeps_them() {
        let question = Question::read("what is it");
        assert_eq!(question.words.len(), 3);
        assert!((question.form.stop_words - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn imperatives_are_told_from_nouns_and_questions() {
        for (text, expected) in [
            ("delete a branch", 1.0),
            ("open tickets", 0.5),
            ("open a ticket", 1.0),
            ("list the branches", 0.0),
            ("escalate the ticket", 1.0),
            ("branches of the repository", 0.0),
            ("re-open an issue", 1.0),
            ("who deleted it", 0.0),
            ("", 0.0),
        ] {
            assert!((imperative(text) - expected).abs() < f32::EPSILON, "{text}");
        }
    }
}
