/* eval.c - a stack machine over decoded operations (ops.h); what it can't compute it says. */
#include "symbols/eval.h"
#include "symbols/cell.h"

#include <string.h>

enum { MAX_STACK = 128, MAX_STEPS = 20000, MAX_DEPTH = 8 };

typedef struct machine {
    sym_eval *eval;
    sym_cell stack[MAX_STACK];
    size_t n;
    sym_piece result; /* of the simple location being built */
    bool has_result;  /* something other than the memory address on the stack */
    ebb_error *err;
} machine;

/* ---- registers and memory --------------------------------------------------------------------- */

ebb_status sym_frame_reg(const sym_frame *frame, uint64_t reg, uint64_t *value, ebb_error *err)
{
    if (!frame)
        return ebb_fail(err, EBB_UNAVAILABLE, "no frame is selected");
    if (reg >= SYM_N_REGS || frame->regs[reg].kind == SYM_REG_UNKNOWN)
        return ebb_fail(err, EBB_UNAVAILABLE, "a register that is needed was not saved");
    *value = frame->regs[reg].value;
    return EBB_OK;
}

uint64_t sym_frame_lookup_pc(const sym_frame *frame)
{
    uint64_t pc = frame->regs[SYM_REG_RIP].value;
    return frame->pc_is_exact || pc == 0 ? pc : pc - 1;
}

static ebb_status read_memory(machine *m, uint64_t addr, void *bytes, size_t n)
{
    const sym_target *target = m->eval->target;
    if (!target || !target->read)
        return ebb_fail(m->err, EBB_UNAVAILABLE, "the program is not running");
    return target->read(target->self, addr, bytes, n, m->err);
}

/* ---- the stack -------------------------------------------------------------------------------- */

static ebb_status broken(machine *m, const char *what)
{
    return ebb_fail(m->err, EBB_BAD_FILE, "broken debug information: %s", what);
}

static ebb_status push(machine *m, sym_cell cell)
{
    if (m->n == MAX_STACK)
        return broken(m, "an expression overflows its stack");
    m->stack[m->n++] = cell;
    return EBB_OK;
}

static ebb_status push_number(machine *m, uint64_t value)
{
    return push(m, sym_cell_of(value));
}

static ebb_status need(machine *m, size_t n)
{
    return m->n >= n ? EBB_OK : broken(m, "an expression takes more than it has");
}

static sym_cell pop(machine *m)
{
    return m->stack[--m->n];
}

/* ---- operations that ask the outside ---------------------------------------------------------- */

static ebb_status op_breg(machine *m, uint64_t reg, uint64_t offset)
{
    uint64_t value;
    EBB_TRY(sym_frame_reg(m->eval->frame, reg, &value, m->err));
    return push_number(m, value + offset);
}

static ebb_status op_cfa(machine *m)
{
    sym_eval *e = m->eval;
    if (!e->has_cfa) {
        if (!e->frame)
            return ebb_fail(m->err, EBB_UNAVAILABLE, "no frame is selected");
        EBB_TRY(sym_frame_cfa(e->module->table, e->target, e->frame, &e->cfa, m->err));
        e->has_cfa = true;
    }
    return push_number(m, e->cfa);
}

/* The frame base is the address that a location description names, or the value of a register. */
static ebb_status frame_base(machine *m, uint64_t *base)
{
    sym_eval *e = m->eval;
    Dwarf_Attribute attr;
    if (!e->frame)
        return ebb_fail(m->err, EBB_UNAVAILABLE, "no frame is selected");
    uint64_t pc = sym_frame_lookup_pc(e->frame) - e->module->bias;
    sym_function *function = sym_function_of_addr(e->module, pc);
    if (!function || !dwarf_attr_integrate(&function->die, DW_AT_frame_base, &attr))
        return ebb_fail(m->err, EBB_UNAVAILABLE, "the function has no frame base");
    sym_eval nested = *e;
    sym_location location;
    nested.depth++;
    EBB_TRY(sym_eval_attr(&nested, &attr, &location, m->err));
    const sym_piece *piece = &location.pieces[0];
    if (location.n_pieces == 1 && piece->kind == SYM_PIECE_MEMORY) {
        *base = piece->addr;
        return EBB_OK;
    }
    if (location.n_pieces == 1 && piece->kind == SYM_PIECE_REGISTER)
        return sym_frame_reg(e->frame, (uint64_t)piece->reg, base, m->err);
    if (location.n_pieces == 1 && piece->kind == SYM_PIECE_VALUE && !piece->block) {
        memcpy(base, piece->bytes, sizeof *base);
        return EBB_OK;
    }
    return ebb_fail(m->err, EBB_UNAVAILABLE, "the frame base is not known here");
}

static ebb_status op_fbreg(machine *m, uint64_t offset)
{
    uint64_t base;
    EBB_TRY(frame_base(m, &base));
    return push_number(m, base + offset);
}

static ebb_status op_tls(machine *m)
{
    const sym_target *target = m->eval->target;
    uint64_t block;
    EBB_TRY(need(m, 1));
    uint64_t offset = sym_cell_u64(pop(m));
    if (m->eval->unit && m->eval->unit->split)
        offset = sym_split_tls_offset(m->eval->module, offset);
    if (!target || !target->tls_block)
        return ebb_fail(m->err, EBB_UNAVAILABLE,
                        "the program is not running: thread-local variables have no address");
    EBB_TRY(target->tls_block(target->self, m->eval->module, &block, m->err));
    return push_number(m, block + offset);
}

/* DW_OP_addrx and DW_OP_constx: a number out of .debug_addr. */
static ebb_status op_indexed(machine *m, const sym_op *op, uint64_t bias)
{
    uint64_t addr;
    if (!m->eval->unit || !sym_unit_indexed_addr(m->eval->unit, op->number, &addr))
        return broken(m, "an address index leads nowhere");
    return push_number(m, addr + bias);
}

static ebb_status op_deref(machine *m, size_t n, sym_cell_type type)
{
    EBB_TRY(need(m, 1));
    sym_cell cell = {.type = type};
    if (n == 0 || n > sizeof cell.bytes)
        return broken(m, "a memory access of a strange size");
    EBB_TRY(read_memory(m, sym_cell_u64(pop(m)), cell.bytes, n));
    return push(m, cell);
}

/* ---- operations with types -------------------------------------------------------------------- */

/* `offset` is that of a base type in the expression's unit. */
static ebb_status type_at(machine *m, uint64_t offset, sym_cell_type *type)
{
    Dwarf_Die die;
    uint64_t nbytes, encoding;
    sym_unit *unit = m->eval->unit;
    if (!unit || offset >= unit->dies_end - unit->dies_start ||
        !sym_unit_die_at(unit, unit->dies_start + offset, &die) ||
        dwarf_tag(&die) != DW_TAG_base_type || !sym_die_unsigned(&die, DW_AT_byte_size, &nbytes) ||
        !sym_die_unsigned(&die, DW_AT_encoding, &encoding) || nbytes == 0 || nbytes > 16)
        return broken(m, "an expression names a strange type");
    *type = (sym_cell_type){.nbytes = (uint8_t)nbytes, .encoding = (uint8_t)encoding};
    return EBB_OK;
}

static ebb_status op_convert(machine *m, const sym_op *op, bool reinterpret)
{
    sym_cell_type type = {0};
    EBB_TRY(need(m, 1));
    if (op->number != 0)
        EBB_TRY(type_at(m, op->number, &type));
    sym_cell cell = pop(m);
    return push(m, reinterpret ? sym_cell_reinterpret(cell, type) : sym_cell_convert(cell, type));
}

static ebb_status op_const_type(machine *m, const sym_op *op)
{
    sym_cell cell = {0};
    EBB_TRY(type_at(m, op->number2, &cell.type));
    if (op->block.n == 0 || op->block.n > sizeof cell.bytes)
        return broken(m, "a constant of a strange size");
    memcpy(cell.bytes, op->block.data, op->block.n);
    return push(m, cell);
}

static ebb_status op_regval_type(machine *m, const sym_op *op)
{
    sym_cell cell = {0};
    EBB_TRY(type_at(m, op->number2, &cell.type));
    if (op->number < SYM_N_REGS) {
        uint64_t value;
        EBB_TRY(sym_frame_reg(m->eval->frame, op->number, &value, m->err));
        memcpy(cell.bytes, &value, sizeof value);
        return push(m, cell);
    }
    const sym_target *target = m->eval->target;
    if (!target || !target->reg)
        return ebb_fail(m->err, EBB_UNAVAILABLE, "the program is not running");
    EBB_TRY(target->reg(target->self, (int)op->number, cell.bytes, cell.type.nbytes, m->err));
    return push(m, cell);
}

/* ---- entry values ----------------------------------------------------------------------------- */

static bool is_reg_op(uint8_t atom)
{
    return atom >= DW_OP_reg0 && atom <= DW_OP_reg31;
}

static bool is_breg_op(uint8_t atom)
{
    return atom >= DW_OP_breg0 && atom <= DW_OP_breg31;
}

/* The value of a register at the entry of the function. */
static ebb_status op_entry_value(machine *m, const sym_op *op)
{
    sym_op reg;
    uint64_t value;
    if (!sym_ops_single(op->block, m->eval->unit, &reg) || !is_reg_op(reg.atom))
        return ebb_fail(m->err, EBB_UNAVAILABLE, "the value at entry is not known");
    EBB_TRY(sym_entry_value(m->eval, reg.atom - DW_OP_reg0, &value, m->err));
    return push_number(m, value);
}

static ebb_status op_parameter_ref(machine *m, const sym_op *op)
{
    uint64_t value;
    EBB_TRY(sym_entry_parameter(m->eval, op->number, &value, m->err));
    return push_number(m, value);
}

/* ---- one operation ---------------------------------------------------------------------------- */

static void set_result(machine *m, sym_piece piece)
{
    m->result = piece;
    m->has_result = true;
}

static ebb_status op_stack_value(machine *m)
{
    EBB_TRY(need(m, 1));
    sym_cell cell = pop(m);
    sym_piece piece = {.kind = SYM_PIECE_VALUE};
    memcpy(piece.bytes, cell.bytes, sizeof piece.bytes);
    set_result(m, piece);
    return EBB_OK;
}

static ebb_status op_implicit_value(machine *m, const sym_op *op)
{
    if (!op->block.n)
        return broken(m, "an implicit value that isn't there");
    sym_piece piece = {
        .kind = SYM_PIECE_VALUE, .block = op->block.data, .block_nbytes = op->block.n};
    if (op->block.n <= sizeof piece.bytes)
        memcpy(piece.bytes, op->block.data, op->block.n);
    set_result(m, piece);
    return EBB_OK;
}

static ebb_status op_implicit_pointer(machine *m)
{
    set_result(m, (sym_piece){.kind = SYM_PIECE_POINTER});
    return EBB_OK;
}

static ebb_status op_pick(machine *m, uint64_t index)
{
    EBB_TRY(need(m, 1));
    if (index >= m->n)
        return broken(m, "an expression picks below its stack");
    return push(m, m->stack[m->n - 1 - index]);
}

static ebb_status op_binary(machine *m, uint8_t atom)
{
    EBB_TRY(need(m, 2));
    sym_cell b = pop(m), a = pop(m), out;
    if (!sym_cell_binary(atom, a, b, &out))
        return ebb_fail(m->err, EBB_UNAVAILABLE, "a division by zero in the debug information");
    return push(m, out);
}

static ebb_status op_unary(machine *m, uint8_t atom)
{
    EBB_TRY(need(m, 1));
    return push(m, sym_cell_unary(atom, pop(m)));
}

static ebb_status run_other(machine *m, const sym_op *op)
{
    switch (op->atom) {
    case DW_OP_addr: return push_number(m, op->number + m->eval->module->bias);
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: return op_indexed(m, op, m->eval->module->bias);
    case DW_OP_constx:
    case DW_OP_GNU_const_index: return op_indexed(m, op, 0);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts: return push_number(m, op->number);
    case DW_OP_dup: return op_pick(m, 0);
    case DW_OP_over: return op_pick(m, 1);
    case DW_OP_pick: return op_pick(m, op->number);
    case DW_OP_drop:
        EBB_TRY(need(m, 1));
        pop(m);
        return EBB_OK;
    case DW_OP_swap: {
        EBB_TRY(need(m, 2));
        sym_cell a = pop(m), b = pop(m);
        EBB_TRY(push(m, a));
        return push(m, b);
    }
    case DW_OP_rot: {
        EBB_TRY(need(m, 3));
        sym_cell a = pop(m), b = pop(m), c = pop(m);
        EBB_TRY(push(m, a));
        EBB_TRY(push(m, c));
        return push(m, b);
    }
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not: return op_unary(m, op->atom);
    case DW_OP_and:
    case DW_OP_div:
    case DW_OP_minus:
    case DW_OP_mod:
    case DW_OP_mul:
    case DW_OP_or:
    case DW_OP_plus:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_xor:
    case DW_OP_eq:
    case DW_OP_ge:
    case DW_OP_gt:
    case DW_OP_le:
    case DW_OP_lt:
    case DW_OP_ne: return op_binary(m, op->atom);
    case DW_OP_plus_uconst: EBB_TRY(push_number(m, op->number)); return op_binary(m, DW_OP_plus);
    case DW_OP_deref: return op_deref(m, 8, (sym_cell_type){0});
    case DW_OP_deref_size: return op_deref(m, op->number, (sym_cell_type){0});
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type: {
        sym_cell_type type;
        EBB_TRY(type_at(m, op->number2, &type));
        return op_deref(m, op->number, type);
    }
    case DW_OP_convert:
    case DW_OP_GNU_convert: return op_convert(m, op, false);
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret: return op_convert(m, op, true);
    case DW_OP_const_type:
    case DW_OP_GNU_const_type: return op_const_type(m, op);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type: return op_regval_type(m, op);
    case DW_OP_bregx: return op_breg(m, op->number, op->number2);
    case DW_OP_regx:
        set_result(m, (sym_piece){.kind = SYM_PIECE_REGISTER, .reg = (int)op->number});
        return EBB_OK;
    case DW_OP_fbreg: return op_fbreg(m, op->number);
    case DW_OP_call_frame_cfa: return op_cfa(m);
    case DW_OP_form_tls_address:
    case DW_OP_GNU_push_tls_address: return op_tls(m);
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: return op_entry_value(m, op);
    case DW_OP_GNU_parameter_ref: return op_parameter_ref(m, op);
    case DW_OP_stack_value: return op_stack_value(m);
    case DW_OP_implicit_value: return op_implicit_value(m, op);
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer: return op_implicit_pointer(m);
    case DW_OP_GNU_uninit: /* what is there is not set yet; it is shown all the same */
    case DW_OP_nop: return EBB_OK;
    default:
        return ebb_fail(m->err, EBB_UNSUPPORTED, "a location uses the unknown DWARF operation 0x%x",
                        op->atom);
    }
}

static ebb_status run_op(machine *m, const sym_op *op)
{
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push_number(m, (uint64_t)(op->atom - DW_OP_lit0));
    if (is_reg_op(op->atom)) {
        set_result(m, (sym_piece){.kind = SYM_PIECE_REGISTER, .reg = op->atom - DW_OP_reg0});
        return EBB_OK;
    }
    if (is_breg_op(op->atom))
        return op_breg(m, (uint64_t)(op->atom - DW_OP_breg0), op->number);
    return run_other(m, op);
}

/* ---- whole expressions ------------------------------------------------------------------------ */

/* The operation that a branch at op goes to; n is the end. */
static ebb_status branch(machine *m, const sym_ops *ops, size_t *at)
{
    const sym_op *op = &ops->items[*at];
    uint64_t to = op->offset + 3 + op->number;
    for (size_t i = 0; i < ops->n; i++)
        if (ops->items[i].offset == to) {
            *at = i;
            return EBB_OK;
        }
    if ((int64_t)to > (int64_t)ops->items[ops->n - 1].offset) {
        *at = ops->n;
        return EBB_OK;
    }
    return broken(m, "an expression branches into the middle of an operation");
}

/* Ends a simple location and makes it a piece of the whole. */
static ebb_status finish_piece(machine *m, sym_location *location, uint64_t nbits,
                               uint64_t bit_offset)
{
    if (location->n_pieces == SYM_MAX_PIECES)
        return ebb_fail(m->err, EBB_UNSUPPORTED, "a variable in more than %d pieces",
                        SYM_MAX_PIECES);
    sym_piece piece = {.kind = SYM_PIECE_OPTIMIZED_OUT};
    if (m->has_result)
        piece = m->result;
    else if (m->n > 0)
        piece = (sym_piece){.kind = SYM_PIECE_MEMORY, .addr = sym_cell_u64(pop(m))};
    piece.nbits = (unsigned)nbits;
    piece.bit_offset = (unsigned)bit_offset;
    location->pieces[location->n_pieces++] = piece;
    m->has_result = false;
    m->n = 0;
    return EBB_OK;
}

static ebb_status run(machine *m, const sym_ops *ops, sym_location *location)
{
    size_t steps = 0;
    for (size_t i = 0; i < ops->n;) {
        const sym_op *op = &ops->items[i];
        if (++steps > MAX_STEPS)
            return broken(m, "an expression that doesn't end");
        if (op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece) {
            uint64_t nbits = op->atom == DW_OP_piece ? op->number * 8 : op->number;
            EBB_TRY(finish_piece(m, location, nbits, op->atom == DW_OP_piece ? 0 : op->number2));
        } else if (op->atom == DW_OP_skip) {
            EBB_TRY(branch(m, ops, &i));
            continue;
        } else if (op->atom == DW_OP_bra) {
            EBB_TRY(need(m, 1));
            if (sym_cell_u64(pop(m))) {
                EBB_TRY(branch(m, ops, &i));
                continue;
            }
        } else {
            EBB_TRY(run_op(m, op));
        }
        i++;
    }
    return EBB_OK;
}

ebb_status sym_eval_location(sym_eval *eval, const sym_ops *ops, sym_location *location,
                             ebb_error *err)
{
    machine m = {.eval = eval, .err = err};
    location->n_pieces = 0;
    if (eval->depth > MAX_DEPTH)
        return broken(&m, "expressions nested too deep");
    EBB_TRY(run(&m, ops, location));
    if (location->n_pieces == 0)
        return finish_piece(&m, location, 0, 0);
    return EBB_OK;
}

ebb_status sym_eval_number(sym_eval *eval, const sym_ops *ops, uint64_t *value, ebb_error *err)
{
    machine m = {.eval = eval, .err = err};
    sym_location pieces = {0};
    if (eval->depth > MAX_DEPTH)
        return broken(&m, "expressions nested too deep");
    EBB_TRY(run(&m, ops, &pieces));
    if (m.has_result && m.result.kind == SYM_PIECE_VALUE &&
        m.result.block_nbytes <= sizeof m.result.bytes) {
        memcpy(value, m.result.bytes, sizeof *value);
        return EBB_OK;
    }
    if (m.has_result && m.result.kind == SYM_PIECE_REGISTER)
        return sym_frame_reg(eval->frame, (uint64_t)m.result.reg, value, err);
    EBB_TRY(need(&m, 1));
    *value = sym_cell_u64(pop(&m));
    return EBB_OK;
}

/* ---- attributes ------------------------------------------------------------------------------- */

/* Takes apart the expression of an attribute at the frame's pc. */
static sym_found ops_of_attr(sym_eval *eval, Dwarf_Attribute *attr, sym_ops *ops)
{
    sym_bytes expression;
    uint64_t pc = eval->frame ? sym_frame_lookup_pc(eval->frame) - eval->module->bias : 0;
    sym_found found = sym_attr_expression(eval->module, attr, pc, &expression);
    eval->unit = sym_unit_of_attr(eval->module, attr);
    if (found != SYM_FOUND)
        return found;
    if (!expression.n)
        return SYM_NOT_FOUND;
    return sym_ops_decode(expression, eval->unit, ops) ? SYM_FOUND : SYM_BROKEN;
}

ebb_status sym_eval_attr(sym_eval *eval, Dwarf_Attribute *attr, sym_location *location,
                         ebb_error *err)
{
    sym_ops ops = {0};
    ebb_status status = EBB_OK;
    *location = (sym_location){.n_pieces = 1};
    location->pieces[0].kind = SYM_PIECE_OPTIMIZED_OUT;
    switch (ops_of_attr(eval, attr, &ops)) {
    case SYM_FOUND: status = sym_eval_location(eval, &ops, location, err); break;
    case SYM_NOT_FOUND: break;
    case SYM_BROKEN:
        status = ebb_fail(err, EBB_BAD_FILE, "broken debug information: no location can be read");
        break;
    }
    ebb_vec_fini(&ops);
    return status;
}

ebb_status sym_eval_attr_number(sym_eval *eval, Dwarf_Attribute *attr, uint64_t *value,
                                ebb_error *err)
{
    sym_ops ops = {0};
    ebb_status status = EBB_OK;
    switch (ops_of_attr(eval, attr, &ops)) {
    case SYM_FOUND: status = sym_eval_number(eval, &ops, value, err); break;
    case SYM_NOT_FOUND:
        status = ebb_fail(err, EBB_UNAVAILABLE, "the value is not known here");
        break;
    case SYM_BROKEN:
        status = ebb_fail(err, EBB_BAD_FILE, "broken debug information: no value can be read");
        break;
    }
    ebb_vec_fini(&ops);
    return status;
}
