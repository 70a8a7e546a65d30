/* lambda.c - lambdas of ebb's: objects whose method asks ebb what to give back.
 *
 * ebb evaluates `list.stream().filter(x -> x > 2)` without a compiler.  It has an object made, of a hidden class that implements Predicate
 * and whose methods are native; each call of one is told to ebb, which evaluates the body and returns its value.  In between it asks, and
 * calls other methods, as at a stop: the thread's stack is for it what it was before the first call (agent_top_frame).
 *
 * AL1  there are lambdas in scratch copies only, which end with the evaluation: nobody can call one that ebb has forgotten;
 * AL2  ebb gets the results of calls newest first, whichever threads they run on: one that ends too soon waits for those that began
 *      after it. */
#include "jvm/agent/internal.h"

#include "jvm/border/native.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/frame.h"
#include "jvm/engine/throw.h"
#include "jvm/engine/invoke.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- the call ---- */

static void tell_call(const jvm_method *m, const jvm_slot *args)
{
    jvm_wire_word words[256];
    jvm_wire_lambda_call call = {.lambda = (uintptr_t)args[0].a, .args = {.items = words}};
    ebb_buf out = {0};
    const jvm_slot *at = args + 1;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += jvm_type_slots(type))
        words[call.args.n++] = agent_word(type, *at);
    jvm_wire_put_lambda_call(&out, &call);
    agent_answer(JVM_WIRE_CODE_lambda_called, EBB_OK, &out, NULL);
    ebb_buf_fini(&out);
}

/* What ebb asks until it returns from the lambda. */
static bool serve_until_return(ebb_arena *arena, jvm_wire_lambda_result *result)
{
    jvm_wire_message m = {0};
    agent.running = false;
    for (;;) {
        agent_receive(&m);
        if (m.code == JVM_WIRE_CODE_lambda_return)
            break;
        if (m.code == JVM_WIRE_CODE_interrupt)
            agent.aborts = true;
        else
            agent_serve_request(&m);
    }
    jvm_wire_reader r = {.at = (const uint8_t *)m.payload.data, .arena = arena};
    r.end = r.at + m.payload.n;
    bool is_good = jvm_wire_get_lambda_result(&r, result);
    ebb_buf_fini(&m.payload);
    agent.running = true;
    return is_good;
}

static jvm_slot take_result(jvm_thread *t, const jvm_method *m, const jvm_wire_lambda_result *result)
{
    jvm_slot value = {.raw = 0}, thrown = {.raw = 0};
    if (result->is_interrupted)
        agent.aborts = true;
    agent_choose_trace();
    if (result->thrown != 0 && agent_slot('L', result->thrown, &thrown))
        jvm_throw_object(t, thrown.a);
    else if (result->failed != NULL && *result->failed != '\0')
        jvm_throw(t, "java/lang/Error", "%s", result->failed);
    else if (m->ret != 'V' && !agent_slot(m->ret, result->bits, &value))
        jvm_throw(t, "java/lang/Error", "a lambda gave what is no value of its type");
    return value;
}

static jvm_slot ask_ebb(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    ebb_arena arena = {0};
    jvm_wire_lambda_result result = {0};
    tell_call(m, args);
    if (!serve_until_return(&arena, &result))
        result.failed = "a lambda's result that makes no sense";
    jvm_slot value = take_result(t, m, &result);
    ebb_arena_fini(&arena);
    return value;
}

/* In a copy whose call was given up there is nothing left to return to: the answer is that of the call. */
ebb_status agent_serve_lambda_return(const jvm_wire_lambda_result *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    return ebb_fail(err, EBB_INTERRUPTED, "The call was interrupted.");
}

ebb_status agent_serve_lambda_called(const jvm_wire_nothing *q, jvm_wire_lambda_call *a, ebb_arena *arena, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "That is told, not asked.");
}

/* ---- the methods to implement ---- */

typedef EBB_VEC(const jvm_method *) methods;

static const jvm_method *declared(const jvm_class *cls, const jvm_method *like)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        if (cls->methods[i].name == like->name && cls->methods[i].sig == like->sig)
            return &cls->methods[i];
    return NULL;
}

static bool has_code(const jvm_class *interface, const jvm_method *like)
{
    const jvm_method *m = declared(interface, like);
    if (m != NULL && !(m->access & (JVM_ACC_ABSTRACT | JVM_ACC_STATIC)))
        return true;
    for (uint16_t i = 0; i < interface->ninterfaces; i++)
        if (has_code(interface->interfaces[i], like))
            return true;
    return false;
}

static bool is_listed(const methods *all, const jvm_method *like)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i]->name == like->name && all->items[i]->sig == like->sig)
            return true;
    return false;
}

static void list_abstract(const jvm_class *root, const jvm_class *interface, methods *all)
{
    for (uint16_t i = 0; i < interface->nmethods; i++) {
        const jvm_method *m = &interface->methods[i];
        if ((m->access & JVM_ACC_ABSTRACT) && declared(jvm.classes.Object, m) == NULL && !has_code(root, m) && !is_listed(all, m))
            ebb_vec_push(all, m);
    }
    for (uint16_t i = 0; i < interface->ninterfaces; i++)
        list_abstract(root, interface->interfaces[i], all);
}

/* ---- the class file (JVMS 4.1) ---- */

static void add_u2(ebb_buf *out, unsigned v)
{
    ebb_buf_addc(out, (char)(v >> 8));
    ebb_buf_addc(out, (char)v);
}

static void add_u4(ebb_buf *out, unsigned v)
{
    add_u2(out, v >> 16);
    add_u2(out, v & 0xffff);
}

static void add_utf8(ebb_buf *out, const char *text, const char *more)
{
    enum { CONSTANT_UTF8 = 1 };
    ebb_buf_addc(out, CONSTANT_UTF8);
    add_u2(out, (unsigned)(strlen(text) + strlen(more)));
    ebb_buf_addf(out, "%s%s", text, more);
}

/* Entries 2k - 1 and 2k of the pool. */
static void add_class(ebb_buf *out, unsigned k, const char *name, const char *more)
{
    enum { CONSTANT_CLASS = 7 };
    add_utf8(out, name, more);
    ebb_buf_addc(out, CONSTANT_CLASS);
    add_u2(out, 2 * k - 1);
}

enum { THIS = 1, SUPER = 2, INTERFACE = 3, N_CLASSES = 3 };

static void write_class(ebb_buf *out, const jvm_class *interface, const methods *all)
{
    add_u4(out, 0xcafebabe);
    add_u4(out, 52);
    add_u2(out, (unsigned)(2 * N_CLASSES + 2 * all->n + 1));
    add_class(out, THIS, interface->name->text, "$$ebb");
    add_class(out, SUPER, "java/lang/Object", "");
    add_class(out, INTERFACE, interface->name->text, "");
    for (size_t i = 0; i < all->n; i++) {
        add_utf8(out, all->items[i]->name->text, "");
        add_utf8(out, all->items[i]->sig->text, "");
    }
    add_u2(out, JVM_ACC_FINAL | JVM_ACC_SUPER | JVM_ACC_SYNTHETIC);
    add_u2(out, 2 * THIS);
    add_u2(out, 2 * SUPER);
    add_u2(out, 1);
    add_u2(out, 2 * INTERFACE);
    add_u2(out, 0); /* fields */
    add_u2(out, (unsigned)all->n);
    for (size_t i = 0; i < all->n; i++) {
        add_u2(out, JVM_ACC_PUBLIC | JVM_ACC_NATIVE | JVM_ACC_SYNTHETIC);
        add_u2(out, (unsigned)(2 * N_CLASSES + 2 * i + 1));
        add_u2(out, (unsigned)(2 * N_CLASSES + 2 * i + 2));
        add_u2(out, 0);
    }
    add_u2(out, 0);
}

static void bind_methods(jvm_class *cls)
{
    for (uint16_t i = 0; i < cls->nmethods; i++) {
        jvm_native *native = EBB_NEW(jvm_native);
        *native = (jvm_native){.inner = ask_ebb, .kind = JVM_NATIVE_BLOCKS};
        cls->methods[i].native = native;
        cls->methods[i].entry = JVM_ENTRY_NATIVE;
    }
}

jvm_class *agent_lambda_class(jvm_thread *t, jvm_class *interface)
{
    methods all = {0};
    ebb_buf bytes = {0};
    list_abstract(interface, interface, &all);
    write_class(&bytes, interface, &all);
    jvm_define def = {.loader = interface->loader, .bytes = (const uint8_t *)bytes.data, .nbytes = bytes.n, .hidden = true,
        .strong = true, .lookup_class = interface, .source = "ebb"};
    jvm_class *cls = jvm_define_class(t, &def);
    ebb_buf_fini(&bytes);
    ebb_vec_fini(&all);
    if (cls != NULL && jvm_link_class(t, cls))
        bind_methods(cls);
    return jvm_pending(t) ? NULL : cls;
}
