"""Advice on the next shot in a game that is played elsewhere.

advise(Position.parse(game, "B4=hit C7=miss")).likely(3)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from optsearch.counting.mixture import posterior_of
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.evaluation.choosing import Chooser
from optsearch.game import MAX_CELLS, Cell
from optsearch.game.fleets import MixedPosition
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.game.shapes import Placement
from optsearch.search.solver import solve
from optsearch.support.errors import NotSupported, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress, Status, no_progress
from optsearch.tree.solution import SearchStatus, Solution

ENDGAME = 50  # configurations from which the optimum is searched
EFFORT = 300_000  # nodes after which that search is given up


@dataclass(frozen=True)
class Advice:
    """The advice at a position.

    posterior -- of the ships. optimum -- of the position, or None if it was not searched or not
    found. strategy_shots -- the cells that a strategy shoots now, empty if none was asked.
    """

    posterior: Posterior
    optimum: Solution | None
    strategy_shots: tuple[Cell, ...] = ()

    @property
    def ships_left(self) -> tuple[int, ...] | None:
        """The ships not sunk, the longest first; None if the replies do not tell which are."""
        return ships_left(self.posterior.observations)

    def likely(self, number: int) -> list[tuple[Cell, Fraction]]:
        """Return the `number` most probable cells to shoot, with their probabilities, in order.

        Cells that cannot hold a ship or that were shot are left out.
        """
        position, posterior = self.posterior.position, self.posterior
        if posterior.is_exact:
            chances = [chance for row in posterior.frequency for chance in row]
        else:
            chances = list(map(Fraction, posterior.probability.ravel().tolist()))
        closed = posterior.observations.closed
        cells = [i for i, chance in enumerate(chances) if chance and not closed >> i & 1]
        # Floats that agree to twelve digits are ties.
        keys = chances if posterior.is_exact else [Fraction(f"{float(p):.12e}") for p in chances]
        cells.sort(key=keys.__getitem__, reverse=True)  # ties stay row by row
        return [(position.game.cell(i), chances[i]) for i in cells[:number]]


def ships_left(position: Position | NoisyPosition) -> tuple[int, ...] | None:
    """Return the ships not sunk, the longest first; None if replies do not tell which are."""
    if isinstance(position, MixedPosition):
        return None
    game, hits_by_label = position.game, Counter(shot.reply.label for shot in position.shots)
    if game.names_hits:
        afloat = tuple(kind for kind in game.fleet if hits_by_label[kind] < int(kind))
        # With as many hits as one ship has cells, one of several equal ships may be sunk or not.
        is_known = all(game.fleet.count(kind) == 1 for kind in game.fleet if kind not in afloat)
        return afloat if is_known else None
    if game.shows_ships:
        shown = [ship for ship in hits_by_label if isinstance(ship, Placement)]
        sunk = [game.kind_of(ship) for ship in shown if hits_by_label[ship] == ship.bit_count()]
        return tuple((Counter(game.fleet) - Counter(sunk)).elements())
    sinkings = [shot.reply for shot in position.shots if shot.reply.sunk]
    told_kinds = [reply.label for reply in sinkings if isinstance(reply.label, int)]
    if not game.tells_sinkings or len(told_kinds) < len(sinkings):
        return None
    return tuple((Counter(game.fleet) - Counter(told_kinds)).elements())


def draw_fleet(position: Position) -> str:
    """Return a line of text with the name of each ship and a sign for each of its cells.

    ● is a cell of a sunk ship, X a hit of another, and . a cell that is not known to be hit. If the
    fleet is not known, return its text.
    """
    game = position.game
    if isinstance(position, MixedPosition):
        return game.fleet_text
    known_afloat = ships_left(position) if position.hits_left else ()
    afloat = Counter(game.fleet if known_afloat is None else known_afloat)
    hits_by_kind = Counter(shot.reply.label for shot in position.shots if game.names_hits)
    drawn = []
    for kind in dict.fromkeys(game.fleet):
        size, ships = int(kind), game.fleet.count(kind)
        all_cells, sunk_cells = size * ships, size * (ships - afloat[kind])
        signs = "●" * sunk_cells + "X" * (hits_by_kind[kind] - sunk_cells)
        signs = signs.ljust(all_cells, ".")
        signs_by_ship = " ".join(signs[i : i + size] for i in range(0, all_cells, size))
        drawn.append(f"{' or '.join(game.kind_names[kind]) or kind} {signs_by_ship}")
    return ", ".join(drawn)


def advise(
    position: Position | NoisyPosition,
    endgame: int = ENDGAME,
    prior: Prior | None = None,
    chooser: Chooser | None = None,
    salvo: int = 1,
    progress: Progress[Status] = no_progress,
) -> Advice:
    """Return the probabilities for the next shot at a position and, near the end, the optimum.

    The optimum is of single shots and true replies, and is left out otherwise.

    endgame -- the most configurations for which the optimum is searched. prior -- the weights of
    the configurations. chooser -- a strategy to ask, too. salvo -- the number of cells that it
    chooses together.

    Raises ImpossiblePosition if no configuration is left, and the errors of `Chooser.shots`.
    """
    posterior = posterior_of(position, prior, progress)
    _ = posterior.probability  # counts; raises ImpossiblePosition if no configuration is left
    strategy_shots: tuple[Cell, ...] = ()
    if chooser is not None and (isinstance(position, NoisyPosition) or position.hits_left):
        strategy_shots = tuple(chooser.shots(position, salvo))
    if isinstance(position, NoisyPosition) or salvo > 1 or posterior.configurations > endgame:
        return Advice(posterior, None, strategy_shots)
    return Advice(posterior, find_optimum(position, prior=prior), strategy_shots)


def find_optimum(
    position: Position,
    *,
    prior: Prior | None = None,
    all_shots: bool = False,
    seconds: float | None = None,
) -> Solution | None:
    """Return the optimum from a position, or None if a search of EFFORT nodes does not find it.

    None also if the fleet is not known, all ships are sunk, or the board or the weights of the
    prior are too large to search.

    all_shots -- True adds the optimum after each first shot. seconds -- a limit of time.
    """
    is_mixed = isinstance(position, MixedPosition)
    if is_mixed or not position.hits_left or position.game.cells > MAX_CELLS:
        return None
    watch: Progress[SearchStatus] = Limit(seconds, EFFORT).watch()
    try:
        return solve(position, progress=watch, prior=prior, all_shots=all_shots)
    except (LimitReached, NotSupported, TooLarge):  # such as a prior of very large weights
        return None
