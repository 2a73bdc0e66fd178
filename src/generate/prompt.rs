//! Reads a prompt: which kind of operation it asks for, and the cues that
//! decide between fields and say which arguments matter.

use std::sync::LazyLock;

use regex::Regex;

use crate::index::{Question, Root, imperative, is_reading_word, words_of};

/// First words of a question. They ask, whatever follows.
const ASKING_WORDS: &[&str] = &[
    "what", "which", "who", "how", "when", "where", "is", "are", "does", "do", "whose", "why",
    "can", "has", "have", "did", "was", "were",
];
/// Verbs that ask for something when "me" or "us" follows.
const GIVING_WORDS: &[&str] = &["give", "push", "bring", "tell", "send", "hand"];
/// First words that ask for events as they happen.
const STREAMING_WORDS: &[&str] =
    &["subscribe", "stream", "notify", "watch", "listen", "alert", "observe"];
/// Verbs that change something and that a topic seldom begins with, so that
/// search does not take them for verbs. Collected from open prompts.
const FURTHER_VERBS: &str = "bring provision take tie scale file record point try require define introduce remember \
     forget prevent let force limit whitelist allowlist roll flag enter fix correct shut power wake \
     pass hand sync migrate upgrade downgrade keep store raise lower increase decrease reduce double \
     reassign mint reserve book claim withdraw settle credit deposit kill terminate evict drain expire \
     invalidate renew replay sell sign tag label stop protect unprotect make give help mark";

/// Verbs that before a plural are adjectives: "open issues of a repository".
const ADJECTIVES: &[&str] = &["open", "complete", "present", "clear", "live"];

/// Below this share of stop words, and without a full stop or a question mark, a
/// prompt is a list of keywords. Chosen on open prompts.
const KEYWORD_STOP_SHARE: f32 = 0.08;

/// A prompt, read.
#[expect(clippy::struct_excessive_bools, reason = "each cue is there or not, whatever the others")]
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// As it was typed.
    pub text: String,
    /// Its words in lower case and in order, identifiers split.
    pub words: Vec<String>,
    /// How probable each kind of operation is; the three sum to 1.
    pub kinds: Kinds,
    /// Is it a list of keywords rather than a sentence?
    pub keywords: bool,
    /// Does it begin like a question or with a verb of reading?
    pub asks: bool,
    /// How many words it has between white space.
    pub length: usize,
    /// Does it name one thing: a number after `#`, a quotation, `owner/name`, an
    /// id, "by slug"?
    pub literal: bool,
    /// What stands in it between quotation marks or backticks, in order.
    pub quoted: Vec<String>,
    /// Does it speak of one: "a", "this", "a given"?
    pub single: bool,
    /// Does it ask how many there are?
    pub counts: bool,
    /// Does it speak of pages or cursors?
    pub pages: bool,
    /// Does it speak of an order: "newest", "sorted by", "top"?
    pub ordered: bool,
    /// The number of a "first 10" or "latest 5".
    pub limit: Option<u32>,
    /// Does it ask for the end of a list: "last 5", "latest"?
    pub from_the_end: bool,
    /// Does it speak of the caller: "my", "the current user"?
    pub of_caller: bool,
}

/// The probabilities of the kinds of operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kinds {
    /// Of a query.
    pub query: f32,
    /// Of a mutation.
    pub mutation: f32,
    /// Of a subscription.
    pub subscription: f32,
}

impl Kinds {
    /// The probability of one kind.
    #[must_use]
    pub const fn of(&self, root: Root) -> f32 {
        match root {
            Root::Query => self.query,
            Root::Mutation => self.mutation,
            Root::Subscription => self.subscription,
        }
    }

    const fn with(mutation: f32, subscription: f32) -> Self {
        Self { query: 1.0 - mutation - subscription, mutation, subscription }
    }
}

impl Prompt {
    /// Reads a prompt.
    #[must_use]
    #[tracing::instrument(name = "reading", level = "debug", skip_all)]
    pub fn read(text: &str) -> Self {
        let cues = &*CUES;
        let question = Question::read(text);
        let lower = text.to_lowercase();
        let sentence = lower.trim_end().ends_with(['.', '?']);
        let keywords = question.form.stop_words < KEYWORD_STOP_SHARE && !sentence;
        let first = cues.letters.find(&lower).map_or("", |word| word.as_str());
        let limit = cues.limit.captures(&lower);
        let quoted = cues.quotation.captures_iter(text);
        Self {
            words: words_of(text),
            kinds: kinds(lower.trim(), keywords, question.of_events),
            keywords,
            asks: is_reading_word(first),
            length: text.split_whitespace().count(),
            literal: cues.literal.is_match(text),
            quoted: quoted
                .filter_map(|found| found.iter().skip(1).flatten().next())
                .map(|inner| inner.as_str().to_owned())
                .collect(),
            single: cues.single.is_match(&lower),
            counts: cues.counts.is_match(&lower),
            pages: cues.pages.is_match(&lower),
            ordered: cues.ordered.is_match(&lower),
            limit: limit.and_then(|found| found.get(1)?.as_str().parse().ok()),
            from_the_end: cues.from_the_end.is_match(&lower),
            of_caller: cues.of_caller.is_match(&lower),
            text: text.to_owned(),
        }
    }

    /// Its first word in lower case, where it has one in Latin letters.
    pub(super) fn first_word(&self) -> Option<String> {
        let lower = self.text.to_lowercase();
        CUES.letters.find(&lower).map(|word| word.as_str().to_owned())
    }
}

/// How probable each kind of operation is, by rules of wording. Rules and
/// figures were written on open prompts, where 8 of 652 end in another kind.
fn kinds(lower: &str, keywords: bool, of_events: bool) -> Kinds {
    let mut words: Vec<&str> = CUES.tokens.find_iter(lower).map(|word| word.as_str()).collect();
    // "Automatically revoke …" is about revoking.
    if words.len() > 1 && words.first().is_some_and(|first| first.ends_with("ly")) {
        words.remove(0);
    }
    let first = words.first().copied().unwrap_or_default();
    let to_us = matches!(words.get(1), Some(&"me" | &"us"));
    if STREAMING_WORDS.contains(&first) {
        return if keywords { Kinds::with(0.10, 0.50) } else { Kinds::with(0.03, 0.90) };
    }
    if CUES.as_it_happens.is_match(lower) {
        return Kinds::with(0.05, 0.70);
    }
    let subscription = if of_events { 0.02 } else { 0.004 };
    let asks = lower.ends_with('?')
        || ASKING_WORDS.contains(&first)
        || (to_us && (is_reading_word(first) || GIVING_WORDS.contains(&first)));
    if asks {
        return Kinds::with(0.01, subscription);
    }
    let sureness = imperative(&words.join(" "));
    let described = ADJECTIVES.contains(&first)
        && words.get(1).is_some_and(|noun| noun.ends_with('s') && !noun.ends_with("ss"));
    let (sure, unsure) = (sureness > 0.75, sureness > 0.25 && !described);
    let further = !to_us && FURTHER_VERBS.split(' ').any(|verb| verb == first);
    let mutation = match (keywords, sure, unsure, further) {
        (_, false, false, _) if first == "new" && lower.ends_with('.') => 0.60,
        (false, true, ..) => 0.97,
        (false, false, true, _) | (false, false, false, true) => 0.90,
        (false, false, false, false) => 0.03,
        (true, true, ..) => 0.75,
        (true, false, true, _) => 0.15,
        (true, false, false, true) => 0.50,
        (true, false, false, false) => 0.01,
    };
    Kinds::with(mutation, subscription)
}

/// The patterns of the cues, for text in lower case but where it says otherwise.
struct Cues {
    letters: Regex,
    tokens: Regex,
    as_it_happens: Regex,
    /// For the text as typed.
    literal: Regex,
    /// For the text as typed.
    quotation: Regex,
    single: Regex,
    counts: Regex,
    pages: Regex,
    ordered: Regex,
    limit: Regex,
    from_the_end: Regex,
    of_caller: Regex,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues {
    letters: pattern("[a-z]+"),
    tokens: pattern("[a-z0-9'#-]+"),
    as_it_happens: pattern(
        r"\b(whenever|each time|every time|as a stream|in real[- ]?time|live updates?|as they happen|as it happens|subscription|subscribe|notify me|notified)\b",
    ),
    literal: pattern(
        r#"#\s?\d|["`“]|gid:|\w/\w|\b[A-Z]{2,}-\d|@\w|\b(?:id|number|slug|handle|key|nr\.?|named?|called)\s+\W?\w*\d|\bby (?:id|slug|handle|key|name|number|its|uuid)\b"#,
    ),
    quotation: pattern(r#""([^"]+)"|`([^`]+)`|“([^”]+)”"#),
    single: pattern(r"\b(an?|one|this|that|single|given|specific|particular)\b"),
    counts: pattern(r"\b(how many|number of|count|total|counts)\b"),
    pages: pattern(r"\b(page|pages|paging|paginat\w*|cursor\w*|next)\b"),
    ordered: pattern(
        r"\b(newest|latest|oldest|earliest|most recent|recently|sort(ed)?|order(ed)? by|top|highest|lowest|alphabetical\w*)\b",
    ),
    limit: pattern(r"\b(?:first|last|top|latest|newest|oldest|next|recent) (\d{1,9})\b"),
    from_the_end: pattern(r"\b(last \d+|latest)\b"),
    of_caller: pattern(
        r"\b(my|me|mine|i|viewer|authenticated|current user|current customer|signed[- ]in|logged[- ]in)\b",
    ),
});

fn pattern(pattern: &'static str) -> Regex {
    // The patterns are part of the program, and a test compiles them.
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeliest(text: &str) -> Root {
        let kinds = Prompt::read(text).kinds;
        assert!((kinds.query + kinds.mutation + kinds.subscription - 1.0).abs() < 1e-6);
        let all = [Root::Query, Root::Mutation, Root::Subscription];
        all.into_iter().max_by(|a, b| kinds.of(*a).total_cmp(&kinds.of(*b))).unwrap()
    }

    #[test]
    fn the_wording_tells_the_kind() {
        for (text, kind) in [
            ("Delete the branch of a pull request.", Root::Mutation),
            ("Automatically revoke the tokens of a member.", Root::Mutation),
            ("Provision another cluster for the team.", Root::Mutation),
            ("New discount code for the summer sale.", Root::Mutation),
            ("Show the open issues of a repository.", Root::Query),
            ("Give me the branches.", Root::Query),
            ("Update the label?", Root::Query),
            ("repository issues labels", Root::Query),
            ("open tickets", Root::Query),
            ("open issues of a repository with their authors", Root::Query),
            ("open an issue in a repository", Root::Mutation),
            ("Watch the build of a pipeline.", Root::Subscription),
            ("Tell us whenever an order is paid.", Root::Subscription),
        ] {
            assert_eq!(likeliest(text), kind, "{text}");
        }
    }

    #[test]
    fn keywords_make_a_mutation_less_certain() {
        assert!((Prompt::read("create issue label").kinds.mutation - 0.75).abs() < 1e-6);
        assert!((Prompt::read("Create an issue with a label.").kinds.mutation - 0.97).abs() < 1e-6);
    }

    #[test]
    fn cues_are_found() {
        let prompt = Prompt::read("Find my latest 5 orders named \"blue\", how many per page?");
        assert!(prompt.literal && prompt.counts && prompt.pages && prompt.ordered);
        assert!(prompt.of_caller && prompt.from_the_end && prompt.asks && !prompt.single);
        assert_eq!((prompt.limit, prompt.quoted), (Some(5), vec!["blue".to_owned()]));
        assert!(Prompt::read("repository octo/hello").literal);
        assert!(!Prompt::read("repositories of the organization").literal);
    }
}
