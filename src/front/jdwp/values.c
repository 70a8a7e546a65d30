/* values.c - values, types and places as the protocol writes them. */
#include "front/jdwp/jdwp.h"

#include "session/time.h"

#include <string.h>

const jdwp_sizes jd_sizes = {8, 8, 8, 8, 8};

machine *jd_machine(jd *d)
{
    return ses_get_state(d->session) == SES_STOPPED ? ses_get_machine(d->session) : NULL;
}

jdwp_error jd_error(ebb_status status)
{
    switch (status) {
    case EBB_OK: return JDWP_FINE;
    case EBB_NOT_FOUND: return JDWP_INVALID_OBJECT;
    case EBB_BAD_INPUT: return JDWP_ILLEGAL_ARGUMENT;
    case EBB_UNSUPPORTED: return JDWP_NOT_IMPLEMENTED;
    case EBB_GONE: return JDWP_VM_DEAD;
    default: return JDWP_INTERNAL;
    }
}

/* ---- types ---- */

char *jd_signature(ebb_arena *arena, const char *name)
{
    static const struct { const char *word; char letter; } words[] = {{"boolean", 'Z'}, {"byte", 'B'}, {"char", 'C'}, {"short", 'S'},
        {"int", 'I'}, {"long", 'J'}, {"float", 'F'}, {"double", 'D'}, {"void", 'V'}};
    size_t n = strlen(name);
    ebb_buf text = {0};
    for (; n > 2 && name[n - 1] == ']' && name[n - 2] == '['; n -= 2)
        ebb_buf_addc(&text, '[');
    char letter = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && memcmp(words[i].word, name, n) == 0)
            letter = words[i].letter;
    if (letter) {
        ebb_buf_addc(&text, letter);
    } else {
        ebb_buf_addc(&text, 'L');
        for (size_t i = 0; i < n; i++)
            ebb_buf_addc(&text, name[i] == '.' ? '/' : name[i] == '/' ? '.' : name[i]);
        ebb_buf_addc(&text, ';');
    }
    char *signature = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return signature;
}

uint8_t jd_tag_of_class(const java_class *cls)
{
    enum { ACC_INTERFACE = 0x0200 };
    return cls->is_array ? JDWP_TAG_ARRAY : cls->access & ACC_INTERFACE ? JDWP_TAG_INTERFACE : JDWP_TAG_CLASS;
}

jdwp_error jd_class(jd *d, uint64_t id, const java_class **cls)
{
    machine *m = jd_machine(d);
    if (!m)
        return JDWP_VM_DEAD;
    if (id == 0 || id > UINT32_MAX)
        return JDWP_INVALID_CLASS;
    return jvm_remote_class(m, (java_class_id)id, cls, NULL) == EBB_OK ? JDWP_FINE : JDWP_INVALID_CLASS;
}

const java_method *jd_method(const java_class *cls, uint64_t id)
{
    for (size_t i = 0; i < cls->n_methods; i++)
        if (cls->methods[i].id == id)
            return &cls->methods[i];
    return NULL;
}

const java_method *jd_method_of(jd *d, uint64_t id)
{
    const java_class *cls;
    return jd_class(d, id >> 32, &cls) == JDWP_FINE ? jd_method(cls, id) : NULL;
}

const java_field *jd_field_of(jd *d, uint64_t id)
{
    const java_class *cls;
    if (jd_class(d, id >> 32, &cls) != JDWP_FINE)
        return NULL;
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].id == id)
            return &cls->fields[i];
    return NULL;
}

java_class_id jd_class_named(jd *d, const char *name)
{
    java_class_ids ids = {0};
    machine *m = jd_machine(d);
    java_class_id id = m && jvm_remote_classes_named(m, name, &ids, NULL) == EBB_OK && ids.n ? ids.items[0] : 0;
    ebb_vec_fini(&ids);
    return id;
}

void jd_put_generic(ebb_buf *out, const char *signature)
{
    jdwp_put_text(out, signature ? signature : "");
}

/* ---- values ---- */

uint8_t jd_tag_of_object(jd *d, java_ref object)
{
    static const struct { const char *name; char tag; } special[] = {
        {"java.lang.String", 's'}, {"java.lang.Thread", 't'}, {"java.lang.ThreadGroup", 'g'}, {"java.lang.ClassLoader", 'l'}, {"java.lang.Class", 'c'}};
    machine *m = jd_machine(d);
    java_class_id id;
    const java_class *cls;
    if (object == 0 || !m || jvm_remote_class_of(m, object, &id, NULL) != EBB_OK || jd_class(d, id, &cls) != JDWP_FINE)
        return 'L';
    if (cls->is_array)
        return '[';
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (ses_java_is_below(d->session, id, jd_class_named(d, special[i].name)))
            return (uint8_t)special[i].tag;
    return 'L';
}

void jd_put_untagged(ebb_buf *out, java_word word)
{
    uint64_t bits = (uint64_t)word.i;
    if (word.type == 'F') {
        float single = (float)word.d;
        uint32_t half;
        memcpy(&half, &single, sizeof half);
        bits = half;
    }
    jdwp_put(out, bits, java_type_size(word.type));
}

void jd_put_word(jd *d, ebb_buf *out, java_word word)
{
    jdwp_put(out, word.type == 'L' || word.type == '[' ? jd_tag_of_object(d, word.ref) : (uint8_t)word.type, 1);
    jd_put_untagged(out, word);
}

void jd_put_object(jd *d, ebb_buf *out, java_ref object)
{
    jd_put_word(d, out, (java_word){.type = 'L', .ref = object});
}

void jd_put_place(jd *d, ebb_buf *out, machine_place place)
{
    const java_class *cls;
    java_class_id id = java_place_class(place);
    bool is_native = java_place_bci(place) == 0xffff;
    jdwp_put(out, jd_class(d, id, &cls) == JDWP_FINE ? jd_tag_of_class(cls) : JDWP_TAG_CLASS, 1);
    jdwp_put(out, id, 8);
    jdwp_put(out, java_place_method(place), 8);
    jdwp_put(out, is_native ? UINT64_MAX : java_place_bci(place), 8);
}

bool jd_take_word(jdwp_in *in, char type, java_word *word)
{
    uint64_t bits = jdwp_number(in, java_type_size(type));
    unsigned shift = 64 - 8 * java_type_size(type);
    *word = (java_word){.type = type};
    if (type == 'F') {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        word->d = single;
    } else if (type == 'Z' || type == 'C') {
        word->i = (int64_t)bits;
    } else if (strchr("BSIJ", type)) {
        word->i = (int64_t)(bits << shift) >> shift;
    } else {
        word->i = (int64_t)bits; /* D by its bits, and references */
        word->type = type == 'D' ? 'D' : 'L';
    }
    return !in->bad;
}

bool jd_take_value(jdwp_in *in, java_word *word)
{
    char tag = (char)jdwp_u8(in);
    if (tag == 'V' || !tag)
        return false;
    return jd_take_word(in, strchr("ZBCSIJFD", tag) ? tag : 'L', word);
}

java_ref jd_named_reference(jd *d, java_ref object, const char *name)
{
    machine *m = jd_machine(d);
    java_class_id id;
    const java_class *cls;
    java_word word;
    if (!m || object == 0 || jvm_remote_class_of(m, object, &id, NULL) != EBB_OK)
        return 0;
    for (; jd_class(d, id, &cls) == JDWP_FINE; id = cls->super)
        for (size_t i = 0; i < cls->n_fields; i++)
            if (strcmp(cls->fields[i].name, name) == 0)
                return jvm_remote_field_get(m, object, cls->fields[i].id, &word, NULL) == EBB_OK && word.type == 'L' ? word.ref : 0;
    return 0;
}

/* ---- threads ---- */

jdwp_error jd_thread(jd *d, ebb_arena *arena, java_ref object, java_thread *out)
{
    machine *m = jd_machine(d);
    java_threads threads = {0};
    jdwp_error error = JDWP_INVALID_THREAD;
    if (!m)
        return JDWP_VM_DEAD;
    if (object == 0 || jvm_remote_threads(m, arena, &threads, NULL) != EBB_OK)
        return JDWP_INVALID_THREAD;
    for (size_t i = 0; i < threads.n; i++)
        if (threads.items[i].object == object) {
            *out = threads.items[i];
            error = JDWP_FINE;
        }
    ebb_vec_fini(&threads);
    return error;
}

jdwp_error jd_suspended_thread(jd *d, ebb_arena *arena, java_ref object, java_thread *out)
{
    jdwp_error error = jd_thread(d, arena, object, out);
    return error != JDWP_FINE ? error : jd_suspend_count(d, out->tid) > 0 ? JDWP_FINE : JDWP_NOT_SUSPENDED;
}

/* ---- changes ---- */

bool jd_is_past(jd *d)
{
    ses_history_info info;
    return ses_history_info_get(d->session, &info, NULL) == EBB_OK && info.is_kept && strcmp(info.state, "live") != 0;
}

jdwp_error jd_begin_change(jd *d)
{
    machine *m = jd_machine(d);
    if (!m)
        return JDWP_VM_DEAD;
    if (!jd_is_past(d) || jvm_remote_in_scratch(m))
        return JDWP_FINE;
    return jvm_remote_scratch_begin(m, NULL) == EBB_OK ? JDWP_FINE : JDWP_INTERNAL;
}

void jd_end_changes(jd *d)
{
    machine *m = ses_get_machine(d->session);
    if (m && jvm_remote_in_scratch(m))
        jvm_remote_scratch_end(m);
}
