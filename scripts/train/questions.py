"""Questions that a schema's elements answer, written by rules.

Every function takes its choices from the wording's chance in a fixed order, so
one seed gives the same questions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from phrases import Wording, field_phrase, gist, keywords, plural, reword, sentence, type_phrase
from schema import Field, Schema
from texts import split

# How a request begins. The empty ones stand for topics, which are as common.
REQUESTS = [
    "", "", "", "list ", "show ", "get ", "find ", "fetch ", "show me ", "give me ", "list all ", "list the ",
    "get all ", "I need ", "return the ", "look up ", "retrieve ", "what are the ", "which ", "find all ",
    "display ", "pull up ", "can you show ",
]  # fmt: skip
# What a request says that no element answers: the encoder learns to pass over it.
CIRCUMSTANCES = [
    "in the acme/widgets project", "for acme", "in the last 30 days", "created this week", 'named "example"',
    "with id 123", "for user alice", "by alice", "since January", "from the past month", "sorted by newest",
    "sorted by name", "for example.com", "in the demo account", "for team core", "of the current user", "for me",
    "updated yesterday", "that are open", 'with id "abc-1"', "first 10", "top 5", "in 2024", 'containing "foo"',
    "over the past two weeks",
]  # fmt: skip
JOINS = [
    " with ", " including ", " with their ", " and their ", " along with ", ", including each ", " and ", ": ",
    " together with ",
]  # fmt: skip
PAGING = {"first", "last", "before", "after", "offset", "limit"}
UNASKED = {"cursor", "__typename"}


@dataclass(frozen=True)
class Element:
    """A field or a type of a schema, by its index there."""

    kind: str  # "field" or "type"
    index: int


@dataclass
class Question:
    """A question, the element that answers it, and what else does.

    `described` says whether the answer keeps its description: where the question
    was written from it, it must not, or the pair teaches only to compare words.
    """

    text: str
    answer: Element
    described: bool
    fair_fields: set[int] = field(default_factory=set)
    fair_types: set[str] = field(default_factory=set)


def ask(schema: Schema, wording: Wording, enum_values: bool) -> Question:
    """A question of a kind chosen by chance: by description, by name, or about an entity.

    `enum_values` says whether some ask for things by a state (`open issues`).
    """
    random = wording.random
    kind = random.random()
    if kind < 0.22 and (described := _described_fields(schema)):
        return _by_field_description(schema, wording, random.choice(described))
    if kind < 0.30 and (described := _described_types(schema)):
        return _by_type_description(schema, wording, random.choice(described))
    if kind < 0.42:
        return _by_field_name(schema, wording)
    if kind < 0.46:
        return _by_type_name(schema, wording)
    if kind < 0.50 and (taking := _fields_with_arguments(schema)):
        return _by_argument(schema, wording, random.choice(taking))
    if kind < 0.54 and enum_values and schema.of_enum:
        return _by_enum_value(schema, wording)
    return _about_entity(schema, wording) if schema.entities else ask(schema, wording, enum_values)


def ask_for_name(schema: Schema, wording: Wording) -> Question:
    """A question that a field's name alone can answer: one written from its description or its name."""
    random = wording.random
    described = _described_fields(schema)
    if described and random.random() < 0.5:
        return _by_field_description(schema, wording, random.choice(described))
    return _by_field_name(schema, wording)


@cache
def _described_fields(schema: Schema) -> list[int]:
    return [index for index, of in enumerate(schema.fields) if sentence(of.description)]


@cache
def _described_types(schema: Schema) -> list[int]:
    return [index for index, of in enumerate(schema.types) if sentence(of.description)]


@cache
def _fields_with_arguments(schema: Schema) -> list[int]:
    return [index for index, of in enumerate(schema.fields) if of.arguments]


@cache
def _root_fields(schema: Schema) -> list[int]:
    return [index for index, of in enumerate(schema.fields) if of.owner in schema.roots]


def _by_field_description(schema: Schema, wording: Wording, index: int) -> Question:
    random, of = wording.random, schema.fields[index]
    said = sentence(of.description) if random.random() < 0.5 else gist(of.description) or sentence(of.description)
    if of.owner not in schema.roots and random.random() < 0.45:
        owner = type_phrase(of.owner)
        said = random.choice([f"{owner} {said}", f"{said} of the {owner}", f"{said} for a {owner}"])
    return Question(_varied(wording, said), Element("field", index), False, {index})


def _by_type_description(schema: Schema, wording: Wording, index: int) -> Question:
    of = schema.types[index]
    whole = wording.random.random() < 0.5
    said = sentence(of.description) if whole else gist(of.description) or sentence(of.description)
    return Question(_varied(wording, said), Element("type", index), False, set(), {of.name})


def _by_field_name(schema: Schema, wording: Wording) -> Question:
    random = wording.random
    roots = _root_fields(schema)
    index = random.randrange(len(schema.fields)) if random.random() < 0.5 or not roots else random.choice(roots)
    of = schema.fields[index]
    said = reword(wording, field_phrase(wording, of.name), 0.25)
    if of.owner not in schema.roots:
        owner = type_phrase(of.owner)
        said = random.choice(
            [f"{owner} {said}", f"{said} of {owner}", f"{owner}'s {said}", f"{said} for a {reword(wording, owner, 0.2)}"]
        )
    if random.random() < 0.3:
        said = random.choice(REQUESTS) + said
    return Question(said, Element("field", index), random.random() < 0.7, {index})


def _by_type_name(schema: Schema, wording: Wording) -> Question:
    random = wording.random
    index = random.randrange(len(schema.types))
    of = schema.types[index]
    said = reword(wording, type_phrase(of.name), 0.25)
    if of.members and random.random() < 0.5:
        join = random.choice([" with ", " ", " by "])
        some = random.sample(of.members, min(len(of.members), random.choice([1, 2])))
        said += join + " and ".join(split(member) for member in some)
    said = random.choice(REQUESTS) + said
    return Question(said, Element("type", index), random.random() < 0.7, set(), {of.name})


def _by_argument(schema: Schema, wording: Wording, index: int) -> Question:
    random, of = wording.random, schema.fields[index]
    argument = split(random.choice(of.arguments))
    said = reword(wording, field_phrase(wording, of.name), 0.2)
    said = f"{said} {random.choice(['by', 'filtered by', 'for a', 'with'])} {argument}"
    if of.owner not in schema.roots:
        said = f"{type_phrase(of.owner)} {said}"
    return Question(said, Element("field", index), random.random() < 0.7, {index})


def _by_enum_value(schema: Schema, wording: Wording) -> Question:
    random = wording.random
    enum = random.choice(sorted(schema.of_enum))
    index = random.choice(schema.of_enum[enum])
    of = schema.fields[index]
    value = split(random.choice(schema.types[schema.type_index[enum]].members))
    owner = type_phrase(of.owner)
    said = random.choice(
        [
            f"{value} {plural(owner)}",
            f"which {plural(owner)} are {value}",
            f"{plural(owner)} that are {value}",
            f"{owner} {field_phrase(wording, of.name)} {value}",
        ]
    )
    return Question(said, Element("field", index), random.random() < 0.7, {index}, {of.owner})


def _about_entity(schema: Schema, wording: Wording) -> Question:
    """A request for some leaves of an entity, at times through its owner or into a nested one.

    The answer is one of the leaves, the field that leads to the entity, or one of
    the types on the way; all of them are fair.
    """
    random, fields = wording.random, schema.fields
    entity = random.choice(schema.entities)
    leaves = [index for index in schema.of_owner[entity] if fields[index].leaf and fields[index].name not in UNASKED]
    wanted = random.sample(leaves, min(len(leaves), random.choice([1, 1, 2, 2, 3])))
    fair, types = set(wanted), {entity}
    from_description = False
    parts = []
    for index in wanted:
        if fields[index].name == "id" and random.random() < 0.5:
            continue
        part, described = _leaf_phrase(wording, fields[index])
        from_description |= described
        parts.append(part)

    access = random.choice(schema.reaching[entity])
    subject, owner, named = _subject(schema, wording, entity, fields[access])
    if owner:
        types.add(owner)
    if named:
        fair.add(access)

    nested = [
        index
        for index in schema.of_owner[entity]
        if not fields[index].leaf and fields[index].entity in schema.entity_set and fields[index].entity != entity
    ]
    if nested and random.random() < 0.4:
        into = random.choice(nested)
        inner = [index for index in schema.of_owner[fields[into].entity] if fields[index].leaf]
        inner = random.sample(inner, min(len(inner), random.choice([1, 1, 2])))
        fair |= {*inner, into}
        wanted += inner
        types.add(fields[into].entity)
        hop = reword(wording, field_phrase(wording, fields[into].name), 0.15)
        inner_parts = []
        for index in inner:
            part, described = _leaf_phrase(wording, fields[index])
            from_description |= described
            inner_parts.append(part)
        listed = " and ".join(inner_parts)
        parts.append(random.choice([f"{hop} {listed}", f"each {hop}'s {listed}", f"the {listed} of the {hop}", hop]))

    said = _request(wording, subject, parts, fields[access] if named else None)
    kind = random.random()
    if kind < 0.62:
        index = random.choice(wanted)
        described = random.random() < (0.2 if from_description else 0.7)
        return Question(said, Element("field", index), described, fair, types)
    if kind < 0.72 and named:
        return Question(said, Element("field", access), random.random() < 0.7, fair, types)
    index = schema.type_index[random.choice(sorted(types))]
    return Question(said, Element("type", index), random.random() < 0.7, fair, types)


def _leaf_phrase(wording: Wording, leaf: Field) -> tuple[str, bool]:
    """A leaf as people say it, and whether that came from its description."""
    if wording.random.random() < 0.22 and (said := gist(leaf.description)):
        return said, True
    return reword(wording, field_phrase(wording, leaf.name), 0.22), False


def _subject(schema: Schema, wording: Wording, entity: str, access: Field) -> tuple[str, str | None, bool]:
    """The entity as people say it; the type it was said to belong to; whether `access` was named."""
    random = wording.random
    said = reword(wording, type_phrase(entity), 0.2)
    if access.owner in schema.entity_set and random.random() < 0.55:
        owner = reword(wording, type_phrase(access.owner), 0.15)
        hop = field_phrase(wording, access.name)
        many = plural(said)
        said = random.choice(
            [
                f"{many} of the {owner}",
                f"{owner} {many}",
                f"{hop} of the {owner}",
                f"{owner} {hop}",
                f"the {owner}'s {hop}",
                f"{many} in a {owner}",
                f"{many} for each {owner}",
            ]
        )
        return said, access.owner, True
    if access.owner in schema.roots and random.random() < 0.5:
        return reword(wording, field_phrase(wording, access.name), 0.15), None, True
    return (plural(said) if random.random() < 0.6 else said), None, False


def _request(wording: Wording, subject: str, parts: list[str], access: Field | None) -> str:
    """The request for `parts` of the subject, as a sentence or as keywords."""
    random = wording.random
    random.shuffle(parts)
    form = random.random()
    if not parts:
        said = subject
    elif form < 0.12 and len(parts) == 1:
        part = parts[0]
        said = random.choice(
            [
                f"what is the {part} of the {subject}",
                f"{part} of {subject}",
                f"{subject} {part}",
                f"how do I get the {part} of a {subject}",
            ]
        )
    else:
        listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
        if random.random() < 0.75:
            said = subject + random.choice(JOINS) + listed
        else:
            said = f"{listed} of {subject}" if random.random() < 0.6 else f"{listed} for {subject}"
    if access and access.arguments and random.random() < 0.2:
        argument = random.choice(access.arguments)
        if argument not in PAGING:
            said += " " + random.choice(["filtered by ", "by ", "for a given ", "with "]) + split(argument)
    said = random.choice(REQUESTS) + said
    if random.random() < 0.35:
        said += " " + random.choice(CIRCUMSTANCES)
    return keywords(wording, said) if random.random() < 0.4 else said


def _varied(wording: Wording, said: str) -> str:
    """A description as somebody else might put it."""
    random = wording.random
    form = random.random()
    said = reword(wording, said, 0.12)
    if form < 0.3:
        return keywords(wording, said)
    if form < 0.45:
        words = said.split()
        if len(words) > 5:
            words.pop(random.randrange(len(words)))
        return " ".join(words)
    if form < 0.6:
        return random.choice(["find ", "show ", "get ", "how to get ", "I want "]) + said[:1].lower() + said[1:]
    return said
