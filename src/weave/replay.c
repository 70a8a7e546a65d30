/* replay.c - the second pass: what is put into the classes of a program that is to run by a schedule. */
#include "weave/replay.h"

#include "jvm/classes/class.h"
#include "jvm/engine/ops.h"
#include "weave/front.h"
#include "weave/lambdas.h"

#include <string.h>

static bool span_is(weave_span span, const char *text)
{
    return span.bytes && span.nbytes == strlen(text) && memcmp(span.bytes, text, span.nbytes) == 0;
}

/* ---- calls that the engine does ---- */

static const weave_replay_call calls[] = {
#define WEAVE_CALL(owner, name, type, as, engine_class, engine_name) {owner, name, type, as, engine_class, engine_name},
#include "weave/replay_calls.def"
#undef WEAVE_CALL
};

enum { MORE_STACK = 4 };   /* a place and a lock; what is put after a queue; what else a pool is made with */
static weave_span span_of(const char *text) { return (weave_span){(const uint8_t *)text, (uint32_t)strlen(text)}; }

enum { MAX_DEPTH = 1000 }; /* of classes that extend each other: a broken set of them may go round in circles */

static bool is_or_extends(const weave_replay *r, weave_span cls, const char *owner)
{
    for (int i = 0; i < MAX_DEPTH; i++) {
        if (span_is(cls, owner))
            return true;
        const weave_replay_info *info = weave_replay_info_of(r, cls);
        if (!info || !info->super)
            return false;
        cls = span_of(info->super);
    }
    return false;
}

static bool fits_owner(const weave_replay *r, const weave_replay_call *c, weave_span cls)
{
    return strcmp(c->owner, "java/lang/Object") == 0 || is_or_extends(r, cls, c->owner);
}

static bool fits_name(const weave_replay_call *c, const weave_member *called)
{
    return span_is(called->name, c->name) && span_is(called->type, c->type);
}

const weave_replay_call *weave_replay_find_call(const weave_replay *r, const weave_member *called)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (fits_name(&calls[i], called) && fits_owner(r, &calls[i], called->cls))
            return &calls[i];
    return NULL;
}

bool weave_replay_may_be_call(const weave_member *called)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (fits_name(&calls[i], called))
            return true;
    return false;
}

weave_member weave_replay_called(const weave_pool *pool, const weave_insn *insn)
{
    bool has_name = weave_insn_is_call(insn) && insn->op != JVM_OP_invokedynamic;
    return weave_pool_member(pool, has_name ? jvm_u2(insn->bytes + 1) : 0);
}

/* One that the class has itself, or from another class of the program: a call of the class library's initialises none of them, and may block. */
static bool calls_static_of_program(const weave_replay *r, const weave_member *called)
{
    weave_span cls = called->cls;
    const weave_replay_info *info;
    for (int i = 0; i < MAX_DEPTH && (info = weave_replay_info_of(r, cls)) != NULL; i++) {
        if (weave_replay_has(r->statics, &(weave_member){cls, called->name, called->type}))
            return true;
        cls = info->super ? span_of(info->super) : (weave_span){0};
    }
    return false;
}

bool weave_replay_initialises(const weave_replay *r, const weave_pool *pool, const weave_insn *insn)
{
    weave_member called = weave_replay_called(pool, insn);
    switch (insn->op) {
    case JVM_OP_invokestatic: return calls_static_of_program(r, &called);
    case JVM_OP_getstatic: case JVM_OP_putstatic:
        return weave_replay_info_of(r, weave_pool_member(pool, jvm_u2(insn->bytes + 1)).cls) != NULL;
    case JVM_OP_new: return weave_replay_info_of(r, weave_pool_class_name(pool, jvm_u2(insn->bytes + 1))) != NULL;
    default: return false;
    }
}

/* ---- one method ---- */

/* Methods that code which is not woven calls on threads of its own. */
static const struct { const char *name, *type; } gates[] = {
    {"main", "([Ljava/lang/String;)V"},
    {"run", "()V"},
    {"beforeExecute", "(Ljava/lang/Thread;Ljava/lang/Runnable;)V"},
    {"call", "()Ljava/lang/Object;"},
    {"get", "()Ljava/lang/Object;"},
    {"accept", "(Ljava/lang/Object;)V"},
    {"apply", "(Ljava/lang/Object;)Ljava/lang/Object;"},
    {"compute", "()V"},
    {"compute", "()Ljava/lang/Object;"},
    {"exec", "()Z"},
};

typedef struct weaver {
    weave_replay *r;
    weave_class *cls;
    weave_code *code;
    weave_replay_counts counts;
    uint32_t nchanges;    /* of this method */
    ebb_buf *told;        /* lines for people */
} weaver;

/* Whether the class is one of something that the class library has methods for: then it may call what these are overridden by.  Asked once for each class;
 * a broken set of them may go round in circles. */
static bool is_of_library(const weave_replay *r, weave_span cls, int depth)
{
    static const char *const plain[] = {"java/lang/Object", "java/lang/Enum", "java/lang/Record", "java/io/Serializable", "java/lang/Cloneable"};
    weave_replay_info *info = weave_replay_info_of(r, cls);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (span_is(cls, plain[i]))
            return false;
    if (!info || depth > MAX_DEPTH)
        return true;
    if (info->is_asked)
        return info->is_of_library;
    info->is_asked = true;
    for (uint32_t i = 0; i < info->ninterfaces && !info->is_of_library; i++)
        info->is_of_library = is_of_library(r, span_of(info->interfaces[i]), depth + 1);
    info->is_of_library = info->is_of_library || (info->super && is_of_library(r, span_of(info->super), depth + 1));
    return info->is_of_library;
}

/* Where a schedule rules threads of the class library, they may begin with any of these.  Others are not made to wait there: the engine leaves them alone. */
static bool is_callback(const weaver *w, const weave_method *m)
{
    bool is_own = m->access & (JVM_ACC_STATIC | JVM_ACC_PRIVATE) || span_is(m->name, "<init>") || span_is(m->name, "finalize");
    return w->r->has_names && !is_own && is_of_library(w->r, w->cls->name, 0);
}

static bool is_gate(const weaver *w, const weave_method *m)
{
    if (is_callback(w, m))
        return true;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        if (span_is(m->name, gates[i].name) && span_is(m->type, gates[i].type))
            return true;
    return weave_replay_has(w->r->gates, &(weave_member){w->cls->name, m->name, m->type});
}

static weave_insn *engine_call(weaver *w, const char *method, const char *type)
{
    w->nchanges++;
    return weave_insn_call_static(w->code, weave_pool_add_method(&w->cls->pool, WEAVE_ENGINE "Replay", method, type));
}

static weave_insn *push_number(weaver *w, uint32_t number)
{
    const uint8_t one[] = {JVM_OP_bipush, (uint8_t)number};
    const uint8_t two[] = {JVM_OP_sipush, (uint8_t)(number >> 8), (uint8_t)number};
    if (number <= INT8_MAX)
        return weave_insn_new(w->code, one, sizeof one);
    if (number <= INT16_MAX)
        return weave_insn_new(w->code, two, sizeof two);
    uint16_t index = weave_pool_add_int(&w->cls->pool, (int32_t)number);
    const uint8_t large[] = {JVM_OP_ldc_w, (uint8_t)(index >> 8), (uint8_t)index};
    return weave_insn_new(w->code, large, sizeof large);
}

static void put_place(weaver *w, weave_insn *at, const weave_place *place)
{
    bool locks = at->op == JVM_OP_monitorenter;
    if (locks)
        weave_insert_before(w->code, at, weave_insn_plain(w->code, JVM_OP_dup));
    weave_insert_before(w->code, at, push_number(w, place->number));
    weave_insert_before(w->code, at, engine_call(w, "at", locks ? "(Ljava/lang/Object;I)V" : "(I)V"));
    w->counts.nplaces++;
}

static void put_back(weaver *w, weave_insn *at)
{
    weave_insert_before(w->code, at, engine_call(w, "back", "()V"));
}

/* Where exceptions of that call arrive in the method, its thread comes back as well. */
static void put_back_at_handlers(weaver *w, const weave_insn *call)
{
    for (uint32_t i = 0; i < w->code->nhandlers; i++) {
        const weave_handler *h = &w->code->handlers[i];
        if (call->was >= h->start->was && call->was < h->end->was)
            put_back(w, h->handler);
    }
}

static void put_start(weaver *w, weave_insn *at)
{
    weave_insert_before(w->code, at, weave_insn_plain(w->code, JVM_OP_dup));
    weave_insert_before(w->code, at, engine_call(w, "starting", "(Ljava/lang/Object;)V"));
}

/* Constructors of pools: the engine's method is called before them, between plain bytecodes that bring its argument to the top of the stack and the rest to
 * where it belongs; and another constructor may be called then, which is looked up again. */
#define QUEUE "Ljava/util/concurrent/BlockingQueue;"
#define THREADS "Ljava/util/concurrent/ThreadFactory;"
#define REJECTED "Ljava/util/concurrent/RejectedExecutionHandler;"
#define WORKERS "Ljava/util/concurrent/ForkJoinPool$ForkJoinWorkerThreadFactory;"
#define POOL_FROM_QUEUE "(IIJLjava/util/concurrent/TimeUnit;" QUEUE
static const struct maker {
    const char *owner, *type;
    uint8_t before[2];
    const char *engine_class, *engine_name, *engine_type;
    uint8_t after[2];
    const char *made; /* NULL: the same */
} makers[] = {
#define POOL "java/util/concurrent/ThreadPoolExecutor"
#define QUEUED "Pools", "queue", "(" QUEUE ")" QUEUE
    {POOL, POOL_FROM_QUEUE ")V", {0}, QUEUED, {0}, NULL},
    {POOL, POOL_FROM_QUEUE THREADS ")V", {JVM_OP_swap}, QUEUED, {JVM_OP_swap}, NULL},
    {POOL, POOL_FROM_QUEUE REJECTED ")V", {JVM_OP_swap}, QUEUED, {JVM_OP_swap}, NULL},
    {POOL, POOL_FROM_QUEUE THREADS REJECTED ")V", {JVM_OP_dup2_x1, JVM_OP_pop2}, QUEUED, {JVM_OP_dup_x2, JVM_OP_pop}, NULL},
#define FORK_JOIN "java/util/concurrent/ForkJoinPool"
    {FORK_JOIN, "()V", {0}, "Workers", "processors", "()I", {0}, "(I)V"},
    {FORK_JOIN, "(I)V", {0}, "Workers", "factory", "()" WORKERS, {JVM_OP_aconst_null, JVM_OP_iconst_0},
     "(I" WORKERS "Ljava/lang/Thread$UncaughtExceptionHandler;Z)V"},
};

static const struct maker *find_maker(const weave_member *called)
{
    if (!span_is(called->name, "<init>"))
        return NULL;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (span_is(called->cls, makers[i].owner) && span_is(called->type, makers[i].type))
            return &makers[i];
    return NULL;
}

static void put_two(weaver *w, weave_insn *at, const uint8_t ops[2])
{
    for (int i = 0; i < 2; i++)
        if (ops[i] != JVM_OP_nop)
            weave_insert_before(w->code, at, weave_insn_plain(w->code, ops[i]));
}

static weave_insn *static_call(weaver *w, const char *engine_class, const char *name, const char *type)
{
    char *cls = ebb_arena_printf(&w->cls->arena, WEAVE_ENGINE "%s", engine_class);
    w->nchanges++;
    w->counts.ncalls++;
    return weave_insn_call_static(w->code, weave_pool_add_method(&w->cls->pool, cls, name, type));
}

static void put_index(weaver *w, weave_insn *insn, uint16_t index)
{
    const uint8_t bytes[] = {insn->op, (uint8_t)(index >> 8), (uint8_t)index};
    insn->bytes = weave_insn_new(w->code, bytes, sizeof bytes)->bytes;
    w->nchanges++;
}

static void put_maker(weaver *w, weave_insn *insn, const struct maker *maker)
{
    put_two(w, insn, maker->before);
    weave_insert_before(w->code, insn, static_call(w, maker->engine_class, maker->engine_name, maker->engine_type));
    put_two(w, insn, maker->after);
    if (!maker->made)
        return;
    put_index(w, insn, weave_pool_add_method(&w->cls->pool, maker->owner, "<init>", maker->made));
}

static void put_makers(weaver *w, weave_insn *insn, const weave_member *called)
{
    weave_member now = *called;
    const struct maker *maker;
    while ((maker = find_maker(&now)) != NULL) {
        put_maker(w, insn, maker);
        if (!maker->made)
            return;
        now.type = (weave_span){(const uint8_t *)maker->made, (uint32_t)strlen(maker->made)};
    }
}

/* Classes of the JDK whose place one of the engine takes, which extends them: where the program makes them, or extends them itself. */
static const struct stand_in {
    const char *cls, *engine;
} stand_ins[] = {
    {"java/util/Timer", WEAVE_ENGINE "Timers"},
    {"java/util/TimerTask", WEAVE_ENGINE "TimerTasks"},
    {"java/util/concurrent/ScheduledThreadPoolExecutor", WEAVE_ENGINE "Scheduled"},
};

/* NULL: it has none. */
static const char *stand_in_of(weave_span cls)
{
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (span_is(cls, stand_ins[i].cls))
            return stand_ins[i].engine;
    return NULL;
}

static void put_stand_in(weaver *w, weave_insn *insn, const weave_member *called)
{
    bool is_new = insn->op == JVM_OP_new, makes = span_is(called->name, "<init>");
    const char *engine = stand_in_of(is_new ? weave_pool_class_name(&w->cls->pool, jvm_u2(insn->bytes + 1)) : called->cls);
    if (!engine || !(is_new || makes))
        return;
    char *type = ebb_arena_printf(&w->cls->arena, "%.*s", (int)called->type.nbytes, (const char *)called->type.bytes);
    put_index(w, insn, is_new ? weave_pool_add_class(&w->cls->pool, engine) : weave_pool_add_method(&w->cls->pool, engine, "<init>", type));
}

/* The class library's own factory of workers for a ForkJoinPool gives way to the engine's. */
static void put_workers(weaver *w, weave_insn *insn)
{
    weave_member field = weave_pool_member(&w->cls->pool, jvm_u2(insn->bytes + 1));
    if (!span_is(field.cls, FORK_JOIN) || !span_is(field.name, "defaultForkJoinWorkerThreadFactory"))
        return;
    const weave_insn *made = static_call(w, "Workers", "factory", "()" WORKERS);
    insn->bytes = made->bytes;
    insn->op = made->op;
}

/* A method of the class library as the body of a thread or a task: the object that stands for it is the engine's, which waits for the turn. */
static void put_gate_around(weaver *w, weave_insn *insn)
{
    static const char *const types[] = {"Ljava/lang/Runnable;", "Ljava/util/concurrent/Callable;", "Ljava/util/function/Supplier;",
                                        "Ljava/util/function/Consumer;", "Ljava/util/function/Function;"};
    weave_lambda lambda = weave_lambda_of(w->cls, insn);
    if (!lambda.body.cls.bytes || weave_replay_info_of(w->r, lambda.body.cls))
        return;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (span_is(lambda.type, types[i])) {
            const char *type = ebb_arena_printf(&w->cls->arena, "(%s)%s", types[i], types[i]);
            weave_link_after(insn, static_call(w, "Gates", "of", type));
        }
}

/* The call becomes one of the engine's method, which takes the object as its first argument. */
static void replace_call(weaver *w, weave_insn *insn, const weave_replay_call *call)
{
    char *cls = ebb_arena_printf(&w->cls->arena, WEAVE_ENGINE "%s", call->engine_class);
    char *type = insn->op == JVM_OP_invokestatic ? ebb_arena_strdup(&w->cls->arena, call->type)
                                                 : ebb_arena_printf(&w->cls->arena, "(L%s;%s", call->as, call->type + 1);
    const weave_insn *made = weave_insn_call_static(w->code, weave_pool_add_method(&w->cls->pool, cls, call->engine_name, type));
    insn->bytes = made->bytes;
    insn->nbytes = made->nbytes;
    insn->op = made->op;
    w->nchanges++;
    w->counts.ncalls++;
}

/* `super.interrupt()` and its like, in a class that overrides them: the JDK's own method must be called, by which the engine's would come back to the overriding one.
 * The engine is told before, or asked about the answer. */
static const struct super_call {
    const char *name, *type, *before, *after; /* types of the engine's methods */
} super_calls[] = {
    {"interrupt", "()V", "(Ljava/lang/Thread;)V", NULL},
    {"isInterrupted", "()Z", NULL, "(Ljava/lang/Thread;Z)Z"},
    {"getState", "()Ljava/lang/Thread$State;", NULL, "(Ljava/lang/Thread;Ljava/lang/Thread$State;)Ljava/lang/Thread$State;"},
};

/* Of the methods of super_calls: the bits of those that the class has itself. */
uint32_t weave_replay_overrides(const weave_class *cls)
{
    uint32_t set = 0;
    for (uint32_t m = 0; m < cls->nmethods; m++)
        for (size_t i = 0; i < sizeof super_calls / sizeof *super_calls; i++)
            if (span_is(cls->methods[m].name, super_calls[i].name) && span_is(cls->methods[m].type, super_calls[i].type))
                set |= 1u << i;
    return set;
}

/* Whether a call of a class is one of Thread's own method: nothing of the program is between them. */
static bool is_threads_own(const weave_replay *r, weave_span cls, uint32_t bit)
{
    for (int i = 0; i < MAX_DEPTH && !span_is(cls, "java/lang/Thread"); i++) {
        const weave_replay_info *info = weave_replay_info_of(r, cls);
        if (!info || !info->super || info->overrides & bit)
            return false;
        cls = span_of(info->super);
    }
    return span_is(cls, "java/lang/Thread");
}

static void put_around_super(weaver *w, weave_insn *insn, const weave_member *called)
{
    for (size_t i = 0; i < sizeof super_calls / sizeof *super_calls; i++) {
        const struct super_call *c = &super_calls[i];
        if (!span_is(called->name, c->name) || !span_is(called->type, c->type) || !is_threads_own(w->r, called->cls, 1u << i))
            continue;
        weave_insert_before(w->code, insn, weave_insn_plain(w->code, JVM_OP_dup));
        if (c->before)
            weave_insert_before(w->code, insn, static_call(w, "Calls", "superCalled", c->before));
        else
            weave_link_after(insn, static_call(w, "Calls", "superCalled", c->after));
    }
}

/* A call by `super.` of what a class of the program can override. */
static bool is_super_call(const weave_insn *insn, const weave_replay_call *call)
{
    return insn->op == JVM_OP_invokespecial && strcmp(call->owner, "java/lang/Object") != 0 && strcmp(call->name, "join") != 0;
}

static const weave_place *place_of(const weave_place *places, uint32_t method, uint32_t bci)
{
    for (const weave_place *p = places; p; p = p->next)
        if (p->method == method && p->bci == bci)
            return p;
    return NULL;
}

static bool is_start(const weave_insn *insn, const weave_member *called)
{
    return insn->op != JVM_OP_invokestatic && span_is(called->name, "start") && span_is(called->type, "()V");
}

/* Calls whose effect no schedule holds. */
static const struct { const char *owner, *name; } not_replayed[] = {
    {"java/lang/Thread", "suspend"},
    {"java/lang/Thread", "resume"},
    {"java/lang/management/ThreadMXBean", "findDeadlockedThreads"},
    {"java/lang/management/ThreadMXBean", "findMonitorDeadlockedThreads"},
};

static void tell_not_replayed(const weaver *w, const weave_member *called)
{
    for (size_t i = 0; i < sizeof not_replayed / sizeof *not_replayed; i++)
        if (span_is(called->name, not_replayed[i].name) && is_or_extends(w->r, called->cls, not_replayed[i].owner))
            ebb_buf_addf(w->told, "%.*s.%.*s calls %s, which no schedule replays\n", (int)w->cls->name.nbytes, (const char *)w->cls->name.bytes,
                         (int)w->code->method->name.nbytes, (const char *)w->code->method->name.bytes, not_replayed[i].name);
}

static bool is_locked_gate(const weaver *w, const weave_method *m) { return (m->access & JVM_ACC_SYNCHRONIZED) && is_gate(w, m); }

/* One instruction that was read.  True: the thread may come back from code that is not woven after it. */
static bool weave_insn_for_replay(weaver *w, weave_insn *insn, const weave_place *place)
{
    weave_member called = weave_replay_called(&w->cls->pool, insn);
    const weave_replay_call *call = called.name.bytes ? weave_replay_find_call(w->r, &called) : NULL;
    if (place && !(place->bci == 0 && is_locked_gate(w, w->code->method))) /* that one is put in front */
        put_place(w, insn, place);
    if (call && is_super_call(insn, call)) {
        put_around_super(w, insn, &called);
        call = NULL;
    }
    if (called.name.bytes)
        tell_not_replayed(w, &called);
    if (called.name.bytes && is_start(insn, &called))
        put_start(w, insn);
    if (called.name.bytes)
        put_makers(w, insn, &called);
    put_stand_in(w, insn, &called);
    if (insn->op == JVM_OP_getstatic)
        put_workers(w, insn);
    if (insn->op == JVM_OP_invokedynamic)
        put_gate_around(w, insn);
    if (call)
        replace_call(w, insn, call);
    if (!place || !place->is_in || call)
        return false;
    if (weave_replay_initialises(w->r, &w->cls->pool, insn)) {
        put_back(w, insn);
        return false;
    }
    put_back_at_handlers(w, insn);
    return true;
}

static ebb_status check_places(const weaver *w, const weave_place *places, uint32_t method, ebb_error *err)
{
    for (const weave_place *p = places; p; p = p->next)
        if (p->method == method && (p->bci >= w->code->ncode || !weave_code_at(w->code, p->bci)))
            return ebb_fail(err, EBB_BAD_INPUT, "another file has the same class with other code: %.200s", p->words);
    return EBB_OK;
}

static ebb_status weave_method_for_replay(weaver *w, uint32_t index, const weave_place *places, ebb_error *err)
{
    weave_method *m = &w->cls->methods[index];
    EBB_TRY(weave_method_open(w->cls, m, err));
    w->code = m->code;
    w->nchanges = 0;
    EBB_TRY(check_places(w, places, index, err));
    bool comes_back = false;
    weave_insn *next;
    for (weave_insn *insn = m->code->first_read; insn != m->code->end; insn = next) {
        for (next = insn->next; next->was == WEAVE_NEW;) /* put at handlers further on */
            next = next->next;
        if (comes_back)
            put_back(w, insn);
        comes_back = weave_insn_for_replay(w, insn, place_of(places, index, insn->was));
    }
    if (is_gate(w, m)) {
        weave_insert_at_entry(m->code, engine_call(w, "enter", "()V"));
        m->code->entry_has_no_line = true; /* a breakpoint there is for a thread that has the turn */
    }
    weave_code_need(m->code, w->nchanges ? MORE_STACK : 0);
    return EBB_OK;
}

/* ---- a class ---- */

static bool has_place(const weave_place *places, uint32_t method)
{
    for (; places; places = places->next)
        if (places->method == method)
            return true;
    return false;
}

/* WRP3 */
static ebb_status leave_long(weaver *w, uint32_t index, const weave_place *places, ebb_buf *left, ebb_error *err)
{
    weave_method *m = &w->cls->methods[index];
    ebb_error why;
    if (w->nchanges > 0 && weave_code_layout(m->code, &why) != EBB_OK) {
        if (has_place(places, index))
            return ebb_fail(err, EBB_UNSUPPORTED, "its method %.*s has places of the schedule: %s", (int)m->name.nbytes,
                            (const char *)m->name.bytes, why.text);
        ebb_buf_addf(left, "%.*s.%.*s stays as it is: %s\n", (int)w->cls->name.nbytes, (const char *)w->cls->name.bytes,
                     (int)m->name.nbytes, (const char *)m->name.bytes, why.text);
        w->nchanges = 0;
    }
    if (w->nchanges == 0)
        weave_method_close(m);
    return EBB_OK;
}

static ebb_status weave_methods(weaver *w, ebb_buf *left, uint32_t *nchanged, ebb_error *err)
{
    const weave_replay_info *info = weave_replay_info_of(w->r, w->cls->name);
    const weave_place *places = info ? info->places : NULL;
    for (uint32_t i = 0; i < w->cls->nmethods; i++) {
        if (!w->cls->methods[i].code_bytes.bytes)
            continue;
        EBB_TRY(weave_method_for_replay(w, i, places, err));
        EBB_TRY(leave_long(w, i, places, left, err));
        *nchanged += w->nchanges > 0;
    }
    return EBB_OK;
}

static void add_insn(ebb_buf *out, const weave_insn *insn) { ebb_buf_add(out, insn->bytes, insn->nbytes); }

/* A thread that waits for its turn must not own a monitor meanwhile.  The place of the first bytecode means: before the monitor. */
static void put_gate_in_front(weaver *w, uint32_t method)
{
    const weave_replay_info *info = weave_replay_info_of(w->r, w->cls->name);
    const weave_place *place = place_of(info ? info->places : NULL, method, 0);
    ebb_buf before = {0};
    w->code = w->cls->methods[method].code;
    add_insn(&before, engine_call(w, "enter", "()V"));
    if (place) {
        add_insn(&before, push_number(w, place->number));
        add_insn(&before, engine_call(w, "at", "(I)V"));
        w->counts.nplaces++;
    }
    weave_put_front(w->cls, method, (weave_span){(const uint8_t *)before.data, (uint32_t)before.n});
    ebb_buf_fini(&before);
}

static void put_gates_in_front(weaver *w)
{
    for (uint32_t i = 0, n = w->cls->nmethods; i < n; i++)
        if (w->cls->methods[i].code && is_locked_gate(w, &w->cls->methods[i]))
            put_gate_in_front(w, i);
}

static ebb_status weave_read(weave_replay *r, weave_class *cls, weave_span bytes, ebb_buf *out, ebb_buf *left, ebb_error *err)
{
    weaver w = {.r = r, .cls = cls, .counts = r->counts, .told = left};
    uint32_t nchanged = 0;
    EBB_TRY(weave_methods(&w, left, &nchanged, err));
    put_gates_in_front(&w);
    const char *super = cls->super.bytes ? stand_in_of(cls->super) : NULL;
    if (super)
        weave_class_extend(cls, super);
    if (nchanged > 0)
        EBB_TRY(weave_class_write(cls, out, err));
    else
        weave_put(out, bytes); /* WRP1 */
    w.counts.nclasses++;
    w.counts.nchanged += nchanged > 0;
    r->counts = w.counts;
    return EBB_OK;
}

ebb_status weave_replay_class(weave_replay *r, weave_span bytes, ebb_buf *out, ebb_buf *left, ebb_error *err)
{
    weave_class cls;
    EBB_TRY(weave_class_read(&cls, bytes, err));
    ebb_status status = weave_read(r, &cls, bytes, out, left, err);
    weave_class_fini(&cls);
    return status;
}
