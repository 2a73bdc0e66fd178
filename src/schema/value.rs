//! GraphQL values, as graphql-parser gives them: their notation and their JSON.
//! Both recurse, no deeper than `MAX_DEPTH`, to which tokens are limited.

use graphql_parser::{
    query::{Definition, OperationDefinition},
    schema as ast,
};
use serde_json::Value;

/// A value that borrows from the source.
type Parsed<'a> = ast::Value<'a, &'a str>;

/// The value in GraphQL notation.
pub(super) fn notation(value: &Parsed<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Parsed<'_>, out: &mut String) {
    match value {
        Parsed::Variable(name) => {
            out.push('$');
            out.push_str(name);
        }
        Parsed::Int(number) => out.push_str(&number.as_i64().unwrap_or_default().to_string()),
        Parsed::Float(number) => out.push_str(&float(*number)),
        Parsed::String(text) => out.push_str(&quoted(text)),
        Parsed::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Parsed::Null => out.push_str("null"),
        Parsed::Enum(name) => out.push_str(name),
        Parsed::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write(item, out);
            }
            out.push(']');
        }
        Parsed::Object(entries) => {
            out.push('{');
            for (at, (name, entry)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push_str(": ");
                write(entry, out);
            }
            out.push('}');
        }
    }
}

/// A float in GraphQL notation, which has no infinity: one that is too large for
/// 64 bits stays too large.
fn float(number: f64) -> String {
    if number.is_finite() {
        format!("{number:?}")
    } else {
        format!("{}1e+999", if number < 0.0 { "-" } else { "" })
    }
}

/// A string in GraphQL's quoted notation, on one line. JSON's escapes are a
/// subset of GraphQL's.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A value in GraphQL notation, a default for example, as JSON; none where it is
/// no constant.
#[must_use]
pub fn json_of(notation: &str) -> Option<Value> {
    let query = format!("query($value: Value = {notation}) {{ value }}");
    // The tokens limit the depth of brackets.
    super::token::tokens(&query).ok()?;
    let document = graphql_parser::parse_query::<&str>(&query).ok()?;
    let Definition::Operation(OperationDefinition::Query(query)) = document.definitions.first()?
    else {
        return None;
    };
    query.variable_definitions.first()?.default_value.as_ref().map(json)
}

/// The value as JSON: an enum value and a variable become strings.
pub(super) fn json(value: &Parsed<'_>) -> Value {
    match value {
        Parsed::Variable(name) => Value::from(format!("${name}")),
        Parsed::Int(number) => Value::from(number.as_i64()),
        Parsed::Float(number) => Value::from(*number),
        Parsed::String(text) => Value::from(text.as_str()),
        Parsed::Boolean(truth) => Value::from(*truth),
        Parsed::Null => Value::Null,
        Parsed::Enum(name) => Value::from(*name),
        Parsed::List(items) => items.iter().map(json).collect(),
        Parsed::Object(entries) => {
            entries.iter().map(|(name, entry)| ((*name).to_owned(), json(entry))).collect()
        }
    }
}
