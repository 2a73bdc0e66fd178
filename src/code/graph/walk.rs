//! From a target along one relation, as far as asked.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use rusqlite::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::RelationKind,
    extract::is_type,
    languages::imports::DEFAULT,
    lookup::{Lookup, Site, Symbol},
    resolve::{Resolution, Resolver},
};

/// The most nodes of an answer: what an agent can still read, some 60 kB.
pub const MAX_NODES: usize = 500;
/// The most edges of an answer.
pub const MAX_EDGES: usize = 2_000;
/// The most uses of one name that are looked at for one symbol: the name of a
/// method of everything, `new`, has some thousands in a million lines.
const MAX_SITES: usize = 50_000;

/// What `query_graph` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct GraphResult {
    /// The symbols, those that the target names first.
    pub nodes: Vec<GraphNode>,
    /// How they relate.
    pub edges: Vec<GraphEdge>,
    /// Whether something was left out, since there is more than an answer holds or
    /// it took too long to find.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct GraphNode {
    /// What edges call it: its file and qualified name.
    pub id: String,
    /// Its name with those around it.
    pub name: String,
    /// What it is: `function`, `method`, `class`, `field`, `file` and others.
    pub kind: String,
    /// Where it is defined, `path:line`.
    pub location: String,
}

/// A relation of two symbols.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// The id of the symbol that calls or refers.
    pub from: String,
    /// The id of the symbol that is called or referred to.
    pub to: String,
    /// `calls` or `references`.
    pub kind: String,
    /// How sure it is, from `scoped` and `imported` by `receiver` and `package`
    /// to `name`, where only the name leads there.
    pub resolution: Resolution,
    /// Where it stands, `path:line`.
    pub location: String,
}

/// Walks from these symbols.
///
/// # Errors
/// What `SQLite` reports.
pub fn walk(
    lookup: &Lookup<'_>,
    resolver: &Resolver<'_, '_>,
    targets: Vec<Rc<Symbol>>,
    kind: RelationKind,
    hops: u32,
) -> Result<GraphResult> {
    let mut walk = Walk {
        lookup,
        resolver,
        result: GraphResult::default(),
        ids: HashMap::new(),
        edges: HashSet::new(),
    };
    let mut frontier = Vec::new();
    for target in targets {
        if walk.node(&target)? {
            frontier.push(target);
        }
    }
    if kind == RelationKind::Defines || walk.late() {
        return Ok(walk.result);
    }
    for _ in 0..hops {
        let mut next = Vec::new();
        for symbol in frontier {
            if walk.late() {
                return Ok(walk.result);
            }
            if kind == RelationKind::Callees {
                walk.callees(&symbol, &mut next)?;
            } else {
                walk.uses(&symbol, kind == RelationKind::Callers, &mut next)?;
            }
        }
        frontier = next;
        if frontier.is_empty() {
            break;
        }
    }
    Ok(walk.result)
}

struct Walk<'l, 'c> {
    lookup: &'l Lookup<'c>,
    resolver: &'l Resolver<'l, 'c>,
    result: GraphResult,
    /// The node of each symbol that has one.
    ids: HashMap<i64, String>,
    edges: HashSet<(i64, i64, i64)>,
}

impl Walk<'_, '_> {
    /// Whether the time is over; the answer says so then.
    fn late(&mut self) -> bool {
        let late = self.resolver.is_late();
        self.result.truncated |= late;
        late
    }

    /// Adds a symbol; says whether it is new. One that does not fit is none.
    fn node(&mut self, symbol: &Symbol) -> Result<bool> {
        if self.ids.contains_key(&symbol.id) {
            return Ok(false);
        }
        if self.result.nodes.len() >= MAX_NODES {
            self.result.truncated = true;
            return Ok(false);
        }
        let Some(file) = self.lookup.file(symbol.file)? else { return Ok(false) };
        let name = symbol.qualified();
        let id = match (symbol.kind.as_str(), symbol.twin) {
            ("file", _) => file.path.clone(),
            (_, 0) => format!("{}#{name}", file.path),
            (_, twin) => format!("{}#{name}~{}", file.path, twin + 1),
        };
        self.ids.insert(symbol.id, id.clone());
        self.result.nodes.push(GraphNode {
            id,
            name,
            kind: symbol.kind.clone(),
            location: format!("{}:{}", file.path, symbol.line),
        });
        Ok(true)
    }

    fn edge(
        &mut self,
        from: &Rc<Symbol>,
        to: &Rc<Symbol>,
        site: &Site,
        (kind, resolution): (&str, Resolution),
        other: &Rc<Symbol>,
        next: &mut Vec<Rc<Symbol>>,
    ) -> Result<()> {
        if self.node(other)? {
            next.push(Rc::clone(other));
        }
        let (Some(from_id), Some(to_id)) = (self.ids.get(&from.id), self.ids.get(&to.id)) else {
            return Ok(());
        };
        if !self.edges.insert((from.id, to.id, site.line)) {
            return Ok(());
        }
        if self.result.edges.len() >= MAX_EDGES {
            self.result.truncated = true;
            return Ok(());
        }
        let path = self.lookup.file(site.file)?.map(|file| file.path.clone()).unwrap_or_default();
        self.result.edges.push(GraphEdge {
            from: from_id.clone(),
            to: to_id.clone(),
            kind: kind.to_owned(),
            resolution,
            location: format!("{path}:{}", site.line),
        });
        Ok(())
    }

    /// What a symbol calls; of a type, what its members call.
    fn callees(&mut self, symbol: &Rc<Symbol>, next: &mut Vec<Rc<Symbol>>) -> Result<()> {
        let mut callers = vec![Rc::clone(symbol)];
        if is_type(&symbol.kind) {
            let members = self.lookup.owned_by(&symbol.name)?;
            let own = members
                .into_iter()
                .filter(|member| member.parent == Some(symbol.id) || member.file == symbol.file);
            callers.extend(own);
        }
        for caller in callers {
            for site in self.lookup.sites_in(&caller)? {
                let found = self.resolver.resolve(&site)?;
                // What was resolved in haste may be wrong.
                if self.late() {
                    return Ok(());
                }
                for (callee, resolution) in found {
                    self.node(&caller)?;
                    self.edge(&caller, &callee, &site, ("calls", resolution), &callee, next)?;
                }
            }
        }
        Ok(())
    }

    /// Who calls or refers to a symbol.
    fn uses(&mut self, symbol: &Rc<Symbol>, calls: bool, next: &mut Vec<Rc<Symbol>>) -> Result<()> {
        let mut meant = vec![Rc::clone(symbol)];
        if symbol.kind == "constructor"
            && let Some(class) =
                symbol.parent.map(|id| self.lookup.symbol(id)).transpose()?.flatten()
            && class.name != symbol.name
        {
            // A constructor is called by the name of its type.
            meant.push(class);
        }
        let kind = if calls { "calls" } else { "references" };
        for one in meant {
            let mut sites = self.lookup.sites_of(&one.name, calls)?;
            sites.extend(self.renamed(&one, calls)?);
            self.result.truncated |= sites.len() > MAX_SITES;
            sites.sort_by_cached_key(|site| {
                let file = self.lookup.file(site.file).ok().flatten();
                (file.map(|file| file.path.clone()), site.line)
            });
            for site in sites.into_iter().take(MAX_SITES) {
                if one.id != symbol.id && site.role != 0 {
                    continue;
                }
                let found = self.resolver.resolve(&site)?;
                if self.late() {
                    return Ok(());
                }
                let Some((_, resolution)) = found.iter().find(|(found, _)| found.id == one.id)
                else {
                    continue;
                };
                let Some(user) = self.lookup.symbol(site.symbol)? else { continue };
                self.edge(&user, symbol, &site, (kind, *resolution), &user, next)?;
            }
        }
        Ok(())
    }

    /// The uses of what a file exports without a name, by the names that importers
    /// gave it.
    fn renamed(&self, symbol: &Symbol, calls: bool) -> Result<Vec<Site>> {
        let exported = self.lookup.imported(symbol.file, DEFAULT)?;
        if !exported.iter().any(|export| export.name.as_deref() == Some(&symbol.name)) {
            return Ok(Vec::new());
        }
        let Some(file) = self.lookup.file(symbol.file)? else { return Ok(Vec::new()) };
        let mut sites = Vec::new();
        for name in self.lookup.default_names(&file)? {
            if name != symbol.name {
                let imported = format!("@{name}");
                let found = self.lookup.sites_of(&name, calls)?;
                sites.extend(found.into_iter().filter(|site| site.receiver == imported));
            }
        }
        Ok(sites)
    }
}
