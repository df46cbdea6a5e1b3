"""The conformance runner: it asks an implementation about the journals of the corpus, and compares the
answers.

An implementation is a process that exchanges one JSON object per line (in any language), a command run once
per question, or a Python class. The engine, the pytest plugin and the command line share all other modules.
No module contains the name of a format.
"""

from __future__ import annotations

__all__ = ["PROTOCOL"]

#: The version of the protocol between the runner and an implementation.
PROTOCOL = 1
