/* java.h - Java's half of a session, over the remote machine (jvm/remote/remote.h) and Java's expressions (expr/java.h).
 *
 * Classes come as the program runs, so nearly every name may mean nothing yet: a breakpoint waits for the classes or the
 * source file it names (classes.c tells the machine which), and its places are found again whenever one of them is linked.
 *
 * Frames are the machine's own.  Those that the JDK hides from stack traces (the insides of lambdas and method handles)
 * are left out of backtraces, so a frame's level isn't its depth in the machine: that one is ses_frame.depth.
 *
 * JV1  method calls in an expression run in a throw-away copy of the debuggee (`set java-calls live` runs them for real);
 *      an assignment is always done in the debuggee itself;
 * JV2  the types of expr/java.h live as long as the debuggee: a kept value of an earlier one keeps its text, not its object. */
#ifndef EBB_SESSION_JAVA_JAVA_H
#define EBB_SESSION_JAVA_JAVA_H

#include "expr/java.h"
#include "jvm/remote/remote.h"
#include "session/language.h"

/* A type as the evaluator sees it; interned, so that equal types are one pointer. */
struct java_type {
    const char *descriptor; /* "I", "Ljava/lang/String;", "[[I"; "null" */
    const char *name;       /* "int", "java.lang.String", "int[][]" */
    java_kind kind;
    const java_class *info; /* CLASS, INTERFACE; an ARRAY has none */
    const java_type *element;   /* ARRAY */
    java_member *fields, *methods; /* made when they are asked for */
};

typedef struct ses_java_far ses_java_far; /* far.c */

typedef struct ses_java_lambda {
    java_ref ref;        /* the object that stands for it */
    java_lambda *lambda; /* the evaluation's */
} ses_java_lambda;

typedef struct ses_java {
    /* launch.c: from the launcher's arguments */
    ses_strings roots;     /* directories of the class path, and those that jars of it lie in */
    ses_strings jars;      /* of the class path */
    ses_strings source_jars; /* archives beside its jars that sources may be in */
    char *class_path;      /* as java.class.path has it */
    char *directory;       /* in which it begins, and its relative names are looked up */
    char *main_class;      /* as named on the command line; NULL if that doesn't tell */
    char *main_source;     /* of a source file that the launcher compiles itself; NULL: it is none */
    bool is_script;     /* the program is one, which begins a launcher sooner or later */
    unsigned run;          /* counts debuggees: JV2 */

    /* types.c; forgotten with the debuggee */
    ebb_arena arena;
    ebb_map *types_by_class;      /* serial -> java_type */
    java_class_ids seen_in_copy;  /* classes whose types were made while calling: they may be of the copy alone */
    ebb_map *types_by_descriptor; /* of primitives, null, void, arrays ("[" and the element's pointer) */

    java_world world;      /* world.c */
    bool is_calling;       /* an evaluation began a scratch copy */
    java_ref thrown;       /* what the last call threw; in that copy */
    EBB_VEC(ses_java_lambda) lambdas; /* lambdas.c: of that copy */
    unsigned lambda_depth; /* of those that run */
    ebb_error lambda_error; /* why the first of them that failed did; its status is EBB_OK: none did */
    ses_java_far *far;     /* far.c: where the program is, if that isn't here; NULL */
    struct ses_java_requests *requests; /* requests.c; NULL: there are none */
    struct ses_java_apart *apart; /* apart.c: a thread went back alone; NULL */
    char *flow_told;       /* flow_settings.c: what the machine was told, and which process; NULL: nothing */
    struct ses_java_search *starting; /* launch.c: `start` is on its way to main; NULL: no */
} ses_java;

ses_java *ses_java_new(session *s);
void ses_java_free(ses_java *java); /* NULL is fine */

void ses_java_requests_free(ses_java *java); /* requests.c */

/* lambdas.c */
ebb_status ses_java_new_lambda(void *self, const java_type *interface, java_lambda *lambda, uint64_t *ref, ebb_error *err) EBB_MUST_CHECK;
void ses_java_lambdas_forget(ses_java *java);
/* world.c: a word as a value of that type.  A value whose static type's class isn't loaded has the type of the object itself, or null's. */
ebb_status ses_java_typed(session *s, const char *descriptor, java_word word, java_value *value, ebb_error *err) EBB_MUST_CHECK;

/* launch.c */
ebb_status ses_java_open_program(session *s, char *const *args, char **path, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_open_recording(session *s, const ebb_about *about, char **path, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_launch(session *s, machine **m, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_start(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool ses_java_start_sync(session *s); /* classes came while `start` is on its way */
void ses_java_apply_settings(session *s);
/* The words of a setting that is a list; they live in the arena. */
ses_name_list ses_java_words_of(session *s, ebb_arena *arena, const char *setting);
void ses_java_apply_flow(session *s); /* flow_settings.c */
ebb_status ses_java_aliases_info(session *s, ses_aliases_info *out, ebb_error *err) EBB_MUST_CHECK;
void ses_java_ended(session *s);

ebb_status ses_java_begin(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* to main, without a word */
extern const struct ses_counting ses_java_counting; /* counted.c */

/* What the launcher is given, on this computer; its texts are borrowed from the session but for the option. */
typedef struct ses_java_command {
    jvm_remote_launch how;
    char *option;
    ses_strings args, environment;
} ses_java_command;
bool ses_java_is_stock(session *s); /* it runs, or is going to run, on the launcher's own JVM */
ebb_status ses_java_command_init(session *s, ses_java_command *command, ebb_error *err) EBB_MUST_CHECK;
void ses_java_command_fini(ses_java_command *command);

/* far.c */
ebb_status ses_java_far_take(ses_java *java, jvm_far **out, ebb_error *err) EBB_MUST_CHECK; /* a connection for one program */
void ses_java_far_free(ses_java *java); /* the program is here again */

/* classes.c: classes and methods as users name them */
bool ses_java_sync_code(session *s);
void ses_java_await_code(session *s);
/* The classes that a user means by that name: full, or without its package, inner classes with '.' or '$'. */
ebb_status ses_java_classes(session *s, const char *name, java_class_ids *out, ebb_error *err) EBB_MUST_CHECK;
java_class_id ses_java_scope_class(session *s); /* of session.scope if that is set, else of the selected frame; 0 if there is none */
const java_method *ses_java_method(session *s, machine_place place, const java_class **cls); /* NULL if unknown */
/* "Main.add", or "Main.add(int, String)" */
char *ses_java_method_name(session *s, ebb_arena *arena, machine_place place, bool with_parameters);
const char *ses_java_simple_name(const char *name); /* after the last '.' */
/* The descriptor at *at as Java writes it ("int[]", "java.lang.String"); *at goes after it. */
void ses_java_type_words(const char **at, ebb_buf *text);
const char *ses_java_next_type(const char *at); /* what follows the first type of a descriptor */
/* How many slots a parameter or local of that type takes. */
unsigned ses_java_slots_of(char type);

/* places.c: places in the code, lines */
typedef struct ses_java_line {
    unsigned line;
    machine_place lo, hi; /* of its row in the method's table */
} ses_java_line;
bool ses_java_line_at(session *s, machine_place place, ses_java_line *line);
/* Where a row does, or a loop goes on within one: `for (X x : xs)` is come back to from its body. */
bool ses_java_begins_line(session *s, machine_place place);
void ses_java_place_words(session *s, machine_place place, bool to_instruction, ebb_buf *text);
ebb_status ses_java_where_here(session *s, ebb_arena *arena, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_where_line(session *s, ebb_arena *arena, const ses_where *where, const char **file, unsigned *line, ebb_error *err) EBB_MUST_CHECK;
/* The class or source file that a place waits for; NULL: none by name.  The arena's. */
const char *ses_java_where_awaits(session *s, ebb_arena *arena, const ses_where *where);

/* source.c */
const char *ses_java_source_around(session *s, const char *relative); /* "demo/Main.java", where it lies around the class path; NULL: nowhere */
const char *ses_java_source_of(session *s, const java_class *cls); /* its path if it is found, else as its package says; NULL unknown */
bool ses_java_main_line(session *s, const char **file, unsigned *line);
bool ses_java_is_before_main(session *s);
ebb_status ses_java_source_file(session *s, ebb_arena *arena, const char *name, const char **file, ebb_error *err) EBB_MUST_CHECK;
const char *ses_java_source_name(session *s, const char *file);

/* frames.c */
ebb_status ses_java_stack_begin(session *s, ebb_error *err) EBB_MUST_CHECK;
void ses_java_stack_extend(session *s);
uint64_t ses_java_frame_entry(session *s, const ses_frame *frame);
bool ses_java_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller);

/* back.c */
size_t ses_java_activations(session *s, machine_tid thread, unsigned first, ses_activation *out, size_t n);
bool ses_java_row_at(session *s, machine_place place, unsigned inlined, ses_row *row);
ebb_status ses_java_line_starts(session *s, machine_place place, ses_places *out, ebb_error *err) EBB_MUST_CHECK;
bool ses_java_is_shown(session *s, machine_place place);
machine_place ses_java_entry_stop(session *s, machine_place place);
ebb_status ses_java_no_call(session *s, const ses_frame *frame, ebb_error *err);
ebb_status ses_java_save_schedule(session *s, const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_own_entries(session *s, ses_places *out, ebb_error *err) EBB_MUST_CHECK;

/* apart.c */
typedef struct ses_java_apart ses_java_apart;
bool ses_java_is_independent(session *s); /* the setting */
/* The selected thread alone goes back to where `move`, which goes back with all, finds it. */
ebb_status ses_java_back_alone(session *s, ses_move_back *move, const void *how, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void ses_java_rejoin(session *s);       /* to the moment at which the threads parted; if they did */
void ses_java_apart_forget(ses_java *java); /* with the debuggee */

/* threads.c */
void ses_java_thread_words(session *s, machine_tid tid, ebb_buf *text);
bool ses_java_is_helper_thread(session *s, machine_tid tid);

/* vars.c */
/* The variable of that name in scope at the frame's place: false if there is none. */
typedef struct ses_java_variable {
    const char *name, *descriptor;
    unsigned slot;
    bool is_parameter;
} ses_java_variable;
typedef EBB_VEC(ses_java_variable) ses_java_variables;
/* Names are the arena's or the machine's.  A method without a table of variables has `this`, arg0, arg1, ... */
ebb_status ses_java_variables_of(session *s, ebb_arena *arena, const ses_frame *frame, ses_java_variables *out, ebb_error *err) EBB_MUST_CHECK;
/* Always EBB_NOT_FOUND, with what is known about a variable of that name: that it is in scope elsewhere in the method, say.  No text: nothing. */
ebb_status ses_java_no_variable(session *s, const ses_frame *frame, const char *name, ebb_error *err);

/* types.c */
const java_type *ses_java_type_named(session *s, const char *descriptor); /* java_world.type */
const java_type *ses_java_type_of_class(session *s, java_class_id id);     /* NULL if there is none */
const java_type *ses_java_type_of_object(session *s, java_ref object, ebb_error *err); /* its own class; NULL: err says why */
void ses_java_types_forget(ses_java *java);
void ses_java_types_forget_copy(session *s); /* the copy is gone, and with it the classes that it loaded */
java_value ses_java_value(const java_type *type, java_word word);
java_word ses_java_word(const java_value *value, char type);

/* world.c */
enum { SES_JAVA_ARRAY_BASE = 16 }; /* offset of an array's elements */
void ses_java_world_init(session *s);
void ses_java_world_end_calls(session *s); /* an evaluation is over: what it called is undone */

/* eval.c */
ebb_status ses_java_evaluate_text(session *s, ebb_arena *arena, const char *expression, java_value *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_check_expression(session *s, const char *expression, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_check_condition(session *s, const char *condition, const sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_parse(session *s, ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_parse_prefix(session *s, ebb_arena *arena, const char *text, const char **rest, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_truth(session *s, const expr_node *tree, bool *truth, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_argument(session *s, ebb_arena *arena, const char *expression, ses_argument *argument, ebb_error *err) EBB_MUST_CHECK;

/* condition_code.c */
ebb_status ses_java_condition_code(session *s, ebb_arena *arena, const char *condition, const sym_spot *spot, ses_code *code, ebb_error *err) EBB_MUST_CHECK;

/* values.c */
void *ses_java_keep(session *s, const java_value *value, const char *shown); /* shown: its text, where only that stays */
ebb_status ses_java_kept_value(session *s, const void *kept, java_value *value, ebb_error *err) EBB_MUST_CHECK;
bool ses_java_value_same(const void *a, const void *b);
char *ses_java_value_text(session *s, const void *value);
void *ses_java_value_of_int(session *s, int64_t number);
void ses_java_value_drop(void *value);

/* watch.c */
ebb_status ses_java_place_of(session *s, const char *expression, java_value *place, ebb_error *err) EBB_MUST_CHECK; /* which it names now */
char *ses_java_without_holder(const char *shown); /* of a field that is watched in every object: the value alone; caller frees */
ebb_status ses_java_watch_aim(session *s, const char *expression, bool location, void **target, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_watch_value(session *s, const void *target, void **kept, ebb_error *err) EBB_MUST_CHECK;
char *ses_java_watch_before(session *s, const void *target);
bool ses_java_watch_is_told(session *s, const void *target, bool *is_reference);
ebb_status ses_java_watch_text(session *s, const void *target, const machine_listed *hit, char **text, ebb_error *err);
bool ses_java_watch_is_static(const void *target);
bool ses_java_watch_is_of_all(const void *target);
bool ses_java_watch_survives(const void *target);
const char *ses_java_watch_awaits(const void *target); /* the class that it needs in the next run; NULL: it does not survive this one */
void ses_java_watch_drop(void *target);

/* catch.c */
bool ses_java_is_exception_of(session *s, const char *class_name, uint64_t object);
void *ses_java_exception_value(session *s, uint64_t object);
bool ses_java_exception_here(session *s, char **type, char **message); /* never: they pass no functions of a library */
void ses_java_exception_words(session *s, uint64_t object, ebb_buf *text); /* "java.lang.Error: why" */

#endif
