"""Which products have answered what a case expects, on exactly its bytes.

``python tools/confirmed.py OUTCOMES`` prints the content of the JBoss journal's
``judged.toml``. OUTCOMES is a folder with ``inputs.tar.gz``, the directories that the
products were run on, and ``outcomes.json.gz``, what they answered. Exit status: 0; 2 if
the folder is not one.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from publish import collect, input_digest

from journalspec_corpus.case import Case

FORMAT = "jboss_journal"
INPUTS, ANSWERS = "inputs.tar.gz", "outcomes.json.gz"
HEAD = """# SPDX-License-Identifier: CC0-1.0
# Inputs on which products were run, with the same bytes, and answered what every case with these bytes
# expects of strict recovery: the same records in the same order and the same transactions in doubt, or no
# start where recovery is refused. `input` is the digest of the input's files.
# Made by python tools/confirmed.py.
"""
#: Bodies above this many bytes are recorded by length and hash only.
LONGEST = 40


def table(outcomes: Path, cases: Iterable[Case]) -> dict[str, list[str]]:
    """Return input digest -> products that confirm every case of that input, for those that have any."""
    by_input: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.write is None and set(case.params) <= {"file_size"}:
            by_input[input_digest(case.files())].append(case)
    found: dict[str, set[str]] = defaultdict(set)
    for digest, results in _recorded(outcomes):
        for product, result in results.items():
            # A product may be said to answer as another one does.
            whole = {**results.get(result.get("same_as", ""), {}), **result}
            if digest in by_input and all(_confirms(whole, case) for case in by_input[digest]):
                found[digest].add(product)
    return {digest: sorted(found[digest]) for digest in sorted(found)}


def _recorded(outcomes: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (input digest, product -> result) of every recorded run."""
    directories: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(outcomes / INPUTS) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                path = PurePosixPath(member.name)
                directories[str(path.parent)][path.name] = stream.read()
    recorded = json.loads(gzip.decompress((outcomes / ANSWERS).read_bytes()))
    for entry in recorded["cases"]:
        if not entry.get("order_dependent") and set(entry.get("params", {})) <= {"file_size"}:
            yield input_digest(directories[entry["case"]]), entry["results"]


def _confirms(result: Mapping[str, Any], case: Case) -> bool:
    """Tell whether a product answered what strict recovery is expected to."""
    for probe in case.probes:
        if (probe.op, probe.policy) == ("recover", "strict"):
            return any(_agrees(result, expected) for expected in probe.expect)
    return False


def _agrees(result: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    if expected["verdict"] == "refused" or result["outcome"] != "loaded":
        return bool(expected["verdict"] == "refused" and result["outcome"] == "abort")
    state = expected.get("state")
    if state is None or list(map(_live, state["live"])) != list(map(_recorded_live, result["records"])):
        return False
    in_doubt = [
        (
            item["tx"],
            _body(item["extra"]),
            list(map(_live, item["records"])),
            [(entry["id"], _body(entry["body"])) for entry in item["deletes"]],
        )
        for item in state["prepared"]
    ]
    recorded = [
        (
            str(item["tx"]),
            item.get("extra") or "",
            list(map(_recorded_live, item["records"])),
            [(str(entry[0]), entry[1] if len(entry) > 1 else "") for entry in item.get("deletes", ())],
        )
        for item in sorted(result["prepared"], key=lambda item: int(item["tx"]))
    ]
    return in_doubt == recorded


def _body(text: str) -> str:
    """Return a body, in hex, as it was recorded."""
    data = bytes.fromhex(text)
    return text if len(data) <= LONGEST else f"len:{len(data)},sha256:{hashlib.sha256(data).hexdigest()[:16]}"


def _live(item: Mapping[str, Any]) -> tuple[Any, ...]:
    numbers = (int(item[name]) for name in ("id", "user_type", "compact_count"))
    return (item["kind"], *numbers, _body(item["body"]))


def _recorded_live(item: Sequence[Any]) -> tuple[Any, ...]:
    kind, number, user_type, body, *compact = item
    return (kind, number, user_type & 0xFF, compact[0] if compact else 0, body)


def render(found: Mapping[str, Sequence[str]]) -> str:
    """Return the text of ``judged.toml``."""
    entries = [
        f'\n[[judged]]\ninput = "{digest}"\nby = [{", ".join(json.dumps(name) for name in names)}]\n'
        for digest, names in found.items()
    ]
    return HEAD + "".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python tools/confirmed.py", description=__doc__)
    parser.add_argument("outcomes", type=Path, help=f"folder with {INPUTS} and {ANSWERS}")
    outcomes = parser.parse_args(arguments).outcomes
    if not all((outcomes / name).is_file() for name in (INPUTS, ANSWERS)):
        print(f"error: {outcomes} lacks {INPUTS} or {ANSWERS}", file=sys.stderr)
        return 2
    print(render(table(outcomes, collect(FORMAT)["smoke"])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
