"""A transposition table on disk: exact keys and what is proved of their values.

It is kept in LMDB, so that everything committed survives `kill -9`. A folder holds one table:

    data.mdb      the LMDB database: a header that names the game, and the records
    data.sum      a checksum of data.mdb, as long as no process writes
    lock.mdb      LMDB's own list of the processes that are reading
    writer.lock   locked by the one process that writes, for as long as that process lives

Beside it is memory that the workers of one search share.
"""

from optsearch.search.tables.disk import DiskTable
from optsearch.search.tables.folder import LOCK_FILE_BYTES
from optsearch.search.tables.shared import (
    CAN_SHARE,
    Attached,
    Shared,
    SharedMemory,
    attach,
    is_near,
)
from optsearch.search.tables.slots import key_digest
from optsearch.search.tables.soundness import SMALLEST_MAP

__all__ = [
    "CAN_SHARE",
    "LOCK_FILE_BYTES",
    "SMALLEST_MAP",
    "Attached",
    "DiskTable",
    "Shared",
    "SharedMemory",
    "attach",
    "is_near",
    "key_digest",
]
