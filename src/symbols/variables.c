/* Variables: what is known about one, and where it is. */
#include "symbols/eval.h"
#include "symbols/index.h"
#include "symbols/types_dwarf.h"

#include <string.h>

const sym_variable *sym_variable_of_die(sym_unit *unit, Dwarf_Die *die)
{
    uint64_t key = (uintptr_t)die->addr;
    sym_variable *variable = ebb_map_get_u64(unit->module->variables, key);
    if (variable)
        return variable;
    const char *name = sym_die_name(die);
    if (!name)
        return NULL;
    variable = EBB_ARENA_NEW(&unit->module->arena, sym_variable);
    variable->unit = unit;
    variable->die = *die;
    variable->info.name = name;
    ebb_map_set_u64(unit->module->variables, key, variable);
    return variable;
}

/* ---- what is known ---------------------------------------------------------------------------- */

/* An `extern` inside a function or file stands for the variable that is defined elsewhere. */
static bool is_declaration(Dwarf_Die *die)
{
    return sym_die_flag(die, DW_AT_declaration) && !sym_die_has(die, DW_AT_location);
}

static const sym_variable *definition_of(const sym_variable *variable)
{
    Dwarf_Die die = variable->die;
    if (!is_declaration(&die))
        return NULL;
    const sym_variable *found = sym_index_find_variable(
        variable->unit->module->table, variable->info.name, variable->unit->module);
    return found != variable ? found : NULL;
}

static bool is_external(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_external, &attr) != NULL;
}

/* Another name of a variable (libc's environ) has no place of its own in debug information; its symbol has. */
static bool is_alias(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    return is_external(die) && !dwarf_attr_integrate(die, DW_AT_location, &attr) &&
           !dwarf_attr_integrate(die, DW_AT_const_value, &attr);
}

/* A variable whose location is an address in the program, or thread-local. */
static bool has_fixed_place(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Block block;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attr) || sym_attr_is_list(&attr) ||
        dwarf_formblock(&attr, &block) != 0 || block.length == 0)
        return false;
    uint8_t first = block.data[0], last = block.data[block.length - 1];
    return first == DW_OP_addr || first == DW_OP_addrx || first == DW_OP_GNU_addr_index ||
           last == DW_OP_form_tls_address || last == DW_OP_GNU_push_tls_address;
}

static void read_info(sym_variable *variable)
{
    sym_variable_info *info = &variable->info;
    sym_module *module = variable->unit->module;
    info->module = module;
    info->type = sym_type_of_attr(module, &variable->die);
    info->is_parameter = dwarf_tag(&variable->die) == DW_TAG_formal_parameter;
    info->is_declaration = is_declaration(&variable->die);
    info->is_static = info->is_declaration || has_fixed_place(&variable->die) || is_alias(&variable->die);
    sym_die_decl(module, &variable->die, &info->decl_file, &info->decl_line);
}

const sym_variable_info *sym_variable_get_info(const sym_variable *variable)
{
    sym_variable *v = (sym_variable *)variable; /* SP3 */
    if (!v->info_read) {
        v->info_read = true;
        read_info(v);
    }
    return &v->info;
}

/* ---- where it is ------------------------------------------------------------------------------ */

static void optimized_out(sym_location *location)
{
    *location = (sym_location){.n_pieces = 1};
    location->pieces[0].kind = SYM_PIECE_OPTIMIZED_OUT;
}

static void constant(const sym_variable *variable, Dwarf_Attribute *attr, sym_location *location)
{
    sym_piece *piece = &location->pieces[0];
    Dwarf_Block block;
    int64_t number;
    Dwarf_Die die = variable->die;
    optimized_out(location);
    if (dwarf_formblock(attr, &block) == 0) {
        piece->kind = SYM_PIECE_VALUE;
        piece->block = block.data;
        piece->block_nbytes = block.length;
        if (block.length <= sizeof piece->bytes)
            memcpy(piece->bytes, block.data, block.length);
        return;
    }
    const char *text =
        dwarf_whatform(attr) == DW_FORM_string || dwarf_whatform(attr) == DW_FORM_strp
            ? dwarf_formstring(attr)
            : NULL;
    if (text) {
        piece->kind = SYM_PIECE_VALUE;
        piece->block = (const uint8_t *)text;
        piece->block_nbytes = strlen(text) + 1;
        return;
    }
    Dwarf_Die origin;
    if (!sym_die_has(&die, DW_AT_const_value) && sym_die_ref(&die, DW_AT_abstract_origin, &origin))
        die = origin;
    if (sym_die_constant(&die, &number)) {
        int64_t sign = number < 0 ? -1 : 0;
        piece->kind = SYM_PIECE_VALUE;
        memcpy(piece->bytes, &number, sizeof number);
        memcpy(piece->bytes + 8, &sign, sizeof sign);
    }
}

/* The symbol table knows the place of an `extern` variable that no debug information defines. */
static bool locate_by_symbol(const sym_variable *variable, sym_location *location)
{
    uint64_t addr, nbytes;
    bool is_function;
    if (!sym_symbol_address(variable->unit->module->table, variable->info.name, &addr, &nbytes,
                            &is_function))
        return false;
    *location = (sym_location){.n_pieces = 1};
    location->pieces[0].kind = SYM_PIECE_MEMORY;
    location->pieces[0].addr = addr;
    return true;
}

/* Where the program has a copy of a library's variable, that is the one in use. */
static void prefer_copy(const sym_variable *variable, sym_location *location)
{
    sym_table *table = variable->unit->module->table;
    Dwarf_Die die = variable->die;
    uint64_t addr;
    if (location->n_pieces != 1 || location->pieces[0].kind != SYM_PIECE_MEMORY ||
        !is_external(&die))
        return;
    for (size_t i = 0; i < table->modules.n; i++)
        if (table->modules.items[i] != variable->unit->module &&
            sym_symbol_copied(table->modules.items[i], variable->info.name, &addr))
            location->pieces[0].addr = addr + table->modules.items[i]->bias;
}

static ebb_status locate(const sym_variable *variable, const sym_target *target, sym_frame *frame,
                         sym_location *location, ebb_error *err)
{
    Dwarf_Die die = variable->die;
    Dwarf_Attribute attr;
    if (dwarf_attr_integrate(&die, DW_AT_location, &attr)) {
        sym_eval eval = {.module = variable->unit->module, .target = target, .frame = frame};
        ebb_error why;
        ebb_status status = sym_eval_attr(&eval, &attr, location, err ? err : &why);
        if (status == EBB_UNAVAILABLE && frame) {
            optimized_out(location);
            return EBB_OK;
        }
        return status;
    }
    if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr))
        constant(variable, &attr, location);
    else if (!is_external(&die) || !locate_by_symbol(variable, location))
        optimized_out(location);
    return EBB_OK;
}

ebb_status sym_variable_locate(const sym_variable *variable, const sym_target *target,
                               sym_frame *frame, sym_location *location, ebb_error *err)
{
    const sym_variable *definition = definition_of(variable);
    const sym_variable *here = definition ? definition : variable;
    ebb_status status = locate(here, target, frame, location, err);
    if (status == EBB_OK)
        prefer_copy(here, location);
    return status;
}

void sym_piece_copy(const sym_piece *piece, uint8_t *to, size_t nbytes)
{
    size_t has = piece->block ? piece->block_nbytes : sizeof piece->bytes;
    memcpy(to, piece->block ? piece->block : piece->bytes, nbytes < has ? nbytes : has);
}
