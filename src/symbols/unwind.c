/* Unwinding: from a frame to its caller.
 *
 * UW1  call frame information decides where there is any: .eh_frame of the file, then .debug_frame;
 * UW2  code without it is read as a compiler's prologue would have left it: a frame pointer once
 *     `push %rbp; mov %rsp,%rbp` has run, else the return address on top of the stack;
 * UW3  a caller that is the same as its callee ends the stack. */
#include "symbols/eval.h"
#include "symbols/prologue.h"

#include <string.h>

/* ---- call frame information ------------------------------------------------------------------- */

static void read_cfi(sym_module *module)
{
    if (module->cfi_read)
        return;
    module->cfi_read = true;
    module->eh_cfi = dwarf_getcfi_elf(module->file.elf);
    Dwarf *dwarf = sym_module_dwarf(module);
    if (dwarf)
        module->debug_cfi = dwarf_getcfi(dwarf);
}

/* The rules at a file address; the caller frees them.  NULL if there are none. */
static Dwarf_Frame *rules_at(sym_module *module, uint64_t addr)
{
    Dwarf_Frame *rules = NULL;
    read_cfi(module);
    if (module->eh_cfi && dwarf_cfi_addrframe(module->eh_cfi, addr, &rules) == 0)
        return rules;
    if (module->debug_cfi && dwarf_cfi_addrframe(module->debug_cfi, addr, &rules) == 0)
        return rules;
    return NULL;
}

static bool rules_are_for_signal(Dwarf_Frame *rules)
{
    Dwarf_Addr lo, hi;
    bool is_signal = false;
    dwarf_frame_info(rules, &lo, &hi, &is_signal);
    return is_signal;
}

uint64_t sym_unwind_rules_begin(sym_table *table, uint64_t pc)
{
    Dwarf_Addr lo = 0, hi;
    bool is_signal;
    sym_module *module = sym_module_at(table, pc);
    Dwarf_Frame *rules = module ? rules_at(module, pc - module->bias) : NULL;
    bool is_known = rules && dwarf_frame_info(rules, &lo, &hi, &is_signal) >= 0;
    free(rules);
    return is_known ? lo + module->bias : 0;
}

static Dwarf_Frame *rules_of_frame(sym_table *table, const sym_frame *frame, sym_module **module)
{
    uint64_t pc = sym_frame_lookup_pc(frame);
    *module = sym_module_at(table, pc);
    return *module ? rules_at(*module, pc - (*module)->bias) : NULL;
}

/* A trampoline's own pc may be the first byte of it, so that the byte before tells nothing. */
static bool is_signal_frame(sym_table *table, uint64_t pc)
{
    sym_module *module = sym_module_at(table, pc);
    Dwarf_Frame *rules = module ? rules_at(module, pc - module->bias) : NULL;
    bool is_signal = rules && rules_are_for_signal(rules);
    free(rules);
    return is_signal;
}

static ebb_status cfa_of_rules(sym_module *module, const sym_target *target, sym_frame *frame,
                               Dwarf_Frame *rules, uint64_t *cfa, ebb_error *err)
{
    Dwarf_Op *ops;
    size_t n;
    sym_eval eval = {.module = module, .target = target, .frame = frame};
    if (dwarf_frame_cfa(rules, &ops, &n) != 0 || n == 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "the call frame information is broken here");
    sym_ops ours = {0};
    sym_ops_of_libdw(ops, n, &ours);
    ebb_status status = sym_eval_number(&eval, &ours, cfa, err);
    ebb_vec_fini(&ours);
    return status;
}

/* What the location that a rule names says about the caller's register. */
static sym_reg reg_of_location(const sym_target *target, const sym_frame *frame,
                               const sym_location *location)
{
    const sym_piece *piece = &location->pieces[0];
    sym_reg reg = {0};
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        if (target->read(target->self, piece->addr, &reg.value, sizeof reg.value, NULL) == EBB_OK) {
            reg.kind = SYM_REG_SAVED;
            reg.addr = piece->addr;
        }
        break;
    case SYM_PIECE_REGISTER:
        if (piece->reg >= 0 && piece->reg < SYM_N_REGS)
            reg = frame->regs[piece->reg];
        break;
    case SYM_PIECE_VALUE:
        reg.kind = SYM_REG_VALUE;
        memcpy(&reg.value, piece->bytes, sizeof reg.value);
        break;
    default: break;
    }
    return reg;
}

/* A register that the rules don't mention counts as unchanged, whether or not the callee may use it:
 * compilers end the location of a variable at a call that destroys it, and gcc -fipa-ra keeps
 * variables in registers that it knows the callee to spare.  libdw calls such registers undefined
 * (even %rbx, by mistake), so only the return address is believed to be so: at the outermost frame. */
static sym_reg reg_by_rule(sym_module *module, const sym_target *target, sym_frame *frame,
                           Dwarf_Frame *rules, int number)
{
    Dwarf_Op mem[3], *ops;
    size_t n;
    if (dwarf_frame_register(rules, number, mem, &ops, &n) != 0)
        return (sym_reg){0};
    if (n == 0)
        return ops == mem && number == SYM_REG_RIP ? (sym_reg){0} : frame->regs[number];
    sym_eval eval = {
        .module = module, .target = target, .frame = frame, .has_cfa = true, .cfa = frame->cfa};
    sym_location location;
    sym_ops ours = {0};
    sym_ops_of_libdw(ops, n, &ours);
    ebb_status status = sym_eval_location(&eval, &ours, &location, NULL);
    ebb_vec_fini(&ours);
    return status == EBB_OK ? reg_of_location(target, frame, &location) : (sym_reg){0};
}

static ebb_status unwind_by_rules(sym_module *module, const sym_target *target, sym_frame *frame,
                                  Dwarf_Frame *rules, sym_frame *caller, ebb_error *err)
{
    ebb_status status = cfa_of_rules(module, target, frame, rules, &frame->cfa, err);
    if (status != EBB_OK)
        return status;
    Dwarf_Addr lo, hi;
    int ra = dwarf_frame_info(rules, &lo, &hi, &frame->is_signal_frame);
    for (int i = 0; i < SYM_N_REGS; i++)
        caller->regs[i] = reg_by_rule(module, target, frame, rules, i);
    if (caller->regs[SYM_REG_RSP].kind == SYM_REG_UNKNOWN ||
        caller->regs[SYM_REG_RSP].kind == SYM_REG_LIVE)
        caller->regs[SYM_REG_RSP] = (sym_reg){.kind = SYM_REG_VALUE, .value = frame->cfa};
    if (ra >= 0 && ra < SYM_N_REGS && ra != SYM_REG_RIP)
        caller->regs[SYM_REG_RIP] = caller->regs[ra];
    if (caller->regs[SYM_REG_RIP].kind == SYM_REG_UNKNOWN)
        return ebb_fail(err, EBB_NOT_FOUND, "the outermost frame");
    caller->pc_is_exact = frame->is_signal_frame;
    return EBB_OK;
}

/* ---- frame pointers (UW2) ---------------------------------------------------------------------- */

static bool read_word(const sym_target *target, uint64_t addr, uint64_t *value)
{
    return target->read(target->self, addr, value, sizeof *value, NULL) == EBB_OK;
}

/* Where the return address is, and where the caller's %rbp is (0: still in the register). */
static bool find_return_address(sym_table *table, const sym_frame *frame, uint64_t *at,
                                uint64_t *saved_rbp)
{
    uint64_t pc = frame->regs[SYM_REG_RIP].value, entry;
    uint64_t rsp = frame->regs[SYM_REG_RSP].value;
    const sym_reg *rbp = &frame->regs[SYM_REG_RBP];
    sym_frame_setup setup = SYM_FRAME_NONE;
    *saved_rbp = 0;
    if (sym_code_start(table, pc, &entry))
        setup = sym_frame_setup_at(table, entry, pc);
    else if (!frame->pc_is_exact && rbp->kind != SYM_REG_UNKNOWN)
        setup = SYM_FRAME_POINTER;
    switch (setup) {
    case SYM_FRAME_POINTER:
        if (rbp->kind == SYM_REG_UNKNOWN || rbp->value < rsp)
            return false;
        *saved_rbp = rbp->value;
        *at = rbp->value + 8;
        return true;
    case SYM_FRAME_PUSHED:
        *saved_rbp = rsp;
        *at = rsp + 8;
        return true;
    default: *at = rsp; return true;
    }
}

static bool is_callee_saved(int reg)
{
    return reg == 3 || reg == SYM_REG_RBP || (reg >= 12 && reg <= 15); /* rbx, rbp, r12 to r15 */
}

static ebb_status unwind_by_stack(sym_table *table, const sym_target *target, sym_frame *frame,
                                  sym_frame *caller, ebb_error *err)
{
    uint64_t at, saved_rbp, pc, rbp;
    if (!find_return_address(table, frame, &at, &saved_rbp) || !read_word(target, at, &pc))
        return ebb_fail(err, EBB_NOT_FOUND,
                        "no caller is known: the code has no call frame information");
    if (pc == 0 || !sym_module_at(table, pc))
        return ebb_fail(err, EBB_NOT_FOUND,
                        "no caller is known: there is no return address on the stack");
    frame->cfa = at + 8;
    for (int i = 0; i < SYM_N_REGS; i++)
        if (is_callee_saved(i))
            caller->regs[i] = frame->regs[i];
    if (saved_rbp && read_word(target, saved_rbp, &rbp))
        caller->regs[SYM_REG_RBP] = (sym_reg){SYM_REG_SAVED, saved_rbp, rbp};
    caller->regs[SYM_REG_RSP] = (sym_reg){.kind = SYM_REG_VALUE, .value = at + 8};
    caller->regs[SYM_REG_RIP] = (sym_reg){SYM_REG_SAVED, at, pc};
    caller->pc_is_exact = false;
    return EBB_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

ebb_status sym_unwind(sym_table *table, const sym_target *target, sym_frame *frame,
                      sym_frame *caller, ebb_error *err)
{
    sym_module *module;
    ebb_status status;
    *caller = (sym_frame){0};
    Dwarf_Frame *rules = rules_of_frame(table, frame, &module);
    if (rules)
        status = unwind_by_rules(module, target, frame, rules, caller, err);
    else
        status = unwind_by_stack(table, target, frame, caller, err);
    free(rules);
    if (status != EBB_OK)
        return status;
    uint64_t pc = caller->regs[SYM_REG_RIP].value;
    if (pc == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "the outermost frame");
    if (pc == frame->regs[SYM_REG_RIP].value &&
        caller->regs[SYM_REG_RSP].value == frame->regs[SYM_REG_RSP].value) /* UW3 */
        return ebb_fail(err, EBB_NOT_FOUND,
                        "the caller is the same frame again: is the stack corrupt?");
    caller->is_signal_frame = is_signal_frame(table, pc);
    if (caller->is_signal_frame)
        caller->pc_is_exact = true;
    return EBB_OK;
}

ebb_status sym_frame_cfa(sym_table *table, const sym_target *target, sym_frame *frame,
                         uint64_t *cfa, ebb_error *err)
{
    if (!frame->cfa) {
        sym_frame caller;
        ebb_error ignored;
        ebb_status status = sym_unwind(table, target, frame, &caller, err ? err : &ignored);
        if (status != EBB_OK && !frame->cfa)
            return status;
    }
    *cfa = frame->cfa;
    return EBB_OK;
}
