"""Facts about Derby's write-ahead log; its bytes are :data:`LAYOUT`, bodies are in :mod:`.operations`."""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("derby_log")
