use std::fs;

use tempfile::TempDir;

use super::*;

fn tree(files: &[(&str, &[u8])]) -> (TempDir, CodeSearch) {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let search = CodeSearch::open(folder.path()).unwrap();
    (folder, search)
}

fn query(pattern: &str) -> SearchQuery {
    let pattern = pattern.to_owned();
    SearchQuery { pattern, is_regex: false, path_glob: None, language: None, limit: None }
}

fn places(result: &SearchResult) -> Vec<String> {
    result.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.line)).collect()
}

#[test]
fn hits_are_ranked_by_what_they_are() {
    let (_folder, search) = tree(&[
        ("a.rs", b"// search\nlet a = research();\nlet b = search();\n"),
        ("deep/er/b.rs", b"pub fn search() {}\npub fn search_all() {}\n"),
        ("tests/c.rs", b"fn search() {}\n"),
        ("z.rs", b"search();\n"),
    ]);
    let result = search.search(&query("search")).unwrap();
    let ranked = [
        "deep/er/b.rs:1",
        "deep/er/b.rs:2",
        "a.rs:3",
        "z.rs:1",
        "a.rs:2",
        "a.rs:1",
        "tests/c.rs:1",
    ];
    assert_eq!(places(&result), ranked);
    assert!(!result.truncated);
    for limit in 1..=7 {
        let result = search.search(&SearchQuery { limit: Some(limit), ..query("search") }).unwrap();
        assert_eq!(places(&result), ranked[..limit as usize]);
        assert_eq!(result.truncated, limit < 7);
    }
}

#[test]
fn a_search_that_is_out_of_time_says_so() {
    let (_folder, search) = tree(&[("a.rs", b"search\n")]);
    let result = search.search_until(&query("search"), Instant::now()).unwrap();
    assert!(result.truncated);
}

#[test]
fn a_line_that_comes_in_pieces_is_one_hit_with_its_number() {
    let mut content = b"first\n".to_vec();
    content.extend(b"needle ".repeat(200_000));
    content.extend(b"\nlast needle\n");
    let (_folder, search) = tree(&[("a.txt", &content)]);
    let result = search.search(&query("needle")).unwrap();
    assert_eq!(places(&result), ["a.txt:2", "a.txt:3"]);
    assert!(result.hits[0].snippet.chars().count() <= snippet::MAX_CHARS);
}

#[test]
fn binary_files_are_skipped_wherever_they_show_it() {
    let mut late = b"needle\n".repeat(100_000);
    late.push(0);
    let utf_16: Vec<u8> = "\u{feff}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_folder, search) =
        tree(&[("early.bin", b"\0needle\n"), ("late.bin", &late), ("utf16.txt", &utf_16)]);
    assert_eq!(places(&search.search(&query("needle")).unwrap()), ["utf16.txt:1"]);
}

#[test]
fn ignore_files_count_without_a_repository_and_beat_the_glob() {
    let (_folder, search) = tree(&[
        (".gitignore", b"/out\n*.log\n"),
        (".ignore", b"old.rs\n"),
        ("out/a.rs", b"needle"),
        ("src/a.log", b"needle"),
        ("src/old.rs", b"needle"),
        ("src/new.rs", b"needle"),
        (".github/a.yml", b"needle"),
        (".git/config", b"needle"),
    ]);
    assert_eq!(places(&search.search(&query("needle")).unwrap()), ["src/new.rs:1"]);
    let glob = |glob: &str| {
        let query = SearchQuery { path_glob: Some(glob.to_owned()), ..query("needle") };
        places(&search.search(&query).unwrap())
    };
    assert_eq!(glob("**/*.{rs,log}"), ["src/new.rs:1"]);
    assert_eq!(glob("*.rs"), ["src/new.rs:1"]);
    assert_eq!(glob("./src/**"), ["src/new.rs:1"]);
    assert_eq!(glob("src"), ["src/new.rs:1"]);
    assert_eq!(glob("src/"), ["src/new.rs:1"]);
    assert_eq!(glob("!src/**"), [""; 0]);
    assert_eq!(glob("lib/**"), [""; 0]);
    assert_eq!(glob(".github/**"), [".github/a.yml:1"]);
    assert_eq!(glob(".git/**"), [""; 0]);
}

#[test]
fn a_language_goes_by_any_of_its_names() {
    let (_folder, search) = tree(&[("a.rs", b"needle"), ("a.py", b"needle"), ("a.tsx", b"needle")]);
    for (language, place) in [
        ("rust", "a.rs:1"),
        ("Rust", "a.rs:1"),
        ("rs", "a.rs:1"),
        ("python", "a.py:1"),
        ("py", "a.py:1"),
        ("typescript", "a.tsx:1"),
        ("tsx", "a.tsx:1"),
    ] {
        let query = SearchQuery { language: Some(language.to_owned()), ..query("needle") };
        assert_eq!(places(&search.search(&query).unwrap()), [place], "{language}");
    }
    for (alias, _) in scope::ALIASES {
        let query = SearchQuery { language: Some(alias.to_owned()), ..query("needle") };
        search.search(&query).unwrap();
    }
}

/// Each costs the whole of what a pattern may, at every byte.
#[test]
fn patterns_that_are_dear_end_all_the_same() {
    let (_folder, search) = tree(&[("a.txt", &b"a".repeat(100_000))]);
    for pattern in
        ["(a+)+b", "(a|a)*b", "(.*)*b", "(a?){300}a{300}b", r"(\w{5}){3}!", "^(([a-z])+.)+[A-Z]$"]
    {
        let query = SearchQuery { is_regex: true, ..query(pattern) };
        assert_eq!(search.search(&query).unwrap().hits, [], "{pattern}");
    }
}
