/* prologue.h - how functions begin: what a debugger skips, and what an unwinder without call frame
 * information must know.  Code is read from the file, so that breakpoints in it don't matter. */
#ifndef EBB_SYMBOLS_PROLOGUE_H
#define EBB_SYMBOLS_PROLOGUE_H

#include "symbols/symbols_private.h"

/* How far the frame of a function is set up before an instruction. */
typedef enum sym_frame_setup {
    SYM_FRAME_NONE,    /* the return address is on top of the stack */
    SYM_FRAME_PUSHED,  /* push %rbp has run */
    SYM_FRAME_POINTER, /* mov %rsp,%rbp too */
} sym_frame_setup;

sym_frame_setup sym_frame_setup_at(sym_table *table, uint64_t entry, uint64_t pc);

/* Where the function or ELF symbol that covers `pc` begins (run-time addresses). */
bool sym_code_start(sym_table *table, uint64_t pc, uint64_t *entry);

/* gdb's rule for where a breakpoint on the function at `entry` (a file address) goes. */
uint64_t sym_prologue_end(sym_module *module, uint64_t entry);

#endif
