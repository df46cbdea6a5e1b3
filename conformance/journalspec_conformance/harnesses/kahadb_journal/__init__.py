"""The KahaDB harness: the product's own classes, driven through JPype.

One process drives one product version (a JVM has one class path)::

    python -m journalspec_conformance.harnesses --product activemq-5.17.6

How the protocol's operations map to the product:

``read``
    The store's own ``Journal``, started with a check of all files, then
    ``getNextLocation`` to the end; each record is loaded as replay loads it.
``recover``
    ``KahaDBStore.open()`` without a broker and without an index: the index is made by replaying the journal,
    and the state is read from it. The policies are the options of the store, see `OPTIONS`. Exceptions become
    refusals, see ``exceptions.toml``.
``write``
    ``Journal.write``. In the product, the timing decides which records share a batch. Here its writing thread
    waits until it has all records that the request puts into one batch.

Opening creates an index, sets files aside and may append, so ``read`` and ``recover`` work on copies.
Messages stay as they are stored: the broker's encoding is not decoded. The text of the answer lists the byte
ranges that the product's check excluded. The product does not report the reasons.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.kahadb_journal.harness import KahaDB

DRIVER = KahaDB
