"""Facts about the JBoss Messaging circular journal. :data:`LAYOUT` describes its bytes."""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("jboss_journal")
