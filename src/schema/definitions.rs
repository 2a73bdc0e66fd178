//! What the sources are read into, and how they become one schema.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::{
    error::SchemaError,
    model::{AppliedDirective, FieldDef, InputValue, Roots, Schema, TypeDef, TypeKind, TypeRef},
    print, supergraph,
};

/// How many types and members a schema may have. The largest public schemas
/// have about 60,000; an index of a million takes more memory than a laptop has
/// to spare.
const MAX_ELEMENTS: usize = 1_000_000;

/// How many missing types an error lists.
const MISSING_SHOWN: usize = 5;

pub(super) const BUILT_IN_SCALARS: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];
const BUILT_IN_DIRECTIVES: [&str; 5] = ["skip", "include", "deprecated", "specifiedBy", "oneOf"];

/// The definitions of one document, or of several merged.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The roots that a `schema` definition states.
    pub roots: Roots,
    /// The directives on the `schema` definition and its extensions.
    pub links: Vec<AppliedDirective>,
    /// Type definitions.
    pub types: Vec<TypeDef>,
    /// Type extensions, merged behind the definitions of the same name.
    pub extensions: Vec<TypeDef>,
    /// Directive definitions.
    pub directives: Vec<DirectiveDef>,
}

/// The definition of a directive.
#[derive(Clone, Debug)]
pub(super) struct DirectiveDef {
    pub name: String,
    pub description: Option<String>,
    pub args: Vec<InputValue>,
    pub repeatable: bool,
    pub locations: Vec<String>,
}

/// Makes one schema of the documents of `input`: merges them, reduces federation
/// to what a client sees, checks references, and prints the normalised SDL.
///
/// # Errors
///
/// Where there are no types, too many of them, one name of two kinds, a root
/// that is no object type, or references to types that are missing.
pub(super) fn assemble(input: &str, documents: Vec<Definitions>) -> Result<Schema, SchemaError> {
    let mut merged = merge(input, documents)?;
    check_size(input, &merged)?;
    supergraph::reduce(&mut merged);
    merged
        .types
        .retain(|ty| !ty.name.starts_with("__") && !BUILT_IN_SCALARS.contains(&ty.name.as_str()));
    merged.directives.retain(|directive| !BUILT_IN_DIRECTIVES.contains(&directive.name.as_str()));
    if merged.types.is_empty() {
        return Err(SchemaError::NoTypes { input: input.to_owned() });
    }
    check_references(input, &merged)?;
    let sdl = print::sdl(&merged);
    let hash = hex::encode(Sha256::digest(&sdl));
    Ok(Schema::new(sdl, hash, merged.roots, merged.types))
}

/// Merges documents: types of one name become one, definitions first.
fn merge(input: &str, mut documents: Vec<Definitions>) -> Result<Definitions, SchemaError> {
    let roots = share_roots(&mut documents);
    let mut links = Vec::new();
    let mut directives: BTreeMap<String, DirectiveDef> = BTreeMap::new();
    let mut parts: BTreeMap<String, Vec<TypeDef>> = BTreeMap::new();
    let mut extensions = Vec::new();
    for document in documents {
        links.extend(document.links);
        extensions.extend(document.extensions);
        for directive in document.directives {
            directives.entry(directive.name.clone()).or_insert(directive);
        }
        for ty in document.types {
            parts.entry(ty.name.clone()).or_default().push(ty);
        }
    }
    for extension in extensions {
        parts.entry(extension.name.clone()).or_default().push(extension);
    }
    let types = parts.into_values().filter_map(|parts| {
        let mut parts = parts.into_iter();
        Some(merge_parts(input, parts.next()?, parts))
    });
    let types = types.collect::<Result<Vec<_>, _>>()?;
    Ok(Definitions {
        roots,
        links,
        types,
        extensions: Vec::new(),
        directives: directives.into_values().collect(),
    })
}

/// Gives the documents the same root types and returns those.
///
/// Subgraphs may each name their roots as they like; federation makes one of
/// them. Where one document states `query: Queries` and another has a plain
/// `Query`, the first one's `Queries` is a part of `Query`.
fn share_roots(documents: &mut [Definitions]) -> Roots {
    let each: Vec<Roots> = documents.iter().map(own_roots).collect();
    let mut renamed: HashMap<String, String> = HashMap::new();
    let mut share = |of: fn(&Roots) -> &Option<String>, default: &str| {
        let mut names: Vec<&String> = each.iter().filter_map(|roots| of(roots).as_ref()).collect();
        let has_default = names.iter().any(|name| *name == default);
        let target = if has_default { default.to_owned() } else { (*names.first()?).clone() };
        names.retain(|name| **name != target);
        renamed.extend(names.into_iter().map(|name| (name.clone(), target.clone())));
        Some(target)
    };
    let shared = Roots {
        query: share(|roots| &roots.query, "Query"),
        mutation: share(|roots| &roots.mutation, "Mutation"),
        subscription: share(|roots| &roots.subscription, "Subscription"),
    };
    if !renamed.is_empty() {
        let types =
            documents.iter_mut().flat_map(|it| it.types.iter_mut().chain(&mut it.extensions));
        types.for_each(|ty| rename(ty, &renamed));
    }
    shared
}

/// A document's roots: those that it states; where it states no query root, also
/// the object types that have the default names.
fn own_roots(document: &Definitions) -> Roots {
    let mut roots = document.roots.clone();
    if roots.query.is_none() {
        let has = |name: &str| {
            let mut types = document.types.iter().chain(&document.extensions);
            types.any(|ty| ty.name == name && ty.kind == TypeKind::Object)
        };
        let default = |name: &str| has(name).then(|| name.to_owned());
        roots.query = default("Query");
        roots.mutation = roots.mutation.or_else(|| default("Mutation"));
        roots.subscription = roots.subscription.or_else(|| default("Subscription"));
    }
    roots
}

fn rename(ty: &mut TypeDef, renamed: &HashMap<String, String>) {
    if let Some(name) = renamed.get(&ty.name) {
        ty.name.clone_from(name);
    }
    for field in &mut ty.fields {
        if let Some(name) = renamed.get(field.type_ref.named()) {
            field.type_ref =
                TypeRef::new(field.type_ref.as_str().replace(field.type_ref.named(), name));
        }
    }
    for member in &mut ty.members {
        if let Some(name) = renamed.get(member) {
            member.clone_from(name);
        }
    }
}

/// Makes one type of its definitions and extensions. Of members of one name the
/// first is kept: subgraphs repeat the fields of a shared type, and GitHub's
/// published schema defines two fields twice.
fn merge_parts(
    input: &str,
    mut merged: TypeDef,
    rest: impl ExactSizeIterator<Item = TypeDef>,
) -> Result<TypeDef, SchemaError> {
    let is_one = rest.len() == 0;
    for part in rest {
        if part.kind != merged.kind {
            return Err(SchemaError::Conflict {
                input: input.to_owned(),
                name: merged.name,
                first: merged.kind,
                second: part.kind,
            });
        }
        merged.description = merged.description.or(part.description);
        merged.one_of |= part.one_of;
        merged.specified_by = merged.specified_by.or(part.specified_by);
        merged.fields.extend(part.fields);
        merged.input_fields.extend(part.input_fields);
        merged.values.extend(part.values);
        merged.members.extend(part.members);
        merged.interfaces.extend(part.interfaces);
        merged.directives.extend(part.directives);
    }
    let mut repeated = keep_first(&mut merged.fields, |field| &field.name)
        + keep_first(&mut merged.input_fields, |field| &field.name)
        + keep_first(&mut merged.values, |value| &value.name)
        + keep_first(&mut merged.members, |member| member)
        + keep_first(&mut merged.interfaces, |interface| interface);
    for field in &mut merged.fields {
        repeated += keep_first(&mut field.args, |arg| &arg.name);
    }
    if is_one && repeated > 0 {
        tracing::warn!(
            r#type = merged.name,
            repeated,
            "members are defined twice; the first is kept"
        );
    }
    if !is_one {
        keep_first(&mut merged.directives, |directive| &directive.notation);
    }
    Ok(merged)
}

/// Removes all but the first of a name and returns how many those were.
fn keep_first<T>(members: &mut Vec<T>, name: impl Fn(&T) -> &String) -> usize {
    let before = members.len();
    let mut seen = HashSet::new();
    if !members.iter().all(|member| seen.insert(name(member))) {
        let mut seen = HashSet::new();
        members.retain(|member| seen.insert(name(member).clone()));
    }
    before - members.len()
}

fn check_size(input: &str, definitions: &Definitions) -> Result<(), SchemaError> {
    let members = |ty: &TypeDef| {
        1 + ty.fields.len() + ty.input_fields.len() + ty.values.len() + ty.members.len()
    };
    let count = definitions.types.iter().map(members).sum();
    if count > MAX_ELEMENTS {
        return Err(SchemaError::TooManyElements {
            input: input.to_owned(),
            count,
            limit: MAX_ELEMENTS,
        });
    }
    Ok(())
}

fn check_references(input: &str, definitions: &Definitions) -> Result<(), SchemaError> {
    let kinds: HashMap<&str, TypeKind> =
        definitions.types.iter().map(|ty| (ty.name.as_str(), ty.kind)).collect();
    let mut missing: BTreeMap<&str, String> = BTreeMap::new();
    let mut check = |name, place: &dyn Fn() -> String| {
        if !kinds.contains_key(name) && !BUILT_IN_SCALARS.contains(&name) {
            missing.entry(name).or_insert_with(place);
        }
    };
    for root in definitions.roots.names() {
        check(root, &|| "schema".to_owned());
    }
    for ty in &definitions.types {
        for name in ty.interfaces.iter().chain(&ty.members) {
            check(name, &|| ty.name.clone());
        }
        for FieldDef { name, type_ref, args, .. } in &ty.fields {
            check(type_ref.named(), &|| format!("{}.{name}", ty.name));
            for arg in args {
                check(arg.type_ref.named(), &|| format!("{}.{name}({}:)", ty.name, arg.name));
            }
        }
        for InputValue { name, type_ref, .. } in &ty.input_fields {
            check(type_ref.named(), &|| format!("{}.{name}", ty.name));
        }
    }
    if !missing.is_empty() {
        let shown = missing.iter().take(MISSING_SHOWN);
        let mut examples: Vec<_> =
            shown.map(|(name, at)| format!("`{name}` (at `{at}`)")).collect();
        if missing.len() > MISSING_SHOWN {
            examples.push("…".to_owned());
        }
        return Err(SchemaError::MissingTypes {
            input: input.to_owned(),
            count: missing.len(),
            examples: examples.join(", "),
        });
    }
    match definitions.roots.names().find(|root| kinds.get(root) != Some(&TypeKind::Object)) {
        Some(root) => Err(SchemaError::BadRoot { input: input.to_owned(), name: root.to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{parse, parse_sdl};

    #[test]
    fn order_white_space_and_comments_do_not_change_the_hash() {
        let one =
            parse_sdl("type Query { a: A } type A { b: Int } extend type A { c: Int }").unwrap();
        let other = parse_sdl(
            "# new\nextend type A { c: Int }\ntype A {\n  b: Int\n}\n\ntype Query { a: A, }",
        )
        .unwrap();
        assert_eq!(one.hash, other.hash);
        assert_eq!(one.hash.len(), 64);
        let changed = parse_sdl("type Query { a: A } type A { b: Int c: String }").unwrap();
        assert_ne!(one.hash, changed.hash);
    }

    #[test]
    fn missing_types_are_listed_with_their_places() {
        let error =
            parse_sdl("type Query implements N { a(b: [C!]): D } union U = Query | E").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`the SDL` refers to 4 missing types: `C` (at `Query.a(b:)`), `D` (at `Query.a`), \
             `E` (at `U`), `N` (at `Query`); define them, or give the folder that does",
        );
        let error = parse_sdl("schema { query: Gone } type Query { a: Int }").unwrap_err();
        assert!(error.to_string().contains("1 missing type: `Gone` (at `schema`)"), "{error}");
    }

    #[test]
    fn empty_and_built_in_alone_hold_no_types() {
        for sdl in ["", " \n", "# nothing\n", "scalar ID", "query { a }", "schema @a { query: Q }"]
        {
            let error = parse_sdl(sdl).unwrap_err();
            assert!(matches!(error, SchemaError::NoTypes { .. }), "{sdl}: {error}");
        }
    }

    #[test]
    fn one_name_of_two_kinds_is_an_error() {
        let error = parse_sdl("type Query { a: A } type A { b: Int } enum A { C }").unwrap_err();
        assert!(error.to_string().contains("defines `A` both as `type` and as `enum`"), "{error}");
    }

    #[test]
    fn stated_roots_are_the_only_ones() {
        let schema =
            parse_sdl("schema { query: Root } type Root { a: Int } type Mutation { b: Int }")
                .unwrap();
        assert_eq!(schema.roots.names().collect::<Vec<_>>(), ["Root"]);
        let error = parse_sdl("schema { query: E } enum E { A }").unwrap_err();
        assert!(matches!(error, SchemaError::BadRoot { .. }), "{error}");
    }

    #[test]
    fn subgraphs_share_their_roots_and_types() {
        let documents = [
            "type Query { a: A } type A @key(fields: \"id\") { id: ID! b: Int } type Subscription { s: A }",
            "schema { query: Queries } type Queries { c: [A] } type A @key(fields: \"id\") { id: ID! d: Int }",
        ];
        let documents =
            documents.iter().map(|sdl| parse::definitions("sub", sdl).unwrap()).collect();
        let schema = assemble("sub", documents).unwrap();
        let fields = |name: &str| -> Vec<String> {
            schema.get(name).unwrap().fields.iter().map(|field| field.name.clone()).collect()
        };
        assert_eq!(fields("Query"), ["a", "c"]);
        assert_eq!(fields("A"), ["id", "b", "d"]);
        assert!(schema.get("Queries").is_none());
        assert_eq!(schema.roots.names().collect::<Vec<_>>(), ["Query", "Subscription"]);
    }

    #[test]
    fn a_hundred_thousand_fields_are_read_in_seconds() {
        let fields: Vec<_> = (0..100_000).map(|at| format!("f{at}: A ")).collect();
        let fields = fields.concat();
        let schema = parse_sdl(&format!("type Query {{ {fields} }} type A {{ a: Int }}")).unwrap();
        assert_eq!(schema.get("Query").unwrap().fields.len(), 100_000);
        assert_eq!(crate::schema::elements(&schema).len(), 100_000 + 3 + 3);
    }
}
