"""Computes millions of states with verdicts from traces. The four phases are plan, run, write and count.

The same functions run in processes of this machine (:mod:`.build`) and in one Spark stage (:mod:`.spark`).
Tasks exchange descriptors only; a worker rebuilds the files of a state before it gets its verdicts. Shards
are fixed by the plan, so that the output does not depend on the number of partitions, processes or attempts.
"""

from __future__ import annotations
