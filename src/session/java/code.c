/* code.c - bytecode: disassembled, and the slots of a frame at that level. */
#include "session/java/java.h"

#include <string.h>

/* ---- disassemble ---------------------------------------------------------------------------- */

static char *bytes_text(ebb_arena *arena, const java_code *code, unsigned at, unsigned n)
{
    ebb_buf text = {0};
    for (unsigned i = 0; i < n && at + i < code->nbytes; i++)
        ebb_buf_addf(&text, "%s%02x", i ? " " : "", code->bytes[at + i]);
    char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

/* The line whose code begins right here; 0 if none does. */
static unsigned line_beginning(const java_code *code, unsigned bci)
{
    for (size_t i = 0; i < code->n_lines; i++)
        if (code->lines[i].bci == bci)
            return code->lines[i].line;
    return 0;
}

static ebb_status add_method(session *s, ebb_arena *arena, machine_place method, machine_place current,
                             ses_code_lines *out, ebb_error *err)
{
    const java_code *code;
    const java_class *cls;
    EBB_TRY(jvm_remote_code(s->machine, method, &code, err));
    const char *name = ses_java_method_name(s, arena, method, false);
    const char *file = ses_java_method(s, method, &cls) ? ses_java_source_of(s, cls) : NULL;
    for (unsigned at = 0; at < code->nbytes;) {
        machine_insn insn;
        EBB_TRY(s->machine->ops->decode(s->machine, method + at, &insn, err));
        unsigned line = line_beginning(code, at);
        ses_code_line row = {
            .addr = method + at,
            .symbol = name,
            .offset = at,
            .place = ebb_arena_printf(arena, "%s:%u", name, at),
            .bytes = bytes_text(arena, code, at, insn.nbytes),
            .text = ebb_arena_strdup(arena, insn.text),
            .is_current = method + at == current,
            .file = line ? file : NULL,
            .line = file ? line : 0,
        };
        ebb_vec_push(out, row);
        at += insn.nbytes ? insn.nbytes : 1;
    }
    return EBB_OK;
}

static ebb_status method_meant(session *s, ebb_arena *arena, const char *arguments, machine_place *method,
                               ebb_error *err)
{
    ses_where where;
    sym_spots spots = {0};
    EBB_TRY(ses_where_parse(s, arena, arguments, &where, err));
    ebb_status status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK)
        *method = java_place_method(spots.items[0].addr);
    for (size_t i = 1; status == EBB_OK && i < spots.n; i++)
        if (java_place_method(spots.items[i].addr) != *method)
            status = ebb_fail(err, EBB_BAD_INPUT, "%s are %zu methods; write the parameters of one: %s", arguments,
                              spots.n, ses_java_method_name(s, arena, *method, true));
    ebb_vec_fini(&spots);
    return status;
}

ebb_status ses_java_disassemble(session *s, ebb_arena *arena, const char *arguments, const char **function,
                                ses_code_lines *out, ebb_error *err)
{
    const ses_frame *frame;
    machine_place current = 0, method;
    EBB_TRY(ses_need_debuggee(s, err));
    if (ses_frame_selected(s, &frame, NULL) == EBB_OK)
        current = frame->pc;
    if (!ebb_text_is_blank(arguments))
        EBB_TRY(method_meant(s, arena, arguments, &method, err));
    else {
        EBB_TRY(ses_frame_selected(s, &frame, err));
        if (frame->is_native)
            return ebb_fail(err, EBB_UNSUPPORTED, "%s is a native method: it has no bytecode.", frame->name);
        method = java_place_method(frame->pc);
    }
    *function = ses_java_method_name(s, arena, method, true);
    return add_method(s, arena, method, current, out, err);
}

/* ---- info stack ----------------------------------------------------------------------------- */

static const char *word_type(const java_word *word)
{
    switch (word->type) {
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'L': return "reference";
    default: return "";
    }
}

static const char *word_text(session *s, ebb_arena *arena, java_word word)
{
    ebb_buf text = {0};
    expr_format format = ses_default_format(s);
    const java_type *type = NULL;
    if (word.type == 'V')
        return "<empty>";
    if (word.type != 'L')
        type = ses_java_type_named(s, (char[]){word.type, '\0'});
    else
        type = word.ref ? ses_java_type_of_object(s, word.ref, NULL) : ses_java_type_named(s, "null");
    if (!type)
        return "<unknown>";
    java_value value = ses_java_value(type, word);
    if (expr_java_print_brief(arena, &s->java->world, &format, &value, &text, NULL) != EBB_OK)
        ebb_buf_adds(&text, "<unknown>");
    char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static const ses_java_variable *variable_in(const ses_java_variables *variables, unsigned slot)
{
    for (size_t i = 0; i < variables->n; i++)
        if (variables->items[i].slot == slot)
            return &variables->items[i];
    return NULL;
}

/* `operand` says where it is; the rest is told by the word. */
static void add_operand(session *s, ebb_arena *arena, ses_operand operand, java_word word, ses_operands *out)
{
    operand.type = word_type(&word);
    operand.value = word_text(s, arena, word);
    ebb_vec_push(out, operand);
}

ebb_status ses_java_operands_get(session *s, ebb_arena *arena, ses_operands *out, ebb_error *err)
{
    const ses_frame *frame;
    java_words locals = {0}, stack = {0};
    ses_java_variables variables = {0};
    EBB_TRY(ses_frame_selected(s, &frame, err));
    if (frame->is_native)
        return ebb_fail(err, EBB_UNAVAILABLE, "%s is a native method: it has no slots.", frame->name);
    ebb_status status = ses_java_variables_of(s, arena, frame, &variables, err);
    if (status == EBB_OK)
        status = jvm_remote_slots(s->machine, s->thread, frame->depth, &locals, &stack, err);
    for (size_t i = 0; status == EBB_OK && i < locals.n; i++) {
        const ses_java_variable *variable = variable_in(&variables, (unsigned)i);
        java_word word = locals.items[i], typed;
        char letter = variable ? (variable->descriptor[0] == '[' ? 'L' : variable->descriptor[0]) : 0;
        if (variable && jvm_remote_local_get(s->machine, (java_local_at){s->thread, frame->depth, (unsigned)i}, letter, &typed,
                                             NULL) == EBB_OK)
            word = typed;
        ses_operand local = {.number = (unsigned)i, .name = variable ? variable->name : NULL};
        add_operand(s, arena, local, word, out);
    }
    for (size_t i = 0; status == EBB_OK && i < stack.n; i++)
        add_operand(s, arena, (ses_operand){.is_stack = true, .number = (unsigned)i}, stack.items[i], out);
    ebb_vec_fini(&variables);
    ebb_vec_fini(&locals);
    ebb_vec_fini(&stack);
    return status;
}
