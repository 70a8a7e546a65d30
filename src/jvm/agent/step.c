/* step.c - steps: how far, and what they pass through.
 *
 * Frames of a thread lie on one stack that grows upwards, so a frame after the one that the step began in was called
 * from it, and one before it is a caller: the step's own frame has been left. */
#include "jvm/agent/internal.h"

#include "base/text.h"
#include "jvm/classes/module.h"
#include "jvm/engine/ops.h"
#include "jvm/jvm.h"

#include <fnmatch.h>

/* ---- what is passed through ---- */

bool agent_is_library(const jvm_class *cls)
{
    while (cls->component != NULL)
        cls = cls->component;
    if (cls->module == NULL)
        return cls->loader == jvm.boot;
    const jvm_sym *name = cls->module->name;
    return name != NULL && (ebb_text_starts(name->text, "java.") || ebb_text_starts(name->text, "jdk."));
}

static bool matches_filter(const jvm_class *cls)
{
    if (agent.filter.n == 0)
        return false;
    char *name = jvm_class_external_name(cls);
    bool matches = false;
    for (size_t i = 0; i < agent.filter.n && !matches; i++)
        matches = fnmatch(agent.filter.items[i], name, 0) == 0;
    free(name);
    return matches;
}

/* Asked at each instruction of a step, mostly of the same class. */
static struct {
    uint32_t serial; /* 0: of none */
    bool is_filtered;
} last_class;

static bool is_filtered_class(const jvm_class *cls)
{
    if (last_class.serial != cls->serial) {
        last_class.serial = cls->serial;
        last_class.is_filtered = (agent.filter_library && agent_is_library(cls)) || matches_filter(cls);
    }
    return last_class.is_filtered;
}

/* Besides what the user named: what no source line stands for (forms of lambdas, bridges). */
static bool is_filtered(const jvm_frame *f)
{
    return jvm_frame_is_hidden(f) || (f->method->access & JVM_ACC_BRIDGE) || is_filtered_class(f->method->cls);
}

/* Whoever steps by lines is shown lines: proxies and other code made at run time have none. */
static bool is_passed(const jvm_frame *f)
{
    return (agent.step.filtered && is_filtered(f)) || (agent.step.by_lines && f->method->nlines == 0);
}

static void set_texts(void *vec, const jvm_wire_names *q)
{
    EBB_VEC(char *) *texts = vec;
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i]);
    texts->n = 0;
    for (size_t i = 0; i < q->list.n; i++)
        if (q->list.items[i].text != NULL)
            ebb_vec_push(texts, ebb_strdup(q->list.items[i].text));
}

ebb_status agent_serve_step_filter(const jvm_wire_names *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    set_texts(&agent.filter, q);
    agent.filter_library = q->flag != 0;
    last_class.serial = 0;
    return EBB_OK;
}

ebb_status agent_serve_want_classes(const jvm_wire_names *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    set_texts(&agent.classes, q);
    return EBB_OK;
}

/* ---- a step ---- */

/* The frame of t with that number; its innermost one if there is none. */
static jvm_frame *frame_numbered(const jvm_thread *t, uint64_t id)
{
    jvm_frame *f = jvm_top_frame(t);
    while (id != 0 && f != NULL && agent_frame_id(t, f) != id)
        f = jvm_caller_frame(f);
    return f != NULL ? f : jvm_top_frame(t);
}

/* ---- long steps ----
 *
 * A step over a line that is a loop looks at every instruction of every iteration, a hundred times slower than the loop is.  So one that has
 * looked often puts breakpoints at all instructions of its method outside of the line, and at those that leave the frame, and lets the loop
 * run.  It can't if it has to look at what is called. */

enum { PATIENCE = 512 };

static void remove_exits(void)
{
    for (size_t i = 0; i < agent.step.exits.n; i++)
        agent_site_remove(agent.step.exits.items[i]);
    ebb_vec_fini(&agent.step.exits);
    agent.step.is_long = false;
}

static void look_closely(void)
{
    if (!agent.step.is_long)
        return;
    remove_exits();
    agent.step.n_looks = 0;
    agent_choose_trace();
}

void agent_step_thrown(const jvm_thread *t)
{
    if (agent.step.active && agent.step.thread == t)
        look_closely();
}

static bool leaves_frame(uint8_t op)
{
    return (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow;
}

static bool is_inside(const jvm_method *m, uint32_t index)
{
    machine_place place = jvm_method_place(m, m->code->bci[index]);
    return place >= agent.step.lo && place < agent.step.hi;
}

static void become_long(const jvm_frame *f)
{
    jvm_method *m = f->method;
    jvm_code *code = m->code;
    agent.step.n_looks = 0;
    for (uint32_t i = 0; i < code->n && !agent.step.over_calls; i++)
        if (is_inside(m, i) && jvm_xop_may_run_others(jvm_insn_op(&code->insns[i])))
            return;
    for (uint32_t i = 0; i < code->n; i++) {
        if (is_inside(m, i) && !leaves_frame(m->bytes[code->bci[i]]))
            continue;
        agent_site_add(m, &code->insns[i]);
        ebb_vec_push(&agent.step.exits, &code->insns[i]);
    }
    agent.step.is_long = true;
    agent_choose_trace();
}

static void consider_long(const jvm_frame *f)
{
    if (agent.step.is_long && leaves_frame(f->method->bytes[jvm_frame_bci(f)]))
        look_closely();
    else if (!agent.step.is_long && ++agent.step.n_looks >= PATIENCE)
        become_long(f);
}

bool agent_step_begin(const jvm_wire_request *q)
{
    jvm_thread *t = agent_thread(q->thread);
    if (t == NULL)
        return false;
    jvm_frame *f = frame_numbered(t, q->frame);
    agent.step = (agent_step){.active = true, .thread = t, .frame = f, .lo = q->lo, .hi = q->hi, .over_calls = q->over_calls != 0,
                                .by_lines = q->by_lines != 0};
    agent.step.filtered = q->keep_filter || f == NULL || f->kind != JVM_FRAME_JAVA || !is_filtered(f);
    return true;
}

void agent_step_end(void)
{
    if (agent.step.waits_at != NULL)
        agent_site_remove(agent.step.waits_at);
    remove_exits();
    agent.step = (agent_step){0};
}

static bool is_invoke(const jvm_frame *f)
{
    uint8_t op = f->method->bytes[jvm_frame_bci(f)];
    return op >= JVM_OP_invokevirtual && op <= JVM_OP_invokedynamic;
}

/* What was called runs at full speed until it comes back; if it ends by an exception, jvm_agent_caught knows. */
static void wait_for_return(void)
{
    const jvm_frame *f = agent.step.frame;
    if (f == NULL || f->kind != JVM_FRAME_JAVA || !is_invoke(f))
        return; /* a class initialiser, say: every instruction is looked at */
    agent.step.waits_at = (jvm_insn *)f->pc + 1;
    agent_site_add(f->method, agent.step.waits_at);
    agent_choose_trace();
}

void agent_step_stop_waiting(void)
{
    if (agent.step.waits_at == NULL)
        return;
    agent_site_remove(agent.step.waits_at);
    agent.step.waits_at = NULL;
    agent_choose_trace();
}

/* C code called f.  It may have seen the step's frame off before, and then f lies where something that this one called would lie: the main
 * method, after the initialiser of its class. */
static bool has_lost_frame(const jvm_frame *f)
{
    const jvm_frame *own = agent.step.frame, *at = f;
    if (own == NULL || f <= own || jvm_frame_bci(f) != 0 || (f->prev != NULL && f->prev->kind == JVM_FRAME_JAVA))
        return false;
    while (at != NULL && at > own)
        at = jvm_caller_frame(at);
    return at != own;
}

bool agent_step_is_done(jvm_thread *t, jvm_frame *f)
{
    agent_step *s = &agent.step;
    if (has_lost_frame(f))
        s->frame = f + 1; /* it is left: whoever comes is one of those further out */
    if (s->frame != NULL && f > s->frame) {
        if (s->over_calls && s->waits_at == NULL && !s->is_long)
            wait_for_return();
        return !s->over_calls && !is_passed(f);
    }
    agent_step_stop_waiting();
    if (f == s->frame) {
        machine_place place = jvm_frame_place(f);
        if (place >= s->lo && place < s->hi) {
            consider_long(f);
            return false;
        }
        look_closely();
        return !is_passed(f);
    }
    look_closely();
    s->frame = f; /* left: goes on only where it may not stop */
    s->lo = s->hi = 0;
    return !is_passed(f);
}
