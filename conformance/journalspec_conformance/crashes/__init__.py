"""Tests of implementations on crash states, with the connection, report and failure output of any run.

:mod:`.states` makes cases of crash states. The oracle of the crash model grades the answers: the right answer
does not depend on any reader, not even the reference. :mod:`.story` reduces and describes a failure.
:mod:`.writers` checks the files that an implementation writes. :mod:`.findings` has the results of products.
"""

from __future__ import annotations
