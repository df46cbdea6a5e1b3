"""Outcomes that were recorded from four real implementations, held against the specification.

``python -m journalspec_conformance.harnesses.jboss_journal.recorded DIRECTORY``
prints a table. `DIRECTORY` holds ``outcomes.json.gz`` and ``inputs.tar.gz``: for
each input what each implementation loads. What the specification says is taken
from the reference; each difference must be explained by exactly one entry of
``recorded.toml``, which names a deviation.
"""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import json
import sys
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from journalspec.observation import REFUSED
from journalspec_reference import load

FORMAT = "jboss_journal"
#: What each implementation writes, and so what it was asked to read.
EDITIONS = {"jbm-s0": "seed", "jbm-s1": "s1", "hornetq-2.4.9": "v2", "artemis-2.44.0": "v2e"}
_EXTENSIONS = {"S0": "jbm", "S1": "jbm", "V2": "amq"}
#: Longer bodies are recorded as length and the beginning of their SHA-256.
_WHOLE_DIGITS = 80
_SIGN, _BYTE = 128, 256

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an implementation makes of an input: a list of records and one of transactions, or `thrown`.

    `thrown` is "Class: message (method)", empty if the journal was loaded.
    """

    thrown: str = ""
    live: tuple[Any, ...] = ()
    prepared: tuple[Any, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether nothing was loaded."""
        return bool(self.thrown)

    def same(self, other: Outcome) -> bool:
        """Tell whether both load the same, or neither loads."""
        return (self.refused, self.live, self.prepared) == (other.refused, other.live, other.prepared)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One input, how it was read, and the outcome of each implementation.

    `second` are the outcomes of loading once more what the first load has left
    behind, where they differ from the first.
    """

    name: str
    files: Mapping[str, bytes]
    params: Mapping[str, str]
    outcomes: Mapping[str, Outcome]
    second: Mapping[str, Outcome]
    #: Two files have one id: the outcome depends on the order in which a directory is listed.
    order_dependent: bool


def recorded_inputs(directory: Path) -> Iterator[Recorded]:
    """Yield all inputs in `directory`; raises FileNotFoundError."""
    content: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(directory / "inputs.tar.gz") as packed:
        for member in packed:
            stream = packed.extractfile(member)
            if stream is not None:
                name, _, file = member.name.removeprefix("inputs/").rpartition("/")
                content[name][file] = stream.read()
    told = json.loads(gzip.decompress((directory / "outcomes.json.gz").read_bytes()))
    for case in told["cases"]:
        numbers = told["default_params"] | case.get("params", {})
        params = {key: str(numbers[key]) for key in ("file_size", "min_files")}
        results = {name: _inherited(case["results"], name) for name in case["results"]}
        yield Recorded(
            case["case"],
            content[case["case"]],
            {"extension": _EXTENSIONS[case["dialect"]], **params},
            {name: outcome_of(result) for name, result in results.items()},
            {
                name: outcome_of(result["second_load"])
                for name, result in case["results"].items()
                if "second_load" in result and "ops_after_load" not in numbers
            },
            bool(case.get("order_dependent")),
        )


def _inherited(results: Mapping[str, Json], name: str) -> Json:
    result = results[name]
    return {**results[result["same_as"]], **result} if "same_as" in result else result


def outcome_of(result: Json) -> Outcome:
    """Return a recorded result as an outcome."""
    if result["outcome"] != "loaded":
        thrown = result["exception"]
        return Outcome(f"{thrown['class']}: {thrown['message']} ({thrown['in']})")
    prepared = [
        [
            item["tx"],
            item.get("extra") or "",
            item["records"],
            [[delete[0], "".join(delete[1:2])] for delete in item["deletes"]],
        ]
        for item in result["prepared"]
    ]
    return Outcome("", _frozen(result["records"]), _frozen(sorted(prepared)))


def outcome_of_observation(observed: Json, edition: str) -> Outcome:
    """Return a recovery, in the protocol's form, in the form of the record."""
    if observed["verdict"] == REFUSED:
        return Outcome(observed.get("message") or observed["code"])
    state, compact = observed["state"], edition.startswith("v2")
    prepared = [
        [
            int(item["tx"]),
            _short(item["extra"]),
            [_line(record, compact) for record in item["records"]],
            [[int(delete["id"]), _short(delete["body"])] for delete in item["deletes"]],
        ]
        for item in state["prepared"]
    ]
    return Outcome("", _frozen([_line(record, compact) for record in state["live"]]), _frozen(prepared))


def _line(record: Json, compact: bool) -> list[Any]:
    user_type = int(record["user_type"])
    signed = user_type - _BYTE if user_type >= _SIGN else user_type
    line = [record["kind"], int(record["id"]), signed, _short(record["body"])]
    return [*line, int(record["compact_count"])] if compact else line


def _short(digits: str) -> str:
    if len(digits) <= _WHOLE_DIGITS:
        return digits
    digest = hashlib.sha256(bytes.fromhex(digits)).hexdigest()
    return f"len:{len(digits) // 2},sha256:{digest[:16]}"


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def specified(recorded: Recorded, edition: str) -> Outcome:
    """Return what the specification says of an input, by the reference."""
    seen = load(FORMAT).recover(recorded.files, edition=edition, policy="strict", params=recorded.params)
    return outcome_of_observation(seen.to_json(), edition)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One entry of ``recorded.toml``: which differences a deviation accounts for.

    `implementations` and `cases` are patterns; `thrown` is one for the text of
    an exception, and empty where the implementation loads something else;
    `load` is 2 for what only the second load shows.
    """

    deviation: str
    implementations: tuple[str, ...]
    cases: tuple[str, ...]
    thrown: str
    load: int

    def accounts_for(self, implementation: str, case: str, load: int, outcome: Outcome) -> bool:
        """Tell whether this is the reason why `implementation` comes to `outcome` in that load (1 or 2)."""
        return (
            load == self.load
            and any(fnmatch.fnmatchcase(implementation, pattern) for pattern in self.implementations)
            and any(fnmatch.fnmatchcase(case, pattern) for pattern in self.cases)
            and fnmatch.fnmatchcase(outcome.thrown, self.thrown)
        )


def explanations() -> tuple[Explanation, ...]:
    """Return the entries of ``recorded.toml``."""
    source = files(__package__).joinpath("recorded.toml").read_text(encoding="utf-8")
    return tuple(
        Explanation(
            entry["deviation"],
            tuple(entry["implementations"]),
            tuple(entry.get("cases", ["*"])),
            entry.get("thrown", ""),
            entry.get("load", 1),
        )
        for entry in tomllib.loads(source)["explained"]
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """A load on which an implementation departs from the specification, and the deviations that say why.

    `load` is 1, or 2 where the first one was as specified and the next is not.
    """

    implementation: str
    case: str
    load: int
    specified: Outcome
    outcome: Outcome
    deviations: tuple[str, ...]


def differences(inputs: Iterable[Recorded], counts: Counter[str]) -> Iterator[Difference]:
    """Yield every difference; `counts` becomes implementation -> number of inputs."""
    entries = explanations()
    for recorded in inputs:
        for name, first in recorded.outcomes.items():
            counts[name] += 1
            wanted = specified(recorded, EDITIONS[name])
            load, outcome = 1, first
            if wanted.same(first):
                load, outcome = 2, recorded.second.get(name, first)
            if not wanted.same(outcome):
                why = tuple(
                    entry.deviation
                    for entry in entries
                    if entry.accounts_for(name, recorded.name, load, outcome)
                )
                yield Difference(name, recorded.name, load, wanted, outcome, why)


def table(found: list[Difference], counts: Mapping[str, int]) -> str:
    """Return the counts as a Markdown table: per implementation the inputs, and what explains how many."""
    names = [name for name in EDITIONS if name in counts]
    per = Counter((item.implementation, _row(item)) for item in found)
    differing = Counter((item.implementation, item.load) for item in found)
    rows = [
        ["", *names],
        ["---", *("---:" for _ in names)],
        ["inputs", *(str(counts[name]) for name in names)],
        ["first load as specified", *(str(counts[name] - differing[name, 1]) for name in names)],
        ["but not the second", *(str(differing[name, 2]) for name in names)],
    ]
    for title in sorted({_row(item) for item in found}):
        rows.append([title, *(str(per[name, title] or "") for name in names)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(item: Difference) -> str:
    return " + ".join(item.deviations or ("unexplained",)) + (", second load" if item.load > 1 else "")


def main(arguments: list[str]) -> int:
    """Print the table; 1 if a difference is unexplained, 2 if there is nothing to compare."""
    if len(arguments) != 1 or not Path(arguments[0], "outcomes.json.gz").is_file():
        print(f"usage: python -m {__spec__.name} DIRECTORY (with outcomes.json.gz)", file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    found = list(differences(recorded_inputs(Path(arguments[0])), counts))
    print(table(found, counts), end="")
    unexplained = [item for item in found if len(item.deviations) != 1]
    for item in unexplained:
        print(f"{item.implementation} {item.case}: {item.outcome} ({item.deviations})", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
