//! MCP over HTTP, byte by byte.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

use crate::harness::{Folder, NOT_VALID, PATIENCE, STILL_BUILDING, sample_index, text, wait_for};

/// A running `sextant mcp --http`.
pub struct HttpServer {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    log: Arc<Mutex<String>>,
}

/// A server that fails to load its model answers all but calls of tools, and
/// starts at once.
pub const WITHOUT_MODEL: [&str; 2] = ["--model", "nowhere"];

/// What came back over HTTP.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    head: String,
    pub body: String,
}

impl HttpServer {
    /// Starts a server on the sample's index, at a port of its own.
    pub fn start(folder: &Folder, flags: &[&str]) -> Self {
        let index = text(sample_index());
        let mut arguments = vec!["mcp", "--index", &index];
        if !flags.contains(&"--http") {
            arguments.extend(["--http", "127.0.0.1:0"]);
        }
        arguments.extend(flags);
        let mut command = folder.command(&arguments);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let log = Arc::new(Mutex::new(String::new()));
        let outputs: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(child.stdout.take().expect("standard output is a pipe")),
            Box::new(child.stderr.take().expect("standard error is a pipe")),
        ];
        for mut output in outputs {
            let log = Arc::clone(&log);
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = output.read(&mut bytes) {
                    let text = String::from_utf8_lossy(&bytes[..count]);
                    log.lock().expect("no panic while the log is held").push_str(&text);
                }
            });
        }
        let mut server = Self { child, address: String::new(), log };
        wait_for("the server to listen", || {
            let log = server.log();
            let url = log.split("url=http://").nth(1).and_then(|rest| rest.split_once("/mcp\n"));
            server.address = url.map(|(address, _)| address.to_owned()).unwrap_or_default();
            !server.address.is_empty() || server.child.try_wait().is_ok_and(|end| end.is_some())
        });
        assert_ne!(server.address, "", "the server ended: {}", server.log());
        server
    }

    /// All that the server wrote so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("no panic while the log is held").clone()
    }

    /// One request on a connection of its own. A header that is given replaces
    /// the usual one; one without a value is left out.
    #[track_caller]
    pub fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let length = body.len().to_string();
        let usual = [
            ("Host", self.address.as_str()),
            ("Connection", "close"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ];
        let is_given =
            |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let usual = usual.iter().filter(|(name, _)| !is_given(name));
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in usual.chain(headers).filter(|(_, value)| !value.is_empty()) {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        let address = self.address.replace("0.0.0.0", "127.0.0.1");
        let mut stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a read can have a limit");
        stream.write_all(request.as_bytes()).expect("the server reads a head");
        // Whoever has seen enough of a body closes the connection.
        let _ = stream.write_all(body);
        let mut reply = Vec::new();
        let read = stream.read_to_end(&mut reply);
        let reply = String::from_utf8(reply).expect("the reply is UTF-8");
        let (head, body) = reply
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no reply ({read:?}); the log:\n{}", self.log()));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Reply {
            status: status.unwrap_or_else(|| panic!("no status in {head}")),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    #[track_caller]
    pub fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Reply {
        self.exchange("POST", "/mcp", headers, message.to_string().as_bytes())
    }

    /// A request as clients of 2025 send it.
    #[track_caller]
    pub fn ask(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Reply {
        self.post(
            &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }),
            headers,
        )
    }

    /// A request as clients of 2026-07-28 send it.
    #[track_caller]
    fn ask_statelessly(&self, method: &str, mut params: Value) -> Reply {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "the tests", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let headers =
            [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", &name)];
        self.ask(method, &params, &headers)
    }

    /// Tells the server to stop; returns its exit code and all that it wrote.
    pub fn stop(mut self) -> (Option<i32>, String) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &process]).status().expect("kill is there");
        assert!(sent.success(), "the server has ended before; its log:\n{}", self.log());
        let mut code = None;
        wait_for("the server to end", || {
            code = self.child.try_wait().expect("the server can be waited for");
            code.is_some()
        });
        (code.and_then(|status| status.code()), self.log())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    /// The value of a header; nothing where it is absent.
    pub fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(given, _)| given.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }
}

const TOOLS: [&str; 3] = ["search_schema", "get_symbols", "generate_query"];

/// The result of a call, asked for again while the index is still loading.
#[track_caller]
fn result_of(call: impl Fn() -> Reply) -> Value {
    let mut result = Value::Null;
    wait_for("the index to be ready", || {
        result = call().json()["result"].take();
        result["content"][0]["text"] != STILL_BUILDING
    });
    result
}

fn mood() -> Value {
    json!({ "name": "get_symbols", "arguments": { "coordinates": ["enum:Mood"] } })
}

#[track_caller]
fn assert_lists_the_tools(reply: &Reply) {
    let answer = reply.json();
    let tools = answer["result"]["tools"].as_array().expect("tools are listed");
    for tool in TOOLS {
        assert!(tools.iter().any(|listed| listed["name"] == tool), "{tool}: {answer}");
    }
}

#[test]
fn clients_of_2025_begin_with_initialize_and_need_no_session() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &[]);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = json!({ "name": "the tests", "version": "1" });
        let params =
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let reply = server.ask("initialize", &params, &[]);
        assert_eq!((reply.status, reply.header("Mcp-Session-Id")), (200, ""), "{reply:?}");
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        assert_eq!(reply.json()["result"]["serverInfo"]["name"], "sextant");
        let headers = [("MCP-Protocol-Version", version)];
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(server.post(&initialized, &headers).status, 202);
        assert_lists_the_tools(&server.ask("tools/list", &json!({}), &headers));
        let result = result_of(|| server.ask("tools/call", &mood(), &headers));
        assert_eq!(result["structuredContent"]["symbols"][0]["coordinate"], "enum:Mood");
    }
}

#[test]
fn clients_of_2026_discover_list_and_call() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &[]);
    let reply = server.ask_statelessly("server/discover", json!({}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let versions = &reply.json()["result"]["supportedVersions"];
    assert!(versions.as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))), "{reply:?}");
    assert_lists_the_tools(&server.ask_statelessly("tools/list", json!({})));
    let result = result_of(|| server.ask_statelessly("tools/call", mood()));
    assert_eq!(result["structuredContent"]["symbols"][0]["coordinate"], "enum:Mood");
}

#[test]
fn what_a_tool_has_to_complain_of_is_a_result() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &[]);
    let params = json!({ "name": "search_schema", "arguments": { "query": "" } });
    let result = result_of(|| server.ask("tools/call", &params, &[]));
    assert_eq!(result["isError"], true);
    let message = result["content"][0]["text"].as_str().expect("an error has a text");
    assert!(message.starts_with(NOT_VALID), "{message}");
    let reply = server.ask("tools/call", &json!({ "name": "drop_schema" }), &[]);
    assert_eq!(reply.json()["error"]["code"], -32602, "{reply:?}");
    let reply = server.ask_statelessly("schemas/drop", json!({}));
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (404, &json!(-32601)), "{reply:?}");
}

#[test]
fn many_clients_are_served_at_once() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &[]);
    result_of(|| server.ask("tools/call", &mood(), &[]));
    thread::scope(|scope| {
        for client in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for number in 0..4 {
                    let query = format!("mood {client} {number}");
                    let arguments = json!({ "query": query, "limit": 2 });
                    let params = json!({ "name": "search_schema", "arguments": arguments });
                    let reply = server.ask("tools/call", &params, &[]);
                    let hits = &reply.json()["result"]["structuredContent"]["hits"];
                    assert_eq!(hits.as_array().map(Vec::len), Some(2), "{reply:?}");
                }
            });
        }
    });
}

#[test]
fn foreign_hosts_and_origins_are_turned_away() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &WITHOUT_MODEL);
    let status = |headers: &[(&str, &str)]| server.ask("ping", &json!({}), headers).status;
    for host in ["localhost", "localhost:1", "127.0.0.1", "[::1]:8080"] {
        assert_eq!(status(&[("Host", host)]), 200, "{host}");
    }
    for host in ["example.com", "127.0.0.1.example.com", "0.0.0.0", "169.254.169.254"] {
        assert_eq!(status(&[("Host", host)]), 403, "{host}");
    }
    assert_eq!(status(&[("Host", "")]), 400);
    for origin in ["http://localhost:6274", "https://127.0.0.1"] {
        assert_eq!(status(&[("Origin", origin)]), 200, "{origin}");
    }
    for origin in ["https://example.com", "null", "http://localhost.example.com", "file://"] {
        assert_eq!(status(&[("Origin", origin)]), 403, "{origin}");
    }

    let flags =
        ["--allowed-host", "mcp.example.com", "--allowed-origin", "https://app.example.com"];
    let server = HttpServer::start(&folder, &[&flags[..], &WITHOUT_MODEL].concat());
    let status = |headers: &[(&str, &str)]| server.ask("ping", &json!({}), headers).status;
    let host = ("Host", "mcp.example.com");
    assert_eq!(status(&[host]), 200);
    assert_eq!(status(&[]), 403);
    assert_eq!(status(&[host, ("Origin", "https://app.example.com")]), 200);
    assert_eq!(status(&[host, ("Origin", "http://app.example.com")]), 403);
    assert_eq!(status(&[host, ("Origin", "http://localhost")]), 403);
}

#[test]
fn whoever_watches_over_the_process_may_call_it_by_any_name() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &WITHOUT_MODEL);
    for (path, body) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        let reply = server.exchange("GET", path, &[("Host", "10.0.0.7:8000")], b"");
        assert_eq!((reply.status, reply.body.as_str()), (200, body), "{reply:?}");
    }
}

#[test]
fn a_browser_asks_before_a_web_page_may_call() {
    let folder = Folder::new();
    let server = {
        let flags = ["--allowed-origin", "https://app.example.com"];
        HttpServer::start(&folder, &[flags, WITHOUT_MODEL].concat())
    };
    let preflight = |origin: &str| {
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,mcp-protocol-version,mcp-name"),
        ];
        server.exchange("OPTIONS", "/mcp", &headers, b"")
    };
    let reply = preflight("https://app.example.com");
    assert_eq!(reply.header("Access-Control-Allow-Origin"), "https://app.example.com");
    assert!(reply.header("Access-Control-Allow-Methods").contains("POST"), "{reply:?}");
    assert!(reply.header("Access-Control-Allow-Headers").contains("mcp-name"), "{reply:?}");
    assert_eq!(preflight("https://example.com").header("Access-Control-Allow-Origin"), "");
    let reply = server.ask("ping", &json!({}), &[("Origin", "https://app.example.com")]);
    assert_eq!(reply.header("Access-Control-Allow-Origin"), "https://app.example.com");
}

#[test]
fn a_message_that_is_none_is_told_so() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &WITHOUT_MODEL);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let deep = "[".repeat(100_000);
    let huge = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "a".repeat(2_000_000));
    let bodies: [(&[u8], u16, i32); 11] = [
        (b"", 400, -32700),
        (b"{", 400, -32700),
        (b"\xff\xfe", 400, -32700),
        (deep.as_bytes(), 400, -32700),
        (b"{}", 400, -32600),
        (br#"["2.0","ping"]"#, 400, -32600),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, 400, -32600),
        (b"[]", 400, -32600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400, -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, 400, -32600),
        (huge.as_bytes(), 413, -32600),
    ];
    for (body, status, code) in bodies {
        let reply = server.exchange("POST", "/mcp", &[], body);
        let told = (reply.status, reply.json()["error"]["code"].clone());
        assert_eq!(told, (status, json!(code)), "{reply:?}");
    }
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{}{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(server.exchange("POST", "/mcp", &[], nested.as_bytes()).status, 415);
    let post = |headers: &[(&str, &str)]| server.exchange("POST", "/mcp", headers, ping).status;
    assert_eq!(post(&[("Content-Type", "text/plain")]), 415);
    assert_eq!(post(&[("Accept", "application/json")]), 406);
    assert_eq!(post(&[("MCP-Protocol-Version", "1999-01-01")]), 400);
    for method in ["GET", "DELETE", "PUT", "HEAD"] {
        let reply = server.exchange(method, "/mcp", &[], b"");
        assert_eq!((reply.status, reply.header("Allow")), (405, "POST"), "{method}");
    }
    assert_eq!(server.exchange("POST", "/", &[], ping).status, 404);
    assert_eq!(post(&[]), 200);
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn it_stops_when_it_is_told_to() {
    let folder = Folder::new();
    let server = HttpServer::start(&folder, &WITHOUT_MODEL);
    // A connection that stays open does not keep the server.
    let idle = TcpStream::connect(&server.address).expect("the server listens");
    assert_eq!(server.ask("ping", &json!({}), &[]).status, 200);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("the server stops"), "{log}");
    drop(idle);
}

#[test]
fn only_this_machine_is_served_without_tokens_unless_that_is_meant() {
    let folder = Folder::new();
    let index = text(sample_index());
    let message = folder.run(&["mcp", "--index", &index, "--http", "0.0.0.0:0"]).refuses();
    assert!(
        message.contains("--allow-anonymous") && message.contains("--oauth-issuer"),
        "{message}"
    );
    let flags = ["--http", "0.0.0.0:0", "--allow-anonymous", "--model", "nowhere"];
    let server = HttpServer::start(&folder, &flags);
    assert_eq!(server.ask("ping", &json!({}), &[("Host", "localhost")]).status, 200);
    let taken = server.address.replace("0.0.0.0", "127.0.0.1");
    let message = folder.run(&["mcp", "--index", &index, "--http", &taken]).fails();
    assert!(message.starts_with(&format!("cannot listen on {taken}: ")), "{message}");
}

#[test]
fn flags_that_make_no_sense_are_mistakes() {
    let folder = Folder::new();
    let index = text(sample_index());
    for (flags, told) in [
        (&["--http", "nowhere"][..], "--http"),
        (&["--http", "127.0.0.1:0", "--allowed-host", "https://example.com"], "--allowed-host"),
        (&["--http", "127.0.0.1:0", "--allowed-origin", "example.com"], "--allowed-origin"),
        (&["--allowed-host", "example.com"], "--http ADDR"),
        (&["--oauth-issuer", "https://example.com"], "--http ADDR"),
    ] {
        let mut arguments = vec!["mcp", "--index", &index];
        arguments.extend(flags);
        let message = folder.run(&arguments).refuses();
        assert!(message.contains(told), "{flags:?}: {message}");
    }
}
