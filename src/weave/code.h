/* code.h - the code of a method as a list of instructions into which others can be put.
 *
 * Jumps, exception handlers, frames of the StackMapTable and the rows of the tables of lines and variables name
 * instructions, not numbers; numbers are made again when the code is written.
 *
 * Code is put in at two kinds of places.  *Before* an instruction: whoever reaches that instruction, by falling into it
 * or by a jump, executes the new code first.  At the *entry*: once in each call, also where the method's first instruction is the
 * head of a loop.
 *
 * WI1  what is put in leaves the stack and the locals that the old code sees as they were, and makes no jumps of its
 *      own: then no frame has to be made but those of WI3 and WI5, and what was verified before is so afterwards;
 * WI2  the caller says by weave_code_need what stack the new code takes;
 * WI3  a jump that got too long takes the wide form; a conditional one, which has none, jumps to a `goto_w` that is
 *      put after some instruction near it that never falls through.  That place gets a copy of the target's frame;
 * WI4  the line of the first instruction and variables that live from there on begin with the entry code; the line does not if the transformer
 *      says that this code has none, as that in which a thread is not supposed to be in the method yet;
 * WI5  a new local variable, once its entry code sets it, is a long in every frame of the method.  A new handler, which comes last in
 *      the table, knows of no other local. */
#ifndef EBB_WEAVE_CODE_H
#define EBB_WEAVE_CODE_H

#include "weave/classfile.h"

typedef struct weave_insn weave_insn;
struct weave_insn {
    weave_insn *prev, *next;
    weave_insn *first;     /* where jumps to it arrive: the first instruction put before it, or itself */
    const uint8_t *bytes;  /* as read, or as the transformer made it; operands of jumps and switches in it are stale */
    uint32_t nbytes;
    uint32_t was;          /* where it was read; WEAVE_NEW if it is new */
    uint32_t at;           /* where it is, while the code is being written */
    uint8_t op;
    bool is_wide;          /* a goto or jsr that is written as goto_w or jsr_w */
    uint32_t ntargets;     /* of a jump: 1; of a switch: the default one and the others in their order */
    weave_insn **targets;
};
enum { WEAVE_NEW = UINT32_MAX };

typedef struct weave_handler {
    weave_insn *start, *end, *handler; /* `end` is the instruction after the last */
    uint16_t type_index;
} weave_handler;

typedef struct weave_frame weave_frame;
typedef struct weave_table weave_table;

struct weave_code {
    weave_class *cls;
    weave_method *method;
    uint16_t max_stack, max_locals;
    weave_insn *head, *end; /* `end` comes after the last instruction and has no bytes */
    weave_insn *first_read; /* the first instruction that the method had */
    bool entry_has_no_line; /* WI4 */
    weave_handler *handlers;
    uint16_t nhandlers, cap_handlers;
    weave_frame *frames;    /* in the order of their instructions; frames.h */
    bool has_frames;
    weave_table *tables;    /* the attributes of Code in their order; tables.h */
    uint16_t ntables;
    weave_insn **by_pc;     /* while reading: the instruction at each bci, and `end` */
    uint32_t ncode;         /* bytes that were read */
};

/* An instruction without jumps: its bytes are copied. */
weave_insn *weave_insn_new(weave_code *code, const uint8_t *bytes, uint32_t nbytes);
weave_insn *weave_insn_call_static(weave_code *code, uint16_t method_index);

/* Several calls for one place put their instructions in the order of the calls. */
void weave_insert_before(weave_code *code, weave_insn *at, weave_insn *insn);
void weave_insert_at_entry(weave_code *code, weave_insn *insn);
void weave_code_need(weave_code *code, uint32_t more_stack);

/* A new local variable of type long: its number.  The caller puts the code that sets it at the entry.  0xffff: no room. */
uint16_t weave_code_new_long(weave_code *code);
/* Code at the end of the method, which nobody falls into and which does not fall out of it. */
void weave_append(weave_code *code, weave_insn *insn);
/* The appended code from `handler` on gets every exception from `start` to before `end` that nothing else there handles; of the locals
 * it may use `local` only. */
void weave_add_handler(weave_code *code, weave_insn *start, weave_insn *end, weave_insn *handler);
void weave_add_handler_frame(weave_code *code, weave_insn *handler, uint16_t local);

/* Instructions that take a local variable by number; wide if they must. */
weave_insn *weave_insn_local(weave_code *code, uint8_t op, uint16_t local);
weave_insn *weave_insn_plain(weave_code *code, uint8_t op);

/* Questions about instructions that were read. */
bool weave_insn_is_return(const weave_insn *insn);
bool weave_insn_is_call(const weave_insn *insn);
bool weave_insn_goes_back(const weave_insn *insn); /* it can jump to itself or to what stands before it */
bool weave_insn_falls_through(const weave_insn *insn);

/* ---- for classfile.c ---- */

ebb_status weave_code_read(weave_class *cls, weave_method *method, weave_code **out, ebb_error *err) EBB_MUST_CHECK;
/* EBB_UNSUPPORTED: it is longer than the format allows. */
ebb_status weave_code_write(weave_code *code, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- shared by the files of the module ---- */

/* The instruction that was read at that bci, or `end`; NULL: there is none. */
weave_insn *weave_code_at(const weave_code *code, uint32_t bci);
void weave_link_after(weave_insn *before, weave_insn *insn);
/* Where a jump to the instruction goes; where a table's row about it begins (WI4). */
uint32_t weave_jump_pc(const weave_insn *insn);
uint32_t weave_row_pc(const weave_code *code, const weave_insn *insn);
/* Gives every instruction its place, and makes jumps as long as they have to be. */
ebb_status weave_code_layout(weave_code *code, ebb_error *err) EBB_MUST_CHECK;
void weave_code_put_insns(const weave_code *code, ebb_buf *out);
uint32_t weave_insn_size(const weave_insn *insn, uint32_t at);

#endif
