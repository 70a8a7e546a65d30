/* What recorded natives and the launcher do by way of JNI: a second function table whose functions log their
 * arguments before they do the same as the first; and the doing of what was logged (border/jni_functions.def says how). */
#include "jvm/record/internal.h"

#include "base/check.h"
#include "jvm/engine/frame.h"
#include "jvm/border/jni_impl.h"
#include "jvm/record/jni_record.h"
#include "jvm/classes/loader.h"
#include "jvm/record/memory.h"

#include <string.h>

enum jni_id {
#define JNI_FN(name, how, arguments) JNI_##name,
#include "jvm/border/jni_functions.def"
    NJNI,
};

enum { MAX_ARGUMENTS = 4 };

typedef uint64_t jni_fn(JNIEnv *env, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

typedef struct jni_row {
    const char *name, *arguments;
    void *fn; /* of the plain table: integers and pointers only, if it has arguments to log */
} jni_row;

static const jni_row rows[] = {
#define JNI_FN(name, how, arguments) [JNI_##name] = {#name, arguments, (void *)jvm_jni_##name},
#include "jvm/border/jni_functions.def"
};

/* ---- doing ---- */

/* Both while recording and in replay: from here on the C stack is the same. */
static __attribute__((noinline)) uint64_t perform(jvm_thread *t, enum jni_id id, const uint64_t *a)
{
    jvm_border border = jvm_border_leave(t, __builtin_frame_address(0));
    uint64_t result = ((jni_fn *)rows[id].fn)((JNIEnv *)t, a[0], a[1], a[2], a[3]);
    jvm_border_return(t, border);
    return result;
}

/* ---- logging ---- */

static void log_field(const jvm_field *f)
{
    jvm_log_class(f->cls);
    jvm_log_u(f->slot);
}

static void log_argument(const jvm_thread *t, char type, const uint64_t *a)
{
    jobject handle = (jobject)(uintptr_t)*a;
    switch (type) {
    case 'l': jvm_log_object(jvm_deref(handle)); break;
    case 'm': jvm_log_method((const jvm_method *)(uintptr_t)*a); break;
    case 'f': log_field((const jvm_field *)(uintptr_t)*a); break;
    case 'i': jvm_log_s((int32_t)*a); break;
    case 'j': jvm_log_s((int64_t)*a); break;
    case 's': jvm_log_text((const char *)(uintptr_t)*a); break;
    case 'b': jvm_log_bytes((const void *)(uintptr_t)*a, (size_t)(int32_t)a[1]); break;
    case 'u': jvm_log_bytes((const void *)(uintptr_t)*a, (size_t)(int32_t)a[1] * sizeof(jchar)); break;
    case 'h': jvm_log_u(jvm_local_index(t, handle)); break;
    case 'g': case 'w': jvm_log_u(jvm_global_index(handle)); break;
    default: ebb_unreachable();
    }
}

static void log_call(const jvm_thread *t, enum jni_id id, const uint64_t *a)
{
    jvm_log_event(JVM_EVENT_JNI);
    jvm_log_u(id);
    for (const char *type = rows[id].arguments; *type != '\0'; type++)
        log_argument(t, *type, a++);
    jvm_log_end();
}

static uint64_t logged(enum jni_id id, JNIEnv *env, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    jvm_thread *t = jvm_env_thread(env);
    uint64_t arguments[MAX_ARGUMENTS] = {a, b, c, d};
    jvm_windows_leave(t);
    log_call(t, id, arguments);
    uint64_t result = perform(t, id, arguments);
    jvm_windows_enter(t);
    return result;
}

void jvm_record_write(const jvm_obj *o, size_t offset, const void *bytes, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += JVM_LOG_STEP) {
        jvm_log_event(JVM_EVENT_WRITE);
        jvm_log_object(o);
        jvm_log_u(offset + done);
        jvm_log_bytes((const char *)bytes + done, nbytes - done < JVM_LOG_STEP ? nbytes - done : JVM_LOG_STEP);
        jvm_log_end();
    }
}

/* The part of an array that differs from what is about to be there. */
static void log_change(const jvm_obj *array, const char *before, const char *after, size_t nbytes)
{
    size_t start = 0;
    while (start < nbytes && before[start] == after[start])
        start++;
    while (nbytes > start && before[nbytes - 1] == after[nbytes - 1])
        nbytes--;
    jvm_record_write(array, JVM_ARRAY_BASE + start, after + start, nbytes - start);
}

/* ---- functions with a wrapper of their own ---- */

static const char foreign_memory[] = "a buffer in memory of native code"; /* for the undo log */

static size_t array_nbytes(const jvm_obj *array) { return jvm_obj_size(array) - JVM_ARRAY_BASE; }

static bool in_bounds(int64_t length, jsize start, jsize count)
{
    return start >= 0 && count >= 0 && start <= length - count;
}

#define FIELD_WRAPPERS(T, ctype, letter, jv, slot)                                                 \
    static void record_Set##T##Field(JNIEnv *env, jobject object, jfieldID field, ctype value)     \
    {                                                                                              \
        jvm_record_write(jvm_deref(object), ((jvm_field *)field)->offset, &value, sizeof value);   \
        jvm_jni_Set##T##Field(env, object, field, value);                                          \
    }                                                                                              \
    static void record_SetStatic##T##Field(JNIEnv *env, jclass cls, jfieldID field, ctype value)   \
    {                                                                                              \
        const jvm_field *f = (const jvm_field *)field;                                             \
        jvm_record_write(f->cls->mirror, f->offset, &value, sizeof value);                         \
        jvm_jni_SetStatic##T##Field(env, cls, field, value);                                       \
    }
JNI_PRIMITIVES(FIELD_WRAPPERS)

#define ARRAY_WRAPPERS(T, ctype, letter, jv, slot)                                                 \
    static void record_Release##T##ArrayElements(JNIEnv *env, ctype##Array array, ctype *elements, jint mode) \
    {                                                                                              \
        const jvm_obj *a = jvm_deref(array);                                                       \
        if (mode != JNI_ABORT)                                                                     \
            log_change(a, jvm_array_data(a), (const char *)elements, array_nbytes(a));             \
        jvm_jni_Release##T##ArrayElements(env, array, elements, mode);                             \
    }                                                                                              \
    static void record_Get##T##ArrayRegion(JNIEnv *env, ctype##Array array, jsize start, jsize count, ctype *out) \
    {                                                                                              \
        if (in_bounds(jvm_deref(array)->length, start, count))                                     \
            jvm_jni_Get##T##ArrayRegion(env, array, start, count, out);                            \
        else                                                                                       \
            logged(JNI_Get##T##ArrayRegion, env, (uintptr_t)array, (uint32_t)start, (uint32_t)count, 0); \
    }                                                                                              \
    static void record_Set##T##ArrayRegion(JNIEnv *env, ctype##Array array, jsize start, jsize count, const ctype *in) \
    {                                                                                              \
        const jvm_obj *a = jvm_deref(array);                                                       \
        if (!in_bounds(a->length, start, count)) {                                                 \
            logged(JNI_Set##T##ArrayRegion, env, (uintptr_t)array, (uint32_t)start, (uint32_t)count, 0); \
            return;                                                                                \
        }                                                                                          \
        jvm_record_write(a, JVM_ARRAY_BASE + (size_t)start * sizeof *in, in, (size_t)count * sizeof *in); \
        jvm_jni_Set##T##ArrayRegion(env, array, start, count, in);                                 \
    }
JNI_PRIMITIVES(ARRAY_WRAPPERS)

static void record_GetStringRegion(JNIEnv *env, jstring string, jsize start, jsize count, jchar *out)
{
    if (in_bounds(jvm_jni_GetStringLength(env, string), start, count))
        jvm_jni_GetStringRegion(env, string, start, count, out);
    else
        logged(JNI_GetStringRegion, env, (uintptr_t)string, (uint32_t)start, (uint32_t)count, 0);
}

static void record_GetStringUTFRegion(JNIEnv *env, jstring string, jsize start, jsize count, char *out)
{
    if (in_bounds(jvm_jni_GetStringLength(env, string), start, count))
        jvm_jni_GetStringUTFRegion(env, string, start, count, out);
    else
        logged(JNI_GetStringUTFRegion, env, (uintptr_t)string, (uint32_t)start, (uint32_t)count, 0);
}

/* Elements of arrays in critical sections as they were, innermost last. */
typedef struct critical {
    const jvm_obj *array;
    char *before;
} critical;
static EBB_VEC(critical) criticals;

static void *record_GetPrimitiveArrayCritical(JNIEnv *env, jarray array, jboolean *is_copy)
{
    const jvm_obj *a = jvm_deref(array);
    critical c = {a, ebb_alloc(array_nbytes(a) + 1)};
    memcpy(c.before, jvm_array_data(a), array_nbytes(a));
    ebb_vec_push(&criticals, c);
    return jvm_jni_GetPrimitiveArrayCritical(env, array, is_copy);
}

static void record_ReleasePrimitiveArrayCritical(JNIEnv *env, jarray array, void *elements, jint mode)
{
    const jvm_obj *a = jvm_deref(array);
    for (size_t i = criticals.n; i-- > 0;) {
        if (criticals.items[i].array != a)
            continue;
        log_change(a, criticals.items[i].before, jvm_array_data(a), array_nbytes(a));
        free(criticals.items[i].before);
        ebb_vec_remove(&criticals, i);
        break;
    }
    jvm_jni_ReleasePrimitiveArrayCritical(env, array, elements, mode);
}

static jint record_RegisterNatives(JNIEnv *env, jclass cls, const JNINativeMethod *methods, jint n)
{
    jvm_log_event(JVM_EVENT_REGISTER);
    jvm_log_object(jvm_deref(cls));
    jvm_log_u((uint64_t)n);
    for (jint i = 0; i < n; i++) {
        jvm_log_text(methods[i].name);
        jvm_log_text(methods[i].signature);
    }
    jvm_log_end();
    jvm_border border = jvm_border_leave(jvm_env_thread(env), __builtin_frame_address(0));
    jint result = jvm_jni_RegisterNatives(env, cls, methods, n);
    jvm_border_return(jvm_env_thread(env), border);
    return result;
}

static void *record_GetDirectBufferAddress(JNIEnv *env, jobject buffer)
{
    void *at = jvm_jni_GetDirectBufferAddress(env, buffer);
    if (at != NULL)
        (void)jvm_window_add(at, (size_t)jvm_jni_GetDirectBufferCapacity(env, buffer));
    return at;
}

/* Its contents so far follow as a write. */
static jobject record_NewDirectByteBuffer(JNIEnv *env, void *at, jlong capacity)
{
    jvm_undo_cut(foreign_memory);
    jobject buffer = (jobject)(uintptr_t)logged(JNI_NewDirectByteBuffer, env, (uintptr_t)at, (uint64_t)capacity, 0, 0);
    if (capacity > 0)
        jvm_window_note(at, (size_t)capacity);
    const void *contents = buffer == NULL || capacity <= 0 ? NULL : jvm_window_add(at, (size_t)capacity);
    if (contents == NULL)
        return buffer;
    jvm_record_raw(at, contents, (size_t)capacity);
    return buffer;
}

/* ---- the table ---- */

#define WRAP_PURE(name)
#define WRAP_INSIDE(name)
#define WRAP_SPECIAL(name)
#define WRAP_LOGGED(name)                                                                          \
    static uint64_t record_##name(JNIEnv *env, uint64_t a, uint64_t b, uint64_t c, uint64_t d)     \
    {                                                                                              \
        return logged(JNI_##name, env, a, b, c, d);                                                \
    }
#define JNI_FN(name, how, arguments) WRAP_##how(name)
#include "jvm/border/jni_functions.def"

#define ENTRY_PURE(name) jvm_jni_##name
#define ENTRY_INSIDE(name) jvm_jni_##name
#define ENTRY_SPECIAL(name) record_##name
#define ENTRY_LOGGED(name) (__typeof__(&jvm_jni_##name))(void *)record_##name
const struct JNINativeInterface_ jvm_recording_table = {
#define JNI_FN(name, how, arguments) .name = ENTRY_##how(name),
#include "jvm/border/jni_functions.def"
};

/* ---- calls of Java ---- */

static void log_slot(char type, jvm_slot slot)
{
    switch (type) {
    case 'J': case 'D': jvm_log_s(slot.j); break;
    case 'L': case '[': jvm_log_object(slot.a); break;
    default: jvm_log_s(slot.i); break;
    }
}

static jvm_slot take_slot(char type)
{
    switch (type) {
    case 'J': case 'D': return (jvm_slot){.j = jvm_log_take_s()};
    case 'L': case '[': return (jvm_slot){.a = jvm_log_take_object()};
    default: return (jvm_slot){.raw = (uint32_t)jvm_log_take_s()};
    }
}

void jvm_record_jni_call(jvm_thread *t, int kind, const jvm_method *m, const jvm_slot *slots)
{
    if (!jvm_in_recorded_native(t))
        return;
    jvm_windows_leave(t);
    jvm_log_event(JVM_EVENT_CALL);
    jvm_log_u((uint64_t)kind);
    jvm_log_method(m);
    if (kind != JVM_JNI_CALL_STATIC)
        log_slot('L', *slots++);
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; slots += jvm_type_slots(type))
        log_slot(type, *slots);
    jvm_log_end();
}

static void replay_call(jvm_thread *t)
{
    jvm_slot slots[256] = {{.raw = 0}}, *at = slots;
    uint64_t kind = jvm_log_take_u();
    jvm_method *m = jvm_log_take_method();
    if (kind > JVM_JNI_CALL_STATIC || (kind == JVM_JNI_CALL_STATIC) != jvm_method_is_static(m))
        jvm_diverged("the recording calls %s.%s in a way that there is not", m->cls->name->text, m->name->text);
    if (kind != JVM_JNI_CALL_STATIC)
        *at++ = take_slot('L');
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += jvm_type_slots(type))
        *at = take_slot(type);
    (void)jvm_jni_invoke(t, (enum jvm_jni_call)kind, m, slots);
}

void jvm_record_jni_alloc(jvm_thread *t, const jvm_class *cls)
{
    if (!jvm_in_recorded_native(t))
        return;
    jvm_log_event(JVM_EVENT_ALLOC);
    jvm_log_class(cls);
    jvm_log_end();
}

void jvm_record_jni_local(jvm_thread *t, const jvm_obj *o)
{
    if (o == NULL || !jvm_in_recorded_native(t))
        return;
    jvm_log_event(JVM_EVENT_LOCAL);
    jvm_log_object(o);
    jvm_log_end();
}

/* ---- what the machine does for a recorded native outside of JNI ---- */

bool jvm_record_find_boot(jvm_thread *t, const char *name)
{
    if (!jvm_in_recorded_native(t))
        return false;
    jvm_log_event(JVM_EVENT_FIND_BOOT);
    jvm_log_text(name);
    jvm_log_end();
    return true;
}

void jvm_record_throw(jvm_thread *t, const char *class_name, const char *message)
{
    if (!jvm_in_recorded_native(t))
        return;
    jvm_log_event(JVM_EVENT_THROW);
    jvm_log_text(class_name);
    jvm_log_text(message);
    jvm_log_end();
}

/* ---- doing what was logged ---- */

typedef struct script_arguments {
    uint64_t a[MAX_ARGUMENTS];
    jvm_obj *cells[MAX_ARGUMENTS]; /* what the handles among them point at; held by the handles that the native had */
    void *copies[MAX_ARGUMENTS];
} script_arguments;

static jvm_field *take_field(void)
{
    jvm_class *cls = jvm_log_take_class();
    uint64_t slot = jvm_log_take_u();
    if (cls == NULL || slot >= cls->nfields)
        jvm_diverged("the recording names a field that there is not");
    return &cls->fields[slot];
}

/* A copy, because what is done may go on reading the log. */
static uint64_t take_copy(script_arguments *s, int i, bool *absent)
{
    size_t n;
    const void *bytes = jvm_log_take_bytes(&n);
    *absent = n == 0;
    char *copy = s->copies[i] = ebb_alloc(n + 2);
    memcpy(copy, bytes, n);
    copy[n] = copy[n + 1] = '\0';
    return (uintptr_t)copy;
}

static uint64_t take_argument(jvm_thread *t, script_arguments *s, int i, char type)
{
    bool absent;
    uint64_t v;
    switch (type) {
    case 'l':
        s->cells[i] = jvm_log_take_object();
        return s->cells[i] == NULL ? 0 : (uintptr_t)&s->cells[i];
    case 'm': return (uintptr_t)jvm_log_take_method();
    case 'f': return (uintptr_t)take_field();
    case 'i': case 'j': return (uint64_t)jvm_log_take_s();
    case 's':
        v = take_copy(s, i, &absent);
        return absent ? 0 : v;
    case 'b': case 'u': return take_copy(s, i, &absent);
    case 'h': return (uintptr_t)jvm_local_at(t, jvm_log_take_u());
    case 'g': return (uintptr_t)jvm_global_at(jvm_log_take_u(), false);
    case 'w': return (uintptr_t)jvm_global_at(jvm_log_take_u(), true);
    default: ebb_unreachable();
    }
}

static void replay_jni(jvm_thread *t)
{
    uint64_t id = jvm_log_take_u();
    if (id >= NJNI)
        jvm_diverged("the recording names JNI function %llu", (unsigned long long)id);
    script_arguments s = {{0}, {0}, {0}};
    for (int i = 0; rows[id].arguments[i] != '\0'; i++)
        s.a[i] = take_argument(t, &s, i, rows[id].arguments[i]);
    if (id == JNI_NewDirectByteBuffer)
        jvm_undo_cut(foreign_memory);
    if (id == JNI_NewDirectByteBuffer && (int64_t)s.a[1] > 0) {
        jvm_window_shadow((void *)(uintptr_t)s.a[0], s.a[1]);
        jvm_window_note((void *)(uintptr_t)s.a[0], s.a[1]);
    }
    (void)perform(t, (enum jni_id)id, s.a);
    for (int i = 0; i < MAX_ARGUMENTS; i++)
        free(s.copies[i]);
}

static void replay_write(void)
{
    jvm_obj *o = jvm_log_take_object();
    uint64_t offset = jvm_log_take_u();
    size_t n;
    const void *bytes = jvm_log_take_bytes(&n);
    if (o == NULL || offset < JVM_HEADER_SIZE || offset > jvm_obj_size(o) || n > jvm_obj_size(o) - offset)
        jvm_diverged("the recording writes outside of an object");
    jvm_before_write_(o, (char *)o + offset, n);
    memcpy((char *)o + offset, bytes, n);
}

/* Memory that Java code knows by address lies in the regions (heap/region.h). */
static void replay_raw(void)
{
    uint64_t at = jvm_log_take_u();
    size_t n;
    const void *bytes = jvm_log_take_bytes(&n);
    if (!jvm_offheap_holds((void *)(uintptr_t)at, n) && !jvm_window_holds((void *)(uintptr_t)at, n))
        jvm_diverged("the recording writes to memory at %#llx, where there is none", (unsigned long long)at);
    jvm_offheap_keep((void *)(uintptr_t)at, n);
    memcpy(jvm_window_find((void *)(uintptr_t)at, n), bytes, n);
}

static void replay_register(jvm_thread *t)
{
    jvm_obj *mirror = jvm_log_take_object();
    uint64_t n = jvm_log_take_u();
    if (mirror == NULL || mirror->cls != jvm.classes.Class || n > UINT16_MAX)
        jvm_diverged("the recording registers natives of what is no class");
    JNINativeMethod *methods = ebb_zalloc((n + 1) * sizeof *methods);
    for (uint64_t i = 0; i < n; i++) {
        const char *name = jvm_log_take_text(), *sig = jvm_log_take_text();
        methods[i] = (JNINativeMethod){ebb_strdup(name ? name : ""), ebb_strdup(sig ? sig : ""), (void *)1};
    }
    jvm_border border = jvm_border_leave(t, __builtin_frame_address(0));
    jvm_jni_RegisterNatives((JNIEnv *)t, (jclass)&mirror, methods, (jint)n);
    jvm_border_return(t, border);
    for (uint64_t i = 0; i < n; i++) {
        free(methods[i].name);
        free(methods[i].signature);
    }
    free(methods);
}

static char *take_text_copy(void)
{
    const char *text = jvm_log_take_text();
    return ebb_strdup(text == NULL ? "" : text);
}

static void replay_throw(jvm_thread *t)
{
    char *class_name = take_text_copy(), *message = take_text_copy();
    jvm_throw(t, class_name, "%s", message);
    free(class_name);
    free(message);
}

static void replay_find_boot(jvm_thread *t)
{
    char *name = take_text_copy();
    (void)jvm_find_boot_local(t, name);
    free(name);
}

static void replay_alloc(jvm_thread *t)
{
    jvm_class *cls = jvm_log_take_class();
    if (cls == NULL)
        jvm_diverged("the recording makes an object of no class");
    (void)jvm_jni_alloc(t, cls);
}

bool jvm_replay_action(jvm_thread *t)
{
    unsigned kind = jvm_log_peek(NULL);
    switch (kind) {
    case JVM_EVENT_JNI: case JVM_EVENT_CALL: case JVM_EVENT_ALLOC: case JVM_EVENT_LOCAL: case JVM_EVENT_WRITE:
    case JVM_EVENT_RAW: case JVM_EVENT_REGISTER: case JVM_EVENT_FIND_BOOT: case JVM_EVENT_THROW:
        break;
    default:
        return false;
    }
    if (!jvm_log_expect(kind))
        return false;
    switch (kind) {
    case JVM_EVENT_JNI: replay_jni(t); break;
    case JVM_EVENT_CALL: replay_call(t); break;
    case JVM_EVENT_ALLOC: replay_alloc(t); break;
    case JVM_EVENT_LOCAL: jvm_local(t, jvm_log_take_object()); break;
    case JVM_EVENT_WRITE: replay_write(); break;
    case JVM_EVENT_RAW: replay_raw(); break;
    case JVM_EVENT_REGISTER: replay_register(t); break;
    case JVM_EVENT_FIND_BOOT: replay_find_boot(t); break;
    default: replay_throw(t); break;
    }
    return true;
}
