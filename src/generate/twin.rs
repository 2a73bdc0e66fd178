//! Two root fields for one list: `employees`, and `employeesConnection` that
//! takes a count, an order and a filter. Where the prompt asks for a part of the
//! list, the one that can give it is meant, whichever the plan found.

use super::{
    arguments::{Asked, Place},
    operation::find,
    plan::{Plan, Selection},
};
use crate::{
    index::Root,
    schema::{FieldDef, InputValue, Schema, TypeDef},
};

/// Moves a plan to the root field that meets more of what is asked about the
/// list; leaves it where there is none.
pub fn moved(plan: Plan, schema: &Schema, asked: &Asked) -> Plan {
    let root = schema.roots.query.as_deref().and_then(|name| schema.get(name));
    let Some(root) = root.filter(|_| plan.root == Root::Query) else {
        return plan;
    };
    let Some(field) = find(root, &plan.selection.field) else {
        return plan;
    };
    let met = asked.met_by(field);
    let is_better = |other: &&FieldDef| {
        other.deprecation_reason.is_none()
            && asked.met_by(other) > met
            && !other.args.iter().any(InputValue::is_required)
    };
    let twin = root.fields.iter().filter(is_better).find_map(|other| {
        Some((other, selections(schema, field, other, &plan.selection.selections, asked)?))
    });
    match twin.filter(|_| field.type_ref.is_list()) {
        None => plan,
        Some((twin, selections)) => {
            tracing::debug!(
                from = field.name,
                to = twin.name,
                "a plan moves to a twin of its root field"
            );
            let selection =
                Selection { owner: root.name.clone(), field: twin.name.clone(), selections };
            Plan { selection, ..plan }
        }
    }
}

/// What is selected of a list, selected of its twin; none where it is no twin.
fn selections(
    schema: &Schema,
    list: &FieldDef,
    twin: &FieldDef,
    selections: &[Selection],
    asked: &Asked,
) -> Option<Vec<Selection>> {
    let entity = list.type_ref.named();
    if twin.type_ref.is_list() {
        return (twin.type_ref.named() == entity).then(|| selections.to_vec());
    }
    let page = schema.get(twin.type_ref.named())?;
    find(page, "pageInfo")?;
    let of = |owner: &TypeDef, field: &str, selections: Vec<Selection>| Selection {
        owner: owner.name.clone(),
        field: field.to_owned(),
        selections,
    };
    let lists = |owner: &TypeDef, name: &str| {
        find(owner, name).is_some_and(|field| field.type_ref.named() == entity)
    };
    let inner = if lists(page, "nodes") {
        of(page, "nodes", selections.to_vec())
    } else {
        let edge = schema.get(find(page, "edges")?.type_ref.named())?;
        let node = lists(edge, "node").then(|| of(edge, "node", selections.to_vec()))?;
        of(page, "edges", vec![node])
    };
    let mut all = vec![inner];
    let ends = find(page, "pageInfo").and_then(|field| schema.get(field.type_ref.named()));
    if let Some(ends) = ends.filter(|_| asked.asks(Place::Page)) {
        let known = ["hasNextPage", "endCursor"].into_iter();
        let known = known.filter(|name| find(ends, name).is_some());
        all.push(of(page, "pageInfo", known.map(|name| of(ends, name, Vec::new())).collect()));
    }
    Some(all)
}
