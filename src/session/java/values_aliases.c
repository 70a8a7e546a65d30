/* values_aliases.c - what a place has held, by the aliases of its writes (jvm/flow/flow.h), where the debuggee has them.
 *
 * VH1  of a number in an object or array they are taken if they go back to where that was made: a replay would tell the same.  What was copied it tells where that is done;
 * VH2  where there is no past to replay they are taken as far back as they go, of references and statics, too; the oldest is told to be that.  What was in an object then is not known:
 *      it is told by its name alone, or to be gone;
 * VH3  an object that is at the address of a reference is the one that was meant if it was made before that was written. */
#include "session/java/origin_steps.h"
#include "session/travel.h"

#include <string.h>

enum { MAX_WRITES = 4096 };

typedef struct recalled {
    ses_java_chain c;
    java_aliases writes, birth; /* newest first; of the object that they are in */
    ses_remembered_values *out;
} recalled;

static bool has_a_past(const recalled *r) { return ses_need_history(r->c.s, NULL) != EBB_NO_HISTORY; }
static bool is_reference(const recalled *r) { return strchr("L[", r->c.letter) != NULL; }

/* ---- how many of them are good ------------------------------------------------------------------- */

static bool is_write(java_alias_kind kind)
{
    return kind == JAVA_ALIAS_FIELD_WRITE || kind == JAVA_ALIAS_ARRAY_WRITE || kind == JAVA_ALIAS_COPY;
}

static size_t n_known(const recalled *r)
{
    size_t n = 0;
    const java_alias *a = r->writes.items;
    bool has_past = has_a_past(r);
    while (n < r->writes.n && is_write(a[n].kind) && !(has_past && a[n].kind == JAVA_ALIAS_COPY) && a[n].has_value && ses_java_alias_has_place(&a[n]))
        n++;
    return n > 0 && ses_java_alias_has_value(&r->c, &a[0]) ? n : 0;
}

static bool has_birth(const recalled *r)
{
    return r->birth.n > 0 && r->birth.items[0].kind == JAVA_ALIAS_ALLOCATION && ses_java_alias_has_place(&r->birth.items[0]);
}

/* The first n writes are all since the object was made. */
static bool are_all(const recalled *r, size_t n)
{
    bool is_untouched = r->writes.n == 1 && r->writes.items[0].kind == JAVA_ALIAS_INIT;
    bool is_first_there = n > 0 && n == r->writes.n && n < MAX_WRITES && r->writes.items[n - 1].predecessor == 0;
    return (is_untouched || is_first_there) && !r->c.datum.is_static && has_birth(r);
}

/* ---- words --------------------------------------------------------------------------------------- */

/* VH3 */
static bool is_gone(recalled *r, const java_alias *a)
{
    java_aliases made = {0};
    java_alias_at at = {.what = JAVA_ALIAS_OF_OBJECT, .object = a->value, .at_most = 1};
    bool is_there = jvm_remote_aliases(r->c.s->machine, &at, &made, NULL) == EBB_OK && (made.n == 0 || made.items[0].time <= a->time);
    ebb_vec_fini(&made);
    return !is_there;
}

static const char *reference_words(recalled *r, const java_alias *a)
{
    java_value value;
    ebb_buf text = {0};
    session *s = r->c.s;
    expr_format format = ses_default_format(s);
    if (a->value == 0)
        return "null";
    if (is_gone(r, a))
        return ebb_arena_printf(r->c.arena, "<an object that is gone, at 0x%llx>", (unsigned long long)a->value);
    bool is_printed = ses_java_slot_value(s, 'L', a->value, &value) && expr_java_print_brief(r->c.arena, &s->java->world, &format, &value, &text, NULL) == EBB_OK;
    const char *words = is_printed ? ebb_arena_strdup(r->c.arena, ebb_buf_text(&text)) : "<unreadable>";
    ebb_buf_fini(&text);
    return words;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static void add_birth(recalled *r)
{
    const java_alias *birth = &r->birth.items[0];
    ebb_vec_push(r->out, ((ses_remembered_value){{.time = birth->time, .place = birth->place, .is_new = true, .has_is = true}, is_reference(r) ? "null" : NULL, false}));
}

/* A replay sees what changes: a write of what was there already is none. */
static void add_write(recalled *r, const java_alias *a, bool is_oldest)
{
    unsigned nbytes = java_type_size(r->c.letter);
    uint64_t mask = nbytes >= sizeof a->value ? UINT64_MAX : ((uint64_t)1 << 8 * nbytes) - 1;
    if (r->out->n > 0 && ((a->value ^ r->out->items[r->out->n - 1].hit.is) & mask) == 0)
        return;
    ebb_vec_push(r->out, ((ses_remembered_value){{.time = a->time, .place = a->place, .has_is = true, .is = a->value},
                                                 is_reference(r) ? reference_words(r, a) : NULL, is_oldest}));
}

static void recall(recalled *r)
{
    bool has_past = has_a_past(r);
    size_t n = n_known(r);
    bool all = are_all(r, n);
    if (has_past && (!all || is_reference(r))) /* VH1 */
        return;
    if (all)
        add_birth(r);
    for (size_t i = n; i-- > 0;)
        add_write(r, &r->writes.items[i], !all && i + 1 == n);
}

ebb_status ses_java_values_remembered(session *s, ebb_arena *arena, const char *expression, ses_remembered_values *out, ebb_error *err)
{
    recalled r = {.c = {.s = s, .arena = arena}, .out = out};
    ebb_status status = ses_java_chain_aim(&r.c, expression, err);
    java_alias_at of_cell = ses_java_alias_of_datum(&r.c), of_object = {.what = JAVA_ALIAS_OF_OBJECT, .object = r.c.datum.holder, .at_most = 1};
    of_cell.predecessors = true;
    of_cell.at_most = MAX_WRITES;
    if (status == EBB_OK && r.c.datum.kind == SES_JAVA_CELL && jvm_remote_aliases(s->machine, &of_cell, &r.writes, NULL) == EBB_OK &&
        jvm_remote_aliases(s->machine, &of_object, &r.birth, NULL) == EBB_OK)
        recall(&r);
    ebb_vec_fini(&r.writes);
    ebb_vec_fini(&r.birth);
    return status;
}
