"""A decision tree walked over families: what comes in and out, and how rollouts choose a shot.

Costs are counted in misses: every configuration needs the same number of hits. The columns lie in the
order in which ties between cells are broken.

The rules (`optsearch/strategies` says which strategies they are):

- *greedy*: a most probable cell, the first of several; the optimum, the first of several cells, once
  `endgame` configurations are left.
- *rollout*: with more than `few` configurations and at most `many` the most probable cells are candidates,
  up to `candidates` of them that have at least `percent` percent of the greatest probability, none of which
  lies wholly under one before it. Each is costed by what greedy (endgame 4) misses from there on, and
  the cheapest is shot, the first of several. Up to `cap` configurations the rollouts are exact. Above,
  they play on a sample, the configurations whose hash ends in b zero bits, with b the least for which
  there are at most `cap`; and above `screen`, a sample of at most so many leaves only the `finalists`
  cheapest candidates. On samples they stop at `truncate` sampled configurations with an estimate.
- *nested rollout*: the same, but above `above` configurations the finalists are compared by what an
  inner rollout policy misses, in place of greedy, on a sample of at most `second`. Its candidates
  are up to `inner`, always costed on that sample; below `floor` configurations of it greedy goes on.
- *levels*: a nested rollout, but up to `until` configurations the candidates are compared by greedy, then
  by level 1, 2, … up to the last, on all configurations. Level k is a policy that compares up to its
  `candidates` in the same way by the levels below k, and is level k - 1 at `floor` configurations. After
  each comparison the candidates are sorted, and those more than `margin` above the cheapest, or past the
  first `kept`, are dropped.

Where a hit tells a label, a certain hit is a cell like others, and no candidate is left out because it
lies under one before it.
"""

from libc.stdint cimport INT64_MAX, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, Cells, join, one, size
from columns cimport leading_one, mix_cells, transpose
from optsearch.compiled._arena cimport Arena
from optsearch.compiled._block cimport (Block, Counts, Part, Words, compress,
                                        count, draw, free_block, gather, has_extra, lies_under,
                                        new_block, ones)
from optsearch.compiled._labels cimport Labels, Replies
from optsearch.compiled._score cimport ScoreInput, Score, Scorer, ask, rank

cdef enum:
    MARGIN = 4            # more bits of the hash are kept than a sample should need


cdef class EvaluatorBase:
    """A family that is given, and the rule by which shots are chosen in it.

    rule -- a `Rule` of `optsearch/search/rules.py`, which is not checked any more.
    labels -- what a hit tells.
    """

    def __cinit__(self, rule, Labels labels, *_):
        cdef int i
        self.arena, self.cells = Arena(), len(rule.order)
        if not 0 < self.cells <= MAX_CELLS or labels.cells != self.cells:
            raise ValueError(f"{self.cells} cells; 1 to {MAX_CELLS} are handled")
        for i in range(self.cells):
            self.order[i] = rule.order[i]
        self.labels = labels
        self.has_labels = self.tracks = labels.number > 0
        self.rule.candidates, self.rule.percent = rule.candidates, rule.percent
        self.rule.endgame, self.rule.truncate = rule.endgame, rule.truncate
        self.rule.screen, self.rule.finalists, self.rule.cap = rule.screen, rule.finalists, rule.cap
        self.rule.few = rule.few if self.has_labels else 0
        self.rule.many = rule.many if self.has_labels else INT64_MAX
        self.rule.above, self.rule.second, self.rule.until = rule.above, rule.second, rule.until
        self.take_levels(rule)
        self.estimates = np.array(rule.estimates, np.int32)
        if self.rule.candidates > 1:
            self.known = <Known*>self.arena.array(KNOWN * SIZES, sizeof(Known))

    cdef int take_levels(self, rule) except -1:
        """The levels that compare exactly, and the one that nested rollouts play on samples."""
        cdef int i
        if not 0 < len(rule.levels) <= MAX_LEVELS + 1:
            raise ValueError(f"{len(rule.levels)} levels; 1 to {MAX_LEVELS + 1} are handled")
        self.rule.levels = len(rule.levels) - 1
        for i, level in enumerate((*rule.levels, rule.inner)):
            i = i if i < len(rule.levels) else <int>INNER
            self.rule.level[i].floor, self.rule.level[i].candidates = level.floor, level.candidates
            self.rule.level[i].margin = level.margin * UNIT // 100
            self.rule.level[i].kept = level.kept
            self.rule.level[i].below = max(i - 1, 0) if i != INNER else 0
        return 0

    def __dealloc__(self):
        free_block(self.root)

    # Families

    cdef Cells placed(self, mask):
        """A mask of the board by the places in the order."""
        cdef uint64_t word = 0xFFFFFFFFFFFFFFFF
        cdef Cells cells = join(mask & word, mask >> 64), placed = 0
        cdef int i
        for i in range(self.cells):
            if cells & one(self.order[i]):
                placed |= one(i)
        return placed

    def begin(self, int64_t n, hits=0, misses=0, bint following=False, bint is_sample=False,
              int weight_bits=0):
        """Make room for a family of n configurations, in place of the one before.

        hits, misses -- the cells hit before, in all of them, and those missed. following -- single ones are
        followed. is_sample -- they are a sample of the family, for
        `shot`. weight_bits -- where a hit tells nothing, they have weights of at most so many bits, which
        the histogram counts and the rule does not know; their sum is below 2^63.
        """
        cdef int i, hashes = <int>MAX_HASHES if is_sample else self.hashes_needed(n)
        if not 0 <= weight_bits <= (0 if self.has_labels else 63):
            raise ValueError(f"weights of {weight_bits} bits are not handled")
        self.weight_bits = weight_bits
        self.extras = self.labels.codes + weight_bits
        self.shots.hits, self.shots.misses = self.placed(hits), self.placed(misses)
        self.following = following
        self.added = 0
        if self.root != NULL and self.known != NULL:
            memset(self.known, 0, KNOWN * SIZES * sizeof(Known))
        free_block(self.root)
        self.root = new_block(n, self.cells, hashes, self.extras + following)
        if self.root == NULL:
            raise MemoryError
        for i in range(self.cells):
            self.root.cell[i] = <uint8_t>i
            self.root.places |= one(i)
        for i in range(self.root.extras):
            self.root.column[i] = <int16_t>(self.cells + hashes + i)
        memset(self.root.same, 0, sizeof(self.root.same))

    def add(self, const uint64_t[:, ::1] rows):
        """Append configurations: all cells of each in two words, and its extra bits in the others."""
        cdef int64_t i
        cdef int at, k, words = 2 + ((self.extras + 63) >> 6)
        if self.root == NULL or self.added + rows.shape[0] > self.root.n:
            raise ValueError("more configurations than announced")
        if rows.shape[1] != words:
            raise ValueError(f"{rows.shape[1]} words each, not {words}")
        with nogil:
            for i in range(rows.shape[0]):
                at = self.added & 63
                for k in range(words):
                    self.pending[k][at] = rows[i, k]
                self.added += 1
                if at == 63 or self.added == self.root.n:
                    self.flush()

    cdef void flush(self) noexcept nogil:
        """Turn the pending configurations into a word of every column."""
        cdef Block* b = self.root
        cdef int i, k, last = (self.added - 1) & 63
        cdef uint64_t* out = b.data + ((self.added - 1) >> 6)
        cdef uint64_t hashes[64]
        if b.hashes:
            for i in range(64):
                hashes[i] = mix_cells(self.pending[0][i], self.pending[1][i]) if i <= last else 0
            transpose(hashes)
        for k in range(2 + ((self.extras + 63) >> 6)):
            for i in range(last + 1, 64):
                self.pending[k][i] = 0
            transpose(self.pending[k])
        for i in range(b.cells):
            out[i * b.words] = self.pending[self.order[i] >> 6][self.order[i] & 63]
        for i in range(b.hashes):
            out[(b.cells + i) * b.words] = hashes[i]
        for i in range(self.extras):
            out[(b.cells + b.hashes + i) * b.words] = self.pending[2 + (i >> 6)][i & 63]

    def score_by(self, rule, board, lengths):
        """Take the scores of a rule; `Scorer` says what board and lengths are."""
        cdef Scorer scorer
        self.scorers = []
        for name, score in rule.scores.items():
            scorer = Scorer(score, board, rule.order, lengths)
            self.scorers.append(scorer)
            if name == "score":
                self.score = &scorer.score
            elif name == "rank":
                self.ranker = &scorer.score
            else:
                self.policy = &scorer.score
            self.tracks = True

    @property
    def fault(self):
        """What was wrong with the answer of a score at which the walk stopped; `Scorer` has what it is."""
        return next(
            (scorer.fault for scorer in self.scorers or () if scorer.fault is not None), None)

    def stop(self):
        """Make a walk that runs in another thread end at once; its result means nothing then."""
        self.stopped = True

    def run(self):
        """Walk the family that was added: int64 (129,), configurations by number of misses.

        With weights, what they weigh.
        """
        cdef int i
        if self.root == NULL or self.added != self.root.n or self.following:
            raise ValueError("fewer configurations than announced")
        self.walk_all()
        result = np.zeros(MAX_CELLS + 1, np.int64)
        for i in range(MAX_CELLS + 1):
            result[i] = self.histogram[i]
        return result

    def follow(self, int64_t index):
        """The misses of the configuration that was added as number `index`: one path of the tree.

        Shots are decided as by `run`, but nothing beside the path is walked. -1: the walk stopped.
        """
        cdef uint64_t* column
        if self.root == NULL or self.added != self.root.n or not self.following:
            raise ValueError("fewer configurations than announced, or none to be followed")
        if not 0 <= index < self.root.n:
            raise ValueError(f"there is no configuration {index}")
        column = self.root.data + self.root.column[self.extras] * self.root.words
        memset(column, 0, self.root.words * sizeof(uint64_t))
        column[index >> 6] = <uint64_t>1 << (index & 63)
        self.walk_all()
        return next((i for i in range(MAX_CELLS + 1) if self.histogram[i]), -1)

    cdef int walk_all(self) except -1:
        """Fill the histogram."""
        cdef Part root
        memset(self.histogram, 0, sizeof(self.histogram))
        root.block, root.mask, root.n, root.shots = self.root, NULL, self.root.n, self.shots
        with nogil:
            if root.n:
                self.walk(&root)
        if self.failed:
            self.failed = False
            raise MemoryError
        return 0

    cdef void walk(self, const Part* part) noexcept nogil:
        """Enter a part in the histogram."""

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        """What a shot at a column and what is played after it miss in a part, in units.

        Exact if it is below the limit.
        """
        return 0

    cdef bint compares(self, int64_t n) noexcept nogil:
        """True if cells are compared by rollouts with n configurations."""
        return self.rule.candidates > 1 and self.rule.few < n <= self.rule.many

    cdef bint asks(self, int64_t n) noexcept nogil:
        """True if a score says what is shot with n configurations."""
        return self.score != NULL and n > self.score.least

    cdef int ask_part(self, Score* score, const Part* part, const Counts* counts,
                      int shift) noexcept nogil:
        """The column that a score shoots; -1, and the walk stops: its answer is wrong.

        shift -- each configuration stands for 2^shift of them.
        """
        cdef ScoreInput node
        cdef int i
        self.describe(score, part, counts, shift, &node)
        i = ask(score, &node)
        self.stopped = self.stopped or i < 0
        return i

    cdef void rank_part(self, const Part* part, const Counts* counts, int shift,
                        double* values) noexcept nogil:
        """What the columns are ranked by."""
        cdef ScoreInput node
        cdef int i
        for i in range(part.block.cells):
            values[i] = <double>counts.having[i]
        if self.ranker != NULL:
            self.describe(self.ranker, part, counts, shift, &node)
            self.stopped = not rank(self.ranker, &node, values) or self.stopped

    cdef void describe(self, Score* score, const Part* part, const Counts* counts, int shift,
                       ScoreInput* node) noexcept nogil:
        """A part as a score is asked about it."""
        cdef int i
        node.n, node.shift = part.n, shift
        node.hits, node.misses = part.shots.hits, part.shots.misses
        if not self.has_labels:
            node.hits |= part.block.certain
            for i in range(part.block.cells):
                if counts.having[i] == part.n:
                    node.hits |= one(part.block.cell[i])
        node.columns, node.cell, node.having = part.block.cells, part.block.cell, counts.having
        if score.uses_labels:
            self.hear(score, part, counts, shift)

    cdef void hear(self, Score* score, const Part* part, const Counts* counts, int shift) noexcept nogil:
        """Tell a score what is afloat, and how many configurations give each label to each shot."""
        cdef Replies replies
        cdef int i, t
        if not self.labels.is_fixed:
            self.labels.list_afloat(part, score.afloat)
        memset(score.labelled, 0, score.kinds * score.cells * sizeof(int64_t))
        for i in range(part.block.cells):
            if (not 0 < counts.having[i] < part.n + score.takes_certain
                    or not self.labels.can_tell(part.block.cell[i], part.shots.hits)):
                continue
            if not self.labels.shoot(part, i, counts.having[i], &replies):
                self.failed = True
                return
            for t in range(score.kinds):
                score.labelled[t * score.cells + self.order[part.block.cell[i]]] = (
                    replies.labelled[t].n << shift)
            free(replies.masks)

    cdef int misses(self, const Part* part) noexcept nogil:
        """How many shots missed since the family that was added."""
        return size(part.shots.misses) - size(self.shots.misses)

    cdef bint is_over(self, const Part* part) noexcept nogil:
        """True if a part is not walked: its walk is stopped, or it has not the configuration followed."""
        return self.stopped or self.failed or (
            self.following and not has_extra(part, self.extras))

    cdef int hashes_needed(self, int64_t n) noexcept nogil:
        """How many bits of the hash the samples of n configurations can take.

        Ships that lie otherwise on the same cells have the same hash, so they can take many.
        """
        cdef int bits = 0
        if self.rule.candidates == 1 or n <= max(self.rule.screen, min(self.rule.until, self.rule.cap)):
            return 0
        while n > self.rule.screen:
            n >>= 1
            bits += 1
        return MAX_HASHES if self.has_labels else min(bits + MARGIN, <int>MAX_HASHES)

    cdef bint keeps(self, const Part* part, const Counts* counts, int column) noexcept nogil:
        """True if a column says anything of a part. counts -- of it, or of one that includes it.

        A cell that all have does, where it can tell something.
        """
        if self.has_labels:
            return counts.having[column] > 0 and not (
                (part.shots.hits | part.shots.misses) & one(part.block.cell[column]))
        return 0 < counts.having[column] < counts.n

    cdef bint move(self, const Part* part, const Counts* before, Part* own) noexcept nogil:
        """Give a part a block of its own, for the caller to free; False if there is no memory for it.

        before -- the counts of a part that includes this one, by which columns are dropped.
        """
        cdef int i, kept = 0
        cdef uint8_t columns[MAX_CELLS]
        for i in range(part.block.cells):
            columns[kept] = <uint8_t>i
            kept += self.keeps(part, before, i)
        own[0] = part[0]
        own.mask = NULL
        own.block = compress(part, columns, kept, self.hashes_needed(part.n))
        if own.block == NULL:
            self.failed = True
            return False
        for i in range(0 if self.has_labels else part.block.cells):
            if before.having[i] == before.n:
                own.block.certain |= one(part.block.cell[i])
        return True

    cdef uint64_t* room(self, const Part* part) noexcept nogil:
        """Room for two masks of the block, for the caller to free; NULL, and `failed`: there is none."""
        cdef uint64_t* masks = <uint64_t*>malloc(2 * part.block.words * sizeof(uint64_t))
        self.failed = self.failed or masks == NULL
        return masks

    cdef uint64_t words_of(self, const Part* part, int shift, Words* w) noexcept nogil:
        """A part of at most 64 configurations as words; which of their bits it is."""
        gather(part, self.has_labels, self.by_row if self.has_labels else self.weight_bits, w)
        self.stamp += 1
        w.stamp, w.shift = self.stamp, shift
        return ones(part.n)

    # Rollouts

    cdef int rollout(self, const Part* part, const Counts* counts) noexcept nogil:
        """The column of the candidate from which greedy, or the inner rollout policy, misses least."""
        cdef Candidates chosen
        cdef Part under = part[0]
        cdef bint nested = part.n > self.rule.above
        cdef int shift
        cdef uint64_t* drawn = NULL
        cdef double values[MAX_CELLS]
        self.rank_part(part, counts, 0, values)
        if part.n > self.rule.cap and not self.has_labels:
            drawn = self.room(part)
            if drawn == NULL:
                return counts.greatest
            under.mask = drawn
            draw(part, self.rule.cap, drawn, &shift)
        self.choose(NULL if self.has_labels else &under, part.block.cells, counts, values,
                    self.rule.candidates, &chosen)
        free(drawn)
        if part.n <= self.rule.until:
            return self.narrow(part, counts, 0, &chosen, self.rule.levels)
        if chosen.n > self.rule.finalists and part.n > self.rule.screen:
            self.compare(part, self.rule.screen, &chosen, 0, False)
            keep_cheapest(&chosen, self.rule.finalists)
        if chosen.n == 1:
            return chosen.column[0]
        return self.compare(part, self.rule.second if nested else self.rule.cap, &chosen,
                            <int>INNER if nested else 0, True)

    cdef void choose(self, const Part* under, int cells, const Counts* counts, const double* values,
                     int number, Candidates* chosen) noexcept nogil:
        """The candidates, at most so many, by what they are ranked by.

        under -- the family, or its sample, on which it is judged which cells lie under others; NULL:
        it is not.
        """
        cdef int i, j, column
        cdef int64_t limit = counts.n + self.has_labels
        cdef double first_most = 0
        cdef uint8_t tried[MAX_CELLS]
        memset(tried, 0, sizeof(tried))
        chosen.n = 0
        while chosen.n < number:
            column = -1
            for i in range(cells):
                if (not tried[i] and 0 < counts.having[i] < limit
                        and (column < 0 or values[i] > values[column])):
                    column = i
            if column < 0:
                break
            if chosen.n == 0:
                first_most = values[column]
            elif first_most > 0 and 100 * values[column] < self.rule.percent * first_most:
                break
            tried[column] = 1
            for j in range(chosen.n if under != NULL else 0):
                if lies_under(under, column, chosen.column[j]):
                    break
            else:
                chosen.column[chosen.n] = column
                chosen.n += 1

    cdef int compare(self, const Part* part, int64_t most, Candidates* chosen, int level,
                     bint giving_up) noexcept nogil:
        """The costs of candidates on a sample of at most so many; the column of the cheapest one.

        level -- whose misses count. giving_up -- as soon as one costs more than another; its cost is
        not found then.
        """
        cdef Part sample = part[0]
        cdef Counts counts
        cdef Costing costing
        cdef int i, best = 0
        cdef int64_t limit = INT64_MAX
        cdef uint8_t columns[MAX_CELLS]
        cdef uint64_t* drawn
        costing.shift, costing.level = 0, level
        if part.n > most:
            drawn = self.room(part)
            if drawn == NULL:
                return chosen.column[0]
            sample.n = draw(part, most, drawn, &costing.shift)
            sample.mask = drawn
            for i in range(part.block.cells):      # they keep their numbers
                columns[i] = <uint8_t>i
            sample.block = compress(&sample, columns, part.block.cells, self.hashes_needed(sample.n))
            sample.mask = NULL
            free(drawn)
            if sample.block == NULL:
                self.failed = True
                return chosen.column[0]
        count(&sample, self.has_labels, &counts)
        for i in range(chosen.n):
            if giving_up and i:
                limit = chosen.cost[best]
            chosen.cost[i] = self.cost(&sample, chosen.column[i], &counts, &costing, limit)
            if chosen.cost[i] < chosen.cost[best]:
                best = i
        if sample.block != part.block:
            free_block(sample.block)
        return chosen.column[best]

    cdef int narrow(self, const Part* part, const Counts* counts, int shift, Candidates* chosen,
                    int last) noexcept nogil:
        """The column of the cheapest candidate, compared by greedy, then by each level up to the last.

        shift -- each configuration stands for 2^shift of them.
        """
        cdef Costing costing
        cdef int i, level, best = 0
        cdef int64_t slack, limit
        costing.shift = shift
        while last and part.n <= self.rule.level[last].floor + 1 - self.has_labels:
            last -= 1       # a shot leaves parts where this level is the one below; a certain hit all
        for level in range(last + 1):
            if chosen.n == 1:
                break
            slack = 0 if level == last else self.rule.level[level].margin * part.n + 1
            costing.level = level
            limit = INT64_MAX
            for i in range(chosen.n):
                chosen.cost[i] = self.cost(part, chosen.column[i], counts, &costing, limit)
                if chosen.cost[i] < chosen.cost[best]:
                    best = i
                limit = chosen.cost[best] + slack
            if level < last:
                keep_close(chosen, slack, self.rule.level[level].kept)
                best = 0
        return chosen.column[best]

    cdef int64_t estimate(self, int64_t n, int left, int shift) noexcept nogil:
        """The estimated misses of greedy for n configurations, each for 2^shift, in units."""
        cdef int64_t each = n << shift, below
        cdef int e, column
        cdef const int32_t* row
        if each <= 1:
            return 0
        row = &self.estimates[max(0, min(left, <int>self.estimates.shape[0] - 1)), 0]
        e = leading_one(each)
        if e < 2:
            return n * row[4 * e + (2 if each == 3 else 0)]
        column = 4 * e + <int>(each >> (e - 2) & 3)
        below = each >> (e - 2) << (e - 2)
        return n * (row[column] + (<int64_t>(row[column + 1] - row[column]) * (each - below) >> (e - 2)))


cdef void keep_cheapest(Candidates* chosen, int most) noexcept nogil:
    """Leave at most so many candidates in place, the first ones where they tie."""
    cdef int i, worst
    while chosen.n > most:
        worst = 0
        for i in range(chosen.n):
            if chosen.cost[i] >= chosen.cost[worst]:
                worst = i
        chosen.n -= 1
        for i in range(worst, chosen.n):
            chosen.column[i], chosen.cost[i] = chosen.column[i + 1], chosen.cost[i + 1]


cdef void keep_close(Candidates* chosen, int64_t slack, int most) noexcept nogil:
    """Sort candidates by their costs, and leave at most so many that are below the least and the slack."""
    cdef int i, j, column
    cdef int64_t cost
    for i in range(1, chosen.n):
        column, cost, j = chosen.column[i], chosen.cost[i], i
        while j and chosen.cost[j - 1] > cost:
            chosen.column[j], chosen.cost[j] = chosen.column[j - 1], chosen.cost[j - 1]
            j -= 1
        chosen.column[j], chosen.cost[j] = column, cost
    chosen.n = min(chosen.n, most)
    while chosen.cost[chosen.n - 1] >= chosen.cost[0] + slack:
        chosen.n -= 1
