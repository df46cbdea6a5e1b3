"""The worst cases of a format, put before the real products.

``python -m journalspec_conformance.crashes.worst HARNESS...`` asks each harness about the
cases of its format and writes ``findings/worst.toml``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from journalspec_conformance.connect import parse_impl
from journalspec_conformance.crashes.asking import Asker
from journalspec_conformance.crashes.findings import WORST, WorstSeen
from journalspec_conformance.crashes.record import FOLDER
from journalspec_conformance.harnesses.java.capturing import toml_value
from journalspec_corpus.crash.room import CrashRoom, crash_room, has_crash_room
from journalspec_corpus.crash.worst import Form, Worst, worst_cases

_HEAD = """# SPDX-License-Identifier: CC0-1.0
# Written by `python -m journalspec_conformance.crashes.worst`: what products' own readers got; not edited.
"""


def seen(harness: str) -> Iterator[WorstSeen]:
    """Yield what a product gets on the worst cases of its format, asked now."""
    target = parse_impl(harness)
    connection = target.open()
    formats = [name for name in connection.hello().formats if has_crash_room(name)]
    connection.close()
    for format_id in formats:
        room = crash_room(format_id)
        asker = Asker(target, format_id, room.answer)
        declared = asker.hello.formats[format_id]
        try:
            for case in worst_cases(format_id):
                policy = room.policies.get(case.reader)
                if policy in declared.policies:
                    full = _verdict(asker, room, case, case.full, policy)
                    small = _verdict(asker, room, case, case.small, policy)
                    yield WorstSeen(case.id, harness, policy, full, small, case.verdict)
        finally:
            asker.close()


def _verdict(asker: Asker, room: CrashRoom, case: Worst, form: Form, policy: str) -> str:
    state = case.state(form)
    reply = asker.ask(state.files, state.trace.edition, policy)
    if reply.answer is None:
        return reply.instead
    return state.verdict(reply.answer, salvaging=case.reader in room.salvaging)


def main(harnesses: list[str]) -> int:
    """Ask all of them and write the file; 2 on wrong usage."""
    if not harnesses:
        print(f"usage: python -m {__spec__.name} HARNESS...", file=sys.stderr)
        return 2
    lines = [_HEAD]
    for harness in harnesses:
        for entry in seen(harness):
            lines += ["[[seen]]"]
            lines += [f"{name} = {toml_value(getattr(entry, name))}" for name in WorstSeen.__slots__]
            lines += [""]
            print(entry)
    (FOLDER / WORST).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
