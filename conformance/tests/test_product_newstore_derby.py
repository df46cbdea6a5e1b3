"""Every Derby version finds the rows of our contents in new databases and scripts made from damaged
databases.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import stores
from newstore.derby_log import PROGRAM, SCRIPTS, Derby, contents_of, difference, told

from derby_damage import Trial, opened, put
from journalspec_reference.derby_log.contents.cipher import PASSWORD
from journalspec_reference.derby_log.sql import Script
from journalspec_reference.newstore import CannotRebuild, StoreChoices, new_store
from products import Every, ReadyProduct, of_products

PRODUCTS = ("derby-10.1.3.1", "derby-10.8.3.0", "derby-10.14.2.0", "derby-10.16.1.1")
#: A database with keys, checks, indexes, views, and values of each type.
FEATURES = Path(__file__).resolve().parent / "data" / "derby_features.sql"
#: Seeds of the random work that makes the bases: the first base has a transaction in doubt.
SEEDS = (9, 6, 11)


def bases(product: str, derby: Derby) -> list[Path]:
    """Return databases as crashes leave them, made by the product unless they are in the cache."""
    found = []
    for seed in SEEDS:
        name = f"newstore-{product}-{stores.digest(PROGRAM.read_text(encoding='utf-8'), str(seed))}"
        place = stores.cache() / "stores" / name
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            assert derby.ask({"database": str(place), "seed": seed}) == {"made": str(place)}
        found.append(place)
    return found


@of_products
@pytest.mark.parametrize("product", PRODUCTS)
def test_product_finds_the_rows_of_contents(
    product: str, ready_product: ReadyProduct, every: Every, memory_path: Path
) -> None:
    """For each product, ten of a hundred damaged databases are tried: the old one, and the new one or the
    script.
    """
    ready_product(product)
    trials = []
    with Derby(product) as derby:
        made = bases(product, derby)
        for seed in range(0, 100, every(10)):
            trial = Trial(made[seed // 20 % len(made)], seed, memory_path / str(seed))
            trial.prepare()
            old, new = trial.requests()
            # Scripts need the product that contains ij, which runs all of them below.
            if new is not None and trial.form == "database":
                trial.judge(derby.ask(old), derby.ask(new))
            trials.append(trial)
        scripts = [trial for trial in trials if trial.form == "rows"]
        before = [derby.ask(trial.requests()[0]) for trial in scripts]
    ready_product(SCRIPTS)
    if scripts:
        with Derby(SCRIPTS) as derby:
            for trial, old in zip(scripts, before, strict=True):
                trial.judge(old, derby.ask(trial.requests()[1] or {}))
    assert [(trial.what, trial.problems) for trial in trials if trial.problems] == []
    assert sum(trial.form == "database" for trial in trials) > len(trials) // 3


@of_products
@pytest.mark.parametrize("product", PRODUCTS[::3])
def test_transaction_in_doubt_is_committed_or_rolled_back(
    product: str, ready_product: ReadyProduct, memory_path: Path
) -> None:
    ready_product(product)
    with Derby(product) as derby:
        answer = opened(bases(product, derby)[0])
        (branch,) = contents_of(answer).rows("in_doubt")
        gtrid = branch["gtrid"]
        assert isinstance(gtrid, bytes)
        own = (gtrid.hex(),)
        counts: list[tuple[int, int]] = []
        for choices in (StoreChoices(), StoreChoices(commit=own), StoreChoices(rollback=own)):
            place = memory_path / str(len(counts))
            put(new_store(answer, choices), place)
            seen = derby.ask({"database": str(place)})
            assert difference(seen, told(contents_of(opened(place, "strict")))) == ""
            counts.append((len(seen["tables"]["APP.T"]), len(seen["in_doubt"])))
    rows = counts[0][0]
    assert counts == [(rows, 1), (rows + 5, 0), (rows, 0)]


@of_products
def test_script_creates_a_complete_database(ready_product: ReadyProduct, memory_path: Path) -> None:
    """Keys, checks, indexes, views, identities, values: a database made by a script gives the same script."""
    ready_product(SCRIPTS)
    with Derby(SCRIPTS) as derby:
        features = memory_path / "features"
        derby.ask({"database": str(features), "script": str(FEATURES)})
        first = Script(contents_of(opened(features)))
        texts = []
        for name in ("once", "twice"):
            script = memory_path / f"{name}.sql"
            found = contents_of(opened(features))
            script.write_bytes(b"".join(Script(found).parts()))
            texts.append(script.read_text(encoding="utf-8"))
            features = memory_path / name
            answer = derby.ask({"database": str(features), "script": str(script)})
            assert difference(answer, told(found)) == ""
    assert texts[0] == texts[1]
    assert {item.what for item in first.losses()} == {"identity", "trigger", "routine, synonym or type"}


@of_products
@pytest.mark.parametrize("algorithm", ["DES/CBC/NoPadding", "AES/CBC/NoPadding"])
def test_encrypted_database_is_copied_unchanged(
    algorithm: str, ready_product: ReadyProduct, memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command reads the database with its boot password, and cuts the log where no checksum matches."""
    ready_product(SCRIPTS)
    password = "clo760uds2caPe"  # noqa: S105
    monkeypatch.setenv(PASSWORD, password)
    with Derby(SCRIPTS) as derby:
        old, new = memory_path / "old", memory_path / "new"
        made = f"dataEncryption=true;encryptionAlgorithm={algorithm};bootPassword={password}"
        derby.ask({"database": f"{old};{made}", "script": str(FEATURES)})
        (log,) = (old / "log").glob("log1.dat")
        end = len(log.read_bytes().rstrip(b"\0"))
        with log.open("r+b") as stream:
            stream.seek(end + 4)
            stream.write(b"torn")
        put(new_store(opened(old), StoreChoices()), new)
        wanted = told(contents_of(opened(old)))
        assert told(contents_of(opened(new))) == wanted
        assert difference(derby.ask({"database": f"{new};bootPassword={password}"}), wanted) == ""
    assert sum(rows.total() for rows in wanted.values()) == 12
    monkeypatch.delenv(PASSWORD)
    with pytest.raises(CannotRebuild, match="encrypted"):
        new_store(opened(old), StoreChoices())
