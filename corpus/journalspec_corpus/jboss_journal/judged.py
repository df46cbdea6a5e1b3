"""Which products have answered what a case expects, on exactly its bytes.

``python -m journalspec_corpus.jboss_journal.judged OUTCOMES`` prints the content
of ``judged.toml``. OUTCOMES is a folder with ``inputs.tar.gz``, the directories
that the products were run on, and ``outcomes.json.gz``, what they answered.
Exit status: 0; 2 if the folder is not one.
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

from journalspec_corpus.case import Case
from journalspec_corpus.jboss_journal.author import FORMAT_ID
from journalspec_corpus.publish import collect, input_digest

HEAD = """# SPDX-License-Identifier: CC0-1.0
# Inputs on which products were run, with the same bytes, and answered what every case with these bytes
# expects of strict recovery: the same records in the same order and the same transactions in doubt, or no
# start where recovery is refused. `input` is the digest of the input's files.
# Made by python -m journalspec_corpus.jboss_journal.judged.
"""
#: Bodies above this many bytes are recorded by length and hash only.
LONGEST = 40


def table(outcomes: Path, cases: Iterable[Case]) -> dict[str, list[str]]:
    """Return input digest -> products that confirm every case of that input, for those that have any."""
    by_input: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.write is None and set(case.params) <= {"file_size"}:
            by_input[input_digest(case)].append(case)
    found: dict[str, set[str]] = defaultdict(set)
    for digest, results in _recorded(outcomes):
        for product, result in results.items():
            if digest in by_input and all(_confirms(result, case) for case in by_input[digest]):
                found[digest].add(product)
    return {digest: sorted(found[digest]) for digest in sorted(found)}


def _recorded(outcomes: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (input digest, product -> result) of every recorded run."""
    directories: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(outcomes / "inputs.tar.gz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                path = PurePosixPath(member.name)
                directories[str(path.parent)][path.name] = stream.read()
    recorded = json.loads(gzip.decompress((outcomes / "outcomes.json.gz").read_bytes()))
    for entry in recorded["cases"]:
        if not entry.get("order_dependent") and set(entry.get("params", {})) <= {"file_size"}:
            yield _digest(directories[entry["case"]]), dict(_results(entry["results"]))


def _results(results: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each product's result, completed by the one that it is said to equal."""
    for product, result in results.items():
        yield product, {**results.get(result.get("same_as", ""), {}), **result}


def _digest(files: Mapping[str, bytes]) -> str:
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        total.update(f"{name} {len(data)} {hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


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
    if state is None:
        return False
    return [_recorded_live(item) for item in state["live"]] == [
        _plain(item) for item in result["records"]
    ] and [_in_doubt(item) for item in state["prepared"]] == sorted(
        (_recorded_doubt(item) for item in result["prepared"]), key=lambda item: int(item[0])
    )


def _body(text: str) -> str:
    data = bytes.fromhex(text)
    return text if len(data) <= LONGEST else f"len:{len(data)},sha256:{hashlib.sha256(data).hexdigest()[:16]}"


def _recorded_live(item: Mapping[str, Any]) -> list[Any]:
    return [
        item["kind"],
        int(item["id"]),
        int(item["user_type"]),
        _body(item["body"]),
        int(item["compact_count"]),
    ]


def _plain(item: Sequence[Any]) -> list[Any]:
    kind, number, user_type, body, *compact = item
    return [kind, number, user_type & 0xFF, body, compact[0] if compact else 0]


def _in_doubt(item: Mapping[str, Any]) -> tuple[Any, ...]:
    records = [_recorded_live(record) for record in item["records"]]
    return (
        str(item["tx"]),
        _body(item["extra"]),
        records,
        [[int(d["id"]), _body(d["body"])] for d in item["deletes"]],
    )


def _recorded_doubt(item: Mapping[str, Any]) -> tuple[Any, ...]:
    deletes = [[entry[0], entry[1] if len(entry) > 1 else ""] for entry in item.get("deletes", ())]
    return str(item["tx"]), item.get("extra") or "", [_plain(record) for record in item["records"]], deletes


def render(found: Mapping[str, Sequence[str]]) -> str:
    """Return the text of ``judged.toml``."""
    entries = [
        f'\n[[judged]]\ninput = "{digest}"\nby = [{", ".join(json.dumps(name) for name in names)}]\n'
        for digest, names in found.items()
    ]
    return HEAD + "".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m journalspec_corpus.jboss_journal.judged", description=__doc__
    )
    parser.add_argument("outcomes", type=Path, help="folder with inputs.tar.gz and outcomes.json.gz")
    options = parser.parse_args(arguments)
    if (
        not (options.outcomes / "inputs.tar.gz").is_file()
        or not (options.outcomes / "outcomes.json.gz").is_file()
    ):
        print(f"error: {options.outcomes} lacks inputs.tar.gz or outcomes.json.gz", file=sys.stderr)
        return 2
    print(render(table(options.outcomes, collect(FORMAT_ID)["smoke"])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
