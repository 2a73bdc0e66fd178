//! Definitions, what holds them, and what types build on.

use std::collections::hash_map::Entry;

use tree_sitter::Node;

use super::{Base, Symbol, events::Event, is_type, last_name, reading::Reading};
use crate::code::graph::{
    expression::{UNKNOWN, text, type_name},
    languages::Language,
};

/// A longer name is data that looks like one.
const MAX_NAME_BYTES: usize = 200;
/// Names around a name are no longer than this: inside of more, the innermost
/// are left out.
const MAX_SCOPE_BYTES: usize = 1_000;

impl Reading<'_> {
    pub(super) fn define(&mut self, event: &Event<'_>, kind: &'static str) {
        let key = (event.name.map_or(event.start, |name| name.start_byte()), event.end);
        let gives = self.gives(event);
        if let Some(symbol) =
            self.defined.get(&key).and_then(|known| self.parsed.symbols.get_mut(*known))
        {
            // A second pattern found it: a more telling one, or one that knows its type.
            if symbol.gives.is_none() || event.kind.is_some() {
                symbol.gives = gives.or(symbol.gives.take());
            }
            if matches!(symbol.kind, "variable" | "field" | "type") && kind != "variable" {
                symbol.kind = kind;
            }
            return;
        }
        let name = event.name.map_or("default", |name| text(name, self.source));
        let name = name.trim_start_matches(['$', ':', '#']).to_owned();
        if name.len() > MAX_NAME_BYTES {
            return;
        }
        let mut parent = self.around();
        let around = self.open.last();
        let mut scope = around.map(|open| open.scope.clone()).unwrap_or_default();
        let mut owner = around.and_then(|open| open.owner.clone());
        let on = assigned_on(event.node).map(|object| text(object, self.source));
        if (kind == "field" && owner.is_none()) || on == Some("this") {
            // `self.x = …` in a method defines a member of its type.
            let holder = self.open.iter().rev().find(|open| open.owner.is_some());
            if let Some(holder) = holder {
                parent = holder.symbol.unwrap_or(parent);
                scope.clone_from(&holder.scope);
                owner.clone_from(&holder.owner);
            }
            if owner.is_none() || !on.is_none_or(|on| matches!(on, "self" | "this")) {
                return;
            }
        } else if let Some(of) = on.and_then(|on| on.strip_suffix(".prototype")) {
            owner = Some(of.to_owned());
            scope = join_dots(&scope, of);
        }
        if let Some(of) = event.of {
            owner = type_name(of, self.source).map(|name| last_name(&name).to_owned());
            scope = owner.clone().unwrap_or_default();
        }
        if kind == "field" || kind == "signature" {
            let known = self.fields.entry((parent, name.clone()));
            if let Entry::Occupied(known) = &known
                && let Some(symbol) = self.parsed.symbols.get_mut(*known.get())
            {
                symbol.gives = symbol.gives.take().or(gives);
                return;
            }
            known.or_insert(self.parsed.symbols.len());
        }
        let kind = match kind {
            "function" | "method"
                if owner.is_some() && self.language.constructor() == Some(name.as_str()) =>
            {
                "constructor"
            }
            "function" | "signature" if owner.is_some() => "method",
            "method" if owner.is_none() && self.language == Language::Ruby => "function",
            "signature" => "function",
            kind => kind,
        };
        let line = event.name.unwrap_or(event.node).start_position().row + 1;
        let index = self.parsed.symbols.len();
        let mut decorators = std::mem::take(&mut self.decorators);
        decorators
            .extend(self.open.last().into_iter().flat_map(|open| open.decorators.iter().cloned()));
        let symbol = Symbol {
            parent: Some(parent),
            scope,
            owner,
            kind,
            line,
            first_line: event.node.start_position().row + 1,
            last_line: event.node.end_position().row + 1,
            gives,
            decorators,
            name,
        };
        let inside = join_dots(&symbol.scope, &symbol.name);
        let is_type = is_type(kind) || (kind == "module" && self.language == Language::Ruby);
        let members_of = is_type.then(|| symbol.name.clone());
        self.defined.insert(key, index);
        self.parsed.symbols.push(symbol);
        if is_type || !is_value(kind) {
            self.open(event.end, Some(index), Some((inside, members_of)));
        }
    }

    /// What a definition is, or gives where it is called.
    fn gives(&self, event: &Event<'_>) -> Option<String> {
        if let Some(kind) = event.kind
            && let Some(name) = type_name(kind, self.source)
        {
            return Some(self.typed(&name)).filter(|trail| trail != UNKNOWN);
        }
        let value = event.value?;
        let trail = self.trail(value);
        (trail != UNKNOWN).then_some(trail)
    }

    pub(super) fn contain(&mut self, event: &Event<'_>) {
        let owner = event.of.and_then(|owner| match owner.kind() {
            "property_identifier" => Some(text(owner, self.source).to_owned()),
            _ => type_name(owner, self.source),
        });
        let name = owner.map(|owner| last_name(&owner).to_owned());
        let around = self.open.last().map(|open| open.scope.clone()).unwrap_or_default();
        let scope = join_dots(&around, name.as_deref().unwrap_or_default());
        let depth = self.open.len();
        self.open(event.end, None, Some((scope, name)));
        if self.open.len() > depth
            && let Some(open) = self.open.last_mut()
        {
            open.decorators = std::mem::take(&mut self.decorators);
        }
        if let Some(base) = event.name {
            self.build_on(base);
        }
    }

    pub(super) fn build_on(&mut self, node: Node<'_>) {
        let Some(base) = type_name(node, self.source) else { return };
        let owner = self.open.iter().rev().find_map(|open| open.owner.clone());
        if let Some(owner) = owner {
            self.parsed.bases.push(Base { owner, base });
        }
    }

    pub(super) fn decorate(&mut self, event: &Event<'_>) {
        let decorator = text(event.node, self.source).to_owned();
        let inside = self.open.last().filter(|open| event.end <= open.end);
        let holder = inside.and_then(|open| open.symbol);
        // Some grammars put a decorator into what it decorates.
        let decorated =
            holder.and_then(|holder| self.parsed.symbols.get_mut(holder)).filter(|symbol| {
                event.node.start_position().row < symbol.line
                    && event.node.start_position().row + 1 >= symbol.first_line
                    && event.node.kind() != "attribute_item"
                    && event.node.parent().is_some_and(|parent| {
                        parent.start_position().row + 1 >= symbol.first_line
                            && !matches!(parent.kind(), "class_body" | "declaration_list" | "block")
                    })
            });
        match decorated {
            Some(symbol) => symbol.decorators.push(decorator),
            None => self.decorators.push(decorator),
        }
    }
}

/// Whether a kind of definition is a value: what is called in its initialiser
/// is called by what is around it.
fn is_value(kind: &str) -> bool {
    matches!(kind, "constant" | "variable" | "field" | "property" | "variant" | "type")
}

fn join_dots(scope: &str, name: &str) -> String {
    match scope {
        "" => name.to_owned(),
        scope if scope.len() + name.len() > MAX_SCOPE_BYTES => scope.to_owned(),
        scope => format!("{scope}.{name}"),
    }
}

/// The object whose member an assignment sets.
fn assigned_on(node: Node<'_>) -> Option<Node<'_>> {
    let left = node.child_by_field_name("left")?;
    left.child_by_field_name("object")
}
