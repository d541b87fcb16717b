"""What the commands that run many tasks share: processes, a Dask cluster, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from optsearch.support.errors import OptsearchError

PATIENCE = 10  # seconds for a scheduler to answer

JobsOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, help="Processes (default: one per processor).", show_default=False
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder that keeps finished work; the same command goes on from there.",
        show_default=False,
    ),
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the workers of a Dask scheduler, such as tcp://host:8786, instead.",
        show_default=False,
    ),
]

MemoryOption = Annotated[
    float, typer.Option(min=0, max=65536, help="GiB that each process may take.")
]


@contextmanager
def executor_at(address: str | None) -> Iterator[tuple[Executor | None, int | None]]:
    """The executor of a Dask scheduler and its number of workers; None without an address."""
    if address is None:
        yield None, None
        return
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise OptsearchError(
            "--dask needs the package distributed; install it with: pip install distributed"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise OptsearchError(
            f"no Dask scheduler answers at {address!r}: {error}; give an address such as "
            "tcp://127.0.0.1:8786"
        ) from None
    with client:
        workers = max(1, len(client.scheduler_info()["workers"]))
        yield client.get_executor(), workers
