"""The crash engine on small traces: states of presets (listed by hand), blocks, ids, expected outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from design_rules import invariants

from journalspec_corpus.crash import states as engine
from journalspec_corpus.crash.disk import StateContents, States, content_id
from journalspec_corpus.crash.facts import Facts, categories, fields, find
from journalspec_corpus.crash.oracle import ALLOWED, FORBIDDEN, REQUIRED, Expected, expected_at
from journalspec_corpus.crash.states import (
    EXHAUSTIVE,
    SAMPLES,
    Descriptor,
    NoSuchState,
    crash_states,
    cuts_of,
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
    Publish,
    Release,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    get_preset,
    rank,
)
from journalspec_corpus.crash.verdict import CATEGORIES, CODES, MEANINGS, VERDICTS, Answer, judge

SEED = 7
SECTOR, PAGE = 512, 4096
A, B, ZERO = b"A" * PAGE, b"B" * PAGE, bytes(PAGE)
OS, PS = b"o" * PAGE, b"p" * PAGE
OTHER = OS + PS
Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def every_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Include every trace, so that none is omitted because of its id."""
    monkeypatch.setattr(engine, "selected", lambda trace, share: True)


def trace_of(*ops: Op, base: Files | None = None, **more: object) -> Trace:
    return Trace("toy", "1", "toy", base or {}, ops, "zero", **more)  # type: ignore[arg-type]  # keywords of Trace


def left(trace: Trace, preset: str, at: int | None = None) -> list[Files]:
    """Return the distinct states that only `preset` leaves at operation `at` (default: the end)."""
    out: list[Files] = []
    for states in crash_states(trace, (get_preset(preset),), SEED):
        if states.point.crash_index == (len(trace.ops) if at is None else at):
            for codes in states.codes:
                files = states.point.materialise(codes)
                if files not in out:
                    out.append(files)
    return out


def same(one: list[Files], other: list[Files]) -> bool:
    return len(one) == len(other) and all(files in other for files in one)


# --- The states of presets ---


def logs(*contents: bytes, **others: bytes) -> list[Files]:
    return [{"log": content, **others} for content in contents]


GROWN = trace_of(Write("log", 0, A), Write("log", PAGE, B), base={"log": b"", "other": OTHER})
LONGER = trace_of(
    Truncate("log", 2 * PAGE), Sync("log"), Write("log", 0, A), base={"log": b"", "other": OTHER}
)
#: A page that was added and synced is written again, and then the file grows by one more page.
GROWN_AGAIN = trace_of(
    *(Truncate("log", PAGE), Sync("log"), Write("log", 0, A), Write("log", PAGE, B)),
    base={"log": b"", "other": OTHER},
)
#: The second operation sets a size, but writes no block.
EXTENDED = trace_of(Write("log", 0, b"A" * 100), Truncate("log", 2 * PAGE), base={"log": b""})
LONG_A = b"A" * 100 + bytes(2 * PAGE - 100)
SWITCH = trace_of(
    *(Create("tmp"), Write("tmp", 0, b"n"), Sync("tmp"), Rename("tmp", "log"), Unlink("old")),
    base={"log": b"l", "old": b"o"},
)
OLD, BOTH = {"log": b"l", "old": b"o"}, {"log": b"l", "old": b"o", "tmp": b"n"}
NAMES = [f"n{number}" for number in range(7)]
#: Seven names have too many subsets: the preset leaves out one name, or all but one.
MISSING = [{name} for name in NAMES[1:]] + [{*NAMES} - {name} for name in NAMES[:-1]]
SEVEN = trace_of(*map(Create, NAMES), base={"log": b"l"})
#: Six names have few enough subsets: the preset leaves all of them, except those of the first names.
SIX = trace_of(*map(Create, NAMES[:6]), base={"log": b"l"})
SOME = [[name for bit, name in enumerate(NAMES[:6]) if mask >> bit & 1] for mask in range(64)]
SCATTERED = [kept for kept in SOME if kept != NAMES[: len(kept)]]


@pytest.mark.parametrize(
    ("trace", "preset", "expected"),
    [
        # A size is durable only if all new blocks below this size are durable.
        (GROWN, "ext4-ordered", logs(b"", A, A + B, other=OTHER)),
        # A size becomes durable with its own write; missing blocks below this size read as zeros.
        (GROWN, "xfs-unwritten", logs(b"", A, A + B, ZERO + B, other=OTHER)),
        (GROWN, "epoch-subset-4096", logs(b"", A, A + B, ZERO + B, ZERO, ZERO * 2, A + ZERO, other=OTHER)),
        # New space that no write has reached shows the block of another file.
        (GROWN, "ext4-writeback-stale", logs(OS, OTHER, A + PS, OS + B, other=OTHER)),
        # Space that was added to a file and synced reads as zeros under every preset.
        (LONGER, "ext4-ordered", logs(ZERO * 2, A + ZERO, other=OTHER)),
        (LONGER, "xfs-unwritten", logs(ZERO * 2, A + ZERO, other=OTHER)),
        (LONGER, "epoch-subset-4096", logs(ZERO * 2, A + ZERO, other=OTHER)),
        (LONGER, "ext4-writeback-stale", []),
        # The synced page is not new: the size does not wait for its bytes, and it never shows foreign blocks.
        (GROWN_AGAIN, "ext4-ordered", logs(ZERO, A, ZERO + B, A + B, other=OTHER)),
        (GROWN_AGAIN, "ext4-writeback-stale", logs(ZERO + PS, A + PS, other=OTHER)),
        # A size waits for the blocks that its own operation wrote, or for all blocks below it.
        (EXTENDED, "xfs-unwritten", logs(b"", b"A" * 100, ZERO * 2, LONG_A)),
        (EXTENDED, "ext4-ordered", logs(b"", b"A" * 100, LONG_A)),
        # The fsync of the file has committed its name; later changes of names become durable in order.
        (SWITCH, "ext4-ordered", [BOTH, {"log": b"n", "old": b"o"}, {"log": b"n"}]),
        (SWITCH, "epoch-subset-512", [OLD, BOTH, {"log": b"n", "old": b"o"}, {"log": b"n"}]),
        # Every name changes independently: the new name, the old name of the same file, the removed name.
        (SWITCH, "alice-weak", logs(b"l") + logs(b"l", b"n", tmp=b"n") + logs(b"n", tmp=b"n", old=b"o")),
        (SEVEN, "alice-weak", [{"log": b"l", **dict.fromkeys(kept, b"")} for kept in MISSING]),
        (SIX, "alice-weak", [{"log": b"l", **dict.fromkeys(kept, b"")} for kept in SCATTERED]),
    ],
)
def test_preset_leaves_exactly_these_states(trace: Trace, preset: str, expected: list[Files]) -> None:
    assert same(left(trace, preset), expected)


@pytest.mark.parametrize(
    ("before", "torn"),
    [
        # One sector boundary is in the old part of the file. Before the end of the file there is no other
        # boundary.
        (700, [b"y" * 600 + b"x" * 100]),
        (1100, [b"y" * 600 + b"x" * 424 + b"y" * 76, b"y" * 600 + b"x" * 500]),
    ],
)
def test_append_is_complete_or_absent(before: int, torn: list[bytes]) -> None:
    trace = trace_of(Write("log", 600, b"x" * 1000), base={"log": b"y" * before})
    expected = logs(b"y" * before, *torn, b"y" * 600 + b"x" * 1000)
    assert same(left(trace, "sqlite-sequential-safe-append", at=0), expected)


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        # First two files with data in the page at the same offset; then one with data only in another page.
        ({"other": OTHER}, PS),
        ({"other": ZERO + PS + OS}, PS),
        ({"other": OS}, OS),
        # A file of zeros is skipped; the next file is shown.
        ({"a": ZERO + ZERO, "other": b"o" * 9}, b"o" * 9 + bytes(PAGE - 9)),
    ],
)
def test_new_space_contains_the_block_of_another_file_at_that_offset_or_its_first_block(
    others: Files, shown: bytes
) -> None:
    trace = trace_of(Write("log", PAGE, B), base={"log": A, **others})
    assert left(trace, "ext4-writeback-stale") == [{"log": A + shown, **others}]


def sectors_left(preset: str) -> set[tuple[str, str]]:
    """Return the contents of two sectors, which a write changes from 0 and 1 to A and B."""
    trace = trace_of(Write("log", 0, b"A" * 512 + b"B" * 512), base={"log": b"0" * 512 + b"1" * 512})
    (states,) = crash_states(trace, (get_preset(preset),), SEED)
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
    return {(parts[0][files["log"][:512]], parts[1][files["log"][512:]]) for files in left(trace, preset)}


def test_preset_leaves_one_garbage_sector_or_several_broken_sectors() -> None:
    one = {("garbage", other) for other in ("right", "old")}
    assert sectors_left("sector-trash-512") == one | {pair[::-1] for pair in one}
    seen = sectors_left("fdb-full-corruption")
    assert {("garbage", "garbage"), ("left", "right"), ("right", "right half"), ("old", "left")} <= seen
    assert not seen & {("right", "right"), ("old", "old"), ("garbage", "right"), ("old", "garbage")}


def test_weakest_model_leaves_garbage_in_new_space() -> None:
    trace = trace_of(Write("log", 0, b"A" * 512), Write("log", 512, b"B" * 512), base={"log": b""})
    (states,) = crash_states(trace, (get_preset("alice-weak"),), SEED)
    one, two = (
        garbage_bytes(SEED, states.point, block) for block in states.point.blocks if block.kind == "data"
    )
    assert same(left(trace, "alice-weak"), logs(one, one + two, b"A" * 512 + two, one + b"B" * 512))


def points(trace: Trace, *presets: str) -> dict[int, list[list[int]]]:
    """Return the codes of the states under the last of `presets`, by crash point."""
    found: dict[int, list[list[int]]] = {}
    for states in crash_states(trace, tuple(map(get_preset, presets)), SEED):
        own = states.codes[states.preset == rank(presets[-1])]
        if len(own):
            found.setdefault(states.point.crash_index, []).extend(sorted(own.tolist()))
    return found


def test_subsets_are_checked_before_the_fsync_of_names_and_of_files() -> None:
    trace = trace_of(Create("new"), SyncDir(), Write("log", 0, b"x"), Sync("log"), base={"log": b"l"})
    assert points(trace, "epoch-subset-512") == {1: [[0], [1]], 3: [[0], [1]]}


@pytest.mark.parametrize("told", [Release(("old",)), Ack(("a",))])
def test_lost_write_is_checked_again_after_a_deletion_or_acknowledgement(told: Op) -> None:
    """Before it, the prefix presets leave the same states. After it, other records are required."""
    trace = trace_of(Write("log", 0, b"x"), told, base={"log": b"l"})
    assert points(trace, "prefix-sector-512", "epoch-subset-512") == {2: [[0], [1]]}


def test_settled_bytes_end_at_the_smallest_size_of_the_file() -> None:
    ops = (Truncate("log", 100), Truncate("log", 600), Sync("log"), Ack(("a",)))
    trace = trace_of(*ops, base={"log": b"h" * 100 + bytes(500)})
    (states,) = crash_states(trace, (get_preset("lying-cache"),), SEED)
    assert StateContents(states.point, states.codes).settled(0) == b"h" * 100


def record(name: str, off: int, length: int) -> tuple[Write, Mark]:
    mark = Mark(name, "log", off, length, name, ((0, "head"), (8, "body")))
    return Write("log", off, name.encode() * length), mark


def test_writes_are_torn_at_the_bytes_that_the_page_lists() -> None:
    """Short writes are cut at each byte, long ones near their ends, early ones at fields, all at sectors."""
    writes = [op for _ in range(9) for op in record("a", 300, 2000)]
    long, many = (trace_of(*ops, base={"log": b""}) for ops in (writes[:2], writes))
    sectors = {edge + beside for edge in (212, 724, 1236, 1748) for beside in (-1, 0, 1)}
    assert cuts_of(trace_of(*record("a", 300, 600)), 0).all()
    assert {*np.flatnonzero(cuts_of(long, 0)).tolist()} == {*range(97), *range(1904, 2001)} | sectors
    early = {0, 1, 7, 8, 9, 1999, 2000} | sectors
    assert {*np.flatnonzero(cuts_of(many, 0)).tolist()} == early
    # Of nine writes (operations 0, 2 ... 16), only the last three are cut as in a short trace.
    assert {*np.flatnonzero(cuts_of(many, 10)).tolist()} == early
    assert (cuts_of(many, 12) == cuts_of(long, 0)).all()
    # Eight writes are few.
    assert (cuts_of(trace_of(*writes[:16], base={"log": b""}), 0) == cuts_of(long, 0)).all()


# --- Lying devices and corruption ---

LOG = trace_of(
    *(*record("a", 100, 40), Sync("log"), Ack(("a",))),
    *(*record("b", 1000, 40), Sync("log"), Ack(("b",))),
    base={"log": bytes(64) + b"h" * 36 + bytes(2000), "spare": b"s" * 600},
)


def put(content: bytes, off: int, data: bytes) -> bytes:
    return content[:off] + data[: len(content) - off] + content[off + len(data) :]


#: The log without records, with record a, with record b alone, with both, and with a and a part of b.
NONE, SPARE = LOG.base["log"], LOG.base["spare"]
WITH_A, WITH_B = put(NONE, 100, b"a" * 40), put(NONE, 1000, b"b" * 40)
NOW = put(WITH_A, 1000, b"b" * 40)
CUT = put(WITH_A, 1000, b"b" * 24)


def both(log: bytes | None, spare: bytes | None = SPARE) -> Files:
    return {name: data for name, data in (("log", log), ("spare", spare)) if data is not None}


#: The last fsync was for sectors 1 and 2. These are the log without sector 1 and the log without sector 2.
ONE, TWO = put(NOW, 512, WITH_A[512:1024]), put(NOW, 1024, WITH_A[1024:1536])


def strayed(sector: int, old: bytes) -> list[Files]:
    """Return the files for each place to which a sector may be misdirected; `old` is the log without this
    sector."""
    data = NOW[sector * 512 : sector * 512 + 512]
    here = [both(put(old, at * 512, data)) for at in range(5) if at != sector]
    return here + [both(old, put(SPARE, at * 512, data)) for at in range(2)]


CUTS = [NOW[:edge] for edge in (100, 140, 1000, 1040)]
TWICE = trace_of(
    *(*record("a", 0, 40), Sync("log"), *record("b", 0, 40), Sync("log"), Ack(("b",))),
    base={"log": bytes(40)},
)
#: A record ends exactly at the end of its file; the fsync did not include a write beyond it.
AT_THE_END = trace_of(
    *(*record("a", 100, 40), Sync("log"), Ack(("a",)), Write("log", 150, b"x")), base={"log": b"h" * 100}
)
#: A file is synced under its first name, and then renamed.
RENAMED = trace_of(
    *(Create("tmp"), Write("tmp", 0, b"x"), Sync("tmp"), Rename("tmp", "log"), SyncDir(), Ack(("a",))),
    base={"log": b"l"},
)
CLEARED = [both(NOW, put(SPARE, at, bytes(512))) for at in (0, 512)]
ENDED_EARLY = [both(NOW[: at * 512]) for at in range(5)] + [both(NOW, SPARE[: at * 512]) for at in range(2)]
EXCHANGED = [both(SPARE, NOW), both(NONE), both(WITH_A)]
#: All pages of one fsync were lost, or one of these pages was lost.
FAILED = (WITH_B, WITH_A, CUT, put(NOW, 1000, bytes(24)))


@pytest.mark.parametrize(
    ("trace", "preset", "at", "expected"),
    [
        # Only acknowledged writes are lost. Record b is in sectors 1 and 2, so a loss can divide it.
        (LOG, "lying-cache", 4, [both(NONE)]),
        (LOG, "lying-cache", 8, [both(NONE), both(WITH_A), both(CUT)]),
        (LOG, "fail-marks-clean", 4, [both(NONE)]),
        (LOG, "fail-marks-clean", 8, [*map(both, FAILED)]),
        # A page that is written again is dirty again, and this time it arrives.
        (TWICE, "fail-marks-clean", 7, logs(b"a" * 40)),
        # The file lost its size, or only its page; or the directory lost the new names.
        (RENAMED, "fail-marks-clean", 6, logs(b"", b"\0", b"l")),
        # Sectors 3 and 4 already contain zeros.
        (
            LOG,
            "bitrot-zero-sector",
            8,
            [*(both(put(NOW, at, bytes(512))) for at in (0, 512, 1024)), *CLEARED],
        ),
        (LOG, "bitrot-lse", 8, [both(bytes(2100)), both(NOW, bytes(600)), *ENDED_EARLY]),
        (LOG, "bitrot-phantom", 8, [both(ONE), both(TWO), both(WITH_B)]),
        (LOG, "bitrot-misdirect", 8, strayed(1, ONE) + strayed(2, TWO)),
        (LOG, "bitrot-cut", 8, [*map(both, CUTS), *(both(cut.ljust(2100, b"\0")) for cut in CUTS[:3])]),
        # A copy is filled with zeros from the boundary of a record on, even if this boundary is near the end.
        (AT_THE_END, "bitrot-cut", 4, logs(b"h" * 100, b"h" * 100 + bytes(40))),
        (LOG, "bitrot-file", 8, [both(None), both(NOW, None), both(NOW, NOW), both(SPARE), *EXCHANGED]),
    ],
)
def test_lying_device_or_corruption_leaves_exactly_these_states(
    trace: Trace, preset: str, at: int, expected: list[Files]
) -> None:
    found = left(trace, preset, at)
    assert all(files in expected for files in found)
    assert all(files in found for files in expected)


def first_two(preset: str) -> tuple[States, States]:
    """Return the states after the first and after the second acknowledgement."""
    one, two = crash_states(LOG, (get_preset(preset),), SEED)
    return one, two


def test_lying_device_permits_a_refusal_and_has_its_own_category() -> None:
    for states in first_two("lying-cache"):
        assert states.stratum == "L"
        assert {CATEGORIES[at] for at in categories(Facts(states))} == {"lost-force"}
        assert not (Facts(states).refusals == 2).any()


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


def test_acknowledgement_that_is_the_first_operation_of_interest_is_checked() -> None:
    """Operation 3 is the acknowledgement of record a."""
    trace = replace(LOG, crash_from=3)
    points = [states.point.crash_index for states in crash_states(trace, (get_preset("lying-cache"),), SEED)]
    assert points == [4, 8]


def test_every_bit_in_use_is_flipped_alone() -> None:
    states, _ = first_two("bitrot-bit")
    found = set()
    for label, codes in zip(states.rot, states.codes, strict=True):
        kind, name, off, bit = label.split(":")
        turned = bytearray(both(WITH_A)[name])
        turned[int(off)] ^= 1 << int(bit)
        assert kind == "bit"
        assert states.point.materialise(codes) == {**both(WITH_A), name: bytes(turned)}
        found.add((name, int(off), int(bit)))
    used = [("log", off) for off in (*range(64), *range(100, 140))] + [("spare", off) for off in range(64)]
    assert {(name, off, bit) for name, off in used for bit in range(8)} < found
    assert len(found) == len(states)
    names = fields(Facts(states))
    assert {*names} == {"header", "head", "body", "unused"}
    # The first byte of a field is part of it.
    hit = dict(zip(states.rot, names, strict=True))
    starts = {100: "head", 107: "head", 108: "body", 139: "body"}
    assert {off: hit[f"bit:log:{off}:0"] for off in starts} == starts


@pytest.mark.parametrize("preset", ["bitrot-burst", "bitrot-2bit"])
def test_bursts_begin_and_end_with_a_wrong_bit_and_pairs_are_two_bits(preset: str) -> None:
    for states, sound in zip(first_two(preset), (WITH_A, NOW), strict=True):
        for label, codes in zip(states.rot, states.codes, strict=True):
            kind, name, _, length, *_ = label.split(":")
            content = states.point.materialise(codes)["log"]
            wrong = int.from_bytes(content, "big") ^ int.from_bytes(sound, "big")
            if name == "log" and kind == "bits":
                assert wrong.bit_count() == 2
            elif name == "log":
                run = wrong.bit_length() - (wrong & -wrong).bit_length() + 1
                assert run == int(length) <= 64


# --- Which subsets are drawn, and how to find a state again ---


@pytest.mark.parametrize(
    ("dims", "count"), [((2,) * 6, 64), ((2,) * 12, EXHAUSTIVE), ((3, 2, 4), 24), ((1,), 1)]
)
def test_all_subsets_are_enumerated_if_they_are_few(dims: tuple[int, ...], count: int) -> None:
    got = subsets(dims)
    assert len(got) == count == len({row.tobytes() for row in got})
    assert (got < np.asarray(dims)).all()


def test_many_subsets_are_sampled_with_all_that_deviate_at_two_positions() -> None:
    dims = (2,) * 40 + (3,)
    got, other = subsets(dims, 5), subsets(dims, 6)
    assert len(got) == len({row.tobytes() for row in got})
    deviations = 2 * (1 + 40 + 2 + 40 * 39 // 2 + 40 * 2)
    assert len(got) == deviations + SAMPLES
    # The page on the crash model also states this: up to 4,096 states are enumerated, and 4,096 more are
    # drawn.
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


def test_equal_states_become_one_row_at_the_first_position() -> None:
    """The strongest preset comes first, and a state belongs to the first preset that can leave it."""
    rows = np.asarray([[1, 2], [0, 1], [1, 2], [0, 258], [0, 1], [2, 0]], np.uint16)
    for given in (rows, np.asfortranarray(rows), rows[:0], np.zeros((3, 0), np.uint16)):
        found, first = distinct(given)
        wanted = [at for at, row in enumerate(given.tolist()) if row not in given.tolist()[:at]]
        assert first.tolist() == wanted
        assert found.tolist() == [given.tolist()[at] for at in wanted]


@pytest.mark.parametrize("preset", ["epoch-subset-512", "sector-trash-512", "bitrot-bit", "bitrot-burst"])
def test_another_seed_samples_other_states(preset: str) -> None:
    ops = (*record("a", 0, 13 * SECTOR), Sync("log"), Ack(("a",)))
    trace = trace_of(*ops, base={"log": bytes(16 * SECTOR)})

    def drawn(seed: int) -> set[bytes]:
        found = crash_states(trace, (get_preset(preset),), seed)
        return {name for states in found for name in StateContents(states.point, states.codes).ids}

    assert drawn(1) == drawn(1) != drawn(2)


def test_deviations_are_counted_from_the_nearer_extreme() -> None:
    """Deviations are counted from the state with all four sectors and from the state with none; the smaller
    number is used.
    """
    trace = trace_of(Write("log", 0, b"A" * 4 * SECTOR), base={"log": bytes(4 * SECTOR)})
    (states,) = crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
    counted = zip(states.codes.sum(axis=1).tolist(), Facts(states).deviations.tolist(), strict=True)
    assert {*counted} == {(0, 0), (1, 1), (2, 2), (3, 1), (4, 0)}


#: All features in one trace: growth, preallocated space, names, two files, several versions of one granule.
MIXED = trace_of(
    Write("log", 64, b"p" * 8),
    *(Create("new"), Truncate("new", 1536)),
    *record("a", 500, 40),
    *(Write("new", 500, b"x" * 30), Sync("log"), Ack(("a",))),
    *(Write("log", 64, b"q" * 8), Publish(("a",))),
    *(Truncate("new", 700), Rename("new", "other"), SyncDir()),
    *record("b", 1000, 1100),
    *(Write("other", 690, b"z" * 200), Unlink("spare"), Sync("other"), Ack(("b",))),
    Write("other", 890, bytes(300)),
    base={"log": bytes(1500), "spare": b"s" * 600},
    standing=(Mark("s", "spare", 0, 500, "s"),),
)


@pytest.mark.parametrize("trace", [MIXED, GROWN, SWITCH])
def test_every_state_is_rebuilt_from_its_descriptor(trace: Trace) -> None:
    """The ids of a group equal those of its files.

    The test checks the first state of each preset, and one in 41.
    """
    seen: set[str] = set()
    again = replace(trace)
    for states in crash_states(trace, PRESETS, SEED):
        ids = StateContents(states.point, states.codes).ids
        for row, codes in enumerate(states.codes):
            preset = PRESETS[states.preset[row]]
            if row % 41 and preset.name in seen:
                continue
            seen.add(preset.name)
            files, descriptor = states.point.materialise(codes), descriptor_of(states, row, SEED)
            assert find(again, descriptor).files == files, descriptor
            assert ids[row] == content_id(files)
            assert states.stratum == preset.stratum
            assert bool(states.rot) == (preset.stratum == "C")
    assert trace is not MIXED or len(seen) >= len(PRESETS) - 1


@pytest.mark.parametrize(
    ("descriptor", "why"),
    [
        (Descriptor("0" * 32, "prefix-byte", 0, b"", 0, "zero", SEED), "is of trace"),
        (Descriptor(LOG.id, "epoch-subset-512", 7, b"\0" * 9, 0, "zero", SEED), "mask has 9 entries"),
        (Descriptor(LOG.id, "epoch-subset-512", 2, b"\7", 0, "zero", SEED), "version 7 of a cell that has 2"),
        (Descriptor(LOG.id, "prefix-byte", 0, b"", 601, "zero", SEED), "has no state prefix-byte"),
        (Descriptor(LOG.id, "bitrot-bit", 4, b"", 0, "zero", SEED, "bite:log:1:1"), "no state bitrot-bit"),
    ],
)
def test_descriptor_of_another_trace_or_shape_is_refused(descriptor: Descriptor, why: str) -> None:
    with pytest.raises(NoSuchState, match=why):
        find(LOG, descriptor)


# --- Required records, and verdicts ---


def test_required_records_follow_acknowledgement_and_deletion() -> None:
    ops = (*record("a", 1000, 10), Sync("log"), Ack(("a",)), Release(("a",)), *record("b", 2000, 10))
    trace = trace_of(*ops, base={"log": bytes(4096)})
    found = [expected_at(trace, at) for at in (3, 4, 5, 7)]
    assert [expected.must_keep for expected in found] == [set(), {"a"}, set(), set()]
    assert found[2].may_keep >= {"a"}
    assert (found[1].order, found[3].order) == (("a",), ("b",))


def test_record_is_issued_when_its_own_write_begins() -> None:
    """The mark of a record follows its write. The write before it issues nothing."""
    trace = trace_of(Write("log", 0, b"pointer"), *record("a", 1000, 10), base={"log": bytes(4096)})
    assert [expected_at(trace, at, torn=at).may_keep for at in (0, 1)] == [set(), {"a"}]


@pytest.mark.parametrize(
    ("listed", "is_hole"),
    [
        *((fine, False) for fine in ("", "a", "b", "bc", "cb", "abc", "bca", "bcd", "dcba")),
        *((broken, True) for broken in ("c", "d", "ac", "bd", "abd", "cd", "acd")),
    ],
)
def test_recovered_records_without_the_deleted_ones_must_be_a_prefix(listed: str, is_hole: bool) -> None:
    """A swap deletes some records and copies others. The remaining records must still form a prefix."""
    first = (*record("a", 1000, 10), *record("b", 2000, 10), Release(("a",)))
    trace = trace_of(*first, *record("c", 3000, 10), *record("d", 3500, 10), base={"log": bytes(4096)})
    required, answer = expected_at(trace, len(trace.ops)), Answer(tuple(listed), reported=True)
    assert judge(answer, required, ALLOWED, holes_allowed=False) == ("hole" if is_hole else "pass")
    assert judge(answer, required, ALLOWED, holes_allowed=True) == "pass"


def ended(trace: Trace, **more: str) -> Expected:
    return expected_at(trace, len(trace.ops), **more)  # type: ignore[arg-type]  # the stratum


#: Record a is acknowledged, b is not, and old is of an earlier generation.
KEEP = ended(
    trace_of(
        *(*record("a", 0, 10), *record("b", 100, 10), Sync("log"), Ack(("a",))),
        base={"log": bytes(4096)},
        stale=(Mark("old", "log", 200, 10, "old"),),
    )
)
#: Corruption after a and b were acknowledged: the damage must be reported, but no record is required.
ROTTEN = ended(LOG, stratum="C")
#: A second run that acknowledged b-1. Record a existed before this run; the record "maybe" possibly existed.
LATER = trace_of(
    *(*record("b-1", 1000, 10), Sync("log"), Ack(("b-1",))),
    base={"log": bytes(2000)},
    standing=(Mark("a", "log", 0, 10, "a"),),
    possible=(Mark("maybe", "log", 20, 10, "maybe"),),
    life=2,
)
SECOND, FINE = ended(LATER), ended(replace(LATER, tags={"fine": "yes"}))
#: A run that writes the record "maybe" again, which then has a place in the order.
AGAIN = ended(replace(LATER, ops=(*record("maybe", 20, 10), *LATER.ops)))


def test_record_that_an_earlier_crash_may_have_left_may_be_recovered() -> None:
    assert ended(replace(LATER, stale=LATER.possible)).must_drop == set()


@pytest.mark.parametrize(
    ("expected", "answer", "refusal", "may_omit", "verdict"),
    [
        (KEEP, Answer(("a", "b")), FORBIDDEN, False, "pass"),
        (KEEP, Answer(("a",)), ALLOWED, False, "pass"),
        (KEEP, Answer((), "no"), ALLOWED, False, "acceptable"),
        (KEEP, Answer((), "no"), REQUIRED, False, "acceptable"),
        (KEEP, Answer((), "no"), FORBIDDEN, False, "refused"),
        (KEEP, Answer(()), FORBIDDEN, False, "lost"),
        (KEEP, Answer(("b",)), ALLOWED, True, "lost"),
        (KEEP, Answer(("a", "old")), ALLOWED, False, "resurrected"),
        (KEEP, Answer(("a", "x")), ALLOWED, False, "torn-accepted"),
        (KEEP, Answer(("b", "a")), ALLOWED, False, "hole"),
        (KEEP, Answer(("b", "a")), ALLOWED, True, "pass"),
        # Damage must be reported; a report is enough.
        (KEEP, Answer(("a",)), REQUIRED, False, "silent"),
        (KEEP, Answer(("a",), reported=True), REQUIRED, True, "pass"),
        # A record that is not in effect may be reported, but a writer must have written it.
        (KEEP, Answer(("a",), aside=("b",)), ALLOWED, True, "pass"),
        (KEEP, Answer((), aside=("a",)), ALLOWED, True, "lost"),
        (KEEP, Answer(("a",), aside=("x",)), ALLOWED, True, "torn-accepted"),
        (KEEP, Answer(("a",), aside=("b", "old")), ALLOWED, True, "resurrected"),
        (ROTTEN, Answer(("a", "b")), ALLOWED, False, "pass"),
        (ROTTEN, Answer((), "no"), ALLOWED, False, "acceptable"),
        (ROTTEN, Answer(("a",)), ALLOWED, False, "silent"),
        (ROTTEN, Answer(("a",), reported=True), ALLOWED, False, "pass"),
        (ROTTEN, Answer(("b",), reported=True), ALLOWED, False, "hole"),
        (ROTTEN, Answer(("a", "x"), reported=True), ALLOWED, False, "torn-accepted"),
        # Verdicts distinguish losses of the second run from those of the first.
        (SECOND, Answer(("a", "b-1")), FORBIDDEN, False, "pass"),
        (SECOND, Answer(("a", "maybe", "b-1")), FORBIDDEN, False, "pass"),
        (SECOND, Answer(("a", "b-1", "maybe")), FORBIDDEN, False, "pass"),
        (SECOND, Answer(("a",)), FORBIDDEN, False, "append-lost"),
        (SECOND, Answer(("b-1",)), FORBIDDEN, False, "lost"),
        (FINE, Answer(("b-1",)), FORBIDDEN, False, "non-idempotent"),
        (AGAIN, Answer(("a", "maybe", "b-1")), FORBIDDEN, False, "pass"),
        (AGAIN, Answer(("a", "b-1")), FORBIDDEN, False, "hole"),
    ],
)
def test_verdict_on_an_answer_is_the_expected_one(
    expected: Expected, answer: Answer, refusal: str, may_omit: bool, verdict: str
) -> None:
    assert judge(answer, expected, refusal, holes_allowed=may_omit) == verdict
    assert verdict in VERDICTS


# --- Tables ---


def test_presets_have_unique_names_ranks_by_class_and_descriptions() -> None:
    names = [name for preset in PRESETS for name in (preset.name, *preset.also)]
    assert len(set(names)) == len(names)
    assert [rank(preset.name) for preset in PRESETS] == list(range(len(PRESETS)))
    strata = [list(STRATA).index(preset.stratum) for preset in PRESETS]
    assert strata == sorted(strata)
    assert all(preset.imitates and preset.assumes for preset in PRESETS)
    for alias, name in (("nvme-awupf-4k", "epoch-subset-4096"), ("sqlite-psow", "epoch-subset-512")):
        assert get_preset(alias) is get_preset(name)
    with pytest.raises(ValueError, match="no preset 'ext9'"):
        get_preset("ext9")


def test_categories_have_the_codes_r01_to_r17_and_c01_to_c09() -> None:
    codes = {f"R{number:02}" for number in range(1, 18)} | {f"C{number:02}" for number in range(1, 10)}
    assert set(CODES.values()) == codes


def test_every_verdict_is_explained_and_violates_a_known_invariant() -> None:
    assert list(MEANINGS) == list(VERDICTS)
    assert list(invariants()) == [f"I{number}" for number in range(1, 13)]
    assert {ident for broken in VERDICTS.values() for ident in broken} <= set(invariants())
    for ident, item in invariants().items():
        assert bool(item.verdicts(ident)) == ("verdict" in item.looked_at)
