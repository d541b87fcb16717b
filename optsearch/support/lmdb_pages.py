"""Whether a file is a sound LMDB database, found out before LMDB maps it into this process.

LMDB believes its file: a page number past the end of the file, or a node past the end of its
page, kills the process, and a page that is both free and in use is overwritten. Commits are whole
whatever is killed (pages are copied, not changed), so a file goes bad only by what happens outside:
it is cut off, a disk fails, it was copied during a commit. So all pages that the last commit
reaches are read here, by plain reads: each has its place, its kind and its number, and its nodes
fill it without gaps or overlaps; each page is used once, and is not free as well. What the values
are is not looked at: they have checksums (`store`). It takes about a microsecond a record.

The format is that of LMDB 0.9, data version 1, on machines of 64 bits (`mdb.c`, "Page Header",
"Meta Page Content", "Node Header").
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from struct import Struct

MAGIC, DATA_VERSION = 0xBEEFC0DE, 1
NO_PAGE = 2**64 - 1  # the root of an empty tree

_PAGE = Struct("<QHHHH")  # number, padding, kind, end of the offsets of nodes, start of the nodes
_BRANCH, _LEAF, _OVERFLOW, _META = 1, 2, 4, 8  # kinds
_FILE = Struct("<IIQQ")  # magic, version, address, map size
_TREE = Struct("<IHHQQQQQ")  # page size, flags, depth, three numbers of pages, entries, root
_LAST = Struct("<QQ")  # the last page, the number of the commit
_NODE = Struct("<HHHH")  # size or page of 48 bits, of which the third is flags in a leaf; key size
_NUMBER = Struct("<Q")
_IS_LARGE = 1  # the flag of a node whose value has pages of its own
_FREE_FLAGS, _MAIN_FLAGS = 8, 0  # keys of the tree of free pages are integers


class Unsound(Exception):
    """A file that LMDB must not map; the message says why."""


@dataclass(frozen=True)
class _Meta:
    """What one of the first two pages says of a commit: the larger number counts."""

    page_size: int
    trees: tuple[tuple[int, ...], ...]  # of the free pages, and the main one
    last_page: int
    commit: int


def require_sound(path: Path) -> None:
    """Raise Unsound for a file that is not a whole database; OSError where it cannot be read.

    A process may write the database meanwhile: what it reuses is read again.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        while True:
            meta = _meta(descriptor)
            try:
                _Walk(descriptor, meta).run()
            except Unsound:
                if _meta(descriptor) == meta:
                    raise
            else:
                return
    finally:
        os.close(descriptor)


def _read(descriptor: int, at: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, at)
    os.lseek(descriptor, at, os.SEEK_SET)
    return os.read(descriptor, size)


def _meta(descriptor: int) -> _Meta:
    """The last commit by the first two pages, both of which must be those of a database."""
    first = _meta_at(descriptor, 0, 0)
    second = _meta_at(descriptor, 1, first.page_size)
    if first.page_size != second.page_size:
        raise Unsound("its first two pages are not of one size")
    return max(first, second, key=lambda meta: meta.commit)


def _meta_at(descriptor: int, number: int, at: int) -> _Meta:
    size = _PAGE.size + _FILE.size + 2 * _TREE.size + _LAST.size
    page = _read(descriptor, at, size)
    if len(page) < size:
        raise Unsound("it is too short")
    magic, version, address, _ = _FILE.unpack_from(page, _PAGE.size)
    at = _PAGE.size + _FILE.size
    free, main = _TREE.unpack_from(page, at), _TREE.unpack_from(page, at + _TREE.size)
    last, commit = _LAST.unpack_from(page, at + 2 * _TREE.size)
    page_size = free[0]
    if (
        (_PAGE.unpack_from(page)[0], _PAGE.unpack_from(page)[2]) != (number, _META)
        or (magic, version, address) != (MAGIC, DATA_VERSION, 0)
        or page_size not in (2**n for n in range(8, 17))
        or (free[1], main[:2]) != (_FREE_FLAGS, (0, _MAIN_FLAGS))
        or (commit and commit % 2 != number)
    ):
        raise Unsound("it does not begin as a database does")
    return _Meta(page_size, (free, main), last, commit)


class _Walk:
    """A walk through all pages that a commit reaches."""

    def __init__(self, descriptor: int, meta: _Meta):
        self._descriptor, self._meta = descriptor, meta
        self._size = meta.page_size
        self._pages = os.fstat(descriptor).st_size // meta.page_size  # those that are whole
        self._used = bytearray(self._pages)
        self._free: set[int] = set()

    def run(self) -> None:
        """Raise Unsound where a page is not sound."""
        free, main = self._meta.trees
        self._tree(free, self._free_pages)
        self._tree(main, lambda key, value: None)
        if any(number < self._pages and self._used[number] for number in self._free):
            raise Unsound("a page is in use and free")
        missing = range(self._pages, self._meta.last_page + 1)
        if not all(number in self._free for number in missing):
            raise Unsound("it is too short")

    def _tree(self, tree: tuple[int, ...], take: Callable[[bytes, bytes], None]) -> None:
        _, _, depth, branches, leaves, larges, entries, root = tree
        counts = [0, 0, 0, 0]  # branch pages, leaf pages, pages of large values, entries
        if root != NO_PAGE:
            self._page(root, depth, counts, take)
        elif depth:
            raise Unsound("a tree has no root")
        if counts != [branches, leaves, larges, entries]:
            raise Unsound("pages or entries are missing")

    def _page(
        self, number: int, depth: int, counts: list[int], take: Callable[[bytes, bytes], None]
    ) -> None:
        page = self._content(number)
        own, padding, kind, lower, upper = _PAGE.unpack_from(page)
        is_leaf = depth == 1
        if own != number or padding or kind != (_LEAF if is_leaf else _BRANCH):
            raise Unsound(f"page {number} is not what it should be")
        n = (lower - _PAGE.size) // 2
        if not _PAGE.size <= lower <= upper <= self._size or lower % 2 or n < (1 if is_leaf else 2):
            raise Unsound(f"page {number} is not filled as it should be")
        counts[1 if is_leaf else 0] += 1
        end = upper
        for start in sorted(Struct(f"<{n}H").unpack_from(page, _PAGE.size)):
            if start != end or start + _NODE.size > self._size:
                raise Unsound(f"page {number} has nodes that overlap, or gaps between them")
            low, high, flags, key_size = _NODE.unpack_from(page, start)
            end = start + _NODE.size + key_size
            if is_leaf:
                end += _NUMBER.size if flags == _IS_LARGE else low | high << 16
            end += end % 2
            if end > self._size:
                raise Unsound(f"page {number} has a node that is not whole")
            if not is_leaf:
                self._page(low | high << 16 | flags << 32, depth - 1, counts, take)
                continue
            counts[3] += 1
            if flags not in (0, _IS_LARGE):
                raise Unsound(f"page {number} has a node of an unknown kind")
            at = start + _NODE.size
            key, size = page[at : at + key_size], low | high << 16
            if flags == _IS_LARGE:
                (first,) = _NUMBER.unpack_from(page, at + key_size)
                value = self._large(first, size, counts)
            else:
                value = page[at + key_size : at + key_size + size]
            take(key, value)
        if end != self._size:
            raise Unsound(f"page {number} has room where a node should be")

    def _large(self, first: int, size: int, counts: list[int]) -> bytes:
        """A value with pages of its own."""
        number = (_PAGE.size - 1 + size) // self._size + 1
        counts[2] += number
        head = self._content(first)
        own, padding, kind, low, high = _PAGE.unpack_from(head)
        if (own, padding, kind, low | high << 16) != (first, 0, _OVERFLOW, number):
            raise Unsound(f"page {first} is not what it should be")
        rest = [self._content(first + i) for i in range(1, number)]
        return b"".join([head, *rest])[_PAGE.size : _PAGE.size + size]

    def _content(self, number: int) -> bytes:
        """A page, which nothing else has."""
        if not 2 <= number <= self._meta.last_page or number >= self._pages:
            raise Unsound("it is too short, or a page has a wrong number")
        if self._used[number]:
            raise Unsound(f"page {number} is used twice")
        self._used[number] = 1
        return _read(self._descriptor, number * self._size, self._size)

    def _free_pages(self, key: bytes, value: bytes) -> None:
        """Take the pages that a commit freed: their number, and their numbers, descending."""
        if len(key) != _NUMBER.size or len(value) % _NUMBER.size or not value:
            raise Unsound("its free pages are not listed as they should be")
        n, *numbers = Struct(f"<{len(value) // _NUMBER.size}Q").unpack(value)
        numbers = numbers[:n]
        if (
            n != len(numbers)
            or any(not 2 <= number <= self._meta.last_page for number in numbers)
            or any(a <= b for a, b in pairwise(numbers))
            or not self._free.isdisjoint(numbers)
        ):
            raise Unsound("its free pages are not listed as they should be")
        self._free.update(numbers)
