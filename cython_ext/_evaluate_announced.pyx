"""A strategy's decision tree walked over every configuration of a position, sinkings announced.

What comes in and out, and the rules, are in `_walk.pyx`; families are blocks of `_block.pyx`, and what a
shot tells is known to `_sinkings.pyx`.

A column is dropped once no configuration has the cell, or it is hit. A cell that all configurations have
is a certain hit, and a choice like others: where a sinking tells something, it splits a family for
nothing. Where all cells are certain, the game is over but for hits.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cells cimport MAX_CELLS, Cells, first, high, join, low, one, popcount, size
from columns cimport greatest_and_all
from hashing cimport scramble
from optsearch.compiled._block cimport Counts, Part, Words, count, free_block
from optsearch.compiled._endgame_announced cimport AnnouncedEndgame
from optsearch.compiled._enumerate cimport MAX_KINDS
from optsearch.compiled._score cimport Asked, Score, ask, rank
from optsearch.compiled._sinkings cimport Replies, Sinkings
from optsearch.compiled._walk cimport (FORGOTTEN, SMALL, UNIT, Candidates, Costing, Known, Walk,
                                       is_known, place_of)

cdef enum:
    MEMO = 4096


cdef struct Cost:         # what greedy misses in a part of words
    Cells hits
    Cells misses          # if they count: where rollouts go by a score
    uint64_t part
    uint64_t stamp
    int64_t cost


@cython.final
cdef class AnnouncedEvaluator(Walk):
    """The decision tree of one rule, walked over families that are given one by one.

    kinds, slots -- as `Sinkings` has them.
    """

    cdef Sinkings sinkings
    cdef AnnouncedEndgame endgame
    cdef Cost* costs
    cdef int by_row                      # bits of codes that are wanted by configuration

    def __cinit__(self, rule, kinds, const int32_t[:, ::1] slots):
        self.hears = True
        self.rule.few, self.rule.most = rule.few, min(self.rule.most, <int64_t>rule.many)
        self.sinkings = Sinkings(rule.order, kinds, slots)
        self.endgame = AnnouncedEndgame(self.sinkings)
        self.extras = self.sinkings.codes
        self.by_row = self.extras if self.rule.endgame > 1 or self.rule.candidates > 1 else 0
        self.costs = <Cost*>calloc(MEMO, sizeof(Cost))
        if self.costs == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.costs)

    def begin(self, int64_t n, hits=0, misses=0, bint following=False):
        """Make room for a family of n configurations, in place of the one before.

        hits, misses -- the cells hit before, in all of them, and those missed. following -- single ones
        are followed.
        """
        self.shots.hits, self.shots.misses = self.placed(hits), self.placed(misses)
        self.make_root(n, self.hashes_needed(n), following)

    # The walk

    cdef void enter(self, const Part* part) noexcept nogil:
        cdef Counts counts
        cdef Part at = part[0]
        cdef int i, best
        if self.is_over(part):
            return
        if part.n <= 64:
            self.enter_few(part)
            return
        best = count(part, True, &counts)
        if best < 0:
            self.histogram[self.misses(part)] += part.n
            return
        while self.rule.few < part.n <= self.rule.most:
            i = self.rollout(&at, &counts)
            if self.failed or self.shoot(&at, i, &counts):
                return
            counts.having[i] = 0
        while self.asks(part.n) and self.score.takes_certain:
            i = self.ask_part(self.score, &at, &counts, 0)
            if i < 0 or self.shoot(&at, i, &counts):
                return
            counts.having[i] = 0
        for i in range(part.block.cells):     # certain hits come first
            if counts.having[i] == part.n:
                if self.shoot(&at, i, &counts):
                    return
        if self.asks(part.n):
            best = self.ask_part(self.score, &at, &counts, 0)
        if best >= 0:
            self.shoot(&at, best, &counts)

    # Scores

    cdef void hear(self, Score* score, const Part* part, const Counts* counts, int shift) noexcept nogil:
        cdef Replies replies
        cdef int i, t
        self.sinkings.list_afloat(part, score.afloat)
        memset(score.sinking, 0, score.kinds * score.cells * sizeof(int64_t))
        for i in range(part.block.cells):
            if (not 0 < counts.having[i] < part.n + score.takes_certain
                    or not self.sinkings.can_sink(part.block.cell[i], part.shots.hits)):
                continue
            if not self.sinkings.shoot(part, i, counts.having[i], &replies):
                self.failed = True
                return
            for t in range(score.kinds):
                score.sinking[t * score.cells + self.order[part.block.cell[i]]] = replies.sunk[t].n << shift
            free(replies.masks)

    cdef void describe_words(self, Score* score, const Words* w, uint64_t x, Cells hits, Cells missed,
                             Cells shot, Asked* node, int64_t* having) noexcept nogil:
        """What is asked about words. shot -- the columns that are hit. having -- room for what it has."""
        cdef int i, t
        cdef uint64_t sunk[MAX_KINDS]
        node.n, node.shift = popcount(x), w.shift
        node.hits, node.misses = hits, missed
        node.columns, node.cell, node.having = w.cells, w.cell, having
        if score.hears:
            self.sinkings.list_afloat_words(w, x, hits, score.afloat)
            memset(score.sinking, 0, score.kinds * score.cells * sizeof(int64_t))
        for i in range(w.cells):
            having[i] = 0 if shot & one(i) else popcount(w.column[i] & x)
            if (score.hears and 0 < having[i] < node.n + score.takes_certain
                    and self.sinkings.can_sink(w.cell[i], hits)):
                self.sinkings.sink_words(w, w.column[i] & x, w.cell[i], hits, sunk)
                for t in range(score.kinds):
                    score.sinking[t * score.cells + self.order[w.cell[i]]] = (
                        <int64_t>popcount(sunk[t]) << w.shift)

    cdef int ask_words(self, Score* score, const Words* w, uint64_t x, Cells hits, Cells missed,
                       Cells shot) noexcept nogil:
        """The column that a score shoots; -1, and the walk stops: its answer is wrong."""
        cdef Asked node
        cdef int i
        cdef int64_t having[MAX_CELLS]
        self.describe_words(score, w, x, hits, missed, shot, &node, having)
        i = ask(score, &node)
        self.stopped = self.stopped or i < 0
        return i

    cdef bint shoot(self, Part* part, int column, const Counts* counts) noexcept nogil:
        """Enter what a shot at a column leaves; False: all give one reply, which the part has then."""
        cdef Replies replies
        cdef int t
        if not self.tells(part, column, counts, &replies):
            return self.failed
        for t in range(self.sinkings.tolds):
            if replies.sunk[t].n:
                self.descend(&replies.sunk[t], counts)
        if replies.hit.n:
            self.descend(&replies.hit, counts)
        if replies.missed.n:
            self.descend(&replies.missed, counts)
        free(replies.masks)
        return True

    cdef bint tells(self, Part* part, int column, const Counts* counts, Replies* replies) noexcept nogil:
        """Whether a shot has several replies; the parts it leaves, whose masks are for the caller to free.

        False: it hits, or sinks the same, in all, and the shots of the part have it then.
        """
        cdef int64_t having = counts.having[column]
        cdef int t, place = part.block.cell[column]
        if having == part.n and not self.sinkings.can_sink(place, part.shots.hits):
            part.shots.hits |= one(place)
            return False
        if not self.sinkings.shoot(part, column, having, replies):
            self.failed = True
            return False
        if replies.hit.n == part.n:
            part.shots = replies.hit.shots
        for t in range(self.sinkings.tolds):
            if replies.sunk[t].n == part.n:
                part.shots = replies.sunk[t].shots
        if not part.shots.hits & one(place):
            return True
        free(replies.masks)
        return False

    cdef void descend(self, const Part* part, const Counts* before) noexcept nogil:
        """Enter a part, in a block of its own if it is small beside this one."""
        cdef Part own
        if part.n <= 64 or 2 * part.n > part.block.n or self.is_over(part):
            self.enter(part)
        elif self.move(part, before, &own):
            self.enter(&own)
            free_block(own.block)

    cdef void enter_few(self, const Part* part) noexcept nogil:
        """The same of at most 64 configurations."""
        cdef Words w
        cdef uint64_t x = self.words_of(part, self.by_row, 0, &w)
        self.walk_words(&w, x, part.shots.hits, 0, part.shots.misses)

    cdef void walk_words(self, Words* w, uint64_t x, Cells hits, Cells shot, Cells missed) noexcept nogil:
        """The same on words. shot -- the columns that are hit."""
        cdef int n = popcount(x), total, i
        cdef int misses = size(missed) - size(self.shots.misses)
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit, followed = w.bit[self.extras] if self.following else 0
        cdef Cells left
        if self.stopped or self.following and not x & followed:
            return
        if n == 1:
            self.histogram[misses] += 1
            return
        if n <= self.rule.endgame:
            self.endgame.enter(w, x, n, hits, followed, self.histogram + misses)
            return
        sure[0] = sure[1] = 0
        key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
        if key >> 8 == 0:
            self.histogram[misses] += n
            return
        left = join(sure[0], sure[1]) & ~shot
        while left:
            i = first(left)
            if self.rule.few < n <= self.rule.most:
                i = self.rollout_words(w, x, n, hits, missed, shot)
            elif self.asks(n) and self.score.takes_certain:
                i = self.ask_words(self.score, w, x, hits, missed, shot)
                if i < 0:
                    return
            if not left & one(i):
                break
            left &= ~one(i)
            hit = x & ~self.sinkings.sink_words(w, x, w.cell[i], hits, sunk)
            hits |= one(w.cell[i])
            shot |= one(i)
            if not self.is_same(x, hit, sunk):
                self.walk_hit(w, hit, sunk, hits, shot, missed)
                return
        else:
            i = 255 - (key & 255)
            if self.rule.few < n <= self.rule.most:
                i = self.rollout_words(w, x, n, hits, missed, shot)
            elif self.asks(n):
                i = self.ask_words(self.score, w, x, hits, missed, shot)
                if i < 0:
                    return
        hit = x & w.column[i]
        self.walk_words(w, x & ~hit, hits, shot, missed | one(w.cell[i]))
        hit &= ~self.sinkings.sink_words(w, hit, w.cell[i], hits, sunk)
        self.walk_hit(w, hit, sunk, hits | one(w.cell[i]), shot | one(i), missed)

    cdef inline bint is_same(self, uint64_t x, uint64_t hit, const uint64_t* sunk) noexcept nogil:
        """Whether all configurations in x give one reply to a certain hit."""
        cdef int t
        if hit:
            return hit == x
        for t in range(self.sinkings.tolds):
            if sunk[t]:
                return sunk[t] == x
        return True

    cdef inline void walk_hit(self, Words* w, uint64_t hit, const uint64_t* sunk, Cells hits, Cells shot,
                              Cells missed) noexcept nogil:
        """Walk what is left after a hit, and after each sinking."""
        cdef int t
        for t in range(self.sinkings.tolds):
            if sunk[t]:
                self.walk_words(w, sunk[t], hits, shot, missed)
        if hit:
            self.walk_words(w, hit, hits, shot, missed)

    # Rollouts

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        cdef Replies replies
        if not self.sinkings.shoot(part, column, counts.having[column], &replies):
            self.failed = True
            return 0
        return self.play(&replies, counts, costing, limit)

    cdef int64_t play(self, Replies* replies, const Counts* before, const Costing* costing,
                      int64_t limit) noexcept nogil:
        """The same by what the shot leaves, whose masks are freed."""
        cdef int t
        cdef int64_t cost = UNIT * replies.missed.n
        for t in range(self.sinkings.tolds):
            if replies.sunk[t].n:
                cost += self.play_part(&replies.sunk[t], before, before.left - 1, costing)
        cost += self.play_part(&replies.hit, before, before.left - 1, costing)
        if replies.missed.n and cost < limit:
            cost += self.play_part(&replies.missed, before, before.left, costing)
        free(replies.masks)
        return cost

    cdef int64_t play_part(self, const Part* part, const Counts* before, int left,
                           const Costing* costing) noexcept nogil:
        """What greedy misses in a part, in a block of its own if it is small beside this one."""
        cdef Part own
        cdef Known name
        cdef Known* entry
        cdef bint is_kept = part.n > FORGOTTEN
        if part.n == 0 or self.failed or self.stopped:
            return 0
        if costing.shift and part.n <= self.rule.truncate:
            return self.estimate(part.n, left, costing.shift)
        if part.n == 1:
            return 0
        if is_kept:
            name.shots, name.mode = part.shots, 1 + costing.shift
            entry = &self.known[place_of(&name, part.n)]
            if is_known(entry, &name):
                return entry.cost
        name.cost = 0
        if part.n <= 64:
            name.cost = self.roll_few(part, left, costing.shift)
        elif 2 * part.n > part.block.n:
            name.cost = self.roll(part, costing)
        elif self.move(part, before, &own):
            name.cost = self.roll(&own, costing)
            free_block(own.block)
        if is_kept and not self.failed:
            entry[0] = name
        return name.cost

    cdef int64_t roll(self, const Part* part, const Costing* costing) noexcept nogil:
        """The same, in this block."""
        cdef Counts counts
        cdef Replies replies
        cdef Part at = part[0]
        cdef int i, best = count(part, True, &counts)
        if best < 0 and not costing.shift:
            return 0
        for i in range(part.block.cells):
            if counts.having[i] == part.n:
                if self.tells(&at, i, &counts, &replies):
                    return self.play(&replies, &counts, costing, INT64_MAX)
        if best >= 0 and self.policy != NULL and part.n << costing.shift > self.policy.least:
            best = self.ask_part(self.policy, &at, &counts, costing.shift)
        return self.cost(&at, best, &counts, costing, INT64_MAX) if best >= 0 else 0

    cdef int64_t roll_few(self, const Part* part, int left, int shift) noexcept nogil:
        """The same of at most 64 configurations."""
        cdef Words w
        cdef uint64_t x = self.words_of(part, self.by_row, shift, &w)
        return self.roll_words(&w, x, part.shots.hits, part.shots.misses, 0, left)

    cdef int rollout_words(self, Words* w, uint64_t x, int n, Cells hits, Cells missed,
                           Cells shot) noexcept nogil:
        """The candidate from which greedy misses least, of words; never on a sample."""
        cdef Candidates chosen
        cdef Counts counts
        cdef int i, best = 0
        cdef Asked node
        cdef double values[MAX_CELLS]
        counts.n = n
        for i in range(w.cells):
            counts.having[i] = 0 if shot & one(i) else popcount(w.column[i] & x)
            values[i] = <double>counts.having[i]
        if self.ranker != NULL:
            self.describe_words(self.ranker, w, x, hits, missed, shot, &node, counts.having)
            self.stopped = not rank(self.ranker, &node, values) or self.stopped
        self.choose(NULL, w.cells, &counts, values, self.rule.candidates, &chosen)
        if chosen.n == 1:
            return chosen.column[0]
        for i in range(chosen.n):
            chosen.cost[i] = self.roll_words_shot(w, x, chosen.column[i], hits, missed, shot, 0)
            if chosen.cost[i] < chosen.cost[best]:
                best = i
        return chosen.column[best]

    cdef int64_t roll_words_shot(self, Words* w, uint64_t x, int i, Cells hits, Cells misses, Cells shot,
                                 int left) noexcept nogil:
        """What a shot at column i and greedy after it miss, of words."""
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit = x & w.column[i], missed = x & ~w.column[i]
        cdef int64_t cost = UNIT * popcount(missed)
        cdef int t
        hit &= ~self.sinkings.sink_words(w, hit, w.cell[i], hits, sunk)
        if missed:
            cost += self.roll_words(w, missed, hits, misses | one(w.cell[i]), shot, left)
        hits |= one(w.cell[i])
        shot |= one(i)
        for t in range(self.sinkings.tolds):
            if sunk[t]:
                cost += self.roll_words(w, sunk[t], hits, misses, shot, left - 1)
        if hit:
            cost += self.roll_words(w, hit, hits, misses, shot, left - 1)
        return cost

    cdef int64_t roll_words(self, Words* w, uint64_t x, Cells hits, Cells misses, Cells shot,
                            int left) noexcept nogil:
        """What greedy misses, of words."""
        cdef int n = popcount(x), total, i
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit
        cdef Cells certain, before = hits
        cdef int64_t cost
        cdef Cost* entry = NULL
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        if n <= SMALL:
            return UNIT * <int64_t>self.endgame.misses(w, x, n, hits)
        if self.rule.few < 64:     # else these words are played once
            entry = &self.costs[scramble(x ^ scramble(low(hits) ^ scramble(high(hits)))) & (MEMO - 1)]
            if (entry.stamp == w.stamp and entry.part == x and entry.hits == hits
                    and (self.policy == NULL or entry.misses == misses)):
                return entry.cost
        sure[0] = sure[1] = 0
        key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
        if key >> 8 == 0 and not w.shift:
            return 0
        left = (total + n // 2) // n
        certain = join(sure[0], sure[1]) & ~shot
        cost = -1
        while certain:
            i = first(certain)
            certain &= certain - 1
            hit = x & ~self.sinkings.sink_words(w, x, w.cell[i], hits, sunk)
            if not self.is_same(x, hit, sunk):
                cost = self.roll_words_shot(w, x, i, hits, misses, shot, left)
                break
            hits |= one(w.cell[i])
            shot |= one(i)
        if cost < 0:
            cost = 0
            if key >> 8:
                i = 255 - <int>(key & 255)
                if self.policy != NULL and <int64_t>n << w.shift > self.policy.least:
                    i = self.ask_words(self.policy, w, x, hits, misses, shot)
                    if i < 0:
                        return 0
                cost = self.roll_words_shot(w, x, i, hits, misses, shot, left)
        if entry != NULL:
            entry.hits, entry.misses, entry.part = before, misses, x
            entry.stamp, entry.cost = w.stamp, cost
        return cost
