"""Whether tables come out as committed: python -m experiments.golden [--within MINUTES] [TABLE …]

Each experiment whose tables take at most so many minutes (1) is run into an empty folder, and every
value of every table and tree is compared with the committed one. Left out are columns that are
measured (`Column.measured`), and of the header the versions, the commit and the date. Tables that
an experiment reads are the committed ones. What was found goes to data/results/recomputed.csv,
where rows of other tables stay until these change, and to docs/recomputed.md; both are written
after each experiment, so that ctrl-C loses one. TABLE names files below data/results, however long
they take. The exit status is 1 if a value differs.
"""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from experiments import script
from optsearch import records, tree
from optsearch.datafiles import CHECKOUT, RESULTS
from optsearch.errors import RecordError
from optsearch.journal import replace
from optsearch.results import RECOMPUTED, TABLES, TREES, Entries, Table, Tree, took

AGES = CHECKOUT / "docs" / "recomputed.md"
PROVENANCE = ("command", "optsearch", "python", "numpy", "commit", "date")
# What an experiment is told so that it goes on from nothing; {folder} is an empty one.
FROM_NOTHING = {
    "evaluations": ("--checkpoints", "{folder}/checkpoints"),
    "leaderboard": ("--checkpoints", "{folder}/checkpoints"),
    "lower_bounds": ("--checkpoints", "{folder}/checkpoints"),
    "optima": ("--again", "--seconds", "1000"),  # also the games that nobody waits for by default
}


@dataclass(frozen=True)
class Run:
    """What is run by `python -m`, and the committed files that it makes, as they are declared."""

    command: tuple[str, ...]
    minutes: float
    files: tuple[tuple[str, Table | Tree], ...]

    @property
    def text(self) -> str:
        """As the user types it."""
        return shlex.join(("python", "-m", *self.command))


def runs() -> Iterator[Run]:
    """Each command that makes committed tables, the quick ones first."""
    files: dict[tuple[str, ...], list[tuple[str, Table | Tree]]] = {}
    everything: list[Table | Tree] = [*TABLES, *TREES]
    for made in everything:
        if made is RECOMPUTED:
            continue
        paths = [made.path()] if isinstance(made, Tree) else list(made.all())
        for path in paths:
            if path.is_file():
                file = path.relative_to(RESULTS).as_posix()
                files.setdefault(_command(made, path), []).append((file, made))
    found = [
        Run(command, max(made.minutes for _, made in each), tuple(each))
        for command, each in files.items()
    ]
    yield from sorted(found, key=lambda run: run.minutes)


def _command(made: Table | Tree, path: Path) -> tuple[str, ...]:
    """What makes a file, after `python -m`: what its header says, or else its declaration."""
    module = f"experiments.{made.experiment}"
    said = "" if isinstance(made, Tree) else made.read(path).header.get("command", "")
    if said.split()[:3] != ["python", "-m", module]:
        said = made.command.format(name=path.stem)
    return (module, *shlex.split(said)[3:])


def difference(made: Table | Tree, committed: Path, again: Path) -> str:
    """The first value that differs between two files of one kind; empty if none does."""
    if not again.is_file():
        return "it was not written"
    if isinstance(made, Tree):
        old, new = tree.load(committed), tree.load(again)
        same = (old.position, old.root) == (new.position, new.root)
        return "" if same else "the trees differ"
    before, after = made.read(committed), made.read(again)
    return _in_headers(before, after) or _in_rows(made, before, after)


def _in_headers(before: Entries, after: Entries) -> str:
    for key in dict.fromkeys((*before.header, *after.header)):
        old, new = before.header.get(key), after.header.get(key)
        if key not in PROVENANCE and old != new:
            return f"header {key}: {old!r} is committed, {new!r} found"
    return ""


def _in_rows(made: Table, before: Entries, after: Entries) -> str:
    if len(before) != len(after):
        return f"{len(before)} rows are committed, {len(after)} found"
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        for column in made.columns:
            a, b = (column.show(row[column.name]) for row in (old, new))
            if a != b and not column.measured:
                return f"row {number}, {column.name}: {a!r} is committed, {b!r} found"
    return ""


def recomputed(run: Run) -> list[tuple[str, str]]:
    """Run a command into an empty folder; each file, and its first difference."""
    with tempfile.TemporaryDirectory() as folder:
        experiment = run.command[0].rpartition(".")[2]
        more = [word.format(folder=folder) for word in FROM_NOTHING.get(experiment, ())]
        command = [sys.executable, "-m", *run.command, *more, "-o", folder]
        done = subprocess.run(command, cwd=CHECKOUT, check=False, stdout=subprocess.DEVNULL)
        if done.returncode:
            return [(file, f"exit status {done.returncode}") for file, _ in run.files]
        return [
            (file, difference(made, RESULTS / file, Path(folder) / file))
            for file, made in run.files
        ]


def chosen(within: float, names: list[str]) -> list[Run]:
    """The runs that are asked for; RecordError for a name that is no committed table."""
    everything = list(runs())
    files = {file for run in everything for file, _ in run.files}
    for name in names:
        if name not in files:
            raise RecordError(f"no experiment makes {name!r}; there are {', '.join(sorted(files))}")
    if names:
        return [run for run in everything if any(file in names for file, _ in run.files)]
    return [run for run in everything if run.minutes <= within]


def digest(file: str) -> str:
    """What tells a committed file from any other."""
    path = RESULTS / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""


def known(path: Path) -> dict[str, dict[str, Any]]:
    """What was found of each file by earlier runs; nothing of those that have changed since."""
    rows = RECOMPUTED.read(path) if path.is_file() else []
    return {row["table"]: row for row in rows if row["digest"] == digest(row["table"])}


def ages() -> str:
    """When each committed file was recomputed last in full, as a table in Markdown."""
    rows = known(RECOMPUTED.path())
    lines = [
        "# When each table was recomputed last in full",
        "",
        "Written by `make golden`, which recomputes tables from nothing and compares every value",
        "with the committed one, times left out. The others were computed in full when they were",
        "made: their headers say when. *tests*: every run of the tests recomputes it too.",
        "",
        "| table | recomputed | at commit | came out | takes | command |",
        "|---|---|---|---|---|---|",
    ]
    for run in runs():
        for file, made in run.files:
            row = rows.get(file)
            again = ("when made", "", "") if row is None else in_words(row)
            tests = ", *tests*" if made.is_quick else ""
            cells = (file, *again, took(made.minutes) + tests, f"`{run.text}`")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def in_words(row: dict[str, object]) -> tuple[str, str, str]:
    """Day, commit and outcome of a recomputation."""
    same = "the same" if row["same"] else f"not the same: {row['differs']}"
    return str(row["date"]), str(row["commit"])[:8], same


def main() -> int:
    """Recompute, compare, and write what was found after each run."""
    parser = script.parser(__doc__, "golden")
    parser.add_argument("table", nargs="*", help="only these, however long")
    parser.add_argument("--within", type=float, default=1, metavar="MINUTES", help="(default: 1)")
    arguments = parser.parse_args()
    todo = chosen(arguments.within, arguments.table)
    print(f"{len(todo)} commands, about {took(sum(run.minutes for run in todo))} on two cores")
    path = RECOMPUTED.path(arguments.output)
    rows = known(path)
    differing = 0
    for run in todo:
        print(f"{run.text} (about {took(run.minutes)}) ...", flush=True)
        started, commit = time.perf_counter(), records.commit()
        found = recomputed(run)
        for file, differs in found:
            differing += bool(differs)
            print(f"  {file}: {differs or 'the same'}", flush=True)
            rows[file] = {
                "table": file,
                "command": run.text,
                "date": datetime.now(timezone.utc).date().isoformat(),
                "commit": commit,
                "digest": digest(file),
                "seconds": round(time.perf_counter() - started),
                "same": not differs,
                "differs": differs,
            }
        written = [[row[name] for name in RECOMPUTED.names] for _, row in sorted(rows.items())]
        RECOMPUTED.write(written, arguments.output)
        if arguments.output == RESULTS:
            replace(AGES, ages())
    if arguments.output == RESULTS:
        replace(AGES, ages())
    return 1 if differing else 0


if __name__ == "__main__":
    script.run(main)
