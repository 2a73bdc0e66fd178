//! What of an index is kept in memory: each element's place in the type graph.
//!
//! Ranking asks for owners, returned types and names of thousands of elements a
//! query; here that costs an array access. An element's id in the file is its
//! position here plus one.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use crate::schema::{Kind, Roots, TypeRef};

/// Where an element stands among all.
pub type Position = usize;

/// The id in the file of the element at a position.
pub fn id_at(position: Position) -> i64 {
    i64::try_from(position).map_or(i64::MAX, |position| position.saturating_add(1))
}

/// The position of the element with an id.
pub fn position_of(id: i64) -> Position {
    usize::try_from(id.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// A root operation type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// Of queries.
    Query,
    /// Of mutations.
    Mutation,
    /// Of subscriptions.
    Subscription,
}

/// What an object type is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It holds data. So does every other element.
    Data,
    /// A connection or an edge: on the way to data.
    Plumbing,
    /// What mutations return, and nothing else does.
    Payload,
}

/// One element's place in the graph.
#[derive(Debug)]
pub struct Node {
    pub coordinate: Box<str>,
    pub kind: Kind,
    pub name: Box<str>,
    /// The type that holds a member.
    pub owner: Option<Position>,
    /// The named type that a member is of, or a path leads to; none for a
    /// built-in scalar.
    pub target: Option<Position>,
    /// The target, or what it lists where it is a Relay connection.
    pub entity: Option<Position>,
    /// The name of the type that a member is of.
    pub type_name: Option<Box<str>>,
    pub paginated: bool,
    pub deprecated: bool,
    /// An identifier that people do not ask for.
    pub identifier: bool,
    /// Fields between a root and the owner; none where no root leads there.
    pub depth: Option<u32>,
    pub arguments: u32,
    /// The root that the element is, or is a field of.
    pub root: Option<Root>,
    pub role: Role,
    /// How many members share the name, itself included.
    pub namesakes: u32,
}

/// Every element, in the order of their ids.
pub struct Graph {
    nodes: Vec<Node>,
    positions: HashMap<Box<str>, Position>,
    roots: Roots,
    routes_from: Position,
}

impl Graph {
    /// Reads the elements of a file.
    pub fn load(connection: &Connection, roots: &Roots) -> rusqlite::Result<Self> {
        let (mut nodes, references) = read(connection)?;
        let positions: HashMap<Box<str>, Position> =
            nodes.iter().map(|node| node.coordinate.clone()).zip(0..).collect();
        link(&mut nodes, references, &positions);
        mark_roots(&mut nodes, roots);
        unwrap_connections(&mut nodes);
        mark_payloads(&mut nodes);
        count_namesakes(&mut nodes);
        let routes_from =
            nodes.iter().position(|node| node.kind == Kind::Path).unwrap_or(nodes.len());
        Ok(Self { nodes, positions, roots: roots.clone(), routes_from })
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The types and members; the paths follow them.
    pub fn definitions(&self) -> &[Node] {
        self.nodes.get(..self.routes_from).unwrap_or(&self.nodes)
    }

    /// The paths.
    pub fn routes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().skip(self.routes_from)
    }

    /// The element at a position.
    pub fn get(&self, position: Position) -> Option<&Node> {
        self.nodes.get(position)
    }

    /// The position of a coordinate, or of what it is an alias of.
    pub fn find(&self, coordinate: &str) -> Option<Position> {
        self.positions.get(self.resolve(coordinate).as_str()).copied()
    }

    /// `object:Query` and its members stand for the real root where the schema
    /// renames it and has no type of that name; likewise for the other roots.
    pub fn resolve(&self, coordinate: &str) -> String {
        let Some((kind, path)) = coordinate.split_once(':') else {
            return coordinate.to_owned();
        };
        let (name, members) = match path.split_once('.') {
            Some((name, members)) => (name, Some(members)),
            None => (path, None),
        };
        let root = match name {
            "Query" => &self.roots.query,
            "Mutation" => &self.roots.mutation,
            "Subscription" => &self.roots.subscription,
            _ => return coordinate.to_owned(),
        };
        let taken = self.positions.contains_key(format!("object:{name}").as_str());
        match (root, members) {
            (Some(root), None) if !taken => format!("{kind}:{root}"),
            (Some(root), Some(members)) if !taken => format!("{kind}:{root}.{members}"),
            _ => coordinate.to_owned(),
        }
    }
}

/// Each node's parent coordinate and type reference, as the file has them.
type References = Vec<(Option<String>, Option<String>)>;

fn read(connection: &Connection) -> rusqlite::Result<(Vec<Node>, References)> {
    let mut statement = connection.prepare(
        "SELECT coordinate, kind, name, parent, type_ref, paginated,
                deprecation_reason IS NOT NULL, depth, arguments
         FROM element ORDER BY id",
    )?;
    let (mut nodes, mut references) = (Vec::new(), References::new());
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let kind = row.get_ref(1)?.as_str()?.parse().map_err(|error| {
            let text = rusqlite::types::Type::Text;
            rusqlite::Error::FromSqlConversionFailure(1, text, Box::new(error))
        })?;
        let type_ref: Option<String> = row.get(4)?;
        let name: Box<str> = row.get(2)?;
        nodes.push(Node {
            coordinate: row.get(0)?,
            kind,
            identifier: is_identifier(&name),
            name,
            owner: None,
            target: None,
            entity: None,
            type_name: type_ref.as_deref().map(|notation| TypeRef::named_in(notation).into()),
            paginated: row.get(5)?,
            deprecated: row.get(6)?,
            depth: row.get(7)?,
            arguments: row.get(8)?,
            root: None,
            role: Role::Data,
            namesakes: 1,
        });
        references.push((row.get(3)?, type_ref));
    }
    Ok((nodes, references))
}

/// Keys of databases and the like; a plain `id` too, which every entity has.
fn is_identifier(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with("databaseid")
        || ["id", "iid", "uuid", "guid", "nodeid"].contains(&lower.as_str())
}

fn link(nodes: &mut [Node], references: References, positions: &HashMap<Box<str>, Position>) {
    let types: HashMap<Box<str>, Position> = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind.is_type())
        .map(|(position, node)| (node.name.clone(), position))
        .collect();
    for (node, (parent, type_ref)) in nodes.iter_mut().zip(references) {
        // A path begins at its parent but is no member of it.
        if node.kind != Kind::Path {
            node.owner = parent.and_then(|parent| positions.get(parent.as_str()).copied());
        }
        node.target =
            type_ref.and_then(|type_ref| types.get(TypeRef::named_in(&type_ref)).copied());
        node.entity = node.target;
    }
}

fn mark_roots(nodes: &mut [Node], roots: &Roots) {
    let named = |name: &str| {
        let is = |root: &Option<String>| root.as_deref() == Some(name);
        match name {
            _ if is(&roots.query) => Some(Root::Query),
            _ if is(&roots.mutation) => Some(Root::Mutation),
            _ if is(&roots.subscription) => Some(Root::Subscription),
            _ => None,
        }
    };
    let of_types: Vec<Option<Root>> = nodes
        .iter()
        .map(|node| if node.kind == Kind::Object { named(&node.name) } else { None })
        .collect();
    for (position, node) in nodes.iter_mut().enumerate() {
        node.root = of_types.get(node.owner.unwrap_or(position)).copied().flatten();
    }
}

/// A Relay connection lists in `nodes`, or in the `node` of its `edges`; what it
/// lists is what a field that returns it is about.
fn unwrap_connections(nodes: &mut [Node]) {
    let mut plumbing: HashSet<Position> = HashSet::new();
    let mut listed: HashMap<Position, Position> = HashMap::new();
    {
        let mut members: HashMap<(Position, &str), &Node> = HashMap::new();
        for node in nodes.iter().filter(|node| node.kind == Kind::Field) {
            if let Some(owner) = node.owner {
                members.insert((owner, &node.name), node);
            }
        }
        let composite = |position: Position| {
            nodes.get(position).is_some_and(|node| {
                matches!(node.kind, Kind::Object | Kind::Interface | Kind::Union)
            })
        };
        let target = |owner: Position, name: &'static str| {
            members.get(&(owner, name))?.target.filter(|&target| composite(target))
        };
        for (position, node) in nodes.iter().enumerate() {
            if node.kind != Kind::Object {
                continue;
            }
            let edge = target(position, "edges");
            let pages = members.contains_key(&(position, "pageInfo")) || edge.is_some();
            let direct = target(position, "nodes").filter(|_| pages);
            let through_edge = edge.and_then(|edge| Some((edge, target(edge, "node")?)));
            if let Some(entity) = direct.or(through_edge.map(|(_, entity)| entity)) {
                listed.insert(position, entity);
                plumbing.insert(position);
                plumbing.extend(through_edge.map(|(edge, _)| edge));
            }
        }
    }
    for (position, node) in nodes.iter_mut().enumerate() {
        if plumbing.contains(&position) {
            node.role = Role::Plumbing;
        }
        if let Some(&entity) = node.target.and_then(|target| listed.get(&target)) {
            node.entity = Some(entity);
        }
    }
}

fn mark_payloads(nodes: &mut [Node]) {
    let returned_by = |mutations: bool| -> HashSet<Position> {
        let fields = nodes.iter().filter(|node| node.kind == Kind::Field);
        fields
            .filter(|node| (node.root == Some(Root::Mutation)) == mutations)
            .filter_map(|node| node.target)
            .collect()
    };
    let (by_mutations, by_others) = (returned_by(true), returned_by(false));
    for position in by_mutations.difference(&by_others) {
        if let Some(node) = nodes.get_mut(*position)
            && node.kind == Kind::Object
        {
            node.role = Role::Payload;
        }
    }
}

fn count_namesakes(nodes: &mut [Node]) {
    let mut counts: HashMap<Box<str>, u32> = HashMap::new();
    for node in nodes.iter().filter(|node| node.kind == Kind::Field) {
        *counts.entry(node.name.clone()).or_default() += 1;
    }
    for node in nodes.iter_mut().filter(|node| node.kind == Kind::Field) {
        node.namesakes = counts.get(&node.name).copied().unwrap_or(1);
    }
}
