"""Facts about Derby's write-ahead log.

:data:`LAYOUT` describes the bytes of the log; :mod:`.operations` describes the bodies of its records.
"""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("derby_log")
