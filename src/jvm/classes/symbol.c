/* symbol.c - an open-addressed table that grows when three quarters of it are full. */
#include "jvm/classes/symbol.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Open addressing; grows at three quarters. */
static struct {
    jvm_sym **slots;
    size_t nslots, n;
    ebb_arena arena;
} table;

static uint32_t hash_of(const char *text, size_t nbytes)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < nbytes; i++)
        h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

static jvm_sym **find_slot(const char *text, size_t nbytes, uint32_t hash)
{
    size_t mask = table.nslots - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        jvm_sym *s = table.slots[i];
        if (s == NULL || (s->hash == hash && s->nbytes == nbytes && memcmp(s->text, text, nbytes) == 0))
            return &table.slots[i];
    }
}

static void grow(void)
{
    jvm_sym **old = table.slots;
    size_t nold = table.nslots;
    table.nslots = nold ? nold * 2 : JVM_SYMBOL_SLOTS;
    table.slots = ebb_zalloc(table.nslots * sizeof *table.slots);
    for (size_t i = 0; i < nold; i++)
        if (old[i] != NULL)
            *find_slot(old[i]->text, old[i]->nbytes, old[i]->hash) = old[i];
    free(old);
}

const jvm_sym *jvm_sym_getn(const char *text, size_t nbytes)
{
    if (table.n * 4 >= table.nslots * 3)
        grow();
    uint32_t hash = hash_of(text, nbytes);
    jvm_sym **slot = find_slot(text, nbytes, hash);
    if (*slot != NULL)
        return *slot;
    jvm_sym *s = ebb_arena_alloc(&table.arena, sizeof *s + nbytes + 1);
    s->hash = hash;
    s->nbytes = (uint32_t)nbytes;
    memcpy(s->text, text, nbytes);
    table.n++;
    return *slot = s;
}

const jvm_sym *jvm_sym_findn(const char *text, size_t nbytes)
{
    if (table.nslots == 0)
        return NULL;
    return *find_slot(text, nbytes, hash_of(text, nbytes));
}

const jvm_sym *jvm_sym_get(const char *text)
{
    return jvm_sym_getn(text, strlen(text));
}

const jvm_sym *jvm_sym_own(ebb_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int n = vasprintf(&text, format, args);
    va_end(args);
    jvm_sym *s = ebb_arena_alloc(arena, sizeof *s + (size_t)n + 1);
    s->hash = hash_of(text, (size_t)n);
    s->nbytes = (uint32_t)n;
    memcpy(s->text, text, (size_t)n);
    free(text);
    return s;
}

const jvm_sym *jvm_sym_getf(const char *format, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    const jvm_sym *sym;
    if ((size_t)n < sizeof small) {
        sym = jvm_sym_getn(small, (size_t)n);
    } else {
        char *big = ebb_alloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, format, again);
        sym = jvm_sym_getn(big, (size_t)n);
        free(big);
    }
    va_end(again);
    return sym;
}

bool jvm_sym_is(const jvm_sym *sym, const char *text)
{
    return strcmp(sym->text, text) == 0;
}
