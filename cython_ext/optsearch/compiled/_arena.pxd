# The arrays of a kernel, which are freed together with it.

from libc.stdint cimport uint64_t

from cells cimport Cells


cdef class Arena:
    cdef void** last           # of a list: each array lies behind a pointer to the one before
    cdef void* array(self, size_t n, size_t size) except NULL nogil
    cdef Cells* cells(self, const uint64_t[:, ::1] sets) except NULL
