"""Memory that workers on the same machine share, and that is gone with the last of them."""

from __future__ import annotations

import mmap
import os
import secrets
import weakref
from typing import NamedTuple

# After the memory itself come a random name, by which it is recognized, and counters.
NAME_BYTES = 16
COUNTERS = 257  # of 8 bytes
LAST_DONE = 0  # the counter with the number of the last question that is done
EXTRA_BYTES = NAME_BYTES + 8 * COUNTERS
CAN_SHARE = hasattr(os, "memfd_create")  # Linux; elsewhere each worker has a table of its own


class MemoryHandle(NamedTuple):
    """The address of shared memory for other processes: a file that its process has open.

    descriptor -- of the file, in that process. size -- bytes of the memory. name -- random bytes
    by which the memory is recognized.
    """

    process: int
    descriptor: int
    size: int
    name: bytes


class SharedMemory:
    """Memory that this process shares with those that `attach` to it: `size` bytes, 0 at first.

    size -- a multiple of 8. memory -- these bytes. counters -- integers beside them: LAST_DONE, at
    which workers stop, and at 1 + i the nodes of worker i for its question.
    """

    def __init__(self, size: int):
        descriptor = os.memfd_create("optsearch")  # a file in memory, gone when all have closed it
        weakref.finalize(self, os.close, descriptor)
        os.ftruncate(descriptor, size + EXTRA_BYTES)
        self.handle = MemoryHandle(os.getpid(), descriptor, size, secrets.token_bytes(NAME_BYTES))
        whole_memory = memoryview(mmap.mmap(descriptor, size + EXTRA_BYTES))
        whole_memory[size : size + NAME_BYTES] = self.handle.name
        self.memory, self.counters = _split_memory(whole_memory, size)


class Attached(NamedTuple):
    """The memory and the counters of a `SharedMemory` that another process has made."""

    memory: memoryview
    counters: memoryview


def attach(handle: MemoryHandle) -> Attached | None:
    """Return the memory of another process; None if it is not found, as from another machine."""
    size = handle.size
    try:
        descriptor = os.open(f"/proc/{handle.process}/fd/{handle.descriptor}", os.O_RDWR)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_size != size + EXTRA_BYTES:
            return None
        whole_memory = memoryview(mmap.mmap(descriptor, size + EXTRA_BYTES))
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)
    if whole_memory[size : size + NAME_BYTES] != handle.name:
        return None  # another process has this number now, as on another machine
    return Attached(*_split_memory(whole_memory, size))


def can_attach(handle: MemoryHandle) -> bool:
    """True if this process can attach to the memory."""
    return attach(handle) is not None


def _split_memory(whole_memory: memoryview, size: int) -> tuple[memoryview, memoryview]:
    """Return the memory of this size and the counters after the name."""
    counters = whole_memory[size + NAME_BYTES : size + EXTRA_BYTES].cast("Q")
    return whole_memory[:size], counters
