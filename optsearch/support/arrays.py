"""Arrays of numbers in a file with a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.support.errors import TableError
from optsearch.support.files import key_of, read_bytes, reason_of, replacing

HEAD = b"optsearch arrays 1\n"
MOST_BYTES = 8 << 30  # read of a file
_HEAD_BYTES = 8
_DIGEST_BYTES = 16
_ALIGNED = 64

Arrays = Mapping[str, NDArray[Any]]


def write_arrays(path: Path, what: str, arrays: Arrays) -> None:
    """Put arrays of numbers into a file, with a checksum, whole or not at all.

    what -- names what they are of. Raises TableError where the file cannot be written.
    """
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    bodies = [array.ravel().data for array in whole.values()]
    head = json.dumps(
        {
            "what": what,
            "arrays": [[name, array.dtype.str, array.shape] for name, array in whole.items()],
        }
    ).encode()
    head += b" " * (-len(head) % _ALIGNED)
    digest = blake2b(head, digest_size=_DIGEST_BYTES, key=key_of(what))
    for body in bodies:
        digest.update(body)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as beside, beside.open("wb") as file:
            file.write(HEAD)
            file.write(digest.digest() + len(head).to_bytes(_HEAD_BYTES, "little"))
            file.write(head)
            file.writelines(bodies)
    except OSError as error:
        raise TableError(f"{path} cannot be written: {reason_of(error)}") from None


def read_arrays(path: Path, what: str) -> dict[str, NDArray[Any]] | None:
    """The arrays in a file of `write_arrays`; None where there is no file.

    Raises TableError where it is not whole, or of something else; the message begins with the path.
    """
    try:
        content = read_bytes(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {reason_of(error)}") from None
    start = len(HEAD) + _DIGEST_BYTES + _HEAD_BYTES
    length = int.from_bytes(content[start - _HEAD_BYTES : start], "little")
    if not content.startswith(HEAD) or not 0 < length <= len(content) - start:
        raise TableError(f"{path} is damaged, or not a file of this version of optsearch")
    try:
        head = json.loads(content[start : start + length])
        written_for = str(head["what"])
    except (ValueError, TypeError, KeyError):
        raise TableError(f"{path} is damaged: its checksum is wrong") from None
    body = memoryview(content)[start:]
    digest = blake2b(body, digest_size=_DIGEST_BYTES, key=key_of(written_for)).digest()
    if digest != content[len(HEAD) : len(HEAD) + _DIGEST_BYTES]:
        raise TableError(f"{path} is damaged: its checksum is wrong")
    if written_for != what:
        raise TableError(f"{path} is of {written_for}, not of {what}")
    arrays, at = {}, start + length
    for name, kind, shape in head["arrays"]:
        array = np.ndarray(tuple(shape), np.dtype(kind), content, at)
        arrays[name] = array
        at += array.nbytes
    return arrays
