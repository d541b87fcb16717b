"""What saves rounds of the double oracle: python -m experiments.double_oracle [-o FOLDER]

The same games with and without the level method and the trees that are put together from others
(`optsearch.equilibria`): rounds until the exact value is found, and seconds, to
data/results/double_oracle.csv. All agree in the value.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from experiments import script
from optsearch.equilibria import equilibrium
from optsearch.results.tables import DOUBLE_ORACLE

GAMES = (
    *("3x4:2", "3x4:2,2", "4x4:2", "4x4:3,2", "4x5:3", "4x5:3,3", "4x5:4,2", "4x5:4,3,2"),
    "5x5:4,4",
)
WAYS: dict[str, dict[str, Any]] = {
    "neither": {"level": 0, "combine": False},
    "level": {"combine": False},
    "combined trees": {"level": 0},
    "both": {},
}


def rows(games: tuple[str, ...] = GAMES) -> Iterator[tuple[object, ...]]:
    """A line for each game and way."""
    for game in games:
        values: set[Fraction] = set()
        for way, options in WAYS.items():
            found = equilibrium(game, **options)
            values.add(found.value)
            yield (
                *(found.game, len(found.hidings.orbits), way),
                *(found.rounds, found.trees, found.seconds),
            )
        if len(values) > 1:
            raise AssertionError(f"{game} has the values {values}")


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "double_oracle").parse_args().output
    DOUBLE_ORACLE.write(script.reported(rows(), len(GAMES) * len(WAYS)), output)


if __name__ == "__main__":
    script.run(main)
