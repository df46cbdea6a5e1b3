"""Groups of cases written by hand: from TOML to cases, and the messages about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from authored import AuthoringError, authored_cases

from journalspec_corpus import Case

FORMAT = "bitronix_tlog"
DATA = Path(__file__).parent / "data"
GROUP = (DATA / "authored_group.toml").read_text(encoding="utf-8")


def cases(tmp_path: Path, text: str) -> list[Case]:
    (tmp_path / "try.toml").write_text(GROUP + text, encoding="utf-8")
    return list(authored_cases(FORMAT, tmp_path))


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
def test_mistake_is_reported_with_file_and_case(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(AuthoringError, match=rf"try\.toml, case x: .*{complaint}"):
        cases(tmp_path, HEAD + text)


def test_two_bases_with_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AuthoringError, match=r"try\.toml: base 'two' is described twice"):
        cases(tmp_path, '[[base]]\nname = "two"\nsize = 100\n')


def test_invalid_base_is_refused(tmp_path: Path) -> None:
    record = '{ type = "ACTIVE", gtrid = "01" }'
    text = f'[[base]]\nname = "small"\nsize = 30\nfile1 = {{ records = [{record}] }}\n'
    with pytest.raises(AuthoringError, match="the records take 59 bytes, the file has 30"):
        cases(tmp_path, text + HEAD + 'base = "small"\nexpect = []')
