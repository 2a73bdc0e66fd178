//! What a target names: definitions by name, by place, or by what they resolve
//! in a schema.

use std::{cmp::Ordering, rc::Rc};

use super::{
    super::CodeError,
    coordinates,
    expression::dotted,
    extract::is_type,
    lookup::{Lookup, Symbol},
    resolve::Resolver,
    store::Store,
};

/// Longer than any qualified name; more is no name.
const MAX_TARGET_CHARS: usize = 500;
/// Close names that a message lists.
const CLOSE: usize = 5;
/// Jaro-Winkler similarity below which a name is not close: a typing error or
/// another word of the same beginning stays above, a random word below.
const CLOSE_ENOUGH: f64 = 0.75;
/// The kinds of coordinates that name a type of a schema.
const TYPE_KINDS: [&str; 6] = ["object", "interface", "union", "enum", "scalar", "input"];

/// The definitions that a target names.
///
/// # Errors
/// [`CodeError::Invalid`] where there is none, with what is close;
/// [`CodeError::Failed`] where the file cannot be read.
pub fn find(
    store: &Store,
    lookup: &Lookup<'_>,
    resolver: &Resolver<'_, '_>,
    target: &str,
) -> Result<Vec<Rc<Symbol>>, CodeError> {
    let mut found = search(store, lookup, resolver, target.trim())?;
    found.sort_by_cached_key(|symbol| lookup.place(symbol));
    Ok(found)
}

fn search(
    store: &Store,
    lookup: &Lookup<'_>,
    resolver: &Resolver<'_, '_>,
    target: &str,
) -> Result<Vec<Rc<Symbol>>, CodeError> {
    if target.is_empty() {
        return Err(CodeError::Invalid(
            "`target` is empty: name a symbol, a place (`path:line`) or a schema coordinate \
             (`field:Type.field`)."
                .into(),
        ));
    }
    if target.chars().count() > MAX_TARGET_CHARS {
        return Err(CodeError::Invalid(format!(
            "`target` is longer than {MAX_TARGET_CHARS} characters: name one symbol."
        )));
    }
    let failed = |error: rusqlite::Error| store.failed(&error);
    if let Some((kind, rest)) = target.split_once(':')
        && !rest.starts_with(':')
    {
        if kind == "field" {
            return field(lookup, resolver, rest.trim()).map_err(failed)?.ok_or_else(|| {
                CodeError::Invalid(format!(
                    "No function was found that resolves `{target}` by the conventions of a known \
                     GraphQL server. Ask for the function by its name, or find it with search_code."
                ))
            });
        }
        if TYPE_KINDS.contains(&kind) {
            return named_type(lookup, rest.trim()).map_err(failed)?.ok_or_else(|| {
                CodeError::Invalid(format!(
                    "No type in the code stands for `{target}`. Ask for it by its name in the \
                     code, or for one of its fields (`field:{}.…`).",
                    rest.trim()
                ))
            });
        }
    }
    if let Some((path, line)) = target.rsplit_once(':')
        && let Ok(line) = line.parse::<i64>()
    {
        return place(store, lookup, path, line);
    }
    let found = named(lookup, target).map_err(failed)?;
    if !found.is_empty() {
        return Ok(found);
    }
    let close = close(lookup, target).map_err(failed)?;
    Err(CodeError::Invalid(not_found(target, &close)))
}

fn not_found(target: &str, close: &[String]) -> String {
    let names: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => format!("The code has no symbol `{target}`. Find it with search_code."),
        [one] => format!("The code has no symbol `{target}`; the closest name is {one}."),
        [names @ .., last] => format!(
            "The code has no symbol `{target}`; the closest names are {} and {last}.",
            names.join(", ")
        ),
    }
}

/// The definitions of a bare or qualified name.
fn named(lookup: &Lookup<'_>, target: &str) -> rusqlite::Result<Vec<Rc<Symbol>>> {
    let path = dotted(&target.replace("->", ".").replace(['#', ':'], "."));
    let path = path.split('(').next().unwrap_or_default();
    let mut segments: Vec<&str> = path.split('.').filter(|segment| !segment.is_empty()).collect();
    if segments.first() == Some(&"crate") {
        segments.remove(0);
    }
    let Some((name, around)) = segments.split_last() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for symbol in lookup.named(name)?.iter() {
        if stands_in(lookup, symbol, around)? {
            found.push(Rc::clone(symbol));
        }
    }
    // A file answers to its name only where nothing in a file does.
    if found.iter().any(|symbol| symbol.kind != "file") {
        found.retain(|symbol| symbol.kind != "file");
    }
    Ok(found)
}

/// Whether the names around a symbol end with these.
fn stands_in(lookup: &Lookup<'_>, symbol: &Symbol, around: &[&str]) -> rusqlite::Result<bool> {
    if around.is_empty() {
        return Ok(true);
    }
    let Some(file) = lookup.file(symbol.file)? else { return Ok(false) };
    let path = file.path.rsplit_once('.').map_or(file.path.as_str(), |(stem, _)| stem);
    let ends = |outer: &str| {
        let mut names: Vec<String> = outer
            .split('/')
            .chain(symbol.scope.split('.'))
            .filter(|name| !name.is_empty() && *name != "src")
            .map(|name| name.replace('-', "_"))
            .collect();
        names.dedup();
        let wanted = around.iter().map(|name| name.replace('-', "_"));
        names.ends_with(&wanted.collect::<Vec<_>>())
    };
    Ok(ends(&file.module) || ends(path))
}

/// The innermost definition around a line.
fn place(
    store: &Store,
    lookup: &Lookup<'_>,
    path: &str,
    line: i64,
) -> Result<Vec<Rc<Symbol>>, CodeError> {
    let failed = |error: rusqlite::Error| store.failed(&error);
    let path = path.trim_start_matches("./").replace('\\', "/");
    let files = files_of(lookup, &path).map_err(failed)?;
    if files.is_empty() {
        let close = close_files(lookup, &path).map_err(failed)?;
        let hint = match close.as_slice() {
            [] => String::new(),
            close => format!(" Close to it: {}.", close.join(", ")),
        };
        return Err(CodeError::Invalid(format!(
            "The code index has no file `{path}`: paths are relative to the root of the code.{hint}"
        )));
    }
    let mut found = Vec::new();
    for file in files {
        found.extend(lookup.around(file, line).map_err(failed)?.pop());
    }
    if found.is_empty() {
        let problem = problem(lookup, &path).map_err(failed)?;
        return Err(CodeError::Invalid(problem.map_or_else(
            || format!("The file `{path}` has no line {line}."),
            |problem| format!("The file `{path}` was not read: {problem}."),
        )));
    }
    Ok(found)
}

/// The files at a path, or whose path ends with it.
fn files_of(lookup: &Lookup<'_>, path: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement = lookup.connection().prepare_cached(
        "SELECT id, path FROM file
         WHERE path = ?1 OR substr(path, -length(?1) - 1) = '/' || ?1 ORDER BY path",
    )?;
    let rows: Vec<(i64, String)> = statement
        .query_map([path], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if let Some((id, _)) = rows.iter().find(|(_, found)| found == path) {
        return Ok(vec![*id]);
    }
    Ok(rows.into_iter().map(|(id, _)| id).collect())
}

/// Why a file was not read, if it was not.
fn problem(lookup: &Lookup<'_>, path: &str) -> rusqlite::Result<Option<String>> {
    let mut statement = lookup
        .connection()
        .prepare_cached("SELECT problem FROM file WHERE path = ?1 AND problem IS NOT NULL")?;
    let mut rows = statement.query([path])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

fn close_files(lookup: &Lookup<'_>, path: &str) -> rusqlite::Result<Vec<String>> {
    let wanted = path.rsplit('/').next().unwrap_or(path);
    let mut statement = lookup.connection().prepare_cached("SELECT path FROM file")?;
    let paths: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    Ok(closest(wanted, paths.iter().map(|path| (name(path), format!("`{path}`")))))
}

/// The names that a name may have been meant to be.
fn close(lookup: &Lookup<'_>, target: &str) -> rusqlite::Result<Vec<String>> {
    let path = dotted(&target.replace(['#', ':'], "."));
    let wanted = path.rsplit('.').next().unwrap_or(&path).to_owned();
    // The same name elsewhere is closer than any other name.
    let mut elsewhere: Vec<String> = lookup
        .named(&wanted)?
        .iter()
        .filter(|symbol| symbol.kind != "file")
        .map(|symbol| symbol.qualified())
        .collect();
    elsewhere.sort();
    elsewhere.dedup();
    if !elsewhere.is_empty() {
        elsewhere.truncate(CLOSE);
        return Ok(elsewhere);
    }
    let mut statement = lookup.connection().prepare_cached(
        "SELECT DISTINCT word.text FROM symbol JOIN word ON word.id = symbol.name
         WHERE symbol.kind <> 'file'",
    )?;
    let names: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(closest(&wanted, names.into_iter().map(|name| (name.clone(), name))))
}

fn closest(wanted: &str, names: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let wanted = coordinates::plain(wanted);
    let mut ranked: Vec<(f64, String)> = names
        .map(|(name, shown)| (strsim::jaro_winkler(&wanted, &coordinates::plain(&name)), shown))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .collect();
    ranked.sort_by(|one, other| {
        other.0.partial_cmp(&one.0).unwrap_or(Ordering::Equal).then_with(|| one.1.cmp(&other.1))
    });
    ranked.truncate(CLOSE);
    ranked.into_iter().map(|(_, shown)| shown).collect()
}

/// The functions that resolve a field of a schema; `None` where there are none.
fn field(
    lookup: &Lookup<'_>,
    resolver: &Resolver<'_, '_>,
    coordinate: &str,
) -> rusqlite::Result<Option<Vec<Rc<Symbol>>>> {
    let Some((parent, field)) = coordinate.split_once('.') else { return Ok(None) };
    let mut statement = lookup
        .connection()
        .prepare_cached("SELECT DISTINCT symbol FROM resolver WHERE field = ?1 ORDER BY symbol")?;
    let rows: Vec<i64> = statement
        .query_map([coordinates::key(parent, field)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::new();
    for id in rows {
        let Some(symbol) = lookup.symbol(id)? else { continue };
        // A resolver map may name a function that stands elsewhere.
        let behind = resolver.behind(&symbol)?;
        if behind.is_empty() || symbol.kind != "property" {
            found.push(symbol);
        } else {
            found.extend(behind);
        }
    }
    if found.is_empty() {
        // Most servers resolve a field by the member of the type's own name.
        for holder in types(lookup, parent)? {
            let members = lookup.owned_by(&holder.name)?;
            let answers = |member: &Rc<Symbol>| coordinates::resolves(&member.name, field);
            found.extend(members.into_iter().filter(answers));
        }
    }
    found.sort_by_key(|symbol| symbol.id);
    found.dedup_by_key(|symbol| symbol.id);
    Ok(Some(found).filter(|found| !found.is_empty()))
}

/// The definitions that stand for a type of a schema; `None` where there are none.
fn named_type(lookup: &Lookup<'_>, name: &str) -> rusqlite::Result<Option<Vec<Rc<Symbol>>>> {
    Ok(Some(types(lookup, name)?).filter(|found| !found.is_empty()))
}

fn types(lookup: &Lookup<'_>, name: &str) -> rusqlite::Result<Vec<Rc<Symbol>>> {
    let mut found = Vec::new();
    let suffixes = coordinates::suffixes().map(|suffix| format!("{name}{suffix}"));
    let small = name.chars().take(1).flat_map(char::to_lowercase).chain(name.chars().skip(1));
    let small = small.collect::<String>() + "Resolver";
    for name in std::iter::once(name.to_owned()).chain(suffixes).chain([small]) {
        let all = lookup.named(&name)?;
        found.extend(all.iter().filter(|symbol| is_type(&symbol.kind)).cloned());
    }
    Ok(found)
}
