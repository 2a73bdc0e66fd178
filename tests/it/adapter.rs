//! `sextant mcp --service`: the tools, answered by a service elsewhere. Each row
//! of the table of errors is reached against the real one.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use serde_json::json;

use crate::{
    harness::{Folder, STILL_BUILDING, Server, run, sample, text, wait_for},
    served::{KEY, NEXT_SDL, SDL, Service, made, token},
};

const EXPIRED: &str = "The schema index expired. It is being rebuilt. Retry in a few seconds.";
const NOT_READY: &str = "The schema index is not ready. Retry in a few seconds.";
const NOT_CONFIGURED: &str =
    "Schema discovery is not configured correctly. Contact the router operator.";
const UNREACHABLE: &str = "The schema discovery service is unreachable.";

/// An adapter for the graph `people`, given the schema in `people.graphql`.
fn adapter(folder: &Folder, url: &str, flags: &[&str]) -> Server {
    let schema = text(&folder.path("people.graphql"));
    let mut arguments = vec!["mcp", "--service", url, "--graph", "people", "--schema", &schema];
    arguments.extend(flags);
    Server::connect(&mut folder.command(&arguments))
}

/// A folder with the schema.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("people.graphql", SDL);
    folder
}

/// The message of a search that must be an error.
#[track_caller]
fn refusal(server: &mut Server) -> String {
    server.call_once("search_schema", &json!({ "query": "mood" })).fails()
}

/// Asks until the adapter's answer is this one; every other one must be an error
/// that says to ask again.
#[track_caller]
fn comes_to_say(server: &mut Server, message: &str) {
    wait_for(message, || {
        let answer = server.call_once("search_schema", &json!({ "query": "mood" }));
        answer.is_error && answer.text == message
    });
}

/// Asks until there is an answer.
#[track_caller]
fn comes_to_answer(server: &mut Server) {
    wait_for("an answer", || {
        !server.call_once("search_schema", &json!({ "query": "mood" })).is_error
    });
}

#[test]
fn the_tools_answer_as_in_one_process() {
    let folder = folder();
    let service = Service::ready(&folder, &[]);
    let endpoint = "http://localhost:3002/graphql?key=1&more=2";
    let mut remote = adapter(&folder, &service.url, &["--endpoint", endpoint]);
    comes_to_answer(&mut remote);
    let schema = text(&folder.path("people.graphql"));
    let local = ["mcp", "--schema", &schema, "--cache-dir", "cache", "--endpoint", endpoint];
    let mut local = Server::connect(&mut folder.command(&local));
    for (tool, arguments) in [
        ("search_schema", json!({ "query": "how somebody feels", "kinds": ["field"], "limit": 3 })),
        ("search_schema", json!({ "query": "mood", "limit": 0 })),
        ("search_schema", json!({ "quest": "mood" })),
        ("get_symbols", json!({ "coordinates": ["enum:Mood", "object:Nobody"] })),
        ("get_symbols", json!({ "coordinates": [] })),
        ("generate_query", json!({ "prompt": "the mood of an employee" })),
        ("generate_query", json!({ "prompt": "hello there" })),
    ] {
        let (here, there) = (local.call(tool, arguments.clone()), remote.call(tool, arguments));
        assert_eq!((here.is_error, here.text), (there.is_error, there.text), "{tool}");
    }
}

#[test]
fn a_schema_is_uploaded_at_the_start_and_on_every_change() {
    let folder = folder();
    let service = Service::ready(&folder, &[]);
    let mut server = adapter(&folder, &service.url, &[]);
    comes_to_answer(&mut server);
    assert!(server.knows("field:Employee.mood"));
    folder.write("people.graphql", NEXT_SDL);
    server.learns("field:Employee.desk", "field:Employee.mood");
    // What the service has is not uploaded again.
    let mut second = adapter(&folder, &service.url, &[]);
    assert!(second.knows("field:Employee.desk"));
    let (_, log) = second.leave();
    assert!(!log.contains("the schema is uploaded"), "{log}");
    assert_eq!(server.leave().1.matches("the schema is uploaded").count(), 2);
}

#[test]
fn still_building() {
    let folder = folder();
    let sdl = fs::read(sample()).expect("the sample is there");
    folder.write("people.graphql", sdl);
    let service = Service::of(&folder, &[]);
    let mut server = adapter(&folder, &service.url, &[]);
    comes_to_say(&mut server, STILL_BUILDING);
    comes_to_answer(&mut server);
}

#[test]
fn expired_and_being_rebuilt() {
    let folder = folder();
    let service = Service::ready(&folder, &[]);
    service.serves("people", SDL);
    service.kill();
    // Expires at once, and with the next start is what it was.
    let service = Service::ready(&folder, &["--index-ttl", "1ms"]);
    wait_for("the index to expire", || service.get("/v1/graphs").text.contains("expired"));
    service.kill();
    let service = Service::ready(&folder, &[]);
    // An adapter that cannot read its schema yet uploads nothing of its own accord.
    folder.write("people.graphql", "");
    let mut server = adapter(&folder, &service.url, &[]);
    server.logs("the schema cannot be read");
    assert!(refusal(&mut server).starts_with("The schema index cannot serve. "));
    folder.write("people.graphql", SDL);
    comes_to_answer(&mut server);

    // It would upload the schema too.
    server.leave();
    let mut server = adapter(&folder, &service.url, &[]);
    server.logs("the service has the schema");
    comes_to_answer(&mut server);
    let address = service.url.trim_start_matches("http://").to_owned();
    service.kill();
    let restart = |ttl: &str| {
        let flags = ["serve", "--data", "data", "--listen", &address, "--index-ttl", ttl];
        Service::start(&mut folder.command(&flags))
    };
    let service = restart("1ms");
    wait_for("the index to expire", || service.get("/v1/graphs").text.contains("expired"));
    service.kill();
    let service = restart("7d");
    service.is_ready();
    assert_eq!(refusal(&mut server), EXPIRED);
    comes_to_answer(&mut server);
    assert_eq!(server.leave().1.matches("the schema is uploaded").count(), 1);
}

#[test]
fn not_ready() {
    let folder = folder();
    let service = Service::ready(&folder, &["--max-requests", "1", "--request-timeout", "30s"]);
    let mut server = adapter(&folder, &service.url, &[]);
    comes_to_answer(&mut server);
    // The one request that the service takes on is in flight and stays there.
    // One that comes while the adapter asks is turned away, so there may be several.
    let mut stalled = Vec::new();
    wait_for("a request to be turned away", || {
        stalled.push(service.stalled_upload(""));
        let answer = server.call_once("search_schema", &json!({ "query": "mood" }));
        answer.is_error && answer.text == NOT_READY
    });
    drop(stalled);
    comes_to_answer(&mut server);
}

#[test]
fn not_configured_correctly() {
    let folder = folder();
    let keys = folder.write("keys", KEY);
    let service = Service::ready(&folder, &["--token-key-file", &keys]);
    let good = token(&folder, &["--graph", "people", "--scope", "write"]);
    let file = folder.write("token", &good);
    let mut server = adapter(&folder, &service.url, &["--token-file", &file]);
    comes_to_answer(&mut server);

    let forger = folder.write("forger", "a-key-of-nobody-that-is-long-enough");
    let mut tokens = vec![good];
    for (keys, graph, ttl) in
        [(&keys, "people", "0s"), (&keys, "other", "1d"), (&forger, "people", "1d")]
    {
        let flags = ["token", "--token-key-file", keys, "--graph", graph, "--ttl", ttl];
        let bad = made(folder.run(&flags));
        folder.write("token", &bad);
        tokens.push(bad);
        assert_eq!(refusal(&mut server), NOT_CONFIGURED);
    }
    for nonsense in ["", "no token", "\u{1}"] {
        folder.write("token", nonsense);
        assert_eq!(refusal(&mut server), NOT_CONFIGURED);
    }
    fs::remove_file(&file).expect("the file goes");
    assert_eq!(refusal(&mut server), NOT_CONFIGURED);
    folder.write("token", &tokens[0]);
    comes_to_answer(&mut server);

    let mut without = adapter(&folder, &service.url, &[]);
    assert_eq!(refusal(&mut without), NOT_CONFIGURED);
    // The log says more, and no secret.
    let (_, log) = server.leave();
    assert!(log.contains("the service refuses") && log.contains("cannot read a token"), "{log}");
    let written = log + &without.leave().1 + &service.kill();
    for secret in tokens.iter().filter_map(|token| token.rsplit('.').next()).chain([KEY]) {
        assert!(!written.contains(secret), "a secret was logged");
    }
}

#[test]
fn a_token_for_reading_asks_what_another_uploaded() {
    let folder = folder();
    let keys = folder.write("keys", KEY);
    let service = Service::ready(&folder, &["--token-key-file", &keys]);
    let write = folder.write("write", token(&folder, &["--graph", "people", "--scope", "write"]));
    let read = folder.write("read", token(&folder, &["--graph", "people"]));
    let mut reader = adapter(&folder, &service.url, &["--token-file", &read]);
    comes_to_say(&mut reader, NOT_CONFIGURED);
    let mut writer = adapter(&folder, &service.url, &["--token-file", &write]);
    comes_to_answer(&mut writer);
    comes_to_answer(&mut reader);
}

#[test]
fn not_valid() {
    let folder = folder();
    let service = Service::ready(&folder, &[]);
    let mut server = adapter(&folder, &service.url, &[]);
    comes_to_answer(&mut server);
    for (tool, arguments) in [
        ("search_schema", json!({ "query": "" })),
        ("search_schema", json!({ "query": ["mood"] })),
        ("search_schema", json!({ "query": "mood", "limit": -1 })),
        ("get_symbols", json!({ "coordinates": vec!["enum:Mood"; 1001] })),
        ("generate_query", json!({ "prompt": "query { employee { mood }" })),
    ] {
        let message = server.call_once(tool, &arguments).fails();
        assert!(message.starts_with("The request is not valid. "), "{message}");
    }
}

#[test]
fn unreachable() {
    let folder = folder();
    let service = Service::ready(&folder, &[]);
    let mut server = adapter(&folder, &service.url, &[]);
    comes_to_answer(&mut server);
    let address = service.url.trim_start_matches("http://").to_owned();
    service.kill();
    assert_eq!(refusal(&mut server), UNREACHABLE);
    // Back at its place, the service is asked as before.
    let flags = ["serve", "--data", "data", "--listen", &address];
    let _service = Service::start(&mut folder.command(&flags));
    comes_to_answer(&mut server);
}

#[test]
fn what_is_no_service_is_unreachable() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it has an address"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection comes");
            let _ = stream.read(&mut [0; 4096]);
            // A page that some proxy may send; the client may be gone by now.
            let page =
                "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\nConnection: close\r\n\r\n<html";
            let _ = stream.write_all(page.as_bytes());
        }
    });
    let mut server = adapter(&folder, &url, &[]);
    assert_eq!(refusal(&mut server), UNREACHABLE);
}

#[test]
fn a_schema_that_cannot_be_indexed_is_explained() {
    let folder = folder();
    folder.write("people.graphql", "type Query { mood: Mood }");
    let service = Service::ready(&folder, &[]);
    let mut server = adapter(&folder, &service.url, &[]);
    server.logs("the schema cannot be read");
    let message = refusal(&mut server);
    assert!(message.contains("refers to 1 missing type"), "{message}");
    folder.write("people.graphql", SDL);
    comes_to_answer(&mut server);
}

#[test]
fn a_service_that_comes_later_is_given_the_schema() {
    let folder = folder();
    let port = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = port.local_addr().expect("it has an address").to_string();
    drop(port);
    let mut server = adapter(&folder, &format!("http://{address}"), &[]);
    assert_eq!(refusal(&mut server), UNREACHABLE);
    let flags = ["serve", "--data", "data", "--listen", &address];
    let _service = Service::start(&mut folder.command(&flags));
    comes_to_answer(&mut server);
}

#[test]
fn tls_is_trusted_by_its_authority() {
    let folder = folder();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let cert = folder.write("tls.crt", made.cert.pem());
    let key = folder.write("tls.key", made.signing_key.serialize_pem());
    let service = Service::of(&folder, &["--tls-cert", &cert, "--tls-key", &key]);
    let mut server = adapter(&folder, &service.url, &["--service-ca", &cert]);
    comes_to_answer(&mut server);
    let mut stranger = adapter(&folder, &service.url, &[]);
    assert_eq!(refusal(&mut stranger), UNREACHABLE);
}

#[test]
fn what_cannot_be_asked_is_refused_at_the_start() {
    let folder = folder();
    let mcp = |flags: &[&str]| {
        let arguments: Vec<&str> = ["mcp"].into_iter().chain(flags.iter().copied()).collect();
        run(&mut folder.command(&arguments))
    };
    let url = "http://localhost:1";
    let schema = ["--schema", "people.graphql"];
    let with = |flags: &[&'static str]| [&schema[..], flags].concat();
    assert!(mcp(&with(&["--service", url])).refuses().contains("--graph NAME"));
    assert!(mcp(&["--service", url, "--graph", "a"]).refuses().contains("--schema SOURCE"));
    let stdin = ["--service", url, "--graph", "a", "--schema", "-"];
    assert!(mcp(&stdin).refuses().contains("standard input carries MCP"));
    let index = ["--service", url, "--graph", "a", "--index", "a.sqlite"];
    assert!(mcp(&index).refuses().contains("not --index"));
    assert!(
        mcp(&with(&["--service", url, "--graph", "A b"])).refuses().contains("lower-case letters")
    );
    let secret = "http://me:s3cret@localhost";
    let message = mcp(&with(&["--service", secret, "--graph", "a"])).refuses();
    assert!(message.contains("--token-file") && !message.contains("s3cret"), "{message}");
    let tls = "https://localhost:1";
    let message = mcp(&with(&["--service", tls, "--graph", "a", "--service-ca", "no.pem"])).fails();
    assert!(message.contains("cannot read certificates from `no.pem`"), "{message}");
}
