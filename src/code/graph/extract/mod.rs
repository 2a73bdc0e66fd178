//! One file in, its definitions, imports and references out.
//!
//! One pass of the language's query collects events; sorted by where they
//! begin, they are replayed with a stack of what is open: definitions,
//! containers and scopes with the local names bound in them. Nothing here knows
//! of another file.

mod bindings;
mod definitions;
mod events;
mod reading;
mod references;

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::languages::{Language, Tags, imports::Import};
use reading::Reading;

/// How long one file may take. A file of 2 MB takes below half a second; one
/// that was made to be slow costs this much and is left out.
const PATIENCE: Duration = Duration::from_secs(5);
/// More names than any file of that size that people write.
const MAX_EVENTS: usize = 1_000_000;
/// Scopes and definitions inside one another; deeper ones are not opened.
const MAX_OPEN: usize = 256;
/// Half-matched patterns that are kept; a file that needs more is odd, and loses
/// matches rather than memory.
const MAX_PENDING_MATCHES: u32 = 4_096;

/// What a file holds.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The key of its module.
    pub module: String,
    /// Its definitions, the file itself first.
    pub symbols: Vec<Symbol>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What its types build on.
    pub bases: Vec<Base>,
    /// What it refers to, in order.
    pub references: Vec<Reference>,
    /// Which of its definitions resolve a field of a schema.
    pub resolvers: Vec<(usize, String)>,
}

/// A definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// The definition around it, by position.
    pub parent: Option<usize>,
    /// Its name.
    pub name: String,
    /// The names around it, joined by dots.
    pub scope: String,
    /// The type whose member it is.
    pub owner: Option<String>,
    /// What kind of definition it is.
    pub kind: &'static str,
    /// The line of its name, from 1.
    pub line: usize,
    /// Its first line.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// What it is, or gives where it is called, as a trail.
    pub gives: Option<String>,
    /// The decorators before it.
    pub decorators: Vec<String>,
}

/// A type and one that it builds on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The type's name.
    pub owner: String,
    /// The name of what it builds on.
    pub base: String,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It is called.
    Call = 0,
    /// It is used as a type.
    Type = 1,
    /// It is used as a value.
    Value = 2,
    /// It is imported.
    Import = 3,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name as it is defined, if an import renames it.
    pub name: String,
    /// What it is taken from, as a trail; empty for a bare name, `@x` for a bare
    /// name that is imported as `x`.
    pub receiver: String,
    /// How it is used.
    pub role: Role,
    /// The innermost definition around it, by position.
    pub within: usize,
    /// Its line, from 1.
    pub line: usize,
}

/// Reads a file.
///
/// # Errors
/// A reason in words where it cannot be read as its language.
pub fn extract(
    parser: &mut Parser,
    language: Language,
    path: &str,
    source: &str,
) -> Result<Parsed, String> {
    let tags = language.tags()?;
    let tree = parse(parser, tags, source)?;
    let mut reading = Reading::new(language, path, source);
    let events = reading.collect(tags, &tree)?;
    reading.replay(&events)?;
    Ok(reading.finish())
}

/// Parses a file alone.
///
/// # Errors
/// A reason in words where it takes too long.
pub fn parse(parser: &mut Parser, tags: &Tags, source: &str) -> Result<Tree, String> {
    parser.set_language(&tags.grammar).map_err(|error| error.to_string())?;
    parser.reset();
    let start = Instant::now();
    let mut in_time = |_: &ParseState| within(start);
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = source.as_bytes();
    parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or_else(|| format!("it takes longer than {} s to parse", PATIENCE.as_secs()))
}

fn within(start: Instant) -> ControlFlow<()> {
    if start.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Whether a kind of definition holds members.
#[must_use]
pub fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "enum" | "interface" | "trait")
}

/// The last name of a dotted path.
#[must_use]
pub fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
