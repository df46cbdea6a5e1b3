"""Undamaged stores of products, and damaged states of them, for `messages.py`.

The states are in ``messages_states.toml``. Each state has a sentence on how it was made, and the calls of
``messages_damage.py`` that make it. The messages that the product prints for the state are the result.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stores
from messages_damage import damage

from journalspec_conformance.products import get_product, product_dir

#: Jars that send the log of products to java.util.logging. They are first in the class path, so that they
#: replace older APIs too.
BINDING = ("slf4j-api-2.0.17.jar", "slf4j-jdk14-2.0.17.jar")
#: The method in a product's program that writes the undamaged store, given its directory.
OWN = "write"
STATES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class State:
    """A store before a start: `how` it was made, the damage to an undamaged store, and start options."""

    how: str
    damage: Sequence[Sequence[Any]] = ()
    options: str = ""
    base: str = "halt"

    def make(self, root: Path) -> None:
        """Damage the undamaged store at `root`."""
        damage(root, self.damage)


@dataclass(frozen=True)
class Maker:
    """A product whose messages are recorded: its format, program, class path, undamaged stores and states.

    `silent` matches lines that are not about the store, or differ from run to run.
    """

    title: str
    format: str
    program: str
    jars: Callable[[], list[Path]]
    bases: Mapping[str, Callable[[Path], object] | str]
    of: str
    silent: str

    @property
    def states(self) -> dict[str, State]:
        """The states by name."""
        return {name: State(**entry) for name, entry in STATES[self.of].items()}


def _binding() -> list[Path]:
    folder = product_dir(get_product("artemis-2.44.0"))
    return [folder / name for name in BINDING]


def _broker(name: str, version: str) -> Callable[[], list[Path]]:
    return lambda: [*_binding(), *sorted(stores.jars(name, version).glob("*.jar"))]


def _product(name: str) -> Callable[[], list[Path]]:
    def jars() -> list[Path]:
        found = sorted(product_dir(get_product(name)).glob("*.jar"))
        return [*_binding(), *(path for path in found if "slf4j" not in path.name)]

    return jars


def _store(version: str, end: str) -> Callable[[Path], object]:
    return lambda target: shutil.copytree(stores.written("kahadb", version, end=end), target)


def _captured(name: str) -> Callable[[Path], None]:
    source = Path(__file__).parents[1] / "corpus/captured/bitronix_tlog" / name / "tm-crash-between-commits"

    def make(target: Path) -> None:
        target.mkdir()
        for file in source.glob("*.tlog"):
            shutil.copy(file, target / file.name)

    return make


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


def _makers() -> dict[str, Maker]:
    own: dict[str, Callable[[Path], object] | str] = {"halt": OWN}
    jars = _broker("artemis", "2.44.0")
    title, starts = "ActiveMQ Artemis 2.44.0", "ArtemisStarts"
    found = {"artemis-2.44.0": Maker(title, "jboss_journal", starts, jars, own, "artemis", _ARTEMIS_SILENT)}
    for version in ("6.1.7", "5.15.16", "5.8.0"):
        bases = {name: _store(version, name) for name in ("halt", "stop")} | {
            "older": _store("5.8.0", "halt")
        }
        title, jars = f"ActiveMQ {version}", _broker("kahadb", version)
        of = Maker(title, "kahadb_journal", "KahaStarts", jars, bases, "kahadb", _ACTIVEMQ_SILENT)
        found[f"activemq-{version}"] = of
    name = "derby-10.14.2.0"
    title, jars = "Apache Derby 10.14.2.0", _product(name)
    found[name] = Maker(title, "derby_log", "DerbyStarts", jars, own, "derby", _DERBY_SILENT)
    for version in ("2.1.4", "3.0.0-mk1"):
        name = f"bitronix-{version}"
        title, jars, halted = f"Bitronix {version}", _product(name), {"halt": _captured(name)}
        found[name] = Maker(title, "bitronix_tlog", "BtmStarts", jars, halted, "bitronix", _BITRONIX_SILENT)
    return found


MAKERS = _makers()
