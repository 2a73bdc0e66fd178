//! The cache folder: indexes that `--schema` builds, one file a schema and
//! model, shared by every process of a user.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use etcetera::BaseStrategy as _;
use sha2::{Digest as _, Sha256};

use super::{
    Index, IndexError,
    build::{self, Order, Progress, Report},
    file::{FILE_VERSION, IndexFile},
};
use crate::{
    embedding::{Embedder, ModelIdentity},
    schema::Schema,
};

/// Indexes that are kept of one source besides the current one. Older ones are
/// of schemas long gone; a few stay because people switch branches.
const KEPT: usize = 3;

/// A folder of indexes.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// A cache in this folder, which is made when something is put there.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The platform's cache folder for this program; none where the user has no
    /// home.
    #[must_use]
    pub fn of_platform() -> Option<Self> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(Self::new(strategy.cache_dir().join("sextant")))
    }

    /// The index of the schema with this hash by this model, where it is there
    /// and sound.
    #[must_use]
    pub fn find(&self, schema_hash: &str, model: &ModelIdentity) -> Option<Index> {
        Index::open(&self.path(schema_hash, &model.hash)).ok()
    }

    /// The index of `schema`, from the cache where it is there and sound, else
    /// built, with what the newest index of the same source can lend.
    ///
    /// # Errors
    /// As [`build::build`] and [`Index::open`].
    pub fn open_or_build(
        &self,
        schema: &Schema,
        source: &str,
        embedder: &Embedder,
        progress: impl FnMut(Progress),
    ) -> Result<(Index, Option<Report>), IndexError> {
        if let Some(index) = self.find(&schema.hash, embedder.identity()) {
            use_now(index.path());
            return Ok((index, None));
        }
        let path = self.path(&schema.hash, &embedder.identity().hash);
        let others = self.of_source(source, &path);
        let order = Order { schema, source, embedder, previous: others.first(), path: &path };
        let report = build::build_if_outdated(order, progress)?;
        for old in others.iter().skip(KEPT) {
            if let Err(error) = fs::remove_file(old.path()) {
                tracing::debug!(path = %old.path().display(), %error, "an old index stays");
            }
        }
        Ok((Index::open(&path)?, report))
    }

    /// The file for the graph of the code below `root`, in a folder of its own.
    #[must_use]
    pub fn code_graph(&self, root: &Path) -> PathBuf {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let hash = hex::encode(Sha256::digest(root.as_os_str().as_encoded_bytes()));
        self.folder.join("code").join(hash).with_added_extension("sqlite")
    }

    fn path(&self, schema_hash: &str, model_hash: &str) -> PathBuf {
        let digits = |hash: &str| hash.chars().take(16).collect::<String>();
        let name = format!("{}-{}-v{FILE_VERSION}.sqlite", digits(schema_hash), digits(model_hash));
        self.folder.join(name)
    }

    /// The indexes of `source` other than the one at `path`, newest first.
    fn of_source(&self, source: &str, path: &Path) -> Vec<IndexFile> {
        let mut files = list(&self.folder).unwrap_or_default();
        files.sort_by(|a, b| b.cmp(a));
        files
            .into_iter()
            .filter(|(_, file)| file != path)
            .filter_map(|(_, file)| IndexFile::open(&file).ok())
            .filter(|file| file.meta().source == source)
            .collect()
    }
}

/// What is in use again is not among the oldest. A cache that cannot be written
/// drops nothing either.
fn use_now(file: &Path) {
    let touched = File::options()
        .append(true)
        .open(file)
        .and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        tracing::debug!(path = %file.display(), %error, "an index keeps its age");
    }
}

fn list(folder: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "sqlite") {
            files.push((entry.metadata()?.modified()?, path));
        }
    }
    Ok(files)
}
