"""Contents of queues and tables: on the screen of a store, as rows, in queries, as JSON, and redacted."""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec.files import shown
from journalspec_conformance.cli.contents import Holdings, Moment, lines_of, nested, stored
from journalspec_conformance.cli.places import Asked, find
from journalspec_reference.answers import ask
from judged import call

ROOT = Path(__file__).parents[2]
STORES = {
    "derby": ROOT / "reference_impl/tests/data/derby_contents.tar.gz",
    "swiftmq": ROOT / "reference_impl/tests/data/swiftmq_contents.tar.xz",
}
KAHADB = ROOT / "corpus/captured/kahadb_journal/activemq-5.11.4/in-doubt"
csv.field_size_limit(1 << 24)
#: Shorter texts could be parts of words that occur in every output.
LONG = 4


@pytest.fixture(scope="module", params=[*STORES, "kahadb"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "kahadb":
        return KAHADB
    place = tmp_path_factory.mktemp(request.param)
    with tarfile.open(STORES[request.param]) as archive:
        archive.extractall(place, filter="data")
    return place


def held(path: Path) -> Holdings:
    """Return the contents of the store at a path."""
    ((place, *_), _) = find(Asked((path,), None, None, ()))
    found = stored(ask(place.journals[0]))
    assert found is not None
    return found


def filled(path: Path) -> list[str]:
    """Return the tables that have rows, without the system tables of a product."""
    found = held(path)
    return [
        name for name in found.names if not name.startswith("SYS") and any(True for _ in found.rows(name))
    ]


def lines(done: Any) -> list[dict[str, Any]]:
    assert done.exit_code in (0, 1), done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(path: Path, *asked: str) -> list[dict[str, Any]]:
    """Return the rows that `inspect` prints as lines of JSON."""
    return [line["row"] for line in lines(call("inspect", path, *asked, "--ndjson")) if "row" in line]


def test_screen_shows_the_number_of_rows_of_each_queue_or_table(store: Path) -> None:
    every = held(store).contents.counts()
    counts = [count for count in every if count.rows and count.table != "transactions"]
    assert counts
    screen = call("inspect", store, columns=100).stdout
    for count in counts[:5]:
        assert re.search(rf"{re.escape(count.name)} +{count.rows:,}\b", screen), screen
    total = sum(count.rows for count in counts)
    assert re.search(rf"\b{total:,} (messages?|rows?) in ", screen), screen


def test_rows_are_the_same_in_every_form(store: Path, tmp_path: Path) -> None:
    for table in filled(store):
        found = held(store)
        wanted = [{name: _json(value) for name, value in row.items()} for row in found.rows(table)]
        told = rows(store, "--contents", table)
        assert [{name: row[name] for name in row if name != "journal"} for row in told] == wanted
        done = call("inspect", store, "--contents", table, "--csv")
        plain = [*csv.DictReader(io.StringIO(done.stdout))]
        assert len(plain) == len(wanted)
        for row, one in zip(plain, wanted, strict=True):
            # Nested values are JSON, in which letters may or may not be escaped, so the parsed value is
            # compared.
            cells = {
                name: json.loads(row[name]) if isinstance(one[name], dict | list) else row[name]
                for name in one
            }
            assert {name: _cell(value) for name, value in one.items()} == cells


def _json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return value if value is None or isinstance(value, bool | str) else str(value)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return shown(value or "")
    return value if isinstance(value, dict | list) else json.dumps(value)


def test_conditions_limits_and_counts_work_as_for_records(store: Path) -> None:
    table = filled(store)[-1]
    (column, *_) = held(store).stored_columns(table)
    every = rows(store, "--contents", table)
    few = lines(call("inspect", store, "--contents", table, "--ndjson", "--limit", "1"))
    assert [line["row"] for line in few if "row" in line] == every[:1]
    assert few[-1]["answer"]["matched"] == str(len(every))
    done = call("inspect", store, "--contents", table, "--count-by", column, "--csv")
    counted = [*csv.reader(io.StringIO(done.stdout))]
    assert sum(int(count) for _, count in counted[1:]) == len(every)
    value = every[0][column]
    literal = value if held(store).stored_columns(table)[column].kind == "int" else f"'{value}'"
    matched = rows(store, "--contents", table, "--where", f"{column} = {literal}")
    assert matched == [row for row in every if row[column] == value]


def test_queue_or_table_is_selected_by_its_name() -> None:
    assert [row["queue"] for row in rows(KAHADB, "--queue", "TEST")] == ["TEST"]
    records = lines(call("inspect", KAHADB, "--queue", "TEST", "--contents", "records", "--ndjson"))
    assert [line["record"]["type"] for line in records if "record" in line] == ["ADD_MESSAGE"] * 3
    assert "1 message" in call("inspect", KAHADB, "--queue", "TEST").stdout


def test_query_can_read_the_tables_of_contents(store: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is missing: pip install 'journalspec[query]'")
    for table in filled(store):
        done = call("query", store, f'FROM "{table}" SELECT count(*) AS n', "--ndjson")
        assert [line["row"]["n"] for line in lines(done)] == [str(sum(1 for _ in held(store).rows(table)))]
    listed = call("columns", store, columns=200).stdout
    assert all(f"\n{name} " in listed for name in held(store).names)


def test_level_contents_has_the_rows_of_all_tables(store: Path) -> None:
    done = call("recover", store, "--level", "contents", "--json", "--policy", _policy(store))
    contents = json.loads(done.stdout)["contents"]
    assert [*contents] == held(store).names
    own = {name for name, found in contents.items() if found and not name.startswith("SYS")}
    assert own == {*filled(store)}
    assert "contents" not in json.loads(call("inspect", store, "--json").stdout)


def _policy(store: Path) -> str:
    return "salvage" if store == KAHADB else "default"


def _stored(value: Any) -> Iterator[bytes | str]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _stored(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _stored(each)
    elif isinstance(value, str | bytes):
        yield value


def test_answer_without_contents_has_no_data_of_users(store: Path) -> None:
    found = held(store)
    hidden: set[str] = set()
    for table in filled(store):
        plain = {each.name for each in found.contents.tables[table].columns if each.plain}
        for row in found.rows(table):
            for name, value in row.items():
                if name not in plain:
                    texts = {each if isinstance(each, str) else each.hex() for each in _stored(value)}
                    hidden |= {text for text in texts if len(text) >= LONG}
        if table not in found.known:
            columns = found.contents.tables[table].columns
            hidden |= {table, *(each.name for each in columns if len(each.name) > LONG)}
    words, names = _words(store), " ".join(str(path) for path in store.rglob("*"))
    hidden = {text for text in hidden if text not in words and text not in names}
    assert hidden
    tables = [name for name in filled(store) if name in found.known]
    questions = [("recover",), ("recover", "--level", "contents", "--json")]
    questions += [("inspect", "--contents", tables[0], *form) for form in ((), ("--csv",))]
    questions += [("inspect", "--contents", name, "--ndjson") for name in filled(store)] if tables else []
    for command, *options in questions:
        more = ("--policy", _policy(store)) if command == "recover" else ()
        done = call(command, store, *options, *more, "--redact", columns=100)
        assert done.exit_code in (0, 1), done.output
        seen = done.stdout.replace(str(store), "")
        assert not {text for text in hidden if text in seen} - {*options}, options


def _words(store: Path) -> set[str]:
    """Return the words of the specification, which may occur in any answer."""
    room = ROOT / "specs/journalspec" / held(store).format_id
    texts = [path.read_text(encoding="utf-8") for path in room.rglob("*.toml")]
    return {word for text in texts for word in re.findall(r"[A-Za-z]+", text)}


def test_line_of_json_equals_the_values_converted_one_by_one() -> None:
    # Special values: a time outside the calendar, nested values, and member names that the output form uses.
    values: list[Any] = [
        None,
        True,
        0,
        -(1 << 70),
        1.5,
        float("nan"),
        'a"\\\n\u20ac\ud800',
        b"\0\xff",
        Moment(5),
    ]
    values += [Moment(1 << 62), {"x": [1, b"2", {"t": Moment(3), 7: False}]}, {}, [], (1, None)]
    found: list[dict[str, Any]] = [{f'%s{number}"%': each for number, each in enumerate(values)}]
    found += [{"a": 1}, {"a": "%s"}, {}, {"b": 1}]
    wanted = [json.dumps(nested(row), separators=(",", ":")) for row in found]
    assert [*lines_of(found)] == wanted
