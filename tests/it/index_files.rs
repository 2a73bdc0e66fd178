//! The index as a file: read by others, damaged, of another age, without room.

use serde_json::{Value, json};

use crate::harness::{Folder, Server, run, sample, sample_index, sqlite, text};

#[test]
fn the_stock_shell_reads_an_index() {
    let index = sample_index();
    assert_eq!(sqlite(index, "PRAGMA integrity_check"), "ok");
    let listed =
        sqlite(index, "SELECT * FROM listing WHERE coordinate = 'field:Query.employeesConnection'");
    assert_eq!(
        listed,
        "field:Query.employeesConnection|EmployeeConnection!|0|yes||Employees a page at a time, in the order they joined."
    );
    let listed = sqlite(
        index,
        "SELECT coordinate, deprecated FROM listing WHERE deprecated <> '' ORDER BY coordinate LIMIT 1",
    );
    assert_eq!(listed, "field:Details.middlename|yes");
    assert_eq!(
        sqlite(index, "SELECT value FROM summary WHERE what = 'elements of kind union'"),
        "2"
    );
    let counted =
        sqlite(index, "SELECT sum(value) FROM summary WHERE what LIKE 'elements of kind %'");
    assert_eq!(counted, sqlite(index, "SELECT count(*) FROM element"));
    let record = sqlite(
        index,
        "SELECT record ->> '$.TypeRef' FROM element WHERE coordinate = 'field:Employee.details'",
    );
    assert_eq!(record, "Details!");
    let sdl = sqlite(index, "SELECT sdl FROM schema_text");
    assert!(sdl.contains("type Employee implements Node"), "{sdl}");
}

#[test]
fn an_index_says_of_what_and_by_what_it_was_made() {
    let index = sample_index();
    let meta = |key: &str| sqlite(index, &format!("SELECT value FROM meta WHERE key = '{key}'"));
    assert_eq!(meta("source"), text(&sample()));
    assert_eq!(meta("dimensions"), "384");
    assert_eq!(meta("model_name"), "bundled");
    assert_eq!(meta("sextant_version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (meta("query_root"), meta("subscription_root")),
        ("Query".to_owned(), "Subscription".to_owned())
    );
    for hash in ["schema_hash", "model_hash"] {
        assert!(
            meta(hash).len() == 64 && meta(hash).chars().all(|digit| digit.is_ascii_hexdigit()),
            "{hash}"
        );
    }
    assert!(
        meta("built_at").starts_with("20") && meta("built_at").ends_with('Z'),
        "{}",
        meta("built_at")
    );
}

#[test]
fn element_rows_carry_what_the_records_say() {
    let index = sample_index();
    let columns = "SELECT kind, name, parent, type_ref, paginated, depth, description FROM element WHERE coordinate = ";
    let row = sqlite(index, &format!("{columns}'field:Employee.timeOff'"));
    assert_eq!(
        row,
        "field|timeOff|object:Employee|TimeOffConnection!|1|1|The employee's days off, granted or asked for."
    );
    let row = sqlite(index, &format!("{columns}'enum:Mood'"));
    assert!(row.starts_with("enum|Mood|||0|"), "{row}");
    // Coordinates are unique, and each row has its words and its text's hash.
    assert_eq!(sqlite(index, "SELECT count(*) - count(DISTINCT coordinate) FROM element"), "0");
    assert_eq!(
        sqlite(index, "SELECT count(*) FROM element WHERE length(text_hash) <> 16 OR text = ''"),
        "0"
    );
    let mismatched = "SELECT count(*) FROM element WHERE record ->> '$.Coordinate' <> coordinate OR record ->> '$.Kind' <> kind";
    assert_eq!(sqlite(index, mismatched), "0");
}

#[test]
fn records_hold_the_contract_s_keys_and_nothing_empty() {
    let known = "Coordinate Kind Name Description Parent TypeRef Args Fields Values PossibleTypes \
        Interfaces ImplementedBy Paginated DeprecationReason OneOf SpecifiedByURL Directives \
        Default Hops Operation";
    for record in sqlite(sample_index(), "SELECT record FROM element").lines() {
        let record: Value = serde_json::from_str(record).expect("a record is JSON");
        for (key, value) in record.as_object().expect("a record is an object") {
            assert!(known.split_whitespace().any(|it| it == key), "{key} in {record}");
            let is_empty = match value {
                Value::Null | Value::Bool(false) => true,
                Value::String(text) => text.is_empty(),
                Value::Array(members) => members.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            assert!(!is_empty, "{key} is empty in {record}");
        }
        // Each member is an element of its own, where all of it stands.
        for member in record["Fields"].as_array().into_iter().flatten() {
            let keys: Vec<&String> = member.as_object().expect("a member").keys().collect();
            assert_eq!(keys, ["Name", "TypeRef"], "in {record}");
        }
    }
}

#[test]
fn a_file_that_is_no_sound_index_is_refused_with_what_to_do() {
    let folder = Folder::new();
    let whole = std::fs::read(sample_index()).expect("the sample's index");
    let page = 8192;
    let mut header = whole.clone();
    header[..16].fill(b'X');
    let mut middle = whole.clone();
    middle[page..page * 100].fill(0);
    folder.write("cut-in-half.sqlite", &whole[..whole.len() / 2]);
    folder.write("cut-a-page-short.sqlite", &whole[..whole.len() - page]);
    folder.write("header-alone.sqlite", &whole[..100]);
    folder.write("header-overwritten.sqlite", header);
    folder.write("middle-overwritten.sqlite", middle);
    folder.write("empty.sqlite", "");
    folder.write("text.sqlite", "I am no database at all, only some words of text.\n".repeat(200));
    folder.write("image.sqlite", [&b"\x89PNG\r\n\x1a\n"[..], &[7; 5000]].concat());
    sqlite(
        &folder.path("foreign.sqlite"),
        "CREATE TABLE element (coordinate TEXT); CREATE TABLE meta (key, value)",
    );
    sqlite(&folder.path("without-tables.sqlite"), "VACUUM");
    for name in folder.list(".").into_iter().filter(|name| name.ends_with(".sqlite")) {
        for arguments in [&["search", "mood"][..], &["get", "enum:Mood"]] {
            let message = folder.run(&[arguments, &["--index", &name]].concat()).fails();
            assert!(message.contains(&format!("the index `{name}`")), "{name}: {message}");
            assert!(
                message.contains(&format!("sextant index SCHEMA --out {name}")),
                "{name} says not what to do: {message}"
            );
            assert!(
                !message.contains("Query returned"),
                "{name}: that is a library's word: {message}"
            );
        }
    }
    let mut server =
        Server::connect(&mut folder.command(&["mcp", "--index", "cut-in-half.sqlite"]));
    let message = server.call("get_symbols", json!({ "coordinates": ["enum:Mood"] })).fails();
    assert!(message.contains("`cut-in-half.sqlite` is damaged"), "{message}");
    assert_eq!(server.leave().0, Some(0));
}

/// Damage that opening cannot see shows when a page is read: an error then, never a crash.
#[test]
fn damage_anywhere_in_the_file_never_crashes() {
    let folder = Folder::new();
    let whole = std::fs::read(sample_index()).expect("the sample's index");
    let page = 8192;
    let pages = whole.len() / page;
    for at in (1..pages).step_by(pages / 12) {
        let mut damaged = whole.clone();
        damaged[at * page..(at + 1) * page].fill(0xA5);
        folder.write("damaged.sqlite", damaged);
        let run = folder.run(&["search", "mood", "--index", "damaged.sqlite"]);
        assert!(matches!(run.code, Some(0 | 1)), "page {at}: {run:#?}");
        assert!(!run.stderr.contains("panicked"), "page {at}: {}", run.stderr);
        assert!(
            run.code == Some(0) || run.stderr.contains("`damaged.sqlite`"),
            "page {at}: {}",
            run.stderr
        );
    }
}

#[test]
fn an_index_of_a_later_release_asks_for_an_update() {
    let folder = Folder::new();
    std::fs::copy(sample_index(), folder.path("newer.sqlite")).expect("an index can be copied");
    sqlite(
        &folder.path("newer.sqlite"),
        "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES (9, 'later', '2030-01-01T00:00:00Z', '0')",
    );
    let message = folder.run(&["search", "mood", "--index", "newer.sqlite"]).fails();
    assert!(
        message.contains("`newer.sqlite` has file version 9") && message.contains("update sextant"),
        "{message}"
    );
    let mut server = Server::connect(&mut folder.command(&["mcp", "--index", "newer.sqlite"]));
    assert!(
        server.call("search_schema", json!({ "query": "mood" })).fails().contains("update sextant")
    );
}

#[test]
fn an_index_of_another_model_asks_for_that_model() {
    let folder = Folder::new();
    std::fs::copy(sample_index(), folder.path("alien.sqlite")).expect("an index can be copied");
    sqlite(
        &folder.path("alien.sqlite"),
        "UPDATE meta SET value = 'alien' WHERE key = 'model_name'; UPDATE meta SET value = printf('%064d', 7) WHERE key = 'model_hash'",
    );
    let message = folder.run(&["search", "mood", "--index", "alien.sqlite"]).fails();
    assert!(
        message.contains("was made by the model `alien` (00000000), not by `bundled`"),
        "{message}"
    );
    assert!(message.contains("--model") && message.contains("build the index again"), "{message}");
}

#[test]
fn an_index_is_a_copy_away_from_another_place() {
    let folder = Folder::new();
    std::fs::copy(sample_index(), folder.path("a name with spaces & ünïcode.sqlite"))
        .expect("an index can be copied");
    let index = "a name with spaces & ünïcode.sqlite";
    assert!(
        folder.run(&["get", "enum:Mood", "--index", index]).succeeds().starts_with("enum:Mood")
    );
    assert_eq!(folder.list("."), [index, "home"], "reading leaves nothing beside it");
}

/// 3 MB hold the old index and not a new one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_cleanly_and_leaves_the_old_index() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).expect("a folder can be made");
    let script = "
        mount -t tmpfs -o size=3m none \"$3\"; cp \"$2\" \"$3/index.sqlite\"
        code=0; \"$1\" index \"$4\" --out \"$3/index.sqlite\" || code=$?
        cmp \"$2\" \"$3/index.sqlite\" && ls -A \"$3\" && exit $code";
    let Some(mut shell) = crate::harness::isolated_shell(script) else { return };
    let source = folder.write("other.graphql", std::fs::read(sample()).expect("the sample"));
    shell
        .arg(env!("CARGO_BIN_EXE_sextant"))
        .arg(sample_index())
        .arg(folder.path("disk"))
        .arg(source);
    let run = run(&mut shell);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(1), "index.sqlite\n"),
        "the old index and no leftovers: {run:#?}"
    );
    assert!(
        run.stderr.contains("error: cannot write the index `") && run.stderr.contains("full"),
        "{}",
        run.stderr
    );
}
