"""Decrypts encrypted databases: derives the key from a boot password, and decrypts logs and pages.

The algorithms are those of Derby's documentation; the package `cryptography` (extra ``[encrypted]``)
implements them.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from struct import Struct
from typing import Any

from journalspec_reference.content import Content, Derived
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, OVERHEAD

#: The environment variable with the boot password. Command arguments would be visible to every user of the
#: machine.
PASSWORD = "JOURNALSPEC_BOOT_PASSWORD"  # noqa: S105  # the name, not a password
_HEAD = Struct(">iq")
#: The bytes at the start of a checksum record's body, and the layout of the covered length and the sum after
#: them.
_SUM, _COVERS = b"\0\x81\x49\0\0\0\x01\xc5\x01", Struct(">iq")
#: The keys that Derby treats as weak for DES, and the constant that Derby combines with such keys.
_WEAK = {f"{a}{a}{a}{a}{b}{b}{b}{b}" for a, b in (("01", "01"), ("fe", "fe"), ("1f", "0e"), ("e0", "f1"))}
_MIXED = b"louDSca"
#: The lengths of keys (bytes).
_LENGTHS = ("8", "14", "16", "21", "24", "32")
#: At most this many log files are kept decrypted.
_MOST = 2


class NotReadable(Exception):
    """This error contains the reason why an encrypted database cannot be read: a remark code and a text."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text


class Cipher:
    """Decrypts single log record bodies and single pages. Raises NotReadable."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        words = properties.get("encryptionAlgorithm", "DES/CBC/NoPadding").split("/")
        self._name, self._mode = words[0].upper(), (words[1] if len(words) > 1 else "CBC").upper()
        self._key = self._boot_key(properties)
        self._iv = self._vector(self._key)

    def _boot_key(self, properties: Mapping[str, str]) -> bytes:
        stored, _, digest = properties.get("encryptedBootPassword", "").rpartition("-")
        if not stored:
            text = "the database has a key of its own instead of a boot password"
            raise NotReadable("no-password", text)
        password = os.environ.get(PASSWORD, "").encode("latin-1", "replace")
        if not password:
            raise NotReadable("no-password", f"the database is encrypted; {PASSWORD} has no boot password")
        try:
            secret = bytes.fromhex(stored)
            turned = sum(password)
            size, count = len(password), 16 if self._name == "AES" else len(secret)
            mask = bytes(
                (password[(at + turned) % size] ^ password[at % size] << 4) & 0xFF for at in range(count)
            )
            key = self._run(secret, self._weakened(mask), self._vector(mask))
        except (ValueError, IndexError) as error:
            raise NotReadable("wrong-password", f"the boot password gives no key: {error}") from None
        low = high = 0
        for at, byte in enumerate(hashlib.md5(key, usedforsecurity=False).digest()):
            low, high = (low ^ byte, high) if at % 2 == 0 else (low, high ^ byte)
        if str(low | high << 8) != digest:
            raise NotReadable("wrong-password", "the boot password is not the one of the database (XBM06)")
        length = properties.get("encryptionKeyLength", "").rpartition("-")[2]
        # DES has the shortest key of all algorithms.
        return self._weakened(key[: int(length)] if length in _LENGTHS else key)

    def _weakened(self, key: bytes) -> bytes:
        if self._name == "DES" and key.hex() in _WEAK:
            return bytes(a << 3 & 0xFF ^ b for a, b in zip(_MIXED, key, strict=False)) + key[len(_MIXED) :]
        return key

    def _vector(self, key: bytes) -> bytes:
        out = [((key[-1] << 2 | 15) ^ key[0]) & 0xFF]
        out += [((key[at - 1] << at % 5 | 15) ^ key[at]) & 0xFF for at in range(1, 8)]
        return bytes(out * 2 if self._name == "AES" else out)

    def _run(self, data: bytes, key: bytes, vector: bytes) -> bytes:
        engine = _engine(self._name, self._mode, key, vector).decryptor()
        return bytes(engine.update(data) + engine.finalize())

    def body(self, data: bytes) -> bytes:
        """Return the body of a log record with its padding.

        A body that cannot be decrypted is returned unchanged.
        """
        try:
            return self._run(data, self._key, self._iv)
        except ValueError:
            return data

    def page(self, data: bytes) -> bytes:
        """Return a decrypted page, with its bytes in the order of an unencrypted database."""
        clear = self.body(data)
        return clear[8:] + clear[:8]


@lru_cache(4)
def _engine(name: str, mode: str, key: bytes, vector: bytes) -> Any:
    """Return a cipher for an algorithm and mode.

    Raises NotReadable, and ValueError if the key does not fit.
    """
    try:
        ciphers = import_module("cryptography.hazmat.primitives.ciphers")
    except ImportError:
        text = "decryption needs the package cryptography: pip install journalspec[encrypted]"
        raise NotReadable("no-password", text) from None
    called = {"AES": "AES", "DES": "TripleDES", "DESEDE": "TripleDES"}.get(name)
    if called is None or mode not in ("CBC", "CFB", "OFB", "ECB"):
        raise NotReadable("no-password", f"journalspec cannot decrypt {name}/{mode}")
    # A DES key, repeated three times, works as a TripleDES key.
    algorithm = _of("algorithms", called)(key * 3 if name == "DES" else key)
    how = _of("modes", mode)
    return ciphers.Cipher(algorithm, how() if mode == "ECB" else how(vector))


def _of(kind: str, name: str) -> Any:
    """Return an algorithm or a mode. Newer releases of `cryptography` have moved obsolete algorithms to
    `decrepit`.
    """
    for place in ("decrepit", "primitives"):
        with suppress(ImportError, AttributeError):
            return getattr(import_module(f"cryptography.hazmat.{place}.ciphers.{kind}"), name)
    raise NotReadable("no-password", f"this release of cryptography has no {name}")


class ClearLogs:
    """Represents log files converted to log files of an unencrypted database.

    All records stay at their offsets.
    """

    def __init__(self, cipher: Cipher) -> None:
        self._cipher = cipher
        self._clear = lru_cache(_MOST)(self._decrypted)

    def file(self, number: int, stored: Any) -> Content:
        """Return log file `number` as content that is decrypted when read."""
        return Content(Derived(len(stored), lambda off, end: self._clear(number, stored)[off:end]))

    def _decrypted(self, number: int, stored: Any) -> bytes:
        data, at = bytes(stored[:]), HEADER
        out = bytearray(data)
        sums: list[tuple[int, int]] = []
        while at + OVERHEAD <= len(data):
            length, instant = _HEAD.unpack_from(data, at)
            end = at + length + OVERHEAD
            if length <= 0 or end > len(data) or instant != number << 32 | at:
                break
            out[at + BEFORE : end - BEHIND] = body = self._cipher.body(data[at + BEFORE : end - BEHIND])
            if body.startswith(_SUM):
                sums.append((at + BEFORE + len(_SUM), end))
            at = end
        # A checksum covers the encrypted bytes. If it is right, the checksum of the decrypted bytes replaces
        # it. The last checksum is replaced first, because earlier checksums can cover it.
        left = 2 * len(data)
        for at, end in reversed(sums):
            size, value = _COVERS.unpack_from(out, at)
            left -= abs(size)
            whole = 0 <= size <= len(data) - end and left >= 0
            if whole and zlib.crc32(data[end : end + size]) == value:
                _COVERS.pack_into(out, at, size, zlib.crc32(out[end : end + size]))
        return bytes(out)
