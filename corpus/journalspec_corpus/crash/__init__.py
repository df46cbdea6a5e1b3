"""Crash states: what a disk may hold after a crash, and what a reader may then say.

A *trace* is what a writer did to its files (:mod:`.trace`). A *preset*
(:mod:`.model`) says which of those writes a crash may lose or tear. Together
they give *states* (:mod:`.states`, enumerated by :mod:`.enumerate`), each a pure
function of its descriptor. The *oracle* (:mod:`.oracle`) derives what recovery
owes from trace and preset alone; :mod:`.judge` compares it with what a reader said.

Nothing here knows a format: what a format gives is one object (:mod:`.adapter`).
"""

from __future__ import annotations
