/* options.h - the command line of the program ebb itself. */
#ifndef EBB_FRONT_CLI_OPTIONS_H
#define EBB_FRONT_CLI_OPTIONS_H

#include "base/error.h"
#include "base/mem.h"
#include "front/cli/gdb_words.h"

#include <stdint.h>
#include <stdio.h>

#define CLI_SUMMARY "a debugger for C and Java programs that runs them in both directions"

/* Everything that can stand after `ebb`: word, arguments, help, why this build lacks it (or NULL). */
#define CLI_VERBS(X)                                                                               \
    X(RUN, "run", "[OPTION...] [--] PROGRAM [ARG...]", "debug a new process", NULL)                \
    X(ATTACH, "attach", "[OPTION...] PID", "debug a running process", NULL)                        \
    X(HELP, "help", "[TOPIC]", "help on one of these, or on a command of the prompt", NULL)        \
    X(RECORD, "record", "[OPTION...] [-o FILE] [--] PROGRAM [ARG...]",                             \
      "run to the end and keep a recording", NULL)                                          \
    X(REPLAY, "replay", "[OPTION...] FILE", "open a recording", NULL)                              \
    X(PS, "ps", "[FILE|DIR...]", "list recordings: their processes, and what they are of", NULL)     \
    X(DAP, "dap", "[OPTION...]", "serve an editor by the Debug Adapter Protocol", NULL)            \
    X(SERVE, "serve", "--gdb PORT|- | --jdwp PORT [OPTION...] [--] PROGRAM [ARG...]",             \
      "serve a stock gdb (`target remote`), or jdb and Java editors", NULL)                        \
    X(MCP, "mcp", "", "serve a program by the Model Context Protocol", NULL)                       \
    X(JDK, "jdk", "DIR", "make a JDK whose programs run on ebb's Java machine", NULL)              \
    X(CC, "cc", "[GCC ARGUMENT...]", "gcc with timestamps compiled in", NULL)                      \
    X(CXX, "c++", "[G++ ARGUMENT...]", "g++ with timestamps compiled in", NULL)                    \
    X(WEAVE, "weave", "timestamp|replay SCHEDULE [OPTION...] CLASS|JAR|DIR...",                    \
      "make class files count timestamps, or run by a schedule, on any JVM", NULL)                                        \
    X(SCHEDULE, "schedule", "check|convert|show|import [OPTION...] FILE...",                      \
      "check schedule files of threads, convert, draw, make them of traces", NULL)                 \
    X(EXPLORE, "explore", "[OPTION...] [-o FILE] java ARG...",                                     \
      "search thread schedules for a failing one", NULL)

typedef enum cli_verb {
#define X(name, word, args, help, lacking) CLI_VERB_##name,
    CLI_VERBS(X)
#undef X
    CLI_VERB_VERSION,
    CLI_VERB_NONE,
} cli_verb;

/* record: the runs whose recording is kept; 0: every one. */
enum { CLI_SAVE_ON_CRASH = 1, CLI_SAVE_ON_EXIT = 2, CLI_SAVE_ON_SIGNAL = 4, CLI_SAVE_ON_ALL = 7 };

/* A step of -x and -e. */
typedef struct cli_step {
    bool is_file;
    const char *text;
} cli_step;

typedef struct cli_options {
    cli_verb verb;
    bool batch, keep_going, json, no_init, native, no_record, verify, wants_help;
    bool in_memory; /* weave */
    bool markdown, man; /* help: as documents */
    const char *core;   /* run: NULL: none */
    const char *output; /* record, weave, schedule: NULL if it wasn't said */
    const char *save_on_words, *retry_for_words; /* record, as typed; NULL: not given */
    unsigned save_on;   /* CLI_SAVE_ON_... */
    uint64_t retry_for; /* seconds */
    const char *max_size_words; /* record, as typed; NULL: not given */
    uint64_t max_size;  /* bytes; 0: no bound */
    const char *listen, *connect, *token_file; /* NULL: not given */
    const char *gdb, *jdwp, *pid, *recording; /* serve: where, and what; NULL: not given */
    bool any_address;   /* dap, serve: listen on an address that other computers can reach */
    const char *runs, *seconds, *seed, *strategy, *depth, *limit; /* explore, as typed; NULL: not given */
    bool inside, same_output; /* explore */
    const char *check;        /* explore: NULL: not given */
    const char *from;         /* explore: NULL: not given */
    const char *scheduling; /* run, record; NULL: not given */
    const char *undo, *flow, *chaos, *unit, *optimize, *jvm; /* NULL: not given */
    EBB_VEC(cli_step) steps;
    cli_words words; /* what was typed, if it was in gdb's words, in ours */
    const char *kind; /* weave, schedule: the word after it */
    const char *schedule; /* weave replay: the file; record, explore: where it goes, or NULL */
    EBB_VEC(const char *) only, except; /* weave: the patterns of --only and --not */
    char **rest; /* what follows the options: program and arguments, PID, topic; NULL-terminated */
} cli_options;

/* EBB_BAD_INPUT with the line to show for a usage error.  Texts are borrowed from argv. */
ebb_status cli_options_parse(cli_options *options, int argc, char **argv,
                             ebb_error *err) EBB_MUST_CHECK;
void cli_options_fini(cli_options *options);

const char *cli_verb_word(cli_verb verb);
const char *cli_verb_lacking(cli_verb verb); /* NULL: this build has it */
bool cli_verb_find(const char *word, cli_verb *verb);

void cli_usage(FILE *to);                     /* of ebb as a whole */
void cli_usage_verb(FILE *to, cli_verb verb); /* of one */

#endif
