//! `sextant index`: builds a file, showing how far it is.

use std::{
    io::{IsTerminal as _, Write as _},
    path::Path,
};

use anstream::{eprintln, stdout};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::{
    CliError,
    page::{BOLD, DIM},
};
use crate::{
    embedding::{Embedder, ModelSource},
    index::{IndexFile, Order, Progress, Report, build},
    schema::{self, Source},
};

/// Plain progress lines, where no bar can be drawn, come at each tenth.
const PLAIN_STEPS: usize = 10;

pub fn run(source: &Source, out: &Path, model: &ModelSource) -> Result<(), CliError> {
    refuse_to_overwrite(source, out)?;
    let schema = schema::load(source)?;
    let embedder = Embedder::load(model)?;
    let previous = IndexFile::open(out).ok();
    let name = source.to_string();
    let order = Order {
        schema: &schema,
        source: &name,
        embedder: &embedder,
        previous: previous.as_ref(),
        path: out,
    };
    let mut bar = Bar::default();
    let report = build(order, |step| bar.show(step))?;
    bar.clear();
    summarise(&report, out)
}

/// A slip of the completion key should not cost anybody a schema.
fn refuse_to_overwrite(source: &Source, out: &Path) -> Result<(), CliError> {
    let source = source.watch_paths().and_then(|path| path.canonicalize().ok());
    match (source, out.canonicalize()) {
        (Some(source), Ok(out)) if source == out => Err(CliError::Overwrite(out)),
        _ => Ok(()),
    }
}

fn summarise(report: &Report, out: &Path) -> Result<(), CliError> {
    let mut page = stdout().lock();
    for (kind, count) in report.elements.iter().filter(|(_, count)| *count > 0) {
        writeln!(page, "{count:>8}  {DIM}{kind}{DIM:#}")?;
    }
    let total: usize = report.elements.iter().map(|(_, count)| count).sum();
    writeln!(page, "{BOLD}{total:>8}  elements{BOLD:#} in {:.1} s", report.time.as_secs_f32())?;
    writeln!(page, "{:>8}  texts embedded, {} reused", report.embedded, report.reused)?;
    writeln!(page, "{:>8}  in {}", HumanBytes(report.bytes).to_string(), out.display())?;
    Ok(())
}

/// A progress bar on a terminal, a line at each tenth elsewhere.
#[derive(Default)]
pub struct Bar {
    drawn: Option<ProgressBar>,
    told: usize,
}

impl Bar {
    pub fn show(&mut self, step: Progress) {
        match step {
            Progress::Embedding { total: 0, .. } => {}
            Progress::Embedding { done, total } if std::io::stderr().is_terminal() => {
                let bar = self.drawn.get_or_insert_with(|| new_bar(total));
                bar.set_position(done as u64);
            }
            Progress::Embedding { done, total } => {
                let tenth = done * PLAIN_STEPS / total;
                if tenth > self.told {
                    self.told = tenth;
                    eprintln!("embedding: {done} of {total} texts");
                }
            }
            Progress::Writing => {
                if let Some(bar) = &self.drawn {
                    bar.set_message("writing");
                }
            }
        }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.drawn {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) =
        ProgressStyle::with_template("{msg} [{bar:40}] {pos} of {len} texts, {eta} left")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message("embedding");
    bar
}
