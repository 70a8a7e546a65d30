/* repeat.c - a string instruction that repeats itself, up to a moment in its midst.
 *
 * Each repetition but the last is a tick (translate.h, TR4), so that a moment may lie between two of a million.  The CPU executes as many as are
 * wanted at once but one: rcx is made that small, a trap is written over the next instruction, and what is left is added to rcx again.  The last one is
 * a single step of the caller's, because CPUs differ in the flags that they show between two repetitions of a comparison: those from before the
 * instruction (Intel), or those of the last repetition (AMD). */
#include "x86/vm/decoded.h"
#include "x86/vm/undo.h"

typedef struct repeated {
    uint64_t at, next;
    uint64_t wanted, rest; /* repetitions: to be executed, and hidden from the CPU meanwhile */
    bool looks_at_flags; /* cmps and scas end when they find something: */
    bool ends_at_equal;  /*   with repne what is equal, else what is not */
    uint64_t flags;      /* before it began */
} repeated;

enum { FEW = 8, ZERO_FLAG = 1 << 6 };

/* Not with 32-bit addresses, where ecx counts. */
static bool find_repeated(x86_vm *vm, uint64_t at, repeated *r)
{
    ZydisDecodedInstruction z;
    if (!vm_decode(vm, at, &z) || z.address_width != 64 || z.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
        return false;
    uint8_t opcode = z.opcode & 0xfe;
    *r = (repeated){.at = at, .next = at + z.length, .ends_at_equal = (z.attributes & ZYDIS_ATTRIB_HAS_REPNE) != 0};
    r->looks_at_flags = opcode == 0xa6 || opcode == 0xae;
    bool repeats = (z.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
    return repeats && (r->looks_at_flags || opcode == 0xa4 || opcode == 0xaa || opcode == 0xac);
}

static bool has_found(const repeated *r, const struct user_regs_struct *regs)
{
    bool zero = regs->eflags & ZERO_FLAG;
    return r->looks_at_flags && (regs->rcx > 0 || zero == r->ends_at_equal);
}

/* Native execution, of this thread alone, to the next instruction or to whatever comes before. */
static ebb_status run_to_next(x86_vm *vm, machine_tid tid, const repeated *r, machine_stop *stop, ebb_error *err)
{
    machine_request run = {.move = MACHINE_RUN, .thread = tid, .only_thread = true};
    EBB_TRY(vm_gets_turn(vm, tid, err));
    EBB_TRY(vm->native->ops->resume(vm->native, &run, stop, err));
    if (stop->kind == MACHINE_STOP_TRAP && stop->thread == tid && stop->place == r->next + 1)
        return vm_set(vm, tid, VM_REG(rip), r->next, err);
    return EBB_OK;
}

static ebb_status account(x86_vm *vm, machine_tid tid, const repeated *r, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    uint64_t executed = r->wanted - regs->rcx;
    bool came_to_end = regs->rip == r->next, is_over = came_to_end && has_found(r, regs);
    vm->time += is_over ? executed - 1 : executed;
    EBB_TRY(vm_set(vm, tid, VM_REG(rcx), regs->rcx + r->rest, err));
    if (came_to_end && !is_over) {
        EBB_TRY(vm_set(vm, tid, VM_REG(rip), r->at, err));
        EBB_TRY(vm_set(vm, tid, VM_REG(eflags), r->flags, err));
    }
    if (came_to_end)
        *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = is_over ? r->next : r->at};
    return EBB_OK;
}

static ebb_status execute(x86_vm *vm, machine_tid tid, const repeated *r, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(vm_set(vm, tid, VM_REG(rcx), r->wanted, err));
    vm_undo_keep_ahead(vm, tid, true);
    EBB_TRY(run_to_next(vm, tid, r, stop, err));
    return vm_task(vm, tid) ? account(vm, tid, r, stop, err) : EBB_OK;
}

ebb_status vm_repeat(x86_vm *vm, machine_tid tid, bool *done, machine_stop *stop, ebb_error *err)
{
    static const uint8_t trap = 0xcc;
    struct user_regs_struct *regs;
    repeated r;
    uint8_t code;
    *done = false;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    uint64_t wanted = vm_undo_limit(vm) - vm->time - 1;
    if (vm->watching || vm_undo_limit(vm) <= vm->time || wanted < FEW || regs->rcx <= wanted || !find_repeated(vm, regs->rip, &r))
        return EBB_OK;
    r.wanted = wanted;
    r.flags = regs->eflags;
    r.rest = regs->rcx - wanted;
    if (machine_read(vm->native, r.next, &code, 1, NULL) != EBB_OK || machine_write(vm->native, r.next, &trap, 1, NULL) != EBB_OK)
        return EBB_OK; /* code that can't be written, as in a file that is mapped to be shared */
    *done = true;
    ebb_status status = execute(vm, tid, &r, stop, err);
    if (vm_task(vm, tid) && machine_write(vm->native, r.next, &code, 1, status == EBB_OK ? err : NULL) != EBB_OK)
        return EBB_SYSTEM;
    return status;
}
