"""SwiftMQ's file store: results of a start, compared with SwiftMQ 13.1.2 for 6,423 recorded stores.

The table next to this module lists, by cause, every case in which reference and product differ. No other case
may differ, and each listed case must differ.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
import tomllib
import zlib
from collections import Counter, defaultdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from journalspec_reference.swiftmq_store.recover import Recovered, recover
from journalspec_reference.swiftmq_store.scan import ABORT

OUTCOMES = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "swiftmq_store" / "outcomes"
TABLE = Path(__file__).parent / "data" / "swiftmq_store_outcomes.toml"
pytestmark = pytest.mark.skipif(
    not OUTCOMES.is_dir(), reason="recorded outcomes are missing beside the checkout (../shared/real)"
)
#: At most this many entries of each queue were recorded.
LISTED = 200
#: The queue of the prepared branches. The product makes it at every start, so an empty queue is ignored.
PREPARED = "sys$prepared"
Facts = dict[str, Any]
#: Members of an entry besides its message.
ENTRY = ("key", "page", "priority", "deliveries", "expiration")


@cache
def recorded() -> Any:
    return json.loads(gzip.decompress((OUTCOMES / "outcomes.json.gz").read_bytes()))


@cache
def inputs() -> dict[str, dict[str, tuple[str, bytes]]]:
    """Return the files of each case, by digest and compressed: unpacked they take 252 MB."""
    kept: dict[str, bytes] = {}
    found: dict[str, dict[str, tuple[str, bytes]]] = defaultdict(dict)
    with tarfile.open(OUTCOMES / "inputs.tar.gz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream:
                data = stream.read()
                digest = hashlib.sha256(data).hexdigest()
                case, name = member.name.removeprefix("inputs/").split("/", 1)
                found[case][name] = digest, kept.setdefault(digest, zlib.compress(data, 1))
    return found


def observed(case: Any) -> Facts:
    """Return the recorded facts about the product's start."""
    result = case["result"]
    if "state" not in result:
        return {"end": "refused" if result["kind"] == "refused" else "dies"}
    state, messages = recorded()["states"][result["state"]], recorded()["messages"]
    queues = [
        (
            queue["name"],
            queue["count"],
            [
                (
                    *(entry[key] for key in ("key", "firstPage", "priority", "deliveryCount", "expiration")),
                    None if "readError" in entry else messages[entry["message"]]["serializedSha256"],
                )
                for entry in queue["entries"]
            ],
        )
        for queue in state["queues"]
        if queue["count"] or queue["name"] != PREPARED
    ]
    branches = sorted(
        (
            branch["kind"],
            branch["queue"],
            branch["formatId"],
            branch["globalHex"] or "",
            branch["branchHex"] or "",
            branch["routing"],
            [(key["key"], key["firstPage"]) for key in branch["keys"]],
        )
        for branch in state["prepared"]
    )
    return {"end": "started", "queues": queues, "prepared": branches}


def predicted(found: Recovered) -> Facts:
    """Return the facts about a start that follows the specification."""
    if found.refused:
        return {"end": "refused"}
    queues = [
        (
            queue.name.decode("utf-8", "replace"),
            len(queue.entries),
            [
                (*(getattr(one.entry, name) for name in ENTRY), one.digest.hex() if one.digest else None)
                for one in queue.entries[:LISTED]
            ],
        )
        for queue in found.queues
        if queue.entries or queue.name != PREPARED.encode()
    ]
    kinds = {0: "READ", 1: "WRITE"}
    branches = sorted(
        (
            kinds.get(branch.kind, f"type {branch.kind}"),
            branch.queue,
            branch.format_id,
            branch.gtrid.hex(),
            branch.bqual.hex(),
            branch.routing,
            [(entry.key, entry.page) for entry in branch.entries],
        )
        for branch in found.branches
    )
    return {"end": "started", "queues": queues, "prepared": branches}


def same_durables(result: Any, found: Recovered) -> bool:
    """Return whether the durable subscribers are equal, up to the file at which the product stops."""
    theirs = [tuple(one.values()) for one in result.get("durables") or ()]
    if "durablesError" in result:
        return bool(found.bad_files) and set(theirs) <= set(found.durables)
    return Counter(theirs) == Counter(map(tuple, found.durables)) and not found.bad_files


def kinds_of(found: Recovered) -> list[int]:
    """Return the types of the log's records with actions."""
    log = found.read[0] if found.read else None
    return [
        code
        for batch in (log.scan() if log else ())
        for off, end, code in zip(batch.off, batch.end, batch.code, strict=True)
        if log and end - off > log.lead
    ]


def differences(case: Any, found: Recovered, kinds: list[int]) -> str:
    """Return the facts in which product and reference differ, in the spelling of the table."""
    result, theirs, ours = case["result"], observed(case), predicted(found)
    if theirs["end"] != ours["end"]:
        differing = [f"{theirs['end']}/{ours['end']}"]
    else:
        differing = [name for name in theirs if theirs[name] != ours[name]]
    if "rolledForward" in result:
        counts = result["rolledForward"], result["aborted"], result["consistencyCheck"]
        differing += ["log"] * (counts != (len(kinds), kinds.count(ABORT), found.checked))
    # A second start must give the same result as the first (SMQ-RCV-035).
    differing += ["second"] * isinstance(result.get("secondStart"), dict)
    if theirs["end"] == "started":
        gone = {one["name"] for one in result.get("filesChanged", ()) if one["sizeAfter"] is None}
        differing += ["swaps"] * (gone != set(found.swaps))
    return ", ".join(differing + ["durables"] * (not same_durables(result, found)))


def test_reference_differs_from_the_product_only_in_the_listed_cases() -> None:
    causes = tomllib.loads(TABLE.read_text(encoding="utf-8"))["cause"]
    known = [
        (name, differing)
        for cause in causes
        for differing, names in cause["cases"].items()
        for name in names.split()
    ]
    assert len(dict(known)) == len(known)
    assert all(cause["why"] for cause in causes)
    found = {}
    for case in recorded()["cases"]:
        given = {name: zlib.decompress(data) for name, (_, data) in inputs()[case["case"]].items()}
        config = case["config"]
        start = recover(given, config["pageSize"], check=config["analyze"])
        if differing := differences(case, start, kinds_of(start)):
            found[case["case"]] = differing
    assert len(recorded()["cases"]) == 6423
    assert found == dict(known)
    # With `-s`: for each cause, the number of starts that it explains.
    print(*(f"\n{sum(map(len, map(str.split, each['cases'].values()))):6} {each['id']}" for each in causes))
    print(f"{6423 - len(found):6} as predicted")


def test_digests_of_the_inputs_are_those_of_the_outcomes() -> None:
    for case in recorded()["cases"]:
        listed = {file["name"]: file["sha256"] for file in case["files"]}
        assert {name: digest for name, (digest, _) in inputs()[case["case"]].items()} == listed


def test_every_cause_is_a_deviation() -> None:
    """The table must not excuse a fault of the reference, because such a fault has to be corrected."""
    text = files("journalspec.swiftmq_store").joinpath("deviations.toml").read_text(encoding="utf-8")
    told = [
        (found[2], int(found[1]))
        for each in tomllib.loads(text)["deviation"]
        if (found := re.match(r"(\d+) recorded starts?, cause (\S+):", each["observed"]["how"]))
    ]
    causes = tomllib.loads(TABLE.read_text(encoding="utf-8"))["cause"]
    counts = {each["id"]: sum(len(names.split()) for names in each["cases"].values()) for each in causes}
    assert len(told) == len(dict(told))
    assert dict(told) == counts
