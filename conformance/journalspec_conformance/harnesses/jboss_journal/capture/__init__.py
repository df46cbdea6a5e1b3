"""Making the captured files: scenarios, played through the harness, killed where the scenario says so.

``python -m journalspec_conformance.harnesses.jboss_journal.capture OUT`` writes
one directory per product version and scenario. Shipped captures are never
edited; made again they have the same bytes but for the names of compacted files
and what a killed Artemis had not yet written of an open transaction.
"""

from __future__ import annotations
