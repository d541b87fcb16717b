"""The policy for a limit of shots: its definition in plain Python, greedy, the optimum."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.position import Position
from optsearch.strategies import within
from optsearch.strategies.within import Within, family_of
from tests.definition import Definition
from tests.examples import draws
from tests.test_evaluate_announced import small_rules


@draws(60, few=6)
@given(
    small_rules(most=40, announce=tuple(ANNOUNCEMENTS)),
    *(st.integers(0, 4), st.integers(1, 5), st.sampled_from([0, 30, 80])),
)
def test_the_games_are_those_of_the_definition(rules, more, candidates, percent):
    shots = sum(Game.parse(str(rules)).fleet) + more
    text = f"within:shots={shots},candidates={candidates},percent={percent}"
    expected = Definition(rules).within(shots, candidates, percent)
    assert evaluate(text, str(rules)).histogram == dict(sorted(expected.items()))


def test_better_than_greedy_and_not_optimal():
    """So the policy is not greedy, and not the optimum."""
    game = Game.parse("4x4:3,2,contact=any,announce=ship")
    greedy, found = (evaluate(name, game) for name in ("greedy:endgame=0", "within:shots=8"))
    won = [sum(n for shots, n in one.histogram.items() if shots <= 8) for one in (greedy, found)]
    assert won == [103, 115]  # and 117 by `optsearch solve --objective within=8`


def test_above_the_cap_a_most_probable_cell():
    game = Game.parse("3x4:3,2,contact=any,announce=ship")
    position = Position(game)
    counts = Posterior(position).occurrence.ravel().tolist()
    assert Within(shots=7, cap=50).shot(position) == game.cell(counts.index(max(counts)))
    large = Position(Game.parse("10x10:5,4,3,3,2"))
    assert Within().shot(large) == (0, 4)  # 382,685,666 + …: Figure 2 of the paper


def test_positions_in_any_order(monkeypatch):
    """The families of the last position are those of another only where they are its beginning."""
    game, other = Game.parse("3x4:3,2,announce=ship"), Game.parse("3x4:3,2,announce=sunk")
    asked = [Position.parse(game, text) for text in ("A1=miss", "A1=hit", "A1=miss B2=hit", "")]
    asked += [Position(other), Position.parse(game, "A1=hit B1=hit")]

    @cache
    def alone(position):
        monkeypatch.setitem(within._last_path, "path", [])
        return family_of(position).count_by_cell()

    expected = {position: alone(position) for position in asked}
    for position in (*asked, *reversed(asked)):
        assert family_of(position).count_by_cell() == expected[position]
