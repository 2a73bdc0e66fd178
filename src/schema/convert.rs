//! graphql-parser's syntax tree to definitions.

use graphql_parser::schema::{self as ast, Definition, TypeDefinition, TypeExtension};
use serde_json::Map;

use super::{
    definitions::{Definitions, DirectiveDef},
    model::{AppliedDirective, EnumValue, FieldDef, InputValue, TypeDef, TypeKind, TypeRef},
    value,
};

/// The reason of a `@deprecated` that gives none, by the specification.
pub(super) const NO_REASON: &str = "No longer supported";

// The parser's types, borrowing from the source.
type ParsedSchema<'a> = ast::SchemaDefinition<'a, &'a str>;
type ParsedType<'a> = TypeDefinition<'a, &'a str>;
type ParsedDirectiveDef<'a> = ast::DirectiveDefinition<'a, &'a str>;
type ParsedField<'a> = ast::Field<'a, &'a str>;
type ParsedInput<'a> = ast::InputValue<'a, &'a str>;
type ParsedValue<'a> = ast::EnumValue<'a, &'a str>;
type ParsedTypeRef<'a> = ast::Type<'a, &'a str>;
type Applied<'a> = ast::Directive<'a, &'a str>;

/// The definitions of a document, in its order.
pub(super) fn definitions<'a>(document: ast::Document<'a, &'a str>) -> Definitions {
    let mut definitions = Definitions::default();
    for definition in document.definitions {
        match definition {
            Definition::SchemaDefinition(schema) => add_schema(&mut definitions, &schema),
            Definition::TypeDefinition(defined) => definitions.types.push(type_def(defined)),
            Definition::TypeExtension(extension) => {
                definitions.extensions.push(type_def(as_definition(extension)));
            }
            Definition::DirectiveDefinition(directive) => {
                definitions.directives.push(directive_def(directive));
            }
        }
    }
    definitions
}

fn add_schema(definitions: &mut Definitions, schema: &ParsedSchema<'_>) {
    let set = |root: &mut Option<String>, name: Option<&str>| {
        if root.is_none() {
            *root = name.map(str::to_owned);
        }
    };
    set(&mut definitions.roots.query, schema.query);
    set(&mut definitions.roots.mutation, schema.mutation);
    set(&mut definitions.roots.subscription, schema.subscription);
    definitions.links.extend(directives(&schema.directives));
}

/// An extension as the definition with the same contents.
fn as_definition<'a>(extension: TypeExtension<'a, &'a str>) -> TypeDefinition<'a, &'a str> {
    match extension {
        TypeExtension::Scalar(it) => {
            let mut defined = ast::ScalarType::new(it.name);
            defined.directives = it.directives;
            TypeDefinition::Scalar(defined)
        }
        TypeExtension::Object(it) => {
            let mut defined = ast::ObjectType::new(it.name);
            defined.implements_interfaces = it.implements_interfaces;
            defined.directives = it.directives;
            defined.fields = it.fields;
            TypeDefinition::Object(defined)
        }
        TypeExtension::Interface(it) => {
            let mut defined = ast::InterfaceType::new(it.name);
            defined.implements_interfaces = it.implements_interfaces;
            defined.directives = it.directives;
            defined.fields = it.fields;
            TypeDefinition::Interface(defined)
        }
        TypeExtension::Union(it) => {
            let mut defined = ast::UnionType::new(it.name);
            defined.directives = it.directives;
            defined.types = it.types;
            TypeDefinition::Union(defined)
        }
        TypeExtension::Enum(it) => {
            let mut defined = ast::EnumType::new(it.name);
            defined.directives = it.directives;
            defined.values = it.values;
            TypeDefinition::Enum(defined)
        }
        TypeExtension::InputObject(it) => {
            let mut defined = ast::InputObjectType::new(it.name);
            defined.directives = it.directives;
            defined.fields = it.fields;
            TypeDefinition::InputObject(defined)
        }
    }
}

fn type_def(defined: ParsedType<'_>) -> TypeDef {
    let header = |kind, name: &str, description, applied: &[Applied<'_>]| TypeDef {
        kind,
        name: name.to_owned(),
        description: stated(description),
        fields: Vec::new(),
        input_fields: Vec::new(),
        values: Vec::new(),
        members: Vec::new(),
        interfaces: Vec::new(),
        directives: directives(applied),
        one_of: applied.iter().any(|directive| directive.name == "oneOf"),
        specified_by: argument(applied, "specifiedBy", "url"),
    };
    match defined {
        TypeDefinition::Scalar(it) => {
            header(TypeKind::Scalar, it.name, it.description, &it.directives)
        }
        TypeDefinition::Object(it) => TypeDef {
            fields: fields(it.fields),
            interfaces: names(&it.implements_interfaces),
            ..header(TypeKind::Object, it.name, it.description, &it.directives)
        },
        TypeDefinition::Interface(it) => TypeDef {
            fields: fields(it.fields),
            interfaces: names(&it.implements_interfaces),
            ..header(TypeKind::Interface, it.name, it.description, &it.directives)
        },
        TypeDefinition::Union(it) => TypeDef {
            members: names(&it.types),
            ..header(TypeKind::Union, it.name, it.description, &it.directives)
        },
        TypeDefinition::Enum(it) => TypeDef {
            values: values(it.values),
            ..header(TypeKind::Enum, it.name, it.description, &it.directives)
        },
        TypeDefinition::InputObject(it) => TypeDef {
            input_fields: inputs(it.fields),
            ..header(TypeKind::Input, it.name, it.description, &it.directives)
        },
    }
}

fn directive_def(it: ParsedDirectiveDef<'_>) -> DirectiveDef {
    DirectiveDef {
        name: it.name.to_owned(),
        description: stated(it.description),
        args: inputs(it.arguments),
        repeatable: it.repeatable,
        locations: it.locations.iter().map(|location| location.as_str().to_owned()).collect(),
    }
}

fn fields(fields: Vec<ParsedField<'_>>) -> Vec<FieldDef> {
    fields
        .into_iter()
        .map(|it| FieldDef {
            name: it.name.to_owned(),
            description: stated(it.description),
            args: inputs(it.arguments),
            type_ref: type_ref(&it.field_type),
            deprecation_reason: deprecation(&it.directives),
            directives: directives(&it.directives),
        })
        .collect()
}

fn inputs(inputs: Vec<ParsedInput<'_>>) -> Vec<InputValue> {
    inputs
        .into_iter()
        .map(|it| InputValue {
            name: it.name.to_owned(),
            description: stated(it.description),
            type_ref: type_ref(&it.value_type),
            default: it.default_value.as_ref().map(value::notation),
            deprecation_reason: deprecation(&it.directives),
            directives: directives(&it.directives),
        })
        .collect()
}

fn values(values: Vec<ParsedValue<'_>>) -> Vec<EnumValue> {
    values
        .into_iter()
        .map(|it| EnumValue {
            name: it.name.to_owned(),
            description: stated(it.description),
            deprecation_reason: deprecation(&it.directives),
            directives: directives(&it.directives),
        })
        .collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A description that says something.
fn stated(description: Option<String>) -> Option<String> {
    description.filter(|text| !text.trim().is_empty())
}

fn type_ref(parsed: &ParsedTypeRef<'_>) -> TypeRef {
    TypeRef::new(parsed.to_string())
}

fn deprecation(applied: &[Applied<'_>]) -> Option<String> {
    applied
        .iter()
        .any(|directive| directive.name == "deprecated")
        .then(|| argument(applied, "deprecated", "reason").unwrap_or_else(|| NO_REASON.to_owned()))
}

/// A string argument of an applied directive.
fn argument(applied: &[Applied<'_>], directive: &str, name: &str) -> Option<String> {
    let directive = applied.iter().find(|it| it.name == directive)?;
    match directive.arguments.iter().find(|(argument, _)| *argument == name)? {
        (_, ast::Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The applied directives but those that have a place of their own in the model.
fn directives(applied: &[Applied<'_>]) -> Vec<AppliedDirective> {
    applied
        .iter()
        .filter(|it| !matches!(it.name, "deprecated" | "oneOf" | "specifiedBy"))
        .map(|it| {
            let mut args = Map::new();
            let mut notations = Vec::new();
            for (name, argument) in &it.arguments {
                notations.push(format!("{name}: {}", value::notation(argument)));
                args.insert((*name).to_owned(), value::json(argument));
            }
            let listed = notations.join(", ");
            let notation = if listed.is_empty() {
                format!("@{}", it.name)
            } else {
                format!("@{}({listed})", it.name)
            };
            AppliedDirective { name: it.name.to_owned(), args, notation }
        })
        .collect()
}
