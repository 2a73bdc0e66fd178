//! What speaks for each element, given a question: how near it is in meaning,
//! which of its words the question has, and what its neighbours in the type
//! graph say.
//!
//! Every figure is a list with one entry a definition, in the order of
//! positions.

use super::{lexicon::WordScores, names::Names, question::Question, vocabulary::Vocabulary};
use crate::index::{
    graph::{Graph, Position},
    vectors::Vectors,
};
use crate::schema::Kind;

/// `k` of reciprocal rank fusion, `Σ 1/(k + rank)` (Cormack, Clarke and
/// Büttcher, 2009), the value of that paper.
const RRF_K: f32 = 60.0;
/// Ranks beyond this one are no evidence.
const LAST_RANK: usize = 1_000;
/// Scales fused ranks, which are below 4/61, to the order of the other figures.
const RRF_SCALE: f32 = 30.0;
/// What speaks for each definition.
pub struct Evidence {
    /// Cosine to the question, −1 to 1.
    pub meaning: Vec<f32>,
    /// Cosine of a member's name alone.
    pub name_meaning: Vec<f32>,
    /// BM25 of the question's own words over the best among fields, input fields
    /// or types, 0 to 1.
    pub words: Vec<f32>,
    /// The same with near words.
    pub near_words: Vec<f32>,
    /// The share of the question's weight that the name has, 0 to 1.
    pub named: Vec<f32>,
    /// The same with near words.
    pub nearly_named: Vec<f32>,
    /// The share of the name that the question has, near words included, 0 to 1.
    pub name_covered: Vec<f32>,
    /// Of a type: the best cosine among its members.
    pub best_member: Vec<f32>,
    /// Of a type: the best cosine among the fields that return it.
    pub best_returning: Vec<f32>,
    /// Of a type: the best among the fields that return it by reciprocal ranks of
    /// meaning and words, fused and scaled, 0 to 0.98.
    pub returning_rank: Vec<f32>,
}

impl Evidence {
    /// Gathers what speaks for each definition of a graph.
    pub fn gather(
        question: &Question,
        vector: &[f32],
        vocabulary: &Vocabulary,
        (graph, names, vectors): (&Graph, &Names, &Vectors),
        scores: &WordScores,
    ) -> Self {
        let count = graph.definitions().len();
        let meaning = vectors.cosines(vector);
        let coverage = names.coverage(question, vocabulary, &scores.frequencies, count);

        let of_kind = |is: fn(Kind) -> bool| -> Vec<Position> {
            let nodes = graph.definitions().iter().enumerate();
            nodes.filter(|(_, node)| is(node.kind)).map(|(position, _)| position).collect()
        };
        let types = of_kind(Kind::is_type);
        let groups =
            [of_kind(|kind| kind == Kind::Field), of_kind(|kind| kind == Kind::InputField)];

        let mut ranks = vec![0.0; count];
        let mut floor = -1.0_f32;
        for group in &groups {
            fuse(&mut ranks, &meaning, group);
            fuse(&mut ranks, &scores.near, group);
            if let Some(last) = nth_largest(&meaning, group, LAST_RANK) {
                floor = floor.max(last);
            }
        }
        let mut evidence = Self {
            name_meaning: vectors.name_cosines(vector),
            words: vec![0.0; count],
            near_words: vec![0.0; count],
            named: coverage.named,
            nearly_named: coverage.nearly_named,
            name_covered: coverage.name_covered,
            best_member: vec![floor; count],
            best_returning: vec![floor; count],
            returning_rank: vec![0.0; count],
            meaning,
        };
        for group in groups.iter().chain([&types]) {
            relative(&mut evidence.words, &scores.literal, group);
            relative(&mut evidence.near_words, &scores.near, group);
        }
        for &position in groups.iter().flatten() {
            let Some(node) = graph.get(position) else {
                continue;
            };
            let (cosine, rank) =
                (at(&evidence.meaning, position), at(&ranks, position) * RRF_SCALE);
            if let Some(owner) = node.owner {
                raise(&mut evidence.best_member, owner, cosine);
            }
            for returned in [node.target, node.entity].into_iter().flatten() {
                raise(&mut evidence.best_returning, returned, cosine);
                raise(&mut evidence.returning_rank, returned, rank);
            }
        }
        evidence
    }
}

/// A figure of a list; 0 beyond its end.
pub fn at(figures: &[f32], position: Position) -> f32 {
    figures.get(position).copied().unwrap_or(0.0)
}

fn raise(figures: &mut [f32], position: Position, to: f32) {
    if let Some(figure) = figures.get_mut(position) {
        *figure = figure.max(to);
    }
}

/// Adds `1/(k + rank)` to each of a group; what has no score has no rank.
fn fuse(fused: &mut [f32], scores: &[f32], group: &[Position]) {
    let mut order: Vec<(f32, Position)> = group
        .iter()
        .map(|&position| (at(scores, position), position))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut denominator = RRF_K;
    for (_, position) in order.into_iter().take(LAST_RANK) {
        denominator += 1.0;
        if let Some(sum) = fused.get_mut(position) {
            *sum += 1.0 / denominator;
        }
    }
}

/// Each score of a group over the greatest of the group.
fn relative(figures: &mut [f32], scores: &[f32], group: &[Position]) {
    let greatest = group.iter().map(|&position| at(scores, position)).fold(0.0_f32, f32::max);
    if greatest > 0.0 {
        for &position in group {
            raise(figures, position, at(scores, position) / greatest);
        }
    }
}

fn nth_largest(scores: &[f32], group: &[Position], n: usize) -> Option<f32> {
    let mut group: Vec<f32> = group.iter().map(|&position| at(scores, position)).collect();
    let n = n.min(group.len()).checked_sub(1)?;
    let (_, nth, _) = group.select_nth_unstable_by(n, |a, b| b.total_cmp(a));
    Some(*nth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocal_ranks_are_of_the_group_and_skip_what_has_no_score() {
        let mut fused = vec![0.0; 4];
        fuse(&mut fused, &[0.1, 0.9, 0.0, 0.5], &[0, 1, 2]);
        assert_eq!(fused, [1.0 / 62.0, 1.0 / 61.0, 0.0, 0.0]);
    }

    #[test]
    fn the_nth_largest_is_the_smallest_where_there_are_fewer() {
        assert_eq!(nth_largest(&[0.1, 0.9, 0.5], &[0, 1, 2], 2), Some(0.5));
        assert_eq!(nth_largest(&[0.1, 0.9, 0.5], &[0, 1, 2], 9), Some(0.1));
        assert_eq!(nth_largest(&[], &[], 9), None);
    }
}
