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
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        line = doc.splitlines()[0]
        if f"python -m experiments.{path.stem}" in line:
            found[path.stem] = line.partition(": python -m")[0]
    return found


def made(name: str, known: list[VerificationStatus]) -> Iterator[str]:
    """A line for each table and tree of an experiment: when it was made, and what confirmed it."""
    for table in made_by(name):
        found = [one for one in known if one.made is table]
        for one in found:
            yield f"{one.file} ({one.header.get('date', 'no date')}): {one.text}"
        if not found:
            yield f"{table.file} (not made yet)"


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.parse_args()
    known = list(verification_statuses())
    for name, about in experiments().items():
        tables = made_by(name)
        minutes = max((table.most_minutes for table in tables), default=0)
        print(f"{name}{f', {time_text(60 * minutes)}' if tables else ''}\n    {about}")
        for line in made(name, known):
            print(f"    {line}")
    print("\npython -m experiments.NAME runs one, and with --help says how it is used.")
    print("Files are below data/results; times are on two cores.")


if __name__ == "__main__":
    run(main)
