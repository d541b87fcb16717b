"""The tool that puts faults into the code: what it changes, and that a fault is met."""

import ast
from fractions import Fraction

import pytest

from optsearch.support import decimals

pytest.importorskip("coverage")
from tests import mutants

SOURCE = '''
def least(numbers: int, most=3):
    """2 + 2"""
    if numbers < 2 and not most:
        print("few")
        return -1
    return numbers + 1 if True else f"{1 + 1}"
'''


def test_what_is_changed():
    words = [word for *_, word, _ in mutants.nodes_of(ast.parse(SOURCE))]
    assert words == [
        *("And to Or", "Lt to LtE", "2 + 1", "no Not", "no call", "return None", "no USub"),
        *("1 + 1", "return None", "the other of two", "not True", "Add to Sub", "1 + 1"),
    ]


def test_a_mutant_is_put_into_the_process():
    every = mutants.mutants_of(mutants.ROOT / "optsearch" / "support" / "decimals.py")
    (mutant,) = [m for m in every if (m.function, m.word) == ("exact_mean", "return None")]
    code, right = decimals.exact_mean.__code__, decimals.exact_mean(Fraction(7, 2))
    try:
        assert mutant.put()
        assert decimals.exact_mean(Fraction(7, 2)) is None
    finally:
        decimals.exact_mean.__code__ = code
    assert decimals.exact_mean(Fraction(7, 2)) == right
