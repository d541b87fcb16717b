"""One script a table or result, run as `python -m experiments.NAME`; each writes data/results."""

from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "data" / "results"
