"""Terminal control sequences in an implementation's name are escaped; tables test the names of files."""

from __future__ import annotations

import sys
from pathlib import Path

from judged import STRANGE, harmless, start


def test_control_sequences_in_the_name_of_an_implementation_are_escaped(tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    greeting = {"protocol": 1, "impl": {"name": STRANGE}, "formats": {"x-\x1b[2J": {}}}
    harness.write_text(
        "import json, sys\nsys.stdin.readline()\nsys.stderr.buffer.write(b'\\x1b[2J\\xff')\n"
        f"print(json.dumps({{'seq': 1, **{greeting!r}}}), flush=True)\n"
    )
    done = start("run", "--impl", f"{sys.executable} {harness}")
    assert done.returncode == 2
    assert "fault of journalspec" not in harmless(done.stderr)
