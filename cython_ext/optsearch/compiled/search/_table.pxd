# Tables in memory. (The folder tells Cython the package.)

from libc.stdint cimport int64_t, uint64_t

cdef struct Key:               # a byte string
    unsigned char* bytes
    Py_ssize_t length
    uint64_t hash

cdef bint is_better(int64_t value, int64_t known_value) noexcept nogil
cdef uint64_t hash_bytes(const unsigned char* bytes, Py_ssize_t length) noexcept nogil

cdef enum:
    MAX_CHUNKS = 1 << 14

cdef struct Generation:
    uint64_t* hashes          # of each slot
    uint64_t* places          # of each slot: the offset of its record, plus 1; 0 is a free slot
    uint64_t slots, used
    unsigned char* chunks[MAX_CHUNKS]
    int chunk_count           # number of chunks
    uint64_t chunk_used       # bytes used of the last one

cdef class TranspositionTable:
    cdef bint find(self, const Key* key, int64_t* value) noexcept nogil
    cdef void store(self, const Key* key, int64_t value) noexcept nogil

cdef class MemoryTable(TranspositionTable):
    cdef Generation young, old
    cdef uint64_t max_bytes
    cdef void add(self, const Key* key, int64_t value) noexcept nogil

cdef class SharedTable(TranspositionTable):
    cdef unsigned char[::1] memory
    cdef uint64_t* head       # words of records in use; entries
    cdef uint64_t* marks      # [MARKS] hashes of the families that processes are at; 0 is free
    cdef uint64_t* slots      # [mask + 1] the offset of a record, plus 1, and bits of its hash; 0 is free
    cdef uint64_t* records    # [record_room] words: value, bytes of the key, key
    cdef uint64_t mask, record_room
    cdef uint64_t* find_record(self, const Key* key, uint64_t hash) noexcept nogil
    cdef bint enter(self, const Key* key) noexcept nogil
    cdef void leave(self, const Key* key) noexcept nogil
    cdef bint is_busy(self, const Key* key) noexcept nogil
