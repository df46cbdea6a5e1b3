"""What the product throws, as the phase and code of a refusal.

A message of the product that says the same as one of the specification's codes
gets that code. Everything else keeps its class name (``exception:NAME``), which
is nobody's code: such an answer never counts as the right refusal by accident.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.java.failures import Refusal, Thrown, unnamed

CORRUPTED = "bitronix.tm.journal.CorruptedTransactionLogException"

#: Part of a CorruptedTransactionLogException's message -> (phase, code).
_CORRUPTED_MESSAGES = (
    ("record terminator outside of file bounds", "record", "out-of-bounds"),
    ("no record terminator found", "record", "no-end-marker"),
    ("GTRID size too long", "record", "malformed"),
    ("unique names too long", "record", "malformed"),
    ("invalid CRC", "checksum", "bad-checksum"),
)

#: (class, part of the message) -> (phase, code), for what open() throws.
_OPEN_MESSAGES = (("java.io.IOException", "not of the same length", "fileset", "unequal-lengths"),)

#: (class, part of the message) -> code, for what log() throws.
_LOG_MESSAGES = (
    ("java.io.IOException", "no room to write log to journal even after swap", "does-not-fit"),
    ("java.io.IOException", "would have resulted in an overflow of that file", "does-not-fit"),
)


def is_corruption(thrown: Thrown) -> bool:
    """Tell whether it is the one exception that ``skipCorruptedLogs`` skips."""
    return thrown.name == CORRUPTED


def of_open(thrown: Thrown) -> Refusal:
    """Map what was thrown before any record was read."""
    for name, part, phase, code in _OPEN_MESSAGES:
        if thrown.name == name and part in thrown.text:
            return Refusal(phase, code)
    return Refusal("header", unnamed(thrown))


def of_scan(thrown: Thrown) -> Refusal:
    """Map what was thrown while records were read."""
    if is_corruption(thrown):
        for part, phase, code in _CORRUPTED_MESSAGES:
            if part in thrown.text:
                return Refusal(phase, code)
    return Refusal("record", unnamed(thrown))


def of_write(thrown: Thrown) -> Refusal:
    """Map what log(), force() or close() threw."""
    for name, part, code in _LOG_MESSAGES:
        if thrown.name == name and part in thrown.text:
            return Refusal("writer", code)
    return Refusal("writer", unnamed(thrown))
