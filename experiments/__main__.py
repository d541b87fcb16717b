"""All experiments, what each makes, how long that takes, and when it was made last."""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

from experiments.script import made_by, run
from optsearch.results.verification import VerificationStatus, verification_statuses
from optsearch.support.decimals import time_text


def experiments() -> dict[str, str]:
    """The name of each experiment and the first line of its docstring, without its usage."""
    summaries = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        line = doc.splitlines()[0]
        if f"python -m experiments.{path.stem}" in line:
            summaries[path.stem] = line.partition(": python -m")[0]
    return summaries


def status_lines(name: str, statuses: list[VerificationStatus]) -> Iterator[str]:
    """A line for each table and tree of an experiment: when it was made, and what confirmed it."""
    for table in made_by(name):
        matching = [status for status in statuses if status.kind is table]
        for status in matching:
            yield f"{status.file} ({status.header.get('date', 'no date')}): {status.text}"
        if not matching:
            yield f"{table.file} (not made yet)"


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.parse_args()
    statuses = list(verification_statuses())
    for name, about in experiments().items():
        tables = made_by(name)
        minutes = max((table.most_minutes for table in tables), default=0)
        print(f"{name}{f', {time_text(60 * minutes)}' if tables else ''}\n    {about}")
        for line in status_lines(name, statuses):
            print(f"    {line}")
    print("\npython -m experiments.NAME runs one, and with --help says how it is used.")
    print("Files are below data/results; times are on two cores.")


if __name__ == "__main__":
    run(main)
