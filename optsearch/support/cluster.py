"""An executor whose workers are those of a Dask scheduler; all must have the code of this copy."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from optsearch.support.errors import OptsearchError
from optsearch.support.version import VERSION

T = TypeVar("T")

PATIENCE_SECONDS = 10  # for a scheduler to answer, and for a first worker


@cache
def code_digest() -> str:
    """Return a digest of all Python files of the package, by which copies are compared."""
    package = Path(__file__).parent.parent
    digest = blake2b(digest_size=6)
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """Provide an executor on the workers of a Dask scheduler while a block runs.

    At the end of the block unfinished tasks are withdrawn. Raises OptsearchError if Dask is not
    installed, no scheduler answers, it has no worker, or a worker has other code.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise OptsearchError(
            "--dask needs the package distributed; install it with: pip install distributed"
        ) from None
    for logger in ("distributed", "tornado.application"):  # losses are reported here
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise OptsearchError(
            f"no Dask scheduler answers at {address!r}: {error}; give an address such as "
            "tcp://127.0.0.1:8786"
        ) from None
    with client:
        yield Cluster(client, address)


class Cluster(Executor):
    """An executor on a client of Dask. If a worker is lost, another one gets its task.

    address -- of the scheduler, for errors. digest -- the digest that the code of every worker must
    have; by default that of this copy. Raises OptsearchError if there is no worker, or one has
    other code.
    """

    def __init__(self, client: Any, address: str, digest: str | None = None):
        self._client = client
        self._digest = digest or code_digest()
        try:
            client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            raise OptsearchError(
                f"the Dask scheduler at {address!r} has no worker; start one on each machine: "
                f"dask worker {address}"
            ) from None
        for worker, answer in self.call_in_workers(code_digest).items():
            if answer != self._digest:
                is_error = isinstance(answer, Exception)
                worker_code = f"none that can be loaded ({answer})" if is_error else answer
                raise _other_code_error(f"the Dask worker {worker}", self._digest, worker_code)
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function on some worker, and return its result as a future.

        The call is pickled here: arrays that Dask sends by itself arrive at addresses that are not
        aligned, from which kernels must not read.
        """
        from distributed.protocol.pickle import dumps

        task = dumps(partial(fn, *args, **kwargs))
        future: Future[T] = self._executor.submit(_run_task, self._digest, task)
        return future

    @property
    def workers(self) -> int:
        """The number of tasks that run at once."""
        return sum(self._client.nthreads().values())

    def call_in_workers(self, function: Callable[..., T], *args: Any) -> dict[str, Any]:
        """Call a function in every worker, and return its results, or errors, by worker address."""
        answers: dict[str, Any] = self._client.run(function, *args, on_error="return")
        return answers


def _other_code_error(worker: str, digest: str, worker_code: str) -> OptsearchError:
    """Return the error for a worker whose code is not that of the digest."""
    return OptsearchError(
        f"{worker} has not the optsearch of this machine ({VERSION}, code {digest}) but "
        f"{worker_code}; install the same on every machine, and start its workers again"
    )


def _run_task(digest: str, task: bytes) -> Any:
    """Run a pickled task in a worker, and return its result.

    The digest is compared here too, for workers that joined after the others were asked.
    """
    if digest != code_digest():
        raise _other_code_error("a Dask worker", digest, code_digest())
    return pickle.loads(task)()
