//! What a bare name means, and what is tried where nothing says what a name means.

use std::rc::Rc;

use super::{Found, MAX_NAMESAKES, Place, Resolution, Resolver, Result, Value, is_data};
use crate::code::graph::{
    common::is_common,
    extract::is_type,
    languages::{Language, Reach},
    lookup::Symbol,
};

impl Resolver<'_, '_> {
    /// The definitions of a bare name, the nearest only.
    pub(super) fn bare(&self, place: &Place, name: &str) -> Result<Found> {
        // Files import all of each other's names in circles too: see `in_module`.
        let asked = (place.file.id, place.within, name.to_owned());
        if let Some(found) = self.bare.borrow().get(&asked) {
            return Ok(found.clone());
        }
        self.bare.borrow_mut().insert(asked.clone(), Vec::new());
        let found = self.deeper(|| self.nearest(place, name))?;
        self.bare.borrow_mut().insert(asked, found.clone());
        Ok(found)
    }

    fn nearest(&self, place: &Place, name: &str) -> Result<Found> {
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
            return self.through(&imports);
        }
        if language.members_are_bare()
            && let Value::Type(own) = self.own_type_of_member(place, name)?
        {
            let found = self.member(&Value::Type(own), name, place)?;
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
            let found = self.through_glob(&glob, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if language.reach() == Reach::Program {
            return self.in_program(named.iter().filter(|symbol| symbol.kind != "file"), place);
        }
        Ok(Vec::new())
    }

    pub(super) fn own_type_of_member(&self, place: &Place, name: &str) -> Result<Value> {
        // A type's name is no member of a type around it that has no such member.
        if place.file.language != Language::Kotlin
            && name.starts_with(char::is_uppercase)
            && place.file.language != Language::CSharp
        {
            return Ok(Value::Unknown);
        }
        self.own_type(place)
    }

    /// Those in the same package, or in one around it.
    pub(super) fn in_package<'s>(
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
        Ok(nearest(found))
    }

    /// Ruby: a constant is looked for in the modules around it, then everywhere;
    /// a function that is no member is everywhere.
    pub(super) fn in_program<'s>(
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
        Ok(nearest(found))
    }

    pub(super) fn macros(&self, place: &Place, name: &str) -> Result<Found> {
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
            let found = self.through(&imported)?;
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
    pub(super) fn far(&self, place: &Place, name: &str, role: i64) -> Result<Found> {
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
    pub(super) fn by_name(&self, place: &Place, name: &str, role: i64) -> Result<Found> {
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

/// Of symbols with the length of what is around them, those in the innermost.
fn nearest(found: Vec<(usize, Rc<Symbol>)>) -> Found {
    let nearest = found.iter().map(|(length, _)| *length).max();
    found
        .into_iter()
        .filter(|(length, _)| Some(*length) == nearest)
        .map(|(_, symbol)| (symbol, Resolution::Package))
        .collect()
}
