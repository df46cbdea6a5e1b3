"""Shared code of harnesses of Java products: the JVM, exceptions of products, and traces."""

from __future__ import annotations
