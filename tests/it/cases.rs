//! What a prompt becomes on the sample graph, a case for each thing that a
//! schema can have. `tests/clients/test_github_operations.py` asks the same of
//! GitHub's schema.

use serde_json::{Value, json};

use crate::harness::{Folder, Server, string};

/// A prompt and what its first operation is to look like.
struct Case {
    prompt: &'static str,
    /// How it begins: kind, variables, root field and arguments.
    begins: &'static str,
    /// Lines of its selection, in their order, without what is around them.
    selects: &'static [&'static str],
}

const CASES: [Case; 13] = [
    Case {
        prompt: "employees with their ids and current moods",
        begins: "query Employees { employees {",
        selects: &["id", "currentMood"],
    },
    // A count in the prompt is the schema's count, with the schema's default.
    Case {
        prompt: "the first 10 employees",
        begins: "query Employees($first: Int = 20) { employeesConnection(first: $first) {",
        selects: &["nodes {", "id"],
    },
    // A mutation with an input object: one variable of the input's type.
    Case {
        prompt: "Request time off for an employee from 2026-03-01 until 2026-03-14",
        begins: "mutation RequestTimeOff($input: RequestTimeOffInput!) { requestTimeOff(input: $input) {",
        selects: &["id", "from", "until", "employee {"],
    },
    // A mutation with plain arguments: all that it needs are variables.
    Case {
        prompt: "Update the availability of employee 4711 to false",
        begins: "mutation UpdateAvailability($employeeId: ID!, $isAvailable: Boolean!) { \
                 updateAvailability(employeeId: $employeeId, isAvailable: $isAvailable) {",
        selects: &["id", "isAvailable"],
    },
    // A subscription.
    Case {
        prompt: "Notify me whenever the mood of an employee changes, with the mood before and after",
        begins: "subscription MoodChanged",
        selects: &["before", "after", "employee {"],
    },
    // A union: fragments on the types that are spoken of.
    Case {
        prompt: "hobbies with the category of exercise and the name of games",
        begins: "query Hobbies { hobbies {",
        selects: &["__typename", "... on Exercise {", "category", "... on Gaming {", "name"],
    },
    // An interface: its own fields, and a fragment for what one type adds.
    Case {
        prompt: "products with their name, and the hourly rate of consultancies",
        begins: "query Products { products {",
        selects: &["__typename", "name", "... on Consultancy {", "hourlyRate"],
    },
    // A connection, read page by page.
    Case {
        prompt: "employees page by page, with the cursor of the next page",
        begins: "query Employees($first: Int = 20, $after: String) { \
                 employeesConnection(first: $first, after: $after) {",
        selects: &["nodes {", "id", "pageInfo {", "hasNextPage", "endCursor"],
    },
    // A connection that has edges only.
    Case {
        prompt: "pending requests for time off with their reason",
        begins: "query PendingTimeOff($first: Int = 20) { pendingTimeOff(first: $first) {",
        selects: &["edges {", "node {", "reason"],
    },
    // A value of an enum is a filter.
    Case {
        prompt: "products in preview",
        begins: "query Products($stage: ProductStage) { products(stage: $stage) {",
        selects: &["name", "stage"],
    },
    // The same within a filter object.
    Case {
        prompt: "employees whose department is MARKETING",
        begins: "query Employees($first: Int = 20, $filter: EmployeeFilter) { \
                 employeesConnection(first: $first, filter: $filter) {",
        selects: &["nodes {", "department {"],
    },
    // An order.
    Case {
        prompt: "employees sorted by surname",
        begins: "query Employees($first: Int = 20, $orderBy: EmployeeOrder = STARTED_ASC) { \
                 employeesConnection(first: $first, orderBy: $orderBy) {",
        selects: &["nodes {", "details {", "surname"],
    },
    // A range of dates.
    Case {
        prompt: "employees who started between 2024-01-15 and 2024-06-30",
        begins: "query Employees($first: Int = 20, $filter: EmployeeFilter) { \
                 employeesConnection(first: $first, filter: $filter) {",
        selects: &["nodes {", "startDate"],
    },
];

/// The first operation's document on one line a word, as a reader takes it in.
fn flat(document: &str) -> String {
    document.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn answer(server: &mut Server, prompt: &str) -> Value {
    server.call("generate_query", json!({ "prompt": prompt })).succeeds()
}

#[test]
fn each_thing_that_a_schema_can_have_is_asked_for_in_words() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    for Case { prompt, begins, selects } in CASES {
        let answer = answer(&mut server, prompt);
        let document = string(&answer["queries"][0]["document"]);
        let written = flat(&document);
        assert!(written.starts_with(begins), "{prompt}: {written}\nis not: {begins}");
        let mut lines = document.lines().map(str::trim);
        for selected in selects {
            assert!(lines.any(|line| line == *selected), "{prompt}: no {selected} in {document}");
        }
        for value in ["10", "2026", "2024", "4711", "MARKETING", "PREVIEW", "false"] {
            assert!(!document.contains(value), "{prompt}: {value} is in {document}");
        }
        assert_eq!(answer.get("unsatisfied"), None, "{prompt}: {answer}");
    }
}

#[test]
fn a_part_that_the_schema_lacks_is_named_and_the_rest_answered() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let answer = answer(&mut server, "employees with their moods and horoscopes");
    let document = string(&answer["queries"][0]["document"]);
    assert!(document.contains("currentMood"), "{document}");
    let reasons = answer["unsatisfied"].as_array().map(Vec::len);
    assert_eq!(reasons, Some(1), "{answer}");
    assert!(string(&answer["unsatisfied"][0]).contains("\"horoscopes\""), "{answer}");
}

#[test]
fn a_prompt_about_something_else_gets_the_reason_and_no_operation() {
    let folder = Folder::new();
    let mut server = Server::of_sample(&folder);
    let answer = answer(&mut server, "horoscopes and constellations");
    assert_eq!(answer["queries"], json!([]));
    assert!(string(&answer["unsatisfied"][0]).starts_with("The schema has nothing"), "{answer}");
    assert_eq!(answer.get("guidance"), None);
}
