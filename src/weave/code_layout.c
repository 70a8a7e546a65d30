/* code_layout.c - where each instruction lies, and what jumps that got too long become. */
#include "weave/code.h"
#include "weave/frames.h"

#include "jvm/engine/ops.h"

enum {
    MAX_CODE = 0xffff,
    REACH = 0x7fff,      /* of a jump with an offset of two bytes; one less backward is reachable, too */
    NEAR = 0x7000,       /* where a stepping stone is looked for: less than REACH, for the code may grow after that */
};

uint32_t weave_jump_pc(const weave_insn *insn)
{
    return insn->first->at;
}

uint32_t weave_row_pc(const weave_code *code, const weave_insn *insn)
{
    return insn == code->first_read ? 0 : insn->first->at;
}

static bool is_switch(const weave_insn *insn)
{
    return insn->op == JVM_OP_tableswitch || insn->op == JVM_OP_lookupswitch;
}

uint32_t weave_insn_size(const weave_insn *insn, uint32_t at)
{
    if (is_switch(insn))
        return insn->nbytes - (3 - insn->was % 4) + (3 - at % 4);
    if (insn->ntargets == 1)
        return insn->is_wide ? 5 : 3;
    return insn->nbytes;
}

static uint32_t place_all(weave_code *code)
{
    uint32_t at = 0;
    for (weave_insn *insn = code->head; insn; insn = insn->next) {
        insn->at = at;
        at += weave_insn_size(insn, at);
    }
    return code->end->at;
}

static int64_t distance(const weave_insn *from, uint32_t to)
{
    return (int64_t)to - from->at;
}

static bool reaches(const weave_insn *from, uint32_t to, int64_t limit)
{
    int64_t d = distance(from, to);
    return d <= limit && d >= -limit;
}

static bool is_too_long(const weave_insn *insn)
{
    return insn->ntargets == 1 && !is_switch(insn) && !insn->is_wide && !reaches(insn, weave_jump_pc(insn->targets[0]), REACH);
}

/* ---- stepping stones (WI3) ---- */

static bool has_wide_form(const weave_insn *insn)
{
    return insn->op == JVM_OP_goto || insn->op == JVM_OP_jsr;
}

static weave_insn *stone_to(weave_code *code, weave_insn *target)
{
    static const uint8_t bytes[] = {JVM_OP_goto_w, 0, 0, 0, 0};
    weave_insn *stone = weave_insn_new(code, bytes, sizeof bytes);
    stone->ntargets = 1;
    stone->targets = EBB_ARENA_ARRAY(&code->cls->arena, weave_insn *, 1);
    stone->targets[0] = target;
    stone->is_wide = true;
    return stone;
}

static bool is_stone_to(const weave_insn *insn, const weave_insn *target)
{
    return insn->was == WEAVE_NEW && insn->op == JVM_OP_goto_w && insn->targets[0] == target;
}

static bool covers(const weave_handler *h, const weave_insn *insn)
{
    return insn->was >= h->start->was && insn->was < h->end->was;
}

/* A stone has the frame of its target, so the handlers of the place must be such that the target has them, too. */
static bool can_lie_after(const weave_code *code, const weave_insn *place, const weave_insn *target)
{
    if (place->was == WEAVE_NEW || place->nbytes == 0 || weave_insn_falls_through(place))
        return false;
    for (uint32_t i = 0; i < code->nhandlers; i++)
        if (covers(&code->handlers[i], place) && !covers(&code->handlers[i], target))
            return false;
    return true;
}

/* Near `from`: a stone that is there already, or an instruction after which one can lie.  NULL: neither. */
static weave_insn *find_place(const weave_code *code, const weave_insn *from, const weave_insn *target, bool forward)
{
    weave_insn *place = NULL;
    for (weave_insn *at = forward ? from->next : from->prev; at && reaches(from, at->at, NEAR); at = forward ? at->next : at->prev) {
        if (is_stone_to(at, target))
            return at;
        if (!place && can_lie_after(code, at, target))
            place = at;
    }
    return place;
}

static bool step_over_stone(weave_code *code, weave_insn *jump)
{
    weave_insn *target = jump->targets[0];
    weave_insn *place = find_place(code, jump, target, true);
    if (!place)
        place = find_place(code, jump, target, false);
    if (!place)
        return false;
    weave_insn *stone = place;
    if (!is_stone_to(place, target)) {
        stone = stone_to(code, target);
        weave_link_after(place, stone);
        weave_frame_copy(code, stone, target);
    }
    jump->targets[0] = stone;
    return true;
}

static bool lengthen(weave_code *code, weave_insn *jump)
{
    if (!has_wide_form(jump))
        return step_over_stone(code, jump);
    jump->is_wide = true;
    return true;
}

ebb_status weave_code_layout(weave_code *code, ebb_error *err)
{
    for (bool again = true; again;) {
        again = false;
        if (place_all(code) > MAX_CODE)
            return ebb_fail(err, EBB_UNSUPPORTED, "it would have more than 65535 bytes of code");
        for (weave_insn *insn = code->head; insn && !again; insn = insn->next) {
            if (!is_too_long(insn))
                continue;
            if (!lengthen(code, insn))
                return ebb_fail(err, EBB_UNSUPPORTED, "a jump over more than 32767 bytes has nothing to step on");
            again = true;
        }
    }
    return EBB_OK;
}
