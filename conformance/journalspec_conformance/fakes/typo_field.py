"""Declares a record field that the format does not have."""

from __future__ import annotations

from journalspec_conformance.fakes._base import run

if __name__ == "__main__":
    run(lambda request, right: right, fields=["gtrid", "nams"])
