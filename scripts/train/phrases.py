"""How people say the names and descriptions of a schema: the words that questions are made of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

from texts import split

NearWords = dict[str, list[str]]

# Two senses of a word are taken from WordNet, the second only where it is at
# least a third as frequent as the first; rarer senses mislead.
SENSES = 2
RARER = 3

# Endings of a type's name that people leave out.
ROLE = re.compile(r" (connection|edge|payload|type|object|info|data|input|entity|result|response|node|v2|v1|interface)$")
PREFIX = re.compile(r"^(core|base|generic|abstract) ")
AUXILIARY = re.compile(r"^(is|has|get|can) ")
MARKUP = re.compile(r"`|\*|\[([^\]]*)\]\([^)]*\)|<[^>]+>")
# How a description begins before it says anything.
OPENING = re.compile(
    r"^(the|a|an|returns?( the| a| an)?|gets?( the| a)?|whether( or not)?( the| this)?|indicates( whether| if)?"
    r"|represents( an?| the)?|list of|this is( the)?|look up( an?)?|lists?)\s+",
    re.IGNORECASE,
)
STOP_WORDS = set(
    "the a an of in on for to and or with by from their its each list show get find all me my what which is are that"
    " how many it as at i need give along including together can you".split()
)


@dataclass
class Wording:
    """Chance, and the near words that it chooses from.

    `common` are words of APIs (words.py), which go first; `thesaurus` is
    WordNet's.
    """

    random: Random
    common: NearWords
    thesaurus: NearWords


def wordnet(folder: Path) -> NearWords:
    """Synonyms of WordNet's nouns and verbs, of their first two senses.

    `folder` holds WordNet's `index.sense`, a line of which is `lemma%sense
    offset number count`; the count is how often the sense was met in tagged
    text. Words that were never met are left out.
    """
    senses: dict[tuple[str, str], dict[int, tuple[str, int]]] = defaultdict(dict)
    for line in (folder / "index.sense").read_text().splitlines():
        key, offset, number, count = line.split()
        lemma, rest = key.split("%")
        senses[lemma, rest[0]][int(number)] = (offset, int(count))

    near: dict[str, set[str]] = defaultdict(set)
    for part_of_speech in ("1", "2"):  # nouns, verbs
        members = defaultdict(list)
        for (lemma, part), numbered in senses.items():
            if part == part_of_speech:
                for number, (offset, count) in numbered.items():
                    members[offset].append((lemma, number, count))
        for (lemma, part), numbered in senses.items():
            if part != part_of_speech or "_" in lemma or len(lemma) < 4:
                continue
            if sum(count for _, count in numbered.values()) < 2:
                continue
            for number in range(1, SENSES + 1):
                rare = number > 1 and number in numbered and numbered[number][1] * RARER < numbered.get(1, ("", 0))[1]
                if number not in numbered or rare:
                    continue
                for other, rank, count in members[numbered[number][0]]:
                    if other != lemma and rank <= SENSES and count >= 1 and re.fullmatch(r"[a-z_]+", other):
                        near[lemma].add(other.replace("_", " "))
    return {lemma: sorted(others) for lemma, others in near.items()}


def vocabulary(path: Path) -> NearWords:
    """The near words of ../../src/index/vocabulary.txt, both ways unless a line says `word -> words`."""
    near: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text().splitlines():
        line = line.split("#")[0]
        if "->" in line:
            one, _, others = line.partition("->")
            near[one.strip()].update(others.split())
        else:
            group = line.split()
            for word in group:
                near[word].update(other for other in group if other != word)
    return {word: sorted(others) for word, others in near.items()}


def reword(wording: Wording, phrase: str, share: float) -> str:
    """The phrase with about `share` of its words replaced by near ones."""
    random, common, thesaurus = wording.random, wording.common, wording.thesaurus
    if phrase in common and random.random() < share * 1.6:
        return random.choice(common[phrase])
    said = []
    for word in phrase.split(" "):
        if random.random() < share:
            base = word if word in thesaurus or word in common else stem(word)
            near = common.get(word) or common.get(base)
            if near and random.random() < 0.7:
                said.append(random.choice(near))
                continue
            if base in thesaurus:
                said.append(random.choice(thesaurus[base]))
                continue
        said.append(word)
    return " ".join(said)


def type_phrase(name: str) -> str:
    """A type's name as people say it: `CoreProductConnection` gives `product`."""
    words = split(name)
    return PREFIX.sub("", ROLE.sub("", words)) or words


def field_phrase(wording: Wording, name: str) -> str:
    """A field's name as people say it: `isArchived` gives `archived`, mostly."""
    words = split(name)
    return AUXILIARY.sub("", words) if wording.random.random() < 0.8 else words


def plural(phrase: str) -> str:
    """The phrase with its last word in the plural."""
    *before, last = phrase.split(" ")
    if last.endswith("s"):
        return phrase
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "es" if last.endswith(("x", "ch", "sh")) else "s"
    return " ".join([*before, last])


def stem(word: str) -> str:
    """The word without its commonest endings."""
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


def sentence(description: str, least: int = 4, most: int = 16) -> str | None:
    """A description's first sentence, at most `most` words; none where it has fewer than `least`."""
    plain = MARKUP.sub(lambda match: match.group(1) or "", description)
    plain = re.sub(r"https?://\S+", "", plain).strip()
    first = re.split(r"(?<=[.!?])\s|\n\n|\n-", plain)[0].replace("\n", " ").strip().rstrip(".")
    words = first.split()
    if len(words) < least or "deprecated" in first.lower():
        return None
    return " ".join(words[:most])


def gist(description: str) -> str | None:
    """The first sentence without its opening (`Whether or not the …`), at most 12 words; none under two."""
    first = sentence(description, 3, 12)
    if not first:
        return None
    first = OPENING.sub("", OPENING.sub("", first))
    first = first[:1].lower() + first[1:]
    return first if len(first.split()) >= 2 else None


def keywords(wording: Wording, question: str) -> str:
    """The question as one types it into a search box: content words only, at times one fewer or shuffled."""
    random = wording.random
    words = [word for word in re.findall(r"[A-Za-z0-9]+", question) if word.lower() not in STOP_WORDS]
    if len(words) > 4 and random.random() < 0.5:
        words.pop(random.randrange(len(words)))
    if random.random() < 0.2:
        random.shuffle(words)
    return " ".join(words).lower()
