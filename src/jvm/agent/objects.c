/* objects.c - answers about objects. */
#include "jvm/agent/internal.h"

#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/jvm.h"

#include <string.h>

static ebb_status object_at(uint64_t ref, jvm_obj **o, ebb_error *err)
{
    *o = (jvm_obj *)(uintptr_t)ref;
    if (ref == 0 || ref % JVM_OBJECT_ALIGN != 0 || !jvm_heap_holds(*o))
        return ebb_fail(err, EBB_NOT_FOUND, "No object is at %#llx now: it was collected, or is not made yet. Go to a moment at which it is there (goto), and ask there.", (unsigned long long)ref);
    return EBB_OK;
}

ebb_status agent_serve_class_of(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = object_at(q->value, &o, err);
    if (status == EBB_OK)
        a->value = o->cls->serial;
    return status;
}

ebb_status agent_serve_class_mirrored(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = object_at(q->value, &o, err);
    if (status != EBB_OK)
        return status;
    const jvm_class *cls = o->cls == jvm.classes.Class ? jvm_mirror_class(o) : NULL;
    if (cls == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "The object at %#llx stands for no class.", (unsigned long long)q->value);
    a->value = cls->serial;
    return EBB_OK;
}

/* One that is being initialised counts: its own code sees its fields as they are. */
ebb_status agent_serve_class_is_initialised(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_class *cls = agent_class(q->value);
    if (cls == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No class has the number %llu.", (unsigned long long)q->value);
    a->value = cls->state >= JVM_CLASS_INITIALIZING;
    return EBB_OK;
}

/* ---- fields ---- */

/* The object that the field's bytes are in: the mirror for a static one. */
static ebb_status field_holder(const jvm_wire_field_at *q, jvm_field **f, jvm_obj **o, ebb_error *err)
{
    *f = agent_field(q->field);
    if (*f == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No field number %#llx is there.", (unsigned long long)q->field);
    if ((*f)->access & JVM_ACC_STATIC) {
        *o = (*f)->cls->mirror;
        return EBB_OK;
    }
    ebb_status status = object_at(q->object, o, err);
    if (status == EBB_OK && !jvm_instance_of(*o, (*f)->cls))
        status = ebb_fail(err, EBB_BAD_INPUT, "The object at %#llx has no field %s.", (unsigned long long)q->object, (*f)->name->text);
    return status;
}

ebb_status agent_serve_field_get(const jvm_wire_field_at *q, jvm_wire_word *a, ebb_arena *arena, ebb_error *err)
{
    jvm_field *f;
    jvm_obj *o;
    ebb_status status = field_holder(q, &f, &o, err);
    if (status == EBB_OK)
        *a = agent_word(f->type, jvm_get(o, f->offset, f->type));
    return status;
}

static bool fits(const jvm_obj *value, const jvm_class *cls)
{
    return value == NULL || cls == NULL || jvm_instance_of(value, cls);
}

static ebb_status value_for(char type, uint8_t given, uint64_t bits, jvm_slot *v, ebb_error *err)
{
    bool same = given == (uint8_t)(type == '[' ? 'L' : type);
    if (!same || !agent_slot(type, bits, v))
        return ebb_fail(err, EBB_BAD_INPUT, "The value has another type than what it is for.");
    return EBB_OK;
}

ebb_status agent_serve_field_set(const jvm_wire_field_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_field *f;
    jvm_obj *o;
    jvm_slot v;
    ebb_status status = field_holder(q, &f, &o, err);
    if (status == EBB_OK)
        status = value_for(f->type, q->type, q->bits, &v, err);
    if (status == EBB_OK)
        jvm_put(o, f->offset, f->type, v);
    return status;
}

/* ---- arrays ---- */

static ebb_status array_at(uint64_t ref, jvm_obj **o, ebb_error *err)
{
    ebb_status status = object_at(ref, o, err);
    if (status == EBB_OK && !jvm_class_is_array((*o)->cls))
        status = ebb_fail(err, EBB_BAD_INPUT, "The object at %#llx is no array.", (unsigned long long)ref);
    return status;
}

ebb_status agent_serve_array_length(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = array_at(q->value, &o, err);
    if (status == EBB_OK)
        a->value = (uint64_t)o->length;
    return status;
}

size_t agent_element_offset(const jvm_obj *array, uint32_t i)
{
    return JVM_ARRAY_BASE + (size_t)i * java_type_size(array->cls->element_type);
}

ebb_status agent_serve_array_get(const jvm_wire_elements *q, jvm_wire_words *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = array_at(q->array, &o, err);
    if (status != EBB_OK)
        return status;
    uint32_t length = (uint32_t)o->length, from = q->from < length ? q->from : length;
    uint32_t n = q->count < length - from ? q->count : length - from;
    char type = o->cls->element_type;
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_word, n + 1u);
    for (uint32_t i = 0; i < n; i++)
        a->list.items[a->list.n++] = agent_word(type, jvm_get(o, agent_element_offset(o, from + i), type));
    return EBB_OK;
}

ebb_status agent_serve_array_set(const jvm_wire_elements *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    jvm_slot v;
    ebb_status status = array_at(q->array, &o, err);
    if (status == EBB_OK && q->from >= (uint32_t)o->length)
        status = ebb_fail(err, EBB_BAD_INPUT, "Index %u out of bounds for length %d", q->from, o->length);
    if (status == EBB_OK)
        status = value_for(o->cls->element_type, q->type, q->bits, &v, err);
    bool ref = status == EBB_OK && (o->cls->element_type == 'L' || o->cls->element_type == '[');
    if (ref && !fits(v.a, o->cls->component))
        status = ebb_fail(err, EBB_BAD_INPUT, "An array of another type can't hold that object.");
    if (status == EBB_OK)
        jvm_put(o, agent_element_offset(o, q->from), o->cls->element_type, v);
    return status;
}

/* ---- strings ---- */

static void add_utf8(ebb_buf *out, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(lead[n] | c);
    ebb_buf_add(out, bytes, n);
}

/* Pairs of surrogates become one character; a lonely one is written as if it were one. */
static void string_utf8(const jvm_obj *s, int32_t n, ebb_buf *out)
{
    for (int32_t i = 0; i < n; i++) {
        uint32_t c = jvm_string_char(s, i);
        uint32_t low = (c & 0xfc00) == 0xd800 && i + 1 < n ? jvm_string_char(s, i + 1) : 0;
        if ((low & 0xfc00) == 0xdc00) {
            c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
            i++;
        }
        add_utf8(out, c);
    }
}

jvm_wire_bytes agent_string_utf8(const jvm_obj *string, uint32_t n_chars, ebb_arena *arena)
{
    ebb_buf text = {0};
    string_utf8(string, (int32_t)n_chars, &text);
    jvm_wire_bytes utf8 = {(uint8_t *)ebb_arena_strndup(arena, ebb_buf_text(&text), text.n), (uint32_t)text.n};
    ebb_buf_fini(&text);
    return utf8;
}

ebb_status agent_serve_string(const jvm_wire_string_at *q, jvm_wire_string *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *s;
    ebb_status status = object_at(q->string, &s, err);
    if (status != EBB_OK)
        return status;
    if (s->cls != jvm.classes.String)
        return ebb_fail(err, EBB_BAD_INPUT, "The object at %#llx is no string.", (unsigned long long)q->string);
    if (jvm_get_ref(s, jvm.fields.String_value) == NULL)
        return EBB_OK; /* still being made */
    a->length = (uint32_t)jvm_string_length(s);
    a->utf8 = agent_string_utf8(s, q->at_most < a->length ? q->at_most : a->length, arena);
    return EBB_OK;
}

/* ---- identity and locks ---- */

ebb_status agent_serve_identity_hash(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = object_at(q->value, &o, err);
    if (status == EBB_OK)
        a->value = jvm_identity_hash_known(o);
    return status;
}

ebb_status agent_serve_lock_of(const jvm_wire_number *q, jvm_wire_lock *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    ebb_status status = object_at(q->value, &o, err);
    if (status != EBB_OK)
        return status;
    const jvm_thread *owner = jvm_monitor_owner(o);
    a->owner = owner == NULL ? 0 : owner->id;
    a->count = jvm_monitor_count(o);
    return EBB_OK;
}
