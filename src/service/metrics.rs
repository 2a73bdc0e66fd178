//! What the service counts, in the form that Prometheus reads. No label holds
//! anything that a caller chose, so their number is bounded.

use std::{fmt, time::Duration};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Registry, Unit},
};

use super::contract::State;

/// What the text of metrics is.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

/// Counters, gauges and histograms of one service.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<RouteLabels, Histogram>,
    builds: Family<OutcomeLabels, Counter>,
    build_seconds: Histogram,
    searches: Family<OutcomeLabels, Counter>,
    graphs: Family<StateLabels, Gauge>,
    queued: Gauge,
}

impl Metrics {
    /// Everything at zero.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("sextant");
        let requests = Family::default();
        registry.register("requests", "Requests answered", requests.clone());
        // From half a millisecond, a remembered answer, to sixteen seconds.
        let request_seconds = Family::new_with_constructor(
            (|| Histogram::new(exponential_buckets(0.0005, 2.0, 16))) as fn() -> Histogram,
        );
        registry.register_with_unit(
            "request_duration",
            "Time from a request's head to its answer's",
            Unit::Seconds,
            request_seconds.clone(),
        );
        let builds = Family::default();
        registry.register("builds", "Builds that ended", builds.clone());
        // From a twentieth of a second, a toy, to half an hour.
        let build_seconds = Histogram::new(exponential_buckets(0.05, 2.0, 16));
        registry.register_with_unit(
            "build_duration",
            "Time that a build took",
            Unit::Seconds,
            build_seconds.clone(),
        );
        let searches = Family::default();
        registry.register(
            "searches",
            "Searches, by whether their answer was remembered",
            searches.clone(),
        );
        let graphs = Family::default();
        registry.register("graphs", "Graphs in each state", graphs.clone());
        let queued = Gauge::default();
        registry.register("builds_queued", "Builds that wait", queued.clone());
        Self {
            registry,
            requests,
            request_seconds,
            builds,
            build_seconds,
            searches,
            graphs,
            queued,
        }
    }

    /// Counts a request. `route` is its pattern, never its path.
    pub fn answered(&self, route: &str, method: &str, status: u16, time: Duration) {
        let route = route.to_owned();
        let of_route = RouteLabels { route: route.clone() };
        self.request_seconds.get_or_create(&of_route).observe(time.as_secs_f64());
        let labels = RequestLabels { route, method: method.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
    }

    /// Counts a build.
    pub fn built(&self, succeeded: bool, time: Duration) {
        let outcome = if succeeded { "ready" } else { "failed" };
        self.builds.get_or_create(&OutcomeLabels { outcome }).inc();
        self.build_seconds.observe(time.as_secs_f64());
    }

    /// Counts a search.
    pub fn searched(&self, was_remembered: bool) {
        let outcome = if was_remembered { "remembered" } else { "computed" };
        self.searches.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// The text, with the graphs and the queue as they are now.
    ///
    /// # Errors
    /// Never in practice: a string takes all that is written.
    pub fn text(&self, states: &[State], queued: usize) -> Result<String, fmt::Error> {
        for state in State::ALL {
            let count = states.iter().filter(|it| **it == state).count();
            let labels = StateLabels { state: state.as_str() };
            self.graphs.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        self.queued.set(i64::try_from(queued).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
