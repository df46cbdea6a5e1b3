"""The KahaDB harness: the product's own classes, driven through JPype.

One process drives one product version (a JVM has one class path)::

    python -m journalspec_conformance.harnesses --product activemq-5.17.6

How the protocol's operations map to the product:

``read``
    The store's own ``Journal``, started with a check of all files, then
    ``getNextLocation`` to the end; each record is loaded as replay loads it.
``recover``
    ``KahaDBStore.open()`` without a broker and without an index: the index is
    made by replaying the journal, and the state is read from it. The policies
    are the options of the store, see `OPTIONS`. What is thrown becomes a
    refusal, see ``exceptions.toml``.
``write``
    ``Journal.write``. Which records share a batch is a matter of time in the
    product; here its writing thread is kept waiting until all have been handed
    over that the request wants in one batch.

Opening makes an index, sets files aside and may append: ``read`` and ``recover`` work on copies. Messages
stay as stored, the broker's encoding is not undone. Which stretches the product's check has put aside is in
the answer's message; the product does not report why.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.kahadb_journal.harness import KahaDB

DRIVER = KahaDB
