//! The graphs of a service: what each is asked with, which schema it is given
//! next, and the queue of builds.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    contract::{GraphName, GraphStatus, State},
    metrics::Metrics,
    problem::{Code, Problem},
    shelf::{Graph, Order, Shelf},
    store::{self, Ledger, Store, Wanted},
};
use crate::{
    embedding::{Embedder, EmbeddingError},
    engine::Engine,
    index::{Cache, Vocabulary},
    local::Reader,
    schema::Schema,
};

/// The file that keeps a second service out of the folder.
const LOCK: &str = ".lock";

/// Why a catalog does not open.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The folder cannot be made, read or written.
    #[error("cannot keep graphs in `{folder}`: {reason}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Another service has the folder.
    #[error(
        "another service keeps its graphs in `{0}`; stop it, or name another folder with --data"
    )]
    Taken(PathBuf),
}

/// How much a catalog takes in.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The most graphs.
    pub graphs: usize,
    /// The most builds that wait.
    pub queue: usize,
}

/// The graphs of a service.
pub struct Catalog {
    folder: PathBuf,
    room: Room,
    vocabulary: Arc<Vocabulary>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) embedder: OnceLock<Arc<Embedder>>,
    /// Is every index that was ready before the start open again?
    opened: AtomicBool,
    draining: AtomicBool,
    shelf: Mutex<Shelf>,
    /// Something was put into the queue, or the service drains.
    work: Condvar,
    /// Locked as long as the service lives.
    _lock: File,
}

/// What became of an upload.
pub struct Upload {
    /// The graph now.
    pub status: GraphStatus,
    /// Was there nothing to do?
    pub is_current: bool,
}

impl Catalog {
    /// Opens the folder, and keeps every other service out of it. The graphs
    /// are known at once and answer once [`Catalog::load`] has run.
    ///
    /// # Errors
    /// Any [`CatalogError`].
    pub fn open(
        folder: &Path,
        room: Room,
        vocabulary: Arc<Vocabulary>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, CatalogError> {
        let failed = |reason| CatalogError::Folder { folder: folder.to_owned(), reason };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = File::create(folder.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                return Err(CatalogError::Taken(folder.to_owned()));
            }
            Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut held = Shelf::new();
        for (name, store, ledger) in store::open(folder).map_err(failed)? {
            let number = held.next_number();
            if ledger.wanted.is_some() {
                held.queue.push_back(name.clone());
            }
            let used = Instant::now();
            held.graphs.insert(name, Graph { number, store, ledger, engine: None, used });
        }
        Ok(Self {
            folder: folder.to_owned(),
            room,
            vocabulary,
            metrics,
            embedder: OnceLock::new(),
            opened: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            shelf: Mutex::new(held),
            work: Condvar::new(),
            _lock: lock,
        })
    }

    /// Loads the model, then opens the indexes that were ready before the start.
    /// Builds can begin afterwards. Takes seconds for many large graphs.
    ///
    /// # Errors
    /// Where the model does not load.
    pub fn load(&self, reader: &Reader) -> Result<(), EmbeddingError> {
        let embedder = Arc::new(Embedder::load(&reader.model)?);
        let ready: Vec<_> = {
            let held = self.shelf();
            let served = |(name, graph): (&GraphName, &Graph)| {
                Some((name.clone(), graph.store.clone(), graph.ledger.served.clone()?))
            };
            held.graphs.iter().filter_map(served).collect()
        };
        let _ = self.embedder.set(Arc::clone(&embedder));
        for (name, store, hash) in ready {
            let found = Cache::new(store.folder().to_owned()).find(&hash, embedder.identity());
            let engine = found.map(|index| {
                Engine::new(
                    index.with_vocabulary(Arc::clone(&self.vocabulary)),
                    Arc::clone(&embedder),
                )
            });
            let mut held = self.shelf();
            let Some(graph) = held.graphs.get_mut(&name) else { continue };
            if engine.is_none() {
                tracing::warn!(graph = %name, "the index is gone, damaged, or of another model or release; its schema is asked for again");
                graph.expire();
            }
            graph.engine = engine;
        }
        self.opened.store(true, Ordering::Release);
        self.work.notify_all();
        Ok(())
    }

    /// Can the service answer?
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.opened.load(Ordering::Acquire) && !self.is_draining()
    }

    /// Takes no more requests and begins no more builds. A build in flight is
    /// begun again at the next start.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Release);
        self.work.notify_all();
    }

    /// Does the service stop?
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Takes a schema for a graph, which is built when its turn comes. Does
    /// nothing where the schema is the graph's latest, built or waiting.
    ///
    /// # Errors
    /// [`Code::TooManyGraphs`] and [`Code::QueueFull`]; [`Code::Internal`] where
    /// the disk does not take it; [`Code::Unready`] while the service stops.
    pub fn put(&self, name: &GraphName, schema: &Schema) -> Result<Upload, Problem> {
        if self.is_draining() {
            return Err(Problem::of_state(State::Unready, None));
        }
        let number = {
            let mut held = self.shelf();
            if let Some(graph) = held.graphs.get_mut(name) {
                graph.used = Instant::now();
                if graph.has(&schema.hash) {
                    return Ok(Upload {
                        status: graph.status(name, self.is_draining()),
                        is_current: true,
                    });
                }
            }
            self.admit(&held, name)?;
            held.next_number()
        };
        // The SDL is large and goes to disk before anyone is kept waiting.
        let store = Store::new(&self.folder, name);
        let wanted =
            store.keep(&schema.hash, number, &schema.sdl).map_err(|error| unwritten(&error))?;
        let mut held = self.shelf();
        let outcome = self.want(&mut held, name, number, &store, &wanted);
        if !matches!(&outcome, Ok(upload) if !upload.is_current) {
            store.forget(&wanted);
        }
        drop(held);
        self.work.notify_one();
        outcome
    }

    fn admit(&self, held: &Shelf, name: &GraphName) -> Result<(), Problem> {
        if !held.graphs.contains_key(name) && held.graphs.len() >= self.room.graphs {
            return Err(Problem::new(
                Code::TooManyGraphs,
                format!(
                    "The service keeps {} graphs, the most that it may; delete one that is not needed.",
                    self.room.graphs
                ),
            ));
        }
        if !held.queue.contains(name) && held.queue.len() >= self.room.queue {
            return Err(Problem::new(
                Code::QueueFull,
                format!(
                    "{} builds are waiting, the most that may; try again later.",
                    self.room.queue
                ),
            ));
        }
        Ok(())
    }

    /// Notes that a schema is wanted, unless another upload was faster.
    fn want(
        &self,
        held: &mut Shelf,
        name: &GraphName,
        number: u64,
        store: &Store,
        wanted: &Wanted,
    ) -> Result<Upload, Problem> {
        if let Some(graph) = held.graphs.get(name)
            && graph.has(&wanted.hash)
        {
            return Ok(Upload { status: graph.status(name, self.is_draining()), is_current: true });
        }
        self.admit(held, name)?;
        let known = held.graphs.get(name).map(|graph| graph.ledger.clone()).unwrap_or_default();
        let is_served = known.served.as_ref() == Some(&wanted.hash);
        let ledger = Ledger {
            // Back to the schema that still answers: there is nothing to build.
            wanted: (!is_served).then(|| wanted.clone()),
            failure: None,
            ..known.clone()
        };
        store.write_ledger(&ledger).map_err(|error| unwritten(&error))?;
        if let Some(superseded) = &known.wanted {
            store.forget(superseded);
        }
        let graph = held.graphs.entry(name.clone()).or_insert_with(|| Graph {
            number,
            store: store.clone(),
            ledger: Ledger::default(),
            engine: None,
            used: Instant::now(),
        });
        graph.ledger = ledger;
        let status = graph.status(name, self.is_draining());
        held.queue.retain(|waiting| waiting != name || !is_served);
        if !is_served && !held.queue.contains(name) {
            held.queue.push_back(name.clone());
        }
        Ok(Upload { status, is_current: is_served })
    }

    /// How a graph is; none where there is none.
    #[must_use]
    pub fn status(&self, name: &GraphName) -> Option<GraphStatus> {
        self.shelf().graphs.get(name).map(|graph| graph.status(name, self.is_draining()))
    }

    /// How every graph is, by name.
    #[must_use]
    pub fn list(&self) -> Vec<GraphStatus> {
        self.shelf()
            .graphs
            .iter()
            .map(|(name, graph)| graph.status(name, self.is_draining()))
            .collect()
    }

    /// How many builds wait.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.shelf().queue.len()
    }

    /// What answers for a graph, if anything does now.
    ///
    /// # Errors
    /// [`Code::GraphUnknown`], or the problem of the state that it is in.
    pub fn engine(&self, name: &GraphName) -> Result<Engine, Problem> {
        let mut held = self.shelf();
        let graph = held.graphs.get_mut(name).ok_or_else(|| Problem::unknown(name))?;
        graph.used = Instant::now();
        match (graph.state(self.is_draining()), &graph.engine) {
            (State::Ready, Some(engine)) => Ok(engine.clone()),
            (state, _) => {
                let reason = graph.ledger.failure.as_ref().map(|failure| failure.reason.as_str());
                Err(Problem::of_state(state, reason))
            }
        }
    }

    /// Drops a graph and all that is kept of it.
    ///
    /// # Errors
    /// [`Code::GraphUnknown`]; [`Code::Internal`] where the disk does not let it go.
    pub fn remove(&self, name: &GraphName) -> Result<(), Problem> {
        let mut held = self.shelf();
        let number = held.next_number();
        let graph = held.graphs.get(name).ok_or_else(|| Problem::unknown(name))?;
        graph.store.delete(number).map_err(|error| unwritten(&error))?;
        held.graphs.remove(name);
        held.queue.retain(|waiting| waiting != name);
        Ok(())
    }

    /// Drops the index of every graph that was not used for so long.
    pub fn expire(&self, ttl: Duration) {
        let mut held = self.shelf();
        for (name, graph) in &mut held.graphs {
            if graph.engine.is_none() || graph.used.elapsed() < ttl {
                continue;
            }
            graph.expire();
            // The ledger goes first: a file that it does not name is only left over.
            if let Err(error) = graph.store.write_ledger(&graph.ledger) {
                tracing::warn!(graph = %name, %error, "that the index expired is not written down");
            }
            graph.store.drop_indexes();
            tracing::info!(graph = %name, "the index was not used and is dropped");
        }
    }

    /// Waits for a build to do; none when the service stops.
    pub(super) fn next_order(&self) -> Option<Order> {
        let mut held = self.shelf();
        loop {
            if self.is_draining() {
                return None;
            }
            let begins = self.opened.load(Ordering::Acquire);
            if let Some(order) = begins.then(|| held.take_order()).flatten() {
                return Some(order);
            }
            held = self.work.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes over what a build made, unless nobody waits for it any more: the
    /// graph was deleted, or is back to the schema that it serves. A build that a
    /// newer schema overtook is served until that one is built.
    pub(super) fn settle(&self, order: &Order, outcome: Result<Engine, String>) {
        let mut held = self.shelf();
        held.in_flight.remove(&order.graph);
        self.work.notify_all();
        let Some(graph) = held.graphs.get_mut(&order.graph) else {
            // Deleted meanwhile; the build may have made its folder once more.
            let number = held.next_number();
            drop(order.store.delete(number));
            return;
        };
        let mut ledger = graph.ledger.clone();
        if graph.number != order.number || ledger.wanted.is_none() {
            return;
        }
        let is_latest = ledger.wanted.as_ref() == Some(&order.wanted);
        if is_latest {
            ledger.wanted = None;
        }
        match &outcome {
            Ok(_) => {
                ledger.served = Some(order.wanted.hash.clone());
                ledger.expired = None;
            }
            Err(reason) if is_latest => {
                let hash = order.wanted.hash.clone();
                ledger.failure = Some(store::Failure { hash, reason: reason.clone() });
            }
            Err(_) => return,
        }
        if let Err(error) = graph.store.write_ledger(&ledger) {
            // After a restart it is built, or rather found, once more.
            tracing::error!(graph = %order.graph, %error, "the outcome of a build is not written down");
        } else if is_latest {
            graph.store.forget(&order.wanted);
        }
        graph.ledger = ledger;
        if let Ok(engine) = outcome {
            graph.engine = Some(engine);
            graph.used = Instant::now();
        }
    }

    /// The near words that questions are read with.
    pub(super) fn vocabulary(&self) -> Arc<Vocabulary> {
        Arc::clone(&self.vocabulary)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // Nothing that is done under the lock leaves it half done when it panics.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unwritten(error: &io::Error) -> Problem {
    tracing::error!(%error, "the disk does not take a change of a graph");
    Problem::internal()
}
