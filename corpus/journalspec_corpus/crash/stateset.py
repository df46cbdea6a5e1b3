"""A set of states: versions of cells, row by row, and where each row comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import Codes, Group


@dataclass(frozen=True)
class States:
    """States of one group: row i is version ``codes[i, j]`` of each cell j.

    ``preset[i]`` indexes :data:`PRESETS`; ``tear[i]`` is the number of bytes of
    operation `torn` that arrived (0 in subset presets). `stratum` is R (a crash
    under honest forces), L (a force was not honoured) or C (corruption); ``rot[i]``
    says what was corrupted, and is empty as a whole where nothing was.
    """

    group: Group
    codes: Codes
    preset: npt.NDArray[np.uint8]
    tear: npt.NDArray[np.int32]
    #: index of the operation that is cut short, or -1
    torn: int = -1
    stratum: str = "R"
    rot: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: npt.NDArray[np.int64]) -> States:
        """Return the states of `rows` only."""
        rot = tuple([self.rot[row] for row in rows.tolist()]) if self.rot else ()
        return replace(self, codes=self.codes[rows], preset=self.preset[rows], tear=self.tear[rows], rot=rot)
