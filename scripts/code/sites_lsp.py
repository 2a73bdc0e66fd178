"""Every name in a Python, Rust or Go tree, resolved by its language server.

    python sites_lsp.py WORK LANGUAGE PACKAGE > sites.json

pyright answers for Python, rust-analyzer for Rust and gopls for Go. Writes the
same form as `sites_typescript.mjs`.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import lsp
import syntax


def debian(work, program):
    """A program of the unpacked Debian tree, run with that tree's libraries."""
    libraries = work / "debian/usr/lib/x86_64-linux-gnu"
    return [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", str(libraries), str(work / "debian/usr/bin" / program)]


def version(command, argument):
    """What a server says of its version."""
    return subprocess.run([*command, argument], capture_output=True, text=True, check=True).stdout.strip()


def start(work, language, root):
    """The language server for a package, and its name and version."""
    if language == "python":
        analysis = {"diagnosticMode": "openFilesOnly", "useLibraryCodeForTypes": True, "indexing": False}
        python = {"pythonPath": str(work / "python/bin/python"), "analysis": analysis}
        program = work / "npm/node_modules/pyright/langserver.index.js"
        server = lsp.Server(["node", str(program), "--stdio"], root, {"python": python, "python.analysis": analysis}, {})
        return server, f"pyright {json.loads((program.parent / 'package.json').read_text())['version']}"
    if language == "rust":
        options = {
            "cargo": {
                "sysrootSrc": str(next((work / "debian/usr/src").glob("rustc-*")) / "library"),
                "buildScripts": {"enable": False}, "features": "all",
            },
            "procMacro": {"enable": False}, "checkOnSave": False, "cachePriming": {"enable": False},
        }
        server = lsp.Server(debian(work, "rust-analyzer"), root, {"rust-analyzer": options}, options)
        server.settle()
        return server, version(debian(work, "rust-analyzer"), "--version")
    go = work / "debian/usr/lib/go-1.24"
    environment = dict(
        os.environ, GO111MODULE="off", GOROOT=str(go), GOFLAGS="", GOTOOLCHAIN="local",
        GOPATH=f"{work / 'gopath'}", PATH=f"{go / 'bin'}:{os.environ['PATH']}",
    )
    server = lsp.Server(debian(work, "gopls"), root, {"gopls": {}}, {}, environment)
    return server, version(debian(work, "gopls"), "version").split("\n")[0]


def read_tree(language, root):
    """All definitions and names of a package, and the text of its files."""
    tree, texts = syntax.Tree(), {}
    for path in sorted(root.rglob(f"*{syntax.LANGUAGES[language].suffix}")):
        text = path.read_bytes().decode(errors="replace")
        relative = path.relative_to(root).as_posix()
        texts[relative] = text
        syntax.Reader(language, relative, text, tree).read()
    return tree, texts


def worth_asking(tree, texts):
    """The names that may mean a definition: its own name, or an alias of one."""
    wanted = {definition.name for definition in tree.definitions}
    aliases = set()
    for name in tree.names:
        line = texts[name.path].split("\n")[name.line] if name.role == "import" else ""
        if f" as {name.text}" in line:
            aliases.add(name.text)
    return [name for name in tree.names if name.text in wanted or name.text in aliases or name.role == "import"]


class Resolver:
    """Asks the server what each name means, and keeps the table of answers."""

    def __init__(self, language, root, server, tree, texts):
        self.language, self.root, self.server, self.tree, self.texts = language, root, server, tree, texts
        self.definitions = [vars(definition) | {"group": definition.id} for definition in tree.definitions]
        self.at = {(d.path, d.line, d.column): d.id for d in tree.definitions}
        self.sites = []
        self.answers = {}

    def resolve(self):
        """Fill the table, file by file."""
        by_file = {}
        for name in worth_asking(self.tree, self.texts):
            by_file.setdefault(name.path, []).append(name)
        for relative, names in by_file.items():
            path = self.root / relative
            self.server.open(path, self.language, self.texts[relative])
            uri = path.as_uri()
            requests = [
                ("textDocument/definition", {"textDocument": {"uri": uri}, "position": {"line": n.line, "character": n.column}})
                for n in names
            ]
            for name, result in zip(names, self.server.ask(requests), strict=True):
                self.keep(name, self.server.locations(result))
            self.server.close(path)

    def keep(self, name, places):
        """Add one answered name to the table."""
        to, itself = [], False
        for path, line, column in places:
            if not path.is_relative_to(self.root):
                continue
            relative = path.relative_to(self.root).as_posix()
            itself = itself or (relative, line, column) == (name.path, name.line, name.column)
            to.append(self.known(relative, line, column, name))
        self.answers[name.path, name.line, name.column] = to
        site = {"path": name.path, "line": name.line + 1, "name": name.text, "within": name.within, "role": name.role}
        if to and not itself:
            self.sites.append(site | {"to": to, "soft": name.role == "macro"})
        elif not places:
            self.sites.append(site | {"to": [], "unknown": True})

    def known(self, relative, line, column, name):
        """The definition at a place; anything else in the tree is a value."""
        place = (relative, line, column)
        if place not in self.at:
            self.at[place] = len(self.definitions)
            self.definitions.append(
                {"id": self.at[place], "group": self.at[place], "kind": "value", "name": name.text, "qualified": name.text,
                 "path": relative, "line": line, "column": column, "start": line, "end": line, "parent": None, "body": False}
            )
        return self.at[place]

    def overrides(self):
        """Which member stands in for which."""
        if self.language == "go":
            return self.implementations()
        members = {}
        for definition in self.tree.definitions:
            if definition.parent is not None:
                members.setdefault((definition.parent, definition.name), []).append(definition.id)
        pairs = []
        for child, *place in self.tree.heritage:
            for base in self.answers.get(tuple(place), []):
                if self.language == "rust":
                    pairs += [[child, other] for other in members.get((base, self.definitions[child]["name"]), [])]
                    continue
                for (parent, name), ids in list(members.items()):
                    if parent == child:
                        pairs += [[mine, other] for mine in ids for other in members.get((base, name), [])]
                pairs.append([child, base])
        return pairs

    def implementations(self):
        """gopls knows which methods implement an interface's."""
        pairs = []
        for definition in self.tree.definitions:
            if definition.kind != "signature":
                continue
            path = self.root / definition.path
            position = {"line": definition.line, "character": definition.column}
            found = self.server.ask_one("textDocument/implementation", {"textDocument": {"uri": path.as_uri()}, "position": position})
            for other, line, column in self.server.locations(found):
                if other.is_relative_to(self.root) and (child := self.at.get((other.relative_to(self.root).as_posix(), line, column))) is not None:
                    pairs.append([child, definition.id])
        return pairs


def main():
    """Resolve one package and print the table."""
    work, language, package = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    root = work / "corpus" / language / package
    if language == "go":
        root = go_root(work, package)
    started = time.monotonic()
    tree, texts = read_tree(language, root)
    server, tool = start(work, language, root)
    resolver = Resolver(language, root, server, tree, texts)
    resolver.resolve()
    overrides = resolver.overrides()
    server.stop()
    group(language, resolver.definitions)
    for definition in resolver.definitions:
        definition["line"] += 1
        definition["from"] = definition.pop("start") + 1
        definition["to"] = definition.pop("end") + 1
    print(f"{language}/{package}: {len(resolver.sites)} names in {time.monotonic() - started:.0f} s", file=sys.stderr)
    json.dump(
        {"language": language, "package": package, "tool": tool, "definitions": resolver.definitions,
         "sites": resolver.sites, "overrides": overrides},
        sys.stdout,
    )


def group(language, definitions):
    """In Python, overloads and a property's setter are one thing with its getter."""
    if language != "python":
        return
    first = {}
    for definition in definitions:
        if definition["kind"] != "value":
            key = (definition["path"], definition["parent"], definition["qualified"])
            definition["group"] = first.setdefault(key, definition["id"])


def go_root(work, package):
    """A package's place in a GOPATH whose other packages are Debian's."""
    tree = tomllib.loads((Path(__file__).parent / "packages.toml").read_text())["go"][package]
    source = work / "gopath/src"
    if not source.exists():
        shutil.copytree(work / "debian/usr/share/gocode/src", source, ignore_dangling_symlinks=True)
    shutil.rmtree(source / tree)
    shutil.copytree(work / "corpus/go" / package, source / tree)
    return source / tree


if __name__ == "__main__":
    main()
