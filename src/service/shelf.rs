//! The graphs in memory: where each is in its life, and which is built next.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    time::{Instant, SystemTime},
};

use super::{
    contract::{GraphName, GraphStatus, State},
    store::{Ledger, Store, Wanted},
};
use crate::engine::Engine;

/// The graphs in memory, and the queue of builds.
#[derive(Default)]
pub struct Shelf {
    pub graphs: BTreeMap<GraphName, Graph>,
    /// The graphs that wait for a build, each at most once.
    pub queue: VecDeque<GraphName>,
    /// The graphs that are being built. A graph is built once at a time.
    pub in_flight: HashSet<GraphName>,
    last_number: u64,
}

/// One graph.
pub struct Graph {
    /// Tells apart a graph and one of the same name that was deleted before.
    pub number: u64,
    pub store: Store,
    pub ledger: Ledger,
    pub engine: Option<Engine>,
    pub used: Instant,
}

/// A build to do.
pub struct Order {
    /// The graph.
    pub graph: GraphName,
    /// Its schema.
    pub wanted: Wanted,
    /// Where both lie.
    pub store: Store,
    /// Which graph of this name it is.
    pub number: u64,
}

impl Shelf {
    /// No graph yet.
    pub fn new() -> Self {
        Self { last_number: first_number(), ..Self::default() }
    }

    /// A number that no other is.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// The build to do next: of the first that waits and is not being built already.
    pub fn take_order(&mut self) -> Option<Order> {
        let at = self.queue.iter().position(|name| !self.in_flight.contains(name))?;
        let name = self.queue.remove(at)?;
        let graph = self.graphs.get(&name)?;
        let wanted = graph.ledger.wanted.clone()?;
        self.in_flight.insert(name.clone());
        Some(Order { graph: name, wanted, store: graph.store.clone(), number: graph.number })
    }
}

impl Graph {
    /// Is this its latest schema, and is there nothing to do about it?
    pub fn has(&self, hash: &str) -> bool {
        let Ledger { served, wanted, .. } = &self.ledger;
        match wanted {
            Some(wanted) => wanted.hash == hash,
            None => served.as_deref() == Some(hash) && self.ledger.failure.is_none(),
        }
    }

    /// Lets its index go.
    pub fn expire(&mut self) {
        self.engine = None;
        if let Some(served) = self.ledger.served.take() {
            self.ledger.expired = Some(served);
        }
    }

    /// Where it is in its life, in a service that drains or does not.
    pub fn state(&self, is_draining: bool) -> State {
        let Ledger { served, wanted, expired, failure } = &self.ledger;
        if is_draining || (self.engine.is_none() && served.is_some()) {
            State::Unready
        } else if self.engine.is_some() {
            State::Ready
        } else if wanted.is_some() {
            State::Building
        } else if failure.is_some() || expired.is_none() {
            State::Failed
        } else {
            State::Expired
        }
    }

    /// What is said of it.
    pub fn status(&self, name: &GraphName, is_draining: bool) -> GraphStatus {
        let ledger = &self.ledger;
        let latest = ledger.latest().unwrap_or_default();
        GraphStatus {
            graph: name.clone(),
            state: self.state(is_draining),
            schema_hash: latest.to_owned(),
            serving_hash: ledger.served.clone().filter(|served| served != latest),
            building: ledger.wanted.is_some(),
            elements: self.engine.as_ref().map(|engine| engine.index.len() as u64),
            reason: ledger.failure.as_ref().map(|failure| failure.reason.clone()),
        }
    }
}

impl Ledger {
    /// The hash of the latest schema that the graph was given.
    fn latest(&self) -> Option<&str> {
        let wanted = self.wanted.as_ref().map(|wanted| wanted.hash.as_str());
        let failed = self.failure.as_ref().map(|failure| failure.hash.as_str());
        wanted.or(failed).or(self.served.as_deref()).or(self.expired.as_deref())
    }
}

/// Numbers name files too, so those of an earlier run must not come again.
fn first_number() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}
