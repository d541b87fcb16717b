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

What is printed leaves open, and was chosen here:

- `edges`: the printed condition of attacks, `(k + ship) < len(board[0])`, leaves out every
  placement that ends on the last row or column (`printed`); `whole` takes them in.
- `factor`: the code multiplies by 3, the text says 2.
- `stuck`: the loop of the game is not printed. In an attack in which no cell has a positive value
  all unknown cells are tied, and one is drawn, as the text says of ties (`draw`); or the attack
  ends with it, and this very shot hunts (`hunt`).
- `memory`: version 3 is "the first version of the attack mode", before the fine-tuning. So it does
  not multiply; and as the list of hits was created then ("I've created a list variable hit, in
  which the computer appends its correct guesses"), it knows the `last` hit only. The printed code
  of the first attack goes over a list already: `attack` is all hits of the attack, as in 4 and 5.
- `np.prod([prob[row, :], 3])` fails in the numpy of today; it meant the row times 3.
- `distance` looks a hit up by `hit.index`, which is its place, as no cell is hit twice. Its last
  line is indented too far, and so is the `if` of `hunt` placements: both are read as they must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.strategies.player import Compiled, Player, number, word
from optsearch.support.errors import PositionError

EDGES = ("printed", "whole")
STUCK = ("draw", "hunt")
MEMORY = ("last", "attack")
PATIENCE = 3  # misses in a row that end an attack

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Heuristic(Player):
    """The players of "Battleship Heuristics", from random shots (1) to the last version (5)."""

    name: ClassVar[str] = "heuristic"

    version: int = number(5, 1, 5, "which of the five")
    factor: int = number(3, 1, 10, "how many times more the line of the last two hits counts")
    edges: str = word("printed", EDGES, "whether attacks take in placements that end at the edge")
    stuck: str = word("draw", STUCK, "what an attack with nothing left does")
    memory: str = word("last", MEMORY, "which hits of an attack version 3 knows")

    @property
    def forgets(self) -> bool:
        """Whether an attack knows its last hit only."""
        return self.version == 3 and self.memory == "last"

    def begin(self, game: Game, generator: np.random.Generator) -> HeuristicGame:
        """A game in plain Python, near to what is printed; NotSupported on a board with holes."""
        game.require_usual(str(self))
        return HeuristicGame(self, game, generator)

    def compiled(self, game: Game) -> Compiled:
        """The same in numba."""
        from optsearch.strategies.loops import heuristic

        game.require_usual(str(self))
        fleet = np.array(game.fleet, np.int64)
        last_line = int(self.edges == "printed")
        reading = (self.version, self.factor, last_line, self.stuck == "hunt", self.forgets)

        def play(cells: NDArray[np.uint8], generator: np.random.Generator) -> int:
            board = cells.reshape(game.rows, game.columns)
            return int(heuristic(board, fleet, reading, generator))

        return play


def matrix_of(position: Position, mode: str) -> Matrix:
    """A matrix that "Battleship Heuristics" shows: what its player shoots by after some shots.

    mode -- hunt: how many placements without a miss cover each cell, the most of them 1; attack:
    how many of them through a hit of this attack do (`edges=printed`). Float64 of shape (rows,
    columns), 0 at hits. It goes by hits and misses alone, as its player hears nothing else.

    Raises NotSupported on a board with holes or a fleet with shapes, PositionError for an attack
    where there is none: before the first hit, and after three misses in a row.
    """
    position.game.require_usual(f"the matrix of the {mode}")
    player = Heuristic(version=2 if mode == "hunt" else 3, memory="attack")
    playing = HeuristicGame(player, position.game, np.random.default_rng(0))
    for shot in position.shots:
        playing.hear(shot.cell, shot.reply.hit)
    if mode == "attack" and not playing.attacks:
        raise PositionError(
            f"{f'after {str(position)!r}' if position.shots else 'on the empty board'} there is no "
            f"attack, which begins with a hit and ends with {PATIENCE} misses in a row; the matrix "
            "of the hunt is accepted"
        )
    return playing.values()


class HeuristicGame:
    """One game: the board, O where nothing is known, X a miss, B a hit; and the attack."""

    def __init__(self, player: Heuristic, game: Game, generator: np.random.Generator):
        self._player = player
        self._ships = game.fleet
        self._rows, self._columns = game.rows, game.columns
        self._generator = generator
        self._board = [["O"] * game.columns for _ in range(game.rows)]
        self._hit: list[Cell] = []  # of this attack, in order; none while hunting
        self._misses = 0  # in a row, of this attack

    def shot(self, position: Position) -> Cell:
        """A cell with the highest value, drawn if there are several."""
        if position.shots:
            last = position.shots[-1]
            self.hear(last.cell, last.reply.hit)
        values = self.values()
        unknown = [
            (row, column)
            for row in range(self._rows)
            for column in range(self._columns)
            if self._board[row][column] == "O"
        ]
        most = max(values[cell] for cell in unknown)
        ties = [cell for cell in unknown if values[cell] == most]
        return ties[int(self._generator.random() * len(ties))]

    @property
    def attacks(self) -> bool:
        """Whether it is in an attack."""
        return bool(self._hit)

    def hear(self, cell: Cell, is_hit: bool) -> None:
        """Take the reply to a shot."""
        self._board[cell[0]][cell[1]] = "B" if is_hit else "X"
        if self._player.version < 3:
            return
        if is_hit:
            self._hit = [cell] if self._player.forgets else [*self._hit, cell]
            self._misses = 0
        elif self._hit:
            self._misses += 1
            if self._misses == PATIENCE:
                self._hit = []

    def values(self) -> Matrix:
        """What it shoots by: float64 of shape (rows, columns)."""
        version = self._player.version
        if version == 1:
            return np.ones((self._rows, self._columns))
        if self._hit:
            values = self._attack() if version == 3 else self._mixed()
            unknown = np.array([[sign == "O" for sign in row] for row in self._board])
            if self._player.stuck == "draw" or values[unknown].max() > 0:
                return values
            self._hit = []
        return self._hunt()

    # As printed

    def _hunt(self) -> Matrix:
        prob = np.zeros((self._rows, self._columns))
        for ship in self._ships:
            for row in range(self._rows):
                for k in range(self._columns - ship + 1):
                    if "X" not in self._board[row][k : k + ship]:
                        prob[row, k : k + ship] += 1
            for col in range(self._columns):
                column = [line[col] for line in self._board]
                for j in range(self._rows - ship + 1):
                    if "X" not in column[j : j + ship]:
                        prob[j : j + ship, col] += 1
        prob /= prob.max()
        self._forget_hits(prob)
        return prob

    def _attack(self) -> Matrix:
        prob = np.zeros((self._rows, self._columns))
        last = 1 if self._player.edges == "printed" else 0
        weights = [self._weight(index) for index in range(len(self._hit))]
        for ship in self._ships:
            for row in range(self._rows):
                for i, weight in zip(self._hit, weights, strict=True):
                    if i[0] == row:
                        for k in range(i[1] - ship + 1, i[1] + 1):
                            if 0 <= k <= self._columns - ship - last and (
                                "X" not in self._board[row][k : k + ship]
                            ):
                                prob[row, k : k + ship] += weight
            for col in range(self._columns):
                column = [line[col] for line in self._board]
                for i, weight in zip(self._hit, weights, strict=True):
                    if i[1] == col:
                        for k in range(i[0] - ship + 1, i[0] + 1):
                            if 0 <= k <= self._rows - ship - last and (
                                "X" not in column[k : k + ship]
                            ):
                                prob[k : k + ship, col] += weight
        self._forget_hits(prob)
        return prob

    def _mixed(self) -> Matrix:
        prob = self._attack()
        prob2 = self._hunt()
        count = 0
        if len(self._hit) > 1:
            before, latest = self._hit[-2:]
            line = None
            if before[0] == latest[0]:
                line = prob[latest[0], :]
            elif before[1] == latest[1]:
                line = prob[:, latest[1]]
            if line is not None:
                count = int(_sum(line.tolist()) == 0)
                line *= self._player.factor
        if prob.max() > 0:
            prob /= prob.max()
        mean: Matrix = prob * (1 - (1 / 2) * count) + prob2 * (1 / 2) * count
        return mean

    def _weight(self, index: int) -> float:
        if self._player.version < 5:
            return 1.0
        return 1 - 0.1 * (1.5 * self._distance(index) - index)

    def _distance(self, index: int) -> float:
        if index == len(self._hit) - 1:
            return 0.1
        here, following = self._hit[index : index + 2]
        return sqrt((here[0] - following[0]) ** 2 + (here[1] - following[1]) ** 2)

    def _forget_hits(self, prob: Matrix) -> None:
        for row, line in enumerate(self._board):
            for column, sign in enumerate(line):
                if sign == "B":
                    prob[row, column] = 0


def _sum(values: Sequence[float]) -> float:
    """The sum from left to right; Python's own compensates from version 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total
