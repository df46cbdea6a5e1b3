"""Looking for records: every offset is a candidate until a record is accepted (JBM-RDR).

Candidates are found by their type and the file's own id, which a regular
expression finds at the speed of memory. A rejected candidate costs constant
time and the search resumes one byte behind its start, so that the whole scan
is linear in the file's length whatever the bytes say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from journalspec_reference.jboss_journal.codec import Fault, Hash, JournalRecord, decode_record
from journalspec_reference.jboss_journal.dialect import Dialect
from journalspec_reference.jboss_journal.digest import PrefixDigest, direct


@cache
def _pattern(codes: tuple[int, ...], stamp: int | None) -> re.Pattern[bytes]:
    types = b"[" + b"".join(b"\\x%02x" % code for code in codes) + b"]"
    return re.compile(types + (b"" if stamp is None else re.escape(stamp.to_bytes(4, "big"))), re.DOTALL)


def walk(
    data: Any, file_id: int, dialect: Dialect, end: int | None = None
) -> Iterator[JournalRecord | Fault]:
    """Yield every healthy record of a file and every candidate that is none, in offset order.

    The bytes of an accepted record are never looked at again; those of a
    rejected one are.
    """
    limit = len(data) if end is None else min(end, len(data))
    view = memoryview(data)[:limit]
    pattern = _pattern(tuple(sorted(dialect.kinds)), dialect.stamp(file_id))
    digest: Hash = PrefixDigest(view) if dialect.hashed else direct
    at = dialect.header_size
    while (match := pattern.search(view, at)) is not None:
        item = decode_record(view, match.start(), limit, dialect, digest)
        yield item
        at = item.end if isinstance(item, JournalRecord) else item.off + 1


def stale(data: Any, file_id: int, dialect: Dialect, gaps: list[tuple[int, int]]) -> Iterator[JournalRecord]:
    """Yield the records of earlier lives of a file within `gaps`: healthy but for their file id.

    A forensic extra: four bytes of check size are all that vouches for them.
    """
    view = memoryview(data)
    pattern = _pattern(tuple(sorted(dialect.kinds)), None)
    own = dialect.stamp(file_id).to_bytes(4, "big")
    digest: Hash = PrefixDigest(view) if dialect.hashed else direct
    for start, end in gaps:
        at = start
        while (match := pattern.search(view, at, end)) is not None:
            item = decode_record(view, match.start(), end, dialect, digest)
            if isinstance(item, JournalRecord) and view[item.off + 1 : item.off + 5] != own:
                yield item
                at = item.end
            else:
                at = match.start() + 1
