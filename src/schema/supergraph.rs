//! Reduces federation to what a client sees: the machinery of supergraphs and
//! subgraphs goes, and with it everything inaccessible.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    definitions::{BUILT_IN_SCALARS, Definitions},
    model::{AppliedDirective, FieldDef, TypeDef, TypeKind},
    parse,
};

/// Directives that tell a router how to run the graph, by the names that their
/// specifications give them. A schema may use them without saying where they
/// come from (federation 1, Cosmo's router schema).
const MACHINERY: [&str; 13] = [
    "link",
    "core",
    "key",
    "shareable",
    "external",
    "requires",
    "provides",
    "override",
    "tag",
    "inaccessible",
    "composeDirective",
    "interfaceObject",
    "extends",
];

/// Directives of Apollo's specifications that matter to who writes an operation:
/// what it needs and what it costs.
const FOR_CLIENTS: [&str; 5] = ["authenticated", "requiresScopes", "policy", "cost", "listSize"];

/// Definitions of those, for schemas that import them without defining them. The
/// scalars of the originals, all written as strings, are strings here.
const FOR_CLIENTS_SDL: &str = "
directive @authenticated on ENUM | FIELD_DEFINITION | INTERFACE | OBJECT | SCALAR
directive @requiresScopes(scopes: [[String!]!]!) on ENUM | FIELD_DEFINITION | INTERFACE | OBJECT | SCALAR
directive @policy(policies: [[String!]!]!) on ENUM | FIELD_DEFINITION | INTERFACE | OBJECT | SCALAR
directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
";

/// Name spaces of machinery that a schema may use without a `@link`, provided
/// that it defines a directive of them.
const UNLINKED_NAMESPACES: [&str; 5] = ["join", "link", "core", "federation", "openfed"];

/// Removes machinery and what is inaccessible, and strips machinery's directives
/// from the rest.
pub(super) fn reduce(definitions: &mut Definitions) {
    let specs = Specs::new(definitions);
    let candidates = remove_directive_definitions(definitions, &specs);
    let mut doomed: HashSet<String> = definitions
        .types
        .iter()
        .filter(|ty| specs.is_machinery_type(ty) || specs.hides(&ty.directives))
        .map(|ty| ty.name.clone())
        .collect();
    for ty in &mut definitions.types {
        let is_root = definitions.roots.query.as_ref() == Some(&ty.name);
        let had_members = has_members(ty);
        remove_hidden_members(ty, &specs, is_root);
        if had_members && !has_members(ty) {
            doomed.insert(ty.name.clone());
        }
    }
    doom_emptied(definitions, &mut doomed);
    remove(definitions, &doomed);
    let used = referenced(definitions);
    definitions.types.retain(|ty| !candidates.contains(&ty.name) || used.contains(&ty.name));
    remove_incomplete_directives(definitions);
    strip(definitions, &specs);
    define_for_clients(definitions);
}

/// The specifications that a schema links, and what it calls their elements.
struct Specs {
    /// Name spaces, without the `__`.
    namespaces: HashSet<String>,
    /// Local names of directives, to the names in their specifications.
    directives: HashMap<String, String>,
    /// Local names of directives and types that come from Apollo's specifications.
    imported: HashSet<String>,
}

impl Specs {
    fn new(definitions: &Definitions) -> Self {
        let mut specs = Self {
            namespaces: HashSet::new(),
            directives: HashMap::new(),
            imported: HashSet::new(),
        };
        for link in &definitions.links {
            specs.add(link);
        }
        for namespace in UNLINKED_NAMESPACES {
            let prefix = format!("{namespace}__");
            if definitions.directives.iter().any(|it| it.name.starts_with(&prefix)) {
                specs.namespaces.insert(namespace.to_owned());
            }
        }
        // Cosmo's `@requiresScopes` names its scalar so, whatever else there is.
        specs.namespaces.insert("openfed".to_owned());
        specs
    }

    /// Takes one `@link(url:, as:, import:)` or `@core(feature:, as:)`, whatever
    /// the directive itself is called.
    fn add(&mut self, link: &AppliedDirective) {
        let text = |name: &str| link.args.get(name).and_then(Value::as_str);
        let Some(url) = text("url").or_else(|| text("feature")) else {
            return;
        };
        let Some(name) = spec_name(url) else { return };
        let namespace = text("as").unwrap_or(name);
        let is_apollos = url.contains("://specs.apollo.dev/");
        self.namespaces.insert(namespace.to_owned());
        self.directives.insert(namespace.to_owned(), name.to_owned());
        if is_apollos {
            self.imported.insert(namespace.to_owned());
        }
        let imports = link.args.get("import").and_then(Value::as_array);
        for import in imports.into_iter().flatten() {
            let field = |key: &str| import.get(key).and_then(Value::as_str);
            let Some(original) = import.as_str().or_else(|| field("name")) else {
                continue;
            };
            let local = field("as").unwrap_or(original);
            let (local, original) =
                (local.trim_start_matches('@'), original.trim_start_matches('@'));
            self.directives.insert(local.to_owned(), original.to_owned());
            if is_apollos {
                self.imported.insert(local.to_owned());
            }
        }
    }

    /// The name of a directive in its own specification.
    fn original<'a>(&'a self, local: &'a str) -> &'a str {
        match local.split_once("__") {
            Some((namespace, name)) if self.namespaces.contains(namespace) => name,
            _ => self.directives.get(local).map_or(local, String::as_str),
        }
    }

    fn is_namespaced(&self, name: &str) -> bool {
        name.split_once("__").is_some_and(|(namespace, _)| self.namespaces.contains(namespace))
    }

    fn is_machinery_directive(&self, name: &str) -> bool {
        let original = self.original(name);
        if FOR_CLIENTS.contains(&original) {
            return false;
        }
        MACHINERY.contains(&original) || self.imported.contains(name) || self.is_namespaced(name)
    }

    fn is_machinery_type(&self, ty: &TypeDef) -> bool {
        let is_federations = match ty.name.as_str() {
            "_Any" | "_FieldSet" => ty.kind == TypeKind::Scalar,
            "_Entity" => ty.kind == TypeKind::Union,
            "_Service" => {
                ty.kind == TypeKind::Object && ty.fields.iter().any(|it| it.name == "sdl")
            }
            _ => false,
        };
        is_federations || self.is_namespaced(&ty.name) || self.imported.contains(&ty.name)
    }

    fn hides(&self, directives: &[AppliedDirective]) -> bool {
        directives.iter().any(|directive| self.original(&directive.name) == "inaccessible")
    }
}

/// The name in a specification's URL: `join` of `https://specs.apollo.dev/join/v0.3`.
fn spec_name(url: &str) -> Option<&str> {
    let mut segments = url.trim_end_matches('/').rsplit('/');
    let last = segments.next()?;
    let is_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let name = if is_version { segments.next()? } else { last };
    (!name.is_empty()).then_some(name)
}

/// Removes the definitions of machinery's directives and returns the types that
/// they name, which may have no other use (`FieldSet`, `Import`).
fn remove_directive_definitions(definitions: &mut Definitions, specs: &Specs) -> HashSet<String> {
    let mut named = HashSet::new();
    definitions.directives.retain(|directive| {
        let is_machinery = specs.is_machinery_directive(&directive.name);
        if is_machinery {
            named.extend(directive.args.iter().map(|arg| arg.type_ref.named().to_owned()));
        }
        !is_machinery
    });
    named
}

fn has_members(ty: &TypeDef) -> bool {
    !(ty.fields.is_empty()
        && ty.input_fields.is_empty()
        && ty.values.is_empty()
        && ty.members.is_empty())
}

fn remove_hidden_members(ty: &mut TypeDef, specs: &Specs, is_root: bool) {
    let is_federations = |name: &str, returned: &str| {
        is_root && matches!((name, returned), ("_entities", "_Entity") | ("_service", "_Service"))
    };
    ty.fields.retain(|field| {
        !specs.hides(&field.directives) && !is_federations(&field.name, field.type_ref.named())
    });
    for field in &mut ty.fields {
        field.args.retain(|arg| !specs.hides(&arg.directives));
    }
    ty.input_fields.retain(|field| !specs.hides(&field.directives));
    ty.values.retain(|value| !specs.hides(&value.directives));
}

/// Adds the types that lose their last member with the doomed ones. A work list
/// over reverse references: linear, however long the chain.
fn doom_emptied(definitions: &Definitions, doomed: &mut HashSet<String>) {
    let mut left: Vec<usize> = Vec::new();
    let mut referrers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (owner, ty) in definitions.types.iter().enumerate() {
        let mut refer = |name| referrers.entry(name).or_default().push(owner);
        ty.fields.iter().for_each(|field| refer(field.type_ref.named()));
        ty.input_fields.iter().for_each(|field| refer(field.type_ref.named()));
        ty.members.iter().for_each(|member| refer(member.as_str()));
        // An enum loses values only by their own directives.
        left.push(ty.fields.len() + ty.input_fields.len() + ty.members.len());
    }
    let mut queue: Vec<String> = doomed.iter().cloned().collect();
    while let Some(name) = queue.pop() {
        for owner in referrers.get(name.as_str()).into_iter().flatten() {
            let (Some(left), Some(ty)) = (left.get_mut(*owner), definitions.types.get(*owner))
            else {
                continue;
            };
            *left = left.saturating_sub(1);
            if *left == 0 && doomed.insert(ty.name.clone()) {
                queue.push(ty.name.clone());
            }
        }
    }
}

/// Removes the doomed types and every reference to them.
fn remove(definitions: &mut Definitions, doomed: &HashSet<String>) {
    if doomed.is_empty() {
        return;
    }
    definitions.types.retain(|ty| !doomed.contains(&ty.name));
    for ty in &mut definitions.types {
        ty.fields.retain(|field| !doomed.contains(field.type_ref.named()));
        for field in &mut ty.fields {
            field.args.retain(|arg| !doomed.contains(arg.type_ref.named()));
        }
        ty.input_fields.retain(|field| !doomed.contains(field.type_ref.named()));
        ty.members.retain(|member| !doomed.contains(member));
        ty.interfaces.retain(|interface| !doomed.contains(interface));
    }
    let roots = &mut definitions.roots;
    for root in [&mut roots.query, &mut roots.mutation, &mut roots.subscription] {
        if root.as_ref().is_some_and(|name| doomed.contains(name)) {
            *root = None;
        }
    }
}

/// Every type that another type or a directive that stays refers to.
fn referenced(definitions: &Definitions) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut add = |name: &str| {
        if !names.contains(name) {
            names.insert(name.to_owned());
        }
    };
    for ty in &definitions.types {
        for field in &ty.fields {
            add(field.type_ref.named());
            field.args.iter().for_each(|arg| add(arg.type_ref.named()));
        }
        ty.input_fields.iter().for_each(|field| add(field.type_ref.named()));
        ty.members.iter().for_each(|member| add(member));
    }
    for directive in &definitions.directives {
        directive.args.iter().for_each(|arg| add(arg.type_ref.named()));
    }
    names
}

/// Removes definitions of directives that name a type which is gone, or never
/// was there: they would make the SDL invalid, and nothing else needs them.
fn remove_incomplete_directives(definitions: &mut Definitions) {
    let types: HashSet<&str> = definitions.types.iter().map(|ty| ty.name.as_str()).collect();
    let is_defined = |name: &str| types.contains(name) || BUILT_IN_SCALARS.contains(&name);
    definitions
        .directives
        .retain(|directive| directive.args.iter().all(|arg| is_defined(arg.type_ref.named())));
}

/// Strips machinery's directives from everything that stays.
fn strip(definitions: &mut Definitions, specs: &Specs) {
    let strip = |directives: &mut Vec<AppliedDirective>| {
        directives.retain(|directive| !specs.is_machinery_directive(&directive.name));
    };
    for ty in &mut definitions.types {
        strip(&mut ty.directives);
        for field in &mut ty.fields {
            strip(&mut field.directives);
            field.args.iter_mut().for_each(|arg| strip(&mut arg.directives));
        }
        ty.input_fields.iter_mut().for_each(|field| strip(&mut field.directives));
        ty.values.iter_mut().for_each(|value| strip(&mut value.directives));
    }
    for directive in &mut definitions.directives {
        directive.args.iter_mut().for_each(|arg| strip(&mut arg.directives));
    }
}

/// Defines the directives for clients that are applied but not defined.
fn define_for_clients(definitions: &mut Definitions) {
    let undefined = |name: &str| {
        let of_args =
            |field: &FieldDef| field.args.iter().any(|arg| applies(&arg.directives, name));
        let is_applied = definitions.types.iter().any(|ty| {
            applies(&ty.directives, name)
                || ty.fields.iter().any(|field| applies(&field.directives, name) || of_args(field))
                || ty.input_fields.iter().any(|field| applies(&field.directives, name))
        });
        is_applied && !definitions.directives.iter().any(|directive| directive.name == name)
    };
    if FOR_CLIENTS.into_iter().any(undefined)
        && let Ok(known) = parse::definitions("federation", FOR_CLIENTS_SDL)
    {
        let missing: Vec<_> =
            known.directives.into_iter().filter(|it| undefined(&it.name)).collect();
        definitions.directives.extend(missing);
        definitions.directives.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

fn applies(directives: &[AppliedDirective], name: &str) -> bool {
    directives.iter().any(|directive| directive.name == name)
}

#[cfg(test)]
mod tests {
    use crate::schema::parse_sdl;

    fn reduced(sdl: &str) -> String {
        parse_sdl(sdl).unwrap().sdl
    }

    #[test]
    fn a_supergraph_becomes_its_api_schema() {
        let sdl = reduced(
            r#"
            schema @link(url: "https://specs.apollo.dev/link/v1.0")
              @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION)
              @link(url: "https://specs.apollo.dev/tag/v0.3", as: "label")
              @link(url: "https://specs.apollo.dev/inaccessible/v0.2", import: [{name: "@inaccessible", as: "@hidden"}])
            { query: Query }
            directive @join__type(graph: join__Graph!, key: join__FieldSet) repeatable on OBJECT
            directive @link(url: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
            directive @label(name: String!) repeatable on OBJECT
            directive @hidden on OBJECT | FIELD_DEFINITION
            scalar join__FieldSet
            scalar link__Import
            enum link__Purpose { SECURITY EXECUTION }
            enum join__Graph { A @join__graph(name: "a", url: "http://secret.internal") }
            type Query @join__type(graph: A) { a(b: In, hidden: Int @hidden): A @label(name: "x") s: Secret h: Int @hidden }
            type A @join__type(graph: A, key: "id") { id: ID! only: OnlySecret }
            type Secret @hidden { a: Int }
            type OnlySecret { s: Secret }
            union U = A | Secret
            enum E { X Y @hidden }
            input In { a: E b: HiddenIn }
            input HiddenIn @hidden { a: Int }
            "#,
        );
        assert_eq!(
            sdl,
            "type A {\n  id: ID!\n}\n\nenum E {\n  X\n}\n\ninput In {\n  a: E\n}\n\n\
             type Query {\n  a(b: In): A\n}\n\nunion U = A\n",
        );
    }

    #[test]
    fn an_old_core_supergraph_is_reduced_too() {
        let sdl = reduced(
            r#"
            schema @c(feature: "https://specs.apollo.dev/core/v0.1", as: "c")
              @c(feature: "https://specs.apollo.dev/join/v0.1", as: "j") { query: Query }
            directive @c(feature: String!, as: String) repeatable on SCHEMA
            directive @j__owner(graph: j__Graph!) on OBJECT
            scalar j__FieldSet
            enum j__Graph { A }
            type Query { a: Int @j__field(graph: A) }
            "#,
        );
        assert_eq!(sdl, "type Query {\n  a: Int\n}\n");
    }

    #[test]
    fn a_subgraph_loses_its_machinery_and_keeps_what_clients_care_about() {
        let sdl = reduced(
            r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@requiresScopes", "FieldSet"])
            directive @key(fields: FieldSet!) repeatable on OBJECT
            directive @federation__override(from: String!) on FIELD_DEFINITION
            scalar FieldSet
            scalar _Any
            union _Entity = A
            type _Service { sdl: String }
            type Query { _entities(representations: [_Any!]!): [_Entity]! _service: _Service! a: A }
            type A @key(fields: "id") { id: ID! @federation__override(from: "b") b: Int @requiresScopes(scopes: [["x"]]) }
            "#,
        );
        assert_eq!(
            sdl,
            "directive @requiresScopes(scopes: [[String!]!]!) on ENUM | FIELD_DEFINITION | INTERFACE | OBJECT | SCALAR\n\n\
             type A {\n  id: ID!\n  b: Int @requiresScopes(scopes: [[\"x\"]])\n}\n\ntype Query {\n  a: A\n}\n",
        );
    }

    #[test]
    fn a_plain_schema_keeps_names_that_look_like_machinery() {
        let sdl = reduced(
            "type Query { a: core__users b: FieldSet } type core__users { a: Int } scalar FieldSet",
        );
        assert!(sdl.contains("type core__users") && sdl.contains("scalar FieldSet"), "{sdl}");
    }

    #[test]
    fn a_long_chain_of_emptied_types_is_removed_at_once() {
        let chain: Vec<_> =
            (0..50_000).map(|at| format!("type T{at} {{ next: T{} }} ", at + 1)).collect();
        let chain = chain.concat();
        let sdl = reduced(&format!(
            "type Query {{ a: Int t: T0 }} {chain} type T50000 @inaccessible {{ a: Int }}"
        ));
        assert_eq!(sdl, "type Query {\n  a: Int\n}\n");
    }
}
