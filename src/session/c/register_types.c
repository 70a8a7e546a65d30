/* register_types.c - see register_types.h. */
#include "session/c/register_types.h"
#include "session/c/world.h"

#include <stdio.h>
#include <string.h>

/* ---- making each once ----------------------------------------------------------------------- */

static sym_type *known(session *s, const char *name)
{
    return ebb_map_get(s->register_types, name);
}

static sym_type *remember(session *s, const char *name, sym_type *type)
{
    ebb_map_set(s->register_types, name, type);
    return type;
}

static sym_types *pool(session *s)
{
    return sym_table_types(s->symbols);
}

static const char *pooled(session *s, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(sym_types_alloc(pool(s), n), text, n);
}

static sym_type *make(session *s, sym_type_kind kind, const char *name, unsigned nbytes,
                      bool is_signed)
{
    if (known(s, name))
        return known(s, name);
    sym_type *type = sym_types_add(pool(s), kind);
    type->name = pooled(s, name);
    type->nbytes = nbytes;
    type->is_signed = is_signed;
    return remember(s, name, type);
}

sym_type *ses_plain_int(session *s, const char *name, unsigned nbytes, bool is_signed)
{
    return make(s, SYM_TYPE_INT, name, nbytes, is_signed);
}

/* ---- vectors -------------------------------------------------------------------------------- */

typedef struct lane {
    const char *member; /* with the number of lanes to fill in */
    sym_type_kind kind;
    const char *type;
    unsigned nbytes;
} lane;

static const lane lanes[] = {
    {"v%u_float", SYM_TYPE_FLOAT, "float", 4},  {"v%u_double", SYM_TYPE_FLOAT, "double", 8},
    {"v%u_int8", SYM_TYPE_INT, "int8_t", 1},    {"v%u_int16", SYM_TYPE_INT, "int16_t", 2},
    {"v%u_int32", SYM_TYPE_INT, "int32_t", 4},  {"v%u_int64", SYM_TYPE_INT, "int64_t", 8},
    {"uint128", SYM_TYPE_INT, "uint128_t", 16},
};
enum { N_LANES = sizeof lanes / sizeof *lanes };

static sym_member lane_member(session *s, const lane *l, unsigned nbytes)
{
    char name[32];
    unsigned count = nbytes / l->nbytes;
    bool whole = l->nbytes == 16;
    snprintf(name, sizeof name, whole && count > 1 ? "v%u_int128" : l->member, count);
    sym_type *element = l->kind == SYM_TYPE_FLOAT ? sym_types_basic(pool(s), l->type)
                                                  : ses_plain_int(s, l->type, l->nbytes, !whole);
    return (sym_member){
        .name = pooled(s, name),
        .type = count > 1 ? sym_type_array_of(pool(s), element, count) : element,
    };
}

static sym_type *vector_type(session *s, unsigned nbytes)
{
    char name[32];
    snprintf(name, sizeof name, "vec%u", nbytes * 8);
    if (known(s, name))
        return known(s, name);
    sym_type *type = make(s, SYM_TYPE_UNION, name, nbytes, false);
    sym_member *members = sym_types_alloc(pool(s), sizeof *members * N_LANES);
    for (size_t i = 0; i < N_LANES; i++)
        members[i] = lane_member(s, &lanes[i], nbytes);
    type->members = members;
    type->n_members = N_LANES;
    return type;
}

/* ---- by register ---------------------------------------------------------------------------- */

static sym_type *special_type(session *s, const char *name)
{
    sym_type *nothing = sym_types_basic(pool(s), "void");
    if (strcmp(name, "rip") == 0)
        return sym_type_pointer_to(pool(s), ses_speaks_cplus(s) ? sym_type_prototype_of(pool(s), nothing)
                                                                : sym_type_function_of(pool(s), nothing));
    if (strcmp(name, "rsp") == 0 || strcmp(name, "rbp") == 0)
        return sym_type_pointer_to(pool(s), nothing);
    if (strcmp(name, "eflags") == 0)
        return make(s, SYM_TYPE_INT, "i386_eflags", 4, false);
    if (strcmp(name, "mxcsr") == 0)
        return make(s, SYM_TYPE_INT, "i386_mxcsr", 4, false);
    if (strcmp(name, "fs_base") == 0 || strcmp(name, "gs_base") == 0 ||
        strcmp(name, "orig_rax") == 0)
        return sym_types_basic(pool(s), "long");
    if (name[0] == 's' && name[1] == 't')
        return make(s, SYM_TYPE_FLOAT, "builtin_type_i387_ext", 16, true);
    return NULL;
}

sym_type *ses_register_type(session *s, unsigned reg)
{
    size_t n;
    const machine_reg *r = &ses_all_registers(s, &n)[reg];
    ebb_check(reg < n);
    sym_type *special = special_type(s, r->name);
    if (special)
        return special;
    if (r->nbytes >= 16)
        return vector_type(s, r->nbytes);
    if (r->name[0] == 'k')
        return ses_plain_int(s, "uint64_t", 8, false);
    char name[16];
    snprintf(name, sizeof name, "int%u_t", r->nbytes * 8);
    return ses_plain_int(s, name, r->nbytes, true);
}

/* ---- flags ---------------------------------------------------------------------------------- */

typedef struct flag {
    unsigned bit;
    const char *name;
} flag;

static const flag eflags[] = {
    {0, "CF"},  {2, "PF"},   {4, "AF"},   {6, "ZF"},  {7, "SF"},  {8, "TF"},
    {9, "IF"},  {10, "DF"},  {11, "OF"},  {14, "NT"}, {16, "RF"}, {17, "VM"},
    {18, "AC"}, {19, "VIF"}, {20, "VIP"}, {21, "ID"}, {0, NULL},
};
static const flag mxcsr[] = {
    {0, "IE"}, {1, "DE"}, {2, "ZE"},  {3, "OE"},  {4, "UE"},  {5, "PE"},  {6, "DAZ"}, {7, "IM"},
    {8, "DM"}, {9, "ZM"}, {10, "OM"}, {11, "UM"}, {12, "PM"}, {15, "FZ"}, {0, NULL},
};

bool ses_print_flags(const sym_type *type, uint64_t value, ebb_buf *out)
{
    const flag *flags = NULL;
    if (type->name && strcmp(type->name, "i386_eflags") == 0)
        flags = eflags;
    if (type->name && strcmp(type->name, "i386_mxcsr") == 0)
        flags = mxcsr;
    if (!flags)
        return false;
    ebb_buf_adds(out, "[");
    for (; flags->name; flags++)
        if (value >> flags->bit & 1)
            ebb_buf_addf(out, " %s", flags->name);
    ebb_buf_adds(out, " ]");
    return true;
}
