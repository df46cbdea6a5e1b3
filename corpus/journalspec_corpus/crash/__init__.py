"""Crash states: the possible content of a disk after a crash, and the permitted answers of a reader.

A *trace* lists the operations of a writer on its files (:mod:`.trace`). A *preset* (in the same module)
states which of those writes a crash may lose or tear. Together they determine *states* (:mod:`.states`); each
state depends only on its descriptor. The required outcome of recovery follows from trace and preset alone
(:mod:`.facts`, :mod:`.oracle`); :mod:`.verdict` compares it with a reader's answer. docs/crash-model.md maps
all modules.

No module here depends on a format: :mod:`.formats` defines the interface that each format provides.
"""

from __future__ import annotations
