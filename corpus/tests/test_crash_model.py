"""The crash engine on small traces: what presets leave, listed by hand; blocks, ids, expected outcome."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

import brute
from journalspec.formats import format_ids
from journalspec_corpus.crash import states as engine
from journalspec_corpus.crash.corruption import EVERY_BIT
from journalspec_corpus.crash.disk import States, Timeline, case_id, content_id, content_ids, selected
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.formats import crash_format, has_crash_format
from journalspec_corpus.crash.oracle import ALLOWED, FORBIDDEN, REFUSALS, REQUIRED, expected_at
from journalspec_corpus.crash.reduce import find
from journalspec_corpus.crash.states import (
    EXHAUSTIVE,
    SAMPLES,
    Descriptor,
    NoSuchState,
    crash_states,
    descriptor_of,
    distinct,
    garbage_bytes,
    subsets,
)
from journalspec_corpus.crash.trace import (
    PRESETS,
    STRATA,
    Ack,
    Create,
    Mark,
    Op,
    Preset,
    Publish,
    RecordingStorage,
    Release,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    get_preset,
    promise,
    rank,
)
from journalspec_corpus.crash.verdict import CATEGORIES, CODES, INVARIANTS, MEANINGS, VERDICTS, Answer, judge

SEED = 7
SECTOR, PAGE = 512, 4096
A, B = b"A" * PAGE, b"B" * PAGE
ZERO = bytes(PAGE)
OTHER = b"o" * PAGE + b"p" * PAGE


def trace_of(*ops: Op, base: dict[str, bytes] | None = None, **more: object) -> Trace:
    return Trace("toy", "1", "toy", base or {}, ops, "zero", **more)  # type: ignore[arg-type]  # keywords of Trace


def left(trace: Trace, preset: str, at: int | None = None) -> list[dict[str, bytes]]:
    """Return the different states that `preset` alone leaves at operation `at` (the end)."""
    out: list[dict[str, bytes]] = []
    for states in crash_states(trace, (get_preset(preset),), SEED):
        if states.point.crash_index == (len(trace.ops) if at is None else at):
            for codes in states.codes:
                files = states.point.materialise(codes)
                if files not in out:
                    out.append(files)
    return out


def same(one: list[dict[str, bytes]], other: list[dict[str, bytes]]) -> bool:
    return len(one) == len(other) and all(files in other for files in one)


GROWN = trace_of(Write("log", 0, A), Write("log", PAGE, B), base={"log": b"", "other": OTHER})


@pytest.mark.parametrize(
    ("preset", "logs"),
    [
        # No size without all new blocks below it.
        ("ext4-ordered", [b"", A, A + B]),
        # A size comes with its own write; what is missing below it reads as zeros.
        ("xfs-unwritten", [b"", A, A + B, ZERO + B]),
        ("epoch-subset-4096", [b"", A, A + B, ZERO + B, ZERO, ZERO + ZERO, A + ZERO]),
        # In new space that no write has reached, the other file's block is visible.
        ("ext4-writeback-stale", [OTHER[:PAGE], OTHER, A + OTHER[PAGE:], OTHER[:PAGE] + B]),
    ],
)
def test_sizes_and_data_of_a_file_that_grows(preset: str, logs: list[bytes]) -> None:
    assert same(left(GROWN, preset), [{"log": log, "other": OTHER} for log in logs])


def test_the_weakest_model_shows_garbage_in_new_space() -> None:
    trace = trace_of(Write("log", 0, b"A" * 512), Write("log", 512, b"B" * 512), base={"log": b""})
    logs = [files["log"] for files in left(trace, "alice-weak")]
    (states,) = crash_states(trace, (get_preset("alice-weak"),), SEED)
    junk = [garbage_bytes(SEED, states.point, block) for block in states.point.blocks if block.kind == "data"]
    expected = [junk[0], junk[0] + junk[1], b"A" * 512 + junk[1], junk[0] + b"B" * 512]
    assert sorted(logs) == sorted(expected)


def test_a_file_that_was_made_longer_reads_as_zeros_and_its_size_is_as_the_preset_says() -> None:
    trace = trace_of(
        Truncate("log", 2 * PAGE), Sync("log"), Write("log", 0, A), base={"log": b"", "other": OTHER}
    )
    for preset in ("ext4-ordered", "xfs-unwritten", "epoch-subset-4096"):
        assert same(
            left(trace, preset), [{"log": ZERO + ZERO, "other": OTHER}, {"log": A + ZERO, "other": OTHER}]
        )
    assert left(trace, "ext4-writeback-stale") == []


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        # Two pages in which something is at the same place, and one whose first such page is another.
        ({"other": OTHER}, OTHER[PAGE:]),
        ({"other": ZERO + b"p" * PAGE + b"q" * PAGE}, b"p" * PAGE),
        ({"other": b"o" * PAGE}, b"o" * PAGE),
        ({"other": ZERO + ZERO + b"q" * PAGE}, b"q" * PAGE),
        # A file of zeros has nothing to show; the next one has.
        ({"a": ZERO + ZERO, "other": b"o" * 9}, b"o" * 9 + bytes(PAGE - 9)),
    ],
)
def test_new_space_shows_the_block_there_of_another_file_or_else_its_first_one(
    others: dict[str, bytes], shown: bytes
) -> None:
    trace = trace_of(Write("log", PAGE, B), base={"log": A, **others})
    assert left(trace, "ext4-writeback-stale") == [{"log": A + shown, **others}]


def test_new_bytes_of_a_file_are_foreign_until_written() -> None:
    trace = trace_of(Truncate("log", 2 * PAGE), Write("log", 0, A + B), base={"log": b"", "other": OTHER})
    assert {"log": OTHER, "other": OTHER} in left(trace, "ext4-writeback-stale")


SWITCH = trace_of(
    Create("tmp"),
    Write("tmp", 0, b"n"),
    Sync("tmp"),
    Rename("tmp", "log"),
    Unlink("old"),
    base={"log": b"l", "old": b"o"},
)
OLD, BOTH = {"log": b"l", "old": b"o"}, {"log": b"l", "old": b"o", "tmp": b"n"}


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        # The force of the file has committed its name; the rest comes in order.
        ("ext4-ordered", [BOTH, {"log": b"n", "old": b"o"}, {"log": b"n"}]),
        ("epoch-subset-512", [OLD, BOTH, {"log": b"n", "old": b"o"}, {"log": b"n"}]),
        # Every binding for itself: the new name, the old name of the same file, the name that is removed.
        ("alice-weak",
         [{"log": b"l"}, {"log": b"l", "tmp": b"n"}, {"log": b"n", "tmp": b"n"},
         {"log": b"n", "old": b"o", "tmp": b"n"}]),
    ],
)  # fmt: skip
def test_names_persist_as_the_preset_says(preset: str, expected: list[dict[str, bytes]]) -> None:
    assert same(left(SWITCH, preset), expected)


def test_of_many_names_in_flight_one_is_missing_or_only_one_is_there() -> None:
    """Seven are too many for all choices; what a kill leaves is not a choice of the device's."""
    names = [f"n{number}" for number in range(7)]
    trace = trace_of(*map(Create, names), base={"log": b"l"})
    kept = [{name} for name in names[1:]] + [{*names} - {name} for name in names[:-1]]
    assert same(left(trace, "alice-weak"), [{"log": b"l", **dict.fromkeys(each, b"")} for each in kept])


def test_an_append_is_all_there_or_not_seen() -> None:
    trace = trace_of(Write("log", 600, b"x" * 1000), base={"log": b"y" * 700})
    # One sector edge is in the old part of the file, none more before its end.
    expected = [b"y" * 700, b"y" * 600 + b"x" * 100, b"y" * 600 + b"x" * 1000]
    assert same(left(trace, "sqlite-sequential-safe-append", at=0), [{"log": log} for log in expected])
    trace = trace_of(Write("log", 600, b"x" * 1000), base={"log": b"y" * 1100})
    expected = [
        b"y" * 1100,
        b"y" * 600 + b"x" * 424 + b"y" * 76,
        b"y" * 600 + b"x" * 500,
        b"y" * 600 + b"x" * 1000,
    ]
    assert same(left(trace, "sqlite-sequential-safe-append", at=0), [{"log": log} for log in expected])


def test_several_broken_sectors_are_right_old_garbage_or_half() -> None:
    trace = trace_of(Write("log", 0, b"A" * 512 + b"B" * 512), base={"log": b"0" * 512 + b"1" * 512})
    (states,) = crash_states(trace, (get_preset("fdb-full-corruption"),), SEED)
    junk = [garbage_bytes(SEED, states.point, block) for block in states.point.blocks]
    parts = [
        {
            new * 512: "right",
            old * 512: "old",
            junk[at]: "garbage",
            new * 256 + junk[at][256:]: "left",
            old * 256 + new * 256: "right half",
        }
        for at, (new, old) in enumerate([(b"A", b"0"), (b"B", b"1")])
    ]
    seen = {
        (parts[0][files["log"][:512]], parts[1][files["log"][512:]])
        for files in left(trace, "fdb-full-corruption")
    }
    assert {("garbage", "garbage"), ("left", "right"), ("right", "right half"), ("old", "left")} <= seen
    assert not seen & {("right", "right"), ("old", "old"), ("garbage", "right"), ("old", "garbage")}


def record(name: str, off: int, length: int) -> tuple[Write, Mark]:
    mark = Mark(name, "log", off, length, name, ((0, "head"), (8, "body")))
    return Write("log", off, name.encode() * length), mark


LOG = trace_of(
    *record("a", 100, 40),
    Sync("log"),
    Ack(("a",)),
    *record("b", 1000, 40),
    Sync("log"),
    Ack(("b",)),
    base={"log": bytes(64) + b"h" * 36 + bytes(2000), "spare": b"s" * 600},
)


def image(*records: tuple[str, int]) -> bytes:
    out = bytearray(LOG.base["log"])
    for name, off in records:
        out[off : off + 40] = name.encode() * 40
    return bytes(out)


@pytest.fixture
def every_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no trace be omitted by lot."""
    monkeypatch.setattr(engine, "selected", lambda trace, share: True)


@pytest.mark.usefixtures("every_trace")
def test_lying_device_loses_only_acknowledged_writes() -> None:
    a, b = ("a", 100), ("b", 1000)

    def logs(preset: str, at: int) -> list[bytes]:
        return [files["log"] for files in left(LOG, preset, at)]

    assert logs("lying-cache", 4) == [image()]
    # Record b is in sectors 1 and 2: it may be cut between them.
    cut = image(a)[:1000] + b"b" * 24 + image(a)[1024:]
    assert sorted(logs("lying-cache", 8)) == sorted([image(), image(a), cut])
    assert logs("fail-marks-clean", 4) == [image()]
    assert sorted(logs("fail-marks-clean", 8)) == sorted(
        [image(b), image(a), cut, image(a, b)[:1000] + bytes(24) + image(a, b)[1024:]]
    )
    # A page that is written again is dirty again, and arrives then.
    twice = trace_of(
        *record("a", 0, 40),
        Sync("log"),
        *record("b", 0, 40),
        Sync("log"),
        Ack(("b",)),
        base={"log": bytes(40)},
    )
    assert left(twice, "fail-marks-clean") == [{"log": b"a" * 40}]
    for states in crash_states(LOG, (get_preset("lying-cache"),), SEED):
        assert states.stratum == "L"
        assert {CATEGORIES[at] for at in categories(Facts(states))} == {"lost-force"}
        assert not (Facts(states).refusals == 2).any()


@pytest.mark.usefixtures("every_trace")
def test_a_copy_has_zeros_from_the_edge_of_a_record_on_however_near_its_end() -> None:
    trace = trace_of(
        *record("a", 100, 40), Sync("log"), Ack(("a",)), Write("log", 150, b"x"), base={"log": b"h" * 100}
    )
    whole = b"h" * 100 + b"a" * 40
    cuts = [whole[:100], whole[:100] + bytes(40)]
    assert same(left(trace, "bitrot-cut", 4), [{"log": cut} for cut in cuts])


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("preset", ["lying-cache", "fail-marks-clean", "bitrot-zero-sector", "bitrot-file"])
def test_lying_devices_and_corruption_are_checked_after_the_last_three_acknowledgements(preset: str) -> None:
    ops = [
        op
        for at, name in enumerate("abcde")
        for op in (*record(name, 600 * at, 40), Sync("log"), Ack((name,)))
    ]
    trace = trace_of(*ops, base={"log": bytes(4096)})
    points = [states.point.crash_index for states in crash_states(trace, (get_preset(preset),), SEED)]
    assert points == [12, 16, 20]


@pytest.mark.usefixtures("every_trace")
def test_every_bit_in_use_flips_alone() -> None:
    states, _ = _first_two("bitrot-bit")
    found = set()
    sound = {"log": image(("a", 100)), "spare": LOG.base["spare"]}
    for label, codes in zip(states.rot, states.codes, strict=True):
        files = states.point.materialise(codes)
        kind, name, off, bit = label.split(":")
        turned = bytearray(sound[name])
        turned[int(off)] ^= 1 << int(bit)
        assert kind == "bit"
        assert files == {**sound, name: bytes(turned)}
        found.add((name, int(off), int(bit)))
    assert len(found) == len(states)
    used = [("log", off) for off in (*range(64), *range(100, 140))] + [("spare", off) for off in range(64)]
    assert {(name, off, bit) for name, off in used for bit in range(8)} <= found
    assert len(found) > len(used) * 8
    assert EVERY_BIT > 40
    names, column = fields(Facts(states))[::-1]
    assert {names[at] for at in column} == {"header", "head", "body", "unused"}
    # A field begins with its first byte.
    hit = {label: names[at] for label, at in zip(states.rot, column, strict=True)}
    starts = {100: "head", 107: "head", 108: "body", 139: "body"}
    assert {off: hit[f"bit:log:{off}:0"] for off in starts} == starts


def _first_two(preset: str) -> tuple[States, States]:
    one, two = crash_states(LOG, (get_preset(preset),), SEED)
    return one, two


@pytest.mark.usefixtures("every_trace")
def test_bursts_begin_and_end_wrong_and_pairs_are_two_bits() -> None:
    for preset in ("bitrot-burst", "bitrot-2bit"):
        for states in _first_two(preset):
            sound = int.from_bytes(image(("a", 100), ("b", 1000)), "big")
            if states.point.crash_index == 4:
                sound = int.from_bytes(image(("a", 100)), "big")
            for label, codes in zip(states.rot, states.codes, strict=True):
                if label.split(":")[1] != "log":
                    continue
                wrong = int.from_bytes(states.point.materialise(codes)["log"], "big") ^ sound
                if preset == "bitrot-2bit":
                    assert wrong.bit_count() == 2
                else:
                    assert (
                        wrong.bit_length() - (wrong & -wrong).bit_length() + 1
                        == int(label.split(":")[3])
                        <= 64
                    )


@pytest.mark.usefixtures("every_trace")
def test_sectors_writes_and_files_go_bad_as_listed() -> None:
    now, before = image(("a", 100), ("b", 1000)), image(("a", 100))
    spare = LOG.base["spare"]

    def bad(preset: str) -> list[Pair]:
        return [(files.get("log"), files.get("spare")) for files in left(LOG, preset)]

    def put(content: bytes, off: int, data: bytes) -> bytes:
        return content[:off] + data[: len(content) - off] + content[off + len(data) :]

    expected: list[Pair] = [
        (put(now, at, bytes(512)), spare) for at in (0, 512, 1024) if put(now, at, bytes(512)) != now
    ]
    expected += [(now, put(spare, at, bytes(min(512, 600 - at)))) for at in (0, 512)]
    assert same_pairs(bad("bitrot-zero-sector"), expected)
    lost: list[Pair] = [(bytes(2100), spare), (now, bytes(600))]
    lost += [(now[: at * 512], spare) for at in range(5)] + [(now, spare[: at * 512]) for at in range(2)]
    assert same_pairs(bad("bitrot-lse"), lost)
    one, two = put(now, 512, before[512:1024]), put(now, 1024, before[1024:1536])
    blank = image(("b", 1000))
    assert same_pairs(bad("bitrot-phantom"), [(one, spare), (two, spare), (blank, spare)])
    # Sectors 1 and 2 were written by the last force; each may have gone to any other sector.
    stray: list[Pair] = []
    for sector, old in ((1, one), (2, two)):
        data = now[sector * 512 : sector * 512 + 512]
        stray += [(put(old, at * 512, data), spare) for at in range(5) if at != sector]
        stray += [(old, put(spare, at * 512, data)) for at in range(2)]
    assert same_pairs(bad("bitrot-misdirect"), stray)
    cuts = [now[:edge] for edge in (100, 140, 1000, 1040)]
    assert same_pairs(
        bad("bitrot-cut"),
        [(cut, spare) for cut in cuts] + [(cut + bytes(2100 - len(cut)), spare) for cut in cuts[:3]],
    )
    whole: list[Pair] = [
        (None, spare), (now, None), (now, now), (spare, spare), (spare, now), (LOG.base["log"], spare),
        (before, spare),
    ]  # fmt: skip
    assert same_pairs(bad("bitrot-file"), whole)


Pair = tuple[bytes | None, bytes | None]


def same_pairs(one: Sequence[Pair], other: Sequence[Pair]) -> bool:
    return set(one) == set(other)


#: Everything at once: growth, space set aside, names, two files, several versions of one granule.
MIXED = trace_of(
    Write("log", 64, b"p" * 8),
    Create("new"),
    Truncate("new", 1536),
    *record("a", 500, 40),
    Write("new", 500, b"x" * 30),
    Sync("log"),
    Ack(("a",)),
    Write("log", 64, b"q" * 8),
    Publish(("a",)),
    Truncate("new", 700),
    Rename("new", "other"),
    SyncDir(),
    *record("b", 1000, 1100),
    Write("other", 690, b"z" * 200),
    Unlink("spare"),
    Sync("other"),
    Ack(("b",)),
    Write("other", 890, bytes(300)),
    base={"log": bytes(1500), "spare": b"s" * 600},
    standing=(Mark("s", "spare", 0, 500, "s"),),
)


def rows(
    trace: Trace, wanted: Callable[[int, str], bool] = lambda number, preset: True
) -> Iterator[tuple[States, Preset, Descriptor, dict[str, bytes]]]:
    """Yield the states of a trace with their files, those that are requested by their number and preset."""
    numbers = count()
    for states in crash_states(trace, PRESETS, SEED):
        for row, codes in enumerate(states.codes):
            preset = PRESETS[states.preset[row]]
            if not wanted(next(numbers), preset.name):
                continue
            yield (states, preset, descriptor_of(states, row, SEED), states.point.materialise(codes))


# --- Small traces: blocks, enumeration and expected outcome, each held against a plainer way to say it ---


def pointer(*records: str, at: int = 1) -> tuple[Write, Publish]:
    return Write("log", 0, bytes([at]) * 8), Publish(records)


def two_records(*, barrier: bool, base: bytes = bytes(4096)) -> Trace:
    """Two records of two sectors each after a pointer in sector 0, forced together at the end."""
    first, second = record("a", 1000, 600), record("b", 2000, 600)
    force = (Sync("log"),) if barrier else ()
    ops = (*first, *second, *force, *pointer("a", "b"), Sync("log"), Ack(("a", "b")))
    old = Mark("old", "log", 1000, 600, "old")
    return trace_of(*ops, base={"log": base}, stale=(old,) if any(base) else ())


TRACES = {
    "unordered": two_records(barrier=False),
    "barrier": two_records(barrier=True),
    "reused": two_records(barrier=False, base=bytes(1000) + b"s" * 3096),
}


def test_a_descriptor_of_another_trace_or_shape_is_refused() -> None:
    trace = TRACES["unordered"]
    with pytest.raises(NoSuchState, match="is of trace"):
        find(trace, Descriptor("0" * 32, "prefix-byte", 0, b"", 0, "zero", SEED))
    with pytest.raises(NoSuchState, match="mask has 1 entries"):
        find(trace, Descriptor(trace.id, "epoch-subset-512", len(trace.ops) - 2, b"\0", 0, "zero", SEED))
    with pytest.raises(NoSuchState, match="has no state prefix-byte"):
        find(trace, Descriptor(trace.id, "prefix-byte", 0, b"", 601, "zero", SEED))


def test_barrier_keeps_the_pointer_after_the_data() -> None:
    damaged = {}
    for name in ("unordered", "barrier"):
        damaged[name] = any(
            Facts(states).damaged.any()
            for states in crash_states(TRACES[name], (get_preset("epoch-subset-512"),), SEED)
        )
    assert damaged == {"unordered": True, "barrier": False}


def test_required_records_follow_acknowledgement_and_deletion() -> None:
    ops = (*record("a", 1000, 10), Sync("log"), Ack(("a",)), Release(("a",)), *record("b", 2000, 10))
    trace = trace_of(*ops, base={"log": bytes(4096)})
    assert expected_at(trace, 3).must_keep == frozenset()
    assert expected_at(trace, 4).must_keep == {"a"}
    assert expected_at(trace, 5).must_keep == frozenset()
    assert expected_at(trace, 5).may_keep >= {"a"}
    assert expected_at(trace, 4).order == ("a",)
    assert expected_at(trace, 7).order == ("b",)


def test_of_what_was_not_released_none_may_be_missing_before_another() -> None:
    """A swap takes records away and writes others anew: those that are left still come from the front."""
    ops = (
        *record("a", 1000, 10),
        *record("b", 2000, 10),
        Release(("a",)),
        *record("c", 3000, 10),
        *record("d", 3500, 10),
    )
    owed = expected_at(trace_of(*ops, base={"log": bytes(4096)}), len(ops))
    key_of = {record: key for key, record in owed.record_of.items()}

    def said(*records: str, strict: bool = True) -> str:
        answer = Answer(tuple(key_of[record] for record in records), reported=True)
        return judge(answer, owed, "allowed", holes_allowed=not strict)

    for fine in ("", "a", "b", "bc", "cb", "abc", "bca", "bcd", "dcba"):
        assert said(*fine) == "pass", fine
    for broken in ("c", "d", "ac", "bd", "abd", "cd", "acd"):
        assert said(*broken) == "hole", broken
        assert said(*broken, strict=False) == "pass", broken


@pytest.mark.parametrize(
    ("dims", "count"), [((2,) * 6, 64), ((2,) * 12, EXHAUSTIVE), ((3, 2, 4), 24), ((1,), 1)]
)
def test_few_subsets_are_enumerated_completely(dims: tuple[int, ...], count: int) -> None:
    got = subsets(dims)
    assert len(got) == count == len({row.tobytes() for row in got})
    assert (got < np.asarray(dims)).all()


def test_equal_rows_are_one_where_the_first_of_them_was() -> None:
    """The first was put down to the strongest preset."""
    rows = np.asarray([[1, 2], [0, 1], [1, 2], [0, 258], [0, 1], [2, 0]], np.uint16)
    for given in (rows, np.asfortranarray(rows), rows[:0], np.zeros((3, 0), np.uint16)):
        found, first = distinct(given)
        wanted = [at for at, row in enumerate(given.tolist()) if row not in given.tolist()[:at]]
        assert first.tolist() == wanted
        assert found.tolist() == [given.tolist()[at] for at in wanted]


def test_many_subsets_are_two_deviations_and_uniform_samples() -> None:
    dims = (2,) * 40 + (3,)
    got, other = subsets(dims, 5), subsets(dims, 6)
    assert len(got) == len({row.tobytes() for row in got})
    deviations = 2 * (1 + 40 + 2 + 40 * 39 // 2 + 40 * 2)
    assert len(got) == deviations + SAMPLES
    # As the page on the crash model says: this many are enumerated, and beyond that as many are drawn.
    assert SAMPLES == EXHAUSTIVE == 4096
    assert (got[:deviations] == other[:deviations]).all()
    kept = (got[:deviations] == np.asarray(dims) - 1).sum(axis=1)
    lost = (got[:deviations] == 0).sum(axis=1)
    assert (np.maximum(kept, lost) >= 39).all()
    sampled = got[deviations:]
    assert not (sampled == other[deviations:]).all(axis=1).any()
    # Chi-square with one degree of freedom per cell: 40 cells, four sigma.
    ones = sampled[:, :40].sum(axis=0)
    spread = ((ones - SAMPLES / 2) ** 2 / (SAMPLES / 4)).sum()
    assert 40 - 4 * 80**0.5 < spread < 40 + 4 * 80**0.5
    thirds = np.bincount(sampled[:, 40], minlength=3)
    assert (abs(thirds - SAMPLES / 3) < 4 * (SAMPLES * 2 / 9) ** 0.5).all()


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("preset", ["epoch-subset-512", "sector-trash-512", "bitrot-bit", "bitrot-burst"])
def test_another_seed_draws_other_states(preset: str) -> None:
    ops = (*record("a", 0, 13 * SECTOR), Sync("log"), Ack(("a",)))
    trace = trace_of(*ops, base={"log": bytes(16 * SECTOR)})

    def drawn(seed: int) -> set[bytes]:
        found = crash_states(trace, (get_preset(preset),), seed)
        return {name for states in found for name in content_ids(states.point, states.codes)}

    assert drawn(1) == drawn(1) != drawn(2)


def test_complete_write_in_a_prefix_is_omitted_unless_fewer_records_are_required() -> None:
    presets = tuple(map(get_preset, ("prefix-sector-512", "epoch-subset-512")))
    old = Mark("old", "log", 600, 10, "old")

    def found(*between: Op) -> list[int]:
        ops = (*record("a", 0, 40), *between, Sync("log"))
        trace = trace_of(*ops, base={"log": bytes(1024)}, standing=(old,))
        found = crash_states(trace, presets, SEED)
        return [len(states) for states in found if states.point.crash_index == len(ops) - 1]

    assert found() == []
    assert found(Release(("old",))) == [2]


KEEP = trace_of(
    *record("a", 0, 10),
    *record("b", 100, 10),
    Sync("log"),
    Ack(("a",)),
    base={"log": bytes(4096)},
    stale=(Mark("old", "log", 200, 10, "old"),),
)


@pytest.mark.parametrize(
    ("keys", "refused", "refusal", "holes", "verdict"),
    [
        (("a", "b"), None, FORBIDDEN, False, "pass"),
        (("a",), None, ALLOWED, False, "pass"),
        ((), "no", ALLOWED, False, "acceptable"),
        ((), "no", REQUIRED, False, "acceptable"),
        ((), "no", FORBIDDEN, False, "refused"),
        ((), None, FORBIDDEN, False, "lost"),
        (("b",), None, ALLOWED, True, "lost"),
        (("a", "old"), None, ALLOWED, False, "resurrected"),
        (("a", "x"), None, ALLOWED, False, "torn-accepted"),
        (("b", "a"), None, ALLOWED, False, "hole"),
        (("b", "a"), None, ALLOWED, True, "pass"),
        (("a",), None, REQUIRED, False, "silent"),
    ],
)
def test_verdicts(
    keys: tuple[str, ...], refused: str | None, refusal: str, holes: bool, verdict: str
) -> None:
    expected = expected_at(KEEP, len(KEEP.ops))
    assert judge(Answer(keys, refused), expected, refusal, holes_allowed=holes) == verdict
    assert verdict in VERDICTS


@pytest.mark.parametrize(
    ("keys", "aside", "verdict"),
    [
        (("a",), ("b",), "pass"),
        # A record that is only set aside is not in effect, but some process must have written it.
        ((), ("a",), "lost"),
        (("a",), ("x",), "torn-accepted"),
        (("a",), ("b", "old"), "resurrected"),
    ],
)
def test_discarded_ends_were_written_and_have_no_effect(
    keys: tuple[str, ...], aside: tuple[str, ...], verdict: str
) -> None:
    expected = expected_at(KEEP, len(KEEP.ops))
    answer = Answer(keys, None, reported=True, aside=aside)
    assert judge(answer, expected, ALLOWED, holes_allowed=True) == verdict


def test_report_of_damage_makes_a_loss_acceptable() -> None:
    expected = expected_at(KEEP, len(KEEP.ops))
    assert judge(Answer(("a",), None, True), expected, REQUIRED, holes_allowed=True) == "pass"


def test_new_files_names_and_sizes_are_cells() -> None:
    storage = RecordingStorage()
    storage.create("new")
    storage.write("new", 0, b"x" * 700)
    storage.sync("new")
    storage.sync_dir()
    storage.rename("new", "log")
    trace = trace_of(*storage.ops)
    line = Timeline(trace, SECTOR)
    line.advance(2)
    point = line.point()
    assert sorted(block.kind for block in point.blocks) == ["data", "data", "names", "size"]
    images = {tuple(sorted(point.materialise(codes).items())) for codes in subsets(point.dims)}
    assert () in images
    assert (("new", b""),) in images
    assert (("new", b"x" * 512 + bytes(188)),) in images
    line.advance(4)
    assert line.point().blocks == ()
    line.advance(5)
    names = [block.versions for block in line.point().blocks]
    assert [sorted(version) for version in names[0]] == [["new"], ["log"]]
    assert any(isinstance(op, SyncDir) for op in storage.ops)


def test_presets_are_named_once_and_ranked() -> None:
    names = [preset.name for preset in PRESETS]
    assert len(set(names)) == len(names)
    assert [rank(name) for name in names] == list(range(len(names)))
    with pytest.raises(ValueError, match="no preset 'ext9'"):
        get_preset("ext9")
    assert len(REFUSALS) == len({ALLOWED, REQUIRED, FORBIDDEN})


# --- Laws of all states ---


ALL = {"grown": GROWN, "switch": SWITCH, "log": LOG, "mixed": MIXED, **TRACES}
all_traces = pytest.mark.parametrize("trace", ALL.values(), ids=ALL)


@pytest.mark.usefixtures("every_trace")
@all_traces
def test_every_state_is_the_one_its_descriptor_describes(trace: Trace) -> None:
    seen = Counter[str]()
    for states, preset, descriptor, files in rows(
        trace, lambda number, name: number % 41 == 0 or name not in seen
    ):
        assert find(trace, descriptor).files == files, descriptor
        assert states.stratum == preset.stratum
        assert bool(states.rot) == (preset.stratum == "C")
        seen[preset.name] += 1
    if trace is MIXED:
        assert seen.keys() >= {preset.name for preset in PRESETS} - {"ext4-writeback-stale"}
    assert seen.total() > 40 or trace in (GROWN, SWITCH)


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_brute_force_gives_the_same(trace: Trace) -> None:
    """Which states there are, what they require and which refusals are permitted: from the intact records."""

    def reader(files: Mapping[str, bytes]) -> Answer:
        found = [
            mark.key
            for index, mark in trace.annotated
            if isinstance(mark, Mark)
            and isinstance(op := trace.ops[index], Write)
            and files.get(mark.file, b"")[mark.off : mark.off + mark.length] == op.data
        ]
        return Answer(tuple(found))

    report = brute.compare_trace(trace, reader)
    assert not report.kinds, "\n".join(report.lines())
    assert report.rows > 10


@pytest.mark.usefixtures("every_trace")
@all_traces
def test_ids_of_whole_groups_are_those_of_their_files(trace: Trace) -> None:
    for states in crash_states(trace, PRESETS, SEED):
        whole = [content_id(states.point.materialise(codes)) for codes in states.codes]
        assert content_ids(states.point, states.codes) == whole


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("format_id", [name for name in format_ids() if has_crash_format(name)])
def test_every_state_of_a_format_is_the_one_its_descriptor_describes(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = list(adapter.workloads("core"))
    seen: set[str] = set()
    for work in works[:: len(works) // 7]:
        trace = adapter.build(work)
        again = adapter.build(work)
        for _, preset, descriptor, files in rows(
            trace, lambda number, name: number % 397 == 0 or name not in seen
        ):
            assert find(again, descriptor).files == files, descriptor
            seen.add(preset.name)
    assert seen >= {preset.name for preset in PRESETS if preset.stratum != "R"} - {"bitrot-phantom"}


@pytest.mark.parametrize("size", [0, 3, 512, 700, 33 * 512 + 5])
def test_ids_are_put_together_from_names_sizes_and_pages(size: int) -> None:
    """Permanent: blake2b-128 of names, sizes and pages; of more than 32 pages, 32 by 32."""

    def blake(data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=16).digest()

    content = bytes(at % 251 for at in range(size))
    pages = [blake(content[at : at + 512]) for at in range(0, size, 512)]
    if len(pages) > 32:
        pages = [blake(b"".join(pages[:32])), blake(b"".join(pages[32:]))]
    head = b"\0\0\0\1b" + size.to_bytes(8, "big")
    empty = b"\0\0\0\2aa" + bytes(8)
    assert content_id({"b": content, "aa": b""}) == blake(empty + head + b"".join(pages))


def test_the_id_of_a_case_holds_all_that_was_promised() -> None:
    text = b"toy\x001\x00R\x00k1\x00k2"
    promised = hashlib.blake2b(text, digest_size=16).digest()
    assert promise("toy", "1", "R", ["k2", "k1"]) == promised
    assert case_id(b"c" * 16, promised) == hashlib.blake2b(b"c" * 16 + promised, digest_size=16).digest()


def test_about_one_trace_in_so_many_is_chosen() -> None:
    """By its id alone: within four sigma of a binomial distribution; those of 128 are among those of 32."""
    names = [f"{number:032x}" for number in range(1 << 14)]
    chosen = {share: {name for name in names if selected(name, share)} for share in (1, 16, 32, 128)}
    for share, found in chosen.items():
        due = len(names) / share
        assert abs(len(found) - due) <= 4 * (due * (1 - 1 / share)) ** 0.5
    assert chosen[128] < chosen[32] < chosen[16] < chosen[1]


def test_an_unknown_corruption_is_refused() -> None:
    descriptor = Descriptor(LOG.id, "bitrot-bit", 4, b"", 0, "zero", SEED, "bite:log:1:1")
    with pytest.raises(NoSuchState, match="has no state bitrot-bit"):
        find(LOG, descriptor)


def test_corruption_requires_a_report_and_no_record() -> None:
    expected = expected_at(LOG, 8, stratum="C")
    strict = {"refusal": ALLOWED, "holes_allowed": False}
    assert judge(Answer(("a", "b")), expected, **strict) == "pass"  # type: ignore[arg-type]
    assert judge(Answer((), "no"), expected, **strict) == "acceptable"  # type: ignore[arg-type]
    assert judge(Answer(("a",)), expected, **strict) == "silent"  # type: ignore[arg-type]
    assert judge(Answer(("a",), None, True), expected, **strict) == "pass"  # type: ignore[arg-type]
    assert judge(Answer(("b",), None, True), expected, **strict) == "hole"  # type: ignore[arg-type]
    assert judge(Answer(("a", "x"), None, True), expected, **strict) == "torn-accepted"  # type: ignore[arg-type]


def test_second_run_has_separate_losses() -> None:
    trace = replace(
        trace_of(
            *record("b-1", 1000, 10),
            Sync("log"),
            Ack(("b-1",)),
            base={"log": bytes(2000)},
            standing=(Mark("a", "log", 0, 10, "a"),),
            possible=(Mark("maybe", "log", 20, 10, "maybe"),),
        ),
        life=2,
    )
    expected = expected_at(trace, len(trace.ops))

    def verdict(*keys: str) -> str:
        return judge(Answer(keys), expected, FORBIDDEN, holes_allowed=False)

    assert verdict("a", "b-1") == verdict("a", "maybe", "b-1") == verdict("a", "b-1", "maybe") == "pass"
    assert verdict("a") == "append-lost"
    assert verdict("b-1") == "lost"
    fine = expected_at(replace(trace, tags={"fine": "yes"}), len(trace.ops))
    assert judge(Answer(("b-1",)), fine, FORBIDDEN, holes_allowed=False) == "non-idempotent"
    assert trace.id != replace(trace, life=1).id != replace(trace, possible=()).id
    # A repeated write has its own place in the order.
    again = replace(trace, ops=(*record("maybe", 20, 10), *trace.ops))
    expected = expected_at(again, len(again.ops))
    assert (verdict("a", "maybe", "b-1"), verdict("a", "b-1")) == ("pass", "hole")
    assert {"append-lost", "non-idempotent"} <= set(VERDICTS)


def test_categories_have_the_codes_of_the_plan() -> None:
    codes = {f"R{number:02}" for number in range(1, 18)} | {f"C{number:02}" for number in range(1, 10)}
    assert set(CODES.values()) == codes


def test_every_verdict_is_explained_and_breaks_a_known_invariant() -> None:
    assert list(MEANINGS) == list(VERDICTS)
    assert list(INVARIANTS) == [f"I{number}" for number in range(1, 13)]
    assert {ident for broken in VERDICTS.values() for ident in broken} <= set(INVARIANTS)
    for ident, item in INVARIANTS.items():
        assert bool(item.verdicts(ident)) == ("verdict" in item.looked_at)


def test_presets_say_what_they_imitate_and_assume() -> None:
    strata = [list(STRATA).index(preset.stratum) for preset in PRESETS]
    assert strata == sorted(strata)
    names = [name for preset in PRESETS for name in (preset.name, *preset.also)]
    assert len(names) == len(set(names))
    assert all(preset.imitates and preset.assumes for preset in PRESETS)
    for alias, name in (("nvme-awupf-4k", "epoch-subset-4096"), ("sqlite-psow", "epoch-subset-512")):
        assert get_preset(alias) is get_preset(name)
