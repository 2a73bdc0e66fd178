#!/usr/bin/env python3
"""Fits the weights of the ranking, and says how well they do on APIs left out of the fit.

    sextant eval DATA --schemas DIR --features features.jsonl
    fit.py features.jsonl --data DATA [--weights src/index/search/ranking.json]

Three lines over standardised features, each fitted by listwise softmax: the
probability of an element is exp(line) over the sum of the candidates', and the mean
log-probability of the wanted ones is maximised, with a quadratic penalty.

    types     over types, on prompts
    prompt    over fields, on prompts: the leaves of an entity
    topic     over fields, on topics: the one field that does it

and a logistic gate that tells prompts from topics. A field's score is
ln(gate · p_prompt + (1 − gate) · p_topic). `src/index/search/ranking.rs` says what the
features are, `src/eval.rs` what the rows of DATA are. Needs numpy; takes a minute.
"""
import argparse, json, math, pathlib
from collections import defaultdict
import numpy as np

KINDS_OF_TYPE = {"object", "interface", "union", "enum", "input"}
FLOOR = -8.0            # of a type's line below the best type
PENALTY = 3.0
SHARPNESS = 1.25        # multiplies the topic line in the mixture
GATE = ["one", "length", "stop_words", "imperative", "sentence", "of_or_by"]
TYPES = ["meaning", "best_member", "best_returning", "returning_rank", "name_covered",
         "plumbing", "payload", "root", "input"]
PROMPT = ["meaning", "words", "owner_best_returning", "query_root", "composite", "deprecated", "namesakes",
          "identifier", "entity_covered", "boolean", "owner_line"]
TOPIC = ["name_meaning", "near_words", "name_covered", "named", "nearly_named", "entity_meaning",
         "depth", "query_root", "arguments", "payload", "imperative_mutation", "deprecated",
         "above_siblings", "owner_line", "event_subscription"]
# The features of a line, in the order of its weights; the owner's line is put in later.
MEMBER_LINES = {"prompt": PROMPT, "topic": TOPIC}


def bare(coordinate):
    return coordinate.split(":", 1)[-1]


def api(schema):
    """Schemas of one API are left out together."""
    return next((g for g in ("github", "gitlab", "linear", "shopify", "cosmo", "vendure", "apollo") if g in schema), schema)


def log_softmax(scores):
    top = scores.max()
    return scores - top - math.log(np.exp(scores - top).sum())


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fit_line(rows, penalty=PENALTY):
    """rows: (standardised matrix, wanted positions). Newton's method with step halving; the loss is convex."""
    weights = np.zeros(rows[0][0].shape[1])

    def loss(w):
        return penalty / 2 * w @ w - sum(log_softmax(x @ w)[wanted].mean() for x, wanted in rows)

    current = loss(weights)
    for _ in range(30):
        gradient, hessian = penalty * weights, penalty * np.eye(len(weights))
        for x, wanted in rows:
            p = np.exp(log_softmax(x @ weights))
            mean = p @ x
            gradient = gradient + mean - x[wanted].mean(0)
            hessian += (x * p[:, None]).T @ x - np.outer(mean, mean)
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while size > 1e-4 and (new := loss(weights - size * step)) >= current:
            size /= 2
        if size <= 1e-4 or current - new < 1e-3:
            break
        weights, current = weights - size * step, new
    return weights


def fit_gate(x, y, penalty=1.0):
    weights = np.zeros(x.shape[1])
    ridge = penalty * np.eye(len(weights))
    ridge[0, 0] = 1e-3
    for _ in range(15):
        p = sigmoid(x @ weights)
        weights -= np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + ridge, x.T @ (p - y) + ridge @ weights)
    return weights


class Scale:
    """Standardises columns, so that one penalty fits all."""

    def __init__(self, matrices):
        sample = np.concatenate([m[::5] for m in matrices])
        self.mean, self.deviation = sample.mean(0), sample.std(0) + 1e-6

    def __call__(self, matrix):
        return (matrix - self.mean) / self.deviation


def load(features, data):
    """Joins the dump with what was wanted; a query may be asked of several schemas and in both sets."""
    wanted = defaultdict(list)
    for line in open(data / "aiwg.jsonl", encoding="utf-8"):
        row = json.loads(line)
        wanted[row["schema"], row["query"]].append(
            {"is_prompt": True, "fields": {bare(c) for c in row["targetFields"]},
             "wanted_type_names": {bare(c) for c in row["targetTypes"]}, "mismatch": False, "grades": {}})
    for line in open(data / "judgments.jsonl", encoding="utf-8"):
        row = json.loads(line)
        wanted[row["schema"], row["query"]].append(
            {"is_prompt": False, "wanted_type_names": set(), "mismatch": bool(row.get("mismatch")), "grades": row["relevant"],
             "fields": {bare(c) for c, g in row["relevant"].items() if g == 3 and c.startswith("field:")}})
    rows, seen = [], set()
    for line in open(features, encoding="utf-8"):
        dump = json.loads(line)
        if (key := (dump["schema"], dump["query"])) in seen:
            continue
        seen.add(key)
        features = dump["features"]
        kinds = [c.split(":")[0] for c in features["types"]["coordinates"]]

        def columns(part, names):
            rows = np.array(features[part]["rows"], float)
            return rows[:, [features[part]["names"].index(name) for name in names]]

        shared = {
            "schema": dump["schema"], "api": api(dump["schema"]),
            "gate": np.array([features["gate"][name] for name in GATE]),
            "types": columns("types", TYPES),
            "type_names": features["types"]["coordinates"], "field_names": features["fields"]["coordinates"],
            "searched": np.array([i for i, kind in enumerate(kinds) if kind in KINDS_OF_TYPE]),
            "owner": np.array(features["owners"]),
            **{line: columns("fields", [name for name in names if name != "owner_line"])
               for line, names in MEMBER_LINES.items()},
        }
        for want in wanted[key]:
            rows.append({**shared, **want,
                         "wanted_fields": [i for i, c in enumerate(shared["field_names"]) if bare(c) in want["fields"]],
                         "wanted_types": [i for i, c in enumerate(shared["type_names"])
                                          if bare(c) in want["wanted_type_names"] and kinds[i] in KINDS_OF_TYPE]})
    return rows


class Ranking:
    """Lines and gate, fitted on rows."""

    def __init__(self, rows):
        prompts = [row for row in rows if row["is_prompt"]]
        topics = [row for row in rows if not row["is_prompt"]]
        self.scale = {"types": Scale([row["types"] for row in rows])}
        self.weights = {"types": fit_line([
            (self.scale["types"](row["types"])[row["searched"]], np.searchsorted(row["searched"], row["wanted_types"]))
            for row in prompts if row["wanted_types"]])}
        for line, of_line, sharpness in (("prompt", prompts, 1), ("topic", topics, SHARPNESS)):
            self.scale[line] = Scale([self.matrix(row, line) for row in rows])
            self.weights[line] = sharpness * fit_line([
                (self.scale[line](self.matrix(row, line)), row["wanted_fields"]) for row in of_line if row["wanted_fields"]])
        self.gate = fit_gate(np.stack([row["gate"] for row in rows]), np.array([row["is_prompt"] for row in rows], float))

    def types(self, row):
        return self.scale["types"](row["types"]) @ self.weights["types"]

    def matrix(self, row, line):
        """A line's features in its order, the owner's line among them."""
        score = self.types(row)
        owner = np.maximum(score - score[row["searched"]].max(), FLOOR)[row["owner"]]
        return np.insert(row[line], MEMBER_LINES[line].index("owner_line"), owner, axis=1)

    def fields(self, row):
        gate = sigmoid(self.gate @ row["gate"])
        prompt, topic = (log_softmax(self.scale[line](self.matrix(row, line)) @ self.weights[line]) for line in MEMBER_LINES)
        return np.logaddexp(math.log(gate) + prompt, math.log(1 - gate) + topic)

    def raw(self):
        """Weights for features as they are; a constant added to every candidate changes nothing."""
        rounded = lambda names, values: {name: float(f"{value:.4g}") for name, value in zip(names, values)}
        lines = {"types": TYPES, **MEMBER_LINES}
        raw = {line: rounded(names, self.weights[line] / self.scale[line].deviation) for line, names in lines.items()}
        return {**raw, "gate": rounded(GATE, self.gate)}


def measure(row, ranking, table, prior):
    fields = ranking.fields(row)
    order = np.argsort(-fields, kind="stable")
    if row["is_prompt"]:
        if row["fields"]:
            for k in (10, 50):
                value = sum(i in set(order[:k]) for i in row["wanted_fields"]) / len(row["fields"])
                add(table, row, f"field recall@{k}", value)
        if row["wanted_type_names"]:
            score = ranking.types(row)
            best = sorted(row["searched"], key=lambda i: -score[i])
            for k in (10, 50):
                add(table, row, f"type recall@{k}", sum(i in set(best[:k]) for i in row["wanted_types"]) / len(row["wanted_type_names"]))
        return
    wanted = {c for c, g in row["grades"].items() if g == 3}
    types = log_softmax(ranking.types(row))
    merged = [(fields[i] + math.log(1 - prior), row["field_names"][i]) for i in order[:20]]
    merged += [(types[i] + math.log(prior), row["type_names"][i])
               for i in np.argsort(-types)[:10]]
    merged = [c for _, c in sorted(merged, key=lambda x: (-x[0], x[1]))][:10]
    lists = [("", merged)] + ([("field ", [row["field_names"][i] for i in order[:10]])] if row["fields"] else [])
    for space, found in lists:
        first = next((i for i, c in enumerate(found) if c in wanted), None)
        for name, value in ((f"{space}MRR", 0 if first is None else 1 / (first + 1)), (f"{space}success@10", first is not None)):
            add(table, row, name, value)
            if row["mismatch"]:
                add(table, row, "mismatch " + name, value)
        if not space:
            gain = sum((2 ** row["grades"].get(c, 0) - 1) / math.log2(i + 2) for i, c in enumerate(found))
            ideal = sum((2 ** g - 1) / math.log2(i + 2) for i, g in enumerate(sorted(row["grades"].values(), reverse=True)[:10]))
            add(table, row, "nDCG@10", gain / ideal)


def add(table, row, name, value):
    for schema in (row["schema"], "ALL"):
        table[schema][name].append(value)


def report(title, table):
    print(title)
    for schema, figures in sorted(table.items()):
        print(f"  {schema}: " + ", ".join(f"{n} {100 * np.mean(v):.1f}" for n, v in figures.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--weights", type=pathlib.Path)
    parser.add_argument("--prior", type=float, default=0.0625, help="probability that a type is wanted, over all kinds (search.rs: 0.06 of 0.96)")
    args = parser.parse_args()
    rows = load(args.features, args.data)
    held = defaultdict(lambda: defaultdict(list))
    for left_out in sorted({r["api"] for r in rows}):
        ranking = Ranking([r for r in rows if r["api"] != left_out])
        for row in (r for r in rows if r["api"] == left_out):
            measure(row, ranking, held, args.prior)
    report("held out, one API at a time", held)
    fitted, ranking = defaultdict(lambda: defaultdict(list)), Ranking(rows)
    for row in rows:
        measure(row, ranking, fitted, args.prior)
    report("in sample", {"ALL": fitted["ALL"]})
    text = json.dumps(ranking.raw(), indent=2)
    print(text)
    if args.weights:
        args.weights.write_text(text + "\n")


if __name__ == "__main__":
    main()
