"""This package contains facts about a SwiftMQ file store.

:data:`LAYOUT` describes the bytes of the store; :mod:`.schema` describes its messages.
"""

from __future__ import annotations

from journalspec.layout import Layout

LAYOUT = Layout("swiftmq_store")
#: The meaning of a record's action, by its number (SMQ-LOG-103).
ACTIONS = {1: "INSERT", 2: "UPDATE", 3: "DELETE", 4: "PORTION"}
