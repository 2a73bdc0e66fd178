//! Real schemas, where they lie beside the repository.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use sextant::schema::{self, Source};

use crate::harness::{Folder, elements, repository, sqlite, text};

/// The folder of real schemas, where this checkout has one.
fn corpus() -> Option<PathBuf> {
    let folder = repository().join("../shared/schemas");
    if !folder.is_dir() {
        eprintln!("NOT TESTED: there are no schemas in {}", folder.display());
        return None;
    }
    Some(folder)
}

fn sdl_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "graphql"))
        .collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

#[test]
fn every_real_schema_gives_elements_with_names_of_their_own() {
    let Some(folder) = corpus() else { return };
    let files = sdl_files(&folder);
    assert!(files.len() >= 40, "{} schemas", files.len());
    for path in files {
        let schema = schema::load(&Source::Path(path.clone()));
        let schema =
            schema.unwrap_or_else(|error| panic!("{} is refused: {error}", path.display()));
        let elements = schema::elements(&schema);
        assert!(elements.len() > 3, "{}: {} elements", path.display(), elements.len());
        let names: HashSet<&str> =
            elements.iter().map(|element| element.coordinate.as_str()).collect();
        assert_eq!(names.len(), elements.len(), "{}: a coordinate twice", path.display());
        for element in &elements {
            let machinery = ["join__", "link__", "federation__", "__Type"];
            assert!(
                !machinery.iter().any(|it| element.coordinate.contains(it)),
                "{}",
                element.coordinate
            );
        }
    }
}

#[test]
fn the_federation_subgraphs_are_indexed_each_and_as_one_graph() {
    let Some(folder) = corpus() else { return };
    let subgraphs: Vec<PathBuf> = sdl_files(&folder)
        .into_iter()
        .filter(|path| name(path).starts_with("cosmo-subgraph-"))
        .collect();
    assert_eq!(subgraphs.len(), 7);
    let work = Folder::new();
    for path in &subgraphs {
        let out = work.path(&format!("{}.sqlite", name(path)));
        work.run(&["index", &text(path), "--out", &text(&out)]).succeeds();
        let all = elements(&out);
        for machinery in ["_Any", "_Entity", "_service", "FieldSet", "link__"] {
            assert!(!all.contains(machinery), "{}: {machinery}", path.display());
        }
        work.write(
            &format!("together/{}.graphql", name(path)),
            fs::read(path).expect("a subgraph can be read"),
        );
    }
    let together = work.path("together.sqlite");
    work.run(&["index", "together", "--out", &text(&together)]).succeeds();
    let fields = sqlite(
        &together,
        "SELECT count(DISTINCT name) FROM element WHERE parent = 'object:Employee' AND name IN ('currentMood', 'hobbies', 'isAvailable', 'products', 'details')",
    );
    assert_eq!(fields, "5", "Employee has the fields that each subgraph gives it");
}

#[test]
fn small_real_schemas_are_indexed_and_searched() {
    let Some(folder) = corpus() else { return };
    let work = Folder::new();
    for (file, query, coordinate) in [
        ("rickandmorty.graphql", "field:Query.characters", "field:Query.characters"),
        ("apollo-weather-api.graphql", "object:Query", "object:Query"),
        ("apollo-weather-supergraph.graphql", "object:Query", "object:Query"),
        ("thespacedevs.graphql", "object:Query", "object:Query"),
    ] {
        let out = work.path("out.sqlite");
        work.run(&["index", &text(&folder.join(file)), "--out", &text(&out)]).succeeds();
        let found = work
            .run(&["search", query, "--limit", "1", "--json", "--index", &text(&out)])
            .succeeds();
        assert!(
            found.starts_with(&format!("{{\"hits\":[{{\"coordinate\":\"{coordinate}\"")),
            "{file}: {found}"
        );
    }
}
