//! Rewrites syntax of the September 2025 specification that graphql-parser
//! 0.4.1 rejects, or trips over, into syntax that it accepts. Lines stay as they
//! are and so do columns, but for the rest of a line on which something had to
//! be inserted: an error's position is the position in the author's file.

use std::borrow::Cow;

use super::token::{BadToken, Token, TokenKind, tokens};

/// Words that begin an executable definition, which a schema does not need.
const EXECUTABLE: [&str; 4] = ["query", "mutation", "subscription", "fragment"];

/// Tokens after which a name is not the start of a definition.
const AWAITING_NAME: [&str; 13] = [
    "type",
    "interface",
    "union",
    "enum",
    "input",
    "scalar",
    "extend",
    "implements",
    "on",
    "@",
    "|",
    "=",
    "&",
];

/// Returns `source` as graphql-parser accepts it:
///
/// - `extend schema @link(…)` becomes a `schema` definition (the parser allows
///   several), with `{}` where it states no roots;
/// - a description of `schema` is blanked, and so are operations and fragments;
/// - `extend interface A implements B` without fields loses its `extend`;
/// - the commas of `implements A, B` become `&`;
/// - `\u{…}`, surrogate pairs and `\b` become the characters they stand for;
/// - exotic white space at the start of a block string's line becomes spaces
///   (the parser would cut it inside a character and panic);
/// - integers beyond 64 bits become floats, and `1e9` becomes `1e+9`.
pub(super) fn rewrite(source: &str) -> Result<Cow<'_, str>, BadToken> {
    let tokens = tokens(source)?;
    let mut rewriter = Rewriter { source, tokens: &tokens, edits: Vec::new(), ignored: 0 };
    rewriter.run();
    if rewriter.ignored > 0 {
        tracing::warn!(
            definitions = rewriter.ignored,
            "operations and fragments in a schema are ignored"
        );
    }
    Ok(apply(source, rewriter.edits))
}

struct Rewriter<'a> {
    source: &'a str,
    tokens: &'a [Token],
    edits: Vec<Edit>,
    /// How many executable definitions were blanked.
    ignored: usize,
}

/// A replacement of a range of bytes; edits are made in order and do not overlap.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let mut depth = 0_usize;
        let mut in_implements = false;
        let mut at = 0;
        while let Some(&token) = self.tokens.get(at) {
            let text = token.text(self.source);
            if depth == 0
                && self.starts_definition(at)
                && let Some(next) = self.definition(at)
            {
                at = next;
                continue;
            }
            match token.kind {
                TokenKind::Text => self.replace(token, requote(text)),
                TokenKind::Block => self.replace(token, reindent(text)),
                TokenKind::Number => self.replace(token, renumber(text)),
                TokenKind::Name if depth == 0 && text == "implements" => in_implements = true,
                TokenKind::Name if in_implements => self.join_interfaces(at),
                TokenKind::Name => {}
                TokenKind::Punctuator => match text {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    "@" | "=" => in_implements = false,
                    _ => {}
                },
            }
            in_implements &= depth == 0;
            at += 1;
        }
    }

    /// Can the token at `at`, outside all brackets, begin a definition?
    fn starts_definition(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        !AWAITING_NAME.contains(&self.text(before))
    }

    /// Rewrites the definition that begins at `at` where that is done as a
    /// whole, and returns where to go on.
    fn definition(&mut self, at: usize) -> Option<usize> {
        let described = self.is_string(at);
        let keyword = at + usize::from(described);
        let word = self.text(keyword);
        if EXECUTABLE.contains(&word) || (word == "{" && self.follows_definition(at)) {
            let end = self.end_of_operation(keyword);
            self.ignored += 1;
            self.blank(at, end);
            return Some(end);
        }
        if word == "schema" && described {
            self.blank(at, keyword);
            return Some(keyword);
        }
        if word == "extend" && !described {
            match self.text(at + 1) {
                "schema" => {
                    self.blank(at, at + 1);
                    self.close_schema(at + 2);
                    // Go on behind `schema`, so that the strings of its
                    // directives are rewritten too.
                    return Some(at + 2);
                }
                "interface" if self.has_bare_header(at + 2) => {
                    self.blank(at, at + 1);
                    return Some(at + 1);
                }
                _ => {}
            }
        }
        None
    }

    /// Is a `{` here an anonymous query, rather than the body of a definition?
    fn follows_definition(&self, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| self.text(before) == "}")
    }

    /// The token behind the selection set of the operation that begins at `at`.
    fn end_of_operation(&self, at: usize) -> usize {
        let mut parentheses = 0_usize;
        let mut behind = at;
        while behind < self.tokens.len() {
            match self.text(behind) {
                "{" if parentheses == 0 => return self.behind_brackets(behind),
                "(" => parentheses += 1,
                ")" => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            behind += 1;
        }
        behind
    }

    /// The token behind the bracket that closes the one at `at`.
    fn behind_brackets(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.text(self.source) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        self.tokens.len()
    }

    /// Plans the `{}` behind the directives from `at` on, where no roots follow.
    fn close_schema(&mut self, at: usize) {
        let mut behind = at;
        while self.text(behind) == "@" {
            behind += 2;
            if self.text(behind) == "(" {
                behind = self.behind_brackets(behind);
            }
        }
        if self.text(behind) != "{"
            && behind > at
            && let Some(last) = self.tokens.get(behind - 1).or(self.tokens.last())
        {
            self.edits.push(Edit { start: last.end(), end: last.end(), text: "{}".to_owned() });
        }
    }

    /// Does the interface named at `at` have neither directives nor fields?
    fn has_bare_header(&self, at: usize) -> bool {
        let mut behind = at + 1;
        if self.text(behind) != "implements" {
            return false;
        }
        behind += 1;
        if self.text(behind) == "&" {
            behind += 1;
        }
        behind += 1;
        while self.text(behind) == "&" {
            behind += 2;
        }
        !matches!(self.text(behind), "@" | "{")
    }

    /// Puts `&` for the comma between this name and the one before it.
    fn join_interfaces(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return;
        };
        let Some(token) = self.tokens.get(at) else {
            return;
        };
        if before.kind != TokenKind::Name || before.text(self.source) == "implements" {
            return;
        }
        let gap = self.source.get(before.end()..token.start()).unwrap_or_default();
        if let Some(comma) = gap.find(',').filter(|_| !gap.contains('#')) {
            let start = before.end() + comma;
            self.edits.push(Edit { start, end: start + 1, text: "&".to_owned() });
        }
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map(|token| token.text(self.source)).unwrap_or_default()
    }

    fn is_string(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Text | TokenKind::Block))
    }

    fn replace(&mut self, token: Token, text: Option<String>) {
        if let Some(text) = text {
            self.edits.push(Edit { start: token.start(), end: token.end(), text });
        }
    }

    /// Blanks the tokens from `from` up to, but not with, `to`.
    fn blank(&mut self, from: usize, to: usize) {
        let (Some(first), Some(last)) =
            (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last)))
        else {
            return;
        };
        let old = self.source.get(first.start()..last.end()).unwrap_or_default();
        let text = old.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        self.edits.push(Edit { start: first.start(), end: last.end(), text });
    }
}

/// Decodes the escapes of a quoted string that graphql-parser does not know,
/// padding behind the quote to keep the columns of the line.
fn requote(text: &str) -> Option<String> {
    if !text.contains("\\u") && !text.contains("\\b") {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(slash) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(slash)?;
        out.push_str(before);
        let (decoded, length) = escaped(escape);
        match decoded {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some(c) => out.push(c),
            // Known to graphql-parser, or an error that it will report.
            None => out.push_str(escape.get(..length)?),
        }
        rest = escape.get(length..)?;
    }
    out.push_str(rest);
    let missing = text.chars().count().saturating_sub(out.chars().count());
    out.extend(std::iter::repeat_n(' ', missing));
    Some(out)
}

/// The character that the escape at the start of `text` stands for, where this
/// room decodes it, and the escape's length in bytes.
fn escaped(text: &str) -> (Option<char>, usize) {
    const HIGH: std::ops::Range<u32> = 0xD800..0xDC00;
    const LOW: std::ops::Range<u32> = 0xDC00..0xE000;
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok();
    if text.starts_with("\\b") {
        return (Some('\u{8}'), 2);
    }
    if let Some((digits, _)) = text.strip_prefix("\\u{").and_then(|tail| tail.split_once('}')) {
        return (code(digits).and_then(char::from_u32), digits.len() + 4);
    }
    let unit = |at: usize| {
        text.get(at..at + 2)
            .filter(|prefix| *prefix == "\\u")
            .and_then(|_| code(text.get(at + 2..at + 6)?))
    };
    if let (Some(high), Some(low)) = (unit(0), unit(6))
        && HIGH.contains(&high)
        && LOW.contains(&low)
    {
        let code = 0x1_0000 + ((high - HIGH.start) << 10) + (low - LOW.start);
        return (char::from_u32(code), 12);
    }
    let length = text.chars().take(2).map(char::len_utf8).sum();
    (None, length)
}

/// Makes exotic white space at the start of a line plain spaces.
fn reindent(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let body = line.trim_start();
        let indent = line.chars().take_while(|c| c.is_whitespace());
        out.extend(indent.map(|c| if c == '\t' { c } else { ' ' }));
        out.push_str(body);
    }
    Some(out)
}

/// Spells a number so that graphql-parser accepts it.
fn renumber(text: &str) -> Option<String> {
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let refused = exponent.starts_with(['0', '9']);
        return refused.then(|| format!("{mantissa}e+{exponent}"));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (is_integer && text.parse::<i64>().is_err()).then(|| format!("{text}.0"))
}

fn apply(source: &str, mut edits: Vec<Edit>) -> Cow<'_, str> {
    if edits.is_empty() {
        return Cow::Borrowed(source);
    }
    // Only the `{}` behind a schema's directives is planned ahead of its place.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(source.len() + 16);
    let mut copied = 0;
    for edit in edits {
        out.push_str(source.get(copied..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        copied = edit.end;
    }
    out.push_str(source.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> String {
        rewrite(source).unwrap().into_owned()
    }

    #[test]
    fn plain_sdl_is_not_copied() {
        assert!(matches!(rewrite("type query { schema: fragment }"), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn a_schema_extension_becomes_a_definition() {
        assert_eq!(
            rewritten("extend schema\n@link(url: \"a\", import: [\"@key\"])\ntype A { a: Int }"),
            "       schema\n@link(url: \"a\", import: [\"@key\"]){}\ntype A { a: Int }",
        );
        assert_eq!(rewritten("extend schema { query: Q }"), "       schema { query: Q }");
    }

    #[test]
    fn a_described_schema_loses_its_description_and_no_line() {
        assert_eq!(
            rewritten("\"\"\"a\nb\"\"\" schema { query: Q }"),
            "    \n     schema { query: Q }"
        );
    }

    #[test]
    fn operations_are_blanked_and_types_of_their_names_are_not() {
        let source = "scalar query union fragment = mutation\n\
                      \"said\" query A($a: I = {b: 1}) @d(x: {y: 1}) { a { b } }\n\
                      fragment F on T { a }\ntype T { a: Int }\n{ a }";
        let expected: Vec<_> =
            rewritten(source).lines().map(|line| line.trim().to_owned()).collect();
        assert_eq!(
            expected,
            ["scalar query union fragment = mutation", "", "", "type T { a: Int }", ""]
        );
    }

    #[test]
    fn commas_between_interfaces_become_ampersands() {
        assert_eq!(
            rewritten("type A implements B, C @d(e: [f, g]) { a(b: I, c: I): D, e: F }"),
            "type A implements B& C @d(e: [f, g]) { a(b: I, c: I): D, e: F }",
        );
    }

    #[test]
    fn an_interface_that_is_extended_with_interfaces_alone_is_accepted() {
        assert_eq!(
            rewritten("extend interface A implements B & C\ntype D { a: Int }"),
            "       interface A implements B & C\ntype D { a: Int }",
        );
        let kept = "extend interface A implements B { a: Int }";
        assert_eq!(rewritten(kept), kept);
    }

    #[test]
    fn escapes_become_characters_and_columns_stay() {
        assert_eq!(rewritten(r#""\u{1F600}\n" scalar A"#), "\"\u{1F600}\\n\"         scalar A");
        assert_eq!(rewritten(r#""\uD83D\uDE00" scalar A"#), "\"\u{1F600}\"            scalar A");
        assert_eq!(rewritten(r#""\u{22}" scalar A"#), "\"\\\"\"     scalar A");
        assert_eq!(rewritten(r#""\\u{22}" scalar A"#), r#""\\u{22}" scalar A"#);
        assert_eq!(rewritten(r#""\u{110000}" scalar A"#), r#""\u{110000}" scalar A"#);
    }

    #[test]
    fn exotic_indents_become_spaces() {
        assert_eq!(
            rewritten("\"\"\"\n a\n\u{3000}b\u{3000}\n\"\"\""),
            "\"\"\"\n a\n b\u{3000}\n\"\"\""
        );
    }

    #[test]
    fn numbers_are_spelled_for_the_parser() {
        assert_eq!(renumber("1e9").as_deref(), Some("1e+9"));
        assert_eq!(renumber("1.5E09").as_deref(), Some("1.5e+09"));
        assert_eq!(renumber("99999999999999999999").as_deref(), Some("99999999999999999999.0"));
        assert_eq!(renumber("-12"), None);
        assert_eq!(renumber("1e5"), None);
    }
}
