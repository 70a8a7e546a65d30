/* flow_aliases.c - the travels of an object by its aliases (jvm/flow/flow.h), where there is no past to replay.
 *
 * They are those that something still leads to: of what a method was given and did nothing with, nothing is left.
 *
 * FM1  a move is one deeper than the call that it happened in.  The call is found by the moment at which its invocation began: one tick after that at which the object was passed. */
#include "session/java/origin.h"

enum { MAX_MOVES = 5000 };

typedef struct call {
    uint64_t entered;
    unsigned depth;  /* of the moves in it */
} call;

typedef struct travels {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    const char *text;
    java_aliases all;
    EBB_VEC(call) calls;
} travels;

/* When the invocation began that the alias was made in; 0: that is not known. */
static uint64_t entered_at(travels *t, const java_alias *a)
{
    java_aliases invocation = {0};
    java_alias_at at = {.what = JAVA_ALIAS_NUMBERED, .object = a->context, .at_most = 1};
    bool is_told = a->context != 0 && jvm_remote_aliases(t->s->machine, &at, &invocation, NULL) == EBB_OK && invocation.n == 1;
    uint64_t time = is_told ? invocation.items[0].time : 0;
    ebb_vec_fini(&invocation);
    return time;
}

/* FM1 */
static unsigned depth_of(travels *t, const java_alias *a)
{
    uint64_t entered = entered_at(t, a);
    for (size_t i = 0; entered != 0 && i < t->calls.n; i++)
        if (t->calls.items[i].entered == entered)
            return t->calls.items[i].depth;
    return 1;
}

static ebb_status tell(travels *t, const java_alias *a, ebb_error *err)
{
    ses_java_chain c = {.s = t->s, .arena = t->arena};
    ses_origin_link link = {.text = ""};
    java_effect e;
    EBB_TRY(jvm_remote_effect(t->s->machine, t->arena, a->place, &e, err));
    ses_java_alias_words(&c, a, &e, &link);
    bool is_made = a->kind == JAVA_ALIAS_ALLOCATION;
    if (is_made)
        link.text = t->text;
    link.depth = is_made ? 0 : depth_of(t, a);
    ses_java_link_place(t->s, t->arena, a->place, &link);
    ses_origin_position(t->s, t->arena, (ebb_position){a->time, a->place}, &link);
    ebb_vec_push(t->out, link);
    if (a->kind == JAVA_ALIAS_PARAMETER)
        ebb_vec_push(&t->calls, ((call){a->time + 1, link.depth + 1}));
    return EBB_OK;
}

static bool is_same_move(const java_alias *a, const java_alias *b)
{
    return a->time == b->time && a->place == b->place && a->kind == b->kind;
}

static ebb_status tell_all(travels *t, ebb_error *err)
{
    for (size_t i = 0; i < t->all.n; i++) {
        const java_alias *a = &t->all.items[i];
        bool is_told = i > 0 && is_same_move(a, a - 1);
        if (!is_told && ses_java_alias_has_place(a) && !a->is_hidden)
            EBB_TRY(tell(t, a, err));
    }
    if (t->out->n > 0)
        ebb_vec_push(t->out, ((ses_origin_link){.kind = SES_ORIGIN_END, .text = "",
                                                .what = t->all.n == MAX_MOVES ? "and on, too often to tell" : "this is what aliases remember; a recording tells every move"}));
    return EBB_OK;
}

ebb_status ses_java_flow_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    travels t = {.s = s, .arena = arena, .out = out};
    java_ref object = 0;
    EBB_TRY(ses_java_flow_object(s, arena, expression, &object, &t.text, err));
    java_alias_at at = {.what = JAVA_ALIAS_TRAVELS, .object = object, .at_most = MAX_MOVES};
    ebb_status status = jvm_remote_aliases(s->machine, &at, &t.all, NULL) == EBB_OK ? tell_all(&t, err) : EBB_OK;
    ebb_vec_fini(&t.all);
    ebb_vec_fini(&t.calls);
    return status;
}
