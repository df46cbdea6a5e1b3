"""What the products throw, as the phase and code of a refusal.

An exception that says the same as one of the specification's codes gets that
code; everything else keeps its class name. The phase follows from the step of
loading that it came out of.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.java.failures import Refusal, Thrown, unnamed

#: Part of the message -> code: the same numbers behind the products' own letters, or no number yet.
_HEADER_MESSAGES = (
    ("149001", "bad-user-version"),
    ("149002", "bad-version"),
    ("Journal data belong to a different version", "bad-user-version"),
    ("Journal files version mismatch", "bad-version"),
)

#: Method of JournalImpl -> phase; the innermost of them counts.
_PHASES = {
    "checkControlFile": "fileset",
    "orderFiles": "header",
    "readJournalFile": "record",
}

#: Part of a message -> code, for what the append methods throw.
_APPEND_MESSAGES = (
    ("Cannot find add info", "unknown-record"),
    ("Cannot find tx", "unknown-transaction"),
    ("Can't find tx", "unknown-transaction"),
    ("ecord is too large", "does-not-fit"),
)


def of_load(thrown: Thrown) -> Refusal:
    """Map what was thrown while a journal was read or loaded."""
    for part, code in _HEADER_MESSAGES:
        if part in thrown.text:
            return Refusal("header", code)
    phase = next((_PHASES[method] for method in thrown.methods if method in _PHASES), "replay")
    return Refusal(phase, unnamed(thrown))


def of_append(thrown: Thrown) -> Refusal:
    """Map what an operation of a writer threw."""
    for part, code in _APPEND_MESSAGES:
        if part in thrown.text:
            return Refusal("writer", code)
    return Refusal("writer", unnamed(thrown))
