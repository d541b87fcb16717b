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
from collections.abc import Callable, Iterable
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
from optsearch.search.solver import SolverOptions, solve
from optsearch.strategies import named
from optsearch.strategies.score import Score, ScoreNode, Scores
from optsearch.support.errors import OptsearchError
from optsearch.support.workers import Execution
from optsearch.tree.solution import Solution

MEMORY = 1 << 27  # of the evaluations, for several tasks
GREEDY_SEED = 20141


def most_probable(node: ScoreNode, scores: Scores) -> None:
    """Score each cell, as a user may, so that the strategy is greedy."""
    for cell in range(len(scores)):
        scores[cell] = node.having[cell]


def _configurations_of_matrix(occurrence: np.ndarray, position: Position) -> int:
    """Return the number of configurations that an occurrence matrix implies."""
    return int(occurrence.sum()) // position.game.fleet_cells


def _count_with_new_table(position: Position) -> int:
    """Count with a table that is built anew."""
    engine_for.cache_clear()
    return _configurations_of_matrix(Posterior(position).occurrence, position)


def _draw_samples(position: Position) -> int:
    """Draw 100,000 configurations; return the number of all."""
    posterior = Posterior(position)
    posterior.sample(100_000, 1, masks=True)
    return posterior.configurations


def _play_greedy_game(position: Position) -> int:
    """Return the shots of greedy on a random board, computed by exact posteriors."""
    (drawn,) = Posterior(position).sample(1, np.random.default_rng([GREEDY_SEED, 0]), masks=True)
    end_position = play(
        lambda current_position: Posterior(current_position).greedy_shots()[0],
        to_masks(drawn),
        position,
    )
    return len(end_position.shots)


def _solve_by_processes(position: Position) -> int:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        return solve(position, executor=executor, workers=2).total_height or 0


def _play_greedy_on_each(position: Position) -> int:
    """Return the sum of the shots that greedy takes on all configurations, played one by one."""
    game, strategy, total_height = position.game, named("greedy"), 0
    for ships in list_ships(position):
        current_position, ship_masks = position, to_masks(ships)
        while current_position.hits_left:
            cell = strategy.shot(current_position)
            shot_reply = reply(game, ship_masks, current_position.hits, game.bit(cell))
            current_position = current_position.after(cell, shot_reply)
        total_height += len(current_position.shots)
    return total_height


def _evaluate(strategy: str | Score, position: Position, jobs: int = 1) -> int:
    """Evaluate a strategy on all configurations; return the total height."""
    execution = Execution(jobs=jobs)
    return evaluate(strategy, position.game, memory=MEMORY, execution=execution).total_height


def _evaluate_by_rules(strategy: str, position: Position, rules: str = "") -> int:
    """Evaluate a strategy with more rules of the game; return the configurations."""
    game = Game.parse(f"{position.game}{rules}")
    return evaluate(strategy, game).configurations


Work = Callable[[Position], int | Solution]
TABLE = "transfer matrix, building its table"
METHODS_RUN_BEFORE = ("transfer matrix", "100,000 exact samples", "greedy with exact posteriors")

COUNTERS: dict[str, Work] = {
    "paper's Algorithm 1 (a call a placement)": lambda p: paper.count(p.game),
    "enumeration, one thread": lambda p: Configurations(p, threads=1).configurations,
    "enumeration, all processors": lambda p: Configurations(p).configurations,
}
MATRICES: dict[str, Work] = {
    "enumeration (bit sets, last ship by popcount)": lambda p: _configurations_of_matrix(
        Configurations(p, threads=1).occurrence, p
    ),
    "transfer matrix": lambda p: _configurations_of_matrix(Posterior(p).occurrence, p),
    TABLE: _count_with_new_table,
}
SAMPLES: dict[str, Work] = {"100,000 exact samples": _draw_samples}
GAMES: dict[str, Work] = {"greedy with exact posteriors": _play_greedy_game}
EVALUATIONS: dict[str, dict[str, Work]] = {
    "5x5:3,2": {
        "greedy, each played by itself": _play_greedy_on_each,
        "greedy, its tree": lambda p: _evaluate("greedy", p),
        "greedy as a score, its tree": lambda p: _evaluate(Score(most_probable), p),
    },
    "9x9:4,3,3,2": {
        "greedy, one process": lambda p: _evaluate("greedy", p),
        "greedy as a score, one process": lambda p: _evaluate(Score(most_probable), p),
        "greedy, two processes": lambda p: _evaluate("greedy", p, 2),
    },
    "10x10:4,3,2,contact=any": {
        "greedy, nothing announced": lambda p: _evaluate_by_rules("greedy", p),
        "greedy, sinkings announced": lambda p: _evaluate_by_rules("greedy", p, ",announce=ship"),
        "spread, sinkings announced": lambda p: _evaluate_by_rules("spread", p, ",announce=ship"),
    },
    "8x8:4,3,2,2": {
        "rollout, one process": lambda p: _evaluate("rollout", p),
        "rollout, two processes": lambda p: _evaluate("rollout", p, 2),
    },
}
OPTIMA: dict[str, Work] = {
    "paper's Algorithm 2 (table on hits, misses)": paper.solve,
    "first solver": lambda p: solve(p, options=FIRST),
    "solver": solve,
}
CHAINS: dict[str, Work] = {
    "solver without the dual of the chain": lambda p: solve(p, options=SolverOptions(chain=False)),
    "solver": solve,
}
PROCESSES: dict[str, Work] = {
    "solver, one process": solve,
    "solver, two processes": _solve_by_processes,
}
METHODS = COUNTERS | MATRICES | SAMPLES | GAMES | OPTIMA | CHAINS | PROCESSES
METHODS |= {name: work for works in EVALUATIONS.values() for name, work in works.items()}
UNKNOWN = "8x8:2-5r,2-5g,2-5p,2-5o,contact=any,announce=name --shots B2=miss,E5=hit:r"
COMMANDS = (
    *("posterior paper", "evaluate greedy 8x8:5,4,3,3,2 --jobs 1"),
    *(f"posterior {UNKNOWN}", f"ask {UNKNOWN}"),
)
LONG_COMMANDS = (
    *("solve 5x7:5,4,3,3,2", "solve 5x6:2,2", "solve 6x6:4,3,3"),
    *("count 10x50:5,4,4,3,3,3,2,2,2,2", "equilibrium 5x5:2,2"),
)


@dataclass(frozen=True)
class Measurement:
    """The cost of one method on one game: seconds (median), and MiB above an idle process."""

    answer: int
    nodes: int
    seconds: float
    mebibytes: float


def _peak_mebibytes() -> float:
    """Return the most MiB this process has used since _forget_peak()."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def _forget_peak() -> None:
    """Reset the peak of memory: a fresh process begins with that of its parent."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _measure_here(method: str, position: Position) -> Measurement:
    """Return the answer of a method with its nodes, median seconds and memory, in this process.

    The method runs as often as takes a second, at most 101 times.
    """
    method_function = METHODS[method]
    _forget_peak()
    idle_mebibytes = _peak_mebibytes()
    seconds_of_runs: list[float] = []
    if method in METHODS_RUN_BEFORE:
        method_function(position)  # builds the table of the game, which TABLE measures
    while not seconds_of_runs or (sum(seconds_of_runs) < 1 and len(seconds_of_runs) < 101):
        started = time.perf_counter()
        answer = method_function(position)
        seconds_of_runs.append(time.perf_counter() - started)
    seconds, mebibytes = statistics.median(seconds_of_runs), _peak_mebibytes() - idle_mebibytes
    if isinstance(answer, Solution):
        nodes = answer.nodes + answer.subsets
        return Measurement(answer.total_height or 0, nodes, seconds, mebibytes)
    return Measurement(answer, 0, seconds, mebibytes)


def measure(method: str, position: Position) -> Measurement:
    """Measure one method on one position in a fresh process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        return executor.submit(_measure_here, method, position).result()


def after_random_shots(game: Game, shots: int, seed: int) -> Position:
    """Return a position after shots at random cells of a random configuration."""
    rng = np.random.default_rng([shots, seed])
    position = Position(game)
    ship_masks = to_masks(Posterior(position).sample(1, rng, masks=True)[0])
    for index in rng.permutation(game.cells)[:shots].tolist():
        shot_reply = reply(game, ship_masks, position.hits, 1 << index)
        position = position.after(game.cell(index), shot_reply)
    return position


def compare(
    title: str, position: Position, methods: Iterable[str], configurations: int = 0
) -> None:
    """Print a table of methods on one position, with their speed relative to the first.

    configurations -- that each method goes through; if given, the rate is printed instead of
    the nodes. Raises OptsearchError if a method has another answer than the first.
    """
    print(f"\n{title}\n")
    work_title = "a second" if configurations else "nodes"
    print(f"  {'method':<46}{'answer':>15}{work_title:>13}{'seconds':>11}{'MiB':>8}{'speed':>10}")
    first_measurement: Measurement | None = None
    for name in methods:
        measurement = measure(name, position)
        first_measurement = first_measurement or measurement
        if measurement.answer != first_measurement.answer:
            raise OptsearchError(
                f"{name} answers {measurement.answer}, not {first_measurement.answer}"
            )
        count_of_work = (
            round(configurations / measurement.seconds) if configurations else measurement.nodes
        )
        count_text = f"{count_of_work:,}" if count_of_work else ""
        speed = first_measurement.seconds / measurement.seconds
        speed_text = f"{speed:,.1f}" if speed < 10 else f"{speed:,.0f}"
        print(
            f"  {name:<46}{measurement.answer:>15,}{count_text:>13}{measurement.seconds:>11.4f}"
            f"{measurement.mebibytes:>8.0f}{speed_text:>9}x",
            flush=True,
        )


def bench_commands(commands: tuple[str, ...]) -> None:
    """Print the processor seconds and the peak memory of whole commands, start included."""
    print("\nWhole commands, one process\n")
    print(f"  {'command':<88}{'seconds':>11}{'MiB':>8}")
    for command in commands:
        command_line = [sys.executable, "-m", "optsearch", *command.split(), "--quiet"]
        process = subprocess.Popen(command_line, stdout=subprocess.DEVNULL)
        _, process.returncode, resources = os.wait4(process.pid, 0)  # with what the process used
        if process.returncode:
            raise OptsearchError(f"optsearch {command} ends with {process.returncode}")
        seconds = resources.ru_utime + resources.ru_stime
        print(f"  {command:<88}{seconds:>11.2f}{resources.ru_maxrss / 1024:>8.0f}", flush=True)


def main() -> None:
    """Run the comparisons; with --full, also those that take minutes."""
    parser = script.parser(__doc__, "bench")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    is_full = parser.parse_args().full
    print(f"kernels: {build}")
    standard, touching = (Game.parse(f"10x10:5,4,3,3,2{rule}") for rule in ("", ",contact=any"))
    for game in (standard, touching) if is_full else (standard,):
        compare(f"Counting the configurations of {game}", Position(game), COUNTERS)
    for game in (standard, touching):
        compare(f"Occurrence matrix of {game}, one thread", Position(game), MATRICES)
    for shots in (10, 25, 40):
        for game in (standard, touching):
            position = after_random_shots(game, shots, seed=1)
            compare(f"The same after {shots} random shots at {game}", position, list(MATRICES)[:2])
    compare(f"Samples of {standard}", Position(standard), SAMPLES)
    announced = touching.with_announcement("ship")
    compare(f"A whole game of {announced}", Position(announced), GAMES)
    for text, evaluations in EVALUATIONS.items():
        game = Game.parse(text)
        configurations = Posterior(Position(game)).configurations
        title = f"A strategy on all {configurations:,} configurations of {game}"
        compare(title, Position(game), evaluations, configurations)
    for methods, games, long_games in (
        (list(OPTIMA), ("4x4:3,2", "4x5:2"), ("4x5:4,3,2",)),
        (list(OPTIMA)[1:], ("5x5:3,2", "6x6:2", "6x6:4,4"), ("6x6:4,3",)),
        (list(CHAINS), ("7x7:2", "7x7:3"), ("8x8:4",)),
        (list(PROCESSES), ("5x6:4,2", "5x7:5,4,3,3,2"), ()),
    ):
        for text in (*games, *(long_games if is_full else ())):
            compare(f"Optimum of {text}", Position(Game.parse(text)), methods)
    bench_commands((*COMMANDS, *(LONG_COMMANDS if is_full else ())))


if __name__ == "__main__":
    script.run(main)
