"""One JVM with one product on its class path.

JPype is imported only in functions of this module. So all modules can be imported, and their messages
printed, without it.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from journalspec_conformance.products import Product, ProductError, classpath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

#: If a call into the product takes longer than this (seconds), its stack is printed to standard error.
WATCH_SECONDS = 4.0

#: Packages of the JVM and of the bridge to Python. A thread is not printed if its stack contains only methods
#: of these packages.
_NOT_THE_PRODUCT = ("java.", "javax.", "jdk.", "sun.", "org.jpype.", "java.base/", "app//org.jpype.")

#: Finds the method in a frame of a stack, ``MODULE/PACKAGE.CLASS.METHOD(WHERE)``.
_METHOD_OF_FRAME = re.compile(r"\.([^.()\s]+)\(")

#: JPype and its Java objects have no type annotations.
Java = Any


@cache
def java_classes() -> Java:
    """Return the ``jpype`` module; raises ProductError if it is not installed."""
    try:
        return importlib.import_module("jpype")
    except ImportError as error:
        raise ProductError(f"JPype is missing ({error}): install `journalspec[products]`") from error


@cache
def java_class(name: str) -> Java:
    """Return a Java class as a Python object. The result is cached."""
    return java_classes().JClass(name)


class Thrown(Exception):
    """The product threw: `name` is the Java class, `text` its message.

    `methods` are the methods on the stack of the exception, innermost first; `cause` is the Java class of its
    cause, if it has one.
    """

    def __init__(self, name: str, text: str, methods: tuple[str, ...] = (), cause: str = "") -> None:
        """Store the values. The text of this exception is ``name: text``."""
        super().__init__(f"{name}: {text}" if text else name)
        self.name = name
        self.text = text
        self.methods = methods
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Runtime:
    """Represents the running JVM, with its version and its default charset."""

    version: str
    charset: str


def start(product: Product, *, charset: str | None = None, options: Sequence[str] = ()) -> Runtime:
    """Start the JVM with `product`.

    `charset` becomes the JVM's default charset, `options` are its own. Whatever Java prints goes to standard
    error: standard output belongs to the protocol. Raises ProductError (not fetched, no JVM, JVM too old).
    """
    jpype = java_classes()
    jars = classpath(product)
    # Harnesses run for seconds, so the JVM's second compiler would take more time than it saves.
    given = ["-Djava.awt.headless=true", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", *options]
    if charset:
        given.append(f"-Dfile.encoding={charset}")
    try:
        jpype.startJVM(*given, classpath=jars, convertStrings=False)
    except (OSError, RuntimeError, ValueError) as error:
        raise ProductError(
            f"Java could not be started ({error}): install Java {product.java} or newer"
        ) from error
    system = jpype.JClass("java.lang.System")
    system.setOut(system.err)
    version = str(system.getProperty("java.version"))
    feature = int(str(system.getProperty("java.specification.version")).rpartition(".")[2])
    if feature < product.java:
        raise ProductError(
            f"Java {version} is too old for {product.id}: install Java {product.java} or newer"
        )
    default = jpype.JClass("java.nio.charset.Charset").defaultCharset()
    return Runtime(version, str(default.name()))


def java_bytes(data: bytes) -> Java:
    """Return a Java array of bytes."""
    jpype = java_classes()
    return jpype.JArray(jpype.JByte)(data)


def python_bytes(array: Java) -> bytes:
    """Return the content of a Java array of bytes; nothing if there is none."""
    return b"" if array is None else bytes(memoryview(array).cast("B"))


def xa_id(xid: Java) -> tuple[int, bytes, bytes]:
    """Return the format id and the two parts of an object that has the methods of an XA Xid."""
    parts = xid.getGlobalTransactionId(), xid.getBranchQualifier()
    return int(xid.getFormatId()), python_bytes(parts[0]), python_bytes(parts[1])


def declared_field(kind: Java, name: str) -> Java:
    """Return the field `name` of a Java class, made accessible; None if the class does not declare it."""
    return _accessible(kind.getDeclaredFields(), name)


def _kind(owner: Java) -> Java:
    """Return the Java class of an object as a Python object, which is quick to look up."""
    return type(owner)


@cache
def _own_field(kind: Java, name: str) -> Java:
    """Return the field `name` of a Java class, given as a Python object; the result is cached."""
    return declared_field(kind.class_, name)


def private_value(owner: Java, name: str) -> Java:
    """Return the value of the private field `name` of a Java object (None if it has no such field)."""
    field = _own_field(_kind(owner), name)
    value = None if field is None else field.get(owner)
    reference = java_class("java.util.concurrent.atomic.AtomicReference")
    return value.get() if isinstance(value, reference) else value


def private_call(owner: Java, name: str, *arguments: Java) -> Java:
    """Call a method of a Java object that is not public; its exceptions are raised."""
    jpype = java_classes()
    try:
        return _method(_kind(owner), name).invoke(owner, jpype.JArray(jpype.JObject)(arguments))
    except java_class("java.lang.reflect.InvocationTargetException") as error:
        raise error.getCause() from None


@cache
def _method(kind: Java, name: str) -> Java:
    """Return the method `name` of a Java class or of its superclasses; the result is cached."""
    found, owner = None, kind.class_
    while found is None and owner is not None:
        found, owner = _accessible(owner.getDeclaredMethods(), name), owner.getSuperclass()
    return found


def _accessible(members: Java, name: str) -> Java:
    found = next((item for item in members if str(item.getName()) == name), None)
    if found is not None:
        found.setAccessible(True)
    return found


def instance_of(interface: str, behind: Java = None, **instead: Callable[..., Any]) -> Java:
    """Return an object of a Java interface; `instead` provides some methods, `behind` the others."""
    jpype = java_classes()
    kind = java_class(interface)
    return jpype.JObject(jpype.JProxy(kind, inst=_StandIn(behind, instead)), kind)


class _StandIn:
    def __init__(self, behind: Java, instead: Mapping[str, Callable[..., Any]]) -> None:
        self._behind = behind
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        return self._instead[name] if name in self._instead else getattr(self._behind, name)


class JavaLog:
    """Collects everything that the JVM logs at INFO or above, instead of printing it."""

    def __init__(self) -> None:
        """Start listening."""
        self._entries: list[str] = []
        root = java_classes().JClass("java.util.logging.LogManager").getLogManager().getLogger("")
        self._filter = java_classes().JProxy("java.util.logging.Filter", dict={"isLoggable": self._keep})
        for handler in root.getHandlers():
            handler.setFilter(self._filter)

    def _keep(self, record: Java) -> bool:
        """Store the text of `record`; the result False means that Java does not print it."""
        text = str(record.getMessage())
        parameters = record.getParameters()
        for index, value in enumerate(parameters if parameters is not None else ()):
            text = text.replace(f"{{{index}}}", str(value))
        self._entries.append(text)
        return False

    def take(self) -> list[str]:
        """Return the lines that were logged since the last call."""
        taken, self._entries = self._entries, []
        return taken


#: This event is set if the JVM must no longer be used: it ran out of memory or started a product too often.
spent = threading.Event()


def thrown(error: Java) -> Thrown:
    """Return a Java exception as a Thrown, which contains no Java objects."""
    message = error.getMessage()
    if str(error.getClass().getName()) == "java.lang.OutOfMemoryError":
        # After this error, threads of the product may have ended, or may wait forever.
        spent.set()
    # All frames are read with one call, because a stack has dozens, and a call into the JVM takes longer than
    # parsing text.
    frames = str(java_class("java.util.Arrays").toString(error.getStackTrace()))
    methods = tuple(_METHOD_OF_FRAME.findall(frames))
    cause = error.getCause()
    return Thrown(
        str(error.getClass().getName()),
        "" if message is None else str(message),
        methods,
        "" if cause is None else str(cause.getClass().getName()),
    )


class _Watch:
    """Reports on standard error a call that does not return; one thread for all calls."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._thread: threading.Thread | None = None
        self._parent = os.getppid()

    def begin(self) -> None:
        """Record that a call has begun."""
        self._since = time.monotonic()
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Record that the call has returned."""
        self._since = None

    def _look(self) -> None:
        shown: float | None = None
        while True:
            time.sleep(WATCH_SECONDS / 8)
            if os.getppid() != self._parent:
                # The runner has ended. This process must end too, because otherwise the call would run
                # forever.
                os._exit(1)
            since = self._since
            if since is None or since == shown or time.monotonic() - since < WATCH_SECONDS:
                continue
            shown = since
            _show_stacks()


_watch = _Watch()


@contextmanager
def product_call() -> Iterator[None]:
    """Turn Java exceptions into Thrown, and report on standard error a call that does not return."""
    _watch.begin()
    try:
        yield
    except java_classes().JException as error:
        raise thrown(error) from None
    finally:
        _watch.end()


def _show_stacks() -> None:
    """Print the stacks of the threads that are inside the product."""
    print(f"the product has not returned for {WATCH_SECONDS:.0f} s:", file=sys.stderr)
    stacks = java_classes().JClass("java.lang.Thread").getAllStackTraces()
    for thread in stacks.keySet():
        frames = [str(frame) for frame in stacks.get(thread)]
        if not all(frame.startswith(_NOT_THE_PRODUCT) for frame in frames):
            print(
                "\n".join([f"  {thread.getName()}", *(f"    at {frame}" for frame in frames)]),
                file=sys.stderr,
            )
    sys.stderr.flush()
