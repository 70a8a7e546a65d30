/* run_to.c - finish, advance, until WHERE: run to a place, or until a frame is left. */
#include "session/printed.h"
#include "session/java/java.h"
#include "session/move.h"
#include "session/points.h"
#include "session/verbs.h"

#include <string.h>

typedef struct java_runner {
    ses_move move; /* first */
    ses_frame_id frame;        /* the one that may be left */
    java_method_id method;     /* finish: whose result is shown; 0: nobody's */
} java_runner;

/* ---- what a method returned ----------------------------------------------------------------- */

/* The result lies on top of the caller's operand stack; what it is, the descriptor says. */
static java_word as_declared(java_word word, char type)
{
    union {
        uint64_t bits;
        int64_t i;
        double d;
        float f;
    } raw = {.i = word.i};
    if (word.type == type || word.type == 'L')
        return word;
    java_word result = {.type = type, .i = word.i};
    switch (type) {
    case 'D': result.d = raw.d; break;
    case 'F': result.d = (double)raw.f; break;
    case 'I': result.i = (int32_t)raw.bits; break;
    case 'S': result.i = (int16_t)raw.bits; break;
    case 'B': result.i = (int8_t)raw.bits; break;
    case 'C': result.i = (uint16_t)raw.bits; break;
    case 'Z': result.i = raw.bits & 1; break;
    default: break;
    }
    return result;
}

/* A long or double lies in the lower of its two slots. */
static bool top_of_stack(session *s, const ses_frame *frame, char type, java_word *word)
{
    java_words locals = {0}, stack = {0};
    unsigned n_slots = ses_java_slots_of(type);
    bool found = jvm_remote_slots(s->machine, s->thread, frame->depth, &locals, &stack, NULL) == EBB_OK &&
                 stack.n >= n_slots;
    if (found)
        *word = stack.items[stack.n - n_slots];
    ebb_vec_fini(&locals);
    ebb_vec_fini(&stack);
    return found;
}

static void show_result(session *s, java_method_id id, ses_stop *stop)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, id, &cls);
    const char *returns = method ? strchr(method->descriptor, ')') : NULL;
    const ses_frame *frame;
    java_word word;
    if (!returns || returns[1] == 'V' || ses_frame_get(s, 0, &frame, NULL) != EBB_OK ||
        !top_of_stack(s, frame, returns[1], &word))
        return;
    returns++;
    char letter = *returns == '[' ? 'L' : *returns;
    bool is_boxed = word.type == 'L' && letter != 'L', is_unboxed = word.type != 'L' && letter == 'L' && word.i != 0;
    if (is_boxed || is_unboxed)
        return; /* on the way through hidden frames: it is not what the method returned */
    word = as_declared(word, letter);
    const java_type *type = ses_java_type_named(s, returns);
    if (!type && word.ref)
        type = ses_java_type_of_object(s, word.ref, NULL);
    if (!type)
        type = ses_java_type_named(s, "null");
    java_value value = ses_java_value(type, word);
    ebb_arena arena = {0};
    ebb_buf text = {0};
    expr_format format = ses_default_format(s);
    if (expr_java_print(&arena, &s->java->world, &format, &value, &text, NULL) == EBB_OK) {
        stop->return_number = ses_printed_add(s, ses_java_keep(s, &value, NULL));
        stop->return_value = text.data ? ebb_buf_take(&text) : ebb_strdup("");
    }
    ebb_buf_fini(&text);
    ebb_arena_fini(&arena);
}

/* ---- the move ------------------------------------------------------------------------------- */

/* An exception goes past the point where the frame would return to: where it is handled the move is over, if that is
 * outside of the frame. */
static bool was_unwound(session *s, const java_runner *r)
{
    unsigned level;
    return r->frame.cfa && !ses_frame_find(s, r->frame, &level);
}

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)err;
    java_runner *r = (java_runner *)move;
    const ses_internal_point *point = ses_move_point_reached(s, move);
    if (!point) {
        stop->kind = SES_STOP_STEP;
        *done = was_unwound(s, r);
        return EBB_OK;
    }
    stop->kind = r->method ? SES_STOP_FINISHED : SES_STOP_LOCATION;
    *done = true;
    if (r->method)
        show_result(s, r->method, stop);
    return EBB_OK;
}

static ebb_status run(session *s, java_runner *r, ses_stop *stop, ebb_error *err)
{
    machine *m = s->machine;
    r->move.wants_catches = true;
    ebb_status status = m->ops->event_set(m, MACHINE_EVENT_CATCH, true, err);
    ses_select_innermost(s);
    if (status == EBB_OK)
        status = ses_move_run(s, &r->move, stop, err);
    else
        ses_move_clear_points(s, &r->move);
    ebb_error ignored;
    if (s->machine)
        (void)!ses_catch_events(s, &ignored);
    return status;
}

static java_runner new_runner(session *s)
{
    return (java_runner){
        .move = {.thread = s->thread, .arrived = arrived, .request.move = MACHINE_RUN},
        .frame = ses_frame_id_at(s, s->level),
    };
}

ebb_status ses_java_finish(session *s, ses_stop *stop, ebb_error *err)
{
    const ses_frame *frame, *outer;
    uint64_t pc;
    ses_frame_id caller;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (ses_frame_get(s, s->level + 1, &outer, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "\"finish\" not meaningful in the outermost frame.");
    if (!ses_java_caller_of(s, s->level, &pc, &caller))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "%s was called by a native method, so there is no bytecode to stop at; `up` and `finish` go further out.",
                        frame->name);
    java_runner r = new_runner(s);
    r.method = java_place_method(frame->pc);
    EBB_TRY(ses_move_point(s, &r.move, SES_POINT_RETURN, pc, caller, err));
    return run(s, &r, stop, err);
}

static ebb_status set_points(session *s, java_runner *r, const sym_spots *spots, bool stay_in_frame, ebb_error *err)
{
    enum { MOST = SES_MOVE_MAX_POINTS - 8 };
    uint64_t pc;
    ses_frame_id caller;
    if (spots->n > MOST)
        return ebb_fail(err, EBB_BAD_INPUT, "That means %zu places; name one of them.", spots->n);
    for (size_t i = 0; i < spots->n; i++)
        EBB_TRY(ses_move_point(s, &r->move, SES_POINT_TARGET, spots->items[i].addr,
                               stay_in_frame ? r->frame : (ses_frame_id){0}, err));
    if (ses_java_caller_of(s, s->level, &pc, &caller))
        EBB_TRY(ses_move_point(s, &r->move, SES_POINT_RETURN, pc, caller, err));
    return EBB_OK;
}

ebb_status ses_java_advance(session *s, const char *where_text, bool stay_in_frame, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    java_runner r = new_runner(s);
    ebb_status status = ses_where_parse(s, &arena, where_text, &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK)
        status = set_points(s, &r, &spots, stay_in_frame, err);
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    if (status == EBB_OK)
        return run(s, &r, stop, err);
    ses_move_clear_points(s, &r.move);
    return status;
}
