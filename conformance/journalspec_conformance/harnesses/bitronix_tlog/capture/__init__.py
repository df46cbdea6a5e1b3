"""Making the captured files: scenarios, played through the harness, killed where the scenario says so.

``python -m journalspec_conformance.harnesses.bitronix_tlog.capture OUT`` writes
one directory per product version and scenario. Shipped captures are never
edited and never made again in place: clocks differ from run to run.
"""

from __future__ import annotations
