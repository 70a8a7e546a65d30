/* options.c - options are rows of a table; each names the verbs that it makes sense for. */
#include "front/cli/options.h"

#include "base/text.h"
#include "front/cli/schedule.h"
#include "front/cli/weave.h"

#include <getopt.h>
#include <string.h>

typedef struct verb_row {
    const char *word, *args, *help, *lacking;
} verb_row;

static const verb_row verbs[] = {
#define X(name, word, args, help, lacking) {word, args, help, lacking},
    CLI_VERBS(X)
#undef X
};
enum { N_VERBS = sizeof verbs / sizeof *verbs };

typedef struct option_row {
    const char *name;
    char letter;
    const char *argument;
    const char *where;
    const char *help;
} option_row;

static const option_row rows[] = {
#define CLI_OPTION(name, letter, argument, where, help) {name, letter, argument, where, help},
#include "front/cli/options.def"
#undef CLI_OPTION
};
enum { N_ROWS = sizeof rows / sizeof *rows };

const char *cli_verb_word(cli_verb verb)
{
    return verbs[verb].word;
}

const char *cli_verb_lacking(cli_verb verb)
{
    return (int)verb < N_VERBS ? verbs[verb].lacking : NULL;
}

bool cli_verb_find(const char *word, cli_verb *verb)
{
    for (int i = 0; i < N_VERBS; i++) {
        if (strcmp(verbs[i].word, word) == 0) {
            *verb = (cli_verb)i;
            return true;
        }
    }
    return false;
}

/* ---- usage ------------------------------------------------------------------------------------ */

void cli_usage(FILE *to)
{
    fputs("ebb, " CLI_SUMMARY "\n\n", to);
    for (int i = 0; i < N_VERBS; i++)
        fprintf(to, "  ebb %-8s %-48s %s%s\n", verbs[i].word, verbs[i].args, verbs[i].help,
                verbs[i].lacking ? " (not yet)" : "");
    fputs("  ebb --version\n\nAs gdb: ebb PROGRAM, ebb PROGRAM PID, ebb PROGRAM CORE, ebb -p PID, ebb -c CORE, ebb --args PROGRAM ARG...\n\n`ebb COMMAND --help` shows its options, `ebb help` the commands of "
          "the prompt.\n",
          to);
}

/* By which options.def names the verb; 0 for those that have no options. */
static char letter_of(cli_verb verb)
{
    switch (verb) {
    case CLI_VERB_RUN: return 'R';
    case CLI_VERB_ATTACH: return 'A';
    case CLI_VERB_RECORD: return 'C';
    case CLI_VERB_REPLAY: return 'P';
    case CLI_VERB_WEAVE: return 'W';
    case CLI_VERB_DAP: return 'D';
    case CLI_VERB_SERVE: return 'S';
    case CLI_VERB_SCHEDULE: return 'H';
    case CLI_VERB_EXPLORE: return 'E';
    default: return '\0';
    }
}

void cli_usage_verb(FILE *to, cli_verb verb)
{
    fprintf(to, "ebb %s %s\n  %s\n", verbs[verb].word, verbs[verb].args, verbs[verb].help);
    char where = letter_of(verb);
    if (!where) {
        if (verbs[verb].lacking)
            fprintf(to, "  %s\n", verbs[verb].lacking);
        return;
    }
    fputs("\n", to);
    for (int i = 0; i < N_ROWS; i++) {
        char left[64], letter[8] = "";
        if (!strchr(rows[i].where, where))
            continue;
        if (rows[i].letter)
            snprintf(letter, sizeof letter, "-%c, ", rows[i].letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        fprintf(to, "  %-28s %s\n", left, rows[i].help);
    }
}

/* ---- parsing ---------------------------------------------------------------------------------- */

static void apply(cli_options *options, const option_row *row, const char *value)
{
    const char *name = row->name;
    if (strcmp(name, "command") == 0 || strcmp(name, "eval-command") == 0)
        ebb_vec_push(&options->steps, ((cli_step){row->letter == 'x', value}));
    else if (strcmp(name, "undo") == 0)
        options->undo = value;
    else if (strcmp(name, "flow") == 0)
        options->flow = value;
    else if (strcmp(name, "jvm") == 0)
        options->jvm = value;
    else if (strcmp(name, "core") == 0)
        options->core = value;
    else if (strcmp(name, "chaos") == 0)
        options->chaos = value;
    else if (strcmp(name, "unit") == 0)
        options->unit = value;
    else if (strcmp(name, "optimize") == 0)
        options->optimize = value;
    else if (strcmp(name, "batch") == 0)
        options->batch = true;
    else if (strcmp(name, "keep-going") == 0)
        options->keep_going = true;
    else if (strcmp(name, "json") == 0)
        options->json = true;
    else if (strcmp(name, "no-init") == 0)
        options->no_init = true;
    else if (strcmp(name, "native") == 0)
        options->native = true;
    else if (strcmp(name, "help") == 0)
        options->wants_help = true;
    else if (strcmp(name, "no-record") == 0)
        options->no_record = true;
    else if (strcmp(name, "verify") == 0)
        options->verify = true;
    else if (strcmp(name, "output") == 0)
        options->output = value;
    else if (strcmp(name, "save-on") == 0)
        options->save_on_words = value;
    else if (strcmp(name, "retry-for") == 0)
        options->retry_for_words = value;
    else if (strcmp(name, "max-size") == 0)
        options->max_size_words = value;
    else if (strcmp(name, "listen") == 0)
        options->listen = value;
    else if (strcmp(name, "connect") == 0)
        options->connect = value;
    else if (strcmp(name, "token-file") == 0)
        options->token_file = value;
    else if (strcmp(name, "gdb") == 0)
        options->gdb = value;
    else if (strcmp(name, "jdwp") == 0)
        options->jdwp = value;
    else if (strcmp(name, "pid") == 0)
        options->pid = value;
    else if (strcmp(name, "recording") == 0)
        options->recording = value;
    else if (strcmp(name, "insecure-any-address") == 0)
        options->any_address = true;
    else if (strcmp(name, "runs") == 0)
        options->runs = value;
    else if (strcmp(name, "seconds") == 0)
        options->seconds = value;
    else if (strcmp(name, "seed") == 0)
        options->seed = value;
    else if (strcmp(name, "strategy") == 0)
        options->strategy = value;
    else if (strcmp(name, "depth") == 0)
        options->depth = value;
    else if (strcmp(name, "limit") == 0)
        options->limit = value;
    else if (strcmp(name, "schedule") == 0)
        options->schedule = value;
    else if (strcmp(name, "scheduling") == 0)
        options->scheduling = value;
    else if (strcmp(name, "from") == 0)
        options->from = value;
    else if (strcmp(name, "check") == 0)
        options->check = value;
    else if (strcmp(name, "same-output") == 0)
        options->same_output = true;
    else if (strcmp(name, "inside-library") == 0)
        options->inside = true;
    else if (strcmp(name, "in-memory") == 0)
        options->in_memory = true;
    else if (strcmp(name, "only") == 0)
        ebb_vec_push(&options->only, value);
    else if (strcmp(name, "not") == 0)
        ebb_vec_push(&options->except, value);
}

static ebb_status fail_option(const char *verb, int why, char **argv, int at, ebb_error *err)
{
    const char *typed = at > 0 ? argv[at] : "";
    if (why == ':')
        return ebb_fail(err, EBB_BAD_INPUT,
                        "The option %.60s needs an argument.  Try `ebb %s --help`.", typed, verb);
    return ebb_fail(err, EBB_BAD_INPUT, "No such option: %.60s.  Try `ebb %s --help`.", typed,
                    verb);
}

/* What follows the operands of the others belongs to a program: their options end at the first operand. */
static bool takes_no_program(cli_verb verb)
{
    return verb == CLI_VERB_ATTACH || verb == CLI_VERB_REPLAY || verb == CLI_VERB_WEAVE || verb == CLI_VERB_SCHEDULE;
}

static int rows_of(cli_verb verb, struct option *longs, const option_row **meant)
{
    int n = 0;
    for (int i = 0; i < N_ROWS; i++) {
        if (!strchr(rows[i].where, letter_of(verb)))
            continue;
        meant[n] = &rows[i];
        longs[n++] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, 0};
    }
    return n;
}

static bool apply_meant(cli_options *options, const option_row *const *meant, int n, int letter, int index)
{
    for (int i = 0; i < n; i++)
        if (letter == 0 ? i == index : meant[i]->letter == letter) {
            apply(options, meant[i], optarg);
            return true;
        }
    return false;
}

/* The option that getopt stopped at, which began to look at that word. */
static int option_from(int argc, char **argv, int at)
{
    while (at < argc - 1 && argv[at][0] != '-')
        at++;
    return at < argc ? at : argc - 1;
}

static ebb_status parse_options(cli_options *options, int argc, char **argv, ebb_error *err)
{
    const char *letters = takes_no_program(options->verb) ? ":x:e:o:c:p:h" : "+:x:e:o:c:p:h";
    struct option longs[N_ROWS + 1] = {{0}};
    const option_row *meant[N_ROWS];
    int n = rows_of(options->verb, longs, meant);
    opterr = 0;
    optind = 0;
    for (;;) {
        int index = -1, before = optind ? optind : 1;
        int got = getopt_long(argc, argv, letters, longs, &index);
        if (got == -1)
            break;
        if (got == '?' || got == ':' || !apply_meant(options, meant, n, got, index))
            return fail_option(verbs[options->verb].word, got, argv, option_from(argc, argv, before), err);
    }
    options->rest = argv + optind;
    return EBB_OK;
}

static unsigned save_on_word(const char *word, size_t n)
{
    static const struct { const char *word; unsigned means; } words[] = {
        {"crash", CLI_SAVE_ON_CRASH}, {"exit", CLI_SAVE_ON_EXIT}, {"signal", CLI_SAVE_ON_SIGNAL}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == n && memcmp(words[i].word, word, n) == 0)
            return words[i].means;
    return 0;
}

/* --save-on, --retry-for and --max-size. */
static ebb_status understand_keeping(cli_options *options, ebb_error *err)
{
    const char *word = options->save_on_words, *seconds = options->retry_for_words;
    for (size_t n; word && *word; word += n + (word[n] == ',')) {
        n = strcspn(word, ",");
        unsigned means = save_on_word(word, n);
        if (!means)
            return ebb_fail(err, EBB_BAD_INPUT, "--save-on knows crash, exit and signal, not \"%.40s\".", options->save_on_words);
        options->save_on |= means;
    }
    if (seconds && !ebb_text_to_u64(seconds, &options->retry_for))
        return ebb_fail(err, EBB_BAD_INPUT, "--retry-for takes a number of seconds, not \"%.40s\".", seconds);
    if (seconds && !options->save_on)
        options->save_on = CLI_SAVE_ON_ALL;
    if (options->max_size_words && (!ebb_text_to_size(options->max_size_words, &options->max_size) || !options->max_size))
        return ebb_fail(err, EBB_BAD_INPUT, "--max-size takes a size such as 100m, not \"%.40s\".", options->max_size_words);
    return EBB_OK;
}

static ebb_status check_rest(const cli_options *options, ebb_error *err)
{
    if (options->wants_help)
        return EBB_OK;
    if (options->connect && (options->rest[0] || options->listen))
        return ebb_fail(err, EBB_BAD_INPUT, "The program is told where it runs: ebb run --connect [HOST:]PORT");
    if (options->listen && (options->steps.n || options->batch || options->json))
        return ebb_fail(err, EBB_BAD_INPUT, "Commands are given to the ebb that connects, not to the one that listens.");
    if (options->token_file && !options->connect && !options->listen)
        return ebb_fail(err, EBB_BAD_INPUT, "--token-file goes with --listen or --connect.");
    if (options->verb == CLI_VERB_RUN && !options->rest[0] && !options->connect && !options->core)
        return ebb_fail(err, EBB_BAD_INPUT, "Which program?  ebb run [OPTION...] PROGRAM [ARG...]");
    if (options->verb == CLI_VERB_SERVE && (!options->gdb == !options->jdwp || !!options->pid + !!options->recording + !!options->rest[0] != 1))
        return ebb_fail(err, EBB_BAD_INPUT, "Whom, and what?  ebb serve --gdb PORT|- | --jdwp PORT  [--pid PID | --recording FILE | PROGRAM [ARG...]]");
    if (options->verb == CLI_VERB_DAP && options->rest[0])
        return ebb_fail(err, EBB_BAD_INPUT, "The editor says which program: ebb dap [--listen PORT]");
    if (options->verb == CLI_VERB_RECORD && !options->rest[0])
        return ebb_fail(err, EBB_BAD_INPUT, "Which program?  ebb record [-o FILE] PROGRAM [ARG...]");
    if (options->verb == CLI_VERB_REPLAY && (!options->rest[0] || options->rest[1]))
        return ebb_fail(err, EBB_BAD_INPUT, "Which recording?  ebb replay [OPTION...] FILE");
    if (options->verb == CLI_VERB_WEAVE && (!cli_weave_has(options->kind) || !options->rest[0]))
        return ebb_fail(err, EBB_BAD_INPUT, "What, and which classes?  ebb weave timestamp|replay SCHEDULE [OPTION...] CLASS|JAR|DIR...");
    if (options->schedule && (options->only.n || options->except.n || options->in_memory))
        return ebb_fail(err, EBB_BAD_INPUT, "The schedule says what is woven: --only, --not and --in-memory go with `ebb weave timestamp`.");
    if (options->verb == CLI_VERB_SCHEDULE && (!cli_schedule_has(options->kind) || !options->rest[0]))
        return ebb_fail(err, EBB_BAD_INPUT, "What, and which file?  ebb schedule check|convert|show|import [-o FILE] FILE...");
    if (options->verb == CLI_VERB_EXPLORE && !options->rest[0])
        return ebb_fail(err, EBB_BAD_INPUT, "Which program?  ebb explore [OPTION...] [-o FILE] java ARG...");
    if (options->verb == CLI_VERB_ATTACH && (!options->rest[0] || options->rest[1]))
        return ebb_fail(err, EBB_BAD_INPUT, "Which process?  ebb attach [OPTION...] PID");
    return EBB_OK;
}

/* `ebb weave KIND ...`, `ebb weave replay SCHEDULE ...`, `ebb schedule KIND ...` */
static void take_words(cli_options *options)
{
    bool weaves = options->verb == CLI_VERB_WEAVE;
    if ((weaves || options->verb == CLI_VERB_SCHEDULE) && options->rest[0])
        options->kind = *options->rest++;
    if (weaves && options->kind && strcmp(options->kind, "replay") == 0 && options->rest[0])
        options->schedule = *options->rest++;
}

ebb_status cli_options_parse(cli_options *options, int argc, char **argv, ebb_error *err)
{
    *options = (cli_options){.verb = CLI_VERB_NONE, .rest = argv + argc};
    if (argc < 2)
        return ebb_fail(err, EBB_BAD_INPUT, "What to do?  Try `ebb --help`.");
    const char *word = argv[1];
    options->rest = argv + 2;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        options->verb = CLI_VERB_VERSION;
        return EBB_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        options->verb = CLI_VERB_HELP;
        options->wants_help = true;
        return EBB_OK;
    }
    if (!cli_verb_find(word, &options->verb) && cli_gdb_words_begin(word)) {
        EBB_TRY(cli_gdb_words(argc, argv, &options->words, err));
        argc = (int)options->words.n - 1;
        argv = options->words.items;
        word = argv[1];
    }
    if (!cli_verb_find(word, &options->verb))
        return ebb_fail(err, EBB_BAD_INPUT, "No such command: ebb %.60s.  Try `ebb --help`.", word);
    if (letter_of(options->verb)) {
        EBB_TRY(parse_options(options, argc - 1, argv + 1, err));
        take_words(options);
        EBB_TRY(understand_keeping(options, err));
        return check_rest(options, err);
    }
    const char *first = options->rest[0] ? options->rest[0] : "";
    options->wants_help = strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
    options->markdown = options->verb == CLI_VERB_HELP && strcmp(first, "--markdown") == 0;
    options->man = options->verb == CLI_VERB_HELP && strcmp(first, "--man") == 0;
    return EBB_OK;
}

void cli_options_fini(cli_options *options)
{
    ebb_vec_fini(&options->steps);
    ebb_vec_fini(&options->words);
    ebb_vec_fini(&options->only);
    ebb_vec_fini(&options->except);
}
