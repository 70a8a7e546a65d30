/* call_tree.c - see call_tree.h. */
#include "session/call_tree.h"
#include "session/stack.h"
#include "session/travel.h"
#include "session/visit.h"

#include <string.h>

enum { DEEPEST = 1024 };

/* The newest activation of that frame in that caller; SES_NO_CALL: there is none. */
static int find(const ses_call_tree *tree, const ses_call *wanted)
{
    for (size_t i = tree->calls.n; i-- > 0;) {
        const ses_call *call = &tree->calls.items[i];
        if (call->caller != wanted->caller || call->thread != wanted->thread)
            continue;
        bool same_function = call->function && wanted->function ? strcmp(call->function, wanted->function) == 0 : call->function == wanted->function;
        return call->frame == wanted->frame && same_function ? (int)i : SES_NO_CALL; /* a caller has one call at a time: an older one is over */
    }
    return SES_NO_CALL;
}

static int add(ses_call_tree *tree, ebb_arena *arena, const ses_call *call)
{
    ses_call kept = *call;
    kept.function = call->function ? ebb_arena_strdup(arena, call->function) : NULL;
    ebb_vec_push(&tree->calls, kept);
    return (int)tree->calls.n - 1;
}

/* The debuggee stands at a link: the call that it is in. */
static int call_now(session *s, ebb_arena *arena, ses_call_tree *tree, bool is_entered)
{
    const ses_frame *frame;
    unsigned depth = s->thread ? ses_frame_depth(s, DEEPEST) : 0;
    int at = SES_NO_CALL;
    for (unsigned level = depth; level-- > 0;) {
        if (ses_frame_get(s, level, &frame, NULL) != EBB_OK)
            return at;
        ses_call call = {.caller = at, .thread = s->thread, .frame = frame->regs.cfa, .function = frame->name};
        int known = level == 0 && is_entered ? SES_NO_CALL : find(tree, &call); /* CZ2 */
        at = known == SES_NO_CALL ? add(tree, arena, &call) : known;
    }
    return at;
}

static ebb_status place_links(session *s, ebb_arena *arena, const ses_origin_links *links, ses_call_tree *out, ebb_error *err)
{
    for (size_t i = 0; i < links->n; i++) {
        const ses_origin_link *link = &links->items[i];
        int call = SES_NO_CALL;
        machine_stop stop;
        if (link->position) {
            EBB_TRY(ebb_timeline_seek(s->timeline, link->at, &stop, err));
            if (stop.kind == MACHINE_STOP_INTERRUPTED)
                return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
            ses_visit_stand(s);
            call = call_now(s, arena, out, link->kind == SES_ORIGIN_PARAMETER);
        }
        ebb_vec_push(&out->of_link, call);
    }
    return EBB_OK;
}

ebb_status ses_call_tree_make(session *s, ebb_arena *arena, const ses_origin_links *links, ses_call_tree *out, ebb_error *err)
{
    ses_visit visit;
    EBB_TRY(ses_visit_begin(s, &visit, err));
    return ses_visit_end(s, &visit, place_links(s, arena, links, out, err), err);
}

void ses_call_tree_fini(ses_call_tree *tree)
{
    ebb_vec_fini(&tree->calls);
    ebb_vec_fini(&tree->of_link);
}
