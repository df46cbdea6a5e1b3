"""Sound stores, and the states in which a start of a product finds them: what `messages.py` works with.

A state says in one sentence how it was made. Damages are done to bytes and files. Where a record has to be
found the reference reads the store, and the product is what judges it.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import stores
from messages_damage import (
    at_record,
    batch_bytes,
    both,
    command_bytes,
    control_files,
    copied,
    cut,
    cut_last,
    cut_table,
    cut_tail,
    each,
    fill,
    gone,
    inner,
    journal_file,
    log_byte,
    log_files,
    log_record,
    member_record,
    next_file,
    nothing,
    older_pages,
    orders_file,
    page_file,
    put,
    records,
    service_property,
    table_bytes,
    user_type,
    written,
    zero_last,
    zero_records,
    zeros,
)

from journalspec_conformance.products import get_product, product_dir

#: Sends what products log to java.util.logging; first in the class path, it serves older APIs, too.
BINDING = ("slf4j-api-2.0.17.jar", "slf4j-jdk14-2.0.17.jar")
#: What writes the sound store of a product in its own program: given its directory.
OWN = "write"


@dataclass(frozen=True)
class State:
    """A store as a start finds it: `how` in a sentence, what makes it from a sound one, and options."""

    how: str
    damage: Callable[[Path], object]
    options: str = ""
    base: str = "halt"


@dataclass(frozen=True)
class Maker:
    """A product whose messages are made: its format, program, class path, sound stores and states."""

    title: str
    format: str
    program: str
    jars: Callable[[], list[Path]]
    bases: Mapping[str, Callable[[Path], object] | str]
    states: Mapping[str, State]
    #: Lines that say nothing of the store, or differ from run to run.
    silent: str = ""


# The products.


def _binding() -> list[Path]:
    folder = product_dir(get_product("artemis-2.44.0"))
    return [folder / name for name in BINDING]


def _broker(name: str, version: str) -> Callable[[], list[Path]]:
    def jars() -> list[Path]:
        return [*_binding(), *sorted(stores.jars(name, version).glob("*.jar"))]

    return jars


def _product(name: str) -> Callable[[], list[Path]]:
    def jars() -> list[Path]:
        found = sorted(product_dir(get_product(name)).glob("*.jar"))
        return [*_binding(), *(path for path in found if "slf4j" not in path.name)]

    return jars


def _store(name: str, version: str, end: str) -> Callable[[Path], None]:
    def make(target: Path) -> None:
        shutil.copytree(stores.written(name, version, end=end), target)

    return make


def _captured(name: str) -> Callable[[Path], None]:
    source = Path(__file__).parents[1] / "corpus" / "captured" / name

    def make(target: Path) -> None:
        target.mkdir()
        for file in source.iterdir():
            if file.suffix == ".tlog":
                shutil.copy(file, target / file.name)

    return make


ARTEMIS = {
    "sound": State("a broker was halted in use; two branches are prepared", nothing),
    "bindings-gone": State("the directory bindings is gone", gone("bindings")),
    "record-zeroed": State(
        "the ADD record of one message is all zeros",
        at_record("journal", lambda record: record.fields.get("user_type") == 45, zeros),
    ),
    "transaction-short": State(
        "a record of a committed transaction is all zeros",
        lambda root: member_record(root, "COMMIT", zeros),
    ),
    "prepared-short": State(
        "the records of a prepared transaction are all zeros, its PREPARE is there",
        lambda root: member_record(root, "PREPARE", zeros),
    ),
    "commit-zeroed": State(
        "the COMMIT record of a transaction is all zeros",
        at_record("journal", lambda record: record.type == "COMMIT", zeros),
    ),
    "file-missing": State(
        "the first journal file with records is gone",
        lambda root: (root / "journal" / records(root / "journal")[0].at.file).unlink(),
    ),
    "file-short": State(
        "a journal file has 10 bytes, fewer than a header", cut("journal/activemq-data-2.amq", 10)
    ),
    "file-empty": State("a journal file has no bytes", cut("journal/activemq-data-2.amq", 0)),
    "file-half": State(
        "the first journal file is cut to half its length", cut("journal/activemq-data-1.amq", 51200)
    ),
    "file-size-configured": State("journal-file-size is twice what the files have", nothing, "double"),
    "other-version": State(
        "the format version in a header is 9", put("journal/activemq-data-1.amq", 0, "00000009")
    ),
    "other-user-version": State(
        "the user version in a header is 9", put("journal/activemq-data-1.amq", 4, "00000009")
    ),
    "leftover-tmp": State(
        "a file of an interrupted compaction lies in the journal",
        written("journal/activemq-data-90.amq.tmp", bytes(102400)),
    ),
    "leftover-cmp": State(
        "a compacted file was not yet renamed", written("journal/activemq-data-91.amq.cmp", bytes(102400))
    ),
    "odd-name": State(
        "a journal file was copied to weird.amq", copied("journal/activemq-data-1.amq", "journal/weird.amq")
    ),
    "unreadable-file": State(
        "a directory has the name of a journal file",
        lambda root: (root / "journal" / "activemq-data-77.amq").mkdir(),
    ),
    "unknown-type": State(
        "the user type of one record is 99",
        at_record("journal", lambda record: record.fields.get("user_type") == 45, user_type(99)),
    ),
    "unknown-type-prepared": State(
        "the user type of a record of a prepared transaction is 99",
        lambda root: member_record(root, "PREPARE", user_type(99)),
    ),
    "bad-body": State(
        "a length inside the body of one message leads beyond its end",
        at_record(
            "journal", lambda record: record.fields.get("user_type") == 45, inner(29, b"\x7f\xff\xff\xff")
        ),
    ),
    "queue-unknown": State(
        "a message refers to queue 999, of which the bindings know nothing",
        at_record(
            "journal",
            lambda record: record.fields.get("user_type") == 32 and record.type == "UPDATE",
            inner(-12, struct.pack(">Q", 999)),
        ),
    ),
    "reference-zeroed": State(
        "the record that puts a message into its queue is all zeros",
        at_record(
            "journal", lambda record: record.fields.get("user_type") == 32 and record.type == "UPDATE", zeros
        ),
    ),
    "large-file-gone": State(
        "the file of a large message is gone",
        lambda root: each((root / "large-messages").glob("*.msg"), Path.unlink),
    ),
    "large-orphan": State(
        "the record of a large message is all zeros, its file is there",
        at_record("journal", lambda record: record.fields.get("user_type") == 30, zeros, 9),
    ),
    "page-cut": State(
        "the last page file of an address is cut in a message", lambda root: page_file(root, -1, 700)
    ),
    "page-empty": State("a page file has no bytes", lambda root: page_file(root, 1, 0)),
    "page-garbage": State("a page file is overwritten with 7f", lambda root: page_file(root, 1, None)),
    "page-name-gone": State(
        "the file address.txt of a paged address is gone",
        lambda root: each((root / "paging").rglob("address.txt"), Path.unlink),
    ),
    "page-name-empty": State(
        "the file address.txt of a paged address has no bytes",
        lambda root: each((root / "paging").rglob("address.txt"), lambda path: path.write_bytes(b"")),
    ),
    "paging-gone": State("the directory paging is gone", gone("paging")),
    "bindings-cut": State(
        "the records of the bindings after the first half are gone",
        cut("bindings/activemq-bindings-1.bindings", 10),
    ),
    "queue-binding-zeroed": State(
        "the binding of one queue is all zeros",
        at_record("bindings", lambda record: record.fields.get("user_type") == 21, zeros),
    ),
    "address-binding-zeroed": State(
        "the binding of one address is all zeros",
        at_record("bindings", lambda record: record.fields.get("user_type") == 44, zeros),
    ),
    "no-libaio": State("the broker is configured for AIO, and libaio is not installed", nothing, "aio"),
    "disk-full": State("the disk is fuller than max-disk-usage admits", nothing, "full"),
    "journal-is-a-file": State(
        "a file lies where the directory of the journal should be",
        both(gone("journal"), lambda root: (root / "journal").write_bytes(b"x")),
    ),
    "node-file-short": State("the file server.lock has 3 bytes", cut("journal/server.lock", 3)),
    "all-gone": State("the journal is gone, bindings and paging are there", gone("journal")),
}
KAHADB = {
    "sound": State("a broker was halted in use; one branch is prepared", nothing),
    "stopped": State("a broker was stopped", nothing, base="stop"),
    "index-gone": State("db.data and db.redo are gone", both(gone("db.data"), gone("db.redo"))),
    "index-garbage": State(
        "every page of db.data after the first is 7f", lambda root: fill(root / "db.data", 4096)
    ),
    "index-garbage-archive": State(
        "every page of db.data after the first is 7f, with archiveCorruptedIndex=true",
        lambda root: fill(root / "db.data", 4096),
        "archive",
    ),
    "index-short": State("db.data has 100 bytes", cut("db.data", 100)),
    "index-header-zeros": State("the first 4096 bytes of db.data are zeros", put("db.data", 0, bytes(4096))),
    "free-list-garbage": State("db.free is 16 bytes of 7f", written("db.free", b"\x7f" * 16), base="stop"),
    "file-missing": State(
        "a journal file in the middle is gone", lambda root: journal_file(root, 3).unlink()
    ),
    "file-missing-ignored": State(
        "a journal file in the middle is gone, with ignoreMissingJournalfiles=true",
        lambda root: journal_file(root, 3).unlink(),
        "ignore",
    ),
    "newest-missing": State("the newest journal file is gone", lambda root: journal_file(root, -1).unlink()),
    "newest-missing-stopped": State(
        "a broker was stopped; the newest journal file is gone",
        lambda root: journal_file(root, -1).unlink(),
        base="stop",
    ),
    "oldest-missing": State("the oldest journal file is gone", lambda root: journal_file(root, 0).unlink()),
    "batch-header": State(
        "the first bytes of a batch in the middle are 7f", lambda root: batch_bytes(root, 3, b"\x7f" * 20)
    ),
    "batch-header-checked": State(
        "the first bytes of a batch in the middle are 7f, with checkForCorruptJournalFiles=true",
        lambda root: batch_bytes(root, 3, b"\x7f" * 20),
        "check",
    ),
    "batch-body": State(
        "three bytes of a message in the middle are changed",
        lambda root: batch_bytes(root, 3, b"\x7f" * 3, 120),
    ),
    "batch-body-checked": State(
        "three bytes of a message in the middle are changed, with checkForCorruptJournalFiles=true",
        lambda root: batch_bytes(root, 3, b"\x7f" * 3, 120),
        "check",
    ),
    "batch-body-ignored": State(
        "three bytes of a message are changed, both options for damaged files are on",
        lambda root: batch_bytes(root, 3, b"\x7f" * 3, 120),
        "check ignore",
    ),
    "to-the-end": State(
        "the second half of a journal file in the middle is 7f",
        lambda root: fill(journal_file(root, 3), 16384),
        "check",
    ),
    "unknown-type": State(
        "the type of a command in the middle is 99; the index is gone",
        both(gone("db.data"), gone("db.redo"), lambda root: command_bytes(root, "ADD_MESSAGE", 5, b"\x63")),
    ),
    "command-broken": State(
        "the length of a command leads beyond its end; the index is gone",
        both(
            gone("db.data"),
            gone("db.redo"),
            lambda root: command_bytes(root, "ADD_MESSAGE", 6, b"\xff\xff\xff\xff\x07"),
        ),
    ),
    "message-broken": State(
        "the marshalled message of the first command is overwritten with ff",
        lambda root: command_bytes(root, "ADD_MESSAGE", 200, b"\xff" * 60),
    ),
    "last-cut": State("the last journal file is cut at 40 %", lambda root: cut_last(root, 0.4)),
    "last-zeros": State("the last journal file is zeros after 8192", lambda root: zero_last(root, 8192)),
    "empty-file": State("an empty db-90.log lies in the directory", written("db-90.log", b"")),
    "odd-name": State("a file db-x.log lies in the directory", written("db-x.log", b"")),
    "copied-file": State(
        "a journal file was copied under the next number; the index is gone",
        both(
            gone("db.data"),
            gone("db.redo"),
            lambda root: shutil.copy(journal_file(root, 3), root / "db-90.log"),
        ),
    ),
    "audit-zeroed": State(
        "the records of the producers' audit are zeros",
        lambda root: zero_records(root, "PRODUCER_AUDIT"),
        base="stop",
    ),
    "ack-map-zeroed": State(
        "the records of the map of acknowledgements are zeros",
        lambda root: zero_records(root, "ACK_MESSAGE_FILE_MAP"),
        base="stop",
    ),
    "locked": State("another broker has the store open", nothing, "locked"),
    "small-limit": State("the limit of the store is smaller than a journal file", nothing, "small"),
    "directory-is-a-file": State(
        "a directory has the name of the next journal file", lambda root: (root / "db-91.log").mkdir()
    ),
    "older-release": State("the store was written by ActiveMQ 5.8.0", nothing, base="older"),
    "redo-garbage": State("db.redo is overwritten with 7f", lambda root: fill(root / "db.redo", 0)),
}
DERBY = {
    "sound": State("a database was halted in use", nothing),
    "control-zeros": State("log.ctrl is 48 zeros, its mirror is whole", put("log/log.ctrl", 0, bytes(48))),
    "control-short": State("log.ctrl has 16 bytes", cut("log/log.ctrl", 16)),
    "control-newer": State(
        "the major version in log.ctrl and its mirror is 11", lambda root: control_files(root, 16, "0000000b")
    ),
    "control-beta": State(
        "the flag for a beta in log.ctrl and its mirror is set", lambda root: control_files(root, 28, "01")
    ),
    "control-test-mode": State(
        "the flag for derby.system.durability=test in log.ctrl is set",
        lambda root: control_files(root, 28, "02"),
    ),
    "control-mid-record": State(
        "the control files point into a record",
        lambda root: control_files(root, 8, struct.pack(">II", int(log_files(root)[0].stem[3:]), 41)),
    ),
    "control-mirror-bad": State(
        "the checkpoint in both control files is in a file that is not there",
        lambda root: control_files(root, 8, struct.pack(">II", 7, 100)),
    ),
    "log-gone": State("the directory log is gone", gone("log")),
    "log-file-gone": State(
        "the log file of the checkpoint is gone", lambda root: log_files(root)[0].unlink()
    ),
    "log-file-short": State(
        "the log file of the checkpoint has 8 bytes",
        lambda root: cut(f"log/{log_files(root)[0].name}", 8)(root),
    ),
    "log-file-header": State(
        "the header of the log file of the checkpoint is zeros",
        lambda root: put(f"log/{log_files(root)[0].name}", 0, bytes(24))(root),
    ),
    "log-device": State(
        "logDevice in service.properties names a directory that is not there",
        lambda root: service_property(root, "logDevice", "/nowhere/log"),
    ),
    "next-file-short": State("a next log file of 8 bytes was begun", lambda root: next_file(root, 8)),
    "next-file-20": State("a next log file of 20 bytes was begun", lambda root: next_file(root, 20)),
    "next-file-number": State(
        "the number in the header of the second log file is 77",
        lambda root: put(f"log/{log_files(root)[1].name}", 4, "000000000000004d")(root),
    ),
    "record-format": State(
        "the format id of a record is unknown", lambda root: log_record(root, "INSERT", 12, "7f7f")
    ),
    "record-operation": State(
        "the id of an operation is unknown", lambda root: log_record(root, "CHECKSUM", 18, "7f7f")
    ),
    "record-length": State(
        "the length of a record is negative", lambda root: log_record(root, "CHECKSUM", 0, "ffffffff")
    ),
    "record-algorithm": State(
        "the checksum algorithm is unknown", lambda root: log_record(root, "CHECKSUM", 20, "09")
    ),
    "group-flag": State(
        "a checksum record is not marked as one", lambda root: log_record(root, "CHECKSUM", 14, "01")
    ),
    "group-zeroed": State(
        "one group in the middle of the log is zeros", lambda root: log_record(root, "CHECKSUM", 0, "00" * 37)
    ),
    "begin-zeroed": State(
        "a BEGIN is not marked as the first record of its transaction",
        lambda root: log_record(root, "BEGIN", 14, "0100"),
    ),
    "tail-cut": State("the last log file is cut 100 bytes before its end", cut_tail),
    "page-older": State("the pages of a table's file are older than the log", older_pages),
    "page-flipped": State(
        "a byte of a table's page was changed",
        lambda root: table_bytes(root, 4096 + 2000, "7f"),
        "select * from orders",
    ),
    "page-flipped-catalog": State(
        "a byte of a page of the catalog was changed", put("seg0/c10.dat", 4096 + 1500, "7f")
    ),
    "page-zeros": State(
        "a page of a table is zeros",
        lambda root: table_bytes(root, 4096 * 3, "00" * 4096),
        "select * from orders",
    ),
    "table-cut": State(
        "a table's file is cut in its third page", lambda root: cut_table(root, 9000), "select * from orders"
    ),
    "table-gone": State(
        "a table's file is gone", lambda root: orders_file(root).unlink(), "select * from orders"
    ),
    "table-header": State(
        "the first bytes of a table's file are 7f",
        lambda root: table_bytes(root, 0, "7f" * 4),
        "select * from orders",
    ),
    "table-info": State(
        "the description of a container in its first page was changed",
        lambda root: table_bytes(root, 110, "7f7f"),
        "select * from orders",
    ),
    "table-empty": State(
        "a table's file has no bytes", lambda root: cut_table(root, 0), "select * from orders"
    ),
    "catalog-gone": State("a file of the catalog is gone", gone("seg0/c10.dat")),
    "seg0-gone": State("the directory seg0 is gone", gone("seg0")),
    "properties-gone": State("service.properties is gone", gone("service.properties")),
    "encrypted": State(
        "service.properties says that the database is encrypted",
        lambda root: service_property(root, "dataEncryption", "true"),
    ),
    "no-database": State("the directory is gone", shutil.rmtree),
    "in-use": State("another process has the database open", nothing, "LOCK"),
}
BITRONIX = {
    "sound": State("a manager was halted between the two commits of a transaction", nothing),
    "first-start": State("there are no files", lambda root: each(root.iterdir(), Path.unlink)),
    "committed": State(
        "a manager was halted between two commits; the resource has the branch in doubt",
        nothing,
        "branch:{decided}",
    ),
    "other-branch": State(
        "the resource has a branch in doubt of which the log knows nothing",
        nothing,
        "branch:{other}",
    ),
    "commit-unknown": State(
        "the resource does not know the branch any more when it is committed",
        nothing,
        "unknown branch:{decided}",
    ),
    "commit-heuristic": State(
        "the resource has rolled the branch back by itself",
        nothing,
        "heuristic branch:{decided}",
    ),
    "commit-away": State(
        "the resource fails while the branch is committed",
        nothing,
        "away branch:{decided}",
    ),
    "rollback-heuristic": State(
        "the resource has committed a branch by itself that has to be rolled back",
        nothing,
        "rollback-heuristic branch:{other}",
    ),
    "rollback-away": State(
        "the resource fails while a branch is rolled back",
        nothing,
        "rollback-away branch:{other}",
    ),
    "recover-fails": State("the resource cannot list its branches", nothing, "recover-fails"),
    "no-connection": State("the resource does not accept connections", nothing, "no-connection"),
    "no-connection-ignored": State(
        "the resource does not accept connections, with ignoreRecoveryFailures=true",
        nothing,
        "no-connection ignore",
    ),
    "no-resource": State("no resource is registered", nothing, "no-resource"),
    "unequal": State("the two files have different lengths", cut("btm2.tlog", 1500)),
    "one-gone": State("one of the two files is gone", gone("btm2.tlog")),
    "header-format": State(
        "the format id in the header of the active file is wrong", put("btm1.tlog", 0, "7f7f7f7f")
    ),
    "position-low": State(
        "the position in the header of the active file is 3", put("btm1.tlog", 13, "0000000000000003")
    ),
    "position-high": State(
        "the position in the header of the active file lies beyond its end",
        put("btm1.tlog", 13, "00000000000fffff"),
    ),
    "record-body": State("bytes of a record were changed", put("btm1.tlog", 100, "7f7f")),
    "record-body-skipped": State(
        "bytes of a record were changed, with skipCorruptedLogs=true", put("btm1.tlog", 100, "7f7f"), "skip"
    ),
    "record-length": State("the length of a record leads beyond the file", put("btm1.tlog", 85, "00ffffff")),
    "record-length-small": State("the length of a record is too small", put("btm1.tlog", 85, "00000030")),
    "record-gtrid": State("the length of a gtrid is too large", lambda root: log_byte(root, 109, "7f")),
    "record-names": State(
        "the number of names is right, the length of one too large", lambda root: log_byte(root, 137, "7fff")
    ),
    "locked": State("another process has a file locked", nothing, "locked"),
    "same-file": State("both parts are configured to be one file", nothing, "same"),
    "directory": State(
        "a directory has the name of a log file",
        both(gone("btm1.tlog"), lambda root: (root / "btm1.tlog").mkdir()),
    ),
    "unfinished": State("a transaction is open when the manager is shut down", nothing, "unfinished"),
    "other-server": State(
        "the manager has another server id than the one that wrote the log",
        nothing,
        "other-server branch:{decided}",
    ),
    "null-journal": State("the manager is configured to keep no log", nothing, "nulljournal"),
    "used": State("two transactions without resources are committed", nothing, "use"),
    # The product hangs on this one, which nothing that is started after it survives.
    "header-short": State("both files have 10 bytes", both(cut("btm1.tlog", 10), cut("btm2.tlog", 10))),
}
_ARTEMIS_SILENT = r"AMQ(22100[0-367]|2210(13|20|34|35|43|57|80)|60\d{4}|222038|22216[56]|224108|224097.*null)"
_ACTIVEMQ_SILENT = (
    r"(BrokerService: (Using|Starting|Persistence|Apache|For help|ActiveMQ|Refreshing|Loading|JMX|Connector)"
    r"|PListStore|KahaDBStore: (Stop|Start)|Opening MessageDatabase|started$)"
)
_BITRONIX_SILENT = (
    r"(Bitronix Transaction Manager version|JVM unique ID|shutting down Bitronix|ManagementRegistrar)"
)
_DERBY_SILENT = (
    r"^derby\.log: (TIME|Booting|on database|Loaded from|java\.|user\.|os\.|derby\.|Database Class Loader"
    r"|Shutting|Cleanup|=====|java\.sql\.|ERROR XJ004|Caused by: ERROR (XJ040|XJ004)|Begin|End|\t"
    r"|[0-9a-f]{8}:|$)"
    r"|caused by org\.apache\.derby\.iapi\.error\.StandardException: (Failed to start|Java exception)"
)
MAKERS = {
    "artemis-2.44.0": Maker(
        "ActiveMQ Artemis 2.44.0",
        "jboss_journal",
        "ArtemisStarts",
        _broker("artemis", "2.44.0"),
        {"halt": OWN},
        ARTEMIS,
        _ARTEMIS_SILENT,
    ),
    **{
        f"activemq-{version}": Maker(
            f"ActiveMQ {version}",
            "kahadb_journal",
            "KahaStarts",
            _broker("kahadb", version),
            {
                "halt": _store("kahadb", version, "halt"),
                "stop": _store("kahadb", version, "stop"),
                "older": _store("kahadb", "5.8.0", "halt"),
            },
            KAHADB,
            _ACTIVEMQ_SILENT,
        )
        for version in ("6.1.7", "5.15.16", "5.8.0")
    },
    "derby-10.14.2.0": Maker(
        "Apache Derby 10.14.2.0",
        "derby_log",
        "DerbyStarts",
        _product("derby-10.14.2.0"),
        {"halt": OWN},
        DERBY,
        _DERBY_SILENT,
    ),
    **{
        f"bitronix-{version}": Maker(
            f"Bitronix {version}",
            "bitronix_tlog",
            "BtmStarts",
            _product(f"bitronix-{version}"),
            {"halt": _captured(f"bitronix_tlog/bitronix-{version}/tm-crash-between-commits")},
            BITRONIX,
            _BITRONIX_SILENT,
        )
        for version in ("2.1.4", "3.0.0-mk1")
    },
}
