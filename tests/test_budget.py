"""The budget: no room has more lines or files than its row of budget.csv gives it.

Who raises a row lowers another in the same commit. CONTRIBUTING.md shows the table; `make
transcripts` writes it anew.
"""

import csv
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PRODUCT = 79_833  # lines of all rooms but the tests
WORDS = 44_600  # of docs with the reference, README, CONTRIBUTING and captions
CODE = {".py", ".pyx", ".pxd", ".js", ".css", ".html"}
PAGE = ROOT / "CONTRIBUTING.md"
CAPTIONS = ROOT / "paper_figures" / "captions.md"
TABLE = re.compile(r"(?<=<!-- budget -->\n).*?(?=<!-- end -->)", re.DOTALL)

with (ROOT / "budget.csv").open(encoding="utf-8", newline="") as file:
    BUDGET = list(csv.DictReader(file))
ROOMS = [row["room"] for row in BUDGET]


def files_of(*places):
    """The files below these places that git would commit."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", *places]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode:
        pytest.skip("needs a checkout of git")
    return [path for name in said.stdout.splitlines() if (path := ROOT / name).is_file()]


@pytest.mark.parametrize("row", BUDGET, ids=ROOMS)
def test_a_room_keeps_to_its_budget(row):
    code = [path for path in files_of(row["room"]) if path.suffix in CODE]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in code)
    assert lines <= int(row["lines"]), f"{row['room']} has {lines} lines of {row['lines']}"
    assert len(code) <= int(row["files"]), f"{row['room']} has {len(code)} files"


def test_the_whole_keeps_to_it():
    assert sum(int(row["lines"]) for row in BUDGET if row["room"] != "tests") <= PRODUCT
    for path in files_of():
        if path.suffix in CODE:
            name = path.relative_to(ROOT).as_posix()
            assert any(f"{name}/".startswith(f"{room}/") for room in ROOMS), f"{name} has no room"
    pages = [ROOT / "README.md", PAGE, CAPTIONS, *(ROOT / "docs").rglob("*.md")]
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in pages) <= WORDS


def test_the_page_shows_it():
    rows = [f"| `{r['room']}` | {r['what']} | {int(r['lines']):,} | {r['files']} |" for r in BUDGET]
    table = "\n".join(["| room | what it knows | lines | files |", "|---|---|---|---|", *rows])
    page = PAGE.read_text(encoding="utf-8")
    written = TABLE.sub(lambda _: f"\n{table}\n\n", page)
    if os.environ.get("WRITE_TRANSCRIPTS"):
        PAGE.write_text(written, encoding="utf-8")
    assert written == page
    assert f"\n{table}\n" in page
