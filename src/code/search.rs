//! `search_code`.
