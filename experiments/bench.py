"""The paper's algorithms beside ours, from one run: python -m experiments.bench [--full]

Each measurement runs in a process of its own, so that its peak memory is its own; short ones are
repeated and the median is printed. Ratios are against the paper's method on the same game.
"""

import argparse
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from optsearch import build, paper, solver
from optsearch.configurations import Configurations
from optsearch.errors import OptsearchError
from optsearch.game import Game
from optsearch.position import Position
from optsearch.solver import SolverOptions

Work = Callable[[Position], tuple[int, int]]  # the answer, and the nodes looked into


def paper_count(position: Position) -> tuple[int, int]:
    """Algorithm 1: one recursive call a placement."""
    return paper.count(position.game), 0


def count(position: Position) -> tuple[int, int]:
    """Bit sets of placements, the innermost ship by popcount, one thread."""
    return Configurations(position, threads=1).number, 0


def count_threads(position: Position) -> tuple[int, int]:
    """The same on all processors."""
    return Configurations(position).number, 0


def occurrence(position: Position) -> tuple[int, int]:
    """The same with the occurrence matrix; the answer is the count it implies."""
    configurations = Configurations(position, threads=1)
    return int(configurations.occurrence.sum()) // position.game.fleet_cells, 0


def paper_optimum(position: Position) -> tuple[int, int]:
    """Algorithm 2: a table on hits and misses, no bounds."""
    solution = paper.solve(position)
    return solution.total_height, solution.nodes


def optimum(position: Position) -> tuple[int, int]:
    """The solver with every switch on."""
    solution = solver.solve(position)
    return solution.total_height, solution.nodes


def optimum_no_bounds(position: Position) -> tuple[int, int]:
    """The solver with the normal form alone: no bound, no order, no symmetry."""
    options = SolverOptions(symmetry=False, leaf_counting=False, ordering=False, small_cases=False)
    solution = solver.solve(position, options=options)
    return solution.total_height, solution.nodes


@dataclass(frozen=True)
class Measurement:
    """What one method took on one game: seconds (median), MiB above an idle process."""

    answer: int
    nodes: int
    seconds: float
    mebibytes: float


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure_here(work: Work, position: Position) -> Measurement:
    idle = _peak()
    times: list[float] = []
    while not times or (sum(times) < 1 and len(times) < 101):
        started = time.perf_counter()
        answer, nodes = work(position)
        times.append(time.perf_counter() - started)
    return Measurement(answer, nodes, statistics.median(times), _peak() - idle)


def measure(work: Work, game: str) -> Measurement:
    """Measure one method on one game in a fresh process."""
    position = Position(Game.parse(game))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure_here, (work, position))


def compare(title: str, game: str, methods: dict[str, Work]) -> None:
    """Print a table of methods on one game; the first is the yardstick."""
    print(f"\n{title}: {game}\n")
    print(f"  {'method':<44}{'answer':>15}{'nodes':>13}{'seconds':>11}{'MiB':>8}{'speed':>10}")
    first: Measurement | None = None
    for name, work in methods.items():
        result = measure(work, game)
        first = first or result
        if result.answer != first.answer:
            raise OptsearchError(f"{name} answers {result.answer}, not {first.answer}")
        nodes = f"{result.nodes:,}" if result.nodes else ""
        print(
            f"  {name:<44}{result.answer:>15,}{nodes:>13}{result.seconds:>11.4f}"
            f"{result.mebibytes:>8.0f}{first.seconds / result.seconds:>9,.0f}x",
            flush=True,
        )


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    full = parser.parse_args().full
    print(f"kernels: {build}")
    counters: dict[str, Work] = {
        "paper's Algorithm 1 (a call a placement)": paper_count,
        "Configurations.number, one thread": count,
        "Configurations.number, all processors": count_threads,
        "Configurations.occurrence, one thread": occurrence,
    }
    compare("Configurations", "10x10:5,4,3,3,2", counters)
    if full:
        compare("Configurations", "10x10:5,4,3,3,2;contact=any", counters)
    solvers: dict[str, Work] = {
        "paper's Algorithm 2 (table on hits, misses)": paper_optimum,
        "solver, normal form alone": optimum_no_bounds,
        "solver": optimum,
    }
    for game in ("4x4:3,2", "4x5:2") + (("4x5:4,3,2",) if full else ()):
        compare("Optimum", game, solvers)


if __name__ == "__main__":
    main()
