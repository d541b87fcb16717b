"""The five versions of "Battleship Heuristics", as printed: hunting, attacking, and what was added.

1   shoots at random.
2   hunts: a cell counts the placements of all ships on it that have no miss.
3   attacks after a hit: the same over placements through the last hit. Three misses in a row end
    an attack.
4   mixes: placements through all hits of this attack, which are forgotten at its end. The row or
    column of the last two, if they share one, is multiplied; where nothing is left to shoot on it,
    the matrix is the mean of attacking and hunting.
5   weights each hit of the attack: 1 - 0.1 (1.5 d - i) for the i-th, at distance d from the next.

Always all ships are counted, as sinkings are not heard; of several highest cells one is drawn.

Two trials made the player of the post worse, and are switches here:

- `beside`: three hits in a line, at the border two, are a ship that lies so, and no placement
  across that line covers them. The printed code compares (`==`) where it must assign, and names one
  cell twice; it is read as it must be.
- `weights`: a ship counts by the chance that it is still to be found. No code is printed. Here it
  is the share of the ships of its length for which there is no run: hits in a line that cannot be
  longer, with a miss or the border at both ends. If no ship is left so, all count.

What is printed leaves things open, and is read here as follows:

- The printed condition of attacks, `(k + ship) < len(board[0])`, leaves out every placement that
  ends on the last row or column.
- The code multiplies by 3, the text says 2: it is 3.
- The loop of the game is not printed. In an attack in which no cell has a positive value all
  unknown cells are tied, and one is drawn, as the text says of ties.
- Version 3 is "the first version of the attack mode", before the fine-tuning. So it does not
  multiply; and as the list of hits was created then ("I've created a list variable hit, in which
  the computer appends its correct guesses"), it knows the last hit only. The printed code of the
  first attack goes over a list already.
- `np.prod([prob[row, :], 3])` fails in the numpy of today; it meant the row times 3.
- `distance` looks a hit up by `hit.index`, which is its place, as no cell is hit twice. Its last
  line is indented too far, and so is the `if` of `hunt` placements: both are read as they must be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.strategies.player import Compiled, Player, number


@dataclass(frozen=True)
class Heuristic(Player):
    """The players of "Battleship Heuristics", from random shots (1) to the last version (5)."""

    name: ClassVar[str] = "heuristic"

    version: int = number(5, 1, 5, "which of the five")
    beside: int = number(0, 0, 1, "1: no placement crosses three hits in a line", is_extra=True)
    weights: int = number(0, 0, 1, "1: ships that seem to be found count less", is_extra=True)

    @property
    def trials(self) -> int:
        """The switches as one number: 1 for `beside`, 2 for `weights`."""
        return self.beside + 2 * self.weights

    def begin(self, game: Game, generator: np.random.Generator) -> HeuristicGame:
        """Begin a game; raises NotSupported unless the board is a full rectangle."""
        game.require_usual(str(self))
        return HeuristicGame(self, game, generator)

    def compiled(self, game: Game) -> Compiled:
        """Return a compiled function that plays a whole game and returns the number of its shots.

        Raises NotSupported unless the board is a full rectangle.
        """
        from optsearch.strategies.loops import play_heuristic

        game.require_usual(str(self))
        fleet = np.array(game.fleet, np.int64)

        def play(cells: NDArray[np.uint8], generator: np.random.Generator) -> int:
            board = cells.reshape(game.rows, game.columns)
            return int(play_heuristic(board, fleet, self.version, self.trials, generator))

        return play


class HeuristicGame:
    """One game: the state of each cell, the hits of the current attack, and the misses in a row."""

    def __init__(self, player: Heuristic, game: Game, generator: np.random.Generator):
        self._name, self._version, self._trials = str(player), player.version, player.trials
        self._fleet = np.array(game.fleet, np.int64)
        self._generator = generator
        self._state = np.zeros((game.rows, game.columns), np.uint8)
        self._hits = np.zeros((game.cells, 2), np.int64)  # of this attack: row and column
        self._hit_count = self._misses = 0

    def __str__(self) -> str:
        return self._name

    def shot(self, position: Position) -> Cell:
        """Return a cell with the highest value, drawn if there are several."""
        from optsearch.strategies.loops import draw_highest

        if position.shots:
            last = position.shots[-1]
            self.hear(last.cell, last.reply.hit)
        row, column = draw_highest(self.values(), self._state, self._generator)
        return int(row), int(column)

    def hear(self, cell: Cell, is_hit: bool) -> None:
        """Record a reply: the state of the cell, the hits to follow, and the misses in a row."""
        from optsearch.strategies.loops import update_heuristic

        row, column = cell
        hit_count = np.int64(self._hit_count)
        self._hit_count, self._misses = update_heuristic(
            self._state, self._hits, hit_count, self._misses, row, column, is_hit, self._version
        )

    def values(self) -> NDArray[np.float64]:
        """Return the value of each cell, float64 of shape (rows, columns)."""
        from optsearch.strategies.loops import heuristic_values

        hit_count = np.int64(self._hit_count)
        values, self._hit_count = heuristic_values(
            self._state, self._fleet, self._version, self._trials, self._hits, hit_count
        )
        return np.asarray(values)
