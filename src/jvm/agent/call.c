/* call.c - what ebb has the machine do: calls of methods, new objects, loading of classes.
 *
 * A call runs on top of the frames of a thread.  Points and events don't stop it, other threads run only if it blocks, and an
 * interrupt unwinds it by a ThreadDeath that comes again at every instruction until the call is over. */
#include "jvm/agent/internal.h"

#include "base/text.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/interp.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/threads/scheduler.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

/* Alive until the program goes on: ebb knows its address. */
static jvm_obj *keep(jvm_obj *o)
{
    if (o != NULL)
        ebb_vec_push(&agent.kept, jvm_global_new(o));
    return o;
}

void agent_release_kept(void)
{
    for (size_t i = 0; i < agent.kept.n; i++)
        jvm_global_delete(agent.kept.items[i]);
    agent.kept.n = 0;
}

/* ---- a thread as if it ran ---- */

typedef struct borrowed {
    jvm_thread *running, *thread;
    jvm_thread was;        /* its fields */
    agent_moment here;
    bool was_running, was_calling, one_thread;
} borrowed;

/* Code runs on `t` from here, on the C stack of now. */
static void borrow(borrowed *b, jvm_thread *t)
{
    b->running = jvm_self;
    b->thread = t;
    b->was = *t;
    b->here = agent.here;
    b->was_running = agent.running; /* an edit is done again */
    b->was_calling = agent.calling; /* a lambda calls (lambda.c) */
    if (!b->was_calling) {
        agent.caller = t;
        agent.caller_top = jvm_top_frame(t);
    }
    b->one_thread = jvm_agent_one_thread;
    if (t != b->running) {
        jvm_sched_remove(t);
        t->c_limit = b->running->c_limit;
    }
    t->exception = NULL;
    t->runnable = true;
    t->deadline_ns = INT64_MAX;
    t->wait_fd = -1;
    t->blocked_on = NULL;
    t->parked = false;
    jvm_set_state(t, JVM_THREAD_RUNNABLE);
    jvm_self = t;
    agent.running = agent.calling = true;
    agent.aborts = b->was_calling && agent.aborts;
    jvm_agent_one_thread = true;
    agent_choose_trace();
}

static void give_back(borrowed *b)
{
    jvm_thread *t = b->thread;
    t->runnable = b->was.runnable;
    t->deadline_ns = b->was.deadline_ns;
    t->wait_fd = b->was.wait_fd;
    t->wait_events = b->was.wait_events;
    t->blocked_on = b->was.blocked_on;
    t->parked = b->was.parked;
    t->park_permit = b->was.park_permit;
    t->timed_out = b->was.timed_out;
    t->notified = b->was.notified;
    t->c_limit = b->was.c_limit;
    t->exception = b->was.exception;
    jvm_set_state(t, b->was.state);
    jvm_self = b->running;
    agent.here = b->here;
    agent.aborts = b->was_calling && agent.aborts;
    agent.running = b->was_running;
    agent.calling = b->was_calling;
    jvm_agent_one_thread = b->one_thread;
    agent_choose_trace();
}

static ebb_status thread_for_call(uint64_t tid, jvm_thread **t, ebb_error *err)
{
    *t = tid == 0 || agent.calling ? jvm_self : agent_thread(tid); /* a lambda calls on the thread that called it */
    if (*t == NULL || jvm_self == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there.", (unsigned long long)tid);
    if (*t != jvm_self && !agent.is_scratch)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only the thread that stopped can call a method of the program for good.");
    return EBB_OK;
}

/* ---- calls ---- */

static ebb_status collect_args(const jvm_wire_call *q, const jvm_method *m, jvm_slot *args, ebb_error *err)
{
    int n = 0;
    size_t given = 0;
    if (!jvm_method_is_static(m)) {
        jvm_slot self;
        if (!agent_slot('L', q->object, &self) || self.a == NULL || !jvm_instance_of(self.a, m->cls))
            return ebb_fail(err, EBB_BAD_INPUT, "The object at %#llx has no method %s.", (unsigned long long)q->object, m->name->text);
        args[n++] = self;
    }
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; given++) {
        const jvm_wire_word *w = given < q->args.n ? &q->args.items[given] : NULL;
        if (w == NULL || w->type != (uint8_t)(type == '[' ? 'L' : type) || !agent_slot(type, w->bits, &args[n]))
            return ebb_fail(err, EBB_BAD_INPUT, "Argument %zu of %s%s is missing or of another type.", given + 1, m->name->text,
                            m->sig->text);
        n += jvm_type_slots(type);
    }
    if (given != q->args.n)
        return ebb_fail(err, EBB_BAD_INPUT, "%s%s takes %zu arguments, not %zu.", m->name->text, m->sig->text, given, q->args.n);
    return EBB_OK;
}

/* AL2 (lambda.c): calls that began after the `mine`-th one are still under way, on other threads. */
static void wait_for_newer_calls(jvm_thread *t, unsigned mine)
{
    enum { A_MILLISECOND = 1000000 };
    while (agent.n_calls > mine && !agent.aborts) {
        jvm_sleep(t, A_MILLISECOND);
        (void)jvm_exception_take(t);
    }
    agent.n_calls = mine - 1;
}

ebb_status agent_serve_invoke(const jvm_wire_call *q, jvm_wire_called *a, ebb_arena *arena, ebb_error *err)
{
    jvm_method *m = agent_method(q->method);
    jvm_slot args[256], result = {.raw = 0};
    jvm_thread *t;
    if (m == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No method of Java is at %#llx.", (unsigned long long)q->method);
    ebb_status status = thread_for_call(q->tid, &t, err);
    if (status == EBB_OK)
        status = collect_args(q, m, args, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    unsigned mine = ++agent.n_calls;
    size_t mark = jvm_handles_mark(t);
    for (int i = 0; i < m->nargs; i++) /* initialising the class may collect */
        if (jvm_heap_holds(args[i].a))
            jvm_local(t, args[i].a);
    if (!jvm_method_is_static(m) || jvm_ensure_init(t, m->cls))
        result = q->is_virtual && !jvm_method_is_static(m) ? jvm_call_virtual(t, m, args) : jvm_call(t, m, args);
    jvm_handles_release(t, mark);
    a->thrown = (uintptr_t)keep(jvm_exception_take(t));
    bool reference = m->ret == 'L' || m->ret == '[';
    if (reference && a->thrown == 0)
        keep(result.a);
    wait_for_newer_calls(t, mine);
    bool aborted = agent.aborts;
    give_back(&b);
    if (aborted)
        return ebb_fail(err, EBB_INTERRUPTED, "The call of %s was interrupted.", m->name->text);
    jvm_wire_word w = m->ret == 'V' ? (jvm_wire_word){.type = 'V'} : agent_word(m->ret, result);
    a->type = w.type;
    a->bits = w.bits;
    return EBB_OK;
}

void agent_abort_call(jvm_thread *t)
{
    agent.aborts = false; /* its constructor may run */
    agent_choose_trace();
    jvm_throw(t, "java/lang/ThreadDeath", NULL);
    agent.aborts = true;
    agent_choose_trace();
}

/* ---- new things ---- */

/* What C code threw on the way, as an error for a person. */
static ebb_status thrown_error(jvm_thread *t, ebb_error *err)
{
    jvm_obj *o = jvm_exception_take(t);
    char *cls = jvm_class_external_name(o->cls);
    char *message = jvm_string_utf8(jvm_get_ref(o, jvm.fields.Throwable_detailMessage));
    ebb_status status = ebb_fail(err, EBB_NOT_FOUND, "%s%s%s", cls, *message == '\0' ? "" : ": ", message);
    free(cls);
    free(message);
    return status;
}

/* One character of UTF-8; what is none is taken as Latin-1. */
static uint32_t next_char(const uint8_t **at)
{
    const uint8_t *p = *at;
    int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? p[0] & 7 : more == 2 ? p[0] & 15 : more == 1 ? p[0] & 31 : p[0];
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *at = p + 1;
            return p[0];
        }
        c = c << 6 | (p[i] & 0x3f);
    }
    *at = p + 1 + more;
    return c;
}

ebb_status agent_serve_new_string(const jvm_wire_name *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const uint8_t *at = (const uint8_t *)(q->text == NULL ? "" : q->text);
    uint16_t *chars = EBB_ARENA_ARRAY(arena, uint16_t, strlen((const char *)at) + 1);
    size_t n = 0;
    while (*at != '\0') {
        uint32_t c = next_char(&at);
        if (c >= 0x10000) {
            chars[n++] = (uint16_t)(0xd800 | ((c - 0x10000) >> 10 & 0x3ff));
            c = 0xdc00 | ((c - 0x10000) & 0x3ff);
        }
        chars[n++] = (uint16_t)c;
    }
    jvm_thread *t;
    ebb_status status = thread_for_call(0, &t, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    a->value = (uintptr_t)keep(jvm_string_new_utf16(t, chars, n));
    if (jvm_pending(t))
        status = thrown_error(t, err);
    give_back(&b);
    return status;
}

/* "int", "pkg.Main$Inner", "int[][]", "[I", "[Ljava.lang.String;" as a descriptor. */
static const char *descriptor_of(ebb_arena *arena, const char *name)
{
    static const struct { const char *word; char letter; } words[] = {{"boolean", 'Z'}, {"byte", 'B'}, {"char", 'C'}, {"short", 'S'},
        {"int", 'I'}, {"long", 'J'}, {"float", 'F'}, {"double", 'D'}, {"void", 'V'}};
    size_t n = strlen(name);
    ebb_buf out = {0};
    while (n > 2 && name[n - 1] == ']' && name[n - 2] == '[') {
        ebb_buf_addc(&out, '[');
        n -= 2;
    }
    char letter = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && strncmp(words[i].word, name, n) == 0)
            letter = words[i].letter;
    if (letter != 0)
        ebb_buf_addc(&out, letter);
    else
        ebb_buf_addf(&out, name[0] == '[' ? "%.*s" : "L%.*s;", (int)n, name);
    for (size_t i = 0; i < out.n; i++)
        if (out.data[i] == '.')
            out.data[i] = '/';
    const char *kept = ebb_arena_strdup(arena, ebb_buf_text(&out));
    ebb_buf_fini(&out);
    return kept;
}

/* Whole, with nothing after it: "[[I", "Lx;". */
static bool is_descriptor(const char *d)
{
    while (*d == '[')
        d++;
    if (*d == 'L')
        return strchr(d, ';') != NULL && strchr(d, ';')[1] == '\0' && d[1] != ';';
    return *d != '\0' && strchr("ZBCSIJFDV", *d) != NULL && d[1] == '\0';
}

ebb_status agent_serve_load_class(const jvm_wire_load *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_class *near = agent_class(q->near);
    const char *descriptor = descriptor_of(arena, q->name == NULL ? "" : q->name);
    jvm_thread *t;
    if (!is_descriptor(descriptor))
        return ebb_fail(err, EBB_BAD_INPUT, "That is no name of a class: %s", q->name == NULL ? "" : q->name);
    ebb_status status = thread_for_call(0, &t, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    jvm_class *cls = jvm_load_descriptor(t, near == NULL ? jvm.boot : near->loader, descriptor, strlen(descriptor));
    if (cls != NULL && q->initialise && cls->kind == JVM_KIND_INSTANCE && !jvm_ensure_init(t, cls))
        cls = NULL;
    if (cls != NULL)
        a->value = cls->serial;
    else
        status = thrown_error(t, err);
    give_back(&b);
    return status;
}

ebb_status agent_serve_new_object(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_class *cls = agent_class(q->value);
    jvm_thread *t;
    if (cls == NULL || cls->kind != JVM_KIND_INSTANCE || (cls->access & (JVM_ACC_ABSTRACT | JVM_ACC_INTERFACE)))
        return ebb_fail(err, EBB_BAD_INPUT, "Class number %llu has no objects.", (unsigned long long)q->value);
    ebb_status status = thread_for_call(0, &t, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    if (jvm_link_class(t, cls) && jvm_ensure_init(t, cls) && jvm_gc_reserve(t, cls->instance_size))
        a->value = (uintptr_t)keep(jvm_new_object(t, cls));
    if (jvm_pending(t))
        status = thrown_error(t, err);
    give_back(&b);
    return status;
}

ebb_status agent_serve_new_lambda(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    jvm_class *interface = agent_class(q->value);
    jvm_thread *t;
    if (interface == NULL || !(interface->access & JVM_ACC_INTERFACE))
        return ebb_fail(err, EBB_BAD_INPUT, "Class number %llu is no interface.", (unsigned long long)q->value);
    if (!agent.is_scratch) /* AL1 */
        return ebb_fail(err, EBB_UNSUPPORTED, "A lambda can only be run in a copy of the program.");
    ebb_status status = thread_for_call(0, &t, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    jvm_class *cls = agent_lambda_class(t, interface);
    if (cls != NULL && jvm_ensure_init(t, cls) && jvm_gc_reserve(t, cls->instance_size))
        a->value = (uintptr_t)keep(jvm_new_object(t, cls));
    if (jvm_pending(t))
        status = thrown_error(t, err);
    give_back(&b);
    return status;
}

static jvm_loader *loader_of_code(const jvm_thread *t)
{
    for (const jvm_frame *f = jvm_top_frame(t); f != NULL; f = jvm_caller_frame(f))
        if (f->method->cls->loader != jvm.boot)
            return f->method->cls->loader;
    return jvm.boot;
}

ebb_status agent_serve_new_array(const jvm_wire_new_array *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const char *descriptor = descriptor_of(arena, q->descriptor == NULL ? "" : q->descriptor);
    jvm_thread *t;
    if (descriptor[0] != '[' || !is_descriptor(descriptor) || q->length > INT32_MAX)
        return ebb_fail(err, EBB_BAD_INPUT, "That is no type of an array: %s", q->descriptor == NULL ? "" : q->descriptor);
    ebb_status status = thread_for_call(0, &t, err);
    if (status != EBB_OK)
        return status;
    borrowed b;
    borrow(&b, t);
    jvm_class *cls = jvm_load_descriptor(t, loader_of_code(t), descriptor, strlen(descriptor));
    if (cls != NULL && jvm_array_reserve(t, cls, (int32_t)q->length))
        a->value = (uintptr_t)keep(jvm_new_array(t, cls, (int32_t)q->length));
    if (jvm_pending(t))
        status = thrown_error(t, err);
    give_back(&b);
    return status;
}
