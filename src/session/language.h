/* language.h - what differs between a C and a Java program, as one table of functions.
 *
 * A session's common half knows moves, breakpoints with their conditions, counts and commands, watchpoints, catchpoints,
 * displays, settings, signals, the numbers of threads and of values, and the listing of source text.  What a frame, a
 * place in the code, a value and an expression are, and how a step goes, is the language's: session/c/ over symbols/ and
 * expr/'s C evaluator, session/java/ over jvm/remote/ and expr/'s Java evaluator.  The program that is debugged chooses
 * the table (ses_set_program); nothing in the common half asks which one it is.
 *
 * LA1  every entry is there: what means nothing in a language answers one clear line;
 * LA2  a kept value (printed ones, convenience variables, watchpoints) remembers whose it is, and only that language looks
 *      into it. */
#ifndef EBB_SESSION_LANGUAGE_H
#define EBB_SESSION_LANGUAGE_H

#include "session/back/back.h"
#include "session/parts.h"
#include "session/state.h"
#include "session/time.h"
#include "session/where.h"
#include "time/recording_about.h"

/* What printf wants of an argument. */
typedef struct ses_argument {
    enum { SES_ARGUMENT_INTEGER, SES_ARGUMENT_REAL, SES_ARGUMENT_STRING } kind;
    unsigned nbytes;    /* INTEGER: how wide */
    bool is_signed;
    uint64_t bits;      /* INTEGER: extended to 64 bits as its sign says */
    long double real;   /* REAL */
    ebb_buf *string;    /* STRING: appended to */
} ses_argument;

enum { SES_FRAME_CODE = 8 };

typedef struct ses_code {
    machine_code *steps; /* the arena's */
    size_t n;
} ses_code;

ses_code ses_code_of(ebb_arena *arena, const machine_code *steps, size_t n); /* a copy: condition.c */

struct ses_language {
    const char *name;
    const char *recorded_by; /* the machine that a recording of such a program names (ebb_about.machine) */
    bool code_comes_later;   /* code is loaded as it is needed: a place that isn't known yet just waits */
    bool counts_time;        /* always, not only in some mode */
    bool bounds_recordings;  /* a recording can keep the newest part only */
    bool records_modules;    /* the program and its libraries lie in the recording */
    bool code_is_of_its_moment; /* in the past, too, the session looks which code is loaded after each move; else whatever was ever loaded is known */
    bool has_launcher;       /* args[0] is another program, which finds the user's by the other arguments */
    bool frames_grow_down;   /* a frame whose identity has a greater cfa is further out */
    bool steps_find_callbacks; /* a step into code that isn't shown stops in what that calls; else it passes all of it */
    unsigned traits;         /* 1 << ses_trait */
    unsigned catches;        /* 1 << ses_bp_kind: the events that exist here */
    unsigned catches_live_only; /* of these: what is not met in the past */

#define SES_OWN(name, parameters, arguments) ebb_status(*name) parameters;
#include "session/language.def"
#undef SES_OWN

    /* ---- beginning and ending ---- */
    /* Checks args[0] and reads what can be known before it runs; *path is the caller's to free. */
    ebb_status (*open_program)(session *s, char *const *args, char **path, ebb_error *err);
    /* The same for a recording: what has to be started here to replay it. */
    ebb_status (*open_recording)(session *s, const ebb_about *about, char **path, ebb_error *err);
    ebb_status (*launch)(session *s, machine **m, ebb_error *err);
    ebb_status (*start)(session *s, ses_stop *stop, ebb_error *err);
    void (*apply_settings)(session *s); /* those that a running machine has to know */
    void (*mode_changed)(session *s, ses_mode before); /* the session's mode is another; a machine that has one way only stays as it is */
    /* Follows the code that was loaded and unloaded; true if places have to be found anew. */
    bool (*sync_code)(session *s);
    /* Says to the machine what code the breakpoints wait for. */
    void (*await_code)(session *s);
    void (*ended)(session *s); /* the machine is still there, but nothing moves any more */
    void (*after_end)(session *s); /* the program is gone, its history is there (TV2) */

    /* ---- frames ---- */
    ebb_status (*stack_begin)(session *s, ebb_error *err); /* makes the stack ready for its innermost frame */
    void (*stack_extend)(session *s);                      /* adds a physical frame, or ends the stack */
    uint64_t (*frame_entry)(session *s, const ses_frame *frame); /* see ses_frame_id */
    bool (*caller_of)(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller); /* ses_caller_of */

    /* ---- stepping back (back/back.h) ---- */
    /* The frames from `first` on outward, at most n; answers how many there are. */
    size_t (*activations)(session *s, machine_tid thread, unsigned first, ses_activation *out, size_t n);
    bool (*row_at)(session *s, machine_place place, unsigned inlined, ses_row *row); /* ses_row_at */
    /* The places at which a line begins in the function that `place` is in, as far as a step may stop there. */
    ebb_status (*line_starts)(session *s, machine_place place, ses_places *out, ebb_error *err);
    bool (*is_shown)(session *s, machine_place place); /* a person steps through it: it has lines, and isn't passed */
    /* Where a step stops in the function that it came into and that is at `place` now; 0: it passes that. */
    machine_place (*entry_stop)(session *s, machine_place place);
    /* The first places of all functions that a person steps through, as far as they are there. */
    ebb_status (*own_entries)(session *s, ses_places *out, ebb_error *err);
    /* The condition that a thread which stands at `place` is in the frame with that identity, for machines that don't know frames: where
     * it can be said in code, *n steps of it (SES_FRAME_CODE at most); else 0. */
    size_t (*frame_code)(session *s, uint64_t frame, machine_place place, machine_code code[SES_FRAME_CODE]);
    /* One line about a frame that no call made, for who wants to go back to the call. */
    ebb_status (*no_call)(session *s, const ses_frame *frame, ebb_error *err);
    /* One thread may go back while the others stay: whether the user wants that, and to where `move`, which goes back with all, finds
     * the selected one. */
    bool (*goes_alone)(session *s);
    ebb_status (*back_alone)(session *s, ses_move_back *move, const void *how, ses_stop *stop, ebb_error *err);

    const struct ses_counting *counting; /* counted.h: programs that count time by themselves */

    /* ---- threads and words ---- */
    bool (*is_helper_thread)(session *s, machine_tid tid); /* the machine's own, not the program's */
    void (*thread_words)(session *s, machine_tid tid, ebb_buf *text);
    void (*place_words)(session *s, machine_place place, bool to_instruction, ebb_buf *text);

    /* ---- places in the code ---- */
    ebb_status (*where_here)(session *s, ebb_arena *arena, ses_where *where, ebb_error *err);
    ebb_status (*where_parse)(session *s, ebb_arena *arena, const char *text, ses_where *where, ebb_error *err);
    ebb_status (*where_spots)(session *s, const ses_where *where, sym_spots *spots, ebb_error *err);
    /* How a spot is written where it has no address; interned; NULL: it has. */
    const char *(*spot_name)(session *s, const sym_spot *spot);
    /* The source line that a place other than a line is on, for `list`. */
    ebb_status (*where_line)(session *s, ebb_arena *arena, const ses_where *where, const char **file, unsigned *line, ebb_error *err);
    uint64_t (*function_of)(session *s, machine_place place); /* the same for all places of one function */
    /* The function that the frame is in, in words that are no other's, and its own in the next run, too; NULL: it has no name.  Where code
     * comes later, they can be parsed as a place.  free() */
    char *(*function_words)(session *s, const ses_frame *frame);
    bool (*main_line)(session *s, const char **file, unsigned *line);
    bool (*is_before_main)(session *s); /* what runs is a launcher's code, and not the program's own yet */
    /* The full name of a source file that the user named; and the name that it is shown by. */
    ebb_status (*source_file)(session *s, ebb_arena *arena, const char *name, const char **file, ebb_error *err);
    const char *(*source_name)(session *s, const char *file);

    /* ---- expressions and values ---- */
    ebb_status (*check_expression)(session *s, const char *expression, ebb_error *err); /* makes sense here */
    ebb_status (*check_condition)(session *s, const char *condition, const sym_spots *spots, ebb_error *err); /* there */
    /* A condition as the machine executes it at that spot (machine/code.h).  EBB_UNSUPPORTED: it can't, and err->text says what the
     * condition does that it can't ("calls a method"), or is empty; EBB_NOT_FOUND: not yet, since a class is missing. */
    ebb_status (*condition_code)(session *s, ebb_arena *arena, const char *condition, const sym_spot *spot, ses_code *code, ebb_error *err);
    ebb_status (*parse)(session *s, ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err);
    ebb_status (*parse_prefix)(session *s, ebb_arena *arena, const char *text, const char **rest, ebb_error *err);
    ebb_status (*truth)(session *s, const expr_node *tree, bool *truth, ebb_error *err);
    ebb_status (*argument)(session *s, ebb_arena *arena, const char *expression, ses_argument *argument, ebb_error *err);
    /* What a watchpoint looks at, whatever that is; location: `watch -l`, the place that the expression names now. */
    ebb_status (*watch_aim)(session *s, const char *expression, bool location, void **target, ebb_error *err);
    ebb_status (*watch_value)(session *s, const void *target, void **kept, ebb_error *err); /* notes what it reads */
    /* What it was before, where the machine's stop tells that better than what was seen last; NULL: it doesn't. */
    char *(*watch_before)(session *s, const void *target);
    /* Whether what a search lists of a write tells the target's value, and whether it takes pictures for that (machine_search.depth). */
    bool (*watch_is_told)(session *s, const void *target, bool *is_reference);
    /* That value, without looking at the debuggee.  *text is NULL if the target wasn't there then; caller frees.  EBB_UNAVAILABLE: the picture
     * lacks something. */
    ebb_status (*watch_text)(session *s, const void *target, const machine_listed *hit, char **text, ebb_error *err);
    bool (*watch_is_static)(const void *target); /* it is a class's, not an object's */
    bool (*watch_is_of_all)(const void *target); /* it is that field of all objects: a condition is about the one that is written, there */
    bool (*watch_survives)(const void *target); /* it makes sense in the next debuggee, too */
    void (*watch_drop)(void *target);
    bool (*value_same)(const void *a, const void *b);
    /* Whether a value that was looked at is what stands in these bytes, or that field, whatever else was read on the way there. */
    bool (*value_is_at)(const void *value, uint32_t space, uint64_t addr, size_t nbytes);
    /* Which bits of these bytes, at most 8, the value is, which is a bit-field in them; 0: it is none. */
    uint64_t (*value_bits)(const void *value, uint64_t addr, size_t nbytes);
    char *(*value_text)(session *s, const void *value); /* caller frees */
    void *(*value_of_int)(session *s, int64_t number);
    void (*value_drop)(void *value);

    /* Follows the value of an expression back to where it was made, moving the debuggee as it likes (origin.h). */
    ebb_status (*origin_follow)(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err);

    /* As far as the program itself knows: all of it, or nothing.  The debuggee does not move. */
    ebb_status (*origin_remembered)(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err);
    /* The same for all values that the place has had, as it lists them when it is watched, oldest first. */
    ebb_status (*values_remembered)(session *s, ebb_arena *arena, const char *expression, ses_remembered_values *out, ebb_error *err);

    /* The same as origin_follow for the ways of an object, and for reasons. */
    ebb_status (*flow_follow)(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err);
    ebb_status (*flow_remembered)(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err);
    ebb_status (*why_follow)(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err);

    /* How much the program itself keeps of the ways of its values. */
    ebb_status (*aliases_info)(session *s, ses_aliases_info *out, ebb_error *err);

    /* ---- what the program printed ---- */
    /* By now: the newest bytes of it are added, and *total is how many there were. */
    ebb_status (*printed_by_now)(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err);

    /* ---- schedules ---- */
    /* The thread schedule of the execution up to now, into a file. */
    ebb_status (*save_schedule)(session *s, const char *path, ebb_error *err);

    /* ---- system calls ---- */
    long (*syscall_number)(const char *name); /* -1: there is none */
    const char *(*syscall_name)(long number); /* NULL: it has none */

    /* ---- exceptions ---- */
    bool (*is_exception_of)(session *s, const char *class_name, uint64_t object);
    void (*exception_words)(session *s, uint64_t object, ebb_buf *text);
    void *(*exception_value)(session *s, uint64_t object); /* kept: $_exception; NULL if it can't be */
    bool (*exception_here)(session *s, char **type, char **message); /* see ses_exception_here */
};

extern const ses_language ses_language_c, ses_language_java;
enum { SES_N_LANGUAGES = 2 };
extern const ses_language *const ses_languages[SES_N_LANGUAGES];

#define SES_OWN(name, parameters, arguments)                                                       \
    ebb_status ses_c_##name parameters;                                                            \
    ebb_status ses_java_##name parameters;
#include "session/language.def"
#undef SES_OWN

#endif
