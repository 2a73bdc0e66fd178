//! Flags and environment, first as they are given, then as one checked value
//! that the rest of the program takes.

mod access;
mod code;
mod file;
mod llm;
mod mcp;
mod service;

use std::{ffi::OsString, path::PathBuf};

use clap::{
    ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    builder::FalseyValueParser, parser::ValueSource,
};

pub use code::{CodeCommand, CodeTarget};
pub use file::{Origin, Setting};
pub use mcp::{Backend, Serving, Transport};
pub use service::{Adapter, TokenOrder};

use crate::{
    discovery::{GenerateRequest, SearchRequest, SymbolsRequest},
    embedding::ModelSource,
    generate::llm::Settings,
    index::{Cache, Vocabulary},
    local::{Reader, Target},
    schema::Source,
    service::Options,
};
use access::AccessArguments;
use file::ConfigFile;
use llm::LlmArguments;
use mcp::McpArguments;
use service::{AdapterArguments, ServeArguments, TokenArguments};

/// What the program was asked to do, checked.
#[derive(Debug)]
pub struct Config {
    /// The log filter: a level, or directives as `tracing` knows them.
    pub log: String,
    /// The task.
    pub command: Command,
}

/// A task, with all that it needs.
#[derive(Debug)]
pub enum Command {
    /// Build an index.
    Index {
        /// The schema.
        source: Source,
        /// The file to make.
        out: PathBuf,
        /// The model.
        model: ModelSource,
    },
    /// Rank elements against a topic.
    Search {
        /// Where to search.
        target: Target,
        /// How the topic is read.
        reader: Reader,
        /// The tool's request.
        request: SearchRequest,
        /// What to print.
        form: Form,
    },
    /// Read records.
    Get {
        /// Where to look.
        target: Target,
        /// The model, for a schema that has no index yet.
        model: ModelSource,
        /// The tool's request.
        request: SymbolsRequest,
        /// Print the tool's JSON rather than a page for people.
        json: bool,
    },
    /// Write an operation.
    Generate {
        /// What it is for.
        target: Target,
        /// How the prompt is read.
        reader: Reader,
        /// What to write.
        order: Order,
        /// Print the tool's JSON rather than a page for people.
        json: bool,
    },
    /// Serve MCP.
    Mcp(Serving),
    /// Search, index or ask code.
    Code(CodeCommand),
    /// Serve many graphs over HTTP.
    Serve(Box<Options>),
    /// Make a token for such a service.
    Token(TokenOrder),
    /// Measure search and generation on questions whose answers are known.
    Eval {
        /// What to measure.
        evaluation: Evaluation,
        /// How questions are read.
        reader: Reader,
    },
    /// Say what takes effect.
    Config {
        /// Each flag of the subcommand that was asked about.
        settings: Vec<Setting>,
    },
}

/// An operation to write.
#[derive(Debug)]
pub struct Order {
    /// The tool's request.
    pub request: GenerateRequest,
    /// Where to run it, for the guidance.
    pub endpoint: Option<String>,
    /// A language model that writes it.
    pub language_model: Option<Settings>,
}

/// What to print of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line a hit.
    Page,
    /// A line a hit, and below it why it stands there.
    Explained,
    /// What the MCP tool answers.
    Json,
}

/// What to measure.
#[derive(Debug)]
pub struct Evaluation {
    /// The folder of rows.
    pub data: PathBuf,
    /// The folder of schemas, `NAME.graphql` each.
    pub schemas: PathBuf,
    /// Only these schemas; all that rows name where empty.
    pub only: Vec<String>,
    /// A file for what each question's candidates are judged by.
    pub features: Option<PathBuf>,
    /// A file for what the planner judges by on each question with an operation;
    /// figures are left out then.
    pub plan_features: Option<PathBuf>,
    /// The weights that trees are grown by for that file; the bundled ones where
    /// absent.
    pub plan_weights: Option<PathBuf>,
    /// Where indexes are kept.
    pub cache: Cache,
}

impl Config {
    /// Reads the command line and the environment. Prints help, the version and
    /// mistakes in the usual way, and ends the process there.
    #[must_use]
    pub fn from_command_line() -> Self {
        Self::parse(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    /// The mistake, or the help or version that was asked for.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let named = ConfigFile::named_by(
            without_empty_variables(Arguments::command()),
            &Arguments::command(),
            &arguments,
        );
        let file = named.map_err(|error| mistake(&error))?;
        let command = file.iter().fold(Arguments::command(), |command, file| file.applied(command));
        let matches = without_empty_variables(command).try_get_matches_from(&arguments)?;
        let arguments = Arguments::from_arg_matches(&matches)?;
        let given = |name: &str| {
            let command = matches.subcommand().map(|(_, matches)| matches);
            command
                .is_some_and(|command| command.value_source(name) == Some(ValueSource::CommandLine))
        };
        let (command, log) = match arguments.command {
            Subcommands::Index(IndexArguments { source, out, header, model }) => {
                let source = checked_source(&source, &header)?;
                let out = out.unwrap_or_else(|| default_out(&source));
                (Command::Index { source, out, model: model.source() }, "warn")
            }
            Subcommands::Search(search) => (search.checked(given)?, "warn"),
            Subcommands::Get(GetArguments { coordinate, json, target, model }) => {
                let request = SymbolsRequest { coordinates: coordinate };
                let target = target.checked(given)?;
                (Command::Get { target, model: model.source(), request, json }, "warn")
            }
            Subcommands::Generate(GenerateArguments {
                prompt,
                json,
                endpoint,
                llm,
                target,
                reader,
            }) => {
                let (target, reader) = (target.checked(given)?, reader.checked()?);
                let order = Order {
                    request: GenerateRequest { prompt },
                    endpoint: endpoint.checked()?,
                    language_model: llm.checked()?,
                };
                (Command::Generate { target, reader, order, json }, "warn")
            }
            Subcommands::Mcp(mcp) => {
                let serving = mcp.checked(given)?;
                let log = serving.transport.log();
                (Command::Mcp(serving), log)
            }
            Subcommands::Code { command } => (Command::Code(command.checked()?), "warn"),
            Subcommands::Serve(serve) => (Command::Serve(Box::new(serve.checked()?)), "info"),
            Subcommands::Token(token) => (Command::Token(token.checked()?), "warn"),
            Subcommands::Eval(eval) => (eval.checked()?, "warn"),
            Subcommands::Config(ConfigArguments { command: ConfigCommand::Check { of } }) => {
                (Command::Config { settings: effective(file.as_ref(), of)? }, "warn")
            }
        };
        Ok(Self { log: arguments.log.unwrap_or_else(|| log.to_owned()), command })
    }
}

/// Finds the way in a GraphQL graph that is too large to read.
#[derive(Debug, Parser)]
#[command(name = "sextant", version, propagate_version = true)]
struct Arguments {
    /// What to log to standard error: error, warn, info, debug or trace
    #[arg(long, global = true, env = "SEXTANT_LOG", value_name = "LEVEL")]
    log: Option<String>,
    /// A file of settings in TOML; a variable beats it, and a flag both
    #[arg(long, global = true, env = "SEXTANT_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Build an index file from a schema
    Index(IndexArguments),
    /// Rank a schema's elements against a topic
    Search(SearchArguments),
    /// Read the records of coordinates
    Get(GetArguments),
    /// Write an operation from a description of the data
    Generate(GenerateArguments),
    /// Serve the tools over MCP, on standard input and output or over HTTP
    Mcp(Box<McpArguments>),
    /// Search the code behind a graph, index it, and ask who calls whom
    Code {
        #[command(subcommand)]
        command: code::CodeSubcommands,
    },
    /// Serve many graphs over HTTP
    Serve(ServeArguments),
    /// Make a token for such a service
    Token(TokenArguments),
    /// Measure search on questions whose answers are known
    Eval(EvalArguments),
    /// Say which settings take effect
    Config(ConfigArguments),
}

#[derive(Debug, Args)]
struct IndexArguments {
    /// An SDL file, a folder of them, `-`, an introspection result, a router's execution config, or an endpoint's URL
    #[arg(env = "SEXTANT_SCHEMA")]
    source: String,
    /// The file to make [default: the source's name with .sqlite, here]
    #[arg(long, env = "SEXTANT_OUT", value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    header: HeaderArguments,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Debug, Args)]
struct SearchArguments {
    /// The topic, in your own words
    topic: String,
    /// Only this kind; may be given several times
    #[arg(long, env = "SEXTANT_KIND", value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Only the members of this coordinate, for example object:Query
    #[arg(long, env = "SEXTANT_PARENT", value_name = "COORDINATE")]
    parent: Option<String>,
    /// Only (true), or no (false), Relay connection fields
    #[arg(long, env = "SEXTANT_PAGINATED", value_name = "BOOL", action = ArgAction::Set)]
    paginated: Option<bool>,
    /// How many hits, 1 to 200 [default: 10]
    #[arg(long, env = "SEXTANT_LIMIT", value_name = "N")]
    limit: Option<u32>,
    /// Show below each hit its rank on each leg, and what each feature added
    #[arg(long, env = "SEXTANT_EXPLAIN", value_parser = FalseyValueParser::new())]
    explain: bool,
    /// Print what the MCP tool answers
    #[arg(long, env = "SEXTANT_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    reader: ReaderArguments,
}

#[derive(Debug, Args)]
struct GetArguments {
    /// Coordinates, for example field:Employee.details
    #[arg(required = true)]
    coordinate: Vec<String>,
    /// Print what the MCP tool answers
    #[arg(long, env = "SEXTANT_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Debug, Args)]
struct GenerateArguments {
    /// The data that you want, in your own words
    prompt: String,
    /// Print what the MCP tool answers
    #[arg(long, env = "SEXTANT_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    #[command(flatten)]
    endpoint: EndpointArguments,
    #[command(flatten)]
    llm: LlmArguments,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    reader: ReaderArguments,
}

#[derive(Debug, Args)]
struct EndpointArguments {
    /// The URL at which operations are run; it is told to those who ask for one, and never called
    #[arg(long, env = "SEXTANT_ENDPOINT", value_name = "URL")]
    endpoint: Option<String>,
}

#[derive(Debug, Args)]
struct EvalArguments {
    /// A folder of questions: *.jsonl, a prompt, a graded topic or an operation a line
    data: PathBuf,
    /// A folder of the schemas they are about, NAME.graphql each
    #[arg(long, env = "SEXTANT_SCHEMAS", value_name = "DIR")]
    schemas: PathBuf,
    /// Only this schema; may be given several times
    #[arg(long, env = "SEXTANT_ONLY", value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// A file for what each question's candidates are judged by, to fit weights on
    #[arg(long, env = "SEXTANT_FEATURES", value_name = "FILE")]
    features: Option<PathBuf>,
    /// A file for what the planner judges by, to fit its weights on; no figures then
    #[arg(long, env = "SEXTANT_PLAN_FEATURES", value_name = "FILE")]
    plan_features: Option<PathBuf>,
    /// Weights to grow the trees of --plan-features by, in place of the bundled ones
    #[arg(long, env = "SEXTANT_PLAN_WEIGHTS", value_name = "FILE", requires = "plan_features")]
    plan_weights: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    reader: ReaderArguments,
}

#[derive(Debug, Args)]
struct ConfigArguments {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Check what flags, environment and --config say, and print what takes effect
    Check {
        /// The subcommand to check, with its flags
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "SUBCOMMAND"
        )]
        of: Vec<OsString>,
    },
}

#[derive(Debug, Args)]
struct ReaderArguments {
    /// A file of near words, added to the bundled ones
    #[arg(long, env = "SEXTANT_SYNONYMS", value_name = "FILE")]
    synonyms: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Clone, Debug, Args)]
struct CacheArguments {
    /// Where indexes of schemas are kept [default: the platform's cache folder]
    #[arg(long, env = "SEXTANT_CACHE_DIR", value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

impl SearchArguments {
    fn checked(self, given: impl Fn(&str) -> bool) -> Result<Command, clap::Error> {
        let Self { topic, kind, parent, paginated, limit, explain, json, target, reader } = self;
        let request = SearchRequest {
            query: topic,
            kinds: (!kind.is_empty()).then_some(kind),
            limit,
            parent,
            paginated,
        };
        let form = match (json, explain) {
            (true, _) => Form::Json,
            (false, true) => Form::Explained,
            (false, false) => Form::Page,
        };
        let (target, reader) = (target.checked(given)?, reader.checked()?);
        Ok(Command::Search { target, reader, request, form })
    }
}

impl EvalArguments {
    fn checked(self) -> Result<Command, clap::Error> {
        let Self { data, schemas, only, features, plan_features, plan_weights, cache, reader } =
            self;
        let cache = cache.checked()?;
        let evaluation =
            Evaluation { data, schemas, only, features, plan_features, plan_weights, cache };
        Ok(Command::Eval { evaluation, reader: reader.checked()? })
    }
}

impl ReaderArguments {
    fn checked(self) -> Result<Reader, clap::Error> {
        let vocabulary = match self.synonyms {
            None => Vocabulary::bundled(),
            Some(file) => Vocabulary::with_file(&file).map_err(|error| {
                mistake(&format!("cannot read the near words in `{}`: {error}", file.display()))
            })?,
        };
        Ok(Reader { model: self.model.source(), vocabulary })
    }
}

impl EndpointArguments {
    /// It goes to whoever asks, so it must be no place for secrets.
    fn checked(self) -> Result<Option<String>, clap::Error> {
        if let Some(endpoint) = &self.endpoint {
            match Source::parse(endpoint, &[]) {
                Ok(Source::Endpoint { .. }) => {}
                Ok(_) => {
                    return Err(mistake(&format!(
                        "`{endpoint}` is no endpoint; --endpoint takes a URL that begins with http:// or https://"
                    )));
                }
                Err(error) => return Err(mistake(&error.to_string())),
            }
        }
        Ok(self.endpoint)
    }
}

impl CacheArguments {
    fn checked(self) -> Result<Cache, clap::Error> {
        self.cache_dir.map(Cache::new).or_else(Cache::of_platform).ok_or_else(|| {
            mistake("there is no home folder to keep the index in; name a folder with --cache-dir")
        })
    }
}

#[derive(Debug, Args)]
struct TargetArguments {
    /// An index file made by `sextant index`
    #[arg(long, env = "SEXTANT_INDEX", value_name = "FILE")]
    index: Option<PathBuf>,
    /// A schema, indexed on demand and kept in the cache; as `sextant index` takes it
    #[arg(long, env = "SEXTANT_SCHEMA", value_name = "SOURCE")]
    schema: Option<String>,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    header: HeaderArguments,
}

#[derive(Debug, Args)]
struct HeaderArguments {
    /// A header for the endpoint, 'Name: value'; may be given several times (in the environment, one a line)
    #[arg(
        long,
        env = "SEXTANT_HEADER",
        hide_env_values = true,
        value_name = "HEADER",
        value_delimiter = '\n'
    )]
    header: Vec<String>,
}

#[derive(Debug, Args)]
struct ModelArguments {
    /// A folder with another BERT-family model: model.onnx, tokenizer.json, config.json [default: the bundled one]
    #[arg(long, env = "SEXTANT_MODEL", value_name = "DIR")]
    model: Option<PathBuf>,
}

impl ModelArguments {
    fn source(self) -> ModelSource {
        self.model.map_or(ModelSource::Bundled, ModelSource::Folder)
    }
}

impl TargetArguments {
    fn is_empty(&self) -> bool {
        self.index.is_none() && self.schema.is_none()
    }

    /// The schema that a service is given.
    fn source(self, given: impl Fn(&str) -> bool) -> Result<Source, clap::Error> {
        if given("index") {
            return Err(mistake(
                "a service builds its own index; give --schema SOURCE, not --index",
            ));
        }
        let schema = self.schema.ok_or_else(|| {
            mistake("the schema that the service is given is missing; give --schema SOURCE")
        })?;
        checked_source(&schema, &self.header)
    }

    /// A flag beats the environment; two flags, or two variables, are a mistake.
    fn checked(self, given: impl Fn(&str) -> bool) -> Result<Target, clap::Error> {
        let Self { index, schema, cache, header } = self;
        match (index, schema) {
            (Some(_), Some(_)) if given("index") == given("schema") => {
                Err(mistake("--index and --schema exclude each other; give one"))
            }
            (Some(index), schema) if schema.is_none() || given("index") => Ok(Target::Index(index)),
            (_, Some(schema)) => {
                let source = checked_source(&schema, &header)?;
                let cache = cache.checked()?;
                Ok(Target::Schema { source, cache })
            }
            _ => Err(mistake("what to search is missing; give --index FILE, or --schema SOURCE")),
        }
    }
}

fn checked_source(source: &str, headers: &HeaderArguments) -> Result<Source, clap::Error> {
    Source::parse(source, &headers.header).map_err(|error| mistake(&error.to_string()))
}

/// The settings of a command line, which must be right as a whole.
fn effective(file: Option<&ConfigFile>, of: Vec<OsString>) -> Result<Vec<Setting>, clap::Error> {
    let command = file.iter().fold(Arguments::command(), |command, file| file.applied(command));
    let mut arguments = vec![OsString::from(command.get_name())];
    if let Some(file) = file {
        arguments.extend(["--config".into(), file.path().into()]);
    }
    arguments.extend(of);
    Config::parse(arguments.clone())?;
    let matches = without_empty_variables(command.clone()).try_get_matches_from(arguments)?;
    let mut settings = Vec::new();
    let (mut command, mut matches) = (&command, &matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else {
            break;
        };
        (command, matches) = (subcommand, below);
        settings.extend(ConfigFile::settings(file, command, matches));
    }
    Ok(settings)
}

/// A variable that is set to nothing counts as not set, as elsewhere.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |argument: &clap::Arg| {
        argument
            .get_env()
            .is_some_and(|name| std::env::var_os(name).is_some_and(|value| value.is_empty()))
    };
    let command =
        command.mut_args(
            |argument| {
                if is_empty(&argument) { argument.env(None::<&str>) } else { argument }
            },
        );
    command.mut_subcommands(without_empty_variables)
}

/// `github.graphql` becomes `github.sqlite` in the current folder; what has no
/// name of its own becomes `schema.sqlite`.
fn default_out(source: &Source) -> PathBuf {
    let stem = source.watch_paths().and_then(|path| path.file_stem());
    PathBuf::from(stem.unwrap_or("schema".as_ref())).with_added_extension("sqlite")
}

fn mistake(message: &str) -> clap::Error {
    Arguments::command().error(clap::error::ErrorKind::ValueValidation, message)
}
