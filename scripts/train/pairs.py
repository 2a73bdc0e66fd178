#!/usr/bin/env python3
"""Writes the batches that train.py trains on: questions, and the schema elements that answer them.

Questions are written by rules from the names and descriptions of permissively
licensed schemas (sources.py refuses the others, and every schema of the
evaluation). No person's queries and no model's output are used. Each question
comes with a hard negative: an element close to the answer that is not one.

A line of the output is a batch, a list of objects: `question`; `answer` and
`negative`, texts as Sextant embeds them; `answer_element` and
`negative_element`, which name their elements; `fair`, the elements that would
answer the question too.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import schema as schemas
import sources
from phrases import STOP_WORDS, Wording, stem, vocabulary, wordnet
from questions import Element, Question, ask, ask_for_name
from schema import Field, Schema
from texts import field_text, first_field_text, name_text, split, type_text
from words import COMMON_WORDS

# Schemas of this size or more are drawn by the square root of their fields;
# smaller ones fill in, so that a tiny schema is not repeated in every batch.
LARGE = 600
# Half of a batch is of one schema, where the negatives are the hardest.
SHARES = (32, 20, 12)
# A fork counts half: it says again what its origin says.
FORKS = {"nautical"}  # of saleor
SAME_NAME = 0.6  # of hard negatives have the answer's name and another owner
DESCRIBED = 0.7  # of negatives keep their description, as do the answers


@dataclass(frozen=True)
class Recipe:
    """What pairs are made of."""

    field_text: Callable[[Field, bool], str]
    enum_values: bool  # do some questions ask by an enum's value?
    names_every: int  # every so manieth batch teaches names alone; 0: none


RECIPES = {
    # What the weights in ../../models were trained on.
    "shipped": Recipe(first_field_text, enum_values=False, names_every=0),
    # The program's own texts, and its vectors of names. README.md has its figures.
    "names": Recipe(field_text, enum_values=True, names_every=4),
}


def main() -> None:
    options = arguments()
    used, refused = sources.choose(options.schemas)
    if not used:
        sys.exit("No schema may be used: " + "; ".join(f"{name}: {reason}" for name, reason in refused))
    read = []
    for source in used:
        read.append(schemas.read(source.name, source.path))
        counts = f"{len(read[-1].fields)} fields, {len(read[-1].types)} types, {len(read[-1].entities)} entities"
        print(f"used: {source.name} ({source.licence}; {source.origin}): {counts}")
    for name, reason in refused:
        print(f"not used: {name}: {reason}")

    common = COMMON_WORDS
    if options.vocabulary:
        common = {**vocabulary(options.vocabulary), **COMMON_WORDS}
    wording = Wording(Random(options.seed), common, wordnet(options.wordnet))
    with options.out.open("w") as out:
        for batch in batches(read, wording, RECIPES[options.recipe], options.batches):
            out.write(json.dumps(batch) + "\n")
    print(f"{options.out}: {options.batches} batches of {sum(SHARES)} questions from {len(read)} schemas")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog="Example: pairs.py --schemas target/train/schemas more-schemas --wordnet target/train/wordnet --out pairs.jsonl",
    )
    parser.add_argument(
        "--schemas",
        type=Path,
        nargs="+",
        required=True,
        metavar="DIR",
        help="folders of NAME.graphql files with a MANIFEST.tsv of their sources and licences",
    )
    parser.add_argument("--wordnet", type=Path, required=True, metavar="DIR", help="folder with WordNet's index.sense")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write the batches to")
    parser.add_argument(
        "--batches", type=int, default=600, help="how many; train.py keeps the last 8 for validation (default %(default)s)"
    )
    parser.add_argument(
        "--recipe", choices=RECIPES, default="shipped", help="as README.md describes them (default %(default)s)"
    )
    parser.add_argument("--vocabulary", type=Path, metavar="FILE", help="near words in the form of src/index/vocabulary.txt")
    parser.add_argument("--seed", type=int, default=1, help="of all chance in the questions (default %(default)s)")
    options = parser.parse_args()
    for folder in options.schemas:
        if not (folder / "MANIFEST.tsv").is_file():
            parser.error(f"{folder} has no MANIFEST.tsv, so the licences of its schemas are unknown")
    if not (options.wordnet / "index.sense").is_file():
        parser.error(f"{options.wordnet} has no index.sense; scripts/train/fetch.py fetches it")
    return options


def batches(read: list[Schema], wording: Wording, recipe: Recipe, count: int) -> Iterator[list[dict]]:
    """`count` batches, each from one schema mostly and from two others.

    Names alone have batches to themselves: among whole fields, `name` would be no
    answer at all.
    """
    random = wording.random
    small = [schema for schema in read if len(schema.fields) < LARGE]
    large = [schema for schema in read if len(schema.fields) >= LARGE] or small
    weights = [math.sqrt(len(schema.fields)) * (0.5 if schema.name in FORKS else 1) for schema in large]
    for number in range(1, count + 1):
        chosen = [random.choices(large, weights)[0], random.choices(large, weights)[0], random.choice(small + large)]
        make = name_row if recipe.names_every and number % recipe.names_every == 0 else element_row
        yield [make(schema, wording, recipe) for schema, share in zip(chosen, SHARES, strict=True) for _ in range(share)]


def name_row(schema: Schema, wording: Wording, _: Recipe) -> dict:
    """A question with the name alone of the field that answers it, against another name of the same owner."""
    question = ask_for_name(schema, wording)
    answer = schema.fields[question.answer.index]
    others = [index for index in schema.of_owner[answer.owner] if schema.fields[index].name != answer.name]
    negative = wording.random.choice(others) if others else wording.random.randrange(len(schema.fields))
    return {
        "question": " ".join(question.text.split()),
        "answer": name_text(answer),
        "negative": name_text(schema.fields[negative]),
        "answer_element": identify(schema, question.answer),
        "negative_element": identify(schema, Element("field", negative)),
        "fair": [identify(schema, question.answer)],
    }


def element_row(schema: Schema, wording: Wording, recipe: Recipe) -> dict:
    """A question with its answer and a hard negative."""
    question = ask(schema, wording, recipe.enum_values)
    if question.answer.kind == "field":
        negative = Element("field", close_field(schema, wording.random, question))
    else:
        negative = Element("type", close_type(schema, wording.random, question))
    negative_described = wording.random.random() < DESCRIBED
    fair = {Element("field", index) for index in question.fair_fields}
    fair |= {Element("type", schema.type_index[name]) for name in question.fair_types}
    fair.add(question.answer)
    return {
        "question": " ".join(question.text.split()),
        "answer": text(schema, question.answer, question.described, recipe),
        "negative": text(schema, negative, negative_described, recipe),
        "answer_element": identify(schema, question.answer),
        "negative_element": identify(schema, negative),
        "fair": sorted(identify(schema, element) for element in fair),
    }


def close_field(schema: Schema, random: Random, question: Question) -> int:
    """A field of the same owner or of the same name that does not answer the question; any field where there is none."""
    fields, fair = schema.fields, question.fair_fields
    answer = fields[question.answer.index]
    fair_owners = {fields[index].owner for index in fair}
    siblings = [index for index in schema.of_owner[answer.owner] if index not in fair]
    namesakes = [
        index
        for index in schema.of_name[answer.name]
        if index != question.answer.index and index not in fair and fields[index].owner not in fair_owners
    ]
    close = namesakes if namesakes and (random.random() < SAME_NAME or not siblings) else siblings
    return random.choice(close) if close else random.randrange(len(fields))


def close_type(schema: Schema, random: Random, question: Question) -> int:
    """A type that shares a word with the answer's name; any type where none of 200 does."""
    types = schema.types
    words = name_words(types[question.answer.index].name)
    close = [
        index
        for index in random.sample(range(len(types)), min(200, len(types)))
        if index != question.answer.index
        and types[index].name not in question.fair_types
        and words & name_words(types[index].name)
    ]
    return random.choice(close) if close else random.randrange(len(types))


def name_words(name: str) -> set[str]:
    return {stem(word) for word in split(name).split() if word not in STOP_WORDS}


def text(schema: Schema, element: Element, described: bool, recipe: Recipe) -> str:
    if element.kind == "field":
        return recipe.field_text(schema.fields[element.index], described)
    return type_text(schema.types[element.index], described)


def identify(schema: Schema, element: Element) -> str:
    """A name for the element that no other schema's element has."""
    if element.kind == "field":
        return f"{schema.name}:{schema.fields[element.index].coordinate}"
    return f"{schema.name}:{schema.types[element.index].name}"


if __name__ == "__main__":
    main()
