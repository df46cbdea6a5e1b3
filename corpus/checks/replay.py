"""The gate on a format's model: what operations amount to, said a second time and compared.

Sequences of operations are drawn, and after each operation the model's state is held against a naive
replay. That is written from the requirements, and it looks at the history as a whole: it carries no state
from one operation to the next. Each format has one, ``OPERATIONS`` and ``replayed`` in the module
``replay_<format>``.

``python corpus/checks/replay.py --format F`` prints how many states were compared and where the two
differ. Exit status: 0 if nowhere, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

from journalspec_corpus.model import Model, model_of

Operation = Mapping[str, Any]
#: So many sequences of so many operations.
SEQUENCES, LENGTH = 400, 14
SEED = 1
SHOWN = 5


class Replay(Protocol):
    """The naive replay of a format."""

    EDITIONS: Sequence[str]

    def drawn(self, rng: random.Random, before: Sequence[Operation], edition: str) -> Operation:
        """Return an operation that may follow `before`."""

    def replayed(self, ops: Sequence[Operation], edition: str) -> dict[str, Any]:
        """Return what the model has to show after `ops`."""

    def state(self, ops: Sequence[Operation], edition: str) -> dict[str, Any]:
        """Return the same as recovery would report it, as JSON."""


@dataclass(frozen=True, slots=True)
class Differing:
    """Operations after which the model shows something else than the naive replay."""

    edition: str
    ops: tuple[Operation, ...]
    how: str
    model: Mapping[str, Any]
    naive: Mapping[str, Any]

    def __str__(self) -> str:
        told = "; ".join(" ".join(f"{key}={value}" for key, value in op.items()) for op in self.ops)
        return f"{self.edition}, {self.how}: after {told}\n  model {self.model}\n  naive {self.naive}"


def replay_of(format_id: str) -> Replay:
    """Return the naive replay of a format; raises LookupError if it has none."""
    name = f"replay_{format_id}"
    if find_spec(name) is None:
        raise LookupError(f"{format_id} has no naive replay: {name}.py")
    return cast(Replay, import_module(name))


def differing(
    format_id: str, sequences: int = SEQUENCES, seed: int = SEED, model: Model | None = None
) -> Iterator[Differing | None]:
    """Yield for each state compared None, or the difference.

    The model is asked twice: operation by operation, and begun in the middle from a recovered state.
    Raises LookupError if the format has no model or no naive replay.
    """
    naive, asked = replay_of(format_id), model or model_of(format_id)
    if asked is None:
        raise LookupError(f"{format_id} has no model")
    for number in range(sequences):
        rng = random.Random(f"{seed}/{number}")  # the same sequences every time
        edition = naive.EDITIONS[number % len(naive.EDITIONS)]
        ops: list[Operation] = []
        kept = asked.begin({})
        begin = rng.randrange(LENGTH)
        for at in range(LENGTH):
            ops.append(naive.drawn(rng, ops, edition))
            kept = asked.after(kept, ops[-1], edition)
            how, wanted = "step by step", naive.replayed(ops, edition)
            shown = asked.shown(kept)
            if at == begin and shown == wanted:
                how, shown = "from a state", asked.shown(asked.begin(naive.state(ops, edition)))
            yield None if shown == wanted else Differing(edition, tuple(ops), how, shown, wanted)
            if shown != wanted:
                break


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/replay.py", description=__doc__)
    parser.add_argument("--format", required=True)
    parser.add_argument(
        "--sequences", type=int, default=SEQUENCES, metavar="N", help="(default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    try:
        found = list(differing(options.format, options.sequences))
    except LookupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = [entry for entry in found if entry is not None]
    print(f"{len(found)} states compared, {len(wrong)} differ")
    for entry in wrong[:SHOWN]:
        print(entry)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
