"""The scenarios themselves."""

from __future__ import annotations

from journalspec_conformance.harnesses.jboss_journal.capture.scenarios import (
    COMPACT,
    LARGEST_BODY,
    MOMENTS,
    NEXT,
    RECLAIM,
    Op,
    Scenario,
    add,
    add_tx,
    adds,
    closed,
    commit,
    delete,
    delete_tx,
    deletes,
    prepare,
    record,
    rollback,
    session,
    update,
    update_tx,
)

#: Edition -> a whole ADD of file 1 with id 99, as the products write it: with a compact count, and without.
_COUNTED = bytes.fromhex("0b0000000100000000000000006300000002016e6e00000019")
_PLAIN_IMAGE = bytes.fromhex("0b00000001000000000000006300000002016e6e00000018")
_IMAGE = {"s2": _PLAIN_IMAGE, "v1": _PLAIN_IMAGE, "v2": _COUNTED, "v2e": _COUNTED}


def _reused(*behind: Op) -> list[Op]:
    """Fill file 1, delete everything from file 2, use file 1 again for `behind`."""
    return [*adds(1, 7), NEXT, *deletes(1, 7), NEXT, RECLAIM, add(11), NEXT, add(12), NEXT, *behind]


def _queue() -> list[Op]:
    ops: list[Op] = []
    for ident in range(1, 61):
        ops += [add(ident, bytes([ident]) * 40), delete(ident)]
        if ident % 10 == 0:
            ops.append(RECLAIM)
    return [*ops, add(100, "the survivor")]


def _fragmented() -> list[Op]:
    """Twenty records over three files of which four stay, a commit, a prepare, an update."""
    gone = [ident for ident in range(1, 20) if ident % 5]
    return [
        *adds(1, 20, 100),
        *(delete(ident) for ident in gone),
        add_tx(500, 30),
        commit(500),
        add_tx(501, 31),
        prepare(501, "doubt"),
        update(10, "later"),
        NEXT,
    ]


_EXTREMES = [
    add(0, "", 0),
    add(-1, "minus one", 255),
    add(2**63 - 1, "largest", 127),
    add(-(2**63), "smallest", 128),
    add_tx(-5, 1, "negative transaction"),
    commit(-5),
]

_PLAIN = (
    Scenario("empty", "a new journal, opened and closed", (closed(),), ("JBM-FIL-006", "JBM-FIL-021")),
    Scenario("adds", "three adds", (closed(add(1, "a"), add(2, "bb"), add(3, "ccc")),), ("JBM-REC-005",)),
    Scenario(
        "adds-updates-deletes",
        "adds, updates, deletes; record 2 is updated twice and then deleted",
        (closed(add(1), add(2), add(3), update(2), update(2, "again"), update(3), delete(2), delete(1)),),
        ("JBM-REC-005", "JBM-REC-007", "JBM-RCV-001", "JBM-RCV-003"),
    ),
    Scenario(
        "empty-bodies",
        "bodies and extra data of no bytes",
        (closed(add(1, ""), update(1, ""), add_tx(5, 2, ""), commit(5), add_tx(6, 3, ""), prepare(6, "")),),
        ("JBM-REC-021",),
    ),
    Scenario("extreme-values", "ids and user types at their limits", (closed(*_EXTREMES),), ("JBM-REC-022",)),
    Scenario(
        "unknown-ids",
        "update and delete of unknown records, commit of an unknown transaction: all turned down",
        (closed(add(1), update(7), delete(8), commit(9), add(2)),),
        ("JBM-WRT-011",),
        refused=(2, 3, 4),
    ),
    Scenario(
        "added-again",
        "a record is added again behind its delete, which is not allowed, and is lost",
        (closed(add(1, "first"), delete(1), add(1, "second"), add(2)),),
        ("JBM-RCV-003",),
    ),
    Scenario(
        "rollover",
        "twenty records of 150 bytes fill file after file; five are deleted",
        (closed(adds(1, 20, 150), deletes(3, 5)),),
        ("JBM-WRT-001", "JBM-WRT-002", "JBM-REC-023"),
    ),
)

_TRANSACTIONS = (
    Scenario(
        "tx-commit",
        "add, update and delete in one transaction, committed",
        (closed(add(1), add(2), add_tx(100, 3), update_tx(100, 1), delete_tx(100, 2, "why"), commit(100)),),
        ("JBM-REC-006", "JBM-REC-008", "JBM-REC-012", "JBM-RCV-005", "JBM-RCV-006"),
    ),
    Scenario(
        "tx-2-files",
        "two records of a transaction in file 1, one and the commit in file 2",
        (closed(add_tx(100, 1), add_tx(100, 2), add(9), NEXT, add_tx(100, 3), commit(100)),),
        ("JBM-RCV-012", "JBM-WRT-006"),
    ),
    Scenario(
        "tx-3-files",
        "a transaction over three files",
        (closed(add_tx(100, 1), NEXT, add_tx(100, 2), add(9), NEXT, update_tx(100, 9), commit(100)),),
        ("JBM-RCV-012",),
    ),
    Scenario(
        "tx-commit-alone",
        "records of a transaction in files 1 and 2, only its commit in file 3",
        (closed(add_tx(100, 1), NEXT, add_tx(100, 2), NEXT, commit(100), add(9)),),
        ("JBM-RCV-012", "JBM-RCV-013"),
    ),
    Scenario(
        "tx-interleaved",
        "two transactions in turn, one committed, one rolled back",
        (closed(add_tx(1, 1), add_tx(2, 2), add_tx(1, 3), add_tx(2, 4), rollback(2), commit(1)),),
        ("JBM-RCV-016", "JBM-REC-009"),
    ),
    Scenario(
        "prepared",
        "a prepared transaction in doubt, with an add and a delete",
        (closed(add(1), add_tx(101, 2), delete_tx(101, 1, "gone"), prepare(101)),),
        ("JBM-REC-013", "JBM-RCV-018"),
    ),
    Scenario(
        "prepared-2-files",
        "records in file 1, the prepare in file 2",
        (closed(add_tx(101, 2), NEXT, prepare(101), add(1)),),
        ("JBM-RCV-018", "JBM-RCV-012"),
    ),
    Scenario(
        "prepared-empty",
        "a transaction without records is prepared",
        (closed(add(1), prepare(7, "nothing")),),
        ("JBM-RCV-021",),
    ),
    Scenario(
        "prepared-restart-commit",
        "prepared; the next process commits",
        (closed(add(1), add_tx(101, 2), prepare(101)), closed(commit(101), add(3))),
        ("JBM-RCV-018", "JBM-WRT-014"),
    ),
    Scenario(
        "tx-open-restart",
        "a transaction without an end; the next process rolls it back and adds a record",
        (closed(add(1), add_tx(5, 2)), closed(add(3))),
        ("JBM-WRT-015", "JBM-WRT-014"),
    ),
)

_CRASHES = (
    Scenario("killed", "killed behind three adds", (session(add(1), add(2), add(3)),), ("JBM-REC-005",)),
    Scenario(
        "killed-in-tx",
        "killed inside a transaction over two files",
        (session(add(1), add_tx(100, 2), NEXT, add_tx(100, 3), add(4)),),
        ("JBM-RCV-022",),
    ),
    Scenario(
        "killed-behind-prepare",
        "killed behind a prepare",
        (session(add(1), add_tx(100, 2), prepare(100)),),
        ("JBM-RCV-018",),
    ),
    Scenario(
        "killed-twice",
        "killed inside a transaction; the next process adds a record and is killed too",
        (session(add(1), add_tx(100, 2), add(3)), session(add(4))),
        ("JBM-WRT-014", "JBM-WRT-015"),
    ),
    Scenario(
        "three-processes",
        "each of three processes adds two records and deletes one",
        (
            closed(add(1), add(2), delete(1)),
            closed(add(3), add(4), delete(2)),
            closed(add(5), add(6), delete(4)),
        ),
        ("JBM-WRT-014", "JBM-FIL-007"),
    ),
)

_REUSE = (
    Scenario(
        "reuse-stale",
        "files are used again; records of their former lives stand behind the new ones",
        (closed(_reused(add(13), NEXT, add(14), NEXT, add(15))),),
        ("JBM-RDR-003", "JBM-RDR-020", "JBM-FIL-003", "JBM-FIL-007", "JBM-WRT-007"),
        min_files=4,
    ),
    Scenario(
        "reuse-third-life",
        "several rounds: files hold records of three lives",
        (
            closed(
                _reused(add(13), NEXT, add(14)),
                deletes(11, 4),
                NEXT,
                RECLAIM,
                adds(21, 3, 40),
                NEXT,
                adds(24, 3, 40),
                NEXT,
                add(27),
            ),
        ),
        ("JBM-RDR-020", "JBM-WRT-010"),
        min_files=4,
    ),
    Scenario(
        "reuse-stale-tx",
        "records and commit of a transaction are left behind as stale bytes",
        (
            closed(
                [add_tx(70, ident, b"t" * 40) for ident in (1, 2, 3)],
                commit(70),
                NEXT,
                deletes(1, 3),
                NEXT,
                RECLAIM,
                *([add(ident), NEXT] for ident in range(11, 15)),
                add(15),
            ),
        ),
        ("JBM-RDR-020", "JBM-WRT-010"),
        min_files=4,
    ),
    Scenario(
        "queue",
        "sixty records come and go, files are reclaimed in between; one record stays",
        (closed(_queue()),),
        ("JBM-WRT-010", "JBM-FIL-007"),
        min_files=3,
    ),
    Scenario(
        "tx-partly-reclaimed",
        "a transaction over files 1 and 2 is committed; its record in file 1 is deleted, file 1 used again",
        (
            closed(
                add_tx(100, 1),
                NEXT,
                add_tx(100, 2),
                commit(100),
                NEXT,
                delete(1),
                NEXT,
                RECLAIM,
                add(5),
                NEXT,
                add(6),
                NEXT,
                add(7),
            ),
        ),
        ("JBM-WRT-010", "JBM-RCV-012"),
        min_files=4,
    ),
)

_COMPACTIONS = (
    Scenario(
        "compacted",
        "twenty records, most of them deleted, a commit, a prepare, an update; compacted; one more add",
        (closed(_fragmented(), COMPACT, add(40)),),
        ("JBM-CMP-011", "JBM-CMP-012", "JBM-CMP-014", "JBM-REC-014"),
    ),
    Scenario(
        "compacted-twice",
        "two compactions: records with compact counts 0, 1 and 2",
        (closed(_fragmented(), COMPACT, adds(40, 3), NEXT, COMPACT, add(50)),),
        ("JBM-CMP-012", "JBM-CMP-014"),
    ),
    Scenario(
        "compacted-open-tx",
        "a compaction while a transaction is open, which is then committed",
        (closed(adds(1, 5), add_tx(9, 20), NEXT, delete(2), COMPACT, add_tx(9, 21), commit(9)),),
        ("JBM-CMP-012",),
    ),
    *(
        Scenario(
            f"compaction-{number}-{moment}",
            f"the directory during a compaction: {moment.replace('-', ' ')}",
            (session(_fragmented(), COMPACT),),
            ("JBM-CMP-009", "JBM-CMP-015"),
            moment=moment,
        )
        for number, moment in enumerate(MOMENTS, start=1)
    ),
)

_PLAYED = (*_PLAIN, *_TRANSACTIONS, *_CRASHES, *_REUSE, *_COMPACTIONS)


def scenarios(edition: str) -> tuple[Scenario, ...]:
    """Return all scenarios; in three of them the bytes that a record takes in `edition` matter."""
    return (*_PLAYED, *_measured(edition), *_events(edition))


def _measured(edition: str) -> tuple[Scenario, ...]:
    return (
        Scenario(
            "largest-body",
            "a record that fills its file exactly, with neighbours in other files",
            (closed(add(1), add(2, b"z" * LARGEST_BODY[edition]), add(3)),),
            ("JBM-RDR-023", "JBM-WRT-001"),
        ),
        Scenario(
            "too-large-body",
            "a record one byte longer than a file is turned down, the next one is not",
            (closed(add(1), add(2, b"z" * (LARGEST_BODY[edition] + 1)), add(3)),),
            ("JBM-WRT-003",),
            refused=(2,),
        ),
        Scenario(
            "nested-body",
            "a body that holds the image of a whole record of the same file",
            (closed(add(1, b"<" + _IMAGE[edition] + b">"), add(2)),),
            ("JBM-RDR-011",),
        ),
    )


def _events(edition: str) -> tuple[Scenario, ...]:
    return (
        Scenario(
            "event",
            "an event between two adds",
            (closed(add(1), record("event", 9, "event", 1), add(2)),),
            ("JBM-REC-004", "JBM-RDR-016"),
            only="artemis",
        ),
        Scenario(
            "event-nested",
            "an event whose body holds the image of a whole record of the same file",
            (closed(add(1), record("event", 9, b"<" + _IMAGE[edition] + b">", 1), add(2)),),
            ("JBM-RDR-011", "JBM-RDR-016"),
            only="artemis",
        ),
    )
