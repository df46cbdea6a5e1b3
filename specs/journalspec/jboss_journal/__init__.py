"""Facts about the JBoss Messaging circular journal. Its bytes are described by :data:`LAYOUT`."""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("jboss_journal")
