"""A strategy evaluated on every configuration of a game: the exact histogram of its shots.

    evaluate(named("greedy"), Game.parse("10x10:5,4,3,3,2")).mean

The decision tree is walked from the root. Near it a node is only its position, and its
configurations are counted by the transfer matrix. A node with few enough of them is a *task*: it
is named by its position, its configurations are listed, and the kernel
`optsearch.compiled._evaluate` (or, for strategies without a rule, plain Python) returns their
histogram. Tasks do not depend on each other, and a task that is done twice gives the same, so any
`concurrent.futures.Executor` can run them, and a checkpoint is the histograms of those that are
done.

`evaluation` holds what comes out, `run` walks, `top` knows the nodes that are only positions,
`tasks` the others, and `runners` how a strategy is run: by the kernels, or asked. `choosing` gives
single shots. `comparison` estimates what one strategy saves in the place of another.
"""

from optsearch.evaluation.comparison import Comparison, compare
from optsearch.evaluation.evaluation import Evaluation, EvaluationStatus
from optsearch.evaluation.run import MEMORY, evaluate, tasks
from optsearch.evaluation.runners import BYTES
from optsearch.evaluation.tasks import FollowedTask, Task, play_sample, run_task

__all__ = [
    "BYTES",
    "MEMORY",
    "Comparison",
    "Evaluation",
    "EvaluationStatus",
    "FollowedTask",
    "Task",
    "compare",
    "evaluate",
    "play_sample",
    "run_task",
    "tasks",
]
