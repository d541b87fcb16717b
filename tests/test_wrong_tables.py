"""Tables whose records are whole, with their checksums, and wrong: what they lead to is refused.

That a wrong value is found is not certain. Where one makes the optimum contradict what is known
without the table, it is: leaf counting, the best greedy strategy, the tree that is built.
"""

import re

import pytest

from optsearch.check.trees import verify
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.search.solver import solve
from optsearch.support.errors import TableError
from optsearch.support.store import Integers

GAME = "4x5:3,2"
POSITION = Position(Game.parse(GAME))
OPTIMUM = 2326  # Table 1 of Audinot, Bonnet and Viennot (2014)


@pytest.fixture
def doctored(monkeypatch, tmp_path):
    """The folder of a table of GAME in which each value was changed in a way."""

    def made(change):
        values = {}
        put = Integers.put

        def noted(table, key, value):
            values[key] = value
            put(table, key, value)

        with monkeypatch.context() as patch:
            patch.setattr(Integers, "put", noted)
            assert solve(POSITION, table=tmp_path).total_height == OPTIMUM
        with Integers(tmp_path, f"the solver's table of {GAME}") as table:
            for key, value in values.items():
                table.put(key, change(value))
        return tmp_path

    return made


def test_a_table_of_the_same_values_is_believed(doctored):
    found = solve(POSITION, table=doctored(lambda value: value))
    assert found.total_height == verify(found.tree()) == OPTIMUM
    assert found.greedy()[1] == OPTIMUM  # from its own first shot on


def test_a_total_below_leaf_counting(doctored):
    folder = doctored(lambda value: -value)
    with pytest.raises(TableError, match=r"the total \d+ of 4x5:3,2 contradicts 2210 by leaf") as e:
        solve(POSITION, table=folder)
    assert f"the table {folder} holds a value that is wrong" in str(e.value)


def test_an_optimum_above_the_best_greedy_strategy(doctored):
    folder = doctored(lambda value: 2 * value)
    found = solve(POSITION, table=folder)
    message = r"the optimum (\d+) of 4x5:3,2 contradicts (\d+) by a greedy strategy"
    with pytest.raises(TableError, match=message) as caught:
        found.greedy()
    wrong, greedy = map(int, re.search(message, str(caught.value)).groups())
    assert wrong == found.total_height > greedy
    assert f"the table {folder} holds a value that is wrong" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [lambda v: 2 * v, lambda v: v + 4, lambda v: v - 2, lambda v: v // 2],
    ids=["doubled", "raised", "lowered", "halved"],
)
def test_a_tree_with_another_total_or_none(doctored, change):
    folder = doctored(change)
    found = solve(POSITION, table=folder)
    assert found.total_height != OPTIMUM  # and the optimum alone does not show it
    with pytest.raises(
        TableError, match=f"the optimum {found.total_height} of 4x5:3,2 contra"
    ) as e:
        found.tree()
    assert f"the table {folder} holds a value that is wrong" in str(e.value)
