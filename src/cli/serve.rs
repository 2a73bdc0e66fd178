//! `sextant serve`: many graphs behind HTTP.

use super::CliError;
use crate::service::{self, Options};

pub fn run(options: Options) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Start(error.to_string()))?;
    let served = runtime.block_on(service::serve(options, |_| axum::Router::new()));
    // A build in flight is begun again at the next start, so nobody waits for it.
    runtime.shutdown_background();
    Ok(served?)
}
