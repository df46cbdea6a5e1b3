"""Is a build, or a core tier that was downloaded, what its manifest says? Needs nothing that builds one."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec_corpus.case import CaseError
from journalspec_corpus.pipeline.cases import CASES, Shared, digest_of, lines_of
from journalspec_corpus.pipeline.manifest import load

STATES = "states"
_CHUNK = 1 << 20
#: More of one kind are counted, not listed.
_LISTED = 5


@dataclass
class Verified:
    """What was looked at, and every way in which it is not what the manifest says (file: what)."""

    checked: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def verify(directory: Path) -> Verified:
    """Check every file of a finished build against its manifest; raises ManifestError if there is none.

    Where only the published cases were downloaded, the parts are not missed.
    """
    manifest = load(directory)
    out = Verified()
    try:
        _plan(manifest, out)
        _parts(directory, manifest, out)
        if "cases" in manifest:
            _cases(directory, manifest["cases"], out)
    except (KeyError, TypeError, AttributeError) as error:
        out.problems.append(f"manifest.json: {type(error).__name__}: {error}")
    return out


def _plan(manifest: dict[str, Any], out: Verified) -> None:
    text = json.dumps(manifest["plan"], sort_keys=True)
    if hashlib.blake2b(text.encode(), digest_size=16).hexdigest() != manifest["fingerprint"]:
        out.problems.append("manifest.json: the fingerprint is not the plan's")
    listed = "".join(f"{Path(part['file']).name} {part['sha256']}\n" for part in manifest["parts"])
    if hashlib.sha256(listed.encode()).hexdigest() != manifest["digest"]:
        out.problems.append("manifest.json: the digest is not that of the parts")
    counts = manifest["counts"]
    strata = {name: tables["distinct"] for name, tables in manifest["strata"].items()}
    rows = sum(part["rows"] for part in manifest["parts"])
    if strata != counts["strata"] or sum(strata.values()) != counts["distinct"] or rows != counts["distinct"]:
        out.problems.append(f"manifest.json: {counts['distinct']} distinct, {rows} in parts, strata {strata}")


def _parts(directory: Path, manifest: dict[str, Any], out: Verified) -> None:
    if not (directory / STATES).is_dir() and "cases" in manifest:
        out.checked.append(f"{STATES}/ is not here: only the published cases are checked")
        return
    listed = {part["file"]: part for part in manifest["parts"]}
    present = {f"{STATES}/{path.name}" for path in (directory / STATES).glob("*.parquet")}
    out.problems += [f"{name}: not in the manifest" for name in sorted(present - listed.keys())]
    for name, part in listed.items():
        if _same(directory / name, name, part["sha256"], out):
            rows = _rows(directory / name)
            if rows is not None and rows != part["rows"]:
                out.problems.append(f"{name}: {rows} rows, the manifest says {part['rows']}")
    out.checked.append(f"{len(listed)} parts, {manifest['counts']['distinct']:,} states")


def _same(path: Path, name: str, sha256: str, out: Verified) -> bool:
    """Tell whether a file is there and has the checksum; if not, that is a problem."""
    total = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                total.update(chunk)
    except OSError as error:
        out.problems.append(f"{name}: {error.strerror or error}")
        return False
    if total.hexdigest() != sha256:
        out.problems.append(f"{name}: sha256 {total.hexdigest()}, the manifest says {sha256}")
        return False
    return True


def _rows(path: Path) -> int | None:
    """Return how many rows a part has, None where PyArrow is not installed."""
    try:
        import pyarrow.parquet as pq  # noqa: PLC0415  # an optional part: a checksum says the same
    except ImportError:
        return None
    return int(pq.read_metadata(path).num_rows)


def _cases(directory: Path, said: dict[str, Any], out: Verified) -> None:
    good = [_same(directory / name, name, of["sha256"], out) for name, of in said["files"].items()]
    if not all(good):
        return
    counts: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    ids: set[str] = set()
    try:
        shared = Shared.of(directory)
        for line in lines_of(directory / CASES):
            counts.setdefault(line["stratum"], Counter())[line["category"]] += 1
            wrong += _wrong(shared, line, ids)
    except (CaseError, OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        out.problems.append(f"{CASES}: {error}")
        return
    out.problems += wrong[:_LISTED]
    if len(wrong) > _LISTED:
        out.problems.append(f"{CASES}: and {len(wrong) - _LISTED} more of that kind")
    if {name: dict(of) for name, of in counts.items()} != said["categories"] or len(ids) != said["count"]:
        out.problems.append(f"{CASES}: {len(ids)} cases, or categories, are not those of the manifest")
    told = ", ".join(f"{name} {sum(of.values()):,}" for name, of in sorted(counts.items()))
    out.checked.append(f"{len(ids):,} cases ({told}), each with its input put together")


def _wrong(shared: Shared, line: Any, ids: set[str]) -> Iterator[str]:
    if line["id"] in ids:
        yield f"{line['id']}: twice"
    ids.add(line["id"])
    try:
        if digest_of(shared.files(line)) != line["digest"]:
            yield f"{line['id']}: the input is not the one of its digest"
    except CaseError as error:
        yield str(error)
