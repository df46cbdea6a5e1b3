"""Field inputs of the JBoss Messaging journal, and journals that healthy products wrote."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from field import FIELD, unpacked
from journalspec.observation import Observation
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.implementation import IMPLEMENTATION

pytestmark = pytest.mark.real
REFERENCE = IMPLEMENTATION


def asked(directory: Path, policy: str | None = "salvage") -> Observation:
    """Return the answer about the journal in a directory."""
    (journal,) = find_journals(load(directory))
    return ask(journal, policy).observation


def told(seen: Observation) -> tuple[Any, ...]:
    """Return the verdict, the number of live records, the dropped regions and what is missing."""
    state: Any = seen.state
    return (
        seen.verdict,
        len(state["live"]),
        [(item.off, item.length, item.reason) for item in seen.dropped],
        [(item.code, item.name) for item in seen.missing],
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("artemis-small", ("clean", 64, [], [])),
        ("artemis-missing", ("recovered", 34, [], [("file", "activemq-data-2.amq")])),
        ("artemis-copy", ("clean", 64, [], [])),
        ("artemis-headzero", ("recovered", 64, [(0, 16, "lost-header")], [])),
        ("c22-hole-whole-record", ("recovered", 5, [(190, 143, "hole")], [("record", "2")])),
        ("c22h-hole-hornetq-fillJ", ("recovered", 5, [(190, 143, "hole")], [("record", "2")])),
        ("c22d-dangling-update-only", ("recovered", 3, [], [("record", "2")])),
        (
            "c24-hole-across-records",
            ("recovered", 3, [(16, 143, "bad-check-size"), (159, 174, "hole")], [("record", "2")]),
        ),
        ("c1-two-sizes", ("clean", 2, [], [])),
        ("c3-bad-message-body", ("clean", 2, [], [])),
        ("c14-no-bindings", ("clean", 2, [], [])),
        ("c5-prepared", ("clean", 4, [], [])),
    ],
)
def test_a_field_input_gets_its_right_value(name: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    seen = asked(unpacked(name, tmp_path))
    assert told(seen) == expected


def test_a_copy_is_reported_as_a_duplicate(tmp_path: Path) -> None:
    seen = asked(unpacked("artemis-copy", tmp_path))
    (note,) = (note for note in seen.notes if note.code == "duplicate-file-id")
    assert note.file.endswith("activemq-data-2-copy.amq")
    assert note.text.startswith("id 2 as in activemq-data-2.amq")


def test_a_file_of_another_length_is_reported(tmp_path: Path) -> None:
    (note,) = (
        note for note in asked(unpacked("c1-two-sizes", tmp_path)).notes if note.code == "other-length"
    )
    assert (Path(note.file).name, note.text) == (
        "activemq-data-3.amq",
        "4096 bytes, most files have 8192",
    )


def test_a_zeroed_header_is_refused_by_strict(tmp_path: Path) -> None:
    seen = asked(unpacked("artemis-headzero", tmp_path), "strict")
    assert (seen.verdict, seen.phase, seen.code) == ("refused", "header", "bad-version")


def test_prepared_and_unfinished_transactions(tmp_path: Path) -> None:
    state: Any = asked(unpacked("c5-prepared", tmp_path)).state
    assert [item["tx"] for item in state["prepared"]] == [19]
    assert [(item["tx"], item["why"]) for item in state["discarded"]] == [(23, "no-end")]


@pytest.mark.parametrize("damage", ["delete", "rename", "gzip", "zeros", "empty"])
def test_a_file_in_the_middle_is_never_lost_in_silence(damage: str, tmp_path: Path) -> None:
    directory = unpacked("artemis-small", tmp_path)
    path = directory / "activemq-data-2.amq"
    content = path.read_bytes()
    if damage in ("delete", "rename", "gzip"):
        path.unlink()
    if damage == "rename":
        (directory / "activemq-data-2.amq.old").write_bytes(content)
    elif damage == "gzip":
        (directory / "activemq-data-2.amq.gz").write_bytes(gzip.compress(content))
    elif damage == "zeros":
        path.write_bytes(bytes(len(content)))
    elif damage == "empty":
        path.write_bytes(b"")
    for policy in (None, "salvage"):
        assert asked(directory, policy).verdict == "recovered"


#: Edition -> where its healthy journals are, beside the checkout and in it.
HEALTHY = {
    "seed": ["../shared/real/jboss_journal/captured/jbm-s0/*"],
    "s1": ["../shared/real/jboss_journal/captured/jbm-s1/*"],
    "s2": ["corpus/captured/jboss_journal/hornetq-2.0.0/*"],
    "v1": ["corpus/captured/jboss_journal/hornetq-2.1.2/*"],
    "v2": [
        "../shared/real/jboss_journal/captured/hornetq-2.4.9/*",
        "corpus/captured/jboss_journal/hornetq-2.4.9/*",
        "../shared/contents/jboss_journal/artemis-1.5.6/journal",
        "../shared/contents/jboss_journal/artemis-1.5.6/bindings",
    ],
    "v2e": [
        "../shared/real/jboss_journal/captured/artemis-2.44.0/*",
        "corpus/captured/jboss_journal/artemis-2.44.0/*",
        "../shared/contents/jboss_journal/artemis-2.44-*/journal",
        "../shared/contents/jboss_journal/artemis-2.44-*/bindings",
        "../shared/contents/jboss_journal/narayana-7.0.2",
    ],
}
#: JBoss Messaging 2.0 never wrote the header of a file that it used again: these lost records.
LOSSY = {("jbm-s0", "reuse-tx-stale"), ("jbm-s1", "reuse-tx-stale")}


def _journals() -> Iterator[tuple[str, Path]]:
    root = FIELD.parents[1]
    checkout = Path(__file__).resolve().parents[2]
    for edition, patterns in HEALTHY.items():
        for pattern in patterns:
            base = root if pattern.startswith("../") else checkout
            for path in sorted(base.glob(pattern.removeprefix("../"))):
                if path.is_dir() and (path.parent.name, path.name) not in LOSSY:
                    yield edition, path


def _files(directory: Path) -> dict[str, bytes]:
    names = [path for path in directory.iterdir() if path.suffix not in (".toml", ".json")]
    return {
        path.name.removesuffix(".gz"): (
            gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        )
        for path in sorted(names)
    }


def test_no_alarm_in_journals_that_healthy_products_wrote() -> None:
    if not FIELD.is_dir():
        pytest.skip("needs the real journals beside the checkout")
    looked_at = 0
    for edition, path in _journals():
        files = _files(path)
        endings = Counter(
            name.rpartition(".")[2] for name in files if not name.endswith((".ctr", ".cmp", ".tmp"))
        )
        if not endings:
            continue
        params = {"extension": endings.most_common(1)[0][0]}
        seen = [REFERENCE.read(files, edition=edition, params=params)]
        seen += [
            REFERENCE.recover(files, edition=edition, policy=policy, params=params)
            for policy in ("strict", "salvage")
        ]
        assert [(item.verdict, list(item.missing)) for item in seen] == [("clean", [])] * 3, path
        looked_at += 1
    assert looked_at >= 300
