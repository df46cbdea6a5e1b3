"""Recorded outcomes of JBoss journals with the products' classes, and observations in the same form.

A folder of outcomes contains ``inputs.tar.gz`` (the directories on which the implementations were run) and
``outcomes.json.gz`` (the loaded data).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec.observation import REFUSED

Json = dict[str, Any]

INPUTS, ANSWERS = "inputs.tar.gz", "outcomes.json.gz"
EXTENSIONS = {"S0": "jbm", "S1": "jbm", "V2": "amq"}
#: Longer bodies are recorded as length and the beginning of their SHA-256.
WHOLE_DIGITS = 80


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an input: records and transactions, or `thrown`: "Class: message (method)"."""

    thrown: str = ""
    live: tuple[Any, ...] = ()
    prepared: tuple[Any, ...] = ()

    def same(self, other: Outcome) -> bool:
        """Return whether both load the same, or both fail to load."""
        return (bool(self.thrown), self.live, self.prepared) == (
            bool(other.thrown),
            other.live,
            other.prepared,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """One input, the parameters of reading, and the outcome of each implementation.

    `second` contains the outcomes of a second load (of the files after the first load) if they differ.
    """

    name: str
    files: Mapping[str, bytes]
    params: Mapping[str, str]
    outcomes: Mapping[str, Outcome]
    second: Mapping[str, Outcome]
    #: The parameters of this input; whether the outcome depends on the order in which a directory is listed.
    own: frozenset[str]
    by_order: bool
    #: The result of an independent model of the format, if it was recorded.
    model: Outcome | None


def frozen(value: Any) -> Any:
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def outcome_of(result: Json) -> Outcome:
    """Return a recorded result as an outcome."""
    if result["outcome"] != "loaded":
        thrown = result.get("exception")
        return Outcome(
            f"{thrown['class']}: {thrown['message']} ({thrown['in']})" if thrown else result["outcome"]
        )
    prepared = [
        [
            item["tx"],
            item.get("extra") or "",
            item["records"],
            [[delete[0], "".join(delete[1:2])] for delete in item["deletes"]],
        ]
        for item in result["prepared"]
    ]
    return Outcome("", frozen(result["records"]), frozen(sorted(prepared)))


def outcome_of_observation(observed: Mapping[str, Any], edition: str) -> Outcome:
    """Convert a recovery from the protocol's form to the form of recorded outcomes."""
    if observed["verdict"] == REFUSED:
        return Outcome(observed.get("message") or observed.get("code") or REFUSED)

    def short(digits: str) -> str:
        if len(digits) <= WHOLE_DIGITS:
            return digits
        digest = hashlib.sha256(bytes.fromhex(digits)).hexdigest()
        return f"len:{len(digits) // 2},sha256:{digest[:16]}"

    def line(record: Json) -> list[Any]:
        signed = int.from_bytes(bytes([int(record["user_type"])]), signed=True)
        count = [int(record["compact_count"])] if edition.startswith("v2") else []
        return [record["kind"], int(record["id"]), signed, short(record["body"]), *count]

    prepared = [
        [
            int(item["tx"]),
            short(item["extra"]),
            [line(record) for record in item["records"]],
            [[int(delete["id"]), short(delete["body"])] for delete in item["deletes"]],
        ]
        for item in observed["state"]["prepared"]
    ]
    return Outcome("", frozen([line(record) for record in observed["state"]["live"]]), frozen(prepared))


def recorded_inputs(directory: Path) -> Iterator[Recorded]:
    """Yield all inputs in `directory`."""
    content: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(directory / INPUTS) as packed:
        for member in packed:
            stream = packed.extractfile(member)
            if stream is not None:
                name, _, file = member.name.removeprefix("inputs/").rpartition("/")
                content[name][file] = stream.read()
    told = json.loads(gzip.decompress((directory / ANSWERS).read_bytes()))
    for case in told["cases"]:
        numbers = told["default_params"] | case.get("params", {})
        results = case["results"]
        whole = {
            name: {**results.get(result.get("same_as"), {}), **result} for name, result in results.items()
        }
        twice = {} if "ops_after_load" in numbers else results
        yield Recorded(
            case["case"],
            content[case["case"]],
            {
                "extension": EXTENSIONS[case["dialect"]],
                **{key: str(numbers[key]) for key in ("file_size", "min_files")},
            },
            {name: outcome_of(result) for name, result in whole.items()},
            {
                name: outcome_of(result["second_load"])
                for name, result in twice.items()
                if "second_load" in result
            },
            frozenset(case.get("params", ())),
            bool(case.get("order_dependent")),
            outcome_of(case["model"]) if case.get("model") else None,
        )
