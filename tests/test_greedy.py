"""Greedy by its definition beside the kernel, and the trees of every rule."""

import json
import random
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

from optsearch import tree
from optsearch.check.trees import verify
from optsearch.cli.command import app
from optsearch.compiled.search._search import Search
from optsearch.compiled.search._table import MemoryTable
from optsearch.counting.configurations import list_ships, to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, bits, parse_cell
from optsearch.game.position import MISS, Position, reply
from optsearch.search.greedy import RULES, GreedySolver
from optsearch.search.kernels import SWITCHES
from optsearch.search.solver import solve
from optsearch.support.errors import OptsearchError
from tests.definition import Definition, Misses, Rules
from tests.examples import sizes

ENDS = {"best": min, "worst": max}


@pytest.mark.parametrize("number", [300, pytest.param(5000, marks=pytest.mark.long(10))])
@pytest.mark.parametrize("end", ENDS)
def test_the_rules_of_the_kernel_on_random_families(end, number):
    rng = random.Random(2)
    differing = 0
    for _ in range(number):
        cells = rng.randint(2, 9)
        size = rng.randint(1, cells - 1)
        sets = {sum(1 << c for c in rng.sample(range(cells), size)) for _ in range(14)}
        sets = sorted(sets)
        weights = [1] * len(sets) if rng.random() < 0.6 else rng.choices(range(1, 4), k=len(sets))
        switches = {name: rng.random() < 0.7 for name in SWITCHES}
        search = Search(
            to_words(tuple(sets)),
            np.array(weights, np.int64),
            9,
            "mean",
            MemoryTable(1 << 23),
            None,
            switches,
            lambda nodes: None,
            f"{end} greedy",
        )
        family = np.arange(len(sets), dtype=np.int32)
        truth = Misses(sets, weights)
        misses = {rule: truth.greedy(truth.everything, ENDS[rule]) for rule in ENDS}
        assert search.solve(family) == misses[end], (sets, weights, switches)
        differing += misses["best"] != misses["worst"]
        if end == "best":
            limit = rng.randint(1, misses[end] + size * sum(weights))
            value = search.solve(family, limit=limit)
            assert value == misses[end] if value < limit else value >= limit
        else:
            with pytest.raises(ValueError, match="this rule has no bounds"):
                search.lower_bound(family)
    assert differing > number // 60


def test_bad_rules():
    arguments = (
        to_words((3, 5)),
        np.ones(2, np.int64),
        3,
    )
    rest = (MemoryTable(1 << 23), None, dict.fromkeys(SWITCHES, True), lambda nodes: None)
    with pytest.raises(ValueError, match="'median'"):
        Search(*arguments, "mean", *rest, "median")
    with pytest.raises(ValueError, match="'best greedy' goes with the objective mean"):
        Search(*arguments, "worst", *rest, "best greedy")
    with pytest.raises(OptsearchError, match="no greedy rule 'median'; there are best, worst"):
        GreedySolver(Position(Game.parse("2x3:2"))).tree("median")


GAMES = (
    "2x6:3,2",
    "3x4:2",
    "4x4:3",
    "3x3:2,1",
    "3x3:2,2,contact=any",
    "3x4:3,2,contact=any",
    "3x3:2,1,contact=corner",
    "2x3:2,announce=sunk",
    "3x3:2,1,contact=any,announce=ship",
    "2x4:2,2,contact=any,announce=sunk",
    "2x4:2,1,contact=any,announce=name",
    "2x4:2,1,contact=any,announce=place",
)


def drawn(rng, text):
    """A random position of a game, by shots at a random configuration."""
    game = Game.parse(text)
    ships = to_masks(rng.choice(list_ships(Position(game))))
    position = Position(game)
    hits = 0
    for cell in rng.sample(range(game.cells), rng.choice((0, 0, 1, 2, 3))):
        answer = reply(game, ships, hits, 1 << cell)
        hits |= (1 << cell) * answer.hit
        position = position.after(game.cell(cell), answer)
    return position


def values_by_replay(position, end):
    """Greedy from a position by the rules of the game alone: every reply of every configuration."""
    game = position.game
    ships = [tuple(to_masks(row)) for row in list_ships(position)]
    ships = [row for row in ships if position.is_compatible(row)]

    @cache
    def value(family, hits):
        counts = {}
        for row in family:
            for cell in bits(sum(row) & ~hits):
                counts[cell] = counts.get(cell, 0) + 1
        if not counts:
            return 0
        most = max(counts.values())
        costs = []
        for cell in (cell for cell, n in counts.items() if n == most):
            parts = {}
            for row in family:
                parts.setdefault(reply(game, row, hits, 1 << cell), []).append(row)
            costs.append(
                len(family)
                + sum(
                    value(frozenset(rows), hits | (1 << cell) * answer.hit)
                    for answer, rows in parts.items()
                )
            )
        return ENDS[end](costs)

    return value(frozenset(ships), position.hits)


@pytest.mark.parametrize("text", GAMES)
@sizes("number", 2, 6, 4)
def test_positions_and_trees(text, number):
    rng = random.Random(text)
    for _ in range(number):
        position = drawn(rng, text)
        greedy = GreedySolver(position)
        totals = {rule: greedy.total_height(rule) for rule in RULES}
        assert totals["best"] == values_by_replay(position, "best")
        assert totals["worst"] == values_by_replay(position, "worst")
        for rule, total in totals.items():
            found = greedy.tree(rule)
            assert verify(found) == total
            assert totals["best"] <= total <= totals["worst"]
            assert sum(found.histogram.values()) == greedy.configurations
        assert greedy.optimum() == solve(position).total_height


@pytest.mark.parametrize("announce", ["sunk", "ship", "place"])
def test_states_that_differ_by_the_names_of_cells_are_valued_once(monkeypatch, announce):
    """Two ships of one cell, all cells tied: 3 to 9 cells with both afloat, 2 to 8 with one."""
    monkeypatch.setattr("optsearch.search.greedy.BETWEEN_REPORTS", 1)
    position, statuses = Position(Game.parse(f"3x3:1,1,contact=any,announce={announce}")), []
    # Of two cells among n the last is at place 2(n + 1)/3 on average.
    assert GreedySolver(position, progress=statuses.append).total_height("worst") == 36 * 20 // 3
    assert statuses[-1].nodes == 7 + 7


@pytest.mark.parametrize(
    ("game", "shots", "likely"), [("1x5:2,2", "B1=hit", "D1"), ("1x6:3,2", "", "B1 E1")]
)
def test_a_certain_hit_is_a_most_probable_cell(game, shots, likely):
    position = Position.parse(Game.parse(f"{game},contact=any"), shots)
    cells = tuple(map(parse_cell, likely.split()))
    assert GreedySolver(position).greedy_shots == solve(position).greedy()[0] == cells
    assert tuple(Posterior(position).greedy_shots()) == cells


@pytest.mark.parametrize("fleet", [("##-fixed", 1), (2, "1a", "1b")])
def test_what_certain_hits_tell_where_ships_are_named(fleet):
    """Rule by rule: after a certain hit its reply parts what is left, and `remainder` counts it."""
    rules = Rules(1, 6, fleet, announce="name")
    definition, solver = Definition(rules), GreedySolver(Position(Game.parse(str(rules))))
    for rule in RULES[2:]:
        played = definition.played(definition.greedy_rule(rule))
        assert solver.tree(rule).histogram == dict(sorted(played.items())), rule


def test_the_named_ties_choose_what_they_say():
    position = Position(Game.parse("3x3:1"))
    first = {rule: GreedySolver(position).tree(rule).root.cell for rule in RULES[2:]}
    assert first == {
        "first": (0, 0),
        "checkerboard": (0, 0),
        "central": (1, 1),
        "last": (2, 2),
        "remainder": (0, 0),
    }
    second = {
        rule: GreedySolver(position).tree(rule).root.replies[MISS].cell
        for rule in ("first", "checkerboard")
    }
    assert second == {"first": (0, 1), "checkerboard": (0, 2)}


@pytest.mark.parametrize(
    ("text", "shots"),
    [
        *(("2x6:3,2", ""), ("4x4:3", ""), ("4x5:4,3,2", "")),
        ("1x12:5,2", "A1=hit F1=miss"),  # they part after hits that are certain
        ("3x3:2,1,contact=any,announce=ship", ""),
    ],
)
def test_where_the_trees_part(text, shots):
    greedy = GreedySolver(Position.parse(Game.parse(text), shots))
    found = greedy.compare()
    assert verify(found.greedy) == greedy.total_height()
    assert verify(found.optimal) == greedy.optimum()
    assert (found.greedy == found.optimal) == (not found.partings)
    lost = 0
    for parting in found.partings:
        assert not set(parting.best_greedy_shots) & set(parting.best_shots)
        position = greedy.position
        nodes = [found.greedy.root, found.optimal.root]
        for shot in parting.shots:
            assert nodes[0].cell == nodes[1].cell == shot.cell
            nodes = [node.replies[shot.reply] for node in nodes]
            position = position.after(shot.cell, shot.reply)
        assert nodes[0].cell in parting.best_greedy_shots
        assert nodes[1].cell in parting.best_shots
        there = GreedySolver(position)
        assert there.configurations == parting.configurations
        assert there.total_height() == parting.best_greedy_total_height
        assert solve(position).total_height == parting.total_height
        assert solve(position).best_shots == parting.best_shots
        lost += parting.best_greedy_total_height - parting.total_height
    assert lost == greedy.total_height() - greedy.optimum()


def run(*arguments):
    return CliRunner().invoke(app, ["greedy", *map(str, arguments)])


def test_the_command_writes_the_best_tree(tmp_path):
    result = run("3x4:2", "--shots", "A1=miss B3=miss", "--tree", tmp_path / "greedy.json")
    assert result.exit_code == 0
    assert verify(tree.load(tmp_path / "greedy.json")) == 54
    assert "at the first shot: of 12 configurations; greedy C2 costs 54, optimal C1 B2 D2 53" in (
        result.stdout
    )


def test_the_worst_strategy_is_left_out_when_it_takes_too_long(monkeypatch):
    monkeypatch.setattr("optsearch.cli.greedy.SECONDS_FOR_WORST", 0)
    result = run("7x7:2", "--json")
    found = json.loads(result.stdout)
    assert found["worst_greedy_total_height"] is None
    assert found["best_greedy_total_height"] == found["total_height"] == 1162
    assert set(found["rules"]) == set(RULES) - {"worst"}


def test_the_command_leaves_out_orders_that_a_board_has_not():
    """What a torus costs greedy."""
    found = json.loads(run("3x4:2,board=torus", "--json").stdout)
    assert list(found["rules"]) == ["best", "worst", "first", "last", "remainder"]
