"""Outcomes that were recorded from the real classes, held against the harnesses and the specification.

For each input it is known what each implementation loads. The harnesses must
give the same. What the specification says is taken from the reference; each
difference from it must be explained by exactly one entry of
``data/recorded_outcomes.toml``, which names a deviation. Two implementations
that do not run here (the ``jbm-*``) are judged by the record alone. Without
``--products whole`` the harnesses are asked about a sample.
"""

from __future__ import annotations

import json
import re
import shutil
import tarfile
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from recorded import Outcome, Recorded, outcome_of, outcome_of_observation, recorded_inputs

from journalspec.deviations import deviations
from journalspec.observation import CLEAN, REFUSED
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import TimedOut
from journalspec_reference import load
from products import REAL, Connect, Every, Json, asked, of_products

PAIRS, JOURNALS = REAL / "bitronix_tlog", REAL / "jboss_journal"
DATA = Path(__file__).parent / "data"


def needed(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"real files are missing: {path}")
    return path


# Pairs: messages are compared as text.

#: Seconds after which a call that never returns is believed not to (the others take milliseconds).
TIMEOUT = 3.0
COLUMNS = {"bitronix-2.1.4": "btm-2.1.4", "bitronix-3.0.0-mk1": "btm-3.0.0-mk1"}
POLICIES = {"strict": "strict", "skip": "salvage"}
#: Where the record says no more than this many characters, it was cut there.
CUT = "..."


@pytest.fixture(scope="module")
def pair_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = needed(PAIRS / "outcome-inputs.tar.gz")
    folder = tmp_path_factory.mktemp("outcome-inputs")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder


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


#: Inputs on which the product's strict answer is not the specification's, each with the reason.
PERMISSIVE = {
    "A/40_rl_toEndExact": "2.1 does not compare the end of its parse with recordLength",
    "A/64_tail_0": "2.1 takes a tail inside the header for an empty log",
    "A/70_zero_magic_both": "2.1 does not look at the format id",
    "A/74_header_torn_4bytes": "2.1 does not look at the format id",
}


@pytest.mark.real
def test_the_reference_makes_the_same_of_a_pair_unless_the_product_is_permissive(pair_inputs: Path) -> None:
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


# Journals: loaded records are compared as values.

FORMAT = "jboss_journal"
#: The bytes of each implementation, and so the operations that it was asked for.
EDITIONS = {"jbm-s0": "seed", "jbm-s1": "s1", "hornetq-2.4.9": "v2", "artemis-2.44.0": "v2e"}
PRODUCTS = ("hornetq-2.4.9", "artemis-2.44.0")
#: The order in which a directory is listed decides, and file systems differ.
ORDER_DECIDES = {"v2/study/dup-id", "v2/study/dup-id-tx"}


@pytest.fixture(scope="module")
def inputs() -> list[Recorded]:
    return list(recorded_inputs(needed(JOURNALS / "outcomes")))


@dataclass(frozen=True, slots=True)
class Difference:
    """A load on which an implementation departs from the specification, and the entries that say why.

    `load` is 1, or 2 where the first one was as specified and the next is not.
    """

    implementation: str
    case: str
    load: int
    outcome: Outcome
    why: tuple[int, ...] = ()

    def explained_by(self, entry: Json) -> bool:
        """Return whether `entry` is the reason."""
        return (
            self.load == entry.get("load", 1)
            and self.implementation in entry["counts"]
            and any(fnmatchcase(self.case, pattern) for pattern in entry.get("cases", ["*"]))
            and fnmatchcase(self.outcome.thrown, entry.get("thrown", ""))
        )


ENTRIES: list[Json] = tomllib.loads((DATA / "recorded_outcomes.toml").read_text(encoding="utf-8"))[
    "explained"
]


def specified(recorded: Recorded, name: str) -> Outcome:
    """Return what the reference says of an input in the edition of an implementation."""
    edition = EDITIONS[name]
    seen = load(FORMAT).recover(recorded.files, edition=edition, policy="strict", params=recorded.params)
    return outcome_of_observation(seen.to_json(), edition)


@pytest.fixture(scope="module")
def found(inputs: list[Recorded]) -> list[Difference]:
    """Return every difference from what the reference says."""
    out = []
    for recorded in inputs:
        for name, first in recorded.outcomes.items():
            wanted = specified(recorded, name)
            number, outcome = 1, first
            if wanted.same(first):
                number, outcome = 2, recorded.second.get(name, first)
            if not wanted.same(outcome):
                item = Difference(name, recorded.name, number, outcome)
                why = tuple(at for at, entry in enumerate(ENTRIES) if item.explained_by(entry))
                out.append(Difference(name, recorded.name, number, outcome, why))
    return out


#: Inputs on which the specification differs from the recorded model, and by which requirement.
UNLIKE_THE_MODEL = {
    "s0/study/long-2048": "JBM-FIL-010: what lies behind the configured size is not read",
    "s1/study/long-2048": "JBM-FIL-010",
}


@pytest.mark.real
def test_the_reference_makes_the_same_as_the_recorded_model(inputs: list[Recorded]) -> None:
    different = {
        recorded.name
        for recorded in inputs
        if recorded.model
        for name in recorded.outcomes
        if not specified(recorded, name).same(recorded.model)
    }
    assert different == set(UNLIKE_THE_MODEL)


@pytest.mark.real
def test_differences_have_one_reason_and_entries_a_use(
    inputs: list[Recorded], found: list[Difference]
) -> None:
    assert len({recorded.name for recorded in inputs}) == 2210
    assert [item for item in found if len(item.why) != 1] == []
    counts = Counter(name for recorded in inputs for name in recorded.outcomes)
    assert counts == {"jbm-s0": 787, "jbm-s1": 580, "hornetq-2.4.9": 843, "artemis-2.44.0": 843}
    explained = Counter((at, item.implementation) for item in found for at in item.why)
    for at, entry in enumerate(ENTRIES):
        seen = {name: number for (which, name), number in explained.items() if which == at}
        assert seen == entry["counts"], entry


def test_every_explanation_names_a_deviation_that_is_listed() -> None:
    listed = {entry.id for entry in deviations(FORMAT)}
    assert {entry["deviation"] for entry in ENTRIES} - listed == set()


@dataclass(frozen=True, slots=True)
class Harness:
    """A product's harness, asked in the form of the record."""

    name: str
    connection: Connection
    place: Path

    def asked(self, directory: Path, **members: Any) -> Json:
        return asked(self.connection, directory, FORMAT, EDITIONS[self.name], **members)

    def put(self, recorded: Recorded) -> Path:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        for name, data in recorded.files.items():
            (self.place / name).write_bytes(data)
        return self.place

    def loaded(self, directory: Path, params: Mapping[str, str]) -> Outcome:
        return outcome_of_observation(self.asked(directory, params=params)["ok"], "v2e")


@pytest.fixture(params=PRODUCTS)
def harness(request: pytest.FixtureRequest, connect_product: Connect, memory_path: Path) -> Harness:
    needed(JOURNALS)
    return Harness(request.param, connect_product(request.param), memory_path / "in")


def differs(name: str, wanted: Outcome, seen: Outcome) -> bool:
    if name in ORDER_DECIDES:
        return sorted(wanted.live) != sorted(seen.live) and bool(seen.live)
    return not wanted.same(seen) or not seen.thrown.startswith(wanted.thrown.partition(":")[0])


@of_products
@pytest.mark.real
def test_every_outcome_of_a_journal_is_the_same(
    harness: Harness, inputs: list[Recorded], every: Every
) -> None:
    """What a load leaves behind is loaded again, where the record has that: opened, closed, loaded."""
    different = []
    known = [recorded for recorded in inputs if harness.name in recorded.outcomes]
    assert len(known) == 843
    for recorded in known[:: every(12)]:
        wanted = recorded.outcomes[harness.name]
        params = {"prefix": "activemq-data", **recorded.params}
        seen = harness.loaded(harness.put(recorded), params)
        if differs(recorded.name, wanted, seen):
            different.append(f"{recorded.name}: recorded {wanted}, seen {seen}")
        second = recorded.second.get(harness.name)
        if second is None:
            continue
        directory = harness.put(recorded)
        ops = [{"op": "open"}, {"op": "close"}]
        harness.asked(directory, cmd="write", params=params, ops=ops)
        seen = harness.loaded(directory, params)
        if differs(recorded.name, second, seen):
            different.append(f"{recorded.name}, second load: recorded {second}, seen {seen}")
    assert different == []


@of_products
@pytest.mark.real
def test_every_captured_directory_is_loaded_as_recorded(harness: Harness) -> None:
    """Both products are asked about what both of them have written, and about each record."""
    manifest = json.loads((JOURNALS / "captured" / "manifest.json").read_text(encoding="utf-8"))
    different = []
    for case in manifest["cases"]:
        told = case["loaded"] if case["impl"] == harness.name else case.get("cross", {}).get(harness.name)
        if case["dialect"][0] != "V" or told is None:
            continue
        directory = JOURNALS / "captured" / case["impl"] / case["case"]
        params = {key: str(case["params"][key]) for key in ("file_size", "min_files", "prefix", "extension")}
        content = {"records": case["loaded"]["records"], "prepared": case["loaded"]["prepared"]}
        wanted, seen = outcome_of(content | told), harness.loaded(directory, params)
        if not wanted.same(seen):
            different.append(f"{case['impl']}/{case['case']}: recorded {wanted}, seen {seen}")
    assert different == []


@pytest.mark.real
def test_the_reference_reads_of_every_captured_directory_what_was_loaded() -> None:
    manifest = json.loads(needed(JOURNALS / "captured" / "manifest.json").read_text(encoding="utf-8"))
    not_clean = not_loaded = 0
    for case in manifest["cases"]:
        directory = JOURNALS / "captured" / case["impl"] / case["case"]
        files = {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
        params = {key: str(case["params"][key]) for key in ("extension", "file_size")}
        edition = EDITIONS[case["impl"]]
        seen = load(FORMAT).read(files, edition=edition, params=params).to_json()
        wanted = outcome_of(case["loaded"])
        not_clean += seen["verdict"] != CLEAN
        not_loaded += bool(wanted.thrown)
        assert wanted.thrown or wanted.same(outcome_of_observation(seen, edition)), directory
    assert (len(manifest["cases"]), not_clean, not_loaded) == (208, 2, 1)


GOLDEN = {"hornetq-2.4.9": "hornetq_2.4.9_v2", "artemis-2.44.0": "artemis_2.44.0_v2"}
#: Operation and member in the record -> in the protocol.
WORDS = {"addtx": "add_tx", "updatetx": "update_tx", "deletetx": "delete_tx", "ut": "user_type"}


def golden_operation(text: str) -> dict[str, str]:
    word, *parts = text.split()
    op = {"op": WORDS.get(word, word)}
    for part in parts:
        match = re.fullmatch(r"(id|ut|tx)(\d+)", part)
        if match:
            op[WORDS.get(match[1], match[1])] = match[2]
        elif part not in ("body", "extra"):
            op["extra" if word == "prepare" else "body"] = part
    return op


@of_products
@pytest.mark.real
def test_the_golden_sequence_byte_for_byte(harness: Harness) -> None:
    golden = json.loads((JOURNALS / "golden.json").read_text(encoding="utf-8"))[GOLDEN[harness.name]]
    ops = [{"op": "open"}, *(golden_operation(entry["what"]) for entry in golden["records"]), {"op": "close"}]
    params = {"file_size": str(golden["file_size"]), "prefix": "p", "extension": "x", "auto_reclaim": "false"}
    harness.place.mkdir()
    assert harness.asked(harness.place, cmd="write", params=params, ops=ops)["ok"]["refusals"] == []
    image = bytearray([golden["fill_byte"]]) * golden["file_size"]
    header = bytes.fromhex(golden["header_hex"])
    image[: len(header)] = header
    for entry in golden["records"]:
        data = bytes.fromhex(entry["hex"])
        image[entry["offset"] : entry["offset"] + len(data)] = data
    assert (harness.place / "p-1.x").read_bytes().hex() == image.hex()
