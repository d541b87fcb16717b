"""The rules and the strategies by their definitions, in plain Python: what the fuzz test believes.

Nothing of optsearch is imported. It shares with it only the text of games, cells and replies: ships
are placed here, contact rules checked pair by pair, replies given, and every value found by trying
all shots. So it is for two dozen configurations.

A ship is a mask of cells, a configuration the sorted tuple of its ships, those of each kind by
themselves where ships have letters; the bit of a cell is row * columns + column. A reply is its
text. A state is the set of configurations left and the mask of the cells hit.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import inf
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple


class State(NamedTuple):
    """The configurations that the replies so far leave, and the cells hit."""

    family: frozenset
    hits: int = 0


def ones(mask):
    """The places of the bits of a mask."""
    return (i for i in range(mask.bit_length()) if mask >> i & 1)


# Ships that are no straight lines, as the commands name them: every way to lie, row / row
LYING = {
    "V3": ("#./##", ".#/##", "##/#.", "##/.#"),
    "V3-fixed": ("#./##",),
    "##-fixed": ("##",),
    "O4": ("##/##",),
    "T4": ("###/.#.", ".#./###", "#./##/#.", ".#/##/.#"),
    "S4-onesided": (".##/##.", "#./##/.#"),
    "L4": (
        *("#./#./##", ".#/.#/##", "##/#./#.", "##/.#/.#"),
        *("###/#..", "###/..#", "#../###", "..#/###"),
    ),
    "L4-fixed": ("#./#./##",),
    "U5": ("#.#/###", "###/#.#", "##/#./##", "##/.#/##"),
}


# Steps to the cells that touch along a side, and at a corner; the directions in which ships lie
SQUARES = [(0, 1), (1, 0), (0, -1), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)], [(0, 1), (1, 0)]
HEXAGONS = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, -1), (-1, 1)], [], [(0, 1), (1, 0), (1, -1)]
BOARDS = {"rectangle": SQUARES, "cylinder": SQUARES, "torus": SQUARES, "hex": HEXAGONS}


def orientation(kind, cells, cell):
    rows, columns = (len({*places}) for places in zip(*cells, strict=True))
    return {(True, False): "along", (False, True): "down"}.get((rows == 1, columns == 1))


RULES_FILE = Path(__file__).with_name("rules.py")
USERS_RULES = {  # its rules by their text, once more: of a ship, its cells and the one hit
    f"{RULES_FILE}:parity": lambda kind, cells, cell: ("even", "odd")[len(cells) % 2],
    f"{RULES_FILE}:ends": lambda kind, cells, cell: (
        "end" if cell in (min(cells), max(cells)) else None
    ),
    f"{RULES_FILE}:orientation": orientation,
}


@dataclass(frozen=True)
class Rules:
    """A grid, a fleet, the two rules, as the commands name them, holes (cells), and the board.

    A ship is its length, a length with a letter as "3a", or a name of LYING on boards of squares.
    On a cylinder the last column is beside the first, on a torus the last row too. tells -- for a
    rule that is none of those named: of a ship, its cells and the one that is hit, (row, column),
    the label of the hit, None for no label. ends -- "hit" if the first hit ends the game.
    """

    rows: int
    columns: int
    fleet: tuple
    contact: str = "none"
    announce: str = "nothing"
    holes: tuple = ()
    board: str = "rectangle"
    tells: Callable | None = None
    ends: str = "sunk"

    def __str__(self):
        fleet = ",".join(map(str, self.fleet))
        text = f"{self.rows}x{self.columns}:{fleet}"
        text += f";contact={self.contact}" * (self.contact != "none")
        text += f";announce={self.announce}" * (self.announce != "nothing")
        text += f";ends={self.ends}" * (self.ends != "sunk")
        text += f";holes={','.join(self.names(self.holes))}" * bool(self.holes)
        return text + f";board={self.board}" * (self.board != "rectangle")

    @property
    def cells(self):
        return self.rows * self.columns

    def name(self, cell):
        row, column = divmod(cell, self.columns)
        return f"{ascii_uppercase[column]}{row + 1}"

    def names(self, cells):
        return [self.name(cell) for cell in sorted(cells)]

    def cell(self, name):
        return (int(name[1:]) - 1) * self.columns + ascii_uppercase.index(name[0])

    @cached_property
    def configurations(self):
        """Every way to place the fleet; equal ships are not told apart."""
        fleets = {frozenset()}
        for kind in self.fleet:
            place = self.fleet.index(kind) if self.has_letters else 0
            fleets = {
                placed | {(place, ship)}
                for placed in fleets
                for ship in self._placements(kind)
                if all(self._may_stand(ship, other) for _, other in placed)
            }
        bit = {(row, column): 1 << row * self.columns + column for row, column in self._all()}
        masks = ([(place, sum(map(bit.get, ship))) for place, ship in ships] for ships in fleets)
        return frozenset(tuple(mask for _, mask in sorted(ships)) for ships in masks)

    @property
    def has_letters(self):
        return any(str(ship)[0].isdigit() and str(ship)[-1].isalpha() for ship in self.fleet)

    def _all(self):
        return product(range(self.rows), range(self.columns))

    def _placements(self, length):
        for row in range(self.rows):
            for column in range(self.columns):
                for cells in self._lying(length):
                    ship = {self._on((row + i, column + j)) for i, j in cells}
                    if None in ship or len(ship) < len(cells):
                        continue
                    if all(row * self.columns + column not in self.holes for row, column in ship):
                        yield frozenset(ship)

    def _on(self, place):
        """The cell at a place, maybe round the board; None off it."""
        row, column = place
        if self.board in ("cylinder", "torus"):
            column %= self.columns
        if self.board == "torus":
            row %= self.rows
        return (row, column) if 0 <= row < self.rows and 0 <= column < self.columns else None

    def _lying(self, ship):
        """The cells of each way to lie, from the first row and column on."""
        if ship not in LYING:
            length = int(str(ship).rstrip("abc"))
            return [
                [(down * i, right * i) for i in range(length)]
                for down, right in BOARDS[self.board][2]
            ]
        return [
            [(i, j) for i, row in enumerate(d.split("/")) for j, s in enumerate(row) if s == "#"]
            for d in LYING[ship]
        ]

    @cached_property
    def kinds(self):
        """The ship of the fleet that lies on some cells, a mask."""
        return {
            sum(1 << row * self.columns + column for row, column in cells): ship
            for ship in self.fleet
            for cells in self._placements(ship)
        }

    def _may_stand(self, ship, other):
        sides, corners, _ = BOARDS[self.board]
        steps = {"none": [*sides, *corners], "corner": sides, "any": []}[self.contact]
        closed = {self._on((row + i, column + j)) for row, column in ship for i, j in steps}
        return not other & (ship | closed)

    def lying_text(self, ship):
        """A straight ship by its first and last cell, any other and one over a seam by all."""
        cells = [cell for cell in range(self.cells) if ship >> cell & 1]
        names = self.names(cells)
        first, last = (divmod(cell, self.columns) for cell in (cells[0], cells[-1]))
        far = max(abs(start - end) for start, end in zip(first, last, strict=True))
        if self.kinds[ship] in LYING or far >= len(cells):
            return "+".join(names)
        return names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}"

    def label(self, ship, cell):
        """What `tells` returns of a cell of a ship, both as masks and bits are."""
        cells = [divmod(i, self.columns) for i in range(self.cells) if ship >> i & 1]
        return self.tells(self.kinds[ship], cells, divmod(cell, self.columns))

    @cached_property
    def is_silent(self):
        """Whether no hit tells anything."""
        if self.tells is None:
            return self.announce == "nothing"
        hits = ((ship, cell) for ship in self.kinds for cell in range(self.cells))
        return all(self.label(ship, cell) is None for ship, cell in hits if ship >> cell & 1)

    def reply(self, ships, hits, cell):
        for number, ship in enumerate(ships):
            if ship >> cell & 1:
                if self.tells is not None:
                    label = self.label(ship, cell)
                    return "hit" if label is None else f"hit:{label}"
                if self.announce == "name":
                    in_order = sorted(self.fleet, key=self.fleet.index)
                    return f"hit:{in_order[number] if self.has_letters else self.kinds[ship]}"
                if self.announce == "place":
                    return f"hit:{self.lying_text(ship)}"
                is_sunk = ship & ~hits == 1 << cell
                if is_sunk and self.announce == "sunk":
                    return "sunk"
                if is_sunk and self.announce == "ship":
                    return f"sunk:{self.kinds[ship]}"
                return "hit"
        return "miss"


class Definition:
    """The values and the strategies of one game, from a state on."""

    def __init__(self, rules, shots=(), weights=None):
        """shots -- pairs of a cell and the reply; the root is the state that they leave.

        weights -- the weight of each configuration, 0 for those not there; without them each is 1.
        Every number of configurations is then a weight.
        """
        self.rules = rules
        self.weights = weights
        possible = rules.configurations
        if weights is not None:
            possible = frozenset(ships for ships in possible if weights.get(ships, 0) > 0)
        self.root = State(possible)
        for cell, reply in shots:
            self.root = self.parts(self.root, cell)[reply]
        values = self.optimum, self.greedy, self.lasting, self.finished
        for function in (*values, self.rolled, self.by_level):
            setattr(self, function.__name__, cache(function))

    @property
    def is_silent(self):
        return self.rules.is_silent

    # One state

    def weight(self, family):
        """How many configurations these are, or what they weigh."""
        return len(family) if self.weights is None else sum(self.weights[ships] for ships in family)

    def parts(self, state, cell):
        """The state after each reply to a shot."""
        families = {}
        for ships in state.family:
            families.setdefault(self.rules.reply(ships, state.hits, cell), set()).add(ships)
        return {
            reply: State(frozenset(family), state.hits | (reply != "miss") << cell)
            for reply, family in families.items()
        }

    def counts(self, state):
        """For each cell that may still be hit, ascending: in how many configurations it is.

        There is none once the game is over.
        """
        counts = Counter()
        if self.rules.ends == "hit" and state.hits:
            return counts
        for ships in state.family:
            for cell in range(self.rules.cells):
                has = sum(ships) & ~state.hits & 1 << cell != 0
                counts[cell] += has * self.weight([ships])
        return {cell: counts[cell] for cell in sorted(counts) if counts[cell]}

    def open(self, state):
        """This state without certain hits, where these tell nothing."""
        counts, total = self.counts(state), self.weight(state.family)
        return {cell: n for cell, n in counts.items() if n < total or not self.is_silent}

    def tied(self, state):
        """What greedy chooses from."""
        counts = self.open(state)
        return [cell for cell, n in counts.items() if n == max(counts.values())]

    def certain(self, state):
        """The first certain hit where it is free; None elsewhere."""
        free = self.counts(state).keys() - self.open(state).keys()
        return min(free, default=None)

    # Values: the total of shots over all configurations

    def optimum(self, state):
        return min(self.firsts(state).values(), default=0)

    def firsts(self, state):
        """For each cell: the least total when it is shot first."""
        return {cell: self.after(state, cell, self.optimum) for cell in self.counts(state)}

    def after(self, state, cell, value, *arguments):
        return self.weight(state.family) + sum(
            value(part, *arguments) for part in self.parts(state, cell).values()
        )

    def best(self, state):
        """The cells that an optimal strategy can shoot first."""
        firsts = self.firsts(state)
        return {cell for cell, total in firsts.items() if total == min(firsts.values())}

    def greedy(self, state, end):
        """The total of the best (end=min) or the worst (end=max) greedy strategy."""
        free = self.certain(state)
        cells = self.tied(state) if free is None else [free]
        return end((self.after(state, c, self.greedy, end) for c in cells), default=0)

    def lasting(self, state, shots):
        """The least total where none may need more than so many shots."""
        return min(self.lasting_firsts(state, shots).values(), default=0)

    def lasting_firsts(self, state, shots):
        cells = self.counts(state)
        if not shots:
            return dict.fromkeys(cells, inf)
        return {cell: self.after(state, cell, self.lasting, shots - 1) for cell in cells}

    def worst(self):
        """The fewest shots that always suffice."""
        return next(n for n in range(self.rules.cells + 1) if self.lasting(self.root, n) < inf)

    def finished(self, state, shots):
        """The most configurations that end within so many shots."""
        return max(self.finished_firsts(state, shots).values(), default=self.weight(state.family))

    def finished_firsts(self, state, shots):
        if not shots:
            return dict.fromkeys(self.counts(state), 0)
        return {
            cell: sum(self.finished(part, shots - 1) for part in self.parts(state, cell).values())
            for cell in self.counts(state)
        }

    # Strategies

    def played(self, choose, weight=None):
        """How many configurations a rule of choice finishes after each number of shots.

        weight -- of a family, where that is not `self.weight`.
        """
        histogram, weight = Counter(), weight or self.weight

        def play(state, shots):
            if not self.counts(state):
                histogram[shots] += weight(state.family)
                return
            for part in self.parts(state, choose(state)).values():
                play(part, shots + 1)

        play(self.root, 0)
        return histogram

    def order(self, ties):
        """The cells as ties are broken by a rule of this name."""
        cells = [divmod(cell, self.rules.columns) for cell in range(self.rules.cells)]
        middle = (self.rules.rows - 1) / 2, (self.rules.columns - 1) / 2
        keys = {
            "first": lambda cell: cell,
            "last": lambda cell: (-cell[0], -cell[1]),
            "checkerboard": lambda cell: ((cell[0] + cell[1]) % 2, cell),
            "central": lambda cell: (
                (cell[0] - middle[0]) ** 2 + (cell[1] - middle[1]) ** 2,
                cell,
            ),
        }
        return [row * self.rules.columns + column for row, column in sorted(cells, key=keys[ties])]

    def greedy_rule(self, name):
        """The choice of `optsearch greedy` with a rule, best and worst aside."""

        def left(state, cell):
            """The squares of what is left after this shot and a greedy one: one time each."""
            total = 0
            for part in self.parts(state, cell).values():
                tied = self.tied(part)
                parts_after = self.parts(part, tied[0]).values() if tied else [part]
                total += sum(self.weight(last.family) ** 2 for last in parts_after)
            return total

        def choose(state):
            free = self.certain(state)
            if free is not None:
                return free
            if name == "remainder":
                return min(self.tied(state), key=lambda cell: left(state, cell))
            return min(self.tied(state), key=self.order(name).index)

        return choose

    def player(self, ties, endgame):
        """The choice of the strategy `greedy`."""
        order = self.order(ties)

        def choose(state):
            if len(state.family) > endgame:
                counts = self.counts(state)
                return min(counts, key=lambda cell: (-counts[cell], order.index(cell)))
            free = self.certain(state)
            return min(self.best(state), key=order.index) if free is None else free

        return choose

    def rolled(self, state):
        """The total of the greedy that the strategy `rollout` looks ahead with."""
        counts = self.counts(state)
        if len(state.family) <= 4 or not counts:
            return self.optimum(state)
        return self.after(state, min(counts, key=lambda cell: (-counts[cell], cell)), self.rolled)

    def rollout(self, candidates, percent, endgame, levels=(), until=0):
        """The choice of the strategy `rollout`, without samples.

        levels -- of each policy that compares with at most `until` configurations, greedy first:
        with how many it is the one below, how many cells it compares, how many hundredths of a
        miss per configuration above the cheapest a cell may be that goes on, how many go on.
        """

        def choose(state):
            free = self.certain(state)
            if free is not None:
                return free
            if len(state.family) <= endgame:
                return min(self.best(state))
            chosen = self.likely(state, candidates, percent)
            compared = levels if len(state.family) <= until else (None,)
            return self.compared(state, chosen, percent, compared)

        return choose

    def likely(self, state, candidates, percent):
        """The cells that are compared."""
        counts = self.open(state)
        chosen = []
        for cell in sorted(counts, key=lambda cell: (-counts[cell], cell)):
            if 100 * counts[cell] < percent * max(counts.values()) or len(chosen) == candidates:
                break
            if not any(self.implies(state, cell, other) for other in chosen):
                chosen.append(cell)
        return chosen

    def compared(self, state, chosen, percent, levels):
        """The cell that is left when each level has compared those before it left."""
        for i, level in enumerate(levels, 1):
            costs = {
                cell: self.after(state, cell, self.by_level, percent, levels[:i]) for cell in chosen
            }
            chosen = sorted(chosen, key=costs.get)
            if i < len(levels):
                _, _, margin, width = level
                margin_in_all = margin * 4096 // 100 * len(state.family)  # in misses times 4096
                close = [c for c in chosen if 4096 * (costs[c] - costs[chosen[0]]) <= margin_in_all]
                chosen = close[:width]
        return chosen[0]

    def by_level(self, state, percent, levels):
        """The total of the last of some levels."""
        while len(levels) > 1 and len(state.family) <= levels[-1][0]:
            levels = levels[:-1]
        if len(levels) == 1 or not self.counts(state):
            return self.rolled(state)
        cell = self.certain(state)
        if cell is None:
            chosen = self.likely(state, levels[-1][1], percent)
            cell = self.compared(state, chosen, percent, levels[:-1])
        return self.after(state, cell, self.by_level, percent, levels)

    def within(self, limit, candidates, percent):
        """How many configurations the strategy `within` finishes after each number of shots."""
        histogram = Counter()

        def in_time(state, left, cell=None):
            counts = self.counts(state)
            if not counts:
                return len(state.family)
            if left <= 0:
                return 0
            cell = min(counts, key=lambda c: (-counts[c], c)) if cell is None else cell
            return sum(in_time(part, left - 1) for part in self.parts(state, cell).values())

        def play(state, shots):
            counts = self.counts(state)
            if not counts:
                histogram[shots] += len(state.family)
                return
            ranked = sorted(counts, key=lambda cell: (-counts[cell], cell))
            threshold = percent * counts[ranked[0]]
            chosen = [cell for cell in ranked if 100 * counts[cell] >= threshold][:candidates]
            best = max(chosen, key=lambda cell: in_time(state, limit - shots, cell))
            for part in self.parts(state, best).values():
                play(part, shots + 1)

        play(self.root, 0)
        return histogram

    def implies(self, state, cell, other):
        """Whether nothing is announced and another cell is in every configuration with this."""
        return self.is_silent and all(
            sum(ships) >> other & 1 for ships in state.family if sum(ships) >> cell & 1
        )


class Misses:
    """The least cost of the misses until one of some sets is left, by trying all shots.

    sets -- of cells, as masks, with their weights; a family is a mask of indices. objective -- of
    "mean", a miss costs the weight of the sets that it misses; of "worst", infinitely much once no
    more misses are in the budget; of "within", nothing until then. told -- what a hit tells, of an
    index, the cells hit before and the cell; without it nothing.
    """

    def __init__(self, sets, weights, objective="mean", told=None):
        self.sets, self.weights, self.objective, self.told = sets, weights, objective, told
        self.everything = (1 << len(sets)) - 1
        self.columns = Counter()  # the sets that have a cell
        for i, cells in enumerate(sets):
            self.columns.update(dict.fromkeys(ones(cells), 1 << i))
        for function in (self.value, self.greedy):
            setattr(self, function.__name__, cache(function))

    def weight(self, family):
        return sum(weight for i, weight in enumerate(self.weights) if family >> i & 1)

    def price(self, missed, budget):
        """What one miss costs."""
        if self.objective == "worst" and missed and budget == 0:
            return inf
        return self.weight(missed) if self.objective != "within" or budget == 0 else 0

    def parts(self, family, cell, hits=0):
        """The sets that a shot misses, and those of each reply to a hit."""
        has = family & self.columns[cell]
        if self.told is None:
            return family & ~has, [has]
        replies = Counter()
        for i in ones(has):
            replies[self.told(i, hits, cell)] += 1 << i
        return family & ~has, [*replies.values()]

    def shots(self, family, hits=0):
        """The cells that divide a family, and where hits tell something all that may be hit."""
        columns = self.columns.items()
        if self.told is None:
            return [cell for cell, has in columns if 0 < family & has < family]
        return [cell for cell, has in columns if family & has and not hits >> cell & 1]

    def value(self, family, budget=-1, hits=0):
        """The least cost with a budget of misses, if the objective is not the mean."""
        if family & family - 1 == 0 or (self.objective == "within" and budget < 0):
            return 0
        shots = self.shots(family, hits)
        return min((self.after(family, cell, budget, hits) for cell in shots), default=0)

    def after(self, family, cell, budget=-1, hits=0):
        """The least cost when this cell is shot first."""
        missed, hit = self.parts(family, cell, hits)
        cost = self.price(missed, budget)
        if cost == inf:
            return inf
        left = budget if self.objective == "mean" else budget - 1
        after = hits if self.told is None else hits | 1 << cell
        for part in hit:
            cost += self.value(part, budget, after)
        return cost + self.value(missed, left, hits)

    def best(self, family):
        """The cells that an optimal strategy can shoot first."""
        optimum = self.value(family)
        return {cell for cell in self.shots(family) if self.after(family, cell) == optimum}

    def greedy(self, family, end):
        """The misses of the best (end=min) or the worst (end=max) greedy strategy."""
        parts = [self.parts(family, cell) for cell in self.shots(family)]
        fewest = min((self.weight(missed) for missed, _ in parts), default=0)
        return end(
            (
                fewest + self.greedy(missed, end) + sum(self.greedy(part, end) for part in hit)
                for missed, hit in parts
                if self.weight(missed) == fewest
            ),
            default=0,
        )
