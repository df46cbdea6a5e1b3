"""Crash states: what a disk may hold after a crash, and what a reader may then report.

A *trace* is what a writer did to its files (:mod:`.trace`). A *preset* (in the same module) says which of
those writes a crash may lose or tear. Together they give *states* (:mod:`.states`), each a pure function of
its descriptor. What must come back follows from trace and preset alone (:mod:`.facts`, :mod:`.oracle`);
:mod:`.verdict` compares it with a reader's answer. docs/crash-model.md maps all modules.

No module here knows a format: :mod:`.formats` defines what each format supplies.
"""

from __future__ import annotations
