/* counted.c - time of woven programs on a stock JVM: what the JVM's agent tells (jvm/stock/stock.h).  See session/counted.h. */
#include "expr/tree.h"
#include "session/counted.h"
#include "session/java/java.h"
#include "session/language.h"
#include "session/move.h"

#include <string.h>

static bool is_on(session *s)
{
    return s->java && (s->machine ? !jvm_remote_has_copies(s->machine) : ses_java_is_stock(s));
}

static ebb_status now_here(session *s, ebb_position *now, ebb_error *err)
{
    *now = (ebb_position){.timestamp = s->machine->ops->timestamp(s->machine)};
    return ses_pc(s, s->thread, &now->place, err);
}

/* A place can't be passed twice at a timestamp but in code that is not woven, whose variables nobody knows. */
static uint64_t state(session *s)
{
    (void)s;
    return 0;
}

/* The next moves are told (position.c). */
static ebb_status stop_at(session *s, uint64_t now, uint64_t time, ebb_error *err)
{
    (void)now, (void)err;
    s->counted_stop = time == SES_COUNTED_NEVER ? 0 : time;
    return EBB_OK;
}

/* The agent has left it already. */
static ebb_status leave_tick(session *s, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)stop, (void)err;
    return EBB_OK;
}

/* What an earlier run was to stop at is nothing to this one. */
static ebb_status begin(session *s, ses_stop *stop, ebb_error *err)
{
    s->counted_stop = 0;
    return ses_java_begin(s, stop, err);
}

/* ---- data ---- */

/* There are no copies, so what the expression calls is called in the program itself, as for `print`: items.get("milk").price. */
static ebb_status place_by_calls(session *s, const char *expression, java_value *place, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    ebb_status status = expr_java_parse(&arena, expression, &tree, err);
    if (status == EBB_OK)
        status = tree->kind == EXPR_NODE_MEMBER ? expr_java_eval(&arena, &s->java->world, tree, place, err)
                                                : expr_java_place(&arena, &s->java->world, tree, place, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status place_of(session *s, const char *expression, java_value *place, ebb_error *err)
{
    ebb_status status = ses_java_place_of(s, expression, place, err);
    return status == EBB_UNSUPPORTED ? place_by_calls(s, expression, place, err) : status;
}

/* An object has no name that another run would know: its field is watched in all objects.  "pkg.Account.balance". */
static ebb_status fix(session *s, const char *expression, char **fixed, bool *is_whole, ebb_error *err)
{
    java_value place;
    const java_class *cls;
    *is_whole = true;
    EBB_TRY(place_of(s, expression, &place, err));
    if (place.place != JAVA_PLACE_FIELD && place.place != JAVA_PLACE_STATIC)
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM can tell of writes to fields only, and %.100s is none.", expression);
    EBB_TRY(jvm_remote_class(s->machine, (java_class_id)(place.which >> 32), &cls, err));
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].id == place.which) {
            *fixed = ebb_asprintf("%s.%s", cls->name, cls->fields[i].name);
            return EBB_OK;
        }
    return ebb_fail(err, EBB_NOT_FOUND, "That field is not known.");
}

/* At main its class may not be there yet; it is loaded, not initialised. */
static ebb_status prepare(session *s, const char *fixed, ebb_error *err)
{
    java_class_id id;
    char *name = ebb_strndup(fixed, (size_t)(strrchr(fixed, '.') - fixed));
    ebb_status status = jvm_remote_load_class(s->machine, 0, name, false, &id, err);
    free(name);
    return status;
}

static ebb_status owner(session *s, const char *expression, uint64_t *object, ebb_error *err)
{
    java_value place;
    ebb_status status = place_of(s, expression, &place, err);
    if (status == EBB_UNAVAILABLE)
        return ebb_fail(err, EBB_UNSUPPORTED, "Another run does not know an object that was printed in this one: write how it is found, as in items.get(3).field.");
    EBB_TRY(status);
    *object = place.place == JAVA_PLACE_FIELD ? place.holder : 0;
    return EBB_OK;
}

const ses_counting ses_java_counting = {
    .is_on = is_on,
    .now = now_here,
    .state = state,
    .stop_at = stop_at,
    .leave_tick = leave_tick,
    .begin = begin,
    .fix = fix,
    .prepare = prepare,
    .owner = owner,
    .written = ses_java_without_holder,
};
