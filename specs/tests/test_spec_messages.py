"""Messages of products: each entry is complete, starts of products printed it, and a line of a log finds its
entry.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids, get_format
from journalspec.messages import (
    FILE_NAME,
    LONGEST,
    every_message,
    lint,
    made,
    matching,
    messages,
    nearest,
    prints,
)
from work import LINEAR, Task, growth, work

#: The minimum number of messages that starts of products printed, for the formats whose products run here.
RUN = {"jboss_journal": 10, "kahadb_journal": 10, "derby_log": 10, "bitronix_tlog": 10}
MISTAKES = tomllib.loads((Path(__file__).parent / "data" / "mistakes.toml").read_text(encoding="utf-8"))
#: Lines as they occur in logs, each with its message.
LINES: dict[str, str] = MISTAKES["lines"]


def data(format_id: str) -> dict[str, Any]:
    return tomllib.loads(get_format(format_id).root.joinpath(FILE_NAME).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", format_ids())
def test_every_entry_is_complete(name: str) -> None:
    assert lint(name, data(name)) == []
    assert all(entry.page.startswith("messages/") for entry in messages(name))


def test_enough_messages_are_known_and_reproduced() -> None:
    assert len(every_message()) >= 120
    counts = {name: sum(bool(entry.made) for entry in messages(name)) for name in format_ids()}
    assert sum(counts.values()) >= 60
    assert {name: counts[name] for name, least in RUN.items() if counts[name] < least} == {}


@pytest.mark.parametrize("name", RUN)
def test_reproduced_message_is_in_the_recorded_output_of_its_start(name: str) -> None:
    for entry in messages(name):
        for place in entry.made:
            product, _, state = place.partition("/")
            record = made(name)[product][state]
            assert record["how"]
            assert prints(entry, record["lines"]), (entry.id, place)


def test_recorded_line_matches_the_message_that_was_recorded() -> None:
    """The test takes thirty random lines of each format, as the products printed them."""
    for name in RUN:
        pairs = [
            (entry.id, line)
            for entry in messages(name)
            for place in entry.made
            for product, _, state in [place.partition("/")]
            for line in made(name)[product][state]["lines"]
            if prints(entry, [line])
        ]
        drawn = random.Random(45).sample(sorted(set(pairs)), 30)
        assert [(own, line) for own, line in drawn if own not in [entry.id for entry in matching(line)]] == []


@pytest.mark.parametrize("line", LINES, ids=lambda line: LINES[line])
def test_line_of_a_log_finds_its_message_first(line: str) -> None:
    assert matching(line)[0].id == LINES[line]


@pytest.mark.parametrize(
    "text", ["hello world", "the broker is fine", "12345 67890", "%s", "  ", "AMQ999999"]
)
def test_unrelated_text_finds_no_message_but_similar_ones(text: str) -> None:
    assert matching(text) == ()
    assert len({entry.id for entry in nearest(text)}) == 3


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "(",
        "{}",
        ".*+?[](|)\\",
        "\x1b[31m\x00\x07",
        "corrupted log found at position ",
        "Message for queue ",
        " a.b ",
        "A-1-",
        "\u202e\U0001f600",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def asked(size: int) -> Task:
        text = piece * (size // len(piece))
        return lambda: (matching(text), nearest(text))

    assert growth(asked, LONGEST // 8) < LINEAR
    # Only the first part of a longer text is read.
    assert work(asked(4 * LONGEST)) == work(asked(2 * LONGEST))


@pytest.mark.parametrize(("change", "fault"), MISTAKES["messages"])
def test_fault_of_an_entry_is_detected(change: dict[str, Any], fault: str) -> None:
    table = data("jboss_journal")
    table["message"][0] |= change
    assert any(fault in found for found in lint("jboss_journal", table))
    del table["message"][0]["text"]
    assert any("there is no text" in found for found in lint("jboss_journal", table))


def test_ids_are_unique_over_all_formats() -> None:
    names = Counter(name for entry in every_message() for name in entry.ids)
    assert [name for name, count in names.items() if count > 1] == []
