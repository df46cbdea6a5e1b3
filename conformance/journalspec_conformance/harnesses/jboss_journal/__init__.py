"""The HornetQ and Artemis harnesses: the products' own journal classes, driven through JPype.

One process drives one product version (a JVM has one class path)::

    python -m journalspec_conformance.harnesses --product artemis-2.44.0

How the protocol's operations map to the products:

``read``
    ``JournalImpl``'s own steps one by one: the control file, ``orderFiles``, and
    ``readJournalFile`` on each file it names; then ``readJournalFile`` on the other files in the directory.
    Neither product skips an unusable file, so ``read`` refuses a journal with such a file, too. The state is
    that of
    ``recover``.
``recover``
    ``start()`` and ``load()``. There is one policy, strict. The products return the live records and the
    transactions in doubt. The dropped transactions and the reasons appear only in the product's log messages,
    so the harness reads these.
``write``
    ``start()``, ``load()``, and the ``append`` methods; and the test hooks of both products for rolling,
    reclaiming and compacting. Artemis hands appends to a thread: an operation is acknowledged when that
    thread has finished it.

Everything runs over ``NIOSequentialFileFactory`` without a buffer, so that each append is one write. Loading
creates, renames, changes and deletes files: ``read`` and ``recover`` work on copies, which is why
``pure`` may be declared.

Neither product reports which bytes it skips while scanning, so damage is not reported at all. That is the
feature ``silent`` of the protocol.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.jboss_journal.harness import JournalProduct

DRIVER = JournalProduct
