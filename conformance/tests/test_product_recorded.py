"""Outcomes that were recorded from the real classes, held against the harnesses and the specification.

For each input it is known what each implementation loads. The harnesses must
give the same. What the specification says is taken from the reference; each
difference from it must be explained by exactly one entry of
``data/recorded_outcomes.toml``, which names a deviation. Two implementations
that do not run here (the ``jbm-*``) are judged by the record alone. Without
``--products whole`` the harnesses are asked about a sample.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from journalspec.deviations import deviations
from journalspec.observation import REFUSED
from journalspec_conformance.errors import TimedOut
from journalspec_conformance.process import ProcessConnection
from journalspec_reference import load
from products import REAL, Connect, Every, Json, asked, of_products

PAIRS, JOURNALS = REAL / "bitronix_tlog", REAL / "jboss_journal"
DATA = Path(__file__).parent / "data"


def needed(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"real files are missing: {path}")
    return path


# Pairs: what is said is compared as text.

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


def said_of_pair(connection: ProcessConnection, source: Path, policy: str, work: Path) -> str:
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


# Journals: what is loaded is compared as values.

FORMAT = "jboss_journal"
#: What each implementation writes, and so what it was asked to read.
EDITIONS = {"jbm-s0": "seed", "jbm-s1": "s1", "hornetq-2.4.9": "v2", "artemis-2.44.0": "v2e"}
PRODUCTS = ("hornetq-2.4.9", "artemis-2.44.0")
EXTENSIONS = {"S0": "jbm", "S1": "jbm", "V2": "amq"}
#: Longer bodies are recorded as length and the beginning of their SHA-256.
WHOLE_DIGITS = 80
#: The order in which a directory is listed decides, and file systems differ.
ORDER_DECIDES = {"v2/study/dup-id", "v2/study/dup-id-tx"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is made of an input: records and transactions, or `thrown`: "Class: message (method)"."""

    thrown: str = ""
    live: tuple[Any, ...] = ()
    prepared: tuple[Any, ...] = ()

    def same(self, other: Outcome) -> bool:
        """Tell whether both load the same, or neither loads."""
        return (bool(self.thrown), self.live, self.prepared) == (
            bool(other.thrown),
            other.live,
            other.prepared,
        )


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


def frozen(value: Any) -> Any:
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


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
    return Outcome("", frozen(result["records"]), frozen(sorted(prepared)))


def outcome_of_observation(observed: Json, edition: str) -> Outcome:
    """Return a recovery, in the protocol's form, in the form of the record."""
    if observed["verdict"] == REFUSED:
        return Outcome(observed.get("message") or observed["code"])

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
    with tarfile.open(directory / "inputs.tar.gz") as packed:
        for member in packed:
            stream = packed.extractfile(member)
            if stream is not None:
                name, _, file = member.name.removeprefix("inputs/").rpartition("/")
                content[name][file] = stream.read()
    told = json.loads(gzip.decompress((directory / "outcomes.json.gz").read_bytes()))
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
        )


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
        """Tell whether `entry` is the reason."""
        return (
            self.load == entry.get("load", 1)
            and self.implementation in entry["counts"]
            and any(fnmatchcase(self.case, pattern) for pattern in entry.get("cases", ["*"]))
            and fnmatchcase(self.outcome.thrown, entry.get("thrown", ""))
        )


ENTRIES: list[Json] = tomllib.loads((DATA / "recorded_outcomes.toml").read_text(encoding="utf-8"))[
    "explained"
]


@pytest.fixture(scope="module")
def found(inputs: list[Recorded]) -> list[Difference]:
    """Return every difference from what the reference says."""
    out = []
    for recorded in inputs:
        for name, first in recorded.outcomes.items():
            edition = EDITIONS[name]
            seen = load(FORMAT).recover(
                recorded.files, edition=edition, policy="strict", params=recorded.params
            )
            wanted = outcome_of_observation(seen.to_json(), edition)
            number, outcome = 1, first
            if wanted.same(first):
                number, outcome = 2, recorded.second.get(name, first)
            if not wanted.same(outcome):
                item = Difference(name, recorded.name, number, outcome)
                why = tuple(at for at, entry in enumerate(ENTRIES) if item.explained_by(entry))
                out.append(Difference(name, recorded.name, number, outcome, why))
    return out


@pytest.mark.real
def test_every_difference_has_one_reason_and_every_entry_explains_one(
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
    connection: ProcessConnection
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
def test_every_recorded_outcome_of_a_journal_is_reproduced(
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
    answer = harness.asked(harness.place, cmd="write", params=params, ops=ops)
    assert answer["ok"]["refusals"] == []
    image = bytearray([golden["fill_byte"]]) * golden["file_size"]
    header = bytes.fromhex(golden["header_hex"])
    image[: len(header)] = header
    for entry in golden["records"]:
        data = bytes.fromhex(entry["hex"])
        image[entry["offset"] : entry["offset"] + len(data)] = data
    assert (harness.place / "p-1.x").read_bytes().hex() == image.hex()
