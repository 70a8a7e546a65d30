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

ebb_status gcc_command(bool is_cxx, char *const *arguments, char ***command, ebb_error *err)
{
    words all = {0};
    char *folder = NULL;
    bool adds = has_input(arguments);
    if (adds)
        EBB_TRY(find_plugin(&folder, err));
    ebb_vec_push(&all, ebb_strdup(compiler(is_cxx)));
    if (adds)
        ebb_vec_push(&all, ebb_asprintf("-fplugin=%s/" PLUGIN ".so", folder));
    add_arguments(&all, arguments);
    if (adds && !has_word(arguments, "-r")) /* an option of the linker is no input file where nothing is linked, nor one of the language of -x */
        add_runtime(&all, folder, has_word(arguments, "-static") || has_word(arguments, "-static-pie"));
    ebb_vec_push(&all, NULL);
    free(folder);
    *command = all.items;
    return EBB_OK;
}

void gcc_command_free(char **command)
{
    for (char **word = command; *word; word++)
        free(*word);
    free(command);
}
