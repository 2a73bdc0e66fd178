//! What planning knows of a schema before any prompt: how its types hang
//! together, and what the names and types of its fields say by themselves.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use rust_stemmers::{Algorithm, Stemmer};

use super::{
    lines::{Hop, Leaf},
    structure::{Connection, Structure},
    style::{self, Owner},
    verbs::RootWords,
};
use crate::{
    index::{Graph, Position, Root, words_of},
    schema::{FieldDef, Kind, Schema},
};

/// Where a type stands in [`Facts`], in the order of [`Schema::types`].
pub type TypeId = usize;
/// Where a field stands in [`Facts`].
pub type FieldId = usize;
/// A distinct stem.
pub type StemId = usize;

/// A field by which only a machine finds entities, and no root of an operation.
const MACHINERY: &[&str] = &["_entities", "_service", "__type"];

/// A schema, ready for planning.
#[derive(Debug, Default)]
pub struct Facts {
    pub types: Vec<TypeFacts>,
    /// The fields of objects and interfaces, those of one type together.
    pub fields: Vec<FieldFacts>,
    /// The root fields that an operation can begin with.
    pub roots: Vec<(FieldId, RootWords)>,
    /// The fields whose name's last word has a stem.
    pub with_last_stem: HashMap<StemId, Vec<FieldId>>,
    pub stems: Stems,
}

/// A named type.
#[derive(Debug)]
pub struct TypeFacts {
    pub name: String,
    /// Its place in the graph; beyond every list where the graph lacks it.
    pub position: Position,
    pub root: Option<Root>,
    pub fields: Range<FieldId>,
    /// The objects that an interface or union can be.
    pub possible: Vec<TypeId>,
    pub connection: Option<Connection>,
    /// How many of its fields lead to many of something.
    pub lists: f32,
}

/// A field of an object or interface.
#[derive(Debug)]
pub struct FieldFacts {
    pub id: FieldId,
    pub name: String,
    /// Its type in SDL notation.
    pub notation: String,
    pub owner: TypeId,
    /// Its place in the graph; beyond every list where the graph lacks it.
    pub position: Position,
    pub root: Option<Root>,
    /// The type that it returns, where one can select of that.
    pub target: Option<TypeId>,
    /// The type that it returns, or what that lists where it is a connection.
    pub entity: Option<TypeId>,
    /// Is it on the way through a connection: `nodes`, `edges`, `node`?
    pub plumbing: bool,
    /// Does it return a list or a connection?
    pub listy: bool,
    /// How many arguments must be given.
    pub required_arguments: usize,
    /// Is it its owner's label?
    pub label: bool,
    /// ln of how many fields share its name.
    pub namesakes: f32,
    /// What it is judged by as a leaf that no prompt changes.
    pub as_leaf: Leaf,
    /// What it is judged by as a hop that no prompt changes.
    pub as_hop: Hop,
}

impl FieldFacts {
    /// Is it a leaf that asks for no argument?
    pub const fn is_plain_leaf(&self) -> bool {
        self.target.is_none() && self.required_arguments == 0
    }

    /// Is it a field that leads from one entity to another?
    pub const fn is_hop(&self) -> bool {
        self.target.is_some() && !self.plumbing
    }
}

impl Facts {
    /// Gathers the facts; takes some milliseconds for thousands of types.
    pub fn of(schema: &Schema, graph: &Graph) -> Self {
        Self::with_places(schema, |coordinate| graph.find(coordinate))
    }

    /// The same, where `place` knows where each coordinate stands.
    pub fn with_places(schema: &Schema, place: impl Fn(&str) -> Option<Position>) -> Self {
        let structure = Structure::of(schema);
        let place = |kind: Kind, path: &str| {
            place(&format!("{}:{path}", kind.as_str())).unwrap_or(Position::MAX)
        };
        let mut facts = Self::default();
        for (id, ty) in schema.types().iter().enumerate() {
            let owner = Owner::of(&structure, id, ty);
            for field in &ty.fields {
                let mut of_field = field_facts(&structure, &owner, (facts.fields.len(), field));
                of_field.position = place(Kind::Field, &format!("{}.{}", ty.name, field.name));
                facts.add_words(schema, field, &of_field);
                facts.fields.push(of_field);
            }
            let first = structure.first_field(id);
            style::mark_label(facts.fields.get_mut(first..).unwrap_or_default());
            let mut of_type = TypeFacts {
                name: ty.name.clone(),
                position: place(Kind::from(ty.kind), &ty.name),
                root: structure.roots.get(&id).copied(),
                fields: first..facts.fields.len(),
                possible: structure.possible.get(&id).cloned().unwrap_or_default(),
                connection: structure.connections.get(&id).copied(),
                lists: 0.0,
            };
            let hops = facts.fields.get(of_type.fields.clone()).unwrap_or_default().iter();
            let lists = hops.filter(|hop| hop.root.is_none() && hop.is_hop() && hop.listy);
            of_type.lists = style::count(lists.count());
            facts.types.push(of_type);
        }
        facts.count_namesakes();
        facts
    }

    /// The fields of a type.
    pub fn fields_of(&self, ty: TypeId) -> &[FieldFacts] {
        self.types.get(ty).and_then(|ty| self.fields.get(ty.fields.clone())).unwrap_or_default()
    }

    fn add_words(&mut self, schema: &Schema, field: &FieldDef, facts: &FieldFacts) {
        if let Some(&last) = self.stems.of_identifier(&field.name).last() {
            self.with_last_stem.entry(last).or_default().push(facts.id);
        }
        if facts.root.is_some() && !MACHINERY.contains(&field.name.as_str()) {
            self.roots.push((facts.id, RootWords::of(schema, field, &mut self.stems)));
        }
    }

    fn count_namesakes(&mut self) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for field in &self.fields {
            *counts.entry(&field.name).or_default() += 1;
        }
        let namesakes: Vec<f32> = (self.fields.iter())
            .map(|field| counts.get(field.name.as_str()).map_or(0.0, |n| style::count(*n).ln()))
            .collect();
        for (field, namesakes) in self.fields.iter_mut().zip(namesakes) {
            field.namesakes = namesakes;
        }
    }
}

/// All but what its place says.
fn field_facts(
    structure: &Structure<'_>,
    owner: &Owner<'_>,
    (id, field): (FieldId, &FieldDef),
) -> FieldFacts {
    let target = structure.target(field);
    let through = target.and_then(|target| structure.connections.get(&target));
    let mut facts = FieldFacts {
        id,
        name: field.name.clone(),
        notation: field.type_ref.as_str().to_owned(),
        owner: owner.id,
        position: Position::MAX,
        root: structure.roots.get(&owner.id).copied(),
        target,
        entity: through
            .map(|connection| connection.entity)
            .or_else(|| structure.id(field.type_ref.named())),
        plumbing: structure.plumbing.contains(&id),
        listy: through.is_some() || field.type_ref.is_list(),
        required_arguments: field.args.iter().filter(|argument| argument.is_required()).count(),
        label: false,
        namesakes: 0.0,
        as_leaf: Leaf::default(),
        as_hop: Hop::default(),
    };
    if target.is_none() {
        facts.as_leaf = style::leaf(structure, owner, field);
    } else {
        facts.as_hop = style::hop(structure, owner, (field, &facts));
    }
    facts
}

/// Stems by number, and the words that were stemmed.
#[derive(Debug, Default)]
pub struct Stems {
    of_identifiers: HashMap<String, Vec<StemId>>,
    of_words: HashMap<String, StemId>,
    ids: HashMap<String, StemId>,
}

impl Stems {
    /// The stems of an identifier's words, in order.
    pub fn of_identifier(&mut self, identifier: &str) -> Vec<StemId> {
        if let Some(known) = self.of_identifiers.get(identifier) {
            return known.clone();
        }
        let words = words_of(identifier);
        let stems: Vec<StemId> = words.iter().map(|word| self.of_word(word)).collect();
        self.of_identifiers.insert(identifier.to_owned(), stems.clone());
        stems
    }

    /// The stem of a word.
    pub fn of_word(&mut self, word: &str) -> StemId {
        if let Some(&known) = self.of_words.get(word) {
            return known;
        }
        let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
        let next = self.ids.len();
        let id = match self.ids.entry(stem) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(next),
        };
        self.of_words.insert(word.to_owned(), id);
        id
    }

    /// The number of a stem, where a name has it.
    pub fn find(&self, stem: &str) -> Option<StemId> {
        self.ids.get(stem).copied()
    }
}
