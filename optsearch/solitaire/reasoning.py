"""The reasoning of a person: the next cells that follow, the reason, and the grade of a puzzle.

A step follows from one fact alone: two cells that touch, a row, a column, one ship, the ships of
one length. No ship lies where a count forbids it. If no step follows, a cell is supposed to be ship
or water until that contradicts itself; the *depth* of a supposition is the number of suppositions
that are open at once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from operator import and_, or_
from typing import NamedTuple

from optsearch.game import Cell, bits, cell_name
from optsearch.game.names import LEVELS
from optsearch.solitaire.puzzle import SHIP, WATER, Clue, Puzzle, piece_text
from optsearch.support.errors import PuzzleError, TooLarge

RULES = ("touch", "row", "column", "ship", "line", "fleet", "supposition")  # easiest first
_KEPT = 1 << 16  # cached answers about places of ships


@dataclass(frozen=True)
class Step:
    """Cells that follow together.

    cells, value -- the cells, and their value, `ship` or `water`; rule -- one of `RULES`; reason --
    a sentence for people; depth -- of suppositions, 0 without one; chain -- the steps that follow
    from a supposition until it contradicts itself.
    """

    cells: tuple[Cell, ...]
    value: str
    rule: str
    reason: str
    depth: int = 0
    chain: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Grade:
    """The difficulty of a puzzle for a person.

    steps -- in order. depth -- of the deepest supposition. level -- one of `LEVELS`: easy needs
        only cells that touch and lines that are full; medium also ships, and the ways to fill a
        line; hard and very hard need suppositions of depth 1 and 2; beyond was not solved.
    is_solved -- True if the steps solve the puzzle. is_cut_short -- True if the time was over.
    """

    steps: tuple[Step, ...]
    depth: int
    level: str
    is_solved: bool
    is_cut_short: bool = False

    @property
    def rules(self) -> dict[str, int]:
        """Count the steps of each rule that was used."""
        number = Counter(step.rule for step in self.steps)
        return {rule: number[rule] for rule in RULES if number[rule]}


class Contradiction(Exception):
    """The knowledge so far contradicts itself; the message says why."""


class _Deduced(NamedTuple):
    """Cells (a mask) that follow together, and why."""

    mask: int
    value: str
    rule: str
    reason: str

    def step(self, puzzle: Puzzle) -> Step:
        """Return the deduction as a step, with its cells."""
        return Step(tuple(puzzle.cells_of(self.mask)), self.value, self.rule, self.reason)


class _CountedLine(NamedTuple):
    """A row or column with a count, by its kind and name; on -- the places with a cell in it."""

    kind: str
    name: str
    number: int
    mask: int
    on: int


class _InCommon(NamedTuple):
    """Cells of some places: those of all ships, and of any; each also with the cells around."""

    all_ships: int
    any_ship: int
    all_closed: int
    any_closed: int


class _Places:
    """The places where ships of a puzzle may lie, by number. A set of places is a mask of numbers.

    cells, closed -- for each place the ship (mask), and the ship with the cells around it.
    of_length -- for each length: the length, the number of its ships, its places. on, beside,
    near -- for each cell the places of ships on it, beside it, and both together.
    """

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.cells = [ship for length in puzzle.lengths for ship in puzzle.allowed(length)]
        self.closed = [puzzle.closed(ship) for ship in self.cells]
        number = puzzle.rows * puzzle.columns
        self.on, self.beside = [0] * number, [0] * number
        for place, (ship, closed) in enumerate(zip(self.cells, self.closed, strict=True)):
            for cell in bits(ship):
                self.on[cell] |= 1 << place
            for cell in bits(closed & ~ship):
                self.beside[cell] |= 1 << place
        self.of_length = [
            (length, puzzle.fleet.count(length), self._of_length(length))
            for length in puzzle.lengths
        ]
        self.near = [on | beside for on, beside in zip(self.on, self.beside, strict=True)]
        self.corners = [self._corners(*puzzle.cell(cell)) for cell in range(number)]
        self.lines = list(self._lines())
        self.common = lru_cache(_KEPT)(self._common)
        self.fillings = lru_cache(_KEPT)(self._fillings)

    def _of_length(self, length: int) -> int:
        return sum(1 << i for i, ship in enumerate(self.cells) if ship.bit_count() == length)

    def _corners(self, i: int, j: int) -> int:
        """Return the mask of the cells that touch a cell at its corners."""
        puzzle = self.puzzle
        return sum(
            puzzle.bit((a, b))
            for a in (i - 1, i + 1)
            for b in (j - 1, j + 1)
            if 0 <= a < puzzle.rows and 0 <= b < puzzle.columns
        )

    def _lines(self) -> Iterator[_CountedLine]:
        puzzle = self.puzzle
        for kind, counts, masks in (
            ("row", puzzle.row_counts, puzzle.row_masks),
            ("column", puzzle.column_counts, puzzle.column_masks),
        ):
            for index, (count, mask) in enumerate(zip(counts, masks, strict=True)):
                if count is not None:
                    name = str(Clue(kind, index, count)).partition(" = ")[0]
                    on = reduce(or_, (self.on[cell] for cell in bits(mask)))
                    yield _CountedLine(kind, name, count, mask, on)

    def _common(self, places: int) -> _InCommon:
        """Return the common cells of one or more places."""
        numbers = list(bits(places))
        ships, closed = [self.cells[i] for i in numbers], [self.closed[i] for i in numbers]
        return _InCommon(*(reduce(both, sets) for sets in (ships, closed) for both in (and_, or_)))

    def _fillings(
        self, line: _CountedLine, places: int, ship: int, elsewhere: int
    ) -> tuple[int, int] | None:
        """Return the cells of a line that are a ship in some filling, and that are water in some.

        None if there is no filling. places -- those with a cell in the line; ship -- its known ship
        cells; elsewhere -- the places of ships that are known to lie outside the line.
        """
        cells = list(bits(line.mask))
        index_of = {cell: i for i, cell in enumerate(cells)}
        begins: list[set[int]] = [set() for _ in cells]  # lengths, 0 for a ship that crosses
        for place in bits(places):
            cells_of_ship = self.cells[place]
            in_line = cells_of_ship & line.mask
            first = index_of[(in_line & -in_line).bit_length() - 1]
            begins[first].add(cells_of_ship.bit_count() if in_line == cells_of_ship else 0)
        limits = [0] * (self.puzzle.lengths[0] + 1)  # ships of each length that it can have
        for length, number, of_length in self.of_length:
            limits[length] = number - (elsewhere & of_length).bit_count()
        pieces = tuple(tuple(sorted(lengths)) for lengths in begins)
        ship_in_line = sum(1 << i for i, cell in enumerate(cells) if ship >> cell & 1)
        fillings = _fillings(len(cells), line.number, ship_in_line, pieces, tuple(limits))
        if fillings is None:
            return None
        can_be_ship, can_be_water = (
            sum(1 << cell for i, cell in enumerate(cells) if mask >> i & 1) for mask in fillings
        )
        return can_be_ship, can_be_water


class _Knowledge:
    """The knowledge of each cell, and of the places where ships can still lie.

    ship, water, unknown -- cells (masks). live -- the places that are left. placed -- the live
    places on which a whole ship is known to lie, with water around.
    """

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.places = _Places(puzzle)
        revealed = dict(puzzle.revealed)
        self.water = sum(puzzle.bit(cell) for cell, value in revealed.items() if value == WATER)
        self.ship = sum(map(puzzle.bit, revealed)) & ~self.water
        self.unknown = puzzle.everywhere & ~self.ship & ~self.water
        self.live = (1 << len(self.places.cells)) - 1
        self._look_again(puzzle.everywhere)

    def copy(self) -> _Knowledge:
        """Return a copy that can be changed independently."""
        other = object.__new__(_Knowledge)
        other.__dict__.update(self.__dict__)
        return other

    def learn(self, mask: int, value: str) -> None:
        """Mark some unknown cells as known; Contradiction if too few places are left."""
        if value == SHIP:
            self.ship |= mask
        else:
            self.water |= mask
        self.unknown &= ~mask
        excluded = self.places.beside if value == SHIP else self.places.on
        for cell in bits(mask):
            self.live &= ~excluded[cell]
        self._look_again(mask)

    def _look_again(self, changed: int) -> None:
        """Remove places by the counts of the lines that changed, and by the numbers of ships."""
        places = self.places
        for line in places.lines:
            if line.mask & changed:
                self._keep_count(line)
        unsettled = 0
        for cell in bits(self.unknown):
            unsettled |= places.near[cell]
        self.placed = self.live & ~unsettled
        for length, number, of_length in places.of_length:
            placed = self.placed & of_length
            if placed.bit_count() > number:
                text = _ships(placed.bit_count(), length)
                raise Contradiction(f"{text} would be there, not {number}")
            if placed.bit_count() == number:
                self.live &= placed | ~of_length
            places_left = (self.live & of_length).bit_count()
            if places_left < number:
                text = "1 place is" if places_left == 1 else f"{places_left or 'no'} places are"
                raise Contradiction(f"{text} left for {_ships(number, length)}")

    def _keep_count(self, line: _CountedLine) -> None:
        """Remove places that give a line too many ship cells, or too little room for them."""
        places, longest = self.places, self.puzzle.lengths[0]
        unknown = list(bits(line.mask & self.unknown))
        missing = line.number - (self.ship & line.mask).bit_count()
        spare = len(unknown) - missing
        if missing < 0 or spare < 0:
            self.live = 0
            return
        if missing < longest:
            self.live &= ~_in_more_than(missing, [places.on[cell] for cell in unknown])
        if spare < longest + 2:
            self.live &= ~_in_more_than(spare, [places.beside[cell] for cell in unknown])


def _in_more_than(number: int, sets: list[int]) -> int:
    """Return the members of more than `number` of the sets (masks)."""
    in_more_than = [0] * (number + 1)  # in more than 0, 1, … of the sets so far
    for members in sets:
        for n in range(number, 0, -1):
            in_more_than[n] |= in_more_than[n - 1] & members
        in_more_than[0] |= members
    return in_more_than[number]


def _ships(number: int, length: int) -> str:
    return f"{number} ship{'' if number == 1 else 's'} of length {length}"


# The rules, easiest first


def _touch_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    puzzle = knowledge.puzzle
    for index in bits(knowledge.ship):
        corners = knowledge.places.corners[index]
        if not corners & ~knowledge.water:
            continue
        name = cell_name(puzzle.cell(index))
        if corners & knowledge.ship:
            other = cell_name(puzzle.cells_of(corners & knowledge.ship)[0])
            raise Contradiction(f"{name} and {other} touch at a corner")
        reason = f"ships do not touch {name} at its corners"
        yield _Deduced(corners & knowledge.unknown, WATER, "touch", reason)


def _line_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    for kind, name, count, mask, _ in knowledge.places.lines:
        ships = (knowledge.ship & mask).bit_count()
        free = knowledge.unknown & mask
        room = ships + free.bit_count()
        if ships > count:
            raise Contradiction(f"{name} has {_cells_text(ships)}, not {count}")
        if room < count:
            raise Contradiction(f"{name} has room for {room or 'no'} ship cells, not {count}")
        if free and ships == count:
            yield _Deduced(free, WATER, kind, f"{name} has its {_cells_text(count)} already")
        elif free and room == count:
            reason = f"{name} needs all cells left for its {_cells_text(count)}"
            yield _Deduced(free, SHIP, kind, reason)


def _cells_text(count: int) -> str:
    return f"{count} ship cell{'' if count == 1 else 's'}"


def _ship_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield the common cells of all places of a ship with a known cell."""
    for index in bits(knowledge.ship):
        places = knowledge.live & knowledge.places.on[index]
        if not places:
            raise Contradiction(f"no ship can lie on {cell_name(knowledge.puzzle.cell(index))}")
        common = knowledge.places.common(places)
        for mask, value, end in (
            (common.all_ships, SHIP, "all with these cells"),
            (common.all_closed & ~common.any_ship, WATER, "and touches these"),
        ):
            if mask & knowledge.unknown:
                reason = (
                    f"{_ship_on(knowledge.puzzle, index)} has {_places_text(places)} to lie, {end}"
                )
                yield _Deduced(mask & knowledge.unknown, value, "ship", reason)


def _ship_on(puzzle: Puzzle, index: int) -> str:
    cell = puzzle.cell(index)
    value = dict(puzzle.revealed).get(cell, SHIP)
    ship = f"the ship on {cell_name(cell)}"
    return ship if value == SHIP else f"{ship}, its {piece_text(value)},"


def _places_text(places: int) -> str:
    return "one place" if places.bit_count() == 1 else f"{places.bit_count()} places"


def _filling_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield the cells that are alike in every way to lay ships in a line with its count."""
    places = knowledge.places
    for line in places.lines:
        if not knowledge.unknown & line.mask:
            continue
        elsewhere = knowledge.placed & ~line.on
        fillings = places.fillings(
            line, knowledge.live & line.on, knowledge.ship & line.mask, elsewhere
        )
        cells = _cells_text(line.number)
        if fillings is None:
            raise Contradiction(f"no way is left to lay {cells} in {line.name}")
        for value, contrary in ((SHIP, fillings[1]), (WATER, fillings[0])):
            if mask := knowledge.unknown & line.mask & ~contrary:
                reason = f"so it is in every way to lay ships with {cells} in {line.name}"
                yield _Deduced(mask, value, "line", reason)


_Pieces = tuple[tuple[int, ...], ...]


def _fillings(
    size: int, count: int, ship: int, pieces: _Pieces, limits: tuple[int, ...]
) -> tuple[int, int] | None:
    """Return the cells of a line that are a ship in some filling, and those that are water in one.

    None if there is no filling. ship -- the known ship cells; pieces -- the lengths that can begin
    at each cell, 0 for a ship that crosses the line; limits -- the most ships of each length.
    """

    @cache
    def fill_from(at: int, left: int, limits: tuple[int, ...]) -> tuple[int, int] | None:
        if left > max(0, size - at):
            return None
        if at >= size:
            return 0, 0
        ways = []
        if not ship >> at & 1 and (way := fill_from(at + 1, left, limits)):
            ways.append((way[0], way[1] | 1 << at))
        for length in pieces[at]:
            after = at + (length or 1)
            if after - at > left or ship >> after & 1 or (length and not limits[length]):
                continue
            fewer = limits
            if length:
                fewer = (*limits[:length], limits[length] - 1, *limits[length + 1 :])
            if way := fill_from(after + 1, left - (after - at), fewer):
                shore = 1 << after if after < size else 0
                ways.append((way[0] | (1 << after) - (1 << at), way[1] | shore))
        if not ways:
            return None
        can_be_ship = can_be_water = 0
        for with_ship, with_water in ways:
            can_be_ship |= with_ship
            can_be_water |= with_water
        return can_be_ship, can_be_water

    return fill_from(0, count, limits)


def _fleet_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    places = knowledge.places
    nowhere = sum(
        1 << cell for cell in bits(knowledge.unknown) if not knowledge.live & places.on[cell]
    )
    for length, number, of_length in places.of_length:
        left = number - (knowledge.placed & of_length).bit_count()
        still_open = knowledge.live & of_length & ~knowledge.placed
        is_forced = still_open.bit_count() == left
        if not left or not (is_forced or left == 1):
            continue
        common = places.common(still_open)
        ships = common.any_ship if is_forced else common.all_ships
        around = common.any_closed & ~ships if is_forced else 0
        name = "ship" if left == 1 else f"{left} ships"
        where = f"{still_open.bit_count()} place{'' if still_open.bit_count() == 1 else 's'}"
        for mask, value in ((ships, SHIP), (around, WATER)):
            if mask & knowledge.unknown:
                reason = f"the {name} of length {length} still to find can lie in {where} only"
                yield _Deduced(mask & knowledge.unknown, value, "fleet", reason)
    if nowhere & knowledge.unknown:
        reason = "no ship still to find fits there"
        yield _Deduced(nowhere & knowledge.unknown, WATER, "fleet", reason)


_RULES = (_touch_rule, _line_rule, _ship_rule, _filling_rule, _fleet_rule)


def _easiest(knowledge: _Knowledge) -> _Deduced | None:
    """Return a deduction by the easiest rule that has one, or None; may raise Contradiction."""
    return next((deduced for rule in _RULES for deduced in rule(knowledge)), None)


def _apply_rules(knowledge: _Knowledge) -> None:
    """Learn all that follows by the rules; may raise Contradiction."""
    rules = iter(_RULES)
    while (rule := next(rules, None)) is not None:
        before = knowledge.unknown
        for deduced in rule(knowledge):
            knowledge.learn(deduced.mask, deduced.value)
        if knowledge.unknown != before:
            rules = iter(_RULES)


# Suppositions


class _Suppositions:
    """A search for suppositions that lead to a contradiction.

    end -- the time when it ends, or None.
    """

    def __init__(self, end: float | None):
        self._end = end

    def _tick(self) -> None:
        if self._end is not None and time.monotonic() > self._end:
            raise TooLarge("the time for suppositions is over")

    def first(self, knowledge: _Knowledge, depth: int) -> Step | None:
        """Return a cell whose contrary contradicts itself at the least depth, or None."""
        supposition = self._find(knowledge, depth)
        return supposition and self._explain(knowledge.copy(), *supposition)

    def _find(self, knowledge: _Knowledge, depth: int) -> tuple[int, str, int] | None:
        """Return the first supposition that contradicts itself: a cell, its value, and the depth.

        Cells that follow from a supposition without contradiction are not tried: they lead to none.
        """
        for deep in range(1, depth + 1):
            tried = {SHIP: 0, WATER: 0}
            for index in bits(knowledge.unknown):
                for value in (SHIP, WATER):
                    if tried[value] >> index & 1:
                        continue
                    trial = knowledge.copy()
                    try:
                        trial.learn(1 << index, value)
                        self._follow_all(trial, deep - 1)
                    except Contradiction:
                        return index, value, deep
                    tried[SHIP] |= trial.ship
                    tried[WATER] |= trial.water
        return None

    def _follow_all(self, knowledge: _Knowledge, depth: int) -> None:
        """Learn all that follows by suppositions up to a depth; may raise Contradiction."""
        self._tick()
        _apply_rules(knowledge)
        while depth and knowledge.unknown and (supposition := self._find(knowledge, depth)):
            index, value, _ = supposition
            knowledge.learn(1 << index, WATER if value == SHIP else SHIP)
            _apply_rules(knowledge)

    def _explain(self, trial: _Knowledge, index: int, value: str, deep: int) -> Step:
        """Return the step that a supposition gives, with its chain to the contradiction."""
        chain: list[Step] = []
        try:
            trial.learn(1 << index, value)
            while (step := self.next(trial, deep - 1)) is not None:
                trial.learn(sum(map(trial.puzzle.bit, step.cells)), step.value)
                chain.append(step)  # kept where the next one raises
        except Contradiction as why:
            cell = trial.puzzle.cell(index)
            reason = f"if {cell_name(cell)} were {value}: {why}"
            contrary = WATER if value == SHIP else SHIP
            return Step((cell,), contrary, "supposition", reason, deep, tuple(chain))
        raise AssertionError(f"a supposition on {trial.puzzle} does not contradict itself again")

    def next(self, knowledge: _Knowledge, depth: int) -> Step | None:
        """Return the next step, with suppositions up to a depth; may raise Contradiction."""
        deduced = _easiest(knowledge)
        if deduced is not None:
            return deduced.step(knowledge.puzzle)
        self._tick()
        return self.first(knowledge, depth)


def _begin(puzzle: Puzzle) -> _Knowledge:
    total = sum(puzzle.fleet)
    for kind, counts in (("row", puzzle.row_counts), ("column", puzzle.column_counts)):
        count_sum = sum(count or 0 for count in counts)
        if count_sum > total or (count_sum < total and None not in counts):
            raise PuzzleError(
                f"the puzzle contradicts itself: its {kind} counts add up to {count_sum}, and the "
                f"fleet {puzzle.fleet_text} has {total} cells"
            )
    try:
        return _Knowledge(puzzle)
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None


def is_contradictory(puzzle: Puzzle) -> bool:
    """True if the rules find, without a supposition, that the clues cannot hold together."""
    try:
        _apply_rules(_begin(puzzle))
    except (Contradiction, PuzzleError):
        return True
    return False


def explain(puzzle: Puzzle, max_depth: int = 2, time_limit: float | None = None) -> Step | None:
    """Return the next cells that follow from the clues, with the reason; None if nothing does.

    None also if all cells are known. Raises PuzzleError for a puzzle found to contradict itself,
    and TooLarge if the time (seconds) is over.
    """
    knowledge = _begin(puzzle)
    end = None if time_limit is None else time.monotonic() + time_limit
    try:
        return _Suppositions(end).next(knowledge, max_depth)
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None


def grade(puzzle: Puzzle, max_depth: int = 2, time_limit: float | None = None) -> Grade:
    """Return the steps in which a person can solve a puzzle, always the easiest, and its level.

    max_depth -- of suppositions.
    time_limit -- seconds, after which the grade has the steps so far.

    Raises PuzzleError for a puzzle found to contradict itself.
    """
    knowledge = _begin(puzzle)
    end = None if time_limit is None else time.monotonic() + time_limit
    suppositions = _Suppositions(end)
    is_cut_short = False
    steps: list[Step] = []
    try:
        while knowledge.unknown:
            step = suppositions.next(knowledge, max_depth)
            if step is None:
                break
            steps.append(step)
            knowledge.learn(sum(puzzle.bit(cell) for cell in step.cells), step.value)
    except TooLarge:
        is_cut_short = True
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None
    depth = max((step.depth for step in steps), default=0)
    is_medium = any(step.rule in ("ship", "line", "fleet") for step in steps)
    is_solved = not knowledge.unknown
    level = LEVELS[min(depth + 1, 3) if depth else int(is_medium)] if is_solved else LEVELS[-1]
    return Grade(tuple(steps), depth, level, is_solved, is_cut_short)
