//! The figures of `query_graph`: `cargo bench --bench code`, a table of ratios.
//!
//! It copies sources of crates from cargo's own folder, a million lines
//! (`SEXTANT_BENCH_CODE` names another folder), and measures each figure against
//! something in the same run, since the machines this runs on differ and are
//! seldom quiet. Takes a minute or two.
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "it prints a table")]
#![expect(clippy::expect_used, reason = "a figure that cannot be measured ends the run")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use sextant::code::{
    GraphQuery, RelationKind,
    graph::{CodeGraph, MAX_FILE_BYTES, languages::Language},
};
use tree_sitter::Parser;
use walkdir::WalkDir;

/// As many lines as the issue speaks of.
const LINES: usize = 1_000_000;
/// Symbols that are asked about: every so many-th of all, so that all crates have some.
const SYMBOLS: usize = 300;
/// Rounds of one question, of which the quickest counts.
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (tree, index) = (folder.path().join("tree"), folder.path().join("code.sqlite"));
    let (files, lines) = copy_sources(&tree);
    println!("{lines} lines in {} files\n", files.len());

    let parsing = parse_all(&files);
    let graph = CodeGraph::open(&tree, &index).expect("a graph");
    let (indexing, report) = time(|| graph.update(|_| {}).expect("an index"));
    assert_eq!(report.parsed, files.len(), "every file is read");

    let changed = files.get(files.len() / 2).expect("a file");
    let mut text = fs::read_to_string(changed).expect("a file");
    text.push('\n');
    fs::write(changed, text).expect("a changed file");
    let (again, report) = time(|| graph.update(|_| {}).expect("an index"));
    assert_eq!(report.parsed, 1, "only what changed is read");

    let mut ratios = Vec::new();
    for target in symbols(&index) {
        for kind in [RelationKind::Callers, RelationKind::Callees, RelationKind::References] {
            let ask = |hops| {
                let query = GraphQuery { target: target.clone(), kind, max_hops: Some(hops) };
                let times = (0..ROUNDS).map(|_| time(|| graph.query(&query).expect("an answer")));
                times.min_by_key(|(time, _)| *time).expect("a round")
            };
            let (one, answer) = ask(1);
            if answer.edges.is_empty() {
                continue;
            }
            ratios.push(ratio(ask(3).0, one));
        }
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied().expect("an answer with an edge");

    println!("parsing {parsing:.1?}, index {indexing:.1?}, after one change {again:.2?}\n");
    println!("{:<55} {:>9} {:>9}", "figure", "measured", "at most");
    let rows = [
        ("index / tree-sitter alone on the same files", ratio(indexing, parsing), 3.0),
        ("index after one changed file / index", ratio(again, indexing), 0.02),
        ("3 hops / 1 hop, median of symbols with an edge", middle, 5.0),
    ];
    for (figure, measured, limit) in rows {
        let over = if measured > limit { "  over" } else { "" };
        println!("{figure:<55} {measured:>9.3} {limit:>9.3}{over}");
    }
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn language(path: &Path) -> Option<Language> {
    Language::of_extension(path.extension()?.to_str()?)
}

/// Copies source files until there are enough lines; their paths, and the lines.
fn copy_sources(tree: &Path) -> (Vec<PathBuf>, usize) {
    let cargo = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let from = std::env::var_os("SEXTANT_BENCH_CODE")
        .map(PathBuf::from)
        .or_else(|| Some(cargo?.join("registry/src")))
        .expect("SEXTANT_BENCH_CODE, CARGO_HOME or HOME is set");
    let (mut files, mut lines) = (Vec::new(), 0);
    for entry in WalkDir::new(&from).sort_by_file_name().into_iter().flatten() {
        let path = entry.path();
        if language(path).is_none() || path.components().any(|part| is_hidden(part.as_os_str())) {
            continue;
        }
        let Ok(text) = fs::read_to_string(path) else { continue };
        // Bindings that a program wrote are no code that people navigate.
        if text.len() as u64 > MAX_FILE_BYTES || path.to_string_lossy().contains("windows") {
            continue;
        }
        let to = tree.join(path.strip_prefix(&from).expect("below the folder"));
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::write(&to, &text).expect("a copy");
        lines += text.lines().count();
        files.push(to);
        if lines >= LINES {
            break;
        }
    }
    (files, lines)
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

/// Reads and parses all files, on as many threads as an index does.
fn parse_all(files: &[PathBuf]) -> Duration {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let parse = || {
        let mut parser = Parser::new();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tags = language(path).expect("a language").tags().expect("its grammar");
            parser.set_language(&tags.grammar).expect("its grammar");
            let text = fs::read(path).expect("a file");
            parser.parse(&text, None).expect("a tree");
        }
    };
    time(|| thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(parse))))).0
}

/// The places of functions and methods all over the index.
fn symbols(index: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(index).expect("the index");
    let mut statement = connection
        .prepare("SELECT location FROM listing WHERE kind IN ('function', 'method')")
        .expect("a view");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    let all: Vec<String> = rows.collect::<Result<_, _>>().expect("rows");
    let step = (all.len() / SYMBOLS).max(1);
    all.into_iter().step_by(step).collect()
}
