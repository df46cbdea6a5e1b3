"""The Derby harness: the embedded database itself, driven through JPype and JDBC.

One process drives one product version and boots one database after another in it::

    python -m journalspec_conformance.harnesses --product derby-10.14.2.0

A log cannot be recovered without the pages that it changes. A request's directory contains:

======================  ===================================================================================
``log.ctrl``,           the log: what is in the ``log`` directory of a database. A case has nothing else
``logmirror.ctrl``,
``log<N>.dat``
``seg0.c<HEX>.dat``     a container that is not as the base has it: captures of logs that were checkpointed
``database``, ``seg0``  what a ``write`` request works on, and its pages; ``database/log`` leads back here
======================  ===================================================================================

All other pages are those of a base: the database as it was at the checkpoint that the log continues. The
parameter `base` names it, by the level of the database; the product's own is taken if it is not given.

A base is a database with the empty tables ``T`` and ``U``, both ``(K int, V varchar(3000))`` without an
index, checkpointed and shut down. Bases are stored (``bases/LEVEL.tar.xz``, with their own log) and not
created for each request. A new database would have new identifiers in the indexes of its catalogs, and a log
that begins before the checkpoint would not fit its pages. A newer product opens the base of an older one, as
it does when its jars are replaced. ``python tools/captures/derby_base.py`` makes bases.

How the protocol's operations map to the product:

``recover``
    A copy of the database is booted and asked through JDBC: which rows each table has once every prepared
    branch is rolled back; which branches are prepared (``XAResource.recover``), and which rows each of them
    would add and take away. ``clean`` is a boot about which derby.log says nothing, ``recovered`` one about
    which it does (that is the answer's message), and ``refused`` one that throws.
``read``
    The product does not show its records: there is no such operation.
``write``
    SQL, by name: see ``Statements``. The product decides which records that writes to the log.

The state has ``rows`` (table, key, value; sorted) and ``in_doubt`` (the identifier's three parts,
``inserted``, ``deleted``).
"""

from __future__ import annotations

from journalspec_conformance.harnesses.derby_log.harness import Derby

DRIVER = Derby
