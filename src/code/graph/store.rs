//! The `SQLite` file of a graph: opened, remade where it cannot be used, read by
//! many and written by one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OpenFlags};

use super::super::CodeError;

/// Another version of the file is remade: it is derived from the tree.
const VERSION: i32 = 1;
/// Says in the file's header that it is ours: `sxcg`.
const APPLICATION: i32 = 0x7378_6367;
/// Queries that run at once; a query holds a connection for milliseconds.
const READERS: u32 = 4;
/// Pages that the log grows to before it is folded into the file, 64 MB: what a
/// first index of a large tree writes is then mostly written twice, not thrice.
const LOG_PAGES: u32 = 16_384;

/// An opened file.
pub struct Store {
    path: PathBuf,
    readers: Pool<SqliteConnectionManager>,
    writer: Mutex<Connection>,
}

impl Store {
    /// Opens a file, or makes it where there is none, or none that can be used.
    ///
    /// # Errors
    /// [`CodeError::Failed`] where the file cannot be written, or is the database
    /// of another program.
    pub fn open(path: &Path) -> Result<Self, CodeError> {
        let writer = match usable(path) {
            Ok(Some(writer)) => writer,
            Ok(None) => remake(path)?,
            Err(error) => return Err(error),
        };
        writer
            .execute_batch(&format!(
                "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {LOG_PAGES};
                 PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
            ))
            .map_err(|error| failed(path, &error))?;
        let manager = SqliteConnectionManager::file(path)
            .with_flags(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .with_init(|connection| {
                connection.set_prepared_statement_cache_capacity(64);
                connection.execute_batch(
                    "PRAGMA query_only = 1; PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -16384;",
                )
            });
        let readers = Pool::builder()
            .max_size(READERS)
            .test_on_check_out(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .build(manager)
            .map_err(|error| failed(path, &error))?;
        Ok(Self { path: path.to_owned(), readers, writer: Mutex::new(writer) })
    }

    /// Runs a read on one state of the file, whatever is written meanwhile.
    ///
    /// # Errors
    /// What `read` returns, or [`CodeError::Failed`].
    pub fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, CodeError>,
    ) -> Result<T, CodeError> {
        let mut connection = self.readers.get().map_err(|error| self.failed(&error))?;
        let transaction = connection.transaction().map_err(|error| self.failed(&error))?;
        read(&transaction)
    }

    /// The one connection that writes.
    pub fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error that says why this file failed.
    #[must_use]
    pub fn failed(&self, error: &dyn std::fmt::Display) -> CodeError {
        failed(&self.path, error)
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> CodeError {
    CodeError::Failed(format!(
        "The code index `{}` cannot be used ({error}); remove it, and it is made again.",
        path.display()
    ))
}

/// Opens a file of this version; `None` where it must be made anew.
fn usable(path: &Path) -> Result<Option<Connection>, CodeError> {
    if !path.exists() {
        return Ok(None);
    }
    let Ok(connection) = Connection::open(path) else { return Ok(None) };
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0))
    };
    let tables =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    let (Ok(application), Ok(version), Ok(tables)) =
        (pragma("application_id"), pragma("user_version"), tables)
    else {
        return Ok(None);
    };
    if tables > 0 && application != APPLICATION {
        return Err(CodeError::Failed(format!(
            "`{}` is the database of another program; name another file for the code index.",
            path.display()
        )));
    }
    // A file that was cut short says so only where it is read past its end.
    let pages = pragma("page_count").and_then(|count| Ok((count, pragma("page_size")?)));
    let length = fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let whole = pages.is_ok_and(|(count, size)| {
        let log = path.with_extension("sqlite-wal");
        log.exists()
            || u64::try_from(i64::from(count) * i64::from(size)).unwrap_or_default() <= length
    });
    Ok((version == VERSION && tables > 0 && whole).then_some(connection))
}

fn remake(path: &Path) -> Result<Connection, CodeError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        // What is not there need not be removed; what cannot be, fails below.
        let _ = fs::remove_file(Path::new(&name));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(path, &error))?;
    }
    let make = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;")?;
        connection.execute_batch(include_str!("store.sql"))?;
        connection.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
        ))?;
        Ok(connection)
    };
    make().map_err(|error| failed(path, &error))
}
