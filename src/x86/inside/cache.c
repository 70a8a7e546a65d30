/* cache.c - arenas of host code, a hash table by guest address, and the links between blocks. */
#include "x86/inside/cache.h"
#include "x86/inside/sys.h"
#include "x86/inside/undo.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static const uint64_t reach = (uint64_t)1 << 30;    /* how far from guest code an arena may begin */
static const uint64_t spread = (uint64_t)32 << 20;  /* code that lies so near to other code can share its arenas */
static const uint64_t low_memory = 0x70000000;      /* where the lookup tables are tried first; address sanitizers' shadow begins at 0x7fff8000 */
static const uint64_t low_memory_end = 0x7f000000;

static size_t hash_of(uint64_t guest)
{
    return (guest * 0x9e3779b97f4a7c15u) >> (64 - X86_HASH_BITS);
}

static void clear_lookups(x86_cache *cache)
{
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i <= X86_LOOKUP_SIZE; i++)
            cache->lookups[k].table[i] = cache->lookups[k].missed; /* CA3 */
}

static void *map_low(size_t nbytes)
{
    for (uint64_t at = low_memory; at < low_memory_end; at += nbytes) {
        void *p = x86_sys_map(at, nbytes, PROT_READ | PROT_WRITE);
        if (p)
            return p;
    }
    return NULL;
}

bool x86_cache_init(x86_cache *cache, const uint64_t missed[2])
{
    enum { N = X86_LOOKUP_SIZE + 1 };
    uint64_t *low = map_low(2 * N * sizeof *low + X86_WATCH_TABLE_BYTES + X86_UNDO_LINES_BYTES + sizeof *cache->note_group);
    *cache = (x86_cache){.lookups = {{low, missed[0]}, {low + N, missed[1]}}};
    cache->hash = x86_sys_map(0, X86_HASH_SIZE * sizeof *cache->hash, PROT_READ | PROT_WRITE);
    cache->pages = x86_sys_map(0, X86_PAGE_HASH_SIZE * sizeof *cache->pages, PROT_READ | PROT_WRITE);
    if (!low || !cache->hash || !cache->pages)
        return false;
    cache->watch_table = (uint8_t *)(low + 2 * N);
    cache->undo_lines = (uint32_t *)(cache->watch_table + X86_WATCH_TABLE_BYTES);
    cache->note_group = cache->undo_lines + X86_UNDO_LINES_BYTES / sizeof *cache->undo_lines;
    clear_lookups(cache);
    return true;
}

/* A chunk is kept for the next round: flushing gives nothing back to the kernel. */
static bool next_heap_chunk(x86_cache *cache)
{
    uint8_t *next = NULL;
    if (cache->heap_at)
        next = *(uint8_t **)(cache->heap_end - X86_HEAP_CHUNK_BYTES);
    if (!next) {
        next = x86_sys_map(0, X86_HEAP_CHUNK_BYTES, PROT_READ | PROT_WRITE);
        if (!next)
            return false;
        if (cache->heap_at)
            *(uint8_t **)(cache->heap_end - X86_HEAP_CHUNK_BYTES) = next;
        else
            cache->heap_first = next;
    }
    cache->heap_at = next + 16;
    cache->heap_end = next + X86_HEAP_CHUNK_BYTES;
    return true;
}

void *x86_cache_alloc(x86_cache *cache, size_t nbytes)
{
    nbytes = (nbytes + 15) & ~(size_t)15; /* less than a chunk: making.h */
    if ((size_t)(cache->heap_end - cache->heap_at) < nbytes && !next_heap_chunk(cache))
        return NULL;
    void *p = cache->heap_at;
    cache->heap_at += nbytes;
    return p;
}

void x86_cache_flush(x86_cache *cache)
{
    clear_lookups(cache);
    for (size_t i = 0; i < X86_HASH_SIZE; i++)
        cache->hash[i] = NULL;
    for (size_t i = 0; i < X86_PAGE_HASH_SIZE; i++)
        cache->pages[i] = NULL;
    for (unsigned i = 0; i < cache->n_arenas; i++) {
        cache->arenas[i].at = cache->arenas[i].begin;
        cache->arenas[i].cold = cache->arenas[i].end;
        cache->arenas[i].n_index = 0;
    }
    if (cache->heap_first) {
        cache->heap_at = cache->heap_first + 16;
        cache->heap_end = cache->heap_first + X86_HEAP_CHUNK_BYTES;
    }
    cache->n_blocks = 0;
    cache->n_flushes++;
}

static bool is_same(x86_block_kind a, x86_block_kind b)
{
    return a.past_point == b.past_point && a.to_tick == b.to_tick && a.testing == b.testing;
}

x86_block *x86_cache_find(const x86_cache *cache, uint64_t guest, x86_block_kind kind)
{
    x86_block *block = cache->hash[hash_of(guest)];
    while (block && !(block->guest == guest && is_same(block->is, kind)))
        block = block->next;
    return block;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_near(const x86_arena *arena, uint64_t guest)
{
    return distance((uint64_t)arena->begin, guest) < reach;
}

/* CA7: arenas are as long as they are aligned. */
static bool has_own_low_half(const x86_cache *cache, uint64_t at)
{
    for (unsigned i = 0; i < cache->n_arenas; i++)
        if ((uint32_t)(uint64_t)cache->arenas[i].begin == (uint32_t)at)
            return false;
    return true;
}

static x86_arena *new_arena_at(x86_cache *cache, uint64_t at)
{
    if (!has_own_low_half(cache, at))
        return NULL;
    uint8_t *p = x86_sys_map(at, X86_ARENA_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (!p)
        return NULL;
    x86_block **index = x86_sys_map(0, X86_INDEX_SIZE * sizeof *index, PROT_READ | PROT_WRITE);
    if (!index)
        return NULL;
    x86_sys6(SYS_madvise, (long)p, X86_ARENA_BYTES, MADV_HUGEPAGE, 0, 0, 0); /* a wish: code is spread widely */
    x86_arena *arena = &cache->arenas[cache->n_arenas++];
    *arena = (x86_arena){p, p, p + X86_ARENA_BYTES, p + X86_ARENA_BYTES, index, 0};
    return arena;
}

/* Looks for a hole as far from the code, and what is around it, as can be reached, below it first: the kernel fills the room below libraries
 * from the top, and after a program's code its heap begins, which must be able to grow. */
static x86_arena *new_arena_near(x86_cache *cache, uint64_t guest)
{
    uint64_t base = guest & ~(spread - 1);
    x86_arena *arena = NULL;
    for (uint64_t away = reach - spread; !arena && away > spread; away -= X86_ARENA_BYTES)
        arena = base > away + 0x10000 ? new_arena_at(cache, base - away) : NULL;
    for (uint64_t away = reach - spread; !arena && away > spread; away -= X86_ARENA_BYTES)
        arena = new_arena_at(cache, base + away);
    return arena;
}

static bool has_room(const x86_arena *arena, size_t nbytes)
{
    return (size_t)(arena->cold - arena->at) >= nbytes && arena->n_index < X86_INDEX_SIZE;
}

x86_arena *x86_cache_arena(x86_cache *cache, uint64_t guest, size_t nbytes)
{
    unsigned most = X86_MAX_ARENAS;
    for (unsigned i = 0; i < cache->n_arenas; i++) {
        x86_arena *arena = &cache->arenas[i];
        if (is_near(arena, guest) && has_room(arena, nbytes))
            return arena;
        if (is_near(arena, guest))
            most = X86_MAX_ARENAS / 2; /* CA8 */
    }
    return cache->n_arenas < most ? new_arena_near(cache, guest) : NULL;
}

static x86_page_entry **page_chain(const x86_cache *cache, uint64_t page)
{
    return &cache->pages[(page * 0x9e3779b97f4a7c15u) >> (64 - X86_PAGE_HASH_BITS)];
}

static uint64_t first_page(const x86_block *block)
{
    return block->guest / 4096;
}

static uint64_t last_page(const x86_block *block)
{
    return (block->guest + block->guest_nbytes - 1) / 4096;
}

bool x86_cache_add(x86_cache *cache, x86_arena *arena, x86_block *block)
{
    for (uint64_t page = first_page(block); page <= last_page(block); page++) {
        x86_page_entry *entry = x86_cache_alloc(cache, sizeof *entry);
        if (!entry)
            return false;
        x86_page_entry **chain = page_chain(cache, page);
        *entry = (x86_page_entry){page, block, *chain};
        *chain = entry;
    }
    x86_block **chain = &cache->hash[hash_of(block->guest)];
    block->next = *chain;
    *chain = block;
    x86_cache_add_piece(arena, block);
    cache->n_blocks++;
    return true;
}

void x86_cache_add_piece(x86_arena *arena, x86_block *piece)
{
    arena->index[arena->n_index++] = piece;
    arena->at = piece->host + piece->host_nbytes;
}

static void unlink_exit(x86_exit *exit)
{
    x86_exit **link = &exit->to->incoming;
    while (*link != exit)
        link = &(*link)->next_incoming;
    *link = exit->next_incoming;
    patch_rel32(exit->field, exit->stub);
    exit->to = NULL;
}

static void forget(x86_cache *cache, const x86_block *block)
{
    const x86_lookup *lookup = &cache->lookups[block->is.testing];
    uint64_t *entry = &lookup->table[block->guest & (X86_LOOKUP_SIZE - 1)];
    if (*entry == (uint64_t)block->lookup_entry)
        *entry = lookup->missed;
}

static void drop_block(x86_cache *cache, x86_block *block)
{
    x86_block **chain = &cache->hash[hash_of(block->guest)];
    while (*chain && *chain != block)
        chain = &(*chain)->next;
    if (!*chain)
        return; /* dropped already, through its other page */
    *chain = block->next;
    forget(cache, block);
    while (block->incoming)
        unlink_exit(block->incoming);
    for (unsigned i = 0; i < block->n_exits; i++)
        if (block->exits[i].to)
            unlink_exit(&block->exits[i]);
    cache->n_blocks--;
}

static void drop_on_chain(x86_cache *cache, x86_page_entry **link, uint64_t lo, uint64_t hi)
{
    while (*link) {
        x86_block *block = (*link)->block;
        bool overlaps = block->guest < hi && block->guest + block->guest_nbytes > lo;
        if (overlaps) {
            drop_block(cache, block);
            *link = (*link)->next;
        } else {
            link = &(*link)->next;
        }
    }
}

void x86_cache_drop_range(x86_cache *cache, uint64_t lo, uint64_t hi)
{
    uint64_t first = lo / 4096, last = (hi + 4095) / 4096;
    if (last - first >= X86_PAGE_HASH_SIZE) {
        for (size_t i = 0; i < X86_PAGE_HASH_SIZE; i++)
            drop_on_chain(cache, &cache->pages[i], lo, hi);
        return;
    }
    for (uint64_t page = first; page < last; page++)
        drop_on_chain(cache, page_chain(cache, page), lo, hi);
}

void x86_cache_link(x86_exit *exit, x86_block *to)
{
    const uint8_t *entry = to->host - (exit->ticks ? to->tick_nbytes : 0);
    if (exit->to || exit->testing != to->is.testing || !reaches_rel32(exit->field, entry) || (exit->ticks && !to->tick_nbytes))
        return;
    patch_rel32(exit->field, entry);
    exit->to = to;
    exit->next_incoming = to->incoming;
    to->incoming = exit;
}

void x86_cache_remember(x86_cache *cache, const x86_block *block)
{
    cache->lookups[block->is.testing].table[block->guest & (X86_LOOKUP_SIZE - 1)] = (uint64_t)block->lookup_entry;
}

static const x86_block *block_with(const x86_arena *arena, uint64_t host)
{
    uint64_t lo = 0, hi = arena->n_index;
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        if ((uint64_t)arena->index[middle]->host <= host)
            lo = middle;
        else
            hi = middle;
    }
    const x86_block *block = arena->index[lo];
    return host - (uint64_t)block->host < block->host_nbytes && block->n_boundaries ? block : NULL;
}

static uint64_t guest_in(const x86_block *block, uint64_t offset)
{
    uint64_t guest = block->guest;
    for (unsigned i = 0; i + 1 < block->n_boundaries && block->boundaries[i + 1].host <= offset; i++)
        guest += block->boundaries[i].nbytes;
    return guest;
}

bool x86_cache_guest_of(const x86_cache *cache, uint64_t host, uint64_t *guest)
{
    for (unsigned i = 0; i < cache->n_arenas; i++) {
        const x86_arena *arena = &cache->arenas[i];
        if (host < (uint64_t)arena->begin || host >= (uint64_t)arena->at || !arena->n_index)
            continue;
        const x86_block *block = block_with(arena, host);
        if (block)
            *guest = guest_in(block, host - (uint64_t)block->host);
        return block != NULL;
    }
    return false;
}
