"""Bounds as decimal numbers: what is printed still holds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.decimals import between, brief, outward
from optsearch.results import BOXED_BRACKET, BRACKET

SIDES = st.sampled_from(["lower", "upper"])


def holds(text, value, side):
    return Fraction(text) <= value if side == "lower" else Fraction(text) >= value


@given(st.fractions(), SIDES, st.integers(0, 12))
def test_outward(value, side, places):
    text = outward(value, side, places)
    assert holds(text, value, side)
    assert abs(Fraction(text) - value) < Fraction(1, 10**places)
    assert len(text.partition(".")[2]) == places


@given(st.one_of(st.fractions(), st.decimals(-100, 100, places=3).map(Fraction)), SIDES)
def test_brief(value, side):
    text = brief(value, side)
    exact = (value * 10**4).denominator == 1
    assert (Fraction(text) == value) == exact
    assert holds(text, value, side)
    assert not (exact and "." in text and text.endswith("0"))


def test_ends_that_meet_are_printed_alike():
    ends = Fraction(497, 44)
    assert {between(ends, side, ends, ends) for side in ("lower", "upper")} == {"11.295455"}
    assert between(ends, "lower", ends, None) == "11.295454"
    assert between(ends, "lower", ends, ends + 1) == "11.295454"


@pytest.mark.parametrize("table", [BRACKET, BOXED_BRACKET], ids=lambda table: table.name)
def test_the_committed_bounds_hold_as_they_are_printed(table):
    for row in table.read():
        assert f"{row['value']:.6f}" == outward(row["value_exact"], row["side"]), row["name"]
