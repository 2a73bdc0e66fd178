//! How the types of a schema hang together: connections, what an abstract type
//! can be, what only mutations return.

use std::collections::{HashMap, HashSet};

use super::facts::{FieldId, TypeId};
use crate::{
    index::Root,
    schema::{FieldDef, Schema, TypeDef, TypeKind},
};

/// The way through a Relay connection. It has `nodes`, an edge, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// What it lists.
    pub entity: TypeId,
    /// The field that lists it directly.
    pub nodes: Option<FieldId>,
    /// The way by edges.
    pub edge: Option<Edge>,
}

/// The way through the edges of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The field `edges`.
    pub edges: FieldId,
    /// What that returns.
    pub of: TypeId,
    /// The field `node` of an edge.
    pub node: FieldId,
    /// What that returns.
    pub entity: TypeId,
}

/// The structure of a schema; types and fields are numbered in its order.
pub struct Structure<'a> {
    schema: &'a Schema,
    ids: HashMap<&'a str, TypeId>,
    /// The first field of each type.
    firsts: Vec<FieldId>,
    pub connections: HashMap<TypeId, Connection>,
    /// `nodes`, `edges` and `node` of connections.
    pub plumbing: HashSet<FieldId>,
    /// The objects that an interface or union can be.
    pub possible: HashMap<TypeId, Vec<TypeId>>,
    pub roots: HashMap<TypeId, Root>,
    /// The roots, and what a field of a root returns.
    pub near_roots: HashSet<TypeId>,
    /// Objects that mutations return and nothing else does.
    pub payloads: HashSet<TypeId>,
}

impl<'a> Structure<'a> {
    /// Reads the structure of a schema.
    pub fn of(schema: &'a Schema) -> Self {
        let types = schema.types().iter();
        let firsts = types.clone().scan(0, |next, ty| {
            let first = *next;
            *next += ty.fields.len();
            Some(first)
        });
        let mut structure = Self {
            schema,
            ids: types.clone().map(|ty| ty.name.as_str()).zip(0..).collect(),
            firsts: firsts.collect(),
            connections: HashMap::new(),
            plumbing: HashSet::new(),
            possible: HashMap::new(),
            roots: HashMap::new(),
            near_roots: HashSet::new(),
            payloads: HashSet::new(),
        };
        structure.find_roots();
        for (id, ty) in types.enumerate() {
            structure.find_possible(id, ty);
            if ty.kind == TypeKind::Object {
                structure.find_connection(id, ty);
            }
        }
        structure.find_payloads();
        structure
    }

    /// The type of a name.
    pub fn id(&self, name: &str) -> Option<TypeId> {
        self.ids.get(name).copied()
    }

    /// The first field of a type.
    pub fn first_field(&self, ty: TypeId) -> FieldId {
        self.firsts.get(ty).copied().unwrap_or(FieldId::MAX)
    }

    /// The type that a field returns, where one can select of that.
    pub fn target(&self, field: &FieldDef) -> Option<TypeId> {
        let id = self.id(field.type_ref.named())?;
        self.schema.types().get(id).filter(|ty| ty.kind.is_composite()).map(|_| id)
    }

    fn find_roots(&mut self) {
        let names = &self.schema.roots;
        let roots = [
            (&names.query, Root::Query),
            (&names.mutation, Root::Mutation),
            (&names.subscription, Root::Subscription),
        ];
        for (name, root) in roots {
            let Some(id) = name.as_deref().and_then(|name| self.id(name)) else {
                continue;
            };
            self.roots.insert(id, root);
            let fields = self.schema.types().get(id).map_or(&[][..], |ty| &ty.fields);
            let returned: Vec<TypeId> =
                fields.iter().filter_map(|field| self.target(field)).collect();
            self.near_roots.extend(returned);
            self.near_roots.insert(id);
        }
    }

    fn find_possible(&mut self, id: TypeId, ty: &TypeDef) {
        let members: Vec<TypeId> = ty.members.iter().filter_map(|name| self.id(name)).collect();
        if !members.is_empty() {
            self.possible.insert(id, members);
        }
        if ty.kind == TypeKind::Object {
            for interface in &ty.interfaces {
                if let Some(interface) = self.id(interface) {
                    self.possible.entry(interface).or_default().push(id);
                }
            }
        }
    }

    fn find_connection(&mut self, id: TypeId, ty: &TypeDef) {
        let composite = |owner: TypeId, ty: &TypeDef, name: &str| {
            let at = ty.fields.iter().position(|field| field.name == name)?;
            let target = self.target(ty.fields.get(at)?)?;
            Some((self.first_field(owner) + at, target))
        };
        let edges = composite(id, ty, "edges");
        let edge = edges.and_then(|(edges, of)| {
            let (node, entity) = composite(of, self.schema.types().get(of)?, "node")?;
            Some(Edge { edges, of, node, entity })
        });
        let pages = edges.is_some() || ty.fields.iter().any(|field| field.name == "pageInfo");
        let nodes = composite(id, ty, "nodes").filter(|_| pages);
        let Some(entity) = nodes.map(|(_, entity)| entity).or(edge.map(|edge| edge.entity)) else {
            return;
        };
        let nodes = nodes.map(|(nodes, _)| nodes);
        self.plumbing.extend(nodes.into_iter().chain(edges.map(|(edges, _)| edges)));
        self.plumbing.extend(edge.map(|edge| edge.node));
        self.connections.insert(id, Connection { entity, nodes, edge });
    }

    fn find_payloads(&mut self) {
        let (mut by_mutations, mut by_others) = (HashSet::new(), HashSet::new());
        for (id, ty) in self.schema.types().iter().enumerate() {
            let mutates = self.roots.get(&id) == Some(&Root::Mutation);
            let returned = if mutates { &mut by_mutations } else { &mut by_others };
            returned.extend(ty.fields.iter().filter_map(|field| self.target(field)));
        }
        let is_object = |id: &TypeId| {
            self.schema.types().get(*id).is_some_and(|ty| ty.kind == TypeKind::Object)
        };
        self.payloads = by_mutations.difference(&by_others).copied().filter(is_object).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    #[test]
    fn connections_lead_to_what_they_list() {
        let schema = parse_sdl(
            "type Query { people: PersonConnection! }
             type Mutation { greet: Greeting }
             type Greeting { person: Person }
             type PersonConnection { edges: [PersonEdge!]! pageInfo: PageInfo! }
             type PersonEdge { node: Person! since: Int }
             type PageInfo { hasNextPage: Boolean! }
             interface Named { name: String }
             type Person implements Named { name: String }",
        )
        .unwrap();
        let structure = Structure::of(&schema);
        let id = |name: &str| structure.id(name).unwrap();
        let connection = structure.connections[&id("PersonConnection")];
        assert_eq!((connection.entity, connection.nodes), (id("Person"), None));
        assert_eq!(connection.edge.unwrap().of, id("PersonEdge"));
        assert_eq!(structure.plumbing.len(), 2);
        assert_eq!(structure.possible[&id("Named")], [id("Person")]);
        assert_eq!(structure.payloads, HashSet::from([id("Greeting")]));
        assert!(structure.near_roots.contains(&id("PersonConnection")));
        assert!(!structure.near_roots.contains(&id("Person")));
    }
}
