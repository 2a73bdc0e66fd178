//! What an expression comes to: its trail, followed step by step.

use std::rc::Rc;

use super::{MAX_BASES, Place, Resolver, Result, Value, is_data};
use crate::code::graph::{
    expression::{SUPER, UNKNOWN},
    extract::is_type,
    languages::{
        Language, Reach,
        imports::rust_module,
        modules::{EXACT, join},
    },
    lookup::Symbol,
};

impl Resolver<'_, '_> {
    pub(super) fn place_of(&self, symbol: &Symbol) -> Result<Option<Place>> {
        let file = self.lookup.file(symbol.file)?;
        Ok(file.map(|file| Place { file, within: symbol.id }))
    }

    pub(super) fn value_at(&self, place: &Place, trail: &str) -> Result<Value> {
        let key = (place.file.id, place.within, trail.to_owned());
        if let Some(value) = self.values.borrow().get(&key) {
            return Ok(value.clone());
        }
        let value = self.value(place, trail)?;
        self.values.borrow_mut().insert(key, value.clone());
        Ok(value)
    }

    /// What a trail comes to.
    pub(super) fn value(&self, place: &Place, trail: &str) -> Result<Value> {
        self.deeper(|| self.follow(place, trail))
    }

    fn follow(&self, place: &Place, trail: &str) -> Result<Value> {
        let (mut value, rest) = if let Some(rest) = trail.strip_prefix('<') {
            let (path, rest) = rest.split_once('>').unwrap_or((rest, ""));
            (self.path(place, path)?, rest)
        } else {
            let (head, rest) = trail.split_once('.').unwrap_or((trail, ""));
            let name = head.trim_end_matches("()");
            let value = self.head(place, name)?;
            let value = if head == name { value } else { self.called(&value)? };
            (value, rest)
        };
        for step in rest.split('.').filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches("()");
            value = self.step(&value, name, place)?;
            if name != step {
                value = self.called(&value)?;
            }
        }
        match value {
            Value::Item(symbol) if is_data(&symbol.kind) => self.given(&symbol),
            value => Ok(value),
        }
    }

    /// The type at a dotted path.
    pub(super) fn path(&self, place: &Place, path: &str) -> Result<Value> {
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
        let mut value = self.head(place, head)?;
        for step in rest.split('.').filter(|step| !step.is_empty()) {
            value = self.step(&value, step, place)?;
        }
        Ok(match value {
            Value::Type(_) | Value::Bases(_) => value,
            Value::Item(symbol) if symbol.kind == "type" => self.given(&symbol)?,
            // A name that leads nowhere still names the type that members were
            // added to, an extension of a type of another library.
            Value::Unknown | Value::Outside => {
                Value::Foreign(path.rsplit('.').next().unwrap_or(path).to_owned())
            }
            value => value,
        })
    }

    pub(super) fn head(&self, place: &Place, name: &str) -> Result<Value> {
        let rust = place.file.language == Language::Rust;
        match name {
            UNKNOWN => return Ok(Value::Unknown),
            "self" | "Self" => return self.own_type(place),
            SUPER => {
                return Ok(match self.own_type(place)? {
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
        let found = self.bare(place, name)?;
        if let Some((symbol, _)) = found.first() {
            return self.as_value(symbol);
        }
        if place.file.language.family() == Language::JavaScript.family()
            && matches!(name, "exports" | "module")
        {
            return Ok(Value::Module(place.file.module.clone(), String::new()));
        }
        // A module, or something from outside.
        if let Some(import) = self.lookup.imported(place.file.id, name)?.first() {
            return self.module_of(import);
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
    pub(super) fn as_value(&self, symbol: &Rc<Symbol>) -> Result<Value> {
        if is_type(&symbol.kind) {
            return Ok(Value::Type(Rc::clone(symbol)));
        }
        match symbol.kind.as_str() {
            "module" => self.module(symbol),
            "type" => self.given(symbol),
            "variant" => match self.place_of(symbol)? {
                Some(place) => self.own_type(&place),
                None => Ok(Value::Unknown),
            },
            _ => Ok(Value::Item(Rc::clone(symbol))),
        }
    }

    pub(super) fn module(&self, symbol: &Rc<Symbol>) -> Result<Value> {
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
    pub(super) fn own_type(&self, place: &Place) -> Result<Value> {
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
                let outer = Place { within: symbol.parent.unwrap_or_default(), ..place.clone() };
                let found = self.bare(&outer, owner)?;
                return match found.first() {
                    Some((found, _)) => self.as_value(found),
                    None => Ok(Value::Foreign(owner.clone())),
                };
            }
            left -= 1;
            next = symbol.parent.filter(|_| left > 0);
        }
        Ok(Value::Unknown)
    }

    /// What a definition is, or gives where it is called.
    pub(super) fn given(&self, symbol: &Rc<Symbol>) -> Result<Value> {
        let (Some(gives), Some(place)) = (&symbol.gives, self.place_of(symbol)?) else {
            return Ok(Value::Unknown);
        };
        let place = Place {
            within: symbol.parent.filter(|_| symbol.owner.is_none()).unwrap_or(symbol.id),
            ..place
        };
        self.value(&place, gives)
    }

    pub(super) fn called(&self, value: &Value) -> Result<Value> {
        match value {
            Value::Item(symbol) => self.given(symbol),
            Value::Type(_) | Value::Bases(_) | Value::Foreign(_) | Value::Outside => {
                Ok(value.clone())
            }
            Value::Module(..) | Value::Unknown => Ok(Value::Unknown),
        }
    }

    pub(super) fn step(&self, value: &Value, name: &str, place: &Place) -> Result<Value> {
        let value = match value {
            Value::Item(symbol) => self.given(symbol)?,
            value => value.clone(),
        };
        if let Some((symbol, _)) = self.member(&value, name, place)?.first() {
            return self.as_value(symbol);
        }
        match value {
            Value::Module(key, scope) if scope.is_empty() && name == "exports" => {
                Ok(Value::Module(key, scope))
            }
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
}
