"""HiGHS, the solver of linear programmes, as this project starts it."""

from __future__ import annotations

import highspy


class Programme(highspy.Highs):
    """A linear programme that is solved on one thread, without any output of HiGHS."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.setOptionValue("threads", 1)

    def enableCallbacks(self) -> None:
        """Switch the output off, and then enable callbacks as HiGHS does.

        The constructor calls this last, and would print a greeting.
        """
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call]
