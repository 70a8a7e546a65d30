/* world.c - see world.h: the entries of expr_world, and names. */
#include "session/c/scratch.h"
#include "session/c/world.h"
#include "session/c/c.h"
#include "session/c/image.h"
#include "session/c/siginfo.h"
#include "session/c/unwind.h"
#include "session/settings.h"
#include "session/stack.h"
#include "session/watch.h"

#include <string.h>

/* ---- where names are looked up -------------------------------------------------------------- */

void ses_world_enter(session *s, uint64_t pc)
{
    s->scope = (struct ses_scope){.is_set = true, .pc = pc};
}

void ses_world_leave(session *s)
{
    s->scope = (struct ses_scope){0};
}

static const sym_function *scope_function(session *s, uint64_t *pc)
{
    if (s->scope.is_set) {
        const sym_function *functions[1];
        *pc = s->scope.pc;
        return *pc && sym_functions_at(s->symbols, *pc, functions, 1) > 0 ? functions[0] : NULL;
    }
    const ses_frame *frame;
    *pc = 0;
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK)
        return NULL;
    *pc = ses_frame_lookup_pc(frame);
    return frame->function;
}

uint64_t ses_scope_pc(session *s)
{
    uint64_t pc;
    scope_function(s, &pc);
    return pc;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* How a location becomes a value: in memory it is lazy, so that &huge reads nothing (VA2). */
static void value_of_piece(session *s, ebb_arena *arena, const sym_piece *piece, unsigned level,
                           expr_value *value)
{
    size_t nbytes = sym_type_size(value->type);
    switch (piece->kind) {
    case SYM_PIECE_OPTIMIZED_OUT: value->is_optimized_out = true; break;
    case SYM_PIECE_MEMORY:
        value->place = (expr_place){.kind = EXPR_PLACE_MEMORY, .addr = piece->addr};
        value->is_lazy = true;
        break;
    case SYM_PIECE_REGISTER:
        value->place = (expr_place){.kind = EXPR_PLACE_REGISTER,
                                    .reg = piece->reg,
                                    .frame = level,
                                    .name = ses_register_name(s, piece->reg)};
        value->is_lazy = true;
        break;
    case SYM_PIECE_VALUE:
        value->bytes = ebb_arena_alloc(arena, nbytes ? nbytes : 1);
        sym_piece_copy(piece, value->bytes, nbytes);
        break;
    case SYM_PIECE_POINTER:
        value->is_synthetic_pointer = true;
        value->bytes = ebb_arena_alloc(arena, nbytes ? nbytes : 1);
        break;
    }
}

ebb_status ses_variable_value(session *s, ebb_arena *arena, const sym_variable *variable,
                              unsigned level, expr_value *value, ebb_error *err)
{
    const sym_variable_info *info = sym_variable_get_info(variable);
    *value = (expr_value){.type = info->type};
    if (s->scope.is_set && !info->is_static) { /* only its type is of interest */
        value->is_optimized_out = true;
        return EBB_OK;
    }
    const ses_frame *frame = NULL;
    if (ses_has_debuggee(s))
        (void)!ses_frame_get(s, level, &frame, NULL);
    if (!frame && !info->is_static)
        return ebb_fail(err, EBB_UNAVAILABLE, "No frame selected.");
    sym_location *location = EBB_ARENA_NEW(arena, sym_location);
    sym_target target = ses_sym_target(s);
    sym_frame regs;
    if (frame)
        regs = frame->regs;
    EBB_TRY(sym_variable_locate(variable, &target, frame ? &regs : NULL, location, err));
    if (frame)
        value->type = sym_type_resolve_dynamic(info->type, &target, &regs); /* int a[n] */
    if (location->n_pieces == 0)
        value->is_optimized_out = true;
    else if (location->n_pieces == 1 && location->pieces[0].nbits == 0)
        value_of_piece(s, arena, &location->pieces[0], level, value);
    else {
        value->place =
            (expr_place){.kind = EXPR_PLACE_PIECES, .frame = level, .location = location};
        value->is_lazy = true;
    }
    return EBB_OK;
}

static const sym_variable *find_local(session *s, const char *name)
{
    uint64_t pc;
    const sym_function *function = scope_function(s, &pc);
    return function ? sym_block_find(sym_block_at(function, pc), name) : NULL;
}

/* By where it is declared: it is the same one in the next run. */
static void note_local(session *s, const sym_variable *variable)
{
    const sym_variable_info *info = sym_variable_get_info(variable);
    ebb_buf *which = ses_watch_note_local(s);
    if (which)
        ebb_buf_addf(which, "%s:%u:%s;", info->decl_file ? info->decl_file : "", info->decl_line, info->name);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void function_value(session *s, uint64_t entry, sym_type *type, expr_value *value)
{
    if (sym_symbol_is_chooser(s->symbols, entry))
        type = NULL; /* what debug information tells there is the chooser's own type */
    *value = (expr_value){
        .type = type ? type : expr_type_without_debug_info(sym_table_types(s->symbols), true),
        .place = {.kind = EXPR_PLACE_MEMORY, .addr = entry},
        .is_lazy = true,
    };
}

static bool is_language(session *s, const char *language)
{
    uint64_t pc;
    const sym_function *function = scope_function(s, &pc);
    if (!function && !pc)
        function = sym_function_find(s->symbols, "main");
    return function && strcmp(sym_function_get_info(function)->language, language) == 0;
}

bool ses_speaks_cplus(session *s)
{
    return is_language(s, "c++");
}

static bool is_cplus(void *self)
{
    return ses_speaks_cplus(self);
}

static bool is_rust(void *self)
{
    return is_language(self, "rust");
}

static bool needs_object(sym_type *function)
{
    if (function)
        sym_type_complete(function);
    return function && function->has_this;
}

/* Those of C++ among the functions that a name means. */
static size_t cplus_functions(session *s, ebb_arena *arena, const char *name, const expr_function **functions)
{
    sym_function_list found = {0};
    sym_functions_named(s->symbols, name, &found);
    expr_function *kept = EBB_ARENA_ARRAY(arena, expr_function, found.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < found.n; i++) {
        const sym_function_info *info = sym_function_get_info(found.items[i]);
        bool is_of_object = !strstr(name, "::") && needs_object(info->type);
        if (info->type && strcmp(info->language, "c++") == 0 && !is_of_object)
            kept[n++] = (expr_function){info->lo, info->type};
    }
    ebb_vec_fini(&found);
    *functions = kept;
    return n;
}

static size_t find_functions(void *self, ebb_arena *arena, const char *scope, const char *name, const expr_function **functions)
{
    session *s = self;
    uint64_t pc;
    if (scope)
        return cplus_functions(s, arena, ebb_arena_printf(arena, "::%s::%s", scope, name), functions);
    const sym_function *function = scope_function(s, &pc);
    const char *around = function ? sym_function_get_info(function)->name : "";
    for (size_t n = strlen(around); n > 0; n--) { /* from the inside out */
        if (strncmp(around + n - 1, "::", 2) != 0)
            continue;
        size_t found = cplus_functions(s, arena, ebb_arena_printf(arena, "::%.*s::%s", (int)(n - 1), around, name), functions);
        if (found)
            return found;
    }
    size_t n = cplus_functions(s, arena, ebb_arena_printf(arena, "::%s", name), functions);
    if (n || strncmp(name, "operator", strlen("operator")) == 0) /* of those the operands say where they are */
        return n;
    return cplus_functions(s, arena, name, functions); /* of namespaces that are used, or that the arguments are of */
}

/* Which of n overloads the name alone means: the last, as in gdb. */
static void overload_value(session *s, const expr_function *functions, size_t n, expr_value *value)
{
    const expr_function *last = functions;
    for (size_t i = 1; i < n; i++)
        if (functions[i].addr > last->addr)
            last = &functions[i];
    function_value(s, last->addr, last->type, value);
}

/* The one of that name where several are in other classes and namespaces, too: a person means the nearest. */
static bool find_cplus_function(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    const expr_function *functions;
    size_t n = is_cplus(s) ? find_functions(s, arena, NULL, name, &functions) : 0;
    if (n == 0)
        return false;
    overload_value(s, functions, n, value);
    return true;
}

static ebb_status find_file_level(session *s, ebb_arena *arena, const char *file, const char *name,
                                  expr_value *value, ebb_error *err)
{
    uint64_t pc = ses_scope_pc(s), addr, nbytes;
    sym_type *type;
    int64_t number;
    bool is_function;
    const sym_variable *variable = sym_variable_find(s->symbols, file, name, pc);
    if (variable)
        return ses_variable_value(s, arena, variable, s->level, value, err);
    if (find_cplus_function(s, arena, name, value))
        return EBB_OK;
    if (sym_function_entry_near(s->symbols, name, pc, &addr, &type) && !needs_object(type)) {
        function_value(s, addr, type, value);
        return EBB_OK;
    }
    if (sym_enumerator_find(s->symbols, name, pc, &type, &number)) {
        *value = expr_value_of_u64(arena, type, (uint64_t)number);
        return EBB_OK;
    }
    if (sym_symbol_address(s->symbols, name, &addr, &nbytes, &is_function)) {
        *value = (expr_value){
            .type = expr_type_without_debug_info(sym_table_types(s->symbols), is_function),
            .place = {.kind = EXPR_PLACE_MEMORY, .addr = addr},
            .is_lazy = true,
        };
        return EBB_OK;
    }
    return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%s\" in current context.", name);
}

/* The frame, from the selected one outward, that is in the function of that name. */
static bool level_within(session *s, const char *function, unsigned *level)
{
    const ses_frame *frame;
    for (*level = s->level; ses_frame_get(s, *level, &frame, NULL) == EBB_OK; ++*level)
        if (frame->name && strcmp(frame->name, function) == 0)
            return true;
    return false;
}

static ebb_status variable_of_function(session *s, ebb_arena *arena, const char *function,
                                       const sym_variable *variable, expr_value *value,
                                       ebb_error *err)
{
    unsigned level = s->level;
    if (!sym_variable_get_info(variable)->is_static) {
        if (!s->scope.is_set && ses_has_debuggee(s) && !level_within(s, function, &level))
            return ebb_fail(err, EBB_UNAVAILABLE, "No frame is currently executing in block %s.",
                            function);
        note_local(s, variable);
    }
    return ses_variable_value(s, arena, variable, level, value, err);
}

static bool is_scope(session *s, const char *name)
{
    sym_names files = {0};
    sym_source_files(s->symbols, name, &files);
    bool is_file = files.n > 0;
    ebb_vec_fini(&files);
    return is_file || sym_function_find(s->symbols, name);
}

/* What C++ has in a namespace or a class. */
static bool find_qualified(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    uint64_t pc = ses_scope_pc(s), addr;
    sym_type *type;
    int64_t number;
    const sym_variable *variable = sym_variable_find(s->symbols, NULL, name, pc);
    if (variable)
        return ses_variable_value(s, arena, variable, s->level, value, NULL) == EBB_OK;
    if (sym_enumerator_find(s->symbols, name, pc, &type, &number)) {
        *value = expr_value_of_u64(arena, type, (uint64_t)number);
        return true;
    }
    const expr_function *overloads;
    size_t n = cplus_functions(s, arena, name, &overloads);
    if (n) {
        overload_value(s, overloads, n, value);
        return true;
    }
    const sym_function *function = sym_function_find(s->symbols, name);
    if (!function)
        return false;
    addr = sym_function_get_info(function)->lo;
    function_value(s, addr, sym_function_get_info(function)->type, value);
    return true;
}

/* A variable of the function around a nested one: of the nearest frame of that, which is right unless it calls itself in between. */
static const sym_variable *find_in_enclosing(session *s, const char *name, unsigned *level)
{
    uint64_t pc;
    const sym_function *inner = scope_function(s, &pc);
    const ses_frame *frame;
    if (!inner || s->scope.is_set || !sym_function_get_info(inner)->is_nested)
        return NULL;
    for (*level = s->level + 1; ses_frame_get(s, *level, &frame, NULL) == EBB_OK; ++*level) {
        if (!frame->function || !sym_function_encloses(frame->function, inner))
            continue;
        const sym_variable *found = sym_block_find(sym_block_at(frame->function, ses_frame_lookup_pc(frame)), name);
        if (found)
            return found;
    }
    return NULL;
}

/* An enumerator of the class, or of one that it comes from. */
static bool find_class_enumerator(session *s, ebb_arena *arena, sym_type *class, const char *name, expr_value *value)
{
    sym_type *type;
    int64_t number;
    class = sym_type_strip(class);
    if (class->name && sym_enumerator_find(s->symbols, ebb_arena_printf(arena, "%s::%s", class->name, name), ses_scope_pc(s), &type, &number)) {
        *value = expr_value_of_u64(arena, type, (uint64_t)number);
        return true;
    }
    sym_type_complete(class);
    for (size_t i = 0; i < class->n_members; i++)
        if (class->members[i].is_base && find_class_enumerator(s, arena, class->members[i].type, name, value))
            return true;
    return false;
}

static bool find_enumerator_of_this(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    const sym_variable *this = find_local(s, "this");
    sym_type *type = this ? sym_type_strip(sym_variable_get_info(this)->type) : NULL;
    return type && type->kind == SYM_TYPE_POINTER && type->target && find_class_enumerator(s, arena, type->target, name, value);
}

/* A member of the object that a member function of C++ works on.  It hides what is outside, though it may have no value here. */
static bool is_in_this(session *s, const char *name, sym_member *member)
{
    const sym_variable *this = find_local(s, "this");
    sym_type *type = this ? sym_type_strip(sym_variable_get_info(this)->type) : NULL;
    return type && type->kind == SYM_TYPE_POINTER && type->target && sym_type_find_inherited(type->target, name, member);
}

static ebb_status value_in_this(session *s, ebb_arena *arena, const sym_member *member, expr_value *value, ebb_error *err)
{
    if (!s->scope.is_set)
        return expr_evaluate(arena, ses_world(s), ebb_arena_printf(arena, "this->%s", member->name), value, err);
    *value = (expr_value){.type = member->type, .is_optimized_out = true}; /* only its type is of interest */
    return EBB_OK;
}

/* Colour::red of C++'s `enum class Colour`, and of any other enum. */
static bool find_enumerator(session *s, ebb_arena *arena, const char *scope, const char *name, expr_value *value)
{
    sym_type *type = sym_type_find(s->symbols, SYM_TYPE_TYPEDEF, scope, ses_scope_pc(s));
    sym_type *bare = type ? sym_type_strip(type) : NULL;
    for (size_t i = 0; bare && bare->kind == SYM_TYPE_ENUM && i < bare->n_enumerators; i++) {
        const char *last = strrchr(bare->enumerators[i].name, ':');
        if (strcmp(last ? last + 1 : bare->enumerators[i].name, name) == 0) {
            *value = expr_value_of_u64(arena, type, (uint64_t)bare->enumerators[i].value);
            return true;
        }
    }
    return false;
}

/* `static constexpr` of a class, which has no place. */
static bool find_class_constant(session *s, ebb_arena *arena, const char *scope, const char *name, expr_value *value)
{
    sym_type *type = is_cplus(s) ? sym_type_find(s->symbols, SYM_TYPE_STRUCT, scope, ses_scope_pc(s)) : NULL;
    if (type)
        sym_type_complete(type);
    for (size_t i = 0; type && i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (!m->is_static || !m->has_constant || !m->name || strcmp(m->name, name) != 0)
            continue;
        *value = expr_value_of_u64(arena, m->type, (uint64_t)m->constant);
        return true;
    }
    return false;
}

static ebb_status find_scoped(session *s, ebb_arena *arena, const char *scope, const char *name,
                              expr_value *value, ebb_error *err)
{
    const sym_variable *variable = sym_variable_in_function(s->symbols, scope, name);
    if (variable)
        return variable_of_function(s, arena, scope, variable, value, err);
    variable = sym_variable_find(s->symbols, scope, name, 0);
    if (variable)
        return ses_variable_value(s, arena, variable, s->level, value, err);
    if (find_qualified(s, arena, ebb_arena_printf(arena, "%s::%s", scope, name), value))
        return EBB_OK;
    if (find_enumerator(s, arena, scope, name, value) || find_class_constant(s, arena, scope, name, value))
        return EBB_OK;
    sym_spots spots = {0};
    ebb_status status = sym_spots_of_function(s->symbols, scope, name, &spots, NULL);
    uint64_t pc = status == EBB_OK && spots.n > 0 ? spots.items[0].addr : 0;
    ebb_vec_fini(&spots);
    const sym_function *functions[64];
    size_t n = pc ? sym_functions_at(s->symbols, pc, functions, 64) : 0;
    if (n > 0 && n <= 64) {
        const sym_function_info *info = sym_function_get_info(functions[n - 1]);
        function_value(s, info->lo, info->type, value);
        return EBB_OK;
    }
    if (is_cplus(s) && sym_type_find(s->symbols, SYM_TYPE_STRUCT, scope, ses_scope_pc(s)))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no field named %s", name);
    if (!is_scope(s, scope))
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%s\" in current context.", scope);
    return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%s\" in specified context.", name);
}

static ebb_status find_name(void *self, ebb_arena *arena, const char *scope, const char *name,
                            expr_value *value, ebb_error *err)
{
    session *s = self;
    if (scope && *scope)
        return find_scoped(s, arena, scope, name, value, err);
    const sym_variable *local = scope ? NULL : find_local(s, name);
    if (local) {
        if (!sym_variable_get_info(local)->is_static)
            note_local(s, local);
        return ses_variable_value(s, arena, local, s->level, value, err);
    }
    unsigned level;
    local = scope ? NULL : find_in_enclosing(s, name, &level);
    if (local) {
        note_local(s, local);
        return ses_variable_value(s, arena, local, level, value, err);
    }
    sym_member member;
    if (!scope && is_in_this(s, name, &member))
        return value_in_this(s, arena, &member, value, err);
    if (!scope && find_enumerator_of_this(s, arena, name, value))
        return EBB_OK;
    return find_file_level(s, arena, NULL, name, value, err);
}

static bool find_linked(void *self, const char *linkage_name, uint64_t *addr)
{
    session *s = self;
    uint64_t nbytes;
    bool is_function;
    return sym_symbol_address(s->symbols, linkage_name, addr, &nbytes, &is_function) && is_function;
}

static sym_type *find_type(void *self, sym_type_kind kind, const char *name)
{
    session *s = self;
    return sym_type_find(s->symbols, kind, name, ses_scope_pc(s));
}

/* ---- memory --------------------------------------------------------------------------------- */

/* There may be memory later on (a heap that has not begun), so it can be watched; not so a null pointer's target. */
static bool can_be_mapped(uint64_t addr, size_t nbytes)
{
    const uint64_t lowest = 0x10000, highest = 0x7ffffffff000; /* of user space, as Linux has it */
    return addr >= lowest && addr < highest && nbytes <= highest - addr;
}

static void put_before(const struct ses_before *before, uint64_t addr, uint8_t *bytes, size_t nbytes)
{
    for (size_t i = 0; i < before->nbytes; i++)
        if (before->addr + i - addr < nbytes)
            bytes[before->addr + i - addr] = (uint8_t)(before->word >> 8 * i);
}

static ebb_status read_memory(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err)
{
    session *s = self;
    ebb_status status = ses_memory_read(s, addr, bytes, nbytes, err);
    if (status == EBB_OK)
        put_before(&s->before, addr, bytes, nbytes);
    if (status == EBB_OK || (status == EBB_NO_MEMORY_AT && can_be_mapped(addr, nbytes)))
        ses_watch_note_read(s, 0, addr, nbytes);
    return status;
}

static ebb_status write_memory(void *self, uint64_t addr, const void *bytes, size_t nbytes,
                               ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_scratch_begin(s, err));
    EBB_TRY(machine_write(s->machine, addr, bytes, nbytes, err));
    ses_stack_forget(s); /* it may have been a saved register or return address */
    ses_watch_refresh(s);
    return EBB_OK;
}

static ebb_status read_place(void *self, expr_value *value, ebb_error *err)
{
    session *s = self;
    ses_watch_note_register(s);
    return ses_place_read(s, value, err);
}

static ebb_status write_place(void *self, const expr_place *place, sym_type *type,
                              const void *bytes, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_scratch_begin(s, err));
    EBB_TRY(ses_place_write(s, place, type, bytes, err));
    ses_watch_refresh(s);
    return EBB_OK;
}

static ebb_status find_register(void *self, ebb_arena *arena, const char *name, expr_value *value,
                                ebb_error *err)
{
    return ses_register_value(self, arena, name, value, err);
}

/* ---- the session's own values --------------------------------------------------------------- */

static ebb_status get_convenience(void *self, ebb_arena *arena, const char *name, expr_value *value,
                                  ebb_error *err)
{
    (void)err;
    if (strcmp(name, "_siginfo") == 0 && ses_siginfo_value(self, arena, value))
        return EBB_OK;
    if (strcmp(name, "_exception") == 0 && ses_c_exception_value(self, arena, value))
        return EBB_OK;
    ses_c_convenience_get(self, arena, name, value);
    return EBB_OK;
}

static ebb_status set_convenience(void *self, const char *name, const expr_value *value,
                                  ebb_error *err)
{
    (void)err;
    ses_c_convenience_set(self, name, value);
    return EBB_OK;
}

static ebb_status get_history(void *self, ebb_arena *arena, long index, bool from_end,
                              expr_value *value, ebb_error *err)
{
    (void)arena;
    return ses_c_printed_get(self, index, from_end, value, err);
}

static ebb_status call(void *self, ebb_arena *arena, const expr_call *call, expr_value *result, ebb_error *err)
{
    return ses_call(self, arena, call, result, err);
}

static ebb_status place_bytes(void *self, const void *bytes, size_t nbytes, uint64_t *addr,
                              ebb_error *err)
{
    return ses_place_bytes(self, bytes, nbytes, addr, err);
}

static bool symbolise(void *self, uint64_t addr, bool data_too, ebb_buf *out)
{
    return ses_symbolise_value(self, addr, data_too, out);
}

static ebb_status setting(void *self, const char *name, ebb_buf *text)
{
    return ses_setting_show(self, name, text, NULL);
}

static const char *function_of(void *self, uint64_t n_outward)
{
    session *s = self;
    const ses_frame *frame;
    if (n_outward > UINT32_MAX - s->level || ses_frame_get(s, s->level + (unsigned)n_outward, &frame, NULL) != EBB_OK)
        return NULL;
    return frame->name ? frame->name : "";
}

void ses_world_init(session *s)
{
    s->world = (expr_world){
        .self = s,
        .types = sym_table_types(s->symbols),
        .find_name = find_name,
        .find_type = find_type,
        .read = read_memory,
        .write = write_memory,
        .find_register = find_register,
        .read_place = read_place,
        .write_place = write_place,
        .get_convenience = get_convenience,
        .set_convenience = set_convenience,
        .get_history = get_history,
        .call = call,
        .place_bytes = place_bytes,
        .find_functions = find_functions,
        .is_cplus = is_cplus,
        .is_rust = is_rust,
        .find_linked = find_linked,
        .symbolise = symbolise,
        .expand = ses_macros_expand,
        .setting = setting,
        .function_of = function_of,
    };
}

const expr_world *ses_world(session *s)
{
    return &s->world;
}
