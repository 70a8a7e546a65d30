/* source.c - the source files of Java classes: beside the class path's roots, in the folders that their packages name. */
#include "session/java/java.h"
#include "session/archives.h"
#include "session/kept_sources.h"
#include "session/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* "demo/Main.java": the package of the class as folders, and the file it was compiled from. */
static char *relative_path(const java_class *cls)
{
    const char *simple = ses_java_simple_name(cls->name);
    char *path = ebb_asprintf("%.*s%s", (int)(simple - cls->name), cls->name, cls->source);
    for (char *at = path; at < path + (simple - cls->name); at++)
        if (*at == '.')
            *at = '/';
    return path;
}

/* Class files lie beside the sources, or in a folder beside theirs (out, build/classes, target/classes). */
static char *find_below(const char *root, const char *relative)
{
    static const char *const folders[] = {"",          "src/",          "src/main/java/",   "src/test/java/",   "../",
                                          "../src/",   "../../src/",    "../src/main/java/",
                                          "../../src/main/java/", "../../src/test/java/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = ebb_asprintf("%s/%s%s", root, folders[i], relative);
        if (is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

/* The JDK's own sources lie in its lib/src.zip, below the names of modules. */
static const char *find_in_jdk(session *s, const char *relative)
{
    char whole[PATH_MAX], *bin;
    if (!s->program || !realpath(s->program, whole) || !(bin = strstr(whole, "/bin/java")))
        return NULL;
    *bin = '\0';
    char *archive = ebb_asprintf("%s/lib/src.zip", whole);
    const char *found = ses_archive_find(s, archive, relative);
    free(archive);
    return found;
}

/* Beside X.jar there may be X-sources.jar. */
static const char *find_in_jars(session *s, const char *relative)
{
    const char *found = NULL;
    for (size_t i = 0; !found && i < s->java->source_jars.n; i++)
        found = ses_archive_find(s, s->java->source_jars.items[i], relative);
    return found;
}

const char *ses_java_source_around(session *s, const char *relative)
{
    char *found = NULL;
    for (size_t i = 0; !found && i < s->java->roots.n; i++) {
        found = find_below(s->java->roots.items[i], relative);
        if (!found)
            found = find_below(s->java->roots.items[i], ebb_path_base(relative));
    }
    char *whole = found ? realpath(found, NULL) : NULL; /* as editors name it: without what leads there from the class path */
    const char *path = found ? ses_intern(s, whole ? whole : found) : NULL;
    free(whole);
    free(found);
    return path;
}

const char *ses_java_source_of(session *s, const java_class *cls)
{
    if (!cls->source)
        return NULL;
    char *relative = relative_path(cls);
    const char *path = cls->is_library ? find_in_jdk(s, relative) : ses_java_source_around(s, relative);
    if (!path && !cls->is_library)
        path = ses_kept_source_find(s, relative);
    if (!path && !cls->is_library)
        path = find_in_jars(s, relative);
    if (!path)
        path = ses_intern(s, relative);
    free(relative);
    return path;
}

/* The launcher loads it last. */
bool ses_java_is_before_main(session *s)
{
    java_class_ids classes = {0};
    const char *source = s->java->main_source, *name = s->java->main_class;
    if (!s->machine || (!source && !name))
        return false;
    ebb_status status = source ? jvm_remote_classes_of_source(s->machine, ebb_path_base(source), &classes, NULL)
                               : ses_java_classes(s, name, &classes, NULL);
    bool is_there = status != EBB_OK || classes.n > 0;
    ebb_vec_fini(&classes);
    return !is_there;
}

/* The innermost frame with a line, else the beginning of the main class, once it is loaded. */
bool ses_java_main_line(session *s, const char **file, unsigned *line)
{
    java_class_ids classes = {0};
    const java_class *cls;
    bool found = false;
    if (s->machine && s->java->main_class &&
        ses_java_classes(s, s->java->main_class, &classes, NULL) == EBB_OK && classes.n > 0 &&
        jvm_remote_class(s->machine, classes.items[0], &cls, NULL) == EBB_OK && cls->source)
        for (size_t i = 0; i < cls->n_methods && !found; i++) {
            ses_java_line at;
            found = strcmp(cls->methods[i].name, "main") == 0 &&
                    ses_java_line_at(s, cls->methods[i].id, &at);
            if (found) {
                *file = ses_java_source_of(s, cls);
                *line = at.line;
            }
        }
    ebb_vec_fini(&classes);
    if (!found && s->java->main_source) {
        char *whole = realpath(s->java->main_source, NULL);
        *file = ses_intern(s, whole ? whole : s->java->main_source);
        *line = 1;
        free(whole);
        return true;
    }
    if (!found && s->java->main_class) { /* not loaded yet: most classes have their name from their file */
        const char *name = s->java->main_class;
        char *guess = ebb_asprintf("%.*s.java", (int)strcspn(name, "$"), name);
        for (char *at = guess; at < guess + strlen(guess) - strlen(".java"); at++)
            *at = *at == '.' ? '/' : *at;
        char *path = NULL;
        for (size_t i = 0; !path && i < s->java->roots.n; i++)
            path = find_below(s->java->roots.items[i], guess);
        *file = ses_intern(s, path ? path : guess);
        *line = 1;
        found = true;
        free(path);
        free(guess);
    }
    return found;
}

ebb_status ses_java_source_file(session *s, ebb_arena *arena, const char *name, const char **file,
                                ebb_error *err)
{
    java_class_ids classes = {0};
    const java_class *cls;
    *file = NULL;
    if (s->machine && jvm_remote_classes_of_source(s->machine, ebb_path_base(name), &classes, NULL) == EBB_OK &&
        classes.n > 0 && jvm_remote_class(s->machine, classes.items[0], &cls, NULL) == EBB_OK)
        *file = ses_java_source_of(s, cls);
    ebb_vec_fini(&classes);
    for (size_t i = 0; !*file && i < s->java->roots.n; i++) {
        char *path = find_below(s->java->roots.items[i], name);
        if (path)
            *file = ses_intern(s, path);
        free(path);
    }
    if (!*file && is_file(name))
        *file = ebb_arena_strdup(arena, name);
    return *file ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No source file named %s.", name);
}

const char *ses_java_source_name(session *s, const char *file)
{
    (void)s;
    return ebb_path_base(file);
}
