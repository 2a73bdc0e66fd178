//! What a name means at its place, as far as syntax says.
//!
//! A bare name is looked for in the scopes around it, in what the file imports,
//! in the type and the package around it. A name on a receiver is looked for
//! among the members of what the receiver's trail comes to. Where that cannot be
//! said, a name that only one definition has, and that no standard library
//! uses, still leads to it; the [`Resolution`] tells one from the other.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    common::is_common,
    expression::{SUPER, UNKNOWN},
    extract::is_type,
    languages::{
        Language, Reach,
        imports::rust_module,
        modules::{EXACT, join, last, parent},
    },
    lookup::{FileRow, ImportRow, Lookup, Site, Symbol},
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

/// Steps of one trail that lead through other definitions: what a function gives
/// may be what another gives, and so on, in a circle too.
const MAX_DEPTH: u8 = 8;
/// Types above a type that are looked at for a member.
const MAX_BASES: usize = 48;
/// Definitions of a name among which nothing but the name chooses.
const MAX_NAMESAKES: usize = 1;

/// What an expression comes to.
#[derive(Clone, Debug)]
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
    Unknown,
}

type Found = Vec<(Rc<Symbol>, Resolution)>;
type Result<T> = rusqlite::Result<T>;

/// Finds out what names mean.
pub struct Resolver<'l, 'c> {
    lookup: &'l Lookup<'c>,
    values: RefCell<HashMap<(i64, i64, String), Value>>,
}

/// A place in a file: what is around it decides what names mean.
#[derive(Clone)]
struct Place {
    file: Rc<FileRow>,
    within: i64,
}

impl<'l, 'c> Resolver<'l, 'c> {
    /// Resolves by these tables.
    #[must_use]
    pub fn new(lookup: &'l Lookup<'c>) -> Self {
        Self { lookup, values: RefCell::default() }
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
            "" => match self.bare(&place, name, MAX_DEPTH)? {
                found if found.is_empty() => self.far(&place, name, site.role)?,
                found => found,
            },
            "!" => self.macros(&place, name)?,
            UNKNOWN => self.by_name(&place, name, site.role)?,
            receiver => {
                if let Some(local) = receiver.strip_prefix('@') {
                    let imports = self.lookup.imported(place.file.id, local)?;
                    self.through(&imports, MAX_DEPTH)?
                } else {
                    match self.value_at(&place, receiver)? {
                        Value::Unknown => self.by_name(&place, name, site.role)?,
                        value => self.member(&value, name, &place, MAX_DEPTH)?,
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
            None => self.bare(&place, gives, MAX_DEPTH)?,
            Some((receiver, name)) => {
                let value = self.value_at(&place, receiver)?;
                self.member(&value, name, &place, MAX_DEPTH)?
            }
        };
        Ok(found
            .into_iter()
            .map(|(found, _)| found)
            .filter(|found| found.id != symbol.id)
            .collect())
    }

    fn place_of(&self, symbol: &Symbol) -> Result<Option<Place>> {
        let file = self.lookup.file(symbol.file)?;
        Ok(file.map(|file| Place { file, within: symbol.id }))
    }

    fn value_at(&self, place: &Place, trail: &str) -> Result<Value> {
        let key = (place.file.id, place.within, trail.to_owned());
        if let Some(value) = self.values.borrow().get(&key) {
            return Ok(value.clone());
        }
        let value = self.value(place, trail, MAX_DEPTH)?;
        self.values.borrow_mut().insert(key, value.clone());
        Ok(value)
    }

    /// What a trail comes to.
    fn value(&self, place: &Place, trail: &str, depth: u8) -> Result<Value> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Value::Unknown) };
        let (mut value, rest) = if let Some(rest) = trail.strip_prefix('<') {
            let (path, rest) = rest.split_once('>').unwrap_or((rest, ""));
            (self.path(place, path, depth)?, rest)
        } else {
            let (head, rest) = trail.split_once('.').unwrap_or((trail, ""));
            let name = head.trim_end_matches("()");
            let value = self.head(place, name, depth)?;
            let value = if head == name { value } else { self.called(&value, depth)? };
            (value, rest)
        };
        for step in rest.split('.').filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches("()");
            value = self.step(&value, name, place, depth)?;
            if name != step {
                value = self.called(&value, depth)?;
            }
        }
        match value {
            Value::Item(symbol) if is_data(&symbol.kind) => self.given(&symbol, depth),
            value => Ok(value),
        }
    }

    /// The type at a dotted path.
    fn path(&self, place: &Place, path: &str, depth: u8) -> Result<Value> {
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
        let mut value = self.head(place, head, depth)?;
        for step in rest.split('.').filter(|step| !step.is_empty()) {
            value = self.step(&value, step, place, depth)?;
        }
        Ok(match value {
            Value::Type(_) | Value::Bases(_) => value,
            Value::Item(symbol) if symbol.kind == "type" => self.given(&symbol, depth)?,
            // A name that leads nowhere still names the type that members were
            // added to, an extension of a type of another library.
            Value::Unknown | Value::Outside => {
                Value::Foreign(path.rsplit('.').next().unwrap_or(path).to_owned())
            }
            value => value,
        })
    }

    fn head(&self, place: &Place, name: &str, depth: u8) -> Result<Value> {
        let rust = place.file.language == Language::Rust;
        match name {
            UNKNOWN => return Ok(Value::Unknown),
            "self" | "Self" => return self.own_type(place, depth),
            SUPER => {
                return Ok(match self.own_type(place, depth)? {
                    Value::Type(symbol) => Value::Bases(symbol),
                    value => value,
                });
            }
            "crate" | "self::" | "super::" if rust => {
                let key = rust_module(name.trim_end_matches(':'), &place.file.module);
                return Ok(Value::Module(key.trim_start_matches(EXACT).to_owned(), String::new()));
            }
            _ => {}
        }
        let found = self.bare(place, name, depth)?;
        if let Some((symbol, _)) = found.first() {
            return self.as_value(symbol, depth);
        }
        // A module, or something from outside.
        for import in self.lookup.imported(place.file.id, name)? {
            return self.module_of(&import);
        }
        if rust {
            let below = self.lookup.meant(name, &place.file)?;
            if let Some(key) = below.first() {
                return Ok(Value::Module(key.clone(), String::new()));
            }
        }
        let by_path = matches!(
            place.file.language,
            Language::CSharp | Language::Php | Language::Java | Language::Kotlin
        );
        if by_path && !self.lookup.meant(name, &place.file)?.is_empty() {
            return Ok(Value::Module(name.to_owned(), String::new()));
        }
        let reach = place.file.language.reach();
        Ok(if reach == Reach::File || name.starts_with(char::is_uppercase) {
            Value::Outside
        } else {
            Value::Unknown
        })
    }

    /// What a use of a definition's name comes to.
    fn as_value(&self, symbol: &Rc<Symbol>, depth: u8) -> Result<Value> {
        if is_type(&symbol.kind) {
            return Ok(Value::Type(Rc::clone(symbol)));
        }
        match symbol.kind.as_str() {
            "module" => self.module(symbol),
            "type" => self.given(symbol, depth),
            "variant" => match self.place_of(symbol)? {
                Some(place) => self.own_type(&place, depth),
                None => Ok(Value::Unknown),
            },
            _ => Ok(Value::Item(Rc::clone(symbol))),
        }
    }

    fn module(&self, symbol: &Rc<Symbol>) -> Result<Value> {
        let Some(file) = self.lookup.file(symbol.file)? else { return Ok(Value::Unknown) };
        if file.language == Language::Ruby {
            return Ok(Value::Type(Rc::clone(symbol)));
        }
        let below = join(&file.module, &symbol.qualified().replace('.', "/"));
        if file.language == Language::Rust && !self.lookup.files_of(&below)?.is_empty() {
            return Ok(Value::Module(below, String::new()));
        }
        Ok(Value::Module(file.module.clone(), symbol.qualified()))
    }

    /// The type around a place.
    fn own_type(&self, place: &Place, depth: u8) -> Result<Value> {
        let mut next = Some(place.within);
        let mut left = MAX_BASES;
        while let Some(symbol) = next.map(|id| self.lookup.symbol(id)).transpose()?.flatten() {
            let of_ruby = symbol.kind == "module" && place.file.language == Language::Ruby;
            if is_type(&symbol.kind) || of_ruby {
                return Ok(Value::Type(symbol));
            }
            if let Some(owner) = &symbol.owner {
                let around = symbol.parent.map(|id| self.lookup.symbol(id)).transpose()?.flatten();
                if let Some(around) = around
                    && around.name == *owner
                    && (is_type(&around.kind) || around.kind == "module")
                {
                    return Ok(Value::Type(around));
                }
                let Some(depth) = depth.checked_sub(1) else { return Ok(Value::Unknown) };
                let outer = Place { within: symbol.parent.unwrap_or_default(), ..place.clone() };
                let found = self.bare(&outer, owner, depth)?;
                return match found.first() {
                    Some((found, _)) => self.as_value(found, depth),
                    None => Ok(Value::Foreign(owner.clone())),
                };
            }
            left -= 1;
            next = symbol.parent.filter(|_| left > 0);
        }
        Ok(Value::Unknown)
    }

    /// What a definition is, or gives where it is called.
    fn given(&self, symbol: &Rc<Symbol>, depth: u8) -> Result<Value> {
        let (Some(gives), Some(place), Some(depth)) =
            (&symbol.gives, self.place_of(symbol)?, depth.checked_sub(1))
        else {
            return Ok(Value::Unknown);
        };
        let place = Place {
            within: symbol.parent.filter(|_| symbol.owner.is_none()).unwrap_or(symbol.id),
            ..place
        };
        self.value(&place, gives, depth)
    }

    fn called(&self, value: &Value, depth: u8) -> Result<Value> {
        match value {
            Value::Item(symbol) => self.given(symbol, depth),
            Value::Type(_) | Value::Foreign(_) | Value::Outside => Ok(value.clone()),
            Value::Module(..) | Value::Bases(_) | Value::Unknown => Ok(Value::Unknown),
        }
    }

    fn step(&self, value: &Value, name: &str, place: &Place, depth: u8) -> Result<Value> {
        let value = match value {
            Value::Item(symbol) => self.given(symbol, depth)?,
            value => value.clone(),
        };
        if let Some((symbol, _)) = self.member(&value, name, place, depth)?.first() {
            return self.as_value(symbol, depth);
        }
        match value {
            Value::Module(key, scope) if scope.is_empty() => {
                let below = join(&key, name);
                let known = !self.lookup.files_of(&below)?.is_empty()
                    || place.file.language == Language::Rust
                    || !self.lookup.meant(&below, &place.file)?.is_empty();
                Ok(if known { Value::Module(below, String::new()) } else { Value::Outside })
            }
            Value::Module(key, scope) => Ok(Value::Module(key, format!("{scope}.{name}"))),
            Value::Type(symbol) if name == "new" && place.file.language == Language::Ruby => {
                Ok(Value::Type(symbol))
            }
            Value::Outside | Value::Foreign(_) => Ok(Value::Outside),
            Value::Type(_) | Value::Bases(_) | Value::Item(_) | Value::Unknown => {
                Ok(Value::Unknown)
            }
        }
    }

    /// The definitions of a bare name, the nearest only.
    fn bare(&self, place: &Place, name: &str, depth: u8) -> Result<Found> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let language = place.file.language;
        let named = self.lookup.named(name)?;
        let here: Vec<&Rc<Symbol>> = named
            .iter()
            .filter(|symbol| symbol.file == place.file.id && symbol.kind != "file")
            .collect();
        if !here.is_empty() {
            let mut next = Some(place.within);
            while let Some(around) = next {
                let is_here = |symbol: &&Rc<Symbol>| {
                    (symbol.parent == Some(around) || symbol.id == around && is_type(&symbol.kind))
                        && (symbol.owner.is_none()
                            || language.members_are_bare()
                            || is_type(&symbol.kind))
                };
                let found: Found = here
                    .iter()
                    .filter(|symbol| is_here(symbol))
                    .map(|symbol| (Rc::clone(symbol), Resolution::Scoped))
                    .collect();
                if !found.is_empty() {
                    return Ok(found);
                }
                next = self.lookup.symbol(around)?.and_then(|symbol| symbol.parent);
            }
        }
        let imports = self.lookup.imported(place.file.id, name)?;
        if !imports.is_empty() {
            return self.through(&imports, depth);
        }
        if language.members_are_bare()
            && let Value::Type(own) = self.own_type_of_member(place, name, depth)?
        {
            let found = self.member(&Value::Type(own), name, place, depth)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let free = |symbol: &&Rc<Symbol>| {
            symbol.kind != "file" && symbol.owner.is_none() && symbol.file != place.file.id
        };
        if language.reach() == Reach::Package {
            let found = self.in_package(named.iter().filter(free), place)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        for glob in self.lookup.globs(place.file.id)? {
            let found = self.through_glob(&glob, name, depth)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if language.reach() == Reach::Program {
            return self.in_program(named.iter().filter(|symbol| symbol.kind != "file"), place);
        }
        Ok(Vec::new())
    }

    fn own_type_of_member(&self, place: &Place, name: &str, depth: u8) -> Result<Value> {
        // A type's name is no member of a type around it that has no such member.
        if place.file.language != Language::Kotlin
            && name.starts_with(char::is_uppercase)
            && place.file.language != Language::CSharp
        {
            return Ok(Value::Unknown);
        }
        self.own_type(place, depth)
    }

    /// Those in the same package, or in one around it.
    fn in_package<'s>(
        &self,
        named: impl Iterator<Item = &'s Rc<Symbol>>,
        place: &Place,
    ) -> Result<Found> {
        let own = place.file.module.as_str();
        let nested = place.file.language == Language::CSharp;
        let mut found: Vec<(usize, Rc<Symbol>)> = Vec::new();
        for symbol in named.filter(|symbol| symbol.scope.is_empty()) {
            let Some(file) = self.lookup.file(symbol.file)? else { continue };
            let module = file.module.as_str();
            let around = nested
                && (module.is_empty()
                    || own.strip_prefix(module).is_some_and(|rest| rest.starts_with('/')));
            if file.language.family() == place.file.language.family() && (module == own || around) {
                found.push((module.len(), Rc::clone(symbol)));
            }
        }
        let nearest = found.iter().map(|(length, _)| *length).max();
        Ok(found
            .into_iter()
            .filter(|(length, _)| Some(*length) == nearest)
            .map(|(_, symbol)| (symbol, Resolution::Package))
            .collect())
    }

    /// Ruby: a constant is looked for in the modules around it, then everywhere;
    /// a function that is no member is everywhere.
    fn in_program<'s>(
        &self,
        named: impl Iterator<Item = &'s Rc<Symbol>>,
        place: &Place,
    ) -> Result<Found> {
        let within = self.lookup.symbol(place.within)?;
        let own = within.map(|symbol| symbol.qualified()).unwrap_or_default();
        let mut found: Vec<(usize, Rc<Symbol>)> = Vec::new();
        for symbol in named {
            let constant =
                is_type(&symbol.kind) || matches!(symbol.kind.as_str(), "module" | "constant");
            if !constant && symbol.owner.is_some() {
                continue;
            }
            let Some(file) = self.lookup.file(symbol.file)? else { continue };
            if file.language != Language::Ruby {
                continue;
            }
            let scope = symbol.scope.as_str();
            let around = own == scope
                || own
                    .strip_prefix(scope)
                    .is_some_and(|rest| scope.is_empty() || rest.starts_with('.'));
            if around {
                found.push((scope.len(), Rc::clone(symbol)));
            }
        }
        let nearest = found.iter().map(|(length, _)| *length).max();
        Ok(found
            .into_iter()
            .filter(|(length, _)| Some(*length) == nearest)
            .map(|(_, symbol)| (symbol, Resolution::Package))
            .collect())
    }

    /// What imports stand for.
    fn through(&self, imports: &[ImportRow], depth: u8) -> Result<Found> {
        let mut found = Vec::new();
        for import in imports {
            let Some(name) = &import.name else { continue };
            let Some(file) = self.lookup.file(import.file)? else { continue };
            let keys = self.lookup.meant(&import.module, &file)?;
            for key in keys.iter() {
                found.extend(self.in_module(key, "", name, &file, depth)?);
            }
            if found.is_empty() {
                found.extend(self.in_type(&import.module, name, &file, depth)?);
            }
        }
        Ok(found)
    }

    /// A member of a type that an import names by the type's path.
    fn in_type(&self, path: &str, name: &str, file: &Rc<FileRow>, depth: u8) -> Result<Found> {
        let (above, holder) = (parent(path), last(path));
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        if holder.is_empty() {
            return Ok(Vec::new());
        }
        let above = if above == "." { EXACT } else { above };
        let place = Place { file: Rc::clone(file), within: 0 };
        let holders = if above.is_empty() && file.language == Language::Rust {
            // `use Kind::A` names a type of the same file.
            self.bare(&place, holder, depth)?
        } else {
            let mut holders = Vec::new();
            for key in self.lookup.meant(above, file)?.iter() {
                holders.extend(self.in_module(key, "", holder, file, depth)?);
            }
            holders
        };
        let mut found = Vec::new();
        for (holder, _) in holders {
            let value = self.as_value(&holder, depth)?;
            found.extend(self.member(&value, name, &place, depth)?);
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Imported)).collect())
    }

    fn through_glob(&self, glob: &ImportRow, name: &str, depth: u8) -> Result<Found> {
        let Some(file) = self.lookup.file(glob.file)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for key in self.lookup.meant(&glob.module, &file)?.iter() {
            if *key != file.module || file.language != Language::Rust {
                found.extend(self.in_module(key, "", name, &file, depth)?);
            }
        }
        if found.is_empty() {
            found = self.in_type(&glob.module, name, &file, depth)?;
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Package)).collect())
    }

    /// The definitions of a name in a module, or that it hands on.
    fn in_module(
        &self,
        key: &str,
        scope: &str,
        name: &str,
        from: &FileRow,
        depth: u8,
    ) -> Result<Found> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let files = self.lookup.files_of(key)?;
        if files.is_empty() && scope.is_empty() && from.language == Language::Rust {
            // The module may stand inside a file.
            let (above, inner) = (parent(key), last(key));
            return if above.is_empty() || inner.is_empty() {
                Ok(Vec::new())
            } else {
                self.in_module_of_file(above, inner, name, from)
            };
        }
        let family = from.language.family();
        let mut found = Vec::new();
        for symbol in self.lookup.named(name)?.iter() {
            let free = symbol.owner.is_none() || is_type(&symbol.kind);
            if symbol.scope == scope
                && free
                && symbol.kind != "file"
                && files.contains(&symbol.file)
            {
                let file = self.lookup.file(symbol.file)?;
                if file.is_some_and(|file| file.language.family() == family) {
                    found.push((Rc::clone(symbol), Resolution::Imported));
                }
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        for file in files.iter() {
            let handed_on = self.lookup.imported(*file, name)?;
            if !handed_on.is_empty() {
                found.extend(self.through(&handed_on, depth)?);
            }
        }
        if !found.is_empty() || name == super::languages::imports::DEFAULT {
            return Ok(found);
        }
        for file in files.iter() {
            for glob in self.lookup.globs(*file)? {
                found.extend(self.through_glob(&glob, name, depth.min(4))?);
            }
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Imported)).collect())
    }

    fn in_module_of_file(
        &self,
        above: &str,
        inner: &str,
        name: &str,
        from: &FileRow,
    ) -> Result<Found> {
        let files = self.lookup.files_of(above)?;
        let family = from.language.family();
        let mut found = Vec::new();
        for symbol in self.lookup.named(name)?.iter() {
            if symbol.scope == inner && files.contains(&symbol.file) && symbol.owner.is_none() {
                let file = self.lookup.file(symbol.file)?;
                if file.is_some_and(|file| file.language.family() == family) {
                    found.push((Rc::clone(symbol), Resolution::Imported));
                }
            }
        }
        Ok(found)
    }

    fn module_of(&self, import: &ImportRow) -> Result<Value> {
        let Some(file) = self.lookup.file(import.file)? else { return Ok(Value::Unknown) };
        let path = match &import.name {
            Some(name) if import.module == EXACT => format!("{EXACT}{name}"),
            Some(name) => join(&import.module, name),
            None => import.module.clone(),
        };
        let keys = self.lookup.meant(&path, &file)?;
        for key in keys.iter() {
            if file.language == Language::Rust || !self.lookup.files_of(key)?.is_empty() {
                return Ok(Value::Module(key.clone(), String::new()));
            }
        }
        // The folder of a package without a file of its own.
        let below =
            import.name.is_none() && file.language == Language::Python && path.starts_with(EXACT);
        Ok(if below {
            Value::Module(path.trim_start_matches(EXACT).to_owned(), String::new())
        } else {
            Value::Outside
        })
    }

    /// The members of that name.
    fn member(&self, value: &Value, name: &str, place: &Place, depth: u8) -> Result<Found> {
        match value {
            Value::Type(symbol) => self.member_of_type(symbol, name, false),
            Value::Bases(symbol) => self.member_of_type(symbol, name, true),
            Value::Module(key, scope) => {
                let direct = self.in_module(key, scope, name, &place.file, depth)?;
                if !direct.is_empty() || place.file.language == Language::Rust {
                    return Ok(direct);
                }
                let mut found = Vec::new();
                for key in self.lookup.meant(key, &place.file)?.iter() {
                    found.extend(self.in_module(key, scope, name, &place.file, depth)?);
                }
                Ok(found)
            }
            Value::Foreign(owner) => {
                let family = place.file.language.family();
                let mut found = Vec::new();
                for symbol in self.lookup.named(name)?.iter() {
                    if symbol.owner.as_deref() == Some(owner)
                        && self.family(symbol)? == Some(family)
                        && self.types_named(owner, family)?.is_empty()
                    {
                        found.push((Rc::clone(symbol), Resolution::Receiver));
                    }
                }
                Ok(found)
            }
            Value::Item(symbol) => match self.given(symbol, depth)? {
                Value::Item(_) | Value::Unknown => Ok(Vec::new()),
                value => self.member(&value, name, place, depth.saturating_sub(1)),
            },
            Value::Outside | Value::Unknown => Ok(Vec::new()),
        }
    }

    fn family(&self, symbol: &Symbol) -> Result<Option<u8>> {
        Ok(self.lookup.file(symbol.file)?.map(|file| file.language.family()))
    }

    fn types_named(&self, name: &str, family: u8) -> Result<Vec<Rc<Symbol>>> {
        let mut found = Vec::new();
        for symbol in self.lookup.named(name)?.iter() {
            if is_type(&symbol.kind) && self.family(symbol)? == Some(family) {
                found.push(Rc::clone(symbol));
            }
        }
        Ok(found)
    }

    /// The members of a type or, where it has none of the name, of the nearest
    /// types that it builds on.
    fn member_of_type(&self, of: &Rc<Symbol>, name: &str, above_only: bool) -> Result<Found> {
        let named = self.lookup.named(name)?;
        let mut seen = vec![of.id];
        let mut level = vec![Rc::clone(of)];
        let mut first = true;
        while !level.is_empty() && seen.len() <= MAX_BASES {
            if !(first && above_only) {
                let mut found = Vec::new();
                for symbol in named.iter() {
                    for holder in &level {
                        if self.is_member(symbol, holder)? {
                            found.push((Rc::clone(symbol), Resolution::Receiver));
                        }
                    }
                }
                if !found.is_empty() {
                    return Ok(found);
                }
            }
            first = false;
            let mut above = Vec::new();
            for holder in level {
                for base in self.bases(&holder)? {
                    if !seen.contains(&base.id) {
                        seen.push(base.id);
                        above.push(base);
                    }
                }
            }
            level = above;
        }
        Ok(Vec::new())
    }

    /// Whether a definition is a member of this type, rather than of another of
    /// the same name.
    fn is_member(&self, symbol: &Symbol, of: &Symbol) -> Result<bool> {
        if symbol.owner.as_deref() != Some(&of.name) {
            return Ok(false);
        }
        if symbol.parent == Some(of.id) {
            return Ok(true);
        }
        let around = symbol.parent.map(|id| self.lookup.symbol(id)).transpose()?.flatten();
        if around.is_some_and(|around| {
            is_type(&around.kind) && around.name == of.name && !self.is_reopened(&around, of)
        }) {
            return Ok(false);
        }
        let (Some(file), Some(of_file)) =
            (self.lookup.file(symbol.file)?, self.lookup.file(of.file)?)
        else {
            return Ok(false);
        };
        if file.language.family() != of_file.language.family() {
            return Ok(false);
        }
        let types = self.types_named(&of.name, file.language.family())?;
        if types.len() == 1 {
            return Ok(true);
        }
        if file.language == Language::Go {
            return Ok(file.module == of_file.module);
        }
        let place = Place { file, within: symbol.parent.unwrap_or_default() };
        let found = self.bare(&place, &of.name, 4)?;
        Ok(found.iter().any(|(found, _)| found.id == of.id))
    }

    /// Whether two definitions are parts of one type: Ruby and C# allow it.
    fn is_reopened(&self, one: &Symbol, other: &Symbol) -> bool {
        one.scope == other.scope
            && self
                .lookup
                .file(one.file)
                .ok()
                .flatten()
                .is_some_and(|file| matches!(file.language, Language::Ruby | Language::CSharp))
    }

    fn bases(&self, of: &Rc<Symbol>) -> Result<Vec<Rc<Symbol>>> {
        let mut found = Vec::new();
        let family = self.family(of)?;
        for (file, base) in self.lookup.bases(&of.name)?.iter() {
            let Some(file) = self.lookup.file(*file)? else { continue };
            if Some(file.language.family()) != family {
                continue;
            }
            if file.id != of.file && !self.means(&file, &of.name, of)? {
                continue;
            }
            let within = if file.id == of.file { of.parent.unwrap_or(of.id) } else { 0 };
            let place = Place { file, within };
            if let Value::Type(base) = self.path(&place, base, 4)? {
                found.push(base);
            }
        }
        Ok(found)
    }

    fn means(&self, file: &Rc<FileRow>, name: &str, symbol: &Symbol) -> Result<bool> {
        if self.types_named(name, file.language.family())?.len() == 1 {
            return Ok(true);
        }
        let place = Place { file: Rc::clone(file), within: 0 };
        Ok(self.bare(&place, name, 4)?.iter().any(|(found, _)| found.id == symbol.id))
    }

    fn macros(&self, place: &Place, name: &str) -> Result<Found> {
        let named = self.lookup.named(name)?;
        let macros: Vec<&Rc<Symbol>> =
            named.iter().filter(|symbol| symbol.kind == "macro").collect();
        let here: Found = macros
            .iter()
            .filter(|symbol| symbol.file == place.file.id)
            .map(|symbol| (Rc::clone(symbol), Resolution::Scoped))
            .collect();
        if !here.is_empty() {
            return Ok(here);
        }
        let imported = self.lookup.imported(place.file.id, name)?;
        if !imported.is_empty() {
            let found = self.through(&imported, MAX_DEPTH)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(match macros.as_slice() {
            [only] if !is_common(name) => vec![(Rc::clone(only), Resolution::Name)],
            _ => Vec::new(),
        })
    }

    /// A bare name that neither scope nor import explains.
    fn far(&self, place: &Place, name: &str, role: i64) -> Result<Found> {
        let language = place.file.language;
        let explained = matches!(
            language,
            Language::TypeScript | Language::Tsx | Language::Python | Language::Rust
        );
        if explained || is_common(name) || !self.lookup.imported(place.file.id, name)?.is_empty() {
            return Ok(Vec::new());
        }
        let family = language.family();
        let mut found = Vec::new();
        for symbol in self.lookup.named(name)?.iter() {
            let fits = symbol.owner.is_none()
                && symbol.kind != "file"
                && (role != 0 || !is_data(&symbol.kind));
            if fits && symbol.scope.is_empty() && self.family(symbol)? == Some(family) {
                found.push((Rc::clone(symbol), Resolution::Name));
            }
        }
        Ok(if found.len() <= MAX_NAMESAKES { found } else { Vec::new() })
    }

    /// The member of that name, where only one type has one.
    fn by_name(&self, place: &Place, name: &str, role: i64) -> Result<Found> {
        if is_common(name) {
            return Ok(Vec::new());
        }
        let family = place.file.language.family();
        let mut found: Found = Vec::new();
        for symbol in self.lookup.named(name)?.iter() {
            let fits = symbol.owner.is_some() && (role != 0 || !is_data(&symbol.kind));
            if fits && !is_type(&symbol.kind) && self.family(symbol)? == Some(family) {
                found.push((Rc::clone(symbol), Resolution::Name));
            }
        }
        Ok(if found.len() <= MAX_NAMESAKES { found } else { Vec::new() })
    }
}

/// Whether a kind of definition is data, which has a type of its own.
#[must_use]
pub fn is_data(kind: &str) -> bool {
    matches!(kind, "field" | "property" | "variable" | "constant" | "type")
}
