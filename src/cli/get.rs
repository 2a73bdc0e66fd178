//! `sextant get`: records, laid out to be read.

use std::io::{self, Write};

use anstream::stdout;
use serde_json::Value;

use super::{
    CliError, open,
    page::{BOLD, DIM, NAME, TYPE, plain},
};
use crate::{
    discovery::{Symbol, SymbolsRequest, SymbolsResponse},
    embedding::ModelSource,
    local::Target,
};

pub fn run(
    target: Target,
    model: &ModelSource,
    request: &SymbolsRequest,
    json: bool,
) -> Result<(), CliError> {
    request.check()?;
    let symbols = open(target, model)?.symbols(&request.coordinates)?;
    if json {
        writeln!(stdout(), "{}", serde_json::json!(SymbolsResponse { symbols }))?;
        return Ok(());
    }
    let mut out = stdout().lock();
    for (at, symbol) in symbols.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        print(&mut out, symbol)?;
    }
    // A person asked for these by name: one that is not there is worth an error.
    let missing = request
        .coordinates
        .iter()
        .find(|asked| !symbols.iter().any(|symbol| symbol.coordinate == **asked));
    missing.map_or(Ok(()), |coordinate| Err(CliError::NotFound(coordinate.clone())))
}

fn print(out: &mut impl Write, symbol: &Symbol) -> io::Result<()> {
    writeln!(out, "{BOLD}{NAME}{}{NAME:#}{BOLD:#}", symbol.coordinate)?;
    let keys =
        symbol.record.keys().filter(|key| !["Coordinate", "Kind", "Name"].contains(&key.as_str()));
    let width = keys.clone().map(String::len).max().unwrap_or(0);
    for key in keys {
        let lines = symbol.record.get(key).map(lines).unwrap_or_default();
        let labels = std::iter::once(key.as_str()).chain(std::iter::repeat(""));
        for (label, line) in labels.zip(lines) {
            writeln!(out, "  {DIM}{label:width$}{DIM:#}  {line}")?;
        }
    }
    Ok(())
}

/// A value of a record as lines: lists one member a line, text as it is.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => plain(text).lines().map(str::to_owned).collect(),
        Value::Array(members) => members.iter().map(member).collect(),
        other => vec![plain(&other.to_string())],
    }
}

/// A member of a list: `name: Type = default  description`.
fn member(value: &Value) -> String {
    let Value::Object(member) = value else {
        return value.as_str().map_or_else(|| value.to_string(), plain);
    };
    let text = |key: &str| member.get(key).and_then(Value::as_str);
    let name = text("Name").or_else(|| text("Coordinate")).unwrap_or_default();
    let mut line = format!("{NAME}{name}{NAME:#}");
    if let Some(type_ref) = text("TypeRef") {
        line = format!("{line}: {TYPE}{type_ref}{TYPE:#}");
    }
    if let Some(default) = text("Default") {
        line = format!("{line} = {}", plain(default));
    }
    if let Some(arguments) = member.get("Args") {
        line = format!("{line}  {DIM}{arguments}{DIM:#}");
    }
    for key in ["DeprecationReason", "Description"] {
        if let Some(prose) = text(key) {
            let label = if key == "Description" { "" } else { "deprecated: " };
            let prose = plain(prose).split_whitespace().collect::<Vec<_>>().join(" ");
            line = format!("{line}  {DIM}{label}{prose}{DIM:#}");
        }
    }
    line
}
