//! Questions whose answers are known: lines of JSON.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use serde::Deserialize;

/// A question with its answers.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// The schema that it is about.
    pub schema: String,
    /// The question.
    #[serde(alias = "prompt")]
    pub query: String,
    /// What search should find, where the question is a prompt.
    #[serde(flatten)]
    pub targets: Option<Targets>,
    /// What search should find, where the question is a topic.
    #[serde(flatten)]
    pub topic: Option<Topic>,
    /// What an operation that answers it has.
    #[serde(flatten)]
    pub reference: Option<Reference>,
}

/// The fields and types of an operation, without their kinds.
#[derive(Clone, Debug, Deserialize)]
pub struct Targets {
    /// `Type.field` each.
    #[serde(rename = "targetFields")]
    pub fields: Vec<String>,
    /// A type's name each.
    #[serde(rename = "targetTypes")]
    pub types: Vec<String>,
}

/// Graded coordinates.
#[derive(Clone, Debug, Deserialize)]
pub struct Topic {
    /// Grades by coordinate, 3 for an answer.
    pub relevant: BTreeMap<String, u8>,
    /// Do query and answer share no word?
    #[serde(default)]
    pub mismatch: bool,
}

/// A reference operation, as the coordinates of its fields.
#[derive(Clone, Debug, Deserialize)]
pub struct Reference {
    #[serde(rename = "root_fields")]
    roots: Vec<String>,
    #[serde(rename = "used_coordinates")]
    used: Vec<String>,
}

impl Row {
    /// Is there anything that search should find?
    #[must_use]
    pub const fn is_of_search(&self) -> bool {
        self.targets.is_some() || self.topic.is_some()
    }
}

impl Reference {
    /// Its root fields, `Type.field` each.
    #[must_use]
    pub fn roots(&self) -> BTreeSet<&str> {
        self.roots.iter().map(|coordinate| bare(coordinate)).collect()
    }

    /// All its fields, `Type.field` each.
    #[must_use]
    pub fn used(&self) -> BTreeSet<&str> {
        self.used.iter().map(|coordinate| bare(coordinate)).collect()
    }
}

/// Reads the rows of a folder, in the order of files and lines; lines of another
/// form are left out.
///
/// # Errors
/// Where the folder or a file cannot be read.
pub fn read_rows(folder: &Path) -> io::Result<Vec<Row>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        let read = text.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
        rows.extend(read.filter(|row| row.is_of_search() || row.reference.is_some()));
    }
    Ok(rows)
}

/// `Employee.details` of `field:Employee.details`.
pub(super) fn bare(coordinate: &str) -> &str {
    coordinate.split_once(':').map_or(coordinate, |(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_by_their_form() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("rows.jsonl"),
            r#"{"schema": "s", "query": "q", "targetFields": ["A.a"], "targetTypes": [], "root_fields": ["field:Q.a"], "used_coordinates": ["field:Q.a"]}
{"schema": "s", "query": "q", "relevant": {"field:A.a": 3}}
{"schema": "s", "prompt": "p", "root_fields": ["field:Q.a"], "used_coordinates": ["field:Q.a", "A.b"], "level": 1}
{"schema": "s", "prompt": "of another form"}"#,
        )
        .unwrap();
        let rows = read_rows(folder.path()).unwrap();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].targets.is_some() && rows[0].reference.is_some());
        assert!(rows[1].topic.as_ref().is_some_and(|topic| !topic.mismatch));
        assert_eq!((rows[2].query.as_str(), rows[2].is_of_search()), ("p", false));
        let reference = rows[2].reference.as_ref().unwrap();
        assert_eq!(reference.used(), BTreeSet::from(["A.b", "Q.a"]));
        assert_eq!(reference.roots(), BTreeSet::from(["Q.a"]));
    }
}
