"""Captured pairs: ``scenarios.toml`` lists the operations, this module derives the required content.

Repeated captures always differ, because clocks differ from run to run.

No reader of this project takes part. An operation names the requested record; its answer names the file to
which the product wrote it. If the next answer names the other file, there was a swap: that file starts again
with copies of the carried records. The copies are known only from the product's cursor. The records after the
copies must equal the requested ones, one by one.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from toml_text import toml_value

from captures import Capture, Json, Played, Steps, by_hand, on, permitted
from journalspec_conformance.harnesses.bitronix_tlog.harness import PAIR
from journalspec_conformance.harnesses.product import Answer
from journalspec_conformance.harnesses.scenarios import Scenario
from journalspec_conformance.products import Product

#: Statuses that are written with ``filterLogStatus``; other records are not written at all.
UNFILTERED = ("COMMITTING", "COMMITTED", "UNKNOWN")
_SHOWN = 400


def asked_records(steps: Steps, *, filtered: bool = False) -> dict[str, list[Json]]:
    """For each file, return the records that were logged into it since it last became active."""
    asked: dict[str, list[Json]] = {name: [] for name in PAIR}
    active = ""
    for op, answer in steps:
        now = str(answer.get("active", active))
        if active and now != active and op["op"] == "log":
            asked[now] = []
        active = now
        if op["op"] != "log" or "refused" in answer or (filtered and op["type"] not in UNFILTERED):
            continue
        record = {"type": op["type"], "gtrid": op["gtrid"], "names": sorted(set(op["names"]))}
        asked[active].append({**record, "status": op["status"]} if "status" in op else record)
    return asked


def _read_back(answer: Answer) -> dict[str, list[Json]]:
    """For each file, return the records that the product's cursor returns."""
    found: dict[str, list[Json]] = {name: [] for name in PAIR}
    for record in answer.get("records", []):
        plain = {key: record[key] for key in ("type", "gtrid", "names")}
        if record["type"] == "OTHER":
            plain["status"] = record["status"]
        found[record["at"]["file"]].append(plain)
    return found


def _written(run: Played, read: Answer) -> Json:
    """Return the records in the files: for each file the copies, then the logged records.

    ``agreed`` states whether the product's cursor returns exactly the requested records; ``why_not`` lists
    the records that it returned instead.
    """
    asked = asked_records(run.steps, filtered="filter_status" in run.scenario.told.get("params", {}))
    found = _read_back(read)
    content: Json = {}
    differences: list[str] = []
    for name in PAIR:
        copies = max(0, len(found[name]) - len(asked[name]))
        content[name] = [{**record, "how": "copied"} for record in found[name][:copies]]
        content[name] += [{**record, "how": "logged"} for record in asked[name]]
        if found[name][copies:] != asked[name]:
            differences.append(f"{name}: asked for {asked[name]}, read {found[name]}")
    if read.get("message"):
        differences.append(str(read["message"]))
    shown = [text if len(text) <= _SHOWN else text[:_SHOWN] + "..." for text in differences]
    return {"files": content, "agreed": not shown, **({"why_not": shown} if shown else {})}


def _managed(logged: list[list[str]], read: Answer) -> Json:
    """Return the product's own reading of the files, compared with the records that transactions log.

    The manager chooses the ids, and the files contain only the records of their last generation. So only
    these records are checked: for each transaction a final part of its records, and the copies (COMMITTING)
    of a swap.
    """
    found = _read_back(read)
    sequences: dict[str, list[str]] = {}
    for name in PAIR:
        for record in found[name]:
            sequences.setdefault(record["gtrid"], []).append(record["type"])
    pieces = [set(kinds[start:]) for kinds in logged for start in range(len(kinds))]
    strange = {gtrid: kinds for gtrid, kinds in sequences.items() if set(kinds) not in pieces}
    shown = [f"{gtrid}: {kinds}" for gtrid, kinds in sorted(strange.items())]
    return {"files": found, "agreed": not shown, **({"why_not": shown} if shown else {})}


class BitronixCapture(Capture):
    """Captures of the journal alone, and (with ``fates``) of the complete transaction manager over two
    resources.
    """

    settings = "serverId journalspec, disableJmx, no force batching"

    def made_otherwise(
        self, product: Product, scenario: Scenario, directory: Path
    ) -> list[tuple[str, Steps]] | None:
        """Run the manager on an empty pair in a child process."""
        fates = scenario.told.get("fates")
        if not fates:
            return None
        ops = [{"op": "open"}, {"op": "close"}]
        connection = self.connect(product)
        connection.ask(self.request(product, scenario, cmd="write", dir=str(directory), ops=ops))
        connection.close()
        told = [
            {"fate": fate, "resources": ["db1"] if fate == "one-phase" else ["db1", "jms1"]} for fate in fates
        ]
        died = "die" in fates
        ends = -signal.SIGKILL if died else 0
        manager = [sys.executable, str(Path(__file__).with_name("bitronix_manager.py")), "transactions"]
        given = ["--product", product.id, "--directory", str(directory), "--told", json.dumps(told)]
        self.child([*manager, *given], ends)
        ending = "killed in the last transaction" if died else "the manager was shut down"
        return [(ending, [(transaction, {}) for transaction in told])]

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the product's own answers if it can read its files, else the answers in the table."""
        read, strict = view["read"], view["strict"]
        fates = run.scenario.told.get("fates", ())
        logged = [self.table.told["fates"][fate] for fate in fates]
        written = _managed(logged, read) if fates else _written(run, read)
        if by_hand(run.scenario, run.product):
            # All records of these scenarios are COMMITTING, so the transactions that are kept are unfinished.
            kept = on(run.scenario, run.product, "kept")
            good = [{**written["files"][PAIR[0]][index], "at": {"file": PAIR[0]}} for index in kept]
            unfinished = [{key: record[key] for key in ("gtrid", "names")} for record in good]
            state = {
                "active": PAIR[0],
                "unfinished": sorted(unfinished, key=lambda entry: str(entry["gtrid"])),
            }
            plain = [{key: record[key] for key in ("type", "gtrid", "names", "at")} for record in good]
            return {"expect": self.spoilt(run, plain, state), "written": written}
        if strict["verdict"] != "clean" or not (written["agreed"] or read["verdict"] == "clean"):
            raise ValueError("the product reports damage in its own files: write their entry by hand")
        records = {
            name: [{**record, "at": {"file": name}} for record in found]
            for name, found in _read_back(read).items()
        }
        sound = {"verdict": "clean", "dropped": [], "state": strict["state"]}
        everything = [record for name in PAIR for record in records[name]]
        active = records[strict["state"]["active"]]
        return {"expect": permitted(sound, everything, active, None), "written": written}

    def loads(self, view: Mapping[str, Answer]) -> Iterator[str]:
        """Yield the result of the product's recovery under each policy."""
        for policy in ("strict", "salvage"):
            answer = view[policy]
            state = answer.get("state", {})
            keys = ("verdict", "phase", "code", "message", "active")
            told = {key: value for key, value in {**answer, **state}.items() if key in keys}
            yield from ("", f"# What the same product loads from a copy under the policy {policy}.")
            yield f"[loads.{policy}]"
            yield from (f"{key} = {toml_value(told[key])}" for key in keys if key in told)
            if state:
                yield from (
                    "unfinished = [",
                    *(f"  {toml_value(entry)}," for entry in state["unfinished"]),
                    "]",
                )


CAPTURE = BitronixCapture("bitronix_tlog")
