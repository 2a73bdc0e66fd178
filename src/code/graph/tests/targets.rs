//! What a target may be, and what is said where it is nothing.

use super::{RelationKind, Tree};

fn tree() -> Tree {
    Tree::of(&[
        (
            "crates/core-engine/src/run.rs",
            "pub struct Engine;\nimpl Engine {\n    pub fn run(&self) {\n        let a = 1;\n        step(a)\n    }\n}\nfn step(_: u32) {}\nmod tests {\n    fn step() {}\n}\n",
        ),
        ("web/run.py", "class Engine:\n    def run(self):\n        pass\n"),
        ("pkg/run.go", "package pkg\n\nfunc Step() {}\n"),
    ])
}

#[test]
fn a_bare_name_answers_for_all_of_its_definitions() {
    assert_eq!(
        tree().defines("run"),
        ["crates/core-engine/src/run.rs#Engine.run", "pkg/run.go", "web/run.py#Engine.run"]
            .into_iter()
            .filter(|id| id.contains('#'))
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_qualified_name_may_have_any_separator_and_any_beginning() {
    let tree = tree();
    let both = ["crates/core-engine/src/run.rs#Engine.run", "web/run.py#Engine.run"];
    for target in
        ["Engine::run", "Engine.run", "Engine#run", "Engine\\run", "Engine->run", "Engine.run()"]
    {
        assert_eq!(tree.defines(target), both, "{target}");
    }
    for target in ["core_engine::run::Engine::run", "crate::run::Engine::run", "run::step"] {
        let found = tree.defines(target);
        assert!(found.iter().any(|id| id.starts_with("crates/")), "{target}: {found:?}");
    }
    assert_eq!(tree.defines("pkg.Step"), ["pkg/run.go#Step"]);
    assert_eq!(tree.defines("tests::step"), ["crates/core-engine/src/run.rs#tests.step"]);
    assert!(tree.error("Motor::run").contains("`Engine.run`"));
}

#[test]
fn a_place_is_the_innermost_definition_around_it() {
    let tree = tree();
    let path = "crates/core-engine/src/run.rs";
    for (line, id) in
        [(1, "#Engine"), (4, "#Engine.run"), (5, "#Engine.run"), (8, "#step"), (10, "#tests.step")]
    {
        assert_eq!(tree.defines(&format!("{path}:{line}")), [format!("{path}{id}")], "{line}");
    }
    assert_eq!(tree.defines("./pkg/run.go:1"), ["pkg/run.go"]);
    assert_eq!(tree.defines("src/run.rs:8"), [format!("{path}#step")]);
    assert!(tree.error("pkg/run.go:900").contains("has no line 900"));
    assert!(tree.error("pkg/rum.go:1").contains("`pkg/run.go`"));
    assert!(tree.error("../../etc/passwd:1").contains("relative to the root"));
}

#[test]
fn an_unknown_name_is_answered_with_the_closest() {
    let error = tree().error("Enginee");
    assert_eq!(
        error,
        "The request is not valid. The code has no symbol `Enginee`; the closest name is `Engine`."
    );
    assert!(tree().error("zzzzqqq").ends_with("Find it with search_code."));
    assert!(tree().error("  ").contains("`target` is empty"));
    assert!(tree().error(&"x".repeat(501)).contains("longer than 500 characters"));
    assert!(tree().error(":").contains("no symbol"));
    assert!(tree().error("::").contains("no symbol"));
}

#[test]
fn an_ambiguous_call_shows_which_definition_is_which() {
    let tree = Tree::of(&[
        ("a.py", "def load():\n    pass\n\ndef one():\n    load()\n"),
        ("b.py", "def load():\n    pass\n\ndef two():\n    load()\n"),
    ]);
    let answer = tree.ask("load", RelationKind::Callers, 1).unwrap();
    let pairs: Vec<(&str, &str)> =
        answer.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    assert_eq!(pairs, [("a.py#one", "a.py#load"), ("b.py#two", "b.py#load")]);
    let locations: Vec<&str> = answer.nodes.iter().map(|node| node.location.as_str()).collect();
    assert_eq!(locations, ["a.py:1", "b.py:1", "a.py:4", "b.py:4"]);
}
