//! SDL in, elements out.
//!
//! [`Source`] is where a schema comes from: a file, a folder, standard input or
//! a live endpoint, holding SDL, an introspection result or a router's
//! execution config. [`load`] reads it into a [`Schema`]: extensions merged,
//! references checked, federation machinery gone, and a normalised SDL whose
//! hash names the schema. [`elements`] lists what can be found in it, each
//! [`Element`] with its record.
//!
//! The room is pure but for the reading in [`load`], and knows nothing of
//! `SQLite`. Its input is hostile: sizes, depths and names are limited before
//! anything is built from them, and no walk recurses on a depth that the input
//! chooses beyond [`MAX_DEPTH`].

mod connection;
mod convert;
mod definitions;
mod depth;
mod element;
mod endpoint;
mod error;
mod introspection;
mod model;
mod operation;
mod parse;
mod print;
#[cfg(test)]
mod real_schemas;
mod record;
mod rewrite;
mod route;
mod source;
mod supergraph;
mod token;
mod value;

pub use element::{Element, Kind, UnknownKind};
pub use error::SchemaError;
pub use model::{
    AppliedDirective, EnumValue, FieldDef, InputValue, Roots, Schema, TypeDef, TypeKind, TypeRef,
};
pub use record::elements;
pub use source::{Headers, MAX_SOURCE_BYTES, Source, load};
pub use token::MAX_DEPTH;
pub use value::json_of;

/// Reads SDL that is already in memory.
///
/// # Errors
///
/// Where the text is too large, has a syntax error, defines no types, or refers
/// to types that it does not define.
pub fn parse_sdl(sdl: &str) -> Result<Schema, SchemaError> {
    definitions::assemble("the SDL", vec![parse::definitions("the SDL", sdl)?])
}
