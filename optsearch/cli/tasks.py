"""What the commands that run many tasks share: processes, a Dask cluster, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from optsearch.support.cluster import cluster
from optsearch.support.errors import OptsearchError
from optsearch.support.workers import processes


@contextmanager
def executor_of(
    jobs: int | None, dask: str | None = None
) -> Iterator[tuple[Executor | None, int | None]]:
    """What runs the tasks of a command, and how many at once.

    A Dask cluster, or else a pool of processes; none for one job, or if no number is given.
    """
    with executor_at(dask, jobs) as (executor, workers):
        if executor is not None or workers in (None, 1):
            yield executor, workers
            return
        assert workers is not None
        with processes(workers) as pool:
            yield pool, workers


@contextmanager
def executor_at(dask: str | None, jobs: int | None) -> Iterator[tuple[Executor | None, int | None]]:
    """A Dask cluster, or none: what is called has its own pool of processes."""
    if dask is None:
        yield None, jobs
        return
    if jobs is not None:
        raise OptsearchError(
            f"give --jobs ({jobs}) or --dask ({dask!r}), not both: a cluster has its own processes"
        )
    with cluster(dask) as executor:
        yield executor, executor.workers
