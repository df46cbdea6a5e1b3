"""Makes the published tiers from authored groups, families and captures.

``python tools/publish.py`` writes the tiers; with ``--check`` it only reports whether they are up to date.
Exit status: 0 good, 1 a fault or outdated tiers, 2 usage. Publishing is deterministic: the same sources
always result in the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from authored import CHECKOUT, AuthoringError, authored_cases
from families import FamilyError, generated_cases
from lint import lint

from journalspec.files import read_bytes, replace_bytes
from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_corpus import seal
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.form import MAX_BYTES
from journalspec_corpus.load import PUBLISHED_TIERS, published_folder
from journalspec_corpus.making import make_case
from journalspec_corpus.pipeline.manifest import LICENSE, MANIFEST
from journalspec_corpus.shipped import tombstones

#: The files next to those of the journal in a capture.
PROVENANCE, EXPECTED = "provenance.toml", "expected.json"
_OPTIONAL = ("edition", "stratum", "category", "level", "obeys", "breaks", "flags", "params", "history")


class PublishError(ValueError):
    """The corpus has faults, and was not published; the message lists the faults."""


def collect(format_id: str, root: Path = CHECKOUT) -> dict[str, list[Case]]:
    """Return tier -> cases from all sources of `format_id`, in published order.

    `root` contains ``cases/`` and ``captured/`` (default: the checkout's corpus folder).
    """
    judged = _judged(root / "cases" / format_id / "judged.toml")
    smoke = [*authored_cases(format_id, root / "cases" / format_id), *generated_cases(format_id)]
    captured = list(captured_cases(format_id, root / "captured" / format_id))
    return {
        "smoke": [_with_judges(case, judged) for case in smoke],
        "captured": [_with_judges(case, judged) for case in captured],
        "worst": list(worst_cases_of(format_id)),
    }


def worst_cases_of(format_id: str) -> Iterator[Case]:
    """Yield the format's worst cases, if it has any, the full form before the small one."""
    if not (CHECKOUT.parent / "docs" / "data" / "worst" / f"{format_id}.toml").is_file():
        return
    # NumPy is imported late: only crash states use it, and only formats with worst cases use crash states.
    from worst import TIER, worst_cases  # noqa: PLC0415  # see above

    from journalspec_corpus.crash.explain import case_of  # noqa: PLC0415  # see above
    from journalspec_corpus.crash.formats import crash_format  # noqa: PLC0415  # see above
    from journalspec_corpus.crash.verdict import VERDICTS  # noqa: PLC0415  # see above

    for worst in worst_cases(format_id):
        for form, name, title, larger in (
            (worst.full, worst.id, worst.title, ""),
            (worst.small, worst.small_id, f"{worst.title} (reduced)", worst.id),
        ):
            beyond = bool(VERDICTS[worst.verdict])
            case = case_of(crash_format(format_id), worst.state(form), beyond=beyond, tier=TIER)
            yield replace(
                case,
                id=name,
                title=title,
                origin=replace(case.origin, base=form.workload.name, shrunk_from=larger),
                obeys=worst.requirements or case.obeys,
                flags=tuple(dict.fromkeys((*worst.flags, *case.flags))),
            )


def captured_cases(format_id: str, root: Path | None = None) -> Iterator[Case]:
    """Yield the captured cases of `format_id`, ordered by product, version and name.

    A capture is a folder ``corpus/captured/<format>/<product>-<version>/<name>/``: the journal's files as
    written, ``provenance.toml`` (their origin) and ``expected.json`` (the required answers). The files are
    never edited; ``X.gz`` means ``X``, compressed. `root` is the folder of the captures (default: the
    checkout's). Raises AuthoringError naming the folder that is not complete.
    """
    folder = root or CHECKOUT / "captured" / format_id
    for place in sorted(path.parent for path in folder.glob(f"*/*/{EXPECTED}")):
        try:
            yield _case(format_id, place)
        except (OSError, ValueError, KeyError) as error:
            raise AuthoringError(f"{place.parent.name}/{place.name}: {error}") from error


def _case(format_id: str, place: Path) -> Case:
    expected: dict[str, Any] = json.loads((place / EXPECTED).read_text(encoding="utf-8"))
    provenance = tomllib.loads((place / PROVENANCE).read_text(encoding="utf-8"))
    description = get_format(format_id)
    product = place.parent.name
    settings: dict[str, Any] = {
        "edition": description.default_edition,
        "stratum": "R",
        "category": "captured",
        **{key: expected[key] for key in _OPTIONAL if key in expected},
    }
    return make_case(
        f"{description.prefix.lower()}.captured.{_slug(product)}.{_slug(place.name)}",
        title=expected["title"],
        format_id=format_id,
        tier="captured",
        origin=Origin("captured", product, place.name, tuple(provenance.get("checked_by", ()))),
        files=dict(_files(place)),
        expect=expected["expect"],
        **settings,
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(place.iterdir()):
        if path.name in (PROVENANCE, EXPECTED) or not path.is_file():
            continue
        # The name decides, because a product's own file may begin like a gzip file. Unpacking has a limit.
        packed = path.suffix == ".gz"
        yield (path.stem, read_bytes(path, MAX_BYTES)) if packed else (path.name, path.read_bytes())


def input_digest(files_: Mapping[str, bytes]) -> str:
    """Return the SHA-256 over names, lengths and contents of a case's files."""
    total = hashlib.sha256()
    for name, data in sorted(files_.items()):
        total.update(f"{name} {len(data)} {hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


def _judged(path: Path) -> dict[str, list[str]]:
    """Return input digest -> products that were run on these bytes and confirmed the expectation."""
    if not path.is_file():
        return {}
    found = tomllib.loads(path.read_text(encoding="utf-8")).get("judged", ())
    return {entry["input"]: list(entry["by"]) for entry in found}


def _with_judges(case: Case, judged: dict[str, list[str]]) -> Case:
    more = judged.get(input_digest(case.files()), []) if judged and case.write is None else []
    if not more:
        return case
    return replace(
        case, origin=replace(case.origin, checked_by=tuple(dict.fromkeys((*case.origin.checked_by, *more))))
    )


def manifest_of(format_id: str, files: Mapping[str, tuple[bytes, Sequence[Case]]]) -> bytes:
    """Return the manifest of a format's published `files`: tier -> its content and cases."""
    tiers = {}
    for tier, (data, cases) in files.items():
        length, sha256 = len(data), hashlib.sha256(data).hexdigest()
        probes = sum(len(case.probes) for case in cases)
        name = f"{tier}.jsonl"
        tiers[tier] = {"file": name, "cases": len(cases), "probes": probes, "bytes": length, "sha256": sha256}
    members = {
        "format": format_id,
        "licence": LICENSE,
        "tiers": tiers,
        "withdrawn": sorted(tombstones(format_id)),
    }
    return seal.render(seal.sealed(members)).encode("utf-8")


def render(format_id: str, tiers: dict[str, list[Case]]) -> dict[str, bytes]:
    """Return file name -> content of the published form, manifest included."""
    published = {}
    for tier in PUBLISHED_TIERS:
        lines = [
            json.dumps(case.to_json(), ensure_ascii=False, separators=(",", ":")) + "\n"
            for case in tiers[tier]
        ]
        published[tier] = ("".join(lines).encode("utf-8"), tiers[tier])
    out = {f"{tier}.jsonl": data for tier, (data, _) in published.items()}
    out[MANIFEST] = manifest_of(format_id, published)
    return out


def publish(
    format_id: str, root: Path = CHECKOUT, out: Path | None = None, *, check: bool = False
) -> list[str]:
    """Write the published form of `format_id` to `out`; return the names of files that differed.

    With `check` nothing is written. Raises PublishError if the lint finds faults, or if a published id would
    vanish without an entry in the list of withdrawn ids.
    """
    target = out or published_folder(format_id) or root / "journalspec_corpus" / "published" / format_id
    tiers = collect(format_id, root)
    everything = [case for cases in tiers.values() for case in cases]
    faults = lint(format_id, everything) + list(_vanished(format_id, everything, target))
    if faults:
        raise PublishError(f"{format_id}: {len(faults)} faults\n" + "\n".join(faults))
    changed = []
    for name, data in render(format_id, tiers).items():
        path = target / name
        if path.is_file() and path.read_bytes() == data:
            continue
        changed.append(name)
        if not check:
            target.mkdir(parents=True, exist_ok=True)
            replace_bytes(path, data)
    return changed


def _vanished(format_id: str, cases: list[Case], target: Path) -> Iterator[str]:
    """Raise PublishError unless each published id still exists or is listed as withdrawn."""
    now = {case.id for case in cases} | tombstones(format_id)
    for tier in PUBLISHED_TIERS:
        path = target / f"{tier}.jsonl"
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                name = json.loads(line)["id"]
                if name not in now:
                    yield f"{name}: is published and would vanish; keep it, or list it in tombstones.toml"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(prog="python tools/publish.py", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats to publish (default: all)")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if anything is out of date"
    )
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        try:
            get_format(format_id)
            changed = publish(format_id, check=options.check)
        except UnknownFormat as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        except (PublishError, AuthoringError, FamilyError) as error:
            print(f"error: {error}", file=sys.stderr)
            status = 1
            continue
        if not changed:
            print(f"{format_id}: up to date")
        elif options.check:
            print(f"{format_id}: out of date: {', '.join(changed)}; run python tools/publish.py")
            status = 1
        else:
            print(f"{format_id}: wrote {', '.join(changed)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
