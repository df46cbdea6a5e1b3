"""Derby: situations that the requirements decide, and for which the smoke tier has no room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from decided import Situation
from journalspec_corpus.derby_log import naive
from journalspec_reference import load

FORMAT = "derby_log"
#: A policy of recovery, or a reading.
READ, DEFAULT, STRICT = "", "default", "strict"
#: The operation of a change that only increases the version of its page.
TOUCH = "SET_RESERVED_SPACE slot=0 record_id=7 new_reserved=0 old_reserved=0"
CHECKPOINT = ["b1 BEGIN status=16", "k1 CHECKPOINT", "c1 COMMIT"]


def log(*records: str, **more: Any) -> dict[str, Any]:
    """Return a base: a checkpoint, and a group of records after it."""
    return {"checkpoint": "k1", "files": [{"groups": [CHECKPOINT, [*records]]}], **more}


def on(page: int, *, container: int = 1168) -> str:
    """Return the place of a change that fits the page's version."""
    return f"container={container} page={page} page_version=next"


def page(*rows: str) -> dict[str, Any]:
    """Return the pages of table T: the first one, and one with these rows."""
    return {"seg0/c490.dat": [1, {"version": 2, "sound": False, "rows": [*rows]}]}


def touched(version: int, *, container: int = 1200) -> str:
    """Return a change of page 1 of a container that has this version before it."""
    return f"{TOUCH} container={container} page=1 page_version={version}"


INSERTED = ["b2 BEGIN", "i2 INSERT key=1 value=one"]
#: Two files: the checkpoint is in the second, and recovery starts in the first.
TWO_FILES: dict[str, Any] = {
    "checkpoint": "k1",
    "files": [
        {"groups": [["b1 BEGIN status=16"]]},
        {"groups": [["b2 BEGIN", f"n2 {touched(5)}"], ["k1 CHECKPOINT tx=1 undo=b1"]]},
    ],
    "containers": {"seg0/c4b0.dat": [1, 1]},
}
GONE = {"missing": [("log-file", "log1.dat", "log2.dat", "k1")]}
#: The page is newer than the log explains, unless a later file explains it.
NEWER: dict[str, Any] = {"containers": {"seg0/c4b0.dat": [1, 9]}}
BAD_BODY = "body=008141010000" + "0fff00000000"
OLD_FILE: dict[str, Any] = {
    "checkpoint": "k1",
    "files": [
        {"groups": [["b3 BEGIN", f"n3 {touched(3)}", "c3 COMMIT", f"x9 {BAD_BODY}", f"n2 {touched(8)}"]]},
        {"groups": [CHECKPOINT]},
    ],
    **NEWER,
}
LATER_FILE: dict[str, Any] = {
    "checkpoint": "k1",
    "files": [
        {"groups": [CHECKPOINT, ["b3 BEGIN", f"n3 {touched(3)}", "c3 COMMIT"]]},
        {"groups": [["b2 BEGIN", f"n2 {touched(8)}", "c2 COMMIT"]], "header": {"previous": 24}},
    ],
    **NEWER,
}
#: Places of faults that several situations have.
BY_ID = 'ident = by.fields.get("record_id", fields.get("record_id", 0))'
#: `expected`, as far as it is there: the verdict; phase and code of a refusal, and its place or record; the
#: codes of notes; what is missing (code, name, file, and the offset or the record); dropped regions (offset,
#: length, reason); the rows; for each branch the rows that it has inserted.
SITUATIONS: dict[str, tuple[str, Situation]] = {
    "a-physical-undo-of-an-insert": (
        DEFAULT,
        Situation(
            "DRB-RCV-176",
            log(*INSERTED, f"u2 PHYSICAL_UNDO {on(1)} group=0x184 undone=i2", "c2 COMMIT"),
            {"rows": []},
            ("heap:apply", BY_ID, 'ident = by.fields.get("record_id", 0)'),
            "a compensation record without a record id changes no row",
        ),
    ),
    "a-logical-undo-of-an-update": (
        DEFAULT,
        Situation(
            "DRB-RCV-176",
            log(
                *INSERTED,
                "j2 INSERT key=2 value=two",
                "u2 UPDATE key=1 value=new",
                f"l2 LOGICAL_UNDO {on(1)} record_id=8 group=0x184 undone=u2",
                "c2 COMMIT",
            ),
            {"rows": ["T 1 new", "T 2 one"]},
            ("heap:apply", BY_ID, 'ident = fields.get("record_id", by.fields.get("record_id", 0))'),
            "the record id of an undone UPDATE is its own",
        ),
    ),
    "a-logical-undo-of-a-purge": (
        DEFAULT,
        Situation(
            "DRB-RCV-164",
            log(
                *INSERTED,
                "j2 INSERT key=2 value=two",
                f"p2 PURGE {on(1)} slot=1 rows=7,8"
                " data=0007020004000000010005000" + "36f6e65" + "00080200040000000200050003" + "74776f",
                "l2 LOGICAL_UNDO container=1168 page=1 page_version=6 record_id=9 group=0x184 undone=p2",
                "v2 INSERT container=1168 page=1 page_version=7 record_id=9 slot=3 insert_flags=1"
                " data=00090220000400000003200007" + "00057468726565",
                "c2 COMMIT",
            ),
            {"rows": ["T 1 one", "T 2 two", "T 3 three"]},
            (
                "store:Store._redo",
                'if shrinks is not None and name == "PHYSICAL_UNDO":',
                "if shrinks is not None:",
            ),
            "every compensation of a PURGE increases the version row by row",
        ),
    ),
    "a-purge-without-data-is-open": (
        DEFAULT,
        Situation(
            "DRB-REC-178",
            log(*INSERTED, "c2 COMMIT", "b3 BEGIN", f"p3 PURGE {on(1)} slot=1 rows=7"),
            {"refused": ("record", "bad-body", "p3")},
            ("heap:apply", "        at = 0\n", "        at = 0\n        if not data:\n            return\n"),
            "a PURGE without data restores no row",
        ),
    ),
    "a-column-that-is-not-in-a-later-part": (
        DEFAULT,
        Situation(
            "DRB-RCV-179",
            log(containers=page("020700010802000400000001" + "0005000" + "36f6e65", "0408010105")),
            {"rows": []},
            (
                "store:Store.row",
                "values[row.first :] = row.values[:3]",
                "values[row.first :] = [values[row.first] if row.values[0] is ... else row.values[0]]",
            ),
            "a column of status 0x05 in a later part leaves the value of the earlier one",
        ),
    ),
    "an-update-to-a-deleted-row": (
        DEFAULT,
        Situation(
            "DRB-RCV-113",
            log(
                *INSERTED,
                f"u2 UPDATE {on(1)} slot=1 record_id=7"
                " data=01070220000400000001200005000" + "36e65770007020500050003" + "6f6e65",
                "c2 COMMIT",
            ),
            {"rows": []},
            ("heap:changed", "new._replace(values=values,", "new._replace(values=values, deleted=False,"),
            "an UPDATE makes a row that exists",
        ),
    ),
    "a-deleted-row-and-its-rest": (
        DEFAULT,
        Situation(
            "DRB-RCV-179",
            log(
                containers=page(
                    "030700010901000400000001", "020800010901000400000002", "0409010100050003" + "6f6e65"
                )
            ),
            {"rows": ["T 2 one"]},
            (
                "store:Store.row",
                "if row is None or row.deleted or row.first",
                "if row is not None and row.rest is not None and taken is not None and row.deleted:\n"
                "            taken.add((container, *row.rest))\n"
                "        if row is None or row.deleted or row.first",
            ),
            "a rest belongs to a deleted row",
        ),
    ),
    "a-container-that-is-created-elsewhere": (
        DEFAULT,
        Situation(
            "DRB-RCV-062",
            {
                "checkpoint": "k1",
                "files": [
                    {
                        "groups": [
                            ["b4 BEGIN", "m4 CONTAINER container=1200 action=1 group=0x100", "c4 COMMIT"]
                        ]
                    },
                    {
                        "groups": [
                            CHECKPOINT,
                            ["b2 BEGIN", f"n2 {touched(5)}"],
                            ["m2 CONTAINER container=1200 action=1 group=0x100", "c2 COMMIT"],
                        ]
                    },
                ],
                "containers": {"seg0/c4b0.dat": [1, 1]},
            },
            {"refused": ("replay", "bad-page", "n2")},
            ("store:Store._redo", "and container in self.made", "and container not in self.tables"),
            "a later or an old record creates the container, too",
        ),
    ),
    "a-record-after-a-bad-body": (
        READ,
        Situation(
            "DRB-RCV-174",
            OLD_FILE,
            {"notes": ["newer-page"]},
            (
                "store:Bodies.__init__",
                "self.rows, self.problem = row, str(error)\n                break",
                "self.rows, self.problem = row, str(error)",
            ),
            "records after a bad body explain the version of a page",
        ),
    ),
    "a-record-in-an-unlinked-file": (
        READ,
        Situation(
            "DRB-RCV-174",
            LATER_FILE,
            {"notes": ["unlinked-file"]},
            ("recover:LogPass._behind", "if each > file.number))", "if each > file.number + 1))"),
            "records of an unlinked file explain nothing",
        ),
    ),
    "a-record-in-a-file-with-a-wrong-header": (
        READ,
        Situation(
            "DRB-RCV-174",
            {**LATER_FILE, "files": [{**LATER_FILE["files"][0], "end": "none"}, LATER_FILE["files"][1]]},
            {"notes": ["newer-page"]},
            ("evidence:bodies_of", "log.scan(log.enter(number))", "log.scan(log.files[number])"),
            "records of a file with a wrong header explain the version of a page",
            edits=({"at": "f2.header.format_id", "int": 7},),
        ),
    ),
    "no-checkpoint-yet-and-no-first-file": (
        READ,
        Situation(
            "DRB-FIL-168",
            {"first": 2, "files": [{"groups": [["b2 BEGIN", "c2 COMMIT"]]}]},
            {"verdict": "recovered", "missing": [("log-file", "log1.dat", "log.ctrl", 8)]},
            (
                "recover:LogPass._start",
                "At(self.chosen.name, 8, 8))\n",
                "At(self.chosen.name, 8, 8) if control.checkpoint else None)\n",
            ),
            "an instant of 0 refers to no file",
        ),
    ),
    "the-log-ends-before-the-checkpoint-without-the-undo-file": (
        READ,
        Situation(
            "DRB-END-172",
            TWO_FILES,
            {**GONE, "notes": ["groups-after", "lost-middle"]},
            (
                "recover:LogPass._from_checkpoint",
                "self.checkpoint = at",
                "self.checkpoint = at if begins is not None else None",
            ),
            "without the file of the undo instant there is no checkpoint",
            edits=({"delete": "log1.dat"}, {"at": "n2.length_again", "int": 0}),
        ),
    ),
    "the-redo-instant-without-the-undo-file": (
        READ,
        Situation(
            "DRB-RCV-060",
            TWO_FILES,
            {**GONE, "notes": []},
            (
                "recover:LogPass._from_checkpoint",
                'Instant.unpack(body.fields["redo_from"])',
                'Instant.unpack(body.fields["redo_from"] if begins is not None else 0)',
            ),
            "without the file of the undo instant all changes are redone",
            edits=({"delete": "log1.dat"},),
        ),
    ),
    "a-short-first-file-without-the-undo-file": (
        READ,
        Situation(
            "DRB-RCV-061",
            {**TWO_FILES, "first": 2},
            {"refused": ("header", "bad-header", ("log1.dat", 0))},
            (
                "recover:LogPass._entered",
                "start = Instant(min(self._logs), HEADER)",
                "start = Instant(min(n for n, file in self._logs.items() if file.length >= HEADER), HEADER)",
            ),
            "reading begins in the first file that has a header",
            edits=({"delete": "log2.dat"}, {"add": "log1.dat", "hex": ""}),
        ),
    ),
    "a-bad-body-beyond-the-start": (
        READ,
        Situation(
            "DRB-END-177",
            {
                "checkpoint": "k1",
                "files": [
                    {
                        "groups": [
                            {"plain": True, "records": [f"x9 {BAD_BODY}" + "00" * 200]},
                            ["k1 CHECKPOINT tx=1 undo_from=4294967350 redo_from=4294967350"],
                        ]
                    }
                ],
            },
            {"dropped": [(24, 30, "truncated"), (251, 105, "beyond-end")]},
            (
                "recover:examined",
                "rows = len(off) if stop is None else bisect_right(end, stop - base)",
                "rows = len(off)",
            ),
            "a body that ends after the start is decoded",
        ),
    ),
    "a-bad-body-before-a-checksum-record": (
        READ,
        Situation(
            "DRB-CHK-031",
            {
                "checkpoint": "k1",
                "files": [
                    {
                        "groups": [
                            {"plain": True, "records": [f"x9 {BAD_BODY}"]},
                            ["b1 BEGIN status=16", "k1 CHECKPOINT undo=b1 redo=b1"],
                        ]
                    }
                ],
            },
            {"verdict": "recovered", "notes": []},
            (
                "recover:LogPass._vouched",
                'batch.more["sums"])',
                'batch.more["sums"] if row < Bodies(batch, self._forms, len(batch)).rows)',
            ),
            "a bad body ends the search for checksum records",
        ),
    ),
    "a-found-checkpoint-that-cannot-be-used": (
        STRICT,
        Situation(
            "DRB-RCV-163",
            {
                "first": 2,
                "mirror": False,
                "files": [{"groups": [["b1 BEGIN status=16", "k1 CHECKPOINT undo_from=8589934597"]]}],
            },
            {"refused": ("record", "no-checkpoint", "k1")},
            ("recover:LogPass._from_checkpoint", "if self.chosen.name else _framed(file, at.position)", ""),
            "the place is that of a control file",
            edits=({"delete": "log.ctrl"},),
        ),
    ),
    "four-zeros-after-a-header": (
        READ,
        Situation(
            "DRB-FIL-169",
            {"files": [{"end": "marker"}]},
            {"verdict": "recovered", "missing": [("log-file", "log2.dat", "log1.dat", 24)]},
            ("fileset:Log.ended", "whole = end.marked and", "whole = end.off > HEADER and end.marked and"),
            "a file without a record proves nothing",
        ),
    ),
    "last-and-prepare": (
        DEFAULT,
        Situation(
            "DRB-RCV-066",
            log(*INSERTED, "p2 END group=0x152 status=2"),
            {"rows": ["T 1 one"], "inserted": []},
            (
                "store:Store._follow",
                "if body.group & LAST:",
                "if body.group & LAST and not body.group & PREPARE:",
            ),
            "PREPARE counts before LAST",
        ),
    ),
    "branches-without-xa-ids": (
        DEFAULT,
        Situation(
            "DRB-RCV-066",
            log(
                "b3 BEGIN",
                "b2 BEGIN",
                "i2 INSERT key=1 value=one",
                "i3 INSERT key=2 value=two",
                "p2 PREPARE",
                "p3 PREPARE",
            ),
            {"rows": [], "inserted": [["T 2 two"], ["T 1 one"]]},
            ("store:Store.branches", "key=itemgetter(0)", "key=itemgetter(0, 1)"),
            "branches with equal ids are in the order of their numbers",
        ),
    ),
    "a-truncated-form-of-three-bytes": (
        DEFAULT,
        Situation(
            "DRB-RCV-179",
            log(
                "b2 BEGIN",
                f"i2 INSERT {on(1)} record_id=7 slot=1 insert_flags=1 data=0007022000040000000120"
                + "00050003e28241",
                "c2 COMMIT",
            ),
            {"rows": ["T 1 \ufffdA"]},
            (
                "store:_text",
                'mutf8.readable(data[2 : 2 + size] if size else data[2:].partition(b"\\xe0\\0\\0")[0])',
                'data[2 : 2 + size].decode("ascii", "replace")',
            ),
            "U+FFFD replaces each wrong byte",
        ),
    ),
    "a-mirror-in-the-seed": (
        READ,
        Situation(
            "DRB-FIL-104",
            {"control": False, "files": []},
            {"refused": ("fileset", "no-files", None)},
            ("recover:LogPass.__init__", "CONTROLS[: 1 if edition == SEED else None]", "CONTROLS"),
            "the seed has a mirror, too",
            edits=({"add": "logmirror.ctrl", "hex": "00" * 48},),
            edition="seed",
        ),
    ),
    "an-allocation-page-of-a-table": (
        DEFAULT,
        Situation(
            "DRB-RCV-062",
            log(
                "b2 BEGIN",
                f"n2 {touched(5, container=1168)}",
                "c2 COMMIT",
                containers={"seg0/c490.dat": [1, {"format": 118, "version": 1, "sound": False}]},
            ),
            {"refused": ("replay", "bad-page", "n2")},
            ("store:Container.page", "form == ALLOCATION_PAGE or not number", "False"),
            "a page of another kind has no version",
        ),
    ),
    "the-first-page-of-a-table": (
        DEFAULT,
        Situation(
            "DRB-RCV-062",
            log(
                "b2 BEGIN",
                "n2 ALLOC_PAGE container=1168 page=0 page_version=5 new_page=3 do_status=0 undo_status=2",
                "c2 COMMIT",
                containers=page(),
            ),
            {"refused": ("replay", "bad-page", "n2")},
            ("store:Container.page", "form == ALLOCATION_PAGE or not number", "False"),
            "the first page of a table has no version",
        ),
    ),
}


def _said(rows: Any) -> list[str]:
    return [f"{row['table']} {row['key']} {row['value']}" for row in rows]


def _of_reference(implementation: Any, situation: Situation, policy: str) -> dict[str, Any]:
    files, edition = situation.built(FORMAT).content(), situation.edition_in(FORMAT)
    seen = (
        implementation.recover(files, edition=edition, policy=policy)
        if policy
        else implementation.read(files, edition=edition)
    )
    at = None if seen.at is None else (seen.at.file, seen.at.off)
    return {
        "verdict": seen.verdict,
        "refused": (seen.phase, seen.code, at),
        "notes": [note.code for note in seen.notes],
        "missing": [(gone.code, gone.name, gone.file, gone.off) for gone in seen.missing],
        "dropped": [(each.off, each.length, each.reason) for each in seen.dropped],
        "state": seen.state,
    }


def _of_naive(situation: Situation, policy: str) -> dict[str, Any]:
    files, edition = situation.built(FORMAT).content(), situation.edition_in(FORMAT)
    seen = naive.recover(files, edition, policy) if policy else naive.read(files, edition)
    at = (seen["at"]["file"], seen["at"]["off"]) if "at" in seen else None
    return {
        "verdict": seen["verdict"],
        "refused": (seen.get("phase"), seen.get("code"), at),
        "notes": seen.get("notes"),
        "missing": [
            (gone["code"], gone["name"], gone.get("file"), gone.get("off"))
            for gone in seen.get("missing", ())
        ],
        "dropped": [(each["off"], each["len"], each["reason"]) for each in seen.get("dropped", ())],
        "state": seen.get("state"),
    }


def _told(answer: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an answer that a situation expects."""
    state = answer["state"] or {}
    rows = {
        "rows": _said(state.get("rows", ())),
        "inserted": [_said(branch["inserted"]) for branch in state.get("in_doubt", ())],
    }
    return {key: {**answer, **rows}[key] for key in expected}


def _expected(situation: Situation) -> dict[str, Any]:
    """Return what is expected, with the places of records."""
    records = situation.built(FORMAT).records
    said = dict(situation.expected)
    if "refused" in said:
        phase, code, place = said["refused"]
        if isinstance(place, str):
            place = records[place]["at"]["file"], int(records[place]["at"]["off"])
        said["refused"] = phase, code, place
    if "missing" in said:
        said["missing"] = [
            (*gone[:3], int(records[gone[3]]["at"]["off"]) if isinstance(gone[3], str) else gone[3])
            for gone in said["missing"]
        ]
    return said


@pytest.mark.parametrize("name", SITUATIONS)
def test_reference_and_naive_reader_decide_it(name: str) -> None:
    policy, situation = SITUATIONS[name]
    expected = _expected(situation)
    assert _told(_of_reference(load(FORMAT), situation, policy), expected) == expected
    assert _told(_of_naive(situation, policy), expected) == expected


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_fault_changes_it(name: str) -> None:
    policy, situation = SITUATIONS[name]
    expected = _expected(situation)
    answer = _of_reference(situation.faulty(FORMAT, name), situation, policy)
    assert _told(answer, expected) != expected
