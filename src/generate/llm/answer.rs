//! Reads what a language model says: one GraphQL document, wherever it stands.

use apollo_compiler::ast::{Definition, Document};

/// The deepest brackets of a document that is read, and the most tokens. An
/// operation of public documentation has up to 14 and some hundred.
const MAX_NESTING: usize = 64;
/// See [`MAX_NESTING`].
const MAX_TOKENS: usize = 20_000;

/// The most code blocks that are looked into, the last first.
const MAX_BLOCKS: usize = 20;

/// How a model says that a schema cannot answer.
pub const NOTHING: &str = "NOTHING";

/// What a model said.
#[derive(Debug)]
pub enum Answer {
    /// A document with at least one operation, parsed and not yet judged.
    Document(Document),
    /// That the schema cannot answer.
    Nothing,
    /// Something else; the reason is for the model.
    Unreadable(String),
}

/// Finds the document in code fences, in JSON, or between words; the last that
/// parses counts, since models think before they answer.
pub fn read(text: &str) -> Answer {
    let text = text.rsplit("</think>").next().unwrap_or(text).trim();
    let is_plain = |letter: char| letter.is_ascii_alphabetic();
    if text.trim_matches(|letter| !is_plain(letter)).eq_ignore_ascii_case(NOTHING) {
        return Answer::Nothing;
    }
    let mut reason = None;
    for candidate in candidates(text) {
        match parse(&candidate) {
            Ok(document) => return Answer::Document(document),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Answer::Unreadable(reason.unwrap_or_else(|| "it holds no GraphQL operation".to_owned()))
}

/// Where a document may stand, the likeliest first.
fn candidates(text: &str) -> Vec<String> {
    let mut candidates: Vec<String> =
        fenced(text).into_iter().rev().take(MAX_BLOCKS).map(str::to_owned).collect();
    candidates.extend(bare(text).map(str::to_owned));
    let wrapped: Vec<String> = candidates.iter().filter_map(|text| in_json(text)).collect();
    wrapped.into_iter().chain(candidates).collect()
}

/// What stands between code fences, without the name of the language.
fn fenced(text: &str) -> Vec<&str> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks
        .map(|block| match block.split_once('\n') {
            Some((language, rest)) if !language.contains('{') => rest,
            _ => block,
        })
        .collect()
}

/// From the first line that begins an operation to the last bracket.
fn bare(text: &str) -> Option<&str> {
    let begins = |line: &str| {
        ["query", "mutation", "subscription", "fragment", "{"]
            .into_iter()
            .any(|keyword| line.trim_start().starts_with(keyword))
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if begins(line) {
            let end = text.rfind('}')?;
            return text.get(start..=end);
        }
        start += line.len();
    }
    None
}

/// `{"query": "…"}`, as one would send it.
fn in_json(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let document = ["query", "document"].into_iter().find_map(|key| value.get(key)?.as_str())?;
    Some(document.to_owned())
}

fn parse(text: &str) -> Result<Document, String> {
    let mut parser = Document::parser().recursion_limit(MAX_NESTING).token_limit(MAX_TOKENS);
    let document =
        parser.parse_ast(text, "answer.graphql").map_err(|refused| refused.errors.to_string())?;
    let is_operation =
        |definition: &Definition| matches!(definition, Definition::OperationDefinition(_));
    if document.definitions.iter().any(is_operation) {
        Ok(document)
    } else {
        Err("it holds no GraphQL operation".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        match read(text) {
            Answer::Document(document) => document.serialize().no_indent().to_string(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_document_is_found_wherever_it_stands() {
        for text in [
            "{ a }",
            "query { a }",
            "```graphql\n{ a }\n```",
            "```{ a }```",
            "Here you are:\n\n```\n{ a }\n```\nIt lists a.",
            "Here you are:\n{ a }\nIt lists a.",
            "<think>\n```\n{ b }\n```\n</think>\n```graphql\n{ a }\n```",
            "First I thought\n```graphql\n{ b }\n```\nbut better\n```graphql\n{ a }\n```",
            "```graphql\n{ a }\n```\nwith the variables\n```json\n{ \"b\": 1 }\n```",
            "```graphql\n{ a }",
            r#"{"query": "{ a }", "variables": {}}"#,
            "```json\n{\"document\": \"query { a }\"}\n```",
        ] {
            assert_eq!(found(text), "{ a }", "{text}");
        }
    }

    #[test]
    fn what_holds_none_says_why() {
        assert!(matches!(read(" nothing. "), Answer::Nothing));
        assert!(matches!(read("**NOTHING**"), Answer::Nothing));
        for text in
            ["", "I cannot do that.", "```", "```graphql\n{ a \n```", "fragment A on B { c }"]
        {
            assert!(matches!(read(text), Answer::Unreadable(_)), "{text}");
        }
        for deep in ["{a".repeat(10_000), format!("{{a(b:{}", "[".repeat(10_000))] {
            assert!(matches!(read(&deep), Answer::Unreadable(_)));
        }
    }
}
