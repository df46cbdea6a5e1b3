"""The reference implementation: a small reader, recovery and writer for each format.

The packages of the formats do no input or output themselves: they receive bytes and return values. Files
(:mod:`.filesets`, :mod:`.storage`) and Spark (:mod:`.spark`) are thin layers around them.
"""

from __future__ import annotations

from journalspec_reference.api import Detection, Files, Implementation, Span, Writer, WriterRefused, load

__all__ = ["Detection", "Files", "Implementation", "Span", "Writer", "WriterRefused", "load"]
