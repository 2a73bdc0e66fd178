//! `get_symbols`: one keyed look-up.

use std::collections::HashMap;

use super::{Index, IndexError};
use crate::discovery::{Record, Symbol};

impl Index {
    /// The records of these coordinates, in their order; those that the index
    /// does not hold are left out. One statement, whatever their number.
    ///
    /// # Errors
    /// [`IndexError`] where the file cannot be read.
    pub fn symbols(&self, coordinates: &[String]) -> Result<Vec<Symbol>, IndexError> {
        let real: Vec<String> =
            coordinates.iter().map(|coordinate| self.graph.resolve(coordinate)).collect();
        let records = self.records(&real)?;
        let found = coordinates.iter().zip(&real).filter_map(|(asked, real)| {
            Some(Symbol { coordinate: asked.clone(), record: records.get(real)?.clone() })
        });
        Ok(found.collect())
    }

    /// The record of each coordinate that the index holds.
    pub(super) fn records(
        &self,
        coordinates: &[String],
    ) -> Result<HashMap<String, Record>, IndexError> {
        let keys = serde_json::Value::from(coordinates).to_string();
        let texts: Vec<(String, String)> = self.file.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT coordinate, record FROM element
                 WHERE coordinate IN (SELECT value FROM json_each(:coordinates))",
            )?;
            let rows = statement
                .query_map(rusqlite::named_params! { ":coordinates": keys }, |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            rows.collect()
        })?;
        texts
            .into_iter()
            .map(|(coordinate, text)| {
                let record = serde_json::from_str(&text).map_err(|error| {
                    self.file.damaged(&format!("the record of {coordinate} is no JSON: {error}"))
                })?;
                Ok((coordinate, record))
            })
            .collect()
    }
}
