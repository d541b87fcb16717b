"""Each method beside a named alternative, from one run: python -m experiments.bench [--full]

Each measurement runs in a process of its own, so that its peak memory is its own; short ones are
repeated and the median is printed. Parts of a family on machine words count as nodes; evaluations
say how many configurations a second they do instead. Ratios are against the first method of each
table.
"""

import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import FIRST, script
from optsearch.check import paper
from optsearch.compiled import build
from optsearch.counting.configurations import Configurations, list_ships, to_masks
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.game.position import Position, play, reply
from optsearch.play.hiding import Drawn
from optsearch.play.simulate import generator_of, play_task, played
from optsearch.search import solver
from optsearch.strategies import as_player, named
from optsearch.strategies.score import Score, ScoreNode, Scores
from optsearch.support.errors import OptsearchError
from optsearch.tree.solution import Solution

MEMORY = 1 << 27  # of the evaluations, for several tasks
GREEDY_SEED = 20141
Work = Callable[[Position], tuple[int, int]]  # the answer, and what was looked into


def paper_count(position: Position) -> tuple[int, int]:
    """Algorithm 1: one recursive call a placement."""
    return paper.count(position.game), 0


def count(position: Position) -> tuple[int, int]:
    """Bit sets of placements, the innermost ship by popcount, one thread."""
    return Configurations(position, threads=1).configurations, 0


def count_threads(position: Position) -> tuple[int, int]:
    """Bit sets of placements, on all processors."""
    return Configurations(position).configurations, 0


def occurrence(position: Position) -> tuple[int, int]:
    """The occurrence matrix by bit sets; the answer is the count it implies."""
    configurations = Configurations(position, threads=1)
    return int(configurations.occurrence.sum()) // position.game.fleet_cells, 0


def posterior(position: Position) -> tuple[int, int]:
    """The occurrence matrix by the transfer matrix, its table built before."""
    return int(Posterior(position).occurrence.sum()) // position.game.fleet_cells, 0


def table(position: Position) -> tuple[int, int]:
    """Building that table, and the occurrence matrix."""
    engine_for.cache_clear()
    return posterior(position)


def samples(position: Position) -> tuple[int, int]:
    """100,000 exact samples; the answer is the count, from the same passes."""
    found = Posterior(position)
    found.sample(100_000, 1)
    return found.configurations, 0


def greedy_game(position: Position) -> tuple[int, int]:
    """A whole greedy game, exact posteriors at every move; the answer is the number of shots."""
    ships = to_masks(Posterior(position).sample(1, np.random.default_rng([GREEDY_SEED, 0]))[0])
    return len(play(lambda at: Posterior(at).greedy_shots()[0], ships, position).shots), 0


def _answer(solution: Solution) -> tuple[int, int]:
    assert solution.total_height is not None
    return solution.total_height, solution.nodes + solution.subsets


def paper_optimum(position: Position) -> tuple[int, int]:
    """Algorithm 2: a table on hits and misses, no bounds."""
    return _answer(paper.solve(position))


def first_optimum(position: Position) -> tuple[int, int]:
    """The solver as it first was: normal forms under the symmetries, leaf counting."""
    return _answer(solver.solve(position, options=FIRST))


def optimum(position: Position) -> tuple[int, int]:
    """The solver with every switch on."""
    return _answer(solver.solve(position))


def optimum_without_chain(position: Position) -> tuple[int, int]:
    """Branch and bound without the bound by a price for each set."""
    return _answer(solver.solve(position, options=solver.SolverOptions(chain=False)))


def optimum_processes(position: Position) -> tuple[int, int]:
    """Branch and bound on two processes, whose start is counted, not their memory; no nodes."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, spawn) as executor:
        solution = solver.solve(position, executor=executor, workers=2)
    return _answer(solution)[0], 0


def played_one_by_one(position: Position) -> tuple[int, int]:
    """Greedy played on every configuration by itself, exact posteriors at every move."""
    game, strategy, total = position.game, named("greedy"), 0
    for ships in list_ships(position):
        at, masks = position, to_masks(ships)
        while at.hits_left:
            cell = strategy.shot(at)
            at = at.after(cell, reply(game, masks, at.hits, game.bit(cell)))
        total += len(at.shots)
    return total, 0


def evaluated(position: Position) -> tuple[int, int]:
    """Greedy's tree walked over all configurations, in this process."""
    return evaluate(named("greedy"), position.game, jobs=1, memory=MEMORY).total_height, 0


def most_probable(node: ScoreNode, scores: Scores) -> None:
    """Greedy as a score of a user."""
    for cell in range(len(scores)):
        scores[cell] = node.having[cell]


def evaluated_score(position: Position) -> tuple[int, int]:
    """That tree by a Python function that the kernel calls; compiling it is counted."""
    return evaluate(Score(most_probable), position.game, jobs=1, memory=MEMORY).total_height, 0


def evaluated_processes(position: Position) -> tuple[int, int]:
    """That evaluation on two processes, whose start is counted and whose memory is not."""
    return evaluate(named("greedy"), position.game, jobs=2, memory=MEMORY).total_height, 0


def evaluated_rollout(position: Position) -> tuple[int, int]:
    """The rollout policy's tree, in this process."""
    return evaluate(named("rollout"), position.game, jobs=1, memory=MEMORY).total_height, 0


def evaluated_rollout_processes(position: Position) -> tuple[int, int]:
    """That rollout on two processes, whose start is counted and whose memory is not."""
    return evaluate(named("rollout"), position.game, jobs=2, memory=MEMORY).total_height, 0


def met_silent(position: Position) -> tuple[int, int]:
    """How many configurations greedy's tree meets, where nothing is announced."""
    return evaluate(named("greedy"), position.game, jobs=1).configurations, 0


def met_announced(position: Position) -> tuple[int, int]:
    """How many it meets where sinkings are announced, by another kernel."""
    game = Game.parse(f"{position.game},announce=ship")
    return evaluate(named("greedy"), game, jobs=1).configurations, 0


def met_by_spread(position: Position) -> tuple[int, int]:
    """How many configurations the tree of `spread` meets."""
    game = Game.parse(f"{position.game},announce=ship")
    return evaluate(named("spread"), game, jobs=1).configurations, 0


SIMPLE = (
    *("random", "heuristic:version=1", "heuristic:version=3", "heuristic:version=5"),
    *("parity", "density"),
)
PLAYED = 20  # games of a simple player


def bench_players(game: Game) -> None:
    """Print games a second of simple players, in plain Python and in numba on the same boards."""
    print(f"\nSimple players, {PLAYED} games of {game}\n")
    print(
        f"  {'player':<24}{'shots':>8}{'Python, a second':>18}{'numba, a second':>17}{'speed':>10}"
    )
    boards = Drawn().boards(game, PLAYED, 1)
    fleets = [to_masks(board) for board in boards]
    for name in SIMPLE:
        player = as_player(name)
        play_task(player, str(game), boards[:1], 0, 1)  # compiled, or taken from its cache
        started = time.perf_counter()
        ends = [played(player, game, ships, generator_of(1, i)) for i, ships in enumerate(fleets)]
        middle = time.perf_counter()
        again = play_task(player, str(game), boards, 0, 1)
        ended = time.perf_counter()
        shots = [len(end.shots) for end in ends]
        if again != shots:
            raise OptsearchError(f"{name} takes {again} shots in numba, not {shots}")
        plain, numba = PLAYED / (middle - started), PLAYED / (ended - middle)
        print(
            f"  {name:<24}{sum(shots):>8,}{plain:>18,.1f}{numba:>17,.1f}{numba / plain:>9,.0f}x",
            flush=True,
        )


@dataclass(frozen=True)
class Measurement:
    """What one method took on one game: seconds (median), MiB above an idle process."""

    answer: int
    nodes: int
    seconds: float
    mebibytes: float


def _peak() -> float:
    """The most MiB this process has used since _forget_peak()."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def _forget_peak() -> None:
    """Start anew: a fresh process begins with the peak of its parent."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _measure_here(work: Work, position: Position) -> Measurement:
    _forget_peak()
    idle = _peak()
    times: list[float] = []
    if work in (posterior, greedy_game, samples):
        work(position)  # builds the table of the game, which `table` measures
    while not times or (sum(times) < 1 and len(times) < 101):
        started = time.perf_counter()
        answer, nodes = work(position)
        times.append(time.perf_counter() - started)
    return Measurement(answer, nodes, statistics.median(times), _peak() - idle)


def measure(work: Work, position: Position) -> Measurement:
    """Measure one method on one position in a fresh process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        return executor.submit(_measure_here, work, position).result()


def after_random_shots(game: Game, shots: int, seed: int) -> Position:
    """A position after shots at random cells, at a configuration drawn uniformly."""
    rng = np.random.default_rng([shots, seed])
    position = Position(game)
    ships = to_masks(Posterior(position).sample(1, rng)[0])
    for index in rng.permutation(game.cells)[:shots].tolist():
        answer = reply(game, ships, position.hits, 1 << index)
        position = position.after(game.cell(index), answer)
    return position


def compare(title: str, position: Position, methods: dict[str, Work], done: int = 0) -> None:
    """Print a table of methods on one position; the first is the yardstick.

    done -- configurations that each of them goes through: say how many a second, not the nodes.
    """
    print(f"\n{title}\n")
    rate = "a second" if done else "nodes"
    print(f"  {'method':<46}{'answer':>15}{rate:>13}{'seconds':>11}{'MiB':>8}{'speed':>10}")
    first: Measurement | None = None
    for name, work in methods.items():
        result = measure(work, position)
        first = first or result
        if result.answer != first.answer:
            raise OptsearchError(f"{name} answers {result.answer}, not {first.answer}")
        looked = round(done / result.seconds) if done else result.nodes
        nodes = f"{looked:,}" if looked else ""
        speed = first.seconds / result.seconds
        print(
            f"  {name:<46}{result.answer:>15,}{nodes:>13}{result.seconds:>11.4f}"
            f"{result.mebibytes:>8.0f}{speed:>9,.{1 if speed < 10 else 0}f}x",
            flush=True,
        )


EVALUATIONS: tuple[tuple[str, dict[str, Work]], ...] = (
    (
        "5x5:3,2",
        {
            "greedy, each played by itself": played_one_by_one,
            "greedy, its tree": evaluated,
            "greedy as a score, its tree": evaluated_score,
        },
    ),
    (
        "9x9:4,3,3,2",
        {
            "greedy, one process": evaluated,
            "greedy as a score, one process": evaluated_score,
            "greedy, two processes": evaluated_processes,
        },
    ),
    (
        "10x10:4,3,2,contact=any",
        {
            "greedy, nothing announced": met_silent,
            "greedy, sinkings announced": met_announced,
            "spread, sinkings announced": met_by_spread,
        },
    ),
    (
        "8x8:4,3,2,2",
        {
            "rollout, one process": evaluated_rollout,
            "rollout, two processes": evaluated_rollout_processes,
        },
    ),
)


COMMANDS = ("posterior paper", "evaluate greedy 8x8:5,4,3,3,2 --jobs 1")
LONG_COMMANDS = (
    *("solve 5x7:5,4,3,3,2", "solve 5x6:2,2", "solve 6x6:4,3,3"),
    *("count 10x50:5,4,4,3,3,3,2,2,2,2", "equilibrium 5x5:2,2"),
)


def bench_commands(commands: tuple[str, ...]) -> None:
    """Print the processor seconds and the peak memory of whole commands, start included."""
    print("\nWhole commands, one process\n")
    print(f"  {'command':<46}{'seconds':>11}{'MiB':>8}")
    for command in commands:
        arguments = [sys.executable, "-m", "optsearch", *command.split(), "--quiet"]
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
        _, process.returncode, used = os.wait4(process.pid, 0)
        if process.returncode:
            raise OptsearchError(f"optsearch {command} ends with {process.returncode}")
        seconds = used.ru_utime + used.ru_stime
        print(f"  {command:<46}{seconds:>11.2f}{used.ru_maxrss / 1024:>8.0f}", flush=True)


def main() -> None:
    """Run the comparisons."""
    parser = script.parser(__doc__, "bench")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    full = parser.parse_args().full
    print(f"kernels: {build}")
    standard = Game.parse("10x10:5,4,3,3,2")
    touching = Game.parse("10x10:5,4,3,3,2,contact=any")
    counters: dict[str, Work] = {
        "paper's Algorithm 1 (a call a placement)": paper_count,
        "enumeration, one thread": count,
        "enumeration, all processors": count_threads,
    }
    for game in (standard, touching) if full else (standard,):
        compare(f"Counting the configurations of {game}", Position(game), counters)

    matrices: dict[str, Work] = {
        "enumeration (bit sets, last ship by popcount)": occurrence,
        "transfer matrix": posterior,
        "transfer matrix, building its table": table,
    }
    for game in (standard, touching):
        compare(f"Occurrence matrix of {game}, one thread", Position(game), matrices)
    del matrices["transfer matrix, building its table"]
    for shots in (10, 25, 40):
        for game in (standard, touching):
            position = after_random_shots(game, shots, seed=1)
            compare(f"The same after {shots} random shots at {game}", position, matrices)
    others: dict[str, Work] = {"100,000 exact samples": samples}
    compare(f"Samples of {standard}", Position(standard), others)
    told = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
    others = {"greedy with exact posteriors": greedy_game}
    compare(f"A whole game of {told}", Position(told), others)

    bench_players(touching)
    for text, evaluations in EVALUATIONS:
        game = Game.parse(text)
        number = Posterior(Position(game)).configurations
        title = f"A strategy on all {number:,} configurations of {game}"
        compare(title, Position(game), evaluations, number)

    solvers: dict[str, Work] = {
        "paper's Algorithm 2 (table on hits, misses)": paper_optimum,
        "first solver": first_optimum,
        "solver": optimum,
    }
    for text in ("4x4:3,2", "4x5:2") + (("4x5:4,3,2",) if full else ()):
        compare(f"Optimum of {text}", Position(Game.parse(text)), solvers)
    del solvers["paper's Algorithm 2 (table on hits, misses)"]
    for text in ("5x5:3,2", "6x6:2", "6x6:4,4") + (("6x6:4,3",) if full else ()):
        compare(f"Optimum of {text}", Position(Game.parse(text)), solvers)
    chains: dict[str, Work] = {
        "solver without the dual of the chain": optimum_without_chain,
        "solver": optimum,
    }
    for text in ("7x7:2", "7x7:3") + (("8x8:4",) if full else ()):
        compare(f"Optimum of {text}", Position(Game.parse(text)), chains)
    processes: dict[str, Work] = {
        "solver, one process": optimum,
        "solver, two processes": optimum_processes,
    }
    for text in ("5x6:4,2", "5x7:5,4,3,3,2"):
        compare(f"Optimum of {text}", Position(Game.parse(text)), processes)
    bench_commands((*COMMANDS, *(LONG_COMMANDS if full else ())))


if __name__ == "__main__":
    script.run(main)
