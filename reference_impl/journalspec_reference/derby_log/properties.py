"""The properties of a database: ``service.properties``, without which Derby does not find it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from journalspec_reference.filesets import FilesetError, load

NAME = "service.properties"
#: No more of it is read (bytes).
LONGEST = 1 << 20
#: The minimal properties of a database: the place of its catalogue, the same in all releases.
AT_LEAST = {
    "SysconglomeratesIdentifier": 32, "SysconglomeratesIndex1Identifier": 49,
    "SysconglomeratesIndex2Identifier": 65, "SysconglomeratesIndex3Identifier": 81,
    "SystablesIdentifier": 96, "SystablesIndex1Identifier": 113, "SystablesIndex2Identifier": 129,
    "SyscolumnsIdentifier": 144, "SyscolumnsIndex1Identifier": 161, "SyscolumnsIndex2Identifier": 177,
    "SysschemasIdentifier": 192, "SysschemasIndex1Identifier": 209, "SysschemasIndex2Identifier": 225,
    "derby.storage.propertiesId": 16, "derby.serviceLocale": "en",
    "derby.serviceProtocol": "org.apache.derby.database.Database",
}  # fmt: skip


def of_database(log: Path | None) -> dict[str, str] | None:
    """Return the properties of the database whose log is in a directory; None if there are none."""
    if log is None:
        return None
    try:
        data = bytes(load(log / ".." / NAME).files[NAME][:LONGEST])
    except (FilesetError, KeyError):
        return None
    lines = (line.strip().partition("=") for line in data.decode("latin-1").splitlines())
    return {name.strip(): value.strip().replace("\\", "") for name, _, value in lines if name[:1] != "#"}


def problem(stored: Any) -> str:
    """Return the fault of a database's properties and the reaction of Derby; empty: none."""
    lines = bytes(stored[:LONGEST]).decode("latin-1").splitlines(keepends=True)
    names = {line.partition("=")[0].strip() for line in lines}
    gone = [name for name in AT_LEAST if name not in names]
    found = []
    if gone:
        text = (
            "property that every database has is"
            if len(gone) == 1
            else "properties that every database has are"
        )
        found.append(f"{len(gone)} {text} missing, the first {gone[0]}: Derby does not start (XCY03)")
    if lines and not lines[-1].endswith("\n") and not lines[-1].startswith("#"):
        # What is left of it may be a complete property.
        found.append("the last line is cut: Derby may not start")
    return "; ".join(found)


def whole(stored: Any) -> tuple[bytes, list[str]]:
    """Return the properties of a database, and what had to be done to them."""
    said: list[str] = []
    kept, names = [], set()
    complete, _, cut = bytes(stored[:LONGEST]).decode("latin-1").rpartition("\n")
    lines = complete.splitlines()
    if cut.startswith("#"):
        lines.append(cut)
    elif cut:
        # A completely written file ends with a line feed.
        said.append("the last line is cut, and left out")
    for line in lines:
        if not line.replace("\t", " ").isprintable():
            # Not treated as a present one: Derby would read a value without a meaning.
            said.append("a line that is no text is left out")
            continue
        name = line.partition("=")[0].strip()
        if name == "logDevice":
            said.append(f"{line}: left out, the log is in the new directory")
            continue
        names.add(name)
        kept.append(line)
    gone = {name: value for name, value in AT_LEAST.items() if name not in names}
    if not gone and not said:
        return bytes(stored[:]), []
    if gone:
        said.append(f"{len(gone)} properties were missing and have the values that all databases have")
    out = [*kept, *(f"{name}={value}" for name, value in gone.items())]
    return "\n".join([*out, ""]).encode("latin-1"), said
