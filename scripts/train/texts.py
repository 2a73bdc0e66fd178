"""The texts that Sextant embeds: what ../../src/index/text.rs and words.rs make of an element.

The encoder is trained and measured on these, so they must say the same as the
program's. Where one changes, change the other.
"""

from __future__ import annotations

import re

from schema import Field, Type

MEMBER_DESCRIPTION = 150  # characters
TYPE_DESCRIPTION = 300  # characters
MEMBERS = 20
COMMON_SCALARS = {"String", "Int", "Float", "Boolean", "ID"}


def split(identifier: str) -> str:
    """An identifier's words in lower case: `HTTPServerURL_v2` gives `http server url v2`.

    A leading `_` leaves a blank where the program leaves none; no tokenizer sees it.
    """
    humps = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", identifier)
    acronyms = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", humps)
    return acronyms.replace("_", " ").lower()


def field_text(field: Field, described: bool = True) -> str:
    """A field as it is embedded, with its description or without."""
    target = "" if field.type in COMMON_SCALARS else f": {split(field.type)}"
    description = field.description[:MEMBER_DESCRIPTION] if described else ""
    return f"{split(field.owner)} {split(field.name)}{target}. {description}".rstrip()


def first_field_text(field: Field, described: bool = True) -> str:
    """A field as the weights in ../../models were trained on it: its type always, and more description."""
    description = field.description[:TYPE_DESCRIPTION] if described else ""
    return f"{split(field.owner)} {split(field.name)}: {split(field.type)}. {description}".rstrip()


def type_text(of: Type, described: bool = True) -> str:
    """A type as it is embedded, with its description or without."""
    description = of.description[:TYPE_DESCRIPTION] if described else ""
    members = " ".join(split(member) for member in of.members[:MEMBERS])
    return f"{split(of.name)}. {description} {members}".rstrip()


def name_text(field: Field) -> str:
    """A field's name alone, which the program embeds beside the field."""
    return split(field.name)
