//! A configuration file: in TOML, what the environment would say otherwise.
//!
//! `cache-dir = "/var/cache/sextant"` does what `SEXTANT_CACHE_DIR` does, for
//! every subcommand that has the flag; below `[mcp]`, for that one only. A flag
//! beats a variable, and a variable the file.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::parser::ValueSource;

/// The largest file that is read, in bytes; a longer one is none of ours.
const MAX_BYTES: u64 = 1 << 20;
/// What stands for a value that is a secret.
const MASK: &str = "(secret)";

/// The values of a file, and where it is.
#[derive(Debug)]
pub struct ConfigFile {
    path: PathBuf,
    /// By section (none for all subcommands) and key.
    values: BTreeMap<(Option<String>, String), Vec<String>>,
}

/// One setting of a subcommand, as it takes effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The flag, `--limit`.
    pub flag: String,
    /// What it is set to; several values with commas, a secret masked, none where
    /// it is not set.
    pub value: Option<String>,
    /// Who says so.
    pub origin: Origin,
}

/// Who says what a setting is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag,
    /// The environment, by this variable.
    Variable(String),
    /// The configuration file.
    File(PathBuf),
    /// Nobody.
    Default,
}

impl ConfigFile {
    /// Reads the file that the command line or the environment names, if any.
    /// `asked` is the command as the environment is to be read, `whole` as it is
    /// declared.
    ///
    /// # Errors
    /// What is wrong with the file, as a sentence.
    pub fn named_by(
        asked: clap::Command,
        whole: &clap::Command,
        arguments: &[OsString],
    ) -> Result<Option<Self>, String> {
        // Whatever else is wrong with the arguments is told once they count.
        let lenient = asked.ignore_errors(true).try_get_matches_from(arguments);
        let Ok(matches) = lenient else {
            return Ok(None);
        };
        let mut named: Option<PathBuf> = None;
        let mut open = Some(&matches);
        while let Some(matches) = open {
            let here = matches.try_get_one::<PathBuf>("config").ok().flatten();
            named = here.cloned().or(named);
            open = matches.subcommand().map(|(_, below)| below);
        }
        let Some(path) = named else {
            return Ok(None);
        };
        let file = Self::read(&path)?;
        file.check(whole)?;
        Ok(Some(file))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn read(path: &Path) -> Result<Self, String> {
        let told = |reason: &dyn std::fmt::Display| {
            format!("cannot read the configuration file `{}`: {reason}", path.display())
        };
        let length = fs::metadata(path).map_err(|error| told(&error))?.len();
        if length > MAX_BYTES {
            return Err(told(&format!("it has {length} bytes, and {MAX_BYTES} is the most")));
        }
        let text = fs::read_to_string(path).map_err(|error| told(&error))?;
        // The error quotes the line, which may hold a secret.
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
            });
            told(&format!("line {line} is not TOML: {}", error.message()))
        })?;
        let mut values = BTreeMap::new();
        for (key, value) in table {
            match value {
                toml::Value::Table(section) => {
                    for (name, value) in section {
                        let value = texts(&value).ok_or_else(|| told(&not_plain(&name)))?;
                        values.insert((Some(key.clone()), name), value);
                    }
                }
                value => {
                    let value = texts(&value).ok_or_else(|| told(&not_plain(&key)))?;
                    values.insert((None, key), value);
                }
            }
        }
        Ok(Self { path: path.to_owned(), values })
    }

    /// Every key must be a flag's, so that a slip of the pen is told.
    fn check(&self, command: &clap::Command) -> Result<(), String> {
        for (section, key) in self.values.keys() {
            let within: Vec<&clap::Command> = match section {
                None => command.get_subcommands().collect(),
                Some(name) => vec![command.find_subcommand(name).ok_or_else(|| {
                    format!(
                        "`{}` has a section [{name}], and sextant has no such subcommand",
                        self.path.display()
                    )
                })?],
            };
            let mut known: BTreeSet<String> = keys(command).collect();
            for subcommand in within {
                known.extend(all_keys(subcommand));
            }
            if !known.contains(key) {
                let place =
                    section.as_ref().map_or_else(String::new, |name| format!(" in [{name}]"));
                return Err(format!(
                    "`{}` sets `{key}`{place}, and there is no such flag; the keys there are {}",
                    self.path.display(),
                    known.into_iter().collect::<Vec<_>>().join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The command, where the file's values stand in for what neither a flag nor
    /// a variable says.
    #[must_use]
    pub fn applied(&self, command: clap::Command) -> clap::Command {
        let command = command.mut_args(|argument| self.with_default(argument, None));
        command.mut_subcommands(|subcommand| {
            let section = subcommand.get_name().to_owned();
            self.applied_below(subcommand, &section)
        })
    }

    fn applied_below(&self, command: clap::Command, section: &str) -> clap::Command {
        command
            .mut_args(|argument| self.with_default(argument, Some(section)))
            .mut_subcommands(|subcommand| self.applied_below(subcommand, section))
    }

    fn with_default(&self, argument: clap::Arg, section: Option<&str>) -> clap::Arg {
        let Some(values) = key(&argument).and_then(|key| self.find(section, &key)) else {
            return argument;
        };
        argument.required(false).default_values(values.clone())
    }

    fn find(&self, section: Option<&str>, key: &str) -> Option<&Vec<String>> {
        let of =
            |section: Option<&str>| self.values.get(&(section.map(str::to_owned), key.to_owned()));
        section.and_then(|section| of(Some(section))).or_else(|| of(None))
    }

    /// The settings of a subcommand, as they take effect.
    #[must_use]
    pub fn settings(
        file: Option<&Self>,
        subcommand: &clap::Command,
        matches: &clap::ArgMatches,
    ) -> Vec<Setting> {
        let section = Some(subcommand.get_name());
        let setting = |argument: &clap::Arg| {
            let key = key(argument)?;
            let id = argument.get_id().as_str();
            let value = matches.get_raw(id).map(|values| {
                let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
                if argument.is_hide_env_values_set() { MASK.to_owned() } else { values.join(", ") }
            });
            let origin = match matches.value_source(id) {
                Some(ValueSource::CommandLine) => Origin::Flag,
                Some(ValueSource::EnvVariable) => Origin::Variable(variable(argument)?),
                _ => match file.filter(|file| file.find(section, &key).is_some()) {
                    Some(file) => Origin::File(file.path.clone()),
                    None => Origin::Default,
                },
            };
            Some(Setting { flag: format!("--{key}"), value, origin })
        };
        subcommand.get_arguments().filter_map(setting).collect()
    }
}

fn not_plain(key: &str) -> String {
    format!("`{key}` must be a string, a number, true, false, or a list of those")
}

/// A value as the environment would have it; none where it is no plain one.
fn texts(value: &toml::Value) -> Option<Vec<String>> {
    match value {
        toml::Value::String(text) => Some(vec![text.clone()]),
        toml::Value::Integer(number) => Some(vec![number.to_string()]),
        toml::Value::Float(number) => Some(vec![number.to_string()]),
        toml::Value::Boolean(yes) => Some(vec![yes.to_string()]),
        toml::Value::Array(values) if values.iter().all(|value| !value.is_array()) => {
            let all: Option<Vec<Vec<String>>> = values.iter().map(texts).collect();
            Some(all?.concat())
        }
        _ => None,
    }
}

fn variable(argument: &clap::Arg) -> Option<String> {
    Some(argument.get_env()?.to_str()?.to_owned())
}

/// The key of an argument: that of its variable, `cache-dir` of
/// `SEXTANT_CACHE_DIR`. The file's own name is no setting in it.
fn key(argument: &clap::Arg) -> Option<String> {
    let variable = variable(argument)?;
    let key = variable.strip_prefix("SEXTANT_")?.to_lowercase().replace('_', "-");
    (key != "config").then_some(key)
}

fn keys(command: &clap::Command) -> impl Iterator<Item = String> + '_ {
    command.get_arguments().filter_map(key)
}

/// The keys of a subcommand and of those below it.
fn all_keys(command: &clap::Command) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        all.extend(keys(command));
        open.extend(command.get_subcommands());
    }
    all
}
