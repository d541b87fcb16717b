# The cached values of states.

from libc.stdint cimport int64_t

from optsearch.compiled.search._table cimport Key, MemoryTable, SharedTable

cdef enum:                     # the value of a state is unknown, a bound, or the optimum
    UNKNOWN = 0
    BOUNDED = 1
    SOLVED = 2

cdef class Memo:
    cdef MemoryTable table
    cdef public SharedTable shared
    cdef public object disk
    cdef public long long disk_from
    cdef int recall(self, const Key* key, int64_t* value) except -1 nogil
    cdef int recall_shared(self, const Key* key, int64_t* value) noexcept nogil
    cdef bint recall_beyond_memory(self, const Key* key, int64_t* entry) except -1 nogil
    cdef int remember(self, const Key* key, int64_t value, bint exact, bint to_shared,
                      bint to_disk) except -1 nogil
