//! JSON to definitions: introspection results, and the execution configs of a
//! Cosmo router. Which of them it is shows in the content.

use serde::Deserialize;

use super::{
    convert::NO_REASON,
    definitions::{BUILT_IN_SCALARS, Definitions, DirectiveDef},
    error::SchemaError,
    model::{EnumValue, FieldDef, InputValue, Roots, TypeDef, TypeKind, TypeRef},
    parse,
};

/// Does the text hold JSON rather than SDL? An SDL document never begins with an
/// object; an anonymous query does, whose first token is a name.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .trim_start()
        .strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with(['"', '}']))
}

/// Reads an introspection result, with or without its `data` wrapper, or the
/// client schema (else the router schema) of an execution config.
///
/// # Errors
///
/// Where the JSON is malformed or nested too deeply, or is neither.
pub(super) fn definitions(input: &str, json: &str) -> Result<Definitions, SchemaError> {
    let not_a_schema = |reason: String| SchemaError::NotASchema { input: input.to_owned(), reason };
    let document: Document = serde_json::from_str(json.trim_start_matches('\u{feff}'))
        .map_err(|error| not_a_schema(readable(&error)))?;
    if let Some(schema) = document.schema.or_else(|| document.data?.schema) {
        return schema.into_definitions().map_err(not_a_schema);
    }
    if let Some(config) = document.engine_config {
        let sdl = [config.graphql_client_schema, config.graphql_schema].into_iter().flatten();
        return match sdl.into_iter().find(|sdl| !sdl.trim().is_empty()) {
            Some(sdl) => parse::definitions(input, &sdl),
            None => Err(not_a_schema(
                "its `engineConfig` has no `graphqlClientSchema` or `graphqlSchema`".to_owned(),
            )),
        };
    }
    if let Some(message) = document.errors.iter().find_map(|error| error.message.as_deref()) {
        let message: String = message.chars().take(300).collect();
        return Err(not_a_schema(format!("it holds errors in place of one: {message}")));
    }
    Err(not_a_schema(
        "it has neither `__schema` (an introspection result) nor `engineConfig` (an execution config)".to_owned(),
    ))
}

fn readable(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("recursion limit exceeded") {
        Some(place) => format!("it nests deeper than 128 levels{place}"),
        None => text,
    }
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "__schema")]
    schema: Option<Introspection>,
    data: Option<Wrapped>,
    #[serde(rename = "engineConfig")]
    engine_config: Option<EngineConfig>,
    #[serde(default)]
    errors: Vec<GraphqlError>,
}

#[derive(Deserialize)]
struct Wrapped {
    #[serde(rename = "__schema")]
    schema: Option<Introspection>,
}

#[derive(Deserialize)]
struct GraphqlError {
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EngineConfig {
    graphql_client_schema: Option<String>,
    graphql_schema: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Introspection {
    query_type: Option<Named>,
    mutation_type: Option<Named>,
    subscription_type: Option<Named>,
    types: Vec<Type>,
    directives: Option<Vec<Directive>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Type {
    kind: String,
    name: String,
    description: Option<String>,
    #[serde(alias = "specifiedByUrl")]
    #[serde(rename = "specifiedByURL")]
    specified_by: Option<String>,
    is_one_of: Option<bool>,
    fields: Option<Vec<Field>>,
    input_fields: Option<Vec<Input>>,
    interfaces: Option<Vec<Named>>,
    enum_values: Option<Vec<Value>>,
    possible_types: Option<Vec<Named>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    description: Option<String>,
    args: Option<Vec<Input>>,
    r#type: Reference,
    #[serde(flatten)]
    deprecation: Deprecation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    name: String,
    description: Option<String>,
    r#type: Reference,
    default_value: Option<String>,
    #[serde(flatten)]
    deprecation: Deprecation,
}

#[derive(Deserialize)]
struct Value {
    name: String,
    description: Option<String>,
    #[serde(flatten)]
    deprecation: Deprecation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deprecation {
    is_deprecated: Option<bool>,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    kind: String,
    name: Option<String>,
    of_type: Option<Box<Reference>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Directive {
    name: String,
    description: Option<String>,
    args: Option<Vec<Input>>,
    is_repeatable: Option<bool>,
    #[serde(default)]
    locations: Vec<String>,
}

impl Introspection {
    /// The definitions, or why the JSON does not give any.
    fn into_definitions(self) -> Result<Definitions, String> {
        let root = |named: Option<Named>| named.map(|named| named.name);
        let types = self
            .types
            .into_iter()
            .filter(|ty| {
                !ty.name.starts_with("__") && !BUILT_IN_SCALARS.contains(&ty.name.as_str())
            })
            .map(type_def)
            .collect::<Result<_, _>>()?;
        let directives =
            self.directives.into_iter().flatten().map(directive_def).collect::<Result<_, _>>()?;
        let roots = Roots {
            query: root(self.query_type),
            mutation: root(self.mutation_type),
            subscription: root(self.subscription_type),
        };
        Ok(Definitions { roots, types, directives, ..Definitions::default() })
    }
}

fn type_def(ty: Type) -> Result<TypeDef, String> {
    let name = checked_name(ty.name, "a type")?;
    let kind = match ty.kind.as_str() {
        "OBJECT" => TypeKind::Object,
        "INTERFACE" => TypeKind::Interface,
        "UNION" => TypeKind::Union,
        "ENUM" => TypeKind::Enum,
        "SCALAR" => TypeKind::Scalar,
        "INPUT_OBJECT" => TypeKind::Input,
        other => {
            return Err(format!("`{name}` is of the unknown kind `{}`", shortened(other)));
        }
    };
    let members = if kind == TypeKind::Union { ty.possible_types } else { None };
    let field = |field: Field| -> Result<_, String> {
        let place = format!("`{name}.{}`", shortened(&field.name));
        Ok(FieldDef {
            args: inputs(field.args, &place)?,
            type_ref: type_ref(&field.r#type, &place)?,
            name: checked_name(field.name, &place)?,
            description: stated(field.description),
            deprecation_reason: field.deprecation.reason(),
            directives: Vec::new(),
        })
    };
    let value = |value: Value| -> Result<_, String> {
        Ok(EnumValue {
            name: checked_name(value.name, &format!("a value of `{name}`"))?,
            description: stated(value.description),
            deprecation_reason: value.deprecation.reason(),
            directives: Vec::new(),
        })
    };
    Ok(TypeDef {
        kind,
        description: stated(ty.description),
        fields: ty.fields.into_iter().flatten().map(field).collect::<Result<_, _>>()?,
        input_fields: inputs(ty.input_fields, &format!("`{name}`"))?,
        values: ty.enum_values.into_iter().flatten().map(value).collect::<Result<_, _>>()?,
        members: names(members)?,
        interfaces: names(ty.interfaces)?,
        directives: Vec::new(),
        one_of: ty.is_one_of.unwrap_or_default(),
        specified_by: ty.specified_by,
        name,
    })
}

fn directive_def(directive: Directive) -> Result<DirectiveDef, String> {
    let name = checked_name(directive.name, "a directive")?;
    Ok(DirectiveDef {
        args: inputs(directive.args, &format!("`@{name}`"))?,
        description: stated(directive.description),
        repeatable: directive.is_repeatable.unwrap_or_default(),
        locations: directive
            .locations
            .into_iter()
            .map(|location| checked_name(location, "a location"))
            .collect::<Result<_, _>>()?,
        name,
    })
}

fn inputs(inputs: Option<Vec<Input>>, owner: &str) -> Result<Vec<InputValue>, String> {
    let input = |input: Input| {
        let place = format!("`{}` of {owner}", shortened(&input.name));
        let default = match input.default_value {
            None => None,
            Some(text) => Some(
                parse::default_value(&text)
                    .ok_or_else(|| format!("the default value of {place} is not GraphQL"))?,
            ),
        };
        Ok(InputValue {
            type_ref: type_ref(&input.r#type, &place)?,
            name: checked_name(input.name, &place)?,
            description: stated(input.description),
            default,
            deprecation_reason: input.deprecation.reason(),
            directives: Vec::new(),
        })
    };
    inputs.into_iter().flatten().map(input).collect()
}

impl Deprecation {
    fn reason(self) -> Option<String> {
        let is_deprecated = self.is_deprecated.unwrap_or(self.deprecation_reason.is_some());
        is_deprecated.then(|| self.deprecation_reason.unwrap_or_else(|| NO_REASON.to_owned()))
    }
}

/// The reference in SDL notation, from the outermost wrapper inwards.
fn type_ref(reference: &Reference, place: &str) -> Result<TypeRef, String> {
    let incomplete = || format!("the type of {place} is incomplete (`ofType` was cut off)");
    let mut closing = Vec::new();
    let mut notation = String::new();
    let mut at = reference;
    loop {
        match at.kind.as_str() {
            "LIST" => {
                notation.push('[');
                closing.push(']');
            }
            "NON_NULL" => closing.push('!'),
            _ => break,
        }
        at = at.of_type.as_deref().ok_or_else(incomplete)?;
    }
    notation.push_str(&checked_name(at.name.clone().ok_or_else(incomplete)?, place)?);
    notation.extend(closing.into_iter().rev());
    Ok(TypeRef::new(notation))
}

fn names(named: Option<Vec<Named>>) -> Result<Vec<String>, String> {
    named.into_iter().flatten().map(|named| checked_name(named.name, "a type")).collect()
}

/// The name, where it is one by the specification; SDL is printed from it.
fn checked_name(name: String, place: &str) -> Result<String, String> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= super::token::MAX_NAME_BYTES;
    if is_name {
        Ok(name)
    } else {
        Err(format!("`{}`, at {place}, is not a GraphQL name", shortened(&name)))
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

/// A description that says something.
fn stated(description: Option<String>) -> Option<String> {
    description.filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{definitions::assemble, parse_sdl};

    const RESULT: &str = r#"{"__schema": {"queryType": {"name": "Root"}, "types": [
        {"kind": "OBJECT", "name": "Root", "interfaces": [], "fields": [{"name": "a", "args": [
            {"name": "b", "type": {"kind": "LIST", "ofType": {"kind": "NON_NULL", "ofType": {"kind": "INPUT_OBJECT", "name": "I"}}}, "defaultValue": "[{c:A}]"}],
            "type": {"kind": "NON_NULL", "ofType": {"kind": "SCALAR", "name": "S"}}, "isDeprecated": true, "deprecationReason": "old"}]},
        {"kind": "INPUT_OBJECT", "name": "I", "isOneOf": true, "inputFields": [{"name": "c", "type": {"kind": "ENUM", "name": "E"}}]},
        {"kind": "ENUM", "name": "E", "enumValues": [{"name": "A", "description": "first", "isDeprecated": true}]},
        {"kind": "SCALAR", "name": "S", "specifiedByURL": "https://s.example"},
        {"kind": "UNION", "name": "U", "possibleTypes": [{"name": "Root"}]},
        {"kind": "SCALAR", "name": "String"}, {"kind": "OBJECT", "name": "__Type"}],
        "directives": [{"name": "d", "locations": ["FIELD"], "args": []}]}}"#;

    fn read(json: &str) -> Result<crate::schema::Schema, SchemaError> {
        assemble("in.json", vec![definitions("in.json", json)?])
    }

    #[test]
    fn an_introspection_result_and_its_sdl_are_one_schema() {
        let sdl = r#"schema { query: Root } directive @d on FIELD
            type Root { a(b: [I!] = [{c: A}]): S! @deprecated(reason: "old") }
            input I @oneOf { c: E } enum E { "first" A @deprecated } union U = Root
            scalar S @specifiedBy(url: "https://s.example")"#;
        let expected = parse_sdl(sdl).unwrap();
        assert_eq!(read(RESULT).unwrap().sdl, expected.sdl);
        assert_eq!(read(&format!("\u{feff}{{\"data\": {RESULT}}}")).unwrap().hash, expected.hash);
    }

    #[test]
    fn an_execution_config_gives_the_client_schema_first() {
        let config = r#"{"version": "1", "engineConfig": {"fieldConfigurations": [],
            "graphqlSchema": "type Query { router: Int }", "graphqlClientSchema": "type Query { client: Int }"}}"#;
        assert!(read(config).unwrap().sdl.contains("client: Int"));
        let config = r#"{"engineConfig": {"graphqlSchema": "type Query { router: Int }"}}"#;
        assert!(read(config).unwrap().sdl.contains("router: Int"));
    }

    #[test]
    fn json_is_told_from_sdl_by_content() {
        assert!(is_json("\u{feff} { \"data\": {} }") && is_json("{}"));
        assert!(!is_json("{ a }") && !is_json("type A { a: Int }") && !is_json("\"{\" scalar A"));
    }

    #[test]
    fn bad_json_is_explained() {
        let message = |json: &str| read(json).unwrap_err().to_string();
        assert!(message("{\"a\": 1}").contains("neither `__schema`"));
        assert!(message("{\"data\": ").contains("line 1 column 9"), "{}", message("{\"data\": "));
        assert!(
            message("{\"errors\": [{\"message\": \"no introspection\"}]}")
                .contains("no introspection")
        );
        let nested = format!("{{\"type\": {}", "{\"kind\": \"LIST\", \"ofType\": ".repeat(10_000));
        let deep = format!("{{\"__schema\": {{\"types\": [{{\"inputFields\": [{nested}");
        assert!(message(&deep).contains("nests deeper than 128 levels"), "{}", message(&deep));
        assert!(message(&RESULT.replace("\"Root\"", "\"Ro ot\"")).contains("`Ro ot`"));
        assert!(
            message(&RESULT.replace("[{c:A}]", "1}"))
                .contains("the default value of `b` of `Root.a`")
        );
        assert!(message(&RESULT.replace(", \"name\": \"S\"}}", "}}")).contains("incomplete"));
    }
}
