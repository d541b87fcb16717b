"""Strategies evaluated where sinkings are announced: the kernel beside every board played alone.

The boards, the replies and the choice of greedy are those of `tests.definition`, which imports
nothing of optsearch.
"""

from collections import Counter
from dataclasses import astuple
from math import log2

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.counting.configurations import Codes, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import ROW_BYTES, FollowedTask, evaluate, tasks
from optsearch.evaluation.runners import KernelRunner, stream_coded_rows
from optsearch.game import CONTACTS, Game
from optsearch.game.orders import ORDERS
from optsearch.game.position import Position, reply
from optsearch.strategies import Level, Rule, Strategy, named
from optsearch.support.errors import TooLarge
from tests.definition import USERS_RULES, Definition, Rules
from tests.examples import AT_SINKING, EVERY_RULE, LABELLED, draws, games, rule_name, sizes, some
from tests.plain import Plain, looking

LARGE = Game.parse("7x7:4,3,2,contact=any,announce=ship")  # above 2^16 configurations


def by_definition(rules, ties, endgame):
    definition = Definition(rules)
    return dict(sorted(definition.played(definition.player(ties, endgame)).items()))


@st.composite
def small_rules(draw, most=60, announce=AT_SINKING):
    """Rules with sinkings announced, with so many configurations, one at least."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    fleet = draw(st.lists(st.integers(1, max(rows, columns, 1)), min_size=1, max_size=4))
    assume(sum(fleet) <= rows * columns)
    holes = draw(st.sets(st.integers(0, rows * columns - 1), max_size=3) | st.just(set()))
    rule = draw(st.sampled_from(announce))
    rules = Rules(
        *(rows, columns, tuple(sorted(fleet, reverse=True)), draw(st.sampled_from(CONTACTS)), rule),
        *(tuple(sorted(holes)), "rectangle", USERS_RULES.get(rule)),
    )
    assume(len(set(holes)) < rows * columns and 0 < len(rules.configurations) <= most)
    return rules


@draws(120, few=5)
@given(small_rules(announce=(*AT_SINKING, *LABELLED)), st.sampled_from(ORDERS), st.integers(0, 6))
def test_random_games(rules, ties, endgame):
    evaluation = evaluate(f"greedy:ties={ties},endgame={endgame}", str(rules))
    assert evaluation.histogram == by_definition(rules, ties, endgame)


@draws(60)
@given(
    games(max_cells=14, announce=AT_SINKING),
    st.sampled_from(["greedy", "greedy:endgame=0,ties=last"]),
)
def test_random_games_with_shapes(game, text):
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 400)
    assert evaluate(text, game).histogram == evaluate(Plain(text), game).histogram


@draws(60)
@given(
    small_rules(most=24, announce=(*AT_SINKING, *LABELLED)),
    *(st.integers(2, 6), st.sampled_from([0, 50, 80]), st.integers(4, 8)),
)
def test_rollouts(rules, candidates, percent, endgame):
    definition = Definition(rules)
    played = definition.played(definition.rollout(candidates, percent, endgame))
    text = f"rollout:candidates={candidates},percent={percent},endgame={endgame}"
    assert evaluate(text, str(rules)).histogram == dict(sorted(played.items()))


@pytest.mark.parametrize("name", ["information", "bisection"])
@pytest.mark.parametrize(
    "rules",
    [
        *[
            Rules(3, 3, (2, 2), contact, rule, tells=USERS_RULES.get(rule))
            for contact in CONTACTS
            for rule in LABELLED
        ],
        Rules(1, 6, ("2a", "2b"), "any", "name"),
        *[Rules(3, 4, (3, 2), "any", rule, tells=USERS_RULES.get(rule)) for rule in LABELLED],
    ],
    ids=lambda rules: f"{rules.fleet}{rules.contact}{rule_name(rules.announce)}",
)
def test_information_of_labels(rules, name):
    """The entropy of all replies, or the smaller of those hit and missed; certain hits at once."""
    definition = Definition(rules)

    def value(state, cell):
        whole, parts = len(state.family), definition.parts(state, cell)
        if name == "bisection":
            missed = len(parts["miss"].family) if "miss" in parts else 0
            return min(missed, whole - missed)
        sizes = sorted(len(part.family) for part in parts.values())
        return -sum(size / whole * log2(size / whole) for size in sizes)

    def choose(state):
        counts = definition.counts(state)
        certain = [cell for cell, n in counts.items() if n == len(state.family)]
        return certain[0] if certain else max(counts, key=lambda cell: value(state, cell))

    histogram = evaluate(name, str(rules)).histogram
    assert histogram == dict(sorted(definition.played(choose).items()))
    assert evaluate(Plain(name), str(rules)).histogram == histogram


def levels_of(strategy):
    """The levels of a rollout, as the definition takes them."""
    return tuple(astuple(level) for level in strategy.lookahead.levels(strategy.depth))


@draws(60, few=5)
@given(
    small_rules(most=16, announce=EVERY_RULE),
    *(st.integers(*accepted) for accepted in [(1, 2), (1, 5), (4, 9), (0, 99), (0, 20), (1, 4)]),
)
def test_levels(rules, depth, width, least, drop, close, kept):
    first, higher = Level(4, 1, drop, 32), Level(least, width, close, kept)
    text = f"levels:candidates=5,percent=30,endgame=4,depth={depth}"
    strategy = looking(text, first=first, higher=higher)
    definition = Definition(rules)
    played = definition.played(definition.rollout(5, 30, 4, levels_of(strategy), until=64))
    assert evaluate(strategy, str(rules)).histogram == dict(sorted(played.items()))


@pytest.mark.parametrize(
    "rules",
    some(
        1,
        [
            Rules(4, 4, (3, 2), announce="sunk"),
            *[Rules(4, 5, (3, 2), announce="sunk"), Rules(4, 4, (3, 2), "any", "sunk")],
            *[Rules(5, 5, (3, 2), announce="ship"), Rules(5, 5, (3, 2), "any", "ship")],
            Rules(4, 5, (2, 2), "corner", "ship"),
        ],
        60,
    ),
    ids=str,
)
def test_levels_of_the_golden_games(rules):
    """As tests/golden/histograms.csv has them."""
    strategy = named("levels:until=300,depth=2")
    definition = Definition(rules)
    played = definition.played(definition.rollout(6, 50, 6, levels_of(strategy), until=300))
    assert evaluate(strategy, str(rules)).histogram == dict(sorted(played.items()))


TWO = Level(64, 2, 0, 1)
ABOVE = "rollout:candidates=5,percent=0,screen=64,finalists=2,cap=64", {"truncate": 3}
SCREENED = "rollout:candidates=4,screen=64,finalists=1,cap=80", {"truncate": 1}
EMPTY = (
    "rollout:candidates=3,percent=0,endgame=4,screen=64,finalists=1,cap=64",
    {"truncate": 30},
)
SIZED = f"{ABOVE[0]},sizes=66-90,rank=spread", ABOVE[1]
NESTED = (
    "nested:candidates=4,screen=64,finalists=3,cap=64,second=80,policy=spread",
    {"truncate": 2, "above": 70, "inner": TWO},
)


@pytest.mark.parametrize(
    ("game", "text", "numbers"),
    some(
        7,
        [
            ("3x4:2,2,contact=any,announce=ship", *ABOVE),
            ("2x6:3,2,contact=any,announce=sunk", *SCREENED),
            ("1x16:1,1,announce=ship", *EMPTY),
            ("3x4:2,2,contact=any,announce=ship", *SIZED),
            ("3x4:2,2,contact=any,announce=ship", *NESTED),
            ("3x4:2a,2b,contact=any,announce=name", *NESTED),
            ("3x4:2,2,contact=any,announce=place", *NESTED),
            ("3x4:2,2,contact=any,announce=sunk", *ABOVE),
            ("2x6:3,2,contact=any,announce=ship", *SCREENED),
            ("1x16:1,1,announce=sunk", *EMPTY),
        ],
        1,
    ),
)
def test_rollouts_on_samples(game, text, numbers):
    """The definition in plain Python beside the kernel; the first game is above both caps."""
    game, strategy = Game.parse(game), looking(text, **numbers)
    evaluation = evaluate(strategy, game)
    assert evaluation.histogram == evaluate(Plain(strategy), game).histogram


def test_rollouts_need_tasks_as_large_as_their_sizes():
    with pytest.raises(TooLarge, match=f"{ROW_BYTES << 17:,} bytes or more .* sizes up to 65536"):
        evaluate("rollout:sizes=1-65537", LARGE, memory=ROW_BYTES << 16)
    small = "5x5:3,2,announce=ship"  # has fewer
    evaluation = evaluate("rollout:sizes=1-65537", small, memory=ROW_BYTES << 16)
    assert evaluation.histogram == evaluate("rollout:sizes=1-4096", small).histogram


@pytest.mark.parametrize("text", ["greedy", "spread:side=60", "rollout:sizes=9-65536"])
def test_twins_are_walked_once(text):
    """As the kernel, which is given all configurations at once and walks every name."""
    game = Game.parse("6x7:3a,3b,2,contact=any,announce=name")
    all_tasks = list(tasks(text, game, ROW_BYTES << 16))
    assert sorted({task.multiplicity for task in all_tasks}) == [1, 2]
    assert (
        sum(task.configurations * task.multiplicity for task in all_tasks)
        == Posterior(game).configurations
    )
    parts = evaluate(text, game, memory=ROW_BYTES << 16)
    assert parts.histogram == evaluate(text, game).histogram


def test_sizes_that_kernels_do_not_keep_in_words():
    """Cells are compared with up to 20 configurations, and not with the 64 of a word."""
    game = "3x4:2,2,contact=any,announce=ship"
    for text in ("rollout:candidates=3,sizes=1-20,endgame=4", "rollout:sizes=9-12,endgame=4"):
        assert evaluate(text, game).histogram == (evaluate(Plain(text), game).histogram)


def test_certain_hits_of_rollouts_that_tell_nothing():
    """Of more than 64 configurations: each of them is shot once."""
    rules = Rules(1, 14, (3, 1, 1), "any", "ship")
    assert len(rules.configurations) > 64
    definition = Definition(rules)
    played = definition.played(definition.rollout(3, 50, 4))
    evaluation = evaluate("rollout:candidates=3,percent=50,endgame=4", str(rules))
    assert evaluation.histogram == dict(sorted(played.items()))


@draws(80)
@given(
    games(max_cells=14, announce=(*AT_SINKING, *LABELLED), boards=["rectangle"]),
    st.sampled_from(["cross", "line", "sunk"]),
    st.sampled_from(["modulus=2,colours=0", "scan=central", "modulus=3,colours=1,scan=spiral"]),
)
@example(Game.parse("1x5:1a,1b,contact=corner,announce=name"), "sunk", "modulus=2,colours=1")
def test_patterns(game, clear, pattern):
    """The kernel beside the definition, which is asked for every shot."""
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 400)
    text = f"pattern:{pattern},clear={clear}"
    assert evaluate(text, game).histogram == evaluate(Plain(text), game).histogram


@pytest.mark.parametrize("announce", [*AT_SINKING, *LABELLED], ids=rule_name)
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("text", ["greedy:ties=central,endgame=0", "spread", "information"])
@sizes("fleet", "2,2", "3,2,2", 4)
def test_tasks_of_any_size(monkeypatch, contact, announce, text, fleet):
    """Wherever the top of the tree ends and the kernel begins, the histogram is the same."""
    game = Game.parse(f"3x5:{fleet},contact={contact},announce={announce}")
    evaluation = evaluate(text, game)
    assert evaluation.tasks == 1
    for limit in (10, 17, 40):  # the endgame is in tasks, so they are no smaller
        monkeypatch.setattr(KernelRunner, "task_limit", lambda self, memory, limit=limit: limit)
        parts = evaluate(text, game)
        assert parts.histogram == evaluation.histogram
        assert parts.tasks > 1
        for task in tasks(text, game):
            assert Posterior(task.position).configurations == task.configurations


@draws(40)
@given(small_rules(most=200), st.data())
def test_coded_configurations(rules, data):
    """The configurations of a position with sinkings are listed once each, with their ships."""
    game, position = Game.parse(str(rules)), Position(Game.parse(str(rules)))
    hidden = data.draw(st.sampled_from(sorted(rules.configurations)))
    open_cells = [cell for cell in range(game.cells) if not game.holes >> cell & 1]
    order = data.draw(st.permutations(open_cells))
    for cell in order[: data.draw(st.integers(0, len(order)))]:
        answer = reply(game, hidden, position.hits, 1 << cell)
        position = position.after(game.cell(cell), answer)
    rows = np.concatenate(list(stream_coded_rows(position)))
    codes = Codes.of(game)
    configurations = [codes.ships(game, code) for code in to_masks(rows[:, 2:])]
    assert [sum(ships) for ships in configurations] == to_masks(rows[:, :2])
    expected = {
        tuple(sorted(ships)) for ships in rules.configurations if position.is_compatible(ships)
    }
    assert Counter(tuple(sorted(ships)) for ships in configurations) == dict.fromkeys(expected, 1)


def test_one_configuration_followed():
    for game in (
        "4x4:3,2,contact=any,announce=ship",
        "3x5:2,2,1,announce=sunk",
        "3x4:2a,2b,contact=any,announce=name",
    ):
        for text in ("greedy:endgame=6", "greedy:endgame=0", "spread:side=30"):
            tree, histogram = FollowedTask(text, Position(Game.parse(game))), Counter()
            for index in range(tree.configurations):
                histogram[tree.shots(index)] += 1
                assert tree.shots_of(tree.ships(index)) == tree.shots(index)
            assert dict(sorted(histogram.items())) == evaluate(text, game).histogram


def test_ships_of_one_fleet_in_several_words():
    """Codes of more than one word: 10 ships of 7 bits each, and the last does not fit any more."""
    game = Game.parse("8x8:1,1,1,1,1,1,1,1,1,1,1,announce=sunk")
    assert Codes.of(game).words == 2
    small = "3x4:1,1,1,1,1,1,1,1,1,1,contact=any,announce=ship"
    assert evaluate("greedy", small).histogram == {
        10: 1,
        11: 10,
        12: 55,
    }


def test_a_rule_of_ones_own():
    """It is played as the position is asked, where sinkings are announced too."""

    class GreedyRule(Strategy):
        def shot(self, position):
            return named("greedy:endgame=3").shot(position)

        def rule(self, game):
            return Rule(tuple(range(game.cells)), 3)

    for game in ("3x4:3,2,announce=sunk", "3x4:2,2,contact=any,announce=ship"):
        assert evaluate(GreedyRule(), game).histogram == (
            evaluate("greedy:endgame=3", game).histogram
        )
