"""``recover`` and ``write``, answered by the product as the package's docstring describes.

No code here interprets a byte of a file. Every value comes from the product's lists and getters. Private
fields are read only where the product has no interface to its index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from journalspec.observation import jsonable
from journalspec_conformance.harnesses import product as shared
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, Thrown, java_class, private_call, product_call
from journalspec_conformance.harnesses.product import Answer, Op
from journalspec_conformance.products import Product, ProductError
from journalspec_conformance.programs import drop_scratch, make_scratch
from journalspec_corpus.model import XA_ID
from journalspec_corpus.swiftmq_store.model import PREPARED

FORMAT = "swiftmq_store"
_STORE = "com.swiftmq.impl.store.standard"
#: The number of starts of a store in one JVM, and the harness's text about messages that the product cannot
#: read.
STARTS, UNREAD = 250, "messages that cannot be read"


@cache
def _router() -> Java:
    """Return the router of this process; raises ProductError if it cannot be compiled."""
    compiler = java_class("javax.tools.ToolProvider").getSystemJavaCompiler()
    if compiler is None:
        raise ProductError("no Java compiler: install a JDK, a JRE is not enough")
    place = make_scratch(memory=True)
    errors = java_class("java.io.ByteArrayOutputStream")()
    with as_file(files(__package__).joinpath("Router.java")) as source:
        class_path = java_class("java.lang.System").getProperty("java.class.path")
        words = ["-nowarn", "-cp", str(class_path), "-d", str(place), str(source)]
        status = compiler.run(None, errors, errors, *words)
    if status:
        told = str(errors.toString()).strip()[: shared.SHOWN]
        raise ProductError(f"the class path has no usable SwiftMQ: {told}")
    jvm.java_classes().addClassPath(str(place))
    java_class("java.lang.System").setProperty("swiftmq.paths.absolute", "true")
    try:
        java_class(f"{_STORE}.StoreSwiftletImpl")
    except (TypeError, jvm.java_classes().JException) as error:
        raise ProductError(f"the class path has no store ({_STORE}.StoreSwiftletImpl): {error}") from None
    return java_class("journalspec.Router")()


#: For each entity and property, the property's class, and its value as text.
Settings = dict[str, dict[str, tuple[str, str]]]


def settings(directory: Path, params: Mapping[str, str], backup: Path) -> Settings:
    """Return the configuration of a store in `directory`."""
    found: Settings = {}
    for entity, rows in table(__package__, "configuration.toml").items():
        for name, row in rows.items():
            kind, text = next(iter(row.items()))
            text = str(directory / text) if "below" in row else text or str(backup)
            found.setdefault(entity, {})[name] = kind, params.get(row.get("param", ""), text)
    return found


def _configuration(values: Settings) -> Java:
    made_of = {name: java_class(f"com.swiftmq.mgmt.{name}") for name in ("Entity", "EntityList", "Property")}
    entity_of, list_of, property_of = made_of.values()
    about = java_class("com.swiftmq.mgmt.MetaData")("sys$store", "", "", "")
    made = java_class("com.swiftmq.mgmt.Configuration")(about)
    for name, rows in values.items():
        entity = entity_of(name, name, name, None)
        for key, (kind, text) in rows.items():
            if kind == "list":
                entity.addEntity(list_of(key, key, key, None, entity_of(key, key, key, None)))
                continue
            held, of = property_of(key), java_class(f"java.lang.{kind}").class_
            held.setType(of)
            held.setValue(property_of.convertToType(of, text))
            entity.addProperty(key, held)
        entity.createCommands()
        made.addEntity(entity)
    return made


class Store:
    """A store in a directory, started or not."""

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Store the directory and the parameters."""
        self._directory, self._params = directory, params
        self.router = _router()
        self._backup: Path | None = None
        self._queues: dict[str, Java] = {}

    def open(self) -> None:
        """Start the store as a router does; raises Thrown."""
        self.router.said.clear()
        # The store does not start without a directory for backups.
        self._backup = self._backup or make_scratch(memory=True)
        values = settings(self._directory, self._params, self._backup)
        with product_call():
            self.store = java_class(f"{_STORE}.StoreSwiftletImpl")()
            private_call(self.store, "setName", "sys$store")
            private_call(self.store, "startup", _configuration(values))

    def close(self) -> None:
        """Shut it down; raises Thrown."""
        with product_call():
            private_call(self.store, "shutdown")

    def stop(self) -> None:
        """Abandon the store, as in a crash."""
        for loop in self.router.loops:
            loop.close()
        self.router.loops.clear()
        backup, self._backup = self._backup, None
        if backup is not None:
            drop_scratch(backup)

    # The content of a store.

    @product_call()
    def queue(self, name: str) -> Java:
        """Return a queue, which is created if it does not exist."""
        if name not in self._queues:
            self._queues[name] = self.store.getPersistentStore(name)
        return self._queues[name]

    @product_call()
    def names(self) -> list[str]:
        """Return the names of all queues, in the order of the root index."""
        root = jvm.private_value(self.store, "rootIndex")
        found = [str(entry.getKey()) for entry in root.getEntries()]
        root.unloadPages()
        return found

    @product_call()
    def entries(self, name: str) -> list[Java]:
        """Return the entries in a queue's index."""
        return list(self.queue(name).getStoreEntries())

    def content(self, name: str, key: Java) -> bytes | None:
        """Return a serialised message; None if the product cannot read it."""
        try:
            with product_call():
                message = self.queue(name).get(key).message
                out = java_class("java.io.ByteArrayOutputStream")()
                message.writeContent(java_class("java.io.DataOutputStream")(out))
                return jvm.python_bytes(out.toByteArray())
        except Thrown:
            return None

    def messages(self, name: str) -> Iterator[Answer]:
        """Yield the messages of a queue."""
        for listed in self.entries(name):
            data = self.content(name, listed.key)
            yield {
                "key": int(listed.key.getKey()),
                "priority": int(listed.priority),
                "deliveries": int(listed.deliveryCount),
                "expiration": int(listed.expirationTime),
                # The product reports no length for an unreadable message.
                "length": 0 if data is None else len(data),
                **({} if data is None else {"sha256": hashlib.sha256(data).digest()}),
            }

    @product_call()
    def branches(self) -> list[Java]:
        """Return the records of the prepared branches."""
        return list(self.store.getPrepareLogRecords())

    @product_call()
    def durables(self) -> list[Answer]:
        """Return the durable subscribers; raises Thrown at the first that cannot be read."""
        found = []
        for one in self.store.getDurableSubscriberStore().iterator():
            texts = {"topic": one.getTopicName(), "selector": one.getSelector()}
            found.append(
                {"client": str(one.getClientId()), "name": str(one.getDurableName())}
                | {key: str(text) for key, text in texts.items() if text is not None}
                | {"no_local": bool(one.isNoLocal())}
            )
        return sorted(found, key=lambda one: (one["client"], one["name"]))

    def state(self) -> Answer:
        """Return the content of the store as the state of an observation."""
        return {
            # The product creates this queue of its own at every start, so it is not part of the state if it
            # is empty.
            "queues": [
                queue
                for name in self.names()
                if (queue := {"name": name.encode(), "messages": list(self.messages(name))})["messages"]
                or name != PREPARED
            ],
            # Entries are sorted by the members of the XA id, then by queue.
            "in_doubt": sorted(map(_branch, self.branches()), key=lambda one: list(one.values())[:5]),
            "durables": self.durables(),
        }


def _branch(record: Java) -> Answer:
    xid = record.getGlobalTxId()
    return {
        **dict(zip(XA_ID, jvm.xa_id(xid), strict=True)),
        "routing": bool(xid.isRouting()),
        "queue": str(record.getQueueName()),
        "inserts": int(record.getType()) != 0,
        "keys": [int(entry.getKey()) for entry in record.getKeyList()],
    }


def _message(data: bytes) -> Java:
    """Return a message as the product reads it; raises Thrown."""
    stream = java_class("java.io.DataInputStream")(
        java_class("java.io.ByteArrayInputStream")(jvm.java_bytes(data))
    )
    made = java_class("com.swiftmq.jms.MessageImpl").createInstance(stream.readInt())
    made.readContent(stream)
    return made


class Transactions(shared.Session):
    """The operations of the specification, done as a router does them.

    The operations of a named transaction are passed to the store at its end, because only then its kind is
    known. ``swap`` and ``unswap`` are not offered: the product names no file.
    """

    operations = ("insert", "remove", "commit", "rollback", "prepare", "decide", "checkpoint", "close")

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Store the request's parameters. No file is accessed yet."""
        super().__init__(directory, params)
        self._open: dict[str, list[Op]] = {}
        self._prepared: dict[tuple[bytes, bytes], Java] = {}

    def made(self) -> Store:
        """Return the store, not started yet."""
        return Store(self.directory, self.params)

    def done(self, op: Op) -> bool:
        """Do one operation. It is durable when the product reports its end, if the log is fsynced."""
        kind, forced = op["op"], self.params.get("force_sync", "true") == "true"
        if kind in ("insert", "remove"):
            if "tx" in op:
                self._open.setdefault(op["tx"], []).append(op)
                return False
            self._do([op])
        elif kind == "commit":
            names = op["tx"] if isinstance(op["tx"], list) else [op["tx"]]
            self._do(*(self._open.pop(name) for name in names))
        elif kind == "rollback":
            with product_call():
                self._composite(self._open.pop(op["tx"])).abortTransaction()
        elif kind == "prepare":
            self._prepare(op)
        elif kind == "decide":
            self._decide(op)
        elif kind == "checkpoint":
            self._checkpoint()
        else:
            self.journal.close()
            self.stop()
            return True
        return forced

    def _do(self, *transactions: list[Op]) -> None:
        """Commit transactions. Their log entries form one batch."""
        loops, waiting = list(self.journal.router.loops), []
        with product_call():
            made = [self._composite(ops) for ops in transactions]
            for loop in loops:
                loop.hold(True)
            try:
                for transaction in made:
                    waiting.append(java_class("journalspec.Router$Done")())
                    transaction.commitTransaction(waiting[-1])
            finally:
                for loop in loops:
                    loop.hold(False)
            for done in waiting:
                done.await_()

    def _composite(self, ops: list[Op]) -> Java:
        made = self.journal.store.createCompositeStoreTransaction()
        made.setReferencable(False)
        for op in ops:
            made.setPersistentStore(self.journal.queue(op["queue"]))
            self._apply(made, op)
        return made

    def _apply(self, transaction: Java, op: Op) -> None:
        if op["op"] == "remove":
            transaction.remove(self._key(op["queue"], int(op["key"])))
            return
        entry = java_class("com.swiftmq.swiftlet.store.StoreEntry")()
        entry.message = _message(bytes.fromhex(op["message"]))
        entry.priority = entry.message.getJMSPriority()
        entry.deliveryCount = 1
        entry.expirationTime = entry.message.getJMSExpiration()
        transaction.insert(entry)

    def _key(self, queue: str, wanted: int) -> Java:
        for listed in self.journal.entries(queue):
            if int(listed.key.getKey()) == wanted:
                return listed.key
        raise shared.CannotDo(f"queue {queue!r} lists no key {wanted}")

    def _prepare(self, op: Op) -> None:
        ops = self._open.pop(op["tx"])
        if len({(each["queue"], each["op"]) for each in ops}) != 1:
            raise shared.CannotDo("a branch inserts into one queue, or removes from it")
        queue, inserts = self.journal.queue(ops[0]["queue"]), ops[0]["op"] == "insert"
        gtrid, bqual = _ids(op)
        with product_call():
            made = queue.createWriteTransaction() if inserts else queue.createReadTransaction(True)
            for each in ops:
                self._apply(made, each)
            xid = java_class("com.swiftmq.jms.XidImpl")(
                jvm.java_bytes(bqual), int(op["format_id"]), jvm.java_bytes(gtrid)
            )
            made.prepare(xid)
        self._prepared[gtrid, bqual] = (made, xid)

    def _decide(self, op: Op) -> None:
        key, commits = _ids(op), op["commit"] in (True, "true")
        if key in self._prepared:
            transaction, xid = self._prepared.pop(key)
            with product_call():
                (transaction.commit if commits else transaction.abort)(xid)
            return
        # This branch is from an earlier start, so its changes are applied first, as a router does.
        records = [one for one in self.journal.branches() if _ids(jsonable(_branch(one))) == key]
        if not records:
            raise shared.CannotDo("no such branch is in doubt")
        for record in records:
            with product_call():
                if commits == (int(record.getType()) == 0):
                    transaction = self.journal.queue(str(record.getQueueName())).createReadTransaction(False)
                    for entry in record.getKeyList():
                        transaction.remove(entry)
                    transaction.commit()
                self.journal.store.removePrepareLogRecord(record)

    def _checkpoint(self) -> None:
        done = java_class("java.util.concurrent.CountDownLatch")(1)
        listener = jvm.instance_of(
            f"{_STORE}.log.CheckPointFinishedListener", checkpointFinished=done.countDown
        )
        with product_call():
            transactions = jvm.private_value(self.journal.store, "ctx").transactionManager
            transactions.initiateCheckPoint(listener)
            done.await_()
            # The log restarts only after the listener was called. Before that, no transaction begins.
            transactions.removeTxId(transactions.createTxId())


def _ids(said: Mapping[str, Any]) -> tuple[bytes, bytes]:
    return bytes.fromhex(said["gtrid"]), bytes.fromhex(said["bqual"])


class SwiftMQ(shared.Driver):
    """One version of the store."""

    format_id = FORMAT
    claims = table(__package__, "java.toml")["claims"]
    unread = "the product does not expose its log"

    def __init__(self, product: Product, java: jvm.Runtime | None) -> None:
        """Store a product in the running JVM; raises ProductError if no router can be created for it."""
        super().__init__(product, java)
        self._starts = 0
        _router()

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Start the store in a copy of the directory, and return its content."""
        self.doing = "start"
        self._starts += 1
        if self._starts >= STARTS:
            # Objects of each start remain in the JVM.
            jvm.spent.set()
        with shared.copy_of(directory) as copy:
            store = Store(copy, params)
            try:
                store.open()
                self.doing, said = "ask", [str(text) for text in store.router.said]
                state = store.state()
                store.close()
            finally:
                store.stop()
        unread = sum("sha256" not in one for queue in state["queues"] for one in queue["messages"])
        said += [f"{UNREAD}: {unread}"] if unread else []
        return self.exceptions.found(state, said)

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Transactions:
        """Return a writer; raises CannotDo."""
        if edition != self.product.edition:
            raise shared.CannotDo("the product writes its own edition only", f"edition:{edition}")
        return Transactions(directory, params)
