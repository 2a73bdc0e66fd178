//! `search_schema`.
use super::{Index, IndexError, build::bytes};
use crate::{discovery::{SearchRequest, SearchResponse, Hit, DEFAULT_LIMIT}, embedding::Embedder};
impl Index {
    /// Ranks.
    /// # Errors
    /// x
    pub fn search(&self, request: &SearchRequest, embedder: &Embedder) -> Result<SearchResponse, IndexError> {
        let v = embedder.embed_question(&request.query)?;
        let rows: Vec<(i64, f64)> = self.file.read(|c| {
            let mut s = c.prepare_cached("SELECT id, distance FROM element_vector WHERE vector MATCH ?1 AND k = ?2")?;
            s.query_map(rusqlite::params![bytes(&v), request.limit.unwrap_or(DEFAULT_LIMIT)], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
        })?;
        let coordinates: Vec<String> = rows.iter().filter_map(|(id, _)| Some(self.graph.get(*id as usize - 1)?.coordinate.to_string())).collect();
        let records = self.records(&coordinates)?;
        Ok(SearchResponse { hits: coordinates.into_iter().zip(rows).filter_map(|(c, (_, d))| Some(Hit { record: records.get(&c)?.clone(), coordinate: c, score: 1.0 - d })).collect() })
    }
}
