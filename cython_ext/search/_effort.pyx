"""The effort of a search: nodes, and subsets of families on machine words."""


cdef class Effort:
    """The counts of a search, which reports them.

    tick -- called with the number of nodes after about every thousand; may raise to end the search.
    """

    def __cinit__(self, tick):
        self.tick = tick

    @property
    def total(self):
        """Return the nodes plus the subsets in units of a node."""
        return total(self)
