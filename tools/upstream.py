"""Writes the reports for the maintainers of products: a text, and a program that uses no code of this
project.

``python tools/upstream.py OUT`` writes ``ID.md`` and ``ID.java`` for each entry of
``docs/upstream/reports.toml``. With ``--run`` each program is compiled and run with the product that
`journalspec products fetch` downloaded, and must print the output stated in its report. ``--only GLOB``
selects some entries.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stores import QUICK

from journalspec.deviations import Deviation, deviations
from journalspec.formats import format_ids
from journalspec_conformance.products import Product, classpath, get_product
from journalspec_corpus.load import find_case, told_in

HERE = Path(__file__).resolve().parents[1] / "docs" / "upstream"
#: Longer strings of hex digits are written as several parts.
PART = 120
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Report:
    """One entry: a deviation, and its description for readers who do not know this project."""

    deviation: Deviation
    product: Product
    entry: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of the program, which is a name of a Java class."""
        return self.deviation.id.replace("-", "_")

    @property
    def title(self) -> str:
        """The subject of the report."""
        return self.entry.get("title", self.deviation.title)

    @property
    def text(self) -> str:
        """The text for the product's maintainers."""
        jars = "\n".join(f"- `{jar.coordinates}`" for jar in self.product.jars)
        told = {
            "expected": self.entry["expected"],
            "cost": self.deviation.cost,
            "change": self.deviation.change,
        }
        about = " ".join(self.entry.get("text", self.deviation.text).split())
        form = (HERE / "report.md").read_text(encoding="utf-8")
        shown = {"title": self.title, "name": self.name, "jars": jars, "text": about}
        shown |= {"prints": self.entry["prints"].strip(), "version": self.product.version}
        return form.format(
            product=self.product.title.removesuffix(f" {self.product.version}"), **shown, **told
        )

    @property
    def program(self) -> str:
        """The program, which shows the deviation using only the product."""
        text = (HERE / f"{self.entry['program']}.java").read_text(encoding="utf-8")
        shared = (HERE / "shared.java").read_text(encoding="utf-8").rstrip()
        values = {"NAME": self.name, "TITLE": self.title, "SHARED": shared, "STARTS": "1"}
        policy = self.entry.get("policy", "")
        values |= {"SKIP": str(policy == "salvage").lower(), "IGNORE": str(policy == "salvage").lower()}
        values |= {"CHECK": str(policy in ("strict", "salvage")).lower()}
        values |= {"FILES": "\n".join(self._files()), "DAMAGE": self._damage()}
        for name, value in (values | {"STARTS": self.entry.get("starts", "1")}).items():
            text = text.replace(f"@{name}@", value)
        return text

    def _damage(self) -> str:
        return "\n".join(
            f"        {line.strip()}" for line in self.entry.get("damage", "").strip().splitlines()
        )

    def _files(self) -> Iterator[str]:
        if "case" not in self.entry:
            return
        for file in told_in(find_case(self.entry["case"]), [self.product.edition]).input.files:
            parts = "".join(
                f',\n            {off + start // 2}, "{data.hex()[start : start + PART]}"'
                for off, data in file.extents
                for start in range(0, 2 * len(data), PART)
            )
            yield f'        file("{file.path}", {file.size}, 0x{file.fill:02x}{parts});'


def reports(only: str = "*") -> Iterator[Report]:
    """Yield the reports whose deviations match the patterns; raises KeyError if a deviation is unknown."""
    known = {each.id: each for name in format_ids() for each in deviations(name)}
    for entry in tomllib.loads((HERE / "reports.toml").read_text(encoding="utf-8"))["report"]:
        if fnmatch.fnmatch(entry["deviation"], only):
            yield Report(known[entry["deviation"]], get_product(entry["product"]), entry)


def printed(found: list[Report], out: Path) -> Iterator[tuple[Report, str]]:
    """Yield the output of each program in `out`; raises CalledProcessError if one does not compile."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        raise FileNotFoundError("needs javac and java")
    # This also applies to JVMs that a program starts.
    quick = os.environ | {"JDK_JAVA_OPTIONS": " ".join(QUICK)}
    for product in {report.product.id: report.product for report in found}.values():
        mine = [report for report in found if report.product.id == product.id]
        jars = os.pathsep.join([*classpath(product), str(out / "classes")])
        sources = [str(out / f"{report.name}.java") for report in mine]
        command = [javac, *(f"-J{option}" for option in QUICK), "-nowarn", "-cp", jars]
        command += ["-d", str(out / "classes"), *sources]
        subprocess.run(command, check=True, capture_output=True, text=True)
        for report in mine:
            done = subprocess.run(
                [java, "-Xmx256m", "-cp", jars, report.name],
                check=False, capture_output=True, text=True, timeout=SECONDS, cwd=out, env=quick,
            )  # fmt: skip
            yield report, done.stdout.strip()


def main() -> int:
    """Write the requested reports and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="a directory")
    parser.add_argument("--run", action="store_true", help="run the programs")
    parser.add_argument("--only", default="*", metavar="GLOB", help="ids of deviations")
    given = parser.parse_args()
    found = list(reports(given.only))
    given.out.mkdir(parents=True, exist_ok=True)
    for report in found:
        (given.out / f"{report.name}.md").write_text(report.text, encoding="utf-8")
        (given.out / f"{report.name}.java").write_text(report.program, encoding="utf-8")
    print(f"{len(found)} reports in {given.out}")
    wrong = 0
    for report, said in printed(found, given.out.resolve()) if given.run else ():
        other = said != report.entry["prints"].strip()
        wrong += other
        print(f"{report.deviation.id}: {'prints something else:' if other else 'prints the stated output'}")
        if other:
            print(said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
