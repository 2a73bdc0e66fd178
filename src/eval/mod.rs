//! How well search and generation do, on questions whose answers are known.
//!
//! Three kinds of row, one a line of JSON, in any `*.jsonl` file of a folder:
//!
//! - a prompt: `schema`, `query`, `targetFields` (`Type.field`) and
//!   `targetTypes`, as the GraphQL AI working group's benchmark has them;
//! - a topic: `schema`, `query`, `relevant` (coordinates with grades, 3 for an
//!   answer) and `mismatch` (true where query and answer share no word);
//! - an operation: `schema`, `query` (or `prompt`), `root_fields` and
//!   `used_coordinates` (all fields of the operation, the root's among them).
//!
//! A row may be several at once; rows of another form are left out. The figures:
//!
//! - recall@k of prompts: the share of what is wanted among the first k hits;
//! - MRR, success@10 of topics: the mean of 1 over the rank of the first answer,
//!   the share of topics with an answer among the first 10 hits;
//! - of operations: `answered`, the share of prompts that get any; `root`, that
//!   get the right root field; `covered`, that get every field of the reference;
//!   `F1`, the harmonic mean of the share of wanted fields that are there and of
//!   the share of fields there that are wanted. Where a prompt gets several
//!   operations their fields count together.

mod operations;
mod rows;

use std::collections::{BTreeMap, HashSet};

pub use rows::{Reference, Row, Targets, Topic, read_rows};

use crate::{
    discovery::SearchRequest,
    embedding::Embedder,
    index::{Index, IndexError},
};
use rows::bare;

/// The kinds among which target types are looked for.
const KINDS_OF_TYPE: [&str; 5] = ["object", "interface", "union", "enum", "input"];
/// The grade of a coordinate that answers a topic.
const ANSWER: u8 = 3;

/// Means over rows, each 0 to 1, by the name of the figure.
#[derive(Clone, Debug, Default)]
pub struct Figures(BTreeMap<&'static str, (f64, u32)>);

impl Figures {
    /// Each figure with its mean, by name.
    pub fn means(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().map(|(name, (sum, count))| (*name, sum / f64::from(*count)))
    }

    /// Takes in the rows of another.
    pub fn merge(&mut self, other: &Self) {
        for (name, (sum, count)) in &other.0 {
            let own = self.0.entry(name).or_default();
            *own = (own.0 + sum, own.1 + count);
        }
    }

    fn add(&mut self, name: &'static str, value: f64) {
        let own = self.0.entry(name).or_default();
        *own = (own.0 + value, own.1 + 1);
    }
}

/// Asks an index the questions about its schema.
///
/// # Errors
/// As [`Index::search`] and [`crate::generate::generate`].
pub fn measure<'a>(
    index: &Index,
    embedder: &Embedder,
    rows: impl IntoIterator<Item = &'a Row>,
) -> Result<Figures, IndexError> {
    let mut figures = Figures::default();
    let find = |query: &str, kinds: &[&str], limit: u32| -> Result<Vec<String>, IndexError> {
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let request =
            SearchRequest { kinds: Some(kinds), limit: Some(limit), ..SearchRequest::new(query) };
        let hits = index.search(&request, embedder)?.hits;
        Ok(hits.into_iter().map(|hit| hit.coordinate).collect())
    };
    for row in rows {
        if let Some(Targets { fields, types }) = &row.targets {
            let found = find(&row.query, &["field"], 50)?;
            let names = [("field recall@10", 10), ("field recall@50", 50)];
            recall(&mut figures, &found, fields, names);
            let found = find(&row.query, &KINDS_OF_TYPE, 50)?;
            let names = [("type recall@10", 10), ("type recall@50", 50)];
            recall(&mut figures, &found, types, names);
        }
        if let Some(Topic { relevant, mismatch }) = &row.topic {
            let answers: HashSet<&str> = relevant
                .iter()
                .filter(|(_, grade)| **grade == ANSWER)
                .map(|(coordinate, _)| coordinate.as_str())
                .collect();
            first(&mut figures, &find(&row.query, &[], 10)?, &answers, ("MRR", "success@10"));
            if answers.iter().any(|answer| answer.starts_with("field:")) {
                let found = find(&row.query, &["field"], 10)?;
                first(&mut figures, &found, &answers, ("field MRR", "field success@10"));
                if *mismatch {
                    let names = ("mismatch MRR", "mismatch success@10");
                    first(&mut figures, &found, &answers, names);
                }
            }
        }
        if let Some(reference) = &row.reference {
            operations::measure(&mut figures, index, embedder, (&row.query, reference))?;
        }
    }
    Ok(figures)
}

/// The share of what is wanted among the first `k` found.
fn recall(
    figures: &mut Figures,
    found: &[String],
    wanted: &[String],
    names: [(&'static str, usize); 2],
) {
    if wanted.is_empty() {
        return;
    }
    for (name, k) in names {
        let first: HashSet<&str> =
            found.iter().take(k).map(|coordinate| bare(coordinate)).collect();
        let hits = wanted.iter().filter(|wanted| first.contains(wanted.as_str())).count();
        figures.add(name, ratio(hits, wanted.len()));
    }
}

/// The reciprocal rank of the first answer, and whether there is one.
fn first(
    figures: &mut Figures,
    found: &[String],
    answers: &HashSet<&str>,
    (reciprocal_rank, success): (&'static str, &'static str),
) {
    let rank = found.iter().position(|coordinate| answers.contains(coordinate.as_str()));
    figures.add(reciprocal_rank, rank.map_or(0.0, |rank| ratio(1, rank + 1)));
    figures.add(success, if rank.is_some() { 1.0 } else { 0.0 });
}

#[expect(clippy::cast_precision_loss, reason = "counts of hits are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn figures_are_means_over_rows() {
        let mut figures = Figures::default();
        let found = strings(&["field:A.a", "field:A.b"]);
        let names = [("r@1", 1), ("r@2", 2)];
        recall(&mut figures, &found, &strings(&["A.b"]), names);
        recall(&mut figures, &found, &strings(&["A.a", "A.c"]), names);
        recall(&mut figures, &found, &[], names);
        first(&mut figures, &found, &HashSet::from(["field:A.b"]), ("MRR", "s@10"));
        let means: Vec<_> = figures.means().collect();
        assert_eq!(means, [("MRR", 0.5), ("r@1", 0.25), ("r@2", 0.75), ("s@10", 1.0)]);
    }
}
