/* libjvm.c - see libjvm.h. */
#include "session/java/libjvm.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>
#include <unistd.h>

bool ses_is_java(const char *program)
{
    return strcmp(ebb_path_base(program), "java") == 0;
}

static bool has_machine(const char *dir)
{
    char *path = ebb_asprintf("%s/libjvm.so", dir);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

static char *option_for(const char *dir)
{
    return ebb_asprintf("-XXaltjvm=%s", dir);
}

ebb_status ses_java_option(char **option, ebb_error *err)
{
    static const char *const places[] = {"src/jvm", "../lib/ebb", NULL};
    const char *chosen = getenv("EBB_JVM_DIR");
    if (chosen) {
        if (!has_machine(chosen))
            return ebb_fail(err, EBB_NOT_FOUND, "EBB_JVM_DIR is %s, where there is no libjvm.so.",
                            chosen);
        *option = option_for(chosen);
        return EBB_OK;
    }
    char *folder = ebb_folder_beside_program(places, "libjvm.so");
    if (folder) {
        *option = option_for(folder);
        free(folder);
        return EBB_OK;
    }
    return ebb_fail(err, EBB_NOT_FOUND,
                    "The Java machine (libjvm.so) is not beside ebb; build it, or set EBB_JVM_DIR "
                    "to its folder.");
}

ebb_status ses_java_weave_option(char **option, ebb_error *err)
{
    static const char *const places[] = {"src/weave", "../lib/ebb", NULL};
    char *folder = ebb_folder_beside_program(places, "libebb_weave.so");
    if (!folder)
        return ebb_fail(err, EBB_NOT_FOUND, "The agent that weaves (libebb_weave.so) is not beside ebb: build it.");
    *option = ebb_asprintf("-agentpath:%s/libebb_weave.so=in-memory", folder);
    free(folder);
    return EBB_OK;
}
