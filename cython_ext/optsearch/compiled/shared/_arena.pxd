# Arrays that are freed together with the kernel that owns them.

from libc.stdint cimport uint64_t
from libc.stdlib cimport malloc

from cells cimport Cells


cdef class Arena:
    cdef void** last           # the last array of a list; each follows a pointer to the one before
    cdef void* array(self, size_t n, size_t size) except NULL nogil
    cdef Cells* cells(self, const uint64_t[:, ::1] sets) except NULL


cdef inline void* allocate(size_t size) except NULL nogil:
    """Return `size` bytes of memory, not filled in, which the caller frees; or raise MemoryError."""
    cdef void* memory = malloc(size)
    if memory == NULL:
        with gil:
            raise MemoryError
    return memory
