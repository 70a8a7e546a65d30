/* pool.c - entries are found by their bytes, so one search serves every kind. */
#include "weave/pool.h"

#include "jvm/classes/class.h"
#include "jvm/engine/ops.h"

#include <string.h>

enum { MAX_ENTRIES = 0xffff };

/* Bytes of an entry after its tag, but for UTF8; 0: no such tag. */
static uint32_t size_of_tag(uint8_t tag)
{
    switch (tag) {
    case JVM_CP_CLASS: case JVM_CP_STRING: case JVM_CP_METHOD_TYPE: case JVM_CP_MODULE: case JVM_CP_PACKAGE:
        return 2;
    case JVM_CP_METHOD_HANDLE:
        return 3;
    case JVM_CP_INTEGER: case JVM_CP_FLOAT: case JVM_CP_FIELD: case JVM_CP_METHOD: case JVM_CP_IMETHOD:
    case JVM_CP_NAME_AND_TYPE: case JVM_CP_DYNAMIC: case JVM_CP_INDY:
        return 4;
    case JVM_CP_LONG: case JVM_CP_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

static uint32_t size_of_entry(const uint8_t *entry)
{
    return entry[0] == JVM_CP_UTF8 ? 3u + jvm_u2(entry + 1) : 1u + size_of_tag(entry[0]);
}

static bool read_entry(weave_in *in)
{
    uint8_t tag = weave_u1(in);
    uint32_t nbytes = tag == JVM_CP_UTF8 ? weave_u2(in) : size_of_tag(tag);
    if (tag != JVM_CP_UTF8 && nbytes == 0)
        in->failed = true;
    weave_take(in, nbytes);
    return !in->failed;
}

bool weave_pool_read(weave_pool *pool, weave_in *in, ebb_arena *arena)
{
    pool->n = weave_u2(in);
    if (in->failed || pool->n == 0)
        return false;
    pool->entries = EBB_ARENA_ARRAY(arena, const uint8_t *, pool->n);
    pool->read.bytes = in->at;
    for (uint32_t i = 1; i < pool->n; i++) {
        const uint8_t *entry = in->at;
        if (!read_entry(in))
            return false;
        pool->entries[i] = entry;
        if (entry[0] == JVM_CP_LONG || entry[0] == JVM_CP_DOUBLE)
            i++;
    }
    pool->read.nbytes = (uint32_t)(in->at - pool->read.bytes);
    return true;
}

void weave_pool_write(const weave_pool *pool, ebb_buf *out)
{
    weave_put_u2(out, (uint32_t)pool->n + pool->nadded);
    weave_put(out, pool->read);
    ebb_buf_add(out, pool->added.data, pool->added.n);
}

void weave_pool_fini(weave_pool *pool)
{
    ebb_buf_fini(&pool->added);
}

/* ---- questions ---- */

static const uint8_t *entry_at(const weave_pool *pool, uint16_t index, uint8_t tag)
{
    const uint8_t *entry = index < pool->n ? pool->entries[index] : NULL;
    return entry && entry[0] == tag ? entry : NULL;
}

weave_span weave_pool_utf8(const weave_pool *pool, uint16_t index)
{
    const uint8_t *entry = entry_at(pool, index, JVM_CP_UTF8);
    return entry ? (weave_span){entry + 3, jvm_u2(entry + 1)} : (weave_span){NULL, 0};
}

weave_span weave_pool_class_name(const weave_pool *pool, uint16_t index)
{
    const uint8_t *entry = entry_at(pool, index, JVM_CP_CLASS);
    return entry ? weave_pool_utf8(pool, jvm_u2(entry + 1)) : (weave_span){NULL, 0};
}

bool weave_pool_is(const weave_pool *pool, uint16_t index, const char *utf8)
{
    weave_span found = weave_pool_utf8(pool, index);
    return found.bytes && found.nbytes == strlen(utf8) && memcmp(found.bytes, utf8, found.nbytes) == 0;
}

static bool is_member(const uint8_t *entry)
{
    return entry && (entry[0] == JVM_CP_METHOD || entry[0] == JVM_CP_IMETHOD || entry[0] == JVM_CP_FIELD);
}

weave_member weave_pool_member(const weave_pool *pool, uint16_t index)
{
    const uint8_t *entry = index < pool->n ? pool->entries[index] : NULL;
    const uint8_t *name = is_member(entry) ? entry_at(pool, jvm_u2(entry + 3), JVM_CP_NAME_AND_TYPE) : NULL;
    if (!name)
        return (weave_member){{NULL, 0}, {NULL, 0}, {NULL, 0}};
    return (weave_member){weave_pool_class_name(pool, jvm_u2(entry + 1)), weave_pool_utf8(pool, jvm_u2(name + 1)),
                          weave_pool_utf8(pool, jvm_u2(name + 3))};
}

weave_member weave_pool_handle(const weave_pool *pool, uint16_t index)
{
    const uint8_t *entry = entry_at(pool, index, JVM_CP_METHOD_HANDLE);
    return weave_pool_member(pool, entry ? jvm_u2(entry + 2) : 0);
}

/* ---- new entries ---- */

static bool same_entry(const uint8_t *entry, const ebb_buf *wanted)
{
    return entry && size_of_entry(entry) == wanted->n && memcmp(entry, wanted->data, wanted->n) == 0;
}

static uint16_t find_entry(const weave_pool *pool, const ebb_buf *wanted)
{
    for (uint32_t i = 1; i < pool->n; i++)
        if (same_entry(pool->entries[i], wanted))
            return (uint16_t)i;
    const uint8_t *entry = (const uint8_t *)pool->added.data;
    for (uint32_t i = 0; i < pool->nadded; i++, entry += size_of_entry(entry))
        if (same_entry(entry, wanted))
            return (uint16_t)(pool->n + i);
    return 0;
}

/* Takes `entry`, which has the bytes of one entry that is no long or double. */
static uint16_t add_entry(weave_pool *pool, ebb_buf *entry)
{
    uint16_t index = find_entry(pool, entry);
    if (index == 0 && pool->n + pool->nadded >= MAX_ENTRIES)
        pool->is_full = true;
    if (index == 0 && !pool->is_full) {
        ebb_buf_add(&pool->added, entry->data, entry->n);
        index = (uint16_t)(pool->n + pool->nadded++);
    }
    ebb_buf_fini(entry);
    return index;
}

uint16_t weave_pool_add_int(weave_pool *pool, int32_t value)
{
    ebb_buf entry = {0};
    weave_put_u1(&entry, JVM_CP_INTEGER);
    weave_put_u4(&entry, (uint32_t)value);
    return add_entry(pool, &entry);
}

uint16_t weave_pool_add_utf8(weave_pool *pool, const char *text)
{
    ebb_buf entry = {0};
    weave_put_u1(&entry, JVM_CP_UTF8);
    weave_put_u2(&entry, (uint32_t)strlen(text));
    ebb_buf_adds(&entry, text);
    return add_entry(pool, &entry);
}

uint16_t weave_pool_add_class(weave_pool *pool, const char *name)
{
    ebb_buf entry = {0};
    weave_put_u1(&entry, JVM_CP_CLASS);
    weave_put_u2(&entry, weave_pool_add_utf8(pool, name));
    return add_entry(pool, &entry);
}

static uint16_t add_pair(weave_pool *pool, uint8_t tag, uint16_t a, uint16_t b)
{
    ebb_buf entry = {0};
    weave_put_u1(&entry, tag);
    weave_put_u2(&entry, a);
    weave_put_u2(&entry, b);
    return add_entry(pool, &entry);
}

uint16_t weave_pool_add_method(weave_pool *pool, const char *class_name, const char *name, const char *descriptor)
{
    uint16_t cls = weave_pool_add_class(pool, class_name);
    uint16_t name_index = weave_pool_add_utf8(pool, name);
    uint16_t type = add_pair(pool, JVM_CP_NAME_AND_TYPE, name_index, weave_pool_add_utf8(pool, descriptor));
    return add_pair(pool, JVM_CP_METHOD, cls, type);
}
