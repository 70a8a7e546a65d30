/* timestamp.c - which places of a method tick. */
#include "weave/timestamp.h"

#include "base/mem.h"
#include "jvm/engine/ops.h"
#include "weave/code.h"
#include "weave/loops.h"

#include <fnmatch.h>
#include <string.h>

typedef struct weave_calls { /* numbers of the runtime's methods in the constant pool; 0: not there yet */
    uint16_t tick, loop, add, leave;
    bool in_memory;
} weave_calls;

static bool span_is(weave_span span, const char *text)
{
    return span.nbytes == strlen(text) && memcmp(span.bytes, text, span.nbytes) == 0;
}

/* ---- which methods ---- */

/* pattern: a glob over the class, or over class and method if it has a '#'. */
static bool fits(const char *pattern, const char *cls, const char *method)
{
    return fnmatch(pattern, strchr(pattern, '#') ? method : cls, 0) == 0;
}

static bool fits_one(const char *const *patterns, const char *cls, const char *method)
{
    for (; patterns && *patterns; patterns++)
        if (fits(*patterns, cls, method))
            return true;
    return false;
}

static bool is_chosen(const weave_choice *choice, weave_class *cls, const weave_method *m)
{
    char *name = ebb_arena_strndup(&cls->arena, (const char *)cls->name.bytes, cls->name.nbytes);
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '.';
    char *method = ebb_arena_printf(&cls->arena, "%s#%.*s", name, (int)m->name.nbytes, (const char *)m->name.bytes);
    if (choice->only && choice->only[0] && !fits_one(choice->only, name, method))
        return false;
    return !fits_one(choice->not, name, method);
}

/* ---- which places ---- */

typedef struct ticker {
    weave_code *code;
    weave_loops loops;
    const weave_calls *calls;
    uint16_t local;      /* where the count is that is pending */
    uint32_t nticks;
} ticker;

static void put_call(ticker *t, weave_insn *at, uint16_t method)
{
    weave_insert_before(t->code, at, weave_insn_call_static(t->code, method));
}

static void put_plain(ticker *t, weave_insn *at, uint8_t op)
{
    weave_insert_before(t->code, at, weave_insn_plain(t->code, op));
}

static void put_local(ticker *t, weave_insn *at, uint8_t op)
{
    weave_insert_before(t->code, at, weave_insn_local(t->code, op, t->local));
}

/* method(count); count = 0 */
static void put_hand_in(ticker *t, weave_insn *at, uint16_t method)
{
    put_local(t, at, JVM_OP_lload);
    put_call(t, at, method);
    if (weave_insn_is_return(at))
        return;
    put_plain(t, at, JVM_OP_lconst_0);
    put_local(t, at, JVM_OP_lstore);
}

/* loop(++count) */
static void put_local_tick(ticker *t, weave_insn *at)
{
    put_local(t, at, JVM_OP_lload);
    put_plain(t, at, JVM_OP_lconst_1);
    put_plain(t, at, JVM_OP_ladd);
    put_plain(t, at, JVM_OP_dup2);
    put_local(t, at, JVM_OP_lstore);
    put_call(t, at, t->calls->loop);
}

static void put_before(ticker *t, weave_insn *insn)
{
    bool ticks = weave_ticks_before(&t->loops, insn), pending = weave_loops_is_pending(&t->loops, insn);
    t->nticks += ticks || weave_loops_is_local(&t->loops, insn);
    if (weave_loops_is_local(&t->loops, insn))
        put_local_tick(t, insn);
    else if (ticks && pending)
        put_hand_in(t, insn, t->calls->leave);
    else if (ticks)
        put_call(t, insn, t->calls->tick);
    else if (pending && weave_insn_is_call(insn))
        put_hand_in(t, insn, t->calls->add);
}

/* Hands in, and lets the exception go on. */
static weave_insn *append_handler(ticker *t)
{
    weave_insn *handler = weave_insn_local(t->code, JVM_OP_lload, t->local);
    weave_append(t->code, handler);
    weave_append(t->code, weave_insn_call_static(t->code, t->calls->add));
    weave_append(t->code, weave_insn_plain(t->code, JVM_OP_athrow));
    weave_add_handler_frame(t->code, handler, t->local);
    return handler;
}

/* One row of the exception table for each run of instructions that may have something pending. */
static void handle_exceptions(ticker *t)
{
    weave_insn *start = NULL, *handler = append_handler(t);
    weave_insn *end = t->code->end;
    for (weave_insn *insn = t->code->first_read;; insn = insn->next) {
        bool pending = insn != end && insn->was != WEAVE_NEW && weave_loops_is_pending(&t->loops, insn);
        if (insn != end && insn->was == WEAVE_NEW)
            continue;
        if (pending && !start)
            start = insn;
        if (!pending && start) {
            weave_add_handler(t->code, start, insn, handler);
            start = NULL;
        }
        if (insn == end)
            return;
    }
}

/* A debugger's step that looks for the program's code in what the library calls back sees a method from its second instruction on, and
 * would lose it if that was in the tick: so the first one does nothing. */
static void put_entry(ticker *t)
{
    if (t->calls->in_memory)
        weave_insert_at_entry(t->code, weave_insn_plain(t->code, JVM_OP_nop));
    weave_insert_at_entry(t->code, weave_insn_call_static(t->code, t->calls->tick));
    if (!t->loops.any)
        return;
    weave_insert_at_entry(t->code, weave_insn_plain(t->code, JVM_OP_lconst_0));
    weave_insert_at_entry(t->code, weave_insn_local(t->code, JVM_OP_lstore, t->local));
}

static uint32_t put_ticks(weave_code *code, const weave_calls *calls)
{
    enum { STACK_OF_LOOP = 4 }; /* two longs */
    ticker t = {.code = code, .calls = calls, .nticks = 1};
    weave_loops_find(&t.loops, code, calls->in_memory);
    if (t.loops.any) {
        t.local = weave_code_new_long(code);
        weave_code_need(code, STACK_OF_LOOP);
    }
    for (weave_insn *insn = code->first_read; insn != code->end; insn = insn->next)
        put_before(&t, insn);
    if (t.loops.any)
        handle_exceptions(&t);
    put_entry(&t);
    return t.nticks;
}

/* ---- methods ---- */

static bool can_have_ticks(const weave_method *m)
{
    return m->code_bytes.bytes && !(span_is(m->name, "getId") && span_is(m->type, "()J"));
}

static bool fits_format(weave_method *m)
{
    ebb_error err;
    return weave_code_layout(m->code, &err) == EBB_OK;
}

static ebb_status weave_method_ticks(weave_class *cls, weave_method *m, const weave_calls *calls, weave_counts *counts, ebb_error *err)
{
    EBB_TRY(weave_method_open(cls, m, err));
    uint32_t n = put_ticks(m->code, calls);
    if (fits_format(m)) {
        counts->nmethods++;
        counts->nticks += n;
    } else {
        weave_method_close(m); /* WT2 */
        counts->nleft++;
    }
    return EBB_OK;
}

static void add_calls(weave_pool *pool, weave_calls *calls)
{
    calls->tick = weave_pool_add_method(pool, WEAVE_RUNTIME_CLASS, "tick", "()V");
    calls->loop = weave_pool_add_method(pool, WEAVE_RUNTIME_CLASS, "loop", "(J)V");
    calls->add = weave_pool_add_method(pool, WEAVE_RUNTIME_CLASS, "add", "(J)V");
    calls->leave = weave_pool_add_method(pool, WEAVE_RUNTIME_CLASS, "leave", "(J)V");
}

static ebb_status weave_methods(weave_class *cls, const weave_choice *choice, weave_counts *counts, ebb_error *err)
{
    weave_calls calls = {.in_memory = choice->in_memory};
    for (uint32_t i = 0; i < cls->nmethods; i++) {
        weave_method *m = &cls->methods[i];
        if (!can_have_ticks(m) || !is_chosen(choice, cls, m))
            continue;
        if (calls.tick == 0)
            add_calls(&cls->pool, &calls);
        EBB_TRY(weave_method_ticks(cls, m, &calls, counts, err));
    }
    return EBB_OK;
}

static ebb_status weave_class_ticks(weave_class *cls, const weave_choice *choice, ebb_buf *out, weave_counts *counts, ebb_error *err)
{
    size_t before = out->n;
    EBB_TRY(weave_methods(cls, choice, counts, err));
    EBB_TRY(weave_class_write(cls, out, err));
    counts->nclasses++;
    counts->nbytes_after += out->n - before;
    return EBB_OK;
}

/* The counters themselves, which a woven jar has in it. */
static bool is_runtime(const weave_class *cls)
{
    size_t n = strlen(WEAVE_RUNTIME_CLASS);
    return cls->name.nbytes >= n && memcmp(cls->name.bytes, WEAVE_RUNTIME_CLASS, n) == 0 && (cls->name.nbytes == n || cls->name.bytes[n] == '$');
}

/* WT4 */
static bool ticks_already(const weave_class *cls)
{
    if (is_runtime(cls))
        return true;
    for (uint16_t i = 1; i < cls->pool.n; i++) {
        weave_member called = weave_pool_member(&cls->pool, i);
        if (span_is(called.cls, WEAVE_RUNTIME_CLASS) && span_is(called.name, "tick"))
            return true;
    }
    return false;
}

ebb_status weave_timestamp(weave_span bytes, const weave_choice *choice, ebb_buf *out, weave_counts *counts, ebb_error *err)
{
    weave_class cls;
    EBB_TRY(weave_class_read(&cls, bytes, err));
    counts->nbytes_before += bytes.nbytes;
    ebb_status status = ticks_already(&cls) ? ebb_fail(err, EBB_UNSUPPORTED, "it counts already (it calls or is " WEAVE_RUNTIME_CLASS ")")
                                             : weave_class_ticks(&cls, choice, out, counts, err);
    weave_class_fini(&cls);
    return status;
}
