/* errand.c - instructions by which a program asks something of the world outside: the kernel, the clock, the CPU's own facts.
 *
 * The runtime alone answers them (inside/syscall.c, inside/asks.h), whoever executes the program: a single step that comes to one
 * is a run of translated code to the instruction after it.  So nothing from outside comes in by another door.  What the CPU
 * has in use, which xsave stores, is such a fact (inside/in_use.h). */
#include "x86/calls.h"
#include "x86/interrupted.h"
#include "x86/vm/decoded.h"

#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

static vm_errand_kind kind_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL: return VM_ERRAND_CALL;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_SYSENTER: return VM_ERRAND_OLD;
#define X86_OP(name, kind, why)
#define X86_ASK(name, ask) case ZYDIS_MNEMONIC_##name:
#define X86_SHOWS_X87(name)
#include "x86/inside/ops.def"
#undef X86_ASK
#undef X86_SHOWS_X87
        return VM_ERRAND_ASK;
#define X86_ASK(name, ask)
#define X86_SHOWS_X87(name) case ZYDIS_MNEMONIC_##name:
#include "x86/inside/ops.def"
#undef X86_OP
#undef X86_ASK
#undef X86_SHOWS_X87
        return VM_ERRAND_SAVE;
    default: return VM_ERRAND_NONE;
    }
}

bool vm_decode(x86_vm *vm, uint64_t at, ZydisDecodedInstruction *insn)
{
    uint8_t code[ZYDIS_MAX_INSTRUCTION_LENGTH];
    size_t n = sizeof code;
    ZydisDecoder decoder;
    while (n && machine_read(vm->native, at, code, n, NULL) != EBB_OK)
        n--; /* the next page may not be there */
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return n && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, insn));
}

/* The handler's frame says where the program goes on. */
static void find_end_of_sigreturn(x86_vm *vm, const struct user_regs_struct *regs, vm_errand *errand)
{
    ucontext_t context;
    if (machine_read(vm->native, regs->rsp, &context, offsetof(ucontext_t, uc_mcontext.fpregs), NULL) != EBB_OK)
        return; /* the call will fail */
    errand->end = (uint64_t)context.uc_mcontext.gregs[REG_RIP];
    errand->sp = (uint64_t)context.uc_mcontext.gregs[REG_RSP];
}

static void look_up(uint64_t number, vm_errand *errand)
{
    const x86_call_row *row = x86_call_row_of(number);
    x86_border border = row ? (x86_border)row->border : X86_BORDER_MADE;
    if (row && row->waits == X86_LIFE)
        errand->kind = VM_ERRAND_LIFE;
    errand->forks = border == X86_BORDER_FORK || border == X86_BORDER_CLONE || border == X86_BORDER_CLONE3;
}

ebb_status vm_errand_at(x86_vm *vm, machine_tid tid, vm_errand *errand, ebb_error *err)
{
    struct user_regs_struct *regs;
    ZydisDecodedInstruction insn;
    *errand = (vm_errand){0};
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    if ((int64_t)regs->orig_rax >= 0 && x86_will_restart(regs->rax)) { /* it is to be made again */
        *errand = (vm_errand){.kind = VM_ERRAND_CALL, .end = regs->rip, .sp = regs->rsp};
        return EBB_OK;
    }
    if (!vm_decode(vm, regs->rip, &insn) || kind_of(insn.mnemonic) == VM_ERRAND_NONE)
        return EBB_OK;
    bool is_call = insn.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
    *errand = (vm_errand){.kind = kind_of(insn.mnemonic), .end = regs->rip + insn.length, .sp = regs->rsp};
    if (is_call)
        look_up(regs->rax, errand);
    if (is_call && regs->rax == SYS_rt_sigreturn)
        find_end_of_sigreturn(vm, regs, errand);
    return EBB_OK;
}

bool vm_is_syscall_at(x86_vm *vm, uint64_t address)
{
    static const uint8_t insn[2] = {0x0f, 0x05};
    uint8_t code[2];
    return machine_read(vm->native, address, code, sizeof code, NULL) == EBB_OK && memcmp(code, insn, sizeof insn) == 0;
}
