"""What the modules ``lacking`` of the formats share: files of a journal that have another name by now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from journalspec_reference.filesets import HEAD, Journal


def is_copy(name: str, original: str) -> bool:
    """Return whether a name is another name with a suffix, as names of renamed files and copies are."""
    return name != original and name.startswith(original) and not name[len(original)].isalnum()


def renamed(
    journal: Journal, named: re.Pattern[str], begins: Callable[[bytes], bool]
) -> Iterator[tuple[str, str]]:
    """Yield the name of each file of a journal that is not here, and that of the file which may be it.

    That one has the name, which `named` matches, and something after it (``db-2.log.old``), and `begins` as
    such a file does.
    """
    listed, root = journal.listed or frozenset(), journal.root
    for other in sorted(listed):
        found = named.match(other)
        if root is None or found is None or not is_copy(other, found[0]):
            continue
        # To open a pipe would wait for a writer.
        if found[0] in listed or other in journal.files or not (root / other).is_file():
            continue
        try:
            with (root / other).open("rb") as file:
                head = file.read(HEAD)
        except OSError:
            continue
        if begins(head):
            yield found[0], other
