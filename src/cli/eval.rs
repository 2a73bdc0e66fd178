//! `sextant eval`: figures of search on questions whose answers are known.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write},
    sync::Arc,
};

use anstream::stdout;
use serde_json::json;

use super::{CliError, index::Bar, page::BOLD};
use crate::{
    config::Evaluation,
    embedding::Embedder,
    eval::{self, Figures, Row},
    local::Reader,
    schema::{self, Source},
};

pub fn run(evaluation: &Evaluation, reader: &Reader) -> Result<(), CliError> {
    let Evaluation { data, schemas, only, features, cache } = evaluation;
    let rows = eval::read_rows(data)
        .map_err(|error| CliError::Rows { folder: data.clone(), reason: error.to_string() })?;
    let mut of_schema: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| only.is_empty() || only.contains(&row.schema)) {
        of_schema.entry(&row.schema).or_default().push(row);
    }
    if of_schema.is_empty() {
        let reason =
            "no row in its *.jsonl files is a prompt or a topic of a schema that is asked for";
        return Err(CliError::Rows { folder: data.clone(), reason: reason.into() });
    }
    let mut dump = features.as_ref().map(File::create).transpose()?.map(BufWriter::new);
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
        let figures = eval::measure(&index, &embedder, rows.iter().copied())?;
        print(name, &figures)?;
        all.merge(&figures);
        if let Some(dump) = &mut dump {
            for row in rows {
                let features = index.fit_row(&row.query, &embedder)?;
                let row = json!({ "schema": name, "query": row.query, "features": features });
                writeln!(dump, "{row}")?;
            }
        }
    }
    print("all", &all)
}

fn print(name: &str, figures: &Figures) -> Result<(), CliError> {
    let figures: Vec<String> =
        figures.means().map(|(name, mean)| format!("{name} {:.1}", 100.0 * mean)).collect();
    writeln!(stdout(), "{BOLD}{name}{BOLD:#}: {}", figures.join(", "))?;
    Ok(())
}
