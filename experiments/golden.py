"""Recompute the committed tables: python -m experiments.golden [--within MINUTES] [TABLE …]

Each experiment whose tables take at most MINUTES (1) is run into an empty folder, and every
value of every table and tree is compared with the committed one. Left out are columns that are
measured (`Column.measured`), and of the header `records.VARYING`. Tables that
an experiment reads are the committed ones. What was found goes to data/results/recomputed.csv,
where rows of other tables stay, but for those of code that was not committed, or that are gone; it
is written after each experiment, so that ctrl-C loses one. `optsearch.results.verification` says
what follows of each table as it stands. TABLE names files below data/results, however long they
take. The exit status is 1 if a value differs.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from experiments import script
from optsearch import tree
from optsearch.results.tables import TABLES, Entries, Table, Tree
from optsearch.results.verification import VerificationStatus, verification_statuses
from optsearch.support import records
from optsearch.support.datafiles import CHECKOUT, RESULTS
from optsearch.support.decimals import time_text
from optsearch.support.errors import RecordError

# Options with which an experiment computes rows again that are there, and in `optima` the rows of
# games that nobody waits for by default.
ANEW = {
    "optima": ("--again", "--seconds", "3000", "--patience", "60"),
    "worst_cases": ("--again",),
}
# Experiments that keep what is done in a folder of checkpoints; an empty one is {folder}.
KEEPING = ("evaluations", "leaderboard", "lower_bounds", "replies")
FROM_NOTHING = ANEW | dict.fromkeys(KEEPING, ("--checkpoints", "{folder}/checkpoints"))


@dataclass(frozen=True)
class Recomputation:
    """A command of `python -m`, and the committed files that it makes with their declarations."""

    command: tuple[str, ...]
    minutes: float
    files: tuple[tuple[str, Table | Tree], ...]

    @property
    def text(self) -> str:
        """Return the command as the user types it."""
        return shlex.join(("python", "-m", *self.command))


def recomputations() -> list[Recomputation]:
    """List the commands that make committed tables, the quick ones first."""
    statuses: dict[str, list[VerificationStatus]] = {}
    for status in verification_statuses():
        if status.kind is not TABLES["recomputed"]:
            statuses.setdefault(status.command, []).append(status)
    runs = (
        Recomputation(
            tuple(shlex.split(command)[2:]),
            max(status.minutes for status in group),
            tuple((status.file, status.kind) for status in group),
        )
        for command, group in statuses.items()
    )
    return sorted(runs, key=lambda run: run.minutes)


def difference(kind: Table | Tree, committed: Path, recomputed: Path) -> str:
    """Return in words the first value that differs in two files of a kind, or an empty text."""
    if not recomputed.is_file():
        return "it was not written"
    if isinstance(kind, Tree):
        committed_tree, recomputed_tree = tree.load(committed), tree.load(recomputed)
        is_same_position = committed_tree.position == recomputed_tree.position
        is_same = is_same_position and committed_tree.root == recomputed_tree.root
        return "" if is_same else "the trees differ"
    before, after = kind.read(committed), kind.read(recomputed)
    return _difference_of_headers(before, after) or _difference_of_rows(kind, before, after)


def _difference_of_headers(before: Entries, after: Entries) -> str:
    for key in dict.fromkeys((*before.header, *after.header)):
        old, new = before.header.get(key), after.header.get(key)
        if key not in records.VARYING and old != new:
            return f"header {key}: {old!r} is committed, {new!r} found"
    return ""


def _difference_of_rows(kind: Table, before: Entries, after: Entries) -> str:
    if len(before) != len(after):
        return f"{len(before)} rows are committed, {len(after)} found"
    for row_number, rows in enumerate(zip(before, after, strict=True), 1):
        for column in kind.columns:
            committed_text, recomputed_text = (column.show(row[column.name]) for row in rows)
            if committed_text != recomputed_text and not column.measured:
                values = f"{committed_text!r} is committed, {recomputed_text!r} found"
                return f"row {row_number}, {column.name}: {values}"
    return ""


def differences_of(run: Recomputation) -> list[tuple[str, str]]:
    """Run a command into an empty folder; return each file it makes, and its first difference."""
    with tempfile.TemporaryDirectory() as folder:
        experiment = run.command[0].rpartition(".")[2]
        options = [word.format(folder=folder) for word in FROM_NOTHING.get(experiment, ())]
        command = [sys.executable, "-m", *run.command, *options, "-o", folder]
        completed = subprocess.run(command, cwd=CHECKOUT, check=False, stdout=subprocess.DEVNULL)
        if completed.returncode:
            return [(file, f"exit status {completed.returncode}") for file, _ in run.files]
        return [
            (file, difference(kind, RESULTS / file, Path(folder) / file))
            for file, kind in run.files
        ]


def choose_recomputations(within: float, names: list[str]) -> list[Recomputation]:
    """Return the commands that make the named tables; without names, the short ones.

    within -- minutes of a short command, at most. Raises RecordError for an unknown name.
    """
    runs = recomputations()
    if not names:
        return [run for run in runs if run.minutes <= within]
    files = {file for run in runs for file, _ in run.files}
    for name in names:
        if name not in files:
            raise RecordError(f"no experiment makes {name!r}; there are {', '.join(sorted(files))}")
    return [run for run in runs if any(file in names for file, _ in run.files)]


def main() -> int:
    """Recompute tables, compare them, and write the results; return 1 if a value differs."""
    parser = script.parser(__doc__, "golden")
    parser.add_argument("table", nargs="*", help="only these, however long")
    parser.add_argument("--within", type=float, default=1, metavar="MINUTES", help="(default: 1)")
    arguments = parser.parse_args()
    runs = choose_recomputations(arguments.within, arguments.table)
    seconds = 60 * sum(run.minutes for run in runs)
    print(f"{len(runs)} commands, about {time_text(seconds)} on two cores")
    rows = earlier_rows(TABLES["recomputed"].path(arguments.output))
    differing = 0
    for run in runs:
        print(f"{run.text} (about {time_text(60 * run.minutes)}) ...", flush=True)
        started, commit = time.perf_counter(), records.commit()
        differences = differences_of(run)
        kinds = dict(run.files)
        for file, difference_text in differences:
            differing += bool(difference_text)
            print(f"  {file}: {difference_text or 'the same'}", flush=True)
            rows[file] = {
                "table": file,
                "command": run.text,
                "date": datetime.now(timezone.utc).date().isoformat(),
                "commit": commit,
                "digest": kinds[file].digest(RESULTS / file),
                "seconds": round(time.perf_counter() - started),
                "same": not difference_text,
                "differs": difference_text,
            }
        names = TABLES["recomputed"].names
        written = [[row[name] for name in names] for _, row in sorted(rows.items())]
        TABLES["recomputed"].write(written, arguments.output)
    return 1 if differing else 0


def earlier_rows(path: Path) -> dict[str, dict[str, object]]:
    """Read an earlier run's rows by file, without those of files now gone or uncommitted code."""
    if not path.is_file():
        return {}
    files = {status.file for status in verification_statuses()}
    return {
        row["table"]: row
        for row in TABLES["recomputed"].read(path)
        if row["table"] in files and "+" not in row["commit"]
    }


if __name__ == "__main__":
    script.run(main)
