"""Wrong answers of fakes: values, their text, numbers of questions, answers to hello."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakes._faulty import FOREVER, Does, Message, Turn, acts, as_text, by_mode, everywhere, misdeeds_of

#: A text that can only be bytes in hex.
HEX = re.compile(r"(?=.*[a-f])([0-9a-f]{2}){5,}")


def answers(change: Callable[[Message], Any]) -> Does:
    """Answer with a wrong observation."""
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
    """Reply with an unrelated message."""
    return lambda turn: turn.say(reply)


def prints(change: Callable[[bytes], bytes]) -> Does:
    """Corrupt the text of the right answer."""
    return lambda turn: turn.write(change(turn.line()))


def numbered(seq: Callable[[int], Any]) -> Does:
    """Return the right answer with another question number."""
    return lambda turn: turn.say({**turn.right, "seq": seq(turn.request["seq"])})


def upper_case(seen: Message) -> Message:
    """Write bytes as hex in capitals, which the protocol allows."""

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
    """Insert the text of a member at the beginning of the first record."""
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
    """Write 4 MiB to standard error, then answer."""
    for _ in range(64):
        os.write(2, b"x" * (1 << 16))
    turn.say()


def waits_for_a_child(turn: Turn) -> None:
    """Let a child process answer, and wait for it."""
    made = os.fork()
    if not made:
        turn.say()
        os._exit(0)
    os.waitpid(made, 0)


def hello_of_many(greeting: Message) -> Message:
    """Declare 10^6 additional editions."""
    more = [f"x-{number}" for number in range(1_000_000)]
    return greeting | {
        "formats": {
            name: entry | {"editions": [*entry["editions"], *more]}
            for name, entry in greeting["formats"].items()
        }
    }


def hello_that_changes(greeting: Message) -> Message:
    """Declare no formats in every hello after the first."""
    seen = Path("greeted")
    if seen.exists():
        return greeting | {"formats": {}}
    seen.touch()
    return greeting


def claims(**members: Any) -> Callable[[Message], Message]:
    """Replace members in the declaration of each format."""
    return lambda greeting: (
        greeting | {"formats": {name: entry | members for name, entry in greeting["formats"].items()}}
    )


def leaves(greeting: Message) -> Message:
    """End before answering hello."""
    os._exit(0)


#: Bytes: more than an answer may contain, but few enough to be written quickly.
TOO_LONG = 20 << 20

TABLE = misdeeds_of(
    # Right answers in an unusual form, which must pass.
    everywhere("pass"),
    ("nothing", "answers correctly", lambda turn: turn.say()),
    ("talks", "writes 4 MiB to standard error and answers correctly", talks),
    as_text("pass"),
    ("drips", "writes the right answer in ten pieces", drips),
    ("ends_lines_twice", "ends the line with CR LF", prints(lambda t: t[:-1] + b"\r\n")),
    ("waits_for_a_child", "a child process writes the answer", waits_for_a_child),
    everywhere("pass"),
    ("stands_in_scratch", "changes the current directory to that of the case", acts(os.chdir)),
    # Answers that are wrong.
    everywhere("fail records:missing"),
    ("forgets", "leaves out a record", answers(lambda s: s | {"records": s["records"][1:]})),
    everywhere("fail records:extra"),
    ("repeats", "lists a record twice", answers(lambda s: s | {"records": s["records"][:1] + s["records"]})),
    everywhere("fail records:order"),
    ("turns_round", "lists records in reverse order", answers(lambda s: s | {"records": s["records"][::-1]})),
    everywhere("fail verdict"),
    ("cries_wolf", "reports recovered for a clean journal", answers(lambda s: s | {"verdict": "recovered"})),
    ("unknown_verdict", "an unknown verdict", answers(lambda s: s | {"verdict": "maybe"})),
    everywhere("fail records:changed"),
    ("capitals", "bytes in upper-case hex", answers(upper_case)),
    ("as_numbers", "numbers instead of decimal texts", answers(as_numbers)),
    as_text("error"),
    (
        "beyond_numbers",
        "1e400 for an offset",
        prints(lambda t: re.sub(rb'"off": "\d+"', b'"off": 1e400', t, count=1)),
    ),
    everywhere("fail"),
    ("leaves_the_directory", "a record with the file ../../etc/passwd", place(file="../../etc/passwd")),
    everywhere("fail layout"),
    ("negative_offset", "a record at offset -1", place(off="-1")),
    ("beyond_the_file", "a record at offset 2^64", place(off=str(1 << 64))),
    everywhere("error"),
    ("half_a_character", "a lone surrogate in a field", record(type="\ud800")),
    everywhere("fail"),
    ("steering", "a field with terminal control characters", record(type="\x1b]0;owned\x07\x1b[2J\n")),
    ("huge_name", "a field with a name of one MiB", record(**{"x" * (1 << 20): "1"})),
    everywhere("fail unsupported"),
    (
        "declines",
        "a declared question is unsupported",
        replies({"unsupported": {"message": "not today"}}),
    ),
    # Answers that are not answers.
    everywhere("error"),
    ("no_verdict", "a null verdict", answers(lambda s: s | {"verdict": None})),
    ("empty_observation", "an observation without members", answers(lambda s: {})),
    ("records_as_text", "records that are not a list", answers(lambda s: s | {"records": "none"})),
    ("record_as_number", "a record that is a number", answers(lambda s: s | {"records": [7]})),
    ("place_as_list", "a place that is a list", record(at=[0, 1])),
    ("state_as_list", "a state that is a list", answers(lambda s: s | {"state": []})),
    ("answers_a_list", "a list as answer", replies([])),
    ("answers_a_number", "a number as answer", replies(7)),
    ("answers_a_text", "a text as answer", replies("clean")),
    ("observation_as_list", "a list as observation", replies({"ok": ["clean"]})),
    by_mode(persistent="error", python="error"),
    ("answers_nothing", "an object without an outcome", replies({})),
    (
        "two_outcomes",
        "an answer that also contains an error",
        lambda turn: turn.say({**turn.right, "unsupported": {}}),
    ),
    ("steps", "the step of a write as answer to another question", replies({"step": "0", "durable": True})),
    ("reports_trouble", "an error instead of an answer", replies({"error": {"message": "disk on fire"}})),
    ("trouble_of_strange_kind", "an error that is a list of numbers", replies({"error": {"message": [1]}})),
    # Text that is not an answer.
    as_text("timeout", "pass", slow=True),
    ("no_newline", "no newline after the answer, and no more output", prints(lambda t: t[:-1])),
    as_text("error"),
    ("byte_order_mark", "a byte order mark before the answer", prints(lambda t: b"\xef\xbb\xbf" + t)),
    ("sixteen_bits", "the answer in UTF-16", prints(lambda t: t.decode().encode("utf-16"))),
    ("latin", "bytes that are not UTF-8", prints(in_the_first_record(b'"x-n": "caf\xe9"'))),
    ("zeros", "NUL bytes before the answer", prints(lambda t: b"\0" * 8 + t)),
    ("says_two_in_a_line", "two answers on one line", prints(lambda t: t[:-1] + t)),
    ("says_it_twice", "two answers, one after the other", prints(lambda t: t + t)),
    by_mode(persistent="error"),
    ("empty_line", "an empty line before the answer", prints(lambda t: b"\n" + t)),
    as_text("error"),
    ("log_before", "a log line before the answer", prints(lambda t: b"[INFO] reading\n" + t)),
    ("log_behind", "a log line after the answer", prints(lambda t: t + b"[INFO] done\n")),
    (
        "single_quotes",
        "the answer in Python syntax, with single quotes",
        prints(lambda t: repr(json.loads(t)).encode() + b"\n"),
    ),
    ("not_a_number", "NaN in a field", prints(in_the_first_record(b'"x-n": NaN'))),
    ("infinite", "Infinity in a field", prints(in_the_first_record(b'"x-n": -Infinity'))),
    ("says_a_name_twice", "the same member twice", prints(in_the_first_record(b'"type": "x"'))),
    ("many_digits", "a number of 5,000 digits", prints(in_the_first_record(b'"x-n": ' + b"9" * 5000))),
    (
        "nested",
        "lists nested 100,000 deep",
        prints(in_the_first_record(b'"x-n": ' + b"[" * 100_000 + b"]" * 100_000)),
    ),
    ("too_long", "an answer padded to 20 MiB", prints(lambda t: b" " * TOO_LONG + t)),
    ("floods", "writes 200 MiB without an end of line", floods),
    everywhere("error"),
    ("floods_errors", "writes to standard error without end", floods_errors),
    by_mode(persistent="crash", oneshot="error", python="crash"),
    ("prints_nothing", "no output, and exit status 0", lambda turn: os._exit(0)),
    # Answers with wrong numbers of questions.
    by_mode(persistent="error"),
    ("number_as_text", "the number of the question as text", numbered(str)),
    ("number_as_fraction", "the number of the question as 2.0", numbered(float)),
    ("number_of_none", "null for the number of the question", numbered(lambda n: None)),
    ("number_of_next", "the number of the next question", numbered(lambda n: n + 1)),
    by_mode(persistent="error", slow=True),
    ("number_of_last", "the number of the previous question", numbered(lambda n: n - 1)),
    by_mode(persistent="error"),
    (
        "unnumbered",
        "no number of the question",
        lambda turn: turn.write(json.dumps(turn.right).encode() + b"\n"),
    ),
    (
        "answers_ahead",
        "the right answer, then an answer to the next question",
        lambda turn: turn.write(turn.line() + turn.line({**turn.right, "seq": turn.request["seq"] + 1})),
    ),
    # Answers to hello.
    by_mode(persistent="refused", python="refused"),
    ("greets_with_nothing", "null as reply to hello", None, lambda g: 0),
    ("greets_with_list", "a list as reply to hello", None, lambda g: [1]),
    ("leaves_at_hello", "exits before the reply to hello", None, leaves),
    everywhere("refused"),
    ("other_protocol", "declares protocol version 2", None, lambda g: g | {"protocol": 2}),
    ("nameless", "declares no name", None, lambda g: g | {"impl": {}}),
    ("claims_nothing", "declares no format", None, lambda g: g | {"formats": {}}),
    ("formats_as_list", "formats that are a list", None, lambda g: g | {"formats": list(g["formats"])}),
    ("unknown_level", "an unknown level", None, claims(observe="recods")),
    ("editions_as_text", "editions that are one text", None, claims(editions="1")),
    ("editions_as_numbers", "editions that are numbers", None, claims(editions=[1, 2])),
    everywhere("pass"),
    ("million_editions", "also declares 10^6 unknown editions", lambda turn: turn.say(), hello_of_many),
    (
        "strange_name",
        "a name with terminal control characters",
        lambda turn: turn.say(),
        lambda g: g | {"impl": {"name": "\x1b[2J\n"}},
    ),
    by_mode(persistent="crash", python="crash"),
    (
        "changes_its_mind",
        "declares nothing after a restart: the first hello is used",
        lambda turn: os._exit(3),
        hello_that_changes,
    ),
)
