"""Turn the resolved names of each package into questions with their answers.

    python3 rows.py WORK > truth.jsonl

One line a question: {language, package, split, target, name, symbol, kind,
answers, optional}. The conventions stand in README.md; in short, `answers` are
what must be found, and `optional` is what may be found without being counted,
because the language server could not tell or tools rightly differ.
"""

import argparse
import json
import random
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a question is asked about, and of those, what can be called.
CLASSES = {"class", "struct", "enum", "trait", "interface"}
FUNCTIONS = {"function", "method", "assigned"}
CALLABLE = FUNCTIONS | {"class", "constructor", "signature", "accessor", "property"}
# What may be called where it is only mentioned: a function passed on as a value,
# a property that is read.
PASSED = FUNCTIONS | {"accessor", "property", "signature"}
# Functions that stand inside an expression: a tool may name them, or the
# declaration that they stand in.
UNNAMED = {"property", "assigned"}


class Package:
    """The table of one package, with what follows from it."""

    def __init__(self, table):
        self.table = table
        self.definitions = table["definitions"]
        self.language = table["language"]
        self.members = defaultdict(list)
        for definition in self.definitions:
            self.members[definition["group"]].append(definition)
        self.by_name = defaultdict(set)
        for definition in self.definitions:
            if definition["kind"] != "value":
                self.by_name[definition["name"]].add(definition["group"])
        self.constructors = defaultdict(set)
        for definition in self.definitions:
            if definition["kind"] == "constructor" and definition["parent"] is not None:
                self.constructors[self.group(definition["parent"])].add(definition["group"])
        self.owner = {one: group for group, ones in self.constructors.items() for one in ones}
        self.related = self.relate()
        # The sites that may bear on a symbol, and those that stand in one.
        self.naming, self.unknown, self.inside = defaultdict(list), defaultdict(list), defaultdict(list)
        for site in table["sites"]:
            for group in {self.group(identity) for identity in site["to"]}:
                self.naming[group].append(site)
            if site.get("unknown"):
                self.unknown[site["name"]].append(site)
            for around in self.chain(site["within"]):
                self.inside[around["group"]].append(site)

    def group(self, identity):
        """The group that a definition belongs to."""
        return self.definitions[identity]["group"]

    def relate(self):
        """For each member, those that it overrides and that override it."""
        up, down = defaultdict(set), defaultdict(set)
        for child, base in self.table["overrides"]:
            up[self.group(child)].add(self.group(base))
            down[self.group(base)].add(self.group(child))
        # A base's override in a class between is one too, so both directions
        # are followed to their end.
        return defaultdict(set, {group: reach(group, up) | reach(group, down) for group in set(up) | set(down)})

    def item(self, group):
        """A definition as an answer: every place that shows it."""
        places = [place(one) for one in self.members[group]]
        return {"name": self.members[group][0]["qualified"], "places": places}

    def construction(self, group):
        """A class and its constructors, which are one answer."""
        base = self.owner.get(group, group)
        return {base} | self.constructors.get(base, set())

    def chain(self, identity):
        """The definitions around a place, innermost first."""
        while identity is not None:
            yield self.definitions[identity]
            identity = self.definitions[identity]["parent"]

    def local(self, definition):
        """Whether a function stands inside another function."""
        return any(one["kind"] in CALLABLE - {"class"} for one in self.chain(definition["parent"]))

    def eligible(self):
        """What the sample is drawn from: functions, methods and classes."""
        lines = defaultdict(set)
        for definition in self.definitions:
            if definition["kind"] != "value":
                lines[definition["path"], definition["line"]].add(definition["group"])
        chosen = []
        for group, members in self.members.items():
            with_body = [one for one in members if one["body"] or one["kind"] in CLASSES]
            if not with_body or with_body[-1]["kind"] not in FUNCTIONS | CLASSES:
                continue
            one = with_body[-1]
            if one.get("test") or not one["name"].strip("#").isidentifier():
                continue
            if self.language in ("typescript", "javascript") and one["kind"] == "function" and self.local(one):
                continue
            # `this.hook = function …` sets a property; it is no declaration.
            if one["kind"] == "assigned" and (self.local(one) or one["name"] == "exports"):
                continue
            if len(lines[one["path"], one["line"]]) == 1:
                chosen.append((one["path"], one["line"], group, one))
        return [(group, one) for _, _, group, one in sorted(chosen, key=lambda entry: entry[:2])]


def reach(start, edges):
    """Everything reachable, without the start."""
    seen, stack = set(), [start]
    while stack:
        for following in edges.get(stack.pop(), ()):
            if following not in seen:
                seen.add(following)
                stack.append(following)
    return seen - {start}


def place(definition):
    """Where a definition stands: any line from its first to that of its name."""
    return {"path": definition["path"], "from": min(definition["from"], definition["line"]), "line": definition["line"]}


class Answers:
    """The answers to one question, each once."""

    def __init__(self):
        self.required, self.optional = {}, {}

    def add(self, key, item, required):
        """Add one; what is required once stays so."""
        if required:
            self.required.setdefault(key, item)
        else:
            self.optional.setdefault(key, item)

    def fields(self):
        """The two lists, as the row carries them."""
        extra = [item for key, item in self.optional.items() if key not in self.required]
        return {"answers": list(self.required.values()), "optional": extra}


def sites_of(package, group):
    """The sites that may bear on a symbol, each once, in their order."""
    near = package.construction(group) | package.related[group]
    found = [site for one in sorted(near) for site in package.naming[one]] + package.unknown[package.members[group][0]["name"]]
    return list({id(site): site for site in found}.values())


def bearing(package, group, site):
    """How a site bears on a symbol: 'is', 'may', or not at all."""
    wanted = package.construction(group)
    groups = {package.group(identity) for identity in site["to"]}
    if groups & wanted:
        return "may" if site.get("soft") else "is"
    if groups & package.related[group]:
        return "may"
    if site.get("unknown") and site["name"] == package.members[group][0]["name"]:
        return "may"
    return None


def callers(package, group):
    """Who calls a symbol."""
    answers = Answers()
    for site in sites_of(package, group):
        how = bearing(package, group, site)
        if how is None or site["role"] == "import" or (site.get("unknown") and site["role"] != "call"):
            continue
        if site["role"] == "mention" and package.members[group][0]["kind"] not in PASSED:
            continue
        around = list(package.chain(site["within"]))
        if not around:
            # A tool may show the file, at its top or at the call.
            lines = [{"path": site["path"], "from": line, "line": line} for line in (1, site["line"])]
            answers.add(("module", site["path"], site["line"]), {"name": site["path"], "places": lines}, False)
            continue
        inner = around[0]
        certain = how == "is" and site["role"] == "call" and inner["kind"] in FUNCTIONS | {"constructor", "accessor", "property"}
        item = package.item(inner["group"])
        unnamed = inner["kind"] in UNNAMED or (inner["kind"] == "function" and package.local(inner) and package.language in ("typescript", "javascript"))
        for outer in around[1:]:
            if certain and unnamed:
                item = {"name": item["name"], "places": item["places"] + package.item(outer["group"])["places"]}
            answers.add(outer["group"], package.item(outer["group"]), False)
            unnamed = unnamed and outer["kind"] in UNNAMED
        answers.add(inner["group"], item, certain)
    return answers.fields()


def callees(package, group):
    """What a function calls."""
    answers = Answers()
    mine = {one["id"] for one in package.members[group]}
    decorators = [site for site in package.table["sites"] if decorates(package, group, site)]
    for site in package.inside[group] + decorators:
        if site["role"] == "import":
            continue
        around = [one["id"] for one in package.chain(site["within"])]
        inside = bool(around) and around[0] in mine
        for target in {package.group(identity) for identity in site["to"]}:
            kind = package.members[target][0]["kind"]
            if site["role"] == "mention" and kind not in PASSED:
                continue
            certain = inside and site["role"] == "call" and not site.get("soft") and kind in CALLABLE
            forms = package.construction(target)
            item = {"name": package.item(target)["name"], "places": [p for form in sorted(forms) for p in package.item(form)["places"]]}
            answers.add(min(forms), item, certain)
            for other in package.related[target]:
                answers.add(other, package.item(other), False)
        if site.get("unknown") and site["role"] == "call":
            for other in package.by_name[site["name"]]:
                answers.add(other, package.item(other), False)
    return answers.fields()


def decorates(package, group, site):
    """Whether a site stands in a definition's decorators."""
    return any(one["from"] <= site["line"] < one["line"] and one["path"] == site["path"] for one in package.members[group])


def references(package, group):
    """Where a symbol is named."""
    answers = Answers()
    for site in sites_of(package, group):
        how = bearing(package, group, site)
        if how is None:
            continue
        groups = {package.group(identity) for identity in site["to"]}
        certain = how == "is" and (group in groups or site["role"] == "call")
        around = [place(one) for one in package.chain(site["within"])]
        item = {
            "name": site["role"],
            "places": [{"path": site["path"], "from": site["line"], "line": site["line"]}],
            "within": around,
        }
        answers.add((site["path"], site["line"]), item, certain)
    for own in package.item(group)["places"]:
        line = {"path": own["path"], "from": own["line"], "line": own["line"]}
        answers.add((own["path"], own["line"]), {"name": "definition", "places": [line], "within": []}, False)
    return answers.fields()


def defines(package, name):
    """What a qualified name defines; a longer name that ends in it may be meant too."""
    answers = Answers()
    for group, members in package.members.items():
        if members[0]["kind"] == "value" and members[0]["name"] != name:
            continue
        qualified = members[0]["qualified"]
        if qualified == name and members[0]["kind"] != "value":
            answers.add(group, package.item(group), True)
        elif qualified == name or qualified.endswith((f".{name}", f"::{name}")):
            answers.add(group, package.item(group), False)
    return answers.fields()


def rows(table, split, seed, count):
    """The questions about one package."""
    package = Package(table)
    pool = package.eligible()
    chooser = random.Random(f"{seed}:{table['language']}:{table['package']}")
    for group, one in sorted(chooser.sample(pool, min(count, len(pool))), key=lambda pair: (pair[1]["path"], pair[1]["line"])):
        shared = {
            "language": table["language"], "package": table["package"], "split": split, "name": one["qualified"],
            "symbol": one["kind"], "location": f"{one['path']}:{one['line']}", "self": [spot for form in sorted(package.construction(group)) for spot in package.item(form)["places"]],
        }
        where = {"target": shared["location"]}
        constructs = one["kind"] == "class" and table["language"] in ("python", "typescript", "javascript")
        if one["kind"] in FUNCTIONS or constructs:
            yield shared | where | {"kind": "callers"} | callers(package, group)
        if one["kind"] in FUNCTIONS:
            yield shared | where | {"kind": "callees"} | callees(package, group)
        yield shared | where | {"kind": "references"} | references(package, group)
        yield shared | {"target": one["qualified"], "kind": "defines"} | defines(package, one["qualified"])


def main():
    """Write the questions about every package that has been resolved."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    manifest = tomllib.loads((HERE / "packages.toml").read_text())
    total = defaultdict(int)
    for language in ("python", "typescript", "javascript", "rust", "go"):
        for name in sorted(manifest[language]):
            path = arguments.work / "sites" / f"{language}-{name}.json"
            if not path.exists():
                continue
            split = "test" if f"{language}/{name}" in manifest["test"] else "dev"
            for row in rows(json.loads(path.read_text()), split, manifest["seed"], manifest["symbols_per_package"]):
                total[language, row["kind"]] += 1
                print(json.dumps(row))
    for (language, kind), count in total.items():
        print(f"{language} {kind}: {count}", file=sys.stderr)


if __name__ == "__main__":
    main()
