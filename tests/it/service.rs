//! `sextant serve`: graphs that come, change, expire and go, over HTTP.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    process::Command,
    thread,
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::{
    harness::{Folder, run, sample, sqlite, text, wait_for},
    served::{KEY, NEXT_SDL, SDL, Service, command, made, token},
};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn indexes(folder: &Folder, graph: &str) -> Vec<String> {
    let mut files = folder.list(&format!("data/{graph}"));
    files.retain(|file| file.ends_with(".sqlite"));
    files
}

#[test]
fn a_graph_is_uploaded_asked_and_deleted() {
    let folder = Folder::new();
    let service = Service::of(&folder, &[]);
    assert_eq!(service.get("/healthz").status, 200);
    let reply = service.put("people", SDL);
    assert_eq!(reply.status, 202, "{reply:?}");
    let taken = reply.succeeds();
    assert_eq!((&taken["graph"], &taken["state"]), (&json!("people"), &json!("building")));
    let hash = taken["schemaHash"].clone();
    let ready = service.settles("people");
    assert_eq!(ready["schemaHash"], hash);
    assert_eq!(ready.get("servingHash"), None, "the latest one answers");

    assert_eq!(service.finds("people", "how somebody feels")[0], "field:Employee.mood");
    let asked = json!({ "coordinates": ["enum:Mood", "enum:Nothing"] });
    let symbols = service.ask("people", "symbols", &asked).succeeds();
    assert_eq!(symbols["symbols"].as_array().map(Vec::len), Some(1));
    assert_eq!(symbols["symbols"][0]["record"]["Coordinate"], "enum:Mood");
    let prompt = json!({ "prompt": "an employee with the mood" });
    let path = "generate?endpoint=http://localhost:3002/graphql";
    let generated = service.ask("people", path, &prompt).succeeds();
    assert_eq!(generated["queries"][0]["operationType"], "query");
    assert_eq!(generated["guidance"]["endpoint"], "http://localhost:3002/graphql");

    let again = service.put("people", &SDL.replace('\n', "\n\n"));
    assert_eq!(again.status, 200, "white space makes no other schema: {again:?}");
    assert_eq!(service.get("/v1/graphs").succeeds(), json!({ "graphs": [ready] }));
    assert_eq!(service.send("DELETE", "/v1/graphs/people", &[], b"").status, 204);
    service.get("/v1/graphs/people").fails(404, "graph_unknown");
    let detail =
        service.ask("people", "search", &json!({ "query": "mood" })).fails(404, "graph_unknown");
    assert!(detail.contains("PUT /v1/graphs/people/schema"), "{detail}");
    assert_eq!(folder.list("data"), [".lock"]);
}

#[test]
fn the_answers_are_those_of_the_command_line() {
    let folder = Folder::new();
    let service = Service::of(&folder, &[]);
    let sdl = fs::read(sample()).expect("the sample is there");
    let headers = [("content-encoding", "gzip")];
    let reply = service.send("PUT", "/v1/graphs/sample/schema", &headers, &gzip(&sdl));
    assert_eq!(reply.status, 202, "{reply:?}");
    service.settles("sample");
    let index = text(crate::harness::sample_index());
    for (tool, request, arguments) in [
        ("search", json!({ "query": "pending time off" }), ["search", "pending time off"]),
        ("symbols", json!({ "coordinates": ["enum:Mood"] }), ["get", "enum:Mood"]),
        (
            "generate",
            json!({ "prompt": "employees with their moods" }),
            ["generate", "employees with their moods"],
        ),
    ] {
        let flags = [arguments[0], arguments[1], "--json", "--index", &index];
        let printed: Value = serde_json::from_str(&folder.run(&flags).succeeds()).expect("JSON");
        assert_eq!(service.ask("sample", tool, &request).succeeds(), printed, "{tool}");
    }
}

#[test]
fn an_old_index_serves_until_the_new_one_is_built() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    let old = service.serves("people", SDL)["schemaHash"].clone();
    let sdl = fs::read_to_string(sample()).expect("the sample is there");
    let taken = service.put("people", &sdl).succeeds();
    assert_eq!((&taken["state"], &taken["servingHash"]), (&json!("ready"), &old));
    assert_eq!(taken["building"], true);
    // Meanwhile there is always an answer, and it is of the one or the other.
    let mut answers = 0;
    wait_for("the new index", || {
        assert!(!service.finds("people", "mood").is_empty());
        answers += 1;
        service.status("people").get("servingHash").is_none()
    });
    assert!(answers > 1, "the old one never answered");
    assert!(service.finds("people", "time off").contains(&"field:Query.pendingTimeOff".to_owned()));
    // The way back is not built, and one that is waiting is given up for it.
    service.put("people", SDL).succeeds();
    assert_eq!(service.settles("people")["schemaHash"], old);
}

#[test]
fn many_uploads_of_one_schema_are_one_build() {
    let folder = Folder::new();
    let service = Service::of(&folder, &[]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let reply = service.put("people", SDL);
                assert!(matches!(reply.status, 200 | 202), "{reply:?}");
            });
        }
    });
    service.settles("people");
    assert_eq!(service.log().matches("the index is ready").count(), 1, "{}", service.log());
    let left = folder.list("data/people");
    assert_eq!(left.len(), 2, "an index, the ledger, and nothing else: {left:?}");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &["--max-schema-bytes", "2000"]);
    service.serves("people", SDL);
    let detail = service.put("people", "type Query {").fails(422, "schema_not_valid");
    assert!(detail.contains("syntax error at line 1"), "{detail}");
    service.put("people", "").fails(422, "schema_not_valid");
    let upload = |headers: &[(&str, &str)], body: &[u8]| {
        service.send("PUT", "/v1/graphs/people/schema", headers, body)
    };
    upload(&[], b"type Query { a: Int } # \xff").fails(422, "schema_not_valid");
    upload(&[("content-encoding", "gzip")], b"no gzip").fails(400, "request_not_valid");
    upload(&[("content-encoding", "br")], b"").fails(415, "media_type");
    upload(&[], &[b'#'; 2001]).fails(413, "too_large");
    let bomb = gzip(&vec![b'#'; 1_000_000]);
    assert!(bomb.len() < 2000, "small as it comes");
    upload(&[("content-encoding", "gzip")], &bomb[..]).fails(413, "too_large");
    assert!(service.finds("people", "mood").contains(&"enum:Mood".to_owned()), "nothing changed");

    let detail = service.ask("people", "search", &json!({})).fails(400, "request_not_valid");
    assert!(detail.contains("query"), "{detail}");
    let limit = json!({ "query": "mood", "limit": 0 });
    let detail = service.ask("people", "search", &limit).fails(400, "request_not_valid");
    assert!(detail.contains("from 1 to 200"), "{detail}");
    let detail = service
        .ask("people", "generate", &json!({ "prompt": "hello" }))
        .fails(400, "request_not_valid");
    assert!(detail.contains("asks for no data"), "{detail}");
    service
        .ask("people", "generate?endpoint=ftp://a", &json!({ "prompt": "moods" }))
        .fails(400, "request_not_valid");
    let json = [("content-type", "application/json")];
    let post = |body: &[u8]| service.send("POST", "/v1/graphs/people/search", &json, body);
    post(b"{").fails(400, "request_not_valid");
    post("[".repeat(100_000).as_bytes()).fails(400, "request_not_valid");
    post(&vec![b' '; (1 << 20) + 1]).fails(413, "too_large");
    service.send("POST", "/v1/graphs/people/search", &[], b"{}").fails(415, "media_type");
    for name in ["..%2fdata", "People", "%00", "a%20b", ".lock"] {
        service.put(name, SDL).fails(400, "request_not_valid");
    }
    service.get("/v2").fails(404, "not_found");
    service.send("PATCH", "/v1/graphs/people", &[], b"").fails(405, "method_not_allowed");
}

#[test]
fn a_token_is_for_its_graph_its_scope_and_its_time() {
    let folder = Folder::new();
    let keys = folder.write("keys", KEY);
    let service = Service::ready(&folder, &["--token-key-file", &keys, "--log", "debug"]);
    let write = token(&folder, &["--graph", "people", "--scope", "write"]);
    let read = token(&folder, &["--graph", "people", "--ttl", "1h"]);
    let other = token(&folder, &["--graph", "other", "--scope", "write"]);
    let every = token(&folder, &["--graph", "*", "--scope", "write"]);
    let expired = token(&folder, &["--graph", "people", "--ttl", "0s"]);
    let other_keys = folder.write("other-keys", "another-key-of-at-least-32-letters");
    let forged = made(folder.run(&["token", "--token-key-file", &other_keys, "--graph", "people"]));
    let send = |method: &str, path: &str, token: &str, body: &str| {
        let authorization = format!("Bearer {token}");
        let headers =
            [("authorization", authorization.as_str()), ("content-type", "application/json")];
        service.send(method, path, &headers, body.as_bytes())
    };
    assert_eq!(send("PUT", "/v1/graphs/people/schema", &write, SDL).status, 202);
    assert_eq!(send("PUT", "/v1/graphs/other/schema", &every, SDL).status, 202);
    wait_for("the graph to be built", || {
        send("GET", "/v1/graphs/people", &read, "").succeeds()["state"] == "ready"
    });
    let search = json!({ "query": "mood" }).to_string();
    assert_eq!(send("POST", "/v1/graphs/people/search", &read, &search).status, 200);
    send("PUT", "/v1/graphs/people/schema", &read, SDL).fails(403, "scope_too_small");
    send("DELETE", "/v1/graphs/people", &read, "").fails(403, "scope_too_small");

    // To the caller all are one; the log tells them apart.
    let missing = service.ask("people", "search", &json!({ "query": "mood" }));
    let mut refused = vec![missing];
    for token in [&other, &expired, &forged] {
        refused.push(send("POST", "/v1/graphs/people/search", token, &search));
    }
    for reply in &refused {
        reply.fails(401, "token_refused");
        assert_eq!(reply.text, refused[0].text);
        assert_eq!(reply.challenge.as_deref(), Some("Bearer realm=\"sextant\""));
    }
    for reason in
        ["the token is missing", "for another graph", "the token expired", "the token is wrong"]
    {
        wait_for(reason, || service.log().contains(reason));
    }
    // Whether a graph exists is told to those alone who may know.
    send("GET", "/v1/graphs/nothing", &read, "").fails(401, "token_refused");
    service.get("/v1/graphs").fails(401, "token_refused");
    let names = |token: &str| {
        let graphs = send("GET", "/v1/graphs", token, "").succeeds()["graphs"].clone();
        let names = graphs.as_array().expect("a list").iter().map(|it| it["graph"].to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&read), ["\"people\""]);
    assert_eq!(names(&every), ["\"other\"", "\"people\""]);
    for open in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        let reply = service.get(open);
        assert_eq!(reply.status, 200);
        assert!(!reply.text.contains("people"), "{open} names a graph");
    }
    // Nothing that was written anywhere holds a secret.
    service.terminate();
    let (code, log) = service.ends();
    assert_eq!(code, Some(0));
    let mut written = log.into_bytes();
    for entry in walk(&folder.path("data")) {
        written.extend(fs::read(entry).expect("what is there can be read"));
    }
    let signature = |token: &str| token.rsplit('.').next().map(str::to_owned).unwrap_or_default();
    let mut secrets = vec![KEY.to_owned(), "another-key-of-at-least-32-letters".to_owned()];
    secrets.extend([&write, &read, &other, &every, &expired, &forged].map(|it| signature(it)));
    let written = String::from_utf8_lossy(&written);
    for secret in secrets {
        assert!(!written.contains(&secret), "a secret was written down");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    entries
        .map(|entry| entry.expect("an entry can be read").path())
        .flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] })
        .collect()
}

#[test]
fn keys_are_rotated() {
    let folder = Folder::new();
    let old = token(&folder, &["--graph", "*"]);
    let new_key = "new-key-of-the-tests-0123456789abcdef";
    let keys = folder.write("rotated", format!("# the new one signs\n{new_key}\n{KEY}\n"));
    let new = made(folder.run(&["token", "--token-key-file", &keys, "--graph", "*"]));
    let service = Service::start(
        command(&folder, &[]).env("SEXTANT_TOKEN_KEYS", format!("{new_key}\n{KEY}")),
    );
    for token in [&old, &new] {
        let authorization = format!("Bearer {token}");
        let reply = service.send("GET", "/v1/graphs", &[("authorization", &authorization)], b"");
        assert_eq!(reply.status, 200, "{reply:?}");
    }
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let folder = Folder::new();
    let serve = |flags: &[&str]| run(&mut command(&folder, flags));
    let message =
        run(&mut folder.command(&["serve", "--data", "data", "--listen", "0.0.0.0:0"])).refuses();
    assert!(
        message.contains("without tokens") && message.contains("--allow-anonymous"),
        "{message}"
    );
    let short = folder.write("short", "too-short-a-secret");
    let message = serve(&["--token-key-file", &short]).refuses();
    assert!(
        message.contains("openssl rand") && !message.contains("too-short-a-secret"),
        "{message}"
    );
    let message = serve(&["--token-key-file", "nowhere"]).refuses();
    assert!(message.contains("cannot read the token keys in `nowhere`"), "{message}");
    assert!(serve(&["--max-requests", "0"]).refuses().contains("--max-requests is 0"));
    assert!(serve(&["--tls-cert", "cert.pem"]).refuses().contains("--tls-key"));
    let message = serve(&["--tls-cert", "no.pem", "--tls-key", "no.key"]).fails();
    assert!(
        message.starts_with("cannot use the certificate `no.pem` with the key `no.key`"),
        "{message}"
    );
    let message = run(&mut folder.command(&["token", "--graph", "a"])).refuses();
    assert!(message.contains("no key to sign"), "{message}");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    let message =
        run(&mut folder.command(&["serve", "--data", "data", "--listen", &address])).fails();
    assert!(message.starts_with(&format!("cannot listen on {address}: ")), "{message}");
    let _service = Service::of(&folder, &[]);
    assert!(serve(&[]).fails().contains("another service keeps its graphs in `data`"));
}

#[test]
fn each_limit_is_a_problem_of_its_own() {
    let folder = Folder::new();
    let flags = ["--max-graphs", "2", "--max-requests", "1", "--request-timeout", "3s"];
    let service = Service::ready(&folder, &flags);
    service.serves("a", SDL);
    service.serves("b", SDL);
    let detail = service.put("c", SDL).fails(409, "too_many_graphs");
    assert!(detail.contains("keeps 2 graphs"), "{detail}");

    let mut stalled = service.stalled_upload("");
    let mut reply = service.get("/v1/graphs");
    wait_for("the stalled upload to count", || {
        reply = service.get("/v1/graphs");
        reply.status != 200
    });
    reply.fails(503, "overloaded");
    assert_eq!(reply.retry_after.as_deref(), Some("1"));
    assert_eq!(service.get("/healthz").status, 200, "who watches over it is not kept out");
    let mut answer = String::new();
    stalled.read_to_string(&mut answer).expect("the service answers and closes");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("\"timed_out\""), "{answer}");
    wait_for("the service to be free again", || service.get("/v1/graphs").status == 200);
}

#[test]
fn the_queue_of_builds_is_bounded() {
    let folder = Folder::new();
    let service = Service::of(&folder, &["--max-queue", "1"]);
    let sdl = fs::read_to_string(sample()).expect("the sample is there");
    // One is built and one waits; or, before the model is loaded, one waits.
    let replies: Vec<_> = ["a", "b", "c"].map(|graph| service.put(graph, &sdl)).into();
    let refused: Vec<_> = replies.iter().filter(|reply| reply.status != 202).collect();
    assert!(!refused.is_empty(), "{replies:?}");
    for reply in refused {
        reply.fails(429, "queue_full");
        assert_eq!(reply.retry_after.as_deref(), Some("10"));
    }
    service.settles("a");
    service.serves("c", SDL);
}

#[test]
fn an_unused_index_expires_and_comes_back() {
    let folder = Folder::new();
    let service = Service::of(&folder, &["--index-ttl", "400ms"]);
    let hash = service.put("people", SDL).succeeds()["schemaHash"].clone();
    let expires = |service: &Service| {
        wait_for("the index to expire", || {
            service.get("/v1/graphs").succeeds()["graphs"][0]["state"] == "expired"
        });
    };
    expires(&service);
    let reply = service.ask("people", "search", &json!({ "query": "mood" }));
    reply.fails(409, "expired");
    assert!(reply.retry_after.is_some());
    assert_eq!(indexes(&folder, "people"), [""; 0], "its file is dropped");
    assert_eq!(service.status("people")["schemaHash"], hash);
    service.kill();

    let service = Service::ready(&folder, &[]);
    assert_eq!(service.status("people")["state"], "expired", "a restart changes nothing");
    assert_eq!(service.put("people", SDL).succeeds()["state"], "building");
    service.settles("people");
}

#[test]
fn states_survive_a_kill() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    let ready = service.serves("people", SDL);
    let sdl = fs::read_to_string(sample()).expect("the sample is there");
    let taken = service.put("sample", &sdl).succeeds();
    service.put("people", NEXT_SDL).succeeds();
    service.kill();
    // As a kill in the middle of writing would leave them.
    folder.write("data/people/.left.sqlite.building", "half a file");
    folder.write("data/people/graph.json.unfinished", "{");

    let service = Service::of(&folder, &[]);
    wait_for("both graphs to be built", || {
        let (people, sample) = (service.status("people"), service.status("sample"));
        // From the first moment the old one answers, or says that it is about to.
        assert!(people["state"] == "ready" || people["state"] == "unready", "{people}");
        assert!(sample["state"] == "building" || sample["state"] == "ready", "{sample}");
        people["building"] == false && sample["building"] == false
    });
    assert_eq!(service.status("sample")["schemaHash"], taken["schemaHash"]);
    assert_ne!(service.status("people")["schemaHash"], ready["schemaHash"]);
    assert!(
        service.finds("people", "where somebody sits").contains(&"field:Employee.desk".to_owned())
    );
    let left = folder.list("data/people");
    assert!(
        left.iter().all(|file| file == "graph.json" || file.ends_with("v1.sqlite")),
        "{left:?}"
    );
}

#[test]
fn a_build_that_fails_says_why_and_may_be_tried_again() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    service.serves("model", SDL);
    let file = indexes(&folder, "model").remove(0);
    // A folder in the place of the index file cannot be replaced.
    let obstacle = format!("data/people/{file}/obstacle");
    folder.write(&obstacle, "");
    service.put("people", SDL).succeeds();
    wait_for("the build to fail", || service.status("people")["state"] == "failed");
    let reason = service.status("people")["reason"].clone();
    assert!(reason.as_str().is_some_and(|it| it.contains("it is a folder")), "{reason}");
    service.ask("people", "search", &json!({ "query": "mood" })).fails(409, "failed");
    service.kill();
    let service = Service::ready(&folder, &[]);
    assert_eq!(service.status("people")["reason"], reason, "a restart changes nothing");
    fs::remove_dir_all(folder.path(&format!("data/people/{file}"))).expect("the obstacle goes");
    service.serves("people", SDL);
    assert_eq!(service.status("people").get("reason"), None);
}

#[test]
fn a_damaged_index_is_asked_for_again() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    service.serves("people", SDL);
    service.kill();
    let file = format!("data/people/{}", indexes(&folder, "people")[0]);
    let bytes = folder.read(&file);
    folder.write(&file, &bytes[..bytes.len() / 2]);
    let service = Service::ready(&folder, &[]);
    assert_eq!(service.status("people")["state"], "expired");
    service.serves("people", SDL);
    assert!(service.finds("people", "mood").contains(&"enum:Mood".to_owned()));
}

#[test]
fn a_stop_lets_requests_end_within_the_grace() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &["--grace", "500ms"]);
    let _stalled = service.stalled_upload("");
    wait_for("the upload to be in flight", || service.get("/healthz").status == 200);
    service.terminate();
    let (code, log) = service.ends();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("requests in flight have 500ms"), "{log}");
}

#[test]
fn metrics_count_what_happens() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    service.serves("people", SDL);
    for _ in 0..3 {
        service.finds("people", "mood");
    }
    service.get("/nowhere").fails(404, "not_found");
    let reply = service.get("/metrics");
    assert!(reply.media_type.starts_with("application/openmetrics-text"), "{}", reply.media_type);
    for line in [
        "sextant_requests_total{route=\"/v1/graphs/{graph}/search\",method=\"POST\",status=\"200\"} 3",
        "sextant_requests_total{route=\"none\",method=\"GET\",status=\"404\"} 1",
        "sextant_request_duration_seconds_count{route=\"/v1/graphs/{graph}/search\"} 3",
        "sextant_builds_total{outcome=\"ready\"} 1",
        "sextant_build_duration_seconds_count 1",
        "sextant_searches_total{outcome=\"computed\"} 1",
        "sextant_searches_total{outcome=\"remembered\"} 2",
        "sextant_graphs{state=\"ready\"} 1",
        "sextant_graphs{state=\"building\"} 0",
        "sextant_builds_queued 0",
    ] {
        assert!(reply.text.lines().any(|it| it == line), "{line} is not in\n{}", reply.text);
    }
}

#[test]
fn the_description_fits_what_is_answered() {
    let folder = Folder::new();
    let service = Service::ready(&folder, &[]);
    let document = service.get("/openapi.json").succeeds();
    service.serves("people", SDL);
    let conforms = |pointer: &str, answer: &Value| {
        let schema = document.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        let mut schema = schema.clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("a schema is a schema");
        let errors: Vec<_> = validator.iter_errors(answer).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{pointer}: {errors:?} in {answer}");
    };
    let json = "content/application~1json/schema";
    let paths = "/paths/~1v1~1graphs~1{graph}";
    conforms(&format!("{paths}/get/responses/200/{json}"), &service.status("people"));
    conforms(
        &format!("/paths/~1v1~1graphs/get/responses/200/{json}"),
        &service.get("/v1/graphs").succeeds(),
    );
    for (tool, request) in [
        ("search", json!({ "query": "mood" })),
        ("symbols", json!({ "coordinates": ["enum:Mood"] })),
        ("generate", json!({ "prompt": "the mood of an employee" })),
    ] {
        conforms(&format!("{paths}~1{tool}/post/requestBody/{json}"), &request);
        let answer = service.ask("people", tool, &request).succeeds();
        conforms(&format!("{paths}~1{tool}/post/responses/200/{json}"), &answer);
    }
    let problem = service.get("/v1/graphs/nothing");
    let problem = serde_json::from_str(&problem.text).expect("JSON");
    conforms(
        &format!("{paths}/get/responses/404/content/application~1problem+json/schema"),
        &problem,
    );
}

#[test]
fn tls_is_spoken_where_there_is_a_certificate() {
    let folder = Folder::new();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let certificate = made.cert.pem();
    let cert = folder.write("tls.crt", &certificate);
    let key = folder.write("tls.key", made.signing_key.serialize_pem());
    let mut service = Service::of(&folder, &["--tls-cert", &cert, "--tls-key", &key]);
    assert!(service.url.starts_with("https://127.0.0.1:"), "{}", service.url);
    service.trust(&certificate);
    service.serves("people", SDL);
    assert!(service.finds("people", "mood").contains(&"enum:Mood".to_owned()));
}

/// Kills the service at moments that differ each time, under builds and
/// searches, and starts it again. `SEXTANT_TEST_KILLS` says how often.
#[test]
fn nothing_that_was_ready_is_lost_to_a_kill() {
    let rounds =
        std::env::var("SEXTANT_TEST_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(4);
    let folder = Folder::new();
    let schema = |number: u64| {
        let fields: Vec<String> = (0..=number % 23).map(|at| format!("field{at}: Int")).collect();
        let fields = fields.join(" ");
        format!("{SDL} extend type Employee {{ {fields} note{number}: String }}")
    };
    let graphs = ["a", "b", "c"];
    let mut was_ready = [false; 3];
    let mut number = 0;
    for round in 0..rounds {
        let service = Service::ready(&folder, &["--max-queue", "100"]);
        for (graph, was_ready) in graphs.iter().zip(was_ready) {
            let reply = service.get(&format!("/v1/graphs/{graph}"));
            if reply.status == 404 {
                assert!(!was_ready, "round {round}: {graph} is gone");
                continue;
            }
            let status = reply.succeeds();
            let state = status["state"].as_str().expect("a state");
            if was_ready {
                assert_eq!(state, "ready", "round {round}: {status}");
                assert!(!service.finds(graph, "how somebody feels").is_empty());
            } else {
                assert!(state == "ready" || state == "building", "round {round}: {status}");
            }
        }
        for file in walk(&folder.path("data")) {
            if file.extension().is_some_and(|it| it == "sqlite") {
                assert_eq!(sqlite(&file, "PRAGMA integrity_check"), "ok", "round {round}");
            }
        }
        // The same moments each time, between 0 and 0.6 s.
        let moment = Duration::from_millis(round * 37 % 600);
        let url = &service.url;
        let killed = thread::scope(|scope| {
            for graph in graphs {
                scope.spawn(move || {
                    for at in 0.. {
                        let body = json!({ "query": format!("mood {at}") }).to_string();
                        let sent = ureq::post(format!("{url}/v1/graphs/{graph}/search"))
                            .header("content-type", "application/json")
                            .config()
                            .http_status_as_error(false)
                            .build()
                            .send(body);
                        if sent.is_err() {
                            break;
                        }
                    }
                });
            }
            for graph in graphs {
                number += 1;
                assert_eq!(service.put(graph, &schema(number)).status, 202);
            }
            thread::sleep(moment);
            for (graph, was_ready) in graphs.iter().zip(&mut was_ready) {
                *was_ready |= service.status(graph)["state"] == "ready";
            }
            let pid = service.pid().to_string();
            Command::new("kill").args(["-KILL", &pid]).status()
        });
        assert!(killed.expect("kill is there").success());
    }
}
