//! The schema of an index, read back from the file where an operation is to be
//! written. Searching never needs it, so it is parsed on first need and kept.

use std::{sync::OnceLock, thread};

use apollo_compiler::{Schema as Judge, validation::Valid};

use super::{Index, IndexError, IndexFile};
use crate::schema::{Schema, parse_sdl};

/// What an index keeps of its schema's text once it was asked for.
#[derive(Default)]
pub(super) struct Parsed {
    schema: OnceLock<Schema>,
    judge: OnceLock<Valid<Judge>>,
}

impl Index {
    /// The schema, and how apollo-compiler reads it. On the first call both are
    /// parsed, side by side.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read.
    pub fn parsed(&self) -> Result<(&Schema, &Valid<Judge>), IndexError> {
        if let (Some(schema), Some(judge)) = (self.parsed.schema.get(), self.parsed.judge.get()) {
            return Ok((schema, judge));
        }
        thread::scope(|scope| {
            let judge = scope.spawn(|| self.judge());
            let schema = self.schema()?;
            let judge = judge.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((schema, judge))
        })
    }

    /// The schema. Parsed on the first call, which takes some tens of
    /// milliseconds for thousands of types.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read.
    pub fn schema(&self) -> Result<&Schema, IndexError> {
        let kept = &self.parsed.schema;
        if let Some(schema) = kept.get() {
            return Ok(schema);
        }
        let schema = parse_sdl(&sdl(&self.file)?).map_err(|error| {
            self.file.damaged(&format!("the schema in it cannot be read: {error}"))
        })?;
        Ok(kept.get_or_init(|| schema))
    }

    /// The schema as apollo-compiler reads it, a second implementation that
    /// judges operations. Parsed on the first call.
    ///
    /// A schema that it refuses (a subgraph without queries) still judges as
    /// far as it was understood: an operation that needs the rest is refused.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read.
    pub fn judge(&self) -> Result<&Valid<Judge>, IndexError> {
        let kept = &self.parsed.judge;
        if let Some(judge) = kept.get() {
            return Ok(judge);
        }
        let judge =
            Judge::parse_and_validate(sdl(&self.file)?, "schema.graphql").unwrap_or_else(|refused| {
                tracing::warn!(errors = %refused.errors, "the schema is not valid in the eyes of apollo-compiler");
                Valid::assume_valid(refused.partial)
            });
        Ok(kept.get_or_init(|| judge))
    }
}

fn sdl(file: &IndexFile) -> Result<String, IndexError> {
    file.read(|connection| {
        connection.query_row("SELECT sdl FROM schema_text", [], |row| row.get(0))
    })
}
