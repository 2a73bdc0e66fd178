//! The tools over MCP. A thin adapter: a call becomes a request of the
//! [`Discovery`] trait or of [`Code`], and its error a sentence that an agent
//! can act on.

mod gate;
mod http;
mod keys;
mod oauth;
mod origin;
mod progress;
mod tools;

use std::{borrow::Cow, fmt, net::SocketAddr, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool,
    },
    service::RequestContext,
    transport::io::stdio_pipes,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    code::Code,
    discovery::{Discovery, DiscoveryError, request_of},
};
use tools::Subject;

pub use http::{Access, PATH, router, serve_http};
pub use oauth::{OAuth, Scopes};
pub use origin::AllowList;

/// What a client is told of the server as a whole, where it has a schema.
const SCHEMA_INSTRUCTIONS: &str = "Finds the way in a GraphQL schema that is too large to read. \
Ask search_schema about a topic to get ranked coordinates with their records, \
then get_symbols for the exact record of coordinates that a record refers to; \
or describe the data that you want to generate_query, which writes the operation.";

/// How long a client may take the list of tools for current. It changes with the
/// program only, so this is how long a new version may go unnoticed.
const TOOLS_FRESH_MILLISECONDS: u64 = 5 * 60 * 1000;
/// The same, where it has code.
const CODE_INSTRUCTIONS: &str = "Finds the way in a working tree. \
Ask search_code where a text or a pattern stands, \
then query_graph who calls a symbol, what it calls, where it is defined and who refers to it.";

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client spoke no MCP, or left during the handshake.
    #[error("the MCP session did not start: {0}")]
    Start(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        reason: String,
    },
    /// The session broke.
    #[error("the MCP session ended: {0}")]
    Session(String),
}

/// Serves MCP over standard input and output until the client leaves.
///
/// # Errors
/// Any [`McpError`]; a client that closes its end is none.
pub async fn serve_stdio<D: Discovery>(server: Server<D>) -> Result<(), McpError> {
    use rmcp::service::ServerInitializeError;

    let running = match server.serve(stdio_pipes()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Start(error.to_string())),
    };
    running.waiting().await.map(|_| ()).map_err(|error| McpError::Session(error.to_string()))
}

/// What answers the tools: those of a schema, of code, or of both.
pub struct Server<D> {
    discovery: Option<Arc<D>>,
    code: Option<Code>,
}

impl<D> Clone for Server<D> {
    fn clone(&self) -> Self {
        Self { discovery: self.discovery.clone(), code: self.code.clone() }
    }
}

impl<D> Server<D> {
    /// Lists the tools of what there is, and no others.
    #[must_use]
    pub const fn new(discovery: Option<Arc<D>>, code: Option<Code>) -> Self {
        Self { discovery, code }
    }

    /// The tools that this server can answer.
    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        let (schema, code) = (self.discovery.is_some(), self.code.is_some());
        tools::all().iter().filter(move |tool| match tools::subject(&tool.name) {
            Subject::Schema => schema,
            Subject::Code => code,
        })
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let known: Vec<&str> = self.tools().map(|tool| tool.name.as_ref()).collect();
        ErrorData::invalid_params(
            Cow::Owned(format!("there is no tool `{name}`; the tools are {}", known.join(", "))),
            None,
        )
    }
}

impl<D: Discovery> ServerHandler for Server<D> {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_title("Sextant");
        let schema = self.discovery.as_ref().map(|_| SCHEMA_INSTRUCTIONS);
        let code = self.code.as_ref().map(|_| CODE_INSTRUCTIONS);
        let told: Vec<&str> = schema.into_iter().chain(code).collect();
        info.instructions = Some(told.join("\n"));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools().cloned().collect())
            .with_ttl_ms(TOOLS_FRESH_MILLISECONDS)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.as_ref();
        let answer = match (name, &self.discovery, &self.code) {
            (tools::SEARCH_SCHEMA, Some(schema), _) => match request_of(Value::Object(arguments)) {
                Ok(request) => answer(schema.search(request).await),
                Err(error) => refusal(&error),
            },
            (tools::GET_SYMBOLS, Some(schema), _) => match request_of(Value::Object(arguments)) {
                Ok(request) => answer(schema.symbols(request).await),
                Err(error) => refusal(&error),
            },
            (tools::GENERATE_QUERY, Some(schema), _) => {
                match request_of(Value::Object(arguments)) {
                    Ok(request) => {
                        let (told, steps) = progress::channel();
                        let work = schema.generate(request, &told);
                        match progress::relay(&context, work, steps).await {
                            Some(result) => answer(result),
                            None => called_off(),
                        }
                    }
                    Err(error) => refusal(&error),
                }
            }
            (tools::SEARCH_CODE, _, Some(code)) => match request_of(Value::Object(arguments)) {
                Ok(query) => answer(code.search(query).await),
                Err(error) => refusal(&error),
            },
            (tools::QUERY_GRAPH, _, Some(code)) => match request_of(Value::Object(arguments)) {
                Ok(query) => answer(code.query(query).await),
                Err(error) => refusal(&error),
            },
            _ => return Err(self.unknown_tool(name)),
        };
        Ok(answer.into())
    }
}

fn answer<T: Serialize>(result: Result<T, impl fmt::Display>) -> CallToolResult {
    let response = match result {
        Ok(response) => serde_json::to_value(response),
        Err(error) => return refusal(&error),
    };
    match response {
        Ok(response) => CallToolResult::structured(response),
        Err(error) => refusal(&DiscoveryError::failed(&error)),
    }
}

/// Nobody reads it: a client that called a request off waits for no answer.
fn called_off() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("The request was called off.")])
}

/// An error that the agent reads, rather than one of the protocol.
fn refusal(error: &impl fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
