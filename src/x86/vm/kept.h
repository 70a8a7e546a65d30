/* kept.h - what the kernel kept of the program at a moment of its past, as the recording tells it: for a copy that is to go live (branch.h).
 *
 * A copy is a fork of the program at an earlier moment, and replays calls without making them.  So its memory and registers are those of the moment, but what
 * the kernel has of it (descriptors, handlers, mask, folder, timers) is not.  The recording has that as notes: what there was when it began, and then
 * each call that changed something, with its arguments (KEPT; inside/record_kept.c).
 *
 * KE1  notes stand after the call that they are about: those that follow the last event that happened have happened, too;
 * KE2  a FILE (time/journal.h) stands before its call: one that follows the last event that happened has not. */
#ifndef EBB_X86_VM_KEPT_H
#define EBB_X86_VM_KEPT_H

#include "base/buf.h"
#include "time/recording.h"
#include "x86/vm/private.h"

#include <sys/time.h>

/* An open file: several descriptors may lead to it. */
typedef struct vm_kept_file {
    char *text;       /* owned; a path, or what else the kernel calls it */
    uint64_t flags;   /* of open(2) */
    int64_t position; /* -1: not known.  Of the end of a pipe from which is read: how many bytes are in it */
    bool is_own_pipe; /* the program made it */
    unsigned n_fds;
} vm_kept_file;

typedef struct vm_kept_fd {
    int fd;
    bool closes; /* when another program is executed */
    size_t file; /* index in `files` */
} vm_kept_fd;

typedef struct vm_kept_action { /* as the kernel has it */
    uint64_t handler, flags, restorer, mask;
} vm_kept_action;

enum { VM_KEPT_SIGNALS = 64, VM_KEPT_TIMERS = 3 };

typedef struct vm_kept_thread {
    machine_tid tid;
    bool has_mask, has_stack, has_robust, has_tid_address;
    uint64_t mask, tid_address;
    uint64_t stack[3];  /* sigaltstack */
    uint64_t robust[2]; /* set_robust_list */
} vm_kept_thread;

typedef struct vm_kept {
    EBB_VEC(vm_kept_file) files;
    EBB_VEC(vm_kept_fd) fds;
    EBB_VEC(vm_kept_thread) threads;
    bool has_action[VM_KEPT_SIGNALS + 1], has_umask, has_timer[VM_KEPT_TIMERS];
    vm_kept_action actions[VM_KEPT_SIGNALS + 1];
    uint64_t umask;
    uint64_t pending; /* signals that a thread sent to its process or itself and blocks */
    struct itimerval timers[VM_KEPT_TIMERS];
    char *folder;      /* owned; NULL: never changed */
    EBB_VEC(x86_range) shared; /* memory that is not the program's alone */
    uint64_t n_children, n_other_timers;
    uint64_t happened; /* the first event that has not happened (KE2): from there on files are put back */
    uint64_t cut;      /* ... and that is not about what has happened (KE1): from there on the recording is void */
    uint64_t sent[3], sent_elsewhere, received[3]; /* bytes, since: by descriptor */
} vm_kept;

/* At the moment at which the recording's event `next` is the next, and whose time is `now`. */
ebb_status vm_kept_read(ebb_recording *in, uint64_t next, uint64_t now, vm_kept *out, ebb_error *err) EBB_MUST_CHECK;
void vm_kept_fini(vm_kept *k);
const vm_kept_thread *vm_kept_thread_of(const vm_kept *k, machine_tid tid); /* NULL: nothing is known of it */

/* kept_note.c: what ebb notes itself, as recording begins and later.  The mask with which a handler began; a descriptor that was lost. */
void vm_kept_begin(x86_vm *vm); /* the runtime is to note more than replay needs, */
void vm_kept_note_all(x86_vm *vm); /* ... and this is what there is */
void vm_kept_note_mask(x86_vm *vm, machine_tid tid, uint64_t time);
void vm_kept_note_closed(x86_vm *vm, int fd);

#endif
