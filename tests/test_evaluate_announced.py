"""Strategies evaluated where sinkings are announced: the kernel beside every board played alone.

The boards, the replies and the choice of greedy are those of `tests.definition`, which imports
nothing of optsearch.
"""

import signal
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product as pairs

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.cli.answers import json_text
from optsearch.cli.evaluating import answer_of
from optsearch.counting.configurations import Codes, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import BYTES, FollowedTask, evaluate, tasks
from optsearch.evaluation.runners import Announced, coded
from optsearch.game import CONTACTS, Game, bits
from optsearch.game.orders import ORDERS
from optsearch.game.position import Position, play, reply
from optsearch.strategies import Rule, Strategy, named
from optsearch.support.errors import TableError, TooLarge
from tests.definition import Definition, Rules
from tests.examples import draws, games, sizes, some
from tests.plain import Plain
from tests.processes import run_command

TOLD = ("sunk", "ship")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
LARGE = Game.parse("7x7:4,3,2,contact=any,announce=ship")  # above 2^16 configurations


def by_definition(rules, ties, endgame):
    definition = Definition(rules)
    return dict(sorted(definition.played(definition.player(ties, endgame)).items()))


@st.composite
def small_rules(draw, most=60):
    """Rules with sinkings announced, with so many configurations, one at least."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    fleet = draw(st.lists(st.integers(1, max(rows, columns, 1)), min_size=1, max_size=4))
    assume(sum(fleet) <= rows * columns)
    holes = draw(st.sets(st.integers(0, rows * columns - 1), max_size=3) | st.just(set()))
    rules = Rules(
        *(rows, columns, tuple(sorted(fleet, reverse=True))),
        *(draw(st.sampled_from(CONTACTS)), draw(st.sampled_from(TOLD)), tuple(sorted(holes))),
    )
    assume(len(set(holes)) < rows * columns and 0 < len(rules.configurations) <= most)
    return rules


@draws(120, few=5)
@given(small_rules(), st.sampled_from(ORDERS), st.integers(0, 6))
def test_random_games(rules, ties, endgame):
    found = evaluate(f"greedy:ties={ties},endgame={endgame}", str(rules), jobs=1)
    assert found.histogram == by_definition(rules, ties, endgame)


@draws(60)
@given(
    games(max_cells=14, announce=TOLD), st.sampled_from(["greedy", "greedy:endgame=0,ties=last"])
)
def test_random_games_with_shapes(game, text):
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 400)
    assert evaluate(text, game, jobs=1).histogram == evaluate(Plain(text), game, jobs=1).histogram


@draws(60)
@given(small_rules(most=24), st.integers(2, 6), st.sampled_from([0, 50, 80]), st.integers(4, 8))
def test_rollouts(rules, candidates, percent, endgame):
    definition = Definition(rules)
    played = definition.played(definition.rollout(candidates, percent, endgame))
    text = f"rollout:candidates={candidates},percent={percent},endgame={endgame}"
    assert evaluate(text, str(rules), jobs=1).histogram == dict(sorted(played.items()))


ABOVE = "candidates=5,percent=0,screen=64,finalists=2,cap=64,truncate=3"
SCREENED = "candidates=4,screen=64,finalists=1,cap=80,truncate=1"
EMPTY = "candidates=3,percent=0,endgame=4,screen=64,finalists=1,cap=64,truncate=30"


@pytest.mark.parametrize(
    ("game", "options"),
    some(
        4,
        [
            ("3x4:2,2,contact=any,announce=ship", ABOVE),
            ("2x6:3,2,contact=any,announce=sunk", SCREENED),
            ("1x16:1,1,announce=ship", EMPTY),
            ("3x4:2,2,contact=any,announce=ship", f"{ABOVE},sizes=66-90,rank=spread"),
            ("3x4:2,2,contact=any,announce=sunk", ABOVE),
            ("2x6:3,2,contact=any,announce=ship", SCREENED),
            ("1x16:1,1,announce=sunk", EMPTY),
        ],
        1,
    ),
)
def test_rollouts_on_samples(game, options):
    """The definition in plain Python beside the kernel; the first game is above both caps."""
    game = Game.parse(game)
    text = f"rollout:{options}"
    assert evaluate(text, game, jobs=1).histogram == evaluate(Plain(text), game, jobs=1).histogram


@draws(40)
@given(
    small_rules(most=70),
    *(st.integers(2, 4), st.integers(1, 30), st.integers(0, 20)),
    st.sampled_from(["", ",policy=spread", ",rank=spread", ",rank=spread,policy=spread"]),
)
def test_rollouts_of_some_sizes(rules, candidates, least, more, scores):
    game, most = Game.parse(str(rules)), least + more
    text = f"rollout:candidates={candidates},endgame=4,sizes={least}-{most}{scores}"
    assert evaluate(text, game, jobs=1).histogram == evaluate(Plain(text), game, jobs=1).histogram


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("rollout:candidates=2,sizes=17-4096", "3x4:3,2,2,contact=any,announce=ship"),
        ("rollout:candidates=4,percent=80,endgame=4", "4x4:4,3,1,contact=any,announce=sunk"),
    ],
)
def test_rollouts_of_parts_that_only_their_sinkings_tell_apart(text, game):
    """What a part of more than 16 configurations misses is kept by hits, misses and sinkings.

    In the second game a ship sinks in all configurations left, which tells nothing more.
    """
    assert evaluate(text, game, jobs=1).histogram == evaluate(Plain(text), game, jobs=1).histogram


def test_rollouts_need_tasks_as_large_as_their_sizes():
    with pytest.raises(TooLarge, match=f"{BYTES << 17:,} bytes or more .* sizes up to 65536"):
        evaluate("rollout:sizes=1-65537", LARGE, jobs=1, memory=BYTES << 16)
    small = "5x5:3,2,announce=ship"  # has fewer
    few = evaluate("rollout:sizes=1-65537", small, jobs=1, memory=BYTES << 16)
    assert few.histogram == evaluate("rollout:sizes=1-4096", small, jobs=1).histogram


def test_sizes_that_kernels_do_not_keep_in_words():
    """Cells are compared with up to 20 configurations, and not with the 64 of a word."""
    game = "3x4:2,2,contact=any,announce=ship"
    for text in ("rollout:candidates=3,sizes=1-20,endgame=4", "rollout:sizes=9-12,endgame=4"):
        assert evaluate(text, game, jobs=1).histogram == (
            evaluate(Plain(text), game, jobs=1).histogram
        )


def test_certain_hits_of_rollouts_that_tell_nothing():
    """Of more than 64 configurations: each of them is shot once."""
    rules = Rules(1, 14, (3, 1, 1), "any", "ship")
    assert len(rules.configurations) > 64
    definition = Definition(rules)
    played = definition.played(definition.rollout(3, 50, 4))
    found = evaluate("rollout:candidates=3,percent=50,endgame=4", str(rules), jobs=1)
    assert found.histogram == dict(sorted(played.items()))


def spreading(rules, side, border, corner, early, many, least):
    """The histogram of `spread` by its definition: boards parted by reply."""
    percents = [Fraction(percent, 100) for percent in (side, border, corner, early)]
    found = Counter()

    def factor(cell, missed, size):
        row, column = divmod(cell, rules.columns)
        product = Fraction(1)
        for down, right in pairs((-1, 0, 1), (-1, 0, 1)):
            a, b = row + down, column + right
            at = a * rules.columns + b
            is_cell = 0 <= a < rules.rows and 0 <= b < rules.columns and at not in rules.holes
            if down and right:
                product *= percents[2 + (size > many)] if is_cell and at in missed else 1
            elif down or right:
                product *= percents[1] if not is_cell else percents[0] if at in missed else 1
        return round(2**16 * product)

    def walk(family, hits, missed, shots):
        counts = Counter(cell for ships in family for cell in bits(sum(ships) & ~hits))
        if not counts:
            found[shots] += len(family)
            return
        best = min(counts, key=lambda cell: (-counts[cell], cell))
        if counts[best] < len(family) > least:
            factors = {cell: factor(cell, missed, len(family)) for cell in counts}
            best = min(counts, key=lambda cell: (-counts[cell] * factors[cell], cell))
        parts = defaultdict(list)
        for ships in family:
            parts[rules.reply(ships, hits, best)].append(ships)
        for answer, part in parts.items():
            is_hit = answer != "miss"
            walk(part, hits | is_hit << best, missed if is_hit else missed | {best}, shots + 1)

    walk(list(rules.configurations), 0, frozenset(), 0)
    return dict(sorted(found.items()))


@pytest.mark.parametrize(
    ("rules", "percents"),
    [
        pytest.param(
            *(Rules(4, 4, (3, 2, 2), "any", "ship"), (75, 80, 116, 104, 300, 64)),
            marks=pytest.mark.long(2),
        ),
        pytest.param(
            *(Rules(3, 5, (3, 2, 2), "any", "sunk", (7,)), (40, 90, 130, 60, 64, 64)),
            marks=pytest.mark.long(4),
        ),
        (Rules(4, 5, (3, 2), "corner", "ship", (0, 9)), (150, 60, 95, 110, 72, 66)),
        pytest.param(
            *(Rules(4, 5, (3, 2, 1), "none", "ship"), (75, 120, 110, 90, 200, 100)),
            marks=pytest.mark.long(2),
        ),
    ],
)
def test_shots_that_spread(rules, percents):
    """The kernel, and `Spread.shot`, beside the definition."""
    names = "side", "border", "corner", "early", "many", "least"
    text = ",".join(f"{name}={value}" for name, value in zip(names, percents, strict=True))
    text = f"spread:{text}"
    assert len(rules.configurations) > 2 * percents[4]
    expected = spreading(rules, *percents)
    assert evaluate(text, str(rules), jobs=1).histogram == expected
    assert evaluate(Plain(text), str(rules), jobs=1).histogram == expected
    assert evaluate("greedy:endgame=0", str(rules), jobs=1).histogram != expected


@draws(80)
@given(
    games(max_cells=14, announce=TOLD, boards=["rectangle"]),
    st.sampled_from(["cross", "line", "sunk"]),
    st.sampled_from(["modulus=2,colours=0", "scan=central", "modulus=3,colours=1,scan=spiral"]),
)
def test_patterns(game, clear, pattern):
    """The kernel beside the definition, which is asked for every shot."""
    assume(0 < sum(1 for _ in reference.configurations(Position(game))) <= 400)
    text = f"pattern:{pattern},clear={clear}"
    assert evaluate(text, game, jobs=1).histogram == evaluate(Plain(text), game, jobs=1).histogram


def test_a_pattern_that_hears_sinkings():
    """After A1 and B1 sink, what is around them is cleared no more, unless a hit is left."""
    game = Game.parse("4x4:3,2,announce=ship")
    pattern = named("pattern:modulus=1,colours=0,clear=sunk")
    every = named("pattern:modulus=1,colours=0,clear=cross")
    assert evaluate(pattern, game, jobs=1).mean < evaluate(every, game, jobs=1).mean
    two = Game.parse("3x4:2,2,contact=any,announce=ship")
    after = Position.parse(two, "A1=hit B1=sunk:2")
    assert two.cell(2) == pattern.shot(after)  # C1 is next in the order; A2 is not cleared
    touching = Position.parse(two, "A1=hit B1=hit C1=sunk:2")
    assert two.cell(3) == pattern.shot(touching)  # A1 is of another ship: it goes on
    unheard = evaluate("pattern:clear=sunk", "3x4:2,2,contact=any,announce=sunk", jobs=1)
    assert unheard.histogram == evaluate("pattern", "3x4:2,2,contact=any", jobs=1).histogram


@pytest.mark.parametrize(
    "game",
    [
        "4x4:3,2,contact=corner,announce=ship",
        "3x4:3,2,2,contact=any,announce=ship",
        *(
            pytest.param(game, marks=pytest.mark.long(3))
            for game in (
                "3x4:2,2,2,contact=any,announce=sunk",
                "4x5:3,2,2,announce=ship",
                "4x5:3,2,2,announce=sunk",
                "4x4:3,2,1,contact=corner,announce=ship",
                "4x4:3,2,1,contact=corner,announce=sunk",
                "3x4:3,2,2,contact=any,announce=sunk",
            )
        ),
    ],
)
def test_games_of_many_words(game):
    """Families of some hundred configurations, which have columns of several words."""
    for text in ("greedy", "greedy:ties=central,endgame=0"):
        assert evaluate(text, game, jobs=1).histogram == (
            evaluate(Plain(text), game, jobs=1).histogram
        )


@pytest.mark.parametrize("announce", TOLD)
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("text", ["greedy", "greedy:ties=central,endgame=0", "spread"])
@sizes("fleet", "2,2", "3,2,2", 4)
def test_tasks_of_any_size(monkeypatch, contact, announce, text, fleet):
    """Wherever the top of the tree ends and the kernel begins, the histogram is the same."""
    game = Game.parse(f"3x5:{fleet},contact={contact},announce={announce}")
    whole = evaluate(text, game, jobs=1)
    assert whole.tasks == 1
    for limit in (10, 17, 40):  # the endgame is in tasks, so they are no smaller
        monkeypatch.setattr(Announced, "listed", lambda self, memory, limit=limit: limit)
        parts = evaluate(text, game, jobs=1)
        assert parts.histogram == whole.histogram
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
    rows = np.concatenate(list(coded(position)))
    codes = Codes.of(game)
    found = [codes.ships(game, code) for code in to_masks(rows[:, 2:])]
    assert [sum(ships) for ships in found] == to_masks(rows[:, :2])
    expected = {
        tuple(sorted(ships)) for ships in rules.configurations if position.is_compatible(ships)
    }
    assert Counter(tuple(sorted(ships)) for ships in found) == dict.fromkeys(expected, 1)


def test_one_configuration_followed():
    for game in ("4x4:3,2,contact=any,announce=ship", "3x5:2,2,1,announce=sunk"):
        for text in ("greedy:endgame=6", "greedy:endgame=0", "spread:side=30"):
            tree, histogram = FollowedTask(text, Position(Game.parse(game))), Counter()
            for index in range(tree.configurations):
                histogram[tree.shots(index)] += 1
                assert tree.shots_of(tree.ships(index)) == tree.shots(index)
            assert dict(sorted(histogram.items())) == evaluate(text, game, jobs=1).histogram


@sizes("number", 1, 2, 5)
def test_games_of_the_papers_board(number):
    """Seeded random boards played with exact posteriors beside the tree of the kernel.

    From the sixteenth shot on; `experiments.evaluation_check` does it from the first.
    """
    strategy = named("greedy")
    for ships in Posterior(BOXED).sample(number, 21):
        path = []

        def shot(position, path=path):
            path.append(position)
            return strategy.shot(position)

        start = Position(BOXED)
        for cell in (22, 27, 44, 55, 72, 77, 49, 94, 36, 63, 11, 18, 33, 66, 81, 88):
            start = start.after(
                BOXED.cell(cell), reply(BOXED, to_masks(ships), start.hits, 1 << cell)
            )
        end = play(shot, to_masks(ships), start)
        task = next(at for at in path if Posterior(at).configurations <= 1 << 18)
        assert FollowedTask(strategy, task).shots_of(to_masks(ships)) == len(end.shots), number


def test_ships_of_one_fleet_in_several_words():
    """Codes of more than one word: 10 ships of 7 bits each, and the last does not fit any more."""
    game = Game.parse("8x8:1,1,1,1,1,1,1,1,1,1,1,announce=sunk")
    assert Codes.of(game).words == 2
    small = "3x4:1,1,1,1,1,1,1,1,1,1,contact=any,announce=ship"
    assert evaluate("greedy", small, jobs=1).histogram == {
        10: 1,
        11: 10,
        12: 55,
    }


def evaluating(folder, jobs):
    memory = BYTES * 2**16 / 2**30
    options = ("--resume", folder, "--memory", memory, "--jobs", jobs, "--json")
    return "evaluate", "greedy", str(LARGE), *options


@pytest.mark.parametrize(
    ("action", "jobs", "ended"),
    [
        ("kill", 2, -signal.SIGKILL),
        pytest.param("interrupt", 1, 130, marks=pytest.mark.long(2)),  # as test_evaluate has it
    ],
)
def test_interrupted_and_resumed(here, tmp_path, action, jobs, ended):
    hooks = f"from optsearch.support.store import Facts; at(Facts, 'add', {action}, 3)"
    status, out, errors = run_command(*evaluating(tmp_path / "run", jobs), hooks=hooks)
    assert (status, out) == (ended, ""), errors
    assert "Traceback" not in errors
    status, answer, errors = here(*evaluating(tmp_path / "run", 1))
    assert status == 0, errors
    found = evaluate("greedy", LARGE, jobs=1)
    assert answer == f"{json_text(answer_of(found).fields)}\n", errors
    again = evaluate("greedy", LARGE, checkpoint=tmp_path / "run", memory=BYTES << 16)
    assert again == found
    assert again.resumed == again.tasks > 1
    with pytest.raises(TableError, match="greedy:ties=first,endgame=4"):
        evaluate("greedy:endgame=0", LARGE, checkpoint=tmp_path / "run", memory=BYTES << 16)


def test_a_rule_of_ones_own():
    """It is played as the position is asked, where sinkings are announced too."""

    class Ruled(Strategy):
        def shot(self, position):
            return named("greedy:endgame=3").shot(position)

        def rule(self, game):
            return Rule(tuple(range(game.cells)), 3)

    for game in ("3x4:3,2,announce=sunk", "3x4:2,2,contact=any,announce=ship"):
        assert evaluate(Ruled(), game, jobs=1).histogram == (
            evaluate("greedy:endgame=3", game, jobs=1).histogram
        )
