//! The `sextant` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    sextant::cli::run(sextant::config::Config::from_command_line())
}
