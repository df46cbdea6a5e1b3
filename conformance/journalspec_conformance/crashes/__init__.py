"""Implementations judged on crash states, on the connection, the report and the failure output of every run.

:mod:`.states` makes cases of crash states, which judge answers by the oracle of the crash model. No reader,
not even the reference, decides the right answer. :mod:`.story` reduces and describes a failure.
:mod:`.writers` judges the files that an implementation writes. :mod:`.findings` has the results of products.
"""

from __future__ import annotations
