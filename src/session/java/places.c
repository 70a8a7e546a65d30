/* places.c - places in bytecode: lines, methods, bytecode indices. */
#include "session/java/java.h"
#include "session/java/to_come.h"
#include "session/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BCI_NATIVE = 0xffff, ACC_BRIDGE = 0x0040, ACC_SYNTHETIC = 0x1000 };

/* ---- lines ---------------------------------------------------------------------------------- */

/* Index of the row that covers the bytecode; the number of rows if none does. */
static size_t row_at(const java_code *code, unsigned bci)
{
    size_t found = code->n_lines;
    for (size_t i = 0; i < code->n_lines && code->lines[i].bci <= bci; i++)
        found = i;
    return found;
}

static machine_place end_of_row(machine_place method, const java_code *code, size_t row)
{
    return method + (row + 1 < code->n_lines ? code->lines[row + 1].bci : code->nbytes);
}

bool ses_java_line_at(session *s, machine_place place, ses_java_line *line)
{
    const java_code *code;
    machine_place method = java_place_method(place);
    if (!s->machine || java_place_bci(place) == BCI_NATIVE ||
        jvm_remote_code(s->machine, method, &code, NULL) != EBB_OK)
        return false;
    size_t row = row_at(code, java_place_bci(place));
    if (row == code->n_lines)
        return false;
    *line = (ses_java_line){.line = code->lines[row].line,
                            .lo = method + code->lines[row].bci,
                            .hi = end_of_row(method, code, row)};
    return true;
}

bool ses_java_begins_line(session *s, machine_place place)
{
    const java_code *code;
    ses_java_line line;
    if (!ses_java_line_at(s, place, &line) || jvm_remote_code(s->machine, java_place_method(place), &code, NULL) != EBB_OK)
        return false;
    bool begins = place == line.lo;
    for (size_t i = 0; i < code->n_loops; i++)
        begins |= code->loops[i] == java_place_bci(place);
    return begins;
}

void ses_java_place_words(session *s, machine_place place, bool to_instruction, ebb_buf *text)
{
    ebb_arena arena = {0};
    ses_java_line line;
    const java_class *cls;
    if (!to_instruction && ses_java_line_at(s, place, &line) && ses_java_method(s, place, &cls) &&
        cls->source)
        ebb_buf_addf(text, "%s:%u", cls->source, line.line);
    else if (java_place_bci(place) == BCI_NATIVE)
        ebb_buf_addf(text, "%s", ses_java_method_name(s, &arena, place, false));
    else
        ebb_buf_addf(text, "%s:%u", ses_java_method_name(s, &arena, place, false), java_place_bci(place));
    ebb_arena_fini(&arena);
}

/* ---- parsing -------------------------------------------------------------------------------- */

ebb_status ses_java_where_here(session *s, ebb_arena *arena, ses_where *where, ebb_error *err)
{
    const ses_frame *frame;
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK || java_place_bci(frame->pc) == BCI_NATIVE)
        return ebb_fail(err, EBB_BAD_INPUT, "There is no place to stop at here; name one.");
    *where = (ses_where){.kind = SES_WHERE_FUNCTION,
                         .function = ses_java_method_name(s, arena, frame->pc, true),
                         .has_offset = true,
                         .offset = java_place_bci(frame->pc)};
    return EBB_OK;
}

static bool is_source_file(const char *name)
{
    size_t n = strlen(name), suffix = strlen(".java");
    return n > suffix && strcmp(name + n - suffix, ".java") == 0;
}

/* "Main.java:17", "Main.add", "Main.add(int,String)", "Main.add:12", "add". */
ebb_status ses_java_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where,
                                ebb_error *err)
{
    (void)s;
    const char *closing = strrchr(text, ')'), *colon = strrchr(closing ? closing : text, ':');
    char *name = ebb_text_rtrim(ebb_arena_strndup(arena, text, colon ? (size_t)(colon - text) : strlen(text)));
    if (*name == '\0' || *text == '*')
        return ebb_fail(err, EBB_BAD_INPUT,
                        "\"%.80s\" names no place; write FILE.java:LINE, CLASS.METHOD or CLASS.METHOD:BCI.", text);
    where->kind = SES_WHERE_FUNCTION;
    where->function = name;
    if (!colon)
        return EBB_OK;
    const char *number = ebb_text_skip_space(colon + 1);
    if (is_source_file(name)) {
        where->kind = SES_WHERE_LINE;
        where->file = name;
        return ses_where_parse_line(number, &where->line, err);
    }
    where->has_offset = true;
    return ses_where_parse_line(number, &where->offset, err);
}

/* ---- methods -------------------------------------------------------------------------------- */

/* "Main.add(int)" in its parts; either pointer may be NULL. */
typedef struct method_name {
    const char *cls, *method, *parameters;
} method_name;

static method_name split(ebb_arena *arena, const char *function)
{
    method_name name = {0};
    char *text = ebb_arena_strdup(arena, function), *open = strchr(text, '(');
    if (open) {
        *open = '\0';
        char *close = strrchr(open + 1, ')');
        if (close)
            *close = '\0';
        name.parameters = open + 1;
        ebb_text_rtrim(text);
    }
    char *dot = strrchr(text, '.');
    if (dot) {
        *dot = '\0';
        name.cls = text;
        name.method = dot + 1;
    } else
        name.method = text;
    return name;
}

/* Whether one typed parameter ("String", "int[]", "java.util.List") is that type. */
static bool is_parameter(const char *typed, size_t n, const char *type)
{
    if (strlen(type) == n && strncmp(type, typed, n) == 0)
        return true;
    const char *simple = ses_java_simple_name(type), *inner = strrchr(simple, '$');
    return (strlen(simple) == n && strncmp(simple, typed, n) == 0) ||
           (inner && strlen(inner + 1) == n && strncmp(inner + 1, typed, n) == 0);
}

static bool has_parameters(const java_method *method, const char *typed)
{
    const char *at = method->descriptor + 1;
    bool same = true;
    for (typed = ebb_text_skip_space(typed); same && *at && *at != ')';) {
        ebb_buf type = {0};
        ses_java_type_words(&at, &type);
        size_t n = strcspn(typed, ",");
        size_t trimmed = n;
        while (trimmed > 0 && isspace((unsigned char)typed[trimmed - 1]))
            trimmed--;
        same = trimmed > 0 && is_parameter(typed, trimmed, ebb_buf_text(&type));
        typed = ebb_text_skip_space(typed + n + (typed[n] == ','));
        ebb_buf_fini(&type);
    }
    return same && *typed == '\0';
}

static void add_spot(session *s, const java_class *cls, machine_place place, sym_spots *spots)
{
    ebb_arena arena = {0};
    ses_java_line line;
    bool has_line = ses_java_line_at(s, place, &line);
    const char *file = has_line ? ses_java_source_of(s, cls) : NULL;
    sym_spot spot = {
        .addr = place,
        .function = ses_intern(s, ses_java_method_name(s, &arena, place, false)),
        .file = file ? ses_intern(s, file) : NULL,
        .file_name = file ? ses_intern(s, cls->source) : NULL,
        .line = has_line ? line.line : 0,
    };
    ebb_vec_push(spots, spot);
    ebb_arena_fini(&arena);
}

/* A bytecode index has to be where an instruction begins. */
static bool begins_instruction(session *s, const java_method *method, unsigned bci)
{
    machine_insn insn;
    unsigned at = 0;
    while (at < bci && s->machine->ops->decode(s->machine, method->id + at, &insn, NULL) == EBB_OK &&
           insn.nbytes > 0)
        at += insn.nbytes;
    return at == bci && bci < method->n_code;
}

static bool is_named(const java_method *method, const method_name *name)
{
    return strcmp(method->name, name->method) == 0 && (!name->parameters || has_parameters(method, name->parameters));
}

/* A bridge is there for the compiler: it calls the method that somebody wrote.  Who gives its parameters or an instruction of it means it. */
static bool has_written(const java_class *cls, const method_name *name)
{
    for (size_t i = 0; i < cls->n_methods; i++)
        if (is_named(&cls->methods[i], name) && !(cls->methods[i].access & ACC_BRIDGE))
            return true;
    return false;
}

typedef struct method_search {
    const method_name *name;
    const ses_where *where;
    sym_spots *spots; /* of those found */
    bool any;         /* some were found, if only without bytecode */
} method_search;

static ebb_status search_class(session *s, const java_class *cls, method_search *search, ebb_error *err)
{
    const method_name *name = search->name;
    const ses_where *where = search->where;
    sym_spots *spots = search->spots;
    bool skips_bridges = !name->parameters && !where->has_offset && has_written(cls, name);
    const java_method *missed = NULL;
    size_t before = spots->n;
    for (size_t i = 0; i < cls->n_methods; i++) {
        const java_method *method = &cls->methods[i];
        if (!is_named(method, name) || (skips_bridges && method->access & ACC_BRIDGE))
            continue;
        search->any = true;
        if (method->n_code == 0)
            continue;
        if (where->has_offset && !begins_instruction(s, method, where->offset))
            missed = method;
        else
            add_spot(s, cls, method->id + (where->has_offset ? where->offset : 0), spots);
    }
    if (missed && spots->n == before)
        return ebb_fail(err, EBB_BAD_INPUT, "No bytecode of %s.%s begins at %u; `disassemble %s` shows them.", cls->name,
                        missed->name, where->offset, where->function);
    return EBB_OK;
}

static ebb_status fail_waiting(const char *what, ebb_error *err)
{
    return ebb_fail(err, EBB_NOT_FOUND, "%s is not loaded (yet).", what);
}

/* The classes in which a method is looked for: the named one, the frame's, or the program's main class. */
static ebb_status classes_for(session *s, const method_name *name, java_class_ids *classes, ebb_error *err)
{
    if (name->cls)
        return ses_java_classes(s, name->cls, classes, err);
    java_class_id scope = ses_java_scope_class(s);
    if (scope)
        ebb_vec_push(classes, scope);
    return EBB_OK;
}

/* "Main:12", as jdb writes a line. */
static bool is_class_line(session *s, const ses_where *where, java_class_ids *classes)
{
    return where->has_offset && !strchr(where->function, '(') &&
           ses_java_classes(s, where->function, classes, NULL) == EBB_OK && classes->n > 0;
}

static ebb_status line_spots(session *s, const java_class_ids *classes, const char *file, unsigned line,
                             sym_spots *spots, ebb_error *err);

static ebb_status method_spots(session *s, ebb_arena *arena, const ses_where *where,
                               java_class_ids *classes, sym_spots *spots, ebb_error *err)
{
    if (is_class_line(s, where, classes))
        return line_spots(s, classes, where->function, where->offset, spots, err);
    method_name name = split(arena, where->function);
    EBB_TRY(classes_for(s, &name, classes, err));
    method_search search = {.name = &name, .where = where, .spots = spots};
    const java_class *cls = NULL;
    size_t before = spots->n;
    for (size_t i = 0; i < classes->n; i++) {
        EBB_TRY(jvm_remote_class(s->machine, classes->items[i], &cls, err));
        EBB_TRY(search_class(s, cls, &search, err));
    }
    if (!name.cls && !search.any) { /* not in the frame's class: in the program's main class */
        java_class_ids main = {0};
        ebb_status status =
            s->java->main_class ? ses_java_classes(s, s->java->main_class, &main, err) : EBB_OK;
        for (size_t i = 0; status == EBB_OK && i < main.n; i++) {
            status = jvm_remote_class(s->machine, main.items[i], &cls, err);
            if (status == EBB_OK)
                status = search_class(s, cls, &search, err);
        }
        ebb_vec_fini(&main);
        EBB_TRY(status);
    }
    if (spots->n > before)
        return EBB_OK;
    if (search.any)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s has no bytecode: it is native or abstract.", where->function);
    if (cls)
        return ebb_fail(err, EBB_BAD_INPUT, "There is no method %s%s%s%s in class %s.", name.method,
                        name.parameters ? "(" : "", name.parameters ? name.parameters : "",
                        name.parameters ? ")" : "", cls->name);
    return fail_waiting(where->function, err);
}

/* ---- lines to places ------------------------------------------------------------------------ */

/* What one line means in one method: where its code begins, or else which line the method has next. */
static bool line_in_method(const java_code *code, unsigned line, unsigned *bci, unsigned *next)
{
    unsigned first = ~0u, last = 0, found = ~0u;
    *next = 0;
    for (size_t i = 0; i < code->n_lines; i++) {
        unsigned at = code->lines[i].line;
        if (at == line && code->lines[i].bci < found)
            found = code->lines[i].bci;
        if (at > line && (*next == 0 || at < *next))
            *next = at;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    *bci = found;
    /* Classes that aren't loaded yet may have code between two methods: only a line within one moves on, or the one or
     * two right above it (its declaration). */
    if (line > last || (line < first && first - line > 2))
        *next = 0;
    return found != ~0u;
}

/* A class that the compiler made for a switch over an enum fills its table there, on the line of the switch. */
static bool is_made_up(const java_class *cls, const java_method *method)
{
    return cls->access & ACC_SYNTHETIC && strcmp(method->name, "<clinit>") == 0;
}

/* A `finally` is there once for each way out of its `try`; the rest of a line that goes on is none of these. */
static void add_copies(session *s, const java_class *cls, machine_place first, const java_code *code, sym_spots *spots)
{
    size_t of = row_at(code, java_place_bci(first));
    for (size_t i = 0; i < code->n_lines; i++)
        if (i != of && code->lines[i].line == code->lines[of].line && (i == 0 || code->lines[i - 1].line != code->lines[i].line) &&
            jvm_remote_is_copied_row(code, i, of))
            add_spot(s, cls, java_place_method(first) + code->lines[i].bci, spots);
}

static void spots_of_line_in(session *s, const java_class *cls, unsigned line, sym_spots *spots, unsigned *next)
{
    for (size_t i = 0; i < cls->n_methods; i++) {
        const java_code *code;
        unsigned bci, after;
        if (cls->methods[i].n_code == 0 || !cls->methods[i].has_lines || is_made_up(cls, &cls->methods[i]) ||
            jvm_remote_code(s->machine, cls->methods[i].id, &code, NULL) != EBB_OK)
            continue;
        if (line_in_method(code, line, &bci, &after)) {
            add_spot(s, cls, cls->methods[i].id + bci, spots);
            add_copies(s, cls, cls->methods[i].id + bci, code, spots);
        } else if (after && (*next == 0 || after < *next))
            *next = after;
    }
}

/* Whether nothing on that line could be executed.  (A line in the middle of a comment of another style is taken for code: then nothing is found, as before.) */
static bool is_empty_line(const char *text)
{
    static const char *const beginnings[] = {"//", "/*", "*", "@", "import ", "package "};
    if (!text)
        return true; /* line 0 */
    text = ebb_text_skip_space(text);
    bool is_empty = text[strspn(text, "{}(); \t\r")] == '\0';
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is_empty |= ebb_text_starts(text, beginnings[i]);
    return is_empty;
}

/* Where no block ends before the next line, whatever is on these belongs to the class that has that one, or to one around it: it is loaded. */
static bool ends_no_block(session *s, const char *path, unsigned line, unsigned next)
{
    while (line < next && !strchr(ses_source_text(s, path, line), '}'))
        line++;
    return line == next;
}

/* The next line is meant where this one and those between have no code, and none can come.  Where no class file tells that, the source does, or a line that
 * says nothing. */
static bool may_slide(session *s, const java_class_ids *classes, unsigned line, unsigned next)
{
    const java_class *cls;
    ses_java_to_come to_come = ses_java_lines_to_come(s, classes, (ses_java_lines){line, next});
    if (to_come != SES_JAVA_UNKNOWN)
        return to_come == SES_JAVA_NEVER;
    const char *path = jvm_remote_class(s->machine, classes->items[0], &cls, NULL) == EBB_OK ? ses_java_source_of(s, cls) : NULL;
    unsigned n;
    return path && ses_source_count(s, path, &n) && next <= n && (is_empty_line(ses_source_text(s, path, line)) || ends_no_block(s, path, line, next));
}

static ebb_status line_spots(session *s, const java_class_ids *classes, const char *file, unsigned line,
                             sym_spots *spots, ebb_error *err)
{
    size_t before = spots->n;
    unsigned next = 0;
    for (int again = 0; again < 2 && spots->n == before && (again == 0 || next); again++) {
        unsigned wanted = again ? next : line;
        if (again && !may_slide(s, classes, line, next))
            break;
        for (size_t i = 0; i < classes->n; i++) {
            const java_class *cls;
            if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) == EBB_OK)
                spots_of_line_in(s, cls, wanted, spots, &next);
        }
    }
    if (spots->n > before)
        return EBB_OK;
    return ebb_fail(err, EBB_NOT_FOUND, "There is no code at line %u of %s (yet).", line, file);
}

/* "demo/Main.java" means only classes of that package; full paths are compared as far as the package says. */
static bool is_of_file(session *s, const java_class *cls, const char *file)
{
    const char *path = ses_java_source_of(s, cls);
    size_t n = strlen(file), m = path ? strlen(path) : 0;
    if (!strchr(file, '/') || !path)
        return true;
    char *whole = realpath(file, NULL); /* of "../src/Main.java", or through a link */
    bool is_same = whole && strcmp(whole, path) == 0;
    free(whole);
    return is_same || (m >= n && strcmp(path + m - n, file) == 0 && (m == n || path[m - n - 1] == '/')) ||
           (n > m && strcmp(file + n - m, path) == 0);
}

/* Those that are meant: of a file that both the program and the JDK have, the program's. */
static void keep_meant(session *s, const char *file, java_class_ids *classes)
{
    size_t kept = 0, n_own = 0;
    for (size_t i = 0; i < classes->n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) != EBB_OK || !is_of_file(s, cls, file) ||
            (cls->is_library && n_own > 0))
            continue;
        if (!cls->is_library && n_own++ == 0)
            kept = 0;
        classes->items[kept++] = classes->items[i];
    }
    classes->n = kept;
}

/* A line that the file has may be code of a class that is still to come; one that it doesn't have is a mistake. */
static ebb_status check_line_exists(session *s, const java_class_ids *classes, const ses_where *where, ebb_error *err)
{
    const java_class *cls;
    unsigned n;
    EBB_TRY(jvm_remote_class(s->machine, classes->items[0], &cls, err));
    const char *path = ses_java_source_of(s, cls);
    if (path && ses_source_count(s, path, &n) && where->line > n)
        return ebb_fail(err, EBB_BAD_INPUT, "Line number %u out of range; \"%s\" has %u lines.", where->line, ebb_path_base(path), n);
    return EBB_OK;
}

/* The first line from there on that may have code; 0: there is none.  Where the source is not known, every line may. */
static unsigned line_with_code(session *s, const char *path, unsigned line)
{
    unsigned n;
    if (!path || !ses_source_count(s, path, &n))
        return line;
    while (line <= n && is_empty_line(ses_source_text(s, path, line)))
        line++;
    return line <= n ? line : 0;
}

/* A line between two methods means the next one, as gdb has it; whose class may be still to come. */
static ebb_status next_line_spots(session *s, const ses_where *where, const java_class_ids *classes, sym_spots *spots, ebb_error *err)
{
    const java_class *cls;
    EBB_TRY(jvm_remote_class(s->machine, classes->items[0], &cls, err));
    unsigned line = line_with_code(s, ses_java_source_of(s, cls), where->line);
    ses_java_lines between = {where->line, (line ? line : where->line) + 1};
    if (ses_java_lines_to_come(s, classes, between) == SES_JAVA_LATER)
        return ebb_fail(err, EBB_NOT_FOUND, "Line %u of %s is code of a class that is not loaded yet.", where->line, ebb_path_base(where->file));
    if (line == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "There is no code at line %u of %s, nor after it.", where->line, ebb_path_base(where->file));
    return line_spots(s, classes, ebb_path_base(where->file), line, spots, err);
}

static ebb_status classes_of_file(session *s, const char *file, java_class_ids *classes, ebb_error *err)
{
    EBB_TRY(jvm_remote_classes_of_source(s->machine, ebb_path_base(file), classes, err));
    keep_meant(s, file, classes);
    return classes->n ? EBB_OK : fail_waiting(file, err);
}

/* Of these classes, which are loaded, or of those that they will bring along. */
static bool has_code_in(session *s, const java_class_ids *classes, unsigned line)
{
    sym_spots spots = {0};
    unsigned next = 0;
    for (size_t i = 0; i < classes->n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) == EBB_OK)
            spots_of_line_in(s, cls, line, &spots, &next);
    }
    bool has = spots.n || ses_java_lines_to_come(s, classes, (ses_java_lines){line, line + 1}) == SES_JAVA_LATER;
    ebb_vec_fini(&spots);
    return has;
}

static bool may_be_code(const char *text)
{
    return !is_empty_line(text) || (text && strchr(text, '}')); /* a method's end returns */
}

/* Before any class of the file is loaded, a line that says something may be code: a breakpoint waits there. */
ebb_status ses_java_line_has_code(session *s, const char *file, unsigned line, bool *has, ebb_error *err)
{
    java_class_ids classes = {0};
    unsigned n;
    bool is_loaded = s->machine && classes_of_file(s, file, &classes, NULL) == EBB_OK;
    bool is_known = is_loaded || ses_source_count(s, file, &n);
    *has = is_loaded ? has_code_in(s, &classes, line) : is_known && line <= n && may_be_code(ses_source_text(s, file, line));
    ebb_vec_fini(&classes);
    return is_known ? EBB_OK : fail_waiting(file, err);
}

static ebb_status file_line_spots(session *s, const ses_where *where, java_class_ids *classes,
                                  sym_spots *spots, ebb_error *err)
{
    EBB_TRY(classes_of_file(s, where->file, classes, err));
    EBB_TRY(check_line_exists(s, classes, where, err));
    if (line_spots(s, classes, ebb_path_base(where->file), where->line, spots, NULL) == EBB_OK)
        return EBB_OK;
    return next_line_spots(s, where, classes, spots, err);
}

ebb_status ses_java_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err)
{
    if (!s->machine)
        return fail_waiting(where->kind == SES_WHERE_LINE ? where->file : where->function, err);
    ebb_arena arena = {0};
    java_class_ids classes = {0};
    ebb_status status = where->kind == SES_WHERE_LINE
                            ? file_line_spots(s, where, &classes, spots, err)
                            : method_spots(s, &arena, where, &classes, spots, err);
    ebb_vec_fini(&classes);
    ebb_arena_fini(&arena);
    return status;
}

const char *ses_java_where_awaits(session *s, ebb_arena *arena, const ses_where *where)
{
    if (where->kind == SES_WHERE_LINE)
        return ebb_path_base(where->file);
    method_name name = split(arena, where->function);
    if (where->has_offset && !name.parameters && !name.cls)
        return name.method; /* "Main:12": a class */
    return name.cls ? name.cls : s->java->main_class;
}

ebb_status ses_java_where_line(session *s, ebb_arena *arena, const ses_where *where, const char **file,
                               unsigned *line, ebb_error *err)
{
    (void)arena;
    sym_spots spots = {0};
    ebb_status status = ses_java_where_spots(s, where, &spots, err);
    if (status == EBB_OK && !spots.items[0].file)
        status = ebb_fail(err, EBB_NOT_FOUND, "%s has no line numbers; `disassemble %s` shows its bytecode.",
                          spots.items[0].function, where->function);
    if (status == EBB_OK) {
        *file = spots.items[0].file;
        *line = spots.items[0].line;
    }
    ebb_vec_fini(&spots);
    return status;
}
