"""The rule for new stores: they have the contents of the old store, and their verdict is `clean`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from newstore_trials import Hooks

from journalspec.observation import CLEAN
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.draws import drawn_cases
from journalspec_corpus.load import load_cases
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import Journal
from journalspec_reference.newstore import NewStore, StoreChoices, new_store


def bytes_of(store: NewStore) -> dict[str, bytes]:
    """Return the files of a new store; a name that ends in / is a directory."""
    found = {}
    for file in store.files():
        parts = [*file.parts]
        assert all(len(part) <= 1 << 20 for part in parts)
        if not file.name.endswith("/"):
            found[file.name] = b"".join(parts)
    return found


def made(answer: Answer, **choices: Any) -> tuple[NewStore, Answer]:
    """Return the new store and the answer about it.

    The verdict must be `clean`, and a second build must be equal.
    """
    store, journal = new_store(answer, StoreChoices(**choices)), answer.journal
    files = bytes_of(store)
    assert files == bytes_of(store)
    again = ask(Journal(journal.format, journal.edition, files, params=journal.params), "strict")
    seen = again.observation
    assert (seen.verdict, seen.code, [*seen.missing]) == (CLEAN, None, [])
    return store, again


def crashed(format_id: str, first: int = 7, every: int = 109, each: int = 31) -> Iterator[Journal]:
    """Yield a sample of the crash states of a format."""
    adapter, number = crash_format(format_id), 0
    for work in list(adapter.workloads("core"))[first::every]:
        trace = adapter.build(work)
        for states in crash_states(trace, PRESETS, 1):
            for codes in states.codes:
                number += 1
                if number % each == 0:
                    yield Journal(format_id, trace.edition, states.point.materialise(codes))


def cases(format_id: str) -> Iterator[Journal]:
    """Yield the journals of the published cases."""
    for case in load_cases(format_id):
        yield Journal(format_id, case.edition, case.files(), params=case.params)


def drawn(format_id: str, count: int = 300) -> Iterator[Journal]:
    """Yield drawn journals."""
    for case in drawn_cases(format_id, 47, range(count)):
        yield Journal(format_id, case.edition, case.files(), params=case.params)


def rows_of(found: Any) -> Mapping[tuple[str, str], int]:
    """Return the numbers of rows, by table and name."""
    return {(count.table, count.name): count.rows for count in found}


def held(journal: Journal, policy: str = SALVAGE) -> tuple[NewStore, Answer, Answer] | None:
    """Check the rule for one journal. Return three values: the new store, the answer about the old one, and
    the answer about the new one. Return None if no item is kept.

    Raises CannotRebuild.
    """
    answer, hooks = ask(journal, policy), Hooks(journal.format)
    if answer.observation.state is None:
        return None
    store, again = made(answer)
    assert hooks.live(again) == hooks.live(answer)
    found = contents(again)
    if found is not None:
        counted = rows_of(found.counts())
        assert counted.items() <= rows_of(store.carried()).items()
    for _ in (*store.left_out(), *store.unverified(), *store.chosen(), *store.steps()):
        pass
    return store, answer, again
