"""What fakes say that is wrong: answers, the text of answers, numbers of questions, introductions."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from journalspec_conformance.fakes._faulty import (
    FOREVER,
    ONESHOT,
    PERSISTENT,
    PYTHON,
    Does,
    Message,
    Misdeed,
    Turn,
    acts,
    as_text,
    everywhere,
    in_lines,
)

#: A text that can only be bytes in hex.
HEX = re.compile(r"(?=.*[a-f])([0-9a-f]{2}){5,}")


def answers(change: Callable[[Message], Any]) -> Does:
    """Give another observation than the right one."""
    return lambda turn: turn.say({"ok": change(turn.right["ok"])})


def record(**members: Any) -> Does:
    """Replace members of the first record."""

    def change(seen: Message) -> Message:
        first, *others = seen["records"]
        return seen | {"records": [first | members, *others]}

    return answers(change)


def place(**members: Any) -> Does:
    """Replace members of the place of the first record."""

    def change(seen: Message) -> Message:
        first, *others = seen["records"]
        return seen | {"records": [first | {"at": first["at"] | members}, *others]}

    return answers(change)


def replies(reply: Any) -> Does:
    """Reply with something else altogether."""
    return lambda turn: turn.say(reply)


def prints(change: Callable[[bytes], bytes]) -> Does:
    """Spoil the text of the right answer."""
    return lambda turn: turn.write(change(turn.line()))


def numbered(seq: Callable[[int], Any]) -> Does:
    """Give the right answer another number."""
    return lambda turn: turn.say({**turn.right, "seq": seq(turn.request["seq"])})


def upper_case(seen: Message) -> Message:
    """Write bytes in capitals, beside which nothing is wrong."""

    def upper(value: Any) -> Any:
        return value.upper() if isinstance(value, str) and HEX.fullmatch(value) else value

    listed = [{name: upper(value) for name, value in entry.items()} for entry in seen["records"]]
    return seen | {"records": listed}


def as_numbers(seen: Message) -> Message:
    """Write integers as JSON numbers."""

    def number(value: Any) -> Any:
        return int(value) if isinstance(value, str) and value.isdigit() and len(value) < 16 else value

    listed = [{name: number(value) for name, value in entry.items()} for entry in seen["records"]]
    return seen | {"records": listed}


def in_the_first_record(member: bytes) -> Callable[[bytes], bytes]:
    """Put the text of a member before the others of the first record."""
    return lambda line: line.replace(b'"records": [{', b'"records": [{' + member + b", ", 1)


def drips(turn: Turn) -> None:
    """Write the right answer in ten pieces."""
    line = turn.line()
    step = -(-len(line) // 10)
    for at in range(0, len(line), step):
        turn.write(line[at : at + step])
        time.sleep(0.05)


def floods(turn: Turn) -> None:
    """Write 200 MiB, and never end the line."""
    for _ in range(200):
        turn.write(b" " * (1 << 20))
    time.sleep(FOREVER)


def floods_errors(turn: Turn) -> None:
    """Write 200 MiB to standard error, and never answer."""
    for _ in range(200):
        os.write(2, b"DEBUG " * (1 << 17))
    time.sleep(FOREVER)


def talks(turn: Turn) -> None:
    """Write four MiB to standard error, then answer."""
    for _ in range(64):
        os.write(2, b"x" * (1 << 16))
    turn.say()


def waits_for_a_child(turn: Turn) -> None:
    """Let a child answer, and wait for it."""
    made = os.fork()
    if not made:
        turn.say()
        os._exit(0)
    os.waitpid(made, 0)


def hello_of_many(greeting: Message) -> Message:
    """Declare 10^6 editions more."""
    more = [f"x-{number}" for number in range(1_000_000)]
    return greeting | {
        "formats": {
            name: entry | {"editions": [*entry["editions"], *more]}
            for name, entry in greeting["formats"].items()
        }
    }


def hello_that_changes(greeting: Message) -> Message:
    """Declare nothing any more after the first time."""
    seen = Path("greeted")
    if seen.exists():
        return greeting | {"formats": {}}
    seen.touch()
    return greeting


def claims(**members: Any) -> Callable[[Message], Message]:
    """Replace members of each format's declaration."""
    return lambda greeting: (
        greeting | {"formats": {name: entry | members for name, entry in greeting["formats"].items()}}
    )


def leaves(greeting: Message) -> Message:
    """End before hello is answered."""
    os._exit(0)


#: More than an answer may have (bytes), and not so much that it takes long.
TOO_LONG = 20 << 20

TABLE = (
    # Right, in an unusual way: nothing to complain of.
    Misdeed("nothing", "nothing is wrong", lambda turn: turn.say(), everywhere("pass")),
    Misdeed("talks", "writes 4 MiB to standard error, and is right", talks, everywhere("pass")),
    Misdeed("drips", "writes the right answer in ten pieces", drips, as_text("pass")),
    Misdeed(
        "ends_lines_twice", "ends the line with CR LF", prints(lambda t: t[:-1] + b"\r\n"), as_text("pass")
    ),
    Misdeed("waits_for_a_child", "lets a child answer", waits_for_a_child, as_text("pass")),
    Misdeed("stands_in_scratch", "makes its directory the current one", acts(os.chdir), everywhere("pass")),
    # Answers that are wrong.
    Misdeed(
        "forgets",
        "leaves out a record",
        answers(lambda s: s | {"records": s["records"][1:]}),
        everywhere("fail records:missing"),
    ),
    Misdeed(
        "repeats",
        "lists a record twice",
        answers(lambda s: s | {"records": s["records"][:1] + s["records"]}),
        everywhere("fail records:extra"),
    ),
    Misdeed(
        "turns_round",
        "lists records backwards",
        answers(lambda s: s | {"records": s["records"][::-1]}),
        everywhere("fail records:order"),
    ),
    Misdeed(
        "cries_wolf",
        "calls a clean journal recovered",
        answers(lambda s: s | {"verdict": "recovered"}),
        everywhere("fail verdict"),
    ),
    Misdeed(
        "unknown_verdict",
        "a verdict that there is not",
        answers(lambda s: s | {"verdict": "maybe"}),
        everywhere("fail verdict"),
    ),
    Misdeed("capitals", "bytes in upper-case hex", answers(upper_case), everywhere("fail records:changed")),
    Misdeed(
        "as_numbers",
        "numbers in place of decimal texts",
        answers(as_numbers),
        everywhere("fail records:changed"),
    ),
    Misdeed(
        "beyond_numbers",
        "1e400 for an offset",
        prints(lambda t: re.sub(rb'"off": "\d+"', b'"off": 1e400', t, count=1)),
        as_text("error"),
    ),
    Misdeed(
        "leaves_the_directory",
        "a record in ../../etc/passwd",
        place(file="../../etc/passwd"),
        everywhere("fail"),
    ),
    Misdeed("negative_offset", "a record at offset -1", place(off="-1"), everywhere("fail layout")),
    Misdeed("beyond_the_file", "a record at offset 2^64", place(off=str(1 << 64)), everywhere("fail layout")),
    Misdeed(
        "half_a_character",
        "a lone surrogate in a field",
        record(type="\ud800"),
        everywhere("error"),
    ),
    Misdeed(
        "steering",
        "a field that steers a terminal",
        record(type="\x1b]0;owned\x07\x1b[2J\n"),
        everywhere("fail"),
    ),
    Misdeed(
        "huge_name", "a field with a name of one MiB", record(**{"x" * (1 << 20): "1"}), everywhere("fail")
    ),
    Misdeed(
        "declines",
        "unsupported, though declared",
        replies({"unsupported": {"message": "not today"}}),
        everywhere("fail unsupported"),
    ),
    # Answers that are none.
    Misdeed("no_verdict", "a verdict of null", answers(lambda s: s | {"verdict": None}), everywhere("error")),
    Misdeed(
        "empty_observation", "an observation without members", answers(lambda s: {}), everywhere("error")
    ),
    Misdeed(
        "records_as_text",
        "records that are no list",
        answers(lambda s: s | {"records": "none"}),
        everywhere("error"),
    ),
    Misdeed(
        "record_as_number",
        "a record that is a number",
        answers(lambda s: s | {"records": [7]}),
        everywhere("error"),
    ),
    Misdeed("place_as_list", "a place that is a list", record(at=[0, 1]), everywhere("error")),
    Misdeed(
        "state_as_list", "a state that is a list", answers(lambda s: s | {"state": []}), everywhere("error")
    ),
    Misdeed("answers_a_list", "a list for an answer", replies([]), everywhere("error")),
    Misdeed("answers_a_number", "a number for an answer", replies(7), everywhere("error")),
    Misdeed("answers_a_text", "a text for an answer", replies("clean"), everywhere("error")),
    Misdeed(
        "observation_as_list", "a list for an observation", replies({"ok": ["clean"]}), everywhere("error")
    ),
    Misdeed(
        "answers_nothing", "an object without an outcome", replies({}), {PERSISTENT: "error", PYTHON: "error"}
    ),
    Misdeed(
        "two_outcomes",
        "an answer and a refusal to answer at once",
        lambda turn: turn.say({**turn.right, "unsupported": {}}),
        {PERSISTENT: "error", PYTHON: "error"},
    ),
    Misdeed(
        "steps",
        "the step of a write, in answer to a question",
        replies({"step": "0", "durable": True}),
        {PERSISTENT: "error", PYTHON: "error"},
    ),
    Misdeed(
        "reports_trouble",
        "an error of its own",
        replies({"error": {"message": "disk on fire"}}),
        {PERSISTENT: "error", PYTHON: "error"},
    ),
    Misdeed(
        "trouble_of_strange_kind",
        "an error that is a list of numbers",
        replies({"error": {"message": [1]}}),
        {PERSISTENT: "error", PYTHON: "error"},
    ),
    # Text that is no answer.
    Misdeed(
        "no_newline",
        "no newline behind the answer, and then silence",
        prints(lambda t: t[:-1]),
        as_text("timeout", "pass"),
        slow=True,
    ),
    Misdeed(
        "byte_order_mark",
        "a byte order mark before the answer",
        prints(lambda t: b"\xef\xbb\xbf" + t),
        as_text("error"),
    ),
    Misdeed(
        "sixteen_bits",
        "the answer in UTF-16",
        prints(lambda t: t.decode().encode("utf-16")),
        as_text("error"),
    ),
    Misdeed(
        "latin", "bytes that are no UTF-8", prints(in_the_first_record(b'"x-n": "caf\xe9"')), as_text("error")
    ),
    Misdeed("zeros", "NUL bytes before the answer", prints(lambda t: b"\0" * 8 + t), as_text("error")),
    Misdeed("says_two_in_a_line", "two answers on one line", prints(lambda t: t[:-1] + t), as_text("error")),
    Misdeed("says_it_twice", "two answers, one after the other", prints(lambda t: t + t), as_text("error")),
    Misdeed("empty_line", "an empty line before the answer", prints(lambda t: b"\n" + t), in_lines("error")),
    Misdeed(
        "log_before",
        "a line of log before the answer",
        prints(lambda t: b"[INFO] reading\n" + t),
        as_text("error"),
    ),
    Misdeed(
        "log_behind",
        "a line of log behind the answer",
        prints(lambda t: t + b"[INFO] done\n"),
        as_text("error"),
    ),
    Misdeed(
        "single_quotes",
        "the answer as Python writes it",
        prints(lambda t: repr(json.loads(t)).encode() + b"\n"),
        as_text("error"),
    ),
    Misdeed("not_a_number", "NaN in a field", prints(in_the_first_record(b'"x-n": NaN')), as_text("error")),
    Misdeed(
        "infinite", "Infinity in a field", prints(in_the_first_record(b'"x-n": -Infinity')), as_text("error")
    ),
    Misdeed(
        "says_a_name_twice",
        "the same member twice",
        prints(in_the_first_record(b'"type": "x"')),
        as_text("error"),
    ),
    Misdeed(
        "many_digits",
        "a number of 5,000 digits",
        prints(in_the_first_record(b'"x-n": ' + b"9" * 5000)),
        as_text("error"),
    ),
    Misdeed(
        "nested",
        "lists nested 100,000 deep",
        prints(in_the_first_record(b'"x-n": ' + b"[" * 100_000 + b"]" * 100_000)),
        as_text("error"),
    ),
    Misdeed(
        "too_long", "an answer padded to 20 MiB", prints(lambda t: b" " * TOO_LONG + t), as_text("error")
    ),
    Misdeed("floods", "writes 200 MiB, and no end of the line", floods, as_text("error")),
    Misdeed(
        "floods_errors",
        "writes to standard error without end",
        floods_errors,
        everywhere("error"),
    ),
    Misdeed(
        "prints_nothing",
        "nothing at all, and ends well",
        lambda turn: os._exit(0),
        {PERSISTENT: "crash", ONESHOT: "error", PYTHON: "crash"},
    ),
    # Numbers of questions.
    Misdeed("number_as_text", "the number of the question as text", numbered(str), in_lines("error")),
    Misdeed("number_as_fraction", "the number of the question as 2.0", numbered(float), in_lines("error")),
    Misdeed(
        "number_of_none", "null for the number of the question", numbered(lambda n: None), in_lines("error")
    ),
    Misdeed(
        "number_of_next", "the number of the next question", numbered(lambda n: n + 1), in_lines("error")
    ),
    Misdeed(
        "number_of_last",
        "the number of the question before",
        numbered(lambda n: n - 1),
        in_lines("error"),
        slow=True,
    ),
    Misdeed(
        "unnumbered",
        "no number of the question",
        lambda turn: turn.write(json.dumps(turn.right).encode() + b"\n"),
        in_lines("error"),
    ),
    Misdeed(
        "answers_ahead",
        "an answer to the next question behind the right one",
        lambda turn: turn.write(turn.line() + turn.line({**turn.right, "seq": turn.request["seq"] + 1})),
        in_lines("error"),
    ),
    # Introductions.
    Misdeed(
        "greets_with_nothing",
        "null for hello",
        None,
        {PERSISTENT: "refused", PYTHON: "refused"},
        greets=lambda g: 0,
    ),
    Misdeed(
        "greets_with_list",
        "a list for hello",
        None,
        {PERSISTENT: "refused", PYTHON: "refused"},
        greets=lambda g: [1],
    ),
    Misdeed(
        "leaves_at_hello",
        "ends before hello is answered",
        None,
        {PERSISTENT: "refused", PYTHON: "refused"},
        greets=leaves,
    ),
    Misdeed(
        "other_protocol",
        "speaks protocol 2",
        None,
        everywhere("refused"),
        greets=lambda g: g | {"protocol": 2},
    ),
    Misdeed("nameless", "has no name", None, everywhere("refused"), greets=lambda g: g | {"impl": {}}),
    Misdeed(
        "claims_nothing",
        "declares no format",
        None,
        everywhere("refused"),
        greets=lambda g: g | {"formats": {}},
    ),
    Misdeed(
        "formats_as_list",
        "formats that are a list",
        None,
        everywhere("refused"),
        greets=lambda g: g | {"formats": list(g["formats"])},
    ),
    Misdeed(
        "unknown_level",
        "a level that there is not",
        None,
        everywhere("refused"),
        greets=claims(observe="recods"),
    ),
    Misdeed(
        "editions_as_text",
        "editions that are one text",
        None,
        everywhere("refused"),
        greets=claims(editions="1"),
    ),
    Misdeed(
        "editions_as_numbers",
        "editions that are numbers",
        None,
        everywhere("refused"),
        greets=claims(editions=[1, 2]),
    ),
    Misdeed(
        "million_editions",
        "declares 10^6 editions of its own besides",
        lambda turn: turn.say(),
        everywhere("pass"),
        greets=hello_of_many,
    ),
    Misdeed(
        "strange_name",
        "a name that steers terminals",
        lambda turn: turn.say(),
        everywhere("pass"),
        greets=lambda g: g | {"impl": {"name": "\x1b[2J\n"}},
    ),
    Misdeed(
        "changes_its_mind",
        "declares nothing after it was started anew: the first hello counts",
        lambda turn: os._exit(3),
        {PERSISTENT: "crash", PYTHON: "crash"},
        greets=hello_that_changes,
    ),
)
