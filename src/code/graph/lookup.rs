//! Rows of the tables, each read once for a question.

use std::{cell::RefCell, collections::HashMap, hash::Hash, rc::Rc};

use rusqlite::{Connection, Row};

use super::languages::{
    Language,
    imports::ALL,
    modules::{EXACT, crate_name, crate_root, join, last},
};

/// A definition, as `store.sql` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub id: i64,
    pub file: i64,
    pub parent: Option<i64>,
    pub name: String,
    pub scope: String,
    pub owner: Option<String>,
    pub kind: String,
    pub line: i64,
    pub gives: Option<String>,
    pub twin: i64,
    pub refers: (i64, i64),
}

const SYMBOL: &str = "symbol.id, symbol.file, symbol.parent, word.text, symbol.scope, symbol.owner,
    symbol.kind, symbol.line, symbol.gives, symbol.twin, symbol.refers_from, symbol.refers_to
    FROM symbol JOIN word ON word.id = symbol.name";

impl Symbol {
    fn read(row: &Row<'_>) -> rusqlite::Result<Rc<Self>> {
        Ok(Rc::new(Self {
            id: row.get(0)?,
            file: row.get(1)?,
            parent: row.get(2)?,
            name: row.get(3)?,
            scope: row.get(4)?,
            owner: row.get(5)?,
            kind: row.get(6)?,
            line: row.get(7)?,
            gives: row.get(8)?,
            twin: row.get(9)?,
            refers: (row.get(10)?, row.get(11)?),
        }))
    }

    /// Its name with those around it, joined by dots.
    #[must_use]
    pub fn qualified(&self) -> String {
        if self.scope.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.scope, self.name)
        }
    }
}

/// A file, as `store.sql` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    pub id: i64,
    pub path: String,
    pub language: Language,
    pub module: String,
}

/// What a local name stands for, as `store.sql` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    pub file: i64,
    pub local: String,
    pub module: String,
    pub name: Option<String>,
}

/// A use of a name, as `store.sql` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub file: i64,
    pub name: String,
    pub receiver: String,
    pub role: i64,
    pub symbol: i64,
    pub line: i64,
}

/// Symbols that are shared.
pub type Symbols = Rc<[Rc<Symbol>]>;
/// Modules, each with the family of its language.
type Modules = Rc<[(String, u8)]>;
type Cached<K, V> = RefCell<HashMap<K, V>>;

/// The tables, with what was read of them.
pub struct Lookup<'c> {
    connection: &'c Connection,
    named: Cached<String, Symbols>,
    owned: Cached<(String, String), Symbols>,
    symbols: Cached<i64, Option<Rc<Symbol>>>,
    files: Cached<i64, Option<Rc<FileRow>>>,
    imports: Cached<i64, Rc<[ImportRow]>>,
    bases: Cached<String, Rc<[(i64, String)]>>,
    in_module: Cached<String, Rc<[i64]>>,
    modules: RefCell<Option<Modules>>,
    meant: Cached<(String, u8), Rc<[String]>>,
}

impl<'c> Lookup<'c> {
    /// Nothing read so far.
    #[must_use]
    pub fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            named: Cached::default(),
            owned: Cached::default(),
            symbols: Cached::default(),
            files: Cached::default(),
            imports: Cached::default(),
            bases: Cached::default(),
            in_module: Cached::default(),
            modules: RefCell::default(),
            meant: Cached::default(),
        }
    }

    /// The connection, for what is asked once.
    #[must_use]
    pub fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// All definitions of a name.
    ///
    /// # Errors
    /// What `SQLite` reports, as for all look-ups.
    pub fn named(&self, name: &str) -> rusqlite::Result<Symbols> {
        remember(&self.named, name.to_owned(), || {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT {SYMBOL} WHERE word.text = ?1 ORDER BY symbol.id"
            ))?;
            let rows = statement.query_map([name], Symbol::read)?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into())
        })
    }

    /// The members of that name of all types of a name.
    pub fn owned(&self, owner: &str, name: &str) -> rusqlite::Result<Symbols> {
        remember(&self.owned, (owner.to_owned(), name.to_owned()), || {
            let named = self.named(name)?;
            let members = named.iter().filter(|symbol| symbol.owner.as_deref() == Some(owner));
            Ok(members.cloned().collect::<Vec<_>>().into())
        })
    }

    /// A definition by its row.
    pub fn symbol(&self, id: i64) -> rusqlite::Result<Option<Rc<Symbol>>> {
        remember(&self.symbols, id, || {
            let mut statement =
                self.connection.prepare_cached(&format!("SELECT {SYMBOL} WHERE symbol.id = ?1"))?;
            let mut rows = statement.query([id])?;
            rows.next()?.map(Symbol::read).transpose()
        })
    }

    /// Where a definition stands, to put definitions in an order that is always
    /// the same.
    pub fn place(&self, symbol: &Symbol) -> (String, i64, String) {
        let path = self.file(symbol.file).ok().flatten().map(|file| file.path.clone());
        (path.unwrap_or_default(), symbol.line, symbol.qualified())
    }

    /// The names under which files may import what a file exports without a name.
    pub fn default_names(&self, file: &FileRow) -> rusqlite::Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT DISTINCT local, module FROM import WHERE name = 'default'")?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut names = Vec::new();
        for row in rows {
            let (local, module) = row?;
            if last(&module) == last(&file.module) {
                names.push(local);
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The members of all types of a name.
    pub fn owned_by(&self, owner: &str) -> rusqlite::Result<Vec<Rc<Symbol>>> {
        let mut statement =
            self.connection.prepare_cached(&format!("SELECT {SYMBOL} WHERE symbol.owner = ?1"))?;
        statement.query_map([owner], Symbol::read)?.collect()
    }

    /// The definitions around a line of a file, the outermost first.
    pub fn around(&self, file: i64, line: i64) -> rusqlite::Result<Vec<Rc<Symbol>>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {SYMBOL} WHERE symbol.file = ?1 AND symbol.first_line <= ?2
                AND symbol.last_line >= ?2
             ORDER BY symbol.last_line - symbol.first_line DESC, symbol.id"
        ))?;
        statement.query_map([file, line], Symbol::read)?.collect()
    }

    /// A file by its row.
    pub fn file(&self, id: i64) -> rusqlite::Result<Option<Rc<FileRow>>> {
        remember(&self.files, id, || {
            let mut statement = self
                .connection
                .prepare_cached("SELECT path, language, module FROM file WHERE id = ?1")?;
            let mut rows = statement.query([id])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let language: String = row.get(1)?;
            let Some(language) = Language::named(&language) else { return Ok(None) };
            Ok(Some(Rc::new(FileRow { id, path: row.get(0)?, language, module: row.get(2)? })))
        })
    }

    /// What a file imports.
    pub fn imports(&self, file: i64) -> rusqlite::Result<Rc<[ImportRow]>> {
        remember(&self.imports, file, || {
            let mut statement = self
                .connection
                .prepare_cached("SELECT local, module, name FROM import WHERE file = ?1")?;
            let rows = statement.query_map([file], |row| {
                Ok(ImportRow { file, local: row.get(0)?, module: row.get(1)?, name: row.get(2)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into())
        })
    }

    /// What a file imports under a local name.
    pub fn imported(&self, file: i64, local: &str) -> rusqlite::Result<Vec<ImportRow>> {
        Ok(self.imports(file)?.iter().filter(|import| import.local == local).cloned().collect())
    }

    /// The modules of which a file imports all names.
    pub fn globs(&self, file: i64) -> rusqlite::Result<Vec<ImportRow>> {
        self.imported(file, ALL)
    }

    /// What types of a name build on, each with the file that says so.
    pub fn bases(&self, owner: &str) -> rusqlite::Result<Rc<[(i64, String)]>> {
        remember(&self.bases, owner.to_owned(), || {
            let mut statement = self
                .connection
                .prepare_cached("SELECT DISTINCT file, base FROM base WHERE owner = ?1")?;
            let rows = statement.query_map([owner], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into())
        })
    }

    /// The files of a module.
    pub fn files_of(&self, module: &str) -> rusqlite::Result<Rc<[i64]>> {
        remember(&self.in_module, module.to_owned(), || {
            let mut statement =
                self.connection.prepare_cached("SELECT id FROM file WHERE module = ?1")?;
            let rows = statement.query_map([module], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into())
        })
    }

    /// The keys of the modules that a key in an import means to files of a family.
    pub fn meant(&self, module: &str, from: &FileRow) -> rusqlite::Result<Rc<[String]>> {
        if let Some(key) = module.strip_prefix(EXACT) {
            return Ok(Rc::from([key.to_owned()]));
        }
        let family = from.language.family();
        if from.language == Language::Rust {
            return self.meant_in_rust(module, from);
        }
        remember(&self.meant, (module.to_owned(), family), || {
            let all = self.modules()?;
            let ends = |key: &str, end: &str| {
                key == end || key.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'))
            };
            let mut end = module;
            loop {
                let found: Vec<String> = all
                    .iter()
                    .filter(|(key, of)| *of == family && !end.is_empty() && ends(key, end))
                    .map(|(key, _)| key.clone())
                    .collect();
                if !found.is_empty() {
                    return Ok(found.into());
                }
                // Go names a module by where it is published, which no folder says.
                match end.split_once('/') {
                    Some((_, rest)) if from.language == Language::Go => end = rest,
                    _ => return Ok(Rc::from([])),
                }
            }
        })
    }

    /// A path in Rust begins with a module below, or with the name of a crate.
    fn meant_in_rust(&self, module: &str, from: &FileRow) -> rusqlite::Result<Rc<[String]>> {
        let (first, rest) = module.split_once('/').unwrap_or((module, ""));
        let mut found = Vec::new();
        for base in [from.module.as_str(), crate_root(&from.module)] {
            let child = join(base, first);
            if !self.files_of(&child)?.is_empty() {
                found.push(join(&child, rest));
                return Ok(found.into());
            }
        }
        let family = from.language.family();
        let roots = remember(&self.meant, (first.to_owned(), family), || {
            let all = self.modules()?;
            let crates = || all.iter().filter(|(key, of)| *of == family && crate_root(key) == key);
            let called = |is_name: &dyn Fn(&str) -> bool| {
                let named = crates().filter(|(key, _)| is_name(&crate_name(key)));
                named.map(|(key, _)| key.clone()).collect::<Vec<_>>()
            };
            let exact = called(&|name| name == first);
            if !exact.is_empty() {
                return Ok(exact.into());
            }
            // A workspace often keeps its crate `grep-searcher` in a folder `searcher`.
            let end_of = |name: &str| first.strip_suffix(name).is_some_and(|it| it.ends_with('_'));
            let by_end = called(&end_of);
            Ok(if by_end.len() == 1 { by_end.into() } else { Rc::from([]) })
        })?;
        Ok(roots.iter().map(|root| join(root, rest)).collect::<Vec<_>>().into())
    }

    /// All modules with the family of their language.
    fn modules(&self) -> rusqlite::Result<Modules> {
        if let Some(modules) = &*self.modules.borrow() {
            return Ok(Rc::clone(modules));
        }
        let mut statement =
            self.connection.prepare_cached("SELECT DISTINCT module, language FROM file")?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (module, language) = row?;
            found.extend(Language::named(&language).map(|language| (module, language.family())));
        }
        let found: Modules = found.into();
        *self.modules.borrow_mut() = Some(Rc::clone(&found));
        Ok(found)
    }

    /// Where a name is used, calls only or all.
    pub fn sites_of(&self, name: &str, calls_only: bool) -> rusqlite::Result<Vec<Site>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT reference.file, name.text, receiver.text, reference.role, reference.symbol,
                 reference.line
             FROM word AS name JOIN reference ON reference.name = name.id
             JOIN word AS receiver ON receiver.id = reference.receiver
             WHERE name.text = ?1 AND reference.role <= ?2",
        )?;
        let most = if calls_only { 0 } else { 3 };
        statement.query_map((name, most), site)?.collect()
    }

    /// What a symbol refers to, calls only or all.
    pub fn sites_in(&self, symbol: &Symbol) -> rusqlite::Result<Vec<Site>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT reference.file, name.text, receiver.text, reference.role, reference.symbol,
                 reference.line
             FROM reference JOIN word AS name ON name.id = reference.name
             JOIN word AS receiver ON receiver.id = reference.receiver
             WHERE reference.file = ?1 AND reference.position BETWEEN ?2 AND ?3
                 AND reference.symbol = ?4 AND reference.role = 0",
        )?;
        let range = (symbol.file, symbol.refers.0, symbol.refers.1, symbol.id);
        statement.query_map(range, site)?.collect()
    }
}

fn site(row: &Row<'_>) -> rusqlite::Result<Site> {
    Ok(Site {
        file: row.get(0)?,
        name: row.get(1)?,
        receiver: row.get(2)?,
        role: row.get(3)?,
        symbol: row.get(4)?,
        line: row.get(5)?,
    })
}

fn remember<K: Eq + Hash + Clone, V: Clone>(
    cache: &Cached<K, V>,
    key: K,
    read: impl FnOnce() -> rusqlite::Result<V>,
) -> rusqlite::Result<V> {
    if let Some(found) = cache.borrow().get(&key) {
        return Ok(found.clone());
    }
    let found = read()?;
    cache.borrow_mut().insert(key, found.clone());
    Ok(found)
}
