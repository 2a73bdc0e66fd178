//! The threads that build what the catalog's queue holds.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Instant,
};

use super::{catalog::Catalog, shelf::Order};
use crate::{engine::Engine, index::Cache, schema};

/// Starts this many threads that build one schema at a time each. They end when
/// the catalog drains, or with the process; what was in flight is begun again at
/// the next start.
pub fn start(catalog: &Arc<Catalog>, threads: usize) {
    for _ in 0..threads {
        let catalog = Arc::clone(catalog);
        thread::spawn(move || {
            while let Some(order) = catalog.next_order() {
                let started = Instant::now();
                // A schema that trips the program up costs its own graph alone.
                let outcome = catch_unwind(AssertUnwindSafe(|| build(&catalog, &order)))
                    .unwrap_or_else(|_| Err("the build broke off; see the log".to_owned()));
                match &outcome {
                    Ok(engine) => tracing::info!(
                        graph = %order.graph,
                        elements = engine.index.len(),
                        seconds = started.elapsed().as_secs_f32(),
                        "the index is ready"
                    ),
                    Err(reason) => {
                        tracing::error!(graph = %order.graph, reason, "the schema cannot be indexed");
                    }
                }
                catalog.metrics.built(outcome.is_ok(), started.elapsed());
                catalog.settle(&order, outcome);
            }
        });
    }
}

fn build(catalog: &Catalog, order: &Order) -> Result<Engine, String> {
    let embedder = catalog.embedder.get().ok_or("the model is not loaded")?;
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let sdl = order.store.read(&order.wanted).map_err(|error| text(&error))?;
    let schema = schema::parse_sdl(&sdl).map_err(|error| text(&error))?;
    drop(sdl);
    let cache = Cache::new(order.store.folder().to_owned());
    let (index, _) = cache
        .open_or_build(&schema, order.graph.as_str(), embedder, |_| {})
        .map_err(|error| text(&error))?;
    Ok(Engine::new(index.with_vocabulary(catalog.vocabulary()), Arc::clone(embedder)))
}
