"""Dumps label the fields of bodies, which are the contents within records."""

from __future__ import annotations

import tomllib
from pathlib import Path

from artemis_store import add, made, message, simple, typed, update
from journalspec_corpus.kahadb_journal import author
from journalspec_corpus.load import find_case
from journalspec_reference import api
from journalspec_reference.filesets import find_journals, load
from unpacked import unpacked

DATA = Path(__file__).parent / "data"


def named(directory: Path) -> list[str]:
    """Return the fields in a dump of a store's files: names within their record, and values."""
    (journal,) = find_journals(load(directory))
    spans = api.load(journal.format).spans(journal.files, edition=journal.edition, params=journal.params)
    return [f"{span.path.partition('].')[2]}={span.value}" for span in spans if span.kind == "field"]


def test_fields_of_a_message_in_a_record_are_labelled(tmp_path: Path) -> None:
    body = message(77, 3, None, typed({"colour": b"\x0a" + simple("red")}))
    labels = named(made(tmp_path, [add(77, body), update(77, 32, 7), add(78, b"\x09" + bytes(30))], {7: "a"}))
    assert {"body.persister=1", "body.headers.kind=3", "body.key.value=colour", "body.queue=7"} <= {*labels}
    # A body that is not a message has no fields.
    assert labels.count("body.persister=1") == 1
    assert sum(label.startswith("body=") for label in labels) == 3


def test_fields_of_objects_in_a_frame_are_labelled(tmp_path: Path) -> None:
    made_by = tomllib.loads((DATA / "openwire.toml").read_text(encoding="utf-8"))["object"]
    stored = next(each["hex"] for each in made_by if (each["name"], each["version"]) == ("text", 11))
    for name, data in author.build(
        {"batches": [[f"r1 q=A body={stored}", "r2 q=A body=00"]]}, "5.16"
    ).files.items():
        (tmp_path / name).write_bytes(data)
    labels = named(tmp_path)
    assert {"message.object.kind=28", "message.body.persistent=true"} <= {*labels}
    assert labels.count("message=") == 1


def test_object_that_fits_no_version_has_no_fields() -> None:
    case = find_case("khd.contents.one-byte-less-and-one-more")
    spans = api.load(case.format).spans(case.files(), edition=case.edition)
    named = [span.path for span in spans if span.path.endswith(".message.object.kind")]
    # No version has messages of the first two lengths.
    assert named == ["record[2].message.object.kind"]


def test_fields_of_swapped_messages_are_labelled(tmp_path: Path) -> None:
    labels = named(unpacked(DATA / "swiftmq_contents.tar.xz", tmp_path))
    assert {"message.message_id.there=1", "slice.message_id.there=1"} <= {*labels}
