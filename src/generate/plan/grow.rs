//! Growing a tree of selections below a root field, top down: at each type the
//! leaves and hops whose logits pass, and one where none does.

use std::collections::{HashMap, HashSet};

use super::{
    facts::{Facts, FieldFacts, FieldId, TypeId},
    lines::Thresholds,
    odds::Odds,
    signals::at,
    structure::Connection,
};

/// From where no hop is taken any more; what the root returns is at depth 1. Like
/// every figure here chosen on open pairs of a prompt and an operation.
const DEEPEST: usize = 5;
/// Leaves of one type beyond which more are rather a dump than an answer.
const MOST_LEAVES: usize = 16;
/// Hops from one type.
const MOST_HOPS: usize = 6;
/// Fields beyond which a tree takes no further hop: more than twice the largest
/// of 6,520 trees grown for open prompts, so that it only stops a hostile schema.
const MOST_FIELDS: usize = 120;
/// What a leaf of a connection must pass beyond the threshold, and what a member
/// of an edge must where the connection has `nodes`.
const PLUMBING_LEAF: f32 = 0.5;
/// What a hop from a connection must pass beyond the threshold.
const PLUMBING_HOP: f32 = 1.0;
/// How many of its possible types are looked into below an abstract type. This and
/// the next two make no difference when they are moved a little.
const MOST_POSSIBLE: usize = 3;
/// The share of the best possible type's likeness that another needs.
const POSSIBLE_SHARE: f32 = 0.8;
/// The likeness that a possible type needs where the abstract type has fields.
const POSSIBLE_LIKENESS: f32 = 0.2;

/// A selected field, and what is selected of what it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    pub field: FieldId,
    pub below: Vec<Grown>,
}

/// A grown tree.
#[derive(Debug)]
pub struct Tree {
    pub root: Grown,
    /// The types that something is selected of, connections aside.
    pub types: HashSet<TypeId>,
}

/// Grows the tree below a root field. `likeness` says how well each type answers,
/// 0 to 1.
pub fn grow(
    (facts, odds, likeness): (&Facts, &Odds, &[f32]),
    thresholds: &Thresholds,
    root: &FieldFacts,
) -> Tree {
    let mut growth = Growth {
        facts,
        odds,
        likeness,
        thresholds,
        path: root.entity.into_iter().collect(),
        types: HashSet::new(),
        selected: 1,
    };
    let below = root.target.map_or_else(Vec::new, |target| growth.visit(target, 0.0, 1));
    Tree { root: Grown { field: root.id, below }, types: growth.types }
}

struct Growth<'a> {
    facts: &'a Facts,
    odds: &'a Odds,
    likeness: &'a [f32],
    thresholds: &'a Thresholds,
    /// The entities from the root down to here; a hop never returns to one.
    path: Vec<TypeId>,
    types: HashSet<TypeId>,
    selected: usize,
}

impl<'a> Growth<'a> {
    /// Selects of a type, a connection unwrapped. `log` is the log-probability of
    /// the hops that lead here, and `depth` their number plus 1.
    fn visit(&mut self, ty: TypeId, log: f32, depth: usize) -> Vec<Grown> {
        match self.facts.types.get(ty).and_then(|ty| ty.connection) {
            Some(connection) => self.visit_connection(ty, connection, log, depth),
            None => self.visit_entity(ty, log, depth),
        }
    }

    /// `nodes` come before `edges`, unless there are none or an edge has members
    /// that are asked for.
    fn visit_connection(
        &mut self,
        ty: TypeId,
        connection: Connection,
        log: f32,
        depth: usize,
    ) -> Vec<Grown> {
        let toll = self.thresholds.path * log;
        let bar = self.thresholds.leaf + PLUMBING_LEAF;
        let mut grown: Vec<Grown> = Vec::new();
        for leaf in self.leaves(ty).filter(|leaf| self.odds.leaf(leaf) + toll > bar) {
            grown.push(Grown { field: leaf.id, below: Vec::new() });
        }
        self.selected += grown.len();
        let hops: Vec<&FieldFacts> = (self.open_hops(ty, depth).into_iter())
            .filter(|hop| {
                let more = if hop.name == "pageInfo" { 0.0 } else { PLUMBING_HOP };
                self.odds.hop(hop, depth) + toll > self.thresholds.hop + more
            })
            .collect();
        grown.extend(hops.into_iter().map(|hop| self.hop(hop, log, depth)));

        if let Some(edge) = connection.edge {
            let more = if connection.nodes.is_some() { PLUMBING_LEAF } else { 0.0 };
            let leaves: Vec<FieldId> = self
                .leaves(edge.of)
                .filter(|leaf| leaf.name != "cursor")
                .filter(|leaf| self.odds.leaf(leaf) + toll > self.thresholds.leaf + more)
                .map(|leaf| leaf.id)
                .collect();
            let hops: Vec<&FieldFacts> = (self.open_hops(edge.of, depth).into_iter())
                .filter(|hop| self.odds.hop(hop, depth) + toll > self.thresholds.hop + more)
                .collect();
            if connection.nodes.is_none() || !leaves.is_empty() || !hops.is_empty() {
                self.selected += leaves.len() + 2;
                let mut of_edge: Vec<Grown> =
                    leaves.into_iter().map(|field| Grown { field, below: Vec::new() }).collect();
                of_edge.extend(hops.into_iter().map(|hop| self.hop(hop, log, depth)));
                let below = self.visit_entity(edge.entity, log, depth);
                of_edge.push(Grown { field: edge.node, below });
                grown.push(Grown { field: edge.edges, below: of_edge });
                return grown;
            }
        }
        if let Some(nodes) = connection.nodes {
            self.selected += 1;
            let below = self.visit_entity(connection.entity, log, depth);
            grown.push(Grown { field: nodes, below });
        }
        grown
    }

    fn visit_entity(&mut self, ty: TypeId, log: f32, depth: usize) -> Vec<Grown> {
        let toll = self.thresholds.path * log;
        self.types.insert(ty);
        let leaves = self.leaves(ty).collect();
        let hops = self.open_hops(ty, depth);
        let mut grown = self.select(leaves, hops, (log, toll, depth));
        grown.extend(self.visit_possible(ty, log, depth));
        if grown.is_empty() { self.force(ty, log, depth) } else { grown }
    }

    /// Of the likeliest possible types of an abstract type, what that lacks.
    fn visit_possible(&mut self, ty: TypeId, log: f32, depth: usize) -> Vec<Grown> {
        let toll = self.thresholds.path * log;
        let possible = self.likeliest(ty);
        let Some(best) = possible.first().map(|best| at(self.likeness, *best)) else {
            return Vec::new();
        };
        let own = self.facts.fields_of(ty);
        // Two fragments may select one name only if it is of one type in both.
        let mut notations: HashMap<&str, &str> = HashMap::new();
        let mut grown = Vec::new();
        for possible in possible.into_iter().take(MOST_POSSIBLE) {
            let likeness = at(self.likeness, possible);
            if likeness < POSSIBLE_SHARE * best
                || (likeness <= POSSIBLE_LIKENESS && !own.is_empty())
            {
                continue;
            }
            let fits = |field: &&FieldFacts| {
                own.iter().all(|other| other.name != field.name)
                    && notations
                        .get(field.name.as_str())
                        .is_none_or(|notation| *notation == field.notation)
            };
            let leaves = self.leaves(possible).filter(fits).collect();
            let hops = self.open_hops(possible, depth).into_iter().filter(fits).collect();
            let selected = self.select(leaves, hops, (log, toll, depth));
            for field in selected.iter().filter_map(|grown| self.facts.fields.get(grown.field)) {
                notations.insert(&field.name, &field.notation);
            }
            grown.extend(selected);
            self.types.insert(possible);
        }
        grown
    }

    /// Where nothing passes: the best hop if it is likelier than the best leaf,
    /// else that leaf, else something of the likeliest possible type.
    fn force(&mut self, ty: TypeId, log: f32, depth: usize) -> Vec<Grown> {
        let leaf = self.leaves(ty).max_by(|a, b| self.odds.leaf(a).total_cmp(&self.odds.leaf(b)));
        let odds = self.odds;
        let hop = (self.open_hops(ty, depth).into_iter())
            .max_by(|a, b| odds.hop(a, depth).total_cmp(&odds.hop(b, depth)));
        match (leaf, hop) {
            (leaf, Some(hop)) if leaf.is_none_or(|leaf| odds.hop(hop, depth) > odds.leaf(leaf)) => {
                vec![self.hop(hop, log, depth)]
            }
            (Some(leaf), _) => {
                self.selected += 1;
                vec![Grown { field: leaf.id, below: Vec::new() }]
            }
            (None, _) => match self.likeliest(ty).first() {
                // An object has no possible types: this ends at the next step.
                Some(&possible) => self.visit_entity(possible, log, depth),
                None => Vec::new(),
            },
        }
    }

    /// The best of some leaves and hops that pass, in the schema's order.
    fn select(
        &mut self,
        mut leaves: Vec<&'a FieldFacts>,
        mut hops: Vec<&'a FieldFacts>,
        (log, toll, depth): (f32, f32, usize),
    ) -> Vec<Grown> {
        let odds = self.odds;
        leaves.retain(|leaf| odds.leaf(leaf) + toll > self.thresholds.leaf);
        leaves.sort_by(|a, b| odds.leaf(b).total_cmp(&odds.leaf(a)));
        leaves.truncate(MOST_LEAVES);
        leaves.sort_by_key(|leaf| leaf.id);
        hops.retain(|hop| odds.hop(hop, depth) + toll > self.thresholds.hop);
        hops.sort_by(|a, b| odds.hop(b, depth).total_cmp(&odds.hop(a, depth)));
        hops.truncate(MOST_HOPS);
        hops.sort_by_key(|hop| hop.id);
        self.selected += leaves.len();
        let mut grown: Vec<Grown> =
            leaves.iter().map(|leaf| Grown { field: leaf.id, below: Vec::new() }).collect();
        grown.extend(hops.into_iter().map(|hop| self.hop(hop, log, depth)));
        grown
    }

    fn hop(&mut self, hop: &FieldFacts, log: f32, depth: usize) -> Grown {
        self.selected += 1;
        let log = log + log_sigmoid(self.odds.hop(hop, depth));
        self.path.extend(hop.entity);
        let below = hop.target.map_or_else(Vec::new, |to| self.visit(to, log, depth + 1));
        if hop.entity.is_some() {
            self.path.pop();
        }
        Grown { field: hop.id, below }
    }

    /// The leaves of a type that an operation can select.
    fn leaves(&self, ty: TypeId) -> impl Iterator<Item = &'a FieldFacts> + use<'a> {
        let fields = self.facts.fields_of(ty).iter();
        fields.filter(|field| field.is_plain_leaf() && field.name != "clientMutationId")
    }

    /// The hops of a type that lead to something new and not too far away.
    fn open_hops(&self, ty: TypeId, depth: usize) -> Vec<&'a FieldFacts> {
        if depth >= DEEPEST || self.selected >= MOST_FIELDS {
            return Vec::new();
        }
        let is_new =
            |field: &&FieldFacts| field.entity.is_none_or(|entity| !self.path.contains(&entity));
        self.facts.fields_of(ty).iter().filter(|field| field.is_hop()).filter(is_new).collect()
    }

    /// The possible types of an abstract type, the likeliest first.
    fn likeliest(&self, ty: TypeId) -> Vec<TypeId> {
        let mut possible = self.facts.types.get(ty).map_or_else(Vec::new, |ty| ty.possible.clone());
        possible.sort_by(|a, b| at(self.likeness, *b).total_cmp(&at(self.likeness, *a)));
        possible
    }
}

fn log_sigmoid(logit: f32) -> f32 {
    -(-logit.max(-30.0)).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate::plan::Weights, schema::parse_sdl};

    /// A tree in GraphQL's notation, fields of possible types with their owner.
    fn grown(sdl: &str, likely: &[(&str, f32)], root: &str) -> String {
        let facts = Facts::with_places(&parse_sdl(sdl).unwrap(), |_| None);
        let mut logits = vec![-9.0; facts.fields.len()];
        let mut likeness = vec![0.0; facts.types.len()];
        for (coordinate, figure) in likely {
            for field in &facts.fields {
                if format!("{}.{}", facts.types[field.owner].name, field.name) == *coordinate {
                    logits[field.id] = *figure;
                }
            }
            for (id, ty) in facts.types.iter().enumerate() {
                if ty.name == *coordinate {
                    likeness[id] = *figure;
                }
            }
        }
        let odds = Odds { leaves: logits.clone(), hops: logits.clone(), first_hops: logits };
        let root =
            facts.fields.iter().find(|field| field.root.is_some() && field.name == root).unwrap();
        let thresholds = &Weights::bundled().thresholds;
        let tree = grow((&facts, &odds, &likeness), thresholds, root);
        printed(&facts, root.target, &tree.root)
    }

    fn printed(facts: &Facts, parent: Option<TypeId>, grown: &Grown) -> String {
        let field = &facts.fields[grown.field];
        let below: Vec<String> =
            grown.below.iter().map(|below| printed(facts, field.target, below)).collect();
        let owner = &facts.types[field.owner];
        let on = if Some(field.owner) == parent || owner.root.is_some() {
            String::new()
        } else {
            format!("{}.", owner.name)
        };
        let below =
            if below.is_empty() { below.concat() } else { format!("{{{}}}", below.join(" ")) };
        format!("{on}{}{below}", field.name)
    }

    const SHOP: &str = "
        type Query { order(id: ID!): Order orders: OrderConnection found: Found item: Item }
        type Order { id: ID! total: Int note: String lines: [Line!] customer: Customer }
        type Line { sku: String order: Order quantity: Int }
        type Customer { name: String orders: OrderConnection }
        type OrderConnection { nodes: [Order] edges: [OrderEdge] pageInfo: PageInfo! totalCount: Int }
        type OrderEdge { node: Order cursor: String since: Int }
        type PageInfo { hasNextPage: Boolean! }
        union Found = Order | Customer
        interface Item { id: ID! }
        type Book implements Item { id: ID! pages: Int price: Int }
        type Film implements Item { id: ID! minutes: Int price: Float }";

    #[test]
    fn leaves_and_hops_that_pass_are_selected_in_the_schemas_order() {
        let likely =
            [("Order.total", 3.0), ("Order.id", 1.0), ("Order.lines", 2.0), ("Line.sku", 2.0)];
        assert_eq!(grown(SHOP, &likely, "order"), "order{id total lines{sku}}");
    }

    #[test]
    fn what_an_improbable_hop_leads_to_must_be_the_more_probable() {
        let likely = [("Order.id", 1.0), ("Order.lines", -1.4), ("Line.sku", -1.0)];
        // −1.0 + 0.7 · ln σ(−1.4) is −2.15: nothing passes, and the best is taken.
        assert_eq!(grown(SHOP, &likely, "order"), "order{id lines{sku}}");
        let likely = [("Line.quantity", -0.9), ("Order.lines", -1.4), ("Line.sku", -1.1)];
        assert_eq!(grown(SHOP, &likely, "order"), "order{lines{quantity}}");
    }

    #[test]
    fn a_hop_never_returns_to_an_entity_above() {
        let likely = [("Order.lines", 2.0), ("Line.order", 5.0), ("Line.sku", 1.0)];
        assert_eq!(grown(SHOP, &likely, "order"), "order{lines{sku}}");
    }

    #[test]
    fn connections_are_read_by_nodes_unless_an_edge_has_what_is_asked_for() {
        let likely = [("Order.id", 1.0), ("OrderConnection.totalCount", 1.0)];
        assert_eq!(grown(SHOP, &likely, "orders"), "orders{totalCount nodes{id}}");
        let likely = [("Order.id", 1.0), ("OrderEdge.since", 1.0), ("OrderEdge.cursor", 1.0)];
        assert_eq!(grown(SHOP, &likely, "orders"), "orders{edges{since node{id}}}");
    }

    #[test]
    fn something_is_selected_where_nothing_passes() {
        let likely = [("Order.note", -5.0), ("Order.customer", -6.0)];
        assert_eq!(grown(SHOP, &likely, "order"), "order{note}");
        let likely = [("Order.note", -5.0), ("Order.customer", -4.0), ("Customer.name", -5.0)];
        assert_eq!(grown(SHOP, &likely, "order"), "order{customer{name}}");
        let likely = [("Customer", 0.1), ("Customer.name", -5.0)];
        assert_eq!(grown(SHOP, &likely, "found"), "found{Customer.name}");
    }

    #[test]
    fn fragments_on_likely_types_do_not_conflict() {
        let likely = [
            ("Book", 1.0),
            ("Film", 0.9),
            ("Item.id", 1.0),
            ("Book.id", 1.0),
            ("Book.price", 1.0),
            ("Film.price", 1.0),
            ("Film.minutes", 1.0),
        ];
        assert_eq!(grown(SHOP, &likely, "item"), "item{id Book.price Film.minutes}");
    }

    #[test]
    fn a_schema_that_leads_back_to_itself_ends() {
        let sdl = "type Query { all: Ring } type Page { number: Int }
                   union Any = Ring
                   type Ring { nodes: [Any] pageInfo: Ring page: Page }";
        let likely = [("Ring.pageInfo", 9.0), ("Ring", 1.0), ("Page.number", 1.0)];
        assert!(grown(sdl, &likely, "all").starts_with("all{"));
    }
}
