//! Flags and their environment variables.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::harness::{Folder, Server, repository, run, sample, sample_index, text};

const SUBCOMMANDS: [&str; 12] = [
    "index",
    "search",
    "get",
    "generate",
    "mcp",
    "code index",
    "code search",
    "code graph",
    "serve",
    "token",
    "eval",
    "config",
];

/// A secret that no command line should hold.
const WITHOUT_FLAG: [&str; 1] = ["SEXTANT_TOKEN_KEYS"];

/// Flags that only print something of the program itself.
const WITHOUT_VARIABLE: [&str; 2] = ["--help", "--version"];

/// Each flag of a subcommand, and the variable that its help names.
fn flags(subcommand: &str) -> BTreeMap<String, Option<String>> {
    let words: Vec<&str> = subcommand.split(' ').chain(["--help"]).collect();
    let help = Folder::new().run(&words).succeeds();
    let mut entries: Vec<String> = Vec::new();
    for line in help.lines().map(str::trim) {
        if line.starts_with("--") || line.starts_with('<') {
            entries.push(line.to_owned());
        } else if let Some(entry) = entries.last_mut() {
            entry.push(' ');
            entry.push_str(line);
        }
    }
    let flag = |entry: &String| {
        let name = entry
            .split_whitespace()
            .find(|word| word.starts_with("--") || word.starts_with('<'))?;
        let variable = entry.split("[env: ").nth(1).and_then(|rest| rest.split(['=', ']']).next());
        Some((name.to_owned(), variable.map(str::to_owned)))
    };
    entries.iter().filter_map(flag).collect()
}

#[test]
fn every_flag_has_a_variable_named_after_it() {
    for subcommand in SUBCOMMANDS {
        let flags = flags(subcommand);
        assert!(flags.contains_key("--log"), "{subcommand} --help was not understood: {flags:?}");
        for (flag, variable) in flags {
            // What is asked, as opposed to how, is an argument of each run.
            if !flag.starts_with("--") || WITHOUT_VARIABLE.contains(&flag.as_str()) {
                continue;
            }
            let expected = format!(
                "SEXTANT_{}",
                flag.trim_start_matches("--").replace('-', "_").to_uppercase()
            );
            assert_eq!(variable, Some(expected), "{subcommand} {flag}");
        }
    }
    let source = flags("index").remove("<SOURCE>").expect("index takes a source");
    assert_eq!(source.as_deref(), Some("SEXTANT_SCHEMA"));
}

#[test]
fn env_example_lists_every_variable_with_its_meaning_and_no_other() {
    let example =
        fs::read_to_string(repository().join(".env.example")).expect(".env.example is there");
    let mut listed = BTreeSet::new();
    for paragraph in example.split("\n\n") {
        let is_assignment =
            |line: &&str| line.trim_start_matches(['#', ' ']).starts_with("SEXTANT_");
        let names = paragraph.lines().filter(is_assignment).filter_map(|line| {
            line.trim_start_matches(['#', ' ']).split('=').next().map(|name| name.trim().to_owned())
        });
        let names: Vec<String> = names.collect();
        let says_something =
            paragraph.lines().any(|line| line.starts_with('#') && !is_assignment(&line));
        assert!(names.is_empty() || says_something, "{names:?} stands without its meaning");
        listed.extend(names);
    }
    let known: BTreeSet<String> = SUBCOMMANDS
        .iter()
        .chain(&["eval"])
        .flat_map(|subcommand| flags(subcommand).into_values().flatten())
        .chain(WITHOUT_FLAG.map(str::to_owned))
        .collect();
    assert_eq!(listed, known);
}

#[test]
fn a_variable_stands_for_its_flag() {
    let folder = Folder::new();
    let with = |variables: &[(&str, &str)], arguments: &[&str]| {
        run(folder.command(arguments).envs(variables.iter().copied())).succeeds()
    };
    let index = text(sample_index());
    let target = ("SEXTANT_INDEX", index.as_str());
    assert_eq!(with(&[target, ("SEXTANT_LIMIT", "3")], &["search", "mood"]).lines().count(), 3);
    let enums = with(&[target, ("SEXTANT_KIND", "enum,union")], &["search", "mood"]);
    assert!(
        enums.lines().all(|line| line.contains("  enum:") || line.contains("  union:")),
        "{enums}"
    );
    let members = with(&[target, ("SEXTANT_PARENT", "object:Department")], &["search", "mood"]);
    assert!(members.lines().all(|line| line.contains("  field:Department.")), "{members}");
    let paginated = with(&[target, ("SEXTANT_PAGINATED", "true")], &["search", "employees"]);
    assert!(paginated.contains("field:Query.employeesConnection"), "{paginated}");
    assert!(
        with(&[target, ("SEXTANT_JSON", "true")], &["search", "mood"]).starts_with("{\"hits\":[")
    );
    assert!(
        with(&[target, ("SEXTANT_JSON", "true")], &["get", "enum:Mood"])
            .starts_with("{\"symbols\":[")
    );

    let source = text(&sample());
    with(&[("SEXTANT_SCHEMA", &source), ("SEXTANT_OUT", "made.sqlite")], &["index"]);
    assert!(folder.path("made.sqlite").is_file());
    with(&[("SEXTANT_SCHEMA", &source), ("SEXTANT_CACHE_DIR", "kept")], &["get", "enum:Mood"]);
    assert_eq!(folder.list("kept").len(), 1);

    for (level, is_told) in [("error", false), ("info", true)] {
        let mut command = folder.command(&["mcp"]);
        let mut server = Server::connect(command.envs([target, ("SEXTANT_LOG", level)]));
        assert!(server.knows("enum:Mood"));
        let (_, log) = server.leave();
        assert_eq!(log.contains("the index is ready"), is_told, "SEXTANT_LOG={level}: {log}");
    }
    let message =
        run(folder.command(&["search", "mood"]).envs([target, ("SEXTANT_MODEL", "nowhere")]))
            .fails();
    assert!(message.contains("`nowhere/model.onnx`"), "{message}");
}

#[test]
fn a_flag_beats_its_variable() {
    let folder = Folder::new();
    let index = text(sample_index());
    let schema = folder.write("other.graphql", "type Query { only: Int }");
    let with = |variables: &[(&str, &str)], arguments: &[&str]| {
        run(folder.command(arguments).envs(variables.iter().copied())).succeeds()
    };
    let both = [("SEXTANT_INDEX", "nowhere.sqlite"), ("SEXTANT_LIMIT", "0")];
    assert_eq!(
        with(&both, &["search", "mood", "--index", &index, "--limit", "2"]).lines().count(),
        2
    );
    // Either kind of target replaces the other one.
    let schema_flag = ["get", "field:Query.only", "--schema", &schema, "--cache-dir", "cache"];
    assert!(with(&[("SEXTANT_INDEX", &index)], &schema_flag).starts_with("field:Query.only"));
    let index_flag = ["get", "enum:Mood", "--index", &index];
    assert!(with(&[("SEXTANT_SCHEMA", "nowhere.graphql")], &index_flag).starts_with("enum:Mood"));
    with(&[("SEXTANT_SCHEMA", "nowhere.graphql")], &["index", &schema, "--out", "other.sqlite"]);
    let quiet = ["mcp", "--index", &index, "--log", "error"];
    assert_eq!(run(folder.command(&quiet).env("SEXTANT_LOG", "trace")).stderr, "");
}

/// Compose files and CI say "not set" that way.
#[test]
fn an_empty_variable_counts_as_not_set() {
    let folder = Folder::new();
    let index = text(sample_index());
    let plain = folder.run(&["search", "mood", "--index", &index]).succeeds();
    for variable in [
        "LOG",
        "INDEX",
        "SCHEMA",
        "CACHE_DIR",
        "HEADER",
        "MODEL",
        "KIND",
        "PARENT",
        "PAGINATED",
        "LIMIT",
        "JSON",
    ] {
        let name = format!("SEXTANT_{variable}");
        let run = run(folder.command(&["search", "mood", "--index", &index]).env(&name, ""));
        assert_eq!(run.succeeds(), plain, "{name} is set and empty");
    }
}

#[test]
fn a_yes_or_no_variable_takes_the_usual_spellings() {
    let folder = Folder::new();
    for (value, is_json) in [("true", true), ("1", true), ("false", false), ("0", false)] {
        let mut command = folder.command(&["search", "mood", "--index", &text(sample_index())]);
        let page = run(command.env("SEXTANT_JSON", value)).succeeds();
        assert_eq!(page.starts_with('{'), is_json, "SEXTANT_JSON={value}");
    }
}

#[test]
fn a_log_level_that_is_none_is_refused() {
    let folder = Folder::new();
    for level in ["shout", "inof", "sextant=loud", "a=b=c"] {
        let message = folder
            .run(&["search", "mood", "--index", &text(sample_index()), "--log", level])
            .fails();
        assert!(
            message.contains(&format!("`{level}`"))
                && message.contains("error, warn, info, debug or trace"),
            "{message}"
        );
    }
}
