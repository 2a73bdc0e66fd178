//! Splits SDL into tokens, so that newer syntax can be rewritten and depth
//! limited before graphql-parser sees the text.

/// How deep brackets may nest. graphql-parser stops at 50; a real schema needs
/// about 6.
pub const MAX_DEPTH: usize = 48;

/// How long a name may be, in bytes. Names are repeated in coordinates and in
/// every route through a field, so an absurd one would multiply.
pub(super) const MAX_NAME_BYTES: usize = 500;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Punctuator,
    Name,
    Number,
    /// `"…"`
    Text,
    /// `"""…"""`
    Block,
}

/// A token's place in the source, in bytes. Sources are smaller than 4 GiB, and
/// there may be millions of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    start: u32,
    end: u32,
}

impl Token {
    fn new(kind: TokenKind, start: usize, end: usize) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { kind, start: narrow(start), end: narrow(end) }
    }

    pub(super) const fn start(self) -> usize {
        self.start as usize
    }

    pub(super) const fn end(self) -> usize {
        self.end as usize
    }

    pub(super) fn text(self, source: &str) -> &str {
        source.get(self.start()..self.end()).unwrap_or_default()
    }
}

/// Something that is no token, or goes over a limit.
#[derive(Debug)]
pub(super) struct BadToken {
    /// The offset in bytes.
    pub at: usize,
    pub reason: String,
}

/// Splits `source`, leaving out what GraphQL ignores.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, BadToken> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else {
            break;
        };
        let (kind, length) = match first {
            ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}' => {
                at += first.len_utf8();
                continue;
            }
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '(' | '[' | '{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let reason = format!("brackets nest deeper than {MAX_DEPTH} levels");
                    return Err(BadToken { at, reason });
                }
                (TokenKind::Punctuator, 1)
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                (TokenKind::Punctuator, 1)
            }
            '!' | '$' | ':' | '=' | '@' | '|' | '&' => (TokenKind::Punctuator, 1),
            '.' if rest.starts_with("...") => (TokenKind::Punctuator, 3),
            '_' | 'a'..='z' | 'A'..='Z' => {
                (TokenKind::Name, name_length(rest).map_err(|reason| BadToken { at, reason })?)
            }
            '-' | '0'..='9' => (TokenKind::Number, number_length(rest)),
            '"' => string(rest).map_err(|reason| BadToken { at, reason: reason.to_owned() })?,
            other => {
                let reason = format!(
                    "unexpected character `{}` (U+{:04X}); a name has only letters a to z, digits and `_`",
                    other.escape_debug(),
                    u32::from(other),
                );
                return Err(BadToken { at, reason });
            }
        };
        tokens.push(Token::new(kind, at, at + length));
        at += length;
    }
    Ok(tokens)
}

fn name_length(rest: &str) -> Result<usize, String> {
    let length =
        rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    if length > MAX_NAME_BYTES {
        return Err(format!("a name is longer than {MAX_NAME_BYTES} characters"));
    }
    Ok(length)
}

/// Takes what looks like a number; graphql-parser says whether it is one.
fn number_length(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')))
        .unwrap_or(rest.len())
}

/// The kind and length of the string at the start of `rest`. Its escapes are
/// checked here because graphql-parser reports a wrong one at the wrong place.
fn string(rest: &str) -> Result<(TokenKind, usize), &'static str> {
    const OPEN: &str = "a string begins here and does not end";
    if let Some(body) = rest.strip_prefix("\"\"\"") {
        let is_escaped = |at| body.get(..at).is_some_and(|before| before.ends_with('\\'));
        let end = body.match_indices("\"\"\"").find(|(at, _)| !is_escaped(*at));
        return end.map(|(at, _)| (TokenKind::Block, at + 6)).ok_or(OPEN);
    }
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => return Err(OPEN),
            '"' => return Ok((TokenKind::Text, at + 1)),
            '\\' => match chars.next() {
                None => return Err(OPEN),
                Some((_, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {}
                Some((at, 'u')) if rest.get(at + 1..).is_some_and(starts_with_code) => {}
                Some(_) => return Err("a string begins here that holds a wrong `\\` escape"),
            },
            _ => {}
        }
    }
    Err(OPEN)
}

/// Does the text behind `\u` begin with four digits, or with `{…}`?
fn starts_with_code(text: &str) -> bool {
    let is_hex = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    match text.strip_prefix('{').and_then(|tail| tail.split_once('}')) {
        Some((digits, _)) => is_hex(digits),
        None => text.get(..4).is_some_and(is_hex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).unwrap().into_iter().map(|token| token.text(source)).collect()
    }

    #[test]
    fn strings_comments_and_numbers_are_one_token_each() {
        assert_eq!(
            texts("\"a \\\" b\" # no\n\"\"\"x \\\"\"\" y\"\"\" f(a:-1.5e+9)...@d"),
            [
                "\"a \\\" b\"",
                "\"\"\"x \\\"\"\" y\"\"\"",
                "f",
                "(",
                "a",
                ":",
                "-1.5e+9",
                ")",
                "...",
                "@",
                "d"
            ],
        );
    }

    #[test]
    fn an_odd_name_is_named_with_its_place() {
        let error = tokens("type Caf\u{e9} { a: Int }").unwrap_err();
        assert_eq!(error.at, 8);
        assert!(error.reason.contains("U+00E9"), "{}", error.reason);
    }

    #[test]
    fn depth_and_name_length_are_limited() {
        assert!(tokens(&"[".repeat(MAX_DEPTH)).is_ok());
        assert_eq!(tokens(&"[".repeat(10_000)).unwrap_err().at, MAX_DEPTH);
        assert!(tokens(&"a".repeat(MAX_NAME_BYTES)).is_ok());
        assert!(tokens(&"a".repeat(MAX_NAME_BYTES + 1)).is_err());
    }

    #[test]
    fn an_open_string_is_an_error() {
        assert_eq!(tokens("type A \"open\n").unwrap_err().at, 7);
        assert_eq!(tokens(r#"input A { a: B = "\q" }"#).unwrap_err().at, 17);
        assert!(tokens(r#""\u12" scalar A"#).is_err() && tokens(r#""\u{1F}\u00e9\\""#).is_ok());
        assert_eq!(tokens("\"\"\"open\\\"\"\"").unwrap_err().at, 0);
    }
}
