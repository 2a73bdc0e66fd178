//! One link of an expression, as the grammars of all languages write it. What a
//! kind of node is called in one grammar, it is called in no other for something
//! else.

use tree_sitter::Node;

use super::{SELF, SUPER, UNKNOWN, dotted, text, type_name};

/// One link of an expression, seen from its outermost node.
pub(super) enum Link<'t> {
    /// The expression ends here.
    Head(String),
    /// What is around the inner node changes nothing.
    Through(Node<'t>),
    /// The member of an object, or of a path.
    Member(Node<'t>, Node<'t>),
    /// A call of the inner node.
    Call(Node<'t>),
    /// A call of a member.
    Method(Option<Node<'t>>, Node<'t>),
}

/// The outermost link.
pub(super) fn link<'t>(node: Node<'t>, source: &str) -> Link<'t> {
    name(node, source)
        .map(Link::Head)
        .or_else(|| wrapped(node).map(Link::Through))
        .or_else(|| member(node, source))
        .or_else(|| call(node))
        .or_else(|| typed(node, source).map(Link::Head))
        .unwrap_or_else(|| Link::Head(UNKNOWN.to_owned()))
}

/// A name alone.
fn name(node: Node<'_>, source: &str) -> Option<String> {
    let name = text(node, source);
    let in_path = || node.parent().is_some_and(|parent| parent.kind().starts_with("scoped_"));
    Some(match node.kind() {
        "variable_name" if name == "$this" => SELF.to_owned(),
        "identifier"
        | "type_identifier"
        | "constant"
        | "name"
        | "package_identifier"
        | "shorthand_property_identifier"
        | "namespace_identifier"
        | "variable_name"
        | "crate" => name.to_owned(),
        "relative_scope" if name == "parent" => SUPER.to_owned(),
        "self" if in_path() => "self::".to_owned(),
        "super" if in_path() => "super::".to_owned(),
        "self" | "this" | "this_expression" | "relative_scope" => SELF.to_owned(),
        "super" | "base" | "super_expression" | "base_expression" => SUPER.to_owned(),
        "instance_variable" => format!("{SELF}.{name}"),
        "qualified_name" if node.child_by_field_name("name").is_none() => dotted(name),
        "namespace_name" => dotted(name),
        _ => return None,
    })
}

/// The node inside one that changes nothing.
fn wrapped(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "generic_function" => node.child_by_field_name("function"),
        "generic_type" | "generic_type_with_turbofish" => node.child_by_field_name("type"),
        "reference_expression" => node.child_by_field_name("value"),
        "try_expression"
        | "await_expression"
        | "parenthesized_expression"
        | "unary_expression"
        | "non_null_expression"
        | "await"
        | "parenthesized_statements"
        | "satisfies_expression"
        | "expression_list"
        | "generic_name" => node.named_child(0),
        "user_type" => last(node),
        _ => None,
    }
}

/// A member of an object or a path; without one, the name alone.
fn member<'t>(node: Node<'t>, source: &str) -> Option<Link<'t>> {
    let field = |name: &str| node.child_by_field_name(name);
    let (object, name) = match node.kind() {
        "field_expression" => ("value", "field"),
        "scoped_identifier" | "scoped_type_identifier" if field("path").is_some() => {
            ("path", "name")
        }
        "member_expression" => ("object", "property"),
        "attribute" => ("object", "attribute"),
        "selector_expression" => ("operand", "field"),
        "scope_resolution" => ("scope", "name"),
        "field_access" => ("object", "field"),
        "member_access_expression" if field("expression").is_some() => ("expression", "name"),
        "member_access_expression" | "nullsafe_member_access_expression" => ("object", "name"),
        "qualified_name" => ("qualifier", "name"),
        // Kotlin's grammar names no parts.
        "navigation_expression" => {
            let (object, name) = (node.named_child(0)?, last(node)?);
            return (object.id() != name.id()).then_some(Link::Member(object, name));
        }
        _ => return None,
    };
    let name = field(name)?;
    Some(match field(object) {
        Some(object) => Link::Member(object, name),
        None => Link::Head(text(name, source).to_owned()),
    })
}

/// A call, of a member or of anything else.
fn call(node: Node<'_>) -> Option<Link<'_>> {
    let field = |name: &str| node.child_by_field_name(name);
    let (object, name) = match node.kind() {
        "call_expression" | "call" | "invocation_expression" | "function_call_expression"
            if field("function").is_some() =>
        {
            return field("function").map(Link::Call);
        }
        "call_expression" => return node.named_child(0).map(Link::Call),
        "call" => ("receiver", "method"),
        "method_invocation" | "member_call_expression" | "nullsafe_member_call_expression" => {
            ("object", "name")
        }
        "scoped_call_expression" => ("scope", "name"),
        _ => return None,
    };
    Some(Link::Method(field(object), field(name)?))
}

/// An expression that names the type of its value: a literal, a cast, `new`.
fn typed(node: Node<'_>, source: &str) -> Option<String> {
    let field = |name: &str| node.child_by_field_name(name);
    let named = match node.kind() {
        "struct_expression" => field("name"),
        "as_expression"
        | "type_cast_expression"
        | "cast_expression"
        | "type_conversion_expression"
        | "type_assertion_expression" => field("type").or_else(|| last(node)),
        "new_expression" => field("constructor"),
        "object_creation_expression" => field("type").or_else(|| node.named_child(0)),
        // A literal says its type in Go: `&Engine{…}`.
        "composite_literal" => field("type"),
        _ => None,
    };
    named.and_then(|named| type_name(named, source)).map(|name| format!("<{name}>"))
}

fn last(node: Node<'_>) -> Option<Node<'_>> {
    let last = node.named_child_count().checked_sub(1)?;
    node.named_child(u32::try_from(last).ok()?)
}
