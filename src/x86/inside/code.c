/* code.c - keeps the list of executable regions and copies of pages that can't change. */
#include "x86/inside/code.h"
#include "x86/inside/maps.h"
#include "x86/inside/sys.h"

#include <sys/mman.h>
#include <sys/syscall.h>

bool x86_code_init(x86_code *code)
{
    code->pages = x86_sys_map(0, sizeof *code->pages * X86_CODE_PAGES, PROT_READ | PROT_WRITE);
    return code->pages != NULL;
}

/* ---- what is executable ----------------------------------------------------------------------- */

/* Memory that is shared may be written through another mapping. */
static bool add_region(void *context, const x86_mapping *m)
{
    x86_code *code = context;
    if (m->executable)
        code->regions[code->n_regions++] = (x86_region){.lo = m->lo, .hi = m->hi, .writable = m->writable || m->shared};
    return code->n_regions < X86_MAX_REGIONS;
}

static bool try_to_load_regions(x86_code *code)
{
    code->n_regions = 0;
    return x86_maps_each(add_region, code);
}

static void load_regions(x86_code *code)
{
    code->no_list = true;
    for (int tries = 0; tries < 3 && code->no_list; tries++)
        code->no_list = !try_to_load_regions(code);
}

static const x86_region *known_region(const x86_code *code, uint64_t address)
{
    for (unsigned i = 0; i < code->n_regions; i++)
        if (address >= code->regions[i].lo && address < code->regions[i].hi)
            return &code->regions[i];
    return NULL;
}

static const x86_region *find_region(x86_code *code, uint64_t address)
{
    const x86_region *region = known_region(code, address);
    if (region)
        return region;
    load_regions(code);
    return known_region(code, address);
}

/* ---- its bytes -------------------------------------------------------------------------------- */

/* A copy of the page, or NULL if it can't be read. */
static const uint8_t *page_copy(x86_code *code, uint64_t number, bool writable)
{
    unsigned slot = number % X86_CODE_PAGES;
    if (code->page_numbers[slot] == number && !writable)
        return code->pages[slot];
    bool fine = x86_sys_peek(code->pages[slot], number * 4096, 4096) == 4096;
    code->page_numbers[slot] = fine ? number : 0;
    return fine ? code->pages[slot] : NULL;
}

size_t x86_code_read(x86_code *code, uint8_t *to, uint64_t from, size_t nbytes, bool *writable)
{
    size_t done = 0;
    *writable = false;
    while (done < nbytes) {
        uint64_t at = from + done;
        const x86_region *region = find_region(code, at);
        bool changes = region && (region->writable || code->all_writable);
        const uint8_t *page = region ? page_copy(code, at / 4096, changes) : NULL;
        if (!page)
            break;
        *writable = *writable || changes;
        size_t piece = 4096 - at % 4096;
        if (piece > nbytes - done)
            piece = nbytes - done;
        __builtin_memcpy(to + done, page + at % 4096, piece);
        done += piece;
    }
    return done;
}

/* ---- changes ---------------------------------------------------------------------------------- */

void x86_code_forget(x86_code *code, uint64_t lo, uint64_t hi)
{
    for (unsigned i = code->n_regions; i-- > 0;)
        if (code->regions[i].lo < hi && code->regions[i].hi > lo)
            code->regions[i] = code->regions[--code->n_regions];
    for (unsigned i = 0; i < X86_CODE_PAGES; i++)
        if (code->page_numbers[i] * 4096 < hi && code->page_numbers[i] * 4096 + 4096 > lo)
            code->page_numbers[i] = 0;
}

void x86_code_forget_all(x86_code *code)
{
    x86_code_forget(code, 0, UINT64_MAX);
}
