//! `sextant index`, `search` and `get` at a prompt.

use std::process::Stdio;

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::harness::run_on_a_terminal;
use crate::harness::{Folder, Server, coordinates, sample, sample_index, text};

/// Two objects, an enum and a scalar, an input; three fields, an input field, a path.
const SMALL: &str = "
    type Query { employee(by: Key!): Employee }
    type Employee { mood: Mood, born: Date }
    enum Mood { HAPPY SAD }
    scalar Date
    input Key { id: ID! }";

fn search(arguments: &[&str]) -> String {
    let index = text(sample_index());
    let all = [&["search"], arguments, &["--index", &index]].concat();
    Folder::new().run(&all).succeeds()
}

#[test]
fn an_index_is_summarised_by_kind_time_texts_and_size() {
    let folder = Folder::new();
    let source = folder.write("small.graphql", SMALL);
    let run = folder.run(&["index", &source, "--out", "small.sqlite"]);
    let progress = run.stderr.clone();
    let summary = run.succeeds();
    let lines: Vec<&str> = summary.lines().map(str::trim_start).collect();
    let kinds =
        ["2  object", "1  enum", "1  scalar", "1  input", "3  field", "1  input_field", "1  path"];
    assert_eq!(lines[..7], kinds, "kinds that there are none of are not listed");
    assert!(lines[7].starts_with("10  elements in ") && lines[7].ends_with(" s"), "{}", lines[7]);
    let embedded = lines[8].strip_suffix("  texts embedded, 0 reused").expect("texts are counted");
    assert_eq!(
        progress,
        format!("embedding: {embedded} of {embedded} texts\n"),
        "plain lines where no terminal is"
    );
    let hundredths = (folder.read("small.sqlite").len() * 100 + (1 << 19)) >> 20;
    let size = format!("{}.{:02} MiB  in small.sqlite", hundredths / 100, hundredths % 100);
    assert_eq!(lines[9..], [size]);
}

#[test]
fn an_index_takes_the_name_of_its_source() {
    let folder = Folder::new();
    folder.write("graphs/small.graphql", SMALL);
    folder.run(&["index", "graphs/small.graphql"]).succeeds();
    assert_eq!(
        folder.list("."),
        ["graphs", "home", "small.sqlite"],
        "beside the prompt, and nothing else"
    );
}

#[test]
fn an_index_never_overwrites_its_own_source() {
    let folder = Folder::new();
    let source = folder.write("small.graphql", SMALL);
    let message = folder.run(&["index", &source, "--out", &source]).fails();
    assert!(message.contains("small.graphql"), "{message}");
    assert_eq!(folder.read("small.graphql"), SMALL.as_bytes());
}

#[test]
fn hits_are_aligned_lines_of_score_coordinate_type_and_description() {
    let page = search(&["field:Employee.details", "--limit", "3"]);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 3, "{page}");
    let words: Vec<&str> = lines[0].split_whitespace().collect();
    assert!(words[0].parse::<f64>().is_ok(), "a score comes first: {}", lines[0]);
    assert_eq!(words[1..3], ["field:Employee.details", "Details!"]);
    assert!(
        lines[0].ends_with("Personal details: name, family, nationality and pets."),
        "{}",
        lines[0]
    );
}

#[test]
fn nothing_found_is_said_in_words() {
    let page = search(&["mood", "--kind", "nothing"]);
    assert_eq!(page, "Nothing matches. Say it in other words, or drop a filter.\n");
}

#[test]
fn a_record_is_laid_out_to_be_read() {
    let index = text(sample_index());
    let page = Folder::new()
        .run(&["get", "enum:Mood", "field:Query.employee", "--index", &index])
        .succeeds();
    let mood = "enum:Mood\n  Description  How somebody feels.\n  Values       HAPPY  Feels fine.\n               SAD  Could do with a kind word.\n\n";
    assert!(page.starts_with(mood), "{page}");
    let query = &page[mood.len()..];
    assert!(query.starts_with("field:Query.employee\n"), "{query}");
    for part in
        ["Parent", "object:Query", "TypeRef", "Employee", "id: ID!", "The employee's number."]
    {
        assert!(query.contains(part), "{part} is missing in:\n{query}");
    }
}

#[test]
fn a_coordinate_that_is_not_there_fails_after_the_others_are_shown() {
    let folder = Folder::new();
    let index = text(sample_index());
    let run = folder.run(&["get", "enum:Mood", "enum:Moot", "--index", &index]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("enum:Mood\n"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        "error: `enum:Moot` is not in the index; `sextant search` finds what is\n"
    );
    // The tool omits it, and so does what prints the tool's answer.
    let json = folder.run(&["get", "enum:Moot", "--json", "--index", &index]).succeeds();
    assert_eq!(json, "{\"symbols\":[]}\n");
}

#[test]
fn json_is_byte_for_byte_what_the_tools_answer() {
    let folder = Folder::new();
    let index = text(sample_index());
    let mut server = Server::of_sample(&folder);

    let asked =
        json!({ "query": "days off", "kinds": ["field", "enum"], "limit": 4, "paginated": false });
    let tool = server.call("search_schema", asked);
    let options =
        ["--kind", "field", "--kind", "enum", "--limit", "4", "--paginated", "false", "--json"];
    let printed = search(&[&["days off"], &options[..]].concat());
    assert_eq!(printed.trim_end_matches('\n'), tool.text);
    assert_eq!(serde_json::from_str(&printed).ok(), tool.structured);

    let tool = server
        .call("get_symbols", json!({ "coordinates": ["object:Employee", "input:EmployeeKey"] }));
    let printed = folder
        .run(&["get", "object:Employee", "input:EmployeeKey", "--json", "--index", &index])
        .succeeds();
    assert_eq!(printed.trim_end_matches('\n'), tool.text);
    assert_eq!(serde_json::from_str(&printed).ok(), tool.structured);
}

#[test]
fn every_filter_has_its_flag() {
    let found = |arguments: &[&str]| -> Vec<String> {
        let answer = search(&[&["employees"], arguments, &["--json"]].concat());
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("the tool's JSON");
        let hits = answer["hits"].as_array().expect("hits are always there");
        hits.iter()
            .map(|hit| hit["coordinate"].as_str().expect("a coordinate").to_owned())
            .collect()
    };
    let all_are = |found: &[String], what: &dyn Fn(&str) -> bool| {
        !found.is_empty() && found.iter().all(|it| what(it))
    };
    for kinds in [&["--kind", "enum", "--kind", "union"][..], &["--kind", "enum,union"]] {
        let found = found(&[kinds, &["--limit", "200"]].concat());
        assert!(
            all_are(&found, &|it| it.starts_with("enum:") || it.starts_with("union:")),
            "{found:?}"
        );
        assert!(
            found.iter().any(|it| it == "union:Hobby") && found.iter().any(|it| it == "enum:Mood"),
            "{found:?}"
        );
    }
    let members = found(&["--parent", "object:Department"]);
    assert!(all_are(&members, &|it| it.starts_with("field:Department.")), "{members:?}");
    let paginated = found(&["--paginated", "true"]);
    assert!(paginated.contains(&"field:Query.employeesConnection".to_owned()), "{paginated:?}");
    assert!(!paginated.contains(&"field:Query.employees".to_owned()), "{paginated:?}");
    assert_eq!(found(&["--limit", "2"]).len(), 2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new();
    let mut command = folder.command(&["search", "mood", "--index", &text(sample_index())]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the search starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the search ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn no_escape_codes_reach_a_file() {
    let folder = Folder::new();
    let source = text(&sample());
    let index = text(sample_index());
    for arguments in [
        &["search", "mood", "--index", &index][..],
        &["get", "enum:Mood", "--index", &index],
        &["get", "enum:Moot", "--index", &index],
        &["index", &source, "--out", "sample.sqlite"],
        &["search", "mood", "--index", &index, "--log", "trace"],
        &["search", "--help"],
        &["nonsense"],
    ] {
        let run = folder.run(arguments);
        assert!(
            !run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'),
            "{arguments:?}: {run:#?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_colours_unless_no_color_says_otherwise() {
    let folder = Folder::new();
    let index = text(sample_index());
    let searched = ["search", "field:Employee.details", "--limit", "1", "--index", &index];
    let colourful = run_on_a_terminal(&folder, &searched, &[]);
    assert!(colourful.contains("\u{1b}[36mEmployee.details\u{1b}[0m"), "{colourful:?}");
    let plain = run_on_a_terminal(&folder, &searched, &[("NO_COLOR", "1")]);
    assert!(!plain.contains('\u{1b}') && plain.contains("field:Employee.details"), "{plain:?}");

    let source = folder.write("small.graphql", SMALL);
    let bar = run_on_a_terminal(&folder, &["index", &source, "--out", "small.sqlite"], &[]);
    assert!(
        bar.contains(" texts, 0s left") && !bar.contains("embedding: "),
        "a bar rather than lines: {bar:?}"
    );
}

#[test]
fn answers_go_to_standard_output_and_nothing_else_does() {
    let folder = Folder::new();
    let index = text(sample_index());
    let quiet = folder.run(&["search", "mood", "--index", &index]);
    assert_eq!(quiet.stderr, "", "nothing to complain about");
    let loud = folder.run(&["search", "mood", "--index", &index, "--log", "trace"]);
    assert_eq!(loud.succeeds(), quiet.succeeds());
    let schema = folder.write("small.graphql", SMALL);
    let building = folder.run(&[
        "search",
        "mood",
        "--schema",
        &schema,
        "--cache-dir",
        "cache",
        "--log",
        "trace",
    ]);
    assert!(
        building.stderr.contains("is indexed; the next question takes no time"),
        "{}",
        building.stderr
    );
    assert!(building.succeeds().lines().all(|line| line.contains(':')), "hits alone");
}

#[test]
fn exit_codes_tell_success_no_answer_and_misuse_apart() {
    let folder = Folder::new();
    let index = text(sample_index());
    for (code, arguments) in [
        (0, &["--version"][..]),
        (0, &["--help"]),
        (0, &["mcp", "--help"]),
        (0, &["search", "mood", "--index", &index]),
        (0, &["search", "mood", "--index", &index, "--kind", "nothing"]),
        (0, &["mcp", "--index", &index]),
        (1, &["search", "mood", "--index", "nowhere.sqlite"]),
        (1, &["search", "mood", "--index", &index, "--limit", "0"]),
        (1, &["get", "enum:Moot", "--index", &index]),
        (1, &["index", "nowhere.graphql"]),
        (2, &[]),
        (2, &["nonsense"]),
        (2, &["search"]),
        (2, &["search", "mood"]),
        (2, &["search", "mood", "--index", &index, "--limit", "some"]),
        (2, &["search", "mood", "--index", &index, "--paginated", "perhaps"]),
        (2, &["search", "mood", "--index", &index, "--nonsense"]),
        (2, &["search", "mood", "--index", &index, "--schema", "a.graphql"]),
        (2, &["get", "--index", &index]),
        (2, &["index"]),
        (2, &["mcp"]),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:#?}");
        assert_eq!(
            code != 0,
            run.stderr.contains("error: ") || run.stderr.contains("Usage:"),
            "{run:#?}"
        );
    }
}

#[test]
fn the_version_is_the_package_s() {
    let version = concat!("sextant ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(Folder::new().run(&["--version"]).succeeds(), version);
}

#[test]
fn errors_are_sentences_that_name_the_input_and_the_way_out() {
    let folder = Folder::new();
    let index = text(sample_index());
    let source = folder.write("small.graphql", SMALL);
    folder.write("empty/readme.md", "no SDL here");
    for (arguments, said) in [
        (&["index", "nowhere.graphql"][..], &["cannot read `nowhere.graphql`: No such file"][..]),
        (&["index", "empty"], &["the folder `empty` holds no SDL file", "`.graphql`"]),
        (
            &["index", &source, "--out", "empty"],
            &["cannot write the index `empty`: it is a folder; name a file"],
        ),
        (
            &["index", &source, "--model", "empty"],
            &["cannot read `empty/model.onnx`", "a model folder holds"],
        ),
        (
            &["index", "http://127.0.0.1:1/graphql"],
            &["the endpoint `http://127.0.0.1:1/graphql` gave no schema"],
        ),
        (
            &["search", "mood", "--index", "no.sqlite"],
            &["`no.sqlite`", "there is no such file", "sextant index SCHEMA --out no.sqlite"],
        ),
        (&["search", "mood", "--index", "empty"], &["`empty`", "it is a folder"]),
        (
            &["search", " ", "--index", &index],
            &["The request is not valid. `query` is empty; say in a few words"],
        ),
        (
            &["search", "mood", "--limit", "201", "--index", &index],
            &["The request is not valid. `limit` is 201, and must be from 1 to 200."],
        ),
    ] {
        let message = folder.run(arguments).fails();
        for part in said {
            assert!(message.contains(part), "{arguments:?} says: {message}");
        }
        assert_eq!(message.lines().count(), 1, "one sentence: {message}");
    }
    for (arguments, said) in [
        (
            &["search", "mood"][..],
            "what to search is missing; give --index FILE, or --schema SOURCE",
        ),
        (
            &["mcp", "--index", "a", "--schema", "b"],
            "--index and --schema exclude each other; give one",
        ),
        (
            &["index", "http://user:pass@host/"],
            "it holds a user name or a password; give `--header",
        ),
        (
            &["index", "http://host/", "--header", "s3cret"],
            "header 1 is not of the form `Name: value`",
        ),
    ] {
        let message = folder.run(arguments).refuses();
        assert!(
            message.contains(said) && !message.contains("s3cret"),
            "{arguments:?} says: {message}"
        );
    }
}

#[test]
fn a_search_by_schema_and_one_by_its_index_agree() {
    let folder = Folder::new();
    let cached = ["search", "mood", "--json", "--cache-dir", "cache", "--schema", &text(&sample())]
        .map(str::to_owned);
    assert_eq!(folder.run(&cached).succeeds(), search(&["mood", "--json"]));
}

#[test]
fn the_sample_is_searched_as_the_readme_shows() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let hits = server.search(json!({ "query": "how an employee feels today" }));
    assert!(coordinates(&hits).contains(&"field:Employee.currentMood"), "{:?}", coordinates(&hits));
}

#[test]
fn a_server_takes_no_schema_from_the_pipe_that_carries_its_requests() {
    let message = Folder::new().run(&["mcp", "--schema", "-"]).refuses();
    assert!(message.contains("standard input carries MCP"), "{message}");
}
