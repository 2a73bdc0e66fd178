"""Which schemas may be trained on.

A folder of schemas holds `NAME.graphql` files and a `MANIFEST.tsv` whose first
line names its columns, among them `name`, `source` and `licence`. A schema is
used only where its licence is stated and permissive, and where its name holds no
word of EVALUATION or UNFIT.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

PERMISSIVE = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "Unlicense"}

# Words in the names of schemas that search quality is measured on, here or
# elsewhere. A model that has seen them would be the judge of its own work.
EVALUATION = [
    "github", "gitlab", "shopify", "linear", "singapore", "aiwg", "buildkite", "anilist", "cosmo", "vendure",
    "magento", "swapi", "braintree", "hasura", "snapshot", "digitransit",
]  # fmt: skip
# What the weights in ../../models were trained on. Their order is part of the
# recipe: chance goes through the schemas in it.
TRAINED_ON = [
    "artsy", "commercetools", "saleor", "monday", "opencollective", "flyio", "apollo-platform", "graphbrainz",
    "pokemon", "thespacedevs", "rickandmorty", "apollo-weather-api", "codex", "dialogporten", "nautical",
]  # fmt: skip
# A supergraph is what a router reads; clients never see its joins.
UNFIT = ["supergraph", "subgraph"]


@dataclass(frozen=True)
class Source:
    """A schema file that may be trained on."""

    name: str
    path: Path
    origin: str
    licence: str


def choose(folders: list[Path]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The folders' schemas that may be used; and the names of the others, each with the reason.

    Those of TRAINED_ON come first and in its order, further ones after them by name.
    """
    used: dict[str, Source] = {}
    refused = []
    for folder in folders:
        with (folder / "MANIFEST.tsv").open(newline="") as manifest:
            for row in csv.DictReader(manifest, delimiter="\t"):
                name = row["name"]
                source = Source(name, folder / f"{name}.graphql", row["source"], row["licence"])
                if reason := refusal(source):
                    refused.append((name, reason))
                elif name in used:
                    refused.append((name, f"{used[name].path} has the same name"))
                else:
                    used[name] = source
    place = {name: index for index, name in enumerate(TRAINED_ON)}
    return sorted(used.values(), key=lambda source: (place.get(source.name, len(place)), source.name)), refused


def refusal(source: Source) -> str | None:
    """Why a schema may not be used, or nothing."""
    name = source.name.lower()
    if any(word in name for word in EVALUATION):
        return "it is, or is named like, a schema of the evaluation"
    if any(word in name for word in UNFIT):
        return "it is not what clients see"
    # `MIT (package.json)` says where the licence is stated; anything more is a condition.
    if re.sub(r" \(package(\.json)?\)$", "", source.licence) not in PERMISSIVE:
        return f"its licence is not one of the permissive ones: {source.licence or 'none stated'}"
    if not source.path.is_file():
        return f"{source.path} is missing"
    return None
