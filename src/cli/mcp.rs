//! `sextant mcp`: the tools over standard input and output, or over HTTP.

use super::CliError;
use crate::{
    config::Transport,
    generate::llm::{LanguageModel, Settings},
    local::{LocalDiscovery, Reader, Target},
    mcp,
};

pub fn run(
    target: Target,
    reader: Reader,
    endpoint: Option<String>,
    language_model: Option<Settings>,
    transport: Transport,
) -> Result<(), CliError> {
    let language_model =
        language_model.map(LanguageModel::new).transpose().map_err(CliError::Start)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::Start(error.to_string()))?;
    let discovery = LocalDiscovery::start(target, reader, endpoint, language_model);
    let served = runtime.block_on(async {
        match transport {
            Transport::Stdio => mcp::serve_stdio(discovery).await,
            Transport::Http { address, access } => {
                mcp::serve_http(discovery, address, *access).await
            }
        }
    });
    // A read of standard input that is under way cannot be cancelled.
    runtime.shutdown_background();
    Ok(served?)
}
