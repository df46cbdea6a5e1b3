"""Writes descriptions of the formats for other programs: file(1), ImHex, and Kaitai Struct's gallery.

``python tools/gallery.py OUT`` writes ``magic`` (try `file -m OUT/magic FILE`), ``imhex/*.hexpat`` and
``kaitai/*.ksy`` into OUT. The first two are made from the field tables of the formats. The last are the
schemas without the keys that only this project uses. The patterns are untested in ImHex.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from journalspec.formats import format_ids, format_module, get_format
from journalspec.layout import Field, Layout, Structure

INTEGERS = {
    "s1": "s8",
    "u1": "u8",
    "s2": "s16",
    "u2": "u16",
    "s4": "s32",
    "u4": "u32",
    "s8": "s64",
    "u8": "u64",
}
MAGIC = {
    "s1": "byte",
    "u1": "ubyte",
    "s2": "beshort",
    "u2": "ubeshort",
    "s4": "belong",
    "u4": "ubelong",
    "s8": "bequad",
}
#: The smallest number of constant bytes in a signature, and the greatest number that is compared.
LEAST, MOST = 4, 24
#: An upper bound of the numbers of record types.
TYPES = 1 << 9
OWN_KEY = re.compile(r"^( *)-requirement:(?: .*)?\n(?:\1 +- .*\n|\1- [A-Z]{3}-.*\n)*", re.MULTILINE)


def files_of(format_id: str) -> dict[str, str]:
    """Return the schemas of a format's files, and the newest edition that each describes."""
    layout = format_module("journalspec", format_id).LAYOUT
    editions = [edition for edition in get_format(format_id).editions if layout.has("header", edition)]
    return {layout.ksy(edition)[0]: edition for edition in editions}


def magic() -> Iterator[str]:
    """Yield the lines of a magic file."""
    yield "# Journals of message brokers, transaction managers and databases, for file(1). CC0-1.0."
    for format_id in format_ids():
        title, told = get_format(format_id).title, set()
        for edition in files_of(format_id).values():
            header = format_module("journalspec", format_id).LAYOUT.structure("header", edition)
            signature = next((item for item in header.fields if len(item.constant) >= LEAST), None)
            if signature is None or signature.constant in told:
                continue
            told.add(signature.constant)
            letters = (chr(byte) for byte in signature.constant[:MOST])
            text = "".join(each if each.isalnum() else f"\\{ord(each):03o}" for each in letters)
            yield f"{header.off(signature.name)}\tstring\t{text}\t{title}"
            for item in header.fields:
                if item.type in MAGIC and (item.low is None or item.low != item.high):
                    number = "%lld" if item.type == "s8" else "%d"
                    yield f">{header.off(item.name)}\t{MAGIC[item.type]}\tx\t\\b, {item.name} {number}"
        if not told:
            yield f"# {title}: its files begin with no signature."


def hexpat(format_id: str, edition: str) -> Iterator[str]:
    """Yield the lines of a pattern for ImHex: the header of a file, and the first record."""
    layout, about = format_module("journalspec", format_id).LAYOUT, get_format(format_id)
    yield f"#pragma description {about.title}, {about.editions[edition].title}"
    yield "#pragma endian big"
    yield ""
    for name in ("Header", "Record"):
        form = layout.structure(name.lower(), edition)
        for item in form.fields:
            if item.type == "list":
                yield f"struct {name}_{item.name} {{"
                for member in item.of:
                    yield from _lines(layout, edition, form, member)
                yield "};"
        yield f"struct {name} {{"
        for item in form.fields:
            yield from _lines(layout, edition, form, item, f"{name}_")
        yield "};"
        yield ""
    yield "Header header @ 0x00;"
    yield "// Records follow each other; place one at another offset to look at it."
    yield "Record record @ sizeof(header);"


def _lines(layout: Layout, edition: str, form: Structure, item: Field, prefix: str = "") -> Iterator[str]:
    """Yield the lines of a field, with the condition for its presence."""
    name, size = item.name.replace(".", "_"), item.length.replace(".", "_") or str(item.width)
    conditions = []
    if item.fills:
        first = form.range(
            counter := next(each for each in form.fields if each.name == item.fills), counter.counts
        )[0]
        done = "0" if first == item.name else f"($ - addressof({first}))"
        size = f"{item.fills} - {done}"
        conditions += [f"{done} < {item.fills}"] if item.optional else []
    if item.types and layout.type_field in form.names:
        numbers = [number for number in range(TYPES) if layout.type_name(edition, number) in item.types]
        conditions.append(" || ".join(f"{layout.type_field} == {number}" for number in numbers))
    if item.is_int:
        told = f"{INTEGERS[item.type]} {name};"
    elif item.type == "list":
        told = f"{prefix}{item.name} {name}[{item.count} > 0 ? {item.count} : 0];"
    else:
        told = f"{'char' if item.constant else 'u8'} {name}[{size}];"
    yield f"    {f'if ({conditions[-1]}) ' if conditions else ''}{told}"


def main() -> int:
    """Write everything and return the exit status."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    out = Path(sys.argv[1])
    for folder in ("imhex", "kaitai"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    (out / "magic").write_text("".join(f"{line}\n" for line in magic()), encoding="ascii")
    written = 1
    for format_id in format_ids():
        for name, edition in files_of(format_id).items():
            lines = "".join(f"{line}\n" for line in hexpat(format_id, edition))
            (out / "imhex" / f"{name}.hexpat").write_text(lines, encoding="utf-8")
            written += 1
        for entry in get_format(format_id).root.iterdir():
            if entry.name.endswith(".ksy"):
                text = OWN_KEY.sub("", entry.read_text(encoding="utf-8"))
                (out / "kaitai" / entry.name).write_text(text, encoding="utf-8")
                written += 1
    print(f"{written} files in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
