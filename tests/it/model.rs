//! A chat endpoint on loopback, whose model says what a test wants.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use serde_json::{Value, json};

use crate::harness::string;

/// What a server does with a request.
#[derive(Clone)]
pub enum Reply {
    /// The model says this.
    Says(String),
    /// A status and a body.
    Http(&'static str, String),
    /// The beginning of an answer, and no end of it.
    BreaksOff,
    /// It takes the request, and nothing follows until the client leaves.
    Silence,
    /// An answer that never ends.
    Endless,
    /// The connection is cut before a word is said.
    Hangs,
}

pub fn says(content: &str) -> Reply {
    Reply::Says(content.to_owned())
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: Value,
}

impl Asked {
    /// Everything that the messages say.
    pub fn said(&self) -> String {
        let messages = self.body["messages"].as_array().expect("a chat has messages");
        messages.iter().map(|message| string(&message["content"])).collect()
    }
}

/// A server with a model that follows a script; the last reply is repeated.
pub struct Model {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Told each time that a client leaves a silent model.
    pub left: mpsc::Receiver<()>,
}

impl Model {
    pub fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (sender, left) = mpsc::channel();
        let (requests, replies) = (Arc::clone(&asked), replies.to_vec());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.expect("a connection");
                let Some(request) = read(&stream) else {
                    continue;
                };
                let count = {
                    let mut requests = requests.lock().expect("no panic while it is held");
                    requests.push(request);
                    requests.len()
                };
                let reply = replies.get(count - 1).or(replies.last()).expect("a reply").clone();
                let sender = sender.clone();
                thread::spawn(move || answer(stream, &reply, &sender));
            }
        });
        Self { url, asked, left }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic while it is held").clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_ascii_lowercase();
    let length = lower.split("content-length: ").nth(1)?.lines().next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { head, body: serde_json::from_slice(&body).expect("a request is JSON") })
}

/// A client may leave in the middle of it, which is its right.
fn answer(mut stream: TcpStream, reply: &Reply, left: &mpsc::Sender<()>) {
    let head = |status: &str, length: usize| {
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
    };
    match reply {
        Reply::Says(content) => {
            let message = json!({ "role": "assistant", "content": content });
            let body = json!({ "object": "chat.completion", "choices": [{ "message": message }] });
            let body = body.to_string();
            let _ = write!(stream, "{}{body}", head("200 OK", body.len()));
        }
        Reply::Http(status, body) => {
            let _ = write!(stream, "{}{body}", head(status, body.len()));
        }
        Reply::BreaksOff => {
            let _ = write!(stream, "{}{{\"choices\": [{{", head("200 OK", 5_000));
        }
        Reply::Silence => {
            // Reading ends where the client closes its end.
            let _ = stream.read_to_end(&mut Vec::new());
            let _ = left.send(());
        }
        Reply::Endless => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[b' '; 1 << 14]).is_ok() {}
        }
        Reply::Hangs => {}
    }
}
