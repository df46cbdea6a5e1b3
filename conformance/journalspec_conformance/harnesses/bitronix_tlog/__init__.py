"""The Bitronix harness: the product's own classes, driven through JPype.

One process drives one product version (a JVM has one class path)::

    python -m journalspec_conformance.harnesses --product bitronix-2.1.4

How the protocol's operations map to the product:

``read``
    ``TransactionLogCursor`` on each file of the pair, continued after each
    ``CorruptedTransactionLogException`` until it returns nothing or throws anything else. Of each header it
    uses only the position of the tail. The state is that of
    ``recover`` under ``salvage``, done on a copy.
``recover``
    ``DiskJournal.open()`` and ``collectDanglingRecords()`` in the directory
    itself, as the product does at start-up; ``salvage`` is
    ``skipCorruptedLogs``. Opening writes the state byte, so ``pure`` is not declared. Exceptions become
    refusals, see ``exceptions.toml``.
``write``
    ``DiskJournal.open/log/force/close``. Clock and sequence numbers are the product's own. For small files,
    the product makes a pair of 1 MiB and closes it. The harness cuts the empty files, and the product opens
    them with the new length.

Force batching is switched off. Versions up to 2.1.4 start the batching thread nevertheless. On recent Java
releases ``close()`` may wait forever for the end of this thread, so the harness clears the field that refers
to it. The order of writes is the same.

If a call never returns, there is no answer: after `WATCH_SECONDS` the harness prints the stack of the thread
to standard error, and later the runner's timeout ends the process.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.bitronix_tlog.harness import Bitronix

DRIVER = Bitronix
