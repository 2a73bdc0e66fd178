//! What a file refers to.

use tree_sitter::Node;

use super::{Reference, Role, events::Event, reading::Reading};
use crate::code::graph::{
    expression::{SELF, SUPER, UNKNOWN, text},
    languages::{
        Capture,
        imports::{ALL, DEFAULT},
        modules,
    },
};

impl Reading<'_> {
    pub(super) fn note_imports(&mut self, event: &Event<'_>) {
        let within = self.around();
        let line_at = |at: usize| {
            let before = self.source.as_bytes().get(event.start..at).unwrap_or_default();
            event.node.start_position().row + 1 + memchr::memchr_iter(b'\n', before).count()
        };
        let made = self.imported.get(&event.start).cloned().unwrap_or_default();
        let found = self.parsed.imports.get(made).unwrap_or_default();
        let found = found.iter().filter(|import| import.local != ALL);
        let references: Vec<Reference> = found
            .map(|import| Reference {
                name: match import.name.as_deref() {
                    Some(DEFAULT) => import.local.clone(),
                    Some(name) => name.to_owned(),
                    None => modules::last(&import.module).to_owned(),
                },
                receiver: format!("@{}", import.local),
                role: Role::Import,
                within,
                line: line_at(import.at),
            })
            .collect();
        self.parsed.references.extend(references);
    }

    pub(super) fn refer(&mut self, event: &Event<'_>) {
        let mut name = text(event.node, self.source);
        let (role, receiver) = match event.what {
            Capture::Call | Capture::CallNew | Capture::CallMacro | Capture::CallElement => {
                (Role::Call, event.of.map(|receiver| self.trail(receiver)))
            }
            Capture::CallToken => self.token(event.node),
            Capture::CallSuper => {
                name = self.language.constructor().unwrap_or(name);
                (Role::Call, Some(SUPER.to_owned()))
            }
            Capture::UseType => (Role::Type, event.of.map(|receiver| self.trail(receiver))),
            _ => (Role::Value, event.of.map(|receiver| self.trail(receiver))),
        };
        if event.what == Capture::CallElement && name.starts_with(char::is_lowercase) {
            return;
        }
        let is_member = event.what == Capture::UseMember;
        let bare = receiver.is_none() && !is_member;
        if bare && (self.claimed.contains(&event.start) || self.locals.contains_key(name)) {
            return;
        }
        let receiver = match receiver {
            Some(receiver) => receiver,
            None if is_member => SELF.to_owned(),
            None if matches!(name, "Self" | "self" | "super" | "crate") => return,
            None => match self.aliases.get(name) {
                Some(original) => {
                    let alias = format!("@{name}");
                    name = if original == DEFAULT { name } else { original };
                    self.push(name.to_owned(), alias, role, event);
                    return;
                }
                None if event.what == Capture::CallMacro => "!".to_owned(),
                None => String::new(),
            },
        };
        let name = name.trim_start_matches(['$', '#']).to_owned();
        self.push(name, receiver, role, event);
    }

    fn push(&mut self, name: String, receiver: String, role: Role, event: &Event<'_>) {
        let within = self.around();
        let line = event.node.start_position().row + 1;
        self.parsed.references.push(Reference { name, receiver, role, within, line });
    }

    /// What the tokens around a name in a macro make of it, with the receiver of a
    /// call.
    fn token(&self, node: Node<'_>) -> (Role, Option<String>) {
        let is_call =
            node.next_sibling().is_some_and(|next| text(next, self.source).starts_with('('));
        if !is_call {
            return (Role::Value, None);
        }
        let on_unknown = (Role::Call, Some(UNKNOWN.to_owned()));
        let mut receiver = Vec::new();
        let mut before = node.prev_sibling();
        let is_link = |node: Node<'_>| matches!(text(node, self.source), "." | "::");
        while let Some(link) = before.filter(|node| is_link(*node)) {
            let Some(name) = link.prev_sibling() else { return on_unknown };
            match name.kind() {
                "identifier" | "self" | "crate" | "super" => receiver.push(text(name, self.source)),
                _ => return on_unknown,
            }
            before = name.prev_sibling();
        }
        receiver.reverse();
        let Some((head, rest)) = receiver.split_first() else { return (Role::Call, None) };
        let standing = self.locals.get(*head).and_then(|found| found.last());
        let head = standing.map_or(*head, String::as_str);
        if head == UNKNOWN {
            return on_unknown;
        }
        let trail = rest.iter().fold(head.to_owned(), |trail, step| trail + "." + step);
        (Role::Call, Some(trail))
    }
}
