"""Plain English: phrases that are wrong in every context are rare, and sentences are short.

The phrases are in ``plain_english.txt``, one regular expression per line. The test reads the texts for
people: pages, requirements, the help of every command, and docstrings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from journalspec.formats import format_ids
from journalspec.requirements import requirements
from journalspec_conformance.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = [
    line
    for line in (Path(__file__).parent / "plain_english.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PHRASES = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS), re.IGNORECASE)
#: The permitted number of such phrases per 1,000 words.
MOST_PHRASES = 1.0
#: A sentence with more words than this is long; three in a hundred may be long. A sentence with more than
#: LONGEST words is a fault.
LONG, LONGEST, MOST_LONG = 30, 45, 0.03
#: Parts of a page or a docstring that are not sentences: code, directives, tables, columns.
NO_PROSE = re.compile(
    r"^(`{3,}|:{3,}).*?^\1\s*$|^\s*\|.*?$|^ {4}.*?$|^\(.*?\)=$|^[^\n]*\S {2,}\S[^\n]*$|^=[ =]+$",
    re.MULTILINE | re.DOTALL,
)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#:]|\d+\.)\s)")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`\"*\[(])")
WORD = re.compile(r"[A-Za-z][\w'-]*|`[^`]*`")


def pages() -> Iterator[tuple[str, str]]:
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for folder in ("docs", "docs/reference", "docs/messages"):
        paths += sorted((ROOT / folder).glob("*.md"))
    for path in [*paths, *sorted(ROOT.glob("specs/journalspec/*/spec.md"))]:
        yield path.relative_to(ROOT).as_posix(), NO_PROSE.sub("", path.read_text(encoding="utf-8"))


def texts_of_requirements() -> Iterator[tuple[str, str]]:
    for format_id in format_ids():
        for each in requirements(format_id):
            yield each.id, each.text


def helps(command: click.Command = cli, name: str = "journalspec") -> Iterator[tuple[str, str]]:
    yield name, command.help or ""
    context = click.Context(command, info_name=name)
    for param in command.params:
        if isinstance(param, click.Option):
            yield f"{name} {param.opts[0]}", param.help or ""
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            inner = command.get_command(context, sub)
            assert inner, sub
            yield from helps(inner, f"{name} {sub}")


def docstrings() -> Iterator[tuple[str, str]]:
    for folder in ("specs", "reference_impl", "corpus", "conformance", "docs/ext"):
        for path in sorted((ROOT / folder).glob("journalspec*/**/*.py")):
            if "_kaitai" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    yield path.relative_to(ROOT).as_posix(), NO_PROSE.sub("", ast.get_docstring(node) or "")


def sentences(text: str) -> Iterator[str]:
    for paragraph in PARAGRAPH.split(text):
        yield from SENTENCE.split(" ".join(paragraph.split()))


@pytest.mark.parametrize("texts", [pages, texts_of_requirements, helps, docstrings])
def test_texts_have_few_listed_phrases_and_few_long_sentences(
    texts: Callable[[], Iterator[tuple[str, str]]],
) -> None:
    phrases: list[str] = []
    long: list[str] = []
    longest: list[str] = []
    words = count = 0
    for place, text in texts():
        phrases += [f"{place}: {found[0]}" for found in PHRASES.finditer(" ".join(text.split()))]
        for sentence in sentences(text):
            length = len(WORD.findall(sentence))
            words, count = words + length, count + bool(length)
            if length > LONG:
                (longest if length > LONGEST else long).append(f"{place}: {sentence}")
    assert words > 1000, "nothing was read"
    assert len(phrases) * 1000 <= MOST_PHRASES * words, "\n".join(phrases)
    assert not longest, "\n".join(longest)
    assert len(long) <= MOST_LONG * count, "\n".join(long)
