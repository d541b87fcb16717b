# The effort of a search: counted, and reported from time to time.

cdef enum:
    TICK = 1 << 10             # nodes between two reports
    SUBSETS_PER_NODE = 50      # subsets of a machine word that take about as long as a node

cdef class Effort:
    cdef readonly long long nodes, subsets
    cdef object tick

cdef inline int count_node(Effort effort) except -1 nogil:
    effort.nodes += 1
    if effort.nodes % TICK == 0:
        with gil:
            effort.tick(effort.nodes)
    return 0

cdef inline int count_subset(Effort effort) except -1 nogil:
    effort.subsets += 1
    if effort.subsets % (SUBSETS_PER_NODE * TICK) == 0:
        with gil:
            effort.tick(effort.nodes)
    return 0

cdef inline long long total(Effort effort) noexcept nogil:
    """Return the nodes plus the subsets in units of a node."""
    return effort.nodes + effort.subsets // SUBSETS_PER_NODE
