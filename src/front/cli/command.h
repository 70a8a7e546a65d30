/* command.h - the table of commands: what a user can type, described once.
 *
 * commands.def holds a row for every command.  Dispatch, abbreviations, help, apropos, completion, the
 * checks on arguments and docs/commands.md are all made from the rows.  A subcommand is a row of its
 * own whose name is several words ("info locals"), and stands below its parent's row.
 *
 * The *schema* of a row says what may follow the name, the way a person writes it:
 *
 *     "[WHERE] [thread N] [if EXPR]"     brackets: may be left out
 *     "on|off"                           literal words to choose from
 *     "EXPR..."                          and more of them
 *
 * A word in capitals is a kind of argument (arguments.def), which says what completes it.
 *
 * CM1  names are unique, and so are aliases within one parent;
 * CM2  a typed word finds the row with that name or alias; else the one row that it begins; a word that
 *      begins several rows finds none of them, unless all of those are the same command. */
#ifndef EBB_FRONT_CLI_COMMAND_H
#define EBB_FRONT_CLI_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cli cli;
typedef struct cli_reply cli_reply;
typedef struct cli_command cli_command;

/* One command line being carried out. */
typedef struct cli_call {
    const cli_command *command;
    const char *args; /* after the name, without surrounding blanks */
    const char *line; /* all of it */
    bool is_repeat;   /* an empty line brought it back */
} cli_call;

typedef ebb_status cli_handler(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err);

#define CLI_GROUPS(X)                                                                              \
    X(RUNNING, "running", "Beginning, moving and ending the program")                              \
    X(BREAKPOINTS, "breakpoints", "Where to stop")                                                 \
    X(STACK, "stack", "Frames and threads")                                                        \
    X(DATA, "data", "Looking at values, memory and code, and changing them")                       \
    X(SOURCE, "source", "Source text and symbols")                                                 \
    X(STATUS, "status", "What is known about the program and about ebb")                           \
    X(TIME, "time", "Going back in time (needs recorded history)")                                 \
    X(SUPPORT, "support", "Settings, scripts, help")

typedef enum cli_group {
#define X(name, word, title) CLI_GROUP_##name,
    CLI_GROUPS(X)
#undef X
    CLI_N_GROUPS
} cli_group;

typedef enum cli_command_flags {
    CLI_REPEATS = 1 << 0,      /* an empty line does it again */
    CLI_REPEATS_BARE = 1 << 1, /* ... without its arguments: the command goes on where it was */
    CLI_NEEDS_LIVE = 1 << 2,   /* "The program is not being run." */
    CLI_NEEDS_STACK = 1 << 3,  /* "No stack." */
    CLI_FREE = 1 << 4,         /* what follows may also be no subcommand: `set x = 3`, `delete 2` */
    CLI_VERBATIM = 1 << 5,     /* blanks at the end of the arguments count: echo */
    CLI_BLOCK = 1 << 6,        /* lines up to `end` belong to it: define, while */
} cli_command_flags;

struct cli_command {
    const char *name;    /* "break", "info locals" */
    const char *aliases; /* "b br bre", of the last word; "" if none */
    cli_group group;
    const char *schema;
    cli_handler *handler;
    unsigned flags;
    const char *brief;   /* one line without a full stop */
    const char *details; /* sentences; may be "" */
};

typedef struct cli_table {
    const cli_command *rows;
    size_t n;
} cli_table;

extern const cli_table cli_commands; /* commands.def; see table.c */
const char *cli_group_word(cli_group group);
const char *cli_group_title(cli_group group);

/* ---- finding ---------------------------------------------------------------------------------- */

/* The length of the command word that `text` begins with; "p/x" has "p", "!ls" has "!". */
size_t cli_word_length(const char *text);

typedef enum cli_found { CLI_FOUND, CLI_FOUND_NONE, CLI_FOUND_MANY } cli_found;

/* The row below `parent` (NULL: the top) that the word of `nbytes` means: CM2. */
cli_found cli_find_word(const cli_table *table, const cli_command *parent, const char *word,
                        size_t nbytes, const cli_command **row);

/* The row that a whole line means, following subcommands as deep as they go; *args is what remains.
 * On MANY, *row is the parent within which the word was ambiguous (NULL: the top). */
cli_found cli_find_line(const cli_table *table, const char *line, const cli_command **row,
                        const char **args);

bool cli_is_below(const cli_command *row, const cli_command *parent); /* directly */
bool cli_has_children(const cli_table *table, const cli_command *row);
const char *cli_last_word(const cli_command *row); /* "locals" of "info locals" */

/* Whether the word is the row's own last word or one of its aliases. */
bool cli_is_named(const cli_command *row, const char *word, size_t nbytes);

/* ---- checking --------------------------------------------------------------------------------- */

/* EBB_BAD_INPUT if arguments are missing, or given where there can be none. */
ebb_status cli_check_args(const cli_command *row, const char *args, ebb_error *err) EBB_MUST_CHECK;

#endif
