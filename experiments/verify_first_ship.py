"""The root chain with the first ship once more, for experiments.check_lower_bounds.

`lower_bounds.first_ship` defines V and has the argument. This uses neither its code nor a kernel.
There a state is the set of placements that agree with the replies, as bits. Here, in numba, it is
what the replies say of the row and the column of the cell that was hit first: how far away the
nearest misses are, and, once a second cell is hit, how far the hits reach along that line.

A *line* through that cell is its row (0) or its column (1). It runs *back* from the cell (left or
up) and *ahead* (right or down). An *end* is the distance to the nearest cell on one side that no
ship through the cell can have: a miss, a cell beyond the edge, or one too far for any ship.
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.typed import Dict
from numpy.typing import NDArray

from experiments.verify_coverage import CoverCounts, heaviest_tree
from optsearch.game import Game, bits

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
SIDES = np.array(((0, -1), (0, 1), (-1, 0), (1, 0)))  # steps (y, x) left, right, up, down
SETS_PER_REPORT = 1000
VALUE_BITS = 32  # the low bits of a stamped value; above them is the number of a call


class PlacementCounts(NamedTuple):
    """A placement (mask), and how many configurations with it avoid cells.

    avoiding -- item i: at least so many have no other ship on i cells, whichever these are.
    """

    ship: int
    avoiding: Sequence[int]


class SearchTables(NamedTuple):
    """All that V depends on but the cell and the misses, and the values found so far.

    shape -- rows and columns of the board. placement_at -- [line, first cell, length] -> the
    index of a placement, or -1. halos -- [placement, cell] -> True if the cell is in its halo.
    in_one_ship -- [cell, cell] -> True if some placement has both. near -- [cell, cell] -> True
    if a placement with the first has the second or has it in its halo. avoiding -- [placement,
    i], as in `PlacementCounts`. most_finished -- [misses, hits] -> the number of ways to go on
    after these misses with this many hits and at most l misses in all: no more configurations
    are finished. least_misses -- from this number of misses on, what is left counts. one_hit,
    more_hits -- stamped values of the states of a cell with one and with more hits. calls --
    one number: of the cells whose states were evaluated, which is the latest stamp. values -- V
    by the key of a cell and the misses near it, plus the number of all misses.
    """

    shape: Ints
    symmetries: Ints
    placement_at: Ints
    halos: Flags
    in_one_ship: Flags
    near: Flags
    avoiding: Ints
    most_finished: Ints
    least_misses: int
    one_hit: Ints
    more_hits: Ints
    calls: Ints
    values: Any


class Lines(NamedTuple):
    """The row and the column of a cell that is hit first, after some misses.

    ends -- left, right, up and down. avoiding -- [line, cells back, cells ahead, m] -> at least
    so many configurations avoid m misses, of those with the placement that has as many cells on
    the two sides of the cell; -1 if there is none. stamp -- marks the values of this call.
    """

    ends: Ints
    avoiding: Ints
    stamp: int
    tables: SearchTables


class Segment(NamedTuple):
    """Hits on a line: cells hit back and ahead, the two ends, and the misses beside the cell.

    misses_beside -- 0, 1 or 2: of the two neighbours of the cell off the line, those missed since.
    """

    line: int
    back: int
    ahead: int
    end_back: int
    end_ahead: int
    misses_beside: int


class Alive(NamedTuple):
    """The placements that agree with the replies.

    number -- of placements. left -- configurations not finished, summed over the placements, if the
    strategy is told the placement. avoiding -- the sum of configurations that avoid all misses.
    common -- the cells that all these placements have.
    """

    number: int
    left: int
    avoiding: int
    common: int


class CellSets(NamedTuple):
    """Sets of cells of one size, one per row, that may begin a sequence.

    cells -- of each set, in the order of the sequence. kept -- the configurations that it
    meets, less V of its cells. added, most_gain, least_cost -- as in `Gains`, but `added` does
    not count the last cell. row_of -- the row of a set by its key.
    """

    cells: Ints
    kept: Ints
    added: Ints
    most_gain: Ints
    least_cost: Ints
    row_of: Any


class Gains(NamedTuple):
    """Bounds on what each cell adds to one set.

    added -- at most so many configurations meet the cell and not the set. least_cost -- V of
    the cell after misses on the set is at least this. most_gain -- an upper bound on the
    difference of the two. has_tree -- True if `added` is less the heaviest tree. is_exact --
    True if `least_cost` is V.
    """

    added: Ints
    most_gain: Ints
    least_cost: Ints
    has_tree: Flags
    is_exact: Flags


class FirstShipCosts:
    """V, the cost of a cell that is hit first, for a number l of misses and a number j of cells.

    V is the least number of configurations that are not finished within l misses, of those
    whose first ship is hit at this cell. placements -- every placement of every ship. misses --
    l. least_misses -- j - 1, from which number of misses on what is left counts. most_misses --
    the number at which it must count.
    """

    def __init__(
        self,
        game: Game,
        placements: Sequence[PlacementCounts],
        misses: int,
        least_misses: int,
        most_misses: int,
    ):
        longest, cells = max(game.fleet), game.cells
        most_finished = np.zeros((most_misses + 1, game.fleet_cells + 1), np.int64)
        for missed in range(min(most_misses, misses) + 1):
            for hits in range(game.fleet_cells + 1):
                most_finished[missed, hits] = min(2**60, comb(misses - missed + hits, hits))
        placement_at = np.full((2, cells, longest + 1), -1, np.int64)
        halos = np.zeros((len(placements) + 1, cells), np.bool_)
        in_one_ship, near = np.zeros((2, cells, cells), np.bool_)
        for i, placement in enumerate(placements):
            ship = list(bits(placement.ship))
            line = int(len(ship) > 1 and ship[1] - ship[0] == game.columns)
            placement_at[line, ship[0], len(ship)] = i
            halos[i, list(bits(game.halo(placement.ship)))] = True
            for cell in ship:
                in_one_ship[cell, ship] = True
                near[cell] |= halos[i]
                near[cell, ship] = True
        avoiding = [placement.avoiding[: most_misses + 1] for placement in placements] or [[0]]
        ends, reaches = (longest + 1,) * 2, (longest,) * 2
        self.tables = SearchTables(
            shape=np.array((game.rows, game.columns)),
            symmetries=np.array(game.symmetries()),
            placement_at=placement_at,
            halos=halos,
            in_one_ship=in_one_ship,
            near=near,
            avoiding=np.array(avoiding, np.int64),
            most_finished=most_finished,
            least_misses=least_misses,
            one_hit=np.zeros((*ends, *ends, most_misses + 1), np.int64),
            more_hits=np.zeros((2, *reaches, *ends, 3, most_misses + 1), np.int64),
            calls=np.zeros(1, np.int64),
            values=Dict.empty(types.int64, types.int64),
        )

    def cost(self, cell: int, missed: Sequence[int]) -> int:
        """Return the cost V of a cell that is hit first, after misses on these cells."""
        return int(_cost_of_first_hit(cell, np.array(missed, np.int64), self.tables))


@njit(cache=True)
def _number_of(cells):  # type: ignore[no-untyped-def]
    """Return a number for a set of at most seven cells below 128, in ascending order."""
    number = np.int64(1)  # so that a first cell 0 counts as a digit
    for cell in cells:
        number = number * 128 + cell
    return number


@njit(cache=True)
def _key_of_cell(cell, missed, tables):  # type: ignore[no-untyped-def]
    """Return a key of a cell and the misses near it, and the number of these misses.

    missed -- all misses. One is near if some ship on the cell has it in it or in its halo.
    Images under a symmetry have the same key. Its four low bits are 0, so that a number of
    misses can be added.
    """
    least_number, near_misses = np.int64(-1), 0
    images = np.empty(len(missed), np.int64)
    for image_of in tables.symmetries:
        near_misses = 0
        for miss in missed:
            if tables.near[cell, miss]:
                images[near_misses] = image_of[miss]
                near_misses += 1
        images[:near_misses].sort()
        number = _number_of(images[:near_misses]) * 128 + image_of[cell]
        if least_number < 0 or number < least_number:
            least_number = number
    return least_number * 16, near_misses


@njit
def _cost_of_first_hit(cell, missed, tables):  # type: ignore[no-untyped-def]
    """Return the cost V of a cell that is hit first after misses on the cells `missed`.

    V is the least number of configurations that are not finished in time, of those whose first
    ship is hit here. What is computed is kept in `tables.values`.
    """
    key, near_misses = _key_of_cell(cell, missed, tables)
    if key + len(missed) not in tables.values:
        lines = _lines_through(cell, missed, tables)
        ends = (lines.ends[0], lines.ends[1], lines.ends[2], lines.ends[3])
        _value_of_one_hit(ends, near_misses, lines)
        # This has evaluated the cell for every number of misses far from it, too.
        for misses in range(near_misses, min(16, tables.one_hit.shape[4])):
            index = (*ends, misses)
            value = _unstamped(tables.one_hit[index], lines.stamp)
            tables.values[key + misses] = max(0, value)  # not stamped if no placement is alive
    return tables.values[key + len(missed)]


@njit(cache=True)
def _stamped(value, stamp):  # type: ignore[no-untyped-def]
    """Return a value marked as that of a call, so that the next call need not clear the tables."""
    return (stamp << VALUE_BITS) + value


@njit(cache=True)
def _unstamped(entry, stamp):  # type: ignore[no-untyped-def]
    """Return the value of an entry, or -1 if an earlier call wrote it."""
    return entry - (stamp << VALUE_BITS) if entry >> VALUE_BITS == stamp else -1


@njit
def _lines_through(cell, missed, tables):  # type: ignore[no-untyped-def]
    """Return what is known of the row and the column of a cell that is hit first after some misses.

    That is the distances of the nearest misses or edges and, for each placement on the cell,
    how many configurations avoid the misses. The result has a new stamp, which marks the values
    computed with it.
    """
    (rows, columns), longest = tables.shape, tables.one_hit.shape[0] - 1
    is_missed = np.zeros(rows * columns, np.bool_)
    is_missed[missed] = True
    ends = np.ones(4, np.int64)
    for side in range(4):  # step by step, up to a miss or the edge
        y, x = cell // columns + SIDES[side, 0], cell % columns + SIDES[side, 1]
        while ends[side] < longest and 0 <= y < rows and 0 <= x < columns:
            if is_missed[y * columns + x]:
                break
            ends[side] += 1
            y, x = y + SIDES[side, 0], x + SIDES[side, 1]
    avoiding = np.full((2, longest, longest, tables.avoiding.shape[1]), -1, np.int64)
    for line in range(2):
        step = columns if line else 1
        for back in range(ends[2 * line]):  # left or up
            for ahead in range(ends[2 * line + 1]):  # right or down
                length = back + 1 + ahead
                if length > longest or (line and length == 1):
                    continue  # a ship of one cell counts in the row only
                ship = tables.placement_at[line, cell - back * step, length]
                if ship >= 0:
                    misses_in_halo = (tables.halos[ship] & is_missed).sum()
                    for misses in range(tables.avoiding.shape[1]):
                        outside = max(0, misses - misses_in_halo)
                        avoiding[line, back, ahead, misses] = tables.avoiding[ship, outside]
    tables.calls[0] += 1
    return Lines(ends, avoiding, tables.calls[0], tables)


# Not kept in a cache: numba fails on functions that call themselves when it loads them again.
@njit
def _sum_up_alive(segment, misses, lines):  # type: ignore[no-untyped-def]
    """Sum up the placements that cover the hits of a segment and stay between its ends.

    misses -- the number of all so far. lines -- its table `avoiding` says, for each placement and
    number of misses, how many configurations with this placement at least avoid these.
    """
    # An end that has come nearer since the first hit is a miss.
    is_missed_back = segment.end_back < lines.ends[2 * segment.line]
    is_missed_ahead = segment.end_ahead < lines.ends[2 * segment.line + 1]
    fleet_cells = lines.tables.most_finished.shape[1] - 1
    number, left, avoiding = 0, 0, 0
    common_back, common_ahead = segment.end_back, segment.end_ahead
    for back in range(segment.back, segment.end_back):
        for ahead in range(segment.ahead, segment.end_ahead):
            misses_outside = misses - segment.misses_beside  # the halo of the placement
            if is_missed_back and back == segment.end_back - 1:
                misses_outside -= 1
            if is_missed_ahead and ahead == segment.end_ahead - 1:
                misses_outside -= 1
            avoiding_all = lines.avoiding[segment.line, back, ahead, max(0, misses_outside)]
            if avoiding_all < 0:
                continue  # no such placement
            hits_to_come = fleet_cells - (back + 1 + ahead)
            number += 1
            left += max(0, avoiding_all - lines.tables.most_finished[misses, hits_to_come])
            avoiding += avoiding_all
            common_back, common_ahead = min(common_back, back), min(common_ahead, ahead)
    return Alive(number, left, avoiding, common_back + 1 + common_ahead)


@njit
def _unfinished_if_stopped(alive, misses, lines):  # type: ignore[no-untyped-def]
    """Return the least number of configurations that are not finished if the game stops now.

    alive -- sums over the placements that agree with the replies. After fewer misses than
    `least_misses` the result is 0, since the game may not stop yet.
    """
    if misses < lines.tables.least_misses:
        return 0
    # Of the cells of the fleet, which `most_finished` counts up to, but for those that all have.
    hits_to_come = lines.tables.most_finished.shape[1] - 1 - alive.common
    return max(alive.left, alive.avoiding - lines.tables.most_finished[misses, hits_to_come])


@njit
def _after_shot(segment, is_back, shot):  # type: ignore[no-untyped-def]
    """Return the segment after a hit, and that after a miss, at a distance from the first hit.

    is_back -- True for a shot left of or above it. shot -- the distance.
    """
    line, back, ahead, end_back, end_ahead, beside = segment
    if is_back:
        hit = Segment(line, shot, ahead, end_back, end_ahead, beside)
        return hit, Segment(line, back, ahead, shot, end_ahead, beside)
    hit = Segment(line, back, shot, end_back, end_ahead, beside)
    return hit, Segment(line, back, ahead, end_back, shot, beside)


@njit
def _value_of_more_hits(segment, misses, lines):  # type: ignore[no-untyped-def]
    """Return the least number of configurations that are not finished, once a second cell is hit.

    It is the least over all next shots on the line, and a miss elsewhere. misses -- of all so
    far.
    """
    line, back, ahead, end_back, end_ahead, beside = segment
    if back + ahead >= lines.tables.more_hits.shape[1]:
        return 0  # longer than any ship
    index = (line, back, ahead, end_back, end_ahead, beside, misses)
    cached = _unstamped(lines.tables.more_hits[index], lines.stamp)
    if cached >= 0:
        return cached
    alive = _sum_up_alive(segment, misses, lines)
    value = 0
    if alive.number:
        left = _unfinished_if_stopped(alive, misses, lines)
        if misses + 1 < lines.tables.more_hits.shape[6]:
            value = _value_of_more_hits(segment, misses + 1, lines)
            # The value is `left` or more: if a shot leaves no more, other shots do not matter.
            for is_back in (True, False):
                first, end = (back + 1, end_back) if is_back else (ahead + 1, end_ahead)
                for shot in range(first, end):
                    if value <= left:
                        break
                    hit, miss = _after_shot(segment, is_back, shot)
                    after_hit = _value_of_more_hits(hit, misses, lines)
                    after_miss = _value_of_more_hits(miss, misses + 1, lines)
                    value = min(value, after_hit + after_miss)
        value = max(value, left)
    lines.tables.more_hits[index] = _stamped(value, lines.stamp)
    return value


@njit
def _first_segments(ends, lines):  # type: ignore[no-untyped-def]
    """Return two segments, the row and the column of the first hit, with no other cell hit.

    ends -- the distances of the nearest misses or edges: left, right, up, down. Each segment
    also counts the misses next to the hit on the other line.
    """
    left, right, up, down = ends
    is_missed = [int(ends[side] == 1 and lines.ends[side] > 1) for side in range(4)]
    row = Segment(0, 0, 0, left, right, is_missed[2] + is_missed[3])
    column = Segment(1, 0, 0, up, down, is_missed[0] + is_missed[1])
    return row, column


@njit
def _sum_up_alive_on_both(row, column, misses, lines):  # type: ignore[no-untyped-def]
    """Sum up the placements through the first hit, along its row and along its column."""
    in_row = _sum_up_alive(row, misses, lines)
    in_column = _sum_up_alive(column, misses, lines)
    common = 1  # a row and a column share only the cell itself
    if not in_column.number:
        common = in_row.common
    elif not in_row.number:
        common = in_column.common
    return Alive(
        in_row.number + in_column.number,
        in_row.left + in_column.left,
        in_row.avoiding + in_column.avoiding,
        common,
    )


@njit
def _value_of_one_hit(ends, misses, lines):  # type: ignore[no-untyped-def]
    """Return the least number of configurations that are not finished, with one cell hit so far.

    It is the least over all next shots in the row and the column, and a miss elsewhere. ends --
    the distances of the nearest misses or edges: left, right, up, down. misses -- the number of
    all so far.
    """
    index = (*ends, misses)
    cached = _unstamped(lines.tables.one_hit[index], lines.stamp)
    if cached >= 0:
        return cached
    segments = _first_segments(ends, lines)
    alive = _sum_up_alive_on_both(segments[0], segments[1], misses, lines)
    value = 0
    if alive.number:
        left = _unfinished_if_stopped(alive, misses, lines)
        if misses + 1 < lines.tables.one_hit.shape[4]:
            value = _value_of_one_hit(ends, misses + 1, lines)
            for side in range(4):
                for shot in range(1, ends[side]):
                    if value <= left:
                        break  # as with more hits
                    hit, _ = _after_shot(segments[side // 2], side % 2 == 0, shot)
                    miss = (
                        shot if side == 0 else ends[0],
                        shot if side == 1 else ends[1],
                        shot if side == 2 else ends[2],
                        shot if side == 3 else ends[3],
                    )
                    after_hit = _value_of_more_hits(hit, misses, lines)
                    after_miss = _value_of_one_hit(miss, misses + 1, lines)
                    value = min(value, after_hit + after_miss)
        value = max(value, left)
    lines.tables.one_hit[index] = _stamped(value, lines.stamp)
    return value


@njit(cache=True)
def _count_last_cell(cells, counts, added):  # type: ignore[no-untyped-def]
    """Lower the bounds `added` on what each cell adds to a set, by what its last cell meets.

    Configurations with a cell and the last one are taken off; those with another cell of the
    set too are put back. Trees are left to `_subtract_tree`.
    """
    last = cells[-1]
    for cell in range(len(added)):
        added[cell] -= counts.two[last, cell]
    for other in cells[:-1]:
        for cell in range(len(added)):
            added[cell] += counts.three[last, other, cell]


@njit(cache=True)
def _subtract_tree(cell, cells, counts, gains):  # type: ignore[no-untyped-def]
    """Lower the bound on what a cell adds to a set by the heaviest tree, but only once.

    The tree joins the cells of the set but the last. An edge weighs as much as the
    configurations that have both its ends, the last cell and `cell`.
    """
    if not gains.has_tree[cell]:
        gains.has_tree[cell] = True
        if len(cells) >= 3:
            weights = counts.four[cells[-1], :, :, cell]
            gains.added[cell] -= heaviest_tree(weights, cells[:-1])


@njit(cache=True)
def _lower_gain(cell, gains):  # type: ignore[no-untyped-def]
    """Lower the bound of what a cell gains to what it adds less its cost, if that is less."""
    gain = gains.added[cell] - gains.least_cost[cell]
    gains.most_gain[cell] = min(gains.most_gain[cell], gain)


@njit
def _rank_cells(cells, kept, cells_left, best, gains, counts, tables):  # type: ignore[no-untyped-def]
    """Return all cells, those first that may add most to what a set keeps.

    A set keeps the configurations that it meets, less a cost V of each cell. The gain of a cell
    bounds what it adds; it is made exact where the set, with this cell and others, may come to
    keep more than `best`. cells, kept -- the set and what it keeps. cells_left -- how many are
    to join it.
    """
    candidates = len(gains.most_gain) - len(cells)
    while True:
        ranked = np.argsort(-gains.most_gain, kind="mergesort")
        # With a cell in it the set keeps at most `total` and the lower of two gains: that of the
        # cell, and that of the cell of rank `cells_left`.
        total = kept + gains.most_gain[ranked[: cells_left - 1]].sum()
        last_gain = gains.most_gain[ranked[cells_left - 1]]
        first_open = -1
        for rank in range(candidates):
            if total + min(last_gain, gains.most_gain[ranked[rank]]) <= best:
                break
            if not gains.is_exact[ranked[rank]]:
                first_open = rank
                break
        if first_open < 0:
            return ranked
        # A cell beyond the first `cells_left` does not change what the others may keep.
        open_until = candidates if first_open >= cells_left else first_open + 1
        for cell in ranked[first_open:open_until]:
            if gains.is_exact[cell] or total + min(last_gain, gains.most_gain[cell]) <= best:
                continue
            if not gains.has_tree[cell]:
                _subtract_tree(cell, cells, counts, gains)
                _lower_gain(cell, gains)
                if total + min(last_gain, gains.most_gain[cell]) <= best or first_open < cells_left:
                    continue  # V, which takes longest, may not be needed
            gains.is_exact[cell] = True
            gains.least_cost[cell] = _cost_of_first_hit(cell, cells, tables)
            _lower_gain(cell, gains)


@njit(cache=True)
def _key_of_set(cells, cell, symmetries):  # type: ignore[no-untyped-def]
    """Return a key of a set with one more cell; all its images under symmetries have the same."""
    least_number = np.int64(-1)
    image = np.empty(len(cells) + 1, np.int64)
    for image_of in symmetries:
        for i in range(len(cells)):
            image[i] = image_of[cells[i]]
        image[len(cells)] = image_of[cell]
        image.sort()
        number = _number_of(image)
        if least_number < 0 or number < least_number:
            least_number = number
    return least_number


@njit
def _gains_of(row, sets, counts):  # type: ignore[no-untyped-def]
    """Return bounds on what each cell adds to one set; for the cells of the set itself this is -1.

    row -- of the set in `sets`. counts -- the configurations that have all of some cells.
    """
    cells = sets.cells[row]
    added, least_cost = sets.added[row].copy(), sets.least_cost[row].copy()
    if len(cells):
        _count_last_cell(cells, counts, added)
    most_gain = np.minimum(sets.most_gain[row], added - least_cost)
    has_tree, is_exact = np.zeros(len(added), np.bool_), np.zeros(len(added), np.bool_)
    for cell in cells:
        most_gain[cell] = -1
        has_tree[cell] = is_exact[cell] = True
    return Gains(added, most_gain, least_cost, has_tree, is_exact)


@njit
def _extend_sets(sets, first, until, j, best, larger_sets, counts, tables):  # type: ignore[no-untyped-def]
    """Add one cell to each of some sets, in each way that may lead to more than `best`.

    A whole sequence has j cells and keeps the configurations that it meets, less a cost V of
    each cell. first, until -- the rows of the sets; fewer are done if `larger_sets`, which
    receives the new ones, has no room. Return the most that a whole sequence keeps, at least
    `best`, and the row to go on from.
    """
    n, size = len(counts.one), sets.cells.shape[1]
    cells_left = j - size
    for row in range(first, until):
        if len(larger_sets.row_of) + n > len(larger_sets.cells):
            return best, row
        cells, kept = sets.cells[row], sets.kept[row]
        gains = _gains_of(row, sets, counts)
        ranked = _rank_cells(cells, kept, cells_left, best, gains, counts, tables)
        total = kept + gains.most_gain[ranked[: cells_left - 1]].sum()
        last_gain = gains.most_gain[ranked[cells_left - 1]]
        for cell in ranked[: n - size]:
            kept_with_cell = kept + gains.most_gain[cell]
            if total + min(last_gain, gains.most_gain[cell]) <= best:
                break
            if cells_left == 1:
                best = kept_with_cell
                continue
            key = _key_of_set(cells, cell, tables.symmetries)
            if key not in larger_sets.row_of:
                larger_sets.row_of[key] = len(larger_sets.row_of)
            elif larger_sets.kept[larger_sets.row_of[key]] >= kept_with_cell:
                continue
            for other in range(n):
                _subtract_tree(other, cells, counts, gains)
            new_row = larger_sets.row_of[key]
            larger_sets.cells[new_row, :size] = cells
            larger_sets.cells[new_row, size] = cell
            larger_sets.kept[new_row] = kept_with_cell
            larger_sets.added[new_row] = gains.added
            larger_sets.most_gain[new_row] = gains.most_gain
            # V of a cell falls with a further miss only if a ship has both cells.
            for other in range(n):
                cost = 0 if tables.in_one_ship[cell, other] else gains.least_cost[other]
                larger_sets.least_cost[new_row, other] = cost
    return best, until


def _empty_sets(rows: int, size: int, n: int) -> CellSets:
    """Return arrays with room for `rows` sets of `size` cells, on a board of n cells."""
    return CellSets(
        cells=np.zeros((rows, size), np.int64),
        kept=np.zeros(rows, np.int64),
        added=np.zeros((rows, n), np.int64),
        most_gain=np.zeros((rows, n), np.int64),
        least_cost=np.zeros((rows, n), np.int64),
        row_of=Dict.empty(types.int64, types.int64),
    )


def _resized(sets: CellSets, rows: int) -> CellSets:
    """Return the sets in arrays of `rows` rows: the last ones are left out, or zeros added."""

    def resized(array: Ints) -> Ints:
        zeros = np.zeros((max(0, rows - len(array)), *array.shape[1:]), np.int64)
        return np.concatenate([array[:rows], zeros])

    names = ("cells", "kept", "added", "most_gain", "least_cost")
    return sets._replace(**{name: resized(getattr(sets, name)) for name in names})


def largest_kept(
    counts: CoverCounts,
    costs: FirstShipCosts,
    j: int,
    best: int,
    report: Callable[[int, int, int], None] = lambda size, done, sets: None,
) -> int:
    """Return the most that any sequence of j cells keeps, but no less than `best`.

    A sequence keeps the configurations that it meets, less the cost V of each of its cells.
    report -- called with a size, the number of sets of this size that are done, and that of
    all. Raises ValueError for sequences of more than eight cells.
    """
    if not 1 <= j <= 8:
        raise ValueError(f"sequences of {j} cells")
    n = len(counts.one)
    sets = _empty_sets(1, 0, n)
    sets.added[0] = sets.most_gain[0] = counts.one
    for size in range(j):
        larger_sets = _empty_sets(4 * n, size + 1, n)
        sets_done = 0
        while sets_done < len(sets.cells):
            report(size, sets_done, len(sets.cells))
            until = min(len(sets.cells), sets_done + SETS_PER_REPORT)
            while sets_done < until:
                rows = len(larger_sets.cells)
                if len(larger_sets.row_of) + n > rows:
                    larger_sets = _resized(larger_sets, 2 * rows)
                best, sets_done = _extend_sets(
                    sets, sets_done, until, j, best, larger_sets, counts, costs.tables
                )
        sets = _resized(larger_sets, len(larger_sets.row_of))
    return int(best)
