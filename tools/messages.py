"""Lets products print their messages: it damages a small store, starts the product, and stores the output.

    python tools/messages.py derby-10.14.2.0             compares with the committed file
    python tools/messages.py derby-10.14.2.0 --update    rewrites this file
    python tools/messages.py derby-10.14.2.0 --only page --show

The committed file of a format is ``specs/journalspec/FORMAT/messages_made.json``. For each product it
contains the states, each with `how` it was made and the `lines` that a start printed. Rows of
``messages.toml`` refer to a state by product and name. Paths and values that differ from run to run are
replaced. All starts of one product share one JVM. Needs Java 17 or newer and Maven, or jars that were fetched
before (`journalspec products fetch`).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from messages_damage import records
from messages_states import MAKERS, OWN, Maker, State
from stores import OPENED, QUICK

from journalspec.formats import get_format
from journalspec.messages import IMPACTS, MADE_NAME, ProductMessage, messages, prints

PROGRAMS = Path(__file__).with_name("messages")
SECONDS = 900
#: Product -> state -> `how` and `lines`.
Record = dict[str, dict[str, dict[str, Any]]]
#: Patterns of values that differ from run to run, and their replacements.
REPLACED = (
    (r"\d\d\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+", "TIME"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \S+ \d{4}", "TIME"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-fxX]{12}", "UUID"),
    (r"\b[a-z]016\d{5}-[0-9a-f-]+", "UUID"),
    (r"with class loader \S+ ?", "with class loader LOADER "),
    (r"@[0-9a-f]{5,8}\b", "@HASH"),
    (r"ID:[\w.-]+?-\d+-\d{13}-\d+:\d+", "ID:HOST"),
    (r"in \d+(\.\d+)?(E-?\d+)? (seconds|ms)", r"in N \3"),
    (r"\b1[78]\d{11}\b", "MILLIS"),
    (r"page dump follows.*", "page dump follows"),
)
#: Longer lines contain dumps of pages.
LONGEST = 400


def classes(maker: Maker, target: Path) -> str:
    """Compile the programs of a product to `target`; returns the class path of a run."""
    path = ":".join(map(str, maker.jars()))
    sources = [str(PROGRAMS / f"{name}.java") for name in ("Recorder", maker.program)]
    words = ["javac", *(f"-J{option}" for option in QUICK), "-XDsuppressNotes"]
    words += ["-d", str(target), "-cp", path, *sources]
    subprocess.run(words, check=True, timeout=SECONDS)
    return f"{target}:{path}"


def _run(maker: Maker, path: str, arguments: list[str]) -> str:
    words = ["java", "-Xmx512m", *QUICK, *OPENED, "-cp", path, maker.program, *arguments]
    done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False)
    text = done.stdout.decode("utf-8", "replace")
    if not text.startswith("===") and arguments[0] != OWN:
        raise RuntimeError(f"{maker.program} ended with {done.returncode}:\n{done.stderr.decode()[-2000:]}")
    return text


def made(
    maker: Maker, states: Mapping[str, State], look: Callable[[str, Path], None] = lambda *_: None
) -> dict[str, list[str]]:
    """For each state, return the lines that a start printed; `look` is called before the start, with the
    store.
    """
    with tempfile.TemporaryDirectory(prefix="messages-") as name:
        place = Path(name)
        path = classes(maker, place / "classes")
        bases = {state.base for state in states.values()}
        for base in bases:
            make = maker.bases[base]
            if isinstance(make, str):
                _run(maker, path, [make, str(place / "bases" / base)])
            else:
                (place / "bases").mkdir(exist_ok=True)
                make(place / "bases" / base)
        arguments = []
        for key, state in states.items():
            store = place / "stores" / key / "DATA"
            shutil.copytree(place / "bases" / state.base, store)
            options = _options(state.options, store)
            state.make(store)
            look(key, store)
            arguments.append(f"{key}={store}" + (f",{options}" if options else ""))
        return _by_state(_run(maker, path, arguments), place)


def _options(text: str, store: Path) -> str:
    """Return the options of a start; options with a Bitronix branch are filled in from the log."""
    if "{" not in text:
        return text
    found = [record.fields["gtrid"] for record in records(store) if record.type == "COMMITTING"]
    decided: bytes = found[-1]  # type: ignore[assignment]
    return text.format(decided=decided.hex(), other=(decided[:-1] + b"\x63").hex())


def _by_state(text: str, place: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("=== "):
            lines = found.setdefault(line[4:], [])
            continue
        told = re.sub(rf"{re.escape(str(place))}/stores/[\w.-]+/DATA", "DATA", line)
        for pattern, word in REPLACED:
            told = re.sub(pattern, word, told)
        lines.append(told[:LONGEST])
    found.pop("end", None)
    return found


def record_of(format_id: str) -> Path:
    """Return the path of the file with the recorded messages of a format."""
    return Path(str(get_format(format_id).root)) / MADE_NAME


def read_record(format_id: str) -> Record:
    """Return the recorded messages of a format: product -> state -> `how` and `lines`."""
    path = record_of(format_id)
    found: Record = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def loud(maker: Maker, lines: Iterable[str]) -> list[str]:
    """Return the lines about a store, without greetings. Of several lines that differ only in numbers, return
    one.
    """
    silent = re.compile(maker.silent)
    found = {re.sub(r"\d+", "0", line): line for line in reversed(list(lines)) if not silent.search(line)}
    return list(reversed(found.values()))


def main() -> int:
    """Make one product print its messages; return 1 if a message that a row requires was not printed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("product", choices=MAKERS)
    parser.add_argument("--only", default="", help="only states with this in their names")
    parser.add_argument("--update", action="store_true", help="rewrite the record")
    parser.add_argument("--show", action="store_true", help="print the lines")
    given = parser.parse_args()
    maker = MAKERS[given.product]
    states = {key: state for key, state in maker.states.items() if given.only in key}
    found = made(maker, states)
    fresh = {key: {"how": states[key].how, "lines": loud(maker, lines)} for key, lines in found.items()}
    if given.show:
        for key, entry in fresh.items():
            print(f"== {key}: {entry['how']}", *entry["lines"], sep="\n")
    record = read_record(maker.format)
    if given.update:
        record[given.product] = {**record.get(given.product, {}), **fresh}
        text = json.dumps(dict(sorted(record.items())), indent=1, ensure_ascii=False, sort_keys=True)
        record_of(maker.format).write_text(text + "\n", encoding="utf-8")
        return 0
    lacking = unprinted(given.product, {key: list(entry["lines"]) for key, entry in fresh.items()})
    print(*lacking or ["the product printed every message that the rows predict for these states"], sep="\n")
    return 1 if lacking else 0


def foretold(format_id: str, codes: Iterable[str]) -> tuple[ProductMessage, ...]:
    """Return the messages that a start without special options should print, predicted from an answer.

    `codes` are the reasons, notes, kinds of `missing`, and the refusal code in the answer of strict recovery.
    Messages about losses come first. If the product refuses to start, messages without a loss are omitted,
    because it may stop before printing them. No command prints this list, because predictions can fail: of
    106 predicted messages that were tried one by one, 14 were not printed.
    """
    wanted = set(codes)
    found = [entry for entry in messages(format_id) if wanted & set(entry.start)]
    refused = any(entry.impact == "refusal" for entry in found)
    printed = [entry for entry in found if not refused or entry.impact != "none"]
    return tuple(sorted(printed, key=lambda entry: -IMPACTS.index(entry.impact)))


def unprinted(product: str, fresh: Mapping[str, list[str]]) -> list[str]:
    """Return the rows whose messages a start on their states did not print."""
    return [
        f"{name}: {entry.id} was not printed"
        for entry in messages(MAKERS[product].format)
        for name in entry.made
        for of, _, state in [name.partition("/")]
        if of == product and state in fresh and not prints(entry, fresh[state])
    ]


if __name__ == "__main__":
    sys.exit(main())
