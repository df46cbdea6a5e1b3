"""The SwiftMQ harness: the store's own classes, driven through JPype, without a router.

The source of the store is public, but no artefact of it is published, so the user provides the class path.
The environment variable JOURNALSPEC_SWIFTMQ_STORE contains it in Java's form. The class path has to contain
``com.swiftmq.impl.store.standard``, and the classes of SwiftMQ that must come before the published client.
That client is fetched by ``journalspec products fetch``::

    export JOURNALSPEC_SWIFTMQ_STORE=/opt/swiftmq/kernel/sys_store/sys_store.jar
    journalspec run --impl swiftmq --format swiftmq_store

A JDK is needed, not only a JRE: `Router.java` provides the parts of a router that a store needs. It is
compiled against that class path when the harness starts.

How the protocol's operations map to the product:

``recover``
    The store is started in a copy of the directory, as a router starts it, and asked: which queues its root
    index has, which messages each of them lists and can read, which branches are prepared, which durable
    subscribers there are. ``clean`` is a start in which the store warns of no damage, ``recovered`` one in
    which it does, or in which it cannot read a message that it lists (that is the answer's message), and
    ``refused`` one that throws. The queue of the branches is omitted if it is empty: every start makes it.
``read``
    The product has no interface to its log, so this operation is not offered.
``write``
    Transactions through the interfaces that a router uses; see ``Transactions``.

One JVM starts one store after another. After STARTS of them, or if memory runs out, the harness restarts with
a new JVM in the same process. After some errors a store ends the process, which the runner reports as a
crash. A store that never returns is reported as a timeout. Then the runner restarts the harness.
"""

from __future__ import annotations

from journalspec_conformance.harnesses.swiftmq_store.harness import SwiftMQ

DRIVER = SwiftMQ
