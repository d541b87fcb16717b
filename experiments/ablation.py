"""Time the solver without each switch: python -m experiments.ablation ["GAME [worst] SHOTS" …]

Each position is solved, for the mean or the worst case, with every switch on, and with one off at
a time. A word prior=NAME weighs the configurations. A run of more than --nodes (500,000) is
given up; the totals of all others must be equal. Effort is nodes plus the subsets converted to
nodes. Seconds are processor time, of short runs the fastest of five.

--simplify (`make simplify`) writes no table: it lists the switches that can go, because without
them all numbers of the first eleven positions are the same, and the time is less than 1.1 times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from experiments import script
from optsearch.counting.prior import Prior, prior_of
from optsearch.game import Game
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from optsearch.search.solver import SWITCHES, Solver, SolverOptions
from optsearch.support.progress import Limit, LimitReached
from optsearch.tree.solution import Solution

POSITIONS_TO_SIMPLIFY = 11  # positions that `--simplify` solves
LEAST_RATIO = 1.1  # times the time, below which a switch can go

# Boards, and endgames of the paper's game; each switch pays on some of them.
GAMES = (
    "4x5:4,3,2",
    "4x6:3,2",
    "5x5:3,2",
    "5x6:6,2",
    "4x7:2,2",
    "6x6:4,4",
    "7x7:2",
    "6x6:2 worst",
    "3x6:2,1",
    "1x20:4,4,3",
    "4x5:3,2,contact=any",
    "4x5:3,2 worst",
    "4x4:3,2,contact=any,announce=ship",
    "5x5:3,2 prior=one-by-one",
    "5x5:4,2 prior=one-by-one",
    "5x6:5,3 prior=one-by-one",
    "10x10:5,4,3,3,2 I7=hit H2=hit G9=hit I4=hit E9=miss C2=miss J1=miss F8=miss D6=miss "
    "G8=miss A3=miss B6=miss G10=miss I1=miss C9=miss G5=miss C8=miss D2=miss G7=miss "
    "H3=miss B10=miss C7=miss H5=miss G1=miss D1=miss B1=miss B3=miss G4=miss I2=miss "
    "J2=miss A1=miss J3=miss B4=miss F3=miss J8=miss I8=miss F2=miss J6=miss J5=miss "
    "E4=miss H7=miss I3=miss F4=miss D3=miss H10=miss C4=miss",
    "10x10:5,4,3,3,2 C6=hit C7=hit I9=hit F10=miss I2=miss J7=miss E9=miss I3=miss G8=miss "
    "A5=miss J10=miss B1=miss A2=miss C1=miss D4=miss I5=miss D9=miss C4=miss C2=miss "
    "B6=miss B8=miss D10=miss B5=miss B4=miss E8=miss J9=miss C10=miss H6=miss H7=miss "
    "D3=miss G2=miss A7=miss A1=miss G7=miss F6=miss G3=miss B2=miss A3=miss G6=miss "
    "G5=miss D2=miss H5=miss E2=miss D8=miss F8=miss F2=miss J2=miss I10=miss F4=miss "
    "J8=miss C5=miss D7=miss J4=miss C3=miss A9=miss F7=miss A4=miss H2=miss B10=miss "
    "H8=miss I7=miss H4=miss",
    "10x10:5,4,3,3,2 H1=hit C4=hit I8=hit C3=hit H2=hit I5=miss J10=miss A8=miss B7=miss "
    "A6=miss G8=miss A4=miss G3=miss E10=miss A3=miss E8=miss F7=miss C8=miss J3=miss "
    "A1=miss B4=miss D3=miss J6=miss C10=miss B1=miss A10=miss F8=miss G2=miss H10=miss "
    "D8=miss J9=miss B10=miss H6=miss C2=miss J7=miss I9=miss C5=miss I2=miss B5=miss "
    "I3=miss E6=miss",
    "10x10:5,4,3,3,2 H3=hit F10=hit H1=hit J8=hit D7=hit J5=miss J1=miss E10=miss D4=miss "
    "F6=miss D9=miss J4=miss I7=miss F3=miss C7=miss H8=miss I10=miss A9=miss C8=miss "
    "B3=miss H5=miss H7=miss D10=miss E5=miss E9=miss H6=miss A3=miss G1=miss G10=miss "
    "D2=miss I6=miss H10=miss C9=miss J2=miss B1=miss A10=miss B6=miss D8=miss B8=miss "
    "F1=miss",
)


def options_by_switch() -> Iterator[tuple[str, SolverOptions]]:
    """Yield "nothing" with the options of a full search, then each switch with it alone off.

    Bounds of the root stay off in all of them. A switch that is off by default is left out: no
    search for one set of weights uses it.
    """
    with_everything = SolverOptions(root_bounds=False)
    yield "nothing", with_everything
    for name in SWITCHES:
        if getattr(with_everything, name):
            yield name, replace(with_everything, **{name: False})


@dataclass(frozen=True)
class AblationCase:
    """A position with the objective of the search, and a prior if there is one."""

    position: Position
    objective: Objective = MEAN
    prior: Prior | None = None

    @classmethod
    def parse(cls, text: str) -> AblationCase:
        """Parse words: a game, an objective (else the mean), prior=NAME if there is one, shots."""
        first, *words = text.split()
        game = Game.parse(first)
        objective, prior = MEAN, None
        if words and "=" not in words[0]:
            objective = Objective.parse(words.pop(0))
        if words and words[0].startswith("prior="):
            prior = prior_of(words.pop(0).removeprefix("prior="), game)
        return cls(Position.parse(game, " ".join(words)), objective, prior)

    def __str__(self) -> str:
        aim = "" if self.objective == MEAN else f" {self.objective}"
        weights = "" if self.prior is None else f" prior={self.prior.name}"
        return f"{self.position.game}{aim}{weights} {self.position}".rstrip()


@dataclass(frozen=True)
class Timing:
    """One solution, its effort and the seconds it took."""

    solution: Solution
    effort: int
    seconds: float


def time_solution(case: AblationCase, switches: SolverOptions, nodes: int) -> Timing | None:
    """Return the solution of a case, its effort, and the seconds of the fastest of up to five runs.

    Seconds are processor time. None if a run takes more than `nodes` of effort.
    """
    fastest = inf
    seconds_in_all = 0.0
    for _ in range(5):
        started = time.process_time()
        limit = Limit(effort=nodes)
        solver = Solver(
            case.position, switches, None, limit.watch(), case.objective, prior=case.prior
        )
        try:
            solution = solver.solution
        except LimitReached:
            return None
        seconds = time.process_time() - started
        fastest = min(fastest, seconds)
        seconds_in_all += seconds
        if seconds_in_all > 0.1:
            break
    return Timing(solution, solver.kernel.effort, fastest)


def rows(case: AblationCase, nodes: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of one case: with every switch on, then without each in turn."""
    prior_name = "" if case.prior is None else case.prior.name
    case_columns = (case.position.game, case.objective, prior_name, case.position)
    baseline: Timing | None = None
    for switch_off, options_without in options_by_switch():
        timing = time_solution(case, options_without, nodes)
        if timing is None:
            if baseline is None:
                raise SystemExit(f"{case}: more than {nodes:,} nodes with every switch on")
            too_long = f"> {nodes:,} nodes"
            yield (*case_columns, None, switch_off, None, None, None, too_long, None, None)
            continue
        baseline = baseline or timing
        solution_without, expected = timing.solution, baseline.solution.total_height
        if solution_without.total_height != expected:
            raise SystemExit(
                f"{case} without {switch_off}: {solution_without.total_height}, not {expected}"
            )
        yield (
            *case_columns,
            solution_without.configurations,
            switch_off,
            solution_without.total_height,
            solution_without.nodes,
            solution_without.subsets,
            f"{timing.seconds:.4f}",
            timing.effort / baseline.effort,
            timing.seconds / baseline.seconds,
        )


def time_ratios(cases: Sequence[AblationCase], nodes: int) -> Iterator[tuple[str, float, float]]:
    """Yield each switch, and two ratios by which the time of the search grows without it.

    The first is that of all cases together, infinite if a run takes more than `nodes`; the
    second the greatest of one case. A solution that differs ends the program.
    """
    (_, with_everything), *others = options_by_switch()
    baselines = [time_solution(case, with_everything, nodes) for case in cases]
    for switch_off, switches in others:
        ratios, seconds_in_all = [], 0.0
        for case, baseline in zip(cases, baselines, strict=True):
            timing = time_solution(case, switches, nodes)
            if baseline is None or timing is None:
                seconds_in_all = inf
                break
            if invariant_values(timing.solution) != invariant_values(baseline.solution):
                raise SystemExit(
                    f"{case} without {switch_off}: {invariant_values(timing.solution)}"
                )
            ratios.append(timing.seconds / baseline.seconds)
            seconds_in_all += timing.seconds
        seconds_with_all = sum(timing.seconds for timing in baselines if timing)
        yield switch_off, seconds_in_all / seconds_with_all, max(ratios, default=inf)


def invariant_values(solution: Solution) -> tuple[object, ...]:
    """Return the values that no switch may change."""
    return solution.total_height, solution.worst, solution.finished, solution.best_shots


def simplify(nodes: int) -> None:
    """Print by how much the time grows without each switch, and the switches that hardly matter.

    Without these the time is less than LEAST_RATIO times as long. nodes -- the most of a run.
    """
    dispensable = []
    print(f"  {'without':<24}{'time':>9}{'the most of one':>18}")
    cases = [AblationCase.parse(text) for text in GAMES[:POSITIONS_TO_SIMPLIFY]]
    for name, ratio, greatest in time_ratios(cases, nodes):
        print(f"  {name:<24}{ratio:>9.2f}{greatest:>18.2f}", flush=True)
        if ratio < LEAST_RATIO:
            dispensable.append(name)
    print(f"\nless than {LEAST_RATIO} times: {', '.join(dispensable) or 'none'}")


def main() -> None:
    """Compute and print the table, and write it; or with --simplify, only print."""
    parser = script.parser(__doc__, "ablation")
    parser.add_argument("game", nargs="*", action=script.GameListAction, default=GAMES)
    parser.add_argument("--nodes", type=int, default=500_000, help="of one run")
    parser.add_argument("--simplify", action="store_true", help="list switches that can go")
    arguments = parser.parse_args()
    if arguments.simplify:
        simplify(arguments.nodes)
        return
    rows_of_table = []
    for text in arguments.game:
        case = AblationCase.parse(text)
        print(f"\n{case}", end="\n\n")
        columns = f"{'nodes':>12}{'subsets':>14}{'seconds':>12}{'effort':>9}{'time':>9}"
        print(f"  {'off':<14}{columns}")
        for row in rows(case, arguments.nodes):
            behind_case_and_size = row[5:]
            switch_off, _, nodes, subsets, seconds, *ratios = behind_case_and_size
            is_solved = nodes is not None
            counts_text = f"{nodes:>12,}{subsets:>14,}" if is_solved else " " * 26
            ratios_text = "".join(f"{ratio:>9.2f}" for ratio in ratios) if is_solved else " " * 18
            print(f"  {switch_off:<14}{counts_text}{seconds:>12}{ratios_text}", flush=True)
            rows_of_table.append(row)
    path = TABLES["ablation"].write(rows_of_table, arguments.output)
    print(f"\n{script.typed_path(path)}: {len(rows_of_table)} runs")


if __name__ == "__main__":
    script.run(main)
