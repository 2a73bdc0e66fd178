//! Identifiers into words.

/// Splits an identifier into lower-case words at `camelCase` humps, the end of
/// acronyms and `_`: `HTTPServerURL_v2` gives `http server url v2`.
#[must_use]
pub fn split(identifier: &str) -> String {
    spaced(identifier, false)
}

/// The words of an identifier for the word index: split, split at digits too,
/// and joined, so that `oauth2`, `oauth` and `OAuth2App` all find each other.
#[must_use]
pub fn indexed(identifier: &str) -> String {
    let mut words = split(identifier);
    let finer = spaced(identifier, true);
    let joined = identifier.replace('_', "").to_lowercase();
    for form in [finer, joined] {
        if !words.split(' ').any(|word| word == form) && words != form {
            words.push(' ');
            words.push_str(&form);
        }
    }
    words
}

fn spaced(identifier: &str, digits: bool) -> String {
    let mut words = String::with_capacity(identifier.len() + 8);
    let mut letters = identifier.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        if letter == '_' {
            before = None;
            if !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
            continue;
        }
        let begins = before.is_some_and(|before| {
            let hump = letter.is_uppercase() && (before.is_lowercase() || before.is_numeric());
            let acronym_ends = letter.is_uppercase()
                && before.is_uppercase()
                && letters.peek().is_some_and(|next| next.is_lowercase());
            hump || acronym_ends || (digits && letter.is_numeric() != before.is_numeric())
        });
        if begins {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
        before = Some(letter);
    }
    words.truncate(words.trim_end().len());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_split_at_humps_acronyms_and_underscores() {
        for (identifier, words) in [
            ("currentMood", "current mood"),
            ("HTTPServerURL_v2", "http server url v2"),
            ("OAuth2App", "o auth2 app"),
            ("__typename", "typename"),
            ("SOME_ENUM_VALUE", "some enum value"),
            ("employees_aggregate", "employees aggregate"),
            ("id", "id"),
            ("Überschrift", "überschrift"),
        ] {
            assert_eq!(split(identifier), words, "{identifier}");
        }
    }

    #[test]
    fn the_word_index_keeps_joined_forms_and_splits_digits() {
        assert_eq!(indexed("currentMood"), "current mood currentmood");
        assert_eq!(indexed("oauth2"), "oauth2 oauth 2");
        assert_eq!(indexed("id"), "id");
    }
}
