"""The simple players in plain Python; those of "Battleship Heuristics" near to what is printed."""

import re
from collections import Counter
from math import inf, sqrt

import numpy as np

from optsearch.game import bits
from optsearch.game.position import SUNK


class PlainHeuristic:
    """One game of `Heuristic`: the board, O where nothing is known, X a miss, B a hit."""

    def __init__(self, player, game, generator):
        self._player = player
        self._ships = game.fleet
        self._rows, self._columns = game.rows, game.columns
        self._generator = generator
        self._board = [["O"] * game.columns for _ in range(game.rows)]
        self._hit = []  # of this attack, in order; none while hunting
        self._misses = 0  # in a row, of this attack

    def shot(self, position):
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

    def hear(self, cell, is_hit):
        """Take the reply to a shot."""
        self._board[cell[0]][cell[1]] = "B" if is_hit else "X"
        if self._player.version < 3:
            return
        if is_hit:
            self._hit = [cell] if self._player.version == 3 else [*self._hit, cell]
            self._misses = 0
        elif self._hit:
            self._misses += 1
            if self._misses == 3:
                self._hit = []

    def values(self):
        """What it shoots by: float64 of shape (rows, columns)."""
        version = self._player.version
        if version == 1:
            return np.ones((self._rows, self._columns))
        if self._hit:
            return self._attack() if version == 3 else self._mixed()
        return self._hunt()

    # As printed

    def _hunt(self):
        prob = np.zeros((self._rows, self._columns))
        for ship, share in self._shares():
            for row in range(self._rows):
                for k in range(self._columns - ship + 1):
                    if self._is_free(row, k, ship, 0):
                        prob[row, k : k + ship] += share
            for col in range(self._columns):
                for j in range(self._rows - ship + 1):
                    if self._is_free(j, col, ship, 1):
                        prob[j : j + ship, col] += share
        prob /= prob.max() or 1
        self._forget_hits(prob)
        return prob

    def _attack(self):
        prob = np.zeros((self._rows, self._columns))
        weights = [self._weight(index) for index in range(len(self._hit))]
        for ship, share in self._shares():
            for row in range(self._rows):
                for i, weight in zip(self._hit, weights, strict=True):
                    if i[0] == row:
                        for k in range(i[1] - ship + 1, i[1] + 1):
                            if 0 <= k <= self._columns - ship - 1 and (
                                self._is_free(row, k, ship, 0)
                            ):
                                prob[row, k : k + ship] += weight * share
            for col in range(self._columns):
                for i, weight in zip(self._hit, weights, strict=True):
                    if i[1] == col:
                        for k in range(i[0] - ship + 1, i[0] + 1):
                            if 0 <= k <= self._rows - ship - 1 and (self._is_free(k, col, ship, 1)):
                                prob[k : k + ship, col] += weight * share
        self._forget_hits(prob)
        return prob

    def _is_free(self, row, column, ship, down):
        """Whether a placement has no miss and, with `beside`, no cell of a line across it."""
        cells = [(row + i * down, column + i * (1 - down)) for i in range(ship)]
        if any(self._board[i][j] == "X" for i, j in cells):
            return False
        return not self._player.beside or not any(self._is_crossed(*cell, down) for cell in cells)

    def _is_crossed(self, row, column, down):
        """Whether a hit is in three hits across a placement, or in the two next to the border."""
        line = [one[column] for one in self._board] if not down else self._board[row]
        at, last = (row, self._rows - 1) if not down else (column, self._columns - 1)
        lines = [{0, 1}, {last - 1, last}] + [{i - 1, i, i + 1} for i in range(1, last)]
        return last > 0 and any(at in one and all(line[i] == "B" for i in one) for one in lines)

    def _shares(self):
        """Each ship, with the share of its equals that no run explains."""
        ships = self._ships
        if not self._player.weights:
            return [(ship, 1) for ship in ships]
        lines = ["".join(line) for line in self._board]
        lines += ["".join(column) for column in zip(*self._board, strict=True)]
        runs = [len(run) for line in lines for run in re.findall("(?<=X)BB+(?=X)", f"X{line}X")]
        shares = [max(0, ships.count(s) - runs.count(s)) / ships.count(s) for s in ships]
        return list(zip(ships, shares if any(shares) else [1] * len(ships), strict=True))

    def _mixed(self):
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
                line *= 3
        if prob.max() > 0:
            prob /= prob.max()
        mean = prob * (1 - (1 / 2) * count) + prob2 * (1 / 2) * count
        return mean

    def _weight(self, index):
        if self._player.version < 5:
            return 1.0
        return 1 - 0.1 * (1.5 * self._distance(index) - index)

    def _distance(self, index):
        if index == len(self._hit) - 1:
            return 0.1
        here, following = self._hit[index : index + 2]
        return sqrt((here[0] - following[0]) ** 2 + (here[1] - following[1]) ** 2)

    def _forget_hits(self, prob):
        for row, line in enumerate(self._board):
            for column, sign in enumerate(line):
                if sign == "B":
                    prob[row, column] = 0


def _sum(values):
    """The sum from left to right; Python's own compensates from version 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


class PlainSimple:
    """One game of random, parity or density: of the highest unknown cells one is drawn."""

    def __init__(self, player, game, generator):
        self._player, self._generator = player, generator

    def shot(self, position):
        """The cell drawn."""
        values = VALUES[type(self._player).__name__](self._player, position)
        unknown = [i for i in range(position.game.cells) if not position.closed >> i & 1]
        most = max(values[i] for i in unknown)
        ties = [i for i in unknown if values[i] == most]
        return position.game.cell(ties[int(self._generator.random() * len(ties))])


def parity_values(player, position):
    """3 beside a hit of no sunk ship, 2 on the pattern, 1 elsewhere; 0 where no ship can be."""
    game, (closed, attacked, _) = position.game, heard(position)
    values = []
    for i in range(game.cells):
        value = 1 if sum(game.cell(i)) % player.modulus else 2
        value = 3 if game.board.sides[i] & attacked else value
        values.append(0 if closed >> i & 1 else value)
    return shown_first(values, position)


def density_values(player, position):
    """What the placements on each cell count."""
    closed, attacked, afloat = heard(position)
    values = [0] * position.game.cells
    for length in afloat:
        for ship in position.game.placements(length):
            if not ship & closed:
                for cell in bits(ship):
                    values[cell] += player.weight ** (ship & attacked).bit_count()
    return shown_first(values, position)


def shown_first(values, position):
    """A cell of a ship that is shown, and not hit, before all others."""
    known = shown_ships(position) & ~position.hits
    return [inf if known >> cell & 1 else value for cell, value in enumerate(values)]


def shown_ships(position):
    """The cells of the ships that hits show."""
    if position.game.announce != "place":
        return 0
    return sum({shot.reply.label for shot in position.shots if shot.reply.hit})


VALUES = {
    "Random": lambda player, position: [1] * position.game.cells,
    "Parity": parity_values,
    "Density": density_values,
}


def heard(position):
    """Cells that no ship afloat can have, hits of no sunk ship, and the lengths afloat."""
    game, closed, hits = position.game, position.misses | position.game.holes, 0
    afloat, waiting = Counter(game.fleet), []  # of the sinkings: cell, length told, hits up to then
    if shown := shown_ships(position):
        for ship in {shot.reply.label for shot in position.shots if shot.reply.hit}:
            closed |= ship | game.halo(ship)
            afloat.subtract([game.kind_of(ship)])
        return closed | shown, 0, tuple(sorted(afloat.elements(), reverse=True))
    for shot in position.shots:
        hits |= game.bit(shot.cell) if shot.reply.hit else 0
        if (
            position.drawn_replies[shot.cell] == SUNK != shot.reply
        ):  # it follows from the names of hits
            ship = game.mask(one.cell for one in position.shots if one.reply == shot.reply)
            closed |= ship | game.halo(ship)
            afloat.subtract([shot.reply.label or 0])
        if shot.reply.sunk:
            waiting.append((game.bit(shot.cell), shot.reply.label, hits))
            afloat.subtract([shot.reply.label] if shot.reply.label else [])
            closed = settled(game, waiting, closed, hits, afloat)
    closed = settled(game, waiting, closed, hits, afloat)
    return closed, hits & ~closed, tuple(sorted(afloat.elements(), reverse=True))


def settled(game, waiting, closed, hits, afloat):
    """Take from those waiting, the first again and again, what is settled; what is closed then."""
    while True:
        for sinking in waiting:
            ships = explanations(game, sinking, closed, hits, afloat)
            if len(ships) == 1:
                break
        else:
            return closed
        waiting.remove(sinking)
        closed |= ships[0] | game.halo(ships[0])
        afloat.subtract([] if sinking[1] else [game.kind_of(ships[0])])


def explanations(game, sinking, closed, hits, afloat):
    """The placements that a sunk ship may have: of the length told, or the longest that fits."""
    cell, told, before = sinking
    for length in [told] if told else sorted(+afloat, reverse=True):
        ships = [
            ship
            for ship in game.placements(length)
            if ship & cell and not ship & (closed | ~before) and not game.halo(ship) & hits
        ]
        if ships:
            return ships
    return []
