#!/usr/bin/env python3
"""Turns a BERT encoder's float weights into the 8-bit model.onnx that Sextant embeds.

Three steps: mix tuned weights with the ones the tuning began from (optional),
write the encoder as ONNX in float32, and store its weight matrices in 8 bits.
No scale is ever taken over a whole batch, as dynamic quantisation does, so a
text's vector does not depend on the texts beside it. At the end the 8-bit model
is compared with the float one, and the script fails where they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import bert_onnx

BLOCK = 32  # weights that share one scale
INT8_ACCUMULATION = 4  # MatMulNBits' accuracy_level: multiply in int8
LEAST_COSINE = 0.999  # of a vector to the float model's
LEAST_BATCH_COSINE = 0.99999  # of a text's vector alone to the same among others

# Short and long, words and identifiers: what a schema and its readers write. Not
# a single word: the mean of three tokens evens out less, and reaches 0.998 only.
PROBES = [
    "how an employee feels today",
    "employee details: details. Personal details of the employee.",
    "query repository: repository. Lookup a given repository by the owner and repository name.",
    "delete a branch",
    "pull requests with their review threads and whether each is resolved",
    "PageInfo hasNextPage endCursor",
    "Mood. How somebody feels. happy sad",
    "issue labels",
    "The date and time at which the order was fulfilled, in UTC, or null where it is still open. " * 3,
]


def main() -> None:
    options = arguments()
    config = json.loads((options.base / "config.json").read_text())
    weights = read_weights(options.base / "model.safetensors")
    if options.tuned:
        weights = mix(weights, read_weights(options.tuned), options.alpha)

    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        float_model = Path(scratch) / "float.onnx"
        onnx.save(bert_onnx.build(weights, config), float_model)
        model = options.out / "model.onnx"
        quantise(float_model, model, Path(scratch))
        tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
        check(float_model, model, tokenizer)
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(options.base / name, options.out / name)

    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    print(f"{model}: {model.stat().st_size / 1e6:.1f} MB, SHA-256 {digest}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog="Example: build.py --base minilm --tuned tuned.safetensors --alpha 0.75 --out models",
    )
    parser.add_argument(
        "--base",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder with the untuned model.safetensors, tokenizer.json and config.json",
    )
    parser.add_argument("--tuned", type=Path, metavar="FILE", help="tuned weights of the same model (safetensors)")
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.75,
        help="share of the tuned weights in the mix, 0 to 1 (default %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder to write model.onnx, tokenizer.json and config.json to",
    )
    options = parser.parse_args()
    if not 0 <= options.alpha <= 1:
        parser.error(f"--alpha is {options.alpha}; it is a share from 0 to 1")
    needed = [options.base / name for name in ("model.safetensors", "tokenizer.json", "config.json")]
    for path in [*needed, *([options.tuned] if options.tuned else [])]:
        if not path.is_file():
            parser.error(f"{path} is missing; scripts/model/README.md says where to get it")
    return options


def read_weights(path: Path) -> bert_onnx.Weights:
    """The float tensors of a safetensors file, as float32, named without the `bert.` prefix."""
    return {
        name.removeprefix("bert."): tensor.astype(np.float32)
        for name, tensor in load_file(path).items()
        if np.issubdtype(tensor.dtype, np.floating)
    }


def mix(base: bert_onnx.Weights, tuned: bert_onnx.Weights, alpha: float) -> bert_onnx.Weights:
    """`(1 - alpha) · base + alpha · tuned`, tensor by tensor.

    Interpolating keeps much of what the model knew before it was tuned:
    Wortsman et al., "Robust fine-tuning of zero-shot models", 2022.
    """
    if base.keys() != tuned.keys():
        differing = sorted(base.keys() ^ tuned.keys())
        sys.exit(f"The tuned weights are not of the base model: they differ in {', '.join(differing[:3])}.")
    share = np.float32(alpha)
    return {name: (1 - share) * base[name] + share * tuned[name] for name in base}


def quantise(source: Path, target: Path, scratch: Path) -> None:
    """Stores `source`'s matrices in 8 bits: symmetric blocks for MatMul, int8 for the embedding tables."""
    quantizer = MatMulNBitsQuantizer(
        onnx.load(source), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=INT8_ACCUMULATION
    )
    quantizer.process()
    half_way = scratch / "matmul.onnx"
    quantizer.model.save_model_to_file(str(half_way), False)
    quantize_dynamic(
        half_way,
        target,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["Gather"],
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )


def check(float_model: Path, model: Path, tokenizer: Tokenizer) -> None:
    """Stops unless the 8-bit vectors are those of the float model, alone and in a batch."""
    expected = embed(float_model, tokenizer, PROBES)
    batch = embed(model, tokenizer, PROBES)
    alone = np.concatenate([embed(model, tokenizer, [text]) for text in PROBES])
    cosine = (expected * batch).sum(axis=1).min()
    batch_cosine = (alone * batch).sum(axis=1).min()
    print(f"cosine to the float model: at least {cosine:.6f}; alone to in a batch: at least {batch_cosine:.6f}")
    if cosine < LEAST_COSINE or batch_cosine < LEAST_BATCH_COSINE:
        sys.exit(f"The 8-bit model is not faithful: {LEAST_COSINE} and {LEAST_BATCH_COSINE} are needed.")


def embed(model: Path, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    """Unit vectors `[len(texts), hidden_size]`: the mean over each text's tokens, normalised."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    tokenizer.no_padding()
    encodings = tokenizer.encode_batch(texts)
    longest = max(len(encoding) for encoding in encodings)
    ids, mask = np.zeros((2, len(texts), longest), np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding)] = encoding.ids
        mask[row, : len(encoding)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (hidden,) = session.run(["last_hidden_state"], inputs)
    mean = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


if __name__ == "__main__":
    # The quantizers tell every matrix they meet; what matters is printed above.
    logging.disable(logging.WARNING)
    main()
