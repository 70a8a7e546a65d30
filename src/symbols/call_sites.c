/* call_sites.c - call sites of DWARF 5 and their GNU forerunners are the same from here on. */
#include "symbols/call_sites.h"

enum { MAX_NESTING = 64 };

static bool is_call_site(int tag)
{
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

bool sym_call_site_return_pc(Dwarf_Die *site, uint64_t *addr)
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

static bool find_site(Dwarf_Die *parent, uint64_t return_addr, Dwarf_Die *found, int depth)
{
    Dwarf_Die die;
    uint64_t addr;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if (is_call_site(tag) && sym_call_site_return_pc(&die, &addr) && addr == return_addr) {
            *found = die;
            return true;
        }
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            find_site(&die, return_addr, found, depth + 1))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

bool sym_call_site_find(sym_function *function, uint64_t return_addr, Dwarf_Die *site)
{
    return find_site(&function->die, return_addr, site, 0);
}

bool sym_call_site_names(sym_module *module, Dwarf_Die *site, uint64_t *entry)
{
    Dwarf_Die callee;
    Dwarf_Addr lo;
    if (!sym_die_ref(site, DW_AT_call_origin, &callee) && !sym_die_ref(site, DW_AT_abstract_origin, &callee))
        return false;
    if (dwarf_lowpc(&callee, &lo) == 0) {
        *entry = lo + module->bias;
        return true;
    }
    const char *name = sym_die_name(&callee);
    return name && sym_function_entry(module->table, name, entry, NULL);
}

bool sym_call_site_callee(sym_eval *caller, Dwarf_Die *site, uint64_t *entry)
{
    Dwarf_Attribute attr;
    Dwarf_Die callee;
    if (sym_die_ref(site, DW_AT_call_origin, &callee) || sym_die_ref(site, DW_AT_abstract_origin, &callee))
        return sym_call_site_names(caller->module, site, entry);
    if (!dwarf_attr(site, DW_AT_call_target, &attr) && !dwarf_attr(site, DW_AT_GNU_call_site_target, &attr))
        return false;
    return sym_eval_attr_number(caller, &attr, entry, NULL) == EBB_OK;
}

static void add_tail_calls(Dwarf_Die *parent, sym_call_sites *sites, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (is_call_site(tag) && (sym_die_flag(&die, DW_AT_call_tail_call) || sym_die_flag(&die, DW_AT_GNU_tail_call)))
            ebb_vec_push(sites, die);
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            add_tail_calls(&die, sites, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void sym_tail_calls_of(sym_function *function, sym_call_sites *sites)
{
    add_tail_calls(&function->die, sites, 0);
}
