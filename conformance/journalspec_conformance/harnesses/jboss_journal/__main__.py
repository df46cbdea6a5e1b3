"""The harness as a process; see the package's text."""

from __future__ import annotations

import sys

from journalspec_conformance.harnesses.java.harness import main
from journalspec_conformance.harnesses.jboss_journal.harness import JournalProduct

if __name__ == "__main__":
    sys.exit(main(JournalProduct))
