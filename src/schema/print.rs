//! The normalised SDL: what two spellings of one schema have in common.

use super::{
    convert::NO_REASON,
    definitions::{Definitions, DirectiveDef},
    model::{AppliedDirective, InputValue, Roots, TypeDef},
    value::quoted,
};

/// Prints definitions sorted by name, members in their own order. A directive
/// that is applied but not defined (custom ones of a subgraph) stands in a
/// comment, so that the SDL is valid and its hash still covers it.
pub(super) fn sdl(definitions: &Definitions) -> String {
    let mut printer = Printer { out: String::new(), definitions };
    printer.schema();
    let mut directives: Vec<_> = definitions.directives.iter().collect();
    directives.sort_by(|a, b| a.name.cmp(&b.name));
    for directive in directives {
        printer.separate();
        printer.directive_definition(directive);
    }
    // Older implementations do not know it, apollo-compiler 1 among them.
    if definitions.types.iter().any(|ty| ty.one_of) {
        printer.separate();
        printer.line(&["directive @oneOf on INPUT_OBJECT"]);
    }
    let mut types: Vec<_> = definitions.types.iter().collect();
    types.sort_by(|a, b| a.name.cmp(&b.name));
    for ty in types {
        printer.separate();
        printer.type_definition(ty);
    }
    printer.out
}

struct Printer<'a> {
    out: String,
    definitions: &'a Definitions,
}

impl Printer<'_> {
    /// Leaves a line free between definitions.
    fn separate(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// The `schema` definition, where the roots are not what their defaults are.
    fn schema(&mut self) {
        let Roots { query, mutation, subscription } = &self.definitions.roots;
        let roots = [
            ("query", "Query", query),
            ("mutation", "Mutation", mutation),
            ("subscription", "Subscription", subscription),
        ];
        let is_defined = |name: &str| self.definitions.types.iter().any(|ty| ty.name == name);
        let is_default = |default: &str, root: &Option<String>| match root {
            Some(name) => name == default,
            None => !is_defined(default),
        };
        if query.is_none() || roots.iter().all(|(_, default, root)| is_default(default, root)) {
            return;
        }
        self.out.push_str("schema {\n");
        for (operation, _, root) in roots {
            if let Some(name) = root {
                self.line(&["  ", operation, ": ", name]);
            }
        }
        self.out.push_str("}\n");
    }

    fn directive_definition(&mut self, directive: &DirectiveDef) {
        self.description(directive.description.as_deref(), "");
        self.out.push_str("directive @");
        self.out.push_str(&directive.name);
        let comments = self.arguments(&directive.args, "");
        let repeatable = if directive.repeatable { " repeatable" } else { "" };
        self.out.push_str(repeatable);
        self.out.push_str(" on ");
        self.out.push_str(&directive.locations.join(" | "));
        self.comment(&comments);
    }

    fn type_definition(&mut self, ty: &TypeDef) {
        self.description(ty.description.as_deref(), "");
        self.out.push_str(ty.kind.keyword());
        self.out.push(' ');
        self.out.push_str(&ty.name);
        if !ty.interfaces.is_empty() {
            self.out.push_str(" implements ");
            self.out.push_str(&ty.interfaces.join(" & "));
        }
        if ty.one_of {
            self.out.push_str(" @oneOf");
        }
        if let Some(url) = &ty.specified_by {
            self.out.push_str(" @specifiedBy(url: ");
            self.out.push_str(&quoted(url));
            self.out.push(')');
        }
        let comments = self.applied(&ty.directives);
        if !ty.members.is_empty() {
            self.out.push_str(" = ");
            self.out.push_str(&ty.members.join(" | "));
        }
        let has_body =
            !(ty.fields.is_empty() && ty.input_fields.is_empty() && ty.values.is_empty());
        if has_body {
            self.out.push_str(" {");
        }
        self.comment(&comments);
        if has_body {
            self.body(ty);
        }
    }

    fn body(&mut self, ty: &TypeDef) {
        for field in &ty.fields {
            self.description(field.description.as_deref(), "  ");
            self.out.push_str("  ");
            self.out.push_str(&field.name);
            let mut comments = self.arguments(&field.args, "  ");
            self.out.push_str(": ");
            self.out.push_str(field.type_ref.as_str());
            self.deprecation(field.deprecation_reason.as_deref());
            comments.extend(self.applied(&field.directives));
            self.comment(&comments);
        }
        for field in &ty.input_fields {
            self.description(field.description.as_deref(), "  ");
            self.out.push_str("  ");
            let comments = self.input_value(field);
            self.comment(&comments);
        }
        for value in &ty.values {
            self.description(value.description.as_deref(), "  ");
            self.out.push_str("  ");
            self.out.push_str(&value.name);
            self.deprecation(value.deprecation_reason.as_deref());
            let comments = self.applied(&value.directives);
            self.comment(&comments);
        }
        self.out.push_str("}\n");
    }

    /// Prints arguments in parentheses, a line each where one has a description;
    /// returns the notations that belong in a comment.
    fn arguments(&mut self, args: &[InputValue], indent: &str) -> Vec<String> {
        if args.is_empty() {
            return Vec::new();
        }
        let inner = format!("{indent}  ");
        let in_lines = args.iter().any(|arg| arg.description.is_some());
        let mut comments = Vec::new();
        self.out.push('(');
        for (at, arg) in args.iter().enumerate() {
            if in_lines {
                self.out.push('\n');
                self.description(arg.description.as_deref(), &inner);
                self.out.push_str(&inner);
            } else if at > 0 {
                self.out.push_str(", ");
            }
            let unknown = self.input_value(arg);
            comments
                .extend(unknown.into_iter().map(|notation| format!("{}: {notation}", arg.name)));
        }
        if in_lines {
            self.out.push('\n');
            self.out.push_str(indent);
        }
        self.out.push(')');
        comments
    }

    fn input_value(&mut self, input: &InputValue) -> Vec<String> {
        self.out.push_str(&input.name);
        self.out.push_str(": ");
        self.out.push_str(input.type_ref.as_str());
        if let Some(default) = &input.default {
            self.out.push_str(" = ");
            self.out.push_str(default);
        }
        self.deprecation(input.deprecation_reason.as_deref());
        self.applied(&input.directives)
    }

    fn deprecation(&mut self, reason: Option<&str>) {
        match reason {
            None => {}
            Some(NO_REASON) => self.out.push_str(" @deprecated"),
            Some(reason) => {
                self.out.push_str(" @deprecated(reason: ");
                self.out.push_str(&quoted(reason));
                self.out.push(')');
            }
        }
    }

    /// Prints the directives that are defined and returns the notations of the
    /// rest.
    fn applied(&mut self, directives: &[AppliedDirective]) -> Vec<String> {
        let mut unknown = Vec::new();
        for directive in directives {
            // Sorted by name in the merged definitions.
            let position =
                self.definitions.directives.binary_search_by(|it| it.name.cmp(&directive.name));
            if position.is_ok() {
                self.out.push(' ');
                self.out.push_str(&directive.notation);
            } else {
                unknown.push(directive.notation.clone());
            }
        }
        unknown
    }

    /// Ends a line, with a comment where there is one.
    fn comment(&mut self, notations: &[String]) {
        if !notations.is_empty() {
            self.out.push_str(" # ");
            self.out.push_str(&notations.join(" "));
        }
        self.out.push('\n');
    }

    fn description(&mut self, description: Option<&str>, indent: &str) {
        let Some(text) = description else { return };
        if is_block_safe(text) {
            self.line(&[indent, "\"\"\""]);
            for line in text.replace("\"\"\"", "\\\"\"\"").lines() {
                if line.is_empty() {
                    self.out.push('\n');
                } else {
                    self.line(&[indent, line]);
                }
            }
            self.line(&[indent, "\"\"\""]);
        } else {
            self.line(&[indent, &quoted(text)]);
        }
    }

    fn line(&mut self, parts: &[&str]) {
        for part in parts {
            self.out.push_str(part);
        }
        self.out.push('\n');
    }
}

/// Does a block string give exactly this text back, and is it worth one?
fn is_block_safe(text: &str) -> bool {
    let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    // `rewrite` makes such an indent plain spaces.
    let has_exotic_indent =
        |line: &str| line.starts_with(|c: char| c.is_whitespace() && c != ' ' && c != '\t');
    text.contains('\n')
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t')
        && !text.lines().any(|line| is_blank(line) || has_exotic_indent(line))
}

#[cfg(test)]
mod tests {
    use crate::schema::parse_sdl;

    const PRINTED: &str = r#"schema {
  query: Root
}

directive @cost(weight: Int) on FIELD_DEFINITION

directive @oneOf on INPUT_OBJECT

enum E {
  A
  "b \"quoted\""
  B @deprecated(reason: "old")
}

input I @oneOf {
  a: [E!] = [A]
  b: String @deprecated
}

"""
Two
  lines
"""
type Root {
  a(
    "what"
    b: I
    c: Int = 1
  ): String @cost(weight: 2) # @unknown(a: 1)
}

scalar S @specifiedBy(url: "https://s.example")
"#;

    #[test]
    fn what_is_printed_is_read_as_the_same() {
        let schema = parse_sdl(
            r#"scalar S @specifiedBy(url: "https://s.example") schema { query: Root }
            """
            Two
              lines
            """
            type Root { a("what" b: I, c: Int = 1): String @cost(weight: 2) @unknown(a: 1) }
            input I @oneOf { a: [E!] = [A] b: String @deprecated }
            enum E { A "b \"quoted\"" B @deprecated(reason: "old") }
            directive @cost(weight: Int) on FIELD_DEFINITION
            directive @oneOf on INPUT_OBJECT"#,
        )
        .unwrap();
        assert_eq!(schema.sdl, PRINTED);
        let again = parse_sdl(PRINTED).unwrap();
        assert_eq!(again.sdl, PRINTED.replace(" # @unknown(a: 1)", ""));
    }

    #[test]
    fn odd_descriptions_survive() {
        for text in [
            "a\n  b",
            " a\nb",
            "a\n\nb",
            "a\n \nb",
            "\\",
            "a\\\n\"\"\"b",
            "\u{8}\u{7f}",
            "a\n\u{3000}b",
            "\u{e9}\n\tb",
        ] {
            let sdl = format!("{} type Query {{ a: Int }}", super::quoted(text));
            let schema = parse_sdl(&sdl).unwrap();
            let again = parse_sdl(&schema.sdl).unwrap();
            assert_eq!(schema.get("Query").unwrap().description.as_deref(), Some(text));
            assert_eq!(
                again.get("Query").unwrap().description.as_deref(),
                Some(text),
                "{}",
                schema.sdl
            );
            assert_eq!(schema.hash, again.hash);
        }
    }
}
