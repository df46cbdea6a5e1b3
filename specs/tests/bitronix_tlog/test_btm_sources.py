"""Where requirements say that they come from."""

from __future__ import annotations

import pytest

from journalspec.requirements import requirements

#: What no document and no product does, and we decided: the products take a record whose names end before its
#: end marker, write gtrids without a byte, and the document leaves open what its checksum covers.
DECIDED = ("BTM-REC-004", "BTM-REC-011", "BTM-SED-008")


@pytest.mark.parametrize("name", DECIDED)
def test_what_was_decided_is_not_put_down_to_a_product_or_a_document(name: str) -> None:
    assert requirements("bitronix_tlog")[name].source["kind"] == "decision"
