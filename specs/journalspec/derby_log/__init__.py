"""Facts about Derby's write-ahead log.

Its bytes are described by :data:`LAYOUT`, its bodies by :mod:`.operations`.
"""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("derby_log")
