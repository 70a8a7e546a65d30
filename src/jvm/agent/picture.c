/* picture.c - what a reference led to at a moment: the object, and what that refers to, some steps far.
 *
 * A search that lists values passes by their moments, and an object may look different at its end.  So the objects are told as they are when
 * the hit is noted: those near with their fields or first elements, the outermost ones by what they are alone (class, hash, length, text). */
#include "jvm/agent/internal.h"

#include "base/sizes.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/jvm.h"

typedef struct painter {
    ebb_arena *arena;
    jvm_wire_listed *into;
    size_t n_read; /* objects whose references have been followed */
} painter;

static void reserve(painter *p)
{
    if (p->into->picture.n < p->into->picture.cap)
        return;
    size_t cap = p->into->picture.cap == 0 ? 4 : p->into->picture.cap * 2;
    jvm_wire_pictured *more = EBB_ARENA_ARRAY(p->arena, jvm_wire_pictured, cap);
    for (size_t i = 0; i < p->into->picture.n; i++)
        more[i] = p->into->picture.items[i];
    p->into->picture.items = more;
    p->into->picture.cap = cap;
}

static bool is_pictured(const painter *p, uint64_t ref)
{
    for (size_t i = 0; i < p->into->picture.n; i++)
        if (p->into->picture.items[i].ref == ref)
            return true;
    return false;
}

static uint32_t at_most(uint32_t n)
{
    return n < JVM_PICTURED_PARTS ? n : JVM_PICTURED_PARTS;
}

/* What it is.  A string that is still being made has no text, as everywhere. */
static void add(painter *p, uint64_t ref)
{
    const jvm_obj *o = (const jvm_obj *)(uintptr_t)ref;
    if (ref == 0 || p->into->picture.n == JVM_PICTURED_OBJECTS || is_pictured(p, ref))
        return;
    reserve(p);
    jvm_wire_pictured *one = &p->into->picture.items[p->into->picture.n++];
    *one = (jvm_wire_pictured){.ref = ref, .cls = o->cls->serial, .hash = jvm_identity_hash_known(o)};
    if (jvm_class_is_array(o->cls))
        one->length = (uint32_t)o->length;
    if (o->cls != jvm.classes.String || jvm_get_ref(o, jvm.fields.String_value) == NULL)
        return;
    one->length = (uint32_t)jvm_string_length(o);
    one->n_chars = at_most(one->length);
    one->utf8 = agent_string_utf8(o, one->n_chars, p->arena);
}

/* ---- what is in it ---- */

static size_t n_fields_of(const jvm_class *cls)
{
    size_t n = 0;
    for (; cls != NULL; cls = cls->super)
        for (uint16_t i = 0; i < cls->nfields; i++)
            n += !(cls->fields[i].access & JVM_ACC_STATIC);
    return n;
}

static void read_fields(painter *p, const jvm_obj *o, jvm_wire_pictured *one)
{
    one->words.items = EBB_ARENA_ARRAY(p->arena, jvm_wire_word, n_fields_of(o->cls) + 1);
    for (const jvm_class *cls = o->cls; cls != NULL; cls = cls->super)
        for (uint16_t i = 0; i < cls->nfields; i++) {
            const jvm_field *f = &cls->fields[i];
            if (!(f->access & JVM_ACC_STATIC))
                one->words.items[one->words.n++] = agent_word(f->type, jvm_get(o, f->offset, f->type));
        }
}

static void read_elements(painter *p, const jvm_obj *o, jvm_wire_pictured *one)
{
    uint32_t n = at_most((uint32_t)o->length);
    char type = o->cls->element_type;
    one->words.items = EBB_ARENA_ARRAY(p->arena, jvm_wire_word, n + 1u);
    for (uint32_t i = 0; i < n; i++)
        one->words.items[one->words.n++] = agent_word(type, jvm_get(o, agent_element_offset(o, i), type));
}

/* Adds what it refers to.  Nothing of a string is asked for but its text. */
static void read(painter *p, size_t which)
{
    jvm_wire_pictured *one = &p->into->picture.items[which];
    const jvm_obj *o = (const jvm_obj *)(uintptr_t)one->ref;
    if (o->cls == jvm.classes.String)
        return;
    one->has_words = true;
    if (jvm_class_is_array(o->cls))
        read_elements(p, o, one);
    else
        read_fields(p, o, one);
    jvm_wire_word *words = one->words.items; /* `one` moves when others are added */
    size_t n = one->words.n;
    for (size_t i = 0; i < n; i++)
        if (words[i].type == 'L')
            add(p, words[i].bits);
}

void agent_picture(uint64_t ref, unsigned depth, ebb_arena *arena, jvm_wire_listed *into)
{
    painter p = {.arena = arena, .into = into};
    if (!jvm_heap_holds((const void *)(uintptr_t)ref))
        return;
    add(&p, ref);
    for (unsigned step = 0; step < depth; step++)
        for (size_t n = into->picture.n; p.n_read < n; p.n_read++)
            read(&p, p.n_read);
}
