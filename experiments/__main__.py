"""List the experiments, with the tables that each made and when: python -m experiments."""

import argparse
import ast
import pkgutil
import re
import sys
from collections import defaultdict
from pathlib import Path

import experiments
from optsearch import records

EVALUATION = "optsearch evaluate "  # the command of a table that experiments.evaluations made


def scripts() -> dict[str, str]:
    """The name of each experiment -> what it is about; those that others use are left out."""
    found = {}
    for module in pkgutil.iter_modules(experiments.__path__):
        path = Path(experiments.__path__[0], f"{module.name}.py")
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[
            0
        ]
        about, colon, _ = first.partition(f": python -m experiments.{module.name}")
        if colon:
            found[module.name] = about
    return found


def tables() -> dict[str, list[str]]:
    """The name of each experiment -> its tables below data/results, with the day of each."""
    results = records.data() / "results"
    found = defaultdict(list)
    for path in sorted(results.rglob("*.csv")):
        header = records.read(path).header
        command = header.get("command", "")
        match = re.match(r"python -m experiments\.(\w+)", command)
        name = "evaluations" if command.startswith(EVALUATION) else match and match[1]
        if name:
            found[name].append(f"{path.relative_to(results)} ({header.get('date', 'no date')})")
    return found


def main() -> int:
    """The command line."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    made = tables()
    for name, about in scripts().items():
        print(f"{name}\n    {about}")
        for table in made[name]:
            print(f"    {table}")
    print("\npython -m experiments.NAME runs one, and with --help says how it is used.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
