/* registers.c - registers by name, as frames had them, for expressions and `info registers`. */
#include "session/c/c.h"
#include "session/c/register_types.h"
#include "session/shell_words.h"
#include "session/stack.h"
#include "session/c/world.h"
#include "x86/regs.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

/* A register as a name means it: all of one, or a part. */
typedef struct named_register {
    int place;               /* numbering of expr_place.reg */
    unsigned index;          /* in the machine's table */
    unsigned offset, nbytes; /* a part; nbytes 0: all of it */
} named_register;

static const char *alias_of(const char *name)
{
    static const char *const aliases[][2] = {
        {"pc", "rip"}, {"sp", "rsp"}, {"fp", "rbp"}, {"ps", "eflags"}};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i][0], name) == 0)
            return aliases[i][1];
    return name;
}

/* The name of the 64-bit register that `name` is a part of, in `whole`. */
static bool whole_of(const char *name, char whole[8], unsigned *offset, unsigned *nbytes)
{
    static const char *const legacy[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    size_t n = strlen(name);
    *offset = 0;
    unsigned number;
    char suffix;
    if (sscanf(name, "r%2u%c", &number, &suffix) == 2 && number >= 8 && number <= 15 && n <= 4 &&
        strchr("dwl", suffix)) {
        *nbytes = suffix == 'd' ? 4 : suffix == 'w' ? 2 : 1;
        snprintf(whole, 8, "r%u", number);
        return true;
    }
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++) {
        const char *l = legacy[i];
        bool has_high = i < 4;
        snprintf(whole, 8, "r%s", l);
        *nbytes = n == 3 && name[0] == 'e' && strcmp(name + 1, l) == 0 ? 4
                  : strcmp(name, l) == 0                               ? 2
                                                                       : 0;
        if (!*nbytes && has_high && n == 2 && name[0] == l[0] &&
            (name[1] == 'l' || name[1] == 'h')) {
            *nbytes = 1;
            *offset = name[1] == 'h';
        }
        if (!*nbytes && !has_high && n == 3 && strncmp(name, l, 2) == 0 && name[2] == 'l')
            *nbytes = 1;
        if (*nbytes)
            return true;
    }
    return false;
}

const machine_reg *ses_all_registers(session *s, size_t *n)
{
    return s->machine ? s->machine->native->registers(s->machine, n) : x86_registers(NULL, n);
}

static int index_of(const machine_reg *regs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(regs[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool find_named(session *s, const char *name, named_register *out)
{
    char whole[8];
    size_t n;
    const machine_reg *regs = ses_all_registers(s, &n);
    *out = (named_register){0};
    int index = index_of(regs, n, alias_of(name));
    if (index < 0 && whole_of(name, whole, &out->offset, &out->nbytes))
        index = index_of(regs, n, whole);
    if (index < 0)
        return false;
    int dwarf = regs[index].dwarf;
    out->index = (unsigned)index;
    out->place = dwarf >= 0 ? dwarf : -1 - index;
    return true;
}

/* "rax" for its DWARF number; NULL for none of ours. */
const char *ses_register_name(session *s, int dwarf)
{
    size_t n;
    const machine_reg *regs = ses_all_registers(s, &n);
    for (size_t i = 0; i < n; i++)
        if (dwarf >= 0 && regs[i].dwarf == dwarf)
            return regs[i].name;
    return NULL;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static int machine_index(session *s, int reg)
{
    return reg >= 0 ? machine_reg_by_dwarf(s->machine, reg) : -1 - reg;
}

static ebb_status read_live(session *s, int reg, void *bytes, size_t nbytes, ebb_error *err)
{
    uint8_t raw[MACHINE_REG_MAX_BYTES] = {0};
    int index = machine_index(s, reg);
    if (index < 0)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no register with DWARF number %d.", reg);
    EBB_TRY(s->machine->native->reg_read(s->machine, s->thread, (unsigned)index, raw, err));
    memset(bytes, 0, nbytes);
    memcpy(bytes, raw, nbytes < sizeof raw ? nbytes : sizeof raw);
    return EBB_OK;
}

ebb_status ses_register_read(session *s, ses_frame_register where, void *bytes, size_t nbytes,
                             bool *known, ebb_error *err)
{
    if (!ses_has_debuggee(s))
        return ebb_fail(err, EBB_UNAVAILABLE, "No registers.");
    *known = true;
    if (where.reg < 0 || where.reg >= SYM_N_REGS)
        return read_live(s, where.reg, bytes, nbytes, err);
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(s, where.level, &frame, err));
    const sym_reg *r = &frame->regs.regs[where.reg];
    *known = r->kind != SYM_REG_UNKNOWN;
    memset(bytes, 0, nbytes);
    if (*known)
        memcpy(bytes, &r->value, nbytes < sizeof r->value ? nbytes : sizeof r->value);
    return EBB_OK;
}

static ebb_status write_live(session *s, int reg, const void *bytes, size_t nbytes, ebb_error *err)
{
    uint8_t raw[MACHINE_REG_MAX_BYTES];
    int index = machine_index(s, reg);
    EBB_TRY(read_live(s, reg, raw, sizeof raw, err));
    memcpy(raw, bytes, nbytes < sizeof raw ? nbytes : sizeof raw);
    return s->machine->native->reg_write(s->machine, s->thread, (unsigned)index, raw, err);
}

ebb_status ses_register_write(session *s, ses_frame_register where, const void *bytes, size_t nbytes,
                              ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    const ses_frame *frame;
    int reg = where.reg;
    EBB_TRY(ses_frame_get(s, where.level, &frame, err));
    const sym_reg *r = reg >= 0 && reg < SYM_N_REGS ? &frame->regs.regs[reg] : NULL;
    ebb_status status;
    if (!r || r->kind == SYM_REG_LIVE)
        status = write_live(s, reg, bytes, nbytes, err);
    else if (r->kind == SYM_REG_SAVED)
        status = machine_write(s->machine, r->addr, bytes, nbytes < 8 ? nbytes : 8, err);
    else
        status = ebb_fail(err, EBB_UNAVAILABLE,
                          "This register isn't saved in the selected frame, so it can't be set.");
    ses_stack_forget(s);
    return status;
}

/* ---- values --------------------------------------------------------------------------------- */

static ebb_status part_value(session *s, ebb_arena *arena, const named_register *r,
                             expr_value *value, ebb_error *err)
{
    char name[16];
    snprintf(name, sizeof name, "int%u_t", r->nbytes * 8);
    *value = (expr_value){.type = ses_plain_int(s, name, r->nbytes, true)};
    if (r->offset == 0) {
        value->place =
            (expr_place){.kind = EXPR_PLACE_REGISTER, .reg = r->place, .frame = s->level};
        value->is_lazy = true;
        return EBB_OK;
    }
    uint8_t raw[8];
    bool is_known;
    EBB_TRY(ses_register_read(s, (ses_frame_register){r->place, s->level}, raw, sizeof raw, &is_known, err));
    *value = expr_value_of_bytes(arena, value->type, raw + r->offset);
    value->is_optimized_out = !is_known;
    return EBB_OK;
}

ebb_status ses_register_value(session *s, ebb_arena *arena, const char *name, expr_value *value,
                              ebb_error *err)
{
    named_register r;
    if (!find_named(s, name, &r))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no register $%s.", name);
    if (r.nbytes)
        return part_value(s, arena, &r, value, err);
    *value = (expr_value){
        .type = ses_register_type(s, r.index),
        .is_lazy = true,
        .place = {.kind = EXPR_PLACE_REGISTER,
                  .reg = r.place,
                  .frame = s->level,
                  .name = ebb_arena_strdup(arena, name)},
    };
    return EBB_OK;
}

/* ---- info registers ------------------------------------------------------------------------- */

static bool is_vector(const sym_type *type)
{
    return type->kind == SYM_TYPE_UNION;
}

static char *print_as(session *s, ebb_arena *arena, expr_value value, char letter)
{
    ebb_buf text = {0};
    expr_format format = ses_default_format(s);
    format.letter = letter;
    uint64_t number;
    bool flags = letter == 0 && value.type->nbytes == 4 &&
                 expr_value_to_u64(arena, ses_world(s), &value, &number, NULL) == EBB_OK &&
                 ses_print_flags(value.type, number, &text);
    if (!flags && expr_print(arena, ses_world(s), &format, &value, &text, NULL) != EBB_OK)
        ebb_buf_adds(&text, "<unavailable>");
    char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static void show_float(session *s, ebb_arena *arena, expr_value *value, ses_register *out)
{
    out->raw = print_as(s, arena, *value, 0);
    char *raw = ebb_arena_strdup(arena, "(raw 0x00000000000000000000)");
    for (int i = 0; i < 10 && value->bytes; i++)
        sprintf(raw + 7 + 2 * i, "%02x", value->bytes[9 - i]);
    raw[27] = ')';
    out->natural = raw;
}

static ebb_status show_register(session *s, ebb_arena *arena, const char *name, ses_register *out,
                                ebb_error *err)
{
    expr_value value;
    EBB_TRY(ses_register_value(s, arena, name, &value, err));
    EBB_TRY(expr_value_fetch(arena, ses_world(s), &value, err));
    *out =
        (ses_register){.name = ebb_arena_strdup(arena, name), .raw = "<not saved>", .natural = ""};
    named_register r;
    size_t n;
    if (find_named(s, name, &r))
        out->group = s->machine->native->registers(s->machine, &n)[r.index].group;
    if (value.is_optimized_out) {
        out->natural = "<not saved>";
        return EBB_OK;
    }
    if (value.type->kind == SYM_TYPE_FLOAT)
        show_float(s, arena, &value, out);
    else {
        out->raw = print_as(s, arena, value, 'x');
        out->natural = is_vector(value.type) ? "" : print_as(s, arena, value, 0);
    }
    return EBB_OK;
}

static bool is_usual(const machine_reg *r)
{
    if (r->group == MACHINE_REG_SEGMENT)
        return r->nbytes == 4;
    bool is_mask = r->name[0] == 'k' && r->nbytes == 8;
    return r->group == MACHINE_REG_GENERAL || r->group == MACHINE_REG_FLAGS || is_mask;
}

static ebb_status show_table(session *s, ebb_arena *arena, bool all, ses_registers *out,
                             ebb_error *err)
{
    size_t n;
    const machine_reg *table = s->machine->native->registers(s->machine, &n);
    for (size_t i = 0; i < n; i++) {
        if (!all && !is_usual(&table[i]))
            continue;
        ses_register reg;
        ebb_status status = show_register(s, arena, table[i].name, &reg, err);
        if (status == EBB_UNSUPPORTED || status == EBB_UNAVAILABLE)
            continue; /* this CPU doesn't have it */
        EBB_TRY(status);
        ebb_vec_push(out, reg);
    }
    return EBB_OK;
}

static ebb_status show_named(session *s, ebb_arena *arena, const char *names, ses_registers *out,
                             ebb_error *err)
{
    ses_strings words = {0};
    ebb_status status = ses_words_split(names, &words, err);
    for (size_t i = 0; status == EBB_OK && i < words.n; i++) {
        const char *name = words.items[i] + (words.items[i][0] == '$');
        ses_register reg;
        named_register found;
        if (!find_named(s, name, &found))
            status = ebb_fail(err, EBB_NOT_FOUND, "Invalid register `%.60s'", name);
        else
            status = show_register(s, arena, name, &reg, err);
        if (status == EBB_OK)
            ebb_vec_push(out, reg);
    }
    ses_strings_clear(&words);
    return status;
}

ebb_status ses_c_registers_get(session *s, ebb_arena *arena, const char *names, ses_registers *out,
                             ebb_error *err)
{
    if (!ses_has_debuggee(s))
        return ebb_fail(err, EBB_GONE, "The program has no registers now.");
    bool all = names && strcmp(names, "all") == 0;
    if (all || !names || ebb_text_is_blank(names))
        return show_table(s, arena, all, out, err);
    return show_named(s, arena, names, out, err);
}
