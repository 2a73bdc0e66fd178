//! `sextant token`: a token for the service, on standard output.

use std::io::Write as _;

use anstream::stdout;
use secrecy::ExposeSecret as _;

use super::CliError;
use crate::config::TokenOrder;

pub fn run(order: &TokenOrder) -> Result<(), CliError> {
    let token = order.keys.sign(&order.graphs, order.scope, order.ttl)?;
    writeln!(stdout().lock(), "{}", token.expose_secret())?;
    Ok(())
}
