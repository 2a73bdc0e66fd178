//! What search finds and generation writes, said in figures and in reasons:
//! `sextant eval`, `search --explain` and `--synonyms`.

use crate::harness::{Folder, repository, sample_index, text};

/// Two topics and a prompt about the sample graph, and a row of another form.
const ROWS: &str = r#"{"schema":"employees","query":"how an employee feels today","relevant":{"field:Employee.currentMood":3}}
{"schema":"employees","query":"Employee.details","relevant":{"object:Details":3},"mismatch":true}
{"schema":"employees","query":"employees with their current moods","targetFields":["Employee.currentMood","Employee.nothing"],"targetTypes":["Employee"]}
{"schema":"employees","prompt":"of another form"}"#;

/// A prompt with the operation that answers it.
const OPERATION: &str = r#"{"schema":"employees","prompt":"employees with their ids and current moods","root_fields":["field:Query.employees"],"used_coordinates":["field:Query.employees","field:Employee.id","field:Employee.currentMood"]}"#;

fn search(arguments: &[&str]) -> String {
    let index = text(sample_index());
    Folder::new().run(&[&["search"], arguments, &["--index", &index]].concat()).succeeds()
}

#[test]
fn figures_are_of_the_rows_that_are_questions() {
    let folder = Folder::new();
    folder.write("data/rows.jsonl", ROWS);
    let schemas = text(&repository().join("samples"));
    let page = folder
        .run(&["eval", "data", "--schemas", &schemas, "--cache-dir", "cache", "--features", "rows"])
        .succeeds();
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 2, "a line a schema and one for all: {page}");
    for line in lines {
        assert!(line.contains("field recall@50 50.0"), "one of two fields exists: {line}");
        assert!(line.contains("type recall@10 100.0"), "{line}");
        assert!(line.contains("field MRR 100.0"), "of the one topic that a field answers: {line}");
    }
    let features = String::from_utf8(folder.read("rows")).expect("features are text");
    let rows: Vec<serde_json::Value> =
        features.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect();
    assert_eq!(rows.len(), 3);
    let fields = &rows[0]["features"]["fields"];
    let count = fields["coordinates"].as_array().expect("coordinates").len();
    assert_eq!(fields["rows"].as_array().map(Vec::len), Some(count));
    assert_eq!(rows[0]["features"]["owners"].as_array().map(Vec::len), Some(count));
}

#[test]
fn operations_are_compared_with_a_reference() {
    let folder = Folder::new();
    folder.write("data/rows.jsonl", OPERATION);
    let schemas = text(&repository().join("samples"));
    let eval = ["eval", "data", "--schemas", &schemas, "--cache-dir", "cache"];
    let page = folder.run(&eval).succeeds();
    for figure in ["answered 100.0", "root 100.0", "covered 100.0", "F1 "] {
        assert_eq!(page.matches(figure).count(), 2, "{figure} of the schema and of all: {page}");
    }

    let weights = text(&repository().join("src/generate/plan/weights.json"));
    let page = folder
        .run(&[&eval[..], &["--plan-features", "plans", "--plan-weights", &weights]].concat())
        .succeeds();
    assert_eq!(page, "", "features take the place of figures");
    let row: serde_json::Value =
        serde_json::from_slice(&folder.read("plans")).expect("the row is JSON");
    for part in ["roots", "leaves", "hops", "trees"] {
        let judged = &row["features"][part];
        let count = judged["coordinates"].as_array().map_or(0, Vec::len);
        assert_eq!(judged["rows"].as_array().map(Vec::len), Some(count), "{part}");
        assert_eq!(
            judged["rows"][0].as_array().map(Vec::len),
            judged["names"].as_array().map(Vec::len)
        );
    }
    let trees = row["features"]["trees"]["coordinates"].as_array().map(Vec::len);
    assert_eq!(trees, Some(10), "the ten best roots are grown");
    let selected = row["features"]["selected"][0].to_string();
    assert!(selected.contains("\"Employee.currentMood\""), "{selected}");

    let other = folder.write("weights.json", r#"{ "leaf": {} }"#);
    let message = folder
        .run(&[&eval[..], &["--plan-features", "plans", "--plan-weights", &other]].concat())
        .fails();
    assert!(message.contains("weights.json") && message.contains("missing field"), "{message}");
}

#[test]
fn rows_that_are_none_are_a_readable_error() {
    let folder = Folder::new();
    folder.write("data/rows.jsonl", "{}");
    let message = folder.run(&["eval", "data", "--schemas", ".", "--cache-dir", "cache"]).fails();
    assert!(message.contains("`data`") && message.contains("*.jsonl"), "{message}");
}

#[test]
fn an_explanation_names_ranks_and_what_each_feature_added() {
    let page = search(&["how an employee feels today", "--limit", "1", "--explain"]);
    let lines: Vec<&str> = page.lines().map(str::trim_start).collect();
    assert_eq!(lines.len(), 3, "{page}");
    assert!(lines[0].contains("field:Employee.currentMood"), "{page}");
    assert!(lines[1].starts_with("rank by meaning 1, by words "), "{page}");
    assert!(lines[2].contains("name_meaning +"), "{page}");
    let plain = search(&["how an employee feels today", "--limit", "1"]);
    assert_eq!(plain.trim_end(), page.lines().next().unwrap_or_default().trim_end());
}

#[test]
fn a_users_own_near_words_find_what_the_word_alone_does_not() {
    let folder = Folder::new();
    let synonyms = folder.write("synonyms.txt", "# ours\nvibe mood\n");
    let index = text(sample_index());
    let topic = ["search", "vibe", "--kind", "enum", "--index", &index, "--limit", "1"];
    let with = folder.run(&[&topic[..], &["--synonyms", &synonyms]].concat()).succeeds();
    assert!(with.contains("enum:Mood"), "{with}");
    let explained =
        folder.run(&[&topic[..], &["--synonyms", &synonyms, "--explain"]].concat()).succeeds();
    let alone = folder.run(&[&topic[..], &["--explain"]].concat()).succeeds();
    assert!(!explained.contains("by words –"), "the near word is a word: {explained}");
    assert!(alone.contains("by words –"), "nobody else says vibe: {alone}");
}

#[test]
fn near_words_that_cannot_be_read_are_a_readable_error() {
    let message = Folder::new()
        .run(&["search", "mood", "--index", &text(sample_index()), "--synonyms", "missing.txt"])
        .refuses();
    assert!(message.contains("missing.txt"), "{message}");
}
