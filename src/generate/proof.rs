//! Nothing leaves that a second implementation of GraphQL does not accept.

use apollo_compiler::{ExecutableDocument, Schema, validation::Valid};

/// Why a document is not valid: apollo-compiler's diagnostics.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

/// Judges a document against the schema; see [`crate::index::Index::judge`].
#[tracing::instrument(name = "proof", level = "debug", skip_all)]
pub fn prove(judge: &Valid<Schema>, document: &str) -> Result<(), Refused> {
    ExecutableDocument::parse_and_validate(judge, document, "operation.graphql")
        .map(|_| ())
        .map_err(|refused| Refused(refused.errors.to_string()))
}
