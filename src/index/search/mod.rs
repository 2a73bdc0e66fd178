//! `search_schema`: filter, gather evidence, rank.
//!
//! Filters come first, on every leg: the nearest in meaning are taken among
//! what passes them, and so are the words' and the type graph's candidates.
//! Members and types have their own models, whose probabilities are compared in
//! one list; paths follow the type they lead to.

mod evidence;
mod explain;
mod lexicon;
mod names;
mod question;
mod ranking;
mod survey;
mod vocabulary;

use std::{collections::HashSet, panic::resume_unwind, sync::PoisonError, thread};

use rusqlite::{Connection, ToSql};

pub use explain::{Explanation, Features, Table};
pub(super) use lexicon::Lexicon;
pub(super) use names::Names;
pub(crate) use question::{Question, Word, imperative, is_reading_word, is_stop_word, words_of};
pub(crate) use survey::Survey;
pub use vocabulary::Vocabulary;

use super::{
    Index, IndexError,
    build::bytes,
    graph::{Graph, Node, Position, id_at, position_of},
};
use crate::{
    discovery::{DEFAULT_LIMIT, Hit, SearchRequest, SearchResponse},
    embedding::Embedder,
    schema::Kind,
};
use evidence::{Evidence, at};
use ranking::{MemberFeatures, log_softmax};

/// Elements that the meaning leg offers. What is further away in meaning comes
/// in by its words or its owner.
const NEAREST: i64 = 200;
/// Types whose members are candidates whatever they are called.
const BEST_TYPES: usize = 30;

/// How much of all questions each kind answers: 509 of 512 graded answers of
/// open judgments are fields, and a type is where one looks next. Where a filter
/// leaves one kind these make no difference.
const FIELD_PRIOR: f32 = 0.9;
/// See [`FIELD_PRIOR`].
const TYPE_PRIOR: f32 = 0.06;
/// See [`FIELD_PRIOR`].
const INPUT_FIELD_PRIOR: f32 = 0.03;
/// See [`FIELD_PRIOR`].
const PATH_PRIOR: f32 = 0.01;

/// What each hop takes from a route's line: between two routes to one type the
/// shorter comes first, between two types the better one.
const HOP_COST: f32 = 0.1;

/// How a hit answers. The order is the ranking: a name that was written out
/// beats every guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// The query is its coordinate, with or without the kind.
    Coordinate,
    /// The query is its name.
    Name,
    /// The query is a topic that it fits.
    Topic,
}

/// An element in the running.
struct Candidate<'a> {
    node: &'a Node,
    tier: Tier,
    /// The logarithm of its probability to be what is asked for.
    score: f32,
}

/// What may be returned at all.
struct Filter {
    kinds: Vec<Kind>,
    parent: Option<Position>,
    paginated: Option<bool>,
}

/// A question, and what speaks for each definition: all that ranking needs.
struct Assessment {
    question: Question,
    evidence: Evidence,
    /// How well each type answers; see [`ranking::type_lines`].
    lines: Vec<f32>,
    /// Which definitions are in the running.
    running: Vec<bool>,
}

impl Index {
    /// Ranks the elements that pass the request's filters, best first; equal
    /// ones by coordinate, so that the same question always gets the same
    /// answer, the second time from memory. A score is a probability, 0 to 1.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read or the model fails. The
    /// request is taken as checked.
    pub fn search(
        &self,
        request: &SearchRequest,
        embedder: &Embedder,
    ) -> Result<SearchResponse, IndexError> {
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answers().get(request) {
            return Ok(answer.clone());
        }
        let answer = match self.filter(request) {
            Some(filter) => {
                let assessment = self.assess(&request.query, &filter, embedder)?;
                let candidates = self.ranked(&request.query, &assessment, &filter);
                let limit = request.limit.unwrap_or(DEFAULT_LIMIT) as usize;
                self.hits(candidates.get(..limit).unwrap_or(&candidates))?
            }
            None => SearchResponse::default(),
        };
        answers().put(request.clone(), answer.clone());
        Ok(answer)
    }

    /// None where nothing can pass: an unknown parent, or unknown kinds only.
    fn filter(&self, request: &SearchRequest) -> Option<Filter> {
        let kinds: Vec<Kind> = match request.kinds.as_deref() {
            None | Some([]) => Kind::ALL.to_vec(),
            Some(names) => Kind::ALL
                .into_iter()
                .filter(|kind| names.iter().any(|name| name == kind.as_str()))
                .collect(),
        };
        let parent = match &request.parent {
            None => None,
            Some(coordinate) => Some(self.graph.find(coordinate)?),
        };
        (!kinds.is_empty()).then_some(Filter { kinds, parent, paginated: request.paginated })
    }

    /// Gathers the evidence, and chooses who runs: every type, the members of the
    /// best types, the nearest in meaning, those that share a word or a near word
    /// with the query, and whatever is spelled out.
    fn assess(
        &self,
        query: &str,
        filter: &Filter,
        embedder: &Embedder,
    ) -> Result<Assessment, IndexError> {
        let vector = embedder.embed_question(query)?;
        let question = Question::read(query);
        // The two take about as long, and neither waits for the other.
        let (nearest, evidence) = thread::scope(|scope| {
            let nearest =
                scope.spawn(|| self.file.read(|connection| nearest(&vector, filter, connection)));
            let evidence = self.evidence(&question, &vector);
            (nearest.join().unwrap_or_else(|panic| resume_unwind(panic)), evidence)
        });
        let (nearest, (evidence, _)) = (nearest?, evidence?);
        let lines = ranking::type_lines(&self.graph, &evidence);
        let best_types = best(&lines, BEST_TYPES);
        let spelled = Spelled::new(query, &self.graph);
        let runs = |(position, node): (Position, &Node)| {
            node.kind.is_type()
                || at(&evidence.near_words, position) > 0.0
                || node.owner.is_some_and(|owner| best_types.contains(&owner))
                || nearest.contains(&position)
                || spelled.tier(node) < Tier::Topic
        };
        let running = self.graph.definitions().iter().enumerate().map(runs).collect();
        Ok(Assessment { question, evidence, lines, running })
    }

    /// What speaks for each definition, and how many have each of the question's
    /// words.
    fn evidence(
        &self,
        question: &Question,
        vector: &[f32],
    ) -> Result<(Evidence, Vec<usize>), IndexError> {
        let scores = self
            .file
            .read(|connection| self.lexicon.scores(question, &self.vocabulary, connection))?;
        let places = (&self.graph, &self.names, &self.vectors);
        let evidence = Evidence::gather(question, vector, &self.vocabulary, places, &scores);
        Ok((evidence, scores.frequencies))
    }

    /// The definitions of a kind that run and pass.
    fn running(
        &self,
        assessment: &Assessment,
        filter: &Filter,
        is: fn(Kind) -> bool,
    ) -> Vec<(Position, &Node)> {
        let definitions = self.graph.definitions().iter().enumerate().zip(&assessment.running);
        definitions
            .filter(|((_, node), runs)| **runs && is(node.kind) && filter.passes(node))
            .map(|(place, _)| place)
            .collect()
    }

    fn ranked(&self, query: &str, assessment: &Assessment, filter: &Filter) -> Vec<Candidate<'_>> {
        let Assessment { question, lines, .. } = assessment;
        let mut scored: Vec<(&Node, f32)> = Vec::new();
        let kinds: [fn(Kind) -> bool; 2] =
            [|kind| kind == Kind::Field, |kind| kind == Kind::InputField];
        for kind in kinds {
            let members = self.running(assessment, filter, kind);
            let features: Vec<MemberFeatures> =
                members.iter().map(|&place| self.member_features(place, assessment)).collect();
            let nodes = members.iter().map(|(_, node)| *node);
            scored.extend(nodes.zip(ranking::member_log_probabilities(question, &features)));
        }
        let types = self.running(assessment, filter, Kind::is_type);
        scored.extend(in_shares(
            types.into_iter().map(|(position, node)| (node, at(lines, position))),
        ));
        let routes = self.graph.routes().filter(|route| filter.passes(route));
        scored.extend(in_shares(routes.map(|route| (route, route_line(route, lines)))));

        let spelled = Spelled::new(query, &self.graph);
        let mut candidates: Vec<Candidate<'_>> = scored
            .into_iter()
            .map(|(node, score)| Candidate {
                node,
                tier: spelled.tier(node),
                score: score + filter.prior(node.kind).ln(),
            })
            .collect();
        candidates.sort_unstable_by(|a, b| {
            (a.tier.cmp(&b.tier))
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| a.node.coordinate.cmp(&b.node.coordinate))
        });
        candidates
    }

    fn member_features(
        &self,
        member: (Position, &Node),
        Assessment { question, evidence, lines, .. }: &Assessment,
    ) -> MemberFeatures {
        ranking::member_features(member, &self.graph, question, evidence, lines)
    }

    fn hits(&self, candidates: &[Candidate<'_>]) -> Result<SearchResponse, IndexError> {
        let coordinates: Vec<String> =
            candidates.iter().map(|candidate| candidate.node.coordinate.to_string()).collect();
        let mut records = self.records(&coordinates)?;
        let hits = coordinates.into_iter().zip(candidates).filter_map(|(coordinate, candidate)| {
            let record = records.remove(&coordinate)?;
            let score = match candidate.tier {
                Tier::Topic => three_digits(candidate.score.exp()),
                Tier::Coordinate | Tier::Name => 1.0,
            };
            Some(Hit { coordinate, score, record })
        });
        Ok(SearchResponse { hits: hits.collect() })
    }
}

/// Lines into the logarithms of shares of 1.
fn in_shares<'a>(
    lines: impl Iterator<Item = (&'a Node, f32)>,
) -> impl Iterator<Item = (&'a Node, f32)> {
    let (nodes, lines): (Vec<_>, Vec<_>) = lines.unzip();
    nodes.into_iter().zip(log_softmax(lines))
}

impl Filter {
    /// Everything of these kinds.
    fn kinds(kinds: Vec<Kind>) -> Self {
        Self { kinds, parent: None, paginated: None }
    }

    fn passes(&self, node: &Node) -> bool {
        self.kinds.contains(&node.kind)
            && self.parent.is_none_or(|parent| node.owner == Some(parent))
            && match self.paginated {
                None => true,
                Some(true) => node.paginated && node.kind == Kind::Field,
                Some(false) => !node.paginated,
            }
    }

    /// How probable it is that an answer is of this kind, among those that pass.
    fn prior(&self, kind: Kind) -> f32 {
        let groups = [Kind::Field, Kind::InputField, Kind::Path];
        let types = self.kinds.iter().find(|kind| kind.is_type());
        let passing = groups.iter().filter(|kind| self.kinds.contains(kind)).chain(types);
        prior(kind) / passing.map(|kind| prior(*kind)).sum::<f32>()
    }
}

fn prior(kind: Kind) -> f32 {
    match kind {
        Kind::Field => FIELD_PRIOR,
        Kind::InputField => INPUT_FIELD_PRIOR,
        Kind::Path => PATH_PRIOR,
        _ => TYPE_PRIOR,
    }
}

/// The query as somebody may have spelled a coordinate or a name.
struct Spelled<'a> {
    query: &'a str,
    coordinate: String,
    is_member: bool,
}

impl<'a> Spelled<'a> {
    fn new(query: &'a str, graph: &Graph) -> Self {
        let query = query.trim();
        Self { query, coordinate: graph.resolve(query), is_member: query.contains('.') }
    }

    fn tier(&self, node: &Node) -> Tier {
        if *node.coordinate == *self.coordinate || self.is_path_of(node) {
            Tier::Coordinate
        } else if *node.name == *self.query && node.kind != Kind::Path {
            Tier::Name
        } else {
            Tier::Topic
        }
    }

    /// `Employee.details` for `field:Employee.details`.
    fn is_path_of(&self, node: &Node) -> bool {
        let kind = node.kind.as_str().len() + ":".len();
        self.is_member && node.coordinate.get(kind..) == Some(self.query)
    }
}

/// The definitions nearest to the question in meaning among those that pass the
/// filter. sqlite-vec compares the signs of the vectors' numbers, a thirty-second
/// of the memory; evidence has the exact cosines.
fn nearest(
    vector: &[f32],
    filter: &Filter,
    connection: &Connection,
) -> rusqlite::Result<HashSet<Position>> {
    let definitions = filter.kinds.iter().filter(|kind| **kind != Kind::Path);
    let kinds: Vec<String> = definitions.map(|kind| kind.number().to_string()).collect();
    let mut sql = format!(
        "SELECT id FROM element_vector
         WHERE bits MATCH vec_quantize_binary(:vector) AND k = :k AND kind IN ({})",
        kinds.join(", ")
    );
    let vector = bytes(vector);
    let parent = filter.parent.map(id_at);
    let mut parameters: Vec<(&str, &dyn ToSql)> = vec![(":vector", &vector), (":k", &NEAREST)];
    if let Some(parent) = &parent {
        sql.push_str(" AND parent = :parent");
        parameters.push((":parent", parent));
    }
    if let Some(paginated) = &filter.paginated {
        sql.push_str(" AND paginated = :paginated");
        parameters.push((":paginated", paginated));
    }
    let mut statement = connection.prepare_cached(&sql)?;
    let ids = statement.query_map(parameters.as_slice(), |row| row.get(0))?;
    ids.map(|id| id.map(position_of)).collect()
}

/// The positions of the highest lines.
fn best(lines: &[f32], count: usize) -> HashSet<Position> {
    let mut order: Vec<Position> = (0..lines.len()).collect();
    order.sort_unstable_by(|&a, &b| at(lines, b).total_cmp(&at(lines, a)).then(a.cmp(&b)));
    order.into_iter().take(count).collect()
}

/// A route is worth what it leads to, and less the longer it is.
fn route_line(route: &Node, lines: &[f32]) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "routes have a few hops")]
    let hops = route.depth.unwrap_or_default() as f32;
    route.target.map_or(0.0, |target| at(lines, target)) - HOP_COST * hops
}

/// More digits than three say nothing and cost an agent tokens.
fn three_digits(score: f32) -> f64 {
    format!("{score:.2e}").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_keep_three_digits() {
        assert!((three_digits(0.123_456) - 0.123).abs() < 1e-12);
        assert!((three_digits(0.000_012_345) - 0.000_012_3).abs() < 1e-12);
    }

    #[test]
    fn what_is_spelled_out_beats_a_topic() {
        assert!(Tier::Coordinate < Tier::Name && Tier::Name < Tier::Topic);
    }
}
