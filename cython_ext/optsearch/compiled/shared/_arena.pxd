# Arrays that are freed together with the kernel that owns them.

from libc.stdint cimport uint64_t

from cells cimport Cells


cdef class Arena:
    cdef void** last           # the last array of a list; each follows a pointer to the one before
    cdef void* array(self, size_t n, size_t size) except NULL nogil
    cdef Cells* cells(self, const uint64_t[:, ::1] sets) except NULL
