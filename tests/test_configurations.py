"""Counting, listing and streaming against brute force and published counts."""

import signal

import numpy as np
import pytest
from hypothesis import given

from optsearch.check import paper, reference
from optsearch.counting.configurations import Configurations, Listing, to_masks
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support.errors import ImpossiblePosition, TooLarge
from tests.examples import cells_of, draws, games, positions, some
from tests.processes import run_script

STANDARD = Position(Game.parse("10x10:5,4,3,3,2"))


@draws(400)
@given(positions(max_cells=16, max_ships=4, max_configurations=4000))
def test_equals_brute_force(position):
    expected = sorted(cells_of(ships) for ships in reference.configurations(position))
    found = Configurations(position)
    assert found.configurations == len(expected)
    assert sorted(to_masks(found.list())) == expected
    assert sorted(m for batch in found.stream(256) for m in to_masks(batch)) == expected
    occurrence = np.zeros(position.game.cells, int)
    for mask in expected:
        occurrence += [mask >> cell & 1 for cell in range(position.game.cells)]
    assert found.occurrence.ravel().tolist() == occurrence.tolist()


@draws(60)
@given(games(max_cells=20, max_ships=4))
def test_slices_make_up_the_whole(game):
    """What the threads add up is what one walk finds, through each placement."""
    one = Configurations(Position(game), threads=1)
    pieces = [kernel for i in range(5) for kernel in one._enumerators(i, 5)]
    assert sum(piece.count() for piece in pieces) == one.configurations
    (kernel,) = one._enumerators()
    whole = kernel.occurrence()
    parts = [piece.occurrence() for piece in pieces]
    for kind, counts in enumerate(whole):
        assert counts == [sum(part[kind][p] for part in parts) for p in range(len(counts))]


@draws(60)
@given(games(max_cells=16, max_ships=4))
def test_the_papers_algorithm_1_agrees(game):
    assert paper.count(game) == Configurations(Position(game)).configurations


@pytest.mark.long(4)
def test_papers_game_with_contact():
    """Half of the 30,093,975,536 cliques of Spalding-Jamieson, who tells the two 3-ships apart."""
    game = Game.parse("10x10:5,4,3,3,2,contact=any")
    assert 2 * Configurations(Position(game)).configurations == 30_093_975_536


def test_threads_do_not_change_the_matrix():
    game = Game.parse("7x8:4,3,3,2")
    one, four = (Configurations(Position(game), threads) for threads in (1, 4))
    assert one.configurations == four.configurations > 100_000
    assert (one.occurrence == four.occurrence).all()
    assert one.occurrence.sum() == one.configurations * game.fleet_cells


def test_largest_boards():
    """128 cells in every shape; one ship has as many configurations as placements."""
    for rows, columns in ((8, 16), (1, 128), (128, 1), (11, 11)):
        game = Game(rows, columns, (3,))
        found = Configurations(Position(game))
        assert found.configurations == len(game.placements(3))
        assert sorted(to_masks(found.list())) == sorted(game.placements(3))


def test_ctrl_c_ends_a_count_that_would_take_days():
    """It comes while the kernel counts: only there another thread gets to run."""
    status, _, error = run_script(
        """
from optsearch.counting.configurations import Configurations, Enumerator
from optsearch.game import Game
from optsearch.game.position import Position

actions = [interrupt_in_kernel]

def count(enumerator):
    while actions:
        actions.pop()()
    return Enumerator.count(enumerator)

endless = Configurations(Position(Game(11, 11, (5, 4, 4, 3, 3, 3, 2, 2, 2, 2))))
endless._ask_kernels(count)
"""
    )
    assert status == -signal.SIGINT
    assert error.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("shots", some(1, ["E5=hit E6=hit E7=miss F5=miss", "A1=hit J10=hit"], 1))
def test_positions_of_the_papers_game(shots):
    """A hit cell splits the count: occurrence at a cell equals the count after hitting it."""
    before = Configurations(Position.parse(STANDARD.game, shots))
    for cell, name in (((0, 4), "E1"), ((9, 0), "A10")):
        after = Configurations(Position.parse(STANDARD.game, f"{shots} {name}=hit"))
        missed = Configurations(Position.parse(STANDARD.game, f"{shots} {name}=miss"))
        assert after.configurations == before.occurrence[cell]
        assert missed.configurations == before.configurations - after.configurations


def test_stream_batches():
    found = Configurations(Position(Game.parse("6x6:3,2")))
    batches = list(found.stream(300))
    assert all(0 < len(batch) <= 300 for batch in batches)
    assert (np.concatenate(batches) == found.list()).all()
    with pytest.raises(ValueError, match=r"out has shape \(255, 2\)"):
        next(found.stream(255))


@pytest.mark.parametrize(
    ("game", "number", "most", "least"),
    some(
        1,
        [("5x5:3,2", "524", 1 << 10, "0"), (str(STANDARD.game), "1,925,751,392", 4 << 30, "28")],
        3,
    ),
)
def test_list_refuses_what_does_not_fit(game, number, most, least):
    with pytest.raises(TooLarge, match=f"the {number} configurations of {game} needs {least}"):
        Configurations(Position(Game.parse(game))).list(most)


def test_large_families_are_refused_without_a_listing(monkeypatch):
    monkeypatch.delattr(Listing, "configurations")
    with pytest.raises(TooLarge, match=r"1,925,751,392 configurations .* too many to solve"):
        Family.of(STANDARD)


def test_nothing_left():
    game = Game.parse("3x3:3")
    with pytest.raises(ImpossiblePosition, match="'B2=miss A1=hit C3=hit'"):
        Configurations(Position.parse(game, "B2=miss A1=hit C3=hit")).require_some()
    with pytest.raises(ImpossiblePosition, match="4x4:4,3,2 has no configuration"):
        Configurations(Position(Game.parse("4x4:4,3,2"))).frequency  # noqa: B018


def test_a_kind_taken_apart():
    """Pairs of its ships, within a part and between two parts, are counted once."""
    game = Game.parse("6x7:3,2,2,2,contact=any")
    whole, parts = (Configurations(Position(game)) for _ in range(2))
    threes, twos = parts._parts
    assert (threes.kind, twos.kind) == (3, 2)
    first, second = twos.placements[:30], twos.placements[30:]
    parts._parts = [threes, twos._replace(placements=first), twos._replace(placements=second)]
    assert parts.configurations == whole.configurations == len(whole.list())
    assert (parts.occurrence == whole.occurrence).all()
