//! One file a subcommand; the only place that prints.

mod code;
mod config;
mod eval;
mod generate;
mod get;
mod index;
mod mcp;
mod page;
mod search;
mod serve;
mod token;

use std::{io::IsTerminal as _, path::PathBuf, process::ExitCode};

use anstream::eprintln;
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

use crate::{
    code::CodeError,
    config::{Command, Config},
    discovery::DiscoveryError,
    embedding::{Embedder, EmbeddingError, ModelSource},
    index::{Index, IndexError},
    local::Target,
    schema::{self, SchemaError},
};
use page::{BOLD, ERROR};

/// Why a subcommand failed; the message goes to standard error.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Embedding(#[from] EmbeddingError),
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    #[error(transparent)]
    Code(#[from] CodeError),
    #[error(transparent)]
    Mcp(#[from] crate::mcp::McpError),
    #[error(transparent)]
    Service(#[from] crate::service::ServiceError),
    #[error(transparent)]
    Token(#[from] crate::service::token::KeyError),
    #[error("cannot measure on the rows in `{}`: {reason}", .folder.display())]
    Rows { folder: PathBuf, reason: String },
    #[error("cannot plan with the weights in `{}`: {reason}; they are to look like src/generate/plan/weights.json", .file.display())]
    Weights { file: PathBuf, reason: String },
    #[error("`{0}` is not in the index; `sextant search` finds what is")]
    NotFound(String),
    #[error("the index would overwrite the schema `{}`; name another file with --out", .0.display())]
    Overwrite(PathBuf),
    #[error("cannot print the answer: {0}")]
    Output(#[from] std::io::Error),
    #[error("cannot start: {0}")]
    Start(String),
}

/// Runs a subcommand. Answers go to standard output, everything else to
/// standard error; the exit code is 0, or 1 where there is no answer.
#[must_use]
pub fn run(config: Config) -> ExitCode {
    if let Err(error) = log_to_stderr(&config.log) {
        eprintln!("{ERROR}error{ERROR:#}: {error}");
        return ExitCode::FAILURE;
    }
    let done = match config.command {
        Command::Index { source, out, model } => index::run(&source, &out, &model),
        Command::Search { target, reader, request, form } => {
            search::run(target, &reader, &request, form)
        }
        Command::Get { target, model, request, json } => get::run(target, &model, &request, json),
        Command::Generate { target, reader, order, json } => {
            generate::run(target, &reader, order, json)
        }
        Command::Mcp(serving) => mcp::run(serving),
        Command::Code(command) => code::run(&command),
        Command::Serve(options) => serve::run(*options),
        Command::Token(order) => token::run(&order),
        Command::Eval { evaluation, reader } => eval::run(&evaluation, &reader),
        Command::Config { settings } => config::run(&settings),
    };
    match done {
        // Whoever read the answer has seen enough of it: `sextant search … | head`.
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{ERROR}error{ERROR:#}: {error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

fn log_to_stderr(filter: &str) -> Result<(), CliError> {
    let filter = log_filter(filter).ok_or_else(|| {
        CliError::Start(format!(
            "`{filter}` is no log level; give error, warn, info, debug or trace, or directives such as sextant=debug"
        ))
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .try_init()
        .map_err(|error| CliError::Start(error.to_string()))
}

/// A bare word would be read as the name of a module, and silence everything.
fn log_filter(text: &str) -> Option<EnvFilter> {
    let bare = |part: &str| part.contains('=') || part.parse::<LevelFilter>().is_ok();
    text.split(',').all(|part| bare(part.trim())).then(|| EnvFilter::try_new(text).ok())?
}

/// Opens what a question is about. A schema without an index is indexed first,
/// with its progress shown.
fn open(target: Target, model: &ModelSource) -> Result<Index, CliError> {
    match target {
        Target::Index(path) => Ok(Index::open(&path)?),
        Target::Schema { source, cache } => {
            let schema = schema::load(&source)?;
            let name = source.to_string();
            if let Some(index) = cache.find(&schema.hash, &model.identity()?) {
                return Ok(index);
            }
            let embedder = Embedder::load(model)?;
            let mut progress = index::Bar::default();
            let (index, _) =
                cache.open_or_build(&schema, &name, &embedder, |step| progress.show(step))?;
            progress.clear();
            eprintln!("{BOLD}{name}{BOLD:#} is indexed; the next question takes no time");
            Ok(index)
        }
    }
}
