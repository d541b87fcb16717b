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
from optsearch.compiled.strategies._score cimport ScoreInput, Score, choose_column, fill_scores
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

    Parts of at most 64 configurations are walked *on words*: `words` has one word per column, a bit of
    which is a configuration, and the mask `members` says which of them are left. `trail` is the shots
    before.
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
        self.by_row = labels.code_bits if rule.endgame > 1 or rule.candidates > 1 else 0
        self.memo = <Entry*>self.arena.array(MEMO * (MAX_LEVELS + 1), sizeof(Entry))
        self.costs = <Cost*>self.arena.array(COSTS, sizeof(Cost))

    # The walk

    cdef void walk(self, const Part* part) noexcept nogil:
        """Add the configurations of a part to the histogram, by the misses that each takes."""
        cdef Counts counts
        cdef Replies replies
        cdef Part part_left = part[0]
        cdef int most_probable, column, label
        if self.is_over(part):
            return
        if part.n <= WORD:
            self.walk_few(part)
            return
        most_probable = count(part, self.has_labels, &counts)
        if most_probable < 0:
            self.histogram[self.misses(part)] += (
                sum_of_extras(part, self.weight_bits) if self.weight_bits else part.n)
            return
        while True:
            column = self.column_to_shoot(&part_left, &counts, most_probable)
            if column < 0 or self.failed:
                return
            if self.parts_of(&part_left, column, &counts, &replies):
                break
            counts.with_cell[column] = 0
        if self.failed:
            return
        for label in range(self.labels.label_count):
            if replies.labelled[label].n:
                self.descend(&replies.labelled[label], &counts)
        if replies.hit.n:
            self.descend(&replies.hit, &counts)
        if replies.missed.n:
            self.descend(&replies.missed, &counts)
        free(replies.masks)

    cdef int column_to_shoot(self, const Part* part, const Counts* counts, int most_probable) noexcept nogil:
        """Return the column to shoot, or -1 if the walk stops or no column is left.

        most_probable -- the first most probable uncertain column. Certain hits come before it.
        """
        cdef int column
        if self.compares(part.n):
            return self.rollout(part, counts)
        if self.asks(part.n) and self.score.takes_certain:
            return self.ask_part(self.score, part, counts, 0)
        if self.has_labels:
            for column in range(part.block.cells):
                if counts.with_cell[column] == part.n:
                    return column
        return self.ask_part(self.score, part, counts, 0) if self.asks(part.n) else most_probable

    cdef bint parts_of(self, Part* part, int column, const Counts* counts, Replies* replies) noexcept nogil:
        """Fill the parts after a shot, whose masks the caller frees; True also on failure.

        False if all give one reply, a hit, which is then added to the shots of the part.
        """
        cdef int64_t hit_count = counts.with_cell[column]
        cdef int label, place = part.block.cell[column]
        if hit_count == part.n and not self.labels.can_tell(place, part.shots.hits):
            part.shots.hits |= one(place)
            return False
        if not self.labels.shoot(part, column, hit_count, replies):
            self.failed = True
            return True
        if hit_count < part.n:
            return True
        if replies.hit.n == part.n:
            part.shots = replies.hit.shots
        for label in range(self.labels.label_count):
            if replies.labelled[label].n == part.n:
                part.shots = replies.labelled[label].shots
        if not part.shots.hits & one(place):
            return True
        free(replies.masks)
        return False

    cdef void descend(self, const Part* part, const Counts* before) noexcept nogil:
        """Walk a part, in a block of its own if it is at most half of its block."""
        cdef Part moved
        if part.n <= WORD or 2 * part.n > part.block.n or self.is_over(part):
            self.walk(part)
        elif self.move(part, before, &moved):
            self.walk(&moved)
            free_block(moved.block)

    cdef void walk_few(self, const Part* part) noexcept nogil:
        """Add a part of at most 64 configurations to the histogram."""
        cdef Words words
        cdef Trail trail
        cdef uint64_t members = self.words_of(part, 0, &words)
        begin_trail(part, &trail)
        self.walk_words(&words, members, &trail, self.misses(part))

    cdef void walk_words(self, Words* words, uint64_t members, const Trail* trail, int misses) noexcept nogil:
        """Add configurations of one word to the histogram of misses.

        words -- for each cell the configurations that have it, as bits. members -- those added, likewise.
        trail -- the shots before. misses -- the number of misses before.
        """
        cdef int size = popcount(members), column, label, total
        cdef uint32_t key
        cdef uint64_t certain_words[2]
        cdef uint64_t labelled[MAX_LABELS]
        cdef uint64_t hit, missed
        cdef Cells certain = 0
        cdef Trail trail_now, trail_if_hit
        cdef const Trail* trail_if_missed = trail
        if self.stopped or self.following and not members & words.bit[self.extras]:
            return
        if size <= self.rule.endgame or size == 1:
            self.add_optimal(words, members, size, trail, misses)
            return
        if self.has_labels:
            certain_words[0] = certain_words[1] = 0
            key = greatest_and_all(words.column, words.cells, members, size, &total, certain_words)
            certain = join(certain_words[0], certain_words[1]) & ~trail.shot
        else:
            key = greatest(words.column, words.cells, members, size, &total)
        if key >> 8 == 0:
            self.add_finished(words, members, misses)
            return
        if self.tracks:
            trail_now = trail[0]
            trail_if_missed = &trail_now
        while True:
            column = self.column_to_shoot_words(
                words, members, size, trail_if_missed, certain, 255 - <int>(key & 255))
            if column < 0:
                self.stopped = True
                return
            hit = members & words.column[column]
            missed = members & ~hit
            if self.has_labels:
                hit &= ~self.labels.part_words(words, hit, words.cell[column], trail_now.hits, labelled)
            if missed or not self.labels.is_alike(members, hit, labelled):
                break
            certain &= ~one(column)       # a certain hit that tells nothing
            after_hit(&trail_now, words, column, &trail_now)
        if self.tracks:
            after_hit(&trail_now, words, column, &trail_if_hit)
            trail_now.misses |= one(words.cell[column])
            trail = &trail_if_hit
        for label in range(self.labels.label_count):
            if labelled[label]:
                self.walk_words(words, labelled[label], trail, misses)
        if hit:
            self.walk_words(words, hit, trail, misses)
        if missed:
            self.walk_words(words, missed, trail_if_missed, misses + 1)

    cdef inline int column_to_shoot_words(self, Words* words, uint64_t members, int size, const Trail* trail,
                                          Cells certain, int most_probable) noexcept nogil:
        """Return the column to shoot, like `column_to_shoot`; certain -- columns of all, not hit yet."""
        if self.compares(size):
            return self.rollout_words(words, members, size, trail)
        if certain and not (self.asks(size) and self.score.takes_certain):
            return first(certain)
        return self.ask_words(self.score, words, members, trail) if self.asks(size) else most_probable

    cdef void add_finished(self, const Words* words, uint64_t members, int misses) noexcept nogil:
        """Add configurations whose game is over but for certain hits: all have these misses."""
        if not self.weight_bits:
            self.histogram[misses] += popcount(members)
            return
        while members:
            self.histogram[misses] += <int64_t>words.extra[0][ctz(members)]
            members &= members - 1

    cdef void add_optimal(self, const Words* words, uint64_t members, int size, const Trail* trail,
                          int misses) noexcept nogil:
        """Add a few configurations to the histogram, by the misses that an optimal tree gives each."""
        if size == 1:
            self.add_finished(words, members, misses)
        elif size <= SMALL and self.distinct and not (self.has_labels or self.following or self.weight_bits):
            self.add_few(size, self.least_of_few(words, members, size), misses)
        elif self.has_labels:
            self.labelled_endgame.add_leaves(words, members, size, trail.hits,
                                             words.bit[self.extras] if self.following else 0,
                                             self.histogram + misses)
        else:
            self.endgame.begin(words, members, size)
            self.add_optimal_tree(words, members, (1 << size) - 1, misses)

    cdef inline void add_few(self, int size, int least, int misses) noexcept nogil:
        """Add an optimal tree of 2 to 4 different configurations, given its total of misses.

        The total determines the misses of each: of two 0 1; of three 0 1 1 or 0 1 2; of four, split in two
        pairs or one by one, 0 1 1 1, 0 1 1 2, 0 1 2 2 or 0 1 2 3.
        """
        cdef int extra_misses = least - (size - 1)
        cdef int with_two_misses = 1 if extra_misses == 3 else extra_misses
        self.histogram[misses] += 1
        self.histogram[misses + 1] += size - 1 - extra_misses if extra_misses < 3 else 1
        if extra_misses:
            self.histogram[misses + 2] += with_two_misses
        if extra_misses == 3:
            self.histogram[misses + 3] += 1

    cdef inline int least_of_few(self, const Words* words, uint64_t members, int size) noexcept nogil:
        """Return the least total of misses of 2 to 4 members, as bits of the columns of `words`."""
        cdef int column
        cdef uint32_t seen = 0
        if self.distinct and size < SMALL:      # each of two has a cell that the other does not have
            return 1 if size == 2 else 2 if has_two(words.column, words.cells, members) else 3
        for column in range(words.cells):
            seen |= <uint32_t>1 << extract(words.column[column], members)
        return least_of_four(seen, size)

    cdef void add_optimal_tree(self, const Words* words, uint64_t members, int subset,
                               int misses) noexcept nogil:
        """Add the optimal tree of some of the members, which are loaded in `endgame`.

        subset -- the bits of these configurations by their numbers in the endgame.
        """
        cdef int hit = self.endgame.shot(subset) if subset & (subset - 1) else 0
        cdef bint alike = not self.following and not self.weight_bits
        cdef uint64_t bits = 0 if alike else deposit(subset, members)
        if self.following and not bits & words.bit[self.extras]:
            return
        if hit == 0:
            if alike:
                self.histogram[misses] += popcount(subset)
            else:
                self.add_finished(words, bits, misses)
            return
        self.add_optimal_tree(words, members, hit, misses)
        self.add_optimal_tree(words, members, subset ^ hit, misses + 1)

    # Scores

    cdef void describe_words(self, Score* score, const Words* words, uint64_t members, const Trail* trail,
                             ScoreInput* score_input, int64_t* counts) noexcept nogil:
        """Fill the input of a score from words; counts -- room for its counts."""
        cdef int i, t
        cdef uint64_t labelled[MAX_LABELS]
        score_input.n, score_input.shift = popcount(members), words.shift
        score_input.hits, score_input.misses = trail.hits, trail.misses
        score_input.columns, score_input.cell, score_input.having = words.cells, words.cell, counts
        if not self.has_labels:
            score_input.hits |= words.certain
        if score.uses_labels:
            if not self.labels.is_fixed:
                self.labels.count_afloat_words(words, members, trail.hits, score.afloat)
            memset(score.labelled, 0, score.kinds * score.cells * sizeof(int64_t))
        for i in range(words.cells):
            counts[i] = 0 if trail.shot & one(i) else popcount(words.column[i] & members)
            if not self.has_labels and counts[i] == score_input.n:
                score_input.hits |= one(words.cell[i])
            if (score.uses_labels and 0 < counts[i] < score_input.n + score.takes_certain
                    and self.labels.can_tell(words.cell[i], trail.hits)):
                self.labels.part_words(words, words.column[i] & members, words.cell[i], trail.hits, labelled)
                for t in range(score.kinds):
                    score.labelled[t * score.cells + self.order[words.cell[i]]] = (
                        <int64_t>popcount(labelled[t]) << words.shift)

    cdef int ask_words(self, Score* score, const Words* words, uint64_t members,
                       const Trail* trail) noexcept nogil:
        """Return the column that a score shoots, or -1 and stop the walk if its answer is wrong."""
        cdef ScoreInput score_input
        cdef int i
        cdef int64_t counts[MAX_CELLS]
        self.describe_words(score, words, members, trail, &score_input, counts)
        i = choose_column(score, &score_input)
        self.stopped = self.stopped or i < 0
        return i

    # Rollouts of words

    cdef int rollout_words(self, Words* words, uint64_t members, int size, const Trail* trail) noexcept nogil:
        """Return the column of the cheapest candidate by greedy or the levels, always exact."""
        cdef Candidates chosen
        self.choose_words(words, members, size, trail, self.rule.candidates, &chosen)
        return self.narrow_words(words, members, size, trail, 0, &chosen,
                                 self.rule.levels if size <= self.rule.until else 0)

    cdef int choose_words(self, Words* words, uint64_t members, int size, const Trail* trail, int number,
                          Candidates* chosen) noexcept nogil:
        """Fill the candidates, at most `number`; return the sum of uncertain cells over configurations."""
        cdef int column, earlier, candidate, total = 0
        cdef uint32_t key, highest = 0, lowest = 1
        cdef uint64_t counts[MAX_CELLS]
        cdef uint32_t keys[MAX_CELLS]     # count or rank << 8 | 255 - column; 0: no candidate
        cdef uint64_t members_there
        count_cells(words.column, words.cells, members, counts)
        for column in range(words.cells):
            keys[column] = (<uint32_t>counts[column]
                            if counts[column] < <uint64_t>(size + self.has_labels) else 0)
            total += <int>counts[column] if counts[column] < <uint64_t>size else 0
            if self.has_labels and trail.shot & one(column):
                keys[column] = 0
            highest = keys[column] if keys[column] > highest else highest
        if self.ranker != NULL:
            self.rank_words(words, members, trail, keys)
        else:
            lowest = max(1, (self.rule.percent * highest + 99) // 100)
        for column in range(words.cells):
            keys[column] = keys[column] << 8 | (255 - column) if keys[column] >= lowest else 0
        chosen.n = 0
        while chosen.n < number:
            key = 0
            for column in range(words.cells):
                key = keys[column] if keys[column] > key else key
            if key == 0:
                break
            candidate = 255 - (key & 255)
            keys[candidate] = 0
            members_there = words.column[candidate] & members
            for earlier in range(0 if self.has_labels else chosen.n):
                if not members_there & ~words.column[chosen.column[earlier]]:
                    break
            else:
                chosen.column[chosen.n] = candidate
                chosen.n += 1
        return total

    cdef void rank_words(self, const Words* words, uint64_t members, const Trail* trail,
                         uint32_t* keys) noexcept nogil:
        """Replace the counts in `keys` by ranks by score, from 1; equal scores have equal ranks.

        The rank is 0 if a column is not a candidate, or below `percent` of the highest score.
        """
        cdef int column, other
        cdef double highest = 0
        cdef double values[MAX_CELLS]
        cdef ScoreInput score_input
        cdef int64_t counts[MAX_CELLS]
        cdef bint is_first = True
        cdef uint32_t ranks[MAX_CELLS]
        self.describe_words(self.ranker, words, members, trail, &score_input, counts)
        for column in range(words.cells):
            values[column] = <double>counts[column]
        self.stopped = not fill_scores(self.ranker, &score_input, values) or self.stopped
        for column in range(words.cells):
            if keys[column] and (is_first or values[column] > highest):
                is_first, highest = False, values[column]
        for column in range(words.cells):
            # Written as "not below": with an infinite highest score and percent 0 it must be True.
            ranks[column] = keys[column] != 0 and (
                highest <= 0 or not 100 * values[column] < self.rule.percent * highest)
            for other in range(words.cells if ranks[column] else 0):
                ranks[column] += keys[other] != 0 and values[other] < values[column]
        memcpy(keys, ranks, words.cells * sizeof(uint32_t))

    cdef int narrow_words(self, Words* words, uint64_t members, int size, const Trail* trail, int left,
                          Candidates* chosen, int last_level) noexcept nogil:
        """Return the column of the cheapest candidate, like `narrow`, on words."""
        cdef int index, level, best = 0
        cdef int64_t slack, limit
        while last_level and size <= self.rule.level[last_level].floor + 1 - self.has_labels:
            last_level -= 1
        for level in range(last_level + 1):
            if chosen.n == 1:
                break
            slack = 0 if level == last_level else self.rule.level[level].margin * size + 1
            limit = INT64_MAX
            for index in range(chosen.n):
                chosen.cost[index] = self.cost_words(words, members, chosen.column[index], trail, left,
                                                     level, limit)
                if chosen.cost[index] < chosen.cost[best]:
                    best = index
                limit = chosen.cost[best] + slack
            if level < last_level:
                keep_close(chosen, slack, self.rule.level[level].kept)
                best = 0
        return chosen.column[best]

    cdef int64_t cost_words(self, Words* words, uint64_t members, int column, const Trail* trail,
                            int left, int level, int64_t limit) noexcept nogil:
        """Return the misses of a shot and of the play after it, like `cost`, on words."""
        cdef uint64_t hit = members & words.column[column], missed = members & ~words.column[column]
        cdef uint64_t labelled[MAX_LABELS]
        cdef int64_t cost = UNIT * <int64_t>popcount(missed)
        cdef Trail trail_after
        cdef const Trail* trail_then = trail
        cdef int label
        if self.tracks:
            after_hit(trail, words, column, &trail_after)
            trail_then = &trail_after
        if self.has_labels:
            hit &= ~self.labels.part_words(words, hit, words.cell[column], trail.hits, labelled)
            for label in range(self.labels.label_count):
                if labelled[label]:
                    cost += self.roll_part(words, labelled[label], trail_then, left - 1, level)
        if hit:
            cost += self.roll_part(words, hit, trail_then, left - 1, level)
        if missed and cost < limit:
            if self.tracks:
                trail_after = trail[0]
                trail_after.misses |= one(words.cell[column])
            cost += self.roll_part(words, missed, trail_then, left, level)
        return cost

    cdef inline int64_t roll_part(self, Words* words, uint64_t members, const Trail* trail, int left,
                                  int level) noexcept nogil:
        """Return the total of misses, in units, if a level of play (0: greedy) goes on from a part on words.

        members -- the part, as bits. left -- the uncertain cells of a configuration, for estimates.
        """
        if level:
            return self.roll_level(words, members, trail, left, level)
        if self.tracks:
            return self.roll_tracked(words, members, trail, left)
        return self.roll_words(words, members, left)

    cdef int64_t roll_level(self, Words* words, uint64_t members, const Trail* trail, int left,
                            int level) noexcept nogil:
        """Return what `roll_part` does for a level above greedy."""
        cdef Candidates chosen
        cdef Entry* entry = NULL
        cdef Cost* tracked_entry = NULL
        cdef int64_t cost
        cdef int column, total, size = popcount(members)
        while level and size <= self.rule.level[level].floor:
            level = self.rule.level[level].below
        if level == 0:
            return self.roll_part(words, members, trail, left, 0)
        if words.shift and size <= self.rule.truncate:
            return self.estimate(size, left, words.shift)
        if self.tracks:
            tracked_entry = self.place_of_cost(members, trail, level)
            if self.is_cost(tracked_entry, words, members, trail, level):
                return tracked_entry.cost
        else:
            entry = &self.memo[MEMO * level + (members * <uint64_t>0x9E3779B97F4A7C15 >> 54)]
            if entry.part == members and entry.stamp == words.stamp:
                return entry.cost
        total = self.choose_words(words, members, size, trail, self.rule.level[level].candidates, &chosen)
        if chosen.n == 0 or total == 0 and not words.shift:
            return 0
        left = (total + size // 2) // size if words.shift else 0
        column = self.narrow_words(words, members, size, trail, left, &chosen, self.rule.level[level].below)
        cost = self.cost_words(words, members, column, trail, left, level, INT64_MAX)
        if self.tracks:
            fill_cost(tracked_entry, words, members, trail, level, cost)
        else:
            entry.part, entry.stamp, entry.cost = members, words.stamp, cost
        return cost

    cdef int64_t roll_tracked(self, Words* words, uint64_t members, const Trail* trail,
                              int left) noexcept nogil:
        """Return what `roll_part` does for greedy, or the policy's score, if the shots before matter."""
        cdef int size = popcount(members), total, column = -1
        cdef bint is_asked = self.policy != NULL and <int64_t>size << words.shift > self.policy.least
        cdef uint32_t key
        cdef uint64_t certain_words[2]
        cdef uint64_t labelled[MAX_LABELS]
        cdef uint64_t hit
        cdef Cells certain
        cdef int64_t cost = 0
        cdef Trail trail_now
        cdef Cost* entry = NULL
        if words.shift and size <= self.rule.truncate:
            return self.estimate(size, left, words.shift)
        if self.stopped:
            return 0
        if not self.has_labels and (size <= SMALL or not is_asked):
            return self.roll_words(words, members, left)
        if size <= SMALL:
            return UNIT * <int64_t>self.labelled_endgame.misses(words, members, size, trail.hits)
        if self.rule.compare_above < WORD:     # else these words are played once only
            entry = self.place_of_cost(members, trail, 0)
            if self.is_cost(entry, words, members, trail, 0):
                return entry.cost
        certain_words[0] = certain_words[1] = 0
        key = greatest_and_all(words.column, words.cells, members, size, &total, certain_words)
        if key >> 8 == 0 and not words.shift:
            return 0
        left = (total + size // 2) // size
        trail_now = trail[0]
        certain = join(certain_words[0], certain_words[1]) & ~trail_now.shot if self.has_labels else 0
        while certain and column < 0:
            column = first(certain)
            certain &= certain - 1
            hit = members & ~self.labels.part_words(words, members, words.cell[column], trail_now.hits,
                                                    labelled)
            if self.labels.is_alike(members, hit, labelled):
                after_hit(&trail_now, words, column, &trail_now)
                column = -1
        if column < 0 and key >> 8:
            column = 255 - <int>(key & 255)
            if is_asked:
                column = self.ask_words(self.policy, words, members, &trail_now)
        if column >= 0:
            cost = self.cost_words(words, members, column, &trail_now, left, 0, INT64_MAX)
        if entry != NULL:
            fill_cost(entry, words, members, trail, 0, cost)
        return cost

    cdef inline Cost* place_of_cost(self, uint64_t members, const Trail* trail, int level) noexcept nogil:
        """Return the entry of the table of costs for a level, a part (bits of words) and the shots before."""
        return &self.costs[
            scramble(members ^ scramble(low(trail.hits) ^ scramble(high(trail.hits) + <uint64_t>level)))
            & (COSTS - 1)]

    cdef inline bint is_cost(self, const Cost* entry, const Words* words, uint64_t members,
                             const Trail* trail, int level) noexcept nogil:
        """True if an entry of that table is for this level, part and shots."""
        return (entry.stamp == words.stamp and entry.part == members and entry.hits == trail.hits
                and entry.level == level
                and (self.policy == NULL and self.ranker == NULL or entry.misses == trail.misses))

    cdef inline int64_t roll_words(self, Words* words, uint64_t members, int left) noexcept nogil:
        """Return what `roll_part` does for greedy, if the shots before do not matter."""
        cdef int size = popcount(members)
        if size <= 2 and self.distinct and not words.shift:
            return UNIT * (size == 2)     # each has a cell that the other does not have
        return self.roll_more(words, members, left)

    cdef int64_t roll_more(self, Words* words, uint64_t members, int left) noexcept nogil:
        """Return what `roll_words` does for three configurations or more, samples, or equal cells."""
        cdef int size = popcount(members), best, total
        cdef uint32_t key
        cdef int64_t cost
        cdef Entry* entry
        if words.shift and size <= self.rule.truncate:
            return self.estimate(size, left, words.shift)
        if size <= SMALL:
            if size <= 1:
                return 0
            return UNIT * <int64_t>self.least_of_few(words, members, size)
        entry = &self.memo[(members * <uint64_t>0x9E3779B97F4A7C15) >> 54]
        if entry.part == members and entry.stamp == words.stamp:
            return entry.cost
        key = greatest(words.column, words.cells, members, size, &total)
        if key >> 8 == 0:
            return 0
        best = 255 - (key & 255)
        left = (total + size // 2) // size if words.shift else 0
        cost = UNIT * <int64_t>(size - (key >> 8))
        cost += self.roll_words(words, members & words.column[best], left - 1)
        cost += self.roll_words(words, members & ~words.column[best], left)
        entry.part, entry.stamp, entry.cost = members, words.stamp, cost
        return cost

    # Rollouts of larger parts

    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil:
        """Return the misses of a shot and of the play after it, as `EvaluatorBase.cost`."""
        cdef Replies replies
        if not self.labels.shoot(part, column, counts.with_cell[column], &replies):
            self.failed = True
            return 0
        return self.play_parts(&replies, column, counts, costing, limit)

    cdef int64_t play_parts(self, Replies* replies, int column, const Counts* counts,
                            const Costing* costing, int64_t limit) noexcept nogil:
        """Return `cost` from the parts after the shot, and free their masks."""
        cdef const Part* hit = &replies.hit
        cdef const Part* missed = &replies.missed
        cdef Counts hit_counts, missed_counts
        cdef int64_t cost = UNIT * missed.n
        cdef int label
        for label in range(self.labels.label_count):
            if replies.labelled[label].n:
                if replies.labelled[label].n > WORD:
                    count(&replies.labelled[label], True, &hit_counts)
                cost += self.play(&replies.labelled[label], &hit_counts, counts.left - 1, costing)
        if hit.n > WORD:
            count(hit, self.has_labels, &hit_counts)
        cost += self.play(hit, &hit_counts, counts.left - 1, costing)
        if cost < limit:
            if missed.n > WORD and hit.n > WORD and missed.n + hit.n == counts.n:
                hit_counts.with_cell[column] = hit.n       # it is 0 if certain hits count
                count_rest(counts, &hit_counts, missed.block.cells, &missed_counts)
            elif missed.n > WORD:
                count(missed, self.has_labels, &missed_counts)
            cost += self.play(missed, &missed_counts, counts.left, costing)
        free(replies.masks)
        return cost

    cdef int64_t play(self, const Part* part, const Counts* counts, int left,
                      const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part; small parts of a sample have an estimate.

        counts -- of the part, if it is larger than a word.
        """
        cdef Part moved = part[0]
        cdef Counts moved_counts
        cdef Known name
        cdef Known* entry
        cdef Cells certain
        cdef Costing costing_here = costing[0]
        if part.n == 0 or self.failed or self.stopped:
            return 0
        while costing_here.level and part.n <= self.rule.level[costing_here.level].floor:
            costing_here.level = self.rule.level[costing_here.level].below
        if costing_here.shift and part.n <= self.rule.truncate:
            return self.estimate(part.n, left, costing_here.shift)
        if part.n <= WORD:
            return self.play_few(part, left, &costing_here)
        if counts.greatest < 0 and not (self.has_labels and costing_here.shift):
            return 0
        certain = part.block.certain | places(part.block, counts.all)
        entry = self.entry_of(part, certain, places(part.block, counts.some) & ~certain, &costing_here, &name)
        if is_known(entry, &name):
            return entry.cost
        name.cost = 0
        if 2 * part.n > part.block.n:
            name.cost = self.roll(part, counts, &costing_here)
        elif self.move(part, counts, &moved):
            self.keep_counts(part, counts, &moved_counts)
            name.cost = self.roll(&moved, &moved_counts, &costing_here)
            free_block(moved.block)
        if not self.failed:
            entry[0] = name
        return name.cost

    cdef void keep_counts(self, const Part* part, const Counts* counts, Counts* kept) noexcept nogil:
        """Fill the counts of a part by the columns of the block that `move` makes."""
        cdef int column, kept_column = 0
        kept.n, kept.left, kept.greatest = counts.n, counts.left, -1
        for column in range(part.block.cells):
            if column == counts.greatest:
                kept.greatest = kept_column
            kept.with_cell[kept_column] = counts.with_cell[column]
            kept_column += self.keeps(part, counts, column)

    cdef int64_t play_few(self, const Part* part, int left, const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part of at most 64 configurations."""
        cdef Words words
        cdef Trail trail
        cdef Known name
        cdef Known* entry
        cdef bint is_kept = part.n > FORGOTTEN
        cdef uint64_t members
        if not self.has_labels:
            members = self.words_of(part, costing.shift, &words)
        if is_kept:
            entry = self.entry_of(part, words.certain, words.places, costing, &name)
            if is_known(entry, &name):
                return entry.cost
        if self.has_labels:
            members = self.words_of(part, costing.shift, &words)
        begin_trail(part, &trail)
        name.cost = self.roll_part(&words, members, &trail, left, costing.level)
        if is_kept:
            entry[0] = name
        return name.cost

    cdef Known* entry_of(self, const Part* part, Cells certain, Cells uncertain, const Costing* costing,
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
                name.shots.misses = uncertain
        name.mode = 1 + costing.shift + MODES * costing.level
        return &self.known[place_of(name, part.n)]

    cdef int64_t roll(self, const Part* part, const Counts* counts, const Costing* costing) noexcept nogil:
        """Return the misses of a level in a part of more than 64 configurations."""
        cdef Candidates chosen
        cdef Replies replies
        cdef Counts counts_left
        cdef Part part_left = part[0]
        cdef double values[MAX_CELLS]
        cdef int column, cheapest, most_probable = counts.greatest
        if costing.level:
            self.rank_part(part, counts, costing.shift, values)
            self.choose(NULL if self.has_labels else part, part.block.cells, counts, values,
                        self.rule.level[costing.level].candidates, &chosen)
            if chosen.n == 0:
                return 0
            cheapest = self.narrow(part, counts, costing.shift, &chosen,
                                   self.rule.level[costing.level].below)
            return self.cost(part, cheapest, counts, costing, INT64_MAX)
        if self.has_labels:
            counts_left = counts[0]
            counts = &counts_left
            for column in range(part.block.cells):
                if counts_left.with_cell[column] == part.n:
                    if self.parts_of(&part_left, column, &counts_left, &replies):
                        return 0 if self.failed else self.play_parts(
                            &replies, column, &counts_left, costing, INT64_MAX)
                    counts_left.with_cell[column] = 0
        if most_probable >= 0 and self.policy != NULL and part.n << costing.shift > self.policy.least:
            most_probable = self.ask_part(self.policy, &part_left, counts, costing.shift)
        return self.cost(&part_left, most_probable, counts, costing, INT64_MAX) if most_probable >= 0 else 0

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
                counts.with_cell[i] = exact_counts[cell]
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


cdef inline void begin_trail(const Part* part, Trail* trail) noexcept nogil:
    """Fill the shots before a part; no column of its words is shot yet."""
    trail.hits, trail.misses, trail.shot = part.shots.hits, part.shots.misses, 0


cdef inline void after_hit(const Trail* trail, const Words* words, int column, Trail* after) noexcept nogil:
    """Fill the shots with one more hit, at a column."""
    after.hits, after.misses = trail.hits | one(words.cell[column]), trail.misses
    after.shot = trail.shot | one(column)


cdef inline void fill_cost(Cost* entry, const Words* words, uint64_t members, const Trail* trail, int level,
                           int64_t cost) noexcept nogil:
    """Fill an entry of the table of costs."""
    entry.hits, entry.misses, entry.part = trail.hits, trail.misses, members
    entry.stamp, entry.cost, entry.level = words.stamp, cost, level


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
