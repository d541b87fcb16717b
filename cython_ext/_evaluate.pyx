"""A strategy's decision tree walked over every configuration of a position.

What comes in and out, and the rules, are in `_walk.pyx`; families are blocks of `_block.pyx`. A shot
is a hit or a miss here, so a cell that all or none of the configurations have is dropped. Where no cell
is left, the game is over but for certain hits.

Other shots, or the same in another order, leave the same configurations, so what a level misses is kept
in a table by the cells that are certain and those that are open: much of what a node's candidates need
was found at the nodes above it.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import numpy as np

from cells cimport MAX_CELLS, Cells, ctz, join, one, popcount, size
from columns cimport count_bits, deposit, extract, greatest, has_two, mix_cells
from counting cimport count_cells
from optsearch.compiled._block cimport (WORD, Counts, Part, Words, count, count_rest, free_block, ones,
                                        places, split, sum_of_extras)
from optsearch.compiled._endgame cimport Endgame, least_of_four
from optsearch.compiled._score cimport Asked, ask, rank
from optsearch.compiled._walk cimport (FORGOTTEN, INNER, MAX_HASHES, MAX_LEVELS, MODES, SMALL, UNIT,
                                       Candidates, Costing, Known, Walk, is_known, keep_close, place_of)

cdef enum:
    MEMO = 1024           # parts of words: more would not stay in the nearest cache


cdef struct Entry:
    uint64_t part
    uint64_t stamp
    int64_t cost


@cython.final
cdef class Evaluator(Walk):
    """The decision tree of one rule, walked over families that are given one by one.

    distinct -- whether different configurations have different cells.
    """

    cdef bint distinct
    cdef int weight_bits                 # of the weights, which the histogram counts
    cdef Entry* memo
    cdef Endgame endgame

    def __cinit__(self, rule, bint distinct):
        self.distinct = distinct
        self.endgame = Endgame(distinct)
        self.memo = <Entry*>calloc(MEMO * (MAX_LEVELS + 1), sizeof(Entry))
        if self.memo == NULL:
            raise MemoryError

    def nest(self, rule):
        """Make the rollouts nested ones, by a `NestedRule`."""
        self.rule.above, self.rule.second = rule.above, rule.second
        self.rule.level[<int>INNER].candidates = rule.inner
        self.rule.level[<int>INNER].floor = rule.floor

    def deepen(self, rule):
        """Compare by levels, by a `LevelsRule`."""
        cdef int i
        if not 0 < len(rule.levels) <= MAX_LEVELS + 1:
            raise ValueError(f"{len(rule.levels)} levels; 1 to {MAX_LEVELS + 1} are handled")
        self.rule.until, self.rule.levels = rule.until, len(rule.levels) - 1
        for i, level in enumerate(rule.levels):
            self.rule.level[i].floor, self.rule.level[i].candidates = level.floor, level.candidates
            self.rule.level[i].margin = level.margin * UNIT // 100
            self.rule.level[i].kept = level.kept
            self.rule.level[i].below = max(i - 1, 0)

    def __dealloc__(self):
        free(self.memo)

    def begin(self, int64_t n, hits=0, misses=0, bint following=False, bint is_sample=False,
              int weight_bits=0):
        """Make room for a family of n configurations, in place of the one before.

        hits, misses -- the cells hit before, in all of them, and those missed. following -- single ones are
        followed. is_sample -- they are a sample of the family, for
        `shot`. weight_bits -- they have weights of at most so many bits, their extra bits, which the
        histogram counts and the rule does not know; their sum is below 2^63.
        """
        if not 0 <= weight_bits <= 63:
            raise ValueError(f"weights of {weight_bits} bits; 0 to 63 are handled")
        self.extras = self.weight_bits = weight_bits
        self.shots.hits, self.shots.misses = self.placed(hits), self.placed(misses)
        self.make_root(n, <int>MAX_HASHES if is_sample else self.hashes_needed(n), following)

    # The walk

    cdef void enter(self, const Part* part) noexcept nogil:
        self.walk(part)

    cdef void walk(self, const Part* part) noexcept nogil:
        """Enter a part in the histogram."""
        cdef Counts counts
        cdef Part hit, missed
        cdef int column
        cdef uint64_t* masks
        if self.is_over(part):
            return
        if part.n <= 64:
            self.walk_few(part)
            return
        column = count(part, False, &counts)
        if column < 0:
            self.histogram[self.misses(part)] += (
                sum_of_extras(part, self.weight_bits) if self.weight_bits else part.n)
            return
        if part.n <= self.rule.most:
            column = self.rollout(part, &counts)
        elif self.asks(part.n):
            column = self.ask_part(self.score, part, &counts, 0)
            if column < 0:
                return
        masks = self.room(part)
        if masks == NULL:
            return
        split(part, column, counts.having[column], masks, &hit, &missed)
        self.descend(&hit, &counts)
        self.descend(&missed, &counts)
        free(masks)

    cdef void descend(self, const Part* part, const Counts* before) noexcept nogil:
        """Walk a part, in a block of its own if it is small beside this one."""
        cdef Part own
        if part.n <= 64 or 2 * part.n > part.block.n or self.is_over(part):
            self.walk(part)
            return
        if not self.move(part, before, &own):
            return
        self.walk(&own)
        free_block(own.block)

    cdef void walk_few(self, const Part* part) noexcept nogil:
        """The same of at most 64 configurations."""
        cdef Words w
        cdef uint64_t x = self.words_of(part, self.weight_bits, 0, &w)
        if self.asks(part.n) or self.ranker != NULL or self.policy != NULL:
            self.walk_asked(&w, x, part.shots.hits | w.certain, part.shots.misses)
            return
        self.walk_words(&w, x, self.misses(part))

    cdef void walk_words(self, Words* w, uint64_t x, int misses) noexcept nogil:
        """Enter configurations on words in the histogram."""
        cdef int n = popcount(x), best, total
        cdef uint32_t key
        if self.following and not x & w.bit[self.extras]:
            return
        if n <= self.rule.endgame or n == 1:
            self.end(w, x, n, misses)
            return
        key = greatest(w.column, w.cells, x, n, &total)
        if key >> 8 == 0:
            self.finish(w, x, misses)
            return
        best = 255 - (key & 255)
        if self.rule.candidates > 1:
            best = self.rollout_words(w, x, n, 0, 0)
        self.walk_words(w, x & w.column[best], misses)
        self.walk_words(w, x & ~w.column[best], misses + 1)

    # A score

    cdef int describe_words(self, const Words* w, uint64_t x, Cells* hits, Cells missed, Asked* node,
                            int64_t* having) noexcept nogil:
        """What is asked about words; how many cells a configuration has that are uncertain, in all.

        hits -- certain ones are added. having -- room for what the node has.
        """
        cdef int i, total = 0
        node.n, node.shift = popcount(x), w.shift
        for i in range(w.cells):
            having[i] = popcount(w.column[i] & x)
            if having[i] == node.n:
                hits[0] |= one(w.cell[i])
            else:
                total += having[i]
        node.hits, node.misses = hits[0], missed
        node.columns, node.cell, node.having = w.cells, w.cell, having
        return total

    cdef void walk_asked(self, Words* w, uint64_t x, Cells hits, Cells missed) noexcept nogil:
        """`walk_words` by scores. hits, missed -- the cells so far, certain ones among the hits."""
        cdef int n = popcount(x), i
        cdef Asked node
        cdef int64_t having[MAX_CELLS]
        if self.stopped or self.following and not x & w.bit[self.extras]:
            return
        if n <= self.rule.endgame or n == 1 or self.rule.candidates == 1 and not self.asks(n):
            self.walk_words(w, x, size(missed & ~self.shots.misses))
            return
        if self.describe_words(w, x, &hits, missed, &node, having) == 0:
            self.finish(w, x, size(missed & ~self.shots.misses))
            return
        if self.rule.candidates > 1:
            i = self.rollout_words(w, x, n, hits, missed)
        else:
            i = ask(self.score, &node)
        if i < 0 or self.stopped:
            self.stopped = True
            return
        self.walk_asked(w, x & w.column[i], hits | one(w.cell[i]), missed)
        self.walk_asked(w, x & ~w.column[i], hits, missed | one(w.cell[i]))

    cdef int64_t roll_asked(self, Words* w, uint64_t x, Cells hits, Cells missed, int left) noexcept nogil:
        """`roll_words` by the score that is the policy."""
        cdef int n = popcount(x), i, total
        cdef Asked node
        cdef int64_t having[MAX_CELLS]
        cdef int64_t cost
        if (w.shift and n <= self.rule.truncate or n <= SMALL
                or <int64_t>n << w.shift <= self.policy.least):
            return self.roll_words(w, x, left)
        total = self.describe_words(w, x, &hits, missed, &node, having)
        if total == 0 or self.stopped:
            return 0
        i = ask(self.policy, &node)
        if i < 0:
            self.stopped = True
            return 0
        left = (total + n // 2) // n if w.shift else 0
        cost = UNIT * (n - having[i])
        cost += self.roll_asked(w, x & w.column[i], hits | one(w.cell[i]), missed, left - 1)
        cost += self.roll_asked(w, x & ~w.column[i], hits, missed | one(w.cell[i]), left)
        return cost

    cdef void finish(self, const Words* w, uint64_t x, int misses) noexcept nogil:
        """Enter configurations whose game is over but for certain hits."""
        if not self.weight_bits:
            self.histogram[misses] += popcount(x)
            return
        while x:
            self.histogram[misses] += <int64_t>w.extra[0][ctz(x)]
            x &= x - 1

    cdef void end(self, const Words* w, uint64_t x, int n, int misses) noexcept nogil:
        """Enter the optimal tree of a few configurations."""
        if n == 1:
            self.finish(w, x, misses)
            return
        self.endgame.begin(w, x, n)
        self.end_walk(w, x, (1 << n) - 1, misses)

    cdef void end_walk(self, const Words* w, uint64_t x, int part, int misses) noexcept nogil:
        """Enter that of a part of those in x."""
        cdef int hit = self.endgame.shot(part) if part & (part - 1) else 0
        cdef bint alike = not self.following and not self.weight_bits
        cdef uint64_t bits = 0 if alike else deposit(part, x)
        if self.following and not bits & w.bit[self.extras]:
            return
        if hit == 0:
            if alike:
                self.histogram[misses] += popcount(part)
            else:
                self.finish(w, bits, misses)
            return
        self.end_walk(w, x, hit, misses)
        self.end_walk(w, x, part ^ hit, misses + 1)

    # Rollouts

    cdef int rollout_words(self, Words* w, uint64_t x, int n, Cells hits, Cells missed) noexcept nogil:
        """The same on words; always exact. hits, missed -- the cells so far, if scores are asked."""
        cdef Candidates chosen
        self.choose_words(w, x, n, hits, missed, self.rule.candidates, &chosen)
        return self.narrow_words(w, x, n, hits, missed, 0, &chosen, self.rule.levels)

    cdef int choose_words(self, Words* w, uint64_t x, int n, Cells hits, Cells missed, int number,
                          Candidates* chosen) noexcept nogil:
        """The candidates, at most so many; how many cells a configuration has that are uncertain, in all."""
        cdef int i, j, cell, total = 0
        cdef uint32_t open, key, most = 0, least = 1
        cdef uint64_t counts[MAX_CELLS]
        cdef uint32_t keys[MAX_CELLS]     # count or rank << 8 | 255 - column; 0: no candidate
        cdef uint64_t column
        count_cells(w.column, w.cells, x, counts)
        for i in range(w.cells):
            open = <uint32_t>counts[i] if counts[i] < <uint64_t>n else 0
            total += open
            most = open if open > most else most
            keys[i] = open
        if self.ranker != NULL:
            self.rank_words(w, x, hits, missed, keys)
        else:
            least = max(1, (self.rule.percent * most + 99) // 100)
        for i in range(w.cells):
            keys[i] = keys[i] << 8 | (255 - i) if keys[i] >= least else 0
        chosen.n = 0
        while chosen.n < number:
            key = 0
            for i in range(w.cells):
                key = keys[i] if keys[i] > key else key
            if key == 0:
                break
            cell = 255 - (key & 255)
            keys[cell] = 0
            column = w.column[cell] & x
            for j in range(chosen.n):
                if not column & ~w.column[chosen.column[j]]:
                    break
            else:
                chosen.column[chosen.n] = cell
                chosen.n += 1
        return total

    cdef void rank_words(self, const Words* w, uint64_t x, Cells hits, Cells missed,
                         uint32_t* keys) noexcept nogil:
        """Replace the counts of open cells by ranks by score, equal ones alike, from 1 on.

        0: it is not open, or below `percent` of the highest score.
        """
        cdef int i, j
        cdef double most = 0
        cdef double values[MAX_CELLS]
        cdef Asked node
        cdef int64_t having[MAX_CELLS]
        cdef bint is_first = True
        cdef uint32_t ranks[MAX_CELLS]
        self.describe_words(w, x, &hits, missed, &node, having)
        for i in range(w.cells):
            values[i] = <double>having[i]
        self.stopped = not rank(self.ranker, &node, values) or self.stopped
        for i in range(w.cells):
            if keys[i] and (is_first or values[i] > most):
                is_first, most = False, values[i]
        for i in range(w.cells):
            # Not below, which it is not either where the highest is infinite and percent 0.
            ranks[i] = keys[i] != 0 and (most <= 0 or not 100 * values[i] < self.rule.percent * most)
            for j in range(w.cells if ranks[i] else 0):
                ranks[i] += keys[j] != 0 and values[j] < values[i]
        memcpy(keys, ranks, w.cells * sizeof(uint32_t))

    cdef int narrow_words(self, Words* w, uint64_t x, int n, Cells hits, Cells missed, int left,
                          Candidates* chosen, int last) noexcept nogil:
        """`narrow` on words."""
        cdef int i, cell, level, best = 0
        cdef int64_t slack, limit, cost
        while last and n <= self.rule.level[last].floor + 1:
            last -= 1
        for level in range(last + 1):
            if chosen.n == 1:
                break
            slack = 0 if level == last else self.rule.level[level].margin * n + 1
            limit = INT64_MAX
            for i in range(chosen.n):
                cell = chosen.column[i]
                cost = UNIT * <int64_t>popcount(x & ~w.column[cell])
                cost += self.roll_part(w, x & w.column[cell], hits | one(w.cell[cell]), missed, left - 1,
                                       level)
                if cost < limit:
                    cost += self.roll_part(w, x & ~w.column[cell], hits, missed | one(w.cell[cell]), left,
                                           level)
                chosen.cost[i] = cost
                if cost < chosen.cost[best]:
                    best = i
                limit = chosen.cost[best] + slack
            if level < last:
                keep_close(chosen, slack, self.rule.level[level].kept)
                best = 0
        return chosen.column[best]

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        cdef Part hit, missed
        cdef Counts of_hit, of_missed
        cdef int64_t cost
        cdef uint64_t* masks = self.room(part)
        if masks == NULL:
            return 0
        split(part, column, counts.having[column], masks, &hit, &missed)
        if hit.n > WORD:
            count(&hit, False, &of_hit)
        cost = UNIT * missed.n + self.play(&hit, &of_hit, counts.left - 1, costing)
        if cost < limit:
            if missed.n > WORD and hit.n > WORD:
                count_rest(counts, &of_hit, part.block.cells, &of_missed)
            elif missed.n > WORD:
                count(&missed, False, &of_missed)
            cost += self.play(&missed, &of_missed, counts.left, costing)
        free(masks)
        return cost

    cdef int64_t play(self, const Part* part, const Counts* counts, int left,
                      const Costing* costing) noexcept nogil:
        """What a level misses in a part; estimated where sampled.

        counts -- of the part, if it is larger than a word.
        """
        cdef Part own = part[0]
        cdef Counts again
        cdef Known name
        cdef Known* entry
        cdef Cells certain
        cdef Costing by = costing[0]
        while by.level and part.n <= self.rule.level[by.level].floor:
            by.level = self.rule.level[by.level].below
        if by.shift and part.n <= self.rule.truncate:
            return self.estimate(part.n, left, by.shift)
        if part.n <= WORD:
            return self.play_few(part, left, &by)
        if counts.greatest < 0:
            return 0
        certain = part.block.certain | places(part.block, counts.all)
        entry = self.entry_of(part, certain, places(part.block, counts.some) & ~certain, &by, &name)
        if is_known(entry, &name):
            return entry.cost
        name.cost = 0
        if 2 * part.n > part.block.n:
            name.cost = self.roll(part, counts, &by)
        elif self.move(part, counts, &own):
            keep_counts(part, counts, &again)
            name.cost = self.roll(&own, &again, &by)
            free_block(own.block)
        if not self.failed:
            entry[0] = name
        return name.cost

    cdef int64_t play_few(self, const Part* part, int left, const Costing* costing) noexcept nogil:
        """The same of at most a word of configurations."""
        cdef Words w
        cdef Known name
        cdef Known* entry
        cdef uint64_t x = self.words_of(part, 0, costing.shift, &w)
        cdef bint is_kept = part.n > FORGOTTEN
        if is_kept:
            entry = self.entry_of(part, w.certain, w.places, costing, &name)
            if is_known(entry, &name):
                return entry.cost
        name.cost = self.roll_part(
            &w, x, part.shots.hits | w.certain, part.shots.misses, left, costing.level)
        if is_kept:
            entry[0] = name
        return name.cost

    cdef Known* entry_of(self, const Part* part, Cells certain, Cells open, const Costing* costing,
                         Known* name) noexcept nogil:
        """Where the table has what a level misses in a part, and the name that it has there.

        What tells a part from others: the cells that all have, and those that only some have. A score
        goes by the shots that missed, so for it these are in place of the latter.
        """
        name.shots.hits = certain
        name.shots.misses = open if self.policy == NULL and self.ranker == NULL else part.shots.misses
        name.shots.heard = 0
        name.mode = 1 + costing.shift + MODES * costing.level
        return &self.known[place_of(name, part.n)]

    cdef int64_t roll(self, const Part* part, const Counts* counts, const Costing* costing) noexcept nogil:
        """What a level misses in a part of more than 64 configurations, where a cell is uncertain."""
        cdef Candidates chosen
        cdef double values[MAX_CELLS]
        cdef int best = counts.greatest
        if costing.level:
            self.rank_part(part, counts, costing.shift, values)
            self.choose(part, part.block.cells, counts, values,
                        self.rule.level[costing.level].candidates, &chosen)
            best = self.narrow(part, counts, costing.shift, &chosen,
                               self.rule.level[costing.level].below)
        elif self.policy != NULL and part.n << costing.shift > self.policy.least:
            best = self.ask_part(self.policy, part, counts, costing.shift)
            if best < 0:
                return 0
        return self.cost(part, best, counts, costing, INT64_MAX)

    cdef inline int64_t roll_part(self, Words* w, uint64_t x, Cells hits, Cells missed, int left,
                                  int level) noexcept nogil:
        """What a level misses in a part of words."""
        if level:
            return self.roll_level(w, x, hits, missed, left, level)
        if self.policy != NULL:
            return self.roll_asked(w, x, hits, missed, left)
        return self.roll_words(w, x, left)

    cdef int64_t roll_level(self, Words* w, uint64_t x, Cells hits, Cells missed, int left,
                            int level) noexcept nogil:
        """What a level above greedy misses in a part of words."""
        cdef Candidates chosen
        cdef Entry* entry
        cdef int64_t cost
        cdef int cell, total, n = popcount(x)
        while level and n <= self.rule.level[level].floor:
            level = self.rule.level[level].below
        if level == 0:
            return self.roll_part(w, x, hits, missed, left, 0)
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        entry = &self.memo[MEMO * level + (x * <uint64_t>0x9E3779B97F4A7C15 >> 54)]
        if entry.part == x and entry.stamp == w.stamp:
            return entry.cost
        total = self.choose_words(w, x, n, hits, missed, self.rule.level[level].candidates, &chosen)
        if chosen.n == 0:
            return 0
        left = (total + n // 2) // n if w.shift else 0
        cell = self.narrow_words(w, x, n, hits, missed, left, &chosen, self.rule.level[level].below)
        cost = UNIT * <int64_t>popcount(x & ~w.column[cell])
        cost += self.roll_part(w, x & w.column[cell], hits | one(w.cell[cell]), missed, left - 1, level)
        cost += self.roll_part(w, x & ~w.column[cell], hits, missed | one(w.cell[cell]), left, level)
        if self.policy == NULL and self.ranker == NULL:     # these go by the shots too
            entry.part, entry.stamp, entry.cost = x, w.stamp, cost
        return cost

    cdef inline int64_t roll_words(self, Words* w, uint64_t x, int left) noexcept nogil:
        """What greedy misses in a part of words."""
        cdef int n = popcount(x)
        if n <= 2 and self.distinct and not w.shift:
            return UNIT * (n == 2)     # each has a cell that the other has not
        return self.roll_more(w, x, left)

    cdef int64_t roll_more(self, Words* w, uint64_t x, int left) noexcept nogil:
        """The same of three or more, of a sample, or where cells may be equal."""
        cdef int n = popcount(x), i, best, total
        cdef uint32_t seen, key
        cdef int64_t cost
        cdef Entry* entry
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        if n <= SMALL:
            if n <= 1:
                return 0
            if n == 3 and self.distinct:
                return (2 if has_two(w.column, w.cells, x) else 3) * UNIT
            seen = 0
            for i in range(w.cells):
                seen |= <uint32_t>1 << extract(w.column[i], x)
            return UNIT * <int64_t>least_of_four(seen, n)
        entry = &self.memo[(x * <uint64_t>0x9E3779B97F4A7C15) >> 54]
        if entry.part == x and entry.stamp == w.stamp:
            return entry.cost
        key = greatest(w.column, w.cells, x, n, &total)
        if key >> 8 == 0:
            return 0
        best = 255 - (key & 255)
        left = (total + n // 2) // n if w.shift else 0
        cost = UNIT * <int64_t>(n - (key >> 8))
        cost += self.roll_words(w, x & w.column[best], left - 1)
        cost += self.roll_words(w, x & ~w.column[best], left)
        entry.part, entry.stamp, entry.cost = x, w.stamp, cost
        return cost

    # What Python asks

    def shot(self, hits, misses, int64_t n, const int64_t[::1] exact_counts):
        """The cell to shoot where n configurations are left, more than 64.

        What was added is all of them, and others that these hits and misses leave out; or, where
        these are too many to list, a sample of them, larger than those that are drawn here: of hashes
        that end in zero bits. exact_counts -- how many of the n configurations have each cell; where
        all were added, they are counted here.
        """
        cdef Part part
        cdef Counts counts
        cdef int64_t j, left
        cdef int i, cell
        cdef bint is_hit
        cdef uint64_t* mask
        cdef const uint64_t* column
        cdef uint64_t all = 0xFFFFFFFFFFFFFFFF
        cdef Cells hit = join(hits & all, hits >> 64), missed = join(misses & all, misses >> 64)
        if (self.root == NULL or self.added != self.root.n
                or exact_counts.shape[0] != self.cells):
            raise ValueError("fewer configurations than announced")
        part.block, part.n, part.shots = self.root, n, self.shots
        counts.n, counts.greatest, counts.left = n, 0, 0
        mask = <uint64_t*>malloc((self.root.words + 1) * sizeof(uint64_t))
        if mask == NULL:
            raise MemoryError
        part.mask = mask
        with nogil:
            for j in range(self.root.words):
                mask[j] = ~<uint64_t>0
            if self.root.n & 63:
                mask[self.root.words - 1] = ones(self.root.n & 63)
            for i in range(self.cells):
                cell = self.order[i]
                counts.having[i] = exact_counts[cell]
                column = self.root.data + i * self.root.words
                is_hit = (hit & one(cell)) != 0
                if is_hit:
                    part.shots.hits |= one(i)
                elif missed & one(cell):
                    part.shots.misses |= one(i)
                else:
                    continue
                for j in range(self.root.words):
                    mask[j] &= column[j] if is_hit else ~column[j]
            cell = -1
            left = count_bits(mask, NULL, self.root.words)
            if left == n:
                count(&part, False, &counts)
            if left == n or left > max(self.rule.cap, self.rule.second):
                cell = self.order[self.rollout(&part, &counts)]
        free(mask)
        if self.failed:
            self.failed = False
            raise MemoryError
        if cell < 0:
            raise ValueError("the sample is too small")
        return cell


cdef inline void keep_counts(const Part* part, const Counts* counts, Counts* kept) noexcept nogil:
    """The counts of a part in the block that `move` gives it."""
    cdef int i, k = 0
    kept.n, kept.left = counts.n, counts.left
    for i in range(part.block.cells):
        if i == counts.greatest:
            kept.greatest = k
        kept.having[k] = counts.having[i]
        k += 0 < counts.having[i] < counts.n


def sampled(const uint64_t[:, ::1] sets, int bits):
    """Those of some configurations, uint64 of shape (n, 2), whose hash ends in so many zero bits."""
    cdef int64_t i
    cdef uint8_t[::1] view
    cdef uint64_t last = ones(bits)
    keep = np.empty(sets.shape[0], np.uint8)
    view = keep
    with nogil:
        for i in range(sets.shape[0]):
            view[i] = not mix_cells(sets[i, 0], sets[i, 1]) & last
    return np.asarray(sets)[keep.view(bool)]
