//! Operations from plans that are made by hand, on the bundled sample.

use std::{fs, path::Path};

use apollo_compiler::{Schema as Judge, validation::Valid};
use serde_json::{Value, json};

use super::{
    arguments::Asked,
    check, describe, guidance,
    operation::{self, Operation},
    plan::{Plan, Selection},
    prompt::Prompt,
    proof::prove,
    twin, variables,
};
use crate::{
    discovery::GenerateRequest,
    index::Root,
    schema::{Schema, Source, load, parse_sdl},
};

fn sample() -> Schema {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/employees.graphql");
    load(&Source::Path(path)).unwrap()
}

/// A plan from a sketch: `employee { id hobbies { Gaming.name } }`. A field is
/// one of the type that the field around it returns, where no type is named.
fn plan(schema: &Schema, root: Root, sketch: &str) -> Plan {
    let words: Vec<&str> = sketch.split_whitespace().collect();
    let roots = &schema.roots;
    let owner = match root {
        Root::Query => &roots.query,
        Root::Mutation => &roots.mutation,
        Root::Subscription => &roots.subscription,
    };
    let mut selections = selections(schema, owner.as_deref().unwrap(), &mut words.into_iter());
    assert_eq!(selections.len(), 1, "one root field");
    Plan { root, selection: selections.remove(0), score: 0.0 }
}

fn selections<'a>(
    schema: &Schema,
    owner: &str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Vec<Selection> {
    let mut all: Vec<Selection> = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "}" => break,
            "{" => {
                let last = all.last_mut().unwrap();
                let owner = schema.get(&last.owner).unwrap();
                let field = operation::find(owner, &last.field).unwrap();
                last.selections = selections(schema, field.type_ref.named(), words);
            }
            _ => {
                let (owner, field) = word.split_once('.').unwrap_or((owner, word));
                all.push(Selection {
                    owner: owner.to_owned(),
                    field: field.to_owned(),
                    selections: Vec::new(),
                });
            }
        }
    }
    all
}

/// Writes an operation, which must be valid.
#[track_caller]
fn write<'s>(schema: &'s Schema, prompt: &str, root: Root, sketch: &str) -> (Plan, Operation<'s>) {
    let plan = plan(schema, root, sketch);
    let asked = Asked::of(&Prompt::read(prompt));
    let operation = operation::write(&plan, schema, &asked, true).unwrap();
    let judge = Judge::parse_and_validate(&schema.sdl, "schema.graphql").unwrap();
    if let Err(refused) = prove(&judge, &operation.document) {
        panic!("{}\n{refused}", operation.document);
    }
    (plan, operation)
}

#[track_caller]
fn document(schema: &Schema, prompt: &str, root: Root, sketch: &str) -> String {
    write(schema, prompt, root, sketch).1.document
}

fn description(schema: &Schema, prompt: &str, root: Root, sketch: &str) -> String {
    describe::descriptions(schema, &[write(schema, prompt, root, sketch)]).remove(0)
}

fn schema_of(schema: &Schema, prompt: &str, root: Root, sketch: &str) -> Value {
    let (_, operation) = write(schema, prompt, root, sketch);
    variables::of(&operation.variables, schema).schema.into()
}

#[test]
fn a_list_of_leaves() {
    let schema = sample();
    let prompt = "employees with their ids and current moods";
    let sketch = "employees { id currentMood }";
    assert_eq!(
        document(&schema, prompt, Root::Query, sketch),
        "query Employees {\n  employees {\n    id\n    currentMood\n  }\n}\n"
    );
    assert_eq!(
        description(&schema, prompt, Root::Query, sketch),
        "Lists employees with their ids and current moods."
    );
    assert_eq!(
        schema_of(&schema, prompt, Root::Query, sketch),
        json!({ "type": "object", "additionalProperties": false })
    );
}

#[test]
fn a_count_is_a_variable_with_the_schemas_default() {
    let schema = sample();
    let prompt = "the first 10 employees";
    let sketch = "employeesConnection { nodes { id } }";
    assert_eq!(
        document(&schema, prompt, Root::Query, sketch),
        "query Employees($first: Int = 20) {\n  employeesConnection(first: $first) {\n    nodes {\n      id\n    }\n  }\n}\n"
    );
    assert_eq!(
        schema_of(&schema, prompt, Root::Query, sketch),
        json!({
            "type": "object",
            "properties": { "first": {
                "type": ["integer", "null"],
                "description": "How many employees the page holds, at most 100.",
                "default": 20,
            } },
            "additionalProperties": false,
        })
    );
}

#[test]
fn pages_filters_and_orders_are_given_where_the_prompt_speaks_of_them() {
    let schema = sample();
    let sketch = "employeesConnection { nodes { id } pageInfo { endCursor } }";
    for (prompt, arguments) in [
        ("employees", "first: $first"),
        ("employees a page at a time", "first: $first, after: $after"),
        ("employees whose department is ENGINEERING", "first: $first, filter: $filter"),
        ("german employees", "first: $first, filter: $filter"),
        ("employees, newest first", "first: $first, orderBy: $orderBy"),
        (
            "employees that are in marketing, sorted by surname, next page",
            "first: $first, after: $after, filter: $filter, orderBy: $orderBy",
        ),
    ] {
        let document = document(&schema, prompt, Root::Query, sketch);
        assert!(
            document.contains(&format!("employeesConnection({arguments})")),
            "{prompt}: {document}"
        );
    }
    assert_eq!(
        description(&schema, "german employees, newest first, next page", Root::Query, sketch),
        "Lists employees with their ids, filtered, in an order that you choose, a page at a time."
    );
}

#[test]
fn no_value_of_the_prompt_is_a_literal() {
    let schema = sample();
    let prompt = "Change the role of employee 4711 to \"Head of Rust\" in MARKETING, and tell email a@b.example";
    let sketch = "changeRole { id role { title } department { code } }";
    let document = document(&schema, prompt, Root::Mutation, sketch);
    for value in ["4711", "Head", "MARKETING", "a@b.example", "\""] {
        assert!(!document.contains(value), "{document}");
    }
    assert!(
        document.starts_with("mutation ChangeRole($employeeId: ID!, $department: DepartmentCode!"),
        "{document}"
    );
}

#[test]
fn a_mutation_takes_one_input_object() {
    let schema = sample();
    let prompt = "Set the mood of an employee to happy";
    let sketch = "updateMood { employee { id currentMood } previousMood }";
    assert!(document(&schema, prompt, Root::Mutation, sketch).starts_with(
        "mutation UpdateMood($input: UpdateMoodInput!) {\n  updateMood(input: $input) {"
    ));
    assert_eq!(
        description(&schema, prompt, Root::Mutation, sketch),
        "Updates mood; returns employee (id, current mood) and previous mood."
    );
    assert_eq!(
        schema_of(&schema, prompt, Root::Mutation, sketch),
        json!({
            "type": "object",
            "properties": { "input": {
                "$ref": "#/$defs/UpdateMoodInput",
                "description": "Whose mood it is, and what it is.",
            } },
            "required": ["input"],
            "additionalProperties": false,
            "$defs": { "UpdateMoodInput": {
                "type": "object",
                "description": "A new mood.",
                "properties": {
                    "employeeId": { "type": "string", "description": "The employee's number." },
                    "mood": {
                        "type": "string",
                        "enum": ["HAPPY", "SAD"],
                        "description": "How the employee feels.",
                    },
                    "comment": {
                        "type": ["string", "null"],
                        "description": "What the employee wants to add.",
                    },
                },
                "required": ["employeeId", "mood"],
                "additionalProperties": false,
            } },
        })
    );
}

#[test]
fn one_of_is_exactly_one_property() {
    let schema = sample();
    let variables = schema_of(&schema, "an employee by badge", Root::Query, "employeeBy { id }");
    let key = &variables["$defs"]["EmployeeKey"];
    assert_eq!((&key["minProperties"], &key["maxProperties"]), (&json!(1), &json!(1)));
    assert_eq!(key["properties"]["badge"]["type"], "integer", "null is no value for it");
    assert_eq!(key.get("required"), None);
}

#[test]
fn unions_and_interfaces_have_fragments() {
    let schema = sample();
    let sketch =
        "employee { hobbies { Gaming.name Exercise.category } role { title Engineer.languages } }";
    let document = document(&schema, "hobbies of an employee", Root::Query, sketch);
    let expected = "query Employee($id: ID!) {
  employee(id: $id) {
    hobbies {
      __typename
      ... on Gaming {
        name
      }
      ... on Exercise {
        category
      }
    }
    role {
      __typename
      title
      ... on Engineer {
        languages
      }
    }
  }
}
";
    assert_eq!(document, expected);
}

#[test]
fn names_that_mean_different_things_get_aliases() {
    let schema = parse_sdl(
        "type Query { hits(first: Int = 5): [Hit!]! } union Hit = Cat | Dog | Mouse
         type Cat { name: String! born: Int toys(first: Int): [String!] }
         type Dog { name: String born(calendar: String): Int toys(first: Int): [String!] }
         type Mouse { name: String! born: Int }",
    )
    .unwrap();
    let sketch =
        "hits { Cat.name Cat.born Cat.toys Dog.name Dog.born Dog.toys Mouse.name Mouse.born }";
    let document = document(&schema, "hits", Root::Query, sketch);
    assert_eq!(document.matches("dogName: name").count(), 1, "{document}");
    assert!(!document.contains("mouse") && !document.contains("dogBorn"), "{document}");
    assert!(
        document.starts_with("query Hits($first: Int = 5, $toysFirst: Int, $toysFirst2: Int)"),
        "{document}"
    );
}

#[test]
fn what_does_not_fit_the_schema_is_left_out() {
    let schema = sample();
    let mut plan = plan(&schema, Root::Query, "employees { id details }");
    for (owner, field) in [("Employee", "salary"), ("Cat", "roams"), ("Nothing", "id")] {
        let selections = Vec::new();
        let (owner, field) = (owner.to_owned(), field.to_owned());
        plan.selection.selections.push(Selection { owner, field, selections });
    }
    plan.selection.selections.push(plan.selection.selections[0].clone());
    let asked = Asked::of(&Prompt::read("employees"));
    let operation = operation::write(&plan, &schema, &asked, true).unwrap();
    assert_eq!(
        operation.document,
        "query Employees {\n  employees {\n    id\n    details {\n      __typename\n    }\n  }\n}\n"
    );
    plan.selection.field = "nothing".to_owned();
    assert!(operation::write(&plan, &schema, &asked, true).is_none());
}

#[test]
fn a_part_of_a_list_is_asked_of_the_field_that_can_give_it() {
    let schema = sample();
    for (prompt, root) in [
        ("employees", "employees"),
        ("the first 10 employees", "employeesConnection"),
        ("employees, newest first", "employeesConnection"),
        ("departments, newest first", "departments"),
    ] {
        let asked = Asked::of(&Prompt::read(prompt));
        let list = prompt.split([' ', ',']).find(|word| word.ends_with('s')).unwrap();
        let plan = plan(&schema, Root::Query, list);
        assert_eq!(twin::moved(plan, &schema, &asked).selection.field, root, "{prompt}");
    }
    let asked = Asked::of(&Prompt::read("the next page of employees"));
    let moved = twin::moved(plan(&schema, Root::Query, "employees { id }"), &schema, &asked);
    assert_eq!(
        operation::write(&moved, &schema, &asked, true).unwrap().document,
        "query Employees($first: Int = 20, $after: String) {
  employeesConnection(first: $first, after: $after) {
    nodes {
      id
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
"
    );
}

#[test]
fn a_subscription_streams() {
    let schema = sample();
    let sketch = "moodChanged { employee { id } after changedAt }";
    let prompt = "tell me whenever the mood of an employee changes";
    assert!(
        document(&schema, prompt, Root::Subscription, sketch)
            .starts_with("subscription MoodChanged {"),
    );
    assert_eq!(
        description(&schema, prompt, Root::Subscription, sketch),
        "Streams mood changed events with employee (id), after and changed at."
    );
}

#[test]
fn an_optional_key_is_given_where_nothing_else_names_the_one() {
    let schema = parse_sdl(
        "type Query { media(id: Int, search: String): Media viewer(id: ID): Media } type Media { id: Int! }",
    )
    .unwrap();
    assert!(document(&schema, "a film", Root::Query, "media { id }").contains("media(id: $id)"));
    assert!(document(&schema, "my film", Root::Query, "viewer { id }").contains("viewer {"));
}

#[test]
fn two_readings_are_told_apart() {
    let schema = sample();
    let prompt = "employees";
    let lines = describe::descriptions(
        &schema,
        &[
            write(&schema, prompt, Root::Query, "employeesConnection { nodes { id } }"),
            write(&schema, prompt, Root::Query, "employees { id }"),
        ],
    );
    assert_eq!(
        lines,
        [
            "Lists employees with their ids, by the query `employeesConnection`.",
            "Lists employees with their ids, by the query `employees`, which is deprecated.",
        ]
    );
}

#[test]
fn a_mutation_is_described_by_its_verb_wherever_that_stands() {
    let schema = parse_sdl(
        "type Query { a: Int } type Mutation { checkoutCreate: Int clusterQueueUpdate: Int
         openIssue: Int reply_to_thread: Int clean: Int }",
    )
    .unwrap();
    for (field, line) in [
        ("checkoutCreate", "Creates checkout."),
        ("clusterQueueUpdate", "Updates cluster queue."),
        ("openIssue", "Opens issue."),
        ("reply_to_thread", "Replies to thread."),
        ("clean", "Runs clean."),
    ] {
        assert_eq!(description(&schema, "x", Root::Mutation, field), line);
    }
}

#[test]
fn names_say_what_is_done() {
    let schema = sample();
    for (sketch, name) in [
        ("employee { manager { id } }", "EmployeeManager"),
        ("department { members { nodes { id } } }", "DepartmentMembers"),
        ("employee { id email details { surname } }", "Employee"),
        ("employeesConnection { nodes { office { name } } }", "EmployeesOffice"),
    ] {
        assert_eq!(write(&schema, "x", Root::Query, sketch).1.name, name, "{sketch}");
    }
}

#[test]
fn variables_take_what_their_types_take() {
    let schema = parse_sdl(
        r#"type Query { all(a: [[Int!]]! = [[1]], b: In = {c: A, d: {c: A}}, day: Date!, big: Long, any: JSON!, id: ID = 5, odd: Int = "x", price: Decimal = 1.5): Int }
           input In { c: E! d: In e: [In!] f: ID! = 7 } enum E { A B } scalar Date scalar Long scalar JSON scalar Decimal
           type Mutation { a(in: In!): Int }"#,
    )
    .unwrap();
    let plan = plan(&schema, Root::Query, "all");
    let asked = Asked::of(&Prompt::read("big b, id, a, odd price"));
    let operation = operation::write(&plan, &schema, &asked, true).unwrap();
    let written = Value::from(variables::of(&operation.variables, &schema).schema);
    let properties = &written["properties"];
    assert_eq!(
        properties["a"],
        json!({ "type": "array", "items": { "type": ["array", "null"], "items": { "type": "integer" } }, "default": [[1]] })
    );
    assert_eq!(
        properties["b"],
        json!({ "$ref": "#/$defs/In", "default": { "c": "A", "d": { "c": "A" } } })
    );
    assert_eq!(properties["day"], json!({ "type": "string", "format": "date" }));
    assert_eq!(properties["big"], json!({ "type": ["integer", "null"] }));
    assert_eq!(properties["id"], json!({ "type": ["string", "null"], "default": "5" }));
    assert_eq!(
        properties["odd"],
        json!({ "type": ["integer", "null"] }),
        "no default that does not fit"
    );
    assert_eq!(properties["price"]["default"], 1.5);
    assert_eq!(properties["any"]["type"][0], "object");
    assert_eq!(written["required"], json!(["day", "any"]));
    let input = &written["$defs"]["In"];
    assert_eq!(input["required"], json!(["c"]));
    assert_eq!(input["properties"]["d"], json!({ "$ref": "#/$defs/In" }));
    assert_eq!(input["properties"]["f"], json!({ "type": "string", "default": "7" }));
    assert_eq!(written.get("$schema").or(written.get("oneOf")), None);
}

#[test]
fn guidance_has_an_example_of_the_variables() {
    let schema = sample();
    let prompt = Prompt::read("the first 3 employees");
    let (_, operation) =
        write(&schema, &prompt.text, Root::Query, "employeesConnection { nodes { id } }");
    let guidance = guidance::guidance(
        &schema,
        &[(&prompt, &[&operation])],
        Some("http://localhost:1/graphql"),
    )
    .unwrap();
    assert_eq!(guidance.endpoint.as_deref(), Some("http://localhost:1/graphql"));
    assert!(guidance.next_steps[0].contains("http://localhost:1/graphql"));
    assert_eq!(
        guidance.next_steps[1],
        "Give the variables your values, for example {\"first\":3}."
    );
    assert!(guidance::guidance(&schema, &[(&prompt, &[])], None).is_none());
}

#[test]
fn prompts_that_ask_for_nothing_are_invalid() {
    for (prompt, reason) in [
        ("", "`prompt` is empty"),
        (" \n", "`prompt` is empty"),
        ("hello", "asks for no data"),
        ("Hi there, please help me!", "asks for no data"),
        ("the of and", "asks for no data"),
        ("???", "asks for no data"),
        ("query { employees { id }", "is GraphQL that does not parse"),
        ("{ employees { id } } and more", "is GraphQL that does not parse"),
        ("fragment F on Employee { id }", "is GraphQL that does not parse"),
        (&"a".repeat(10_001), "10001 characters"),
    ] {
        let error = check(&GenerateRequest::new(prompt)).unwrap_err().to_string();
        assert!(error.starts_with("The request is not valid. "), "{error}");
        assert!(error.contains(reason) && error.ends_with('.'), "{prompt}: {error}");
    }
    for prompt in
        ["employees", "query the employees", "moods {today}", "Mitarbeiter", "{ employees { id } }"]
    {
        assert_eq!(check(&GenerateRequest::new(prompt)), Ok(()), "{prompt}");
    }
}

/// How many root fields of each large schema are tried.
const ROOTS_TRIED: usize = 40;

/// Everything that a field leads to, down to a depth: all leaves, and of what
/// may be several types a few fields of each.
fn everything(schema: &Schema, owner: &str, field: &str, depth: usize) -> Selection {
    let this = schema.get(owner).and_then(|owner| operation::find(owner, field)).unwrap();
    let mut selections = Vec::new();
    if let Some(target) = schema.get(this.type_ref.named()).filter(|_| depth > 0) {
        let possible = schema.types().iter().filter(|ty| {
            target.members.contains(&ty.name)
                || ty.fields.len() > 1 && ty.interfaces.contains(&target.name)
        });
        let few = if depth > 1 { 12 } else { 6 };
        for ty in std::iter::once(target).chain(possible.take(4)) {
            let inner = ty.fields.iter().take(few);
            selections.extend(inner.map(|it| everything(schema, &ty.name, &it.name, depth - 1)));
        }
    }
    Selection { owner: owner.to_owned(), field: field.to_owned(), selections }
}

/// Tries large plans on a schema; returns how many.
fn try_everything(schema: &Schema, judge: &Valid<Judge>, name: &str) -> usize {
    let asked = Asked::of(&Prompt::read(
        "the newest 10, sorted by name, whose state is open since 2026-01-01, page by page: id, type, status, archived",
    ));
    let roots = [
        (Root::Query, &schema.roots.query),
        (Root::Mutation, &schema.roots.mutation),
        (Root::Subscription, &schema.roots.subscription),
    ];
    let mut tried = 0;
    for (root, owner) in roots {
        let Some(owner) = owner.as_deref().and_then(|owner| schema.get(owner)) else {
            continue;
        };
        for field in owner.fields.iter().step_by(owner.fields.len() / ROOTS_TRIED + 1) {
            let selection = everything(schema, &owner.name, &field.name, 3);
            let plan = Plan { root, selection, score: 0.0 };
            let refused = [true, false].map(|with_defaults| {
                let operation = operation::write(&plan, schema, &asked, with_defaults).unwrap();
                let written = variables::of(&operation.variables, schema).schema;
                let properties = written.get("properties").and_then(Value::as_object);
                assert_eq!(properties.map_or(0, serde_json::Map::len), operation.variables.len());
                let refused = prove(judge, &operation.document).err();
                refused.map(|refused| format!("{}\n{refused}", operation.document))
            });
            if let [Some(_), Some(refused)] = refused {
                panic!("{name}: {}: {refused}", field.name);
            }
            tried += 1;
        }
    }
    tried
}

#[test]
fn whatever_is_planned_on_the_sample_is_valid() {
    let schema = sample();
    let judge = Judge::parse_and_validate(&schema.sdl, "sample").unwrap();
    assert_eq!(try_everything(&schema, &judge, "sample"), 25);
}

/// The schemas stand beside the project and not in it.
#[test]
fn whatever_is_planned_on_a_shared_schema_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/schemas");
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "graphql") {
            continue;
        }
        let schema = load(&Source::Path(path)).unwrap();
        if let Ok(judge) = Judge::parse_and_validate(&schema.sdl, &name) {
            assert!(try_everything(&schema, &judge, &name) > 0, "{name}");
        }
    }
}
