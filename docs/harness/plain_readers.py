"""The readers of the format pages as one implementation: ``--impl py:plain_readers:PlainReaders``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import jsonable


class PlainReaders:
    """Answers `read` and `recover` for every format.

    The readers write nothing and cannot handle bad sectors.
    """

    def hello(self) -> dict[str, Any]:
        """Declare what the readers can do."""
        claims = {
            name: {
                "editions": list(get_format(name).editions),
                "ops": ["read", "recover"],
                "observe": "state",
                "policies": list(get_format(name).policies),
                "features": ["damage", "missing", "pure"],
            }
            for name in format_ids()
        }
        return {"protocol": 1, "impl": {"name": "plain-readers", "version": "1"}, "formats": claims}

    def read(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the records of all files."""
        return _answer(request, "read")

    def recover(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a restart under the requested policy."""
        return _answer(request, "recover", request["policy"])


def _answer(request: dict[str, Any], question: str, *policy: str) -> dict[str, Any]:
    place = Path(request["dir"])
    files = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    ask = getattr(import_module(f"journalspec_corpus.{request['format']}.naive"), question)
    answer = ask(files, request["edition"], *policy, **_params(ask, request.get("params") or {}))
    # If a reader knows no more about a note, it returns only the code.
    notes = [note if isinstance(note, dict) else {"code": note} for note in answer.get("notes", ())]
    return {"ok": jsonable({**answer, **({"notes": notes} if "notes" in answer else {})})}


def _params(ask: Callable[..., Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters that a reader accepts: all as one mapping, or only the size of a page."""
    known = signature(ask).parameters
    if "params" in known:
        return {"params": given}
    return {"size": int(given["page_size"])} if "size" in known and "page_size" in given else {}
