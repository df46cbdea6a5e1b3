"""Queries on rows of journals: the same answers with and without Arrow, and in every form."""

from __future__ import annotations

import csv
import io
import json
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli import rows
from journalspec_conformance.cli.selection import Question, columns_of, record_columns
from journalspec_corpus.load import find_case, load_cases
from journalspec_reference.predicates import COMPARED, Predicate
from judged import call

ENGINES = pytest.mark.parametrize("arrow", [True, False], ids=["columns", "records"])
CAPTURED = Path(__file__).parents[2] / "corpus" / "captured"
#: A journal of each format: records of several types, with all kinds of columns.
JOURNALS = {
    "bitronix_tlog": CAPTURED / "bitronix_tlog/bitronix-2.1.4/partial-commit",
    "derby_log": CAPTURED / "derby_log/derby-10.16.1.1/three",
    "jboss_journal": CAPTURED / "jboss_journal/hornetq-2.4.9/adds",
    "kahadb_journal": CAPTURED / "kahadb_journal/activemq-5.11.4/in-doubt",
    "swiftmq_store": Path(tempfile.mkdtemp()) / "store",
}


@pytest.fixture(scope="module", autouse=True)
def store() -> None:
    """The store of SwiftMQ is built on first use: each worker imports this module to collect tests."""
    find_case("smq.told.sound").materialize(JOURNALS["swiftmq_store"])


@pytest.fixture
def engine(arrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if arrow:
        pytest.importorskip("pyarrow", reason="PyArrow is missing: pip install 'journalspec[corpus]'")
    monkeypatch.setattr(rows, "has_arrow", lambda: arrow)


def ask(*arguments: object) -> Result:
    done = call("inspect", *arguments)
    assert done.exit_code in (0, 1), done.output
    return done


def lines(*arguments: object) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(ask(*arguments, "--csv").stdout))]


def records(*arguments: object) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in ask(*arguments, "--ndjson").stdout.splitlines()]
    return [each["record"] for each in found if "record" in each]


@ENGINES
@pytest.mark.parametrize("format_id", format_ids())
@pytest.mark.usefixtures("engine")
def test_rows_are_the_records_that_are_read(format_id: str) -> None:
    path = JOURNALS[format_id]
    wanted = records(path)
    assert wanted
    told = [(each["file"], each["off"], each["len"], each["type"]) for each in lines(path)]
    assert told == [
        (each["at"]["file"], each["at"]["off"], each["at"]["len"], each["type"]) for each in wanted
    ]
    assert records(path, "--from", 0) == wanted


@ENGINES
@pytest.mark.parametrize("format_id", format_ids())
@pytest.mark.usefixtures("engine")
def test_condition_selects_the_records_that_satisfy_it(format_id: str) -> None:
    """Conditions on up to three values of every column select the rows that have the value; the count is
    their number.
    """
    path, asked = JOURNALS[format_id], 0
    every = lines(path)
    for name, column in columns_of(get_format(format_id)).items():
        values = Counter(row[name] for row in every if row[name])
        for value, count in [*values.items()][:3]:
            literal = value if column.kind in ("int", "bool") else f"'{value}'"
            found = lines(path, "--where", f"{name} = {literal}")
            assert found == [row for row in every if row[name] == value], name
            assert f" {count:,} record" in ask(path, "--where", f"{name} in ({literal})").stdout
            asked += 1
    assert asked > 5


@pytest.mark.parametrize("format_id", format_ids())
def test_rows_are_equal_with_and_without_arrow(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="PyArrow is missing: pip install 'journalspec[corpus]'")
    compared = 0
    for case in load_cases(format_id)[::60]:
        if case.write is not None or not case.input.files:
            continue
        directory = tmp_path / case.id
        case.materialize(directory)
        params = [word for name, value in case.params.items() for word in ("--param", f"{name}={value}")]
        asked = ("inspect", directory, "--format", format_id, "--edition", case.edition, *params)
        found = []
        for arrow in (True, False):
            monkeypatch.setattr(rows, "has_arrow", lambda arrow=arrow: arrow)
            found.append([call(*asked, *form).stdout for form in (["--csv"], ["--count-by", "type,len"])])
        assert found[0] == found[1], case.id
        compared += len(found[0][0].splitlines()) - 1
    assert compared > 10


@ENGINES
def test_operator_selects_the_same_rows_with_and_without_arrow(arrow: bool) -> None:
    numbers: list[Any] = [1, 2, 3, None]
    for (op, number), wanted in {
        ("=", 2): [1],
        ("<>", 2): [0, 2],
        ("<", 2): [0],
        ("<=", 2): [0, 1],
        (">", 2): [2],
        (">=", 2): [1, 2],
        ("in", (1, 3, 99)): [0, 2],
        (">", -(1 << 63) + 1): [0, 1, 2],
    }.items():
        assert holding(Predicate("c", op, number), numbers, "int64", arrow) == wanted, op
    values: list[Any] = ["a%b", "axb", "a\nb", None, ""]
    for pattern, wanted in {
        "a%b": [0, 1, 2],
        "a_b": [0, 1, 2],
        r"a\%b": [0],
        "%": [0, 1, 2, 4],
        "": [4],
    }.items():
        assert holding(Predicate("c", "like", pattern), values, "string", arrow) == wanted, pattern
    assert holding(Predicate("c", "<>", "axb"), values, "string", arrow) == [0, 2, 4]
    assert holding(Predicate("c", "is not null"), values, "string", arrow) == [0, 1, 2, 4]
    assert holding(Predicate("c", "like", "00%"), [b"\x00\x01", b"\x01", None], "binary", arrow) == [0]
    for op in COMPARED:
        assert holding(Predicate("c", op, b"\x01"), [None], "binary", arrow) == []
    assert holding(Predicate("c", "=", "x,y"), [["x", "y"], ["x"], None], "list", arrow) == [0]
    assert holding(Predicate("c", "<", 1 << 40), [1, None], "int8", arrow) == [0]
    assert holding(Predicate("c", "in", (True,)), [True, False, None], "bool", arrow) == [0]


def holding(predicate: Predicate, values: list[Any], kind: str, arrow: bool) -> list[int]:
    if not arrow:
        return [at for at, value in enumerate(values) if predicate.holds(value)]
    pa = pytest.importorskip("pyarrow", reason="PyArrow is missing: pip install 'journalspec[corpus]'")
    typed = pa.list_(pa.string()) if kind == "list" else pa.type_for_alias(kind)
    return [at for at, value in enumerate(predicate.mask(pa.array(values, typed)).to_pylist()) if value]


def test_options_become_conditions_on_columns_of_the_format() -> None:
    asked = Question(ids=["7"], tx=["9"], types=["add"], start="0x10", stop="99")
    found = asked.predicates(record_columns(get_format("jboss_journal")))
    assert [(each.column, each.op, each.value) for each in found] == [
        ("type", "in", ("ADD",)),
        ("id", "in", (7,)),
        ("tx", "in", (9,)),
        ("off", ">=", 16),
        ("off", "<", 99),
    ]
    kahadb = record_columns(get_format("kahadb_journal"))
    (by_name,) = Question(queue=["orders"]).predicates(kahadb)
    assert (by_name.column, by_name.value) == ("destination_name", ("orders",))
    assert [Question(tx=[text]).predicates(kahadb)[0].column for text in ("7", "0aff")] == [
        "transaction_number",
        "transaction_gtrid",
    ]
    assert Question(table=["3"]).predicates(record_columns(get_format("derby_log")))[0].column == "container"
    (since,) = Question(start="2026-11-28T04:38:00+01:00").predicates(
        record_columns(get_format("bitronix_tlog"))
    )
    assert (since.column, since.value) == ("time", 1795837080000)


@ENGINES
@pytest.mark.usefixtures("engine")
def test_table_shows_the_number_of_matches_and_a_next_step() -> None:
    path = JOURNALS["jboss_journal"]
    total = len(lines(path))
    head, verdict, blank, *rest = ask(path, "--from", 0, "--limit", 2).stdout.splitlines()
    assert head.startswith("store     JBoss Messaging circular journal (jboss_journal, edition ")
    assert verdict.split() == ["verdict", "clean", str(total), "records", "match"]
    assert not blank
    assert rest[-1] == f"next      {total - 2} more: --limit {total}, or all: --csv, --ndjson"
    # A line of names, unless the names are too wide.
    assert sum(line[:1] not in ("", " ") for line in rest[:-1]) in (2, 3)
    assert " 0 records match" in ask(path, "--id", 987654321).stdout


@ENGINES
@pytest.mark.usefixtures("engine")
def test_limit_applies_to_rows_but_not_to_counts() -> None:
    path = JOURNALS["derby_log"]
    every = lines(path)
    assert len(every) > 30
    for limit in (0, 1, 30):
        done = ask(path, "--csv", "--limit", limit)
        assert [*csv.DictReader(io.StringIO(done.stdout))] == every[:limit]
        assert f" {len(every)} records" in done.stderr
        found = [json.loads(line) for line in ask(path, "--ndjson", "--limit", limit).stdout.splitlines()]
        assert [*found[0]] == ["journal"]
        assert len(found) == limit + 2
        assert found[-1]["answer"]["matched"] == str(len(every))
        assert found[-1]["answer"]["verdict"] == "clean"


@ENGINES
@pytest.mark.usefixtures("engine")
def test_group_counts_equal_those_of_the_rows(tmp_path: Path) -> None:
    path = JOURNALS["derby_log"]
    every = lines(path)
    ordered = sorted(Counter(row["type"] for row in every).items(), key=lambda item: (-item[1], item[0]))
    done = ask(path, "--count-by", "type")
    told = [line.split() for line in done.stdout.splitlines()[3:]]
    assert told[0] == ["type", "records"]
    assert told[1:21] == [[name, f"{count:,}"] for name, count in ordered[:20]]
    both = [*csv.reader(io.StringIO(ask(path, "--count-by", "type, transaction", "--csv").stdout))]
    assert both[0] == ["type", "transaction", "records"]
    pairs = Counter((row["type"], row["transaction"]) for row in every)
    assert {(kind, tx): int(count) for kind, tx, count in both[1:]} == dict(pairs)
    found = [json.loads(line) for line in ask(path, "--count-by", "type", "--ndjson").stdout.splitlines()]
    assert [each["row"] for each in found] == [
        {"type": name, "records": str(count)} for name, count in ordered
    ]


def test_parquet_is_a_new_file_with_typed_columns(tmp_path: Path) -> None:
    pq = pytest.importorskip(
        "pyarrow.parquet", reason="PyArrow is missing: pip install 'journalspec[corpus]'"
    )
    for format_id, path in JOURNALS.items():
        file = tmp_path / f"{format_id}.parquet"
        ask(path, "--parquet", file)
        table = pq.read_table(file)
        assert table.column_names == [*columns_of(get_format(format_id))]
        told = [{name: text(value) for name, value in row.items()} for row in table.to_pylist()]
        assert told == lines(path)
        assert "already exists" in call("inspect", path, "--parquet", file, status=2).output


def text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return value.hex() if isinstance(value, bytes) else "" if value is None else str(value)


def test_missing_arrow_is_reported_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from journalspec_conformance.cli import row_output

    monkeypatch.setattr(row_output, "has_arrow", lambda: False)
    done = call("inspect", JOURNALS["jboss_journal"], "--parquet", tmp_path / "x.parquet", status=2)
    assert "--parquet needs Arrow, which is not installed" in done.output


def test_filter_does_not_hide_damage(tmp_path: Path) -> None:
    """For a damaged journal, verdict and exit status are the same with and without a filter."""
    statuses = set()
    for case in load_cases("jboss_journal")[::90]:
        if case.write is None and case.input.files and not case.params:
            case.materialize(tmp_path / case.id)
            asked = ("inspect", tmp_path / case.id, "--format", case.format, "--edition", case.edition)
            whole, filtered = call(*asked, "--level", "verdict"), call(*asked, "--id", 4711)
            assert whole.exit_code == filtered.exit_code, case.id
            statuses.add(whole.exit_code)
    assert {0, 1} <= statuses


def test_members_of_an_archive_have_their_path_as_name(tmp_path: Path) -> None:
    packed = tmp_path / "kahadb.tar.gz"
    with tarfile.open(packed, "w:gz") as out:
        out.add(JOURNALS["kahadb_journal"], ".")
    assert str(packed) in ask(packed, "--count-by", "type").stdout
    assert {row["journal"] for row in lines(packed)} == {str(packed)}


def test_columns_are_those_of_the_arrow_table() -> None:
    pytest.importorskip("pyarrow", reason="PyArrow is missing: pip install 'journalspec[corpus]'")
    from journalspec_reference.arrow import columns_of as typed

    for format_id in format_ids():
        own = {*columns_of(get_format(format_id))} - {"journal", "file", "off", "len"}
        assert own <= {*typed(format_id)}
        for names in get_format(format_id).columns.values():
            assert names
