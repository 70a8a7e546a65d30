/* decide.c - finds and tells the branch that an instruction depends on; see decide.h. */
#include "session/java/decide.h"

#include <string.h>

enum { MAX_OUTWARD = 64 };

/* ---- which it is --------------------------------------------------------------------------------- */

/* An exception that a handler took. */
typedef struct caught {
    ses_java_spot at;
    ebb_position when;
    uint64_t object;
    machine_place thrower; /* the frame's own instruction; 0: not known */
} caught;

/* Where the deciders are, each once. */
static void take_spots(const java_deciders *deciders, ses_java_spot of, ses_java_spots *out)
{
    for (size_t i = 0; i < deciders->n; i++) {
        bool is_there = false;
        for (size_t j = 0; j < out->n; j++)
            is_there = is_there || out->items[j].place == deciders->items[i].place;
        if (!is_there)
            ebb_vec_push(out, ((ses_java_spot){deciders->items[i].place, of.thread, of.frame}));
    }
}

static bool is_handler(const java_deciders *deciders, machine_place place)
{
    for (size_t i = 0; i < deciders->n; i++)
        if (deciders->items[i].is_handler && deciders->items[i].place == place)
            return true;
    return false;
}

static bool decides_after(const java_deciders *deciders, machine_place handler, machine_place thrower)
{
    for (size_t i = 0; i < deciders->n; i++)
        if (deciders->items[i].is_handler && deciders->items[i].place == handler && deciders->items[i].way == thrower)
            return true;
    return false;
}

/* The debuggee stands where a handler begins. */
static ebb_status look_at_handler(ses_java_why *w, ses_java_spot at, caught *out, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    ses_java_datum slot = ses_java_stack_slot(at.thread, at.frame, 0);
    ses_java_frames_of thrower;
    bool found;
    *out = (caught){.at = at, .object = ses_java_chain_aim_at_slot(&c, &slot, 'a') ? c.bits : 0};
    EBB_TRY(ses_now(w->s, &out->when, err));
    EBB_TRY(ses_java_trail_step(w->s, at.thread, &found, err));
    if (found && ses_java_chain_frame(&c, at.thread, at.frame, &thrower))
        out->thrower = thrower.frame.place;
    return EBB_OK;
}

/* The debuggee stands where a handler begins: whether it decides depends on what threw.  A handler that threw the exception on, to `outer`, as those of finally and
 * synchronized do, leaves the honour to that one.  If none decides, the debuggee stands where the exception was thrown. */
static ebb_status check_handler(ses_java_why *w, const java_deciders *deciders, ses_java_spot at, caught *outer, ses_java_decider *out, ebb_error *err)
{
    caught here;
    EBB_TRY(look_at_handler(w, at, &here, err));
    bool is_thrown_on = outer->object && here.object == outer->object;
    if (!is_thrown_on)
        *outer = here;
    out->found = !here.thrower || decides_after(deciders, at.place, here.thrower) || decides_after(deciders, outer->at.place, here.thrower);
    if (!out->found)
        return EBB_OK;
    const caught *by = decides_after(deciders, outer->at.place, here.thrower) ? outer : &here;
    *out = (ses_java_decider){true, true, by->at};
    return ses_java_trail_go(w->s, by->when, err);
}

/* Where the branch goes; the debuggee stands there afterwards. */
static ebb_status follow_branch(ses_java_why *w, ses_java_spot at, machine_place *went, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    ses_java_frames_of now;
    machine_stop stop;
    machine_request step = {.move = MACHINE_STEP, .thread = at.thread, .forgets = true};
    EBB_TRY(ebb_timeline_run(w->s->timeline, &step, &stop, err));
    if (stop.kind == MACHINE_STOP_INTERRUPTED)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    bool there = ses_java_chain_frame(&c, at.thread, at.frame, &now) && java_place_method(now.frame.place) == java_place_method(at.place);
    *went = there ? now.frame.place : 0;
    return EBB_OK;
}

/* The debuggee stands at a branch: it decided if it went one of the ways that lead there for certain. */
static ebb_status check_branch(ses_java_why *w, const java_deciders *deciders, ses_java_spot at, ses_java_decider *out, ebb_error *err)
{
    ebb_position here;
    machine_place went;
    EBB_TRY(ses_now(w->s, &here, err));
    EBB_TRY(follow_branch(w, at, &went, err));
    for (size_t i = 0; i < deciders->n; i++)
        out->found = out->found || went == 0 || (deciders->items[i].place == at.place && deciders->items[i].way == went);
    out->at = at;
    return ses_java_trail_go(w->s, here, err);
}

/* In one frame: one of these.  *end is where the search ends without success: at the call that made the frame or, if nothing of Java did, at its first instruction. */
static ebb_status find_decider(ses_java_why *w, const java_deciders *deciders, ses_java_spot of, const ses_java_spot *end, ses_java_decider *out, ebb_error *err)
{
    ses_java_spots spots = {0};
    size_t which = 0;
    bool is_over = false, found;
    caught outer = {0};
    ebb_status status = EBB_OK;
    take_spots(deciders, of, &spots);
    ebb_vec_push(&spots, *end);
    while (status == EBB_OK && !is_over) {
        status = ses_java_trail_last(w->s, spots.items, spots.n, &which, &found, err);
        is_over = status != EBB_OK || !found || which == spots.n - 1;
        if (!is_over && is_handler(deciders, spots.items[which].place))
            status = check_handler(w, deciders, spots.items[which], &outer, out, err);
        else if (!is_over)
            status = check_branch(w, deciders, spots.items[which], out, err);
        is_over = is_over || out->found;
    }
    ebb_vec_fini(&spots);
    return status;
}

/* Where nothing in the method decides, there is nothing to look for, and the debuggee need not move: the frame outside has done nothing since it called this one. */
static ebb_status decide_in_frame(ses_java_why *w, ses_java_spot of, const ses_java_spot *end, ses_java_decider *out, ebb_error *err)
{
    java_deciders deciders = {0};
    ebb_status status = jvm_remote_deciders(w->s->machine, of.place, &deciders, err);
    if (status == EBB_OK && deciders.n > 0)
        status = find_decider(w, &deciders, of, end, out, err);
    ebb_vec_fini(&deciders);
    return status;
}

/* Where a search in that frame ends; false: it is its first instruction, since nothing of Java called it. */
static bool find_end(ses_java_why *w, ses_java_spot of, const ses_java_frames_of *at, ses_java_spot *end)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    java_frame outer;
    bool has_outer = ses_java_chain_outer(&c, of.thread, at, &outer);
    *end = has_outer ? (ses_java_spot){outer.place, of.thread, outer.id} : (ses_java_spot){java_place_method(of.place), of.thread, of.frame};
    return has_outer;
}

ebb_status ses_java_decide(ses_java_why *w, ses_java_spot of, ses_java_decider *out, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    *out = (ses_java_decider){0};
    for (unsigned n = 0; n < MAX_OUTWARD && !out->found; n++) {
        ses_java_frames_of at;
        ses_java_spot end;
        if (!ses_java_chain_frame(&c, of.thread, of.frame, &at) || at.frame.is_native)
            return EBB_OK;
        bool has_outer = find_end(w, of, &at, &end);
        EBB_TRY(decide_in_frame(w, of, &end, out, err));
        if (!has_outer)
            return EBB_OK;
        of = end;
    }
    return EBB_OK;
}

/* ---- choices (JO5) ------------------------------------------------------------------------------- */

static bool has_decider(const java_deciders *list, const java_decider *d)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].place == d->place && list->items[i].way == d->way && list->items[i].is_handler == d->is_handler)
            return true;
    return false;
}

/* What decides about the instruction, but not in the same way about the use of what it left.  The class must be there where the debuggee stands. */
static ebb_status deciders_between(session *s, machine_place place, machine_place used, java_deciders *out, ebb_error *err)
{
    java_deciders shared = {0};
    size_t kept = 0;
    ebb_status status = jvm_remote_deciders(s->machine, place, out, err);
    if (status == EBB_OK)
        status = jvm_remote_deciders(s->machine, used, &shared, err);
    for (size_t i = 0; status == EBB_OK && i < out->n; i++)
        if (!has_decider(&shared, &out->items[i]))
            out->items[kept++] = out->items[i];
    out->n = kept;
    ebb_vec_fini(&shared);
    return status;
}

bool ses_java_is_choice(session *s, machine_place place, machine_place used)
{
    java_deciders deciders = {0};
    bool is_one = deciders_between(s, place, used, &deciders, NULL) == EBB_OK && deciders.n > 0;
    ebb_vec_fini(&deciders);
    return is_one;
}

ebb_status ses_java_decide_between(ses_java_why *w, const ses_java_choice *choice, ses_java_decider *out, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    java_deciders deciders = {0};
    ses_java_frames_of at;
    ses_java_spot end;
    *out = (ses_java_decider){0};
    EBB_TRY(ses_java_trail_go(w->s, choice->at, err));
    ebb_status status = deciders_between(w->s, choice->spot.place, choice->used, &deciders, err);
    if (status == EBB_OK && deciders.n > 0 && ses_java_chain_frame(&c, choice->spot.thread, choice->spot.frame, &at)) {
        (void)find_end(w, choice->spot, &at, &end);
        status = find_decider(w, &deciders, choice->spot, &end, out, err);
    }
    ebb_vec_fini(&deciders);
    return status;
}

/* ---- what it took -------------------------------------------------------------------------------- */

/* Types of what an instruction takes from the stack, lowest first: letters of ops.def, or of a descriptor for strings that are put together. */
static void input_letters(const java_effect *e, ebb_buf *letters)
{
    bool is_text = e->kind == JAVA_EFFECT_CALL && !e->holder && strcmp(e->name, "makeConcatWithConstants") == 0;
    for (const char *d = is_text ? e->descriptor + 1 : ""; *d && *d != ')';) {
        ebb_buf_addc(letters, *d == '[' ? 'L' : *d);
        d = ses_java_next_type(d);
    }
    if (!is_text && e->row && (e->kind == JAVA_EFFECT_OPERATION || e->kind == JAVA_EFFECT_BRANCH))
        ebb_buf_adds(letters, e->row);
}

static unsigned slots_of(char letter)
{
    return strchr("JDjd", letter) ? 2 : 1;
}

/* One value that the instruction takes: its nearest link, unless that is where we stand. */
static ebb_status tell_input(ses_java_why *w, const ses_java_datum *slot, char letter, unsigned depth, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena, .out = w->out, .depth = depth};
    if (!ses_java_chain_aim_at_slot(&c, slot, letter))
        return EBB_OK;
    return ses_java_chain_follow(&c, 1, err);
}

ebb_status ses_java_tell_inputs(ses_java_why *w, ses_java_spot at, unsigned depth, ebb_error *err)
{
    java_effect e;
    ebb_position here;
    ebb_buf letters = {0};
    EBB_TRY(ses_now(w->s, &here, err));
    EBB_TRY(jvm_remote_effect(w->s->machine, w->arena, at.place, &e, err));
    input_letters(&e, &letters);
    ebb_status status = EBB_OK;
    unsigned slot = e.depth - e.pops;
    for (size_t i = 0; status == EBB_OK && i < letters.n; i++) {
        ses_java_datum datum = ses_java_stack_slot(at.thread, at.frame, slot);
        status = tell_input(w, &datum, (char)letters.data[i], depth, err);
        if (status == EBB_OK)
            status = ses_java_trail_go(w->s, here, err);
        slot += slots_of((char)letters.data[i]);
    }
    ebb_buf_fini(&letters);
    return status;
}

/* ---- telling it ---------------------------------------------------------------------------------- */

/* The values, as a person reads them: "null", "3, 4". */
static const char *input_words(ses_java_why *w, ses_java_spot at, const java_effect *e)
{
    ebb_buf words = {0};
    unsigned slot = e->depth - e->pops;
    for (const char *letter = e->row ? e->row : ""; *letter; letter++) {
        ses_java_chain c = {.s = w->s, .arena = w->arena};
        ses_java_datum datum = ses_java_stack_slot(at.thread, at.frame, slot);
        ebb_buf_addf(&words, "%s%s", words.n ? ", " : "", ses_java_chain_aim_at_slot(&c, &datum, *letter) ? c.text : "?");
        slot += slots_of(*letter);
    }
    const char *text = ebb_arena_strdup(w->arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return text;
}

static const char *branch_words(ses_java_why *w, ses_java_spot at, const java_effect *e, machine_place went)
{
    machine_insn insn;
    ses_java_line line;
    bool has_text = w->s->machine->ops->decode(w->s->machine, at.place, &insn, NULL) == EBB_OK;
    bool has_line = went && ses_java_line_at(w->s, went, &line);
    const char *how = went == at.place + e->nbytes ? "went on" : "jumped";
    if (has_line)
        return ebb_arena_printf(w->arena, "decided this (%s): it %s to line %u", has_text ? insn.text : "?", how, line.line);
    return ebb_arena_printf(w->arena, "decided this (%s): it %s", has_text ? insn.text : "?", how);
}

static ebb_status tell_branch(ses_java_why *w, ses_java_spot at, unsigned depth, machine_place *went, ebb_error *err)
{
    java_effect e;
    ebb_position here;
    EBB_TRY(ses_now(w->s, &here, err));
    EBB_TRY(jvm_remote_effect(w->s->machine, w->arena, at.place, &e, err));
    const char *text = input_words(w, at, &e);
    EBB_TRY(follow_branch(w, at, went, err));
    EBB_TRY(ses_java_trail_go(w->s, here, err));
    const char *what = branch_words(w, at, &e, *went);
    ses_origin_add(w->s, w->arena, &(ses_origin_link){.kind = SES_ORIGIN_BRANCH, .text = text, .depth = depth, .what = what}, w->out);
    return ses_java_tell_inputs(w, at, depth + 1, err);
}

/* The exception lies on the stack there. */
static ebb_status tell_handler(ses_java_why *w, ses_java_spot at, unsigned depth, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena, .out = w->out, .depth = depth + 1};
    ses_java_datum slot = ses_java_stack_slot(at.thread, at.frame, 0);
    bool is_there = ses_java_chain_aim_at_slot(&c, &slot, 'a');
    ses_origin_add(w->s, w->arena, &(ses_origin_link){.kind = SES_ORIGIN_BRANCH, .text = is_there ? c.text : "?", .depth = depth, .what = "decided this: it was caught here"}, w->out);
    return is_there ? ses_java_chain_follow(&c, 1, err) : EBB_OK;
}

static bool is_told(const ses_java_why *w, ebb_position at)
{
    for (size_t i = 0; i < w->branches.n; i++)
        if (ebb_position_compare(w->branches.items[i], at) == 0)
            return true;
    return false;
}

ebb_status ses_java_tell_decider(ses_java_why *w, const ses_java_decider *decider, unsigned depth, machine_place *went, ebb_error *err)
{
    ebb_position now;
    *went = 0;
    EBB_TRY(ses_now(w->s, &now, err));
    if (is_told(w, now))
        return EBB_OK;
    ebb_vec_push(&w->branches, now);
    if (decider->is_handler)
        return tell_handler(w, decider->at, depth, err);
    return tell_branch(w, decider->at, depth, went, err);
}
