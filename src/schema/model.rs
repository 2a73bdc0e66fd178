//! A schema as the rest of the program sees it: named types in order, their
//! members, and the roots. Nothing here knows of a parser or of `SQLite`.

use std::collections::HashMap;

use serde_json::Value;

/// One client schema: validated, extensions merged, federation machinery gone.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The normalised SDL.
    pub sdl: String,
    /// SHA-256 of `sdl`, 64 lower-case hexadecimal digits.
    pub hash: String,
    /// The root operation types.
    pub roots: Roots,
    types: Vec<TypeDef>,
    positions: HashMap<String, usize>,
}

/// The names of the root operation types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    /// The query root, `Query` unless the schema renames it.
    pub query: Option<String>,
    /// The mutation root.
    pub mutation: Option<String>,
    /// The subscription root.
    pub subscription: Option<String>,
}

impl Roots {
    /// The names that are set: query, mutation, subscription.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.query, &self.mutation, &self.subscription]
            .into_iter()
            .filter_map(|root| root.as_deref())
    }
}

/// What a named type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `type`
    Object,
    /// `interface`
    Interface,
    /// `union`
    Union,
    /// `enum`
    Enum,
    /// `scalar`
    Scalar,
    /// `input`
    Input,
}

impl TypeKind {
    /// The word that begins such a definition in SDL.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Object => "type",
            Self::Interface => "interface",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Scalar => "scalar",
            Self::Input => "input",
        }
    }

    /// Does an operation select sub-fields of it?
    #[must_use]
    pub const fn is_composite(self) -> bool {
        matches!(self, Self::Object | Self::Interface | Self::Union)
    }

    /// Is it an interface or a union?
    #[must_use]
    pub const fn is_abstract(self) -> bool {
        matches!(self, Self::Interface | Self::Union)
    }
}

/// A named type. Lists that do not apply to its kind are empty.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// What it is.
    pub kind: TypeKind,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Fields of an object or interface.
    pub fields: Vec<FieldDef>,
    /// Fields of an input object.
    pub input_fields: Vec<InputValue>,
    /// Values of an enum.
    pub values: Vec<EnumValue>,
    /// Members of a union, in order.
    pub members: Vec<String>,
    /// Interfaces that an object or interface implements.
    pub interfaces: Vec<String>,
    /// Applied directives that a client may care about.
    pub directives: Vec<AppliedDirective>,
    /// Is it an input of which exactly one field must be given?
    pub one_of: bool,
    /// Where a custom scalar is specified.
    pub specified_by: Option<String>,
}

/// A field of an object or interface.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its arguments, in order.
    pub args: Vec<InputValue>,
    /// The type it returns.
    pub type_ref: TypeRef,
    /// Why it is deprecated, where it is.
    pub deprecation_reason: Option<String>,
    /// Applied directives that a client may care about.
    pub directives: Vec<AppliedDirective>,
}

/// An argument, or a field of an input object.
#[derive(Clone, Debug)]
pub struct InputValue {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// The type it takes.
    pub type_ref: TypeRef,
    /// The default, in GraphQL notation.
    pub default: Option<String>,
    /// Why it is deprecated, where it is.
    pub deprecation_reason: Option<String>,
    /// Applied directives that a client may care about.
    pub directives: Vec<AppliedDirective>,
}

impl InputValue {
    /// Must a caller give it (non-null and without a default)?
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.type_ref.is_non_null() && self.default.is_none()
    }
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Why it is deprecated, where it is.
    pub deprecation_reason: Option<String>,
    /// Applied directives that a client may care about.
    pub directives: Vec<AppliedDirective>,
}

/// A directive as it stands on an element.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedDirective {
    /// Its name, without the `@`.
    pub name: String,
    /// Its arguments as JSON, in order.
    pub args: serde_json::Map<String, Value>,
    /// The whole of it in SDL notation, for example `@cost(weight: 5)`: JSON
    /// alone does not tell an enum value from a string.
    pub notation: String,
}

/// A type reference in SDL notation, for example `[Employee!]!`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef(String);

impl TypeRef {
    /// Wraps SDL notation, which the parser has already checked.
    #[must_use]
    pub fn new(notation: String) -> Self {
        Self(notation)
    }

    /// The notation, for example `[Employee!]!`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The named type inside, for example `Employee`.
    #[must_use]
    pub fn named(&self) -> &str {
        Self::named_in(&self.0)
    }

    /// The named type inside SDL notation: `Employee` of `[Employee!]!`.
    #[must_use]
    pub fn named_in(notation: &str) -> &str {
        notation.trim_matches(['[', ']', '!'])
    }

    /// Is the outermost type non-null?
    #[must_use]
    pub fn is_non_null(&self) -> bool {
        self.0.ends_with('!')
    }

    /// Is it a list, nullable or not?
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.0.starts_with('[')
    }
}

impl Schema {
    /// Puts a schema together; `types` are sorted by name here.
    #[must_use]
    pub fn new(sdl: String, hash: String, roots: Roots, mut types: Vec<TypeDef>) -> Self {
        types.sort_by(|a, b| a.name.cmp(&b.name));
        let positions = types.iter().enumerate().map(|(at, ty)| (ty.name.clone(), at)).collect();
        Self { sdl, hash, roots, types, positions }
    }

    /// The three roots that the schema has: query, mutation, subscription.
    pub fn root_types(&self) -> impl Iterator<Item = &TypeDef> {
        self.roots.names().filter_map(|name| self.get(name))
    }

    /// Every named type but the built-in scalars and `__` types, by name.
    #[must_use]
    pub fn types(&self) -> &[TypeDef] {
        &self.types
    }

    /// The type of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDef> {
        self.types.get(*self.positions.get(name)?)
    }
}
