/* picture.c - objects as they were at a moment that a search passed by (agent/picture.c): they answer in place of the debuggee. */
#include "jvm/remote/talk.h"

enum { ACC_STATIC = 0x0008 };

void jvm_remote_picture_show(machine *m, const machine_listed *hit)
{
    jvm_remote *r = jvm_remote_of(m);
    r->picture.is_shown = true;
    r->picture.lacks = false;
    r->picture.of = hit->picture;
}

bool jvm_remote_picture_hide(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    r->picture.is_shown = false;
    r->picture.of = NULL;
    return !r->picture.lacks;
}

ebb_status jvm_picture_lacks(jvm_remote *r, ebb_error *err)
{
    r->picture.lacks = true;
    return ebb_fail(err, EBB_UNAVAILABLE, "That was not looked at.");
}

/* NULL: it isn't in the picture. */
static const jvm_wire_pictured *find(const jvm_remote *r, java_ref ref)
{
    for (size_t i = 0; r->picture.of && i < r->picture.of->picture.n; i++)
        if (r->picture.of->picture.items[i].ref == ref)
            return &r->picture.of->picture.items[i];
    return NULL;
}

ebb_status jvm_picture_class_of(jvm_remote *r, java_ref object, java_class_id *out, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, object);
    if (!p)
        return jvm_picture_lacks(r, err);
    *out = p->cls;
    return EBB_OK;
}

ebb_status jvm_picture_identity_hash(jvm_remote *r, java_ref object, int32_t *out, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, object);
    if (!p)
        return jvm_picture_lacks(r, err);
    *out = (int32_t)p->hash;
    return EBB_OK;
}

/* ---- fields ---- */

static size_t count_fields(const java_class *cls, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !(cls->fields[i].access & ACC_STATIC);
    return count;
}

/* Which of an object's words it is; the order is that of wire.def. */
static ebb_status index_of(jvm_remote *r, java_class_id id, java_field_id field, size_t *index, ebb_error *err)
{
    const java_class *cls;
    *index = 0;
    for (; id != (java_class_id)(field >> 32); id = cls->super) {
        if (id == 0)
            return jvm_picture_lacks(r, err);
        EBB_TRY(jvm_remote_class(&r->base, id, &cls, err));
        *index += count_fields(cls, cls->n_fields);
    }
    EBB_TRY(jvm_remote_class(&r->base, id, &cls, err));
    size_t own = (uint32_t)field;
    *index += count_fields(cls, own < cls->n_fields ? own : cls->n_fields);
    return EBB_OK;
}

ebb_status jvm_picture_field_get(jvm_remote *r, java_ref object, java_field_id field, jvm_wire_word *out, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, object);
    size_t index;
    if (!p)
        return jvm_picture_lacks(r, err);
    EBB_TRY(index_of(r, p->cls, field, &index, err));
    if (index >= p->words.n)
        return jvm_picture_lacks(r, err);
    *out = p->words.items[index];
    return EBB_OK;
}

/* ---- arrays and strings ---- */

ebb_status jvm_picture_array_length(jvm_remote *r, java_ref array, uint32_t *out, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, array);
    if (!p)
        return jvm_picture_lacks(r, err);
    *out = p->length;
    return EBB_OK;
}

ebb_status jvm_picture_array_get(jvm_remote *r, const jvm_wire_elements *q, jvm_wire_words *a, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, q->array);
    if (!p)
        return jvm_picture_lacks(r, err);
    uint32_t from = q->from < p->length ? q->from : p->length;
    uint32_t n = q->count < p->length - from ? q->count : p->length - from;
    if (!p->has_words || (uint64_t)from + n > p->words.n)
        return jvm_picture_lacks(r, err);
    a->list.items = p->words.items + from;
    a->list.n = n;
    return EBB_OK;
}

/* Of a text that is longer than what is asked for, the beginning would have to be counted in chars. */
ebb_status jvm_picture_string(jvm_remote *r, const jvm_wire_string_at *q, jvm_wire_string *a, ebb_error *err)
{
    const jvm_wire_pictured *p = find(r, q->string);
    if (!p)
        return jvm_picture_lacks(r, err);
    uint32_t wanted = q->at_most < p->length ? q->at_most : p->length;
    if (wanted > p->n_chars || (wanted < p->n_chars && p->utf8.n != p->n_chars))
        return jvm_picture_lacks(r, err);
    *a = (jvm_wire_string){.utf8 = p->utf8, .length = p->length};
    if (wanted < p->n_chars)
        a->utf8.n = wanted; /* every char is one byte */
    return EBB_OK;
}
