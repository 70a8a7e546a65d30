/* parts.h - values that are opened piece by piece, as trees of variables are.
 *
 * A value is named by an expression of the selected frame, and so is each of its parts: whoever shows a tree keeps the
 * expressions and asks for what is opened, nothing else.  A struct or object has *named* parts, an array *indexed* ones, a
 * pointer those of what it points to.
 *
 * PS1  looking calls nothing in the debuggee unless the expression does, and changes nothing unless it does. */
#ifndef EBB_SESSION_PARTS_H
#define EBB_SESSION_PARTS_H

#include "base/arena.h"
#include "session/session.h"

typedef struct ses_part_name {
    const char *name;       /* "next", "*head" */
    const char *expression; /* of the whole part */
} ses_part_name;

/* A value, and what parts it has; texts are the arena's. */
typedef struct ses_look {
    const char *value, *type;
    bool has_address;
    uint64_t address;       /* of it; of a pointer: what it holds */
    EBB_VEC(ses_part_name) named;
    uint64_t n_indexed;
    const char *base;       /* the expression that takes an index after it */
} ses_look;
void ses_look_fini(ses_look *look);

/* (ses_look_at is a row of language.def.) */
ebb_status ses_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err) EBB_MUST_CHECK;

/* The i-th indexed part as an expression; the arena's. */
const char *ses_part_indexed(ebb_arena *arena, const ses_look *look, uint64_t i);
/* The expression in parentheses, unless what follows an operand may follow it as it is. */
const char *ses_operand_of(ebb_arena *arena, const char *expression);

#endif
