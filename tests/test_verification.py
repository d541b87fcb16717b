"""The declarations of tables, and what is known of each: when it was made, what confirmed it."""

import re
import subprocess
from shutil import which

import pytest

from optsearch.results.tables import TABLES
from optsearch.results.verification import short_commit, verification_statuses
from optsearch.support import records
from optsearch.support.datafiles import CHECKOUT, RESULTS


def test_each_declared_table_has_a_kind_and_columns_and_can_be_read():
    declared = (CHECKOUT / "optsearch/results/tables.csv").read_text("utf-8").splitlines()
    assert len(TABLES) == len(declared) - 1  # no two of one kind
    for table in TABLES.values():
        assert len(set(table.names)) == len(table.names) > 0
        for path in table.all():
            assert len(table.read(path)) > 0


def test_what_confirmed_a_table_as_it_stands(tmp_path):
    """Its values, not its times, its header or its place; by the same command or by other code."""
    path = TABLES["growth"].path(tmp_path)
    committed = TABLES["growth"].path().read_text(encoding="utf-8")
    path.write_text(committed)
    digest = TABLES["growth"].digest(path)

    def text():
        (growth,) = [one for one in verification_statuses(tmp_path) if one.kind is TABLES["growth"]]
        return growth.text, growth.is_confirmed

    assert text() == ("computed once, when it was made", False)
    command, commit = TABLES["growth"].command, "0123456789abcdef+changes"

    def recomputed(digest, differs=None, command=command):
        row = ("growth.csv", command, "2026-01-02", commit, digest, 3, not differs, differs)
        TABLES["recomputed"].write([row], tmp_path)

    recomputed(digest)
    again = "recomputed 2026-01-02 at 01234567+changes"
    assert text() == (f"{again}: the same", True)
    made, *_, last = committed.splitlines()[5:]
    values = last.split(",")
    for old, new, is_same in (
        (made, "# commit: release 9.9", True),
        (committed.splitlines()[0], "# title: in other words", True),
        (last, ",".join([*values[:3], "999.000", values[4]]), True),
        (last, ",".join([*values[:2], f"{values[2]}0", *values[3:]]), False),
        ("# fleet: 5,4,3,3,2", "# fleet: 5,4", False),
    ):
        assert old in committed
        path.write_text(committed.replace(old, new))
        assert text() == (
            (f"{again}: the same" if is_same else f"changed since it was {again}"),
            is_same,
        )
    path.write_text(committed)
    recomputed(digest, "row 1, size: no")
    assert text() == (f"{again}: not the same: row 1, size: no", False)
    recomputed("of others")
    rows = [("growth.csv", digest, 21)]
    TABLES["checked"].write(rows, tmp_path, name="x", game="x", command="python -m other")
    said, is_confirmed = text()
    header = records.read(TABLES["checked"].path(tmp_path, name="x")).header
    when = f"{header['date']} at {short_commit(header['commit'])}"
    by = f"confirmed {when} by python -m other: the same"
    assert said == f"changed since it was {again}; {by}"
    assert is_confirmed


def test_the_committed_records_name_tables_with_their_commands():
    every = {one.file: one for one in verification_statuses()}
    assert every["evaluations/rollout.csv"].command == "python -m experiments.evaluations rollout"
    assert {row["table"] for row in TABLES["recomputed"].read()} <= set(every)
    assert every["table1.csv"].text.startswith("recomputed by every run of the tests")
    assert every["table1.csv"].is_confirmed
    for file, sample in (
        ("evaluations/greedy.csv", "evaluation_checks/greedy.csv"),
        ("told_10x10_54332_any.csv", "confirmed_10x10_54332_any.csv"),
    ):
        day = every[sample].header["date"]
        assert every[file].text.endswith(f"; parts computed again by other code: {sample}, {day}")
    assert "parts" not in every["evaluations/any_greedy.csv"].text
    assert not any("not the same" in one.text for one in every.values())


def test_every_commit_that_is_named_is_in_the_history():
    """In a header, a column or a tree, where the clone has the history."""

    def git(*arguments):
        command = ["git", "-C", str(CHECKOUT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()

    if which("git") is None:
        pytest.skip("needs git")
    if git("rev-parse", "--is-shallow-repository") != ["false"]:
        pytest.skip("needs the whole history")
    history = set(git("rev-list", "HEAD"))
    files = [path for path in RESULTS.rglob("*") if path.suffix in (".csv", ".json")]
    named = {
        commit: path.relative_to(RESULTS)
        for path in files
        for commit in re.findall(r"\b[0-9a-f]{40}\b", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert not {commit: file for commit, file in named.items() if commit not in history}


def test_what_was_computed_with_changes_says_what_backs_it():
    for one in verification_statuses():
        if one.has_changes:
            assert f"backed by {one.kind.backed_by}" in one.text, one.file
            assert one.kind.backed_by, one.file
    assert not [row["table"] for row in TABLES["recomputed"].read() if "+" in row["commit"]]
