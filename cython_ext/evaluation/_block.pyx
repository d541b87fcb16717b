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
    cdef Block* block = <Block*>malloc(sizeof(Block))
    if block == NULL:
        return NULL
    block.n, block.words, block.cells, block.hashes, block.extras = n, (n + 63) >> 6, cells, hashes, extras
    block.certain = block.places = 0
    block.data = <uint64_t*>malloc((block.words * (cells + hashes + extras) + 1) * sizeof(uint64_t))
    if block.data == NULL:
        free(block)
        return NULL
    return block


cdef void free_block(Block* block) noexcept nogil:
    """Free a block and its columns; NULL is allowed."""
    if block != NULL:
        free(block.data)
        free(block)


cdef Block* compress(const Part* part, const uint8_t* columns, int cells, int hashes) noexcept nogil:
    """Return a part as a block of its own, with `cells` columns of cells (ascending) and `hashes` hashes."""
    cdef const Block* block = part.block
    cdef int index, fill, kept = cells + min(hashes, block.hashes)
    cdef int64_t used, word
    cdef uint64_t last
    cdef uint64_t* next_column
    cdef uint64_t* end
    cdef Block* result
    cdef Piece* pieces
    result = new_block(part.n, cells, min(hashes, block.hashes), block.extras)
    pieces = <Piece*>malloc(block.words * sizeof(Piece))
    if result == NULL or pieces == NULL:
        free_block(result)
        free(pieces)
        return NULL
    result.certain = block.certain
    used = cut(part.mask, block.words, pieces, &fill)
    next_column = result.data
    for index in range(cells):
        result.cell[index] = block.cell[columns[index]]
        result.places |= one(result.cell[index])
        next_column = copy_together(
            block.data + columns[index] * block.words, pieces, used, fill, next_column)
    for index in range(result.hashes):
        next_column = copy_together(
            block.data + (block.cells + index) * block.words, pieces, used, fill, next_column)
    memcpy(result.same, block.same, sizeof(block.same))
    last = ones(fill if fill else 64)
    for index in range(block.extras):
        result.column[index] = -1
        if block.column[index] < 0:
            continue
        end = copy_together(block.data + block.column[index] * block.words, pieces, used, fill, next_column)
        if next_column[0] & 1:
            for word in range(result.words - 1):
                if ~next_column[word]:
                    break
            else:
                if next_column[result.words - 1] == last:
                    result.same[index >> 6] |= <uint64_t>1 << (index & 63)
                    continue
        else:
            for word in range(result.words):
                if next_column[word]:
                    break
            else:
                continue
        result.column[index] = <int16_t>kept
        kept += 1
        next_column = end
    free(pieces)
    return result


cdef int count(const Part* part, bint has_labels, Counts* counts) noexcept nogil:
    """Count the configurations of a part with each cell; return `greatest` of these counts, a column or -1.

    has_labels -- True counts 0 at a cell that is hit, to tell it from one that all configurations have.
    """
    cdef const Block* block = part.block
    cdef int column
    counts.n = part.n
    for column in range(block.cells):
        if has_labels and part.shots.hits & one(block.cell[column]):
            counts.with_cell[column] = 0
        else:
            counts.with_cell[column] = count_bits(block.data + column * block.words, part.mask, block.words)
    return sum_up(counts, block.cells)


cdef int count_rest(const Counts* all, const Counts* some, int cells, Counts* rest) noexcept nogil:
    """Count the rest of a part, as `count` does, from the counts of all and of some."""
    cdef int column
    rest.n = all.n - some.n
    for column in range(cells):
        rest.with_cell[column] = all.with_cell[column] - some.with_cell[column]
    return sum_up(rest, cells)


cdef int sum_up(Counts* counts, int cells) noexcept nogil:
    """Fill all fields that follow from `n` and `with_cell`; return `greatest` of them, a column or -1."""
    cdef int column, half, last
    cdef int64_t n = counts.n, most = 0, total = 0, open
    cdef uint64_t of_some, of_all
    cdef const int64_t* with_cell = counts.with_cell
    for column in range(cells):
        open = with_cell[column] if with_cell[column] < n else 0
        total += open
        most = open if open > most else most
    for half in range(2):
        of_some = of_all = 0
        last = min(64, cells - 64 * half)
        for column in range(last):
            of_some |= <uint64_t>(with_cell[column] > 0) << column
            of_all |= <uint64_t>(with_cell[column] == n) << column
        counts.some[half], counts.all[half] = of_some, of_all
        with_cell += 64
    counts.greatest = -1
    if most:
        counts.greatest = 0
        while counts.with_cell[counts.greatest] != most:
            counts.greatest += 1
    counts.left = <int>((total + n // 2) // n) if n else 0    # a sample can be empty
    return counts.greatest


cdef void split(const Part* part, int column, int64_t hit_count, uint64_t* hit_mask, Part* hit,
                Part* missed) noexcept nogil:
    """Fill the parts hit and missed by a shot at a column.

    hit_count -- the number of configurations with the cell. hit_mask -- room for two masks of the block: of
    the part that is hit, then of the other.
    """
    cdef const Block* block = part.block
    cdef const uint64_t* bits = block.data + column * block.words
    cdef uint64_t* missed_mask = hit_mask + block.words
    cdef int64_t word
    if part.mask == NULL:
        for word in range(block.words):
            hit_mask[word] = bits[word]
            missed_mask[word] = ~bits[word]
        if block.n & 63:
            missed_mask[block.words - 1] &= ones(block.n & 63)
    else:
        for word in range(block.words):
            hit_mask[word] = part.mask[word] & bits[word]
            missed_mask[word] = part.mask[word] & ~bits[word]
    hit[0] = missed[0] = part[0]
    hit.mask, hit.n = hit_mask, hit_count
    missed.mask, missed.n = missed_mask, part.n - hit_count
    hit.shots.hits |= one(block.cell[column])
    missed.shots.misses |= one(block.cell[column])


cdef int64_t draw(const Part* part, int64_t most, uint64_t* sample_mask, int* shift) noexcept nogil:
    """Sample at most `most` of a part: fill `sample_mask` and the number of zero bits, return its size.

    The sample are the configurations whose hash has its lowest `shift` bits 0; it may be larger if there
    are no more hashes.
    """
    cdef const Block* block = part.block
    cdef int64_t word, size = part.n
    cdef const uint64_t* hash_bits
    for word in range(block.words):
        sample_mask[word] = ~<uint64_t>0 if part.mask == NULL else part.mask[word]
    if part.mask == NULL and block.n & 63:
        sample_mask[block.words - 1] = ones(block.n & 63)
    shift[0] = 0
    while size > most and shift[0] < block.hashes:
        hash_bits = block.data + (block.cells + shift[0]) * block.words
        for word in range(block.words):
            sample_mask[word] &= ~hash_bits[word]
        size = count_bits(sample_mask, NULL, block.words)
        shift[0] += 1
    return size


cdef bint lies_under(const Part* part, int column, int other_column) noexcept nogil:
    """True if all configurations of a part with the cell of a column also have that of the other."""
    cdef const Block* block = part.block
    cdef const uint64_t* bits = block.data + column * block.words
    cdef const uint64_t* other_bits = block.data + other_column * block.words
    cdef int64_t word
    if part.mask == NULL:
        for word in range(block.words):
            if bits[word] & ~other_bits[word]:
                return False
    else:
        for word in range(block.words):
            if part.mask[word] & bits[word] & ~other_bits[word]:
                return False
    return True


cdef bint has_extra(const Part* part, int bit) noexcept nogil:
    """True if any configuration of a part has an extra bit set."""
    cdef const Block* block = part.block
    cdef const uint64_t* column = block.data + block.column[bit] * block.words
    cdef int64_t word
    if block.column[bit] < 0:
        return block.same[bit >> 6] >> (bit & 63) & 1
    for word in range(block.words):
        if column[word] & (~<uint64_t>0 if part.mask == NULL else part.mask[word]):
            return True
    return False


cdef int64_t sum_of_extras(const Part* part, int bits) noexcept nogil:
    """Return the sum over a part of the numbers in the first `bits` extra bits, the lowest bit first."""
    cdef const Block* block = part.block
    cdef int bit
    cdef int64_t total = 0
    for bit in range(bits):
        if block.column[bit] >= 0:
            total += count_bits(block.data + block.column[bit] * block.words, part.mask, block.words) << bit
        elif block.same[0] >> bit & 1:
            total += part.n << bit
    return total


cdef void gather(const Part* part, bint has_labels, int by_row, Words* words) noexcept nogil:
    """Fill words from a part of at most 64 configurations; the caller sets the stamp and the shift.

    has_labels -- True gives a column to cells that all configurations have and that are not hit.
    by_row -- the number of extra bits to fill by configuration too.
    """
    cdef const Block* block = part.block
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
        for j in range(block.words):
            if part.mask[j]:
                index[used], under[used], shift[used] = j, part.mask[j], fill
                fill += popcount(part.mask[j])
                used += 1
    words.cells = 0
    for i in range(block.cells):
        if has_labels and part.shots.hits & one(block.cell[i]):
            continue
        column = block.data + i * block.words
        bits = 0
        for k in range(used):
            bits |= extract(column[index[k]], under[k]) << shift[k]
        words.column[words.cells], words.cell[words.cells] = bits, block.cell[i]
        words.cells += bits != 0 and bits != without
        some[i >> 6] |= <uint64_t>(bits != 0) << (i & 63)
        all[i >> 6] |= <uint64_t>(bits != 0 and bits == without) << (i & 63)
    words.certain = block.certain | places(block, all)
    words.places = places(block, some) & ~words.certain
    for i in range(words.cells, (words.cells + 3) & ~3):
        words.column[i] = 0
    for i in range(block.extras):
        if block.column[i] < 0:
            words.bit[i] = ~<uint64_t>0 if block.same[i >> 6] >> (i & 63) & 1 else 0
            continue
        column = block.data + block.column[i] * block.words
        bits = 0
        for k in range(used):
            bits |= extract(column[index[k]], under[k]) << shift[k]
        words.bit[i] = bits
    for k in range((by_row + 63) >> 6):
        for i in range(64):
            words.extra[k][i] = words.bit[64 * k + i] if 64 * k + i < by_row else 0
        transpose(words.extra[k])
