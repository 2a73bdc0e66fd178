//! `search_code`: ripgrep's own crates read a working tree in parallel, and the
//! lines that match are ranked.
//!
//! Each line is judged as it is found ([`Tier`]), and only the best are kept, so
//! memory is bounded however frequent the pattern is. All that match are
//! counted, so that an answer says truly whether it is whole.

mod best;
mod file;
mod language;
mod pattern;
mod scope;
mod snippet;
mod tier;

use std::{
    io,
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};

use super::{CodeError, DEFAULT_LIMIT, MAX_LIMIT, SearchHit, SearchQuery, SearchResult};
use best::{Best, Found, Rank};
use file::{Block, Reader};
use language::Language;
use scope::Scope;
use tier::Tier;

/// How long a search may take. 70,000 files of 1.2 GB took 1.2 s on two cores,
/// once the system had seen them; clients of MCP wait for about a minute.
const TIME_BUDGET: Duration = Duration::from_secs(20);
/// How many matches of one line are judged, the best of which counts. A line
/// with more is a machine's.
const JUDGED: usize = 16;

/// Searches one working tree, as it is at that moment: nothing is kept between
/// two searches.
#[derive(Clone, Debug)]
pub struct CodeSearch {
    root: PathBuf,
}

impl CodeSearch {
    /// Searches of the tree below `root`.
    ///
    /// # Errors
    /// [`CodeError::Failed`] where there is no such folder.
    pub fn open(root: &Path) -> Result<Self, CodeError> {
        let no_folder = |reason: &str| {
            CodeError::Failed(format!("`{}` is no folder of code: {reason}.", root.display()))
        };
        let canonical = root.canonicalize().map_err(|error| no_folder(&error.to_string()))?;
        if !canonical.is_dir() {
            return Err(no_folder("it is a file"));
        }
        Ok(Self { root: canonical })
    }

    /// The tree's folder, absolute and without symbolic links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The lines that match, best first: at most as many as the query's limit,
    /// and fewer where there are no more. The same tree gives the same answer,
    /// unless the search runs out of time.
    ///
    /// # Errors
    /// [`CodeError::Invalid`] where the query is wrong, and
    /// [`CodeError::Failed`] where the tree is gone. A file that cannot be read
    /// costs only itself.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchResult, CodeError> {
        self.search_until(query, Instant::now() + TIME_BUDGET)
    }

    fn search_until(
        &self,
        query: &SearchQuery,
        deadline: Instant,
    ) -> Result<SearchResult, CodeError> {
        let limit = match query.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => limit as usize,
            limit => {
                return Err(CodeError::Invalid(format!(
                    "`limit` is {limit}, and must be from 1 to {MAX_LIMIT}."
                )));
            }
        };
        let matcher = pattern::matcher(query)?;
        let scope = Scope::new(&self.root, query)?;
        if !self.root.is_dir() {
            return Err(CodeError::Failed(format!("`{}` is gone.", self.root.display())));
        }
        let search = Search {
            root: &self.root,
            matcher,
            limit,
            deadline,
            is_late: AtomicBool::new(false),
            best: Mutex::new(Best::new(limit)),
        };
        scope.walk().visit(&mut &search);

        let is_late = search.is_late.into_inner();
        let best = search.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let truncated = best.left_some_out() || is_late;
        let hits = best.into_sorted().into_iter().map(SearchHit::from).collect();
        Ok(SearchResult { hits, truncated })
    }
}

impl From<Found> for SearchHit {
    fn from(Found { rank, snippet }: Found) -> Self {
        Self { path: rank.path.as_ref().to_owned(), line: rank.line, snippet }
    }
}

/// What the threads of one search share.
struct Search<'a> {
    root: &'a Path,
    matcher: RegexMatcher,
    limit: usize,
    deadline: Instant,
    is_late: AtomicBool,
    best: Mutex<Best>,
}

impl<'s> ParallelVisitorBuilder<'s> for &'s Search<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Worker {
            search: self,
            // Each with its own cache of states; a shared one is waited for.
            matcher: self.matcher.clone(),
            searcher: SearcherBuilder::new().line_number(true).build(),
            reader: Reader::new(),
            head: Vec::new(),
            best: Best::new(self.limit),
        })
    }
}

/// One thread of a search.
struct Worker<'s> {
    search: &'s Search<'s>,
    matcher: RegexMatcher,
    searcher: Searcher,
    reader: Reader,
    /// The first bytes of the file that is read.
    head: Vec<u8>,
    best: Best,
}

impl ParallelVisitor for Worker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if Instant::now() >= self.search.deadline {
            self.search.is_late.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        let done = match &entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                self.search_file(entry.path()).map_err(|error| error.to_string())
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = done {
            tracing::debug!(%reason, "something in the tree cannot be read");
        }
        WalkState::Continue
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mine = std::mem::replace(&mut self.best, Best::new(0));
        self.search.best.lock().unwrap_or_else(PoisonError::into_inner).merge(mine);
    }
}

impl Worker<'_> {
    fn search_file(&mut self, path: &Path) -> io::Result<()> {
        let Self { search, matcher, searcher, reader, head, best } = self;
        let below = path.strip_prefix(search.root).unwrap_or(path);
        // Apart until it is known to be no binary file.
        let mut found = Best::new(search.limit);
        let mut is_binary = false;
        let mut place = None;
        let mut last_line = 0;
        let mut outcome = Ok(());
        reader.read(path, |block| {
            if Instant::now() >= search.deadline {
                search.is_late.store(true, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
            if block.is_first {
                head.clear();
                head.extend(block.bytes.iter().take(tier::HEAD_BYTES));
            }
            is_binary = block.is_binary();
            if is_binary {
                return ControlFlow::Break(());
            }
            let place = &mut place;
            let last_line = &mut last_line;
            let found = &mut found;
            let lines = Lines { matcher, below, head, block, place, last_line, best, found };
            outcome = searcher.search_slice(&*matcher, block.bytes, lines);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if !is_binary {
            best.merge(found);
        }
        outcome
    }
}

/// What is known of a file once something is found in it.
#[derive(Clone)]
struct Place {
    path: Arc<str>,
    depth: usize,
    language: &'static Language,
    is_aside: bool,
}

impl Place {
    fn new(below: &Path, head: &[u8]) -> Self {
        let names: Vec<_> =
            below.components().map(|name| name.as_os_str().to_string_lossy()).collect();
        Self {
            path: names.join("/").into(),
            depth: names.len(),
            language: Language::of(below),
            is_aside: tier::is_aside(below, head),
        }
    }
}

/// Takes the matching lines of a block.
struct Lines<'a> {
    matcher: &'a RegexMatcher,
    below: &'a Path,
    head: &'a [u8],
    block: Block<'a>,
    place: &'a mut Option<Place>,
    last_line: &'a mut u64,
    /// What was found in earlier files, which this one's lines must beat.
    best: &'a Best,
    found: &'a mut Best,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = self.block.lines_before + found.line_number().unwrap_or(1);
        // The next piece of a line that came in several.
        if line == *self.last_line {
            return Ok(true);
        }
        *self.last_line = line;
        let (below, head) = (self.below, self.head);
        let place = &*self.place.get_or_insert_with(|| Place::new(below, head));
        let rank = |tier| Rank { tier, depth: place.depth, path: Arc::clone(&place.path), line };
        let best_possible = rank(if place.is_aside { Tier::Aside } else { Tier::Definition });
        if !self.best.admits(&best_possible) || !self.found.admits(&best_possible) {
            self.found.skip();
            return Ok(true);
        }
        let text = found.bytes();
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let (tier, at) = judge(self.matcher, place, text);
        let rank = rank(tier);
        if self.best.admits(&rank) {
            self.found.add(rank, || snippet::of(text, at));
        } else {
            self.found.skip();
        }
        Ok(true)
    }
}

/// The best match of a line, and how good it is.
fn judge(matcher: &RegexMatcher, place: &Place, line: &[u8]) -> (Tier, Range<usize>) {
    let mut best: Option<(Tier, Range<usize>)> = None;
    let mut judged = 0;
    // A matcher of this kind has no errors.
    let _ = matcher.find_iter(line, |found| {
        let at = found.start()..found.end();
        let tier = if place.is_aside { Tier::Aside } else { tier::of(place.language, line, &at) };
        if best.as_ref().is_none_or(|(best, _)| tier < *best) {
            best = Some((tier, at));
        }
        judged += 1;
        judged < JUDGED && !place.is_aside && tier != Tier::Definition
    });
    best.unwrap_or((Tier::Aside, 0..0))
}

#[cfg(test)]
mod tests;
