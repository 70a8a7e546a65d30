/* frame_vars.c - arguments and locals of frames, printed. */
#include "session/c/c.h"
#include "session/c/unwind.h"
#include "session/c/world.h"

#include <string.h>

typedef struct printer {
    session *s;
    ebb_arena *arena; /* for the texts */
    unsigned level;
    bool brief; /* as in a frame line */
} printer;

static char *type_text(const printer *p, sym_type *type)
{
    ebb_buf text = {0};
    sym_type_print(type, &text);
    char *result = ebb_arena_strdup(p->arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static ebb_status print_variable(const printer *p, const sym_variable *variable, ebb_buf *text,
                                 ebb_error *err)
{
    session *s = p->s;
    ebb_arena arena = {0};
    expr_value value;
    expr_format format = ses_default_format(s);
    ebb_status status = ses_variable_value(s, &arena, variable, p->level, &value, err);
    bool whole = !p->brief || ses_setting_is(s, "print frame-arguments", "all");
    if (status == EBB_OK)
        status = whole ? expr_print(&arena, ses_world(s), &format, &value, text, err)
                       : expr_print_brief(&arena, ses_world(s), &format, &value, text, err);
    ebb_arena_fini(&arena);
    return status;
}

static const char *value_text(const printer *p, const sym_variable *variable)
{
    bool hidden = ses_setting_is(p->s, "print frame-arguments", "none") ||
                  ses_setting_is(p->s, "print frame-arguments", "presence");
    if (p->brief && hidden)
        return "...";
    ebb_buf text = {0};
    ebb_error why;
    if (print_variable(p, variable, &text, &why) != EBB_OK) {
        ebb_buf_truncate(&text, 0);
        if (p->brief)
            ebb_buf_addf(&text, "<error reading variable: %s>", why.text);
        else
            ebb_buf_addf(&text, "<error reading variable %s (%s)>", sym_variable_get_info(variable)->name, why.text);
    }
    char *result = ebb_arena_strdup(p->arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

/* What the caller is known to have passed in a register, for an argument of a frame line. */
static bool passed_value(const printer *p, const sym_variable *variable, ebb_arena *arena,
                         expr_value *passed)
{
    session *s = p->s;
    const ses_frame *frame;
    uint64_t bits;
    sym_type *type = sym_variable_get_info(variable)->type;
    if (!p->brief || ses_frame_get(s, p->level, &frame, NULL) != EBB_OK || frame->is_inlined ||
        !sym_type_is_scalar(type) || sym_type_size(type) > sizeof bits)
        return false;
    sym_frame regs = frame->regs;
    sym_target target = ses_sym_target(s);
    if (sym_variable_entry_value(variable, &target, &regs, &bits, NULL) != EBB_OK)
        return false;
    *passed = expr_value_of_bytes(arena, type, &bits);
    return true;
}

static const char *passed_text(const printer *p, ebb_arena *arena, expr_value *passed)
{
    ebb_buf text = {0};
    expr_format format = ses_default_format(p->s);
    const char *result = NULL;
    if (expr_print_brief(arena, ses_world(p->s), &format, passed, &text, NULL) == EBB_OK)
        result = ebb_arena_strdup(p->arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static void note_passed(const printer *p, const sym_variable *variable, ses_named_value *out)
{
    ebb_arena arena = {0};
    expr_value passed, value;
    if (passed_value(p, variable, &arena, &passed) &&
        ses_variable_value(p->s, &arena, variable, p->level, &value, NULL) == EBB_OK &&
        expr_value_fetch(&arena, ses_world(p->s), &value, NULL) == EBB_OK && !value.missing) {
        out->is_as_passed = !value.is_optimized_out &&
                            memcmp(value.bytes, passed.bytes, sym_type_size(value.type)) == 0;
        if (!out->is_as_passed)
            out->passed = passed_text(p, &arena, &passed);
    }
    ebb_arena_fini(&arena);
}

static void add(const printer *p, const sym_variable *variable, unsigned depth,
                ses_named_values *out)
{
    const sym_variable_info *info = sym_variable_get_info(variable);
    ses_named_value value = {
        .name = info->name ? info->name : "",
        .value = value_text(p, variable),
        .type = type_text(p, info->type),
        .depth = depth,
    };
    note_passed(p, variable, &value);
    ebb_vec_push(out, value);
}

/* An `extern` declaration is in scope, but it isn't the scope's own variable. */
static bool is_listed(const sym_variable_info *info, bool parameters)
{
    return info->name && info->is_parameter == parameters && !info->is_declaration;
}

static void add_block(const printer *p, const sym_block *block, bool parameters, unsigned depth,
                      ses_named_values *out)
{
    size_t n;
    const sym_variable *const *variables = sym_block_variables(block, &n);
    for (size_t i = 0; i < n; i++)
        if (is_listed(sym_variable_get_info(variables[i]), parameters))
            add(p, variables[i], depth, out);
}

static const sym_block *outermost(const sym_block *block)
{
    while (block && sym_block_parent(block))
        block = sym_block_parent(block);
    return block;
}

/* The frame's innermost block; NULL without debug information. */
static ebb_status block_of(session *s, unsigned level, const sym_block **block, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, level, &frame, err));
    *block = frame->function ? sym_block_at(frame->function, ses_frame_lookup_pc(frame)) : NULL;
    return EBB_OK;
}

ebb_status ses_c_frame_args(session *s, ebb_arena *arena, unsigned level, bool brief,
                          ses_named_values *out, ebb_error *err)
{
    const sym_block *block;
    EBB_TRY(block_of(s, level, &block, err));
    printer p = {.s = s, .arena = arena, .level = level, .brief = brief};
    block = outermost(block);
    if (block)
        add_block(&p, block, true, 0, out);
    return EBB_OK;
}

static unsigned depth_of(const sym_block *block)
{
    unsigned depth = 0;
    for (block = sym_block_parent(block); block; block = sym_block_parent(block))
        depth++;
    return depth;
}

ebb_status ses_c_frame_locals(session *s, ebb_arena *arena, unsigned level, ses_named_values *out,
                            ebb_error *err)
{
    const sym_block *block;
    EBB_TRY(block_of(s, level, &block, err));
    if (!block)
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol table info available.");
    printer p = {.s = s, .arena = arena, .level = level};
    for (; block; block = sym_block_parent(block))
        add_block(&p, block, false, depth_of(block), out);
    return EBB_OK;
}
