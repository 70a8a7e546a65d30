/* natives/mirror.c - ebb.Mirror (mirror/ebb/Mirror.java): what a program asks about its own past.
 *
 * Nothing that the program sees depends on object flow (FO1) but these answers.  So they come from outside: they are recorded, and a replay gives the same ones
 * whether flow is on there or not. */
#include "jvm/flow/flow.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"

#include <string.h>

enum mirror_question { LAST_WRITE, ORIGIN, VALUES, MADE, ARGUMENT }; /* as in Mirror.java */
enum { MOST_LINKS = 1000 };

static jvm_slot mirror_measure(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_flow_extent e = jvm_flow_get();
    const uint64_t numbers[] = {e.mode, e.made, e.alive, e.nbytes, e.n_collections, e.dropped};
    int64_t *out = jvm_array_data(args[0].a);
    for (int32_t i = 0; i < args[0].a->length && (size_t)i < sizeof numbers / sizeof *numbers; i++)
        out[i] = JVM_OUTSIDE(HISTORY, numbers[i]);
    return jvm_nothing();
}

/* ---- what is asked about ---- */

typedef struct cell {
    jvm_obj *holder;
    const void *at;
    size_t nbytes;
    char type;
} cell;

static bool find_field(jvm_thread *t, jvm_obj *holder, const jvm_obj *name, cell *out)
{
    char *text = jvm_string_utf8(name);
    const jvm_sym *sym = jvm_sym_get(text);
    jvm_class *cls = holder->cls == jvm.classes.Class ? jvm_mirror_class(holder) : NULL;
    const jvm_field *f = cls == NULL ? NULL : jvm_class_find_field(cls, sym, NULL);
    if (f == NULL || !(f->access & JVM_ACC_STATIC)) {
        cls = holder->cls;
        f = jvm_class_find_field(cls, sym, NULL);
    }
    if (f == NULL) {
        char *in = jvm_class_external_name(cls);
        jvm_throw(t, "java/lang/IllegalArgumentException", "%s has no field %s", in, text);
        free(in);
    } else {
        out->holder = f->access & JVM_ACC_STATIC ? f->cls->mirror : holder;
        out->at = (const char *)out->holder + f->offset;
        out->type = f->type;
        out->nbytes = java_type_size(f->type);
    }
    free(text);
    return f != NULL;
}

static bool find_element(jvm_thread *t, jvm_obj *array, int32_t index, cell *out)
{
    char type = array->cls->name->text[0] == '[' ? array->cls->name->text[1] : '\0';
    if (type == '\0') {
        jvm_throw(t, "java/lang/IllegalArgumentException", "that is no array");
        return false;
    }
    if ((uint32_t)index >= (uint32_t)array->length) {
        jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", "Index %d out of bounds for length %d", index, array->length);
        return false;
    }
    out->type = type == '[' ? 'L' : type;
    out->nbytes = java_type_size(out->type);
    out->holder = array;
    out->at = (const char *)jvm_array_data(array) + (size_t)index * out->nbytes;
    return true;
}

/* ---- what is told ---- */

static void put_value(const jvm_alias_told *a, char type, ebb_buf *out)
{
    jvm_slot v = {.raw = a->value};
    const jvm_obj *o = v.a;
    if (!a->has_value || a->kind == JAVA_ALIAS_NATIVE) {
        ebb_buf_addc(out, '?');
        return;
    }
    switch (type) {
    case 'Z': ebb_buf_adds(out, v.i & 1 ? "true" : "false"); return;
    case 'B': ebb_buf_addf(out, "%d", (int8_t)v.i); return;
    case 'S': ebb_buf_addf(out, "%d", (int16_t)v.i); return;
    case 'C': ebb_buf_addf(out, "%d", (uint16_t)v.i); return;
    case 'I': ebb_buf_addf(out, "%d", v.i); return;
    case 'J': ebb_buf_addf(out, "%lld", (long long)v.j); return;
    case 'F': ebb_buf_addf(out, "%.9g", (double)v.f); return;
    case 'D': ebb_buf_addf(out, "%.17g", v.d); return;
    default: break;
    }
    char *name = o == NULL || !jvm_heap_holds(o) ? NULL : jvm_class_external_name(o->cls);
    ebb_buf_adds(out, o == NULL ? "null" : name == NULL ? "?" : name); /* FO5 */
    free(name);
}

static const jvm_method *method_at(uint64_t place)
{
    const jvm_class *cls = jvm_class_by_serial((uint32_t)(place >> 32));
    uint32_t index = place >> 16 & 0xffff;
    return cls == NULL || index >= cls->nmethods ? NULL : &cls->methods[index];
}

static void put_link(const jvm_alias_told *a, char type, ebb_buf *out)
{
    const jvm_method *m = method_at(a->place);
    int line = m == NULL ? 0 : jvm_method_line(m, (int)(a->place & 0xffff));
    char *name = m == NULL ? ebb_strdup("?") : jvm_class_external_name(m->cls);
    ebb_buf_addf(out, "%u\t%llu\t%s\t%s\t%s\t%d\t", a->kind, (unsigned long long)a->time, name, m == NULL ? "?" : m->name->text,
                 m != NULL && m->cls->source_file != NULL ? m->cls->source_file->text : "", line < 0 ? 0 : line);
    put_value(a, type, out);
    ebb_buf_addc(out, '\n');
    free(name);
}

static bool is_mirrors_own(const jvm_alias_told *a)
{
    const jvm_method *m = method_at(a->place);
    return m != NULL && strcmp(m->cls->name->text, "ebb/Mirror") == 0;
}

/* Past the calls within ebb.Mirror and the one that led there. */
static uint64_t before_call(uint64_t number)
{
    jvm_alias_told a;
    while (jvm_alias_get(number, &a) && is_mirrors_own(&a))
        number = a.origin;
    return jvm_alias_get(number, &a) && a.kind == JAVA_ALIAS_PARAMETER ? a.origin : number;
}

static void put_links(enum mirror_question what, uint64_t number, char type, ebb_buf *out)
{
    jvm_alias_told a;
    for (int n = 0; n < MOST_LINKS && jvm_alias_get(number, &a); n++) {
        put_link(&a, type, out);
        number = what == ORIGIN || what == ARGUMENT ? a.origin : what == VALUES ? a.predecessor : 0;
    }
}

/* ---- both ---- */

/* False: the question makes no sense, and an exception is pending.  That depends on the Java state alone. */
static bool find(jvm_thread *t, jvm_slot *args, cell *out)
{
    jvm_obj *holder = args[1].a;
    if (args[0].i == ARGUMENT)
        return true;
    if (!jvm_check_not_null(t, holder))
        return false;
    if (args[0].i == MADE)
        return true;
    return args[2].a != NULL ? find_field(t, holder, args[2].a, out) : find_element(t, holder, args[3].i, out);
}

static uint64_t newest_alias(const jvm_slot *args, const cell *c)
{
    switch (args[0].i) {
    case ARGUMENT: return before_call(jvm_alias_of_slot(&args[4]));
    case MADE: return jvm_alias_of_object(args[1].a);
    default: return jvm_alias_of_address(c->holder, c->at, c->nbytes);
    }
}

static jvm_obj *bytes_of(jvm_thread *t, const void *bytes, size_t n)
{
    jvm_obj *array = n == 0 ? NULL : jvm_new_prim_array(t, 'B', (int32_t)n);
    if (array != NULL)
        memcpy(jvm_array_data(array), bytes, n);
    return array;
}

static jvm_slot mirror_ask(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    cell c = {.type = 'L'};
    ebb_buf out = {0};
    if (!find(t, args, &c))
        return jvm_nothing();
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES)) {
        size_t n;
        char *bytes = jvm_outside_take_copy(JVM_OUTSIDE_HISTORY, &n);
        ebb_buf_add(&out, bytes, n);
        free(bytes);
    } else {
        put_links((enum mirror_question)args[0].i, newest_alias(args, &c), c.type, &out);
        jvm_outside_note_bytes(JVM_OUTSIDE_HISTORY, out.data, (int64_t)out.n);
    }
    jvm_obj *told = bytes_of(t, out.data, out.n);
    ebb_buf_fini(&out);
    return jvm_ref(told);
}

const jvm_inner_native jvm_natives_mirror[] = {
    { "ebb/Mirror", "measure", NULL, mirror_measure, JVM_NATIVE_WORLD },
    { "ebb/Mirror", "ask", NULL, mirror_ask, JVM_NATIVE_WORLD },
    { NULL },
};
