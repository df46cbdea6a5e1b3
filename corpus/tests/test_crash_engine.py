"""The crash engine: cells, enumeration, ids and oracle, each held against a plainer way to say it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from journalspec_corpus.crash.blocks import EXHAUSTIVE, SAMPLES, States, Timeline, subsets
from journalspec_corpus.crash.expected import ALLOWED, FORBIDDEN, REFUSALS, REQUIRED, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.ids import content_id, content_ids
from journalspec_corpus.crash.persistence import PRESETS, get_preset, rank
from journalspec_corpus.crash.states import Descriptor, crash_states, state_of
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Publish,
    RecordingStorage,
    Release,
    Sync,
    SyncDir,
    Trace,
    Write,
)
from journalspec_corpus.crash.verdict import VERDICTS, Answer, judge

PAGE = 512
SEED = 7


def record(name: str, off: int, length: int, fill: bytes) -> tuple[Write, Mark]:
    return Write("log", off, fill * length), Mark(name, "log", off, length, name, ((0, "head"), (8, "body")))


def pointer(*records: str, at: int = 1) -> tuple[Write, Publish]:
    return Write("log", 0, bytes([at]) * 8), Publish(records)


def toy(*, barrier: bool, base: bytes = bytes(4096)) -> Trace:
    """Two records of two sectors each behind a pointer in sector 0, forced together at the end."""
    first, second = record("a", 1000, 600, b"A"), record("b", 2000, 600, b"B")
    force = (Sync("log"),) if barrier else ()
    ops = (*first, *second, *force, *pointer("a", "b"), Sync("log"), Ack(("a", "b")))
    old = Mark("old", "log", 1000, 600, "old")
    return Trace("toy", "1", "toy", {"log": base}, ops, "zero", stale=(old,) if any(base) else ())


TRACES = [toy(barrier=False), toy(barrier=True), toy(barrier=False, base=bytes(1000) + b"s" * 3096)]


def rows(trace: Trace) -> Iterator[tuple[States, int, dict[str, bytes]]]:
    for states in crash_states(trace, PRESETS, SEED):
        for row, codes in enumerate(states.codes):
            yield states, row, states.point.materialise(codes)


@pytest.mark.parametrize("trace", TRACES, ids=["unordered", "barrier", "reused"])
def test_every_state_is_the_one_its_descriptor_describes(trace: Trace) -> None:
    count = 0
    for states, row, files in rows(trace):
        preset = PRESETS[states.preset[row]]
        mask = b"" if preset.order == "prefix" else states.codes[row].astype(np.uint8).tobytes()
        descriptor = Descriptor(
            trace.id, preset.name, states.point.crash_index, mask, int(states.tear[row]), "zero", SEED
        )
        assert state_of(trace, descriptor) == files
        count += 1
    assert count > 1000


@pytest.mark.parametrize("trace", TRACES, ids=["unordered", "barrier", "reused"])
def test_ids_of_whole_groups_are_those_of_their_files(trace: Trace) -> None:
    for states in crash_states(trace, PRESETS, SEED):
        whole = [content_id(states.point.materialise(codes)) for codes in states.codes]
        assert content_ids(states.point, states.codes) == whole


def test_a_descriptor_of_another_trace_or_shape_is_refused() -> None:
    trace = TRACES[0]
    with pytest.raises(ValueError, match="is of trace"):
        state_of(trace, Descriptor("0" * 32, "prefix-byte", 0, b"", 0, "zero", SEED))
    with pytest.raises(ValueError, match="mask has 1 entries"):
        state_of(trace, Descriptor(trace.id, "epoch-subset-512", len(trace.ops) - 2, b"\0", 0, "zero", SEED))
    with pytest.raises(ValueError, match="cannot be torn"):
        state_of(trace, Descriptor(trace.id, "prefix-byte", 0, b"", 601, "zero", SEED))


def brute_force(trace: Trace, upto: int) -> set[bytes]:
    """All images that sectors of 512 bytes may leave, by walking every choice of versions."""
    durable = bytearray(trace.base["log"])
    now = bytearray(durable)
    choices: dict[int, list[bytes]] = {}
    for op in trace.ops[:upto]:
        if isinstance(op, Write):
            now[op.off : op.off + len(op.data)] = op.data
            for sector in range(op.off // PAGE, (op.off + len(op.data) - 1) // PAGE + 1):
                at = sector * PAGE
                choices.setdefault(sector, [bytes(durable[at : at + PAGE])]).append(
                    bytes(now[at : at + PAGE])
                )
        elif isinstance(op, Sync):
            durable, choices = bytearray(now), {}
    images = set()
    for picked in product(*choices.values()):
        image = bytearray(durable)
        for sector, content in zip(choices, picked, strict=True):
            image[sector * PAGE : (sector + 1) * PAGE] = content
        images.add(bytes(image))
    return images


@pytest.mark.parametrize("trace", TRACES, ids=["unordered", "barrier", "reused"])
def test_small_epochs_are_enumerated_whole(trace: Trace) -> None:
    preset = get_preset("epoch-subset-512")
    for states in crash_states(trace, (preset,), SEED):
        got = [states.point.materialise(codes)["log"] for codes in states.codes]
        assert len(set(got)) == len(got)
        assert set(got) == brute_force(trace, states.point.crash_index)


@pytest.mark.parametrize("trace", TRACES, ids=["unordered", "barrier", "reused"])
def test_facts_agree_with_the_bytes(trace: Trace) -> None:
    """Intact, standing, kill: the oracle says from levels what the images show byte by byte."""
    kills = {bytes(image) for image in kill_images(trace)}
    for states in crash_states(trace, PRESETS, SEED):
        facts = Facts(states)
        images = [states.point.materialise(codes)["log"] for codes in states.codes]
        for index, mark in facts.issued:
            op = trace.ops[index]
            assert isinstance(op, Write)
            shown = [image[mark.off : mark.off + mark.length] == op.data for image in images]
            assert facts.intact(index, mark).tolist() == shown
        for mark in trace.stale:
            old = trace.base["log"][mark.off : mark.off + mark.length]
            shown = [image[mark.off : mark.off + mark.length] == old for image in images]
            assert facts.stands(mark).tolist() == shown
        for image, kill in zip(images, facts.kill & ~facts.trashed, strict=True):
            assert not kill or image in kills


def kill_images(trace: Trace) -> Iterator[bytearray]:
    image = bytearray(trace.base["log"])
    yield bytearray(image)
    for op in trace.ops:
        if isinstance(op, Write):
            image[op.off : op.off + len(op.data)] = op.data
            yield bytearray(image)


def test_a_barrier_is_what_keeps_the_pointer_behind_the_data() -> None:
    damaged = {}
    for name, trace in (("unordered", TRACES[0]), ("barrier", TRACES[1])):
        damaged[name] = any(
            Facts(states).damaged.any()
            for states in crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
        )
    assert damaged == {"unordered": True, "barrier": False}


def test_what_is_owed_follows_acknowledgement_and_release() -> None:
    ops = (
        *record("a", 1000, 10, b"A"),
        Sync("log"),
        Ack(("a",)),
        Release(("a",)),
        *record("b", 2000, 10, b"B"),
    )
    trace = Trace("toy", "1", "toy", {"log": bytes(4096)}, ops, "zero")
    assert expected_at(trace, 3).must_keep == frozenset()
    assert expected_at(trace, 4).must_keep == {"a"}
    assert expected_at(trace, 5).must_keep == frozenset()
    assert expected_at(trace, 5).may_keep >= {"a"}
    assert expected_at(trace, 7).order == ()


@pytest.mark.parametrize(
    ("dims", "count"),
    [((2,) * 6, 64), ((2,) * 12, EXHAUSTIVE), ((3, 2, 4), 24), ((1,), 1)],
)
def test_few_subsets_are_enumerated_whole(dims: tuple[int, ...], count: int) -> None:
    got = subsets(dims)
    assert len(got) == count == len({row.tobytes() for row in got})
    assert (got < np.asarray(dims)).all()


def test_many_subsets_are_two_deviations_and_uniform_samples() -> None:
    dims = (2,) * 40 + (3,)
    got, other = subsets(dims, 5), subsets(dims, 6)
    assert len(got) == len({row.tobytes() for row in got})
    deviations = 2 * (1 + 40 + 2 + 40 * 39 // 2 + 40 * 2)
    assert len(got) == deviations + SAMPLES
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


KEEP = Trace(
    "toy",
    "1",
    "toy",
    {"log": bytes(4096)},
    (*record("a", 0, 10, b"A"), *record("b", 100, 10, b"B"), Sync("log"), Ack(("a",))),
    "zero",
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


def test_a_report_makes_up_for_damage() -> None:
    expected = expected_at(KEEP, len(KEEP.ops))
    assert judge(Answer(("a",), None, True), expected, REQUIRED, holes_allowed=True) == "pass"


def test_new_files_names_and_sizes_are_cells() -> None:
    storage = RecordingStorage()
    storage.create("new")
    storage.write("new", 0, b"x" * 700)
    storage.sync("new")
    storage.sync_dir()
    storage.rename("new", "log")
    trace = Trace("toy", "1", "toy", {}, tuple(storage.ops), "zero")
    line = Timeline(trace, PAGE)
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
