/* why_printed.c - which call printed something, and where what it was given came from; see why.h.
 *
 * How much had been printed is known at every moment, so the write that printed a byte is found by halving time. */
#include "session/java/why.h"

#include <string.h>

enum { MAX_ELEMENTS = 16 };

/* ---- when ---------------------------------------------------------------------------------------- */

/* How many bytes had been printed before the newest of that text; false: it was not printed. */
static bool find_text(const ebb_buf *newest, uint64_t total, const char *text, uint64_t *offset)
{
    size_t n = strlen(text);
    for (size_t at = newest->n; at-- > 0;)
        if (newest->n - at >= n && memcmp(newest->data + at, text, n) == 0) {
            *offset = total - newest->n + at + n - 1;
            return true;
        }
    return false;
}

static ebb_status printed_at(ses_java_why *w, uint64_t time, uint64_t *total, ebb_error *err)
{
    ebb_buf newest = {0};
    ebb_status status = ses_java_trail_go(w->s, (ebb_position){.timestamp = time}, err);
    if (status == EBB_OK)
        status = jvm_remote_printed(w->s->machine, &newest, total, err);
    ebb_buf_fini(&newest);
    return status;
}

/* The debuggee stands right after the byte with that number was printed. */
static ebb_status go_to_write(ses_java_why *w, uint64_t offset, ebb_error *err)
{
    ebb_position now;
    ebb_timeline_history history;
    uint64_t total;
    EBB_TRY(ses_now(w->s, &now, err));
    EBB_TRY(ebb_timeline_get_history(w->s->timeline, &history, err));
    uint64_t before = history.oldest, after = now.timestamp + 1;
    while (after - before > 1) {
        uint64_t middle = before + (after - before) / 2;
        EBB_TRY(printed_at(w, middle, &total, err));
        if (total > offset)
            after = middle;
        else
            before = middle;
    }
    return after > now.timestamp ? ses_java_trail_go(w->s, now, err) : printed_at(w, after, &total, err);
}

/* ---- who ----------------------------------------------------------------------------------------- */

/* The class library's code, or the insides of lambdas. */
static bool is_inside(ses_java_why *w, const java_frame *frame)
{
    const java_class *cls = NULL;
    return frame->is_native || frame->is_hidden || !ses_java_method(w->s, frame->place, &cls) || !cls || cls->is_library;
}

/* The innermost frame of the program's own code or, if there is none, the outermost of all. */
static bool find_caller(ses_java_why *w, machine_tid thread, java_frame *out)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    ses_java_frames_of at;
    bool found = false, is_own = false;
    for (bool more = ses_java_chain_frame(&c, thread, 0, &at); more && !is_own; more = at.has_caller && ses_java_chain_frame(&c, thread, at.caller.id, &at)) {
        is_own = !is_inside(w, &at.frame);
        if (!at.frame.is_native) {
            *out = at.frame;
            found = true;
        }
    }
    return found;
}

/* ---- what it was given --------------------------------------------------------------------------- */

static unsigned argument_slots(const char *descriptor)
{
    unsigned n = 0;
    for (const char *d = descriptor + 1; *d && *d != ')';) {
        n += ses_java_slots_of(*d);
        d = ses_java_next_type(d);
    }
    return n;
}

/* What `printf` and its like were given: the elements of an array that the call made for them. */
static ebb_status tell_elements(ses_java_why *w, java_ref array, ebb_position here, ebb_error *err)
{
    uint32_t n = 0;
    if (!array || jvm_remote_array_length(w->s->machine, array, &n, NULL) != EBB_OK)
        return EBB_OK;
    for (uint32_t i = 0; i < n && i < MAX_ELEMENTS; i++) {
        ses_java_chain c = {.s = w->s, .arena = w->arena};
        if (ses_java_chain_aim_at_element(&c, array, i))
            EBB_TRY(ses_java_why_chain(w, &c, 2, err));
        EBB_TRY(ses_java_trail_go(w->s, here, err));
    }
    return EBB_OK;
}

/* The debuggee stands before the call. */
static ebb_status tell_arguments(ses_java_why *w, ses_java_spot at, const java_effect *e, ebb_error *err)
{
    ebb_position here;
    unsigned slot = e->depth - argument_slots(e->descriptor);
    EBB_TRY(ses_now(w->s, &here, err));
    for (const char *d = e->descriptor + 1; *d && *d != ')';) {
        ses_java_chain c = {.s = w->s, .arena = w->arena};
        ses_java_datum datum = ses_java_stack_slot(at.thread, at.frame, slot);
        bool there = ses_java_chain_aim_at_slot(&c, &datum, *d);
        java_ref array = there && strncmp(d, "[L", 2) == 0 ? c.bits : 0;
        if (there)
            EBB_TRY(ses_java_why_chain(w, &c, 1, err));
        EBB_TRY(ses_java_trail_go(w->s, here, err));
        EBB_TRY(tell_elements(w, array, here, err));
        slot += ses_java_slots_of(*d);
        d = ses_java_next_type(d);
    }
    return EBB_OK;
}

static ebb_status tell_call(ses_java_why *w, const char *printed, ses_java_spot at, ebb_error *err)
{
    java_effect e;
    size_t which;
    bool found;
    ses_java_decider decider;
    machine_place went;
    EBB_TRY(ses_java_trail_last(w->s, &at, 1, &which, &found, err));
    if (!found)
        return ebb_fail(err, EBB_UNAVAILABLE, "The call that printed it is before history begins.");
    EBB_TRY(jvm_remote_effect(w->s->machine, w->arena, at.place, &e, err));
    bool is_call = e.kind == JAVA_EFFECT_CALL && e.descriptor;
    const char *what = is_call ? ebb_arena_printf(w->arena, "printed by the call of %s here", e.name) : "printed by what happens here";
    ses_origin_add(w->s, w->arena, &(ses_origin_link){.kind = SES_ORIGIN_OUTPUT, .text = ebb_arena_printf(w->arena, "\"%s\"", printed), .what = what}, w->out);
    if (is_call)
        EBB_TRY(tell_arguments(w, at, &e, err));
    EBB_TRY(ses_java_decide(w, at, &decider, err));
    return decider.found ? ses_java_tell_decider(w, &decider, 1, &went, err) : EBB_OK;
}

ebb_status ses_java_why_printed(ses_java_why *w, const char *printed, ebb_error *err)
{
    ebb_buf newest = {0};
    uint64_t total, offset = 0;
    java_frame frame;
    if (!*printed)
        return ebb_fail(err, EBB_BAD_INPUT, "why -- OUTPUT: some text that the program printed (info output shows it).");
    ebb_status status = jvm_remote_printed(w->s->machine, &newest, &total, err);
    if (status == EBB_OK && !find_text(&newest, total, printed, &offset))
        status = ebb_fail(err, EBB_NOT_FOUND, "\"%.80s\" was not printed before now (info output shows what was).", printed);
    ebb_buf_fini(&newest);
    EBB_TRY(status);
    EBB_TRY(go_to_write(w, offset, err));
    machine_tid thread = ebb_timeline_get_thread(w->s->timeline);
    if (!find_caller(w, thread, &frame))
        return ebb_fail(err, EBB_UNSUPPORTED, "No Java code printed it, so there is no call to tell of.");
    return tell_call(w, printed, (ses_java_spot){frame.place, thread, frame.id}, err);
}
