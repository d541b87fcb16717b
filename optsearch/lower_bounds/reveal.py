"""The reveal game: each ship is shown whole at its first hit.

Let Q be a set of placed ships. A *completion* of Q is a configuration that contains Q. F_Q(l)
bounds how many completions a strategy finishes with at most l misses if it knows Q from the start
and hears only hit or miss. F_Q(l) of a whole fleet is 1, and otherwise

    F_Q(l) <= max over sequences of cells c_0 … c_l of
              sum over i of the sum over placements p first covered at c_i of F_{Q+p}(l - i).

Proof. Shots on Q or its halo tell nothing; leave them out. Until the next ship is hit all replies
are misses, so the shots are one fixed sequence. A completion follows it until its next ship p is
hit at c_i, after exactly i misses. Showing p whole now can only help. From there on the strategy is
one that knows Q + p and has l - i misses left. The bound forgets that the cells shot before are
water, so it may count completions that the strategy does not meet. ∎

F_Q(l) is also at most

- the number of completions, and F_Q(l + 1);
- 1/m times the sum of F_{Q+p}(l) over the placements p of one length, if a completion has m more
  ships of that length: each completion has m of these p, and knowing one of them can only help;
- min over j = 0 … l + 1 of the most completions that j cells meet + C(l - j + h, h), with h the
  number of cells of the ships left. This is the root chain (`lower_bounds.chain`) of the game in
  which Q is known. It counts the misses beside a ship that is hit and not yet sunk, above all those
  beside the last ship.

The proof needs that each ship is one piece along sides of cells, as all ships are, and that ships
may not touch: then each piece of ship cells is a ship. The board says which cells touch, and so
what the halo of a ship is.

The kernel `cython_ext/lower_bounds/_reveal.pyx` evaluates this from the whole fleet down, in
integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from optsearch.compiled.lower_bounds._reveal import Reveal
from optsearch.counting.configurations import to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game
from optsearch.game.position import no_configuration
from optsearch.lower_bounds.chain import count_sequences
from optsearch.support.errors import NotSupported, TooLarge

MISSES = 30  # F(0), …, F(29) and A(0), …: more gain nothing on the boards that can be computed


@dataclass(frozen=True)
class Revealed:
    """How many completions of one placement of the longest ship a strategy may finish.

    ship -- the placement (mask). class_size -- the number of its images under the symmetries of the
    board. completions -- the number of configurations with this placement. finished[l] -- an upper
    bound on the completions that are finished with at most l misses, for l = 0 … MISSES - 1.
    """

    ship: int
    class_size: int
    completions: int
    finished: tuple[int, ...]


def placement_classes(game: Game, length: int | None = None) -> list[tuple[int, int]]:
    """List the classes of placements that the symmetries of the board map to each other.

    Returns a pair for each class: its least placement, as a mask, and its number of placements.

    length -- the length of the ship that is placed; None for the longest ship of the fleet.
    """
    class_sizes: dict[int, int] = {}
    for ship in game.placements(length or game.fleet[0]):
        least_image = min(game.images(ship))
        class_sizes[least_image] = class_sizes.get(least_image, 0) + 1
    return list(class_sizes.items())


def require_apart(game: Game) -> None:
    """Raise NotSupported where ships may touch along an edge."""
    if game.contact == "any":
        raise NotSupported(
            f"the reveal game needs ships that the cells determine; in {game} they may touch"
        )


def reveal(
    game: Game,
    computed: Iterable[Revealed] = (),
    progress: Callable[[list[Revealed], int], None] = lambda done, total: None,
) -> list[Revealed]:
    """Bound how many completions of each placement of the longest ship a strategy finishes.

    A completion is a configuration with the placement. The strategy knows the placement, and sees
    each further ship whole at its first hit. The list has one placement of each class, those that
    the symmetries of the board map to each other.

    computed -- results of an earlier call, which are not computed again. progress -- called after
    each computed class with the list so far and the number of all classes.

    Raises NotSupported with contact=any, where cells do not determine the ships, ImpossiblePosition
    if the fleet does not fit, and TooLarge for 2^48 configurations or more.
    """
    require_apart(game)
    configurations = engine_for(game).count(Constraints(game.fleet))
    if not configurations:
        raise no_configuration(game)
    if configurations >= 2**48:
        raise TooLarge(
            f"the reveal game is evaluated for fewer than {2**48:,} configurations; {game} has "
            f"{configurations:,}"
        )
    kernel = _make_kernel(game)
    lengths = sorted(set(game.fleet), reverse=True)
    ships_left = [game.fleet.count(length) - (length == game.fleet[0]) for length in lengths]
    computed_by_ship = {revealed.ship: revealed for revealed in computed}
    classes_done: list[Revealed] = []
    classes = placement_classes(game)
    for ship, class_size in classes:
        if ship in computed_by_ship:
            classes_done.append(computed_by_ship[ship])
            continue
        known_words, closed_words = to_words([ship])[0], to_words([ship | game.halo(ship)])[0]
        *finished, completions = kernel.values_of(known_words, closed_words, ships_left).tolist()
        classes_done.append(Revealed(ship, class_size, completions, tuple(finished)))
        progress(classes_done, len(classes))
    return classes_done


def _make_kernel(game: Game) -> Reveal:
    kinds = []
    for length in sorted(set(game.fleet), reverse=True):
        masks = game.placements(length)
        halos = [game.halo(mask) for mask in masks]
        kinds.append((game.fleet.count(length), to_words(masks), to_words(halos)))
    # The sequences that have so many hits and at most so many misses and end in a hit. A game has
    # fewer than 2^48 configurations, so 2^60 may stand for any number above it.
    sequences = [
        [min(2**60, count_sequences(misses, hits)) for misses in range(MISSES)]
        for hits in range(game.fleet_cells + 1)
    ]
    return Reveal(game.cells, MISSES, kinds, np.array(sequences, np.int64))


def finished_by_reveal(game: Game, revealed: Sequence[Revealed]) -> list[int]:
    """Bound the configurations that a strategy finishes with at most 0, 1, 2, … misses.

    The result has MISSES upper bounds. Each is a sum over all placements of the longest ship,
    divided by the number of ships of this length, since it counts a configuration once for each.

    revealed -- one for each class of placements that symmetries of the board map to each other.
    """
    longest_ships = game.fleet.count(game.fleet[0])
    return [
        sum(each.class_size * each.finished[misses] for each in revealed) // longest_ships
        for misses in range(MISSES)
    ]
