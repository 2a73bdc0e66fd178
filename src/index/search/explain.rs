//! Why a hit stands where it stands: its ranks on each leg, and what each
//! feature added. The same features, as they are, are what the weights are
//! fitted on.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{
    evidence::at,
    question::Form,
    ranking::{self, MemberFeatures, TypeFeatures},
    {Assessment, Filter},
};
use crate::index::{Index, IndexError, graph::Position};
use crate::{
    discovery::{SearchRequest, SearchResponse},
    embedding::Embedder,
    schema::Kind,
};

/// Why one hit stands where it stands.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The hit's coordinate.
    pub coordinate: String,
    /// Its place among all definitions by the cosine to the question, from 1.
    pub meaning_rank: Option<usize>,
    /// Its place by BM25 with near words, from 1; none where it shares no word.
    pub words_rank: Option<usize>,
    /// The place of its owner, or of the type itself, among the types, from 1.
    pub type_rank: Option<usize>,
    /// How much the question was taken for a long prompt, 0 to 1.
    pub prompt_share: f32,
    /// What each feature added to its line over the average candidate, the
    /// largest first: `weight · (feature − mean)`.
    pub added: Vec<(String, f32)>,
}

/// What everything that runs for one question is judged by: a row of the fit.
#[derive(Debug, Serialize)]
pub struct Features<'a> {
    /// The question's form.
    pub gate: Form,
    /// Every type.
    pub types: Table<'a>,
    /// Every field that runs.
    pub fields: Table<'a>,
    /// The place of each field's owner among the types.
    pub owners: Vec<usize>,
}

/// Features of many elements.
#[derive(Debug, Default, Serialize)]
pub struct Table<'a> {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The elements.
    pub coordinates: Vec<&'a str>,
    /// A row an element, a number a name, to four digits.
    pub rows: Vec<Vec<f32>>,
}

impl<'a> Table<'a> {
    fn add(&mut self, coordinate: &'a str, features: &impl Serialize) {
        let features = numbers(features);
        self.coordinates.push(coordinate);
        self.rows.push(features.values().map(|number| (number * 1e4).round() / 1e4).collect());
        self.names = features.into_keys().collect();
    }
}

impl Index {
    /// Answers as [`Index::search`], and says why.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn explain(
        &self,
        request: &SearchRequest,
        embedder: &Embedder,
    ) -> Result<(SearchResponse, Vec<Explanation>), IndexError> {
        let answer = self.search(request, embedder)?;
        let Some(filter) = self.filter(request) else {
            return Ok((answer, Vec::new()));
        };
        let assessment = self.assess(&request.query, &filter, embedder)?;
        let fields = self.features(&assessment, &filter, |kind| !kind.is_type());
        let means = mean(fields.iter().map(|(_, features)| numbers(features)));
        let types: Vec<TypeFeatures> =
            self.types().map(|place| ranking::type_features(place, &assessment.evidence)).collect();
        let type_means = mean(types.iter().map(numbers));
        let prompt_share = ranking::prompt_share(&assessment.question);
        let explanations = answer.hits.iter().filter_map(|hit| {
            let position = self.graph.find(&hit.coordinate)?;
            let node = self.graph.get(position)?;
            let added = if node.kind.is_type() {
                let features = ranking::type_features((position, node), &assessment.evidence);
                added(&numbers(&features), &type_means, &ranking::type_weights())
            } else {
                let features = fields.iter().find(|(at, _)| *at == position);
                features.map_or_else(Vec::new, |(_, features)| {
                    added(&numbers(features), &means, &ranking::member_weights(prompt_share))
                })
            };
            Some(Explanation {
                coordinate: hit.coordinate.clone(),
                meaning_rank: rank(&assessment.evidence.meaning, position),
                words_rank: rank(&assessment.evidence.near_words, position)
                    .filter(|_| at(&assessment.evidence.near_words, position) > 0.0),
                type_rank: rank(&assessment.lines, node.owner.unwrap_or(position)),
                prompt_share,
                added,
            })
        });
        let explanations = explanations.collect();
        Ok((answer, explanations))
    }

    /// The features of all that runs for a query.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn fit_row(&self, query: &str, embedder: &Embedder) -> Result<Features<'_>, IndexError> {
        let filter = Filter::kinds(vec![Kind::Field]);
        let assessment = self.assess(query, &filter, embedder)?;
        let places: BTreeMap<Position, usize> =
            self.types().map(|(position, _)| position).zip(0..).collect();
        let mut features = Features {
            gate: assessment.question.form,
            types: Table::default(),
            fields: Table::default(),
            owners: Vec::new(),
        };
        for (position, node) in self.types() {
            let of_type = ranking::type_features((position, node), &assessment.evidence);
            features.types.add(&node.coordinate, &of_type);
        }
        for (position, of_field) in self.features(&assessment, &filter, |kind| kind == Kind::Field)
        {
            let node = self.graph.get(position);
            let owner = node.and_then(|node| node.owner).and_then(|owner| places.get(&owner));
            if let (Some(node), Some(owner)) = (node, owner) {
                features.fields.add(&node.coordinate, &of_field);
                features.owners.push(*owner);
            }
        }
        Ok(features)
    }

    fn features(
        &self,
        assessment: &Assessment,
        filter: &Filter,
        is: fn(Kind) -> bool,
    ) -> Vec<(Position, MemberFeatures)> {
        let running = self.running(assessment, filter, is).into_iter();
        running.map(|place| (place.0, self.member_features(place, assessment))).collect()
    }
}

/// The features by name.
fn numbers(features: &impl Serialize) -> BTreeMap<String, f32> {
    let Ok(Value::Object(features)) = serde_json::to_value(features) else {
        return BTreeMap::new();
    };
    #[expect(clippy::cast_possible_truncation, reason = "they were 32 bits wide before")]
    let number = |value: &Value| value.as_f64().unwrap_or_default() as f32;
    features.iter().map(|(name, value)| (name.clone(), number(value))).collect()
}

fn mean(rows: impl Iterator<Item = BTreeMap<String, f32>>) -> BTreeMap<String, f32> {
    let (mut sums, mut count) = (BTreeMap::<String, f32>::new(), 0.0_f32);
    for row in rows {
        count += 1.0;
        for (name, number) in row {
            *sums.entry(name).or_default() += number;
        }
    }
    sums.into_iter().map(|(name, sum)| (name, sum / count)).collect()
}

fn added(
    features: &BTreeMap<String, f32>,
    means: &BTreeMap<String, f32>,
    weights: &impl Serialize,
) -> Vec<(String, f32)> {
    let weights = numbers(weights);
    let of =
        |numbers: &BTreeMap<String, f32>, name: &str| numbers.get(name).copied().unwrap_or(0.0);
    let mut added: Vec<(String, f32)> = features
        .iter()
        .map(|(name, feature)| (name.clone(), of(&weights, name) * (feature - of(means, name))))
        .filter(|(_, share)| share.abs() > 0.05)
        .collect();
    added.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
    added
}

/// The place of a figure among all, from 1.
fn rank(figures: &[f32], position: Position) -> Option<usize> {
    let own = figures.get(position)?;
    Some(1 + figures.iter().filter(|figure| *figure > own).count())
}
