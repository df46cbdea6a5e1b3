"""Making the base databases.

``python -m journalspec_conformance.harnesses.derby_log.base --product ID OUT`` makes OUT/LEVEL.tar.xz, and
never overwrites it. Two bases of one version differ: each database has identifiers of its own. So they are
made once, and kept; the package's text says why that matters.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tarfile
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.derby_log.harness import TABLES, Database, configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.products import Product, get_product, product_ids


def make(product: Product, out: Path) -> Path:
    """Make the base of `product` in the running JVM; raises Thrown, FileExistsError."""
    target = out / f"{product.edition}.tar.xz"
    # The log ends where its last record does: what comes next does not depend on room made ahead.
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
                    # The first line of service.properties tells where it was made: a scratch directory.
                    data = path.read_bytes().replace(f"#{place / 'base'}\n".encode(), b"")
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))
    return target


def main() -> int:
    """Make one base; 2 if it is there already."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = [name for name in product_ids() if get_product(name).harness == "derby_log"]
    parser.add_argument("--product", required=True, choices=known)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    product = get_product(options.product)
    jvm.start(product)
    try:
        print(make(product, options.out))
    except FileExistsError as error:
        print(f"error: {error.filename} is already there: bases are never overwritten", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # threads of the product do not end
