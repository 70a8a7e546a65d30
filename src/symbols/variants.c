/* variants.c - enums of Rust, whose forms have fields of their own: DWARF's variant parts.
 *
 * A variant part names the member that tells which form there is, the discriminant, and lists the forms: each has the discriminant's value
 * and one member, a struct of its fields.  A form without a value is the one that is there for all other values (Rust puts them into bits
 * that the fields of that form never have). */
#include "symbols/types_dwarf.h"

#include <string.h>

/* Its bits, in whatever form it was written. */
static bool read_value(Dwarf_Die *die, const sym_member *discriminant, uint64_t *value)
{
    Dwarf_Attribute attr;
    Dwarf_Word word;
    if (!dwarf_attr(die, DW_AT_discr_value, &attr) || dwarf_formudata(&attr, &word) != 0)
        return false;
    uint64_t nbits = discriminant->type ? 8 * sym_type_size(discriminant->type) : 64;
    *value = nbits < 64 ? word & ((UINT64_C(1) << nbits) - 1) : word;
    return true;
}

static bool first_member(sym_module *module, Dwarf_Die *variant, sym_member *member)
{
    Dwarf_Die die;
    if (dwarf_child(variant, &die) != 0)
        return false;
    while (dwarf_tag(&die) != DW_TAG_member)
        if (dwarf_siblingof(&die, &die) != 0)
            return false;
    sym_read_member(module, &die, member);
    return true;
}

static void read_part(sym_module *module, sym_type *type, Dwarf_Die *part)
{
    enum { MAX_VARIANTS = 1 << 16 };
    EBB_VEC(sym_variant) found = {0};
    Dwarf_Die die;
    if (sym_die_ref(part, DW_AT_discr, &die))
        sym_read_member(module, &die, &type->discriminant);
    if (dwarf_child(part, &die) != 0)
        return;
    do {
        sym_variant variant = {0};
        if (dwarf_tag(&die) != DW_TAG_variant || found.n >= MAX_VARIANTS || !first_member(module, &die, &variant.member))
            continue;
        variant.is_default = !read_value(&die, &type->discriminant, &variant.value);
        ebb_vec_push(&found, variant);
    } while (dwarf_siblingof(&die, &die) == 0);
    sym_variant *variants = sym_types_alloc(module->table->types, found.n * sizeof *variants);
    if (found.n)
        memcpy(variants, found.items, found.n * sizeof *variants);
    type->variants = variants;
    type->n_variants = found.n;
    ebb_vec_fini(&found);
}

void sym_read_variants(sym_module *module, sym_type *type, Dwarf_Die *parent)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        if (dwarf_tag(&die) == DW_TAG_variant_part) {
            read_part(module, type, &die);
            return;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

const sym_variant *sym_type_find_variant(const sym_type *type, uint64_t discriminant)
{
    const sym_variant *otherwise = NULL;
    for (size_t i = 0; i < type->n_variants; i++) {
        if (!type->variants[i].is_default && type->variants[i].value == discriminant)
            return &type->variants[i];
        if (type->variants[i].is_default)
            otherwise = &type->variants[i];
    }
    return otherwise;
}

bool sym_type_is_tuple(const sym_type *type)
{
    for (size_t i = 0; i < type->n_members; i++)
        if (!type->members[i].name || strncmp(type->members[i].name, "__", 2) != 0 || type->members[i].name[2] < '0' || type->members[i].name[2] > '9')
            return false;
    return type->n_members > 0;
}
