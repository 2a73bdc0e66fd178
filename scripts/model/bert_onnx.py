"""Writes a BERT encoder as an ONNX graph, from its weights alone.

The graph is built node by node rather than traced, so it needs no machine
learning framework, is the same on every machine, and keeps the weights' own
names. Architecture: Devlin et al., "BERT: Pre-training of Deep Bidirectional
Transformers for Language Understanding", 2019 (post-norm encoder, exact GELU).
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17  # the first one with LayerNormalization
MASKED = np.float32(-10_000.0)  # added to the attention score of padding

Weights = dict[str, np.ndarray]


def build(weights: Weights, config: dict) -> onnx.ModelProto:
    """The encoder as a float32 model.

    `weights` are named as Hugging Face names them, without the `bert.` prefix;
    `config` is the model's config.json. Inputs: `input_ids`, `attention_mask`,
    `token_type_ids`, int64 `[batch, seq]`. Output: `last_hidden_state`, float32
    `[batch, seq, hidden_size]`.
    """
    graph = _Graph(weights, config["layer_norm_eps"])
    hidden, heads = config["hidden_size"], config["num_attention_heads"]

    x = _embeddings(graph)
    mask = _attention_bias(graph)
    for layer in range(config["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}."
        attended = _self_attention(graph, x, mask, f"{prefix}attention.self.", hidden, heads)
        attended = graph.linear(attended, f"{prefix}attention.output.dense")
        x = graph.layer_norm(graph.op("Add", attended, x), f"{prefix}attention.output.LayerNorm")

        inner = _gelu(graph, graph.linear(x, f"{prefix}intermediate.dense"))
        inner = graph.linear(inner, f"{prefix}output.dense")
        x = graph.layer_norm(graph.op("Add", inner, x), f"{prefix}output.LayerNorm")

    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    tokens = ["batch", "seq"]
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "bert",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, tokens)
                for name in ("input_ids", "attention_mask", "token_type_ids")
            ],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*tokens, hidden])],
            list(graph.tensors.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
    )


class _Graph:
    """Nodes and tensors collected so far; every method returns a tensor's name."""

    def __init__(self, weights: Weights, epsilon: float):
        self.weights = weights
        self.epsilon = epsilon
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def tensor(self, name: str, values) -> str:
        if name not in self.tensors:
            # ascontiguousarray would turn a scalar into a vector of one.
            array = np.asarray(values)
            array = np.ascontiguousarray(array) if array.ndim else array
            self.tensors[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name: str) -> str:
        return self.tensor(name, self.weights[name])

    def integers(self, name: str, values) -> str:
        return self.tensor(name, np.array(values, np.int64))

    def number(self, name: str, value: float) -> str:
        return self.tensor(name, np.array(value, np.float32))

    def linear(self, x: str, name: str) -> str:
        # MatMul wants [in, out]; the weights are stored [out, in].
        matrix = self.tensor(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", x, matrix), self.weight(f"{name}.bias"))

    def layer_norm(self, x: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=self.epsilon)


def _embeddings(graph: _Graph) -> str:
    word = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids", axis=0)
    kind = graph.op("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids", axis=0)
    length = graph.op("Gather", graph.op("Shape", "input_ids"), graph.integers("axis_seq", 1), axis=0)
    length = graph.op("Unsqueeze", length, graph.integers("axis_0", [0]))
    position = graph.op(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        graph.integers("from_start", [0]),
        length,
        graph.integers("axis_0", [0]),
    )
    total = graph.op("Add", graph.op("Add", word, kind), position)
    return graph.layer_norm(total, "embeddings.LayerNorm")


def _attention_bias(graph: _Graph) -> str:
    """`[batch, 1, 1, seq]`: 0 where there is a token, `MASKED` where there is padding."""
    mask = graph.op("Unsqueeze", "attention_mask", graph.integers("axes_heads_query", [1, 2]))
    mask = graph.op("Cast", mask, to=TensorProto.FLOAT)
    absent = graph.op("Sub", graph.number("one", 1), mask)
    return graph.op("Mul", absent, graph.number("masked", MASKED))


def _self_attention(graph: _Graph, x: str, mask: str, prefix: str, hidden: int, heads: int) -> str:
    width = hidden // heads
    split = graph.integers("split_heads", [0, 0, heads, width])
    join = graph.integers("join_heads", [0, 0, hidden])

    def project(name: str, order: list[int]) -> str:
        projected = graph.op("Reshape", graph.linear(x, prefix + name), split)
        return graph.op("Transpose", projected, perm=order)

    query = project("query", [0, 2, 1, 3])
    key = project("key", [0, 2, 3, 1])
    value = project("value", [0, 2, 1, 3])
    scores = graph.op("Div", graph.op("MatMul", query, key), graph.number("sqrt_width", width**0.5))
    shares = graph.op("Softmax", graph.op("Add", scores, mask), axis=-1)
    mixed = graph.op("Transpose", graph.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.op("Reshape", mixed, join)


def _gelu(graph: _Graph, x: str) -> str:
    """x/2 · (1 + erf(x/√2)): the exact form, not the tanh approximation."""
    erf = graph.op("Erf", graph.op("Div", x, graph.number("sqrt_2", 2**0.5)))
    doubled = graph.op("Mul", x, graph.op("Add", erf, graph.number("one", 1)))
    return graph.op("Mul", doubled, graph.number("half", 0.5))
