"""A harness of the toy format: what a reader is asked, and what it answers, in the words of the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Message = dict[str, Any]


class Reader:
    """Reads and does not recover."""

    def hello(self) -> Message:
        """Declare what can be asked."""
        claims = {"editions": ["1"], "ops": ["read"], "observe": "records", "features": ["damage", "pure"]}
        return {"protocol": 1, "impl": {"name": "toy-reader"}, "formats": {"toy_sixth": claims}}

    def read(self, request: Message) -> Message:
        """Answer with the records up to the first bad one."""
        data = (Path(request["dir"]) / "notes.toy").read_bytes()
        records, at, sound = [], 4, True
        while at < len(data) and sound:
            end = at + 2 + data[at]
            text, total = data[at + 1 : end - 1], 0
            for byte in text:
                total ^= byte
            sound = end <= len(data) and total == data[end - 1]
            if sound:
                place = {"file": "notes.toy", "off": str(at), "len": str(end - at)}
                records.append({"type": "NOTE", "text": text.decode("latin-1"), "at": place})
            at = end
        return {"ok": {"verdict": "clean" if sound else "recovered", "records": records}}
