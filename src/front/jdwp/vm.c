/* vm.c - commands about the program as a whole. */
#include "front/jdwp/jdwp.h"

#include <string.h>

jdwp_error jd_do_fine(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)d, (void)in, (void)out;
    return JDWP_FINE;
}

jdwp_error jd_do_version(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)d, (void)in;
    jdwp_put_text(out, "Java Debug Wire Protocol (ebb " EBB_VERSION ")");
    jdwp_put(out, 17, 4);
    jdwp_put(out, 0, 4);
    jdwp_put_text(out, "17");
    jdwp_put_text(out, "ebb Java machine");
    return JDWP_FINE;
}

jdwp_error jd_do_id_sizes(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)d, (void)in;
    for (unsigned i = 0; i < 5; i++)
        jdwp_put(out, 8, 4); /* jd_sizes */
    return JDWP_FINE;
}

/* What the protocol calls capabilities, in its order: the first seven are the old command's. */
static const bool all_capabilities[32] = {
    true,  /* canWatchFieldModification */
    true,  /* canWatchFieldAccess */
    true,  /* canGetBytecodes */
    true,  /* canGetSyntheticAttribute */
    true,  /* canGetOwnedMonitorInfo */
    true,  /* canGetCurrentContendedMonitor */
    true,  /* canGetMonitorInfo */
    false, false, false, /* canRedefineClasses, canAddMethod, canUnrestrictedlyRedefineClasses */
    true,  /* canPopFrames */
    true,  /* canUseInstanceFilters */
    true,  /* canGetSourceDebugExtension */
    true,  /* canRequestVMDeathEvent */
    true,  /* canSetDefaultStratum */
    true,  /* canGetInstanceInfo */
    true,  /* canRequestMonitorEvents */
    true,  /* canGetMonitorFrameInfo */
    true,  /* canUseSourceNameFilters */
    true,  /* canGetConstantPool */
    true,  /* canForceEarlyReturn */
};

/* What has been recorded goes its way: no method of it returns before its time. */
static bool has_capability(const jd *d, unsigned i)
{
    enum { CAN_POP_FRAMES = 10, CAN_FORCE_EARLY_RETURN = 20 };
    return all_capabilities[i] && !(d->is_recording && (i == CAN_POP_FRAMES || i == CAN_FORCE_EARLY_RETURN));
}

static jdwp_error put_capabilities(const jd *d, unsigned n, ebb_buf *out)
{
    for (unsigned i = 0; i < n; i++)
        jdwp_put(out, has_capability(d, i), 1);
    return JDWP_FINE;
}

jdwp_error jd_do_capabilities(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    return put_capabilities(d, 7, out);
}

jdwp_error jd_do_capabilities_new(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    return put_capabilities(d, 32, out);
}

jdwp_error jd_do_dispose(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    d->ends = d->was_disposed = true;
    return JDWP_FINE;
}

jdwp_error jd_do_exit(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    jd_end_changes(d);
    d->ends = true;
    if (ses_get_state(d->session) == SES_STOPPED)
        return jd_error(ses_kill(d->session, NULL));
    return JDWP_FINE;
}

/* Where jdb looks for sources, too. */
jdwp_error jd_do_class_paths(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    const char *directory, *path = ses_java_class_path(d->session, &directory);
    ebb_arena arena = {0};
    uint64_t n_entries = 1;
    for (const char *at = path; *at; at++)
        n_entries += *at == ':';
    jdwp_put_text(out, directory);
    jdwp_put(out, n_entries, 4);
    for (uint64_t i = 0; i < n_entries; i++) {
        size_t n = strcspn(path, ":");
        jdwp_put_text(out, ebb_arena_strndup(&arena, path, n));
        path += n + (path[n] == ':');
    }
    jdwp_put(out, 0, 4); /* since Java 9 there is no path of the boot loader */
    ebb_arena_fini(&arena);
    return JDWP_FINE;
}

jdwp_error jd_do_create_string(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_ref ref = 0;
    const char *text = jdwp_text(in, &arena);
    jdwp_error error = in->bad ? JDWP_ILLEGAL_ARGUMENT : jd_begin_change(d);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_new_string(jd_machine(d), text, &ref, NULL));
    jdwp_put(out, ref, 8);
    ebb_arena_fini(&arena);
    return error;
}

/* ---- events that wait ---- */

jdwp_error jd_do_hold_events(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    d->holds_events = true;
    return JDWP_FINE;
}

jdwp_error jd_do_release_events(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    d->holds_events = false;
    jd_release_events(d);
    return JDWP_FINE;
}

/* ---- classes ---- */

enum { VERIFIED = 1, PREPARED = 2, INITIALISED = 4, MOST_CLASSES = 1000000 };

static unsigned status_of(jd *d, const java_class *cls)
{
    bool is_initialised = false;
    if (cls->is_array || cls->is_primitive)
        return INITIALISED;
    if (jvm_remote_class_is_initialised(jd_machine(d), cls->id, &is_initialised, NULL) != EBB_OK)
        is_initialised = false;
    return VERIFIED | PREPARED | (is_initialised ? INITIALISED : 0);
}

jdwp_error jd_do_status(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, status_of(d, cls), 4);
    return error;
}

static ebb_status loaded(jd *d, const char *prefix, java_class_ids *ids)
{
    return jvm_remote_classes_like(jd_machine(d), prefix, MOST_CLASSES, ids, NULL);
}

static jdwp_error put_all(jd *d, bool generic, ebb_buf *out)
{
    java_class_ids ids = {0};
    ebb_buf rows = {0};
    uint32_t n = 0;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    jdwp_error error = jd_error(loaded(d, "", &ids));
    for (size_t i = 0; error == JDWP_FINE && i < ids.n; i++) {
        const java_class *cls;
        ebb_arena arena = {0};
        if (jd_class(d, ids.items[i], &cls) != JDWP_FINE || cls->is_primitive)
            continue;
        jdwp_put(&rows, jd_tag_of_class(cls), 1);
        jdwp_put(&rows, cls->id, 8);
        jdwp_put_text(&rows, jd_signature(&arena, cls->name));
        if (generic)
            jd_put_generic(&rows, cls->generic);
        jdwp_put(&rows, status_of(d, cls), 4);
        n++;
        ebb_arena_fini(&arena);
    }
    jdwp_put(out, n, 4);
    ebb_buf_add(out, ebb_buf_text(&rows), rows.n);
    ebb_buf_fini(&rows);
    ebb_vec_fini(&ids);
    return error;
}

jdwp_error jd_do_all_classes(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    return put_all(d, false, out);
}

jdwp_error jd_do_all_classes_generic(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    return put_all(d, true, out);
}

/* "[Ljava/lang/String;" as the machine calls it: "java.lang.String[]". */
static char *name_of(ebb_arena *arena, const char *signature)
{
    static const struct { char letter; const char *word; } words[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"}, {'S', "short"},
        {'I', "int"}, {'J', "long"}, {'F', "float"}, {'D', "double"}, {'V', "void"}};
    size_t dimensions = strspn(signature, "[");
    const char *at = signature + dimensions;
    ebb_buf name = {0};
    if (*at == 'L')
        for (at++; *at && *at != ';'; at++)
            ebb_buf_addc(&name, *at == '/' ? '.' : *at == '.' ? '/' : *at);
    for (size_t i = 0; signature[dimensions] != 'L' && i < sizeof words / sizeof *words; i++)
        if (words[i].letter == *at)
            ebb_buf_adds(&name, words[i].word);
    while (dimensions-- > 0)
        ebb_buf_adds(&name, "[]");
    char *text = ebb_arena_strdup(arena, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return text;
}

jdwp_error jd_do_classes_by_signature(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_class_ids ids = {0};
    const char *signature = jdwp_text(in, &arena);
    jdwp_error error = !jd_machine(d) ? JDWP_VM_DEAD : JDWP_FINE;
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_classes_named(jd_machine(d), name_of(&arena, signature), &ids, NULL));
    jdwp_put(out, ids.n, 4);
    for (size_t i = 0; i < ids.n; i++) {
        const java_class *cls;
        bool found = jd_class(d, ids.items[i], &cls) == JDWP_FINE;
        jdwp_put(out, found ? jd_tag_of_class(cls) : JDWP_TAG_CLASS, 1);
        jdwp_put(out, ids.items[i], 8);
        jdwp_put(out, found ? status_of(d, cls) : 0, 4);
    }
    ebb_vec_fini(&ids);
    ebb_arena_fini(&arena);
    return error;
}

/* Classes of an answer: how many they are comes before them, and is known after them. */
typedef struct class_rows {
    ebb_buf bytes;
    uint32_t n;
} class_rows;

static void class_rows_add(class_rows *rows, const java_class *cls)
{
    jdwp_put(&rows->bytes, jd_tag_of_class(cls), 1);
    jdwp_put(&rows->bytes, cls->id, 8);
    rows->n++;
}

/* And frees them. */
static void class_rows_put(class_rows *rows, ebb_buf *out)
{
    jdwp_put(out, rows->n, 4);
    ebb_buf_add(out, ebb_buf_text(&rows->bytes), rows->bytes.n);
    ebb_buf_fini(&rows->bytes);
}

jdwp_error jd_do_nested(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls, *inner;
    java_class_ids ids = {0};
    class_rows rows = {0};
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    char *prefix = ebb_asprintf("%s$", cls->name);
    error = jd_error(loaded(d, prefix, &ids));
    for (size_t i = 0; i < ids.n; i++) {
        if (jd_class(d, ids.items[i], &inner) != JDWP_FINE || strchr(inner->name + strlen(prefix), '$') || inner->is_array)
            continue;
        class_rows_add(&rows, inner);
    }
    class_rows_put(&rows, out);
    ebb_vec_fini(&ids);
    free(prefix);
    return error;
}

static bool is_seen_by(jd *d, java_ref loader, java_ref definer)
{
    while (loader && loader != definer)
        loader = jd_named_reference(d, loader, "parent");
    return loader == definer;
}

/* Those that the loader defined, or one that it asks before it defines any itself. */
jdwp_error jd_do_visible_classes(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref loader = jdwp_object(in);
    java_class_ids ids = {0};
    class_rows rows = {0};
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    jdwp_error error = jd_error(loaded(d, "", &ids));
    for (size_t i = 0; i < ids.n; i++) {
        const java_class *cls;
        if (jd_class(d, ids.items[i], &cls) != JDWP_FINE || cls->is_primitive || !is_seen_by(d, loader, cls->loader))
            continue;
        class_rows_add(&rows, cls);
    }
    class_rows_put(&rows, out);
    ebb_vec_fini(&ids);
    return error;
}
