/* condition.c - conditions of points (machine/code.h), executed where their points are reached.
 *
 * Code comes from outside, so it is checked when it is set, and every object it touches again when it is executed: a local
 * variable that is dead may hold what was an object once, and the same code is told to copies in which a class is still to come.
 *
 * AK1  executing changes nothing: no Java code runs, nothing is allocated, no class is loaded or initialised;
 * AK2  a step keeps a class only as long as that is loaded: agent_conditions_forget. */
#include "jvm/agent/internal.h"

#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/jvm.h"
#include "machine/code_check.h"
#include "machine/code_words.h"

#include <math.h>
#include <string.h>

typedef struct condition_step {
    uint16_t op;
    char letter;          /* LOCAL, ELEMENT; FIELD and STATIC once `cls` is known */
    int64_t operand;      /* LOCAL: the slot alone */
    const jvm_class *cls; /* FIELD, STATIC, INSTANCE, CAST; NULL: it is not known yet */
    size_t offset;        /* FIELD, STATIC */
} condition_step;

struct agent_condition {
    size_t n;
    condition_step steps[];
};

/* ---- setting ---- */

static bool is_letter(int64_t letter)
{
    return letter > 0 && letter < 128 && strchr("ZBCSIJFDL[", (char)letter) != NULL;
}

static bool is_part(int64_t nbytes)
{
    return nbytes == 1 || nbytes == 2 || nbytes == 4;
}

/* The text after an IS_TEXT is all there. */
static bool has_text(const machine_code *code, size_t n, size_t i)
{
    int64_t units = code[i].operand;
    if (units < 0 || units > 4 * MACHINE_CODE_JAVA_STEPS)
        return false;
    size_t n_data = ((size_t)units + 3) / 4;
    for (size_t k = 1; k <= n_data; k++)
        if (i + k >= n || code[i + k].op != MACHINE_CODE_DATA)
            return false;
    return true;
}

static bool has_good_operand(const machine_code *code, size_t n, size_t i)
{
    int64_t operand = code[i].operand;
    switch (code[i].op) {
    case MACHINE_CODE_REG:
    case MACHINE_CODE_LOAD: return false;
    case MACHINE_CODE_SIGN:
    case MACHINE_CODE_ZERO: return is_part(operand);
    case MACHINE_CODE_SHL:
    case MACHINE_CODE_SHR:
    case MACHINE_CODE_SAR: return operand >= 0 && operand < 64;
    case MACHINE_CODE_SHL_BY:
    case MACHINE_CODE_SHR_BY:
    case MACHINE_CODE_SAR_BY: return operand == 31 || operand == 63;
    case MACHINE_CODE_LOCAL: return operand >= 0 && is_letter(operand >> 16);
    case MACHINE_CODE_ELEMENT: return is_letter(operand);
    case MACHINE_CODE_IS_TEXT: return has_text(code, n, i);
    default: return true;
    }
}

/* ---- references (CD4) ---- */

static bool is_reference(char letter)
{
    return letter == 'L' || letter == '[';
}

/* Which of the values that a step takes have to be references: 1 the top one, 2 the one below. */
static uint64_t wants_references(uint32_t op)
{
    switch (op) {
    case MACHINE_CODE_FIELD:
    case MACHINE_CODE_FIELD_REF:
    case MACHINE_CODE_LENGTH:
    case MACHINE_CODE_INSTANCE:
    case MACHINE_CODE_CAST:
    case MACHINE_CODE_UNITS:
    case MACHINE_CODE_IS_TEXT: return 1;
    case MACHINE_CODE_ELEMENT:
    case MACHINE_CODE_UNIT: return 2;
    case MACHINE_CODE_SAME_TEXT: return 3;
    default: return 0;
    }
}

/* Whether what it leaves on top is one; `top` is what was there. */
static bool leaves_reference(const machine_code *step, bool top)
{
    switch (step->op) {
    case MACHINE_CODE_NIL:
    case MACHINE_CODE_FIELD_REF:
    case MACHINE_CODE_STATIC_REF:
    case MACHINE_CODE_CAST: return true;
    case MACHINE_CODE_LOCAL: return is_reference((char)(step->operand >> 16));
    case MACHINE_CODE_ELEMENT: return is_reference((char)step->operand);
    case MACHINE_CODE_NEED:
    case MACHINE_CODE_DOUBT: return top;
    default: return false;
    }
}

/* The lowest `n` bits. */
static uint64_t lowest(uint64_t bits, unsigned n)
{
    return n == 0 ? 0 : n >= 64 ? bits : bits & (((uint64_t)1 << n) - 1);
}

/* What is on the stack where it is come to in several ways is the same in all of them. */
static bool note_references(uint64_t *refs, bool *is_known, size_t at, uint64_t bits)
{
    bool agrees = !is_known[at] || refs[at] == bits;
    refs[at] = bits;
    is_known[at] = true;
    return agrees;
}

/* Bit i of refs stands for the i-th value from the bottom. */
static bool keeps_references(const machine_code *code, size_t n, const uint8_t *depths)
{
    uint64_t refs[MACHINE_CODE_JAVA_STEPS + 1] = {0};
    bool is_known[MACHINE_CODE_JAVA_STEPS + 1] = {true};
    for (size_t i = 0; i < n; i++) {
        unsigned depth = depths[i];
        bool top = depth > 0 && (refs[i] >> (depth - 1) & 1), below = depth > 1 && (refs[i] >> (depth - 2) & 1);
        uint64_t wanted = wants_references(code[i].op);
        if (((wanted & 1) && !top) || ((wanted & 2) && !below))
            return false;
        bool jumps = machine_code_jumps(code[i].op), goes_on = code[i].op != MACHINE_CODE_JUMP;
        size_t to = jumps ? (size_t)code[i].operand : 0;
        if (jumps && !note_references(refs, is_known, to, lowest(refs[i], depths[to])))
            return false;
        unsigned after = goes_on ? depths[i + 1] : 0;
        uint64_t next = jumps || code[i].op == MACHINE_CODE_DATA ? lowest(refs[i], after)
                        : lowest(refs[i], after - 1) | (uint64_t)leaves_reference(&code[i], top) << (after - 1);
        if (goes_on && !note_references(refs, is_known, i + 1, next))
            return false;
    }
    return true;
}

/* ---- making ---- */

static condition_step step_of(const machine_code *from)
{
    condition_step step = {.op = (uint16_t)from->op, .operand = from->operand};
    if (from->op == MACHINE_CODE_LOCAL) {
        step.letter = (char)(from->operand >> 16);
        step.operand &= 0xffff;
    } else if (from->op == MACHINE_CODE_ELEMENT) {
        step.letter = (char)from->operand;
    }
    return step;
}

static ebb_status make(const machine_code *code, size_t n, agent_condition **out, ebb_error *err)
{
    uint8_t depths[MACHINE_CODE_JAVA_STEPS + 1];
    unsigned deepest;
    bool good = n <= MACHINE_CODE_JAVA_STEPS;
    for (size_t i = 0; good && i < n; i++)
        good = has_good_operand(code, n, i);
    if (!good || !machine_code_check(code, (unsigned)n, MACHINE_CODE_JAVA_DEPTH, depths, &deepest) || !keeps_references(code, n, depths))
        return ebb_fail(err, EBB_BAD_INPUT, "That is no condition of the Java machine.");
    *out = ebb_zalloc(sizeof **out + n * sizeof(condition_step));
    (*out)->n = n;
    for (size_t i = 0; i < n; i++)
        (*out)->steps[i] = step_of(&code[i]);
    return EBB_OK;
}

ebb_status agent_serve_point_condition(const jvm_wire_condition *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    agent_point *p = agent_point_by_id(q->point);
    agent_condition *made = NULL;
    if (p == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No point %u.", q->point);
    machine_code *code = EBB_ARENA_ARRAY(arena, machine_code, q->steps.n + 1);
    for (size_t i = 0; i < q->steps.n; i++)
        code[i] = (machine_code){.op = q->steps.items[i].op, .operand = (int64_t)q->steps.items[i].operand};
    ebb_status status = q->steps.n > 0 ? make(code, q->steps.n, &made, err) : EBB_OK;
    free(p->condition);
    p->condition = made; /* a bad one: none */
    return status;
}

void agent_conditions_forget(const jvm_class *cls)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_condition *c = agent.points.items[i].condition;
        for (size_t k = 0; c != NULL && k < c->n; k++)
            if (c->steps[k].cls == cls)
                c->steps[k].cls = NULL;
    }
}

/* ---- objects ---- */

static const jvm_obj *object(int64_t word)
{
    return (const jvm_obj *)(uintptr_t)word;
}

/* As agent_word has it. */
static int64_t word_in_memory(const void *at, char letter)
{
    switch (letter) {
    case 'Z': return *(const uint8_t *)at & 1;
    case 'B': return *(const int8_t *)at;
    case 'C': return *(const uint16_t *)at;
    case 'S': return *(const int16_t *)at;
    case 'I': return *(const int32_t *)at;
    case 'F': return (int64_t)machine_code_word((double)*(const float *)at);
    default: return *(const int64_t *)at;
    }
}

/* What is in the slot of a dead variable may have been an object. */
static bool get_local(const condition_step *step, const jvm_frame *f, int64_t *out)
{
    if (step->operand >= f->method->max_locals)
        return false;
    const jvm_slot *slot = &f->locals[step->operand];
    switch (step->letter) {
    case 'Z': *out = slot->i & 1; return true;
    case 'J':
    case 'D': *out = slot->j; return true;
    case 'F': *out = (int64_t)machine_code_word((double)slot->f); return true;
    case 'L':
    case '[': *out = slot->j; return slot->a == NULL || jvm_heap_holds(slot->a);
    default: *out = slot->i; return true;
    }
}

static bool find_field(condition_step *step, bool is_static)
{
    const jvm_field *field = agent_field((uint64_t)step->operand);
    bool is_ref = step->op == MACHINE_CODE_FIELD_REF || step->op == MACHINE_CODE_STATIC_REF;
    if (field == NULL || ((field->access & JVM_ACC_STATIC) != 0) != is_static || is_reference(field->type) != is_ref) /* CD4 */
        return false;
    step->cls = field->cls;
    step->offset = field->offset;
    step->letter = field->type;
    return true;
}

static bool get_field(condition_step *step, int64_t *top)
{
    const jvm_obj *o = object(*top);
    if (o == NULL || (step->cls == NULL && !find_field(step, false)) || !jvm_is_subclass(o->cls, step->cls))
        return false;
    *top = word_in_memory((const char *)o + step->offset, step->letter);
    return true;
}

static bool get_static(condition_step *step, int64_t *out)
{
    if ((step->cls == NULL && !find_field(step, true)) || step->cls->state < JVM_CLASS_INITIALIZING)
        return false;
    *out = word_in_memory((const char *)step->cls->mirror + step->offset, step->letter);
    return true;
}

static bool get_length(int64_t *top)
{
    const jvm_obj *array = object(*top);
    if (array == NULL || !jvm_class_is_array(array->cls))
        return false;
    *top = array->length;
    return true;
}

static bool get_element(const condition_step *step, int64_t *array_and_index)
{
    const jvm_obj *array = object(array_and_index[0]);
    int64_t i = array_and_index[1];
    if (array == NULL || !jvm_class_is_array(array->cls) || i < 0 || i >= array->length)
        return false;
    char letter = array->cls->element_type;
    if (letter != step->letter && !(is_reference(letter) && is_reference(step->letter)))
        return false;
    size_t size = java_type_size(letter);
    array_and_index[0] = word_in_memory((const char *)jvm_array_data(array) + (size_t)i * size, letter);
    return true;
}

/* *is_one: whether the object, which isn't null, is of the step's class. */
static bool check_class(condition_step *step, const jvm_obj *o, bool *is_one)
{
    if (step->cls == NULL)
        step->cls = agent_class((uint64_t)step->operand);
    *is_one = step->cls != NULL && jvm_is_subclass(o->cls, step->cls);
    return step->cls != NULL;
}

static bool is_instance(condition_step *step, int64_t *top)
{
    bool is_one = false;
    if (*top != 0 && !check_class(step, object(*top), &is_one))
        return false;
    *top = is_one;
    return true;
}

static bool can_cast(condition_step *step, int64_t top)
{
    bool is_one;
    return top == 0 || (check_class(step, object(top), &is_one) && is_one);
}

/* ---- text ---- */

static bool is_string(const jvm_obj *o)
{
    return o != NULL && o->cls == jvm.classes.String && jvm_get_ref(o, jvm.fields.String_value) != NULL; /* else it is still being made */
}

static bool get_units(int64_t *top)
{
    if (!is_string(object(*top)))
        return false;
    *top = jvm_string_length(object(*top));
    return true;
}

static bool get_unit(int64_t *string_and_index)
{
    const jvm_obj *s = object(string_and_index[0]);
    int64_t i = string_and_index[1];
    if (!is_string(s) || i < 0 || i >= jvm_string_length(s))
        return false;
    string_and_index[0] = jvm_string_char(s, (int32_t)i);
    return true;
}

static bool have_same_text(const jvm_obj *a, const jvm_obj *b)
{
    int32_t n = jvm_string_length(a);
    bool same = n == jvm_string_length(b);
    for (int32_t i = 0; same && i < n; i++)
        same = jvm_string_char(a, i) == jvm_string_char(b, i);
    return same;
}

static bool compare_text(int64_t *two)
{
    const jvm_obj *a = object(two[0]), *b = object(two[1]);
    bool is_other = b == NULL || b->cls != jvm.classes.String;
    if (!is_string(a) || (!is_other && !is_string(b)))
        return false;
    two[0] = !is_other && have_same_text(a, b);
    return true;
}

static bool compare_data(const condition_step *step, int64_t *top)
{
    const jvm_obj *s = object(*top);
    bool is_other = s == NULL || s->cls != jvm.classes.String;
    if (!is_other && !is_string(s))
        return false;
    bool same = !is_other && jvm_string_length(s) == step->operand;
    for (int32_t i = 0; same && i < step->operand; i++)
        same = jvm_string_char(s, i) == (uint16_t)((uint64_t)step[1 + i / 4].operand >> (i % 4 * 16));
    *top = same;
    return true;
}

/* ---- numbers ---- */

static bool divide(bool wants_remainder, int64_t *two)
{
    int64_t a = two[0], b = two[1];
    if (b == 0)
        return false;
    if (b == -1) /* the least number has no opposite */
        two[0] = wants_remainder ? 0 : (int64_t)-(uint64_t)a;
    else
        two[0] = wants_remainder ? a % b : a / b;
    return true;
}

/* JLS 5.1.3 */
static int64_t integer_of(double d, double top, int64_t least, int64_t most)
{
    return isnan(d) ? 0 : d >= top ? most : d <= -top ? least : (int64_t)d;
}

/* ---- executing ---- */

#define TOP sp[-1]
#define BELOW sp[-2]
#define OPERAND step->operand
#define REAL(word) machine_code_real((uint64_t)(word))
#define A REAL(BELOW)
#define B REAL(TOP)
#define SIGNED(word) ((int64_t)(word))
#define UNSIGNED(word) ((uint64_t)(word))
#define ONE(name, expression) case MACHINE_CODE_##name: TOP = (int64_t)(expression); break;
#define TWO(name, expression)                                                                      \
    case MACHINE_CODE_##name:                                                                      \
        BELOW = (int64_t)(expression);                                                             \
        sp--;                                                                                      \
        break;
#define REAL_ONE(name, expression) ONE(name, machine_code_word(expression))
#define REAL_TWO(name, expression) TWO(name, machine_code_word(expression))
#define REAL_TRUTH(name, expression) TWO(name, expression)
#define TRY(name, grows, call)                                                                     \
    case MACHINE_CODE_##name:                                                                      \
        if (!(call))                                                                               \
            return AGENT_UNKNOWN;                                                                  \
        sp += (grows);                                                                             \
        break;

agent_truth agent_condition_holds(const agent_condition *c, const jvm_frame *f)
{
    int64_t stack[MACHINE_CODE_JAVA_DEPTH + 1], *sp = stack; /* sp: the first free one; CD1 */
    for (size_t i = 0; i < c->n; i++) {
        condition_step *step = (condition_step *)&c->steps[i]; /* finds its class when it is needed */
        switch ((machine_code_op)step->op) {
        case MACHINE_CODE_PUSH: *sp++ = step->operand; break;
        TRY(LOCAL, 1, get_local(step, f, sp))
        case MACHINE_CODE_IS_AT: *sp++ = jvm_frame_place(f) == (machine_place)step->operand; break;
        case MACHINE_CODE_NIL: *sp++ = 0; break;
        TRY(STATIC, 1, get_static(step, sp))
        TRY(STATIC_REF, 1, get_static(step, sp))
        TRY(FIELD, 0, get_field(step, &TOP))
        TRY(FIELD_REF, 0, get_field(step, &TOP))
        TRY(LENGTH, 0, get_length(&TOP))
        TRY(ELEMENT, -1, get_element(step, &BELOW))
        TRY(INSTANCE, 0, is_instance(step, &TOP))
        TRY(CAST, 0, can_cast(step, TOP))
        TRY(NEED, 0, TOP != 0)
        TRY(DOUBT, 0, TOP == 0)
        TRY(DIVIDE, -1, divide(false, &BELOW))
        TRY(REMAINDER, -1, divide(true, &BELOW))
        TRY(UNITS, 0, get_units(&TOP))
        TRY(UNIT, -1, get_unit(&BELOW))
        TRY(SAME_TEXT, -1, compare_text(&BELOW))
        TRY(IS_TEXT, 0, compare_data(step, &TOP))
#include "machine/code_numbers.def"
        TWO(SHL_BY, UNSIGNED(BELOW) << (TOP & step->operand))
        TWO(SHR_BY, UNSIGNED(BELOW) >> (TOP & step->operand))
        TWO(SAR_BY, BELOW >> (TOP & step->operand))
        ONE(TO_FLOAT, machine_code_word((double)(float)TOP))
        ONE(TO_INT, integer_of(REAL(TOP), 0x1p31, INT32_MIN, INT32_MAX))
        ONE(TO_LONG, integer_of(REAL(TOP), 0x1p63, INT64_MIN, INT64_MAX))
        ONE(REAL_NEGATE, machine_code_word(-REAL(TOP)))
        REAL_TWO(REAL_MOD, fmod(A, B))
        case MACHINE_CODE_AND_THEN:
            if (TOP == 0)
                i = (size_t)step->operand - 1;
            else
                sp--;
            break;
        case MACHINE_CODE_OR_ELSE:
            if (TOP != 0)
                i = (size_t)step->operand - 1;
            else
                sp--;
            break;
        case MACHINE_CODE_UNLESS:
            if (*--sp == 0)
                i = (size_t)step->operand - 1;
            break;
        case MACHINE_CODE_JUMP: i = (size_t)step->operand - 1; break;
        case MACHINE_CODE_DATA: break;
        case MACHINE_CODE_REG:
        case MACHINE_CODE_LOAD:
        case MACHINE_CODE_DIVIDE_U:
        case MACHINE_CODE_REMAINDER_U:
        case MACHINE_CODE_WIDEN:
        case MACHINE_CODE_IS_BYTES:
        case MACHINE_CODE_THREAD:
        case MACHINE_CODE_N_OPS: return AGENT_UNKNOWN;
        }
    }
    return TOP != 0 ? AGENT_YES : AGENT_NO;
}
