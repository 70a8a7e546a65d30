/* native.c - finding the C function of a native method, and calling it by way of libffi with handles for objects. */
#include "jvm/border/native.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/threads/monitor.h"
#include "jvm/record/record.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <dlfcn.h>
#include <ffi.h>
#include <string.h>

/* ---- inner natives ---- */

static ebb_map *inner; /* "class.name" or "class.name(sig)" -> row */

void jvm_native_add_table(const jvm_inner_native *table)
{
    if (inner == NULL)
        inner = ebb_map_new();
    for (; table->class_name != NULL; table++) {
        char *key = ebb_asprintf("%s.%s%s", table->class_name, table->name, table->sig ? table->sig : "");
        ebb_map_set(inner, key, (void *)table);
        free(key);
    }
}

static const jvm_inner_native *find_inner(const jvm_method *m)
{
    if (m->cls->loader->object != NULL)
        return NULL;
    char *key = ebb_asprintf("%s.%s%s", m->cls->name->text, m->name->text, m->sig->text);
    const jvm_inner_native *row = ebb_map_get(inner, key);
    if (row == NULL) {
        *strchr(key, '(') = '\0';
        row = ebb_map_get(inner, key);
    }
    free(key);
    return row;
}

bool jvm_native_replaces(const jvm_method *m)
{
    return m->cls == jvm.classes.Math && find_inner(m) != NULL;
}

/* ---- JNI symbols ---- */

/* Chars of modified UTF-8 as JNI mangles them. */
static void mangle(ebb_buf *out, const char *text, const char *end)
{
    while (text < end) {
        uint8_t c = (uint8_t)*text;
        uint32_t code = c;
        int n = 1;
        if (c >= 0xe0 && end - text >= 3) {
            code = (uint32_t)(c & 0xf) << 12 | (uint32_t)(text[1] & 0x3f) << 6 | (text[2] & 0x3f);
            n = 3;
        } else if (c >= 0xc0 && end - text >= 2) {
            code = (uint32_t)(c & 0x1f) << 6 | (text[1] & 0x3f);
            n = 2;
        }
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain)
            ebb_buf_addc(out, (char)c);
        else if (c == '/')
            ebb_buf_addc(out, '_');
        else if (c == '_')
            ebb_buf_adds(out, "_1");
        else if (c == ';')
            ebb_buf_adds(out, "_2");
        else if (c == '[')
            ebb_buf_adds(out, "_3");
        else
            ebb_buf_addf(out, "_0%04x", code);
        text += n;
    }
}

char *jvm_native_symbol(const jvm_method *m, bool with_signature)
{
    ebb_buf out = {0};
    ebb_buf_adds(&out, "Java_");
    mangle(&out, m->cls->name->text, m->cls->name->text + m->cls->name->nbytes);
    ebb_buf_addc(&out, '_');
    mangle(&out, m->name->text, m->name->text + m->name->nbytes);
    if (with_signature) {
        ebb_buf_adds(&out, "__");
        mangle(&out, m->sig->text + 1, strchr(m->sig->text, ')'));
    }
    return ebb_buf_take(&out);
}

void *jvm_boot_library(const char *name)
{
    static ebb_map *open;
    if (open == NULL)
        open = ebb_map_new();
    void *handle = ebb_map_get(open, name);
    if (handle == NULL) {
        char *path = ebb_asprintf("%s/lib/lib%s.so", jvm.home, name);
        handle = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
        if (handle == NULL)
            ebb_log("%s", dlerror());
        else
            ebb_map_set(open, name, handle);
        free(path);
    }
    return handle;
}

static void *find_symbol(jvm_thread *t, const jvm_method *m, const char *symbol)
{
    void *fn = NULL;
    if (m->cls->loader->object == NULL)
        fn = dlsym(jvm_boot_library("java"), symbol);
    if (fn == NULL && jvm.methods.ClassLoader_findNative != NULL && jvm_ensure_init(t, jvm.classes.ClassLoader)) {
        jvm_undo_cut("the search for a native method"); /* which is made once */
        jvm_obj *name = jvm_string_new(t, symbol);
        fn = (void *)(intptr_t)jvm_callv(t, jvm.methods.ClassLoader_findNative, m->cls->loader->object, name).j;
    }
    return jvm_pending(t) ? NULL : fn;
}

static void *find_function(jvm_thread *t, const jvm_method *m)
{
    void *fn = NULL;
    for (int with_signature = 0; fn == NULL && with_signature < 2 && !jvm_pending(t); with_signature++) {
        char *symbol = jvm_native_symbol(m, with_signature);
        fn = find_symbol(t, m, symbol);
        free(symbol);
    }
    return fn;
}

/* ---- how a JNI function is called ---- */

static ffi_type *ffi_type_of(char type)
{
    switch (type) {
    case 'Z': return &ffi_type_uint8;
    case 'B': return &ffi_type_sint8;
    case 'C': return &ffi_type_uint16;
    case 'S': return &ffi_type_sint16;
    case 'I': return &ffi_type_sint32;
    case 'J': return &ffi_type_sint64;
    case 'F': return &ffi_type_float;
    case 'D': return &ffi_type_double;
    case 'V': return &ffi_type_void;
    default: return &ffi_type_pointer;
    }
}

enum { MAX_SIMPLE = 6 }; /* integer registers of the ABI */

static bool is_simple(const jvm_method *m, int nargs)
{
    if (m->ret == 'F' || m->ret == 'D' || nargs > MAX_SIMPLE)
        return false;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;)
        if (type == 'F' || type == 'D')
            return false;
    return true;
}

/* Arguments of the C function: JNIEnv, this or class, then the method's. */
static int c_arguments(const jvm_method *m)
{
    int n = 2;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    while (jvm_sig_next(&it, NULL, NULL) != 0)
        n++;
    return n;
}

static void describe_call(jvm_native *native, const jvm_method *m)
{
    int n = c_arguments(m);
    if (is_simple(m, n))
        return;
    ffi_cif *cif = EBB_NEW(ffi_cif);
    ffi_type **types = ebb_alloc((size_t)n * sizeof *types);
    types[0] = types[1] = &ffi_type_pointer;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (int i = 2; i < n; i++)
        types[i] = ffi_type_of(jvm_sig_next(&it, NULL, NULL));
    ebb_check(ffi_prep_cif(cif, FFI_DEFAULT_ABI, (unsigned)n, ffi_type_of(m->ret), types) == FFI_OK);
    native->cif = cif;
}

static jvm_native *native_of(jvm_method *m)
{
    if (m->native == NULL)
        m->native = EBB_NEW(jvm_native);
    return m->native;
}

void jvm_native_register(jvm_method *m, void *fn)
{
    jvm_native *native = native_of(m);
    native->fn = fn;
    native->kind = JVM_NATIVE_WORLD;
    native->reruns = jvm_native_reruns(m);
    if (native->cif == NULL)
        describe_call(native, m);
}

void jvm_native_unregister(jvm_method *m)
{
    if (m->native != NULL)
        m->native->fn = NULL;
    if (m->entry == JVM_ENTRY_NATIVE)
        m->entry = JVM_ENTRY_UNPREPARED;
}

static void throw_unbound(jvm_thread *t, const jvm_method *m)
{
    if (jvm_pending(t))
        return;
    char *text = jvm_method_text(m), *ret = jvm_type_text(jvm_sig_return(m->sig));
    jvm_throw(t, "java/lang/UnsatisfiedLinkError", "'%s %s'", ret, text);
    free(text);
    free(ret);
}

/* The function of a boot library, by its short name. */
static void *library_function(const jvm_method *m, const char *library)
{
    void *handle = jvm_boot_library(library);
    char *symbol = jvm_native_symbol(m, false);
    void *fn = handle == NULL ? NULL : dlsym(handle, symbol);
    free(symbol);
    return fn;
}

/* The libraries that have natives to run again. */
static void rebind_to_library(jvm_method *m)
{
    static const char *const libraries[] = {"java", "zip", "nio", "net"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *fn = library_function(m, libraries[i]);
        if (fn != NULL)
            m->native->fn = fn;
    }
}

bool jvm_native_bind(jvm_thread *t, jvm_method *m)
{
    const jvm_inner_native *row = find_inner(m);
    if (row != NULL) {
        native_of(m)->inner = row->fn;
        m->native->kind = row->kind;
        m->native->cuts = row->cuts;
        return true;
    }
    if (m->native != NULL && m->native->fn != NULL)
        return true;
    void *fn = find_function(t, m);
    if (fn == NULL) {
        throw_unbound(t, m);
        return false;
    }
    jvm_native_register(m, fn);
    if (m->native->reruns && jvm_is_replaying())
        rebind_to_library(m); /* the address is the recorded one */
    return true;
}

/* ---- the border ---- */

static jvm_slot widen_result(jvm_thread *t, char type, uint64_t raw)
{
    jvm_slot v = {.raw = type == 'J' || type == 'D' ? raw : (uint32_t)raw}; /* the upper half of eax is anything */
    switch (type) {
    case 'Z': v.i = (uint8_t)raw != 0; break;
    case 'B': v.i = (int8_t)raw; break;
    case 'C': v.i = (uint16_t)raw; break;
    case 'S': v.i = (int16_t)raw; break;
    case 'I': v.i = (int32_t)raw; break;
    case 'V': v.raw = 0; break;
    case 'L': case '[': v.a = jvm_deref((jobject)(uintptr_t)raw); break;
    default: break;
    }
    return v;
}

static jobject cell_handle(jvm_slot *cell)
{
    return cell->a ? (jobject)&cell->a : NULL;
}

/* One 8-byte cell per C argument; returns their number. */
static int marshal(jvm_thread *t, jvm_method *m, jvm_slot *args, jvm_slot *out)
{
    int n = 2;
    out[0].p = t;
    if (jvm_method_is_static(m))
        out[1].p = &m->cls->mirror; /* a class is alive: its own cell serves as the handle */
    else
        out[1].p = cell_handle(args++);
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; args += jvm_type_slots(type)) {
        if (type == 'L' || type == '[')
            out[n++].p = cell_handle(args);
        else
            out[n++] = *args;
    }
    return n;
}

static uint64_t call_simple(void *fn, const jvm_slot *a, int n)
{
    typedef uint64_t fn6(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    /* Registers that the callee doesn't read may hold anything. */
    return ((fn6 *)fn)(a[0].raw, a[1].raw, n > 2 ? a[2].raw : 0, n > 3 ? a[3].raw : 0, n > 4 ? a[4].raw : 0,
                       n > 5 ? a[5].raw : 0);
}

typedef struct c_call {
    jvm_slot cells[258];
    int n;
} c_call;

static jvm_slot call_c(jvm_thread *t, const jvm_method *m, void *how)
{
    c_call *call = how;
    const jvm_native *native = m->native;
    if (native->cif == NULL)
        return widen_result(t, m->ret, call_simple(native->fn, call->cells, call->n));
    void *pointers[258];
    ffi_arg raw[2] = {0, 0};
    for (int i = 0; i < call->n; i++)
        pointers[i] = &call->cells[i];
    ffi_call(native->cif, FFI_FN(native->fn), raw, pointers);
    return widen_result(t, m->ret, raw[0]);
}

static jvm_slot call_jni(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    c_call call;
    size_t mark = jvm_handles_mark(t);
    call.n = marshal(t, m, args, call.cells);
    bool recorded = jvm_history != JVM_UNRECORDED && !m->native->reruns;
    jvm_slot result = recorded ? jvm_record_native(t, m, args, call_c, &call) : call_c(t, m, &call);
    jvm_handles_release(t, mark);
    return result;
}

jvm_slot jvm_native_call_library(jvm_thread *t, jvm_method *m, jvm_slot *args, const char *library)
{
    if (m->native->fn == NULL) {
        void *fn = library_function(m, library);
        if (fn == NULL) {
            jvm_throw(t, "java/lang/UnsatisfiedLinkError", "%s.%s in lib%s.so", m->cls->name->text, m->name->text, library);
            return (jvm_slot){.raw = 0};
        }
        enum jvm_native_kind kind = m->native->kind;
        jvm_native_register(m, fn);
        m->native->kind = kind;
    }
    return call_jni(t, m, args);
}

jvm_slot jvm_native_call(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_native *native = m->native;
    jvm_obj *lock = NULL;
    if (m->access & JVM_ACC_SYNCHRONIZED) {
        lock = jvm_method_is_static(m) ? m->cls->mirror : args[0].a;
        jvm_monitor_enter(t, lock);
        t->frame->lock = lock;
    }
    jvm_slot result;
    if (native->cuts != NULL)
        jvm_undo_cut(native->cuts);
    if (native->inner != NULL) {
        size_t mark = t->nhandles;
        result = native->inner(t, m, args);
        t->nhandles = mark; /* what it made by way of JNI functions */
    } else if (native->fn != NULL) {
        result = call_jni(t, m, args);
    } else {
        result.raw = 0;
        throw_unbound(t, m);
    }
    if (lock != NULL) {
        t->frame->lock = NULL;
        jvm_obj *thrown = jvm_exception_take(t);
        if (jvm_monitor_exit(t, lock))
            t->exception = thrown;
    }
    return result;
}
