"""The command line's reference, from the click commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_docs import markup


class CliReference(SphinxDirective):
    """``{cli-reference} MODULE:COMMAND PROGRAM``: one section per command, subcommands below their group."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Return the sections; reports a command that cannot be imported."""
        module, _, name = self.arguments[0].partition(":")
        try:
            command = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise self.error(f"{self.name}: {error}") from error
        if not isinstance(command, click.Command):
            raise self.error(f"{self.name}: {self.arguments[0]} is no click command")
        context = click.Context(command, info_name=self.arguments[1])
        return list(self._commands(command, context))

    def _commands(self, command: click.Command, context: click.Context) -> Iterator[nodes.Node]:
        if not isinstance(command, click.Group):
            yield self._section(command, context)
            return
        if context.parent is None:
            yield from self._body(command, context)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is None or inner.hidden:
                continue
            below = click.Context(inner, info_name=name, parent=context)
            if isinstance(inner, click.Group):
                part = self._section(inner, below)
                part += list(self._commands(inner, below))
                yield part
            else:
                yield self._section(inner, below)

    def _section(self, command: click.Command, context: click.Context) -> nodes.section:
        path = context.command_path
        return markup.section(
            [markup.literal(path)], nodes.make_id(f"cli-{path}"), *self._body(command, context)
        )

    def _body(self, command: click.Command, context: click.Context) -> Iterator[nodes.Node]:
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        block = nodes.literal_block(usage, usage, language="text")
        yield block
        yield from prose(command.help or "")
        options = [item for item in command.params if isinstance(item, click.Option) and not item.hidden]
        if options:
            yield markup.table(("Option", "Meaning", "Default"), [_option(item, context) for item in options])
        if command.epilog:
            yield from prose(command.epilog)


def prose(text: str) -> Iterator[nodes.Node]:
    r"""Yield the paragraphs of a help text; one that begins with ``\b`` keeps its lines."""
    for part in click_paragraphs(text):
        if part.startswith("\b"):
            kept = part.lstrip("\b\n")
            yield nodes.literal_block(kept, kept, language="text")
        else:
            flowed = " ".join(part.split())
            yield markup.paragraph(*markup.code_text(flowed))


def click_paragraphs(text: str) -> Iterable[str]:
    """Return the paragraphs of a help text, without the part behind a form feed."""
    visible = text.partition("\f")[0]
    lines: list[str] = []
    for line in [*_dedent(visible).splitlines(), ""]:
        if line.strip():
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []


def _dedent(text: str) -> str:
    return inspect.cleandoc(text)


def _option(item: click.Option, context: click.Context) -> tuple[markup.Cell, markup.Cell, markup.Cell]:
    names = ", ".join([*item.opts, *item.secondary_opts])
    metavar = "" if item.is_flag or item.count else f" {item.make_metavar(context)}"
    text = item.help or ""
    if item.multiple and "repeated" not in text:
        text += " May be repeated."
    if item.required:
        text += " Required."
    return markup.literal(names + metavar), markup.code_text(" ".join(text.split())), _default(item)


def _default(item: click.Option) -> markup.Cell:
    value = item.default
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return markup.literal(str(value)) if plain else ""
