"""Makes the bases of Derby's logs: ``python tools/captures/derby_base.py base --product ID --out DIR``."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from pathlib import Path

from journalspec_conformance.harnesses.derby_log.harness import TABLES, Database, configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.product import run_program
from journalspec_conformance.products import Product
from journalspec_conformance.programs import scratch


def make_base(product: Product, *, out: str) -> bool:
    """Make OUT/LEVEL.tar.xz. If this file exists, the exit status is 2, because a base is never overwritten.

    Two bases of one version differ, because each database has unique identifiers. So the bases are made once
    and never again. The docstring of `journalspec_conformance.harnesses.derby_log` gives the reason.
    """
    target = Path(out) / f"{product.edition}.tar.xz"
    if target.exists():
        print(f"error: {target} already exists: bases are never overwritten", file=sys.stderr)
        os._exit(2)
    jvm.start(product)
    # With this setting the log ends with its last record, so the next record does not depend on preallocated
    # space.
    configure({"file_sync": "true"})
    with scratch() as place:
        database = Database(place / "base", create=True)
        for name in TABLES:
            database.execute(f"create table {name} (K int not null, V varchar(3000) not null)")
        database.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()")
        database.stop()
        with target.open("xb") as stream, tarfile.open(fileobj=stream, mode="w:xz", preset=9) as archive:
            for path in sorted((place / "base").rglob("*")):
                if path.is_file() and path.parent.name in ("base", "seg0", "log"):
                    entry = tarfile.TarInfo(str(path.relative_to(place / "base")))
                    # The first line of service.properties has the name of the scratch directory in which the
                    # database was made.
                    data = path.read_bytes().replace(f"#{place / 'base'}\n".encode(), b"")
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))
    print(target)
    return False


if __name__ == "__main__":
    run_program({"base": make_base})
