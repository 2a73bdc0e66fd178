//! What the patterns of a query found, as events in the order of a file.

use tree_sitter::{Node, QueryCapture};

use crate::code::graph::languages::Capture;

/// Something that a pattern found.
pub(super) struct Event<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rank: u8,
    pub(super) node: Node<'t>,
    pub(super) what: Capture,
    pub(super) name: Option<Node<'t>>,
    pub(super) of: Option<Node<'t>>,
    pub(super) kind: Option<Node<'t>>,
    pub(super) value: Option<Node<'t>>,
}

pub(super) fn event<'t>(captures: &[QueryCapture<'t>], meanings: &[Capture]) -> Option<Event<'t>> {
    let mut main: Option<(Node<'t>, Capture)> = None;
    let (mut name, mut owner, mut kind, mut value) = (None, None, None, None);
    let (mut base, mut receiver) = (None, None);
    for capture in captures {
        let meaning = *meanings.get(capture.index as usize)?;
        match meaning {
            Capture::Name => name = Some(capture.node),
            Capture::Owner => owner = Some(capture.node),
            Capture::Type => kind = Some(capture.node),
            Capture::Value => value = Some(capture.node),
            Capture::Base => base = Some(capture.node),
            Capture::Receiver => receiver = Some(capture.node),
            Capture::Predicate => {}
            meaning => main = Some((capture.node, meaning)),
        }
    }
    let (node, what) = match (main, base) {
        (Some(main), _) => main,
        (None, Some(base)) => (base, Capture::Base),
        (None, None) => return None,
    };
    let rank = match what {
        Capture::Definition("variable" | "field") => 2,
        Capture::Definition(_) => 1,
        Capture::Import | Capture::Decorator | Capture::Package => 0,
        Capture::Container => 3,
        Capture::Scope => 4,
        Capture::Base => 5,
        Capture::Bind | Capture::BindLower | Capture::Ignore => {
            // Of two patterns that bind a name the one that says what it stands
            // for is last, and so the one that counts.
            if kind.is_some() {
                8
            } else if value.is_some() {
                7
            } else {
                6
            }
        }
        Capture::CallMacro | Capture::CallNew | Capture::CallElement | Capture::CallSuper => 10,
        Capture::Call => {
            if receiver.is_some() {
                10
            } else {
                11
            }
        }
        Capture::CallToken => 12,
        _ => {
            if receiver.is_some() {
                13
            } else if what == Capture::UseType {
                14
            } else {
                15
            }
        }
    };
    Some(Event {
        start: node.start_byte(),
        end: node.end_byte(),
        rank,
        node,
        what,
        name: name.or(base.filter(|_| what == Capture::Container)),
        of: owner.or(receiver),
        kind,
        value,
    })
}
