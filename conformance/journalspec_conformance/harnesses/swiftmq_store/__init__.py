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
    The store is started in a copy of the directory, as a router starts it. The answer contains the queues of
    its root index, their listed and readable messages, the prepared branches, and the durable subscribers.
    The verdict is ``clean`` if the store warns of no damage. It is ``recovered`` if the store warns, or lists
    a message that it cannot read (these are the answer's message), and ``refused`` if the start throws. The
    queue of the branches is omitted if it is empty: every start creates it.
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
