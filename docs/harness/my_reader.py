"""A reader of the Bitronix log that uses only the protocol of journalspec."""

import json
import re
import struct
import sys
from pathlib import Path

TYPES = "ACTIVE MARKED_ROLLBACK PREPARED COMMITTED ROLLEDBACK UNKNOWN"
TYPES += " NO_TRANSACTION PREPARING COMMITTING ROLLING_BACK"
CLAIMS = {
    "editions": ["2.1", "3.0"],
    "ops": ["read"],
    "observe": "records",  # type and fields of each record, but not its offset
    "fields": ["gtrid", "names"],  # only these two fields
    "features": ["pure"],  # changes no file; does not claim to handle damage
}
HELLO = {"protocol": 1, "impl": {"name": "my-reader", "version": "1"}, "formats": {"bitronix_tlog": CLAIMS}}


def records(data):
    """Yield the records of one file, up to its tail."""
    tail = struct.unpack_from(">q", data, 13)[0]
    start = 21
    while start < tail:
        status, length = struct.unpack_from(">ii", data, start)
        at = start + 29
        gtrid = data[at : at + data[at - 1]]
        at += len(gtrid) + 4
        names = []
        for _ in range(struct.unpack_from(">i", data, at - 4)[0]):
            size = struct.unpack_from(">H", data, at)[0]
            names.append(data[at + 2 : at + 2 + size].decode("ascii", "replace"))
            at += 2 + size
        kind = TYPES.split()[status] if 0 <= status <= 9 else "OTHER"
        yield {"type": kind, "gtrid": gtrid.hex(), "names": names}
        start += 8 + length


for request in map(json.loads, sys.stdin):
    if request["cmd"] == "bye":
        break
    reply = HELLO
    if request["cmd"] == "read":
        files = sorted(p for p in Path(request["dir"]).rglob("*") if p.is_file())
        files.sort(key=lambda p: [int(s) if s.isdigit() else s for s in re.split(r"(\d+)", p.name)])
        reply = {"ok": {"verdict": "clean", "records": [r for p in files for r in records(p.read_bytes())]}}
    print(json.dumps({"seq": request["seq"], **reply}), flush=True)
