"""Declares a level that there is not."""

from __future__ import annotations

from journalspec_conformance.fakes._base import run

if __name__ == "__main__":
    run(lambda request, right: right, observe="recods")
