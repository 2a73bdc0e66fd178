//! The part of a schema that a language model is shown: the types and members
//! that a prompt may need, as SDL, within a number of tokens.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use crate::{
    discovery::{OperationType, SearchRequest},
    embedding::Embedder,
    generate::{
        operation::{find, is_plumbing},
        plan::Selection,
    },
    index::{Index, IndexError, Position},
    schema::{FieldDef, InputValue, Schema, TypeDef, TypeKind},
};

/// How many root fields of each kind of operation are looked for.
const ROOT_FIELDS: u32 = 15;
/// How many fields anywhere are looked for.
const FIELDS: u32 = 40;
/// The most leaves of a type that stand in the slice for what they are, when
/// nothing asks for them. Most entities say who they are within the first ten.
const LEAVES: usize = 12;
/// The most input objects that come with one field, those of the arguments first.
const INPUTS: usize = 8;
/// The most values of an enum, members of a union and fields of an input object.
/// Longer lists (countries, currencies, filters of everything) are cut.
const LISTED: usize = 40;
/// How many fields lie between a connection and its nodes: `edges`, then `node`.
const PAGE_DEPTH: usize = 2;
/// How much of a description is shown, in characters: the first sentence, mostly.
const DESCRIPTION: usize = 120;
/// How many bytes of SDL make a token, on the safe side: the tokeniser of Gemma 3
/// takes 3.5 to 3.9 a token on nine of ten public schemas, and 2.7 on one that is
/// mostly composition directives, which no slice holds.
const BYTES_PER_TOKEN: usize = 3;

/// How many tokens a text has at most.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// A part of a schema.
#[derive(Debug)]
pub struct Slice<'s> {
    schema: &'s Schema,
    /// The positions of the members that are shown of each type, among its
    /// fields, input fields or values.
    types: BTreeMap<&'s str, BTreeSet<usize>>,
    left: usize,
}

impl<'s> Slice<'s> {
    /// Chooses what drafts select, then the root fields, routes and fields that
    /// answer to the prompt, then the leaves of the types that these lead to, as
    /// long as `budget` tokens last. One index and prompt give one slice.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read or the model fails.
    pub fn of(
        (index, embedder): (&Index, &Embedder),
        schema: &'s Schema,
        (prompt, kinds): (&str, &[OperationType]),
        drafts: &[&Selection],
        budget: usize,
    ) -> Result<Self, IndexError> {
        let left = budget.saturating_sub(schema_definition(schema).as_deref().map_or(0, tokens));
        let mut slice = Self { schema, types: BTreeMap::new(), left };
        for draft in drafts {
            slice.add_selection(draft);
        }
        let search = |kind: &str, parent: Option<&str>, limit: u32| {
            let request = SearchRequest {
                kinds: Some(vec![kind.to_owned()]),
                limit: Some(limit),
                parent: parent.map(|name| format!("object:{name}")),
                ..SearchRequest::new(prompt)
            };
            let hits = index.search(&request, embedder)?.hits;
            Ok::<_, IndexError>(hits.into_iter().map(|hit| hit.coordinate).collect::<Vec<_>>())
        };
        for kind in kinds {
            for coordinate in search("field", root(schema, *kind), ROOT_FIELDS)? {
                slice.add_coordinate(&coordinate);
            }
        }
        let fields = search("field", None, FIELDS)?;
        let roots: Vec<&str> = kinds.iter().filter_map(|kind| root(schema, *kind)).collect();
        let routes = Routes::to_owners_of(index, &fields, &roots);
        for coordinate in fields {
            // What changes something is shown only where a change is asked for.
            if slice.is_of_other_root(&coordinate, &roots) {
                continue;
            }
            for field in routes.to_owner_of(index, schema, &coordinate) {
                slice.add(field);
            }
            slice.add_coordinate(&coordinate);
        }
        slice.add_leaves();
        Ok(slice)
    }

    /// Is this field shown?
    pub fn has(&self, owner: &str, field: &str) -> bool {
        let position = self.schema.get(owner).and_then(|ty| position(ty, field));
        let shown = self.types.get(owner);
        shown.zip(position).is_some_and(|(shown, position)| shown.contains(&position))
    }

    /// The slice as SDL: roots first, types by name, members as they are.
    pub fn sdl(&self) -> String {
        let is_root = |name: &str| self.schema.roots.names().any(|root| root == name);
        let (roots, rest): (Vec<_>, Vec<_>) =
            self.types.iter().partition(|(name, _)| is_root(name));
        let mut out = schema_definition(self.schema).unwrap_or_default();
        for (name, members) in roots.into_iter().chain(rest) {
            let Some(ty) = self.schema.get(name) else {
                continue;
            };
            out.push_str(&head(ty));
            if !members.is_empty() {
                out.push_str(" {\n");
                members.iter().filter_map(|at| member(ty, *at)).for_each(|it| out.push_str(&it));
                out.push('}');
            }
            out.push('\n');
        }
        out
    }

    fn add_selection(&mut self, selection: &Selection) {
        if let Some(ty) = self.schema.get(&selection.owner)
            && let Some(field) = find(ty, &selection.field)
        {
            self.add((ty, field));
        }
        for inner in &selection.selections {
            self.add_selection(inner);
        }
    }

    fn add_coordinate(&mut self, coordinate: &str) {
        let path = coordinate.split_once(':').and_then(|(_, path)| path.split_once('.'));
        if let Some((owner, field)) = path
            && let Some(ty) = self.schema.get(owner)
            && let Some(field) = find(ty, field)
        {
            self.add((ty, field));
        }
    }

    fn is_of_other_root(&self, coordinate: &str, asked: &[&str]) -> bool {
        let path = coordinate.split_once(':').and_then(|(_, path)| path.split_once('.'));
        path.is_some_and(|(owner, _)| {
            self.schema.roots.names().any(|root| root == owner) && !asked.contains(&owner)
        })
    }

    /// Adds a field with the types of its arguments, and what of a connection
    /// lies on the way to its nodes; without those types where there is no room
    /// for them, and not at all where there is none for it.
    fn add(&mut self, (ty, field): (&'s TypeDef, &'s FieldDef)) {
        let mut fields = vec![(ty, field)];
        let mut last = fields.clone();
        for _ in 0..PAGE_DEPTH {
            let targets =
                last.iter().filter_map(|(_, field)| self.schema.get(field.type_ref.named()));
            let fields_of =
                |target: &'s TypeDef| target.fields.iter().map(move |field| (target, field));
            last = targets
                .flat_map(fields_of)
                .filter(|(_, field)| is_plumbing(self.schema, field))
                .collect();
            fields.extend(&last);
        }
        let is_new = |(owner, field): &&(&TypeDef, &FieldDef)| !self.has(&owner.name, &field.name);
        let inputs: Vec<&InputValue> =
            fields.iter().filter(is_new).flat_map(|(_, field)| &field.args).collect();
        let plain = self.wished(&fields, &[]);
        let whole = self.wished(&fields, &inputs);
        if !self.take(whole) {
            self.take(plain);
        }
    }

    /// The members that fields and the arguments among `inputs` need.
    fn wished(
        &self,
        fields: &[(&'s TypeDef, &'s FieldDef)],
        inputs: &[&'s InputValue],
    ) -> Vec<(&'s TypeDef, Option<usize>)> {
        let mut wished: Vec<(&'s TypeDef, Option<usize>)> = Vec::new();
        for (owner, field) in fields {
            wished.push((owner, position(owner, &field.name)));
            let target = self.schema.get(field.type_ref.named());
            wished.extend(
                target.filter(|ty| ty.kind != TypeKind::Object).into_iter().flat_map(written_out),
            );
        }
        let mut waiting: VecDeque<&str> =
            inputs.iter().map(|input| input.type_ref.named()).collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = waiting.pop_front() {
            // A built-in scalar is not in the schema.
            let Some(ty) = self.schema.get(name) else {
                continue;
            };
            if !seen.insert(ty.name.as_str()) || seen.len() > INPUTS {
                continue;
            }
            wished.extend(written_out(ty));
            waiting.extend(ty.input_fields.iter().map(|input| input.type_ref.named()));
        }
        wished
    }

    /// Adds members, all or none.
    fn take(&mut self, wished: Vec<(&'s TypeDef, Option<usize>)>) -> bool {
        let mut types: BTreeMap<&'s str, BTreeSet<usize>> = BTreeMap::new();
        let mut cost = 0;
        for (ty, at) in wished {
            let shown = self.types.get(ty.name.as_str());
            if shown.is_none() && !types.contains_key(ty.name.as_str()) {
                cost += tokens(&head(ty)) + tokens(" {\n}\n");
            }
            let new = types.entry(&ty.name).or_default();
            let is_shown = |at: &usize| shown.is_some_and(|shown| shown.contains(at));
            if let Some(at) = at.filter(|at| !is_shown(at))
                && new.insert(at)
            {
                cost += member(ty, at).as_deref().map_or(0, tokens);
            }
        }
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        for (name, new) in types {
            self.types.entry(name).or_default().extend(new);
        }
        true
    }

    /// The first leaves of every object and interface that is shown or led to.
    fn add_leaves(&mut self) {
        let shown = |(name, members): (&&'s str, &BTreeSet<usize>)| {
            let ty = self.schema.get(name)?;
            let targets = members.iter().filter_map(|at| ty.fields.get(*at));
            let targets = targets.map(|field| field.type_ref.named());
            Some(std::iter::once(*name).chain(targets).collect::<Vec<_>>())
        };
        let names: BTreeSet<&str> = self.types.iter().filter_map(shown).flatten().collect();
        for ty in names.into_iter().filter_map(|name| self.schema.get(name)) {
            if self.schema.root_types().any(|root| root.name == ty.name) {
                continue;
            }
            let is_leaf = |field: &&FieldDef| {
                let target = self.schema.get(field.type_ref.named());
                let needs = field.args.iter().any(InputValue::is_required);
                target.is_none_or(|ty| !ty.kind.is_composite())
                    && field.deprecation_reason.is_none()
                    && !needs
            };
            for field in ty.fields.iter().filter(is_leaf).take(LEAVES) {
                self.add((ty, field));
            }
        }
    }
}

/// The root type of a kind of operation.
pub fn root(schema: &Schema, kind: OperationType) -> Option<&str> {
    let roots = &schema.roots;
    match kind {
        OperationType::Query => &roots.query,
        OperationType::Mutation => &roots.mutation,
        OperationType::Subscription => &roots.subscription,
    }
    .as_deref()
}

/// Where the roots are called something else than a reader expects.
fn schema_definition(schema: &Schema) -> Option<String> {
    let roots = &schema.roots;
    let all = [
        ("query", "Query", &roots.query),
        ("mutation", "Mutation", &roots.mutation),
        ("subscription", "Subscription", &roots.subscription),
    ];
    let named = || all.iter().filter_map(|(kind, usual, name)| Some((kind, usual, name.as_ref()?)));
    named().any(|(_, usual, name)| usual != name).then(|| {
        let lines: Vec<String> =
            named().map(|(kind, _, name)| format!("  {kind}: {name}")).collect();
        format!("schema {{\n{}\n}}\n", lines.join("\n"))
    })
}

/// The shortest way from one of some roots to the types that hold some fields.
struct Routes<'i>(HashMap<Position, &'i str>);

impl<'i> Routes<'i> {
    fn to_owners_of(index: &'i Index, coordinates: &[String], roots: &[&str]) -> Self {
        let graph = index.graph();
        let owner = |coordinate: &String| graph.get(graph.find(coordinate)?)?.owner;
        let wanted: BTreeSet<Position> = coordinates.iter().filter_map(owner).collect();
        let mut routes: HashMap<Position, &'i str> = HashMap::new();
        let order = |route: &str| (route.matches('.').count(), route.to_owned());
        for route in graph.routes() {
            let Some(target) = route.target.filter(|target| wanted.contains(target)) else {
                continue;
            };
            let coordinate: &str = &route.coordinate;
            if !roots.contains(&names(coordinate).next().unwrap_or_default()) {
                continue;
            }
            let shortest = routes.entry(target).or_insert(coordinate);
            if order(coordinate) < order(shortest) {
                *shortest = coordinate;
            }
        }
        Self(routes)
    }

    fn to_owner_of<'s>(
        &self,
        index: &Index,
        schema: &'s Schema,
        coordinate: &str,
    ) -> Vec<(&'s TypeDef, &'s FieldDef)> {
        let graph = index.graph();
        let owner = graph.find(coordinate).and_then(|position| graph.get(position)?.owner);
        let route = owner.and_then(|owner| self.0.get(&owner)).copied().unwrap_or_default();
        let mut names = names(route);
        let mut ty = names.next().and_then(|root| schema.get(root));
        let mut fields = Vec::new();
        for name in names {
            let Some((owner, field)) = ty.and_then(|ty| Some((ty, find(ty, name)?))) else {
                break;
            };
            fields.push((owner, field));
            ty = schema.get(field.type_ref.named());
        }
        fields
    }
}

/// The names on a route, the root type first.
fn names(route: &str) -> impl Iterator<Item = &str> {
    route.split_once(':').map_or("", |(_, path)| path).split('.')
}

/// A type with all its input fields or values; of one that has fields, none.
fn written_out(ty: &TypeDef) -> impl Iterator<Item = (&TypeDef, Option<usize>)> {
    let members = ty.input_fields.len().max(ty.values.len()).min(LISTED);
    std::iter::once((ty, None)).chain((0..members).map(move |at| (ty, Some(at))))
}

fn position(ty: &TypeDef, field: &str) -> Option<usize> {
    ty.fields.iter().position(|it| it.name == field)
}

/// A type's definition up to its members.
fn head(ty: &TypeDef) -> String {
    let mut head = described(ty.description.as_deref(), "");
    head.push_str(ty.kind.keyword());
    head.push(' ');
    head.push_str(&ty.name);
    if !ty.interfaces.is_empty() {
        head.push_str(" implements ");
        head.push_str(&ty.interfaces.join(" & "));
    }
    if ty.one_of {
        head.push_str(" @oneOf");
    }
    if !ty.members.is_empty() {
        let members: Vec<&str> = ty.members.iter().take(LISTED).map(String::as_str).collect();
        head.push_str(" = ");
        head.push_str(&members.join(" | "));
    }
    head
}

/// A member on a line, with its description above it.
fn member(ty: &TypeDef, at: usize) -> Option<String> {
    let (description, line, deprecated) = if let Some(field) = ty.fields.get(at) {
        let args: Vec<String> = field.args.iter().map(input).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        let line = format!("{}{args}: {}", field.name, field.type_ref.as_str());
        (&field.description, line, &field.deprecation_reason)
    } else if let Some(field) = ty.input_fields.get(at) {
        (&field.description, input(field), &field.deprecation_reason)
    } else {
        let value = ty.values.get(at)?;
        (&value.description, value.name.clone(), &value.deprecation_reason)
    };
    let deprecated = if deprecated.is_some() { " @deprecated" } else { "" };
    Some(format!("{}  {line}{deprecated}\n", described(description.as_deref(), "  ")))
}

fn input(input: &InputValue) -> String {
    let default = input.default.as_deref().map(|default| format!(" = {default}"));
    format!("{}: {}{}", input.name, input.type_ref.as_str(), default.unwrap_or_default())
}

/// The beginning of a description, quoted, on one line: nothing in it can end
/// the quotation, or the code block that it stands in.
fn described(description: Option<&str>, indent: &str) -> String {
    let Some(description) = description else {
        return String::new();
    };
    let words = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = words.chars().take(DESCRIPTION).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    format!("{indent}{}\n", Value::from(shown.replace('`', "'")))
}
