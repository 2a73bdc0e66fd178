//! What can be found: kinds, coordinates and elements.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::TypeKind;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An object type, the roots included.
    Object,
    /// An interface type.
    Interface,
    /// A union type.
    Union,
    /// An enum type.
    Enum,
    /// A custom scalar type.
    Scalar,
    /// An input object type.
    Input,
    /// A field of an object or an interface.
    Field,
    /// A field of an input object.
    InputField,
    /// A route of fields from a root to a composite type.
    Path,
}

impl Kind {
    /// Every kind, in the order in which kinds are listed to people.
    pub const ALL: [Self; 9] = [
        Self::Object,
        Self::Interface,
        Self::Union,
        Self::Enum,
        Self::Scalar,
        Self::Input,
        Self::Field,
        Self::InputField,
        Self::Path,
    ];

    /// The kind as it is spelled on the wire, for example `input_field`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Interface => "interface",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Scalar => "scalar",
            Self::Input => "input",
            Self::Field => "field",
            Self::InputField => "input_field",
            Self::Path => "path",
        }
    }

    /// The kind's place in [`Kind::ALL`], which stands for it among vectors:
    /// numbers are compared faster than words.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Is this a named type (rather than a member of one, or a path)?
    #[must_use]
    pub const fn is_type(self) -> bool {
        !matches!(self, Self::Field | Self::InputField | Self::Path)
    }
}

/// A plain list of words: what every client understands, at the least cost of
/// tokens.
impl JsonSchema for Kind {
    fn schema_name() -> Cow<'static, str> {
        "Kind".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL })
    }
}

impl From<TypeKind> for Kind {
    fn from(kind: TypeKind) -> Self {
        match kind {
            TypeKind::Object => Self::Object,
            TypeKind::Interface => Self::Interface,
            TypeKind::Union => Self::Union,
            TypeKind::Enum => Self::Enum,
            TypeKind::Scalar => Self::Scalar,
            TypeKind::Input => Self::Input,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

/// A word that names none of the nine kinds.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a kind; the kinds are object, interface, union, enum, scalar, input, field, input_field and path"
)]
pub struct UnknownKind(String);

/// One thing that can be found in a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The element's only name: `kind:Type` or `kind:Type.member`.
    pub coordinate: String,
    /// Which of the nine kinds it is.
    pub kind: Kind,
    /// The type's or the member's own name; the last field's for a path.
    pub name: String,
    /// The coordinate of the type that holds a member, for example
    /// `object:Query`; the root's for a path; none for a type.
    pub parent: Option<String>,
    /// The type of a member, or the type that a path leads to, in SDL notation.
    pub type_ref: Option<String>,
    /// The schema's own description.
    pub description: Option<String>,
    /// Why the element is deprecated, where it is.
    pub deprecation_reason: Option<String>,
    /// Does the field return a Relay connection?
    pub paginated: bool,
    /// Fields between a root type and the element's owner (0 for the fields of
    /// a root type, and for the roots themselves); none where no root leads
    /// there. The number of fields for a path.
    pub depth: Option<u32>,
    /// All that is known of the element, with `PascalCase` keys.
    pub record: Value,
}
