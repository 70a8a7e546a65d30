/* calls.h - what is known of the system calls: one table (syscalls.def, commands.def), for ebb and for the runtime inside the debuggee.
 *
 * Its readers: the runtime's border (inside/syscall.c), what is made again and for how long (interrupted.h, inside/timed.h), how a step
 * treats a call (vm/errand.c), names (syscalls.c), and what the kernel wrote (inside/writes.h).  The columns for mappings, descriptors and
 * files are for whoever records an execution and puts the world back.
 *
 * KC1  a call is described once: who needs to know something new of calls adds a column or a word, not a list.  Code that does what one call does, in
 *      replay or for `branch`, names that call;
 * KC2  what is not in the table is not known: nobody takes it for harmless. */
#ifndef EBB_X86_CALLS_H
#define EBB_X86_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum x86_border {
    X86_BORDER_MADE,
    X86_BORDER_UNMAP,
    X86_BORDER_REMAP,
    X86_BORDER_OPEN,
    X86_BORDER_FORK,
    X86_BORDER_CLONE,
    X86_BORDER_CLONE3,
    X86_BORDER_SIGRETURN,
    X86_BORDER_RSEQ,
    X86_BORDER_SECCOMP,
    X86_BORDER_PRCTL,
    X86_BORDER_ARCH_PRCTL,
    X86_BORDER_SIGALTSTACK,
    X86_BORDER_YIELD,
    X86_BORDER_EXEC,
} x86_border;

typedef enum x86_waits { X86_SOON, X86_WAITS, X86_AGAIN, X86_AGAIN_MS, X86_AGAIN_SPAN, X86_LIFE } x86_waits;

typedef enum x86_maps {
    X86_MAPS_NONE,
    X86_MAPS_MAPS,
    X86_MAPS_UNMAPS,
    X86_MAPS_PROTECTS,
    X86_MAPS_MOVES,
    X86_MAPS_DISCARDS,
    X86_MAPS_BREAK,
    X86_MAPS_REPLACES,
} x86_maps;

typedef enum x86_fds {
    X86_FDS_NONE,
    X86_FDS_OPENS,
    X86_FDS_PAIR,
    X86_FDS_RIGHTS,
    X86_FDS_COPIES,
    X86_FDS_CLOSES,
    X86_FDS_OFFSET,
    X86_FDS_SETS,
} x86_fds;

typedef enum x86_files {
    X86_FILES_NONE,
    X86_FILES_WRITES,
    X86_FILES_TRUNCATES,
    X86_FILES_CREATES,
    X86_FILES_RENAMES,
    X86_FILES_REMOVES,
    X86_FILES_LINKS,
    X86_FILES_ATTRIBUTES,
    X86_FILES_OWNERS,
    X86_FILES_SENDS,
    X86_FILES_SYSTEM,
} x86_files;

typedef enum x86_way { X86_NO_WAY, X86_IN, X86_OUT, X86_INOUT, X86_ANYWAY, X86_COMMAND_IN, X86_OPTION_IN, X86_FLAGS_IN, X86_KEPT, X86_RESUMED, X86_EARLY, X86_PLACED, X86_REFUSED, X86_HARMLESS, X86_WHO, X86_TELLS_WHO } x86_way;

/* KEPT, where it is not about what an argument leads to. */
typedef enum x86_kept { X86_KEPT_ARGUMENTS, X86_KEPT_FOLDER, X86_KEPT_SHARED, X86_KEPT_ITSELF } x86_kept;
/* FLAGS */
enum { X86_FLAGS_DIRECT, X86_FLAGS_IN_MEMORY };

typedef enum x86_size {
    X86_SIZE_BYTES,
    X86_SIZE_COUNT,
    X86_SIZE_UPTO,
    X86_SIZE_EACH,
    X86_SIZE_LENGTH,
    X86_SIZE_LENGTHS,
    X86_SIZE_PAGES,
    X86_SIZE_BITS,
    X86_SIZE_STRING,
    X86_SIZE_STRINGS,
    X86_SIZE_NAME,
    X86_SIZE_TEXT,
    X86_SIZE_QUEUED,
    X86_SIZE_HANDLE,
    X86_SIZE_VECTOR,
    X86_SIZE_OWN,
    X86_SIZE_MESSAGE,
    X86_SIZE_MESSAGES,
    X86_SIZE_SENT,
    X86_SIZE_XATTR,
    X86_SIZE_REGSET,
    X86_SIZE_SEMAPHORES,
    X86_SIZE_IFCONF,
    X86_SIZE_FIEMAP,
    X86_SIZE_DEDUPE,
    X86_SIZE_SCAN,
    X86_SIZE_FILL,
    X86_SIZE_CHILD,
    X86_SIZE_CHILD_ARGS,
    X86_SIZE_UNKNOWN,
} x86_size;

/* One pointer among the arguments, the argument that is a command, or something else to be known. */
typedef struct x86_pointer {
    uint8_t argument; /* from 1 */
    uint8_t way;      /* an x86_way; NO_WAY: there are no more */
    uint8_t size;     /* an x86_size; of a command: how far it is shifted */
    uint8_t of;       /* the argument that the size is about; 0: none */
    uint32_t n;       /* bytes, each; of a command: its mask; of KEPT: an x86_kept; of flags without an argument: they themselves */
} x86_pointer;

enum { X86_MAX_POINTERS = 6, X86_MAX_COMMAND_POINTERS = 2, X86_N_ARGUMENTS = 6 };

typedef struct x86_call_row {
    uint8_t is_known;
    uint8_t border; /* an x86_border */
    uint8_t waits;  /* an x86_waits */
    uint8_t timeout; /* the argument that says for how long; 0: none does */
    uint8_t maps, fds, files;
    x86_pointer pointers[X86_MAX_POINTERS];
} x86_call_row;

typedef struct x86_command_row {
    uint32_t call, command;
    uint8_t fds, files;
    x86_pointer pointers[X86_MAX_COMMAND_POINTERS];
} x86_command_row;

/* NULL: nobody knows it (KC2). */
const x86_call_row *x86_call_row_of(uint64_t number);
const x86_command_row *x86_command_row_of(uint64_t number, uint32_t command);

/* The first of its words of that way; NULL: there is none, or no row. */
const x86_pointer *x86_call_word(const x86_call_row *row, x86_way way);

/* Where the bytes are that it writes or sends by the descriptor in its first argument, as many as its result says: COUNT, VECTOR or MESSAGE.  NULL: it does nothing of the
 * kind, or the kernel has them already. */
const x86_pointer *x86_call_source(const x86_call_row *row);

/* Whether it takes bytes from where the descriptor in its first argument stands, as many as its result says. */
bool x86_call_takes(const x86_call_row *row);

/* Whether it goes to a place in the file of its own, PLACED, in *at: not to where its descriptor stands.  The arguments go up to that one at least. */
bool x86_call_is_placed(const x86_call_row *row, const uint64_t *arguments, uint64_t *at);

/* Reads 8 bytes of the program's memory. */
typedef bool x86_read_word(void *self, uint64_t at, uint64_t *word);
/* With which flags of open(2) a call opens; false: the row says nothing of them, or they can't be read.  `read` may be NULL. */
bool x86_call_flags(uint64_t number, const uint64_t *arguments, x86_read_word *read, void *self, uint64_t *flags);

/* The register, in the CPU's numbering, that has argument k (from 1). */
unsigned x86_argument_register(unsigned k);

#endif
