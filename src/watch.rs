//! Tells of every change of a schema's files.

use std::{fs, path::Path, sync::mpsc, thread, time::Duration};

use notify_debouncer_mini::notify::{
    self, Event, EventKind, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode},
};

use crate::schema::Source;

/// A file is saved in several steps, and editors differ; a change counts when
/// nothing more has happened for so long.
const QUIET: Duration = Duration::from_millis(300);

/// Sends a message for every change of the source's files. Editors replace a
/// file rather than write it, so its folder is watched.
pub fn changes(
    source: &Source,
    changes: mpsc::Sender<()>,
) -> Result<Option<impl Send + use<>>, notify::Error> {
    let Some(path) = source.watch_paths() else {
        return Ok(None);
    };
    // A file that is not there yet has a folder all the same.
    let (folder, mode) = match (path.parent(), path.file_name()) {
        (Some(parent), Some(_)) if !path.is_dir() => {
            let here = parent.as_os_str().is_empty();
            (if here { Path::new(".") } else { parent }, RecursiveMode::NonRecursive)
        }
        _ => (path, RecursiveMode::Recursive),
    };
    let folder = folder.canonicalize()?;
    let path = match path.file_name() {
        Some(name) if mode == RecursiveMode::NonRecursive => folder.join(name),
        _ => folder.clone(),
    };
    let (sender, writes) = mpsc::channel();
    // The file of a mounted `ConfigMap` is a link through another link beside it, and
    // that one is swung: no event names the file, and yet it is another.
    let mut target = fs::canonicalize(&path).ok();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let Some(event) = event.ok().filter(|event| is_write(event.kind)) else {
            return;
        };
        let found = fs::canonicalize(&path).ok();
        if event.paths.iter().any(|it| it.starts_with(&path)) || found != target {
            target = found;
            // Nobody listens any more only when the process ends.
            let _ = sender.send(());
        }
    })?;
    watcher.watch(&folder, mode)?;
    thread::spawn(move || {
        while writes.recv().is_ok() {
            while writes.recv_timeout(QUIET).is_ok() {}
            if changes.send(()).is_err() {
                return;
            }
        }
    });
    Ok(Some(watcher))
}

/// Whoever reads the schema opens it, which is no change: who took it for one
/// would read again for ever.
fn is_write(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, DataChange, ModifyKind};

    #[test]
    fn reading_is_no_change() {
        assert!(!is_write(EventKind::Access(AccessKind::Open(AccessMode::Any))));
        assert!(!is_write(EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(is_write(EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(is_write(EventKind::Modify(ModifyKind::Data(DataChange::Any))));
        assert!(is_write(EventKind::Create(CreateKind::File)));
    }
}
