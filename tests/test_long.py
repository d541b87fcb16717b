"""What takes long, run by `make test-long`: the paper's hardest game, and larger ones."""

import pytest

from optsearch.check import paper
from optsearch.check.trees import verify
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.search import solver

pytestmark = pytest.mark.long(90)


def test_the_papers_method_on_its_hardest_game():
    """Table 1 and section 5; a minute and 1.6 GiB. The states are a regression signature."""
    position = Position(Game.parse("4x5:4,3,2"))
    found = paper.solve(position)
    assert found.mean_text == "994/88"
    assert found.nodes == 51_301_439
    assert found.best_shots == solver.solve(position).best_shots


@pytest.mark.parametrize(("game", "mean"), [("6x6:2", "648/60"), ("6x6:4,3", "9861/768")])
def test_past_the_paper(game, mean):
    """Computed by the solver; the tree, replayed on every configuration, shows it is reached."""
    solution = solver.solve(Position(Game.parse(game)))
    assert solution.mean_text == mean
    tree = solution.tree()
    assert verify(tree) == tree.total_height == solution.total_height
    assert tree.configurations == solution.configurations
