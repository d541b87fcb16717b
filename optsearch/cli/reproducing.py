"""The commands about sources: reproduce recomputes their numbers, cite prints their BibTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from optsearch import reproduce as reproduce_
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import explain_resuming, out
from optsearch.cli.evaluating import show_evaluation_progress
from optsearch.cli.options import FOLDER, Argument, Form, Option
from optsearch.evaluation import EvaluationStatus
from optsearch.reproduce import ALL, SOURCES, Check, Source
from optsearch.support.datafiles import published_path
from optsearch.support.decimals import time_text
from optsearch.support.errors import OptsearchError
from optsearch.support.progress import Progress, no_progress
from optsearch.support.records import commit
from optsearch.support.version import VERSION, YEAR

COLUMNS = ("", "where", "what", "printed", "computed", "seconds")


@app.command(
    example="optsearch reproduce",
    seconds=8,
    next_step="optsearch reproduce --full --resume kept  # everything, an hour",
    fields="agrees checks",
    source=Option(
        f"The source: {', '.join(s.name for s in SOURCES)} or {ALL} (default: "
        f"{SOURCES[0].name}; with --full, {ALL})."
    ),
    full=Option("Compute all numbers, also those that take minutes or hours."),
    resume=Option(
        "Folder that keeps finished work of --full; the same command goes on from it.",
        writes=FOLDER,
    ),
)
def reproduce(
    source: str | None = None,
    full: bool = False,
    resume: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Compute the numbers of the paper, or of another source, and print both side by side."""
    if resume is not None and not full:
        raise OptsearchError("--resume is for --full; without it, everything takes seconds")
    if source == ALL or (full and source is None):
        chosen_sources = list(SOURCES)
    else:
        chosen_sources = [reproduce_.source_named(source or SOURCES[0].name)]
    results: list[tuple[Source, Check]] = []
    widths: tuple[int, ...] = ()
    if full and form is Form.TEXT:
        print_estimate(chosen_sources, resume)
    make_checks = partial(compute_checks, chosen_sources, full, resume)
    with explain_resuming("--resume", resume):
        for source_of_check, check in with_progress(make_checks):
            if form is Form.TEXT:
                is_new_source = not results or results[-1][0] != source_of_check
                if is_new_source:
                    widths = print_title(source_of_check, "\n" if results else "")
                print_check(check, widths)
            results.append((source_of_check, check))
    faulty_checks = [check for _, check in results if check.is_fault]
    if form is Form.TEXT:
        print_verdict([check for _, check in results])
    else:
        fields = [{"source": printed_in.name, **vars(check)} for printed_in, check in results]
        answer = Answer(agrees=not faulty_checks, checks=fields)
        answer.set_rows(fields)
        answer.print(form)
    if faulty_checks:
        raise click.exceptions.Exit(1)


def compute_checks(
    sources: list[Source], full: bool, folder: Path | None, progress: Progress[EvaluationStatus]
) -> Iterator[tuple[Source, Check]]:
    """Yield the checks of some sources one by one: all if `full`, else those that take seconds.

    folder -- keeps finished work of all, or None.
    """
    if full:
        yield from reproduce_.everything(sources, folder, progress)
        return
    for source in sources:
        for check in reproduce_.checks(source.name):
            yield source, check


def with_progress(
    make_checks: Callable[[Progress[EvaluationStatus]], Iterator[tuple[Source, Check]]],
) -> Iterator[tuple[Source, Check]]:
    """Yield the checks of `make_checks`; show progress while each is waited for.

    make_checks -- it is given a function to call with each status.
    """
    shown_progress: Progress[EvaluationStatus] = no_progress

    def report(status: EvaluationStatus) -> None:
        shown_progress(status)  # that of the check which is waited for now

    checks = make_checks(report)
    while True:
        with show_evaluation_progress() as progress:
            shown_progress = progress
            source_and_check = next(checks, None)
        if source_and_check is None:
            return
        yield source_and_check


def print_estimate(sources: list[Source], resume: Path | None) -> None:
    """Print how many numbers are left to compute and how long that takes."""
    names = ", ".join(source.name for source in sources)
    numbers_left = reproduce_.numbers_left(sources, resume)
    number_count = sum(len(list(source.all_numbers())) for source in sources)
    minutes = sum(number.minutes for number in numbers_left)
    duration = f"about {time_text(60 * minutes)} on two cores" if minutes else "seconds"
    storage = f"kept in {resume}" if resume else "kept nowhere: --resume FOLDER keeps what is done"
    out.print(
        f"everything of {names}: {len(numbers_left)} of {number_count} numbers left, "
        f"{duration}, {storage}\n",
        soft_wrap=True,
    )


def print_title(source: Source, before: str) -> tuple[int, ...]:
    """Print the title of a source and the heads of its columns; return the widths of these.

    before -- a text printed before the title.
    """
    printed_numbers = list(source.all_numbers())
    place_width = max(len(printed_number.place) for printed_number in printed_numbers)
    name_width = max(31, *(len(printed_number.what) for printed_number in printed_numbers))
    printed_width = max(17, *(len(printed_number.printed) for printed_number in printed_numbers))
    widths = (1, place_width, name_width, printed_width, 17, 7)  # of COLUMNS
    out.print(f"{before}{source.title}, printed and computed\n", style="bold", soft_wrap=True)
    click.echo("  ".join(f"{name:<{width}}" for name, width in zip(COLUMNS, widths, strict=True)))
    return widths


def print_check(check: Check, widths: tuple[int, ...]) -> None:
    """Print a check as a line of the table, in red if it differs and should not.

    widths -- of the columns.
    """
    duration = f"{check.seconds:7.3f}"
    if check.stored:
        duration = "stored"
    elif check.left_out:
        duration = "left out"
    texts = (sign_of(check), check.place, check.what, check.printed, check.computed, duration)
    line = "  ".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True))
    out.print(line, style="bold red" if check.is_fault else None, soft_wrap=True)


def sign_of(check: Check) -> str:
    """Return the sign of a check: ✓ agrees, ✗ differs, ≠ differs as is known, · not compared."""
    if check.agrees is None:
        return "·"
    if check.agrees:
        return "✓"
    return "≠" if check.known else "✗"


def print_verdict(checks: list[Check]) -> None:
    """Print the notes of the checks, and how many of them agree."""
    known_differences = [check for check in checks if check.known]
    for check in checks:
        if check.note:
            click.echo(f"\n{check.note}")
    for reason, names in _names_by_attribute(known_differences, "known").items():
        click.echo(f"\n≠ {names}: {reason}")
    for command, names in _names_by_attribute(checks, "stored").items():
        click.echo(f"\nstored: {names}: computed by {command}, or --full")
    for reason, names in _names_by_attribute(checks, "left_out").items():
        click.echo(f"\nleft out: {names}: {reason}")
    fault_count = sum(check.is_fault for check in checks)
    left_out_count = sum(bool(check.left_out) for check in checks)
    shown_count = sum(check.agrees is None for check in checks) - left_out_count
    compared_count = len(checks) - shown_count - left_out_count
    stored_count = sum(bool(check.stored) for check in checks)
    if known_differences:
        agreeing_count = compared_count - len(known_differences) - fault_count
        verdict = [f"{agreeing_count} agree, {len(known_differences)} differ as is known"]
        if fault_count:
            verdict.append(f"{fault_count} differ and should not")
    else:
        verdict = [f"{fault_count} of {compared_count} differ" if fault_count else "all agree"]
    if shown_count:
        verdict.append(f"{shown_count} shown and not compared (·)")
    if left_out_count:
        verdict.append(f"{left_out_count} left out")
    if stored_count:
        verdict.append(f"{stored_count} of these numbers stored")
    seconds = sum(check.seconds for check in checks)
    out.print(
        f"\n{compared_count} checks, {', '.join(verdict)}, {seconds:.1f} seconds", style="bold"
    )


def _names_by_attribute(checks: list[Check], attribute: str) -> dict[str, str]:
    """Map each text of an attribute to the names of the checks that have it, joined by commas.

    Checks whose text is empty are left out.
    """
    names_by_text: dict[str, list[str]] = {}
    for check in checks:
        text = getattr(check, attribute)
        if text:
            names_by_text.setdefault(text, []).append(check.what)
    return {text: ", ".join(group) for text, group in names_by_text.items()}


@app.command(
    example="optsearch cite thompson",
    seconds=1,
    next_step="optsearch solve 4x5:2,3,4 --json  # a number to cite, exact, with its version",
    fields="bibtex",
    sources=Argument(
        f"Sources, as reproduce takes them, or {ALL} (default: {SOURCES[0].name}).",
        metavar="SOURCE",
    ),
)
def cite(sources: list[str] | None = None, form: Form = Form.TEXT) -> None:
    """BibTeX of this program, and of the sources of results."""
    names = sources or [SOURCES[0].name]
    chosen_names = [source.name for source in SOURCES] if ALL in names else names
    commit_text = commit()
    software = {
        "author": "{The optsearch contributors}",
        "title": "optsearch",
        "version": VERSION,
        "year": YEAR,
        "note": commit_text if commit_text.startswith("release") else f"commit {commit_text}",
    }
    software_fields = "".join(f"\n  {name} = {{{value}}}," for name, value in software.items())
    entries = [f"@software{{optsearch,{software_fields}\n}}"]
    text = published_path("sources.bib").read_text(encoding="utf-8")
    matches = re.findall(r"^(@\w+{([\w-]+),\n.*?^})", text, re.MULTILINE | re.DOTALL)
    entry_by_name = {name: entry for entry, name in matches}
    entries += [entry_by_name[reproduce_.source_named(name).name] for name in chosen_names]
    answer = Answer(bibtex=entries)
    answer.add("\n\n".join(entries))
    answer.print(form)
