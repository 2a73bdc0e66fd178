//! What an expression or a type says about itself, as a short text that can be
//! followed later, when the definitions of all files are known.
//!
//! A [`trail`] is a head and steps from it: `self.store.get()` reads as it
//! stands, `<Engine>.run` is the member `run` of a value of type `Engine`,
//! `Engine.new()` what calling `new` of `Engine` gives, and `?` is unknown. Paths
//! (`a::b`, `A\B`) are written with dots.

mod link;

use tree_sitter::Node;

use link::{Link, link};

/// A value of which nothing is known.
pub const UNKNOWN: &str = "?";
/// The value that a method belongs to, or its type.
pub const SELF: &str = "self";
/// What the type of the method builds on.
pub const SUPER: &str = "super";

/// More steps than people write; a chain of a builder may be longer, and what
/// it gives at its end can seldom be said.
const MAX_STEPS: usize = 12;
/// More than a path with a handful of names; a longer one is generated code.
const MAX_BYTES: usize = 160;
/// Wrappers around a type whose members one mostly reaches through them.
const TRANSPARENT: [&str; 22] = [
    "Box",
    "Arc",
    "Rc",
    "Option",
    "Result",
    "Ref",
    "RefMut",
    "MutexGuard",
    "Pin",
    "LazyLock",
    "OnceLock",
    "Promise",
    "Awaited",
    "Readonly",
    "Partial",
    "Required",
    "Optional",
    "Type",
    "Task",
    "ValueTask",
    "Annotated",
    "Lazy",
];
/// Methods that hand on what they are called on, or what it wraps.
const HANDS_ON: [&str; 20] = [
    "unwrap",
    "expect",
    "unwrap_or_default",
    "as_ref",
    "as_mut",
    "clone",
    "to_owned",
    "borrow",
    "borrow_mut",
    "lock",
    "as_deref",
    "as_deref_mut",
    "context",
    "with_context",
    "unwrap_or_else",
    "ok_or_else",
    "ok_or",
    "map_err",
    "ok",
    "into_inner",
];

/// The text of a node.
#[must_use]
pub fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The trail of an expression. `bound` says what a local name stands for.
#[must_use]
pub fn trail(node: Node<'_>, source: &str, bound: &dyn Fn(&str) -> Option<String>) -> String {
    let mut steps: Vec<(&str, bool)> = Vec::new();
    let mut node = node;
    let mut called = false;
    let head = loop {
        if steps.len() > MAX_STEPS {
            break UNKNOWN.to_owned();
        }
        match link(node, source) {
            Link::Head(head) => {
                let head = bound(&head).unwrap_or(head);
                break if called && head != UNKNOWN { format!("{head}()") } else { head };
            }
            Link::Through(inner) => node = inner,
            Link::Call(inner) => {
                called = true;
                node = inner;
            }
            Link::Member(object, name) => {
                steps.push((text(name, source), std::mem::take(&mut called)));
                node = object;
            }
            Link::Method(object, name) => {
                let name = text(name, source);
                let Some(object) = object else { break format!("{name}()") };
                steps.push((name, true));
                node = object;
            }
        }
    };
    write(head, steps)
}

fn write(head: String, steps: Vec<(&str, bool)>) -> String {
    if head == UNKNOWN {
        return head;
    }
    let mut trail = head;
    for (name, called) in steps.into_iter().rev() {
        if called && HANDS_ON.contains(&name) {
            continue;
        }
        // What `new Foo` and `Foo.new` make is a value of the type.
        trail.push('.');
        trail.push_str(name.trim_start_matches(['$', '#']));
        if called {
            trail.push_str("()");
        }
    }
    if trail.len() > MAX_BYTES || trail.contains(char::is_whitespace) {
        return UNKNOWN.to_owned();
    }
    trail
}

/// A path with any separator, written with dots.
#[must_use]
pub fn dotted(path: &str) -> String {
    path.replace("::", ".").replace(['\\', '/'], ".").trim_start_matches('.').to_owned()
}

/// The name of the type that a type expression comes to: references, wrappers
/// such as `Option` or `Promise`, and arguments are left out. `None` where it
/// has no name, a tuple or a function.
#[must_use]
pub fn type_name(node: Node<'_>, source: &str) -> Option<String> {
    let mut node = node;
    for _ in 0..MAX_STEPS {
        let field = |name: &str| node.child_by_field_name(name);
        let first = || node.named_child(0);
        node = match node.kind() {
            "type_identifier" | "identifier" | "name" | "constant" | "package_identifier"
            | "this_type" => {
                let name = text(node, source);
                return Some(if name == "Self" || name == "static" || name == "this" {
                    SELF.to_owned()
                } else {
                    name.to_owned()
                });
            }
            "scoped_type_identifier"
            | "scoped_identifier"
            | "nested_type_identifier"
            | "qualified_type"
            | "qualified_name"
            | "attribute"
            | "scope_resolution"
            | "member_expression"
            | "nested_identifier"
            | "selector_expression" => {
                let name = dotted(text(node, source));
                return (!name.contains(['<', '(', ' ', '[', '\n'])).then_some(name);
            }
            "user_type"
                if node.named_child_count() > 1
                    && node.named_child(1).is_some_and(|child| child.kind() == "identifier") =>
            {
                let name = text(node, source).split('<').next().unwrap_or_default();
                return Some(name.to_owned());
            }
            "generic_type" | "generic_name" | "subscript" | "user_type" => {
                let name = field("type")
                    .or_else(|| field("name"))
                    .or_else(|| field("value"))
                    .or_else(first)?;
                let last = text(name, source).rsplit(['.', ':']).next().unwrap_or_default();
                if TRANSPARENT.contains(&last) { inner(node)? } else { name }
            }
            "reference_type" | "pointer_type" if field("type").is_some() => field("type")?,
            "dynamic_type" | "abstract_type" => field("trait")?,
            "optional_type" | "nullable_type" => field("type").or_else(first)?,
            "binary_operator" => field("left")?,
            // A Go function that gives several gives its value first.
            "parameter_list" => {
                let first = first()?;
                first.child_by_field_name("type").unwrap_or(first)
            }
            "string" => {
                let name = text(node, source).trim_matches(['"', '\'']);
                let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                return plain.then(|| name.to_owned());
            }
            "type"
            | "type_annotation"
            | "pointer_type"
            | "parenthesized_type"
            | "named_type"
            | "readonly_type"
            | "trait_bounds"
            | "bounded_type"
            | "higher_ranked_trait_bound"
            | "non_nullable_type"
            | "constraint"
            | "parenthesized_expression"
            | "union_type"
            | "ref_type" => first()?,
            _ => return None,
        };
    }
    None
}

/// The first argument of a generic type.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(subscript) = node.child_by_field_name("subscript") {
        return Some(subscript);
    }
    let mut cursor = node.walk();
    let arguments = node.named_children(&mut cursor).find(|child| {
        matches!(child.kind(), "type_arguments" | "type_argument_list" | "type_parameter")
    })?;
    let mut cursor = arguments.walk();
    let first = arguments.named_children(&mut cursor).find(|child| child.kind() != "lifetime")?;
    Some(if first.kind() == "type_projection" { first.named_child(0)? } else { first })
}
