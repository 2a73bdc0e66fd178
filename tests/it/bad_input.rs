//! Schemas that are huge, deep, cyclic, malformed or odd.

use std::{fmt::Write as _, fs::File};

use serde_json::json;
use sextant::schema;

#[cfg(target_os = "linux")]
use crate::harness::run_on_a_terminal;
use crate::harness::{Folder, Server, sqlite, text};

/// What indexing a file of this content says.
#[track_caller]
fn complaint(content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write("bad.graphql", content);
    let message = folder.run(&["index", "bad.graphql", "--out", "bad.sqlite"]).fails();
    assert!(message.starts_with("`bad.graphql` "), "the input is named first: {message}");
    assert_eq!(folder.list("."), ["bad.graphql", "home"], "a build that fails leaves nothing");
    message
}

#[test]
fn a_syntax_error_is_told_with_line_and_column() {
    let message = complaint("type Query {\n  a: Int\n  b: ]\n}\n");
    assert!(
        message.starts_with("`bad.graphql` has a syntax error at line 3, column 6: "),
        "{message}"
    );
    assert!(
        message.ends_with("\n  3 | b: ]") || message.ends_with("\n  3 |   b: ]"),
        "the line is shown: {message}"
    );
    for (sdl, place) in [
        ("type Query { a: Int", "line 1, column 20"),
        ("type Query { a Int }", "line 1, column 16"),
        ("type Query { a: Int }\n\n\"open", "line 3, column 1"),
        ("typ Query { a: Int }", "line 1, column 1"),
        ("type Größe { a: Int }", "line 1, column 8"),
    ] {
        let message = complaint(sdl);
        assert!(message.contains(place), "{sdl}: {message}");
    }
}

#[test]
fn a_file_without_types_is_no_schema() {
    for nothing in ["", " \n\t\n", "# only a comment\n", "\u{feff}", "scalar ID"] {
        let message = complaint(nothing);
        assert!(
            message.contains("holds no types; give SDL type definitions"),
            "{nothing:?}: {message}"
        );
    }
}

#[test]
fn bytes_that_are_no_utf_8_are_told_with_their_offset() {
    assert!(
        complaint(b"type Query { a: Int } # \xff\xfe")
            .contains("is not valid UTF-8 at byte 24; save it as UTF-8")
    );
    // UTF-16, as some editors save.
    assert!(complaint(b"\xff\xfet\0y\0p\0e\0").contains("is not valid UTF-8 at byte 0"));
}

#[test]
fn missing_types_are_listed_with_where_they_are_missed() {
    let message = complaint(
        "type Query implements Node { a(by: [Key!]): Gone, b: [Lost!]! } union Any = Query | Other",
    );
    for missing in [
        "5 missing types",
        "`Gone` (at `Query.a`)",
        "`Key` (at `Query.a(by:)`)",
        "`Lost` (at `Query.b`)",
        "`Node` (at `Query`)",
        "`Other` (at `Any`)",
    ] {
        assert!(message.contains(missing), "{missing} is not in: {message}");
    }
    let many: String = (0..1000).fold(String::new(), |mut sdl, at| {
        let _ = write!(sdl, " f{at}: Missing{at}");
        sdl
    });
    let message = complaint(format!("type Query {{ {many} }}"));
    assert!(
        message.contains("1000 missing types") && message.len() < 500,
        "a few examples do: {message}"
    );
}

#[test]
fn ten_thousand_nested_lists_are_refused() {
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    for sdl in [
        format!("type Query {{ a: {open}Int{close} }}"),
        format!("type Query {{ a(b: {open}Int{close}): Int }}"),
        format!("type Query {{ a(b: [Int] = {open}1{close}): Int }}"),
        format!("type Query {{ a: Int @x(y: {open}{close}) }}"),
        format!("type Query {{ a(b: In = {}): Int }}", "{c: ".repeat(10_000)),
        open,
        "{".repeat(10_000),
    ] {
        let message = complaint(sdl);
        assert!(message.contains("nest") && message.contains("line 1"), "{message}");
        assert!(message.len() < 500, "{} bytes of message", message.len());
    }
    let wrappers = "{\"kind\": \"LIST\", \"ofType\": ".repeat(10_000);
    let json = format!("{{\"__schema\": {{\"types\": [{{\"inputFields\": [{{\"type\": {wrappers}");
    let message = complaint(json);
    assert!(message.contains("nests deeper than 128 levels"), "{message}");
}

#[test]
fn cycles_are_indexed_like_anything_else() {
    let folder = Folder::new();
    let index = folder.index(
        "type Query { node(by: Filter): Node, any: Any }
         interface Node implements Self { self: Node, other: Self }
         interface Self implements Node { self: Node, other: Self }
         type A implements Node & Self { self: Node, other: Self, a: A!, b: [B!]! }
         type B { a: A, any: Any, query: Query }
         union Any = A | B
         input Filter { and: [Filter!], not: Filter, or: Other } input Other { filter: Filter!, other: Other }",
    );
    let counted = sqlite(
        &index,
        "SELECT kind, count(*) FROM element WHERE kind <> 'path' GROUP BY kind ORDER BY kind",
    );
    assert_eq!(counted, "field|13\ninput|2\ninput_field|5\ninterface|2\nobject|3\nunion|1");
    let longest = sqlite(
        &index,
        "SELECT max(length(coordinate) - length(replace(coordinate, '.', ''))) FROM element",
    );
    assert!(
        longest.parse::<usize>().is_ok_and(|hops| hops <= 6),
        "routes do not go round: {longest}"
    );
    let mut server = Server::connect(&mut folder.command(&["mcp", "--index", &text(&index)]));
    assert!(!server.search(json!({ "query": "input:Filter", "limit": 200 })).is_empty());
}

#[test]
fn names_with_odd_letters_are_refused_and_descriptions_with_them_kept() {
    for (sdl, letter) in [
        ("type Query { caf\u{e9}: Int }", "U+00E9"),
        ("type \u{3b1} { a: Int }", "U+03B1"),
        ("type Query { a\u{200b}b: Int }", "U+200B"),
        ("enum E { 😀 } type Query { e: E }", "U+1F600"),
        ("type Query { a: Int\u{0} }", "U+0000"),
        ("type Query\u{a0}{ a: Int }", "U+00A0"),
    ] {
        let message = complaint(sdl);
        assert!(message.contains(letter) && message.contains("line 1, column "), "{message}");
    }
    let odd = "Größe, 大きさ, 😀👩\u{200d}💻, \u{202e}desrever\u{202c}, e\u{301}, \u{feff}, \u{2028}, a\u{7f}b";
    let folder = Folder::new();
    let index = folder.index(&format!("\u{feff}type Query {{\r\n  \"{odd}\"\r\n  size: Int\r}}"));
    let mut server = Server::connect(&mut folder.command(&["mcp", "--index", &text(&index)]));
    let symbols = server.symbols(&["field:Query.size"]);
    assert_eq!(symbols[0].1["Description"], odd);
    let page = folder.run(&["get", "field:Query.size", "--index", &text(&index)]).succeeds();
    assert!(page.contains("大きさ"), "{page}");
}

/// A description comes from a stranger; at a prompt it must not move the cursor.
#[cfg(target_os = "linux")]
#[test]
fn escape_codes_in_a_description_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let index = text(&folder.index("type Query { \"red \\u001b[31malert\\u0007\" a: Int }"));
    for arguments in [&["search", "field:Query.a"][..], &["get", "field:Query.a"]] {
        let page = run_on_a_terminal(&folder, &[arguments, &["--index", &index]].concat(), &[]);
        assert!(page.contains("red") && page.contains("alert"), "{page:?}");
        assert!(!page.contains("\u{1b}[31m") && !page.contains('\u{7}'), "{page:?}");
    }
}

#[test]
fn two_hundred_megabytes_are_refused_unread() {
    let folder = Folder::new();
    for name in ["big.graphql", "folder/big.graphql"] {
        folder.write(name, "");
        let file =
            File::options().write(true).open(folder.path(name)).expect("the file can be opened");
        file.set_len(200_000_000).expect("a sparse file can be that long");
    }
    for (source, named) in [("big.graphql", "`big.graphql`"), ("folder", "big.graphql`")] {
        let message = folder.run(&["index", source]).fails();
        assert!(message.contains(named) && message.contains("larger than 100 MiB"), "{message}");
    }
}

/// Through the library: to embed a hundred thousand texts takes minutes and
/// shows no more.
#[test]
fn a_hundred_thousand_fields_in_one_type_are_elements_each() {
    let fields: String = (0..100_000).fold(String::new(), |mut sdl, at| {
        let _ = write!(sdl, "field{at}(first: Int): Item ");
        sdl
    });
    let schema = schema::parse_sdl(&format!("type Query {{ {fields} }} type Item {{ id: ID }}"))
        .expect("it is a schema");
    let elements = schema::elements(&schema);
    let fields = elements.iter().filter(|element| element.kind == schema::Kind::Field).count();
    assert_eq!(fields, 100_001);
    let paths = elements.iter().filter(|element| element.kind == schema::Kind::Path).count();
    assert_eq!(paths, 3, "no more than three routes to a type");
}

#[test]
fn more_than_an_index_can_hold_is_refused() {
    let values: String = (0..1_000_001).fold(String::new(), |mut sdl, at| {
        let _ = write!(sdl, "V{at} ");
        sdl
    });
    let message = complaint(format!("type Query {{ a: E }} enum E {{ {values} }}"));
    assert!(message.contains("the most is 1000000"), "{message}");
}

#[test]
fn a_chain_of_fifty_thousand_types_is_walked_without_recursion() {
    let chain: String = (0..50_000).fold(String::new(), |mut sdl, at| {
        let _ = write!(sdl, "type T{at} {{ next: T{} }} ", at + 1);
        sdl
    });
    let sdl = format!("type Query {{ first: T0 }} {chain} type T50000 {{ end: Int }}");
    let schema = schema::parse_sdl(&sdl).expect("it is a schema");
    let types = schema::elements(&schema)
        .iter()
        .filter(|element| element.kind == schema::Kind::Object)
        .count();
    assert_eq!(types, 50_002);
}
