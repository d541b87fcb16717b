"""The least worst case of a game is at least this: covers by parts of the board.

While every shot misses, a strategy shoots a fixed sequence of cells, and in the end these meet
every configuration. A family F has the *cover number* t(F), the fewest cells that meet all its
sets. Its *end* e(F) is the least, over all sets S of cells that leave some of F unmet, of |S| and
the misses that the rest of F takes in the worst case.

**Parts.** Let F_1, …, F_m be some of the configurations, parted so that no cell is in sets of two
of the F_i. Then every strategy has, for one of the configurations, at least

    min over j of (sum over i other than j of t(F_i)) + e(F_j)

misses. *Proof.* Answer every shot by a miss while at least two of the F_i have a set that is not
met. A shot meets sets of at most one F_i, so in the end one of them, F_j, is left alone. All others
are met by misses, at least t(F_i) of them on cells of their own. On cells of F_j there were some
misses S that leave a part of F_j unmet, and what is left of the game takes at least the misses that
this part takes in the worst case: to say that one of it is hidden only helps. ∎

Of a fleet one ship is hidden and the others are told, which only helps; what a sinking tells comes
after the last hit then, so the bound holds whatever is announced. Parts are rectangles of the
board, by cuts and as four around a square; those of few placements have their numbers exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from optsearch.game import Game, bits

MOST_SETS = 16  # of a part, whose numbers are computed
GAINS = (1, 0, -1)  # of the end of a part over its cover number
Family = frozenset[int]
Rectangle = tuple[int, int, int, int]  # first row, row after the last, and the same of columns


@cache
def cover_number(family: Family) -> int:
    """The fewest cells that meet all sets of a family."""
    if not family:
        return 0
    one = min(family)
    return 1 + min(cover_number(_missed(family, cell)) for cell in bits(one))


@cache
def is_worst_within(family: Family, misses: int) -> bool:
    """Whether a strategy for a family takes at most so many misses; sets of one size.

    The misses meet all sets but the last, so there is at least one less than the cover number.
    """
    if len(family) == 1:
        return misses >= 0
    if cover_number(family) - 1 > misses:
        return False
    certain = -1
    for mask in family:
        certain &= mask
    return any(
        is_worst_within(_missed(family, cell), misses - 1)
        and is_worst_within(_hit(family, cell), misses)
        for cell in _cells(family)
        if not certain >> cell & 1
    )


@cache
def is_end_within(family: Family, misses: int) -> bool:
    """Whether the end of a family is at most this."""
    if cover_number(family) - 1 > misses:
        return False
    if is_worst_within(family, misses):
        return True
    rests = (_missed(family, cell) for cell in _cells(family))
    return any(is_end_within(rest, misses - 1) for rest in rests if rest)


def gain_of(family: Family) -> int:
    """What the end of a family is above its cover number: -1 or 0, or 1 for that and more."""
    cover = cover_number(family)
    return sum(not is_end_within(family, most) for most in (cover - 1, cover)) - 1


def _cells(family: Family) -> list[int]:
    """The cells of its sets, those of many sets first."""
    counts = Counter(cell for mask in family for cell in bits(mask))
    return sorted(counts, key=lambda cell: (-counts[cell], cell))


def _missed(family: Family, cell: int) -> Family:
    return frozenset(mask for mask in family if not mask >> cell & 1)


def _hit(family: Family, cell: int) -> Family:
    return frozenset(mask & ~(1 << cell) for mask in family if mask >> cell & 1)


def least_worst_misses(game: Game) -> int:
    """The misses of every strategy in its worst case, at least; 0 on boards without rows."""
    if not game.is_rectangle:
        return 0
    return max((_by_parts(game, hidden) for hidden in _hidden(game)), default=0)


def _hidden(game: Game) -> Iterator[list[int]]:
    """The placements of one ship beside the others, each of which lies where it first can."""
    for ship in sorted(set(game.fleet), key=int):
        others = list(game.fleet)
        others.remove(ship)
        closed, fits = game.holes, True
        for other in others:
            free = (mask for mask in game.placements(other) if not mask & closed)
            first = next(free, 0)
            fits = fits and first != 0
            closed |= first | game.halo(first) if first else 0
        if fits:
            yield [mask for mask in game.placements(ship) if not mask & closed]


def _by_parts(game: Game, placements: list[int]) -> int:
    """The bound for one hidden ship."""
    inside = _Inside(game, placements)

    @cache
    def most(part: Rectangle, gain: int) -> int:
        """The most cover numbers together of parts of a rectangle, whose ends gain so much."""
        top, bottom, left, right = part
        sets = inside.sets(part)
        if not sets:
            return 0
        best = 0
        if len(sets) <= MOST_SETS and gain_of(sets) >= gain:
            best = cover_number(sets)
        for row in range(top + 1, bottom):
            best = max(
                best,
                most((top, row, left, right), gain) + most((row, bottom, left, right), gain),
            )
        for column in range(left + 1, right):
            best = max(
                best,
                most((top, bottom, left, column), gain) + most((top, bottom, column, right), gain),
            )
        return max([best, *(sum(most(one, gain) for one in five) for five in _wheels(part))])

    board = (0, game.rows, 0, game.columns)
    whole = ((most(board, gain), gain) for gain in GAINS)
    return max((covers + gain for covers, gain in whole if covers), default=0)


def _wheels(part: Rectangle) -> Iterator[tuple[Rectangle, ...]]:
    """A square as four rectangles around a smaller square."""
    top, bottom, left, right = part
    if bottom - top != right - left:
        return
    for short in range(1, (bottom - top + 1) // 2):
        a, b, c, d = top + short, bottom - short, left + short, right - short
        yield (
            (top, a, left, d),
            (top, b, d, right),
            (b, bottom, c, right),
            (a, bottom, left, c),
            (a, b, c, d),
        )


class _Inside:
    """The placements inside rectangles of a board."""

    def __init__(self, game: Game, placements: list[int]):
        self._columns = game.columns
        self._boxes: dict[int, Rectangle] = {}
        for mask in placements:
            cells = game.cells_of(mask)
            rows, columns = [r for r, _ in cells], [c for _, c in cells]
            self._boxes[mask] = (min(rows), max(rows) + 1, min(columns), max(columns) + 1)

    def sets(self, part: Rectangle) -> Family:
        """The placements inside a rectangle, moved into the corner of the board."""
        top, bottom, left, right = part
        corner = top * self._columns + left
        return frozenset(
            mask >> corner
            for mask, (a, b, c, d) in self._boxes.items()
            if top <= a and b <= bottom and left <= c and d <= right
        )
