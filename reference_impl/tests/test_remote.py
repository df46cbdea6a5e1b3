"""Journals in an object store have the same answers as in a directory, with and without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.load import find_case
from journalspec_reference.answers import ask
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.filesets import load as load_files

fs = pytest.importorskip("pyarrow.fs", reason="PyArrow is missing: pip install 'journalspec[corpus]'")

from journalspec_reference.remote import is_remote, load_below  # noqa: E402  # needs PyArrow

CASES = ("btm.clean.two-phase", "smq.log.update")


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Return the URI of a local object store; ``{}`` is the place for the path of the journal."""
    server = pytest.importorskip("moto.server", reason="moto is missing: pip install 'journalspec[test]'")
    running = server.ThreadedMotoServer(port=0)
    running.start()
    host, port = running.get_host_and_port()
    options = f"endpoint_override=http%3A%2F%2F{host}%3A{port}&region=us-east-1&allow_bucket_creation=true"
    uri = f"s3://key:secret@journals/{{}}?scheme=http&{options}"
    where, root = fs.FileSystem.from_uri(uri.format(""))
    where.create_dir(root)
    for name in CASES:
        for path, content in find_case(name).files().items():
            with where.open_output_stream(f"journals/{name}/{path}") as stream:
                stream.write(content)
    yield uri
    running.stop()


def answers(loaded: Any) -> list[Any]:
    return [ask(journal).observation.to_json() for journal in find_journals(loaded)]


def test_answers_equal_those_of_a_directory(bucket: str, tmp_path: Path) -> None:
    found = dict(load_below(bucket.format("")))
    for name in CASES:
        find_case(name).materialize(tmp_path / name)
        assert answers(found[bucket.format(name)]) == answers(load_files(tmp_path / name))
    (journal,) = find_journals(found[bucket.format(CASES[0])])
    assert journal.root is None
    assert not any(content.changed() for content in journal.files.values())
    assert sum(content.unreadable != [] for content in journal.files.values()) == 0


def test_spark_reads_a_uri(bucket: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is missing: pip install 'journalspec[spark]'")
    from journalspec_reference.spark import JournalReader

    def rows(path: str) -> list[tuple[Any, ...]]:
        reader = JournalReader({"path": path})
        read = (
            row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()
        )
        return sorted((row["file"], row["off"], row["len"], row["kind"], row["type"]) for row in read)

    for name in CASES:
        find_case(name).materialize(tmp_path / name)
    assert rows(bucket.format("")) == rows(str(tmp_path))
    # The scheme in Hadoop's URIs.
    assert rows(bucket.format("").replace("s3://", "s3a://")) == rows(str(tmp_path))


def test_missing_path_in_a_store_is_reported(bucket: str) -> None:
    with pytest.raises(FilesetError, match="cannot list"):
        list(
            load_below(
                bucket.format("").replace("/journals/", "/elsewhere/").replace("@journals", "@elsewhere")
            )
        )
    with pytest.raises(FilesetError, match="cannot list 'nofs://there'"):
        list(load_below("nofs://there"))


@pytest.mark.parametrize(
    ("path", "told"),
    [("s3://b/k", True), ("hdfs://n/p", True), ("file:///p", False), ("/p", False), ("a/b", False)],
)
def test_paths_with_a_scheme_other_than_file_are_remote(path: str, told: bool) -> None:
    assert is_remote(path) == told
