"""Scores: the function that the kernels call, beside the same function in plain Python."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.counting.prior import one_by_one
from optsearch.evaluation import FollowedTask, Task, evaluate, run_task, tasks
from optsearch.game import Game
from optsearch.game.orders import ORDERS
from optsearch.game.position import Position
from optsearch.play.simulate import simulate
from optsearch.strategies import Level, named
from optsearch.strategies.score import Score
from optsearch.support.errors import StrategyError
from tests.examples import ANYWHERE, EVERY_RULE, draws, games, positions, some
from tests.ideas import everything, mixing, most, most_cell
from tests.plain import Plain, looking

GAME = Game.parse("5x5:3,2")


def both(score, game):
    """The histogram by the kernel, which is that of the definition."""
    found = evaluate(score, game).histogram
    assert found == evaluate(Plain(score), game).histogram
    return found


@draws(60, few=3)
@given(games(max_cells=16, announce=EVERY_RULE), st.sampled_from(ORDERS), st.integers(0, 5))
def test_greedy_as_a_score(game, ties, endgame):
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 400)
    assume(game.is_rectangle or ties in ANYWHERE)
    greedy = evaluate(f"greedy:ties={ties},endgame={endgame}", game).histogram
    for function in (most, most_cell):
        if function is most or ties == "first":
            assert evaluate(Score(function, ties=ties, endgame=endgame), game).histogram == greedy


@draws(80, few=4)
@given(
    games(max_cells=16, announce=EVERY_RULE),
    st.builds(
        Score,
        st.just(everything),
        st.tuples(st.integers(0, 1000)),
        endgame=st.integers(0, 5),
        least=st.sampled_from([0, 3]),
        ties=st.sampled_from(ORDERS),
        certain=st.booleans(),
        labels=st.booleans(),
    ),
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_node_is_that_of_the_definition(game, score):
    """A score that makes something else of every node: one number wrong, and the shots differ."""
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 300)
    assume(game.is_rectangle or score.ties in ANYWHERE)
    both(score, game)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("rules", some(1, ["", ",contact=any,announce=ship,holes=A1"], 2))
def test_of_more_than_a_word(rules):
    """Families of more than 64 configurations are columns of several words."""
    both(Score(everything, (5,), labels=True, certain=True), Game.parse(f"4x5:3,2{rules}"))


@pytest.mark.parametrize("name", ["bisection", "information", "spread:side=30,least=64"])
@pytest.mark.parametrize(
    "game", some(2, ["3x4:2,2", "3x4:2,2,contact=any,announce=ship", "4x4:3,2"], 2)
)
def test_those_of_the_package(name, game):
    both(named(name), Game.parse(game))


def test_the_top_of_the_tree_and_tasks():
    """Above the tasks the definition is asked; tasks begin with hits and misses behind them."""
    game = Game.parse("7x7:3,2,2")
    score = Score(most)
    found = evaluate(score, game, memory=1 << 22)
    assert found.tasks > 1
    assert found.histogram == evaluate("greedy", game).histogram


@pytest.mark.filterwarnings("ignore:overflow")
def test_single_configurations_followed():
    score = Score(everything, (1,), labels=True)
    for text in ("5x5:3,2", "4x5:3,2,contact=any,announce=ship"):
        position = Position.parse(Game.parse(text), "C3=miss")
        task = FollowedTask(score, position)
        shots = [task.shots(i) for i in range(0, task.configurations, 50)]
        whole = next(iter(tasks(score, position.game)))._replace(
            shots=str(position), configurations=task.configurations
        )
        histogram = run_task(score, whole)
        assert all(histogram[n] for n in shots)
        assert np.bincount([task.shots(i) for i in range(task.configurations)]).tolist() == [
            *histogram[: max(i for i, n in enumerate(histogram) if n) + 1]
        ]


@draws(40)
@given(st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_tasks_that_begin_in_the_middle(data):
    """The shots before are told, and cells that these made certain; weights are counted."""
    position = data.draw(positions(max_cells=16, max_configurations=200, announce=EVERY_RULE))
    assume(position.hits_left)
    configurations = sum(1 for _ in reference.configurations(position))
    task = Task(position.game, str(position), configurations)
    by = one_by_one(position.game) if data.draw(st.booleans()) else None
    found, defined = (run_task(one, task, prior=by) for one in (mixing, Plain(mixing)))
    shots = max(len(found), len(defined))
    assert [*found, *[0] * (shots - len(found))] == [*defined, *[0] * (shots - len(defined))]


def test_constants_need_no_compiling():
    def likely_or_last(node, scores):
        for cell in range(len(scores)):
            scores[cell] = node.constants[0] * node.having[cell] + cell

    game = Game.parse("3x4:2,2")
    greedy, last = (both(Score(likely_or_last, (factor,)), game) for factor in (100, 0))
    assert greedy == evaluate("greedy:ties=last", game).histogram != last


def test_simulated(tmp_path):
    played = simulate(["greedy", Score(most)], GAME, games=50, seed=3)
    assert played.outcomes[0].shots.tolist() == played.outcomes[1].shots.tolist()


IDEAS = Path(__file__).with_name("ideas.py")
MIXED = [
    f"policy={IDEAS}:mixing",
    f"policy={IDEAS}:mixing_above",
    f"rank={IDEAS}:mixing",
    f"rank={IDEAS}:mixing,policy={IDEAS}:greedy",
]


PLAYED = [
    ("rollout:candidates=3,percent=30", "3x4:2,2"),
    ("rollout:candidates=4,percent=0", "3x4:2,2,contact=any,announce=ship"),
    ("rollout:candidates=3,screen=64,finalists=2,cap=64", "4x4:2,2"),
    ("rollout:screen=64,cap=64", "3x4:2,2,contact=any,announce=sunk"),
    ("nested:candidates=3,screen=64,finalists=2,cap=64,second=64", "4x4:2,1"),
    ("levels:candidates=3,screen=64,cap=64,until=70,depth=2", "4x4:2,1"),
    ("levels:candidates=3,screen=64,cap=64,until=70,depth=2", "3x4:2,1,announce=sunk"),
]


QUICK = {(0, 0), (1, 2), (6, 3)}  # of these and MIXED, what is not for `make test-long`


@pytest.mark.parametrize(
    ("options", "game", "scores"),
    [
        pytest.param(*one, scores, marks=() if (i, k) in QUICK else pytest.mark.long(10))
        for i, one in enumerate(PLAYED)
        for k, scores in enumerate(MIXED)
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_rollouts_by_scores(options, game, scores):
    """As what ranks the candidates, and as what is played out; exact, on samples, and nested."""
    numbers = {"truncate": 3, "above": 64, "higher": Level(6, 3, 2, 6)}
    both(looking(f"{options},{scores}", **numbers), Game.parse(game))


@pytest.mark.parametrize("percent", [0, 50])
def test_rollouts_by_a_score_that_may_be_infinite(percent):
    """All cells are candidates for 0 percent of an infinite score, which is no number."""
    both(named(f"rollout:percent={percent},rank={IDEAS}:infinite"), Game.parse("3x4:2,2"))


@pytest.mark.parametrize("game", ["6x6:3,2", "5x5:3,2,announce=ship"])
def test_rollouts_by_greedy_as_a_score(game):
    by_score = evaluate(f"rollout:rank={IDEAS}:greedy,policy={IDEAS}:greedy", game)
    assert by_score.histogram == evaluate("rollout", game).histogram


def test_rollouts_that_are_told_what_is_no_score():
    with pytest.raises(StrategyError, match="'greedy' plays by no score; spread"):
        named("rollout:policy=greedy")
    with pytest.raises(StrategyError, match="where scores are asked for"):
        evaluate(f"rollout:rank={IDEAS}:cell", GAME)


@pytest.mark.parametrize("by", ["rank", "policy"])
def test_wrong_answers_of_rollouts_above_their_tasks(by):
    """Where the top of the tree is shot by samples, an answer that is wrong ends it."""
    rollout = named(f"rollout:{by}={IDEAS}:unusable,screen=64,cap=64")
    with pytest.raises(StrategyError, match=r"gives .* a score that is not a number"):
        list(tasks(rollout, Game.parse("7x7:3,2,2"), memory=1 << 22))


# What is refused


def nan(node, scores):
    scores[:] = np.nan


def shot_before(node):
    return 12


def off_the_board(node):
    return 25


def before_the_board(node):
    return -5


def fails(node):
    if node.configurations > 1:
        raise ValueError("no idea")
    return 0


def reads_beyond(node):
    return node.state[len(node.state) + 1]


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (nan, "gives A1 a score that is not a number on the empty board"),
        (shot_before, "shoots C3, which was shot before or is in no configuration, after 'C3="),
        (off_the_board, "answers 25, which is not a cell of the board, on the empty board"),
        (before_the_board, "answers -5, which is not a cell of the board, on the empty board"),
        (fails, "ValueError: no idea"),
        (reads_beyond, "IndexError: index 26 is out of bounds"),
    ],
)
def test_wrong_answers(function, part):
    score = Score(function)
    with pytest.raises(StrategyError, match=function.__name__):
        [FollowedTask(score, Position(GAME)).shots(index) for index in (0, 80, 200)]
    with pytest.raises(StrategyError) as error:
        evaluate(score, GAME)
    assert part in str(error.value)
    assert function.__name__ in str(error.value)
    with pytest.raises(StrategyError, match=function.__name__):
        evaluate(score, Game.parse("5x5:3,2,announce=sunk"))
    with pytest.raises(StrategyError, match=function.__name__):
        evaluate(Plain(score), GAME)


def writes(node, scores):
    node.constants[0] += 1


def returns_minus_one(node):
    return -1 if node.configurations > 1 else 0


def huge(node):
    return 1 << 40


def part_of_a_cell(node):
    return 0.5 * node.columns


def both_at_once(node, scores):
    scores[0] = 1
    return 3


@pytest.mark.parametrize(
    ("function", "by_kernel", "by_definition"),
    [
        (writes, "changes of the node are not", "is read-only"),
        (returns_minus_one, "a negative or huge number", "a negative or huge number"),
        (huge, "a negative or huge number, which is not a cell", "which is not a cell"),
        (part_of_a_cell, "part_of_a_cell returns a value of the type float64", "(2.5)"),
        (both_at_once, "both_at_once returns a value of the type int64", "returns 3"),
    ],
)
def test_what_neither_kernel_nor_definition_accepts(function, by_kernel, by_definition):
    score = Score(function, (1,))
    for strategy, part in ((score, by_kernel), (Plain(score), by_definition)):
        with pytest.raises(StrategyError) as error:
            evaluate(strategy, GAME)
        assert part in str(error.value)


def test_division_by_zero_is_infinite_in_both():
    def divides(node, scores):
        for cell in range(len(scores)):
            scores[cell] = node.having[cell] / (node.columns - 5) + cell // (node.rows - 5)

    both(Score(divides), Game.parse("5x5:2"))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"endgame": 11}, "endgame=11 is out of range; 0 to 10"),
        ({"endgame": "4"}, "endgame='4' is out of range"),
        ({"least": -1}, "least=-1 is out of range"),
        ({"least": 1.5}, "least=1.5 is out of range"),
        ({"ties": "most"}, "ties='most'; first, checkerboard, central, last are accepted"),
        ({"labels": "yes"}, "labels='yes'; True and False are accepted"),
        ({"constants": 3}, "constants=3 is not a tuple"),
        ({"constants": (1, "2")}, "constants[1]='2' is not a number"),
        ({"constants": (np.nan,)}, "constants[0]=nan is not a number"),
        ({"constants": (10**400,)}, "is not a number"),
    ],
)
def test_options_that_are_refused_when_it_is_made(options, part):
    with pytest.raises(StrategyError) as error:
        Score(most, **options)
    assert part in str(error.value)


@pytest.mark.parametrize("function", [lambda: 0, lambda a, b, c: 0, 7, "most"])
def test_what_is_no_function(function):
    with pytest.raises(StrategyError, match=r"f\(node\) and f\(node, scores\) are accepted"):
        Score(function)


def test_a_function_of_a_node_that_is_no_score_yet():
    with pytest.raises(StrategyError, match=r"takes two arguments .*as Score\(function\)"):
        named(f"{IDEAS}:most")


def test_what_numba_cannot_compile():
    def texts(node):
        return {"a": [node]}[0]

    with pytest.raises(StrategyError, match="texts cannot be compiled by numba"):
        evaluate(Score(texts), GAME)
