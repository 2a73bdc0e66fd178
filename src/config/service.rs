//! The flags of `sextant serve` and `sextant token`, and of the adapter to such a
//! service.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::{Args, ValueEnum, builder::FalseyValueParser};
use secrecy::SecretString;

use super::{ReaderArguments, mistake};
use crate::{
    schema::{MAX_SOURCE_BYTES, Source},
    service::{
        Limits, Options,
        catalog::Room,
        client::{Place, ServiceUrl},
        contract::GraphName,
        token::{Graphs, Keys, Scope},
    },
};

/// The variable that may hold the keys of tokens. It has no flag: command lines
/// are there for every user of a system to see.
const KEYS_VARIABLE: &str = "SEXTANT_TOKEN_KEYS";

/// A token to make.
#[derive(Debug)]
pub struct TokenOrder {
    /// For which graphs.
    pub graphs: Graphs,
    /// What it allows.
    pub scope: Scope,
    /// How long.
    pub ttl: Duration,
    /// What signs it.
    pub keys: Keys,
}

#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// The folder that graphs are kept in
    #[arg(long, env = "SEXTANT_DATA", value_name = "DIR")]
    data: PathBuf,
    /// The address to listen on; port 0 is any that is free
    #[arg(long, env = "SEXTANT_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:7343")]
    listen: SocketAddr,
    #[command(flatten)]
    keys: KeyArguments,
    /// Let everyone in who reaches the address, without a token, also from elsewhere
    #[arg(long, env = "SEXTANT_ALLOW_ANONYMOUS", value_parser = FalseyValueParser::new())]
    allow_anonymous: bool,
    /// A certificate chain, PEM; with it the service speaks HTTPS alone
    #[arg(long, env = "SEXTANT_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, PEM
    #[arg(long, env = "SEXTANT_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// How long an index may go unused before its file is dropped
    #[arg(long, env = "SEXTANT_INDEX_TTL", value_name = "TIME", default_value = "7d", value_parser = humantime::parse_duration)]
    index_ttl: Duration,
    /// How long requests in flight have when the service is told to stop
    #[arg(long, env = "SEXTANT_GRACE", value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    grace: Duration,
    /// The longest that a request may take
    #[arg(long, env = "SEXTANT_REQUEST_TIMEOUT", value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    request_timeout: Duration,
    /// The most requests in flight
    #[arg(long, env = "SEXTANT_MAX_REQUESTS", value_name = "N", default_value_t = 256)]
    max_requests: usize,
    /// The most graphs
    #[arg(long, env = "SEXTANT_MAX_GRAPHS", value_name = "N", default_value_t = 64)]
    max_graphs: usize,
    /// The most builds that wait
    #[arg(long, env = "SEXTANT_MAX_QUEUE", value_name = "N", default_value_t = 32)]
    max_queue: usize,
    /// The largest schema in bytes, unpacked
    #[arg(long, env = "SEXTANT_MAX_SCHEMA_BYTES", value_name = "N", default_value_t = usize::try_from(MAX_SOURCE_BYTES).unwrap_or(usize::MAX))]
    max_schema_bytes: usize,
    /// Builds at a time
    #[arg(long, env = "SEXTANT_BUILDS", value_name = "N", default_value_t = 1)]
    builds: usize,
    #[command(flatten)]
    reader: ReaderArguments,
}

#[derive(Debug, Args)]
pub(super) struct TokenArguments {
    /// The graph that the token is for; '*' is every one
    #[arg(long, env = "SEXTANT_GRAPH", value_name = "NAME")]
    graph: Graphs,
    /// What the token allows: to ask; or to upload a schema and delete the graph as well
    #[arg(long, env = "SEXTANT_SCOPE", value_enum, default_value_t = ScopeArgument::Read)]
    scope: ScopeArgument,
    /// How long the token is good
    #[arg(long, env = "SEXTANT_TTL", value_name = "TIME", default_value = "30d", value_parser = humantime::parse_duration)]
    ttl: Duration,
    #[command(flatten)]
    keys: KeyArguments,
}

#[derive(Debug, Args)]
pub(super) struct AdapterArguments {
    /// A discovery service that answers, in place of an index in this process; it is given the schema
    #[arg(long, env = "SEXTANT_SERVICE", value_name = "URL")]
    service: Option<String>,
    /// The graph's name at the service
    #[arg(long, env = "SEXTANT_GRAPH", value_name = "NAME")]
    graph: Option<GraphName>,
    /// A file that holds the token for the service, read anew for each request
    #[arg(long, env = "SEXTANT_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificates, PEM, that are trusted besides the system's
    #[arg(long, env = "SEXTANT_SERVICE_CA", value_name = "FILE")]
    service_ca: Option<PathBuf>,
}

/// A service elsewhere, and the schema that it is given.
#[derive(Debug)]
pub struct Adapter {
    /// The service.
    pub place: Place,
    /// The schema.
    pub source: Source,
}

impl AdapterArguments {
    /// Is a service named? The other flags mean something only then: their
    /// variables may be there for another command.
    pub(super) fn is_given(&self) -> bool {
        self.service.is_some()
    }

    pub(super) fn checked(self, source: Source) -> Result<Adapter, clap::Error> {
        let url = ServiceUrl::parse(self.service.as_deref().unwrap_or_default())
            .map_err(|reason| mistake(&format!("--service cannot be used: {reason}")))?;
        let graph = self.graph.ok_or_else(|| {
            mistake("which graph of the service is meant is missing; give --graph NAME")
        })?;
        let (token_file, authorities) = (self.token_file, self.service_ca);
        Ok(Adapter { place: Place { url, graph, token_file, authorities }, source })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeArgument {
    Read,
    Write,
}

#[derive(Debug, Args)]
struct KeyArguments {
    /// A file of keys, one a line: the first signs tokens, all verify them [or the same lines in SEXTANT_TOKEN_KEYS]
    #[expect(clippy::doc_markdown, reason = "it is printed as help")]
    #[arg(long, env = "SEXTANT_TOKEN_KEY_FILE", value_name = "FILE")]
    token_key_file: Option<PathBuf>,
}

impl KeyArguments {
    fn checked(self) -> Result<Option<Keys>, clap::Error> {
        let keys = match self.token_key_file {
            Some(file) => Keys::read(&file),
            None => match std::env::var(KEYS_VARIABLE) {
                Ok(text) if !text.is_empty() => Keys::parse(&SecretString::from(text)),
                _ => return Ok(None),
            },
        };
        keys.map(Some).map_err(|error| mistake(&error.to_string()))
    }
}

impl ServeArguments {
    pub(super) fn checked(self) -> Result<Options, clap::Error> {
        let keys = self.keys.checked()?;
        if keys.is_none() && !self.allow_anonymous && !is_loopback(self.listen.ip()) {
            return Err(mistake(&format!(
                "{} is reached from elsewhere, and without tokens everyone there could read and replace schemas; give --token-key-file, or --allow-anonymous where that is meant",
                self.listen
            )));
        }
        for (flag, number) in [
            ("--max-requests", self.max_requests),
            ("--max-graphs", self.max_graphs),
            ("--max-queue", self.max_queue),
            ("--max-schema-bytes", self.max_schema_bytes),
            ("--builds", self.builds),
        ] {
            if number == 0 {
                return Err(mistake(&format!(
                    "{flag} is 0, and nothing would be served; give at least 1"
                )));
            }
        }
        Ok(Options {
            data: self.data,
            listen: self.listen,
            keys,
            tls: self.tls_cert.zip(self.tls_key),
            limits: Limits {
                schema_bytes: self.max_schema_bytes,
                requests: self.max_requests,
                time: self.request_timeout,
                room: Room { graphs: self.max_graphs, queue: self.max_queue },
                builds: self.builds,
            },
            index_ttl: self.index_ttl,
            grace: self.grace,
            reader: self.reader.checked()?,
        })
    }
}

impl TokenArguments {
    pub(super) fn checked(self) -> Result<TokenOrder, clap::Error> {
        let keys = self.keys.checked()?.ok_or_else(|| {
            mistake("there is no key to sign the token with; give --token-key-file, the one that the service has")
        })?;
        let scope = match self.scope {
            ScopeArgument::Read => Scope::Read,
            ScopeArgument::Write => Scope::Write,
        };
        Ok(TokenOrder { graphs: self.graph, scope, ttl: self.ttl, keys })
    }
}

/// An IPv4 address may stand in an IPv6 one.
fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}
