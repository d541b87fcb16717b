# The cost of a miss under each objective, with a budget of b misses still allowed:
#
#     mean    1; there is no budget.
#     worst   1 while b > 0, and FORBIDDEN at b = 0: no set may miss more than b times.
#     within  1 at b = 0 and 0 before: the weight that is not finished within b misses. The misses
#             after that one are free.

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #define optsearch_infinite ((int64_t)1 << 60)
    #define optsearch_forbidden ((int64_t)1 << 50)
    """
    const int64_t INFINITE "optsearch_infinite"
    const int64_t FORBIDDEN "optsearch_forbidden"

cdef enum:
    MEAN = 0
    WORST = 1
    WITHIN = 2

cdef inline int objective_of(str name) except -1:
    """Return the objective of a name; raise ValueError for any other name."""
    objectives = {"mean": MEAN, "worst": WORST, "within": WITHIN}
    if name not in objectives:
        raise ValueError(f"no objective {name!r}; there are {', '.join(objectives)}")
    return objectives[name]

cdef inline int64_t price(int objective, int budget, int64_t weight) noexcept nogil:
    """Return the cost of one miss of sets of this weight; FORBIDDEN does not depend on the weight."""
    if objective == MEAN:
        return weight
    if objective == WORST:
        return weight if budget > 0 or weight == 0 else FORBIDDEN
    return weight if budget == 0 else 0
