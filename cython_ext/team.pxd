# Processes that share a table and search the same.


cdef inline int turned(int n, int rest, int place, int team) noexcept nogil:
    """The number of the shot that the process at a place tries after n others, of `rest` and the first.

    They try the first shot first and the rest from different places on, every other one backwards.
    What one has searched the others find in the table, so that they share the rest among them.
    """
    cdef int start
    if team <= 1 or n == 0:
        return n
    start = rest * (place // 2) // ((team + 1) // 2)
    if place % 2:
        return 1 + (start + rest - n) % rest
    return 1 + (start + n - 1) % rest
