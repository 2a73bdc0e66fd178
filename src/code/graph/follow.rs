//! Keeping the tables up to date while the tree changes.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use notify_debouncer_mini::{
    DebounceEventResult, Debouncer, new_debouncer,
    notify::{self, RecommendedWatcher, RecursiveMode},
};

use super::{CodeGraph, languages::Language};

/// A change counts when nothing more has happened for so long: a save takes
/// several steps, and a checkout changes many files.
const QUIET: Duration = Duration::from_millis(500);

/// Updates now and after every change, in a thread that lives as long as the
/// process.
pub fn follow(graph: &Arc<CodeGraph>) {
    let graph = Arc::clone(graph);
    thread::spawn(move || {
        // The watch begins before the first update, so that no change is missed.
        let (sender, changes) = mpsc::channel();
        let watching = watch(graph.root(), sender);
        if let Err(error) = &watching {
            tracing::warn!(%error, "the code is not watched; restart to see a change");
        }
        update(&graph);
        while changes.recv().is_ok() {
            update(&graph);
        }
    });
}

fn update(graph: &CodeGraph) {
    match graph.update(|_| {}) {
        Ok(report) => tracing::info!(
            files = report.files,
            parsed = report.parsed,
            removed = report.removed,
            failed = report.failed,
            seconds = report.time.as_secs_f32(),
            "the code index is up to date"
        ),
        Err(error) => tracing::error!(%error, "the code index is not up to date"),
    }
}

/// Sends a message where something changed that may concern the index.
fn watch(
    root: &Path,
    changes: mpsc::Sender<()>,
) -> Result<Debouncer<RecommendedWatcher>, notify::Error> {
    let changes = Mutex::new(changes);
    let mut debouncer = new_debouncer(QUIET, move |events: DebounceEventResult| {
        if events.is_ok_and(|events| events.iter().any(|event| concerns(&event.path))) {
            // Nobody listens any more only when the process ends.
            let _ = changes.lock().unwrap_or_else(PoisonError::into_inner).send(());
        }
    })?;
    debouncer.watcher().watch(root, RecursiveMode::Recursive)?;
    Ok(debouncer)
}

/// A file of a language that is read, a folder, or an ignore file. What is in a
/// folder that ignore files leave out costs a look at times and sizes.
fn concerns(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => Language::of_extension(extension).is_some(),
        None => name.ends_with("ignore") || path.is_dir() || !path.exists(),
    }
}
