"""What this format answers with, and how its journals are distinguished from other files."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from journalspec_reference.api import Detection, Files, Implementation, Params
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.jboss_journal import recover, spans
from journalspec_reference.jboss_journal.codec import DIALECTS, EVENT, INT, LONG_HEADER
from journalspec_reference.jboss_journal.fileset import CONTROL, NAME, base_name

FORMAT = "jboss_journal"
#: Extensions that the products use, and what to call an edition where several read alike. More they do not
#: tell: every edition that the headers admit is a candidate (JBM-FIL-002).
EXTENSIONS = {"jbm": "seed", "hq": "v2", "amq": "v2e", "jms": "", "bindings": ""}
SHORT = tuple(name for name, dialect in DIALECTS.items() if not dialect.versions)
LONG = tuple(name for name, dialect in DIALECTS.items() if dialect.versions)
#: So much of a control file is checked for the names in it (bytes).
MOST_CONTROL = 1 << 20
#: File ids from here on are no sign of a 16-byte header.
MAX_ID = 1 << 48


def detect(files: Files, params: Params) -> list[Detection]:
    """Return one journal for each extension: the configured one, or those that look like it.

    An extension does if the products use it, or if a file of the right
    name has the header of 16 bytes. All of its files belong, whatever else
    their names hold (JBM-FIL-001).
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(files):
        stem, dot, extension = base_name(name).rpartition(".")
        if dot and stem and name != CONTROL:
            groups[extension].append(name)
    told = params.get("extension")
    chosen = [told] if told in groups else [] if told else [e for e in groups if _ours(e, groups[e], files)]
    control = _control_of(chosen, groups, files)
    found = []
    for extension in chosen:
        names = [*groups[extension], *([CONTROL] if extension == control else [])]
        heads = [head_of(files[name]) for name in groups[extension]]
        score = 1 + any(heads) + all(heads)
        preferred = EXTENSIONS.get(extension, "")
        if not preferred and any(base_name(name).startswith("hornetq-") for name in names):
            preferred = EXTENSIONS["hq"]
        editions = _admitted(heads, extension == control)
        if all(zeros(source_of(files[name])) for name in groups[extension]):
            # Zeros tell nothing, and no edition that the product wrote begins a file with them.
            editions = (preferred or LONG[-1],)
        # A product's own extension: headers that do not fit may be damage; its reader is asked too.
        own = preferred or (LONG[-1] if extension in EXTENSIONS else "")
        if own and own not in editions:
            editions = (*editions, own)
        edition = preferred or editions[-1]
        found.append(Detection(FORMAT, edition, tuple(names), score, editions, {"extension": extension}))
    return found


def head_of(data: Any) -> str:
    """Return what the first bytes of a file look like: "1" or "2" (format version), "short", or nothing.

    Behind the id of a 4-byte header is a record or fill, neither of which
    is a user version that anybody has configured. A file that was never given
    a header says nothing.
    """
    first = bytes(data[: LONG_HEADER.size])
    if not first.strip(first[:1]):
        return ""
    if len(data) >= LONG_HEADER.size:
        version, user, file_id = LONG_HEADER.unpack(first)
        if version in (1, 2) and 0 <= user < EVENT << 24 and 0 < file_id < MAX_ID:
            return str(version)
    return "short" if len(data) >= INT.size and INT.unpack_from(first)[0] >= 0 else ""


def _ours(extension: str, names: list[str], files: Files) -> bool:
    """Return whether the files of an extension are a journal: known, or of the form of one."""
    if extension in EXTENSIONS:
        return True
    return any(NAME.match(base_name(name)) and head_of(files[name]) in ("1", "2") for name in names)


def _admitted(heads: list[str], compacted: bool) -> tuple[str, ...]:
    """Return the editions that all headers admit, and that know a control file if there is one."""
    short = sum(head == "short" for head in heads)
    long = sum(head in ("1", "2") for head in heads)
    # No other edition has a header like the long one; a long one that is damaged looks short.
    editions = LONG if long else SHORT if short else (*SHORT, *LONG)
    if "2" in heads:
        editions = tuple(name for name in editions if 2 in DIALECTS[name].versions or name in SHORT)
    return tuple(name for name in editions if DIALECTS[name].control_file or not compacted)


def _control_of(extensions: list[str], groups: dict[str, list[str]], files: Files) -> str | None:
    """Return the extension whose journal the control file belongs to: one that it names, else the largest."""
    if CONTROL not in files or not extensions:
        return None
    content = bytes(files[CONTROL][:MOST_CONTROL])
    named = [item for item in extensions if b"." + item.encode() in content]
    return max(named or extensions, key=lambda item: len(groups[item]))


IMPLEMENTATION = Implementation(
    FORMAT,
    __package__,
    dict.fromkeys(DIALECTS, "JournalWriter"),
    detect,
    recover.recover,
    recover.plan,
    spans.spans,
)
