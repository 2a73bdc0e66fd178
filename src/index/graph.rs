//! What of an index is kept in memory: each element's place in the type graph.
//!
//! Ranking asks for owners, returned types and names of hundreds of elements a
//! query; here that costs an array access. An element's id in the file is its
//! position here plus one.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::schema::{Kind, Roots, TypeRef};

/// Positions of the elements, `usize::MAX` elements being out of reach.
pub type Position = usize;

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
    pub paginated: bool,
    pub deprecated: bool,
    /// Fields between a root and the owner; none where no root leads there.
    pub depth: Option<u32>,
    pub arguments: u32,
}

/// Every element, in the order of their ids.
pub struct Graph {
    nodes: Vec<Node>,
    positions: HashMap<Box<str>, Position>,
    roots: Roots,
}

impl Graph {
    /// Reads the elements of a file.
    pub fn load(connection: &Connection, roots: &Roots) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare(
            "SELECT coordinate, kind, name, parent, type_ref, paginated,
                    deprecation_reason IS NOT NULL, depth, arguments
             FROM element ORDER BY id",
        )?;
        let mut nodes = Vec::new();
        let mut references: Vec<(Option<String>, Option<String>)> = Vec::new();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let kind = row.get_ref(1)?.as_str()?;
            let kind = kind.parse().map_err(|error| {
                rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
            })?;
            nodes.push(Node {
                coordinate: row.get(0)?,
                kind,
                name: row.get(2)?,
                owner: None,
                target: None,
                paginated: row.get(5)?,
                deprecated: row.get(6)?,
                depth: row.get(7)?,
                arguments: row.get(8)?,
            });
            references.push((row.get(3)?, row.get(4)?));
        }
        let positions: HashMap<Box<str>, Position> =
            nodes.iter().map(|node| node.coordinate.clone()).zip(0..).collect();
        let types: HashMap<Box<str>, Position> = nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.kind.is_type())
            .map(|(position, node)| (node.name.clone(), position))
            .collect();
        for (node, (parent, type_ref)) in nodes.iter_mut().zip(references) {
            node.owner = parent.and_then(|parent| positions.get(parent.as_str()).copied());
            node.target = type_ref
                .and_then(|type_ref| types.get(TypeRef::named_in(&type_ref)).copied());
        }
        Ok(Self { nodes, positions, roots: roots.clone() })
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Every element, in the order of their ids.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
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
