"""A strategy's decision tree walked over every configuration of a position.

Input, output and rules are in `_walk.pyx`; families are blocks of `_block.pyx`, and the labels of hits
are in `_labels.pyx`.

If hits have no labels, a cell that all or none of the configurations have is dropped. Different shots, or
equal ones in another order, may leave equal configurations, so the misses of a level are cached by the
cells that are certain and those that are open: the candidates of a node find much that was computed at
the nodes above it. If hits have labels, a cell that all have is a certain hit, and a choice like others:
it may split a family without a miss. It is dropped once it is hit, and the misses of a level are cached
by the shots and the labels.

If no cell is left, or all are certain, the game is over but for certain hits.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from cells cimport MAX_CELLS, Cells, ctz, first, high, join, low, one, popcount
from columns cimport count_bits, deposit, extract, greatest, greatest_and_all, has_two, mix_cells
from counting cimport count_cells
from hashing cimport scramble
from optsearch.compiled.evaluation._block cimport (
    WORD, Counts, Part, Words, count, count_rest, free_block, ones, places, sum_of_extras,
)
from optsearch.compiled.evaluation._endgame cimport Endgame, least_of_four
from optsearch.compiled.evaluation._endgame_announced cimport AnnouncedEndgame
from optsearch.compiled.evaluation._labels cimport MAX_LABELS, Labels, Replies
from optsearch.compiled.strategies._score cimport ScoreInput, Score, ask, rank
from optsearch.compiled.evaluation._walk cimport (
    FORGOTTEN, MAX_LEVELS, MODES, SMALL, UNIT, Candidates, Costing, EvaluatorBase, Known, is_known,
    keep_close, place_of,
)

cdef enum:
    MEMO = 1024           # entries for parts of words: more would not fit the nearest cache
    COSTS = 4096


cdef struct Entry:        # cached misses of a level in a part of words, if shots do not count
    uint64_t part
    uint64_t stamp
    int64_t cost


cdef struct Trail:        # the shots of a part of words, if they count
    Cells hits            # places
    Cells misses
    Cells shot            # the columns that are hit


cdef struct Cost:         # cached misses of a level in a part of words after shots that count
    Cells hits
    Cells misses          # compared only if rollouts use a score
    uint64_t part
    uint64_t stamp
    int64_t cost
    int level


@cython.final
cdef class TreeEvaluator(EvaluatorBase):
    """The decision tree of one rule, walked over one family after the other.

    rule, labels -- as in `EvaluatorBase`. distinct -- True if different configurations have different
    cells.

    Parts of at most 64 configurations are walked *on words*: `w` has one word per column, a bit of which
    is a configuration, and the mask `x` says which of them are left. `at` is the shots before.
    """

    cdef bint distinct
    cdef Entry* memo
    cdef Cost* costs
    cdef Endgame endgame
    cdef AnnouncedEndgame labelled_endgame

    def __cinit__(self, rule, Labels labels, bint distinct):
        self.distinct = distinct
        self.endgame = Endgame(distinct)
        self.labelled_endgame = AnnouncedEndgame(labels)
        self.by_row = labels.codes if rule.endgame > 1 or rule.candidates > 1 else 0
        self.memo = <Entry*>self.arena.array(MEMO * (MAX_LEVELS + 1), sizeof(Entry))
        self.costs = <Cost*>self.arena.array(COSTS, sizeof(Cost))

    # The walk

    cdef void walk(self, const Part* part) noexcept nogil:
        """Add the configurations of a part to the histogram, by the misses that each takes."""
        cdef Counts counts
        cdef Replies replies
        cdef Part at = part[0]
        cdef int best, column, t
        if self.is_over(part):
            return
        if part.n <= WORD:
            self.walk_few(part)
            return
        best = count(part, self.has_labels, &counts)
        if best < 0:
            self.histogram[self.misses(part)] += (
                sum_of_extras(part, self.weight_bits) if self.weight_bits else part.n)
            return
        while True:
            column = self.choice(&at, &counts, best)
            if column < 0 or self.failed:
                return
            if self.parts_of(&at, column, &counts, &replies):
                break
            counts.having[column] = 0
        if self.failed:
            return
        for t in range(self.labels.number):
            if replies.labelled[t].n:
                self.descend(&replies.labelled[t], &counts)
        if replies.hit.n:
            self.descend(&replies.hit, &counts)
        if replies.missed.n:
            self.descend(&replies.missed, &counts)
        free(replies.masks)

    cdef int choice(self, const Part* part, const Counts* counts, int best) noexcept nogil:
        """Return the column to shoot, or -1 if the walk stops or no column is left.

        best -- the first most probable uncertain column. Certain hits come before it.
        """
        cdef int i
        if self.compares(part.n):
            return self.rollout(part, counts)
        if self.asks(part.n) and self.score.takes_certain:
            return self.ask_part(self.score, part, counts, 0)
        if self.has_labels:
            for i in range(part.block.cells):
                if counts.having[i] == part.n:
                    return i
        return self.ask_part(self.score, part, counts, 0) if self.asks(part.n) else best

    cdef bint parts_of(self, Part* part, int column, const Counts* counts, Replies* replies) noexcept nogil:
        """Fill the parts after a shot, whose masks the caller frees; True also on failure.

        False if all give one reply, a hit, which is then added to the shots of the part.
        """
        cdef int64_t having = counts.having[column]
        cdef int t, place = part.block.cell[column]
        if having == part.n and not self.labels.can_tell(place, part.shots.hits):
            part.shots.hits |= one(place)
            return False
        if not self.labels.shoot(part, column, having, replies):
            self.failed = True
            return True
        if having < part.n:
            return True
        if replies.hit.n == part.n:
            part.shots = replies.hit.shots
        for t in range(self.labels.number):
            if replies.labelled[t].n == part.n:
                part.shots = replies.labelled[t].shots
        if not part.shots.hits & one(place):
            return True
        free(replies.masks)
        return False

    cdef void descend(self, const Part* part, const Counts* before) noexcept nogil:
        """Walk a part, in a block of its own if it is at most half of its block."""
        cdef Part own
        if part.n <= WORD or 2 * part.n > part.block.n or self.is_over(part):
            self.walk(part)
        elif self.move(part, before, &own):
            self.walk(&own)
            free_block(own.block)

    cdef void walk_few(self, const Part* part) noexcept nogil:
        """Add a part of at most 64 configurations to the histogram."""
        cdef Words w
        cdef Trail at
        cdef uint64_t x = self.words_of(part, 0, &w)
        begin_trail(part, &at)
        self.walk_words(&w, x, &at, self.misses(part))

    cdef void walk_words(self, Words* w, uint64_t x, const Trail* at, int misses) noexcept nogil:
        """Add the configurations x to the histogram; misses -- those before, in all of them."""
        cdef int n = popcount(x), i, t, total
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t labelled[MAX_LABELS]
        cdef uint64_t hit, missed
        cdef Cells certain = 0
        cdef Trail now, after
        cdef const Trail* then = at
        if self.stopped or self.following and not x & w.bit[self.extras]:
            return
        if n <= self.rule.endgame or n == 1:
            self.end(w, x, n, at, misses)
            return
        if self.has_labels:
            sure[0] = sure[1] = 0
            key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
            certain = join(sure[0], sure[1]) & ~at.shot
        else:
            key = greatest(w.column, w.cells, x, n, &total)
        if key >> 8 == 0:
            self.finish(w, x, misses)
            return
        if self.tracks:
            now = at[0]
            then = &now
        while True:
            i = self.choice_words(w, x, n, then, certain, 255 - <int>(key & 255))
            if i < 0:
                self.stopped = True
                return
            hit = x & w.column[i]
            missed = x & ~hit
            if self.has_labels:
                hit &= ~self.labels.part_words(w, hit, w.cell[i], now.hits, labelled)
            if missed or not self.labels.is_alike(x, hit, labelled):
                break
            certain &= ~one(i)       # a certain hit that tells nothing
            after_hit(&now, w, i, &now)
        if self.tracks:
            after_hit(&now, w, i, &after)
            now.misses |= one(w.cell[i])
            at = &after
        for t in range(self.labels.number):
            if labelled[t]:
                self.walk_words(w, labelled[t], at, misses)
        if hit:
            self.walk_words(w, hit, at, misses)
        if missed:
            self.walk_words(w, missed, then, misses + 1)

    cdef inline int choice_words(self, Words* w, uint64_t x, int n, const Trail* at, Cells certain,
                                 int best) noexcept nogil:
        """Return the column to shoot, like `choice`; certain -- columns that all have, and not hit yet."""
        if self.compares(n):
            return self.rollout_words(w, x, n, at)
        if certain and not (self.asks(n) and self.score.takes_certain):
            return first(certain)
        return self.ask_words(self.score, w, x, at) if self.asks(n) else best

    cdef void finish(self, const Words* w, uint64_t x, int misses) noexcept nogil:
        """Add configurations whose game is over but for certain hits: all have these misses."""
        if not self.weight_bits:
            self.histogram[misses] += popcount(x)
            return
        while x:
            self.histogram[misses] += <int64_t>w.extra[0][ctz(x)]
            x &= x - 1

    cdef void end(self, const Words* w, uint64_t x, int n, const Trail* at, int misses) noexcept nogil:
        """Add the n configurations x, which are few, by the misses that an optimal tree gives each."""
        if n == 1:
            self.finish(w, x, misses)
        elif n <= SMALL and self.distinct and not (self.has_labels or self.following or self.weight_bits):
            self.enter_few(n, self.least_of_few(w, x, n), misses)
        elif self.has_labels:
            self.labelled_endgame.enter(w, x, n, at.hits, w.bit[self.extras] if self.following else 0,
                                        self.histogram + misses)
        else:
            self.endgame.begin(w, x, n)
            self.end_walk(w, x, (1 << n) - 1, misses)

    cdef inline void enter_few(self, int n, int least, int misses) noexcept nogil:
        """Add an optimal tree of 2 to 4 different configurations, given its total of misses.

        The total determines the misses of each: of two 0 1; of three 0 1 1 or 0 1 2; of four, split in two
        pairs or one by one, 0 1 1 1, 0 1 1 2, 0 1 2 2 or 0 1 2 3.
        """
        cdef int more = least - (n - 1)
        cdef int twice = 1 if more == 3 else more
        self.histogram[misses] += 1
        self.histogram[misses + 1] += n - 1 - more if more < 3 else 1
        if more:
            self.histogram[misses + 2] += twice
        if more == 3:
            self.histogram[misses + 3] += 1

    cdef inline int least_of_few(self, const Words* w, uint64_t x, int n) noexcept nogil:
        """Return the least total of misses of 2 to 4 configurations x."""
        cdef int i
        cdef uint32_t seen = 0
        if self.distinct and n < SMALL:      # each of two has a cell that the other does not have
            return 1 if n == 2 else 2 if has_two(w.column, w.cells, x) else 3
        for i in range(w.cells):
            seen |= <uint32_t>1 << extract(w.column[i], x)
        return least_of_four(seen, n)

    cdef void end_walk(self, const Words* w, uint64_t x, int part, int misses) noexcept nogil:
        """Add the optimal tree of a part of the configurations in x, loaded in `endgame`."""
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

    # Scores

    cdef void describe_words(self, Score* score, const Words* w, uint64_t x, const Trail* at,
                             ScoreInput* node, int64_t* having) noexcept nogil:
        """Fill the input of a score from words; having -- room for its counts."""
        cdef int i, t
        cdef uint64_t labelled[MAX_LABELS]
        node.n, node.shift = popcount(x), w.shift
        node.hits, node.misses = at.hits, at.misses
        node.columns, node.cell, node.having = w.cells, w.cell, having
        if not self.has_labels:
            node.hits |= w.certain
        if score.uses_labels:
            if not self.labels.is_fixed:
                self.labels.list_afloat_words(w, x, at.hits, score.afloat)
            memset(score.labelled, 0, score.kinds * score.cells * sizeof(int64_t))
        for i in range(w.cells):
            having[i] = 0 if at.shot & one(i) else popcount(w.column[i] & x)
            if not self.has_labels and having[i] == node.n:
                node.hits |= one(w.cell[i])
            if (score.uses_labels and 0 < having[i] < node.n + score.takes_certain
                    and self.labels.can_tell(w.cell[i], at.hits)):
                self.labels.part_words(w, w.column[i] & x, w.cell[i], at.hits, labelled)
                for t in range(score.kinds):
                    score.labelled[t * score.cells + self.order[w.cell[i]]] = (
                        <int64_t>popcount(labelled[t]) << w.shift)

    cdef int ask_words(self, Score* score, const Words* w, uint64_t x, const Trail* at) noexcept nogil:
        """Return the column that a score shoots, or -1 and stop the walk if its answer is wrong."""
        cdef ScoreInput node
        cdef int i
        cdef int64_t having[MAX_CELLS]
        self.describe_words(score, w, x, at, &node, having)
        i = ask(score, &node)
        self.stopped = self.stopped or i < 0
        return i

    # Rollouts of words

    cdef int rollout_words(self, Words* w, uint64_t x, int n, const Trail* at) noexcept nogil:
        """Return the column of the cheapest candidate by greedy or the levels, always exact."""
        cdef Candidates chosen
        self.choose_words(w, x, n, at, self.rule.candidates, &chosen)
        return self.narrow_words(w, x, n, at, 0, &chosen, self.rule.levels if n <= self.rule.until else 0)

    cdef int choose_words(self, Words* w, uint64_t x, int n, const Trail* at, int number,
                          Candidates* chosen) noexcept nogil:
        """Fill the candidates, at most `number`; return the sum of uncertain cells over configurations."""
        cdef int i, j, cell, total = 0
        cdef uint32_t key, most = 0, least = 1
        cdef uint64_t counts[MAX_CELLS]
        cdef uint32_t keys[MAX_CELLS]     # count or rank << 8 | 255 - column; 0: no candidate
        cdef uint64_t column
        count_cells(w.column, w.cells, x, counts)
        for i in range(w.cells):
            keys[i] = <uint32_t>counts[i] if counts[i] < <uint64_t>(n + self.has_labels) else 0
            total += <int>counts[i] if counts[i] < <uint64_t>n else 0
            if self.has_labels and at.shot & one(i):
                keys[i] = 0
            most = keys[i] if keys[i] > most else most
        if self.ranker != NULL:
            self.rank_words(w, x, at, keys)
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
            for j in range(0 if self.has_labels else chosen.n):
                if not column & ~w.column[chosen.column[j]]:
                    break
            else:
                chosen.column[chosen.n] = cell
                chosen.n += 1
        return total

    cdef void rank_words(self, const Words* w, uint64_t x, const Trail* at, uint32_t* keys) noexcept nogil:
        """Replace the counts in `keys` by ranks by score, from 1; equal scores have equal ranks.

        The rank is 0 if a column is not a candidate, or below `percent` of the highest score.
        """
        cdef int i, j
        cdef double most = 0
        cdef double values[MAX_CELLS]
        cdef ScoreInput node
        cdef int64_t having[MAX_CELLS]
        cdef bint is_first = True
        cdef uint32_t ranks[MAX_CELLS]
        self.describe_words(self.ranker, w, x, at, &node, having)
        for i in range(w.cells):
            values[i] = <double>having[i]
        self.stopped = not rank(self.ranker, &node, values) or self.stopped
        for i in range(w.cells):
            if keys[i] and (is_first or values[i] > most):
                is_first, most = False, values[i]
        for i in range(w.cells):
            # Written as "not below": with an infinite highest score and percent 0 it must be True.
            ranks[i] = keys[i] != 0 and (most <= 0 or not 100 * values[i] < self.rule.percent * most)
            for j in range(w.cells if ranks[i] else 0):
                ranks[i] += keys[j] != 0 and values[j] < values[i]
        memcpy(keys, ranks, w.cells * sizeof(uint32_t))

    cdef int narrow_words(self, Words* w, uint64_t x, int n, const Trail* at, int left,
                          Candidates* chosen, int last) noexcept nogil:
        """Return the column of the cheapest candidate, like `narrow`, on words."""
        cdef int i, level, best = 0
        cdef int64_t slack, limit
        while last and n <= self.rule.level[last].floor + 1 - self.has_labels:
            last -= 1
        for level in range(last + 1):
            if chosen.n == 1:
                break
            slack = 0 if level == last else self.rule.level[level].margin * n + 1
            limit = INT64_MAX
            for i in range(chosen.n):
                chosen.cost[i] = self.cost_words(w, x, chosen.column[i], at, left, level, limit)
                if chosen.cost[i] < chosen.cost[best]:
                    best = i
                limit = chosen.cost[best] + slack
            if level < last:
                keep_close(chosen, slack, self.rule.level[level].kept)
                best = 0
        return chosen.column[best]

    cdef int64_t cost_words(self, Words* w, uint64_t x, int i, const Trail* at, int left, int level,
                            int64_t limit) noexcept nogil:
        """Return the misses of a shot and of the play after it, like `cost`, on words."""
        cdef uint64_t hit = x & w.column[i], missed = x & ~w.column[i]
        cdef uint64_t labelled[MAX_LABELS]
        cdef int64_t cost = UNIT * <int64_t>popcount(missed)
        cdef Trail after
        cdef const Trail* then = at
        cdef int t
        if self.tracks:
            after_hit(at, w, i, &after)
            then = &after
        if self.has_labels:
            hit &= ~self.labels.part_words(w, hit, w.cell[i], at.hits, labelled)
            for t in range(self.labels.number):
                if labelled[t]:
                    cost += self.roll_part(w, labelled[t], then, left - 1, level)
        if hit:
            cost += self.roll_part(w, hit, then, left - 1, level)
        if missed and cost < limit:
            if self.tracks:
                after = at[0]
                after.misses |= one(w.cell[i])
            cost += self.roll_part(w, missed, then, left, level)
        return cost

    cdef inline int64_t roll_part(self, Words* w, uint64_t x, const Trail* at, int left,
                                  int level) noexcept nogil:
        """Return the total of misses if a level of play goes on from a part x on words."""
        if level:
            return self.roll_level(w, x, at, left, level)
        if self.tracks:
            return self.roll_tracked(w, x, at, left)
        return self.roll_words(w, x, left)

    cdef int64_t roll_level(self, Words* w, uint64_t x, const Trail* at, int left, int level) noexcept nogil:
        """Return what `roll_part` does for a level above greedy."""
        cdef Candidates chosen
        cdef Entry* entry = NULL
        cdef Cost* of_shots = NULL
        cdef int64_t cost
        cdef int cell, total, n = popcount(x)
        while level and n <= self.rule.level[level].floor:
            level = self.rule.level[level].below
        if level == 0:
            return self.roll_part(w, x, at, left, 0)
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        if self.tracks:
            of_shots = self.place_of_cost(x, at, level)
            if self.is_cost(of_shots, w, x, at, level):
                return of_shots.cost
        else:
            entry = &self.memo[MEMO * level + (x * <uint64_t>0x9E3779B97F4A7C15 >> 54)]
            if entry.part == x and entry.stamp == w.stamp:
                return entry.cost
        total = self.choose_words(w, x, n, at, self.rule.level[level].candidates, &chosen)
        if chosen.n == 0 or total == 0 and not w.shift:
            return 0
        left = (total + n // 2) // n if w.shift else 0
        cell = self.narrow_words(w, x, n, at, left, &chosen, self.rule.level[level].below)
        cost = self.cost_words(w, x, cell, at, left, level, INT64_MAX)
        if self.tracks:
            fill_cost(of_shots, w, x, at, level, cost)
        else:
            entry.part, entry.stamp, entry.cost = x, w.stamp, cost
        return cost

    cdef int64_t roll_tracked(self, Words* w, uint64_t x, const Trail* at, int left) noexcept nogil:
        """Return what `roll_part` does for greedy, or the policy's score, if the shots before matter."""
        cdef int n = popcount(x), total, i = -1
        cdef bint is_asked = self.policy != NULL and <int64_t>n << w.shift > self.policy.least
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t labelled[MAX_LABELS]
        cdef uint64_t hit
        cdef Cells certain
        cdef int64_t cost = 0
        cdef Trail now
        cdef Cost* entry = NULL
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        if self.stopped:
            return 0
        if not self.has_labels and (n <= SMALL or not is_asked):
            return self.roll_words(w, x, left)
        if n <= SMALL:
            return UNIT * <int64_t>self.labelled_endgame.misses(w, x, n, at.hits)
        if self.rule.compare_above < WORD:     # else these words are played once only
            entry = self.place_of_cost(x, at, 0)
            if self.is_cost(entry, w, x, at, 0):
                return entry.cost
        sure[0] = sure[1] = 0
        key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
        if key >> 8 == 0 and not w.shift:
            return 0
        left = (total + n // 2) // n
        now = at[0]
        certain = join(sure[0], sure[1]) & ~now.shot if self.has_labels else 0
        while certain and i < 0:
            i = first(certain)
            certain &= certain - 1
            hit = x & ~self.labels.part_words(w, x, w.cell[i], now.hits, labelled)
            if self.labels.is_alike(x, hit, labelled):
                after_hit(&now, w, i, &now)
                i = -1
        if i < 0 and key >> 8:
            i = 255 - <int>(key & 255)
            if is_asked:
                i = self.ask_words(self.policy, w, x, &now)
        if i >= 0:
            cost = self.cost_words(w, x, i, &now, left, 0, INT64_MAX)
        if entry != NULL:
            fill_cost(entry, w, x, at, 0, cost)
        return cost

    cdef inline Cost* place_of_cost(self, uint64_t x, const Trail* at, int level) noexcept nogil:
        """Return the place in the table of costs for a level, a part x on words and the shots before."""
        return &self.costs[
            scramble(x ^ scramble(low(at.hits) ^ scramble(high(at.hits) + <uint64_t>level)))
            & (COSTS - 1)]

    cdef inline bint is_cost(self, const Cost* entry, const Words* w, uint64_t x, const Trail* at,
                             int level) noexcept nogil:
        """True if an entry of that table is for this level, part and shots."""
        return (entry.stamp == w.stamp and entry.part == x and entry.hits == at.hits and entry.level == level
                and (self.policy == NULL and self.ranker == NULL or entry.misses == at.misses))

    cdef inline int64_t roll_words(self, Words* w, uint64_t x, int left) noexcept nogil:
        """Return what `roll_part` does for greedy, if the shots before do not matter."""
        cdef int n = popcount(x)
        if n <= 2 and self.distinct and not w.shift:
            return UNIT * (n == 2)     # each has a cell that the other does not have
        return self.roll_more(w, x, left)

    cdef int64_t roll_more(self, Words* w, uint64_t x, int left) noexcept nogil:
        """Return what `roll_words` does for three configurations or more, samples, or equal cells."""
        cdef int n = popcount(x), best, total
        cdef uint32_t key
        cdef int64_t cost
        cdef Entry* entry
        if w.shift and n <= self.rule.truncate:
            return self.estimate(n, left, w.shift)
        if n <= SMALL:
            if n <= 1:
                return 0
            return UNIT * <int64_t>self.least_of_few(w, x, n)
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

    # Rollouts of larger parts

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        """Return the misses of a shot and of the play after it, as `EvaluatorBase.cost`."""
        cdef Replies replies
        if not self.labels.shoot(part, column, counts.having[column], &replies):
            self.failed = True
            return 0
        return self.play_parts(&replies, column, counts, costing, limit)

    cdef int64_t play_parts(self, Replies* replies, int column, const Counts* counts,
                            const Costing* costing, int64_t limit) noexcept nogil:
        """Return `cost` from the parts after the shot, and free their masks."""
        cdef const Part* hit = &replies.hit
        cdef const Part* missed = &replies.missed
        cdef Counts of_hit, of_missed
        cdef int64_t cost = UNIT * missed.n
        cdef int t
        for t in range(self.labels.number):
            if replies.labelled[t].n:
                if replies.labelled[t].n > WORD:
                    count(&replies.labelled[t], True, &of_hit)
                cost += self.play(&replies.labelled[t], &of_hit, counts.left - 1, costing)
        if hit.n > WORD:
            count(hit, self.has_labels, &of_hit)
        cost += self.play(hit, &of_hit, counts.left - 1, costing)
        if cost < limit:
            if missed.n > WORD and hit.n > WORD and missed.n + hit.n == counts.n:
                of_hit.having[column] = hit.n       # it is 0 if certain hits count
                count_rest(counts, &of_hit, missed.block.cells, &of_missed)
            elif missed.n > WORD:
                count(missed, self.has_labels, &of_missed)
            cost += self.play(missed, &of_missed, counts.left, costing)
        free(replies.masks)
        return cost

    cdef int64_t play(self, const Part* part, const Counts* counts, int left,
                      const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part; small parts of a sample have an estimate.

        counts -- of the part, if it is larger than a word.
        """
        cdef Part own = part[0]
        cdef Counts again
        cdef Known name
        cdef Known* entry
        cdef Cells certain
        cdef Costing by = costing[0]
        if part.n == 0 or self.failed or self.stopped:
            return 0
        while by.level and part.n <= self.rule.level[by.level].floor:
            by.level = self.rule.level[by.level].below
        if by.shift and part.n <= self.rule.truncate:
            return self.estimate(part.n, left, by.shift)
        if part.n <= WORD:
            return self.play_few(part, left, &by)
        if counts.greatest < 0 and not (self.has_labels and by.shift):
            return 0
        certain = part.block.certain | places(part.block, counts.all)
        entry = self.entry_of(part, certain, places(part.block, counts.some) & ~certain, &by, &name)
        if is_known(entry, &name):
            return entry.cost
        name.cost = 0
        if 2 * part.n > part.block.n:
            name.cost = self.roll(part, counts, &by)
        elif self.move(part, counts, &own):
            self.keep_counts(part, counts, &again)
            name.cost = self.roll(&own, &again, &by)
            free_block(own.block)
        if not self.failed:
            entry[0] = name
        return name.cost

    cdef void keep_counts(self, const Part* part, const Counts* counts, Counts* kept) noexcept nogil:
        """Fill the counts of a part by the columns of the block that `move` makes."""
        cdef int i, k = 0
        kept.n, kept.left, kept.greatest = counts.n, counts.left, -1
        for i in range(part.block.cells):
            if i == counts.greatest:
                kept.greatest = k
            kept.having[k] = counts.having[i]
            k += self.keeps(part, counts, i)

    cdef int64_t play_few(self, const Part* part, int left, const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part of at most 64 configurations."""
        cdef Words w
        cdef Trail at
        cdef Known name
        cdef Known* entry
        cdef bint is_kept = part.n > FORGOTTEN
        cdef uint64_t x
        if not self.has_labels:
            x = self.words_of(part, costing.shift, &w)
        if is_kept:
            entry = self.entry_of(part, w.certain, w.places, costing, &name)
            if is_known(entry, &name):
                return entry.cost
        if self.has_labels:
            x = self.words_of(part, costing.shift, &w)
        begin_trail(part, &at)
        name.cost = self.roll_part(&w, x, &at, left, costing.level)
        if is_kept:
            entry[0] = name
        return name.cost

    cdef Known* entry_of(self, const Part* part, Cells certain, Cells open, const Costing* costing,
                         Known* name) noexcept nogil:
        """Return the entry of the table for the misses of a level in a part; fill its name.

        The name of a part is the cells that all have and those that only some have. With a score the
        misses replace the latter, because a score depends on them. With labels the name is the shots and
        the labels.
        """
        name.shots = part.shots
        if not self.has_labels:
            name.shots.hits, name.shots.heard = certain, 0
            if self.policy == NULL and self.ranker == NULL:
                name.shots.misses = open
        name.mode = 1 + costing.shift + MODES * costing.level
        return &self.known[place_of(name, part.n)]

    cdef int64_t roll(self, const Part* part, const Counts* counts, const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part of more than 64 configurations."""
        cdef Candidates chosen
        cdef Replies replies
        cdef Counts left
        cdef Part at = part[0]
        cdef double values[MAX_CELLS]
        cdef int i, best = counts.greatest
        if costing.level:
            self.rank_part(part, counts, costing.shift, values)
            self.choose(NULL if self.has_labels else part, part.block.cells, counts, values,
                        self.rule.level[costing.level].candidates, &chosen)
            if chosen.n == 0:
                return 0
            best = self.narrow(part, counts, costing.shift, &chosen,
                               self.rule.level[costing.level].below)
            return self.cost(part, best, counts, costing, INT64_MAX)
        if self.has_labels:
            left = counts[0]
            counts = &left
            for i in range(part.block.cells):
                if left.having[i] == part.n:
                    if self.parts_of(&at, i, &left, &replies):
                        return 0 if self.failed else self.play_parts(
                            &replies, i, &left, costing, INT64_MAX)
                    left.having[i] = 0
        if best >= 0 and self.policy != NULL and part.n << costing.shift > self.policy.least:
            best = self.ask_part(self.policy, &at, counts, costing.shift)
        return self.cost(&at, best, counts, costing, INT64_MAX) if best >= 0 else 0

    # For Python

    def shot(self, hits, misses, int64_t n, const int64_t[::1] exact_counts):
        """Return the cell to shoot with n configurations left, more than 64.

        The family added must include all of them; hits and misses leave out others. If they are too many
        to list, it is a sample of them by hashes that end in zero bits, larger than the samples drawn
        here. exact_counts -- the number of the n configurations with each cell, which is used for a
        sample; else they are counted here.
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
                count(&part, self.has_labels, &counts)
            if left == n or left > max(self.rule.cap, self.rule.second):
                cell = self.order[self.rollout(&part, &counts)]
        free(mask)
        if self.failed:
            self.failed = False
            raise MemoryError
        if cell < 0:
            raise ValueError("the sample is too small")
        return cell


cdef inline void begin_trail(const Part* part, Trail* at) noexcept nogil:
    """Fill the shots before a part; no column of its words is shot yet."""
    at.hits, at.misses, at.shot = part.shots.hits, part.shots.misses, 0


cdef inline void after_hit(const Trail* at, const Words* w, int column, Trail* after) noexcept nogil:
    """Fill the shots with one more hit, at a column."""
    after.hits, after.misses = at.hits | one(w.cell[column]), at.misses
    after.shot = at.shot | one(column)


cdef inline void fill_cost(Cost* entry, const Words* w, uint64_t x, const Trail* at, int level,
                           int64_t cost) noexcept nogil:
    """Fill an entry of the table of costs."""
    entry.hits, entry.misses, entry.part = at.hits, at.misses, x
    entry.stamp, entry.cost, entry.level = w.stamp, cost, level


def sampled(const uint64_t[:, ::1] sets, int bits):
    """Return the configurations of `sets`, uint64 of shape (n, 2), whose hash ends in `bits` zero bits."""
    cdef int64_t i
    cdef uint8_t[::1] view
    cdef uint64_t last = ones(bits)
    keep = np.empty(sets.shape[0], np.uint8)
    view = keep
    with nogil:
        for i in range(sets.shape[0]):
            view[i] = not mix_cells(sets[i, 0], sets[i, 1]) & last
    return np.asarray(sets)[keep.view(bool)]
