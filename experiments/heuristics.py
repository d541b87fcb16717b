"""Versions of "Battleship Heuristics", and readings: python -m experiments.heuristics [-o FOLDER]

5,000 games of each version, as printed and with one choice changed at a time, on the boards of its
own placement (`corner`) and on uniform ones. The header has Hedges' g of each version and the next.
"""

from itertools import pairwise

from experiments import script
from optsearch.play.hiding import hider
from optsearch.play.simulate import Outcome, hedges_g, simulate
from optsearch.reproduce.heuristics import GAME, GAMES, SEED, effect_text
from optsearch.results.tables import HEURISTICS
from optsearch.strategies.heuristic import Heuristic

READINGS: dict[str, dict[str, object]] = {
    "as printed": {},
    "factor 2": {"factor": 2},
    "whole edges": {"edges": "whole"},
    "stuck attacks hunt": {"stuck": "hunt"},
    "memory of the attack": {"memory": "attack"},
}
BOARDS = ("corner", "uniform")


def changed(reading: dict[str, object]) -> tuple[Heuristic, ...]:
    """The five versions in a reading; those on which it has no effect as they are printed."""
    versions = {"factor": (4, 5), "memory": (3,)}
    changes = next((versions[name] for name in reading if name in versions), (3, 4, 5))
    return tuple(
        Heuristic(version, **(reading if version in changes else {}))  # type: ignore[arg-type]
        for version in range(1, 6)
    )


def effects(outcomes: dict[str, Outcome], players: tuple[Heuristic, ...]) -> str:
    """Hedges' g of each version and the next."""
    five = [outcomes[str(player)] for player in players]
    return ", ".join(effect_text(hedges_g(a, b)) for a, b in pairwise(five))


def main() -> None:
    """Simulate and write the tables."""
    parser = script.parser(__doc__, "heuristics")
    parser.add_argument("-n", "--games", type=int, default=GAMES, help="of each player")
    options = parser.parse_args()
    readings = {name: changed(reading) for name, reading in READINGS.items()}
    players = dict.fromkeys(player for five in readings.values() for player in five)
    for boards in BOARDS:
        found = simulate(list(players), GAME, games=options.games, seed=SEED, boards=hider(boards))
        outcomes = {outcome.strategy: outcome for outcome in found.outcomes}
        fields: dict[str, object] = {"games": options.games, "seed": SEED}
        for name, five in readings.items():
            fields[f"mean shots, {name}"] = ", ".join(
                f"{outcomes[str(player)].mean:.3f}" for player in five
            )
            fields[f"Hedges' g, {name}"] = effects(outcomes, five)
        rows = [
            (outcome.strategy, shots, games)
            for outcome in found.outcomes
            for shots, games in outcome.histogram.items()
        ]
        path = HEURISTICS.write(rows, options.output, fields=fields, name=boards, game=GAME)
        print(script.typed_path(path))


if __name__ == "__main__":
    script.run(main)
