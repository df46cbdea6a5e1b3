"""Where HornetQ and Artemis, and their versions, differ: names of classes, constructors, a few signatures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from journalspec_conformance.harnesses.java.jvm import Java, java_classes
from journalspec_conformance.harnesses.jboss_journal.settings import Settings
from journalspec_conformance.products import Product

#: Compaction only when it is asked for: no number of files and no percentage starts it.
_NEVER = 0


@cache
def _hidden(owner: Java, name: str) -> Java:
    """Return the method `name` of class `owner`, made callable; looked for once."""
    method = next(item for item in owner.getDeclaredMethods() if str(item.getName()) == name)
    method.setAccessible(True)
    return method


@dataclass(frozen=True, slots=True)
class Brand:
    """One product, as far as its version does not matter.

    `package` holds the journal's interfaces, `files` those of its files, `factory`
    is the class of unbuffered and buffered NIO, `fill` what new files are filled
    with (hex), `writes` is the edition of what it writes. `older`: the signatures
    are those of HornetQ; `oldest`: those before 2.2, whose compaction has no hook
    of its own for tests. `user_version`: headers carry one. `control_id` is the
    file id under which a control file is read.
    """

    name: str
    package: str
    files: str
    factory: str
    prefix: str
    extension: str
    fill: str
    editions: tuple[str, ...]
    writes: tuple[str, ...]
    events: bool = False
    older: bool = False
    oldest: bool = False
    user_version: bool = True
    control_id: int = 0

    def class_of(self, name: str) -> Java:
        """Return class `name` of the journal's package; ``impl.`` may stand before it."""
        return java_classes().JClass(f"{self.package}.{name}")

    def make_factory(self, directory: Path) -> Java:
        """Return the factory of files in `directory`: NIO, no buffer."""
        factory = java_classes().JClass(self.factory)
        if self.older:
            return factory(str(directory), False)
        return factory(java_classes().JClass("java.io.File")(str(directory)), False, 1)

    def make_journal(self, factory: Java, settings: Settings) -> Java:
        """Return a journal, not started, over `factory`."""
        pool = () if self.older else (settings.min_files,)
        return self.class_of("impl.JournalImpl")(
            settings.file_size,
            settings.min_files,
            *pool,
            _NEVER,
            _NEVER,
            factory,
            settings.prefix,
            settings.extension,
            1,
            *((settings.user_version,) if self.user_version else ()),
        )

    def load(self, journal: Java, records: Java, prepared: Java, failures: Java) -> None:
        """Load `journal` into the two lists; transactions without an end are rolled back."""
        if self.older:
            journal.load(records, prepared, failures)
        else:
            journal.load(records, prepared, failures, True)

    @property
    def header(self) -> int:
        """The length of a file's header."""
        return 16 if self.user_version else 4

    def compact(self, journal: Java) -> None:
        """Compact all full files of `journal`, now."""
        if self.oldest:
            journal.compact()
        else:
            journal.testCompact()

    def control_file(self, file: Java) -> Java:
        """Return `file`, a control file, as a file to be read: its header is not looked at."""
        version = () if self.oldest else (self.class_of("impl.JournalImpl").FORMAT_VERSION,)
        return self.class_of("impl.JournalFileImpl")(file, self.control_id, *version)

    def make_file(self, factory: Java, name: str) -> Java:
        """Return the file `name` of `factory`'s directory, not opened."""
        return factory.createSequentialFile(name, *((1,) if self.older else ()))

    def check_control_file(self, journal: Java) -> None:
        """Let `journal` apply or remove a compaction control file, as its load does first of all."""
        buffer = java_classes().JClass("java.util.concurrent.atomic.AtomicReference")
        self.call(journal, "checkControlFile", *(() if self.older else (buffer(),)))

    @staticmethod
    def call(journal: Java, name: str, *arguments: Java) -> Java:
        """Call a method that is not public, and raise what it throws."""
        jpype = java_classes()
        try:
            return _hidden(journal.getClass(), name).invoke(journal, jpype.JArray(jpype.JObject)(arguments))
        except jpype.JClass("java.lang.reflect.InvocationTargetException") as error:
            raise error.getCause() from None

    def append_event(self, journal: Java, ident: int, user_type: int, body: Java, sync: bool) -> None:
        """Append an EVENT and wait for it."""
        persister = self.class_of("EncoderPersister").getInstance()
        encoded = self.class_of("impl.dataformat.ByteArrayEncoding")(body)
        callback = self.class_of("impl.SimpleWaitIOCallback")()
        journal.appendAddEvent(ident, user_type, persister, encoded, sync, callback)
        callback.waitCompletion()


HORNETQ = Brand(
    "hornetq",
    "org.hornetq.core.journal",
    "org.hornetq.core.journal",
    "org.hornetq.core.journal.impl.NIOSequentialFileFactory",
    "hornetq-data",
    "hq",
    "4a",
    ("v1", "v2"),
    ("v2",),
    older=True,
)
ARTEMIS = Brand(
    "artemis",
    "org.apache.activemq.artemis.core.journal",
    "org.apache.activemq.artemis.core.io",
    "org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory",
    "activemq-data",
    "amq",
    "00",
    ("v1", "v2", "v2e"),
    ("v2", "v2e"),
    events=True,
)
_BRANDS = {
    "hornetq-2.0.0": replace(
        HORNETQ, editions=("s2",), writes=("s2",), oldest=True, user_version=False, control_id=-1
    ),
    "hornetq-2.1.2": replace(HORNETQ, editions=("v1",), writes=("v1",), oldest=True),
    "hornetq-2.4.9": HORNETQ,
    "artemis-2.44.0": ARTEMIS,
}
#: The products that this harness drives.
PRODUCTS = tuple(_BRANDS)


def brand_of(product: Product) -> Brand:
    """Return the brand that `product` is a version of."""
    return _BRANDS[product.id]
