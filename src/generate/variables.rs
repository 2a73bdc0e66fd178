//! The JSON Schema of an operation's variables, in the part of the language that
//! strict clients take: every property has a `type` or a `$ref`, and nothing
//! stands beside the properties that are listed.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::operation::Variable;
use crate::schema::{InputValue, Schema, TypeDef, TypeKind, TypeRef, json_of};

/// The most input objects that are written out. A filter of a generated schema
/// reaches every other; GitHub's largest input reaches 20, and 50 already fill
/// 100 KB.
const MAX_INPUTS: usize = 50;

/// A schema, and whether it says less than there is.
pub struct VariablesSchema {
    pub schema: Map<String, Value>,
    pub truncated: bool,
}

/// Describes the variables: an object with a property for each, those required
/// that are non-null and have no default.
pub fn of(variables: &[Variable<'_>], schema: &Schema) -> VariablesSchema {
    let mut writer = Writer { schema, waiting: VecDeque::new(), named: BTreeSet::new() };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for variable in variables {
        let property = writer.property(variable.argument, variable.has_default, true);
        properties.insert(variable.name.clone(), property);
        if variable.is_required() {
            required.push(Value::from(variable.name.as_str()));
        }
    }
    let mut inputs: Map<String, Value> = Map::new();
    let mut truncated = false;
    while let Some(input) = writer.waiting.pop_front() {
        let written = inputs.len() < MAX_INPUTS;
        truncated |= !written;
        let definition = if written { writer.input(input) } else { unwritten(input) };
        inputs.insert(input.name.clone(), definition);
    }
    inputs.sort_keys();
    let mut whole = Map::new();
    whole.insert("type".into(), "object".into());
    if !properties.is_empty() {
        whole.insert("properties".into(), properties.into());
    }
    if !required.is_empty() {
        whole.insert("required".into(), required.into());
    }
    whole.insert("additionalProperties".into(), false.into());
    if !inputs.is_empty() {
        whole.insert("$defs".into(), inputs.into());
    }
    VariablesSchema { schema: whole, truncated }
}

/// A value to try an operation with: the default, the first of an enum, or what
/// a type's values look like. `None` for what may be left out.
pub fn example(variable: &Variable<'_>, schema: &Schema, count: Option<u32>) -> Option<Value> {
    let argument = variable.argument;
    let is_count = variable.place == super::arguments::Place::Count;
    if let (true, Some(count)) = (is_count, count) {
        return Some(count.into());
    }
    if let Some(default) = variable.has_default.then(|| default(argument, schema)).flatten() {
        return (!default.is_null()).then_some(default);
    }
    if is_count {
        return Some(10.into());
    }
    let type_ref = argument.type_ref.as_str();
    variable.is_required().then(|| sample(type_ref, &argument.name, schema, &mut Vec::new()))
}

/// A value of a type; input objects hold what they must.
fn sample<'s>(type_ref: &str, name: &str, schema: &'s Schema, open: &mut Vec<&'s str>) -> Value {
    let inner = type_ref.strip_suffix('!').unwrap_or(type_ref);
    if let Some(item) = item(inner) {
        // A list may be empty where its items never end.
        let item_name = TypeRef::named_in(item);
        let endless = open.contains(&item_name);
        return if endless { json!([]) } else { json!([sample(item, name, schema, open)]) };
    }
    let Some(ty) = schema.get(inner) else {
        return match inner {
            "Int" => json!(1),
            "Float" => json!(1.5),
            "Boolean" => json!(true),
            _ => json!(format!("<{name}>")),
        };
    };
    match ty.kind {
        TypeKind::Enum => ty.values.first().map(|value| value.name.as_str()).into(),
        TypeKind::Input if open.contains(&ty.name.as_str()) => json!({}),
        TypeKind::Input => {
            open.push(&ty.name);
            let needed = ty.input_fields.iter().filter(|field| field.is_required());
            let is_plain = |field: &&InputValue| {
                let ty = schema.get(field.type_ref.named());
                ty.is_none_or(|ty| ty.kind != TypeKind::Input)
            };
            let chosen: Vec<&InputValue> = if ty.one_of {
                let plain = ty.input_fields.iter().find(is_plain);
                plain.or(ty.input_fields.first()).into_iter().collect()
            } else {
                needed.collect()
            };
            let object: Map<String, Value> = chosen
                .into_iter()
                .map(|field| {
                    let value = sample(field.type_ref.as_str(), &field.name, schema, open);
                    (field.name.clone(), value)
                })
                .collect();
            open.pop();
            object.into()
        }
        _ => {
            let scalar = Scalar::of(ty);
            match (scalar.format, scalar.types) {
                (Some("date"), _) => json!("2026-01-31"),
                (Some("date-time"), _) => json!("2026-01-31T09:30:00Z"),
                (Some("time"), _) => json!("09:30:00Z"),
                (Some("uri"), _) => json!("https://example.com"),
                (Some("email"), _) => json!("somebody@example.com"),
                (Some("uuid"), _) => json!("00000000-0000-4000-8000-000000000000"),
                (_, ["integer", ..]) => json!(1),
                (_, ["number", ..]) => json!(1.5),
                (_, ["boolean", ..]) => json!(true),
                (_, ["object", ..]) => json!({}),
                _ => json!(format!("<{name}>")),
            }
        }
    }
}

struct Writer<'s> {
    schema: &'s Schema,
    /// Input objects that are referred to and not written yet.
    waiting: VecDeque<&'s TypeDef>,
    named: BTreeSet<&'s str>,
}

impl Writer<'_> {
    /// An argument or an input field: its type, its default, what it is.
    fn property(&mut self, value: &InputValue, has_default: bool, nullable: bool) -> Value {
        let mut property = self.of_type(value.type_ref.as_str(), nullable);
        let ty = self.schema.get(value.type_ref.named());
        let of_type = ty.filter(|ty| ty.kind == TypeKind::Scalar || ty.kind == TypeKind::Enum);
        let description = value.description.as_deref().or_else(|| of_type?.description.as_deref());
        let deprecated = value.deprecation_reason.as_deref();
        let description = match (description, deprecated) {
            (Some(description), Some(reason)) => {
                Some(format!("{description} Deprecated: {reason}"))
            }
            (None, Some(reason)) => Some(format!("Deprecated: {reason}")),
            (description, None) => description.map(str::to_owned),
        };
        if let Some(description) = description {
            property.insert("description".into(), description.into());
        }
        if let Some(default) = has_default.then(|| default(value, self.schema)).flatten() {
            let is_ref = property.contains_key("$ref");
            if !(default.is_null() && is_ref) {
                property.insert("default".into(), default);
            }
        }
        property.into()
    }

    fn of_type(&mut self, type_ref: &str, nullable: bool) -> Map<String, Value> {
        let (inner, nullable) = match type_ref.strip_suffix('!') {
            Some(inner) => (inner, false),
            None => (type_ref, nullable),
        };
        let mut written = Map::new();
        if let Some(item) = item(inner) {
            written.insert("type".into(), types(&["array"], nullable));
            written.insert("items".into(), self.of_type(item, true).into());
            return written;
        }
        let Some(ty) = self.schema.get(inner) else {
            written.insert("type".into(), types(built_in(inner), nullable));
            return written;
        };
        match ty.kind {
            // A reference stands for the object alone: null would need a choice
            // of schemas, and leaving the property out says the same.
            TypeKind::Input => {
                if self.named.insert(&ty.name) {
                    self.waiting.push_back(ty);
                }
                written.insert("$ref".into(), format!("#/$defs/{}", ty.name).into());
            }
            TypeKind::Enum => {
                written.insert("type".into(), types(&["string"], nullable));
                let values = ty.values.iter().map(|value| Value::from(value.name.as_str()));
                let null = nullable.then_some(Value::Null);
                written.insert("enum".into(), values.chain(null).collect());
            }
            _ => {
                let scalar = Scalar::of(ty);
                written.insert("type".into(), types(scalar.types, nullable));
                if let Some(format) = scalar.format {
                    written.insert("format".into(), format.into());
                }
                if scalar.types.contains(&"array") {
                    written.insert("items".into(), json!({}));
                }
            }
        }
        written
    }

    fn input(&mut self, input: &TypeDef) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in &input.input_fields {
            // One field of a `@oneOf` is given, and null is no value for it.
            let property = self.property(field, field.default.is_some(), !input.one_of);
            properties.insert(field.name.clone(), property);
            if field.is_required() {
                required.push(Value::from(field.name.as_str()));
            }
        }
        let mut object = Map::new();
        object.insert("type".into(), "object".into());
        if let Some(description) = &input.description {
            object.insert("description".into(), description.as_str().into());
        }
        object.insert("properties".into(), properties.into());
        if !required.is_empty() {
            object.insert("required".into(), required.into());
        }
        if input.one_of {
            object.insert("minProperties".into(), 1.into());
            object.insert("maxProperties".into(), 1.into());
        }
        object.insert("additionalProperties".into(), false.into());
        object.into()
    }
}

/// An input object beyond the budget.
fn unwritten(input: &TypeDef) -> Value {
    json!({
        "type": "object",
        "description": format!("Not written out here; get_symbols tells its fields as `input:{}`.", input.name),
    })
}

/// The items' type of a list's.
fn item(type_ref: &str) -> Option<&str> {
    type_ref.strip_prefix('[')?.strip_suffix(']')
}

/// One type as a word, several as a list.
fn types(types: &[&str], nullable: bool) -> Value {
    let null = nullable.then_some("null");
    let all: Vec<&str> = types.iter().copied().chain(null).collect();
    match all[..] {
        [one] => one.into(),
        _ => all.into(),
    }
}

fn built_in(name: &str) -> &'static [&'static str] {
    match name {
        "Int" => &["integer"],
        "Float" => &["number"],
        "Boolean" => &["boolean"],
        _ => &["string"],
    }
}

/// What a custom scalar is in JSON, as far as its name tells: most are strings.
struct Scalar {
    types: &'static [&'static str],
    format: Option<&'static str>,
}

impl Scalar {
    fn of(ty: &TypeDef) -> Self {
        let name = ty.name.to_lowercase().replace('_', "");
        let is = |names: &[&str]| names.contains(&name.as_str());
        let ends = |names: &[&str]| names.iter().any(|end| name.ends_with(end));
        let string = |format| Self { types: &["string"], format };
        match () {
            () if is(&[
                "datetime",
                "iso8601datetime",
                "timestamptz",
                "datetimeiso",
                "instant",
                "datetimeoffset",
                "offsetdatetime",
            ]) =>
            {
                string(Some("date-time"))
            }
            () if is(&["date", "iso8601date", "localdate", "fulldate"]) => string(Some("date")),
            () if is(&["timetz", "offsettime"]) => string(Some("time")),
            () if is(&["uri", "url", "href", "link", "absoluteurl"]) => string(Some("uri")),
            () if is(&["uuid", "guid"]) => string(Some("uuid")),
            () if is(&["email", "emailaddress"]) => string(Some("email")),
            // Large numbers come as either, so that none loses digits.
            () if is(&[
                "bigint",
                "bigdecimal",
                "decimal",
                "numeric",
                "money",
                "positivedecimal",
                "unsignedint64",
                "biginteger",
                "int8",
            ]) =>
            {
                Self { types: &["string", "number"], format: None }
            }
            () if is(&[
                "long",
                "short",
                "byte",
                "uint",
                "unsignedint",
                "timestamp",
                "epoch",
                "year",
                "port",
            ]) || ends(&["int", "int32", "int64", "uint64", "integer"]) =>
            {
                Self { types: &["integer"], format: None }
            }
            () if ends(&["double", "float", "float8", "float64"])
                || is(&["latitude", "longitude", "percentage"]) =>
            {
                Self { types: &["number"], format: None }
            }
            () if ends(&[
                "json",
                "jsonb",
                "any",
                "jsonobject",
                "jsonstring",
                "map",
                "object",
                "metadata",
                "mixed",
                "anyscalar",
                "generic",
            ]) =>
            {
                Self { types: &["object", "array", "string", "number", "boolean"], format: None }
            }
            () => string(None),
        }
    }
}

/// A default as JSON that the property accepts; none where it has none, or one
/// that does not fit its type.
fn default(value: &InputValue, schema: &Schema) -> Option<Value> {
    coerced(json_of(value.default.as_deref()?)?, value.type_ref.as_str(), schema)
}

/// After [Input Coercion][spec] of each kind of type.
///
/// [spec]: https://spec.graphql.org/October2021/#sec-Types
fn coerced(value: Value, type_ref: &str, schema: &Schema) -> Option<Value> {
    let inner = type_ref.strip_suffix('!');
    if value.is_null() {
        return inner.is_none().then_some(value);
    }
    let inner = inner.unwrap_or(type_ref);
    if let Some(item) = item(inner) {
        return match value {
            Value::Array(items) => {
                items.into_iter().map(|one| coerced(one, item, schema)).collect()
            }
            one => coerced(one, item, schema).map(|one| json!([one])),
        };
    }
    let Some(ty) = schema.get(inner) else {
        return match (inner, &value) {
            ("Int", Value::Number(number)) => number.is_i64().then_some(value),
            ("Float", Value::Number(_))
            | ("Boolean", Value::Bool(_))
            | ("ID" | "String", Value::String(_)) => Some(value),
            ("ID", Value::Number(number)) => Some(number.to_string().into()),
            _ => None,
        };
    };
    match ty.kind {
        TypeKind::Enum => {
            let is_value = ty.values.iter().any(|it| Some(it.name.as_str()) == value.as_str());
            is_value.then_some(value)
        }
        TypeKind::Input => {
            let Value::Object(mut given) = value else {
                return None;
            };
            if ty.one_of && given.len() != 1 {
                return None;
            }
            let mut object = Map::new();
            for field in &ty.input_fields {
                match given.shift_remove(&field.name) {
                    Some(one) => {
                        let one = coerced(one, field.type_ref.as_str(), schema)?;
                        let is_input = schema
                            .get(field.type_ref.named())
                            .is_some_and(|ty| ty.kind == TypeKind::Input);
                        if !(one.is_null() && is_input && !field.type_ref.is_list()) {
                            object.insert(field.name.clone(), one);
                        }
                    }
                    None if field.is_required() => return None,
                    None => {}
                }
            }
            given.is_empty().then(|| object.into())
        }
        _ => {
            let kind = match &value {
                Value::String(_) => "string",
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_i64() => "integer",
                Value::Number(_) => "number",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
                Value::Null => "null",
            };
            let types = Scalar::of(ty).types;
            (types.contains(&kind) || kind == "integer" && types.contains(&"number"))
                .then_some(value)
        }
    }
}
