"""Outcomes that were recorded from the real classes, compared with the harnesses and the specification.

The recorded file contains each implementation's result for each input. The harnesses must return the same
results. The reference's result represents the specification. Exactly one entry of
``data/recorded_outcomes.toml``, which refers to a deviation, must explain each difference from it. Two
implementations (``jbm-*``) do not run here. For them, only the recorded outcomes are compared. Without
``--products whole`` only a sample is tried.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from recorded import Outcome, Recorded, outcome_of_observation, recorded_inputs

from journalspec.deviations import deviations
from journalspec.observation import REFUSED
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import TimedOut
from journalspec_reference import load
from products import REAL, Connect, Every, Json, asked, of_products
from tables import table
from unpacked import unpacked

PAIRS, JOURNALS = REAL / "bitronix_tlog", REAL / "jboss_journal"


def needed(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"real files are missing: {path}")
    return path


# Pairs: messages are compared as text.

#: Seconds after which a call counts as a hang; calls that return take milliseconds.
TIMEOUT = 3.0
COLUMNS = {"bitronix-2.1.4": "btm-2.1.4", "bitronix-3.0.0-mk1": "btm-3.0.0-mk1"}
POLICIES = {"strict": "strict", "skip": "salvage"}
#: Recorded texts are cut after this many characters.
CUT = "..."


@pytest.fixture(scope="module")
def pair_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = needed(PAIRS / "outcome-inputs.tar.gz")
    return unpacked(archive, tmp_path_factory.mktemp("outcome-inputs"))


def in_the_words_of_the_record(answer: Json) -> str:
    """Return `answer` in the form in which the outcomes were recorded."""
    observed = answer["ok"]
    if observed["verdict"] == REFUSED:
        where, _, thrown = observed["message"].partition(": ")
        name, _, text = thrown.partition(": ")
        step = "OPEN-THROW" if where == "open" else "COLLECT-THROW"
        return f"{step} {name.rpartition('.')[2]}: {text}".strip()
    found = [
        f"g{int(entry['gtrid'][-2:], 16)}[{', '.join(entry['names'])}]"
        for entry in observed["state"]["unfinished"]
    ]
    return f"DANGLING [{', '.join(sorted(found))}]"


def said_of_pair(connection: Connection, source: Path, policy: str, work: Path) -> str:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source, work)
    try:
        return in_the_words_of_the_record(asked(connection, work, "bitronix_tlog", "2.1", policy=policy))
    except TimedOut:
        return "HANG (>6s)"


@of_products
@pytest.mark.real
@pytest.mark.parametrize("name", COLUMNS)
def test_every_recorded_outcome_of_a_pair_is_reproduced(
    name: str, pair_inputs: Path, connect_product: Connect, every: Every, memory_path: Path
) -> None:
    connection = connect_product(name, timeout=TIMEOUT)
    recorded = json.loads((PAIRS / "outcomes.json").read_text(encoding="utf-8"))
    different = []
    for entry in recorded[:: every(10)]:
        for word, policy in POLICIES.items():
            wanted = entry[COLUMNS[name]][word].strip()
            seen = said_of_pair(connection, pair_inputs / entry["case"], policy, memory_path / "work")
            cut = wanted.endswith(CUT) and seen.startswith(wanted.removesuffix(CUT))
            if not cut and wanted != seen:
                different.append(f"{entry['case']} {word}: recorded {wanted!r}, seen {seen!r}")
    assert recorded
    assert different == []


#: Inputs for which the product's strict answer deviates from the specification, each with the reason.
PERMISSIVE = {
    "A/40_rl_toEndExact": "2.1 does not compare the end of its parse with recordLength",
    "A/64_tail_0": "2.1 takes a tail inside the header for an empty log",
    "A/70_zero_magic_both": "2.1 does not look at the format id",
    "A/74_header_torn_4bytes": "2.1 does not look at the format id",
}


@pytest.mark.real
def test_reference_agrees_on_a_pair_unless_the_product_is_permissive(pair_inputs: Path) -> None:
    different = set()
    for entry in json.loads((PAIRS / "outcomes.json").read_text(encoding="utf-8")):
        files = {path.name: path.read_bytes() for path in (pair_inputs / entry["case"]).iterdir()}
        seen = load("bitronix_tlog").recover(files, edition="2.1").to_json()
        ours = "" if seen["verdict"] == REFUSED else in_the_words_of_the_record({"ok": seen})
        said = entry["btm-2.1.4"]["strict"].strip()
        theirs = said if said.startswith("DANGLING") else ""
        cut = theirs.endswith(CUT) and ours.startswith(theirs.removesuffix(CUT))
        if ours != theirs and not cut:
            different.add(entry["case"])
    assert different == set(PERMISSIVE)


# Journals. The records that an implementation loads are compared as values, not as text.

FORMAT = "jboss_journal"
#: The edition of each implementation, which decides the requested operations.
EDITIONS = {"jbm-s0": "seed", "jbm-s1": "s1", "hornetq-2.4.9": "v2", "artemis-2.44.0": "v2e"}
#: Cases whose outcome depends on the order of a directory listing, which differs between file systems.
ORDER_DECIDES = {"v2/study/dup-id", "v2/study/dup-id-tx"}


@pytest.fixture(scope="module")
def inputs() -> list[Recorded]:
    return list(recorded_inputs(needed(JOURNALS / "outcomes")))


class Difference(NamedTuple):
    """A load in which an implementation differs from the specification.

    `load` is 1, or 2 if the first load was as specified and the second is not.
    """

    implementation: str
    case: str
    load: int
    thrown: str

    def explained_by(self, entry: Json) -> bool:
        """Return whether `entry` explains the difference."""
        return (
            self.load == entry.get("load", 1)
            and self.implementation in entry["counts"]
            and any(fnmatchcase(self.case, pattern) for pattern in entry.get("cases", ["*"]))
            and fnmatchcase(self.thrown, entry.get("thrown", ""))
        )


ENTRIES: list[Json] = table("recorded_outcomes")["explained"]


def specified(recorded: Recorded, name: str) -> Outcome:
    """Return the reference's result for an input in the edition of an implementation."""
    edition = EDITIONS[name]
    seen = load(FORMAT).recover(recorded.files, edition=edition, policy="strict", params=recorded.params)
    return outcome_of_observation(seen.to_json(), edition)


def differences(inputs: list[Recorded]) -> Iterator[Difference]:
    """Yield every difference from the reference's result."""
    for recorded in inputs:
        for name, first in recorded.outcomes.items():
            wanted = specified(recorded, name)
            second = recorded.second.get(name, first)
            if not wanted.same(first):
                yield Difference(name, recorded.name, 1, first.thrown)
            elif not wanted.same(second):
                yield Difference(name, recorded.name, 2, second.thrown)


@pytest.mark.real
def test_each_recorded_difference_is_explained_by_exactly_one_entry(
    inputs: list[Recorded],
) -> None:
    assert len({recorded.name for recorded in inputs}) == 2210
    counts = Counter(name for recorded in inputs for name in recorded.outcomes)
    assert counts == {"jbm-s0": 787, "jbm-s1": 580, "hornetq-2.4.9": 843, "artemis-2.44.0": 843}
    explained: list[Counter[str]] = [Counter() for _ in ENTRIES]
    for item in differences(inputs):
        (why,) = (at for at, entry in enumerate(ENTRIES) if item.explained_by(entry))
        explained[why][item.implementation] += 1
    assert explained == [entry["counts"] for entry in ENTRIES]


def test_every_explanation_refers_to_a_listed_deviation() -> None:
    listed = {entry.id for entry in deviations(FORMAT)}
    assert {entry["deviation"] for entry in ENTRIES} - listed == set()


def differs(name: str, wanted: Outcome, seen: Outcome) -> bool:
    if name in ORDER_DECIDES:
        return sorted(wanted.live) != sorted(seen.live) and bool(seen.live)
    return not wanted.same(seen) or not seen.thrown.startswith(wanted.thrown.partition(":")[0])


@of_products
@pytest.mark.real
@pytest.mark.parametrize("name", ["hornetq-2.4.9", "artemis-2.44.0"])
def test_every_outcome_of_a_journal_is_the_same(
    name: str, connect_product: Connect, inputs: list[Recorded], every: Every, memory_path: Path
) -> None:
    """If a second load was recorded, the files that the first load left are opened, closed, and loaded
    again.
    """
    connection, place = connect_product(name), memory_path / "in"

    def answered(recorded: Recorded, **members: Any) -> Json:
        params = {"prefix": "activemq-data", **recorded.params}
        found: Json = asked(connection, place, FORMAT, EDITIONS[name], params=params, **members)["ok"]
        return found

    different = []
    known = [recorded for recorded in inputs if name in recorded.outcomes]
    assert len(known) == 843
    for recorded in known[:: every(12)]:
        outcomes = [recorded.outcomes[name], recorded.second.get(name)]
        for load_number, wanted in enumerate(filter(None, outcomes)):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            for file, data in recorded.files.items():
                (place / file).write_bytes(data)
            if load_number:
                answered(recorded, cmd="write", ops=[{"op": "open"}, {"op": "close"}])
            seen = outcome_of_observation(answered(recorded), "v2e")
            if differs(recorded.name, wanted, seen):
                different.append(f"{recorded.name}, load {load_number}: recorded {wanted}, seen {seen}")
    assert different == []
