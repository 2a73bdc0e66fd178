//! What files hold, into the tables.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::extract::Parsed;

/// A file as the tables have it.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its row.
    pub id: i64,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970; 0 where it may have changed since.
    pub modified: i64,
    /// Of its content.
    pub hash: Vec<u8>,
    /// The language it was read as.
    pub language: String,
}

/// A file that was read anew.
pub struct Fresh {
    /// From the root, with `/`.
    pub path: String,
    /// The name of its language.
    pub language: &'static str,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// Of its content.
    pub hash: Vec<u8>,
    /// What it holds, or why that is not known.
    pub parsed: Result<Parsed, String>,
}

/// All files that the tables have, by path.
///
/// # Errors
/// What `SQLite` reports.
pub fn known(connection: &Connection) -> rusqlite::Result<HashMap<String, Known>> {
    let mut statement =
        connection.prepare("SELECT path, id, size, modified, hash, language FROM file")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get(0)?,
            Known {
                id: row.get(1)?,
                size: u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default(),
                modified: row.get(3)?,
                hash: row.get(4)?,
                language: row.get(5)?,
            },
        ))
    })?;
    rows.collect()
}

/// What is kept in memory while many files are written.
#[derive(Default)]
pub struct Writing {
    words: HashMap<String, i64>,
    /// Whether `words` holds all there are.
    complete: bool,
    next_symbol: i64,
}

impl Writing {
    /// Begins to write to the tables.
    ///
    /// # Errors
    /// What `SQLite` reports.
    pub fn begin(connection: &Connection) -> rusqlite::Result<Self> {
        let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
        let next_symbol = count("SELECT coalesce(max(id), 0) + 1 FROM symbol")?;
        let words = count("SELECT count(*) FROM (SELECT 1 FROM word LIMIT 1)")?;
        Ok(Self { words: HashMap::new(), complete: words == 0, next_symbol })
    }

    fn word(&mut self, transaction: &Transaction<'_>, text: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.words.get(text) {
            return Ok(*id);
        }
        let found = if self.complete {
            None
        } else {
            transaction
                .prepare_cached("SELECT id FROM word WHERE text = ?1")?
                .query_row([text], |row| row.get(0))
                .optional()?
        };
        let id = match found {
            Some(id) => id,
            None => {
                transaction.prepare_cached("INSERT INTO word (text) VALUES (?1)")?.insert([text])?
            }
        };
        self.words.insert(text.to_owned(), id);
        Ok(id)
    }

    /// Writes a file in place of what was known of it. Returns how many
    /// definitions it holds.
    ///
    /// # Errors
    /// What `SQLite` reports.
    pub fn file(
        &mut self,
        transaction: &Transaction<'_>,
        fresh: &Fresh,
    ) -> rusqlite::Result<usize> {
        let known = transaction
            .prepare_cached("SELECT id FROM file WHERE path = ?1")?
            .query_row([&fresh.path], |row| row.get::<_, i64>(0))
            .optional()?;
        if let Some(known) = known {
            remove(transaction, known)?;
        }
        let module = fresh.parsed.as_ref().map(|parsed| parsed.module.as_str()).unwrap_or_default();
        let file = transaction
            .prepare_cached(
                "INSERT INTO file (id, path, language, module, size, modified, hash, problem)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .insert(params![
                known,
                fresh.path,
                fresh.language,
                module,
                i64::try_from(fresh.size).unwrap_or(i64::MAX),
                fresh.modified,
                fresh.hash,
                fresh.parsed.as_ref().err(),
            ])?;
        let Ok(parsed) = &fresh.parsed else { return Ok(0) };
        let first = self.symbols(transaction, file, parsed)?;
        self.references(transaction, file, first, parsed)?;
        let mut statement = transaction.prepare_cached(
            "INSERT INTO import (file, local, module, name) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for import in &parsed.imports {
            statement.execute(params![file, import.local, import.module, import.name])?;
        }
        let mut statement = transaction
            .prepare_cached("INSERT INTO base (file, owner, base) VALUES (?1, ?2, ?3)")?;
        for base in &parsed.bases {
            statement.execute(params![file, base.owner, base.base])?;
        }
        let mut statement = transaction
            .prepare_cached("INSERT INTO resolver (field, file, symbol) VALUES (?1, ?2, ?3)")?;
        for (symbol, field) in &parsed.resolvers {
            statement.execute(params![field, file, first + index(*symbol)])?;
        }
        Ok(parsed.symbols.len())
    }

    /// Writes a file's definitions; returns the id of the first.
    fn symbols(
        &mut self,
        transaction: &Transaction<'_>,
        file: i64,
        parsed: &Parsed,
    ) -> rusqlite::Result<i64> {
        let mut ranges: Vec<(i64, i64)> = vec![(0, -1); parsed.symbols.len()];
        for (position, reference) in parsed.references.iter().enumerate() {
            if let Some(range) = ranges.get_mut(reference.within) {
                if range.1 < 0 {
                    range.0 = index(position);
                }
                range.1 = index(position);
            }
        }
        let first = self.next_symbol;
        let mut twins: HashMap<(&str, &str), i64> = HashMap::new();
        for (position, (symbol, range)) in parsed.symbols.iter().zip(ranges).enumerate() {
            let twin = twins.entry((&symbol.scope, &symbol.name)).or_default();
            let name = self.word(transaction, &symbol.name)?;
            transaction
                .prepare_cached(
                    "INSERT INTO symbol (id, file, parent, name, scope, owner, kind, line,
                         first_line, last_line, gives, twin, refers_from, refers_to)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                )?
                .execute(params![
                    first + index(position),
                    file,
                    symbol.parent.map(|parent| first + index(parent)),
                    name,
                    symbol.scope,
                    symbol.owner,
                    symbol.kind,
                    index(symbol.line),
                    index(symbol.first_line),
                    index(symbol.last_line),
                    symbol.gives,
                    *twin,
                    range.0,
                    range.1,
                ])?;
            // A file is told from what is in it by its id.
            *twin += i64::from(symbol.kind != "file");
        }
        self.next_symbol += index(parsed.symbols.len());
        Ok(first)
    }

    fn references(
        &mut self,
        transaction: &Transaction<'_>,
        file: i64,
        first: i64,
        parsed: &Parsed,
    ) -> rusqlite::Result<()> {
        let mut statement = transaction.prepare_cached(
            "INSERT INTO reference (file, position, name, receiver, role, symbol, line)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (position, reference) in parsed.references.iter().enumerate() {
            let name = self.word(transaction, &reference.name)?;
            let receiver = self.word(transaction, &reference.receiver)?;
            statement.execute(params![
                file,
                index(position),
                name,
                receiver,
                reference.role as i64,
                first + index(reference.within),
                index(reference.line),
            ])?;
        }
        Ok(())
    }
}

fn index(position: usize) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

/// Removes a file and all that it holds.
///
/// # Errors
/// What `SQLite` reports.
pub fn remove(transaction: &Transaction<'_>, file: i64) -> rusqlite::Result<()> {
    for table in ["reference", "import", "base", "resolver", "symbol"] {
        transaction
            .prepare_cached(&format!("DELETE FROM {table} WHERE file = ?1"))?
            .execute([file])?;
    }
    transaction.prepare_cached("DELETE FROM file WHERE id = ?1")?.execute([file])?;
    Ok(())
}

/// Notes that a file was touched, but not changed.
///
/// # Errors
/// What `SQLite` reports.
pub fn touch(transaction: &Transaction<'_>, file: i64, modified: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE file SET modified = ?2 WHERE id = ?1")?
        .execute([file, modified])?;
    Ok(())
}
