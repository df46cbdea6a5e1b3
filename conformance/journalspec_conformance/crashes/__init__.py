"""Implementations judged on crash states, on the connection, the report and the failure output of every run.

:mod:`.states` makes cases of crash states, which judge answers by the oracle of the crash model. No reader,
not even the reference, says what would have been right. :mod:`.story` reduces and tells a failure.
:mod:`.writers` judges what an implementation writes. :mod:`.findings` is what products were found to do.
"""

from __future__ import annotations
