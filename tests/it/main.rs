//! The binary, driven as a person or an MCP client would drive it.
//!
//! Each test works in a folder of its own with an environment of its own, and
//! waits for what it expects rather than for time to pass. The harness holds
//! the little that they share.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where it finds something wrong; clippy.toml allows that inside of test functions only"
)]

mod adapter;
mod bad_input;
mod cache;
mod cases;
mod cli;
mod code;
mod config;
mod corpus;
mod environment;
mod generate;
mod harness;
mod http;
mod index_files;
mod llm;
mod model;
mod oauth;
mod protocol;
mod quality;
mod served;
mod service;
mod sources;
mod standalone;
mod tools;
mod watching;
