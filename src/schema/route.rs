//! Shortest routes of fields from the roots to each composite type.

use std::collections::HashMap;

use super::{
    depth::implementers,
    model::{FieldDef, Schema, TypeDef, TypeKind, TypeRef},
};

/// How many routes a type has at most.
const ROUTES: usize = 3;

/// How many steps a route has at most. No type of the public schemas that we
/// know is further than 7 from a root, and a longer operation is no use as a
/// skeleton.
const MAX_STEPS: usize = 8;

/// How much text the hops of a route may have, in bytes. Real ones have some
/// hundred; a field with thousands of required arguments would be repeated in
/// every route that passes it.
const MAX_ROUTE_BYTES: usize = 8_000;

/// A route from a root to a composite type.
#[derive(Clone, Debug)]
pub(super) struct Route<'a> {
    pub root: &'a TypeDef,
    /// At least one.
    pub hops: Vec<Hop<'a>>,
}

/// One field of a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop<'a> {
    /// The type that holds the field.
    pub owner: &'a TypeDef,
    pub field: &'a FieldDef,
    /// The member to which an abstract type is narrowed behind the field.
    pub on: Option<&'a TypeDef>,
}

impl Route<'_> {
    /// `path:Query.node[Issue].author`: a member in brackets where the route
    /// goes on, or ends, on a member of an abstract type.
    pub(super) fn coordinate(&self) -> String {
        let mut coordinate = format!("path:{}", self.root.name);
        for hop in &self.hops {
            coordinate.push('.');
            coordinate.push_str(&hop.field.name);
            if let Some(member) = hop.on {
                coordinate.push('[');
                coordinate.push_str(&member.name);
                coordinate.push(']');
            }
        }
        coordinate
    }

    /// The type that the route leads to: the last field's, narrowed where the
    /// route is.
    pub(super) fn type_ref(&self) -> Option<TypeRef> {
        let last = self.hops.last()?;
        let type_ref = &last.field.type_ref;
        Some(match last.on {
            Some(member) => TypeRef::new(type_ref.as_str().replace(type_ref.named(), &member.name)),
            None => type_ref.clone(),
        })
    }
}

/// Up to three routes to each composite type but the roots, shortest first, by
/// type name. A step is a field, or narrowing an abstract type to a member; one
/// root's routes are found apart from another's, so that a graph's many
/// mutations do not hide how to query a type: if a query leads there, one of the
/// routes is a query. Among equals, routes without required arguments and
/// deprecated fields come first.
pub(super) fn routes(schema: &Schema) -> Vec<Vec<Route<'_>>> {
    let graph = Graph { schema, implementers: implementers(schema) };
    let searches: Vec<Search<'_>> = schema.root_types().map(|root| graph.search(root)).collect();
    let composite = schema.types().iter().filter(|ty| ty.kind.is_composite());
    composite.map(|ty| pick(&searches, ty)).filter(|routes| !routes.is_empty()).collect()
}

/// Of all roots' routes to a type, the shortest; the first root with any, which
/// is the query root if it leads there, has at least one.
fn pick<'a>(searches: &[Search<'a>], ty: &TypeDef) -> Vec<Route<'a>> {
    let mut found: Vec<(usize, usize, usize, &Search<'a>)> = Vec::new();
    for (rank, search) in searches.iter().enumerate() {
        for at in search.arrivals.get(ty.name.as_str()).into_iter().flatten() {
            found.push((search.steps_to(*at), rank, *at, search));
        }
    }
    let preferred = found.first().copied();
    found.sort_by_key(|(steps, rank, at, _)| (*steps, *rank, *at));
    if let Some(preferred) = preferred
        && !found.iter().take(ROUTES).any(|(_, rank, ..)| *rank == preferred.1)
    {
        found.truncate(ROUTES - 1);
        found.push(preferred);
    }
    found.iter().take(ROUTES).map(|(_, _, at, search)| search.route(*at)).collect()
}

struct Graph<'a> {
    schema: &'a Schema,
    implementers: HashMap<&'a str, Vec<&'a str>>,
}

/// What a breadth-first search from one root finds. Arrivals point to the one
/// they come from, so a route is read backwards.
struct Search<'a> {
    root: &'a TypeDef,
    steps: Vec<Step<'a>>,
    /// The steps that arrive at a type, best first, by its name.
    arrivals: HashMap<&'a str, Vec<usize>>,
}

#[derive(Clone, Copy)]
struct Step<'a> {
    /// The step before; none behind the root.
    from: Option<usize>,
    at: &'a TypeDef,
    /// The field taken; none where the step narrows the type of the one before.
    field: Option<(&'a TypeDef, &'a FieldDef)>,
    length: usize,
    /// What all hops so far weigh against the route, fewest first.
    cost: Cost,
    bytes: usize,
}

/// What makes one of two equally long routes the better one; the derived order
/// is the preference.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    deprecated: usize,
    narrowed: usize,
    required_args: usize,
}

impl Step<'_> {
    /// The order in which equally long steps are taken: the better first, then
    /// the one from the better route, then by name. It is total, so that the
    /// same schema always has the same routes.
    fn order(&self) -> (Cost, Option<usize>, &str) {
        let name = self.field.map_or(&self.at.name, |(_, field)| &field.name);
        (self.cost, self.from, name)
    }
}

impl<'a> Graph<'a> {
    /// Searches level by level. Each type is arrived at up to three times and
    /// left as often, so the work is linear in the schema.
    fn search(&self, root: &'a TypeDef) -> Search<'a> {
        let mut search = Search { root, steps: Vec::new(), arrivals: HashMap::new() };
        let start =
            Step { from: None, at: root, field: None, length: 0, cost: Cost::default(), bytes: 0 };
        let mut next = self.steps_from(&search, None, &start);
        while !next.is_empty() {
            next.sort_by(|a, b| a.order().cmp(&b.order()));
            let mut level = Vec::new();
            for step in next {
                let arrivals = search.arrivals.entry(&step.at.name).or_default();
                if arrivals.len() < ROUTES {
                    let at = search.steps.len();
                    arrivals.push(at);
                    search.steps.push(step);
                    level.push((at, step));
                }
            }
            next = level
                .into_iter()
                .filter(|(_, step)| step.length < MAX_STEPS)
                .flat_map(|(at, step)| self.steps_from(&search, Some(at), &step))
                .collect();
        }
        search
    }

    fn steps_from(
        &self,
        search: &Search<'a>,
        from: Option<usize>,
        step: &Step<'a>,
    ) -> Vec<Step<'a>> {
        let members = match step.at.kind {
            TypeKind::Interface => {
                self.implementers.get(step.at.name.as_str()).map_or(&[][..], Vec::as_slice)
            }
            _ => &[],
        };
        let members = members.iter().copied().chain(step.at.members.iter().map(String::as_str));
        let narrowed = members.filter_map(|member| {
            let at = self.schema.get(member).filter(|member| member.kind == TypeKind::Object)?;
            let cost = Cost { narrowed: step.cost.narrowed + 1, ..step.cost };
            let bytes = step.bytes + member.len();
            Some(Step { from, at, field: None, length: step.length + 1, cost, bytes })
        });
        let taken = step.at.fields.iter().filter_map(|field| {
            let at = self.schema.get(field.type_ref.named()).filter(|ty| ty.kind.is_composite())?;
            let required = field.args.iter().filter(|arg| arg.is_required());
            let argument_bytes: usize =
                required.clone().map(|arg| arg.name.len() + arg.type_ref.as_str().len()).sum();
            let cost = Cost {
                deprecated: step.cost.deprecated + usize::from(field.deprecation_reason.is_some()),
                narrowed: step.cost.narrowed,
                required_args: step.cost.required_args + required.count(),
            };
            let bytes =
                step.bytes + field.name.len() + field.type_ref.as_str().len() + argument_bytes;
            Some(Step {
                from,
                at,
                field: Some((step.at, field)),
                length: step.length + 1,
                cost,
                bytes,
            })
        });
        narrowed
            .chain(taken)
            .filter(|next| {
                next.bytes <= MAX_ROUTE_BYTES && !self.is_on_route(search, from, next.at)
            })
            .collect()
    }

    /// Would arriving at `ty` close a circle, or pass a root?
    fn is_on_route(&self, search: &Search<'a>, mut from: Option<usize>, ty: &TypeDef) -> bool {
        if self.schema.roots.names().any(|root| root == ty.name) {
            return true;
        }
        while let Some(step) = from.and_then(|at| search.steps.get(at)) {
            if step.at.name == ty.name {
                return true;
            }
            from = step.from;
        }
        false
    }
}

impl<'a> Search<'a> {
    fn steps_to(&self, at: usize) -> usize {
        self.steps.get(at).map_or(0, |step| step.length)
    }

    fn route(&self, at: usize) -> Route<'a> {
        let mut hops = Vec::new();
        let mut narrowed = None;
        let mut from = Some(at);
        while let Some(step) = from.and_then(|at| self.steps.get(at)) {
            match step.field {
                Some((owner, field)) => hops.push(Hop { owner, field, on: narrowed.take() }),
                None => narrowed = Some(step.at),
            }
            from = step.from;
        }
        hops.reverse();
        Route { root: self.root, hops }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    fn coordinates(sdl: &str, name: &str) -> Vec<String> {
        let schema = parse_sdl(sdl).unwrap();
        let routes = routes(&schema);
        let routes = routes.into_iter().find(|routes| {
            routes
                .first()
                .and_then(Route::type_ref)
                .is_some_and(|type_ref| type_ref.named() == name)
        });
        routes.into_iter().flatten().map(|route| route.coordinate()).collect()
    }

    #[test]
    fn the_three_shortest_are_found_and_plain_ones_first() {
        let sdl = "type Query { byId(id: ID!): A old: A @deprecated all: [A!]! more: A b: B }
                   type B { a: A } type A { id: ID! self: A c: C } type C { a: A }";
        assert_eq!(coordinates(sdl, "A"), ["path:Query.all", "path:Query.more", "path:Query.byId"]);
        assert_eq!(
            coordinates(sdl, "C"),
            ["path:Query.all.c", "path:Query.more.c", "path:Query.byId.c"]
        );
        assert_eq!(coordinates(sdl, "B"), ["path:Query.b"]);
    }

    #[test]
    fn a_member_of_an_abstract_type_stands_in_brackets() {
        let sdl = "type Query { node(id: ID!): Node search: [Hit!] } interface Node { id: ID! }
                   type Issue implements Node { id: ID! author: User } union Hit = User type User { name: String }";
        assert_eq!(coordinates(sdl, "Issue"), ["path:Query.node[Issue]"]);
        assert_eq!(
            coordinates(sdl, "User"),
            ["path:Query.search[User]", "path:Query.node[Issue].author"]
        );
        let schema = parse_sdl(sdl).unwrap();
        let routes = routes(&schema);
        let user =
            routes.iter().flatten().find(|route| route.coordinate() == "path:Query.search[User]");
        assert_eq!(user.unwrap().type_ref().unwrap().as_str(), "[User!]");
    }

    #[test]
    fn mutations_do_not_hide_queries() {
        let sdl = "type Query { team: Team } type Team { lead: Person }
                   type Mutation { a: Person b: Person c: Person root: Query } type Person { name: String }";
        assert_eq!(
            coordinates(sdl, "Person"),
            ["path:Mutation.a", "path:Mutation.b", "path:Query.team.lead"]
        );
        assert_eq!(coordinates(sdl, "Query"), [] as [&str; 0]);
    }

    #[test]
    fn routes_are_limited_in_steps_and_in_text() {
        let chain: Vec<_> =
            (0..20).map(|at| format!("type T{at} {{ next: T{} }} ", at + 1)).collect();
        let args: Vec<_> = (0..2_000).map(|at| format!("argument{at}: Int! ")).collect();
        let (chain, args) = (chain.concat(), args.concat());
        let sdl = format!(
            "type Query {{ t: T0 w({args}): W }} {chain} type T20 {{ a: Int }} type W {{ a: Int }}"
        );
        assert_eq!(coordinates(&sdl, "T7"), ["path:Query.t.next.next.next.next.next.next.next"]);
        assert_eq!(coordinates(&sdl, "T8"), [] as [&str; 0]);
        assert_eq!(coordinates(&sdl, "W"), [] as [&str; 0]);
    }
}
