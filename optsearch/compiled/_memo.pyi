from typing import Protocol

from optsearch.compiled._table import MemoryTable, SharedTable

class Disk(Protocol):
    def get(self, key: bytes, /) -> int | None: ...
    def put(self, key: bytes, value: int, /) -> None: ...

class Memo:
    shared: SharedTable | None
    disk: Disk | None
    disk_from: int
    def __init__(self, table: MemoryTable, disk: Disk | None) -> None: ...
