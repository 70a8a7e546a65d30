/* step.c - steps, as the JVM makes them.
 *
 * It steps by itself over lines, calls and classes that are passed.  What is asked of it here may be more: a step whose frame
 * is further out begins with the return to that frame, and one that is still where it began goes on. */
#include "jvm/stock/internal.h"

#include "base/text.h"

#include <string.h>

enum { NOT_IN_CLASS = 6, A_STEP = 10 };

static void exclude(stock *k, stock_filters *f, const char *pattern)
{
    stock_put(k, &f->bytes, "bs", (uint64_t)NOT_IN_CLASS, pattern);
    f->n++;
}

/* What ebb wove in is never seen. */
static void exclude_all(stock *k, stock_filters *f, bool filtered)
{
    static const char *const library[] = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};
    exclude(k, f, "ebb.Timestamp");
    for (size_t i = 0; filtered && k->filter_library && i < sizeof library / sizeof *library; i++)
        exclude(k, f, library[i]);
    for (size_t i = 0; filtered && i < k->filter.n; i++)
        exclude(k, f, k->filter.items[i]);
}

ebb_status stock_step_request(stock *k, const stock_stepping *how, uint32_t *request, ebb_error *err)
{
    stock_filters f = {.n = 1};
    stock_put(k, &f.bytes, "boii", (uint64_t)A_STEP, how->thread, (uint64_t)how->by_line, (uint64_t)how->depth);
    exclude_all(k, &f, how->filtered);
    return stock_request(k, JDWP_STEP, true, &f, request, err);
}

static uint32_t depth_of_frame(uint64_t frame)
{
    return (uint32_t)(frame >> 16 & 0xfffffff);
}

static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern), length = strlen(name);
    if (n > 0 && pattern[n - 1] == '*')
        return strncmp(name, pattern, n - 1) == 0;
    if (*pattern == '*')
        return length >= n - 1 && strcmp(name + length - (n - 1), pattern + 1) == 0;
    return strcmp(name, pattern) == 0;
}

/* A step that begins in code that is passed is not meant to pass it. */
static bool is_filtered(stock *k, const jvm_wire_request *q)
{
    const stock_class *cls = stock_class_by_serial(k, java_place_class(k->place));
    bool begins_in_it = cls && k->filter_library && stock_is_library(cls);
    for (size_t i = 0; cls && i < k->filter.n; i++)
        begins_in_it = begins_in_it || matches(k->filter.items[i], cls->name);
    return q->keep_filter || !begins_in_it;
}

static ebb_status begin(stock *k, const jvm_wire_request *q, ebb_error *err)
{
    uint64_t thread = stock_thread_of(k, (machine_tid)q->thread);
    if (!thread)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %lu is there to be stepped.", (unsigned long)q->thread);
    bool returns_first = q->frame && stock_depth(k, thread) > depth_of_frame(q->frame);
    stock_stepping how = {
        .thread = thread,
        .depth = returns_first ? STOCK_OUT : q->over_calls ? STOCK_OVER : STOCK_INTO,
        .by_line = !returns_first && q->lo != q->hi,
        .filtered = is_filtered(k, q),
    };
    k->step.of = *q;
    return stock_step_request(k, &how, &k->step.request, err);
}

ebb_status stock_step_begin(stock *k, const jvm_wire_request *q, ebb_error *err)
{
    const jvm_wire_request *was = &k->step.of;
    if (k->step.request && was->thread == q->thread && was->frame == q->frame && was->over_calls == q->over_calls && was->lo == q->lo &&
        was->hi == q->hi)
        return EBB_OK; /* goes on */
    stock_step_end(k);
    return begin(k, q, err);
}

void stock_step_end(stock *k)
{
    stock_cancel(k, JDWP_STEP, &k->step.request);
}

static bool is_still_there(const jvm_wire_request *q, uint32_t depth, machine_place place)
{
    uint32_t own = depth_of_frame(q->frame);
    if (q->frame == 0 || depth != own)
        return false;
    return place >= q->lo && place < q->hi;
}

bool stock_step_is_done(stock *k, uint64_t thread, machine_place place)
{
    jvm_wire_request q = k->step.of;
    uint32_t depth = stock_depth(k, thread);
    if (!is_still_there(&q, depth, place))
        return true;
    stock_step_end(k);
    return begin(k, &q, NULL) != EBB_OK;
}

ebb_status stock_serve_step_filter(stock *k, const jvm_wire_names *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    k->filter.n = 0;
    k->filter_library = q->flag != 0;
    for (size_t i = 0; i < q->list.n; i++)
        ebb_vec_push(&k->filter, ebb_arena_strdup(&k->for_good, q->list.items[i].text ? q->list.items[i].text : ""));
    stock_step_end(k); /* it would go on with the filter that it began with */
    return EBB_OK;
}
