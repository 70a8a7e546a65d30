/* gdb_words.c - see gdb_words.h. */
#include "front/cli/gdb_words.h"

#include "base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct option_name {
    const char *theirs; /* without its dashes: gdb takes one or two */
    char *ours;         /* NULL: it needs no word here */
    bool has_argument;
    bool keeps_going;   /* what fails does not keep the next from its turn */
} option_name;

static const option_name names[] = {
    {"q", NULL}, {"quiet", NULL}, {"silent", NULL},
    {"n", "--no-init"}, {"nx", "--no-init"}, {"nh", "--no-init"},
    {"batch", "--batch"},
    {"ex", "-e", .has_argument = true, .keeps_going = true}, {"eval-command", "-e", .has_argument = true, .keeps_going = true},
    {"x", "-x", .has_argument = true}, {"command", "-x", .has_argument = true},
    {"c", "--core", .has_argument = true}, {"core", "--core", .has_argument = true},
    /* ebb's own, which gdb has not, or not in this meaning */
    {"e", "-e", .has_argument = true}, {"json", "--json"},
};

static const char *without_dashes(const char *word)
{
    return word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
}

static const option_name *find_option(const char *word)
{
    for (size_t i = 0; word[0] == '-' && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].theirs, without_dashes(word)) == 0)
            return &names[i];
    return NULL;
}

static bool is_option(const char *word, const char *name)
{
    return word[0] == '-' && strcmp(without_dashes(word), name) == 0;
}

static bool is_attach(const char *word)
{
    return is_option(word, "p") || is_option(word, "pid");
}

/* A name without a slash is looked for here before it is in PATH. */
static bool is_program(const char *word)
{
    return word[0] != '-' && access(word, F_OK) == 0;
}

bool cli_gdb_words_begin(const char *word)
{
    return find_option(word) || is_attach(word) || is_option(word, "args") || is_program(word);
}

/* What a process left, and no program. */
static bool is_core(const char *word)
{
    Elf64_Ehdr eh;
    int fd = word[0] == '-' ? -1 : open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && pread(fd, &eh, sizeof eh, 0) == sizeof eh && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 && eh.e_type == ET_CORE;
    if (fd >= 0)
        close(fd);
    return is;
}

static bool is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

typedef struct reader {
    char **argv;
    int argc, at;
    cli_words options;
    char *pid;     /* NULL: none was named */
    bool has_args; /* what follows the program is its own */
    bool keeps_going; /* there is such an option */
} reader;

static ebb_status read_options(reader *r, ebb_error *err)
{
    for (; r->at < r->argc && r->argv[r->at][0] == '-' && !r->has_args; r->at++) {
        char *word = r->argv[r->at];
        const option_name *option = find_option(word);
        bool needs_more = (option && option->has_argument) || is_attach(word);
        if (needs_more && r->at + 1 == r->argc)
            return ebb_fail(err, EBB_BAD_INPUT, "The option %.60s needs an argument.", word);
        if (!option && !is_attach(word) && !is_option(word, "args"))
            return ebb_fail(err, EBB_BAD_INPUT, "No such option: %.60s.  Try `ebb --help`.", word);
        if (option && option->ours)
            ebb_vec_push(&r->options, option->ours);
        r->keeps_going |= option && option->keeps_going;
        if (option && option->has_argument)
            ebb_vec_push(&r->options, r->argv[++r->at]);
        if (is_attach(word))
            r->pid = r->argv[++r->at];
        r->has_args |= is_option(word, "args");
    }
    return EBB_OK;
}

static bool takes_core(reader *r)
{
    if (r->at >= r->argc || !is_core(r->argv[r->at]))
        return false;
    ebb_vec_push(&r->options, "--core");
    ebb_vec_push(&r->options, r->argv[r->at++]);
    return true;
}

/* gdb reads its options after the program, too, and a second word as a core file or a process. */
static ebb_status read_program(reader *r, char **program, ebb_error *err)
{
    if (!r->has_args && takes_core(r))
        return read_options(r, err);
    *program = r->at < r->argc ? r->argv[r->at++] : NULL;
    if (r->has_args || !*program)
        return EBB_OK;
    EBB_TRY(read_options(r, err));
    if (takes_core(r))
        EBB_TRY(read_options(r, err));
    if (r->at < r->argc && is_number(r->argv[r->at]))
        r->pid = r->argv[r->at++];
    if (r->at < r->argc)
        return ebb_fail(err, EBB_BAD_INPUT, "Arguments for the program: ebb --args %.60s %.60s ...  (or ebb run)", *program, r->argv[r->at]);
    return EBB_OK;
}

static void write_words(const reader *r, char *program, cli_words *words)
{
    ebb_vec_push(words, r->argv[0]);
    ebb_vec_push(words, r->pid ? "attach" : "run");
    for (size_t i = 0; i < r->options.n; i++)
        ebb_vec_push(words, r->options.items[i]);
    if (r->keeps_going)
        ebb_vec_push(words, "--keep-going");
    ebb_vec_push(words, "--");
    if (r->pid)
        ebb_vec_push(words, r->pid);
    else if (program)
        ebb_vec_push(words, program);
    for (int i = r->at; i < r->argc && !r->pid; i++)
        ebb_vec_push(words, r->argv[i]);
    ebb_vec_push(words, NULL);
}

ebb_status cli_gdb_words(int argc, char **argv, cli_words *words, ebb_error *err)
{
    reader r = {.argv = argv, .argc = argc, .at = 1};
    char *program = NULL;
    ebb_status status = read_options(&r, err);
    if (status == EBB_OK)
        status = read_program(&r, &program, err);
    if (status == EBB_OK)
        write_words(&r, program, words);
    ebb_vec_fini(&r.options);
    return status;
}
