"""Memory that workers on the same machine share, and that is gone with the last of them."""

from __future__ import annotations

import mmap
import os
import secrets
import weakref
from typing import NamedTuple

NAME = 16  # random bytes, by which it is known
NOTES = 257  # integers beside it
END = NAME + 8 * NOTES
CAN_SHARE = hasattr(os, "memfd_create")  # Linux; elsewhere each worker has a table of its own


class MemoryHandle(NamedTuple):
    """Where other processes find the memory of a process: in a file that this process has open.

    descriptor -- of the file, in that process. size -- bytes of the memory. name -- random bytes
    by which the memory is recognized.
    """

    process: int
    descriptor: int
    size: int
    name: bytes


class SharedMemory:
    """Memory that this process shares with those that `attach` to it: `size` bytes, 0 at first.

    size -- a multiple of 8. memory -- these bytes. counters -- integers beside them. Counter 0 is
    the number of the last question that is done, so that workers stop at it. Counter 1 + i has the
    nodes of worker i for its question.
    """

    def __init__(self, size: int):
        descriptor = os.memfd_create("optsearch")
        weakref.finalize(self, os.close, descriptor)
        os.ftruncate(descriptor, size + END)
        self.handle = MemoryHandle(os.getpid(), descriptor, size, secrets.token_bytes(NAME))
        everything = memoryview(mmap.mmap(descriptor, size + END))
        everything[size : size + NAME] = self.handle.name
        self.memory, self.counters = _parts(everything, size)


class Attached(NamedTuple):
    """The memory and the counters of a `SharedMemory` that another process has made."""

    memory: memoryview
    counters: memoryview


def attach(place: MemoryHandle) -> Attached | None:
    """Return the memory of another process; None if it is not found, as from another machine."""
    size = place.size
    try:
        descriptor = os.open(f"/proc/{place.process}/fd/{place.descriptor}", os.O_RDWR)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_size != size + END:
            return None
        everything = memoryview(mmap.mmap(descriptor, size + END))
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)
    if everything[size : size + NAME] != place.name:
        return None
    return Attached(*_parts(everything, size))


def can_attach(place: MemoryHandle) -> bool:
    """True if this process can attach to the memory."""
    return attach(place) is not None


def _parts(everything: memoryview, size: int) -> tuple[memoryview, memoryview]:
    return everything[:size], everything[size + NAME : size + END].cast("Q")
