"""The messages of products about their journals, from ``messages.toml``. Each entry describes the meaning of
a message, and the user's next step.

`page` is the page of the site that describes the messages. An entry has these members:

    id        the product's own (AMQ222043, XSDB4), or KHD-MSG-001 and so on where it has none; permanent
    also      ids of the same message in a product that shares the journal (HQ222043)
    product   the product that prints it
    level     WARN, INFO, ERROR, the class of an exception, or where it is printed
    logger    the logger's name, or the class that throws; may be absent
    text      the text, with {} for what differs
    other     texts of other versions: {versions, text}
    versions  versions of the product in whose files `text` was found
    impact    none, risk, doubt (a transaction waits), refusal (no start), loss
    verdict   its meaning in one line; `meaning` is its meaning for the data
    cause     the cause of the message; `state` is the state of the files that makes the product print it
    next      the user's next steps; lines that begin with "$ " are commands, PATH is the store
    see       ids of messages that are printed together with it
    codes     reasons, codes, notes and kinds of `missing` of our answers that can be its cause
    start     those of them with which a start without special options prints it
    beside    directories beside the journal's whose absence makes a start print it
    made      product/state of ``messages_made.json``: a start on that state printed it
    read      or the version in whose source or classes it was read

``messages_made.json`` holds for each product and state `how` the files were made, and the `lines` of a start.
`tools/messages.py` makes it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from typing import Any

from journalspec.formats import format_ids, get_format, tool_words

FILE_NAME = "messages.toml"
MADE_NAME = "messages_made.json"
IMPACTS = ("none", "risk", "doubt", "refusal", "loss")
REQUIRED = ("id", "product", "level", "text", "impact", "verdict", "cause", "state", "meaning", "versions")
#: Two numbers of characters: the maximum of a line that is checked, and the minimum that a text must share
#: with the line.
LONGEST, SHORTEST = 100_000, 8
#: The minimum share of common word pairs at which a fragment is recognised as part of a text.
ALIKE = 0.6
_BLANK = re.compile(r"\{\}")
_ID = re.compile(r"[A-Z0-9][A-Z0-9-]{4,}")
_WORD = re.compile(r"[^\W\d_]+|\{\}|\d+")


@dataclass(frozen=True, slots=True)
class ProductMessage:
    """Represents one message of a product, and its meaning; the module's text explains the members."""

    id: str
    product: str
    level: str
    text: str
    impact: str
    verdict: str
    cause: str
    state: str
    meaning: str
    versions: tuple[str, ...]
    logger: str = ""
    also: tuple[str, ...] = ()
    other: tuple[Mapping[str, str], ...] = ()
    next: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    read: str = ""
    format: str = ""
    page: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The message's id, and its ids in other products."""
        return (self.id, *self.also)

    @property
    def texts(self) -> tuple[str, ...]:
        """The message's text, and its texts in other versions."""
        return (self.text, *(entry["text"] for entry in self.other))

    @property
    def known(self) -> str:
        """The evidence as text: read in a source, or printed by a start."""
        if not self.made:
            return f"read in the source or the classes of {self.read}"
        product, _, state = self.made[0].partition("/")
        version = product.partition("-")[2]
        return f"made on {self.product} {version}: {made(self.format)[product][state]['how']}"


_LISTS = {"versions", "also", "other", "next", "see", "codes", "start", "beside", "made"}
_MEMBERS = {field.name for field in fields(ProductMessage)} - {"format", "page"}


@cache
def messages(format_id: str) -> tuple[ProductMessage, ...]:
    """Return the messages about `format_id` in the order of their file.

    Raises UnknownFormat, or ValueError that lists every fault that :func:`lint` finds.
    """
    source = get_format(format_id).root.joinpath(FILE_NAME)
    data = tomllib.loads(source.read_text(encoding="utf-8")) if source.is_file() else {}
    faults = lint(format_id, data)
    if faults:
        raise ValueError(f"{format_id}/{FILE_NAME}:\n" + "\n".join(faults))
    return tuple(_message(format_id, data["page"], entry) for entry in data.get("message", ()))


def _message(format_id: str, page: str, entry: Mapping[str, Any]) -> ProductMessage:
    members: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in entry.items()}
    return ProductMessage(**{**members, "format": format_id, "page": page})


@cache
def made(format_id: str) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Return the output of starts: a map from product and state to `how` and `lines`."""
    source = get_format(format_id).root.joinpath(MADE_NAME)
    found: dict[str, dict[str, dict[str, Any]]] = (
        json.loads(source.read_text(encoding="utf-8")) if source.is_file() else {}
    )
    return found


@cache
def every_message() -> tuple[ProductMessage, ...]:
    """Return the messages about all formats."""
    return tuple(entry for name in format_ids() for entry in messages(name))


def lint(format_id: str, data: Mapping[str, Any]) -> list[str]:
    """Return the faults of a parsed ``messages.toml``, one line for each fault."""
    faults = [f"{key!r} is not a member of this file" for key in data if key not in ("message", "page")]
    entries = data.get("message", [])
    known = {name for entry in entries for name in (entry.get("id"), *entry.get("also", ()))}
    seen: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        name = str(entry.get("id", f"message number {number}"))
        for own in (name, *entry.get("also", ())):
            if own in seen:
                faults.append(f"{own}: the id is used twice")
            seen.add(own)
        faults += [f"{name}: {fault}" for fault in _faults(format_id, entry, known)]
    return faults


def _faults(format_id: str, entry: Mapping[str, Any], known: Collection[str]) -> Iterator[str]:
    yield from (f"{member!r} is not a member" for member in sorted(set(entry) - _MEMBERS))
    yield from (f"there is no {member}" for member in REQUIRED if member not in entry)
    yield from (
        f"{key} is not a list" for key in sorted(_LISTS & set(entry)) if not isinstance(entry[key], list)
    )
    if entry.get("impact") not in IMPACTS:
        yield f"impact {entry.get('impact')!r} is none of {', '.join(IMPACTS)}"
    if bool(entry.get("made")) == bool(entry.get("read")):
        yield "either `made` or `read` must state the evidence"
    yield from (f"see: there is no message {name}" for name in entry.get("see", ()) if name not in known)
    codes = _codes(format_id)
    yield from (f"codes: {code!r} is in no answer" for code in entry.get("codes", ()) if code not in codes)
    if not set(entry.get("start", ())) <= set(entry.get("codes", ())):
        yield "start: a code is not among `codes`"
    states = {f"{product}/{state}" for product, found in made(format_id).items() for state in found}
    yield from (f"made: there is no record of {name}" for name in entry.get("made", ()) if name not in states)


def _codes(format_id: str) -> set[str]:
    words = get_format(format_id).vocabulary
    own = {*words.reasons, *words.missing, *words.notes, *words.codes}
    return own.union(*tool_words().values())


def matching(line: str) -> tuple[ProductMessage, ...]:
    """Return the messages that match any part of a log line, the best match first.

    A message matches if the line contains its id, or its whole text with any words in place of each {}.
    Otherwise, it matches if the line is a fragment that shares most of its word pairs with the text. The time
    depends on the length of the line.
    """
    line = _plain(line)
    tokens = set(_ID.findall(line.upper()))
    scored: list[tuple[float, ProductMessage]] = []
    for entry in every_message():
        whole = max((_covered(text, line) for text in entry.texts), default=0)
        if tokens.intersection(entry.ids):
            scored.append((LONGEST + whole, entry))
        elif whole:
            scored.append((whole, entry))
    if not scored:
        pairs = _pairs(line)
        scored = [
            (shared, entry) for entry in every_message() for shared in [_alike(entry, line, pairs)] if shared
        ]
    # The longest text is the best match; sorting is stable, so equal matches stay in file order.
    return tuple(entry for _, entry in sorted(scored, key=lambda pair: -pair[0]))


def prints(entry: ProductMessage, lines: Iterable[str]) -> bool:
    """Return whether the lines printed by a start contain the message."""
    for line in map(_plain, lines):
        if entry.id in _ID.findall(line) or any(_covered(text, line) for text in entry.texts):
            return True
    return False


def nearest(line: str) -> tuple[ProductMessage, ...]:
    """Return the three messages whose words are most similar to a line that matches none."""
    words = set(_words(_plain(line))) - {"{}"}

    def likeness(entry: ProductMessage) -> float:
        own = {*_words(entry.text), *(name.lower() for name in entry.ids)} - {"{}"}
        return len(words & own) / len(words | own)

    return tuple(sorted(every_message(), key=likeness, reverse=True)[:3])


def _plain(line: str) -> str:
    return " ".join(line[:LONGEST].split())


def _covered(text: str, line: str) -> int:
    """Return the number of characters of a text, without its {}, if all of them occur in the line in order.

    Otherwise, or if they are too few for a match, return 0.
    """
    at = total = 0
    # The words in place of a {} may be absent. At the end of a line, the space before this {} may also be
    # absent.
    for piece in map(str.strip, _BLANK.split(" ".join(text.split()))):
        found = line.find(piece, at)
        if found < 0:
            return 0
        at = found + len(piece)
        total += len(piece)
    return total if total >= SHORTEST else 0


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case. Each placeholder and each number becomes {}."""
    return ["{}" if word[0] in "{0123456789" else word for word in _WORD.findall(text.lower())]


def _pairs(text: str) -> set[tuple[str, str]]:
    words = _words(text)
    return {pair for pair in pairwise(words) if "{}" not in pair}


def _alike(entry: ProductMessage, line: str, pairs: set[tuple[str, str]]) -> float:
    """Return a score of how well a fragment matches, as a part of a text or by common word pairs. 0 means no
    match.
    """
    best = 0.0
    for text in entry.texts:
        if len(line) >= SHORTEST and line.lower() in text.lower():
            best = max(best, len(line))
        own = _pairs(text)
        shared = len(own & pairs)
        if shared >= 2 and shared >= ALIKE * min(len(own), len(pairs)):
            best = max(best, shared + shared / len(own | pairs))
    return best
