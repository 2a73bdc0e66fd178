//! SDL text to definitions, by graphql-parser.

use std::borrow::Cow;

use graphql_parser::schema::{ParseError, parse_schema};

use super::{
    convert, definitions::Definitions, error::SchemaError, rewrite::rewrite, source::MAX_SOURCE_BYTES,
    token::{BadToken, tokens},
};

/// How much of a line, and of a reason, an error shows, in characters.
const EXCERPT: usize = 120;

/// Reads the definitions of one SDL document; `input` names it in errors.
pub(super) fn definitions(input: &str, sdl: &str) -> Result<Definitions, SchemaError> {
    if sdl.len() as u64 > MAX_SOURCE_BYTES {
        return Err(SchemaError::TooLarge { input: input.to_owned() });
    }
    let sdl = with_plain_line_ends(sdl.trim_start_matches('\u{feff}'));
    let accepted = rewrite(&sdl).map_err(|bad| bad_token(input, &sdl, bad))?;
    // graphql-parser rejects what has no definitions, comments alone included.
    if tokens(&accepted).is_ok_and(|tokens| tokens.is_empty()) {
        return Ok(Definitions::default());
    }
    let document =
        parse_schema::<&str>(&accepted).map_err(|error| syntax_error(input, &sdl, &error))?;
    Ok(convert::definitions(document))
}

/// The default value `text` of an introspection result, as SDL would have it;
/// none where it is no GraphQL value.
pub(super) fn default_value(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !text.is_empty() && text.chars().all(plain) {
        return Some(text.to_owned());
    }
    let parsed = definitions("", &format!("input I {{ f: T = {text} }}")).ok()?;
    match parsed.types.as_slice() {
        [only] => match only.input_fields.as_slice() {
            [field] => field.default.clone(),
            _ => None,
        },
        _ => None,
    }
}

/// graphql-parser counts a carriage return as a line of its own.
fn with_plain_line_ends(sdl: &str) -> Cow<'_, str> {
    if sdl.contains('\r') {
        Cow::Owned(sdl.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(sdl)
    }
}

fn bad_token(input: &str, sdl: &str, bad: BadToken) -> SchemaError {
    let before = sdl.get(..bad.at).unwrap_or(sdl);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    syntax(input, sdl, line, column, bad.reason)
}

/// Reads place and reason out of graphql-parser's message, which is all that it
/// gives: `schema parse error: Parse error at 3:5`, then a line a reason.
fn syntax_error(input: &str, sdl: &str, error: &ParseError) -> SchemaError {
    let message = error.to_string();
    let (place, reasons) = message.split_once('\n').unwrap_or((&message, ""));
    let (line, width) = place
        .rsplit_once(' ')
        .and_then(|(_, position)| position.split_once(':'))
        .and_then(|(line, column)| Some((line.parse().ok()?, column.trim().parse().ok()?)))
        .unwrap_or((1, 1));
    let reasons: Vec<_> = reasons.lines().map(str::trim).filter(|it| !it.is_empty()).map(readable).collect();
    syntax(input, sdl, line, column_at(sdl, line, width), reasons.join(", "))
}

/// One of the parser's reasons: ``Unexpected `}[Punctuator]` `` or `Expected {, Name or @`.
fn readable(reason: &str) -> String {
    if let Some(expected) = reason.strip_prefix("Expected ") {
        let words = expected.split(" or ").flat_map(|words| words.split(", "));
        let words: Vec<_> = words.map(|word| format!("`{}`", word.trim_matches('`'))).collect();
        return format!("expected {}", words.join(" or "));
    }
    let mut reason = reason.replacen("Unexpected", "unexpected", 1);
    for kind in ["Punctuator", "Name", "IntValue", "FloatValue", "StringValue", "BlockString"] {
        reason = reason.replace(&format!("[{kind}]"), "");
    }
    reason
}

/// The column in characters; graphql-parser counts a tab as eight.
fn column_at(sdl: &str, line: usize, width: usize) -> usize {
    let mut seen = 1;
    let text = sdl.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let before = text.chars().take_while(|c| {
        let is_before = seen < width;
        seen += if *c == '\t' { 8 } else { 1 };
        is_before
    });
    let tabs = before.filter(|c| *c == '\t').count();
    width.saturating_sub(7 * tabs).max(1)
}

fn syntax(input: &str, sdl: &str, line: usize, column: usize, reason: String) -> SchemaError {
    let text = sdl.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // A long line is shown around the place, not from its start.
    let skipped = column.saturating_sub(EXCERPT / 2);
    let excerpt: String = text.chars().skip(skipped).take(EXCERPT).collect();
    SchemaError::Syntax {
        input: input.to_owned(),
        line,
        column,
        reason: reason.chars().take(2 * EXCERPT).collect(),
        excerpt: excerpt.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{TypeKind, convert::NO_REASON, parse_sdl};

    fn error(sdl: &str) -> String {
        definitions("a.graphql", sdl).unwrap_err().to_string()
    }

    #[test]
    fn a_syntax_error_has_its_place_in_the_authors_file() {
        assert_eq!(
            error("type A {\r\n  # odd\r\n\tb Int\r\n}"),
            "`a.graphql` has a syntax error at line 3, column 4: unexpected `Int`, expected `:`\n  3 | b Int",
        );
        assert!(error("type A { a: Int").contains("line 1, column 16: unexpected end of input"));
        assert!(error("# \u{1F600}\ntype \u{201c}A\u{201d}").contains("line 2, column 6"));
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let nested = format!("type A {{ a: {}Int{} }}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(error(&nested).contains("nest deeper than 48 levels"));
        let default = format!("input A {{ a: B = {}1{} }}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(error(&default).contains("nest deeper"));
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let long = format!("type A {{ {}: Int }}", "a: Int ".repeat(1000));
        let shown = error(&long);
        assert!(shown.len() < 700, "{shown}");
        assert!(shown.contains("Int : Int"), "{shown}");
    }

    #[test]
    fn september_2025_syntax_is_read() {
        let schema = parse_sdl(
            r#"
            "The graph" schema @about(x: 1) { query: Q }
            "about" directive @about(x: Int = 1 @deprecated(reason: "y")) repeatable on | SCHEMA | OBJECT
            interface N { id: ID! }
            interface M implements N { id: ID! }
            type Q implements & N & M { id: ID! a(b: I = {c: [1.0, "\u{1F600}"], d: X} @deprecated): U }
            union U = | Q
            scalar S @specifiedBy(url: "https://s.example")
            input I @oneOf { c: [S] d: E @deprecated(reason: "old") }
            enum E { X @deprecated Y }
            extend type Q { z: S }
            extend type Late { a: Int }
            "#,
        )
        .unwrap();
        let query = schema.get("Q").unwrap();
        assert_eq!(query.interfaces, ["N", "M"]);
        let names: Vec<_> = query.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["id", "a", "z"]);
        let argument = &query.fields[1].args[0];
        assert_eq!(argument.default.as_deref(), Some("{c: [1.0, \"\u{1F600}\"], d: X}"));
        assert_eq!(argument.deprecation_reason.as_deref(), Some(NO_REASON));
        assert_eq!(schema.get("S").unwrap().specified_by.as_deref(), Some("https://s.example"));
        assert!(schema.get("I").unwrap().one_of);
        assert_eq!(schema.get("Late").unwrap().kind, TypeKind::Object);
        assert_eq!(schema.roots.query.as_deref(), Some("Q"));
    }

    #[test]
    fn a_field_defined_twice_is_kept_once() {
        let schema = parse_sdl("type Query { a: Int a: String b: ID }").unwrap();
        let fields: Vec<_> =
            schema.get("Query").unwrap().fields.iter().map(|it| (it.name.as_str(), it.type_ref.as_str())).collect();
        assert_eq!(fields, [("a", "Int"), ("b", "ID")]);
    }

    #[test]
    fn defaults_of_introspection_are_checked() {
        assert_eq!(default_value("DESC").as_deref(), Some("DESC"));
        assert_eq!(default_value("{a:[1,\"x\"]}").as_deref(), Some("{a: [1, \"x\"]}"));
        assert_eq!(default_value("1 } type Evil { a: Int"), None);
        assert_eq!(default_value(""), None);
    }
}
