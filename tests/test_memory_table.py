"""The bounded table in memory: exact, bounded, and it forgets what was not used for longest."""

from hypothesis import given
from hypothesis import strategies as st

from optsearch.compiled.search._table import MAX_KEY, MemoryTable
from tests.examples import draws

VALUES = st.integers(-(2**63), 2**63 - 1)


@draws(60)
@given(st.lists(st.tuples(st.binary(max_size=40), VALUES), max_size=200))
def test_is_a_dictionary_while_it_fits(items):
    table = MemoryTable(1 << 24)
    expected = {}
    for key, value in items:
        assert table.get(key) == expected.get(key)
        table.put(key, value)
        expected[key] = value
        assert table.get(key) == value
    assert len(table) == len(expected)
    for key, value in expected.items():
        assert table.get(key) == value
        assert table.get(key + b"\0") == expected.get(key + b"\0")


def test_many_entries():
    table = MemoryTable(1 << 28)
    for i in range(200_000):
        table.put(b"%d" % i, i)
    assert all(table.get(b"%d" % i) == i for i in range(200_000))
    assert len(table) == 200_000


def test_stays_within_its_memory_and_never_lies():
    table = MemoryTable(8 << 20)
    for i in range(300_000):
        table.put(b"key %d" % i, i)
        table.get(b"key 0")  # in use all the time
        assert table.bytes <= 10 << 20
    found = [table.get(b"key %d" % i) for i in range(300_000)]
    assert all(value in (None, i) for i, value in enumerate(found))
    assert found[0] == 0
    assert found[1] is None
    assert found[299_999] == 299_999
    assert sum(value is not None for value in found) > 50_000


def test_a_new_value_replaces_one_of_the_old_generation():
    table = MemoryTable(8 << 20)
    table.put(b"a", 1)
    for i in range(60_000):
        table.put(b"filler %d" % i, i)
    table.put(b"a", 2)
    assert table.get(b"a") == 2


def test_long_keys():
    table = MemoryTable(64 << 20)
    longest = b"x" * MAX_KEY
    table.put(longest, 5)
    assert table.get(longest) == 5
    table.put(longest + b"x", 6)  # too long: not kept, and no harm done
    assert table.get(longest + b"x") is None
    assert table.get(longest) == 5
