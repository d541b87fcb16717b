"""HiGHS, the solver of linear programmes, as this project starts it."""

from __future__ import annotations

import highspy


class Programme(highspy.Highs):
    """A linear programme on one thread, without the greeting of HiGHS.

    The last step of its construction would print that.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.setOptionValue("threads", 1)

    def enableCallbacks(self) -> None:
        """Enable callbacks as HiGHS does, after its output is switched off."""
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call]
