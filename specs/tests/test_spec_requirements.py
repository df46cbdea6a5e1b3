from __future__ import annotations

import copy
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from journalspec import requirements as module
from journalspec.deviations import deviations
from journalspec.formats import format_ids, get_format
from journalspec.messages import messages
from journalspec.requirements import LEVELS, lint, main, requirements, stamp, text_digest

#: Any format is suitable, because the lint is the same for all.
FORMAT = format_ids()[0]
P = get_format(FORMAT).prefix
EDITION = get_format(FORMAT).default_edition
MISTAKES = tomllib.loads(
    (Path(__file__).parent / "data" / "mistakes.toml").read_text(encoding="utf-8").replace("PREFIX", P)
)

GOOD: dict[str, Any] = {
    "areas": {"REC": "Records"},
    "requirement": [
        {
            "id": f"{P}-REC-001",
            "level": "must",
            "roles": ["reader"],
            "editions": [EDITION],
            "text": "A record  has\na length.",
            "source": {"kind": "decision", "document": "spec.md", "passages": ["Records"]},
            "revision": 1,
            "digest": text_digest("A record has a length."),
        }
    ],
}


#: Rules that this project decided, because no document and no product states them. The products accept a
#: record whose names end before its end marker, and they write empty gtrids. The document does not define
#: which bytes its checksum covers.
DECIDED = ("BTM-REC-004", "BTM-REC-011", "BTM-SED-008")


@pytest.mark.parametrize("name", DECIDED)
def test_decisions_are_not_attributed_to_a_product_or_a_document(name: str) -> None:
    known = next(requirements(each) for each in format_ids() if get_format(each).prefix == name[:3])
    assert known[name].source["kind"] == "decision"


@pytest.mark.parametrize("format_id", format_ids())
def test_every_format_has_requirements_without_fault(format_id: str) -> None:
    found = requirements(format_id)
    assert len(found) > 0
    assert Counter(item.level for item in found)["must"] > 0
    assert {item.area for item in found} == set(found.areas)
    assert found[found.items[0].id] is found.items[0]


def test_areas_together_contain_all_requirements() -> None:
    found = requirements(FORMAT)
    assert sum(len(found.in_area(area)) for area in found.areas) == len(found)
    with pytest.raises(KeyError, match="no area 'XYZ'"):
        found.in_area("XYZ")
    with pytest.raises(KeyError, match=f"no requirement {P}-REC-999"):
        found[f"{P}-REC-999"]


@pytest.mark.parametrize(("members", "complaint", "without"), MISTAKES["requirements"])
def test_lint_reports_wrong_members(members: dict[str, Any], complaint: str, without: list[str]) -> None:
    data = copy.deepcopy(GOOD)
    assert lint(FORMAT, data) == []
    data["requirement"][0] |= members
    for name in without:
        del data["requirement"][0][name]
    assert any(complaint in fault for fault in lint(FORMAT, data))


def test_lint_reports_a_duplicate_id_and_an_empty_area() -> None:
    data = copy.deepcopy(GOOD)
    data["requirement"].append(data["requirement"][0])
    data["areas"]["HDR"] = "Headers"
    faults = lint(FORMAT, data)
    assert f"{P}-REC-001: the id is used twice" in faults
    assert "area HDR: no requirement" in faults


TOML = """\
# a comment that stays
[areas]
REC = "Records"

[[requirement]]
id = "ONE-REC-001"
text = "One."
revision = 3
digest = "{digest}"
"""


def test_stamp_raises_the_revision_only_if_the_text_changed() -> None:
    same = TOML.format(digest=text_digest("One."))
    assert stamp(same) == (same, [])
    stamped, ids = stamp(TOML.format(digest=text_digest("Two.")))
    assert ids == ["ONE-REC-001"]
    assert stamped == TOML.replace("revision = 3", "revision = 4").format(digest=text_digest("One."))
    fresh, ids = stamp(TOML.format(digest=""))
    assert ids == ["ONE-REC-001"]
    assert tomllib.loads(fresh)["requirement"][0]["revision"] == 3


def test_digest_does_not_depend_on_line_breaks() -> None:
    assert text_digest("a b\n   c") == text_digest(" a  b c ")
    assert text_digest("a b c") != text_digest("a b d")


def test_main_reports_counts_and_faults(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([]) == 0
    assert f"{FORMAT}: {len(requirements(FORMAT))} requirements" in capsys.readouterr().out
    assert main(["--stamp", "nothing"]) == 1
    assert "no format 'nothing'" in capsys.readouterr().err
    requirements.cache_clear()
    monkeypatch.setattr(module, "LEVELS", LEVELS[:1])
    assert main([]) == 1
    assert "is none of must" in capsys.readouterr().err
    monkeypatch.undo()
    requirements.cache_clear()


#: A name that must not exist. Texts and tests about missing requirements use it.
NOBODY = re.compile(r"-(000|999)$|-XXX-")
WRITTEN = (".py", ".java", ".ksy", ".md", ".toml")


def test_every_requirement_id_in_code_tables_and_pages_exists() -> None:
    """An id with a wrong digit cites another requirement, or none."""
    prefixes = "|".join(get_format(format_id).prefix for format_id in format_ids())
    ids = {item.id for f in format_ids() for item in (*requirements(f), *deviations(f), *messages(f))}
    name = re.compile(rf"\b(?:{prefixes})-[A-Z]{{3}}-\d{{3}}\b")
    root = Path(__file__).parents[2]
    read, wrong = 0, []
    for folder in ("specs", "reference_impl", "corpus", "conformance", "docs", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in WRITTEN or "_build" in path.parts:
                continue
            for found in name.findall(path.read_text(encoding="utf-8")):
                read += 1
                if found not in ids and not NOBODY.search(found):
                    wrong.append(f"{path.relative_to(root)}: {found}")
    assert read > len(ids)
    assert not wrong
