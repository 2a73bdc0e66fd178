//! `search_schema` and `get_symbols`: what they take, refuse and answer.

use serde_json::{Value, json};

use crate::harness::{Folder, NOT_VALID, Server, coordinates, sample_index, sqlite, string};

const KINDS: [&str; 9] =
    ["object", "interface", "union", "enum", "scalar", "input", "field", "input_field", "path"];

/// How many elements of the sample are so.
fn count(condition: &str) -> usize {
    let count = sqlite(sample_index(), &format!("SELECT count(*) FROM element WHERE {condition}"));
    count.parse().expect("a count is a number")
}

#[test]
fn an_invalid_request_is_answered_with_what_to_mend() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let many = vec!["enum:Mood"; 1_001];
    for (tool, arguments, reason) in [
        ("search_schema", json!({}), "`query`"),
        ("search_schema", json!({ "query": "" }), "`query` is empty"),
        ("search_schema", json!({ "query": " \n\t\u{a0}" }), "`query` is empty"),
        (
            "search_schema",
            json!({ "query": "a".repeat(10_001) }),
            "`query` has 10001 characters, and 10000 is the most",
        ),
        (
            "search_schema",
            json!({ "query": "mood", "limit": 0 }),
            "`limit` is 0, and must be from 1 to 200",
        ),
        (
            "search_schema",
            json!({ "query": "mood", "limit": 201 }),
            "`limit` is 201, and must be from 1 to 200",
        ),
        ("search_schema", json!({ "query": "mood", "colour": "red" }), "`colour`"),
        (
            "search_schema",
            json!({ "query": "mood", "limit": 0, "kinds": ["nothing"] }),
            "`limit` is 0",
        ),
        ("get_symbols", json!({}), "`coordinates`"),
        ("get_symbols", json!({ "coordinates": [] }), "`coordinates` is empty"),
        (
            "get_symbols",
            json!({ "coordinates": many }),
            "`coordinates` holds 1001, and 1000 is the most",
        ),
        ("get_symbols", json!({ "coordinates": ["enum:Mood"], "colour": "red" }), "`colour`"),
    ] {
        let message = server.call(tool, arguments).fails();
        assert!(message.starts_with(NOT_VALID), "{message}");
        assert!(message.contains(reason), "`{reason}` is not in: {message}");
        assert!(message.ends_with('.'), "a sentence: {message}");
    }
    assert_eq!(server.symbols(&["enum:Mood"]).len(), 1, "the session goes on");
}

/// "Expected u32" alone does not tell an agent which of five properties to mend.
#[test]
fn a_value_of_the_wrong_type_is_told_with_its_property() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for (property, value) in [
        ("query", json!(5)),
        ("query", Value::Null),
        ("kinds", json!("field")),
        ("kinds", json!([1])),
        ("limit", json!(-1)),
        ("limit", json!("x")),
        ("limit", json!(1.5)),
        ("limit", json!(5_000_000_000_u64)),
        ("parent", json!(["object:Query"])),
        ("paginated", json!("yes")),
    ] {
        let mut arguments = json!({ "query": "mood" });
        arguments[property] = value;
        let message = server.call("search_schema", arguments.clone()).fails();
        assert!(message.starts_with(NOT_VALID), "{message}");
        assert!(message.contains(&format!("`{property}")), "{arguments}: {message}");
        assert!(!message.contains("u32"), "an agent knows no u32: {message}");
    }
    for value in [json!("enum:Mood"), json!([1]), json!({})] {
        let message = server.call("get_symbols", json!({ "coordinates": value })).fails();
        assert!(
            message.starts_with(NOT_VALID) && message.contains("`coordinates"),
            "{value}: {message}"
        );
    }
}

#[test]
fn a_call_without_arguments_is_an_invalid_request() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for tool in ["search_schema", "get_symbols"] {
        let answer = server.request("tools/call", json!({ "name": tool }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(string(&answer["result"]["content"][0]["text"]).starts_with(NOT_VALID), "{answer}");
    }
}

#[test]
fn what_lies_just_within_the_limits_is_answered() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    assert_eq!(server.search(json!({ "query": "mood", "limit": 1 })).len(), 1);
    assert_eq!(server.search(json!({ "query": "mood", "limit": 200 })).len(), 200);
    assert_eq!(server.search(json!({ "query": "mood" })).len(), 10, "the default");
    assert!(!server.search(json!({ "query": "mood ".repeat(2_000) })).is_empty());
    assert_eq!(server.symbols(&["enum:Mood"; 1_000]).len(), 1_000);
    // A client may write null for what it leaves out.
    let absent =
        json!({ "query": "mood", "kinds": null, "limit": null, "parent": null, "paginated": null });
    assert_eq!(server.search(absent), server.search(json!({ "query": "mood" })));
}

#[test]
fn hits_come_best_first_with_their_records() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let hits = server.search(json!({ "query": "how an employee feels today", "limit": 50 }));
    assert!(
        hits.is_sorted_by(|a, b| a.score >= b.score),
        "{:?}",
        hits.iter().map(|hit| hit.score).collect::<Vec<_>>()
    );
    for hit in &hits {
        assert!(hit.score.is_finite());
        assert_eq!(hit.record["Coordinate"], hit.coordinate);
        let records = server.symbols(&[&hit.coordinate]);
        assert_eq!(
            records,
            [(hit.coordinate.clone(), hit.record.clone())],
            "the record is the same either way"
        );
    }
    let mut different = coordinates(&hits);
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), hits.len(), "no hit twice");
}

#[test]
fn the_same_question_gets_the_same_answer_from_every_server() {
    let folder = Folder::new();
    let asked = json!({ "query": "days off that are left", "limit": 100 });
    let mut server = Server::of_sample(&folder);
    let first = server.search(asked.clone());
    assert_eq!(server.search(asked.clone()), first, "again");
    assert_eq!(Server::of_sample(&folder).search(asked), first, "elsewhere");
}

#[test]
fn a_filter_on_kinds_holds_for_every_hit_and_loses_none() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for kind in KINDS {
        let hits = server.search(json!({ "query": "employee", "kinds": [kind], "limit": 200 }));
        let prefix = format!("{kind}:");
        assert!(
            coordinates(&hits).iter().all(|it| it.starts_with(&prefix)),
            "{kind}: {:?}",
            coordinates(&hits)
        );
        // Filters act before ranking: nothing of the kind is crowded out.
        assert_eq!(hits.len(), count(&format!("kind = '{kind}'")).min(200), "{kind}");
    }
    let hits =
        server.search(json!({ "query": "employee", "kinds": ["enum", "scalar"], "limit": 200 }));
    assert_eq!(hits.len(), count("kind IN ('enum', 'scalar')"));
}

#[test]
fn an_unknown_kind_matches_nothing() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for kinds in
        [&["directive"][..], &["Field"], &["fields"], &[""], &["field "], &["directive", "type"]]
    {
        let answer =
            server.call("search_schema", json!({ "query": "mood", "kinds": kinds })).succeeds();
        assert_eq!(answer, json!({ "hits": [] }), "{kinds:?}");
    }
    let hits =
        server.search(json!({ "query": "mood", "kinds": ["directive", "enum"], "limit": 200 }));
    assert_eq!(hits.len(), count("kind = 'enum'"), "it takes nothing from the others");
}

#[test]
fn a_parent_leaves_its_own_members_alone() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for parent in ["object:Query", "object:Employee", "interface:Role", "input:EmployeeFilter"] {
        let hits = server.search(
            json!({ "query": "employees of a department", "parent": parent, "limit": 200 }),
        );
        for hit in &hits {
            assert_eq!(hit.record["Parent"], parent, "{}", hit.coordinate);
        }
        let members = count(&format!("parent = '{parent}' AND kind <> 'path'"));
        assert!(members > 0 && hits.len() >= members, "{parent}: {} of {members}", hits.len());
    }
    for nobody in ["object:Nobody", "enum:Mood", "nonsense", "", "Query", "field:Query.employee"] {
        let hits = server.search(json!({ "query": "employees", "parent": nobody }));
        assert_eq!(coordinates(&hits), [""; 0], "{nobody}");
    }
}

#[test]
fn a_filter_on_pages_keeps_or_removes_relay_connections() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let paginated = server.search(json!({ "query": "employees", "paginated": true, "limit": 200 }));
    let mut found = coordinates(&paginated);
    found.sort_unstable();
    let expected = [
        "field:Department.members",
        "field:Employee.timeOff",
        "field:Query.employeesConnection",
        "field:Query.pendingTimeOff",
    ];
    assert_eq!(found, expected);
    assert!(paginated.iter().all(|hit| hit.record["Paginated"] == true));
    let rest = server.search(json!({ "query": "employees", "paginated": false, "limit": 200 }));
    assert_eq!(rest.len(), 200);
    assert!(
        rest.iter()
            .all(|hit| hit.record.get("Paginated").is_none_or(|paginated| paginated != true))
    );
}

#[test]
fn filters_act_together() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let both = json!({ "query": "employees", "parent": "object:Query", "kinds": ["field"], "paginated": true });
    let hits = server.search(both);
    let mut found = coordinates(&hits);
    found.sort_unstable();
    assert_eq!(found, ["field:Query.employeesConnection", "field:Query.pendingTimeOff"]);
    let none = json!({ "query": "employees", "parent": "object:Query", "kinds": ["enum"] });
    assert_eq!(server.search(none), []);
}

#[test]
fn an_exact_coordinate_comes_first() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for kind in KINDS {
        let some = sqlite(
            sample_index(),
            &format!(
                "SELECT coordinate FROM element WHERE kind = '{kind}' ORDER BY length(coordinate) DESC, coordinate LIMIT 3"
            ),
        );
        for coordinate in some.lines() {
            let hits = server.search(json!({ "query": coordinate }));
            assert_eq!(hits[0].coordinate, coordinate);
        }
    }
    let hits = server.search(json!({ "query": "enum:Mood", "kinds": ["field"] }));
    assert!(
        coordinates(&hits).iter().all(|it| it.starts_with("field:")),
        "but never past a filter: {hits:?}"
    );
}

#[test]
fn an_exact_name_comes_first() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for (name, coordinate) in [
        ("moodSummary", "field:Query.moodSummary"),
        ("EmployeeConnection", "object:EmployeeConnection"),
        ("LeaveReason", "enum:LeaveReason"),
        ("SearchResult", "union:SearchResult"),
        ("EmployeeFilter", "input:EmployeeFilter"),
        ("remainingVacationDays", "field:Employee.remainingVacationDays"),
    ] {
        let hits = server.search(json!({ "query": name, "kinds": KINDS[..8] }));
        assert_eq!(hits[0].coordinate, coordinate, "{name}");
    }
}

#[test]
fn what_is_deprecated_is_found_and_says_so() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let hits = server.search(json!({ "query": "field:Query.employees", "limit": 1 }));
    assert_eq!(hits[0].coordinate, "field:Query.employees");
    assert_eq!(
        hits[0].record["DeprecationReason"],
        "Use employeesConnection, which answers a page at a time."
    );
}

#[test]
fn symbols_keep_the_order_of_the_request() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let asked = [
        "enum:Mood",
        "object:Nobody",
        "field:Employee.details",
        "enum:Mood",
        "",
        "nonsense",
        "ENUM:Mood",
        "input:EmployeeKey",
    ];
    let symbols = server.symbols(&asked);
    let found: Vec<&str> = symbols.iter().map(|(coordinate, _)| coordinate.as_str()).collect();
    assert_eq!(found, ["enum:Mood", "field:Employee.details", "enum:Mood", "input:EmployeeKey"]);
    assert_eq!(symbols[0], symbols[2], "asked for twice, answered twice");
    assert_eq!(symbols[1].1["TypeRef"], "Details!");
    assert_eq!(symbols[3].1["OneOf"], true);
    let nothing =
        server.call("get_symbols", json!({ "coordinates": ["object:Nobody"] })).succeeds();
    assert_eq!(nothing, json!({ "symbols": [] }), "a short answer is no error");
}

#[test]
fn an_element_of_each_kind_is_read() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for kind in KINDS {
        let some = sqlite(
            sample_index(),
            &format!("SELECT coordinate FROM element WHERE kind = '{kind}' ORDER BY id LIMIT 5"),
        );
        for coordinate in some.lines() {
            let symbols = server.symbols(&[coordinate]);
            assert_eq!(symbols.len(), 1, "{coordinate}");
            assert_eq!(
                (&symbols[0].1["Coordinate"], &symbols[0].1["Kind"]),
                (&json!(coordinate), &json!(kind))
            );
        }
    }
}

#[test]
fn the_default_roots_stand_for_renamed_ones() {
    let folder = Folder::new();
    let index = folder.index(
        "schema { query: query_root mutation: Mutations }
         type query_root { employees: [Employee!]! }
         type Mutations { updateMood(mood: Mood!): Employee }
         type Employee { mood: Mood }
         enum Mood { HAPPY SAD }",
    );
    let mut server =
        Server::connect(&mut folder.command(&["mcp", "--index", index.to_str().expect("UTF-8")]));
    let hits = server
        .search(json!({ "query": "employees", "parent": "object:Query", "kinds": ["field"] }));
    assert_eq!(coordinates(&hits), ["field:query_root.employees"]);
    let hits =
        server.search(json!({ "query": "mood", "parent": "object:Mutation", "kinds": ["field"] }));
    assert_eq!(coordinates(&hits), ["field:Mutations.updateMood"]);
    let hits = server.search(json!({ "query": "mood", "parent": "object:Subscription" }));
    assert_eq!(coordinates(&hits), [""; 0], "there is no such root");

    let symbols = server.symbols(&[
        "object:Query",
        "field:Query.employees",
        "object:Mutation",
        "object:Subscription",
    ]);
    let real: Vec<&Value> = symbols.iter().map(|(_, record)| &record["Coordinate"]).collect();
    assert_eq!(real, ["object:query_root", "field:query_root.employees", "object:Mutations"]);
}

#[test]
fn a_type_that_is_called_query_is_no_alias() {
    let folder = Folder::new();
    let index = folder.index(
        "schema { query: Queries } type Queries { latest: Query } type Query { text: String! askedAt: String }",
    );
    let mut server =
        Server::connect(&mut folder.command(&["mcp", "--index", index.to_str().expect("UTF-8")]));
    let hits =
        server.search(json!({ "query": "text", "parent": "object:Query", "kinds": ["field"] }));
    let mut found = coordinates(&hits);
    found.sort_unstable();
    assert_eq!(found, ["field:Query.askedAt", "field:Query.text"]);
    assert_eq!(server.symbols(&["object:Query"])[0].1["Coordinate"], "object:Query");
}

#[test]
fn no_query_is_mistaken_for_syntax() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for query in [
        "\"",
        "'",
        "\"mood",
        "mood\"",
        "'; DROP TABLE element; --",
        "mood*",
        "*",
        "^mood",
        "name:mood",
        "name : mood",
        "mood AND",
        "AND",
        "OR",
        "NOT",
        "NEAR(mood, 2)",
        "mood NOT happy",
        "(mood",
        "mood)",
        "{name owner} : mood",
        "-mood",
        "+",
        "?",
        "!!!",
        "%",
        "_",
        "\\",
        "a\u{0}b",
        "\u{0}",
        "ɱøøđ",
        "气分",
        "😀",
        "\u{202e}doom",
        "e\u{301}",
        "[[[",
        "object:",
        ":",
        "object:.",
        "field:Employee.",
        "....",
        "path:Query.employee[",
        "1",
        "𝕸𝖔𝖔𝖉",
    ] {
        let answer = server.call("search_schema", json!({ "query": query }));
        assert!(!answer.is_error, "{query:?}: {}", answer.text);
        let answer = answer.succeeds();
        assert!(answer["hits"].is_array(), "{query:?}");
        server.symbols(&[query]);
    }
    let long = "employee".repeat(1_250);
    assert!(!server.search(json!({ "query": long })).is_empty(), "one word of 10,000 letters");
    let emoji = "😀".repeat(10_000);
    server.search(json!({ "query": emoji }));
}
