"""The verification of each committed table: when it was made, and what confirmed it.

    [status.text for status in verification_statuses() if status.file == "growth.csv"]
    # ["recomputed 2026-11-22 at 5a8eeebc: the same"]

Each row of the tables in `CONFIRMING` confirms a table: it has the digest of the values, the day,
the commit and the command. A confirmation holds for a table with the same digest, even if the code
changed since or the table was moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from optsearch.results.tables import CONFIRMING, TABLES, TREES, Table, Tree
from optsearch.support import records
from optsearch.support.datafiles import RESULTS


@dataclass(frozen=True)
class Confirmation:
    """When, at which commit and by which command a table was computed again.

    differs -- the first difference, or empty. is_outdated -- True if the values changed since.
    """

    date: str
    commit: str
    command: str
    differs: str
    is_outdated: bool

    def text(self, kind: Table | Tree) -> str:
        """Return in words when and how a table or tree of this kind was confirmed, or differed."""
        when = f"{self.date} at {short_commit(self.commit)}"
        if f"experiments.{kind.experiment} " in f"{self.command} ":
            when = f"recomputed {when}"
        else:
            when = f"confirmed {when} by {self.command}"
        if self.is_outdated:
            return f"changed since it was {when}"
        outcome = f"not the same: {self.differs}" if self.differs else "the same"
        return f"{when}: {outcome}"


@dataclass(frozen=True)
class VerificationStatus:
    """A committed table or tree, and what confirmed it.

    kind -- its declaration. file -- its path below the folder. sample -- the file with parts of it
    that other code computed again, and the day; or empty. commits -- all that it names.
    """

    kind: Table | Tree
    path: Path
    file: str
    header: dict[str, str]
    confirmations: tuple[Confirmation, ...]
    sample: str = ""
    commits: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes the file: from its header, or else from its declaration."""
        command = self.header.get("command", "")
        is_current = f"python -m experiments.{self.kind.experiment} " in f"{command} "
        return command if is_current else self.kind.command.format(name=self.path.stem)

    @property
    def minutes(self) -> float:
        """The minutes that this command takes."""
        return self.kind.minutes_of(self.path)

    @property
    def text(self) -> str:
        """The sentences that tell a reader what confirmed the file."""
        sentences = ["recomputed by every run of the tests"] if self.kind.is_quick else []
        sentences += [confirmation.text(self.kind) for confirmation in self.confirmations]
        if not sentences and self.kind in CONFIRMING:  # a table of confirmations of other files
            sentences = ["a record of these"]
        elif not sentences:
            sentences = ["computed once, when it was made"]
        if isinstance(self.kind, Table) and self.has_changes:
            version = self.header.get("optsearch", "")
            sentences.append(f"computed by an earlier {version}, backed by {self.kind.backed_by}")
        if self.sample:
            sentences.append(f"parts computed again by other code: {self.sample}")
        return "; ".join(sentences)

    @property
    def has_changes(self) -> bool:
        """True if some of it was computed with changes that no commit has."""
        return any("+" in commit for commit in self.commits)

    @property
    def is_confirmed(self) -> bool:
        """True if its values came out equal when they were computed again."""
        is_equal = [not again.differs for again in self.confirmations if not again.is_outdated]
        return all(is_equal) and (bool(is_equal) or self.kind.is_quick)


def short_commit(commit: str) -> str:
    """Return the first eight digits of a commit, with `+changes` if its tree was modified."""
    return commit[:8] + "+changes" * ("+" in commit) if commit[:7].isalnum() else commit


def verification_statuses(folder: Path = RESULTS) -> Iterator[VerificationStatus]:
    """Yield what has confirmed each table and tree of a folder, in the order of declaration."""
    confirming_rows = defaultdict(list)
    for table in CONFIRMING:
        for path in table.all(folder):
            entries = table.read(path)
            for row in entries:
                confirming_rows[row["table"]].append({**entries.header, **row})
    everything: list[Table | Tree] = [*TABLES.values(), *TREES]
    for kind in everything:
        for path in kind.all(folder):
            file = path.relative_to(folder).as_posix()
            digest = kind.digest(path) if confirming_rows[file] else ""
            confirmations = [
                Confirmation(
                    date=row["date"],
                    commit=row["commit"],
                    command=row["command"],
                    differs=row.get("differs") or "",
                    is_outdated=row["digest"] != digest,
                )
                for row in confirming_rows[file]
            ]
            record = records.Record({}, (), []) if isinstance(kind, Tree) else records.read(path)
            commits = [record.header.get("commit", "")]
            if kind not in CONFIRMING:
                commits += [row.get("commit", "") for row in record.rows]
            sample = _sample(kind, file, folder)
            yield VerificationStatus(
                kind, path, file, record.header, tuple(confirmations), sample, tuple(commits)
            )


def _sample(kind: Table | Tree, file: str, folder: Path) -> str:
    if isinstance(kind, Tree) or not kind.sample:
        return ""
    before, after = kind.file.split("{name}")
    sample = kind.sample.format(name=file.removeprefix(before).removesuffix(after))
    if not (folder / sample).is_file():
        return ""
    return f"{sample}, {records.read(folder / sample).header['date']}"
