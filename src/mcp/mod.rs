//! The tools over MCP. A thin adapter: a call becomes a request of the
//! [`Discovery`] trait, and its error a sentence that an agent can act on.

mod gate;
mod http;
mod keys;
mod oauth;
mod origin;
mod progress;
mod tools;

use std::{borrow::Cow, net::SocketAddr, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
    transport::io::stdio_pipes,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::discovery::{Discovery, DiscoveryError};

pub use http::{Access, PATH, router, serve_http};
pub use oauth::{OAuth, Scopes};
pub use origin::AllowList;

/// What a client is told of the server as a whole.
const INSTRUCTIONS: &str = "Finds the way in a GraphQL schema that is too large to read. \
Ask search_schema about a topic to get ranked coordinates with their records, \
then get_symbols for the exact record of coordinates that a record refers to; \
or describe the data that you want to generate_query, which writes the operation.";

/// How long a client may take the list of tools for current. It changes with the
/// program only, so this is how long a new version may go unnoticed.
const TOOLS_FRESH_MILLISECONDS: u64 = 5 * 60 * 1000;

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
pub async fn serve_stdio<D: Discovery>(discovery: Arc<D>) -> Result<(), McpError> {
    use rmcp::service::ServerInitializeError;

    let server = Server { discovery };
    let running = match server.serve(stdio_pipes()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Start(error.to_string())),
    };
    running.waiting().await.map(|_| ()).map_err(|error| McpError::Session(error.to_string()))
}

struct Server<D> {
    discovery: Arc<D>,
}

impl<D: Discovery> ServerHandler for Server<D> {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_title("Sextant");
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec())
            .with_ttl_ms(TOOLS_FRESH_MILLISECONDS)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = match request.name.as_ref() {
            tools::SEARCH_SCHEMA => match parse(arguments) {
                Ok(request) => answer(self.discovery.search(request).await),
                Err(error) => answer::<()>(Err(error)),
            },
            tools::GET_SYMBOLS => match parse(arguments) {
                Ok(request) => answer(self.discovery.symbols(request).await),
                Err(error) => answer::<()>(Err(error)),
            },
            tools::GENERATE_QUERY => match parse(arguments) {
                Ok(request) => {
                    let (told, steps) = progress::channel();
                    let work = self.discovery.generate(request, &told);
                    match progress::relay(&context, work, steps).await {
                        Some(result) => answer(result),
                        None => called_off(),
                    }
                }
                Err(error) => answer::<()>(Err(error)),
            },
            other => return Err(unknown_tool(other)),
        };
        Ok(answer.into())
    }
}

/// Arguments that do not fit are the agent's to mend, so they are no protocol
/// error.
fn parse<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, DiscoveryError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let reason = error.inner().to_string().replace("u32", "a whole number");
        DiscoveryError::invalid(match error.path().to_string().as_str() {
            "." => reason,
            path => format!("`{path}`: {reason}"),
        })
    })
}

fn answer<T: Serialize>(result: Result<T, DiscoveryError>) -> CallToolResult {
    let result = result.and_then(|response| {
        serde_json::to_value(response).map_err(|error| DiscoveryError::failed(&error))
    });
    match result {
        Ok(response) => CallToolResult::structured(response),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

/// Nobody reads it: a client that called a request off waits for no answer.
fn called_off() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("The request was called off.")])
}

fn unknown_tool(name: &str) -> ErrorData {
    let known: Vec<&str> = tools::all().iter().map(|tool| tool.name.as_ref()).collect();
    ErrorData::invalid_params(
        Cow::Owned(format!("there is no tool `{name}`; the tools are {}", known.join(", "))),
        None,
    )
}
