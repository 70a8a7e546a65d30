/* Types out of DWARF.
 *
 * A type is made when a DIE is first asked for, with everything but what could be large or circular:
 * members, enumerators and parameters are read by its `complete` function.
 *
 * TD1  following `target` alone always ends: C has no type that contains itself without a struct,
 *      a union or a function in between, so a DIE met again while its own targets are being made is
 *      broken debug information, and becomes SYM_TYPE_UNKNOWN there;
 * TD2  a type outlives its module (values in the history keep theirs): names are copied into the pool,
 *      and a type that isn't complete when the module goes stays incomplete. */
#include "symbols/types_dwarf.h"
#include "symbols/index.h"
#include "symbols/ops.h"
#include "symbols/scopes.h"

#include <string.h>

enum { MAX_MEMBERS = 1 << 20 };

/* Ends the chain of targets: too long is as broken as circular. */
enum { MAX_TARGETS = 100 };
static int target_depth;

static sym_types *pool_of(const sym_module *module)
{
    return module->table->types;
}

static sym_type *unknown_type(sym_module *module)
{
    sym_type *type = sym_types_add(pool_of(module), SYM_TYPE_UNKNOWN);
    type->name = "<unknown type>";
    return type;
}

sym_type *sym_type_of_attr(sym_module *module, Dwarf_Die *die)
{
    Dwarf_Die target;
    if (!sym_die_type(die, &target))
        return sym_types_basic(pool_of(module), "void");
    return sym_type_of_die(module, &target);
}

static void take_name(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    sym_unit *unit = sym_unit_of_die(module, die);
    type->name = sym_types_name(pool_of(module), sym_die_scoped_name(module, die));
    type->is_cplus = unit && sym_unit_has_scopes(unit);
}

static void take_size(sym_type *type, Dwarf_Die *die)
{
    uint64_t nbytes = 0;
    sym_die_unsigned(die, DW_AT_byte_size, &nbytes);
    type->nbytes = nbytes;
}

/* ---- basic types ------------------------------------------------------------------------------ */

static void fill_complex(sym_module *module, sym_type *type)
{
    const char *part = type->nbytes == 8 ? "float" : type->nbytes == 16 ? "double" : "long double";
    type->kind = SYM_TYPE_COMPLEX;
    type->target = sym_types_basic(pool_of(module), part);
}

static void fill_base(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    char scratch[SYM_BASIC_NAME_SIZE];
    const char *name = sym_die_own_name(die);
    uint64_t encoding = 0;
    sym_die_unsigned(die, DW_AT_encoding, &encoding);
    take_size(type, die);
    if (name)
        type->name = sym_types_name(pool_of(module), sym_basic_canonical_name(name, scratch));
    type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    switch (encoding) {
    case DW_ATE_boolean: type->kind = SYM_TYPE_BOOL; break;
    case DW_ATE_float: type->kind = SYM_TYPE_FLOAT; break;
    case DW_ATE_complex_float: fill_complex(module, type); break;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF: type->kind = SYM_TYPE_CHAR; break;
    case DW_ATE_signed:
    case DW_ATE_unsigned:
    case DW_ATE_address: type->kind = SYM_TYPE_INT; break;
    default: type->kind = SYM_TYPE_UNKNOWN; break;
    }
    if (type->nbytes == 0 || type->nbytes > 64)
        type->kind = SYM_TYPE_UNKNOWN;
}

/* ---- structs and unions ----------------------------------------------------------------------- */

static uint64_t member_offset(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;
    Dwarf_Block block;
    sym_op op;
    if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
        return 0;
    if (dwarf_formudata(&attr, &value) == 0)
        return value;
    /* DWARF 2 wrote it as an expression. */
    if (dwarf_formblock(&attr, &block) == 0 &&
        sym_ops_single((sym_bytes){block.data, block.length}, NULL, &op) &&
        (op.atom == DW_OP_plus_uconst || op.atom == DW_OP_constu))
        return op.number;
    return 0;
}

static void read_bit_field(Dwarf_Die *die, sym_member *m)
{
    uint64_t nbits, first, from_top, storage;
    if (!sym_die_unsigned(die, DW_AT_bit_size, &nbits) || nbits == 0 || nbits > 128)
        return;
    if (sym_die_unsigned(die, DW_AT_data_bit_offset, &first)) {
        /* counted from the start of the struct */
    } else if (sym_die_unsigned(die, DW_AT_bit_offset, &from_top)) {
        /* DWARF 3: from the most significant bit of the storage unit at the member's offset */
        if (!sym_die_unsigned(die, DW_AT_byte_size, &storage))
            storage = sym_type_size(m->type);
        first = m->offset * 8 + storage * 8 - from_top - nbits;
    } else {
        first = m->offset * 8;
    }
    m->nbits = (unsigned)nbits;
    m->offset = first / 8;
    m->bit_offset = first % 8;
}

/* A virtual base is where g++ and clang say so: the distance is at a place before the table that the object begins with.
 * DW_OP_dup, deref, constu N, minus, deref, plus. */
static uint64_t virtual_base_slot(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(die, DW_AT_data_member_location, &attr) || dwarf_getlocation(&attr, &ops, &n) != 0 || n != 6 || ops[0].atom != DW_OP_dup ||
        ops[1].atom != DW_OP_deref || ops[3].atom != DW_OP_minus || ops[4].atom != DW_OP_deref || ops[5].atom != DW_OP_plus)
        return 0;
    return ops[2].atom >= DW_OP_lit0 && ops[2].atom <= DW_OP_lit31 ? (uint64_t)ops[2].atom - DW_OP_lit0 : ops[2].number;
}

void sym_read_member(sym_module *module, Dwarf_Die *die, sym_member *m)
{
    *m = (sym_member){0};
    m->name = sym_types_name(pool_of(module), sym_die_own_name(die));
    if (m->name && !*m->name)
        m->name = NULL;
    m->type = sym_type_of_attr(module, die);
    m->offset = member_offset(die);
    read_bit_field(die, m);
    m->is_artificial = sym_die_flag(die, DW_AT_artificial);
}

static sym_access access_of(Dwarf_Die *die, sym_access otherwise)
{
    uint64_t access;
    if (!sym_die_unsigned(die, DW_AT_accessibility, &access))
        return otherwise;
    return access == DW_ACCESS_private ? SYM_PRIVATE : access == DW_ACCESS_protected ? SYM_PROTECTED : SYM_PUBLIC;
}

static bool is_static_member(Dwarf_Die *die)
{
    int tag = dwarf_tag(die); /* DWARF 5 calls it a variable */
    return (tag == DW_TAG_member || tag == DW_TAG_variable) && (sym_die_flag(die, DW_AT_declaration) || sym_die_flag(die, DW_AT_external));
}

static bool is_member(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_member || tag == DW_TAG_inheritance || is_static_member(die);
}

/* What C doesn't have: bases, static members, private ones. */
static void read_class_member(Dwarf_Die *die, bool is_class, sym_member *m)
{
    m->is_base = dwarf_tag(die) == DW_TAG_inheritance;
    m->is_virtual = m->is_base && sym_die_has(die, DW_AT_virtuality);
    if (m->is_virtual)
        m->offset = virtual_base_slot(die);
    m->is_static = is_static_member(die);
    m->has_constant = m->is_static && sym_die_constant(die, &m->constant);
    m->access = access_of(die, is_class ? SYM_PRIVATE : SYM_PUBLIC);
}

/* ---- member functions ------------------------------------------------------------------------- */

/* `this` tells whether the function is const, and is none of its parameters. */
static void read_this(sym_module *module, Dwarf_Die *die, sym_method *method)
{
    Dwarf_Die child;
    method->is_static = true;
    if (dwarf_child(die, &child) != 0)
        return;
    while (dwarf_tag(&child) != DW_TAG_formal_parameter) /* what a template was made with comes first */
        if (dwarf_siblingof(&child, &child) != 0)
            return;
    if (!sym_die_flag(&child, DW_AT_artificial))
        return;
    method->is_static = false;
    sym_type *self = sym_type_of_attr(module, &child);
    while (self->kind == SYM_TYPE_CONST && self->target)
        self = self->target; /* the pointer's own */
    method->is_const = self->kind == SYM_TYPE_POINTER && self->target && self->target->kind == SYM_TYPE_CONST;
}

static int table_index(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    bool is_known = dwarf_attr(die, DW_AT_vtable_elem_location, &attr) && dwarf_getlocation(&attr, &ops, &n) == 0 && n == 1 && ops[0].atom == DW_OP_constu &&
                    ops[0].number < 1 << 16;
    return is_known ? (int)ops[0].number : -1;
}

static void read_method(sym_module *module, Dwarf_Die *die, bool is_class, sym_method *method)
{
    uint64_t virtuality = 0, defaulted = 0;
    *method = (sym_method){.name = sym_types_name(pool_of(module), sym_die_own_name(die)), .type = sym_type_of_die(module, die)};
    method->access = access_of(die, is_class ? SYM_PRIVATE : SYM_PUBLIC);
    method->is_virtual = sym_die_unsigned(die, DW_AT_virtuality, &virtuality) && virtuality != 0;
    method->is_artificial = sym_die_flag(die, DW_AT_artificial);
    method->table_index = method->is_virtual ? table_index(die) : -1;
    method->is_defaulted = sym_die_unsigned(die, DW_AT_defaulted, &defaulted) && defaulted == DW_DEFAULTED_in_class;
    method->linkage_name = sym_types_name(pool_of(module), sym_die_linkage_name(die));
    read_this(module, die, method);
}

static void read_methods(sym_module *module, sym_type *type, Dwarf_Die *parent)
{
    EBB_VEC(sym_method) found = {0};
    EBB_VEC(sym_template_type) arguments = {0};
    EBB_VEC(sym_nested_name) nested = {0};
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        if (dwarf_tag(&die) == DW_TAG_subprogram && sym_die_own_name(&die) && found.n < MAX_MEMBERS) {
            sym_method method;
            read_method(module, &die, type->is_class, &method);
            ebb_vec_push(&found, method);
        } else if (dwarf_tag(&die) == DW_TAG_template_type_parameter && sym_die_own_name(&die)) {
            ebb_vec_push(&arguments, ((sym_template_type){sym_types_name(pool_of(module), sym_die_own_name(&die)), sym_type_of_attr(module, &die)}));
        } else if (dwarf_tag(&die) == DW_TAG_typedef && sym_die_own_name(&die) && nested.n < MAX_MEMBERS) {
            sym_access access = access_of(&die, type->is_class ? SYM_PRIVATE : SYM_PUBLIC);
            ebb_vec_push(&nested, ((sym_nested_name){sym_types_name(pool_of(module), sym_die_own_name(&die)), sym_type_of_attr(module, &die), access}));
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    sym_method *methods = sym_types_alloc(pool_of(module), found.n * sizeof *methods);
    sym_template_type *types = sym_types_alloc(pool_of(module), arguments.n * sizeof *types);
    if (found.n)
        memcpy(methods, found.items, found.n * sizeof *methods);
    if (arguments.n)
        memcpy(types, arguments.items, arguments.n * sizeof *types);
    type->methods = methods;
    type->n_methods = found.n;
    type->template_types = types;
    type->n_template_types = arguments.n;
    sym_nested_name *names = sym_types_alloc(pool_of(module), nested.n * sizeof *names);
    if (nested.n)
        memcpy(names, nested.items, nested.n * sizeof *names);
    type->nested_names = names;
    type->n_nested_names = nested.n;
    ebb_vec_fini(&nested);
    ebb_vec_fini(&found);
    ebb_vec_fini(&arguments);
}

/* ---- members ---------------------------------------------------------------------------------- */

static void read_members(sym_module *module, sym_type *type, Dwarf_Die *parent)
{
    EBB_VEC(sym_member) found = {0};
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        if (is_member(&die) && found.n < MAX_MEMBERS) {
            sym_member m;
            sym_read_member(module, &die, &m);
            read_class_member(&die, type->is_class, &m);
            ebb_vec_push(&found, m);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    sym_member *members = sym_types_alloc(pool_of(module), found.n * sizeof *members);
    if (found.n)
        memcpy(members, found.items, found.n * sizeof *members);
    type->members = members;
    type->n_members = found.n;
    ebb_vec_fini(&found);
}

static void complete_struct(sym_type *type)
{
    sym_dwarf_type *d = type->reader;
    type->complete = NULL;
    read_members(d->module, type, &d->die);
    if (type->is_rust)
        sym_read_variants(d->module, type, &d->die);
    if (type->is_cplus)
        read_methods(d->module, type, &d->die);
}

/* TY2: looks again only when modules have come or gone since the last time. */
static void complete_declaration(sym_type *type)
{
    sym_dwarf_type *d = type->reader;
    sym_table *table = d->module->table;
    if (!type->name || d->generation == table->generation)
        return;
    d->generation = table->generation;
    sym_type *definition = sym_index_find_definition(table, type, sym_die_own_name(&d->die), d->module);
    if (!definition || definition == type)
        return;
    sym_type_complete(definition);
    type->complete = NULL;
    type->is_declared_only = false;
    type->nbytes = definition->nbytes;
    type->is_signed = definition->is_signed;
    type->members = definition->members;
    type->n_members = definition->n_members;
    type->methods = definition->methods;
    type->n_methods = definition->n_methods;
    type->template_types = definition->template_types;
    type->n_template_types = definition->n_template_types;
    type->nested_names = definition->nested_names;
    type->n_nested_names = definition->n_nested_names;
    type->variants = definition->variants;
    type->n_variants = definition->n_variants;
    type->discriminant = definition->discriminant;
    type->enumerators = definition->enumerators;
    type->n_enumerators = definition->n_enumerators;
}

/* ---- enumerations ----------------------------------------------------------------------------- */

bool sym_die_constant(Dwarf_Die *die, int64_t *value)
{
    Dwarf_Attribute attr;
    Dwarf_Word word;
    Dwarf_Sword sword;
    if (!dwarf_attr(die, DW_AT_const_value, &attr))
        return false;
    unsigned form = dwarf_whatform(&attr);
    Dwarf_Block block;
    if (dwarf_formblock(&attr, &block) == 0) { /* a real number has the bytes that it would have in memory */
        *value = 0;
        memcpy(value, block.data, block.length < sizeof *value ? block.length : sizeof *value);
        return block.length <= sizeof *value;
    }
    if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
        if (dwarf_formsdata(&attr, &sword) != 0)
            return false;
        *value = sword;
        return true;
    }
    if (dwarf_formudata(&attr, &word) != 0)
        return false;
    *value = (int64_t)word;
    return true;
}

/* In C++, with what is around it: shop::Red, and of an `enum class` shop::Color::Red. */
static const char *enumerator_name(sym_module *module, const sym_type *type, const char *own)
{
    if (!own || !type->is_cplus || !type->name)
        return sym_types_name(pool_of(module), own);
    const char *end = NULL;
    for (const char *at = type->name; (at = strstr(at, "::")); at += 2)
        end = at;
    if (!type->is_scoped && !end)
        return sym_types_name(pool_of(module), own);
    int n = type->is_scoped ? (int)strlen(type->name) : (int)(end - type->name);
    char *full = ebb_asprintf("%.*s::%s", n, type->name, own);
    const char *name = sym_types_name(pool_of(module), full);
    free(full);
    return name;
}

static void complete_enum(sym_type *type)
{
    sym_dwarf_type *d = type->reader;
    EBB_VEC(sym_enumerator) found = {0};
    Dwarf_Die die;
    type->complete = NULL;
    if (dwarf_child(&d->die, &die) != 0)
        return;
    do {
        sym_enumerator e = {0};
        if (dwarf_tag(&die) != DW_TAG_enumerator || found.n >= MAX_MEMBERS)
            continue;
        e.name = enumerator_name(d->module, type, sym_die_own_name(&die));
        if (!e.name || !sym_die_constant(&die, &e.value))
            continue;
        ebb_vec_push(&found, e);
    } while (dwarf_siblingof(&die, &die) == 0);
    sym_enumerator *all = sym_types_alloc(pool_of(d->module), found.n * sizeof *all);
    if (found.n)
        memcpy(all, found.items, found.n * sizeof *all);
    type->enumerators = all;
    type->n_enumerators = found.n;
    ebb_vec_fini(&found);
}

/* As in gdb, an enumeration is signed when one of its constants is negative. */
static bool has_negative_enumerator(Dwarf_Die *parent)
{
    Dwarf_Die die;
    int64_t value;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_enumerator && sym_die_constant(&die, &value) && value < 0)
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* ---- functions -------------------------------------------------------------------------------- */

/* The DIE that has the parameters: an instance may lack those that weren't needed. */
static Dwarf_Die signature_of(Dwarf_Die *die)
{
    Dwarf_Die at = *die, next;
    for (int i = 0; i < 16 && (sym_die_ref(&at, DW_AT_abstract_origin, &next) ||
                               sym_die_ref(&at, DW_AT_specification, &next));
         i++)
        at = next;
    return at;
}

/* `this` can't be changed, whether or not the compiler says so. */
static sym_type *constant(sym_module *module, sym_type *type)
{
    return type->kind == SYM_TYPE_CONST ? type : sym_type_qualified(pool_of(module), type, SYM_TYPE_CONST);
}

static void complete_function(sym_type *type)
{
    sym_dwarf_type *d = type->reader;
    EBB_VEC(sym_type *) found = {0};
    Dwarf_Die parent = signature_of(&d->die), die;
    type->complete = NULL;
    if (dwarf_child(&parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        bool is_this = tag == DW_TAG_formal_parameter && found.n == 0 && sym_die_flag(&die, DW_AT_artificial);
        type->has_this |= is_this;
        if (tag == DW_TAG_formal_parameter && !is_this && sym_die_flag(&die, DW_AT_artificial))
            continue; /* whether a destructor is to free its object, and the like */
        if (tag == DW_TAG_formal_parameter && found.n < MAX_MEMBERS)
            ebb_vec_push(&found, is_this ? constant(d->module, sym_type_of_attr(d->module, &die)) : sym_type_of_attr(d->module, &die));
        type->is_variadic |= tag == DW_TAG_unspecified_parameters;
    } while (dwarf_siblingof(&die, &die) == 0);
    sym_type **params = sym_types_alloc(pool_of(d->module), found.n * sizeof *params);
    if (found.n)
        memcpy(params, found.items, found.n * sizeof *params);
    type->params = params;
    type->n_params = found.n;
    ebb_vec_fini(&found);
}

static void fill_function(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    Dwarf_Die signature = signature_of(die);
    type->kind = SYM_TYPE_FUNCTION;
    type->target = sym_type_of_attr(module, die);
    sym_unit *unit = sym_unit_of_die(module, die);
    type->is_prototyped = sym_die_flag(&signature, DW_AT_prototyped) || (unit && sym_unit_has_scopes(unit));
    type->complete = complete_function;
}

/* ---- arrays ----------------------------------------------------------------------------------- */

static void complete_array(sym_type *type)
{
    type->complete = NULL;
    if (type->count_known &&
        __builtin_mul_overflow(type->count, sym_type_size(type->target), &type->nbytes)) {
        type->count_known = false;
        type->nbytes = 0;
    }
}

static void read_bounds(sym_type *type, Dwarf_Die *subrange)
{
    Dwarf_Attribute attr;
    Dwarf_Word value, lower = 0;
    if (dwarf_attr(subrange, DW_AT_count, &attr)) {
        type->count_known = dwarf_formudata(&attr, &value) == 0;
        type->is_dynamic = !type->count_known;
        type->count = type->count_known ? value : 0;
        return;
    }
    if (!dwarf_attr(subrange, DW_AT_upper_bound, &attr))
        return;
    if (dwarf_formudata(&attr, &value) != 0) {
        type->is_dynamic = true;
        return;
    }
    sym_die_unsigned(subrange, DW_AT_lower_bound, &lower);
    type->count_known = true;
    type->count = value - lower + 1;
}

/* a[2][3] is one DIE with two subranges. */
static void fill_array(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    sym_type *element = sym_type_of_attr(module, die), *last = NULL;
    bool is_vector = sym_die_flag(die, DW_AT_GNU_vector);
    Dwarf_Die child;
    type->kind = SYM_TYPE_ARRAY;
    if (dwarf_child(die, &child) == 0) {
        int n = 0;
        do {
            if (dwarf_tag(&child) != DW_TAG_subrange_type || ++n > MAX_TARGETS)
                continue;
            sym_type *dimension = last ? sym_types_add(pool_of(module), SYM_TYPE_ARRAY) : type;
            dimension->complete = complete_array;
            dimension->is_vector = is_vector;
            dimension->is_rust = type->is_rust;
            dimension->reader = sym_dwarf_type_new(module, &child);
            read_bounds(dimension, &child);
            if (last)
                last->target = dimension;
            last = dimension;
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    (last ? last : type)->target = element;
}

/* ---- all kinds -------------------------------------------------------------------------------- */

static void fill_tagged(sym_module *module, sym_type *type, Dwarf_Die *die, sym_type_kind kind)
{
    type->kind = kind;
    take_name(module, type, die);
    take_size(type, die);
    type->is_declared_only = sym_die_flag(die, DW_AT_declaration);
    type->is_class = dwarf_tag(die) == DW_TAG_class_type;
    type->is_scoped = sym_die_flag(die, DW_AT_enum_class);
    if (type->is_declared_only)
        type->complete = complete_declaration;
    else
        type->complete = kind == SYM_TYPE_ENUM ? complete_enum : complete_struct;
    if (kind == SYM_TYPE_ENUM)
        type->is_signed = has_negative_enumerator(die);
    if (kind == SYM_TYPE_ENUM && type->is_cplus && sym_die_has(die, DW_AT_type))
        type->target = sym_type_of_attr(module, die);
}

static void fill_alias(sym_module *module, sym_type *type, Dwarf_Die *die, sym_type_kind kind)
{
    type->kind = kind;
    if (kind == SYM_TYPE_TYPEDEF)
        take_name(module, type, die);
    type->target = sym_type_of_attr(module, die);
    type->nbytes = kind == SYM_TYPE_POINTER ? 8 : type->target->nbytes;
}

/* An offset, or an address and what has to be added to `this`. */
static void fill_member_pointer(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    Dwarf_Die owner;
    type->kind = SYM_TYPE_MEMBER_POINTER;
    type->target = sym_type_of_attr(module, die);
    type->owner = sym_die_ref(die, DW_AT_containing_type, &owner) ? sym_type_of_die(module, &owner) : unknown_type(module);
    type->nbytes = sym_type_strip(type->target)->kind == SYM_TYPE_FUNCTION ? 16 : 8;
}

static void fill(sym_module *module, sym_type *type, Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type: fill_base(module, type, die); break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->is_reference = true;
        type->is_rvalue = dwarf_tag(die) == DW_TAG_rvalue_reference_type;
        fill_alias(module, type, die, SYM_TYPE_POINTER);
        break;
    case DW_TAG_ptr_to_member_type: fill_member_pointer(module, type, die); break;
    case DW_TAG_pointer_type: fill_alias(module, type, die, SYM_TYPE_POINTER); break;
    case DW_TAG_typedef: fill_alias(module, type, die, SYM_TYPE_TYPEDEF); break;
    case DW_TAG_const_type: fill_alias(module, type, die, SYM_TYPE_CONST); break;
    case DW_TAG_volatile_type: fill_alias(module, type, die, SYM_TYPE_VOLATILE); break;
    case DW_TAG_restrict_type: fill_alias(module, type, die, SYM_TYPE_RESTRICT); break;
    case DW_TAG_atomic_type: fill_alias(module, type, die, SYM_TYPE_ATOMIC); break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type: fill_tagged(module, type, die, SYM_TYPE_STRUCT); break;
    case DW_TAG_union_type: fill_tagged(module, type, die, SYM_TYPE_UNION); break;
    case DW_TAG_enumeration_type: fill_tagged(module, type, die, SYM_TYPE_ENUM); break;
    case DW_TAG_array_type: fill_array(module, type, die); break;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine: fill_function(module, type, die); break;
    case DW_TAG_unspecified_type:
        type->kind = SYM_TYPE_VOID;
        type->name = "void";
        break;
    default: type->name = "<unknown type>"; break;
    }
}

sym_dwarf_type *sym_dwarf_type_new(sym_module *module, Dwarf_Die *die)
{
    sym_dwarf_type *d = EBB_ARENA_NEW(&module->arena, sym_dwarf_type);
    d->module = module;
    d->die = *die;
    return d;
}

sym_type *sym_type_of_die(sym_module *module, Dwarf_Die *die)
{
    Dwarf_Die definition;
    if (sym_die_ref(die, DW_AT_signature, &definition))
        die = &definition; /* it lives in a type unit */
    uint64_t key = (uintptr_t)die->addr;
    sym_type *type = ebb_map_get_u64(module->types, key);
    if (type) {
        sym_dwarf_type *d = type->reader;
        return d->in_progress ? unknown_type(module) : type; /* TD1 */
    }
    if (target_depth >= MAX_TARGETS)
        return unknown_type(module);
    type = sym_types_add(pool_of(module), SYM_TYPE_UNKNOWN);
    sym_dwarf_type *d = sym_dwarf_type_new(module, die);
    type->reader = d;
    ebb_map_set_u64(module->types, key, type);
    d->in_progress = true;
    target_depth++;
    sym_unit *unit = sym_unit_of_die(module, die);
    type->is_rust = unit && sym_unit_is_rust(unit);
    fill(module, type, die);
    target_depth--;
    d->in_progress = false;
    return type;
}

static void forget(sym_type *type)
{
    for (; type; type = type->target) {
        bool is_array = type->kind == SYM_TYPE_ARRAY;
        type->complete = NULL;
        type->reader = NULL;
        if (!is_array)
            return;
    }
}

void sym_types_forget_module(sym_module *module)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(module->types, &at, &entry);)
        forget(entry.value);
}
