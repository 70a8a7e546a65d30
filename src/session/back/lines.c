/* lines.c - the last line of a frame before now: the first search of verbs.c. */
#include "session/back/back.h"

typedef struct line_search {
    ses_back back; /* first */
    ses_activation who;
    ses_java_found kind; /* of what was found */
} line_search;

/* The machine found it: only what it is has to be told. */
static ebb_status reached(session *s, ses_back *back, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    line_search *search = (line_search *)back;
    ses_activation top;
    if (!ses_activation_at(s, at->thread, 0, &top))
        return ebb_fail(err, EBB_UNSUPPORTED, "the frame can't be found");
    bool is_call = search->who.has_caller && top.id == search->who.caller && top.place == search->who.call;
    search->kind = is_call ? FOUND_CALL : FOUND_LINE;
    *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

static line_search search_of(const ses_activation *who, ses_java_users who_else)
{
    return (line_search){
        .back = {.thread = who->thread, .own_only = who_else.own_only, .aside = who_else.aside, .reached = reached},
        .who = *who,
        .kind = FOUND_OTHER,
    };
}

/* Where the frame was called, in the one that did. */
static machine_point call_point(const ses_activation *who)
{
    return (machine_point){.kind = MACHINE_POINT_EXEC, .addr = who->call, .frame = who->caller};
}

/* A line is a group: it counts where it begins and another one was before. */
static ebb_status set_points(session *s, line_search *search, ebb_error *err)
{
    const java_code *code;
    machine_place method = java_place_method(search->who.place);
    EBB_TRY(jvm_remote_code(s->machine, method, &code, err));
    EBB_VEC(machine_point) points = {0};
    EBB_VEC(uint32_t) groups = {0};
    for (size_t i = 0; i < code->n_lines; i++) {
        ebb_vec_push(&points, ((machine_point){.kind = MACHINE_POINT_EXEC, .addr = method + code->lines[i].bci, .frame = search->who.id}));
        ebb_vec_push(&groups, code->lines[i].line + 1u);
    }
    if (search->who.has_caller) {
        ebb_vec_push(&points, call_point(&search->who));
        ebb_vec_push(&groups, MACHINE_GROUP_FRESH);
    }
    ebb_status status = ses_back_note(s, &search->back, points.items, groups.items, points.n, err);
    ebb_vec_fini(&points);
    ebb_vec_fini(&groups);
    return status;
}

/* Whether the frame was on another line before this moment, at which one of its lines begins. */
static ebb_status check_line_changed(session *s, const ses_activation *who, bool *changed, ebb_error *err)
{
    ebb_position here;
    machine_stop at;
    machine_request request = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    unsigned line = ses_java_line_number(s, ses_activation_place(s, who));
    EBB_TRY(ses_java_now(s, &here, err));
    EBB_TRY(ebb_timeline_run(s->timeline, &request, &at, err));
    ses_moved(s, &at);
    *changed = ses_java_line_number(s, ses_activation_place(s, who)) != line;
    return ses_seek(s, here, &at, err);
}

static ebb_status run(session *s, line_search *search, ses_java_found *kind, ses_back *back, machine_stop *at, ebb_error *err)
{
    ebb_status status = ses_back_run(s, &search->back, at, err);
    if (status != EBB_OK) {
        ses_back_fini(s, &search->back);
        return status;
    }
    *kind = at->kind == MACHINE_STOP_POINT && search->back.is_own ? search->kind : FOUND_OTHER;
    *back = search->back;
    return EBB_OK;
}

/* On FOUND_OTHER, *at and *back say what it was; the caller settles. */
ebb_status ses_java_line_before(session *s, const ses_activation *who, ses_java_users who_else, ses_java_found *kind,
                                ses_back *back, machine_stop *at, ebb_error *err)
{
    line_search search = search_of(who, who_else);
    EBB_TRY(set_points(s, &search, err));
    EBB_TRY(run(s, &search, kind, back, at, err));
    if (at->kind == MACHINE_STOP_HISTORY_START && !who->has_caller)
        *kind = FOUND_NOTHING;
    return EBB_OK;
}

/* To the call that made the frame; FOUND_NOTHING if no bytecode did. */
ebb_status ses_java_call_before(session *s, const ses_activation *who, ses_java_users who_else, ses_java_found *kind,
                                ses_back *back, machine_stop *at, ebb_error *err)
{
    line_search search = search_of(who, who_else);
    *kind = FOUND_NOTHING;
    *back = (ses_back){0};
    if (!who->has_caller)
        return EBB_OK;
    machine_point call = call_point(who);
    EBB_TRY(ses_back_note(s, &search.back, &call, &(uint32_t){MACHINE_GROUP_FRESH}, 1, err));
    return run(s, &search, kind, back, at, err);
}

/* From a call on out to a frame that is shown.  *who is that frame, at the call that it made. */
static ebb_status go_out(session *s, ses_activation *who, ses_java_users who_else, ses_java_found *kind,
                         ses_back *back, machine_stop *at, ebb_error *err)
{
    while (*kind == FOUND_CALL) {
        if (!ses_activation_at(s, who->thread, 0, who))
            return ebb_fail(err, EBB_UNSUPPORTED, "the caller can't be found");
        if (ses_java_is_shown(s, who->place))
            return EBB_OK;
        ses_back_fini(s, back);
        EBB_TRY(ses_java_call_before(s, who, who_else, kind, back, at, err));
    }
    return EBB_OK;
}

/* Whether the call at which the debuggee stands, in `who`, is the first instruction of its line. */
static ebb_status check_line_begins(session *s, const ses_activation *who, bool *begins, ebb_error *err)
{
    ses_java_line line;
    *begins = ses_java_line_at(s, who->place, &line) && line.lo == who->place;
    return *begins ? check_line_changed(s, who, begins, err) : EBB_OK;
}

/* line_before, and where no line began in this frame before: in the one that called it. */
ebb_status ses_java_line_before_or_caller(session *s, ses_activation *who, ses_java_users who_else,
                                          ses_java_found *kind, ses_back *back, machine_stop *at,
                                        ebb_error *err)
{
    do {
        bool begins = false;
        EBB_TRY(ses_java_line_before(s, who, who_else, kind, back, at, err));
        if (*kind == FOUND_CALL)
            EBB_TRY(go_out(s, who, who_else, kind, back, at, err));
        if (*kind == FOUND_CALL)
            EBB_TRY(check_line_begins(s, who, &begins, err));
        if (begins)
            *kind = FOUND_LINE;
        if (*kind == FOUND_CALL)
            ses_back_fini(s, back);
    } while (*kind == FOUND_CALL);
    return EBB_OK;
}
