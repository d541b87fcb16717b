"""The mini-game with a limit of shots: python -m experiments.mini_game [--only STRATEGY …]

`8x8:4,3,2;contact=any;announce=sunk`, 604,584 boards, in which a player wins with 24 shots. The
distributions of strategies over all of its boards, to data/results/mini_game.csv:

- greedy and bisection as `optsearch` has them, which know with which shot a ship was sunk;
- the same two as the players' tool has them, which knows how many ships are sunk now;
- the policy `within`, made for a limit of shots, by asking it at every position.

The first four are walked in numba (`experiments.mini_game_walk`); what is asked is parted here. A
strategy that is done is kept, and a run that was stopped goes on after it.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from experiments import script
from experiments.mini_game_walk import Boards, walked
from optsearch.game import Game
from optsearch.game.position import Position, Reply
from optsearch.results.tables import MINI_GAME
from optsearch.strategies import Strategy, named

GAME = Game.parse("8x8:4,3,2;contact=any;announce=sunk")
LIMITS = (19, 20, 24)
WALKED = {  # by what is known, and what is shot
    "greedy:ties=first,endgame=0": (False, False),
    "bisection:ties=first": (False, True),
    "greedy by the count of sunk ships": (True, False),
    "bisection by the count of sunk ships": (True, True),
}
ASKED = ("within:shots=20", "within:shots=24")


def asked(strategy: Strategy, game: Game) -> dict[int, int]:
    """The shots of a strategy over all boards, asked at every position of its tree.

    The boards are parted by numpy: what a shot is told follows from the cells of each ship.
    """
    ships = Boards.of(game).ships
    kinds = np.array([kind if game.announce == "ship" else 0 for kind in game.fleet])
    histogram: Counter[int] = Counter()
    stack: list[tuple[Position, NDArray[np.int64]]] = [(Position(game), np.arange(len(ships)))]
    clock, done = script.Clock(str(strategy)), 0
    while stack:
        position, rows = stack.pop()
        if not position.hits_left:
            histogram[len(position.shots)] += len(rows)
            done += len(rows)
            clock(done, len(ships))
            continue
        cell = strategy.shot(position)
        bit = np.uint64(game.bit(cell))
        has = (ships[rows] & bit) != 0
        is_sunk = (ships[rows] & ~np.uint64(position.hits)) == bit
        told = np.where(has.any(1), 1, 0)
        if not game.is_silent:
            told = np.where(is_sunk.any(1), 2 + (is_sunk * kinds).sum(1), told)
        for value in np.unique(told).tolist():
            length = (value - 2) or None if value > 1 else None
            reply = Reply(value > 0, value > 1, length)
            stack.append((position.after(cell, reply), rows[told == value]))
    return dict(sorted(histogram.items()))


def distribution(name: str, game: Game = GAME) -> dict[int, int]:
    """The shots of one of the strategies."""
    if name in WALKED:
        by_count, is_bisection = WALKED[name]
        return walked(Boards.of(game), by_count, is_bisection)
    return asked(named(name), game)


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "mini_game")
    parser.add_argument("--only", action="append", choices=[*WALKED, *ASKED])
    arguments = parser.parse_args()
    path = MINI_GAME.path(arguments.output)
    found: dict[str, dict[int, int]] = {}
    for row in MINI_GAME.read(path) if path.is_file() else ():
        found.setdefault(row["strategy"], {})[row["shots"]] = row["configurations"]
    for name in (*WALKED, *ASKED):
        if arguments.only is None and name in found:
            continue
        if arguments.only is not None and name not in arguments.only:
            continue
        found[name] = distribution(name)
        shots = sum(number * n for number, n in found[name].items())
        boards = sum(found[name].values())
        won = {k: sum(n for number, n in found[name].items() if number <= k) for k in LIMITS}
        print(f"{name}: {shots / boards:.6f} shots, {won}", flush=True)
        MINI_GAME.write(
            [
                (name, number, n)
                for name in (*WALKED, *ASKED)
                for number, n in found.get(name, {}).items()
            ],
            arguments.output,
            fields={"game": GAME, "configurations": boards},
            game=GAME,
        )
    print(f"{script.typed_path(path)}: {len(found)} strategies")


if __name__ == "__main__":
    script.run(main)
