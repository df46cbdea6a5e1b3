"""The plan of a build: workloads, shards, presets and seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from journalspec import __version__
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.workloads import LongWorkload

#: This is increased whenever the same descriptor would lead to another id, class or verdict.
ENGINE = 3
#: The version of a plan's results: the first number changes with the meaning of ids and verdicts, the second
#: with added checks.
EDITION = f"{ENGINE}.4"
#: Tiers that are built from traces, and the number of workloads in one shard.
BUILT_TIERS = {"core": 24, "full": 64}


@dataclass(frozen=True, slots=True)
class Plan:
    """The complete definition of a build: two equal plans give the same bytes.

    With `every`, only each n-th workload is taken (for benchmarks and tests).
    """

    format: str
    tier: str
    seed: int = 1
    presets: tuple[str, ...] = tuple(preset.name for preset in PRESETS)
    every: int = 1
    engine: int = ENGINE
    version: str = __version__

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        return {**asdict(self), "presets": list(self.presets)}

    @property
    def fingerprint(self) -> str:
        """Return 32 hex digits that distinguish this plan from any other."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def shard_size(self) -> int:
        """The number of workloads in one shard; fewer if the plan takes only each n-th workload."""
        return max(4, BUILT_TIERS[self.tier] // min(self.every, 4))

    def workloads(self) -> tuple[Any, ...]:
        """Return all workloads of the build, in order."""
        return _workloads(self.format, self.tier)[:: self.every]

    def shards(self) -> int:
        """Return the number of shards."""
        return -(-len(self.workloads()) // self.shard_size)

    def shard_workloads(self, number: int) -> tuple[Any, ...]:
        """Return the workloads of shard `number`, in order."""
        start = number * self.shard_size
        return self.workloads()[start : start + self.shard_size]

    def longest_first(self, shards: Iterable[int]) -> list[int]:
        """Return `shards` in an order in which long workloads come first, so that none of them finishes last.

        The other shards follow in reverse order, because later workloads of the plan are larger.
        """

        def duration(number: int) -> tuple[int, int]:
            long = sum(isinstance(work, LongWorkload) for work in self.shard_workloads(number))
            return long, number

        return sorted(shards, key=duration, reverse=True)


@lru_cache(maxsize=8)
def _workloads(format_id: str, tier: str) -> tuple[Any, ...]:
    return tuple(crash_format(format_id).workloads(tier))
