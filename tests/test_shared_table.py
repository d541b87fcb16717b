"""The table that workers share: exact, whole whatever is killed, and the better value stays."""

import random
from multiprocessing import get_context

import pytest

from optsearch.compiled.search._table import SharedTable
from optsearch.search.shared_memory import SharedMemory, attach, can_attach

SIZE = 1 << 22


def test_is_a_dictionary_of_the_best_values():
    table, expected = SharedTable(bytearray(SIZE)), {}
    rng = random.Random(1)
    for _ in range(3_000):
        key, value = b"%d" % rng.randint(0, 800), rng.randint(0, 50)
        known = expected.get(key)
        assert table.get(key) == known
        table.put(key, value)
        if known is None or (value % 2, value) > (known % 2, known):  # exact, or the greater bound
            expected[key] = value
    assert len(table) == len(expected)
    assert all(table.get(key) == value for key, value in expected.items())
    assert table.get(b"800 ") is None


def test_a_full_table_keeps_what_it_has():
    table = SharedTable(bytearray(1 << 16))
    for i in range(5_000):
        table.put(b"key %d" % i, 2 * i + 1)
    found = [table.get(b"key %d" % i) for i in range(5_000)]
    assert all(value in (None, 2 * i + 1) for i, value in enumerate(found))
    assert found[0] == 1
    assert found[-1] is None
    assert table.bytes <= 1 << 16


def test_too_little_memory():
    with pytest.raises(ValueError, match="512 bytes are too few"):
        SharedTable(bytearray(512))


def fill(place, number):
    """In another process: put the same keys as the others, and some of its own."""
    table = SharedTable(attach(place).memory)
    for i in range(2_000):
        table.put(b"common %d" % i, 2 * i + 1)
        table.put(b"of %d: %d" % (number, i), 2 * number)


def test_several_processes():
    shared, context = SharedMemory(SIZE), get_context("spawn")
    workers = [context.Process(target=fill, args=(shared.handle, i)) for i in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    table = SharedTable(shared.memory)
    for i in range(2_000):
        assert table.get(b"common %d" % i) == 2 * i + 1
        assert [table.get(b"of %d: %d" % (n, i)) for n in range(3)] == [0, 2, 4]


def test_memory_that_is_not_there():
    shared = SharedMemory(SIZE)
    assert attach(shared.handle._replace(name=bytes(16))) is None
    assert attach(shared.handle._replace(size=SIZE + 8)) is None
    assert attach(shared.handle._replace(descriptor=1 << 20)) is None
    place = shared.handle
    assert can_attach(place)
    shared.counters[0] = 7
    assert attach(place).counters[0] == 7
    del shared
    assert not can_attach(place)
