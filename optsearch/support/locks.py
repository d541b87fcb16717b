"""A file that one process at a time has, by what the system offers for it."""

from __future__ import annotations

import os
import sys
from io import FileIO

from optsearch.support.errors import NotSupported

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 40  # Windows locks bytes, and nobody may read these: one that no file has

    def take(file: FileIO) -> bool:
        """Lock an open file until it is closed or the process ends; False if another has it."""
        at = file.tell()
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            file.seek(at)
        return True

else:
    try:
        import fcntl
    except ImportError:  # as in a browser
        fcntl = None  # type: ignore[assignment]

    def take(file: FileIO) -> bool:
        """Lock an open file until it is closed or the process ends; False if another has it."""
        if fcntl is None:
            raise NotSupported(
                f"this system ({os.name}, {sys.platform}) has no locks for files, so no folder can "
                "keep the work of a run; run without one"
            )
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
