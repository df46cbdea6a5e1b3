"""Traces a product's file operations with strace: writes, fsyncs, renames and removals, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.product import serving
from journalspec_conformance.programs import completed

#: The traced system calls: those that change files or make them durable, and those that move a file position.
CALLS = "openat,close,lseek,write,pwrite64,fdatasync,fsync,rename,unlink"
#: The longest write that strace prints completely.
LONGEST = 65536
_TIMEOUT = 120.0


class TracingRefused(Exception):
    """strace is not permitted to trace processes here."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Represents one file operation:

    ``write`` of `data` at `off`, ``sync``, ``rename`` to `target`, ``unlink``.
    """

    kind: str
    file: str
    off: int = 0
    data: bytes = b""
    target: str = ""


_LINE = re.compile(r"^(?P<pid>\d+) +(?P<rest>.*)$")
_RESUMED = re.compile(r"^<\.\.\. \w+ resumed>(?P<rest>.*)$")
_UNFINISHED = " <unfinished ...>"
_ON_FILE = re.compile(
    r"^(?P<call>write|pwrite64|lseek|fdatasync|fsync|close)"
    r"\((?P<fd>\d+)<(?P<path>[^>]*)>(?P<rest>.*)\) += (?P<value>-?\d+)"
)
_OPENED = re.compile(r"^openat\(.*\) += (?P<fd>\d+)<")
_NAMED = re.compile(r'^(?P<call>rename|unlink)\("(?P<first>[^"]*)"(?:, "(?P<second>[^"]*)")?\) += 0')
_DATA = re.compile(r', "(?P<data>(?:\\x[0-9a-f]{2})*)", (?P<size>\d+)(?:, (?P<off>\d+))?$')


def _unescape(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _name(text: str) -> str:
    return Path(_unescape(text).decode()).name


def _whole_lines(text: str) -> list[str]:
    """Return one line per call. The line of an interrupted call is at the position where the call ended."""
    begun: dict[str, str] = {}
    out = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        pid, rest = match["pid"], match["rest"]
        resumed = _RESUMED.match(rest)
        if rest.endswith(_UNFINISHED):
            begun[pid] = rest.removesuffix(_UNFINISHED)
        elif resumed is not None:
            out.append(begun.pop(pid, "") + resumed["rest"])
        else:
            out.append(rest)
    return out


def parse(text: str) -> list[Seen]:
    """Return the file operations in a log of ``strace -f -y -xx``, with computed write offsets."""
    offsets: dict[str, int] = {}
    seen: list[Seen] = []
    for line in _whole_lines(text):
        opened, named, match = _OPENED.match(line), _NAMED.match(line), _ON_FILE.match(line)
        if opened is not None:
            offsets.pop(opened["fd"], None)
        elif named is not None:
            seen.append(Seen(named["call"], _name(named["first"]), target=_name(named["second"] or "")))
        elif match is not None and int(match["value"]) >= 0:
            _on_file(match, offsets, seen)
    return seen


def _on_file(match: re.Match[str], offsets: dict[str, int], seen: list[Seen]) -> None:
    descriptor, file = match["fd"], _name(match["path"])
    if match["call"] == "close":
        offsets.pop(descriptor, None)
    elif match["call"] == "lseek":
        offsets[descriptor] = int(match["value"])
    elif match["call"] in ("fdatasync", "fsync"):
        seen.append(Seen("sync", file))
    else:
        found = _DATA.search(match["rest"])
        if found is None:
            raise ValueError(f"strace shows a write in a way that is not known: {match[0][:200]}")
        data = _unescape(found["data"])
        if not len(data) == int(match["value"]) == int(found["size"]):
            raise ValueError(f"a write was cut short, or only a part of it is shown: {match[0][:200]}")
        at = int(found["off"]) if found["off"] else offsets.get(descriptor, 0)
        seen.append(Seen("write", file, at, data))
        if not found["off"]:
            offsets[descriptor] = at + len(data)


def traced_write(
    product: str,
    request: Mapping[str, Any],
    directory: Path,
    log: Path,
    names: Sequence[str] = (),
) -> list[Seen]:
    """Let a product serve one ``write`` request under strace; return its operations in `directory`.

    `log` is the file that strace writes; `names` are the files to include, all if empty. Raises
    TracingRefused, and ValueError if the product refused an operation.
    """
    command = ["strace", "-f", "-qq", "-y", "-xx", "-s", str(LONGEST), "-o", str(log), "-e", f"trace={CALLS}"]
    for name in names:
        command += ["-P", str(directory / name)]
    command += serving(product)
    done = completed(command, _TIMEOUT, json.dumps(request) + "\n")
    if "ptrace" in done.stderr.lower():
        raise TracingRefused(done.stderr.strip()[:200])
    reply = json.loads(done.stdout)
    if reply.get("ok", {}).get("refusals") != []:
        raise ValueError(f"the product did not perform the operation: {done.stdout[:500]}")
    mark = "".join(f"\\x{byte:02x}" for byte in str(directory).encode())
    lines = [
        line for line in log.read_text(encoding="ascii").splitlines() if mark in line or "resumed>" in line
    ]
    return parse("\n".join(lines))
