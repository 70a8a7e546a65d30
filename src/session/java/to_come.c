/* to_come.c - see to_come.h. */
#include "session/java/to_come.h"
#include "session/archives.h"

#include "base/file.h"
#include "weave/classfile.h"

#include <dirent.h>
#include <string.h>

/* ---- lines of a class file ---------------------------------------------------------------------- */

static bool table_has(weave_span table, ses_java_lines lines)
{
    weave_in in = weave_in_of(table);
    bool found = false;
    for (unsigned n = weave_u2(&in); n > 0 && !in.failed && !found; n--) {
        (void)weave_u2(&in); /* where it begins */
        unsigned line = weave_u2(&in);
        found = line >= lines.from && line < lines.to && !in.failed;
    }
    return found;
}

static bool method_has(const weave_class *cls, weave_span code, ses_java_lines lines)
{
    weave_in in = weave_in_of(code);
    (void)weave_u4(&in); /* the sizes of stack and locals */
    (void)weave_take(&in, weave_u4(&in));
    (void)weave_take(&in, weave_u2(&in) * 8u); /* handlers */
    for (unsigned n = weave_u2(&in); n > 0 && !in.failed; n--) {
        uint16_t name = weave_u2(&in);
        weave_span attribute = weave_take(&in, weave_u4(&in));
        if (weave_pool_is(&cls->pool, name, "LineNumberTable") && table_has(attribute, lines))
            return true;
    }
    return false;
}

static bool class_has(weave_span bytes, ses_java_lines lines)
{
    weave_class cls;
    bool found = false;
    if (weave_class_read(&cls, bytes, NULL) != EBB_OK)
        return false;
    for (unsigned i = 0; i < cls.nmethods && !found; i++)
        found = cls.methods[i].code_bytes.bytes && method_has(&cls, cls.methods[i].code_bytes, lines);
    weave_class_fini(&cls);
    return found;
}

/* ---- the nest of an outermost class ------------------------------------------------------------- */

typedef struct nest {
    session *s;
    char *outer; /* "demo/Main" */
    ses_java_lines lines;
    bool is_known; /* the class file of the outermost one was seen */
    bool found;
} nest;

/* "demo/Main$1Local.class" is one that belongs to the nest and isn't loaded.  Notes the outermost one in passing. */
static bool is_awaited(nest *n, const char *entry)
{
    size_t prefix = strlen(n->outer), length = strlen(entry), suffix = strlen(".class");
    if (!ebb_text_starts(entry, n->outer) || length < prefix + suffix || strcmp(entry + length - suffix, ".class") != 0)
        return false;
    n->is_known |= length == prefix + suffix;
    if (entry[prefix] != '$')
        return false;
    java_class_ids loaded = {0};
    char *name = ebb_strndup(entry, length - suffix);
    for (char *at = name; *at; at++)
        *at = *at == '/' ? '.' : *at;
    bool is_loaded = jvm_remote_classes_named(n->s->machine, name, &loaded, NULL) == EBB_OK && loaded.n > 0;
    ebb_vec_fini(&loaded);
    free(name);
    return !is_loaded;
}

static void look_in_folder(nest *n, const char *root)
{
    const char *slash = strrchr(n->outer, '/');
    int package = slash ? (int)(slash - n->outer) + 1 : 0;
    char *folder = ebb_asprintf("%s/%.*s", root, package, n->outer);
    DIR *dir = opendir(folder);
    for (const struct dirent *file; dir && (file = readdir(dir)) != NULL && !n->found;) {
        ebb_buf bytes = {0};
        char *entry = ebb_asprintf("%.*s%s", package, n->outer, file->d_name);
        char *path = ebb_asprintf("%s/%s", root, entry);
        if (is_awaited(n, entry) && ebb_file_read(path, &bytes, NULL) == EBB_OK)
            n->found = class_has((weave_span){(const uint8_t *)ebb_buf_text(&bytes), (uint32_t)bytes.n}, n->lines);
        ebb_buf_fini(&bytes);
        free(path);
        free(entry);
    }
    if (dir)
        closedir(dir);
    free(folder);
}

static void look_in_jar(nest *n, const char *jar)
{
    const char *entry;
    for (size_t at = 0; !n->found && (entry = ses_archive_next(n->s, jar, n->outer, &at)) != NULL;) {
        size_t nbytes = 0;
        char *file = is_awaited(n, entry) ? ses_archive_name(jar, entry) : NULL;
        char *bytes = file ? ses_archive_read(n->s, file, &nbytes) : NULL;
        n->found = bytes && class_has((weave_span){(const uint8_t *)bytes, (uint32_t)nbytes}, n->lines);
        free(bytes);
        free(file);
    }
}

static ses_java_to_come look_in_nest(nest *n)
{
    const ses_java *java = n->s->java;
    for (size_t i = 0; i < java->roots.n && !n->found; i++)
        look_in_folder(n, java->roots.items[i]);
    for (size_t i = 0; i < java->jars.n && !n->found; i++)
        look_in_jar(n, java->jars.items[i]);
    return n->found ? SES_JAVA_LATER : n->is_known ? SES_JAVA_NEVER : SES_JAVA_UNKNOWN;
}

/* "demo/Main" of "demo.Main$Inner". */
static char *outermost(const char *name)
{
    const char *simple = ses_java_simple_name(name);
    size_t n = *simple ? 1 + strcspn(simple + 1, "$") : 0;
    char *path = ebb_strndup(name, (size_t)(simple - name) + n);
    for (char *at = path; *at; at++)
        *at = *at == '.' ? '/' : *at;
    return path;
}

ses_java_to_come ses_java_lines_to_come(session *s, const java_class_ids *classes, ses_java_lines lines)
{
    ses_java_to_come answer = SES_JAVA_NEVER;
    char *last = NULL;
    for (size_t i = 0; i < classes->n && answer != SES_JAVA_LATER; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) != EBB_OK)
            continue;
        nest n = {.s = s, .outer = outermost(cls->name), .lines = lines};
        bool is_same = last && strcmp(last, n.outer) == 0;
        ses_java_to_come one = is_same ? SES_JAVA_NEVER : look_in_nest(&n);
        answer = one == SES_JAVA_NEVER ? answer : one;
        free(last);
        last = n.outer;
    }
    free(last);
    return answer;
}
