"""A BERT sentence encoder in PyTorch, as functions over its named weights.

Weights are named as Hugging Face names them, without the `bert.` prefix, so
that ../model/build.py reads what train.py writes. Architecture: Devlin et al.,
"BERT: Pre-training of Deep Bidirectional Transformers for Language
Understanding", 2019; the sentence vector is the mean over the tokens, as in
Reimers and Gurevych, "Sentence-BERT", 2019.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional

Weights = dict[str, torch.Tensor]


def read_weights(path: Path) -> Weights:
    """The tensors of a safetensors file by name; floating-point ones as float32."""
    return {
        name.removeprefix("bert."): tensor.float() if tensor.is_floating_point() else tensor
        for name, tensor in load_file(path).items()
    }


def read_tokenizer(folder: Path) -> Tokenizer:
    """The folder's tokenizer, set neither to cut nor to pad."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def embed(
    weights: Weights, config: dict, tokenizer: Tokenizer, texts: list[str], longest: int, chunk: int
) -> torch.Tensor:
    """Unit vectors `[len(texts), hidden_size]` of texts cut at `longest` tokens.

    Texts of like length go through the network together, `chunk` at a time, so
    that little of the work is padding.
    """
    end = tokenizer.token_to_id("[SEP]")
    tokens = [cut(encoding.ids, longest, end) for encoding in tokenizer.encode_batch(texts)]
    by_length = sorted(range(len(tokens)), key=lambda index: len(tokens[index]))
    vectors = [
        encode(weights, config, *pad([tokens[index] for index in by_length[start : start + chunk]]))
        for start in range(0, len(by_length), chunk)
    ]
    place = torch.empty(len(by_length), dtype=torch.long)
    place[torch.tensor(by_length)] = torch.arange(len(by_length))
    return torch.cat(vectors)[place]


def cut(tokens: list[int], longest: int, end: int) -> list[int]:
    """At most `longest` tokens, of which the last is the `end` token."""
    return tokens if len(tokens) <= longest else [*tokens[: longest - 1], end]


def pad(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and attention mask, both int64 `[len(rows), longest row]`."""
    width = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids, mask


def encode(weights: Weights, config: dict, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Unit vectors float32 `[batch, hidden_size]` of tokens `[batch, seq]`."""
    hidden = weights["embeddings.word_embeddings.weight"][ids]
    hidden = hidden + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    hidden = hidden + weights["embeddings.token_type_embeddings.weight"][0]
    hidden = _layer_norm(weights, config, "embeddings.LayerNorm", hidden)

    attended = mask[:, None, None, :].bool()
    for layer in range(config["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}."
        mixed = _self_attention(weights, config, prefix, hidden, attended)
        mixed = _linear(weights, prefix + "attention.output.dense", mixed)
        hidden = _layer_norm(weights, config, prefix + "attention.output.LayerNorm", hidden + mixed)

        inner = functional.gelu(_linear(weights, prefix + "intermediate.dense", hidden))
        inner = _linear(weights, prefix + "output.dense", inner)
        hidden = _layer_norm(weights, config, prefix + "output.LayerNorm", hidden + inner)

    present = mask[:, :, None].float()
    mean = (hidden.float() * present).sum(dim=1) / present.sum(dim=1)
    return functional.normalize(mean, dim=1)


def _self_attention(
    weights: Weights, config: dict, prefix: str, hidden: torch.Tensor, attended: torch.Tensor
) -> torch.Tensor:
    batch, length, width = hidden.shape
    heads = config["num_attention_heads"]
    # One product for query, key and value is faster than three.
    projections = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    matrix = torch.cat([weights[f"{name}.weight"] for name in projections])
    bias = torch.cat([weights[f"{name}.bias"] for name in projections])
    projected = functional.linear(hidden, matrix, bias)
    query, key, value = projected.view(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=attended)
    return mixed.transpose(1, 2).reshape(batch, length, width)


def _linear(weights: Weights, name: str, hidden: torch.Tensor) -> torch.Tensor:
    return functional.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _layer_norm(weights: Weights, config: dict, name: str, hidden: torch.Tensor) -> torch.Tensor:
    # In float32 whatever the precision around it: the variance needs it.
    return functional.layer_norm(
        hidden.float(),
        (config["hidden_size"],),
        weights[f"{name}.weight"],
        weights[f"{name}.bias"],
        config["layer_norm_eps"],
    )
