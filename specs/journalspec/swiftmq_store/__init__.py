"""What is true of a SwiftMQ file store; its bytes are :data:`LAYOUT`, messages are in :mod:`.schema`."""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("swiftmq_store")
