//! What changes in the tree changes in the graph, and nothing else is read.

use std::{fs, sync::Arc, time::Duration};

use super::{CodeGraph, GraphQuery, RelationKind, Tree, write};
use crate::code::graph::GraphResult;

#[test]
fn only_what_changed_is_read_again() {
    let tree = Tree::of(&[
        ("a.py", "def f():\n    pass\n"),
        ("b.py", "from a import f\n\ndef g():\n    f()\n"),
        ("c.py", "def h():\n    pass\n"),
    ]);
    let update = || {
        let report = tree.graph.update(|_| {}).unwrap();
        (report.files, report.parsed, report.removed)
    };
    assert_eq!(update(), (3, 0, 0));
    assert_eq!(tree.callers("f"), ["b.py#g imported"]);

    write(&tree.root(), "c.py", "from a import f\n\ndef h():\n    f()\n");
    assert_eq!(update(), (3, 1, 0));
    assert_eq!(tree.callers("f"), ["b.py#g imported", "c.py#h imported"]);

    fs::rename(tree.root().join("b.py"), tree.root().join("d.py")).unwrap();
    assert_eq!(update(), (3, 1, 1));
    assert_eq!(tree.callers("f"), ["c.py#h imported", "d.py#g imported"]);

    fs::remove_file(tree.root().join("a.py")).unwrap();
    assert_eq!(update(), (2, 0, 1));
    assert!(tree.error("f").contains("no symbol `f`"));

    write(&tree.root(), "a.py", "\n\ndef f():\n    pass\n");
    assert_eq!(update(), (3, 1, 0));
    assert_eq!(tree.callers("f"), ["c.py#h imported", "d.py#g imported"]);
}

#[test]
fn ignored_hidden_and_linked_files_are_not_read() {
    let tree = Tree::of(&[
        (".gitignore", "out/\n*.gen.py\n"),
        ("out/a.py", "def hidden_a(): pass\n"),
        ("b.gen.py", "def hidden_b(): pass\n"),
        (".venv/c.py", "def hidden_c(): pass\n"),
        ("d.py", "def seen(): pass\n"),
    ]);
    let outside = tree.folder.path().join("outside.py");
    fs::write(&outside, "def hidden_d(): pass\n").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, tree.root().join("link.py")).unwrap();
        std::os::unix::fs::symlink(tree.root(), tree.root().join("loop")).unwrap();
    }
    assert_eq!(tree.graph.update(|_| {}).unwrap().files, 1);
    assert_eq!(tree.defines("seen"), ["d.py#seen"]);
    assert!(tree.error("hidden_d").contains("no symbol"));
}

#[test]
fn progress_counts_to_its_end() {
    let tree = Tree::of(&[]);
    write(&tree.root(), "a.py", "");
    write(&tree.root(), "b.py", "");
    let mut seen = Vec::new();
    tree.graph.update(|progress| seen.push((progress.done, progress.total))).unwrap();
    assert_eq!(seen, [(0, 2), (1, 2), (2, 2)]);
}

#[test]
fn an_empty_graph_answers_everything_with_nothing() {
    let tree = Tree::of(&[]);
    assert!(tree.graph.is_empty().unwrap());
    for target in ["anything", "a.rs:1", "field:A.b", ""] {
        assert_eq!(tree.ask(target, RelationKind::References, 3), Ok(GraphResult::default()));
    }
}

#[test]
fn a_file_that_cannot_be_used_is_made_anew() {
    let tree = Tree::of(&[("a.py", "def f(): pass\n")]);
    let file = tree.folder.path().join("other.sqlite");
    let open = || CodeGraph::open(&tree.root(), &file).unwrap();
    fs::write(&file, "no database at all, but long enough to be looked at ".repeat(100)).unwrap();
    let graph = open();
    assert!(graph.is_empty().unwrap());
    graph.update(|_| {}).unwrap();
    drop(graph);
    assert!(!open().is_empty().unwrap());

    rusqlite::Connection::open(&file).unwrap().execute_batch("PRAGMA user_version = 0").unwrap();
    assert!(open().is_empty().unwrap());

    let foreign = tree.folder.path().join("foreign.sqlite");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let error = CodeGraph::open(&tree.root(), &foreign).err().unwrap();
    assert!(error.to_string().contains("the database of another program"), "{error}");
    let nowhere = CodeGraph::open(&tree.root().join("nowhere"), &file).err().unwrap();
    assert!(nowhere.to_string().contains("is no folder"), "{nowhere}");
}

#[test]
fn a_tree_that_is_followed_is_read_again_where_it_changes() {
    let tree = Tree::of(&[("a.py", "def f(): pass\n")]);
    let graph =
        Arc::new(CodeGraph::open(&tree.root(), &tree.folder.path().join("b.sqlite")).unwrap());
    graph.follow();
    let finds = |target: &str| {
        let query =
            GraphQuery { target: target.into(), kind: RelationKind::Defines, max_hops: None };
        let found = || graph.query(&query).is_ok_and(|answer| !answer.nodes.is_empty());
        (0..600).any(|_| {
            found() || {
                std::thread::sleep(Duration::from_millis(50));
                false
            }
        })
    };
    assert!(finds("f"));
    write(&tree.root(), "b.py", "def later(): pass\n");
    assert!(finds("later"));
}
