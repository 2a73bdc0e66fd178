"""What a syntax tree tells before names are resolved: definitions and names.

Only the shape of the code comes from here (what is defined where, which name is
called); what a name means is the language server's to say.
"""

import functools
import importlib
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter


@dataclass
class Definition:
    """Something that the tree defines."""

    id: int
    kind: str
    name: str
    path: str
    line: int
    column: int
    start: int
    end: int
    qualified: str
    parent: int | None
    body: bool
    # In a module that is only built for tests.
    test: bool


@dataclass
class Name:
    """A name in the code, and what is done with it."""

    path: str
    line: int
    column: int
    text: str
    role: str
    within: int | None


@dataclass
class Tree:
    """All definitions and names of one package."""

    definitions: list = field(default_factory=list)
    names: list = field(default_factory=list)
    # (definition, place of the name of what it extends)
    heritage: list = field(default_factory=list)


@dataclass(frozen=True)
class Language:
    """The node types of a grammar that matter here."""

    suffix: str
    separator: str
    definitions: dict
    names: frozenset
    imports: frozenset
    skipped: frozenset


LANGUAGES = {
    "python": Language(
        ".py",
        ".",
        {"function_definition": "function", "class_definition": "class"},
        frozenset({"identifier"}),
        frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
        frozenset({"comment"}),
    ),
    "rust": Language(
        ".rs",
        "::",
        {
            "function_item": "function",
            "function_signature_item": "signature",
            "struct_item": "struct",
            "enum_item": "enum",
            "union_item": "struct",
            "trait_item": "trait",
            "type_item": "type",
            "enum_variant": "variant",
            "macro_definition": "macro",
        },
        frozenset({"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"}),
        frozenset({"use_declaration", "extern_crate_declaration"}),
        frozenset({"line_comment", "block_comment", "attribute_item", "inner_attribute_item"}),
    ),
    "go": Language(
        ".go",
        ".",
        {
            "function_declaration": "function",
            "method_declaration": "method",
            "type_spec": "class",
            "type_alias": "type",
            "method_elem": "signature",
        },
        frozenset({"identifier", "field_identifier", "type_identifier"}),
        frozenset({"import_declaration"}),
        frozenset({"comment"}),
    ),
}


@functools.cache
def grammar(language):
    """The tree-sitter parser of a language."""
    module = importlib.import_module(f"tree_sitter_{language}")
    return tree_sitter.Parser(tree_sitter.Language(module.language()))


def last_name(node):
    """The name at the end of a type: `path::Type<T>` gives `Type`."""
    while node is not None and node.type not in ("type_identifier", "identifier"):
        following = node.child_by_field_name("type") or node.child_by_field_name("name") or node.child_by_field_name("trait")
        node = following or next((child for child in node.named_children if child.type not in ("lifetime", "mutable_specifier")), None)
    return node


class Reader:
    """Reads one file into a `Tree`."""

    def __init__(self, language, path, text, tree):
        self.language, self.path, self.tree = LANGUAGES[language], path, tree
        self.which = language
        self.source = text.encode()
        self.lines = self.source.split(b"\n")
        self.root = grammar(language).parse(self.source).root_node
        whole = Path(path).stem in ("tests", "test")
        self.tests = [(0, len(self.source) + 1)] if whole else []

    def place(self, node):
        """Line and UTF-16 column of a node, from 0."""
        row, column = node.start_point
        return row, len(self.lines[row][:column].decode(errors="replace").encode("utf-16-le")) // 2

    def text(self, node):
        """The source of a node."""
        return self.source[node.start_byte : node.end_byte].decode(errors="replace")

    def read(self):
        """Walk the file without recursion, so that deep code is no danger."""
        stack = [(self.root, None, "", False)]
        while stack:
            node, within, owner, importing = stack.pop()
            if node.type in self.language.skipped:
                continue
            if node.type == "mod_item" and self.only_for_tests(node):
                self.tests.append((node.start_byte, node.end_byte))
            if node.type == "impl_item":
                owner = self.implementation(node)
            kind = self.language.definitions.get(node.type)
            name = node.child_by_field_name("name")
            if kind and name is not None:
                within, owner = self.define(node, name, kind, within, owner)
            elif node.type in self.language.names:
                self.mention(node, within, importing)
            importing = importing or node.type in self.language.imports
            stack.extend((child, within, owner, importing) for child in reversed(node.children))

    def only_for_tests(self, node):
        """Whether a module of Rust stands behind `#[cfg(test)]`."""
        before = node.prev_sibling
        while before is not None and before.type == "attribute_item":
            if "cfg" in (text := self.text(before)) and "test" in text:
                return True
            before = before.prev_sibling
        return False

    def implementation(self, node):
        """The type that an `impl` block is for, remembering its trait."""
        name = last_name(node.child_by_field_name("type"))
        trait = last_name(node.child_by_field_name("trait"))
        owner = self.text(name) if name is not None else ""
        # Marked, so that methods can tell an inherent block from a trait's.
        return (owner, self.place(trait) if trait is not None else None)

    def define(self, node, name, kind, within, owner):
        """Add a definition; what stands inside it belongs to it."""
        row, column = self.place(name)
        trait = None
        if isinstance(owner, tuple):
            owner, trait = owner
        parent = self.tree.definitions[within] if within is not None else None
        if kind == "function" and owner:
            kind = "method"
        if self.which == "python" and kind == "function" and parent and parent.kind == "class":
            kind = "method"
        if self.which == "python" and kind == "method" and self.text(name) in ("__init__", "__new__"):
            kind = "constructor"
        if self.which == "go" and kind == "method":
            receiver = last_name(next(iter(node.child_by_field_name("receiver").named_children), None).child_by_field_name("type"))
            owner = self.text(receiver) if receiver is not None else ""
        if self.which == "go" and kind == "class" and (inner := node.child_by_field_name("type")) is not None:
            kind = {"struct_type": "class", "interface_type": "interface"}.get(inner.type, "type")
        prefix = owner or (parent.qualified if parent else "")
        definition = Definition(
            len(self.tree.definitions), kind, self.text(name), self.path, row, column, self.first_line(node),
            node.end_point[0], f"{prefix}{self.language.separator}{self.text(name)}" if prefix else self.text(name), within,
            node.child_by_field_name("body") is not None,
            any(start <= node.start_byte < end for start, end in self.tests),
        )
        self.tree.definitions.append(definition)
        if trait is not None:
            self.tree.heritage.append((definition.id, self.path, *trait))
        if kind == "class" and self.which == "python" and (bases := node.child_by_field_name("superclasses")) is not None:
            for base in bases.named_children:
                if base.type == "subscript":
                    base = base.child_by_field_name("value")
                if base.type == "attribute":
                    base = base.child_by_field_name("attribute")
                if base.type == "identifier":
                    self.tree.heritage.append((definition.id, self.path, *self.place(base)))
        # A nested definition is named after its parent; only traits and
        # classes own their members.
        return definition.id, (definition.name if kind == "trait" else "")

    def first_line(self, node):
        """Where a definition starts, with its decorators, attributes and comments."""
        if node.parent is not None and node.parent.type in ("decorated_definition", "type_declaration", "export_statement"):
            node = node.parent
        start = node.start_point[0]
        before = node.prev_sibling
        while before is not None and before.type in ("attribute_item", "line_comment", "comment", "block_comment"):
            start, before = before.start_point[0], before.prev_sibling
        return start

    def mention(self, node, within, importing):
        """Add a name, unless it is the one being defined."""
        parent = node.parent
        if parent is not None and self.language.definitions.get(parent.type) and parent.child_by_field_name("name") == node:
            return
        row, column = self.place(node)
        role = "import" if importing else self.role(node)
        self.tree.names.append(Name(self.path, row, column, self.text(node), role, within))

    def role(self, node):
        """Whether a name is called, decorates, or is only mentioned."""
        inner, parent = node, node.parent
        qualified = {
            "attribute": "attribute", "scoped_identifier": "name", "scoped_type_identifier": "name", "field_expression": "field",
            "selector_expression": "field", "generic_function": "function", "generic_type": "type",
        }
        while parent is not None and parent.type in qualified and parent.child_by_field_name(qualified[parent.type]) == inner:
            inner, parent = parent, parent.parent
        if parent is None:
            return "mention"
        if parent.type in ("call", "call_expression") and parent.child_by_field_name("function") == inner:
            return "call" if parent.parent is None or parent.parent.type != "decorator" else "decorator"
        if parent.type == "decorator":
            return "decorator"
        if parent.type == "macro_invocation" and parent.child_by_field_name("macro") == inner:
            return "macro"
        following = node.next_sibling
        if parent.type == "token_tree" and following is not None and following.type == "token_tree" and self.text(following).startswith("("):
            return "call"
        return "mention"
