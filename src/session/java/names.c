/* names.c - names of classes, methods and variables, for completion; the list of loaded classes. */
#include "session/java/java.h"

#include <string.h>

enum { MOST = 2000 };

static void add(session *s, ses_name_list *out, const char *name)
{
    const char *kept = ses_intern(s, name);
    for (size_t i = 0; i < out->n; i++)
        if (out->items[i] == kept)
            return;
    if (out->n < MOST)
        ebb_vec_push(out, kept);
}

/* ---- code ----------------------------------------------------------------------------------- */

/* "Main.ad": methods of Main that begin with "ad". */
static void add_methods(session *s, ebb_arena *arena, const char *prefix, const char *dot, ses_name_list *out)
{
    java_class_ids classes = {0};
    char *name = ebb_arena_strndup(arena, prefix, (size_t)(dot - prefix));
    if (ses_java_classes(s, name, &classes, NULL) != EBB_OK)
        classes.n = 0;
    for (size_t i = 0; i < classes.n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes.items[i], &cls, NULL) != EBB_OK)
            continue;
        for (size_t k = 0; k < cls->n_methods; k++)
            if (ebb_text_starts(cls->methods[k].name, dot + 1))
                add(s, out, ebb_arena_printf(arena, "%s.%s", name, cls->methods[k].name));
    }
    ebb_vec_fini(&classes);
}

static void add_own_methods(session *s, const char *prefix, ses_name_list *out)
{
    const java_class *cls;
    java_class_id id = ses_java_scope_class(s);
    if (!id || jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK)
        return;
    for (size_t k = 0; k < cls->n_methods; k++)
        if (ebb_text_starts(cls->methods[k].name, prefix))
            add(s, out, cls->methods[k].name);
}

/* All classes, and, where a file may stand, the files that they come from; the library's only if something is typed. */
static void add_classes(session *s, unsigned kinds, const char *prefix, ses_name_list *out)
{
    java_class_ids classes = {0};
    if (jvm_remote_classes_like(s->machine, kinds & SES_NAMES_FILES ? "" : prefix, 50 * MOST, &classes, NULL) != EBB_OK)
        classes.n = 0;
    for (size_t i = 0; i < classes.n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes.items[i], &cls, NULL) != EBB_OK || cls->is_array ||
            (cls->is_library && !*prefix))
            continue;
        if (ebb_text_starts(cls->name, prefix))
            add(s, out, cls->name);
        if (kinds & SES_NAMES_FILES && cls->source && !cls->is_library && ebb_text_starts(cls->source, prefix))
            add(s, out, cls->source);
    }
    ebb_vec_fini(&classes);
}

static void add_locals(session *s, ebb_arena *arena, const char *prefix, ses_name_list *out)
{
    const ses_frame *frame;
    ses_java_variables variables = {0};
    if (ses_frame_selected(s, &frame, NULL) == EBB_OK &&
        ses_java_variables_of(s, arena, frame, &variables, NULL) == EBB_OK)
        for (size_t i = 0; i < variables.n; i++)
            if (ebb_text_starts(variables.items[i].name, prefix))
                add(s, out, variables.items[i].name);
    ebb_vec_fini(&variables);
}

static void add_own_fields(session *s, const char *prefix, ses_name_list *out)
{
    const java_class *cls;
    for (java_class_id id = ses_java_scope_class(s); id && jvm_remote_class(s->machine, id, &cls, NULL) == EBB_OK;
         id = cls->super)
        for (size_t i = 0; i < cls->n_fields; i++)
            if (ebb_text_starts(cls->fields[i].name, prefix))
                add(s, out, cls->fields[i].name);
}

ebb_status ses_java_names(session *s, ebb_arena *arena, unsigned kinds, const char *prefix, ses_name_list *out,
                          ebb_error *err)
{
    (void)err;
    const char *dot = strrchr(prefix, '.');
    if (!s->machine) {
        if (kinds & SES_NAMES_FUNCTIONS && s->java->main_class && ebb_text_starts(s->java->main_class, prefix))
            add(s, out, s->java->main_class);
        return EBB_OK;
    }
    if (kinds & SES_NAMES_LOCALS)
        add_locals(s, arena, prefix, out);
    if (kinds & SES_NAMES_VARIABLES)
        add_own_fields(s, prefix, out);
    if (kinds & SES_NAMES_FUNCTIONS && dot)
        add_methods(s, arena, prefix, dot, out);
    else if (kinds & SES_NAMES_FUNCTIONS)
        add_own_methods(s, prefix, out);
    if (kinds & (SES_NAMES_FUNCTIONS | SES_NAMES_TYPES))
        add_classes(s, kinds, prefix, out);
    return EBB_OK;
}

/* ---- members -------------------------------------------------------------------------------- */

ebb_status ses_java_members(session *s, ebb_arena *arena, const char *expression, ses_name_list *out, ebb_error *err)
{
    const expr_node *tree;
    const java_type *type;
    bool is_type_name;
    EBB_TRY(expr_java_parse(arena, expression, &tree, err));
    ebb_status status = expr_java_type_of(arena, &s->java->world, tree, &type, &is_type_name, err);
    ses_java_world_end_calls(s);
    EBB_TRY(status);
    if (type->kind == JAVA_ARRAY)
        add(s, out, "length");
    for (; type && type->info; type = s->java->world.super(s, type)) {
        for (size_t i = 0; i < type->info->n_fields; i++)
            add(s, out, type->info->fields[i].name);
        for (size_t i = 0; i < type->info->n_methods; i++)
            if (type->info->methods[i].name[0] != '<')
                add(s, out, ebb_arena_printf(arena, "%s(", type->info->methods[i].name));
    }
    return EBB_OK;
}

/* ---- info classes --------------------------------------------------------------------------- */

ebb_status ses_java_class_list(session *s, ebb_arena *arena, ses_classes *out, ebb_error *err)
{
    enum { ALL = 1000000 };
    java_class_ids ids = {0};
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_status status = jvm_remote_classes_like(s->machine, "", ALL, &ids, err);
    for (size_t i = 0; status == EBB_OK && i < ids.n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, ids.items[i], &cls, NULL) != EBB_OK || cls->is_array || cls->is_primitive)
            continue;
        ses_class row = {.name = ebb_arena_strdup(arena, cls->name),
                         .source = cls->source ? ebb_arena_strdup(arena, cls->source) : NULL,
                         .path = cls->is_library ? NULL : ses_java_source_of(s, cls),
                         .is_library = cls->is_library};
        ebb_vec_push(out, row);
    }
    ebb_vec_fini(&ids);
    return status;
}

static bool is_among(const sym_names *paths, const char *path)
{
    for (size_t i = 0; i < paths->n; i++)
        if (strcmp(paths->items[i], path) == 0)
            return true;
    return false;
}

static void add_path(sym_names *paths, const char *path)
{
    if (path && !is_among(paths, path))
        ebb_vec_push(paths, path);
}

/* Of a program that has ended: its classes can't be asked any more. */
static void list_last_sources(session *s, sym_names *paths)
{
    const char *const *relative;
    size_t n = s->machine ? jvm_remote_last_sources(s->machine, &relative) : 0;
    for (size_t i = 0; i < n; i++)
        add_path(paths, ses_java_source_around(s, relative[i]));
}

ebb_status ses_java_source_list(session *s, sym_names *paths, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_classes classes = {0};
    bool is_there = ses_need_debuggee(s, NULL) == EBB_OK;
    ebb_status status = is_there ? ses_java_class_list(s, &arena, &classes, err) : EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < classes.n; i++)
        add_path(paths, classes.items[i].path);
    if (!is_there)
        list_last_sources(s, paths);
    ebb_vec_fini(&classes);
    ebb_arena_fini(&arena);
    return status;
}
