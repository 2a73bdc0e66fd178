"""Fetch the pinned packages and language servers, and lay out the corpus.

    python3 fetch.py WORK

Every registry's own client checks what it downloads: pip and npm against the
hashes in lock/, cargo against its lock file, apt against the signed lists of
Debian 13. Nothing is installed outside WORK.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "lock"
DEBIAN = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} trixie main\n"
# The syntax trees that tell a call from a mention; names are resolved by the
# language servers alone.
GRAMMARS = ["tree-sitter==0.26.1", "tree-sitter-python==0.25.0", "tree-sitter-rust==0.24.2", "tree-sitter-go==0.25.0"]


def run(*command, cwd=None, env=None):
    """Run a command, and stop with its name when it fails."""
    outcome = subprocess.run(command, cwd=cwd, env=env, check=False, capture_output=True, text=True)
    if outcome.returncode:
        sys.exit(f"`{' '.join(map(str, command))}` failed:\n{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def python_packages(work):
    """Install the pinned wheels, and the grammars beside them."""
    site = work / "python"
    if not (site / "bin").exists():
        run(sys.executable, "-m", "venv", site)
    run(site / "bin/pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", LOCK / "python.txt")
    tools = work / "tools"
    if not (tools / "bin").exists():
        run(sys.executable, "-m", "venv", tools)
    run(tools / "bin/pip", "install", "--quiet", *GRAMMARS)
    return next((site / "lib").glob("python3*")) / "site-packages"


def npm_packages(work):
    """Install the pinned npm packages; pyright and TypeScript are among them."""
    folder = work / "npm"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCK / "npm" / name, folder)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
    return folder / "node_modules"


def crates(work):
    """Unpack the pinned crates."""
    folder = work / "crates"
    run("cargo", "vendor", "--quiet", "--locked", "--manifest-path", LOCK / "crates/Cargo.toml", folder)
    return folder


def debian_packages(work):
    """Unpack rust-analyzer, the standard library's source, gopls and Go."""
    root, apt = work / "debian", work / "apt"
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    # The mirror that this machine uses, but Debian 13 whatever it runs.
    mirrors = run("apt-get", "indextargets", "--format", "$(REPO_URI)").split()
    mirror = next(one for one in mirrors if "security" not in one)
    (apt / "sources.list").write_text(DEBIAN.format(mirror=mirror))
    (apt / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{apt}/sources.list";\nDir::Etc::sourceparts "/dev/null";\n'
        f'Dir::State::lists "{apt}/lists";\nDir::Cache "{apt}/cache";\nAPT::Sandbox::User "root";\n'
    )
    env = dict(os.environ, APT_CONFIG=str(apt / "apt.conf"))
    run("apt-get", "update", env=env)
    run("apt-get", "download", *(LOCK / "debian.txt").read_text().split(), cwd=apt / "debs", env=env)
    for package in sorted((apt / "debs").glob("*.deb")):
        run("dpkg-deb", "-x", package, root)
    return root / "usr/share/gocode/src"


def lay_out(source, target, excluded):
    """Copy a package's tree, less the excluded folders."""
    if target.exists():
        shutil.rmtree(target)

    def ignore(folder, names):
        return [
            name
            for name in names
            if name.startswith(".") or (name in excluded and os.path.isdir(os.path.join(folder, name)))
            or name.endswith(("_test.go", ".test.ts", ".pyc", ".pyi")) or name == "__pycache__"
        ]

    shutil.copytree(source, target, ignore=ignore, symlinks=False, ignore_dangling_symlinks=True)
    digest = hashlib.sha256()
    for path in sorted(p for p in target.rglob("*") if p.is_file()):
        digest.update(str(path.relative_to(target)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main():
    """Fetch everything, and print the checksum of each tree."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("languages", nargs="*", help="only these languages")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    manifest = tomllib.loads((HERE / "packages.toml").read_text())
    wanted = arguments.languages or ["python", "typescript", "javascript", "rust", "go"]
    known = (LOCK / "corpus.txt").read_text().splitlines()
    sources = {}
    site = python_packages(work)
    modules = npm_packages(work)
    sources["python"], sources["typescript"], sources["javascript"] = site, modules, modules
    if "rust" in wanted or "go" in wanted:
        sources["go"], sources["rust"] = debian_packages(work), crates(work)
    for language in wanted:
        for package, tree in manifest[language].items():
            target = work / "corpus" / language / package
            # One folder more, so that an import of the package by its own name
            # resolves inside the tree.
            inner = target / tree if language == "python" else target
            digest = lay_out(sources[language] / tree, inner, set(manifest["exclude"]))
            line = f"{language}/{package} sha256:{digest[:16]}"
            print(line if line in known else f"{line}, not the tree of lock/corpus.txt: its figures do not compare")


if __name__ == "__main__":
    main()
