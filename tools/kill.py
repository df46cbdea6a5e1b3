"""Kill commands at random moments, and look at what is left and at what a second run gives.

    python tools/kill.py --count 200 --seed 1 [--what run,judge,build-local,build-spark]

A command is run to its end once: that is the result to have, and how long it takes.
Then it is started again and again, and its main process, and only that, gets SIGKILL,
SIGTERM, SIGINT or SIGHUP at a random moment. Five seconds later nothing of it may be
left: no process (all of them carry a mark in their environment, wherever they moved),
and nothing in its directory for scratch files or in shared memory. One in four is
killed once more while it is resumed. At last it runs to its end, and has to give the same.

The implementation that is judged is one that leaves a process of its own session behind.
Every trial is a function of seed and number: `--only N` repeats one.
Exit status: 0 nothing left and nothing different; 1 something was; 2 usage, or this system cannot tell.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from journalspec_conformance.cli._tables import show_table
from journalspec_conformance.faults import marked

SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
#: In the environment of all that a trial starts.
MARK = "JOURNALSPEC_KILL"
#: What is left after so many seconds is left for good.
GRACE = 5.0
#: No run takes so much longer than the first one, however busy the machine is.
PATIENCE = 600.0
#: Every so many-th trial is killed a second time, while it is resumed.
TWICE = 4
MAIN = (sys.executable, "-m", "journalspec_conformance")
SHM = Path("/dev/shm")  # noqa: S108  # looked at, not written to
#: Members of reports, summaries and manifests that differ from run to run, and what is made of them.
UNSETTLED = frozenset({"run", "seconds", "digest", "seal", "sha256"})

#: It answers rightly, and leaves a process in a session of its own, as servers do.
IMPLEMENTATION = """
import os, subprocess, sys
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
sleep = [sys.executable, "-S", "-c", "import time; time.sleep(900)"]
subprocess.Popen(sleep, start_new_session=True, **quiet)
serve = ["-m", "journalspec_conformance.serve", "journalspec_conformance.harnesses.reference:Reference"]
os.execv(sys.executable, [sys.executable, *serve])
"""

#: Its file's name; one for all places, since reports name whom they are about.
IMPL = "impl.py"
Result = Mapping[str, Any]


def _lines(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    settled = [{name: of for name, of in line.items() if name not in UNSETTLED} for line in lines]
    # Two workers: results come as they are ready.
    return sorted(settled, key=lambda line: json.dumps(line, sort_keys=True))


def _report(out: Path) -> Result:
    return {"report": _lines(out)}


def _tree(out: Path) -> Result:
    """Return what every file below `out` holds, without what differs from run to run."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        name = path.relative_to(out).as_posix()
        if path.name in {"manifest.json", "summary.json"}:
            told = json.loads(path.read_text(encoding="utf-8"))
            found[name] = {key: of for key, of in told.items() if key not in UNSETTLED}
        else:
            found[name] = path.read_bytes()
    return found


@dataclass(frozen=True)
class What:
    """A command to be killed: its arguments, where OUT and IMPL stand for themselves, and its result."""

    arguments: tuple[str, ...]
    result: Callable[[Path], Result]
    #: What it writes is there when it is whole, and is not written again.
    once: bool = False


_JUDGED = ("--impl", "IMPL", "--format", "bitronix_tlog", "--jobs", "2")
_BUILD = ("corpus", "build", "--tier", "core", "--format", "bitronix_tlog", "--out", "OUT")
COMMANDS = {
    "run": What(("run", *_JUDGED, "--select", "btm.**", "--report", "OUT"), _report),
    "judge": What(
        ("corpus", "judge", *_JUDGED, "--every", "397", "--count", "200", "--out", "OUT"), _tree, once=True
    ),
    "build-local": What((*_BUILD, "--every", "397", "--jobs", "2"), _tree),
    "build-spark": What((*_BUILD, "--every", "397", "--engine", "spark", "--master", "local[2]"), _tree),
}


@dataclass
class Place:
    """Where one trial works: its result, its scratch files, its shared memory."""

    root: Path
    mark: str
    #: Whether /dev/shm is this place's own, in a mount namespace.
    private: bool

    def __post_init__(self) -> None:
        for directory in (self.tmp, self.shm):
            directory.mkdir()
        self._before = self._shared()

    @property
    def out(self) -> Path:
        """Where the result goes."""
        return self.root / "out"

    @property
    def tmp(self) -> Path:
        """Where scratch files go."""
        return self.root / "tmp"

    @property
    def shm(self) -> Path:
        """What the command sees as /dev/shm, if that can be had."""
        return self.root / "shm"

    def command(self, what: What) -> list[str]:
        """Return the command line of `what` here."""
        stands = {"OUT": str(self.out), "IMPL": shlex.join([sys.executable, str(self.root.parent / IMPL)])}
        command = [*MAIN, *(stands.get(word, word) for word in what.arguments)]
        return [*_apart(self.shm), *command] if self.private else command

    def start(self, what: What) -> subprocess.Popen[str]:
        """Start `what`; what it says is read from its standard error at its end."""
        environment = os.environ | {MARK: self.mark, "TMPDIR": str(self.tmp), "PYTHONFAULTHANDLER": ""}
        with (self.root / "stderr").open("w") as said:
            return subprocess.Popen(
                self.command(what),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                text=True,
                env=environment,
                start_new_session=True,
            )

    def said(self) -> str:
        """Return what the last command said on its standard error."""
        return (self.root / "stderr").read_text(encoding="utf-8", errors="replace")

    def processes(self) -> dict[int, str]:
        """Return all living processes with the mark: id -> command line."""
        return marked(MARK, self.mark)

    def scratch(self) -> list[str]:
        """Return what is left of scratch files, in memory and on disk."""
        return sorted(str(path) for path in [*self.tmp.iterdir(), *(self._shared() - self._before)])

    def _shared(self) -> set[Path]:
        if self.private:
            return set(self.shm.iterdir())
        return set(SHM.glob("journalspec*")) if SHM.is_dir() else set()

    def clear(self) -> None:
        """End and remove everything, so that one fault is not found twice."""
        patience = time.monotonic() + PATIENCE
        # A killed process is there until its memory is given back; what it started meanwhile is found, too.
        while (left := self.processes()) and time.monotonic() < patience:
            for pid in left:
                # By its id, and with the mark of this very trial.
                _kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        for path in map(Path, self.scratch()):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _apart(shm: Path) -> list[str]:
    """Return what to put before a command that is to have a /dev/shm of its own."""
    script = f'mount --bind {shlex.quote(str(shm))} {SHM} && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def can_be_apart() -> bool:
    """Tell whether this system lets a command have a /dev/shm of its own."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            tried = subprocess.run([*_apart(Path(directory)), "true"], check=False, capture_output=True)
        except OSError:
            return False
        return tried.returncode == 0


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


@dataclass(frozen=True)
class Goal:
    """What a command gives if nobody kills it, and how many seconds it takes."""

    status: int
    result: Result
    seconds: float


@dataclass
class Row:
    """One line of the table: what was done, and what was found."""

    killed: int = 0
    ended: int = 0
    processes: int = 0
    scratch: int = 0
    different: int = 0
    tracebacks: int = 0
    slowest: float = 0.0

    def cells(self) -> list[str]:
        """Return the line's cells."""
        numbers = (self.killed, self.ended, self.processes, self.scratch, self.different, self.tracebacks)
        return [*map(str, numbers), f"{self.slowest:.2f}"]


HEAD = ["what", "signal", "killed", "had ended", "process left", "scratch left", "other result"]
HEAD += ["traceback", "longest until gone (s)"]


@dataclass
class Trials:
    """All trials: how they are drawn, what they found."""

    seed: int
    names: list[str]
    base: Path
    keep: bool = False
    private: bool = field(default_factory=can_be_apart)
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    goals: dict[str, Goal] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def place(self, name: str) -> Place:
        """Make a new place."""
        root = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.base))
        return Place(root, f"{os.getpid()}.{root.name}", self.private)

    def goal(self, name: str) -> Goal:
        """Return what `name` is to give; runs it twice at first, so that nothing is to be compiled."""
        if name not in self.goals:
            for _ in range(2):
                place, started = self.place(name), time.monotonic()
                status = _end(place, COMMANDS[name])
                seconds = time.monotonic() - started
                if not place.out.exists():
                    raise SystemExit(f"{name} does not run: status {status}\n{place.said()}")
                result = COMMANDS[name].result(place.out)
                self._look(place, f"{name}, not killed", self.rows.setdefault((name, "-"), Row()))
                shutil.rmtree(place.root)
            self.goals[name] = Goal(status, result, seconds)
        return self.goals[name]

    def run(self, number: int) -> None:
        """Run trial `number`."""
        name = self.names[number % len(self.names)]
        goal = self.goal(name)
        draw = random.Random(f"{self.seed}/{number}")
        place = self.place(name)
        for again in range(2 if draw.randrange(TWICE) == 0 else 1):
            said = draw.choice(SIGNALS)
            moment = draw.random() * goal.seconds
            title = f"trial {number}: {name}, {said} after {moment:.2f} s{', resumed' if again else ''}"
            self._killed(place, name, said, moment, title)
        done = COMMANDS[name].once and place.out.exists()  # by the time it was killed
        status = goal.status if done else _end(place, COMMANDS[name])
        row = self.rows[name, said]
        different = _difference(goal, status, place, COMMANDS[name])
        if different:
            row.different += 1
            self.faults.append(f"{title}: {different}")
        self._look(place, f"{title}, run to its end", row)
        if not self.keep:
            shutil.rmtree(place.root, ignore_errors=True)

    def _killed(self, place: Place, name: str, said: str, moment: float, title: str) -> None:
        row = self.rows.setdefault((name, said), Row())
        process = place.start(COMMANDS[name])
        try:
            process.wait(moment)
            row.ended += 1
        except subprocess.TimeoutExpired:
            process.send_signal(getattr(signal, said))
            row.killed += 1
        self._look(place, title, row, process)
        if "Traceback" in place.said():
            row.tracebacks += 1
            self.faults.append(f"{title}: a traceback\n{place.said().strip()}")

    def _look(self, place: Place, title: str, row: Row, process: subprocess.Popen[str] | None = None) -> None:
        """Wait until nothing is left, or for so long that it stays; count and remove what is."""
        started = time.monotonic()
        while True:
            ended = process is None or process.poll() is not None
            left, scratch = place.processes(), place.scratch()
            if ended and not left and not scratch:
                break
            if time.monotonic() - started > GRACE:
                row.processes += bool(left)
                row.scratch += bool(scratch)
                self.faults += [f"{title}: process {pid} is left: {words}" for pid, words in left.items()]
                self.faults += [f"{title}: {path} is left" for path in scratch]
                break
            time.sleep(0.02)
        row.slowest = max(row.slowest, time.monotonic() - started)
        place.clear()
        if process is not None:
            process.wait()


def _end(place: Place, what: What) -> int:
    """Run `what` to its end and return its exit status."""
    process = place.start(what)
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        place.clear()
        return process.wait()


def _difference(goal: Goal, status: int, place: Place, what: What) -> str:
    """Return in which way a second run differs from one that was not killed; nothing if it does not."""
    said = place.said().strip().splitlines()
    if status != goal.status:
        return f"ends with status {status}, not {goal.status}: {said[-2:]}"
    try:
        result = what.result(place.out)
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"
    names = sorted(goal.result.keys() | result.keys())
    wrong = [name for name in names if goal.result.get(name) != result.get(name)]
    return f"{', '.join(wrong)} not the same" if wrong else ""


def summed(rows: Mapping[tuple[str, str], Row]) -> list[list[str]]:
    """Return the lines of the table, with a sum."""
    lines = [[*key, *row.cells()] for key, row in sorted(rows.items())]
    total: Counter[str] = Counter()
    for row in rows.values():
        total.update({name: of for name, of in asdict(row).items() if name != "slowest"})
    slowest = max((row.slowest for row in rows.values()), default=0.0)
    return [*lines, ["all", "", *Row(**total, slowest=slowest).cells()]]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, help="how many trials (default: 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this trial only")
    parser.add_argument("--what", default="run,judge,build-local", help=f"of {','.join(COMMANDS)}")
    parser.add_argument("--keep", action="store_true", help="keep what the trials wrote")
    options = parser.parse_args(arguments)
    names = options.what.split(",")
    if unknown := [name for name in names if name not in COMMANDS]:
        parser.error(f"no command {', '.join(unknown)}: choose of {', '.join(COMMANDS)}")
    if not Path("/proc/self/environ").is_file():
        print("error: processes are found in /proc, which is not there", file=sys.stderr)
        return 2
    for name in SIGNALS[1:]:
        # In the background of a shell some are ignored, and what is ignored here is so in the commands.
        signal.signal(getattr(signal, name), signal.default_int_handler)
    base = Path(tempfile.mkdtemp(prefix="kill-"))
    (base / IMPL).write_text(IMPLEMENTATION, encoding="utf-8")
    trials = Trials(options.seed, names, base, options.keep)
    if not trials.private:
        print("note: /dev/shm is shared with all others here; only names of ours are looked at")
    started = time.monotonic()
    try:
        for number in range(options.count) if options.only is None else (options.only,):
            before = len(trials.faults)
            trials.run(number)
            for fault in trials.faults[before:]:
                print(fault, flush=True)
    except KeyboardInterrupt:
        print("interrupted: these are the trials so far")
        trials.faults.append("not all trials were made")
    finally:
        if not options.keep:
            shutil.rmtree(base, ignore_errors=True)
    show_table(HEAD, summed(trials.rows))
    print(f"{time.monotonic() - started:.0f} s, {len(trials.faults)} faults")
    return 1 if trials.faults else 0


if __name__ == "__main__":
    sys.exit(main())
