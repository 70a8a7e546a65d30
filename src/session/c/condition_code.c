/* condition_code.c - conditions of breakpoints as code that a machine executes by itself (machine/code.h).
 *
 * What can be said there: integers, pointers, float and double, variables in memory or in registers, members, elements, references, $registers,
 * arithmetic, comparisons, && and ||, `$_thread == N`, and $_streq with a text.  Any other condition is left to the session, which evaluates it at
 * every hit; it does so for these too, when the machine says that they hold, so that nothing depends on the code but speed.
 * Where a variable is, as code: formula.h. */
#include "expr/tree.h"
#include "session/c/c.h"
#include "session/c/formula.h"
#include "session/c/world.h"

#include <string.h>

typedef struct coder {
    session *s;
    ebb_arena arena;
    uint64_t pc;
    EBB_VEC(machine_code) code;
} coder;

static void add(coder *c, machine_code_op op, int64_t operand)
{
    machine_code step = {.op = op, .operand = operand};
    ebb_vec_push(&c->code, step);
}

/* ---- types -------------------------------------------------------------------------------------- */

/* A value on the stack: 64 bits, extended as its type says. */
typedef struct shape {
    sym_type *type;     /* stripped */
    unsigned nbytes;    /* 1, 2, 4, 8 */
    bool is_signed;
    bool is_pointer;
    bool is_real;       /* float or double: on the stack as a double */
} shape;

static bool shape_of(sym_type *type, shape *out)
{
    sym_type *t = sym_type_strip(type);
    uint64_t n = sym_type_size(t);
    bool is_pointer = t->kind == SYM_TYPE_POINTER, is_real = t->kind == SYM_TYPE_FLOAT && n >= 4;
    *out = (shape){t, (unsigned)n, sym_type_is_integral(t) && t->is_signed && t->kind != SYM_TYPE_BOOL, is_pointer, is_real};
    return (is_pointer || is_real || sym_type_is_integral(t)) && (n == 1 || n == 2 || n == 4 || n == 8);
}

static void add_extension(coder *c, const shape *to)
{
    if (to->nbytes < 8)
        add(c, to->is_signed ? MACHINE_CODE_SIGN : MACHINE_CODE_ZERO, to->nbytes);
}

/* What is on top, of the shape `from`, as a double; false if it may be too big an integer. */
static bool add_to_real(coder *c, const shape *from)
{
    if (from->is_pointer || (!from->is_real && from->nbytes == 8 && !from->is_signed))
        return false;
    if (!from->is_real)
        add(c, MACHINE_CODE_TO_REAL, 0);
    return true;
}

/* 1 or 0: a real is true unless it is 0, which -0 is, too. */
static void add_truth(coder *c, const shape *of)
{
    if (of->is_real) {
        add(c, MACHINE_CODE_PUSH, 0);
        add(c, MACHINE_CODE_REAL_EQ, 0);
        add(c, MACHINE_CODE_IS_ZERO, 0);
    } else {
        add(c, MACHINE_CODE_IS_TRUE, 0);
    }
}

/* C's integer promotions and usual arithmetic conversions, without a type of their own. */
static shape promoted(shape a)
{
    if (a.nbytes < 4)
        a = (shape){.nbytes = 4, .is_signed = true};
    return a;
}

static shape common_shape(shape a, shape b)
{
    a = promoted(a);
    b = promoted(b);
    if (a.nbytes != b.nbytes)
        return a.nbytes > b.nbytes ? a : b;
    return a.is_signed ? b : a;
}

static uint64_t target_size(const shape *pointer)
{
    sym_type *target = pointer->type && pointer->type->target ? sym_type_strip(pointer->type->target) : NULL;
    if (!target || target->kind == SYM_TYPE_VOID || target->kind == SYM_TYPE_FUNCTION)
        return 1;
    return sym_type_size(target);
}

/* ---- variables ------------------------------------------------------------------------------------ */

static bool add_register(coder *c, int dwarf)
{
    int reg = dwarf < SYM_REG_RIP ? machine_reg_by_dwarf(c->s->machine, dwarf) : -1;
    if (reg < 0)
        return false;
    add(c, MACHINE_CODE_REG, reg);
    return true;
}

/* Its address, or, with *is_value, its value as far as a register or a constant has it. */
static bool add_variable(coder *c, const sym_variable *variable, bool *is_value)
{
    ses_formula place;
    if (!ses_formula_of(variable, c->pc, &place))
        return false;
    *is_value = place.kind == SES_IN_REGISTER || place.kind == SES_IS_NUMBER;
    if (place.kind == SES_AT_DISTANCE || place.kind == SES_IN_REGISTER) {
        if (!add_register(c, place.reg))
            return false;
        if (*is_value)
            return true;
    }
    add(c, MACHINE_CODE_PUSH, place.number);
    if (place.kind == SES_AT_DISTANCE)
        add(c, MACHINE_CODE_ADD, 0);
    return true;
}

static bool is_reference(const sym_variable *variable)
{
    return sym_type_is_reference(sym_variable_get_info(variable)->type);
}

static bool find_member_of(const sym_variable *this, const char *name, sym_member *member)
{
    sym_type *type = this ? sym_type_strip(sym_variable_get_info(this)->type) : NULL;
    return type && type->kind == SYM_TYPE_POINTER && type->target && sym_type_find_inherited(type->target, name, member);
}

/* What a name means: a variable, or, with *member, what C++ takes for a member of `this`, which is the variable then. */
static const sym_variable *find_variable(coder *c, const char *name, sym_member *member)
{
    const sym_function *function;
    const sym_block *block = NULL;
    *member = (sym_member){0};
    if (sym_functions_at(c->s->symbols, c->pc, &function, 1) > 0)
        block = sym_block_at(function, c->pc);
    const sym_variable *found = sym_block_find(block, name), *this = sym_block_find(block, "this");
    if (!found && find_member_of(this, name, member))
        return this;
    return found ? found : sym_variable_find(c->s->symbols, NULL, name, c->pc);
}

/* From the address of an object to that of one of its members. */
static bool add_member_offset(coder *c, const sym_member *member)
{
    if (member->nbits || member->is_static || member->is_virtual)
        return false;
    if (member->offset) {
        add(c, MACHINE_CODE_PUSH, (int64_t)member->offset);
        add(c, MACHINE_CODE_ADD, 0);
    }
    if (sym_type_is_reference(member->type))
        add(c, MACHINE_CODE_LOAD, 8);
    return true;
}

/* The address that a pointer or a reference has, whether it is in memory or in a register. */
static bool add_pointer_variable(coder *c, const sym_variable *variable)
{
    bool is_value;
    if (!add_variable(c, variable, &is_value))
        return false;
    if (!is_value)
        add(c, MACHINE_CODE_LOAD, 8);
    return true;
}

/* The address of what a name means. */
static bool add_named(coder *c, const char *name)
{
    sym_member member;
    bool is_value;
    const sym_variable *variable = find_variable(c, name, &member);
    if (!variable)
        return false;
    if (member.type)
        return add_pointer_variable(c, variable) && add_member_offset(c, &member);
    return is_reference(variable) ? add_pointer_variable(c, variable) : add_variable(c, variable, &is_value) && !is_value;
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static bool add_value(coder *c, const expr_node *node, shape *out);

/* A reference is what it refers to. */
static bool type_of(coder *c, const expr_node *node, sym_type **type)
{
    bool is_type;
    if (expr_type_of(&c->arena, ses_world(c->s), node, type, &is_type, NULL) != EBB_OK || is_type)
        return false;
    if (sym_type_is_reference(*type))
        *type = sym_type_strip(*type)->target;
    return *type != NULL;
}

/* Adds `n` times what is on top to what is below. */
static void add_scaled(coder *c, uint64_t size, bool minus)
{
    if (size != 1) {
        add(c, MACHINE_CODE_PUSH, (int64_t)size);
        add(c, MACHINE_CODE_MUL, 0);
    }
    add(c, minus ? MACHINE_CODE_SUB : MACHINE_CODE_ADD, 0);
}

static bool add_element(coder *c, const expr_node *array, const expr_node *index)
{
    shape pointer, number;
    if (!add_value(c, array, &pointer) || !pointer.is_pointer || !add_value(c, index, &number) || number.is_pointer)
        return false;
    add_scaled(c, target_size(&pointer), false);
    return true;
}

static bool add_lvalue(coder *c, const expr_node *node);

static bool add_member(coder *c, const expr_node *node)
{
    sym_type *type;
    sym_member member;
    shape pointer;
    if (!type_of(c, node->left, &type))
        return false;
    type = sym_type_strip(type);
    bool through_pointer = type->kind == SYM_TYPE_POINTER;
    if (through_pointer)
        type = type->target ? sym_type_strip(type->target) : type;
    if (node->scope || !sym_type_find_member(type, node->name, &member))
        return false;
    return (through_pointer ? add_value(c, node->left, &pointer) : add_lvalue(c, node->left)) && add_member_offset(c, &member);
}

/* The address of something in memory. */
static bool add_lvalue(coder *c, const expr_node *node)
{
    shape pointer;
    switch (node->kind) {
    case EXPR_NODE_NAME: return !node->scope && add_named(c, node->name);
    case EXPR_NODE_PREFIX: return node->op == EXPR_OP_DEREF && add_value(c, node->left, &pointer) && pointer.is_pointer;
    case EXPR_NODE_INDEX: return add_element(c, node->left, node->right);
    case EXPR_NODE_MEMBER: return add_member(c, node);
    case EXPR_NODE_AT_ADDRESS: return add_value(c, node->left, &pointer);
    default: return false;
    }
}

/* What is in memory: loaded, or, for an array, its address as a pointer to its first element. */
static bool add_loaded(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    if (!add_lvalue(c, node))
        return false;
    sym_type *stripped = sym_type_strip(type);
    if (stripped->kind == SYM_TYPE_ARRAY)
        return shape_of(sym_type_pointer_to(ses_world(c->s)->types, stripped->target), out);
    if (!shape_of(type, out))
        return false;
    add(c, MACHINE_CODE_LOAD, out->nbytes);
    if (out->is_real && out->nbytes == 4)
        add(c, MACHINE_CODE_WIDEN, 0);
    if (out->is_signed)
        add_extension(c, out);
    return true;
}

static bool add_name(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    sym_member member;
    const sym_variable *variable = node->scope ? NULL : find_variable(c, node->name, &member);
    int64_t number;
    bool is_value;
    if (!variable) {
        sym_type *enumeration;
        if (node->scope || !sym_enumerator_find(c->s->symbols, node->name, c->pc, &enumeration, &number))
            return false;
        add(c, MACHINE_CODE_PUSH, number);
        return shape_of(type, out);
    }
    size_t before = c->code.n;
    if (member.type || is_reference(variable))
        return add_loaded(c, node, type, out);
    if (!add_variable(c, variable, &is_value))
        return false;
    if (!is_value) {
        c->code.n = before;
        return add_loaded(c, node, type, out);
    }
    if (!shape_of(type, out) || out->is_real)
        return false;
    add_extension(c, out);
    return true;
}

static bool add_literal(coder *c, const expr_node *node, shape *out)
{
    uint64_t number;
    expr_value value = *node->value;
    if (shape_of(value.type, out) && out->is_real && out->nbytes == 8 && value.bytes) {
        memcpy(&number, value.bytes, sizeof number);
        add(c, MACHINE_CODE_PUSH, (int64_t)number);
        return true;
    }
    if (!shape_of(value.type, out) || out->is_real || expr_value_to_u64(&c->arena, ses_world(c->s), &value, &number, NULL) != EBB_OK)
        return false;
    add(c, MACHINE_CODE_PUSH, (int64_t)number);
    return true;
}

static bool add_dollar(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    int reg = machine_reg_by_name(c->s->machine, node->name);
    size_t n;
    const machine_reg *regs = c->s->machine->native->registers(c->s->machine, &n);
    bool fits = reg >= 0 && regs[reg].nbytes == 8 && regs[reg].group == MACHINE_REG_GENERAL && regs[reg].dwarf >= 0 &&
                regs[reg].dwarf < SYM_REG_RIP;
    return fits && shape_of(type, out) && out->nbytes == 8 && add_register(c, regs[reg].dwarf);
}

/* The sign is the highest bit. */
static bool add_real_sign(coder *c, expr_op op)
{
    if (op == EXPR_OP_NEGATE) {
        add(c, MACHINE_CODE_PUSH, INT64_MIN);
        add(c, MACHINE_CODE_XOR, 0);
    }
    return op != EXPR_OP_COMPLEMENT;
}

static bool add_prefix(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    switch (node->op) {
    case EXPR_OP_DEREF: return add_loaded(c, node, type, out);
    case EXPR_OP_ADDRESS: return add_lvalue(c, node->left) && shape_of(type, out);
    case EXPR_OP_NOT:
        if (!add_value(c, node->left, out))
            return false;
        add_truth(c, out);
        add(c, MACHINE_CODE_IS_ZERO, 0);
        return shape_of(type, out);
    case EXPR_OP_PLUS:
    case EXPR_OP_NEGATE:
    case EXPR_OP_COMPLEMENT:
        if (!add_value(c, node->left, out) || out->is_pointer || !shape_of(type, out))
            return false;
        if (out->is_real)
            return add_real_sign(c, node->op);
        if (node->op != EXPR_OP_PLUS)
            add(c, node->op == EXPR_OP_NEGATE ? MACHINE_CODE_NEGATE : MACHINE_CODE_COMPLEMENT, 0);
        add_extension(c, out);
        return true;
    default: return false;
    }
}

static bool add_logical(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    shape ignored;
    if (!add_value(c, node->left, &ignored))
        return false;
    add_truth(c, &ignored);
    size_t jump = c->code.n;
    add(c, node->op == EXPR_OP_LOGICAL_AND ? MACHINE_CODE_AND_THEN : MACHINE_CODE_OR_ELSE, 0);
    if (!add_value(c, node->right, &ignored))
        return false;
    add_truth(c, &ignored);
    c->code.items[jump].operand = (int64_t)c->code.n;
    return shape_of(type, out);
}

/* As a value: arrays are pointers. */
static bool shape_of_node(coder *c, const expr_node *node, shape *out)
{
    sym_type *type;
    if (!type_of(c, node, &type))
        return false;
    type = sym_type_strip(type);
    return shape_of(type->kind == SYM_TYPE_ARRAY ? sym_type_pointer_to(ses_world(c->s)->types, type->target) : type, out);
}

/* One of two operands, converted to their common type.  64 bits of any type are what they should be already. */
static bool add_converted(coder *c, const expr_node *node, const shape *common)
{
    shape own;
    if (!add_value(c, node, &own))
        return false;
    if (own.is_signed && !common->is_signed)
        add_extension(c, common);
    return true;
}

static bool add_operands(coder *c, const expr_node *left, const expr_node *right, shape *common)
{
    shape a, b;
    if (!shape_of_node(c, left, &a) || !shape_of_node(c, right, &b))
        return false;
    *common = a.is_pointer || b.is_pointer ? (shape){.nbytes = 8} : common_shape(a, b);
    return add_converted(c, left, common) && add_converted(c, right, common);
}

/* Both operands as doubles. */
static bool add_real_operands(coder *c, const expr_node *left, const expr_node *right)
{
    shape own;
    return add_value(c, left, &own) && add_to_real(c, &own) && add_value(c, right, &own) && add_to_real(c, &own);
}

static bool add_real_comparison(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    static const struct { expr_op from; machine_code_op to; } ops[] = {
        {EXPR_OP_EQ, MACHINE_CODE_REAL_EQ}, {EXPR_OP_NE, MACHINE_CODE_REAL_EQ}, {EXPR_OP_LT, MACHINE_CODE_REAL_LT},
        {EXPR_OP_LE, MACHINE_CODE_REAL_LE}, {EXPR_OP_GT, MACHINE_CODE_REAL_GT}, {EXPR_OP_GE, MACHINE_CODE_REAL_GE}};
    if (!add_real_operands(c, node->left, node->right))
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].from == node->op)
            add(c, ops[i].to, 0);
    if (node->op == EXPR_OP_NE)
        add(c, MACHINE_CODE_IS_ZERO, 0);
    return shape_of(type, out);
}

static bool is_dollar_thread(const expr_node *node)
{
    return node->kind == EXPR_NODE_DOLLAR && strcmp(node->name, "_thread") == 0;
}

/* There is no such thread yet: it is none of those that there are.  One that comes later is asked about by the session. */
static bool add_none_of_the_threads(coder *c)
{
    enum { MAX_THREADS = 12 };
    if (c->s->threads.n == 0 || c->s->threads.n > MAX_THREADS)
        return false;
    for (size_t i = 0; i < c->s->threads.n; i++) {
        add(c, MACHINE_CODE_THREAD, 0);
        add(c, MACHINE_CODE_PUSH, (int64_t)c->s->threads.items[i].tid);
        add(c, MACHINE_CODE_NE, 0);
        if (i)
            add(c, MACHINE_CODE_AND, 0);
    }
    return true;
}

/* `$_thread == 2`: a number stands for one thread for ever. */
static bool add_thread_comparison(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    const expr_node *other = is_dollar_thread(node->left) ? node->right : node->left;
    uint64_t number;
    if (other->kind != EXPR_NODE_LITERAL)
        return false;
    expr_value value = *other->value;
    if (expr_value_to_u64(&c->arena, ses_world(c->s), &value, &number, NULL) != EBB_OK)
        return false;
    for (size_t i = 0; i < c->s->threads.n; i++) {
        if (c->s->threads.items[i].number != number)
            continue;
        add(c, MACHINE_CODE_THREAD, 0);
        add(c, MACHINE_CODE_PUSH, (int64_t)c->s->threads.items[i].tid);
        add(c, node->op == EXPR_OP_EQ ? MACHINE_CODE_EQ : MACHINE_CODE_NE, 0);
        return shape_of(type, out);
    }
    return node->op == EXPR_OP_EQ && add_none_of_the_threads(c) && shape_of(type, out);
}

static bool is_real_node(coder *c, const expr_node *node)
{
    shape own;
    return shape_of_node(c, node, &own) && own.is_real;
}

static bool add_comparison(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    shape common;
    bool is_equality = node->op == EXPR_OP_EQ || node->op == EXPR_OP_NE;
    if (is_equality && (is_dollar_thread(node->left) || is_dollar_thread(node->right)))
        return add_thread_comparison(c, node, type, out);
    if (is_real_node(c, node->left) || is_real_node(c, node->right))
        return add_real_comparison(c, node, type, out);
    bool swaps = node->op == EXPR_OP_GT || node->op == EXPR_OP_GE;
    if (!add_operands(c, swaps ? node->right : node->left, swaps ? node->left : node->right, &common))
        return false;
    switch (node->op) {
    case EXPR_OP_EQ: add(c, MACHINE_CODE_EQ, 0); break;
    case EXPR_OP_NE: add(c, MACHINE_CODE_NE, 0); break;
    case EXPR_OP_LT:
    case EXPR_OP_GT: add(c, common.is_signed ? MACHINE_CODE_LT : MACHINE_CODE_BELOW, 0); break;
    default: add(c, common.is_signed ? MACHINE_CODE_LE : MACHINE_CODE_BELOW_EQ, 0); break;
    }
    return shape_of(type, out);
}

static bool add_sum_with_pointer(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    shape left, right;
    if (!shape_of(type, out) || !add_value(c, node->left, &left) || !left.is_pointer || !add_value(c, node->right, &right) ||
        right.is_pointer)
        return false;
    add_scaled(c, target_size(&left), node->op == EXPR_OP_SUB);
    return true;
}

static bool add_shift(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    uint64_t count;
    shape left;
    if (node->right->kind != EXPR_NODE_LITERAL)
        return false;
    expr_value value = *node->right->value;
    if (!shape_of(type, out) || out->is_real || expr_value_to_u64(&c->arena, ses_world(c->s), &value, &count, NULL) != EBB_OK ||
        count >= 8 * out->nbytes || !add_value(c, node->left, &left) || left.is_pointer)
        return false;
    if (node->op == EXPR_OP_SHL)
        add(c, MACHINE_CODE_SHL, (int64_t)count);
    else
        add(c, out->is_signed ? MACHINE_CODE_SAR : MACHINE_CODE_SHR, (int64_t)count);
    add_extension(c, out);
    return true;
}

static bool add_real_arithmetic(coder *c, const expr_node *node, const shape *out)
{
    static const struct { expr_op from; machine_code_op to; } ops[] = {
        {EXPR_OP_ADD, MACHINE_CODE_REAL_ADD}, {EXPR_OP_SUB, MACHINE_CODE_REAL_SUB}, {EXPR_OP_MUL, MACHINE_CODE_REAL_MUL}, {EXPR_OP_DIV, MACHINE_CODE_REAL_DIV}};
    if (!add_real_operands(c, node->left, node->right))
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].from == node->op) {
            add(c, ops[i].to, 0);
            if (out->nbytes == 4)
                add(c, MACHINE_CODE_ROUND, 0);
            return true;
        }
    return false;
}

/* Integers; by 0 there is no answer, so that the session says what gdb says. */
static bool add_division(coder *c, const expr_node *node, const shape *out)
{
    shape common;
    if (!add_operands(c, node->left, node->right, &common) || common.is_pointer || common.is_real)
        return false;
    machine_code_op divide = common.is_signed ? MACHINE_CODE_DIVIDE : MACHINE_CODE_DIVIDE_U, rest = common.is_signed ? MACHINE_CODE_REMAINDER : MACHINE_CODE_REMAINDER_U;
    add(c, node->op == EXPR_OP_DIV ? divide : rest, 0);
    add_extension(c, out);
    return true;
}

static bool add_arithmetic(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    static const struct { expr_op from; machine_code_op to; } ops[] = {
        {EXPR_OP_ADD, MACHINE_CODE_ADD}, {EXPR_OP_SUB, MACHINE_CODE_SUB}, {EXPR_OP_MUL, MACHINE_CODE_MUL},
        {EXPR_OP_AND, MACHINE_CODE_AND}, {EXPR_OP_OR, MACHINE_CODE_OR},   {EXPR_OP_XOR, MACHINE_CODE_XOR}};
    shape left, right;
    if (!shape_of(type, out))
        return false;
    if (out->is_pointer)
        return add_sum_with_pointer(c, node, type, out);
    if (out->is_real)
        return add_real_arithmetic(c, node, out);
    if (node->op == EXPR_OP_DIV || node->op == EXPR_OP_MOD)
        return add_division(c, node, out);
    if (!add_value(c, node->left, &left) || !add_value(c, node->right, &right) || left.is_pointer || right.is_pointer)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].from == node->op) {
            add(c, ops[i].to, 0);
            add_extension(c, out); /* in two's complement, only the result has to be of the right length */
            return true;
        }
    return false;
}

static bool add_infix(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    switch (node->op) {
    case EXPR_OP_LOGICAL_AND:
    case EXPR_OP_LOGICAL_OR: return add_logical(c, node, type, out);
    case EXPR_OP_EQ:
    case EXPR_OP_NE:
    case EXPR_OP_LT:
    case EXPR_OP_LE:
    case EXPR_OP_GT:
    case EXPR_OP_GE: return add_comparison(c, node, type, out);
    case EXPR_OP_SHL:
    case EXPR_OP_SHR: return add_shift(c, node, type, out);
    default: return add_arithmetic(c, node, type, out);
    }
}

/* A cast to one may have to move the address (C++'s bases). */
static bool is_class_pointer(sym_type *type)
{
    sym_type *bare = sym_type_strip(type), *target = bare->kind == SYM_TYPE_POINTER && bare->target ? sym_type_strip(bare->target) : NULL;
    return target && target->kind == SYM_TYPE_STRUCT && target->is_cplus;
}

static bool add_cast(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    shape from;
    if (is_class_pointer(type) || !add_value(c, node->left, &from) || !shape_of(type, out) || out->type->kind == SYM_TYPE_BOOL)
        return false;
    if (out->is_real) {
        if (!add_to_real(c, &from))
            return false;
        if (out->nbytes == 4)
            add(c, MACHINE_CODE_ROUND, 0);
        return true;
    }
    if (from.is_real && (out->is_pointer || (out->nbytes == 8 && !out->is_signed)))
        return false;
    if (from.is_real)
        add(c, MACHINE_CODE_TO_LONG, 0);
    add_extension(c, out);
    return true;
}

/* ---- $_streq -------------------------------------------------------------------------------------- */

/* The bytes of a literal with its NUL; false if it isn't one of plain characters. */
static bool text_of(const expr_node *node, const char **text, size_t *n)
{
    if (node->kind != EXPR_NODE_STRING || !node->value->bytes || sym_type_size(sym_type_strip(node->value->type)->target) != 1)
        return false;
    *text = (const char *)node->value->bytes;
    *n = strnlen(*text, sym_type_size(node->value->type)) + 1;
    return true;
}

/* Of an array, which need not end in a NUL, the room for characters; of a pointer, no limit. */
static bool add_text_address(coder *c, const expr_node *node, size_t *room)
{
    sym_type *type;
    shape pointer;
    if (!type_of(c, node, &type))
        return false;
    type = sym_type_strip(type);
    bool is_array = type->kind == SYM_TYPE_ARRAY;
    if ((!is_array && type->kind != SYM_TYPE_POINTER) || !type->target || !sym_type_is_integral(type->target) || sym_type_size(type->target) != 1)
        return false;
    *room = is_array ? sym_type_size(type) : SIZE_MAX;
    return add_value(c, node, &pointer);
}

static bool add_streq(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    enum { MAX_TEXT = 120 };
    const char *text;
    size_t n, room;
    bool is_first = text_of(node->args[0], &text, &n);
    if (!is_first && !text_of(node->args[1], &text, &n))
        return false;
    if (!add_text_address(c, node->args[is_first ? 1 : 0], &room) || room < n || n > MAX_TEXT)
        return false;
    add(c, MACHINE_CODE_IS_BYTES, (int64_t)n);
    for (size_t at = 0; at < n; at += 8) {
        int64_t word = 0;
        memcpy(&word, text + at, n - at < 8 ? n - at : 8);
        add(c, MACHINE_CODE_DATA, word);
    }
    return shape_of(type, out);
}

static bool add_call(coder *c, const expr_node *node, sym_type *type, shape *out)
{
    return node->left->kind == EXPR_NODE_DOLLAR && strcmp(node->left->name, "_streq") == 0 && node->n_args == 2 && add_streq(c, node, type, out);
}

/* The code for one value; the stack is one deeper then. */
static bool add_value(coder *c, const expr_node *node, shape *out)
{
    sym_type *type;
    if (c->code.n > MACHINE_CODE_MAX_STEPS || !type_of(c, node, &type))
        return false;
    switch (node->kind) {
    case EXPR_NODE_LITERAL: return add_literal(c, node, out);
    case EXPR_NODE_NAME: return add_name(c, node, type, out);
    case EXPR_NODE_DOLLAR: return add_dollar(c, node, type, out);
    case EXPR_NODE_PREFIX: return add_prefix(c, node, type, out);
    case EXPR_NODE_INFIX: return add_infix(c, node, type, out);
    case EXPR_NODE_CAST: return add_cast(c, node, type, out);
    case EXPR_NODE_CALL: return add_call(c, node, type, out);
    case EXPR_NODE_INDEX:
    case EXPR_NODE_MEMBER:
    case EXPR_NODE_AT_ADDRESS: return add_loaded(c, node, type, out);
    default: return false;
    }
}

/* ---- conditions ----------------------------------------------------------------------------------- */

/* Names mean here what they will mean at the stop: not where an inlined function begins, which may not be entered yet. */
static bool is_plain_place(session *s, const sym_spot *spot)
{
    const sym_function *function;
    if (sym_functions_at(s->symbols, spot->addr, &function, 1) == 0)
        return true;
    const sym_function_info *info = sym_function_get_info(function);
    return !info->is_inlined || info->lo != spot->addr;
}

ebb_status ses_c_condition_code(session *s, ebb_arena *arena, const char *condition, const sym_spot *spot, ses_code *code, ebb_error *err)
{
    coder c = {.s = s, .pc = spot->addr};
    const expr_node *tree;
    shape truth;
    ses_world_enter(s, spot->addr);
    bool made = is_plain_place(s, spot) && expr_parse(&c.arena, ses_world(s), condition, &tree, NULL) == EBB_OK && add_value(&c, tree, &truth) &&
                c.code.n <= MACHINE_CODE_MAX_STEPS;
    ses_world_leave(s);
    *code = ses_code_of(arena, c.code.items, made ? c.code.n : 0);
    ebb_vec_fini(&c.code);
    ebb_arena_fini(&c.arena);
    return made ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "%s", "");
}

/* ---- frames --------------------------------------------------------------------------------------- */

size_t ses_c_frame_code(session *s, uint64_t frame, machine_place place, machine_code code[SES_FRAME_CODE])
{
    ses_formula cfa;
    if (!ses_formula_of_frame(s->symbols, place, &cfa))
        return 0;
    int reg = machine_reg_by_dwarf(s->machine, cfa.reg);
    if (reg < 0)
        return 0;
    const machine_code steps[] = {
        {.op = MACHINE_CODE_REG, .operand = reg},           {.op = MACHINE_CODE_PUSH, .operand = cfa.number}, {.op = MACHINE_CODE_ADD},
        {.op = MACHINE_CODE_PUSH, .operand = (int64_t)frame}, {.op = MACHINE_CODE_EQ},
    };
    memcpy(code, steps, sizeof steps);
    return sizeof steps / sizeof steps[0];
}
