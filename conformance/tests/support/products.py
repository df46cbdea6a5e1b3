"""Code that tests of products share: their marks, the types of fixtures, and a question to a product."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stores

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


def need_brokers(*brokers: str) -> None:
    """Skip the test unless Java and the jars of these brokers (NAME-VERSION), or Maven, are installed."""
    if shutil.which("java") is None:
        pytest.skip("no Java on PATH")
    for name in brokers if shutil.which("mvn") is None else ():
        if not list((stores.cache() / "brokers").glob(f"{name}-*")):
            pytest.skip(f"neither the jars of {name} nor Maven are here")


def asked(connection: Connection, directory: Path, format_id: str, edition: str, **members: Any) -> Json:
    """Return the reply to a question: by default the result of strict recovery."""
    request = {"cmd": "recover", "format": format_id, "edition": edition, "dir": str(directory), "params": {}}
    request |= members
    if request["cmd"] != "write":
        request.setdefault("observe", "state")
    if request["cmd"] == "recover":
        request.setdefault("policy", "strict")
    return connection.ask(request)
