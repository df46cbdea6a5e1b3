"""journalspec: a specification of the on-disk journals of five systems.

This package contains formats, requirements, schemas, deviations, and the vocabulary in which an
implementation reports the content of a journal. The package depends on no implementation, and does no input
or output except loading its own data files.
"""

from __future__ import annotations

from journalspec.formats import Edition, Format, UnknownFormat, format_ids, get_format
from journalspec.observation import At, Dropped, FileMap, Level, Note, Observation, Record

__all__ = [
    "At",
    "Dropped",
    "Edition",
    "FileMap",
    "Format",
    "Level",
    "Note",
    "Observation",
    "Record",
    "UnknownFormat",
    "format_ids",
    "get_format",
]

__version__ = "0.2.0"
