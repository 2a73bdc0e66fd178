//! Where a file stands among the modules of its language.
//!
//! A module is named by a key, segments joined by `/`: where files make the
//! modules (Rust, Go, Python, ECMAScript) the path from the root of the tree,
//! elsewhere what `package` or `namespace` says. What an import names is such a
//! key too: one that begins with `./` is exact; another matches the keys that
//! end with it, since what comes before is known to a package registry only.

use super::Language;

/// What marks a key as exact.
pub const EXACT: &str = "./";

/// The key of the module that a file is, from its path. Languages whose files
/// name their package themselves have none.
#[must_use]
pub fn key_of(language: Language, path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let whole = match language {
        Language::Go => true,
        Language::Rust => matches!(file, "mod.rs" | "lib.rs" | "main.rs"),
        Language::Python => stem == "__init__",
        Language::TypeScript | Language::Tsx | Language::JavaScript => stem == "index",
        Language::Java | Language::Kotlin | Language::CSharp | Language::Ruby | Language::Php => {
            return String::new();
        }
    };
    // `page.test.ts` is another module than `page.ts`.
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem.trim_end_matches(".d"));
    if whole { folder.to_owned() } else { join(folder, stem) }
}

/// A key and a path below it.
#[must_use]
pub fn join(key: &str, below: &str) -> String {
    match (key, below) {
        ("", below) => below.to_owned(),
        (key, "") => key.to_owned(),
        (key, below) => format!("{key}/{below}"),
    }
}

/// The key above a key.
#[must_use]
pub fn parent(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The last segment of a key.
#[must_use]
pub fn last(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// The key of the root of the crate that a Rust module belongs to: its `src`
/// folder, or for a test, a bench or an example its own folder or file.
#[must_use]
pub fn crate_root(key: &str) -> &str {
    let mut end = 0;
    let mut root = None;
    for segment in key.split('/') {
        let above = root;
        end += segment.len();
        if segment == "src" {
            root = key.get(..end);
        } else if above.is_none() && matches!(segment, "tests" | "benches" | "examples") {
            let next = key.get(end + 1..).and_then(|rest| rest.split('/').next());
            let next = next.map_or(0, |next| next.len() + 1);
            return key.get(..end + next).unwrap_or(key);
        }
        end += 1;
    }
    root.unwrap_or(key)
}

/// The name under which other crates import a crate: its folder's, without a
/// version.
#[must_use]
pub fn crate_name(root: &str) -> String {
    let folder = last(root.strip_suffix("/src").unwrap_or(root));
    let name = match folder.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => folder,
    };
    name.replace('-', "_")
}

/// A path that is relative to a module's folder (`./x`, `../y/z.js`) as an exact
/// key. `None` where it leaves the root.
#[must_use]
pub fn relative(folder: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            segment => segments.push(segment),
        }
    }
    Some(format!("{EXACT}{}", segments.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_module() {
        let key = |language, path| key_of(language, path);
        assert_eq!(key(Language::Rust, "crates/a/src/lib.rs"), "crates/a/src");
        assert_eq!(key(Language::Rust, "crates/a/src/b/mod.rs"), "crates/a/src/b");
        assert_eq!(key(Language::Rust, "src/b/c.rs"), "src/b/c");
        assert_eq!(key(Language::Go, "pkg/x/y.go"), "pkg/x");
        assert_eq!(key(Language::Python, "a/__init__.py"), "a");
        assert_eq!(key(Language::TypeScript, "a/index.d.ts"), "a");
        assert_eq!(key(Language::TypeScript, "a/b.test.ts"), "a/b.test");
        assert_eq!(key(Language::Tsx, "page.tsx"), "page");
        assert_eq!(key(Language::Java, "a/B.java"), "");
    }

    #[test]
    fn a_crate_has_a_root_and_a_name() {
        assert_eq!(crate_root("crates/a-b/src/c/d"), "crates/a-b/src");
        assert_eq!(crate_root("src"), "src");
        assert_eq!(crate_root("tests/it/harness"), "tests/it");
        assert_eq!(crate_root("tests/it"), "tests/it");
        assert_eq!(crate_root("build"), "build");
        assert_eq!(crate_name("crates/a-b/src"), "a_b");
        assert_eq!(crate_name("serde_json-1.0.2/src"), "serde_json");
    }

    #[test]
    fn a_relative_path_stays_in_the_tree() {
        assert_eq!(relative("a/b", "../c/./d").as_deref(), Some("./a/c/d"));
        assert_eq!(relative("a", "../../c"), None);
        assert_eq!(relative("", "./c").as_deref(), Some("./c"));
    }
}
