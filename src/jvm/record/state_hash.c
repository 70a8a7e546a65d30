/* state_hash.c - goes over heap, threads and classes in an order that every replay has. */
#include "jvm/record/state_hash.h"

#include "jvm/classes/class.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/heap.h"
#include "jvm/threads/monitor.h"
#include "jvm/engine/refmap.h"
#include "jvm/threads/thread.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>

typedef struct hasher {
    uint64_t h;
    bool tells;
} hasher;

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    __uint128_t product = (__uint128_t)(h ^ v ^ 0x9e3779b97f4a7c15) * 0xa0761d6478bd642f;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t mix_bytes(uint64_t h, const char *bytes, size_t n)
{
    uint64_t word;
    for (; n >= sizeof word; bytes += sizeof word, n -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        h = mix(h, word);
    }
    word = n;
    memcpy(&word, bytes, n);
    return mix(h, word);
}

/* ---- objects ---- */

/* Offset of the 8 bytes of the object that hold an address of ours, or 0 (HA2). */
static uint32_t private_offset(const jvm_class *cls)
{
    if (cls == jvm.classes.Class)
        return jvm.fields.Class_vmClass;
    if (cls == jvm.classes.ResolvedMethodName)
        return jvm.fields.ResolvedMethodName_vmtarget;
    if (cls == jvm.classes.Module)
        return jvm.fields.Module_vmModule;
    if (jvm_class_is_array(cls))
        return 0;
    if (jvm_is_subclass(cls, jvm.classes.ClassLoader))
        return jvm.fields.ClassLoader_vmLoader;
    return jvm_is_subclass(cls, jvm.classes.Thread) ? jvm.fields.Thread_eetop : 0;
}

static void hash_object(jvm_obj *o, void *arg)
{
    hasher *s = arg;
    const char *bytes = (const char *)o;
    size_t n = jvm_obj_size(o);
    uint32_t hole = private_offset(o->cls);
    uint64_t h = mix(s->h, (uintptr_t)o);
    h = mix(h, (uintptr_t)o->cls->mirror);
    h = mix(h, o->mark);
    if (hole == 0) {
        h = mix_bytes(h, bytes + JVM_HEADER_SIZE, n - JVM_HEADER_SIZE);
    } else {
        h = mix_bytes(h, bytes + JVM_HEADER_SIZE, hole - JVM_HEADER_SIZE);
        h = mix_bytes(h, bytes + hole + 8, n - hole - 8);
    }
    s->h = h;
    if (s->tells)
        fprintf(stderr, "object %p %s %08x %zu %016llx\n", (void *)o, o->cls->name->text, o->mark, n, (unsigned long long)h);
}

/* ---- threads ---- */

static void hash_slot(const jvm_slot *slot, enum jvm_slot_kind kind, void *arg)
{
    hasher *s = arg;
    if (kind == JVM_SLOT_REF || kind == JVM_SLOT_8_BYTES)
        s->h = mix(s->h, slot->raw);
    else if (kind == JVM_SLOT_4_BYTES)
        s->h = mix(s->h, (uint32_t)slot->i);
}

static void hash_native_slot(jvm_obj **slot, void *arg)
{
    hasher *s = arg;
    s->h = mix(s->h, (uintptr_t)*slot);
}

enum { MAX_TYPED = 8000 }; /* in longer methods finding out the types of slots takes too long */

static void hash_frame(hasher *s, const jvm_thread *t, jvm_frame *f)
{
    s->h = mix(s->h, f->kind);
    s->h = mix(s->h, (uint64_t)(f->locals - t->stack));
    s->h = mix(s->h, (uintptr_t)f->lock);
    if (f->method == NULL)
        return;
    s->h = mix(s->h, (uint64_t)jvm_method_token(f->method));
    if (f->kind == JVM_FRAME_JAVA) {
        s->h = mix(s->h, (uint64_t)jvm_frame_bci(f));
        if (f->method->nbytes <= MAX_TYPED)
            jvm_refmap_each_slot(f, hash_slot, s);
    } else {
        jvm_refmap_visit_native(f, hash_native_slot, s);
    }
    if (s->tells)
        fprintf(stderr, "frame %u %s.%s %d %016llx\n", t->id, f->method->cls->name->text, f->method->name->text,
                jvm_frame_bci(f), (unsigned long long)s->h);
}

static void hash_thread(hasher *s, jvm_thread *t)
{
    s->h = mix(s->h, t->id);
    s->h = mix(s->h, (uintptr_t)t->object);
    s->h = mix(s->h, (uintptr_t)t->exception);
    s->h = mix(s->h, t->state | (uint64_t)t->runnable << 32 | (uint64_t)t->park_permit << 33 | (uint64_t)t->parked << 34 |
                         (uint64_t)t->notified << 35 | (uint64_t)t->daemon << 36);
    s->h = mix(s->h, t->blocked_on != NULL ? t->blocked_on->index : 0);
    s->h = mix(s->h, t->nhandles);
    for (size_t i = 0; i < t->nhandles; i++)
        s->h = mix(s->h, (uintptr_t)t->handles[i]);
    if (s->tells)
        fprintf(stderr, "thread %u state %x runnable %d handles %zu %016llx\n", t->id, t->state, t->runnable, t->nhandles,
                (unsigned long long)s->h);
    for (jvm_frame *f = t->frame; f != NULL; f = f->prev)
        hash_frame(s, t, f);
}

static void hash_monitor(jvm_monitor *m, void *arg)
{
    hasher *s = arg;
    s->h = mix(s->h, (uintptr_t)m->object);
    s->h = mix(s->h, m->index | (uint64_t)m->count << 32);
    s->h = mix(s->h, m->owner != NULL ? m->owner->id : 0);
    s->h = mix(s->h, m->hash);
}

/* ---- all ---- */

static uint64_t hash_all(bool tells)
{
    hasher s = {jvm_time(), tells};
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        hash_thread(&s, t);
    jvm_monitors_each(hash_monitor, &s);
    jvm_heap_each(hash_object, &s);
    return s.h;
}

uint64_t jvm_state_hash(void) { return hash_all(false); }
uint64_t jvm_state_hash_tell(void) { return hash_all(true); }
