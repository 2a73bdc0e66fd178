//! Figures of generated operations against a reference.

use std::collections::BTreeSet;

use apollo_compiler::{
    ExecutableDocument, Schema,
    executable::{Selection, SelectionSet},
    validation::Valid,
};

use super::{Figures, ratio, rows::Reference};
use crate::{
    discovery::{GenerateRequest, GeneratedQuery},
    embedding::Embedder,
    generate::{check, generate},
    index::{Index, IndexError},
};

/// Generates what a prompt asks for, and compares the fields of all operations
/// with those of the reference.
pub fn measure(
    figures: &mut Figures,
    index: &Index,
    embedder: &Embedder,
    (prompt, reference): (&str, &Reference),
) -> Result<(), IndexError> {
    let request = GenerateRequest::new(prompt);
    let queries = match check(&request) {
        Ok(()) => generate(index, embedder, &request, None)?.queries,
        Err(_) => Vec::new(),
    };
    let judge = index.judge()?;
    let mut used = BTreeSet::new();
    for query in &queries {
        add_fields(judge, query, &mut used);
    }
    compare(figures, &used, reference);
    figures.add("answered", if queries.is_empty() { 0.0 } else { 1.0 });
    Ok(())
}

/// Adds the coordinates of a document's fields, `Type.field` each.
fn add_fields(judge: &Valid<Schema>, query: &GeneratedQuery, used: &mut BTreeSet<String>) {
    // What is generated was proved by the same judge.
    let Ok(document) = ExecutableDocument::parse(judge, &query.document, "operation.graphql")
    else {
        return;
    };
    let operations = document.operations.iter();
    let mut open: Vec<&SelectionSet> =
        operations.map(|operation| &operation.selection_set).collect();
    while let Some(set) = open.pop() {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    if !field.name.starts_with("__") {
                        used.insert(format!("{}.{}", set.ty, field.name));
                    }
                    open.push(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                // No operation of ours has one.
                Selection::FragmentSpread(_) => {}
            }
        }
    }
}

/// Adds the figures of one answer, given the coordinates of its fields.
fn compare(figures: &mut Figures, used: &BTreeSet<String>, reference: &Reference) {
    let wanted = reference.used();
    let has = |coordinate: &&&str| used.contains(**coordinate);
    let right = wanted.iter().filter(has).count();
    let root = reference.roots().iter().any(|root| used.contains(*root));
    figures.add("root", if root { 1.0 } else { 0.0 });
    figures.add("covered", if right == wanted.len() { 1.0 } else { 0.0 });
    let size = wanted.len() + used.len();
    figures.add("F1", if size == 0 { 1.0 } else { ratio(2 * right, size) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::OperationType;

    #[test]
    fn fields_are_compared_by_coordinate() {
        let sdl = "type Query { all: [Named!] } interface Named { name: String }
             type Cat implements Named { name: String roams: Boolean }";
        let judge = Schema::parse_and_validate(sdl, "schema.graphql").unwrap();
        let query = GeneratedQuery {
            description: String::new(),
            document: "query A { all { __typename other: name ... on Cat { roams } } }".to_owned(),
            operation_name: "A".to_owned(),
            operation_type: OperationType::Query,
            variables_schema: serde_json::Map::new(),
        };
        let mut used = BTreeSet::new();
        add_fields(&judge, &query, &mut used);
        let expected = ["Cat.roams", "Named.name", "Query.all"].map(str::to_owned);
        assert_eq!(used, BTreeSet::from(expected));

        let reference = serde_json::json!({
            "root_fields": ["field:Query.all"],
            "used_coordinates": ["field:Query.all", "field:Cat.name"],
        });
        let mut figures = Figures::default();
        compare(&mut figures, &used, &serde_json::from_value(reference).unwrap());
        let means: Vec<_> = figures.means().collect();
        assert_eq!(means, [("F1", 0.4), ("covered", 0.0), ("root", 1.0)]);
    }
}
