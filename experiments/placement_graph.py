"""The placement graph of a small board: python -m experiments.placement_graph [-o FOLDER]

Two ships on 3x3, as in the slides of Spalding-Jamieson: which placements fit together, which are
still possible after some shots, and how many nodes loops over them visit by the order of the ships.
"""

from experiments import script
from optsearch.reproduce.probability import EXAMPLE, possible, visited
from optsearch.results.tables import PLACEMENT_ORDERS, PLACEMENT_PAIRS


def main() -> None:
    """Compute and write the two tables."""
    output = script.parser(__doc__, "placement_graph").parse_args().output
    game = EXAMPLE.game
    long, short = game.fleet
    whole, left = {n: list(game.placements(n)) for n in game.fleet}, possible(EXAMPLE)
    pairs = [
        (game.ship_name(a), game.ship_name(b), not a & b, a in left[long], b in left[short])
        for a in whole[long]
        for b in whole[short]
    ]
    orders = [
        (
            *(name, order[0], len(graph[order[0]]), len(graph[order[1]])),
            *(visited(graph, order), visited(graph, order, apart=True)),
        )
        for name, graph in (("whole", whole), ("possible", left))
        for order in ((long, short), (short, long))
    ]
    fields = {"game": game, "position": EXAMPLE}
    for table, rows in ((PLACEMENT_PAIRS, pairs), (PLACEMENT_ORDERS, orders)):
        print(script.typed_path(table.write(rows, output, fields=fields, game=game)))


if __name__ == "__main__":
    script.run(main)
