"""Games that the first hit ends: beside the definition, which tries all shots."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from optsearch import evaluate, solve
from optsearch.check import reference, trees
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.position import Position
from optsearch.results.bracket import bounds
from optsearch.search import first_hit
from tests.definition import USERS_RULES, Definition, Rules

RULES = {**dict.fromkeys(ANNOUNCEMENTS), **USERS_RULES}


def drawn(rng, most=60):
    """A random small game that ends with its first hit, and some misses."""
    while True:
        rows, columns = rng.choice(((1, 5), (2, 3), (2, 4), (3, 3), (3, 4)))
        longest = min(4, max(rows, columns))
        fleet = sorted((rng.randint(1, longest) for _ in range(rng.randint(1, 3))), reverse=True)
        announce = rng.choice(list(RULES))
        contact = rng.choice(("none", "corner", "any"))
        rules = Rules(rows, columns, tuple(fleet), contact, announce, tells=RULES[announce])
        rules = replace(rules, ends="hit")
        if sum(fleet) > rules.cells or not 1 <= len(rules.configurations) <= most:
            continue
        hidden = rng.choice(sorted(rules.configurations))
        water = [cell for cell in range(rules.cells) if not sum(hidden) >> cell & 1]
        misses = rng.sample(water, min(rng.randint(0, 2), len(water)))
        return rules, [(cell, "miss") for cell in misses]


@pytest.fixture(params=["search", "programme"])
def method(request, monkeypatch):
    """All games by the search, and all by the programme."""
    is_search = request.param == "search"
    monkeypatch.setattr(first_hit, "FEW", 10**9 if is_search else 0)
    monkeypatch.setattr(first_hit, "SHORT", 10**9 if is_search else 0)
    return request.param


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(n, marks=pytest.mark.long(1)) for n in range(20, 500))]
)
def test_the_optima_are_those_of_the_definition(seed, method):
    rng = random.Random(seed)
    rules, shots = drawn(rng, 60 if method == "search" else 12)
    definition, game = Definition(rules, shots), Game(str(rules))
    position = Position(game, " ".join(f"{rules.name(cell)}={reply}" for cell, reply in shots))
    root, number = definition.root, len(definition.root.family)
    within, worst = rng.randint(0, rules.cells), definition.worst()
    mean = solve(position)
    assert (mean.total_height, mean.configurations) == (definition.optimum(root), number)
    assert [game.bit(cell).bit_length() - 1 for cell in mean.best_shots] == sorted(
        definition.best(root)
    )
    last = solve(position, objective="worst")
    assert (last.worst, last.total_height) == (worst, definition.lasting(root, worst))
    most = solve(position, objective=f"within={within}")
    assert most.finished == definition.finished(root, within)
    for solution in (mean, last, most):
        total = trees.verify(solution.tree())
        assert solution.total_height in (total, None)
        slow = reference.solve(position, solution.objective)
        assert (slow.value_text, slow.best_shots) == (solution.value_text, solution.best_shots)
        if solution is most:
            histogram = solution.tree().histogram
            assert sum(n for k, n in histogram.items() if k <= within) == most.finished
    greedy = evaluate("greedy:endgame=0", position)

    def most_probable(state):
        counts = definition.counts(state)
        return max(counts, key=counts.get)

    assert greedy.histogram == dict(definition.played(most_probable))
    bracket = bounds(position)
    assert bracket.lower <= Fraction(mean.total_height, number) <= bracket.upper
