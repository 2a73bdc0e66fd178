//! Which definitions resolve a field of a GraphQL schema, by the conventions of
//! the common servers.
//!
//! A coordinate is kept as a key in lower case without underscores, since the
//! servers turn `display_name`, `DisplayName` and `displayName` into each other.

use std::collections::HashMap;

use super::{
    extract::{Symbol, is_type, last_name},
    languages::Language,
};

/// What servers put before or after the name of a GraphQL type to name the type
/// in code that stands for it.
const SUFFIXES: [&str; 9] = [
    "Resolvers",
    "Resolver",
    "ObjectType",
    "GraphType",
    "Extensions",
    "Type",
    "Node",
    "Root",
    "Object",
];
/// Prefixes of resolver functions: Graphene's, and Hot Chocolate's.
const PREFIXES: [&str; 2] = ["resolve_", "Get"];

/// The key of a field's resolvers.
#[must_use]
pub fn key(parent: &str, field: &str) -> String {
    format!("{}.{}", plain(parent), plain(field))
}

/// A name without what servers change in it.
#[must_use]
pub fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// The name of a type in a schema that a type in code may stand for, besides its own.
#[must_use]
pub fn type_of(name: &str) -> Option<&str> {
    SUFFIXES
        .into_iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .filter(|name| !name.is_empty())
}

/// What may stand after the name of a GraphQL type to name one in code.
pub fn suffixes() -> impl Iterator<Item = &'static str> {
    SUFFIXES.into_iter()
}

/// The definitions of a file that resolve a field, by position, each with the
/// key of the field.
#[must_use]
pub fn of(language: Language, symbols: &[Symbol], source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let objects = object_types(source);
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.kind == "file" || is_type(symbol.kind) {
            continue;
        }
        let parent = symbol.parent.and_then(|parent| symbols.get(parent));
        let holder = parent.filter(|parent| is_type(parent.kind));
        let mut add = |parent: &str, field: &str| found.push((index, key(parent, field)));
        match language {
            Language::Rust => rust(symbol, &mut add),
            Language::Go => go(symbol, &mut add),
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                ecmascript(symbol, holder, &mut add);
            }
            Language::Python => python(symbol, holder, &objects, &mut add),
            Language::Java | Language::Kotlin => java(symbol, &mut add),
            Language::CSharp => csharp(symbol, holder, &mut add),
            Language::Ruby => ruby(symbol, &mut add),
            Language::Php => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The decorator of one of these names, without its sign: `Resolver(() => X)`.
fn decorator<'s>(symbol: &'s Symbol, names: &[&str]) -> Option<(&'s str, &'s str)> {
    symbol.decorators.iter().find_map(|text| {
        let text = text.trim_start_matches(['@', '#', '[']).trim_end_matches(']');
        let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':')));
        let (path, rest) = text.split_at(end.unwrap_or(text.len()));
        let name = path.rsplit(['.', ':']).next().unwrap_or(path);
        names.contains(&name).then_some((name, rest))
    })
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let rest = text.get(start + 1..)?;
    rest.get(..rest.find(['"', '\''])?)
}

/// The value of a named argument in quotes: `name: "x"`, `name = "x"`.
fn argument<'s>(text: &'s str, name: &str) -> Option<&'s str> {
    let rest = text.get(text.find(name)? + name.len()..)?;
    quoted(rest.trim_start().strip_prefix([':', '='])?)
}

/// The last name in a text such as `(() => Employee)` or `(typeof(Employee))`.
fn last_word(text: &str) -> Option<&str> {
    text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .find(|word| word.starts_with(|c: char| c.is_alphabetic()))
}

fn rust(symbol: &Symbol, add: &mut dyn FnMut(&str, &str)) {
    let Some(owner) = &symbol.owner else { return };
    let names = [
        "Object",
        "ComplexObject",
        "Subscription",
        "graphql_object",
        "graphql_subscription",
        "graphql_interface",
    ];
    if decorator(symbol, &names).is_none() {
        return;
    }
    let renamed = decorator(symbol, &["graphql"]).and_then(|(_, rest)| argument(rest, "name"));
    let field = renamed.unwrap_or(&symbol.name);
    add(owner, field);
    if let Some(root) = type_of(owner) {
        add(root, field);
    }
}

fn go(symbol: &Symbol, add: &mut dyn FnMut(&str, &str)) {
    if let Some(parent) = symbol
        .owner
        .as_deref()
        .and_then(|owner| owner.strip_suffix("Resolver").or_else(|| owner.strip_suffix("resolver")))
    {
        add(parent, &symbol.name);
    }
}

fn ecmascript(symbol: &Symbol, holder: Option<&Symbol>, add: &mut dyn FnMut(&str, &str)) {
    if let Some(holder) = holder {
        let by_name = |rest: &str| {
            argument(rest, "name").or_else(|| quoted(rest)).unwrap_or(&symbol.name).to_owned()
        };
        if let Some((root, rest)) = decorator(symbol, &["Query", "Mutation", "Subscription"]) {
            add(root, &by_name(rest));
        } else if let Some((_, rest)) =
            decorator(symbol, &["ResolveField", "FieldResolver", "ResolveProperty", "Field"])
        {
            let of = decorator(holder, &["Resolver", "ObjectType"]);
            let parent = of.and_then(|(_, rest)| quoted(rest).or_else(|| last_word(rest)));
            add(
                parent.unwrap_or_else(|| type_of(&holder.name).unwrap_or(&holder.name)),
                &by_name(rest),
            );
        }
        return;
    }
    // A resolver map: functions in an object under the name of a type.
    let parent = symbol.owner.as_deref().filter(|owner| owner.starts_with(char::is_uppercase));
    if let Some(parent) = parent {
        add(parent, &symbol.name);
    } else if let Some(owner) = symbol.owner.as_deref().and_then(type_of) {
        add(owner, &symbol.name);
    }
}

fn python(
    symbol: &Symbol,
    holder: Option<&Symbol>,
    objects: &HashMap<&str, &str>,
    add: &mut dyn FnMut(&str, &str),
) {
    if let Some(holder) = holder {
        let field = symbol.name.strip_prefix("resolve_").or_else(|| {
            decorator(symbol, &["field", "mutation", "subscription"]).map(|_| symbol.name.as_str())
        });
        let Some(field) = field else { return };
        add(&holder.name, field);
        if let Some(parent) = type_of(&holder.name) {
            add(parent, field);
        }
        return;
    }
    // Ariadne: `@employee.field("details")`, where `employee` is an `ObjectType("Employee")`.
    for text in &symbol.decorators {
        let Some((object, rest)) = text.trim_start_matches('@').split_once('.') else { continue };
        let Some(field) = rest.strip_prefix("field").and_then(quoted) else { continue };
        let named = objects.get(object).copied();
        add(named.unwrap_or_else(|| object.trim_end_matches("_type")), field);
    }
}

/// The objects of Ariadne in a file, by their names: `employee = ObjectType("Employee")`.
fn object_types(source: &str) -> HashMap<&str, &str> {
    const MADE: &str = " = ObjectType(";
    let made = source.match_indices(MADE).filter_map(|(at, _)| {
        let name = source.get(..at)?.rsplit(char::is_whitespace).next()?;
        let arguments = source.get(at + MADE.len()..)?.lines().next()?;
        Some((name, quoted(arguments)?))
    });
    made.collect()
}

fn java(symbol: &Symbol, add: &mut dyn FnMut(&str, &str)) {
    const ROOTS: [(&str, &str); 6] = [
        ("QueryMapping", "Query"),
        ("MutationMapping", "Mutation"),
        ("SubscriptionMapping", "Subscription"),
        ("DgsQuery", "Query"),
        ("DgsMutation", "Mutation"),
        ("DgsSubscription", "Subscription"),
    ];
    for (annotation, root) in ROOTS {
        if let Some((_, rest)) = decorator(symbol, &[annotation]) {
            add(root, argument(rest, "field").or_else(|| quoted(rest)).unwrap_or(&symbol.name));
        }
    }
    if let Some((_, rest)) = decorator(symbol, &["DgsData", "SchemaMapping"]) {
        let parent = argument(rest, "parentType").or_else(|| argument(rest, "typeName"));
        let field = argument(rest, "field").unwrap_or(&symbol.name);
        let owner = symbol.owner.as_deref().map(|owner| owner.trim_end_matches("Controller"));
        if let Some(parent) = parent.or(owner) {
            add(parent, field);
        }
    }
}

fn csharp(symbol: &Symbol, holder: Option<&Symbol>, add: &mut dyn FnMut(&str, &str)) {
    let Some(holder) = holder else { return };
    if !matches!(symbol.kind, "method" | "property") {
        return;
    }
    let named = decorator(symbol, &["GraphQLName"]).and_then(|(_, rest)| quoted(rest));
    let field = named.unwrap_or_else(|| {
        let name = symbol.name.strip_suffix("Async").unwrap_or(&symbol.name);
        name.strip_prefix("Get").filter(|name| !name.is_empty()).unwrap_or(name)
    });
    let roots = [
        ("QueryType", "Query"),
        ("MutationType", "Mutation"),
        ("SubscriptionType", "Subscription"),
    ];
    for (attribute, root) in roots {
        if decorator(holder, &[attribute]).is_some() {
            add(root, field);
        }
    }
    if let Some((_, rest)) = decorator(holder, &["ExtendObjectType", "ObjectType"]) {
        if let Some(parent) = quoted(rest).or_else(|| last_word(rest)) {
            add(parent, field);
        }
    } else if matches!(holder.name.as_str(), "Query" | "Mutation" | "Subscription") {
        add(&holder.name, field);
    }
}

fn ruby(symbol: &Symbol, add: &mut dyn FnMut(&str, &str)) {
    let Some(owner) = symbol.owner.as_deref() else { return };
    if let Some(parent) = type_of(last_name(owner))
        && symbol.kind == "method"
    {
        add(parent, &symbol.name);
    }
}

/// The names that a function may have that resolves a field, where nothing but
/// its name says so.
#[must_use]
pub fn resolves(function: &str, field: &str) -> bool {
    let function = function.strip_suffix("Async").unwrap_or(function);
    let names = PREFIXES.into_iter().filter_map(|prefix| function.strip_prefix(prefix));
    names.chain([function]).any(|name| plain(name) == plain(field))
}
