/* ops.c - expressions are decoded into arrays first, so that jumps can be checked and loops be bounded. */
#include "symbols/ops.h"
#include "symbols/reader.h"

#include <string.h>

enum { MAX_OPS = 4096 };

/* ---- operations ------------------------------------------------------------------------------- */

static sym_bytes read_block(sym_reader *r, uint64_t n)
{
    sym_bytes block = {r->at, n};
    sym_read_skip(r, n);
    return r->failed ? (sym_bytes){0} : block;
}

static int64_t sign_extend(uint64_t value, unsigned nbytes)
{
    unsigned unused = 64 - 8 * nbytes;
    return (int64_t)(value << unused) >> unused;
}

/* The operands of an operation; false for one that has none, or is unknown. */
static bool read_operands(sym_reader *r, const sym_unit *unit, sym_op *op)
{
    size_t ref_nbytes = unit && unit->version == 2 ? 8 : unit ? unit->offset_size : 4;
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        op->number = (uint64_t)sym_read_sleb(r);
        return true;
    }
    switch (op->atom) {
    case DW_OP_addr: op->number = sym_read_u64(r); break;
    case DW_OP_const1u:
    case DW_OP_pick:
    case DW_OP_deref_size:
    case DW_OP_xderef_size: op->number = sym_read_u8(r); break;
    case DW_OP_const2u:
    case DW_OP_call2: op->number = sym_read_u16(r); break;
    case DW_OP_const4u:
    case DW_OP_call4: op->number = sym_read_u32(r); break;
    case DW_OP_const8u:
    case DW_OP_const8s: op->number = sym_read_u64(r); break;
    case DW_OP_const1s: op->number = (uint64_t)sign_extend(sym_read_u8(r), 1); break;
    case DW_OP_const2s:
    case DW_OP_skip:
    case DW_OP_bra: op->number = (uint64_t)sign_extend(sym_read_u16(r), 2); break;
    case DW_OP_const4s: op->number = (uint64_t)sign_extend(sym_read_u32(r), 4); break;
    case DW_OP_constu:
    case DW_OP_plus_uconst:
    case DW_OP_regx:
    case DW_OP_piece:
    case DW_OP_addrx:
    case DW_OP_constx:
    case DW_OP_GNU_addr_index:
    case DW_OP_GNU_const_index:
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret: op->number = sym_read_uleb(r); break;
    case DW_OP_consts:
    case DW_OP_fbreg: op->number = (uint64_t)sym_read_sleb(r); break;
    case DW_OP_bregx:
        op->number = sym_read_uleb(r);
        op->number2 = (uint64_t)sym_read_sleb(r);
        break;
    case DW_OP_bit_piece:
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        op->number = sym_read_uleb(r);
        op->number2 = sym_read_uleb(r);
        break;
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        op->number = sym_read_u8(r);
        op->number2 = sym_read_uleb(r);
        break;
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
        op->number2 = sym_read_uleb(r);
        op->block = read_block(r, sym_read_u8(r));
        break;
    case DW_OP_implicit_value:
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: op->block = read_block(r, sym_read_uleb(r)); break;
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        op->number = sym_read_fixed(r, ref_nbytes);
        op->number2 = (uint64_t)sym_read_sleb(r);
        break;
    case DW_OP_call_ref:
    case DW_OP_GNU_variable_value: op->number = sym_read_fixed(r, ref_nbytes); break;
    case DW_OP_GNU_parameter_ref: op->number = sym_read_u32(r); break;
    default: return false;
    }
    return true;
}

/* An unknown operation may have operands, so what comes after it can't be read: the expression ends
 * with it, and running it says what is unknown. */
static bool is_known_bare(uint8_t atom)
{
    return (atom >= DW_OP_lit0 && atom <= DW_OP_reg31) ||
           (atom >= DW_OP_dup && atom <= DW_OP_xor) || (atom >= DW_OP_eq && atom <= DW_OP_ne) ||
           atom == DW_OP_deref || atom == DW_OP_nop || atom == DW_OP_push_object_address ||
           atom == DW_OP_form_tls_address || atom == DW_OP_call_frame_cfa ||
           atom == DW_OP_stack_value || atom == DW_OP_GNU_push_tls_address ||
           atom == DW_OP_GNU_uninit;
}

bool sym_ops_decode(sym_bytes expression, const sym_unit *unit, sym_ops *ops)
{
    sym_reader r = sym_reader_at(expression, 0);
    while (sym_read_left(&r) > 0 && ops->n < MAX_OPS) {
        sym_op op = {.offset = (uint64_t)(r.at - expression.data)};
        op.atom = sym_read_u8(&r);
        bool known = read_operands(&r, unit, &op) || is_known_bare(op.atom);
        if (r.failed)
            return false;
        ebb_vec_push(ops, op);
        if (!known)
            break;
    }
    return !r.failed && ops->n > 0;
}

void sym_ops_of_libdw(const Dwarf_Op *theirs, size_t n, sym_ops *ops)
{
    for (size_t i = 0; i < n; i++) {
        sym_op op = {
            .atom = theirs[i].atom,
            .number = theirs[i].number,
            .number2 = theirs[i].number2,
            .offset = theirs[i].offset,
        };
        ebb_vec_push(ops, op);
    }
}

bool sym_ops_single(sym_bytes expression, const sym_unit *unit, sym_op *op)
{
    sym_ops ops = {0};
    bool single = sym_ops_decode(expression, unit, &ops) && ops.n == 1;
    if (single)
        *op = ops.items[0];
    ebb_vec_fini(&ops);
    return single;
}

/* ---- numbers out of tables of the unit -------------------------------------------------------- */

static bool unit_base(sym_unit *unit, unsigned name, unsigned gnu_name, uint64_t *base)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;
    if (!dwarf_attr(&unit->skeleton, name, &attr) &&
        (!gnu_name || !dwarf_attr(&unit->skeleton, gnu_name, &attr)))
        return false;
    if (dwarf_formudata(&attr, &value) != 0)
        return false;
    *base = value;
    return true;
}

bool sym_unit_indexed_addr(sym_unit *unit, uint64_t index, uint64_t *addr)
{
    uint64_t base;
    if (!sym_unit_open(unit) || index > UINT32_MAX ||
        !unit_base(unit, DW_AT_addr_base, DW_AT_GNU_addr_base, &base))
        return false;
    sym_reader r = sym_reader_at(unit->module->sections.addr, base + index * 8);
    *addr = sym_read_u64(&r);
    return !r.failed;
}

/* ---- location lists --------------------------------------------------------------------------- */

static uint64_t base_address(sym_unit *unit)
{
    Dwarf_Addr lo;
    return dwarf_lowpc(&unit->skeleton, &lo) == 0 ? lo : 0;
}

/* .debug_loc, up to DWARF 4. */
static sym_found find_in_loc(sym_unit *unit, uint64_t offset, uint64_t pc, sym_bytes *expression)
{
    sym_reader r = sym_reader_at(unit->sections->loc, offset);
    uint64_t base = base_address(unit);
    for (;;) {
        uint64_t lo = sym_read_u64(&r), hi = sym_read_u64(&r);
        if (r.failed)
            return SYM_BROKEN;
        if (lo == 0 && hi == 0)
            return SYM_NOT_FOUND;
        if (lo == UINT64_MAX) {
            base = hi;
            continue;
        }
        sym_bytes block = read_block(&r, sym_read_u16(&r));
        if (r.failed)
            return SYM_BROKEN;
        if (pc >= base + lo && pc < base + hi) {
            *expression = block;
            return SYM_FOUND;
        }
    }
}

/* .debug_loc of a split file, up to DWARF 4: GNU's own entries. */
static sym_found find_in_split_loc(sym_unit *unit, uint64_t offset, uint64_t pc, sym_bytes *expression)
{
    sym_reader r = sym_reader_at(unit->sections->loc, offset);
    for (;;) {
        uint64_t lo, hi;
        uint8_t kind = sym_read_u8(&r);
        if (r.failed)
            return SYM_BROKEN;
        if (kind == DW_LLE_GNU_end_of_list_entry)
            return SYM_NOT_FOUND;
        if (!sym_unit_indexed_addr(unit, sym_read_uleb(&r), &lo))
            return SYM_BROKEN;
        if (kind == DW_LLE_GNU_base_address_selection_entry)
            continue; /* nothing that is written counts from it */
        if (kind == DW_LLE_GNU_start_length_entry)
            hi = lo + sym_read_u32(&r);
        else if (kind != DW_LLE_GNU_start_end_entry || !sym_unit_indexed_addr(unit, sym_read_uleb(&r), &hi))
            return SYM_BROKEN;
        sym_bytes block = read_block(&r, sym_read_u16(&r));
        if (r.failed)
            return SYM_BROKEN;
        if (pc >= lo && pc < hi) {
            *expression = block;
            return SYM_FOUND;
        }
    }
}

/* One entry of .debug_loclists.  False at the end of the list or where it is broken. */
typedef struct list_entry {
    uint64_t lo, hi;
    bool is_default, has_expression;
} list_entry;

static bool read_entry(sym_unit *unit, sym_reader *r, uint64_t *base, list_entry *e)
{
    enum { GNU_VIEW_PAIR = 9 };
    *e = (list_entry){.has_expression = true};
    switch (sym_read_u8(r)) {
    case DW_LLE_base_addressx:
        e->has_expression = false;
        return sym_unit_indexed_addr(unit, sym_read_uleb(r), base);
    case DW_LLE_startx_endx:
        return sym_unit_indexed_addr(unit, sym_read_uleb(r), &e->lo) &&
               sym_unit_indexed_addr(unit, sym_read_uleb(r), &e->hi);
    case DW_LLE_startx_length:
        if (!sym_unit_indexed_addr(unit, sym_read_uleb(r), &e->lo))
            return false;
        e->hi = e->lo + sym_read_uleb(r);
        return true;
    case DW_LLE_offset_pair:
        e->lo = *base + sym_read_uleb(r);
        e->hi = *base + sym_read_uleb(r);
        return true;
    case DW_LLE_default_location: e->is_default = true; return true;
    case DW_LLE_base_address:
        *base = sym_read_u64(r);
        e->has_expression = false;
        return true;
    case DW_LLE_start_end:
        e->lo = sym_read_u64(r);
        e->hi = sym_read_u64(r);
        return true;
    case DW_LLE_start_length:
        e->lo = sym_read_u64(r);
        e->hi = e->lo + sym_read_uleb(r);
        return true;
    case GNU_VIEW_PAIR:
        sym_read_uleb(r);
        sym_read_uleb(r);
        e->has_expression = false;
        return true;
    default: return false;
    }
}

static sym_found find_in_loclists(sym_unit *unit, uint64_t offset, uint64_t pc,
                                  sym_bytes *expression)
{
    sym_reader r = sym_reader_at(unit->sections->loclists, offset);
    uint64_t base = base_address(unit);
    sym_found found = SYM_NOT_FOUND;
    list_entry e;
    while (!r.failed && read_entry(unit, &r, &base, &e)) {
        if (!e.has_expression)
            continue;
        sym_bytes block = read_block(&r, sym_read_uleb(&r));
        if (r.failed)
            break;
        if (e.is_default || (pc >= e.lo && pc < e.hi)) {
            *expression = block;
            found = SYM_FOUND;
            if (!e.is_default)
                return SYM_FOUND;
        }
    }
    return r.failed ? SYM_BROKEN : found;
}

/* DW_FORM_loclistx: the offset is in a table after the section's header. */
static bool list_offset_of_index(sym_unit *unit, uint64_t index, uint64_t *offset)
{
    uint64_t base = unit->offset_size == 8 ? 20 : 12; /* in a split file, after its only header */
    if (index > UINT32_MAX || (!unit->split && !unit_base(unit, DW_AT_loclists_base, 0, &base)))
        return false;
    sym_reader r = sym_reader_at(unit->sections->loclists, base + index * unit->offset_size);
    *offset = base + sym_read_fixed(&r, unit->offset_size);
    return !r.failed;
}

/* ---- attributes ------------------------------------------------------------------------------- */

sym_unit *sym_unit_of_attr(sym_module *module, const Dwarf_Attribute *attr)
{
    Dwarf_Die die = {.addr = attr->valp, .cu = attr->cu};
    sym_unit *unit = sym_unit_of_die(module, &die);
    return unit && sym_unit_open(unit) ? unit : NULL;
}

bool sym_attr_is_list(Dwarf_Attribute *attr)
{
    unsigned form = dwarf_whatform(attr);
    return form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4 ||
           form == DW_FORM_data8;
}

static sym_found find_in_list(sym_module *module, Dwarf_Attribute *attr, uint64_t pc,
                              sym_bytes *expression)
{
    sym_unit *unit = sym_unit_of_attr(module, attr);
    if (!unit)
        return SYM_BROKEN;
    sym_reader r =
        sym_reader_at(sym_unit_section(unit), (uint64_t)(attr->valp - sym_unit_section(unit).data));
    uint64_t offset;
    unsigned form = dwarf_whatform(attr);
    if (form == DW_FORM_loclistx) {
        uint64_t index = sym_read_uleb(&r);
        if (r.failed || !list_offset_of_index(unit, index, &offset))
            return SYM_BROKEN;
    } else {
        offset = sym_read_fixed(&r, form == DW_FORM_data8   ? 8
                                    : form == DW_FORM_data4 ? 4
                                                            : unit->offset_size);
    }
    if (r.failed)
        return SYM_BROKEN;
    return unit->version >= 5 ? find_in_loclists(unit, offset, pc, expression)
           : unit->split      ? find_in_split_loc(unit, offset, pc, expression)
                              : find_in_loc(unit, offset, pc, expression);
}

sym_found sym_attr_expression(sym_module *module, Dwarf_Attribute *attr, uint64_t pc,
                              sym_bytes *expression)
{
    Dwarf_Block block;
    if (sym_attr_is_list(attr))
        return find_in_list(module, attr, pc, expression);
    if (dwarf_formblock(attr, &block) != 0)
        return SYM_BROKEN;
    *expression = (sym_bytes){block.data, block.length};
    return block.length ? SYM_FOUND : SYM_NOT_FOUND;
}
