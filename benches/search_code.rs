//! `search_code` beside ripgrep: `cargo bench --bench search_code`, a table of
//! ratios, each to `rg --json` with the same filters in the same run.
//!
//! The tree is one of 50,000 files or more: that named by `SEXTANT_BENCH_TREE`,
//! or the sources of the crates in Cargo's registry, linked as often as it takes.
//! `rg` must be installed (`cargo install ripgrep`).
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "it prints a table")]
#![expect(clippy::expect_used, reason = "a figure that cannot be measured ends the run")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The fewest files of the tree.
const FILES: usize = 50_000;
/// Of so many runs the median counts, after one that warms the system's cache.
const RUNS: usize = 7;
/// The most that a search may take, as a multiple of ripgrep's time.
const AT_MOST: f64 = 1.5;

/// Searches as both programs are asked for them: a name, a frequent keyword, a
/// text that is nowhere, a regex without a literal, and the contract's example.
const SEARCHES: [(&[&str], &[&str]); 5] = [
    (&["fn main"], &["-F", "fn main"]),
    (&["fn"], &["-F", "fn"]),
    (&["nowhere to be found"], &["-F", "nowhere to be found"]),
    (&["--regex", r"\w+_\w+\("], &[r"\w+_\w+\("]),
    (
        &["--regex", "--glob", "**/*.rs", "--language", "rust", "^impl .* for .*Backend$"],
        &["--glob", "**/*.rs", "--type", "rust", "^impl .* for .*Backend$"],
    ),
];

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = env::var_os("SEXTANT_BENCH_TREE").map(PathBuf::from);
    let tree = tree.unwrap_or_else(|| copies_of_the_registry(folder.path()));
    println!("{:<60} {:>9} {:>9} {:>7}", "search", "sextant", "rg --json", "ratio");
    let mut worst: f64 = 0.0;
    for (ours, rg) in SEARCHES {
        let (mut our_times, mut rg_times) = (Vec::new(), Vec::new());
        for run in 0..=RUNS {
            let ours = time(sextant(&tree, ours));
            let rg = time(ripgrep(&tree, rg));
            if run > 0 {
                our_times.push(ours);
                rg_times.push(rg);
            }
        }
        let (our_time, rg_time) = (median(our_times), median(rg_times));
        let ratio = our_time.as_secs_f64() / rg_time.as_secs_f64();
        worst = worst.max(ratio);
        println!("{:<60} {our_time:>9.2?} {rg_time:>9.2?} {ratio:>7.2}", ours.join(" "));
    }
    assert!(worst <= AT_MOST, "a search takes {worst:.2} times as long as ripgrep's");
}

fn sextant(tree: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sextant"));
    command.args(["code", "search", "--json", "--code"]).arg(tree).args(arguments);
    command
}

fn ripgrep(tree: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("rg");
    command.args(["--no-config", "--json", "--no-require-git", "--no-ignore-global"]);
    command.args(arguments).arg(tree);
    command
}

/// Runs a search to its end; ripgrep ends with 1 where it finds nothing.
fn time(mut command: Command) -> Duration {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status().expect("the program is installed");
    let took = started.elapsed();
    assert!(status.code().is_some_and(|code| code <= 1), "{command:?} fails");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Links the registry's sources as often as it takes.
fn copies_of_the_registry(folder: &Path) -> PathBuf {
    let home = env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(env::var_os("HOME").expect("a home folder")).join(".cargo"),
        PathBuf::from,
    );
    let mut files = 0;
    for copy in 0.. {
        let linked = link(&home.join("registry/src"), &folder.join(format!("copy{copy}")));
        assert!(linked > 0, "the registry holds no sources; name a tree with SEXTANT_BENCH_TREE");
        files += linked;
        if files >= FILES {
            break;
        }
    }
    folder.to_owned()
}

fn link(from: &Path, to: &Path) -> usize {
    let mut files = 0;
    for entry in walkdir::WalkDir::new(from).into_iter().filter_map(Result::ok) {
        let below = entry.path().strip_prefix(from).expect("a path below");
        let to = to.join(below);
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).expect("a folder");
        } else if entry.file_type().is_file() {
            let linked = fs::hard_link(entry.path(), &to);
            linked.or_else(|_| fs::copy(entry.path(), &to).map(|_| ())).expect("a copy");
            files += 1;
        }
    }
    files
}
