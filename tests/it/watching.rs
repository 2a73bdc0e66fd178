//! `sextant mcp --schema`: the index follows the schema.

use std::fs;

use serde_json::json;

use crate::harness::{Folder, Server, coordinates, text, wait_for};

#[test]
fn a_change_is_found_and_old_answers_go_on_until_then() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", "type Query { employees: Int, offices: Int }");
    let mut server = Server::of_schema(&folder, &schema);
    assert!(server.knows("field:Query.offices"));
    folder.write("schema.graphql", "type Query { employees: Int, moods: Int }");
    server.learns("field:Query.moods", "field:Query.offices");
    assert!(!server.knows("field:Query.offices"), "what is gone is gone");
    let hits = server.search(json!({ "query": "field:Query.moods", "limit": 1 }));
    assert_eq!(coordinates(&hits), ["field:Query.moods"]);
}

#[test]
fn a_rebuild_embeds_what_changed_alone() {
    let folder = Folder::new();
    let sdl = "type Query { employees: Int, \"How many.\" offices: Int }";
    let schema = folder.write("schema.graphql", sdl);
    let mut server = Server::of_schema(&folder, &schema);
    assert!(server.knows("field:Query.offices"));
    folder.write("schema.graphql", sdl.replace("How many.", "How many places."));
    wait_for("the new description", || {
        server.symbols(&["field:Query.offices"])[0].1["Description"] == "How many places."
    });
    server.logs(" embedded=1 ");
}

#[test]
fn a_broken_schema_leaves_the_old_index_serving_until_it_is_mended() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", "type Query { employees: Int }");
    let mut server = Server::of_schema(&folder, &schema);
    assert!(server.knows("field:Query.employees"));
    folder.write("schema.graphql", "type Query {\n  employees: Int\n  moods: ]\n}");
    server.logs("syntax error at line 3, column 10");
    server.logs("the old index goes on serving");
    assert!(server.knows("field:Query.employees"), "old answers go on");
    folder.write("schema.graphql", "type Query { employees: Int, moods: Mood }");
    server.logs("missing type: `Mood`");
    assert!(server.knows("field:Query.employees"), "old answers go on");
    folder.write(
        "schema.graphql",
        "type Query { employees: Int, moods: Mood } enum Mood { HAPPY SAD }",
    );
    server.learns("enum:Mood", "field:Query.employees");
}

#[test]
fn a_schema_that_is_broken_at_the_start_is_served_once_it_is_mended() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", "type Query {");
    let mut server = Server::of_schema(&folder, &schema);
    let message = server.call("search_schema", json!({ "query": "mood" })).fails();
    assert!(
        message.contains("schema.graphql") && message.contains("syntax error at line 1"),
        "{message}"
    );
    folder.write("schema.graphql", "type Query { mood: Int }");
    wait_for("the schema to be served", || {
        !server.call("get_symbols", json!({ "coordinates": ["field:Query.mood"] })).is_error
    });
    assert!(server.knows("field:Query.mood"));
}

/// Editors write a new file beside the old one and rename it into place.
#[test]
fn a_file_that_is_replaced_is_still_followed() {
    let folder = Folder::new();
    let schema = folder.write("schema.graphql", "type Query { one: Int }");
    let mut server = Server::of_schema(&folder, &schema);
    assert!(server.knows("field:Query.one"));
    for (new, old) in [("two", "one"), ("three", "two")] {
        let written = folder.write(".schema.graphql.swp", format!("type Query {{ {new}: Int }}"));
        fs::rename(written, &schema).expect("the file is replaced");
        server.learns(&format!("field:Query.{new}"), &format!("field:Query.{old}"));
    }
    fs::remove_file(&schema).expect("the file is removed");
    server.logs("cannot read");
    assert!(server.knows("field:Query.three"), "the index outlives its source");
    folder.write("schema.graphql", "type Query { four: Int }");
    server.learns("field:Query.four", "field:Query.three");
}

/// Kubernetes mounts a `ConfigMap` so: a file is a link through `..data`, and that
/// link alone is swung to the next version.
#[cfg(unix)]
#[test]
fn a_mounted_config_map_is_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("graph/..1/schema.graphql", "type Query { one: Int }");
    folder.write("graph/..2/schema.graphql", "type Query { two: Int }");
    let (file, version) = (folder.path("graph/schema.graphql"), folder.path("graph/..data"));
    symlink("..1", &version).expect("a link can be made");
    symlink("..data/schema.graphql", &file).expect("a link can be made");
    let mut server = Server::of_schema(&folder, &text(&file));
    assert!(server.knows("field:Query.one"));
    symlink("..2", folder.path("graph/..data_tmp")).expect("a link can be made");
    fs::rename(folder.path("graph/..data_tmp"), &version).expect("the link is swung");
    server.learns("field:Query.two", "field:Query.one");
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swung_is_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let first = folder.write("versions/1/schema.graphql", "type Query { one: Int }");
    let second = folder.write("versions/2/schema.graphql", "type Query { two: Int }");
    let link = folder.path("schema.graphql");
    symlink(first, &link).expect("a link can be made");
    let mut server = Server::of_schema(&folder, &text(&link));
    assert!(server.knows("field:Query.one"));
    symlink(second, folder.path("next")).expect("a link can be made");
    fs::rename(folder.path("next"), &link).expect("the link is swung");
    server.learns("field:Query.two", "field:Query.one");
}

#[test]
fn a_folder_is_followed_with_all_below_it() {
    let folder = Folder::new();
    folder.write("graph/query.graphql", "type Query { employee: Employee }");
    folder.write("graph/people/employee.graphql", "type Employee { name: String }");
    let mut server = Server::of_schema(&folder, &text(&folder.path("graph")));
    assert!(server.knows("field:Employee.name"));
    folder.write("graph/people/employee.graphql", "type Employee { name: String, mood: Int }");
    server.learns("field:Employee.mood", "field:Employee.name");
    folder.write("graph/more.graphql", "extend type Employee { desk: Int }");
    server.learns("field:Employee.desk", "field:Employee.mood");
    fs::remove_file(folder.path("graph/more.graphql")).expect("a file is removed");
    wait_for("the field to go", || !server.knows("field:Employee.desk"));
    assert!(server.knows("field:Employee.mood"));
}

#[test]
fn an_index_that_is_replaced_serves_on_as_it_was_opened() {
    let folder = Folder::new();
    let index = text(&folder.index("type Query { one: Int, other: Int }"));
    let mut server = Server::connect(&mut folder.command(&["mcp", "--index", &index]));
    assert!(server.knows("field:Query.one"));
    folder.index("type Another { id: ID } type Query { two: Another }");
    assert!(server.knows("field:Query.one") && !server.knows("field:Query.two"));
    let hits = server.search(json!({ "query": "field:Query.one", "limit": 1 }));
    assert_eq!(coordinates(&hits), ["field:Query.one"]);
    assert_eq!(hits[0].record["Coordinate"], "field:Query.one");
}
