#!/usr/bin/env python3
"""Measures encoders by their vectors alone: no words, no type graph, no learned ranking.

That is what tuning changes, and what published figures of embedding models
compare with; what the program achieves is `sextant eval`'s to say. The data is
a folder of `aiwg.jsonl` (prompts with their target fields and types) and
`judgments.jsonl` (topics with graded coordinates), either of which may be
missing. Schemas that a model was trained on must be left out with --without.
Models after the first are compared with it row by row: a difference whose 95 %
interval holds 0 is none.

Figures, in per cent:
  recall@K         share of a prompt's target fields (types) among the K nearest
  topics           over the topics that have a field of grade 3, ranking fields:
                   MRR, the reciprocal rank of the first such field, and
                   success@10, the share that have one among the first 10
  unlike topics    the same over topics that share no word with their answer
  … by name        the same, fields ranked by their name's own vector; equal
                   names by the field's
  … by both        the same, by the sum of both cosines
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import schema as schemas
from schema import Schema
from texts import field_text, name_text, type_text

LONGEST = 128  # tokens, where the program cuts a text
CHUNK = 32  # texts that go through the network together
RESAMPLES = 2000  # of the rows, for the interval of a difference
Embed = Callable[[list[str]], np.ndarray]


def main() -> None:
    options = arguments()
    prompts = rows(options.data / "aiwg.jsonl", options.without)
    topics = rows(options.data / "judgments.jsonl", options.without)
    names = sorted({*prompts, *topics})
    read = {name: schemas.read(name, options.schemas / f"{name}.graphql") for name in names}
    first: dict[str, list[float]] = {}
    for folder in options.model:
        embed = embedder(folder)
        figures: dict[str, list[float]] = defaultdict(list)
        for name in names:
            measure(read[name], embed, prompts.get(name, []), topics.get(name, []), figures)
        print(folder)
        for figure, values in figures.items():
            gain = f", {gained(first[figure], values)}" if first else ""
            print(f"  {figure}: {100 * np.mean(values):.1f} (n = {len(values)}){gain}", flush=True)
        first = first or figures


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--model", type=Path, nargs="+", required=True, metavar="DIR", help="folders with model.onnx and tokenizer.json"
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with aiwg.jsonl, judgments.jsonl")
    parser.add_argument("--schemas", type=Path, required=True, metavar="DIR", help="folder with NAME.graphql")
    parser.add_argument("--without", nargs="*", default=[], metavar="NAME", help="schemas to leave out: those trained on")
    return parser.parse_args()


def rows(path: Path, without: list[str]) -> dict[str, list[dict]]:
    """The rows of a file by schema."""
    by_schema = defaultdict(list)
    for line in path.read_text().splitlines() if path.exists() else []:
        row = json.loads(line)
        if row["schema"] not in without:
            by_schema[row["schema"]].append(row)
    return by_schema


def embedder(folder: Path) -> Embed:
    """What turns texts into unit vectors float32 `[len(texts), hidden_size]` as the program does; it remembers."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    threads = onnxruntime.SessionOptions()
    threads.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), threads, providers=["CPUExecutionProvider"])
    known: dict[str, np.ndarray] = {}

    def embed(texts: list[str]) -> np.ndarray:
        new = sorted({text for text in texts if text not in known}, key=len)
        for start in range(0, len(new), CHUNK):
            chunk = new[start : start + CHUNK]
            encodings = tokenizer.encode_batch(chunk)
            ids = np.array([encoding.ids for encoding in encodings], np.int64)
            mask = np.array([encoding.attention_mask for encoding in encodings], np.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = session.run(["last_hidden_state"], inputs)[0]
            total = (hidden * mask[:, :, None]).sum(axis=1)
            known.update(zip(chunk, total / np.linalg.norm(total, axis=1, keepdims=True), strict=True))
        return np.stack([known[text] for text in texts])

    return embed


def measure(
    schema: Schema, embed: Embed, prompts: list[dict], topics: list[dict], figures: dict[str, list[float]]
) -> None:
    """Adds each row's figures to the lists."""
    coordinates = np.array([field.coordinate for field in schema.fields])
    by_field = embed([field_text(field) for field in schema.fields])
    if prompts:
        names = np.array([of.name for of in schema.types])
        by_type = embed([type_text(of) for of in schema.types])
        for row in prompts:
            query = embed([row["query"]])[0]
            found = best(coordinates, by_field @ query, 50)
            types_found = best(names, by_type @ query, 50)
            for most in (10, 50):
                for part in ("all", row["schema"]):
                    if row["targetFields"]:
                        figures[f"field recall@{most}, {part}"].append(recall(row["targetFields"], found[:most]))
                    if row["targetTypes"]:
                        figures[f"type recall@{most}, {part}"].append(recall(row["targetTypes"], types_found[:most]))
    if topics:
        by_name = embed([name_text(field) for field in schema.fields])
        for row in topics:
            right = [coordinate for coordinate, grade in row["relevant"].items() if grade == 3]
            wanted = {coordinate.removeprefix("field:") for coordinate in right if coordinate.startswith("field:")}
            if not wanted:
                continue
            query = embed([row["query"]])[0]
            field, name = by_field @ query, by_name @ query
            for how, score in (("", field), (" by name", name + 1e-4 * field), (" by both", field + name)):
                found = best(coordinates, score, len(coordinates))
                rank = next((place for place, coordinate in enumerate(found, 1) if coordinate in wanted), np.inf)
                for part in ("topics", *(["unlike topics"] if row["mismatch"] else [])):
                    figures[f"{part}{how}, MRR"].append(1 / rank)
                    figures[f"{part}{how}, success@10"].append(float(rank <= 10))


def gained(before: list[float], after: list[float]) -> str:
    """The mean difference over the same rows, with its 95 % interval by bootstrap."""
    difference = 100 * (np.array(after) - np.array(before))
    drawn = np.random.default_rng(0).integers(len(difference), size=(RESAMPLES, len(difference)))
    low, high = np.percentile(difference[drawn].mean(axis=1), [2.5, 97.5])
    return f"{difference.mean():+.1f} [{low:+.1f}, {high:+.1f}]"


def best(names: np.ndarray, scores: np.ndarray, most: int) -> list[str]:
    """The names of the highest scores, best first; equal ones in the schema's order."""
    return list(names[np.argsort(-scores, kind="stable")[:most]])


def recall(wanted: list[str], found: list[str]) -> float:
    return sum(name in found for name in wanted) / len(wanted)


if __name__ == "__main__":
    main()
