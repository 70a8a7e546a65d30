#include "jvm/undo/ring.h"

#include "base/check.h"

#include <string.h>
#include <sys/mman.h>

enum { CHUNKS = 16, LEAST_UNITS = CHUNKS * 256 };
static const uint64_t MOST_BYTES = (uint64_t)1 << 40;

jvm_undo_unit *jvm_undo_at, *jvm_undo_end;

static struct {
    jvm_undo_unit *base;
    uint64_t n, chunk; /* units */
    uint64_t lap;      /* position of base[0] as the writer sees it */
    uint64_t tail;
} ring;

static const bool has_bytes[] = {
#define JVM_KEPT(name, has_bytes) has_bytes,
#include "jvm/undo/undo.def"
#undef JVM_KEPT
};

/* ---- room ---- */

void *jvm_undo_map(size_t nbytes)
{
    void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool jvm_undo_ring_make(uint64_t nbytes)
{
    if (ring.base != NULL)
        munmap(ring.base, ring.n * sizeof *ring.base);
    memset(&ring, 0, sizeof ring);
    jvm_undo_at = jvm_undo_end = NULL;
    if (nbytes == 0 || nbytes > MOST_BYTES)
        return nbytes == 0;
    ring.chunk = nbytes / sizeof *ring.base / CHUNKS;
    if (ring.chunk < LEAST_UNITS / CHUNKS)
        ring.chunk = LEAST_UNITS / CHUNKS;
    ring.n = ring.chunk * CHUNKS;
    ring.base = jvm_undo_map(ring.n * sizeof *ring.base);
    if (ring.base == NULL) {
        ring.n = 0;
        return false;
    }
    jvm_undo_at = ring.base;
    jvm_undo_end = ring.base + ring.chunk;
    return true;
}

uint64_t jvm_undo_ring_nbytes(void) { return ring.n * sizeof *ring.base; }
uint64_t jvm_undo_ring_tail(void) { return ring.tail; }
uint64_t jvm_undo_ring_position(void) { return ring.lap + (uint64_t)(jvm_undo_at - ring.base); }

/* The writer may go up to `end`. */
static void open_until(uint64_t end)
{
    if (end > ring.n && end - ring.n > ring.tail)
        ring.tail = end - ring.n;
    jvm_undo_end = ring.base + (end - ring.lap);
}

void jvm_undo_turn(void)
{
    if (jvm_undo_at == ring.base + ring.n) {
        jvm_undo_at = ring.base;
        ring.lap += ring.n;
    }
    uint64_t position = jvm_undo_ring_position();
    open_until(position - position % ring.chunk + ring.chunk);
}

void jvm_undo_ring_go_to(uint64_t position)
{
    ebb_check(position >= ring.tail && position <= jvm_undo_ring_position());
    ring.lap = position - position % ring.n;
    jvm_undo_at = ring.base + position % ring.n;
    jvm_undo_turn();
}

/* n units in one piece (UR1). */
static void make_room(uint64_t n)
{
    uint64_t left = ring.n - (uint64_t)(jvm_undo_at - ring.base);
    if (n > left) {
        jvm_undo_at[left - 1] = (jvm_undo_unit){(uint64_t)JVM_KEPT_SKIP << JVM_KEPT_SHIFT, (left - 1) * sizeof *ring.base};
        jvm_undo_at += left;
        jvm_undo_turn();
    }
    if (jvm_undo_at + n > jvm_undo_end) {
        uint64_t end = jvm_undo_ring_position() + n;
        open_until((end + ring.chunk - 1) / ring.chunk * ring.chunk);
    }
}

bool jvm_undo_add(enum jvm_kept kind, const void *address, const void *a, size_t na, const void *b, size_t nb)
{
    uint64_t n = (na + nb + sizeof *ring.base - 1) / sizeof *ring.base + 1;
    if (n > ring.n / 4)
        return false;
    make_room(n);
    memcpy(jvm_undo_at, a, na);
    if (nb > 0)
        memcpy((char *)jvm_undo_at + na, b, nb);
    jvm_undo_at += n - 1;
    *jvm_undo_at++ = (jvm_undo_unit){(uintptr_t)address | (uint64_t)kind << JVM_KEPT_SHIFT, na + nb};
    if (jvm_undo_at == jvm_undo_end)
        jvm_undo_turn();
    return true;
}

/* ---- reading ---- */

jvm_undo_record jvm_undo_before(uint64_t *position)
{
    uint64_t last = *position - 1;
    const jvm_undo_unit *u = &ring.base[last % ring.n];
    jvm_undo_record r = {(enum jvm_kept)(u->where >> JVM_KEPT_SHIFT),
                         (void *)(uintptr_t)(u->where & (((uint64_t)1 << JVM_KEPT_SHIFT) - 1)), u->what, NULL};
    ebb_check(r.kind < JVM_NKEPT);
    if (has_bytes[r.kind]) {
        uint64_t n = (u->what + sizeof *u - 1) / sizeof *u;
        r.bytes = (const char *)(u - n);
        last -= n;
    }
    *position = last;
    return r;
}
