/* call.c - methods of the program, called on the thread that stopped (SJ3). */
#include "jvm/stock/internal.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { SINGLE_THREADED = 1, NOT_VIRTUAL = 2, ACC_STATIC = 0x0008 };

/* Points that the called code comes by do not stop it; who wants to interrupt a call that does not end has only the end. */
static void let_go_on(void *self)
{
    stock *k = self;
    uint32_t id;
    ebb_buf none = {0};
    (void)!jdwp_send(&k->j, JDWP_VM_RESUME, &none, &id, NULL);
}

static ebb_status put_args(const stock *k, ebb_buf *out, const stock_call *call, ebb_error *err)
{
    jdwp_put(out, call->n_args, 4);
    for (size_t i = 0; i < call->n_args; i++)
        EBB_TRY(stock_put_value(k, out, true, call->args[i].type, call->args[i].bits, err));
    jdwp_put(out, (uint64_t)(SINGLE_THREADED | (call->is_virtual || !call->object ? 0 : NOT_VIRTUAL)), 4);
    return EBB_OK;
}

static jdwp_command command_of(const stock_call *call)
{
    if (strcmp(call->method->name, "<init>") == 0)
        return JDWP_CLASS_NEW;
    if (call->object)
        return JDWP_OBJECT_INVOKE;
    return call->cls->tag == 2 ? JDWP_INTERFACE_INVOKE : JDWP_CLASS_INVOKE;
}

/* An interrupt comes over the wire; the protocol knows no way to end a call, so the program ends (VM_EXIT). */
static ebb_status await(stock *k, uint32_t id, ebb_arena *arena, jdwp_in *in, ebb_error *err)
{
    for (bool is_reply = false; !is_reply;) {
        struct pollfd waits[] = {{k->j.fd, POLLIN, 0}, {k->wire, POLLIN, 0}};
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[0].revents == 0 && waits[1].revents != 0) {
            ebb_buf status = {0};
            uint32_t ignored;
            jdwp_put(&status, 143, 4);
            (void)!jdwp_send(&k->j, JDWP_VM_EXIT, &status, &ignored, NULL);
            stock_leave();
        }
        size_t before = k->j.events.n;
        EBB_TRY(jdwp_receive(&k->j, id, arena, &is_reply, in, err));
        if (k->j.events.n > before) {
            ebb_buf_fini(&k->j.events.items[--k->j.events.n]);
            let_go_on(k);
        }
    }
    return EBB_OK;
}

static ebb_status do_call(stock *k, const stock_call *call, jdwp_command command, ebb_arena *arena, jdwp_in *in, ebb_error *err)
{
    ebb_buf out = {0};
    uint32_t id;
    if (command == JDWP_OBJECT_INVOKE)
        stock_put(k, &out, "ootm", call->object, k->thread, call->cls->type, call->method->id);
    else
        stock_put(k, &out, "tom", call->cls->type, k->thread, call->method->id);
    ebb_status status = put_args(k, &out, call, err);
    if (status != EBB_OK) {
        ebb_buf_fini(&out);
        return status;
    }
    EBB_TRY(jdwp_send(&k->j, command, &out, &id, err));
    return await(k, id, arena, in, err);
}

ebb_status stock_invoke(stock *k, const stock_call *call, jvm_wire_word *result, uint64_t *thrown, ebb_error *err)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (!k->by_event)
        return ebb_fail(err, EBB_UNSUPPORTED, "The thread was interrupted anywhere: a stock JVM calls methods only after a breakpoint or step.");
    uint64_t time = stock_time(k, k->thread);
    jdwp_command command = command_of(call);
    ebb_status status = do_call(k, call, command, &arena, &in, err);
    if (status == EBB_OK) {
        *result = stock_read_value(k, &in);
        jdwp_u8(&in);
        *thrown = jdwp_object(&in);
        status = in.bad ? stock_nonsense(err) : EBB_OK;
    }
    ebb_arena_fini(&arena);
    stock_time_set(k, k->thread, time);
    return status;
}

/* ---- answers ---- */

/* new_object gave a name to what comes to be only now. */
static void bind_made(stock *k, java_ref ref, jvm_wire_word made)
{
    uint64_t object;
    size_t i = (size_t)(ref >> 36) - 1;
    if (made.bits && stock_object(k, made.bits, &object, NULL) == EBB_OK) {
        k->objects.items[i] = object;
        k->unmade.items[i] = NULL;
        ebb_map_set_u64(k->ref_of, object, (void *)(uintptr_t)(i + 1));
        stock_keep(k, object);
    }
}

static bool is_unmade(const stock *k, java_ref ref)
{
    size_t i = (size_t)(ref >> 36) - 1;
    return ref && i < k->unmade.n && k->unmade.items[i];
}

ebb_status stock_serve_invoke(stock *k, const jvm_wire_call *q, jvm_wire_called *a, ebb_arena *arena, ebb_error *err)
{
    stock_class *cls;
    const stock_member *method = stock_method(k, q->method, &cls);
    jvm_wire_word result = {0};
    uint64_t thrown = 0;
    if (!method)
        return ebb_fail(err, EBB_NOT_FOUND, "No such method is there.");
    if (q->tid && stock_thread_of(k, (machine_tid)q->tid) != k->thread)
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM calls methods only on the thread that stopped.");
    stock_call call = {cls, method, 0, q->is_virtual != 0, q->args.items, q->args.n};
    bool makes = strcmp(method->name, "<init>") == 0 && is_unmade(k, q->object);
    if (!makes && !(method->access & ACC_STATIC))
        EBB_TRY(stock_object(k, q->object, &call.object, err));
    EBB_TRY(stock_invoke(k, &call, &result, &thrown, err));
    if (makes)
        bind_made(k, q->object, result);
    bool is_void = makes || strstr(method->descriptor, ")V") != NULL;
    *a = (jvm_wire_called){.type = is_void ? 'V' : result.type, .bits = is_void ? 0 : result.bits, .thrown = stock_ref(k, thrown)};
    uint64_t object;
    if (result.type == 'L' && result.bits && stock_object(k, result.bits, &object, NULL) == EBB_OK)
        stock_keep(k, object);
    stock_keep(k, thrown);
    return EBB_OK;
}

/* ---- loading ---- */

/* A static method of the library. */
typedef struct library_call {
    const char *signature, *name, *descriptor; /* the first is its class's */
    const jvm_wire_word *args;
    size_t n_args;
} library_call;

static ebb_status call_library(stock *k, const library_call *c, jvm_wire_word *result, ebb_error *err)
{
    stock_class *cls = stock_class_named(k, c->signature);
    const stock_member *method = cls ? stock_method_named(k, cls, c->name, c->descriptor) : NULL;
    uint64_t thrown = 0;
    if (!method)
        return ebb_fail(err, EBB_NOT_FOUND, "The JVM has no method %s.", c->name);
    stock_call call = {cls, method, 0, false, c->args, c->n_args};
    EBB_TRY(stock_invoke(k, &call, result, &thrown, err));
    return thrown ? ebb_fail(err, EBB_NOT_FOUND, "%s threw an exception.", c->name) : EBB_OK;
}

/* A class that is only loaded has no fields for the protocol; asking for them by reflection links it. */
void stock_link(stock *k, uint64_t mirror)
{
    stock_class *cls = stock_class_named(k, "Ljava/lang/Class;");
    const stock_member *method = cls ? stock_method_named(k, cls, "getDeclaredFields", "()[Ljava/lang/reflect/Field;") : NULL;
    jvm_wire_word ignored;
    uint64_t thrown;
    stock_call call = {cls, method, mirror, true, NULL, 0};
    if (method)
        (void)!stock_invoke(k, &call, &ignored, &thrown, NULL);
}

ebb_status stock_load(stock *k, const char *name, bool initialise, stock_class **out, ebb_error *err)
{
    ebb_arena arena = {0};
    jdwp_in in;
    jvm_wire_word loader = {0}, mirror = {0};
    jvm_wire_name text = {.text = name};
    jvm_wire_number string = {0};
    uint64_t object;
    library_call get_loader = {"Ljava/lang/ClassLoader;", "getSystemClassLoader", "()Ljava/lang/ClassLoader;", NULL, 0};
    ebb_status status = call_library(k, &get_loader, &loader, err);
    if (status == EBB_OK)
        status = stock_serve_new_string(k, &text, &string, &arena, err);
    jvm_wire_word args[] = {{.type = 'L', .bits = string.value}, {.type = 'Z', .bits = initialise}, loader};
    library_call for_name = {"Ljava/lang/Class;", "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;", args, 3};
    if (status == EBB_OK)
        status = call_library(k, &for_name, &mirror, err);
    if (status == EBB_OK)
        status = stock_object(k, mirror.bits, &object, err);
    if (status == EBB_OK)
        status = stock_ask(k, &arena, &in, err, JDWP_CLASS_OBJECT_TYPE, "o", object);
    if (status == EBB_OK) {
        uint8_t tag = jdwp_u8(&in);
        *out = stock_class_of_type(k, tag, jdwp_type(&in));
        if (*out && !stock_class_read(k, *out))
            stock_link(k, object);
        if (!*out)
            status = ebb_fail(err, EBB_NOT_FOUND, "No class %.100s could be loaded.", name);
    }
    ebb_arena_fini(&arena);
    return status;
}

ebb_status stock_serve_load_class(stock *k, const jvm_wire_load *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    stock_class *cls;
    EBB_TRY(stock_load(k, q->name ? q->name : "", q->initialise != 0, &cls, err));
    a->value = cls->serial;
    return EBB_OK;
}
