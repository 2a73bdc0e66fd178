"""A schema as training and measuring see it: its fields, its types, and how they hang together."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import graphql

# Types that only carry others; people ask for what they carry.
CARRIER = re.compile(r"(Connection|Edge|Payload|PageInfo)$")


@dataclass(frozen=True)
class Field:
    """A field of an object or an interface."""

    owner: str
    name: str
    type: str  # the named type, without list and non-null
    description: str
    arguments: tuple[str, ...]
    leaf: bool  # does it return a scalar or an enum?
    entity: str  # its type, or what its connection holds

    @property
    def coordinate(self) -> str:
        return f"{self.owner}.{self.name}"


@dataclass(frozen=True)
class Type:
    """An object, an interface, a union, an enum or an input."""

    name: str
    kind: str
    description: str
    members: tuple[str, ...]  # names of its fields, values or possible types


@dataclass(eq=False)
class Schema:
    """Fields and types by index, and the indexes by what they have in common."""

    name: str
    fields: list[Field]
    types: list[Type]
    roots: set[str]
    of_owner: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    of_name: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    of_enum: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    reaching: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # by entity
    type_index: dict[str, int] = field(default_factory=dict)
    entities: list[str] = field(default_factory=list)
    entity_set: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.type_index = {of.name: index for index, of in enumerate(self.types)}
        enums = {of.name for of in self.types if of.kind == "enum"}
        for index, member in enumerate(self.fields):
            self.of_owner[member.owner].append(index)
            self.of_name[member.name].append(index)
            if member.type in enums:
                self.of_enum[member.type].append(index)
            if not member.leaf:
                self.reaching[member.entity].append(index)
        self.entities = [of.name for of in self.types if self._is_entity(of)]
        self.entity_set = set(self.entities)

    def _is_entity(self, of: Type) -> bool:
        """A type that people ask about: it holds leaves, and some field leads to it."""
        return (
            of.kind in ("object", "interface")
            and of.name not in self.roots
            and not CARRIER.search(of.name)
            and sum(self.fields[index].leaf for index in self.of_owner[of.name]) >= 2
            and bool(self.reaching.get(of.name))
        )


def read(name: str, path: Path) -> Schema:
    """The schema in an SDL file. Its validity is not checked: published schemas break small rules."""
    built = graphql.build_ast_schema(graphql.parse(path.read_text()), assume_valid=True, assume_valid_sdl=True)
    named = [of for of in built.type_map.values() if not of.name.startswith("__")]
    roots = {root.name for root in (built.query_type, built.mutation_type, built.subscription_type) if root}
    fields = [
        Field(
            owner=of.name,
            name=name,
            type=graphql.get_named_type(member.type).name,
            description=member.description or "",
            arguments=tuple(member.args),
            leaf=graphql.is_leaf_type(graphql.get_named_type(member.type)),
            entity=_entity(graphql.get_named_type(member.type)).name,
        )
        for of in named
        if graphql.is_object_type(of) or graphql.is_interface_type(of)
        for name, member in of.fields.items()
    ]
    types = [
        Type(of.name, _kind(of), of.description or "", tuple(_members(of))) for of in named if not graphql.is_scalar_type(of)
    ]
    return Schema(name, fields, types, roots)


def _entity(of: graphql.GraphQLNamedType) -> graphql.GraphQLNamedType:
    """What a connection or a page of results holds; any other type is its own entity."""
    if not (graphql.is_object_type(of) or graphql.is_interface_type(of)):
        return of
    if "nodes" in of.fields:
        return graphql.get_named_type(of.fields["nodes"].type)
    if "edges" in of.fields:
        edge = graphql.get_named_type(of.fields["edges"].type)
        return graphql.get_named_type(edge.fields["node"].type) if "node" in getattr(edge, "fields", {}) else of
    if "results" in of.fields:
        result = graphql.get_named_type(of.fields["results"].type)
        return result if hasattr(result, "fields") else of
    return of


def _kind(of: graphql.GraphQLNamedType) -> str:
    kinds = {
        graphql.GraphQLObjectType: "object",
        graphql.GraphQLInterfaceType: "interface",
        graphql.GraphQLUnionType: "union",
        graphql.GraphQLEnumType: "enum",
        graphql.GraphQLInputObjectType: "input",
    }
    return kinds[type(of)]


def _members(of: graphql.GraphQLNamedType) -> list[str]:
    if graphql.is_union_type(of):
        return [possible.name for possible in of.types]
    return list(of.values if graphql.is_enum_type(of) else of.fields)
