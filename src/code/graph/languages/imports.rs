//! What an import binds, in each language's form.

use tree_sitter::Node;

use super::{
    super::expression::{dotted, text},
    Language,
    modules::{EXACT, crate_root, join, parent, relative},
};

/// The local name of an import that binds all names of a module.
pub const ALL: &str = "*";
/// The name under which ECMAScript exports what has no name.
pub const DEFAULT: &str = "default";

/// One local name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name in this file, or [`ALL`].
    pub local: String,
    /// The key of the module it is from; see [`super::modules`].
    pub module: String,
    /// Its name there; `None` for the module itself, or all of its names.
    pub name: Option<String>,
    /// Where the name stands, as a byte of the file.
    pub at: usize,
}

/// What an import statement in a file binds. `path` is the file's, `key` its
/// module's.
#[must_use]
pub fn imports(
    language: Language,
    node: Node<'_>,
    source: &str,
    (path, key): (&str, &str),
) -> Vec<Import> {
    match language {
        Language::Rust => rust(node, source, key),
        Language::Python => python(node, source, path),
        Language::Go => go(node, source),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            ecmascript(node, source, (path, key))
        }
        Language::Java | Language::Kotlin | Language::CSharp => jvm(language, node, source),
        Language::Php => php(node, source),
        Language::Ruby => Vec::new(),
    }
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The last segment of a dotted path, and what comes before it.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

fn rust(node: Node<'_>, source: &str, key: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let Some(tree) = node.child_by_field_name("argument") else { return found };
    let mut left = vec![(String::new(), tree)];
    while let Some((prefix, tree)) = left.pop() {
        let within = |path: &str| match (prefix.as_str(), path) {
            ("", path) => path.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        };
        match tree.kind() {
            "use_list" => {
                left.extend(named_children(tree).into_iter().map(|tree| (prefix.clone(), tree)));
            }
            "scoped_use_list" => {
                let path = tree.child_by_field_name("path");
                let path = path.map(|path| dotted(text(path, source))).unwrap_or_default();
                if let Some(list) = tree.child_by_field_name("list") {
                    left.push((if path.is_empty() { prefix } else { within(&path) }, list));
                }
            }
            "use_wildcard" => {
                let path = dotted(text(tree, source));
                let path = path.trim_end_matches(['*', '.']);
                let path = if path.is_empty() { prefix } else { within(path) };
                let module = rust_module(&path, key);
                found.push(Import { local: ALL.into(), module, name: None, at: tree.start_byte() });
            }
            _ => {
                let (item, alias) = match tree.kind() {
                    "use_as_clause" => {
                        (tree.child_by_field_name("path"), tree.child_by_field_name("alias"))
                    }
                    _ => (Some(tree), None),
                };
                let Some(item) = item else { continue };
                let item_text = dotted(text(item, source));
                let path = if item_text == "self" { prefix.clone() } else { within(&item_text) };
                let (module, name) = split(&path);
                let local = alias.map_or(name, |alias| text(alias, source)).to_owned();
                let at = item.child_by_field_name("name").unwrap_or(item).start_byte();
                let (module, name) = if module.is_empty() {
                    (rust_module(name, key), None)
                } else {
                    (rust_module(module, key), Some(name.to_owned()))
                };
                found.push(Import { local, module, name, at });
            }
        }
    }
    found
}

/// The key of a module from its dotted path as code of module `key` writes it.
#[must_use]
pub fn rust_module(path: &str, key: &str) -> String {
    let mut segments = path.split('.').peekable();
    let mut base = match segments.peek() {
        Some(&"crate") => {
            segments.next();
            Some(crate_root(key))
        }
        Some(&"self") => {
            segments.next();
            Some(key)
        }
        Some(&"super") => Some(key),
        _ => None,
    };
    while segments.next_if_eq(&"super").is_some() {
        base = base.map(parent);
    }
    let rest = segments.collect::<Vec<_>>().join("/");
    base.map_or_else(|| rest.clone(), |base| format!("{EXACT}{}", join(base, &rest)))
}

fn python(node: Node<'_>, source: &str, path: &str) -> Vec<Import> {
    let folder = parent(path);
    let from = node.child_by_field_name("module_name");
    let module = from.map(|from| {
        let from = text(from, source);
        let dots = from.len() - from.trim_start_matches('.').len();
        let below = from.trim_start_matches('.').replace('.', "/");
        if dots == 0 {
            return below;
        }
        let ups = "../".repeat(dots - 1);
        relative(folder, &format!("{ups}{below}")).unwrap_or(below)
    });
    let mut found = Vec::new();
    for child in named_children(node) {
        if from.is_some_and(|from| from.id() == child.id()) {
            continue;
        }
        let (item, alias) = match child.kind() {
            "aliased_import" => {
                (child.child_by_field_name("name"), child.child_by_field_name("alias"))
            }
            "dotted_name" => (Some(child), None),
            "wildcard_import" => {
                let module = module.clone().unwrap_or_default();
                found.push(Import {
                    local: ALL.into(),
                    module,
                    name: None,
                    at: child.start_byte(),
                });
                continue;
            }
            _ => continue,
        };
        let Some(item) = item else { continue };
        let name = text(item, source);
        let alias = alias.map(|alias| text(alias, source));
        found.push(match (&module, alias) {
            (Some(module), alias) => Import {
                local: alias.unwrap_or(name).to_owned(),
                module: module.clone(),
                name: Some(name.to_owned()),
                at: item.start_byte(),
            },
            (None, Some(alias)) => Import {
                local: alias.to_owned(),
                module: name.replace('.', "/"),
                name: None,
                at: item.start_byte(),
            },
            // `import a.b` binds `a`.
            (None, None) => {
                let first = name.split('.').next().unwrap_or(name).to_owned();
                Import { local: first.clone(), module: first, name: None, at: item.start_byte() }
            }
        });
    }
    found
}

fn go(node: Node<'_>, source: &str) -> Vec<Import> {
    let Some(path) = node.child_by_field_name("path") else { return Vec::new() };
    let module = text(path, source).trim_matches(['"', '`']).to_owned();
    let local = match node.child_by_field_name("name") {
        Some(name) if text(name, source) == "." => ALL,
        Some(name) => text(name, source),
        None => {
            let mut segments = module.rsplit('/');
            let last = segments.next().unwrap_or_default();
            let version = last.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
            let last = if version { segments.next().unwrap_or(last) } else { last };
            last.split('.').next().unwrap_or(last).trim_start_matches("go-")
        }
    };
    let local = local.to_owned();
    vec![Import { local, module, name: None, at: path.start_byte() }]
}

/// The key that a module specifier means in a file.
fn specifier(from: &str, path: &str) -> String {
    let plain = ["js", "ts", "mjs", "cjs", "jsx", "tsx", "mts", "cts", "d"];
    let from = match from.rsplit_once('.') {
        Some((stem, extension)) if plain.contains(&extension) => stem,
        _ => from,
    };
    let from = from.strip_suffix("/index").unwrap_or(from);
    if from.starts_with('.') {
        let found = relative(parent(path), from).unwrap_or_else(|| from.to_owned());
        return found.strip_suffix("/index").unwrap_or(&found).to_owned();
    }
    from.trim_start_matches(['@', '~', '#', '/']).to_owned()
}

fn ecmascript(node: Node<'_>, source: &str, (path, key): (&str, &str)) -> Vec<Import> {
    if node.kind() == "variable_declarator" {
        return required(node, source, path);
    }
    let mut found = Vec::new();
    let own = || format!("{EXACT}{key}");
    // `export default x` and `export default class X {}` name something of the file's own.
    let default = node
        .child_by_field_name("value")
        .or_else(|| node.child_by_field_name("declaration")?.child_by_field_name("name"));
    if let Some(name) = default {
        let (local, at) = (DEFAULT.to_owned(), name.start_byte());
        let name = Some(text(name, source).to_owned());
        return vec![Import { local, module: own(), name, at }];
    }
    let module = node.child_by_field_name("source").map_or_else(own, |from| {
        specifier(text(from, source).trim_matches(['"', '\'', '`']), path)
    });
    let mut import = |local: &str, name: Option<&str>, at: Node<'_>| {
        found.push(Import {
            local: local.to_owned(),
            module: module.clone(),
            name: name.map(str::to_owned),
            at: at.start_byte(),
        });
    };
    let is_export = node.kind() == "export_statement";
    let mut bare_export = is_export;
    let mut left = named_children(node);
    while let Some(child) = left.pop() {
        match child.kind() {
            "import_clause" | "named_imports" | "export_clause" => {
                bare_export = false;
                left.extend(named_children(child));
            }
            "namespace_import" | "namespace_export" => {
                bare_export = false;
                if let Some(name) = child.named_child(0) {
                    import(text(name, source), None, child);
                }
            }
            "import_specifier" | "export_specifier" => {
                let Some(name) = child.child_by_field_name("name") else { continue };
                let alias = child.child_by_field_name("alias").unwrap_or(name);
                import(text(alias, source), Some(text(name, source)), name);
            }
            "identifier" if !is_export => import(text(child, source), Some(DEFAULT), child),
            _ => {}
        }
    }
    if bare_export {
        import(ALL, None, node);
    }
    found
}

/// `const x = require("y")`.
fn required(node: Node<'_>, source: &str, path: &str) -> Vec<Import> {
    let argument = node
        .child_by_field_name("value")
        .and_then(|call| call.child_by_field_name("arguments"))
        .and_then(|arguments| arguments.named_child(0));
    let (Some(argument), Some(pattern)) = (argument, node.child_by_field_name("name")) else {
        return Vec::new();
    };
    let module = specifier(text(argument, source).trim_matches(['"', '\'', '`']), path);
    let import = |local: &str, name: Option<&str>, at: Node<'_>| Import {
        local: local.to_owned(),
        module: module.clone(),
        name: name.map(str::to_owned),
        at: at.start_byte(),
    };
    if pattern.kind() == "identifier" {
        return vec![import(text(pattern, source), None, pattern)];
    }
    let mut found = Vec::new();
    for child in named_children(pattern) {
        let (name, local) = match child.kind() {
            "shorthand_property_identifier_pattern" => (child, child),
            "pair_pattern" => {
                match (child.child_by_field_name("key"), child.child_by_field_name("value")) {
                    (Some(key), Some(value)) => (key, value),
                    _ => continue,
                }
            }
            _ => continue,
        };
        found.push(import(text(local, source), Some(text(name, source)), name));
    }
    found
}

/// Java, Kotlin and C#, which differ in words only.
fn jvm(language: Language, node: Node<'_>, source: &str) -> Vec<Import> {
    let statement = text(node, source).trim_end_matches(';');
    let words = statement
        .split_whitespace()
        .filter(|word| !matches!(*word, "import" | "static" | "using" | "global" | "unsafe"));
    let words: Vec<&str> = words.collect();
    let at = |word: &str| {
        let last = split(word).1;
        node.start_byte() + text(node, source).rfind(last).unwrap_or_default()
    };
    let (path, alias) = match words.as_slice() {
        [path] => (*path, None),
        [path, "as", alias] | [alias, "=", path] => (*path, Some(*alias)),
        _ => return Vec::new(),
    };
    let key = |path: &str| path.replace("::", ".").replace('.', "/");
    let all = |path: &str| Import {
        local: ALL.into(),
        module: key(path),
        name: None,
        at: node.start_byte(),
    };
    if let Some(path) = path.strip_suffix(".*") {
        return vec![all(path)];
    }
    if language == Language::CSharp && alias.is_none() {
        return vec![all(path)];
    }
    let (module, name) = split(path);
    vec![Import {
        local: alias.unwrap_or(name).to_owned(),
        module: key(module),
        name: Some(name.to_owned()),
        at: at(path),
    }]
}

fn php(node: Node<'_>, source: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut prefix = String::new();
    let mut left = named_children(node);
    left.reverse();
    while let Some(child) = left.pop() {
        match child.kind() {
            "namespace_name" => prefix = dotted(text(child, source)) + ".",
            "namespace_use_group" => left.extend(named_children(child)),
            "namespace_use_clause" => {
                let alias = child.child_by_field_name("alias");
                let Some(item) = named_children(child)
                    .into_iter()
                    .find(|item| matches!(item.kind(), "name" | "qualified_name"))
                else {
                    continue;
                };
                let path = format!("{prefix}{}", dotted(text(item, source)));
                let (module, name) = split(&path);
                found.push(Import {
                    local: alias.map_or(name, |alias| text(alias, source)).to_owned(),
                    module: module.replace('.', "/"),
                    name: Some(name.to_owned()),
                    at: item.end_byte() - name.len().min(item.end_byte()),
                });
            }
            _ => {}
        }
    }
    found
}
