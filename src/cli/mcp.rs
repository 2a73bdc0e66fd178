//! `sextant mcp`: the tools over standard input and output, or over HTTP.

use super::CliError;
use crate::{
    code::Code,
    config::{Backend, Serving, Transport},
    discovery::Discovery,
    generate::llm::LanguageModel,
    local::LocalDiscovery,
    mcp::{self, McpError, Server},
    remote::RemoteDiscovery,
    service::client::Client,
};

pub fn run(serving: Serving) -> Result<(), CliError> {
    let Serving { schema, code, transport } = serving;
    let code = code.map(|code| Code::follow(&code.root, &code.cache.code_graph(&code.root)));
    let code = code.transpose()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::Start(error.to_string()))?;
    let served = match schema {
        None => runtime.block_on(serve(Server::<LocalDiscovery>::new(None, code), transport)),
        Some(Backend::Local { target, reader, endpoint, language_model }) => {
            let language_model =
                language_model.map(LanguageModel::new).transpose().map_err(CliError::Start)?;
            let discovery = LocalDiscovery::start(target, reader, endpoint, language_model);
            runtime.block_on(serve(Server::new(Some(discovery), code), transport))
        }
        Some(Backend::Service { adapter, endpoint }) => {
            let client = Client::new(adapter.place).map_err(CliError::Start)?;
            let handle = runtime.handle().clone();
            let discovery = RemoteDiscovery::start(client, adapter.source, endpoint, handle);
            runtime.block_on(serve(Server::new(Some(discovery), code), transport))
        }
    };
    // A read of standard input that is under way cannot be cancelled.
    runtime.shutdown_background();
    Ok(served?)
}

async fn serve<D: Discovery>(server: Server<D>, transport: Transport) -> Result<(), McpError> {
    match transport {
        Transport::Stdio => mcp::serve_stdio(server).await,
        Transport::Http { address, access } => mcp::serve_http(server, address, *access).await,
    }
}
