"""The instruction sets that the processor runs, as far as the system says.

The system is asked and not the processor, because 256-bit registers need the support of both. Linux
lists avx2 only if it saves these registers.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

# x86-64-v3 as its specification has it, less what every 64-bit processor has, by Linux's names
V3 = {
    *("cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"),  # x86-64-v2
    *("abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"),
}
# The same on macOS, where `sysctl hw.optional` has it; every Mac with avx2 has the rest.
V3_ON_MACOS = ("avx2_0", "bmi1", "bmi2", "f16c", "fma")


def instruction_sets() -> list[str]:
    """Return the builds that the processor runs besides the plain one, the fastest first.

    The list is empty if the system does not say what the processor runs.
    """
    if sys.platform.startswith("linux"):
        is_v3 = linux_flags() >= V3
    elif sys.platform == "darwin" and platform.machine() == "x86_64":
        is_v3 = all(map(_is_on_macos, V3_ON_MACOS))
    else:
        is_v3 = False
    return ["x86_64_v3"] if is_v3 else []


def linux_flags(path: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """Return the flags that Linux lists for the first processor; empty if it lists none."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            for line in file:  # not all of it: there is a paragraph for each processor
                name, _, flags = line.partition(":")
                if name.strip() == "flags":
                    return frozenset(flags.split())
    except OSError:
        pass  # a container may hide the file
    return frozenset()


def _is_on_macos(name: str) -> bool:
    """True if macOS says that the processor has a feature and that programs may use it.

    name -- of the feature in `sysctl hw.optional`.
    """
    import ctypes

    value, size = ctypes.c_int64(0), ctypes.c_size_t(8)
    key = f"hw.optional.{name}".encode()
    try:
        sysctl = ctypes.CDLL(None).sysctlbyname
        status = sysctl(key, ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    except (OSError, AttributeError):
        return False
    return status == 0 and value.value == 1
