/* cli.h - the command line as a skin over a session.
 *
 * A line comes from an input (input.h), is matched against the table (command.h), its handler calls
 * verbs of the session and fills a reply (reply.h), and the reply is printed (output.h).  What is kept
 * here is only the state of the conversation: what to repeat, user-defined commands, when to leave.
 *
 * CL1  a command that fails says why in one line and changes nothing else of the conversation;
 * CL2  every line from the driver (prompt, -x, -e) is answered by exactly one reply or one error;
 *      what nested lines (source, while, thread apply) have to say comes before it;
 * CL3  nested lines go at most CLI_MAX_DEPTH deep. */
#ifndef EBB_FRONT_CLI_CLI_H
#define EBB_FRONT_CLI_CLI_H

#include "base/map.h"
#include "front/cli/command.h"
#include "front/cli/input.h"
#include "front/cli/reply.h"
#include "front/cli/terminal.h"
#include "front/cli/window.h"
#include "session/session.h"

enum { CLI_MAX_DEPTH = 64 };

typedef enum cli_loop { CLI_LOOP_ON, CLI_LOOP_BREAK, CLI_LOOP_CONTINUE } cli_loop;

/* Who hears what would be printed, where another skin carries command lines out. */
typedef struct cli_sink {
    void *self;
    void (*write)(void *self, bool is_complaint, const char *bytes, size_t nbytes);
} cli_sink;

struct cli {
    session *session;
    const cli_sink *sink; /* NULL: standard output and standard error */
    unsigned n_moves;     /* how often the debuggee has stopped */
    bool is_json, is_batch;
    bool tells_warnings_only; /* what it prints is the debuggee's alone: `ebb record` */
    bool in_is_terminal, out_is_terminal; /* a person types; a person reads */

    cli_input *input;  /* the top of the stack; NULL outside the driver */
    unsigned depth;    /* CL3 */
    cli_loop loop;     /* what loop_break and loop_continue asked for */
    bool is_repeating; /* an empty line brought the last one back */
    char *last_line;   /* what an empty line at the prompt does; NULL: nothing */
    char *follow_up;   /* commands of the breakpoints of the last stop, still to be run */
    bool in_follow_up;

    bool wants_quit;
    int exit_status;

    ebb_map *user;             /* name -> cli_user_command: script.h */
    ebb_map *aliases;          /* name -> char *, the line that the name stands for */
    struct cli_prompt *prompt; /* the line editor; NULL until a terminal is read from */
    const cli_text
        *pending_heading;      /* to be shown before the next reply that has text; NULL: none */
    char *missing_source;      /* the file of the last line that was to be shown, if it was not there; NULL: it was */
    unsigned last_search_line; /* where `search` found something; 0: nowhere */
    bool gave_up;         /* the person wants to see no more of this line: it ends, loops and all */
    bool error_is_placed; /* the error under way names its script and line */
    unsigned rows_of_terminal; /* what `height` was last set to on behalf of the terminal */
    bool was_interrupted;      /* Ctrl-C came during the last command, or ended its move: loops around it end, too */
    unsigned rows_shown;       /* since a person last pressed a key: paging */
    bool paging_off;           /* "c" was answered, until the next line */
    cli_terminal terminal;
    cli_window window;
    int log_fd;            /* logging.c: the descriptor and one; 0: what is said goes to no file */
    int64_t busy_since_ms;  /* the work under way began then */
    int64_t progress_at_ms; /* how far it is was last shown then; 0: it isn't shown */
    pid_t pid; /* of the debuggee that last ran: a stop that ends it names it */
};

void cli_init(cli *c);
void cli_fini(cli *c); /* ends the session with it */

/* Whether a person typed the line that is being carried out. */
bool cli_is_talking(const cli *c);

/* ---- carrying lines out (execute.c) ----------------------------------------------------------- */

/* One line, with everything that belongs to it.  Its reply has been printed when this returns; its
 * error has not. */
ebb_status cli_execute(cli *c, const char *line, ebb_error *err) EBB_MUST_CHECK;
/* Every line of an input, to its end, the first failure, or a wish to quit. */
ebb_status cli_execute_input(cli *c, cli_input *input, ebb_error *err) EBB_MUST_CHECK;
ebb_status cli_execute_text(cli *c, const char *name, const char *lines,
                            ebb_error *err) EBB_MUST_CHECK;
/* A file, which counts as nested: CL3. */
ebb_status cli_execute_file(cli *c, const char *path, ebb_error *err) EBB_MUST_CHECK;
/* An input whose lines are answered one by one; a failure ends it only if `until_failure`.  False if
 * one failed. */
bool cli_drive(cli *c, cli_input *input, bool until_failure);

/* ---- settings that the skin itself obeys ------------------------------------------------------ */

bool cli_setting_on(cli *c, const char *name, bool otherwise);
unsigned cli_setting_count(cli *c, const char *name, unsigned otherwise); /* 0: unlimited */

#endif
