//! What the names and types of fields say by themselves, whatever the prompt.

use super::{
    facts::{FieldFacts, TypeId},
    lines::{Hop, Leaf, flag},
    structure::Structure,
};
use crate::schema::{FieldDef, TypeDef};

/// Names that people know a thing by.
const NAMES: &[&str] = &["name", "title", "fullname", "displayname", "namewithowner"];
/// Names of what people tell such things apart by.
const KEYS: &[&str] = &[
    "slug",
    "key",
    "login",
    "handle",
    "number",
    "identifier",
    "username",
    "code",
    "iid",
    "sku",
    "uuid",
    "email",
];
/// The leaf that shows a thing: the first of these that its type has.
const LABELS: &[&str] = &[
    "name",
    "title",
    "fullname",
    "displayname",
    "namewithowner",
    "login",
    "username",
    "label",
    "slug",
    "subject",
    "key",
    "code",
    "number",
    "handle",
];
/// What an error says.
const OF_ERRORS: &[&str] = &["message", "field", "code"];
/// What leads elsewhere.
const LINKS: &[&str] = &["url", "uri", "path", "link", "html"];

/// The type that fields are members of.
pub struct Owner<'a> {
    pub id: TypeId,
    pub ty: &'a TypeDef,
    /// How many of its fields are leaves.
    pub leaves: f32,
}

impl<'a> Owner<'a> {
    /// Counts the leaves of a type.
    pub fn of(structure: &Structure<'_>, id: TypeId, ty: &'a TypeDef) -> Self {
        let leaves = ty.fields.iter().filter(|field| structure.target(field).is_none());
        Self { id, ty, leaves: count(leaves.count()) }
    }
}

/// The part of a leaf's features that no prompt changes. `id`, `label_…` and
/// `count_…` are flags here, which a prompt then takes or drops.
pub fn leaf(structure: &Structure<'_>, owner: &Owner<'_>, field: &FieldDef) -> Leaf {
    let name = folded(&field.name);
    let is = |names: &[&str]| flag(names.contains(&name.as_str()));
    Leaf {
        one: 1.0,
        siblings: owner.leaves.ln_1p(),
        in_connection: flag(structure.connections.contains_key(&owner.id)),
        id: is(&["id"]),
        foreign_id: flag(name.ends_with("id") && name != "id"),
        name: is(NAMES),
        key: is(KEYS),
        error_message: flag(OF_ERRORS.contains(&name.as_str()) && owner.ty.name.contains("rror")),
        status: is(&["state", "status"]),
        count_asked: is(&["totalcount", "count", "total"]),
        url: flag(LINKS.iter().any(|link| name.contains(link))),
        cursor: is(&["cursor", "clientmutationid"]),
        boolean: flag(field.type_ref.named() == "Boolean"),
        non_null: flag(field.type_ref.is_non_null()),
        deprecated: flag(field.deprecation_reason.is_some()),
        ..Leaf::default()
    }
}

/// The part of a hop's features that no prompt changes.
pub fn hop(
    structure: &Structure<'_>,
    owner: &Owner<'_>,
    (field, facts): (&FieldDef, &FieldFacts),
) -> Hop {
    let required = facts.required_arguments.min(2);
    Hop {
        one: 1.0,
        list: flag(field.type_ref.is_list()),
        connection: flag(facts.target.is_some_and(|ty| structure.connections.contains_key(&ty))),
        page_info: flag(field.name == "pageInfo"),
        siblings: owner.leaves.ln_1p(),
        of_payload: flag(structure.payloads.contains(&owner.id)),
        to_root: flag(facts.entity.is_none_or(|ty| structure.near_roots.contains(&ty))),
        required_arguments: count(required),
        deprecated: flag(field.deprecation_reason.is_some()),
        ..Hop::default()
    }
}

/// Marks the label among the fields of one type.
pub fn mark_label(fields: &mut [FieldFacts]) {
    let rank = |field: &FieldFacts| {
        let name = folded(&field.name);
        LABELS.iter().position(|label| *label == name)
    };
    let plain = fields.iter_mut().filter(|field| field.is_plain_leaf());
    let ranked = plain.filter_map(|field| Some((rank(field)?, field)));
    if let Some((_, field)) = ranked.min_by_key(|(rank, _)| *rank) {
        field.label = true;
    }
}

/// A count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts of members are far below 2^24")]
pub const fn count(number: usize) -> f32 {
    number as f32
}

/// `full_name` and `fullName` are one name.
fn folded(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}
