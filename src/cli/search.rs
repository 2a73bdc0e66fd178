//! `sextant search`: a topic's hits, one a line.

use std::{
    io::{self, Write},
    sync::Arc,
};

use anstream::stdout;

use super::{
    CliError, open,
    page::{BOLD, DIM, NAME, TYPE, WARNING, first_sentence},
};
use crate::{
    config::Form,
    discovery::{Hit, Record, SearchRequest, SearchResponse},
    embedding::Embedder,
    index::Explanation,
    local::{Reader, Target},
};

/// Characters of a description on the line of its hit.
const DESCRIPTION: usize = 72;

pub fn run(
    target: Target,
    reader: &Reader,
    request: &SearchRequest,
    form: Form,
) -> Result<(), CliError> {
    request.check()?;
    let index = open(target, &reader.model)?.with_vocabulary(Arc::clone(&reader.vocabulary));
    let embedder = Embedder::load(&reader.model)?;
    index.check_model(embedder.identity())?;
    match form {
        Form::Json => {
            writeln!(stdout(), "{}", serde_json::json!(index.search(request, &embedder)?))?;
            Ok(())
        }
        Form::Page => print(&index.search(request, &embedder)?, &[]),
        Form::Explained => {
            let (answer, explanations) = index.explain(request, &embedder)?;
            print(&answer, &explanations)
        }
    }
}

fn print(answer: &SearchResponse, explanations: &[Explanation]) -> Result<(), CliError> {
    let mut out = stdout().lock();
    if answer.hits.is_empty() {
        writeln!(out, "Nothing matches. Say it in other words, or drop a filter.")?;
    }
    let longest = |width: fn(&Hit) -> usize| answer.hits.iter().map(width).max().unwrap_or(0);
    let coordinates = longest(|hit| hit.coordinate.chars().count());
    let types = longest(|hit| text(&hit.record, "TypeRef").chars().count());
    for Hit { coordinate, score, record } in &answer.hits {
        let (kind, path) = coordinate.split_once(':').unwrap_or(("", coordinate));
        let gap = " ".repeat(coordinates - coordinate.chars().count());
        let type_ref = text(record, "TypeRef");
        let description = first_sentence(text(record, "Description"), DESCRIPTION);
        write!(
            out,
            "{DIM}{score:.4}  {kind}:{DIM:#}{BOLD}{NAME}{path}{NAME:#}{BOLD:#}{gap}  {TYPE}{type_ref:types$}{TYPE:#}  "
        )?;
        if record.contains_key("DeprecationReason") {
            write!(out, "{WARNING}deprecated{WARNING:#} ")?;
        }
        writeln!(out, "{description}")?;
        if let Some(why) = explanations.iter().find(|why| why.coordinate == *coordinate) {
            explain(&mut out, why)?;
        }
    }
    Ok(())
}

/// Two lines: the ranks on each leg, and what each feature added.
fn explain(out: &mut impl Write, why: &Explanation) -> io::Result<()> {
    let place = |rank: Option<usize>| rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    writeln!(
        out,
        "        {DIM}rank by meaning {}, by words {}, of its type {}; read as a long prompt to {:.0} %{DIM:#}",
        place(why.meaning_rank),
        place(why.words_rank),
        place(why.type_rank),
        100.0 * why.prompt_share,
    )?;
    let added: Vec<String> =
        why.added.iter().map(|(name, share)| format!("{name} {share:+.1}")).collect();
    writeln!(out, "        {DIM}{}{DIM:#}", added.join(", "))
}

fn text<'a>(record: &'a Record, key: &str) -> &'a str {
    record.get(key).and_then(|value| value.as_str()).unwrap_or_default()
}
