//! Indexes that are built again, at once, by halves, or not at all.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::json;

use crate::harness::{
    Folder, Server, elements, repository, run, sample, sample_index, sqlite, text,
};

const SDL: &str = "
    type Query { employee(id: ID!): Employee }
    type Employee {
      \"How the employee feels.\"
      mood: Mood
      \"Where the employee sits.\"
      desk: Int
    }
    enum Mood { HAPPY SAD }";

fn search(folder: &Folder, schema: &str) -> crate::harness::Run {
    folder.run(&["search", "mood", "--schema", schema, "--cache-dir", "cache"])
}

#[test]
fn a_second_start_embeds_nothing() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    let first = search(&folder, &schema);
    assert!(first.stderr.starts_with("embedding: "), "{}", first.stderr);
    let kept = folder.list("cache");
    assert_eq!(kept.len(), 1, "one index and nothing else: {kept:?}");
    let file = format!("cache/{}", kept[0]);
    let before = folder.read(&file);
    let second = search(&folder, &schema);
    assert_eq!(second.stderr, "", "nothing to build, nothing to say");
    assert_eq!(second.succeeds(), first.succeeds());
    // White space and comments make no other schema.
    folder.write("schema.graphql", format!("# a comment\n{}", SDL.replace('\n', "\n\n")));
    assert_eq!(search(&folder, &schema).stderr, "");
    assert_eq!((folder.list("cache"), folder.read(&file)), (kept, before));
    let mut server = Server::of_schema(&folder, &schema);
    assert!(server.knows("enum:Mood"));
    let (_, log) = server.leave();
    assert!(!log.contains("the index is built"), "{log}");
}

#[test]
fn the_cache_is_keyed_by_schema_and_model() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    let first_time = search(&folder, &schema).stderr;
    let first = folder.list("cache");
    folder.write("schema.graphql", SDL.replace("SAD", "SAD APATHETIC"));
    search(&folder, &schema).succeeds();
    let second = folder.list("cache");
    assert_eq!(second.len(), 2, "{second:?}");
    assert!(second.contains(&first[0]), "the old one stays for the way back");
    folder.write("schema.graphql", SDL);
    assert_eq!(search(&folder, &schema).stderr, "", "back again without work");

    let model = other_model(&folder);
    let by_other_model =
        ["search", "mood", "--schema", &schema, "--cache-dir", "cache", "--model", &model];
    let run = folder.run(&by_other_model);
    assert_eq!(run.stderr, first_time, "no vector of another model is reused");
    run.succeeds();
    assert_eq!(folder.list("cache").len(), 3);
}

/// The bundled model with one more line in its tokenizer's file: as good, and another.
fn other_model(folder: &Folder) -> String {
    let models = repository().join("models");
    let read = |name: &str| fs::read(models.join(name)).expect("models/ holds the bundled model");
    folder.write("model/model.onnx", read("model.onnx"));
    folder.write("model/config.json", read("config.json"));
    let mut tokenizer = read("tokenizer.json");
    tokenizer.push(b'\n');
    folder.write("model/tokenizer.json", tokenizer);
    text(&folder.path("model"))
}

#[test]
fn an_index_is_searched_by_the_model_that_made_it_alone() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    let model = other_model(&folder);
    folder.run(&["index", &schema, "--out", "other.sqlite", "--model", &model]).succeeds();
    let message = folder.run(&["search", "mood", "--index", "other.sqlite"]).fails();
    assert!(message.contains("`other.sqlite` was made by the model `model` ("), "{message}");
    assert!(
        message.contains("not by `bundled` (") && message.contains("name that model with --model"),
        "{message}"
    );
    folder.run(&["search", "mood", "--index", "other.sqlite", "--model", &model]).succeeds();
    let mut server = Server::connect(&mut folder.command(&["mcp", "--index", "other.sqlite"]));
    let message = server.call("search_schema", json!({ "query": "mood" })).fails();
    assert!(message.contains("was made by the model `model`"), "{message}");
    // Records need no model.
    folder.run(&["get", "enum:Mood", "--index", "other.sqlite"]).succeeds();
}

/// How many texts a build embedded and how many it reused, by its summary.
fn texts(summary: &str) -> (usize, usize) {
    let is_count = |line: &&str| line.contains(" texts embedded, ");
    let line = summary.lines().find(is_count).expect("texts are counted");
    let numbers: Vec<usize> =
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

#[test]
fn one_changed_description_embeds_one_text() {
    let folder = Folder::new();
    let source = folder.write("schema.graphql", SDL);
    let changed = SDL.replace("How the employee feels.", "The employee's humour today.");
    let build = || texts(&folder.run(&["index", &source, "--out", "schema.sqlite"]).succeeds());
    let (all, reused) = build();
    assert!(all >= 7 && reused == 0, "{all} texts for 7 elements, {reused} of them out of nothing");
    assert_eq!(build(), (0, all), "nothing has changed");
    folder.write("schema.graphql", changed);
    assert_eq!(build(), (1, all - 1));
    let description = "SELECT description FROM element WHERE coordinate = 'field:Employee.mood'";
    assert_eq!(sqlite(&folder.path("schema.sqlite"), description), "The employee's humour today.");

    // What is reused is as good as new.
    let search =
        |index: &str| folder.run(&["search", "humour", "--json", "--index", index]).succeeds();
    let again = search("schema.sqlite");
    folder.run(&["index", &source, "--out", "afresh.sqlite"]).succeeds();
    assert_eq!(again, search("afresh.sqlite"));
}

#[test]
fn the_cache_lends_a_changed_schema_what_has_not_changed() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    search(&folder, &schema).succeeds();
    let changed = SDL.replace("How the employee feels.", "The employee's humour today.");
    folder.write("schema.graphql", changed);
    let run = search(&folder, &schema);
    assert!(run.stderr.starts_with("embedding: 1 of 1 texts\n"), "{}", run.stderr);
}

#[test]
fn two_servers_that_build_one_index_at_once_both_serve_it() {
    let folder = Folder::new();
    let schema = text(&sample());
    let mut servers = [Server::of_schema(&folder, &schema), Server::of_schema(&folder, &schema)];
    for server in &mut servers {
        let hits = server.search(json!({ "query": "field:Employee.details", "limit": 1 }));
        assert_eq!(hits[0].coordinate, "field:Employee.details");
    }
    let kept = folder.list("cache");
    assert_eq!(kept.len(), 1, "one file and no leftovers: {kept:?}");
    let path = folder.path("cache").join(&kept[0]);
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
    assert_eq!(elements(&path), elements(sample_index()));
    let built = servers.map(|server| server.leave().1.matches("the index is built").count());
    assert_eq!(
        built.iter().sum::<usize>(),
        1,
        "the second waits for the first and takes its index"
    );
}

/// Kills builds at their start, between batches and at their end. The moments
/// are those that the build tells of itself, so they are the same everywhere.
#[test]
fn a_killed_build_leaves_the_old_index_as_it_was() {
    let folder = Folder::new();
    let out = folder.index(SDL);
    let before = folder.read("schema.sqlite");
    let source = text(&sample());
    for progress_lines in [0, 1, 4, 7, 10] {
        let mut command = folder.command(&["index", &source, "--out", "schema.sqlite"]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the build starts");
        let stderr = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
        for line in stderr.lines().take(progress_lines) {
            let line = line.expect("progress is UTF-8");
            assert!(line.starts_with("embedding: "), "{line}");
        }
        child.kill().expect("the build is killed");
        let status = child.wait().expect("the build is gone");
        // The last of them may have come through before the signal did.
        if status.success() {
            assert_eq!(progress_lines, 10, "a build ended early");
            fs::write(&out, &before).expect("the old index is put back");
        }
        assert!(
            folder.read("schema.sqlite") == before,
            "killed after {progress_lines} lines, the old index changed"
        );
        folder.run(&["get", "enum:Mood", "--index", "schema.sqlite"]).succeeds();
    }
    folder.run(&["index", &source, "--out", "schema.sqlite"]).succeeds();
    assert_eq!(sqlite(&out, "PRAGMA integrity_check"), "ok");
    assert_eq!(elements(&out), elements(sample_index()));
    assert_eq!(
        folder.list("."),
        ["home", "schema.graphql", "schema.sqlite"],
        "what killed builds left is gone"
    );
}

#[test]
fn two_builds_of_one_file_take_turns() {
    let folder = Folder::new();
    let source = text(&sample());
    let start = || {
        let mut command = folder.command(&["index", &source, "--out", "sample.sqlite"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the build starts")
    };
    for mut build in [start(), start(), start()] {
        assert!(build.wait().expect("the build ends").success());
    }
    assert_eq!(folder.list("."), ["home", "sample.sqlite"]);
    assert_eq!(elements(&folder.path("sample.sqlite")), elements(sample_index()));
}

#[test]
fn a_damaged_index_in_the_cache_is_built_again() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    let good = search(&folder, &schema).succeeds();
    let kept = folder.list("cache").remove(0);
    let whole = folder.read(&format!("cache/{kept}"));
    let mut overwritten = whole.clone();
    overwritten[..16].fill(b'X');
    for damaged in [&whole[..whole.len() / 2], &[], b"no index at all", &overwritten] {
        folder.write(&format!("cache/{kept}"), damaged);
        let run = search(&folder, &schema);
        assert!(run.stderr.contains("is indexed"), "{}", run.stderr);
        assert_eq!(run.succeeds(), good);
    }
    assert_eq!(folder.list("cache"), [kept]);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_readable_error() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    folder.write("file", "no folder");
    let message =
        folder.run(&["search", "mood", "--schema", &schema, "--cache-dir", "file/cache"]).fails();
    assert!(message.starts_with("cannot write the index `file/cache/"), "{message}");
    let mut server = Server::connect(&mut folder.command(&[
        "mcp",
        "--schema",
        &schema,
        "--cache-dir",
        "file/cache",
    ]));
    let message = server.call("search_schema", json!({ "query": "mood" })).fails();
    assert!(
        message.starts_with("The schema index cannot serve. Cannot write the index `file/cache/"),
        "{message}"
    );
}

/// Root may write anywhere but where the file system itself is read-only.
#[cfg(target_os = "linux")]
#[test]
fn a_cache_on_a_read_only_file_system_is_a_readable_error() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    fs::create_dir(folder.path("cache")).expect("a folder can be made");
    let script = "mount -t tmpfs -o ro none \"$1\"; shift; exec \"$@\"";
    let Some(mut shell) = crate::harness::isolated_shell(script) else { return };
    let arguments = ["search", "mood", "--schema", &schema, "--cache-dir", "cache"];
    shell.arg(folder.path("cache")).arg(env!("CARGO_BIN_EXE_sextant")).args(arguments);
    let message = run(shell.current_dir(folder.path("."))).fails();
    assert!(
        message.starts_with("cannot write the index `cache/") && message.contains("Read-only"),
        "{message}"
    );
}

#[test]
fn the_cache_lies_where_the_platform_keeps_caches() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", SDL);
    let mut command = folder.command(&["search", "mood", "--schema", &schema]);
    run(command.env("XDG_CACHE_HOME", folder.path("elsewhere"))).succeeds();
    if cfg!(target_os = "linux") {
        assert_eq!(folder.list("elsewhere/sextant").len(), 1);
        folder.run(&["search", "mood", "--schema", &schema]).succeeds();
        assert_eq!(folder.list("home/.cache/sextant"), folder.list("elsewhere/sextant"));
    }
}
