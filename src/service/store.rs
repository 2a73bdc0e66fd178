//! What the service keeps of a graph on disk: a folder with its index files, a
//! ledger of the state that it is in, and the schema that waits to be built.
//!
//! Whatever is written is written beside its place, brought to disk and renamed,
//! so that a kill at any moment leaves the old or the new. What it leaves over
//! is swept away at the next start.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::contract::GraphName;

/// The ledger's file.
const LEDGER: &str = "graph.json";

/// How folders of deleted graphs begin until they are gone. No graph's name
/// begins with a dot.
const DELETED: &str = ".deleted-";

/// The ending of a file that is not in its place yet.
const UNFINISHED: &str = "unfinished";

/// The state of a graph, as far as it survives a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Ledger {
    /// The hash of the schema whose index answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
    /// The schema that is to be built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// The hash of the schema whose index was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<String>,
    /// What came of the latest schema, where it could not be indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// A schema that is to be built.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Wanted {
    /// Its hash.
    pub hash: String,
    /// The file of its SDL, below the graph's folder.
    pub file: String,
}

/// A schema that could not be indexed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Failure {
    /// Its hash.
    pub hash: String,
    /// Why.
    pub reason: String,
}

/// The folder of one graph.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The folder of this graph below that of all.
    #[must_use]
    pub fn new(all: &Path, graph: &GraphName) -> Self {
        Self { folder: all.join(graph.as_str()) }
    }

    /// Where the index files lie.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads the ledger; none where there is none, or it cannot be read.
    fn ledger(&self) -> Option<Ledger> {
        let text = fs::read(self.folder.join(LEDGER)).ok()?;
        serde_json::from_slice(&text)
            .map_err(|error| tracing::error!(folder = %self.folder.display(), %error, "a ledger is damaged"))
            .ok()
    }

    /// Writes the ledger, with the folder where it is new.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn write_ledger(&self, ledger: &Ledger) -> io::Result<()> {
        self.write(LEDGER, &serde_json::to_vec(ledger)?)
    }

    /// Keeps the SDL of a schema until it is built. `number` tells apart two
    /// uploads of the same schema.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn keep(&self, hash: &str, number: u64, sdl: &str) -> io::Result<Wanted> {
        let file = format!("{hash}-{number}.graphql");
        self.write(&file, sdl.as_bytes())?;
        Ok(Wanted { hash: hash.to_owned(), file })
    }

    /// Reads the SDL of a schema that was kept.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(&self, wanted: &Wanted) -> io::Result<String> {
        fs::read_to_string(self.folder.join(&wanted.file))
    }

    /// Drops the SDL of a schema that is built, or no longer wanted.
    pub fn forget(&self, wanted: &Wanted) {
        remove(&self.folder.join(&wanted.file));
    }

    /// Drops every index file.
    pub fn drop_indexes(&self) {
        for file in files(&self.folder) {
            if has_ending(&file, "sqlite") {
                remove(&file);
            }
        }
    }

    /// Takes the folder out of its place at once, then drops it with all that is
    /// in it.
    ///
    /// # Errors
    /// Where it cannot be taken out; that it cannot be dropped is logged, and
    /// tried again at the next start.
    pub fn delete(&self, number: u64) -> io::Result<()> {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let aside = self.folder.with_file_name(format!("{DELETED}{name}-{number}"));
        fs::rename(&self.folder, &aside)?;
        if let Err(error) = fs::remove_dir_all(&aside) {
            tracing::warn!(folder = %aside.display(), %error, "what is left of a deleted graph stays");
        }
        Ok(())
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let place = self.folder.join(name);
        let beside = place.with_added_extension(UNFINISHED);
        let mut file = File::create(&beside)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&beside, &place)?;
        // The new name is on disk only when its folder is.
        File::open(&self.folder)?.sync_all()
    }
}

/// Reads the graphs of a folder, and sweeps away what a kill left there: files
/// that are not in their place, SDL that nobody wants, graphs half made or half
/// deleted.
///
/// # Errors
/// Where the folder cannot be made or read.
pub fn open(all: &Path) -> io::Result<Vec<(GraphName, Store, Ledger)>> {
    fs::create_dir_all(all)?;
    let mut graphs = Vec::new();
    for entry in fs::read_dir(all)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(DELETED) {
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                tracing::warn!(folder = %entry.path().display(), %error, "what is left of a deleted graph stays");
            }
            continue;
        }
        let Ok(graph) = name.parse::<GraphName>() else { continue };
        if !entry.file_type()?.is_dir() {
            continue;
        }
        let store = Store::new(all, &graph);
        let ledger = store.ledger();
        sweep(&store, ledger.as_ref());
        match ledger {
            Some(ledger) => graphs.push((graph, store, ledger)),
            // Only an empty folder goes: whatever else is in it is not ours to drop.
            None => drop(fs::remove_dir(store.folder())),
        }
    }
    Ok(graphs)
}

fn sweep(store: &Store, ledger: Option<&Ledger>) {
    let wanted = ledger.and_then(|ledger| ledger.wanted.as_ref());
    for file in files(&store.folder) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_wanted = wanted.is_some_and(|wanted| wanted.file == name);
        let is_left = has_ending(&file, UNFINISHED)
            || has_ending(&file, "building")
            || (has_ending(&file, "graphql") && !is_wanted);
        if is_left {
            tracing::info!(file = %file.display(), "what a stopped service left is swept away");
            remove(&file);
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect()
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|it| it == ending)
}

fn remove(file: &Path) {
    if let Err(error) = fs::remove_file(file) {
        tracing::warn!(file = %file.display(), %error, "a file that is not needed stays");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kill_left_is_swept_away() {
        let folder = tempfile::tempdir().unwrap();
        let graph: GraphName = "a".parse().unwrap();
        let store = Store::new(folder.path(), &graph);
        let wanted = store.keep("hash", 1, "type Query { a: Int }").unwrap();
        store.keep("other", 2, "type Query { b: Int }").unwrap();
        let ledger = Ledger { wanted: Some(wanted.clone()), ..Ledger::default() };
        store.write_ledger(&ledger).unwrap();
        for left in [".x.sqlite.building", "graph.json.unfinished", "good.sqlite"] {
            fs::write(store.folder().join(left), "").unwrap();
        }
        fs::create_dir_all(folder.path().join(".deleted-b-1")).unwrap();
        fs::create_dir_all(folder.path().join("half-made")).unwrap();

        let graphs = open(folder.path()).unwrap();
        assert_eq!(graphs.len(), 1);
        assert_eq!((&graphs[0].0, &graphs[0].2), (&graph, &ledger));
        assert_eq!(store.read(&wanted).unwrap(), "type Query { a: Int }");
        let mut left: Vec<_> = files(store.folder())
            .iter()
            .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        left.sort();
        assert_eq!(left, ["good.sqlite", "graph.json", "hash-1.graphql"]);
        let mut folders: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        folders.sort();
        assert_eq!(folders, ["a"]);
    }
}
