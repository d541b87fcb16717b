"""Families are looked up by which sets they are: the same answers, and a wrong entry is seen."""

import random

import numpy as np
import pytest
from test_search import ALL_ON, DrawnFamily, drawn, only, ship_like, without

from optsearch.compiled.search._identities import IdentityTable
from tests.definition import Misses

GAMES = ("4x5:3,2", "3x6:3,2,2", "4x5:2,2,contact=any")


def game(text):
    sets, weights, grid = ship_like(text)
    return DrawnFamily(sets, weights, grid)


def test_the_answer_is_the_same_without():
    """300 random families, weighted or not, and their parts, which one table serves."""
    rng = random.Random(31)
    for _ in range(300):
        whole = drawn(rng)
        truth = Misses(whole.sets, whole.weights, "mean")
        names = [name for name in ALL_ON if rng.random() < 0.7 and name not in ("memo", "identity")]
        on, off = (
            whole.search("mean", only("memo", *names, *more)) for more in (("identity",), ())
        )
        assert on.identities is not None
        assert off.identities is None
        for part in [[*range(len(whole.sets))]] + [
            sorted(rng.sample(range(len(whole.sets)), rng.randint(1, len(whole.sets))))
            for _ in range(3)
        ]:
            value = truth.value(sum(1 << i for i in part), -1)
            family = np.array(part, np.int32)
            assert on.solve(family) == off.solve(family) == value, (whole, names, part)


@pytest.mark.parametrize("text", GAMES)
def test_a_wrong_entry_is_seen(text):
    """With no bit compared all families are taken for each other, and the total is another."""
    whole = game(text)
    right, blind = whole.search("mean"), whole.search("mean")
    blind.identities.compared = 0
    assert blind.solve(whole.everything) != right.solve(whole.everything)


def test_it_saves_most_of_the_subsets():
    on, off = (
        game("4x5:3,2").search("mean", switches) for switches in (ALL_ON, without("identity"))
    )
    assert on.solve(game("4x5:3,2").everything) == off.solve(game("4x5:3,2").everything) == 1116
    assert 3 * on.subsets < 2 * off.subsets


def test_where_there_is_one_and_what_it_takes():
    """Little at first, and at most an eighth of the memory; normal forms have that less."""
    whole = game("4x5:3,2")
    search = whole.search("mean")
    assert (search.identities.bytes, search.identities.most) == (1 << 14, 1 << 20)
    search.solve(whole.everything)
    assert search.identities.bytes == 1 << 16
    assert whole.search("worst").identities is None
    assert whole.search("mean", without("memo")).identities is None
    assert [IdentityTable(most).most for most in (0, 1000, 1 << 60)] == [64, 512, 1 << 26]
