/* natives/unsafe.c - jdk.internal.misc.Unsafe: memory by base and offset, fields' offsets, parking.
 *
 * An address is an object plus a byte offset (what field offsets and arrayBaseOffset hand out), or with
 * a null object an address outside the heap.  Only one Java thread runs at a time, so volatile and
 * plain accesses are the same, and compare-and-set needs no lock prefix.  Memory that is neither ours nor a buffer's is foreign
 * (record/memory.h).
 *
 * All are instance methods: args[0] is the Unsafe, args[1] the base, args[2] (two slots) the offset,
 * args[4] the first value. */
#include <stdlib.h>

#include "jvm/heap/jstring.h"
#include "jvm/natives/natives.h"
#include "jvm/heap/offheap.h"
#include "jvm/record/memory.h"
#include "jvm/record/outside.h"
#include "jvm/classes/reflect.h"

static void *address(const jvm_slot *args)
{
    return (void *)((uintptr_t)args[1].a + (uintptr_t)args[2].j);
}

/* As above, for memory that isn't foreign. */
static void *place(const jvm_slot *args, size_t nbytes)
{
    return args[1].a == NULL ? jvm_window_find(address(args), nbytes) : address(args);
}

static bool is_foreign(const jvm_slot *args, size_t nbytes)
{
    return args[1].a == NULL && jvm_memory_is_foreign(address(args), nbytes);
}

static void fetch(const jvm_slot *args, void *to, size_t nbytes)
{
    if (is_foreign(args, nbytes))
        jvm_foreign_read(to, address(args), nbytes);
    else
        memmove(to, place(args, nbytes), nbytes);
}

/* Every write is announced, also those outside the heap (the object is then NULL). */
static void *address_to_write(const jvm_slot *args, size_t nbytes)
{
    void *at = place(args, nbytes);
    if (args[1].a == NULL)
        jvm_offheap_keep(at, nbytes);
    jvm_before_write_(args[1].a, at, nbytes); /* for the log once more, which does no harm: blocks are of whole words */
    return at;
}

static void store(const jvm_slot *args, const void *from, size_t nbytes)
{
    if (is_foreign(args, nbytes))
        jvm_foreign_write(address(args), from, nbytes);
    else
        memmove(address_to_write(args, nbytes), from, nbytes);
}

/* Of an argument. */
static void store_value(const jvm_slot *args, const jvm_slot *value, size_t nbytes)
{
    store(args, value, nbytes);
    if (args[1].a != NULL)
        jvm_flow_wrote(address(args), nbytes, value);
}

static void fetch_result(jvm_thread *t, const jvm_slot *args, void *to, size_t nbytes)
{
    fetch(args, to, nbytes);
    if (args[1].a != NULL)
        jvm_flow_fetched(t, address(args), nbytes);
}

/* ---- get and put ---- */

#define UNSAFE_TYPES(X)                                                                            \
    X(Boolean, uint8_t, i) X(Byte, int8_t, i) X(Short, int16_t, i) X(Char, uint16_t, i)            \
    X(Int, int32_t, i) X(Long, int64_t, j) X(Float, float, f) X(Double, double, d) X(Reference, jvm_obj *, a)

#define GET_PUT(T, ctype, slot)                                                                    \
    static jvm_slot get_##T(jvm_thread *t, jvm_method *m, jvm_slot *args)                          \
    {                                                                                              \
        ctype value;                                                                               \
        fetch_result(t, args, &value, sizeof value);                                                       \
        return (jvm_slot){ .slot = value };                                                        \
    }                                                                                              \
    static jvm_slot put_##T(jvm_thread *t, jvm_method *m, jvm_slot *args)                          \
    {                                                                                              \
        store_value(args, &args[4], sizeof(ctype));                                                \
        return jvm_nothing();                                                                      \
    }
UNSAFE_TYPES(GET_PUT)

/* ---- compare and set ---- */

#define CAS_TYPES(X) X(Int, int32_t, i, 1) X(Long, int64_t, j, 2) X(Reference, jvm_obj *, a, 1)

#define COMPARE_AND_SET(T, ctype, slot, nslots)                                                    \
    static jvm_slot cmpxchg_##T(jvm_thread *t, jvm_method *m, jvm_slot *args)                      \
    {                                                                                              \
        ctype old;                                                                                 \
        fetch_result(t, args, &old, sizeof old);                                                   \
        if (old == args[4].slot)                                                                   \
            store_value(args, &args[4 + nslots], sizeof old);                                      \
        return (jvm_slot){ .slot = old };                                                          \
    }                                                                                              \
    static jvm_slot cas_##T(jvm_thread *t, jvm_method *m, jvm_slot *args)                          \
    {                                                                                              \
        bool is_set = cmpxchg_##T(t, m, args).slot == args[4].slot;                                \
        t->flow_passed = 0; /* that is not what was read */                                        \
        return jvm_int(is_set);                                                                    \
    }
CAS_TYPES(COMPARE_AND_SET)

/* ---- blocks of memory ---- */

static jvm_slot allocate_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long((int64_t)(intptr_t)jvm_offheap_alloc((size_t)args[1].j));
}

static jvm_slot reallocate_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long((int64_t)(intptr_t)jvm_offheap_realloc((void *)(intptr_t)args[1].j, (size_t)args[3].j));
}

static jvm_slot free_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_offheap_free((void *)(intptr_t)args[1].j);
    return jvm_nothing();
}

static jvm_slot set_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    size_t nbytes = (size_t)args[4].j;
    if (!is_foreign(args, nbytes))
        memset(address_to_write(args, nbytes), args[6].i, nbytes);
    else if (!jvm_is_replaying())
        memset(address(args), args[6].i, nbytes);
    return jvm_nothing();
}

/* (source, offset, destination, offset, bytes): the destination is an address of its own at args[3]. */
static jvm_slot copy_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    size_t nbytes = (size_t)args[7].j;
    if (is_foreign(args, nbytes)) {
        void *bytes = ebb_alloc(nbytes + 1);
        jvm_foreign_read(bytes, address(args), nbytes);
        store(args + 3, bytes, nbytes);
        free(bytes);
    } else {
        store(args + 3, place(args, nbytes), nbytes);
    }
    return jvm_nothing();
}

static void reverse(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t b = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = b;
    }
}

static jvm_slot copy_swap_memory(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    size_t nbytes = (size_t)args[7].j, element = (size_t)args[9].j;
    uint8_t *bytes = ebb_alloc(nbytes + 1);
    fetch(args, bytes, nbytes);
    for (size_t at = 0; at + element <= nbytes; at += element)
        reverse(bytes + at, element);
    store(args + 3, bytes, nbytes);
    free(bytes);
    return jvm_nothing();
}

/* ---- layout ---- */

static jvm_slot field_offset_of(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_field *f = jvm_reflected_field(args[1].a);
    if (f == NULL)
        jvm_throw(t, JVM_INTERNAL_ERROR, "Unsafe: not a field");
    return jvm_long(f == NULL ? 0 : f->offset);
}

static jvm_slot field_offset_by_name(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = jvm_mirror_class(args[1].a);
    const jvm_field *f = jvm_class_own_field(cls, jvm_string_sym(args[2].a), NULL);
    if (f == NULL)
        jvm_throw(t, JVM_INTERNAL_ERROR, NULL);
    return jvm_long(f == NULL ? 0 : f->offset);
}

static jvm_slot static_field_base(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_field *f = jvm_reflected_field(args[1].a);
    if (f == NULL)
        jvm_throw(t, JVM_INTERNAL_ERROR, "Unsafe: not a field");
    return jvm_ref(f == NULL ? NULL : f->cls->mirror);
}

static const jvm_class *array_argument(jvm_thread *t, const jvm_slot *args)
{
    const jvm_class *cls = jvm_mirror_class(args[1].a);
    if (jvm_class_is_array(cls))
        return cls;
    jvm_throw(t, "java/lang/InvalidClassException", "%s", cls->name->text);
    return NULL;
}

static jvm_slot array_base_offset(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(array_argument(t, args) == NULL ? 0 : JVM_ARRAY_BASE);
}

static jvm_slot array_index_scale(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = array_argument(t, args);
    return jvm_int(cls == NULL ? 0 : (int32_t)java_type_size(cls->element_type));
}

/* ---- classes and objects ---- */

static jvm_slot should_be_initialized(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = jvm_mirror_class(args[1].a);
    return jvm_int(cls->kind == JVM_KIND_INSTANCE && cls->state != JVM_CLASS_INITIALIZED);
}

static jvm_slot ensure_class_initialized(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_class *cls = jvm_mirror_class(args[1].a);
    if (cls->kind == JVM_KIND_INSTANCE)
        (void)jvm_ensure_init(t, cls);
    return jvm_nothing();
}

static jvm_slot allocate_instance(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(jvm_deref(jvm_jni_AllocObject((JNIEnv *)t, (jclass)&args[1].a)));
}

static jvm_slot define_class(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *bytes = args[2].a;
    if (!jvm_check_not_null(t, bytes) || !jvm_check_region(t, bytes, args[3].i, args[4].i))
        return jvm_nothing();
    jvm_define def = {
        .name = args[1].a == NULL ? NULL : jvm_string_class_sym(args[1].a),
        .loader = jvm_loader_of(args[5].a),
        .bytes = (const uint8_t *)jvm_array_data(bytes) + args[3].i,
        .nbytes = (size_t)args[4].i,
        .protection_domain = args[6].a,
    };
    return jvm_ref_class(jvm_define_class(t, &def));
}

static jvm_slot throw_exception(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_throw_object(t, args[1].a);
    return jvm_nothing();
}

/* ---- parking, the world ---- */

static jvm_slot park(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_park(t, args[1].i != 0, args[2].j);
    return jvm_nothing();
}

static jvm_slot unpark(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (args[1].a != NULL)
        jvm_unpark(jvm_thread_of(args[1].a));
    return jvm_nothing();
}

/* How many were filled in, or -1. */
static int ask_load(double *averages, int want)
{
    int64_t nbytes;
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES)) {
        nbytes = jvm_outside_take_bytes(JVM_OUTSIDE_LOAD, averages, 3 * sizeof *averages);
    } else {
        int n = getloadavg(averages, want);
        nbytes = jvm_outside_note_bytes(JVM_OUTSIDE_LOAD, averages, n < 0 ? -1 : n * (int64_t)sizeof *averages);
    }
    return nbytes < 0 ? -1 : (int)(nbytes / (int64_t)sizeof *averages);
}

static jvm_slot get_load_average(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    double averages[3];
    int n = ask_load(averages, args[2].i < 3 ? args[2].i : 3);
    if (n > 0 && n <= args[1].a->length)
        jvm_array_store_bytes(args[1].a, 0, averages, (size_t)n * sizeof *averages);
    return jvm_int(n);
}

/* The machine reports no cache line to flush and compresses nothing, so nobody may call these. */
static jvm_slot refused(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_throw(t, "java/lang/UnsupportedOperationException", "Unsafe.%s", m->name->text);
    return jvm_nothing();
}

const jvm_inner_native jvm_natives_unsafe[] = {
#define ROW(name, fn, kind) { "jdk/internal/misc/Unsafe", name, NULL, fn, JVM_NATIVE_##kind },
#define GET_PUT_ROWS(T, ctype, slot)                                                               \
    ROW("get" #T, get_##T, PURE) ROW("put" #T, put_##T, PURE)                                      \
    ROW("get" #T "Volatile", get_##T, PURE) ROW("put" #T "Volatile", put_##T, PURE)
#define CAS_ROWS(T, ctype, slot, nslots)                                                           \
    ROW("compareAndSet" #T, cas_##T, PURE) ROW("compareAndExchange" #T, cmpxchg_##T, PURE)
    ROW("registerNatives", jvm_native_nothing, PURE)
    UNSAFE_TYPES(GET_PUT_ROWS)
    CAS_TYPES(CAS_ROWS)
    ROW("loadFence", jvm_native_nothing, PURE)
    ROW("storeFence", jvm_native_nothing, PURE)
    ROW("fullFence", jvm_native_nothing, PURE)
    ROW("allocateMemory0", allocate_memory, PURE)
    ROW("reallocateMemory0", reallocate_memory, PURE)
    ROW("freeMemory0", free_memory, PURE)
    ROW("setMemory0", set_memory, PURE)
    ROW("copyMemory0", copy_memory, PURE)
    ROW("copySwapMemory0", copy_swap_memory, PURE)
    ROW("objectFieldOffset0", field_offset_of, PURE)
    ROW("objectFieldOffset1", field_offset_by_name, PURE)
    ROW("staticFieldOffset0", field_offset_of, PURE)
    ROW("staticFieldBase0", static_field_base, PURE)
    ROW("arrayBaseOffset0", array_base_offset, PURE)
    ROW("arrayIndexScale0", array_index_scale, PURE)
    ROW("shouldBeInitialized0", should_be_initialized, PURE)
    ROW("ensureClassInitialized0", ensure_class_initialized, BLOCKS)
    ROW("allocateInstance", allocate_instance, BLOCKS)
    ROW("defineClass0", define_class, BLOCKS)
    ROW("throwException", throw_exception, PURE)
    ROW("park", park, BLOCKS)
    ROW("unpark", unpark, PURE)
    ROW("getLoadAverage0", get_load_average, WORLD)
    ROW("getUncompressedObject", refused, PURE)
    ROW("writeback0", refused, PURE)
    ROW("writebackPreSync0", refused, PURE)
    ROW("writebackPostSync0", refused, PURE)
    { NULL },
};
