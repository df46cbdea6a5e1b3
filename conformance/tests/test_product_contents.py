"""Contents equal the brokers' lists: brokers write stores with all kinds of messages, and list these.

Needs Java, and Maven for the brokers' jars.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
import stores

from broker_lists import ALL_KINDS, compare, plain
from journalspec_reference import contents
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.filesets import find_journals, load
from products import need_brokers

pytestmark = [pytest.mark.product, pytest.mark.java]
#: A broker, its version, and the properties that the broker removes from a record when it reads a message.
BROKERS = [("hornetq", "2.4.9.Final", {"_HQ_SCHED_DELIVERY"}), ("artemis-core", "2.44.0", set[str]())]
SECONDS = 300


def listed(name: str, version: str, store: Path) -> dict[str, Any]:
    """Start a broker on a copy of a store and return its lists."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "store"
        shutil.copytree(store, copy)
        java, *words = stores.command(name, version, Path(scratch))
        command = [java, *stores.QUICK, *words, str(copy)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("{"))
    found: dict[str, Any] = plain(json.loads(line))
    return found


@pytest.mark.parametrize(("name", "version", "gone"), BROKERS)
def test_contents_have_the_messages_that_the_broker_lists(name: str, version: str, gone: set[str]) -> None:
    need_brokers(f"{name}-{version}")
    store = stores.written(name, version, messages=60, end="halt")
    wanted = listed(name, version, store)
    (journal,) = find_journals(load(store / "journal"))
    found = contents.contents(ask(journal, SALVAGE))
    assert found is not None
    assert compare(found, wanted, gone) == ALL_KINDS
    # A transaction of paged messages was not committed.
    assert {remark.code for remark in found.remarks.kept} == {"no-page-transaction"}
