/* loops.c - marks on instructions, spread by a work list. */
#include "weave/loops.h"

#include "base/mem.h"
#include "jvm/engine/ops.h"
#include "weave/frames.h"

enum { TICKS = 1, LOCAL = 2, PENDING = 4 };

typedef struct finder {
    weave_loops *loops;
    weave_code *code;
    uint32_t *ncalls;    /* by bci: calls before it */
    EBB_VEC(weave_insn *) todo;
} finder;

/* ---- ticks ---- */

static void mark_ticks(finder *f)
{
    uint32_t ncalls = 0;
    for (weave_insn *insn = f->code->first_read; insn != f->code->end; insn = insn->next) {
        f->ncalls[insn->was] = ncalls;
        ncalls += weave_insn_is_call(insn);
        if (weave_insn_is_return(insn) || weave_insn_goes_back(insn))
            f->loops->marks[insn->was] |= TICKS;
    }
    for (uint32_t i = 0; i < f->code->nhandlers; i++)
        f->loops->marks[f->code->handlers[i].handler->was] |= TICKS;
}

static bool has_subroutines(const weave_code *code)
{
    for (const weave_insn *insn = code->first_read; insn != code->end; insn = insn->next)
        if (insn->op == JVM_OP_jsr || insn->op == JVM_OP_jsr_w)
            return true;
    return false;
}

static bool is_handler(const weave_code *code, const weave_insn *insn)
{
    for (uint32_t i = 0; i < code->nhandlers; i++)
        if (code->handlers[i].handler == insn)
            return true;
    return false;
}

static bool can_be_local(const finder *f, const weave_insn *insn)
{
    return insn->ntargets == 1 && weave_insn_goes_back(insn) && !is_handler(f->code, insn) &&
           f->ncalls[insn->was] == f->ncalls[insn->targets[0]->was];
}

/* ---- what is pending ---- */

static void reach(finder *f, weave_insn *insn)
{
    uint8_t *mark = insn == f->code->end ? NULL : &f->loops->marks[insn->was];
    if (!mark || (*mark & PENDING))
        return;
    *mark |= PENDING;
    ebb_vec_push(&f->todo, insn);
}

static void reach_next(finder *f, const weave_insn *insn)
{
    for (uint32_t i = 0; i < insn->ntargets; i++)
        reach(f, insn->targets[i]);
    if (weave_insn_falls_through(insn))
        reach(f, insn->next);
}

static void reach_handlers(finder *f, const weave_insn *insn)
{
    for (uint32_t i = 0; i < f->code->nhandlers; i++) {
        const weave_handler *h = &f->code->handlers[i];
        if (insn->was >= h->start->was && insn->was < h->end->was)
            reach(f, h->handler);
    }
}

static bool hands_in(const weave_loops *loops, const weave_insn *insn)
{
    return weave_ticks_before(loops, insn) || weave_insn_is_call(insn);
}

static void spread(finder *f)
{
    while (f->todo.n > 0) {
        weave_insn *insn = f->todo.items[--f->todo.n];
        reach_handlers(f, insn);
        if (!hands_in(f->loops, insn))
            reach_next(f, insn);
    }
}

static void mark_locals(finder *f)
{
    for (weave_insn *insn = f->code->first_read; insn != f->code->end; insn = insn->next)
        if (can_be_local(f, insn)) {
            f->loops->marks[insn->was] |= LOCAL;
            f->loops->any = true;
        }
    for (weave_insn *insn = f->code->first_read; insn != f->code->end; insn = insn->next)
        if (f->loops->marks[insn->was] & LOCAL)
            reach_next(f, insn);
}

void weave_loops_find(weave_loops *loops, weave_code *code, bool in_memory)
{
    finder f = {.loops = loops, .code = code};
    *loops = (weave_loops){.marks = EBB_ARENA_ARRAY(&code->cls->arena, uint8_t, code->ncode + 1u)};
    f.ncalls = EBB_ARENA_ARRAY(&code->cls->arena, uint32_t, code->ncode + 1u);
    mark_ticks(&f);
    if (!in_memory && !has_subroutines(code) && !weave_frame_has_raw_this(code)) {
        mark_locals(&f);
        spread(&f);
    }
    ebb_vec_fini(&f.todo);
}

bool weave_loops_is_local(const weave_loops *loops, const weave_insn *insn)
{
    return (loops->marks[insn->was] & LOCAL) != 0;
}

bool weave_loops_is_pending(const weave_loops *loops, const weave_insn *insn)
{
    return (loops->marks[insn->was] & PENDING) != 0;
}

bool weave_ticks_before(const weave_loops *loops, const weave_insn *insn)
{
    return (loops->marks[insn->was] & (TICKS | LOCAL)) == TICKS;
}
