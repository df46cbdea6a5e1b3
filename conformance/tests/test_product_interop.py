"""HornetQ completes a compaction that the reference's writer began before it was killed.

The expected content comes from the format's model and the operations alone; no file is read for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from captures.jboss_journal import CAPTURE

from journalspec_conformance.harnesses.reference import Traced
from journalspec_conformance.power import Disk, Files
from journalspec_conformance.products import get_product
from journalspec_corpus.jboss_journal import MODEL
from journalspec_corpus.model import history
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage
from products import Connect, asked, of_products

FORMAT = "jboss_journal"
CONTROL = "journal-rename-control.ctr"


def half_compacted(ops: Sequence[dict[str, Any]], params: Mapping[str, str], edition: str) -> list[Files]:
    """Return the files of a process that was killed after it wrote the control file of a compaction."""
    storage: Any = Traced(MemoryStorage())
    disk, found = Disk({}), []
    journal = load(FORMAT).writer(storage, edition=edition, params=params)
    for op in ops:
        journal.apply(op)
        for change in storage.taken():
            disk.do(change)
            forced = (change["op"], change.get("file")) == ("sync", CONTROL)
            if (forced or change["op"] in ("rename", "unlink")) and CONTROL in disk.files():
                found.append(disk.files())
    return found


@of_products
@pytest.mark.parametrize("name", ["hornetq-2.0.0", "hornetq-2.1.2"])
def test_product_completes_a_compaction_of_the_reference(
    name: str, connect_product: Connect, memory_path: Path
) -> None:
    """Versions 2.0 and 2.1 read the reference's files of editions s2 and v1."""
    product = get_product(name)
    scenario = next(item for item in CAPTURE.scenarios(product) if item.name == "compacted")
    ops, params = scenario.sessions[0], CAPTURE.params(product, scenario)
    done = next(number for number, op in enumerate(ops) if op["op"] == "compact") + 1
    kept = history(MODEL, {}, ops[:done], frozenset(), product.edition)
    images = half_compacted(ops[:done], params, product.edition)
    assert len(images) > 3
    connection = connect_product(name)
    for number, files in enumerate(images):
        place = memory_path / str(number)
        place.mkdir()
        for file, data in files.items():
            (place / file).write_bytes(data)
        answer = asked(connection, place, FORMAT, product.edition, params=params)["ok"]
        assert answer["verdict"] == "clean"
        assert kept.seen(answer["state"]) == kept.shown[-1]


def test_control_file_of_s2_has_the_id_minus_one_and_names_in_modified_utf8() -> None:
    """As HornetQ 2.0.0 reads it (JBM-CMP-002), with a name that UTF-8 encodes in four bytes."""
    params = {"prefix": "\U0001f4e8", "extension": "hq", "file_size": "1024"}
    ops = [{"op": "open"}, {"op": "add", "id": "1", "user_type": "1", "body": "61"}, {"op": "compact"}]
    data = half_compacted(ops, params, "s2")[0][CONTROL]
    name = b"\xed\xa0\xbd\xed\xb3\xa8-1.hq"
    lists = b"\0\0\0\1" + len(name).to_bytes(2, "big") + name
    assert (data[:4], data[4:9]) == (b"\xff\xff\xff\xff", b"\x0b\xff\xff\xff\xff")
    assert data[22 : 22 + len(lists)] == lists
