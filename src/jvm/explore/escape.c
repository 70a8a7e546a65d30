/* escape.c - which objects other threads could find: a bit for each 16 bytes of the heap. */
#include "jvm/explore/internal.h"

#include "base/check.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/region.h"

#include <sys/mman.h>

/* Address space only: pages of the map are there where something escaped.  Objects beyond it are large ones, which count as escaped. */
enum { GRAIN = 8, MAP_NBYTES = 512 << 20 };

static uint8_t *map;

static bool locate(const jvm_obj *o, size_t *byte, uint8_t *bit)
{
    uintptr_t n = ((uintptr_t)o - JVM_REGION_FIRST) / GRAIN;
    *byte = n / 8;
    *bit = (uint8_t)(1u << n % 8);
    return (uintptr_t)o >= JVM_REGION_FIRST && *byte < MAP_NBYTES;
}

bool explore_has_escaped(const jvm_obj *o)
{
    size_t byte;
    uint8_t bit;
    return !locate(o, &byte, &bit) || (map[byte] & bit) != 0;
}

static void mark(jvm_obj *o, void *arg)
{
    size_t byte;
    uint8_t bit;
    if (locate(o, &byte, &bit))
        map[byte] |= bit;
}

void explore_escape_init(void)
{
    map = mmap(NULL, MAP_NBYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ebb_check(map != MAP_FAILED);
    jvm_heap_each(mark, NULL);
}

typedef EBB_VEC(jvm_obj *) objects;

static void reach(objects *todo, jvm_obj *o)
{
    if (o == NULL || explore_has_escaped(o))
        return;
    mark(o, NULL);
    ebb_vec_push(todo, o);
}

static void reach_from(objects *todo, const jvm_obj *o)
{
    if (o->cls->kind == JVM_KIND_OBJECT_ARRAY)
        for (int32_t i = 0; i < o->length; i++)
            reach(todo, jvm_elem_ref(o, i));
    else
        for (uint32_t i = 0; i < o->cls->nref_offsets; i++)
            reach(todo, jvm_get_ref(o, o->cls->ref_offsets[i]));
}

void explore_let_escape(jvm_obj *o)
{
    static objects todo;
    reach(&todo, o);
    while (todo.n > 0)
        reach_from(&todo, todo.items[--todo.n]);
}
