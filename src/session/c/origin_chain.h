/* origin_chain.h - a value of a native program on its way back: what the files of `origin` share.
 *
 * The value is a datum in memory or in a register (machine/flow.h).  Who wrote it to memory last, a query tells; who set a register last, is
 * looked for in origin_registers.c.  What that instruction did is the machine's to say: if it copied the value from elsewhere, that is the datum to
 * look for next.
 *
 * OR1  every link but the last copies: the value at its position is that of the link before it, as far as it has as many bytes.  A link where that is
 *      not so ends the chain, and says it;
 * OR2  after the instruction of a link, the datum that it is said to write has the value: the debuggee is stepped over it to see that.  So what changed
 *      the datum in a way that nobody understood (a handler, code that breaks the rules of calls) ends the chain, and no wrong link is told. */
#ifndef EBB_SESSION_C_ORIGIN_CHAIN_H
#define EBB_SESSION_C_ORIGIN_CHAIN_H

#include "machine/flow.h"
#include "machine/native.h"
#include "session/origin.h"

__extension__ typedef unsigned __int128 ses_wide; /* MACHINE_DATUM_MAX bytes */

typedef struct ses_chain {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    machine_datum datum; /* what is looked for, as it was at this moment */
    ses_wide value;
    const char *part;    /* words before those of the next link: it is about a part of the value; NULL: about all of it */
    bool is_over;
} ses_chain;

/* ---- looking and moving, quietly (origin.c) ------------------------------------------------------- */

machine_tid ses_chain_thread(const ses_chain *c); /* that runs */
ebb_status ses_chain_now(const ses_chain *c, ebb_position *at, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_chain_go(ses_chain *c, ebb_position to, ebb_error *err) EBB_MUST_CHECK;
/* One instruction of whatever thread runs, at `at`; *ended: there is none any more. */
ebb_status ses_chain_step(ses_chain *c, ebb_position at, bool *ended, ebb_error *err) EBB_MUST_CHECK;
uint64_t ses_chain_register(const ses_chain *c, const char *name); /* of the thread that runs */
/* The text at that address, as much of it as can be read and fits. */
void ses_chain_text(const ses_chain *c, uint64_t addr, char *text, size_t size);
bool ses_chain_read(const ses_chain *c, machine_tid thread, const machine_datum *d, ses_wide *value);
ebb_status ses_chain_flow(const ses_chain *c, machine_tid thread, const machine_datum *d, machine_flow *flow, ebb_error *err) EBB_MUST_CHECK;

/* ---- telling ---------------------------------------------------------------------------------------- */

/* The debuggee stands at the link.  Takes the words. */
void ses_chain_add(ses_chain *c, ses_origin_kind kind, ebb_buf *words);
void ses_chain_end(ses_chain *c, ses_origin_kind kind, const char *sentence);
/* The debuggee stands before the instruction that wrote the datum. */
ebb_status ses_chain_follow(ses_chain *c, const machine_flow *flow, ebb_error *err) EBB_MUST_CHECK;

/* ---- parts -------------------------------------------------------------------------------------------- */

/* origin_aim.c: what the expression names. */
ebb_status ses_chain_aim(ses_chain *c, const char *expression, ebb_error *err) EBB_MUST_CHECK;
/* origin_registers.c: one link of a datum in a register of the thread. */
ebb_status ses_chain_follow_register(ses_chain *c, machine_tid thread, ebb_error *err) EBB_MUST_CHECK;
/* origin_input.c: the thread stands at the system call that brought the datum. */
ebb_status ses_chain_tell_kernel(ses_chain *c, ebb_error *err) EBB_MUST_CHECK;
/* origin_begin.c: nobody wrote the datum since history begins. */
ebb_status ses_chain_tell_begin(ses_chain *c, ebb_error *err) EBB_MUST_CHECK;

#endif
