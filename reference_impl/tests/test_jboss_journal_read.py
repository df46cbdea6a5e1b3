"""Reading and recovery against what four real implementations wrote, loaded and made of damaged input."""

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

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "jboss_journal"
FORMAT = "jboss_journal"
EDITIONS = {"S0": "seed", "S1": "s1", "V2": "v2", "V2E": "v2e"}
#: Inputs on which the specification differs from what was recorded, and by which requirement.
DIFFERENT = {
    "s0/study/long-2048": "JBM-FIL-010: what lies behind the configured size is not read",
    "s1/study/long-2048": "JBM-FIL-010",
    "v2/control/huge-count": "JBM-CMP-006: a control record that does not hold its lists is disregarded",
    "v2/control/short-body": "JBM-CMP-006",
}
LONGEST_BODY = 40

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not REAL.is_dir(), reason="the real products' files are missing beside the checkout (../shared/real)"
    ),
]
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


def load_json(name: str) -> Any:
    path = REAL / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(data)


def test_every_captured_directory_is_read_to_the_last_record_and_delivers_what_was_loaded() -> None:
    reference, parsed = load(FORMAT), load_json("captured/parsed.json")
    cases = load_json("captured/manifest.json")["cases"]
    not_clean, not_loaded = [], []
    for case in cases:
        where = f"{case['impl']}/{case['case']}"
        files = {path.name: path.read_bytes() for path in sorted((REAL / "captured" / where).iterdir())}
        params = {
            "extension": case["params"]["extension"],
            "file_size": str(case["params"]["file_size"]),
        }
        observed = reference.read(files, edition=EDITIONS[case["dialect"]], params=params)
        found: dict[str, list[Any]] = {name: [] for name in parsed[case["impl"]][case["case"]]}
        for record in observed.records:
            at = record.at
            fields = record.fields
            found.setdefault(at.file, []).append(
                [at.off, at.length, record.type, fields.get("tx"), fields.get("id")]
            )
        for name, records in parsed[case["impl"]][case["case"]].items():
            wanted = [[r["offset"], r["length"], r["kind"], r.get("tx"), r.get("id")] for r in records]
            assert found[name] == wanted, (where, name)
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


def inputs() -> dict[str, dict[str, bytes]]:
    """Return every recorded input: case -> file name -> content."""
    out: dict[str, dict[str, bytes]] = {}
    with tarfile.open(REAL / "outcomes" / "inputs.tar.gz") as archive:
        for member in archive:
            if member.isdir():
                out.setdefault(member.name.rstrip("/"), {})
            elif member.isfile():
                content = archive.extractfile(member)
                assert content is not None
                case, _, name = member.name.rpartition("/")
                out.setdefault(case, {})[name] = content.read()
    return {case.removeprefix("inputs/"): files for case, files in out.items()}


def expected(case: Mapping[str, Any], implementation: str) -> str | Plain:
    """Return what the recorded model makes of a case, or the implementation itself where there is none."""
    result = case["results"][implementation]
    result = {**case["results"].get(result.get("same_as"), {}), **result}
    judged = case.get("model") or result
    if judged["outcome"] != "loaded":
        return "refused"
    return judged["records"], recorded(judged["prepared"])


def test_every_recorded_outcome_is_the_references() -> None:
    reference, table, files = load(FORMAT), load_json("outcomes/outcomes.json.gz"), inputs()
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
