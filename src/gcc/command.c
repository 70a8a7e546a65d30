/* command.c - which arguments are files, and what is added to them. */
#include "gcc/command.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN "ebb_timestamp"

typedef EBB_VEC(char *) words;

/* ---- where the plugin is ---- */

/* Beside the program as it was built, or as it is installed. */
static ebb_status find_plugin(char **found, ebb_error *err)
{
    static const char *const places[] = {"src/gcc", "../lib/ebb", NULL};
    *found = ebb_folder_beside_program(places, PLUGIN ".so");
    if (*found)
        return EBB_OK;
    return ebb_fail(err, EBB_NOT_FOUND, "The plugin of GCC was not built: install gcc-12-plugin-dev and g++, and build ebb again.");
}

/* ---- response files ---- */

/* The next word of such a file: blanks part them, quotes and backslashes are as in GCC's.  False: there is none. */
static bool next_word(const char **at, ebb_buf *word)
{
    char quote = '\0';
    const char *c = *at + strspn(*at, " \t\n\v\f\r");
    bool is_word = *c != '\0';
    for (; *c && (quote || !strchr(" \t\n\v\f\r", *c)); c++) {
        bool is_quote = quote ? *c == quote : *c == '\'' || *c == '"';
        if (*c == '\\' && c[1])
            ebb_buf_addc(word, *++c);
        else if (is_quote)
            quote = quote ? '\0' : *c;
        else
            ebb_buf_addc(word, *c);
    }
    *at = c;
    return is_word;
}

/* With the words of its file for @FILE, which may name others; one that can't be read is no such file. */
static void add_with_files(words *to, const char *argument, unsigned depth)
{
    enum { DEEPEST = 100 }; /* one may name itself */
    ebb_buf text = {0}, word = {0};
    if (*argument != '@' || depth > DEEPEST || ebb_file_read(argument + 1, &text, NULL) != EBB_OK) {
        ebb_vec_push(to, ebb_strdup(argument));
        return;
    }
    for (const char *at = ebb_buf_text(&text); next_word(&at, &word); ebb_buf_truncate(&word, 0))
        add_with_files(to, ebb_buf_text(&word), depth + 1);
    ebb_buf_fini(&word);
    ebb_buf_fini(&text);
}

static char **with_files(char *const *arguments)
{
    words all = {0};
    for (; *arguments; arguments++)
        add_with_files(&all, *arguments, 0);
    ebb_vec_push(&all, NULL);
    return all.items;
}

/* ---- arguments ---- */

/* Options whose argument is the next word. */
static bool takes_next(const char *option)
{
    static const char *const options[] = {
        "-o", "-x", "-I", "-D", "-U", "-L", "-l", "-include", "-imacros", "-isystem", "-idirafter", "-iquote", "-iprefix", "-isysroot",
        "-iwithprefix", "-iwithprefixbefore", "-MF", "-MT", "-MQ", "-T", "-u", "-z", "-e", "-h", "-B", "-Xlinker", "-Xassembler",
        "-Xpreprocessor", "-aux-info", "--param", "-dumpbase", "-dumpdir", "-specs", "-wrapper", NULL,
    };
    for (const char *const *o = options; *o; o++)
        if (strcmp(*o, option) == 0)
            return true;
    return false;
}

static bool has_input(char *const *arguments)
{
    for (; *arguments; arguments++) {
        if (arguments[0][0] != '-' || strcmp(*arguments, "-") == 0)
            return true;
        if (takes_next(*arguments) && arguments[1])
            arguments++;
    }
    return false;
}

static bool has_word(char *const *arguments, const char *word)
{
    for (; *arguments; arguments++)
        if (strcmp(*arguments, word) == 0)
            return true;
    return false;
}

/* "--ebb-only=x" as an argument of the plugin, or NULL if it is GCC's. */
static char *own_argument(const char *argument)
{
    if (!ebb_text_starts(argument, "--ebb-only=") && !ebb_text_starts(argument, "--ebb-not="))
        return NULL;
    return ebb_asprintf("-fplugin-arg-" PLUGIN "-%s", argument + strlen("--ebb-"));
}

static size_t count_own(char *const *arguments)
{
    size_t n = 0;
    for (; *arguments; arguments++) {
        char *own = own_argument(*arguments);
        n += own != NULL;
        free(own);
    }
    return n;
}

static void add_arguments(words *to, char *const *arguments)
{
    for (; *arguments; arguments++) {
        char *own = own_argument(*arguments);
        ebb_vec_push(to, own ? own : ebb_strdup(*arguments));
    }
}

static const char *compiler(bool is_cxx)
{
    const char *chosen = getenv(is_cxx ? "EBB_CXX" : "EBB_CC");
    return chosen ? chosen : is_cxx ? "g++" : "gcc";
}

/* The counters; and their names for libraries that the program loads while it runs: those would count for themselves otherwise.  A program that is static
 * has no use for the names, and one that can be loaded anywhere (-static-pie) does not start with them: they would be looked for before there are threads. */
static void add_runtime(words *to, const char *folder, bool is_static)
{
    static const char *const shared[] = {"__ebb_counter", "__ebb_base", "__ebb_frame", "__ebb_outer", "__ebb_follows", "ebb_now", "ebb_stop_at", NULL};
    ebb_vec_push(to, ebb_asprintf("-Wl,%s/" PLUGIN ".o", folder));
    for (const char *const *name = shared; *name && !is_static; name++)
        ebb_vec_push(to, ebb_asprintf("-Wl,--export-dynamic-symbol=%s", *name));
}

/* GCC reads its files by itself, for which they may be longer than a command; unless they have words in them that it does not know.
 * `said`: all words, with those of files.  `folder`: NULL if nothing is added (GC1). */
static char **make_command(const char *gcc, const char *folder, char *const *arguments, char *const *said)
{
    words all = {0};
    ebb_vec_push(&all, ebb_strdup(gcc));
    if (folder)
        ebb_vec_push(&all, ebb_asprintf("-fplugin=%s/" PLUGIN ".so", folder));
    add_arguments(&all, count_own(said) > count_own(arguments) ? said : arguments);
    if (folder && !has_word(said, "-r")) /* an option of the linker is no input file where nothing is linked, nor one of the language of -x */
        add_runtime(&all, folder, has_word(said, "-static") || has_word(said, "-static-pie"));
    ebb_vec_push(&all, NULL);
    return all.items;
}

ebb_status gcc_command(bool is_cxx, char *const *arguments, char ***command, ebb_error *err)
{
    char **said = with_files(arguments);
    char *folder = NULL;
    ebb_status status = has_input(said) ? find_plugin(&folder, err) : EBB_OK;
    if (status == EBB_OK)
        *command = make_command(compiler(is_cxx), folder, arguments, said);
    free(folder);
    gcc_command_free(said);
    return status;
}

void gcc_command_free(char **command)
{
    for (char **word = command; *word; word++)
        free(*word);
    free(command);
}
