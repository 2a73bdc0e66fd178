//! The members of a type, its own and those of what it builds on.

use std::rc::Rc;

use super::{Found, MAX_BASES, Place, Resolution, Resolver, Result, Value};
use crate::code::graph::{
    extract::is_type,
    languages::Language,
    lookup::{FileRow, Symbol},
};

impl Resolver<'_, '_> {
    /// The members of that name.
    pub(super) fn member(&self, value: &Value, name: &str, place: &Place) -> Result<Found> {
        match value {
            Value::Type(symbol) => self.member_of_type(symbol, name, false),
            Value::Bases(symbol) => self.member_of_type(symbol, name, true),
            Value::Module(key, scope) => {
                let direct = self.in_module(key, scope, name, &place.file)?;
                if !direct.is_empty() || place.file.language == Language::Rust {
                    return Ok(direct);
                }
                let mut found = Vec::new();
                for key in self.lookup.meant(key, &place.file)?.iter() {
                    found.extend(self.in_module(key, scope, name, &place.file)?);
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
            Value::Item(symbol) => match self.given(symbol)? {
                Value::Item(_) | Value::Unknown => Ok(Vec::new()),
                value => self.member(&value, name, place),
            },
            Value::Outside | Value::Unknown => Ok(Vec::new()),
        }
    }

    pub(super) fn family(&self, symbol: &Symbol) -> Result<Option<u8>> {
        Ok(self.lookup.file(symbol.file)?.map(|file| file.language.family()))
    }

    pub(super) fn types_named(&self, name: &str, family: u8) -> Result<Vec<Rc<Symbol>>> {
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
    pub(super) fn member_of_type(
        &self,
        of: &Rc<Symbol>,
        name: &str,
        above_only: bool,
    ) -> Result<Found> {
        let mut seen = vec![of.id];
        let mut level = vec![Rc::clone(of)];
        let mut first = true;
        while !level.is_empty() && seen.len() <= MAX_BASES {
            if !(first && above_only) {
                let mut found = Vec::new();
                for holder in &level {
                    for symbol in self.lookup.owned(&holder.name, name)?.iter() {
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
                for base in self.bases(&holder)?.iter() {
                    if !seen.contains(&base.id) {
                        seen.push(base.id);
                        above.push(Rc::clone(base));
                    }
                }
            }
            level = above;
        }
        Ok(Vec::new())
    }

    /// Whether a definition is a member of this type, rather than of another of
    /// the same name.
    pub(super) fn is_member(&self, symbol: &Symbol, of: &Symbol) -> Result<bool> {
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
        let found = self.bare(&place, &of.name)?;
        Ok(found.iter().any(|(found, _)| found.id == of.id))
    }

    /// Whether two definitions are parts of one type: Ruby and C# allow it.
    pub(super) fn is_reopened(&self, one: &Symbol, other: &Symbol) -> bool {
        one.scope == other.scope
            && self
                .lookup
                .file(one.file)
                .ok()
                .flatten()
                .is_some_and(|file| matches!(file.language, Language::Ruby | Language::CSharp))
    }

    fn bases(&self, of: &Rc<Symbol>) -> Result<Rc<[Rc<Symbol>]>> {
        // Types build on each other in circles too: see `in_module`.
        if let Some(bases) = self.bases.borrow().get(&of.id) {
            return Ok(Rc::clone(bases));
        }
        self.bases.borrow_mut().insert(of.id, Rc::from([]));
        let bases: Rc<[Rc<Symbol>]> = self.deeper(|| self.find_bases(of))?.into();
        self.bases.borrow_mut().insert(of.id, Rc::clone(&bases));
        Ok(bases)
    }

    fn find_bases(&self, of: &Rc<Symbol>) -> Result<Vec<Rc<Symbol>>> {
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
            if let Value::Type(base) = self.path(&place, base)? {
                found.push(base);
            }
        }
        Ok(found)
    }

    pub(super) fn means(&self, file: &Rc<FileRow>, name: &str, symbol: &Symbol) -> Result<bool> {
        if self.types_named(name, file.language.family())?.len() == 1 {
            return Ok(true);
        }
        let place = Place { file: Rc::clone(file), within: 0 };
        Ok(self.bare(&place, name)?.iter().any(|(found, _)| found.id == symbol.id))
    }
}
