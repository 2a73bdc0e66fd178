//! Bringing the tables up to date with the tree.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use ignore::WalkBuilder;
use sha2::{Digest as _, Sha256};
use tree_sitter::Parser;

use super::{
    super::CodeError,
    extract::extract,
    languages::Language,
    store::Store,
    write::{Fresh, Known, Writing, known, remove, touch},
};

/// A larger file is generated: of a million lines that people wrote, none is.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// Files that are written at once: a reader sees them half a second later, and a
/// transaction's own cost is spread over them.
const BATCH: usize = 256;
/// Files that wait to be written, at some 100 kB each.
const WAITING: usize = 64;
/// A file that changed less than this before it was read may change again
/// without a later time, since clocks of file systems tick.
const TICK: Duration = Duration::from_secs(1);
/// Bytes of a content's hash that are kept.
const HASH_BYTES: usize = 16;

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub done: usize,
    /// Files that have to be looked at.
    pub total: usize,
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files in the tree whose language is read.
    pub files: usize,
    /// Files that were read anew.
    pub parsed: usize,
    /// Files that are no longer there.
    pub removed: usize,
    /// Definitions in the files that were read anew.
    pub symbols: usize,
    /// Files that could not be read; they are there without definitions.
    pub failed: usize,
    /// How long it took.
    pub time: Duration,
}

/// A file in the tree.
struct Found {
    path: PathBuf,
    name: String,
    language: Language,
    size: u64,
    modified: i64,
}

/// What became of a file.
enum Outcome {
    Fresh(Box<Fresh>),
    Touched(i64, i64),
    Gone(i64),
    Nothing,
}

/// Brings the tables up to date with the tree under `root`.
///
/// # Errors
/// [`CodeError::Failed`] where the tree cannot be listed or the file not written.
pub fn update(
    root: &Path,
    store: &Store,
    mut progress: impl FnMut(Progress),
) -> Result<Report, CodeError> {
    let start = Instant::now();
    let mut writer = store.writer();
    let failed = |error: rusqlite::Error| store.failed(&error);
    let mut known = known(&writer).map_err(failed)?;
    let found = list(root)?;
    let mut report = Report { files: found.len(), ..Report::default() };
    let changed: Vec<(Found, Option<Known>)> = found
        .into_iter()
        .filter_map(|found| match known.remove(&found.name) {
            Some(known) if is_same(&found, &known) => None,
            known => Some((found, known)),
        })
        .collect();
    let total = changed.len();
    let mut writing = Writing::begin(&writer).map_err(failed)?;
    for gone in known.values() {
        report.removed += 1;
        let transaction = writer.transaction().map_err(failed)?;
        remove(&transaction, gone.id).and_then(|()| transaction.commit()).map_err(failed)?;
    }
    progress(Progress { done: 0, total });
    let next = AtomicUsize::new(0);
    thread::scope(|scope| -> rusqlite::Result<()> {
        let (sender, outcomes) = mpsc::sync_channel(WAITING);
        for _ in 0..threads(total) {
            let (sender, next, changed) = (sender.clone(), &next, &changed);
            scope.spawn(move || {
                let mut parser = Parser::new();
                while let Some((found, known)) = changed.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The writer has failed where nobody listens any more.
                    if sender.send(look(&mut parser, found, known.as_ref())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut outcomes = outcomes.into_iter();
        let mut done = 0;
        while done < total {
            let before = done;
            let transaction = writer.transaction()?;
            for outcome in outcomes.by_ref().take(BATCH) {
                done += 1;
                match outcome {
                    Outcome::Fresh(fresh) => {
                        report.parsed += 1;
                        report.failed += usize::from(fresh.parsed.is_err());
                        report.symbols += writing.file(&transaction, &fresh)?;
                    }
                    Outcome::Touched(file, modified) => touch(&transaction, file, modified)?,
                    Outcome::Gone(file) => {
                        report.removed += 1;
                        remove(&transaction, file)?;
                    }
                    Outcome::Nothing => {}
                }
                progress(Progress { done, total });
            }
            transaction.commit()?;
            if done == before {
                break;
            }
        }
        Ok(())
    })
    .map_err(failed)?;
    report.time = start.elapsed();
    Ok(report)
}

fn threads(files: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(files)
}

/// The files of the tree whose language is read, as ignore files leave them.
fn list(root: &Path) -> Result<Vec<Found>, CodeError> {
    let mut found = Vec::new();
    for entry in WalkBuilder::new(root).follow_links(false).require_git(false).build() {
        let entry = match entry {
            Ok(entry) => entry,
            // A folder that may not be read costs only itself; the root, everything.
            Err(error) if found.is_empty() && !root.is_dir() => {
                return Err(CodeError::Failed(format!("`{}`: {error}.", root.display())));
            }
            Err(error) => {
                tracing::debug!(%error, "a part of the tree is not read");
                continue;
            }
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let Some(language) = path
            .extension()
            .and_then(|extension| extension.to_str())
            .and_then(Language::of_extension)
        else {
            continue;
        };
        let (Ok(metadata), Some(name)) = (entry.metadata(), name(root, path)) else { continue };
        found.push(Found {
            name,
            language,
            size: metadata.len(),
            modified: metadata.modified().map(nanoseconds).unwrap_or_default(),
            path: entry.into_path(),
        });
    }
    Ok(found)
}

/// A path from the root, with `/`; `None` where it is no text.
fn name(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.iter().map(|part| part.to_str());
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn is_same(found: &Found, known: &Known) -> bool {
    found.size == known.size
        && found.modified == known.modified
        && found.language.name() == known.language
}

/// Looks at a file whose size or time is not what was known.
fn look(parser: &mut Parser, found: &Found, known: Option<&Known>) -> Outcome {
    let modified = settled(found.modified);
    let fresh = |hash, parsed| {
        Outcome::Fresh(Box::new(Fresh {
            path: found.name.clone(),
            language: found.language.name(),
            size: found.size,
            modified,
            hash,
            parsed,
        }))
    };
    if found.size > MAX_FILE_BYTES {
        let problem = format!("it is larger than {MAX_FILE_BYTES} bytes");
        return fresh(Vec::new(), Err(problem));
    }
    let content = match read(&found.path) {
        Ok(content) => content,
        Err(_) if !found.path.exists() => {
            return known.map_or(Outcome::Nothing, |known| Outcome::Gone(known.id));
        }
        Err(error) => return fresh(Vec::new(), Err(error.to_string())),
    };
    let mut hash = Sha256::digest(&content).to_vec();
    hash.truncate(HASH_BYTES);
    if let Some(known) = known
        && known.hash == hash
        && known.language == found.language.name()
        && known.size == found.size
    {
        return Outcome::Touched(known.id, modified);
    }
    let source = String::from_utf8_lossy(&content);
    fresh(hash, extract(parser, found.language, &found.name, &source))
}

/// A time that can be relied on later, else 0.
fn settled(modified: i64) -> i64 {
    let tick = i64::try_from(TICK.as_nanos()).unwrap_or(i64::MAX);
    if nanoseconds(SystemTime::now()) - modified > tick { modified } else { 0 }
}

/// Reads a file no further than it may be long; it may have grown since. A file
/// that has become a link since is not read.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file any more"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}
