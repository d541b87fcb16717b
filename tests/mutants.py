"""Small faults put into the code, and the share of them that the tests find: `make mutants`.

    python -m tests.mutants [--number 200] [--seed 1] [--only PATTERN] [--folder build/mutants]

A mutant is the package with one expression or statement of one function changed. Which tests run a
line is measured once: of EACH cases of a test, each up to CUT seconds, with EXAMPLES of a property.
A mutant is met by the tests that run its line, the fastest first, until one fails or takes ten
times its time; after MOST seconds it survives. All this is done in forks of one process, which has
imported everything: the code of the function is replaced there. So tests that start processes,
drive a browser or take long are not asked, and code outside of functions, or compiled by numba, has
no mutants. What is done is in the folder, and a run that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import fnmatch
import functools
import gc
import json
import multiprocessing.process
import os
import signal
import subprocess
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import coverage
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
CUT = 0.25  # processor seconds of a test that are measured
EACH = 2  # tests of a function with parameters
EXAMPLES = 5  # of a property
SETTINGS = "_hypothesis_internal_use_settings"
MOST = 6.0  # processor seconds of a mutant
WALL = 240  # seconds after which a mutant that waits for something is ended
SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
COLUMNS = ("key", "file", "function", "line", "word", "text", "outcome", "by", "seconds")
NO_CODE = ("annotation", "returns", "decorator_list", "args", "type_comment")
COMPILED = ("njit", "jit", "guvectorize", "vectorize", "overload", "intrinsic")


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may be changed into, each with a word."""
    for field in ("op", "ops"):
        operators = getattr(node, field, None)
        for i, operator in enumerate(operators if isinstance(operators, list) else [operators]):
            if type(operator) in SWAPS:
                changed = copy.deepcopy(node)
                new = SWAPS[type(operator)]()
                if isinstance(operators, list):
                    getattr(changed, field)[i] = new
                else:
                    changed.op = new
                yield f"{type(operator).__name__} to {type(new).__name__}", changed
    if type(node) in SWAPS and isinstance(node, ast.stmt):
        yield type(node).__name__, SWAPS[type(node)]()
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield f"not {node.value}", ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            yield f"{node.value} + 1", ast.Constant(node.value + 1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield f"no {type(node.op).__name__}", node.operand
    if isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "return None", ast.Return(ast.Constant(None))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "no call", ast.Pass()
    if isinstance(node, ast.IfExp):
        yield "the other of two", ast.IfExp(node.test, node.orelse, node.body)


def is_none(node: ast.AST) -> bool:
    """Whether this is None."""
    return isinstance(node, ast.Constant) and node.value is None


class Mutant:
    """A change of one node of a function. key -- names it wherever its function is moved."""

    def __init__(self, path: Path, function: str, number: int, word: str, line: int, text: str):
        self.path, self.function, self.number = path, function, number
        self.word, self.line, self.text = word, line, text
        self.key = blake2b(f"{function} {word} {text}".encode(), digest_size=6).hexdigest()

    def code(self) -> types.CodeType:
        """The code of the function with the change."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        where = list(nodes_of(tree))
        qualname, parent, field, index, _, changed = where[self.number]
        assert qualname == self.function
        old = getattr(parent, field)
        ast.copy_location(changed, old if index is None else old[index])
        if index is None:
            setattr(parent, field, changed)
        else:
            old[index] = changed
        waiting = [compile(ast.fix_missing_locations(tree), str(self.path), "exec")]
        while waiting:
            code = waiting.pop()
            if code.co_qualname == self.function:
                return code
            waiting += [const for const in code.co_consts if isinstance(const, types.CodeType)]
        raise LookupError(self.function)

    def put(self) -> bool:
        """Replace the code of the function in this process; whether it is there."""
        new, number = self.code(), 0
        for one in gc.get_objects():
            if isinstance(one, functools._lru_cache_wrapper):
                one.cache_clear()
            if isinstance(one, types.FunctionType):
                code = one.__code__
                same = code.co_qualname == self.function and code.co_filename == str(self.path)
                if same and code.co_freevars == new.co_freevars:
                    one.__code__ = new
                    number += 1
        return number > 0


def nodes_of(tree: ast.Module) -> Iterator[tuple]:
    """Every change of every function on the top of a module or class: where it is, and into what.

    The qualified name, parent, field, index in the field or None, the word and the new node.
    """

    def inside(name: str, parent: ast.AST) -> Iterator[tuple]:
        for field, value in ast.iter_fields(parent):
            if field in NO_CODE and not isinstance(parent, ast.Call):
                continue
            for index, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.AST):
                    at = index if isinstance(value, list) else None
                    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
                        continue  # texts, and what is said of errors
                    for word, changed in changes(node):
                        yield name, parent, field, at, word, changed
                    yield from inside(name, node)

    def functions(prefix: str, body: list) -> Iterator[tuple]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from functions(f"{prefix}{node.name}.", node.body)
            elif isinstance(node, ast.FunctionDef):
                marks = " ".join(ast.unparse(one) for one in node.decorator_list)
                if not any(word in marks for word in COMPILED):
                    yield from inside(f"{prefix}{node.name}", node)

    yield from functions("", tree.body)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for number, (name, parent, field, index, word, _) in enumerate(nodes_of(ast.parse(source))):
        old = getattr(parent, field)
        line = (old if index is None else old[index]).lineno
        yield Mutant(path, name, number, word, line, lines[line - 1].strip())


def sample(number: int, seed: int, only: str, without: str) -> list[Mutant]:
    """Those mutants whose keys come first by the seed; an unchanged function keeps its place."""
    every = {}
    for path in sorted((ROOT / "optsearch").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        left_out = any(fnmatch.fnmatch(name, pattern) for pattern in without.split(",") if pattern)
        if fnmatch.fnmatch(name, only) and not left_out:
            for mutant in mutants_of(path):
                every.setdefault(mutant.key, mutant)
    rank = {key: blake2b(f"{seed} {key}".encode()).digest() for key in every}
    return sorted(every.values(), key=lambda mutant: rank[mutant.key])[:number]


def used() -> float:
    """Processor seconds of this process."""
    return time.process_time()


def alone(*_: object, **__: object) -> None:
    """In place of what starts processes."""
    raise OSError("no test of a mutant starts processes")


class Plugin:
    """Runs tests in forks, in place of pytest's own loop."""

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.folder: Path = arguments.folder
        self.tests = self.folder / "tests.json"
        self.part = self.folder / "part.json"
        self.log = self.folder / "mutants.csv"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items, functions = {}, Counter()
        for item in session.items:
            function = item.nodeid.partition("[")[0]
            functions[function] += 1
            if functions[function] <= EACH and "driver" not in getattr(item, "fixturenames", ()):
                self.items[item.nodeid] = item
                if getattr(test := getattr(item, "obj", None), "is_hypothesis_test", False):
                    few = settings(getattr(test, SETTINGS), max_examples=EXAMPLES)
                    setattr(getattr(test, "__func__", test), SETTINGS, few)
        subprocess.Popen.__init__ = multiprocessing.process.BaseProcess.start = alone
        if not self.tests.exists():
            self.measure()
        found = json.loads(self.tests.read_text(encoding="utf-8"))
        self.seconds, self.lines = found["seconds"], found["lines"]
        self.run()
        return True

    def forked(self, work, wall):
        """The exit status of some work in a fork, and what it wrote; a negative one is a signal."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            status = 3
            try:
                os.close(reader)
                null = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(null, stream)
                word, status = work()
                os.write(writer, word.encode()[:4000])
            finally:
                os._exit(status)
        os.close(writer)
        began = time.monotonic()
        while True:
            done, status, usage = os.wait4(child, os.WNOHANG)
            if done:
                break
            if wall and time.monotonic() - began > wall:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.05)
        with os.fdopen(reader) as file:
            word = file.read()
        return os.waitstatus_to_exitcode(status), word, usage.ru_utime + usage.ru_stime

    def outcome(self, item, following):
        """Whether a test passed; None if it was skipped."""
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.skipped for report in reports):
            return None
        return not any(report.failed for report in reports)

    def measure(self):
        """Run each test for a while, and keep the time and the lines of those that pass.

        One that is cut ends its fork; another fork goes on behind it.
        """
        items, done = list(self.items.values()), 0
        seconds, lines = {}, {}
        while done < len(items):
            self.forked(lambda left=items[done:]: self.measure_some(left), None)
            found = json.loads(self.part.read_text(encoding="utf-8"))
            self.part.unlink()
            done += found["done"]
            seconds |= found["seconds"]
            for name, numbers in found["lines"].items():
                for line, tests in numbers.items():
                    passed = [test for test in tests if test in seconds]
                    lines.setdefault(name, {}).setdefault(line, []).extend(passed)
            print(f"measured {done} of {len(items)} tests", flush=True)
        text = json.dumps({"seconds": seconds, "lines": lines})
        self.tests.write_text(text, encoding="utf-8")

    def measure_some(self, items):
        """The first of these tests, up to one that is cut."""
        cover = coverage.Coverage(
            data_file=None, config_file=False, source=[str(ROOT / "optsearch")], messages=False
        )
        seconds, done = {}, 0

        def write(*_):
            cover.stop()
            data = cover.get_data()
            lines = {
                Path(file).relative_to(ROOT).as_posix(): data.contexts_by_lineno(file)
                for file in data.measured_files()
            }
            found = {"done": done, "seconds": seconds, "lines": lines}
            self.part.write_text(json.dumps(found), encoding="utf-8")
            os._exit(0)

        signal.signal(signal.SIGPROF, write)
        cover.start()
        for item, following in zip(items, [*items[1:], None], strict=True):
            done += 1
            cover.switch_context(item.nodeid)
            began = used()
            signal.setitimer(signal.ITIMER_PROF, CUT)
            passed = self.outcome(item, following)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if passed:
                seconds[item.nodeid] = round(used() - began, 4)
        write()

    def meet(self, mutant):
        """Put a mutant here, and run the tests of its line."""
        if not mutant.put():
            return "not found", 2
        name = mutant.path.relative_to(ROOT).as_posix()
        tests = sorted(self.lines.get(name, {}).get(str(mutant.line), ()), key=self.seconds.get)
        tests = [test for test in tests if test in self.items]
        if not tests:
            return "no test", 0
        began = used()
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            if used() - began > MOST:
                return f"survived {MOST:g} seconds of {len(tests)} tests", 0
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, 10 * self.seconds[test] + 2)
            passed = self.outcome(self.items[test], following and self.items[following])
            signal.setitimer(signal.ITIMER_PROF, 0)
            if passed is False:
                return test, 1
        return f"survived {len(tests)} tests", 0

    def run(self):
        """Meet the mutants one after the other, each with a line in the log."""
        a = self.arguments
        known = set()
        if self.log.exists():
            with self.log.open(encoding="utf-8", newline="") as file:
                known = {row["key"] for row in csv.DictReader(file)}
        with self.log.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not known:
                writer.writerow(COLUMNS)
            for mutant in sample(a.number, a.seed, a.only, a.without):
                if mutant.key in known:
                    continue
                status, word, seconds = self.forked(lambda mutant=mutant: self.meet(mutant), WALL)
                outcome = {0: "survived", 1: "killed", 2: "none", 3: "killed"}.get(status, "time")
                name = mutant.path.relative_to(ROOT).as_posix()
                row = [mutant.key, name, mutant.function, mutant.line, mutant.word, mutant.text]
                writer.writerow([*row, outcome, word, round(seconds, 2)])
                file.flush()


def summary(log: Path) -> str:
    """The share that was killed."""
    with log.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"] != "none"]
    killed = sum(row["outcome"] != "survived" for row in rows)
    return f"{killed} of {len(rows)} mutants were killed: {killed / max(1, len(rows)):.1%}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", help="pattern of files")
    parser.add_argument("--without", default="", help="patterns of files, commas between them")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--tests", nargs="*", default=["tests"])
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sys.dont_write_bytecode = True
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments.tests]
    pytest.main(options, plugins=[Plugin(arguments)])
    print(summary(arguments.folder / "mutants.csv"))


if __name__ == "__main__":
    main()
