"""The SwiftMQ harness: the store's own classes, driven through JPype, without a router.

The source of the store is public, and no artefact of it is published: the class path is the user's. The
environment variable JOURNALSPEC_SWIFTMQ_STORE has it, as Java takes one, of
``com.swiftmq.impl.store.standard`` and what of SwiftMQ's own goes before the published client (which
``journalspec products fetch`` gets)::

    export JOURNALSPEC_SWIFTMQ_STORE=/opt/swiftmq/kernel/sys_store/sys_store.jar
    journalspec run --impl swiftmq --format swiftmq_store

A JDK is needed, not a JRE alone: `Router.java`, as much of a router as a store needs, is compiled against
that class path when the harness starts.

How the protocol's operations map to the product:

``recover``
    The store is started in a copy of the directory, as a router starts it, and asked: which queues its root
    index has, which messages each of them lists and can read, which branches are prepared, which durable
    subscribers there are. ``clean`` is a start in which the store warns of no damage, ``recovered`` one in
    which it does, or in which it cannot read a message that it lists (that is the answer's message), and
    ``refused`` one that throws. The queue of the branches is omitted if it is empty: every start makes it.
``read``
    The product does not show its log: there is no such operation.
``write``
    Transactions through the interfaces that a router uses; see ``Transactions``.

One JVM starts one store after another; after so many of them, and once it has run out of memory, the harness
begins again with another one, in the same process. A store that ends the process (it does so where it
cannot go on) or never returns is a crash or a timeout for the runner, which starts the harness again.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.swiftmq_store.harness import SwiftMQ

DRIVER = SwiftMQ
