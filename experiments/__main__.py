"""All experiments, what each makes, how long that takes, and when it was made last."""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

from experiments.golden import known
from experiments.script import made_by, run
from optsearch import records
from optsearch.datafiles import RESULTS
from optsearch.results import RECOMPUTED, Tree, took


def experiments() -> dict[str, str]:
    """The name of each experiment and the first line of its docstring, without its usage."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        line = doc.splitlines()[0]
        if f"python -m experiments.{path.stem}" in line:
            found[path.stem] = line.partition(": python -m")[0]
    return found


def recomputations() -> dict[str, str]:
    """What `experiments.golden` found last, by file, as it stands behind the file."""
    return {
        file: f", recomputed {row['date']}: {'the same' if row['same'] else 'not the same'}"
        for file, row in known(RECOMPUTED.path()).items()
    }


def made(name: str) -> Iterator[str]:
    """A line for each table and tree of an experiment, with the day it was made.

    And, where it was recomputed since, with that day and whether it came out the same.
    """
    again = recomputations()
    for table in made_by(name):
        if isinstance(table, Tree):
            is_made = table.path().is_file()
            yield table.file + (again.get(table.file, "") if is_made else " (not made yet)")
            continue
        paths = list(table.all())
        for path in paths:
            day = records.read(path).header.get("date", "no date")
            file = path.relative_to(RESULTS).as_posix()
            yield f"{file} ({day}){again.get(file, '')}"
        if not paths:
            yield f"{table.file} (not made yet)"


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.parse_args()
    for name, about in experiments().items():
        tables = made_by(name)
        minutes = f", {took(max(table.minutes for table in tables))}" if tables else ""
        print(f"{name}{minutes}\n    {about}")
        for line in made(name):
            print(f"    {line}")
    print("\npython -m experiments.NAME runs one, and with --help says how it is used.")
    print("Files are below data/results; times are on two cores.")


if __name__ == "__main__":
    run(main)
