"""What a search has looked into: nodes, and subsets of families on machine words."""


cdef class Effort:
    """Counts for a search, which reports by it.

    tick -- called with the number of nodes after every thousand or so; may raise, and ends the
        search so.
    """

    def __cinit__(self, tick):
        self.tick = tick

    @property
    def total(self):
        """Nodes, and what the subsets come to in nodes."""
        return total(self)
