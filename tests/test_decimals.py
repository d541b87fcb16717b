"""Bounds as decimal numbers: what is printed still holds."""

import doctest
from fractions import Fraction

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from optsearch.cli.command import app
from optsearch.results import bracket
from optsearch.results.tables import TABLES
from optsearch.support import decimals
from optsearch.support.decimals import bound_in_bracket, decimal, mean_bracket_text, short_bound

SIDES = st.sampled_from(["lower", "upper"])


def holds(text, value, side):
    return Fraction(text) <= value if side == "lower" else Fraction(text) >= value


@given(st.fractions(), SIDES, st.integers(0, 12))
def test_open_bounds(value, side, places):
    text = decimal(value, side, places)
    assert holds(text, value, side)
    assert abs(Fraction(text) - value) < Fraction(1, 10**places)
    assert len(text.partition(".")[2]) == places


def test_exact_means_are_printed_to_the_nearest_digit():
    for command in ("greedy 4x5:4,3,2", "solve 4x5:4,3,2 --all-shots"):
        assert "11.306818" in CliRunner().invoke(app, command.split()).stdout  # of 995/88


@given(st.one_of(st.fractions(), st.decimals(-100, 100, places=3).map(Fraction)), SIDES)
def test_brief(value, side):
    text = short_bound(value, side)
    exact = (value * 10**4).denominator == 1
    assert (Fraction(text) == value) == exact
    assert holds(text, value, side)
    assert not (exact and "." in text and text.endswith("0"))


def test_ends_that_meet_are_printed_alike():
    ends = Fraction(497, 44)
    assert {bound_in_bracket(ends, side, ends, ends) for side in ("lower", "upper")} == {
        "11.295455"
    }
    assert bound_in_bracket(ends, "lower", ends, None) == "11.295454"
    assert bound_in_bracket(ends, "lower", ends, ends + 1) == "11.295454"


@given(st.integers(0, 999), st.integers(0, 99), st.integers(1, 999))
def test_a_mean_that_is_open(lower, more, weight):
    words = mean_bracket_text(lower, lower + more, weight).split()
    assert holds(words[3], Fraction(words[1]), "lower")
    assert holds(words[7], Fraction(words[5]), "upper")


def test_examples():
    assert doctest.testmod(decimals).failed == 0


@pytest.mark.parametrize(
    "text", ["4x4:3,2", "4x5:4,3,2", "4x4:3,2,contact=any,announce=ship", "3x3:2"]
)
def test_bounds_on_a_page(call_command, text):
    """What is not marked as equal holds as it is printed."""
    known = bracket.bounds(text)
    out = call_command("bounds", text, "--all")[1]
    marks = {"*"} if known.lower < known.upper else {"="}
    for bound in known.bounds:
        mark, printed = known.mark(bound), known.decimal(bound)
        assert f"{mark} {printed}  {bound.name}" in out
        assert holds(printed, bound.value, bound.side) or mark == "="
        assert mark in marks or (mark == " " and not known.is_binding(bound))
    assert f"bracket  {known.text}, " in out


@pytest.mark.parametrize("path", [*TABLES["bracket"].all()], ids=lambda path: path.stem)
def test_the_committed_bounds_hold_as_they_are_printed(path):
    for row in TABLES["bracket"].read(path):
        assert f"{row['value']:.6f}" == decimal(row["value_exact"], row["side"]), row["name"]
