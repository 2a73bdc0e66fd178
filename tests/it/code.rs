//! The tools about code, and `sextant code`.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::harness::{Folder, NOT_VALID, Server, sample_index, string, text, wait_for};

/// Line 71 is that of `main`, as in the example of the contract.
const LINES_BEFORE_MAIN: usize = 70;

const ENGINE: &str = "\
pub struct RecursiveEngine;

impl RecursiveEngine {
    pub fn run(&self) -> usize {
        self.step() + 1
    }

    fn step(&self) -> usize {
        0
    }
}

pub trait Store {}
pub struct SqliteBackend;

impl Store for SqliteBackend
where
    Self: Sized,
{
}
";

/// A folder with a small tree in `code`, which no test changes but by adding.
fn tree() -> Folder {
    let folder = Folder::new();
    folder.write("code/crates/muninn-core/Cargo.toml", "[package]\nname = \"muninn-core\"\n");
    folder.write(
        "code/crates/muninn-core/src/lib.rs",
        "mod engine;\npub use engine::{RecursiveEngine, SqliteBackend, Store};\n",
    );
    folder.write("code/crates/muninn-core/src/engine.rs", ENGINE);
    let main = "fn main() {\n    muninn_core::RecursiveEngine.run();\n}\n";
    let uses = "use muninn_core::RecursiveEngine;\n";
    let before = format!("{uses}{}", "\n".repeat(LINES_BEFORE_MAIN - 1));
    folder.write("code/crates/muninn/src/main.rs", format!("{before}{main}"));
    folder
        .write("code/crates/muninn-core/tests/main.rs", "// fn main is elsewhere\nfn main() {}\n");
    folder.write("code/tools/report.py", "def main():\n    return \"fn main\"\n");
    folder.write("code/.gitignore", "ignored/\n");
    folder.write("code/ignored/main.rs", "fn main() {}\n");
    folder
}

fn serve(folder: &Folder) -> Server {
    let (code, cache) = (text(&folder.path("code")), text(&folder.path("cache")));
    Server::connect(&mut folder.command(&["mcp", "--code", &code, "--cache-dir", &cache]))
}

/// A server whose graph is built.
fn serve_indexed(folder: &Folder) -> Server {
    let cache = text(&folder.path("cache"));
    folder.run(&["code", "index", "code", "--cache-dir", &cache]).succeeds();
    serve(folder)
}

/// The places of a search's hits, `path:line`, and whether there is more.
#[track_caller]
fn search(server: &mut Server, arguments: Value) -> (Vec<String>, bool) {
    let answer = server.call("search_code", arguments).succeeds();
    let hits = answer["hits"].as_array().expect("`hits` is always present");
    let place = |hit: &Value| format!("{}:{}", string(&hit["path"]), hit["line"]);
    let truncated = answer["truncated"].as_bool().expect("`truncated` is always present");
    (hits.iter().map(place).collect(), truncated)
}

#[track_caller]
fn refusal(server: &mut Server, tool: &str, arguments: Value) -> String {
    let message = server.call(tool, arguments).fails();
    message.strip_prefix(NOT_VALID).unwrap_or_else(|| panic!("not a refusal: {message}")).to_owned()
}

/// The places of the nodes of a graph.
fn locations(answer: &Value) -> Vec<String> {
    let nodes = answer["nodes"].as_array().expect("`nodes` is always present");
    nodes.iter().map(|node| string(&node["location"])).collect()
}

#[test]
fn the_tools_are_those_of_what_is_served() {
    let folder = tree();
    let (index, code) = (text(sample_index()), text(&folder.path("code")));
    let schema = ["search_schema", "get_symbols", "generate_query"];
    let of_code = ["search_code", "query_graph"];
    for (arguments, tools) in [
        (&["--index", &index][..], schema.to_vec()),
        (&["--code", &code], of_code.to_vec()),
        (&["--index", &index, "--code", &code], [&schema[..], &of_code].concat()),
    ] {
        let cache = ["--cache-dir", "cache"];
        let mut server =
            Server::connect(&mut folder.command(&[&["mcp"][..], arguments, &cache].concat()));
        let listed = server.request("tools/list", json!({}))["result"]["tools"].clone();
        let listed = listed.as_array().expect("a list of tools").clone();
        let names: Vec<String> = listed.iter().map(|tool| string(&tool["name"])).collect();
        assert_eq!(names, tools);
        for tool in &listed {
            assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        }
        let missing = schema.iter().chain(&of_code).find(|tool| !tools.contains(tool));
        if let Some(missing) = missing {
            let call = json!({ "name": missing, "arguments": {} });
            let message = string(&server.request("tools/call", call)["error"]["message"]);
            assert!(message.contains(&format!("`{missing}`")), "{message}");
            assert!(message.ends_with(&tools.join(", ")), "{message}");
        }
    }
}

#[test]
fn search_code_answers_the_examples_of_its_contract() {
    let folder = tree();
    let mut server = serve(&folder);
    assert_eq!(
        search(&mut server, json!({ "pattern": "fn main", "is_regex": false, "limit": 20 })),
        (
            vec![
                "crates/muninn/src/main.rs:71".to_owned(),
                "tools/report.py:2".to_owned(),
                "crates/muninn-core/tests/main.rs:1".to_owned(),
                "crates/muninn-core/tests/main.rs:2".to_owned(),
            ],
            false
        )
    );
    assert_eq!(
        search(
            &mut server,
            json!({
                "pattern": "^impl .* for .*Backend$",
                "is_regex": true,
                "path_glob": "crates/**/*.rs",
                "language": "rust",
            })
        ),
        (vec!["crates/muninn-core/src/engine.rs:16".to_owned()], false)
    );
    let answer = server.call("search_code", json!({ "pattern": "fn step" })).succeeds();
    assert_eq!(answer["hits"][0]["snippet"], "fn step(&self) -> usize {");
}

#[test]
fn an_answer_says_whether_it_is_whole() {
    let folder = tree();
    let mut server = serve(&folder);
    for (limit, is_cut) in [(1, true), (3, true), (4, false), (1000, false)] {
        let (hits, truncated) =
            search(&mut server, json!({ "pattern": "fn main", "limit": limit }));
        assert_eq!(truncated, is_cut, "{hits:?} of {limit}");
        assert_eq!(hits[0], "crates/muninn/src/main.rs:71");
    }
    let nothing = search(&mut server, json!({ "pattern": "nowhere to be found" }));
    assert_eq!(nothing, (vec![], false));
}

#[test]
fn queries_of_code_that_are_wrong_are_refused_with_what_to_change() {
    let folder = tree();
    folder.write("secret.rs", "fn main() {}\n");
    let mut server = serve(&folder);
    for (arguments, said) in [
        (json!({ "pattern": "" }), "`pattern` is empty"),
        (json!({ "pattern": "x".repeat(1001) }), "1000 is the most"),
        (json!({ "pattern": "a\nb" }), "spans lines"),
        (json!({ "pattern": r"a\nb", "is_regex": true }), "spans lines"),
        (
            json!({ "pattern": "fn (main", "is_regex": true }),
            "\n    fn (main\n       ^\nerror: unclosed group",
        ),
        (json!({ "pattern": "(a{1000}){1000}", "is_regex": true }), "too large once compiled"),
        (json!({ "pattern": "fn", "path_glob": "../**" }), "leaves the root with `..`"),
        (json!({ "pattern": "fn", "path_glob": "src/../../*.rs" }), "leaves the root with `..`"),
        (json!({ "pattern": "fn", "path_glob": "{..,src}/*.rs" }), "leaves the root with `..`"),
        (json!({ "pattern": "fn", "path_glob": "/etc/**" }), "which is absolute"),
        (json!({ "pattern": "fn", "path_glob": "C:\\**" }), "which is absolute"),
        (json!({ "pattern": "fn", "path_glob": "~/**" }), "which is absolute"),
        (json!({ "pattern": "fn", "path_glob": "src/{a" }), "which is no glob"),
        (json!({ "pattern": "fn", "path_glob": "" }), "leave it out"),
        (json!({ "pattern": "fn", "language": "pyton" }), "the closest are `python`"),
        (json!({ "pattern": "fn", "language": "§" }), "well-known ones are"),
        (json!({ "pattern": "fn", "limit": 0 }), "from 1 to 1000"),
        (json!({ "pattern": "fn", "limit": 1001 }), "from 1 to 1000"),
        (json!({ "pattern": "fn", "limit": "many" }), "`limit`"),
        (json!({ "pattern": "fn", "regex": true }), "field `regex`"),
        (json!({}), "field `pattern`"),
    ] {
        let message = refusal(&mut server, "search_code", arguments.clone());
        assert!(message.contains(said), "{arguments} says: {message}");
    }
    for (arguments, said) in [
        (json!({ "target": "run", "kind": "uses" }), "`kind`: unknown variant `uses`"),
        (json!({ "kind": "callers" }), "field `target`"),
    ] {
        let message = refusal(&mut server, "query_graph", arguments.clone());
        assert!(message.contains(said), "{arguments} says: {message}");
    }
}

/// They are linear here; an engine that backtracks never ends.
#[test]
fn a_regex_that_looks_catastrophic_ends() {
    let folder = tree();
    folder.write("code/a.txt", "a".repeat(50_000));
    let mut server = serve(&folder);
    for pattern in ["(a+)+$b", "(a|a)*b", "(.*)*b", "^(a?){50}a{50}b"] {
        let found = search(
            &mut server,
            json!({ "pattern": pattern, "is_regex": true, "path_glob": "a.txt" }),
        );
        assert_eq!(found, (vec![], false), "{pattern}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_lead_nowhere() {
    use std::os::unix::fs::symlink;

    let folder = tree();
    folder.write("secret/secret.rs", "fn main() {}\n");
    let link = |target: &str, name: &str| {
        symlink(folder.path(target), folder.path(name)).expect("a link can be made");
    };
    link("code", "code/crates/loop");
    link("secret", "code/crates/out");
    link("secret/secret.rs", "code/crates/out.rs");
    let mut server = serve(&folder);
    let (found, _) = search(&mut server, json!({ "pattern": "fn main" }));
    assert_eq!(found.len(), 4, "{found:?}");
    for glob in ["crates/out/**", "crates/out", "crates/out.rs", "crates/loop/**"] {
        let found = search(&mut server, json!({ "pattern": "fn main", "path_glob": glob }));
        assert_eq!(found, (vec![], false), "{glob}");
    }
}

#[test]
fn files_may_come_and_go_during_a_search() {
    let folder = tree();
    let mut server = serve(&folder);
    thread::scope(|scope| {
        let busy = scope.spawn(|| {
            for _ in 0..40 {
                for number in 0..50 {
                    folder.write(&format!("code/busy/{number}.rs"), "fn busy() {}\n");
                }
                fs::remove_dir_all(folder.path("code/busy")).expect("the folder can be removed");
            }
        });
        while !busy.is_finished() {
            let (found, _) = search(&mut server, json!({ "pattern": "fn", "limit": 1000 }));
            assert!(found.contains(&"crates/muninn/src/main.rs:71".to_owned()), "{found:?}");
        }
    });
}

#[test]
fn what_is_no_text_costs_only_itself() {
    let folder = tree();
    folder.write("code/latin.rs", b"fn m\xe4in() {} // needle\n");
    folder.write("code/binary.rs", b"fn needle() {}\0");
    folder.write("code/garbage.rs", b"fn needle( {{{{ \xff\xfe }}} impl impl ((((\n".repeat(200));
    folder.write("code/deep.rs", "{".repeat(100_000));
    let mut server = serve_indexed(&folder);
    let glob = json!({ "pattern": "needle", "path_glob": "{latin,binary}.rs" });
    assert_eq!(search(&mut server, glob).0, ["latin.rs:1"]);
    let answer = server.call("search_code", json!({ "pattern": "in() {} // needle" })).succeeds();
    assert_eq!(answer["hits"][0]["snippet"], "fn m\u{fffd}in() {} // needle");
    let answer =
        server.call("query_graph", json!({ "target": "RecursiveEngine", "kind": "defines" }));
    assert_eq!(locations(&answer.succeeds()), ["crates/muninn-core/src/engine.rs:1"]);
}

#[test]
fn a_line_of_100_megabytes_is_searched_to_its_end() {
    let folder = tree();
    let mut line = vec![b'x'; 100_000_000];
    line.extend(b" needle\nnext needle\n");
    folder.write("code/line.txt", line);
    let mut server = serve(&folder);
    let answer = server.call("search_code", json!({ "pattern": "needle" })).succeeds();
    assert_eq!(answer["hits"][0]["line"], 1);
    assert_eq!(answer["hits"][1]["line"], 2);
    let snippet = string(&answer["hits"][0]["snippet"]);
    assert!(snippet.ends_with(" needle"), "{snippet}");
    assert!(snippet.chars().count() <= 300, "{snippet}");
}

#[test]
fn query_graph_answers_the_examples_of_its_contract() {
    let folder = tree();
    let mut server = serve_indexed(&folder);
    let asked = json!({ "target": "RecursiveEngine::run", "kind": "callers" });
    let answer = server.call("query_graph", asked).succeeds();
    assert_eq!(
        locations(&answer),
        ["crates/muninn-core/src/engine.rs:4", "crates/muninn/src/main.rs:71"]
    );
    let edge = &answer["edges"][0];
    assert_eq!(edge["from"], answer["nodes"][1]["id"]);
    assert_eq!(edge["to"], answer["nodes"][0]["id"]);

    let main =
        json!({ "target": "crates/muninn/src/main.rs:71", "kind": "defines", "max_hops": 1 });
    let answer = server.call("query_graph", main).succeeds();
    assert_eq!(locations(&answer), ["crates/muninn/src/main.rs:71"]);

    let callees = json!({ "target": "RecursiveEngine::run", "kind": "callees" });
    let answer = server.call("query_graph", callees).succeeds();
    assert!(
        locations(&answer).contains(&"crates/muninn-core/src/engine.rs:8".to_owned()),
        "{answer}"
    );
    let references = json!({ "target": "RecursiveEngine", "kind": "references" });
    let answer = server.call("query_graph", references).succeeds();
    assert!(!answer["edges"].as_array().expect("edges").is_empty(), "{answer}");
}

#[test]
fn a_name_that_is_not_there_is_answered_with_those_close_to_it() {
    let folder = tree();
    let mut server = serve_indexed(&folder);
    let nothing = json!({ "target": "RecursivEngine", "kind": "callers" });
    let message = refusal(&mut server, "query_graph", nothing);
    assert!(message.contains("RecursiveEngine"), "{message}");
    for hops in [0, 11] {
        let far = json!({ "target": "main", "kind": "callers", "max_hops": hops });
        assert!(refusal(&mut server, "query_graph", far).contains("1 to 10"));
    }
}

#[test]
fn a_server_indexes_behind_its_start_and_follows_the_tree() {
    let folder = tree();
    let mut server = serve(&folder);
    let mut knows = |target: &str| {
        wait_for(&format!("{target} to be known"), || {
            let query = json!({ "target": target, "kind": "defines" });
            let answer = server.call("query_graph", query);
            !answer.is_error && !locations(&answer.succeeds()).is_empty()
        });
    };
    knows("RecursiveEngine");
    folder.write("code/crates/muninn-core/src/late.rs", "pub fn comes_late() {}\n");
    knows("comes_late");
}

#[test]
fn people_search_and_ask_on_the_terminal() {
    let folder = tree();
    let found = folder.run(&["code", "search", "fn main", "--code", "code"]).succeeds();
    assert_eq!(found.lines().next(), Some("crates/muninn/src/main.rs:71  fn main() {"));
    let json = folder
        .run(&[
            "code",
            "search",
            "^fn main",
            "--regex",
            "--language",
            "rust",
            "--limit",
            "1",
            "--code",
            "code",
            "--json",
        ])
        .succeeds();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["truncated"], true);
    let nothing = folder.run(&["code", "search", "nowhere", "--code", "code"]).succeeds();
    assert!(nothing.starts_with("Nothing matches."), "{nothing}");

    let report = folder.run(&["code", "index", "code"]).succeeds();
    assert!(report.contains("5  files"), "{report}");
    let graph = |target: &str, kind: &str| {
        folder.run(&["code", "graph", target, "--kind", kind, "--code", "code"])
    };
    let callers = graph("RecursiveEngine::run", "callers").succeeds();
    assert!(callers.contains("crates/muninn/src/main.rs:71"), "{callers}");
    let message = graph("Nobody", "callers").fails();
    assert!(message.contains("Nobody"), "{message}");
    assert!(graph("main", "uses").refuses().contains("[possible values: callers, callees"));
    for arguments in [
        &["code", "search", "x", "--code", "nowhere"][..],
        &["code", "index", "nowhere"],
        &["mcp", "--code", "nowhere"],
    ] {
        let message = folder.run(arguments).fails();
        assert!(message.contains("`nowhere` is no folder of code"), "{message}");
    }
}
