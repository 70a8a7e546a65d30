/* state.h - what a session is made of; seen by session/ only.
 *
 * Each part has one file that changes it, named beside it; the others read.  The parts outlive the
 * debuggee except where a comment says that they are forgotten at the next move. */
#ifndef EBB_SESSION_STATE_H
#define EBB_SESSION_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/check.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/session.h"
#include "session/settings.h"
#include "session/skip.h"
#include "time/bookmarks.h"

#include <signal.h>

typedef struct ses_language ses_language; /* language.h */

typedef EBB_VEC(char *) ses_strings; /* owned */
void ses_strings_clear(ses_strings *strings);

/* ---- stack.c: the frames of the selected thread; forgotten at the next move -------------------- */

/* Which invocation of which function: equal ids are the same frame, however it was reached. */
typedef struct ses_frame_id {
    uint64_t cfa;    /* 0: no frame */
    uint64_t entry;  /* of the concrete function or ELF symbol; the pc's page where there is neither */
    unsigned inlined; /* how many inlined calls deep within it */
} ses_frame_id;

typedef struct ses_stack {
    machine_tid thread;         /* whose frames these are; 0: nothing is known yet */
    ebb_arena arena;            /* holds the frames */
    EBB_VEC(ses_frame *) frames;
    EBB_VEC(unsigned) first;    /* level of the innermost frame of the n-th physical frame */
    sym_frame next;             /* the physical frame after the last one */
    bool has_next;
    const char *stop_reason;    /* of the arena; NULL if unwinding ended as it should */
    bool skip_known;
    unsigned skipped;           /* inlined frames at the pc that were not entered yet */
} ses_stack;

/* ---- threads.c ---------------------------------------------------------------------------------- */

typedef struct ses_thread_record {
    unsigned number;
    machine_tid tid;
    bool is_helper;     /* the machine's own, not the program's: comes and goes quietly */
    int pending_signal; /* it stopped for this one, which is passed on when it runs again */
} ses_thread_record;

/* ---- modules.c ---------------------------------------------------------------------------------- */

typedef struct ses_module_record {
    char *path;
    char *file;            /* owned; where its bytes are (machine_module.file) */
    uint64_t bias, lo, hi;
    int64_t mtime_ns;      /* of the file when its symbols were read */
    sym_module *symbols;   /* NULL if they could not be read */
    bool seen;             /* during a comparison with the machine's list */
} ses_module_record;

/* ---- breakpoints.c ------------------------------------------------------------------------------ */

typedef struct ses_watch_state ses_watch_state; /* watch.c */
typedef struct ses_catch_state ses_catch_state; /* catch.c */

/* What became of a condition as code (condition.h): the machine has it, it can't be made, or it may be later. */
typedef enum ses_code_state { SES_CODE_NONE, SES_CODE_TOLD, SES_CODE_NEVER, SES_CODE_LATER } ses_code_state;

typedef struct ses_bp_place {
    machine_point_id point;    /* 0: not in the machine */
    ses_code_state code;       /* of the condition, in that point */
    unsigned n_slow_hits;      /* that were tested by the session because code may be LATER */
    ebb_arena condition_arena; /* holds the tree below */
    const expr_node *condition; /* parsed where the place is; NULL: not yet */
} ses_bp_place;

typedef struct ses_bp {
    ses_breakpoint view;      /* what the outside sees; its texts are owned here */
    EBB_VEC(ses_bp_location) locations;
    EBB_VEC(ses_bp_place) places; /* as many, in the same order */
    char *default_file;       /* of "42": the file that was meant when it was typed */
    char *meant;              /* of "add", where code comes later: the method that was found when it was typed; NULL: as it was typed */
    bool why_said;            /* why it will never be found */
    bool at_address;          /* "*EXPR": the address was computed once and moves with its module */
    char *module_path;        /*   of which module, and where in it */
    uint64_t module_offset;
    bool is_position;         /* "TIMESTAMP@WHERE": no point of the machine, but a moment that moves stop at */
    uint64_t time;
    bool slow_said;           /* condition.c: that its condition costs a stop for each hit; */
    unsigned ignore_told;     /*   what is left of the ignore count that the machine was told, */
    machine_point_id ignore_point; /* and for which points: the first of them */
    ses_watch_state *watch;   /* WATCH, RWATCH, AWATCH */
    ses_catch_state *catch_;  /* CATCH_* */
} ses_bp;

/* ---- printed.c ---------------------------------------------------------------------------------- */

/* A value that outlives its evaluation; what it is, only its language knows. */
typedef struct ses_held {
    const ses_language *language;
    void *value; /* owned */
} ses_held;

/* ---- data --------------------------------------------------------------------------------------- */

typedef struct ses_display_record {
    int number;
    char *expression, *format_text;
    bool enabled;
    char *locals; /* ses_locals_named, where it was made: elsewhere the same names mean others */
} ses_display_record;

typedef struct ses_source_file ses_source_file; /* source.c */
typedef struct ses_image ses_image;             /* image.c */

/* counted.h: what runs of a program that counts its time have shown. */
typedef struct ses_counted_runs {
    uint64_t seen;               /* the greatest timestamp of the main thread at which one was seen */
    EBB_VEC(ebb_position) trail; /* counted/trail.c: ticks at which the main thread was stopped, in no order */
    bool differs;                /* a run left the trail, which was said; once a question */
} ses_counted_runs;

struct session {
    ses_listener listener;
    const ses_language *language;        /* of the program; C's as long as there is none */
    struct ses_java *java;               /* java/java.h: what only a Java program has; NULL if it never was one */
    volatile sig_atomic_t interrupted; /* ses_interrupt was called since the command began, or the last move ended */
    ebb_interrupts interrupts;         /* the same for the timeline */
    unsigned n_travels;                /* travel.h: that are under way, one within the other */

    ses_counted_runs counted_runs;
    bool counts_itself;                /* c/counted.c: the program that is to be run was seen to */
    bool is_again;                     /* counted.c: a run on the way to a position */
    uint64_t counted_stop;             /* java/counted.c: the timestamp that the next moves stop at; 0: none */

    /* launch.c: what to run */
    char *program;          /* path; NULL if none */
    ses_strings args;       /* args[0] included */
    char *shell_args;       /* what a shell is to make of the arguments; NULL: `args` are the words themselves */
    ses_strings environment; /* NAME=value; meaningful if has_environment */
    bool has_environment;

    /* the debuggee: launch.c begins it, ending.c ends it */
    machine *machine;       /* NULL if nothing runs */
    ebb_timeline *timeline;
    bool attached;
    bool doubt_told; /* travel.c: what may be wrong with this program's history */
    bool in_scratch; /* c/scratch.c: an expression about the past has changed something, in a copy */
    unsigned n_expressions; /* that are being evaluated, one within the other */
    pid_t live_pid; /* travel.c: the program's own, as it was when the past was entered */
    bool has_ended;         /* there was one, and it is gone */
    int exit_code;          /* -1 if none exited */
    ses_stop last_stop;     /* owns the texts that the front end borrows (SE3) */

    sym_table *symbols;                  /* modules.c */
    EBB_VEC(ses_module_record) modules;
    EBB_VEC(ses_module_record) retired;  /* not in the debuggee now; values may still be of their types */
    ebb_map *warned_about;               /* c/modules.c: paths of files that the user was told about; NULL until needed */
    ses_image *image;                    /* the program's file, read before it runs */

    EBB_VEC(ses_thread_record) threads;  /* threads.c */
    EBB_VEC(ses_thread_record) past_threads; /* those that aren't there now, where there is a way back */
    unsigned last_thread_number;
    uint64_t snapshots_auto; /* snapshots.c: what `auto` means for this program; 0: not found out yet */
    unsigned n_own_threads;              /* how many there ever were that are no helpers */
    ses_mode mode;
    machine_tid thread;                  /* selected; 0 if none */
    unsigned level;                      /* selected frame */
    machine_tid stop_thread;             /* which one the last stop was about */
    machine_stop at;                     /* move.c: what the machine said last */
    bool show_all_inlined;               /* the last move was by instruction: no frame is skipped */
    ses_stack stack;

    EBB_VEC(ses_bp *) breakpoints;       /* breakpoints.c; in order of number */
    int last_bp_number;

    EBB_VEC(ses_held) printed;           /* printed.c */
    ebb_map *macros;                     /* c/macros.c: the user's own; NULL until there is one */
    ebb_map *convenience;                /* convenience.c: name -> ses_held */
    expr_world world;                    /* c/world.c */
    struct ses_scope {                   /* where names are looked up instead of the frame */
        bool is_set;
        bool has_no_frame;               /* no variable of a frame is meant, whichever is selected */
        uint64_t pc;
    } scope;
    bool never_records;                  /* history_info.c: no history is wanted */
    bool verifies;                       /* hashes of its states are recorded too */
    char *recording;                     /* where it is recorded to; NULL: nowhere that stays */
    char *recording_folder;              /* where other processes of the program are recorded to; NULL: they are not */
    uint64_t recording_bound;            /* bytes of it that are kept, about; 0: all */
    char *replay;                        /* the recording that is opened; NULL: the program is run */
    ebb_bookmarks *bookmarks;            /* bookmarks.c; NULL: there are none */
    ebb_progress *progress;              /* history_info.c: who wants to see how long work goes on */
    void *progress_self;
    unsigned events_requested;           /* java/requests.c: bit per machine_event that a request is about */
    bool is_alone;                       /* where one thread was is looked for: what stops others doesn't count */
    bool is_judging;                     /* back/search.c: a stop is only looked at: nothing is counted, deleted or said */
    char *complaint;                     /* while judging: why a condition could not be tested */
    struct ses_reads *reads;             /* watch.c: notes what an evaluation reads; NULL: nobody asks */
    struct ses_before {                  /* watch.c: memory that evaluations find as it was before it was written; nbytes 0: none */
        uint64_t addr;
        size_t nbytes;
        uint64_t word;
    } before;

    EBB_VEC(ses_skip) skips;             /* skip.c */
    int last_skip_number;
    EBB_VEC(ses_display_record) displays; /* display.c */
    int last_display_number;

    char **settings;                     /* settings.c: by index into the table */
    uint8_t *signal_policy;              /* signals.c: by signal number */
    ebb_map *register_types;             /* register_types.c: name -> sym_type */

    ebb_map *names;                      /* session.c: interned texts, for pointers that outlive a module */
    ebb_map *sources;                    /* source.c: path -> ses_source_file */
    struct ses_kept_sources *kept_sources; /* kept_sources.c; NULL until one is looked for */
    EBB_VEC(struct ses_edit {            /* edits.c */
        uint32_t space;
        uint64_t addr;
        ebb_position at;
        char *old; /* owned */
    }) edits;
    EBB_VEC(ebb_position) links;         /* links.c */
    ebb_map *archives;                   /* archives.c: path -> what is known of it; NULL until one is needed */
    struct {                             /* list.c */
        char *file;                      /* the current source file; NULL if unknown */
        unsigned first, last;            /* lines last shown; 0 if none yet */
        unsigned next;                   /* the first line of the next plain list */
        bool fresh;                      /* nothing was listed since the place last changed */
    } list;
    struct {                             /* examine.c: what carries over to the next `x` */
        uint64_t addr;
        char letter, size;
        bool has_addr;
        long count;
        uint64_t last_addr;              /* of the last unit that was shown */
    } examine;
    int n_calls;                         /* call.c: calls of debuggee functions under way */
};

/* session.c */
void ses_say(session *s, ses_notice_kind kind, machine_tid thread, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool ses_has_debuggee(const session *s); /* it runs and stands still; after its end only its history is there */
ebb_status ses_need_debuggee(session *s, ebb_error *err) EBB_MUST_CHECK;
void ses_stop_fini(ses_stop *stop);
const char *ses_intern(session *s, const char *text); /* good as long as the session */

#endif
