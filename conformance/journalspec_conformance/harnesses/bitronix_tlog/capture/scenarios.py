"""What is done to the products, as the protocol's own write operations.

Transactions are numbered; gtrid n is the server id, eight fixed bytes and n as
four bytes, the shape that the product's own ids have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.driver import SERVER_ID

Op = dict[str, Any]

OPEN: Op = {"op": "open"}
FORCE: Op = {"op": "force"}
CLOSE: Op = {"op": "close"}
#: Room for six records of gtrid n with two short names, and not for a seventh.
SMALL = 448
_FIXED = bytes.fromhex("0000000000000192")


@dataclass(frozen=True, slots=True)
class Session:
    """One life of a process: its operations; killed after the last one unless that closes the journal."""

    ops: tuple[Op, ...]

    @property
    def killed(self) -> bool:
        """Whether the process dies with the journal open."""
        return self.ops[-1] != CLOSE


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named history of one journal.

    `file_length` None leaves the product's own 1 MiB files alone; `filtered` is
    the product's ``filterLogStatus``.
    """

    name: str
    title: str
    sessions: tuple[Session, ...]
    file_length: int | None = SMALL
    charset: str | None = None
    filtered: bool = False


def gtrid(number: int) -> str:
    """Return gtrid `number` as hex."""
    return (SERVER_ID.encode("ascii") + _FIXED + number.to_bytes(4, "big")).hex()


def log(kind: str, number: int, *names: str) -> Op:
    """Log one record of transaction `number`."""
    return {"op": "log", "type": kind, "gtrid": gtrid(number), "names": list(names)}


def raw(status: int, number: int, *names: str) -> Op:
    """Log a record with a status number that has no name."""
    return {"op": "log", "type": "OTHER", "status": str(status), "gtrid": gtrid(number), "names": list(names)}


def committed(number: int, *names: str) -> list[Op]:
    """Return the five records of a two-phase commit, with the one force that belongs to it."""
    return [
        log("ACTIVE", number),
        log("PREPARING", number, *names),
        log("PREPARED", number, *names),
        log("COMMITTING", number, *names),
        FORCE,
        log("COMMITTED", number, *names),
    ]


def rolled_back(number: int, *names: str) -> list[Op]:
    """Return the records of a rollback after phase one."""
    return [
        log("ACTIVE", number),
        log("PREPARING", number, *names),
        log("ROLLING_BACK", number, *names),
        log("ROLLEDBACK", number, *names),
    ]


def session(*ops: Op | list[Op]) -> Session:
    """Return a session that opens the journal and does `ops`."""
    flat: list[Op] = [OPEN]
    for op in ops:
        flat.extend(op if isinstance(op, list) else [op])
    return Session(tuple(flat))


def _mixed(first: int, count: int) -> Iterator[Op]:
    """Yield `count` transactions of changing fate: committed, rolled back, partly committed, heuristic."""
    for number in range(first, first + count):
        names = [f"db{number % 3}", f"jms{number % 2}", "audit-log"][: 2 + number % 2]
        match number % 7:
            case 3:
                yield from rolled_back(number, *names)
            case 5:
                yield from committed(number, *names)[:-1]
                yield log("COMMITTED", number, names[0])
            case 6:
                yield from committed(number, *names)[:-1]
                yield log("UNKNOWN", number, *names)
            case _:
                yield from committed(number, *names)


def _basic() -> list[Op]:
    first = committed(1, "db1", "jms1")
    return [*first, log("COMMITTING", 2, "db1", "jms1", "zz"), log("COMMITTED", 2, "db1")]


def _dangling(first: int, count: int) -> list[Op]:
    return [log("COMMITTING", number, "db1", "jms1") for number in range(first, first + count)]


def _actives(first: int, count: int) -> list[Op]:
    return [log("ACTIVE", number, "db1", "jms1") for number in range(first, first + count)]


_STATUSES = (
    "ACTIVE",
    "MARKED_ROLLBACK",
    "PREPARED",
    "COMMITTED",
    "ROLLEDBACK",
    "UNKNOWN",
    "NO_TRANSACTION",
    "PREPARING",
    "COMMITTING",
    "ROLLING_BACK",
)


def _named_in(charset: str, word: str, name: str) -> Scenario:
    ops = session(log("COMMITTING", 1, name), log("COMMITTING", 2, "next"), FORCE)
    title = f"a {word} resource name under default charset {charset}; killed"
    return Scenario(f"name-{word}-{charset.lower()}", title, (ops,), 2048, charset)


def _long(kind: str, gtrid_length: int, names: list[str]) -> Op:
    return {"op": "log", "type": kind, "gtrid": "5a" * gtrid_length, "names": names}


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("fresh-1mb", "a new pair of 1 MiB, opened; killed", (session(),), None),
    Scenario("fresh-small", "a new pair, cut while empty, opened; killed", (session(),)),
    Scenario("fresh-closed", "a new pair, opened and closed", (session(CLOSE),)),
    Scenario("basic-clean", "one commit, one partial commit; closed", (session(_basic(), CLOSE),), 2048),
    Scenario("basic-unclean", "one commit, one partial commit; killed", (session(_basic()),), 2048),
    Scenario(
        "partial-commit",
        "COMMITTING for three resources, COMMITTED for one of them; killed",
        (session(log("COMMITTING", 1, "db1", "jms1", "zz"), FORCE, log("COMMITTED", 1, "db1")),),
    ),
    Scenario(
        "all-statuses",
        "a record of each status, and of the numbers -1, 10 and 255; closed",
        (
            session(
                [log(kind, number, "db1") for number, kind in enumerate(_STATUSES)],
                raw(-1, 20),
                raw(10, 21),
                raw(255, 22, "db1"),
                CLOSE,
            ),
        ),
        2048,
    ),
    Scenario(
        "restart-append",
        "closed after one commit, opened again, one in-doubt transaction added; killed",
        (
            session(committed(1, "db1", "jms1"), CLOSE),
            session(log("COMMITTING", 2, "db1", "jms1"), FORCE),
        ),
        2048,
    ),
    Scenario(
        "swap-then-crash",
        "one in doubt, the file filled, the swap, a forced COMMITTING behind it; killed",
        (session(_dangling(1, 1), _actives(2, 5), log("COMMITTING", 7, "db1", "jms1"), FORCE),),
    ),
    Scenario(
        "swap-then-close",
        "as swap-then-crash, but closed",
        (session(_dangling(1, 1), _actives(2, 5), log("COMMITTING", 7, "db1", "jms1"), FORCE, CLOSE),),
    ),
    Scenario(
        "swap-partial",
        "a partly committed transaction is carried over a swap; killed",
        (
            session(
                log("COMMITTING", 1, "db1", "jms1", "zz"),
                log("COMMITTED", 1, "db1"),
                _actives(2, 5),
                FORCE,
            ),
        ),
    ),
    Scenario(
        "full-of-dangling",
        "six COMMITTING fill the file, a seventh is logged; killed",
        (session(_dangling(1, 7), FORCE),),
    ),
    Scenario(
        "old-dangling-after-swap",
        "a COMMITTING forced, killed; the next process fills the file and swaps; killed",
        (session(_dangling(1, 1), FORCE), session(_actives(2, 7), FORCE)),
    ),
    Scenario(
        "record-too-big",
        "a record longer than the file is logged behind one that fits; killed",
        (session(_dangling(1, 1), FORCE, log("COMMITTING", 2, "n" * 600), FORCE),),
    ),
    Scenario(
        "fills-exactly",
        "the last record ends where the file ends (277 = 21 + 4 x 64); closed",
        (session(*[_long("COMMITTING", 16, ["db1", f"jms{number}"]) for number in range(4)], CLOSE),),
        277,
    ),
    Scenario(
        "long-parts",
        "gtrids of 1, 64 and 127 bytes, no names, thirty names; closed",
        (
            session(
                _long("COMMITTING", 1, ["db1"]),
                _long("COMMITTING", 64, []),
                _long("COMMITTING", 127, [f"resource-{number:02d}" for number in range(30)]),
                CLOSE,
            ),
        ),
        4096,
    ),
    Scenario(
        "gtrid-of-128",
        "a gtrid of 128 bytes between two others; killed",
        (session(_dangling(1, 1), _long("COMMITTING", 128, ["db1"]), _dangling(2, 1), FORCE),),
        2048,
    ),
    Scenario(
        "long-name",
        "a name of 9000 characters between two short records; killed",
        (session(_dangling(1, 1), log("COMMITTING", 2, "q" * 9000), _dangling(3, 1), FORCE),),
        20000,
    ),
    Scenario(
        "filtered-statuses",
        "filterLogStatus is on: a commit, a rollback, and a transaction that fails after COMMITTING; closed",
        (
            session(
                committed(1, "db1", "jms1"),
                rolled_back(2, "db1", "jms1"),
                log("COMMITTING", 3, "db1"),
                log("ROLLEDBACK", 3, "db1"),
                CLOSE,
            ),
        ),
        2048,
        filtered=True,
    ),
    Scenario(
        "mixed-swaps",
        "sixty transactions of changing fate over many swaps; closed",
        (session(list(_mixed(1, 60)), CLOSE),),
        4096,
    ),
    Scenario(
        "mixed-swaps-restarts",
        "thirty transactions over many swaps in three processes, the second killed, the third too",
        (
            session(list(_mixed(1, 10)), CLOSE),
            session(list(_mixed(11, 10))),
            session(list(_mixed(21, 10))),
        ),
        2048,
    ),
    *(_named_in(charset, "latin", "b\u00e9se") for charset in ("US-ASCII", "ISO-8859-1", "UTF-8")),
    *(_named_in(charset, "emoji", "x\U0001f600y") for charset in ("US-ASCII", "ISO-8859-1", "UTF-8")),
)
