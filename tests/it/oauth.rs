//! Tokens over HTTP: an issuer made by the test, and every way in which a token
//! can be wrong.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
    routing::get,
};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};

use crate::{
    harness::{Folder, PATIENCE, sample_index, text, wait_for},
    http::{HttpServer, Reply, WITHOUT_MODEL},
};

const AUDIENCE: &str = "https://mcp.example.com/mcp";
const METADATA: &str = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const SCOPES: [&str; 6] = [
    "--oauth-scope-initialize",
    "mcp:connect",
    "--oauth-scope-tools-list",
    "mcp:list",
    "--oauth-scope-tools-call",
    "mcp:call mcp:read",
];

/// An authorization server, as far as a resource server sees one.
struct Issuer {
    url: String,
    behaviour: Arc<Mutex<Behaviour>>,
}

struct Behaviour {
    answer: Answer,
    asked: usize,
}

#[derive(Clone)]
enum Answer {
    Keys(Vec<Value>),
    Text(String),
    Refuses,
    Redirects,
    Hangs,
}

impl Issuer {
    fn start(keys: &[&Signer]) -> Self {
        let answer = Answer::Keys(keys.iter().map(|key| key.public()).collect());
        let behaviour = Arc::new(Mutex::new(Behaviour { answer, asked: 0 }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("the listener can be polled");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let router =
            Router::new().route("/jwks", get(keys_of_issuer)).with_state(Arc::clone(&behaviour));
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be made").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it is polled");
                axum::serve(listener, router).await.expect("the issuer goes on");
            });
        });
        Self { url, behaviour }
    }

    fn answers(&self, answer: Answer) {
        self.behaviour.lock().unwrap_or_else(PoisonError::into_inner).answer = answer;
    }

    fn asked(&self) -> usize {
        self.behaviour.lock().unwrap_or_else(PoisonError::into_inner).asked
    }

    /// A resource server that trusts this issuer, and logs all it can.
    fn guards(&self, folder: &Folder, flags: &[&str]) -> HttpServer {
        let jwks_url = format!("{}/jwks", self.url);
        let mut all = vec!["--log", "trace", "--oauth-issuer", &self.url];
        all.extend(["--oauth-jwks-url", &jwks_url, "--oauth-audience", AUDIENCE]);
        all.extend(flags.iter().chain(&WITHOUT_MODEL));
        HttpServer::start(folder, &all)
    }

    /// The claims of a token that is right in every way.
    fn claims(&self, scope: &str) -> Value {
        json!({
            "iss": self.url, "aud": AUDIENCE, "sub": "somebody", "exp": now() + 600, "nbf": now() - 10,
            "scope": scope,
        })
    }
}

async fn keys_of_issuer(State(behaviour): State<Arc<Mutex<Behaviour>>>) -> Response {
    let answer = {
        let mut behaviour = behaviour.lock().unwrap_or_else(PoisonError::into_inner);
        behaviour.asked += 1;
        behaviour.answer.clone()
    };
    match answer {
        Answer::Keys(keys) => json!({ "keys": keys }).to_string().into_response(),
        Answer::Text(text) => text.into_response(),
        Answer::Refuses => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Answer::Redirects => {
            (StatusCode::FOUND, [(LOCATION, "http://127.0.0.1:1/jwks")]).into_response()
        }
        Answer::Hangs => {
            tokio::time::sleep(PATIENCE).await;
            StatusCode::OK.into_response()
        }
    }
}

/// A private key of an issuer's.
struct Signer {
    id: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
}

impl Signer {
    /// An Ed25519 key (RFC 8410) of a seed of one byte, over and over.
    fn ed25519(id: &'static str, seed: u8) -> Self {
        let mut der = hex::decode("302e020100300506032b657004220420").expect("hex");
        der.extend([seed; 32]);
        Self { id, algorithm: Algorithm::EdDSA, key: EncodingKey::from_ed_der(&der) }
    }

    /// A P-256 key (RFC 5915) of a scalar of one byte, over and over.
    fn p256(id: &'static str, scalar: u8) -> Self {
        let head = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";
        let mut der = hex::decode(head).expect("hex");
        der.extend([scalar; 32]);
        Self { id, algorithm: Algorithm::ES256, key: EncodingKey::from_ec_der(&der) }
    }

    fn rsa(id: &'static str) -> Self {
        let key = EncodingKey::from_rsa_der(include_bytes!("issuer_rsa.der"));
        Self { id, algorithm: Algorithm::RS256, key }
    }

    fn public(&self) -> Value {
        let mut key = Jwk::from_encoding_key(&self.key, self.algorithm).expect("a known kind");
        key.common.key_id = Some(self.id.to_owned());
        json!(key)
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        encode(&header, claims, &self.key).expect("claims can be signed")
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[track_caller]
fn ask(server: &HttpServer, method: &str, token: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    server.ask(method, &json!({}), &[("Authorization", &bearer)])
}

#[test]
fn a_token_of_the_issuer_is_enough_where_no_scope_is_asked_for() {
    let signers = [Signer::ed25519("ed", 1), Signer::p256("ec", 1), Signer::rsa("rsa")];
    let issuer = Issuer::start(&signers.each_ref());
    let folder = Folder::new();
    let server = issuer.guards(&folder, &[]);
    for signer in &signers {
        let token = signer.sign(&issuer.claims(""));
        assert_eq!(ask(&server, "tools/list", &token).status, 200, "{}", signer.id);
    }
    assert_eq!(issuer.asked(), 1, "keys are kept");
    let reply = server.ask("tools/list", &json!({}), &[]);
    assert_eq!(reply.status, 401);
    let challenge = format!("Bearer resource_metadata=\"{METADATA}\"");
    assert_eq!(reply.header("WWW-Authenticate"), challenge);
}

#[test]
fn each_method_needs_its_scopes() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &SCOPES);
    let needed = |method: &str| match method {
        "tools/list" => "mcp:list",
        "tools/call" => "mcp:call mcp:read",
        _ => "mcp:connect",
    };
    for method in ["initialize", "server/discover", "ping", "tools/list", "tools/call"] {
        let challenge = format!("Bearer resource_metadata=\"{METADATA}\"");
        let scope = needed(method);
        let reply = server.ask(method, &json!({}), &[]);
        let told = (reply.status, reply.header("WWW-Authenticate").to_owned());
        assert_eq!(told, (401, format!("{challenge}, scope=\"{scope}\"")), "{method}");

        // It keeps what it has, so that a new token does not lack that.
        let token = signer.sign(&issuer.claims("mcp:read unknown"));
        let reply = ask(&server, method, &token);
        let wanted =
            if method == "tools/call" { scope.into() } else { format!("{scope} mcp:read") };
        let error = "error=\"insufficient_scope\", error_description=\"the token lacks a scope that this needs\"";
        let told = (reply.status, reply.header("WWW-Authenticate").to_owned());
        assert_eq!(told, (403, format!("{challenge}, scope=\"{wanted}\", {error}")), "{method}");

        let token = signer.sign(&issuer.claims(scope));
        let status = ask(&server, method, &token).status;
        assert!(![401, 403].contains(&status), "{method}: {status}");
    }
    // What cannot be read may be anything.
    let token = signer.sign(&issuer.claims("mcp:connect"));
    let bearer = format!("Bearer {token}");
    let twice = br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#;
    let reply = server.exchange("POST", "/mcp", &[("Authorization", &bearer)], twice);
    assert_eq!(reply.status, 403, "{reply:?}");
    // Issuers that have `scp`, as text or as a list.
    for scp in [json!("mcp:list"), json!(["mcp:list"])] {
        let mut claims = issuer.claims("");
        claims["scp"] = scp;
        assert_eq!(ask(&server, "tools/list", &signer.sign(&claims)).status, 200);
    }
}

#[test]
fn a_wrong_token_is_refused_and_nothing_of_any_is_written_down() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &SCOPES);
    let right = issuer.claims("mcp:list");
    let with = |key: &str, value: Value| {
        let mut claims = right.clone();
        claims[key] = value;
        signer.sign(&claims)
    };
    let unsigned = {
        let header = "eyJhbGciOiJub25lIn0";
        let genuine = signer.sign(&right);
        format!("{header}.{}.", genuine.split('.').nth(1).expect("claims"))
    };
    // The public key as a shared secret, the classic confusion.
    let confused = {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("ed".to_owned());
        let secret = signer.public()["x"].as_str().expect("a public key").to_owned();
        let key = EncodingKey::from_secret(secret.as_bytes()).expect("a secret");
        encode(&header, &right, &key).expect("claims can be signed")
    };
    let forged = Signer::ed25519("ed", 2).sign(&right);
    let tampered = {
        let (genuine, other) = (signer.sign(&right), with("sub", json!("somebody else")));
        let signature = genuine.rsplit('.').next().expect("a signature");
        format!("{}.{signature}", other.rsplit_once('.').expect("a signature").0)
    };
    let cases = [
        ("forged", forged, "the token's signature is wrong"),
        ("tampered with", tampered, "the token's signature is wrong"),
        ("expired", with("exp", json!(now() - 600)), "the token has expired"),
        ("not yet valid", with("nbf", json!(now() + 600)), "the token is not valid yet"),
        ("for ever", with("exp", Value::Null), "the token lacks exp, iss or aud"),
        (
            "of another issuer",
            with("iss", json!("https://example.com")),
            "the token is of another issuer",
        ),
        ("of no issuer", with("iss", Value::Null), "the token lacks exp, iss or aud"),
        (
            "for another audience",
            with("aud", json!(["a", "b"])),
            "the token is for another audience",
        ),
        ("for nobody", with("aud", Value::Null), "the token lacks exp, iss or aud"),
        ("of an unknown key", Signer::ed25519("new", 3).sign(&right), "the issuer has no such key"),
        ("of another algorithm", confused, "the issuer has no such key"),
        ("not signed", unsigned, "the token is no signed JWT that can be read"),
        ("no token", "t0ps3cret".to_owned(), "the token is no signed JWT that can be read"),
        ("no token either", "a.b.c".to_owned(), "the token is no signed JWT that can be read"),
        ("endless", "x".repeat(20_000), "the token is too long"),
    ];
    for (case, token, flaw) in &cases {
        let reply = ask(&server, "tools/list", token);
        let told = (reply.status, reply.header("WWW-Authenticate").to_owned());
        let challenge = format!(
            "Bearer resource_metadata=\"{METADATA}\", scope=\"mcp:list\", error=\"invalid_token\", error_description=\"{flaw}\""
        );
        assert_eq!(told, (401, challenge), "{case}: {reply:?}");
    }
    let genuine = signer.sign(&right);
    assert_eq!(ask(&server, "tools/list", &genuine).status, 200);
    let bearer = format!("Bearer {genuine}");
    let twice = [("Authorization", bearer.as_str()), ("authorization", bearer.as_str())];
    assert_eq!(server.ask("tools/list", &json!({}), &twice).status, 401);
    for other in [format!("Basic {genuine}"), genuine.clone(), "Bearer".to_owned()] {
        let reply = server.ask("tools/list", &json!({}), &[("Authorization", &other)]);
        assert!(!reply.header("WWW-Authenticate").contains("error="), "{reply:?}");
    }

    let (code, log) = server.stop();
    assert_eq!(code, Some(0));
    assert!(log.contains("TRACE"), "all is logged that can be");
    for (case, token, _) in cases.iter().chain(&[("genuine", genuine, "")]) {
        for part in token.split('.').filter(|part| part.len() > 8) {
            assert!(!log.contains(part), "a part of the token that is {case} is in the log");
        }
    }
}

#[test]
fn a_new_key_is_fetched_and_unknown_ones_do_not_tire_the_issuer() {
    let (old, new) = (Signer::ed25519("old", 1), Signer::p256("new", 2));
    let issuer = Issuer::start(&[&old]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &[]);
    assert_eq!(ask(&server, "ping", &old.sign(&issuer.claims(""))).status, 200);
    issuer.answers(Answer::Keys(vec![old.public(), new.public()]));
    assert_eq!(ask(&server, "ping", &new.sign(&issuer.claims(""))).status, 200);
    assert_eq!(issuer.asked(), 2);
    for seed in 3..30 {
        let token = Signer::ed25519("invented", seed).sign(&issuer.claims(""));
        assert_eq!(ask(&server, "ping", &token).status, 401);
    }
    assert_eq!(issuer.asked(), 2);
}

#[test]
fn without_keys_nobody_is_let_in_and_nobody_is_told_that_a_token_is_wrong() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let token = signer.sign(&issuer.claims(""));
    let secret = json!({ "kty": "oct", "kid": "ed", "alg": "HS256", "k": "c2VjcmV0" });
    for (case, answer, logged) in [
        ("down", Answer::Refuses, "the status 500"),
        ("elsewhere", Answer::Redirects, "the status 302"),
        ("huge", Answer::Text(" ".repeat(1_000_000)), "larger than 262144 bytes"),
        ("garbage", Answer::Text("<html>".to_owned()), "no JSON Web Key Set"),
        ("empty", Answer::Keys(vec![]), "no public key for signatures"),
        ("secret", Answer::Keys(vec![secret]), "no public key for signatures"),
        ("slow", Answer::Hangs, "error sending request"),
    ] {
        issuer.answers(answer);
        let server = issuer.guards(&folder, &[]);
        let reply = ask(&server, "ping", &token);
        assert_eq!((reply.status, reply.header("Retry-After")), (503, "5"), "{case}: {reply:?}");
        let asked = issuer.asked();
        assert_eq!(ask(&server, "ping", &token).status, 503, "{case}");
        assert_eq!(issuer.asked(), asked, "{case}: a fetch that failed is not repeated at once");
        assert!(server.log().contains(logged), "{case}: {}", server.log());
    }
}

#[test]
fn keys_that_come_back_serve_again() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &[]);
    let token = signer.sign(&issuer.claims(""));
    issuer.answers(Answer::Refuses);
    assert_eq!(ask(&server, "ping", &token).status, 503);
    issuer.answers(Answer::Keys(vec![signer.public()]));
    wait_for("the keys to be fetched again", || {
        thread::sleep(Duration::from_millis(200));
        ask(&server, "ping", &token).status == 200
    });
}

#[test]
fn the_metadata_says_where_to_get_a_token() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &SCOPES);
    let expected = json!({
        "resource": AUDIENCE,
        "resource_name": "Sextant",
        "authorization_servers": [issuer.url],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mcp:connect", "mcp:list", "mcp:call", "mcp:read"],
    });
    let well_known = "/.well-known/oauth-protected-resource";
    for path in [well_known, "/.well-known/oauth-protected-resource/mcp"] {
        let reply = server.exchange("GET", path, &[("Host", "mcp.example.com")], b"");
        assert_eq!(
            (reply.status, reply.header("Content-Type")),
            (200, "application/json"),
            "{path}"
        );
        assert_eq!(reply.json(), expected, "{path}");
    }
    let flags = ["--oauth-resource", "https://example.com/graphs/employees/mcp"];
    let server = issuer.guards(&folder, &flags);
    let own = format!("{well_known}/graphs/employees/mcp");
    let reply = server.exchange("GET", &own, &[], b"");
    assert_eq!(reply.json()["resource"], "https://example.com/graphs/employees/mcp");
    let challenge = server.ask("ping", &json!({}), &[]).header("WWW-Authenticate").to_owned();
    assert!(challenge.contains(&format!("\"https://example.com{own}\"")), "{challenge}");
    assert_eq!(issuer.asked(), 0, "keys are fetched when a token comes");

    let open = HttpServer::start(&folder, &WITHOUT_MODEL);
    assert_eq!(open.exchange("GET", well_known, &[], b"").status, 404);
}

#[test]
fn a_foreign_host_is_turned_away_before_its_token_is_looked_at() {
    let signer = Signer::ed25519("ed", 1);
    let issuer = Issuer::start(&[&signer]);
    let folder = Folder::new();
    let server = issuer.guards(&folder, &[]);
    for token in ["t0ps3cret".to_owned(), signer.sign(&issuer.claims(""))] {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Host", "example.com")];
        assert_eq!(server.ask("ping", &json!({}), &headers).status, 403);
    }
    assert_eq!(issuer.asked(), 0);
}

#[test]
fn oauth_is_configured_whole_or_not_at_all() {
    let folder = Folder::new();
    let index = text(sample_index());
    let refuses = |flags: &[&str]| {
        let mut arguments = vec!["mcp", "--index", &index, "--http", "127.0.0.1:0"];
        arguments.extend(flags);
        folder.run(&arguments).refuses()
    };
    let issuer = ["--oauth-issuer", "https://example.com"];
    let keys = ["--oauth-jwks-url", "https://example.com/jwks"];
    let audience = ["--oauth-audience", AUDIENCE];
    for (flags, missing) in [
        (&[issuer][..], "--oauth-jwks-url and --oauth-audience"),
        (&[issuer, keys], "--oauth-audience"),
        (&[keys, audience], "--oauth-issuer"),
        (&[["--oauth-resource", AUDIENCE]], "--oauth-issuer"),
        (&[["--oauth-scope-tools-call", "mcp:call"]], "--oauth-issuer"),
    ] {
        let message = refuses(&flags.concat());
        assert!(message.contains("half configured") && message.contains(missing), "{message}");
    }
    for (flags, told) in [
        ([issuer, keys, ["--oauth-audience", "sextant"]], "--oauth-resource"),
        ([["--oauth-issuer", "http://example.com"], keys, audience], "--oauth-issuer"),
        ([issuer, ["--oauth-jwks-url", "ftp://example.com"], audience], "--oauth-jwks-url"),
    ] {
        let message = refuses(&flags.concat());
        assert!(message.contains(told), "{message}");
    }
    let whole = [issuer, keys, audience].concat();
    let message = refuses(&[&whole[..], &["--oauth-scope-tools-list", "a\"b"]].concat());
    assert!(message.contains("is no scope"), "{message}");
    let secret = ["--oauth-jwks-url", "https://me:t0ps3cret@example.com/jwks"];
    let message = refuses(&[issuer, secret, audience].concat());
    assert!(!message.contains("t0ps3cret") && message.contains("--oauth-jwks-url"), "{message}");
    // With tokens, other machines may call.
    let flags = [&["--http", "0.0.0.0:0"], &whole[..], &WITHOUT_MODEL].concat();
    let server = HttpServer::start(&folder, &flags);
    assert_eq!(server.ask("ping", &json!({}), &[("Host", "localhost")]).status, 401);
}
