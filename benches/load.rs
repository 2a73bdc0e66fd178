//! The service under load: `cargo bench --bench load`, figures for the README.
//!
//! It starts the release binary on GitHub's schema (`scripts/clients` fetches
//! it; `SEXTANT_BENCH_SCHEMA` names another), then asks over 64 connections for
//! `SEXTANT_LOAD_SECONDS` (60) each: searches that repeat, and searches of which
//! no two are alike. Beside them stands what the embedding model alone gives on
//! the same cores for distinct topics, which nothing can be faster than.
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "it prints a table")]
#![expect(clippy::expect_used, reason = "a figure that cannot be measured ends the run")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use sextant::embedding::{Embedder, ModelSource};
use ureq::Agent;

/// Connections at once.
const CONNECTIONS: usize = 64;

/// Topics; distinct ones are made by a number that is put behind.
const TOPICS: [&str; 8] = [
    "delete a branch",
    "pull requests with their review threads",
    "who is assigned to an issue",
    "sponsors of a maintainer",
    "workflow runs that failed",
    "license of a repository",
    "rate limit that remains",
    "discussions and their answers",
];

fn main() {
    let seconds = std::env::var("SEXTANT_LOAD_SECONDS").ok().and_then(|it| it.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(60));
    let embedder = Embedder::load(&ModelSource::Bundled).expect("the bundled model loads");
    let alone = alone(&embedder, time.min(Duration::from_secs(15)));
    drop(embedder);
    println!("the model alone, distinct topics: {alone:.0} a second");

    let folder = tempfile::tempdir().expect("a temporary folder");
    let service = Service::start(folder.path());
    service.upload(&schema());
    // Everything is warm before anything is measured.
    service.load(Duration::from_secs(2), |at| topic(at).to_owned());
    let repeated = service.load(time, |at| topic(at).to_owned());
    repeated.print("repeated topics");
    let distinct = service.load(time, distinct_topic);
    distinct.print("distinct topics");
    println!("distinct topics / the model alone: {:.2}", distinct.rate() / alone);
}

fn topic(at: usize) -> &'static str {
    TOPICS.get(at % TOPICS.len()).copied().unwrap_or_default()
}

fn distinct_topic(at: usize) -> String {
    format!("{} {at}", topic(at))
}

/// Topics that the model alone embeds in a second, one after another.
fn alone(embedder: &Embedder, time: Duration) -> f64 {
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < time {
        embedder.embed_question(&distinct_topic(done)).expect("the model embeds");
        done += 1;
    }
    figure(done) / started.elapsed().as_secs_f64()
}

struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sextant"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.join("data"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let url = lines
            .find_map(|line| Some(line.ok()?.split_once("listening on ")?.1.to_owned()))
            .expect("the service listens");
        // What it logs later must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        Self { child, url }
    }

    fn upload(&self, schema: &Path) {
        let sdl = fs::read(schema).expect("the schema is there");
        let place = format!("{}/v1/graphs/load", self.url);
        ureq::put(format!("{place}/schema")).send(&sdl[..]).expect("the schema is taken");
        loop {
            let mut answer = ureq::get(&place).call().expect("the graph is there");
            let text = answer.body_mut().read_to_string().expect("text");
            let status: Value = serde_json::from_str(&text).expect("JSON");
            match status.get("state").and_then(Value::as_str) {
                Some("ready") => return,
                Some("failed") => panic_with(&status),
                _ => thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    /// Asks as fast as it goes, for this long.
    fn load(&self, time: Duration, topic: impl Fn(usize) -> String + Sync) -> Load {
        let (next, errors) = (AtomicU64::new(0), AtomicU64::new(0));
        let before = self.memory();
        let started = Instant::now();
        let ask = || {
            let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
            let url = format!("{}/v1/graphs/load/search", self.url);
            let mut times = Vec::new();
            while started.elapsed() < time {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let query = topic(usize::try_from(at).unwrap_or_default());
                let body = json!({ "query": query }).to_string();
                let asked = Instant::now();
                let answer = agent.post(&url).content_type("application/json").send(body);
                let is_good = answer.is_ok_and(|mut answer| {
                    answer.status() == 200 && answer.body_mut().read_to_vec().is_ok()
                });
                times.push(asked.elapsed());
                if !is_good {
                    errors.fetch_add(1, Ordering::Relaxed);
                }
            }
            times
        };
        let mut times: Vec<Duration> = thread::scope(|scope| {
            let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().flat_map(|it| it.join().expect("no panic")).collect()
        });
        let took = started.elapsed();
        times.sort_unstable();
        let memory = (before, self.memory());
        Load { times, took, errors: errors.into_inner(), memory }
    }

    /// Resident memory in MiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
        kib / 1024
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came of asking for a while.
struct Load {
    /// How long each took, sorted.
    times: Vec<Duration>,
    took: Duration,
    errors: u64,
    /// Before and after, in MiB.
    memory: (u64, u64),
}

impl Load {
    fn rate(&self) -> f64 {
        figure(self.times.len()) / self.took.as_secs_f64()
    }

    fn percentile(&self, percent: usize) -> Duration {
        let at = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(at).copied().unwrap_or_default()
    }

    fn print(&self, name: &str) {
        let (p50, p99) = (self.percentile(50), self.percentile(99));
        println!(
            "{name}: {} answers, {:.0} a second, {} errors, p50 {p50:.1?}, p99 {p99:.1?} ({:.1} times), memory {} MiB, then {} MiB",
            self.times.len(),
            self.rate(),
            self.errors,
            p99.as_secs_f64() / p50.as_secs_f64(),
            self.memory.0,
            self.memory.1,
        );
    }
}

fn figure(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

fn panic_with(status: &Value) -> ! {
    println!("the index was not built: {status}");
    std::process::exit(1)
}

fn schema() -> PathBuf {
    std::env::var_os("SEXTANT_BENCH_SCHEMA").map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("target/clients/node_modules/@octokit/graphql-schema/schema.graphql")
        },
        PathBuf::from,
    )
}
