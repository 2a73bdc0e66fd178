//! An index file: opening it, checking it, and what it says of itself.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Once,
};

use r2d2::{Pool, PooledConnection};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{embedding::ModelIdentity, schema::Roots};

mod migrations {
    refinery::embed_migrations!("migrations");
}

/// The file version that this program writes and reads: the number of the last
/// migration.
pub const FILE_VERSION: i32 = 1;

/// Connections to one file. A search holds one for a few milliseconds.
const CONNECTIONS: u32 = 4;

/// Why an index cannot be built, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file is not there, or may not be read.
    #[error(
        "cannot open the index `{path}`: {reason}; make one with `sextant index SCHEMA --out {path}`"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is no index, or is cut short or overwritten.
    #[error(
        "the index `{path}` is damaged ({reason}); build it again with `sextant index SCHEMA --out {path}`"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A later release made the file.
    #[error(
        "the index `{path}` has file version {found}, and this release reads {FILE_VERSION}; update sextant, or build the index again with this release"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
    },
    /// An earlier release made the file. It is derived, so it is built anew
    /// rather than migrated.
    #[error(
        "the index `{path}` has file version {found}, and this release reads {FILE_VERSION}; build it again with `sextant index SCHEMA --out {path}`"
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
    },
    /// The file was made by another model than the one that is loaded.
    #[error(
        "the index `{path}` was made by the model `{made_by}` ({made_by_hash}), not by `{loaded}` ({loaded_hash}); name that model with --model, or build the index again"
    )]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// The name of the model that made it.
        made_by: String,
        /// The first digits of that model's hash.
        made_by_hash: String,
        /// The name of the model at hand.
        loaded: String,
        /// The first digits of its hash.
        loaded_hash: String,
    },
    /// The new file cannot be written.
    #[error("cannot write the index `{path}`: {reason}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// No vector could be made.
    #[error(transparent)]
    Embedding(#[from] crate::embedding::EmbeddingError),
    /// A read of an opened file failed.
    #[error("the index `{path}` cannot be read: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
}

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// SHA-256 of the normalised SDL.
    pub schema_hash: String,
    /// What the schema was read from, for people.
    pub source: String,
    /// The model that made the vectors.
    pub model: ModelIdentity,
    /// The length of each vector.
    pub dimensions: usize,
    /// The root operation types.
    pub roots: Roots,
}

/// An opened file: read-only, checked, ready to be asked.
pub struct IndexFile {
    path: PathBuf,
    meta: Meta,
    pool: Pool<SqliteConnectionManager>,
}

impl IndexFile {
    /// Opens a file to be read.
    ///
    /// # Errors
    /// [`IndexError`]: `Open`, `Damaged`, `Newer` or `Older`.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        register_sqlite_vec();
        let connection = Connection::open_with_flags(path, read_only())
            .and_then(|connection| {
                connection
                    .query_row("SELECT 1 FROM sqlite_schema", [], |_| Ok(()))
                    .map(|()| connection)
            })
            .map_err(|error| not_opened(path, &error))?;
        check_length(path, &connection)?;
        check_version(path, &connection)?;
        let meta = read_meta(&connection).map_err(|error| damaged(path, &error))?;
        let manager =
            SqliteConnectionManager::file(path).with_flags(read_only()).with_init(|connection| {
                // The whole file fits the address space, and pages that are mapped are not copied.
                connection.execute_batch("PRAGMA query_only = 1; PRAGMA mmap_size = 1073741824;")
            });
        let pool = Pool::builder()
            .max_size(CONNECTIONS)
            .test_on_check_out(false)
            // A connection that is opened later might find another file at the path.
            .idle_timeout(None)
            .max_lifetime(None)
            .build(manager)
            .map_err(|error| damaged(path, &error))?;
        Ok(Self { path: path.to_owned(), meta, pool })
    }

    /// What the file says of itself.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a model that did not make this file: its vectors would not compare.
    ///
    /// # Errors
    /// [`IndexError::OtherModel`].
    pub fn check_model(&self, model: &ModelIdentity) -> Result<(), IndexError> {
        if self.meta.model.hash == model.hash {
            return Ok(());
        }
        let digits = |hash: &str| hash.chars().take(8).collect();
        Err(IndexError::OtherModel {
            path: self.path.clone(),
            made_by: self.meta.model.name.clone(),
            made_by_hash: digits(&self.meta.model.hash),
            loaded: model.name.clone(),
            loaded_hash: digits(&model.hash),
        })
    }

    /// The error that says this file is damaged.
    #[must_use]
    pub fn damaged(&self, reason: &str) -> IndexError {
        damaged(&self.path, &reason)
    }

    /// Runs a read on one of the pool's connections.
    ///
    /// # Errors
    /// [`IndexError::Read`], or [`IndexError::Damaged`] where the file turns out
    /// to be.
    pub fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, IndexError> {
        let connection: PooledConnection<_> = self.pool.get().map_err(|error| {
            IndexError::Read { path: self.path.clone(), reason: error.to_string() }
        })?;
        read(&connection).map_err(|error| {
            if is_damage(&error) {
                damaged(&self.path, &error)
            } else {
                IndexError::Read { path: self.path.clone(), reason: error.to_string() }
            }
        })
    }
}

/// Creates an empty file of the current version, to be filled by a build.
///
/// # Errors
/// Whatever SQLite or a migration reports.
pub fn create(
    path: &Path,
    dimensions: usize,
) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    register_sqlite_vec();
    let mut connection = Connection::open(path)?;
    // The file is worthless until it is whole and renamed into place, so
    // nothing is journaled and nothing is synchronised on the way.
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192;",
    )?;
    migrations::migrations::runner().run(&mut connection)?;
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE element_vector USING vec0 (
             id INTEGER PRIMARY KEY,
             vector FLOAT[{dimensions}] distance_metric=cosine,
             bits BIT[{dimensions}],
             kind INTEGER,
             parent INTEGER,
             paginated BOOLEAN
         )"
    ))?;
    Ok(connection)
}

/// Writes what a file says of itself; [`IndexFile::open`] reads it back.
pub fn write_meta(connection: &Connection, meta: &Meta) -> rusqlite::Result<()> {
    let roots = [
        ("query_root", &meta.roots.query),
        ("mutation_root", &meta.roots.mutation),
        ("subscription_root", &meta.roots.subscription),
    ];
    let rows = [
        ("schema_hash", meta.schema_hash.clone()),
        ("source", meta.source.clone()),
        ("model_name", meta.model.name.clone()),
        ("model_hash", meta.model.hash.clone()),
        ("dimensions", meta.dimensions.to_string()),
        ("sextant_version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let roots = roots.into_iter().filter_map(|(key, root)| Some((key, root.clone()?)));
    let mut statement = connection.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
    for (key, value) in rows.into_iter().chain(roots) {
        statement.execute((key, value))?;
    }
    statement.execute((
        "built_at",
        connection.query_row("SELECT datetime('now') || 'Z'", [], |row| row.get::<_, String>(0))?,
    ))?;
    Ok(())
}

fn read_meta(connection: &Connection) -> rusqlite::Result<Meta> {
    let value = |key: &str| -> rusqlite::Result<Option<String>> {
        let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        let mut rows = statement.query([key])?;
        rows.next()?.map(|row| row.get(0)).transpose()
    };
    let required = |key: &str| value(key)?.ok_or(rusqlite::Error::QueryReturnedNoRows);
    Ok(Meta {
        schema_hash: required("schema_hash")?,
        source: required("source")?,
        model: ModelIdentity { name: required("model_name")?, hash: required("model_hash")? },
        dimensions: required("dimensions")?.parse().unwrap_or_default(),
        roots: Roots {
            query: value("query_root")?,
            mutation: value("mutation_root")?,
            subscription: value("subscription_root")?,
        },
    })
}

/// SQLite notices a file that was cut short only where it reads past the end;
/// the header tells at once.
fn check_length(path: &Path, connection: &Connection) -> Result<(), IndexError> {
    let expected = connection
        .query_row(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            [],
            |row| row.get::<_, i64>(0),
        )
        .map_err(|error| damaged(path, &error))?;
    let found = std::fs::metadata(path).map_err(|error| damaged(path, &error))?.len();
    if i64::try_from(found).is_ok_and(|found| found < expected) {
        let reason = format!("it has {found} bytes of {expected}");
        return Err(IndexError::Damaged { path: path.to_owned(), reason });
    }
    Ok(())
}

fn check_version(path: &Path, connection: &Connection) -> Result<(), IndexError> {
    let path = path.to_owned();
    let found: i32 = connection
        .query_row("SELECT max(version) FROM refinery_schema_history", [], |row| row.get(0))
        .map_err(|_| IndexError::Damaged {
            path: path.clone(),
            reason: "it is a database, but none that sextant made".into(),
        })?;
    match found.cmp(&FILE_VERSION) {
        std::cmp::Ordering::Less => Err(IndexError::Older { path, found }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(IndexError::Newer { path, found }),
    }
}

fn read_only() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn not_opened(path: &Path, error: &rusqlite::Error) -> IndexError {
    if is_damage(error) && !path.is_dir() {
        return damaged(path, error);
    }
    let reason = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => "there is no such file".into(),
        Ok(metadata) if metadata.is_dir() => "it is a folder".into(),
        Ok(metadata) if metadata.len() == 0 => "it is empty".into(),
        _ if *error == rusqlite::Error::QueryReturnedNoRows => "it holds no tables".into(),
        _ => error.to_string(),
    };
    IndexError::Open { path: path.to_owned(), reason }
}

fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> IndexError {
    IndexError::Damaged { path: path.to_owned(), reason: reason.to_string() }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SystemIoFailure)
    )
}

/// Makes `vec0` known to every connection that this process opens from now on.
#[expect(unsafe_code, reason = "SQLite takes an extension's entry point as a C function")]
fn register_sqlite_vec() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `sqlite3_vec_init` is the extension's entry point. The crate
        // declares it without its arguments; SQLite calls it with the three that
        // its C definition takes.
        unsafe {
            let entry = std::mem::transmute::<
                *const (),
                unsafe extern "C" fn(
                    *mut rusqlite::ffi::sqlite3,
                    *mut *mut std::ffi::c_char,
                    *const rusqlite::ffi::sqlite3_api_routines,
                ) -> std::ffi::c_int,
            >(sqlite_vec::sqlite3_vec_init as *const ());
            rusqlite::ffi::sqlite3_auto_extension(Some(entry));
        }
    });
}
