# Memory that is given back in the opposite order to that in which it was taken, as in a search: the
# arrays of a part are taken after those of the whole, and are all given back before them.

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from *:
    """
    #if defined(__SANITIZE_ADDRESS__)
    #define optsearch_chunk 0  /* each array has a chunk of its own: what passes its end is seen */
    #else
    #define optsearch_chunk ((size_t)1 << 18)
    #endif
    """
    const size_t CHUNK "optsearch_chunk"       # bytes that are asked for at least

cdef enum:
    HEAD = 32                  # bytes before those of a chunk, which begin at a multiple of 16

cdef struct Chunk:
    Chunk* below               # the one before it, or NULL
    size_t room, used          # bytes

cdef struct Arena:             # begins as zeros
    Chunk* top
    Chunk* spare               # the last one given back, or NULL

cdef struct Mark:              # what was taken up to now
    Chunk* top
    size_t used


cdef inline void* take(Arena* arena, size_t bytes) except NULL nogil:
    """So many bytes."""
    cdef Chunk* chunk = arena.top
    bytes = (bytes + 15) & ~<size_t>15
    if chunk == NULL or chunk.room - chunk.used < bytes:
        chunk = arena.spare
        arena.spare = NULL
        if chunk != NULL and chunk.room < bytes:
            free(chunk)
            chunk = NULL
        if chunk == NULL:
            chunk = <Chunk*>malloc(HEAD + max(bytes, CHUNK))
            if chunk == NULL:
                with gil:
                    raise MemoryError
            chunk.room = max(bytes, CHUNK)
        chunk.used = 0
        chunk.below = arena.top
        arena.top = chunk
    chunk.used += bytes
    return <char*>chunk + HEAD + chunk.used - bytes


cdef inline int64_t* zeros(Arena* arena, size_t n) except NULL nogil:
    """So many words, all 0."""
    return <int64_t*>memset(take(arena, n * sizeof(int64_t)), 0, n * sizeof(int64_t))


cdef inline Mark mark_of(const Arena* arena) noexcept nogil:
    cdef Mark mark
    mark.top = arena.top
    mark.used = 0 if arena.top == NULL else arena.top.used
    return mark


cdef inline void release(Arena* arena, Mark mark) noexcept nogil:
    """Give back what was taken after a mark."""
    cdef Chunk* chunk
    while arena.top != mark.top:
        chunk = arena.top
        arena.top = chunk.below
        if arena.spare == NULL and chunk.room == CHUNK:
            arena.spare = chunk
        else:
            free(chunk)
    if mark.top != NULL:
        mark.top.used = mark.used


cdef inline void release_all(Arena* arena) noexcept nogil:
    cdef Mark nothing
    nothing.top, nothing.used = NULL, 0
    release(arena, nothing)
    free(arena.spare)
    arena.spare = NULL
