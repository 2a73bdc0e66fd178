//! One file in, its definitions, imports and references out.
//!
//! One pass of the language's query collects events; sorted by where they
//! begin, they are replayed with a stack of what is open: definitions,
//! containers and scopes with the local names bound in them. Nothing here knows
//! of another file.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    time::{Duration, Instant},
};

use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, Tree};

use super::{
    coordinates,
    expression::{SELF, SUPER, UNKNOWN, dotted, text, trail, type_name},
    languages::{
        Capture, Language, Tags,
        imports::{ALL, Import, imports},
        modules,
    },
};

/// How long one file may take. A file of 2 MB takes below half a second; one
/// that was made to be slow costs this much and is left out.
const PATIENCE: Duration = Duration::from_secs(5);
/// More names than any file of that size that people write.
const MAX_EVENTS: usize = 1_000_000;
/// Scopes and definitions inside one another; deeper ones are not opened.
const MAX_OPEN: usize = 256;
/// Half-matched patterns that are kept; a file that needs more is odd, and loses
/// matches rather than memory.
const MAX_PENDING_MATCHES: u32 = 4_096;

/// What a file holds.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The key of its module.
    pub module: String,
    /// Its definitions, the file itself first.
    pub symbols: Vec<Symbol>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What its types build on.
    pub bases: Vec<Base>,
    /// What it refers to, in order.
    pub references: Vec<Reference>,
    /// Which of its definitions resolve a field of a schema.
    pub resolvers: Vec<(usize, String)>,
}

/// A definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// The definition around it, by position.
    pub parent: Option<usize>,
    /// Its name.
    pub name: String,
    /// The names around it, joined by dots.
    pub scope: String,
    /// The type whose member it is.
    pub owner: Option<String>,
    /// What kind of definition it is.
    pub kind: &'static str,
    /// The line of its name, from 1.
    pub line: usize,
    /// Its first line.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// What it is, or gives where it is called, as a trail.
    pub gives: Option<String>,
    /// The decorators before it.
    pub decorators: Vec<String>,
}

/// A type and one that it builds on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The type's name.
    pub owner: String,
    /// The name of what it builds on.
    pub base: String,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It is called.
    Call = 0,
    /// It is used as a type.
    Type = 1,
    /// It is used as a value.
    Value = 2,
    /// It is imported.
    Import = 3,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name as it is defined, if an import renames it.
    pub name: String,
    /// What it is taken from, as a trail; empty for a bare name, `@x` for a bare
    /// name that is imported as `x`.
    pub receiver: String,
    /// How it is used.
    pub role: Role,
    /// The innermost definition around it, by position.
    pub within: usize,
    /// Its line, from 1.
    pub line: usize,
}

/// Reads a file.
///
/// # Errors
/// A reason in words where it cannot be read as its language.
pub fn extract(
    parser: &mut Parser,
    language: Language,
    path: &str,
    source: &str,
) -> Result<Parsed, String> {
    let tags = language.tags()?;
    let tree = parse(parser, tags, source)?;
    let mut reading = Reading::new(language, path, source);
    let events = reading.collect(tags, &tree)?;
    reading.replay(&events);
    Ok(reading.finish())
}

/// Parses a file alone.
///
/// # Errors
/// A reason in words where it takes too long.
pub fn parse(parser: &mut Parser, tags: &Tags, source: &str) -> Result<Tree, String> {
    parser.set_language(&tags.grammar).map_err(|error| error.to_string())?;
    parser.reset();
    let start = Instant::now();
    let mut in_time = |_: &tree_sitter::ParseState| within(start);
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = source.as_bytes();
    parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or_else(|| format!("it takes longer than {} s to parse", PATIENCE.as_secs()))
}

fn within(start: Instant) -> ControlFlow<()> {
    if start.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Something that a pattern found.
struct Event<'t> {
    start: usize,
    end: usize,
    rank: u8,
    node: Node<'t>,
    what: Capture,
    name: Option<Node<'t>>,
    of: Option<Node<'t>>,
    kind: Option<Node<'t>>,
    value: Option<Node<'t>>,
}

/// What is open at a place in a file.
struct Open {
    end: usize,
    /// The definition, if it is one.
    symbol: Option<usize>,
    /// The names around what is inside.
    scope: String,
    /// The type whose members are inside.
    owner: Option<String>,
    /// The decorators of a container.
    decorators: Vec<String>,
    /// The local names that end with it.
    bound: Vec<String>,
}

struct Reading<'s> {
    language: Language,
    path: &'s str,
    source: &'s str,
    parsed: Parsed,
    open: Vec<Open>,
    /// What each local name stands for, the innermost last.
    locals: HashMap<String, Vec<String>>,
    /// Bindings that begin where their value ends.
    pending: Vec<(usize, usize, String, String)>,
    decorators: Vec<String>,
    aliases: HashMap<String, String>,
    /// The start of each name that is no reference of its own.
    claimed: HashSet<usize>,
    defined: HashMap<(usize, usize), usize>,
    fields: HashMap<(usize, String), usize>,
}

impl<'s> Reading<'s> {
    fn new(language: Language, path: &'s str, source: &'s str) -> Self {
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
        }
    }

    /// Runs the query, and reads what must be known before the first reference:
    /// imports, the package, and which names are definitions.
    fn collect<'t>(&mut self, tags: &Tags, tree: &'t Tree) -> Result<Vec<Event<'t>>, String> {
        let start = Instant::now();
        let mut in_time = |_: &tree_sitter::QueryCursorState| within(start);
        let options = QueryCursorOptions::new().progress_callback(&mut in_time);
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_PENDING_MATCHES);
        let bytes = self.source.as_bytes();
        let mut matches =
            cursor.matches_with_options(&tags.query, tree.root_node(), bytes, options);
        let mut events = Vec::new();
        while let Some(found) = matches.next() {
            let event = event(found.captures(), &tags.captures, self.source);
            if let Some(event) = event {
                self.claim(&event);
                events.push(event);
            }
            if events.len() > MAX_EVENTS {
                return Err(format!("it holds more than {MAX_EVENTS} names"));
            }
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("it takes longer than {} s to read", PATIENCE.as_secs()));
        }
        events.sort_by_key(|event| (event.start, Reverse(event.end), event.rank));
        Ok(events)
    }

    fn claim(&mut self, event: &Event<'_>) {
        match event.what {
            Capture::Definition(_) => {
                self.claimed.extend(event.name.map(|name| name.start_byte()));
            }
            Capture::Container => {
                // The owner of an `impl` is a type that it refers to; that of an
                // object is a name of its own.
                if event.node.kind() != "impl_item" {
                    self.claimed.extend(event.of.map(|owner| owner.start_byte()));
                }
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
                self.parsed.imports.extend(found);
            }
            _ => {}
        }
    }

    fn replay(&mut self, events: &[Event<'_>]) {
        let mut skipped_to = 0;
        let mut last_reference = usize::MAX;
        for event in events {
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
                | Capture::UseMember => {
                    if last_reference != event.start {
                        last_reference = event.start;
                        self.refer(event);
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Parsed {
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

    fn open(
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
    fn around(&self) -> usize {
        self.open.iter().rev().find_map(|open| open.symbol).unwrap_or_default()
    }

    fn define(&mut self, event: &Event<'_>, kind: &'static str) {
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
        let mut parent = self.around();
        let around = self.open.last();
        let mut scope = around.map(|open| open.scope.clone()).unwrap_or_default();
        let mut owner = around.and_then(|open| open.owner.clone());
        if kind == "field" && owner.is_none() {
            // `self.x = …` in a method defines a field of its type.
            let holder = self.open.iter().rev().find(|open| open.owner.is_some());
            if let Some(holder) = holder {
                parent = holder.symbol.unwrap_or(parent);
                scope.clone_from(&holder.scope);
                owner.clone_from(&holder.owner);
            }
            if owner.is_none() || is_local_field(event.node, self.source) {
                return;
            }
        }
        if let Some(of) = event.of {
            owner = type_name(of, self.source).map(|name| last_name(&name).to_owned());
            scope = owner.clone().unwrap_or_default();
        }
        if kind == "field" || kind == "signature" {
            let known = self.fields.entry((parent, name.clone()));
            if let std::collections::hash_map::Entry::Occupied(known) = &known
                && let Some(symbol) = self.parsed.symbols.get_mut(*known.get())
            {
                symbol.gives = symbol.gives.take().or(gives);
                return;
            }
            known.or_insert(self.parsed.symbols.len());
        }
        let kind = match kind {
            "function" if owner.is_some() => "method",
            "signature" => "function",
            "method" if owner.is_none() && self.language == Language::Ruby => "function",
            "method" if self.language.constructor() == Some(name.as_str()) => "constructor",
            kind => kind,
        };
        let kind = if self.language.constructor() == Some(name.as_str()) && kind == "method" {
            "constructor"
        } else {
            kind
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
            return Some(format!("<{name}>"));
        }
        let value = event.value?;
        let trail = self.trail(value);
        (trail != UNKNOWN).then_some(trail)
    }

    fn trail(&self, node: Node<'_>) -> String {
        trail(node, self.source, &|name| {
            self.locals.get(name).and_then(|found| found.last()).cloned()
        })
    }

    fn contain(&mut self, event: &Event<'_>) {
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

    fn build_on(&mut self, node: Node<'_>) {
        let Some(base) = type_name(node, self.source) else { return };
        let owner = self.open.iter().rev().find_map(|open| open.owner.clone());
        if let Some(owner) = owner {
            self.parsed.bases.push(Base { owner, base });
        }
    }

    fn decorate(&mut self, event: &Event<'_>) {
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

    fn bind(&mut self, event: &Event<'_>) {
        let name = text(event.node, self.source);
        if event.what == Capture::BindLower && name.starts_with(char::is_uppercase) {
            return;
        }
        self.claimed.insert(event.start);
        // At the top of a file, and in the body of a type, a name is no local one.
        if self.open.last().is_none_or(|open| {
            open.owner.is_some() && open.symbol.is_some_and(|symbol| self.is_type_symbol(symbol))
        }) {
            return;
        }
        let stands_for = match (event.kind, event.value) {
            (Some(kind), _) => type_name(kind, self.source).map(|name| format!("<{name}>")),
            (None, Some(value)) => Some(self.trail(value)),
            (None, None) => None,
        };
        let stands_for = stands_for.unwrap_or_else(|| UNKNOWN.to_owned());
        let begins = event.value.map_or(event.end, |value| value.end_byte().max(event.end));
        self.pending.push((begins, self.open.len(), name.to_owned(), stands_for));
    }

    fn is_type_symbol(&self, symbol: usize) -> bool {
        self.parsed.symbols.get(symbol).is_some_and(|symbol| is_type(symbol.kind))
    }

    fn bind_pending(&mut self, at: usize) {
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

    fn note_imports(&mut self, event: &Event<'_>) {
        let within = self.around();
        let line_at = |at: usize| {
            let before = self.source.as_bytes().get(event.start..at).unwrap_or_default();
            event.node.start_position().row + 1 + before.iter().filter(|b| **b == b'\n').count()
        };
        let found =
            self.parsed.imports.iter().filter(|import| {
                import.local != ALL && (event.start..event.end).contains(&import.at)
            });
        let references: Vec<Reference> = found
            .map(|import| Reference {
                name: import
                    .name
                    .clone()
                    .unwrap_or_else(|| modules::last(&import.module).to_owned()),
                receiver: format!("@{}", import.local),
                role: Role::Import,
                within,
                line: line_at(import.at),
            })
            .collect();
        self.parsed.references.extend(references);
    }

    fn refer(&mut self, event: &Event<'_>) {
        let mut name = text(event.node, self.source);
        let (role, receiver) = match event.what {
            Capture::Call | Capture::CallNew | Capture::CallMacro | Capture::CallElement => {
                (Role::Call, event.of.map(|receiver| self.trail(receiver)))
            }
            Capture::CallToken => match self.token_call(event.node) {
                Some(receiver) => (Role::Call, receiver),
                None => (Role::Value, None),
            },
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
                    name = if original == "default" { name } else { original };
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

    /// The receiver of a call in the tokens of a macro; `None` if it is no call.
    fn token_call(&self, node: Node<'_>) -> Option<Option<String>> {
        let arguments = node.next_sibling()?;
        if !text(arguments, self.source).starts_with('(') {
            return None;
        }
        let mut receiver = Vec::new();
        let mut before = node.prev_sibling();
        let is_link = |node: Node<'_>| matches!(text(node, self.source), "." | "::");
        while let Some(link) = before.filter(|node| is_link(*node)) {
            let Some(name) = link.prev_sibling() else { return Some(Some(UNKNOWN.to_owned())) };
            match name.kind() {
                "identifier" | "self" | "crate" | "super" => receiver.push(text(name, self.source)),
                _ => return Some(Some(UNKNOWN.to_owned())),
            }
            before = name.prev_sibling();
        }
        receiver.reverse();
        let Some((head, rest)) = receiver.split_first() else { return Some(None) };
        let standing = self.locals.get(*head).and_then(|found| found.last());
        let head = standing.map_or(*head, String::as_str);
        if head == UNKNOWN {
            return Some(Some(UNKNOWN.to_owned()));
        }
        Some(Some(rest.iter().fold(head.to_owned(), |trail, step| trail + "." + step)))
    }
}

fn event<'t>(
    captures: &[tree_sitter::QueryCapture<'t>],
    meanings: &[Capture],
    source: &str,
) -> Option<Event<'t>> {
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
    let _ = source;
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

/// Whether a kind of definition holds members.
#[must_use]
pub fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "enum" | "interface" | "trait")
}

/// Whether a kind of definition is a value: what is called in its initialiser
/// is called by what is around it.
fn is_value(kind: &str) -> bool {
    matches!(kind, "constant" | "variable" | "field" | "property" | "variant" | "type")
}

fn join_dots(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// The last name of a dotted path.
#[must_use]
pub fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether an assignment to a member is not one to the object's own.
fn is_local_field(node: Node<'_>, source: &str) -> bool {
    let Some(left) = node.child_by_field_name("left") else { return false };
    left.child_by_field_name("object")
        .is_some_and(|object| !matches!(text(object, source), "self" | "this"))
}
