"""The Derby harness: the embedded database itself, driven through JPype and JDBC.

One process drives one product version and boots one database after another in it::

    python -m journalspec_conformance.harnesses --product derby-10.14.2.0

A log cannot be recovered without the pages that it changes. A request's directory contains:

======================  ===================================================================================
``log.ctrl``,           the log: the files of the ``log`` directory of a database. A case has no other files
``logmirror.ctrl``,
``log<N>.dat``
``seg0.c<HEX>.dat``     a container that differs from the base: in captures of logs that were checkpointed
``database``, ``seg0``  the database of a ``write`` request, and its pages; ``database/log`` is a link to here
======================  ===================================================================================

All other pages are those of a base: the database as it was at the checkpoint that the log continues. The
parameter `base` identifies it by the level of the database. Without the parameter, the product's own level is
used.

A base is a database with the empty tables ``T`` and ``U``, both ``(K int, V varchar(3000))`` without an
index, checkpointed and shut down. Bases are stored (``bases/LEVEL.tar.xz``, with their own log) and not
created for each request. A new database would have new identifiers in the indexes of its catalogs, and a log
that begins before the checkpoint would not fit its pages. A newer product opens the base of an older one, as
happens when a user replaces the jars. ``python tools/captures/derby_base.py`` creates bases.

How the protocol's operations map to the product:

``recover``
    A copy of the database is booted. JDBC returns the rows of each table after a rollback of all prepared
    branches. It also returns these branches (``XAResource.recover``), and the rows that each of them would
    add and remove. The verdict is ``clean`` if derby.log has no message about damage, ``recovered`` if it
    has such messages (they are the answer's message), and ``refused`` if the boot throws.
``read``
    The product has no interface to its log records, so this operation is not offered.
``write``
    SQL statements, identified by names: see ``Statements``. The product decides which log records a statement
    writes.

The state has ``rows`` (table, key, value; sorted) and ``in_doubt`` (the identifier's three parts,
``inserted``, ``deleted``).
"""

from __future__ import annotations

from journalspec_conformance.harnesses.derby_log.harness import Derby

DRIVER = Derby
