//! The flags of a language model that writes operations.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::mistake;
use crate::generate::llm::{DEFAULT_TIMEOUT, DEFAULT_TOKENS, Endpoint, Settings, TOKENS};

/// The longest that a model may be waited for, in seconds: an hour.
const MAX_TIMEOUT: u64 = 3_600;

#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "flags are named after the fields")]
pub(super) struct LlmArguments {
    /// The URL of an OpenAI-compatible server whose model writes operations, such as `http://localhost:11434`; one without a path gets /v1 [default: none, and operations are planned without a model]
    #[arg(long, env = "SEXTANT_LLM_URL", hide_env_values = true, value_name = "URL")]
    llm_url: Option<String>,
    /// The name of the language model at --llm-url
    #[arg(long, env = "SEXTANT_LLM_MODEL", value_name = "NAME")]
    llm_model: Option<String>,
    /// A file with the key for --llm-url, which must then be https:// or on this machine
    #[arg(long, env = "SEXTANT_LLM_KEY_FILE", value_name = "FILE")]
    llm_key_file: Option<PathBuf>,
    /// The most tokens of the schema that the language model is shown [default: 5000]
    #[arg(long, env = "SEXTANT_LLM_TOKENS", value_name = "N")]
    llm_tokens: Option<u32>,
    /// How long the language model may take for a prompt, in seconds; then the planned operation is the answer [default: 45]
    #[arg(long, env = "SEXTANT_LLM_TIMEOUT", value_name = "SECONDS")]
    llm_timeout: Option<u64>,
}

impl LlmArguments {
    /// None where no model is configured; half of one is a mistake.
    pub(super) fn checked(self) -> Result<Option<Settings>, clap::Error> {
        let Self { llm_url, llm_model, llm_key_file, llm_tokens, llm_timeout } = self;
        let (url, model) = match (llm_url, llm_model) {
            (Some(url), Some(model)) => (url, model),
            (Some(_), None) => {
                return Err(mistake(
                    "--llm-url needs the name of a language model there; give --llm-model NAME",
                ));
            }
            (None, model) => {
                let stray = [
                    (model.is_some(), "--llm-model"),
                    (llm_key_file.is_some(), "--llm-key-file"),
                    (llm_tokens.is_some(), "--llm-tokens"),
                    (llm_timeout.is_some(), "--llm-timeout"),
                ];
                return match stray.into_iter().find(|(is_given, _)| *is_given) {
                    None => Ok(None),
                    Some((_, flag)) => Err(mistake(&format!(
                        "{flag} is about a language model, and there is none; give --llm-url URL too"
                    ))),
                };
            }
        };
        let tokens = match llm_tokens {
            None => DEFAULT_TOKENS,
            Some(tokens) if TOKENS.contains(&tokens) => tokens as usize,
            Some(tokens) => {
                let (least, most) = (TOKENS.start(), TOKENS.end());
                return Err(mistake(&format!(
                    "--llm-tokens is {tokens}, and must be from {least} to {most}"
                )));
            }
        };
        let timeout = match llm_timeout {
            None => DEFAULT_TIMEOUT,
            Some(seconds @ 1..=MAX_TIMEOUT) => Duration::from_secs(seconds),
            Some(seconds) => {
                return Err(mistake(&format!(
                    "--llm-timeout is {seconds}, and must be from 1 to {MAX_TIMEOUT} seconds"
                )));
            }
        };
        let endpoint = Endpoint::new(&url, llm_key_file.as_deref())
            .map_err(|error| mistake(&error.to_string()))?;
        Ok(Some(Settings { endpoint, model, tokens, timeout }))
    }
}
