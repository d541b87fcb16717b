"""The records of a table in LMDB: what is in a slot, where a key is, and how readers ask.

LMDB's keys are short, so a record lies in a slot named by a digest of its key. It holds the
complete key all the same, and a lookup compares it. Keys whose digests collide take successive
slots; nothing is ever deleted, so a lookup may stop at the first empty slot. A record has a
checksum of its key and value, in which the game is mixed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import count
from typing import TypeVar

import lmdb

FORMAT = "optsearch transposition table"
VERSION = 2  # 1 had no checksums

HEADER = b"optsearch table header"  # as long as no slot's name
_VALUE = struct.Struct("<q")
_CHECK_BYTES = 8
_BEFORE_KEY = _VALUE.size + _CHECK_BYTES

T = TypeVar("T")


def key_digest(key: bytes) -> bytes:
    """The digest that names the slots of a key; any function of the key gives exact answers."""
    return blake2b(key, digest_size=16).digest()


class DamagedRecord(Exception):
    """A record whose checksum is wrong."""


class Records:
    """Records of one game: the value, the checksum of value and key, the key."""

    def __init__(self, game: str):
        identity = blake2b(f"{FORMAT}\n{VERSION}\n{game}".encode()).digest()
        self._fresh = blake2b(digest_size=_CHECK_BYTES, key=identity)

    def packed(self, key: bytes, value: int) -> bytes:
        """The record of a key and its value."""
        number = _VALUE.pack(value)
        return number + self._checksum(number, key) + key

    def unpacked(self, record: bytes) -> tuple[bytes, int]:
        """The key and the value in a record; DamagedRecord where the checksum is wrong."""
        number, check, key = (
            record[: _VALUE.size],
            record[_VALUE.size : _BEFORE_KEY],
            record[_BEFORE_KEY:],
        )
        if len(record) < _BEFORE_KEY or self._checksum(number, key) != check:
            raise DamagedRecord
        return key, _VALUE.unpack(number)[0]

    def _checksum(self, number: bytes, key: bytes) -> bytes:
        check = self._fresh.copy()
        check.update(number)
        check.update(key)
        return check.digest()


def find(txn: lmdb.Transaction[bytes], key: bytes, records: Records) -> tuple[bytes, int | None]:
    """The slot of a key and its value; the empty slot that it would take, and None."""
    for slot in _slots(key):
        record = txn.get(slot)
        if record is None:
            return slot, None
        stored, value = records.unpacked(record)
        if stored == key:
            return slot, value
    raise AssertionError("the slots of a key do not end")


def _slots(key: bytes) -> Iterator[bytes]:
    digest = key_digest(key)
    yield digest
    for number in count(1):
        yield digest + number.to_bytes(4, "big")


def read(
    env: lmdb.Environment, question: Callable[[lmdb.Transaction[bytes]], T], locked: bool
) -> T:
    """The answer to a question asked of the last commit.

    Where the reader is not in LMDB's lock file, the writer does not spare its pages: those of one
    commit may be overwritten once two more have followed, and then the answer is asked for again.
    """
    while True:
        try:
            with env.begin() as txn:
                answer = question(txn)
                commit = txn.id()
        except lmdb.MapResizedError:  # the writer has grown it
            env.set_mapsize(0)
            continue
        if locked or env.info()["last_txnid"] <= commit + 1:
            return answer
