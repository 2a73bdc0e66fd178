//! The figures of the README: `cargo bench`, a table of ratios.
//!
//! Every figure is a ratio to something measured in the same run, since the
//! machines this runs on differ and are seldom quiet. It drives the release
//! binary as a user would, on GitHub's schema (`scripts/clients` fetches it;
//! `SEXTANT_BENCH_SCHEMA` names another). Takes a few minutes: two of them are
//! the cold index and the model alone on the same texts.
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "it prints a table")]
#![expect(clippy::expect_used, reason = "a figure that cannot be measured ends the run")]

mod stages;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use sextant::{
    discovery::GenerateRequest,
    embedding::{Embedder, ModelSource},
    generate::generate,
    index::Index,
};

/// Topics of different lengths, in a user's words.
const TOPICS: [&str; 24] = [
    "delete a branch",
    "how many stars does it have",
    "pull requests with their review threads and whether each is resolved",
    "who is assigned to an issue",
    "add a reaction to a comment",
    "sponsors of a maintainer",
    "workflow runs that failed",
    "commit history of the main branch over the last two weeks with authors",
    "block a user from an organisation",
    "license of a repository",
    "list of packages in an organization",
    "enable two factor authentication",
    "security advisories that affect a package",
    "merge a pull request",
    "release notes",
    "the signed-in user",
    "discussions and their answers",
    "topics of a repository",
    "move a card to another column",
    "rate limit that remains",
    "lock a conversation",
    "languages a repository is written in",
    "gists of a user, with their files and comments",
    "transfer an issue to another repository",
];

/// Requests for operations, from keywords to long sentences.
const PROMPTS: [&str; 24] = [
    "Show the open issues of a repository with their authors and labels.",
    "pull requests review threads resolved",
    "Create an issue with a title and a body.",
    "the signed-in user's login and email",
    "How many stars does a repository have?",
    "List the first 20 releases of a repository with tag name and publish date.",
    "Delete a branch.",
    "Add a comment to a discussion.",
    "members of an organization with their roles",
    "Show me the commit history of the main branch, including author and message of each commit.",
    "Merge a pull request with a commit headline.",
    "languages of a repository by size",
    "Which projects does an organization have, with the fields and items of each?",
    "Lock an issue because it is off topic.",
    "followers of a user",
    "security vulnerabilities of a package with severity and first patched version",
    "Star a repository.",
    "search for users by name and get their bio and company",
    "Who has reviewed a pull request, and with which state?",
    "gists of a user with their files",
    "Transfer an issue to another repository.",
    "rate limit remaining and reset time",
    "Request reviews from users on a pull request.",
    "sponsors of a maintainer, with tier and monthly price",
];

/// The stages of an operation, as `generate` names its spans.
const STAGES: [&str; 5] = ["reading", "retrieval", "planning", "writing", "proof"];

fn main() {
    if std::env::args().any(|argument| argument == "--load-model") {
        Embedder::load(&ModelSource::Bundled).expect("the bundled model loads");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let schema = schema();
    let index = folder.path().join("github.sqlite");
    let embedder = Embedder::load(&ModelSource::Bundled).expect("the bundled model loads");
    let mut table = Table::default();

    let (cold, build_memory) = build(&schema, &index);
    let texts = texts(&index);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (alone, _) = time(|| embedder.embed_all(&texts, |_| {}).expect("the model embeds"));
    table.row("cold index / the model alone on its texts", ratio(cold, alone), 1.3);

    let changed = folder.path().join("changed.graphql");
    fs::write(&changed, change_one_description(&schema)).expect("a copy of the schema");
    let (rebuild, _) = build(&changed, &index);
    table.row("rebuild after one changed description / cold", ratio(rebuild, cold), 0.05);

    let load = median((0..5).map(|_| load_model()).collect());
    let first = median((0..5).map(|_| Server::start(&index).1).collect());
    table.row("first search of a server / loading the model alone", ratio(first, load), 2.0);

    let (mut server, _) = Server::start(&index);
    let (mut embedding, mut search, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for topic in TOPICS {
        embedding.push(time(|| embedder.embed_question(topic).expect("the model embeds")).0);
        search.push(server.search(topic));
        again.push(server.search(topic));
    }
    let embedding = median(embedding);
    let uncached = median(search.clone());
    table.row("search, median / embedding its query", ratio(uncached, embedding), 4.0);
    table.row(
        "search, 95th percentile / embedding its query",
        ratio(percentile(search, 95), embedding),
        6.0,
    );
    table.row("the same search again / the first time", ratio(median(again), uncached), 0.5);

    // The first operation of a server parses the schema, which later ones share.
    server.generate("repositories");
    let generation: Vec<Duration> = PROMPTS.map(|prompt| server.generate(prompt)).to_vec();
    table.row(
        "generate_query, 95th percentile / a search",
        ratio(percentile(generation.clone(), 95), uncached),
        25.0,
    );

    let coordinates = some_coordinates(&index, 100);
    let symbols = median((0..20).map(|_| server.symbols(&coordinates)).collect());
    table.row("get_symbols of 100 coordinates / a search", ratio(symbols, uncached), 1.0);
    table.row("peak memory serving, MB", server.peak_memory(), 250.0);
    table.row("peak memory building, MB", build_memory, 500.0);
    table.row(
        "size of the index, MB",
        megabytes(fs::metadata(&index).expect("the index").len()),
        50.0,
    );

    println!("\nOn {} cores; {} distinct texts; medians:", cores(), texts.len());
    println!("  cold index {cold:.1?}, model alone {alone:.1?}, rebuild {rebuild:.2?}");
    println!("  model load {load:.0?}, first search {first:.0?}");
    println!(
        "  embedding of a query {embedding:.2?}, search {uncached:.2?}, 100 symbols {symbols:.2?}"
    );
    println!(
        "  operation {:.2?}; the mean by stage: {}\n",
        median(generation),
        by_stage(&index, &embedder)
    );
    table.print();
}

/// Rows of a figure's name, what was measured, and the most it should be.
#[derive(Default)]
struct Table(Vec<(&'static str, f64, f64)>);

impl Table {
    fn row(&mut self, name: &'static str, measured: f64, limit: f64) {
        self.0.push((name, measured, limit));
    }

    fn print(&self) {
        println!("{:<55} {:>9} {:>9}", "figure", "measured", "at most");
        for (name, measured, limit) in &self.0 {
            let over = if measured > limit { "  over" } else { "" };
            println!("{name:<55} {measured:>9.2} {limit:>9.2}{over}");
        }
    }
}

/// A server over standard input and output, and its answers' times.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Server {
    /// Starts a server; the time is from its start to its first answer.
    fn start(index: &Path) -> (Self, Duration) {
        let started = Instant::now();
        let mut process = Command::new(env!("CARGO_BIN_EXE_sextant"))
            .args(["mcp", "--log", "error", "--index"])
            .arg(index)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut server = Self { process, input, output, requests: 0 };
        server.request(
            "initialize",
            &serde_json::json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "figures", "version": "1" },
            }),
        );
        writeln!(server.input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#)
            .expect("a pipe");
        server.search("what comes first");
        (server, started.elapsed())
    }

    fn search(&mut self, topic: &str) -> Duration {
        self.call("search_schema", &serde_json::json!({ "query": topic }), "hits")
    }

    fn symbols(&mut self, coordinates: &[String]) -> Duration {
        self.call("get_symbols", &serde_json::json!({ "coordinates": coordinates }), "symbols")
    }

    fn generate(&mut self, prompt: &str) -> Duration {
        self.call("generate_query", &serde_json::json!({ "prompt": prompt }), "queries")
    }

    fn call(&mut self, tool: &str, arguments: &serde_json::Value, list: &str) -> Duration {
        let (time_taken, answer) = time(|| {
            self.request("tools/call", &serde_json::json!({ "name": tool, "arguments": arguments }))
        });
        let found = answer.pointer(&format!("/result/structuredContent/{list}"));
        assert!(
            found.is_some_and(|list| list != &serde_json::json!([])),
            "{tool} answered {answer}"
        );
        time_taken
    }

    fn request(&mut self, method: &str, params: &serde_json::Value) -> serde_json::Value {
        self.requests += 1;
        let request = serde_json::json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        writeln!(self.input, "{request}").expect("a pipe");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("an answer in JSON")
    }

    fn peak_memory(&self) -> f64 {
        peak_memory(self.process.id()).unwrap_or(f64::NAN)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// How long the stages of an operation take on average, as a line to print.
fn by_stage(index: &Path, embedder: &Embedder) -> String {
    let index = Index::open(index).expect("the index opens");
    let generate_all = |suffix: &str| {
        for prompt in PROMPTS {
            // Another wording each time: vectors of questions are remembered.
            let request = GenerateRequest::new(format!("{prompt}{suffix}"));
            let answer = generate(&index, embedder, &request, None).expect("the index is read");
            assert!(!answer.queries.is_empty(), "nothing for {prompt}");
        }
    };
    generate_all(" ");
    let mut total = Duration::ZERO;
    let times = stages::time(|| total = time(|| generate_all("  ")).0);
    let count = u32::try_from(PROMPTS.len()).expect("a few prompts");
    let mut parts: Vec<String> = Vec::new();
    for stage in STAGES {
        let taken = *times.get(stage).expect("a span of this name");
        total = total.saturating_sub(taken);
        parts.push(format!("{stage} {:.2?}", taken / count));
    }
    parts.push(format!("the rest {:.2?}", total / count));
    parts.join(", ")
}

/// Builds an index with the binary; returns the time and the peak memory in MB.
fn build(schema: &Path, out: &Path) -> (Duration, f64) {
    let started = Instant::now();
    let mut process = Command::new(env!("CARGO_BIN_EXE_sextant"))
        .args(["index", "--log", "error", "--out"])
        .args([out, schema])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut peak = f64::NAN;
    while process.try_wait().expect("the process").is_none() {
        peak = peak_memory(process.id()).unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(process.wait().expect("the process").success(), "the index is built");
    (started.elapsed(), peak)
}

/// Loads the model in a fresh process, as a server does.
fn load_model() -> Duration {
    let bench = std::env::current_exe().expect("this program");
    let (took, status) =
        time(|| Command::new(bench).arg("--load-model").env("ORT_DISABLE_TELEMETRY", "1").status());
    assert!(status.expect("this program").success(), "the model loads");
    took
}

/// What the kernel calls the high-water mark of a process, in MB; Linux only.
fn peak_memory(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1_000.0)
}

fn schema() -> PathBuf {
    let of_npm = "target/clients/node_modules/@octokit/graphql-schema/schema.graphql";
    let path = std::env::var_os("SEXTANT_BENCH_SCHEMA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(of_npm), PathBuf::from);
    assert!(
        path.exists(),
        "{} is missing; run ./scripts/clients, or name a schema with SEXTANT_BENCH_SCHEMA",
        path.display()
    );
    path
}

/// Every text that a build embeds.
fn texts(index: &Path) -> Vec<String> {
    query(index, "SELECT text FROM element UNION SELECT name FROM name_vector")
}

fn some_coordinates(index: &Path, count: usize) -> Vec<String> {
    query(index, &format!("SELECT coordinate FROM element ORDER BY text_hash LIMIT {count}"))
}

fn query(index: &Path, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(index).expect("an index");
    let mut statement = connection.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}

fn change_one_description(schema: &Path) -> String {
    let sdl = fs::read_to_string(schema).expect("a schema");
    let (before, after) = sdl.split_once("Lookup a given repository").expect("a description");
    format!("{before}Find a given repository{after}")
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed(), result)
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn median(times: Vec<Duration>) -> Duration {
    percentile(times, 50)
}

fn percentile(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get(last * percent / 100).copied().unwrap_or_default()
}

fn megabytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a file of far less than 2^52 bytes")]
    let bytes = bytes as f64;
    bytes / 1e6
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(0, Into::into)
}
