//! SDL text to definitions, by graphql-parser.

use std::borrow::Cow;

use graphql_parser::schema::{ParseError, parse_schema};

use super::{
    convert,
    definitions::Definitions,
    error::SchemaError,
    rewrite::rewrite,
    source::MAX_SOURCE_BYTES,
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
    let accepted = rewrite(&sdl).map_err(|bad| bad_token(input, &sdl, &bad))?;
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

fn bad_token(input: &str, sdl: &str, bad: &BadToken) -> SchemaError {
    let before = sdl.get(..bad.at).unwrap_or(sdl);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    syntax(input, sdl, line, column, &bad.reason)
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
    // Of what it did not expect, the first is the cause.
    let unexpected = reasons.lines().find(|reason| !reason.starts_with("Expected "));
    let expected = reasons.lines().find(|reason| reason.starts_with("Expected "));
    let reasons: Vec<_> = [unexpected, expected].into_iter().flatten().map(readable).collect();
    syntax(input, sdl, line, column_at(sdl, line, width), &reasons.join(", "))
}

/// One of the parser's reasons: ``Unexpected `}[Punctuator]` `` or `Expected {, Name or @`.
fn readable(reason: &str) -> String {
    match reason.trim().strip_prefix("Expected ") {
        Some(sentence) if sentence.ends_with('.') => sentence.trim_end_matches('.').to_lowercase(),
        Some(words) => {
            let words = words.split(" or ").flat_map(|words| words.split(", "));
            format!("expected {}", words.map(expected).collect::<Vec<_>>().join(" or "))
        }
        None => {
            let mut reason = reason.trim().replacen("Unexpected", "unexpected", 1);
            for kind in
                ["Punctuator", "Name", "IntValue", "FloatValue", "StringValue", "BlockString"]
            {
                reason = reason.replace(&format!("[{kind}]"), "");
            }
            reason
        }
    }
}

/// A token that the parser expects: its kind or itself.
fn expected(word: &str) -> String {
    match word.trim_matches('`') {
        "Name" => "a name".to_owned(),
        "IntValue" => "an integer".to_owned(),
        "FloatValue" => "a float".to_owned(),
        "StringValue" => "a string".to_owned(),
        "BlockString" => "a block string".to_owned(),
        token => format!("`{token}`"),
    }
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

fn syntax(input: &str, sdl: &str, line: usize, column: usize, reason: &str) -> SchemaError {
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
        assert!(
            error("type A { a: Int")
                .contains("line 1, column 16: unexpected end of input, expected `}`")
        );
        assert!(error("type A { a: 5 }").contains("unexpected `5`, expected a name or `[`"));
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
        let fields: Vec<_> = schema
            .get("Query")
            .unwrap()
            .fields
            .iter()
            .map(|it| (it.name.as_str(), it.type_ref.as_str()))
            .collect();
        assert_eq!(fields, [("a", "Int"), ("b", "ID")]);
    }

    #[test]
    fn defaults_of_introspection_are_checked() {
        assert_eq!(default_value("DESC").as_deref(), Some("DESC"));
        assert_eq!(default_value("{a:[1,\"x\"]}").as_deref(), Some("{a: [1, \"x\"]}"));
        assert_eq!(default_value("1 } type Evil { a: Int"), None);
        assert_eq!(default_value(""), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}") {
            drop(parse_sdl(&text));
        }
    }

    #[test]
    fn no_mutation_of_a_schema_panics() {
        let sdl = "extend schema @link(url: \"\\u{1F600}\", import: [\"@key\"]) \"\"\"\n a\n\u{3000}b \\\"\"\"\n\"\"\" \
                   type Query implements A, B & C @key(f: {a: [1e9, -2.5, $v]}) { \"d\" a(b: [I!]! = 1): U! } \
                   union U = | Query | B extend interface A implements B query Q($a: I) { a { b } } # c\r\n";
        let pieces = [
            "\"", "\"\"\"", "\\", "{", "}", "(", ")", "[", "@", "&", "extend ", "schema ",
            "\u{3000}", "#", "\n", "9e", ",", "\u{feff}",
        ];
        // A linear congruential generator: the same mutations every time.
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..3_000 {
            let mut chars: Vec<char> = sdl.chars().collect();
            for _ in 0..=random(4) {
                let at = random(chars.len());
                let removed = random(4).min(chars.len() - at);
                let piece = pieces[random(pieces.len())].chars();
                chars.splice(at..at + removed, piece);
            }
            let mutated: String = chars.into_iter().collect();
            // What is accepted is printed so that it is accepted again.
            if let Ok(schema) = parse_sdl(&mutated) {
                assert!(parse_sdl(&schema.sdl).is_ok(), "{mutated}\n{}", schema.sdl);
            }
        }
    }
}
