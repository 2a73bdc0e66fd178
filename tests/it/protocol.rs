//! MCP over standard input and output, message by message.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::harness::{Folder, NOT_VALID, STILL_BUILDING, Server, sample_index, text};

/// A schema that is not there until the test writes it: a server that reads it
/// is still loading for exactly as long as the test wants.
fn unwritten_schema(folder: &Folder) -> String {
    let path = folder.path("slow.graphql");
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo is there");
    assert!(made.success(), "a named pipe can be made");
    text(&path)
}

#[test]
fn initialize_speaks_the_version_of_the_client() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let folder = Folder::new();
        let mut server =
            Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
        let result = server.initialize(version);
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "sextant");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        assert!(
            result["instructions"].as_str().is_some_and(|text| text.contains("search_schema")),
            "{result}"
        );
        assert_eq!(server.symbols(&["enum:Mood"]).len(), 1);
    }
}

#[test]
fn an_unknown_version_gets_the_newest_with_a_handshake() {
    let folder = Folder::new();
    let mut server = Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
    assert_eq!(server.initialize("1999-01-01")["protocolVersion"], "2025-11-25");
    assert_eq!(server.symbols(&["enum:Mood"]).len(), 1);
}

#[test]
fn a_stateless_client_discovers_lists_and_calls() {
    let folder = Folder::new();
    let mut server = Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
    server.be_stateless();
    let discovered = server.request("server/discover", json!({}));
    let result = &discovered["result"];
    let versions = result["supportedVersions"].as_array().expect("versions are listed");
    assert!(versions.contains(&json!("2026-07-28")), "{versions:?}");
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(
        (&info["name"], &info["version"]),
        (&json!("sextant"), &json!(env!("CARGO_PKG_VERSION")))
    );
    let listed = server.request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(3));
    assert_eq!(server.symbols(&["enum:Mood"])[0].1["Values"][0]["Name"], "HAPPY");
}

#[test]
fn a_stateless_call_needs_no_words_before_it() {
    let folder = Folder::new();
    let mut server = Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
    server.be_stateless();
    let hits = server.search(json!({ "query": "field:Employee.details", "limit": 1 }));
    assert_eq!(hits[0].coordinate, "field:Employee.details");
    let message = server.call("search_schema", json!({ "query": "" })).fails();
    assert!(message.starts_with(NOT_VALID), "{message}");
}

#[test]
fn clients_of_either_era_are_answered_while_the_index_is_not_there() {
    for stateless in [false, true] {
        let folder = Folder::new();
        let source = unwritten_schema(&folder);
        let arguments = ["mcp", "--schema", &source, "--cache-dir", "cache"];
        let mut server = Server::start(&mut folder.command(&arguments));
        if stateless {
            server.be_stateless();
            let answer = server.request("server/discover", json!({}));
            assert!(answer["result"]["supportedVersions"].is_array(), "{answer}");
        } else {
            assert_eq!(server.initialize("2025-11-25")["serverInfo"]["name"], "sextant");
        }
        let listed = server.request("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(3));
        for (tool, arguments) in [
            ("search_schema", json!({ "query": "mood" })),
            ("get_symbols", json!({ "coordinates": ["enum:Mood"] })),
        ] {
            assert_eq!(server.call_once(tool, &arguments).fails(), STILL_BUILDING);
        }
        let message =
            server.call_once("search_schema", &json!({ "query": "mood", "limit": 0 })).fails();
        assert!(message.starts_with(NOT_VALID), "what is wrong is told at once: {message}");

        fs::write(&source, "enum Mood { HAPPY SAD } type Query { mood: Mood }")
            .expect("the schema comes");
        assert_eq!(server.symbols(&["enum:Mood"]).len(), 1);
        let hits = server.search(json!({ "query": "mood", "limit": 1 }));
        assert_eq!(hits.len(), 1);
    }
}

#[test]
fn initialize_does_not_wait_for_the_model() {
    let folder = Folder::new();
    fs::create_dir(folder.path("model")).expect("a folder for the model");
    let weights = folder.path("model/model.onnx");
    assert!(Command::new("mkfifo").arg(&weights).status().expect("mkfifo is there").success());
    let mut server = Server::start(&mut folder.command(&[
        "mcp",
        "--index",
        &text(sample_index()),
        "--model",
        "model",
    ]));
    assert_eq!(server.initialize("2025-06-18")["serverInfo"]["name"], "sextant");
    assert_eq!(
        server.call_once("search_schema", &json!({ "query": "mood" })).fails(),
        STILL_BUILDING
    );
    let (code, _) = server.leave();
    assert_eq!(code, Some(0), "a server that still loads ends with its client");
}

#[test]
fn what_cannot_be_served_is_told_with_the_reason() {
    let folder = Folder::new();
    let arguments = ["mcp", "--index", "nowhere.sqlite"];
    let mut server = Server::connect(&mut folder.command(&arguments));
    let message = server.call("search_schema", json!({ "query": "mood" })).fails();
    assert!(
        message.contains("`nowhere.sqlite`") && message.contains("there is no such file"),
        "{message}"
    );
    server.logs("`nowhere.sqlite`");
}

#[test]
fn the_tools_are_listed_with_schemas_and_annotations() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let listed = server.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools are listed");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["search_schema", "get_symbols", "generate_query"]);
    for tool in tools {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["readOnlyHint"], true, "{tool}");
        assert_eq!(annotations["idempotentHint"], true, "{tool}");
        assert_eq!(annotations["openWorldHint"], false, "{tool}");
        assert_eq!(annotations["destructiveHint"], false, "{tool}");
        let description = tool["description"].as_str().expect("a description");
        assert!(
            description.contains("Use it") && description.contains("Example: {"),
            "{description}"
        );
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
    }

    let input = &tools[0]["inputSchema"];
    let properties: Vec<&String> =
        input["properties"].as_object().expect("properties").keys().collect();
    assert_eq!(properties, ["query", "kinds", "limit", "parent", "paginated"]);
    assert_eq!(input["required"], json!(["query"]));
    let limit = &input["properties"]["limit"];
    assert_eq!((&limit["type"], &limit["default"]), (&json!("integer"), &json!(10)));
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(200)));
    assert_eq!(input["properties"]["kinds"]["type"], "array");
    assert_eq!(input["properties"]["parent"]["type"], "string");
    assert_eq!(input["properties"]["paginated"]["type"], "boolean");
    let nine =
        ["object", "interface", "union", "enum", "scalar", "input", "field", "input_field", "path"];
    assert_eq!(input["properties"]["kinds"]["items"], json!({ "type": "string", "enum": nine }));
    assert_eq!(tools[0]["outputSchema"]["required"], json!(["hits"]));

    let input = &tools[1]["inputSchema"];
    assert_eq!(input["required"], json!(["coordinates"]));
    let coordinates = &input["properties"]["coordinates"];
    assert_eq!((&coordinates["minItems"], &coordinates["maxItems"]), (&json!(1), &json!(1000)));
    assert_eq!(tools[1]["outputSchema"]["required"], json!(["symbols"]));

    let input = &tools[2]["inputSchema"];
    assert_eq!(input["required"], json!(["prompt"]));
    assert_eq!(input["properties"]["prompt"]["type"], "string");
    assert_eq!(tools[2]["outputSchema"]["required"], json!(["queries"]));
}

#[test]
fn garbage_does_not_end_the_session() {
    let folder = Folder::new();
    let mut server = Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
    server.send_line(b"hello");
    server.send_line(b"\xff\xfe");
    server.initialize("2025-06-18");
    let huge = vec![b'x'; 20_000_000];
    let deep = "[".repeat(100_000);
    for line in [
        &b""[..],
        b"hello",
        b"\xff\xfe\xfd",
        b"\0",
        b"{\"jsonrpc\":",
        b"null",
        b"[]",
        b"{}",
        b"{\"jsonrpc\":\"2.0\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}",
        deep.as_bytes(),
        &huge,
    ] {
        server.send_line(line);
    }
    for (method, params) in [
        ("tools/nonsense", json!({})),
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": 5 })),
    ] {
        let id = server.ask(method, params);
        let error = loop {
            let message = server.receive();
            if message["id"] == id {
                break message;
            }
        };
        assert!(error["error"]["code"].is_i64(), "{error}");
    }
    assert_eq!(server.symbols(&["enum:Mood"]).len(), 1, "the session goes on");
    assert_eq!(server.leave().0, Some(0));
}

#[test]
fn a_tool_that_is_none_is_told_with_those_there_are() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let answer = server.request("tools/call", json!({ "name": "nonsense", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "there is no tool `nonsense`; the tools are search_schema, get_symbols, generate_query"
    );
}

#[test]
fn requests_are_answered_each_by_its_number() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let asked = ["object:Employee", "enum:Mood", "union:Hobby", "input:EmployeeKey"];
    let mut open: Vec<(u64, &str)> = (0..40)
        .map(|at| {
            let coordinate = asked[at % asked.len()];
            let arguments =
                json!({ "name": "get_symbols", "arguments": { "coordinates": [coordinate] } });
            (server.ask("tools/call", arguments), coordinate)
        })
        .collect();
    while !open.is_empty() {
        let message = server.receive();
        let at = open
            .iter()
            .position(|(id, _)| message["id"] == *id)
            .expect("an answer to an open request");
        let (_, coordinate) = open.swap_remove(at);
        assert_eq!(message["result"]["structuredContent"]["symbols"][0]["coordinate"], coordinate);
    }
}

#[test]
fn a_client_that_leaves_ends_the_server_in_peace() {
    let start = || {
        let folder = Folder::new();
        let server = Server::start(&mut folder.command(&["mcp", "--index", &text(sample_index())]));
        (folder, server)
    };
    let (_folder, server) = start();
    assert_eq!(server.leave().0, Some(0), "at once");

    let (_folder, mut server) = start();
    server.initialize("2025-06-18");
    assert_eq!(server.leave().0, Some(0), "after the handshake");

    let (_folder, mut server) = start();
    server.be_stateless();
    server.request("server/discover", json!({}));
    assert_eq!(server.leave().0, Some(0), "after the discovery");

    let (_folder, mut server) = start();
    server.initialize("2025-06-18");
    server.ask("tools/call", json!({ "name": "search_schema", "arguments": { "query": "mood" } }));
    let (code, log) = server.leave();
    assert_eq!(code, Some(0), "in the middle of a call");
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn standard_output_holds_only_messages_however_much_is_logged() {
    let folder = Folder::new();
    let mut server = Server::connect(&mut folder.command(&[
        "mcp",
        "--index",
        &text(sample_index()),
        "--log",
        "trace",
    ]));
    server.search(json!({ "query": "mood" }));
    server.call("search_schema", json!({ "query": "" })).fails();
    server.send_line(b"hello");
    let listed = server.request("tools/list", json!({}));
    assert!(listed["result"]["tools"].is_array());
    let (code, log) = server.leave();
    assert_eq!(code, Some(0));
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "the log is on standard error: {log}");
}
