//! Flags of `sextant mcp`: what is served, and over what.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, builder::FalseyValueParser};

use super::{
    AccessArguments, Adapter, AdapterArguments, CodeTarget, EndpointArguments, LlmArguments,
    ReaderArguments, TargetArguments, mistake,
};
use crate::{
    generate::llm::Settings,
    local::{Reader, Target},
    mcp::Access,
    schema::Source,
};

/// What an MCP server serves.
#[derive(Debug)]
pub struct Serving {
    /// The schema, if any.
    pub schema: Option<Backend>,
    /// The code, if any.
    pub code: Option<CodeTarget>,
    /// Over what.
    pub transport: Transport,
}

/// What answers questions about a schema.
#[derive(Debug)]
pub enum Backend {
    /// An index in this process.
    Local {
        /// What it is about.
        target: Target,
        /// How questions are read.
        reader: Reader,
        /// Where to run an operation, for the guidance.
        endpoint: Option<String>,
        /// A language model that writes operations.
        language_model: Option<Settings>,
    },
    /// A service elsewhere.
    Service {
        /// The service, and the schema that it is given.
        adapter: Adapter,
        /// Where to run an operation, for the guidance.
        endpoint: Option<String>,
    },
}

/// Over what MCP is served.
#[derive(Debug)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http {
        /// Where to listen.
        address: SocketAddr,
        /// Who may call.
        access: Box<Access>,
    },
}

#[derive(Debug, Args)]
pub(super) struct McpArguments {
    #[command(flatten)]
    adapter: AdapterArguments,
    #[command(flatten)]
    endpoint: EndpointArguments,
    #[command(flatten)]
    llm: LlmArguments,
    #[command(flatten)]
    target: TargetArguments,
    /// A folder of code, to be searched and asked too
    #[arg(long, env = "SEXTANT_CODE", value_name = "DIR")]
    code: Option<PathBuf>,
    #[command(flatten)]
    reader: ReaderArguments,
    #[command(flatten)]
    http: HttpArguments,
}

#[derive(Debug, Args)]
struct HttpArguments {
    /// Serve over HTTP at this address, for example 127.0.0.1:8000, rather than on standard input and output
    #[arg(long, env = "SEXTANT_HTTP", value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Listen beyond this machine without checking tokens
    #[arg(long, env = "SEXTANT_ALLOW_ANONYMOUS", value_parser = FalseyValueParser::new())]
    allow_anonymous: bool,
    #[command(flatten)]
    access: AccessArguments,
}

impl McpArguments {
    pub(super) fn checked(
        self,
        given: impl Fn(&str) -> bool + Copy,
    ) -> Result<Serving, clap::Error> {
        let Self { adapter, endpoint, llm, target, code, reader, http } = self;
        let code = match code {
            Some(root) => Some(CodeTarget { root, cache: target.cache.clone().checked()? }),
            None => None,
        };
        let endpoint = endpoint.checked()?;
        let transport = http.checked(given)?;
        let not_stdin = |source: &Source| {
            if matches!((source, &transport), (Source::Stdin, Transport::Stdio)) {
                return Err(mistake(
                    "standard input carries MCP, so --schema cannot be `-`; give a file, a folder or an endpoint",
                ));
            }
            Ok(())
        };
        let schema = if adapter.is_given() {
            let source = target.source(given)?;
            not_stdin(&source)?;
            Some(Backend::Service { adapter: adapter.checked(source)?, endpoint })
        } else if !target.is_empty() {
            let target = target.checked(given)?;
            if let Target::Schema { source, .. } = &target {
                not_stdin(source)?;
            }
            let (reader, language_model) = (reader.checked()?, llm.checked()?);
            Some(Backend::Local { target, reader, endpoint, language_model })
        } else if code.is_some() {
            None
        } else {
            return Err(mistake(
                "what to serve is missing; give --index FILE, --schema SOURCE or --code DIR",
            ));
        };
        Ok(Serving { schema, code, transport })
    }
}

impl Transport {
    /// What is logged where nothing else is said.
    pub(super) const fn log(&self) -> &'static str {
        match self {
            Self::Stdio => "info",
            // Every request is a session of its own to rmcp, which tells of each.
            Self::Http { .. } => "info,rmcp=warn",
        }
    }
}

impl HttpArguments {
    fn checked(self, given: impl Fn(&str) -> bool) -> Result<Transport, clap::Error> {
        let Some(address) = self.http else {
            // In the environment they may be meant for other servers.
            if let Some(flag) = AccessArguments::FLAGS.iter().find(|flag| given(flag)) {
                let flag = flag.replace('_', "-");
                return Err(mistake(&format!(
                    "--{flag} is about MCP over HTTP; say where to listen with --http ADDR"
                )));
            }
            return Ok(Transport::Stdio);
        };
        let access = self.access.checked().map_err(|reason| mistake(&reason))?;
        if access.oauth.is_none() && !self.allow_anonymous && !address.ip().is_loopback() {
            return Err(mistake(&format!(
                "{address} can be reached from other machines, and whoever calls would see the shape of the schema; \
                 check tokens with --oauth-issuer, listen on 127.0.0.1, or allow everybody with --allow-anonymous"
            )));
        }
        Ok(Transport::Http { address, access: Box::new(access) })
    }
}
