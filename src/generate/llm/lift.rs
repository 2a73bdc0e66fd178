//! Makes an operation that somebody wrote one of ours: no value stands in it,
//! each is a variable of the schema's type and with the schema's default.
//!
//! Fragments are written where they are used, directives are dropped, and the
//! declarations are made anew from the places where variables stand; so those
//! that nothing uses are gone, and one that was declared wrongly is mended.

use std::collections::{HashMap, HashSet};

use apollo_compiler::{
    Name, Node,
    ast::{self, FragmentDefinition, InlineFragment, OperationDefinition},
};

use super::binding::{Binding, Spot, input_of};
use crate::{
    discovery::OperationType,
    generate::{
        arguments::purpose,
        operation::{self, Operation, Variable, find},
        plan::{Plan, Selection},
    },
    index::Root,
    schema::{FieldDef, Schema, TypeDef},
};

/// How deep selections may nest, as in the operations that we plan.
const MAX_DEPTH: usize = 32;
/// The most fields of an operation, with those of its fragments at each place.
/// The largest of public documentation has 127.
const MAX_FIELDS: usize = 500;
/// The most root fields that an operation's name tells.
const NAMED: usize = 2;

/// Named fragments of a document.
pub type Fragments<'d> = HashMap<&'d str, &'d FragmentDefinition>;

/// An operation, lifted and not proved.
#[derive(Debug)]
pub struct Lifted<'s> {
    /// The whole: its first root field, and all variables.
    pub operation: Operation<'s>,
    /// What each root field selects, with the variables that stand below it.
    pub parts: Vec<(Plan, Operation<'s>)>,
}

/// Lifts an operation. What does not fit the schema stays as it is, for the
/// judge to say so. `taken` are the names of the operations before it.
/// `with_defaults` is false for a schema whose defaults do not fit their types.
///
/// # Errors
/// A reason for whoever wrote it: it is too large or too deep, or selects no
/// field of its root.
pub fn lift<'s>(
    schema: &'s Schema,
    written: &OperationDefinition,
    fragments: &Fragments<'_>,
    with_defaults: bool,
    taken: &HashSet<String>,
) -> Result<Lifted<'s>, String> {
    let (kind, root, type_name) = root_of(schema, written.operation_type);
    let ty = type_name.and_then(|name| schema.get(name));
    let mut lifter = Lifter {
        schema,
        fragments,
        binding: Binding::new(schema, with_defaults),
        fields: 0,
        parts: Vec::new(),
    };
    let (selection_set, _) = lifter.set(ty, &written.selection_set, Depth::default())?;
    let Lifter { binding, parts, .. } = lifter;
    let variables = binding.into_variables();
    let name = named_after(schema, kind, &parts, taken);
    let document = print(kind, written.operation_type, &name, &variables, selection_set);
    let operation = |field: &'s FieldDef, variables: Vec<Variable<'s>>| Operation {
        document: document.clone(),
        name: name.clone(),
        kind,
        field,
        variables,
    };
    let first = parts.first().ok_or("it selects no field of the schema's root")?;
    Ok(Lifted {
        operation: operation(first.field, variables.clone()),
        parts: parts
            .into_iter()
            .map(|part| {
                let variables =
                    part.used.iter().filter_map(|at| variables.get(*at)).cloned().collect();
                let operation = operation(part.field, variables);
                (Plan { root, selection: part.selection, score: 0.0 }, operation)
            })
            .collect(),
    })
}

fn root_of(schema: &Schema, kind: ast::OperationType) -> (OperationType, Root, Option<&str>) {
    let roots = &schema.roots;
    match kind {
        ast::OperationType::Query => (OperationType::Query, Root::Query, roots.query.as_deref()),
        ast::OperationType::Mutation => {
            (OperationType::Mutation, Root::Mutation, roots.mutation.as_deref())
        }
        ast::OperationType::Subscription => {
            (OperationType::Subscription, Root::Subscription, roots.subscription.as_deref())
        }
    }
}

/// A name of our own: one that was written may hold a value of the prompt.
fn named_after(
    schema: &Schema,
    kind: OperationType,
    parts: &[Part<'_>],
    taken: &HashSet<String>,
) -> String {
    let mut names: Vec<String> = parts
        .iter()
        .map(|part| operation::name(schema, part.field, &part.selection, kind))
        .collect();
    names.dedup();
    names.truncate(NAMED);
    let name = names.join("And");
    let numbered = (2_usize..).map(|number| format!("{name}{number}"));
    let mut free = std::iter::once(name.clone()).chain(numbered.take(taken.len() + 1));
    free.find(|name| !taken.contains(name)).unwrap_or_default()
}

fn print(
    kind: OperationType,
    operation_type: ast::OperationType,
    name: &str,
    variables: &[Variable<'_>],
    selection_set: Vec<ast::Selection>,
) -> String {
    let body = OperationDefinition {
        operation_type,
        name: Name::new(name).ok(),
        variables: Vec::new(),
        directives: ast::DirectiveList::default(),
        selection_set,
    }
    .to_string();
    let mut document = format!("{} {name}", kind.keyword());
    let body = body.strip_prefix(&document).unwrap_or_default();
    operation::declare(variables, &mut document);
    document.push_str(body.trim_end());
    document.push('\n');
    document
}

/// How deep a selection set lies.
#[derive(Clone, Copy, Default)]
struct Depth {
    /// Below this many fields.
    fields: usize,
    /// Below this many fields and fragments.
    sets: usize,
}

/// A root field, lifted.
struct Part<'s> {
    field: &'s FieldDef,
    selection: Selection,
    /// The places of its variables.
    used: Vec<usize>,
}

struct Lifter<'s, 'd> {
    schema: &'s Schema,
    fragments: &'d Fragments<'d>,
    binding: Binding<'s>,
    /// How many are selected so far.
    fields: usize,
    parts: Vec<Part<'s>>,
}

impl<'s> Lifter<'s, '_> {
    /// A selection set, and what of it the schema knows.
    fn set(
        &mut self,
        ty: Option<&'s TypeDef>,
        selections: &[ast::Selection],
        depth: Depth,
    ) -> Result<(Vec<ast::Selection>, Vec<Selection>), String> {
        if depth.sets > MAX_DEPTH {
            return Err(format!("it nests deeper than {MAX_DEPTH} levels; select less"));
        }
        let (mut set, mut known) = (Vec::new(), Vec::new());
        for selection in selections {
            match selection {
                ast::Selection::Field(field) => {
                    let (field, selected) = self.field(ty, field, depth)?;
                    set.push(ast::Selection::Field(Node::new(field)));
                    known.extend(selected);
                }
                ast::Selection::InlineFragment(fragment) => {
                    let InlineFragment { type_condition, selection_set, .. } = &**fragment;
                    let (fragment, selected) =
                        self.fragment(ty, type_condition.as_ref(), selection_set, depth)?;
                    set.push(fragment);
                    known.extend(selected);
                }
                ast::Selection::FragmentSpread(spread) => {
                    let Some(fragment) = self.fragments.get(spread.fragment_name.as_str()) else {
                        return Err(format!(
                            "there is no fragment `{}` in it",
                            spread.fragment_name
                        ));
                    };
                    let on = Some(&fragment.type_condition);
                    let (fragment, selected) =
                        self.fragment(ty, on, &fragment.selection_set, depth)?;
                    set.push(fragment);
                    known.extend(selected);
                }
            }
        }
        let mut merged = Vec::new();
        for selection in &known {
            operation::merge(&mut merged, selection);
        }
        Ok((set, merged))
    }

    fn fragment(
        &mut self,
        ty: Option<&'s TypeDef>,
        on: Option<&Name>,
        selections: &[ast::Selection],
        depth: Depth,
    ) -> Result<(ast::Selection, Vec<Selection>), String> {
        let inner = on.map_or(ty, |name| self.schema.get(name));
        let depth = Depth { sets: depth.sets + 1, ..depth };
        let (selection_set, known) = self.set(inner, selections, depth)?;
        let fragment = InlineFragment {
            type_condition: on.cloned(),
            directives: ast::DirectiveList::default(),
            selection_set,
        };
        Ok((ast::Selection::InlineFragment(Node::new(fragment)), known))
    }

    fn field(
        &mut self,
        ty: Option<&'s TypeDef>,
        written: &ast::Field,
        depth: Depth,
    ) -> Result<(ast::Field, Option<Selection>), String> {
        self.fields += 1;
        if self.fields > MAX_FIELDS {
            return Err(format!("it selects more than {MAX_FIELDS} fields; select less"));
        }
        let field = ty.and_then(|ty| find(ty, &written.name));
        let at_root = depth.fields == 0;
        if at_root {
            self.binding.begin();
        }
        let arguments = written
            .arguments
            .iter()
            .map(|argument| {
                let takes = field.and_then(|field| input_of(&field.args, &argument.name));
                let value = match (field, takes) {
                    (Some(field), Some(takes)) => {
                        let place = purpose(self.schema, takes);
                        let below = field.name.as_str();
                        let spot = Spot { argument: takes, place, at_root, below, depth: 0 };
                        self.binding.value(&argument.value, &spot)
                    }
                    _ => argument.value.clone(),
                };
                Node::new(ast::Argument { name: argument.name.clone(), value })
            })
            .collect();
        let target = field.and_then(|field| self.schema.get(field.type_ref.named()));
        let inner = Depth { fields: depth.fields + 1, sets: depth.sets + 1 };
        let (selection_set, selections) = self.set(target, &written.selection_set, inner)?;
        let selection = ty.zip(field).map(|(owner, field)| Selection {
            owner: owner.name.clone(),
            field: field.name.clone(),
            selections,
        });
        if let (true, Some(field), Some(selection)) = (at_root, field, &selection) {
            let (selection, used) = (selection.clone(), self.binding.used().to_vec());
            self.parts.push(Part { field, selection, used });
        }
        let lifted = ast::Field {
            alias: written.alias.clone(),
            name: written.name.clone(),
            arguments,
            directives: ast::DirectiveList::default(),
            selection_set,
        };
        Ok((lifted, selection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    const SCHEMA: &str = "type Query { pet(id: ID!): Pet pets(first: Int = 10, after: String, where: Where, kinds: [Kind!]): [Pet!]! any: Any }
        type Mutation { rename(input: Rename!): Pet mark(by: By!): Pet }
        type Pet { id: ID! name(short: Boolean): String kind: Kind friends(first: Int): [Pet!]! toy: Toy }
        type Toy { name: String } union Any = Pet | Toy enum Kind { CAT DOG }
        input Where { name: Match kind: Kind } input Match { _eq: String _in: [String!] }
        input Rename { id: ID! name: String = \"x\" } input By @oneOf { id: ID name: String }";

    /// The lifted document on one line, or the reason why there is none.
    fn lifted(text: &str) -> String {
        let schema = parse_sdl(SCHEMA).unwrap();
        let document = ast::Document::parse(text, "a.graphql").unwrap();
        let mut fragments = Fragments::new();
        let mut operation = None;
        for definition in &document.definitions {
            match definition {
                ast::Definition::FragmentDefinition(it) => {
                    fragments.insert(it.name.as_str(), it);
                }
                ast::Definition::OperationDefinition(it) => operation = Some(it),
                _ => {}
            }
        }
        let taken = HashSet::new();
        match lift(&schema, operation.unwrap(), &fragments, true, &taken) {
            Ok(lifted) => {
                lifted.operation.document.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            Err(reason) => reason,
        }
    }

    #[test]
    fn literals_become_variables_of_the_schemas_types() {
        for (written, expected) in [
            ("{ pet(id: 7) { id } }", "query Pet($id: ID!) { pet(id: $id) { id } }"),
            (
                "query AdaS { pets(first: 3, kinds: [CAT]) { name(short: true) friends(first: 2) { id } } }",
                "query PetsFriends($first: Int = 10, $kinds: [Kind!], $short: Boolean, $friendsFirst: Int) \
                 { pets(first: $first, kinds: $kinds) { name(short: $short) friends(first: $friendsFirst) { id } } }",
            ),
            (
                r#"{ pets(where: {kind: CAT, name: {_eq: "Tom", _in: ["a"]}}) { id } }"#,
                "query Pets($kind: Kind, $nameEq: String, $nameIn: [String!]) \
                 { pets(where: {kind: $kind, name: {_eq: $nameEq, _in: $nameIn}}) { id } }",
            ),
            (
                r#"mutation { rename(input: {id: 1, name: "Tom"}) { id } }"#,
                r#"mutation Rename($id: ID!, $name: String = "x") { rename(input: {id: $id, name: $name}) { id } }"#,
            ),
            (
                "mutation { mark(by: {id: 1}) { id } }",
                "mutation Mark($by: By!) { mark(by: $by) { id } }",
            ),
            (
                "{ pets(where: {}) { id } }",
                "query Pets($where: Where) { pets(where: $where) { id } }",
            ),
        ] {
            assert_eq!(lifted(written), expected);
        }
    }

    #[test]
    fn variables_are_declared_as_the_schema_has_them() {
        for (written, expected) in [
            (
                "query A($which: String = \"7\", $unused: Int) { pet(id: $which) { id } }",
                "query Pet($which: ID!) { pet(id: $which) { id } }",
            ),
            (
                "query A($n: Int = 3) { pets(first: $n) { friends(first: $n) { id } } }",
                "query PetsFriends($n: Int = 10) { pets(first: $n) { friends(first: $n) { id } } }",
            ),
            (
                "query A($v: ID) { pet(id: $v) { id } pets(after: $v) { id } }",
                "query PetAndPets($v: ID!, $petsAfter: String) { pet(id: $v) { id } pets(after: $petsAfter) { id } }",
            ),
        ] {
            assert_eq!(lifted(written), expected);
        }
    }

    #[test]
    fn fragments_stand_where_they_are_used_and_directives_are_gone() {
        assert_eq!(
            lifted(
                "query A($yes: Boolean = true) @x { any { ...P @include(if: $yes) ... on Toy { name } } } \
                 fragment P on Pet { toy @skip(if: false) { ...T } } fragment T on Toy { name }"
            ),
            "query AnyToy { any { ... on Pet { toy { ... on Toy { name } } } ... on Toy { name } } }"
        );
    }

    #[test]
    fn what_is_too_large_or_selects_nothing_is_refused() {
        let wide = "friends { id } ".repeat(300);
        let cycle = "{ pets { ...F } } fragment F on Pet { friends { ...F } }";
        let bomb =
            "{ pets { ...F } } fragment F on Pet { a: friends { ...F } b: friends { ...F } }";
        for (written, reason) in [
            (format!("{{ pets {{ {wide} }} }}").as_str(), "500 fields"),
            (cycle, "deeper than 32"),
            (bomb, "deeper than 32"),
            ("{ pets { ...Missing } }", "no fragment `Missing`"),
            ("{ __typename }", "selects no field"),
            ("subscription { pets { id } }", "selects no field"),
        ] {
            assert!(lifted(written).contains(reason), "{written}: {}", lifted(written));
        }
    }
}
