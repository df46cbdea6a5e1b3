"""What trials of new Bitronix logs compare; and BTM, started on new logs that are made of damaged ones.

It has to load exactly the decisions that the report counts. :func:`trials` also tries states that crashes
leave, and asks that where the product starts on the damaged log itself, the new one has all that it loads.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from journalspec_conformance.bounds import BOUNDS
from journalspec_conformance.harnesses.product import serving
from journalspec_conformance.process import ProcessConnection
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.draws import drawn_cases
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import Journal
from journalspec_reference.newstore import StoreChoices, new_store

FORMAT = "bitronix_tlog"
PAIRS = ("2.1", "3.0")
PRODUCTS = ("bitronix-2.1.2", "bitronix-2.1.4", "bitronix-3.0.0-mk1")
CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / FORMAT
#: What a start comes to: it loads the decisions that it should, or none, as it should; there is nothing to
#: start on; the product cannot read such records or counts their ends otherwise, wherever they are; wrong.
EQUAL, EMPTY, NOTHING, DEVIATION, WRONG = "equal", "empty", "nothing", "deviation", "wrong"
#: Records of BTM 3.0 are at most so long, by recordLength.
LONGEST = 8184
#: Where most of what a captured log holds is.
HEAD = 700
Files = Mapping[str, bytes]


def live(answer: Answer) -> Any:
    """Return the transactions without an end, but for their places."""
    found = contents(answer)
    rows = found.rows("transactions") if found is not None else ()
    return [{**row, "file": None, "off": None} for row in rows if row["in_doubt"]]


def delivered(stores: Sequence[tuple[Path, Answer]]) -> Iterator[str]:
    """Start each product on each new pair; yield what it loads and should not, or does not."""
    connections = {each: ProcessConnection(serving(each), timeout=60, bounds=BOUNDS) for each in PRODUCTS}
    for place, answer in stores:
        problem = ""
        # There is no product of the other editions.
        for product, connection in connections.items() if answer.journal.edition in PAIRS else ():
            files = {path.name: path.read_bytes() for path in place.iterdir()}
            loaded = start(connection, files, answer.journal.edition, "strict")
            if loaded != reported(answer) and not deviates(product, answer):
                problem = f"{product} loads {loaded}, reported are {reported(answer)}"
        yield problem
    for connection in connections.values():
        connection.close()


def reported(answer: Answer) -> dict[str, list[str]]:
    """Return what is to be committed, gtrid -> names."""
    state: Any = answer.observation.state
    return {one["gtrid"].hex(): one["names"] for one in state["unfinished"]}


class State(NamedTuple):
    """A damaged log, and how it came about."""

    name: str
    edition: str
    files: Files


def states(seed: int) -> Iterator[State]:
    """Yield damaged logs of the disk editions, without an end: a third each of captured, drawn, crashed."""
    rng = random.Random(seed)
    adapter, drawn = crash_format(FORMAT), drawn_cases(FORMAT, seed, count())
    works = [*adapter.workloads("core")]
    places = sorted(path.parent for path in CAPTURED.glob("*/*/expected.json"))
    while True:
        place = rng.choice(places)
        edition: str = json.loads((place / "expected.json").read_text(encoding="utf-8"))["edition"]
        yield State("/".join(place.parts[-2:]), edition, _damaged(place, rng))
        case = next(case for case in drawn if case.edition in PAIRS)
        yield State(case.id, case.edition, case.files())
        trace = adapter.build(rng.choice(works))
        if several := [*crash_states(trace, PRESETS, 1)]:
            point = rng.choice(several)
            row = rng.randrange(len(point.codes))
            yield State(f"{trace.name} {row}", trace.edition, point.point.materialise(point.codes[row]))


def _damaged(place: Path, rng: random.Random) -> dict[str, bytes]:
    files = {path.name: bytearray(path.read_bytes()) for path in sorted(place.glob("*.tlog"))}
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        data = files[rng.choice(sorted(files))]
        at = rng.randrange(min(len(data), HEAD) if rng.random() < 0.8 else len(data)) if data else 0
        match rng.choice(("flip", "flip", "bytes", "sector", "copy", "cut")):
            case "flip":
                data[at : at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)]) if data else b""
            case "bytes":
                data[at : at + 3] = rng.randbytes(len(data[at : at + 3]))
            case "sector":
                at = at // 512 * 512
                data[at : at + 512] = bytes(len(data[at : at + 512]))
            case "copy":
                other = rng.randrange(len(data) or 1)
                data[at : at + 64] = data[other : other + len(data[at : at + 64])]
            case _:
                del data[at:]
    if rng.random() < 0.05:
        del files[rng.choice(sorted(files))]
    return {name: bytes(data) for name, data in files.items()}


def start(
    connection: ProcessConnection, files: Files, edition: str, policy: str
) -> dict[str, list[str]] | None:
    """Return what the product loads of a log, gtrid -> names; None: its start or its recovery fails."""
    place = Path(tempfile.mkdtemp(prefix="newstore-"))
    try:
        for name, data in files.items():
            (place / name).write_bytes(data)
        request = {"cmd": "recover", "format": FORMAT, "edition": edition, "dir": str(place), "params": {}}
        reply = connection.ask({**request, "policy": policy, "observe": "state"})
    finally:
        shutil.rmtree(place)
    state = reply["ok"].get("state") if "ok" in reply else None
    return state and {one["gtrid"]: sorted(one["names"]) for one in state["unfinished"]}


def trial(connection: ProcessConnection, product: str, state: State) -> str:
    """Return what a start on the new log of a state comes to, or what is wrong with it."""
    answer = ask(Journal(FORMAT, state.edition, state.files), SALVAGE)
    if answer.observation.state is None:
        return NOTHING
    store = new_store(answer, StoreChoices())
    new = {file.name: b"".join(file.parts) for file in store.files()}
    wanted, odd = reported(answer), deviates(product, answer)
    counted = sum(each.rows for each in store.carried() if each.name == "commit")
    loaded = start(connection, new, state.edition, "strict")
    if loaded != wanted or counted != len(wanted):
        return DEVIATION if odd else f"{state.name}: it loads {loaded}, reported are {wanted}"
    # Of a damaged log the product says nothing, or waits for ever: of those that read clean it is asked.
    if answer.observation.verdict == "clean":
        before = start(connection, state.files, state.edition, "strict")
        if before is not None and before.keys() - loaded.keys() and not odd:
            return f"{state.name}: the old log gives {sorted(before.keys() - loaded.keys())} as well"
    return EQUAL if wanted else EMPTY


def deviates(product: str, answer: Answer) -> bool:
    """Tell whether a version reads records of a log otherwise, in any log (BTM-DEV)."""
    records: Any = answer.observation.records
    if product == "bitronix-2.1.2":
        # To it nothing but COMMITTED ends a part of a transaction.
        return any(one.type in ("ROLLEDBACK", "UNKNOWN") for one in records)
    odd = (one.fields for one in records)
    return product == "bitronix-3.0.0-mk1" and any(
        one["record_length"] > LONGEST or "names_raw" in one or len(set(one["names"])) < len(one["names"])
        for one in odd
    )


def trials(
    connection: ProcessConnection, product: str, number: int, seed: int, said: Callable[[str], None]
) -> Counter[str]:
    """Return how many starts came to what, `number` of them; `said` is told what is wrong."""
    found: Counter[str] = Counter()
    for state in states(seed):
        outcome = trial(connection, product, state)
        if outcome not in (EQUAL, EMPTY, NOTHING, DEVIATION):
            said(outcome)
            outcome = WRONG
        found[outcome] += 1
        if found.total() - found[NOTHING] >= number:
            break
    return found
