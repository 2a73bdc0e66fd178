//! An operation by a language model, where one is configured.
//!
//! The plan's own answer is made first, whatever follows. The model then gets
//! the prompt, a `slice` of the schema and the plan's documents as a `brief`;
//! `endpoint` asks it, `answer` finds the document in what it says, `lift` makes
//! every value a variable, and `verdict` has it proved as the plan's own are.
//! What is wrong goes back to the model twice. Where that does not help, or the
//! endpoint fails, is slow or says something else altogether, the plan's own
//! answer is the answer, and a line in the log says why.
//!
//! A schema's descriptions and the model itself are not trusted: what comes back
//! may only be an operation of the kind that the plan reads from the prompt, and
//! a mutation only one of those that the excerpt shows.

mod answer;
mod binding;
mod brief;
mod endpoint;
mod lift;
mod place;
mod slice;
mod verdict;

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::{MissedTickBehavior, interval, timeout};

pub use place::{Endpoint, SettingsError};

use super::{Draft, missing, prompt::Prompt};
use crate::{
    discovery::{GenerateRequest, GenerateResponse, OnProgress, OperationType, Progress},
    embedding::Embedder,
    index::{Index, IndexError, Root},
    schema::Schema,
};
use endpoint::{Asker, Failure, Message};
use slice::Slice;
use verdict::{Case, Scope, Verdict};

/// How many tokens of the schema a model is shown where nothing else is said:
/// with the rest it fits the 8,192 that small local models are often run with.
pub const DEFAULT_TOKENS: usize = 5_000;
/// The least and the most tokens that can be asked for. With fewer not even the
/// draft's fields fit; the largest models read a million.
pub const TOKENS: std::ops::RangeInclusive<u32> = 200..=500_000;
/// How long a model may take over all where nothing else is said. Hosted ones
/// answer in 10 to 30 seconds, and clients give up after a minute.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45);

/// How often a model is asked: once, and twice more with what is wrong.
const ATTEMPTS: usize = 3;
/// How often whoever waits hears that the model is still at work.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// A language model, as it is configured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Its name there.
    pub model: String,
    /// The most tokens of the schema that it is shown.
    pub tokens: usize,
    /// How long it may take for one prompt, all attempts together.
    pub timeout: Duration,
}

/// A language model that writes operations.
pub struct LanguageModel {
    asker: Asker,
    tokens: usize,
    timeout: Duration,
}

/// A prompt for a model, with all that is needed to answer it.
pub struct Commission {
    messages: Vec<Message>,
    /// What is answered where the model fails.
    own: GenerateResponse,
    case: Arc<Case>,
}

/// Why the plan's own answer is the answer.
#[derive(Debug, thiserror::Error)]
enum Setback {
    #[error(transparent)]
    Endpoint(#[from] Failure),
    #[error("it takes longer than {} s", .0.as_secs())]
    Slow(Duration),
    #[error("it finds nothing in the schema that answers the prompt")]
    Nothing,
    #[error("none of its answers can be used")]
    Refused,
    #[error("its answer cannot be judged: {0}")]
    Unjudged(String),
}

impl Commission {
    /// Plans an answer, and says what to ask a model. The request is taken as
    /// checked; `endpoint` is where operations are run.
    ///
    /// # Errors
    /// As [`super::generate`].
    pub fn of(
        (index, embedder): (&Arc<Index>, &Arc<Embedder>),
        request: &GenerateRequest,
        endpoint: Option<String>,
        tokens: usize,
    ) -> Result<Self, IndexError> {
        let draft = Draft::of(index, embedder, request)?;
        let own = draft.respond(index, embedder, endpoint.as_deref())?;
        let prompt = Prompt::read(&draft.text);
        let kinds = kinds(&draft, &prompt);
        let selections: Vec<_> = draft.proved().map(|(plan, _)| &plan.selection).collect();
        let documents: Vec<&str> =
            draft.proved().map(|(_, operation)| operation.document.as_str()).collect();
        let asked = (draft.text.as_str(), kinds.as_slice());
        let slice = Slice::of((index, embedder), draft.schema, asked, &selections, tokens)?;
        let messages = brief::opening(asked.0, asked.1, &slice.sdl(), &documents);
        let mutations = shown_mutations(draft.schema, &slice);
        let missing = missing::missing(index, &prompt)?;
        let was_graphql = draft.was_graphql;
        let case = Case {
            index: Arc::clone(index),
            embedder: Arc::clone(embedder),
            prompt,
            was_graphql,
            missing,
            scope: Scope { kinds, mutations },
            endpoint,
        };
        Ok(Self { messages, own, case: Arc::new(case) })
    }
}

/// The kinds of operation that the plan offers; where it offers none, the one
/// that the wording speaks for.
fn kinds(draft: &Draft<'_>, prompt: &Prompt) -> Vec<OperationType> {
    let mut kinds: Vec<OperationType> = Vec::new();
    for (_, operation) in draft.proved() {
        if !kinds.contains(&operation.kind) {
            kinds.push(operation.kind);
        }
    }
    if kinds.is_empty() {
        let all = [
            (Root::Query, OperationType::Query),
            (Root::Mutation, OperationType::Mutation),
            (Root::Subscription, OperationType::Subscription),
        ];
        let odds = |root: Root| prompt.kinds.of(root);
        let likeliest = all.into_iter().max_by(|a, b| odds(a.0).total_cmp(&odds(b.0)));
        kinds.extend(likeliest.map(|(_, kind)| kind));
    }
    kinds
}

fn shown_mutations(schema: &Schema, slice: &Slice<'_>) -> HashSet<String> {
    let root = schema.roots.mutation.as_deref().and_then(|name| schema.get(name));
    let fields = root.into_iter().flat_map(|root| root.fields.iter().map(move |it| (root, it)));
    fields
        .filter(|(root, field)| slice.has(&root.name, &field.name))
        .map(|(_, field)| field.name.clone())
        .collect()
}

impl LanguageModel {
    /// Makes the client; the endpoint is asked with the first prompt.
    ///
    /// # Errors
    /// A reason where this system cannot make secure connections.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let Settings { endpoint, model, tokens, timeout } = settings;
        let shown = endpoint.to_string();
        let asker = Asker::new(endpoint, model)
            .map_err(|error| format!("the language model at `{shown}` cannot be asked: {error}"))?;
        Ok(Self { asker, tokens, timeout })
    }

    /// The most tokens of the schema that it is to be shown.
    #[must_use]
    pub const fn tokens(&self) -> usize {
        self.tokens
    }

    /// The model's answer, or the plan's own where it has none that is valid.
    /// Dropping the future ends the request that is under way.
    pub async fn write(&self, commission: Commission, progress: &OnProgress) -> GenerateResponse {
        let Commission { messages, own, case } = commission;
        let begun = Instant::now();
        let work = self.conversation(messages, case, progress);
        let written = match timeout(self.timeout, work).await {
            Ok(written) => written,
            Err(_) => Err(Setback::Slow(self.timeout)),
        };
        let (endpoint, model) = (self.asker.endpoint(), self.asker.model());
        match written {
            Ok(response) => {
                let seconds = begun.elapsed().as_secs_f32();
                tracing::info!(%endpoint, model, seconds, "the language model wrote the operation");
                response
            }
            Err(reason) => {
                tracing::warn!(%endpoint, model, %reason, "the language model wrote no operation; the plan's own is returned");
                own
            }
        }
    }

    async fn conversation(
        &self,
        mut messages: Vec<Message>,
        case: Arc<Case>,
        progress: &OnProgress,
    ) -> Result<GenerateResponse, Setback> {
        let model = self.asker.model();
        progress(Progress::new(format!("The operation is planned; asking `{model}` to write it.")));
        for attempt in 1..=ATTEMPTS {
            let text = self.patiently(&messages, progress).await?;
            let reason = match verdict(&case, text.clone()).await? {
                Verdict::Accepted(response) => return Ok(response),
                Verdict::Nothing => return Err(Setback::Nothing),
                Verdict::Refused(reason) => reason,
            };
            tracing::debug!(attempt, "an answer of the language model is refused");
            if attempt < ATTEMPTS {
                messages.extend(brief::objection(&text, &reason));
                progress(Progress::new(format!(
                    "The answer of `{model}` is not valid; asking again ({} of {ATTEMPTS}).",
                    attempt + 1
                )));
            }
        }
        Err(Setback::Refused)
    }

    /// Asks, and says now and then that it still waits.
    async fn patiently(
        &self,
        messages: &[Message],
        progress: &OnProgress,
    ) -> Result<String, Failure> {
        let asking = self.asker.ask(messages);
        tokio::pin!(asking);
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        loop {
            tokio::select! {
                answer = &mut asking => return answer,
                _ = heartbeat.tick() => {
                    let model = self.asker.model();
                    progress(Progress::new(format!("`{model}` is still writing.")));
                }
            }
        }
    }
}

/// Judges off the async threads: it holds a core for milliseconds.
async fn verdict(case: &Arc<Case>, text: String) -> Result<Verdict, Setback> {
    let case = Arc::clone(case);
    match tokio::task::spawn_blocking(move || verdict::judge(&case, &text)).await {
        Ok(Ok(verdict)) => Ok(verdict),
        Ok(Err(error)) => Err(Setback::Unjudged(error.to_string())),
        Err(_) => Err(Setback::Unjudged("judging broke off".to_owned())),
    }
}
