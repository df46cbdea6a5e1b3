"""The tool that measures growth: each list of a format has a shape, and quadratic growth is detected."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from journalspec.formats import format_ids

TOOL = Path(__file__).parents[2] / "tools" / "growth.py"


@pytest.mark.parametrize("format_id", format_ids())
def test_every_list_of_the_field_tables_has_a_shape(tool: ModuleType, format_id: str) -> None:
    assert tool.without_shape(format_id) == []


@pytest.mark.parametrize("format_id", format_ids())
def test_every_shape_grows_with_its_elements(tool: ModuleType, format_id: str, tmp_path: Path) -> None:
    for shape in tool.shapes()[format_id]:
        measuring = tool.Measuring(tool.Journals(format_id, shape, tmp_path / shape.name), broken=False)
        small, large = (measuring.place(n)[1] for n in (16, 400))
        assert large > small, shape.name
        assert measuring.seconds("recover", 16) >= 0


@pytest.mark.parametrize(("power", "status"), [(1, 0), (2, 1)])
def test_growth_beyond_the_limit_ends_with_status_1(
    tool: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    power: int,
    status: int,
) -> None:
    monkeypatch.setattr(tool.Measuring, "seconds", lambda self, command, n, times=1: n**power / 1e3)
    assert tool.main(["--format", "kahadb_journal", "--shape", "unknown", "--command", "recover"]) == status
    _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[1] for row in rows] == ["unknown", "unknown-damaged"]
    assert all(round(float(row.split()[6])) == power for row in rows)
    assert all(row.endswith("NOT LINEAR") == bool(status) for row in rows)
