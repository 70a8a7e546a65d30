/* scripts.c - see scripts.h. */
#include "session/java/scripts.h"
#include "session/java/libjvm.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is a script ---------------------------------------------------------------------------- */

char *ses_program_file(const char *name)
{
    if (strchr(name, '/'))
        return ebb_strdup(name);
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t n = strcspn(at, ":");
        char *file = ebb_asprintf("%.*s/%s", (int)n, at, name);
        if (access(file, X_OK) == 0)
            return file;
        free(file);
        at += n + (at[n] == ':');
    }
    return NULL;
}

bool ses_is_script(const char *program)
{
    char *path = ses_program_file(program), first[2] = "";
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is = fd >= 0 && read(fd, first, sizeof first) == sizeof first && first[0] == '#' && first[1] == '!';
    if (fd >= 0)
        close(fd);
    free(path);
    return is;
}

/* ---- recording what it starts -------------------------------------------------------------------- */

static void add_java_option(const char *option)
{
    const char *given = getenv("JDK_JAVA_OPTIONS");
    char *options = given ? ebb_asprintf("%s %s", option, given) : ebb_strdup(option);
    setenv("JDK_JAVA_OPTIONS", options, 1);
    free(options);
}

_Noreturn static void become(char *const *args, const char *option, const char *folder, bool verifies)
{
    add_java_option(option);
    setenv("EBB_RECORD_DIR", folder, 1);
    if (verifies)
        setenv("EBB_RECORD_VERIFY", "sparingly", 1);
    signal(SIGINT, SIG_DFL);
    execvp(args[0], args);
    _exit(127);
}

/* A Ctrl-C is for the script: whoever waits for it only sees that it ends. */
static int run(char *const *args, const char *option, const char *folder, bool verifies)
{
    int status = 0;
    void (*was)(int) = signal(SIGINT, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0)
        become(args, option, folder, verifies);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, was);
    return pid < 0 ? 127 << 8 : status;
}

ebb_status ses_record_script(char *const *args, const char *folder, bool verifies, int *status, ebb_error *err)
{
    char *option, whole[PATH_MAX];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ebb_fail_errno(err, "cannot make the folder %s", folder);
    if (!realpath(folder, whole))
        return ebb_fail_errno(err, "cannot use the folder %s", folder);
    EBB_TRY(ses_java_option(&option, err));
    *status = run(args, option, whole, verifies);
    free(option);
    return EBB_OK;
}

/* ---- a JDK of our own ---------------------------------------------------------------------------- */

/* Where the JDK of `java` is; caller frees. */
static ebb_status find_home(char **home, ebb_error *err)
{
    char whole[PATH_MAX], *java = ses_program_file("java");
    bool found = java && realpath(java, whole);
    free(java);
    if (!found)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no java on the PATH to make a JDK of.");
    for (int up = 0; up < 2; up++)
        *strrchr(whole, '/') = '\0';
    *home = ebb_strdup(whole);
    return EBB_OK;
}

static ebb_status run_shell(const char *script, const char *const words[], ebb_error *err)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-euc", script, "ebb", words[0], words[1], words[2], (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0 ? EBB_OK : ebb_fail(err, EBB_SYSTEM, "The JDK could not be made in %s.", words[1]);
}

ebb_status ses_make_jdk(const char *folder, ebb_error *err)
{
    /* The launchers are copied, as each finds its JDK by where it really lies; all else is links. */
    static const char script[] =
        "mkdir \"$2\"\n"
        "for x in \"$1\"/*; do case ${x##*/} in bin|lib) ;; *) ln -s \"$x\" \"$2/\" ;; esac; done\n"
        "mkdir \"$2/bin\" \"$2/lib\" \"$2/lib/server\"\n"
        "cp -L \"$1\"/bin/* \"$2/bin/\"\n"
        "for x in \"$1\"/lib/*; do [ \"${x##*/}\" = server ] || ln -s \"$x\" \"$2/lib/\"; done\n"
        "ln -s \"$3/libjvm.so\" \"$2/lib/server/\"\n";
    char *home = NULL, *option, machine[PATH_MAX];
    if (access(folder, F_OK) == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "%s is there already.", folder);
    EBB_TRY(ses_java_option(&option, err));
    bool found = realpath(option + strlen("-XXaltjvm="), machine) != NULL;
    free(option);
    if (!found)
        return ebb_fail_errno(err, "cannot find the Java machine");
    EBB_TRY(find_home(&home, err));
    ebb_status status = run_shell(script, (const char *const[]){home, folder, machine}, err);
    free(home);
    return status;
}
