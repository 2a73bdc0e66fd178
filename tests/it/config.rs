//! The configuration file, and what `sextant config check` says of it.

use crate::harness::{Folder, run, sample_index, text};

#[test]
fn a_file_sets_what_neither_a_flag_nor_a_variable_says() {
    let folder = Folder::new();
    let index = text(sample_index());
    let file = folder.write(
        "sextant.toml",
        format!(
            "index = {index:?}\nlimit = 4\n[search]\nlimit = 3\nkind = [\"enum\", \"union\"]\n"
        ),
    );
    let search = ["search", "mood", "--config", &file];
    let lines = |page: String| page.lines().count();
    let page = folder.run(&search).succeeds();
    assert!(
        page.lines().all(|line| line.contains("  enum:") || line.contains("  union:")),
        "{page}"
    );
    assert_eq!(lines(page), 3, "the subcommand's own section beats the rest");
    let with_variable =
        run(folder.command(&search).envs([("SEXTANT_LIMIT", "2"), ("SEXTANT_KIND", "")]));
    assert_eq!(lines(with_variable.succeeds()), 2);
    let with_flag =
        run(folder.command(&[&search[..], &["--limit", "1"]].concat()).env("SEXTANT_LIMIT", "2"));
    assert_eq!(lines(with_flag.succeeds()), 1);
    let by_variable = run(folder.command(&["search", "mood"]).env("SEXTANT_CONFIG", &file));
    assert_eq!(lines(by_variable.succeeds()), 3);
    // A positional argument has a variable too, and so a key.
    let sdl = folder.write("graph.graphql", "type Query { only: Int }");
    let file =
        folder.write("schema.toml", format!("[index]\nschema = {sdl:?}\nout = \"made.sqlite\"\n"));
    folder.run(&["index", "--config", &file]).succeeds();
    assert!(folder.path("made.sqlite").is_file());
}

#[test]
fn a_file_that_is_wrong_is_told_by_what_is_wrong_in_it() {
    let folder = Folder::new();
    for (content, reason) in [
        ("limt = 3", "sets `limt`, and there is no such flag"),
        ("[serch]\nlimit = 3", "has a section [serch], and sextant has no such subcommand"),
        (
            "[get]\nlimit = 3",
            "sets `limit` in [get], and there is no such flag; the keys there are",
        ),
        ("limit = ", "line 1 is not TOML"),
        ("\nheader = 'secret\n", "line 2 is not TOML"),
        ("limit = { a = 1 }", "there is no such flag"),
        ("[search]\nlimit = [[1]]", "`limit` must be a string, a number, true, false, or a list"),
        ("config = \"other.toml\"", "sets `config`"),
    ] {
        let file = folder.write("sextant.toml", content);
        let message = folder.run(&["search", "mood", "--config", &file]).refuses();
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("sextant.toml") || message.contains(reason), "{message}");
        assert!(message.contains(reason) || content.contains("{ a"), "{content}: {message}");
        assert!(!message.contains("secret"), "a secret is told: {message}");
    }
    let message = folder.run(&["search", "mood", "--config", "nowhere.toml"]).refuses();
    assert!(message.contains("`nowhere.toml`"), "{message}");
    let big = folder.write("big.toml", "#".repeat(2 << 20));
    let message = folder.run(&["search", "mood", "--config", &big]).refuses();
    assert!(message.contains("1048576 is the most"), "{message}");
}

#[test]
fn check_prints_what_takes_effect_and_who_says_so() {
    let folder = Folder::new();
    let file = folder.write(
        "sextant.toml",
        "schema = \"https://example.com/graphql\"\nheader = \"Authorization: Bearer s3cr3t\"\n[search]\nlimit = 3\n",
    );
    let check =
        ["config", "check", "--config", &file, "search", "mood", "--parent", "object:Query"];
    let page = run(folder.command(&check).env("SEXTANT_PAGINATED", "true")).succeeds();
    let told = |flag: &str| {
        let line = page.lines().find(|line| line.starts_with(&format!("{flag} ")));
        line.unwrap_or_else(|| panic!("{flag}: {page}"))
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(told("--limit"), format!("3 from {file}"));
    assert_eq!(told("--parent"), "object:Query from the command line");
    assert_eq!(told("--paginated"), "true from SEXTANT_PAGINATED");
    assert_eq!(told("--header"), format!("(secret) from {file}"));
    assert_eq!(told("--json"), "false by default");
    assert_eq!(told("--kind"), "(not set) by default");
    assert!(!page.contains("s3cr3t"), "{page}");
    // What would be refused is refused here.
    let message = folder.run(&["config", "check", "search", "mood"]).refuses();
    assert!(message.contains("what to search is missing"), "{message}");
}
