"""The machines of a cluster during one search: a table on each, and what it is told of the others.

One process of each machine holds the table, which all its processes share. Families that one
machine solved come to the owner of the search with the answers, and from there into the tables of
the other machines. Where the process that holds a table is lost, another one of its machine begins
a new table, which is told all that was found.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from optsearch.compiled._table import SharedTable
from optsearch.search.shared_memory import CAN_SHARE, Shared, SharedMemory
from optsearch.support.cluster import Cluster

FAR_FROM = 100  # nodes: families that took less work are not worth their way to other machines

Families = Mapping[bytes, int]


@dataclass
class _Machine:
    """Where the table of a machine is, who holds it, and how much of what was found it was told."""

    holder: str
    place: Shared
    told: int = 0


class Machines:
    """The machines of a cluster. memory -- bytes of the table on each.

    places -- where their tables are.
    """

    def __init__(self, cluster: Cluster, memory: int):
        self._cluster, self._memory = cluster, memory
        self._search = secrets.token_bytes(16)
        self._machines: dict[str, _Machine] = {}
        self._found: dict[bytes, int] = {}
        self._log: list[tuple[bytes, int]] = []
        self._lock = Lock()
        self._courier = ThreadPoolExecutor(1, "courier")
        self._under_way: Future[None] | None = None
        self.places: tuple[Shared, ...] = ()

    def tell(self, found: Families) -> None:
        """Tell all machines of families, once they have heard what they were told before."""
        with self._lock:
            for key, value in found.items():
                if self._found.get(key) != value:
                    self._found[key] = value
                    self._log.append((key, value))
        if self._under_way is None or self._under_way.done():
            self._under_way = self._courier.submit(self.follow)

    def begin(self, known: Iterable[Families]) -> None:
        """A table on each machine, with the families that are known before the search.

        A machine that comes later is not told these, only what the search finds.
        """
        self.follow()
        for families in known if self._machines else ():
            for machine in self._machines.values():
                self._ask(machine.holder, _learn, self._search, list(families.items()))

    def follow(self) -> None:
        """A table on each machine that is there now, with all that was found."""
        there = self._cluster.machines
        for name, processes in there.items():
            known = self._machines.get(name)
            if known is None or known.holder not in processes:
                holder = min(processes)
                place = self._ask(holder, _hold, self._search, self._memory)
                if isinstance(place, Shared):
                    self._machines[name] = _Machine(holder, place)
        self._machines = {name: m for name, m in self._machines.items() if name in there}
        self.places = tuple(machine.place for machine in self._machines.values())
        for machine in self._machines.values():
            with self._lock:
                news = self._log[machine.told :]
            if news and self._ask(machine.holder, _learn, self._search, news) is True:
                machine.told += len(news)

    def _ask(self, holder: str, question: Callable[..., object], *arguments: object) -> object:
        with suppress(Exception):  # of a process that is lost meanwhile
            return self._cluster.ask(question, *arguments, of=[holder])[holder]
        return None

    def close(self) -> None:
        """Let go of the tables."""
        self._courier.shutdown(cancel_futures=True)
        for machine in self._machines.values():
            self._ask(machine.holder, _let_go, self._search)


@contextmanager
def machines_of(
    cluster: Cluster, memory: int, known: Iterable[Families] = ()
) -> Iterator[Machines]:
    """The machines of a cluster, with a table on each where the system can share memory.

    known -- what the tables begin with.
    """
    machines = Machines(cluster, memory)
    try:
        machines.begin(known)
        yield machines
    finally:
        machines.close()


# Of the process that holds the table of its machine; an answer at once, whatever task it is at


class _Held(NamedTuple):
    """A table, and the search that it is for."""

    search: bytes
    memory: SharedMemory


_held: list[_Held] = []  # at most one: a search that was killed lets go of none


def _hold(search: bytes, memory: int) -> Shared | None:
    """Begin the table of this machine; where it is."""
    if not CAN_SHARE:
        return None
    _held[:] = [_Held(search, SharedMemory(memory))]
    return _held[0].memory.place


def _learn(search: bytes, news: list[tuple[bytes, int]]) -> bool:
    """Put families into the table of this machine."""
    for held in _held:
        if held.search == search:
            table = SharedTable(held.memory.memory)
            for key, value in news:
                table.put(key, value)
            return True
    return False


def _let_go(search: bytes) -> None:
    _held[:] = [held for held in _held if held.search != search]
