"""The lowest versions that pyproject.toml permits, as constraints for pip: ``lowest.py [EXTRA...]``.

It prints the constraints of the package itself and of the given extras, including extras of extras. A
requirement without a lowest version is an error, because it could not be tested.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def requirements(extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield the requirements of the package with `extras`; raises KeyError for an unknown extra."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    texts = list(project["dependencies"])
    waiting, seen = list(extras), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            texts += optional[name]
            waiting += [extra for text in optional[name] for extra in _own(project["name"], text)]
    yield from (entry for entry in map(Requirement, texts) if entry.name != project["name"])


def _own(package: str, text: str) -> set[str]:
    found = Requirement(text)
    return set(found.extras) if found.name == package else set()


def lowest(entry: Requirement) -> str:
    """Return ``name==version`` with the lowest version that `entry` permits; raises ValueError."""
    versions = [part.version for part in entry.specifier if part.operator in {">=", "==", "~="}]
    if len(versions) != 1:
        raise ValueError(f"{entry}: names no lowest version")
    return f"{entry.name}=={versions[0]}"


if __name__ == "__main__":
    print("\n".join(sorted({lowest(entry) for entry in requirements(sys.argv[1:])})))
