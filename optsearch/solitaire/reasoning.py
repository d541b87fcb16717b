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
from optsearch.solitaire.puzzle import SHIP, WATER, Puzzle, piece_text, place_name
from optsearch.support.errors import PuzzleError, TooLarge

RULES = ("touch", "row", "column", "ship", "line", "fleet", "supposition")  # easiest first
_MOST_CACHED = 1 << 16  # answers about places of ships


@dataclass(frozen=True)
class Step:
    """Cells whose value follows from the knowledge so far, all for one reason.

    cells, value -- the cells, and their common value, `ship` or `water`. rule -- one of `RULES`.
    reason -- a sentence for people. depth -- the number of suppositions that are open at once, 0
    if none is needed. chain -- the steps that follow from a supposition until it contradicts
    itself.
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
        counts = Counter(step.rule for step in self.steps)
        return {rule: counts[rule] for rule in RULES if counts[rule]}


class Contradiction(Exception):
    """The knowledge so far contradicts itself; the message says why."""


class _Deduced(NamedTuple):
    """Cells (a mask) whose value follows by a rule, and the reason."""

    mask: int
    value: str
    rule: str
    reason: str

    def step(self, puzzle: Puzzle) -> Step:
        """Return the deduction as a step, with its cells."""
        return Step(tuple(puzzle.cells_of(self.mask)), self.value, self.rule, self.reason)


class _CountedLine(NamedTuple):
    """A row or column with a count.

    kind -- `row` or `column`. name -- such as `row 3`. ship_cells -- its count. mask -- its cells.
    places -- the places of ships with a cell in it.
    """

    kind: str
    name: str
    ship_cells: int
    mask: int
    places: int


class _ShipsOfLength(NamedTuple):
    """The ships of one length: their number in the fleet, and the set of all places for one."""

    length: int
    ships: int
    places: int


class _InCommon(NamedTuple):
    """What some places have in common: masks of cells.

    all_ships, any_ship -- the cells that belong to the ship in every place, or in some place.
    all_closed, any_closed -- the same, where the cells around a ship belong to it.
    """

    all_ships: int
    any_ship: int
    all_closed: int
    any_closed: int


class _Places:
    """All places where a ship of a puzzle may lie, numbered. A set of places is a mask of numbers.

    ship_masks, closed_masks -- for each place the ship, and the ship with the cells around it.
    by_length -- the ships of each length. on, beside, near -- for each cell the set of places
    whose ship covers it, lies beside it, and either.
    """

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.ship_masks = [ship for length in puzzle.lengths for ship in puzzle.allowed(length)]
        self.closed_masks = [puzzle.closed(ship) for ship in self.ship_masks]
        cell_count = puzzle.rows * puzzle.columns
        self.on, self.beside = [0] * cell_count, [0] * cell_count
        masks = zip(self.ship_masks, self.closed_masks, strict=True)
        for place, (ship, closed_mask) in enumerate(masks):
            for cell in bits(ship):
                self.on[cell] |= 1 << place
            for cell in bits(closed_mask & ~ship):
                self.beside[cell] |= 1 << place
        self.by_length = []
        for length in puzzle.lengths:
            places = sum(
                1 << i for i, ship in enumerate(self.ship_masks) if ship.bit_count() == length
            )
            self.by_length.append(_ShipsOfLength(length, puzzle.fleet.count(length), places))
        self.near = [on | beside for on, beside in zip(self.on, self.beside, strict=True)]
        self.corners = [self._corners(*puzzle.cell(cell)) for cell in range(cell_count)]
        self.lines = list(self._counted_lines())
        self.in_common = lru_cache(_MOST_CACHED)(self._in_common)
        self.fill_line = lru_cache(_MOST_CACHED)(self._fill_line)

    def _corners(self, row: int, column: int) -> int:
        """Return the mask of the cells that touch a cell at its corners."""
        puzzle = self.puzzle
        return sum(
            puzzle.bit((i, j))
            for i in (row - 1, row + 1)
            for j in (column - 1, column + 1)
            if 0 <= i < puzzle.rows and 0 <= j < puzzle.columns
        )

    def _counted_lines(self) -> Iterator[_CountedLine]:
        """Yield the rows and then the columns that have a count."""
        puzzle = self.puzzle
        for kind, counts, masks in (
            ("row", puzzle.row_counts, puzzle.row_masks),
            ("column", puzzle.column_counts, puzzle.column_masks),
        ):
            for index, (count, mask) in enumerate(zip(counts, masks, strict=True)):
                if count is not None:
                    name = place_name(kind, index)
                    places = reduce(or_, (self.on[cell] for cell in bits(mask)))
                    yield _CountedLine(kind, name, count, mask, places)

    def _in_common(self, places_mask: int) -> _InCommon:
        """Return which cells a ship covers in all of some places, and which in at least one.

        Both are also given for the ship together with the cells around it.

        places_mask -- a bit for each place, by its number; at least one.
        """
        ship_masks = [self.ship_masks[place] for place in bits(places_mask)]
        closed_masks = [self.closed_masks[place] for place in bits(places_mask)]
        return _InCommon(
            all_ships=reduce(and_, ship_masks),
            any_ship=reduce(or_, ship_masks),
            all_closed=reduce(and_, closed_masks),
            any_closed=reduce(or_, closed_masks),
        )

    def _fill_line(
        self, line: _CountedLine, places_mask: int, known_ship_mask: int, elsewhere_mask: int
    ) -> _Fillings | None:
        """Return which cells of a row or column can be a ship, and which can be water.

        The result is None if no filling has the number of ship cells that the line needs.

        places_mask -- the places still possible for ships with a cell in the line.
        known_ship_mask -- the cells of the line that are known to be a ship.
        elsewhere_mask -- the places of ships that are known to lie wholly outside the line.
        """
        cells = list(bits(line.mask))
        index_of = {cell: i for i, cell in enumerate(cells)}
        pieces_at: list[set[int]] = [set() for _ in cells]
        for place in bits(places_mask):
            ship_mask = self.ship_masks[place]
            in_line_mask = ship_mask & line.mask
            first_cell = (in_line_mask & -in_line_mask).bit_length() - 1
            is_along = in_line_mask == ship_mask
            pieces_at[index_of[first_cell]].add(ship_mask.bit_count() if is_along else _CROSSING)
        # The most ships of each length that the line can have.
        most_of_length = [0] * (self.puzzle.lengths[0] + 1)
        for length, count, length_places_mask in self.by_length:
            most_of_length[length] = count - (elsewhere_mask & length_places_mask).bit_count()
        fillings = _combine_fillings(
            cell_count=len(cells),
            ship_cells=line.ship_cells,
            known_ship_mask=sum(
                1 << i for i, cell in enumerate(cells) if known_ship_mask >> cell & 1
            ),
            pieces_at=tuple(tuple(sorted(pieces)) for pieces in pieces_at),
            most_of_length=tuple(most_of_length),
        )
        if fillings is None:
            return None
        can_be_ship, can_be_water = (
            sum(1 << cell for i, cell in enumerate(cells) if mask >> i & 1) for mask in fillings
        )
        return _Fillings(can_be_ship, can_be_water)


class _Knowledge:
    """The knowledge of each cell, and of the places where ships can still lie.

    ship, water, unknown -- masks of cells. live_mask -- the set of places that are still possible.
    placed_mask -- the live places whose ship is known to lie there: it and the cells around are
    known.
    """

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.places = _Places(puzzle)
        revealed = dict(puzzle.revealed)
        self.water = sum(puzzle.bit(cell) for cell, value in revealed.items() if value == WATER)
        self.ship = sum(map(puzzle.bit, revealed)) & ~self.water
        self.unknown = puzzle.everywhere & ~self.ship & ~self.water
        self.live_mask = (1 << len(self.places.ship_masks)) - 1
        self._exclude_places(puzzle.everywhere)

    def copy(self) -> _Knowledge:
        """Return a copy that can be changed independently."""
        other = object.__new__(_Knowledge)
        other.__dict__.update(self.__dict__)
        return other

    def learn(self, mask: int, value: str) -> None:
        """Record that unknown cells (a mask) are SHIP or WATER; exclude the places this forbids.

        Raises Contradiction if the places of ships no longer agree with the fleet.
        """
        if value == SHIP:
            self.ship |= mask
        else:
            self.water |= mask
        self.unknown &= ~mask
        excluded = self.places.beside if value == SHIP else self.places.on
        for cell in bits(mask):
            self.live_mask &= ~excluded[cell]
        self._exclude_places(mask)

    def _exclude_places(self, changed_mask: int) -> None:
        """Exclude places of ships that a count of a row or column, or the fleet, no longer allows.

        Only the counts of lines with a changed cell are used. Raises Contradiction if too many
        ships of a length are known to lie somewhere, or if too few places are left for a length.
        """
        places = self.places
        for line in places.lines:
            if line.mask & changed_mask:
                self._exclude_by_count(line)
        near_unknown_mask = 0
        for cell in bits(self.unknown):
            near_unknown_mask |= places.near[cell]
        self.placed_mask = self.live_mask & ~near_unknown_mask
        for length, count, length_places_mask in places.by_length:
            placed_mask = self.placed_mask & length_places_mask
            if placed_mask.bit_count() > count:
                text = _count_text(placed_mask.bit_count(), "ship")
                raise Contradiction(f"{text} of length {length} would be there, not {count}")
            if placed_mask.bit_count() == count:
                self.live_mask &= placed_mask | ~length_places_mask  # no other ship of this length
            places_left = (self.live_mask & length_places_mask).bit_count()
            if places_left < count:
                text = "1 place is" if places_left == 1 else f"{places_left or 'no'} places are"
                ships_text = f"{_count_text(count, 'ship')} of length {length}"
                raise Contradiction(f"{text} left for {ships_text}")

    def _exclude_by_count(self, line: _CountedLine) -> None:
        """Exclude places whose ship has too many cells in a line, or leaves too few for its count.

        A ship turns the cells beside it into water. It covers at most `longest` cells of a line;
        from the next line it makes at most two more than that into water.
        """
        places, longest = self.places, self.puzzle.lengths[0]
        unknown_cells = list(bits(line.mask & self.unknown))
        missing_ships = line.ship_cells - (self.ship & line.mask).bit_count()
        missing_water = len(unknown_cells) - missing_ships
        if missing_ships < 0 or missing_water < 0:
            self.live_mask = 0
            return
        if missing_ships < longest:
            self.live_mask &= ~_in_more_than(
                missing_ships, [places.on[cell] for cell in unknown_cells]
            )
        if missing_water < longest + 2:
            self.live_mask &= ~_in_more_than(
                missing_water, [places.beside[cell] for cell in unknown_cells]
            )


def _in_more_than(count: int, masks: list[int]) -> int:
    """Return the mask of the bits that are set in more than `count` of some masks."""
    in_more_than = [0] * (count + 1)  # [i]: the bits of more than i of the masks so far
    for mask in masks:
        for i in range(count, 0, -1):
            in_more_than[i] |= in_more_than[i - 1] & mask
        in_more_than[0] |= mask
    return in_more_than[count]


def _count_text(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# The rules, easiest first


def _touch_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield the unknown cells at the corners of ship cells: they are water."""
    puzzle = knowledge.puzzle
    for index in bits(knowledge.ship):
        corners_mask = knowledge.places.corners[index]
        if not corners_mask & ~knowledge.water:
            continue
        name = cell_name(puzzle.cell(index))
        if corners_mask & knowledge.ship:
            other = cell_name(puzzle.cells_of(corners_mask & knowledge.ship)[0])
            raise Contradiction(f"{name} and {other} touch at a corner")
        reason = f"ships do not touch {name} at its corners"
        yield _Deduced(corners_mask & knowledge.unknown, WATER, "touch", reason)


def _line_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield what follows from the count of each row and column for its unknown cells.

    If the line has as many ship cells as its count already, its other cells are water. If it needs
    all its unknown cells to reach the count, they are ship cells. Raises Contradiction if the count
    cannot be met.
    """
    for kind, name, count, mask, _ in knowledge.places.lines:
        ship_count = (knowledge.ship & mask).bit_count()
        unknown_mask = knowledge.unknown & mask
        room_count = ship_count + unknown_mask.bit_count()
        if ship_count > count:
            found_text = _count_text(ship_count, "ship cell")
            raise Contradiction(f"{name} has {found_text}, not {count}")
        if room_count < count:
            raise Contradiction(f"{name} has room for {room_count or 'no'} ship cells, not {count}")
        cells_text = _count_text(count, "ship cell")
        if unknown_mask and ship_count == count:
            reason = f"{name} has its {cells_text} already"
            yield _Deduced(unknown_mask, WATER, kind, reason)
        elif unknown_mask and room_count == count:
            reason = f"{name} needs all cells left for its {cells_text}"
            yield _Deduced(unknown_mask, SHIP, kind, reason)


def _ship_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield unknown cells whose value is the same wherever the ship on a known ship cell lies.

    Raises Contradiction if no ship can lie on a known ship cell.
    """
    for index in bits(knowledge.ship):
        places_mask = knowledge.live_mask & knowledge.places.on[index]
        if not places_mask:
            raise Contradiction(f"no ship can lie on {cell_name(knowledge.puzzle.cell(index))}")
        common = knowledge.places.in_common(places_mask)
        ship_text = _ship_text(knowledge.puzzle, index)
        for mask, value, reason_end in (
            (common.all_ships, SHIP, "all with these cells"),
            (common.all_closed & ~common.any_ship, WATER, "and touches these"),
        ):
            if mask & knowledge.unknown:
                reason = f"{ship_text} has {_places_text(places_mask)} to lie, {reason_end}"
                yield _Deduced(mask & knowledge.unknown, value, "ship", reason)


def _ship_text(puzzle: Puzzle, index: int) -> str:
    """Return text for the ship on a cell, with its piece if the puzzle reveals that."""
    cell = puzzle.cell(index)
    value = dict(puzzle.revealed).get(cell, SHIP)
    ship = f"the ship on {cell_name(cell)}"
    return ship if value == SHIP else f"{ship}, its {piece_text(value)},"


def _places_text(places: int) -> str:
    return "one place" if places.bit_count() == 1 else f"{places.bit_count()} places"


def _filling_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield unknown cells whose value is the same in all ways to fill a line that has a count.

    A line is a row or a column. Raises Contradiction if a line cannot be filled.
    """
    places = knowledge.places
    for line in places.lines:
        if not knowledge.unknown & line.mask:
            continue
        fillings = places.fill_line(
            line,
            knowledge.live_mask & line.places,
            knowledge.ship & line.mask,
            knowledge.placed_mask & ~line.places,
        )
        cells_text = _count_text(line.ship_cells, "ship cell")
        if fillings is None:
            raise Contradiction(f"no way is left to lay {cells_text} in {line.name}")
        for value, can_be_other in (
            (SHIP, fillings.can_be_water),
            (WATER, fillings.can_be_ship),
        ):
            if mask := knowledge.unknown & line.mask & ~can_be_other:
                reason = f"so it is in every way to lay ships with {cells_text} in {line.name}"
                yield _Deduced(mask, value, "line", reason)


_CROSSING = 0  # in place of the length, for a ship of which one cell is in the line


class _Fillings(NamedTuple):
    """The cells (masks) of a line that are a ship in some filling, and that are water in some."""

    can_be_ship: int
    can_be_water: int

    def joined(self, ship_mask: int, water_mask: int) -> _Fillings:
        """Return these cells together with others."""
        return _Fillings(self.can_be_ship | ship_mask, self.can_be_water | water_mask)


def _combine_fillings(
    cell_count: int,
    ship_cells: int,
    known_ship_mask: int,
    pieces_at: tuple[tuple[int, ...], ...],
    most_of_length: tuple[int, ...],
) -> _Fillings | None:
    """Return which cells of a row or column can be a ship, and which can be water.

    The cells are numbered from 0 along the line. The result is None if the line cannot be filled.

    ship_cells -- the number of ship cells that the line must have.
    known_ship_mask -- the cells that are known to be a ship.
    pieces_at -- for each cell the lengths of the ships along the line that can begin there;
        `_CROSSING` stands for a ship with only this cell in the line.
    most_of_length -- for each length the most ships that can lie along the line.
    """

    @cache
    def fill_from(cell: int, cells_left: int, most_of_length: tuple[int, ...]) -> _Fillings | None:
        """Fill the line from a cell on, with a number of ship cells; the cell before is water."""
        if cells_left > max(0, cell_count - cell):
            return None
        if cell >= cell_count:
            return _Fillings(0, 0)
        fillings = []
        if not known_ship_mask >> cell & 1:
            beyond = fill_from(cell + 1, cells_left, most_of_length)
            if beyond is not None:
                fillings.append(beyond.joined(ship_mask=0, water_mask=1 << cell))
        for length in pieces_at[cell]:
            piece_cells = 1 if length == _CROSSING else length
            after_piece = cell + piece_cells  # this cell is water
            if piece_cells > cells_left or known_ship_mask >> after_piece & 1:
                continue
            most_left = list(most_of_length)
            if length != _CROSSING:
                if not most_left[length]:
                    continue
                most_left[length] -= 1
            beyond = fill_from(after_piece + 1, cells_left - piece_cells, tuple(most_left))
            if beyond is not None:
                piece_mask = (1 << after_piece) - (1 << cell)
                water_mask = 1 << after_piece if after_piece < cell_count else 0
                fillings.append(beyond.joined(piece_mask, water_mask))
        return reduce(lambda one, other: one.joined(*other), fillings) if fillings else None

    return fill_from(0, ship_cells, most_of_length)


def _fleet_rule(knowledge: _Knowledge) -> Iterator[_Deduced]:
    """Yield what follows from the number of ships of each length that are still to find.

    If as many places are left as ships of this length, a ship lies in each of these places, and
    the cells around them are water. If one ship is left, the cells that it covers in all its places
    are ship cells. At last, the cells that no ship can cover are water.
    """
    places = knowledge.places
    nowhere_mask = sum(
        1 << cell for cell in bits(knowledge.unknown) if not knowledge.live_mask & places.on[cell]
    )
    for length, count, length_places_mask in places.by_length:
        ships_left = count - (knowledge.placed_mask & length_places_mask).bit_count()
        places_left_mask = knowledge.live_mask & length_places_mask & ~knowledge.placed_mask
        is_forced = places_left_mask.bit_count() == ships_left
        if not ships_left or not (is_forced or ships_left == 1):
            continue
        common = places.in_common(places_left_mask)
        ships_mask = common.any_ship if is_forced else common.all_ships
        around_mask = common.any_closed & ~ships_mask if is_forced else 0
        name = "ship" if ships_left == 1 else f"{ships_left} ships"
        where = _count_text(places_left_mask.bit_count(), "place")
        for mask, value in ((ships_mask, SHIP), (around_mask, WATER)):
            if mask & knowledge.unknown:
                reason = f"the {name} of length {length} still to find can lie in {where} only"
                yield _Deduced(mask & knowledge.unknown, value, "fleet", reason)
    if nowhere_mask & knowledge.unknown:
        reason = "no ship still to find fits there"
        yield _Deduced(nowhere_mask & knowledge.unknown, WATER, "fleet", reason)


_RULES = (_touch_rule, _line_rule, _ship_rule, _filling_rule, _fleet_rule)


def _easiest_deduction(knowledge: _Knowledge) -> _Deduced | None:
    """Return a deduction by the easiest rule that has one, or None; may raise Contradiction."""
    return next((deduced for rule in _RULES for deduced in rule(knowledge)), None)


def _apply_rules(knowledge: _Knowledge) -> None:
    """Add to the knowledge all cells whose value follows by the rules, without suppositions.

    After each rule that gave a cell, the easiest rule is tried again. Raises Contradiction if the
    knowledge turns out to contradict itself.
    """
    unknown_before = None
    while knowledge.unknown != unknown_before:
        unknown_before = knowledge.unknown
        for rule in _RULES:
            for deduced in rule(knowledge):
                knowledge.learn(deduced.mask, deduced.value)
            if knowledge.unknown != unknown_before:
                break  # begin with the easiest again


# Suppositions


class _Supposition(NamedTuple):
    """A supposed value of a cell (by its index), and the suppositions open at once with it."""

    cell_index: int
    value: str
    depth: int

    @property
    def opposite(self) -> str:
        """The other value."""
        return WATER if self.value == SHIP else SHIP


class _Suppositions:
    """A search for suppositions that lead to a contradiction.

    deadline -- the time (`time.monotonic`) when it ends, or None.
    """

    def __init__(self, deadline: float | None):
        self._deadline = deadline

    def _check_deadline(self) -> None:
        """Raise TooLarge if the time is over."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise TooLarge("the time for suppositions is over")

    def _refuted_supposition(self, knowledge: _Knowledge, max_depth: int) -> _Supposition | None:
        """Return a supposed value of an unknown cell that leads to a contradiction, or None.

        It has the least depth (suppositions that are open at once) up to `max_depth`, and is the
        first of this depth. If a supposition leads to no contradiction, the values that follow from
        it are not supposed: they would lead to none either.
        """
        for depth in range(1, max_depth + 1):
            tried_masks = {SHIP: 0, WATER: 0}  # cells
            for index in bits(knowledge.unknown):
                for value in (SHIP, WATER):
                    if tried_masks[value] >> index & 1:
                        continue
                    trial = knowledge.copy()
                    try:
                        trial.learn(1 << index, value)
                        self._learn_by_suppositions(trial, depth - 1)
                    except Contradiction:
                        return _Supposition(index, value, depth)
                    tried_masks[SHIP] |= trial.ship
                    tried_masks[WATER] |= trial.water
        return None

    def _learn_by_suppositions(self, knowledge: _Knowledge, max_depth: int) -> None:
        """Learn what the rules tell, and the opposite of each supposed value that they refute.

        Raises Contradiction if the knowledge contradicts itself. max_depth -- of suppositions that
        are open at once.
        """
        self._check_deadline()
        _apply_rules(knowledge)
        while knowledge.unknown:
            refuted = self._refuted_supposition(knowledge, max_depth)
            if refuted is None:
                return
            knowledge.learn(1 << refuted.cell_index, refuted.opposite)
            _apply_rules(knowledge)

    def _explain_supposition(self, trial: _Knowledge, supposition: _Supposition) -> Step:
        """Return the step that excludes a supposed value; its chain leads to the contradiction.

        trial -- the knowledge before the supposition; it is changed.
        """
        chain: list[Step] = []
        index, value, depth = supposition
        try:
            trial.learn(1 << index, value)
            while (step := self.next(trial, depth - 1)) is not None:
                trial.learn(sum(map(trial.puzzle.bit, step.cells)), step.value)
                chain.append(step)  # kept where the next one raises
        except Contradiction as why:
            cell = trial.puzzle.cell(index)
            reason = f"if {cell_name(cell)} were {value}: {why}"
            return Step((cell,), supposition.opposite, "supposition", reason, depth, tuple(chain))
        raise AssertionError(f"a supposition on {trial.puzzle} does not contradict itself again")

    def next(self, knowledge: _Knowledge, max_depth: int) -> Step | None:
        """Return the easiest step that gives new cells, or None if there is none.

        At most `max_depth` suppositions are open at once. Raises Contradiction if the knowledge
        contradicts itself.
        """
        deduced = _easiest_deduction(knowledge)
        if deduced is not None:
            return deduced.step(knowledge.puzzle)
        self._check_deadline()
        supposition = self._refuted_supposition(knowledge, max_depth)
        if supposition is None:
            return None
        return self._explain_supposition(knowledge.copy(), supposition)


def _initial_knowledge(puzzle: Puzzle) -> _Knowledge:
    """Return the knowledge from the clues; PuzzleError if it contradicts itself."""
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
        _apply_rules(_initial_knowledge(puzzle))
    except (Contradiction, PuzzleError):
        return True
    return False


def explain(puzzle: Puzzle, max_depth: int = 2, time_limit: float | None = None) -> Step | None:
    """Return the next cells that follow from the clues, with the reason; None if nothing does.

    None also if all cells are known. Raises PuzzleError for a puzzle found to contradict itself,
    and TooLarge if the time (seconds) is over.
    """
    knowledge = _initial_knowledge(puzzle)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    try:
        return _Suppositions(deadline).next(knowledge, max_depth)
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None


def grade(puzzle: Puzzle, max_depth: int = 2, time_limit: float | None = None) -> Grade:
    """Return the steps in which a person can solve a puzzle, always the easiest, and its level.

    max_depth -- of suppositions. time_limit -- seconds, after which the grade has the steps so far.

    Raises PuzzleError for a puzzle found to contradict itself.
    """
    knowledge = _initial_knowledge(puzzle)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    suppositions = _Suppositions(deadline)
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
    if not is_solved:
        level = LEVELS[-1]
    elif depth:
        level = LEVELS[min(depth + 1, 3)]  # hard at depth 1, then very hard
    else:
        level = LEVELS[int(is_medium)]
    return Grade(tuple(steps), depth, level, is_solved, is_cut_short)
