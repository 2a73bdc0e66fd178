#!/usr/bin/env python3
"""Tunes the sentence encoder on pairs of a question and the schema element that answers it.

The loss is InfoNCE (van den Oord et al., "Representation Learning with
Contrastive Predictive Coding", 2018): in a batch, each question must pick its
own answer among all answers and all hard negatives. Texts that are fair answers
too are left out of the choice. The word embeddings stay as they are: the data
is small, and a moved embedding would break the words it does not hold.

One thread and one seed: the same pairs give the same weights on one machine.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

import encoder

LONGEST = 40  # tokens of a question and of an answer; more costs time and gains nothing
CHUNK = 32  # texts that go through the network together
WARM_UP = 0.08  # share of the schedule over which the learning rate rises
VALIDATION = 8  # batches at the end of the file that are never trained on
REPORT_EVERY = 10  # steps
CLIP = 1.0  # largest norm of the gradient


def main() -> None:
    options = arguments()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    batches = options.pairs.read_text().splitlines()
    validation = [json.loads(batch) for batch in batches[-VALIDATION:]]
    batches = batches[:-VALIDATION]

    config = json.loads((options.base / "config.json").read_text())
    tokenizer = encoder.read_tokenizer(options.base)
    weights = encoder.read_weights(options.base / "model.safetensors")
    trained = [tensor.requires_grad_() for name, tensor in weights.items() if name.startswith("encoder.layer.")]
    optimizer = adam(trained, options.learning_rate)

    def score(batch: list[dict]) -> tuple[torch.Tensor, float]:
        return contrast(weights, config, tokenizer, batch, options.temperature)

    validate(score, validation, 0)
    started = time.monotonic()
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = options.learning_rate * schedule(step, options.schedule)
        loss, accuracy = score(json.loads(batches[step % len(batches)]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, CLIP)
        optimizer.step()
        if step % REPORT_EVERY == 0:
            pace = (time.monotonic() - started) / (step + 1)
            print(f"step {step}: loss {loss.item():.3f}, right {accuracy:.3f}, {pace:.2f} s a step", flush=True)
    validate(score, validation, options.steps)

    save_file({name: tensor.detach().contiguous() for name, tensor in weights.items()}, options.out)
    print(f"{options.out}: {options.steps} steps in {time.monotonic() - started:.0f} s")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog="Example: train.py --base minilm --pairs pairs.jsonl --out tuned.safetensors",
    )
    parser.add_argument("--base", type=Path, required=True, metavar="DIR", help="the untuned encoder's folder, from fetch.py")
    parser.add_argument("--pairs", type=Path, required=True, metavar="FILE", help="batches, from pairs.py")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="safetensors file to write the tuned weights to")
    parser.add_argument(
        "--steps",
        type=int,
        default=200,
        help="batches to train on (default %(default)s; more fits these schemas better and others worse)",
    )
    parser.add_argument(
        "--schedule",
        type=int,
        default=400,
        help="step at which the learning rate would reach zero (default %(default)s)",
    )
    parser.add_argument("--learning-rate", type=float, default=1e-4, help="its peak (default %(default)s)")
    parser.add_argument("--temperature", type=float, default=0.05, help="of the softmax over cosines (default %(default)s)")
    return parser.parse_args()


def adam(trained: list[torch.Tensor], learning_rate: float) -> torch.optim.Optimizer:
    """AdamW that decays matrices only: biases and norms have no reason to be small."""
    matrices = [tensor for tensor in trained if tensor.ndim == 2]
    vectors = [tensor for tensor in trained if tensor.ndim == 1]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0}],
        lr=learning_rate,
        betas=(0.9, 0.98),
        fused=True,
    )


def schedule(step: int, steps: int) -> float:
    """The learning rate's share of its peak: a linear rise, then a linear fall to zero at `steps`."""
    rise = max(1, steps * WARM_UP)
    return min(1, (step + 1) / rise) * (1 - step / steps if step > rise else 1)


def contrast(
    weights: encoder.Weights, config: dict, tokenizer: Tokenizer, batch: list[dict], temperature: float
) -> tuple[torch.Tensor, float]:
    """InfoNCE over a batch: the mean loss, and the share of questions that pick their own answer.

    A question's row of scores has `2 × len(batch)` columns: all answers, then
    all hard negatives.
    """
    questions = [row["question"] for row in batch]
    texts = [row["answer"] for row in batch] + [row["negative"] for row in batch]
    with torch.autocast("cpu", torch.bfloat16):
        asked = encoder.embed(weights, config, tokenizer, questions, LONGEST, CHUNK)
        found = encoder.embed(weights, config, tokenizer, texts, LONGEST, CHUNK)
    scores = (asked.float() @ found.float().T) / temperature
    scores = scores.masked_fill(fair_answers(batch, texts), -1e4)
    own = torch.arange(len(batch))
    loss = torch.nn.functional.cross_entropy(scores, own)
    return loss, (scores.argmax(dim=1) == own).float().mean().item()


def fair_answers(batch: list[dict], texts: list[str]) -> torch.Tensor:
    """Bool `[len(batch), len(texts)]`: texts, other than a question's own, that answer it as well."""
    elements = [row["answer_element"] for row in batch] + [row["negative_element"] for row in batch]
    fair = torch.zeros(len(batch), len(texts), dtype=torch.bool)
    for index, row in enumerate(batch):
        answers = set(row["fair"])
        for column, (element, text) in enumerate(zip(elements, texts, strict=True)):
            fair[index, column] = column != index and (element in answers or text == row["answer"])
    return fair


@torch.no_grad()
def validate(score, batches: list[list[dict]], step: int) -> None:
    """Prints the mean loss over batches that are not trained on, from the same schemas."""
    figures = [score(batch) for batch in batches]
    loss = sum(float(loss) for loss, _ in figures) / len(figures)
    accuracy = sum(accuracy for _, accuracy in figures) / len(figures)
    print(f"validation after {step} steps: loss {loss:.3f}, right {accuracy:.3f}", flush=True)


if __name__ == "__main__":
    main()
