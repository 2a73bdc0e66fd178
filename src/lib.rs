//! Sextant lets an agent find its way in a GraphQL graph that is too large to
//! read.
//!
//! A schema goes in; one immutable `SQLite` file comes out, with every element
//! as a row, its words in FTS5 and its meaning, a vector, in sqlite-vec. The
//! file answers what there is about a topic, and what exactly a coordinate is.
//!
//! The rooms, each depending only on those above it:
//!
//! - [`schema`]: SDL in, elements out;
//! - [`embedding`]: text in, unit vectors out;
//! - [`discovery`]: the contract, one set of requests and responses for all;
//! - [`index`]: the file, built, searched and read;
//! - [`generate`]: operations, planned over the index and proved;
//! - [`engine`]: an index and its model, which answer together;
//! - [`local`]: all of it in one process, following a schema that changes;
//! - [`service`]: many graphs behind HTTP;
//! - [`remote`]: such a service, followed by a schema that changes;
//! - [`code`]: the code behind a graph: text search, and who calls whom;
//! - [`mcp`]: the tools over MCP;
//! - [`eval`]: how well search and generation do, on questions whose answers are
//!   known;
//! - [`config`] and [`cli`]: flags and the terminal.
//!
//! ```
//! use sextant::{
//!     discovery::SearchRequest,
//!     embedding::{Embedder, ModelSource},
//!     index::{Index, Order, build},
//!     schema,
//! };
//!
//! let schema = schema::parse_sdl(
//!     "type Query { employees: [Employee!]! }
//!      type Employee { id: ID!, currentMood: Mood }
//!      enum Mood { HAPPY SAD }",
//! )?;
//! let embedder = Embedder::load(&ModelSource::Bundled)?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("employees.sqlite");
//! let order = Order {
//!     schema: &schema,
//!     source: "employees",
//!     embedder: &embedder,
//!     previous: None,
//!     path: &path,
//! };
//! build(order, |_| {})?;
//!
//! let index = Index::open(&path)?;
//! let answer = index.search(&SearchRequest::new("how somebody feels"), &embedder)?;
//! assert_eq!(answer.hits[0].coordinate, "field:Employee.currentMood");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
pub mod code;
pub mod config;
pub mod discovery;
pub mod embedding;
pub mod engine;
pub mod eval;
pub mod generate;
pub mod index;
pub mod local;
pub mod mcp;
pub mod remote;
pub mod schema;
pub mod service;
mod tls;
mod watch;
