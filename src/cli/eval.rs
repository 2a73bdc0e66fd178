//! `sextant eval`: figures of search and generation on questions whose answers
//! are known.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anstream::stdout;
use serde_json::json;

use super::{CliError, index::Bar, page::BOLD};
use crate::{
    config::Evaluation,
    embedding::Embedder,
    eval::{self, Figures, Row},
    generate::{Weights, fit_row},
    local::Reader,
    schema::{self, Source},
};

pub fn run(evaluation: &Evaluation, reader: &Reader) -> Result<(), CliError> {
    let Evaluation { data, schemas, only, features, plan_features, plan_weights, cache } =
        evaluation;
    let rows = eval::read_rows(data)
        .map_err(|error| CliError::Rows { folder: data.clone(), reason: error.to_string() })?;
    let mut of_schema: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| only.is_empty() || only.contains(&row.schema)) {
        of_schema.entry(&row.schema).or_default().push(row);
    }
    if of_schema.is_empty() {
        let reason = "no row in its *.jsonl files is a prompt, a topic or an operation of a schema that is asked for";
        return Err(CliError::Rows { folder: data.clone(), reason: reason.into() });
    }
    let weights = plan_weights.as_deref().map(read_weights).transpose()?;
    let weights = weights.as_ref().unwrap_or(Weights::bundled());
    let mut of_search = create(features.as_ref())?;
    let mut of_plans = create(plan_features.as_ref())?;
    let embedder = Embedder::load(&reader.model)?;
    let mut all = Figures::default();
    for (name, rows) in of_schema {
        let source = Source::Path(schemas.join(format!("{name}.graphql")));
        let schema = schema::load(&source)?;
        let mut bar = Bar::default();
        let (index, _) =
            cache.open_or_build(&schema, &source.to_string(), &embedder, |step| bar.show(step))?;
        bar.clear();
        let index = index.with_vocabulary(Arc::clone(&reader.vocabulary));
        // Whoever fits the planner's weights reads its figures in the fit.
        if plan_features.is_none() {
            let figures = eval::measure(&index, &embedder, rows.iter().copied())?;
            print(name, &figures)?;
            all.merge(&figures);
        }
        for row in rows {
            let query = &row.query;
            if let Some(dump) = &mut of_search
                && row.is_of_search()
            {
                let features = index.fit_row(query, &embedder)?;
                let row = json!({ "schema": name, "query": query, "features": features });
                writeln!(dump, "{row}")?;
            }
            if let (Some(dump), Some(reference)) = (&mut of_plans, &row.reference) {
                let features = fit_row(&index, &embedder, (query, &reference.used()), weights)?;
                let row = json!({ "schema": name, "query": query, "features": features });
                writeln!(dump, "{row}")?;
            }
        }
    }
    if plan_features.is_none() {
        print("all", &all)?;
    }
    Ok(())
}

/// The planner's weights in a file.
fn read_weights(path: &Path) -> Result<Weights, CliError> {
    Weights::read(path)
        .map_err(|error| CliError::Weights { file: path.to_owned(), reason: error.to_string() })
}

fn create(file: Option<&PathBuf>) -> io::Result<Option<BufWriter<File>>> {
    Ok(file.map(File::create).transpose()?.map(BufWriter::new))
}

fn print(name: &str, figures: &Figures) -> Result<(), CliError> {
    let figures: Vec<String> =
        figures.means().map(|(name, mean)| format!("{name} {:.1}", 100.0 * mean)).collect();
    writeln!(stdout(), "{BOLD}{name}{BOLD:#}: {}", figures.join(", "))?;
    Ok(())
}
