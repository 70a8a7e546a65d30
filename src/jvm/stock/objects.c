/* objects.c - objects and values of a stock JVM. */
#include "jvm/stock/internal.h"

#include "base/check.h"

#include <string.h>

enum { TAG_ARRAY = 3 };
enum { REF_SHIFT = 36 }; /* room for an array of 2^31 longs between two objects, as wire/places.h wants it */

/* ---- names of objects ---- */

static java_ref add_ref(stock *k, uint64_t object, stock_class *unmade)
{
    ebb_vec_push(&k->objects, object);
    ebb_vec_push(&k->unmade, unmade);
    return (java_ref)k->objects.n << REF_SHIFT;
}

java_ref stock_ref(stock *k, uint64_t object)
{
    if (object == 0)
        return 0;
    size_t known = (size_t)(uintptr_t)ebb_map_get_u64(k->ref_of, object);
    if (known)
        return (java_ref)known << REF_SHIFT;
    java_ref ref = add_ref(k, object, NULL);
    ebb_map_set_u64(k->ref_of, object, (void *)(uintptr_t)k->objects.n);
    return ref;
}

static size_t index_of(const stock *k, java_ref ref)
{
    size_t i = (size_t)(ref >> REF_SHIFT) - 1;
    return ref & ((1ull << REF_SHIFT) - 1) || i >= k->objects.n ? SIZE_MAX : i;
}

ebb_status stock_object(const stock *k, java_ref ref, uint64_t *object, ebb_error *err)
{
    *object = 0;
    if (ref == 0)
        return EBB_OK;
    size_t i = index_of(k, ref);
    if (i == SIZE_MAX || k->objects.items[i] == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No object %#lx is known.", (unsigned long)ref);
    *object = k->objects.items[i];
    return EBB_OK;
}

/* Nobody else may know it: it must not be collected before the program goes on. */
void stock_keep(stock *k, uint64_t object)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (object && stock_ask(k, &arena, &in, NULL, JDWP_OBJECT_KEEP, "o", object) == EBB_OK)
        ebb_vec_push(&k->kept, object);
    ebb_arena_fini(&arena);
}

void stock_release_kept(stock *k)
{
    ebb_arena arena = {0};
    jdwp_in in;
    for (size_t i = 0; i < k->kept.n; i++)
        (void)!stock_ask(k, &arena, &in, NULL, JDWP_OBJECT_LET_GO, "o", k->kept.items[i]);
    k->kept.n = 0;
    ebb_arena_fini(&arena);
}

/* ---- values ---- */

static bool is_reference(uint8_t tag)
{
    return tag && strchr("L[stglc", tag) != NULL;
}

static uint64_t bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint64_t widened(uint8_t tag, uint64_t raw)
{
    float f;
    uint32_t low = (uint32_t)raw;
    switch (tag) {
    case 'B': return (uint64_t)(int64_t)(int8_t)raw;
    case 'S': return (uint64_t)(int64_t)(int16_t)raw;
    case 'I': return (uint64_t)(int64_t)(int32_t)raw;
    case 'F': memcpy(&f, &low, sizeof f); return bits_of_double((double)f);
    default: return raw;
    }
}

jvm_wire_word stock_read_untagged(stock *k, jdwp_in *in, uint8_t tag)
{
    if (is_reference(tag))
        return (jvm_wire_word){.type = 'L', .bits = stock_ref(k, jdwp_object(in))};
    return (jvm_wire_word){.type = tag, .bits = widened(tag, jdwp_number(in, java_type_size((char)tag)))};
}

jvm_wire_word stock_read_value(stock *k, jdwp_in *in)
{
    uint8_t tag = jdwp_u8(in);
    return stock_read_untagged(k, in, tag);
}

ebb_status stock_put_value(const stock *k, ebb_buf *out, bool with_tag, uint8_t type, uint64_t bits, ebb_error *err)
{
    if (with_tag)
        jdwp_put(out, type == '[' ? 'L' : type, 1);
    if (is_reference(type)) {
        uint64_t object;
        EBB_TRY(stock_object(k, bits, &object, err));
        jdwp_put(out, object, k->j.sizes.n_object);
        return EBB_OK;
    }
    if (type == 'F') {
        double d;
        memcpy(&d, &bits, sizeof d);
        float f = (float)d;
        uint32_t raw;
        memcpy(&raw, &f, sizeof raw);
        bits = raw;
    }
    jdwp_put(out, bits, java_type_size((char)type));
    return EBB_OK;
}

/* ---- fields ---- */

ebb_status stock_field_value(stock *k, uint64_t object, const stock_class *cls, const stock_member *field, jvm_wire_word *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jdwp_in in;
    ebb_status status = object ? stock_ask(k, &arena, &in, err, JDWP_OBJECT_GET_VALUES, "oif", object, (uint64_t)1, field->id)
                               : stock_ask(k, &arena, &in, err, JDWP_TYPE_GET_VALUES, "tif", cls->type, (uint64_t)1, field->id);
    if (status == EBB_OK) {
        jdwp_u32(&in);
        *out = stock_read_value(k, &in);
        if (in.bad)
            status = stock_nonsense(err);
    }
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status find_field(stock *k, const jvm_wire_field_at *q, uint64_t *object, stock_class **cls, const stock_member **field, ebb_error *err)
{
    enum { ACC_STATIC = 0x0008 };
    *field = stock_field(k, q->field, cls);
    if (!*field)
        return ebb_fail(err, EBB_NOT_FOUND, "No such field is there.");
    EBB_TRY(stock_object(k, q->object, object, err));
    if ((*field)->access & ACC_STATIC)
        *object = 0;
    else if (!*object)
        return ebb_fail(err, EBB_BAD_INPUT, "%s is a field of objects.", (*field)->name);
    return EBB_OK;
}

ebb_status stock_serve_field_get(stock *k, const jvm_wire_field_at *q, jvm_wire_word *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    stock_class *cls;
    const stock_member *field;
    jvm_wire_number serial;
    EBB_TRY(find_field(k, q, &object, &cls, &field, err));
    EBB_TRY(stock_field_value(k, object, cls, field, a, err));
    if (field->descriptor[0] == '[' && a->bits) /* so that its type is known by name, too */
        (void)!stock_serve_class_of(k, &(jvm_wire_number){.value = a->bits}, &serial, arena, NULL);
    return EBB_OK;
}

ebb_status stock_serve_field_set(stock *k, const jvm_wire_field_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    stock_class *cls;
    const stock_member *field;
    jdwp_in in;
    ebb_buf out = {0};
    EBB_TRY(find_field(k, q, &object, &cls, &field, err));
    if (object)
        stock_put(k, &out, "oif", object, (uint64_t)1, field->id);
    else
        stock_put(k, &out, "tif", cls->type, (uint64_t)1, field->id);
    ebb_status status = stock_put_value(k, &out, false, (uint8_t)field->descriptor[0], q->bits, err);
    if (status == EBB_OK)
        return jdwp_ask(&k->j, object ? JDWP_OBJECT_SET_VALUES : JDWP_CLASS_SET_VALUES, &out, arena, &in, err);
    ebb_buf_fini(&out);
    return status;
}

/* ---- arrays and strings ---- */

ebb_status stock_serve_array_length(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    EBB_TRY(stock_object(k, q->value, &object, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_ARRAY_LENGTH, "o", object));
    a->value = jdwp_u32(&in);
    return EBB_OK;
}

ebb_status stock_serve_array_get(stock *k, const jvm_wire_elements *q, jvm_wire_words *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    EBB_TRY(stock_object(k, q->array, &object, err));
    if (q->count == 0)
        return EBB_OK;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_ARRAY_GET_VALUES, "oii", object, (uint64_t)q->from, (uint64_t)q->count));
    uint8_t tag = jdwp_u8(&in);
    uint32_t n = jdwp_count(&in, 1);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_word, n + 1u);
    for (; a->list.n < n && !in.bad; a->list.n++)
        a->list.items[a->list.n] = is_reference(tag) ? stock_read_value(k, &in) : stock_read_untagged(k, &in, tag);
    return in.bad ? stock_nonsense(err) : EBB_OK;
}

ebb_status stock_serve_array_set(stock *k, const jvm_wire_elements *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    ebb_buf out = {0};
    EBB_TRY(stock_object(k, q->array, &object, err));
    stock_put(k, &out, "oii", object, (uint64_t)q->from, (uint64_t)1);
    ebb_status status = stock_put_value(k, &out, false, q->type, q->bits, err);
    if (status == EBB_OK)
        return jdwp_ask(&k->j, JDWP_ARRAY_SET_VALUES, &out, arena, &in, err);
    ebb_buf_fini(&out);
    return status;
}

/* Characters outside of the first plane are two of Java's. */
static uint32_t chars_of(const char *utf8, size_t nbytes, uint32_t at_most, size_t *cut)
{
    uint32_t n = 0;
    *cut = nbytes;
    for (size_t i = 0; i < nbytes; i++) {
        uint8_t c = (uint8_t)utf8[i];
        if ((c & 0xc0) == 0x80)
            continue;
        if (n >= at_most && *cut == nbytes)
            *cut = i;
        n += c >= 0xf0 ? 2 : 1;
    }
    return n;
}

ebb_status stock_serve_string(stock *k, const jvm_wire_string_at *q, jvm_wire_string *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    size_t cut;
    EBB_TRY(stock_object(k, q->string, &object, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_STRING_VALUE, "o", object));
    const char *text = jdwp_text(&in, arena);
    a->length = chars_of(text, strlen(text), q->at_most, &cut);
    a->utf8 = (jvm_wire_bytes){(const uint8_t *)text, (uint32_t)cut};
    return EBB_OK;
}

ebb_status stock_serve_new_string(stock *k, const jvm_wire_name *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jdwp_in in;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_VM_CREATE_STRING, "s", q->text ? q->text : ""));
    uint64_t object = jdwp_object(&in);
    stock_keep(k, object);
    a->value = stock_ref(k, object);
    return EBB_OK;
}

ebb_status stock_serve_new_array(stock *k, const jvm_wire_new_array *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jdwp_in in;
    const stock_class *cls = stock_class_named(k, q->descriptor ? q->descriptor : "");
    if (!cls)
        return ebb_fail(err, EBB_NOT_FOUND, "The program has no array of that type yet.");
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_ARRAY_TYPE_NEW, "ti", cls->type, (uint64_t)q->length));
    jdwp_u8(&in);
    uint64_t object = jdwp_object(&in);
    stock_keep(k, object);
    a->value = stock_ref(k, object);
    return EBB_OK;
}

/* The protocol makes an object together with the call of its constructor: call.c does, when that is asked for. */
ebb_status stock_serve_new_object(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    stock_class *cls = stock_class_by_serial(k, q->value);
    if (!cls || cls->tag != 1)
        return ebb_fail(err, EBB_BAD_INPUT, "That class has no objects.");
    a->value = add_ref(k, 0, cls);
    return EBB_OK;
}

/* ---- what an object is ---- */

ebb_status stock_serve_class_of(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    size_t i = index_of(k, q->value);
    if (i != SIZE_MAX && k->unmade.items[i]) {
        a->value = k->unmade.items[i]->serial;
        return EBB_OK;
    }
    EBB_TRY(stock_object(k, q->value, &object, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_OBJECT_TYPE, "o", object));
    uint8_t tag = jdwp_u8(&in);
    stock_class *cls = stock_class_of_type(k, tag, jdwp_type(&in));
    if (!cls)
        return ebb_fail(err, EBB_NOT_FOUND, "The class of that object is gone.");
    if (tag == TAG_ARRAY && !cls->is_ready)
        stock_learn_elements(k, cls);
    a->value = cls->serial;
    return EBB_OK;
}

ebb_status stock_serve_class_mirrored(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    EBB_TRY(stock_object(k, q->value, &object, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_CLASS_OBJECT_TYPE, "o", object));
    uint8_t tag = jdwp_u8(&in);
    stock_class *cls = stock_class_of_type(k, tag, jdwp_type(&in));
    if (!cls)
        return ebb_fail(err, EBB_NOT_FOUND, "That is no class.");
    if (!stock_class_read(k, cls))
        stock_link(k, object); /* `start` wants to know whether it has main */
    a->value = cls->serial;
    return EBB_OK;
}

/* The protocol does not tell. */
ebb_status stock_serve_identity_hash(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    a->value = 0;
    return EBB_OK;
}

ebb_status stock_serve_lock_of(stock *k, const jvm_wire_number *q, jvm_wire_lock *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t object;
    jdwp_in in;
    EBB_TRY(stock_object(k, q->value, &object, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_OBJECT_MONITOR, "o", object));
    uint64_t owner = jdwp_object(&in);
    a->owner = owner ? (uint64_t)stock_tid(k, owner) : 0;
    a->count = jdwp_u32(&in);
    return EBB_OK;
}
