/* condition_code.c - conditions of breakpoints in Java as code that the machine executes by itself (machine/code.h).
 *
 * What can be said there: numbers, booleans and references in variables, fields, static fields and elements; Java's operators,
 * casts and boxes; == of references, instanceof, and of Strings length(), isEmpty(), charAt() and equals().  Anything else is
 * refused with the reason.  See condition_code.h. */
#include "session/java/condition_code.h"
#include "expr/java_text.h"
#include "machine/code_check.h"

#include <string.h>

typedef ses_java_coder coder;
typedef ses_java_shape shape;

/* ---- making steps ----------------------------------------------------------------------------- */

static machine_code step(machine_code_op op, int64_t operand)
{
    return (machine_code){.op = op, .operand = operand};
}

void ses_java_coder_add(coder *c, machine_code_op op, int64_t operand)
{
    ebb_vec_push(&c->code, step(op, operand));
}

static void add(coder *c, machine_code_op op)
{
    ses_java_coder_add(c, op, 0);
}

/* Among steps that were added already: what comes after it moves on.  A jump to `at` from before it leads to the new step. */
static void insert(coder *c, size_t at, machine_code_op op, int64_t operand)
{
    add(c, op);
    for (size_t i = c->code.n - 1; i > at; i--) {
        c->code.items[i] = c->code.items[i - 1];
        if (machine_code_jumps(c->code.items[i].op))
            c->code.items[i].operand++;
    }
    c->code.items[at] = step(op, operand);
}

bool ses_java_coder_never(coder *c, const char *why)
{
    c->why = why;
    return false;
}

bool ses_java_coder_later(coder *c)
{
    c->why = NULL;
    return false;
}

/* A jump whose target is what is added next. */
static void land(coder *c, size_t jump)
{
    c->code.items[jump].operand = (int64_t)c->code.n;
}

static bool never(coder *c, const char *why)
{
    return ses_java_coder_never(c, why);
}

/* ---- types ------------------------------------------------------------------------------------ */

shape ses_java_shape_of(coder *c, const java_type *type)
{
    return (shape){.type = type, .code = java_letter(&c->ev, type)};
}

bool ses_java_shape_named(coder *c, const char *descriptor, shape *out)
{
    const java_type *type = c->ev.world->type(c->ev.world->self, descriptor);
    if (!type)
        return ses_java_coder_later(c);
    *out = ses_java_shape_of(c, type);
    return true;
}

static shape primitive(coder *c, char code)
{
    return ses_java_shape_of(c, java_type_of_code(&c->ev, code));
}

static bool is_real(char code)
{
    return code == 'F' || code == 'D';
}

static bool is_object(const shape *value)
{
    return java_is_reference(value->code);
}

/* The letter of the primitive that it is or, as a box, holds; 0. */
static char number_code(coder *c, const shape *value)
{
    if (value->text)
        return 0;
    return is_object(value) ? java_unboxed_code(&c->ev, value->type) : value->code;
}

/* ---- conversions, of the value that ends before step `at` -------------------------------------- */

static bool open_box(coder *c, size_t *at, shape *value)
{
    char code = number_code(c, value);
    if (!code || code == 'V')
        return never(c, "computes with an object");
    if (!is_object(value))
        return true;
    const java_member *field = java_find_field(&c->ev, java_box_type(&c->ev, code), "value");
    if (!field)
        return ses_java_coder_later(c);
    insert(c, (*at)++, MACHINE_CODE_FIELD, (int64_t)field->id);
    *value = primitive(c, code);
    return true;
}

static void narrow(coder *c, size_t *at, char to)
{
    switch (to) {
    case 'B': insert(c, (*at)++, MACHINE_CODE_SIGN, 1); break;
    case 'S': insert(c, (*at)++, MACHINE_CODE_SIGN, 2); break;
    case 'C': insert(c, (*at)++, MACHINE_CODE_ZERO, 2); break;
    case 'I': insert(c, (*at)++, MACHINE_CODE_SIGN, 4); break;
    default: break;
    }
}

/* JLS 5.1.2, 5.1.3 */
static void convert(coder *c, size_t *at, shape *value, char to)
{
    char from = value->code;
    if (to == 'D' && !is_real(from))
        insert(c, (*at)++, MACHINE_CODE_TO_REAL, 0);
    else if (to == 'F' && !is_real(from))
        insert(c, (*at)++, MACHINE_CODE_TO_FLOAT, 0);
    else if (to == 'F' && from == 'D')
        insert(c, (*at)++, MACHINE_CODE_ROUND, 0);
    else if (!is_real(to) && is_real(from)) {
        insert(c, (*at)++, to == 'J' ? MACHINE_CODE_TO_LONG : MACHINE_CODE_TO_INT, 0);
        narrow(c, at, to);
    } else if (!java_widens(from, to))
        narrow(c, at, to);
    *value = primitive(c, to);
}

/* A box opened, and converted. */
static bool as_number(coder *c, size_t *at, shape *value, char to)
{
    if (!open_box(c, at, value))
        return false;
    convert(c, at, value, to);
    return true;
}

static bool as_boolean(coder *c, shape *value)
{
    size_t at = c->code.n;
    if (number_code(c, value) != 'Z')
        return ses_java_coder_later(c); /* an error, which the session will tell */
    return open_box(c, &at, value);
}

/* ---- text -------------------------------------------------------------------------------------- */

/* Whether the object on top is a String of that text. */
static void add_is_text(coder *c, const char *text)
{
    ses_java_coder_add(c, MACHINE_CODE_IS_TEXT, (int64_t)java_text_length(text));
    uint64_t word = 0;
    size_t n = 0;
    while (*text) {
        uint32_t character = java_text_next(&text);
        bool is_pair = character >= 0x10000;
        uint16_t units[2] = {(uint16_t)(is_pair ? 0xd7c0 + (character >> 10) : character), (uint16_t)(0xdc00 | (character & 0x3ff))};
        for (size_t i = 0; i < (is_pair ? 2u : 1u); i++) {
            word |= (uint64_t)units[i] << (n++ % 4 * 16);
            if (n % 4 == 0) {
                ses_java_coder_add(c, MACHINE_CODE_DATA, (int64_t)word);
                word = 0;
            }
        }
    }
    if (n % 4)
        ses_java_coder_add(c, MACHINE_CODE_DATA, (int64_t)word);
}

static bool add_literal(coder *c, const expr_java_literal *literal, shape *out)
{
    int64_t bits;
    switch (literal->code) {
    case 'N':
        add(c, MACHINE_CODE_NIL);
        *out = primitive(c, 'N');
        return true;
    case 'L':
        if (!ses_java_shape_named(c, "Ljava/lang/String;", out))
            return false;
        out->text = literal->text;
        return true;
    case 'F':
    case 'D':
        memcpy(&bits, &literal->d, sizeof bits);
        break;
    default: bits = literal->i;
    }
    ses_java_coder_add(c, MACHINE_CODE_PUSH, bits);
    *out = primitive(c, literal->code);
    return true;
}

/* ---- one operand ------------------------------------------------------------------------------- */

static bool add_prefix(coder *c, const expr_node *node, shape *out)
{
    if (!ses_java_add_value(c, node->left, out))
        return false;
    size_t at = c->code.n;
    char code = number_code(c, out);
    if (node->op == EXPR_OP_NOT) {
        if (!as_boolean(c, out))
            return false;
        add(c, MACHINE_CODE_IS_ZERO);
        return true;
    }
    bool is_good = node->op == EXPR_OP_COMPLEMENT ? java_is_integral(code) : java_is_numeric(code);
    if (node->op != EXPR_OP_COMPLEMENT && node->op != EXPR_OP_NEGATE && node->op != EXPR_OP_PLUS)
        return never(c, "changes something");
    if (!is_good)
        return ses_java_coder_later(c);
    if (!as_number(c, &at, out, java_promoted(code, 'I')))
        return false;
    if (node->op == EXPR_OP_COMPLEMENT)
        add(c, MACHINE_CODE_COMPLEMENT);
    else if (node->op == EXPR_OP_NEGATE)
        add(c, is_real(out->code) ? MACHINE_CODE_REAL_NEGATE : MACHINE_CODE_NEGATE);
    at = c->code.n;
    narrow(c, &at, out->code);
    return true;
}

static bool add_reference_cast(coder *c, const java_type *to, shape *value)
{
    if (value->text || java_are_distinct(&c->ev, value->type, to))
        return never(c, "casts what can't be cast");
    if (!java_is_subtype(&c->ev, value->type, to)) {
        if (!to->info)
            return never(c, "casts to an array");
        if (c->n_arms) /* a cast that fails in the part that is not chosen decides the type of the other */
            return never(c, "casts an object inside of ?:");
        ses_java_coder_add(c, MACHINE_CODE_CAST, to->info->id);
    }
    *value = ses_java_shape_of(c, to);
    return true;
}

static bool add_cast(coder *c, const expr_node *node, shape *out)
{
    const java_type *to;
    if (java_type_named(&c->ev, node->type_name, &to) != EBB_OK)
        return ses_java_coder_later(c);
    if (!ses_java_add_value(c, node->left, out))
        return false;
    char code = java_letter(&c->ev, to), from = number_code(c, out);
    if (java_is_reference(code))
        return is_object(out) ? add_reference_cast(c, to, out) : never(c, "makes an object");
    if (!from || (code == 'Z') != (from == 'Z') || code == 'V' || (is_object(out) && !java_widens(from, code)))
        return never(c, "casts an object to a number");
    size_t at = c->code.n;
    return as_number(c, &at, out, code);
}

static bool add_instanceof(coder *c, const expr_node *node, shape *out)
{
    const java_type *type;
    if (node->name)
        return never(c, "names what an instanceof finds");
    if (!ses_java_add_value(c, node->left, out))
        return false;
    if (java_type_named(&c->ev, node->type_name, &type) != EBB_OK)
        return ses_java_coder_later(c);
    if (!is_object(out) || out->text || out->code == 'N' || !type->info || java_are_distinct(&c->ev, out->type, type))
        return never(c, "asks for the class of what isn't a plain object");
    ses_java_coder_add(c, MACHINE_CODE_INSTANCE, type->info->id);
    *out = primitive(c, 'Z');
    return true;
}

/* ---- two operands ------------------------------------------------------------------------------ */

static void add_integer_comparison(coder *c, expr_op op)
{
    bool negates = op == EXPR_OP_GT || op == EXPR_OP_GE;
    switch (op) {
    case EXPR_OP_EQ: add(c, MACHINE_CODE_EQ); break;
    case EXPR_OP_NE: add(c, MACHINE_CODE_NE); break;
    case EXPR_OP_LT:
    case EXPR_OP_GE: add(c, MACHINE_CODE_LT); break;
    default: add(c, MACHINE_CODE_LE); break;
    }
    if (negates)
        add(c, MACHINE_CODE_IS_ZERO);
}

/* With NaN, a > b isn't the opposite of a <= b. */
static void add_real_comparison(coder *c, expr_op op)
{
    switch (op) {
    case EXPR_OP_LT: add(c, MACHINE_CODE_REAL_LT); break;
    case EXPR_OP_LE: add(c, MACHINE_CODE_REAL_LE); break;
    case EXPR_OP_GT: add(c, MACHINE_CODE_REAL_GT); break;
    case EXPR_OP_GE: add(c, MACHINE_CODE_REAL_GE); break;
    default: add(c, MACHINE_CODE_REAL_EQ); break;
    }
    if (op == EXPR_OP_NE)
        add(c, MACHINE_CODE_IS_ZERO);
}

static const struct { expr_op from; machine_code_op integer, real; } arithmetic[] = {
    {EXPR_OP_ADD, MACHINE_CODE_ADD, MACHINE_CODE_REAL_ADD},       {EXPR_OP_SUB, MACHINE_CODE_SUB, MACHINE_CODE_REAL_SUB},
    {EXPR_OP_MUL, MACHINE_CODE_MUL, MACHINE_CODE_REAL_MUL},       {EXPR_OP_DIV, MACHINE_CODE_DIVIDE, MACHINE_CODE_REAL_DIV},
    {EXPR_OP_MOD, MACHINE_CODE_REMAINDER, MACHINE_CODE_REAL_MOD}, {EXPR_OP_AND, MACHINE_CODE_AND, MACHINE_CODE_N_OPS},
    {EXPR_OP_OR, MACHINE_CODE_OR, MACHINE_CODE_N_OPS},            {EXPR_OP_XOR, MACHINE_CODE_XOR, MACHINE_CODE_N_OPS}};

/* On two operands of that type, which the result has as well. */
static bool add_arithmetic(coder *c, expr_op op, char code)
{
    size_t i = 0;
    while (i < sizeof arithmetic / sizeof *arithmetic && arithmetic[i].from != op)
        i++;
    if (i == sizeof arithmetic / sizeof *arithmetic)
        return never(c, "uses an operator that machines don't have");
    add(c, is_real(code) ? arithmetic[i].real : arithmetic[i].integer);
    size_t at = c->code.n;
    if (code == 'F')
        add(c, MACHINE_CODE_ROUND);
    else if (code == 'I' && !expr_op_is_bitwise(op))
        narrow(c, &at, 'I');
    return true;
}

static bool add_shift(coder *c, expr_op op, size_t left_end, char code)
{
    machine_code_op by = op == EXPR_OP_SHL ? MACHINE_CODE_SHL_BY : op == EXPR_OP_SHR ? MACHINE_CODE_SAR_BY : MACHINE_CODE_SHR_BY;
    if (op == EXPR_OP_USHR && code == 'I')
        insert(c, left_end, MACHINE_CODE_ZERO, 4);
    ses_java_coder_add(c, by, code == 'J' ? 63 : 31);
    size_t at = c->code.n;
    narrow(c, &at, code);
    return true;
}

/* Both are primitives. */
static bool add_numbers(coder *c, expr_op op, size_t left_end, shape *left, shape *right, shape *out)
{
    char a = left->code, b = right->code;
    bool are_booleans = a == 'Z' && b == 'Z' && (expr_op_is_bitwise(op) || op == EXPR_OP_EQ || op == EXPR_OP_NE);
    bool are_numbers = java_is_numeric(a) && java_is_numeric(b);
    bool want_integers = expr_op_is_bitwise(op) || expr_op_is_shift(op);
    if (!are_booleans && (!are_numbers || (want_integers && (!java_is_integral(a) || !java_is_integral(b)))))
        return ses_java_coder_later(c); /* an error, which the session will tell */
    char code = are_booleans ? 'Z' : java_promoted(a, expr_op_is_shift(op) ? 'I' : b);
    *out = primitive(c, expr_op_is_comparison(op) ? 'Z' : code);
    if (expr_op_is_shift(op))
        return add_shift(c, op, left_end, code);
    if (!are_booleans) {
        convert(c, &left_end, left, code);
        size_t right_end = c->code.n;
        convert(c, &right_end, right, code);
    }
    if (!expr_op_is_comparison(op))
        return add_arithmetic(c, op, code);
    if (is_real(code))
        add_real_comparison(c, op);
    else
        add_integer_comparison(c, op);
    return true;
}

/* == and != of references.  A literal is one with the program's own string of its text, if there is one: which that is, only the
 * program can say. */
static bool add_same_object(coder *c, expr_op op, const shape *left, const shape *right, shape *out)
{
    const char *text = left->text ? left->text : right->text;
    if (left->text && right->text)
        return never(c, "compares two texts of its own");
    if (text) {
        add_is_text(c, text);
        add(c, MACHINE_CODE_DOUBT);
        if (op == EXPR_OP_NE)
            add(c, MACHINE_CODE_IS_ZERO);
    } else
        add(c, op == EXPR_OP_EQ ? MACHINE_CODE_EQ : MACHINE_CODE_NE);
    *out = primitive(c, 'Z');
    return true;
}

static bool add_logical(coder *c, const expr_node *node, shape *left, shape *out)
{
    if (!as_boolean(c, left))
        return false;
    size_t jump = c->code.n;
    add(c, node->op == EXPR_OP_LOGICAL_AND ? MACHINE_CODE_AND_THEN : MACHINE_CODE_OR_ELSE);
    if (!ses_java_add_value(c, node->right, out) || !as_boolean(c, out))
        return false;
    land(c, jump);
    return true;
}

/* The left operand was added. */
static bool apply_infix(coder *c, const expr_node *node, shape *left, shape *out)
{
    shape right;
    if (node->op == EXPR_OP_LOGICAL_AND || node->op == EXPR_OP_LOGICAL_OR)
        return add_logical(c, node, left, out);
    size_t left_end = c->code.n;
    if (!ses_java_add_value(c, node->right, &right))
        return false;
    if (is_object(left) && is_object(&right) && (node->op == EXPR_OP_EQ || node->op == EXPR_OP_NE))
        return add_same_object(c, node->op, left, &right, out);
    if (node->op == EXPR_OP_ADD && (left->text || right.text || java_is_string(&c->ev, left->type) || java_is_string(&c->ev, right.type)))
        return never(c, "joins strings");
    if (!open_box(c, &left_end, left))
        return false;
    size_t right_end = c->code.n;
    if (!open_box(c, &right_end, &right))
        return false;
    return add_numbers(c, node->op, left_end, left, &right, out);
}

/* Chains like 1 + 1 + 1 + ... are walked by a loop (tree.h). */
static bool add_infix(coder *c, const expr_node *node, shape *out)
{
    size_t n;
    const expr_node *const *chain = expr_infix_chain(c->ev.arena, node, &n);
    shape left;
    if (!ses_java_add_value(c, chain[0]->left, &left))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (c->code.n > MACHINE_CODE_JAVA_STEPS || !apply_infix(c, chain[i], &left, out))
            return c->code.n > MACHINE_CODE_JAVA_STEPS ? never(c, "is too long") : false;
        left = *out;
    }
    return true;
}

/* ---- ? : ---------------------------------------------------------------------------------------- */

/* JLS 15.25.2; 0: it depends on the value of a constant. */
static char common_code(const expr_node *node, char a, char b)
{
    if (a == b)
        return a;
    bool has_constant = (a == 'I' && java_is_constant(node->right)) || (b == 'I' && java_is_constant(node->third));
    if (has_constant && (strchr("BSC", a) || strchr("BSC", b)))
        return 0;
    if ((a == 'B' && b == 'S') || (a == 'S' && b == 'B'))
        return 'S';
    return java_promoted(a, b);
}

/* The type that the two have together, as expr/java_eval.c finds it; the first one ends before step *at. */
static bool meet(coder *c, const expr_node *node, size_t *at, shape *a, shape *b, shape *out)
{
    char x = number_code(c, a), y = number_code(c, b);
    bool are_objects = is_object(a) && is_object(b);
    if (a->text || b->text)
        return never(c, "chooses between texts");
    if (are_objects && (a->type == b->type || !x || !y)) {
        bool is_wider = java_is_subtype(&c->ev, a->type, b->type);
        if (!is_wider && !java_is_subtype(&c->ev, b->type, a->type))
            return ses_java_shape_named(c, "Ljava/lang/Object;", out);
        *out = is_wider ? *b : *a;
        return true;
    }
    if (!x || !y || (x == 'Z') != (y == 'Z'))
        return never(c, "chooses between unlike values");
    char code = common_code(node, x, y);
    if (!code)
        return never(c, "chooses between a constant and a smaller type");
    if (!as_number(c, at, a, code))
        return false;
    size_t end = c->code.n;
    *out = primitive(c, code);
    return as_number(c, &end, b, code);
}

static bool add_arms(coder *c, const expr_node *node, shape *out)
{
    shape condition, a, b;
    if (!ses_java_add_value(c, node->left, &condition) || !as_boolean(c, &condition))
        return false;
    size_t unless = c->code.n;
    add(c, MACHINE_CODE_UNLESS);
    if (!ses_java_add_value(c, node->right, &a))
        return false;
    size_t a_end = c->code.n;
    add(c, MACHINE_CODE_JUMP);
    if (!ses_java_add_value(c, node->third, &b))
        return false;
    if (!meet(c, node, &a_end, &a, &b, out))
        return false;
    c->code.items[unless].operand = (int64_t)a_end + 1;
    land(c, a_end);
    return true;
}

static bool add_conditional(coder *c, const expr_node *node, shape *out)
{
    c->n_arms++;
    bool made = add_arms(c, node, out);
    c->n_arms--;
    return made;
}

/* ---- elements, calls ------------------------------------------------------------------------------ */

static bool as_index(coder *c, shape *index)
{
    size_t at = c->code.n;
    char code = number_code(c, index);
    if (!code || !strchr("BCSI", code))
        return ses_java_coder_later(c);
    return as_number(c, &at, index, 'I');
}

static bool add_index(coder *c, const expr_node *node, shape *out)
{
    shape array, index;
    if (!ses_java_add_value(c, node->left, &array))
        return false;
    if (array.code != '[')
        return never(c, "takes an element of what isn't plainly an array");
    if (!ses_java_add_value(c, node->right, &index) || !as_index(c, &index))
        return false;
    *out = ses_java_shape_of(c, c->ev.world->element(c->ev.world->self, array.type));
    ses_java_coder_add(c, MACHINE_CODE_ELEMENT, out->code);
    return true;
}

static bool add_equals(coder *c, const shape *receiver, const expr_node *argument, shape *out)
{
    shape other;
    if (!receiver->text)
        add(c, MACHINE_CODE_NEED);
    if (!ses_java_add_value(c, argument, &other))
        return false;
    if (!is_object(&other) || (receiver->text && other.text))
        return never(c, "calls a method");
    if (receiver->text || other.text)
        add_is_text(c, receiver->text ? receiver->text : other.text);
    else
        add(c, MACHINE_CODE_SAME_TEXT);
    *out = primitive(c, 'Z');
    return true;
}

/* The methods of String that the machine knows by itself; no class can override them. */
static bool add_string_call(coder *c, const expr_node *node, const shape *receiver, shape *out)
{
    const char *name = node->left->name;
    shape index;
    if (node->n_args == 1 && strcmp(name, "equals") == 0)
        return add_equals(c, receiver, node->args[0], out);
    if (receiver->text)
        return never(c, "calls a method");
    if (node->n_args == 1 && strcmp(name, "charAt") == 0) {
        if (!ses_java_add_value(c, node->args[0], &index) || !as_index(c, &index))
            return false;
        add(c, MACHINE_CODE_UNIT);
        *out = primitive(c, 'C');
        return true;
    }
    bool is_empty = strcmp(name, "isEmpty") == 0;
    if (node->n_args || (!is_empty && strcmp(name, "length") != 0))
        return never(c, "calls a method");
    add(c, MACHINE_CODE_UNITS);
    if (is_empty)
        add(c, MACHINE_CODE_IS_ZERO);
    *out = primitive(c, is_empty ? 'Z' : 'I');
    return true;
}

static bool add_call(coder *c, const expr_node *node, shape *out)
{
    shape receiver;
    const expr_node *callee = node->left;
    if (callee->kind != EXPR_NODE_MEMBER || callee->left->kind == EXPR_NODE_SUPER || callee->left->kind == EXPR_NODE_TYPE)
        return never(c, "calls a method");
    if (!ses_java_add_value(c, callee->left, &receiver))
        return never(c, c->why ? c->why : "calls a method"); /* of a class, it may be */
    if (!is_object(&receiver) || !java_is_string(&c->ev, receiver.type))
        return never(c, "calls a method");
    return add_string_call(c, node, &receiver, out);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

bool ses_java_add_value(coder *c, const expr_node *node, shape *out)
{
    *out = (shape){0};
    if (c->code.n > MACHINE_CODE_JAVA_STEPS)
        return never(c, "is too long");
    switch (node->kind) {
    case EXPR_NODE_LITERAL: return add_literal(c, node->literal, out);
    case EXPR_NODE_NAME:
    case EXPR_NODE_MEMBER: return ses_java_add_name(c, node, out);
    case EXPR_NODE_THIS: return ses_java_add_this(c, node, out);
    case EXPR_NODE_PREFIX: return add_prefix(c, node, out);
    case EXPR_NODE_INFIX: return add_infix(c, node, out);
    case EXPR_NODE_CONDITIONAL: return add_conditional(c, node, out);
    case EXPR_NODE_INDEX: return add_index(c, node, out);
    case EXPR_NODE_CALL: return add_call(c, node, out);
    case EXPR_NODE_CAST: return add_cast(c, node, out);
    case EXPR_NODE_INSTANCEOF: return add_instanceof(c, node, out);
    case EXPR_NODE_DOLLAR: return never(c, "uses a variable of the debugger");
    case EXPR_NODE_POSTFIX:
    case EXPR_NODE_ASSIGN: return never(c, "changes something");
    case EXPR_NODE_NEW:
    case EXPR_NODE_NEW_ARRAY: return never(c, "makes an object");
    default: return never(c, "uses what machines don't have");
    }
}

static bool add_condition(coder *c, const char *condition)
{
    const expr_node *tree;
    shape truth;
    uint8_t depths[MACHINE_CODE_JAVA_STEPS + 1];
    unsigned deepest;
    const ses_frame frame = {.pc = c->place};
    if (expr_java_parse(c->ev.arena, condition, &tree, NULL) != EBB_OK ||
        ses_java_variables_of(c->s, c->ev.arena, &frame, &c->variables, NULL) != EBB_OK)
        return ses_java_coder_later(c);
    if (!ses_java_add_value(c, tree, &truth) || !as_boolean(c, &truth))
        return false;
    bool fits = c->code.n <= MACHINE_CODE_JAVA_STEPS &&
                machine_code_check(c->code.items, (unsigned)c->code.n, MACHINE_CODE_JAVA_DEPTH, depths, &deepest);
    return fits || never(c, "is too long");
}

ebb_status ses_java_condition_code(session *s, ebb_arena *arena, const char *condition, const sym_spot *spot, ses_code *code, ebb_error *err)
{
    coder c = {.s = s, .place = spot->addr, .ev = {.arena = arena, .world = &s->java->world, .types_only = true}};
    struct ses_scope outer = s->scope;
    s->scope = (struct ses_scope){.is_set = true, .pc = spot->addr};
    bool made = add_condition(&c, condition);
    s->scope = outer;
    *code = ses_code_of(arena, c.code.items, made ? c.code.n : 0);
    ebb_vec_fini(&c.code);
    ebb_vec_fini(&c.variables);
    if (made)
        return EBB_OK;
    return c.why ? ebb_fail(err, EBB_UNSUPPORTED, "%s", c.why) : ebb_fail(err, EBB_NOT_FOUND, "names what isn't there yet");
}
