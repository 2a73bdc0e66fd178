//! What imports stand for, and what a module holds or hands on.

use std::rc::Rc;

use super::{Found, Place, Resolution, Resolver, Result, Value};
use crate::code::graph::{
    extract::is_type,
    languages::{
        Language,
        imports::DEFAULT,
        modules::{EXACT, join, last, parent},
    },
    lookup::{FileRow, ImportRow},
};

impl Resolver<'_, '_> {
    /// What imports stand for.
    pub(super) fn through(&self, imports: &[ImportRow]) -> Result<Found> {
        let mut found = Vec::new();
        for import in imports {
            let Some(name) = &import.name else { continue };
            let Some(file) = self.lookup.file(import.file)? else { continue };
            let keys = self.lookup.meant(&import.module, &file)?;
            for key in keys.iter() {
                found.extend(self.in_module(key, "", name, &file)?);
            }
            if found.is_empty() {
                found.extend(self.in_type(&import.module, name, &file)?);
            }
        }
        Ok(found)
    }

    /// A member of a type that an import names by the type's path.
    pub(super) fn in_type(&self, path: &str, name: &str, file: &Rc<FileRow>) -> Result<Found> {
        let (above, holder) = (parent(path), last(path));
        if holder.is_empty() {
            return Ok(Vec::new());
        }
        let above = if above == "." { EXACT } else { above };
        let place = Place { file: Rc::clone(file), within: 0 };
        let holders = if above.is_empty() && file.language == Language::Rust {
            // `use Kind::A` names a type of the same file.
            self.bare(&place, holder)?
        } else {
            let mut holders = Vec::new();
            for key in self.lookup.meant(above, file)?.iter() {
                holders.extend(self.in_module(key, "", holder, file)?);
            }
            holders
        };
        let mut found = Vec::new();
        for (holder, _) in holders {
            let value = self.as_value(&holder)?;
            found.extend(self.member(&value, name, &place)?);
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Imported)).collect())
    }

    pub(super) fn through_glob(&self, glob: &ImportRow, name: &str) -> Result<Found> {
        let Some(file) = self.lookup.file(glob.file)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for key in self.lookup.meant(&glob.module, &file)?.iter() {
            if *key != file.module || file.language != Language::Rust {
                found.extend(self.in_module(key, "", name, &file)?);
            }
        }
        if found.is_empty() {
            found = self.in_type(&glob.module, name, &file)?;
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Package)).collect())
    }

    /// The definitions of a name in a module, or that it hands on.
    pub(super) fn in_module(
        &self,
        key: &str,
        scope: &str,
        name: &str,
        from: &FileRow,
    ) -> Result<Found> {
        // Modules hand on each other's names in circles: while one is looked
        // through, and ever after, what it was found to hold is its answer.
        let asked = (key.to_owned(), scope.to_owned(), name.to_owned(), from.language.family());
        if let Some(found) = self.held.borrow().get(&asked) {
            return Ok(found.clone());
        }
        self.held.borrow_mut().insert(asked.clone(), Vec::new());
        let found = self.deeper(|| self.held_by(key, scope, name, from))?;
        self.held.borrow_mut().insert(asked, found.clone());
        Ok(found)
    }

    fn held_by(&self, key: &str, scope: &str, name: &str, from: &FileRow) -> Result<Found> {
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
                found.extend(self.through(&handed_on)?);
            }
        }
        if !found.is_empty() || name == DEFAULT {
            return Ok(found);
        }
        for file in files.iter() {
            for glob in self.lookup.globs(*file)? {
                found.extend(self.through_glob(&glob, name)?);
            }
        }
        Ok(found.into_iter().map(|(symbol, _)| (symbol, Resolution::Imported)).collect())
    }

    pub(super) fn in_module_of_file(
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

    pub(super) fn module_of(&self, import: &ImportRow) -> Result<Value> {
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
}
