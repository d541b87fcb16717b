# Open addressing: a table of numbers by hashes. The caller knows the meaning of a number, and takes the
# next one until it is the right one:
#
#     at = hash
#     number = next_number(&slots, hash, &at)
#     while number >= 0 and ...:                   # not the right one
#         number = next_number(&slots, hash, &at)
#     if number < 0:
#         add_number(&slots, hash, ...)

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef enum:
    FIRST_SLOTS = 1 << 10

cdef struct Slots:             # begins as zeros
    uint64_t* words            # of each slot: the low half of a hash, then a number + 1; 0 is free
    uint64_t size, used        # number of slots, a power of two; number of slots in use


cdef inline int64_t next_number(const Slots* slots, uint64_t hash, uint64_t* at) noexcept nogil:
    """Return the first number of this hash from slot `at` on, or -1; set `at` to the slot after it."""
    cdef uint64_t word
    if slots.size == 0:
        return -1
    while True:
        word = slots.words[at[0] & (slots.size - 1)]
        if word == 0:
            return -1
        at[0] += 1
        if word >> 32 == <uint32_t>hash:
            return <int64_t><uint32_t>word - 1


cdef inline void occupy(Slots* slots, uint64_t word) noexcept nogil:
    """Put a word in the first free slot from its hash on."""
    cdef uint64_t i = word >> 32
    while slots.words[i & (slots.size - 1)]:
        i += 1
    slots.words[i & (slots.size - 1)] = word
    slots.used += 1


cdef inline int add_number(Slots* slots, uint64_t hash, uint64_t number) except -1 nogil:
    """Add a number below 2^32 - 1 by a hash; at most half of the slots are used."""
    cdef Slots wider
    cdef uint64_t i
    if 2 * (slots.used + 1) > slots.size:
        wider.size, wider.used = 2 * slots.size if slots.size else FIRST_SLOTS, 0
        wider.words = <uint64_t*>calloc(wider.size, sizeof(uint64_t))
        if wider.words == NULL:
            with gil:
                raise MemoryError
        for i in range(slots.size):
            if slots.words[i]:
                occupy(&wider, slots.words[i])
        free(slots.words)
        slots[0] = wider
    occupy(slots, hash << 32 | number + 1)
    return 0


cdef inline void forget_numbers(Slots* slots) noexcept nogil:
    """Free all slots."""
    if slots.used:
        memset(slots.words, 0, slots.size * sizeof(uint64_t))
        slots.used = 0
