"""All experiments, what each makes, how long that takes, and when it was made last.

With --make: make the tables of all but APART, which take longest or check others.
"""

import argparse
import ast
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from experiments.golden import ANEW
from experiments.script import made_by, run
from optsearch.results.tables import TABLES, TREES
from optsearch.results.verification import VerificationStatus, verification_statuses
from optsearch.support.decimals import time_text

APART = (
    *("evaluations", "evaluation_check", "patterns"),  # `make evaluations`
    *("told", "check_told", "lower_bounds", "check_lower_bounds", "golden"),
)


def experiments() -> dict[str, str]:
    """Map the name of each experiment to the first line of its docstring, without the usage."""
    summaries = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        line = doc.splitlines()[0]
        if f"python -m experiments.{path.stem}" in line:
            summaries[path.stem] = line.partition(": python -m")[0]
    return summaries


def status_lines(name: str, statuses: list[VerificationStatus]) -> Iterator[str]:
    """Yield a line for each table and tree of an experiment: its date, and what confirmed it."""
    for table in made_by(name):
        matching = [status for status in statuses if status.kind is table]
        for status in matching:
            yield f"{status.file} ({status.header.get('date', 'no date')}): {status.text}"
        if not matching:
            yield f"{table.file} (not made yet)"


def make_tables() -> int:
    """Run the commands that make tables; return 0, or the exit status of one that fails.

    Experiments of APART are left out. The first command that fails is the last one that runs.
    """
    chosen_results = [
        result for result in (*TREES, *TABLES.values()) if result.experiment not in APART
    ]
    options_of = {result.command: ANEW.get(result.experiment, ()) for result in chosen_results}
    for command, options in options_of.items():
        print(f"\n{command}", *options, flush=True)
        arguments = [*shlex.split(command)[1:], *options]
        if status := subprocess.run([sys.executable, *arguments], check=False).returncode:
            return status
    return 0


def main() -> int:
    """Print the list of experiments; with --make, make their tables."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("--make", action="store_true", help="make the tables (about six hours)")
    if parser.parse_args().make:
        return make_tables()
    statuses = list(verification_statuses())
    for name, summary in experiments().items():
        minutes = [table.most_minutes for table in made_by(name)]
        duration = f", {time_text(60 * max(minutes))}" if minutes else ""
        print(f"{name}{duration}\n    {summary}")
        for line in status_lines(name, statuses):
            print(f"    {line}")
    print("\npython -m experiments.NAME runs one, and with --help says how it is used.")
    print("Files are below data/results; times are on two cores.")
    return 0


if __name__ == "__main__":
    run(main)
