"""Ask an engine the questions of a truth file, and score its answers.

    python3 score.py WORK                                 the table
    python3 score.py WORK --split dev --misses 40         what was wrong, and where

The engine is any program that prints a graph, {nodes: [{id, name, kind,
location}], edges: [{from, to, kind, location}]}, as JSON. `{dir}`, `{target}`, `{kind}`
and `{index}` in the two commands are filled in.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INDEX = "sextant code index {dir}"
QUERY = "sextant code graph {target} --kind {kind} --code {dir} --json"
KINDS = ("callers", "callees", "references", "defines")
NOTHING = {"nodes": [], "edges": []}
# Nodes that stand for a value or a file. The truth knows functions and types
# only, so that the value behind a call, or another thing of a name, is no error.
VALUES = {"variable", "constant", "field", "property", "parameter", "import"}
FILES = {"module", "file", "package", "namespace"}
UNJUDGED = {"callees": VALUES, "defines": VALUES | FILES}


def fill(command, **values):
    """A command line with its placeholders filled in, as a list of words."""
    return [word.format(**values) for word in shlex.split(command)]


def ask(arguments, folder, index, row):
    """The engine's graph for one question, or what it said instead."""
    words = fill(arguments.query, dir=folder, target=row["target"], kind=row["kind"], index=index)
    try:
        outcome = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
        return answered(json.loads(outcome.stdout))
    except (json.JSONDecodeError, subprocess.TimeoutExpired):
        return NOTHING, "no graph"


def answered(graph):
    """A graph, or nothing with what the engine said instead."""
    return (graph, "") if "nodes" in graph else (NOTHING, graph.get("error", "no graph"))


def ask_all(arguments, folder, index, rows):
    """The engine's graphs for the questions about one package."""
    if not arguments.batch:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            return list(pool.map(lambda row: ask(arguments, folder, index, row), rows))
    words, graphs = fill(arguments.batch, dir=folder, index=index), []
    while len(graphs) < len(rows):
        left = rows[len(graphs) :]
        questions = "".join(json.dumps({"target": row["target"], "kind": row["kind"], "max_hops": 1}) + "\n" for row in left)
        outcome = subprocess.run(words, input=questions, check=False, capture_output=True, text=True)
        graphs += [answered(json.loads(line)) for line in outcome.stdout.splitlines()]
        if len(graphs) < len(rows):
            # The engine ended at this question: it is lost, the next ones are not.
            row, why = rows[len(graphs)], (outcome.stderr.strip().splitlines() or ["no message"])[0]
            print(f"! crashed at {row['kind']} of {row['target']} in {row['language']}/{row['package']}: {why}")
            graphs.append((NOTHING, "crashed"))
    return graphs


def spot(location):
    """A location `path:line`, and what follows the line, if anything."""
    path, _, rest = location.partition(":")
    return path.removeprefix("./"), int(rest.split(":")[0].split("-")[0] or 0)


def shows(places, where):
    """Whether a location is one of the places of a definition."""
    return any(one["path"] == where[0] and one["from"] <= where[1] <= one["line"] for one in places)


def predictions(graph, row, mode):
    """The nodes that the engine answered, by location, each once."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    at = {identity: spot(node["location"]) for identity, node in nodes.items()}
    if row["kind"] == "defines":
        found = list(nodes)
    else:
        mine = {identity for identity in nodes if shows(row["self"], at[identity])}
        near, far = ("from", "to") if row["kind"] == "callees" else ("to", "from")
        edges = [edge for edge in graph["edges"] if not mine or edge[near] in mine]
        found = [edge[far] for edge in edges if edge[far] in nodes]
        if row["kind"] == "references" and mode == "edge":
            return {spot(edge["location"]): nodes[edge[far]] for edge in edges}
    return {at[identity]: nodes[identity] for identity in found}


def judge(row, predicted, mode):
    """Right, wrong and missed answers of one question, and how many were set aside."""
    answers, optional = row["answers"], row["optional"]
    if row["kind"] == "references" and mode == "enclosing":
        answers, optional = enclosing(answers), enclosing(optional) + outside(answers + optional)
    right = [item for item in answers if any(shows(item["places"], where) for where in predicted)]
    missed = [item for item in answers if item not in right]
    known = [item["places"] for item in answers + optional]
    unjudged = UNJUDGED.get(row["kind"], ())
    wrong = [
        (where, node["name"]) for where, node in predicted.items()
        if not any(shows(places, where) for places in known) and node["kind"].lower() not in unjudged
    ]
    hits = {where for where in predicted if any(shows(item["places"], where) for item in answers)}
    return right, wrong, missed, len(predicted) - len(hits) - len(wrong)


def enclosing(items):
    """Sites as the innermost definitions around them."""
    found = {}
    for item in items:
        if item["within"]:
            found[json.dumps(item["within"][0])] = {"name": item["name"], "places": [item["within"][0]]}
    return list(found.values())


def outside(items):
    """What else may stand for a site: an outer definition, or the file."""
    extra = [{"name": "", "places": item["within"][1:]} for item in items]
    files = {item["places"][0]["path"] for item in items if not item["within"]}
    return extra + [{"name": "", "places": [{"path": path, "from": 1, "line": 1}]} for path in files]


def source_line(folder, where):
    """The line of source at a location."""
    try:
        return (folder / where[0]).read_text(errors="replace").split("\n")[where[1] - 1].strip()[:110]
    except (OSError, IndexError):
        return "?"


def report_miss(sign, row, folder, where, name):
    """One wrong or missed answer, with the line of source it is about."""
    print(f"{sign} {row['language']}/{row['package']} {row['kind']} of {row['name']} ({row['location']})")
    print(f"    {where[0]}:{where[1]} {name}: {source_line(folder, where)}")


def percent(part, whole):
    """A share as text; nothing to share is a dash."""
    return f"{100 * part / whole:5.1f} %" if whole else "      –"


def table(counts):
    """The table by language and kind."""
    print(f"{'language':<12}{'kind':<12}{'symbols':>8}{'answers':>9}{'precision':>11}{'recall':>9}{'set aside':>11}")
    for language in dict.fromkeys(key[0] for key in counts):
        for kind in KINDS:
            one = counts[language, kind]
            if one["symbols"]:
                answered, wanted = one["right"] + one["wrong"], one["right"] + one["missed"]
                print(f"{language:<12}{kind:<12}{one['symbols']:>8}{wanted:>9}{percent(one['right'], answered):>11}{percent(one['right'], wanted):>9}{one['aside']:>11}")


def measure(arguments, work, questions, scratch):
    """Ask and judge package by package, then print."""
    counts, shown, judged = defaultdict(Counter), Counter(), []
    for (language, package), rows in questions.items():
        folder, index = work / "corpus" / language / package, Path(scratch) / f"{language}-{package}.sqlite"
        if arguments.index:
            outcome = subprocess.run(fill(arguments.index, dir=folder, index=index), check=False, capture_output=True, text=True)
            if outcome.returncode:
                sys.exit(f"indexing {language}/{package} failed: {outcome.stderr[-500:]}")
        graphs = ask_all(arguments, folder, index, rows)
        for row, (graph, said) in zip(rows, graphs, strict=True):
            predicted = predictions(graph, row, arguments.references)
            right, wrong, missed, aside = judge(row, predicted, arguments.references)
            if said and arguments.misses:
                print(f"! {language}/{package} {row['kind']} of {row['target']}: {said}")
            one = counts[language, row["kind"]]
            one.update(symbols=1, right=len(right), wrong=len(wrong), missed=len(missed), aside=aside, silent=bool(said))
            found = [("+ wrong ", where, name) for where, name in wrong]
            found += [("- missed", (item["places"][0]["path"], item["places"][0]["line"]), item["name"]) for item in missed]
            for sign, where, name in found:
                judged.append({"sign": sign.strip(), "where": where, "answer": name, **{k: row[k] for k in ("language", "package", "kind", "name", "location")}})
                if shown[language, row["kind"]] < arguments.misses:
                    shown[language, row["kind"]] += 1
                    report_miss(sign, row, folder, where, name)
    table(counts)
    silent = sum(one["silent"] for one in counts.values())
    if silent:
        print(f"{silent} questions were answered by no graph")
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(one) + "\n" for one in judged))


def main():
    """Read the command line and the questions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--truth", type=Path, help="the truth file [default: WORK/truth.jsonl]")
    parser.add_argument("--index", default=INDEX, help="the command that indexes {dir}; empty for none")
    parser.add_argument("--query", default=QUERY, help="the command that answers {target} and {kind}")
    parser.add_argument("--batch", help="instead of --query: one process a package, a question {target, kind, max_hops} a line in, a graph a line out")
    parser.add_argument("--split", choices=["dev", "test"], help="only this half of the packages")
    parser.add_argument("--language", action="append", help="only this language (may be repeated)")
    parser.add_argument("--package", action="append", help="only this package (may be repeated)")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind (may be repeated)")
    parser.add_argument("--misses", type=int, default=0, help="show this many wrong and missed answers of each language and kind")
    parser.add_argument("--references", choices=["site", "edge", "enclosing"], default="edge", help="where a reference stands in the graph")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write every judged answer here, as JSON lines")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    questions = defaultdict(list)
    for line in (arguments.truth or work / "truth.jsonl").read_text().splitlines():
        row = json.loads(line)
        if (
            arguments.split in (None, row["split"]) and row["language"] in (arguments.language or [row["language"]])
            and row["package"] in (arguments.package or [row["package"]]) and row["kind"] in (arguments.kind or KINDS)
        ):
            questions[row["language"], row["package"]].append(row)
    with tempfile.TemporaryDirectory(prefix="index-", dir=work) as scratch:
        measure(arguments, work, questions, scratch)


if __name__ == "__main__":
    main()
