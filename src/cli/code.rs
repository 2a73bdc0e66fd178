//! `sextant code`: the tree behind a graph, searched, indexed and asked.

use std::{
    io::{self, IsTerminal as _, Write},
    path::Path,
};

use anstream::{eprintln, stdout};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    CliError,
    page::{BOLD, DIM, NAME, TYPE, plain},
};
use crate::{
    code::{
        GraphQuery, RelationKind, SearchQuery, SearchResult,
        graph::{CodeGraph, GraphResult, Progress, Report},
        search::CodeSearch,
    },
    config::CodeCommand,
    index::Cache,
};

pub fn run(command: &CodeCommand) -> Result<(), CliError> {
    match command {
        CodeCommand::Index { root, cache } => index(root, cache),
        CodeCommand::Search { root, query, json } => search(root, query, *json),
        CodeCommand::Graph { root, cache, query, json } => graph(root, cache, query, *json),
    }
}

fn index(root: &Path, cache: &Cache) -> Result<(), CliError> {
    let (_, report) = up_to_date(root, cache)?;
    let mut out = stdout().lock();
    writeln!(
        out,
        "{BOLD}{:>8}  files{BOLD:#} in {:.1} s",
        report.files,
        report.time.as_secs_f32()
    )?;
    writeln!(out, "{:>8}  read anew, with {} definitions", report.parsed, report.symbols)?;
    if report.failed > 0 {
        writeln!(out, "{:>8}  could not be read", report.failed)?;
    }
    writeln!(out, "{:>8}  in {}", "", cache.code_graph(root).display())?;
    Ok(())
}

fn search(root: &Path, query: &SearchQuery, json: bool) -> Result<(), CliError> {
    let answer = CodeSearch::open(root)?.search(query)?;
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::json!(answer))?;
        return Ok(());
    }
    print_hits(&mut out, &answer)?;
    if answer.truncated {
        eprintln!("{DIM}there is more; raise --limit, or narrow with --glob or --language{DIM:#}");
    }
    Ok(())
}

fn print_hits(out: &mut impl Write, answer: &SearchResult) -> io::Result<()> {
    if answer.hits.is_empty() {
        writeln!(out, "Nothing matches. Look for less of it, or drop a filter.")?;
    }
    for hit in &answer.hits {
        let (path, snippet) = (plain(&hit.path), plain(&hit.snippet));
        writeln!(out, "{NAME}{path}{NAME:#}{DIM}:{}{DIM:#}  {snippet}", hit.line)?;
    }
    Ok(())
}

fn graph(root: &Path, cache: &Cache, query: &GraphQuery, json: bool) -> Result<(), CliError> {
    let (graph, _) = up_to_date(root, cache)?;
    let answer = graph.query(query)?;
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::json!(answer))?;
        return Ok(());
    }
    print_graph(&mut out, query.kind, &answer)?;
    if answer.truncated {
        eprintln!("{DIM}there is more than an answer holds; go fewer --hops{DIM:#}");
    }
    Ok(())
}

/// Definitions a line each; then relations a line each, by their places.
fn print_graph(out: &mut impl Write, kind: RelationKind, answer: &GraphResult) -> io::Result<()> {
    for node in &answer.nodes {
        let (name, location) = (plain(&node.name), plain(&node.location));
        writeln!(
            out,
            "{TYPE}{:>9}{TYPE:#}  {NAME}{name}{NAME:#}  {DIM}{location}{DIM:#}",
            node.kind
        )?;
    }
    if answer.edges.is_empty() {
        if answer.nodes.is_empty() {
            writeln!(out, "There is no code here of a language that is read.")?;
        } else if kind != RelationKind::Defines {
            writeln!(out, "Nothing else is related to it in this way.")?;
        }
        return Ok(());
    }
    writeln!(out)?;
    let name = |id: &str| {
        let node = answer.nodes.iter().find(|node| node.id == id);
        plain(node.map_or(id, |node| &node.name))
    };
    for edge in &answer.edges {
        writeln!(
            out,
            "{NAME}{}{NAME:#} {} {NAME}{}{NAME:#}  {DIM}{} ({}){DIM:#}",
            name(&edge.from),
            edge.kind,
            name(&edge.to),
            plain(&edge.location),
            serde_json::json!(edge.resolution).as_str().unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// The tree's graph, brought up to date with its progress shown.
fn up_to_date(root: &Path, cache: &Cache) -> Result<(CodeGraph, Report), CliError> {
    // It also says in the same words as a search that the root is no folder.
    let root = CodeSearch::open(root)?;
    let graph = CodeGraph::open(root.root(), &cache.code_graph(root.root()))?;
    let mut bar = None;
    let report = graph.update(|step| show(&mut bar, step))?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok((graph, report))
}

/// A progress bar on a terminal, nothing elsewhere: it takes seconds.
fn show(bar: &mut Option<ProgressBar>, step: Progress) {
    if step.total == 0 || !io::stderr().is_terminal() {
        return;
    }
    let bar = bar.get_or_insert_with(|| {
        let bar = ProgressBar::new(step.total as u64);
        match ProgressStyle::with_template("reading [{bar:40}] {pos} of {len} files, {eta} left") {
            Ok(style) => bar.with_style(style.progress_chars("=> ")),
            Err(_) => bar,
        }
    });
    bar.set_position(step.done as u64);
}
