"""Where HornetQ and Artemis, and their versions, differ: names of classes, constructors, a few signatures."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from journalspec_conformance.harnesses.java.jvm import Java, java_classes

#: Compaction only when it is asked for: no number of files and no percentage starts it.
_NEVER = 0
#: The smallest file that either product can be configured for.
SMALLEST_FILE = 1024
_NAME = re.compile(r"^(?P<prefix>.*)-(?P<number>-?\d+)\.(?P<extension>[A-Za-z]+)(?:\.cmp|\.tmp)?$")


@dataclass(frozen=True, slots=True)
class Settings:
    """A journal's configuration. `file_size` is in bytes."""

    prefix: str
    extension: str
    file_size: int
    min_files: int
    user_version: int
    auto_reclaim: bool


@cache
def _hidden(owner: Java, name: str) -> Java:
    """Return the method `name` of class `owner`, made callable; looked for once."""
    method = next(item for item in owner.getDeclaredMethods() if str(item.getName()) == name)
    method.setAccessible(True)
    return method


@dataclass(frozen=True, slots=True)
class Variant:
    """One product version, as far as it differs from others; ``variants.toml`` says what the members are."""

    name: str
    package: str
    files: str
    factory: str
    prefix: str
    extension: str
    fill: str
    editions: tuple[str, ...]
    writes: tuple[str, ...]
    events: bool
    older: bool
    oldest: bool
    user_version: bool
    control_id: int

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


@cache
def variant_of(product_id: str) -> Variant:
    """Return what ``variants.toml`` says of a product; raises KeyError."""
    told = tomllib.loads(files(__package__).joinpath("variants.toml").read_text(encoding="utf-8"))
    own = told[product_id]
    whole = {**told.get(own.pop("like", ""), {}), **own}
    for name in ("editions", "writes"):
        whole[name] = tuple(whole[name])
    return Variant(**whole)


def settings_for(variant: Variant, directory: Path, params: Mapping[str, str]) -> Settings:
    """Return the settings for `directory`.

    What `params` do not say is taken from the names and sizes of the files, and
    for an empty directory from the product.
    """
    names = sorted(path for path in directory.iterdir() if path.is_file())
    found = [(match, path) for path in names if (match := _NAME.match(path.name))]
    chosen = params.get("extension") or _commonest(
        [match["extension"] for match, _ in found], variant.extension
    )
    own = [(match, path) for match, path in found if match["extension"] == chosen]
    size = max([SMALLEST_FILE, *(path.stat().st_size for _, path in own)])
    return Settings(
        prefix=params.get("prefix") or _commonest([match["prefix"] for match, _ in own], variant.prefix),
        extension=chosen,
        file_size=int(params.get("file_size", str(size))),
        min_files=int(params.get("min_files", "2")),
        user_version=int(params.get("user_version", "0")),
        auto_reclaim=params.get("auto_reclaim", "true") == "true",
    )


def _commonest(found: list[str], otherwise: str) -> str:
    counts = Counter(found)
    return min(counts, key=lambda text: (-counts[text], text)) if counts else otherwise
