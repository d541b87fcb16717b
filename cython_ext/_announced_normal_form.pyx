"""The normal form of a state where sinkings are announced: equal keys, equal optimum.

The objective, the budget, the labels as ranks, then the items, each as its ships and, unless all
weights are 1, its weight. The cells are numbered anew, by `name_cells`, in any order: the whole
state is in the key, and where a better one would have made keys equal a table hit is lost and
nothing else.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy

from arena cimport Arena, Mark, mark_of, release, take
from cells cimport MAX_CELLS, Cells, first, high, low, one, size
from hashing cimport scramble
from optsearch.compiled._announced_state cimport State, order_ships, weight_of
from optsearch.compiled._table cimport Key, hash_bytes


cdef struct Ranked:
    uint64_t rank
    int item


cdef int lower_rank(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const Ranked*>a).rank, y = (<const Ranked*>b).rank
    return (x > y) - (x < y)


cdef int write_key(const State* state, const Cells some, int objective, bint isomorphism, Key* key,
                   Arena* arena) except -1 nogil:
    """Make the key of a state. some -- the cells of its items."""
    cdef int place[MAX_CELLS]
    cdef int stride = state.s + 1, cells = size(some), cell_bytes = (cells + 7) // 8
    cdef int i, j, label = 0
    cdef bint weighted = False
    cdef Cells* images
    cdef const Cells* item
    cdef Ranked* ranked
    cdef unsigned char* out
    cdef Mark mark
    for i in range(state.n):
        weighted |= weight_of(state.items + i * stride) != 1
    key.length = 3 + sizeof(int) + state.s + <Py_ssize_t>state.n * (
        state.s * cell_bytes + (sizeof(int64_t) if weighted else 0))
    key.bytes = out = <unsigned char*>take(arena, key.length)
    mark = mark_of(arena)
    images = <Cells*>take(arena, state.n * stride * sizeof(Cells))
    ranked = <Ranked*>take(arena, state.n * sizeof(Ranked))
    name_cells(state, some, isomorphism, place)
    rename(state, place, cells, images, ranked)
    out[0] = objective | weighted << 2
    out[1] = cells
    out[2] = state.s
    memcpy(out + 3, &state.budget, sizeof(int))
    out += 3 + sizeof(int)
    for j in range(state.s - 1, -1, -1):
        if j < state.s - 1 and state.labels[j] != state.labels[j + 1]:
            label += 1
        out[j] = label
    out += state.s
    for i in range(state.n):
        item = images + ranked[i].item * stride
        for j in range(state.s):
            memcpy(out, item + 1 + j, cell_bytes)  # little-endian: the low bytes come first
            out += cell_bytes
        if weighted:
            memcpy(out, item, sizeof(int64_t))
            out += sizeof(int64_t)
    release(arena, mark)
    key.hash = hash_bytes(key.bytes, key.length)
    return 0


cdef void name_cells(const State* state, const Cells some, bint isomorphism,
                     int* place) noexcept nogil:
    """Number the cells.

    With `isomorphism` their order comes from hashes that know only how cells, ships, items and
    weights lie in each other, refined while that tells more cells apart; equals stay in the
    order of the stock, as all do without it. Where the cells are on the grid does not matter
    for the optimum, so this finds its symmetries and many more.
    """
    cdef uint64_t hash[MAX_CELLS]
    cdef Cells left = some
    cdef int cells = 0, classes = 1, before
    while left:
        place[first(left)] = cells
        hash[first(left)] = 1
        cells += 1
        left &= left - 1
    if not isomorphism:
        return
    while classes < cells:
        before = classes
        hash_cells(state, some, hash)
        classes = place_by_hash(some, hash, place)
        if classes <= before:
            break


cdef int place_by_hash(Cells cells, const uint64_t* hash, int* place) noexcept nogil:
    """Number cells by their hashes; how many different hashes there are."""
    cdef int order[MAX_CELLS]
    cdef int n = 0, c, i, classes
    while cells:
        c = first(cells)
        cells &= cells - 1
        i = n
        n += 1
        while i > 0 and hash[order[i - 1]] > hash[c]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = c
    classes = n
    for i in range(n):
        place[order[i]] = i
        if i and hash[order[i]] == hash[order[i - 1]]:
            classes -= 1
    return classes


cdef void hash_cells(const State* state, const Cells some, uint64_t* hash) noexcept nogil:
    """Hash each cell anew, with the ships and items it is in."""
    cdef uint64_t fresh[MAX_CELLS]
    cdef uint64_t ship_hash[MAX_CELLS]
    cdef uint64_t of_item, of_ship
    cdef Cells left = some, ship
    cdef const Cells* item
    cdef int i, j, c
    while left:
        fresh[first(left)] = 0
        left &= left - 1
    for i in range(state.n):
        item = state.items + i * (state.s + 1)
        of_item = low(item[0])
        for j in range(state.s):
            ship = item[1 + j]
            of_ship = state.labels[j]
            while ship:
                of_ship += hash[first(ship)]
                ship &= ship - 1
            ship_hash[j] = of_ship = scramble(of_ship)
            of_item += of_ship
        of_item = scramble(of_item)
        for j in range(state.s):
            ship = item[1 + j]
            of_ship = scramble(of_item + 3 * ship_hash[j])
            while ship:
                fresh[first(ship)] += of_ship
                ship &= ship - 1
    left = some
    while left:
        c = first(left)
        left &= left - 1
        hash[c] = scramble(hash[c] * 5 + fresh[c])


cdef void rename(const State* state, const int* place, int cells, Cells* images,
                 Ranked* ranked) noexcept nogil:
    """The items with their cells renamed, in `images`; their order, in `ranked`."""
    cdef int stride = state.s + 1, i, j
    cdef Cells ship, image
    cdef Cells* item
    cdef uint64_t rank
    for i in range(state.n):
        item = images + i * stride
        item[0] = state.items[i * stride]
        for j in range(state.s):
            image = 0
            ship = state.items[i * stride + 1 + j]
            while ship:
                image |= one(place[first(ship)])
                ship &= ship - 1
            item[1 + j] = image
        order_ships(item, state.labels, state.s)
        rank = 0
        for j in range(state.s):
            image = item[1 + j]
            if state.s * cells <= 64:
                rank = rank << cells | low(image)
            else:
                rank = scramble(rank + scramble(low(image)) + 3 * high(image))
        ranked[i].rank = rank
        ranked[i].item = i
    qsort(ranked, state.n, sizeof(Ranked), lower_rank)
