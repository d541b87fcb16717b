"""What a run kept for the next one, damaged at random: right or refused.

Each damage is tried in a process of its own, so that one that dies of it is seen.
"""

import logging
import os
import random
import shutil
import traceback

import lmdb
import pytest

from optsearch.evaluation import ROW_BYTES, evaluate
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.lower_bounds.coverage import CellSetCounts
from optsearch.search.counterexamples import Scope, find
from optsearch.search.solver import solve
from optsearch.strategies import named
from optsearch.support.errors import TableError
from optsearch.support.workers import Execution

SEED = 1905
PAGE = 4096
EXTREMES = [b"\xff" * 8, bytes(8), b"\xff" * 7 + b"\x7f", bytes(7) + b"\x80", b"\1" + bytes(7)]

# What is kept, and the answer of a run that goes on from it


def table(folder, game="5x5:3,2"):
    solution = solve(Position(Game.parse(game)), table=folder)
    return solution.total_height, solution.best_shots


def evaluation(folder, game="8x8:3,2,1"):
    found = evaluate(
        named("greedy"),
        Game.parse(game),
        memory=ROW_BYTES << 16,
        execution=Execution(checkpoint=folder),
    )
    return found.histogram


def counterexamples(folder, contact="none"):
    return list(find(Scope(6, contact=contact), folder=folder).rows)


def cell_sets(folder, game="4x5:3,2"):
    counts = CellSetCounts.of(Game.parse(game), folder)
    return counts.configurations, [array.tolist() for array in counts.covering]


KEPT = {
    "table": (table, "5x5:2,2"),
    "evaluation": (evaluation, "7x8:3,2,1"),
    "counterexamples": (counterexamples, "any"),
    "cell sets": (cell_sets, "4x5:2,2"),
}

# Damages of the bytes of a file


def flipped(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        bit = rng.randrange(8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
    return content


def zeroed(rng, content):
    at = rng.randrange(0, len(content), PAGE)
    size = min(PAGE, len(content) - at)
    return content[:at] + bytes(size) + content[at + size :]


def truncated(rng, content):
    page = rng.randrange(0, len(content), PAGE)
    return content[: rng.choice([page, rng.randrange(len(content))])]


def extreme(rng, content):
    at = rng.randrange(0, max(1, len(content) - 8), 2)
    return content[:at] + rng.choice(EXTREMES) + content[at + 8 :]


def pages(rng, content):
    """Two pages changed places, or one is there in the place of another."""
    parts = [content[i : i + PAGE] for i in range(0, len(content), PAGE)]
    i, j = (rng.randrange(len(parts)) for _ in range(2))
    what = rng.randrange(4)
    if what == 0:
        parts[i], parts[j] = parts[j], parts[i]
    elif what == 1:
        parts[i] = parts[j]
    elif what == 2:
        parts.insert(i, parts[j])
    else:
        parts.insert(i, parts.pop(j))
    return b"".join(parts)


BYTES_DAMAGES = [flipped, flipped, zeroed, truncated, extreme, pages]


def through_lmdb(rng, folder):
    """Records that changed places, values that were set, records left out, in a sound database."""
    with lmdb.open(str(folder), lock=False) as env, env.begin(write=True) as txn:
        slots = [slot for slot, _ in txn.cursor()]
        for _ in range(rng.choice([1, 3])):
            one, other = rng.sample(slots, 2)
            first, second = txn.get(one, b""), txn.get(other, b"")
            what = rng.randrange(5)
            if what == 0:
                txn.put(one, second)
                txn.put(other, first)
            elif what == 1:
                txn.put(one, second)
            elif what == 2:
                txn.put(one, rng.choice(EXTREMES) + first[8:])
            elif what == 3:
                txn.delete(one)
            else:
                txn.put(one + b"\0\0\0\1", first)


def damage(rng, folder, other):
    """Damage something in a folder; a text that says what."""
    if rng.random() < 0.2:
        through_lmdb(rng, folder)
        return "through LMDB"
    data = folder / "data.mdb"
    if rng.random() < 0.05:
        shutil.copy(other / "data.mdb", data)
        return "of something else"
    how = rng.choice(BYTES_DAMAGES)
    data.write_bytes(how(rng, data.read_bytes()))
    return how.__name__


def tried(kind, folder, expected):
    """What comes of a folder, in another process: right, refused, or how it went wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            logging.disable()
            try:
                answer = KEPT[kind][0](folder)
                said = "right" if answer == expected else f"wrong: {str(answer)[:200]}"
            except TableError as error:
                said = "refused" if str(folder) in str(error) else f"unclear: {error}"
            except BaseException:
                said = traceback.format_exc()
            os.write(writing, said.encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said if status == 0 else f"ended with {status}"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(
    "times",
    [pytest.param(12, id="some"), pytest.param(1000, marks=pytest.mark.long(45), id="many")],
)
@pytest.mark.parametrize("kind", KEPT)
def test_damage(tmp_path, kind, times):
    run, another = KEPT[kind]
    expected = run(tmp_path / "sound")
    run(tmp_path / "other", another)
    assert run(tmp_path / "sound") == expected
    rng, outcomes = random.Random(SEED), []
    for number in range(times):
        folder = tmp_path / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "sound", folder)
        what = damage(rng, folder, tmp_path / "other")
        outcome = tried(kind, folder, expected)
        assert outcome in ("right", "refused"), f"seed {SEED}, {number}: {what}: {outcome}"
        outcomes.append(outcome)
    assert outcomes.count("refused") > times // 8
