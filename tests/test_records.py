"""Tables survive the trip through a file, say what computed them, and are refused with a reason."""

import os
import platform
import re
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import optsearch
from optsearch.support import datafiles, records
from optsearch.support.errors import RecordError

# Any text but surrogates and NUL, with the characters that CSV treats specially made common.
TEXT = st.text(
    st.sampled_from(list(',"#\n\r; \té≈\u2028\ufeff'))
    | st.characters(exclude_categories=["Cs"], exclude_characters="\0")
)


@st.composite
def tables(draw):
    columns = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    row = st.lists(TEXT | st.just("# a: b"), min_size=len(columns), max_size=len(columns))
    return columns, draw(st.lists(row, max_size=5))


def write(path, columns=("a", "b"), rows=(("1", "2"),), **options):
    records.write(path, columns, rows, **{"title": "A table", "command": "make it", **options})


@given(table=tables())
@settings(deadline=None)
def test_a_table_comes_back_as_it_was_written(tmp_path_factory, table):
    columns, rows = table
    path = tmp_path_factory.mktemp("records") / "table.csv"
    write(path, columns, rows)
    record = records.read(path)
    assert record.columns == tuple(columns)
    assert [list(row.values()) for row in record.rows] == rows
    # Each row starts where the record says.
    lines = path.read_bytes().decode().split("\n")
    for line, row in zip(record.lines, rows, strict=True):
        beginning = row[0].split("\n")[0].replace('"', '""')
        assert lines[line - 1].startswith((beginning, '"' + beginning))


@given(
    key=st.from_regex(r"[a-z][a-z ]{0,8}[a-z]", fullmatch=True).filter(
        lambda key: key not in records.PROVENANCE
    ),
    value=TEXT,
)
@settings(deadline=None)
def test_a_header_field_comes_back_or_is_refused(tmp_path_factory, key, value):
    path = tmp_path_factory.mktemp("records") / "table.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "commit", lambda: "unknown")  # git is not asked each time
        if value != value.strip() or len(f".{value}.".splitlines()) > 1:
            with pytest.raises(RecordError, match="is not a header field"):
                write(path, fields={key: value})
        else:
            write(path, fields={key: value})
            assert records.read(path).header[key] == value


def test_the_header_says_what_computed_the_table(tmp_path):
    path = tmp_path / "table.csv"
    write(path, fields={"configurations": 1925751392})
    header = records.read(path).header
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", header.pop("date"))
    assert header == {
        "title": "A table",
        "command": "make it",
        "optsearch": optsearch.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "commit": records.commit(),
        "configurations": "1925751392",
    }
    assert path.read_text().startswith("# title: A table\n# command: make it\n")


def test_the_commit_is_that_of_optsearch(tmp_path, monkeypatch):
    """Not of the repository that the table lies in, nor of one around an installed copy."""

    def git(*arguments):
        name = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", "-C", str(tmp_path), *name, *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    of_optsearch, release = records.commit(), f"release {optsearch.__version__}"
    git("init", "-q")
    write(tmp_path / "a.csv")
    assert records.read(tmp_path / "a.csv").header["commit"] == of_optsearch

    monkeypatch.setattr(records, "CHECKOUT", tmp_path)
    monkeypatch.setattr(records, "is_checkout", lambda: True)
    assert records.commit() == release  # no commit yet
    source = tmp_path / "source.py"
    source.write_text("1\n")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    head = git("rev-parse", "HEAD")
    (tmp_path / "data" / "results" / "some").mkdir(parents=True)
    write(tmp_path / "data" / "results" / "some" / "a.csv")
    assert records.commit() == head  # tables of results do not count
    source.write_text("2\n")
    assert records.commit() == head + "+changes"
    git("commit", "-q", "-a", "-m", "second")
    assert records.commit() == git("rev-parse", "HEAD") != head
    monkeypatch.setattr(records, "CHECKOUT", tmp_path / "data")
    assert records.commit() == release  # some other repository around it
    (tmp_path / "data" / "COMMIT").write_text(head)  # an archive says of what it was made
    assert records.commit() == head
    monkeypatch.setattr(records, "is_checkout", lambda: False)
    assert records.commit() == release
    monkeypatch.setattr(records, "DATA", tmp_path / "data")
    assert records.commit() == head


def test_a_failed_write_leaves_the_old_table_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(RecordError, match=r"table\.csv' cannot be written: disk full"):
        write(path, rows=[("3", "4")])
    monkeypatch.undo()
    with pytest.raises(RecordError, match="cannot be written"):
        write(path, rows=[("\ud800", "4")])
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": "two\nlines"}, "'title': 'two\\nlines' is not a header field"),
        ({"fields": {"a:b": 1}}, "'a:b': '1' is not a header field"),
        ({"fields": {"": 1}}, "is not a header field"),
        ({"fields": {"commit": "abc"}}, "'commit' is filled in by write itself"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, options, message):
    with pytest.raises(RecordError) as error:
        write(tmp_path / "table.csv", **options)
    assert message in str(error.value)
    assert "table.csv" in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there is no line of column names"),
        ("# a: b\n", "line 2: there is no line of column names"),
        (
            "# a: b\n# no colon\nx\n1\n",
            "line 2: '# no colon' is not a header; write `# key: value`",
        ),
        ("# a: b\n# a: c\nx\n1\n", "line 2: the header 'a' is given twice"),
        ("# a: b\nx,x\n1,2\n", "line 2: a column name is given twice"),
        ('# a: b\nx,y\n"1\n1",2\n3\n', "line 5: 1 values, ['3'], for the 2 columns x, y"),
        ('# a: b\nx,y\n1,"2\n', "line 3: unexpected end of data"),
        ('# a: b\nx,y\n1,"2"3\n', "line 3: "),
    ],
)
def test_a_malformed_table_is_refused_with_file_and_line(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(RecordError) as error:
        records.read(path)
    assert f"table.csv, {message}" in str(error.value)


def test_what_is_not_a_text_file_is_refused(tmp_path):
    with pytest.raises(RecordError, match=r"table\.csv' does not exist"):
        records.read(tmp_path / "table.csv")
    with pytest.raises(RecordError, match="cannot be read"):
        records.read(tmp_path)
    (tmp_path / "table.csv").write_bytes(b"# a: \xff\n")
    with pytest.raises(RecordError, match=r"table\.csv' cannot be read"):
        records.read(tmp_path / "table.csv")


def test_line_ends_and_byte_order_mark_of_other_systems(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbf# Source: a\r\nx,y\r\n1,2\r\n\r\n")
    record = records.read(path)
    assert record.header == {"Source": "a"}
    assert record.rows == [{"x": "1", "y": "2"}]


def test_values_are_parsed_with_errors_that_quote_file_and_line(tmp_path):
    path = tmp_path / "table.csv"
    write(path, rows=[("1/3", "2"), ("1/2", "x"), ("1/0", "3")])
    record = records.read(path)
    assert records.Record({}, ("a",), [{"a": "1/3"}]).values("a", Fraction) == [Fraction(1, 3)]
    with pytest.raises(RecordError, match=r"table\.csv, line 10: 'x' in column 'b': invalid"):
        record.values("b", int)
    with pytest.raises(RecordError, match=r"table\.csv, line 11: '1/0' in column 'a': "):
        record.values("a", Fraction)
    with pytest.raises(RecordError, match=r"no column 'c'; the columns are a, b"):
        record.values("c", int)


# Published tables


def test_a_published_table_names_its_source(tmp_path, monkeypatch):
    for path in datafiles.PUBLISHED.glob("*.csv"):
        assert records.read_published(path.name).rows
    folder = tmp_path / "published"
    monkeypatch.setattr(datafiles, "PUBLISHED", folder)
    with pytest.raises(RecordError, match=r"the published table table\.csv is missing"):
        records.read_published("table.csv")
    folder.mkdir(parents=True)
    (folder / "table.csv").write_text("# Source: a paper\nx\n1\n")
    assert records.read_published("table.csv").rows == [{"x": "1"}]
    with pytest.raises(RecordError, match=r"the published tables are table\.csv"):
        records.read_published("other.csv")
    for text in ("x\n1\n", "# Note: b\n# Source: a\nx\n1\n", "# Source:\nx\n1\n"):
        (folder / "table.csv").write_text(text)
        with pytest.raises(RecordError, match="line 1: a published table opens with `# Source: …`"):
            records.read_published("table.csv")
