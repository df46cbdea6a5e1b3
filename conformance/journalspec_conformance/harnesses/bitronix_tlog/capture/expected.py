"""What a captured file must hold, from the operations that were done and the product's own getters.

No reader of ours takes part. An operation says which record was asked for, the
answer to it in which file the product put it. A change of that file is a swap:
the file begins anew, with copies of what the product carried over. The copies
are known from the product's cursor only; whatever it gives behind them must be,
one by one, what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.capture import by_hand
from journalspec_conformance.harnesses.bitronix_tlog.capture.play import Done, ProductView
from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR
from journalspec_conformance.products import Product

Json = dict[str, Any]


#: What ``filterLogStatus`` leaves; everything else is not written at all.
UNFILTERED = ("COMMITTING", "COMMITTED", "UNKNOWN")
_SHOWN = 400


def asked_records(done: Iterable[Done], *, filtered: bool = False) -> dict[str, list[Json]]:
    """Return file -> records that were logged into it since it last became active."""
    files: dict[str, list[Json]] = {name: [] for name in PAIR}
    active = ""
    for step in done:
        now = str(step.answer.get("active", active))
        if active and now != active and step.op["op"] == "log":
            files[now] = []
        active = now
        if filtered and step.op.get("type") not in UNFILTERED:
            continue
        if step.op["op"] == "log" and "refused" not in step.answer:
            files[active].append(_asked(step.op))
    return files


def _asked(op: Json) -> Json:
    record = {"type": op["type"], "gtrid": op["gtrid"], "names": sorted(set(op["names"]))}
    return {**record, "status": op["status"]} if "status" in op else record


def written(done: list[Done], view: ProductView, *, filtered: bool = False) -> Json:
    """Return what stands in the files: per file the copies, then what was logged.

    ``agreed`` is whether the product's cursor gives back just what was asked
    for; ``why_not`` says what it gave instead.
    """
    asked = asked_records(done, filtered=filtered)
    read = {name: _read_back(view.read, name) for name in PAIR}
    files: Json = {}
    differences: list[str] = []
    for name in PAIR:
        copies = max(0, len(read[name]) - len(asked[name]))
        files[name] = [{**record, "how": "copied"} for record in read[name][:copies]]
        files[name] += [{**record, "how": "logged"} for record in asked[name]]
        if read[name][copies:] != asked[name]:
            differences.append(f"{name}: asked for {asked[name]}, read {read[name]}")
    if view.read.get("message"):
        differences.append(str(view.read["message"]))
    out: Json = {"files": files, "agreed": not differences}
    if differences:
        out["why_not"] = [text if len(text) <= _SHOWN else text[:_SHOWN] + "..." for text in differences]
    return out


def _read_back(answer: Json, file: str) -> list[Json]:
    records = [record for record in answer.get("records", []) if record["at"]["file"] == file]
    return [_plain(record) for record in records]


def _plain(record: Json) -> Json:
    out = {"type": record["type"], "gtrid": record["gtrid"], "names": record["names"]}
    return {**out, "status": record["status"]} if record["type"] == "OTHER" else out


def document(title: str, product: Product, name: str, content: Json, view: ProductView) -> Json:
    """Return the content of ``expected.json``: the case that the captured files make, and `content`.

    Where the product reads back what it wrote, the answers are its own; where
    it does not, they stand in :mod:`.by_hand`.
    """
    marks = by_hand.MARKS.get((product.id, name), by_hand.MARKS.get(("", name), by_hand.Marks()))
    damage = by_hand.DAMAGED.get((product.id, name))
    return {
        "title": f"{title} ({product.title})",
        "edition": product.edition,
        "obeys": [*by_hand.SOUND, *marks.obeys] if damage is None else list(marks.obeys),
        "breaks": list(marks.breaks),
        "expect": _clean(content, view) if damage is None else damage.expectations(content["files"]),
        "written": content,
    }


def _clean(content: Json, view: ProductView) -> list[Json]:
    """Return the permitted answers for files that the product itself takes as sound."""
    if view.strict["verdict"] != "clean" or not (content["agreed"] or view.read["verdict"] == "clean"):
        raise ValueError("the product does not take its own files as sound: they need an entry by hand")
    state = view.strict["state"]
    records = {name: [_placed(record, name) for record in _read_back(view.read, name)] for name in PAIR}
    everything = [record for name in PAIR for record in records[name]]
    answer = {"verdict": "clean", "dropped": [], "state": state}
    return [
        {"when": {"op": "read"}, **answer, "records": everything},
        *(
            {"when": {"op": "recover", "policy": policy}, **answer, "records": records[state["active"]]}
            for policy in ("strict", "salvage")
        ),
    ]


def _placed(record: Json, file: str) -> Json:
    return {**record, "at": {"file": file}}
