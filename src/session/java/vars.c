/* vars.c - arguments and local variables of Java frames, by the tables of their class files or, without, by slot. */
#include "session/java/java.h"

#include <stdlib.h>
#include <string.h>

enum { ACC_STATIC = 0x0008 };

static bool is_listed(const ses_java_variables *variables, const char *name)
{
    for (size_t i = 0; i < variables->n; i++)
        if (strcmp(variables->items[i].name, name) == 0)
            return true;
    return false;
}

/* The row of the table for that slot at that place; NULL if there is none. */
static const java_local *row_of(const java_code *code, unsigned slot, unsigned bci)
{
    for (size_t i = 0; i < code->n_locals; i++) {
        const java_local *row = &code->locals[i];
        if (row->slot == slot && row->from <= bci && bci < row->to)
            return row;
    }
    return NULL;
}

/* descriptor and name: for one that the table doesn't have. */
static void add_parameter(const java_code *code, unsigned bci, unsigned slot, const char *descriptor, const char *name,
                          ses_java_variables *out)
{
    const java_local *row = row_of(code, slot, bci);
    if (!row) /* a parameter is in scope everywhere, also where its row is said to begin later */
        row = row_of(code, slot, 0);
    ses_java_variable variable = {.name = row ? row->name : name,
                                  .descriptor = row ? row->descriptor : descriptor,
                                  .slot = slot,
                                  .is_parameter = true};
    ebb_vec_push(out, variable);
}

/* Parameters come from the descriptor, so that they are known without a table, too. */
static unsigned add_parameters(ebb_arena *arena, const java_class *cls, const java_method *method,
                               const java_code *code, unsigned bci, ses_java_variables *out)
{
    unsigned slot = 0, number = 0;
    if (!(method->access & ACC_STATIC)) {
        char *own = ebb_arena_printf(arena, "L%s;", cls->name);
        for (char *at = own; *at; at++)
            *at = *at == '.' ? '/' : *at;
        add_parameter(code, bci, slot++, own, "this", out);
    }
    for (const char *at = method->descriptor + 1; *at && *at != ')'; number++) {
        const char *begin = at;
        at = ses_java_next_type(at);
        add_parameter(code, bci, slot, ebb_arena_strndup(arena, begin, (size_t)(at - begin)),
                      ebb_arena_printf(arena, "arg%u", number), out);
        slot += ses_java_slots_of(*begin);
    }
    return slot;
}

/* Slots are given in the order of declaration. */
static int by_slot(const void *a, const void *b)
{
    return (int)((const ses_java_variable *)a)->slot - (int)((const ses_java_variable *)b)->slot;
}

ebb_status ses_java_variables_of(session *s, ebb_arena *arena, const ses_frame *frame,
                                 ses_java_variables *out, ebb_error *err)
{
    const java_class *cls;
    const java_code *code;
    const java_method *method = ses_java_method(s, frame->pc, &cls);
    if (!method || frame->is_native)
        return EBB_OK;
    EBB_TRY(jvm_remote_code(s->machine, method->id, &code, err));
    unsigned bci = java_place_bci(frame->pc);
    unsigned n_parameters = add_parameters(arena, cls, method, code, bci, out);
    size_t first = out->n;
    for (size_t i = 0; i < code->n_locals; i++) {
        const java_local *row = &code->locals[i];
        bool in_scope = row->from <= bci && bci < row->to;
        bool is_parameter = row->slot < n_parameters && row->from == 0;
        if (!in_scope || is_parameter || is_listed(out, row->name))
            continue;
        ses_java_variable variable = {.name = row->name, .descriptor = row->descriptor, .slot = row->slot};
        ebb_vec_push(out, variable);
    }
    if (out->n > first)
        qsort(out->items + first, out->n - first, sizeof *out->items, by_slot);
    return EBB_OK;
}

/* The lines of the bytecode from `from` to `to`: a loop's last is not the one furthest down. */
static void lines_of(const java_code *code, unsigned from, unsigned to, unsigned *first, unsigned *last)
{
    *first = ~0u;
    *last = 0;
    for (size_t i = 0; i < code->n_lines; i++) {
        unsigned end = i + 1 < code->n_lines ? code->lines[i + 1].bci : code->nbytes, line = code->lines[i].line;
        if (code->lines[i].bci >= to || end <= from)
            continue;
        *first = line < *first ? line : *first;
        *last = line > *last ? line : *last;
    }
}

ebb_status ses_java_no_variable(session *s, const ses_frame *frame, const char *name, ebb_error *err)
{
    const java_code *code;
    machine_place method = java_place_method(frame->pc);
    if (frame->is_native || jvm_remote_code(s->machine, method, &code, NULL) != EBB_OK)
        return ebb_fail(err, EBB_NOT_FOUND, "%s", "");
    for (size_t i = 0; i < code->n_locals; i++) {
        const java_local *row = &code->locals[i];
        unsigned first, last;
        if (strcmp(row->name, name) != 0)
            continue;
        lines_of(code, row->from, row->to, &first, &last);
        if (last != 0)
            return ebb_fail(err, EBB_NOT_FOUND, "\"%.80s\" %s here: %s has it from line %u to line %u.", name,
                            java_place_bci(frame->pc) < row->from ? "has no value yet" : "is out of scope", frame->name, first, last);
    }
    const java_class *cls;
    const java_method *of = ses_java_method(s, method, &cls);
    if (code->n_locals == 0 && of && of->max_locals > 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%.80s\" in current context; %s was compiled without its local variables (javac -g has them).", name, frame->name);
    return ebb_fail(err, EBB_NOT_FOUND, "%s", "");
}

/* ---- printed -------------------------------------------------------------------------------- */

static ebb_status print_variable(session *s, const ses_frame *frame, const ses_java_variable *variable,
                                 bool brief, ebb_buf *text, ebb_error *err)
{
    java_word word;
    char letter = variable->descriptor[0] == '[' ? 'L' : variable->descriptor[0];
    const java_type *type = ses_java_type_named(s, variable->descriptor);
    EBB_TRY(jvm_remote_local_get(s->machine, (java_local_at){s->thread, frame->depth, variable->slot}, letter, &word, err));
    if (!type) /* the class of what it may hold isn't loaded: then it can only hold null */
        type = ses_java_type_named(s, letter == 'L' ? "null" : variable->descriptor);
    ebb_arena arena = {0};
    java_value value = ses_java_value(type, word);
    expr_format format = ses_default_format(s);
    ebb_status status = brief ? expr_java_print_brief(&arena, &s->java->world, &format, &value, text, err)
                              : expr_java_print(&arena, &s->java->world, &format, &value, text, err);
    ebb_arena_fini(&arena);
    return status;
}

static const char *value_text(session *s, ebb_arena *arena, const ses_frame *frame,
                              const ses_java_variable *variable, bool brief)
{
    const char *setting = ses_setting_text(s, "print frame-arguments");
    if (brief && (strcmp(setting, "none") == 0 || strcmp(setting, "presence") == 0))
        return "...";
    ebb_buf text = {0};
    ebb_error why;
    if (print_variable(s, frame, variable, brief && strcmp(setting, "all") != 0, &text, &why) != EBB_OK) {
        ebb_buf_truncate(&text, 0);
        ebb_buf_addf(&text, "<error: %s>", why.text);
    }
    char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

typedef enum { LOCALS, PARAMETERS, BRIEF_PARAMETERS } wanted_values;

static ebb_status add_values(session *s, ebb_arena *arena, unsigned level, wanted_values wanted,
                             ses_named_values *out, ebb_error *err)
{
    const ses_frame *frame;
    ses_java_variables variables = {0};
    EBB_TRY(ses_frame_get(s, level, &frame, err));
    ebb_status status = ses_java_variables_of(s, arena, frame, &variables, err);
    for (size_t i = 0; status == EBB_OK && i < variables.n; i++) {
        const ses_java_variable *variable = &variables.items[i];
        if (variable->is_parameter != (wanted != LOCALS))
            continue;
        ebb_buf type = {0};
        const char *at = variable->descriptor;
        ses_java_type_words(&at, &type);
        ses_named_value value = {.name = variable->name,
                                 .value = value_text(s, arena, frame, variable, wanted == BRIEF_PARAMETERS),
                                 .type = ebb_arena_strdup(arena, ebb_buf_text(&type))};
        ebb_buf_fini(&type);
        ebb_vec_push(out, value);
    }
    ebb_vec_fini(&variables);
    return status;
}

ebb_status ses_java_frame_args(session *s, ebb_arena *arena, unsigned level, bool brief,
                               ses_named_values *out, ebb_error *err)
{
    return add_values(s, arena, level, brief ? BRIEF_PARAMETERS : PARAMETERS, out, err);
}

ebb_status ses_java_frame_locals(session *s, ebb_arena *arena, unsigned level, ses_named_values *out,
                                 ebb_error *err)
{
    const ses_frame *frame;
    const java_code *code;
    EBB_TRY(ses_frame_get(s, level, &frame, err));
    if (frame->is_native)
        return ebb_fail(err, EBB_NOT_FOUND, "A native method has no variables that Java knows of.");
    EBB_TRY(jvm_remote_code(s->machine, java_place_method(frame->pc), &code, err));
    const java_class *cls;
    const java_method *method = ses_java_method(s, frame->pc, &cls);
    if (code->n_locals == 0 && method && method->max_locals > 0)
        return ebb_fail(err, EBB_NOT_FOUND,
                        "%s was compiled without its local variables (javac -g has them); `info stack` shows its slots.",
                        frame->name);
    return add_values(s, arena, level, LOCALS, out, err);
}
