"""Any implementation judged on crash states: chosen, put on disk, asked about, held against what is owed.

States come from the corpus' own traces and presets (:mod:`.choose`). Each is
given to the implementation as files to ``recover`` (:mod:`.asking`), and its
answer is judged by the oracle of the crash model (:mod:`.verdicts`): no reader,
not even the reference, says what would have been right. :mod:`.run` does this
for thousands of states over several processes, :mod:`.tally` counts by kind,
and what is known already is a file of kinds (:mod:`.verdicts`).
"""

from __future__ import annotations
