//! A running `sextant serve`, and requests to it.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};
use ureq::{Agent, http::Request};

use crate::harness::{Folder, PATIENCE, Run, string, wait_for};

/// A key for tokens, as long as it must be at least.
pub const KEY: &str = "key-for-tests-0123456789abcdef-01";

/// A small schema, and what it becomes next.
pub const SDL: &str = "
    type Query { employee(id: ID!): Employee }
    type Employee {
      \"How the employee feels.\"
      mood: Mood
    }
    enum Mood { HAPPY SAD }";
pub const NEXT_SDL: &str = "
    type Query { employee(id: ID!): Employee }
    type Employee {
      \"How the employee feels.\"
      mood: Mood
      \"Where the employee sits.\"
      desk: Int
    }
    enum Mood { HAPPY SAD }";

pub struct Service {
    child: Child,
    log: Arc<Mutex<String>>,
    pub url: String,
    agent: Agent,
}

impl Service {
    /// Starts a service, and returns once it listens.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service starts");
        let log = Arc::new(Mutex::new(String::new()));
        for mut pipe in [
            Box::new(child.stderr.take().expect("a pipe")) as Box<dyn std::io::Read + Send>,
            Box::new(child.stdout.take().expect("a pipe")),
        ] {
            let written = Arc::clone(&log);
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                    let text = String::from_utf8_lossy(&bytes[..count]);
                    written.lock().expect("no panic while the log is held").push_str(&text);
                }
            });
        }
        let mut service = Self { child, log, url: String::new(), agent: agent(None) };
        wait_for("the service to listen", || {
            let log = service.log();
            let ended = service.child.try_wait().expect("the service can be waited for");
            assert!(ended.is_none(), "the service ended at once: {log}");
            let address = log.lines().find_map(|line| line.split_once("listening on "));
            service.url = address.map_or_else(String::new, |(_, address)| address.to_owned());
            !service.url.is_empty()
        });
        service
    }

    /// Starts a service on the test's own folder, at an address that is free.
    #[track_caller]
    pub fn of(folder: &Folder, flags: &[&str]) -> Self {
        Self::start(&mut command(folder, flags))
    }

    /// As [`Service::of`], and waits until it can be asked.
    #[track_caller]
    pub fn ready(folder: &Folder, flags: &[&str]) -> Self {
        let service = Self::of(folder, flags);
        service.is_ready();
        service
    }

    #[track_caller]
    pub fn is_ready(&self) {
        wait_for("the service to be ready", || self.get("/readyz").status == 200);
    }

    pub fn trust(&mut self, certificate: &str) {
        self.agent = agent(Some(certificate));
    }

    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body).expect("a request can be made");
        let mut response = self.agent.run(request).unwrap_or_else(|error| {
            panic!("{method} {path} gets no answer: {error}; the log:\n{}", self.log())
        });
        let headers = response.headers();
        let header = |name: &str| {
            headers.get(name).map(|value| value.to_str().expect("headers are ASCII").to_owned())
        };
        Reply {
            status: response.status().as_u16(),
            media_type: header("content-type").unwrap_or_default(),
            retry_after: header("retry-after"),
            challenge: header("www-authenticate"),
            text: response.body_mut().read_to_string().expect("an answer is text"),
        }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    #[track_caller]
    pub fn put(&self, graph: &str, sdl: &str) -> Reply {
        self.send("PUT", &format!("/v1/graphs/{graph}/schema"), &[], sdl.as_bytes())
    }

    #[track_caller]
    pub fn ask(&self, graph: &str, tool: &str, request: &Value) -> Reply {
        let json = [("content-type", "application/json")];
        self.send(
            "POST",
            &format!("/v1/graphs/{graph}/{tool}"),
            &json,
            request.to_string().as_bytes(),
        )
    }

    #[track_caller]
    pub fn status(&self, graph: &str) -> Value {
        self.get(&format!("/v1/graphs/{graph}")).succeeds()
    }

    /// Uploads a schema and waits until answers come from it.
    #[track_caller]
    pub fn serves(&self, graph: &str, sdl: &str) -> Value {
        let reply = self.put(graph, sdl);
        assert!(matches!(reply.status, 200 | 202), "{reply:?}");
        self.settles(graph)
    }

    /// Waits until nothing of a graph is being built, and it can be asked.
    #[track_caller]
    pub fn settles(&self, graph: &str) -> Value {
        let mut status = Value::Null;
        wait_for(&format!("{graph} to be built"), || {
            status = self.status(graph);
            assert_ne!(status["state"], "failed", "{status}; the log:\n{}", self.log());
            status["state"] == "ready" && status["building"] == false
        });
        status
    }

    /// The coordinates that a search finds.
    #[track_caller]
    pub fn finds(&self, graph: &str, query: &str) -> Vec<String> {
        let answer = self.ask(graph, "search", &json!({ "query": query })).succeeds();
        let hits = answer["hits"].as_array().expect("`hits` is always present");
        hits.iter().map(|hit| string(&hit["coordinate"])).collect()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> String {
        self.log.lock().expect("no panic while the log is held").clone()
    }

    /// Kills the service as a power failure would.
    pub fn kill(mut self) -> String {
        self.child.kill().expect("the service is killed");
        self.child.wait().expect("the service is gone");
        self.log()
    }

    /// Asks the service to stop.
    pub fn terminate(&self) {
        let pid = self.pid().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.expect("kill is there").success());
    }

    /// Waits for the end of a service that stops; returns its exit code and log.
    #[track_caller]
    pub fn ends(mut self) -> (Option<i32>, String) {
        let mut ended = None;
        wait_for("the service to end", || {
            ended = self.child.try_wait().expect("the service can be waited for");
            ended.is_some()
        });
        (ended.and_then(|status| status.code()), self.log())
    }

    /// A connection that has sent the beginning of an upload and then sends
    /// nothing: a request in flight, for as long as the test likes.
    #[track_caller]
    pub fn stalled_upload(&self, token: &str) -> TcpStream {
        let address = self.url.strip_prefix("http://").expect("a plain service");
        let mut stream = TcpStream::connect(address).expect("the service listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        write!(
            stream,
            "PUT /v1/graphs/stalled/schema HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Length: 1000\r\n\r\ntype Query"
        )
        .expect("the service reads");
        stream
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A test that failed may leave its service running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn command(folder: &Folder, flags: &[&str]) -> Command {
    let mut arguments = vec!["serve", "--data", "data", "--listen", "127.0.0.1:0"];
    arguments.extend(flags);
    folder.command(&arguments)
}

/// A token of the tests' key, which is written to `keys`.
pub fn token(folder: &Folder, flags: &[&str]) -> String {
    let keys = folder.write("keys", KEY);
    let mut arguments = vec!["token", "--token-key-file", &keys];
    arguments.extend(flags);
    made(folder.run(&arguments))
}

#[track_caller]
pub fn made(run: Run) -> String {
    run.succeeds().trim().to_owned()
}

fn agent(certificate: Option<&str>) -> Agent {
    let mut config =
        Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
    if let Some(pem) = certificate {
        let certificate = ureq::tls::Certificate::from_pem(pem.as_bytes()).expect("a certificate");
        let roots = ureq::tls::RootCerts::new_with_certs(&[certificate]);
        config = config.tls_config(ureq::tls::TlsConfig::builder().root_certs(roots).build());
    }
    config.build().into()
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub media_type: String,
    pub retry_after: Option<String>,
    pub challenge: Option<String>,
    pub text: String,
}

impl Reply {
    #[track_caller]
    pub fn succeeds(self) -> Value {
        assert!(matches!(self.status, 200 | 202), "{self:?}");
        assert_eq!(self.media_type, "application/json");
        serde_json::from_str(&self.text).expect("an answer is JSON")
    }

    /// The detail of a problem document with this status and code.
    #[track_caller]
    pub fn fails(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.media_type, "application/problem+json", "{self:?}");
        let problem: Value = serde_json::from_str(&self.text).expect("a problem is JSON");
        assert_eq!(problem["code"], code, "{self:?}");
        assert_eq!(problem["status"], status, "{self:?}");
        assert_eq!(problem["type"], format!("urn:sextant:problem:{code}"), "{self:?}");
        assert!(problem["title"].is_string(), "{self:?}");
        string(&problem["detail"])
    }
}
