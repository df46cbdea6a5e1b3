"""SwiftMQ: the inputs of the field, and real stores as people have them, with their right values."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from field import FIELD, unpacked
from journalspec.observation import Observation
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load

REAL = FIELD.parent / "real" / "swiftmq_store"
pytestmark = pytest.mark.real


def seen(directory: Path, policy: str | None = None) -> Observation:
    (journal,) = find_journals(load(directory))
    return ask(journal, policy).observation


def real(name: str) -> Path:
    if not REAL.is_dir():
        pytest.skip("needs the real files beside the checkout")
    return REAL / name


def state(found: Observation) -> Mapping[str, Any]:
    assert found.state is not None
    return found.state


def keys(found: Observation) -> dict[str, list[int]]:
    return {
        queue["name"].decode(): [one["key"] for one in queue["messages"] if "sha256" in one]
        for queue in state(found)["queues"]
    }


def codes(found: Observation) -> set[str]:
    return {note.code for note in found.notes}


@pytest.mark.parametrize("policy", [None, "strict", "default", "salvage"])
def test_bytes_that_end_a_start_are_reported(policy: str | None, tmp_path: Path) -> None:
    found = seen(unpacked("swiftmq-howto-oom-clean", tmp_path), policy)
    assert keys(found) == {"orders": [1]}
    assert "huge-count" in codes(found)
    assert not found.missing


def test_a_store_of_another_page_size_is_read() -> None:
    found = seen(real("r1-resized-4096"), "strict")
    assert (found.verdict, len(found.missing)) == ("clean", 0)
    assert keys(found)["orders"] == [1, 2, 4, 5]
    assert "page-size" in codes(found)


def test_a_backup_is_read_as_one() -> None:
    (saved,) = (real("16-backup") / "backup").iterdir()
    found = seen(saved, "strict")
    assert (found.verdict, found.missing) == ("clean", ())
    assert keys(found)["orders"] == [1, 2, 4, 5]
    assert [one["client"] for one in state(found)["durables"]] == ["c1", "c2"]
    assert "no-log" not in codes(found)


@pytest.mark.parametrize(
    "name", [path.name for path in sorted(REAL.glob("*")) if (path / "db").is_dir()] or ["none"]
)
def test_healthy_stores_are_clean(name: str) -> None:
    found = seen(real(name))
    assert (found.verdict, found.missing) == ("clean", ())
    assert not codes(found) & {"other-moment", "unreached", "huge-count"}


def test_a_log_that_pages_need_is_missing(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    shutil.copytree(real("g3b-removed-no-checkpoint"), directory)
    shutil.rmtree(directory / "log")
    found = seen(directory)
    assert found.verdict == "recovered"
    assert [gone.code for gone in found.missing] == ["log"]


def test_pages_and_log_of_different_moments(tmp_path: Path) -> None:
    """The log of a store that goes on, and its pages as they were long before."""
    directory = tmp_path / "store"
    shutil.copytree(real("12-one-commit-after-checkpoint"), directory)
    (directory / "db" / "page.db").write_bytes((real("g3a-3msgs-checkpointed") / "db/page.db").read_bytes())
    found = seen(directory)
    assert found.verdict == "recovered"
    assert "other-moment" in codes(found) or found.missing
