//! The events of a file, replayed with a stack of what is open.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::Range,
    time::Instant,
};

use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, Tree};

use super::{
    MAX_EVENTS, MAX_OPEN, MAX_PENDING_MATCHES, PATIENCE, Parsed, Symbol,
    events::{Event, event},
    within,
};
use crate::code::graph::{
    coordinates,
    expression::{dotted, text, trail},
    languages::{Capture, Language, Tags, imports::imports, modules},
};

/// How many events are replayed between two looks at the clock.
const EVENTS_PER_LOOK: usize = 1_024;

/// What is open at a place in a file.
pub(super) struct Open {
    pub(super) end: usize,
    /// The definition, if it is one.
    pub(super) symbol: Option<usize>,
    /// The names around what is inside.
    pub(super) scope: String,
    /// The type whose members are inside.
    pub(super) owner: Option<String>,
    /// The decorators of a container.
    pub(super) decorators: Vec<String>,
    /// The local names that end with it.
    pub(super) bound: Vec<String>,
}

pub(super) struct Reading<'s> {
    pub(super) language: Language,
    pub(super) path: &'s str,
    pub(super) source: &'s str,
    pub(super) parsed: Parsed,
    pub(super) open: Vec<Open>,
    /// What each local name stands for, the innermost last.
    pub(super) locals: HashMap<String, Vec<String>>,
    /// Bindings that begin where their value ends.
    pub(super) pending: Vec<(usize, usize, String, String)>,
    pub(super) decorators: Vec<String>,
    pub(super) aliases: HashMap<String, String>,
    /// The start of each name that is no reference of its own.
    pub(super) claimed: HashSet<usize>,
    pub(super) defined: HashMap<(usize, usize), usize>,
    pub(super) fields: HashMap<(usize, String), usize>,
    /// Which of the imports a statement at this start made.
    pub(super) imported: HashMap<usize, Range<usize>>,
}

impl<'s> Reading<'s> {
    pub(super) fn new(language: Language, path: &'s str, source: &'s str) -> Self {
        let name = modules::last(path).split('.').next().unwrap_or(path).to_owned();
        let last_line = source.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let file =
            Symbol { name, kind: "file", line: 1, first_line: 1, last_line, ..Symbol::default() };
        let module = modules::key_of(language, path);
        Self {
            language,
            path,
            source,
            parsed: Parsed { module, symbols: vec![file], ..Parsed::default() },
            open: Vec::new(),
            locals: HashMap::new(),
            pending: Vec::new(),
            decorators: Vec::new(),
            aliases: HashMap::new(),
            claimed: HashSet::new(),
            defined: HashMap::new(),
            fields: HashMap::new(),
            imported: HashMap::new(),
        }
    }

    /// Runs the query, and reads what must be known before the first reference:
    /// imports, the package, and which names are definitions.
    pub(super) fn collect<'t>(
        &mut self,
        tags: &Tags,
        tree: &'t Tree,
    ) -> Result<Vec<Event<'t>>, String> {
        let start = Instant::now();
        let mut in_time = |_: &QueryCursorState| within(start);
        let options = QueryCursorOptions::new().progress_callback(&mut in_time);
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_PENDING_MATCHES);
        let bytes = self.source.as_bytes();
        let mut matches =
            cursor.matches_with_options(&tags.query, tree.root_node(), bytes, options);
        let mut events = Vec::new();
        while let Some(found) = matches.next() {
            let event = event(found.captures(), &tags.captures);
            if let Some(event) = event {
                self.claim(&event);
                events.push(event);
            }
            if events.len() > MAX_EVENTS {
                return Err(format!("it holds more than {MAX_EVENTS} names"));
            }
        }
        if start.elapsed() > PATIENCE {
            return Err(too_long());
        }
        events.sort_by_key(|event| (event.start, Reverse(event.end), event.rank));
        Ok(events)
    }

    fn claim(&mut self, event: &Event<'_>) {
        match event.what {
            Capture::Definition(_) => {
                self.claimed.extend(event.name.map(|name| name.start_byte()));
            }
            // The owner of an `impl` is a type that it refers to; that of an object
            // is a name of its own.
            Capture::Container if event.node.kind() != "impl_item" => {
                self.claimed.extend(event.of.map(|owner| owner.start_byte()));
            }
            Capture::Bind | Capture::Ignore => {
                self.claimed.insert(event.start);
            }
            Capture::Package => {
                let key = dotted(text(event.node, self.source)).replace('.', "/");
                self.parsed.module =
                    if self.parsed.module.is_empty() { key } else { self.parsed.module.clone() };
            }
            Capture::Import | Capture::Default => {
                let place = (self.path, self.parsed.module.as_str());
                let found = imports(self.language, event.node, self.source, place);
                for import in &found {
                    let exported = event.node.kind() == "export_statement";
                    if let Some(name) = &import.name
                        && *name != import.local
                        && !exported
                    {
                        self.aliases.insert(import.local.clone(), name.clone());
                    }
                }
                let first = self.parsed.imports.len();
                self.parsed.imports.extend(found);
                self.imported.insert(event.start, first..self.parsed.imports.len());
            }
            _ => {}
        }
    }

    /// Replays the events.
    ///
    /// # Errors
    /// A reason in words where it takes too long.
    pub(super) fn replay(&mut self, events: &[Event<'_>]) -> Result<(), String> {
        let start = Instant::now();
        let mut skipped_to = 0;
        let mut last_reference = usize::MAX;
        for (count, event) in events.iter().enumerate() {
            if count % EVENTS_PER_LOOK == 0 && within(start).is_break() {
                return Err(too_long());
            }
            self.close(event.start);
            self.bind_pending(event.start);
            if event.start < skipped_to {
                continue;
            }
            match event.what {
                Capture::Definition(kind) => self.define(event, kind),
                Capture::Container => self.contain(event),
                Capture::Base => self.build_on(event.node),
                Capture::Scope => self.open(event.end, None, None),
                Capture::Bind | Capture::BindLower => self.bind(event),
                Capture::Decorator => self.decorate(event),
                Capture::Import => {
                    self.note_imports(event);
                    // What is declared inside `require` is what it imports.
                    skipped_to = event.end;
                }
                Capture::Package => skipped_to = event.end,
                Capture::Call
                | Capture::CallToken
                | Capture::CallMacro
                | Capture::CallNew
                | Capture::CallSuper
                | Capture::CallElement
                | Capture::Use
                | Capture::UseType
                | Capture::UseMember
                    if last_reference != event.start =>
                {
                    last_reference = event.start;
                    self.refer(event);
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Parsed {
        self.close(usize::MAX);
        let Parsed { symbols, .. } = &self.parsed;
        self.parsed.resolvers = coordinates::of(self.language, symbols, self.source);
        self.parsed
    }

    fn close(&mut self, at: usize) {
        while self.open.last().is_some_and(|open| open.end <= at) {
            let closed = self.open.pop();
            for name in closed.into_iter().flat_map(|open| open.bound) {
                if let Some(standing) = self.locals.get_mut(&name) {
                    standing.pop();
                    if standing.is_empty() {
                        self.locals.remove(&name);
                    }
                }
            }
        }
    }

    pub(super) fn open(
        &mut self,
        end: usize,
        symbol: Option<usize>,
        inside: Option<(String, Option<String>)>,
    ) {
        if self.open.len() >= MAX_OPEN {
            return;
        }
        let (scope, owner) = inside.unwrap_or_else(|| {
            let around = self.open.last();
            (around.map(|open| open.scope.clone()).unwrap_or_default(), None)
        });
        let owner = owner.or_else(|| {
            // A scope is no border: what is inside a block of a type is its member.
            let around = self.open.last()?;
            symbol.is_none().then(|| around.owner.clone()).flatten()
        });
        let decorators = Vec::new();
        self.open.push(Open { end, symbol, scope, owner, decorators, bound: Vec::new() });
    }

    /// The innermost definition that is open.
    pub(super) fn around(&self) -> usize {
        self.open.iter().rev().find_map(|open| open.symbol).unwrap_or_default()
    }

    pub(super) fn trail(&self, node: Node<'_>) -> String {
        trail(node, self.source, &|name| {
            self.locals.get(name).and_then(|found| found.last()).cloned()
        })
    }
}

fn too_long() -> String {
    format!("it takes longer than {} s to read", PATIENCE.as_secs())
}
