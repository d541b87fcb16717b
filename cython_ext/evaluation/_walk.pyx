"""A decision tree walked over families: its input and output, and the choice of shots by rollouts.

Costs are counted in misses: every configuration needs the same number of hits. Columns are in the
order in which ties between cells are broken.

The rules (`optsearch/strategies` has the strategies that use them):

- *greedy*: a most probable cell, the first of several; the optimum, the first of several cells, once
  `endgame` configurations are left.
- *rollout*: with more than `compare_above` configurations and at most `compare_up_to` the most probable
  cells are candidates, up to `candidates` of them that have at least `percent` percent of the greatest
  probability; a cell that lies under a candidate before it is left out. The cost of each is the misses of
  greedy (endgame 4) from there on, and the cheapest is shot, the first of several. Up to `cap`
  configurations the rollouts are exact. Above, they play on a sample, the configurations whose hash ends in
  b zero bits, with the least b that leaves at most `cap`. Above `screen`, a sample of at most `screen` first
  leaves only the `finalists` cheapest candidates. On samples they stop at `truncate` sampled configurations
  with an estimate.
- *nested rollout*: a rollout, but above `above` configurations the finalists are compared by the misses of
  an inner rollout policy instead of greedy, on a sample of at most `second`. Its candidates are up to
  `inner`, always costed on that sample; below `floor` configurations of it greedy plays on.
- *levels*: a nested rollout, but up to `until` configurations the candidates are compared by greedy, then
  by level 1, 2, … up to the last, on all configurations. Level k is a policy that compares up to its
  `candidates` in the same way by the levels below k, and is level k - 1 at `floor` configurations. After
  each comparison the candidates are sorted, and those more than `margin` above the cheapest, or past the
  first `kept`, are dropped.

A cell *lies under* another if all its configurations have the other cell too. If hits have labels, a
certain hit is a cell like others, and candidates under others are not left out.
"""

from libc.stdint cimport INT64_MAX, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, Cells, join, one, size
from columns cimport leading_one, mix_cells, transpose
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport (
    Block, Counts, Part, Words, compress, count, draw, free_block, gather, has_extra, lies_under,
    new_block, ones,
)
from optsearch.compiled.evaluation._labels cimport Labels, Replies
from optsearch.compiled.strategies._score cimport ScoreInput, Score, Scorer, choose_column, fill_scores

cdef enum:
    MARGIN = 4            # bits of the hash that are kept beyond those that a sample should need


cdef class EvaluatorBase:
    """A family and the rule that chooses shots in it.

    rule -- a `Rule` of `optsearch/search/rules.py`, already checked. labels -- of hits.
    """

    def __cinit__(self, rule, Labels labels, *_):
        cdef int i
        self.arena, self.cells = Arena(), len(rule.order)
        if not 0 < self.cells <= MAX_CELLS or labels.cells != self.cells:
            raise ValueError(f"{self.cells} cells; 1 to {MAX_CELLS} are handled")
        for i in range(self.cells):
            self.order[i] = rule.order[i]
        self.labels = labels
        self.has_labels = self.tracks = labels.label_count > 0
        self.rule.candidates, self.rule.percent = rule.candidates, rule.percent
        self.rule.endgame, self.rule.truncate = rule.endgame, rule.truncate
        self.rule.screen, self.rule.finalists, self.rule.cap = rule.screen, rule.finalists, rule.cap
        self.rule.compare_above = rule.compare_above if self.has_labels else 0
        self.rule.compare_up_to = rule.compare_up_to if self.has_labels else INT64_MAX
        self.rule.above, self.rule.second, self.rule.until = rule.above, rule.second, rule.until
        self.take_levels(rule)
        self.estimates = np.array(rule.estimates, np.int32)
        if self.rule.candidates > 1:
            self.known = <Known*>self.arena.array(KNOWN * SIZES, sizeof(Known))

    cdef int take_levels(self, rule) except -1:
        """Load the levels that compare exactly, and the level of nested rollouts on samples."""
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
        """Convert a mask of the board to a set of places in the order."""
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

        hits, misses -- the cells hit before, in all of them, and those missed. following -- True prepares
        `follow`. is_sample -- True if they are a sample of the family, for `shot`. weight_bits -- if hits
        have no labels: the bits of weights, which the histogram counts and the rule ignores; the sum of
        the weights is below 2^63.
        """
        cdef int i, hashes = <int>MAX_HASHES if is_sample else self.hashes_needed(n)
        if not 0 <= weight_bits <= (0 if self.has_labels else 63):
            raise ValueError(f"weights of {weight_bits} bits are not handled")
        self.weight_bits = weight_bits
        self.extras = self.labels.code_bits + weight_bits
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
        """Append configurations to the family, one per row.

        A row has the cells of a configuration in two words, and its extra bits in the others.
        """
        cdef int64_t row
        cdef int bit, word, words = 2 + ((self.extras + 63) >> 6)
        if self.root == NULL or self.added + rows.shape[0] > self.root.n:
            raise ValueError("more configurations than announced")
        if rows.shape[1] != words:
            raise ValueError(f"{rows.shape[1]} words each, not {words}")
        with nogil:
            for row in range(rows.shape[0]):
                bit = self.added & 63
                for word in range(words):
                    self.pending[word][bit] = rows[row, word]
                self.added += 1
                if bit == 63 or self.added == self.root.n:
                    self.flush()

    cdef void flush(self) noexcept nogil:
        """Turn the pending configurations into a word of every column."""
        cdef Block* block = self.root
        cdef int i, word, last = (self.added - 1) & 63
        cdef uint64_t* destination = block.data + ((self.added - 1) >> 6)
        cdef uint64_t hashes[64]
        if block.hashes:
            for i in range(64):
                hashes[i] = mix_cells(self.pending[0][i], self.pending[1][i]) if i <= last else 0
            transpose(hashes)
        for word in range(2 + ((self.extras + 63) >> 6)):
            for i in range(last + 1, 64):
                self.pending[word][i] = 0
            transpose(self.pending[word])
        for i in range(block.cells):
            destination[i * block.words] = self.pending[self.order[i] >> 6][self.order[i] & 63]
        for i in range(block.hashes):
            destination[(block.cells + i) * block.words] = hashes[i]
        for i in range(self.extras):
            destination[(block.cells + block.hashes + i) * block.words] = self.pending[2 + (i >> 6)][i & 63]

    def score_by(self, rule, board, lengths):
        """Load the scores of a rule; board and lengths are as in `Scorer`."""
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
        """Return the fault of the score that stopped the walk, as in `Scorer`, or None."""
        return next(
            (scorer.fault for scorer in self.scorers or () if scorer.fault is not None), None)

    def stop(self):
        """Make a walk that runs in another thread end at once; its result is then meaningless."""
        self.stopped = True

    def run(self):
        """Walk the family that was added; return int64 of shape (129,), configurations by misses.

        With weights, entries are total weights.
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
        """Return the misses of the configuration that was added as number `index`, or -1 if the walk stopped.

        Shots are chosen as by `run`, but only the path of this configuration is walked.
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
        """Walk the whole family that was added, and fill the histogram."""
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
        """Add the configurations of a part to the histogram."""

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        """Return the misses of a shot at a column and of the play after it; exact below `limit`.

        They are in units, UNIT to a miss. counts -- of the part, by column.
        """
        return 0

    cdef bint compares(self, int64_t n) noexcept nogil:
        """True if cells are compared by rollouts with n configurations."""
        return self.rule.candidates > 1 and self.rule.compare_above < n <= self.rule.compare_up_to

    cdef bint asks(self, int64_t n) noexcept nogil:
        """True if a score chooses the shot with n configurations."""
        return self.score != NULL and n > self.score.least

    cdef int ask_part(self, Score* score, const Part* part, const Counts* counts,
                      int shift) noexcept nogil:
        """Return the column that a score shoots, or -1 and stop the walk if its answer is wrong.

        shift -- each configuration represents 2^shift of them.
        """
        cdef ScoreInput score_input
        cdef int i
        self.describe(score, part, counts, shift, &score_input)
        i = choose_column(score, &score_input)
        self.stopped = self.stopped or i < 0
        return i

    cdef void rank_part(self, const Part* part, const Counts* counts, int shift,
                        double* values) noexcept nogil:
        """Fill the values that rank the columns: counts, or the ranker's scores; shift as in `ask_part`."""
        cdef ScoreInput score_input
        cdef int i
        for i in range(part.block.cells):
            values[i] = <double>counts.with_cell[i]
        if self.ranker != NULL:
            self.describe(self.ranker, part, counts, shift, &score_input)
            self.stopped = not fill_scores(self.ranker, &score_input, values) or self.stopped

    cdef void describe(self, Score* score, const Part* part, const Counts* counts, int shift,
                       ScoreInput* score_input) noexcept nogil:
        """Fill the input of a score from a part."""
        cdef int i
        score_input.n, score_input.shift = part.n, shift
        score_input.hits, score_input.misses = part.shots.hits, part.shots.misses
        if not self.has_labels:
            score_input.hits |= part.block.certain
            for i in range(part.block.cells):
                if counts.with_cell[i] == part.n:
                    score_input.hits |= one(part.block.cell[i])
        score_input.columns, score_input.cell = part.block.cells, part.block.cell
        score_input.having = counts.with_cell
        if score.uses_labels:
            self.describe_labels(score, part, counts, shift)

    cdef void describe_labels(self, Score* score, const Part* part, const Counts* counts,
                              int shift) noexcept nogil:
        """Fill the ships afloat, and the configurations by label of each shot, in the input of a score."""
        cdef Replies replies
        cdef int column, label
        if not self.labels.is_fixed:
            self.labels.count_afloat(part, score.afloat)
        memset(score.labelled, 0, score.kinds * score.cells * sizeof(int64_t))
        for column in range(part.block.cells):
            if (not 0 < counts.with_cell[column] < part.n + score.takes_certain
                    or not self.labels.can_tell(part.block.cell[column], part.shots.hits)):
                continue
            if not self.labels.shoot(part, column, counts.with_cell[column], &replies):
                self.failed = True
                return
            for label in range(score.kinds):
                score.labelled[label * score.cells + self.order[part.block.cell[column]]] = (
                    replies.labelled[label].n << shift)
            free(replies.masks)

    cdef int misses(self, const Part* part) noexcept nogil:
        """Count the misses that led from the family that was added to a part."""
        return size(part.shots.misses) - size(self.shots.misses)

    cdef bint is_over(self, const Part* part) noexcept nogil:
        """True if a part is not walked: the walk is stopped, or the configuration followed is not in it."""
        return self.stopped or self.failed or (
            self.following and not has_extra(part, self.extras))

    cdef int hashes_needed(self, int64_t n) noexcept nogil:
        """Return the number of bits of the hash that samples of n configurations may need.

        Configurations on equal cells have equal hashes; with labels many may be equal, so all bits are kept.
        """
        cdef int bits = 0
        if self.rule.candidates == 1 or n <= max(self.rule.screen, min(self.rule.until, self.rule.cap)):
            return 0
        while n > self.rule.screen:
            n >>= 1
            bits += 1
        return MAX_HASHES if self.has_labels else min(bits + MARGIN, <int>MAX_HASHES)

    cdef bint keeps(self, const Part* part, const Counts* counts, int column) noexcept nogil:
        """True if a part needs a column; counts -- of it, or of a part that includes it.

        With labels, that includes columns that all configurations have, unless they were shot.
        """
        if self.has_labels:
            return counts.with_cell[column] > 0 and not (
                (part.shots.hits | part.shots.misses) & one(part.block.cell[column]))
        return 0 < counts.with_cell[column] < counts.n

    cdef bint move(self, const Part* part, const Counts* before, Part* moved) noexcept nogil:
        """Copy a part into a block of its own, for the caller to free; False if there is no memory.

        before -- the counts of a part that includes this one; they decide which columns are dropped.
        """
        cdef int i, kept = 0
        cdef uint8_t columns[MAX_CELLS]
        for i in range(part.block.cells):
            columns[kept] = <uint8_t>i
            kept += self.keeps(part, before, i)
        moved[0] = part[0]
        moved.mask = NULL
        moved.block = compress(part, columns, kept, self.hashes_needed(part.n))
        if moved.block == NULL:
            self.failed = True
            return False
        for i in range(0 if self.has_labels else part.block.cells):
            if before.with_cell[i] == before.n:
                moved.block.certain |= one(part.block.cell[i])
        return True

    cdef uint64_t* allocate_masks(self, const Part* part) noexcept nogil:
        """Return two masks of the block, not filled, for the caller to free; else NULL, and set `failed`."""
        cdef uint64_t* masks = <uint64_t*>malloc(2 * part.block.words * sizeof(uint64_t))
        self.failed = self.failed or masks == NULL
        return masks

    cdef uint64_t words_of(self, const Part* part, int shift, Words* words) noexcept nogil:
        """Fill words from a part of at most 64 configurations; return the mask of their bits."""
        gather(part, self.has_labels, self.by_row if self.has_labels else self.weight_bits, words)
        self.stamp += 1
        words.stamp, words.shift = self.stamp, shift
        return ones(part.n)

    # Rollouts

    cdef int rollout(self, const Part* part, const Counts* counts) noexcept nogil:
        """Return the column of the cheapest candidate, by misses of greedy, levels or the inner policy."""
        cdef Candidates chosen
        cdef Part under = part[0]
        cdef bint nested = part.n > self.rule.above
        cdef int shift
        cdef uint64_t* drawn = NULL
        cdef double values[MAX_CELLS]
        self.rank_part(part, counts, 0, values)
        if part.n > self.rule.cap and not self.has_labels:
            drawn = self.allocate_masks(part)
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
        """Fill the candidates, at most `number`, by falling value.

        under -- the family, or a sample, that decides which cells lie under others; NULL keeps them.
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
                if (not tried[i] and 0 < counts.with_cell[i] < limit
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
        """Fill the costs of candidates on a sample of at most `most`; return the column of the cheapest.

        level -- the level whose misses count. giving_up -- True ends the rollouts of a candidate as soon as
        it costs more than the best one; its cost is then a lower bound.
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
            drawn = self.allocate_masks(part)
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
        """Return the column of the cheapest candidate, compared by greedy, then by each level up to `last`.

        shift -- each configuration represents 2^shift of them.
        """
        cdef Costing costing
        cdef int i, level, best = 0
        cdef int64_t slack, limit
        costing.shift = shift
        while last and part.n <= self.rule.level[last].floor + 1 - self.has_labels:
            last -= 1       # in all parts after a shot this level is the one below; a certain hit leaves n
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
        """Return the estimated misses of greedy for n configurations, each for 2^shift, in units."""
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
    """Keep the `most` cheapest candidates in their order, of equal ones the first."""
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
    """Sort candidates by cost, and keep at most `most` that cost less than the cheapest plus the slack."""
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
