/* types.c - commands about classes, their fields and methods, and the code of those. */
#include "front/jdwp/jdwp.h"

#include <string.h>

enum { ACC_STATIC = 0x0008, ACC_NATIVE = 0x0100, ACC_ABSTRACT = 0x0400, ACC_SYNTHETIC = 0x1000 };

/* ---- of a class ---- */

static jdwp_error put_signature(jd *d, jdwp_in *in, bool generic, ebb_buf *out)
{
    const java_class *cls;
    ebb_arena arena = {0};
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put_text(out, jd_signature(&arena, cls->name));
    if (error == JDWP_FINE && generic)
        jd_put_generic(out, cls->generic);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_signature(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_signature(d, in, false, out);
}

jdwp_error jd_do_signature_generic(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_signature(d, in, true, out);
}

jdwp_error jd_do_loader(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, cls->loader, 8);
    return error;
}

static uint32_t modifiers_of(uint16_t access)
{
    return access | (access & ACC_SYNTHETIC ? 0xf0000000u : 0);
}

jdwp_error jd_do_modifiers(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, modifiers_of(cls->access), 4);
    return error;
}

typedef struct member { /* a field or a method */
    uint64_t id;
    const char *name, *descriptor, *generic;
    uint16_t access;
} member;

static void put_member(ebb_buf *out, const member *m, bool generic)
{
    jdwp_put(out, m->id, 8);
    jdwp_put_text(out, m->name);
    jdwp_put_text(out, m->descriptor);
    if (generic)
        jd_put_generic(out, m->generic);
    jdwp_put(out, modifiers_of(m->access), 4);
}

static member field_at(const java_class *cls, size_t i)
{
    const java_field *f = &cls->fields[i];
    return (member){f->id, f->name, f->descriptor, f->generic, f->access};
}

static member method_at(const java_class *cls, size_t i)
{
    const java_method *m = &cls->methods[i];
    return (member){m->id, m->name, m->descriptor, m->generic, m->access};
}

static jdwp_error put_members(jd *d, jdwp_in *in, bool are_fields, bool generic, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    size_t n = are_fields ? cls->n_fields : cls->n_methods;
    jdwp_put(out, n, 4);
    for (size_t i = 0; i < n; i++) {
        member m = are_fields ? field_at(cls, i) : method_at(cls, i);
        put_member(out, &m, generic);
    }
    return JDWP_FINE;
}

jdwp_error jd_do_fields(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_members(d, in, true, false, out);
}

jdwp_error jd_do_fields_generic(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_members(d, in, true, true, out);
}

jdwp_error jd_do_methods(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_members(d, in, false, false, out);
}

jdwp_error jd_do_methods_generic(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_members(d, in, false, true, out);
}

jdwp_error jd_do_source_file(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE && !cls->source)
        error = JDWP_ABSENT;
    if (error == JDWP_FINE)
        jdwp_put_text(out, cls->source);
    return error;
}

/* ---- as its class file has it ---- */

static jdwp_error class_file_of(jd *d, jdwp_in *in, ebb_arena *arena, java_class_file *file)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    return jvm_remote_class_file(jd_machine(d), arena, cls->id, file, NULL) == EBB_OK ? JDWP_FINE : JDWP_ABSENT;
}

jdwp_error jd_do_file_version(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_class_file file;
    jdwp_error error = class_file_of(d, in, &arena, &file);
    if (error == JDWP_FINE) {
        jdwp_put(out, file.major, 4);
        jdwp_put(out, file.minor, 4);
    }
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_constants(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_class_file file;
    jdwp_error error = class_file_of(d, in, &arena, &file);
    if (error == JDWP_FINE) {
        jdwp_put(out, file.n_constants, 4);
        jdwp_put(out, file.n_constant_bytes, 4);
        ebb_buf_add(out, file.constants, file.n_constant_bytes);
    }
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_source_extension(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_class_file file;
    jdwp_error error = class_file_of(d, in, &arena, &file);
    if (error == JDWP_FINE && !file.source_debug)
        error = JDWP_ABSENT;
    if (error == JDWP_FINE)
        jdwp_put_text(out, file.source_debug);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_interfaces(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    jdwp_put(out, cls->n_interfaces, 4);
    for (size_t i = 0; i < cls->n_interfaces; i++)
        jdwp_put(out, cls->interfaces[i], 8);
    return JDWP_FINE;
}

jdwp_error jd_do_class_object(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, cls->mirror, 8);
    return error;
}

jdwp_error jd_do_reflected_type(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_class_id id;
    const java_class *cls;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    if (jvm_remote_class_mirrored(jd_machine(d), jdwp_object(in), &id, NULL) != EBB_OK || jd_class(d, id, &cls) != JDWP_FINE)
        return JDWP_INVALID_OBJECT;
    jdwp_put(out, jd_tag_of_class(cls), 1);
    jdwp_put(out, id, 8);
    return JDWP_FINE;
}

jdwp_error jd_do_super(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, jd_tag_of_class(cls) == JDWP_TAG_INTERFACE ? 0 : cls->super, 8);
    return error;
}

/* ---- of a method ---- */

static jdwp_error method_of(jd *d, jdwp_in *in, const java_method **method, const java_code **code)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    *method = jd_method(cls, jdwp_method(in));
    if (!*method)
        return JDWP_INVALID_METHOD;
    if ((*method)->access & ACC_NATIVE)
        return JDWP_NATIVE_METHOD;
    if ((*method)->access & ACC_ABSTRACT)
        return JDWP_ABSENT;
    return jvm_remote_code(jd_machine(d), (*method)->id, code, NULL) == EBB_OK ? JDWP_FINE : JDWP_INVALID_METHOD;
}

jdwp_error jd_do_lines(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_method *method;
    const java_code *code;
    jdwp_error error = method_of(d, in, &method, &code);
    if (error != JDWP_FINE)
        return error;
    jdwp_put(out, 0, 8);
    jdwp_put(out, code->nbytes - 1, 8);
    jdwp_put(out, code->n_lines, 4);
    for (size_t i = 0; i < code->n_lines; i++) {
        jdwp_put(out, code->lines[i].bci, 8);
        jdwp_put(out, code->lines[i].line, 4);
    }
    return JDWP_FINE;
}

/* Slots that the arguments take, `this` among them. */
static unsigned n_argument_slots(const java_method *method)
{
    unsigned n = method->access & ACC_STATIC ? 0 : 1;
    for (const char *at = method->descriptor + 1; *at && *at != ')'; at++) {
        n += *at == 'J' || *at == 'D' ? 2 : 1;
        at += strspn(at, "[") > 0 ? strspn(at, "[") : 0;
        if (*at == 'L')
            at += strcspn(at, ";");
    }
    return n;
}

static jdwp_error put_variables(jd *d, jdwp_in *in, bool generic, ebb_buf *out)
{
    const java_method *method;
    const java_code *code;
    jdwp_error error = method_of(d, in, &method, &code);
    bool has_none = error == JDWP_FINE && method->max_locals == 0 && code->n_lines > 0; /* compiled with all there is to say */
    if (error == JDWP_FINE && code->n_locals == 0 && !has_none)
        error = JDWP_ABSENT;
    if (error != JDWP_FINE)
        return error;
    jdwp_put(out, n_argument_slots(method), 4);
    jdwp_put(out, code->n_locals, 4);
    for (size_t i = 0; i < code->n_locals; i++) {
        const java_local *local = &code->locals[i];
        jdwp_put(out, local->from, 8);
        jdwp_put_text(out, local->name);
        jdwp_put_text(out, local->descriptor);
        if (generic)
            jd_put_generic(out, local->generic);
        jdwp_put(out, (uint64_t)local->to - local->from, 4);
        jdwp_put(out, local->slot, 4);
    }
    return JDWP_FINE;
}

jdwp_error jd_do_variables(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_variables(d, in, false, out);
}

jdwp_error jd_do_variables_generic(jd *d, jdwp_in *in, ebb_buf *out)
{
    return put_variables(d, in, true, out);
}

jdwp_error jd_do_bytecodes(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_method *method;
    const java_code *code = NULL;
    jdwp_error error = method_of(d, in, &method, &code);
    if (error == JDWP_NATIVE_METHOD || error == JDWP_ABSENT) {
        jdwp_put(out, 0, 4);
        return JDWP_FINE;
    }
    if (error != JDWP_FINE)
        return error;
    jdwp_put(out, code->nbytes, 4);
    ebb_buf_add(out, code->bytes, code->nbytes);
    return JDWP_FINE;
}

jdwp_error jd_do_is_obsolete(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)d, (void)in;
    jdwp_put(out, 0, 1); /* nothing is redefined */
    return JDWP_FINE;
}
