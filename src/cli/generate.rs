//! `sextant generate`: an operation to copy, and what its variables are.

use std::{
    io::{self, Write},
    sync::Arc,
};

use anstream::stdout;
use anstyle::Style;
use indicatif::ProgressBar;
use serde_json::Value;

use super::{
    CliError, open,
    page::{BOLD, DIM, NAME, TYPE, WARNING, plain},
};
use crate::{
    config::Order,
    discovery::{GenerateResponse, GeneratedQuery, Progress},
    embedding::Embedder,
    generate::{
        self,
        llm::{Commission, LanguageModel},
    },
    local::{Reader, Target},
};

/// Words that GraphQL itself gives a meaning.
const KEYWORDS: [&str; 4] = ["query", "mutation", "subscription", "on"];

pub fn run(target: Target, reader: &Reader, order: Order, json: bool) -> Result<(), CliError> {
    let Order { request, endpoint, language_model } = order;
    generate::check(&request)?;
    let language_model =
        language_model.map(LanguageModel::new).transpose().map_err(CliError::Start)?;
    let index = open(target, &reader.model)?.with_vocabulary(Arc::clone(&reader.vocabulary));
    let embedder = Embedder::load(&reader.model)?;
    index.check_model(embedder.identity())?;
    let answer = match language_model {
        None => generate::generate(&index, &embedder, &request, endpoint.as_deref())?,
        Some(model) => {
            let place = (&Arc::new(index), &Arc::new(embedder));
            write(&model, Commission::of(place, &request, endpoint, model.tokens())?)?
        }
    };
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::json!(answer))?;
    } else {
        print(&mut out, &answer)?;
    }
    Ok(())
}

/// Waits for a language model, and shows on a terminal that it is at work.
fn write(model: &LanguageModel, commission: Commission) -> Result<GenerateResponse, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Start(error.to_string()))?;
    let spinner = ProgressBar::new_spinner();
    let answer = runtime.block_on(model.write(commission, &{
        let spinner = spinner.clone();
        move |step: Progress| {
            spinner.set_message(step.message);
            spinner.tick();
        }
    }));
    spinner.finish_and_clear();
    Ok(answer)
}

fn print(out: &mut impl Write, answer: &GenerateResponse) -> io::Result<()> {
    for query in &answer.queries {
        print_query(out, query)?;
    }
    for reason in &answer.unsatisfied {
        writeln!(out, "{WARNING}unsatisfied{WARNING:#}: {}", plain(reason))?;
    }
    let steps = answer.guidance.iter().flat_map(|guidance| &guidance.next_steps);
    for step in steps {
        writeln!(out, "{DIM}# {}{DIM:#}", plain(step))?;
    }
    Ok(())
}

fn print_query(out: &mut impl Write, query: &GeneratedQuery) -> io::Result<()> {
    writeln!(out, "{DIM}# {}{DIM:#}", plain(&query.description))?;
    for line in query.document.lines() {
        writeln!(out, "{}", highlighted(line))?;
    }
    if query.variables_schema.contains_key("properties") {
        let schema = Value::from(query.variables_schema.clone());
        writeln!(out, "\n{BOLD}variables{BOLD:#} {schema:#}")?;
    }
    writeln!(out)
}

/// Colours a line of a document: keywords, variables and names of types.
fn highlighted(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let begin = usize::from(first == '$');
        let length = rest.get(begin..).and_then(|tail| tail.find(|letter| !is_name(letter)));
        let end = length.map_or(rest.len(), |length| begin + length);
        if end == 0 {
            out.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let style = match first {
            '$' => NAME,
            _ if KEYWORDS.contains(&word) => BOLD,
            'A'..='Z' => TYPE,
            _ => Style::new(),
        };
        out.extend([
            style.render().to_string().as_str(),
            word,
            style.render_reset().to_string().as_str(),
        ]);
        rest = tail;
    }
    out
}
