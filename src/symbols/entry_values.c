/* Values of registers at the entry of a function, which gcc's location lists refer to once the
 * register itself is overwritten: the caller's debug information may tell what it passed. */
#include "symbols/eval.h"

#include <string.h>

static bool is_call_site(int tag)
{
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

/* The address behind the call. */
static bool return_address_of_site(Dwarf_Die *site, uint64_t *addr)
{
    Dwarf_Attribute attr;
    Dwarf_Addr value;
    if (!dwarf_attr(site, DW_AT_call_return_pc, &attr) && !dwarf_attr(site, DW_AT_low_pc, &attr))
        return false;
    if (dwarf_formaddr(&attr, &value) != 0)
        return false;
    *addr = value;
    return true;
}

static bool find_call_site(Dwarf_Die *parent, uint64_t return_addr, Dwarf_Die *found, int depth)
{
    Dwarf_Die die;
    uint64_t addr;
    if (depth > 64 || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if (is_call_site(tag) && return_address_of_site(&die, &addr) && addr == return_addr) {
            *found = die;
            return true;
        }
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            find_call_site(&die, return_addr, found, depth + 1))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Whether the parameter is passed in that register. */
static bool parameter_is_in(Dwarf_Die *die, uint64_t reg)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    return dwarf_attr(die, DW_AT_location, &attr) && dwarf_getlocation(&attr, &ops, &n) == 0 &&
           n == 1 && ops[0].atom == DW_OP_reg0 + reg;
}

static bool find_parameter(Dwarf_Die *site, uint64_t reg, Dwarf_Attribute *value)
{
    Dwarf_Die die;
    if (dwarf_child(site, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
            parameter_is_in(&die, reg))
            return dwarf_attr(&die, DW_AT_call_value, value) ||
                   dwarf_attr(&die, DW_AT_GNU_call_site_value, value);
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The function that the call names; false if it doesn't, or not in a way that can be followed. */
static bool callee_of_site(sym_eval *caller, Dwarf_Die *site, uint64_t *entry)
{
    Dwarf_Die callee;
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    sym_module *module = caller->module;
    if (sym_die_ref(site, DW_AT_call_origin, &callee) || sym_die_ref(site, DW_AT_abstract_origin, &callee)) {
        Dwarf_Addr lo;
        const char *name = sym_die_name(&callee);
        if (dwarf_lowpc(&callee, &lo) == 0) {
            *entry = lo + module->bias;
            return true;
        }
        return name && sym_function_entry(module->table, name, entry, NULL);
    }
    if (!dwarf_attr(site, DW_AT_call_target, &attr) && !dwarf_attr(site, DW_AT_GNU_call_site_target, &attr))
        return false;
    if (dwarf_getlocation(&attr, &ops, &n) != 0)
        return false;
    caller->attr = &attr;
    return sym_eval_number(caller, ops, n, entry, NULL) == EBB_OK;
}

static ebb_status unknown(ebb_error *err)
{
    return ebb_fail(err, EBB_UNAVAILABLE, "the value at entry is not known");
}

/* A tail call on the way would make the caller's words wrong, so the callee must be this function. */
ebb_status sym_entry_value(sym_eval *eval, uint64_t reg, uint64_t *value, ebb_error *err)
{
    sym_table *table = eval->module->table;
    sym_frame caller;
    Dwarf_Die site;
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    uint64_t entry;
    if (!eval->frame || eval->depth > 6)
        return unknown(err);
    sym_function *function =
        sym_function_of_addr(eval->module, sym_frame_lookup_pc(eval->frame) - eval->module->bias);
    if (!function || sym_unwind(table, eval->target, eval->frame, &caller, NULL) != EBB_OK)
        return unknown(err);
    uint64_t return_addr = caller.regs[SYM_REG_RIP].value;
    sym_module *module = sym_module_at(table, return_addr - 1);
    sym_function *from = module ? sym_function_of_addr(module, return_addr - 1 - module->bias) : NULL;
    if (!from || !find_call_site(&from->die, return_addr - module->bias, &site, 0))
        return unknown(err);
    sym_eval in_caller = {.module = module, .target = eval->target, .frame = &caller, .depth = eval->depth + 1};
    if (!callee_of_site(&in_caller, &site, &entry) ||
        entry != function->ranges[0].lo + eval->module->bias || !find_parameter(&site, reg, &attr) ||
        dwarf_getlocation(&attr, &ops, &n) != 0)
        return unknown(err);
    in_caller.attr = &attr;
    return sym_eval_number(&in_caller, ops, n, value, err);
}
