"""Tests implementations on crash states, with the same connections, reports and messages as other runs.

:mod:`.states` turns crash states into cases. The oracle of the crash model grades the answers. So the right
answer does not depend on any reader, including the reference. The module :mod:`.story` reduces and describes
a failure. The module :mod:`.writers` checks the files that an implementation writes.
"""

from __future__ import annotations
