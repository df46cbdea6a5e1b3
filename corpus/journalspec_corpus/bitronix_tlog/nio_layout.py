"""The nio journal's part of :mod:`.layout`, under the name by which older modules import it."""

from __future__ import annotations

from journalspec_corpus.bitronix_tlog.layout import header_parts, nio_fields, nio_parts

__all__ = ["header_parts", "nio_fields", "nio_parts"]
