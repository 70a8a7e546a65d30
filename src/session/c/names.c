/* names.c - names of a native program, for completion. */
#include "session/c/c.h"
#include "session/c/unwind.h"
#include "session/c/world.h"

enum { MOST = 2000, MAX_DEPTH = 8 };

static void add_locals(session *s, const char *prefix, ses_name_list *out)
{
    const ses_frame *frame;
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK || !frame->function)
        return;
    for (const sym_block *block = sym_block_at(frame->function, ses_frame_lookup_pc(frame)); block;
         block = sym_block_parent(block)) {
        size_t n;
        const sym_variable *const *variables = sym_block_variables(block, &n);
        for (size_t i = 0; i < n; i++) {
            const char *name = sym_variable_get_info(variables[i])->name;
            if (name && ebb_text_starts(name, prefix))
                ebb_vec_push(out, name);
        }
    }
}

ebb_status ses_c_names(session *s, ebb_arena *arena, unsigned kinds, const char *prefix, ses_name_list *out,
                       ebb_error *err)
{
    (void)arena, (void)err;
    _Static_assert((int)SES_NAMES_FUNCTIONS == (int)SYM_NAMES_FUNCTIONS && (int)SES_NAMES_FILES == (int)SYM_NAMES_FILES,
                   "kinds are passed on");
    sym_names names = {0};
    if (kinds & SES_NAMES_LOCALS)
        add_locals(s, prefix, out);
    if (kinds & ~(unsigned)SES_NAMES_LOCALS)
        sym_complete(s->symbols, prefix, kinds & ~(unsigned)SES_NAMES_LOCALS, MOST, &names);
    for (size_t i = 0; i < names.n; i++)
        ebb_vec_push(out, names.items[i]);
    ebb_vec_fini(&names);
    return EBB_OK;
}

/* Those of anonymous members count as its own. */
static void add_members(sym_type *type, unsigned depth, ses_name_list *out)
{
    sym_type *plain = sym_type_strip(type);
    for (size_t i = 0; depth < MAX_DEPTH && i < plain->n_members; i++) {
        if (plain->members[i].name)
            ebb_vec_push(out, plain->members[i].name);
        else
            add_members(plain->members[i].type, depth + 1, out);
    }
}

ebb_status ses_c_members(session *s, ebb_arena *arena, const char *expression, ses_name_list *out, ebb_error *err)
{
    const expr_node *tree;
    sym_type *type = NULL;
    bool is_type_name;
    EBB_TRY(expr_parse(arena, ses_world(s), expression, &tree, err));
    EBB_TRY(expr_type_of(arena, ses_world(s), tree, &type, &is_type_name, err));
    type = sym_type_strip(type);
    if (type->kind == SYM_TYPE_POINTER && type->target)
        type = sym_type_strip(type->target);
    add_members(type, 0, out);
    return EBB_OK;
}
