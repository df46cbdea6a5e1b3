"""The reference against what real products wrote, loaded, and made of damaged input."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_reference import load

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real"
EDITIONS = {"S0": "seed", "S1": "s1", "V2": "v2", "V2E": "v2e"}

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not REAL.is_dir(), reason="the real products' files are missing beside the checkout (../shared/real)"
    ),
]


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def load_json(name: str) -> Any:
    return json.loads(content(REAL / name))


def inputs(path: Path) -> dict[str, dict[str, bytes]]:
    """Return every recorded input of an archive: case -> file name -> content."""
    out: dict[str, dict[str, bytes]] = {}
    with tarfile.open(path) as archive:
        for member in archive:
            name = member.name.removeprefix("inputs/").rstrip("/")
            if member.isdir():
                out.setdefault(name, {})
            elif member.isfile():
                stream = archive.extractfile(member)
                assert stream is not None
                out.setdefault(name.rpartition("/")[0], {})[name.rpartition("/")[2]] = stream.read()
    return out


#: Recorded inputs on which the product's strict answer is not the spec's, each with the reason.
PERMISSIVE = {
    "A/40_rl_toEndExact": "2.1 does not compare the end of its parse with recordLength",
    "A/64_tail_0": "2.1 takes a tail inside the header for an empty log",
    "A/70_zero_magic_both": "2.1 does not look at the format id",
    "A/74_header_torn_4bytes": "2.1 does not look at the format id",
}


def test_recorded_answers_of_the_product() -> None:
    cases = load_json("bitronix_tlog/outcomes.json")
    files = inputs(REAL / "bitronix_tlog" / "outcome-inputs.tar.gz")
    differing = set()
    for case in cases:
        seen: Any = load("bitronix_tlog").recover(files[case["case"]], edition="2.1")
        answer = case["btm-2.1.4"]["strict"]
        mine: object = "refused" if seen.state is None else _dangling(seen.state)
        theirs: object = _parse_dangling(answer) if answer.startswith("DANGLING") else "refused"
        if answer.endswith("..."):  # the record of long answers is cut: only that there was one is known
            theirs, mine = "answered", "answered" if seen.state else "refused"
        if mine != theirs:
            differing.add(case["case"])
    assert differing == set(PERMISSIVE)


def _dangling(state: dict[str, Any]) -> set[tuple[int, tuple[str, ...]]]:
    return {(item["gtrid"][-1], tuple(item["names"])) for item in state["unfinished"]}


def _parse_dangling(answer: str) -> set[tuple[int, tuple[str, ...]]]:
    found = set()
    for part in answer[len("DANGLING [") : -1].split("], "):
        if part.strip("]"):
            gtrid, names = part.strip("]").split("[", 1)
            found.add((int(gtrid[1:]), tuple(sorted(name for name in names.split(", ") if name))))
    return found


#: Inputs on which the specification differs from what was recorded, and by which requirement.
DIFFERENT = {
    "s0/study/long-2048": "JBM-FIL-010: what lies behind the configured size is not read",
    "s1/study/long-2048": "JBM-FIL-010",
    "v2/control/huge-count": "JBM-CMP-006: a control record that does not hold its lists is disregarded",
    "v2/control/short-body": "JBM-CMP-006",
}
LONGEST_BODY = 40
Plain = tuple[list[Any], list[Any]]


def brief(body: Any) -> str:
    """Return a body as the recordings have it: hex, or length and hash if it is long."""
    data = bytes(body)
    if len(data) <= LONGEST_BODY:
        return data.hex()
    return f"len:{len(data)},sha256:{hashlib.sha256(data).hexdigest()[:16]}"


def recorded(entries: Iterable[Mapping[str, Any]]) -> list[list[Any]]:
    """Return the prepared transactions of a recording; a delete without a body has an empty one."""
    out = []
    for entry in entries:
        deletes = [[item[0], item[1] if len(item) > 1 else ""] for item in entry["deletes"]]
        out.append([entry["tx"], entry.get("extra") or "", [item[:4] for item in entry["records"]], deletes])
    return sorted(out)


def live(record: Mapping[str, Any]) -> list[Any]:
    user_type = record["user_type"]
    # Java's bytes are signed.
    return [
        record["kind"],
        record["id"],
        user_type - 256 if user_type > 127 else user_type,
        brief(record["body"]),
    ]


def delivered(observed: Observation, counted: bool) -> Plain:
    """Return live records and prepared transactions in the shape of the recordings."""
    state: Any = observed.state
    records = [live(item) + ([item["compact_count"]] if counted else []) for item in state["live"]]
    prepared = [
        [
            entry["tx"],
            brief(entry["extra"]),
            [live(item) for item in entry["records"]],
            [[item["id"], brief(item["body"])] for item in entry["deletes"]],
        ]
        for entry in state["prepared"]
    ]
    return records, sorted(prepared)


def test_every_captured_directory_delivers_what_was_loaded() -> None:
    cases = load_json("jboss_journal/captured/manifest.json")["cases"]
    not_clean, not_loaded = [], []
    for case in cases:
        where = f"{case['impl']}/{case['case']}"
        files = {
            path.name: path.read_bytes()
            for path in sorted((REAL / "jboss_journal" / "captured" / where).iterdir())
        }
        params = {
            "extension": case["params"]["extension"],
            "file_size": str(case["params"]["file_size"]),
        }
        observed = load("jboss_journal").read(files, edition=EDITIONS[case["dialect"]], params=params)
        if observed.verdict != CLEAN:
            not_clean.append(where)
        if case["loaded"]["outcome"] != "loaded":
            not_loaded.append(where)
            continue
        wanted_state = (case["loaded"]["records"], recorded(case["loaded"]["prepared"]))
        assert delivered(observed, case["dialect"].startswith("V")) == wanted_state, where
    assert len(cases) == 208
    assert len(not_clean) == 2
    assert len(not_loaded) == 1


def expected(case: Mapping[str, Any], implementation: str) -> str | Plain:
    """Return what the recorded model makes of a case, or the implementation itself where there is none."""
    result = case["results"][implementation]
    result = {**case["results"].get(result.get("same_as"), {}), **result}
    judged = case.get("model") or result
    if judged["outcome"] != "loaded":
        return "refused"
    return judged["records"], recorded(judged["prepared"])


def test_every_recorded_outcome_is_the_references() -> None:
    reference, table = load("jboss_journal"), load_json("jboss_journal/outcomes/outcomes.json.gz")
    files = inputs(REAL / "jboss_journal" / "outcomes" / "inputs.tar.gz")
    judged = 0
    different: set[str] = set()
    for case in table["cases"]:
        params = {**table["default_params"], **case.get("params", {})}
        counted = case["dialect"].startswith("V")
        for implementation in table["dialects"][case["dialect"]]["implementations"]:
            edition = "v2e" if implementation.startswith("artemis") else EDITIONS[case["dialect"]]
            given = {"extension": "amq" if counted else "jbm", "file_size": str(params["file_size"])}
            observed = reference.recover(files[case["case"]], edition=edition, policy="strict", params=given)
            ours = "refused" if observed.verdict == REFUSED else delivered(observed, counted)
            judged += 1
            if ours != expected(case, implementation):
                different.add(case["case"])
    assert judged == 3053
    assert different == set(DIFFERENT)
