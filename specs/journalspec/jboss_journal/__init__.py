"""Facts about the JBoss Messaging circular journal; its bytes are :data:`LAYOUT`."""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("jboss_journal")
