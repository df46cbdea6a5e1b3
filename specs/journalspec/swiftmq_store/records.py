"""Reads one record of a log with each kind of schema: the first bytes of the record, and its actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from io import BytesIO
from types import SimpleNamespace
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from journalspec import parsers
from journalspec.elements import parsed
from journalspec.schemas import Journal, Plain, SchemaError
from journalspec.swiftmq_store import ACTIONS, LAYOUT, schema

#: The minimum size of an action in bytes (SMQ-LOG-103).
_LEAST = 8
_PAGE_SIZE = 2048


def by_construct(journal: Journal, file: str, off: int) -> Plain:
    """Return the record at `off` of a log, parsed by construct; raises SchemaError unless it is sound."""
    stream = BytesIO(journal.files[file])
    stream.seek(off)
    header = "record" if _is_tagged(journal.files[file]) else "untagged_record"
    found = parsed(_form(schema.CODEC, journal.edition, header, _page_size(journal)), stream, file)
    actions = [(action.kind, action.body) for action in found.actions]
    return _checked(journal, file, found.header, actions, (off, found.end))


_form = cache(schema.record_schema)


def by_kaitai(journal: Journal, file: str, off: int) -> Plain:
    """Return the record at `off` of a log, parsed by the generated parser; raises SchemaError."""
    data = journal.files[file]
    root = SimpleNamespace(tagged=_is_tagged(data), page_size=_page_size(journal))
    parser = parsers.codec_of(LAYOUT.format_id).parser(journal.edition)
    stream = KaitaiStream(BytesIO(data))
    stream.seek(off)
    try:
        found = parser.Record(int.from_bytes(data[off : off + 4]), stream, None, root)
    except (KaitaiStructError, EOFError) as error:
        raise SchemaError(str(error), file, stream.pos()) from error
    if unknown := [item.kind for item in found.actions if item.kind not in ACTIONS]:
        raise SchemaError(f"{unknown[0]} is not an action", file, off)
    # An action with an image of the old bytes and an action without it are two structures. Each is inside a
    # common structure.
    actions = [(int(item.kind), getattr(item.body, "body", item.body)) for item in found.actions]
    return _checked(journal, file, found.header, actions, (off, stream.pos()))


def _is_tagged(data: bytes) -> bool:
    return data[:4] == b"\0\0\0\1"  # SMQ-LOG-021


def _page_size(journal: Journal) -> int:
    return int(journal.params.get("page_size", _PAGE_SIZE))


def _checked(
    journal: Journal, file: str, header: Any, actions: Iterable[tuple[int, Any]], at: tuple[int, int]
) -> Plain:
    """Return a record made from its parts, after the checks that no schema can express (SMQ-LOG-022, 025,
    027).
    """
    own = getattr(header, "generation", None)
    generation = int.from_bytes(journal.files[file][4:12], signed=True)
    if own is not None and (own != generation or own == -1):
        raise SchemaError(f"generation {own} in a log of {generation}", file, at[0])
    pages = next((len(data) for name, data in journal.files.items() if name.endswith("page.db")), 0)
    most = pages // _page_size(journal) + len(journal.files[file]) // _LEAST
    fields: dict[str, Any] = {} if own is None else {"generation": own}
    if header.code != 1:
        told = [_told(kind, body) for kind, body in actions]
        for action in told:
            if problem := _problem(action, most, _page_size(journal)):
                raise SchemaError(problem, file, at[0])
        fields |= {"transaction": header.transaction, "actions": told}
    return Plain(at[0], at[1] - at[0], LAYOUT.type_name(journal.edition, header.code), fields)


def _told(kind: int, body: Any) -> dict[str, Any]:
    if kind == 2:
        images = {name: getattr(body, name) for name in ("before", "after")}
        values = {"page": body.after.page}
        values |= {name: image.whole for name, image in images.items() if not image.empty}
    else:
        names = ("page", "offset", "before", "after")
        values = {name: getattr(body, name) for name in names if hasattr(body, name)}
    told = {name: value if isinstance(value, int) else bytes(value) for name, value in values.items()}
    return {"action": ACTIONS[kind], **told}


def _problem(action: Mapping[str, Any], most: int, page_size: int) -> str:
    """Return why an action is impossible, or an empty text if it is possible."""
    if not 0 <= action["page"] < most:
        return f"page {action['page']} of at most {most}"
    longest = max(len(action.get("before", b"")), len(action.get("after", b"")))
    if action.get("offset", 0) + longest > page_size:
        return f"an image of {longest} bytes at {action.get('offset', 0)} of a page"
    return ""


READERS = {"construct": by_construct, "kaitai": by_kaitai}
