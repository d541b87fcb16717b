"""Axes of dot plots: where a value stands, and which ticks are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10


@dataclass(frozen=True)
class Axis:
    """From which value to which it goes, as `scale` has them; marks -- texts and their values."""

    least: float
    most: float
    marks: tuple[tuple[str, float], ...]
    scale: Callable[[float], float] = float

    def place(self, value: float | Fraction) -> float:
        """Where a value stands, in percent."""
        return round(100 * (self.scale(float(value)) - self.least) / (self.most - self.least), 2)

    @property
    def ticks(self) -> list[tuple[str, float]]:
        """The texts of the marks, and where they stand."""
        return [(text, self.place(value)) for text, value in self.marks]


def linear(values: Sequence[float], step: int = 10) -> Axis:
    """For all values, with ticks at multiples of a step.

    >>> linear([40, 80]).ticks
    [('40', 4.55), ('50', 27.27), ('60', 50.0), ('70', 72.73), ('80', 95.45)]
    """
    least, most = min(values), max(values)
    room = 0.05 * (most - least) or 1
    least, most = least - room, most + room
    marks = range(step * ceil(least / step), floor(most) + 1, step)
    return Axis(least, most, tuple((str(mark), float(mark)) for mark in marks))


def logarithmic(seconds: Sequence[float]) -> Axis:
    """For all times, with a tick at each power of ten of which the unit changes.

    >>> [text for text, _ in logarithmic([3e-6, 0.02]).ticks]
    ['1 µs', '1 ms']
    """
    least, most = floor(log10(min(seconds))), ceil(log10(max(seconds)))
    units = (("1 µs", 1e-6), ("1 ms", 1e-3), ("1 s", 1.0))
    marks = tuple((text, value) for text, value in units if least <= round(log10(value)) <= most)
    return Axis(least - 0.15, most + 0.15, marks, log10)


def time_in_words(seconds: float) -> str:
    """A time with two digits.

    >>> time_in_words(8.29e-6), time_in_words(0.0231), time_in_words(1.26)
    ('8.3 µs', '23 ms', '1.3 s')
    """
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((one for one in units if seconds >= 0.995 * one[1]), units[-1])
    value = seconds / size
    return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"
