"""Crash states: what a disk may hold after a crash, and what a reader may then say.

A *trace* is what a writer did to its files (:mod:`.trace`). A *preset*
(there, too) says which of those writes a crash may lose or tear. Together
they give *states* (:mod:`.states`), each a pure function of its descriptor. What must come
back follows from trace and preset alone (:mod:`.facts`, :mod:`.oracle`);
:mod:`.verdict` compares it with what a reader said. docs/crash-model.md maps all modules.

Nothing here knows a format: what a format gives is in :mod:`.formats`.
"""

from __future__ import annotations
