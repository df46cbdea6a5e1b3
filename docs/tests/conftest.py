"""The extension lies beside the pages, not in an installed package."""

from __future__ import annotations

import sys
from pathlib import Path

EXTENSION = str(Path(__file__).resolve().parents[1] / "ext")
if EXTENSION not in sys.path:
    sys.path.insert(0, EXTENSION)
