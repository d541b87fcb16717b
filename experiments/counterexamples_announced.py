"""Where greedy fails though sinkings are told: python -m experiments.counterexamples_announced

Every position that some strategy can reach in the games of POSITIONS, from the definitions of
`optsearch.check.reference`; of positions that hide the same up to a symmetry of the grid, that of
the fewest shots. And the empty boards of data/results/optima_announced.csv where the totals differ.

`oracle`: both totals come from the definition. `trees`: a best greedy tree and an optimal one are
replayed on every configuration, and give the two totals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from experiments import script
from optsearch.check import reference
from optsearch.check.reference import Family
from optsearch.check.trees import verify
from optsearch.game import CONTACTS, Game, image
from optsearch.game.position import Position, Reply
from optsearch.results.tables import COUNTEREXAMPLES_ANNOUNCED, OPTIMA_ANNOUNCED
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import announced_kernel, best_cells

FLEETS = ("1x6:2,2", "1x7:3,2", "2x3:2,2", "2x4:2,2", "2x4:3,2", "3x3:2,2", "3x3:3,2")
POSITIONS = tuple(
    f"{fleet},contact={contact},announce={announce}"
    for fleet, contact, announce in product(FLEETS, CONTACTS, ("sunk", "ship"))
)
MOST_NODES = 400_000  # of the search of an empty board


@dataclass(frozen=True)
class SharedPosition:
    """A position, what it hides, and both totals from there."""

    position: Position
    family: Family

    @property
    def totals(self) -> tuple[int, int]:
        """Of the best greedy strategy, and the optimum."""
        return reference.best_greedy(self.family), int(reference.total_height(self.family))


def key(game: Game, family: Family) -> Family:
    """A name shared by all families that symmetries of the grid take to one another."""

    def turned(hidden: reference.Hidden, permutation: tuple[int, ...]) -> reference.Hidden:
        if isinstance(hidden, int):
            return image(hidden, permutation)
        return tuple(sorted((image(cells, permutation), told) for cells, told in hidden))

    images = (
        frozenset((turned(hidden, permutation), number) for hidden, number in family)
        for permutation in game.symmetries()
    )
    return min(images, key=lambda one: sorted(map(repr, one)))


def nodes(game: Game) -> Iterator[SharedPosition]:
    """One position for each family that can be reached, fewest shots first."""
    start = Position(game)
    layer = [SharedPosition(start, reference.family(start))]
    seen = {key(game, layer[0].family)}
    while layer:
        yield from layer
        following = []
        for node in layer:
            for cell in reference.useful(node.family):
                for reply, part in sorted(reference.shoot(node.family, cell).items(), key=_order):
                    if reference.is_over(part):
                        continue
                    name = key(game, part)
                    if name not in seen:
                        seen.add(name)
                        after = node.position.after(game.cell(cell), reply)
                        following.append(SharedPosition(after, part))
        layer = following


def _order(item: tuple[Reply, Family]) -> str:
    return str(item[0])


def row(position: Position, totals: tuple[int, int], by_oracle: bool) -> tuple[object, ...]:
    """A line of the table; AssertionError where the trees have other totals."""
    compared = GreedySolver(position).compare()
    replayed = verify(compared.greedy), verify(compared.optimal)
    if replayed != totals:
        raise AssertionError(f"{position.game} {position}: {totals}, but the trees have {replayed}")
    game, search = position.game, announced_kernel(position)
    likely = sum(1 << cell for cell in search.greedy_choices(search.root))
    best = sum(1 << cell for cell in best_cells(search, search.root))
    return (
        "positions" if by_oracle else "empty boards",
        game,
        str(position),
        game.cells,
        search.weight(search.root),
        len(position.shots),
        *totals,
        " ".join(game.names(likely)),
        " ".join(game.names(best)),
        "trees, oracle" if by_oracle else "trees",
    )


def in_positions() -> Iterator[tuple[object, ...]]:
    """Those of every game of POSITIONS."""
    for text in POSITIONS:
        game = Game.parse(text)
        if not any(reference.configurations(Position(game))):
            continue
        with reference.caches():
            reached = list(nodes(game))
            found = [node for node in reached if node.totals[0] > node.totals[1]]
            rows = [row(node.position, node.totals, True) for node in found]
        print(f"{game}: {len(rows)} of {len(reached)} positions", flush=True)
        yield from rows


def on_empty_boards() -> Iterator[tuple[object, ...]]:
    """Those among the games whose optimum is known."""
    for known in OPTIMA_ANNOUNCED.read():
        totals = known["best_greedy_total_height"], known["total_height"]
        game = known["game"]
        if game.is_silent or totals[0] in (None, totals[1]) or known["nodes"] > MOST_NODES:
            continue
        print(f"{game}: {totals[0]} against {totals[1]}", flush=True)
        yield row(Position(game), totals, False)


def main() -> None:
    """The command line."""
    arguments = script.parser(__doc__, "counterexamples_announced").parse_args()
    rows = [*in_positions(), *on_empty_boards()]
    rows.sort(key=lambda one: (one[0] != "positions", *one[3:6]))
    path = COUNTEREXAMPLES_ANNOUNCED.write(rows, arguments.output)
    print(f"{script.typed_path(path)}: {len(rows)} rows")


if __name__ == "__main__":
    script.run(main)
