//! `query_graph`.
