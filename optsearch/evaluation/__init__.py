"""The evaluation of a strategy on every configuration of a game: the exact histogram of its shots.

    evaluate(named("greedy"), Game.parse("10x10:5,4,3,3,2")).mean

The decision tree is walked from the root. Near it a node is only its position, and its
configurations are counted by the transfer matrix. A node with few enough of them is a *task*: it is
named by its position, its configurations are listed, and the kernel `_evaluate` (or, for strategies
without a rule, plain Python) returns their histogram. Tasks are independent, and a task that is run
twice gives the same result, so any `concurrent.futures.Executor` can run them, and a checkpoint is
the histograms of finished tasks.

`evaluation` has the results, `run` walks, `top` handles the nodes that are only positions, `tasks`
the others. `runners` run a strategy by a kernel, or ask it for each shot. `choosing` returns single
shots. `comparison` estimates the shots that one strategy saves over another.
"""

from optsearch.evaluation.comparison import Comparison, PositionSampling, compare
from optsearch.evaluation.evaluation import Evaluation, EvaluationStatus
from optsearch.evaluation.run import MEMORY, evaluate, tasks
from optsearch.evaluation.runners import ROW_BYTES
from optsearch.evaluation.tasks import FollowedTask, Task, play_sample, run_task

__all__ = [
    "MEMORY",
    "ROW_BYTES",
    "Comparison",
    "Evaluation",
    "EvaluationStatus",
    "FollowedTask",
    "PositionSampling",
    "Task",
    "compare",
    "evaluate",
    "play_sample",
    "run_task",
    "tasks",
]
