//! How long each stage of an operation takes: the spans that `generate` opens,
//! summed by name.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tracing::{Subscriber, span};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry::LookupSpan,
};

/// The time within spans, by the name of the span.
pub type Times = BTreeMap<&'static str, Duration>;

/// Does some work, and tells how long it took within each stage.
pub fn time(work: impl FnOnce()) -> Times {
    let watch = Watch::default();
    let times = Arc::clone(&watch.times);
    tracing::subscriber::with_default(tracing_subscriber::registry().with(watch), work);
    let times = times.lock().unwrap_or_else(PoisonError::into_inner);
    times.clone()
}

/// Adds up the time between entering and leaving spans.
#[derive(Default)]
struct Watch {
    times: Arc<Mutex<Times>>,
}

/// When a span was entered.
struct Entered(Instant);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Watch {
    fn on_enter(&self, id: &span::Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Entered(Instant::now()));
        }
    }

    fn on_exit(&self, id: &span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        if let Some(Entered(at)) = span.extensions().get::<Entered>() {
            let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
            *times.entry(span.name()).or_default() += at.elapsed();
        }
    }
}
