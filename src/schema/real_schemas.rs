//! What we make of real schemas, judged by a second GraphQL implementation.
//! They stand beside the project and not in it, so the tests that need them pass
//! where they are not.

use std::{collections::HashSet, fs, path::Path};

use apollo_compiler::{ExecutableDocument, Schema as Judge, validation::Valid};

use super::{Element, Kind, Schema, Source, elements, load, parse_sdl};

const STAFF: &str = r#"
    schema { query: Root mutation: Change subscription: Events }
    directive @cost(weight: Int!, by: By = CALL) repeatable on FIELD_DEFINITION | ARGUMENT_DEFINITION
    directive @shown on ENUM_VALUE
    enum By { CALL "with a description" FIELD @deprecated @shown }
    type Root { employee(id: ID! @cost(weight: 1)): Employee search(text: String!, in: In! = {a: [1]}): [Hit!]! node(id: ID!): Node }
    type Change { hire(id: ID!, in: [In!]!): Employee }
    type Events { hired(id: ID!): Employee }
    """
    Somebody who
    "works" here
    """
    type Employee implements Node & Named @cached { id: ID! name: String! boss(id: ID!): Employee team(id: ID!, first: Int! = 1): Team }
    type Team implements Node { id: ID! members(id: ID!): [Employee] @cost(weight: 2, by: FIELD) @requiresScopes(scopes: [["a"]]) }
    interface Node { id: ID! }
    interface Named implements Node { id: ID! name: String! }
    union Hit = Employee | Team
    input In @oneOf { a: [Int] b: String }
    scalar Date @specifiedBy(url: "https://d.example/\"x\"")
"#;

/// The normalised SDL as the judge reads it; fails with its diagnostics.
fn judged(schema: &Schema, name: &str) -> Valid<Judge> {
    Judge::parse_and_validate(&schema.sdl, name)
        .unwrap_or_else(|refused| panic!("{name}: {}", refused.errors))
}

fn operation(element: &Element) -> &str {
    element.record.get("Operation").and_then(|operation| operation.as_str()).unwrap()
}

fn check_operations(schema: &Schema, name: &str) -> usize {
    let judge = judged(schema, name);
    let elements = elements(schema);
    let coordinates: HashSet<_> = elements.iter().map(|element| &element.coordinate).collect();
    assert_eq!(coordinates.len(), elements.len(), "{name}: coordinates are unique");
    let paths = elements.iter().filter(|element| element.kind == Kind::Path);
    paths
        .map(|path| {
            let operation = operation(path);
            if let Err(refused) =
                ExecutableDocument::parse_and_validate(&judge, operation, &path.coordinate)
            {
                panic!("{name}: {}: {operation}\n{}", path.coordinate, refused.errors);
            }
        })
        .count()
}

#[test]
fn normalised_sdl_and_skeletons_are_valid() {
    assert_eq!(check_operations(&parse_sdl(STAFF).unwrap(), "staff"), 8);
}

#[test]
fn every_shared_schema_loads_and_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/schemas");
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    let mut loaded = 0;
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "graphql") {
            continue;
        }
        let schema = load(&Source::Path(path)).unwrap();
        let again = parse_sdl(&schema.sdl).unwrap();
        assert_eq!(again.hash, schema.hash, "{name}: printing is stable");
        // A subgraph without queries is no valid schema by itself.
        if schema.roots.query.is_some() {
            check_operations(&schema, &name);
        }
        loaded += 1;
    }
    assert!(loaded > 0, "the folder holds schemas");
}
