//! Where a schema comes from: every form of one schema gives the same elements.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    path::PathBuf,
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};

use crate::harness::{
    Folder, Run, Server, elements, run, run_with_input, sample_index, sqlite, text,
};

const SDL: &str = r#"
    schema { query: Queries }
    "What can be asked."
    type Queries { employee("The number." id: ID! = "1", by: [Key!]): Employee @deprecated(reason: "Use staff.") }
    interface Person { name: String! }
    type Employee implements Person { name: String!, mood: Mood, hobbies: [Hobby!]! }
    type Cook { dishes: Int }
    union Hobby = Cook
    enum Mood { HAPPY "Could do with a kind word." SAD @deprecated(reason: "Cheer up.") }
    input Key { id: ID!, days: Int = 7 }
    scalar Date @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339")
"#;

/// What a GraphQL server answers to the introspection query of [`SDL`].
fn introspection() -> Value {
    let named = |kind: &str, name: &str| json!({ "kind": kind, "name": name, "ofType": null });
    let non_null = |of: Value| json!({ "kind": "NON_NULL", "name": null, "ofType": of });
    let list = |of: Value| json!({ "kind": "LIST", "name": null, "ofType": of });
    let input = |name: &str, of: Value, default: Option<&str>| json!({ "name": name, "description": null, "type": of, "defaultValue": default });
    let field = |name: &str, of: Value| json!({ "name": name, "description": null, "args": [], "type": of, "isDeprecated": false, "deprecationReason": null });
    let name = || field("name", non_null(named("SCALAR", "String")));
    json!({ "__schema": {
        "queryType": { "name": "Queries" }, "mutationType": null, "subscriptionType": null, "directives": [],
        "types": [
            { "kind": "OBJECT", "name": "Queries", "description": "What can be asked.", "interfaces": [], "fields": [{
                "name": "employee", "description": null, "type": named("OBJECT", "Employee"),
                "isDeprecated": true, "deprecationReason": "Use staff.",
                "args": [
                    { "name": "id", "description": "The number.", "type": non_null(named("SCALAR", "ID")), "defaultValue": "\"1\"" },
                    input("by", list(non_null(named("INPUT_OBJECT", "Key"))), None),
                ],
            }]},
            { "kind": "INTERFACE", "name": "Person", "fields": [name()], "possibleTypes": [{ "name": "Employee" }] },
            { "kind": "OBJECT", "name": "Employee", "interfaces": [{ "name": "Person" }], "fields": [
                name(),
                field("mood", named("ENUM", "Mood")),
                field("hobbies", non_null(list(non_null(named("UNION", "Hobby"))))),
            ]},
            { "kind": "OBJECT", "name": "Cook", "interfaces": [], "fields": [field("dishes", named("SCALAR", "Int"))] },
            { "kind": "UNION", "name": "Hobby", "possibleTypes": [{ "name": "Cook" }] },
            { "kind": "ENUM", "name": "Mood", "enumValues": [
                { "name": "HAPPY", "description": null, "isDeprecated": false, "deprecationReason": null },
                { "name": "SAD", "description": "Could do with a kind word.", "isDeprecated": true, "deprecationReason": "Cheer up." },
            ]},
            { "kind": "INPUT_OBJECT", "name": "Key", "inputFields": [
                input("id", non_null(named("SCALAR", "ID")), None),
                input("days", named("SCALAR", "Int"), Some("7")),
            ]},
            { "kind": "SCALAR", "name": "Date", "specifiedByURL": "https://www.rfc-editor.org/rfc/rfc3339" },
            { "kind": "SCALAR", "name": "ID" }, { "kind": "SCALAR", "name": "Int" }, { "kind": "SCALAR", "name": "String" },
            { "kind": "OBJECT", "name": "__Type", "interfaces": [], "fields": [field("name", named("SCALAR", "String"))] },
        ],
    }})
}

/// The elements of [`SDL`] read from a plain file.
fn expected() -> String {
    let folder = Folder::new();
    let elements = elements(&folder.index(SDL));
    assert_eq!(elements.lines().count(), 19, "{elements}");
    elements
}

fn indexed(folder: &Folder, source: &str) -> String {
    let out = folder.path("out.sqlite");
    folder.run(&["index", source, "--out", &text(&out)]).succeeds();
    elements(&out)
}

#[test]
fn a_folder_is_merged_with_its_extensions() {
    let folder = Folder::new();
    folder.write("graph/a.graphql", "extend type Employee { hobbies: [Hobby!]! }  extend enum Mood { \"Could do with a kind word.\" SAD @deprecated(reason: \"Cheer up.\") }");
    folder.write("graph/people/b.graphqls", "interface Person { name: String! } type Employee implements Person { name: String!, mood: Mood } enum Mood { HAPPY }");
    folder.write("graph/people/c.gql", "type Cook { dishes: Int } union Hobby = Cook");
    folder.write("graph/d.GRAPHQL", "input Key { id: ID! } extend input Key { days: Int = 7 }  scalar Date @specifiedBy(url: \"https://www.rfc-editor.org/rfc/rfc3339\")");
    folder.write("graph/root.graphql", "schema { query: Queries } \"What can be asked.\" type Queries { employee(\"The number.\" id: ID! = \"1\", by: [Key!]): Employee @deprecated(reason: \"Use staff.\") }");
    folder.write("graph/notes.md", "type Nonsense {");
    folder.write("graph/.hidden/x.graphql", "type Nonsense {");
    assert_eq!(indexed(&folder, &text(&folder.path("graph"))), expected());
}

#[test]
fn standard_input_is_a_source() {
    for input in [SDL.to_owned(), introspection().to_string()] {
        let folder = Folder::new();
        let run = run_with_input(&mut folder.command(&["index", "-"]), input.as_bytes());
        run.succeeds();
        assert_eq!(elements(&folder.path("schema.sqlite")), expected());
    }
    let mut command = Folder::new().command(&[
        "search",
        "mood",
        "--json",
        "--schema",
        "-",
        "--cache-dir",
        "cache",
    ]);
    let folder = Folder::new();
    let answer = run_with_input(command.current_dir(folder.path(".")), SDL.as_bytes()).succeeds();
    assert!(answer.contains("enum:Mood"), "{answer}");
}

#[test]
fn an_introspection_result_is_a_source_with_or_without_its_wrapper() {
    let folder = Folder::new();
    let bare = folder.write("bare.json", introspection().to_string());
    assert_eq!(indexed(&folder, &bare), expected());
    let wrapped =
        folder.write("wrapped.json", format!("\u{feff}\n{:#}", json!({ "data": introspection() })));
    assert_eq!(indexed(&folder, &wrapped), expected());
}

#[test]
fn a_router_s_execution_config_gives_its_client_schema_else_its_router_schema() {
    let folder = Folder::new();
    let router = "directive @inner on OBJECT type Query @inner { secret: Int }";
    let config = |engine: Value| {
        json!({ "version": "1", "subgraphs": [], "engineConfig": engine }).to_string()
    };
    let both = folder.write("both.json", config(json!({ "defaultFlushInterval": "500", "graphqlSchema": router, "graphqlClientSchema": SDL })));
    assert_eq!(indexed(&folder, &both), expected());
    let alone = folder.write("alone.json", config(json!({ "graphqlSchema": SDL })));
    assert_eq!(indexed(&folder, &alone), expected());
    let neither = folder.write("neither.json", config(json!({})));
    let message = folder.run(&["index", &neither]).fails();
    assert!(
        message.contains("neither.json") && message.contains("graphqlClientSchema"),
        "{message}"
    );
}

/// An HTTP server of one answer, given to everybody; it tells what it was asked.
fn endpoint(status: &'static str, body: String) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/graphql", listener.local_addr().expect("it has an address"));
    let (sender, asked) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client connects");
            let mut reader = BufReader::new(stream.try_clone().expect("the socket has two ends"));
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                reader.read_line(&mut request).expect("a request has a head");
            }
            let length = request
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.lines().next()?.parse().ok());
            let mut content = vec![0; length.expect("a request tells its length")];
            reader.read_exact(&mut content).expect("a request has a body");
            request.push_str(&String::from_utf8(content).expect("a request is UTF-8"));
            // The test may have seen enough.
            let _ = sender.send(request);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    (url, asked)
}

#[test]
fn an_endpoint_is_introspected() {
    let (url, asked) = endpoint("200 OK", json!({ "data": introspection() }).to_string());
    let folder = Folder::new();
    assert_eq!(indexed(&folder, &url), expected());
    let request = asked.recv().expect("it was asked");
    assert!(request.starts_with("POST /graphql "), "{request}");
    assert!(request.contains("__schema"), "{request}");
    let mut server = Server::of_schema(&folder, &url);
    assert!(server.knows("enum:Mood"));
}

/// The value of a header and the query of a URL are secrets: they are sent, and
/// shown nowhere, whatever goes wrong and however much is logged.
#[test]
fn a_secret_is_sent_and_never_shown() {
    const TOKEN: &str = "t0ps3cret";
    const KEY: &str = "k3yInUrl";
    let is_hidden = |run: &Run| {
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(!all.contains(TOKEN) && !all.contains(KEY), "{all}");
    };
    let (url, asked) = endpoint("200 OK", json!({ "data": introspection() }).to_string());
    let url = format!("{url}?key={KEY}");
    let header = format!("Authorization: Bearer {TOKEN}");
    let folder = Folder::new();

    let made = folder.run(&[
        "index",
        &url,
        "--header",
        &header,
        "--header",
        "X-Team: moods",
        "--out",
        "a.sqlite",
        "--log",
        "trace",
    ]);
    is_hidden(&made);
    made.succeeds();
    let request = asked.recv().expect("it was asked");
    assert!(
        request.contains(&format!("Bearer {TOKEN}\r\n")) && request.contains("moods\r\n"),
        "{request}"
    );
    assert!(request.contains(&format!("?key={KEY} ")), "{request}");
    let file = folder.read("a.sqlite");
    for secret in [TOKEN, KEY] {
        assert!(
            !file.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()),
            "{secret} is in the file"
        );
    }

    let variable = ("SEXTANT_HEADER", format!("{header}\nX-Team: moods"));
    let mut search = folder.command(&[
        "search",
        "mood",
        "--schema",
        &url,
        "--cache-dir",
        "cache",
        "--log",
        "trace",
    ]);
    let searched = run(search.envs([variable.clone()]));
    is_hidden(&searched);
    searched.succeeds();
    let request = asked.recv().expect("it was asked again");
    assert!(
        request.contains(TOKEN) && request.contains("moods"),
        "two headers, one a line: {request}"
    );
    for arguments in [&["search", "--help"][..], &["mcp", "--nonsense"], &["index", "--help"]] {
        is_hidden(&run(folder.command(arguments).envs([variable.clone()])));
    }

    let mut serve =
        folder.command(&["mcp", "--schema", &url, "--cache-dir", "cache", "--log", "trace"]);
    let mut server = Server::connect(serve.envs([variable]));
    assert!(server.knows("enum:Mood"));
    let (_, log) = server.leave();
    assert!(!log.contains(TOKEN) && !log.contains(KEY), "{log}");

    let denied = json!({ "errors": [{ "message": "who are you?" }] }).to_string();
    for (status, body) in
        [("401 Unauthorized", denied), ("500 Internal Server Error", "<html>".to_owned())]
    {
        let (url, _asked) = endpoint(status, body);
        let run = folder.run(&[
            "index",
            &format!("{url}?key={KEY}"),
            "--header",
            &header,
            "--log",
            "trace",
        ]);
        is_hidden(&run);
        assert!(run.fails().contains(status));
    }
    for wrong in [TOKEN.to_owned(), format!("Authorization {TOKEN}"), format!("X: {TOKEN}\u{7}")] {
        let run = folder.run(&["index", &url, "--header", &wrong]);
        is_hidden(&run);
        run.refuses();
    }
    let run = folder.run(&["index", &format!("http://user:{TOKEN}@127.0.0.1/?key={KEY}")]);
    is_hidden(&run);
    run.refuses();
    let run = folder.run(&[
        "index",
        &format!("http://127.0.0.1:1/?key={KEY}"),
        "--header",
        &header,
        "--log",
        "trace",
    ]);
    is_hidden(&run);
    run.fails();
}

#[test]
fn a_supergraph_is_reduced_to_what_its_clients_see() {
    let index: PathBuf = sample_index().to_owned();
    let everything =
        sqlite(&index, "SELECT coordinate, text, record FROM element; SELECT sdl FROM schema_text");
    for machinery in [
        "join__",
        "link__",
        "@tag",
        "@join",
        "@link",
        "@inaccessible",
        "federation__",
        ".internal:4",
    ] {
        assert!(!everything.contains(machinery), "{machinery} is still there");
    }
    // What is inaccessible is absent with all that hangs on it.
    for hidden in ["ayroll", "APATHETIC", "bankAccount", "yearlySalary"] {
        assert!(!everything.contains(hidden), "{hidden} is still there");
    }
    // A field that is called tag is no machinery.
    assert_eq!(
        sqlite(&index, "SELECT type_ref FROM element WHERE coordinate = 'field:Employee.tag'"),
        "String"
    );
    assert_eq!(
        sqlite(
            &index,
            "SELECT json_array_length(record, '$.Values') FROM element WHERE coordinate = 'enum:Mood'"
        ),
        "2"
    );
    // Words and vectors are of the same elements.
    let counts = sqlite(
        &index,
        "SELECT (SELECT count(*) FROM element) = (SELECT count(*) FROM element_words_docsize)",
    );
    assert_eq!(counts, "1");
}
