"""Compiled code, and what all of it shares: hashes of numbers and of bytes, big-endian integers, CRC-32.

Compiled code is kept on disk. Numba looks only at the file of the function that
it keeps, so that an entry function has to close over :func:`stamp`: a
change in any part of it is then another function. This module needs Numba; only what is
compiled may import it at its top.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import _dynfunc
from numba.core import types
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from journalspec_corpus.crash.fingerprints import K as _KEYS
from journalspec_corpus.crash.fingerprints import mum as folded
from journalspec_corpus.crash.pages import PAGE

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
#: Modules that every entry function may have a part of.
_SOURCES = ("compiled.py", "held.py", "kernel.py")
F = TypeVar("F", bound=Callable[..., Any])

# Multipliers of the two hashes, and how far they fold.
_M1, _M2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_S32, _S29 = np.uint64(32), np.uint64(29)
#: The first number of the hash of nothing.
NOTHING_FOUND = _M2
_U8 = np.uint64(8)
#: Bytes of a word.
WORD = 8


class _PartCompiler(Compiler):  # type: ignore[misc]  # Numba has no types
    """Compiles a part of an entry function: neither optimised nor made into machine code on its own.

    Numba does both for each function, with all that it calls in it, level by level of calls. Here they are
    left to the entry function, into which all parts are linked.
    """

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        library = library or target.codegen().create_library("part")

        def finished() -> None:
            library._finalize_dynamic_globals()
            library._finalized = True

        def laid_out(module: Any) -> None:
            module.data_layout = library._codegen._data_layout

        library._optimize_functions = laid_out
        library._optimize_final_module = lambda: None
        library._finalize_final_module = finished
        super().__init__(typing, target, library, *rest)
        self.state.targetctx.get_executable = _not_executable


def _not_executable(library: Any, description: Any, environment: Any) -> Any:
    """Return what stands for a function that only compiled code calls."""
    name, module = description.qualname, description.lookup_module()
    return _dynfunc.make_function(module, name, "a part of compiled code", 0, environment, (library,))


#: How parts are compiled: nothing but compiled code calls them.
_PART: dict[str, Any] = {
    "nogil": True,
    # Nothing here divides by zero; to look whether it does is a good part of the code.
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
}


def part(function: F) -> F:
    """Compile a function that is kept as a part of the entry function that calls it."""
    return cast(F, numba.njit(**_PART)(function))


def helper(function: F) -> F:
    """Compile a function that kernels call, each call for itself; it is kept as a part of them."""
    return cast(F, numba.njit(forceinline=True, **_PART)(function))


@part
def copied(to: Any, at: int, data: Any, start: int, length: int) -> None:
    """Put ``data[start:start + length]`` to `at`, front to back: what slices do, and quicker to compile.

    Places have no sign: what might count from the end is looked at number by number.
    """
    place, source = np.uint64(at), np.uint64(start)
    for index in range(np.uint64(max(length, 0))):
        to[place + index] = data[source + index]


@part
def copied_row(to: Any, row: Any, data: Any, start: Any) -> None:
    """Put row `start` of `data` in place of a row of `to`."""
    for index in range(np.uint64(data.shape[1])):
        to[np.uint64(row), index] = data[np.uint64(start), index]


@part
def copied_rows(to: Any, data: Any, count: int) -> None:
    """Put the first `count` rows of `data` in place of those of `to`."""
    for row in range(np.uint64(max(count, 0))):
        for index in range(np.uint64(data.shape[1])):
            to[row, index] = data[row, index]


def entry(function: F) -> F:
    """Compile a kernel's entry function and keep it on disk; it has to close over a stamp."""
    return cast(F, numba.njit(nogil=True, error_model="numpy", cache=True)(function))


def stamp(names: Mapping[str, Any]) -> str:
    """Return a text that changes with what all share, and with the module whose globals `names` are.

    That is with its source, and with its numbers, which may come from a table.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in (*map(Path(__file__).with_name, _SOURCES), Path(names["__file__"])):
        digest.update(path.read_bytes())
    digest.update(
        repr(sorted((name, value) for name, value in names.items() if isinstance(value, int))).encode()
    )
    return digest.hexdigest()


@helper
def start_hash(h: Hashes) -> None:
    """Make `h` (two numbers) the hash of nothing."""
    h[0] = _M2
    h[1] = _M1


@helper
def mix(h: Hashes, value: Any) -> None:
    """Take `value` into both hashes; each step can be undone, so that none loses anything."""
    word = np.uint64(value)
    one = (h[0] ^ word) * _M1
    h[0] = one ^ (one >> _S32)
    two = (h[1] + word) * _M2
    h[1] = two ^ (two >> _S29)


@helper
def byte_at(data: Bytes, at: int) -> Any:
    """Return the byte at a place that is not below 0."""
    return data[np.uint64(at)]


@helper
def word_at(data: Bytes, at: int) -> Any:
    """Return eight bytes as one number, in a form that compilers make one load of.

    Places without a sign count from the front alone: else each byte is looked for by itself.
    """
    place = np.uint64(at)
    return (
        np.uint64(data[place])
        | np.uint64(data[place + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[place + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[place + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[place + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[place + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[place + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[place + np.uint64(7)]) << np.uint64(56)
    )


@helper
def mix_bytes(h: Hashes, data: Bytes, start: int, end: int) -> None:
    """Take ``data[start:end]`` and its length into both hashes."""
    mix(h, end - start)
    one, two = h[0], h[1]
    at = start
    while end - at >= WORD:
        word = word_at(data, at)
        one = (one ^ word) * _M1
        one ^= one >> _S32
        two = (two + word) * _M2
        two ^= two >> _S29
        at += WORD
    h[0], h[1] = one, two
    if at < end:
        word = np.uint64(0)
        for index in range(at, end):
            word = (word << _U8) | np.uint64(data[index])
        mix(h, word)


def _plain_mum(one: Any, two: Any) -> Any:
    """Return :func:`.fingerprints.mum` where nothing is compiled: with ``NUMBA_DISABLE_JIT=1``, in tests."""
    return np.uint64(folded(int(one), int(two)))


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _compiled_mum(typing: Any, one: Any, two: Any) -> Any:
    """Compile :func:`.fingerprints.mum`: Numba has no 128-bit integers, what it compiles to has them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(arg, wide) for arg in args))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        return builder.xor(builder.trunc(product, narrow), high)

    return types.uint64(types.uint64, types.uint64), codegen


mum: Any = _plain_mum if numba.config.DISABLE_JIT else _compiled_mum
# The constants of fingerprints, as compiled code knows them.
K = np.asarray(_KEYS, np.uint64)


@helper
def leaf(data: Bytes, start: int, end: int) -> Any:
    """Return :func:`.fingerprints.leaf` of ``data[start:end]``, at most a page, and 0 if all is zeros."""
    a, b, some = K[0], K[1], np.uint64(0)
    for at in range(start, start + PAGE, 2 * WORD):
        x, y = np.uint64(0), np.uint64(0)
        if at + 2 * WORD <= end:
            x, y = word_at(data, at), word_at(data, at + WORD)
        else:
            for index in range(at, min(end, at + WORD)):
                x |= np.uint64(data[index]) << np.uint64(8 * (index - at))
            for index in range(at + WORD, end):
                y |= np.uint64(data[index]) << np.uint64(8 * (index - at - WORD))
        some |= x | y
        a, b = mum(a ^ x, y ^ K[2]), mum(b ^ y, x ^ K[3])
    return a, b, some


@helper
def page_pair(data: Bytes, start: int, end: int, number: int) -> Any:
    """Return :func:`.fingerprints.placed` of ``data[start:end]``, page `number` of its file: two words."""
    a, b, some = leaf(data, start, end)
    if some == 0:
        return np.uint64(0), np.uint64(0)
    odd = np.uint64(2 * number + 1)
    return mum(a ^ K[4], odd * K[5]), mum(b ^ K[6], odd * K[7])


@helper
def file_pair(name: Hashes, size: int, a: Any, b: Any) -> Any:
    """Return :func:`.fingerprints.file_term` of a name's two words, a size and the sum of pages."""
    length = np.uint64(size)
    return (
        mum(a ^ name[0], name[1] ^ (length * K[8]) ^ K[9]),
        mum(b ^ name[1], name[0] ^ (length * K[10]) ^ K[11]),
    )


@helper
def promise_term(a: Any, b: Any) -> Any:
    """Return what a promise adds to a content's two words so that they are a state's."""
    return mum(a, K[12]), mum(b, K[13])


def _compiled(version: str) -> Any:
    """Return the entry function; `version` is in it only to be a part of its name on disk."""

    @entry
    def hash_all(numbers: Ints, data: Bytes, lengths: Ints) -> Hashes:
        version  # noqa: B018  # see the module's docstring
        h = np.zeros(2, np.uint64)
        start_hash(h)
        for number in numbers:
            mix(h, number)
        at = 0
        for length in lengths:
            mix_bytes(h, data, at, at + length)
            at += length
        return h

    return hash_all


def _compiled_pages(version: str) -> Any:
    """Return the entry function of :func:`page_pairs`, as above."""

    @entry
    def pairs_of(data: Bytes, starts: Ints, numbers: Ints, out: Hashes) -> None:
        version  # noqa: B018  # see the module's docstring
        for row in range(len(numbers)):
            out[row] = page_pair(data, starts[row], starts[row + 1], numbers[row])

    return pairs_of


_hash_all = _compiled(stamp(globals()))
_pairs_of = _compiled_pages(stamp(globals()))


def page_pairs(pages: Sequence[bytes], numbers: Sequence[int]) -> Hashes:
    """Return :func:`.fingerprints.placed` of each page at its number, shape (n, 2)."""
    out = np.zeros((len(pages), 2), np.uint64)
    starts = np.cumsum([0, *map(len, pages)])
    data = np.frombuffer(b"".join((*pages, b"\0")), np.uint8)
    _pairs_of(data, starts, np.asarray(numbers, np.int64), out)
    return out


def hash_of(numbers: Sequence[int], *parts: bytes) -> Hashes:
    """Return the hash into which `numbers`, and the bytes of each of `parts`, were taken as kernels do."""
    lengths = np.asarray([len(part) for part in parts], np.int64)
    data = np.frombuffer(b"".join((*parts, b"\0")), np.uint8)
    return cast(Hashes, _hash_all(np.asarray(numbers, np.int64), data, lengths))


@helper
def is_known(h: Hashes, known: Hashes) -> bool:
    """Tell whether `h` is one of `known`."""
    found = False
    for index in range(len(known)):
        found |= known[index, 0] == h[0] and known[index, 1] == h[1]
    return found


@helper
def uint32(data: Bytes, at: int) -> Any:
    """Return the unsigned big-endian integer at `at`."""
    return (
        np.int64(data[at]) << 24
        | np.int64(data[at + 1]) << 16
        | np.int64(data[at + 2]) << 8
        | np.int64(data[at + 3])
    )


@helper
def int32(data: Bytes, at: int) -> Any:
    """Return the signed big-endian integer at `at`."""
    value = uint32(data, at)
    return value - (np.int64(1) << 32) if value >= np.int64(1) << 31 else value


@helper
def int64(data: Bytes, at: int) -> Any:
    """Return the signed big-endian long at `at`."""
    value = np.int64(0)
    for index in range(8):
        value = (value << 8) | np.int64(data[at + index])
    return value


def _crc_tables() -> npt.NDArray[np.uint64]:
    """Return the tables of a CRC-32 that takes eight bytes at a time, from the library's own CRC."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(256):
        # The raw CRC (no inversions) of one byte, from the difference of two inverted ones.
        tables[0, byte] = zlib.crc32(bytes([byte])) ^ zlib.crc32(b"\0")
    for step in range(1, 8):
        before = tables[step - 1]
        tables[step] = (before >> np.uint64(8)) ^ tables[0][before & np.uint64(0xFF)]
    return tables


_TABLES = _crc_tables()
_LOW = np.uint64(0xFF)
_ONES = np.uint64(0xFFFFFFFF)


@helper
def crc32(data: Bytes, start: int, end: int, crc: Any) -> Any:
    """Return the CRC-32 of ``data[start:end]`` that continues `crc`, as zlib has it."""
    value = np.uint64(crc) ^ _ONES
    at = start
    while end - at >= WORD:
        word = word_at(data, at) ^ value
        value = (
            _TABLES[7, word & _LOW]
            ^ _TABLES[6, (word >> np.uint64(8)) & _LOW]
            ^ _TABLES[5, (word >> np.uint64(16)) & _LOW]
            ^ _TABLES[4, (word >> np.uint64(24)) & _LOW]
            ^ _TABLES[3, (word >> np.uint64(32)) & _LOW]
            ^ _TABLES[2, (word >> np.uint64(40)) & _LOW]
            ^ _TABLES[1, (word >> np.uint64(48)) & _LOW]
            ^ _TABLES[0, word >> np.uint64(56)]
        )
        at += WORD
    while at < end:
        value = _TABLES[0, (value ^ np.uint64(data[at])) & _LOW] ^ (value >> np.uint64(8))
        at += 1
    return value ^ _ONES
