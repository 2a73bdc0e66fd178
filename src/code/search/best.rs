//! The best lines that were found, and how many there were.

use std::{collections::BinaryHeap, sync::Arc};

use super::tier::Tier;

/// Where a line stands among all that were found; the lesser is the better.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// How good the match is.
    pub tier: Tier,
    /// How many names the path has.
    pub depth: usize,
    /// The file, relative to the root.
    pub path: Arc<str>,
    /// The line's number, from 1.
    pub line: u64,
}

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Where it stands.
    pub rank: Rank,
    /// What it says.
    pub snippet: String,
}

/// The best lines, as many as fit, whatever the order in which they come.
#[derive(Debug)]
pub struct Best {
    fits: usize,
    /// The worst that is kept is on top.
    kept: BinaryHeap<Found>,
    total: u64,
}

impl Best {
    /// Room for so many.
    pub fn new(fits: usize) -> Self {
        Self { fits, kept: BinaryHeap::new(), total: 0 }
    }

    /// Counts a line, and keeps it where it is good enough. The snippet is made
    /// only then, as most lines of a frequent pattern are not.
    pub fn add(&mut self, rank: Rank, snippet: impl FnOnce() -> String) {
        self.total += 1;
        if self.admits(&rank) {
            self.keep(Found { rank, snippet: snippet() });
        }
    }

    /// Counts a line that was not looked at, as it cannot be good enough.
    pub fn skip(&mut self) {
        self.total += 1;
    }

    /// Whether a line of this rank would be kept.
    pub fn admits(&self, rank: &Rank) -> bool {
        self.kept.len() < self.fits || self.kept.peek().is_some_and(|worst| *rank < worst.rank)
    }

    /// Adds what was found elsewhere.
    pub fn merge(&mut self, other: Self) {
        self.total += other.total;
        for found in other.kept {
            if self.admits(&found.rank) {
                self.keep(found);
            }
        }
    }

    /// Whether a line that was found is not kept.
    pub fn left_some_out(&self) -> bool {
        self.total > self.kept.len() as u64
    }

    /// The lines that are kept, best first.
    pub fn into_sorted(self) -> Vec<Found> {
        self.kept.into_sorted_vec()
    }

    fn keep(&mut self, found: Found) {
        self.kept.push(found);
        if self.kept.len() > self.fits {
            self.kept.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(tier: Tier, path: &str, line: u64) -> Rank {
        Rank { tier, depth: path.matches('/').count(), path: path.into(), line }
    }

    #[test]
    fn the_order_of_arrival_changes_nothing() {
        let ranks = [
            rank(Tier::Definition, "z/deep/a.rs", 9),
            rank(Tier::Word, "b.rs", 1),
            rank(Tier::Word, "b.rs", 2),
            rank(Tier::Word, "a/a.rs", 1),
            rank(Tier::Aside, "a.rs", 1),
        ];
        for turn in 0..ranks.len() {
            let mut one = Best::new(3);
            let mut other = Best::new(3);
            for (place, rank) in ranks.iter().cycle().skip(turn).take(ranks.len()).enumerate() {
                let best = if place % 2 == 0 { &mut one } else { &mut other };
                best.add(rank.clone(), String::new);
            }
            one.merge(other);
            assert!(one.left_some_out());
            let kept: Vec<Rank> = one.into_sorted().into_iter().map(|found| found.rank).collect();
            assert_eq!(kept, ranks[..3]);
        }
    }

    #[test]
    fn nothing_is_left_out_where_all_fit() {
        let mut best = Best::new(2);
        best.add(rank(Tier::Code, "a.rs", 1), String::new);
        best.add(rank(Tier::Code, "a.rs", 2), String::new);
        assert!(!best.left_some_out());
        best.skip();
        assert!(best.left_some_out());
    }
}
