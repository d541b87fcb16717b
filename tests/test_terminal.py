"""What the terminal shows in colours: styles that exist, told apart by everybody, legible."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from rich.color import ColorSystem
from rich.style import Style

import optsearch
from optsearch.cli import counting
from optsearch.cli.solitaire import puzzle_board
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.solitaire.puzzle import SHIP, WATER, Puzzle
from optsearch.support import palette
from tests.test_palette import SEEN, contrast, lab

SOURCES = Path(optsearch.__file__).parent
POSITIONS = [
    ("10x10:5,4,3,3,2", ""),
    ("10x10:5,4,3,3,2", "E5=miss C4=miss G4=miss D7=hit D8=hit G7=miss"),
    ("4x5:4,3,2,holes=C2", "A2=hit"),
    ("4x4:3,2,announce=ship", "A1=hit A2=sunk:2 D4=miss"),
    ("2x2:2", "A1=hit B1=hit"),
    ("1x2:2", "A1=hit B1=hit"),
]
# A terminal of all colours, and one of 256
DEPTHS = [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT]


def spans(text):
    """The drawn texts that have a style, with it."""
    return [(text.plain[s.start : s.end].strip(), Style.parse(s.style)) for s in text.spans]


def colours(style, depth):
    """Text and ground of a style in hex, as a terminal of so many colours shows them."""
    return [one.downgrade(depth).get_truecolor().hex for one in (style.color, style.bgcolor)]


def cells_of(game, shots):
    """Of each cell: what is written there, its style, its probability if it is not shot, and
    whether it is a greedy shot."""
    position = Position.parse(Game.parse(game), shots)
    posterior = Posterior(position)
    likely, shot = posterior.greedy_shots(), {s.cell: s.reply for s in position.shots}
    drawn = spans(counting.heat_map_text(posterior))
    cells = [cell for cell in np.ndindex(posterior.probability.shape) if cell in position.game]
    if len(drawn) > len(cells):  # the bar
        most = max(posterior.probability[cell] for cell in cells if cell not in shot)
        numbers = [f"{100 * most * share:.1f}" for share in np.linspace(0, 1, 5)]
        assert [text for text, _ in drawn[len(cells) :]] == numbers
    for cell, (text, style) in zip(cells, drawn[: len(cells)], strict=True):
        chance = None if cell in shot else posterior.probability[cell]
        assert text == (shot[cell].letter if cell in shot else f"{100 * chance:.1f}")
        yield text, style, chance, cell in likely


def test_the_styles_of_a_puzzle():
    """Hidden cells, revealed ones, and those of a solution, each with water and ships."""
    puzzle = Puzzle(2, 2, (1,), (1, 0), (1, 0), (((0, 0), SHIP), ((1, 1), WATER)))
    assert {str(style) for _, style in spans(puzzle_board(puzzle))} == {
        "bold red",
        "dim",
        "bold blue",
    }
    solved = {str(style) for _, style in spans(puzzle_board(puzzle, (1,)))}
    assert solved == {"bold red", "blue", "bold blue"}


@pytest.mark.parametrize(("game", "shots"), POSITIONS)
def test_the_heat_map(game, shots):
    """Darker where a ship is more probable; greedy shots apart from all others; all legible."""
    cells = [*cells_of(game, shots)]
    for depth in DEPTHS:
        seen = [(*colours(style, depth), *rest) for _, style, *rest in cells]
        assert all(contrast(ink, ground) >= 4.5 for ink, ground, *_ in seen)
        others = sorted(
            (chance, lab(ground)[0])
            for _, ground, chance, likely in seen
            if not likely and chance is not None
        )
        lightness = [light for _, light in others]
        assert lightness == sorted(lightness, reverse=True)
        if depth is ColorSystem.TRUECOLOR and others:  # in proportion to the probability
            most = max(chance for _, _, chance, _ in seen if chance is not None) or 1
            end = lab(palette.HEAT[1])[0]
            straight = [100 - (100 - end) * chance / most for chance, _ in others]
            assert lightness == pytest.approx(straight, abs=0.5)
        for best in {ground for _, ground, _, likely in seen if likely}:
            for eyes in SEEN:
                for light in lightness:
                    assert abs(lab(best, eyes)[0] - light) >= 15
    assert all(bool(style.bold) == (likely or text in "X#●") for text, style, _, likely in cells)


def test_hits_and_misses():
    """Apart from each other and from greedy shots, for all eyes; in grey see `test_palette`."""
    styles = [*palette.IN_TERMINAL.values(), palette.GREEDY_IN_TERMINAL]
    for depth in DEPTHS:
        for one, other in combinations(styles, 2):
            grounds = [colours(Style.parse(style), depth)[1] for style in (one, other)]
            for eyes in SEEN:
                apart = lab(grounds[0], eyes) - lab(grounds[1], eyes)
                assert np.linalg.norm(apart) >= 20
