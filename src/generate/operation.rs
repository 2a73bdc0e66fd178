//! An operation, written from a plan: variables for its arguments, inline
//! fragments, and a name that says what it does.

use std::collections::{HashMap, HashSet};

use super::{
    arguments::{Asked, Place},
    plan::{Plan, Selection},
};
use crate::{
    discovery::OperationType,
    index::Root,
    schema::{FieldDef, InputValue, Schema, TypeDef, TypeKind},
};

/// The widest line of variables; more stand one a line.
const LINE: usize = 100;
/// The most parts of an operation's name.
const NAME_PARTS: usize = 3;
/// How deep a plan may go. The planner stops far before; a walk must not
/// recurse on a depth that somebody else chose.
const MAX_DEPTH: usize = 32;

/// An operation, written but not proved.
#[derive(Clone, Debug)]
pub struct Operation<'s> {
    pub document: String,
    pub name: String,
    pub kind: OperationType,
    /// The root field.
    pub field: &'s FieldDef,
    /// In the order of their declaration.
    pub variables: Vec<Variable<'s>>,
}

/// A variable of an operation.
#[derive(Clone, Debug)]
pub struct Variable<'s> {
    /// Its name, without the `$`.
    pub name: String,
    /// The argument that takes it.
    pub argument: &'s InputValue,
    /// What the argument is for.
    pub place: Place,
    /// Is it an argument of the root field?
    pub at_root: bool,
    /// Does it carry the schema's default?
    pub has_default: bool,
}

impl Variable<'_> {
    /// Must a caller give it?
    pub fn is_required(&self) -> bool {
        self.argument.type_ref.is_non_null() && !self.has_default
    }
}

/// Writes a plan down; none where it does not fit the schema at all. What of it
/// does not fit is left out. `with_defaults` is false for a schema whose
/// defaults do not fit their types.
#[tracing::instrument(name = "writing", level = "debug", skip_all)]
pub fn write<'s>(
    plan: &Plan,
    schema: &'s Schema,
    asked: &Asked,
    with_defaults: bool,
) -> Option<Operation<'s>> {
    let (kind, root) = match plan.root {
        Root::Query => (OperationType::Query, &schema.roots.query),
        Root::Mutation => (OperationType::Mutation, &schema.roots.mutation),
        Root::Subscription => (OperationType::Subscription, &schema.roots.subscription),
    };
    let root = schema.get(root.as_deref()?)?;
    let field = find(root, &plan.selection.field)?;
    let mut writer = Writer {
        schema,
        asked,
        with_defaults,
        kind,
        variables: Vec::new(),
        taken: HashSet::new(),
        given: HashSet::new(),
    };
    let entry = writer.field(field, None, &plan.selection.selections, 0);
    let name = name(schema, field, &plan.selection, kind);
    let mut out = String::new();
    out.push_str(kind.keyword());
    out.push(' ');
    out.push_str(&name);
    declare(&writer.variables, &mut out);
    print_set(&[entry], 0, &mut out);
    out.push('\n');
    Some(Operation { document: out, name, kind, field, variables: writer.variables })
}

/// What stands in a selection set.
enum Entry<'s> {
    Typename,
    Field {
        alias: Option<String>,
        name: &'s str,
        /// Argument and variable.
        arguments: Vec<(&'s str, String)>,
        set: Vec<Entry<'s>>,
    },
    Fragment {
        on: &'s str,
        set: Vec<Entry<'s>>,
    },
}

struct Writer<'s, 'a> {
    schema: &'s Schema,
    asked: &'a Asked,
    with_defaults: bool,
    kind: OperationType,
    variables: Vec<Variable<'s>>,
    taken: HashSet<String>,
    /// What was given somewhere already, and is not given twice.
    given: HashSet<Place>,
}

impl<'s> Writer<'s, '_> {
    fn field(
        &mut self,
        field: &'s FieldDef,
        alias: Option<String>,
        selections: &[Selection],
        depth: usize,
    ) -> Entry<'s> {
        let mut arguments = Vec::new();
        let at_root = depth == 0;
        let root = at_root.then_some(self.kind);
        let chosen = self.asked.arguments(self.schema, root, field, selections, &self.given);
        for (argument, place) in chosen {
            self.given.insert(place);
            let name = self.unused(field, argument);
            let has_default = self.with_defaults && argument.default.is_some();
            arguments.push((argument.name.as_str(), name.clone()));
            self.variables.push(Variable { name, argument, place, at_root, has_default });
        }
        let target = self.schema.get(field.type_ref.named()).filter(|ty| ty.kind.is_composite());
        let set = target.map(|ty| self.set(ty, selections, depth)).unwrap_or_default();
        Entry::Field { alias, name: &field.name, arguments, set }
    }

    /// The selection set of a composite type: its own fields, then a fragment
    /// for each other type whose fields are selected; never empty.
    fn set(&mut self, ty: &'s TypeDef, selections: &[Selection], depth: usize) -> Vec<Entry<'s>> {
        if depth > MAX_DEPTH {
            return vec![Entry::Typename];
        }
        let mut scopes: Vec<(&'s TypeDef, Vec<Selection>)> = vec![(ty, Vec::new())];
        for selection in selections {
            let Some(owner) = self.scope(ty, selection) else {
                continue;
            };
            let selection = Selection { owner: owner.name.clone(), ..selection.clone() };
            match scopes.iter_mut().find(|(scope, _)| scope.name == owner.name) {
                Some((_, members)) => merge(members, &selection),
                None => scopes.push((owner, vec![selection])),
            }
        }
        let mut entries = Vec::new();
        let mut responses: HashMap<String, Response<'s>> = HashMap::new();
        for (scope, members) in &scopes {
            let mut set = Vec::new();
            for selection in members {
                let Some(field) = find(scope, &selection.field) else {
                    continue;
                };
                let alias = response_name(&mut responses, scope, (field, self.is_leaf(field)));
                set.push(self.field(field, alias, &selection.selections, depth + 1));
            }
            if scope.name == ty.name {
                entries = set;
            } else {
                entries.push(Entry::Fragment { on: &scope.name, set });
            }
        }
        if entries.is_empty() || scopes.len() > 1 {
            entries.insert(0, Entry::Typename);
        }
        entries
    }

    fn is_leaf(&self, field: &FieldDef) -> bool {
        self.schema.get(field.type_ref.named()).is_none_or(|ty| !ty.kind.is_composite())
    }

    /// The type on which a field is selected where `ty` is returned: `ty`
    /// itself, or one that it may be.
    fn scope(&self, ty: &'s TypeDef, selection: &Selection) -> Option<&'s TypeDef> {
        let owner = self.schema.get(&selection.owner)?;
        find(owner, &selection.field)?;
        if owner.name == ty.name {
            return Some(ty);
        }
        // An interface's field is a field of each type that implements it.
        if ty.kind == TypeKind::Object || owner.kind != TypeKind::Object {
            return find(ty, &selection.field).map(|_| ty);
        }
        may_be(self.schema, ty, &owner.name).then_some(owner)
    }

    /// A variable's name: the argument's, else with the field's before it, else
    /// with a number behind it.
    fn unused(&mut self, field: &FieldDef, argument: &InputValue) -> String {
        let short = camel(&argument.name);
        let qualified = camel(&format!("{}_{}", field.name, argument.name));
        take_name(&mut self.taken, short, &qualified)
    }
}

/// Takes the first name that is free: the wished one, else the qualified one, else
/// that with a number behind it.
pub(super) fn take_name(taken: &mut HashSet<String>, wished: String, qualified: &str) -> String {
    let numbered = (2_usize..).map(|number| format!("{qualified}{number}"));
    let free = [wished, qualified.to_owned()]
        .into_iter()
        .chain(numbered.take(taken.len() + 1))
        .find(|name| !taken.contains(name))
        .unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// What a name stands for in a response.
struct Response<'s> {
    scope: &'s str,
    is_object: bool,
    field: &'s FieldDef,
}

/// The alias that a field needs, where another of the same name but not the same
/// shape may stand beside it. After [Field Selection Merging][spec], on the
/// safe side.
///
/// [spec]: https://spec.graphql.org/October2021/#sec-Field-Selection-Merging
fn response_name<'s>(
    responses: &mut HashMap<String, Response<'s>>,
    scope: &'s TypeDef,
    (field, is_leaf): (&'s FieldDef, bool),
) -> Option<String> {
    let this = Response { scope: &scope.name, is_object: scope.kind == TypeKind::Object, field };
    let Some(other) = responses.get(&field.name) else {
        responses.insert(field.name.clone(), this);
        return None;
    };
    let never_both = this.is_object && other.is_object && this.scope != other.scope;
    // What is selected of it may take other variables at each place.
    let plain = is_leaf && field.args.is_empty() && other.field.args.is_empty();
    if field.type_ref == other.field.type_ref && (never_both || plain) {
        return None;
    }
    let base = camel(&format!("{}_{}", lower_first(&scope.name), field.name));
    let mut alias = base.clone();
    let mut number = 2;
    while responses.contains_key(&alias) || find(scope, &alias).is_some() {
        alias = format!("{base}{number}");
        number += 1;
    }
    responses.insert(alias.clone(), this);
    Some(alias)
}

/// Adds a selection to others; one of the same field is joined.
pub fn merge(members: &mut Vec<Selection>, selection: &Selection) {
    let is_same = |it: &&mut Selection| it.owner == selection.owner && it.field == selection.field;
    match members.iter_mut().find(is_same) {
        None => members.push(selection.clone()),
        Some(member) => {
            for inner in &selection.selections {
                merge(&mut member.selections, inner);
            }
        }
    }
}

/// Can what is of type `ty` be an object of the type `name`?
fn may_be(schema: &Schema, ty: &TypeDef, name: &str) -> bool {
    match ty.kind {
        TypeKind::Union => ty.members.iter().any(|member| member == name),
        TypeKind::Interface => {
            schema.get(name).is_some_and(|object| object.interfaces.contains(&ty.name))
        }
        _ => ty.name == name,
    }
}

pub fn find<'s>(ty: &'s TypeDef, field: &str) -> Option<&'s FieldDef> {
    ty.fields.iter().find(|it| it.name == field)
}

/// Is it on the way to data, and no data itself?
pub fn is_plumbing(schema: &Schema, field: &FieldDef) -> bool {
    matches!(field.name.as_str(), "edges" | "node" | "nodes" | "pageInfo")
        && schema.get(field.type_ref.named()).is_some_and(|ty| ty.kind.is_composite())
}

/// A name from the root field and, while one entity leads to one other, from
/// those: `RepositoryIssues`.
pub fn name(
    schema: &Schema,
    field: &FieldDef,
    selection: &Selection,
    kind: OperationType,
) -> String {
    let mut parts = vec![field.name.as_str()];
    let mut at = selection;
    // What is changed or listened to is in the name of the field.
    while kind == OperationType::Query && parts.len() < NAME_PARTS {
        let [next] = entities(at).collect::<Vec<_>>()[..] else {
            break;
        };
        let Some(field) = schema.get(&next.owner).and_then(|owner| find(owner, &next.field)) else {
            break;
        };
        if !is_plumbing(schema, field) {
            // Beside fields of its own it is one thing among others.
            if at.selections.len() > 1 && parts.len() + at.selections.len() > NAME_PARTS {
                break;
            }
            parts.push(&next.field);
        }
        at = next;
    }
    let words: Vec<String> = parts.iter().map(|part| pascal(trimmed(part))).collect();
    let name = words.concat();
    match name.chars().next() {
        Some(first) if !first.is_ascii_digit() => name,
        _ => format!("Operation{name}"),
    }
}

/// `employeesConnection` lists employees.
fn trimmed(field: &str) -> &str {
    field.strip_suffix("Connection").filter(|rest| !rest.is_empty()).unwrap_or(field)
}

/// What is selected with selections of its own, but for `pageInfo`.
pub fn entities(selection: &Selection) -> impl Iterator<Item = &Selection> {
    let inner = selection.selections.iter();
    inner.filter(|it| !it.selections.is_empty() && it.field != "pageInfo")
}

/// `pull_request` and `pullRequest` as `PullRequest`.
pub fn pascal(name: &str) -> String {
    name.split('_').map(upper_first).collect()
}

/// A name in `camelCase`; one that would begin with a digit keeps its `_`.
pub fn camel(name: &str) -> String {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or("value");
    let head = if first.chars().all(|letter| !letter.is_lowercase()) {
        first.to_lowercase()
    } else {
        lower_first(first)
    };
    let name: String = std::iter::once(head).chain(parts.map(upper_first)).collect();
    if name.starts_with(|letter: char| letter.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn upper_first(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn lower_first(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// Declares variables behind the head of an operation, with the schema's types
/// and defaults.
pub fn declare(variables: &[Variable<'_>], out: &mut String) {
    let declared: Vec<String> = variables
        .iter()
        .map(|variable| {
            let default = variable.argument.default.as_deref().filter(|_| variable.has_default);
            let default = default.map(|default| format!(" = {default}")).unwrap_or_default();
            format!("${}: {}{default}", variable.name, variable.argument.type_ref.as_str())
        })
        .collect();
    let width: usize = declared.iter().map(|one| one.chars().count() + 2).sum();
    match declared.as_slice() {
        [] => {}
        _ if width + out.chars().count() > LINE && declared.len() > 1 => {
            out.push_str("(\n  ");
            out.push_str(&declared.join("\n  "));
            out.push_str("\n)");
        }
        _ => {
            out.push('(');
            out.push_str(&declared.join(", "));
            out.push(')');
        }
    }
}

fn print_set(entries: &[Entry<'_>], depth: usize, out: &mut String) {
    if entries.is_empty() {
        return;
    }
    out.push_str(" {\n");
    for entry in entries {
        out.push_str(&"  ".repeat(depth + 1));
        let set = match entry {
            Entry::Typename => {
                out.push_str("__typename");
                &[][..]
            }
            Entry::Field { alias, name, arguments, set } => {
                if let Some(alias) = alias {
                    out.push_str(alias);
                    out.push_str(": ");
                }
                out.push_str(name);
                if !arguments.is_empty() {
                    let passed: Vec<String> = arguments
                        .iter()
                        .map(|(argument, variable)| format!("{argument}: ${variable}"))
                        .collect();
                    out.push('(');
                    out.push_str(&passed.join(", "));
                    out.push(')');
                }
                set
            }
            Entry::Fragment { on, set } => {
                out.push_str("... on ");
                out.push_str(on);
                set
            }
        };
        print_set(set, depth + 1, out);
        out.push('\n');
    }
    out.push_str(&"  ".repeat(depth));
    out.push('}');
}
