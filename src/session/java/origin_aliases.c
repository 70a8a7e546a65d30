/* origin_aliases.c - a value followed back by its aliases (jvm/flow/flow.h), where the debuggee has them.
 *
 * Nothing is replayed: the chain is read from memory.  Aliases say less than a replay, which can look at operands, and flow may have been switched on only
 * lately, so:
 *
 * JA1  what aliases tell is taken only if they lead to where the value was made, computed, said or first there, all of them have that value, and none of them is in the insides of
 *      a call site or method handle, or converts a number or puts it into a box, of which a replay tells more; else the value is followed by replaying, as without them;
 * JA2  the links are those of a replay, but for assignments from one local variable to another, which have no aliases.  A call or `new` that had to wait for a class to be
 *      initialised stands where it began in a replay, and here where it went on;
 * JA4  where there is no past to replay, they are told as far as they lead, and that it is not further; the insides of call sites are passed over. */
#include "session/java/origin.h"

#include <string.h>

enum { MAX_ALIASES = 4096, NO_INSTRUCTION = 0xffff };

/* ---- whether they are good enough ---------------------------------------------------------------- */

java_alias_at ses_java_alias_of_datum(const ses_java_chain *c)
{
    const ses_java_datum *d = &c->datum;
    if (d->kind == SES_JAVA_CELL)
        return (java_alias_at){.what = JAVA_ALIAS_OF_FIELD, .object = d->holder, .offset = (uint32_t)(d->addr - d->holder),
                               .nbytes = (uint8_t)java_type_size(c->letter), .at_most = MAX_ALIASES};
    return (java_alias_at){.what = d->kind == SES_JAVA_LOCAL ? JAVA_ALIAS_OF_LOCAL : JAVA_ALIAS_OF_STACK, .object = d->frame, .offset = d->slot, .at_most = MAX_ALIASES};
}

static bool is_end(java_alias_kind kind)
{
    return kind == JAVA_ALIAS_ALLOCATION || kind == JAVA_ALIAS_INIT || kind == JAVA_ALIAS_CONSTANT || kind == JAVA_ALIAS_OPERATION;
}

bool ses_java_alias_has_value(const ses_java_chain *c, const java_alias *a)
{
    unsigned nbytes = java_type_size(c->letter);
    uint64_t mask = nbytes >= sizeof a->value ? UINT64_MAX : ((uint64_t)1 << 8 * nbytes) - 1;
    return !a->has_value || ((a->value ^ c->bits) & mask) == 0;
}

bool ses_java_alias_has_place(const java_alias *a) { return a->time != 0 && java_place_bci(a->place) != NO_INSTRUCTION; }

/* JA1 */
static bool is_whole(const ses_java_chain *c, const java_aliases *all)
{
    machine_place last = all->n > 0 ? all->items[all->n - 1].place : 0;
    if (last && (ses_java_is_conversion(c->s, last) || ses_java_boxes(c->s, last)))
        return false;
    for (size_t i = 0; i < all->n; i++) {
        const java_alias *a = &all->items[i];
        bool is_last = i + 1 == all->n;
        if (!ses_java_alias_has_place(a) || is_last != is_end(a->kind) || a->is_hidden ||
            !ses_java_alias_has_value(c, a))
            return false;
    }
    return all->n > 0;
}

/* ---- words --------------------------------------------------------------------------------------- */

static const char *insn_words(ses_java_chain *c, machine_place place)
{
    machine_insn insn;
    return c->s->machine->ops->decode(c->s->machine, place, &insn, NULL) == EBB_OK ? ebb_arena_strdup(c->arena, insn.text) : "?";
}

static const char *dotted(ses_java_chain *c, const char *name)
{
    char *text = ebb_arena_strdup(c->arena, name ? name : "");
    for (char *at = text; *at; at++)
        *at = *at == '/' ? '.' : *at;
    return text;
}

static const char *allocation_words(ses_java_chain *c, const java_alias *a, const java_effect *e)
{
    if (e->kind != JAVA_EFFECT_NEW) /* of what a native method makes that is told instead: it is an exception */
        return ebb_arena_printf(c->arena, "the Java machine made it, in %s", ses_java_chain_method(c, a->place));
    return e->holder ? ebb_arena_printf(c->arena, "made here, by new (%s)", dotted(c, e->holder)) : "made here, by new";
}

static const char *returned_words(ses_java_chain *c, const java_alias *a, machine_place into)
{
    const char *by = ses_java_chain_method(c, a->place);
    return into ? ebb_arena_printf(c->arena, "returned by %s, to %s", by, ses_java_chain_method(c, into)) : ebb_arena_printf(c->arena, "returned by %s", by);
}

/* `into`: the method that the parameter was passed to, or the value returned to; 0: it is not there any more. */
static const char *words_of(ses_java_chain *c, const java_alias *a, const java_effect *e, machine_place into)
{
    const char *what = e->kind == JAVA_EFFECT_STATIC_READ || e->kind == JAVA_EFFECT_STATIC_WRITE ? "static " : "";
    switch (a->kind) {
    case JAVA_ALIAS_PARAMETER: return into ? ebb_arena_printf(c->arena, "passed to %s", ses_java_chain_method(c, into)) : "passed to the method called here";
    case JAVA_ALIAS_RETURN: return returned_words(c, a, into);
    case JAVA_ALIAS_FIELD_READ: return ebb_arena_printf(c->arena, "read from the %sfield %s", what, e->name ? e->name : "?");
    case JAVA_ALIAS_FIELD_WRITE: return ebb_arena_printf(c->arena, "written to the %sfield %s.%s", what, ses_java_simple_name(dotted(c, e->holder)), e->name ? e->name : "?");
    case JAVA_ALIAS_ARRAY_READ: return "read from an element";
    case JAVA_ALIAS_ARRAY_WRITE: return "written to an element";
    case JAVA_ALIAS_COPY: return "copied by System.arraycopy or clone()";
    case JAVA_ALIAS_THROW: return ebb_arena_printf(c->arena, "thrown by %s, and caught", ses_java_chain_method(c, a->place));
    case JAVA_ALIAS_ALLOCATION: return allocation_words(c, a, e);
    case JAVA_ALIAS_INIT: return "is what was there at first: nothing wrote it since the object was made, here";
    case JAVA_ALIAS_CONSTANT: return ebb_arena_printf(c->arena, "a constant of the program (%s)", insn_words(c, a->place));
    case JAVA_ALIAS_OPERATION: return ebb_arena_printf(c->arena, "computed (%s)", insn_words(c, a->place));
    default: return "passed on";
    }
}

static ses_origin_kind kind_of(java_alias_kind kind)
{
    switch (kind) {
    case JAVA_ALIAS_PARAMETER: return SES_ORIGIN_PARAMETER;
    case JAVA_ALIAS_RETURN: return SES_ORIGIN_RETURN;
    case JAVA_ALIAS_FIELD_READ: return SES_ORIGIN_FIELD_READ;
    case JAVA_ALIAS_FIELD_WRITE: return SES_ORIGIN_FIELD_WRITE;
    case JAVA_ALIAS_ARRAY_READ: return SES_ORIGIN_ARRAY_READ;
    case JAVA_ALIAS_ARRAY_WRITE:
    case JAVA_ALIAS_COPY: return SES_ORIGIN_ARRAY_WRITE;
    case JAVA_ALIAS_THROW: return SES_ORIGIN_THROW;
    case JAVA_ALIAS_ALLOCATION: return SES_ORIGIN_ALLOCATION;
    case JAVA_ALIAS_INIT: return SES_ORIGIN_INIT;
    case JAVA_ALIAS_CONSTANT: return SES_ORIGIN_CONSTANT;
    case JAVA_ALIAS_OPERATION: return SES_ORIGIN_OPERATION;
    default: return SES_ORIGIN_END;
    }
}

void ses_java_alias_words(ses_java_chain *c, const java_alias *a, const java_effect *e, ses_origin_link *link)
{
    bool is_named = a->kind == JAVA_ALIAS_PARAMETER && e->kind == JAVA_EFFECT_CALL && e->name;
    link->kind = kind_of(a->kind);
    link->what = is_named ? ebb_arena_printf(c->arena, "passed to %s.%s", dotted(c, e->holder), e->name) : words_of(c, a, e, 0);
}

/* ---- all of them --------------------------------------------------------------------------------- */

/* The method in which the newer of two aliases was made, or which the value is in now: the parameter was passed to that. */
static machine_place passed_into(ses_java_chain *c, const java_aliases *all, size_t i)
{
    ses_java_frames_of at;
    if (i > 0)
        return java_place_method(all->items[i - 1].place);
    return ses_java_chain_frame(c, c->datum.thread, c->datum.frame, &at) ? java_place_method(at.frame.place) : 0;
}

static ebb_status tell(ses_java_chain *c, const java_aliases *all, size_t i, ebb_error *err)
{
    const java_alias *a = &all->items[i];
    java_effect e;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, a->place, &e, err));
    machine_place into = a->kind == JAVA_ALIAS_PARAMETER || a->kind == JAVA_ALIAS_RETURN ? passed_into(c, all, i) : 0;
    ses_origin_link link = {.kind = kind_of(a->kind), .text = c->text, .depth = c->depth, .what = words_of(c, a, &e, into), .to = into};
    ses_java_link_place(c->s, c->arena, a->place, &link);
    ses_origin_position(c->s, c->arena, (ebb_position){a->time, a->place}, &link);
    ebb_vec_push(c->out, link);
    return EBB_OK;
}

ebb_status ses_java_chain_by_aliases(ses_java_chain *c, ebb_error *err)
{
    java_aliases all = {0};
    java_alias_at at = ses_java_alias_of_datum(c);
    ebb_status status = EBB_OK;
    c->is_over = jvm_remote_aliases(c->s->machine, &at, &all, NULL) == EBB_OK && is_whole(c, &all);
    for (size_t i = 0; c->is_over && status == EBB_OK && i < all.n; i++)
        status = tell(c, &all, i, err);
    ebb_vec_fini(&all);
    return status;
}

/* ---- where there is nothing else ------------------------------------------------------------------ */

static const char *why_not_further(ses_java_chain *c, const java_aliases *all, size_t n)
{
    const java_alias *a = n < all->n ? &all->items[n] : NULL;
    if (a && a->kind == JAVA_ALIAS_DROPPED)
        return "where it came from did not fit into flow-limit and is forgotten";
    if (a && a->kind == JAVA_ALIAS_NATIVE)
        return ebb_arena_printf(c->arena, "given by the native method %s", ses_java_chain_method(c, a->place));
    return "where it came from is not known: flow was not on yet, or leaves that out. A recording tells more";
}

/* JA4 */
ebb_status ses_java_chain_as_known(ses_java_chain *c, ebb_error *err)
{
    java_aliases all = {0};
    java_alias_at at = ses_java_alias_of_datum(c);
    ebb_status status = jvm_remote_aliases(c->s->machine, &at, &all, NULL) == EBB_OK ? EBB_OK : EBB_NOT_FOUND;
    size_t i = 0;
    for (; status == EBB_OK && i < all.n && ses_java_alias_has_place(&all.items[i]) && ses_java_alias_has_value(c, &all.items[i]); i++)
        if (!all.items[i].is_hidden)
            status = tell(c, &all, i, err);
    bool is_whole_chain = i > 0 && i == all.n && is_end(all.items[i - 1].kind);
    if (status == EBB_OK && i > 0 && !is_whole_chain)
        ebb_vec_push(c->out, ((ses_origin_link){.kind = SES_ORIGIN_END, .text = c->text, .depth = c->depth, .what = why_not_further(c, &all, i)}));
    ebb_vec_fini(&all);
    return status == EBB_NOT_FOUND ? EBB_OK : status;
}
