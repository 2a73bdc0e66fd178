//! A pattern as it was given becomes a matcher, or a message that shows what is
//! wrong with it.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;

use crate::code::{CodeError, MAX_PATTERN_CHARS, SearchQuery};

/// The most bytes that a compiled pattern takes: `\w{20}`, where `\w` knows all
/// of Unicode, still fits, and `\w{30}` does not. In the worst case every byte
/// of a tree visits every state.
const COMPILED_BYTES: usize = 1 << 20;
/// The most bytes that a matcher's cache of states takes, in each thread. A
/// pattern that needs more makes its states anew, which is slower.
const CACHE_BYTES: usize = 8 << 20;

/// Compiles what a query looks for. It matches within one line, whatever the
/// line's ending.
///
/// # Errors
/// [`CodeError::Invalid`] for a pattern that is empty, too long, too large once
/// compiled, spans lines, or is no regular expression.
pub fn matcher(query: &SearchQuery) -> Result<RegexMatcher, CodeError> {
    let pattern = &query.pattern;
    if pattern.is_empty() {
        return invalid("`pattern` is empty; give the text to look for.");
    }
    let chars = pattern.chars().count();
    if chars > MAX_PATTERN_CHARS {
        return invalid(format!(
            "`pattern` has {chars} characters, and {MAX_PATTERN_CHARS} is the most; look for a part of it."
        ));
    }
    if pattern.contains('\n') {
        return invalid(SPANS_LINES);
    }
    if query.is_regex {
        check_syntax(pattern)?;
    }
    let mut builder = RegexMatcherBuilder::new();
    if query.is_regex && pattern.contains('$') {
        // Nothing else cares, and it costs speed.
        builder.crlf(true);
    }
    builder
        .fixed_strings(!query.is_regex)
        // After `crlf`, which sets another one than the searcher has.
        .line_terminator(Some(b'\n'))
        // Whole blocks are searched, in which `^` and `$` are of lines.
        .multi_line(true)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHE_BYTES);
    builder.build(pattern).or_else(|error| match error.kind() {
        ErrorKind::NotAllowed(_) => invalid(SPANS_LINES),
        ErrorKind::Regex(reason) if reason.contains("size limit") => invalid(
            "`pattern` is too large once compiled; repeat fewer things less often, or write `[a-z]` for `\\w`.",
        ),
        _ => not_a_regex(&error.to_string()),
    })
}

/// Checked apart, as the builder would show the pattern with what it adds to it.
fn check_syntax(pattern: &str) -> Result<(), CodeError> {
    let mut parser = ParserBuilder::new().utf8(false).multi_line(true).build();
    parser.parse(pattern).map_or_else(|error| not_a_regex(&error.to_string()), |_| Ok(()))
}

fn not_a_regex<T>(shown: &str) -> Result<T, CodeError> {
    let shown = shown.trim_start_matches("regex parse error:\n");
    invalid(format!(
        "`pattern` is not a regular expression that can be searched; leave `is_regex` out to look for the text as it stands.\n{shown}"
    ))
}

const SPANS_LINES: &str =
    "`pattern` spans lines, and each line is searched on its own; look for one of its lines.";

fn invalid<T>(reason: impl Into<String>) -> Result<T, CodeError> {
    Err(CodeError::Invalid(reason.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(pattern: &str, is_regex: bool) -> String {
        let pattern = pattern.to_owned();
        let query = SearchQuery { pattern, is_regex, path_glob: None, language: None, limit: None };
        matcher(&query).expect_err("the pattern is refused").to_string()
    }

    #[test]
    fn what_is_no_regex_is_shown_where_it_goes_wrong() {
        let message = reason("fn (main", true);
        assert!(message.ends_with("\n    fn (main\n       ^\nerror: unclosed group"), "{message}");
        assert!(reason(r"\p{Nothing}", true).contains("Unicode property not found"));
        assert!(reason("(?=x)", true).contains("look-around"));
        assert!(reason(r"(a)\1", true).contains("backreferences are not supported"));
    }

    #[test]
    fn patterns_of_several_lines_are_refused() {
        for (pattern, is_regex) in
            [("a\nb", false), ("a\nb", true), (r"a\nb", true), (r"[\n]", true)]
        {
            assert!(reason(pattern, is_regex).contains("spans lines"), "{pattern}");
        }
    }

    #[test]
    fn patterns_are_bounded() {
        assert!(reason("", false).contains("is empty"));
        assert!(
            reason(&"x".repeat(1_001), false).contains("1001 characters, and 1000 is the most")
        );
        for pattern in ["(a{1000}){1000}", r"\w{100}", "((((a{99}){99}){99}){99}){99}"] {
            assert!(reason(pattern, true).contains("too large once compiled"), "{pattern}");
        }
        let nested = format!("{}{}", "(".repeat(400), ")".repeat(400));
        assert!(reason(&nested, true).contains("nested parentheses"));
    }
}
