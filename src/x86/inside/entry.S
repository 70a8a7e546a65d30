/* entry.S - the doors between translated code and the runtime's C.
 *
 * A door keeps the whole guest state in the control block, goes to the thread's own stack, calls its C
 * function with the control block as the argument, and jumps to the host address that it returns with the
 * guest state back in the registers.  Nothing of the guest's stack is touched.  The C code is built
 * without vector registers, so those simply stay where they are. */
#include "x86/shared.h"

#define REG(n) %gs:(X86_TCB_REGS + 8 * (n))

.macro EACH_BUT_RSP op
    \op %rax, 0
    \op %rcx, 1
    \op %rdx, 2
    \op %rbx, 3
    \op %rbp, 5
    \op %rsi, 6
    \op %rdi, 7
    \op %r8, 8
    \op %r9, 9
    \op %r10, 10
    \op %r11, 11
    \op %r12, 12
    \op %r13, 13
    \op %r14, 14
    \op %r15, 15
.endm

.macro KEEP reg, n
    mov \reg, REG(\n)
.endm

.macro BRING reg, n
    mov REG(\n), \reg
.endm

.macro DOOR name, function
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    mov %rsp, REG(4)
    mov %gs:X86_TCB_STACK, %rsp
    pushfq
    popq %gs:X86_TCB_RFLAGS
    EACH_BUT_RSP KEEP
    pushq $2 /* plain flags: up, and without alignment checks, which a guest may have asked for */
    popfq
    mov %gs:X86_TCB_SELF, %rdi
    call \function
    mov %rax, %gs:X86_TCB_JUMP
    jmp x86_inside_resume
    .size \name, . - \name
.endm

    .text
    DOOR x86_inside_dispatch, x86_dispatch
    DOOR x86_inside_syscall, x86_syscall
    DOOR x86_inside_ask, x86_ask_world
    DOOR x86_inside_watched, x86_watched

/* If ebb wants the thread, and it is too late for the dispatcher to see it, the thread is told to stop here: what it goes to may be a
 * loop that never comes back.  ebb does the rest. */
    .globl x86_inside_leave
    .hidden x86_inside_leave
    .globl x86_inside_left
    .hidden x86_inside_left
    .type x86_inside_resume, @function
x86_inside_resume:
    cmpl $0, %gs:X86_TCB_STOP_WANTED
    je x86_inside_leave
    int3
x86_inside_leave:
    pushq %gs:X86_TCB_RFLAGS
    EACH_BUT_RSP BRING
    popfq
    mov REG(4), %rsp
    jmp *%gs:X86_TCB_JUMP
x86_inside_left:
    .size x86_inside_resume, . - x86_inside_resume

/* A lookup found nothing: rax is the guest address that was looked for, and rax and rcx are spilled. */
.macro MISSED name, ticks
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .if \ticks
    vpaddq %xmm31, %xmm30, %xmm30
    .endif
    mov %rax, %gs:X86_TCB_TARGET
    mov %gs:(X86_TCB_SPILLS + 8), %rcx
    mov %gs:X86_TCB_SPILLS, %rax
    jmp *%gs:X86_TCB_DISPATCH
    .size \name, . - \name
.endm

    MISSED x86_inside_missed, 0
    MISSED x86_inside_missed_ticking, 1

/* A thread that can't go on comes here with its guest state in the registers; ebb looks at `stuck`. */
    .globl x86_inside_stuck
    .hidden x86_inside_stuck
    .type x86_inside_stuck, @function
x86_inside_stuck:
    int3
    jmp *%gs:X86_TCB_DISPATCH
    .size x86_inside_stuck, . - x86_inside_stuck

/* long x86_inside_guest_syscall(const uint64_t regs[16]): the guest's system call.  ebb tells by the two labels
 * whether it has been made; if ebb wants the thread, it isn't (X86_NOT_MADE). */
    .globl x86_inside_guest_syscall
    .hidden x86_inside_guest_syscall
    .globl x86_inside_syscall_insn
    .hidden x86_inside_syscall_insn
    .type x86_inside_guest_syscall, @function
x86_inside_guest_syscall:
    cmpl $0, %gs:X86_TCB_STOP_WANTED
    jne 1f
    mov 8*0(%rdi), %rax
    mov 8*2(%rdi), %rdx
    mov 8*6(%rdi), %rsi
    mov 8*8(%rdi), %r8
    mov 8*9(%rdi), %r9
    mov 8*10(%rdi), %r10
    mov 8*7(%rdi), %rdi
x86_inside_syscall_insn:
    syscall
    ret
1:  mov $1, %eax
    shl $63, %rax
    ret
    .size x86_inside_guest_syscall, . - x86_inside_guest_syscall

/* size_t x86_inside_copy(void *to, uint64_t from, size_t nbytes): how many could be had.  If it faults, ebb lets it go on after the instruction. */
    .globl x86_inside_copy
    .hidden x86_inside_copy
    .globl x86_inside_copy_insn
    .hidden x86_inside_copy_insn
    .type x86_inside_copy, @function
x86_inside_copy:
    mov %rdx, %rcx
x86_inside_copy_insn:
    rep movsb
    mov %rdx, %rax
    sub %rcx, %rax
    ret
    .size x86_inside_copy, . - x86_inside_copy

/* Where functions that ebb calls return to. */
    .globl x86_inside_trap
    .hidden x86_inside_trap
    .type x86_inside_trap, @function
x86_inside_trap:
    int3
    .size x86_inside_trap, . - x86_inside_trap

/* What the decoder refers to and never calls. */
    .globl x86_inside_missing
    .type x86_inside_missing, @function
x86_inside_missing:
    ud2
    .size x86_inside_missing, . - x86_inside_missing

/* fork, vfork, clone: the guest's registers are in place; rcx and r11 are the kernel's to change.  The parent goes
 * on through the dispatcher, the child natively.  A vfork child shares the parent's control block and stacks, but the
 * parent does not move meanwhile; with a child that runs beside its parent, a thread, ebb deals before its first instruction
 * (vm/births.h). */
    .globl x86_inside_fork
    .hidden x86_inside_fork
    .globl x86_inside_forked
    .hidden x86_inside_forked
    .type x86_inside_fork, @function
x86_inside_fork:
    syscall
x86_inside_forked:
    mov %rax, %rcx
    jrcxz 1f
    mov %gs:X86_TCB_TARGET, %rcx
    jmp *%gs:X86_TCB_DISPATCH
1:  mov %gs:X86_TCB_TARGET, %rcx
    jmp x86_inside_go_natively
    .size x86_inside_fork, . - x86_inside_fork

    .globl x86_inside_clone
    .hidden x86_inside_clone
    .globl x86_inside_cloned
    .hidden x86_inside_cloned
    .type x86_inside_clone, @function
x86_inside_clone:
    syscall
x86_inside_cloned:
    mov %gs:X86_TCB_TARGET, %rcx
    jmp *%gs:X86_TCB_DISPATCH
    .size x86_inside_clone, . - x86_inside_clone

/* A child waits, with all signals blocked, for the ebb that will trace it (x86/hand_over.h); where only some may trace others, it says that anybody may. */
    .globl x86_inside_await
    .hidden x86_inside_await
    .type x86_inside_await, @function
x86_inside_await:
    mov $157, %eax /* prctl */
    mov $0x59616d61, %edi /* PR_SET_PTRACER */
    mov $-1, %rsi
    syscall
1:  mov $34, %eax /* pause */
    syscall
    jmp 1b
    .size x86_inside_await, . - x86_inside_await

/* A child leaves VM mode, to the guest address in rcx. */
    .globl x86_inside_go_natively
    .hidden x86_inside_go_natively
    .type x86_inside_go_natively, @function
x86_inside_go_natively:
    mov %rcx, %r11
    mov %gs:X86_TCB_TICK, %ecx
    lea -X86_TICK_IN_VECTOR(%rcx), %rcx /* no flag is changed */
    jrcxz 1f
    jmp 2f
1:  vmovups %gs:X86_TCB_GUEST_ZMM30, %zmm30
    vmovups %gs:X86_TCB_GUEST_ZMM31, %zmm31
2:  mov %r11, %rcx
    mov %gs:X86_TCB_RFLAGS, %r11
    mov %gs:X86_TCB_GUEST_GS, %rax
    wrgsbase %rax
    mov $0, %eax
    jmp *%rcx
    .size x86_inside_go_natively, . - x86_inside_go_natively

/* The end of a signal handler: the kernel takes all registers from the frame, but the count of time must
 * not go back with them. */
    .globl x86_inside_sigreturn
    .hidden x86_inside_sigreturn
    .type x86_inside_sigreturn, @function
x86_inside_sigreturn:
    cmpl $X86_TICK_IN_VECTOR, %gs:X86_TCB_TICK
    jne 1f
    vmovq %xmm30, %gs:X86_TCB_COUNTER
1:  mov %gs:X86_TCB_SIGRETURN, %rsp
    mov $15, %eax
    syscall
    ud2
    .size x86_inside_sigreturn, . - x86_inside_sigreturn

    .globl x86_inside_sigreturned
    .hidden x86_inside_sigreturned
    .type x86_inside_sigreturned, @function
x86_inside_sigreturned:
    jmp *%gs:X86_TCB_BACK
    .size x86_inside_sigreturned, . - x86_inside_sigreturned

/* Takes the count from the control block, where the guest's own values go, then goes to the dispatcher; how threads
 * enter VM mode. */
    .globl x86_inside_enter_vector
    .hidden x86_inside_enter_vector
    .type x86_inside_enter_vector, @function
x86_inside_enter_vector:
    vmovups %zmm30, %gs:X86_TCB_GUEST_ZMM30
    vmovups %zmm31, %gs:X86_TCB_GUEST_ZMM31
    vmovq %gs:X86_TCB_COUNTER, %xmm30
    vmovq %gs:X86_TCB_ONE, %xmm31
    jmp *%gs:X86_TCB_DISPATCH
    .size x86_inside_enter_vector, . - x86_inside_enter_vector

/* void x86_with_vectors(void (*function)(void *), void *argument, void *area): calls the decoder, which is built
 * for any x86-64 CPU: of the vector registers it can change only the lower halves of the first sixteen. */
.macro EACH_XMM op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \op \n
    .endr
.endm

.macro KEEP_XMM n
    movaps %xmm\n, 16*\n(%rbx)
.endm

.macro BRING_XMM n
    movaps 16*\n(%rbx), %xmm\n
.endm

    .globl x86_with_vectors
    .hidden x86_with_vectors
    .type x86_with_vectors, @function
x86_with_vectors:
    push %rbx
    mov %rdx, %rbx
    mov %rdi, %rcx
    EACH_XMM KEEP_XMM
    mov %rsi, %rdi
    call *%rcx
    EACH_XMM BRING_XMM
    pop %rbx
    ret
    .size x86_with_vectors, . - x86_with_vectors

    .section .note.GNU-stack, "", @progbits
