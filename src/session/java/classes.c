/* classes.c - classes and methods as users name them, and those that breakpoints wait for. */
#include "session/java/java.h"
#include "session/java/requests.h"
#include "session/points.h"
#include "session/watch.h"

#include <string.h>

/* ---- words ---------------------------------------------------------------------------------- */

const char *ses_java_simple_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

unsigned ses_java_slots_of(char type)
{
    return type == 'J' || type == 'D' ? 2 : 1;
}

static const char *primitive_word(char letter)
{
    switch (letter) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    case 'V': return "void";
    default: return NULL;
    }
}

void ses_java_type_words(const char **at, ebb_buf *text)
{
    unsigned dimensions = 0;
    for (; **at == '['; ++*at)
        dimensions++;
    const char *word = primitive_word(**at);
    if (word) {
        ebb_buf_adds(text, word);
        ++*at;
    } else if (**at == 'L') {
        for (++*at; **at && **at != ';'; ++*at)
            ebb_buf_addc(text, **at == '/' ? '.' : **at);
        *at += **at == ';';
    } else
        *at += strlen(*at);
    while (dimensions-- > 0)
        ebb_buf_adds(text, "[]");
}

const char *ses_java_next_type(const char *at)
{
    at += strspn(at, "[");
    return *at == 'L' ? at + strcspn(at, ";") + (strchr(at, ';') != NULL) : at + (primitive_word(*at) ? 1 : strlen(at));
}

const java_method *ses_java_method(session *s, machine_place place, const java_class **cls)
{
    if (jvm_remote_class(s->machine, java_place_class(place), cls, NULL) != EBB_OK)
        return NULL;
    for (size_t i = 0; i < (*cls)->n_methods; i++)
        if ((*cls)->methods[i].id == java_place_method(place))
            return &(*cls)->methods[i];
    return NULL;
}

char *ses_java_method_name(session *s, ebb_arena *arena, machine_place place, bool with_parameters)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, place, &cls);
    if (!method)
        return ebb_arena_strdup(arena, "??");
    ebb_buf name = {0};
    ebb_buf_addf(&name, "%s.%s", cls->name, method->name);
    if (with_parameters) {
        const char *at = method->descriptor + 1;
        ebb_buf_addc(&name, '(');
        for (bool first = true; *at && *at != ')'; first = false) {
            ebb_buf_adds(&name, first ? "" : ", ");
            ses_java_type_words(&at, &name);
        }
        ebb_buf_addc(&name, ')');
    }
    char *text = ebb_arena_strdup(arena, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return text;
}

/* ---- looking for classes -------------------------------------------------------------------- */

java_class_id ses_java_scope_class(session *s)
{
    const ses_frame *frame;
    if (s->scope.is_set)
        return java_place_class(s->scope.pc);
    return ses_frame_selected(s, &frame, NULL) == EBB_OK ? java_place_class(frame->pc) : 0;
}

/* The name itself, then with its dots from the right as '$': an inner class. */
static ebb_status named_or_inner(session *s, const char *name, java_class_ids *out, ebb_error *err)
{
    char *spelled = ebb_strdup(name);
    ebb_status status = jvm_remote_classes_named(s->machine, spelled, out, err);
    for (char *dot; status == EBB_OK && out->n == 0 && (dot = strrchr(spelled, '.')) != NULL;) {
        *dot = '$';
        status = jvm_remote_classes_named(s->machine, spelled, out, err);
    }
    free(spelled);
    return status;
}

/* As the code of the selected frame would mean it: inner classes of its own and of those around it, its package. */
static ebb_status seen_from_scope(session *s, const char *name, java_class_ids *out, ebb_error *err)
{
    const java_class *scope;
    java_class_id id = ses_java_scope_class(s);
    if (!id || jvm_remote_class(s->machine, id, &scope, NULL) != EBB_OK)
        return EBB_OK;
    char *around = ebb_strdup(scope->name);
    ebb_status status = EBB_OK;
    for (char *cut = around + strlen(around); status == EBB_OK && out->n == 0 && cut;) {
        *cut = '\0';
        char *inner = ebb_asprintf("%s$%s", around, name);
        status = named_or_inner(s, inner, out, err);
        free(inner);
        cut = strrchr(around, '$');
    }
    char *dot = strrchr(around, '.');
    if (status == EBB_OK && out->n == 0 && dot) {
        *dot = '\0';
        char *sibling = ebb_asprintf("%s.%s", around, name);
        status = named_or_inner(s, sibling, out, err);
        free(sibling);
    }
    free(around);
    return status;
}

/* Of the library, what people write without its package: not HashMap$Node as "Node", nor what is the JDK's own affair. */
static bool is_known_by_name(const java_class *cls)
{
    return strncmp(cls->name, "java.", 5) == 0 || strncmp(cls->name, "javax.", 6) == 0;
}

static bool is_called(const java_class *cls, const char *simple)
{
    const char *own = ses_java_simple_name(cls->name), *inner = strrchr(own, '$');
    if (strcmp(own, simple) == 0 || (inner && !cls->is_library && strcmp(inner + 1, simple) == 0))
        return true;
    size_t n = strlen(own);
    bool same = strlen(simple) == n;
    for (size_t i = 0; same && i < n; i++) /* "Outer.Inner" is "Outer$Inner" */
        same = own[i] == simple[i] || (own[i] == '$' && simple[i] == '.');
    return same;
}

/* Among all that are loaded; one of the program's own hides those of the library. */
static ebb_status called(session *s, const char *simple, java_class_ids *out, ebb_error *err)
{
    enum { MOST = 100000 };
    java_class_ids all = {0}, of_library = {0};
    ebb_status status = jvm_remote_classes_like(s->machine, "", MOST, &all, err);
    for (size_t i = 0; status == EBB_OK && i < all.n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, all.items[i], &cls, NULL) != EBB_OK || cls->is_array ||
            !is_called(cls, simple))
            continue;
        if (!cls->is_library)
            ebb_vec_push(out, cls->id);
        else if (is_known_by_name(cls))
            ebb_vec_push(&of_library, cls->id);
    }
    for (size_t i = 0; out->n == 0 && i < of_library.n; i++)
        ebb_vec_push(out, of_library.items[i]);
    ebb_vec_fini(&all);
    ebb_vec_fini(&of_library);
    return status;
}

ebb_status ses_java_classes(session *s, const char *name, java_class_ids *out, ebb_error *err)
{
    if (!s->machine)
        return EBB_OK;
    EBB_TRY(named_or_inner(s, name, out, err));
    if (out->n == 0)
        EBB_TRY(seen_from_scope(s, name, out, err));
    if (out->n == 0) {
        char *standard = ebb_asprintf("java.lang.%s", name);
        ebb_status status = named_or_inner(s, standard, out, err);
        free(standard);
        EBB_TRY(status);
    }
    return out->n == 0 ? called(s, name, out, err) : EBB_OK;
}

/* ---- classes that are waited for ------------------------------------------------------------ */

static void await(session *s, const ses_bp *bp, ebb_arena *arena, ses_name_list *names)
{
    ses_where where;
    const char *of_watched = ses_bp_is_watch(bp) ? ses_java_watch_awaits(ses_watch_target(bp)) : NULL;
    if (of_watched)
        ebb_vec_push(names, of_watched);
    if (bp->view.kind != SES_BP_BREAK || bp->at_address ||
        ses_where_parse(s, arena, ses_bp_where(bp), &where, NULL) != EBB_OK)
        return;
    if (where.kind == SES_WHERE_LINE && bp->default_file)
        where.file = bp->default_file;
    const char *name = ses_java_where_awaits(s, arena, &where);
    if (!name)
        return;
    ebb_vec_push(names, name);
    if (where.kind == SES_WHERE_LINE)
        return;
    /* "Outer.Inner.f" waits for Outer$Inner, "Inner.f" too; a class without its package mostly has its name from its file. */
    if (!strpbrk(name, ".$*"))
        ebb_vec_push(names, ebb_arena_printf(arena, "*$%s", name));
    char *inner = ebb_arena_strdup(arena, name);
    for (char *dot; (dot = strrchr(inner, '.')) != NULL;) {
        *dot = '$';
        ebb_vec_push(names, ebb_arena_strdup(arena, inner));
    }
    const char *outer = ebb_arena_strndup(arena, name, strcspn(name, "$"));
    ebb_vec_push(names, ebb_arena_printf(arena, "%.*s.java", (int)strcspn(outer, "."), outer));
    ebb_vec_push(names, ebb_arena_printf(arena, "%s.java", ses_java_simple_name(outer)));
}

void ses_java_await_code(session *s)
{
    ebb_arena arena = {0};
    ses_name_list names = {0};
    if (!s->machine)
        return;
    for (size_t i = 0; i < s->breakpoints.n; i++)
        await(s, s->breakpoints.items[i], &arena, &names);
    ses_java_requests_await(s, &names);
    if (s->java->starting)
        ebb_vec_push(&names, "sun.launcher.LauncherHelper");
    (void)!jvm_remote_want_classes(s->machine, names.items, names.n, NULL);
    ebb_vec_fini(&names);
    ebb_arena_fini(&arena);
}

bool ses_java_sync_code(session *s)
{
    ses_java_await_code(s);
    if (s->java->starting)
        return ses_java_start_sync(s);
    return true;
}
