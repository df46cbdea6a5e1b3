"""The pytest plugin. It makes one item per probe, and does nothing unless an implementation is named.

``pytest --pyargs journalspec_conformance --journalspec-impl IMPL``

Large modules are imported only with this option, because pytest loads the plugin in every run once this
distribution is installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from journalspec_conformance.bounds import plain_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from journalspec_conformance.engine import Engine
    from journalspec_corpus import Probe

#: The file of the package for which pytest collects the suite.
_MARK = Path(__file__).resolve()
_SUITE = pytest.StashKey["Suite"]()


#: Maps the name of an option on the command line (``--journalspec-NAME``) to the arguments for pytest.
_OPTIONS: dict[str, dict[str, Any]] = {
    "impl": {
        "metavar": "IMPL",
        "help": "the implementation to judge: a shipped harness, py:module:Class, or a command line",
    },
    "mode": {
        "metavar": "MODE",
        "default": "persistent",
        "help": "mode of a command line: persistent (default) or oneshot",
    },
    "expect": {"metavar": "FILE", "help": "the expectation file of known failures"},
    "tier": {"metavar": "T", "default": "smoke", "help": "the corpus tier (default: smoke)"},
    "format": {"metavar": "F", "action": "append", "default": [], "help": "only this format"},
    "select": {
        "metavar": "GLOB",
        "action": "append",
        "default": [],
        "help": "only probes that match; * within a segment, ** over segments",
    },
    "level": {"metavar": "L", "help": "verdict, records, state or layout (default: as declared)"},
    "timeout": {
        "metavar": "S",
        "type": plain_number,
        "help": "seconds per question (default: the value of the harness, or 10)",
    },
    "min-judged": {
        "metavar": "N",
        "type": int,
        "default": 1,
        "help": "fail if fewer probes are judged: declared, asked and answered (default: 1)",
    },
    "validate": {"action": "store_true", "help": "check every message against the protocol's schemas"},
    "enforce-should": {"action": "store_true", "help": "fail on a should that is not followed"},
}
#: The options whose values are copied unchanged to the members of a RunRequest with the same names.
_REQUESTED = ("impl", "mode", "tier", "expect", "level", "timeout", "validate", "enforce_should")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; all of them do nothing without ``--journalspec-impl``."""
    group = parser.getgroup("journalspec", "journalspec conformance suite")
    for name, how in _OPTIONS.items():
        group.addoption(f"--journalspec-{name}", **how)


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the run. Refuse invalid options before the collection."""
    if not config.getoption("journalspec_impl"):
        return
    from journalspec_conformance.errors import Problem  # noqa: PLC0415 - see the module's text

    try:
        config.stash[_SUITE] = Suite(config)
    except (Problem, ValueError) as error:
        raise pytest.UsageError(f"journalspec: {error}") from None
    least = config.getoption("journalspec_min_judged")
    if least < 1:
        raise pytest.UsageError(f"journalspec: --journalspec-min-judged {least}: at least 1")
    config.pluginmanager.register(_Seen(least), "journalspec-seen")


class _Seen:
    """Counts the results of probes, including those of other processes (xdist)."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._classes: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the class of a probe, which its report contains."""
        if report.when == "call":
            self._classes += [str(value) for name, value in report.user_properties if name == "class"]

    @property
    def _judged(self) -> int:
        from journalspec_conformance.result import CLASSES  # noqa: PLC0415 - see the module's text

        return sum(CLASSES[name].judged for name in self._classes)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that judged too few probes, because skipped probes have not passed."""
        if self._classes and self._judged < self._least and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how many probes were judged."""
        if not self._classes:
            return
        judged, total = self._judged, len(self._classes)
        terminalreporter.write_line(f"journalspec: {judged} judged, {total - judged} not")
        if judged < self._least:
            terminalreporter.write_line(
                f"journalspec: failed: at least {self._least} must be judged; a skipped probe is no success",
                red=True,
            )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Release the implementation."""
    suite = config.stash.get(_SUITE, None)
    if suite is not None:
        suite.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the suite when pytest collects this file."""
    suite = parent.config.stash.get(_SUITE, None)
    if suite is None or file_path.name != _MARK.name or file_path.resolve() != _MARK:
        return None
    collector: SuiteFile = SuiteFile.from_parent(
        parent, path=file_path, name="journalspec", nodeid="journalspec"
    )
    return collector


class Suite:
    """Represents one run: the setup, the probes, and (in the process that runs items) the engine."""

    def __init__(self, config: pytest.Config) -> None:
        """Load the corpus and the expectation file; raises Problem or ValueError."""
        from journalspec_conformance.running import RunRequest, prepare  # noqa: PLC0415 - see the module's text

        asked: dict[str, Any] = {name: config.getoption(f"journalspec_{name}") for name in _REQUESTED}
        formats, select = (tuple(config.getoption(f"journalspec_{name}")) for name in ("format", "select"))
        self.prepared = prepare(RunRequest(**asked, formats=formats, select=select))
        self._engine: Engine | None = None

    def engine(self) -> Engine:
        """Return the engine, which is started when first needed.

        There is one implementation per worker process.
        """
        if self._engine is None:
            self._engine = self.prepared.setup.open()
        return self._engine

    def close(self) -> None:
        """Close the engine if there is one."""
        if self._engine is not None:
            self._engine.close()


class SuiteFile(pytest.File):
    """The collector of all probes."""

    def collect(self) -> Iterator[ProbeItem]:
        """Yield one item per probe, in the order of the corpus."""
        for probe in self.config.stash[_SUITE].prepared.probes:
            yield ProbeItem.from_parent(self, name=probe.id, probe=probe)


class ProbeFailure(Exception):
    """A probe failed; pytest prints the text of the exception."""


class ProbeItem(pytest.Item):
    """One probe. Its name is the probe's id."""

    def __init__(self, *, probe: Probe, **more: Any) -> None:
        super().__init__(**more)
        self.probe = probe
        self.user_properties.append(("case", probe.case.id))
        self.user_properties += [("requirement", name) for name in probe.case.requirements]

    def runtest(self) -> None:
        """Ask the implementation: an unsupported probe skips, a known failure xfails, other failures fail."""
        from journalspec.files import shown  # noqa: PLC0415 - see the module's text
        from journalspec_conformance.errors import Breakdown, Problem  # noqa: PLC0415 - see the module's text

        suite = self.config.stash[_SUITE]
        try:
            engine = suite.engine()
        except (Breakdown, Problem) as error:
            pytest.exit(f"journalspec: the implementation cannot be used: {error}", returncode=2)
        result = engine.run(self.probe)
        self.user_properties.append(("class", result.result_class))
        # An answer may contain half of a surrogate pair, which xdist cannot send to another process.
        if result.fingerprint:
            self.user_properties.append(("fingerprint", shown(result.fingerprint)))
        if result.result_class == "unsupported":
            pytest.skip(shown(f"{result.result_class}: {result.reason}"))
        if result.result_class == "known":
            pytest.xfail(shown(" ".join(part for part in (result.reason, result.issue) if part)))
        if result.red:
            from journalspec_conformance.explain import explain  # noqa: PLC0415 - only when something fails

            raise ProbeFailure(explain(result, self.probe.case, suite.prepared.setup.target.text))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the failure text, instead of a traceback through the plugin."""
        if isinstance(excinfo.value, ProbeFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the headline of a failure. With an id alone, pytest would replace dots by double colons."""
        return self.path, None, f"{self.name}: {self.probe.case.title}"
