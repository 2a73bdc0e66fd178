//! The graph of small trees, asked as a client asks.

mod coordinates;
mod languages;
mod limits;
mod targets;
mod updates;

use std::{fs, path::Path};

use super::{CodeGraph, GraphResult};
use crate::code::{CodeError, GraphQuery, RelationKind};

/// A tree of a test, and its graph.
struct Tree {
    folder: tempfile::TempDir,
    graph: CodeGraph,
}

impl Tree {
    /// A tree of these files, indexed.
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            write(&root, path, text);
        }
        let graph = CodeGraph::open(&root, &folder.path().join("code.sqlite")).unwrap();
        graph.update(|_| {}).unwrap();
        Self { folder, graph }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("tree")
    }

    fn ask(&self, target: &str, kind: RelationKind, hops: u32) -> Result<GraphResult, CodeError> {
        self.ask_until(target, kind, hops, &|| false)
    }

    /// Asks with a time limit of the test's own.
    fn ask_until(
        &self,
        target: &str,
        kind: RelationKind,
        hops: u32,
        is_late: &dyn Fn() -> bool,
    ) -> Result<GraphResult, CodeError> {
        let query = GraphQuery { target: target.into(), kind, max_hops: Some(hops) };
        self.graph.query_until(&query, is_late)
    }

    /// The ids of the nodes besides those that the target names, with how each
    /// edge is known, in order.
    fn related(&self, target: &str, kind: RelationKind) -> Vec<String> {
        let answer = self.ask(target, kind, 1).unwrap();
        let mut found: Vec<String> = answer
            .edges
            .iter()
            .map(|edge| {
                let far = if kind == RelationKind::Callees { &edge.to } else { &edge.from };
                format!(
                    "{far} {}",
                    serde_json::to_value(edge.resolution).unwrap().as_str().unwrap()
                )
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn callers(&self, target: &str) -> Vec<String> {
        self.related(target, RelationKind::Callers)
    }

    fn callees(&self, target: &str) -> Vec<String> {
        self.related(target, RelationKind::Callees)
    }

    /// The places of the references to a target.
    fn references(&self, target: &str) -> Vec<String> {
        let answer = self.ask(target, RelationKind::References, 1).unwrap();
        let mut found: Vec<String> = answer.edges.into_iter().map(|edge| edge.location).collect();
        found.sort();
        found
    }

    /// The ids that a target names.
    fn defines(&self, target: &str) -> Vec<String> {
        let answer = self.ask(target, RelationKind::Defines, 1).unwrap();
        answer.nodes.into_iter().map(|node| node.id).collect()
    }

    fn error(&self, target: &str) -> String {
        self.ask(target, RelationKind::Defines, 1).unwrap_err().to_string()
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
