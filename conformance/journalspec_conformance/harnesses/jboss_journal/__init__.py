"""The HornetQ and Artemis harnesses: the products' own journal classes, driven through JPype.

One process drives one product version (a JVM has one class path)::

    python -m journalspec_conformance.harnesses --product artemis-2.44.0

How the protocol's operations map to the products:

``read``
    ``JournalImpl``'s own steps one by one: the control file, ``orderFiles``, and
    ``readJournalFile`` on each file it names; then ``readJournalFile`` on what
    is beside them. Neither product leaves an unusable file out: such a journal
    is refused here too. The state is that of ``recover``.
``recover``
    ``start()`` and ``load()``. There is one policy, strict. The products tell
    what they deliver and what is in doubt; which transactions they have dropped,
    and why, is in their log only, so the harness listens to it.
``write``
    ``start()``, ``load()``, and the ``append`` methods; the test hooks that both
    products have for rolling, reclaiming and compacting. Artemis hands appends to
    a thread: an operation is acknowledged when that thread has done it.

Everything runs over ``NIOSequentialFileFactory`` without a buffer, so that each append is one write.
Loading creates, renames, stamps and deletes files: ``read`` and ``recover`` work on copies, which is why
``pure`` may be declared.

Neither product reports which bytes it skips while scanning: damage is not reported at all. That is the
feature ``silent`` of the protocol.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.jboss_journal.harness import JournalProduct

DRIVER = JournalProduct
