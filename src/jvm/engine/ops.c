/* ops.c - disassembly and stack effects, from the rows of ops.def. */
#include "jvm/engine/ops.h"

#include "jvm/engine/invoke.h"

#include <stdio.h>
#include <stdlib.h>

/* With as many digits as tell it from its neighbours. */
static void add_real(ebb_buf *out, double number, bool is_float)
{
    char text[40];
    bool is_same = false;
    for (int n_digits = 6; n_digits <= 17 && !is_same; n_digits++) {
        snprintf(text, sizeof text, "%.*g", n_digits, number);
        is_same = is_float ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number;
    }
    ebb_buf_adds(out, text);
}

static void add_constant(const jvm_class *cls, uint16_t index, ebb_buf *out)
{
    const jvm_sym *class_name, *name, *sig;
    ebb_buf_addf(out, " #%u", index);
    if (index >= cls->pool.n)
        return;
    const jvm_cp_value *v = &cls->pool.values[index];
    switch (cls->pool.tags[index]) {
    case JVM_CP_INTEGER: ebb_buf_addf(out, " // int %d", v->i); break;
    case JVM_CP_FLOAT: ebb_buf_adds(out, " // float "), add_real(out, (double)v->f, true); break;
    case JVM_CP_LONG: ebb_buf_addf(out, " // long %lld", (long long)v->j); break;
    case JVM_CP_DOUBLE: ebb_buf_adds(out, " // double "), add_real(out, v->d, false); break;
    case JVM_CP_STRING: ebb_buf_addf(out, " // String %s", jvm_cp_utf8(cls, v->a)->text); break;
    case JVM_CP_CLASS: ebb_buf_addf(out, " // class %s", jvm_cp_class_name(cls, index)->text); break;
    case JVM_CP_FIELD: case JVM_CP_METHOD: case JVM_CP_IMETHOD:
        jvm_cp_member(cls, index, &class_name, &name, &sig);
        ebb_buf_addf(out, " // %s %s.%s:%s",
                     cls->pool.tags[index] == JVM_CP_FIELD ? "Field" : "Method", class_name->text, name->text,
                     sig->text);
        break;
    case JVM_CP_INDY: case JVM_CP_DYNAMIC:
        jvm_cp_name_type(cls, v->b, &name, &sig);
        ebb_buf_addf(out, " // %s:%s", name->text, sig->text);
        break;
    default: break;
    }
}

static void add_switch(const uint8_t *code, uint32_t bci, ebb_buf *out)
{
    uint32_t at = (bci + 4) & ~3u;
    bool table = code[bci] == JVM_OP_tableswitch;
    int32_t low = jvm_s4(code + at + 4);
    int32_t n = table ? jvm_s4(code + at + 8) - low + 1 : low;
    const uint8_t *rows = code + at + (table ? 12 : 8);
    ebb_buf_adds(out, " {");
    for (int32_t i = 0; i < n; i++) {
        int32_t key = table ? low + i : jvm_s4(rows + 8 * i);
        int32_t off = jvm_s4(table ? rows + 4 * i : rows + 8 * i + 4);
        ebb_buf_addf(out, " %d: %d,", key, (int32_t)bci + off);
    }
    ebb_buf_addf(out, " default: %d }", (int32_t)bci + jvm_s4(code + at));
}

static void add_operand(const jvm_method *m, uint32_t bci, const uint8_t *p, char letter, bool wide, ebb_buf *out)
{
    switch (letter) {
    case 'b': ebb_buf_addf(out, " %d", wide ? jvm_s2(p) : (int8_t)*p); break;
    case 's': ebb_buf_addf(out, " %d", jvm_s2(p)); break;
    case 'l': ebb_buf_addf(out, " %d", wide ? jvm_u2(p) : *p); break;
    case 't': case 'd': ebb_buf_addf(out, " %d", *p); break;
    case 'o': ebb_buf_addf(out, " %d", (int32_t)bci + jvm_s2(p)); break;
    case 'O': ebb_buf_addf(out, " %d", (int32_t)bci + jvm_s4(p)); break;
    case 'c': add_constant(m->cls, *p, out); break;
    default: add_constant(m->cls, jvm_u2(p), out); break;
    }
}

void jvm_disassemble(const jvm_method *m, uint32_t bci, ebb_buf *out)
{
    if (jvm_op_length(m->bytes, m->nbytes, bci) == 0) {
        ebb_buf_addf(out, "%u: (not an instruction)", bci);
        return;
    }
    const uint8_t *p = m->bytes + bci;
    bool wide = *p == JVM_OP_wide;
    if (wide)
        p++;
    ebb_buf_addf(out, "%u: %s%s", bci, jvm_ops[*p].name, wide ? "_w" : "");
    const char *letters = jvm_ops[*p].operands;
    if (*letters == 'T' || *letters == 'S') {
        add_switch(m->bytes, bci, out);
        return;
    }
    for (p++; *letters != '\0'; letters++) {
        add_operand(m, bci, p, *letters, wide, out);
        p += jvm_operand_length(*letters) * (wide ? 2 : 1);
    }
}

/* ---- stack effects ---- */

static char constant_type(const jvm_class *cls, uint16_t index)
{
    const jvm_sym *name, *sig;
    switch (cls->pool.tags[index]) {
    case JVM_CP_INTEGER: return 'I';
    case JVM_CP_FLOAT: return 'F';
    case JVM_CP_LONG: return 'J';
    case JVM_CP_DOUBLE: return 'D';
    case JVM_CP_DYNAMIC:
        jvm_cp_name_type(cls, cls->pool.values[index].b, &name, &sig);
        return sig->text[0];
    default: return 'L';
    }
}

/* The type of what the operand names: a constant or a field. */
static char operand_type(const jvm_method *m, const uint8_t *insn)
{
    const jvm_sym *cls, *name, *sig;
    if (*insn == JVM_OP_ldc)
        return constant_type(m->cls, insn[1]);
    uint16_t index = jvm_u2(insn + 1);
    if (*insn == JVM_OP_ldc_w || *insn == JVM_OP_ldc2_w)
        return constant_type(m->cls, index);
    jvm_cp_member(m->cls, index, &cls, &name, &sig);
    return sig->text[0];
}

static void call_effect(const jvm_method *m, const uint8_t *insn, int *pops, char *pushes)
{
    const jvm_sym *cls, *name, *sig;
    uint16_t index = jvm_u2(insn + 1);
    if (*insn == JVM_OP_invokedynamic)
        jvm_cp_name_type(m->cls, m->cls->pool.values[index].b, &name, &sig);
    else
        jvm_cp_member(m->cls, index, &cls, &name, &sig);
    *pops = *insn != JVM_OP_invokestatic && *insn != JVM_OP_invokedynamic;
    jvm_sig_iter it = jvm_sig_start(sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;)
        *pops += jvm_type_slots(type);
    char ret = *jvm_sig_return(sig);
    *pushes = ret == 'V' ? 0 : ret;
}

static char letter_type(const jvm_method *m, const uint8_t *insn, char letter)
{
    switch (letter) {
    case 'v': return operand_type(m, insn);
    case 'j': return 'J';
    case 'd': return 'D';
    case 'f': return 'F';
    case 'a': return 'L';
    default: return 'I';
    }
}

void jvm_op_effect(const jvm_method *m, uint32_t bci, int *pops, char *pushes)
{
    const uint8_t *insn = m->bytes + bci;
    uint8_t op = *insn == JVM_OP_wide ? insn[1] : *insn;
    const jvm_op_info *info = &jvm_ops[op];
    *pops = 0;
    *pushes = 0;
    if (op >= JVM_OP_invokevirtual && op <= JVM_OP_invokedynamic) {
        call_effect(m, insn, pops, pushes);
        return;
    }
    if (op == JVM_OP_multianewarray)
        *pops = insn[3];
    else
        for (const char *p = info->pops; *p != '\0'; p++)
            *pops += jvm_type_slots(letter_type(m, insn, *p));
    if (info->pushes[0] != '\0')
        *pushes = letter_type(m, insn, info->pushes[0]);
}
