"""The persistence model: what each preset leaves of small traces, listed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from journalspec.formats import format_ids
from journalspec_corpus.crash import corruption, losses
from journalspec_corpus.crash.adapter import crash_format, has_crash_format
from journalspec_corpus.crash.blocks import States, garbage_bytes
from journalspec_corpus.crash.corruption import EVERY_BIT
from journalspec_corpus.crash.expected import ALLOWED, FORBIDDEN, expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.ids import content_ids
from journalspec_corpus.crash.persistence import PRESETS, STRATA, Preset, get_preset
from journalspec_corpus.crash.states import Descriptor, crash_states, state_of
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Mark,
    Op,
    Preallocate,
    Publish,
    RecordingStorage,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
)
from journalspec_corpus.crash.verdict import CATEGORIES, CODES, INVARIANTS, MEANINGS, VERDICTS, Answer, judge

SEED = 7
PAGE = 4096
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
        # What can be seen of new space that nothing arrived in is the other file's block there.
        (
            "ext4-writeback-stale",
            [OTHER[:PAGE], OTHER, A + OTHER[PAGE:], OTHER[:PAGE] + B],
        ),
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


@pytest.mark.parametrize("mode", ["sparse", "unwritten"])
def test_space_set_aside_reads_as_zeros_and_its_size_as_the_preset_says(mode: str) -> None:
    trace = trace_of(
        Preallocate("log", 0, 2 * PAGE, mode),
        Sync("log"),
        Write("log", 0, A),
        base={"log": b"", "other": OTHER},
    )
    for preset in ("ext4-ordered", "xfs-unwritten", "epoch-subset-4096"):
        assert same(
            left(trace, preset),
            [{"log": ZERO + ZERO, "other": OTHER}, {"log": A + ZERO, "other": OTHER}],
        )
    assert left(trace, "ext4-writeback-stale") == []


def test_unwritten_extents_are_never_foreign_and_what_merely_grew_is() -> None:
    for mode, shown in (("unwritten", []), ("sparse", [{"log": OTHER, "other": OTHER}])):
        trace = trace_of(
            Preallocate("log", 0, 2 * PAGE, mode), Write("log", 0, A + B), base={"log": b"", "other": OTHER}
        )
        found = left(trace, "ext4-writeback-stale")
        assert (found == []) == (shown == [])
        assert all(files in found for files in shown)


def test_filled_space_is_written_byte_by_byte() -> None:
    storage = RecordingStorage()
    storage.create("log")
    storage.preallocate("log", 0, 600, "pattern-filled", ord("J"))
    trace = trace_of(*storage.ops)
    assert storage.read("log", 0, 600) == b"J" * 600
    cuts = left(trace, "prefix-byte", at=1)
    assert same(cuts, [{"log": b"J" * size} for size in range(601)])
    with pytest.raises(ValueError, match="no mode 'lazy'"):
        storage.preallocate("log", 0, 1, "lazy")


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
        (
            "alice-weak",
            [
                {"log": b"l"},
                {"log": b"l", "tmp": b"n"},
                {"log": b"n", "tmp": b"n"},
                {"log": b"n", "old": b"o", "tmp": b"n"},
            ],
        ),
    ],
)
def test_names_persist_as_the_preset_says(preset: str, expected: list[dict[str, bytes]]) -> None:
    assert same(left(SWITCH, preset), expected)


def test_an_append_is_all_there_or_not_seen() -> None:
    trace = trace_of(Write("log", 600, b"x" * 1000), base={"log": b"y" * 700})
    # One sector edge lies in the old part of the file, none more in front of its end.
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
    """Let no trace be left out by lot."""
    for module in (losses, corruption):
        monkeypatch.setattr(module, "selected", lambda trace, share: True)


@pytest.mark.usefixtures("every_trace")
def test_a_lie_loses_what_had_been_acknowledged_and_nothing_else() -> None:
    a, b = ("a", 100), ("b", 1000)

    def logs(preset: str, at: int) -> list[bytes]:
        return [files["log"] for files in left(LOG, preset, at)]

    assert logs("lying-cache", 4) == [image()]
    # Record b lies in sectors 1 and 2: it may be cut between them.
    cut = image(a)[:1000] + b"b" * 24 + image(a)[1024:]
    assert sorted(logs("lying-cache", 8)) == sorted([image(), image(a), cut])
    assert logs("fail-marks-clean", 4) == [image()]
    assert sorted(logs("fail-marks-clean", 8)) == sorted(
        [image(b), image(a), cut, image(a, b)[:1000] + bytes(24) + image(a, b)[1024:]]
    )
    for states in crash_states(LOG, (get_preset("lying-cache"),), SEED):
        assert states.stratum == "L"
        assert {CATEGORIES[at] for at in categories(Facts(states))} == {"lost-force"}
        assert not (Facts(states).refusals == 2).any()


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
    Preallocate("new", 0, 1536, "unwritten"),
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
    Preallocate("other", 890, 300, "zero-written"),
    base={"log": bytes(1500), "spare": b"s" * 600},
    standing=(Mark("s", "spare", 0, 500, "s"),),
)


def rows(trace: Trace) -> Iterator[tuple[States, Preset, Descriptor, dict[str, bytes]]]:
    for states in crash_states(trace, PRESETS, SEED):
        for row, codes in enumerate(states.codes):
            preset = PRESETS[states.preset[row]]
            masked = preset.order in ("subset", "lied")
            yield (
                states,
                preset,
                Descriptor(
                    trace.id,
                    preset.name,
                    states.point.crash_index,
                    codes.astype(np.uint8).tobytes() if masked else b"",
                    int(states.tear[row]),
                    trace.background,
                    SEED,
                    states.rot[row] if states.rot else "",
                ),
                states.point.materialise(codes),
            )


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("trace", [GROWN, SWITCH, LOG, MIXED], ids=["grown", "switch", "log", "mixed"])
def test_every_state_is_the_one_its_descriptor_describes(trace: Trace) -> None:
    seen = set()
    for states, preset, descriptor, files in rows(trace):
        assert state_of(trace, descriptor) == files, descriptor
        assert states.stratum == preset.stratum
        assert bool(states.rot) == (preset.stratum == "C")
        seen.add(preset.name)
    if trace is MIXED:
        assert seen >= {preset.name for preset in PRESETS} - {"ext4-writeback-stale"}


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("trace", [LOG, MIXED], ids=["log", "mixed"])
def test_ids_of_whole_groups_are_those_of_their_files(trace: Trace) -> None:
    for states in crash_states(trace, PRESETS, SEED):
        sample = states.codes[::7]
        alone = [content_ids(states.point, row[None, :]) for row in sample]
        assert np.array_equal(
            content_ids(states.point, sample), np.concatenate([np.asarray(x) for x in alone])
        )


@pytest.mark.usefixtures("every_trace")
@pytest.mark.parametrize("format_id", [name for name in format_ids() if has_crash_format(name)])
def test_every_state_of_a_format_is_the_one_its_descriptor_describes(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = list(adapter.workloads("core"))
    seen = set()
    for work in works[:: len(works) // 7]:
        trace = adapter.build(work)
        again = adapter.build(work)
        for number, (_, preset, descriptor, files) in enumerate(rows(trace)):
            if number % 17 == 0 or preset.name not in seen:
                assert state_of(again, descriptor) == files, descriptor
                seen.add(preset.name)
    assert seen >= {preset.name for preset in PRESETS if preset.stratum != "R"} - {"bitrot-phantom"}


def test_an_unknown_corruption_is_refused() -> None:
    descriptor = Descriptor(LOG.id, "bitrot-bit", 4, b"", 0, "zero", SEED, "bite:log:1:1")
    with pytest.raises(ValueError, match="no corruption"):
        state_of(LOG, descriptor)
    with pytest.raises(ValueError, match="not there"):
        state_of(LOG, replace(descriptor, rot="bit:gone:1:1"))


def test_corruption_owes_a_word_and_no_record() -> None:
    expected = expected_at(LOG, 8, stratum="C")
    strict = {"refusal": ALLOWED, "holes_allowed": False}
    assert judge(Answer(("a", "b")), expected, **strict) == "pass"  # type: ignore[arg-type]
    assert judge(Answer((), "no"), expected, **strict) == "acceptable"  # type: ignore[arg-type]
    assert judge(Answer(("a",)), expected, **strict) == "silent"  # type: ignore[arg-type]
    assert judge(Answer(("a",), None, True), expected, **strict) == "pass"  # type: ignore[arg-type]
    assert judge(Answer(("b",), None, True), expected, **strict) == "hole"  # type: ignore[arg-type]
    assert judge(Answer(("a", "x"), None, True), expected, **strict) == "torn-accepted"  # type: ignore[arg-type]


def test_a_second_life_has_losses_of_its_own() -> None:
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
    strata = [STRATA.index(preset.stratum) for preset in PRESETS]
    assert strata == sorted(strata)
    names = [name for preset in PRESETS for name in (preset.name, *preset.also)]
    assert len(names) == len(set(names))
    assert all(preset.imitates and preset.assumes for preset in PRESETS)
    for alias, name in (("nvme-awupf-4k", "epoch-subset-4096"), ("sqlite-psow", "epoch-subset-512")):
        assert get_preset(alias) is get_preset(name)
