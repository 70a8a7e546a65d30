/* decode.c - instructions: their lengths, where they lead, their text. */
#include "base/mem.h"
#include "x86/process.h"
#include "x86/spell.h"

#include <stdlib.h>

enum { PAGE = 4096, GUESSED = 96 }; /* bytes that are looked at where no instruction's beginning is known */

static void describe(const x86_insn *insn, machine_insn *out)
{
    const ZydisDecodedInstruction *info = &insn->info;
    out->nbytes = info->length;
    out->is_call = info->meta.category == ZYDIS_CATEGORY_CALL;
    out->is_return = info->meta.category == ZYDIS_CATEGORY_RET;
    out->is_branch = info->meta.category == ZYDIS_CATEGORY_COND_BR || info->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
    out->is_indirect = (out->is_call || out->is_branch) && !info->raw.imm[0].is_relative;
    for (unsigned i = 0; i < info->operand_count_visible && !out->has_target; i++) {
        const ZydisDecodedOperand *op = &insn->operands[i];
        bool relative = (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.is_relative) ||
                        (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RIP);
        if (relative)
            out->has_target = ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, op, insn->place, &out->target));
    }
}

ebb_status x86_decode(const void *code, size_t nbytes, machine_place place, x86_flavour flavour, machine_insn *out, ebb_error *err)
{
    ZydisDecoder decoder;
    x86_insn insn = {.place = place};
    *out = (machine_insn){0};
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, nbytes, &insn.info, insn.operands)))
        return ebb_fail(err, EBB_BAD_INPUT, "no instruction at %#llx", (unsigned long long)place);
    describe(&insn, out);
    x86_spell(&insn, flavour, out->text, sizeof out->text);
    return EBB_OK;
}

/* Only lengths and kinds: spelling each would take longer than all else. */
static machine_place find_call(const uint8_t *code, size_t nbytes, machine_place start)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < nbytes; at += insn.length) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, nbytes - at, &insn)))
            return 0;
        if (at + insn.length == nbytes)
            return insn.meta.category == ZYDIS_CATEGORY_CALL ? start + at : 0;
    }
    return 0;
}

/* Where the instruction begins that most ways of decoding lead to, of those calls that end with the code.  `FF D3` is a call, and
 * so is `41 FF D3`; but wherever decoding begins, it soon falls in with the instructions that were meant. */
static machine_place vote_for_call(const uint8_t *code, size_t nbytes, machine_place start)
{
    enum { LONGEST = ZYDIS_MAX_INSTRUCTION_LENGTH };
    size_t votes[LONGEST + 1] = {0}, best = 1;
    uint8_t leads[GUESSED + 1] = {0}; /* the length of the call that decoding from here arrives at; 0: at none */
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = nbytes; at-- > 0;) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, nbytes - at, &insn)))
            continue;
        bool is_it = at + insn.length == nbytes && insn.meta.category == ZYDIS_CATEGORY_CALL;
        leads[at] = is_it ? insn.length : leads[at + insn.length];
        votes[leads[at]]++;
    }
    for (size_t length = 2; length <= LONGEST; length++)
        if (votes[length] > votes[best])
            best = length;
    return votes[best] ? start + nbytes - best : 0;
}

static machine_place guess_call(machine *m, machine_place back)
{
    uint8_t code[GUESSED];
    size_t in_page = (back - 1) % PAGE + 1, nbytes = sizeof code;
    if (machine_read(m, back - nbytes, code, nbytes, NULL) != EBB_OK) {
        nbytes = in_page < sizeof code ? in_page : sizeof code; /* the page before may not be there */
        if (machine_read(m, back - nbytes, code, nbytes, NULL) != EBB_OK)
            return 0;
    }
    return vote_for_call(code, nbytes, back - nbytes);
}

machine_place x86_call_before(machine *m, machine_place start, machine_place back)
{
    enum { MOST = 1 << 20 }; /* of any function */
    if (start == 0)
        return guess_call(m, back);
    if (back <= start || back - start > MOST)
        return 0;
    uint8_t *code = ebb_alloc(back - start);
    machine_place call = machine_read(m, start, code, back - start, NULL) == EBB_OK ? find_call(code, back - start, start) : 0;
    free(code);
    return call;
}
