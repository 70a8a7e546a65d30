/* last.c - where only the last write of each place is kept (JAVA_FLOW_WRITES).
 *
 * There are no records: who wrote the 4 bytes last lies in their shadow, and when in a word of 8 bytes at twice their address (jvm_last_time_of), so a write is two stores
 * and nothing has to be collected.
 *
 * LW1  a shadow is 0 (nothing was written since the object was made, or since flow is on), the instruction's address divided by 16, mod 2^32; or, if JVM_LAST_NATIVE
 *      is set in the word of the time, the number of the context of a method that C code worked for;
 * LW2  an instruction is told only if there is one such address in all code that was there when it was written. */
#include "jvm/flow/internal.h"

#include "jvm/classes/loader.h"
#include "jvm/engine/ops.h"
#include "jvm/heap/heap.h"

#include <string.h>

/* ---- what C code writes ---- */

static void put(void *at, uint32_t by, uint64_t flags)
{
    *jvm_shadow_of(at) = by;
    *jvm_last_time_of(at) = jvm_flow_now() << 20 | JVM_LAST_NATIVE | flags;
}

void flow_last_native(void *first, size_t nbytes, uint32_t context)
{
    char *at = first, *end = at + nbytes;
    uint32_t by = context == 0 ? JVM_ALIAS_UNKNOWN : context;
    bool is_small = nbytes < 4 && ((uintptr_t)at & 3) + nbytes <= 4;
    if (is_small)
        put(at, by, JVM_LAST_SMALL | ((uintptr_t)at & 3));
    for (char *word = (char *)((uintptr_t)at & ~(uintptr_t)3); !is_small && word < end; word += 4)
        put(word, word < at || word + 4 > end ? JVM_ALIAS_UNKNOWN : by, 0); /* a part of it is somebody else's */
}

/* ---- looking ---- */

typedef struct search {
    uint32_t shadow;
    uint64_t time;
    const jvm_method *m;
    uint32_t index, n;       /* how many there are */
} search;

static void search_method(search *s, const jvm_method *m)
{
    uint32_t index = m->code == NULL ? 0 : s->shadow - (uint32_t)((uintptr_t)m->code->insns >> 4);
    if (m->code == NULL || index >= m->code->n || m->code->since > s->time)
        return;
    s->m = m;
    s->index = index;
    s->n++;
}

static void search_class(jvm_class *cls, void *arg)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        search_method(arg, &cls->methods[i]);
}

/* LW2 */
static bool find_instruction(const void *at, search *s)
{
    *s = (search){.shadow = *jvm_shadow_of(at), .time = *jvm_last_time_of(at) >> 20};
    jvm_each_class(search_class, s);
    return s->n == 1 && flow_follows(s->m);
}

/* FO2, as far as 16 bits tell. */
bool flow_last_is_stale(const void *at, size_t nbytes)
{
    uint64_t word = *jvm_last_time_of(at);
    uint16_t value = 0;
    const char *from = (word & JVM_LAST_SMALL) ? (const char *)((uintptr_t)at & ~(uintptr_t)3) + (word & 3) : at;
    memcpy(&value, from, nbytes == 1 ? 1 : sizeof value);
    uint16_t mask = nbytes == 1 ? 0xff : 0xffff;
    return *jvm_shadow_of(at) != 0 && !(word & JVM_LAST_NATIVE) && ((value ^ word >> 4) & mask) != 0;
}

uint64_t flow_last_of_address(const void *at, size_t nbytes)
{
    uint64_t word = *jvm_last_time_of(at);
    if (*jvm_shadow_of(at) == 0)
        return 0;
    if (nbytes < 4 && (word & JVM_LAST_SMALL) && (word & 3) != ((uintptr_t)at & 3))
        return JVM_ALIAS_UNKNOWN;
    return flow_last_is_stale(at, nbytes) ? 0 : (uintptr_t)at | JVM_ALIAS_LAST;
}

static bool tell_unknown(uint64_t number, jvm_alias_told *out)
{
    *out = (jvm_alias_told){.number = number, .kind = JAVA_ALIAS_UNKNOWN};
    return true;
}

static bool tell_native(const void *at, uint64_t number, jvm_alias_told *out)
{
    uint32_t context = *jvm_shadow_of(at);
    if (context < JVM_ALIAS_FIRST || !flow_has(context))
        return tell_unknown(number, out);
    *out = (jvm_alias_told){.number = number, .kind = JAVA_ALIAS_NATIVE, .time = *jvm_last_time_of(at) >> 20, .place = jvm_alias_at(context)->value | 0xffff, .context = context};
    return true;
}

bool flow_last_get(uint64_t number, jvm_alias_told *out)
{
    search s;
    const void *at = (const void *)(uintptr_t)(number & ~JVM_ALIAS_LAST);
    uint64_t word = *jvm_last_time_of(at);
    if (word & JVM_LAST_NATIVE)
        return tell_native(at, number, out);
    if (!find_instruction(at, &s))
        return tell_unknown(number, out);
    bool is_element = s.m->bytes[s.m->code->bci[s.index]] != JVM_OP_putfield && s.m->bytes[s.m->code->bci[s.index]] != JVM_OP_putstatic;
    *out = (jvm_alias_told){.number = number, .kind = is_element ? JAVA_ALIAS_ARRAY_WRITE : JAVA_ALIAS_FIELD_WRITE, .time = word >> 20,
                            .place = jvm_method_place(s.m, s.m->code->bci[s.index]), .context = flow_method_context((jvm_method *)s.m),
                            .predecessor = (word & JVM_LAST_SMALL) ? JVM_ALIAS_UNKNOWN : 0};
    return true;
}

/* ---- how many ---- */

static void count_object(jvm_obj *o, void *arg)
{
    const uint32_t *shadow = jvm_shadow_of((char *)o + JVM_HEADER_SIZE), *end = jvm_shadow_of((char *)o + jvm_obj_size(o) + 3);
    for (; shadow < end; shadow++)
        *(uint64_t *)arg += *shadow != 0;
}

uint64_t flow_last_count(void)
{
    uint64_t n = 0;
    jvm_heap_each(count_object, &n);
    return n;
}
