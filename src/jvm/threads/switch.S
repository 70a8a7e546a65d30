/* void jvm_switch_stack(void **save_sp, void *load_sp)
 *
 * Parks the running C stack: the registers that the ABI lets a function keep are pushed, the stack
 * pointer is stored; then the same backwards for the other stack.  A new stack looks as if it had
 * been parked at its start function (thread.c). */
    .text
    .globl jvm_switch_stack
    .hidden jvm_switch_stack
    .type jvm_switch_stack, @function
jvm_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size jvm_switch_stack, . - jvm_switch_stack
    .section .note.GNU-stack, "", @progbits
