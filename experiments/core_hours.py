"""What searches beyond today's would take, from samples: python -m experiments.core_hours

The first table has positions of a game after random misses, no ship hit, solved one by one: their
effort (nodes, and what subsets come to in nodes) and the states that they keep. The second table
plays a solved search as several machines would share it: each question goes to the first machine
that is free, and takes as long as its effort there. The machines have one table in common, or each
its own, of which the others learn nothing; the truth is between.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from math import exp, log

from experiments import script
from optsearch.game import Game
from optsearch.game.position import MISS, Position
from optsearch.results.tables import SEARCH_MACHINES, SEARCH_SAMPLES
from optsearch.search.frontier import Frontier, Question
from optsearch.search.kernels import SolverOptions
from optsearch.search.solver import Solver
from optsearch.support.progress import Limit, LimitReached

SAMPLED = (  # solved ones, to compare what samples predict with what is true, and two that are not
    *("5x6:4,3,2", "5x6:4,3,3,2", "5x7:5,4,3", "6x6:5,4,3", "6x6:5,4,3,2"),
    *("6x7:5,4,3,3,2", "7x7:5,4,3,3,2"),
)
SHARED = "5x6:5,4,3", "5x6:4,3", "5x6:5,4,3,2"
MACHINES = 1, 2, 4, 8, 16
OPTIONS = SolverOptions(root_bounds=False)
LEAST = 70  # configurations: fewer are searched as subsets of a machine word, for the most part
MOST = 350  # more take seconds each, and more


# Samples


def missed(solver: Solver, most: int, rng: random.Random) -> tuple[Position, int]:
    """A position of so many configurations or fewer after random misses, and how many."""
    kernel, position = solver.kernel, solver.position
    state = kernel.root
    while len(state.family) > most:
        counts = kernel.counts(state)
        counts[counts == len(state.family)] = 0
        (cell,) = rng.choices(range(len(counts)), [int(n) ** 2 for n in counts])
        state = kernel.parts(state, cell)[MISS]
        position = position.after(position.game.cell(cell), MISS)
    return position, len(state.family)


def samples(game: Game, number: int, effort: int) -> Iterator[tuple[object, ...]]:
    """Positions with an eighth of the configurations or fewer, spread evenly by logarithms.

    effort -- of one; a position that takes more has an empty line.
    """
    rng = random.Random(42)
    solver = Solver(Position(game), OPTIONS)
    total = len(solver.kernel.root.family)
    most = min(total // 8, MOST)
    for i in range(number):
        size = round(exp(log(LEAST) + (log(most) - log(LEAST)) * (i + 0.5) / number))
        left = 0
        while left < 0.7 * size:
            position, left = missed(solver, size, rng)
        started = time.process_time()
        one = Solver(position, OPTIONS, None, Limit(effort=effort).watch())
        took: tuple[int | None, ...] = None, None, None
        with suppress(LimitReached):
            found = one.solution
            took = one.kernel.effort, found.table_entries, found.table_bytes
        yield (game, total, len(position.shots), left, *took, time.process_time() - started)


# Machines


def spread(game: Game, machines: int, is_common: bool, nodes: int) -> tuple[object, ...]:
    """A search by so many machines: what all do together, and when the last of them has ended.

    nodes -- of a question; a larger one is parted.
    """
    head, *apart = (Solver(Position(game), OPTIONS).watch for _ in range(machines + 1))
    others = [head] * machines if is_common else apart  # one after the other: one table is enough
    frontier = Frontier(head.kernel, head.kernel.root, nodes=nodes)
    free = list(range(machines))
    busy: list[tuple[int, int, int, Question, int | None]] = []  # by when they end
    clock = asked_for = longest = everything = 0
    while True:
        while free and (question := frontier.next_question()) is not None:
            watch = others[machine := free.pop()]
            before = watch.kernel.effort
            cost = watch.answer(question)
            took = watch.kernel.effort - before
            asked_for, longest, everything = asked_for + 1, max(longest, took), everything + took
            heapq.heappush(busy, (clock + took, asked_for, machine, question, cost))
        if not busy:
            break
        clock, _, machine, question, cost = heapq.heappop(busy)
        frontier.enter(question, cost)
        free.append(machine)
    tables = "in common" if is_common else "apart"
    return game, tables, machines, asked_for, everything, clock, longest


def main() -> None:
    """Compute and write the tables."""
    parser = script.parser(__doc__, "core_hours")
    games, shared = ([*map(Game.parse, texts)] for texts in (SAMPLED, SHARED))
    parser.add_argument("game", nargs="*", type=script.game, default=games)
    parser.add_argument("--number", type=int, default=12, help="samples of a game")
    parser.add_argument("--effort", type=int, default=100_000, help="of a sample")
    parser.add_argument("--shared", nargs="*", type=script.game, default=shared)
    parser.add_argument("--nodes", type=int, default=1_000, help="of a question")
    parser.add_argument("--machines", nargs="*", type=int, default=MACHINES)
    arguments = parser.parse_args()
    number, effort = arguments.number, arguments.effort
    drawn = (row for game in arguments.game for row in samples(game, number, effort))
    SEARCH_SAMPLES.write(script.reported(drawn, number * len(arguments.game)), arguments.output)
    runs = [
        (game, machines, is_common, arguments.nodes)
        for game in arguments.shared
        for is_common in (False, True)
        for machines in arguments.machines
    ]
    played = (spread(*run) for run in runs)
    SEARCH_MACHINES.write(script.reported(played, len(runs)), arguments.output)


if __name__ == "__main__":
    script.run(main)
