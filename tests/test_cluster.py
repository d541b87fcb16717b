"""Every command with --jobs on a Dask cluster: the same answers, and a worker killed on the way.

Scheduler and workers are processes of their own, forked from one that has imported what they need.
"""

import json
import os
import signal
import sys
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import Client

from optsearch.equilibria import equilibrium
from optsearch.evaluation import ROW_BYTES, evaluate
from optsearch.game import Game
from optsearch.game.objective import Objective
from optsearch.search import counterexamples, frontier, team
from optsearch.search.identify import identify, read
from optsearch.search.solver import solve
from optsearch.search.team import Parallel
from optsearch.strategies import named
from optsearch.support import cluster as clusters
from optsearch.support.cluster import Cluster, code_digest
from optsearch.support.errors import OptsearchError, StrategyError
from optsearch.support.workers import Execution
from tests.ideas import ROW_BY_ROW
from tests.processes import MANY_SECONDS, run_command

SCHEDULER = "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"
WORKER = "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload([SCHEDULER[0], WORKER[0], __name__])
OWN = f"""{ROW_BY_ROW}
def leaves(position):
    raise SystemExit(0)
"""


def silently(program, arguments):
    """Run a program of Dask, which says on standard error what it does."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    dask.config.set({"distributed.comm.timeouts.connect": "5s"})  # to a worker that was killed
    import_module(program).main(arguments)


class Started:
    """A scheduler on this machine, and workers as processes of their own."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.processes = []
        self.start(*SCHEDULER)

    def start(self, program, *options):
        place = ("--scheduler-file", str(self.file), "--host", "127.0.0.1")
        self.processes.append(FORKS.Process(target=silently, args=(program, [*options, *place])))
        self.processes[-1].start()

    def connect(self, workers):
        """A client, once there are so many workers."""
        while len([one for one in self.processes[1:] if one.is_alive()]) < workers:
            self.start(*WORKER)
        client = Client(scheduler_file=str(self.file), timeout=MANY_SECONDS)
        client.wait_for_workers(workers, timeout=MANY_SECONDS)
        return client

    def end(self):
        for process in self.processes:
            process.kill()
            process.join()


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    cluster = Started(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture
def cluster(started):
    """Two workers."""
    with started.connect(2) as client:
        yield Cluster(client, client.scheduler.address)


@pytest.fixture
def address(cluster):
    return cluster._client.scheduler.address


class Killer:
    """Told how far a run is, kills a worker of a cluster in the middle of it."""

    def __init__(self, cluster, wanted=lambda status: 0 < status.done < status.total):
        self.cluster, self.wanted, self.killed = cluster, wanted, None

    def __call__(self, status):
        if self.killed is None and self.wanted(status):
            self.killed, pid = min(self.cluster.call_in_workers(os.getpid).items())
            os.kill(pid, signal.SIGKILL)
            while Path(f"/proc/{pid}").exists():
                pass  # else the next test may count it among the workers


@pytest.fixture
def small_questions(monkeypatch):
    """A small game is many tasks."""
    monkeypatch.setattr(frontier, "FEW_NODES", 200)


def test_evaluate_with_a_worker_killed(cluster):
    """The run completes on the other worker, and nothing is lost or counted twice."""
    game, strategy = Game.parse("8x8:3,2,2"), named("rollout:candidates=2,screen=512,cap=4096")
    kill = Killer(cluster)
    execution = Execution(executor=cluster, jobs=2, progress=kill)
    found = evaluate(strategy, game, memory=ROW_BYTES << 16, execution=execution)
    assert kill.killed
    assert found.tasks > 5
    assert found == evaluate(strategy, game)


def test_evaluate_where_sinkings_are_announced(cluster):
    game = Game.parse("7x7:4,3,2,contact=any,announce=ship")
    found = evaluate(
        "greedy", game, memory=ROW_BYTES << 16, execution=Execution(executor=cluster, jobs=2)
    )
    assert found.tasks > 2
    assert found == evaluate("greedy", game)


def test_evaluate_with_a_strategy_of_ones_own(cluster, tmp_path):
    """It is loaded by the workers, and what it raises there comes back as one error."""
    file = tmp_path / "own.py"
    file.write_text(OWN)
    game = Game.parse("5x5:3,2,2")
    found = evaluate(f"{file}:RowsInTurn", game, execution=Execution(executor=cluster, jobs=2))
    assert found == evaluate(f"{file}:RowsInTurn", game)
    with pytest.raises(StrategyError, match=r"leaves fails on .* SystemExit: 0 \(.*, line 11"):
        evaluate(f"{file}:leaves", game, execution=Execution(executor=cluster, jobs=2))


@pytest.mark.usefixtures("small_questions")
@pytest.mark.parametrize(
    ("game", "aim"),
    [
        ("4x5:3,2", "mean"),
        ("4x4:2", "within=6"),
        ("4x4:3,2,announce=sunk", "mean"),
    ],
)
def test_solve_with_a_worker_killed(cluster, game, aim):
    objective = Objective.parse(aim)
    kill = Killer(cluster, lambda status: status.done)
    found = solve(game, objective=objective, executor=cluster, workers=2, progress=kill)
    assert kill.killed
    expected = solve(game, objective=objective)
    for name in ("total_height", "best_shots", "finished", "configurations"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.tree().root == expected.tree().root


@pytest.mark.usefixtures("small_questions")
def test_workers_of_this_machine_share_a_table(cluster, tmp_path, monkeypatch):
    """It begins with what is on disk; workers of other machines search alone, and find the same."""
    first = solve("4x5:3,2", table=tmp_path / "kept")
    again = solve("4x5:3,2", table=tmp_path / "kept", executor=cluster, workers=2)
    assert (again.total_height, again.best_shots) == (first.total_height, first.best_shots)
    assert again.nodes < first.nodes / 2  # what took few nodes is not on disk
    monkeypatch.setattr(team, "can_attach", len)
    apart = solve("4x5:3,2", executor=cluster, workers=2)
    assert (apart.total_height, apart.best_shots) == (first.total_height, first.best_shots)


def test_a_family_with_the_cluster(cluster, tmp_path):
    file = tmp_path / "family.csv"
    rows = "".join(f"{a}{b}{c},{a} {b} {c}\n" for a in "abc" for b in "defg" for c in "hij")
    file.write_text("set,things\n" + rows)
    sets = read(file)
    found = identify(sets, parallel=Parallel(cluster, 2))
    assert (found.misses, found.is_exact) == (identify(sets).misses, True)


def test_counterexamples_with_a_worker_killed(cluster):
    scope = counterexamples.Scope(10, (), "none", False, 2)
    kill = Killer(cluster)
    found = counterexamples.find(scope, executor=cluster, workers=2, progress=kill)
    assert kill.killed
    assert found == counterexamples.find(scope)


@pytest.mark.usefixtures("small_questions")
def test_equilibrium_with_a_worker_killed(cluster):
    kill = Killer(cluster, lambda status: status.number > 1)
    found = equilibrium("3x4:2", execution=Execution(executor=cluster, jobs=2, progress=kill))
    expected = equilibrium("3x4:2")
    assert kill.killed
    for name in ("value", "weights", "roots", "probabilities", "rounds"):
        assert getattr(found, name) == getattr(expected, name)


def test_the_command(call_command, cluster, address):
    """The rows are those without a cluster; its processes are counted by their tasks."""
    command = ("counterexamples", "--max-cells", "8", "--json")
    status, out, err = call_command(*command, "--dask", address)
    assert (status, err) == (0, "")
    found, alone = json.loads(out), json.loads(call_command(*command)[1])
    assert found.pop("command") == f"{alone.pop('command')} --dask {address}"
    assert found == alone
    assert cluster.workers == 2


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "4x4:3,2"),
        ("equilibrium", "3x3:2"),
        ("counterexamples", "--max-cells", "6"),
        ("table", "3x3:2"),
        ("evaluate", "greedy", "4x4:3,2"),
        ("compare", "greedy", "spread", "4x4:3,2"),
        ("simulate", "greedy", "4x4:3,2"),
    ],
)
def test_options_that_are_refused(call_command, monkeypatch, command):
    """By every command alike: both options, a scheduler that is not there, Dask not installed."""
    assert call_command(*command, "--dask", "tcp://127.0.0.1:1", "--jobs", 2) == (
        2,
        "",
        "error: give --jobs (2) or --dask ('tcp://127.0.0.1:1'), not both: a cluster has its own "
        "processes\n",
    )
    status, out, err = call_command(*command, "--dask", "nonsense://127.0.0.1:1")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: no Dask scheduler answers at 'nonsense://127.0.0.1:1'")
    assert "tcp://127.0.0.1:8786" in err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert call_command(*command, "--dask", "tcp://127.0.0.1:1") == (
        2,
        "",
        "error: --dask needs the package distributed; install it with: pip install distributed\n",
    )


def test_ctrl_c_withdraws_the_tasks(cluster, address, tmp_path):
    """What is done is kept; the scheduler has no task left."""
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', interrupt, 30)"
    arguments = ("--max-cells", 16, "--dask", address, "--resume", "kept")
    ended = run_command("counterexamples", *arguments, hooks=hooks, cwd=tmp_path)
    kept = "what is done is in kept, and the same command goes on from there"
    assert ended == (130, "", f"interrupted; {kept}\n")
    client = cluster._client
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        pass  # the scheduler is still told that the command has gone
    client.wait_for_workers(2, timeout=MANY_SECONDS)


def are_aligned(arrays):
    return all(array.flags.aligned for array in arrays)


def test_arrays_of_tasks(cluster):
    """They arrive where their items can be read, as kernels read them."""
    arrays = [np.arange(n, dtype=np.int64) for n in range(1, 20)]
    assert cluster.submit(are_aligned, arrays).result()


def test_workers_with_other_code(cluster, address):
    """They are refused at the start; one that comes later, with its first task."""
    client = cluster._client
    with pytest.raises(
        OptsearchError, match=rf"the Dask worker tcp:.* code another\) but {'.' * 12};"
    ):
        Cluster(client, address, "another")
    cluster._digest = "another"
    with pytest.raises(OptsearchError, match=rf"a Dask worker has not .* but {code_digest()};"):
        cluster.submit(len, ()).result()


def test_a_scheduler_without_a_worker(monkeypatch, tmp_path):
    monkeypatch.setattr(clusters, "PATIENCE_SECONDS", 0.1)
    started = Started(tmp_path)
    try:
        client = Client(scheduler_file=str(started.file), timeout=MANY_SECONDS)
        with client, pytest.raises(OptsearchError, match="has no worker; start one on each"):
            Cluster(client, "tcp://here:8786")
    finally:
        started.end()
