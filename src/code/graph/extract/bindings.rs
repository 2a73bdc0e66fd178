//! Local names, and what they stand for.

use super::{events::Event, is_type, reading::Reading};
use crate::code::graph::{
    expression::{SELF, UNKNOWN, text, type_name},
    languages::Capture,
};

/// Names that wait for the end of their value: as many as values stand inside
/// one another.
const MAX_PENDING: usize = 256;

impl Reading<'_> {
    pub(super) fn bind(&mut self, event: &Event<'_>) {
        let name = text(event.node, self.source);
        if event.what == Capture::BindLower && name.starts_with(char::is_uppercase) {
            return;
        }
        self.claimed.insert(event.start);
        if name == SELF {
            return;
        }
        // At the top of a file, and in the body of a type, a name is no local one.
        if self.open.last().is_none_or(|open| {
            open.owner.is_some() && open.symbol.is_some_and(|symbol| self.is_type_symbol(symbol))
        }) {
            return;
        }
        let stands_for = match (event.kind, event.value) {
            (Some(kind), _) => type_name(kind, self.source).map(|name| self.typed(&name)),
            (None, Some(value)) => Some(self.trail(value)),
            (None, None) => (name == "cls").then(|| SELF.to_owned()),
        };
        let stands_for = stands_for.unwrap_or_else(|| UNKNOWN.to_owned());
        if self.pending.len() >= MAX_PENDING {
            return;
        }
        let begins = event.value.map_or(event.end, |value| value.end_byte().max(event.end));
        self.pending.push((begins, self.open.len(), name.to_owned(), stands_for));
    }

    fn is_type_symbol(&self, symbol: usize) -> bool {
        self.parsed.symbols.get(symbol).is_some_and(|symbol| is_type(symbol.kind))
    }

    pub(super) fn bind_pending(&mut self, at: usize) {
        if self.pending.is_empty() {
            return;
        }
        let (ready, pending) =
            std::mem::take(&mut self.pending).into_iter().partition(|(begins, ..)| *begins <= at);
        self.pending = pending;
        let ready: Vec<(usize, usize, String, String)> = ready;
        for (_, depth, name, stands_for) in ready {
            let Some(open) = depth.checked_sub(1).and_then(|depth| self.open.get_mut(depth)) else {
                continue;
            };
            open.bound.push(name.clone());
            self.locals.entry(name).or_default().push(stands_for);
        }
    }

    /// The trail of a value of a type; of what a type parameter must be, if the
    /// name is one.
    pub(super) fn typed(&self, name: &str) -> String {
        let parameter = self.locals.get(name).and_then(|standing| standing.last());
        parameter.cloned().unwrap_or_else(|| format!("<{name}>"))
    }
}
