/* Values of registers at the entry of a function, which gcc's location lists refer to once the
 * register itself is overwritten: the caller's debug information may tell what it passed. */
#include "symbols/call_sites.h"

#include <string.h>

/* Whether the parameter is passed in that register. */
static bool parameter_is_in(sym_module *module, Dwarf_Die *die, uint64_t reg)
{
    Dwarf_Attribute attr;
    sym_bytes expression;
    sym_op op;
    return dwarf_attr(die, DW_AT_location, &attr) &&
           sym_attr_expression(module, &attr, 0, &expression) == SYM_FOUND &&
           sym_ops_single(expression, NULL, &op) && op.atom == DW_OP_reg0 + reg;
}

static bool find_parameter(sym_module *module, Dwarf_Die *site, uint64_t reg,
                           Dwarf_Attribute *value)
{
    Dwarf_Die die;
    if (dwarf_child(site, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
            parameter_is_in(module, &die, reg))
            return dwarf_attr(&die, DW_AT_call_value, value) ||
                   dwarf_attr(&die, DW_AT_GNU_call_site_value, value);
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The same by the parameter of the callee that it is for, which is not in any register there. */
static bool find_parameter_for(sym_eval *in_caller, Dwarf_Die *site, uint64_t unit_offset,
                               Dwarf_Attribute *value)
{
    Dwarf_Die die, parameter;
    if (dwarf_child(site, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
            (sym_die_ref(&die, DW_AT_call_parameter, &parameter) ||
             sym_die_ref(&die, DW_AT_abstract_origin, &parameter)) &&
            sym_unit_of_die(in_caller->module, &parameter) ==
                sym_unit_of_die(in_caller->module, site) &&
            dwarf_cuoffset(&parameter) == unit_offset)
            return dwarf_attr(&die, DW_AT_call_value, value) ||
                   dwarf_attr(&die, DW_AT_GNU_call_site_value, value);
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* ---- tail calls ------------------------------------------------------------------------------- */

/* A function that jumps to another at its end leaves no frame: the caller's words about the call are
 * then about a function that is gone.  They still hold for one that can't be reached by its own tail
 * calls, which is what is checked here. */
typedef struct tail_search {
    sym_eval *eval;
    EBB_VEC(uint64_t) entries; /* reached so far, run-time addresses */
    bool is_unsure;            /* a tail call through a pointer goes anywhere */
} tail_search;

enum { MAX_TAIL_CALLEES = 256 };

static void add_tail_callee(tail_search *t, Dwarf_Die *site)
{
    uint64_t entry;
    sym_eval eval = {.module = t->eval->module, .target = t->eval->target};
    if (!sym_call_site_callee(&eval, site, &entry) || t->entries.n == MAX_TAIL_CALLEES) {
        t->is_unsure = true;
        return;
    }
    for (size_t i = 0; i < t->entries.n; i++)
        if (t->entries.items[i] == entry)
            return;
    ebb_vec_push(&t->entries, entry);
}

static void add_tail_callees(tail_search *t, sym_function *function)
{
    sym_call_sites sites = {0};
    sym_tail_calls_of(function, &sites);
    for (size_t i = 0; i < sites.n; i++)
        add_tail_callee(t, &sites.items[i]);
    ebb_vec_fini(&sites);
}

static bool may_tail_call_itself(sym_eval *eval, sym_function *function)
{
    tail_search t = {.eval = eval};
    uint64_t own = function->ranges[0].lo + eval->module->bias;
    bool reached = false;
    add_tail_callees(&t, function);
    for (size_t i = 0; i < t.entries.n && !reached && !t.is_unsure; i++) {
        uint64_t entry = t.entries.items[i];
        sym_module *module = sym_module_at(eval->module->table, entry);
        sym_function *callee = module ? sym_function_of_addr(module, entry - module->bias) : NULL;
        reached = entry == own;
        if (callee && module == eval->module)
            add_tail_callees(&t, callee);
    }
    reached |= t.is_unsure;
    ebb_vec_fini(&t.entries);
    return reached;
}

/* ---- the value -------------------------------------------------------------------------------- */

static ebb_status unknown(ebb_error *err)
{
    return ebb_fail(err, EBB_UNAVAILABLE, "the value at entry is not known");
}

/* As in gdb, nobody looks past main: what libc passes to it is not told. */
static bool is_main(sym_table *table, const sym_function *function, uint64_t bias)
{
    uint64_t entry;
    return sym_function_entry(table, "main", &entry, NULL) && entry == function->ranges[0].lo + bias;
}

/* The call that entered the frame's function: what its caller's debug information says of it. */
static bool find_entering_call(sym_eval *eval, sym_frame *caller, sym_eval *in_caller,
                               Dwarf_Die *site)
{
    sym_table *table = eval->module->table;
    uint64_t entry;
    if (!eval->frame || eval->depth > 6)
        return false;
    sym_function *function =
        sym_function_of_addr(eval->module, sym_frame_lookup_pc(eval->frame) - eval->module->bias);
    if (!function || is_main(table, function, eval->module->bias) ||
        sym_caller(table, eval->target, eval->frame, caller, NULL) != EBB_OK)
        return false;
    uint64_t return_addr = caller->regs[SYM_REG_RIP].value;
    sym_module *module = sym_module_at(table, return_addr - 1);
    sym_function *from =
        module ? sym_function_of_addr(module, return_addr - 1 - module->bias) : NULL;
    if (!from || !sym_call_site_find(from, return_addr - module->bias, site))
        return false;
    *in_caller = (sym_eval){
        .module = module, .target = eval->target, .frame = caller, .depth = eval->depth + 1};
    return sym_call_site_callee(in_caller, site, &entry) &&
           entry == function->ranges[0].lo + eval->module->bias &&
           !may_tail_call_itself(eval, function);
}

ebb_status sym_entry_value(sym_eval *eval, uint64_t reg, uint64_t *value, ebb_error *err)
{
    sym_frame caller;
    sym_eval in_caller;
    Dwarf_Die site;
    Dwarf_Attribute attr;
    if (!find_entering_call(eval, &caller, &in_caller, &site) ||
        !find_parameter(in_caller.module, &site, reg, &attr))
        return unknown(err);
    return sym_eval_attr_number(&in_caller, &attr, value, err);
}

ebb_status sym_entry_parameter(sym_eval *eval, uint64_t unit_offset, uint64_t *value, ebb_error *err)
{
    sym_frame caller;
    sym_eval in_caller;
    Dwarf_Die site;
    Dwarf_Attribute attr;
    if (!find_entering_call(eval, &caller, &in_caller, &site) ||
        !find_parameter_for(&in_caller, &site, unit_offset, &attr))
        return unknown(err);
    return sym_eval_attr_number(&in_caller, &attr, value, err);
}

/* The register that a parameter arrives in is where it is at the function's first instruction. */
ebb_status sym_variable_entry_value(const sym_variable *parameter, const sym_target *target,
                                    sym_frame *frame, uint64_t *value, ebb_error *err)
{
    sym_module *module = parameter->unit->module;
    Dwarf_Die die = parameter->die;
    Dwarf_Attribute attr;
    sym_bytes expression;
    sym_op op;
    if (!frame)
        return unknown(err);
    sym_function *function =
        sym_function_of_addr(module, sym_frame_lookup_pc(frame) - module->bias);
    if (!function || !dwarf_attr_integrate(&die, DW_AT_location, &attr) ||
        sym_attr_expression(module, &attr, function->ranges[0].lo, &expression) != SYM_FOUND ||
        !sym_ops_single(expression, NULL, &op) || op.atom < DW_OP_reg0 || op.atom > DW_OP_reg31)
        return unknown(err);
    sym_eval eval = {.module = module, .target = target, .frame = frame};
    return sym_entry_value(&eval, op.atom - DW_OP_reg0, value, err);
}
