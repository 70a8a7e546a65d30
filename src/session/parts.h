/* parts.h - values that are opened piece by piece, as trees of variables are.
 *
 * A value is named by an expression of the selected frame, and so is each of its parts: whoever shows a tree keeps the
 * expressions and asks for what is opened, nothing else.  A struct or object has *named* parts, an array *indexed* ones, a
 * pointer those of what it points to.  A container of a library has what it *holds* for indexed parts, as `print` shows it; some are named by
 * keys, and only a walk through the container finds them.
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
typedef EBB_VEC(ses_part_name) ses_part_names;

/* A value, and what parts it has; texts are the arena's. */
typedef struct ses_look {
    const char *value, *type;
    bool has_address;
    uint64_t address;       /* of it; of a pointer: what it holds */
    ses_part_names named;
    uint64_t n_indexed;
    const char *base;       /* the expression that takes an index after it */
    bool is_container;      /* its indexed parts are what ses_look_inside lists */
    ses_part_names insides; /* of what is shown as what it holds: what it is made of */
} ses_look;
void ses_look_fini(ses_look *look);

/* (ses_look_at is a row of language.def.) */
ebb_status ses_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err) EBB_MUST_CHECK;

/* What a container holds: all that a look at each would tell, in one walk. */
typedef struct ses_piece {
    ses_part_name part;
    const char *key;        /* the expression of a key that has parts itself; NULL: the name says it all */
    ses_look look;
} ses_piece;
typedef EBB_VEC(ses_piece) ses_pieces;
void ses_pieces_fini(ses_pieces *list);
typedef struct ses_page {
    uint64_t first, n;
} ses_page;
/* (ses_look_inside is a row of language.def.)  `expression` is one of whose look is_container. */
ebb_status ses_look_inside(session *s, ebb_arena *arena, const char *expression, ses_page page, ses_pieces *out, ebb_error *err) EBB_MUST_CHECK;

/* The i-th indexed part as an expression; the arena's. */
const char *ses_part_indexed(ebb_arena *arena, const ses_look *look, uint64_t i);
/* The expression in parentheses, unless what follows an operand may follow it as it is. */
const char *ses_operand_of(ebb_arena *arena, const char *expression);

#endif
