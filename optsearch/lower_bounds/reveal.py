"""The reveal game: a ship is shown whole at its first hit.

For a set Q of ships, let F_Q(l) bound the number of completions of Q that a strategy which knows Q
from the start, and is told nothing else, finds with at most l misses. F of a whole fleet is 1, and

    F_Q(l) <= max over sequences of cells c_0 … c_l of
              sum over i of the sum over placements p first covered at c_i of F_{Q+p}(l - i).

Proof. Shots on Q or its halo tell nothing: leave them out. Knowing Q only, all replies are misses
until the next ship is hit, so the shots are one fixed sequence. A completion follows it until its
next ship p is hit at c_i, after exactly i misses. To show p whole now can only help. From there on
the strategy is one that knows Q + p and has l - i misses left; that the first cells are known to be
water is forgotten, that is, the strategy gets completions for nothing that it would not meet.

Further, F_Q(l) is at most

- the number of completions, and F_Q(l + 1);
- 1/m of the sum of F_{Q+p}(l) over the placements p of a length of which a completion has m
  ships, because each completion has m of them and to know one from the start can only help;
- min over j = 0 … l + 1 of the most completions that j cells meet + C(l - j + h, h), h the number
  of cells of the ships left: the root chain (`lower_bounds.chain`) of the game in which Q is
  known. This counts the misses beside a ship that is hit and not yet sunk, those of the last ship
  above all.

Of the board the proof needs that every ship is one piece along sides of cells, as all are: where
ships may not touch, each piece of ship cells is a ship. What touches is the board's to say, and the
halo follows from it.

The kernel `cython_ext/_reveal.pyx` evaluates this from the whole fleet down, in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from optsearch.compiled._reveal import Reveal
from optsearch.counting.configurations import to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game
from optsearch.game.position import no_configuration
from optsearch.support.errors import NotSupported, TooLarge

MISSES = 30  # F(0), …, F(29) and A(0), …: beyond, nothing is gained on boards that can be computed


@dataclass(frozen=True)
class Revealed:
    """What is found of the configurations with one placement of the longest ship.

    ship -- the placement (mask). alike -- how many placements the symmetries of the grid make of
    it. completions -- of this ship to a configuration. found -- F(0), F(1), ….
    """

    ship: int
    alike: int
    completions: int
    found: tuple[int, ...]


def classes(game: Game, length: int | None = None) -> list[tuple[int, int]]:
    """(placement, how many alike) of a ship up to symmetry; the least one of each.

    length -- of the ship; None: the longest.
    """
    result: dict[int, int] = {}
    for ship in game.placements(length or game.fleet[0]):
        least = min(game.images(ship))
        result[least] = result.get(least, 0) + 1
    return list(result.items())


def require_apart(game: Game) -> None:
    """Raise NotSupported where ships may touch along an edge."""
    if game.contact == "any":
        raise NotSupported(
            f"the reveal game needs ships that the cells determine; in {game} they may touch"
        )


def reveal(
    game: Game,
    known: Iterable[Revealed] = (),
    progress: Callable[[list[Revealed], int], None] = lambda done, total: None,
) -> list[Revealed]:
    """F of every class of placements of the longest ship.

    known -- classes that need not be computed again. progress -- called after each class with those
    done and their number.

    Raises NotSupported with contact=any, where the cells of a ship do not tell it from others,
    ImpossiblePosition where the fleet does not fit, and TooLarge for 2^48 configurations or more.
    """
    require_apart(game)
    if not (number := engine_for(game).count(Constraints(game.fleet))):
        raise no_configuration(game)
    if number >= 2**48:
        raise TooLarge(
            f"the reveal game is evaluated for fewer than {2**48:,} configurations; {game} has "
            f"{number:,}"
        )
    lengths = sorted(set(game.fleet), reverse=True)
    kinds = []
    for length in lengths:
        masks = game.placements(length)
        halos = [game.halo(mask) for mask in masks]
        kinds.append((game.fleet.count(length), to_words(masks), to_words(halos)))
    left = [game.fleet.count(length) - (length == game.fleet[0]) for length in lengths]
    sequences = [
        [min(2**60, comb(misses + hits, hits)) for misses in range(MISSES)]
        for hits in range(game.fleet_cells + 1)
    ]
    kernel = Reveal(game.cells, MISSES, kinds, np.array(sequences, np.int64))
    given = {before.ship: before for before in known}
    done: list[Revealed] = []
    todo = classes(game)
    for ship, alike in todo:
        if ship in given:
            done.append(given[ship])
            continue
        words, closed = to_words([ship])[0], to_words([ship | game.halo(ship)])[0]
        *most, completions = kernel.values_of(words, closed, left).tolist()
        done.append(Revealed(ship, alike, completions, tuple(most)))
        progress(done, len(todo))
    return done


def finished_within(game: Game, revealed: Sequence[Revealed]) -> list[int]:
    """A(0), A(1), …: how many configurations any strategy finishes with so many misses.

    The sum of F over the placements of the longest ship, divided by how many the fleet has.
    """
    ships = game.fleet.count(game.fleet[0])
    return [
        sum(shown.alike * shown.found[misses] for shown in revealed) // ships
        for misses in range(MISSES)
    ]
