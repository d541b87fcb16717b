"""A family as columns of bits, and parts of it.

A column is the bit string of a cell: bit i is 1 if configuration i has a ship there, with 64
configurations per word. On 3x4 with the ships A1 B1, B1 C1, A1 A2:

      configuration   0 1 2
      A1              1 0 1
      B1              1 1 0
      C1              0 1 0
      A2              0 0 1

The configurations with a ship on a cell are counted 64 at a time by popcount. A *part* of a family is a
mask of configurations; at half of its block or less it is copied into its own block, whose columns are
the bits under the mask. A part of at most 64 configurations has one word per column (`Words`), and stays
so to the end.

After the columns of cells are those of *hashes*, by whose bits samples are drawn, and of *extra* bits: a
number of each configuration, such as its weight or the placements of its ships. An extra bit that is
equal in all configurations has no column.

A function that gets no memory returns NULL.
"""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cells cimport one, popcount
from columns cimport Piece, copy_together, count_bits, cut, extract, transpose


cdef Block* new_block(int64_t n, int cells, int hashes, int extras) noexcept nogil:
    """Return a block without bits, whose columns have no cells yet."""
    cdef Block* b = <Block*>malloc(sizeof(Block))
    if b == NULL:
        return NULL
    b.n, b.words, b.cells, b.hashes, b.extras = n, (n + 63) >> 6, cells, hashes, extras
    b.certain = b.places = 0
    b.data = <uint64_t*>malloc((b.words * (cells + hashes + extras) + 1) * sizeof(uint64_t))
    if b.data == NULL:
        free(b)
        return NULL
    return b


cdef void free_block(Block* b) noexcept nogil:
    """Free a block and its columns; NULL is allowed."""
    if b != NULL:
        free(b.data)
        free(b)


cdef Block* compress(const Part* part, const uint8_t* columns, int cells, int hashes) noexcept nogil:
    """Return a part as a block of its own, with these columns of cells (ascending) and `hashes` hashes."""
    cdef const Block* b = part.block
    cdef int i, fill, kept = cells + min(hashes, b.hashes)
    cdef int64_t used, j
    cdef uint64_t last
    cdef uint64_t* out
    cdef uint64_t* end
    cdef Block* result
    cdef Piece* pieces
    result = new_block(part.n, cells, min(hashes, b.hashes), b.extras)
    pieces = <Piece*>malloc(b.words * sizeof(Piece))
    if result == NULL or pieces == NULL:
        free_block(result)
        free(pieces)
        return NULL
    result.certain = b.certain
    used = cut(part.mask, b.words, pieces, &fill)
    out = result.data
    for i in range(cells):
        result.cell[i] = b.cell[columns[i]]
        result.places |= one(result.cell[i])
        out = copy_together(b.data + columns[i] * b.words, pieces, used, fill, out)
    for i in range(result.hashes):
        out = copy_together(b.data + (b.cells + i) * b.words, pieces, used, fill, out)
    memcpy(result.same, b.same, sizeof(b.same))
    last = ones(fill if fill else 64)
    for i in range(b.extras):
        result.column[i] = -1
        if b.column[i] < 0:
            continue
        end = copy_together(b.data + b.column[i] * b.words, pieces, used, fill, out)
        if out[0] & 1:
            for j in range(result.words - 1):
                if ~out[j]:
                    break
            else:
                if out[result.words - 1] == last:
                    result.same[i >> 6] |= <uint64_t>1 << (i & 63)
                    continue
        else:
            for j in range(result.words):
                if out[j]:
                    break
            else:
                continue
        result.column[i] = <int16_t>kept
        kept += 1
        out = end
    free(pieces)
    return result


cdef int count(const Part* part, bint has_labels, Counts* counts) noexcept nogil:
    """Count the configurations of a part with each cell; return `counts.greatest`.

    has_labels -- True counts 0 at a cell that is hit, to tell it from one that all configurations have.
    """
    cdef const Block* b = part.block
    cdef int i
    counts.n = part.n
    for i in range(b.cells):
        if has_labels and part.shots.hits & one(b.cell[i]):
            counts.having[i] = 0
        else:
            counts.having[i] = count_bits(b.data + i * b.words, part.mask, b.words)
    return sum_up(counts, b.cells)


cdef int count_rest(const Counts* all, const Counts* some, int cells, Counts* rest) noexcept nogil:
    """Count the rest of a part, as `count` does, from the counts of all and of some."""
    cdef int i
    rest.n = all.n - some.n
    for i in range(cells):
        rest.having[i] = all.having[i] - some.having[i]
    return sum_up(rest, cells)


cdef int sum_up(Counts* counts, int cells) noexcept nogil:
    """Fill all fields that follow from `n` and `having`; return `counts.greatest`."""
    cdef int i, k, last
    cdef int64_t n = counts.n, most = 0, total = 0, open
    cdef uint64_t some, all
    cdef const int64_t* having = counts.having
    for i in range(cells):
        open = having[i] if having[i] < n else 0
        total += open
        most = open if open > most else most
    for k in range(2):
        some = all = 0
        last = min(64, cells - 64 * k)
        for i in range(last):
            some |= <uint64_t>(having[i] > 0) << i
            all |= <uint64_t>(having[i] == n) << i
        counts.some[k], counts.all[k] = some, all
        having += 64
    counts.greatest = -1
    if most:
        counts.greatest = 0
        while counts.having[counts.greatest] != most:
            counts.greatest += 1
    counts.left = <int>((total + n // 2) // n) if n else 0    # a sample can be empty
    return counts.greatest


cdef void split(const Part* part, int column, int64_t having, uint64_t* room, Part* hit,
                Part* missed) noexcept nogil:
    """Fill the parts hit and missed by a shot at a column.

    having -- the number of configurations with the cell. room -- for two masks of the block.
    """
    cdef const Block* b = part.block
    cdef const uint64_t* bits = b.data + column * b.words
    cdef uint64_t* other = room + b.words
    cdef int64_t j
    if part.mask == NULL:
        for j in range(b.words):
            room[j] = bits[j]
            other[j] = ~bits[j]
        if b.n & 63:
            other[b.words - 1] &= ones(b.n & 63)
    else:
        for j in range(b.words):
            room[j] = part.mask[j] & bits[j]
            other[j] = part.mask[j] & ~bits[j]
    hit[0] = missed[0] = part[0]
    hit.mask, hit.n = room, having
    missed.mask, missed.n = other, part.n - having
    hit.shots.hits |= one(b.cell[column])
    missed.shots.misses |= one(b.cell[column])


cdef int64_t draw(const Part* part, int64_t most, uint64_t* out, int* shift) noexcept nogil:
    """Sample at most `most` of a part: fill its mask `out` and the number of zero bits, return its size.

    The sample are the configurations whose hash has its lowest `shift` bits 0; it may be larger if there
    are no more hashes.
    """
    cdef const Block* b = part.block
    cdef int64_t j, n = part.n
    cdef const uint64_t* column
    for j in range(b.words):
        out[j] = ~<uint64_t>0 if part.mask == NULL else part.mask[j]
    if part.mask == NULL and b.n & 63:
        out[b.words - 1] = ones(b.n & 63)
    shift[0] = 0
    while n > most and shift[0] < b.hashes:
        column = b.data + (b.cells + shift[0]) * b.words
        for j in range(b.words):
            out[j] &= ~column[j]
        n = count_bits(out, NULL, b.words)
        shift[0] += 1
    return n


cdef bint lies_under(const Part* part, int a, int c) noexcept nogil:
    """True if all configurations of a part with the cell of column a also have that of column c."""
    cdef const Block* b = part.block
    cdef const uint64_t* of_a = b.data + a * b.words
    cdef const uint64_t* of_c = b.data + c * b.words
    cdef int64_t j
    if part.mask == NULL:
        for j in range(b.words):
            if of_a[j] & ~of_c[j]:
                return False
    else:
        for j in range(b.words):
            if part.mask[j] & of_a[j] & ~of_c[j]:
                return False
    return True


cdef bint has_extra(const Part* part, int bit) noexcept nogil:
    """True if any configuration of a part has an extra bit set."""
    cdef const Block* b = part.block
    cdef const uint64_t* column = b.data + b.column[bit] * b.words
    cdef int64_t j
    if b.column[bit] < 0:
        return b.same[bit >> 6] >> (bit & 63) & 1
    for j in range(b.words):
        if column[j] & (~<uint64_t>0 if part.mask == NULL else part.mask[j]):
            return True
    return False


cdef int64_t sum_of_extras(const Part* part, int bits) noexcept nogil:
    """Return the sum over a part of the numbers in the first `bits` extra bits, the lowest bit first."""
    cdef const Block* b = part.block
    cdef int i
    cdef int64_t total = 0
    for i in range(bits):
        if b.column[i] >= 0:
            total += count_bits(b.data + b.column[i] * b.words, part.mask, b.words) << i
        elif b.same[0] >> i & 1:
            total += part.n << i
    return total


cdef void gather(const Part* part, bint has_labels, int by_row, Words* w) noexcept nogil:
    """Fill `w` from a part of at most 64 configurations; the caller sets the stamp and the shift.

    has_labels -- True gives a column to cells that all configurations have and that are not hit.
    by_row -- the number of extra bits to fill by configuration too.
    """
    cdef const Block* b = part.block
    cdef int i, k, used = 0, fill = 0
    cdef int64_t j
    cdef int64_t index[WORD]
    cdef uint64_t under[WORD]
    cdef int shift[WORD]
    cdef uint64_t bits, without = 0 if has_labels else ones(part.n)
    cdef uint64_t some[2]
    cdef uint64_t all[2]
    cdef const uint64_t* column
    some[0], some[1], all[0], all[1] = 0, 0, 0, 0
    if part.mask == NULL:
        index[0], under[0], shift[0], used = 0, ~<uint64_t>0, 0, 1
    else:
        for j in range(b.words):
            if part.mask[j]:
                index[used], under[used], shift[used] = j, part.mask[j], fill
                fill += popcount(part.mask[j])
                used += 1
    w.cells = 0
    for i in range(b.cells):
        if has_labels and part.shots.hits & one(b.cell[i]):
            continue
        column = b.data + i * b.words
        bits = 0
        for k in range(used):
            bits |= extract(column[index[k]], under[k]) << shift[k]
        w.column[w.cells], w.cell[w.cells] = bits, b.cell[i]
        w.cells += bits != 0 and bits != without
        some[i >> 6] |= <uint64_t>(bits != 0) << (i & 63)
        all[i >> 6] |= <uint64_t>(bits != 0 and bits == without) << (i & 63)
    w.certain = b.certain | places(b, all)
    w.places = places(b, some) & ~w.certain
    for i in range(w.cells, (w.cells + 3) & ~3):
        w.column[i] = 0
    for i in range(b.extras):
        if b.column[i] < 0:
            w.bit[i] = ~<uint64_t>0 if b.same[i >> 6] >> (i & 63) & 1 else 0
            continue
        column = b.data + b.column[i] * b.words
        bits = 0
        for k in range(used):
            bits |= extract(column[index[k]], under[k]) << shift[k]
        w.bit[i] = bits
    for k in range((by_row + 63) >> 6):
        for i in range(64):
            w.extra[k][i] = w.bit[64 * k + i] if 64 * k + i < by_row else 0
        transpose(w.extra[k])
