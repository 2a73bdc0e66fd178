//! Hops, cycles, and files that are too much.

use std::{cell::Cell, fmt::Write as _};

use super::{super::MAX_NODES, CodeError, RelationKind, Tree};

#[test]
fn hops_are_honoured_and_cycles_end() {
    let tree = Tree::of(&[(
        "a.py",
        "def a():\n    b()\n\ndef b():\n    c()\n\ndef c():\n    d()\n\ndef d():\n    a()\n",
    )]);
    for (hops, nodes, edges) in [(1, 2, 1), (2, 3, 2), (3, 4, 3), (4, 4, 4), (10, 4, 4)] {
        for kind in [RelationKind::Callees, RelationKind::Callers] {
            let answer = tree.ask("a", kind, hops).unwrap();
            assert_eq!((answer.nodes.len(), answer.edges.len()), (nodes, edges), "{hops}");
            assert!(!answer.truncated);
        }
    }
    for hops in [0, 11, u32::MAX] {
        let error = tree.ask("a", RelationKind::Callers, hops).unwrap_err();
        assert!(matches!(error, CodeError::Invalid(_)));
        assert!(error.to_string().contains("from 1 to 10"), "{error}");
    }
}

#[test]
fn an_answer_that_is_cut_says_so() {
    let mut source = "def f():\n    pass\n".to_owned();
    for number in 0..=MAX_NODES {
        write!(source, "def g{number}():\n    f()\n").unwrap();
    }
    let tree = Tree::of(&[("a.py", &source)]);
    let answer = tree.ask("f", RelationKind::Callers, 1).unwrap();
    assert_eq!(answer.nodes.len(), MAX_NODES);
    assert!(answer.truncated);
    let value = serde_json::to_value(tree.ask("g1", RelationKind::Callees, 1).unwrap()).unwrap();
    assert!(value.get("truncated").is_none());
}

#[test]
fn hostile_files_cost_only_themselves() {
    let deep = "(".repeat(100_000);
    let blocks = "{".repeat(10_000);
    let huge = "x".repeat(2 * 1024 * 1024 + 1);
    let garbage: String = (0..2_000_u32).filter_map(|n| char::from_u32(n * 37 % 0xd7ff)).collect();
    let mut files = vec![("good.py".to_owned(), "def good():\n    pass\n\ngood()\n".to_owned())];
    for extension in ["rs", "go", "ts", "tsx", "js", "py", "java", "kt", "cs", "rb", "php"] {
        files.push((format!("deep.{extension}"), deep.clone()));
        files.push((format!("blocks.{extension}"), blocks.clone()));
        files.push((format!("garbage.{extension}"), garbage.clone()));
        files.push((format!("empty.{extension}"), String::new()));
    }
    files.push(("huge.py".to_owned(), huge));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::of(&files);
    assert_eq!(tree.callers("good"), ["good.py scoped"]);
    assert!(tree.error("huge.py:1").contains("was not read: it is larger than"));
}

#[test]
fn types_and_values_in_circles_end() {
    let tree = Tree::of(&[
        (
            "a.py",
            "class A(B):\n    def f(self):\n        self.missing()\n\nclass B(A):\n    pass\n\nx = y\ny = x\n\ndef g():\n    x.f()\n",
        ),
        ("a.ts", "import { a as b } from './b'; export { b as a }; b();"),
        ("b.ts", "import { a as b } from './a'; export { b as a }; export * from './b'; b();"),
        (
            "src/lib.rs",
            "pub use crate::inner::*; mod inner; type T = T; fn f(t: T) { t.go(); nothing() }",
        ),
        ("src/inner.rs", "pub use crate::*; pub use super::*;"),
    ]);
    for target in ["A.f", "g", "f"] {
        for kind in [RelationKind::Callees, RelationKind::Callers, RelationKind::References] {
            tree.ask(target, kind, 10).unwrap();
        }
    }
}

#[test]
fn a_question_that_takes_too_long_is_answered_with_what_was_found() {
    let tree = Tree::of(&[(
        "a.py",
        "def a():\n    b()\n    c()\n\ndef b():\n    c()\n\ndef c():\n    a()\n    b()\n",
    )]);
    for kind in [RelationKind::Callers, RelationKind::Callees, RelationKind::References] {
        let whole = tree.ask("a", kind, 3).unwrap();
        let mut cut = 0;
        loop {
            let looks = Cell::new(0);
            let is_late = || looks.replace(looks.get() + 1) >= cut;
            let answer = tree.ask_until("a", kind, 3, &is_late).unwrap();
            if !answer.truncated {
                assert_eq!(answer, whole);
                break;
            }
            assert!(whole.nodes.starts_with(&answer.nodes));
            assert!(whole.edges.starts_with(&answer.edges));
            cut += 1;
        }
        assert!(cut > whole.edges.len(), "every use is a place to stop at, not {cut}");
    }
}

#[test]
fn a_value_that_is_dear_to_find_is_given_up() {
    // Each field is twice as dear as the one before.
    let mut source = "class A {\n    f0: A;\n".to_owned();
    for number in 1..=15 {
        let below = number - 1;
        writeln!(source, "    f{number} = this.f{below}.f{below};").unwrap();
    }
    source += "    go() { this.f15.go(); }\n}\n";
    let tree = Tree::of(&[("a.ts", &source)]);
    let looks = Cell::new(0);
    let is_late = || looks.replace(looks.get() + 1) >= 1_000;
    let answer = tree.ask_until("A.go", RelationKind::Callers, 1, &is_late).unwrap();
    assert!(answer.truncated);
    assert!(looks.get() < 2_000, "{} looks", looks.get());
}

#[test]
fn long_chains_end_before_the_stack_does() {
    const LINKS: usize = 3_000;
    let mut values = String::new();
    let mut types = String::new();
    for number in 0..LINKS {
        let next = (number + 1) % LINKS;
        writeln!(values, "x{number} = x{next}.y").unwrap();
        writeln!(types, "type T{number} = T{next};").unwrap();
    }
    values += "\ndef f():\n    x0.go()\n\nclass Go:\n    def go(self):\n        pass\n";
    types += "fn f(t: T0) { t.go() }\nstruct Go;\nimpl Go { fn go(&self) {} }\n";
    let calls = format!("class C {{ go() {{ c{}; }} }}\n", ".go()".repeat(LINKS));
    let mut files = vec![
        ("values.py".to_owned(), values),
        ("src/lib.rs".to_owned(), types),
        ("calls.ts".to_owned(), calls),
    ];
    for number in 0..200 {
        let next = (number + 1) % 200;
        files.push((
            format!("m{number}.ts"),
            format!("export {{ go }} from './m{next}'; export * from './m{next}'; go();"),
        ));
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::of(&files);
    for kind in [RelationKind::Callees, RelationKind::Callers, RelationKind::References] {
        for target in ["go", "f", "m0.ts:1"] {
            assert!(!tree.ask(target, kind, 3).unwrap().truncated, "{target}");
        }
    }
}
