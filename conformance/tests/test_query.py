"""``journalspec query`` answers SQL queries; hostile queries cause no harm."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import Row, tried, typed
from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli.query import tables_of
from journalspec_corpus.load import find_case, load_cases
from judged import PROGRAM, call, has
from tables import table

pytest.importorskip("duckdb", reason="DuckDB is missing: pip install 'journalspec[query]'")

CAPTURED = Path(__file__).parents[2] / "corpus" / "captured"
JBOSS = CAPTURED / "jboss_journal/hornetq-2.4.9/adds"
KAHADB = CAPTURED / "kahadb_journal/activemq-5.11.4/in-doubt"


def answer(sql: str, path: Path = JBOSS, *more: object) -> list[dict[str, str]]:
    done = call("query", path, sql, *more, status=0)
    return [*csv.DictReader(io.StringIO(done.stdout))]


def rows(path: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(call("inspect", path, "--csv").stdout))]


@pytest.mark.parametrize("path", [JBOSS, KAHADB, CAPTURED / "derby_log/derby-10.16.1.1/three"], ids=str)
def test_records_are_the_rows_of_inspect(path: Path) -> None:
    wanted = rows(path)
    assert {row["off"] for row in answer("SELECT off FROM records", path)} == {row["off"] for row in wanted}
    (count,) = answer("SELECT count(*) n, sum(off) o, count(DISTINCT type) t FROM records", path)
    assert count == {
        "n": str(len(wanted)),
        "o": str(sum(int(row["off"]) for row in wanted)),
        "t": str(len({row["type"] for row in wanted})),
    }


def test_table_can_be_read_several_times_and_without_column_names() -> None:
    """A star, COLUMNS, and a FROM without SELECT select all columns."""
    wanted = rows(JBOSS)
    (count,) = answer("SELECT count(*) n FROM records a JOIN records b USING (file, off)")
    assert count["n"] == str(len(wanted))
    assert answer("FROM records") == answer("SELECT COLUMNS(*) FROM records") == answer("TABLE records")
    assert [*answer("FROM records")[0]] == [*wanted[0]]


@pytest.mark.parametrize("format_id", format_ids())
def test_every_table_of_every_format_can_be_read(format_id: str, tmp_path: Path) -> None:
    filled = set()
    tables = tables_of(get_format(format_id))
    for case in load_cases(format_id)[::120]:
        if case.write is None and case.input.files and not case.params:
            case.materialize(tmp_path / case.id)
            # A table that had rows in an earlier case is not queried again.
            for table, columns in [each for each in tables.items() if each[0] not in filled]:
                done = call(
                    "query", tmp_path / case.id, f"FROM {table}", "--format", format_id,
                    "--edition", case.edition, "--ndjson",
                )  # fmt: skip
                if done.exit_code == 2:
                    assert "no journal" in done.output or "cannot be told" in done.output, done.output
                    break
                found = [json.loads(line)["row"] for line in done.stdout.splitlines()]
                assert all([*row] == [*columns] for row in found)
                filled |= {table} if found else set()
    assert {"records", "files", "lost"} <= filled


def test_one_query_can_read_all_tables_without_the_scanner_of_arrow() -> None:
    """With Arrow's scanner, which reads in Arrow's threads, one in four such queries never ended."""
    counts = ", ".join(
        f"(SELECT count(*) FROM {name}) AS {name}"  # noqa: S608  # the names are those of our tables
        for name in tables_of(get_format("jboss_journal"))
    )
    code = (
        "import sys\n"
        "from journalspec_conformance.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    print(end.code, 'pyarrow.dataset' in sys.modules)"
    )
    program = [sys.executable, "-c", code, "query", str(JBOSS), f"SELECT {counts}", "--ndjson"]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=120)
    row, end = done.stdout.splitlines()
    assert json.loads(row)["row"]["records"] == str(len(rows(JBOSS)))
    assert end == "0 False"


def test_progress_is_not_printed_between_the_rows() -> None:
    """In a program without a file, DuckDB prints the progress of a query that takes two seconds."""
    code = "import sys; from journalspec_conformance.cli import main; main(sys.argv[1:])"
    sql = "SELECT current_setting('enable_progress_bar') AS bar"
    program = [sys.executable, "-c", code, "query", str(JBOSS), sql, "--ndjson"]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout) == {"row": {"bar": False}}


def test_tables_of_missing_parts_and_transactions_are_read(tmp_path: Path) -> None:
    (first, *_) = answer("SELECT * FROM transactions", KAHADB)
    assert {"journal", "format_id", "gtrid", "bqual", "changes"} <= {*first}
    assert json.loads(first["changes"])
    find_case("smq.missing.stolen-page").materialize(tmp_path / "a")
    done = call("query", tmp_path / "a", "SELECT code FROM missing")
    gone = json.loads(call("inspect", tmp_path / "a", "--json").stdout).get("missing", [])
    assert done.stdout.splitlines()[1:] == [each["code"] for each in gone]


def test_verdict_other_than_clean_is_on_standard_error_and_in_the_exit_status(tmp_path: Path) -> None:
    for name, status, word in (
        ("jbm.clean.every-kind-v2", 0, ""),
        ("jbm.control.dropped-before-compaction", 1, "journalspec: recovered: "),
        ("jbm.header.all-refused-v2", 3, "journalspec: refused: "),
    ):
        case = find_case(name)
        case.materialize(tmp_path / name)
        asked = ("--format", case.format, "--edition", case.edition)
        done = call("query", tmp_path / name, "SELECT count(*) FROM records", *asked, status=status)
        assert done.stdout.startswith("count_star()\n")
        assert done.stderr.startswith(word) if word else not done.stderr


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.csv"
    file.write_text("word\nhidden-word\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("sql", table("hostile_queries")["sql"])
def test_hostile_query_reads_and_writes_no_other_files(sql: str, secret: Path, tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.1)
        sql = sql.replace("FILE", str(secret)).replace("OUT", str(tmp_path / "out"))
        done = call("query", JBOSS, sql.replace("PORT", str(server.getsockname()[1])))
        with pytest.raises(TimeoutError):
            server.accept()
    assert done.exit_code == 2, done.output
    assert "hidden-word" not in done.output
    assert "fault of journalspec" not in done.output
    assert os.listdir(tmp_path) == ["secret.csv"]  # noqa: PTH208


@pytest.mark.parametrize("setting", ["enable_external_access", "lock_configuration", "temp_directory"])
def test_the_configuration_is_locked(setting: str) -> None:
    (row,) = answer(f"SELECT current_setting('{setting}') v")
    assert row["v"] == {"enable_external_access": "false", "lock_configuration": "true"}.get(setting, "")


ENDLESS = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT {} FROM t"


@pytest.mark.parametrize(
    "sql",
    [
        ENDLESS.format("count(*)"),
        "SELECT count(*) FROM range(100000000000) a, range(9999) b",
    ],
)
def test_endless_query_ends_at_its_time_limit(sql: str) -> None:
    assert "it took longer than 0.5 s" in call("query", JBOSS, sql, "--timeout", "0.5", status=2).output


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT i FROM range(1000000000) t(i) ORDER BY hash(i)",
        "SELECT string_agg(repeat('x', 1000), '') FROM range(10000000)",
    ],
)
def test_query_that_needs_too_much_memory_is_refused(sql: str) -> None:
    program = [*PROGRAM, "query", str(JBOSS), sql, "--max-memory", "64"]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2, done
    assert "it needs over 64 MiB" in done.stderr or "not enough memory" in done.stderr


def test_very_large_result_is_streamed() -> None:
    program = [*PROGRAM, "query", str(JBOSS), "SELECT i, 'some text' FROM range(1500000) t(i)"]
    measured = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
        "print(done.stdout.count(b'\\n'), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measured, *program], capture_output=True, text=True, check=True
    )
    lines, peak = map(int, done.stdout.split())
    assert lines == 1_500_001
    assert peak < 264


def test_query_ends_when_its_output_is_closed() -> None:
    program = [*PROGRAM, "query", str(JBOSS), "SELECT i FROM range(100000000000) t(i)"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"i\n"
        running.stdout.close()
        assert running.wait(60) == 141


@typed(given="query")
def test_invalid_query_is_refused(row: Row, tmp_path: Path) -> None:
    tried(row, tmp_path)


def test_missing_duckdb_is_reported_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    from journalspec_conformance.cli import query

    find: Any = importlib.util.find_spec
    monkeypatch.setattr(query, "find_spec", lambda name: None if name == "duckdb" else find(name))
    done = call("query", JBOSS, "SELECT 1", status=2)
    has(done.output, "query needs DuckDB, which is not installed", "pip install 'journalspec[query]'")


def test_query_on_redacted_rows_sees_no_stored_data() -> None:
    names = {row["destination_name"] for row in rows(KAHADB)} - {""}
    assert names
    for name in names:
        sql = "SELECT count(*) n FROM records WHERE destination_name = 'X' OR destination_name LIKE '%X%'"
        sql = sql.replace("X", name)
        assert answer(sql, KAHADB)[0]["n"] != "0"
        assert answer(sql, KAHADB, "--redact")[0]["n"] == "0"
    done = call("query", KAHADB, "SELECT * FROM records, transactions, destinations", "--redact", status=0)
    assert not [name for name in names if name in done.output]
    (row,) = answer("SELECT max(length(body)) l, any_value(typeof(body)) t FROM records", JBOSS, "--redact")
    assert row["t"] == "VARCHAR"


def test_query_writes_equal_rows_in_each_form(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    sql = "SELECT off, off, type, off / 2 half FROM records ORDER BY off LIMIT 2"
    assert [*answer(sql)[0]] == ["off", "off_1", "type", "half"]
    found = [json.loads(line)["row"] for line in call("query", JBOSS, sql, "--ndjson").stdout.splitlines()]
    assert [*found[0]] == ["off", "off_1", "type", "half"]
    assert found[0]["off"] == answer(sql)[0]["off"]
    assert call("query", JBOSS, sql, "--parquet", tmp_path / "x.parquet").exit_code == 0
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 2
    assert call("query", JBOSS, sql, "--parquet", tmp_path / "x.parquet").exit_code == 2


def test_terminal_shows_a_table_of_forty_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    from journalspec_conformance.cli import query

    class Terminal:
        @staticmethod
        def isatty() -> bool:
            return True

    monkeypatch.setattr(query, "sys", type("Sys", (), {"stdout": Terminal, "modules": sys.modules}))
    lines = call("query", JBOSS, "SELECT i AS number FROM range(100) t(i)").stdout.splitlines()
    assert [line.strip() for line in lines[1:42]] == ["number", *map(str, range(40))]
    assert lines[-1].startswith("next      60 more: ")


@pytest.mark.parametrize("format_id", format_ids())
def test_columns_have_a_type_and_a_meaning(format_id: str) -> None:
    done = call("columns", "--format", format_id)
    told = [line.split(None, 3) for line in done.stdout.splitlines()[2:]]
    tables = tables_of(get_format(format_id))
    wanted = [(table, name) for table, columns in tables.items() for name in columns]
    assert [(table, name) for table, name, *_ in told] == wanted
    assert all(
        len(parts) == 4
        and parts[2] in ("integer", "text", "bytes", "boolean", "list", "time", "object", "number")
        for parts in told
    )


def test_columns_of_a_path_are_those_of_its_format() -> None:
    assert call("columns", JBOSS).stdout == call("columns", "--format", "jboss_journal").stdout
