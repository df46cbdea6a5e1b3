"""Runs a command on a disk that fails, once for each of the command's writes, and reports what is lost.

    python tools/faulty_disk.py --every --in DIR COMMAND...
    python tools/faulty_disk.py --sample 40 --seed 7 --resumes --in DIR COMMAND...
    python tools/faulty_disk.py --every --kill --in DIR COMMAND...

COMMAND runs in a fresh copy of DIR each time, so its file names must be relative to DIR. First it runs twice
undisturbed. Files that differ between these two runs are not compared later. Files that match --varies (files
that contain times) are not compared either. Then the n-th call that changes anything in DIR fails (write,
fsync, rename, link, mkdir, open of a new file...), for every n or a sample. With --lasting, all calls after
it fail, too. Each time COMMAND must either succeed, or end with status 2 and a message of a few lines that
states the cause. In the second case each earlier file must be unchanged or completely new, and no other file
may remain. With --resumes COMMAND may leave unfinished work; if it is run again without a fault, it must
reach the undisturbed result. With --kill the process is killed at that call. Then all files, apart from those
whose names begin with a dot, are as in the undisturbed result, or the rule of --resumes holds.

Needs Linux and a C compiler (cc). Exit status: 0 no violation; 1 a violation; 2 usage.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
#: The memory that the processes share: a count (unsigned long), and the name of the failed call (text).
STATE_SIZE = mmap.PAGESIZE
COUNT_SIZE = 8
TEXT_SIZE = 256
#: The largest number of lines of a message, and words that the message must not contain.
MOST_LINES = 6
NEVER_SAID = ("Traceback", "fault of journalspec")
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EFBIG")
#: The exit status of a command that cannot write.
CANNOT_WRITE = 2

#: Relative path -> digest of the content ("" for a directory).
Tree = Mapping[str, str]


class Unusable(Exception):
    """This tool cannot be used on this system or with this command; the text states the reason."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a run: exit status, files, the number of calls, and the failed one."""

    status: int
    stderr: str
    tree: Tree
    calls: int
    failed: str


@dataclass(frozen=True, slots=True)
class Disk:
    """Runs `command` in copies of `template`, made in `scratch`, with faults of the disk."""

    command: Sequence[str]
    template: Path
    scratch: Path
    shim: Path
    error: str = "ENOSPC"
    lasting: bool = False
    kill: bool = False
    resumes: bool = False
    varies: Sequence[str] = ()
    timeout: float = 600.0

    def run(self, place: Path, at: int = 0) -> Ended:
        """Run the command in `place`; call number `at` fails, none if 0."""
        with tempfile.NamedTemporaryFile(dir=self.scratch) as state:
            state.truncate(STATE_SIZE)
            done = subprocess.run(
                self.command,
                cwd=place,
                env={**os.environ, **self._environment(state.name, place, at)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout,
                check=False,
            )
            data = Path(state.name).read_bytes()
        text = data[COUNT_SIZE : COUNT_SIZE + TEXT_SIZE].partition(b"\0")[0]
        return Ended(
            done.returncode,
            done.stderr.decode("utf-8", "replace"),
            tree_of(place),
            int.from_bytes(data[:COUNT_SIZE], sys.byteorder),
            text.decode("utf-8", "replace"),
        )

    def _environment(self, state: str, place: Path, at: int) -> dict[str, str]:
        found = {
            "LD_PRELOAD": str(self.shim),
            "FAULTY_STATE": state,
            "FAULTY_ROOT": str(place),
            "FAULTY_AT": str(at),
            "FAULTY_ERRNO": str(getattr(errno, self.error)),
        }
        found |= {"FAULTY_LASTING": "1"} if self.lasting else {}
        return found | ({"FAULTY_KILL": "1"} if self.kill else {})

    @contextmanager
    def copy(self) -> Iterator[Path]:
        """Yield a fresh copy of the template, and remove it afterwards."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            place = Path(folder).resolve() / "place"
            shutil.copytree(self.template, place, symlinks=True)
            yield place


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """The result of a run without faults; `varying` are files that differ between two such runs."""

    before: Tree
    after: Ended
    varying: frozenset[str] = field(default=frozenset())

    @classmethod
    def of(cls, disk: Disk) -> Undisturbed:
        """Run the command twice; raises Unusable if these runs fail already."""
        ends = []
        for _ in range(2):
            with disk.copy() as place:
                before = tree_of(place)
                ends.append(disk.run(place))
        first, second = ends
        if first.status != second.status or first.status == CANNOT_WRITE or first.status < 0:
            raise Unusable(f"undisturbed, it ends with {first.status} and {second.status}:\n{first.stderr}")
        if set(first.tree) != set(second.tree):
            raise Unusable(
                f"two runs differ in files: {', '.join(sorted(set(first.tree) ^ set(second.tree)))}"
            )
        if not first.calls:
            raise Unusable("it writes nothing in the directory (or its calls are hidden: linked statically)")
        varying = frozenset(
            name
            for name, digest in first.tree.items()
            if digest != second.tree[name] or any(fnmatch(name, pattern) for pattern in disk.varies)
        )
        return cls(before, first, varying)

    def differing(self, tree: Tree) -> list[str]:
        """Return the names in which `tree` differs from the result of the undisturbed run."""
        names = sorted(set(tree) | set(self.after.tree))
        return [
            name for name in names if name not in self.varying and tree.get(name) != self.after.tree.get(name)
        ] + [name for name in self.varying if name not in tree]


def tree_of(place: Path) -> Tree:
    """Return the files and directories below a directory."""
    found = {}
    for path in sorted(place.rglob("*")):
        content = b"" if path.is_dir() else path.read_bytes()
        found[path.relative_to(place).as_posix()] = hashlib.sha256(content).hexdigest() if content else ""
    return found


def faults(disk: Disk, sound: Undisturbed, at: int) -> tuple[str, list[str]]:
    """Let call number `at` fail. Return two values: the name of the call, and all violations in the
    result.
    """
    with disk.copy() as place:
        ended = disk.run(place, at)
        found = list(_said(disk, sound, ended))
        seen = {name: digest for name, digest in ended.tree.items() if "/." not in f"/{name}"}
        if disk.kill and ended.status == -signal.SIGKILL and not sound.differing(seen):
            return ended.failed, found
        if ended.status == sound.after.status:
            found += [
                f"it succeeded, but {name} differs from the run without faults"
                for name in sound.differing(ended.tree)
            ]
        elif disk.resumes or disk.kill:
            found += list(_lost(sound, ended.tree, set(ended.tree)))
            again = disk.run(place)
            if again.status != sound.after.status:
                found.append(f"the second run ended with {again.status}: {again.stderr.strip()}")
            wrong = sound.differing(again.tree)
            found += [f"after the second run, {name} differs from the run without faults" for name in wrong]
        else:
            found += list(_lost(sound, ended.tree, set(sound.before)))
        return ended.failed, found


def _said(disk: Disk, sound: Undisturbed, ended: Ended) -> Iterator[str]:
    if ended.status == sound.after.status or (disk.kill and ended.status == -signal.SIGKILL):
        return
    if ended.status != CANNOT_WRITE:
        yield f"it ended with {ended.status}"
    said = ended.stderr.strip()
    if os.strerror(getattr(errno, disk.error)) not in said:
        yield f"its message does not state the cause: {said!r}"
    if len(said.splitlines()) > MOST_LINES or any(text in said for text in NEVER_SAID):
        yield f"its message is not clear:\n{said}"


def _lost(sound: Undisturbed, tree: Tree, expected: set[str]) -> Iterator[str]:
    """Yield earlier files that are lost or damaged, and files whose names are not `expected`."""
    for name, digest in sound.before.items():
        whole = digest, (None if name in sound.varying else sound.after.tree.get(name))
        if name not in tree or tree[name] not in whole:
            yield f"{name} existed before, and is {'damaged' if name in tree else 'gone'}"
    for name in sorted(set(tree) - expected):
        yield f"{name} remains after the failure"


def compiled(folder: Path) -> Path:
    """Compile the shim into `folder`; raises Unusable if that is not possible."""
    compiler = shutil.which("cc")
    if not sys.platform.startswith("linux") or compiler is None:
        raise Unusable("needs Linux and a C compiler (cc)")
    shim = folder / "faulty_disk.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(shim), str(SOURCE), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unusable(f"the shim does not compile here: {done.stderr.strip()[-500:]}")
    return shim


def chosen(calls: int, sample: int | None, seed: int) -> list[int]:
    """Return the numbers of the calls to fail: all, or `sample` of them with the first and the last."""
    if sample is None or sample >= calls:
        return list(range(1, calls + 1))
    inner = random.Random(seed).sample(range(2, calls), max(0, sample - 2))
    return sorted({1, calls, *inner})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="faulty_disk.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--every", action="store_true", help="let each call fail, one per run")
    how.add_argument(
        "--sample", type=int, metavar="N", help="let only N calls fail, including the first and the last"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--in", dest="template", type=Path, metavar="DIR", help="default: an empty directory")
    parser.add_argument("--error", choices=ERRORS, default="ENOSPC")
    parser.add_argument("--lasting", action="store_true", help="all later calls fail, too")
    parser.add_argument("--kill", action="store_true", help="kill the process at the call")
    parser.add_argument(
        "--resumes", action="store_true", help="unfinished work may remain if a second run completes it"
    )
    parser.add_argument(
        "--varies", action="append", default=[], metavar="GLOB", help="files that differ from run to run"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs in parallel")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND...")
    options = parser.parse_args(arguments)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    found = shutil.which(command[0]) if command else None
    if found is None:
        parser.error("which command?" if not command else f"no such command: {command[0]}")
    # The path must be absolute, because the command runs in another directory. A link (as of a virtual
    # environment) must not be resolved.
    command[0] = str(Path(found).absolute())
    with tempfile.TemporaryDirectory(prefix="faulty-disk-") as folder:
        scratch = Path(folder).resolve()
        empty = scratch / "empty"
        empty.mkdir()
        try:
            disk = Disk(
                command,
                options.template or empty,
                scratch,
                compiled(scratch),
                options.error,
                options.lasting,
                options.kill,
                options.resumes,
                options.varies,
            )
            sound = Undisturbed.of(disk)
        except (Unusable, OSError) as error:
            print(f"faulty_disk.py: {error}", file=sys.stderr)
            return 2
        points = chosen(sound.after.calls, options.sample, options.seed)
        bad = 0
        with ThreadPoolExecutor(options.jobs) as pool:
            for at, (what, found) in zip(
                points, pool.map(lambda n: faults(disk, sound, n), points), strict=True
            ):
                bad += bool(found)
                for fault in found:
                    print(f"call {at} ({what}): {fault}")
    done = "were its last" if options.kill else "failed"
    print(f"{len(points)} of {sound.after.calls} calls {done}, one per run: {bad} badly")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
