"""What tests of products share: their marks, the fixtures' types, and a question to one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.connection import Connection
from journalspec_conformance.products import Product

Json = dict[str, Any]
Connect = Callable[..., Connection]
ReadyProduct = Callable[[str], Product]
Every = Callable[[int], int]
#: Files of the real products, next to the checkout.
REAL = Path(__file__).resolve().parents[4] / "shared" / "real"


def of_products(test: Any) -> Any:
    """Mark a test that needs a product."""
    return pytest.mark.product(pytest.mark.java(test))


def asked(connection: Connection, directory: Path, format_id: str, edition: str, **members: Any) -> Json:
    """Return the reply to a question: what strict recovery gives, if the members do not say otherwise."""
    request = {"cmd": "recover", "format": format_id, "edition": edition, "dir": str(directory), "params": {}}
    request |= members
    if request["cmd"] != "write":
        request.setdefault("observe", "state")
    if request["cmd"] == "recover":
        request.setdefault("policy", "strict")
    return connection.ask(request)
