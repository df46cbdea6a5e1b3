"""The data by which other programs recognise formats agree with the tables and schemas."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import gallery
import pytest
import yaml

from journalspec.formats import format_ids, format_module

ROOT = Path(__file__).parents[2]
#: Real files, and the output of file(1) about them.
KNOWN = {
    "bitronix_tlog/bitronix-2.1.4/partial-commit/btm1.tlog": "Bitronix transaction log, timestamp",
    "kahadb_journal/activemq-6.1.7/three/db-1.log": "ActiveMQ KahaDB journal, batch_size",
    "kahadb_journal/activemq-5.11.4/one-batch/db-1.log": "ActiveMQ KahaDB journal, batch_size",
}
WIDTHS = {"s8": 1, "u8": 1, "s16": 2, "u16": 2, "s32": 4, "u32": 4, "s64": 8, "u64": 8}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gallery")
    subprocess.run([sys.executable, ROOT / "tools" / "gallery.py", out], check=True, capture_output=True)
    return out


@pytest.mark.parametrize("name", KNOWN)
def test_file_command_recognises_real_files_by_their_signature(name: str, made: Path) -> None:
    program = shutil.which("file") or pytest.skip("needs file(1)")
    command = [program, "--brief", "-m", str(made / "magic"), str(ROOT / "corpus" / "captured" / name)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(KNOWN[name])


@pytest.mark.parametrize("format_id", format_ids())
def test_pattern_has_the_fields_of_the_header_and_their_widths(format_id: str, made: Path) -> None:
    layout = format_module("journalspec", format_id).LAYOUT
    for name, edition in gallery.files_of(format_id).items():
        text = (made / "imhex" / f"{name}.hexpat").read_text(encoding="utf-8")
        body = text[text.index("struct Header {") : text.index("};")]
        found = re.findall(r"^    (\w+) (\w+)(?:\[(\d+)\])?;$", body, re.MULTILINE)
        header = layout.structure("header", edition)
        assert [item for _, item, _ in found] == list(header.names)
        widths = [int(count) if count else WIDTHS[kind] for kind, _, count in found]
        assert widths == [item.width for item in header.fields]
        for item in layout.structure("record", edition).fields:
            assert re.search(rf"\b{item.name}\b", text[text.index("struct Record {") :])


def without_own_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_own_keys(item) for key, item in value.items() if key != "-requirement"}
    return [without_own_keys(item) for item in value] if isinstance(value, list) else value


def test_schema_for_the_gallery_is_our_schema_without_our_keys(made: Path) -> None:
    schemas = sorted(ROOT.glob("specs/journalspec/*/*.ksy"))
    assert {path.name for path in schemas} == {path.name for path in (made / "kaitai").iterdir()}
    for path in schemas:
        text = (made / "kaitai" / path.name).read_text(encoding="utf-8")
        assert yaml.safe_load(text) == without_own_keys(yaml.safe_load(path.read_text(encoding="utf-8")))
        assert yaml.safe_load(text)["meta"]["id"] == path.stem
