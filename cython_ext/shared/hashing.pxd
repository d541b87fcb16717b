# A hash of 64 bits, for places in tables and for fingerprints.

from libc.stdint cimport uint64_t

cdef inline uint64_t scramble(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 31)) * <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return x ^ (x >> 32)
