//! `sextant mcp`: the tools over standard input and output.

use super::CliError;
use crate::{
    local::{LocalDiscovery, Reader, Target},
    mcp,
};

pub fn run(target: Target, reader: Reader, endpoint: Option<String>) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::Start(error.to_string()))?;
    let discovery = LocalDiscovery::start(target, reader, endpoint);
    let served = runtime.block_on(mcp::serve_stdio(discovery));
    // A read of standard input that is under way cannot be cancelled.
    runtime.shutdown_background();
    Ok(served?)
}
