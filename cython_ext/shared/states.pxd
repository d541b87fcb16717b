# The values of states of the ships through a cell: a table with open addressing that is emptied for every
# question. A state is the ships alive, as bits, a name of the cells missed near them, and a number of
# misses:
#
#     forget_states(&states)                       # another question
#     state = find_state(&states, alive, near, misses)
#     if state.stamp == states.stamp: ...          # it is there, with state.value
#     add_state(&states, alive, near, misses, value)

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from hashing cimport scramble

cdef enum:
    FIRST_STATES = 1 << 12     # a power of two
    MOST_STATES = 1 << 26


cdef struct State:
    uint64_t alive, near
    uint32_t misses
    uint32_t stamp             # of its question
    int64_t value


cdef struct States:            # begins as zeros
    State* table
    int64_t room, used
    uint32_t stamp


cdef inline int forget_states(States* states) except -1 nogil:
    """Empty the table."""
    if states.table == NULL:
        states.room = FIRST_STATES
        states.table = <State*>calloc(states.room, sizeof(State))
        if states.table == NULL:
            with gil:
                raise MemoryError
    states.stamp += 1
    if states.stamp == 0:
        memset(states.table, 0, states.room * sizeof(State))
        states.stamp = 1
    states.used = 0
    return 0


cdef inline State* find_state(const States* states, uint64_t alive, uint64_t near,
                              uint32_t misses) noexcept nogil:
    """Return the place of a state; it is free if its stamp is not that of the table.

    alive -- the ships left, as bits. near -- a name of the cells missed near them.
    """
    cdef State* state
    cdef int64_t i = scramble(scramble(scramble(alive) ^ near) ^ misses) & (states.room - 1)
    while True:
        state = &states.table[i]
        if (state.stamp != states.stamp
                or state.alive == alive and state.near == near and state.misses == misses):
            return state
        i = (i + 1) & (states.room - 1)


cdef inline int add_state(States* states, uint64_t alive, uint64_t near, uint32_t misses,
                          int64_t value) except -1 nogil:
    """Add the value of a state that is not in the table; at most half of the table is used."""
    cdef State* old = states.table
    cdef State* state
    cdef int64_t i, n = states.room
    if 2 * states.used >= n:
        if n >= MOST_STATES:
            with gil:
                raise MemoryError("too many ways to part the ships through a cell")
        states.table = <State*>calloc(2 * n, sizeof(State))
        if states.table == NULL:
            states.table = old
            with gil:
                raise MemoryError
        states.room = 2 * n
        for i in range(n):
            if old[i].stamp == states.stamp:
                state = find_state(states, old[i].alive, old[i].near, old[i].misses)
                state[0] = old[i]
        free(old)
    state = find_state(states, alive, near, misses)
    state.alive, state.near, state.misses = alive, near, misses
    state.stamp, state.value = states.stamp, value
    states.used += 1
    return 0
