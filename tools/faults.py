"""Injects faults and checks the reaction to each: ``python tools/faults.py``.

The faults are misbehaving implementations in every mode, hostile files of cases, reports and expectations,
kill signals, and full disks. Each fault is injected into a run of the command line, in its own process and
directories. Three properties are checked. *Classified*: every probe receives the class that the table
requires. *Survived*: the run continues, the other probes receive their own results, and it ends with the
documented exit status and a message without a traceback. *Clean*: after five seconds, no process, no scratch
file and no change of the user's files remains.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shlex
import signal
import subprocess  # The system's `rm` handles any depth.
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from fakes import _faulty, _sayings
from fakes._faulty import MODES, PYTHON, Misdeed
from fakes.misdeeds import misdeeds

from journalspec.files import replace_text, shown
from journalspec.observation import CLEAN
from journalspec_conformance.cli import main as command_line
from journalspec_conformance.errors import Problem
from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.report import load_report
from journalspec_corpus import Case, load_cases

Json = dict[str, Any]

#: Time limits in seconds: for a question; for a question that is never answered; for the end of processes and
#: the removal of files after the command; for a whole attempt.
TIMEOUT, SHORT, LEFT, WHOLE = 20.0, 1.0, 5.0, 60.0
#: The largest number of characters of a class and fingerprint in the output.
SEEN = 80
#: The environment variable that marks the processes of an attempt.
MARK = "JOURNALSPEC_FAULTS_SANDBOX"
#: The name and the content of a user's file, which must not change.
PRECIOUS, CONTENT = "precious", "nobody else's business\n"
#: Exit statuses.
GREEN, RED, USAGE = 0, 1, 2
#: Exit status -> the result, if there is no report.
_WITHOUT_RESULTS = {USAGE: "refused", GREEN: "accepted"}
#: Words that must never be in the output.
_INSIDES = ("Traceback (most recent call last)", "fault of journalspec")


@dataclass(frozen=True, slots=True)
class Injection:
    """One fault in one mode.

    `expected` is a result class (perhaps with its fingerprint), or ``refused``: exit status 2 with a
    sentence. `stage` prepares a sandbox and returns the attempt.
    """

    kind: str
    name: str
    mode: str
    about: str
    expected: str
    stage: Callable[[Sandbox], Attempt] = field(repr=False)

    @property
    def id(self) -> str:
        """The id, which ``--only`` accepts."""
        return f"{self.name}/{self.mode}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """How to provoke a fault: the arguments of the command line, and the required result.

    `classes` are the classes in the report, in order (empty: no report). The class at index `at` belongs to
    the fault (None: the first that is not a pass). `kill` is a signal to send after the fault has begun.
    `room_for` is the largest size of a file.
    """

    arguments: Sequence[str]
    status: int
    classes: tuple[str, ...] = ()
    at: int | None = None
    kill: signal.Signals | None = None
    room_for: int | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """The reaction to a fault. `notes` describe each violation."""

    fault: Injection
    seen: str
    classified: bool
    survived: bool
    clean: bool
    notes: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Return whether there is no violation."""
        return self.classified and self.survived and self.clean

    def to_json(self) -> Json:
        """Return the entry of the page's table."""
        fault = {key: getattr(self.fault, key) for key in ("kind", "name", "mode", "about", "expected")}
        shown_too = ("seen", "classified", "survived", "clean", "notes")
        return fault | {key: getattr(self, key) for key in shown_too}


class Exam:
    """Four questions about published cases, and the right answers to them.

    The questions are a ``read``, the ``recover`` at which the fault happens, and two more ``read``.
    """

    def __init__(self) -> None:
        reference = Reference()
        asked, subject = _subject(reference)
        others = [case for case in asked if case.id != subject.id][:3]
        self.cases = [_only(others[0], "read"), _only(subject, _faulty.TRIGGER)]
        self.cases += [_only(case, "read") for case in others[1:]]
        hello = reference.hello()
        claims = {**hello["formats"][subject.format], "features": ["damage", "pure"]}
        self._hello = hello | {"formats": {subject.format: claims}}
        self._answers = dict(_answer(reference, case) for case in self.cases)
        #: The lines of a report about these cases, one of which failed.
        self.report: tuple[str, ...] = ()

    def write(self, directory: Path) -> tuple[Path, Path]:
        """Write the cases and the right answers; return both paths."""
        cases, right = directory / "cases.jsonl", directory / "right.json"
        replace_text(cases, "".join(json.dumps(case.to_json()) + "\n" for case in self.cases))
        replace_text(right, json.dumps({"hello": self._hello, "answers": self._answers}))
        return cases, right


def _subject(reference: Reference) -> tuple[list[Case], Case]:
    """Return two values: undamaged cases of one format, and one of them for the fault. Its clean answer
    contains several records and bytes in hex.
    """
    for first in load_cases():
        asked = [
            case
            for case in load_cases(first.format)
            if case.level == "must" and set(case.needs) <= {"read", "recover"} and case.input.files
            and {"read", _faulty.TRIGGER} <= {probe.op for probe in case.probes}
            and all("/" not in file.path and file.size < 1 << 16 for file in case.input.files)
        ]  # fmt: skip
        for case in asked:
            seen = reference.recover(_request(case, _faulty.TRIGGER))["ok"]
            records = seen.get("records", ())
            if seen["verdict"] == CLEAN and len(records) > 1 and _sayings.upper_case(seen) != seen:
                return asked, case
    raise Problem("no published case is suitable for a fault")


def _only(case: Case, op: str) -> Case:
    """Return `case` with only its first question of that operation."""
    probe = next(probe for probe in case.probes if probe.op == op)
    return Case.from_json(case.to_json() | {"expect": list(probe.expect)})


def _request(case: Case, op: str) -> Json:
    policy = next((probe.policy for probe in case.probes if probe.op == op), None)
    more = {"policy": policy} if policy else {}
    about = {"format": case.format, "edition": case.edition, "params": dict(case.params), "observe": "layout"}
    return {"cmd": op, "dir": "", "files": case.files(), **about, **more}


def _answer(reference: Reference, case: Case) -> tuple[str, Json]:
    request = _request(case, case.probes[0].op)
    reply = getattr(reference, request["cmd"])(request)
    with tempfile.TemporaryDirectory() as directory:
        case.materialize(Path(directory))
        return _faulty.key_of(request | {"dir": directory}), reply


class Sandbox:
    """The directories of one attempt: the user's directory, and the one for temporary files."""

    def __init__(self, root: Path, exam: Exam) -> None:
        self.root, self.exam = root, exam
        self.user, self.scratch = root / "user", root / "tmp"
        for directory in (self.user, self.scratch):
            directory.mkdir(parents=True)
        (self.user / PRECIOUS).write_text(CONTENT, encoding="utf-8")
        self.report = root / "report.jsonl"
        self.reached = root / "reached"
        self.output = root / "output.txt"
        self.cases, self.right = exam.write(root)

    def path(self, name: str, content: str | bytes) -> str:
        """Write a file next to the user's file and return its path."""
        path = self.root / name
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return str(path)

    def impl(self, name: str, mode: str) -> list[str]:
        """Return the options that select a fake in `mode`."""
        if mode == PYTHON:
            return ["--impl", f"py:{misdeeds.__module__}:{name}"]
        command = shlex.join([sys.executable, str(Path(_faulty.__file__).parent), name])
        return ["--impl", command, "--mode", mode]

    def run(self, impl: Sequence[str], timeout: float, *more: str) -> list[str]:
        """Return the arguments of a run that writes a report."""
        options = ["--cases", str(self.cases), "--report", str(self.report), "--timeout", f"{timeout:g}"]
        return ["run", *impl, *options, "--jobs", "1", *more]

    def environment(self) -> dict[str, str]:
        """Return the environment variables that a process of this attempt receives."""
        return {
            MARK: str(self.root),
            "TMPDIR": str(self.scratch),
            _faulty.RIGHT: str(self.right),
            _faulty.REACHED: str(self.reached),
        }

    def processes(self) -> dict[int, str]:
        """Return the processes of this attempt that still run: id -> command line."""
        return marked(MARK, str(self.root))

    def clear(self) -> None:
        """Remove the remaining processes and files."""
        for pid in self.processes():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        _remove(self.root)

    def left(self) -> list[str]:
        """Return the processes and temporary files that remain."""
        running = [f"process {command} still runs" for command in self.processes().values()]
        return running + [f"{path.name} is left in TMPDIR" for path in self.scratch.iterdir()]

    def changed(self) -> list[str]:
        """Return the changes of the user's files."""
        path = self.user / PRECIOUS
        whole = path.is_file() and path.read_text(encoding="utf-8", errors="replace") == CONTENT
        strangers = [p.name for p in self.user.iterdir() if p.name not in {PRECIOUS, "greeted"}]
        changed = [] if whole else ["a file of the user's was changed"]
        return changed + [f"{name} is new beside the user's files" for name in strangers]


def _remove(directory: Path) -> None:
    """Remove a directory, however deeply it is nested."""
    command = ["rm", "-rf", "--", str(directory)]
    while subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode:
        time.sleep(0.1)  # A process that is being killed may still create files.


def marked(name: str, value: str) -> dict[int, str]:
    """Return the living processes that have a variable in their environment, if the system reports them.

    The result is id -> command line.
    """
    mark, found = f"{name}={value}".encode(), {}
    for path in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        # A zombie process has no environment, and others may end meanwhile.
        with suppress(OSError):
            if path.name.isdigit() and mark in (path / "environ").read_bytes().split(b"\0"):
                program, *words = os.fsdecode((path / "cmdline").read_bytes()).split("\0")
                found[int(path.name)] = shown(" ".join((Path(program).name, *words)).strip())[:120]
    return found


# The tables.


def _implementation(entry: Misdeed, mode: str, sandbox: Sandbox) -> Attempt:
    refused = entry.expected[mode] == "refused"
    asked = ("pass", entry.expected[mode], entry.then, "pass")
    red = any(not name.startswith("pass") for name in asked)
    slow = entry.slow or entry.expected[mode] == "timeout"
    arguments = sandbox.run(sandbox.impl(entry.name, mode), SHORT if slow else TIMEOUT)
    if refused:
        return Attempt(arguments, USAGE)
    return Attempt(arguments, RED if red else GREEN, asked, at=1)


def _failing(sandbox: Sandbox) -> Attempt:
    return _implementation(misdeeds()["cries_wolf"], MODES[0], sandbox)


def _killed(number: signal.Signals, mode: str, sandbox: Sandbox) -> Attempt:
    return Attempt(sandbox.run(sandbox.impl("hangs_with_child", mode), TIMEOUT), 128 + number, kill=number)


def _spoilt_case(change: Callable[[Json], Any], sandbox: Sandbox) -> Attempt:
    lines = [json.dumps(case.to_json()) for case in sandbox.exam.cases]
    data = json.loads(lines[1])
    changed = change(data)
    lines[1] = changed if isinstance(changed, str) else json.dumps(data)
    sandbox.path(sandbox.cases.name, "\n".join(lines) + "\n")
    asked = ("pass", "quarantined", "pass", "pass")
    return Attempt(sandbox.run(["--impl", "reference"], TIMEOUT), RED, asked)


def _spoilt_report(change: Callable[[list[str]], list[str]], sandbox: Sandbox) -> Attempt:
    lines = change(list(sandbox.exam.report))
    return Attempt(["summary", sandbox.path("spoilt.jsonl", "".join(f"{line}\n" for line in lines))], USAGE)


def _with(line: str, **members: Any) -> str:
    """Return a line of a report with other members."""
    return json.dumps(json.loads(line) | members, separators=(",", ":"))


def _spoilt_expectations(text: str, sandbox: Sandbox) -> Attempt:
    path = sandbox.path("expect.toml", text)
    return Attempt(sandbox.run(["--impl", "reference"], TIMEOUT, "--expect", path), USAGE)


def _full(arguments: Callable[[Sandbox], list[str]], sandbox: Sandbox) -> Attempt:
    return Attempt(arguments(sandbox), USAGE, room_for=4096)


def _file(data: Json) -> Json:
    first: Json = data["input"]["files"][0]
    return first


#: Faults in the second of four cases: it must be quarantined, and the others must be judged.
_CASES: tuple[tuple[str, str, Callable[[Json], Any]], ...] = (
    ("no_json", "a line that is not JSON", lambda data: "{"),
    ("no_object", "a line that is a list", lambda data: "[]"),
    ("nested_case", "a line of 100,000 brackets", lambda data: "[" * 100_000),
    ("no_id", "a case without id", lambda data: data.pop("id")),
    ("id_as_number", "an id that is a number", lambda data: data.update(id=7)),
    ("id_climbs", "an id with a path out of the directory", lambda data: data.update(id="../../escaped")),
    ("id_steers", "an id with terminal control characters", lambda data: data.update(id="a\x1b[2J\nb")),
    ("unknown_format", "an unknown format", lambda data: data.update(format="x")),
    ("unknown_edition", "an unknown edition", lambda data: data.update(edition="x")),
    ("path_climbs", "a file path out of the directory", lambda data: _file(data).update(path="../escaped")),
    ("path_absolute", "a file with an absolute path", lambda data: _file(data).update(path="/tmp/escaped")),  # noqa: S108
    ("path_zero", "a file with NUL in its name", lambda data: _file(data).update(path="a\0b")),
    ("path_half_character", "a file name with a lone surrogate",
     lambda data: _file(data).update(path="\ud800")),
    ("same_file_twice", "two files with one name", lambda data: data["input"]["files"].append(_file(data))),
    ("huge_file", "a file of 2^62 bytes", lambda data: _file(data).update(size=str(1 << 62))),
    ("negative_size", "a file of -1 bytes", lambda data: _file(data).update(size="-1")),
    ("size_as_text", "a size that is not a number", lambda data: _file(data).update(size="many")),
    ("extent_outside", "an extent after the end of the file",
     lambda data: _file(data)["extents"].append(["9" * 9, "00"])),
    ("odd_hex", "an odd number of hex digits", lambda data: _file(data)["extents"].append(["0", "0"])),
    ("no_expectation", "an expectation that every answer meets",
     lambda data: data.update(expect=[{"when": {"op": "read"}}])),
    ("expects_text", "an expectation that is a text", lambda data: data.update(expect=["clean"])),
    ("unknown_operation", "an unknown operation",
     lambda data: data["expect"][0]["when"].update(op="destroy")),
)  # fmt: skip

#: Faults in a report, which must make it invalid.
_REPORTS: tuple[tuple[str, str, Callable[[list[str]], list[str]]], ...] = (
    ("report_empty", "an empty report", lambda lines: []),
    ("report_cut", "a report without its footer", lambda lines: lines[:-1]),
    ("report_half_line", "a report that ends within a line", lambda lines: [*lines[:-1], lines[-1][:20]]),
    ("report_headless", "a report without its header", lambda lines: lines[1:]),
    ("report_twice", "two reports in one file", lambda lines: lines + lines),
    ("report_repeats", "a duplicate result", lambda lines: [*lines[:2], *lines[1:]]),
    ("report_shorter", "a missing result", lambda lines: [lines[0], *lines[2:]]),
    ("report_repainted", "a changed result with adjusted counts", lambda lines: [
        line.replace('"class":"fail"', '"class":"pass"').replace('{"pass":3,"fail":1}', '{"pass":4}')
        for line in lines]),
    ("report_reworded", "a changed reason", lambda lines: [
        lines[0], _with(lines[1], reason="all is well"), *lines[2:]]),
    ("report_strange_class", "an unknown class", lambda lines: [
        lines[0], _with(lines[1], **{"class": "fine"}), *lines[2:]]),
    ("report_number", "a number instead of a text", lambda lines: [
        lines[0], _with(lines[1], probe=7), *lines[2:]]),
    ("report_list", "a list instead of a text", lambda lines: [
        lines[0], _with(lines[1], reason=["x"]), *lines[2:]]),
    ("report_nan", "NaN for the seconds", lambda lines: [
        lines[0], _with(lines[1], seconds=float("nan")), *lines[2:]]),
    ("report_nested", "a line of 100,000 brackets", lambda lines: [*lines[:-1], "[" * 100_000, lines[-1]]),
    ("report_of_later", "a report of version 99", lambda lines: [_with(lines[0], report=99), *lines[1:]]),
)  # fmt: skip

#: Faults in an expectation file: it must be refused before the first question.
_EXPECTATIONS = (
    ("expect_no_toml", "a file that is not TOML", "[[["),
    ("expect_tier", "an unknown tier", 'tier = "coer"\n'),
    ("expect_key", "an unknown key", '[[known]]\ncase = "**"\noutcme = "fail"\nissue = "x"\n'),
    ("expect_outcome", "an unknown outcome",
     '[[known]]\ncase = "**"\noutcome = "fial"\nreason = "x"\n'),
    ("expect_nothing", "a pattern that matches no probe",
     '[[known]]\ncase = "no.such.case"\noutcome = "fail"\nreason = "x"\n'),
    ("expect_bytes", "bytes that are not UTF-8", 'reason = "\udcff"\n'),
)  # fmt: skip

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")

#: Files written to a full disk: no part of them may remain, and the error must state the cause.
_FULL: tuple[tuple[str, str, Callable[[Sandbox], list[str]]], ...] = (
    ("full_materialize", "journals of cases", lambda sandbox: ["materialize", str(sandbox.root / "out")]),
    ("full_archive", "an archive", lambda sandbox: [
        "corpus", "archive", "--out", str(sandbox.root / "out.tar.gz")]),
    ("full_report", "a report", lambda sandbox: [
        *sandbox.run(["--impl", "reference"], TIMEOUT), "--report", "/dev/full", "--select", "**/read"]),
)  # fmt: skip


def faults() -> Iterator[Injection]:
    """Yield every fault in every mode."""
    for entry in misdeeds().values():
        for mode in MODES:
            if mode in entry.expected:
                stage = partial(_implementation, entry, mode)
                yield Injection("implementation", entry.name, mode, entry.about, entry.expected[mode], stage)
    for name, about, change in _CASES:
        yield Injection("case file", name, "run", about, "quarantined", partial(_spoilt_case, change))
    for name, about, alter in _REPORTS:
        yield Injection("report", name, "summary", about, "refused", partial(_spoilt_report, alter))
    for name, about, text in _EXPECTATIONS:
        yield Injection(
            "expectation file", name, "run", about, "refused", partial(_spoilt_expectations, text)
        )
    for name in _SIGNALS:
        number = signal.Signals[name]
        for mode in MODES:
            about = f"{name} to the runner while an implementation and its detached child hang"
            stage = partial(_killed, number, mode)
            yield Injection("kill", name.lower(), mode, about, f"status {128 + number}", stage)
    for name, about, arguments in _FULL:
        yield Injection("full disk", name, "write", about, "refused", partial(_full, arguments))


# Injection of a fault.


@dataclass(slots=True)
class _Met:
    """A running attempt to inject a fault: its sandbox, its attempt, and its process."""

    fault: Injection
    sandbox: Sandbox
    attempt: Attempt
    pid: int
    started: float
    killed: bool = False
    overdue: bool = False
    status: int | None = None
    ended_at: float = 0.0

    def over(self) -> bool:
        """Return whether this attempt is over: the command has ended, and no process or file remains or the
        time limit for them has passed.
        """
        if self.status is None:
            self.status = self.ended()
            self.ended_at = time.monotonic()
        if self.status is None:
            return False
        return time.monotonic() - self.ended_at > LEFT or not self.sandbox.left()

    def ended(self) -> int | None:
        """Send the signal of the attempt when it is due. Return the exit status as in a shell, None while the
        command runs.
        """
        if self.attempt.kill and not self.killed and self.sandbox.reached.exists():
            self.killed = True
            os.kill(self.pid, self.attempt.kill)
        if time.monotonic() - self.started > WHOLE and not self.overdue:
            self.overdue = True
            os.kill(self.pid, signal.SIGKILL)
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid:
            return None
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code


def _begin(fault: Injection, root: Path, exam: Exam) -> _Met:
    sandbox = Sandbox(root, exam)
    attempt = fault.stage(sandbox)
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        _be_the_command(sandbox, attempt)
    return _Met(fault, sandbox, attempt, pid, time.monotonic())


def _be_the_command(sandbox: Sandbox, attempt: Attempt) -> None:
    """Run ``journalspec`` with the arguments of `attempt`, in a child process."""
    status = 70
    try:
        out = os.open(sandbox.output, os.O_WRONLY | os.O_CREAT)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        for handle, target in ((nowhere, 0), (out, 1), (out, 2)):
            os.dup2(handle, target)
        os.environ.update(sandbox.environment())
        tempfile.tempdir = None
        os.chdir(sandbox.user)
        if attempt.room_for is not None:
            _limit_files(attempt.room_for)
        command_line(attempt.arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        with suppress(BaseException):
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _limit_files(size: int) -> None:
    """Limit the size of files to `size` bytes, as if the disk were full for this process only."""
    import resource  # noqa: PLC0415 - not on every system

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _judge(met: _Met) -> Reaction:
    fault, attempt, sandbox, status = met.fault, met.attempt, met.sandbox, met.status or 0
    left = [*sandbox.left(), *sandbox.changed()]
    output = sandbox.output.read_bytes().decode("utf-8", "replace") if sandbox.output.exists() else ""
    seen = _classes(sandbox, attempt, status)
    notes = [f"it did not end in {WHOLE:g} s"] if met.overdue else []
    if status != attempt.status:
        notes.append(f"exit status {status} in place of {attempt.status}")
    notes += [f"the user sees: {word}" for word in _INSIDES if word in output]
    if attempt.status == USAGE and not output.strip():
        notes.append("nothing is said")
    if any(not (char.isprintable() or char == "\n") for char in output):
        notes.append("the output can steer a terminal")
    at = next((n for n, got in enumerate(seen) if got != "pass"), 0) if attempt.at is None else attempt.at
    others = [got for n, got in enumerate(seen) if n != at]
    due = [name for n, name in enumerate(attempt.classes) if n != (1 if attempt.at is None else attempt.at)]
    wrong = [(got, name) for got, name in zip(others, due, strict=False) if not _fits(name, got)]
    notes += [f"another probe: {got} in place of {name}" for got, name in wrong]
    found = seen[at] if at < len(seen) else ""
    if len(seen) < len(attempt.classes):
        notes.append(f"{len(attempt.classes) - len(seen)} of {len(attempt.classes)} probes have no result")
    return Reaction(
        fault,
        shown(found)[:SEEN],
        classified=_fits(fault.expected, found),
        survived=not notes,
        clean=not left,
        notes=tuple(notes + left),
    )


def _classes(sandbox: Sandbox, attempt: Attempt, status: int) -> list[str]:
    """Return the classes of the report, or the result for the exit status if there is no report."""
    if attempt.classes:
        with suppress(Problem):
            results = load_report(sandbox.report).results
            return [f"{one.result_class} {one.fingerprint}".strip() for one in results]
    if attempt.kill:
        return [f"status {status}"]
    return [_WITHOUT_RESULTS.get(status, f"status {status}")]


def _fits(due: str, got: str) -> bool:
    """Return whether `got` has the class in `due`, and also the fingerprint if `due` has one."""
    return got == due or got.startswith(f"{due} ")


def meet(chosen: Sequence[Injection], jobs: int) -> Iterator[Reaction]:
    """Yield the reaction to each fault, in order; a failed attempt is repeated once.

    A machine under load may be too slow, so fewer attempts run at once in the repetition. Raises Problem if
    the system has no `fork`.
    """
    for name in ("run", "reports", "cases", "corpus"):
        import_module(f"journalspec_conformance.cli.{name}")  # Import once here, not in each child process.
    if not hasattr(os, "fork"):
        raise Problem("faults are injected into copies of this process (fork), which this system lacks")
    exam = Exam()
    # TemporaryDirectory is not used, because every child process would inherit its clean-up.
    root = Path(tempfile.mkdtemp(prefix="journalspec-faults-"))
    try:
        failed = _begin(Injection("", "cries_wolf", "", "", "", _failing), root / "sample", exam)
        while not failed.over():
            time.sleep(0.01)
        exam.report = tuple(failed.sandbox.report.read_text(encoding="utf-8").splitlines())
        found = _meet(dict(enumerate(chosen)), jobs, root / "first", exam)
        again = {number: chosen[number] for number, verdict in found.items() if not verdict.good}
        found |= _meet(again, 2, root / "again", exam)
        yield from (found[number] for number in range(len(chosen)))
    finally:
        _remove(root)


def _meet(chosen: Mapping[int, Injection], jobs: int, root: Path, exam: Exam) -> dict[int, Reaction]:
    waiting = list(chosen.items())[::-1]
    running: dict[int, _Met] = {}
    done: dict[int, Reaction] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            number, fault = waiting.pop()
            running[number] = _begin(fault, root / str(number), exam)
        for number, met in list(running.items()):
            if met.over():
                done[number] = _judge(met)
                met.sandbox.clear()
                del running[number]
        time.sleep(0.01)
    return done


def summary(verdicts: Sequence[Reaction]) -> Json:
    """Return the totals and one entry per fault."""
    return {
        "injected": len(verdicts),
        "classified": sum(verdict.classified for verdict in verdicts),
        "survived": sum(verdict.survived for verdict in verdicts),
        "clean": sum(verdict.clean for verdict in verdicts),
        "faults": [verdict.to_json() for verdict in verdicts],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Inject the faults and print the reactions. Return 0 if all reactions are correct, else 1."""
    parser = argparse.ArgumentParser(
        prog="python tools/faults.py", description="Inject faults and print the reaction to each."
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table to FILE")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a name, a kind, or name/mode"
    )
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), metavar="N")
    options = parser.parse_args(arguments)
    wanted = set(options.only)
    chosen = [one for one in faults() if not wanted or wanted & {one.name, one.kind, one.mode, one.id}]
    if not chosen:
        parser.error(f"unknown fault: {', '.join(sorted(wanted))}")
    verdicts = []
    for verdict in meet(chosen, options.jobs):
        verdicts.append(verdict)
        if not verdict.good:
            fault = verdict.fault
            why = "; ".join((f"{verdict.seen or 'nothing'} in place of {fault.expected}", *verdict.notes))
            print(shown(f"{fault.kind}: {fault.id}: {why}"), flush=True)
    totals = summary(verdicts)
    print(", ".join(f"{name} {totals[name]}" for name in ("injected", "classified", "survived", "clean")))
    if options.json:
        replace_text(options.json, json.dumps(totals, indent=1) + "\n")
    return 0 if all(verdict.good for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
