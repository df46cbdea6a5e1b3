"""``--redact``: no output shows data of users, and counts do not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids, get_format
from journalspec.observation import Note, Observation
from journalspec.vocabulary import Field
from journalspec_conformance.cli.places import Asked
from journalspec_conformance.cli.redaction import Redactor
from journalspec_conformance.cli.selection import columns_of
from journalspec_corpus.load import load_cases
from journalspec_reference.filesets import find_journals
from journalspec_reference.filesets import load as load_files
from judged import call

#: The redacted form of contents: type and length, and a mark for names.
SHOWN = re.compile(r"(text|bytes)\([0-9]+\)(#[0-9a-f]{6})?")
#: The smallest length of contents that are searched in outputs; shorter ones may occur by chance.
TELLING = 5
#: Every form of rows and answers except JSON, which has its own test.
FORMS = (
    ["inspect"],
    ["inspect", "--ndjson"],
    ["inspect", "--csv"],
    ["inspect", "--limit", "1000"],
    ["inspect", "--count-by", "NAMES"],
    ["recover"],
    ["recover", "--ndjson"],
)


def contents(fields: tuple[Field, ...], members: Any) -> Iterator[tuple[str, str]]:
    """Yield (value, kind) of the users' data in a JSON object, by the field table."""
    known = {each.name: each for each in fields}
    for name, value in members.items():
        field = known.get(name)
        if field is None or field.choices:
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from contents(field.of, each)
            elif isinstance(each, str) and (field.kind in ("str", "bytes") or field.element):
                yield each, field.kind


def cases(format_id: str, tmp_path: Path) -> Iterator[tuple[Any, tuple[object, ...]]]:
    for case in load_cases(format_id)[::40]:
        if case.write is None and case.input.files:
            case.materialize(tmp_path / case.id)
            params = [word for name, value in case.params.items() for word in ("--param", f"{name}={value}")]
            yield case, (tmp_path / case.id, "--format", format_id, "--edition", case.edition, *params)


@pytest.mark.parametrize("format_id", format_ids())
def test_stored_data_is_not_shown_and_counts_stay_the_same(format_id: str, tmp_path: Path) -> None:
    """Redacted answers have the same members, the same numbers, and lists of the same length."""
    words, looked, compared = get_format(format_id).vocabulary, 0, 0
    texts = ",".join(
        name for name, each in columns_of(get_format(format_id)).items() if each.kind in ("str", "bytes")
    )
    for _, where in cases(format_id, tmp_path):
        plain = call("recover", *where, "--json")
        read = call("inspect", *where, "--json")
        if 2 in (plain.exit_code, read.exit_code):
            continue
        stored = set()
        told: list[tuple[str, Any]] = []
        for command, whole in (("recover", plain), ("inspect", read)):
            seen = json.loads(whole.stdout)
            hidden = call(command, *where, "--json", "--redact", status=whole.exit_code)
            compared += alike(seen, json.loads(hidden.stdout))
            told.append((f"{command} --json", hidden))
            for record in (*seen.get("records", ()), *seen.get("unanchored", ())):
                stored |= {*contents(words.fields, record)}
            stored |= {*contents(words.state, seen.get("state") or {})}
        secret = {text for text, _ in stored if len(text) >= TELLING and not text.isdecimal()}
        names = {each.name for each in Path(str(where[0])).rglob("*")}
        for command, *options in FORMS:
            form = [each.replace("NAMES", texts) for each in options]
            told.append((f"{command} {form}", call(command, *where, *form, "--redact")))
        for form_of, done in told:
            assert done.exit_code in (0, 1, 3), done.output
            # Paths and names of files are not contents, so they stay.
            output = done.output.replace(str(tmp_path), "")
            shown = [text for text in secret if text in output and text not in " ".join(names)]
            assert not shown, (form_of, shown[:3])
            looked += len(secret)
    assert looked > 20
    assert compared > 20


def alike(plain: Any, hidden: Any) -> int:
    """Return the number of texts that were replaced; everything else is the same."""
    if isinstance(plain, dict):
        assert plain.keys() == hidden.keys()
        return sum(alike(plain[key], hidden[key]) for key in plain)
    if isinstance(plain, list):
        assert len(plain) == len(hidden)
        return sum(map(alike, plain, hidden))
    if plain == hidden:
        return 0
    assert SHOWN.fullmatch(hidden), (plain, hidden)
    length = int(re.findall(r"\d+", hidden)[0])
    assert length in (len(plain), len(plain) // 2)  # Bytes are hexadecimal in JSON.
    return 1


def redactor(path: Path) -> Redactor:
    return Redactor(find_journals(load_files(path))[0])


CAPTURED = Path(__file__).parents[2] / "corpus" / "captured"
KAHADB = CAPTURED / "kahadb_journal/activemq-5.11.4/in-doubt"


def test_equal_names_of_a_store_have_equal_marks_and_bodies_have_none() -> None:
    here, there = redactor(KAHADB), redactor(CAPTURED / "kahadb_journal/activemq-5.11.4/empty")
    assert here.text("orders") == redactor(KAHADB).text("orders")
    assert here.text("orders") != here.text("ordres")
    assert here.text("orders") != there.text("orders")
    assert re.fullmatch(r"text\(6\)#[0-9a-f]{6}", here.text("orders"))
    assert here.text(b"\x00" * 558, "message") == "bytes(558)"
    assert here.text("") == "text(0)"
    assert [here.text(each) for each in (7, True, None)] == [7, True, None]
    assert here.text(["a", "b"]) == [here.text("a"), here.text("b")]


def test_counts_by_a_redacted_name_are_unchanged() -> None:
    plain = call("inspect", KAHADB, "--count-by", "destination_name", "--csv").stdout.splitlines()
    done = call("inspect", KAHADB, "--count-by", "destination_name", "--csv", "--redact")
    hidden = done.stdout.splitlines()
    assert len(plain) > 1
    numbers = sorted(line.rpartition(",")[2] for line in plain)
    assert numbers == sorted(line.rpartition(",")[2] for line in hidden)
    assert all(SHOWN.fullmatch(line.rpartition(",")[0]) for line in hidden[1:] if not line.startswith(","))


def test_condition_is_applied_to_the_stored_value() -> None:
    plain = call("inspect", KAHADB, "--where", "destination_name like '%'", "--csv").stdout.splitlines()
    hidden = call("inspect", KAHADB, "--where", "destination_name like '%'", "--csv", "--redact")
    assert len(plain) == len(hidden.stdout.splitlines()) > 1


def test_free_text_in_an_answer_is_replaced_but_texts_of_tools_are_not() -> None:
    hidden = redactor(KAHADB).observation(
        Observation(
            "refused",
            code="x",
            message="queue orders",
            notes=(Note("duplicate-message", text="ID:host-1"), Note("in-use", text="process 7")),
        )
    )
    assert hidden.message.startswith("text(12)")
    assert [note.text[:8] for note in hidden.notes] == ["text(9)#", "process "]


def test_advised_command_is_redacted_too(tmp_path: Path) -> None:
    given = Asked((tmp_path,), None, None, (), redact=True)
    assert given.again("recover", "--policy", "salvage").endswith("--redact --policy salvage")
    assert "--redact" not in given.again("inspect", "--hex")
