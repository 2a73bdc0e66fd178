//! What a name means at its place, as far as syntax says.
//!
//! A bare name is looked for in the scopes around it, in what the file imports,
//! in the type and the package around it. A name on a receiver is looked for
//! among the members of what the receiver's trail comes to. Where that cannot be
//! said, a name that only one definition has, and that no standard library
//! uses, still leads to it; the [`Resolution`] tells one from the other.

mod members;
mod modules;
mod names;
mod values;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    expression::UNKNOWN,
    lookup::{FileRow, Lookup, Site, Symbol},
};

/// How a name was found to mean a definition, the surest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Resolution {
    /// The same file defines it, in a scope around its use.
    Scoped,
    /// An import names it, or a path to its module.
    Imported,
    /// It is a member of the type that the receiver has.
    Receiver,
    /// It is in the same package, or in one all of which is imported.
    Package,
    /// Only its name leads to it.
    Name,
}

/// Questions that lead to other questions: what a function gives may be what
/// another gives, and so on, in a circle too. Real code leads through some ten.
const MAX_DEPTH: u8 = 24;
/// Types above a type that are looked at for a member.
const MAX_BASES: usize = 48;
/// Definitions of a name among which nothing but the name chooses.
const MAX_NAMESAKES: usize = 1;

/// What an expression comes to.
#[derive(Clone, Debug, Default)]
enum Value {
    /// A type, or a value of it.
    Type(Rc<Symbol>),
    /// A type that the tree does not define, or a value of it.
    Foreign(String),
    /// A definition that is no type.
    Item(Rc<Symbol>),
    /// A module, and a scope inside it.
    Module(String, String),
    /// What types of a type build on.
    Bases(Rc<Symbol>),
    /// Something outside of the tree.
    Outside,
    /// It cannot be said.
    #[default]
    Unknown,
}

type Found = Vec<(Rc<Symbol>, Resolution)>;
type Result<T> = rusqlite::Result<T>;

/// Finds out what names mean.
pub struct Resolver<'l, 'c> {
    lookup: &'l Lookup<'c>,
    values: RefCell<HashMap<(i64, i64, String), Value>>,
    bases: RefCell<HashMap<i64, Rc<[Rc<Symbol>]>>>,
    held: RefCell<HashMap<(String, String, String, u8), Found>>,
    bare: RefCell<HashMap<(i64, i64, String), Found>>,
    depth: Cell<u8>,
    is_late: &'l dyn Fn() -> bool,
}

/// A place in a file: what is around it decides what names mean.
#[derive(Clone)]
struct Place {
    file: Rc<FileRow>,
    within: i64,
}

impl<'l, 'c> Resolver<'l, 'c> {
    /// Resolves by these tables, in haste as soon as `is_late` says so.
    #[must_use]
    pub fn new(lookup: &'l Lookup<'c>, is_late: &'l dyn Fn() -> bool) -> Self {
        Self {
            lookup,
            values: RefCell::default(),
            bases: RefCell::default(),
            held: RefCell::default(),
            bare: RefCell::default(),
            depth: Cell::default(),
            is_late,
        }
    }

    /// Whether the time is over: what is resolved from now on may be wrong.
    #[must_use]
    pub fn is_late(&self) -> bool {
        (self.is_late)()
    }

    /// Asks a question that led from another; nothing is the answer where too
    /// many did, or the time is over.
    fn deeper<T: Default>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() >= MAX_DEPTH || self.is_late() {
            return Ok(T::default());
        }
        self.depth.set(self.depth.get() + 1);
        let answer = ask();
        self.depth.set(self.depth.get() - 1);
        answer
    }

    /// The definitions that a use of a name means.
    ///
    /// # Errors
    /// What `SQLite` reports.
    pub fn resolve(&self, site: &Site) -> Result<Found> {
        let Some(file) = self.lookup.file(site.file)? else { return Ok(Vec::new()) };
        let place = Place { file, within: site.symbol };
        let name = site.name.as_str();
        let mut found = match site.receiver.as_str() {
            "" => match self.bare(&place, name)? {
                found if found.is_empty() => self.far(&place, name, site.role)?,
                found => found,
            },
            "!" => self.macros(&place, name)?,
            UNKNOWN => self.by_name(&place, name, site.role)?,
            receiver => {
                if let Some(local) = receiver.strip_prefix('@') {
                    let imports = self.lookup.imported(place.file.id, local)?;
                    self.through(&imports)?
                } else {
                    match self.value_at(&place, receiver)? {
                        Value::Unknown => self.by_name(&place, name, site.role)?,
                        value => self.member(&value, name, &place)?,
                    }
                }
            }
        };
        // A function is called, a field is not, where both have the name.
        if site.role == 0 && found.iter().any(|(symbol, _)| !is_data(&symbol.kind)) {
            found.retain(|(symbol, _)| !is_data(&symbol.kind));
        }
        found.sort_by_key(|(symbol, resolution)| (symbol.id, *resolution));
        found.dedup_by_key(|(symbol, _)| symbol.id);
        if found.len() > 1 {
            // Rows have the order in which files were read, which is another every time.
            found.sort_by_cached_key(|(symbol, _)| self.lookup.place(symbol));
        }
        Ok(found)
    }

    /// The definitions that a definition stands for: the function that a property
    /// of a resolver map names.
    ///
    /// # Errors
    /// What `SQLite` reports.
    pub fn behind(&self, symbol: &Rc<Symbol>) -> Result<Vec<Rc<Symbol>>> {
        let (Some(gives), Some(place)) = (&symbol.gives, self.place_of(symbol)?) else {
            return Ok(Vec::new());
        };
        let gives = gives.as_str();
        let found = match gives.rsplit_once('.') {
            _ if gives.ends_with(['>', ')']) => Vec::new(),
            None => self.bare(&place, gives)?,
            Some((receiver, name)) => {
                let value = self.value_at(&place, receiver)?;
                self.member(&value, name, &place)?
            }
        };
        Ok(found
            .into_iter()
            .map(|(found, _)| found)
            .filter(|found| found.id != symbol.id)
            .collect())
    }
}

/// Whether a kind of definition is data, which has a type of its own.
#[must_use]
pub fn is_data(kind: &str) -> bool {
    matches!(kind, "field" | "property" | "variable" | "constant" | "type")
}
