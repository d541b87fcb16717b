"""Small games and positions for property tests, and brute force over them."""

from __future__ import annotations

import pytest
from hypothesis import assume, reject, settings
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.game import ANNOUNCEMENTS, CONTACTS, Game, bits
from optsearch.game.board import BOARD_MAKERS
from optsearch.game.position import Position, Shot, reply
from optsearch.game.shapes import parse_kind
from optsearch.support.errors import GameError
from tests.definition import USERS_RULES, Rules

ANYWHERE = ("first", "last")  # orders of cells that every board has
EVERY_RULE = (*ANNOUNCEMENTS, *USERS_RULES)
AT_SINKING = tuple(name for name, rule in ANNOUNCEMENTS.items() if rule.at_sinking)
LABELLED = tuple(rule for rule in EVERY_RULE if rule not in ("nothing", *AT_SINKING))
BOARDS = ("rectangle", *BOARD_MAKERS)  # what random games are on
SHAPES = ("V3", "L4", "T4", "S4-onesided", "O4", "V3-fixed", "##-fixed", "L4-fixed", "#.#/###")

# Best greedy total height and optimum of the first counterexamples that a prototype found on empty
# boards, from the issue that asked for them.
COUNTEREXAMPLES = {
    "2x6:3,2": (138, 137),
    "4x4:3": (92, 90),
    "4x5:3,2": (2333, 2326),
    "4x5:3,3": (596, 595),
    "4x5:4,3,2": (995, 994),
}


def rule_name(text):
    """The name of a rule in the id of a test, without the file that it is in."""
    return text.rpartition(":")[2]


def sizes(name, few, every, seconds):
    """A test of few cases by `make test`, and of all of them, which takes long."""
    return pytest.mark.parametrize(
        name, [few, pytest.param(every, marks=pytest.mark.long(seconds))], ids=["few", "all"]
    )


def some(few, cases, seconds):
    """Parameters of which `make test` has the first few, and `make test-long` the others."""
    first, others = cases[:few], cases[few:]
    late = [case if isinstance(case, tuple) else (case,) for case in others]
    return [*first, *(pytest.param(*case, marks=pytest.mark.long(seconds)) for case in late)]


def draws(most, few=None):
    """Settings: so many examples by `make test-long`.

    few -- how many by `make test`; without it one in 25, and ten at least.
    """
    usual = settings().max_examples  # ten, or all 100
    few = few or max(usual, most // 25)
    return settings(max_examples=most if usual == 100 else min(most, few))


def up_to(few, most):
    """The size of what is drawn by `make test`, and by `make test-long`, which draws all."""
    return most if settings().max_examples == 100 else few


@st.composite
def games(draw, max_cells=12, max_ships=3, announce=("nothing",), boards=BOARDS):
    """A game into which the fleet may or may not fit; holes are up to a third of its board.

    Half of the games may have shapes in their fleets. boards -- rectangles twice as often as each
    of the others.
    """
    rows = draw(st.integers(1, 4))
    columns = draw(st.integers(1, max(1, min(6, max_cells // rows))))
    longest = max(rows, columns)
    lengths = st.integers(1, min(4, longest))
    ship = lengths | st.sampled_from(SHAPES).map(parse_kind) if draw(st.booleans()) else lengths
    fleet = draw(st.lists(ship, min_size=1, max_size=max_ships))
    cells = rows * columns
    holes = draw(st.sets(st.integers(0, cells - 1), max_size=cells // 3) | st.just(set()))
    assume(sum(fleet) <= cells - len(holes))
    rules = draw(st.sampled_from(CONTACTS)), draw(st.sampled_from(tuple(announce)))
    board = draw(st.sampled_from(boards))
    if rules[1] == "name":
        letters = st.sampled_from(["", "", "a", "b"])
        fleet = [
            ship if type(ship) is not int else parse_kind(f"{ship}{draw(letters)}")
            for ship in fleet
        ]
    try:
        return Game(rows, columns, tuple(fleet), *rules, sum(1 << cell for cell in holes), board)
    except GameError:  # a shape that does not fit, or two that lie alike
        return reject()


@st.composite
def positions(draw, max_cells=12, max_ships=3, max_configurations=60, announce=("nothing",)):
    """A position that some configuration of a random game leads to."""
    game = draw(games(max_cells, max_ships, announce))
    everything = list(reference.configurations(Position(game)))
    assume(everything)
    hidden = draw(st.sampled_from(everything))
    order = draw(st.permutations([i for i in range(game.cells) if not game.holes >> i & 1]))
    shots = []
    hits = 0
    for index in order[: draw(st.integers(0, game.room))]:
        answer = reply(game, hidden, hits, 1 << index)
        hits |= answer.hit << index
        shots.append(Shot(game.cell(index), answer))
    position = Position(game, tuple(shots))
    assume(sum(1 for _ in reference.configurations(position)) <= max_configurations)
    return position


def rules_of(game):
    """A game as the definition has it."""
    fleet = tuple(kind if type(kind) is int else str(kind) for kind in game.fleet)
    holes = tuple(bits(game.holes))
    where = game.contact, game.announce, holes, game.board.text
    return Rules(game.rows, game.columns, fleet, *where, tells=USERS_RULES.get(game.announce))


def plain(answer):
    """A JSON answer without what made it and its exact texts."""
    if isinstance(answer, dict):
        dropped = {"schema", "version", "command", *(f"{name}_exact" for name in answer)}
        return {name: plain(one) for name, one in answer.items() if name not in dropped}
    return [plain(one) for one in answer] if isinstance(answer, list) else answer


def cells_of(configuration):
    """The mask of a configuration given as ships."""
    return sum(configuration)
