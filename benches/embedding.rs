//! What the embedding model alone gives: `cargo bench --bench embedding -- TOPICS SECONDS`.
//!
//! Embeds the topics of a file, one a line, for that long, and prints how many it
//! embeds in a second. `scripts/load` measures the service against it, on the same
//! topics and cores.
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "it prints a figure")]
#![expect(clippy::expect_used, reason = "a figure that cannot be measured ends the run")]

use std::{
    env, fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use sextant::embedding::{Embedder, ModelSource};

fn main() {
    // cargo adds a flag of its own; without others it runs every benchmark there is.
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    let [file, seconds] = arguments.as_slice() else {
        println!("the model alone: give a file of topics and a number of seconds");
        return;
    };
    let topics = fs::read_to_string(file).expect("a file of topics");
    let topics: Vec<&str> = topics.lines().collect();
    let time = Duration::from_secs(seconds.parse().expect("a number of seconds"));
    let embedder = Embedder::load(&ModelSource::Bundled).expect("the bundled model loads");

    let next = AtomicUsize::new(0);
    let started = Instant::now();
    // As many callers as cores, so that no core waits for one that fetches the next topic.
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while started.elapsed() < time {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let topic = topics.get(at).expect("more topics than it embeds in that time");
                    embedder.embed_question(topic).expect("the model embeds");
                }
            });
        }
    });
    let count = u32::try_from(next.into_inner()).expect("a count of some minutes");
    println!("{:.1}", f64::from(count) / started.elapsed().as_secs_f64());
}
