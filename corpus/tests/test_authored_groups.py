"""Authored groups: from TOML to cases, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from authored import AuthoringError, authored_cases

from journalspec_corpus import Case

FORMAT = "bitronix_tlog"
DATA = Path(__file__).parent / "data"
GROUP = (DATA / "authored_group.toml").read_text(encoding="utf-8")
LABELS = (DATA / "authored_case.toml").read_text(encoding="utf-8")


def cases(tmp_path: Path, text: str) -> list[Case]:
    (tmp_path / "try.toml").write_text(GROUP + text, encoding="utf-8")
    return list(authored_cases(FORMAT, tmp_path))


def test_labels_become_records_and_regions(tmp_path: Path) -> None:
    [case] = cases(tmp_path, LABELS)
    assert case.id == "btm.try.x"
    assert case.needs == ("damage", "read", "recover")
    first, changed = case.expect[0]["records"]
    assert first["gtrid"] == "73727631000001920000000000000001"
    assert first["at"] == {"file": "btm1.tlog", "off": "21", "len": "58"}
    assert first["record_length"] == "50"
    assert changed["type"] == "OTHER"
    assert "at" not in changed
    assert case.expect[1]["when"] == {"op": "recover", "policy": "salvage"}
    assert case.expect[0]["dropped"] == [
        {"file": "btm1.tlog", "off": "79", "len": "40", "reason": "bad-checksum"}
    ]
    assert case.expect[0]["state"]["unfinished"][0]["gtrid"] == first["gtrid"]


def test_a_group_is_reported_again_in_the_editions_where_its_requirements_hold(tmp_path: Path) -> None:
    group = GROUP.replace("stratum", 'also = ["3.0"]\nstratum', 1)
    other = LABELS.replace('"x"', '"y"').replace('"X"', '"Y"\nbreaks = ["BTM-WRT-008"]')
    (tmp_path / "try.toml").write_text(group + LABELS + other, encoding="utf-8")
    found = list(authored_cases(FORMAT, tmp_path))
    assert [(case.id, case.edition, case.title) for case in found] == [
        ("btm.try.x", "2.1", "X"),
        ("btm.try.x-in-3.0", "3.0", "3.0: X"),
        ("btm.try.y", "2.1", "Y"),
    ]


HEAD = '[[case]]\nname = "x"\ntitle = "X"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('base = "three"\nexpect = []', "no base 'three'"),
        ('base = "two"\ncolour = 1\nexpect = []', "unknown member colour"),
        ('base = "two"\nexpect = [{ when = "read", records = ["r3"] }]', "no record 'r3': known are r1, r2"),
        ('base = "two"\nedits = [{ at = "r9", hex = "00" }]\nexpect = []', "no place 'r9'"),
        ('base = "two"\nexpect = [{ when = "look" }]', "'look' is not a question"),
    ],
)
def test_a_mistake_names_file_and_case(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(AuthoringError, match=rf"try\.toml, case x: .*{complaint}"):
        cases(tmp_path, HEAD + text)


def test_a_base_has_one_name(tmp_path: Path) -> None:
    with pytest.raises(AuthoringError, match=r"try\.toml: base 'two' is described twice"):
        cases(tmp_path, '[[base]]\nname = "two"\nsize = 100\n')


def test_a_base_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    record = '{ type = "ACTIVE", gtrid = "01" }'
    text = f'[[base]]\nname = "small"\nsize = 30\nfile1 = {{ records = [{record}] }}\n'
    with pytest.raises(AuthoringError, match="the records take 59 bytes, the file has 30"):
        cases(tmp_path, text + HEAD + 'base = "small"\nexpect = []')
