/* core.h - core files: what is left of a process that died, or was copied while it stood still.
 *
 * A core file is an ELF file of memory and notes.  Opened, it is a machine like any other, except that nothing moves: an x86_process with
 * `core` set, whose tasks stand for ever in the registers that the notes tell.  Memory comes from the file, and what the kernel left out
 * because it is in another file (code, constants) from there, as the notes say which file was mapped where.
 *
 * The file is foreign: every length and offset in it is checked against its size before it is followed.
 *
 * XC1  nothing is ever asked of the kernel about the process of a core file: its number may be another one's by now;
 * XC2  a core that we write holds the program's memory and registers only: what VM mode keeps in the process is left out, and
 *      so are the breakpoints. */
#ifndef EBB_X86_CORE_H
#define EBB_X86_CORE_H

#include "x86/process.h"

/* Opens a core file.  `program` is the executable, if the user named one; NULL: the core says which it was. */
ebb_status x86_core_open(const char *path, const char *program, machine **m, ebb_error *err) EBB_MUST_CHECK;

/* What is known of a machine that is a core file; false for one that runs. */
typedef struct x86_core_about {
    const char *command; /* as it was called, cut off after 80 characters; borrowed */
    int signal;          /* that ended it; 0: none did */
    bool other_program;  /* it was made by another program than the one that was named */
} x86_core_about;
bool x86_core_get_about(machine *m, x86_core_about *about);

typedef struct x86_hidden {
    uint64_t lo, hi;
} x86_hidden;
typedef struct x86_core_wish {
    const x86_hidden *hidden; /* memory that isn't the program's */
    size_t n_hidden;
    machine_tid first; /* the thread that who opens it sees first, */
    int signal;        /* and what it stopped for; 0: no signal */
    siginfo_t info;    /* of that signal */
} x86_core_wish;
/* Writes what stands still into a core file. */
ebb_status x86_core_write(machine *native, const char *path, const x86_core_wish *wish, ebb_error *err) EBB_MUST_CHECK;

/* ---- for the files of this folder: the answers of a core where a process has the kernel's ---- */
typedef struct x86_core x86_core;
size_t x86_core_read(const x86_core *core, uint64_t addr, void *bytes, size_t nbytes);
size_t x86_core_auxv(const x86_core *core, void *entries, size_t nbytes);
bool x86_core_file_at(const x86_core *core, uint64_t addr, char *path, size_t size);
bool x86_core_siginfo(const x86_core *core, siginfo_t *info);
void x86_core_free(x86_core *core);

#endif
