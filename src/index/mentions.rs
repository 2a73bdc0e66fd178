//! Is a word there at all?

use super::{Index, IndexError};

impl Index {
    /// Does any element have the word, in a name or a description?
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read.
    pub(crate) fn mentions(&self, word: &str) -> Result<bool, IndexError> {
        let quoted = format!("\"{}\"", word.replace('"', ""));
        self.file.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM element_words WHERE element_words MATCH :word)",
            )?;
            statement.query_row(rusqlite::named_params! { ":word": quoted }, |row| row.get(0))
        })
    }

    /// Does the vocabulary know a near word for it that any element has?
    ///
    /// # Errors
    /// As [`Index::mentions`].
    pub(crate) fn mentions_near(&self, word: &super::Word) -> Result<bool, IndexError> {
        for (near, _) in self.vocabulary.near(word) {
            if self.mentions(&near.text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
