//! `sextant search`: a topic's hits, one a line.

use std::io::Write as _;

use anstream::stdout;

use super::{
    CliError, open,
    page::{BOLD, DIM, NAME, TYPE, WARNING, first_sentence},
};
use crate::{
    config::Target,
    discovery::{Hit, Record, SearchRequest, SearchResponse},
    embedding::{Embedder, ModelSource},
};

/// Characters of a description on the line of its hit.
const DESCRIPTION: usize = 72;

pub fn run(
    target: Target,
    model: &ModelSource,
    request: &SearchRequest,
    json: bool,
) -> Result<(), CliError> {
    request.check()?;
    let index = open(target, model)?;
    index.check_model(&model.identity()?)?;
    let answer = index.search(request, &Embedder::load(model)?)?;
    if json {
        writeln!(stdout(), "{}", serde_json::json!(answer))?;
    } else {
        print(&answer)?;
    }
    Ok(())
}

fn print(answer: &SearchResponse) -> Result<(), CliError> {
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
    }
    Ok(())
}

fn text<'a>(record: &'a Record, key: &str) -> &'a str {
    record.get(key).and_then(|value| value.as_str()).unwrap_or_default()
}
