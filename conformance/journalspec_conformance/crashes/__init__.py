"""Implementations judged on crash states, on the connection, the report and the failure output of every run.

:mod:`.states` makes cases of crash states. The oracle of the crash model grades the answers: the right answer
does not depend on any reader, not even the reference. :mod:`.story` reduces and describes a failure.
:mod:`.writers` judges the files that an implementation writes. :mod:`.findings` has the results of products.
"""

from __future__ import annotations
