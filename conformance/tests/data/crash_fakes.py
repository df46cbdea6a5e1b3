"""Implementations that do one thing wrong after a crash, for the test of judging crash states."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from journalspec_conformance.harnesses.reference import Reference

Message = dict[str, Any]


class _Fake(Reference):
    """Wraps the reference. Its answer to `recover` is passed through `spoil`."""

    def recover(self, request: Message) -> Message:
        reply = super().recover(request)
        return {"ok": self.spoil(reply["ok"])} if "ok" in reply else reply

    def spoil(self, right: Message) -> Message:
        """Return the answer that replaces `right`."""
        return right


class Right(_Fake):
    """Answers correctly."""


class Loses(_Fake):
    """Omits the first record."""

    def spoil(self, right: Message) -> Message:
        return {**right, "records": right["records"][1:]}


class Invents(_Fake):
    """Reports the last record with the name of another transaction."""

    def spoil(self, right: Message) -> Message:
        *others, last = right["records"] or [None]
        return right if last is None else {**right, "records": [*others, {**last, "gtrid": "ee"}]}


class Resurrects(_Fake):
    """Reads beyond the tail, into bytes of an earlier generation."""

    def recover(self, request: Message) -> Message:
        files: Mapping[str, bytes] = request["files"]
        moved = {
            name: data[:13] + len(data).to_bytes(8, "big") + data[21:] if len(data) > 21 else data
            for name, data in files.items()
        }
        return super().recover({**request, "files": moved, "policy": "salvage"})


class Refuses(_Fake):
    """Refuses every journal."""

    def spoil(self, right: Message) -> Message:
        return {"verdict": "refused", "phase": "record", "code": "bad-checksum"}


class Silent(_Fake):
    """Omits damaged regions and reports `clean`."""

    def spoil(self, right: Message) -> Message:
        return {**right, "verdict": "clean" if right["verdict"] == "recovered" else right["verdict"]}


class Raises(_Fake):
    """Crashes on input that it should refuse."""

    def spoil(self, right: Message) -> Message:
        if right["verdict"] == "refused":
            raise RuntimeError("this was not expected")
        return right


class Nonsense(_Fake):
    """Answers with records that cannot be distinguished."""

    def spoil(self, right: Message) -> Message:
        for record in right["records"]:
            del record["crc32"]
        return right


class Hangs(_Fake):
    """Hangs on input that it should refuse.

    It must run as a process, because the runner cannot stop a class.
    """

    def spoil(self, right: Message) -> Message:
        if right["verdict"] == "refused":
            time.sleep(3600)
        return right


class Tires(_Fake):
    """Answers eight questions and hangs at the ninth. A new process would answer that question."""

    _asked = 0

    def spoil(self, right: Message) -> Message:
        self._asked += 1
        if self._asked > 8:
            time.sleep(3600)
        return right


class Ends(Tires):
    """Answers eight questions and exits with status 0 at the ninth."""

    def spoil(self, right: Message) -> Message:
        self._asked += 1
        if self._asked > 8:
            os._exit(0)
        return right


class Forgets(_Fake):
    """Removes the newest record from the files that it has recovered."""

    def hello(self) -> Message:
        said = super().hello()
        for entry in said["formats"].values():
            entry["features"] = ["damage", "memory"]
        return said

    def recover(self, request: Message) -> Message:
        reply = super().recover(request)
        for name, data in request["files"].items():
            request["files"][name] = data[:13] + (21).to_bytes(8, "big") + data[21:]
        return reply


class OneEdition(Right):
    """Declares one edition and one policy."""

    def hello(self) -> Message:
        said = super().hello()
        entry = said["formats"]["bitronix_tlog"]
        entry["editions"] = ["3.0"]
        entry["policies"] = ["strict"]
        return {**said, "formats": {"bitronix_tlog": entry}}


class Dies(_Fake):
    """Never answers a question."""

    def spoil(self, right: Message) -> Message:
        raise RuntimeError("not today")
