"""A bounded table in memory from byte strings to integers, exact: the complete key is compared.

It holds two generations. New entries go to the young one; when it is full, the old one is dropped and
the young one becomes old. An old entry that is found again is copied to the young one, so the entries
dropped are those unused for the longest time.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from hashing cimport scramble

cdef enum:
    CHUNK_BITS = 20               # records are in chunks of 1 MiB
    FIRST_SLOTS = 1 << 10
    RECORD = 16                   # bytes before the key: its value, its length

MAX_KEY = (1 << CHUNK_BITS) - RECORD


cdef uint64_t hash_bytes(const unsigned char* bytes, Py_ssize_t length) noexcept nogil:
    """Return a 64-bit hash, which only chooses slots."""
    cdef uint64_t hash = <uint64_t>length * <uint64_t>0x9E3779B97F4A7C15, word
    cdef Py_ssize_t i = 0
    while i < length:
        word = 0
        memcpy(&word, bytes + i, 8 if length - i >= 8 else length - i)
        hash = (hash ^ word) * <uint64_t>0xD6E8FEB86659FD93
        hash ^= hash >> 32
        i += 8
    return hash


cdef inline int64_t* record_value(Generation* generation, uint64_t place) noexcept nogil:
    return <int64_t*>(generation.chunks[place >> CHUNK_BITS] + (place & ((1 << CHUNK_BITS) - 1)))


cdef int64_t* find_record(Generation* generation, const Key* key) noexcept nogil:
    """Return the record of a key (value, length of the key, key), or NULL."""
    cdef uint64_t mask = generation.slots - 1, slot = key.hash & mask
    cdef int64_t* record
    if generation.slots == 0:
        return NULL
    while generation.places[slot]:
        if generation.hashes[slot] == key.hash:
            record = record_value(generation, generation.places[slot] - 1)
            if record[1] == key.length and memcmp(record + 2, key.bytes, key.length) == 0:
                return record
        slot = (slot + 1) & mask
    return NULL


cdef void clear(Generation* generation) noexcept nogil:
    """Free the memory of a generation, which is empty then."""
    cdef int i
    for i in range(generation.chunk_count):
        free(generation.chunks[i])
    free(generation.hashes)
    free(generation.places)
    memset(generation, 0, sizeof(Generation))


cdef bint enlarge(Generation* generation) noexcept nogil:
    """Double the slots of a generation; False if there is no memory."""
    cdef uint64_t slots = 2 * generation.slots if generation.slots else FIRST_SLOTS
    cdef uint64_t* hashes = <uint64_t*>calloc(slots, sizeof(uint64_t))
    cdef uint64_t* places = <uint64_t*>calloc(slots, sizeof(uint64_t))
    cdef uint64_t old_slot, slot
    if hashes == NULL or places == NULL:
        free(hashes)
        free(places)
        return False
    for old_slot in range(generation.slots):
        if generation.places[old_slot]:
            slot = generation.hashes[old_slot] & (slots - 1)
            while places[slot]:
                slot = (slot + 1) & (slots - 1)
            hashes[slot] = generation.hashes[old_slot]
            places[slot] = generation.places[old_slot]
    free(generation.hashes)
    free(generation.places)
    generation.hashes, generation.places, generation.slots = hashes, places, slots
    return True


cdef uint64_t memory_bytes(const Generation* generation) noexcept nogil:
    """Return the bytes of memory that a generation uses."""
    return (<uint64_t>generation.chunk_count << CHUNK_BITS) + 16 * generation.slots


cdef Key make_key(bytes given):
    cdef Key key
    key.bytes, key.length = given, len(given)
    key.hash = hash_bytes(key.bytes, key.length)
    return key


cdef class TranspositionTable:
    """A map from byte strings to signed 64-bit integers: the interface of the tables in memory."""

    cdef bint find(self, const Key* key, int64_t* value) noexcept nogil:
        """True if the key is there; then `value` is set."""
        return False

    cdef void store(self, const Key* key, int64_t value) noexcept nogil:
        """Store a value, if there is room."""

    def get(self, bytes key):
        """Return the value of a key, or None."""
        cdef Key table_key = make_key(key)
        cdef int64_t value
        return value if self.find(&table_key, &value) else None

    def put(self, bytes key, int64_t value):
        """Store the value of a key; a SharedTable keeps the better one of two."""
        cdef Key table_key = make_key(key)
        self.store(&table_key, value)


cdef class MemoryTable(TranspositionTable):
    """A map from byte strings to signed 64-bit integers, in at most `max_bytes` of memory.

    At least 8 MiB are allowed. A key longer than MAX_KEY bytes is not stored. Keys of families need no
    better hash: at three quarters full a look-up tries 2.4 to 2.7 slots, and a random one 2.5.
    """

    def __cinit__(self, max_bytes=1 << 30):
        self.max_bytes = max(<uint64_t>max_bytes, <uint64_t>8 << CHUNK_BITS)
        memset(&self.young, 0, sizeof(Generation))
        memset(&self.old, 0, sizeof(Generation))

    def __dealloc__(self):
        clear(&self.young)
        clear(&self.old)

    cdef bint find(self, const Key* key, int64_t* value) noexcept nogil:
        """True if the key is there; then `value` is set."""
        cdef int64_t* record = find_record(&self.young, key)
        if record == NULL:
            record = find_record(&self.old, key)
            if record == NULL:
                return False
            value[0] = record[0]
            self.add(key, value[0])
            return True
        value[0] = record[0]
        return True

    cdef void store(self, const Key* key, int64_t value) noexcept nogil:
        """Set the value of a key."""
        cdef int64_t* record = find_record(&self.young, key)
        if record != NULL:
            record[0] = value
        else:
            self.add(key, value)

    cdef void add(self, const Key* key, int64_t value) noexcept nogil:
        """Add a key that is not in the young generation to it, if there is memory."""
        cdef Generation* generation = &self.young
        cdef uint64_t record_bytes = RECORD + ((key.length + 7) & ~7), place, slot
        cdef int64_t* record
        if record_bytes > 1 << CHUNK_BITS:
            return
        if 2 * memory_bytes(generation) > self.max_bytes or generation.chunk_count == MAX_CHUNKS:
            clear(&self.old)
            self.old = self.young
            memset(generation, 0, sizeof(Generation))
        if 4 * (generation.used + 1) > 3 * generation.slots and not enlarge(generation):
            return
        if generation.chunk_count == 0 or generation.chunk_used + record_bytes > 1 << CHUNK_BITS:
            generation.chunks[generation.chunk_count] = <unsigned char*>malloc(1 << CHUNK_BITS)
            if generation.chunks[generation.chunk_count] == NULL:
                return
            generation.chunk_count += 1
            generation.chunk_used = 0
        place = ((<uint64_t>generation.chunk_count - 1) << CHUNK_BITS) + generation.chunk_used
        generation.chunk_used += record_bytes
        record = record_value(generation, place)
        record[0] = value
        record[1] = key.length
        memcpy(record + 2, key.bytes, key.length)
        slot = key.hash & (generation.slots - 1)
        while generation.places[slot]:
            slot = (slot + 1) & (generation.slots - 1)
        generation.hashes[slot] = key.hash
        generation.places[slot] = place + 1
        generation.used += 1

    def __len__(self):
        """Return the number of entries; one copied from the old generation counts twice."""
        return self.young.used + self.old.used

    @property
    def bytes(self):
        """Return the bytes of memory in use."""
        return memory_bytes(&self.young) + memory_bytes(&self.old)


cdef extern from *:
    """
    #define optsearch_load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define optsearch_store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
    #define optsearch_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
    #define optsearch_swap(p, old, new) \\
        __atomic_compare_exchange_n(p, old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
    """
    uint64_t load "optsearch_load"(uint64_t* p) noexcept nogil
    void store_word "optsearch_store"(uint64_t* p, uint64_t v) noexcept nogil
    uint64_t fetch_add "optsearch_add"(uint64_t* p, uint64_t v) noexcept nogil
    # if *p is `old`, set it to `new`; else set `old` to it
    bint compare_and_swap "optsearch_swap"(uint64_t* p, uint64_t* old, uint64_t new) noexcept nogil

cdef enum:
    PROBES = 64                   # slots tried per look-up
    PLACE_BITS = 40               # of a slot: the offset of its record; the rest are bits of the hash
    SLOT_FOR = 128                # bytes of memory per slot, at least
    HEAD = 8                      # words before the marks: the words of records in use, entries
    MARKS = 1 << 12               # words of marks, before the slots


cdef class SharedTable(TranspositionTable):
    """A table of bounds and optima of families, in memory that several processes share.

    memory -- a writable buffer, at least 64 KiB, all 0 before the first use.

    No process waits for another. A record is written before a slot names it and never moves; a slot is
    taken once; a value is one word, and only a better one replaces it. So every value read is complete,
    and a process that is killed leaves at most a record that no slot names. The complete key is compared.
    When the memory is full nothing is added. Marks before the slots show the families that processes are
    at.
    """

    def __cinit__(self, unsigned char[::1] memory):
        cdef uint64_t slots = 1, size = <uint64_t>memory.shape[0]
        if size < 1 << 16:
            raise ValueError(f"{size} bytes are too few to share")
        self.memory = memory
        while 2 * slots * SLOT_FOR <= size:
            slots *= 2
        self.head = <uint64_t*>&memory[0]
        self.marks = self.head + HEAD
        self.slots = self.marks + MARKS
        self.mask = slots - 1
        self.records = self.slots + slots
        self.record_room = size // 8 - HEAD - MARKS - slots

    cdef uint64_t* find_record(self, const Key* key, uint64_t hash) noexcept nogil:
        """Return the record of a key (value, length of the key, key), or NULL.

        hash -- of the key, scrambled, because the hashes of similar keys are close to each other.
        """
        cdef uint64_t slot
        cdef uint64_t* record
        cdef int probe
        for probe in range(PROBES):
            slot = load(self.slots + ((hash + probe) & self.mask))
            if slot == 0:
                return NULL
            if slot >> PLACE_BITS == hash >> PLACE_BITS:
                record = self.records + (slot & ((<uint64_t>1 << PLACE_BITS) - 1)) - 1
                if record[1] == <uint64_t>key.length and memcmp(record + 2, key.bytes, key.length) == 0:
                    return record
        return NULL

    cdef bint find(self, const Key* key, int64_t* value) noexcept nogil:
        """True if the key is there; then `value` is set."""
        cdef uint64_t* record = self.find_record(key, scramble(key.hash))
        if record == NULL:
            return False
        value[0] = <int64_t>load(record)
        return True

    cdef void store(self, const Key* key, int64_t value) noexcept nogil:
        """Store a value (see `is_better`), unless the stored one is better or the memory is full."""
        cdef uint64_t* record
        cdef uint64_t record_words = 2 + (key.length + 7) // 8, hash = scramble(key.hash)
        cdef uint64_t stored, offset, slot, empty
        cdef int probe
        record = self.find_record(key, hash)
        if record != NULL:
            stored = load(record)
            while is_better(value, <int64_t>stored) and not compare_and_swap(
                    record, &stored, <uint64_t>value):
                pass                      # another process was faster: `stored` is its value
            return
        if load(self.head) + record_words > self.record_room:
            return
        offset = fetch_add(self.head, record_words)
        if offset + record_words > self.record_room:
            return
        record = self.records + offset
        record[0] = <uint64_t>value
        record[1] = key.length
        memcpy(record + 2, key.bytes, key.length)
        slot = (hash >> PLACE_BITS << PLACE_BITS) | (offset + 1)   # high bits of the hash above the offset
        for probe in range(PROBES):
            empty = 0
            if compare_and_swap(self.slots + ((hash + probe) & self.mask), &empty, slot):
                fetch_add(self.head + 1, 1)     # the number of entries
                return

    # Marks of the families that processes are at. They are hints: families share places, and a process
    # that was killed has not removed its marks.

    cdef bint enter(self, const Key* key) noexcept nogil:
        """Mark that this process searches the family of a key; True if the place of the mark was free.

        So a family that takes long keeps its place while smaller ones come and go.
        """
        cdef uint64_t free_word = 0
        return compare_and_swap(self.marks + (key.hash & (MARKS - 1)), &free_word, key.hash)

    cdef void leave(self, const Key* key) noexcept nogil:
        """Remove the mark of the family of a key that `enter` made."""
        store_word(self.marks + (key.hash & (MARKS - 1)), 0)

    cdef bint is_busy(self, const Key* key) noexcept nogil:
        """True if a process seems to search the family of a key."""
        return load(self.marks + (key.hash & (MARKS - 1))) == key.hash

    def mark(self, bytes key):
        """Call `enter`; for tests."""
        cdef Key table_key = make_key(key)
        self.enter(&table_key)

    def is_marked(self, bytes key):
        """Return `is_busy`; for tests."""
        cdef Key table_key = make_key(key)
        return self.is_busy(&table_key)

    def __len__(self):
        """Return the number of entries; a key that two processes added at once counts twice."""
        return load(self.head + 1)

    @property
    def bytes(self):
        """Return the bytes of memory in use."""
        return 8 * (HEAD + MARKS + self.mask + 1 + min(load(self.head), self.record_room))


cdef bint is_better(int64_t value, int64_t known_value) noexcept nogil:
    """True if a value says more than the known one: it is exact, or the greater bound.

    Both are 2 * bound on the cost of a family, plus 1 if the bound is exact.
    """
    return (value & 1) > (known_value & 1) or ((value ^ known_value) & 1 == 0 and value > known_value)
