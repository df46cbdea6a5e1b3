"""Builders of records and files, for authors of cases: clean ones, and ones with one field wrong.

Every value can be overridden by its field name. The check size (or hash) is
computed over the record as it then stands, so that the overridden field is the
only fault; override it as well, or damage the bytes afterwards at the place that
:func:`record_layout` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from journalspec.jboss_journal.constants import CONTROL, LAYOUTS, layout_of
from journalspec.jboss_journal.schema import control_body, field_names, header_schema, record_schema

__all__ = [
    "CONTROL",
    "Piece",
    "build_control_file",
    "build_file",
    "build_header",
    "build_record",
    "header_layout",
    "record_layout",
    "stamp_of",
]

#: Bytes at the next (aligned) offset, or (offset, bytes).
Piece = bytes | tuple[int, bytes]
_LISTS = ("pairs",)


def stamp_of(edition: str, file_id: int) -> int:
    """Return what the records of file `file_id` carry, unsigned (JBM-HDR-015, JBM-HDR-016)."""
    return LAYOUTS[edition].stamp(file_id)


def build_header(
    edition: str, file_id: int, *, user_version: int = 0, format_version: int | None = None
) -> bytes:
    """Return a file header; `format_version` defaults to the newest of the edition.

    Raises KeyError for an unknown edition. Editions without a version ignore
    `user_version` and `format_version`.
    """
    fields = {"file_id": _signed(file_id, 8 if LAYOUTS[edition].versions else 4)}
    fields |= {"user_version": _signed(user_version)}
    if format_version is not None:
        fields["format_version"] = _signed(format_version)
    data: bytes = header_schema(edition).build(fields)
    return data


def build_record(
    edition: str, kind: str, file_id: int = 1, *, format_version: int = 0, **fields: Any
) -> bytes:
    """Return one record of type `kind` ("ADD", ...) for the file with id `file_id`.

    `fields` are those of the type: ``compact_count``, ``tx``, ``id``,
    ``user_type``, ``body``, ``extra``, ``count``, ``pairs`` (a list of
    (file id, count)); left out, numbers are 0 and bytes empty. Overrides: ``type``
    (the number), ``size``, ``extra_size``, ``num_files``, ``check_size``, ``hash``
    and ``file_id`` as ``stamp``. `format_version` 1 gives a record of v1 in the
    editions that read it. Raises KeyError for an edition or type that there is not,
    TypeError for a field that the type does not have.
    """
    layout = layout_of(edition, format_version)
    schema = record_schema(layout, kind)
    known = field_names(layout, kind) - {"file_id"} | {"stamp"}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise TypeError(
            f"a {kind} of {layout.edition} has no {', '.join(unknown)}: there are {', '.join(sorted(known))}"
        )
    values = {name: _fitting(name, value) for name, value in fields.items() if name != "stamp"}
    values["file_id"] = _signed(fields.get("stamp", layout.stamp(file_id)))
    data: bytes = schema.build(values)
    return data


def _fitting(name: str, value: Any) -> Any:
    if name in _LISTS:
        return [{"file_id": _signed(file_id), "count": _signed(count)} for file_id, count in value]
    if name in ("body", "extra"):
        return bytes(value)
    if name in ("tx", "id"):
        return _signed(value, 8)
    if name in ("type", "user_type"):
        return value & 0xFF
    if name == "hash":
        return value & 0xFFFFFFFF
    return _signed(value, 1 if name == "compact_count" else 4)


def _signed(value: int, size: int = 4) -> int:
    """Return `value` as the signed integer of `size` bytes that has the same bytes."""
    half = 1 << (8 * size - 1)
    return (value + half) % (2 * half) - half


def build_file(
    edition: str,
    file_id: int = 1,
    records: Iterable[Piece] = (),
    *,
    size: int | None = None,
    fill: int = 0x4A,
    alignment: int = 1,
    background: bytes = b"",
    header: bytes | None = None,
    **header_fields: Any,
) -> bytes:
    """Return a whole file: header, `records` in place, everything else `fill`.

    A record goes to the end of the piece before it, rounded up to `alignment`; an
    (offset, bytes) piece goes where it says and the next one behind it. With an
    alignment above 1 the header's block and the padding of each piece are zero.
    `background` is what the file held before: an earlier life, from offset 0 on,
    of which everything that is not written now stays (then nothing is filled
    but what it does not reach). `header` replaces the header; `header_fields` go to
    :func:`build_header`. A `size` below what is there cuts the file.
    """
    head = build_header(edition, file_id, **header_fields) if header is None else header
    out = bytearray(background)
    at = _put(out, 0, head, fill, alignment)
    for piece in records:
        off, data = piece if isinstance(piece, tuple) else (at, piece)
        at = _put(out, off, data, fill, alignment)
    if size is not None:
        out += bytes([fill]) * (size - len(out))
        del out[size:]
    return bytes(out)


def _put(out: bytearray, off: int, data: bytes, fill: int, alignment: int) -> int:
    """Write `data`, padded with zeros to the alignment, at `off`; return the offset behind."""
    end = -(-(off + len(data)) // alignment) * alignment
    padded = data.ljust(end - off, b"\0")
    out += bytes([fill]) * (off - len(out))
    out[off : off + len(padded)] = padded
    return end


def build_control_file(
    edition: str,
    old: Sequence[str],
    new: Sequence[str],
    renames: Sequence[tuple[str, str]] = (),
    *,
    slack: bytes = b"",
    size: int | None = None,
    fill: int = 0,
    **record_fields: Any,
) -> bytes:
    """Return the control file of a compaction (JBM-CMP-002); `record_fields` override those of its ADD."""
    body = control_body(list(old), list(new), list(renames), slack)
    fields = {"id": 1, "body": body, **record_fields}
    record = build_record(edition, "ADD", 0, **fields)
    return build_file(edition, 0, [record], size=size, fill=fill)


def header_layout(edition: str) -> dict[str, tuple[int, int]]:
    """Return field -> (offset, length) in bytes of the edition's file header."""
    if LAYOUTS[edition].versions:
        return {"format_version": (0, 4), "user_version": (4, 4), "file_id": (8, 8)}
    return {"file_id": (0, 4)}


def record_layout(edition: str, record: bytes, format_version: int = 0) -> dict[str, tuple[int, int]]:
    """Return field -> (offset, length) in bytes within a clean `record` that was built or cut out.

    Pairs are ``pairs[0].file_id``, ``pairs[0].count`` and so on; ``record`` is the
    whole. Raises construct's errors if the record is damaged already.
    """
    layout = layout_of(edition, format_version)
    parsed = record_schema(layout).parse(record)
    found: dict[str, tuple[int, int]] = {}
    at = 0
    for name, size in _sizes(parsed):
        found[name] = (at, size)
        at += size
    return {**found, "record": (0, at)}


def _sizes(parsed: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    """Yield the fields of a parsed record with their lengths, in file order."""
    fixed = {"type": 1, "compact_count": 1, "user_type": 1, "tx": 8, "id": 8}
    for name, value in parsed.items():
        if name in ("off", "end", "_io"):
            continue
        if name in ("body", "extra"):
            yield name, len(value)
        elif name in _LISTS:
            for index in range(len(value)):
                yield f"{name}[{index}].file_id", 4
                yield f"{name}[{index}].count", 4
        else:
            yield name, fixed.get(name, 4)
