//! The vectors of an index in memory, for the evidence of related elements.
//!
//! sqlite-vec finds the elements nearest to a question. Ranking them also asks
//! how near their owners, their siblings and the types they return are: some
//! thousand products of two short vectors, which take a millisecond here and
//! would be as many reads of a virtual table there.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{build::floats, graph::id_at};

/// A row a definition (every element but the paths), and one a distinct name.
pub struct Vectors {
    dimensions: usize,
    elements: Vec<f32>,
    names: Vec<f32>,
    /// The row of each definition's name.
    name_rows: Vec<usize>,
}

impl Vectors {
    /// Reads the vectors of the first `definitions` elements of a file.
    pub fn load(
        connection: &Connection,
        dimensions: usize,
        definitions: usize,
    ) -> rusqlite::Result<Self> {
        let mut elements = Vec::with_capacity(dimensions * definitions);
        let mut statement =
            connection.prepare("SELECT vector FROM element_vector WHERE id <= ?1 ORDER BY id")?;
        let last = id_at(definitions).saturating_sub(1);
        let mut rows = statement.query([last])?;
        while let Some(row) = rows.next()? {
            elements.extend(floats(row.get_ref(0)?.as_blob()?));
        }
        let mut names = Vec::new();
        let mut row_of_name: HashMap<String, usize> = HashMap::new();
        let mut statement = connection.prepare("SELECT name, vector FROM name_vector")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            row_of_name.insert(row.get(0)?, row_of_name.len());
            names.extend(floats(row.get_ref(1)?.as_blob()?));
        }
        let mut statement =
            connection.prepare("SELECT name FROM element WHERE id <= ?1 ORDER BY id")?;
        let name_rows = statement
            .query_map([last], |row| {
                Ok(row_of_name.get(row.get_ref(0)?.as_str()?).copied().unwrap_or(usize::MAX))
            })?
            .collect::<Result<_, _>>()?;
        Ok(Self { dimensions, elements, names, name_rows })
    }

    /// The cosine of each definition to a question.
    pub fn cosines(&self, question: &[f32]) -> Vec<f32> {
        products(&self.elements, question, self.dimensions)
    }

    /// The cosine of each definition's name alone; 0 for a type, whose name is
    /// not embedded.
    pub fn name_cosines(&self, question: &[f32]) -> Vec<f32> {
        let of_names = products(&self.names, question, self.dimensions);
        self.name_rows.iter().map(|&row| of_names.get(row).copied().unwrap_or(0.0)).collect()
    }
}

fn products(rows: &[f32], question: &[f32], dimensions: usize) -> Vec<f32> {
    rows.chunks_exact(dimensions.max(1)).map(|row| product(row, question)).collect()
}

/// The product of two vectors of length 1 is their cosine. Eight sums side by
/// side are what a compiler turns into vector instructions.
fn product(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, a_rest) = a.as_chunks::<8>();
    let (b_chunks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        let a: Vec<f32> = (0..11_u8).map(f32::from).collect();
        let b = vec![2.0; 11];
        assert!((product(&a, &b) - 110.0).abs() < 1e-4);
        assert_eq!(products(&[1.0, 0.0, 0.0, 1.0], &[0.6, 0.8], 2), [0.6, 0.8]);
    }
}
