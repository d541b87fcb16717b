"""The items that replies leave where sinkings are announced, taken stock of, and their parts.

A *state* is as `_announced` says: distinct items of the same labels, the heaviest first. Its ships
are kept by falling label, and ships of one label as ascending numbers, so that equal items are equal
bytes. A ship that all items have may be taken off (`strip`).
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

from arena cimport Arena, Mark, mark_of, release, take, zeros
from cells cimport Cells, first, low, one, size
from optsearch.compiled._table cimport hash_bytes
from slots cimport Slots, add_number, next_number


cdef int heavier(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = low((<const Cells*>a)[0]), y = low((<const Cells*>b)[0])
    return (x < y) - (x > y)


cdef int lower_cells(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Cells*>a)[1], y = (<const Cells*>b)[1]
    return (x > y) - (x < y)


cdef void order_ships(Cells* item, const unsigned char* labels, int s) noexcept nogil:
    """Ships of one label in ascending order."""
    cdef int i, j
    cdef Cells ship
    for i in range(1, s):
        ship = item[1 + i]
        j = i
        while j > 0 and labels[j - 1] == labels[i] and item[j] > ship:
            item[1 + j] = item[j]
            j -= 1
        item[1 + j] = ship


cdef int merge(State* state, Arena* arena) except -1 nogil:
    """Equal items become one; the heaviest first again."""
    cdef int stride = state.s + 1, i, n = 0
    cdef int64_t j
    cdef Slots slots
    cdef uint64_t hash, at
    cdef Cells* item
    cdef Mark mark = mark_of(arena)
    slots.size, slots.used = 4, 0
    while slots.size < <uint64_t>(2 * state.n):
        slots.size *= 2
    slots.words = <uint64_t*>zeros(arena, slots.size)
    for i in range(state.n):
        item = state.items + i * stride
        at = hash = hash_bytes(<unsigned char*>(item + 1), state.s * sizeof(Cells))
        j = next_number(&slots, hash, &at)
        while j >= 0 and memcmp(
                state.items + j * stride + 1, item + 1, state.s * sizeof(Cells)):
            j = next_number(&slots, hash, &at)
        if j >= 0:
            state.items[j * stride] += item[0]
            continue
        if n != i:
            memcpy(state.items + n * stride, item, stride * sizeof(Cells))
        add_number(&slots, hash, n)
        n += 1
    release(arena, mark)
    state.n = n
    for i in range(1, n):
        if weight_of(state.items + i * stride) > weight_of(state.items + (i - 1) * stride):
            qsort(state.items, n, stride * sizeof(Cells), heavier)
            break
    return 0


cdef int take_part(const State* state, int cell, int code, int label, int n,
                   State* part, Arena* arena) except -1 nogil:
    """Make the part of n items that reply `code` (0 a hit, MISSED, else a sinking of `label`)."""
    cdef Cells bit = one(cell)
    cdef const Cells* item
    cdef Cells* out
    cdef int i, j, k, gone
    part.n = n
    part.s, part.k, part.budget, part.apart = state.s, state.k, state.budget, state.apart
    memcpy(part.labels, state.labels, state.s)
    if code != MISSED:
        part.k -= 1
    elif part.budget != NO_BUDGET:
        part.budget -= 1
    if code > 0:
        part.s -= 1
        j = 0
        while state.labels[j] != label:
            j += 1
        for i in range(j, part.s):
            part.labels[i] = state.labels[i + 1]
    part.items = out = <Cells*>take(arena, n * (part.s + 1) * sizeof(Cells))
    for i in range(state.n):
        item = state.items + i * (state.s + 1)
        gone = 0
        for j in range(1, state.s + 1):
            if item[j] & bit:
                gone = j
                break
        if gone == 0:
            if code != MISSED:
                continue
            memcpy(out, item, (state.s + 1) * sizeof(Cells))
        elif code == MISSED:
            continue
        elif item[gone] == bit:
            if code == 0 or state.labels[gone - 1] != label:
                continue
            memcpy(out, item, gone * sizeof(Cells))
            memcpy(out + gone, item + gone + 1, (state.s - gone) * sizeof(Cells))
        else:
            if code != 0:
                continue
            memcpy(out, item, (state.s + 1) * sizeof(Cells))
            out[gone] ^= bit
            k = gone               # it became less: move it up among the ships of its label
            while k > 1 and part.labels[k - 2] == part.labels[k - 1] and out[k - 1] > out[k]:
                out[k - 1], out[k] = out[k], out[k - 1]
                k -= 1
        out += part.s + 1
    if code != MISSED and not part.apart:
        merge(part, arena)
    return 0


cdef void sort_by_label(Cells* item, unsigned char* labels, int s) noexcept nogil:
    """Ships by falling label."""
    cdef int i, j
    cdef Cells ship
    cdef unsigned char label
    for i in range(1, s):
        ship, label = item[1 + i], labels[i]
        j = i
        while j > 0 and labels[j - 1] < label:
            item[1 + j], labels[j] = item[j], labels[j - 1]
            j -= 1
        item[1 + j], labels[j] = ship, label


cdef void strip(State* state) noexcept nogil:
    """Take off the ships that all items have."""
    cdef Cells every = ~<Cells>0, ship
    cdef int stride = state.s + 1, i, j, k, left
    cdef bint common
    cdef Cells* item
    cdef Cells* out
    for i in range(state.n):
        every &= cells_of(state.items + i * stride, state.s)
        if not every:
            return
    j = state.s
    while j > 0:
        stride = state.s + 1
        ship = state.items[j]
        common = not ship & ~every
        for i in range(1, state.n):
            if not common:
                break
            common = False
            item = state.items + i * stride
            for k in range(1, stride):
                if item[k] == ship and state.labels[k - 1] == state.labels[j - 1]:
                    common = True
        if common:
            left = state.labels[j - 1]
            out = state.items
            for i in range(state.n):
                item = state.items + i * stride
                for k in range(stride):
                    if k and item[k] == ship and state.labels[k - 1] == left:
                        continue
                    out[0] = item[k]
                    out += 1
            for k in range(j - 1, state.s - 1):
                state.labels[k] = state.labels[k + 1]
            state.s -= 1
            state.k -= size(ship)
        j -= 1


cdef int take_stock(const State* state, Stock* stock, Arena* arena) except -1 nogil:
    """The cells, and the weights of all parts."""
    cdef Cells cells
    cdef int i = 0
    stock.some, stock.every, stock.weight = 0, ~<Cells>0, 0
    for i in range(state.n):
        cells = cells_of(state.items + i * (state.s + 1), state.s)
        stock.some |= cells
        stock.every &= cells
    number_codes(state, stock)
    stock.cells = size(stock.some)
    stock.times = stock.cells - state.k + 2
    make_arrays(state, stock, arena)
    i = 0
    cells = stock.some
    while cells:
        stock.cell[i] = first(cells)
        stock.index[first(cells)] = i
        cells &= cells - 1
        i += 1
    count_groups(state, stock, arena)
    weigh_parts(state, stock)
    return 0


cdef void number_codes(const State* state, Stock* stock) noexcept nogil:
    """A code for each reply with a hit: 0 for a hit, then the labels, the least first."""
    cdef int j, codes = 1
    memset(stock.ships_of_code, 0, sizeof(stock.ships_of_code))
    for j in range(state.s - 1, -1, -1):           # ascending labels
        if j < state.s - 1 and state.labels[j] != state.labels[j + 1]:
            codes += 1
        stock.code[j] = codes
        stock.ships_of_code[codes] += 1
    stock.codes = codes + 1


cdef int make_arrays(const State* state, Stock* stock, Arena* arena) except -1 nogil:
    """Room for all arrays."""
    cdef size_t cells = stock.cells, kinds = stock.codes + 1, times = stock.times
    cdef size_t places = cells * stock.codes
    stock.cell_labels = <uint64_t*>zeros(arena, cells)
    stock.total = zeros(arena, cells)
    stock.part = zeros(arena, places)
    stock.part_items = <int32_t*>zeros(arena, places)
    stock.part_bound = zeros(arena, places)
    stock.pair = zeros(arena, places * cells)
    stock.heaviest = zeros(arena, state.n + 1)
    stock.after = zeros(arena, kinds * times)
    stock.leaves = zeros(arena, kinds * times)
    stock.profile = zeros(arena, times)
    stock.profile_sum = zeros(arena, times)
    stock.best = zeros(arena, times)
    stock.sorted = zeros(arena, cells)
    stock.rest = zeros(arena, cells)
    return 0


cdef int count_groups(const State* state, Stock* stock, Arena* arena) except -1 nogil:
    """Fill `heaviest`."""
    cdef int stride = state.s + 1, i, n = 0
    cdef Cells* groups                         # two entries each: its weight, its cells
    cdef Mark mark = mark_of(arena)
    if state.apart:
        for i in range(state.n):
            stock.heaviest[i + 1] = weight_of(state.items + i * stride)
        stock.groups = state.n
    else:
        groups = <Cells*>take(arena, 2 * state.n * sizeof(Cells))
        for i in range(state.n):
            groups[2 * i] = state.items[i * stride]
            groups[2 * i + 1] = cells_of(state.items + i * stride, state.s)
        qsort(groups, state.n, 2 * sizeof(Cells), lower_cells)
        for i in range(1, state.n):
            if groups[2 * i + 1] == groups[2 * n + 1]:
                groups[2 * n] += groups[2 * i]
            else:
                n += 1
                groups[2 * n], groups[2 * n + 1] = groups[2 * i], groups[2 * i + 1]
        stock.groups = n + 1
        qsort(groups, stock.groups, 2 * sizeof(Cells), heavier)
        for i in range(stock.groups):
            stock.heaviest[i + 1] = weight_of(groups + 2 * i)
        release(arena, mark)
    stock.heaviest[0] = 0
    for i in range(stock.groups):
        stock.heaviest[i + 1] += stock.heaviest[i]
    return 0


cdef void weigh_parts(const State* state, Stock* stock) noexcept nogil:
    """Fill `weight`, `total`, `cell_labels`, `part`, `part_items` and `pair`."""
    cdef int i, j, c, code, codes = stock.codes
    cdef const Cells* item
    cdef Cells others, ship, all_cells
    cdef int64_t weight
    cdef int64_t* pair
    for i in range(state.n):
        item = state.items + i * (state.s + 1)
        weight = weight_of(item)
        stock.weight += weight
        all_cells = cells_of(item, state.s)
        for j in range(state.s):
            ship = item[1 + j]
            code = stock.code[j] if ship & (ship - 1) == 0 else 0
            while ship:
                c = stock.index[first(ship)]
                ship &= ship - 1
                stock.cell_labels[c] |= <uint64_t>1 << stock.code[j]
                stock.total[c] += weight
                stock.part[c * codes + code] += weight
                stock.part_items[c * codes + code] += 1
                pair = stock.pair + (c * codes + code) * stock.cells
                others = all_cells
                while others:
                    pair[stock.index[first(others)]] += weight
                    others &= others - 1
                pair[c] -= weight                  # a part hit at c has c no more
