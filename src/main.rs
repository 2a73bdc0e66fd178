//! The `sextant` program.

use std::process::ExitCode;

#[expect(unsafe_code, reason = "the environment is written before any thread runs")]
fn main() -> ExitCode {
    // ONNX Runtime would report its use over the network, and keep an identity in
    // the home folder; it reads its consent from here only.
    // SAFETY: no other thread runs yet that could read the environment.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
    sextant::cli::run(sextant::config::Config::from_command_line())
}
