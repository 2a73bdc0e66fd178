//! What speaks for every definition, without a choice of who runs: what planning
//! an operation starts from.

use std::collections::HashMap;

use super::{names::shares, question::Question, ranking};
use crate::index::{Index, IndexError, graph::Position};
use crate::{embedding::Embedder, schema::Kind};

/// How each definition answers a prompt. Every figure is a list with one entry a
/// definition, in the order of positions.
#[derive(Debug)]
pub struct Survey {
    /// The prompt's words, and what names say of each.
    pub words: Vec<SaidWord>,
    /// Cosine to the prompt, −1 to 1.
    pub meaning: Vec<f32>,
    /// Cosine of a member's name alone.
    pub name_meaning: Vec<f32>,
    /// The share of the name that the prompt has, near words included, 0 to 1.
    pub name_covered: Vec<f32>,
    /// The same without near words.
    pub name_said: Vec<f32>,
    /// What the prompt says of a field's name beyond the name of its owner, near
    /// words included, over the whole name, 0 to 1.
    pub novelty: Vec<f32>,
    /// How well each type answers, less the best; −8 to 0.
    pub type_lines: Vec<f32>,
    /// Of fields: how well each answers as one leaf among those that a long prompt
    /// asks for; only differences mean anything.
    pub leaf_lines: Vec<f32>,
    /// Of fields: the same as the one field that a short topic asks for.
    pub topic_lines: Vec<f32>,
}

/// A word of a prompt.
#[derive(Debug)]
pub struct SaidWord {
    /// Without its endings.
    pub stem: String,
    /// Its share of the prompt's weight; the shares sum to 1.
    pub share: f32,
    /// The definitions whose name has it, 1, or a word near to it, for less.
    pub names: HashMap<Position, f32>,
}

impl Index {
    /// Surveys every definition for a prompt.
    ///
    /// # Errors
    /// As [`Index::search`].
    #[tracing::instrument(name = "retrieval", level = "debug", skip_all)]
    pub(crate) fn survey(&self, prompt: &str, embedder: &Embedder) -> Result<Survey, IndexError> {
        let vector = embedder.embed_question(prompt)?;
        let question = Question::read(prompt);
        let (evidence, frequencies) = self.evidence(&question, &vector)?;
        let type_lines = ranking::type_lines(&self.graph, &evidence);
        let count = self.graph.definitions().len();
        let (mut leaf_lines, mut topic_lines) = (vec![0.0; count], vec![0.0; count]);
        let places = self.graph.definitions().iter().enumerate();
        for ((place, leaf_line), topic_line) in places.zip(&mut leaf_lines).zip(&mut topic_lines) {
            if place.1.kind == Kind::Field {
                let features =
                    ranking::member_features(place, &self.graph, &question, &evidence, &type_lines);
                (*leaf_line, *topic_line) = ranking::member_lines(&features);
            }
        }
        let shares = shares(&frequencies, count);
        let words = question.words.iter().zip(shares).map(|(word, share)| SaidWord {
            stem: word.stem.clone(),
            share,
            names: self.names.nearness(word, &self.vocabulary),
        });
        Ok(Survey {
            words: words.collect(),
            name_said: self.name_said(&question),
            novelty: self.novelty(&question),
            meaning: evidence.meaning,
            name_meaning: evidence.name_meaning,
            name_covered: evidence.name_covered,
            type_lines,
            leaf_lines,
            topic_lines,
        })
    }

    fn name_said(&self, question: &Question) -> Vec<f32> {
        let mut said = vec![0.0; self.graph.definitions().len()];
        for word in &question.words {
            self.names.credit(&mut said, (&word.stem, 1.0), |_| true);
        }
        said
    }

    fn novelty(&self, question: &Question) -> Vec<f32> {
        let mut weights: HashMap<&str, f32> = HashMap::new();
        for word in &question.words {
            weights.insert(&word.stem, 1.0);
            for (near, nearness) in self.vocabulary.near(word) {
                let weight = weights.entry(&near.stem).or_default();
                *weight = weight.max(*nearness);
            }
        }
        let mut novelty = vec![0.0; self.graph.definitions().len()];
        for (stem, weight) in weights {
            let is_new = |position: Position| {
                let owner = self.graph.get(position).and_then(|node| node.owner);
                owner.is_some_and(|owner| !self.names.has(owner, stem))
            };
            self.names.credit(&mut novelty, (stem, weight), is_new);
        }
        novelty
    }
}
